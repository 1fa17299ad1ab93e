//! Pictures straight from the solver's buffers.

mod common;

use glam::Vec3;
use granule::scene::Scene;
use granule::{Device, Options, Simulation};
use granule_device::GpuDevice;
use granule_gpu::{GpuBackend, GpuSimulation};
use granule_render::{
    Bounds, Camera, ColorMap, GpuRenderer, Image, Paint, RenderScene, RenderSettings, SphereBuffers,
    SphereSource, SphereTag, TagBuffers,
};

use common::adapter;

fn simulation(gpu: &GpuDevice, scene: &str) -> Simulation {
    simulation_with(gpu, Scene::open(scene, true, &[]).unwrap())
}

fn simulation_with(gpu: &GpuDevice, scene: Scene) -> Simulation {
    let device: Device = GpuBackend::adopt(gpu.clone()).into_device();
    Simulation::new(scene, &Options { device, ..Options::default() }).unwrap()
}

fn draw(renderer: &mut GpuRenderer, spheres: SphereSource, paint: &Paint) -> Image {
    let Bounds { min, max } = spheres.bounds().unwrap();
    let target = 0.5 * (min + max);
    let position = target + Vec3::new(0.6, 0.5, 1.4) * (max - min).length();
    let look = RenderSettings::new(160, 120, Camera { position, target, fov_radians: 0.6 });
    let subject = RenderScene {
        spheres,
        paint,
        meshes: &[],
        field: None,
        ground: Some(0.0),
        lines: &[],
        triangles: &[],
    };
    renderer.draw(&subject, &look).unwrap()
}

/// Balls and tags by way of the host's memory.
fn in_memory(simulation: &mut Simulation, field: &str, radius: f32) -> (Vec<[f32; 4]>, Vec<SphereTag>) {
    let snapshot = simulation.read(&["id", "position", field]).unwrap();
    let places = snapshot.vec3("position").unwrap();
    let spheres = places.iter().map(|[x, y, z]| [*x, *y, *z, radius]).collect();
    let values: Vec<f32> = match snapshot.scalar(field) {
        Some(values) => values.to_vec(),
        None => snapshot.integer(field).unwrap().iter().map(|value| *value as f32).collect(),
    };
    let ids = snapshot.integer("id").unwrap();
    let tags = values.iter().zip(ids).map(|(value, id)| SphereTag { value: *value, id: *id }).collect();
    (spheres, tags)
}

#[test]
fn pictures_from_the_solvers_buffers_are_those_of_a_snapshot() {
    let Some(gpu) = adapter() else { return };
    // Grains leave through an outlet, so that some have just been removed.
    let mut simulation = simulation(&gpu, "silo");
    let mut renderer = GpuRenderer::new(gpu.clone()).unwrap();
    while simulation.flow().drained() == 0 {
        simulation.step_ahead();
    }
    for field in simulation.solver_as::<GpuSimulation>().unwrap().view_fields() {
        let view = simulation.solver_as::<GpuSimulation>().unwrap().publish(field).unwrap();
        let paint = match field {
            "material" => Paint::Material { albedo: vec![Vec3::new(0.7, 0.6, 0.4); 4] },
            _ => Paint::Scalar { map: ColorMap::Viridis, range: [0.0, 1.0] },
        };
        let (spheres, tags) = in_memory(&mut simulation, field, view.radius);
        let bounds = Bounds::of_spheres(&spheres).unwrap();
        let [low, high] = view.bounds;
        assert!(low.cmple(bounds.min).all() && high.cmpge(bounds.max).all(), "{low} {high}: {bounds:?}");
        let uploaded = SphereSource::Uploaded { spheres: &spheres, tags: &tags };
        let expected = draw(&mut renderer, uploaded, &paint);
        let buffers = SphereBuffers {
            spheres: &view.spheres,
            tags: TagBuffers::Tags(&view.tags),
            draw: &view.draw,
            draw_offset: 0,
            bounds,
            radius: view.radius,
        };
        let found = draw(&mut renderer, SphereSource::Buffers(buffers), &paint);
        assert!(found == expected, "{field}");
    }
}

#[test]
fn unknown_fields_of_views_are_named() {
    let Some(gpu) = adapter() else { return };
    let mut simulation = simulation(&gpu, "column");
    let error = simulation.solver_as::<GpuSimulation>().unwrap().publish("spin").unwrap_err().to_string();
    assert!(error.contains("spin") && error.contains("`iisph`") && error.contains("strain_rate"), "{error}");
    // A weakly compressible fluid has no strain rate: zeros would be a lie.
    let mut simulation = simulation_with(&gpu, common::water::dam());
    let error =
        simulation.solver_as::<GpuSimulation>().unwrap().publish("strain_rate").unwrap_err().to_string();
    let (named, known) = error.split_once("it has: ").unwrap();
    assert!(named.contains("`wcsph`") && named.contains("strain_rate"), "{error}");
    assert_eq!(known, "material, speed, density, pressure");
}
