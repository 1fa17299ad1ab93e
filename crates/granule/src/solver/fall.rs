//! How far particles of a scene may fall, for speeds that are to be expected.

use glam::Vec3;

use crate::boundary::{Sdf, Shape};
use crate::scene::Scene;

/// Height from the highest particles down to the lowest particles or wall \[m\].
pub fn fall_height(scene: &Scene, down: Vec3) -> f32 {
    let extent = |(min, max): (Vec3, Vec3)| {
        let corners = (0..8).map(|k| {
            Vec3::from_array([0, 1, 2].map(|axis| if k >> axis & 1 == 0 { min[axis] } else { max[axis] }))
        });
        corners
            .map(|x| x.dot(down))
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
    };
    let sources = scene.grains.iter().map(|grains| &grains.shape);
    let sources = sources.chain(scene.emitter.iter().map(|emitter| &emitter.shape));
    let bounds = sources.filter_map(|shape| Sdf::new(shape).ok()?.bounds()).map(extent);
    let (highest, mut lowest) =
        bounds.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), (top, low)| (a.min(top), b.max(low)));
    for wall in &scene.boundary {
        match (&wall.shape, Sdf::new(&wall.shape)) {
            (Shape::Plane { point, normal }, _) if Vec3::from(*normal).dot(down) < 0.0 => {
                lowest = lowest.max(Vec3::from(*point).dot(down));
            }
            (_, Ok(solid)) => {
                lowest = lowest.max(solid.wall_bounds().map_or(lowest, |bounds| extent(bounds).1));
            }
            _ => {}
        }
    }
    if lowest > highest { lowest - highest } else { 0.0 }
}
