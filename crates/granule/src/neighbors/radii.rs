//! Neighbour lists of particles with radii of their own: pairs nearer than r_i + r_j + skin.
//!
//! Particles are sorted by level and cell ([`LevelIndex`]). A run of particles side by side in one row of cells shares its
//! candidates of the own and all coarser levels: they are gathered once, less those too far from the run's bounds, and
//! then tested sixteen at a time for every particle of the run. Finer levels hold many particles around a large one; each
//! large particle looks through the rows of cells that its own sphere touches. Lists ascend.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::LevelIndex;
use super::cells::Look;
use super::domain::Domain;
use super::levels::{Bounds, Ranges};
use super::lists::Coordinates;
use super::slots::{LaneLists, NeighborBlock, Payload};
use crate::simd::{LANES, Lanes, Vectorised, splat3};

/// How much farther than a reach cells are looked up, relative to it: more than the rounding of squares and sums.
const REACH_SLACK: f64 = 1e-6;

/// The same relative to the largest number that a difference of coordinates is made of, where it is not exact.
const COORDINATE_SLACK: f32 = 4e-7;

/// Largest gap between the cells of two particles of a run.
const LARGEST_GAP: u32 = 4;

/// Memory for candidates.
#[derive(Default)]
pub(super) struct Candidates {
    ranges: Ranges,
    /// Looks around runs and around single particles, per level.
    looks: Vec<[Look; 2]>,
    index: Vec<u32>,
    /// Coordinates and listed radius \[m\], sixteen numbers longer than there are candidates.
    columns: [Vec<f32>; 4],
}

/// What lists by radii are made from.
#[derive(Clone, Copy)]
pub(super) struct RadiiSearch<'a> {
    pub(super) levels: &'a LevelIndex,
    pub(super) domain: &'a Domain,
    pub(super) coordinates: &'a Coordinates,
}

/// Builds the lists of a block.
pub(super) struct BuildByRadii<'a, P> {
    pub(super) search: RadiiSearch<'a>,
    pub(super) block: &'a mut NeighborBlock<P>,
    pub(super) range: Range<usize>,
    pub(super) found: &'a mut LaneLists,
    pub(super) candidates: &'a mut Candidates,
}

impl<P: Payload> Vectorised for BuildByRadii<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        if self.search.domain.is_periodic() {
            self.build::<L, true>();
        } else {
            self.build::<L, false>();
        }
    }
}

impl<P: Payload> BuildByRadii<'_, P> {
    #[inline(always)]
    fn build<L: Lanes, const PERIODIC: bool>(self) {
        let Self { search, block, range, found, candidates } = self;
        block.clear();
        let mut cursor = Cursor::new(search.levels, range.start);
        for group in range.clone().step_by(LANES) {
            found.clear();
            let end = (group + LANES).min(range.end);
            let mut first = group;
            while first < end {
                let run = cursor.run(first, end);
                let bounds = search.bounds_of(&run);
                search.gather::<L, PERIODIC>(&bounds, candidates);
                for i in run.particles.clone() {
                    search.find::<L, PERIODIC>(i, candidates, found, i - group);
                    search.find_finer::<L, PERIODIC>(i, run.level, candidates, found, i - group);
                }
                first = run.particles.end;
            }
            block.push_group::<L>(found);
        }
    }
}

/// Particles that follow each other in one row of a level's cells.
struct Run {
    level: usize,
    particles: Range<usize>,
}

/// The cell of a particle, for particles in ascending order.
struct Cursor<'a> {
    levels: &'a LevelIndex,
    level: usize,
    cell: usize,
}

impl<'a> Cursor<'a> {
    fn new(levels: &'a LevelIndex, particle: usize) -> Self {
        let level = levels.level_of_particle(particle);
        Self { levels, level, cell: levels.levels[level].cells.cell_of_particle(particle) }
    }

    /// The run from a particle on, up to another one; both not before those of the last call.
    fn run(&mut self, first: usize, end: usize) -> Run {
        while first >= self.levels.levels[self.level].particles.end as usize {
            self.level += 1;
            self.cell = 0;
        }
        let level = &self.levels.levels[self.level];
        let cells = &level.cells;
        while first >= cells.end_of_cell(self.cell) {
            self.cell += 1;
        }
        let end = end.min(level.particles.end as usize);
        let mut last = self.cell;
        while cells.end_of_cell(last) < end && cells.follows_in_row(last, LARGEST_GAP) {
            last += 1;
        }
        Run { level: self.level, particles: first..end.min(cells.end_of_cell(last)) }
    }
}

/// Where a run's particles lie, and their largest radius.
struct RunBounds {
    level: usize,
    low: Vec3,
    high: Vec3,
    radius: f32,
}

impl RadiiSearch<'_> {
    fn bounds_of(&self, run: &Run) -> RunBounds {
        let [x, y, z] = &self.coordinates.axis;
        let radius = &self.coordinates.radius;
        let mut bounds =
            RunBounds { level: run.level, low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, radius: 0.0 };
        for i in run.particles.clone() {
            let place = Vec3::new(x[i], y[i], z[i]);
            bounds.low = bounds.low.min(place);
            bounds.high = bounds.high.max(place);
            bounds.radius = bounds.radius.max(radius[i]);
        }
        bounds
    }

    /// Gathers the particles of a run's own and all coarser levels that may be neighbours of some of the run's.
    #[inline(always)]
    fn gather<L: Lanes, const PERIODIC: bool>(&self, run: &RunBounds, candidates: &mut Candidates) {
        candidates.ranges.clear();
        let rounding = f64::from(COORDINATE_SLACK) * self.domain.lengths().as_dvec3();
        candidates.looks.resize_with(self.levels.levels.len(), Default::default);
        for (level, [look, _]) in self.levels.levels[..=run.level].iter().zip(&mut candidates.looks) {
            let reach = f64::from(run.radius + level.radius + self.levels.skin());
            let beyond = DVec3::splat(reach * (1.0 + REACH_SLACK)) + rounding;
            let bounds = Bounds { low: run.low.as_dvec3() - beyond, high: run.high.as_dvec3() + beyond };
            level.in_box(&bounds, look, &mut candidates.ranges);
        }
        let Candidates { ranges, index, columns, .. } = candidates;
        let most: usize = ranges.iter().map(|&(from, to)| (to - from) as usize).sum();
        index.resize(most + LANES, 0);
        let near = NearBox::<L>::new(self, run);
        let mut count = 0;
        for &(from, to) in ranges.iter() {
            for first in (from..to).step_by(LANES) {
                let mask = near.mask::<PERIODIC>(self, first) & first_of(to - first);
                debug_assert!(count + LANES <= index.len());
                // SAFETY: there is room for all candidates and sixteen more.
                count += unsafe { L::push_indices(first, mask, index.as_mut_ptr().add(count)) };
            }
        }
        index.truncate(count);
        let [x, y, z] = &self.coordinates.axis;
        for (column, from) in columns.iter_mut().zip([x, y, z, &self.coordinates.radius]) {
            column.clear();
            column.extend(index.iter().map(|&j| from[j as usize]));
            column.resize(count + LANES, 0.0);
        }
    }

    /// Finds the neighbours of a particle among the candidates.
    #[inline(always)]
    fn find<L: Lanes, const PERIODIC: bool>(
        &self,
        i: usize,
        candidates: &Candidates,
        found: &mut LaneLists,
        lane: usize,
    ) {
        let own = Own::<L>::new(self, i);
        let count = candidates.index.len();
        let itself = candidates.index.binary_search(&(i as u32)).map_or(u32::MAX, |place| place as u32);
        let out = found.room(lane, count);
        let mut neighbors = 0;
        for first in (0..count).step_by(LANES) {
            // SAFETY: the columns are sixteen numbers longer than there are candidates.
            let (place, radius) = unsafe {
                let [x, y, z, radius] = &candidates.columns;
                let place = [load_at::<L>(x, first), load_at::<L>(y, first), load_at::<L>(z, first)];
                (place, load_at::<L>(radius, first))
            };
            let near = own.near::<PERIODIC>(self, place, radius) & first_of((count - first) as u32);
            let near = near & !bit_of(itself, first as u32);
            debug_assert!(neighbors + LANES <= out.len());
            // SAFETY: there is room for all candidates and sixteen more.
            neighbors += unsafe { L::push_indices(first as u32, near, out.as_mut_ptr().add(neighbors)) };
        }
        for place in &mut out[..neighbors] {
            *place = candidates.index[*place as usize];
        }
        found.add(lane, neighbors);
    }

    /// Finds the neighbours of a particle in levels finer than its own.
    #[inline(always)]
    fn find_finer<L: Lanes, const PERIODIC: bool>(
        &self,
        i: usize,
        level: usize,
        candidates: &mut Candidates,
        found: &mut LaneLists,
        lane: usize,
    ) {
        if level + 1 == self.levels.levels.len() {
            return;
        }
        let [x, y, z] = &self.coordinates.axis;
        let center = DVec3::new(x[i].into(), y[i].into(), z[i].into());
        let rounding = COORDINATE_SLACK * self.domain.lengths().max_element();
        let Candidates { ranges, looks, .. } = candidates;
        ranges.clear();
        for (finer, [_, look]) in self.levels.levels.iter().zip(looks).skip(level + 1) {
            let reach = f64::from(self.coordinates.radius[i] + finer.radius + self.levels.skin());
            finer.in_sphere(center, reach * (1.0 + REACH_SLACK) + 2.0 * f64::from(rounding), look, ranges);
        }
        let own = Own::<L>::new(self, i);
        let most = ranges.iter().map(|&(from, to)| (to - from) as usize).sum();
        let out = found.room(lane, most);
        let mut neighbors = 0;
        for &(from, to) in ranges.iter() {
            for first in (from..to).step_by(LANES) {
                let (place, radius) = self.columns::<L>(first);
                let near = own.near::<PERIODIC>(self, place, radius) & first_of(to - first);
                debug_assert!(neighbors + LANES <= out.len());
                // SAFETY: there is room for all candidates and sixteen more.
                neighbors += unsafe { L::push_indices(first, near, out.as_mut_ptr().add(neighbors)) };
            }
        }
        found.add(lane, neighbors);
    }

    /// Coordinates and listed radii of the sixteen particles from `first` on.
    #[inline(always)]
    fn columns<L: Lanes>(&self, first: u32) -> ([L; 3], L) {
        let [x, y, z] = &self.coordinates.axis;
        let (first, radius) = (first as usize, &self.coordinates.radius);
        // SAFETY: `first` is a particle, and the columns are sixteen numbers longer than there are particles.
        unsafe {
            let place = [load_at::<L>(x, first), load_at::<L>(y, first), load_at::<L>(z, first)];
            (place, load_at::<L>(radius, first))
        }
    }
}

/// Sixteen numbers of a column.
///
/// # Safety
/// They must be there.
#[inline(always)]
unsafe fn load_at<L: Lanes>(column: &[f32], first: usize) -> L {
    debug_assert!(first + LANES <= column.len());
    // SAFETY: the caller promises that the numbers are there.
    L::from_array(unsafe { &*column.as_ptr().add(first).cast() })
}

/// The lowest bits, as many as there are particles left.
#[inline(always)]
fn first_of(left: u32) -> u32 {
    if left < LANES as u32 { (1 << left) - 1 } else { (1 << LANES) - 1 }
}

/// The bit of a place among the sixteen from `first` on; none if it is not among them.
#[inline(always)]
fn bit_of(place: u32, first: u32) -> u32 {
    let k = place.wrapping_sub(first);
    if k < LANES as u32 { 1 << k } else { 0 }
}

/// A particle, sixteen times.
struct Own<L> {
    place: [L; 3],
    radius: L,
    skin: L,
}

impl<L: Lanes> Own<L> {
    #[inline(always)]
    fn new(search: &RadiiSearch, i: usize) -> Self {
        let [x, y, z] = &search.coordinates.axis;
        Self {
            place: [L::splat(x[i]), L::splat(y[i]), L::splat(z[i])],
            radius: L::splat(search.coordinates.radius[i]),
            skin: L::splat(search.levels.skin()),
        }
    }

    /// Which particles are nearer than both radii and the skin; the same from both sides.
    #[inline(always)]
    fn near<const PERIODIC: bool>(&self, search: &RadiiSearch, place: [L; 3], radius: L) -> u32 {
        let mut d = [self.place[0] - place[0], self.place[1] - place[1], self.place[2] - place[2]];
        if PERIODIC {
            d = search.domain.nearest_image(d);
        }
        let reach = (self.radius + radius) + self.skin;
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).below(reach * reach)
    }
}

/// The bounds of a run, sixteen times.
///
/// No test of a pair finds it nearer than this test of its candidate: without periods, both round alike, and rounding
/// never swaps larger and smaller numbers.
struct NearBox<L> {
    low: [L; 3],
    high: [L; 3],
    center: [L; 3],
    half: [L; 3],
    radius: L,
    skin: L,
}

impl<L: Lanes> NearBox<L> {
    #[inline(always)]
    fn new(search: &RadiiSearch, run: &RunBounds) -> Self {
        let largest = run.low.abs().max(run.high.abs()).max(search.domain.lengths());
        let center = 0.5 * (run.low + run.high);
        let half = 0.5 * (run.high - run.low) + COORDINATE_SLACK * largest;
        Self {
            low: splat3(run.low.to_array()),
            high: splat3(run.high.to_array()),
            center: splat3(center.to_array()),
            half: splat3(half.to_array()),
            radius: L::splat(run.radius),
            skin: L::splat(search.levels.skin()),
        }
    }

    /// Which of the sixteen particles from `first` on may be near some of the run's.
    #[inline(always)]
    fn mask<const PERIODIC: bool>(&self, search: &RadiiSearch, first: u32) -> u32 {
        let zero = L::splat(0.0);
        let (place, radius) = search.columns::<L>(first);
        let d = if PERIODIC {
            let [x, y, z] = search.domain.nearest_image([
                place[0] - self.center[0],
                place[1] - self.center[1],
                place[2] - self.center[2],
            ]);
            [
                (x.at_least(zero - x) - self.half[0]).at_least(zero),
                (y.at_least(zero - y) - self.half[1]).at_least(zero),
                (z.at_least(zero - z) - self.half[2]).at_least(zero),
            ]
        } else {
            [
                (self.low[0] - place[0]).at_least(place[0] - self.high[0]).at_least(zero),
                (self.low[1] - place[1]).at_least(place[1] - self.high[1]).at_least(zero),
                (self.low[2] - place[2]).at_least(place[2] - self.high[2]).at_least(zero),
            ]
        };
        let reach = (self.radius + radius) + self.skin;
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).below(reach * reach)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec4;
    use proptest::prelude::*;

    use super::super::{NeighborLists, Permutation, brute_force_contacts};
    use super::*;
    use crate::random::Random;
    use crate::simd::Instructions;

    /// Sorts the particles and builds lists with a set of instructions; returns the sorted particles, too.
    fn build(spheres: &[Vec4], domain: &Domain, skin: f32, set: Instructions) -> (Vec<Vec4>, NeighborLists) {
        let mut position = spheres.to_vec();
        let (mut levels, mut order) = (LevelIndex::default(), Permutation::default());
        levels.sort(domain, skin, &position, &mut Vec::new(), &mut order);
        order.apply(&mut position, &mut Vec::new());
        let mut lists = NeighborLists::default();
        let (search, blocks) = lists.begin_by_radii(&levels, domain, &position, set);
        blocks.iter_mut().enumerate().for_each(|(b, block)| search.build(b, block));
        (position, lists)
    }

    /// Lists with every set of instructions are those of brute force, and ascend.
    fn check(spheres: &[Vec4], domain: &Domain, skin: f32) {
        for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
            let (position, lists) = build(spheres, domain, skin, set);
            let found: Vec<Vec<u32>> =
                (0..position.len()).map(|i| lists.of(i).map(|j| j as u32).collect()).collect();
            assert_eq!(found, brute_force_contacts(&position, domain, skin), "{}", set.name());
            assert_eq!(lists.total(), found.iter().map(Vec::len).sum::<usize>());
            for (b, block) in lists.blocks.iter().enumerate() {
                let of_block = found.iter().skip(256 * b).take(256);
                let inside = |j: &u32| block.neighbor_blocks().contains(&(*j as usize / 256));
                assert!(
                    of_block.flatten().all(inside),
                    "all neighbours lie in the blocks that a block names"
                );
            }
        }
    }

    fn open(spheres: &[Vec4], skin: f32) {
        check(spheres, &Domain::default(), skin);
    }

    #[test]
    fn empty_and_single_particle_inputs() {
        open(&[], 0.01);
        open(&[Vec4::new(3.0, 3.0, 3.0, 0.1)], 0.01);
    }

    #[test]
    fn coincident_particles_are_neighbours_of_each_other() {
        open(&[Vec4::new(1.0, 1.0, 1.0, 0.05); 40], 0.01);
        let sizes = (0..60).map(|k| Vec4::new(1.0, 1.0, 1.0, 0.05 * 1.1f32.powi(-k)));
        open(&sizes.collect::<Vec<_>>(), 0.0);
    }

    #[test]
    fn particles_without_size_touch_nothing_without_a_skin() {
        open(&[Vec4::ZERO; 30], 0.0);
        open(&[Vec4::ZERO; 30], 0.1);
        open(&[[Vec4::ZERO; 30].as_slice(), &[Vec4::new(0.0, 0.5, 0.0, 1.0); 3]].concat(), 0.0);
    }

    #[test]
    fn strays_far_out_do_not_hide_pairs() {
        let far = Vec4::new(3.0e7, -4.0e8, 1.0e9, 0.05);
        let near = Vec4::new(0.0, 0.0, 0.0, 0.05);
        let mut spheres = vec![near, far, far, near + Vec4::new(0.09, 0.0, 0.0, -0.03), -far, -far];
        spheres[4..].iter_mut().for_each(|x| x.w = 0.005);
        open(&spheres, 0.02);
        // With enough particles for cells.
        let mut random = Random::new(5);
        spheres.extend((0..200).map(|_| random_place(&mut random, 0.3).extend(0.02 + 0.1 * random.unit())));
        open(&spheres, 0.02);
        spheres.extend((0..40).map(|_| far + random_place(&mut random, 1000.0).extend(0.0)));
        open(&spheres, 0.02);
    }

    fn random_place(random: &mut Random, half: f32) -> Vec3 {
        half * Vec3::new(random.signed(), random.signed(), random.signed())
    }

    #[test]
    fn one_giant_among_many() {
        let mut random = Random::new(11);
        let mut spheres: Vec<Vec4> = (0..600).map(|_| random_place(&mut random, 1.0).extend(0.02)).collect();
        spheres.push(Vec4::new(0.1, 0.2, -0.1, 0.8));
        open(&spheres, 0.004);
        spheres.push(Vec4::new(0.0, 0.0, 0.0, 500.0));
        open(&spheres, 0.004);
        let domain = Domain::new([Some([-1.0, 1.0]), None, Some([-1.0, 1.0])]);
        check(&spheres[..601], &domain, 0.004);
    }

    /// Levels are farther apart in memory than two bytes tell.
    #[test]
    fn lists_of_many_particles_of_two_sizes() {
        let mut random = Random::new(2);
        let mut spheres: Vec<Vec4> =
            (0..90_000).map(|_| random_place(&mut random, 0.5).extend(0.01)).collect();
        spheres.iter_mut().step_by(300).for_each(|x| x.w = 0.1);
        let (position, lists) = build(&spheres, &Domain::default(), 0.001, Instructions::best());
        let mut far = 0;
        for i in (0..position.len()).step_by(131) {
            let near = |j: &usize| {
                let reach = position[i].w + position[*j].w + 0.001;
                let d = (position[i] - position[*j]).truncate();
                *j != i && d.length() < 0.99999 * reach
            };
            let found: Vec<usize> = lists.of(i).collect();
            let missing = (0..position.len()).filter(near).find(|j| found.binary_search(j).is_err());
            assert_eq!(missing, None, "neighbour of {i}");
            far += found.iter().filter(|j| j.abs_diff(i) > 70_000).count();
        }
        assert!(far > 100, "{far} neighbours lie far off in memory");
    }

    /// Spheres with radii from `smallest` on, spread evenly over the logarithms up to `ratio` times as much.
    fn cloud(spread: f32, offset: f32, smallest: f32) -> impl Strategy<Value = Vec<Vec4>> {
        let ratio = prop::sample::select(vec![1.0f32, 1.3, 2.0, 4.0, 10.0]);
        let sphere = (0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0);
        (ratio, prop::collection::vec(sphere, 0..700)).prop_map(move |(ratio, v)| {
            let place = |x, y, z| Vec3::new(x, y, z) * spread + offset;
            v.iter().map(|&(x, y, z, t)| place(x, y, z).extend(smallest * ratio.powf(t))).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]
        #[test]
        fn lists_equal_brute_force(spheres in cloud(1.0, -0.5, 0.01), skin in 0.0f32..0.1) {
            open(&spheres, skin);
        }

        #[test]
        fn lists_equal_brute_force_when_clustered(a in cloud(0.02, 0.0, 0.001), b in cloud(2.0, -1.0, 0.02)) {
            open(&[a, b].concat(), 0.005);
        }

        #[test]
        fn lists_equal_brute_force_far_from_the_origin(spheres in cloud(1.0, 6_000.0, 0.02)) {
            open(&spheres, 0.01);
        }

        #[test]
        fn lists_equal_brute_force_with_periodic_axes(
            spheres in cloud(1.0, 0.0, 0.01), skin in 0.0f32..0.2, x: bool, y: bool, z: bool,
        ) {
            let axis = |on: bool| on.then_some([0.0, 1.0]);
            check(&spheres, &Domain::new([axis(x), axis(y), axis(z)]), skin);
        }

        #[test]
        fn lists_equal_brute_force_in_long_periodic_rows(spheres in cloud(1.0, 0.0, 0.02), skin in 0.0f32..0.02) {
            let spheres: Vec<Vec4> = spheres.iter().map(|s| *s * Vec4::new(8.0, 0.2, 1.0, 1.0)).collect();
            check(&spheres, &Domain::new([Some([0.0, 8.0]), None, Some([0.0, 1.0])]), skin);
        }
    }
}
