//! Spheres on a cubic lattice.

use glam::Vec3;
use rayon::prelude::*;

use super::{Ball, SampleError, Solid, check_places, check_radius};

/// Whole spheres on a cubic lattice of one diameter, centred in the solid's bounds.
pub fn lattice(solid: &dyn Solid, radius: f32) -> Result<Vec<Ball>, SampleError> {
    check_radius(radius)?;
    let (bounds, spacing) = (solid.bounds(), 2.0 * radius);
    check_places(bounds, spacing)?;
    let count = (bounds.size() / spacing + 1e-3).floor().max(Vec3::ONE);
    let first = bounds.center() - 0.5 * spacing * (count - 1.0);
    let (x, y, z) = (count.x as u32, count.y as u32, count.z as u32);
    let layer = |k: u32| {
        let nodes = (0..y).flat_map(move |j| (0..x).map(move |i| Vec3::new(i as f32, j as f32, k as f32)));
        let centers = nodes.map(|node| first + spacing * node);
        centers.filter(|center| solid.sample(*center, -1.1 * radius).0 <= -0.999 * radius).collect::<Vec<_>>()
    };
    let layers: Vec<Vec<Vec3>> = (0..z).into_par_iter().map(layer).collect();
    let balls: Vec<Ball> = layers.concat().into_iter().map(|center| Ball { center, radius }).collect();
    if balls.is_empty() { Err(SampleError::Empty { radius }) } else { Ok(balls) }
}
