//! Maps against the table of planes and against integrals that know nothing of grids.

use super::*;
use crate::geometry::shapes;
use crate::random::Random;
use crate::sph::KernelKind;

const DIAMETER: f32 = 0.04;

fn kernel(kind: KernelKind) -> Kernel {
    Kernel::new(kind, 2.0 * DIAMETER)
}

fn map(mesh: &TriangleMesh, kind: KernelKind) -> VolumeMap {
    VolumeMap::new(mesh, &kernel(kind), VolumeMap::default_cell(DIAMETER), DIAMETER).unwrap()
}

#[test]
fn a_large_flat_face_is_the_table_of_planes() {
    for kind in [KernelKind::Cubic, KernelKind::Wendland] {
        let mut mesh = shapes::cuboid(Vec3::splat(0.6));
        // Neither along the grid nor on its nodes.
        mesh.place(
            glam::Quat::from_rotation_z(0.3) * glam::Quat::from_rotation_x(0.2),
            Vec3::new(0.003, 0.001, 0.002),
        );
        let map = map(&mesh, kind);
        let table = WallTable::new(&kernel(kind), DIAMETER);
        let [a, b, c] = mesh.corners(0);
        let normal = (b - a).cross(c - a).normalize();
        let middle = 0.5 * (a + c);
        let mut random = Random::new(1);
        let steepest = -table.lambda_derivative(0.0);
        for k in -100..=100 {
            let phi = 0.01 * k as f32 * 2.0 * DIAMETER;
            let aside = 0.1 * Vec3::new(random.signed(), random.signed(), random.signed());
            let point = middle + phi * normal + aside - aside.dot(normal) * normal;
            let sample = map.sample(point);
            assert!((sample.distance - phi).abs() < 1e-3 * DIAMETER, "{kind:?} {phi}: {sample:?}");
            assert!(sample.direction.distance(normal) < 1e-2, "{kind:?} {phi}: {sample:?}");
            let lambda = table.lambda(phi);
            // One per cent of the value on the surface, 1/2.
            assert!((sample.lambda - lambda).abs() < 0.005, "{kind:?} {phi}: {} {lambda}", sample.lambda);
            let slope = table.lambda_derivative(phi) * normal;
            let error = sample.lambda_gradient.distance(slope);
            assert!(error < 0.05 * steepest, "{kind:?} {phi}: {} {slope}", sample.lambda_gradient);
        }
    }
}

/// The part of a kernel in a ball, by summing over shells of the kernel: the part of a sphere of radius r around x that
/// lies in a ball of radius R at distance d is a cap.
fn ball_integral(kernel: &Kernel, ball: f64, d: f64) -> f64 {
    let n = 2000;
    let step = f64::from(kernel.support()) / f64::from(n);
    let (mut inside, mut whole) = (0.0, 0.0);
    for k in 0..n {
        let r = (f64::from(k) + 0.5) * step;
        let shell = f64::from(kernel.w(r as f32)) * r * r * step;
        let cosine = ((d * d + r * r - ball * ball) / (2.0 * d * r)).clamp(-1.0, 1.0);
        inside += shell * 0.5 * (1.0 - cosine);
        whole += shell;
    }
    inside / whole
}

#[test]
fn a_sphere_agrees_with_numeric_quadrature() {
    let ball = 0.1;
    let map = map(&shapes::sphere(ball, 60), KernelKind::Cubic);
    let kernel = kernel(KernelKind::Cubic);
    let mut random = Random::new(2);
    for k in 0..300 {
        let d = 0.02 + 0.18 * k as f32 / 300.0;
        let direction = Vec3::new(random.signed(), random.signed(), random.signed()).normalize_or(Vec3::X);
        let exact = ball_integral(&kernel, f64::from(ball), f64::from(d)) as f32;
        let found = map.lambda(d * direction).0;
        assert!((found - exact).abs() < 0.01, "{d}: {found} {exact}");
    }
}

#[test]
fn an_edge_and_a_corner_have_a_quarter_and_an_eighth() {
    let map = map(&shapes::cuboid(Vec3::splat(0.4)), KernelKind::Cubic);
    for (point, part) in [
        (Vec3::new(0.2, 0.0, 0.0), 0.5),
        (Vec3::new(0.2, 0.2, 0.0), 0.25),
        (Vec3::splat(0.2), 0.125),
        (Vec3::ZERO, 1.0),
        (Vec3::new(0.281, 0.0, 0.0), 0.0),
        (Vec3::splat(9.0), 0.0),
    ] {
        let found = map.lambda(point).0;
        assert!((found - part).abs() < 0.02, "{point}: {found} {part}");
    }
}

#[test]
fn concave_features_are_marked_and_convex_ones_are_not() {
    let convex = [shapes::cuboid(Vec3::splat(0.4)), shapes::sphere(0.2, 30), shapes::cylinder(0.2, 0.3, 40)];
    for mesh in convex {
        let map = map(&mesh, KernelKind::Cubic);
        let marked: u32 = map.concave_words().iter().map(|word| word.count_ones()).sum();
        assert_eq!(marked, 0);
    }
    let bed = map(&shapes::truck_bed(Vec3::new(0.6, 0.4, 0.6), 0.1), KernelKind::Cubic);
    let (floor, wall, r) = (-0.1, 0.2, 0.5 * DIAMETER);
    for x in [-1.0, 1.0] {
        // In the corner of floor and wall, and at each of them alone.
        assert!(bed.concave_near(Vec3::new(x * (wall - r), floor + r, 0.01)));
        assert!(bed.concave_near(Vec3::new(x * (wall - r), floor + r, 0.2 - r)));
        assert!(!bed.concave_near(Vec3::new(0.01, floor + r, 0.02)));
        assert!(!bed.concave_near(Vec3::new(x * (wall - r), 0.1, 0.01)));
        assert!(!bed.concave_near(Vec3::new(x * (0.3 + r), 0.1, 0.01)));
    }
    assert!(!bed.concave_near(Vec3::splat(10.0)));
}

#[test]
fn maps_do_not_depend_on_the_number_of_threads() {
    let mesh = shapes::bumpy(0.1, 10);
    let in_pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| map(&mesh, KernelKind::Cubic))
    };
    assert_eq!(in_pool(1), in_pool(3));
}
