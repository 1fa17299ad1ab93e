//! How long a picture of the grains takes that a graphics device simulates and draws.

use std::time::Instant;

use granule::Simulation;
use granule_gpu::{GpuSimulation, ParticleView};
use granule_render::{
    Bounds, CameraChoice, DEFAULT_FOV_RADIANS, GpuRenderer, RenderScene, RenderSettings, SphereBuffers,
    SphereSource, TagBuffers,
};
use granule_scenery::material_paint;
use serde::Serialize;

use crate::failure::Failure;

/// Pictures of each kind; the first ones are not counted.
const PICTURES: usize = 24;
/// Pictures that make room for textures and fill the driver's caches.
const FIRST: usize = 4;
/// The field that colours grains.
const FIELD: &str = "material";

/// Median times until a picture is there, from the end of a step on \[ms\]; without what brings it to a screen.
#[derive(Clone, Debug, Serialize)]
pub struct DrawTimes {
    /// Width and height \[pixels\].
    pub size: [u32; 2],
    /// One sample per pixel; light without shadows.
    pub plain: f64,
    /// The same with shadows.
    pub shadows: f64,
    /// With shadows and darker crevices, four samples per pixel, as `granule render` draws.
    pub full: f64,
}

/// Draws the grains as they lie and tells how long it takes.
pub fn time_pictures(simulation: &mut Simulation, size: [u32; 2]) -> Result<DrawTimes, Failure> {
    let paint = material_paint(simulation.scene());
    let device = simulation.solver_as::<GpuSimulation>().ok_or_else(no_device)?;
    let mut renderer = GpuRenderer::new(device.gpu().clone()).map_err(failed)?;
    let view = device.publish(FIELD).map_err(failed)?;
    let settings = settings(&view, size);
    let mut time = |settings: &RenderSettings| -> Result<f64, Failure> {
        let mut seconds = Vec::with_capacity(PICTURES);
        for _ in 0..PICTURES {
            let start = Instant::now();
            let view = device.publish(FIELD).map_err(failed)?;
            let subject = RenderScene {
                spheres: source(&view),
                paint: &paint,
                meshes: &[],
                field: None,
                ground: None,
                lines: &[],
                triangles: &[],
            };
            renderer.draw_to_texture(&subject, settings).map_err(failed)?;
            device.gpu().wait().map_err(failed)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        Ok(1e3 * median(&mut seconds[FIRST..]))
    };
    let plain = RenderSettings { shadows: false, occlusion: false, supersampling: 1, ..settings };
    let shadows = RenderSettings { shadows: true, ..plain };
    Ok(DrawTimes { size, plain: time(&plain)?, shadows: time(&shadows)?, full: time(&settings)? })
}

fn settings(view: &ParticleView, [width, height]: [u32; 2]) -> RenderSettings {
    let aspect = width as f32 / height as f32;
    let camera = CameraChoice::Iso.camera(&bounds(view).corners(), DEFAULT_FOV_RADIANS, aspect);
    RenderSettings::new(width, height, camera)
}

fn bounds(view: &ParticleView) -> Bounds {
    let [min, max] = view.bounds;
    Bounds { min, max }
}

fn source(view: &ParticleView) -> SphereSource<'_> {
    SphereSource::Buffers(SphereBuffers {
        spheres: &view.spheres,
        tags: TagBuffers::Tags(&view.tags),
        draw: &view.draw,
        draw_offset: 0,
        bounds: bounds(view),
        radius: view.radius,
    })
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Grains in the host's memory are not drawn here.
pub fn no_device() -> Failure {
    let remedy = "take a device (--device gpu), or leave it out";
    Failure::Input(format!("--draw: grains are drawn where a graphics device keeps them; {remedy}"))
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("--draw: {error}"))
}
