//! The picture in the window: drawn by `granule-render` on the window's device, turned by hand.

use std::sync::Arc;

use egui_wgpu::RenderState;
use egui_wgpu::wgpu::{
    CommandEncoderDescriptor, Extent3d, FilterMode, Texture, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages, TextureViewDescriptor,
};
use glam::Vec3;
use granule::live::Frame;
use granule_device::GpuDevice;
use granule_render::{
    Bounds, CameraChoice, GpuRenderer, Image, Legend, Light, RenderError, RenderScene, RenderSettings,
};

use crate::camera_rig::{CameraRig, Gesture, Habit};
use crate::look::Look;
use crate::picture::{Grains, Stage};
use crate::session::Session;

/// A full turn takes a drag over this share of the view's height.
const TURN: f32 = 2.0;
/// Nearer by this factor per notch of the wheel (120 points).
const WHEEL: f32 = 1.0 / 400.0;
/// Speed of flight in distances to the target per second.
const FLIGHT: f32 = 0.8;
/// What is seen around a grain that is looked at, in radii.
const NEAR_PICKED: f32 = 8.0;
/// Share of grains at each side that a framed picture may leave out.
const STRAY_SHARE: f64 = 0.002;

/// What the viewport shows, to be redrawn only when it changes.
#[derive(Clone, PartialEq)]
struct Shown {
    sequence: u64,
    rig: CameraRig,
    look: Look,
    size: [u32; 2],
}

/// The picture in the window.
pub struct Viewport {
    state: RenderState,
    gpu: GpuDevice,
    renderer: GpuRenderer,
    /// The camera.
    pub rig: CameraRig,
    /// Whose habits the mouse follows.
    pub habit: Habit,
    /// Whether the left button turns the view; with a tool in hand it does not.
    pub looks: bool,
    /// Whether the wheel comes nearer; it turns a tool that is in the hand.
    pub dollies: bool,
    texture: Option<(Texture, egui::TextureId, [u32; 2])>,
    shown: Option<Shown>,
    grains: Option<(u64, Look, Arc<Grains>)>,
    legend: Option<Legend>,
    /// Whether the camera has been given a view of this scene.
    framed: bool,
    /// What a drag turns about \[m\].
    pivot: Vec3,
    /// Height of the ground in the last picture \[m\].
    ground: Option<f32>,
    /// Why there is no picture.
    pub failure: Option<String>,
}

impl Viewport {
    /// A viewport on the window's device.
    ///
    /// # Errors
    /// Says what the driver refuses.
    pub fn new(state: RenderState, gpu: GpuDevice) -> Result<Self, RenderError> {
        Ok(Self {
            renderer: GpuRenderer::new(gpu.clone())?,
            gpu,
            state,
            rig: CameraRig::default(),
            habit: Habit::default(),
            looks: true,
            dollies: true,
            texture: None,
            shown: None,
            grains: None,
            legend: None,
            framed: false,
            pivot: Vec3::ZERO,
            ground: None,
            failure: None,
        })
    }

    /// A viewport on the same device that looks from the same place.
    ///
    /// # Errors
    /// Says what the driver refuses.
    pub fn another(&self) -> Result<Self, RenderError> {
        let other = Self::new(self.state.clone(), self.gpu.clone())?;
        Ok(Self { rig: self.rig, habit: self.habit, framed: self.framed, ..other })
    }

    /// A small picture of a frame of another run; none where it cannot be drawn.
    pub fn thumbnail(&mut self, frame: &Frame, size: [u32; 2]) -> Option<egui::ColorImage> {
        let look = Look::frugal();
        let grains = Grains::of(frame, &look);
        let bounds = grains.bounds()?;
        let own = frame.scene.camera.as_ref();
        let fixed = own.and_then(|camera| {
            Some(CameraChoice::Fixed { position: camera.position?.into(), target: camera.target?.into() })
        });
        let mut rig = CameraRig::default();
        rig.look_from(fixed.unwrap_or_default(), &framed_points(&grains), size[0] as f32 / size[1] as f32);
        let stage = Stage::new(&frame.scene, bounds).ok()?;
        let scenery = stage.at(frame, true);
        let settings = RenderSettings {
            shadows: false,
            occlusion: false,
            supersampling: 2,
            ..RenderSettings::new(size[0], size[1], rig.camera())
        };
        let image = self.renderer.draw(&render_scene(&grains, &scenery, stage.ground()), &settings).ok()?;
        // The kept targets have this picture's size now.
        self.shown = None;
        Some(egui::ColorImage::from_rgba_unmultiplied(size.map(|side| side as usize), image.bytes()))
    }

    /// Forgets the view, so that the next frame is looked at as a whole.
    pub fn forget_view(&mut self) {
        self.framed = false;
    }

    /// Shows the newest frame in all the room that there is, and moves the camera as hands do.
    pub fn show(&mut self, ui: &mut egui::Ui, session: &mut Session, look: &Look) -> egui::Response {
        let room = ui.available_size().max(egui::vec2(16.0, 16.0));
        let (rect, response) = ui.allocate_exact_size(room, egui::Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "View of the sand"));
        let scale = ui.ctx().pixels_per_point();
        let size = [rect.width(), rect.height()].map(|side| ((side * scale).round() as u32).clamp(16, 4096));
        let grains = self.grains_of(session, look);
        self.frame_once(session, &grains, size);
        self.move_camera(ui, &response, rect, &grains);
        self.draw(session, look, &grains, size);
        if let Some((_, id, _)) = &self.texture {
            let uv = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
            ui.painter().image(*id, rect, uv, egui::Color32::WHITE);
        }
        if let Some(legend) = &self.legend {
            paint_legend(ui, rect, legend);
        }
        if let Some(failure) = &self.failure {
            let font = egui::FontId::proportional(14.0);
            ui.painter().text(
                rect.center(),
                egui::Align2::CENTER_CENTER,
                failure,
                font,
                egui::Color32::LIGHT_RED,
            );
        }
        response
    }

    /// Looks at all grains from a side, or from where the camera is.
    pub fn look_at_all(&mut self, session: &Session, look: &Look, from: Option<CameraChoice>) {
        let grains = self.grains_of(session, look);
        let points = framed_points(&grains);
        let aspect = self.shown.as_ref().map_or(1.5, |shown| shown.size[0] as f32 / shown.size[1] as f32);
        match from {
            Some(choice) => self.rig.look_from(choice, &points, aspect),
            None => self.rig.frame(&points, aspect),
        }
    }

    /// Looks at the grain that was picked and those around it; stays where none is.
    pub fn look_at_picked(&mut self, session: &Session) {
        let frame = session.frame();
        let row = session.picked().and_then(|id| crate::panels::grain::row_of(&frame.snapshot, id));
        let Some(place) = row.zip(frame.snapshot.vec3("position")).map(|(row, all)| Vec3::from(all[row]))
        else {
            return;
        };
        let around = NEAR_PICKED * frame.scene.reference_radius();
        let points = [-1.0, 1.0].map(|side| place + side * Vec3::splat(around));
        self.rig.frame(&points, 1.0);
    }

    /// Draws the frame anew for a file, with its legend.
    ///
    /// # Errors
    /// Says how drawing failed.
    pub fn screenshot(
        &mut self,
        session: &mut Session,
        look: &Look,
        size: [u32; 2],
    ) -> Result<Image, RenderError> {
        let grains = self.grains_of(session, look);
        self.frame_once(session, &grains, size);
        let settings = self.settings(look, size);
        let (scenery, ground) = self.scenery(session, look, &grains);
        let scene = render_scene(&grains, &scenery, ground);
        let mut image = self.renderer.draw(&scene, &settings)?;
        if let Some(legend) = &grains.legend {
            legend.draw(&mut image);
        }
        // The kept targets have this picture's size now.
        self.shown = None;
        Ok(image)
    }

    fn grains_of(&mut self, session: &Session, look: &Look) -> Arc<Grains> {
        let sequence = session.frame().sequence;
        match &self.grains {
            Some((known, with, grains)) if *known == sequence && with == look => Arc::clone(grains),
            _ => {
                let grains = Arc::new(session.grains(look));
                self.grains = Some((sequence, look.clone(), Arc::clone(&grains)));
                grains
            }
        }
    }

    fn frame_once(&mut self, session: &Session, grains: &Grains, size: [u32; 2]) {
        if self.framed || grains.is_empty() {
            return;
        }
        let aspect = size[0] as f32 / size[1] as f32;
        let own = session.frame().scene.camera.as_ref();
        let fixed = own.and_then(|camera| {
            Some(CameraChoice::Fixed { position: camera.position?.into(), target: camera.target?.into() })
        });
        if let Some(camera) = own {
            self.rig.fov = camera.fov.to_radians();
        }
        self.rig.look_from(fixed.unwrap_or_default(), &framed_points(grains), aspect);
        self.framed = true;
    }

    fn move_camera(&mut self, ui: &egui::Ui, response: &egui::Response, rect: egui::Rect, grains: &Grains) {
        use egui::PointerButton::{Middle, Primary, Secondary};
        let modifiers = ui.input(|input| input.modifiers);
        let pointer = response.interact_pointer_pos().or_else(|| response.hover_pos());
        if response.drag_started()
            && let Some(pointer) = pointer
        {
            self.pivot = self.under(pointer, rect, grains);
        }
        for button in [Primary, Secondary, Middle] {
            if !response.dragged_by(button) || (button == Primary && !self.looks) {
                continue;
            }
            let moved = response.drag_delta() / rect.height();
            match self.habit.gesture(button, modifiers) {
                Some(Gesture::Orbit) => {
                    let angle = std::f32::consts::TAU / TURN;
                    self.rig.orbit(self.pivot, -angle * moved.x, angle * moved.y);
                }
                Some(Gesture::Pan) => {
                    let depth = self.rig.eye().distance(self.pivot);
                    self.rig.pan(moved.x, -moved.y, depth);
                }
                Some(Gesture::Dolly) => self.rig.dolly((2.0 * moved.y).exp(), self.pivot),
                None => {}
            }
        }
        if response.hovered() && self.dollies {
            let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta.y, input.zoom_delta()));
            let factor = (-scroll * WHEEL).exp() / zoom;
            if factor != 1.0 {
                let towards = pointer.map_or(self.rig.target, |pointer| self.under(pointer, rect, grains));
                self.rig.dolly(factor, towards);
            }
        }
        if response.has_focus() || response.hovered() {
            self.fly(ui);
        }
    }

    fn fly(&mut self, ui: &egui::Ui) {
        use egui::Key::{A, D, E, Q, S, W};
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let (by, seconds) = ui.input(|input| {
            let down = |key| f32::from(u8::from(input.key_down(key) && !input.modifiers.any()));
            (Vec3::new(down(D) - down(A), down(E) - down(Q), down(W) - down(S)), input.stable_dt.min(0.1))
        });
        if by != Vec3::ZERO {
            self.rig.fly(by.normalize() * FLIGHT * self.rig.distance * seconds);
            ui.ctx().request_repaint();
        }
    }

    /// The grain under the pointer, else where the ray comes nearest to the target \[m\].
    pub fn under(&self, pointer: egui::Pos2, rect: egui::Rect, grains: &Grains) -> Vec3 {
        let (eye, ray) = self.ray(pointer, rect);
        pick(&grains.spheres, eye, ray).map_or_else(
            || eye + ray * (self.rig.target - eye).dot(ray).max(0.0),
            |(_, distance)| eye + distance * ray,
        )
    }

    /// What lies under a point of the view \[m\]: a grain, the ground, or what is as far as the middle of it all.
    pub fn pointed_at(&self, session: &Session, pointer: egui::Pos2, rect: egui::Rect) -> Vec3 {
        let (eye, ray) = self.ray(pointer, rect);
        let grain = pick(&spheres_of(session.frame()), eye, ray);
        let ground = self.ground.filter(|_| ray.y < 0.0).map(|ground| (ground - eye.y) / ray.y);
        let far = (self.rig.target - eye).dot(ray).max(0.0);
        let distance = match (grain.map(|(_, distance)| distance), ground) {
            (Some(grain), Some(ground)) => grain.min(ground),
            (found, other) => found.or(other).unwrap_or(far),
        };
        eye + distance * ray
    }

    /// The id of the grain under a point of the view.
    pub fn grain_at(&self, session: &Session, pointer: egui::Pos2, rect: egui::Rect) -> Option<u32> {
        let (eye, ray) = self.ray(pointer, rect);
        let (row, _) = pick(&spheres_of(session.frame()), eye, ray)?;
        session.frame().snapshot.integer("id")?.get(row).copied()
    }

    /// Where a place is seen in the view; none where it is behind the eye.
    pub fn project(&self, place: Vec3, rect: egui::Rect) -> Option<egui::Pos2> {
        let view = self.rig.camera().view(rect.width() / rect.height());
        let seen = view.rotation() * (place - view.eye);
        (seen.z < 0.0).then(|| {
            let [x, y] = [seen.x / -seen.z / view.tangent[0], seen.y / -seen.z / view.tangent[1]];
            rect.center() + 0.5 * egui::vec2(x * rect.width(), -y * rect.height())
        })
    }

    /// Eye and direction through a point of the view.
    pub fn ray(&self, pointer: egui::Pos2, rect: egui::Rect) -> (Vec3, Vec3) {
        let view = self.rig.camera().view(rect.width() / rect.height());
        let at = (pointer - rect.min) / rect.size();
        (view.eye, view.ray(at.x, at.y))
    }

    fn settings(&self, look: &Look, size: [u32; 2]) -> RenderSettings {
        RenderSettings {
            light: Light { sun_direction: look.sun_direction(), ..Light::default() },
            shadows: look.shadows,
            occlusion: look.occlusion,
            supersampling: look.supersampling,
            ..RenderSettings::new(size[0], size[1], self.rig.camera())
        }
    }

    fn scenery(
        &self,
        session: &mut Session,
        look: &Look,
        grains: &Grains,
    ) -> (granule_scenery::Scenery, Option<f32>) {
        let frame = Arc::clone(session.frame());
        let stage = session
            .stage(|| grains.bounds().or(Some(Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) })));
        let (mut scenery, ground) =
            stage.map_or_else(Default::default, |stage| (stage.at(&frame, look.walls), stage.ground()));
        scenery.meshes.extend(grains.bars.iter().cloned());
        (scenery, ground)
    }

    fn draw(&mut self, session: &mut Session, look: &Look, grains: &Grains, size: [u32; 2]) {
        let now = Shown { sequence: session.frame().sequence, rig: self.rig, look: look.clone(), size };
        if self.shown.as_ref() == Some(&now) {
            return;
        }
        let settings = self.settings(look, size);
        let (scenery, ground) = self.scenery(session, look, grains);
        let scene = render_scene(grains, &scenery, ground);
        self.legend.clone_from(&grains.legend);
        self.ground = ground;
        let drawn = self.renderer.draw_to_texture(&scene, &settings).cloned();
        match drawn {
            Ok(picture) => {
                self.copy(&picture, size);
                self.failure = None;
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.shown = Some(now);
    }

    /// Copies a picture into the texture that the interface shows: the interface takes colours as they are stored.
    fn copy(&mut self, picture: &Texture, size: [u32; 2]) {
        let extent = Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 };
        if self.texture.as_ref().is_none_or(|(_, _, known)| *known != size) {
            let texture = self.state.device.create_texture(&TextureDescriptor {
                label: Some("view"),
                size: extent,
                mip_level_count: 1,
                sample_count: 1,
                dimension: TextureDimension::D2,
                format: TextureFormat::Rgba8Unorm,
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            });
            let view = texture.create_view(&TextureViewDescriptor::default());
            let mut renderer = self.state.renderer.write();
            if let Some((_, old, _)) = self.texture.take() {
                renderer.free_texture(&old);
            }
            let id = renderer.register_native_texture(&self.state.device, &view, FilterMode::Linear);
            self.texture = Some((texture, id, size));
        }
        if let Some((texture, _, _)) = &self.texture {
            let mut encoder = self.state.device.create_command_encoder(&CommandEncoderDescriptor::default());
            encoder.copy_texture_to_texture(picture.as_image_copy(), texture.as_image_copy(), extent);
            self.state.queue.submit([encoder.finish()]);
        }
    }
}

fn render_scene<'a>(
    grains: &'a Grains,
    scenery: &'a granule_scenery::Scenery,
    ground: Option<f32>,
) -> RenderScene<'a> {
    RenderScene {
        spheres: grains.source(),
        paint: &grains.paint,
        meshes: &scenery.meshes,
        field: grains.field.as_ref(),
        ground,
        lines: &scenery.lines,
        triangles: &[],
    }
}

/// The nearest sphere along a ray: its place in the list and how far along the ray it is met \[m\].
pub fn pick(spheres: &[[f32; 4]], eye: Vec3, ray: Vec3) -> Option<(usize, f32)> {
    let hit = |(k, [x, y, z, radius]): (usize, &[f32; 4])| {
        let to = Vec3::new(*x, *y, *z) - eye;
        let along = to.dot(ray);
        let inside = radius * radius - (to.length_squared() - along * along);
        (along > 0.0 && inside >= 0.0).then(|| (k, along - inside.sqrt()))
    };
    spheres.iter().enumerate().filter_map(hit).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The grains of a frame that are in memory, as spheres.
fn spheres_of(frame: &Frame) -> Vec<[f32; 4]> {
    let radius = frame.scene.reference_radius();
    let radii = frame.snapshot.scalar("radius");
    let sphere = |(k, [x, y, z]): (usize, &[f32; 3])| [*x, *y, *z, radii.map_or(radius, |radii| radii[k])];
    frame.snapshot.vec3("position").unwrap_or_default().iter().enumerate().map(sphere).collect()
}

/// Corners of the box around the grains without a few strays.
fn framed_points(grains: &Grains) -> Vec<Vec3> {
    if grains.spheres.is_empty() {
        return grains.bounds().map_or_else(Vec::new, |bounds| bounds.corners().to_vec());
    }
    let axis = |axis: usize| {
        let mut values: Vec<f32> = grains.spheres.iter().map(|sphere| sphere[axis]).collect();
        let last = values.len() - 1;
        let stray = (STRAY_SHARE * last as f64) as usize;
        values.sort_unstable_by(f32::total_cmp);
        [values[stray], values[last - stray]]
    };
    let [x, y, z] = [axis(0), axis(1), axis(2)];
    let room = Vec3::splat(grains.spheres[0][3]);
    let bounds = Bounds { min: Vec3::new(x[0], y[0], z[0]) - room, max: Vec3::new(x[1], y[1], z[1]) + room };
    bounds.corners().to_vec()
}

/// The colour map with its ends, at the left edge.
fn paint_legend(ui: &egui::Ui, rect: egui::Rect, legend: &Legend) {
    const STEPS: usize = 64;
    let (width, height) = (14.0, (0.4 * rect.height()).min(220.0));
    let bar = egui::Rect::from_min_size(
        rect.left_center() + egui::vec2(12.0, -0.5 * height),
        egui::vec2(width, height),
    );
    let painter = ui.painter();
    for step in 0..STEPS {
        let share = step as f32 / STEPS as f32;
        let top = bar.bottom() - (share + 1.0 / STEPS as f32) * height;
        let part = egui::Rect::from_min_size(
            egui::pos2(bar.left(), top),
            egui::vec2(width, height / STEPS as f32 + 0.5),
        );
        let [r, g, b, _] = legend.map.srgb_bytes(share);
        painter.rect_filled(part, 0.0, egui::Color32::from_rgb(r, g, b));
    }
    let font = egui::FontId::proportional(12.0);
    let label = |at: egui::Pos2, align, text: String| {
        let galley = painter.layout_no_wrap(text, font.clone(), egui::Color32::WHITE);
        let place = align_text(align, at, galley.size());
        painter.rect_filled(place.expand(2.0), 3.0, egui::Color32::from_black_alpha(110));
        painter.galley(place.min, galley, egui::Color32::WHITE);
    };
    let beside = |y: f32| egui::pos2(bar.right() + 6.0, y);
    label(beside(bar.top()), egui::Align2::LEFT_CENTER, format!("{:.4}", legend.range[1]));
    label(beside(bar.bottom()), egui::Align2::LEFT_CENTER, format!("{:.4}", legend.range[0]));
    let unit = if legend.unit.is_empty() { String::new() } else { format!(" [{}]", legend.unit) };
    label(
        bar.left_top() - egui::vec2(0.0, 10.0),
        egui::Align2::LEFT_BOTTOM,
        format!("{}{unit}", legend.title),
    );
}

fn align_text(align: egui::Align2, at: egui::Pos2, size: egui::Vec2) -> egui::Rect {
    align.anchor_size(at, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_sphere_in_front_is_picked_at_its_surface() {
        let spheres =
            [[0.0, 0.0, -3.0, 0.5], [0.0, 0.0, -2.0, 0.5], [0.0, 0.0, 2.0, 0.5], [1.0, 0.0, -1.0, 0.5]];
        let (index, distance) = pick(&spheres, Vec3::ZERO, Vec3::NEG_Z).unwrap();
        assert_eq!(index, 1);
        assert!((distance - 1.5).abs() < 1e-6);
        assert!(pick(&spheres, Vec3::ZERO, Vec3::Y).is_none());
    }
}
