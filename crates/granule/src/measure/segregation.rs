//! How far two kinds of grains have parted.

use std::collections::BTreeMap;

use crate::random::Random;

/// Width of the cells in which shares are counted, in the largest diameter.
const CELL: f64 = 2.0;

/// Least part of a full cell's volume that a cell must hold to count: cells at walls and at the surface hold few grains.
const LEAST_FULL: f64 = 0.15;

/// How far kinds of grains have parted: the variance of the volume share of one of them between cells, over that of kinds that have
/// parted wholly, less what chance does; 0 is mixed. Kinds are materials, the first and all others, or else the smaller and the larger
/// grains of one material; none where these are of one size, too.
///
/// ```text
/// S = sum_k V_k (p_k - p)^2 / (V p (1 - p))          after Lacey 1954, weighted by the volume V_k of the grains in a cell
/// S' = (S - S_chance)/(1 - S_chance)                 S_chance: of the same grains, dealt out by chance
/// ```
/// Cells are cubes of two of the largest diameters.
pub fn segregation(position: &[[f32; 3]], radius: &[f32], material: &[u32]) -> Option<f64> {
    let width = CELL * 2.0 * f64::from(radius.iter().copied().fold(0.0, f32::max));
    let parted = beyond_chance(position, radius, kinds(radius, material)?.as_slice(), [width; 3]);
    parted.is_finite().then_some(parted)
}

/// Kinds that may part: materials, or else sizes below and above the middle of the smallest and the largest.
fn kinds(radius: &[f32], material: &[u32]) -> Option<Vec<u32>> {
    if material.iter().any(|own| *own != material[0]) {
        return Some(material.to_vec());
    }
    let (least, most) =
        radius.iter().fold((f32::INFINITY, 0.0f32), |(least, most), r| (least.min(*r), most.max(*r)));
    let middle = 0.5 * (least + most);
    (least < most).then(|| radius.iter().map(|radius| u32::from(*radius > middle)).collect())
}

/// [`segregation`] of given kinds in cells of any sides \[m\].
pub fn beyond_chance(position: &[[f32; 3]], radius: &[f32], kinds: &[u32], cell: [f64; 3]) -> f64 {
    const DEALS: u64 = 8;
    let of = |radius: &[f32], kinds: &[u32]| variance(position, radius, kinds, cell);
    // Grains change places with their kinds and sizes, so that as much of each kind is dealt out.
    let deal = |seed: u64| {
        let (mut radius, mut kinds, mut random) = (radius.to_vec(), kinds.to_vec(), Random::new(seed));
        for i in (1..kinds.len()).rev() {
            let j = ((random.unit() * (i + 1) as f32) as usize).min(i);
            kinds.swap(i, j);
            radius.swap(i, j);
        }
        of(&radius, &kinds)
    };
    let chance = (1..=DEALS).map(deal).sum::<f64>() / DEALS as f64;
    (of(radius, kinds) - chance) / (1.0 - chance)
}

/// S of [`segregation`], of kind 0 in cells of given sides \[m\].
fn variance(position: &[[f32; 3]], radius: &[f32], kinds: &[u32], cell: [f64; 3]) -> f64 {
    let mut cells: BTreeMap<[i64; 3], [f64; 2]> = BTreeMap::new();
    for ((x, radius), kind) in position.iter().zip(radius).zip(kinds) {
        let place = [0, 1, 2].map(|axis| (f64::from(x[axis]) / cell[axis]).floor() as i64);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * f64::from(*radius).powi(3);
        let [first, all] = cells.entry(place).or_default();
        *first += if *kind == 0 { volume } else { 0.0 };
        *all += volume;
    }
    cells.retain(|_, [_, all]| *all >= LEAST_FULL * cell.iter().product::<f64>());
    let total = |of: usize| cells.values().map(|cell| cell[of]).sum::<f64>();
    let (all, share) = (total(1), total(0) / total(1));
    let spread: f64 = cells.values().map(|[first, volume]| volume * (first / volume - share).powi(2)).sum();
    spread / (all * share * (1.0 - share))
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
        // More even than chance.
        assert!(block(|x, y, z| ((x + y + z) % 2) as u32).unwrap() < 0.0);
        assert!((block(|x, _, _| u32::from(x >= 12)).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(block(|_, _, _| 0), None);
    }

    #[test]
    fn one_material_is_told_apart_by_size_and_chance_is_taken_off() {
        let (mut position, mut radius) = (Vec::new(), Vec::new());
        for (x, y, z) in (0..24usize).flat_map(|x| (0..24).flat_map(move |y| (0..6).map(move |z| (x, y, z))))
        {
            position.push([x, y, z].map(|c| 0.01 * (c as f32 + 0.5)));
            radius.push(if x < 12 { 0.004 } else { 0.005 });
        }
        let of = |radius: &[f32]| segregation(&position, radius, &vec![0; radius.len()]);
        assert!((of(&radius).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(of(&vec![0.005; radius.len()]), None);
        let cell = [0.04, 0.04, 0.06];
        let halves: Vec<u32> = radius.iter().map(|radius| u32::from(*radius > 0.0045)).collect();
        assert!((beyond_chance(&position, &radius, &halves, cell) - 1.0).abs() < 1e-9);
        let mut random = Random::new(3);
        let mixed: Vec<u32> = radius.iter().map(|_| u32::from(random.unit() < 0.5)).collect();
        let parted = beyond_chance(&position, &vec![0.005; radius.len()], &mixed, cell);
        assert!(parted.abs() < 0.01, "{parted}");
    }

    /// Cells of eight grains scatter by 0.01; the mean of five deals by 0.0045.
    #[test]
    fn chance_leaves_nothing() {
        let deal = |seed: u64| {
            let mut random = Random::new(seed);
            let kinds: Vec<u32> = (0..24 * 24 * 6).map(|_| u32::from(random.unit() < 0.5)).collect();
            block(|x, y, z| kinds[(x * 24 + y) * 6 + z]).unwrap()
        };
        let deals: Vec<f64> = (1..=5).map(deal).collect();
        let mean = deals.iter().sum::<f64>() / 5.0;
        assert!(mean.abs() < 0.015, "{deals:?}");
    }
}
