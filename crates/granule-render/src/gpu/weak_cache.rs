//! A cache of copies on the device, each dropped with the last owner of its original.

use std::sync::{Arc, Weak};

/// Copies by weak references to their originals.
pub struct WeakCache<T, C> {
    entries: Vec<(Weak<T>, C)>,
}

impl<T, C> Default for WeakCache<T, C> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T, C: Clone> WeakCache<T, C> {
    /// The copy of an original, made where there is none yet. Copies whose originals are gone are dropped.
    pub fn of(&mut self, original: &Arc<T>, copy: impl FnOnce(&T) -> C) -> C {
        self.entries.retain(|(known, _)| known.strong_count() > 0);
        // A weak reference keeps its address taken, so that no other original can have it.
        let found = self.entries.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(original));
        if let Some((_, copy)) = found {
            return copy.clone();
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
        let mut cache: WeakCache<u32, u32> = WeakCache::default();
        let (a, b) = (Arc::new(1), Arc::new(1));
        let mut made = 0;
        for original in [&a, &b, &a, &b] {
            cache.of(original, |value| {
                made += 1;
                *value
            });
        }
        assert_eq!(made, 2, "equal values are still two originals");
        drop(a);
        cache.of(&b, |_| unreachable!());
        assert_eq!(cache.entries.len(), 1);
    }
}
