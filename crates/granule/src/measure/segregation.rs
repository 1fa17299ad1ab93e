//! How far two kinds of grains have parted.

use std::collections::BTreeMap;

/// Width of the cells in which shares are counted, in the largest diameter.
const CELL: f64 = 4.0;

/// Least part of a full cell's volume that a cell must hold to count: cells at walls and at the surface hold few grains.
const LEAST_FULL: f64 = 0.15;

/// The variance of the volume share of material 0 between cells, over that of materials that have parted wholly; none where
/// there is but one material.
///
/// ```text
/// S = sum_k V_k (p_k - p)^2 / (V p (1 - p))          after Lacey 1954, weighted by the volume V_k of the grains in a cell
/// ```
/// Cells are cubes of four of the largest diameters. What chance does is not taken off: mixed grains have less than 0.1.
pub fn segregation(position: &[[f32; 3]], radius: &[f32], material: &[u32]) -> Option<f64> {
    let width = CELL * 2.0 * f64::from(radius.iter().copied().fold(0.0, f32::max));
    let mut cells: BTreeMap<[i64; 3], [f64; 2]> = BTreeMap::new();
    for ((x, radius), material) in position.iter().zip(radius).zip(material) {
        let cell = x.map(|x| (f64::from(x) / width).floor() as i64);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * f64::from(*radius).powi(3);
        let [first, all] = cells.entry(cell).or_default();
        *first += if *material == 0 { volume } else { 0.0 };
        *all += volume;
    }
    cells.retain(|_, [_, all]| *all >= LEAST_FULL * width.powi(3));
    let total = |of: usize| cells.values().map(|cell| cell[of]).sum::<f64>();
    let (all, share) = (total(1), total(0) / total(1));
    let spread: f64 = cells.values().map(|[first, volume]| volume * (first / volume - share).powi(2)).sum();
    let most = all * share * (1.0 - share);
    (most > 0.0).then(|| spread / most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of grains on a lattice, the materials of which are chosen by place.
    fn block(material: impl Fn(usize, usize, usize) -> u32) -> Option<f64> {
        let (mut position, mut kinds) = (Vec::new(), Vec::new());
        for (x, y, z) in (0..24usize).flat_map(|x| (0..24).flat_map(move |y| (0..6).map(move |z| (x, y, z))))
        {
            position.push([x, y, z].map(|c| 0.01 * (c as f32 + 0.5)));
            kinds.push(material(x, y, z));
        }
        segregation(&position, &vec![0.005; kinds.len()], &kinds)
    }

    #[test]
    fn what_alternates_is_mixed_and_halves_have_parted() {
        assert!(block(|x, y, z| ((x + y + z) % 2) as u32).unwrap() < 1e-9);
        assert!((block(|x, _, _| u32::from(x >= 12)).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(block(|_, _, _| 0), None);
    }

    /// Kinds by chance: a cell of 64 grains has a variance of p (1 - p)/64, one of 32 twice that.
    #[test]
    fn chance_leaves_little() {
        let mut random = crate::random::Random::new(3);
        let kinds: Vec<u32> = (0..24 * 24 * 6).map(|_| u32::from(random.unit() < 0.5)).collect();
        let s = block(|x, y, z| kinds[(x * 24 + y) * 6 + z]).unwrap();
        assert!(s > 0.005 && s < 0.04, "{s}");
    }
}
