//! Views of fields against what is known of them.

use glam::{Affine3A, Quat, Vec3};
use granule_render::{
    Bounds, Camera, ColorMap, Cut, FieldView, Image, IsoSurface, RenderScene, RenderSettings, ScalarGrid,
    Slice, draw_in_software,
};

use crate::common::{cast, difference, gpu, nothing, only_spheres, sand, tags};

const BOX: Bounds = Bounds { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
const CENTER: Vec3 = Vec3::new(0.1, -0.1, 0.05);

/// Distances from a ball in axes that are turned and shifted against the world.
fn view(iso: Option<IsoSurface>, slice: Option<Slice>) -> FieldView {
    let grid = ScalarGrid::sampled(&BOX, 48, |x| x.distance(CENTER) - 0.6).unwrap();
    let world_from_field =
        Affine3A::from_rotation_translation(Quat::from_rotation_z(0.4), Vec3::new(0.3, 0.1, 0.0));
    FieldView { grid, world_from_field, slice, iso, cut: None }
}

const SURFACE: IsoSurface = IsoSurface { value: 0.0, color: Vec3::new(0.2, 0.4, 0.7), both_sides: false };

fn settings() -> RenderSettings {
    let camera = Camera { position: Vec3::new(1.5, 1.0, 3.0), target: Vec3::ZERO, fov_radians: 0.7 };
    RenderSettings { supersampling: 1, occlusion: false, ..RenderSettings::new(160, 120, camera) }
}

#[test]
fn the_iso_surface_of_a_balls_distances_is_the_ball() {
    let Some(mut gpu) = gpu() else { return };
    let paint = sand();
    let view = view(Some(SURFACE), None);
    let center = view.world_from_field.transform_point3(CENTER);
    let ball = [[center.x, center.y, center.z, 0.6]];
    let render_scene = RenderScene { field: Some(&view), ..nothing(&paint) };
    let distances = gpu.draw_distances(&render_scene, &settings()).unwrap();
    let camera = settings().camera;
    let axes = camera.view(settings().aspect());
    let hit = |x: i32, y: i32| {
        cast(&camera, &axes, &ball, (f64::from(x) + 0.5) / 160.0, (f64::from(y) + 0.5) / 120.0)
    };
    let mut seen = 0;
    for (k, drawn) in distances.iter().enumerate() {
        let (x, y) = (k as i32 % 160, k as i32 / 160);
        let around: Vec<bool> = (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
            .map(|(dx, dy)| hit(x + dx, y + dy).is_some())
            .collect();
        // Within a pixel of the edge both answers are right.
        if around.iter().all(|hit| *hit) {
            let exact = hit(x, y).unwrap().distance;
            assert!((f64::from(*drawn) - exact).abs() < 3e-3, "({x}, {y}): {drawn} instead of {exact}");
            seen += 1;
        } else if !around.iter().any(|hit| *hit) {
            assert!(drawn.is_infinite(), "({x}, {y}): {drawn} beside the ball");
        }
    }
    assert!(seen > 1000, "{seen} pixels show the surface");
}

/// Pictures by software and by a device where there is one.
fn both(render_scene: &RenderScene, settings: &RenderSettings) -> Vec<Image> {
    let mut images = vec![draw_in_software(render_scene, settings).unwrap()];
    images.extend(gpu().map(|mut gpu| gpu.draw(render_scene, settings).unwrap()));
    images
}

#[test]
fn device_and_software_draw_the_same_field_and_faults_would_be_seen() {
    let slice =
        Slice { point: Vec3::ZERO, normal: Vec3::Y, map: ColorMap::Diverging, range: [-0.6, 0.6], step: 0.1 };
    let paint = sand();
    // A ball that is half inside the surface.
    let (spheres, tags) = ([[0.9, 0.3, 0.4, 0.3]], tags(1));
    let draw = |view: &FieldView| {
        let field = Some(view);
        let render_scene = RenderScene { field, ground: Some(-1.2), ..only_spheres(&spheres, &tags, &paint) };
        both(&render_scene, &settings())
    };
    let whole = view(Some(SURFACE), Some(slice));
    let images = draw(&whole);
    let [software, device] = images.as_slice() else { return };
    let agreed = difference(software, device);
    eprintln!("device and software differ by {agreed:.3} of 255");
    assert!(agreed < 0.4, "{agreed}");
    let another = IsoSurface { value: 0.1, ..SURFACE };
    let faults = [
        ("no surface", view(None, Some(slice))),
        ("no slice", view(Some(SURFACE), None)),
        ("another value", view(Some(another), Some(slice))),
        ("no lines", view(Some(SURFACE), Some(Slice { step: 0.0, ..slice }))),
        ("another pose", FieldView { world_from_field: Affine3A::IDENTITY, ..whole.clone() }),
    ];
    for (name, view) in faults {
        let seen = difference(&draw(&view)[0], device);
        assert!(seen > 1.0, "{name} changes the picture by {seen} only");
    }
}

#[test]
fn the_colours_of_a_slice_are_those_of_the_field() {
    // A field that grows with x and y, seen from the front; the picture is lit, the slice is not.
    let linear = |x: Vec3| 2.0 * x.x + 0.5 * x.y;
    let grid = ScalarGrid::sampled(&BOX, 16, linear).unwrap();
    let range = [-2.5, 2.5];
    let camera = Camera { position: Vec3::new(0.0, 0.0, 4.0), target: Vec3::ZERO, fov_radians: 0.6 };
    let settings = RenderSettings::new(200, 200, camera);
    let scale = 100.0 / (3.75 * 0.3f32.tan());
    let paint = sand();
    for (_, map) in ColorMap::ALL {
        let plane = Slice { point: Vec3::new(0.0, 0.0, 0.25), normal: Vec3::NEG_Z, map, range, step: 0.0 };
        for step in [0.0, 1.0] {
            let view = FieldView {
                grid: grid.clone(),
                world_from_field: Affine3A::IDENTITY,
                slice: Some(Slice { step, ..plane }),
                iso: None,
                cut: None,
            };
            for image in both(&RenderScene { field: Some(&view), ..nothing(&paint) }, &settings) {
                for (column, row) in
                    (20..180).step_by(10).flat_map(|x| (20..180).step_by(40).map(move |y| (x, y)))
                {
                    let place = Vec3::new(column as f32 - 99.5, 99.5 - row as f32, 0.0) / scale;
                    let value = linear(place);
                    let found = image.pixel(column, row);
                    // A pixel is 0.024 wide in values; zero's line is three pixels wide, others 1.2.
                    let away = (value / step.max(1e-9) - (value / step.max(1e-9)).round()).abs();
                    if step > 0.0 && value.abs() < 0.005 {
                        assert!(found[..3].iter().all(|part| *part < 40), "the line of zero: {found:?}");
                    } else if step == 0.0 || away > 0.08 {
                        let expected = map.srgb_bytes((value - range[0]) / (range[1] - range[0]));
                        let error = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                        assert!(error <= 2, "{map:?}, {value}: {found:?} instead of {expected:?}");
                    }
                }
                // Beside the grid there is no slice.
                assert_eq!(image.pixel(2, 100)[3], 255);
                assert!(image.pixel(2, 100)[2] > image.pixel(2, 100)[0], "the sky");
            }
        }
    }
}

#[test]
fn containers_are_seen_from_inside_and_solids_where_they_are_cut() {
    // Distances inside a hollow box: positive within, negative in the walls.
    let inside = |x: Vec3| 0.7 - x.abs().max_element();
    let grid = ScalarGrid::sampled(&BOX, 40, inside).unwrap();
    let camera = Camera { position: Vec3::new(0.0, 0.0, 5.0), target: Vec3::ZERO, fov_radians: 0.5 };
    let settings = RenderSettings { shadows: false, occlusion: false, ..RenderSettings::new(80, 80, camera) };
    let paint = sand();
    let Some(mut gpu) = gpu() else { return };
    let solid = ScalarGrid::sampled(&BOX, 40, |x| -inside(x)).unwrap();
    let front = Cut { point: Vec3::new(0.0, 0.0, 0.25), normal: Vec3::Z };
    let behind = Cut { normal: Vec3::NEG_Z, ..front };
    let cases = [
        (&grid, false, None, 5.7),
        (&grid, true, None, 4.3),
        (&grid, true, Some(front), 5.7),
        (&solid, false, None, 4.3),
        (&solid, false, Some(front), 4.75),
        (&solid, false, Some(behind), 4.3),
        (&grid, false, Some(behind), f32::INFINITY),
    ];
    for (grid, both_sides, cut, expected) in cases {
        let view = FieldView {
            grid: grid.clone(),
            world_from_field: Affine3A::IDENTITY,
            slice: None,
            iso: Some(IsoSurface { both_sides, ..SURFACE }),
            cut,
        };
        let render_scene = RenderScene { field: Some(&view), ..nothing(&paint) };
        let distances = gpu.draw_distances(&render_scene, &settings).unwrap();
        let found = distances[80 * 160 + 80];
        assert!(found == expected || (found - expected).abs() < 0.01, "{found} instead of {expected}");
        let agreed = difference(
            &gpu.draw(&render_scene, &settings).unwrap(),
            &draw_in_software(&render_scene, &settings).unwrap(),
        );
        assert!(agreed < 0.4, "{agreed}");
    }
}
