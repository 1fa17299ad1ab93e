//! The shape of a deposit: its surface, its front, its slope.

use std::collections::{HashMap, VecDeque};
use std::f64::consts::TAU;

use crate::statistics::linear_fit;

/// Number of sectors around the axis.
pub const SECTORS: usize = 16;

/// The outline of an axisymmetric deposit around the y axis through `(center.0, center.1)`.
#[derive(Clone, Debug)]
pub struct DepositProfile {
    /// Highest surface \[m\].
    pub height: f64,
    /// Mean radius of the connected deposit over all sectors \[m\].
    pub front: f64,
    /// Slope between 20 and 80 % of the height, averaged over the sectors \[degrees\].
    pub angle: f64,
    /// Largest deviation of a sector's slope from the mean \[degrees\].
    pub spread: f64,
    /// Mean surface height by radius (r, y) \[m\].
    pub surface: Vec<[f64; 2]>,
}

impl DepositProfile {
    /// Measures particles of diameter `spacing` \[m\] on a floor at y = 0.
    pub fn of(position: &[[f32; 3]], center: (f64, f64), spacing: f64) -> Self {
        let connected = connected_to_largest(position, 1.5 * spacing);
        let deposit: Vec<[f64; 3]> = position
            .iter()
            .zip(&connected)
            .filter(|(_, connected)| **connected)
            .map(|(x, _)| [x[0] as f64 - center.0, x[1] as f64, x[2] as f64 - center.1])
            .collect();
        let field = HeightField::new(&deposit, spacing);
        let fronts = fronts(&deposit, spacing);
        let reach = fronts.iter().copied().fold(0.0, f64::max);
        let rays: Vec<Vec<[f64; 2]>> =
            (0..SECTORS).map(|sector| sector_surface(&field, sector, reach, spacing)).collect();
        let height = field.highest_within(2.0 * spacing);
        let angles: Vec<f64> =
            rays.iter().map(|ray| slope_angle(ray, height)).filter(|a| a.is_finite()).collect();
        let angle = mean(&angles);
        let spread = angles.iter().map(|a| (a - angle).abs()).fold(0.0, f64::max);
        let surface = (0..rays[0].len())
            .map(|k| [rays[0][k][0], mean(&rays.iter().map(|r| r[k][1]).collect::<Vec<_>>())]);
        Self { height, front: mean(&fronts), angle, spread, surface: surface.collect() }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Largest distance from the axis in each sector, half a grain added \[m\].
fn fronts(deposit: &[[f64; 3]], spacing: f64) -> Vec<f64> {
    let mut fronts = vec![0.0f64; SECTORS];
    for x in deposit {
        let turn = x[2].atan2(x[0]) / TAU + 0.5;
        let front = &mut fronts[((turn * SECTORS as f64) as usize).min(SECTORS - 1)];
        *front = front.max(x[0].hypot(x[2]) + 0.5 * spacing);
    }
    fronts
}

/// Rays per sector along which the surface is read.
const RAYS: usize = 3;

/// Surface height by radius, one spacing apart, averaged over the rays of a sector.
fn sector_surface(field: &HeightField, sector: usize, reach: f64, spacing: f64) -> Vec<[f64; 2]> {
    let height = |r: f64, ray: usize| {
        let turn = (sector as f64 + (ray as f64 + 0.5) / RAYS as f64) / SECTORS as f64;
        let (sin, cos) = (turn * TAU).sin_cos();
        field.height(r * cos, r * sin)
    };
    (0..=(reach / spacing) as usize)
        .map(|ring| ring as f64 * spacing)
        .map(|r| [r, (0..RAYS).map(|ray| height(r, ray)).sum::<f64>() / RAYS as f64])
        .collect()
}

/// The upper surface of grains: above a point, the highest grain within 0.7 spacings across.
struct HeightField {
    spacing: f64,
    columns: HashMap<(i32, i32), Vec<[f64; 3]>>,
}

impl HeightField {
    fn new(deposit: &[[f64; 3]], spacing: f64) -> Self {
        let mut field = Self { spacing, columns: HashMap::new() };
        for x in deposit {
            field.columns.entry(field.cell(x[0], x[2])).or_default().push(*x);
        }
        field
    }

    fn cell(&self, x: f64, z: f64) -> (i32, i32) {
        ((x / self.spacing).floor() as i32, (z / self.spacing).floor() as i32)
    }

    fn height(&self, x: f64, z: f64) -> f64 {
        let (cx, cz) = self.cell(x, z);
        let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| (cx + dx, cz + dz)));
        let grains = near.filter_map(|cell| self.columns.get(&cell)).flatten();
        let under = grains.filter(|g| (g[0] - x).hypot(g[2] - z) < 0.7 * self.spacing);
        under.map(|g| g[1] + 0.5 * self.spacing).fold(0.0, f64::max)
    }

    fn highest_within(&self, radius: f64) -> f64 {
        let grains = self.columns.values().flatten().filter(|g| g[0].hypot(g[2]) < radius);
        grains.map(|g| g[1] + 0.5 * self.spacing).fold(0.0, f64::max)
    }
}

/// Slope \[degrees\] of a surface (r, y) between 20 and 80 % of `height`; NaN with fewer than three points.
pub fn slope_angle(surface: &[[f64; 2]], height: f64) -> f64 {
    let flank: Vec<[f64; 2]> =
        surface.iter().copied().filter(|p| p[1] >= 0.2 * height && p[1] <= 0.8 * height).collect();
    if flank.len() < 3 {
        return f64::NAN;
    }
    (-linear_fit(&flank).0).atan().to_degrees()
}

/// Which particles belong to the largest group connected over steps of at most `reach` \[m\].
pub fn connected_to_largest(position: &[[f32; 3]], reach: f64) -> Vec<bool> {
    use crate::neighbors::{CellIndex, Domain, NeighborLists, Permutation};
    use crate::simd::Instructions;
    let mut columns: Vec<glam::Vec4> = position.iter().map(|x| glam::Vec3::from(*x).extend(0.0)).collect();
    let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
    let domain = Domain::default();
    cells.assign(&domain, reach as f32, &columns, &mut key);
    order.sort(&mut key, cells.key_bits());
    order.apply(&mut columns, &mut Vec::new());
    cells.index(&key);
    let mut lists = NeighborLists::<()>::default();
    lists.build(&cells, &domain, reach as f32, &columns, Instructions::best());
    let mut group = vec![usize::MAX; columns.len()];
    let mut sizes = Vec::new();
    for seed in 0..columns.len() {
        if group[seed] != usize::MAX {
            continue;
        }
        let mut size = 0;
        let mut queue = VecDeque::from([seed]);
        group[seed] = sizes.len();
        while let Some(i) = queue.pop_front() {
            size += 1;
            for j in lists.of(i) {
                if group[j] == usize::MAX {
                    group[j] = sizes.len();
                    queue.push_back(j);
                }
            }
        }
        sizes.push(size);
    }
    let largest = sizes.iter().enumerate().max_by_key(|(_, size)| **size).map_or(0, |(k, _)| k);
    let mut connected = vec![false; position.len()];
    for (k, &source) in order.sources().iter().enumerate() {
        connected[source as usize] = group[k] == largest;
    }
    connected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice cone of the given slope.
    fn cone(angle: f64, radius: f64, spacing: f64) -> Vec<[f32; 3]> {
        let mut grains = Vec::new();
        let n = (radius / spacing) as i32;
        for x in -n..=n {
            for z in -n..=n {
                let r = (x as f64).hypot(z as f64) * spacing;
                let top = (radius - r) * angle.to_radians().tan();
                for y in 0..(top / spacing + 0.5).max(0.0) as i32 {
                    grains.push(
                        [x as f64 * spacing, (y as f64 + 0.5) * spacing, z as f64 * spacing]
                            .map(|c| c as f32),
                    );
                }
            }
        }
        grains
    }

    #[test]
    fn a_cone_has_its_slope_and_front() {
        for angle in [20.0, 30.0, 40.0] {
            let profile = DepositProfile::of(&cone(angle, 0.6, 0.02), (0.0, 0.0), 0.02);
            assert!((profile.angle - angle).abs() < 1.5, "{} for {angle}", profile.angle);
            assert!((profile.front - 0.6).abs() < 0.03, "{}", profile.front);
            assert!((profile.height - 0.6 * angle.to_radians().tan()).abs() < 0.02);
        }
    }

    #[test]
    fn grains_apart_from_the_heap_do_not_move_its_front() {
        let mut grains = cone(30.0, 0.4, 0.02);
        let front = DepositProfile::of(&grains, (0.0, 0.0), 0.02).front;
        grains.extend([[2.0, 0.01, 0.0], [0.0, 0.01, -3.0]]);
        assert_eq!(DepositProfile::of(&grains, (0.0, 0.0), 0.02).front, front);
    }
}
