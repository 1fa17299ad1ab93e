//! A mesh that was dropped onto the window: what it is like, and what it is to become.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use glam::Vec3;
use granule::geometry::{self, Grid, MassProperties, MeshOptions, MeshReport, MeshTree, VolumeMap};
use granule::geometry::{inspect, load_mesh, repair};
use granule::scene::Scene;
use granule_render::Bounds;

use super::mesh_slice::{Cut, SliceView, SolidMesh};

/// Width of what is asked, beside the slice \[points\].
const WIDTH: f32 = 400.0;
/// Height that the window keeps free of the question \[points\].
const AROUND: f32 = 120.0;

/// What a mesh becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A rigid body.
    Body,
    /// A wall.
    Wall,
    /// A shape full of grains.
    Filling,
}

impl Role {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Body, "Body that moves freely"),
        (Self::Wall, "Wall that stays"),
        (Self::Filling, "Shape full of grains"),
    ];
}

/// What is known about a mesh.
#[derive(Clone, Debug)]
struct Facts {
    report: MeshReport,
    /// The solid that it encloses, or why it encloses none.
    solid: Result<SolidMesh, String>,
}

/// A mesh that waits for what it is to become.
pub struct MeshDrop {
    path: PathBuf,
    reading: Option<Receiver<Result<Facts, String>>>,
    facts: Option<Result<Facts, String>>,
    role: Role,
    /// Largest extent \[m\].
    size: f32,
    /// Middle \[m\].
    position: [f32; 3],
    hollow: bool,
    /// Axis of the slice, and where it is from 0 to 1.
    slice: (usize, f32),
    view: SliceView,
    /// The grains, to stand above of.
    region: Bounds,
}

/// What came of it.
pub enum Decision {
    /// It is still asked.
    None,
    /// It is left.
    Cancelled,
    /// An entry for a list of the scene: its name and the entry as TOML.
    Entry(&'static str, String),
}

impl MeshDrop {
    /// Reads a mesh on a thread of its own; `region` is where the grains are.
    pub fn new(path: &Path, region: Bounds) -> Self {
        let (sender, receiver) = channel();
        let file = path.to_path_buf();
        thread::spawn(move || {
            // Nobody is there to hear it once the question is closed.
            let _ = sender.send(facts(&file));
        });
        let (position, size) = (((region.min + region.max) / 2.0).to_array(), 0.1);
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        Self {
            path,
            reading: Some(receiver),
            facts: None,
            role: Role::Body,
            size,
            position,
            hollow: false,
            slice: (2, 0.5),
            view: SliceView::default(),
            region,
        }
    }

    /// Shows what it is like and asks what it is to become.
    pub fn show(&mut self, ctx: &egui::Context, scene: &Scene) -> Decision {
        self.hear();
        let escape = ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
        let mut decision = if escape { Decision::Cancelled } else { Decision::None };
        let window = egui::Window::new("Add mesh").collapsible(false).resizable(false);
        window.anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
            ui.strong(self.path.file_name().unwrap_or_default().to_string_lossy());
            let facts = self.facts.clone();
            let room = (ctx.content_rect().height() - AROUND).max(AROUND);
            egui::ScrollArea::both().max_height(room).show(ui, |ui| match &facts {
                None => _ = ui.label("reading"),
                Some(Err(error)) => _ = ui.colored_label(ui.visuals().error_fg_color, error),
                Some(Ok(facts)) => self.show_found(ui, facts, scene),
            });
            ui.horizontal(|ui| {
                let usable = facts.is_some_and(|facts| facts.is_ok_and(|facts| facts.solid.is_ok()));
                if ui.add_enabled(usable, egui::Button::new("Add to the scene")).clicked() {
                    decision = self.entry(scene);
                }
                if ui.button("Leave it").clicked() {
                    decision = Decision::Cancelled;
                }
            });
        });
        decision
    }

    /// What it is like and what it can become; beside that a slice, where it encloses something.
    fn show_found(&mut self, ui: &mut egui::Ui, facts: &Facts, scene: &Scene) {
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                // As wide as its longest row, so that nothing moves while sizes are chosen.
                ui.set_width(WIDTH);
                self.show_facts(ui, facts, scene);
                self.choices(ui);
            });
            if let Ok(solid) = &facts.solid {
                ui.vertical(|ui| self.show_slice(ui, solid, scene));
            }
        });
    }

    /// The field that grains will meet, or the grains that will fill it, in a plane.
    fn show_slice(&mut self, ui: &mut egui::Ui, solid: &SolidMesh, scene: &Scene) {
        let radius = scene.reference_radius();
        let scale = self.size / solid.bounds.size().max_element().max(f32::MIN_POSITIVE);
        let (axis, share) = self.slice;
        let filled = self.role == Role::Filling;
        let cut = Cut {
            axis,
            share,
            cell: VolumeMap::default_cell(2.0 * radius) / scale,
            grain_radius: filled.then_some(radius / scale),
        };
        self.view.show(ui, solid, cut);
        ui.horizontal(|ui| {
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                let response = ui.selectable_value(&mut self.slice.0, axis, name);
                let label = format!("Slice across {name}");
                let chosen = self.slice.0 == axis;
                response.widget_info(|| {
                    egui::WidgetInfo::selected(egui::Role::RadioButton, true, chosen, &label)
                });
            }
            let slider = egui::Slider::new(&mut self.slice.1, 0.0..=1.0).show_value(false);
            let response = ui.add(slider);
            response
                .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "Place of the slice"));
        });
        ui.weak(match filled {
            true => "Grains of a layer: what has none stays empty.",
            false => "Distances as grains will meet them, a line per cell.",
        });
    }

    fn hear(&mut self) {
        let Some(facts) = self.reading.as_ref().and_then(|reading| reading.try_recv().ok()) else { return };
        if let Ok(facts) = &facts {
            let extent = size_of(&facts.report).max_element();
            let room = (self.region.max - self.region.min).max_element();
            self.size = if (0.02 * room..2.0 * room).contains(&extent) { extent } else { 0.3 * room };
            let height = size_of(&facts.report).y * self.size / extent.max(f32::MIN_POSITIVE);
            self.position[1] = self.region.max.y + 0.55 * height;
        }
        (self.facts, self.reading) = (Some(facts), None);
    }

    fn show_facts(&self, ui: &mut egui::Ui, facts: &Facts, scene: &Scene) {
        let report = &facts.report;
        let size = size_of(report);
        let row = |ui: &mut egui::Ui, name: &str, value: String| {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        };
        egui::Grid::new("mesh facts").num_columns(2).show(ui, |ui| {
            row(ui, "triangles", report.triangles.to_string());
            row(ui, "size in the file", format!("{:.4} x {:.4} x {:.4} m", size.x, size.y, size.z));
            row(ui, "parts", report.components.to_string());
            row(ui, "closed", if report.closed { "yes" } else { "no" }.into());
            for (name, count) in [
                ("open edges", report.open_edges),
                ("edges of three triangles or more", report.non_manifold_edges),
                ("inverted triangles", report.inverted_triangles),
                ("triangles without area", report.degenerate_triangles),
            ] {
                if count > 0 {
                    row(ui, name, count.to_string());
                }
            }
            if let Ok(solid) = &facts.solid {
                let scale = f64::from(self.size / size.max_element()).powi(3);
                let volume = solid.volume * scale;
                row(ui, "volume", format!("{volume:.4e} m3"));
                let spacing = 2.0 * scene.reference_radius();
                let extent = size * (self.size / size.max_element());
                match self.role {
                    Role::Filling => row(ui, "grains in it", format!("about {}", room_for(volume, spacing))),
                    Role::Body | Role::Wall => row(ui, "field", field_in_words(extent, spacing)),
                }
                // What is thinner than a grain is wide lets grains through.
                let thin = extent.min_element() / spacing;
                row(ui, "thinnest extent", format!("{thin:.1} diameters of grains"));
            }
        });
        match &facts.solid {
            Ok(_) if report.sound => {}
            Ok(_) => _ = ui.label("Small faults are repaired when it is used."),
            Err(error) => {
                _ = ui.colored_label(ui.visuals().error_fg_color, format!("It is no solid: {error}"))
            }
        }
    }

    fn choices(&mut self, ui: &mut egui::Ui) {
        for (role, name) in Role::ALL {
            ui.radio_value(&mut self.role, role, name);
        }
        if self.role == Role::Wall {
            ui.checkbox(&mut self.hollow, "Grains live inside it");
        }
        let number = |ui: &mut egui::Ui, value: &mut f32, name: &str, least: f32| {
            let drag = egui::DragValue::new(value).speed(0.005).suffix(" m").range(least..=1e4);
            let response = ui.add(drag);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name));
        };
        ui.horizontal(|ui| {
            ui.label("Largest extent");
            number(ui, &mut self.size, "Largest extent of the mesh", 1e-6);
        });
        ui.horizontal(|ui| {
            ui.label("Middle");
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                number(ui, &mut self.position[axis], &format!("Middle of the mesh, {name}"), -1e4);
            }
        });
    }

    /// The entry of the scene that it becomes.
    fn entry(&self, scene: &Scene) -> Decision {
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        let [x, y, z] = self.position;
        let hollow = if self.role == Role::Wall && self.hollow { ", hollow = true" } else { "" };
        let file = quoted(&self.path.display().to_string());
        let size = self.size;
        let mesh =
            format!("{{ mesh = {{ file = {file}, size = {size}, position = [{x}, {y}, {z}]{hollow} }} }}");
        let name = quoted(&self.free_name(scene));
        match self.role {
            Role::Body => Decision::Entry("body", format!("{{ name = {name}, shape = {mesh} }}")),
            Role::Wall => Decision::Entry("boundary", format!("{{ name = {name}, shape = {mesh} }}")),
            Role::Filling => {
                let material = scene.material.first().map_or("", |material| material.name.as_str());
                let material = quoted(material);
                Decision::Entry("grains", format!("{{ material = {material}, shape = {mesh} }}"))
            }
        }
    }

    /// The file's name, with a number where the scene has such a name.
    fn free_name(&self, scene: &Scene) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().replace('.', "-");
        let bodies = scene.body.iter().map(|body| &body.name);
        let names: Vec<&String> = scene.boundary.iter().map(|wall| &wall.name).chain(bodies).collect();
        let numbered = (2..).map(|k| format!("{stem}-{k}"));
        let mut free = std::iter::once(stem.clone()).chain(numbered);
        free.find(|name| !names.contains(&name)).unwrap_or(stem)
    }
}

fn size_of(report: &MeshReport) -> Vec3 {
    Vec3::from(report.max) - Vec3::from(report.min)
}

/// How many grains, a spacing \[m\] apart, fill a volume \[m3\].
fn room_for(volume: f64, spacing: f32) -> u64 {
    (volume / f64::from(spacing).powi(3)).round() as u64
}

/// The grid of distances that stands for a mesh of an extent \[m\] among grains of a diameter \[m\], two supports of two diameters
/// beyond it on every side.
fn field_in_words(extent: Vec3, diameter: f32) -> String {
    let bounds = geometry::Bounds { min: Vec3::ZERO, max: extent };
    let cell = VolumeMap::default_cell(diameter);
    match Grid::around(bounds, cell, 4.0 * diameter) {
        // Two numbers of four bytes per node.
        Ok(grid) => {
            let megabytes = 8e-6 * grid.node_count() as f64;
            let [x, y, z] = grid.nodes.to_array();
            format!("{x} x {y} x {z} nodes, {:.1} mm apart, {megabytes:.1} MB", 1e3 * cell)
        }
        Err(error) => error.to_string(),
    }
}

/// What a file holds.
fn facts(path: &Path) -> Result<Facts, String> {
    let mesh = load_mesh(path, &MeshOptions::default()).map_err(|error| error.to_string())?;
    let solid = repair(&mesh).and_then(|(repaired, report)| {
        report.require_closed()?;
        let volume = MassProperties::new(&repaired, 1.0)?.volume;
        let bounds = repaired.bounds().unwrap_or(geometry::Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
        Ok(SolidMesh { volume, bounds, tree: Arc::new(MeshTree::new(&repaired)) })
    });
    Ok(Facts { report: inspect(&mesh), solid: solid.map_err(|error| error.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_and_grains_follow_from_extent_and_diameter() {
        // 0.099 m and 0.08 m on both sides in cells of 0.01 m: 26 cells, 27 nodes.
        assert_eq!(field_in_words(Vec3::splat(0.099), 0.02), "27 x 27 x 27 nodes, 10.0 mm apart, 0.2 MB");
        assert!(field_in_words(Vec3::splat(1e4), 1e-3).contains("nodes"), "refused, and says why");
        assert_eq!(room_for(1e-3, 0.02), 125);
    }
}
