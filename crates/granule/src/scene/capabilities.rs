//! What scenes may ask of a solver.

use super::schema::SolverKind;

/// What a solver can do with a scene, and what it demands of one; a scene is checked against it before anything is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverCapabilities {
    /// Whether all particles of a scene must have one radius.
    pub one_radius: bool,
    /// Whether its particles are grains: solid spheres that can be held in place and cover walls. Otherwise a particle
    /// stands for a cube of bulk matter.
    pub has_grains: bool,
    /// Whether grains may be several spheres that move as one rigid body.
    pub has_clumps: bool,
    /// Whether bodies may be made of particles.
    pub has_particle_bodies: bool,
}

impl SolverKind {
    /// The solver's word in scenes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iisph => "iisph",
            Self::Wcsph => "wcsph",
            Self::Dem => "dem",
            Self::Pbd => "pbd",
        }
    }

    /// What the solver of this word can do.
    pub const fn capabilities(self) -> SolverCapabilities {
        match self {
            Self::Iisph | Self::Wcsph => {
                let (has_grains, has_clumps) = (false, false);
                SolverCapabilities { one_radius: true, has_grains, has_clumps, has_particle_bodies: false }
            }
            Self::Dem => {
                let (has_grains, has_clumps) = (true, true);
                SolverCapabilities { one_radius: false, has_grains, has_clumps, has_particle_bodies: false }
            }
            Self::Pbd => {
                let (has_grains, has_clumps) = (true, false);
                SolverCapabilities { one_radius: false, has_grains, has_clumps, has_particle_bodies: true }
            }
        }
    }
}
