//! Settings of a picture: size, camera, light, samples.

use glam::Vec3;

use crate::RenderError;
use crate::camera::Camera;
use crate::field::FieldView;
use crate::render_scene::RenderScene;

/// Longest side of a picture \[pixels\].
pub const MAX_SIDE: u32 = 8192;

/// The light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction towards the sun; need not be a unit vector.
    pub sun_direction: Vec3,
    /// Radiance of a white surface that faces the sun, linear.
    pub sun: Vec3,
    /// The same for light from the sky.
    pub sky: Vec3,
    /// The same for light from below.
    pub bounce: Vec3,
}

impl Default for Light {
    /// A warm sun from the left, 38 degrees high, under a pale sky.
    fn default() -> Self {
        Self {
            sun_direction: Vec3::new(-0.74, 0.62, 0.26),
            sun: Vec3::new(2.0, 1.78, 1.46),
            sky: Vec3::new(0.33, 0.36, 0.40),
            bounce: Vec3::new(0.20, 0.165, 0.13),
        }
    }
}

/// Settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderSettings {
    /// Width \[pixels\].
    pub width: u32,
    /// Height \[pixels\].
    pub height: u32,
    /// Where it is taken from.
    pub camera: Camera,
    /// The light.
    pub light: Light,
    /// Whether surfaces are lit; otherwise they show their own colours.
    pub lit: bool,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// Whether crevices are darker; on a GPU only.
    pub occlusion: bool,
    /// How much grains of a material differ from each other and from perfect spheres, from 0 to 1.
    pub variation: f32,
    /// Samples per pixel along each axis, 1 to 4.
    pub supersampling: u32,
}

impl RenderSettings {
    /// A lit picture with everything.
    pub fn new(width: u32, height: u32, camera: Camera) -> Self {
        Self {
            width,
            height,
            camera,
            light: Light::default(),
            lit: true,
            shadows: true,
            occlusion: true,
            variation: 1.0,
            supersampling: 2,
        }
    }

    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// Checks the settings and a scene that is to be drawn with them.
    pub(crate) fn check(&self, scene: &RenderScene) -> Result<(), RenderError> {
        check_size(self.width, self.height)?;
        let camera = &self.camera;
        let finite = camera.position.is_finite() && camera.target.is_finite();
        let apart = camera.position.distance(camera.target) > 0.0;
        if !finite || !apart || !(0.001..3.1).contains(&camera.fov_radians) {
            return Err(RenderError::Camera);
        }
        if !(1..=4).contains(&self.supersampling) {
            return Err(RenderError::Supersampling { found: self.supersampling });
        }
        if let Some(index) = scene.meshes.iter().position(|instance| !instance.is_sound()) {
            return Err(RenderError::Instance { index });
        }
        scene.field.map_or(Ok(()), FieldView::check)?;
        scene.spheres.check()
    }
}

/// Checks the size of a picture.
///
/// # Errors
/// Says which sizes are allowed.
pub fn check_size(width: u32, height: u32) -> Result<(), RenderError> {
    let allowed = 1..=MAX_SIDE;
    match allowed.contains(&width) && allowed.contains(&height) {
        true => Ok(()),
        false => Err(RenderError::Size { width, height }),
    }
}
