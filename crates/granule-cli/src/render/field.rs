//! What `--color-by` means: a field of the frames, or something that follows from one.

use granule::io::{PlyColumn, RunFrame};
use granule_scenery::{Colors, category_color, direction_colors};

/// The colour of materials, the default.
pub const MATERIAL: &str = "material";
/// Names that follow from a field, with that field.
const DERIVED: [(&str, &str); 2] = [("speed", "velocity"), ("height", "position")];
/// What stands behind the name of a vector field whose lengths are to be shown.
const MAGNITUDE: &str = ".magnitude";
/// Numbers that are names: each gets a colour of its own.
const CATEGORIES: [&str; 1] = ["cell"];

/// The field that a run has to write for a colour; `None` where all frames have it.
pub fn needed(color_by: &str) -> Option<&str> {
    match color_by {
        MATERIAL | "height" | "id" => None,
        "speed" => Some("velocity"),
        other => Some(other.strip_suffix(MAGNITUDE).unwrap_or(other)),
    }
}

/// Looks up a field; where the frame lacks it, the error lists what there is.
pub fn values(frame: &RunFrame, name: &str) -> Result<Colors, String> {
    let unit = |name: &str| frame.data.units.get(name).cloned().unwrap_or_default();
    let lengths = |name: &str, unit: String| {
        let vectors = frame.vectors(name)?;
        Some(Colors::Scalar(vectors.iter().map(|vector| vector.length()).collect(), unit))
    };
    let found = match name {
        "height" => {
            let heights = frame.position.iter().map(|position| position.y).collect();
            Some(Colors::Scalar(heights, "m".into()))
        }
        "speed" if frame.data.scalar("speed").is_none() => lengths("velocity", "m/s".into()),
        _ => match (frame.data.columns.iter().find(|(known, _)| known == name), name.strip_suffix(MAGNITUDE))
        {
            (Some((_, PlyColumn::Float(values))), _) => Some(Colors::Scalar(values.clone(), unit(name))),
            (Some((_, PlyColumn::Integer(values))), _) if CATEGORIES.contains(&name) => {
                Some(Colors::Direct(values.iter().map(|value| category_color(*value)).collect()))
            }
            (Some((_, PlyColumn::Integer(values))), _) => {
                Some(Colors::Scalar(values.iter().map(|value| *value as f32).collect(), unit(name)))
            }
            (None, Some(vector)) => lengths(vector, unit(vector)),
            (None, None) => frame.vectors(name).map(|vectors| Colors::Direct(direction_colors(&vectors))),
        },
    };
    found.ok_or_else(|| unknown(frame, name))
}

fn unknown(frame: &RunFrame, name: &str) -> String {
    format!("--color-by {name}: the frames have no such field; they have {}", known(frame).join(", "))
}

/// All that a frame can be coloured by.
fn known(frame: &RunFrame) -> Vec<String> {
    let is_vector = |field: &str| field != "position" && frame.data.vec3(field).is_some();
    let has = |field: &str| field == "position" || is_vector(field);
    let derived = DERIVED.iter().filter(|(_, from)| has(from)).map(|(name, _)| (*name).to_string());
    let bases = frame.data.names().filter_map(|name| name.strip_suffix("_x")).filter(|name| is_vector(name));
    let vectors = bases.flat_map(|name| [name.to_string(), format!("{name}{MAGNITUDE}")]);
    let columns = frame.data.names().filter(|name| !matches!(*name, "x" | "y" | "z")).map(String::from);
    let mut names: Vec<String> =
        [MATERIAL.to_string()].into_iter().chain(derived).chain(vectors).chain(columns).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}
