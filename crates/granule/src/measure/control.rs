//! Negative controls: deliberate faults, each with the experiment that must notice it.
//!
//! A gate that no fault makes fail proves nothing. Every [`Defect`] is in the table, and so is every experiment that a
//! parameter of its own can spoil.

use crate::scene::{FrictionMode, SolverKind};
use crate::simulation::SimulationError;
use crate::solver::Defect;

use super::{Experiment, MeasureOptions, Measurement, Progress};

/// What is made wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A deliberate fault of a solver.
    Defect(Defect),
    /// Another friction angle than the experiment expects \[degrees\].
    FrictionAngle(f64),
    /// The single clamp instead of friction that is solved together with pressure.
    ExplicitFriction,
    /// Grains of one size where the experiment is about two.
    EqualSizes,
}

/// A deliberate fault and the gate that must notice it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// The experiment.
    pub experiment: &'static str,
    /// The solver.
    pub solver: SolverKind,
    /// What is made wrong.
    pub fault: Fault,
    /// A part of the name of a quantity that must leave its range.
    pub gate: &'static str,
}

impl Fault {
    /// The fault in words.
    pub fn words(self) -> String {
        match self {
            Self::Defect(defect) => format!("deliberate fault {defect:?}"),
            Self::FrictionAngle(0.0) => "no friction".into(),
            Self::FrictionAngle(angle) => format!("friction angle of {angle} degrees throughout"),
            Self::ExplicitFriction => "friction by a single clamp".into(),
            Self::EqualSizes => "grains of one size".into(),
        }
    }
}

impl Control {
    /// Runs the experiment with the fault.
    ///
    /// # Errors
    /// The simulation could not be made, or the device failed.
    pub fn run(
        &self,
        options: &MeasureOptions,
        progress: &mut Progress,
    ) -> Result<Measurement, SimulationError> {
        let mut options = MeasureOptions { solver: Some(self.solver), ..options.clone() };
        match self.fault {
            Fault::Defect(defect) => options.simulation.defect = Some(defect),
            Fault::FrictionAngle(angle) => options.friction_angle = Some(angle),
            Fault::ExplicitFriction => options.friction = FrictionMode::Explicit,
            Fault::EqualSizes => options.equal_sizes = true,
        }
        match Experiment::find(self.experiment) {
            Some(experiment) => experiment.run(&options, progress),
            None => Err(SimulationError::Failed(format!("there is no experiment `{}`", self.experiment))),
        }
    }

    /// Whether a measurement with the fault fails where it must.
    pub fn is_caught(&self, measurement: &Measurement) -> bool {
        measurement.points.iter().any(|point| !point.pass && point.quantity.contains(self.gate))
    }
}

const fn defect(experiment: &'static str, solver: SolverKind, defect: Defect, gate: &'static str) -> Control {
    Control { experiment, solver, fault: Fault::Defect(defect), gate }
}

const fn friction(experiment: &'static str, solver: SolverKind, angle: f64, gate: &'static str) -> Control {
    Control { experiment, solver, fault: Fault::FrictionAngle(angle), gate }
}

/// All negative controls.
pub const CONTROLS: &[Control] = &[
    defect("hydrostatic", SolverKind::Iisph, Defect::StressSign, "gradient of vertical stress"),
    defect("hydrostatic", SolverKind::Iisph, Defect::WallStandOff, "first layer"),
    defect("hydrostatic", SolverKind::Iisph, Defect::MissingNeighborRow, "gradient of vertical stress"),
    defect("liquid", SolverKind::Wcsph, Defect::ViscositySign, "shear wave"),
    defect("droplet", SolverKind::Wcsph, Defect::NormalSign, "pressure jump"),
    defect("liquid", SolverKind::Wcsph, Defect::CohesionBranch, "pair rests"),
    defect("oblique", SolverKind::Dem, Defect::UnscaledHistory, "tangential rebound"),
    defect("impact", SolverKind::Dem, Defect::DampingSign, "restitution"),
    defect("stay", SolverKind::Pbd, Defect::WeakWarmStart, "drop of the crest"),
    defect("stay", SolverKind::Pbd, Defect::PushAsVelocity, "pushed apart"),
    Control { experiment: "rest", solver: SolverKind::Iisph, fault: Fault::ExplicitFriction, gate: "crest" },
    friction("collapse", SolverKind::Iisph, 0.0, "runout"),
    friction("drum", SolverKind::Iisph, 5.0, "inclination"),
    friction("oblique", SolverKind::Dem, 0.0, "speed along the plane"),
    friction("rolling", SolverKind::Dem, 0.0, "acceleration while rolling"),
    friction("hold", SolverKind::Dem, 0.0, "drift"),
    friction("packing", SolverKind::Dem, 0.0, "loss of fraction"),
    friction("orifice", SolverKind::Dem, 0.0, "rate / that of C"),
    friction("funnel", SolverKind::Dem, 20.0, "rate / that of the smoother grains"),
    friction("forces", SolverKind::Dem, 0.0, "3: tangential force"),
    friction("load", SolverKind::Dem, 0.0, "tangential force"),
    friction("oedometer", SolverKind::Dem, 0.0, "horizontal / vertical stress"),
    friction("zhou", SolverKind::Dem, 0.0, "angle"),
    friction("planar", SolverKind::Dem, 0.0, "runout / L0"),
    friction("tumbler", SolverKind::Dem, 0.0, "inclination"),
    Control {
        experiment: "tumbler",
        solver: SolverKind::Dem,
        fault: Fault::EqualSizes,
        gate: "segregation of two sizes",
    },
    friction("janssen", SolverKind::Dem, 0.0, "ratio K"),
    friction("piles", SolverKind::Dem, 0.0, "slope of spheres with memory"),
    friction("incline", SolverKind::Dem, 0.0, "change of kinetic energy"),
    Control {
        experiment: "segregation",
        solver: SolverKind::Dem,
        fault: Fault::EqualSizes,
        gate: "below the large one",
    },
    friction("shear", SolverKind::Dem, 0.0, "dense: friction at I"),
    friction("triaxial", SolverKind::Dem, 0.0, "dense: friction angle of the critical state"),
];

#[cfg(test)]
mod tests {
    use super::super::{Claim, claim};
    use super::*;

    #[test]
    fn controls_spoil_what_solvers_measure() {
        for control in CONTROLS {
            let claim = claim(control.experiment, control.solver);
            assert!(!matches!(claim, Claim::NotClaimed(_)), "{control:?}: {claim:?}");
        }
    }

    #[test]
    fn every_deliberate_fault_has_its_gate() {
        for defect in Defect::ALL {
            assert!(CONTROLS.iter().any(|control| control.fault == Fault::Defect(defect)), "{defect:?}");
        }
    }
}
