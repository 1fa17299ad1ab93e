//! The mathematics of surfaces; every function has a twin of the same name in `shader/shading.wgsl`.

use glam::{Quat, Vec2, Vec3, Vec4};

use crate::frame::FrameParams;

/// Scrambles a number: two rounds of multiplication and shifts, a permutation of all 32-bit numbers.
pub fn hash_u32(value: u32) -> u32 {
    let mut x = value.wrapping_add(0x9e37_79b9);
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// A number from 0 to 1 out of a grain's identity; `channel` tells several of them apart.
pub fn grain_random(id: u32, channel: u32) -> f32 {
    (hash_u32(id.wrapping_mul(8).wrapping_add(channel)) >> 8) as f32 / 16_777_216.0
}

/// Factor on the colour of a grain: some are darker, some lighter, some redder; one in ten is of another stone.
pub fn grain_tint(id: u32, variation: f32) -> Vec3 {
    let brightness = 1.0 + variation * 0.44 * (grain_random(id, 0) - 0.5);
    let warmth = variation * 0.10 * (grain_random(id, 1) - 0.5);
    let stone = grain_random(id, 2);
    let kind = if stone < 0.06 {
        Vec3::new(0.50, 0.48, 0.50)
    } else if stone > 0.96 {
        Vec3::new(1.22, 1.28, 1.42)
    } else {
        Vec3::ONE
    };
    Vec3::new(1.0 + warmth, 1.0, 1.0 - 1.6 * warmth) * (Vec3::ONE.lerp(kind, variation) * brightness)
}

/// A wave over a grain: its unit direction and, in w, its phase.
pub fn grain_wave(id: u32, wave: u32) -> Vec4 {
    let channel = 3 + wave;
    let angle = std::f32::consts::TAU * grain_random(id, channel);
    let height = 2.0 * grain_random(id ^ 0x5bd1_e995, channel) - 1.0;
    let flat = (1.0 - height * height).max(0.0).sqrt();
    Vec4::new(flat * angle.cos(), height, flat * angle.sin(), angle)
}

/// The normal of a grain that is not a perfect sphere: tilted by three waves of random direction, never away from the
/// side that it is seen from.
pub fn bumped_normal(normal: Vec3, waves: [Vec4; 3], bumps: f32) -> Vec3 {
    let mut tilted = normal;
    for (k, wave) in waves.iter().enumerate() {
        let axis = wave.truncate();
        let phase = 3.0 * axis.dot(normal) * (1.0 + 0.5 * k as f32) + wave.w;
        tilted += axis * (bumps * phase.cos());
    }
    (tilted - normal * tilted.dot(normal).min(0.0)).normalize_or(normal)
}

/// Factor on the colour at a place of a sphere with marks: in the sphere's own axes, two opposite quarters around y are darker.
/// `orientation` is world from body, or 0 for spheres without marks.
pub fn mark_tone(orientation: Vec4, normal: Vec3) -> f32 {
    if orientation.length_squared() < 0.5 {
        return 1.0;
    }
    let local = Quat::from_vec4(orientation).conjugate() * normal;
    0.4 + 0.6 * smoothstep(-0.06, 0.06, local.x * local.z)
}

/// Share of the sun at a place of a sphere that is not turned away from it.
///
/// Bumps tilt normals across the border of day and night, where the sphere's own shadow would cut off the light along a
/// hard line; so the light fades out before. `normal` is that of the perfect sphere.
pub fn own_shadow(normal: Vec3, sun: Vec3, bumps: f32) -> f32 {
    if bumps > 0.0 { smoothstep(0.0, 1.5 * bumps, normal.dot(sun)) } else { 1.0 }
}

/// A cubic step from 0 at `low` to 1 at `high`.
pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A number from 0 to 1 for a pixel, without a visible period: the interleaved gradient noise of Jimenez 2014.
pub fn dither(pixel: Vec2) -> f32 {
    (52.982_919 * pixel.dot(Vec2::new(0.067_110_56, 0.005_837_15)).fract()).fract()
}

/// Diffuse reflection of a rough surface, relative to its albedo.
///
/// ```text
/// f = max(n.l, 0) (A + B s / t)     s = l.v - (n.l)(n.v)     t = max(n.l, n.v) for s > 0, else 1
/// A = 1 - 0.5 a / (a + 0.33)        B = 0.45 a / (a + 0.09)  a = roughness^2
/// ```
/// The qualitative model of Oren and Nayar 1994 (eq. 30), with the angles written as dot products.
pub fn rough_diffuse(normal: Vec3, light: Vec3, view: Vec3, roughness: f32) -> f32 {
    let n_l = normal.dot(light);
    let n_v = normal.dot(view).max(0.0);
    if n_l <= 0.0 {
        return 0.0;
    }
    let variance = roughness * roughness;
    let a = 1.0 - 0.5 * variance / (variance + 0.33);
    let b = 0.45 * variance / (variance + 0.09);
    let s = light.dot(view) - n_l * n_v;
    let t = if s > 0.0 { n_l.max(n_v).max(1e-4) } else { 1.0 };
    n_l * (a + b * s / t)
}

/// Light that leaves a surface towards the viewer.
///
/// `sunlit` is the share of the sun that arrives, `open` the share of the sky.
#[allow(clippy::too_many_arguments)]
pub fn surface_light(
    frame: &FrameParams,
    albedo: Vec3,
    normal: Vec3,
    view: Vec3,
    highlight: f32,
    sunlit: f32,
    open: f32,
) -> Vec3 {
    let sun = frame.sun_direction.truncate();
    let diffuse = rough_diffuse(normal, sun, view, frame.horizon.w);
    let half = (sun + view).normalize_or(normal);
    let glint = if normal.dot(sun) > 0.0 { highlight * normal.dot(half).max(0.0).powf(24.0) } else { 0.0 };
    let above = 0.5 + 0.5 * normal.y;
    let ambient = frame.bounce.truncate().lerp(frame.sky.truncate(), above) * open;
    let direct = frame.sun.truncate() * sunlit;
    albedo * (direct * diffuse + ambient) + direct * glint
}

/// Colour of the background in a direction.
pub fn background(frame: &FrameParams, direction: Vec3) -> Vec3 {
    let height = direction.y.clamp(0.0, 1.0).powf(0.6);
    frame.horizon.truncate().lerp(frame.zenith.truncate(), height)
}

/// Compresses light above 0.7 smoothly below 1 and leaves the rest as it is.
///
/// ```text
/// y = x for x <= k,  k + (1 - k) (1 - exp(-(x - k) / (1 - k))) above,  k = 0.7
/// ```
pub fn tone_map(light: Vec3) -> Vec3 {
    const KNEE: f32 = 0.7;
    let over = (light - KNEE).max(Vec3::ZERO) / (1.0 - KNEE);
    light.min(Vec3::splat(KNEE)) + (1.0 - KNEE) * (Vec3::ONE - (-over).exp())
}

/// The light that [`tone_map`] turns into a colour, for surfaces that show their colours as they are.
pub fn inverse_tone_map(color: Vec3) -> Vec3 {
    const KNEE: f32 = 0.7;
    let over = ((color - KNEE) / (1.0 - KNEE)).clamp(Vec3::ZERO, Vec3::splat(0.9999));
    color.min(Vec3::splat(KNEE)) - (1.0 - KNEE) * (Vec3::ONE - over).map(f32::ln)
}

/// How much farther away transparent surfaces count as, relative to their distance: where one lies on a solid or on the
/// ground, rounding would else show it in stripes.
pub const SET_BACK: f32 = 1e-4;

/// Light and opacity of a transparent surface, lit from both sides; `ray` leads from the eye to it. It is more opaque
/// where it is seen at a flat angle, as glass is.
pub fn glass(frame: &FrameParams, color: Vec4, normal: Vec3, ray: Vec3) -> Vec4 {
    let facing = if normal.dot(ray) < 0.0 { normal } else { -normal };
    let light = surface_light(frame, color.truncate(), facing, -ray, 0.0, 0.6, 1.0);
    let flatness = 1.0 - ray.dot(normal).abs();
    light.extend(color.w + (1.0 - color.w) * 0.35 * flatness.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_without_roughness_follows_lambert() {
        let n = Vec3::Y;
        for angle in [0.0f32, 0.4, 1.0, 1.5] {
            let light = Vec3::new(angle.sin(), angle.cos(), 0.0);
            let found = rough_diffuse(n, light, Vec3::new(0.6, 0.8, 0.0), 0.0);
            assert!((found - angle.cos()).abs() < 1e-6);
        }
        assert_eq!(rough_diffuse(n, Vec3::NEG_Y, n, 0.5), 0.0);
    }

    #[test]
    fn rough_surfaces_are_brighter_towards_the_light() {
        // Oren and Nayar 1994: back-scattering. With l = v, s = sin^2, t = cos: cos (A + B sin^2 / cos).
        let light = Vec3::new(0.8, 0.6, 0.0);
        let back = rough_diffuse(Vec3::Y, light, light, 0.5);
        let variance = 0.25;
        let (a, b) = (1.0 - 0.5 * variance / (variance + 0.33), 0.45 * variance / (variance + 0.09));
        assert!((back - (0.6 * a + b * 0.64)).abs() < 1e-5, "{back}");
        assert!(back > rough_diffuse(Vec3::Y, light, Vec3::new(-0.8, 0.6, 0.0), 0.5));
    }

    #[test]
    fn tints_average_to_the_material_and_differ() {
        let count = 20_000;
        let mean: Vec3 = (0..count).map(|id| grain_tint(id, 1.0)).sum::<Vec3>() / count as f32;
        assert!((mean - Vec3::ONE).abs().max_element() < 0.04, "{mean}");
        assert_ne!(grain_tint(1, 1.0), grain_tint(2, 1.0));
        assert_eq!(grain_tint(1, 0.0), Vec3::ONE);
    }

    #[test]
    fn marks_turn_with_their_sphere() {
        let bright = Vec3::new(1.0, 0.3, 1.0).normalize();
        let dark = Vec3::new(-1.0, 0.3, 1.0).normalize();
        let identity = Vec4::W;
        assert_eq!((mark_tone(identity, bright), mark_tone(identity, dark)), (1.0, 0.4));
        let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        assert_eq!(mark_tone(turn.into(), turn * bright), 1.0);
        assert_eq!(mark_tone(turn.into(), turn * dark), 0.4);
        assert_eq!(mark_tone(Vec4::ZERO, dark), 1.0);
    }

    fn waves(id: u32) -> [Vec4; 3] {
        [0, 1, 2].map(|wave| grain_wave(id, wave))
    }

    #[test]
    fn bumped_normals_are_unit_and_face_outward() {
        for id in 0..500 {
            let normal = Vec3::new(grain_random(id, 0) - 0.5, 0.3, grain_random(id, 1) - 0.5).normalize();
            let bumped = bumped_normal(normal, waves(id), 0.4);
            assert!((bumped.length() - 1.0).abs() < 1e-5 && bumped.dot(normal) >= -1e-5);
        }
        assert_eq!(bumped_normal(Vec3::Y, waves(7), 0.0), Vec3::Y);
    }

    #[test]
    fn tone_mapping_keeps_the_dark_and_stays_below_one() {
        assert_eq!(tone_map(Vec3::splat(0.5)), Vec3::splat(0.5));
        let bright = tone_map(Vec3::splat(5.0)).x;
        assert!((0.99..=1.0).contains(&bright));
        assert!(tone_map(Vec3::splat(1.0)).x > tone_map(Vec3::splat(0.9)).x);
        for k in 0..=100 {
            let color = Vec3::splat(k as f32 / 100.0);
            assert!((tone_map(inverse_tone_map(color)) - color).length() < 1e-3, "{color}");
        }
    }
}
