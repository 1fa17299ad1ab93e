//! Which solver claims which experiment, and why it does not claim the others.
//!
//! A claim is a promise: a solver that claims an experiment and does not pass it is broken. An experiment that is open is
//! measured and shown, with what it misses; it is not claimed before it passes.

use crate::scene::SolverKind;
use crate::scene::SolverKind::{Dem, Iisph, Pbd, Wcsph};

/// What a solver says about an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It passes.
    Claimed,
    /// It can be measured and misses something: what.
    Open(&'static str),
    /// It is not measured: why.
    NotClaimed(&'static str),
}

impl Claim {
    /// Whether there is something to measure.
    pub fn is_measured(self) -> bool {
        !matches!(self, Self::NotClaimed(_))
    }

    /// Why it is not claimed; nothing where it is.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Claimed => None,
            Self::Open(reason) | Self::NotClaimed(reason) => Some(reason),
        }
    }
}

/// What the solvers say about an experiment, in the order of [`SOLVERS`].
struct Row {
    experiment: &'static str,
    claims: [Claim; 4],
}

/// The solvers of a row.
const SOLVERS: [SolverKind; 4] = [Iisph, Wcsph, Dem, Pbd];

use Claim::{Claimed, NotClaimed, Open};

const NO_CONTACTS: Claim = NotClaimed("a continuum has no single contacts");
const NO_GRAINS: Claim =
    NotClaimed("asks for forces, sizes or shapes of single grains, which a continuum does not have");
const LIQUID: Claim = NotClaimed("a liquid has no friction that could hold it");
const WATER: Claim = NotClaimed("is about water; it simulates sand");
const BULK_YIELD: Claim = NotClaimed(
    "is about the yield line of bulk matter; `incline`, `piles` and `repose` ask grains for theirs",
);
const BULK_REST: Claim =
    NotClaimed("reads densities of bulk matter; tests of the solver watch heaps of grains at rest");
const BULK_HEAP: Claim = NotClaimed("is about heaps of grains; `rest` watches bulk matter");
const BULK_STRESS: Claim = NotClaimed("reads stresses of bulk matter; `janssen` and `forces` weigh grains");
const OWN_GUIDES: Claim = NotClaimed("fine grains are guided by bulk matter in the experiment's scenes");
const RIGID: Claim = NotClaimed("contacts of rigid grains have no stiffness, duration or overlap");
const NOT_CALIBRATED: Claim = NotClaimed(
    "the experiment sets the contact law of distinct elements; position-based contacts have other constants",
);
const NO_CELL: Claim = NotClaimed("has no periodic cells that strain and no walls that hold a force");
const OPEN_FORCES: Claim = Open(
    "beds of tetrahedra miss rates of tails, shares of strong forces and angles of contacts; spheres hold",
);
const OPEN_ZHOU: Claim =
    Open("one packing of most rolling friction lies 3 degrees above its range; LAMMPS finds the same heaps");
const OPEN_PLANAR: Claim =
    Open("full columns run farther than published, as they do in LAMMPS; quick ones hold");
const OPEN_JANSSEN: Claim = Open(
    "seven full silos bear 7 % less at the base than two that are twice as deep (5 % asked), \
     single ones scatter by as much; all else holds",
);
const OPEN_ORIFICE: Claim = Open(
    "k of the full form is 2.01 where 2 at most is asked, known to 0.05; \
     the law of Mankoc et al. 2007 has 1.97 over the same holes",
);
/// The table: `iisph`, `wcsph`, `dem`, `pbd`.
const ROWS: &[Row] = &[
    Row { experiment: "slope", claims: [Claimed, LIQUID, BULK_YIELD, BULK_YIELD] },
    Row { experiment: "rest", claims: [Claimed, LIQUID, BULK_REST, BULK_REST] },
    Row { experiment: "stay", claims: [BULK_HEAP, LIQUID, Claimed, Claimed] },
    Row { experiment: "repose", claims: [Claimed, LIQUID, Claimed, Claimed] },
    Row { experiment: "collapse", claims: [Claimed, LIQUID, Claimed, Claimed] },
    Row { experiment: "hydrostatic", claims: [Claimed, Claimed, BULK_STRESS, BULK_STRESS] },
    Row { experiment: "dam", claims: [WATER, Claimed, WATER, WATER] },
    Row { experiment: "droplet", claims: [WATER, Claimed, WATER, WATER] },
    Row { experiment: "liquid", claims: [WATER, Claimed, WATER, WATER] },
    Row { experiment: "discharge", claims: [Claimed, LIQUID, Claimed, Claimed] },
    Row { experiment: "drum", claims: [Claimed, LIQUID, Claimed, Claimed] },
    Row { experiment: "upsample", claims: [Claimed, OWN_GUIDES, OWN_GUIDES, OWN_GUIDES] },
    Row { experiment: "impact", claims: [NO_CONTACTS, NO_CONTACTS, Claimed, RIGID] },
    Row { experiment: "oblique", claims: [NO_CONTACTS, NO_CONTACTS, Claimed, RIGID] },
    Row { experiment: "rolling", claims: [NO_CONTACTS, NO_CONTACTS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "hold", claims: [NO_CONTACTS, NO_CONTACTS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "packing", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "orifice", claims: [NO_GRAINS, NO_GRAINS, OPEN_ORIFICE, NOT_CALIBRATED] },
    Row { experiment: "funnel", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "forces", claims: [NO_GRAINS, NO_GRAINS, OPEN_FORCES, RIGID] },
    Row { experiment: "load", claims: [NO_GRAINS, NO_GRAINS, Claimed, RIGID] },
    Row { experiment: "oedometer", claims: [NO_GRAINS, NO_GRAINS, Claimed, RIGID] },
    Row { experiment: "zhou", claims: [NO_GRAINS, NO_GRAINS, OPEN_ZHOU, NOT_CALIBRATED] },
    Row { experiment: "planar", claims: [NO_GRAINS, NO_GRAINS, OPEN_PLANAR, NOT_CALIBRATED] },
    Row { experiment: "tumbler", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "janssen", claims: [NO_GRAINS, NO_GRAINS, OPEN_JANSSEN, NOT_CALIBRATED] },
    Row { experiment: "piles", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "incline", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "segregation", claims: [NO_GRAINS, NO_GRAINS, Claimed, NOT_CALIBRATED] },
    Row { experiment: "shear", claims: [NO_GRAINS, NO_GRAINS, Claimed, NO_CELL] },
    Row { experiment: "triaxial", claims: [NO_GRAINS, NO_GRAINS, Claimed, NO_CELL] },
];

/// What a solver says about an experiment.
pub fn claim(experiment: &str, solver: SolverKind) -> Claim {
    let row = ROWS.iter().find(|row| row.experiment == experiment);
    let column = SOLVERS.iter().position(|known| *known == solver);
    match (row, column) {
        (Some(row), Some(column)) => row.claims[column],
        _ => NotClaimed("it is not in the table of claims"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::EXPERIMENTS;

    #[test]
    fn every_experiment_has_its_row_and_somebody_who_measures_it() {
        let rows: Vec<&str> = ROWS.iter().map(|row| row.experiment).collect();
        let experiments: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(rows, experiments);
        for row in ROWS {
            assert!(row.claims.iter().any(|claim| claim.is_measured()), "{}", row.experiment);
        }
    }

    #[test]
    fn every_solver_of_the_registry_has_its_column() {
        let kinds: Vec<_> = crate::solver::SOLVERS.iter().filter_map(|solver| solver.kind).collect();
        assert_eq!(kinds, SOLVERS);
    }
}
