//! Lines and transparent triangles over and behind spheres.

use glam::Vec3;
use granule_render::{
    Bounds, Camera, Image, RenderScene, RenderSettings, Vertex, draw_in_software, pack_color, wire_box,
};

use crate::common::{gpu, only_spheres, sand, tags};

fn settings() -> RenderSettings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 6.0), target: Vec3::ZERO, fov_radians: 0.6 };
    RenderSettings { occlusion: false, ..RenderSettings::new(160, 160, camera) }
}

/// Row or column of a place [m] at a distance from the eye [m].
fn pixel(place: f32, distance: f32) -> u32 {
    (80.0 + 80.0 * place / distance / 0.3f32.tan()) as u32
}

fn both(render_scene: &RenderScene) -> Vec<Image> {
    let mut images = vec![draw_in_software(render_scene, &settings()).unwrap()];
    images.extend(gpu().map(|mut gpu| gpu.draw(render_scene, &settings()).unwrap()));
    images
}

#[test]
fn the_edges_of_a_box_are_hidden_by_spheres_in_front_of_them_only() {
    let spheres = [[0.0, 0.0, 0.0, 0.6]];
    let (tags, paint) = (tags(1), sand());
    let bounds = Bounds { min: Vec3::new(-1.0, -1.0, -1.0), max: Vec3::new(1.0, 0.0, 1.0) };
    let lines = wire_box(&bounds, 3.0, pack_color(Vec3::X, 1.0));
    for image in both(&RenderScene { lines: &lines, ..only_spheres(&spheres, &tags, &paint) }) {
        let is_red = |x: u32, y: u32| {
            let [r, g, b, _] = image.pixel(x, y);
            r > 180 && g < 60 && b < 60
        };
        // The upper edges at y = 0 meet in the picture's middle row: the near one passes in front of the ball.
        assert!(is_red(80, 80), "{:?}", image.pixel(80, 80));
        // The lower ones: both are seen beside the ball, the far one under it.
        assert!(is_red(80, pixel(1.0, 5.0)) && is_red(80, pixel(1.0, 7.0)));
        // The far edge behind the ball is hidden, one pixel off the near one nothing is red.
        assert!(!is_red(80, 90) && !is_red(80, 70));
    }
}

#[test]
fn a_see_through_wall_tints_what_is_behind_it_and_not_what_is_before_it() {
    let corner = |x: f32, y: f32, z: f32| Vertex {
        position: [x, y, z],
        color: pack_color(Vec3::Z, 0.5),
        normal: [0.0, 0.0, 1.0],
        unused: 0,
    };
    let spheres = [[-0.6, 0.0, 0.0, 0.4], [0.6, 0.0, 0.0, 0.4]];
    let (tags, paint) = (tags(2), sand());
    let render_scene = only_spheres(&spheres, &tags, &paint);
    // A triangle before the right ball and behind the left one.
    let before = [corner(0.1, -1.0, 1.0), corner(0.1, 1.0, 1.0), corner(2.5, 0.0, 1.0)];
    let behind = [corner(-0.1, -1.0, -1.0), corner(-0.1, 1.0, -1.0), corner(-2.5, 0.0, -1.0)];
    let triangles: Vec<Vertex> = before.into_iter().chain(behind).collect();
    for (plain, walled) in
        both(&render_scene).iter().zip(both(&RenderScene { triangles: &triangles, ..render_scene }))
    {
        let (left, right) = (pixel(-0.6, 6.0), pixel(0.6, 6.0));
        assert_eq!(plain.pixel(left, 80), walled.pixel(left, 80));
        let tint =
            |image: &Image| i32::from(image.pixel(right, 80)[2]) - i32::from(image.pixel(right, 80)[0]);
        assert!(tint(&walled) > tint(plain) + 40, "{} {}", tint(&walled), tint(plain));
    }
}
