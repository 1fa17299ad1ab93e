//! The overlap query: whether a sphere has room among others, without a search over all of them for each.

use std::collections::HashMap;

use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;

use super::domain::Domain;

/// Cell coordinates beyond this are clamped; distances are always checked.
const FARTHEST: f64 = (1u64 << 40) as f64;

/// How much farther than needed spheres are gathered and cells are looked up, relative to the reach: more than rounding.
const SLACK: f32 = 1.001;

/// Spheres near a set of places, in cells by their size.
///
/// Two spheres are apart where their centres are at least `separation (r_i + r_j)` from each other; with a separation of
/// 1 they touch at most.
#[derive(Debug)]
pub struct OverlapQuery {
    domain: Domain,
    separation: f32,
    levels: Vec<Level>,
}

/// Spheres whose radii have the same power of two.
#[derive(Debug)]
struct Level {
    exponent: u32,
    /// Above all radii \[m\].
    radius: f32,
    /// Per axis, the number of cells where it is periodic (0 elsewhere) and their size \[m\].
    axes: [(i64, f64); 3],
    spheres: Vec<Vec4>,
    /// Places in `spheres`. Looked up only, never iterated: the order of a hash map is no one's.
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl OverlapQuery {
    /// Gathers the spheres (centre and radius [m]) that may be too near to a sphere of at most `largest` radius [m] at
    /// some of the places, all inside the domain.
    pub fn new(domain: &Domain, separation: f32, places: &[Vec3], largest: f32, spheres: &[Vec4]) -> Self {
        let mut query = Self { domain: *domain, separation, levels: Vec::new() };
        let places = || places.iter().filter(|x| x.is_finite());
        let min = places().fold(Vec3::INFINITY, |a, b| a.min(*b));
        let max = places().fold(Vec3::NEG_INFINITY, |a, b| a.max(*b));
        if min.x > max.x {
            return query;
        }
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let near = |x: &&Vec4| {
            let reach = Vec3::splat(SLACK * separation * (largest + x.w));
            domain.displacement(x.truncate(), center).abs().cmple(half + reach).all()
        };
        // The order of the spheres does not matter: a place has room or has not.
        let found: Vec<Vec4> = spheres.par_iter().with_min_len(4096).filter(near).copied().collect();
        found.iter().for_each(|x| query.insert(x.truncate(), x.w));
        query
    }

    /// Space.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Adds a sphere whose centre is inside the domain.
    pub fn insert(&mut self, center: Vec3, radius: f32) {
        let exponent = radius.to_bits() >> 23;
        let known = self.levels.iter().position(|level| level.exponent == exponent);
        let level = known.unwrap_or_else(|| {
            self.levels.push(Level::new(&self.domain, exponent, self.separation));
            self.levels.len() - 1
        });
        self.levels[level].insert(&self.domain, center.extend(radius));
    }

    /// Whether a sphere is apart from all others.
    pub fn is_free(&self, center: Vec3, radius: f32) -> bool {
        let free = |other: &Vec4| {
            let reach = self.separation * (radius + other.w);
            self.domain.displacement(center, other.truncate()).length_squared() >= reach * reach
        };
        self.levels.iter().all(|level| {
            let reach = f64::from(SLACK * self.separation * (radius + level.radius));
            level.all_near(&self.domain, center, reach, &free)
        })
    }
}

impl Level {
    fn new(domain: &Domain, exponent: u32, separation: f32) -> Self {
        let radius = f32::from_bits((exponent + 1).min(0xfe) << 23);
        let size = f64::from(SLACK * separation * 2.0 * radius);
        let axes = [0, 1, 2].map(|axis| match domain.period(axis) {
            Some((_, length)) => {
                let count = ((f64::from(length) / size) as i64).max(1);
                (count, f64::from(length) / count as f64)
            }
            None => (0, size),
        });
        Self { exponent, radius, axes, spheres: Vec::new(), cells: HashMap::new() }
    }

    fn insert(&mut self, domain: &Domain, sphere: Vec4) {
        let cell = [0, 1, 2].map(|axis| self.wrap(axis, self.cell(domain, axis, f64::from(sphere[axis]))));
        self.cells.entry(cell).or_default().push(self.spheres.len() as u32);
        self.spheres.push(sphere);
    }

    /// Whether something holds for all spheres whose centres may be within a reach [m].
    fn all_near(&self, domain: &Domain, center: Vec3, reach: f64, holds: &impl Fn(&Vec4) -> bool) -> bool {
        let center: DVec3 = center.as_dvec3();
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let from = self.cell(domain, axis, center[axis] - reach);
            let to = self.cell(domain, axis, center[axis] + reach);
            match self.axes[axis].0 {
                count if count > 0 && to - from >= count => 0..=count - 1,
                _ => from..=to,
            }
        });
        let rows = [&x, &y, &z].map(|span| (span.end() - span.start() + 1) as f64);
        if rows.iter().product::<f64>() > self.spheres.len() as f64 {
            return self.spheres.iter().all(holds);
        }
        z.clone().all(|cz| {
            y.clone().all(|cy| {
                x.clone().all(|cx| {
                    let cell = [self.wrap(0, cx), self.wrap(1, cy), self.wrap(2, cz)];
                    let inside = self.cells.get(&cell);
                    inside.is_none_or(|inside| inside.iter().all(|&k| holds(&self.spheres[k as usize])))
                })
            })
        })
    }

    fn cell(&self, domain: &Domain, axis: usize, x: f64) -> i64 {
        let origin = domain.period(axis).map_or(0.0, |(origin, _)| f64::from(origin));
        ((x - origin) / self.axes[axis].1).floor().clamp(-FARTHEST, FARTHEST) as i64
    }

    fn wrap(&self, axis: usize, cell: i64) -> i64 {
        match self.axes[axis].0 {
            0 => cell,
            count => cell.rem_euclid(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Centres in a unit cube with radii from a factor times 0.01 on.
    fn spheres(most: usize) -> impl Strategy<Value = Vec<([f32; 3], f32)>> {
        prop::collection::vec((prop::array::uniform3(0.0f32..1.0), 0.0f32..1.0), 0..most)
    }

    fn with_radii(spheres: &[([f32; 3], f32)], smallest: f32, ratio: f32) -> Vec<Vec4> {
        spheres.iter().map(|&(x, t)| Vec3::from(x).extend(smallest * ratio.powf(t))).collect()
    }

    proptest! {
        #[test]
        fn says_the_same_as_a_search_over_all(
            there in spheres(200),
            places in spheres(40),
            smallest in 0.005f32..0.1,
            ratio in prop::sample::select(vec![1.0f32, 1.5, 10.0, 100.0]),
            separation in prop::sample::select(vec![0.9f32, 1.0, 1.2]),
            periodic in prop::array::uniform3(any::<bool>()),
        ) {
            let domain = Domain::new(periodic.map(|on| on.then_some([0.0, 1.0])));
            let mut all = with_radii(&there, smallest, ratio);
            let asked = with_radii(&places, smallest, ratio);
            let centers: Vec<Vec3> = asked.iter().map(|sphere| sphere.truncate()).collect();
            let largest = asked.iter().map(|sphere| sphere.w).fold(0.0, f32::max);
            let mut query = OverlapQuery::new(&domain, separation, &centers, largest, &all);
            for sphere in asked {
                let expected = all.iter().all(|other| {
                    let reach = separation * (sphere.w + other.w);
                    let d = domain.displacement(sphere.truncate(), other.truncate());
                    d.length_squared() >= reach * reach
                });
                prop_assert_eq!(query.is_free(sphere.truncate(), sphere.w), expected);
                if expected {
                    query.insert(sphere.truncate(), sphere.w);
                    all.push(sphere);
                }
            }
        }
    }

    #[test]
    fn separation_counts_for_both_radii() {
        let there = [Vec4::new(0.0, 0.0, 0.0, 0.3)];
        let places = [Vec3::new(0.37, 0.0, 0.0), Vec3::new(0.35, 0.0, 0.0)];
        let query = OverlapQuery::new(&Domain::default(), 0.9, &places, 0.1, &there);
        assert!(query.is_free(places[0], 0.1), "0.37 is more than 0.9 * 0.4");
        assert!(!query.is_free(places[1], 0.1), "0.35 is less than 0.9 * 0.4");
        assert!(query.is_free(places[1], 0.05), "a smaller sphere fits");
    }

    #[test]
    fn strays_and_spheres_without_size_are_no_trouble() {
        let far = Vec3::new(3.0e20, -4.0e8, 1.0e9);
        let there = [far.extend(0.01), Vec4::ZERO, Vec4::new(0.1, 0.0, 0.0, 0.0)];
        let query = OverlapQuery::new(&Domain::default(), 1.0, &[Vec3::ZERO, far], 0.05, &there);
        assert!(!query.is_free(far, 0.01));
        assert!(query.is_free(Vec3::ZERO, 0.0), "points do not overlap");
        assert!(!query.is_free(Vec3::new(0.04, 0.0, 0.0), 0.05));
        assert!(query.is_free(Vec3::new(0.05, 0.0, 0.0), 0.05));
    }
}
