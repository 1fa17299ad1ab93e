//! A slice through a mesh, as solvers will see it: its distances at the resolution of their grid, or the grains that fill it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use egui::Color32;
use glam::{UVec2, Vec2, Vec3};
use granule::geometry::{Bounds, MeshTree};

/// Longer side of the picture \[pixels\].
const PIXELS: f32 = 240.0;
/// Nodes along the longer side, at most: finer grids look the same.
const MOST_NODES: f32 = 200.0;
/// How far the picture goes beyond the mesh, as a share of its largest extent.
const MARGIN: f32 = 0.08;

/// A mesh that encloses a volume.
#[derive(Clone, Debug)]
pub struct SolidMesh {
    /// Volume \[m3\].
    pub volume: f64,
    /// Around all triangles \[m\].
    pub bounds: Bounds,
    /// Its triangles.
    pub tree: Arc<MeshTree>,
}

/// What is cut, all lengths in those of the mesh's file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Axis that the plane lies across: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Where it is, 0 to 1 from one end of the mesh to the other.
    pub share: f32,
    /// Distance of the field's nodes \[m\].
    pub cell: f32,
    /// Radius of the grains that fill the mesh \[m\], where they are shown.
    pub grain_radius: Option<f32>,
}

/// The picture of a slice, drawn on a thread of its own whenever something else is to be cut.
#[derive(Default)]
pub struct SliceView {
    shown: Option<(Cut, egui::TextureHandle)>,
    drawing: Option<(Cut, Receiver<egui::ColorImage>)>,
}

impl SliceView {
    /// Shows a slice, or the one before until it is drawn.
    pub fn show(&mut self, ui: &mut egui::Ui, solid: &SolidMesh, cut: Cut) {
        self.hear(ui.ctx());
        let current = self.shown.as_ref().is_some_and(|(shown, _)| *shown == cut);
        if !current && self.drawing.is_none() {
            let (sender, receiver) = channel();
            let solid = solid.clone();
            thread::spawn(move || {
                // Nobody is there to see it once the question is closed.
                let _ = sender.send(picture(&solid, cut));
            });
            self.drawing = Some((cut, receiver));
        }
        let room = egui::Vec2::splat(PIXELS);
        match &self.shown {
            Some((shown, texture)) => {
                let name =
                    if shown.grain_radius.is_some() { "Slice of its grains" } else { "Slice of its field" };
                let image = egui::Image::new((texture.id(), texture.size_vec2()));
                let response = ui.add_sized(room, image);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, name));
            }
            None => _ = ui.add_sized(room, egui::Label::new("drawing")),
        }
    }

    fn hear(&mut self, ctx: &egui::Context) {
        let Some((cut, receiver)) = &self.drawing else { return };
        if let Ok(image) = receiver.try_recv() {
            let texture = ctx.load_texture("slice of a mesh", image, egui::TextureOptions::NEAREST);
            self.shown = Some((*cut, texture));
            self.drawing = None;
        }
    }
}

/// A plane with places in the picture's order: from the left, from above.
struct Plane {
    origin: Vec3,
    right: Vec3,
    down: Vec3,
    extent: Vec2,
}

impl Plane {
    /// The plane of a cut through bounds, with some room around.
    fn new(bounds: Bounds, cut: Cut) -> Self {
        let (across, up) = match cut.axis {
            0 => (2, 1),
            1 => (0, 2),
            _ => (0, 1),
        };
        let margin = MARGIN * bounds.size().max_element();
        let (min, max) = (bounds.min - margin, bounds.max + margin);
        let mut origin = min;
        origin[up] = max[up];
        origin[cut.axis] = bounds.min[cut.axis] + cut.share * bounds.size()[cut.axis];
        let extent = Vec2::new((max - min)[across], (max - min)[up]).max(Vec2::splat(f32::MIN_POSITIVE));
        Self { origin, right: Vec3::AXES[across], down: -Vec3::AXES[up], extent }
    }

    fn place(&self, at: Vec2) -> Vec3 {
        self.origin + at.x * self.right + at.y * self.down
    }
}

/// Distances at nodes in a plane.
struct Nodes {
    cell: f32,
    count: UVec2,
    distance: Vec<f32>,
}

impl Nodes {
    fn new(tree: &MeshTree, plane: &Plane, cell: f32) -> Self {
        let cell = cell.max(plane.extent.max_element() / MOST_NODES);
        let count = (plane.extent / cell).ceil().as_uvec2() + 2;
        let mut hint = 0;
        let mut distance = Vec::with_capacity((count.x * count.y) as usize);
        for y in 0..count.y {
            for x in 0..count.x {
                let found = tree.signed(plane.place(cell * Vec2::new(x as f32, y as f32)), hint);
                distance.push(found.0);
                hint = found.2;
            }
        }
        Self { cell, count, distance }
    }

    /// The distance between nodes, as a grid gives it.
    fn at(&self, place: Vec2) -> f32 {
        let scaled = (place / self.cell).clamp(Vec2::ZERO, (self.count - 2).as_vec2());
        let (node, part) = (scaled.floor().as_uvec2(), scaled.fract());
        let row = |y: u32| {
            let first = (y * self.count.x + node.x) as usize;
            self.distance[first] + part.x * (self.distance[first + 1] - self.distance[first])
        };
        row(node.y) + part.y * (row(node.y + 1) - row(node.y))
    }
}

/// Centres of the grains in the layer of a cubic lattice that is nearest to a plane, in the plane \[m\]; the lattice is that of
/// fills: centred across, standing on the lowest point.
fn layer(solid: &SolidMesh, plane: &Plane, axis: usize, radius: f32) -> Vec<Vec2> {
    let (bounds, spacing) = (solid.bounds, 2.0 * radius);
    let count = (bounds.size() / spacing + 1e-3).floor().max(Vec3::ONE);
    if count.max_element() > MOST_NODES {
        return Vec::new();
    }
    let mut first = bounds.center() - 0.5 * spacing * (count - 1.0);
    first.y = bounds.min.y + radius;
    let level = ((plane.origin[axis] - first[axis]) / spacing).round().clamp(0.0, count[axis] - 1.0);
    let (mut centers, mut hint) = (Vec::new(), 0);
    let count = count.as_uvec3();
    for (x, y, z) in (0..count.z)
        .flat_map(|z| (0..count.y).flat_map(move |y| (0..count.x).map(move |x| (x, y, z))))
        .filter(|&(x, y, z)| [x, y, z][axis] == level as u32)
    {
        let center = first + spacing * Vec3::new(x as f32, y as f32, z as f32);
        let found = solid.tree.signed(center, hint);
        hint = found.2;
        if found.0 <= -0.999 * radius {
            let off = center - plane.origin;
            centers.push(Vec2::new(off.dot(plane.right), off.dot(plane.down)));
        }
    }
    centers
}

/// Draws a slice: inside warm, outside cool, lines a cell apart, the surface black; grains as discs.
fn picture(solid: &SolidMesh, cut: Cut) -> egui::ColorImage {
    let plane = Plane::new(solid.bounds, cut);
    let nodes = Nodes::new(&solid.tree, &plane, cut.cell);
    let pixel = plane.extent.max_element() / PIXELS;
    let size = (plane.extent / pixel).ceil().as_uvec2().max(UVec2::ONE);
    let far = 0.25 * plane.extent.max_element();
    let color = |place: Vec2| {
        let distance = nodes.at(place);
        if distance.abs() < 0.8 * pixel {
            return Color32::BLACK;
        }
        let deep = (distance.abs() / far).min(1.0);
        let line = if (distance / nodes.cell).rem_euclid(1.0) * nodes.cell < pixel { 0.88 } else { 1.0 };
        let (near, other) = if distance < 0.0 {
            ([236, 178, 110], [150, 84, 40])
        } else {
            ([214, 228, 240], [120, 150, 184])
        };
        let [r, g, b] =
            [0, 1, 2].map(|k| (line * (near[k] as f32 + deep * (other[k] as f32 - near[k] as f32))) as u8);
        Color32::from_rgb(r, g, b)
    };
    let center = |x: u32, y: u32| pixel * (Vec2::new(x as f32, y as f32) + 0.5);
    let mut pixels: Vec<Color32> = (0..size.y)
        .flat_map(|y| (0..size.x).map(move |x| (x, y)))
        .map(|(x, y)| color(center(x, y)))
        .collect();
    if let Some(radius) = cut.grain_radius {
        for grain in layer(solid, &plane, cut.axis, radius) {
            let reach = Vec2::splat(radius);
            let low = ((grain - reach) / pixel).floor().max(Vec2::ZERO).as_uvec2();
            let high = ((grain + reach) / pixel).ceil().as_uvec2().min(size - 1);
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    if center(x, y).distance(grain) < radius - 0.5 * pixel {
                        pixels[(y * size.x + x) as usize] = Color32::from_rgb(70, 50, 30);
                    }
                }
            }
        }
    }
    egui::ColorImage::new([size.x as usize, size.y as usize], pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule::geometry::builtin_mesh;

    fn sphere() -> SolidMesh {
        let mesh = builtin_mesh("sphere").unwrap();
        let bounds = mesh.bounds().unwrap();
        SolidMesh { volume: mesh.signed_volume(), bounds, tree: Arc::new(MeshTree::new(&mesh)) }
    }

    fn is_warm(color: Color32) -> bool {
        color.r() > color.b()
    }

    /// Warm pixels of a slice are those inside: a disc of the sphere's size in the middle, a smaller one beside it.
    #[test]
    fn a_slice_of_a_sphere_is_a_disc_of_its_size() {
        let solid = sphere();
        let radius = 0.5 * solid.bounds.size().x;
        for (axis, share) in [(0, 0.5), (1, 0.5), (2, 0.5), (2, 0.2)] {
            let image = picture(&solid, Cut { axis, share, cell: 0.05 * radius, grain_radius: None });
            let [width, height] = image.size;
            let inside = image.pixels.iter().filter(|color| is_warm(**color)).count() as f32;
            let pixel = (1.0 + 2.0 * MARGIN) * 2.0 * radius / PIXELS;
            let off = (2.0 * share - 1.0) * radius;
            let disc = std::f32::consts::PI * (radius * radius - off * off) / (pixel * pixel);
            assert!((inside / disc - 1.0).abs() < 0.06, "{axis} {share}: {inside} pixels of {disc}");
            assert!(is_warm(image.pixels[height / 2 * width + width / 2]) && !is_warm(image.pixels[0]));
        }
    }

    /// A grid as coarse as the sphere does not know its shape.
    #[test]
    fn a_coarse_field_shows_what_the_solver_would_see() {
        let solid = sphere();
        let size = solid.bounds.size().x;
        let inside = |cell: f32| {
            let image = picture(&solid, Cut { axis: 2, share: 0.5, cell, grain_radius: None });
            image.pixels.iter().filter(|color| is_warm(**color)).count()
        };
        assert!(inside(0.7 * size) < inside(0.02 * size) * 9 / 10);
    }

    #[test]
    fn grains_fill_a_slice_without_touching_the_surface() {
        let solid = sphere();
        let radius = 0.05 * solid.bounds.size().x;
        let cut = Cut { axis: 2, share: 0.5, cell: radius, grain_radius: Some(radius) };
        let plane = Plane::new(solid.bounds, cut);
        let centers = layer(&solid, &plane, 2, radius);
        assert!((50..80).contains(&centers.len()), "{} of 78 squares", centers.len());
        let middle = 0.5 * plane.extent;
        assert!(
            centers.iter().all(|center| center.distance(middle) < 0.5 * solid.bounds.size().x - 0.9 * radius)
        );
        let dark = picture(&solid, cut).pixels.iter().filter(|color| color.r() == 70).count();
        assert!(dark > 5000, "{dark}");
    }
}
