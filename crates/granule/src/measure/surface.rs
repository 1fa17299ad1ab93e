//! The inclination of a free surface that does not change along z.

use std::collections::HashMap;

use crate::statistics::linear_fit;

/// Width of the columns whose highest grains are the surface, in spacings.
const COLUMN: f64 = 2.0;

/// Share of the surface's length that counts, in its middle.
const MIDDLE: f64 = 0.6;

/// Inclination of the free surface of grains of diameter `spacing` \[m\], seen along z \[degrees\]; not a number for fewer
/// than three columns.
///
/// The surface is the mean over z of the highest grains in columns two spacings wide. A line is fitted to its middle.
pub fn surface_angle(position: &[[f32; 3]], spacing: f64) -> f64 {
    let width = COLUMN * spacing;
    let mut top: HashMap<(i64, i64), f64> = HashMap::new();
    for [x, y, z] in position.iter().map(|x| x.map(f64::from)) {
        let column = ((x / width).floor() as i64, (z / width).floor() as i64);
        let highest = top.entry(column).or_insert(y);
        *highest = highest.max(y);
    }
    let mut strips: HashMap<i64, (f64, f64)> = HashMap::new();
    for ((x, _), y) in top {
        let strip = strips.entry(x).or_default();
        *strip = (strip.0 + y, strip.1 + 1.0);
    }
    let (Some(first), Some(last)) = (strips.keys().min(), strips.keys().max()) else { return f64::NAN };
    let middle = 0.5 * (first + last) as f64;
    let half = 0.5 * MIDDLE * (last - first + 1) as f64;
    let mut points: Vec<[f64; 2]> = strips
        .iter()
        .filter(|(x, _)| (**x as f64 - middle).abs() <= half)
        .map(|(x, (sum, count))| [(*x as f64 + 0.5) * width, sum / count])
        .collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    if points.len() < 3 {
        return f64::NAN;
    }
    linear_fit(&points).0.atan().to_degrees().abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wedge_has_its_own_angle() {
        let mut grains = Vec::new();
        for x in 0..60 {
            for z in 0..8 {
                let top = (0.5 * f64::from(x)).round() as i32;
                grains.extend((0..=top).map(|y| [x, y, z].map(|c| 0.02 * c as f32)));
            }
        }
        let angle = surface_angle(&grains, 0.02);
        assert!((angle - 0.5f64.atan().to_degrees()).abs() < 1.0, "{angle}");
        assert!(surface_angle(&grains[..1], 0.02).is_nan());
    }
}
