//! Orientations, contacts and stresses of grains against what they must be.

use glam::{DVec3, Quat, Vec3};

use super::Dem;
use crate::contacts::Partner;
use crate::scene::Scene;
use crate::simulator::{Command, FieldData, Snapshot};
use crate::{Options, Shape, Simulation};

const RADIUS: f64 = 0.005;
const DENSITY: f64 = 2500.0;
const GRAVITY: f64 = 9.81;

fn simulate(simulation: &str, friction: f64, rest: &str) -> Simulation {
    let text = format!(
        "name = \"test\"\n[simulation]\nsolver = \"dem\"\nfps = 50\n{simulation}\n[[material]]\nname = \"sand\"\n\
         radius = {RADIUS}\ndensity = {DENSITY}\n[material.dem]\nyoung = 5e6\nrestitution = 0.2\nfriction = {friction}\n\
         {rest}"
    );
    let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(scene, &Options { threads: Some(2), ..Options::default() }).unwrap()
}

const FLOOR: &str =
    "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// Three spheres on top of each other on a floor, at rest.
fn column() -> Simulation {
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\nshape.box = {{ min = [0, 0, 0], max = [0.01001, 0.03001, 0.01001] }}\n{FLOOR}"
    );
    let mut simulation = simulate("", 0.5, &rest);
    assert_eq!(simulation.particle_count(), 3);
    simulation.run_until(0.4);
    simulation
}

fn volume() -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3)
}

/// Overlap of a Hertzian contact under a force \[m\]: (F/(4/3 E* sqrt(R_eff)))^(2/3).
fn depth(force: f64, effective_radius: f64, modulus: f64) -> f64 {
    (force / (4.0 / 3.0 * modulus * effective_radius.sqrt())).powf(2.0 / 3.0)
}

fn tensor(snapshot: &Snapshot) -> Vec<[f32; 6]> {
    match snapshot.column("stress") {
        Some(FieldData::Tensor(values)) => values.clone(),
        other => panic!("{other:?}"),
    }
}

fn near(found: f64, expected: f64, share: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < share, "{what}: {found} instead of {expected}");
}

/// Each sphere bears what is above it: F = n m g above and (n + 1) m g below it. Love and Weber: sigma_yy = -(F l + F' l')/V,
/// with l = R - delta/2 to another sphere and R - delta to the floor; nothing along other axes, so p = -sigma_yy/3 and
/// von Mises = -sigma_yy.
#[test]
fn a_column_at_rest_has_the_stress_of_what_it_bears() {
    let mut simulation = column();
    let names = ["stress", "pressure", "von_mises", "coordination", "contact_force"];
    let fields = simulation.read(&names).unwrap();
    let modulus = 5e6 / (2.0 * (1.0 - 0.09));
    let weight = DENSITY * volume() * GRAVITY;
    assert_eq!(fields.integer("coordination").unwrap(), [2, 2, 1]);
    for (k, stress) in tensor(&fields).iter().enumerate() {
        let (above, below) = ((2 - k) as f64 * weight, (3 - k) as f64 * weight);
        let up = RADIUS - 0.5 * depth(above, 0.5 * RADIUS, modulus);
        let down = match k {
            0 => RADIUS - depth(below, RADIUS, modulus),
            _ => RADIUS - 0.5 * depth(below, 0.5 * RADIUS, modulus),
        };
        let expected = (above * up + below * down) / volume();
        let number = |name: &str| f64::from(fields.scalar(name).unwrap()[k]);
        near(-f64::from(stress[3]), expected, 1e-3, "sigma_yy");
        near(number("pressure"), expected / 3.0, 1e-3, "pressure");
        near(number("von_mises"), expected, 1e-3, "von Mises");
        near(number("contact_force"), above + below, 1e-3, "sum of moduli");
        for part in [0, 1, 2, 4, 5] {
            assert!(f64::from(stress[part]).abs() < 1e-6 * expected, "{stress:?}");
        }
    }
}

#[test]
fn contacts_say_who_touches_what_where_and_how_hard() {
    let mut simulation = column();
    let contacts = simulation.contacts();
    let weight = DENSITY * volume() * GRAVITY;
    let modulus = 5e6 / (2.0 * (1.0 - 0.09));
    let partners: Vec<_> = contacts.iter().map(|c| (c.particle, c.partner)).collect();
    let floor = Partner::wall(0, 0);
    let expected = [(0, Partner::particle(1)), (0, floor), (1, Partner::particle(2))];
    assert_eq!(partners.len(), 3);
    assert!(expected.iter().all(|pair| partners.contains(pair)), "{partners:?}");
    for contact in contacts {
        let (direction, bears, effective_radius) = match (contact.particle, contact.partner == floor) {
            (0, true) => (Vec3::Y, 3.0, RADIUS),
            (0, false) => (Vec3::NEG_Y, 2.0, 0.5 * RADIUS),
            _ => (Vec3::NEG_Y, 1.0, 0.5 * RADIUS),
        };
        let overlap = depth(bears * weight, effective_radius, modulus);
        assert!((contact.normal - direction).length() < 1e-6, "{contact:?}");
        near(f64::from(contact.normal_force), bears * weight, 1e-3, "force");
        near(f64::from(contact.overlap), overlap, 1e-3, "overlap");
        assert!(contact.tangential_force.length() < 1e-6 * contact.normal_force, "{contact:?}");
        let reach = if contact.partner == floor { RADIUS } else { 2.0 * RADIUS } - overlap;
        assert!((contact.branch.as_dvec3() + reach * direction.as_dvec3()).length() < 1e-7, "{contact:?}");
        let to_point = if contact.partner == floor { 1.0 } else { 0.5 };
        let point = contact.center + to_point * contact.branch;
        assert!((contact.point - point).length() < 1e-7, "{contact:?}");
    }
    // A grain that has gone takes its contacts with it, at once.
    simulation.apply(&Command::Remove { region: Shape::ball([0.005, 0.025, 0.005], 0.002) }).unwrap();
    let left = simulation.contacts();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|contact| contact.particle == 0));
    near(f64::from(left.iter().map(|c| c.normal_force).sum::<f32>()), 5.0 * weight, 1e-3, "what is left");
}

/// A rod that lies on a floor without friction has sigma_yy = -m g R/V = -rho g R as a whole, R being the radius of its spheres:
/// with the volume of the union, which is not that of its spheres.
#[test]
fn a_rigid_grain_has_one_stress_for_all_its_spheres() {
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\ngrain = \"rod\"\nfill = \"random\"\n\
         shape.box = {{ min = [0, 0.001, 0], max = [0.03, 0.031, 0.03] }}\n{FLOOR}"
    );
    let mut simulation = simulate("", 0.0, &rest);
    simulation.run_until(1.5);
    let fields = simulation.read(&["stress", "pressure", "coordination", "radius", "position"]).unwrap();
    let (stress, contacts) = (tensor(&fields), simulation.contacts());
    let spheres = stress.len() / simulation.grain_count();
    assert!(spheres > 1 && simulation.grain_count() > 1);
    let mut lying = 0;
    for k in (0..stress.len()).step_by(spheres) {
        let own = k..k + spheres;
        assert!(stress[own.clone()].iter().all(|s| *s == stress[k]), "{stress:?}");
        let touches = |c: &&crate::contacts::Contact| {
            let partner = c.partner.as_particle().map(|id| id as usize);
            own.contains(&(c.particle as usize)) || partner.is_some_and(|id| own.contains(&id))
        };
        let all: Vec<_> = contacts.iter().filter(touches).collect();
        assert_eq!(fields.integer("coordination").unwrap()[k] as usize, all.len());
        let alone = all.len() > 1 && all.iter().all(|contact| contact.partner.as_wall().is_some());
        if !alone {
            continue;
        }
        lying += 1;
        let radius = f64::from(fields.scalar("radius").unwrap()[k]);
        near(-f64::from(stress[k][3]), DENSITY * GRAVITY * radius, 0.01, "sigma_yy");
        near(f64::from(fields.scalar("pressure").unwrap()[k]), DENSITY * GRAVITY * radius / 3.0, 0.01, "p");
    }
    assert!(lying > 0, "no rod lies on the floor alone");
}

fn orientation(simulation: &mut Simulation) -> Quat {
    match simulation.read(&["orientation"]).unwrap().column("orientation") {
        Some(FieldData::Quaternion(values)) => Quat::from_array(values[0]),
        other => panic!("{other:?}"),
    }
}

fn spin(simulation: &mut Simulation, angular_velocity: DVec3) {
    let dem = simulation.solver_as::<Dem>().unwrap();
    let place = dem.state.place[0].to_meters();
    dem.put(0, place, DVec3::ZERO, angular_velocity);
}

/// A sphere in empty space.
fn lonely() -> Simulation {
    let rest = "[[grains]]\nmaterial = \"sand\"\nshape.box = { min = [0, 0, 0], max = [0.01001, 0.01001, 0.01001] }\n";
    simulate("gravity = [0, 0, 0]\ntime_step = 2e-5", 0.5, rest)
}

/// Turns follow each other in the world's axes: q = exp(t omega_2) exp(t omega_1).
#[test]
fn a_free_sphere_turns_with_its_angular_velocity() {
    let mut simulation = lonely();
    assert_eq!(orientation(&mut simulation), Quat::IDENTITY);
    let spins = [DVec3::new(0.0, 0.0, 7.0), DVec3::new(40.0, -3.0, 2.0)];
    let mut expected = glam::DQuat::IDENTITY;
    for (k, omega) in spins.into_iter().enumerate() {
        spin(&mut simulation, omega);
        simulation.run_until(0.2 * (k + 1) as f64);
        expected = glam::DQuat::from_scaled_axis(0.2 * omega) * expected;
    }
    let found = orientation(&mut simulation);
    assert!(found.angle_between(expected.as_quat()) < 2e-3, "{found} instead of {expected}");
    assert!((found.length() - 1.0).abs() < 1e-6);
}

/// A step turns it by 2e-8 rad, a third of what single precision can tell from 1.
#[test]
fn a_sphere_that_turns_slowly_does_turn() {
    let mut simulation = lonely();
    spin(&mut simulation, DVec3::new(0.0, 1e-3, 0.0));
    simulation.run_until(0.2);
    near(f64::from(2.0 * orientation(&mut simulation).y), 2e-4, 1e-3, "angle");
}

/// A tetrahedron's spheres have its orientation: they are where it has them.
#[test]
fn spheres_of_a_rigid_grain_turn_with_it() {
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\ngrain = \"tetrahedron\"\nfill = \"random\"\nvelocity = [1, 0, 0]\n\
         shape.box = {{ min = [0, 0.001, 0], max = [0.02, 0.02, 0.02] }}\n{FLOOR}"
    );
    let mut simulation = simulate("", 0.5, &rest);
    let apart = |simulation: &mut Simulation| {
        let fields = simulation.read(&["position", "orientation"]).unwrap();
        let x = fields.vec3("position").unwrap();
        let Some(FieldData::Quaternion(q)) = fields.column("orientation") else { panic!() };
        assert_eq!(q[0], q[1]);
        Quat::from_array(q[0]).inverse() * (Vec3::from(x[1]) - Vec3::from(x[0]))
    };
    let before = apart(&mut simulation);
    simulation.run_until(0.2);
    assert!((apart(&mut simulation) - before).length() < 1e-6, "the same in the grain's own axes");
}
