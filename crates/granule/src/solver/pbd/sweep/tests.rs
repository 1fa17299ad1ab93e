use glam::DVec3;

use super::*;
use crate::position::QUANTUM;
use crate::random::Random;
use crate::solver::pbd::integrate::rest_of;

/// Diameter of the grains \[m\].
const SIZE: f64 = 0.01;

/// Sixteen vectors from partners to keepers.
struct Apart<'a>(StepConstants<'a>);

impl Vectorised for Apart<'_> {
    type Output = [[f32; LANES]; 3];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let i = std::array::from_fn(|lane| 2 * lane as u32);
        each(apart::<L>(&self.0, &i, &i.map(|i| i + 1)), L::to_array)
    }
}

fn apart_with(set: Instructions, domain: &ExactDomain, place: &[ExactPosition]) -> [[f32; LANES]; 3] {
    let position: Vec<Vec4> = place.iter().map(|place| place.to_vec3().extend(0.5 * SIZE as f32)).collect();
    let rest: Vec<Vec4> = place.iter().zip(&position).map(|(place, x)| rest_of(*place, *x)).collect();
    let step = StepConstants {
        domain,
        place,
        position: &position,
        rest: &rest,
        dt: 1e-3,
        carry: 1.0,
        push_speed: 0.0,
        drive: 0.0,
        rotation: true,
        instructions: set,
    };
    set.run(Apart(step))
}

/// Sixteen pairs of grains that nearly touch, around a point \[m\].
fn grains_near(point: DVec3, random: &mut Random) -> Vec<ExactPosition> {
    let mut vector = || DVec3::from_array([(); 3].map(|()| f64::from(random.signed())));
    let pairs = (0..LANES).flat_map(|_| {
        let one = point + vector();
        [one, one + SIZE * vector().normalize_or(DVec3::X)]
    });
    pairs.filter_map(ExactPosition::from_meters).collect()
}

#[test]
fn vectors_between_grains_are_as_exact_far_from_the_origin_as_near_it() {
    let mut random = Random::new(5);
    let unbounded = ExactDomain::default();
    let repeating = ExactDomain::new([Some([-20000.0, 30000.0]), None, None]).unwrap_or_default();
    for far in [0.0, 1.0, 30.0, 1000.0, 25000.0] {
        for _ in 0..50 {
            let place = grains_near(far * DVec3::new(1.0, -0.3, 0.7), &mut random);
            for domain in [&unbounded, &repeating] {
                let found = apart_with(Instructions::best(), domain, &place);
                for (lane, pair) in place.chunks(2).enumerate() {
                    let along = |k: usize| (pair[0].quanta[k] - pair[1].quanta[k]) as f64 * QUANTUM;
                    let exact = DVec3::new(along(0), along(1), along(2));
                    let found = DVec3::from_array(found.map(|axis| f64::from(axis[lane])));
                    assert!((found - exact).length() < 1.5e-7 * SIZE, "{found} {exact} at {far} m");
                    let normal = found.normalize().dot(exact.normalize());
                    assert!(normal > 1.0 - 1e-13, "{normal} at {far} m");
                }
                for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
                    assert_eq!(apart_with(set, domain, &place), found, "{} at {far} m", set.name());
                }
            }
        }
    }
}
