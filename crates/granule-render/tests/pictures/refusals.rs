//! What cannot be drawn is refused in words, by both ways of drawing.

use glam::{Affine3A, Vec3};
use granule_render::{
    Camera, ColorMap, FieldView, Look, Mesh, MeshInstance, RenderError, Renderer, RendererChoice, ScalarGrid,
    Slice, Subject,
};

use crate::common::{nothing, only_spheres, sand, tags};

fn look() -> Look {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 3.0), target: Vec3::ZERO, fov_radians: 0.6 };
    Look::new(32, 32, camera)
}

fn refused(subject: &Subject, look: &Look) -> String {
    let mut messages = Vec::new();
    for choice in [RendererChoice::Auto, RendererChoice::Software] {
        let error = Renderer::open(&choice).unwrap().draw(subject, look, &[]).unwrap_err();
        messages.push(error.to_string());
    }
    assert_eq!(messages[0], messages[1]);
    messages.remove(0)
}

#[test]
fn wrong_sizes_cameras_and_spheres_are_refused() {
    let (tags, paint) = (tags(1), sand());
    let subject = only_spheres(&[[0.0, 0.0, 0.0, 0.5]], &tags, &paint);
    assert!(refused(&subject, &Look { width: 0, ..look() }).contains("0x32"));
    assert!(refused(&subject, &Look { height: 100_000, ..look() }).contains("8192"));
    assert!(refused(&subject, &Look { supersampling: 9, ..look() }).contains("1 to 4"));
    let nowhere = Camera { target: look().camera.position, ..look().camera };
    assert!(refused(&subject, &Look { camera: nowhere, ..look() }).contains("camera"));
    for wrong in [[f32::NAN, 0.0, 0.0, 1.0], [0.0, f32::INFINITY, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]] {
        let spheres = [wrong];
        let message = refused(&only_spheres(&spheres, &tags, &paint), &look());
        assert!(message.contains("sphere 0"), "{message}");
    }
    assert!(refused(&only_spheres(&[[0.0; 4]], &[], &paint), &look()).contains("0 tags"));
}

#[test]
fn wrong_poses_and_views_are_refused() {
    let paint = sand();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::from_positions(&corners, &[[0, 1, 2]], 0.5).unwrap();
    let nowhere = Affine3A::from_translation(Vec3::new(0.0, f32::NAN, 0.0));
    let instance = MeshInstance { mesh, world_from_body: nowhere, color: Vec3::ONE, opacity: 1.0 };
    let message = refused(&Subject { meshes: &[instance], ..nothing(&paint) }, &look());
    assert!(message.contains("mesh 0"), "{message}");
    let grid = ScalarGrid::new(Vec3::ZERO, 1.0, [2, 2, 2], vec![0.0; 8]).unwrap();
    let map = ColorMap::Viridis;
    let slice = Slice { point: Vec3::ZERO, normal: Vec3::ZERO, map, range: [0.0, 1.0], step: 0.1 };
    let view =
        FieldView { grid, world_from_field: Affine3A::IDENTITY, slice: Some(slice), iso: None, cut: None };
    let message = refused(&Subject { field: Some(&view), ..nothing(&paint) }, &look());
    assert!(message.contains("plane with a normal"), "{message}");
}

#[test]
fn nothing_at_all_is_a_picture_of_the_background() {
    let paint = sand();
    let subject = only_spheres(&[], &[], &paint);
    for choice in [RendererChoice::Auto, RendererChoice::Software] {
        let image = Renderer::open(&choice).unwrap().draw(&subject, &look(), &[]).unwrap();
        assert_eq!((image.width(), image.height()), (32, 32));
    }
}

#[test]
fn a_wrong_adapter_is_named() {
    let choice: RendererChoice = "no such card".parse().unwrap();
    let Err(RenderError::Device(error)) = Renderer::open(&choice) else { panic!("there is no such card") };
    assert!(!error.to_string().is_empty());
}
