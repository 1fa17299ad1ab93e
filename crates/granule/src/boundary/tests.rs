//! Tests of shapes, against brute force where there is one, and of motions and samples.

mod moving;

use glam::Vec3;
use proptest::prelude::*;

use super::*;

fn sdf(shape: &Shape) -> Sdf {
    Sdf::new(shape).expect("a valid shape")
}

fn walls(sdf: &Sdf, x: Vec3, reach: f32) -> Vec<Surface> {
    let mut list = Vec::new();
    sdf.surfaces(x, reach, &mut |surface| list.push(surface));
    list
}

fn block(hollow: bool) -> Shape {
    Shape::Box { min: [-0.5, -0.2, -0.3], max: [0.4, 0.6, 0.3], hollow }
}

fn ball(hollow: bool) -> Shape {
    Shape::Sphere { center: [0.1, -0.1, 0.2], radius: 0.4, hollow }
}

fn cylinder(hollow: bool) -> Shape {
    Shape::Cylinder { from: [-0.1, -0.4, 0.1], to: [0.2, 0.5, 0.0], radius: 0.35, hollow }
}

fn capsule(hollow: bool) -> Shape {
    Shape::Capsule { from: [-0.3, -0.2, 0.1], to: [0.3, 0.3, 0.0], radius: 0.25, hollow }
}

fn tip(hollow: bool) -> Shape {
    Shape::Cone { from: [0.0, 0.5, 0.1], to: [0.1, -0.4, 0.0], from_radius: 0.5, to_radius: 0.0, hollow }
}

fn truncated(hollow: bool) -> Shape {
    Shape::Cone { from: [0.0, -0.3, 0.0], to: [0.0, 0.4, 0.2], from_radius: 0.2, to_radius: 0.5, hollow }
}

fn funnel() -> Shape {
    Shape::Funnel {
        from: [0.0, 0.4, 0.0],
        to: [0.0, -0.3, 0.1],
        from_radius: 0.5,
        to_radius: 0.15,
        thickness: 0.1,
    }
}

fn primitives() -> Vec<Shape> {
    let mut list: Vec<Shape> = [false, true]
        .into_iter()
        .flat_map(|h| [block(h), ball(h), cylinder(h), capsule(h), tip(h), truncated(h)])
        .collect();
    list.push(funnel());
    list.push(Shape::Plane { point: [0.0, 0.1, 0.0], normal: [1.0, 2.0, -0.5] });
    list
}

/// Points on the surface of a primitive, and whether a point is in it (hollow or not): independent of the code above.
fn brute(shape: &Shape, x: Vec3) -> f32 {
    const N: usize = 160;
    let grid = |n: usize| (0..=n).map(move |k| k as f32 / n as f32);
    let mut nearest = f32::INFINITY;
    let mut see = |p: Vec3| nearest = nearest.min(p.distance(x));
    let ring = |from: [f32; 3], to: [f32; 3], radius: f32, t: f32, turn: f32| {
        let (a, b) = (Vec3::from(from), Vec3::from(to));
        let (u, v) = (b - a).normalize().any_orthonormal_pair();
        let (s, c) = (turn * std::f32::consts::TAU).sin_cos();
        a + t * (b - a) + radius * (c * u + s * v)
    };
    let height = |from: [f32; 3], to: [f32; 3]| {
        let (a, b) = (Vec3::from(from), Vec3::from(to));
        let t = (x - a).dot(b - a) / (b - a).length_squared();
        (t, (x - a - t * (b - a)).length())
    };
    let (inside, hollow) = match *shape {
        Shape::Box { min, max, hollow } => {
            let (min, max) = (Vec3::from(min), Vec3::from(max));
            for axis in 0..3 {
                for side in [0.0, 1.0] {
                    for s in grid(N) {
                        for t in grid(N) {
                            let mut w = Vec3::ZERO;
                            w[axis] = side;
                            w[(axis + 1) % 3] = s;
                            w[(axis + 2) % 3] = t;
                            see(min + w * (max - min));
                        }
                    }
                }
            }
            (x.cmpge(min).all() && x.cmple(max).all(), hollow)
        }
        Shape::Sphere { center, radius, hollow } => {
            for s in grid(N) {
                for t in grid(N) {
                    let (sin, cos) = (s * std::f32::consts::PI).sin_cos();
                    let (a, b) = (t * std::f32::consts::TAU).sin_cos();
                    see(Vec3::from(center) + radius * Vec3::new(sin * a, cos, sin * b));
                }
            }
            (x.distance(center.into()) < radius, hollow)
        }
        Shape::Capsule { from, to, radius, hollow } => {
            let (a, b) = (Vec3::from(from), Vec3::from(to));
            let (u, v) = (b - a).normalize().any_orthonormal_pair();
            let w = (b - a).normalize();
            for s in grid(N) {
                for t in grid(N) {
                    see(ring(from, to, radius, s, t));
                    let (sin, cos) = (s * std::f32::consts::FRAC_PI_2).sin_cos();
                    let (p, q) = (t * std::f32::consts::TAU).sin_cos();
                    see(a + radius * (sin * (p * u + q * v) - cos * w));
                    see(b + radius * (sin * (p * u + q * v) + cos * w));
                }
            }
            let t = height(from, to).0.clamp(0.0, 1.0);
            (x.distance(a + t * (b - a)) < radius, hollow)
        }
        Shape::Cylinder { from, to, radius, hollow } => {
            return brute(&Shape::Cone { from, to, from_radius: radius, to_radius: radius, hollow }, x);
        }
        Shape::Cone { from, to, from_radius, to_radius, hollow } => {
            for s in grid(N) {
                for t in grid(N) {
                    see(ring(from, to, from_radius + s * (to_radius - from_radius), s, t));
                    see(ring(from, to, s * from_radius, 0.0, t));
                    see(ring(from, to, s * to_radius, 1.0, t));
                }
            }
            let (t, rho) = height(from, to);
            ((0.0..=1.0).contains(&t) && rho < from_radius + t * (to_radius - from_radius), hollow)
        }
        Shape::Funnel { from, to, from_radius, to_radius, thickness } => {
            let length = Vec3::from(from).distance(to.into());
            let rim = thickness * length.hypot(to_radius - from_radius) / length;
            for s in grid(N) {
                for t in grid(N) {
                    let radius = from_radius + s * (to_radius - from_radius);
                    see(ring(from, to, radius, s, t));
                    see(ring(from, to, radius + rim, s, t));
                    see(ring(from, to, from_radius + s * rim, 0.0, t));
                    see(ring(from, to, to_radius + s * rim, 1.0, t));
                }
            }
            let (t, rho) = height(from, to);
            let inner = from_radius + t * (to_radius - from_radius);
            ((0.0..=1.0).contains(&t) && rho > inner && rho < inner + rim, false)
        }
        Shape::Plane { point, normal } => return (x - Vec3::from(point)).dot(Vec3::from(normal).normalize()),
        _ => unreachable!("combinations have no brute force"),
    };
    if inside != hollow { -nearest } else { nearest }
}

fn point() -> impl Strategy<Value = Vec3> {
    (-0.9..0.9_f32, -0.9..0.9_f32, -0.9..0.9_f32).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn distance_is_that_of_brute_force(x in point()) {
        for shape in primitives() {
            let (exact, sampled) = (sdf(&shape).distance(x), brute(&shape, x));
            // Samples lie up to 0.02 apart and never nearer than the true surface.
            prop_assert!((exact - sampled).abs() < 0.002 + 0.0002 / sampled.abs().max(0.02), "{shape:?} {x}: {exact} {sampled}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nearest_agrees_with_distance_and_gradient(x in point()) {
        for shape in primitives() {
            let sdf = sdf(&shape);
            let near = sdf.nearest(x);
            prop_assert!((near.distance - sdf.distance(x)).abs() < 1e-5, "{shape:?} {x}");
            prop_assert!((near.normal.length() - 1.0).abs() < 1e-5);
            prop_assert!((near.closest - (x - near.distance * near.normal)).length() < 1e-5, "{shape:?} {x} {near:?}");
            prop_assert!(sdf.distance(near.closest).abs() < 1e-5, "{shape:?} {x} {near:?}");
            let e = 2e-3;
            let gradient = Vec3::from_array(Vec3::AXES.map(|a| (sdf.distance(x + e * a) - sdf.distance(x - e * a)) / (2.0 * e)));
            // Away from edges and axes, where the normal turns within the difference.
            let turn = |a: Vec3| (sdf.nearest(x + e * a).normal - sdf.nearest(x - e * a).normal).length();
            if Vec3::AXES.iter().all(|a| turn(*a) < 0.03) {
                prop_assert!((gradient - near.normal).length() < 3e-2, "{shape:?} {x}: {gradient} {near:?}");
            }
        }
    }

    #[test]
    fn walls_lie_on_the_solid_and_hold_the_nearest(x in point()) {
        for shape in primitives() {
            let sdf = sdf(&shape);
            let list = walls(&sdf, x, 0.3);
            let distance = sdf.distance(x);
            for wall in &list {
                prop_assert!(wall.distance < 0.3 && wall.face < sdf.face_count());
                prop_assert!((wall.normal.length() - 1.0).abs() < 1e-5);
                prop_assert!((wall.closest - (x - wall.distance * wall.normal)).length() < 1e-5, "{shape:?} {x} {wall:?}");
                if distance > 0.0 {
                    prop_assert!(sdf.distance(wall.closest).abs() < 1e-5, "{shape:?} {x} {wall:?}");
                }
                prop_assert_eq!(list.iter().filter(|other| other.face == wall.face).count(), 1);
            }
            let least = list.iter().map(|wall| wall.distance).fold(f32::INFINITY, f32::min);
            if distance > 0.0 && distance < 0.299 {
                prop_assert!((least - distance).abs() < 1e-5, "{shape:?} {x}: {least} {distance}");
            }
            if distance < 0.0 {
                prop_assert!(least < 1e-5 && least > distance - 1e-5, "{shape:?} {x}: {least} {distance}");
            }
            if distance > 0.301 {
                prop_assert!(list.is_empty());
            }
        }
    }

    #[test]
    fn bounds_hold_the_solid(x in point()) {
        for shape in primitives() {
            let sdf = sdf(&shape);
            if let Some((min, max)) = sdf.bounds() {
                let outside = (min - x).max(x - max).max(Vec3::ZERO).length();
                prop_assert!(outside == 0.0 || sdf.distance(x) >= outside - 1e-5, "{shape:?} {x}");
            }
        }
    }

    #[test]
    fn a_carved_cavity_is_a_container(x in point()) {
        // A box cut out of a block gives the walls of a hollow box.
        let carved = sdf(&Shape::Subtraction(vec![
            Shape::Box { min: [-5.0; 3], max: [5.0; 3], hollow: false }, block(false),
        ]));
        let container = sdf(&block(true));
        prop_assert!((carved.distance(x) - container.distance(x)).abs() < 1e-6);
        if container.distance(x) > 0.0 {
            let (mut a, mut b) = (walls(&carved, x, 0.2), walls(&container, x, 0.2));
            a.sort_by(|p, q| p.distance.total_cmp(&q.distance));
            b.sort_by(|p, q| p.distance.total_cmp(&q.distance));
            prop_assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a.closest - b.closest).length() < 1e-6 && (a.normal - b.normal).length() < 1e-6);
            }
        }
    }

    #[test]
    fn a_cut_block_has_faces_and_edges_of_the_same_box(x in point()) {
        // A box as an intersection of two larger ones: faces from both, edges where they meet.
        let cut = sdf(&Shape::Intersection(vec![
            Shape::Box { min: [-0.5, -0.2, -3.0], max: [0.4, 3.0, 3.0], hollow: false },
            Shape::Box { min: [-3.0, -3.0, -0.3], max: [3.0, 0.6, 0.3], hollow: false },
        ]));
        let whole = sdf(&block(false));
        let exact = whole.nearest(x);
        prop_assert!(cut.distance(x) <= exact.distance + 1e-5);
        let list = walls(&cut, x, 0.3);
        if exact.distance > 1e-3 && exact.distance < 0.299 {
            let least = list.iter().map(|wall| wall.distance).fold(f32::INFINITY, f32::min);
            prop_assert!((least - exact.distance).abs() < 1e-3, "{x}: {list:?} {exact:?}");
        } else if exact.distance < 0.0 {
            prop_assert_eq!(list.len(), 1);
            prop_assert!((list[0].distance - exact.distance).abs() < 1e-5);
        }
    }
}

#[test]
fn nothing_is_not_a_number_on_axes_centres_and_edges() {
    let t = |a: [f32; 3], b: [f32; 3], t: f32| Vec3::from(a).lerp(b.into(), t);
    let mut points = vec![Vec3::ZERO, Vec3::new(0.1, -0.1, 0.2)];
    for (a, b) in [
        ([-0.1, -0.4, 0.1], [0.2, 0.5, 0.0]),
        ([-0.3, -0.2, 0.1], [0.3, 0.3, 0.0]),
        ([0.0, 0.5, 0.1], [0.1, -0.4, 0.0]),
        ([0.0, -0.3, 0.0], [0.0, 0.4, 0.2]),
        ([0.0, 0.4, 0.0], [0.0, -0.3, 0.1]),
    ] {
        points.extend([-0.5, 0.0, 0.3, 0.5, 1.0, 1.5].map(|s| t(a, b, s)));
    }
    for k in 0..8 {
        let pick = |bit: usize, low: f32, high: f32| if k & bit == 0 { low } else { high };
        points.push(Vec3::new(pick(1, -0.5, 0.4), pick(2, -0.2, 0.6), pick(4, -0.3, 0.3)));
    }
    for shape in primitives() {
        let sdf = sdf(&shape);
        for x in &points {
            let mut list = walls(&sdf, *x, 2.0);
            list.push(sdf.nearest(*x));
            for wall in list {
                assert!(wall.distance.is_finite() && wall.closest.is_finite(), "{shape:?} {x} {wall:?}");
                assert!((wall.normal.length() - 1.0).abs() < 1e-5, "{shape:?} {x} {wall:?}");
            }
        }
        assert!(walls(&sdf, Vec3::NAN, 1.0).is_empty(), "{shape:?}");
    }
}

#[test]
fn corner_of_a_hollow_box_gives_three_faces() {
    let sdf = sdf(&block(true));
    let faces: Vec<u16> = walls(&sdf, Vec3::new(-0.49, -0.19, 0.28), 0.05).iter().map(|w| w.face).collect();
    assert_eq!(faces, [0, 2, 5]);
    // The corner keeps its walls when the particle has sunk into the floor.
    let sunk = walls(&sdf, Vec3::new(-0.49, -0.21, 0.28), 0.05);
    assert_eq!(sunk.len(), 3);
    assert!((sunk[1].distance + 0.01).abs() < 1e-6 && sunk[1].normal == Vec3::Y);
    assert_eq!(walls(&sdf, Vec3::new(0.0, 0.2, 0.0), 0.05).len(), 0);
}

#[test]
fn corner_of_a_hollow_cylinder_gives_side_and_end() {
    let shape = Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius: 0.5, hollow: true };
    let sdf = sdf(&shape);
    let list = walls(&sdf, Vec3::new(0.0, 0.01, 0.48), 0.05);
    assert_eq!(list.len(), 2);
    assert!((list[0].normal - Vec3::Y).length() < 1e-6 && (list[0].distance - 0.01).abs() < 1e-6);
    assert!((list[1].normal + Vec3::Z).length() < 1e-6 && (list[1].distance - 0.02).abs() < 1e-6);
    assert_eq!(walls(&sdf, Vec3::new(0.0, -0.01, 0.49), 0.05).len(), 2, "also when the floor is penetrated");
    assert_eq!(
        walls(&sdf, Vec3::new(0.1, 0.5, 0.1), 2.0).len(),
        4,
        "both ends, the side and the side beyond"
    );
}

#[test]
fn tip_of_a_hollow_cone_holds_a_particle_from_both_sides() {
    let shape =
        Shape::Cone { from: [0.0, 1.0, 0.0], to: [0.0; 3], from_radius: 0.5, to_radius: 0.0, hollow: true };
    let list = walls(&sdf(&shape), Vec3::new(0.0, 0.1, 0.0), 0.1);
    assert_eq!(list.len(), 2);
    let push = list[0].normal + list[1].normal;
    assert!(push.y > 0.5 && push.x.abs() < 1e-6 && push.z.abs() < 1e-6, "{list:?}");
}

#[test]
fn solid_inside_is_pushed_out_through_the_nearest_face() {
    let out = sdf(&block(false)).nearest(Vec3::new(0.35, 0.2, 0.1));
    assert_eq!(out.normal, Vec3::X);
    assert!((out.distance + 0.05).abs() < 1e-6);
    let cylinder = Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius: 0.5, hollow: false };
    let out = sdf(&cylinder).nearest(Vec3::new(0.1, 0.95, 0.0));
    assert!((out.normal - Vec3::Y).length() < 1e-6 && (out.distance + 0.05).abs() < 1e-6);
}

#[test]
fn union_gives_the_walls_of_every_part_with_different_faces() {
    let shape = Shape::Union(vec![
        Shape::Plane { point: [0.0; 3], normal: [0.0, 2.0, 0.0] },
        block(true),
        Shape::Sphere { center: [0.0, 0.3, 0.0], radius: 0.1, hollow: false },
    ]);
    let list = walls(&sdf(&shape), Vec3::new(-0.45, 0.05, 0.0), 0.5);
    let mut faces: Vec<u16> = list.iter().map(|wall| wall.face).collect();
    faces.dedup();
    assert_eq!(faces.len(), list.len());
    assert!(faces.contains(&0) && faces.contains(&1) && faces.contains(&7));
}

/// Two hollow cones that overlap in a neck: the solid around both cavities.
fn hourglass() -> Shape {
    let cone = |sign: f32| Shape::Cone {
        from: [0.0, sign, 0.0],
        to: [0.0, -0.05 * sign, 0.0],
        from_radius: 0.5,
        to_radius: 0.04,
        hollow: true,
    };
    Shape::Intersection(vec![cone(1.0), cone(-1.0)])
}

#[test]
fn neck_of_an_hourglass_is_open_and_round() {
    let sdf = sdf(&hourglass());
    // The cones meet in the plane y = 0.
    let neck = 0.04 + 0.05 * (0.46 / 1.05);
    for y in [-0.04, -0.02, 0.0, 0.01, 0.045] {
        let list = walls(&sdf, Vec3::new(0.0, y, 0.0), 0.03);
        assert!(list.is_empty(), "no wall across the neck at {y}: {list:?}");
    }
    let list = walls(&sdf, Vec3::new(neck - 0.02, 0.0, 0.0), 0.03);
    assert_eq!(list.len(), 1, "{list:?}");
    assert!((list[0].distance - 0.02).abs() < 1e-4 && (list[0].normal + Vec3::X).length() < 1e-3, "{list:?}");
    // In a cone: its wall alone.
    let list = walls(&sdf, Vec3::new(0.24, 0.5, 0.0), 0.1);
    assert_eq!(list.len(), 1);
    // Both the lid and the wall in the upper corner.
    assert_eq!(walls(&sdf, Vec3::new(0.45, 0.97, 0.0), 0.05).len(), 2);
}

#[test]
fn shared_floor_of_two_containers_is_given_once() {
    let container = |min, max| Shape::Box { min, max, hollow: true };
    let shape =
        Shape::Intersection(vec![container([0.0; 3], [2.0, 1.0, 1.0]), container([0.0; 3], [1.0, 1.0, 2.0])]);
    let sdf = sdf(&shape);
    for x in [Vec3::new(0.5, 0.02, 0.5), Vec3::new(1.5, 0.02, 0.5), Vec3::new(0.5, 0.02, 1.5)] {
        let list = walls(&sdf, x, 0.05);
        assert_eq!(list.len(), 1, "{x}: {list:?}");
        assert_eq!(list[0].normal, Vec3::Y);
    }
    // The edge that juts into the L.
    let list = walls(&sdf, Vec3::new(0.98, 0.5, 0.98), 0.05);
    assert_eq!(list.len(), 1, "{list:?}");
    assert!((list[0].distance - 0.02 * 2.0_f32.sqrt()).abs() < 1e-4, "{list:?}");
}

/// Far over the inner rim of a bottom that is all but flat, its upper and its lower face are as near but for rounding: what is over
/// it is outside.
#[test]
fn nothing_over_a_flat_funnel_is_inside() {
    let (from, to) = ([0.0; 3], [0.0, 0.00002, 0.0]);
    let bottom = Shape::Funnel { from, to, from_radius: 0.04, to_radius: 0.1, thickness: 0.002 };
    let sdf = sdf(&bottom);
    for k in 0..4000 {
        let (radius, height) = (0.039 + 1e-6 * k as f32, 0.3);
        let turn = Vec3::new((k as f32).cos(), 0.0, (k as f32).sin());
        let distance = sdf.distance(radius * turn + height * Vec3::Y);
        assert!((distance - height).abs() < 1e-4, "{radius}: {distance}");
    }
}

#[test]
fn wrong_shapes_are_refused_with_the_value_and_the_rule() {
    let message = |shape: Shape| Sdf::new(&shape).expect_err("wrong").to_string();
    assert!(
        message(Shape::Plane { point: [0.0; 3], normal: [0.0; 3] }).contains("`normal` must not be zero")
    );
    assert!(
        message(Shape::Plane { point: [f32::NAN, 0.0, 0.0], normal: [0.0, 1.0, 0.0] }).contains("`point`")
    );
    let flat = message(Shape::Box { min: [0.0; 3], max: [1.0, 0.0, 1.0], hollow: false });
    assert!(flat.contains("in y"), "{flat}");
    let ball = message(Shape::Sphere { center: [0.0; 3], radius: -1.0, hollow: false });
    assert!(ball.contains("greater than 0, got -1"), "{ball}");
    let rod = Shape::Cylinder { from: [1.0; 3], to: [1.0; 3], radius: 1.0, hollow: false };
    assert!(message(rod.clone()).contains("must differ"));
    assert!(message(Shape::Union(vec![])).contains("at least one"));
    assert!(message(Shape::Subtraction(vec![block(false), rod])).contains("subtraction, part 1"));
    let none = Shape::Cone { from: [0.0; 3], to: [1.0; 3], from_radius: 0.0, to_radius: 0.0, hollow: false };
    assert!(message(none).contains("both be 0"));
    let thin =
        Shape::Funnel { from: [0.0; 3], to: [1.0; 3], from_radius: 1.0, to_radius: 1.0, thickness: 0.0 };
    assert!(message(thin).contains("`thickness`"));
}
