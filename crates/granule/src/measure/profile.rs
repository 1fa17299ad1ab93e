//! The shape of a deposit: its surface, its front, its slope.

use std::collections::VecDeque;

use super::statistics::linear_fit;

/// Number of sectors around the axis.
pub const SECTORS: usize = 16;

/// The outline of an axisymmetric deposit around the y axis through `(center.0, center.1)`.
#[derive(Clone, Debug)]
pub struct DepositProfile {
    /// Highest surface [m].
    pub height: f64,
    /// Mean radius of the connected deposit over all sectors [m].
    pub front: f64,
    /// Slope between 20 and 80 % of the height, averaged over the sectors [degrees].
    pub angle: f64,
    /// Largest deviation of a sector's slope from the mean [degrees].
    pub spread: f64,
    /// Mean surface height by radius (r, y) [m].
    pub surface: Vec<[f64; 2]>,
}

impl DepositProfile {
    /// Measures particles of diameter `spacing` [m] on a floor at y = 0.
    pub fn of(position: &[[f32; 3]], center: (f64, f64), spacing: f64) -> Self {
        let connected = connected_to_largest(position, 1.5 * spacing);
        let polar: Vec<(f64, f64, f64)> = position
            .iter()
            .zip(&connected)
            .filter(|(_, connected)| **connected)
            .map(|(x, _)| {
                let (dx, dz) = (x[0] as f64 - center.0, x[2] as f64 - center.1);
                (dx.hypot(dz), dz.atan2(dx), x[1] as f64)
            })
            .collect();
        let sectors = by_sector(&polar);
        let surfaces: Vec<Vec<[f64; 2]>> = sectors.iter().map(|sector| surface(sector, spacing)).collect();
        let surface = mean_surface(&polar, spacing);
        let height = crest_height(&polar, spacing);
        let fronts: Vec<f64> = sectors
            .iter()
            .map(|sector| sector.iter().map(|p| p.0).fold(0.0, f64::max) + 0.5 * spacing)
            .collect();
        let angles: Vec<f64> =
            surfaces.iter().map(|s| slope_angle(s, height)).filter(|a| a.is_finite()).collect();
        let angle = mean(&angles);
        let spread = angles.iter().map(|a| (a - angle).abs()).fold(0.0, f64::max);
        Self { height, front: mean(&fronts), angle, spread, surface }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn by_sector(polar: &[(f64, f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut sectors = vec![Vec::new(); SECTORS];
    for &(r, angle, y) in polar {
        let turn = angle / std::f64::consts::TAU + 0.5;
        sectors[((turn * SECTORS as f64) as usize).min(SECTORS - 1)].push((r, y));
    }
    sectors
}

/// Surface height by radius: the highest particle in rings one spacing wide.
fn surface(sector: &[(f64, f64)], spacing: f64) -> Vec<[f64; 2]> {
    let rings = sector.iter().map(|p| (p.0 / spacing) as usize + 1).max().unwrap_or(0);
    let mut top = vec![None::<[f64; 2]>; rings];
    for &(r, y) in sector {
        let slot = &mut top[(r / spacing) as usize];
        if slot.is_none_or(|[_, highest]| y > highest) {
            *slot = Some([r, y]);
        }
    }
    top.into_iter().flatten().map(|[r, y]| [r, y + 0.5 * spacing]).collect()
}

/// Mean over sectors of the surface height in rings.
fn mean_surface(polar: &[(f64, f64, f64)], spacing: f64) -> Vec<[f64; 2]> {
    let mut sums: Vec<(f64, usize)> = Vec::new();
    for sector in by_sector(polar) {
        for [r, y] in surface(&sector, spacing) {
            let ring = (r / spacing) as usize;
            sums.resize(sums.len().max(ring + 1), (0.0, 0));
            sums[ring].0 += y;
            sums[ring].1 += 1;
        }
    }
    let with_ring = sums.iter().enumerate().filter(|(_, (_, n))| *n > 0);
    with_ring.map(|(ring, (sum, n))| [(ring as f64 + 0.5) * spacing, sum / *n as f64]).collect()
}

/// Height of the surface over the axis: the mean of the highest particles within two spacings of it.
fn crest_height(polar: &[(f64, f64, f64)], spacing: f64) -> f64 {
    polar.iter().filter(|p| p.0 < 2.0 * spacing).map(|p| p.2).fold(0.0, f64::max) + 0.5 * spacing
}

/// Slope [degrees] of a surface (r, y) between 20 and 80 % of `height`; NaN with fewer than three points.
pub fn slope_angle(surface: &[[f64; 2]], height: f64) -> f64 {
    let flank: Vec<[f64; 2]> =
        surface.iter().copied().filter(|p| p[1] >= 0.2 * height && p[1] <= 0.8 * height).collect();
    if flank.len() < 3 {
        return f64::NAN;
    }
    (-linear_fit(&flank).0).atan().to_degrees()
}

/// Which particles belong to the largest group connected over steps of at most `reach` [m].
pub fn connected_to_largest(position: &[[f32; 3]], reach: f64) -> Vec<bool> {
    use crate::neighbors::{CellIndex, Domain, NeighborLists, Permutation};
    let mut columns: Vec<glam::Vec4> = position.iter().map(|x| glam::Vec3::from(*x).extend(0.0)).collect();
    let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
    let domain = Domain::default();
    cells.assign(&domain, reach as f32, &columns, &mut key);
    order.sort(&mut key, cells.key_bits());
    order.apply(&mut columns);
    cells.index(&key);
    let mut lists = NeighborLists::default();
    lists.build(&cells, &domain, reach as f32, &columns);
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
            for &j in lists.of(i) {
                if group[j as usize] == usize::MAX {
                    group[j as usize] = sizes.len();
                    queue.push_back(j as usize);
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
