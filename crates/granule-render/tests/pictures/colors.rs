//! Colours of a known field, read back from the picture.

use glam::Vec3;
use granule_render::{
    Camera, ColorMap, Image, Legend, LegendSide, Paint, RenderSettings, Renderer, SphereTag, draw_in_software,
};

use crate::common::{gpu, only_spheres};

/// Balls in a row, seen from the front, with values from 0 on.
const COUNT: usize = 9;

fn row() -> (Vec<[f32; 4]>, Vec<SphereTag>) {
    let spheres = (0..COUNT).map(|k| [k as f32 - 4.0, 0.0, 0.0, 0.4]).collect();
    let tags = (0..COUNT as u32).map(|id| SphereTag { value: id as f32, id }).collect();
    (spheres, tags)
}

fn settings(lit: bool) -> RenderSettings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 30.0), target: Vec3::ZERO, fov_radians: 0.2 };
    RenderSettings { lit, ..RenderSettings::new(320, 200, camera) }
}

/// Column of a ball's middle.
fn column(settings: &RenderSettings, k: usize) -> u32 {
    let tangent = (0.5 * settings.camera.fov_radians).tan() * settings.aspect();
    ((0.5 + 0.5 * (k as f32 - 4.0) / 30.0 / tangent) * 320.0) as u32
}

fn check_colors(image: &Image, map: ColorMap, range: [f32; 2]) {
    for k in 0..COUNT {
        let found = image.pixel(column(&settings(false), k), 100);
        let expected = map.srgb_bytes((k as f32 - range[0]) / (range[1] - range[0]));
        let error = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        assert!(error <= 2, "{map:?}, value {k}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn a_known_field_has_the_colours_of_its_map() {
    let (spheres, tags) = row();
    let mut gpu = gpu();
    for (_, map) in ColorMap::ALL {
        // The range is narrower than the values: both ends are clamped.
        let range = [1.0, 7.0];
        let paint = Paint::Scalar { map, range };
        let render_scene = only_spheres(&spheres, &tags, &paint);
        check_colors(&draw_in_software(&render_scene, &settings(false)).unwrap(), map, range);
        if let Some(gpu) = &mut gpu {
            check_colors(&gpu.draw(&render_scene, &settings(false)).unwrap(), map, range);
        }
    }
}

#[test]
fn direct_colours_come_through() {
    let (spheres, _) = row();
    let colors = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(0.5), Vec3::new(0.2, 0.4, 0.9)];
    let color = |k: usize| colors[k % colors.len()];
    let tags: Vec<SphereTag> = (0..COUNT).map(|k| SphereTag::of_color(color(k), k as u32)).collect();
    let render_scene = only_spheres(&spheres, &tags, &Paint::Direct);
    let mut images = vec![draw_in_software(&render_scene, &settings(false)).unwrap()];
    images.extend(gpu().map(|mut gpu| gpu.draw(&render_scene, &settings(false)).unwrap()));
    for image in images {
        for k in 0..COUNT {
            let found = image.pixel(column(&settings(false), k), 100);
            let expected = (color(k) * 255.0).round();
            let error = (Vec3::new(found[0].into(), found[1].into(), found[2].into()) - expected).abs();
            assert!(error.max_element() <= 2.0, "{k}: {found:?} instead of {expected}");
        }
    }
}

#[test]
fn the_legend_is_drawn_into_the_picture() {
    let (spheres, tags) = row();
    let legend = Legend {
        title: "speed".into(),
        unit: "m/s".into(),
        map: ColorMap::Magma,
        range: [0.0, 8.0],
        side: LegendSide::Left,
    };
    let paint = Paint::Scalar { map: legend.map, range: legend.range };
    let render_scene = only_spheres(&spheres, &tags, &paint);
    let mut renderer = Renderer::Software(None);
    let image = renderer.draw(&render_scene, &settings(true), std::slice::from_ref(&legend)).unwrap();
    let place = legend.place(320, 200);
    for (value, _) in legend.ticks() {
        let found = image.pixel(place.left as u32 + 2, legend.height_of(&place, value) as u32);
        let expected = legend.map.srgb_bytes(value / 8.0);
        let error = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        assert!(error <= 6, "{value}: {found:?} instead of {expected:?}");
    }
}
