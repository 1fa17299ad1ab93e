//! Room for new grains: what is near a few places, without a search over all particles for each of them.

use std::collections::HashMap;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::domain::Domain;

/// Cell coordinates beyond this are clamped; distances are always checked.
const FARTHEST: i64 = 1 << 40;

/// Points near a set of places, in cells of one reach.
#[derive(Debug)]
pub struct Room {
    domain: Domain,
    reach: f32,
    /// Cells per axis where it is periodic, and their size [m].
    axes: [(i64, f32); 3],
    /// Looked up only, never iterated: the order of a hash map is no one's.
    cells: HashMap<[i64; 3], Vec<Vec3>>,
}

impl Room {
    /// Gathers the particles that may lie within `reach` [m] of some of the `places`, all inside the domain.
    pub fn new(domain: &Domain, reach: f32, places: &[Vec3], position: &[Vec4]) -> Self {
        let axes = [0, 1, 2].map(|axis| match domain.period(axis) {
            Some((_, length)) => {
                let count = ((length / reach) as i64).max(1);
                (count, length / count as f32)
            }
            None => (0, reach),
        });
        let mut room = Self { domain: *domain, reach, axes, cells: HashMap::new() };
        let places = || places.iter().filter(|x| x.is_finite());
        let min = places().fold(Vec3::INFINITY, |a, b| a.min(*b));
        let max = places().fold(Vec3::NEG_INFINITY, |a, b| a.max(*b));
        if min.x > max.x {
            return room;
        }
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min) + 1.001 * reach);
        let near = |x: &&Vec4| domain.displacement(x.truncate(), center).abs().cmple(half).all();
        // The order of the particles does not matter: a place has room or has not.
        let found: Vec<Vec4> = position.par_iter().with_min_len(4096).filter(near).copied().collect();
        found.iter().for_each(|x| room.insert(x.truncate()));
        room
    }

    /// Adds a point inside the domain.
    pub fn insert(&mut self, x: Vec3) {
        self.cells.entry(self.cell(x)).or_default().push(x);
    }

    /// Whether no point is nearer to `x` than the reach.
    pub fn is_free(&self, x: Vec3) -> bool {
        let square = self.reach * self.reach;
        let free = |other: &Vec3| self.domain.displacement(x, *other).length_squared() >= square;
        let [cx, cy, cz] = self.cell(x);
        (-1..=1).all(|dz| {
            (-1..=1).all(|dy| {
                (-1..=1).all(|dx| {
                    let cell = self.wrap([cx + dx, cy + dy, cz + dz]);
                    self.cells.get(&cell).is_none_or(|points| points.iter().all(free))
                })
            })
        })
    }

    fn cell(&self, x: Vec3) -> [i64; 3] {
        let along = |axis: usize| {
            let origin = self.domain.period(axis).map_or(0.0, |(origin, _)| origin);
            let cell = ((x[axis] - origin) / self.axes[axis].1).floor() as i64;
            cell.clamp(-FARTHEST, FARTHEST)
        };
        self.wrap([along(0), along(1), along(2)])
    }

    fn wrap(&self, cell: [i64; 3]) -> [i64; 3] {
        [0, 1, 2].map(|axis| match self.axes[axis].0 {
            0 => cell[axis],
            count => cell[axis].rem_euclid(count),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(most: usize) -> impl Strategy<Value = Vec<[f32; 3]>> {
        prop::collection::vec(prop::array::uniform3(0.0f32..1.0), 0..most)
    }

    proptest! {
        #[test]
        fn says_the_same_as_a_search_over_all(
            position in points(200),
            places in points(40),
            reach in 0.02f32..0.4,
            periodic in prop::array::uniform3(any::<bool>()),
        ) {
            let domain = Domain::new(periodic.map(|on| on.then_some([0.0, 1.0])));
            let position: Vec<Vec4> = position.iter().map(|x| Vec3::from(*x).extend(0.1)).collect();
            let places: Vec<Vec3> = places.iter().map(|x| Vec3::from(*x)).collect();
            let mut room = Room::new(&domain, reach, &places, &position);
            let mut all: Vec<Vec3> = position.iter().map(|x| x.truncate()).collect();
            for place in places {
                let expected =
                    all.iter().all(|other| domain.displacement(place, *other).length_squared() >= reach * reach);
                prop_assert_eq!(room.is_free(place), expected);
                if expected {
                    room.insert(place);
                    all.push(place);
                }
            }
        }
    }
}
