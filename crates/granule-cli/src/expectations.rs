//! The scene's `[[expect]]`: measured at the end of a run, compared with their ranges.

use granule::Simulation;
use granule::flow::{Discharge, discharge};
use granule::measure::{QUANTITY_FIELDS, particle_quantity};
use granule::scene::{ExpectSettings, Quantity};
use granule::simulator::{FieldError, Snapshot};
use granule::upsample::Upsampler;
use serde::Serialize;

use crate::output;

/// A measured expectation.
#[derive(Clone, Debug, Serialize)]
pub struct Expectation {
    /// The quantity's word in scenes.
    pub name: Quantity,
    /// The emitter, outlet or counter that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// What was measured; nothing where it cannot be.
    pub measured: Option<f64>,
    /// Allowed range.
    pub range: [f64; 2],
    /// Where the range comes from.
    pub source: String,
    /// Whether it lies in the range; nothing where the run ended before the scene's own end.
    pub pass: Option<bool>,
}

/// Measures a scene's expectations; `due` says whether they must hold by now.
pub fn measure(simulation: &mut Simulation, due: bool) -> Result<Vec<Expectation>, FieldError> {
    // Not every solver has a density.
    let known = |name: &&str| simulation.fields().iter().any(|field| field.name == *name);
    let fields: Vec<&str> = QUANTITY_FIELDS.into_iter().filter(known).collect();
    let state = simulation.read(&fields)?;
    let scene = simulation.scene();
    let evaluate = |expect: &ExpectSettings| {
        let counted = flow_quantity(expect, simulation);
        let of_body = || body_quantity(expect, simulation);
        let of_fine = || fine_quantity(expect.quantity, simulation.upsampler()?);
        let of_cell = || cell_quantity(expect.quantity, simulation, &state);
        let measured = counted
            .or_else(of_body)
            .or_else(of_fine)
            .or_else(of_cell)
            .or_else(|| particle_quantity(expect.quantity, scene, &state));
        let measured = measured.filter(|value| value.is_finite());
        let inside = measured.is_some_and(|m| m >= expect.range[0] && m <= expect.range[1]);
        let source = expect.source.clone();
        Expectation {
            name: expect.quantity,
            of: expect.of.clone(),
            measured,
            range: expect.range,
            source,
            pass: due.then_some(inside),
        }
    };
    Ok(scene.expect.iter().map(evaluate).collect())
}

/// Number of expectations that failed.
pub fn failed(expectations: &[Expectation]) -> usize {
    expectations.iter().filter(|expectation| expectation.pass == Some(false)).count()
}

/// The expectations as a table.
pub fn table(expectations: &[Expectation]) -> String {
    let row = |expectation: &Expectation| {
        let verdict = match expectation.pass {
            Some(true) => "pass",
            Some(false) => "FAIL",
            None => "not due",
        };
        vec![
            match &expectation.of {
                Some(of) => format!("{} of {of}", word(expectation.name)),
                None => word(expectation.name),
            },
            output::number_or_dash(expectation.measured),
            output::range(expectation.range),
            verdict.into(),
            expectation.source.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = expectations.iter().map(row).collect();
    output::table(&["expectation", "measured", "range", "result", "source"], &rows)
}

/// The quantity's word in scenes.
fn word(quantity: Quantity) -> String {
    match serde_json::to_value(quantity) {
        Ok(serde_json::Value::String(word)) => word,
        _ => format!("{quantity:?}"),
    }
}

/// What the books and the curves of outlets and counters tell.
fn flow_quantity(expect: &ExpectSettings, simulation: &Simulation) -> Option<f64> {
    let (flow, of) = (simulation.flow(), expect.of.as_deref());
    let steady = || discharge(&flow.curve(of?)?);
    let emitter = || flow.emitters().iter().find(|emitter| Some(emitter.name()) == of).map(|e| e.state());
    let outlet = || flow.outlets().iter().find(|outlet| Some(outlet.name()) == of);
    let count = |count: u64| Some(count as f64);
    match expect.quantity {
        Quantity::LostParticles => Some(simulation.lost() as f64),
        Quantity::Particles => Some(simulation.particle_count() as f64),
        Quantity::Unaccounted => Some(simulation.ledger().unaccounted() as f64),
        Quantity::Emitted => count(emitter().map_or(flow.emitted(), |emitter| emitter.emitted)),
        Quantity::Blocked => count(emitter().map_or(flow.blocked(), |emitter| emitter.blocked)),
        Quantity::Drained => count(outlet().map_or(flow.drained(), |outlet| outlet.drained())),
        Quantity::Counted => Some(flow.curve(of?)?.last()?[1]),
        Quantity::FlowRate => steady().map(|Discharge { rate, .. }| rate),
        Quantity::FlowLinearity => steady().map(|Discharge { linearity, .. }| linearity),
        _ => None,
    }
}

/// What the books over fine grains tell.
fn fine_quantity(quantity: Quantity, upsampler: &Upsampler) -> Option<f64> {
    let (count, totals) = (upsampler.count() as f64, upsampler.totals());
    match quantity {
        Quantity::FineGrains => Some(count),
        Quantity::MissingFineGrains => {
            Some(totals.made as f64 - (totals.drained + totals.removed) as f64 - count)
        }
        _ => None,
    }
}

/// What a cell that strains tells.
fn cell_quantity(quantity: Quantity, simulation: &Simulation, state: &Snapshot) -> Option<f64> {
    let (Quantity::PackingFraction, Some(cell)) = (quantity, simulation.simulator().cell()) else {
        return None;
    };
    let volume = |radius: &f32| 4.0 / 3.0 * std::f64::consts::PI * f64::from(*radius).powi(3);
    let grains: f64 = state.scalar("radius")?.iter().map(volume).sum();
    Some(grains / (cell.to - cell.from).element_product())
}

/// What a body tells.
fn body_quantity(expect: &ExpectSettings, simulation: &Simulation) -> Option<f64> {
    let of = expect.of.as_deref()?;
    let body = simulation.bodies().into_iter().find(|body| body.name == of)?;
    // Its frame began where the world's is, so its centre began where it is described.
    let start = body.pose.body_from_world(body.center);
    Some(f64::from(match expect.quantity {
        Quantity::BodyHeight => body.center.y,
        Quantity::BodyShift => body.center.distance(start),
        Quantity::BodyTurn => 2.0 * body.pose.rotation.w.abs().min(1.0).acos().to_degrees(),
        Quantity::BodySpeed => body.velocity.length(),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use granule::{Options, Scene};

    use super::*;

    #[test]
    fn fine_grains_are_counted_where_a_scene_has_some() {
        let expect = |quantity: &str| format!("[[expect]]\nquantity = \"{quantity}\"\nrange = [0, 0]\n");
        let measured = |fine: &str| {
            let text = format!(
                "name = \"block\"\n[[material]]\nradius = 0.01\n[[grains]]\nmaterial = \"sand\"\n\
                 shape.box = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.1] }}\n{fine}{}{}",
                expect("fine_grains"),
                expect("missing_fine_grains")
            );
            let scene = Scene::parse(&text, "test").unwrap();
            let mut simulation = Simulation::new(scene, &Options::default()).unwrap();
            let found = measure(&mut simulation, true).unwrap();
            (found[0].measured, found[1].measured, simulation.fine_grains().unwrap().len())
        };
        assert_eq!(measured(""), (None, None, 0));
        let (count, missing, there) = measured("[upsample]\nradius = 0.004\n");
        assert!(there > 1000);
        assert_eq!((count, missing), (Some(there as f64), Some(0.0)));
    }

    fn expectations(due: bool, range: &str) -> Vec<Expectation> {
        let text = format!(
            "name = \"block\"\n[[material]]\nradius = 0.01\n[[grains]]\nmaterial = \"sand\"\n\
             shape.box = {{ min = [0, 0, 0], max = [0.1, 0.2, 0.1] }}\n\
             [[expect]]\nquantity = \"height\"\nrange = {range}\n[[expect]]\nquantity = \"max_x\"\nrange = {range}\n"
        );
        let scene = Scene::parse(&text, "test").unwrap();
        measure(&mut Simulation::new(scene, &Options::default()).unwrap(), due).unwrap()
    }

    #[test]
    fn ranges_decide_only_when_due() {
        let due = expectations(true, "[0.185, 0.195]");
        assert!((due[0].measured.unwrap() - 0.19).abs() < 1e-6);
        assert_eq!((due[0].pass, due[1].pass), (Some(true), Some(false)));
        assert_eq!(failed(&due), 1);
        assert!(table(&due).contains("height") && table(&due).contains("FAIL"));
        assert_eq!(failed(&expectations(false, "[5, 6]")), 0);
    }
}
