//! What `--color-by` means: a field of the frames, or something that follows from one.

use glam::Vec3;
use granule::io::PlyColumn;
use granule_render::SphereTag;

use super::frames::Frame;

/// The colour of materials, the default.
pub const MATERIAL: &str = "material";
/// Names that follow from a field, with that field.
const DERIVED: [(&str, &str); 2] = [("speed", "velocity"), ("height", "position")];
/// Vectors are shown by their directions: x red, y green, z blue.
const VECTORS: [&str; 1] = ["velocity"];

/// The field that a run has to write for a colour; `None` where all frames have it.
pub fn needed(color_by: &str) -> Option<&str> {
    match color_by {
        MATERIAL | "height" | "id" => None,
        "speed" => Some("velocity"),
        other => Some(other),
    }
}

/// The values of a frame's particles.
pub enum Values {
    /// Numbers on a colour map, with their unit.
    Scalar(Vec<f32>, String),
    /// Colours.
    Direct(Vec<Vec3>),
}

/// Looks up a field; where the frame lacks it, the error lists what there is.
pub fn values(frame: &Frame, name: &str) -> Result<Values, String> {
    if VECTORS.contains(&name) {
        let vectors = frame.vectors(name).ok_or_else(|| unknown(frame, name))?;
        return Ok(Values::Direct(directions(&vectors)));
    }
    let unit = |name: &str| frame.data.units.get(name).cloned().unwrap_or_default();
    match name {
        "height" => {
            Ok(Values::Scalar(frame.position.iter().map(|position| position.y).collect(), "m".into()))
        }
        "speed" if frame.data.scalar("speed").is_none() => {
            let velocity = frame.vectors("velocity").ok_or_else(|| unknown(frame, name))?;
            Ok(Values::Scalar(velocity.iter().map(|velocity| velocity.length()).collect(), "m/s".into()))
        }
        _ => match frame.data.columns.iter().find(|(known, _)| known == name) {
            Some((_, PlyColumn::Float(values))) => Ok(Values::Scalar(values.clone(), unit(name))),
            Some((_, PlyColumn::Integer(values))) => {
                Ok(Values::Scalar(values.iter().map(|value| *value as f32).collect(), unit(name)))
            }
            None => Err(unknown(frame, name)),
        },
    }
}

fn unknown(frame: &Frame, name: &str) -> String {
    format!("--color-by {name}: the frames have no such field; they have {}", known(frame).join(", "))
}

/// All that a frame can be coloured by.
fn known(frame: &Frame) -> Vec<String> {
    let has = |field: &str| {
        field == "position" || frame.data.names().any(|name| name == field || name == format!("{field}_x"))
    };
    let derived = DERIVED.iter().filter(|(_, from)| has(from)).map(|(name, _)| (*name).to_string());
    let vectors = VECTORS.iter().filter(|name| has(name)).map(|name| (*name).to_string());
    let columns = frame.data.names().filter(|name| !matches!(*name, "x" | "y" | "z")).map(String::from);
    let mut names: Vec<String> =
        [MATERIAL.to_string()].into_iter().chain(derived).chain(vectors).chain(columns).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Colours of vectors: their direction, paler the slower, black at rest.
fn directions(vectors: &[Vec3]) -> Vec<Vec3> {
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
