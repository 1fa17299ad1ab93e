//! The solvers. Each is a folder: `mod` holds the list of stages, the files beside it their work.
//!
//! The files here are what solvers share: the world around particles, the search for neighbours, walls and bodies,
//! commands, fields and checkpoints. [`SOLVERS`] is the registry: docs/adding-a-solver.md says how to add one.

pub mod commands;
pub mod coupling;
mod defect;
pub mod dem;
pub mod drag;
pub mod fall;
pub mod iisph;
pub mod material_lanes;
pub mod orientation;
pub mod particle_solver;
pub mod pbd;
pub mod reads;
pub mod saved;
pub mod search;
pub mod surroundings;
pub mod walls;
pub mod wcsph;
pub mod world;

pub use defect::Defect;

use std::fmt;

use crate::bodies::Bodies;
use crate::boundary::Boundaries;
use crate::clumps::PlacedAssembly;
use crate::grains::GrainShapes;
use crate::particles::NewParticle;
use crate::scene::{Scene, SceneError, SolverCapabilities, SolverKind};
use crate::simd::Instructions;
use crate::simulator::{FieldInfo, Simulator};
use crate::team::Team;

/// What a solver is made from.
pub struct SolverInput<'a> {
    /// A checked scene.
    pub scene: Scene,
    /// Its walls.
    pub boundaries: Boundaries,
    /// Its rigid bodies.
    pub bodies: Bodies,
    /// Its initial grains; of grains of several spheres, all of these.
    pub grains: &'a [NewParticle],
    /// The rigid grains of several spheres among them.
    pub assemblies: &'a [PlacedAssembly],
    /// What grains of several spheres are like.
    pub grain_shapes: &'a GrainShapes,
    /// Threads to work on.
    pub team: Team,
    /// Instructions to use; the best ones when absent or not available.
    pub instructions: Option<Instructions>,
    /// A deliberate fault, for negative controls only.
    pub defect: Option<Defect>,
}

/// A solver: what it is called, what it has, and how it is made.
///
/// Scenes ask for those of [`SOLVERS`] by their words. A library user brings one of their own by `Options::solver`.
pub struct SolverEntry {
    /// Its word in scenes; none for a solver that is not in the registry.
    pub kind: Option<SolverKind>,
    /// Its name in reports and checkpoints; for those of the registry, their word.
    pub name: &'static str,
    /// What it can do with a scene.
    pub capabilities: SolverCapabilities,
    /// The fields it has.
    pub fields: &'static [FieldInfo],
    /// Refuses scenes that are right in themselves but not for it: steps too long, grains that overlap.
    pub check: fn(&Scene, &[NewParticle], &GrainShapes) -> Result<(), SceneError>,
    /// Makes it on CPU cores.
    pub make: fn(SolverInput) -> Box<dyn Simulator>,
}

/// All solvers.
pub const SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        kind: Some(SolverKind::Iisph),
        name: SolverKind::Iisph.name(),
        capabilities: SolverKind::Iisph.capabilities(),
        fields: iisph::FIELDS,
        check: takes_all,
        make: |input| Box::new(iisph::Iisph::new(input)),
    },
    SolverEntry {
        kind: Some(SolverKind::Wcsph),
        name: SolverKind::Wcsph.name(),
        capabilities: SolverKind::Wcsph.capabilities(),
        fields: wcsph::FIELDS,
        check: takes_all,
        make: |input| Box::new(wcsph::Wcsph::new(input)),
    },
    SolverEntry {
        kind: Some(SolverKind::Dem),
        name: SolverKind::Dem.name(),
        capabilities: SolverKind::Dem.capabilities(),
        fields: dem::FIELDS,
        check: dem::check,
        make: |input| Box::new(dem::Dem::new(input)),
    },
    SolverEntry {
        kind: Some(SolverKind::Pbd),
        name: SolverKind::Pbd.name(),
        capabilities: SolverKind::Pbd.capabilities(),
        fields: pbd::FIELDS,
        check: pbd::check,
        make: |input| Box::new(pbd::Pbd::new(input)),
    },
];

/// The check of a solver that takes every scene that is right in itself.
pub fn takes_all(_: &Scene, _: &[NewParticle], _: &GrainShapes) -> Result<(), SceneError> {
    Ok(())
}

impl fmt::Debug for SolverEntry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "SolverEntry({})", self.name)
    }
}

impl PartialEq for SolverEntry {
    /// Whether both are the same entry.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl SolverEntry {
    /// The entry of a scene's word for its solver.
    pub fn of(kind: SolverKind) -> &'static Self {
        SOLVERS.iter().find(|entry| entry.kind == Some(kind)).unwrap_or(&SOLVERS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word that scenes may use for a solver has its own entry, under that word.
    #[cfg(feature = "schema")]
    #[test]
    fn every_word_of_the_schema_has_its_entry() {
        let schema = serde_json::to_value(schemars::schema_for!(SolverKind)).unwrap().to_string();
        for entry in SOLVERS {
            let kind = entry.kind.expect("a solver of the registry has a word");
            assert_eq!(serde_json::to_value(kind).unwrap(), entry.name);
            assert_eq!(SolverEntry::of(kind).name, entry.name);
            assert!(schema.contains(&format!("\"{}\"", entry.name)), "{schema}");
        }
        assert_eq!(schema.matches("\"const\"").count(), SOLVERS.len(), "{schema}");
    }
}
