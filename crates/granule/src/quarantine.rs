//! Particles whose state is not finite are found here, so that solvers remove and count them.

use std::ops::Range;

use glam::{Vec3, Vec4};

use crate::team::map_blocks;

/// Particles farther out than this \[m\] are removed: single precision has no grains there.
const FARTHEST: f32 = 1e9;

/// Which particles are sound, or nothing if all are.
pub fn unsound(position: &[Vec4], velocity: &[Vec4]) -> Option<Vec<bool>> {
    let sound =
        |_: usize, range: Range<usize>| position[range.clone()].iter().zip(&velocity[range]).all(is_sound);
    if map_blocks(position.len(), sound).into_iter().all(|sound| sound) {
        return None;
    }
    Some(position.iter().zip(velocity).map(is_sound).collect())
}

fn is_sound((x, v): (&Vec4, &Vec4)) -> bool {
    let x: Vec3 = x.truncate();
    x.is_finite() && v.truncate().is_finite() && x.abs().max_element() < FARTHEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_not_finite_or_too_far() {
        let mut position = vec![Vec4::ONE; 600];
        let mut velocity = vec![Vec4::ZERO; 600];
        assert_eq!(unsound(&position, &velocity), None);
        position[3].y = f32::NAN;
        position[500].x = 2e9;
        velocity[599].z = f32::INFINITY;
        let keep = unsound(&position, &velocity).unwrap();
        let removed: Vec<usize> = (0..600).filter(|&i| !keep[i]).collect();
        assert_eq!(removed, [3, 500, 599]);
    }
}
