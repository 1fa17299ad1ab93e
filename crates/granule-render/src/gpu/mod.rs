//! Pictures by a graphics device.
//!
//! ```text
//! shadow map of the spheres -> spheres and ground with depth, normal, colour -> occlusion -> light
//! -> see-through triangles, lines -> tone mapping and averaging of samples
//! ```

mod passes;
mod pipelines;
mod shaders;
mod targets;

use granule_device::{AdapterSummary, GpuDevice};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, TextureAspect};

use crate::RenderError;
use crate::colormap::TABLE_SIZE;
use crate::frame::FrameParams;
use crate::image::Image;
use crate::look::Look;
use crate::subject::{Paint, Subject};
use pipelines::Pipelines;
use targets::Targets;

/// Most samples of a picture; above, there is one per pixel.
const MAX_SAMPLES: u64 = 1 << 26;

/// Draws pictures by a graphics device.
pub struct GpuRenderer {
    gpu: GpuDevice,
    pipelines: Pipelines,
    targets: Option<Targets>,
}

/// What is drawn, on the device.
struct Uploaded {
    frame: Buffer,
    color_table: wgpu::TextureView,
    /// Places, tags and their number.
    spheres: Option<(Buffer, Buffer, u32)>,
    lines: Option<(Buffer, u32)>,
    triangles: Option<(Buffer, u32)>,
}

impl GpuRenderer {
    /// Compiles the shaders for a device.
    ///
    /// # Errors
    /// Says what the driver refuses.
    pub fn new(gpu: GpuDevice) -> Result<Self, RenderError> {
        let pipelines = Pipelines::new(&gpu.device);
        match gpu.take_error() {
            Some(error) => Err(error.into()),
            None => Ok(Self { gpu, pipelines, targets: None }),
        }
    }

    /// The adapter that draws.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.gpu.adapter
    }

    /// Draws a picture.
    ///
    /// # Errors
    /// Says what is wrong with the subject or the look, or how the device failed.
    pub fn draw(&mut self, subject: &Subject, look: &Look) -> Result<Image, RenderError> {
        self.render(subject, look)?;
        let Some(targets) = &self.targets else { return Err(RenderError::Camera) };
        let bytes = self.gpu.read_texture(&targets.picture.texture, TextureAspect::All)?;
        let pixels = bytes.as_chunks::<4>().0.to_vec();
        Ok(Image::from_pixels(look.width, look.height, pixels))
    }

    /// Draws a subject and gives the distances of what is seen along the view direction [m], sample by sample; infinite
    /// where nothing is.
    ///
    /// # Errors
    /// As [`GpuRenderer::draw`].
    pub fn draw_distances(&mut self, subject: &Subject, look: &Look) -> Result<Vec<f32>, RenderError> {
        let frame = self.render(subject, look)?;
        let Some(targets) = &self.targets else { return Err(RenderError::Camera) };
        let bytes = self.gpu.read_texture(&targets.depth.texture, TextureAspect::DepthOnly)?;
        let depths = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(depths.map(|depth| frame.projection.z / depth).collect())
    }

    fn render(&mut self, subject: &Subject, look: &Look) -> Result<FrameParams, RenderError> {
        look.check(subject)?;
        let limits = self.gpu.device.limits();
        let frame = FrameParams::new(subject, look, self.supersampling(look));
        let needed = 16 * subject.spheres.len() as u64;
        if needed > limits.max_buffer_size {
            return Err(RenderError::TooMany { spheres: subject.spheres.len() });
        }
        let size = [look.width, look.height, frame.size.z as u32, frame.shadow_side()];
        if self.targets.as_ref().is_none_or(|targets| targets.size != size) {
            self.targets = None;
            self.targets = Some(Targets::new(&self.gpu, size));
        }
        let uploaded = self.upload(subject, &frame);
        if let Some(targets) = &self.targets {
            passes::submit(&self.gpu, &self.pipelines, targets, &uploaded);
        }
        self.gpu.wait()?;
        Ok(frame)
    }

    /// Samples per pixel along an axis: as asked for, where the device can hold them.
    fn supersampling(&self, look: &Look) -> u32 {
        let side = self.gpu.device.limits().max_texture_dimension_2d;
        let fits = |scale: u32| {
            let (width, height) = (look.width * scale, look.height * scale);
            width.max(height) <= side && u64::from(width) * u64::from(height) <= MAX_SAMPLES
        };
        (1..=look.supersampling).rev().find(|scale| fits(*scale)).unwrap_or(1)
    }

    fn upload(&self, subject: &Subject, frame: &FrameParams) -> Uploaded {
        let buffer = |contents: &[u8], usage| {
            self.gpu.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
        };
        let vertices = |contents: &[u8]| buffer(contents, BufferUsages::VERTEX);
        let some = |contents: &[u8], count: usize| (count > 0).then(|| (vertices(contents), count as u32));
        Uploaded {
            frame: buffer(bytemuck::bytes_of(frame), BufferUsages::UNIFORM),
            color_table: self.upload_color_table(subject.paint),
            spheres: some(bytemuck::cast_slice(subject.spheres), subject.spheres.len())
                .map(|(spheres, count)| (spheres, vertices(bytemuck::cast_slice(subject.tags)), count)),
            lines: some(bytemuck::cast_slice(subject.lines), subject.lines.len()),
            triangles: some(bytemuck::cast_slice(subject.triangles), subject.triangles.len()),
        }
    }

    fn upload_color_table(&self, paint: &Paint) -> wgpu::TextureView {
        let colors: Vec<[f32; 4]> = paint.table().iter().map(|color| color.extend(1.0).to_array()).collect();
        let descriptor = wgpu::TextureDescriptor {
            label: Some("colour table"),
            size: wgpu::Extent3d { width: TABLE_SIZE as u32, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        };
        let order = wgpu::util::TextureDataOrder::LayerMajor;
        let bytes = bytemuck::cast_slice(&colors);
        let texture = self.gpu.device.create_texture_with_data(&self.gpu.queue, &descriptor, order, bytes);
        texture.create_view(&Default::default())
    }
}
