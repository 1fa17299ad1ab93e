//! A camera that hands move: orbit, pan, dolly, fly.

use glam::{Mat3, Vec3};
use granule_render::{Camera, CameraChoice, DEFAULT_FOV_RADIANS};

/// Steepest view \[radians\]; straight up and down have no horizon.
const MOST_PITCH: f32 = 1.553;
/// Nearest and farthest the eye comes to what it looks at \[m\].
const DISTANCES: [f32; 2] = [1e-3, 1e4];

/// A camera by what it looks at, from where, and how far away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraRig {
    /// What it looks at \[m\].
    pub target: Vec3,
    /// Turn about the vertical, 0 from the front (+z) \[radians\].
    pub yaw: f32,
    /// Height above the horizon \[radians\].
    pub pitch: f32,
    /// Distance of the eye \[m\].
    pub distance: f32,
    /// Vertical field of view \[radians\].
    pub fov: f32,
}

impl Default for CameraRig {
    fn default() -> Self {
        Self { target: Vec3::ZERO, yaw: 0.55, pitch: 0.42, distance: 2.0, fov: DEFAULT_FOV_RADIANS }
    }
}

impl CameraRig {
    /// The rig of a camera.
    pub fn of(camera: &Camera) -> Self {
        let arm = camera.position - camera.target;
        let distance = arm.length().clamp(DISTANCES[0], DISTANCES[1]);
        let pitch = (arm.y / distance).clamp(-1.0, 1.0).asin().clamp(-MOST_PITCH, MOST_PITCH);
        let yaw = arm.x.atan2(arm.z);
        Self { target: camera.target, yaw, pitch, distance, fov: camera.fov_radians }
    }

    /// The camera.
    pub fn camera(&self) -> Camera {
        Camera { position: self.eye(), target: self.target, fov_radians: self.fov }
    }

    /// The eye \[m\].
    pub fn eye(&self) -> Vec3 {
        self.target + self.distance * self.back()
    }

    /// Unit vector from the target to the eye.
    fn back(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vec3::new(cos_pitch * sin_yaw, sin_pitch, cos_pitch * cos_yaw)
    }

    /// Right, up and back in world axes.
    fn axes(&self) -> Mat3 {
        let back = self.back();
        let right = Vec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        Mat3::from_cols(right, back.cross(right), back)
    }

    /// Turns about a point, which stays where it is in the picture \[radians\].
    pub fn orbit(&mut self, pivot: Vec3, yaw: f32, pitch: f32) {
        let (axes, eye) = (self.axes(), self.eye());
        self.yaw = (self.yaw + yaw).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + pitch).clamp(-MOST_PITCH, MOST_PITCH);
        let turn = self.axes() * axes.transpose();
        let eye = pivot + turn * (eye - pivot);
        self.target = eye - self.distance * self.back();
    }

    /// Moves sideways by shares of the picture's height, so that what is as far away as `depth` \[m\] follows the hand.
    pub fn pan(&mut self, right: f32, up: f32, depth: f32) {
        let height = 2.0 * depth * (0.5 * self.fov).tan();
        let axes = self.axes();
        self.target -= height * (right * axes.x_axis + up * axes.y_axis);
    }

    /// Comes nearer (a factor below 1) or goes farther, towards a point that stays where it is in the picture.
    pub fn dolly(&mut self, factor: f32, towards: Vec3) {
        let distance = (self.distance * factor).clamp(DISTANCES[0], DISTANCES[1]);
        let factor = distance / self.distance;
        self.target = towards + factor * (self.target - towards);
        self.distance = distance;
    }

    /// Flies by (right, up, forward) \[m\].
    pub fn fly(&mut self, by: Vec3) {
        let axes = self.axes();
        self.target += by.x * axes.x_axis + by.y * Vec3::Y - by.z * axes.z_axis;
    }

    /// Looks at all points from where it is.
    pub fn frame(&mut self, points: &[Vec3], aspect: f32) {
        if points.is_empty() {
            return;
        }
        let framed = Self::of(&Camera::framing(points, self.back(), self.fov, aspect));
        *self = Self { yaw: self.yaw, pitch: self.pitch, ..framed };
    }

    /// Looks at all points from a side.
    pub fn look_from(&mut self, choice: CameraChoice, points: &[Vec3], aspect: f32) {
        if !points.is_empty() {
            *self = Self::of(&choice.camera(points, self.fov, aspect));
        }
    }
}

/// Whose habits mouse buttons follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Habit {
    /// Left turns, right or middle moves sideways; a touchpad needs nothing else.
    #[default]
    Granule,
    /// Middle turns, with Shift it moves sideways, with Ctrl nearer.
    Blender,
    /// With Alt: left turns, middle moves sideways, right nearer.
    Maya,
}

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// Turns.
    Orbit,
    /// Moves sideways.
    Pan,
    /// Comes nearer.
    Dolly,
}

impl Habit {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Granule, "granule"), (Self::Blender, "Blender"), (Self::Maya, "Maya")];

    /// What a drag with a button does.
    pub fn gesture(self, button: egui::PointerButton, modifiers: egui::Modifiers) -> Option<Gesture> {
        use egui::PointerButton::{Middle, Primary, Secondary};
        match (self, button) {
            (Self::Granule, Primary) if modifiers.shift => Some(Gesture::Pan),
            (Self::Granule, Primary) => Some(Gesture::Orbit),
            (Self::Granule, Secondary | Middle) => Some(Gesture::Pan),
            (Self::Blender, Middle) if modifiers.shift => Some(Gesture::Pan),
            (Self::Blender, Middle) if modifiers.command => Some(Gesture::Dolly),
            (Self::Blender, Middle) => Some(Gesture::Orbit),
            (Self::Maya, Primary) if modifiers.alt => Some(Gesture::Orbit),
            (Self::Maya, Middle) if modifiers.alt => Some(Gesture::Pan),
            (Self::Maya, Secondary) if modifiers.alt => Some(Gesture::Dolly),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rig() -> CameraRig {
        CameraRig { target: Vec3::new(0.3, 0.1, -0.2), yaw: 0.7, pitch: 0.3, distance: 1.5, fov: 0.6 }
    }

    /// Where a point is seen, 0 the middle of the picture and 1 its upper edge.
    fn seen(rig: &CameraRig, point: Vec3) -> [f32; 2] {
        let view = rig.camera().view(1.0);
        let p = view.rotation() * (point - view.eye);
        [p.x / -p.z / view.tangent[0], p.y / -p.z / view.tangent[1]]
    }

    #[test]
    fn a_camera_and_its_rig_are_the_same_view() {
        let again = CameraRig::of(&rig().camera());
        assert!((again.eye() - rig().eye()).length() < 1e-5);
        assert!((again.yaw - 0.7).abs() < 1e-5 && (again.pitch - 0.3).abs() < 1e-5);
    }

    #[test]
    fn what_is_turned_about_and_what_is_approached_stays_under_the_cursor() {
        let pivot = Vec3::new(0.5, 0.0, 0.1);
        let mut turned = rig();
        let before = seen(&turned, pivot);
        turned.orbit(pivot, 0.8, -0.2);
        let after = seen(&turned, pivot);
        assert!((before[0] - after[0]).abs() < 1e-3 && (before[1] - after[1]).abs() < 1e-3);
        assert!((turned.eye() - rig().eye()).length() > 0.5);
        let mut near = rig();
        near.dolly(0.5, pivot);
        let after = seen(&near, pivot);
        assert!((before[0] - after[0]).abs() < 1e-4 && (before[1] - after[1]).abs() < 1e-4);
        assert!((near.eye().distance(pivot) / rig().eye().distance(pivot) - 0.5).abs() < 1e-4);
    }

    #[test]
    fn a_pan_takes_what_is_at_its_depth_along_with_the_hand() {
        let mut moved = rig();
        let point = moved.target;
        moved.pan(0.25, -0.1, moved.distance);
        let [x, y] = seen(&moved, point);
        assert!((x - 0.5).abs() < 1e-4 && (y + 0.2).abs() < 1e-4, "{x} {y}");
    }

    #[test]
    fn the_camera_never_turns_over() {
        let mut rig = rig();
        for _ in 0..50 {
            rig.orbit(Vec3::ZERO, 0.3, 0.4);
        }
        assert!(rig.pitch < std::f32::consts::FRAC_PI_2 && rig.eye().is_finite());
        assert!(rig.camera().view(1.5).world_from_view.y_axis.y > 0.0, "up is up");
    }

    #[test]
    fn framed_points_are_all_seen() {
        let mut rig = rig();
        let points = [Vec3::ZERO, Vec3::new(5.0, 1.0, -2.0), Vec3::new(0.0, 3.0, 1.0)];
        rig.frame(&points, 1.0);
        for point in points {
            let [x, y] = seen(&rig, point);
            assert!(x.abs() < 1.0 && y.abs() < 1.0, "{point} at {x} {y}");
        }
        assert_eq!((rig.yaw, rig.pitch), (0.7, 0.3));
    }

    #[test]
    fn buttons_follow_the_chosen_habit() {
        use egui::{Modifiers, PointerButton};
        let none = Modifiers::NONE;
        assert_eq!(Habit::Granule.gesture(PointerButton::Primary, none), Some(Gesture::Orbit));
        assert_eq!(Habit::Blender.gesture(PointerButton::Primary, none), None);
        assert_eq!(Habit::Blender.gesture(PointerButton::Middle, Modifiers::SHIFT), Some(Gesture::Pan));
        assert_eq!(Habit::Maya.gesture(PointerButton::Primary, none), None);
        assert_eq!(Habit::Maya.gesture(PointerButton::Secondary, Modifiers::ALT), Some(Gesture::Dolly));
    }
}
