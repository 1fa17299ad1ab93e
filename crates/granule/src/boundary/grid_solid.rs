//! A solid whose distances are on a grid: triangle meshes.

use std::sync::{Arc, OnceLock};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::exact::ExactSurface;
use super::motion::Pose;
use super::sdf::Surface;
use crate::geometry::{ContactMesh, FacetContact, Grid, TriangleMesh, VolumeMap};
use crate::sph::{Kernel, WallTable};

/// Walls whose normals differ by less than this cosine's angle are one wall.
const SAME_WALL: f32 = 0.9;
/// Differences shorter than this have lost their direction and are not stretched.
const LEAST_SLOPE: f32 = 0.25;
/// Slopes shorter than this come from between two walls and are no normals.
const RELIABLE_SLOPE: f32 = 0.95;
/// How far from a point its further walls are looked for, relative to the reach of the query.
const PROBE_STEP: f32 = 0.55;
/// Distance within which walls are told apart, relative to the reach: grains touch at a quarter of it, and beyond the
/// wall integral of all is enough.
pub(super) const MEETING_REACH: f32 = 0.6;
/// How far each of two walls must stand in front of the other, relative to the probes' step.
const IN_FRONT: f32 = 0.03;
/// Most walls that meet at a point.
const MOST_WALLS: usize = 4;
/// Bits that hold how many walls a cell has.
const COUNT_BITS: usize = 3;

/// Directions of the probes: along the axes and the diagonals of a cube.
const PROBES: [Vec3; 14] = {
    const D: f32 = 0.577_350_26;
    [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
        Vec3::new(D, D, D),
        Vec3::new(D, D, -D),
        Vec3::new(D, -D, D),
        Vec3::new(D, -D, -D),
        Vec3::new(-D, D, D),
        Vec3::new(-D, D, -D),
        Vec3::new(-D, -D, D),
        Vec3::new(-D, -D, -D),
    ]
};

/// What the nodes of a map are asked for again and again.
#[derive(Clone, Copy, Debug)]
pub struct MapNode {
    /// Unit direction in which the distance grows.
    pub slope: Vec3,
    /// Length of the distance's difference, below 1 between walls.
    pub certainty: f32,
    /// Distance \[m\].
    pub distance: f32,
    /// What the wall integral is more than that of a plane at this distance.
    pub excess: f32,
}

/// A volume map made ready for many samples.
#[derive(Debug)]
pub struct SampledMap {
    map: VolumeMap,
    node: Vec<MapNode>,
    plane: WallTable,
    /// Where the walls of a cell begin in `wall` and how many there are, in the low bits; 0 for cells that see one only.
    walls_of_cell: Vec<u32>,
    /// Walls that meet near a cell.
    wall: Vec<MapWall>,
}

impl PartialEq for SampledMap {
    /// Everything else follows from the map.
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

/// The field at a point of the grid.
struct Field {
    distance: f32,
    direction: Vec3,
    certainty: f32,
    excess: f32,
}

impl SampledMap {
    /// The nodes' places.
    pub fn grid(&self) -> &Grid {
        self.map.grid()
    }

    /// The nodes, x fastest.
    pub fn nodes(&self) -> &[MapNode] {
        &self.node
    }

    /// The walls that meet near the cells: of each cell, by the index of its lowest node, the first one times 8 plus how
    /// many there are; empty where no cell sees more than one wall.
    pub fn walls_of_cells(&self) -> &[u32] {
        &self.walls_of_cell
    }

    /// All walls that meet near cells.
    pub fn walls(&self) -> &[MapWall] {
        &self.wall
    }

    pub(super) fn new(map: VolumeMap, kernel: &Kernel) -> Self {
        let plane = WallTable::new(kernel, 0.5 * kernel.support());
        let grid = map.grid();
        let node = (0..grid.node_count())
            .into_par_iter()
            .map(|k| {
                let [distance, lambda] = map.nodes()[k];
                let difference = grid.difference(&|k| map.nodes()[k][0], grid.node(k));
                let certainty = difference.length();
                let slope = if certainty > LEAST_SLOPE { difference / certainty } else { difference };
                MapNode { slope, certainty, distance, excess: lambda - plane.lambda(distance) }
            })
            .collect();
        let mut sampled = Self { map, node, plane, walls_of_cell: Vec::new(), wall: Vec::new() };
        sampled.find_meeting_walls(kernel.support());
        sampled
    }

    /// Finds the walls that meet near each cell, seen from its middle, for queries of some reach [m].
    fn find_meeting_walls(&mut self, reach: f32) {
        let grid = *self.map.grid();
        let found: Vec<(usize, Vec<MapWall>)> = (0..grid.node_count())
            .into_par_iter()
            .filter_map(|k| {
                let middle = grid.position(grid.node(k)) + 0.5 * grid.cell;
                let walls = self.map.concave_near(middle).then(|| self.meeting_walls(middle, reach))?;
                (walls.len() > 1).then_some((k, walls))
            })
            .collect();
        self.walls_of_cell = vec![0; if found.is_empty() { 0 } else { grid.node_count() }];
        for (k, walls) in found {
            self.walls_of_cell[k] = (self.wall.len() << COUNT_BITS | walls.len()) as u32;
            self.wall.extend(walls);
        }
    }

    /// The walls that meet near a point, as planes, nearest first. Between two walls the field's slope is neither's
    /// normal, so walls are looked for around the point where the slope is reliable.
    fn meeting_walls(&self, point: Vec3, reach: f32) -> Vec<MapWall> {
        let step = PROBE_STEP * reach;
        let places = std::iter::once(point).chain(PROBES.map(|direction| point + step * direction));
        let mut found: Vec<MapWall> = places
            .filter_map(|place| self.reliable_wall(place))
            .map(|wall| wall.seen_from(point))
            // Half a cell's diagonal more, for the points of a cell around its middle.
            .filter(|wall| wall.distance(point) < MEETING_REACH * reach + self.map.grid().cell)
            .collect();
        found.sort_by(|a, b| a.distance(point).total_cmp(&b.distance(point)));
        let mut walls: Vec<MapWall> = Vec::new();
        for wall in found {
            if walls.len() < MOST_WALLS && walls.iter().all(|other| meet(&wall, other, IN_FRONT * step)) {
                walls.push(wall);
            }
        }
        walls
    }

    /// The wall that a place sees, if it sees one only.
    fn reliable_wall(&self, place: Vec3) -> Option<MapWall> {
        if !self.map.grid().bounds().contains(place) {
            return None;
        }
        self.field(place).reliable_wall(place)
    }

    /// The walls that meet near a point of the grid; none where it sees one only.
    #[inline]
    fn walls_near(&self, point: Vec3) -> &[MapWall] {
        if self.walls_of_cell.is_empty() || !self.map.grid().bounds().contains(point) {
            return &[];
        }
        let packed = self.walls_of_cell[self.map.grid().index(self.map.grid().cell_of(point))] as usize;
        let first = packed >> COUNT_BITS;
        &self.wall[first..first + (packed & ((1 << COUNT_BITS) - 1))]
    }

    /// The field at a point of the grid: distances as [`Grid::smooth`](crate::geometry::Grid::smooth) has them.
    #[inline]
    fn field(&self, point: Vec3) -> Field {
        let grid = self.map.grid();
        let (corner, t) = grid.place_of(point);
        let (row, layer) = (grid.nodes.x as usize, grid.nodes.x as usize * grid.nodes.y as usize);
        let first = grid.index(corner);
        let mut field = Field { distance: 0.0, direction: Vec3::ZERO, certainty: 0.0, excess: 0.0 };
        for (z, wz) in [1.0 - t.z, t.z].into_iter().enumerate() {
            for (y, wy) in [1.0 - t.y, t.y].into_iter().enumerate() {
                let pair = &self.node[first + z * layer + y * row..][..2];
                for (x, wx) in [1.0 - t.x, t.x].into_iter().enumerate() {
                    let (node, weight) = (&pair[x], wx * wy * wz);
                    let offset = grid.cell * (t - Vec3::new(x as f32, y as f32, z as f32));
                    field.distance += weight * (node.distance + 0.5 * node.slope.dot(offset));
                    field.direction += weight * node.slope;
                    field.certainty += weight * node.certainty;
                    field.excess += weight * node.excess;
                }
            }
        }
        field
    }

    /// The wall integral where the distance [m] and its excess are known.
    fn lambda(&self, field: &Field) -> f32 {
        (self.plane.lambda(field.distance) + field.excess).clamp(0.0, 1.0)
    }
}

impl Field {
    /// The wall that the point `place` of this field sees, if it sees one only.
    fn reliable_wall(&self, place: Vec3) -> Option<MapWall> {
        let length = self.direction.length();
        if self.certainty.min(length) < RELIABLE_SLOPE {
            return None;
        }
        let normal = self.direction / length;
        Some(MapWall { foot: place - self.distance * normal, normal })
    }
}

/// Cells by which a distance from the grid may be wrong: it is right at nodes, changes by the way from there, and is half
/// slope.
pub const GRID_ERROR: f32 = 3.0;

/// The triangles that the map was made of, for those who ask for exact contacts.
#[derive(Debug)]
pub struct Facets {
    mesh: TriangleMesh,
    ready: OnceLock<ContactMesh>,
}

impl PartialEq for Facets {
    /// Everything else follows from the mesh.
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh
    }
}

impl Facets {
    pub(super) fn new(mesh: TriangleMesh) -> Self {
        Self { mesh, ready: OnceLock::new() }
    }

    /// The mesh that balls touch, in the map's frame; made when it is first asked for.
    pub fn get(&self) -> &ContactMesh {
        self.ready.get_or_init(|| ContactMesh::new(&self.mesh))
    }
}

/// A solid given by its volume map.
#[derive(Clone, Debug)]
pub(super) struct GridSolid {
    pub(super) map: Arc<SampledMap>,
    pub(super) facets: Arc<Facets>,
    /// Where the map's frame lies in that of the shape.
    pub(super) pose: Pose,
    /// Bounds of the mesh in the shape's frame.
    pub(super) bounds: (Vec3, Vec3),
    /// Whether the solid is everything outside the mesh.
    pub(super) hollow: bool,
}

/// A wall seen from a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapWall {
    /// Its nearest point \[m\].
    pub foot: Vec3,
    /// Its unit normal.
    pub normal: Vec3,
}

impl MapWall {
    /// Distance of a point from the wall's plane [m].
    fn distance(&self, point: Vec3) -> f32 {
        (point - self.foot).dot(self.normal)
    }

    /// The same plane with its foot under another point.
    fn seen_from(&self, point: Vec3) -> Self {
        Self { foot: point - self.distance(point) * self.normal, ..*self }
    }
}

impl GridSolid {
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        self.field(self.pose.body_from_world(x)).distance
    }

    /// The field in the map's frame, wherever the point is. Beyond the grid a container is solid, and there is nothing
    /// else.
    fn field(&self, local: Vec3) -> Field {
        let bounds = self.map.map.grid().bounds();
        if bounds.contains(local) {
            return self.map.field(local);
        }
        let (distance, direction) = if self.hollow {
            let inside = local.clamp(bounds.min, bounds.max);
            let outwards = local - inside;
            let (distance, _) = self.map.map.distance(inside);
            (distance - outwards.length(), -outwards.normalize_or(Vec3::Y))
        } else {
            self.map.map.distance(local)
        };
        Field { distance, direction, certainty: 1.0, excess: 0.0 }
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let Field { distance, direction, .. } = self.field(self.pose.body_from_world(x));
        let normal = self.pose.rotation * direction.normalize_or(Vec3::Y);
        Surface::plain(distance, normal, x - distance * normal)
    }

    /// All walls near `x`: the nearest one, and where walls meet at a concave angle each of them. The first one holds
    /// the wall integral of all.
    pub(super) fn surfaces(&self, x: Vec3, reach: f32, emit: &mut impl FnMut(Surface)) {
        let local = self.pose.body_from_world(x);
        let field = self.field(local);
        let distance = field.distance;
        if distance >= reach {
            return;
        }
        let mut walls = [MapWall::default(); MOST_WALLS];
        let count = self.walls(local, &field, reach, &mut walls);
        let lambda = self.map.lambda(&field);
        let derivative = self.map.plane.lambda_derivative(distance);
        for (k, wall) in walls[..count].iter().enumerate() {
            let distance = wall.distance(local);
            let integral = if k == 0 { (lambda, derivative) } else { (0.0, 0.0) };
            let normal = self.pose.rotation * wall.normal;
            emit(Surface {
                distance,
                normal,
                closest: x - distance * normal,
                face: 0,
                lambda: Some(integral),
            });
        }
    }

    /// Whether the surface may be within `reach` \[m\] of a point.
    pub(super) fn may_be_within(&self, x: Vec3, reach: f32) -> bool {
        self.distance(x) < reach + GRID_ERROR * self.map.grid().cell
    }

    /// The faces, edges and vertices that a ball of radius `reach` \[m\] around a point touches. What is deeper inside than
    /// that is pushed out along the grid's slope.
    pub(super) fn facets(
        &self,
        x: Vec3,
        exact: DVec3,
        reach: f32,
        scratch: &mut Vec<FacetContact>,
        out: &mut dyn FnMut(Surface, ExactSurface),
    ) {
        let (rotation, translation) =
            (self.pose.rotation.as_dquat().normalize(), self.pose.translation.as_dvec3());
        let local = rotation.conjugate() * (exact - translation);
        self.facets.get().contacts(local, f64::from(reach), scratch);
        for contact in scratch.iter() {
            let found = ExactSurface {
                distance: contact.distance,
                normal: contact.normal,
                closest: contact.point,
                curvature: 0.0,
                feature: contact.feature,
            };
            let found = found.in_world(rotation, translation);
            let (distance, normal) = (found.distance as f32, found.normal.as_vec3());
            out(Surface::plain(distance, normal, found.closest.as_vec3()), found);
        }
        if scratch.is_empty() && self.distance(x) < -reach {
            let surface = self.nearest(x);
            out(surface, super::exact::moved_on(exact, &surface));
        }
    }

    /// The walls that a point sees, and how many: its own, where the field tells it for certain, and the others of its
    /// cell.
    fn walls(&self, local: Vec3, field: &Field, reach: f32, walls: &mut [MapWall; MOST_WALLS]) -> usize {
        let normal = field.direction.normalize_or(Vec3::Y);
        let nearest = MapWall { foot: local - field.distance * normal, normal };
        let others = self.map.walls_near(local);
        if others.is_empty() || field.distance >= MEETING_REACH * reach {
            walls[0] = nearest;
            return 1;
        }
        let mut count = 0;
        if let Some(own) = field.reliable_wall(local) {
            walls[0] = own;
            count = 1;
        }
        let least = IN_FRONT * PROBE_STEP * reach;
        for wall in others.iter().map(|wall| wall.seen_from(local)) {
            let near = wall.distance(local) < MEETING_REACH * reach;
            if near && count < MOST_WALLS && walls[..count].iter().all(|other| meet(&wall, other, least)) {
                walls[count] = wall;
                count += 1;
            }
        }
        if count == 0 {
            walls[0] = nearest;
            count = 1;
        }
        count
    }
}

/// Whether two walls meet at a concave angle, each with its foot in front of the other.
fn meet(a: &MapWall, b: &MapWall, least: f32) -> bool {
    a.normal.dot(b.normal) < SAME_WALL
        && (a.foot - b.foot).dot(b.normal) > least
        && (b.foot - a.foot).dot(a.normal) > least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::{MeshShape, Resolution, Sdf, Shape};
    use crate::random::Random;
    use crate::sph::{Kernel, KernelKind};

    const D: f32 = 0.02;

    fn resolved(shape: &Shape) -> Sdf {
        let kernel = Kernel::new(KernelKind::Cubic, 2.0 * D);
        Sdf::resolved(shape, Some(&Resolution { kernel, spacing: D })).unwrap()
    }

    /// A cube of 0.3 m around the origin, as a mesh turned about y.
    fn cube(hollow: bool, angle: f32) -> Shape {
        let file = "builtin:box".into();
        Shape::Mesh(MeshShape { size: Some(0.3), angle, hollow, ..MeshShape::of_file(file) })
    }

    fn walls(sdf: &Sdf, x: Vec3) -> Vec<Surface> {
        let mut walls = Vec::new();
        sdf.surfaces(x, 2.0 * D, &mut |surface| walls.push(surface));
        walls
    }

    /// Particles that touch two or three walls of a container see each of them, and no others.
    #[test]
    fn a_mesh_container_gives_every_wall_of_its_corners() {
        for angle in [0.0, 30.0] {
            let mesh = resolved(&cube(true, angle));
            let turn = glam::Quat::from_rotation_y(angle.to_radians());
            let block = resolved(&Shape::Box { min: [-0.15; 3], max: [0.15; 3], hollow: true });
            let mut random = Random::new(3);
            for _ in 0..2000 {
                // In a corner, along an edge or over a face; about a radius away from each wall there.
                let near = |random: &mut Random| -0.15 + D * (0.45 + 0.25 * random.unit());
                let mut x = Vec3::new(near(&mut random), near(&mut random), near(&mut random));
                for axis in 0..(random.unit() * 3.0) as usize {
                    x[axis] = 0.05 * random.signed();
                }
                let expected: Vec<Surface> =
                    walls(&block, x).into_iter().filter(|wall| wall.distance < D).collect();
                let found = walls(&mesh, turn * x);
                for wall in &expected {
                    let same = found.iter().find(|other| other.normal.dot(turn * wall.normal) > 0.99);
                    let same = same.unwrap_or_else(|| panic!("{angle}: no wall {wall:?} at {x}: {found:?}"));
                    assert!((same.distance - wall.distance).abs() < 0.05 * D, "{same:?} instead of {wall:?}");
                }
                let touching = found.iter().filter(|wall| wall.distance < D).count();
                assert_eq!(touching, expected.len(), "{angle}: {found:?} at {x}");
            }
        }
    }

    #[test]
    fn a_mesh_solid_gives_one_wall_also_at_its_edges() {
        let mesh = resolved(&cube(false, 0.0));
        let block = resolved(&Shape::Box { min: [-0.15; 3], max: [0.15; 3], hollow: false });
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let x = 0.18 * Vec3::new(random.signed(), random.signed(), random.signed());
            let expected = block.nearest(x);
            if expected.distance < 0.3 * D || expected.distance > 1.8 * D {
                continue;
            }
            let found = walls(&mesh, x);
            assert_eq!(found.len(), 1, "{found:?} at {x}");
            assert!((found[0].distance - expected.distance).abs() < 0.05 * D, "{found:?} {expected:?}");
            assert!(found[0].normal.dot(expected.normal) > 0.9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn a_container_is_solid_wherever_its_mesh_is_not() {
        let mesh = resolved(&cube(true, 0.0));
        assert!(mesh.distance(Vec3::ZERO) > 0.1);
        assert!((mesh.distance(Vec3::new(1.0, 0.0, 0.0)) + 0.85).abs() < 0.01);
        assert!(mesh.nearest(Vec3::new(1.0, 0.0, 0.0)).normal.x < -0.9);
        assert!(mesh.bounds().is_none());
    }
}
