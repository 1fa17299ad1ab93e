//! Walls and ground of a scene as things to draw.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use granule::Scene;
use granule::boundary::{Motion, Pose, Sdf, Shape};
use granule_render::{Bounds, Line, Mesh, MeshInstance, pack_color, wire_box};

use crate::SceneryError;
use crate::bodies::mesh_of_wall;
use crate::surface::{WALL_CELLS, surface};

/// Opacity of walls: what is behind them matters more.
const WALL_OPACITY: f32 = 0.14;
/// Linear colour of walls.
const WALL_COLOR: Vec3 = Vec3::new(0.55, 0.66, 0.74);
/// Width of the edges of containers \[pixels\].
const EDGE_WIDTH: f32 = 1.5;
/// How far walls are shown beyond the grains, relative to the grains' extent.
const SURROUNDINGS: f32 = 0.08;

/// The walls of a scene.
pub struct Walls {
    walls: Vec<Wall>,
    ground: Option<f32>,
}

struct Wall {
    /// Place in the scene's list of boundaries.
    index: usize,
    sdf: Sdf,
    motion: Option<Motion>,
    containers: Vec<Bounds>,
    /// The mesh that it is, for those that are one.
    drawn: Option<Arc<Mesh>>,
}

/// A wall as lines and triangles, in its own axes.
pub struct WallShape {
    lines: Vec<Line>,
    mesh: Option<Arc<Mesh>>,
}

/// Walls as lines and transparent meshes.
#[derive(Default)]
pub struct Scenery {
    /// Edges of containers.
    pub lines: Vec<Line>,
    /// Transparent surfaces.
    pub meshes: Vec<MeshInstance>,
}

impl Walls {
    /// Compiles the boundaries of a scene. A level floor becomes the ground; without one, the ground lies under all
    /// containers and bounded solids.
    ///
    /// # Errors
    /// Names the boundary that is none.
    pub fn new(scene: &Scene) -> Result<Self, SceneryError> {
        let mut walls = Vec::new();
        let mut floors = Vec::new();
        for (index, boundary) in scene.boundary.iter().enumerate() {
            if let (Some(height), None) = (floor_height(&boundary.shape), &boundary.motion) {
                floors.push(height);
                continue;
            }
            let wrong = |reason: String| SceneryError::Wall { name: boundary.name.clone(), reason };
            let sdf = Sdf::new(&boundary.shape).map_err(|error| wrong(error.to_string()))?;
            let mut containers = Vec::new();
            find_containers(&boundary.shape, &mut containers);
            let drawn = match &boundary.shape {
                Shape::Mesh(mesh) => mesh_of_wall(mesh),
                _ => None,
            };
            walls.push(Wall { index, sdf, motion: boundary.motion.clone(), containers, drawn });
        }
        let below = walls.iter().filter_map(Wall::lowest).reduce(f32::min);
        let ground = floors.into_iter().reduce(f32::max).or(below);
        Ok(Self { walls, ground })
    }

    /// Height of the ground \[m\].
    pub fn ground(&self) -> Option<f32> {
        self.ground
    }

    /// The walls around a region, as they are at the beginning; moving ones are drawn whole.
    pub fn shapes(&self, region: &Bounds) -> Vec<WallShape> {
        let extent = SURROUNDINGS * (region.max - region.min).max_element();
        let wide = Bounds { min: region.min - extent, max: region.max + extent };
        self.walls.iter().map(|wall| wall.shape(&wide)).collect()
    }

    /// The walls at a time \[s\], as their keyframes lead them.
    pub fn at_time(&self, shapes: &[WallShape], time: f64) -> Scenery {
        self.place(shapes, |wall| wall.motion.as_ref().map(|motion| motion.pose(time)))
    }

    /// The walls at the poses that a simulation gives, one for each boundary of the scene.
    pub fn at_poses(&self, shapes: &[WallShape], poses: &[Pose]) -> Scenery {
        self.place(shapes, |wall| poses.get(wall.index).copied())
    }

    fn place(&self, shapes: &[WallShape], pose: impl Fn(&Wall) -> Option<Pose>) -> Scenery {
        let mut scenery = Scenery::default();
        for (wall, shape) in self.walls.iter().zip(shapes) {
            let world_from_body = pose(wall).map_or(Affine3A::IDENTITY, |pose| {
                Affine3A::from_rotation_translation(pose.rotation, pose.world_from_body(Vec3::ZERO))
            });
            let place = |x: [f32; 3]| world_from_body.transform_point3(x.into()).to_array();
            scenery.lines.extend(shape.lines.iter().map(|line| Line {
                from: place(line.from),
                to: place(line.to),
                ..*line
            }));
            scenery.meshes.extend(shape.mesh.iter().map(|mesh| MeshInstance {
                mesh: Arc::clone(mesh),
                world_from_body,
                color: WALL_COLOR,
                opacity: WALL_OPACITY,
            }));
        }
        scenery
    }
}

impl Wall {
    /// The lowest point of a bounded solid or of a container \[m\].
    fn lowest(&self) -> Option<f32> {
        let solid = self.sdf.bounds().map(|(min, _)| min.y);
        self.containers.iter().map(|container| container.min.y).chain(solid).reduce(f32::min)
    }

    fn shape(&self, region: &Bounds) -> WallShape {
        let whole = self.sdf.bounds().filter(|_| self.motion.is_some());
        let region = whole.map_or(*region, |(min, max)| {
            let room = 0.02 * (max - min).max_element();
            Bounds { min: min - room, max: max + room }
        });
        let edge = pack_color(Vec3::splat(0.12), 0.7);
        WallShape {
            lines: self
                .containers
                .iter()
                .flat_map(|container| wire_box(container, EDGE_WIDTH, edge))
                .collect(),
            mesh: self.drawn.clone().or_else(|| surface(&self.sdf, &region, WALL_CELLS)),
        }
    }
}

/// Height of a level floor \[m\].
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
