//! Where grains are more, or fewer, than their guides are worth, and which way leads out of it.
//!
//! ```text
//! e = (grains - guides n) / n      u = -c s^2 grad e
//! ```
//! Both are counted on cells of side `s`, a guide's radius, and smoothed alike: `n` is the number of grains per guide. The
//! way `u` evens them out, as diffusion does: crowds spread and gaps close, at the scale of guides. Grains that rest are
//! left alone.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::guides::GuideGrid;
use crate::neighbors::Domain;

/// Passes of the filter (1, 2, 1)/4 along every axis: a width of 1.4 cells.
const PASSES: usize = 4;

/// Cells around the guides, for the filter.
const RIM: f32 = 4.0;

/// Most cells per guide; scattered guides get larger cells.
const CELLS_PER_GUIDE: f64 = 512.0;

/// Diffusion per application, in cells squared; a third of what is stable.
const DIFFUSION: f32 = 0.5;

/// Excess of grains over what guides are worth, on cells.
#[derive(Clone, Debug, Default)]
pub struct Crowding {
    origin: Vec3,
    side: f32,
    count: [usize; 3],
    /// Excess relative to a full mass.
    excess: Vec<f32>,
}

impl Crowding {
    /// Counts grains and guides; `per_guide` is the number of grains that a guide is worth.
    pub fn new(
        grains: &[Grain],
        guides: &GuideGrid,
        domain: &Domain,
        guide_radius: f32,
        per_guide: f32,
    ) -> Self {
        let (low, high) =
            guides.guide.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), guide| {
                (low.min(guide.position.into()), high.max(guide.position.into()))
            });
        if guides.guide.is_empty() {
            return Self::default();
        }
        let mut side = guide_radius;
        let cells = |side: f32| ((high - low).as_dvec3() / f64::from(side)).ceil() + 2.0 * f64::from(RIM);
        while cells(side).element_product() > CELLS_PER_GUIDE * guides.guide.len() as f64 + 4096.0 {
            side *= 1.1;
        }
        let count = cells(side).as_usizevec3().to_array();
        let mut crowding = Self { origin: low - RIM * side, side, count, excess: Vec::new() };
        crowding.excess = crowding.count_grains(grains);
        crowding.subtract_guides(guides, domain, per_guide);
        // A full mass has so many grains per cell.
        let full = per_guide * (side / (2.0 * guide_radius)).powi(3);
        crowding.excess.iter_mut().for_each(|excess| *excess /= full);
        (0..PASSES).for_each(|_| crowding.smooth());
        crowding
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Whole numbers, so that their order does not matter.
    fn count_grains(&self, grains: &[Grain]) -> Vec<f32> {
        let cells: Vec<AtomicU32> = (0..self.count.iter().product()).map(|_| AtomicU32::new(0)).collect();
        grains.par_iter().with_min_len(4096).for_each(|grain| {
            let cell = ((Vec3::from(grain.position) - self.origin) / self.side).floor();
            let end = Vec3::from(self.count.map(|c| c as f32));
            if cell.cmpge(Vec3::ZERO).all() && cell.cmplt(end).all() {
                cells[self.index(cell.as_usizevec3().to_array())].fetch_add(1, Ordering::Relaxed);
            }
        });
        cells.into_iter().map(|count| count.into_inner() as f32).collect()
    }

    fn subtract_guides(&mut self, guides: &GuideGrid, domain: &Domain, per_guide: f32) {
        // Images beyond the end of a period have no grains of their own.
        for guide in guides.guide.iter().filter(|guide| domain.holds(guide.position.into())) {
            // Cell centres are half a side off their corners.
            let at = (Vec3::from(guide.position) - self.origin) / self.side - 0.5;
            let (cell, share) = (at.floor(), at - at.floor());
            let cell = cell.as_usizevec3();
            for k in 0..8 {
                let step = [k & 1, k >> 1 & 1, k >> 2];
                let weight: f32 =
                    (0..3).map(|a| if step[a] == 1 { share[a] } else { 1.0 - share[a] }).product();
                let index = self.index([cell.x + step[0], cell.y + step[1], cell.z + step[2]]);
                self.excess[index] -= per_guide * weight;
            }
        }
    }

    /// One pass of the filter along every axis; nothing is beyond the ends.
    fn smooth(&mut self) {
        let strides = [1, self.count[0], self.count[0] * self.count[1]];
        for (axis, stride) in strides.into_iter().enumerate() {
            let (count, from) = (self.count, std::mem::take(&mut self.excess));
            let value = |k: usize| {
                let c = k / stride % count[axis];
                let before = if c > 0 { from[k - stride] } else { 0.0 };
                let after = if c + 1 < count[axis] { from[k + stride] } else { 0.0 };
                0.25 * (before + 2.0 * from[k] + after)
            };
            self.excess = (0..from.len()).into_par_iter().with_min_len(4096).map(value).collect();
        }
    }

    /// The way [m] that evens grains out at a point; none outside.
    pub fn way(&self, x: Vec3) -> Vec3 {
        let at = (x - self.origin) / self.side - 0.5;
        let cell = at.floor();
        let end = Vec3::from(self.count.map(|c| c as f32)) - 1.0;
        if self.excess.is_empty() || !(cell.cmpge(Vec3::ZERO).all() && cell.cmplt(end).all()) {
            return Vec3::ZERO;
        }
        let t = at - cell;
        let corner = self.index(cell.as_usizevec3().to_array());
        let (dy, dz) = (self.count[0], self.count[0] * self.count[1]);
        let e = [0, 1, dy, dy + 1, dz, dz + 1, dz + dy, dz + dy + 1].map(|step| self.excess[corner + step]);
        let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
        let slope = Vec3::new(
            mix(mix(e[1] - e[0], e[3] - e[2], t.y), mix(e[5] - e[4], e[7] - e[6], t.y), t.z),
            mix(mix(e[2] - e[0], e[3] - e[1], t.x), mix(e[6] - e[4], e[7] - e[5], t.x), t.z),
            mix(mix(e[4] - e[0], e[5] - e[1], t.x), mix(e[6] - e[2], e[7] - e[3], t.x), t.y),
        );
        -super::cells::tune(9, DIFFUSION) * self.side * slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upsample::{Guide, Tile};

    fn guides() -> GuideGrid {
        let place = |k: usize| [k % 12, k / 12 % 12, k / 144].map(|c| 2.0 * c as f32 + 1.0);
        let guides = (0..1728).map(|k| Guide { position: place(k), ..Guide::default() }).collect();
        GuideGrid::new(guides, 1.0, &Default::default())
    }

    fn grains(keep: impl Fn(Vec3) -> bool + Sync) -> Vec<Grain> {
        let shape = crate::boundary::Shape::Box { min: [0.0; 3], max: [24.0; 3], hollow: false };
        let points = Tile::new(0.3, 3).fill(&crate::boundary::Sdf::new(&shape).unwrap(), keep);
        points.into_iter().map(|x| Grain { position: x.into(), ..Grain::default() }).collect()
    }

    fn per_guide() -> f32 {
        8.0 * Tile::new(0.3, 3).density() as f32
    }

    #[test]
    fn a_full_mass_is_left_alone() {
        let crowding = Crowding::new(&grains(|_| true), &guides(), &Domain::default(), 1.0, per_guide());
        let way = crowding.way(Vec3::splat(12.3)).length();
        assert!(way < 0.01, "{way}");
    }

    #[test]
    fn grains_move_into_a_gap() {
        let gap = |x: Vec3| (x - Vec3::splat(12.0)).length() > 3.0;
        let crowding = Crowding::new(&grains(gap), &guides(), &Domain::default(), 1.0, per_guide());
        let way = crowding.way(Vec3::new(15.2, 12.0, 12.0));
        assert!(way.x < -0.05 && way.x.abs() > 3.0 * way.y.abs().max(way.z.abs()), "{way}");
    }
}
