//! A picture of a simulation: sand on a floor, coloured by speed, drawn by a graphics device or in software.
//!
//!     cargo run --release -p granule-cli --example picture -- picture.png
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

use glam::Vec3;
use granule::{MaterialSettings, Options, Scene, Shape, Simulation};
use granule_render::{
    CameraChoice, ColorMap, DEFAULT_FOV_RADIANS, Paint, RenderScene, RenderSettings, Renderer,
    RendererChoice, SphereSource, SphereTag,
};

/// Width and height of the picture [pixels].
const SIZE: [u32; 2] = [640, 360];

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| "picture.png".into(), PathBuf::from);
    draw(&path, &RendererChoice::Auto)
}

/// Simulates, draws and writes the picture.
pub(crate) fn draw(path: &Path, choice: &RendererChoice) -> Result<(), Box<dyn Error>> {
    let scene = Scene::new("picture")
        .with_material(MaterialSettings::default())
        .with_wall("floor", Shape::floor(0.0))
        .with_grains("sand", Shape::cuboid([0.0; 3], [0.1, 0.2, 0.1]));
    let mut simulation = Simulation::new(scene, &Options::default())?;
    simulation.run_until(0.2);

    // Spheres as (x, y, z, radius), and what gives each of them its colour.
    let snapshot = simulation.read(&["id", "position", "radius", "speed"])?;
    let position = snapshot.vec3("position").ok_or("positions are vectors")?;
    let radius = snapshot.scalar("radius").ok_or("radii are numbers")?;
    let speed = snapshot.scalar("speed").ok_or("speeds are numbers")?;
    let id = snapshot.integer("id").ok_or("ids are integers")?;
    let spheres: Vec<[f32; 4]> = position.iter().zip(radius).map(|(&[x, y, z], &r)| [x, y, z, r]).collect();
    let tags: Vec<SphereTag> = speed.iter().zip(id).map(|(&value, &id)| SphereTag { value, id }).collect();

    let fastest = speed.iter().copied().fold(0.1, f32::max);
    let paint = Paint::Scalar { map: ColorMap::Viridis, range: [0.0, fastest] };
    let picture = RenderScene {
        spheres: SphereSource::Uploaded { spheres: &spheres, tags: &tags },
        paint: &paint,
        meshes: &[],
        field: None,
        ground: Some(0.0),
        lines: &[],
        triangles: &[],
    };
    let points: Vec<Vec3> = position.iter().map(|x| Vec3::from(*x)).collect();
    let [width, height] = SIZE;
    let camera = CameraChoice::Iso.camera(&points, DEFAULT_FOV_RADIANS, width as f32 / height as f32);
    let mut renderer = Renderer::open(choice)?;
    let image = renderer.draw(&picture, &RenderSettings::new(width, height, camera), &[])?;
    image.write_png(File::create(path)?)?;
    println!("{}: {} grains, drawn by {}", path.display(), spheres.len(), renderer.name());
    Ok(())
}
