//! The whole contact: symmetry, lanes, bridges.

use std::f64::consts::PI;

use super::material::{Elasticity, damping_of_hertz, effective_modulus, effective_shear_modulus};
use super::vector::length;
use super::*;
use crate::random::Random;
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

fn law(normal: NormalModel, tangential: TangentialModel) -> PairLaw<f64> {
    let material = Elasticity { young: 1e7, poisson: 0.3 };
    let cohesive = matches!(normal, NormalModel::Dmt | NormalModel::Jkr);
    PairLaw {
        normal: Normal {
            model: normal,
            stiffness: if normal == NormalModel::Hooke { 1e3 } else { effective_modulus(material, material) },
            surface_energy: if cohesive { 0.05 } else { 0.0 },
            damping: if cohesive { Damping::Viscoelastic } else { Damping::Restitution },
            damping_factor: if cohesive { 2e5 } else { damping_of_hertz(0.7) },
            limit_damping: false,
        },
        tangential: Tangential {
            model: tangential,
            stiffness: match tangential {
                TangentialModel::Linear => 700.0,
                TangentialModel::Viscous => 0.1,
                _ => 8.0 * effective_shear_modulus(material, material),
            },
            damping_ratio: 0.8,
            friction: 0.4,
        },
        rolling: Some(Rolling { stiffness: 1000.0, damping: 0.01, friction: 0.1 }),
        twisting: Some(Twisting { stiffness: 2e-3, damping: 2e-7, friction: 1e-4 }),
        capillary: None,
    }
}

/// A contact with everything about it.
#[derive(Clone, Copy)]
struct Case<F> {
    difference: [F; 3],
    radius: [F; 2],
    motion: Motion<F>,
    history: History<F>,
}

/// Two grains near touching that move and have touched.
fn case(random: &mut Random) -> Case<f32> {
    let mut vector = |size: f32| [(); 3].map(|()| size * random.signed());
    let direction = vector(1.0);
    let distance = 3.5e-3 + vector(1e-5)[0];
    let old = 1e-4 * vector(1.0)[0];
    Case {
        difference: scale(distance / length(direction), direction),
        radius: [2.5e-3, 1e-3],
        motion: Motion {
            velocity: [vector(0.1), vector(0.1)],
            angular_velocity: [vector(50.0), vector(50.0)],
        },
        history: History {
            tangential: vector(2e-6),
            contact_radius: old.max(0.0),
            rolling: vector(1e-6),
            twisting: vector(1e-3)[0],
        },
    }
}

fn evaluate<F: Scalar>(law: &PairLaw<F>, case: &Case<F>) -> (Loads<F>, History<F>) {
    let geometry = contact_sphere_sphere(case.difference, case.radius[0], case.radius[1]);
    contact_loads(law, &geometry, F::of(1e-4), &case.motion, F::of(1e-5), &case.history)
}

const NORMALS: [NormalModel; 4] =
    [NormalModel::Hertz, NormalModel::Hooke, NormalModel::Dmt, NormalModel::Jkr];
const TANGENTIALS: [TangentialModel; 4] = [
    TangentialModel::MindlinRescale,
    TangentialModel::Mindlin,
    TangentialModel::Linear,
    TangentialModel::Viscous,
];

#[test]
fn exchanging_the_partners_exchanges_the_loads() {
    let mut random = Random::new(1);
    for k in 0..400 {
        let law = law(NORMALS[k % 4], TANGENTIALS[k / 4 % 4]).cast::<f32>();
        let one = case(&mut random);
        let [a, b] = one.radius;
        let ([v, w], [p, q]) = (one.motion.velocity, one.motion.angular_velocity);
        let other = Case {
            difference: scale(-1.0, one.difference),
            radius: [b, a],
            motion: Motion { velocity: [w, v], angular_velocity: [q, p] },
            history: one.history.exchanged(),
        };
        let ((loads, history), (mirrored, remembered)) = (evaluate(&law, &one), evaluate(&law, &other));
        let near = |a: [f32; 3], b: [f32; 3]| length(sub(a, b)) <= 2e-6 * length(a) + 1e-12;
        assert!(near(loads.force, scale(-1.0, mirrored.force)), "{loads:?} {mirrored:?}");
        assert!(near(loads.torque_i, mirrored.torque_j) && near(loads.torque_j, mirrored.torque_i));
        assert!(near(history.tangential, remembered.exchanged().tangential));
        assert!(near(history.rolling, remembered.rolling));
    }
}

/// Sixteen cases as one.
struct Sixteen<'a> {
    law: &'a PairLaw<f64>,
    cases: &'a [Case<f32>],
}

impl Vectorised for Sixteen<'_> {
    type Output = Vec<[f32; 17]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let lanes =
            |f: &dyn Fn(&Case<f32>) -> f32| L::from_array(&std::array::from_fn(|k| f(&self.cases[k])));
        let vector = |f: &dyn Fn(&Case<f32>) -> [f32; 3]| [0, 1, 2].map(|axis| lanes(&|c| f(c)[axis]));
        let record: [L; 8] = std::array::from_fn(|n| lanes(&|c| c.history.to_array()[n]));
        let case = Case {
            difference: vector(&|c| c.difference),
            radius: [lanes(&|c| c.radius[0]), lanes(&|c| c.radius[1])],
            motion: Motion {
                velocity: [vector(&|c| c.motion.velocity[0]), vector(&|c| c.motion.velocity[1])],
                angular_velocity: [
                    vector(&|c| c.motion.angular_velocity[0]),
                    vector(&|c| c.motion.angular_velocity[1]),
                ],
            },
            history: History::from_array(record),
        };
        let numbers = flat(&evaluate(&self.law.cast::<L>(), &case)).map(L::to_array);
        (0..LANES).map(|k| numbers.map(|lanes| lanes[k])).collect()
    }
}

fn flat<F: Scalar>((loads, history): &(Loads<F>, History<F>)) -> [F; 17] {
    let Loads { force, torque_i, torque_j } = *loads;
    let mut all = [F::splat(0.0); 17];
    all[..3].copy_from_slice(&force);
    all[3..6].copy_from_slice(&torque_i);
    all[6..9].copy_from_slice(&torque_j);
    all[9..].copy_from_slice(&history.to_array());
    all
}

#[test]
fn sixteen_contacts_side_by_side_have_the_bits_of_each_alone() {
    let mut random = Random::new(2);
    for (normal, tangential) in NORMALS.iter().flat_map(|n| TANGENTIALS.iter().map(move |t| (*n, *t))) {
        for wet in [false, true] {
            let mut law = law(normal, tangential);
            law.capillary = wet.then(|| Capillary::new(1e-13, 0.072, 0.2));
            let cases: Vec<Case<f32>> = (0..LANES).map(|_| case(&mut random)).collect();
            let alone: Vec<_> = cases
                .iter()
                .map(|case| flat(&evaluate(&law.cast::<f32>(), case)).map(f32::to_bits))
                .collect();
            for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
                let together = set.run(Sixteen { law: &law, cases: &cases });
                let together: Vec<_> = together.iter().map(|row| row.map(f32::to_bits)).collect();
                assert_eq!(alone, together, "{normal:?} {tangential:?} {}", set.name());
            }
            let finite = |row: &[u32; 17]| row.iter().all(|bits| f32::from_bits(*bits).is_finite());
            assert!(alone.iter().all(finite));
            let touching = alone.iter().filter(|row| row[..3].iter().any(|bits| bits << 1 != 0)).count();
            assert!((4..LANES).contains(&touching), "some touch and some do not: {touching}");
        }
    }
}

/// A pair along x with a given overlap, at rest.
fn at_rest(law: &PairLaw<f64>, overlap: f64, history: &History<f64>) -> (f64, History<f64>) {
    let geometry = contact_sphere_sphere([2e-3 - overlap, 0.0, 0.0], 1e-3, 1e-3);
    let motion = Motion { velocity: [[0.0; 3]; 2], angular_velocity: [[0.0; 3]; 2] };
    let (loads, history) = contact_loads(law, &geometry, 1e-4, &motion, 1e-6, history);
    (loads.force[0], history)
}

#[test]
fn a_neck_lasts_to_pull_off_and_does_not_form_before_touching() {
    let law = law(NormalModel::Jkr, TangentialModel::MindlinRescale);
    let reach = pull_off_distance(&law.normal, 0.5e-3);
    assert_eq!(at_rest(&law, -0.5 * reach, &History::none()), (0.0, History::none()));
    let (_, touched) = at_rest(&law, 1e-6, &History::none());
    let (pull, held) = at_rest(&law, -0.99 * reach, &touched);
    assert!((pull / (-3.0 * PI * 0.05 * 0.5e-3) - 1.0).abs() < 0.02, "{pull}");
    assert!(held.contact_radius > 0.0);
    assert_eq!(at_rest(&law, -1.01 * reach, &held), (0.0, History::none()));
}

#[test]
fn a_bridge_forms_where_grains_touch_and_holds_them_until_it_breaks() {
    let mut law = law(NormalModel::Hertz, TangentialModel::MindlinRescale);
    let water = Capillary::new(1e-13, 0.072, 0.0);
    law.capillary = Some(water);
    let reach = water.rupture_distance;
    assert_eq!(at_rest(&law, -0.5 * reach, &History::none()), (0.0, History::none()));
    let (_, touched) = at_rest(&law, 1e-6, &History::none());
    assert!(touched.contact_radius > 0.0);
    let (pull, wet) = at_rest(&law, -0.5 * reach, &touched);
    assert!(pull < 0.0 && wet.contact_radius == f64::from(BRIDGE));
    assert!((pull / -bridge_force(&water, 0.5e-3, 0.5 * reach) - 1.0).abs() < 1e-12);
    let (still, wet) = at_rest(&law, -0.999 * reach, &wet);
    assert!(still < 0.0 && still > pull);
    assert_eq!(at_rest(&law, -1.001 * reach, &wet), (0.0, History::none()));
    let (again, _) = at_rest(&law, 1e-6, &wet);
    let (first, _) = at_rest(&law, 1e-6, &History::none());
    assert_eq!(again, first, "no spring is left over");
}
