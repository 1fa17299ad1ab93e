//! Pictures without any graphics device: the same camera, light and colours on CPU cores, without occlusion.

mod field;
mod overlay;
mod raster;
mod seen;
mod shadow;
mod sphere;
mod triangle;

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use crate::RenderError;
use crate::colormap::{linear_from_srgb, srgb_from_linear};
use crate::frame::FrameParams;
use crate::image::Image;
use crate::primitives::unpack_color;
use crate::render_scene::{Paint, RenderScene};
use crate::render_settings::RenderSettings;
use crate::shading::{
    background, bumped_normal, dither, grain_tint, grain_wave, inverse_tone_map, mark_tone, own_shadow,
    smoothstep, surface_light, tone_map,
};
use crate::spheres::{SphereSource, SphereTag};
use field::FieldTracer;
use overlay::Overlay;
use raster::Raster;
use seen::{Seen, Surface};
use shadow::ShadowMap;
use triangle::triangle_at;

/// Draws a picture on CPU cores.
///
/// # Errors
/// Says what is wrong with the scene or the settings.
pub fn draw_in_software(scene: &RenderScene, settings: &RenderSettings) -> Result<Image, RenderError> {
    settings.check(scene)?;
    if matches!(scene.spheres, SphereSource::Buffers(_)) {
        return Err(RenderError::OnDevice);
    }
    let frame = FrameParams::new(scene, settings, settings.supersampling);
    let field = scene.field.map(|view| FieldTracer::new(view, &frame));
    let raster = Raster::new(&frame, scene, field.as_ref());
    let painter = Painter {
        frame: &frame,
        scene,
        table: scene.paint.table(),
        shadow: (frame.sun.w > 0.0).then(|| ShadowMap::new(&frame, scene)),
        overlay: Overlay::new(&frame, scene, &raster),
        raster: &raster,
        field,
    };
    let scale = settings.supersampling;
    let mut pixels = vec![[0; 4]; settings.width as usize * settings.height as usize];
    pixels.par_chunks_mut(settings.width as usize).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = painter.pixel(x as u32, y as u32, scale);
        }
    });
    Ok(Image::from_pixels(settings.width, settings.height, pixels))
}

/// All that the colour of a pixel depends on.
struct Painter<'a> {
    frame: &'a FrameParams,
    scene: &'a RenderScene<'a>,
    table: Vec<Vec3>,
    shadow: Option<ShadowMap>,
    raster: &'a Raster,
    overlay: Overlay<'a>,
    field: Option<FieldTracer<'a>>,
}

impl Painter<'_> {
    /// The mean of a pixel's samples in sRGB bytes.
    fn pixel(&self, x: u32, y: u32, scale: u32) -> [u8; 4] {
        let mut sum = Vec3::ZERO;
        for sample in 0..scale * scale {
            let light = self.sample(x * scale + sample % scale, y * scale + sample / scale);
            sum += if self.frame.sky.w > 0.0 { tone_map(light) } else { light };
        }
        let mut color = srgb_from_linear((sum / (scale * scale) as f32).clamp(Vec3::ZERO, Vec3::ONE));
        if self.frame.sky.w > 0.0 {
            // Smooth gradients would show bands of equal bytes.
            color += (dither(Vec2::new(x as f32 + 0.5, y as f32 + 0.5)) - 0.5) / 255.0;
        }
        let [r, g, b] = (color * 255.0).round().to_array().map(|part| part as u8);
        [r, g, b, 255]
    }

    /// Light of a sample, with what is transparent in front of it.
    fn sample(&self, x: u32, y: u32) -> Vec3 {
        let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let view_ray = self.frame.view_ray(place);
        let seen = self.raster.at(x, y);
        let mut light = self.surface(seen, view_ray, place);
        for layer in self.overlay.at(x, y) {
            light = light.lerp(layer.truncate(), layer.w);
        }
        light
    }

    fn surface(&self, seen: Seen, view_ray: Vec3, place: Vec2) -> Vec3 {
        let frame = self.frame;
        let ray = frame.world_from_view.transform_vector3(view_ray).normalize();
        if seen.distance.is_infinite() {
            return background(frame, ray);
        }
        let view_point = view_ray * seen.distance;
        let eye = frame.world_from_view.w_axis.truncate();
        let point = eye + frame.world_from_view.transform_vector3(view_point);
        let mut day = 1.0;
        let (albedo, normal) = match (seen.surface, &self.field) {
            (Surface::Sphere(index), _) => {
                let (albedo, round, bumped) = self.sphere(index, point, ray);
                day = own_shadow(round, frame.sun_direction.truncate(), frame.zenith.w);
                (albedo, bumped)
            }
            (Surface::Triangle { body, triangle }, _) => {
                triangle_at(frame, &self.scene.meshes[body as usize], triangle, view_point)
            }
            (Surface::Iso, Some(field)) => (field.iso_color(), field.iso_normal(view_point, ray)),
            (Surface::Cut, Some(field)) => (field.iso_color(), field.cut_normal(frame, ray)),
            (Surface::Slice, Some(field)) => {
                let color = field.slice_color(frame, view_point);
                return if frame.sky.w == 0.0 { color } else { inverse_tone_map(color) };
            }
            _ => return self.ground(point, ray, place),
        };
        if frame.sky.w == 0.0 {
            return albedo;
        }
        let sunlit = day * self.sunlight(point, normal, place);
        surface_light(frame, albedo, normal, -ray, frame.bounce.w, sunlit, 1.0)
    }

    /// Colour of a ball at a point, normal of the perfect sphere, and normal of the grain.
    fn sphere(&self, index: u32, point: Vec3, ray: Vec3) -> (Vec3, Vec3, Vec3) {
        let (spheres, tags) = self.scene.spheres.in_memory();
        let [x, y, z, radius] = spheres[index as usize];
        let tag = tags[index as usize];
        let round = ((point - Vec3::new(x, y, z)) / radius).normalize_or(-ray);
        let waves = [0, 1, 2].map(|wave| grain_wave(tag.id, wave));
        let turn = self.scene.spheres.orientations().get(index as usize);
        let tone = mark_tone(turn.map_or(Vec4::ZERO, |turn| Vec4::from(*turn)), round);
        (self.albedo(&tag) * tone, round, bumped_normal(round, waves, self.frame.zenith.w))
    }

    fn ground(&self, point: Vec3, ray: Vec3, place: Vec2) -> Vec3 {
        let frame = self.frame;
        let sunlit = self.sunlight(point, Vec3::Y, place);
        let light = surface_light(frame, frame.ground.truncate(), Vec3::Y, -ray, 0.0, sunlit, 1.0);
        let fade = frame.ground_fade;
        let away = Vec2::new(point.x, point.z).distance(Vec2::new(fade.x, fade.y));
        light.lerp(background(frame, ray), smoothstep(fade.z, fade.w, away))
    }

    fn sunlight(&self, point: Vec3, normal: Vec3, place: Vec2) -> f32 {
        self.shadow.as_ref().map_or(1.0, |map| map.sunlight(self.frame, point, normal, place))
    }

    /// Twin of `albedo_of` in `shader/spheres.wgsl`.
    fn albedo(&self, tag: &SphereTag) -> Vec3 {
        match self.scene.paint {
            Paint::Direct => linear_from_srgb(unpack_color(tag.value.to_bits()).truncate()),
            Paint::Scalar { .. } => {
                let place = ((tag.value - self.frame.paint.x) * self.frame.paint.y).clamp(0.0, 1.0) * 255.0;
                let below = (place as usize).min(254);
                self.table[below].lerp(self.table[below + 1], place - below as f32)
            }
            Paint::Material { .. } => {
                self.table[tag.value.clamp(0.0, 255.0) as usize] * grain_tint(tag.id, self.frame.paint.w)
            }
        }
    }
}
