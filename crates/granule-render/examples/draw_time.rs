//! How long pictures of a bed of balls take.
//!
//!     cargo run --release -p granule-render --example draw_time -- [adapter|cpu|auto] [balls] [pictures]
//!
//! The first picture, which compiles shaders and makes textures, is not counted.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use glam::Vec3;
use granule_render::{
    Camera, Paint, RenderError, RenderScene, RenderSettings, Renderer, SphereSource, SphereTag,
};

/// Radius of the balls [m].
const RADIUS: f32 = 0.005;

/// A square bed with a hill in its middle.
fn bed(count: usize) -> Vec<[f32; 4]> {
    let layers = 25;
    let side = (count as f64 / layers as f64).sqrt().ceil() as usize;
    let ball = |k: usize| {
        let [x, z] = [k % side, k / side % side].map(|part| 2.0 * RADIUS * (part as f32 - 0.5 * side as f32));
        let y = RADIUS * (1.0 + 2.0 * (k / (side * side)) as f32);
        [x, y * (1.0 + 0.6 * (-(x * x + z * z) / 0.2).exp()), z, RADIUS]
    };
    (0..count).map(ball).collect()
}

fn main() -> Result<(), RenderError> {
    let mut words = std::env::args().skip(1);
    let device = words.next().unwrap_or_else(|| "auto".into());
    let mut number = |otherwise| words.next().and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (count, pictures): (usize, usize) = (number(1_000_000), number(3));
    let spheres = bed(count);
    let tags: Vec<SphereTag> = (0..count as u32).map(|id| SphereTag { value: 0.0, id }).collect();
    let paint = Paint::Material { albedo: vec![Vec3::new(0.76, 0.60, 0.36)] };
    let render_scene = RenderScene {
        spheres: SphereSource::Uploaded { spheres: &spheres, tags: &tags },
        paint: &paint,
        meshes: &[],
        field: None,
        ground: Some(0.0),
        lines: &[],
        triangles: &[],
    };
    let camera =
        Camera { position: Vec3::new(1.2, 1.1, 1.9), target: Vec3::new(0.0, 0.05, 0.0), fov_radians: 0.6 };
    let settings = RenderSettings::new(1920, 1080, camera);
    let mut renderer = Renderer::open(&device.parse().unwrap_or_default())?;
    let mut times = Vec::new();
    for _ in 0..=pictures.max(1) {
        let start = Instant::now();
        renderer.draw(&render_scene, &settings, &[])?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    println!("{}: {count} balls at 1920x1080: {:.3} s per picture", renderer.name(), times[times.len() / 2]);
    Ok(())
}
