//! Density, overlaps, order and evenness of samples.

use super::*;
use crate::geometry::{MeshTree, TriangleMesh, shapes};
use crate::random::Random;

const RADIUS: f32 = 0.02;

fn cube() -> MeshSolid {
    MeshSolid::new(&shapes::cuboid(Vec3::ONE), RADIUS).unwrap()
}

fn fraction(balls: &[Ball], volume: f64) -> f64 {
    balls.iter().map(|ball| 4.0 / 3.0 * std::f64::consts::PI * f64::from(ball.radius).powi(3)).sum::<f64>()
        / volume
}

/// Whole spheres inside the solid and none in another, within a thousandth of a radius.
fn assert_sound(balls: &[Ball], solid: &dyn Solid) {
    let most = balls.iter().fold(0.0, |most: f32, ball| most.max(ball.radius));
    let position: Vec<Vec3> = balls.iter().map(|ball| ball.center).collect();
    let lists = cells::Cells::new(&position, solid.bounds(), 2.0 * most).lists(&position);
    for (i, ball) in balls.iter().enumerate() {
        let (distance, _) = solid.sample(ball.center, -2.0 * ball.radius);
        assert!(distance <= -0.999 * ball.radius, "{ball:?}: {distance}");
        for &j in &lists[i] {
            let other = &balls[j as usize];
            let gap = other.center.distance(ball.center) - other.radius - ball.radius;
            assert!(gap > -1e-3 * ball.radius.min(other.radius), "{ball:?} {other:?}: {gap}");
        }
    }
}

/// How many centres lie at distances (bins of a tenth of a radius) from each other, over what no order would have,
/// away from the walls.
fn radial_distribution(balls: &[Ball], solid: &dyn Solid) -> Vec<f64> {
    let reach = 5.0 * RADIUS;
    let position: Vec<Vec3> = balls.iter().map(|ball| ball.center).collect();
    let lists = cells::Cells::new(&position, solid.bounds(), reach).lists(&position);
    let mut count = vec![0.0; 50];
    let mut inner = 0;
    for i in (0..balls.len()).filter(|i| solid.sample(position[*i], f32::NEG_INFINITY).0 < -reach) {
        inner += 1;
        for &j in &lists[i] {
            let bin = (position[i].distance(position[j as usize]) / (0.1 * RADIUS)) as usize;
            count[bin.min(49)] += 1.0;
        }
    }
    let width = (1.0 - 2.0 * f64::from(reach)).powi(3);
    let density = f64::from(inner) / width;
    let shell = |k: usize| {
        let r = |k: usize| (0.1 * k as f64 * f64::from(RADIUS)).powi(3);
        4.0 / 3.0 * std::f64::consts::PI * (r(k + 1) - r(k))
    };
    count.iter().enumerate().map(|(k, n)| n / (f64::from(inner) * density * shell(k))).collect()
}

#[test]
fn random_fills_a_cube_to_saturation_without_order() {
    let solid = cube();
    let balls = random(&solid, RADIUS, Spread::None, 1).unwrap();
    assert_sound(&balls, &solid);
    let found = fraction(&balls, 1.0);
    assert!(found > 0.36 && found < 0.40, "{found}");
    let g = radial_distribution(&balls, &solid);
    assert!(g[25..].iter().all(|g| (0.7..1.3).contains(g)), "{g:?}");
}

#[test]
fn relaxed_fills_a_cube_with_one_sphere_per_cube_of_a_diameter() {
    let solid = cube();
    let balls = relaxed(&solid, RADIUS, 1).unwrap();
    assert_sound(&balls, &solid);
    let found = fraction(&balls, 1.0);
    assert!(found > 0.50 && found < 0.524, "{found}");
    // A cubic lattice has peaks at sqrt(2) and sqrt(3) diameters, a close packing at sqrt(2).
    let g = radial_distribution(&balls, &solid);
    assert!(g[26..].iter().all(|g| *g < 1.5), "{g:?}");
    assert!(g[27..31].iter().all(|g| *g < 1.0), "{g:?}");
}

/// Mean number of neighbours that touch a sphere, up to a gap of 0.3 % of a diameter.
fn coordination(balls: &[Ball]) -> f64 {
    let touches = |a: &Ball, b: &Ball| a != b && a.center.distance(b.center) < 2.0 * RADIUS * 1.003;
    let count: usize = balls.iter().map(|a| balls.iter().filter(|b| touches(a, b)).count()).sum();
    count as f64 / balls.len() as f64
}

#[test]
fn spheres_that_are_drawn_together_touch_and_do_not_overlap() {
    let solid = cube();
    let count = (0.6 / (4.0 / 3.0 * std::f64::consts::PI * f64::from(RADIUS).powi(3))) as usize;
    let apart = packed(&solid, RADIUS, count, 1).unwrap();
    let together = touching(&solid, RADIUS, count, 1).unwrap();
    assert_sound(&together, &solid);
    assert!(together.len() as f64 > 0.99 * apart.len() as f64, "{} {}", together.len(), apart.len());
    let (before, after) = (coordination(&apart), coordination(&together));
    eprintln!("{} spheres touch {before:.2} neighbours, drawn together {after:.2}", apart.len());
    assert!(before < 2.0 && after > 5.0, "{before} {after}");
}

#[test]
fn the_lattice_fills_a_cube_completely() {
    let solid = cube();
    let balls = lattice(&solid, RADIUS).unwrap();
    assert_eq!(balls.len(), 25 * 25 * 25);
    assert_sound(&balls, &solid);
    let g = radial_distribution(&balls, &solid);
    assert!(g[28] > 3.0, "the lattice must have the peak that the others lack: {g:?}");
}

#[test]
fn every_fill_stays_inside_a_bumpy_solid() {
    let mesh = shapes::bumpy(0.25, 24);
    let solid = MeshSolid::new(&mesh, RADIUS).unwrap();
    for balls in [
        random(&solid, RADIUS, Spread::None, 3).unwrap(),
        relaxed(&solid, RADIUS, 3).unwrap(),
        lattice(&solid, RADIUS).unwrap(),
    ] {
        assert_sound(&balls, &solid);
        assert!(fraction(&balls, mesh.signed_volume()) > 0.25);
    }
}

#[test]
fn radii_follow_their_distributions() {
    let solid = cube();
    let uniform = Spread::Uniform { from: 0.015, to: 0.03 };
    let balls = random(&solid, RADIUS, uniform, 1).unwrap();
    assert_sound(&balls, &solid);
    assert!(fraction(&balls, 1.0) > 0.34, "{}", fraction(&balls, 1.0));
    let mean = balls.iter().map(|ball| ball.radius).sum::<f32>() / balls.len() as f32;
    assert!((mean - 0.0225).abs() < 0.0006, "{mean}");
    let log_normal = Spread::LogNormal { mu: 0.02_f32.ln(), sigma: 0.2 };
    let balls = random(&solid, RADIUS, log_normal, 1).unwrap();
    assert_sound(&balls, &solid);
    let logs: Vec<f32> = balls.iter().map(|ball| ball.radius.ln()).collect();
    let mean = logs.iter().sum::<f32>() / logs.len() as f32;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f32>() / logs.len() as f32;
    assert!((mean - 0.02_f32.ln()).abs() < 0.03 && (variance.sqrt() - 0.2).abs() < 0.02, "{mean} {variance}");
}

/// Mean and relative spread of the distance to the nearest other point, and the farthest point of the surface, in radii.
fn evenness(mesh: &TriangleMesh, points: &[SurfacePoint], radius: f32) -> (f32, f32, f32) {
    let position: Vec<Vec3> = points.iter().map(|point| point.position).collect();
    let cells = cells::Cells::new(&position, mesh.bounds().unwrap().grown(radius), 4.0 * radius);
    let nearest = |from: Vec3, own: usize| {
        let others = cells.around(from).filter(|j| *j as usize != own);
        others.map(|j| position[j as usize].distance(from)).fold(f32::INFINITY, f32::min) / radius
    };
    let spacing: Vec<f32> = (0..points.len()).map(|i| nearest(position[i], i)).collect();
    let mean = spacing.iter().sum::<f32>() / spacing.len() as f32;
    let variance = spacing.iter().map(|d| (d - mean).powi(2)).sum::<f32>() / spacing.len() as f32;
    let mut random = Random::new(9);
    let farthest = (0..100_000).map(|_| {
        let [a, b, c] = mesh.corners((random.bits() % mesh.triangle.len() as u64) as usize);
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        nearest(a + u * (b - a) + v * (c - a), usize::MAX)
    });
    (mean, variance.sqrt() / mean, farthest.fold(0.0, f32::max))
}

#[test]
fn surface_points_are_even_and_leave_no_holes() {
    let meshes = [
        ("cube", shapes::cuboid(Vec3::splat(0.6))),
        ("sphere", shapes::sphere(0.3, 30)),
        ("torus", shapes::torus(0.3, 0.12, 80, 40)),
        ("bumpy", shapes::bumpy(0.3, 40)),
    ];
    for (name, mesh) in meshes {
        let tree = MeshTree::new(&mesh);
        let points = surface(&mesh, &tree, RADIUS, 1).unwrap();
        for point in &points {
            assert!(tree.nearest(point.position, 0).0.distance < 1e-5);
            assert!((point.normal.length() - 1.0).abs() < 1e-3);
        }
        let (mean, spread, farthest) = evenness(&mesh, &points, RADIUS);
        assert!(spread < 0.15, "{name}: {mean} {spread} {farthest}");
        assert!(farthest < 1.5, "{name}: {mean} {spread} {farthest}");
    }
}

#[test]
fn samples_depend_on_the_seed_but_not_on_the_number_of_threads() {
    let mesh = shapes::bumpy(0.2, 12);
    let make = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let solid = MeshSolid::new(&mesh, RADIUS).unwrap();
            let points = surface(&mesh, solid.tree(), RADIUS, seed).unwrap();
            (
                random(&solid, RADIUS, Spread::None, seed).unwrap(),
                relaxed(&solid, RADIUS, seed).unwrap(),
                points,
            )
        })
    };
    let one = make(1, 5);
    assert_eq!(one, make(3, 5));
    assert_ne!(one.0, make(1, 6).0);
}

#[test]
fn radii_that_do_not_fit_are_refused() {
    let solid = cube();
    for radius in [0.0, -1.0, f32::NAN] {
        assert!(matches!(relaxed(&solid, radius, 1), Err(SampleError::Radius(_))));
        assert!(matches!(random(&solid, radius, Spread::None, 1), Err(SampleError::Radius(_))));
        assert!(matches!(lattice(&solid, radius), Err(SampleError::Radius(_))));
    }
    assert_eq!(relaxed(&solid, 0.6, 1), Err(SampleError::Empty { radius: 0.6 }));
    assert_eq!(random(&solid, 0.6, Spread::None, 1), Err(SampleError::Empty { radius: 0.6 }));
    assert_eq!(lattice(&solid, 0.6), Err(SampleError::Empty { radius: 0.6 }));
    assert!(matches!(relaxed(&solid, 1e-5, 1), Err(SampleError::TooMany { .. })));
    for wrong in
        ["uniform:0.1", "uniform:0.2,0.1", "uniform:-1,1", "lognormal:0,2", "gauss:1,2", "uniform:a,b"]
    {
        assert!(wrong.parse::<Spread>().is_err(), "{wrong}");
    }
    assert_eq!("uniform:0.01,0.02".parse(), Ok(Spread::Uniform { from: 0.01, to: 0.02 }));
}

/// Spheres that stand for a cube are inside of it, touch each of its sides from within, leave no hole in its surface that a sphere
/// slips through, and fill it.
#[test]
fn spheres_of_a_body_touch_its_surface_from_within_and_cover_it() {
    let mesh = shapes::cuboid(Vec3::splat(0.3));
    let solid = MeshSolid::new(&mesh, RADIUS).unwrap();
    let centers = sunken(&solid, &mesh, RADIUS, 1).unwrap();
    let depth = |x: &Vec3| -solid.sample(*x, -1.0).0;
    assert!(centers.iter().all(|x| depth(x) > 0.999 * RADIUS), "inside");
    let layer = centers.iter().filter(|x| depth(x) < 1.001 * RADIUS).count();
    assert!(layer > 250 && layer < centers.len() - 100, "{layer} of {}", centers.len());
    let tree = MeshTree::new(&mesh);
    let near = |x: Vec3| centers.iter().map(|c| c.distance(x)).fold(f32::INFINITY, f32::min);
    let points = surface(&mesh, &tree, 0.2 * RADIUS, 7).unwrap();
    // Edges and corners are rounded off.
    let inner = |x: Vec3| x.abs().to_array().iter().filter(|c| **c < 0.15 - 2.0 * RADIUS).count() == 2;
    let places = points.iter().map(|point| point.position).filter(|x| inner(*x));
    let farthest = places.map(near).fold(0.0, f32::max);
    // Three spheres that touch each other have 2/sqrt(3) radii to their middle, and one to the surface above: 1.53 in all.
    assert!(farthest < 2.0 * RADIUS, "{} radii", farthest / RADIUS);
    let corner = near(Vec3::splat(0.15));
    assert!(corner < 3.0 * RADIUS, "{} radii", corner / RADIUS);
    assert_eq!(centers, sunken(&solid, &mesh, RADIUS, 1).unwrap());
    let thin = shapes::cuboid(Vec3::new(0.3, 0.3, 0.01));
    let refused = sunken(&MeshSolid::new(&thin, RADIUS).unwrap(), &thin, RADIUS, 1);
    assert_eq!(refused, Err(SampleError::Empty { radius: RADIUS }));
}
