//! A screen for windows without a display: pictures are painted on the window's device and complete when they are shown, but
//! never leave it, as on a screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use egui::TexturesDelta;
use egui_kittest::TestRenderer;
use egui_wgpu::wgpu;
use egui_wgpu::{RenderState, RendererOptions, ScreenDescriptor};

/// How long the thread sleeps between two looks whether a picture is complete.
const LOOK_EVERY: Duration = Duration::from_micros(50);

/// A screen without a display.
pub struct Screen {
    state: RenderState,
    texture: Option<wgpu::Texture>,
}

impl Screen {
    /// A screen of the device that the window would have.
    pub fn new() -> Self {
        let options = RendererOptions::PREDICTABLE;
        Self {
            state: egui_kittest::wgpu::create_render_state(granule_app::wgpu_setup(), options),
            texture: None,
        }
    }

    fn texture(&mut self, [width, height]: [u32; 2]) -> wgpu::TextureView {
        let texture = self.texture.take().filter(|known| [known.width(), known.height()] == [width, height]);
        let texture = texture.unwrap_or_else(|| {
            self.state.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("screen"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: self.state.target_format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            })
        });
        self.texture.insert(texture).create_view(&Default::default())
    }

    /// Waits until all that was submitted is done without keeping others from the device, as `granule-device` does.
    fn wait(&self) -> Result<(), String> {
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        self.state.queue.on_submitted_work_done(move || told.store(true, Ordering::Release));
        while !done.load(Ordering::Acquire) {
            self.state.device.poll(wgpu::PollType::Poll).map_err(|error| error.to_string())?;
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }
}

impl TestRenderer for Screen {
    fn setup_eframe(&self, creation: &mut eframe::CreationContext<'_>, frame: &mut eframe::Frame) {
        creation.wgpu_render_state = Some(self.state.clone());
        frame.wgpu_render_state = Some(self.state.clone());
    }

    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        let mut renderer = self.state.renderer.write();
        for (id, images) in delta.set.drain() {
            for image in images {
                renderer.update_texture(&self.state.device, &self.state.queue, id, &image);
            }
        }
        delta.free.drain().for_each(|id| renderer.free_texture(&id));
    }

    /// Paints the window; the picture stays on the device, so the one that is returned is empty.
    fn render(&mut self, ctx: &egui::Context, output: &egui::FullOutput) -> Result<image::RgbaImage, String> {
        let scale = ctx.pixels_per_point();
        let size = ctx.content_rect().size() * scale;
        let screen = ScreenDescriptor {
            pixels_per_point: scale,
            size_in_pixels: [size.x.round() as u32, size.y.round() as u32],
        };
        let view = self.texture(screen.size_in_pixels);
        let meshes = ctx.tessellate(output.shapes.clone(), scale);
        let (device, queue) = (&self.state.device, &self.state.queue);
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut renderer = self.state.renderer.write();
            let buffers = renderer.update_buffers(device, queue, &mut encoder, &meshes, &screen);
            let attachment = wgpu::RenderPassColorAttachment {
                view: &view,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            };
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("screen"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            });
            renderer.render(&mut pass.forget_lifetime(), &meshes, &screen);
            queue.submit(buffers.into_iter().chain([encoder.finish()]));
        }
        self.wait()?;
        Ok(image::RgbaImage::new(1, 1))
    }
}
