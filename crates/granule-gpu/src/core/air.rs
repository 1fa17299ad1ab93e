//! Wind fields and drag, for shaders.

use glam::Vec3;
use granule::scene::{AirSettings, DragLaw, WindField};

/// Records per wind field, as in drag.wgsl.
const FIELD_RECORDS: usize = 4;

/// The air as records of 16 bytes; times count from `start` \[s\]. A uniform wind set by a command replaces the scene's
/// uniform fields.
pub fn records(settings: &AirSettings, uniform: Option<Vec3>, start: f64) -> Vec<[f32; 4]> {
    let commanded = uniform.map(|velocity| WindField::Uniform { velocity: velocity.to_array() });
    let kept = |field: &&WindField| uniform.is_none() || !matches!(field, WindField::Uniform { .. });
    let fields: Vec<&WindField> = settings.wind.iter().filter(kept).chain(&commanded).collect();
    let coefficient = match settings.drag {
        DragLaw::Constant(value) => value,
        DragLaw::Reynolds => -1.0,
    };
    let shields = f32::from(u8::from(settings.occlusion));
    let mut records = vec![
        [settings.density, settings.viscosity, settings.grain_diameter.unwrap_or(0.0), coefficient],
        [shields, fields.len() as f32, 0.0, 0.0],
    ];
    let mut grids = Vec::new();
    let first_grid = records.len() + FIELD_RECORDS * fields.len();
    for field in fields {
        records.extend(field_records(field, start, first_grid, &mut grids));
    }
    records.extend(grids);
    records
}

fn field_records(
    field: &WindField,
    start: f64,
    first_grid: usize,
    grids: &mut Vec<[f32; 4]>,
) -> [[f32; 4]; FIELD_RECORDS] {
    let row = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    match field {
        WindField::Uniform { velocity } => [[0.0; 4], row(*velocity), [0.0; 4], [0.0; 4]],
        WindField::Vortex { center, axis, core_radius, speed } => {
            let axis = Vec3::from(*axis).normalize_or_zero().to_array();
            [[1.0, *core_radius, *speed, 0.0], row(*center), row(axis), [0.0; 4]]
        }
        WindField::Gust { center, radius, velocity, time: [from, to] } => {
            let times = [(from - start) as f32, (to - start) as f32];
            [[2.0, *radius, times[0], times[1]], row(*center), row(*velocity), [0.0; 4]]
        }
        WindField::Grid { origin, spacing, size, velocity } => {
            let first = (first_grid + grids.len()) as f32;
            grids.extend(velocity.iter().map(|v| row(*v)));
            [[3.0, first, 0.0, 0.0], row(*origin), row(*spacing), row(size.map(|n| n as f32))]
        }
    }
}
