//! Counts grains on the fine grid, each shared among the eight nodes around it.

use glam::Vec3;
use rayon::prelude::*;

use super::{FIXED_POINT_ONE, FineGrid, NONE};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};
use crate::upsample::advector::AdvectionSettings;
use crate::upsample::grain::Grain;
use crate::upsample::grain_lanes::{positions_of, trilinear_weights};
use crate::upsample::node_counts::with_images;

/// Points that are looked at together.
const CHUNK: usize = 1024;

impl FineGrid {
    /// Adds points to the parts in whose cells they are. Every thread has parts of its own, so that their numbers do not
    /// matter, and looks at the chunks of points that have some in them: few, as grains are nearly in order.
    pub(super) fn add(&mut self, points: &[Grain], instructions: Instructions) {
        let (mut part, mut span) = (std::mem::take(&mut self.part_of_point), std::mem::take(&mut self.span));
        let (mut tally, mut holds) = (std::mem::take(&mut self.tally), std::mem::take(&mut self.holds));
        let threads = rayon::current_num_threads();
        if threads == 1 {
            let range = [0, self.cell_of_part.len() as u32];
            let (tally, holds) = (&mut tally[..], &mut holds[..]);
            instructions.run(AddPoints { fine_grid: self, points, sorted: None, range, tally, holds });
        } else {
            part.resize(points.len(), NONE);
            span.resize(points.len().div_ceil(CHUNK), [0; 2]);
            let chunks = points.par_chunks(CHUNK).zip(part.par_chunks_mut(CHUNK)).zip(&mut span);
            chunks.with_min_len(4).for_each(|((points, part), span)| {
                *span = instructions.run(FindParts { fine_grid: self, points, part });
            });
            let range = self.cell_of_part.len().div_ceil(4 * threads).max(1);
            let ranges = tally.par_chunks_mut(range * self.part_size()).zip(holds.par_chunks_mut(range));
            ranges.enumerate().for_each(|(k, (tally, holds))| {
                let range = [(k * range) as u32, ((k + 1) * range) as u32];
                let sorted = Some((&part[..], &span[..]));
                instructions.run(AddPoints { fine_grid: self, points, sorted, range, tally, holds });
            });
        }
        (self.part_of_point, self.span) = (part, span);
        (self.tally, self.holds) = (tally, holds);
    }

    /// Adds the images of grains near the ends of periods.
    pub(super) fn add_images(
        &mut self,
        grains: &[Grain],
        settings: &AdvectionSettings,
        instructions: Instructions,
    ) {
        let mut image = std::mem::take(&mut self.image);
        image.clear();
        for grain in grains {
            let x = Vec3::from(grain.position);
            with_images(&settings.domain, x, 2.0 * self.side, |place| {
                if place != x {
                    image.push(Grain { position: place.into(), ..*grain });
                }
            });
        }
        self.add(&image, instructions);
        self.image = image;
    }
}

/// Finds the parts of points; gives the first and last of them.
struct FindParts<'a> {
    fine_grid: &'a FineGrid,
    points: &'a [Grain],
    part: &'a mut [u32],
}

impl Vectorised for FindParts<'_> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [u32; 2] {
        let mut span = [NONE, 0];
        for (points, part) in self.points.chunks(LANES).zip(self.part.chunks_mut(LANES)) {
            let locations = self.fine_grid.locate::<L>(&positions_of(points));
            for (part, found) in part.iter_mut().zip(self.fine_grid.parts(&locations.cell)) {
                *part = found;
                if *part != NONE {
                    span = [span[0].min(*part), span[1].max(*part)];
                }
            }
        }
        span
    }
}

/// Adds the points of a range of parts to their tallies.
struct AddPoints<'a> {
    fine_grid: &'a FineGrid,
    points: &'a [Grain],
    /// Parts of the points, and the first and last of each chunk of them, where they are known.
    sorted: Option<(&'a [u32], &'a [[u32; 2]])>,
    range: [u32; 2],
    tally: &'a mut [u32],
    holds: &'a mut [bool],
}

impl Vectorised for AddPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [first, end] = self.range;
        let (steps, size) = (self.fine_grid.steps(), self.fine_grid.part_size());
        for (chunk, points) in self.points.chunks(CHUNK).enumerate() {
            let parts = match self.sorted {
                Some((_, span)) if span[chunk][0] >= end || span[chunk][1] < first => continue,
                Some((part, _)) => Some(&part[chunk * CHUNK..]),
                None => None,
            };
            for (group, points) in points.chunks(LANES).enumerate() {
                let known = parts.map(|parts| &parts[group * LANES..group * LANES + points.len()]);
                if known.is_some_and(|known| known.iter().all(|part| *part < first || *part >= end)) {
                    continue;
                }
                let locations = self.fine_grid.locate::<L>(&positions_of(points));
                let amounts = amounts(&locations.beyond);
                let parts = self.fine_grid.parts(&locations.cell);
                for (k, &part) in parts[..points.len()].iter().enumerate() {
                    if part < first || part >= end {
                        continue;
                    }
                    self.holds[(part - first) as usize] = true;
                    let start = (part - first) as usize * size + locations.local[k] as usize;
                    let near = &mut self.tally[start..start + steps[7] + 1];
                    for corner in 0..8 {
                        // SAFETY: no step is longer than the last, and so many are there.
                        unsafe { *near.get_unchecked_mut(steps[corner]) += amounts[corner][k] };
                    }
                }
            }
        }
    }
}

/// What points give to each of the eight nodes around them: whole ones are [`FIXED_POINT_ONE`].
#[inline(always)]
fn amounts<L: Lanes>(beyond: &[L; 3]) -> [[u32; LANES]; 8] {
    let parts = trilinear_weights(beyond);
    let mut amounts = [[0; LANES]; 8];
    for corner in 0..8 {
        amounts[corner] = (parts[corner] * L::splat(FIXED_POINT_ONE) + L::splat(0.5)).to_u32();
    }
    amounts
}
