//! Guides in a grid of cells, and sums of their weights at points.

use glam::{DVec3, Vec3};

use super::grain_lanes::{difference, square};
use super::guide_columns::GuideColumns;
use super::guides::Guide;
use super::weights::{FULL_SUM, SUPPORT, weight};
use crate::neighbors::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, first_lanes, largest, splat3, total};

/// Coverage above which a point between guides that are not on a lattice is inside them: a choice
/// between the 0.5 of a flat surface and the 1 inside, which matters only when shapes are filled.
const BETWEEN: f32 = 0.7;

/// Guides sorted into cells of their support.
///
/// Cells have a rim of empty ones around them, so the three cells of a row around any point are one range. Where space
/// is periodic, guides near its ends stand beyond the other end once more.
#[derive(Clone, Debug, Default)]
pub struct GuideGrid {
    /// Lowest corner of the rim \[m\].
    pub origin: Vec3,
    /// Side of a cell \[m\]: the support.
    pub side: f32,
    /// Cells along each axis, with the rim.
    pub count: [u32; 3],
    /// First guide of each cell, and the number of guides at the end.
    pub start: Vec<u32>,
    /// Guides by cell.
    pub guide: Vec<Guide>,
    /// The same in columns.
    pub columns: GuideColumns,
    /// Support of the weights of the largest guides \[m\].
    pub support: f32,
}

/// Most cells of a grid.
pub const MOST_CELLS: f64 = (1u32 << 23) as f64;

impl GuideGrid {
    /// Sorts guides of a radius [m], where they have none of their own, into cells of the largest support. Where they are so far apart that there would be too many cells, those
    /// farthest from the middle are left out: strays do not matter to the others.
    pub fn new(mut guides: Vec<Guide>, radius: f32, domain: &Domain) -> Self {
        guides.iter_mut().filter(|guide| guide.radius == 0.0).for_each(|guide| guide.radius = radius);
        let largest = guides.iter().map(|guide| guide.radius).reduce(f32::max);
        let support = SUPPORT * largest.unwrap_or(radius);
        repeat_periodically(&mut guides, support, domain);
        let (low, high) = fitting_box(&mut guides, support);
        let count = cells_between(low, high, support).as_uvec3().to_array();
        let mut grid = Self { origin: low - support, side: support, count, support, ..Self::default() };
        grid.fill(&guides);
        grid
    }

    fn fill(&mut self, guides: &[Guide]) {
        let cell_count = self.count.iter().map(|&c| c as usize).product::<usize>();
        let key: Vec<u32> = guides.iter().map(|g| self.index(self.cell(g.position.into()))).collect();
        self.start = vec![0; cell_count + 1];
        key.iter().for_each(|&k| self.start[k as usize + 1] += 1);
        for k in 1..self.start.len() {
            self.start[k] += self.start[k - 1];
        }
        let mut next = self.start.clone();
        self.guide = vec![Guide::default(); guides.len()];
        for (guide, &k) in guides.iter().zip(&key) {
            self.guide[next[k as usize] as usize] = *guide;
            next[k as usize] += 1;
        }
        self.columns = GuideColumns::new(&self.guide, self.support);
    }

    /// The cell of a point; those outside belong to the outermost inner cells.
    #[inline(always)]
    pub fn cell(&self, x: Vec3) -> [u32; 3] {
        // From 1 on, so that whole parts are below.
        let cell = ((x - self.origin) / self.side).max(Vec3::ONE);
        let inner = |k: usize| (cell[k] as u32).min(self.count[k] - 2);
        [inner(0), inner(1), inner(2)]
    }

    #[inline(always)]
    fn index(&self, [x, y, z]: [u32; 3]) -> u32 {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// The rows of cells around one that is not in the rim: their first guides, and those after their last.
    #[inline(always)]
    pub fn rows_around(&self, [x, y, z]: [u32; 3]) -> [[u32; 2]; 9] {
        let mut rows = [[0; 2]; 9];
        for (k, row) in rows.iter_mut().enumerate() {
            let first = self.index([x - 1, y + k as u32 % 3 - 1, z + k as u32 / 3 - 1]) as usize;
            *row = [self.start[first], self.start[first + 3]];
        }
        rows
    }

    /// Guides that may be nearer than the support to a point.
    #[inline(always)]
    pub fn around(&self, x: Vec3) -> impl Iterator<Item = &Guide> {
        let rows = self.rows_around(self.cell(x)).into_iter();
        rows.flat_map(|[from, to]| &self.guide[from as usize..to as usize])
    }

    /// Whether a point lies in the volume that guides stand for: the cube of one of them, or between many.
    pub fn holds(&self, x: Vec3) -> bool {
        let (mut held, mut sum) = (false, 0.0);
        for guide in self.around(x) {
            held |= (x - Vec3::from(guide.position)).abs().max_element() <= guide.radius;
            sum += self.weight_of(guide, x);
        }
        held || sum > BETWEEN * FULL_SUM
    }

    /// Weight of a guide at a point, within its own support.
    #[inline(always)]
    pub fn weight_of(&self, guide: &Guide, x: Vec3) -> f32 {
        let inverse = 1.0 / (self.support * self.support);
        weight(x.distance_squared(guide.position.into()) * inverse * guide.shrinking(self.support))
    }

    /// Sums and largest of the guides' weights at sixteen points of a cell that is not in the rim; any at other points.
    #[inline(always)]
    pub(super) fn weights_at_all<L: Lanes>(&self, x: &[L; 3], cell: [u32; 3]) -> (L, L) {
        let inverse = L::splat(1.0 / (self.support * self.support));
        let (mut sum, mut most) = (L::splat(0.0), L::splat(0.0));
        for [from, to] in self.rows_around(cell) {
            for k in from as usize..to as usize {
                let (p, own) = (splat3::<L>(self.guide[k].position), L::splat(self.columns.shrinking_of(k)));
                let w = weight(square(difference(*x, p)) * inverse * own);
                (sum, most) = (sum + w, most.at_least(w));
            }
        }
        (sum, most)
    }

    /// Sum and largest of the guides' weights at a point.
    pub fn weights_at(&self, x: Vec3, instructions: Instructions) -> (f32, f32) {
        instructions.run(WeightsAt { grid: self, x })
    }

    /// The same, sixteen guides at a time.
    #[inline(always)]
    pub fn weights<L: Lanes>(&self, x: Vec3) -> (f32, f32) {
        let at = splat3::<L>(x.to_array());
        let inverse = L::splat(1.0 / (self.support * self.support));
        let (mut sum, mut most) = (L::splat(0.0), L::splat(0.0));
        for [from, to] in self.rows_around(self.cell(x)) {
            for first in (from as usize..to as usize).step_by(LANES) {
                let p = self.columns.position::<L>(first);
                let d = [at[0] - p[0], at[1] - p[1], at[2] - p[2]];
                let own = self.columns.shrinking::<L>(first);
                let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse * own);
                let w = w.keep(first_lanes(to as usize - first));
                (sum, most) = (sum + w, most.at_least(w));
            }
        }
        (total(sum), largest(most))
    }
}

/// Sum and largest of the weights at a point.
struct WeightsAt<'a> {
    grid: &'a GuideGrid,
    x: Vec3,
}

impl Vectorised for WeightsAt<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (f32, f32) {
        self.grid.weights::<L>(self.x)
    }
}

/// Cells of a side \[m\] between two corners, with the rim.
fn cells_between(low: Vec3, high: Vec3, side: f32) -> DVec3 {
    ((high - low).as_dvec3() / f64::from(side)).floor() + 3.0
}

/// The box around guides \[m\]; leaves out the farthest along its longest axis until the cells are not too many.
fn fitting_box(guides: &mut Vec<Guide>, side: f32) -> (Vec3, Vec3) {
    loop {
        let positions = guides.iter().map(|guide| Vec3::from(guide.position));
        let (low, high) =
            positions.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if guides.is_empty() {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        if cells_between(low, high, side).element_product() <= MOST_CELLS {
            return (low, high);
        }
        let axis = (high - low).max_position();
        let mut along: Vec<f32> = guides.iter().map(|guide| guide.position[axis]).collect();
        let half = along.len() / 2;
        let middle = *along.select_nth_unstable_by(half, f32::total_cmp).1;
        let reach = 0.45 * (high - low)[axis];
        guides.retain(|guide| (guide.position[axis] - middle).abs() <= reach);
    }
}

/// Adds the images of guides that are nearer than `reach` \[m\] to an end of a period.
fn repeat_periodically(guides: &mut Vec<Guide>, reach: f32, domain: &Domain) {
    for axis in 0..3 {
        let Some((origin, length)) = domain.period(axis) else { continue };
        for k in 0..guides.len() {
            let x = guides[k].position[axis] - origin;
            for (near, shift) in [(x < reach, length), (x > length - reach, -length)] {
                if near {
                    let mut image = guides[k];
                    image.position[axis] += shift;
                    guides.push(image);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(n: usize, displacement: impl Fn(Vec3) -> Vec3) -> Vec<Guide> {
        (0..n * n * n)
            .map(|k| {
                let x = 2.0 * Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32);
                Guide {
                    position: x.into(),
                    displacement: displacement(x).into(),
                    moves: 1.0,
                    ..Guide::default()
                }
            })
            .collect()
    }

    #[test]
    fn weights_in_columns_are_those_of_the_guides_one_by_one() {
        let mut random = crate::random::Random::new(5);
        let mut point = || Vec3::new(random.unit(), random.unit(), random.unit()) * 6.0;
        // Many in a cell, so that rows are longer than sixteen; the last row ends with the columns.
        let guides: Vec<Guide> =
            (0..3000).map(|_| Guide { position: point().into(), ..Guide::default() }).collect();
        let grid = GuideGrid::new(guides, 0.3, &Domain::default());
        let last = Vec3::from(grid.guide[grid.guide.len() - 1].position);
        let positions = (0..200).map(|_| 1.4 * point() - 1.0).collect::<Vec<_>>();
        let mut found = 0;
        for x in positions.into_iter().chain([last, grid.guide[0].position.into(), Vec3::splat(1e6)]) {
            let weights = grid.guide.iter().map(|guide| {
                weight(x.distance_squared(guide.position.into()) / (grid.support * grid.support))
            });
            let (sum, most) = weights.fold((0.0, 0.0f32), |(sum, most), w| (sum + w, most.max(w)));
            let best = grid.weights_at(x, Instructions::best());
            assert!(
                (best.0 - sum).abs() <= 1e-4 * sum && (best.1 - most).abs() < 1e-5,
                "{x}: {best:?} {sum}"
            );
            for instructions in Instructions::ALL.into_iter().filter(|set| set.available()) {
                assert_eq!(grid.weights_at(x, instructions), best);
            }
            found += u32::from(sum > 0.0);
        }
        assert!(found > 60, "{found}");
    }

    /// Half of space has guides of a radius of 1, half those of a half: inside both the weights add up to the same, as each weighs
    /// within three of its own radii.
    #[test]
    fn small_guides_weigh_as_much_together_as_large_ones() {
        let mut guides = lattice(8, |_| Vec3::ZERO);
        let half = Vec3::new(30.0, 0.0, 0.0);
        let small = |guide: &Guide| {
            let position = (half + 0.5 * Vec3::from(guide.position)).to_array();
            Guide { position, radius: 0.5, ..*guide }
        };
        let small: Vec<Guide> = guides.iter().map(small).collect();
        guides.extend(small);
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        assert_eq!(grid.support, SUPPORT);
        let mean = |from: Vec3, step: f32| {
            let at = |k: usize| from + step * Vec3::new((k % 8) as f32, (k / 8 % 8) as f32, (k / 64) as f32);
            let sums: f32 = (0..512).map(|k| grid.weights_at(at(k), Instructions::best()).0).sum();
            sums / 512.0
        };
        let (large, small) = (mean(Vec3::splat(6.0), 0.25), mean(half + 3.0, 0.125));
        assert!(
            (large / FULL_SUM - 1.0).abs() < 0.01 && (small / FULL_SUM - 1.0).abs() < 0.01,
            "{large} {small}"
        );
        let beyond = half + Vec3::new(-1.6, 3.0, 3.0);
        assert_eq!(grid.weights_at(beyond, Instructions::best()).0, 0.0);
        assert!(grid.weights_at(Vec3::new(-1.6, 6.0, 6.0), Instructions::best()).0 > 0.0);
    }

    #[test]
    fn every_guide_within_the_support_is_around() {
        let mut random = crate::random::Random::new(3);
        let mut point = || Vec3::new(random.unit(), random.unit(), random.unit()) * 9.0;
        let guides: Vec<Guide> =
            (0..400).map(|_| Guide { position: point().into(), ..Guide::default() }).collect();
        let grid = GuideGrid::new(guides.clone(), 0.4, &Domain::default());
        for _ in 0..50 {
            let x = 1.4 * point() - 1.0;
            let near = |g: &Guide| Vec3::from(g.position).distance(x) < grid.support;
            let found = grid.around(x).filter(|g| near(g)).count();
            assert_eq!(found, guides.iter().filter(|g| near(g)).count(), "{x}");
        }
    }

    #[test]
    fn a_stray_guide_is_left_out_and_the_others_stay() {
        let mut guides = lattice(3, |_| Vec3::ZERO);
        guides.push(Guide { position: [1e6, 1e6, -1e6], ..Guide::default() });
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        assert!(grid.start.len() as f64 <= MOST_CELLS + 1.0);
        assert_eq!((grid.guide.len(), grid.side), (27, SUPPORT));
    }

    #[test]
    fn guides_beyond_the_end_of_a_period_are_seen() {
        let domain = Domain::new([Some([0.0, 20.0]), None, None]);
        let guides = vec![Guide { position: [19.5, 0.0, 0.0], ..Guide::default() }];
        let grid = GuideGrid::new(guides, 1.0, &domain);
        let x = Vec3::new(0.5, 0.0, 0.0);
        assert!(grid.around(x).any(|guide| Vec3::from(guide.position).distance(x) < 1.5));
    }
}
