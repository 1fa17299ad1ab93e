//! Pictures by a graphics device.
//!
//! ```text
//! shadow map of spheres and solid meshes -> spheres, meshes, field and ground with depth, normal, colour
//! -> occlusion -> light -> transparent meshes, triangles, lines -> tone mapping and averaging of samples
//! ```

mod passes;
mod pipelines;
mod shaders;
mod targets;
mod upload;
mod weak_cache;

use granule_device::{AdapterSummary, GpuDevice};
use wgpu::TextureAspect;

use crate::RenderError;
use crate::frame::FrameParams;
use crate::image::Image;
use crate::render_scene::RenderScene;
use crate::render_settings::RenderSettings;
use pipelines::Pipelines;
use targets::Targets;
use upload::GpuCache;

/// Most samples of a picture; above, there is one per pixel.
const MAX_SAMPLES: u64 = 1 << 26;

/// Draws pictures by a graphics device.
pub struct GpuRenderer {
    gpu: GpuDevice,
    pipelines: Pipelines,
    targets: Option<Targets>,
    cache: GpuCache,
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
            None => Ok(Self { gpu, pipelines, targets: None, cache: GpuCache::default() }),
        }
    }

    /// The adapter that draws.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.gpu.adapter
    }

    /// Draws a picture.
    ///
    /// # Errors
    /// Says what is wrong with the scene or the settings, or how the device failed.
    pub fn draw(&mut self, scene: &RenderScene, settings: &RenderSettings) -> Result<Image, RenderError> {
        self.render(scene, settings)?;
        self.gpu.wait()?;
        let Some(targets) = &self.targets else { return Err(RenderError::Camera) };
        let bytes = self.gpu.read_texture(&targets.picture.texture, TextureAspect::All)?;
        let pixels = bytes.as_chunks::<4>().0.to_vec();
        Ok(Image::from_pixels(settings.width, settings.height, pixels))
    }

    /// Has a picture drawn and gives the texture that will show it, without waiting: what is submitted to the queue later finds
    /// it complete. The texture is another one when the size has changed.
    ///
    /// # Errors
    /// Says what is wrong with the scene or the settings, or how the device has failed since the last call.
    pub fn draw_to_texture(
        &mut self,
        scene: &RenderScene,
        settings: &RenderSettings,
    ) -> Result<&wgpu::Texture, RenderError> {
        self.render(scene, settings)?;
        if let Some(error) = self.gpu.take_error() {
            return Err(error.into());
        }
        self.targets.as_ref().map(|targets| &targets.picture.texture).ok_or(RenderError::Camera)
    }

    /// Draws a scene and gives the distances of what is seen along the view direction \[m\], sample by sample; infinite
    /// where nothing is.
    ///
    /// # Errors
    /// As [`GpuRenderer::draw`].
    pub fn draw_distances(
        &mut self,
        scene: &RenderScene,
        settings: &RenderSettings,
    ) -> Result<Vec<f32>, RenderError> {
        let frame = self.render(scene, settings)?;
        self.gpu.wait()?;
        let Some(targets) = &self.targets else { return Err(RenderError::Camera) };
        let bytes = self.gpu.read_texture(&targets.depth.texture, TextureAspect::DepthOnly)?;
        let depths = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(depths.map(|depth| frame.projection.z / depth).collect())
    }

    fn render(&mut self, scene: &RenderScene, settings: &RenderSettings) -> Result<FrameParams, RenderError> {
        settings.check(scene)?;
        let frame = FrameParams::new(scene, settings, self.supersampling(settings));
        let size = [settings.width, settings.height, frame.size.z as u32, frame.shadow_side()];
        if self.targets.as_ref().is_none_or(|targets| targets.size != size) {
            self.targets = None;
            self.targets = Some(Targets::new(&self.gpu, size));
        }
        let uploaded = self.cache.upload(&self.gpu, scene, &frame)?;
        if let Some(targets) = &self.targets {
            passes::submit(&self.gpu, &self.pipelines, targets, &uploaded);
        }
        Ok(frame)
    }

    /// Samples per pixel along an axis: as asked for, where the device can hold them.
    fn supersampling(&self, settings: &RenderSettings) -> u32 {
        let side = self.gpu.device.limits().max_texture_dimension_2d;
        let fits = |scale: u32| {
            let (width, height) = (settings.width * scale, settings.height * scale);
            width.max(height) <= side && u64::from(width) * u64::from(height) <= MAX_SAMPLES
        };
        (1..=settings.supersampling).rev().find(|scale| fits(*scale)).unwrap_or(1)
    }
}
