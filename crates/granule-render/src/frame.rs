//! The numbers that all shaders and the software renderer share for one picture.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::camera::Bounds;
use crate::render_scene::{Paint, RenderScene};
use crate::render_settings::RenderSettings;

/// Distance of the nearest thing that is drawn, relative to the distance of the target.
const NEAR: f32 = 1e-3;
/// Colour of the ground, linear.
const GROUND_ALBEDO: Vec3 = Vec3::new(0.40, 0.39, 0.37);
/// Background at the horizon and overhead, linear.
const BACKGROUND: [Vec3; 2] = [Vec3::new(0.62, 0.66, 0.71), Vec3::new(0.30, 0.41, 0.56)];
/// Strength of the highlight; sand is dull.
const HIGHLIGHT: f32 = 0.05;
/// Roughness of the diffuse surface \[radians\], the deviation of facets in Oren and Nayar 1994.
const ROUGHNESS: f32 = 0.55;
/// How far grains bulge out of a perfect sphere's normals.
const BUMPS: f32 = 0.24;
/// Width of a penumbra over the distance of what casts it: a sun of 3 degrees.
const SUN_WIDTH: f32 = 0.05;
/// Finest detail of a scene without spheres, relative to its size.
const FINEST: f32 = 0.0025;
/// Range of occlusion in mean radii.
const OCCLUSION_RADII: f32 = 5.0;

/// Mirror of `Frame` in `shader/frame.wgsl`; a test compares the layouts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FrameParams {
    /// Rotation from the world's axes to the camera's.
    pub view_from_world: Mat4,
    /// From the camera's axes to the world; the last column is the eye.
    pub world_from_view: Mat4,
    /// From the world to the shadow map: x and y from -1 to 1, z from 0 (near the sun) to 1.
    pub light_from_world: Mat4,
    /// Tangents of half the angles of view, the near distance \[m\], and the shadow map's depth \[m\].
    pub projection: Vec4,
    /// Width and height with supersampling \[pixels\], samples per pixel along an axis, side of the shadow map.
    pub size: Vec4,
    /// Unit direction towards the sun, and the width of a penumbra over distance.
    pub sun_direction: Vec4,
    /// Light of the sun, and whether it casts shadows.
    pub sun: Vec4,
    /// Light of the sky, and whether surfaces are lit.
    pub sky: Vec4,
    /// Light from below, and the strength of the highlight.
    pub bounce: Vec4,
    /// Background at the horizon, and the roughness of surfaces \[radians\].
    pub horizon: Vec4,
    /// Background overhead, and how far grains bulge.
    pub zenith: Vec4,
    /// Colour of the ground, and its height \[m\].
    pub ground: Vec4,
    /// Where the ground is clearest: x, z, distance without fading, distance where it is gone \[m\]; 0 without ground.
    pub ground_fade: Vec4,
    /// Lowest value, inverse width of the range, kind of paint, variation of grains.
    pub paint: Vec4,
    /// Least and largest width of a penumbra, shift along the normal, texel of the shadow map, all \[m\].
    pub shadow: Vec4,
    /// Range of occlusion \[m\], its strength, least and largest range on screen \[pixels\].
    pub occlusion: Vec4,
}

/// Side of the shadow map that shows grains of a radius in a scene of a size with several texels each.
fn shadow_size(diagonal: f32, radius: f32) -> u32 {
    let texels = (4.0 * diagonal / radius.max(1e-9)).min(4096.0) as u32;
    texels.next_power_of_two().clamp(512, 4096)
}

impl FrameParams {
    /// The numbers for a picture with the given number of samples per pixel along an axis.
    pub fn new(scene: &RenderScene, settings: &RenderSettings, supersampling: u32) -> Self {
        let nothing = Bounds { min: Vec3::ZERO, max: Vec3::ONE };
        let bounds = scene.bounds().unwrap_or(nothing);
        let casters = scene.caster_bounds();
        let view = settings.camera.view(settings.aspect());
        let has_casters = casters.is_some();
        let casters = casters.unwrap_or(nothing);
        let radius = scene.spheres.mean_radius().unwrap_or(FINEST * casters.diagonal());
        let side = shadow_size(casters.diagonal(), radius);
        let sun_direction = settings.light.sun_direction.normalize_or(Vec3::Y);
        let (light_from_world, extent) = light_from_world(&casters, sun_direction, side);
        let texel = extent.x.max(extent.y) / side as f32;
        let distance = settings.camera.position.distance(settings.camera.target);
        let on = |condition: bool| f32::from(u8::from(condition));
        let is_material = matches!(scene.paint, Paint::Material { .. });
        let scale = supersampling as f32;
        Self {
            view_from_world: Mat4::from_mat3(view.rotation()),
            world_from_view: Mat4::from_translation(view.eye) * Mat4::from_mat3(view.world_from_view),
            light_from_world,
            projection: Vec4::new(view.tangent[0], view.tangent[1], NEAR * distance, extent.z),
            size: Vec4::new(
                settings.width as f32 * scale,
                settings.height as f32 * scale,
                scale,
                side as f32,
            ),
            sun_direction: sun_direction.extend(SUN_WIDTH),
            sun: settings.light.sun.extend(on(settings.shadows && settings.lit && has_casters)),
            sky: settings.light.sky.extend(on(settings.lit)),
            bounce: settings.light.bounce.extend(if is_material { HIGHLIGHT } else { 0.0 }),
            horizon: BACKGROUND[0].extend(ROUGHNESS),
            zenith: BACKGROUND[1].extend(if is_material { BUMPS * settings.variation } else { 0.0 }),
            ground: GROUND_ALBEDO.extend(scene.ground.unwrap_or(0.0)),
            ground_fade: ground_fade(scene.ground, settings, &bounds),
            paint: paint(scene.paint, if is_material { settings.variation } else { 0.0 }),
            shadow: Vec4::new((1.5 * texel).max(0.12 * radius), 6.0 * radius, 1.5 * texel, texel),
            occlusion: Vec4::new(
                OCCLUSION_RADII * radius,
                on(settings.occlusion && settings.lit),
                3.0,
                0.08 * settings.height as f32,
            ),
        }
    }

    /// Direction through a point of the supersampled picture in the camera's axes, with z = -1.
    pub fn view_ray(&self, pixel: Vec2) -> Vec3 {
        let ndc = Vec2::new(2.0, -2.0) * pixel / self.size.truncate().truncate() + Vec2::new(-1.0, 1.0);
        Vec3::new(ndc.x * self.projection.x, ndc.y * self.projection.y, -1.0)
    }

    /// Where a point in the camera's axes is seen in the supersampled picture.
    pub fn pixel_of(&self, point: Vec3) -> Vec2 {
        let x = 0.5 + 0.5 * point.x / (-point.z * self.projection.x);
        let y = 0.5 - 0.5 * point.y / (-point.z * self.projection.y);
        Vec2::new(x * self.size.x, y * self.size.y)
    }

    /// A point of the world in the camera's axes.
    pub fn view_from_world_point(&self, point: Vec3) -> Vec3 {
        self.view_from_world.transform_vector3(point - self.world_from_view.w_axis.truncate())
    }

    /// Side of the shadow map \[texels\].
    pub fn shadow_side(&self) -> u32 {
        self.size.w as u32
    }
}

fn paint(paint: &Paint, variation: f32) -> Vec4 {
    match paint {
        Paint::Material { .. } => Vec4::new(0.0, 1.0, 0.0, variation),
        Paint::Scalar { range: [low, high], .. } => {
            Vec4::new(*low, 1.0 / (high - low).max(f32::MIN_POSITIVE), 1.0, variation)
        }
        Paint::Direct => Vec4::new(0.0, 1.0, 2.0, variation),
    }
}

/// The ground is clear around the scene and fades into the horizon; from below it is not seen.
fn ground_fade(ground: Option<f32>, settings: &RenderSettings, bounds: &Bounds) -> Vec4 {
    let center = bounds.center();
    let floor = Vec3::new(center.x, ground.unwrap_or(center.y), center.z);
    // Half the extent of the scene together with the ground below it.
    let clear = 0.5 * bounds.union(Bounds { min: floor, max: floor }).diagonal();
    match ground {
        Some(height) if settings.camera.position.y > height => {
            Vec4::new(center.x, center.z, clear, 12.0 * clear)
        }
        _ => Vec4::new(center.x, center.z, 0.0, 0.0),
    }
}

/// The shadow map's transform and its extent \[m\]: as narrow as the scene allows.
fn light_from_world(bounds: &Bounds, sun_direction: Vec3, side: u32) -> (Mat4, Vec3) {
    let right = sun_direction.any_orthonormal_vector();
    let axes = glam::Mat3::from_cols(right, sun_direction.cross(right), sun_direction).transpose();
    let corners = bounds.corners().map(|corner| axes * corner);
    let low = corners.into_iter().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
    let high = corners.into_iter().reduce(Vec3::max).unwrap_or(Vec3::ONE);
    // Two texels of room, so that a filter at the edge finds light.
    let room = 1.0 + 4.0 / side as f32;
    let extent = (high - low).max(Vec3::splat(1e-6)) * Vec3::new(room, room, 1.01);
    let middle = 0.5 * (low + high);
    // x, y to -1..1; z = 0 at the side of the sun, 1 at the far side.
    let scale = Mat4::from_scale(Vec3::new(2.0 / extent.x, 2.0 / extent.y, -1.0 / extent.z));
    let place = Mat4::from_translation(Vec3::new(0.0, 0.0, 0.5)) * scale * Mat4::from_translation(-middle);
    (place * Mat4::from_mat3(axes), extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shadow_map_holds_all_corners_and_near_is_towards_the_sun() {
        let bounds = Bounds { min: Vec3::new(-1.0, 0.0, 4.0), max: Vec3::new(2.0, 1.0, 5.0) };
        let sun = Vec3::new(0.3, 0.9, -0.2).normalize();
        let (light, extent) = light_from_world(&bounds, sun, 512);
        for corner in bounds.corners() {
            let p = light.transform_point3(corner);
            assert!(p.x.abs() <= 1.0 && p.y.abs() <= 1.0 && (0.0..=1.0).contains(&p.z), "{p}");
        }
        let (far, near) = (bounds.center(), bounds.center() + 0.1 * sun);
        let difference = light.transform_point3(far).z - light.transform_point3(near).z;
        assert!((difference * extent.z - 0.1).abs() < 1e-5, "{difference}");
    }

    #[test]
    fn shadow_maps_grow_with_the_number_of_grains_that_they_show() {
        assert_eq!(shadow_size(1.0, 0.05), 512);
        assert_eq!(shadow_size(1.5, 0.01), 1024);
        assert_eq!(shadow_size(1.0, 1e-5), 4096);
    }
}
