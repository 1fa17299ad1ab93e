//! Solids as a table that shaders evaluate.
//!
//! WGSL has no recursion, so a tree of unions and intersections becomes a list of solids, each an intersection of parts,
//! each part a union of primitives. Faces keep the numbers that the engine gives them.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use granule::boundary::{Facets, GRID_ERROR, Pose, SampledMap, Sdf, Solid};
use granule::sph::WallTable;

use crate::{GpuError, facets};

/// Most primitives that one boundary may turn into.
const MOST_PRIMITIVES: usize = 4096;

/// Cells of the wall table, as in wall_table.wgsl.
pub const TABLE_CELLS: usize = 1024;

const HOLLOW: u32 = 256;
const TOUCHES_AXIS: u32 = 512;
const CONTAINER: u32 = 1024;
const MAP: u32 = 5;

/// Where the numbers of a mesh say where its triangles are.
const FACETS: usize = 4;

/// A primitive with the number of its first face.
#[derive(Clone, Debug)]
struct Primitive {
    kind: u32,
    face: u32,
    edges: u32,
    numbers: Vec<[f32; 4]>,
    /// A mesh.
    mesh: Option<Mesh>,
}

/// A mesh: its map, its triangles, and where it lies in the frame of the shape.
#[derive(Clone, Debug)]
struct Mesh {
    map: Arc<SampledMap>,
    facets: Arc<Facets>,
    pose: Pose,
}

/// A union of primitives.
type UnionOf = Vec<Primitive>;

/// An intersection of unions, and the number of the first edge in which they meet.
#[derive(Clone, Debug)]
struct Intersection {
    parts: Vec<UnionOf>,
    edge_face: u32,
}

/// A table of records of 16 bytes.
#[derive(Clone, Debug, Default)]
pub struct SolidTable {
    /// Records.
    pub records: Vec<[u32; 4]>,
    /// Maps of meshes with their first node and their first wall.
    maps: Vec<(Arc<SampledMap>, [u32; 2])>,
    /// Meshes with the records of their numbers.
    meshes: Vec<(Mesh, usize)>,
    /// Whether any solid has several parts.
    combined: bool,
}

impl SolidTable {
    /// Appends a solid and returns the first and the number of its intersections.
    ///
    /// # Errors
    /// Says that the shape is too involved for a device.
    pub fn push(&mut self, sdf: &Sdf) -> Result<[u32; 2], GpuError> {
        let solids = union_of_intersections(&sdf.solid(), 0)?;
        let first = self.records.len() as u32;
        self.records.resize(self.records.len() + solids.len(), [0; 4]);
        for (k, solid) in solids.iter().enumerate() {
            self.combined |= solid.parts.len() > 1;
            let parts = self.records.len() as u32;
            self.records.resize(self.records.len() + solid.parts.len(), [0; 4]);
            for (p, part) in solid.parts.iter().enumerate() {
                let primitives = self.push_primitives(part);
                self.records[parts as usize + p] = [primitives, part.len() as u32, 0, 0];
            }
            let slack = grid_error(solid).to_bits();
            self.records[first as usize + k] = [parts, solid.parts.len() as u32, solid.edge_face, slack];
        }
        Ok([first, solids.len() as u32])
    }

    fn push_primitives(&mut self, part: &UnionOf) -> u32 {
        let first = self.records.len() as u32;
        self.records.resize(self.records.len() + part.len(), [0; 4]);
        for (k, primitive) in part.iter().enumerate() {
            let mesh = primitive.mesh.as_ref();
            let map = mesh.map(|mesh| (mesh.map.grid().nodes, self.push_map(&mesh.map)));
            let numbers = self.records.len() as u32;
            self.meshes.extend(mesh.map(|mesh| (mesh.clone(), numbers as usize)));
            self.records.extend(primitive.numbers.iter().map(|row| row.map(f32::to_bits)));
            if let Some((nodes, [first_node, first_wall])) = map {
                self.records[numbers as usize + 1] = [nodes.x, nodes.y, nodes.z, first_node];
                self.records[numbers as usize + 3][3] = first_wall;
            }
            self.records[first as usize + k] = [primitive.kind, primitive.face, numbers, primitive.edges];
        }
        first
    }

    /// Appends the triangles of all meshes, for methods that touch them.
    pub fn push_facets(&mut self) {
        let meshes = std::mem::take(&mut self.meshes);
        let mut known: Vec<(&Mesh, [[u32; 4]; 2])> = Vec::new();
        for (mesh, numbers) in &meshes {
            let same = |(other, _): &&(&Mesh, _)| {
                other.pose == mesh.pose
                    && (Arc::ptr_eq(&other.facets, &mesh.facets) || other.facets == mesh.facets)
            };
            let places = match known.iter().find(same) {
                Some((_, places)) => *places,
                None => facets::push(&mut self.records, &mesh.facets.get().data(), &mesh.pose),
            };
            known.push((mesh, places));
            self.records[numbers + FACETS..][..2].copy_from_slice(&places);
        }
        self.meshes = meshes;
    }

    /// Whether there are meshes.
    pub fn has_maps(&self) -> bool {
        !self.maps.is_empty()
    }

    /// Overrides for kernels that find walls: whether there are meshes, and solids of several parts.
    pub fn constants(&self) -> [(&'static str, f64); 2] {
        let flag = |on: bool| f64::from(u8::from(on));
        [("MAPS", flag(self.has_maps())), ("COMBINED", flag(self.combined))]
    }

    /// Appends a map of a mesh, or finds it where another boundary has the same, and returns its first node and wall.
    fn push_map(&mut self, map: &Arc<SampledMap>) -> [u32; 2] {
        let same = |(known, _): &&(Arc<SampledMap>, _)| Arc::ptr_eq(known, map) || known == map;
        if let Some((_, places)) = self.maps.iter().find(same) {
            return *places;
        }
        let first_node = self.records.len() as u32;
        for (k, node) in map.nodes().iter().enumerate() {
            let walls = map.walls_of_cells().get(k).copied().unwrap_or(0);
            let slope = node.slope.extend(node.certainty).to_array().map(f32::to_bits);
            self.records.extend([slope, [node.distance.to_bits(), node.excess.to_bits(), walls, 0]]);
        }
        let first_wall = self.records.len() as u32;
        for wall in map.walls() {
            self.records.extend([wall.foot, wall.normal].map(|v| v.extend(0.0).to_array().map(f32::to_bits)));
        }
        self.maps.push((Arc::clone(map), [first_node, first_wall]));
        [first_node, first_wall]
    }

    /// Appends what walls add to the density, four entries per record, and returns the first record.
    pub fn push_wall_table(&mut self, table: &WallTable) -> u32 {
        let first = self.records.len() as u32;
        let support = table.support();
        let entry = |k: usize| {
            let phi = support * (2.0 * k.min(TABLE_CELLS) as f32 / TABLE_CELLS as f32 - 1.0);
            table.lambda(phi).to_bits()
        };
        self.records.extend((0..=TABLE_CELLS / 4).map(|k| [0, 1, 2, 3].map(|c| entry(4 * k + c))));
        first
    }
}

/// How much farther from a solid than the grids of its meshes say walls may be, \[m\].
fn grid_error(solid: &Intersection) -> f32 {
    let meshes = solid.parts.iter().flatten().filter_map(|primitive| primitive.mesh.as_ref());
    meshes.map(|mesh| GRID_ERROR * mesh.map.grid().cell).fold(0.0, f32::max)
}

/// A tree as a union of intersections of unions.
fn union_of_intersections(solid: &Solid, face: u32) -> Result<Vec<Intersection>, GpuError> {
    match solid {
        Solid::Union(parts) => {
            let mut all = Vec::new();
            for (part, first_face) in parts {
                all.extend(union_of_intersections(part, face + u32::from(*first_face))?);
            }
            Ok(all)
        }
        _ => {
            let edge_face = match solid {
                Solid::Intersection { edge_face, .. } => face + u32::from(*edge_face),
                _ => 0,
            };
            Ok(vec![Intersection { parts: intersection_of_unions(solid, face)?, edge_face }])
        }
    }
}

/// A tree as an intersection of unions: a union of intersections is multiplied out.
fn intersection_of_unions(solid: &Solid, face: u32) -> Result<Vec<UnionOf>, GpuError> {
    let mut product: Vec<UnionOf> = match solid {
        Solid::Intersection { parts, .. } => {
            let mut all = Vec::new();
            for (part, first_face) in parts {
                all.extend(intersection_of_unions(part, face + u32::from(*first_face))?);
            }
            all
        }
        Solid::Union(parts) => {
            let mut product = vec![UnionOf::new()];
            for (part, first_face) in parts {
                let factors = intersection_of_unions(part, face + u32::from(*first_face))?;
                let joined = |so_far: &UnionOf, factor: &UnionOf| {
                    so_far.iter().chain(factor).cloned().collect::<UnionOf>()
                };
                product = product
                    .iter()
                    .flat_map(|so_far| factors.iter().map(move |factor| joined(so_far, factor)))
                    .collect();
                check_size(&product)?;
            }
            product
        }
        primitive => vec![vec![primitive_of(primitive, face)]],
    };
    product.retain(|part| !part.is_empty());
    check_size(&product)?;
    Ok(product)
}

fn check_size(parts: &[UnionOf]) -> Result<(), GpuError> {
    let count: usize = parts.iter().map(Vec::len).sum();
    if count > MOST_PRIMITIVES { Err(GpuError::Shape { count, most: MOST_PRIMITIVES }) } else { Ok(()) }
}

fn primitive_of(solid: &Solid, face: u32) -> Primitive {
    let row = |v: Vec3, w: f32| [v.x, v.y, v.z, w];
    let flag = |hollow: bool| if hollow { HOLLOW } else { 0 };
    let mut mesh = None;
    let (kind, edges, numbers) = match solid {
        Solid::HalfSpace { point, normal } => (0, 0, vec![row(*point, 0.0), row(*normal, 0.0)]),
        Solid::Block { min, max, hollow } => (1 | flag(*hollow), 0, vec![row(*min, 0.0), row(*max, 0.0)]),
        Solid::Ball { center, radius, hollow } => {
            (2 | flag(*hollow), 0, vec![row(*center, *radius), [0.0; 4]])
        }
        Solid::Pill { from, axis, length, radius, hollow } => {
            (3 | flag(*hollow), 0, vec![row(*from, *radius), row(*axis, *length)])
        }
        Solid::Profile { origin, axis, edges, touches_axis, hollow } => {
            let pair = |a: Vec2, b: Vec2| [a.x, a.y, b.x, b.y];
            let rows =
                edges.iter().flat_map(|e| [pair(e.start, e.along), [e.normal.x, e.normal.y, e.length, 0.0]]);
            let numbers = [row(*origin, 0.0), row(*axis, 0.0)].into_iter().chain(rows).collect();
            let touches = if *touches_axis { TOUCHES_AXIS } else { 0 };
            (4 | flag(*hollow) | touches, edges.len() as u32, numbers)
        }
        Solid::Mesh { map, facets, pose, hollow } => {
            mesh = Some(Mesh { map: Arc::clone(map), facets: Arc::clone(facets), pose: *pose });
            let grid = map.grid();
            let numbers = vec![
                row(grid.origin, grid.cell),
                [0.0; 4],
                pose.rotation.to_array(),
                row(pose.translation, 0.0),
                [0.0; 4],
                [0.0; 4],
            ];
            (MAP | if *hollow { CONTAINER } else { 0 }, 0, numbers)
        }
        // Combinations are taken apart by the callers.
        Solid::Union(_) | Solid::Intersection { .. } => (0, 0, vec![[0.0; 4]; 2]),
    };
    Primitive { kind, face, edges, numbers, mesh }
}
