//! Tests of scenes for a continuum that become grains.

use super::super::{Scene, SceneError, SolverKind, builtin_scenes};
use super::*;

fn open(name: &str, quick: bool, sets: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let mut all = vec![("simulation.solver".to_string(), "dem".to_string())];
    all.extend(sets.iter().map(|(key, value)| (key.to_string(), value.to_string())));
    Scene::open(name, quick, &all)
}

fn refusal(name: &str, sets: &[(&str, &str)]) -> String {
    open(name, false, sets).unwrap_err().to_string()
}

#[test]
fn bulk_matter_becomes_grains() {
    let bulk = Scene::open("column", false, &[]).unwrap();
    let grains = open("column", false, &[]).unwrap();
    assert_eq!(grains.simulation.solver, SolverKind::Dem);
    let sand = &grains.material[0];
    assert!((sand.density - 1600.0 / 0.6).abs() < 0.1, "{}", sand.density);
    assert_eq!(sand.radius, bulk.material[0].radius);
    assert_eq!(grains.grains[0].fill, Fill::Packed);
    // 3000 times the pressure below 0.3 m of sand.
    let young = 3000.0 * 1600.0 * 9.81 * 0.3;
    assert!((sand.dem.young / young - 1.0).abs() < 1e-3, "{}", sand.dem.young);
    let [friction, rolling] = tables::friction(30.0).unwrap();
    assert_eq!((sand.dem.friction, sand.dem.rolling_friction), (Some(friction), rolling));
    // Grains slide on the floor before they roll.
    assert_eq!(bulk.boundary[0].friction, Some(1.0));
    assert_eq!((grains.boundary[0].friction, grains.boundary[0].rolling_friction), (Some(1.0), Some(1.0)));
    let given = open("column", false, &[("boundary.floor.rolling_friction", "0.05")]).unwrap();
    assert_eq!(given.boundary[0].rolling_friction, Some(0.05));
    assert!(bulk.expect.iter().any(|expect| expect.quantity == Quantity::MeanDensity));
    assert!(grains.expect.iter().all(|expect| expect.quantity != Quantity::MeanDensity));
    assert!(grains.quick.is_empty() && grains.as_grains.is_empty());
}

/// What a run writes as its scene is one for grains, and stays as it is when it is opened again.
#[test]
fn a_scene_becomes_grains_once() {
    let grains = open("column", true, &[]).unwrap();
    let text = grains.to_toml().unwrap();
    assert_eq!(Scene::parse(&text, "scene.toml").unwrap(), grains);
    let again = [("simulation.solver".to_string(), "dem".to_string())];
    assert_eq!(Scene::resolve(&text, "scene.toml", false, &again).unwrap(), grains);
    let marbles = Scene::open("marbles", false, &[]).unwrap();
    assert_eq!(open("marbles", false, &[]).unwrap(), marbles);
}

#[test]
fn constants_of_contacts_that_are_given_stay() {
    let given = [
        ("material.dem.density", "2650"),
        ("material.dem.friction", "0.4"),
        ("material.dem.rolling_friction", "0.02"),
        ("material.dem.young", "5e6"),
    ];
    let sand = open("column", false, &given).unwrap().material.remove(0);
    assert_eq!((sand.density, sand.dem.density), (2650.0, None));
    assert_eq!((sand.dem.friction, sand.dem.rolling_friction, sand.dem.young), (Some(0.4), 0.02, 5e6));
}

#[test]
fn what_was_not_measured_is_refused_with_the_range() {
    let [least, most] = tables::angles();
    for angle in ["5", "50"] {
        let message = refusal("column", &[("material.friction_angle", angle)]);
        let range = format!("from {least} to {most} degrees");
        assert!(message.contains("material.0.friction_angle") && message.contains(&range), "{message}");
    }
    let message = refusal("castle", &[("material.cohesion", "1e5")]);
    assert!(message.contains("material.0.cohesion") && message.contains("at most"), "{message}");
    // Given constants need no table.
    open("column", false, &[("material.friction_angle", "50"), ("material.dem.friction", "1")]).unwrap();
}

#[test]
fn keys_of_fluids_are_refused_by_name() {
    assert!(refusal("dam", &[]).contains("material.0.viscosity"), "{}", refusal("dam", &[]));
    assert!(refusal("droplet", &[]).contains("material.0.surface_tension"));
    assert!(refusal("column", &[("material.tait_exponent", "3")]).contains("material.0.tait_exponent"));
    let message = refusal("column", &[("material.artificial_viscosity", "0.1")]);
    assert!(message.contains("artificial_viscosity") && message.contains("fluids"), "{message}");
}

#[test]
fn a_second_density_is_refused_where_the_first_is_that_of_grains() {
    let message = refusal("marbles", &[("material.dem.density", "2650")]);
    assert!(message.contains("material.0.dem.density") && message.contains("left out"), "{message}");
}

#[test]
fn every_scene_of_sand_becomes_grains_and_every_fluid_is_refused() {
    let mut sand = 0;
    for builtin in builtin_scenes() {
        let bulk = Scene::open(builtin.name, false, &[]).unwrap();
        if bulk.simulation.solver.capabilities().has_grains {
            continue;
        }
        let is_sand = bulk.material.iter().all(|material| material.friction_angle > 0.0);
        for quick in [false, true] {
            assert_eq!(open(builtin.name, quick, &[]).is_ok(), is_sand, "{}", builtin.name);
        }
        sand += usize::from(is_sand);
    }
    assert_eq!(sand, 12);
}

const FORMS: &str = r#"name = "forms"
[[material]]
name = "sand"
radius = 0.01
[[grains]]
material = "sand"
shape.box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
[quick]
"material.radius" = 0.02
[as_grains]
"simulation.seconds" = 7
"simulation.fps" = 20
[as_grains.quick]
"simulation.fps" = 10
"#;

/// First the form with grains, then the quick one, then the quick one with grains.
#[test]
fn forms_come_one_after_the_other() {
    let form = |solver: &str, quick: bool| {
        let sets = [("simulation.solver".to_string(), solver.to_string())];
        let scene = Scene::resolve(FORMS, "forms", quick, &sets).unwrap();
        (scene.simulation.seconds, scene.simulation.fps, scene.material[0].radius)
    };
    assert_eq!(form("dem", false), (7.0, 20.0, 0.01));
    assert_eq!(form("dem", true), (7.0, 10.0, 0.02));
    assert_eq!(form("iisph", true), (2.0, 50.0, 0.02));
}

#[test]
fn a_form_that_is_wrong_is_found_in_the_scene_as_it_is() {
    let wrong = FORMS.replace("\"simulation.fps\" = 20", "\"simulation.fsp\" = 20");
    let message = Scene::parse(&wrong, "forms.toml").unwrap_err().to_string();
    assert!(message.starts_with("forms.toml:12") && message.contains("fsp"), "{message}");
}

#[test]
fn cohesion_becomes_liquid_bridges() {
    let wet = open("castle", false, &[("material.cohesion", "1000")]).unwrap().material.remove(0);
    // c d^2/(0.55 tan(32 degrees)) = 0.841 N = 2 pi R sigma.
    let pull = 2.0 * std::f64::consts::PI * 0.0085 * wet.dem.liquid_tension;
    assert!((pull / 0.8409 - 1.0).abs() < 1e-3, "{pull}");
    assert!((wet.dem.liquid_volume / (1e-3 * 0.0085f64.powi(3)) - 1.0).abs() < 1e-5);
    assert_eq!(open("castle", false, &[]).unwrap().material[0].dem.liquid_volume, 0.0);
}

/// Rows of the tables come out as they were measured, and what lies between them between.
#[test]
fn tables_have_their_rows() {
    let [least, most] = tables::angles();
    let at = |angle: f64| tables::friction(angle).unwrap();
    assert_eq!(at(least), [0.1, 0.0]);
    assert_eq!(at(most), [0.8, 0.5]);
    let [friction, rolling] = at(30.0);
    assert!(friction == 0.5 && rolling > 0.1 && rolling < 0.2, "{friction} {rolling}");
}

/// The same words with `pbd`: friction by its own table, and a pull for cohesion.
#[test]
fn scenes_of_sand_become_position_based_grains_by_the_word() {
    let by_word = |name: &str, sets: &[(&str, &str)]| {
        let mut all = vec![("simulation.solver".to_string(), "pbd".to_string())];
        all.extend(sets.iter().map(|(path, value)| (path.to_string(), value.to_string())));
        Scene::open(name, true, &all)
    };
    for builtin in builtin_scenes() {
        let bulk = Scene::open(builtin.name, false, &[]).unwrap();
        let has_grains = bulk.simulation.solver.capabilities().has_grains;
        if !has_grains && bulk.material.iter().all(|material| material.friction_angle > 0.0) {
            let grains =
                by_word(builtin.name, &[]).unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
            assert!(
                grains.material.iter().all(|material| material.pbd.friction.is_some()),
                "{}",
                builtin.name
            );
        }
    }
    let sand = |sets: &[(&str, &str)]| by_word("column", sets).unwrap().material[0].clone();
    let steep = sand(&[("material.friction_angle", "36.3")]);
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
    assert_eq!(steep.pbd.friction, Some(0.5));
    near(steep.pbd.rolling_friction, 0.1);
    let sliding = sand(&[("material.friction_angle", "33.8"), ("pbd.rotation", "false")]);
    near(sliding.pbd.friction.unwrap(), 0.2);
    near(sliding.pbd.rolling_friction, 0.0);
    assert!((sliding.density / (1600.0 / 0.6) - 1.0).abs() < 1e-5, "{}", sliding.density);
    let given = sand(&[("material.pbd.friction", "0.7"), ("material.pbd.density", "2650")]);
    assert_eq!((given.pbd.friction, given.density), (Some(0.7), 2650.0));
    assert_eq!(sand(&[]).pbd.tension, 0.0);
    assert!(sand(&[("material.cohesion", "500")]).pbd.tension > 0.0);
    let message = by_word("column", &[("material.friction_angle", "50")]).unwrap_err().to_string();
    assert!(message.contains("16.3") && message.contains("45.2"), "{message}");
}

/// A solver without bodies made of particles takes those of a scene by their surfaces, unless particles are asked for.
#[test]
fn bodies_made_of_particles_meet_grains_of_other_solvers_by_their_surfaces() {
    use super::super::BodyCoupling;
    let own = Scene::open("squirrel", false, &[]).unwrap();
    assert!(own.body.iter().any(|body| body.coupling == BodyCoupling::Particles));
    let other = open("squirrel", false, &[]).unwrap();
    assert!(other.body.iter().all(|body| body.coupling == BodyCoupling::Surface));
    assert!(refusal("squirrel", &[("body.0.coupling", "particles")]).contains("body.0.coupling"));
}
