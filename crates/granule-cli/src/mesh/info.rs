//! `granule mesh info`.

use granule::geometry::{MassProperties, MeshReport, RepairReport, inspect, repair};
use serde::Serialize;

use crate::args::mesh::InfoArgs;
use crate::failure::Failure;
use crate::output;

/// What is said about a mesh.
#[derive(Serialize)]
struct Info {
    file: String,
    #[serde(flatten)]
    report: MeshReport,
    materials: usize,
    texture_coordinates: bool,
    /// What a repair does, where it is possible.
    repair: Option<RepairReport>,
    /// Whether the mesh is a solid after repair.
    usable: bool,
    /// Why not.
    reason: Option<String>,
    /// Of the repaired solid.
    solid: Option<Solid>,
}

/// A solid's volume and moments.
#[derive(Serialize)]
struct Solid {
    volume: f64,
    center: [f64; 3],
    /// Inertia about the centre, over the density [m5], by columns.
    inertia_per_density: [[f64; 3]; 3],
}

/// Prints what a mesh is like.
pub fn info(args: &InfoArgs) -> Result<(), Failure> {
    let mesh = super::load(&args.mesh)?;
    let repaired = repair(&mesh).and_then(|(repaired, report)| {
        report.require_closed()?;
        Ok((MassProperties::new(&repaired, 1.0)?, report))
    });
    let (solid, report, reason) = match repaired {
        Ok((mass, report)) => (Some(mass), Some(report), None),
        Err(error) => (None, None, Some(error.to_string())),
    };
    let info = Info {
        file: args.mesh.file.display().to_string(),
        report: inspect(&mesh),
        materials: mesh.material.len(),
        texture_coordinates: !mesh.uv.is_empty(),
        repair: report,
        usable: reason.is_none(),
        reason,
        solid: solid.map(|mass| Solid {
            volume: mass.volume,
            center: mass.center.into(),
            inertia_per_density: mass.inertia.to_cols_array_2d(),
        }),
    };
    if args.json { output::json(&info) } else { output::text(&in_words(&info)) }
}

fn in_words(info: &Info) -> String {
    let report = &info.report;
    let vector = |v: [f32; 3]| v.map(|x| output::number(f64::from(x))).join(", ");
    let size = [0, 1, 2].map(|axis| report.max[axis] - report.min[axis]);
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_string();
    let mut lines = vec![
        ("triangles", report.triangles.to_string()),
        ("vertices", format!("{} at {} places", report.vertices, report.distinct_vertices)),
        ("bounds", format!("({}) to ({}) m", vector(report.min), vector(report.max))),
        ("size", format!("{} m", vector(size))),
        ("area", format!("{} m2", output::number(report.area))),
        ("volume", if report.closed { format!("{} m3", output::number(report.volume)) } else { "-".into() }),
        ("components", report.components.to_string()),
        ("closed", yes(report.closed)),
    ];
    let faults = [
        ("open edges", report.open_edges),
        ("non-manifold edges", report.non_manifold_edges),
        ("inverted edges", report.inverted_edges),
        ("inverted triangles", report.inverted_triangles),
        ("degenerate triangles", report.degenerate_triangles),
        ("duplicate triangles", report.duplicate_triangles),
    ];
    lines.extend(
        faults.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name, count.to_string())),
    );
    let usable = match (&info.reason, report.sound) {
        (Some(reason), _) => format!("no: {reason}"),
        (None, true) => "yes".into(),
        (None, false) => "yes, after repair".into(),
    };
    lines.push(("usable as a solid", usable));
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = lines.iter().map(|(name, value)| format!("{name:<width$}  {value}")).collect();
    format!("{}\n{}", info.file, lines.join("\n"))
}
