//! What only the CPU's solver finds of a state: contacts as data, and fields that they give. It is restored from the
//! device's own checkpoint, so it costs as much as one; nothing that runs per step asks for it.

use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::contacts::Contact;
use granule::grains::GrainShapes;
use granule::scene::{Scene, SolverKind};
use granule::simulator::{FieldData, Simulator, Snapshot, StateError};
use granule::solver::{SolverEntry, SolverInput};
use granule::team::Team;

/// Fields that contacts give.
pub const FIELDS: &[&str] = &["contact_force", "pressure", "von_mises", "stress"];

/// The same, and what the table of rigid grains gives.
pub const FIELDS_WITH_CLUMPS: &[&str] = &["contact_force", "pressure", "von_mises", "stress", "orientation"];

/// The CPU's solver in the state of a checkpoint.
fn solver(
    kind: SolverKind,
    state: &[u8],
    scene: &Scene,
    boundaries: &Boundaries,
    grain_shapes: &GrainShapes,
) -> Result<Box<dyn Simulator>, StateError> {
    let mut boundaries = boundaries.clone();
    let bodies = Bodies::for_state(scene, &mut boundaries);
    let input = SolverInput {
        scene: scene.clone(),
        boundaries,
        bodies: bodies.map_err(|error| StateError::Impossible(error.to_string()))?,
        grains: &[],
        assemblies: &[],
        grain_shapes,
        team: Team::new(0).map_err(|error| StateError::Unreadable(error.to_string()))?,
        instructions: None,
        defect: None,
    };
    let mut solver = (SolverEntry::of(kind).make)(input);
    solver.restore(state)?;
    Ok(solver)
}

/// Some of [`FIELDS`], by id.
///
/// # Errors
/// Says why the state cannot be restored.
pub fn fields(
    kind: SolverKind,
    names: &[&str],
    state: &[u8],
    scene: &Scene,
    boundaries: &Boundaries,
    shapes: &GrainShapes,
) -> Result<Vec<FieldData>, StateError> {
    let mut solver = solver(kind, state, scene, boundaries, shapes)?;
    let unreadable = |error: &dyn std::fmt::Display| StateError::Unreadable(error.to_string());
    let ticket = solver.read(names).map_err(|error| unreadable(&error))?;
    let mut snapshot = Snapshot::default();
    solver.poll(ticket, &mut snapshot);
    Ok(snapshot.columns.into_iter().map(|(_, data)| data).collect())
}

/// The contacts of now.
///
/// # Errors
/// Says why the state cannot be restored.
pub fn contacts(
    kind: SolverKind,
    state: &[u8],
    scene: &Scene,
    boundaries: &Boundaries,
    shapes: &GrainShapes,
) -> Result<Vec<Contact>, StateError> {
    Ok(solver(kind, state, scene, boundaries, shapes)?.contacts())
}
