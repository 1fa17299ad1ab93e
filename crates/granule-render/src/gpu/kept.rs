//! Copies on the device of what is shared, kept for as long as somebody holds the original.

use std::sync::{Arc, Weak};

/// Copies by their originals.
pub struct Kept<T, C> {
    entries: Vec<(Weak<T>, C)>,
}

impl<T, C> Default for Kept<T, C> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T, C: Clone> Kept<T, C> {
    /// The copy of an original, made where there is none yet. Copies whose originals are gone are dropped.
    pub fn of(&mut self, original: &Arc<T>, copy: impl FnOnce(&T) -> C) -> C {
        self.entries.retain(|(known, _)| known.strong_count() > 0);
        // A weak reference keeps its address taken, so that no other original can have it.
        let found = self.entries.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(original));
        if let Some((_, kept)) = found {
            return kept.clone();
        }
        let made = copy(original);
        self.entries.push((Arc::downgrade(original), made.clone()));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_made_once_and_dropped_with_their_originals() {
        let mut kept: Kept<u32, u32> = Kept::default();
        let (a, b) = (Arc::new(1), Arc::new(1));
        let mut made = 0;
        for original in [&a, &b, &a, &b] {
            kept.of(original, |value| {
                made += 1;
                *value
            });
        }
        assert_eq!(made, 2, "equal values are still two originals");
        drop(a);
        kept.of(&b, |_| unreachable!());
        assert_eq!(kept.entries.len(), 1);
    }
}
