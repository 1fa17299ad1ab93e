//! Grains of few spheres that have a name.

use glam::Vec3;

use crate::assemblies::Sphere;

/// A grain of few spheres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedClump {
    /// Two spheres a radius apart.
    Dumbbell,
    /// Three spheres in line, each a radius from the next: half as long again as a dumbbell, twice as long as wide.
    Rod,
    /// Four spheres at the corners of a regular tetrahedron, 1.5 radii apart: Longmore's grain \[Lon09\] section 3.1.
    Tetrahedron,
    /// Eight spheres at the corners of a cube, 1.15 radii apart: hardly more than that would leave a void in the middle.
    Cube,
    /// Seven spheres, a hexagon and its middle, a radius apart.
    Plate,
    /// Five spheres in line that fill an ellipsoid of revolution twice as long as wide, each touching it from inside.
    Ellipsoid,
}

/// Edge of the tetrahedron, in radii of its spheres. \[Lon09\] gives none; its pictures show spheres that overlap. Below
/// 1.633 the middle is filled.
const TETRAHEDRON_EDGE: f32 = 1.5;
/// Edge of the cube, in radii of its spheres; 2/sqrt(3) = 1.1547 leaves a void in the middle.
const CUBE_EDGE: f32 = 1.15;
/// Half axes of the ellipsoid along and across.
const ELLIPSOID: (f32, f32) = (2.0, 1.0);

impl NamedClump {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Dumbbell, Self::Rod, Self::Tetrahedron, Self::Cube, Self::Plate, Self::Ellipsoid];

    /// The spheres, for radii of about 1.
    pub fn spheres(self) -> Vec<Sphere> {
        let unit = |center: Vec3| Sphere { center, radius: 1.0 };
        match self {
            Self::Dumbbell => [-0.5, 0.5].map(|x| unit(Vec3::X * x)).to_vec(),
            Self::Rod => [-1.0, 0.0, 1.0].map(|x| unit(Vec3::X * x)).to_vec(),
            Self::Tetrahedron => {
                let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
                // Corners of a cube of edge 2 are sqrt(8) apart across its faces.
                corners.map(|corner| unit(TETRAHEDRON_EDGE / 8f32.sqrt() * Vec3::from(corner))).to_vec()
            }
            Self::Cube => {
                let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
                (0..8).map(|k| unit(CUBE_EDGE * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2)))).collect()
            }
            Self::Plate => {
                let corner = |k: usize| {
                    let (sin, cos) = (k as f32 * std::f32::consts::FRAC_PI_3).sin_cos();
                    unit(Vec3::new(cos, 0.0, sin))
                };
                [unit(Vec3::ZERO)].into_iter().chain((0..6).map(corner)).collect()
            }
            Self::Ellipsoid => ellipsoid(),
        }
    }
}

/// Spheres on the axis of an ellipsoid of half axes a > b, as large as fits.
///
/// ```text
/// r(x)^2 = b^2 (1 - x^2/(a^2 - b^2))     |x| <= a - b^2/a;   there r = b^2/a, the curvature of the tip
/// ```
fn ellipsoid() -> Vec<Sphere> {
    let (a, b) = ELLIPSOID;
    let last = a - b * b / a;
    let sphere = |k: i32| {
        let x = last * k as f32 / 2.0;
        let radius = b * (1.0 - x * x / (a * a - b * b)).sqrt();
        Sphere { center: Vec3::X * x, radius }
    };
    (-2..=2).map(sphere).collect()
}
