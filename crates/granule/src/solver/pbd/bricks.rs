//! Bricks: cubes of space that are shared out anew four times, each time shifted by a quarter of their side along every axis.
//!
//! A pair whose grains are in one brick of the first partition is solved with that brick; else with one of the second, third or
//! fourth; the few that are in no brick of any are loose. Bricks of a partition share no grain, so that a device solves all of them at
//! once, a workgroup each, all colours of a brick in one dispatch: a sweep takes four of these and what loose pairs take, not one for
//! every colour.
//!
//! ```text
//! brick of x in partition p = floor(x / side + p/4)
//! ```
//! A pair that is shorter along every axis than a quarter of the side crosses at most one partition per axis, and there are four of
//! them: it is never loose. Pairs of fast grains, across the end of a period, and of grains much larger than others may be.

use glam::Vec3;

/// Partitions.
pub const PARTITIONS: usize = 4;

/// Side of a brick in diameters. A choice: colours of a brick have some tens of pairs then, about a workgroup's worth, and most
/// pairs are in the first partition. Other sides were not tried on a graphics card.
pub const SIDE: f32 = 6.0;

/// Bricks along an axis that are told apart: grains of two that are so many apart are never neighbours.
const ALONG: i32 = 1024;

/// The largest whole number that is not above one: processors that are plain have no instruction for it.
#[inline(always)]
fn floor(x: f32) -> i32 {
    let whole = x as i32;
    whole.wrapping_sub(i32::from(x < whole as f32))
}

/// The bricks of a point \[m\], one of each partition: bricks with one number may only be much farther apart than grains that meet.
/// By quarters of a side in whole numbers, so that devices, which may round sums otherwise, find the same ones.
#[inline(always)]
pub fn bricks_of(x: Vec3, inverse_side: f32) -> [u32; PARTITIONS] {
    let quarters = (x * (PARTITIONS as f32 * inverse_side)).to_array().map(floor);
    std::array::from_fn(|p| {
        let along =
            quarters.map(|q| (q.wrapping_add(p as i32).div_euclid(PARTITIONS as i32) & (ALONG - 1)) as u32);
        // Never 0, which is no brick on devices.
        1 << 30 | along[2] << 20 | along[1] << 10 | along[0]
    })
}

/// The first partition in which two grains are in one brick; [`PARTITIONS`] where there is none.
#[inline(always)]
pub fn partition_of(a: &[u32; PARTITIONS], b: &[u32; PARTITIONS]) -> usize {
    (0..PARTITIONS).find(|&p| a[p] == b[p]).unwrap_or(PARTITIONS)
}

/// Grains for a pack of bricks, about.
const PACK: usize = 256;

/// Packs of every partition for so many grains: a whole power of two.
pub fn packs_for(grains: usize) -> usize {
    1 << (grains / PACK).max(1).ilog2()
}

/// Which of so many packs a brick is in. Bricks that follow each other along an axis are in different ones.
#[inline(always)]
pub fn pack_of(brick: u32, packs: usize) -> usize {
    let [x, y, z] = [0, 10, 20].map(|shift| brick >> shift & (ALONG as u32 - 1));
    (x.wrapping_add(5 * y).wrapping_add(19 * z)) as usize & (packs - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn whole_numbers_are_not_above() {
        for x in [-3.0, -2.75, -0.25, -0.0, 0.0, 0.75, 1.0, 4095.5, -4095.5f32] {
            assert_eq!(floor(x), x.floor() as i32, "{x}");
        }
    }

    /// Pairs at random, and how many there are of each partition.
    fn counted(longest: f32) -> [usize; PARTITIONS + 1] {
        let mut random = Random::new(3);
        let mut vector = |size: f32| Vec3::from_array([(); 3].map(|_| size * (2.0 * random.unit() - 1.0)));
        let mut counts = [0; PARTITIONS + 1];
        for _ in 0..20_000 {
            let (x, apart) = (vector(300.0), vector(longest));
            counts[partition_of(&bricks_of(x, 1.0 / SIDE), &bricks_of(x + apart, 1.0 / SIDE))] += 1;
        }
        counts
    }

    #[test]
    fn pairs_shorter_than_a_quarter_of_a_side_are_in_some_brick() {
        let counts = counted(0.999 * SIDE / PARTITIONS as f32);
        assert_eq!(counts[PARTITIONS], 0, "{counts:?}");
        assert!(counts.windows(2).all(|two| two[1] < two[0]) && counts[3] > 0, "{counts:?}");
        assert!(counts[0] > 13_000, "{counts:?}");
    }

    #[test]
    fn longer_ones_may_be_loose() {
        let counts = counted(0.6 * SIDE);
        assert!(counts[PARTITIONS] > 100, "{counts:?}");
    }

    /// Also on either side of the origin, where coordinates change their sign.
    #[test]
    fn neighbouring_bricks_have_other_numbers() {
        for p in 0..PARTITIONS {
            let numbers: Vec<u32> = (-3..3)
                .flat_map(|k| (0..3).map(move |axis| Vec3::AXES[axis] * (SIDE * (k as f32 + 0.1))))
                .map(|x| bricks_of(x, 1.0 / SIDE)[p])
                .collect();
            let mut told_apart = numbers.clone();
            told_apart.sort_unstable();
            told_apart.dedup();
            // Those nearest to the origin along three axes are one brick.
            assert_eq!(told_apart.len(), numbers.len() - 2, "{p}: {numbers:x?}");
        }
    }
}
