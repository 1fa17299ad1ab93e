//! What cannot be drawn is refused in words, by both ways of drawing.

use glam::{Affine3A, Vec3};
use granule_render::{
    Camera, ColorMap, FieldView, Mesh, MeshInstance, RenderError, RenderScene, RenderSettings, Renderer,
    RendererChoice, ScalarGrid, Slice,
};

use crate::common::{nothing, only_spheres, sand, tags};

fn settings() -> RenderSettings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 3.0), target: Vec3::ZERO, fov_radians: 0.6 };
    RenderSettings::new(32, 32, camera)
}

fn refused(render_scene: &RenderScene, settings: &RenderSettings) -> String {
    let mut messages = Vec::new();
    for choice in [RendererChoice::Auto, RendererChoice::Software] {
        let error = Renderer::open(&choice).unwrap().draw(render_scene, settings, &[]).unwrap_err();
        messages.push(error.to_string());
    }
    assert_eq!(messages[0], messages[1]);
    messages.remove(0)
}

#[test]
fn wrong_sizes_cameras_and_spheres_are_refused() {
    let (tags, paint) = (tags(1), sand());
    let render_scene = only_spheres(&[[0.0, 0.0, 0.0, 0.5]], &tags, &paint);
    assert!(refused(&render_scene, &RenderSettings { width: 0, ..settings() }).contains("0x32"));
    assert!(refused(&render_scene, &RenderSettings { height: 100_000, ..settings() }).contains("8192"));
    assert!(refused(&render_scene, &RenderSettings { supersampling: 9, ..settings() }).contains("1 to 4"));
    let nowhere = Camera { target: settings().camera.position, ..settings().camera };
    assert!(refused(&render_scene, &RenderSettings { camera: nowhere, ..settings() }).contains("camera"));
    for wrong in [[f32::NAN, 0.0, 0.0, 1.0], [0.0, f32::INFINITY, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]] {
        let spheres = [wrong];
        let message = refused(&only_spheres(&spheres, &tags, &paint), &settings());
        assert!(message.contains("sphere 0"), "{message}");
    }
    assert!(refused(&only_spheres(&[[0.0; 4]], &[], &paint), &settings()).contains("0 tags"));
}

#[test]
fn wrong_poses_and_views_are_refused() {
    let paint = sand();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::from_positions(&corners, &[[0, 1, 2]], 0.5).unwrap();
    let nowhere = Affine3A::from_translation(Vec3::new(0.0, f32::NAN, 0.0));
    let instance = MeshInstance { mesh, world_from_body: nowhere, color: Vec3::ONE, opacity: 1.0 };
    let message = refused(&RenderScene { meshes: &[instance], ..nothing(&paint) }, &settings());
    assert!(message.contains("mesh 0"), "{message}");
    let grid = ScalarGrid::new(Vec3::ZERO, 1.0, [2, 2, 2], vec![0.0; 8]).unwrap();
    let map = ColorMap::Viridis;
    let slice = Slice { point: Vec3::ZERO, normal: Vec3::ZERO, map, range: [0.0, 1.0], step: 0.1 };
    let view =
        FieldView { grid, world_from_field: Affine3A::IDENTITY, slice: Some(slice), iso: None, cut: None };
    let message = refused(&RenderScene { field: Some(&view), ..nothing(&paint) }, &settings());
    assert!(message.contains("plane with a normal"), "{message}");
}

#[test]
fn nothing_at_all_is_a_picture_of_the_background() {
    let paint = sand();
    let render_scene = only_spheres(&[], &[], &paint);
    for choice in [RendererChoice::Auto, RendererChoice::Software] {
        let image = Renderer::open(&choice).unwrap().draw(&render_scene, &settings(), &[]).unwrap();
        assert_eq!((image.width(), image.height()), (32, 32));
    }
}

#[test]
fn a_wrong_adapter_is_named() {
    let choice: RendererChoice = "no such card".parse().unwrap();
    let Err(RenderError::Device(error)) = Renderer::open(&choice) else { panic!("there is no such card") };
    assert!(!error.to_string().is_empty());
}
