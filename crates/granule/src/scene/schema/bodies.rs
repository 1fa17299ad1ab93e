//! Rigid bodies and joints in scene files.

use serde::{Deserialize, Serialize};

use crate::boundary::{MeshShape, Motion, Shape};

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Grains, gravity and other bodies.
    #[default]
    Dynamic,
    /// Its `motion`, whatever comes in its way.
    Keyframed,
    /// Nothing.
    Static,
}

/// What of a body meets grains, walls and other bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BodyCoupling {
    /// Its surface meets grains; rapier finds what walls and other bodies do.
    #[default]
    Surface,
    /// Particles that it is made of, on its surface and inside, meet all as grains do (`pbd`, dynamic bodies).
    Particles,
}

impl BodyCoupling {
    fn is_surface(&self) -> bool {
        *self == Self::Surface
    }
}

/// A rigid body: grains push it and are pushed by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BodySettings {
    /// Name that results and expectations refer to; no boundary may have it.
    pub name: String,
    /// The solid, where it is at the start.
    #[serde(default = "no_shape")]
    pub shape: Shape,
    /// File of the mesh that is the solid: short for `shape.mesh.file`, whose other settings stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// What moves it.
    #[serde(default)]
    pub kind: BodyKind,
    /// What of it meets grains, walls and other bodies.
    #[serde(default, skip_serializing_if = "BodyCoupling::is_surface")]
    pub coupling: BodyCoupling,
    /// Radius of the particles that it is made of \[m\]; that of the first material when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub particle_radius: Option<f32>,
    /// Density [kg/m3]; counts for dynamic bodies.
    #[serde(default = "default_body_density")]
    pub density: f32,
    /// Velocity of its centre at the start [m/s]; dynamic bodies only.
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Angular velocity at the start [degrees/s] about each axis; dynamic bodies only.
    #[serde(default)]
    pub angular_velocity: [f32; 3],
    /// Coulomb friction coefficient; towards grains the material's own, towards bodies and walls 0.5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f32>,
    /// Coefficient of rolling friction of grains on it (`dem`, `pbd`); the material's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f32>,
    /// Name of the material that it is made of (`dem`, `pbd`); that of the grain which touches it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Restitution towards bodies and walls, 0 to 1.
    #[serde(default)]
    pub restitution: f32,
    /// Motion over time; keyframed bodies only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Colour in linear RGB, 0 to 1.
    #[serde(default = "default_body_albedo")]
    pub albedo: [f32; 3],
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// All rotations about a point.
    Ball,
    /// Rotation about an axis.
    Hinge,
    /// Motion along an axis.
    Slider,
}

/// A joint of two bodies, where they are at the start. They do not collide with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JointSettings {
    /// Name.
    pub name: String,
    /// What it leaves free.
    pub kind: JointKind,
    /// Names of two bodies; `world` is what does not move.
    pub bodies: [String; 2],
    /// The point that both bodies keep in common \[m\].
    pub anchor: [f32; 3],
    /// Axis of a hinge or slider.
    #[serde(default = "up")]
    pub axis: [f32; 3],
    /// Smallest and largest angle of a hinge \[degrees\] or way of a slider \[m\], 0 at the start; no limits when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f32; 2]>,
    /// A motor of a hinge or slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSettings>,
}

fn up() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// A motor that keeps a speed as far as its strength allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MotorSettings {
    /// Speed of the second body relative to the first: [degrees/s] of a hinge, [m/s] of a slider.
    pub speed: f32,
    /// Largest torque [N m] or force \[N\].
    pub strength: f32,
}

/// The name of what does not move, in joints.
pub const WORLD: &str = "world";

/// The shape of a body that names none; refused unless a mesh takes its place.
pub fn no_shape() -> Shape {
    Shape::Union(Vec::new())
}

impl BodySettings {
    /// A dynamic body at rest; all else is what a scene file need not say.
    pub fn new(name: &str, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            mesh: None,
            kind: BodyKind::Dynamic,
            coupling: BodyCoupling::Surface,
            particle_radius: None,
            density: default_body_density(),
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            friction: None,
            rolling_friction: None,
            material: None,
            restitution: 0.0,
            motion: None,
            albedo: default_body_albedo(),
        }
    }

    /// Puts the mesh into the shape.
    pub(in crate::scene) fn fold_mesh(&mut self) {
        let Some(file) = self.mesh.take() else { return };
        match &mut self.shape {
            Shape::Mesh(mesh) => mesh.file = file,
            other => *other = Shape::Mesh(MeshShape::of_file(file)),
        }
    }
}

fn default_body_density() -> f32 {
    1000.0
}

fn default_body_albedo() -> [f32; 3] {
    [0.32, 0.36, 0.42]
}
