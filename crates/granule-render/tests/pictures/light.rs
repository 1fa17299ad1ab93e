//! Light and shadow: where they must be, and the same by a graphics device and in software.

use glam::Vec3;
use granule_render::{
    Camera, ColorMap, Light, Paint, RenderScene, RenderSettings, SphereTag, draw_in_software,
};

use crate::common::{brightness, difference, gpu, only_spheres, sand, tags};

/// Mean difference of colours that is allowed between device and software, of 255; 0.14 was seen.
const MEAN_TOLERANCE: f64 = 0.4;

/// A small heap: layers of balls that grow smaller towards the top.
fn heap() -> Vec<[f32; 4]> {
    let mut spheres = Vec::new();
    for layer in 0..5 {
        let half = 5 - layer;
        for x in -half..=half {
            for z in -half..=half {
                let shift = 0.1 * (layer % 2) as f32;
                spheres.push([
                    0.2 * x as f32 + shift,
                    0.1 + 0.16 * layer as f32,
                    0.2 * z as f32 + shift,
                    0.1,
                ]);
            }
        }
    }
    spheres
}

fn settings() -> RenderSettings {
    let camera =
        Camera { position: Vec3::new(2.0, 2.2, 3.4), target: Vec3::new(0.0, 0.2, 0.0), fov_radians: 0.7 };
    RenderSettings { occlusion: false, ..RenderSettings::new(240, 160, camera) }
}

#[test]
fn device_and_software_draw_the_same_picture_and_faults_would_be_seen() {
    let Some(mut gpu) = gpu() else { return };
    let spheres = heap();
    let tags: Vec<SphereTag> =
        spheres.iter().zip(0..).map(|(sphere, id)| SphereTag { value: sphere[1], id }).collect();
    let viridis = Paint::Scalar { map: ColorMap::Viridis, range: [0.0, 0.8] };
    let render_scene = RenderScene { ground: Some(0.0), ..only_spheres(&spheres, &tags, &viridis) };
    let drawn = gpu.draw(&render_scene, &settings()).unwrap();
    let agreed = difference(&drawn, &draw_in_software(&render_scene, &settings()).unwrap());
    eprintln!("device and software differ by {agreed:.3} of 255");
    assert!(agreed < MEAN_TOLERANCE, "{agreed}");

    let magma = Paint::Scalar { map: ColorMap::Magma, range: [0.0, 0.8] };
    let sun = Light::default().sun_direction * Vec3::new(-1.0, 1.0, 1.0);
    let faults = [
        ("a missing shadow", render_scene, RenderSettings { shadows: false, ..settings() }),
        (
            "a mirrored normal",
            render_scene,
            RenderSettings { light: Light { sun_direction: sun, ..Light::default() }, ..settings() },
        ),
        ("another colour map", RenderScene { paint: &magma, ..render_scene }, settings()),
        ("no light", render_scene, RenderSettings { lit: false, ..settings() }),
    ];
    for (name, render_scene, settings) in faults {
        let seen = difference(&drawn, &draw_in_software(&render_scene, &settings).unwrap());
        assert!(seen > 3.0 * MEAN_TOLERANCE, "{name} changes the picture by {seen} only");
    }
}

#[test]
fn grains_of_sand_look_the_same_by_both_ways() {
    let Some(mut gpu) = gpu() else { return };
    let spheres = heap();
    let (tags, paint) = (tags(spheres.len()), sand());
    let render_scene = RenderScene { ground: Some(0.0), ..only_spheres(&spheres, &tags, &paint) };
    let agreed = difference(
        &gpu.draw(&render_scene, &settings()).unwrap(),
        &draw_in_software(&render_scene, &settings()).unwrap(),
    );
    eprintln!("device and software differ by {agreed:.3} of 255");
    assert!(agreed < MEAN_TOLERANCE, "{agreed}");
    let smooth = RenderSettings { variation: 0.0, ..settings() };
    let seen = difference(
        &gpu.draw(&render_scene, &smooth).unwrap(),
        &draw_in_software(&render_scene, &settings()).unwrap(),
    );
    assert!(seen > 3.0 * MEAN_TOLERANCE, "variation changes the picture by {seen} only");
}

#[test]
fn a_balls_shadow_lies_where_the_sun_throws_it() {
    // A ball 1 m above the ground, seen from straight above; the sun stands at (-0.8, 0.6, 0).
    let spheres = [[0.0, 1.0, 0.0, 0.2]];
    let (tags, paint) = (tags(1), sand());
    let render_scene = RenderScene { ground: Some(0.0), ..only_spheres(&spheres, &tags, &paint) };
    let camera = Camera { position: Vec3::new(0.0, 8.0, 0.0), target: Vec3::ZERO, fov_radians: 0.5 };
    let light = Light { sun_direction: Vec3::new(-0.8, 0.6, 0.0), ..Light::default() };
    let settings = RenderSettings { light, ..RenderSettings::new(200, 200, camera) };
    // Pixels per metre on the ground.
    let scale = 100.0 / (8.0 * 0.25f32.tan());
    let column = |x: f32| (100.0 + scale * x) as u32;
    let mut images = vec![draw_in_software(&render_scene, &settings).unwrap()];
    images.extend(gpu().map(|mut gpu| gpu.draw(&render_scene, &settings).unwrap()));
    for image in images {
        // The shadow's middle is at x = 1.0 * 0.8 / 0.6 = 1.333, its half axis along x is 0.2 / 0.6 = 0.333; the same
        // place on the other side is lit.
        let lit = brightness(&image, column(-1.333), 100);
        for x in [1.333, 1.333 - 0.2, 1.333 + 0.2] {
            let dark = brightness(&image, column(x), 100);
            assert!(dark < 0.75 * lit, "{dark} at {x}, {lit} in the sun");
        }
        for x in [1.333 - 0.333 - 0.15, 1.333 + 0.333 + 0.15] {
            let found = brightness(&image, column(x), 100);
            assert!(found > 0.95 * lit, "{found} at {x}, {lit} in the sun");
        }
    }
}

#[test]
fn crevices_are_darker_and_open_surfaces_are_not() {
    let Some(mut gpu) = gpu() else { return };
    let spheres = heap();
    let (tags, paint) = (tags(spheres.len()), sand());
    let render_scene = RenderScene { ground: Some(0.0), ..only_spheres(&spheres, &tags, &paint) };
    let plain = gpu.draw(&render_scene, &settings()).unwrap();
    let occluded = gpu.draw(&render_scene, &RenderSettings { occlusion: true, ..settings() }).unwrap();
    let darker =
        plain.pixels().iter().zip(occluded.pixels()).filter(|(a, b)| a[0] > b[0].saturating_add(12)).count();
    let lighter =
        plain.pixels().iter().zip(occluded.pixels()).filter(|(a, b)| b[0] > a[0].saturating_add(2)).count();
    assert!(darker > 500, "{darker} pixels are darker");
    assert!(lighter < 50, "{lighter} pixels are lighter");
    assert_eq!(plain.pixel(2, 2), occluded.pixel(2, 2), "the sky stays as it is");
}
