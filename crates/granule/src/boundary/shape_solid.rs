//! Shapes of scenes as solids that samplers fill.

use glam::Vec3;

use super::sdf::Sdf;
use crate::geometry::Bounds;
use crate::geometry::sample::Solid;

/// A bounded shape of a scene.
#[derive(Debug)]
pub struct ShapeSolid<'a> {
    shape: &'a Sdf,
    bounds: Bounds,
}

impl<'a> ShapeSolid<'a> {
    /// `None` for shapes without bounds.
    pub fn new(shape: &'a Sdf) -> Option<Self> {
        let (min, max) = shape.bounds()?;
        Some(Self { shape, bounds: Bounds { min, max } })
    }
}

impl Solid for ShapeSolid<'_> {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn sample(&self, point: Vec3, _from: f32) -> (f32, Vec3) {
        let wall = self.shape.nearest(point);
        (wall.distance, wall.normal)
    }
}
