//! Numbers at the nodes of a block and two more on every side, to be smoothed and differentiated.

use super::node_counts::PADDED_OWN;
use super::nodes::ALONG;
use crate::simd::{LANES, Lanes, load, store};

/// Numbers of nodes along an axis of a block and two more on both sides.
const WIDE: usize = ALONG + 4;
/// The same with one more: whole vectors.
const ROW: usize = WIDE + 1;
const PLANE: usize = ROW * ROW;

/// Numbers at the nodes of a block and two more on both sides, with rows and planes one longer.
pub(super) type Halo = [f32; WIDE * PLANE];

/// Which cell along an axis owns a node of a halo (0 before, 1 the block's own, 2 after), and as which of its own.
const OWNER: [[usize; 2]; WIDE] = [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]];

/// Numbers around a block from those of the blocks around it, of which the last has what stands where there is none;
/// without the `OMITTED` outermost planes and rows.
#[inline(always)]
pub(super) fn halo<const OMITTED: usize>(neighbors: &[u32; 27], of: &[[f32; PADDED_OWN]]) -> Halo {
    let nothing = of.len() - 1;
    let mut out = [0.0; WIDE * PLANE];
    for z in OMITTED..WIDE - OMITTED {
        for y in OMITTED..WIDE - OMITTED {
            let ([cell_z, z_own], [cell_y, y_own]) = (OWNER[z], OWNER[y]);
            let cells = &neighbors[9 * cell_z + 3 * cell_y..][..3];
            let first = (z_own * ALONG + y_own) * ALONG;
            let row = &mut out[z * PLANE + y * ROW..][..ROW];
            row[..2].copy_from_slice(&of[(cells[0] as usize).min(nothing)][first + 1..first + 3]);
            // The fourth is another row's; the next cell's first comes to stand there.
            row[2..6].copy_from_slice(&of[(cells[1] as usize).min(nothing)][first..first + 4]);
            row[5..7].copy_from_slice(&of[(cells[2] as usize).min(nothing)][first..first + 2]);
        }
    }
    out
}

/// The filter (1, 2, 1)/4 along every axis times a factor, less other numbers; anything at the outermost.
#[inline(always)]
pub(super) fn smoothed_less<L: Lanes>(from: &Halo, factor: f32, less: &Halo) -> Halo {
    let mut a: Halo = [0.0; WIDE * PLANE];
    let (mut b, mut c) = (a, a);
    let factor = L::splat(factor / 64.0);
    for z in 1..WIDE - 1 {
        for at in (z * PLANE..(z + 1) * PLANE).step_by(LANES) {
            store(&mut a, at, filter::<L>(from, at, PLANE));
        }
        // Rows from 1 to 5, and one more: whole vectors.
        for at in (z * PLANE + ROW..(z + 1) * PLANE - ROW).step_by(LANES) {
            store(&mut b, at, filter::<L>(&a, at, ROW));
        }
        for at in (z * PLANE + ROW..(z + 1) * PLANE - ROW).step_by(LANES) {
            store(&mut c, at, filter::<L>(&b, at, 1) * factor - load::<L>(less, at));
        }
    }
    c
}

/// Four times the filter (1, 2, 1)/4 at sixteen nodes.
#[inline(always)]
fn filter<L: Lanes>(of: &Halo, at: usize, step: usize) -> L {
    let middle = load::<L>(of, at);
    load::<L>(of, at - step) + (middle + middle) + load::<L>(of, at + step)
}

/// Differences from node to node at a block's own nodes, along each axis.
#[inline(always)]
pub(super) fn slopes(of: &Halo) -> [[f32; PADDED_OWN]; 3] {
    let mut slope = [[0.0; PADDED_OWN]; 3];
    for (slope, step) in slope.iter_mut().zip([1, ROW, PLANE]) {
        for row in 0..ALONG * ALONG {
            let at = (row / ALONG + 2) * PLANE + (row % ALONG + 2) * ROW + 2;
            for k in 0..ALONG {
                slope[row * ALONG + k] = 0.5 * (of[at + k + step] - of[at + k - step]);
            }
        }
    }
    slope
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upsample::nodes::OWN;

    /// Numbers at the nodes around 27 blocks in a cube, as in a halo.
    fn numbers(of: impl Fn([i32; 3]) -> f32) -> Halo {
        let mut numbers = [[0.0; PADDED_OWN]; 28];
        for (block, numbers) in numbers[..27].iter_mut().enumerate() {
            for (own, number) in numbers[..OWN].iter_mut().enumerate() {
                *number = of([1, 3, 9].map(|step| (block / step % 3 * 3 + own / step % 3) as i32 - 3));
            }
        }
        halo::<0>(&std::array::from_fn(|k| k as u32), &numbers)
    }

    #[test]
    fn a_halo_has_every_node_at_its_place() {
        let halo = numbers(|[x, y, z]| (100 * z + 10 * y + x) as f32);
        for z in 0..WIDE {
            for y in 0..WIDE {
                for x in 0..WIDE {
                    let expected = 100 * (z as i32 - 2) + 10 * (y as i32 - 2) + x as i32 - 2;
                    assert_eq!(halo[z * PLANE + y * ROW + x], expected as f32, "{x} {y} {z}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_what_is_smooth_and_small_of_what_is_not() {
        use crate::simd::Portable;
        let nothing = [0.0; WIDE * PLANE];
        let linear = numbers(|[x, y, z]| 3.0 * x as f32 - 2.0 * y as f32 + 0.5 * z as f32);
        let slope = slopes(&smoothed_less::<Portable>(&linear, 2.0, &nothing));
        for (slope, expected) in slope.iter().zip([6.0, -4.0, 1.0]) {
            assert!(slope[..OWN].iter().all(|s| (s - expected).abs() < 1e-4), "{slope:?}");
        }
        // From node to node up and down: gone. What is taken off is not smoothed.
        let checkered = numbers(|[x, y, z]| ((x + y + z) & 1) as f32);
        let slope = slopes(&smoothed_less::<Portable>(&checkered, 1.0, &linear));
        for (slope, expected) in slope.iter().zip([-3.0, 2.0, -0.5]) {
            assert!(slope[..OWN].iter().all(|s| (s - expected).abs() < 1e-4), "{slope:?}");
        }
    }
}
