//! Fields against analytic shapes and against the triangles themselves.
//!
//! The large ones take a while: `cargo test -p granule --lib geometry::distance -- --ignored --nocapture`.

use super::*;
use crate::geometry::{repair, shapes};
use crate::random::Random;

/// Interpolation may be off by so many cells where the field is smooth, and elsewhere.
const SMOOTH: f32 = 0.1;
const ROUGH: f32 = 0.5;

/// A shape with its analytic distance [m] and the distance [m] from where that is not smooth.
struct Known {
    name: &'static str,
    mesh: TriangleMesh,
    /// Largest distance of the triangles from the shape [m].
    tessellation: f32,
    distance: fn(Vec3) -> f32,
    /// Distance from the points that have several nearest ones [m].
    medial: fn(Vec3) -> f32,
}

const BOX: Vec3 = Vec3::new(0.5, 0.35, 0.4);

fn known() -> Vec<Known> {
    vec![
        Known {
            name: "sphere",
            mesh: shapes::sphere(0.5, 60),
            tessellation: 1.5e-4,
            distance: |p| p.length() - 0.5,
            medial: |p| p.length(),
        },
        Known {
            name: "box",
            mesh: shapes::cuboid(2.0 * BOX),
            tessellation: 1e-6,
            distance: |p| {
                let q = p.abs() - BOX;
                q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
            },
            medial: |p| {
                let mut q = (p.abs() - BOX).to_array();
                q.sort_by(f32::total_cmp);
                let [low, middle, high] = q;
                // Inside the planes between faces, outside the edges that they end in.
                if high < 0.0 {
                    (high - middle) / 2.0_f32.sqrt()
                } else {
                    high.hypot(middle).hypot(low.max(0.0))
                }
            },
        },
        Known {
            name: "torus",
            mesh: shapes::torus(0.5, 0.2, 300, 160),
            tessellation: 1.5e-4,
            distance: |p| (p.x.hypot(p.z) - 0.5).hypot(p.y) - 0.2,
            medial: |p| p.x.hypot(p.z).min((p.x.hypot(p.z) - 0.5).hypot(p.y)),
        },
    ]
}

fn random_points(count: usize, reach: f32) -> impl Iterator<Item = Vec3> {
    let mut random = Random::new(11);
    (0..count).map(move |_| reach * Vec3::new(random.signed(), random.signed(), random.signed()))
}

#[test]
fn nodes_have_the_analytic_distance() {
    let cell = 0.04;
    for shape in known() {
        let field = DistanceField::new(&shape.mesh, cell, 0.2).unwrap();
        for (k, value) in field.values().iter().enumerate() {
            let exact = (shape.distance)(field.grid().position(field.grid().node(k)));
            let error = (value - exact).abs();
            assert!(error < 1e-3 * cell + shape.tessellation, "{}: {value} {exact}", shape.name);
        }
    }
}

#[test]
fn interpolation_is_within_its_bounds_and_signs_are_right() {
    let cell = 0.04;
    for shape in known() {
        let field = DistanceField::new(&shape.mesh, cell, 0.3).unwrap();
        let reach = 0.9 * field.grid().bounds().size().min_element() / 2.0;
        for point in random_points(100_000, reach) {
            let (found, exact) = (field.distance(point), (shape.distance)(point));
            let bound = if (shape.medial)(point) > cell { SMOOTH } else { ROUGH };
            let error = (found - exact).abs();
            assert!(error < bound * cell + shape.tessellation, "{} {point}: {found} {exact}", shape.name);
            if exact.abs() > 0.5 * cell {
                assert_eq!(found < 0.0, exact < 0.0, "{} {point}: {found} {exact}", shape.name);
            }
        }
    }
}

#[test]
fn directions_are_normals_and_continuous() {
    let cell = 0.04;
    for shape in known() {
        let field = DistanceField::new(&shape.mesh, cell, 0.3).unwrap();
        for point in random_points(20_000, 1.2) {
            let direction = field.sample(point).1;
            assert!(direction.length() < 1.001);
            // Across the border of a cell and of the grid, too.
            let aside = field.sample(point + 1e-4 * cell * Vec3::ONE).1;
            assert!(direction.distance(aside) < 2e-3, "{} {point}", shape.name);
            if (shape.medial)(point) > 2.0 * cell && field.grid().bounds().contains(point) {
                let e = 1e-3;
                let slope = |axis: Vec3| {
                    ((shape.distance)(point + e * axis) - (shape.distance)(point - e * axis)) / (2.0 * e)
                };
                let exact = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                assert!(direction.distance(exact) < 0.15, "{} {point}: {direction} {exact}", shape.name);
            }
        }
    }
}

#[test]
fn outside_the_grid_is_a_lower_bound_that_leads_away() {
    for shape in known() {
        let field = DistanceField::new(&shape.mesh, 0.05, 0.1).unwrap();
        for point in random_points(20_000, 3.0).filter(|p| !field.grid().bounds().contains(*p)) {
            let (found, direction) = field.sample(point);
            let exact = (shape.distance)(point);
            assert!(found <= exact + 0.005 && found > 0.5 * exact, "{}: {found} {exact}", shape.name);
            let away = (shape.distance)(point + 0.01 * direction);
            assert!(away > exact, "{} {point}", shape.name);
        }
    }
}

/// Values at nodes are exact, signs right, interpolation within bounds, all against the triangles.
fn check_against_triangles(mesh: &TriangleMesh, field: &DistanceField, points: usize) {
    let tree = MeshTree::new(mesh);
    let cell = field.grid().cell;
    let stride = field.values().len() / 5000 + 1;
    for k in (0..field.values().len()).step_by(stride) {
        let exact = tree.nearest(field.grid().position(field.grid().node(k)), 0).0.distance;
        assert!((field.values()[k].abs() - exact).abs() < 1e-3 * cell);
    }
    let reach = 0.5 * field.grid().bounds().size().max_element();
    for point in random_points(points, reach).filter(|p| field.grid().bounds().contains(*p)) {
        let exact = tree.nearest(point, 0).0.distance;
        let found = field.distance(point);
        assert!((found.abs() - exact).abs() < ROUGH * cell, "{point}: {found} {exact}");
        if exact > 0.5 * cell {
            // The winding number knows nothing of pseudonormals.
            assert_eq!(found < 0.0, tree.winding_number(point) > 0.5, "{point}: {found} {exact}");
        }
    }
}

#[test]
fn a_bumpy_mesh_has_right_distances_and_signs() {
    let mesh = shapes::bumpy(0.5, 50);
    check_against_triangles(&mesh, &DistanceField::new(&mesh, 0.03, 0.1).unwrap(), 100_000);
}

#[test]
fn a_damaged_mesh_has_the_field_of_the_sound_one() {
    let sound = shapes::bumpy(0.5, 30);
    let mut damaged = sound.clone();
    for k in (0..damaged.triangle.len()).step_by(5) {
        let [a, b, c] = damaged.triangle[k];
        damaged.triangle.push([a, b, c]);
        damaged.triangle.push([b, b, c]);
        damaged.triangle[k + 1].swap(0, 1);
    }
    let repaired = repair(&damaged).unwrap().0;
    let field = DistanceField::new(&repaired, 0.03, 0.1).unwrap();
    let expected = DistanceField::new(&sound, 0.03, 0.1).unwrap();
    for (found, expected) in field.values().iter().zip(expected.values()) {
        assert!((found - expected).abs() < 1e-6);
    }
    check_against_triangles(&sound, &field, 100_000);
}

#[test]
fn an_open_mesh_has_signs_by_winding_numbers() {
    let whole = shapes::bumpy(0.5, 30);
    let mut open = whole.clone();
    // A small hole, and a triangle that is turned over.
    open.triangle.truncate(open.triangle.len() - 2);
    open.triangle[17].swap(0, 1);
    let field = DistanceField::new(&open, 0.03, 0.1).unwrap();
    let tree = MeshTree::new(&whole);
    let wrong = random_points(20_000, 0.6)
        .filter(|point| {
            let (exact, ..) = tree.signed(*point, 0);
            exact.abs() > 0.06 && (field.distance(*point) < 0.0) != (exact < 0.0)
        })
        .count();
    assert_eq!(wrong, 0);
}

#[test]
fn fields_do_not_depend_on_the_number_of_threads() {
    let mesh = shapes::bumpy(0.5, 20);
    let in_pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| DistanceField::new(&mesh, 0.05, 0.1).unwrap())
    };
    assert_eq!(in_pool(1), in_pool(3));
}

#[test]
#[ignore = "takes a while; prints its time"]
#[allow(clippy::print_stdout)]
fn a_hundred_thousand_triangles_on_128_nodes_in_ten_seconds() {
    let mesh = shapes::bumpy(0.5, 112);
    let cell = mesh.bounds().unwrap().size().max_element() / 123.0;
    let start = std::time::Instant::now();
    let field = DistanceField::new(&mesh, cell, 0.0).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{} triangles, {} nodes: {seconds:.1} s", mesh.triangle.len(), field.grid().nodes);
    check_against_triangles(&mesh, &field, 100_000);
    assert!(seconds < 10.0);
}

#[test]
#[ignore = "takes a while; prints its time"]
#[allow(clippy::print_stdout)]
fn a_million_triangles() {
    let mesh = shapes::bumpy(0.5, 354);
    let start = std::time::Instant::now();
    let field = DistanceField::new(&mesh, 0.015, 0.0).unwrap();
    println!(
        "{} triangles, {} nodes: {:.1} s",
        mesh.triangle.len(),
        field.grid().nodes,
        start.elapsed().as_secs_f64()
    );
    check_against_triangles(&mesh, &field, 10_000);
}
