//! Unions of spheres against closed forms and against points at random, and meshes against their spheres.

use std::f64::consts::PI;

use glam::{DMat3, DVec3, Vec3};

use super::*;
use crate::geometry::{TriangleMesh, shapes};
use crate::random::Random;

fn sphere(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
    Sphere { center: Vec3::new(x, y, z), radius }
}

fn union(spheres: &[Sphere]) -> UnionMoments {
    moments(spheres).unwrap()
}

fn near(found: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((found / wanted - 1.0).abs() < tolerance, "{what}: {found} instead of {wanted}");
}

fn diagonal(matrix: DMat3) -> DVec3 {
    DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z)
}

fn off_diagonal(matrix: DMat3) -> f64 {
    matrix.x_axis.y.abs().max(matrix.x_axis.z.abs()).max(matrix.y_axis.z.abs())
}

#[test]
fn one_sphere_has_the_textbook_moments_wherever_it_is() {
    for at in [0.0, 100.0] {
        let found = union(&[sphere(at, -at, 0.5 * at, 0.25)]);
        let volume = 4.0 / 3.0 * PI * 0.25f64.powi(3);
        near(found.volume, volume, 1e-10, "volume");
        near(found.area, 4.0 * PI * 0.0625, 1e-10, "area");
        let inertia = diagonal(found.inertia()) / (0.4 * volume * 0.0625);
        assert!((inertia - 1.0).abs().max_element() < 1e-9, "{inertia}");
        assert!((found.center - DVec3::new(1.0, -1.0, 0.5) * f64::from(at)).length() < 1e-12);
    }
}

/// Two spheres less their lens: V = 4/3 pi (r^3 + s^3) - pi (r + s - d)^2 (d^2 + 2 d (r + s) - 3 (r - s)^2)/(12 d)
/// (Weisstein, "Sphere-Sphere Intersection", MathWorld); area less both caps, 2 pi r h each.
#[test]
fn two_spheres_have_the_volume_and_area_without_their_lens() {
    for (r, s, d) in [(1.0, 1.0, 1.0), (1.0, 0.5, 1.2), (0.7, 1.3, 0.9), (1.0, 0.3, 0.8), (1.0, 1.0, 1e-3)] {
        let (rf, sf, df) = (r as f32, s as f32, d as f32);
        let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
        let found = union(&[sphere(0.0, 0.0, 0.0, rf), Sphere { center: df * axis, radius: sf }]);
        // As they are rounded.
        let (r, s, d) = (f64::from(rf), f64::from(sf), (df * axis).as_dvec3().length());
        let lens =
            PI * (r + s - d).powi(2) * (d * d + 2.0 * d * (r + s) - 3.0 * (r - s).powi(2)) / (12.0 * d);
        near(found.volume, 4.0 / 3.0 * PI * (r.powi(3) + s.powi(3)) - lens, 1e-10, "volume");
        let cap = |r: f64, s: f64| 2.0 * PI * r * (r - (d * d + r * r - s * s) / (2.0 * d));
        let area = 4.0 * PI * (r * r + s * s) - cap(r, s) - cap(s, r);
        near(found.area, area, 1e-9, "area");
    }
}

/// Centre and inertia of two spheres of radius 1 and 1/2, 1.2 apart on the x axis, by slices: pi y^2(x) dx, integrated
/// exactly since y^2 is a polynomial of x on either side of the plane where they meet.
#[test]
fn two_spheres_have_centre_and_inertia_of_their_slices() {
    let (r, s, d) = (1.0, 0.5, f64::from(1.2_f32));
    let plane = (d * d + r * r - s * s) / (2.0 * d);
    // Gauss and Legendre with three nodes: exact to the fifth degree; y^4 and x^2 y^2 have the fourth.
    let rule = [(0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0), (-(0.6f64.sqrt()), 5.0 / 9.0)];
    let slices = |f: &dyn Fn(f64, f64) -> f64| {
        let side = |from: f64, to: f64, square: &dyn Fn(f64) -> f64| {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            rule.iter().map(|(x, w)| w * half * f(middle + half * x, square(middle + half * x))).sum::<f64>()
        };
        side(-r, plane, &|x| r * r - x * x) + side(plane, d + s, &|x| s * s - (x - d) * (x - d))
    };
    let volume = slices(&|_, y2| PI * y2);
    let center = slices(&|x, y2| PI * y2 * x) / volume;
    // A disc of radius y: y^2/2 of its mass about the axis, y^2/4 across.
    let along = slices(&|_, y2| 0.5 * PI * y2 * y2);
    let across = slices(&|x, y2| PI * y2 * (0.25 * y2 + (x - center) * (x - center)));
    let found = union(&[sphere(0.0, 0.0, 0.0, 1.0), sphere(1.2, 0.0, 0.0, 0.5)]);
    near(found.volume, volume, 1e-10, "volume");
    near(found.center.x, center, 1e-9, "centre");
    let wanted = DVec3::new(along, across, across);
    assert!((diagonal(found.inertia()) / wanted - 1.0).abs().max_element() < 1e-9, "{}", found.inertia());
    assert!(off_diagonal(found.inertia()) < 1e-10);
}

/// Four spheres at the corners of a tetrahedron of edge e: the volume in spheres and the inertia in m r^2 for e/r = 1.5, 1.2
/// and 1 by 900^3 points of a lattice, which is right to six digits, and as in physics A49, which sampled fewer.
#[test]
fn overlapping_tetrahedra_have_the_volume_and_inertia_of_the_errata() {
    let known = [
        (1.5, [3.526_824, 1.049_784], [3.523, 1.049]),
        (1.2, [3.024_744, 0.899_102], [3.023, 0.896]),
        (1.0, [2.665_788, 0.806_577], [2.669, 0.807]),
    ];
    for (edge, by_lattice, errata) in known {
        let a = edge / 8f32.sqrt();
        let found = union(&[
            sphere(a, a, a, 1.0),
            sphere(a, -a, -a, 1.0),
            sphere(-a, a, -a, 1.0),
            sphere(-a, -a, a, 1.0),
        ]);
        let volume = found.volume / (4.0 / 3.0 * PI);
        let moments = diagonal(found.inertia()) / found.volume;
        for ([wanted_volume, wanted_inertia], tolerance) in [(by_lattice, 1e-5), (errata, 4e-3)] {
            near(volume, wanted_volume, tolerance, "volume");
            near(moments.x, wanted_inertia, tolerance, "inertia");
        }
        assert!((moments / moments.x - 1.0).abs().max_element() < 1e-9, "{moments}");
        assert!(off_diagonal(found.inertia()) < 1e-9 && found.center.length() < 1e-9);
    }
}

#[test]
fn separate_spheres_add_up_and_hidden_ones_count_nothing() {
    let apart = [sphere(0.0, 0.0, 0.0, 1.0), sphere(3.0, 0.0, 0.0, 0.5), sphere(0.0, 5.0, 1.0, 1.5)];
    let sum = MassProperties::of_separate_spheres(1.0, &apart).unwrap();
    let found = union(&apart);
    near(found.volume, sum.mass, 1e-10, "volume");
    assert!((found.center - sum.center).length() < 1e-9);
    let own = MassProperties::new(found.volume, found.center, found.inertia()).unwrap();
    assert!((own.inertia / sum.inertia - 1.0).abs().max_element() < 1e-9, "{}", own.inertia);
    // Inside another one, or the same once more.
    let mut hidden = apart.to_vec();
    hidden.extend([sphere(0.2, 0.1, 0.0, 0.4), sphere(0.0, 5.0, 1.0, 1.5), sphere(0.5, 0.0, 0.0, 0.5)]);
    let with = union(&hidden);
    near(with.volume, found.volume, 1e-9, "volume");
    near(with.area, found.area, 1e-6, "area");
    assert!((with.second - found.second).to_cols_array().iter().all(|x| x.abs() < 1e-8), "{}", with.second);
}

/// Lists in which circles coincide, touch, or meet in fours.
#[test]
fn symmetric_lists_are_resolved() {
    // Eight corners of a cube: four circles meet in the middle of each face. The volume of eight octants: by symmetry all
    // spheres have the same part, so the union is eight times the part of one on its own side of the three planes.
    let (h, mut corners) = (0.5_f32, Vec::new());
    for k in 0..8u32 {
        let sign = |bit: u32| if k >> bit & 1 == 1 { h } else { -h };
        corners.push(sphere(sign(0), sign(1), sign(2), 1.0));
    }
    let found = union(&corners);
    let sampled = sample(&corners, 1_000_000);
    near(found.volume, sampled.volume, 4e-3, "volume of a cube");
    assert!(found.center.length() < 1e-9 && off_diagonal(found.second) < 1e-9);
    let second = diagonal(found.second);
    assert!((second / second.x - 1.0).abs().max_element() < 1e-9, "{second}");
    // Three spheres through one circle of radius 1 in the plane x = 0, the middle one hidden by the others.
    let root = 2f32.sqrt();
    let pencil =
        union(&[sphere(-1.0, 0.0, 0.0, root), sphere(0.0, 0.0, 0.0, 1.0), sphere(1.0, 0.0, 0.0, root)]);
    let pair = union(&[sphere(-1.0, 0.0, 0.0, root), sphere(1.0, 0.0, 0.0, root)]);
    near(pencil.volume, pair.volume, 1e-8, "volume of a pencil");
    near(pencil.area, pair.area, 1e-5, "area of a pencil");
    // Touching from outside and from inside.
    let touching =
        union(&[sphere(0.0, 0.0, 0.0, 1.0), sphere(2.0, 0.0, 0.0, 1.0), sphere(0.0, 0.5, 0.0, 0.5)]);
    near(touching.volume, 8.0 / 3.0 * PI, 1e-9, "volume of touching spheres");
}

/// Volume, centre and second moments by points at random in the box around.
fn sample(spheres: &[Sphere], count: usize) -> UnionMoments {
    let reach = spheres.iter().map(|s| s.center.abs().max_element() + s.radius).fold(0.0, f32::max);
    let mut random = Random::new(7);
    let (mut inside, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for _ in 0..count {
        let x = reach * Vec3::new(random.signed(), random.signed(), random.signed());
        if spheres.iter().any(|s| s.center.distance_squared(x) < s.radius * s.radius) {
            let x = x.as_dvec3();
            inside += 1.0;
            first += x;
            second += DMat3::from_cols(x * x.x, x * x.y, x * x.z);
        }
    }
    let cell = (2.0 * f64::from(reach)).powi(3) / count as f64;
    let center = first / inside;
    let shift = DMat3::from_cols(center * center.x, center * center.y, center * center.z) * inside;
    UnionMoments { volume: inside * cell, area: 0.0, center, second: (second - shift) * cell }
}

/// Lists at random, from chains to dense heaps, against a million points: errors of a part in a thousand are its own.
#[test]
fn random_unions_are_those_of_points_at_random() {
    let mut random = Random::new(3);
    for (count, spread) in [(3, 0.8), (6, 0.8), (12, 0.6), (30, 0.7), (50, 0.9)] {
        let spheres: Vec<Sphere> = (0..count)
            .map(|_| {
                let center = spread * Vec3::new(random.signed(), random.signed(), random.signed());
                Sphere { center, radius: 0.2 + 0.4 * random.unit() }
            })
            .collect();
        let (found, wanted) = (union(&spheres), sample(&spheres, 1_000_000));
        near(found.volume, wanted.volume, 4e-3, "volume");
        assert!((found.center - wanted.center).length() < 4e-3, "{} {}", found.center, wanted.center);
        let scale = diagonal(wanted.second).max_element();
        let error =
            (found.second - wanted.second).to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        assert!(error < 8e-3 * scale, "{count} spheres: {} {}", found.second, wanted.second);
    }
}

/// The area is how fast the volume grows with all radii, which is an independent check to ten digits.
#[test]
fn the_volume_grows_by_the_area() {
    let mut random = Random::new(9);
    let balls: Vec<(DVec3, f64)> = (0..20)
        .map(|_| {
            let center = Vec3::new(random.signed(), random.signed(), random.signed()).as_dvec3();
            (0.7 * center, 0.3 + 0.4 * f64::from(random.unit()))
        })
        .collect();
    let grown = |by: f64| -> Vec<(DVec3, f64)> { balls.iter().map(|(c, r)| (*c, r + by)).collect() };
    let volume = |by: f64| union::union_moments(&grown(by)).unwrap().volume;
    let step = 1e-4;
    let slope = (volume(step) - volume(-step)) / (2.0 * step);
    near(slope, union::union_moments(&balls).unwrap().area, 1e-6, "area");
}

#[test]
fn shapes_are_scaled_to_an_equivalent_radius_of_one() {
    for named in NamedClump::ALL {
        let shape = ClumpShape::new(&named.spheres(), 10.0).unwrap();
        let unit = union(&shape.spheres(1.0));
        near(unit.volume, 4.0 / 3.0 * PI, 1e-6, "volume");
        assert!(unit.center.length() < 1e-6, "{named:?}: {}", unit.center);
        assert!(shape.reach() > 1.0 && shape.reach() < 3.0 && shape.area() > 4.0 * PI);
        // Twice the radius: 8 times the mass, 32 times the inertia, at any density.
        let (one, two) = (shape.properties(0.01, 1000.0), shape.properties(0.02, 3000.0));
        near(one.mass, 1000.0 * 4.0 / 3.0 * PI * 1e-6, 1e-5, "mass");
        near(two.mass, 24.0 * one.mass, 1e-6, "mass of a larger one");
        assert!((two.inertia / one.inertia / 96.0 - 1.0).abs().max_element() < 1e-6);
        let own = union(&shape.spheres(0.02));
        let own = MassProperties::new(3000.0 * own.volume, own.center, own.inertia() * 3000.0).unwrap();
        assert!((own.inertia / two.inertia - 1.0).abs().max_element() < 1e-5, "{named:?}");
    }
    // Longmore's grain: 1.049 m r^2 with V = 3.523 spheres (physics A49).
    let grain = ClumpShape::new(&NamedClump::Tetrahedron.spheres(), 10.0).unwrap();
    let (member, _) = grain.limits();
    near(f64::from(member).powi(-3), 3.523, 2e-3, "volume of a tetrahedron in spheres");
    let found = grain.properties(1.0, 1.0);
    near(found.inertia.x / found.mass / f64::from(member).powi(2), 1.049, 2e-3, "inertia of a tetrahedron");
}

#[test]
fn spheres_that_make_no_grain_are_refused() {
    let refused = |spheres: &[Sphere]| ClumpShape::new(spheres, 10.0).unwrap_err();
    assert_eq!(refused(&[]), ClumpError::Count(0));
    assert!(matches!(refused(&[sphere(0.0, 0.0, 0.0, 0.0)]), ClumpError::NoVolume { number: 0, .. }));
    let pair = |x: f32, radius: f32| [sphere(0.0, 0.0, 0.0, 1.0), sphere(x, 0.0, 0.0, radius)];
    assert!(matches!(refused(&pair(1.0, f32::NAN)), ClumpError::NoVolume { number: 1, .. }));
    assert!(matches!(refused(&pair(f32::INFINITY, 1.0)), ClumpError::NoVolume { number: 1, .. }));
    assert_eq!(refused(&pair(2.01, 1.0)), ClumpError::Apart(1));
    assert!(matches!(refused(&pair(1.0, 0.09)), ClumpError::Ratio { .. }));
    assert!(ClumpShape::new(&pair(2.0, 1.0), 10.0).is_ok(), "touching");
    assert!(ClumpShape::new(&pair(1.0, 0.1), 10.0).is_ok(), "the limit itself");
}

/// An L of two bars, from boxes that share no face: as one outline, pulled along z.
fn l_shape() -> TriangleMesh {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let position = [0.0, 1.0].into_iter().flat_map(|z| outline.map(|[x, y]| Vec3::new(x, y, z))).collect();
    let mut triangle = Vec::new();
    for k in 0..6u32 {
        let next = (k + 1) % 6;
        triangle.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangle.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
    }
    TriangleMesh::new(position, triangle)
}

fn torus() -> TriangleMesh {
    let circle = |k: u32| {
        let (sin, cos) = (std::f32::consts::TAU * k as f32 / 24.0).sin_cos();
        [1.0 + 0.35 * cos, 0.35 * sin]
    };
    shapes::lathe(&(0..24).map(circle).collect::<Vec<_>>(), 48)
}

/// Fifty spheres keep the volume of a mesh within 3 % and its surface within 0.1 of its equivalent diameter, here checked at
/// other points than those that the fit looks at, and against a volume by points at random.
#[test]
fn fifty_spheres_keep_volume_and_surface_of_meshes() {
    let mut moved = shapes::cuboid(Vec3::ONE);
    moved.place(
        glam::Quat::from_rotation_x(0.4) * glam::Quat::from_rotation_z(0.7),
        Vec3::new(40.0, -30.0, 20.0),
    );
    let bodies = [
        ("cube", shapes::cuboid(Vec3::ONE)),
        ("cube turned, far away", moved),
        ("sphere", shapes::sphere(0.5, 12)),
        ("bar", shapes::cuboid(Vec3::new(4.0, 1.0, 1.0))),
        ("needle", shapes::cylinder(0.5, 6.0, 32)),
        ("L", l_shape()),
        ("torus", torus()),
        ("bumpy", shapes::bumpy(1.0, 24)),
    ];
    for (name, mesh) in bodies {
        let volume = mesh.signed_volume();
        assert!(volume > 0.0, "{name}");
        let fit = fit_spheres(&mesh, 50).unwrap();
        assert!(fit.spheres.len() <= 50, "{name}");
        let tree = crate::geometry::MeshTree::new(&mesh);
        let size = 2.0 * equivalent_radius(volume) as f32;
        // The surface of the union, at random points.
        let mut random = Random::new(5);
        let mut worst = 0f32;
        let gap = |x: Vec3| {
            fit.spheres.iter().map(|s| s.center.distance(x) - s.radius).fold(f32::INFINITY, f32::min)
        };
        for sphere in &fit.spheres {
            for _ in 0..400 {
                let direction = Vec3::new(random.signed(), random.signed(), random.signed()).normalize();
                let x = sphere.center + sphere.radius * direction;
                if gap(x) > -1e-3 * sphere.radius {
                    worst = worst.max(tree.signed(x, 0).0.abs());
                }
            }
        }
        // The surface of the mesh, corners among them.
        for k in 0..mesh.triangle.len() {
            let [a, b, c] = mesh.corners(k);
            worst = worst.max(gap(a)).max(gap(b)).max(gap(c));
            for _ in 0..20_000 / mesh.triangle.len() {
                let (u, v) = (random.unit(), random.unit());
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                worst = worst.max(gap(a + u * (b - a) + v * (c - a)));
            }
        }
        eprintln!(
            "{name}: {} spheres, volume {:+.1e}, surface {:.3}",
            fit.spheres.len(),
            fit.volume_error,
            worst / size
        );
        assert!(worst < 0.1 * size, "{name}: {}", worst / size);
        assert!(fit.volume_error.abs() < 0.03, "{name}: {}", fit.volume_error);
        let shape = ClumpShape::new(&fit.spheres, 10.0).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!((fit.deviation - worst / size).abs() < 0.02, "{name}: {} {}", fit.deviation, worst / size);
        assert!(shape.len() <= 50);
    }
}

#[test]
fn meshes_that_hold_no_spheres_are_refused() {
    let mut inward = shapes::cuboid(Vec3::ONE);
    inward.flip();
    assert_eq!(fit_spheres(&inward, 50), Err(FitError::NoVolume));
    assert_eq!(fit_spheres(&shapes::cuboid(Vec3::ONE), 0), Err(FitError::Count(0)));
}
