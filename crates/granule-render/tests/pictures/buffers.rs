//! Balls that lie in buffers of a device already.

use glam::Vec3;
use granule_device::GpuDevice;
use granule_render::{
    Bounds, Camera, ColorMap, GpuRenderer, Paint, RenderScene, RenderSettings, SphereBuffers, SphereSource,
    SphereTag, TagBuffers, draw_in_software,
};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages};

use crate::common::{nothing, only_spheres};

/// A device that somebody else has opened, taken over by a renderer.
fn adopted() -> Option<(GpuDevice, GpuRenderer)> {
    let opened = granule_testing::device()?;
    let shared = GpuDevice::adopt(opened.adapter.clone(), opened.device.clone(), opened.queue.clone());
    Some((opened, GpuRenderer::new(shared).unwrap()))
}

fn buffer(gpu: &GpuDevice, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

fn balls() -> (Vec<[f32; 4]>, Vec<SphereTag>) {
    let cells = (0..6).flat_map(|x| (0..5).flat_map(move |y| (0..4).map(move |z| [x, y, z])));
    let spheres: Vec<[f32; 4]> =
        cells.map(|[x, y, z]| [0.2 * x as f32, 0.1 + 0.2 * y as f32, 0.2 * z as f32, 0.1]).collect();
    let tags = spheres.iter().zip(7..).map(|(sphere, id)| SphereTag { value: sphere[1], id }).collect();
    (spheres, tags)
}

fn settings() -> RenderSettings {
    let camera =
        Camera { position: Vec3::new(2.0, 1.6, 2.4), target: Vec3::new(0.5, 0.4, 0.3), fov_radians: 0.6 };
    RenderSettings::new(160, 120, camera)
}

#[test]
fn balls_in_buffers_give_the_same_picture_as_uploaded_ones() {
    let Some((gpu, mut renderer)) = adopted() else { return };
    let (spheres, tags) = balls();
    let count = spheres.len() as u32;
    let paint = Paint::Scalar { map: ColorMap::Viridis, range: [0.0, 1.0] };
    let uploaded = RenderScene { ground: Some(0.0), ..only_spheres(&spheres, &tags, &paint) };
    let expected = renderer.draw(&uploaded, &settings()).unwrap();

    // Three balls more than are alive, and arguments behind other numbers.
    let mut places = spheres.clone();
    places.extend([[0.5, 1.6, 0.3, 0.3]; 3]);
    let with_dead: Vec<SphereTag> = tags.iter().copied().chain([SphereTag::default(); 3]).collect();
    let values: Vec<f32> = with_dead.iter().map(|tag| tag.value).collect();
    let ids: Vec<u32> = with_dead.iter().map(|tag| tag.id).collect();
    let vertex = |contents: &[u8]| buffer(&gpu, contents, BufferUsages::VERTEX | BufferUsages::STORAGE);
    let (place_buffer, tag_buffer) =
        (vertex(bytemuck::cast_slice(&places)), vertex(bytemuck::cast_slice(&with_dead)));
    let (value, id) = (vertex(bytemuck::cast_slice(&values)), vertex(bytemuck::cast_slice(&ids)));
    let arguments = |count: u32| {
        let numbers = [9u32, 9, 4, count, 0, 0];
        buffer(&gpu, bytemuck::cast_slice(&numbers), BufferUsages::INDIRECT | BufferUsages::STORAGE)
    };
    let (alive, fewer) = (arguments(count), arguments(count - 1));
    let with_tags = SphereBuffers {
        spheres: &place_buffer,
        tags: TagBuffers::Tags(&tag_buffer),
        draw: &alive,
        draw_offset: 8,
        bounds: Bounds::of_spheres(&spheres).unwrap(),
        radius: 0.1,
    };
    let mut draw = |buffers: SphereBuffers| {
        let spheres = SphereSource::Buffers(buffers);
        renderer.draw(&RenderScene { spheres, ground: Some(0.0), ..nothing(&paint) }, &settings()).unwrap()
    };
    assert_eq!(draw(with_tags), expected);
    let columns = TagBuffers::Columns { value: &value, id: &id };
    assert_eq!(draw(SphereBuffers { tags: columns, ..with_tags }), expected);
    assert_ne!(draw(SphereBuffers { draw: &fewer, ..with_tags }), expected, "the count is the device's");
}

#[test]
fn buffers_that_cannot_be_drawn_are_refused() {
    let Some((gpu, mut renderer)) = adopted() else { return };
    let paint = Paint::Direct;
    let storage = buffer(&gpu, &[0; 64], BufferUsages::STORAGE);
    let vertex = buffer(&gpu, &[0; 64], BufferUsages::VERTEX);
    let buffers = SphereBuffers {
        spheres: &vertex,
        tags: TagBuffers::Tags(&storage),
        draw: &storage,
        draw_offset: 0,
        bounds: Bounds { min: Vec3::ZERO, max: Vec3::ONE },
        radius: 0.1,
    };
    let mut refused = |buffers: SphereBuffers| {
        let spheres = SphereSource::Buffers(buffers);
        renderer.draw(&RenderScene { spheres, ..nothing(&paint) }, &settings()).unwrap_err().to_string()
    };
    assert!(refused(buffers).contains("tags was made without the usage VERTEX"));
    let tagged = SphereBuffers { tags: TagBuffers::Tags(&vertex), ..buffers };
    assert!(refused(tagged).contains("without the usage INDIRECT"));
    let indirect = buffer(&gpu, &[0; 64], BufferUsages::INDIRECT);
    let flat = SphereBuffers { draw: &indirect, radius: 0.0, ..tagged };
    assert!(refused(flat).contains("mean radius"));
    let spheres = SphereSource::Buffers(SphereBuffers { radius: 0.1, ..flat });
    let software = draw_in_software(&RenderScene { spheres, ..nothing(&paint) }, &settings());
    assert!(software.unwrap_err().to_string().contains("in software"));
}
