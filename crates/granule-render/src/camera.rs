//! Where the picture is taken from.

use glam::{DMat3, Vec3};

/// Field of view of a camera that says nothing else \[radians\]: 35 degrees.
pub const DEFAULT_FOV_RADIANS: f32 = 35.0 * std::f32::consts::PI / 180.0;
/// Margin around a scene that is framed, relative to its size.
const MARGIN: f32 = 1.12;

/// An axis-aligned box \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Bounds {
    /// The box around spheres given as (x, y, z, radius); `None` without any.
    pub fn of_spheres(spheres: &[[f32; 4]]) -> Option<Self> {
        let ball = |[x, y, z, radius]: &[f32; 4]| {
            let center = Vec3::new(*x, *y, *z);
            Self { min: center - Vec3::splat(*radius), max: center + Vec3::splat(*radius) }
        };
        spheres.iter().map(ball).reduce(Self::union)
    }

    /// The box around points; `None` without any.
    pub fn of_points(points: impl Iterator<Item = Vec3>) -> Option<Self> {
        points.map(|point| Self { min: point, max: point }).reduce(Self::union)
    }

    /// The box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The middle.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// The corners; bit k of the number chooses the larger side of axis k.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Length of the diagonal \[m\].
    pub fn diagonal(&self) -> f32 {
        (self.max - self.min).length()
    }
}

/// A pinhole camera in a world whose y points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The eye \[m\].
    pub position: Vec3,
    /// The point in the middle of the picture \[m\].
    pub target: Vec3,
    /// Angle between the lower and the upper edge of the picture \[radians\].
    pub fov_radians: f32,
}

/// How the camera is chosen when it is not given as such.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CameraChoice {
    /// Along -z: x to the right, y up.
    Front,
    /// From above: x to the right, -z up.
    Top,
    /// From the front, the right and above.
    #[default]
    Iso,
    /// From a point towards a point \[m\].
    Fixed {
        /// The eye.
        position: Vec3,
        /// The point in the middle of the picture.
        target: Vec3,
    },
}

impl std::str::FromStr for CameraChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "front" => return Ok(Self::Front),
            "top" => return Ok(Self::Top),
            "iso" => return Ok(Self::Iso),
            _ => {}
        }
        let wrong = || "write front, top, iso or X,Y,Z:X,Y,Z (the eye, then what it looks at)".to_string();
        let (position, target) = text.split_once(':').ok_or_else(wrong)?;
        let (position, target) =
            (parse_point(position).ok_or_else(wrong)?, parse_point(target).ok_or_else(wrong)?);
        if position.distance(target) <= 0.0 {
            return Err("the eye lies at the point that it looks at".into());
        }
        Ok(Self::Fixed { position, target })
    }
}

fn parse_point(text: &str) -> Option<Vec3> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    match numbers?.as_slice() {
        [x, y, z] if x.is_finite() && y.is_finite() && z.is_finite() => Some(Vec3::new(*x, *y, *z)),
        _ => None,
    }
}

impl CameraChoice {
    /// The camera that shows all points in a picture of the given aspect (width over height).
    pub fn camera(&self, points: &[Vec3], fov_radians: f32, aspect: f32) -> Camera {
        let direction = match *self {
            Self::Front => Vec3::new(0.0, 0.18, 1.0),
            Self::Top => Vec3::Y,
            Self::Iso => Vec3::new(0.62, 0.52, 1.0),
            Self::Fixed { position, target } => return Camera { position, target, fov_radians },
        };
        Camera::framing(points, direction.normalize(), fov_radians, aspect)
    }
}

impl Camera {
    /// A camera in the given direction from points, as near as they allow, with all of them in the middle.
    ///
    /// In the camera's axes a point at (x, y, z) from the target needs the distance z + |x| / tan(fov_x / 2), and the
    /// same with y; the largest over all points is taken. The target is then moved sideways by half the difference
    /// of the margins on both sides, and the distance is found again.
    pub fn framing(points: &[Vec3], direction: Vec3, fov_radians: f32, aspect: f32) -> Self {
        let middle = points.iter().map(|point| Bounds { min: *point, max: *point }).reduce(Bounds::union);
        let mut target = middle.map_or(Vec3::ZERO, |bounds| bounds.center());
        let mut camera = Self { position: target + direction, target, fov_radians };
        for _ in 0..4 {
            let view = camera.view(aspect);
            let mut distance = 1e-6f32;
            for point in points {
                let p = view.rotation() * (*point - target);
                let side = (p.x.abs() / view.tangent[0]).max(p.y.abs() / view.tangent[1]);
                distance = distance.max(p.z + side * MARGIN);
            }
            camera.position = target + direction * distance;
            target += camera.off_center(points, aspect);
            camera = Self { position: target + direction * distance, target, ..camera };
        }
        camera
    }

    /// How far the target has to move sideways so that points have equal room on both sides \[m\].
    fn off_center(&self, points: &[Vec3], aspect: f32) -> Vec3 {
        let view = self.view(aspect);
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for point in points {
            let p = view.rotation() * (*point - self.position);
            for axis in 0..2 {
                low[axis] = low[axis].min(p[axis] / -p.z);
                high[axis] = high[axis].max(p[axis] / -p.z);
            }
        }
        if points.is_empty() {
            return Vec3::ZERO;
        }
        let distance = self.position.distance(self.target);
        let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]) * distance);
        view.rotation().transpose() * Vec3::new(middle[0], middle[1], 0.0)
    }

    /// This camera turned about the vertical through its target \[radians\].
    pub fn orbited(&self, angle_radians: f32) -> Self {
        let arm = glam::Quat::from_rotation_y(angle_radians) * (self.position - self.target);
        Self { position: self.target + arm, ..*self }
    }

    /// The camera's axes and projection for a picture of the given aspect.
    pub fn view(&self, aspect: f32) -> View {
        let back = (self.position - self.target).as_dvec3().normalize();
        // Looking straight down or up, -z is the picture's upper edge.
        let up = if back.y.abs() > 0.9999 { -glam::DVec3::Z } else { glam::DVec3::Y };
        let right = up.cross(back).normalize();
        let axes = DMat3::from_cols(right, back.cross(right), back).as_mat3();
        let tangent = (0.5 * self.fov_radians).tan();
        View { world_from_view: axes, eye: self.position, tangent: [tangent * aspect, tangent] }
    }
}

/// A camera for a picture of a certain aspect: x right, y up, z towards the viewer.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Rotation from the camera's axes to the world's.
    pub world_from_view: glam::Mat3,
    /// The eye \[m\].
    pub eye: Vec3,
    /// Tangents of half the angles of view, horizontal and vertical.
    pub tangent: [f32; 2],
}

impl View {
    /// Rotation from the world's axes to the camera's.
    pub fn rotation(&self) -> glam::Mat3 {
        self.world_from_view.transpose()
    }

    /// Unit direction in world axes through a point of the picture, (0, 0) the upper left and (1, 1) the lower right.
    pub fn ray(&self, u: f32, v: f32) -> Vec3 {
        let x = (2.0 * u - 1.0) * self.tangent[0];
        let y = (1.0 - 2.0 * v) * self.tangent[1];
        (self.world_from_view * Vec3::new(x, y, -1.0)).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Bounds = Bounds { min: Vec3::new(-1.0, 0.0, 2.0), max: Vec3::new(3.0, 1.0, 3.0) };

    /// Position of a point in the picture, (0, 0) the middle and 1 the edges.
    fn project(view: &View, point: Vec3) -> [f32; 2] {
        let p = view.rotation() * (point - view.eye);
        assert!(p.z < 0.0, "in front of the camera");
        [p.x / -p.z / view.tangent[0], p.y / -p.z / view.tangent[1]]
    }

    #[test]
    fn framing_shows_all_points_and_fills_the_picture() {
        for choice in [CameraChoice::Front, CameraChoice::Top, CameraChoice::Iso] {
            for (fov, aspect) in [(0.6f32, 1.6), (1.57, 1.0), (0.3, 0.5)] {
                let view = choice.camera(&BOX.corners(), fov, aspect).view(aspect);
                let points = BOX.corners().map(|corner| project(&view, corner));
                let most = points.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
                assert!((0.8..1.0).contains(&most), "{choice:?} {fov} {aspect}: {points:?}");
            }
        }
    }

    #[test]
    fn the_axes_of_the_views_are_as_described() {
        let front = CameraChoice::Front.camera(&BOX.corners(), 0.6, 1.0).view(1.0).rotation();
        assert!((front * Vec3::X).x > 0.999 && (front * Vec3::Y).y > 0.9);
        let top = CameraChoice::Top.camera(&BOX.corners(), 0.6, 1.0).view(1.0).rotation();
        assert!((top * Vec3::X).x > 0.999 && (top * Vec3::NEG_Z).y > 0.999);
    }

    #[test]
    fn cameras_are_read_from_words_and_points() {
        assert_eq!("iso".parse(), Ok(CameraChoice::Iso));
        let fixed = CameraChoice::Fixed { position: Vec3::new(1.0, 2.0, -3.5), target: Vec3::ZERO };
        assert_eq!("1,2,-3.5:0,0,0".parse(), Ok(fixed));
        for wrong in ["", "side", "1,2,3", "1,2:3,4", "1,2,nan:0,0,0", "1,2,3:1,2,3", "1,2,3,4:0,0,0"] {
            assert!(wrong.parse::<CameraChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn orbits_keep_height_and_distance() {
        let camera = CameraChoice::Iso.camera(&BOX.corners(), 0.6, 1.0);
        let turned = camera.orbited(1.0);
        assert!((turned.position.y - camera.position.y).abs() < 1e-5);
        let distance = |camera: &Camera| camera.position.distance(camera.target);
        assert!((distance(&turned) - distance(&camera)).abs() < 1e-4);
        assert!(turned.position.distance(camera.position) > 0.5);
    }

    #[test]
    fn rays_go_through_the_corners_of_the_picture() {
        let view = Camera { position: Vec3::ZERO, target: Vec3::NEG_Z, fov_radians: 1.5707964 }.view(2.0);
        let ray = view.ray(0.0, 0.0);
        assert!((ray / -ray.z - Vec3::new(-2.0, 1.0, -1.0)).length() < 1e-5, "{ray}");
    }
}
