//! Scenes in code: what a first scene needs, in a line each.

use super::schema::{
    BodySettings, BoundarySettings, Fill, GrainShape, GrainsSettings, MaterialSettings, Scene,
};
use crate::boundary::Shape;

impl Scene {
    /// A scene with nothing in it but the defaults of all settings.
    ///
    /// ```
    /// use granule::{MaterialSettings, Scene, Shape};
    ///
    /// let scene = Scene::new("heap")
    ///     .with_material(MaterialSettings { friction_angle: 35.0, ..MaterialSettings::default() })
    ///     .with_wall("floor", Shape::floor(0.0))
    ///     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1, 0.2, 0.1]));
    /// assert!(scene.validate().is_ok());
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a material.
    pub fn with_material(mut self, material: MaterialSettings) -> Self {
        self.material.push(material);
        self
    }

    /// Fills a shape with grains of a material, at rest on a lattice.
    pub fn with_grains(mut self, material: &str, shape: Shape) -> Self {
        self.grains.push(GrainsSettings::new(material, shape));
        self
    }

    /// Adds a wall at rest, with the friction of what touches it.
    pub fn with_wall(mut self, name: &str, shape: Shape) -> Self {
        self.boundary.push(BoundarySettings::new(name, shape));
        self
    }

    /// Adds a rigid body.
    pub fn with_body(mut self, body: BodySettings) -> Self {
        self.body.push(body);
        self
    }
}

impl GrainsSettings {
    /// Grains at rest on a lattice.
    pub fn new(material: &str, shape: Shape) -> Self {
        Self {
            material: material.into(),
            shape,
            fill: Fill::Lattice,
            grain: GrainShape::Sphere,
            velocity: [0.0; 3],
            radius: None,
            fixed: false,
        }
    }
}

impl BoundarySettings {
    /// A wall at rest, with the friction of what touches it.
    pub fn new(name: &str, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            friction: None,
            rolling_friction: None,
            motion: None,
            material: None,
            rough: None,
            rough_region: None,
        }
    }
}
