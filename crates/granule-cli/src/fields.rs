//! `granule fields`: density, velocity, stress and fabric of a frame on a grid.

use std::path::Path;

use granule::coarse_graining::{CoarseFields, CoarseGrain, FieldGrid, coarse_grain};
use granule::io::{GridField, RunFrame, RunFrames, Shown, encode_grid_vti, write_bytes_atomic};
use granule::material::particle_mass;
use granule::scene::Scene;
use granule::simulator::{FieldData, FieldInfo, FieldKind};

use crate::args::FieldsArgs;
use crate::failure::Failure;
use crate::output;

/// Cut-off in mean diameters, and nodes along it.
const CUTOFF: f32 = 3.0;
const NODES_PER_CUTOFF: f32 = 3.0;

/// Most nodes of a grid.
const MOST_NODES: f64 = 2e7;

/// Writes the fields of a frame.
pub fn fields(args: &FieldsArgs) -> Result<(), Failure> {
    check_output(&args.output)?;
    let frames = RunFrames::open(&args.run)?;
    let entry = frames.choose(args.time)?;
    let frame = frames.read(entry, Some(Shown::Low))?;
    let grains = grains_of(&args.run, frames.scene(), &frame)?;
    // Without contacts there is no stress but that of motion.
    let contacts = if entry.contacts_file.is_some() { Some(frames.contacts(entry)?) } else { None };
    let mean = frame.radius.iter().sum::<f32>() / frame.radius.len() as f32;
    let cutoff = args.cutoff.unwrap_or(2.0 * CUTOFF * mean);
    let grid = grid_of(args, frames.scene(), &frame, cutoff)?;
    let found = coarse_grain(&grid, cutoff, &grains, contacts.as_deref().unwrap_or_default());
    let columns = columns(found, contacts.is_some());
    let bytes = encode_grid_vti(grid.origin, grid.spacing, grid.nodes, &columns);
    write_bytes_atomic(&args.output, &bytes)
        .map_err(|error| Failure::Run(format!("{}: {error}", args.output.display())))?;
    if contacts.is_none() {
        eprintln!(
            "granule: {}: frame {} has no contacts, so there is neither their stress nor a fabric; run the scene again with \
             --contacts",
            args.run.display(),
            frame.number
        );
    }
    output::text(&format!(
        "{}: frame {} at {} s, {} x {} x {} nodes, cut-off {} m",
        args.output.display(),
        frame.number,
        output::number(frame.time),
        grid.nodes.x,
        grid.nodes.y,
        grid.nodes.z,
        output::number(f64::from(cutoff))
    ))
}

fn check_output(path: &Path) -> Result<(), Failure> {
    let wrong = |reason: &str| Err(Failure::Input(format!("-o {}: {reason}", path.display())));
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("vti")) {
        return wrong("must end in .vti");
    }
    if path.exists() {
        return wrong("is there already; name another file");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return wrong("there is no such folder to write to");
    }
    Ok(())
}

/// Grains with the masses that their materials give them. Spheres of a rigid grain count as if they did not overlap.
fn grains_of(run: &Path, scene: &Scene, frame: &RunFrame) -> Result<Vec<CoarseGrain>, Failure> {
    let missing = || {
        let hint = "run the scene again with `velocity` among output.fields";
        Failure::Input(format!("{}: frame {} has no velocities; {hint}", run.display(), frame.number))
    };
    let velocity = frame.vectors("velocity").ok_or_else(missing)?;
    let can = scene.simulation.solver.capabilities();
    let material = frame.data.integer("material").unwrap_or_default();
    let density = |k: usize| {
        let number = material.get(k).map_or(0, |number| *number as usize);
        scene.material.get(number).or(scene.material.first()).map_or(0.0, |material| material.density)
    };
    let grain = |(k, (position, velocity))| CoarseGrain {
        position,
        velocity,
        mass: particle_mass(can, density(k), frame.radius[k]),
    };
    Ok(frame.position.iter().copied().zip(velocity).enumerate().map(grain).collect())
}

fn grid_of(args: &FieldsArgs, scene: &Scene, frame: &RunFrame, cutoff: f32) -> Result<FieldGrid, Failure> {
    let periodic = scene.simulation.periodic;
    let spacing = args.spacing.unwrap_or(cutoff / NODES_PER_CUTOFF);
    let grid = FieldGrid::around(&frame.position, [periodic.x, periodic.y, periodic.z], spacing, cutoff);
    let nodes = grid.nodes.as_dvec3().element_product();
    if nodes > MOST_NODES {
        let wider = f64::from(spacing) * (nodes / MOST_NODES).cbrt();
        return Err(Failure::Input(format!(
            "--spacing {spacing}: {} nodes are more than {}; take {} m or more",
            output::number(nodes),
            output::number(MOST_NODES),
            output::number(1.02 * wider)
        )));
    }
    Ok(grid)
}

/// Fields with their names and units; those of contacts only where contacts are known.
fn columns(fields: CoarseFields, contacts: bool) -> Vec<GridField> {
    let column = |name, unit, kind, data| (FieldInfo { name, unit, kind }, data);
    let tensor = |name, unit, data| column(name, unit, FieldKind::Tensor, FieldData::Tensor(data));
    let scalar = |name, unit, data| column(name, unit, FieldKind::Scalar, FieldData::Scalar(data));
    let mut columns = vec![
        scalar("density", "kg/m3", fields.density),
        column("velocity", "m/s", FieldKind::Vec3, FieldData::Vec3(fields.velocity)),
        tensor("kinetic_stress", "Pa", fields.kinetic_stress),
    ];
    if contacts {
        columns.push(tensor("contact_stress", "Pa", fields.contact_stress));
        columns.push(scalar("contact_density", "1/m3", fields.contact_density));
        columns.push(tensor("fabric", "1", fields.fabric));
    }
    columns
}
