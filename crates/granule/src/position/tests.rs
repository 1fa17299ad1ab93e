//! What exact positions keep where single precision loses it, and the edges of their range.

use proptest::prelude::*;

use super::*;
use crate::random::Random;

fn at(x: f64, y: f64, z: f64) -> ExactPosition {
    ExactPosition::from_meters(DVec3::new(x, y, z)).unwrap()
}

/// Issue: at 10 m and 1e-6 m/s, steps of 1e-5 s move a grain by 1e-11 m; the grid of f32 there is 9.5e-7 m.
#[test]
fn a_slow_grain_far_out_moves_by_its_speed_times_time() {
    let (speed, dt, steps) = (1e-6_f32, 1e-5_f32, 1_000_000);
    let (mut exact, mut single) = (at(10.0, 0.0, 0.0), 10.0_f32);
    for _ in 0..steps {
        assert!(exact.advance(Vec3::X * speed * dt));
        single += speed * dt;
    }
    let way = f64::from(speed) * f64::from(dt) * f64::from(steps);
    let moved = exact.to_meters().x - 10.0;
    assert!((moved / way - 1.0).abs() < 1e-3, "{moved} instead of {way}");
    // The negative control: plain single precision has not moved at all.
    assert_eq!(single, 10.0);
}

#[test]
fn overlaps_far_out_are_exact_to_a_millionth_of_a_diameter() {
    let (diameter, radius) = (1e-3, 5e-4_f32);
    let mut random = Random::new(3);
    let (mut worst, mut worst_single) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        let direction = loop {
            let v = Vec3::new(random.signed(), random.signed(), random.signed()).as_dvec3();
            if v.length() > 0.1 {
                break v.normalize();
            }
        };
        let first = DVec3::splat(10.0);
        let second = first + (1.0 - 1e-4) * diameter * direction;
        let overlap = |distance: f32| f64::from(radius + radius - distance);
        let wanted = 1e-4 * diameter;
        let exact = at(first.x, first.y, first.z).difference(at(second.x, second.y, second.z));
        worst = worst.max((overlap(exact.length()) - wanted).abs());
        let single = first.as_vec3() - second.as_vec3();
        worst_single = worst_single.max((overlap(single.length()) - wanted).abs());
    }
    assert!(worst < 1e-6 * diameter, "{worst}");
    // The negative control: in single precision overlaps are wrong by far more than they are deep.
    assert!(worst_single > 1e-4 * diameter, "{worst_single}");
}

#[test]
fn points_survive_the_way_to_and_from_meters() {
    for x in [0.0, 1.0, -1.0, 10.1, -3e4, 32767.998, 1e-7, -2.5e-9] {
        let point = ExactPosition::new(Vec3::splat(x)).unwrap();
        let found = point.to_vec3().x;
        // Beyond 2^-25 m single precision is a multiple of the quantum.
        let lost = if x.abs() >= 2f32.powi(-25) { 0.0 } else { 0.5 * QUANTUM as f32 };
        assert!((found - x).abs() <= lost, "{x}: {found}");
        assert!((point.to_meters().x - f64::from(x)).abs() <= 0.5 * QUANTUM);
    }
    for wrong in [f32::NAN, f32::INFINITY, FARTHEST, -FARTHEST, f32::MAX] {
        assert_eq!(ExactPosition::new(Vec3::new(0.0, wrong, 0.0)), None, "{wrong}");
    }
}

/// Rounding to whole quanta, ties to even: half a quantum moves nothing, one and a half move two.
#[test]
fn displacements_round_to_the_nearest_quantum() {
    let quantum = QUANTUM as f32;
    let cases = [(0.5, 0), (0.51, 1), (1.0, 1), (1.5, 2), (2.5, 2), (-0.5, 0), (-0.51, -1), (-1.5, -2)];
    for (parts, whole) in cases {
        let mut point = at(1.0, 1.0, 1.0);
        assert!(point.advance(Vec3::Z * quantum * parts));
        assert_eq!(point.quanta, [1 << 48, 1 << 48, (1 << 48) + whole], "{parts} quanta");
    }
    let mut point = ExactPosition::default();
    assert!(point.advance(Vec3::new(f32::from_bits(1), -f32::MIN_POSITIVE, -0.0)));
    assert_eq!(point, ExactPosition::default(), "less than half a quantum moves nothing");
}

/// Nothing panics or wraps around: what does not fit ends at the end of the range and is reported.
#[test]
fn what_leaves_the_range_ends_at_its_end_and_is_reported() {
    let far = f64::from(FARTHEST) - 1.0;
    for way in [2.0, 1e30, f32::INFINITY] {
        let (mut up, mut down) = (at(far, 0.0, 0.0), at(-far, 0.0, 0.0));
        assert!(!up.advance(Vec3::new(way, 0.0, 0.0)), "{way}");
        assert!(!down.advance(Vec3::new(-way, 0.0, 0.0)), "{way}");
        assert_eq!((up.quanta[0], down.quanta[0]), (i64::MAX, i64::MIN), "{way}");
    }
    let mut point = at(1.0, 2.0, 3.0);
    assert!(!point.advance(Vec3::new(0.5, f32::NAN, -0.5)));
    assert_eq!(point, at(1.5, 2.0, 2.5), "what is not a number moves nothing");
    // Differences wider than the range keep their sign.
    let apart = at(far, 0.0, 0.0).difference(at(-far, 0.0, 0.0));
    assert_eq!(apart, Vec3::X * FARTHEST);
}

#[test]
fn periodic_images_are_exact_below_the_origin_and_at_the_ends() {
    let exact = ExactDomain::new([Some([-0.25, 0.5]), None, Some([2.0, 3.0])]).unwrap();
    let one = QUANTUM;
    // Where a point is, where its image is; the axis y does not repeat.
    for (x, image) in [
        (-0.25, -0.25),
        (0.5, -0.25),
        (0.5 - one, 0.5 - one),
        (-0.25 - one, 0.5 - one),
        (0.75, 0.0),
        (-0.3, 0.45),
        (-1.0, -0.25),
        (-7.3, 0.2),
    ] {
        let found = exact.wrap(at(x, x, 2.0));
        assert!((found.to_meters().x - image).abs() <= one, "{x}: {} instead of {image}", found.to_meters());
        assert_eq!(found.quanta[1], at(0.0, x, 0.0).quanta[1]);
        assert_eq!(found.quanta[2], 2 << 48);
    }
    let far = ExactPosition { quanta: [i64::MIN, 0, i64::MAX] };
    let image = exact.wrap(far).to_meters();
    assert!((-0.25..0.5).contains(&image.x) && (2.0..3.0).contains(&image.z), "{image}");
    let shortest = exact.difference(at(0.45, 9.0, 2.1), at(-0.2, 1.0, 2.9));
    assert!((shortest - Vec3::new(-0.1, 8.0, 0.2)).length() < 1e-6, "{shortest}");
    for wrong in [[0.0, 40_000.0], [-30_000.0, 30_000.0], [1.0, 1.0], [2.0, 1.0], [0.0, f32::NAN]] {
        assert_eq!(ExactDomain::new([None, Some(wrong), None]), None, "{wrong:?}");
    }
}

#[test]
fn offsets_of_a_block_are_within_a_ten_millionth_of_its_extent() {
    let domain = ExactDomain::new([Some([0.0, 2000.0]), None, None]).unwrap();
    let mut random = Random::new(8);
    let extent = 0.05;
    // The block lies across the seam of the period along x.
    let origin = at(0.01, -3000.0, 12_345.678);
    let points: Vec<ExactPosition> = (0..512)
        .map(|_| {
            let mut point = origin;
            assert!(point.advance(extent * Vec3::new(random.signed(), random.signed(), random.signed())));
            domain.wrap(point)
        })
        .collect();
    let [mut x, mut y, mut z] = [0; 3].map(|_: i32| vec![0.0; points.len()]);
    domain.offsets(origin, &points, [&mut x, &mut y, &mut z]);
    for (k, point) in points.iter().enumerate() {
        let mut exact = point.quanta.map(|quanta| quanta as i128);
        let turn = 2000_i128 << 48;
        exact[0] -= if point.quanta[0] > 1000 << 48 { turn } else { 0 };
        for (axis, found) in [x[k], y[k], z[k]].into_iter().enumerate() {
            let wanted = (exact[axis] - i128::from(origin.quanta[axis])) as f64 * QUANTUM;
            assert!((f64::from(found) - wanted).abs() <= 1e-7 * f64::from(extent), "{found} {wanted}");
        }
    }
}

#[test]
fn memory_is_three_little_endian_words_and_the_hash_sees_every_bit() {
    let point = ExactPosition { quanta: [1, -1, 1 << 32] };
    let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&point));
    assert_eq!(words, [1, 0, u32::MAX, u32::MAX, 0, 1]);
    let saved = postcard::to_stdvec(&point).unwrap();
    assert_eq!(postcard::from_bytes::<ExactPosition>(&saved).unwrap(), point);
    let hash = |point: &ExactPosition| {
        let mut hash = Fnv::default();
        point.hash_into(&mut hash);
        hash.finish()
    };
    for axis in 0..3 {
        let mut other = point;
        other.quanta[axis] ^= 1;
        assert_ne!(hash(&other), hash(&point));
    }
}

proptest! {
    /// Steps add up exactly, in any order: going there and back ends where it began.
    #[test]
    fn the_order_of_displacements_does_not_matter(
        start in -30_000.0..30_000.0_f64,
        ways in proptest::collection::vec(-10.0..10.0_f32, 1..40),
    ) {
        let begin = at(start, -start, 0.5 * start);
        let (mut forward, mut backward) = (begin, begin);
        for way in &ways {
            prop_assert!(forward.advance(Vec3::splat(*way)));
        }
        for way in ways.iter().rev() {
            prop_assert!(backward.advance(Vec3::splat(*way)));
        }
        prop_assert_eq!(forward, backward);
        for way in &ways {
            prop_assert!(forward.advance(Vec3::splat(-way)));
        }
        prop_assert_eq!(forward, begin);
    }

    /// Images differ from the point by whole periods and lie inside.
    #[test]
    fn images_lie_inside_and_differ_by_whole_periods(x: i64, origin in -1_000_000..1_000_000_i64, length in 1..i64::MAX / 4) {
        let image = wrapped(x, origin, length);
        prop_assert!(image >= origin && image - origin < length);
        prop_assert_eq!((i128::from(image) - i128::from(x)) % i128::from(length), 0);
        let difference = i128::from(x) % i128::from(length);
        let nearest = nearest_image(difference as i64, length);
        prop_assert!(2 * i128::from(nearest).abs() <= i128::from(length));
        prop_assert_eq!((i128::from(nearest) - difference) % i128::from(length), 0);
    }
}
