//! Colours of grains.

use glam::Vec3;
use granule::Scene;
use granule_render::{Paint, SphereTag};

/// What gives grains their colours.
pub enum Colors {
    /// Numbers on a colour map, with their unit.
    Scalar(Vec<f32>, String),
    /// Colours.
    Direct(Vec<Vec3>),
}

/// The materials' own colours: the value of a grain is the number of its material.
pub fn material_paint(scene: &Scene) -> Paint {
    Paint::Material { albedo: scene.material.iter().map(|material| Vec3::from(material.albedo)).collect() }
}

/// A colour for a number that is a name: hues by the golden ratio, which keeps those of near numbers far apart.
pub fn category_color(number: u32) -> Vec3 {
    let scrambled = number.wrapping_mul(0x9e37_79b1);
    let hue = scrambled as f32 / u32::MAX as f32 * 6.0;
    let light = if scrambled & 0x40 == 0 { 0.95 } else { 0.7 };
    let part = |shift: f32| ((hue + shift) % 6.0 - 3.0).abs().clamp(1.0, 2.0) - 1.0;
    (0.25 + 0.75 * Vec3::new(part(0.0), part(4.0), part(2.0))) * light
}

/// Colours of vectors: their direction, paler the slower, black at rest.
pub fn direction_colors(vectors: &[Vec3]) -> Vec<Vec3> {
    let mut lengths: Vec<f32> =
        vectors.iter().map(|vector| vector.length()).filter(|l| l.is_finite()).collect();
    lengths.sort_by(f32::total_cmp);
    let fast = lengths.get(lengths.len() * 98 / 100).copied().unwrap_or(1.0).max(f32::MIN_POSITIVE);
    let color = |vector: &Vec3| {
        let direction = vector.normalize_or_zero();
        (0.5 + 0.5 * direction) * (vector.length() / fast).clamp(0.0, 1.0)
    };
    vectors.iter().map(color).collect()
}

/// Tags of particles for numbers; what is not finite gets the lowest colour.
pub fn scalar_tags(values: &[f32], id: &[u32]) -> Vec<SphereTag> {
    let finite = |value: f32| if value.is_finite() { value } else { f32::MIN };
    values.iter().zip(id).map(|(value, id)| SphereTag { value: finite(*value), id: *id }).collect()
}
