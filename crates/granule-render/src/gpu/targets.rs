//! The textures that a picture passes through.

use granule_device::GpuDevice;
use wgpu::{
    Extent3d, Texture, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureView,
};

use super::pipelines::{ALBEDO, DEPTH, LIGHT, NORMAL, OCCLUSION, PICTURE};

/// A texture with its view.
pub struct Target {
    /// The texture.
    pub texture: Texture,
    /// All of it.
    pub view: TextureView,
}

impl Target {
    fn new(gpu: &GpuDevice, format: TextureFormat, width: u32, height: u32) -> Self {
        let texture = gpu.device.create_texture(&TextureDescriptor {
            label: Some("target"),
            size: Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format,
            usage: TextureUsages::RENDER_ATTACHMENT
                | TextureUsages::TEXTURE_BINDING
                | TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        Self { texture, view }
    }
}

/// The textures of a picture; kept for the next one of the same size.
pub struct Targets {
    /// Width, height, samples per pixel along an axis, side of the shadow map.
    pub size: [u32; 4],
    /// Depth of the samples.
    pub depth: Target,
    /// Colours of the samples.
    pub albedo: Target,
    /// Normals of the samples.
    pub normal: Target,
    /// Share of the sky that pixels see.
    pub occlusion: Target,
    /// The same, smoothed.
    pub smooth: Target,
    /// Light of the samples.
    pub light: Target,
    /// Depth as the sun sees it.
    pub shadow: Target,
    /// The pixels.
    pub picture: Target,
}

impl Targets {
    /// Textures for a picture of width, height, samples per pixel along an axis and side of the shadow map.
    pub fn new(gpu: &GpuDevice, size: [u32; 4]) -> Self {
        let [width, height, scale, side] = size;
        let samples = |format| Target::new(gpu, format, width * scale, height * scale);
        Self {
            size,
            depth: samples(DEPTH),
            albedo: samples(ALBEDO),
            normal: samples(NORMAL),
            light: samples(LIGHT),
            occlusion: Target::new(gpu, OCCLUSION, width, height),
            smooth: Target::new(gpu, OCCLUSION, width, height),
            shadow: Target::new(gpu, DEPTH, side, side),
            picture: Target::new(gpu, PICTURE, width, height),
        }
    }
}
