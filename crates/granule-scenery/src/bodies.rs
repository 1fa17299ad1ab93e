//! Rigid bodies as things to draw.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use granule::Scene;
use granule::boundary::{MeshShape, Pose, Sdf, Shape};
use granule::geometry::{TriangleMesh, shapes};
use granule::scene::BodySettings;
use granule_render::{Bounds, Mesh, MeshInstance, Vertex, pack_color};

use crate::SceneryError;
use crate::surface::{WALL_CELLS, surface};

/// Edges sharper than this are drawn sharp \[radians\].
const CREASE: f32 = 0.6;

/// The bodies of a scene.
pub struct BodyModels {
    models: Vec<Model>,
}

struct Model {
    name: String,
    mesh: Arc<Mesh>,
    color: Vec3,
}

impl BodyModels {
    /// The bodies of a scene, ready to be placed.
    ///
    /// # Errors
    /// Names the body that has no surface or no file.
    pub fn new(scene: &Scene) -> Result<Self, SceneryError> {
        Ok(Self { models: scene.body.iter().map(Model::new).collect::<Result<_, _>>()? })
    }

    /// Whether the scene has no bodies.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// The bodies where `pose` says; where it does not, as they are described.
    pub fn at(&self, pose: impl Fn(&str) -> Option<Pose>) -> Vec<MeshInstance> {
        let instance = |model: &Model| {
            let pose = pose(&model.name).unwrap_or(Pose::IDENTITY);
            MeshInstance {
                mesh: Arc::clone(&model.mesh),
                world_from_body: Affine3A::from_rotation_translation(pose.rotation, pose.translation),
                color: model.color,
                opacity: 1.0,
            }
        };
        self.models.iter().map(instance).collect()
    }
}

impl Model {
    fn new(body: &BodySettings) -> Result<Self, SceneryError> {
        let wrong = |reason: String| SceneryError::Body { name: body.name.clone(), reason };
        let (mesh, colored) = match &body.shape {
            Shape::Mesh(shape) => {
                let mesh = shape.load_as_drawn().map_err(|error| wrong(error.to_string()))?;
                let colored = !mesh.material.is_empty();
                (of_triangles(&mesh).map_err(wrong)?, colored)
            }
            Shape::Box { min, max, hollow: false } => {
                let (min, max) = (Vec3::from(*min), Vec3::from(*max));
                let mut mesh = shapes::cuboid(max - min);
                mesh.position.iter_mut().for_each(|corner| *corner += 0.5 * (min + max));
                (of_triangles(&mesh).map_err(wrong)?, false)
            }
            shape => {
                let sdf = Sdf::new(shape).map_err(|error| wrong(error.to_string()))?;
                let (min, max) = sdf.bounds().ok_or_else(|| wrong("it has no bounds".into()))?;
                let mesh = surface(&sdf, &Bounds { min, max }, WALL_CELLS);
                (mesh.ok_or_else(|| wrong("it has no surface".into()))?, false)
            }
        };
        let color = if colored { Vec3::ONE } else { Vec3::from(body.albedo) };
        Ok(Self { name: body.name.clone(), mesh, color })
    }
}

/// A mesh with its own base colours.
fn of_triangles(mesh: &TriangleMesh) -> Result<Arc<Mesh>, String> {
    let positions: Vec<[f32; 3]> = mesh.position.iter().map(|corner| corner.to_array()).collect();
    let plain =
        Mesh::from_positions(&positions, &mesh.triangle, CREASE).map_err(|error| error.to_string())?;
    if mesh.triangle_material.is_empty() {
        return Ok(plain);
    }
    // Three corners of its own per triangle, in the order of the triangles.
    let color = |triangle: usize| {
        let material = mesh.triangle_material.get(triangle).and_then(|k| mesh.material.get(*k as usize));
        let [r, g, b, _] = material.map_or([1.0; 4], |material| material.base_color);
        pack_color(Vec3::new(r, g, b), 1.0)
    };
    let vertices = plain.vertices().iter().enumerate();
    let vertices = vertices.map(|(k, vertex)| Vertex { color: color(k / 3), ..*vertex }).collect();
    Mesh::new(vertices, plain.triangles().to_vec()).map_err(|error| error.to_string())
}

/// The mesh of a boundary that is one, for a sharper picture than its distances give.
pub(crate) fn mesh_of_wall(shape: &MeshShape) -> Option<Arc<Mesh>> {
    of_triangles(&shape.load_as_drawn().ok()?).ok()
}
