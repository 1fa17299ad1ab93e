//! Pairs into bins, by the whole team: those of a bin keep their order, so that places do not depend on who found them.

use crate::team::{self, SharedColumn};

use super::colour::REST;

/// Bins: twice the colour, and one more for pairs that are not near.
pub const BINS: usize = 2 * (REST as usize + 1);

/// Pairs that a member of the team takes at a time.
const CHUNK: usize = 2048;

/// Which bin every pair is in, and how many each has.
#[derive(Clone, Debug, Default)]
pub struct Bins {
    bin: Vec<u16>,
    /// Of every chunk of pairs: how many are in each bin; then where the next of them goes.
    chunks: Vec<ChunkBins>,
}

#[derive(Clone, Copy, Debug)]
struct ChunkBins([u32; BINS]);

impl Bins {
    /// Takes so many pairs, of which `bin` says where they belong.
    pub fn count(&mut self, pairs: usize, bin: impl Fn(usize) -> u16 + Sync) {
        self.bin.resize(pairs, 0);
        self.chunks.clear();
        self.chunks.resize(pairs.div_ceil(CHUNK), ChunkBins([0; BINS]));
        let bins = SharedColumn::of(&mut self.bin);
        team::for_each_mut(&mut self.chunks, 1, |c, ChunkBins(sizes)| {
            let range = c * CHUNK..pairs.min((c + 1) * CHUNK);
            // SAFETY: every chunk is visited once.
            let own = unsafe { bins.range_mut(range.clone()) };
            for (own, p) in own.iter_mut().zip(range) {
                *own = bin(p);
                sizes[usize::from(*own)] += 1;
            }
        });
    }

    /// Pairs in a bin.
    pub fn size(&self, bin: u16) -> usize {
        self.chunks.iter().map(|ChunkBins(sizes)| sizes[usize::from(bin)] as usize).sum()
    }

    /// Says where the pairs of a bin go, and right behind them those of the next one.
    pub fn begin(&mut self, bin: u16, place: usize) {
        let mut next = place as u32;
        for bin in [usize::from(bin), usize::from(bin) + 1] {
            for ChunkBins(sizes) in &mut self.chunks {
                (sizes[bin], next) = (next, next + sizes[bin]);
            }
        }
    }

    /// Puts all pairs where their bins go: the place of each, and which is there.
    pub fn place(&mut self, at: &mut [u32], pair_at: &mut [u32]) {
        let (at, pair_at) = (SharedColumn::of(at), SharedColumn::of(pair_at));
        let bins = &self.bin;
        team::for_each_mut(&mut self.chunks, 1, |c, ChunkBins(next)| {
            for p in c * CHUNK..bins.len().min((c + 1) * CHUNK) {
                let place = &mut next[usize::from(bins[p])];
                // SAFETY: every pair is visited once, and has a place of its own.
                unsafe {
                    *at.get_mut(p) = *place;
                    *pair_at.get_mut(*place as usize) = p as u32;
                }
                *place += 1;
            }
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        2 * self.bin.capacity() + size_of::<ChunkBins>() * self.chunks.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::team::Team;

    #[test]
    fn pairs_lie_by_bins_in_their_order_for_any_number_of_threads() {
        let mut random = Random::new(4);
        let bin: Vec<u16> = (0..3 * CHUNK + 77).map(|_| (random.bits() % 9) as u16 + 4).collect();
        let placed = |threads: usize| {
            let (mut bins, mut at) = (Bins::default(), vec![0; bin.len()]);
            // One place is left free behind every two bins.
            let mut pair_at = vec![u32::MAX; bin.len() + BINS];
            Team::new(threads).unwrap().install(|| {
                bins.count(bin.len(), |p| bin[p]);
                let mut place = 0;
                for first in (0..BINS as u16).step_by(2) {
                    let size = bins.size(first) + bins.size(first + 1);
                    bins.begin(first, place);
                    place += size + 1;
                }
                bins.place(&mut at, &mut pair_at);
            });
            (at, pair_at)
        };
        let (at, pair_at) = placed(1);
        assert_eq!(placed(3), (at.clone(), pair_at.clone()));
        assert!((0..bin.len()).all(|p| pair_at[at[p] as usize] == p as u32));
        let listed: Vec<(u16, u32)> =
            pair_at.iter().filter(|p| **p != u32::MAX).map(|p| (bin[*p as usize], *p)).collect();
        assert!(listed.is_sorted(), "by bins, and in the order of pairs within");
        assert_eq!(listed.len(), bin.len());
        let between = at.iter().zip(&bin).filter(|(_, bin)| **bin == 6).map(|(at, _)| *at).min().unwrap();
        assert_eq!(pair_at[between as usize - 1], u32::MAX, "a place is free before a colour's first pair");
    }
}
