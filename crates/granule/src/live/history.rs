//! Checkpoints of the frames so far, within a budget of bytes.

use std::sync::Arc;

use crate::io::Checkpoint;

/// What can be reached of a run's past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryReport {
    /// The first and the last frame with a checkpoint.
    pub checkpoints: Option<(u64, u64)>,
    /// The first frame: 0 unless the run goes on from a checkpoint, or is that of a folder that begins later.
    pub first: u64,
    /// The last frame that is known: playing up to it repeats what was.
    pub end: u64,
    /// Number of checkpoints.
    pub count: usize,
    /// Bytes that they take.
    pub bytes: usize,
    /// Bytes that they may take.
    pub budget: usize,
}

/// A checkpoint, with what it costs to do without it.
struct Entry {
    checkpoint: Arc<Checkpoint>,
    bytes: usize,
    /// Wall time of simulating from the checkpoint before \[s\].
    cost: f64,
}

/// Checkpoints by frame. Where the budget ends, those go whose neighbours are nearest to each other in simulating time, so
/// that no gap becomes much longer than others; the first one stays.
pub(super) struct History {
    entries: Vec<Entry>,
    bytes: usize,
    budget: usize,
}

impl History {
    pub(super) fn new(budget: usize) -> Self {
        Self { entries: Vec::new(), bytes: 0, budget }
    }

    /// Adds a checkpoint that took `cost` seconds of simulating from the one before.
    pub(super) fn insert(&mut self, mut checkpoint: Checkpoint, cost: f64) {
        // Bytes were written into memory that doubles as it grows.
        checkpoint.state.shrink_to_fit();
        checkpoint.extensions.iter_mut().for_each(|(_, bytes)| bytes.shrink_to_fit());
        let at = match self.find(checkpoint.frame) {
            Ok(_) => return,
            Err(at) => at,
        };
        if let Some(next) = self.entries.get_mut(at) {
            next.cost = (next.cost - cost).max(0.0);
        }
        let bytes = bytes_of(&checkpoint);
        self.bytes += bytes;
        self.entries.insert(at, Entry { checkpoint: Arc::new(checkpoint), bytes, cost });
        while self.bytes > self.budget {
            self.thin();
        }
    }

    /// Gives up the checkpoint that is missed least.
    fn thin(&mut self) {
        let gap = |k: usize| self.entries[k].cost + self.entries.get(k + 1).map_or(0.0, |next| next.cost);
        let inner = 1..self.entries.len().saturating_sub(1);
        let least = inner.min_by(|&a, &b| gap(a).total_cmp(&gap(b)));
        // With two left the first one stays; one that is larger than the budget goes, too.
        let gone = self.entries.remove(least.unwrap_or(self.entries.len() - 1));
        self.bytes -= gone.bytes;
        if let Some(next) = least.and_then(|k| self.entries.get_mut(k)) {
            next.cost += gone.cost;
        }
    }

    /// The last checkpoint at or before a frame.
    pub(super) fn before(&self, frame: u64) -> Option<Arc<Checkpoint>> {
        let after = self.entries.partition_point(|entry| entry.checkpoint.frame <= frame);
        after.checked_sub(1).map(|k| self.entries[k].checkpoint.clone())
    }

    /// Whether there is a checkpoint of a frame.
    pub(super) fn holds(&self, frame: u64) -> bool {
        self.find(frame).is_ok()
    }

    fn find(&self, frame: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&frame, |entry| entry.checkpoint.frame)
    }

    /// Forgets all checkpoints after a frame.
    pub(super) fn cut_after(&mut self, frame: u64) {
        self.entries.retain(|entry| entry.checkpoint.frame <= frame);
        self.bytes = self.entries.iter().map(|entry| entry.bytes).sum();
    }

    /// What can be reached, where `first` and `end` are the first and the last frame that are known.
    pub(super) fn report(&self, first: u64, end: u64) -> HistoryReport {
        let frame = |entry: &Entry| entry.checkpoint.frame;
        HistoryReport {
            checkpoints: self.entries.first().map(frame).zip(self.entries.last().map(frame)),
            first,
            end,
            count: self.entries.len(),
            bytes: self.bytes,
            budget: self.budget,
        }
    }
}

/// Bytes that a checkpoint takes in memory.
fn bytes_of(checkpoint: &Checkpoint) -> usize {
    let Checkpoint { engine_version, scene, solver, state, extensions, .. } = checkpoint;
    let texts = engine_version.capacity() + scene.capacity() + solver.capacity();
    let parts: usize = extensions
        .iter()
        .map(|(name, bytes)| size_of::<(String, Vec<u8>)>() + name.capacity() + bytes.capacity())
        .sum();
    size_of::<Entry>() + size_of::<Checkpoint>() + texts + state.capacity() + parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(frame: u64) -> Checkpoint {
        Checkpoint {
            engine_version: String::new(),
            scene: String::new(),
            solver: String::new(),
            frame,
            steps: 0,
            lost: 0,
            state: vec![0; 1000],
            extensions: Vec::new(),
        }
    }

    fn frames(history: &History) -> Vec<u64> {
        history.entries.iter().map(|entry| entry.checkpoint.frame).collect()
    }

    #[test]
    fn a_full_history_keeps_its_beginning_and_even_gaps() {
        let one = bytes_of(&checkpoint(0));
        let mut history = History::new(10 * one);
        for frame in 0..1000 {
            history.insert(checkpoint(frame), 1.0);
            assert!(history.bytes <= history.budget && history.bytes == history.entries.len() * one);
        }
        let kept = frames(&history);
        assert_eq!((kept[0], kept[9], kept.len()), (0, 999, 10));
        let longest = kept.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(longest <= 4 * 1000 / 9, "{kept:?}");
    }

    #[test]
    fn memory_that_a_checkpoint_does_not_need_is_given_back() {
        let mut checkpoint = checkpoint(0);
        checkpoint.state.reserve(100_000);
        let mut history = History::new(10_000);
        history.insert(checkpoint, 0.0);
        assert_eq!(history.report(0, 0).count, 1);
    }

    #[test]
    fn costs_of_gaps_follow_what_comes_and_goes() {
        let one = bytes_of(&checkpoint(0));
        let mut history = History::new(3 * one);
        for frame in [0, 10, 20] {
            history.insert(checkpoint(frame), 10.0);
        }
        // Cheap to do without: 4 + 6 seconds between its neighbours, against 6 + 10 and more.
        history.insert(checkpoint(4), 4.0);
        assert_eq!(frames(&history), [0, 10, 20]);
        assert_eq!(history.entries[1].cost, 10.0);
        history.insert(checkpoint(30), 10.0);
        assert_eq!(frames(&history), [0, 20, 30]);
        assert_eq!(history.before(29).unwrap().frame, 20);
        assert_eq!(history.before(19).unwrap().frame, 0);
        history.cut_after(20);
        assert_eq!((frames(&history), history.bytes), (vec![0, 20], 2 * one));
    }

    #[test]
    fn a_budget_too_small_for_one_holds_nothing() {
        let mut history = History::new(100);
        history.insert(checkpoint(0), 0.0);
        assert_eq!(history.report(0, 0).count, 0);
        assert!(history.before(5).is_none() && history.bytes == 0);
    }
}
