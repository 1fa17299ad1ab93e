//! Of how many recorded steps one sorts. A method that keeps its lists leaves out of most recorded steps what they would skip; where
//! a step needs new lists and was recorded without a sort, it waits for the next one with. Both cost time and change nothing
//! else, so that the rhythm follows what batches before have needed.

/// Waiting steps per step that the first batch reckons with. A choice.
const FIRST_WAITS: f64 = 0.25;

/// How often recorded steps sort, and how many of them wait.
#[derive(Clone, Copy, Debug)]
pub struct Rhythm {
    /// Of how many steps one sorts at least.
    most: u32,
    /// Of how many one sorts now.
    every: u32,
    /// Recorded steps that have waited, per step.
    waits: f64,
}

impl Rhythm {
    /// The rhythm of a method that sorts in one of so many steps at least.
    pub fn new(most: u32) -> Self {
        Self { most, every: most, waits: FIRST_WAITS }
    }

    /// Whether a recorded step of this number sorts.
    pub fn sorts(&self, number: u32) -> bool {
        number.is_multiple_of(self.every)
    }

    /// Whether steps may wait at all.
    pub fn waits(&self) -> bool {
        self.most > 1
    }

    /// Recorded steps that are likely to wait beside so many that do not.
    pub fn likely_waits(&self, steps: u32) -> u32 {
        (f64::from(steps) * self.waits - 0.25).ceil().max(0.0) as u32
    }

    /// Takes over a batch of so many steps, for which so many were recorded and which made so many lists. A batch in which none
    /// waited does not let those before be forgotten at once.
    pub fn note(&mut self, steps: usize, recorded: u32, lists: usize) {
        let steps = steps.max(1) as f64;
        let steps_per_list = if lists == 0 { f64::from(self.most) } else { steps / lists as f64 };
        self.every = (steps_per_list as u32).clamp(1, self.most);
        let found = (f64::from(recorded) - steps).max(0.0) / steps;
        let longest = f64::from(self.every - 1) / steps_per_list;
        self.waits = found.max(0.5 * (found + self.waits)).min(longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_sort_as_often_as_lists_were_made() {
        let after = |steps, recorded, lists| {
            let mut rhythm = Rhythm::new(5);
            rhythm.note(steps, recorded, lists);
            rhythm
        };
        let every = [0, 1, 2, 3, 4, 5, 6, 10].map(|lists| after(10, 10, lists).every);
        assert_eq!(every, [5, 5, 5, 3, 2, 2, 1, 1]);
        // Where every step sorts none waits, whatever was seen before; a bed at rest has hardly any that waits.
        assert_eq!(after(10, 50, 10).likely_waits(10), 0);
        assert!(after(10, 10, 1).likely_waits(10) <= 2);
        assert!(after(10, 14, 3).likely_waits(10) >= 4);
        assert!((0..10).all(|number| after(10, 50, 10).sorts(number)));
    }

    #[test]
    fn a_method_that_always_sorts_never_waits() {
        let mut rhythm = Rhythm::new(1);
        assert!(!rhythm.waits() && rhythm.sorts(3));
        rhythm.note(7, 7, 0);
        assert!(rhythm.sorts(3));
    }
}
