//! The search for neighbours: order by cell, and lists that are kept until particles have moved too far for them.
//!
//! A solver goes through a step like this:
//!
//! ```text
//! if search.sort(&params, &position) { reorder all columns by search.order }
//! search.build(&params, &position)         or block by block, with what `begin_lists` gives
//! ... search.lists ...
//! move the particles; search.note_motion(farthest square of search.moved_squared(..))
//! ```

use std::ops::Range;

use glam::{Vec3, Vec4};

use crate::neighbors::{
    BlockSearch, CellIndex, Domain, LevelIndex, NeighborBlock, NeighborLists, Payload, Permutation, Scratch,
};
use crate::simd::Instructions;
use crate::team;

/// Which pairs must be in the lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cutoff {
    /// Those nearer than a distance \[m\], whatever their radii. Lists are ascending per row of cells.
    Distance(f32),
    /// Those that touch: nearer than both radii, of which each particle has its own as the fourth number of its position
    /// \[m\]. Lists are ascending. Positions may be rounded from exact ones: what that could hide is added to the radii
    /// ([`listed_radius`](crate::neighbors::listed_radius)).
    Radii,
    /// Those nearer than both reaches, of which each particle has its own as the fourth number of its position \[m\]: the radius
    /// and how far this particle may move. Lists hold until they are invalidated, for which a solver looks at
    /// [`listed`](Search::listed).
    Reaches,
}

/// What a search needs to know.
#[derive(Clone, Copy, Debug)]
pub struct SearchParams {
    /// Space.
    pub domain: Domain,
    /// Which pairs must be in the lists.
    pub cutoff: Cutoff,
    /// How much farther pairs are listed \[m\], so that lists hold until a particle has moved by half of it. 0: lists are
    /// built anew in every step.
    pub skin: f32,
    /// Instructions to use.
    pub instructions: Instructions,
    /// Whether all rows of cells are searched up to a distance; false only in a negative control.
    pub all_rows: bool,
}

/// Cells, order and neighbour lists, with what a solver keeps per pair.
///
/// Lists are valid from [`begin_lists`](Self::begin_lists) until a particle has moved by half the skin
/// ([`note_motion`](Self::note_motion)) or somebody [invalidates](Self::invalidate) them: wherever particles come, go or are changed
/// between steps, and at the end of a frame, unless checkpoints have what they were made from ([`listed`](Self::listed)).
#[derive(Default)]
pub struct Search<P = ()> {
    /// Cells, with one distance for all.
    cells: CellIndex,
    /// Cells by size, with radii.
    levels: LevelIndex,
    key: Vec<u64>,
    /// Neighbours per particle from a checkpoint, until lists are built.
    restored_count: Vec<u32>,
    /// Order of the last sort.
    pub order: Permutation,
    /// Memory for reordering columns.
    pub scratch: Scratch,
    /// Neighbour lists.
    pub lists: NeighborLists<P>,
    /// Whether particles are still near enough to where they were listed.
    valid: bool,
    /// The skin of the lists \[m\].
    skin: f32,
    /// Positions when neighbours were listed \[m\]; empty without a skin.
    listed_position: Vec<Vec4>,
    /// Row of each particle in the lists, once some were removed since.
    list_row: Option<Vec<u32>>,
}

impl<P: Payload> Search<P> {
    /// Whether lists and order are those of now.
    pub fn is_valid(&self) -> bool {
        self.valid
    }

    /// Forgets the lists: the next step sorts and builds them anew.
    pub fn invalidate(&mut self) {
        self.valid = false;
    }

    /// Finds the order of particles by cell if lists must be built anew, and says whether. Then the caller reorders by
    /// [`order`](Self::order) every column that outlives a step.
    pub fn sort(&mut self, params: &SearchParams, position: &[Vec4]) -> bool {
        if self.valid {
            return false;
        }
        self.restored_count.clear();
        match params.cutoff {
            Cutoff::Distance(distance) => {
                self.cells.assign(&params.domain, distance + params.skin, position, &mut self.key);
                self.order.sort(&mut self.key, self.cells.key_bits());
                self.cells.index(&self.key);
            }
            Cutoff::Radii | Cutoff::Reaches => {
                self.levels.sort(&params.domain, params.skin, position, &mut self.key, &mut self.order);
            }
        }
        self.list_row = None;
        true
    }

    /// Makes ready to list the neighbours of particles that are in order, block by block: a search for blocks, or none
    /// where the lists still hold. Whoever gets a search builds all blocks with it.
    pub fn begin_lists<'a>(
        &'a mut self,
        params: &'a SearchParams,
        position: &[Vec4],
    ) -> (Option<BlockSearch<'a>>, &'a mut [NeighborBlock<P>]) {
        if self.valid {
            return (None, &mut self.lists.blocks);
        }
        self.skin = params.skin;
        self.valid = params.skin > 0.0 || params.cutoff == Cutoff::Reaches;
        self.listed_position.clear();
        if self.valid {
            self.listed_position.extend_from_slice(position);
        }
        let (domain, instructions) = (&params.domain, params.instructions);
        let (search, blocks) = match params.cutoff {
            Cutoff::Distance(distance) => {
                self.cells.search_all_rows(params.all_rows);
                let reach = distance + params.skin;
                self.lists.begin(&self.cells, domain, reach, position, instructions)
            }
            Cutoff::Radii | Cutoff::Reaches => {
                self.lists.begin_by_radii(&self.levels, domain, position, instructions)
            }
        };
        (Some(search), blocks)
    }

    /// Lists the neighbours of particles that are in order, where the lists do not hold any more.
    pub fn build(&mut self, params: &SearchParams, position: &[Vec4]) {
        if let (Some(search), blocks) = self.begin_lists(params, position) {
            team::for_each_mut(blocks, 1, |b, block| search.build(b, block));
        }
    }

    /// Square of how far a particle that is now at `x` has moved since it was listed \[m2\]; 0 without valid lists.
    #[inline]
    pub fn moved_squared(&self, domain: &Domain, particle: usize, x: Vec3) -> f32 {
        self.moved(domain, particle, x).length_squared()
    }

    /// How a particle that is now at `x` has moved since it was listed \[m\]; 0 without valid lists.
    #[inline]
    pub fn moved(&self, domain: &Domain, particle: usize, x: Vec3) -> Vec3 {
        if !self.valid {
            return Vec3::ZERO;
        }
        let from = self.listed_position.get(particle);
        from.map_or(Vec3::ZERO, |from| domain.displacement(x, from.truncate()))
    }

    /// Where particles were when they were listed \[m\], with what they had as the fourth number; empty where lists do not hold.
    pub fn listed(&self) -> &[Vec4] {
        if self.valid { &self.listed_position } else { &[] }
    }

    /// Takes note of the farthest that anything has moved since the lists were built, squared \[m2\], and invalidates them
    /// where it is half the skin or more, or not a number. A solver that keeps what it knows of walls as long as its
    /// lists counts the walls, too.
    pub fn note_motion(&mut self, farthest_squared: f32) {
        let lists_hold = farthest_squared.sqrt() < 0.5 * self.skin;
        self.valid &= lists_hold;
    }

    /// Measures how far particles have moved since they were listed, and [notes](Self::note_motion) it.
    pub fn measure_motion(&mut self, domain: &Domain, position: &[Vec4]) {
        // NaN would vanish in a maximum.
        let larger = |a: f32, b: f32| if a >= b || a.is_nan() { a } else { b };
        let of_block = |_: usize, range: Range<usize>| {
            let moved = range.map(|i| self.moved_squared(domain, i, position[i].truncate()));
            moved.fold(0.0, larger)
        };
        let farthest = team::map_blocks(position.len(), of_block).into_iter().fold(0.0, larger);
        self.note_motion(farthest);
    }

    /// Neighbours of a particle in the last step's lists; 0 for one added since.
    pub fn neighbor_count(&self, particle: usize) -> u32 {
        if let Some(count) = self.restored_count.get(particle) {
            return *count;
        }
        self.row_of(particle).map_or(0, |k| self.lists.neighbor_count(k) as u32)
    }

    fn row_of(&self, particle: usize) -> Option<usize> {
        let row = match &self.list_row {
            Some(rows) => *rows.get(particle)? as usize,
            None => particle,
        };
        (row < self.key.len()).then_some(row)
    }

    /// Keeps track of the particles for which `keep` holds, so that their neighbour counts stay theirs; the lists do not
    /// hold any more.
    pub fn retain(&mut self, keep: &[bool]) {
        let row = |i: usize| self.row_of(i).map_or(u32::MAX, |k| k as u32);
        self.list_row = Some((0..keep.len()).filter(|&i| keep[i]).map(row).collect());
        self.invalidate();
    }

    /// Takes over neighbour counts of a checkpoint; everything else is found anew in every step.
    pub fn restore(&mut self, neighbor_count: Vec<u32>) {
        *self = Self { restored_count: neighbor_count, ..Self::default() };
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.lists.bytes()
            + self.key.capacity() * 8
            + self.listed_position.capacity() * 16
            + self.cells.bytes()
            + self.levels.bytes()
            + self.order.bytes()
            + self.scratch.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use glam::DVec3;

    const CUTOFF: f32 = 0.1;
    const SKIN: f32 = 0.03;

    fn params(skin: f32) -> SearchParams {
        let domain = Domain::new([None, Some([0.0, 1.0]), None]);
        SearchParams {
            domain,
            cutoff: Cutoff::Distance(CUTOFF),
            skin,
            instructions: Instructions::best(),
            all_rows: true,
        }
    }

    fn cloud(random: &mut Random) -> Vec<Vec4> {
        (0..1500).map(|_| Vec3::from_array([(); 3].map(|_| random.unit())).extend(0.0)).collect()
    }

    /// Sorted particles with their lists.
    fn listed(params: &SearchParams) -> (Search, Vec<Vec4>) {
        let mut position = cloud(&mut Random::new(3));
        let mut search = Search::default();
        assert!(search.sort(params, &position));
        search.order.apply(&mut position, &mut Vec::new());
        search.build(params, &position);
        (search, position)
    }

    #[test]
    fn kept_lists_hold_every_pair_until_something_has_moved_by_half_the_skin() {
        let params = params(SKIN);
        let (mut search, mut position) = listed(&params);
        let mut random = Random::new(4);
        for x in &mut position {
            let way = Vec3::from_array([(); 3].map(|_| random.unit() - 0.5));
            let moved = params.domain.wrap(x.truncate() + 0.499 * SKIN * way.normalize());
            *x = moved.extend(x.w);
        }
        search.measure_motion(&params.domain, &position);
        assert!(search.is_valid());
        assert!(!search.sort(&params, &position), "lists that hold need no new order");
        let mut pairs = 0;
        for i in 0..position.len() {
            let near = |j: &usize| {
                let d = params.domain.displacement(position[i].truncate(), position[*j].truncate());
                *j != i && d.length() < CUTOFF
            };
            for j in (0..position.len()).filter(near) {
                assert!(search.lists.of(i).any(|k| k == j), "pair {i}, {j} is missing");
                pairs += 1;
            }
        }
        assert!(pairs > 5000, "{pairs} pairs were looked for");
        position[7].x += 1.1 * SKIN;
        search.measure_motion(&params.domain, &position);
        assert!(!search.is_valid());
        assert!(search.sort(&params, &position));
    }

    #[test]
    fn a_particle_that_crosses_the_period_has_not_moved_far() {
        let params = params(SKIN);
        let (mut search, mut position) = listed(&params);
        let last = (0..position.len()).max_by(|a, b| position[*a].y.total_cmp(&position[*b].y)).unwrap();
        assert!(position[last].y > 1.0 - 0.2 * SKIN);
        let moved = params.domain.wrap(position[last].truncate() + Vec3::new(0.0, 0.3 * SKIN, 0.0));
        assert!(moved.y < 0.1);
        position[last] = moved.extend(0.0);
        search.measure_motion(&params.domain, &position);
        assert!(search.is_valid());
    }

    #[test]
    fn lists_end_with_positions_that_are_not_numbers_with_removals_and_on_demand() {
        let params = params(SKIN);
        let (mut search, mut position) = listed(&params);
        position[1400].z = f32::NAN;
        search.measure_motion(&params.domain, &position);
        assert!(!search.is_valid());
        let (mut search, position) = listed(&params);
        search.retain(&vec![true; position.len()]);
        assert!(!search.is_valid());
        let (mut search, _) = listed(&params);
        search.invalidate();
        assert!(!search.is_valid());
    }

    #[test]
    fn without_a_skin_lists_serve_one_step() {
        let params = params(0.0);
        let (mut search, position) = listed(&params);
        assert!(!search.is_valid());
        assert!(search.begin_lists(&params, &position).0.is_some());
    }

    /// Exact places of grains of 1 mm and smaller around (10, 10, 10) m, and the same rounded, with radii.
    fn far_grains(random: &mut Random) -> (Vec<DVec3>, Vec<Vec4>) {
        let place = |random: &mut Random| DVec3::from_array([(); 3].map(|_| 10.0 + 0.006 * exact(random)));
        let places: Vec<DVec3> = (0..1200).map(|_| place(random)).collect();
        let radius = |i: usize| 0.0005 * 10f32.powf(-((i % 7) as f32) / 6.0);
        let rounded = places.iter().enumerate().map(|(i, x)| x.as_vec3().extend(radius(i))).collect();
        (places, rounded)
    }

    /// Uniform in [0, 1) with 53 bits.
    fn exact(random: &mut Random) -> f64 {
        (random.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Counts the pairs that touch, and asserts that all of them are listed.
    fn count_listed_contacts(search: &Search, place: &[DVec3], position: &[Vec4]) -> usize {
        let mut contacts = 0;
        for i in 0..place.len() {
            let touches = |j: &usize| {
                let sum = f64::from(position[i].w) + f64::from(position[*j].w);
                *j != i && place[i].distance(place[*j]) < sum
            };
            for j in (0..place.len()).filter(touches) {
                assert!(search.lists.of(i).any(|k| k == j), "contact {i}, {j} is missing");
                contacts += 1;
            }
        }
        contacts
    }

    /// At 10 m from the origin f32 knows a place to 1e-6 m, a fiftieth of the smallest radius here.
    #[test]
    fn rounded_positions_far_from_the_origin_hide_no_contact_of_the_exact_ones() {
        for skin in [0.0, 0.0001] {
            let params = SearchParams { domain: Domain::default(), cutoff: Cutoff::Radii, ..params(skin) };
            let (mut place, mut position) = far_grains(&mut Random::new(8));
            // Pairs that touch by less than the rounding.
            for i in (0..place.len()).step_by(2) {
                let sum = f64::from(position[i].w) + f64::from(position[i + 1].w);
                place[i + 1] = place[i] + (sum - 1e-9) * (place[i + 1] - place[i]).normalize();
                position[i + 1] = place[i + 1].as_vec3().extend(position[i + 1].w);
            }
            let mut search: Search = Search::default();
            assert!(search.sort(&params, &position));
            search.order.apply(&mut position, &mut Vec::new());
            search.order.apply(&mut place, &mut Vec::new());
            search.build(&params, &position);
            assert!(count_listed_contacts(&search, &place, &position) > 2000);
            if skin == 0.0 {
                continue;
            }
            // Towards the centre, as far as the lists are said to hold.
            let center = DVec3::splat(10.003);
            for (place, x) in place.iter_mut().zip(&mut position) {
                *place += 0.48 * f64::from(skin) * (center - *place).normalize();
                *x = place.as_vec3().extend(x.w);
            }
            search.measure_motion(&params.domain, &position);
            assert!(search.is_valid());
            assert!(count_listed_contacts(&search, &place, &position) > 2000);
        }
    }

    #[test]
    fn lists_by_radii_are_kept_until_a_grain_has_moved_by_half_the_skin() {
        let domain = Domain::new([Some([0.0, 1.0]), None, Some([0.0, 1.0])]);
        let params = SearchParams { domain, cutoff: Cutoff::Radii, ..params(SKIN) };
        let mut random = Random::new(9);
        let mut position = cloud(&mut random);
        position.iter_mut().for_each(|x| x.w = 0.01 * 10f32.powf(random.unit()));
        let mut search: Search = Search::default();
        search.sort(&params, &position);
        search.order.apply(&mut position, &mut Vec::new());
        search.build(&params, &position);
        for x in &mut position {
            let way = Vec3::new(random.signed(), random.signed(), random.signed());
            *x = domain.wrap(x.truncate() + 0.499 * SKIN * way.normalize()).extend(x.w);
        }
        search.measure_motion(&domain, &position);
        assert!(search.is_valid());
        let mut pairs = 0;
        for i in 0..position.len() {
            let touches = |j: &usize| {
                let d = domain.displacement(position[i].truncate(), position[*j].truncate());
                *j != i && d.length() < position[i].w + position[*j].w
            };
            for j in (0..position.len()).filter(touches) {
                assert!(search.lists.of(i).any(|k| k == j), "pair {i}, {j} is missing");
                pairs += 1;
            }
        }
        assert!(pairs > 2000, "{pairs} pairs were looked for");
        position[3].z += 1.1 * SKIN;
        search.measure_motion(&domain, &position);
        assert!(!search.is_valid());
    }

    #[test]
    fn lists_by_reaches_hold_every_contact_until_a_grain_has_moved_by_its_own_skin() {
        let domain = Domain::new([Some([0.0, 1.0]), None, Some([0.0, 1.0])]);
        let params = SearchParams { domain, cutoff: Cutoff::Reaches, ..params(0.0) };
        let mut random = Random::new(10);
        let mut reach = cloud(&mut random);
        // One in ten is fast.
        let mut skin = |k: usize| if k.is_multiple_of(10) { 0.04 * random.unit() } else { 0.004 };
        let skins: Vec<f32> = (0..reach.len()).map(&mut skin).collect();
        reach.iter_mut().zip(&skins).for_each(|(x, skin)| x.w = 0.02 + skin);
        let mut search: Search = Search::default();
        search.sort(&params, &reach);
        search.order.apply(&mut reach, &mut Vec::new());
        search.build(&params, &reach);
        let mut position = reach.clone();
        for (i, x) in position.iter_mut().enumerate() {
            let skin = search.listed()[i].w - 0.02;
            let way = Vec3::new(random.signed(), random.signed(), random.signed());
            *x = domain.wrap(x.truncate() + 0.999 * skin * way.normalize()).extend(0.02);
        }
        assert!(!search.sort(&params, &reach), "lists hold until they are invalidated");
        let places: Vec<DVec3> = position.iter().map(|x| x.truncate().as_dvec3()).collect();
        assert!(count_listed_contacts(&search, &places, &position) > 500);
        search.invalidate();
        assert!(search.sort(&params, &reach));
    }
}
