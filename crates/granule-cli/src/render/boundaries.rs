//! Walls and ground of a scene as things to draw.

use glam::Vec3;
use granule::Scene;
use granule::boundary::{Motion, Sdf, Shape};
use granule_render::{Bounds, Line, Vertex, pack_color, wire_box};

use super::surface::surface;
use crate::failure::Failure;

/// Opacity of walls: what is behind them matters more.
const WALL_OPACITY: f32 = 0.14;
/// Width of the edges of containers [pixels].
const EDGE_WIDTH: f32 = 1.5;
/// How far walls are shown beyond the grains, relative to the grains' extent.
const SURROUNDINGS: f32 = 0.08;

/// The walls of a scene.
pub struct Walls {
    walls: Vec<Wall>,
    ground: Option<f32>,
}

struct Wall {
    sdf: Sdf,
    motion: Option<Motion>,
    containers: Vec<Bounds>,
}

/// Walls as lines and triangles.
#[derive(Default)]
pub struct Scenery {
    /// Edges of containers.
    pub lines: Vec<Line>,
    /// See-through surfaces.
    pub triangles: Vec<Vertex>,
}

impl Walls {
    /// Compiles the boundaries of a scene. A level floor becomes the ground; without one, the ground lies under all
    /// containers and bounded solids.
    pub fn new(scene: &Scene) -> Result<Self, Failure> {
        let mut walls = Vec::new();
        let mut floors = Vec::new();
        for boundary in &scene.boundary {
            if let (Some(height), None) = (floor_height(&boundary.shape), &boundary.motion) {
                floors.push(height);
                continue;
            }
            let sdf =
                Sdf::new(&boundary.shape).map_err(|error| Failure::Input(format!("boundary: {error}")))?;
            let mut containers = Vec::new();
            find_containers(&boundary.shape, &mut containers);
            walls.push(Wall { sdf, motion: boundary.motion.clone(), containers });
        }
        let below = walls.iter().filter_map(Wall::lowest).reduce(f32::min);
        let ground = floors.into_iter().reduce(f32::max).or(below);
        Ok(Self { walls, ground })
    }

    /// Height of the ground [m].
    pub fn ground(&self) -> Option<f32> {
        self.ground
    }

    /// The walls around a region, as they are at the beginning; moving ones are drawn whole.
    pub fn meshes(&self, region: &Bounds) -> Vec<Scenery> {
        let extent = SURROUNDINGS * (region.max - region.min).max_element();
        let wide = Bounds { min: region.min - extent, max: region.max + extent };
        self.walls.iter().map(|wall| wall.mesh(&wide)).collect()
    }

    /// The walls at a time [s].
    pub fn at(&self, meshes: &[Scenery], time: f64) -> Scenery {
        let mut scenery = Scenery::default();
        for (wall, mesh) in self.walls.iter().zip(meshes) {
            let Some(motion) = &wall.motion else {
                scenery.lines.extend(&mesh.lines);
                scenery.triangles.extend(&mesh.triangles);
                continue;
            };
            let pose = motion.pose(time);
            let place = |x: [f32; 3]| pose.world_from_body(x.into()).to_array();
            scenery.lines.extend(mesh.lines.iter().map(|line| Line {
                from: place(line.from),
                to: place(line.to),
                ..*line
            }));
            scenery.triangles.extend(mesh.triangles.iter().map(|corner| Vertex {
                position: place(corner.position),
                normal: (pose.rotation * Vec3::from(corner.normal)).to_array(),
                ..*corner
            }));
        }
        scenery
    }
}

impl Wall {
    /// The lowest point of a bounded solid or of a container [m].
    fn lowest(&self) -> Option<f32> {
        let solid = self.sdf.bounds().map(|(min, _)| min.y);
        self.containers.iter().map(|container| container.min.y).chain(solid).reduce(f32::min)
    }

    fn mesh(&self, region: &Bounds) -> Scenery {
        let whole = self.sdf.bounds().filter(|_| self.motion.is_some());
        let region = whole.map_or(*region, |(min, max)| {
            let room = 0.02 * (max - min).max_element();
            Bounds { min: min - room, max: max + room }
        });
        let edge = pack_color(Vec3::splat(0.12), 0.7);
        let wall = pack_color(Vec3::new(0.55, 0.66, 0.74), WALL_OPACITY);
        Scenery {
            lines: self
                .containers
                .iter()
                .flat_map(|container| wire_box(container, EDGE_WIDTH, edge))
                .collect(),
            triangles: surface(&self.sdf, &region, wall),
        }
    }
}

/// Height of a level floor [m].
fn floor_height(shape: &Shape) -> Option<f32> {
    match shape {
        Shape::Plane { point, normal: [x, y, z] } if *x == 0.0 && *z == 0.0 && *y > 0.0 => Some(point[1]),
        _ => None,
    }
}

/// Boxes that hold grains, for their edges.
fn find_containers(shape: &Shape, containers: &mut Vec<Bounds>) {
    match shape {
        Shape::Box { min, max, hollow: true } => {
            containers.push(Bounds { min: Vec3::from(*min), max: Vec3::from(*max) });
        }
        Shape::Union(parts) => parts.iter().for_each(|part| find_containers(part, containers)),
        _ => {}
    }
}
