//! `granule mesh sample`.

use granule::geometry::sample::{Ball, MeshSolid, SampleError, Spread, lattice, random, relaxed, surface};
use granule::geometry::{MeshTree, TriangleMesh, repair};
use granule::io::{Oriented, write_ply};
use granule::scene::UpAxis;
use granule::simulator::{FieldData, FieldInfo, FieldKind, Snapshot};
use serde::Serialize;

use crate::args::mesh::{FillName, SampleArgs, SampleMode};
use crate::failure::Failure;
use crate::output;

/// What was made.
#[derive(Serialize)]
struct Sampled {
    file: String,
    count: usize,
    /// Volume of the spheres over that of the mesh; for volumes.
    fraction: Option<f64>,
    seconds: f64,
}

/// Writes spheres in a mesh or points on it.
pub fn sample(args: &SampleArgs) -> Result<(), Failure> {
    super::check_output(&args.output, &["ply"])?;
    if args.spread.is_some() && (args.fill != FillName::Random || args.mode != SampleMode::Volume) {
        return Err(Failure::Input(
            "--spread: only --mode volume --fill random takes different radii".into(),
        ));
    }
    let start = std::time::Instant::now();
    let (snapshot, fraction) = match args.mode {
        SampleMode::Volume => in_volume(args)?,
        SampleMode::Surface => (on_surface(args)?, None),
    };
    let count = snapshot.columns.first().map_or(0, |(_, data)| match data {
        FieldData::Integer(ids) => ids.len(),
        _ => 0,
    });
    let seconds = start.elapsed().as_secs_f64();
    write_ply(&args.output, &Oriented::new(&snapshot, UpAxis::Y))
        .map_err(|error| super::not_written(&args.output, error))?;
    let sampled = Sampled { file: args.output.display().to_string(), count, fraction, seconds };
    if args.json {
        return output::json(&sampled);
    }
    let part = fraction.map(|part| format!(", {} of the volume", output::number(part))).unwrap_or_default();
    let what = if fraction.is_some() { "spheres" } else { "points" };
    output::text(&format!("{}: {count} {what}{part}", sampled.file))
}

fn in_volume(args: &SampleArgs) -> Result<(Snapshot, Option<f64>), Failure> {
    let mesh = super::load_solid(&args.mesh)?;
    let balls = fill(&mesh, args).map_err(|error| super::wrong(&args.mesh, error))?;
    let sphere = |ball: &Ball| 4.0 / 3.0 * std::f64::consts::PI * f64::from(ball.radius).powi(3);
    let fraction = balls.iter().map(sphere).sum::<f64>() / mesh.signed_volume();
    let radius = balls.iter().map(|ball| ball.radius).collect();
    let snapshot = snapshot(
        balls.iter().map(|ball| ball.center.into()).collect(),
        (info("radius", "m", FieldKind::Scalar), FieldData::Scalar(radius)),
    );
    Ok((snapshot, Some(fraction)))
}

fn fill(mesh: &TriangleMesh, args: &SampleArgs) -> Result<Vec<Ball>, String> {
    let spread = args.spread.unwrap_or_default();
    let smallest = spread.limits(args.radius).0;
    let solid = MeshSolid::new(mesh, smallest).map_err(|error| error.to_string())?;
    let balls: Result<Vec<Ball>, SampleError> = match args.fill {
        FillName::Random => random(&solid, args.radius, spread, args.seed),
        FillName::Relaxed => relaxed(&solid, args.radius, args.seed),
        FillName::Lattice => lattice(&solid, args.radius),
    };
    balls.map_err(|error| match spread {
        Spread::None => format!("--radius {}: {error}", args.radius),
        spread => format!("--spread {spread}: {error}"),
    })
}

fn on_surface(args: &SampleArgs) -> Result<Snapshot, Failure> {
    let mesh = super::load(&args.mesh)?;
    let (mesh, _) = repair(&mesh).map_err(|error| super::wrong(&args.mesh, error))?;
    let points = surface(&mesh, &MeshTree::new(&mesh), args.radius, args.seed)
        .map_err(|error| super::wrong(&args.mesh, format!("--radius {}: {error}", args.radius)))?;
    Ok(snapshot(
        points.iter().map(|point| point.position.into()).collect(),
        (
            info("normal", "1", FieldKind::Vec3),
            FieldData::Vec3(points.iter().map(|point| point.normal.into()).collect()),
        ),
    ))
}

fn info(name: &'static str, unit: &'static str, kind: FieldKind) -> FieldInfo {
    FieldInfo { name, unit, kind }
}

fn snapshot(position: Vec<[f32; 3]>, more: (FieldInfo, FieldData)) -> Snapshot {
    let id = FieldData::Integer((0..position.len() as u32).collect());
    let columns = vec![
        (info("id", "1", FieldKind::Integer), id),
        (info("position", "m", FieldKind::Vec3), FieldData::Vec3(position)),
        more,
    ];
    Snapshot { time: 0.0, columns }
}
