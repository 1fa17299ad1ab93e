//! Silhouettes and depth of spheres against an analytic ray caster.

use glam::Vec3;
use granule_render::{Camera, RenderSettings};

use crate::common::{cast, gpu, only_spheres, sand, tags};

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

/// Compares every pixel; those whose neighbours the caster sees differently may be off by one.
fn compare(camera: Camera, spheres: &[[f32; 4]]) {
    let Some(mut gpu) = gpu() else { return };
    let (tags, paint) = (tags(spheres.len()), sand());
    let settings = RenderSettings { supersampling: 1, ..RenderSettings::new(WIDTH, HEIGHT, camera) };
    let drawn = gpu.draw_distances(&only_spheres(spheres, &tags, &paint), &settings).unwrap();
    let view = camera.view(settings.aspect());
    let hits: Vec<_> = (0..HEIGHT * WIDTH)
        .map(|k| {
            let u = (f64::from(k % WIDTH) + 0.5) / f64::from(WIDTH);
            let v = (f64::from(k / WIDTH) + 0.5) / f64::from(HEIGHT);
            cast(&camera, &view, spheres, u, v)
        })
        .collect();
    let seen = |x: i32, y: i32| {
        let inside = x >= 0 && y >= 0 && x < WIDTH as i32 && y < HEIGHT as i32;
        inside.then(|| hits[(y * WIDTH as i32 + x) as usize].as_ref().map(|hit| hit.sphere))
    };
    let mut compared = 0;
    for y in 0..HEIGHT as i32 {
        for x in 0..WIDTH as i32 {
            let k = (y * WIDTH as i32 + x) as usize;
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
            let inner = around.filter_map(|(x, y)| seen(x, y)).all(|other| Some(other) == seen(x, y));
            match &hits[k] {
                None => assert!(!inner || drawn[k].is_infinite(), "({x}, {y}): {} in the void", drawn[k]),
                Some(hit) if inner => {
                    let error = (f64::from(drawn[k]) / hit.distance - 1.0).abs();
                    assert!(error < 1e-4, "({x}, {y}): {} instead of {}", drawn[k], hit.distance);
                    compared += 1;
                }
                Some(_) => {}
            }
        }
    }
    assert!(compared > 500, "the picture shows spheres: {compared} pixels");
}

/// Balls on a lattice around the point that the camera looks at.
fn lattice(side: i32, spacing: f32, radius: f32) -> Vec<[f32; 4]> {
    let half = 0.5 * (side - 1) as f32;
    let at = |k: i32| (k as f32 - half) * spacing;
    let cells = (0..side).flat_map(|x| (0..side).flat_map(move |y| (0..side).map(move |z| (x, y, z))));
    cells.map(|(x, y, z)| [at(x), at(y), at(z), radius]).collect()
}

#[test]
fn a_heap_of_spheres_agrees_with_the_ray_caster() {
    let camera = Camera { position: Vec3::new(3.0, 2.0, 4.0), target: Vec3::ZERO, fov_radians: 0.6 };
    compare(camera, &lattice(7, 0.4, 0.19));
}

#[test]
fn spheres_at_the_edge_of_ninety_degrees_are_whole() {
    // Large balls, half inside the picture, seen at up to 50 degrees from the axis: long ellipses.
    let camera = Camera { position: Vec3::ZERO, target: Vec3::NEG_Z, fov_radians: 1.5707964 };
    let mut spheres = vec![[0.0, 0.0, -2.0, 0.3]];
    for (x, y) in [(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (-1.0, -1.0)] {
        spheres.push([1.9 * x, 1.45 * y, -1.5, 0.6]);
    }
    compare(camera, &spheres);
}

#[test]
fn spheres_far_from_the_origin_and_close_to_the_eye_agree() {
    let center = Vec3::new(100.0, 50.0, -30.0);
    let spheres: Vec<[f32; 4]> = lattice(5, 0.4, 0.2)
        .iter()
        .map(|[x, y, z, r]| [x + center.x, y + center.y, z + center.z, *r])
        .collect();
    let camera = Camera { position: center + Vec3::new(0.5, 0.3, 1.2), target: center, fov_radians: 1.2 };
    compare(camera, &spheres);
}
