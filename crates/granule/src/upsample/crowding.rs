//! Where grains are more, or fewer, than their guides are worth, and which way leads out of it.
//!
//! ```text
//! e = grains / full - target(guides / full)      u = -c s^2 grad e
//! ```
//! Grains are counted on cells of side `s`, half a guide's radius, guides on cells of a radius, each smoothed over about
//! its own spacing. Smoothed guides cross one half at the surface of their mass, and the target is a steeper step there:
//! what guides are worth lies inside, evenly. The way `u` evens grains out, as diffusion does: crowds spread and gaps
//! close.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::guides::GuideGrid;
use crate::neighbors::Domain;

/// Passes of the filter (1, 2, 1)/4 along every axis: a width of 1.2 cells.
const PASSES: usize = 3;

/// Cells around the guides, for the filter.
const RIM: f32 = 4.0;

/// Most cells per guide; scattered guides get larger cells.
const CELLS_PER_GUIDE: f64 = 512.0;

/// Side of the cells of grains, in radii of a guide.
const FINE_SIDE: f32 = 0.5;

/// Diffusion per application, in cells squared; the filter keeps it stable up to 4.
const DIFFUSION: f32 = 2.0;

/// Part of a full mass of guides outside of which there are no grains, and inside of which there are all.
const SURFACE: [f32; 2] = [0.3, 0.7];

/// Part of a full mass of guides below which grains are left alone.
const LEAST: f32 = 0.05;

/// Numbers on cells.
#[derive(Clone, Debug, Default)]
struct Field {
    origin: Vec3,
    side: f32,
    count: [usize; 3],
    value: Vec<f32>,
    /// Rows along x that guides are near to; the others stay 0.
    near: Vec<bool>,
}

impl Field {
    /// Empty cells around all guides.
    fn around(guides: &GuideGrid, side: f32, rim: f32) -> Self {
        let (low, high) =
            guides.guide.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), guide| {
                (low.min(guide.position.into()), high.max(guide.position.into()))
            });
        if guides.guide.is_empty() {
            return Self::default();
        }
        let mut side = side;
        let cells = |side: f32| ((high - low).as_dvec3() / f64::from(side)).ceil() + 2.0 * f64::from(rim);
        while cells(side).element_product() > CELLS_PER_GUIDE * guides.guide.len() as f64 + 32768.0 {
            side *= 1.1;
        }
        let count = cells(side).as_usizevec3().to_array();
        let value = vec![0.0; count.iter().product()];
        let near = vec![false; count[1] * count[2]];
        let mut field = Self { origin: low - rim * side, side, count, value, near };
        field.mark_rows(guides, rim as isize);
        field
    }

    /// Marks the rows within so many cells of a guide.
    fn mark_rows(&mut self, guides: &GuideGrid, reach: isize) {
        let [_, ny, nz] = self.count;
        for guide in &guides.guide {
            let cell = ((Vec3::from(guide.position) - self.origin) / self.side).floor();
            let rows = |at: f32, end: usize| {
                let at = at as isize;
                (at - reach).max(0) as usize..((at + reach + 1).max(0) as usize).min(end)
            };
            for z in rows(cell.z, nz) {
                let y = rows(cell.y, ny);
                self.near[z * ny + y.start..z * ny + y.end].fill(true);
            }
        }
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Place of a point among the centres of cells, in cells: the corner before it and how far beyond; none outside.
    fn locate(&self, x: Vec3) -> Option<(usize, Vec3)> {
        let at = (x - self.origin) / self.side - 0.5;
        let cell = at.floor();
        let end = Vec3::from(self.count.map(|c| c as f32)) - 1.0;
        let inside = cell.cmpge(Vec3::ZERO).all() && cell.cmplt(end).all();
        inside.then(|| (self.index(cell.as_usizevec3().to_array()), at - cell))
    }

    /// Steps from a corner to the eight around a point.
    fn steps(&self) -> [usize; 8] {
        let (y, z) = (self.count[0], self.count[0] * self.count[1]);
        [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1]
    }

    /// Counts grains. Whole numbers, so that their order does not matter.
    fn count_grains(&mut self, grains: &[Grain]) {
        let cells: Vec<AtomicU32> = self.value.iter().map(|_| AtomicU32::new(0)).collect();
        let end = Vec3::from(self.count.map(|c| c as f32));
        grains.par_iter().with_min_len(4096).for_each(|grain| {
            let cell = ((Vec3::from(grain.position) - self.origin) / self.side).floor();
            if cell.cmpge(Vec3::ZERO).all() && cell.cmplt(end).all() {
                cells[self.index(cell.as_usizevec3().to_array())].fetch_add(1, Ordering::Relaxed);
            }
        });
        self.value = cells.into_iter().map(|count| count.into_inner() as f32).collect();
    }

    /// Adds guides, each shared by the eight cells around it. Images beyond the end of a period do not count.
    fn add_guides(&mut self, guides: &GuideGrid, domain: &Domain) {
        let steps = self.steps();
        for guide in guides.guide.iter().filter(|guide| domain.holds(guide.position.into())) {
            let Some((corner, t)) = self.locate(guide.position.into()) else { continue };
            for (k, step) in steps.into_iter().enumerate() {
                let part = |axis: usize| if k >> axis & 1 == 1 { t[axis] } else { 1.0 - t[axis] };
                self.value[corner + step] += part(0) * part(1) * part(2);
            }
        }
    }

    /// Smooths and multiplies; nothing is beyond the ends.
    fn smooth(&mut self, factor: f32) {
        let mut from = vec![0.0; self.value.len()];
        for pass in 0..PASSES {
            for axis in 0..3 {
                std::mem::swap(&mut from, &mut self.value);
                self.filter(&from, axis, if pass == 0 && axis == 0 { 0.25 * factor } else { 0.25 });
            }
        }
    }

    /// One pass of the filter along one axis, by rows.
    fn filter(&mut self, from: &[f32], axis: usize, scale: f32) {
        let [nx, ny, nz] = self.count;
        let near = &self.near;
        self.value.par_chunks_mut(nx.max(1)).with_min_len(64).enumerate().for_each(|(row, out)| {
            if !near[row] {
                out.fill(0.0);
                return;
            }
            let own = &from[row * nx..(row + 1) * nx];
            if axis == 0 {
                let last = nx - 1;
                out[0] = scale * (2.0 * own[0] + own[1.min(last)]);
                out[last] = scale * (2.0 * own[last] + own[last.saturating_sub(1)]);
                for (out, three) in out[1..].iter_mut().zip(own.windows(3)) {
                    *out = scale * (three[0] + 2.0 * three[1] + three[2]);
                }
                return;
            }
            let (y, z) = (row % ny, row / ny);
            let (at, end, step) = if axis == 1 { (y, ny, 1) } else { (z, nz, ny) };
            // At an end the row itself stands for the one beyond, without weight.
            let before = if at > 0 { (row - step, 1.0) } else { (row, 0.0) };
            let after = if at + 1 < end { (row + step, 1.0) } else { (row, 0.0) };
            let [a, b] = [before, after].map(|(row, weight)| (&from[row * nx..(row + 1) * nx], weight));
            for (k, out) in out.iter_mut().enumerate() {
                *out = scale * (a.1 * a.0[k] + 2.0 * own[k] + b.1 * b.0[k]);
            }
        });
    }

    /// The value at a point; 0 outside.
    fn at(&self, x: Vec3) -> f32 {
        let Some((corner, t)) = self.locate(x) else { return 0.0 };
        let v = self.steps().map(|step| self.value[corner + step]);
        let low = mix(mix(v[0], v[1], t.x), mix(v[2], v[3], t.x), t.y);
        let high = mix(mix(v[4], v[5], t.x), mix(v[6], v[7], t.x), t.y);
        mix(low, high, t.z)
    }

    /// Differences of the values from cell to cell at a point; 0 outside.
    fn slope(&self, x: Vec3) -> Vec3 {
        let Some((corner, t)) = self.locate(x) else { return Vec3::ZERO };
        let e = self.steps().map(|step| self.value[corner + step]);
        Vec3::new(
            mix(mix(e[1] - e[0], e[3] - e[2], t.y), mix(e[5] - e[4], e[7] - e[6], t.y), t.z),
            mix(mix(e[2] - e[0], e[3] - e[1], t.x), mix(e[6] - e[4], e[7] - e[5], t.x), t.z),
            mix(mix(e[4] - e[0], e[5] - e[1], t.x), mix(e[6] - e[2], e[7] - e[3], t.x), t.y),
        )
    }
}

fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

/// Excess of grains over what guides are worth.
#[derive(Clone, Debug, Default)]
pub struct Crowding {
    /// Guides relative to a full mass.
    guides: Field,
    /// Excess of grains relative to a full mass.
    excess: Field,
}

impl Crowding {
    /// Counts grains and guides of a radius [m]; `per_guide` is the number of grains that a guide is worth.
    pub fn new(
        grains: &[Grain],
        guides: &GuideGrid,
        domain: &Domain,
        guide_radius: f32,
        per_guide: f32,
    ) -> Self {
        let mut field = Field::around(guides, guide_radius, RIM);
        field.add_guides(guides, domain);
        let guides_per_cell = |side: f32| (side / (2.0 * guide_radius)).powi(3);
        field.smooth(1.0 / guides_per_cell(field.side).max(f32::MIN_POSITIVE));
        let mut excess = Field::around(guides, FINE_SIDE * guide_radius, RIM / FINE_SIDE);
        excess.count_grains(grains);
        excess.smooth(1.0 / (per_guide * guides_per_cell(excess.side)).max(f32::MIN_POSITIVE));
        let [from, to] = SURFACE;
        let (origin, side, [nx, ny, _]) = (excess.origin, excess.side, excess.count);
        let near = &excess.near;
        let rows = excess.value.par_chunks_mut(nx.max(1)).with_min_len(64).enumerate();
        rows.filter(|(row, _)| near[*row]).for_each(|(row, values)| {
            for (k, value) in values.iter_mut().enumerate() {
                let cell = Vec3::new(k as f32, (row % ny) as f32, (row / ny) as f32);
                let part = field.at(origin + side * (cell + 0.5));
                *value -= ((part - from) / (to - from)).clamp(0.0, 1.0);
            }
        });
        Self { guides: field, excess }
    }

    /// Whether there are guides around a point.
    pub fn guided(&self, x: Vec3) -> bool {
        self.guides.at(x) > LEAST
    }

    /// The way [m] that evens grains out at a point.
    pub fn way(&self, x: Vec3) -> Vec3 {
        -DIFFUSION * self.excess.side * self.excess.slope(x)
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

    fn crowding(keep: impl Fn(Vec3) -> bool + Sync) -> Crowding {
        let shape = crate::boundary::Shape::Box { min: [0.0; 3], max: [24.0; 3], hollow: false };
        let tile = Tile::new(0.3, 3);
        let points = tile.fill(&crate::boundary::Sdf::new(&shape).unwrap(), keep);
        let grain = |x: Vec3| Grain { position: x.into(), ..Grain::default() };
        let grains: Vec<Grain> = points.into_iter().map(grain).collect();
        Crowding::new(&grains, &guides(), &Domain::default(), 1.0, 8.0 * tile.density() as f32)
    }

    #[test]
    fn a_full_mass_is_left_alone() {
        let crowding = crowding(|_| true);
        let places = (0..50).map(|k| Vec3::new(4.0 + 0.3 * k as f32, 12.3, 11.0));
        let mean = places.map(|x| crowding.way(x).length()).sum::<f32>() / 50.0;
        assert!(mean < 0.08, "{mean}");
    }

    #[test]
    fn grains_move_into_a_gap() {
        let crowding = crowding(|x| (x - Vec3::splat(12.0)).length() > 3.0);
        let way = crowding.way(Vec3::new(15.0, 12.0, 12.0));
        assert!(way.x < -0.1 && way.x.abs() > 3.0 * way.y.abs().max(way.z.abs()), "{way}");
    }

    #[test]
    fn far_from_guides_nothing_is_evened_out() {
        let crowding = crowding(|_| true);
        assert!(!crowding.guided(Vec3::splat(40.0)) && crowding.guided(Vec3::splat(23.5)));
    }
}
