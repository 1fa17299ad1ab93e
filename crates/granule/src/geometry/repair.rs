//! Makes a sound solid of a mesh with duplicated, degenerate or flipped triangles, or refuses it.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::error::MeshError;
use super::mesh::{Bounds, TriangleMesh, area_vector};
use super::topology::{DisjointSets, edge_uses, is_degenerate, weld, winding_number};

/// Vertices nearer to each other than this part of the bounds' diagonal become one.
const WELD: f32 = 1e-6;
/// Components that are tested for lying inside others; with more of them, all are taken to be separate solids.
const MOST_NESTED: usize = 1000;

/// What a repair has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// Vertices that were merged with another or belonged to no triangle.
    pub welded_vertices: usize,
    /// Triangles without area that were dropped.
    pub degenerate_triangles: usize,
    /// Triangles that were dropped because they stood twice.
    pub duplicate_triangles: usize,
    /// Triangles that were turned over.
    pub flipped_triangles: usize,
    /// Edges that still have a single triangle.
    pub open_edges: usize,
    /// Edges that still have three or more triangles.
    pub non_manifold_edges: usize,
}

impl RepairReport {
    /// Whether the repaired mesh encloses a volume.
    pub fn closed(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0
    }

    /// Refuses meshes that enclose no volume.
    pub fn require_closed(&self) -> Result<(), MeshError> {
        let (open, shared) = (self.open_edges, self.non_manifold_edges);
        if self.closed() { Ok(()) } else { Err(MeshError::Open { open, shared }) }
    }
}

/// The geometry of a mesh, repaired: vertices at the same place are one, duplicated and degenerate triangles are gone,
/// and all triangles face outwards. A component that lies inside another keeps its orientation relative to the outer
/// one, so that hollows stay hollow. Appearance is not carried over.
pub fn repair(mesh: &TriangleMesh) -> Result<(TriangleMesh, RepairReport), MeshError> {
    mesh.check()?;
    let mut report = RepairReport::default();
    let mut repaired = welded(mesh, &mut report);
    drop_degenerate(&mut repaired, &mut report);
    drop_duplicates(&mut repaired, &mut report);
    if repaired.triangle.is_empty() {
        return Err(MeshError::NoTriangles);
    }
    orient(&mut repaired, &mut report)?;
    Ok((repaired, report))
}

/// [`repair`], refusing what encloses no volume.
pub fn solid(mesh: &TriangleMesh) -> Result<TriangleMesh, MeshError> {
    let (repaired, report) = repair(mesh)?;
    report.require_closed()?;
    Ok(repaired)
}

/// The mesh with one vertex per place, and none that no triangle uses.
fn welded(mesh: &TriangleMesh, report: &mut RepairReport) -> TriangleMesh {
    let diagonal = mesh.bounds().map_or(0.0, |bounds| bounds.size().length());
    let first = weld(&mesh.position, WELD * diagonal);
    let mut name = vec![u32::MAX; mesh.position.len()];
    let mut result = TriangleMesh::default();
    for triangle in &mesh.triangle {
        result.triangle.push(triangle.map(|vertex| {
            let vertex = first[vertex as usize] as usize;
            if name[vertex] == u32::MAX {
                name[vertex] = result.position.len() as u32;
                result.position.push(mesh.position[vertex]);
            }
            name[vertex]
        }));
    }
    report.welded_vertices = mesh.position.len() - result.position.len();
    result
}

/// Drops triangles with two equal corners, and turns needles without area into splits of their neighbours' edges.
///
/// A triangle of three different corners on a line cannot just go: its long edge would lose its partner. The triangle
/// on the other side of the long edge is divided at the middle corner, which closes the gap.
fn drop_degenerate(mesh: &mut TriangleMesh, report: &mut RepairReport) {
    let before = mesh.triangle.len();
    mesh.triangle.retain(|&[a, b, c]| a != b && b != c && c != a);
    report.degenerate_triangles = before - mesh.triangle.len();
    let needles: Vec<usize> = (0..mesh.triangle.len()).filter(|&k| is_degenerate(mesh.corners(k))).collect();
    if needles.is_empty() {
        return;
    }
    let mut gone = vec![false; mesh.triangle.len()];
    needles.iter().for_each(|&needle| gone[needle] = true);
    let mut owner: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (k, triangle) in mesh.triangle.iter().enumerate().filter(|(k, _)| !gone[*k]) {
        (0..3).for_each(|e| owner.entry(sorted(triangle[e], triangle[(e + 1) % 3])).or_default().push(k));
    }
    for needle in needles {
        let vertices = mesh.triangle[needle];
        let length = |k: usize| {
            let [a, b] = [vertices[k], vertices[(k + 1) % 3]].map(|v| mesh.position[v as usize]);
            a.distance_squared(b)
        };
        let longest = (0..3).max_by(|a, b| length(*a).total_cmp(&length(*b))).unwrap_or(0);
        let (from, to, middle) =
            (vertices[longest], vertices[(longest + 1) % 3], vertices[(longest + 2) % 3]);
        let partners = owner.get(&sorted(from, to)).cloned().unwrap_or_default();
        // Only where the short edges have their triangles, so that the division closes the surface.
        let served = |a: u32, b: u32| owner.get(&sorted(a, b)).is_some_and(|list| list.len() == 1);
        if let ([partner], true) = (&partners[..], served(from, middle) && served(middle, to)) {
            split(mesh, &mut owner, *partner, [from, to], middle);
            gone.resize(mesh.triangle.len(), false);
        }
    }
    let mut k = 0;
    let count = gone.iter().filter(|gone| **gone).count();
    mesh.triangle.retain(|_| {
        k += 1;
        !gone[k - 1]
    });
    report.degenerate_triangles += count;
}

/// Divides a triangle at a vertex on one of its edges.
fn split(
    mesh: &mut TriangleMesh,
    owner: &mut HashMap<[u32; 2], Vec<usize>>,
    triangle: usize,
    edge: [u32; 2],
    middle: u32,
) {
    let old = mesh.triangle[triangle];
    let replaced = |name: u32| old.map(|vertex| if vertex == name { middle } else { vertex });
    let new = mesh.triangle.len();
    mesh.triangle[triangle] = replaced(edge[1]);
    mesh.triangle.push(replaced(edge[0]));
    let Some(&apex) = old.iter().find(|vertex| !edge.contains(vertex)) else { return };
    owner.remove(&sorted(edge[0], edge[1]));
    owner.entry(sorted(edge[0], middle)).or_default().push(triangle);
    owner.entry(sorted(middle, edge[1])).or_default().push(new);
    owner.insert(sorted(middle, apex), vec![triangle, new]);
    if let Some(list) = owner.get_mut(&sorted(edge[1], apex)) {
        list.iter_mut().filter(|k| **k == triangle).for_each(|k| *k = new);
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Keeps the first of triangles with the same three corners.
fn drop_duplicates(mesh: &mut TriangleMesh, report: &mut RepairReport) {
    let mut seen = std::collections::HashSet::with_capacity(mesh.triangle.len());
    let before = mesh.triangle.len();
    mesh.triangle.retain(|triangle| {
        let mut key = *triangle;
        key.sort_unstable();
        seen.insert(key)
    });
    report.duplicate_triangles = before - mesh.triangle.len();
}

/// Makes neighbours face the same side, and every component the outside.
fn orient(mesh: &mut TriangleMesh, report: &mut RepairReport) -> Result<(), MeshError> {
    let uses = edge_uses(&mesh.triangle);
    let mut neighbors: Vec<Vec<(u32, bool)>> = vec![Vec::new(); mesh.triangle.len()];
    for edge in uses.chunk_by(|a, b| a.edge == b.edge) {
        match edge {
            [_] => report.open_edges += 1,
            [a, b] => {
                let agree = a.forward != b.forward;
                neighbors[a.triangle as usize].push((b.triangle, agree));
                neighbors[b.triangle as usize].push((a.triangle, agree));
            }
            _ => report.non_manifold_edges += 1,
        }
    }
    let (mut turned, components) = flood(&neighbors)?;
    for component in &components {
        keep_the_majority(mesh, component, &mut turned);
    }
    let apply = |mesh: &mut TriangleMesh, turned: &[bool]| {
        let list = mesh.triangle.iter_mut().zip(turned).filter(|(_, turned)| **turned);
        list.for_each(|(triangle, _)| triangle.swap(1, 2));
    };
    apply(mesh, &turned);
    let outer = turn_outwards(mesh, &components);
    apply(mesh, &outer);
    report.flipped_triangles = turned.iter().zip(&outer).filter(|(a, b)| a != b).count();
    Ok(())
}

/// Which triangles to turn so that each component agrees with its first triangle, and the components.
fn flood(neighbors: &[Vec<(u32, bool)>]) -> Result<(Vec<bool>, Vec<Vec<u32>>), MeshError> {
    let mut turned: Vec<Option<bool>> = vec![None; neighbors.len()];
    let mut components = Vec::new();
    for first in 0..neighbors.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let mut component = vec![first as u32];
        let mut next = 0;
        while let Some(&triangle) = component.get(next) {
            next += 1;
            let own = turned[triangle as usize].unwrap_or(false);
            for &(other, agree) in &neighbors[triangle as usize] {
                let wanted = own == agree;
                match turned[other as usize] {
                    None => {
                        turned[other as usize] = Some(wanted);
                        component.push(other);
                    }
                    Some(found) if found != wanted => return Err(MeshError::Unorientable),
                    Some(_) => {}
                }
            }
        }
        components.push(component);
    }
    Ok((turned.into_iter().map(|turned| turned.unwrap_or(false)).collect(), components))
}

/// Turns a component so that most of its area faces as it was given.
fn keep_the_majority(mesh: &TriangleMesh, component: &[u32], turned: &mut [bool]) {
    let area = |triangle: &u32| area_vector(mesh.corners(*triangle as usize)).length();
    let whole: f64 = component.iter().map(area).sum();
    let flipped: f64 = component.iter().filter(|triangle| turned[**triangle as usize]).map(area).sum();
    if flipped > 0.5 * whole {
        component.iter().for_each(|triangle| turned[*triangle as usize] ^= true);
    }
}

/// Which triangles to turn so that outer components face outwards; those inside them turn with them.
fn turn_outwards(mesh: &TriangleMesh, components: &[Vec<u32>]) -> Vec<bool> {
    let mut turned = vec![false; mesh.triangle.len()];
    let inverted: Vec<bool> = components.iter().map(|component| volume(mesh, component) < 0.0).collect();
    let outermost = outermost(mesh, components);
    for (component, outer) in components.iter().zip(outermost) {
        if inverted[outer] {
            component.iter().for_each(|triangle| turned[*triangle as usize] = true);
        }
    }
    turned
}

fn volume(mesh: &TriangleMesh, component: &[u32]) -> f64 {
    let Some(&first) = component.first() else { return 0.0 };
    let origin = mesh.corners(first as usize)[0].as_dvec3();
    component
        .iter()
        .map(|triangle| {
            let [a, b, c] = mesh.corners(*triangle as usize).map(|corner| corner.as_dvec3() - origin);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

/// For every component the largest one that surrounds it, or itself.
fn outermost(mesh: &TriangleMesh, components: &[Vec<u32>]) -> Vec<usize> {
    if components.len() > MOST_NESTED {
        return (0..components.len()).collect();
    }
    let bounds: Vec<Bounds> = components
        .iter()
        .map(|component| {
            let mut bounds = Bounds::EMPTY;
            component
                .iter()
                .for_each(|k| mesh.corners(*k as usize).into_iter().for_each(|p| bounds.include(p)));
            bounds
        })
        .collect();
    let surrounds = |outer: usize, inner: usize| {
        let point = mesh.corners(components[inner][0] as usize)[0];
        bounds[outer].contains(bounds[inner].min)
            && bounds[outer].contains(bounds[inner].max)
            && winding_number(mesh, components[outer].iter().copied(), point).abs() > 0.5
    };
    (0..components.len())
        .map(|inner| {
            let outer = (0..components.len()).filter(|&outer| outer != inner && surrounds(outer, inner));
            outer
                .max_by(|a, b| bounds[*a].size().length().total_cmp(&bounds[*b].size().length()))
                .unwrap_or(inner)
        })
        .collect()
}

/// Triangles of closed components that face inwards although nothing surrounds them.
pub(super) fn inside_out(mesh: &TriangleMesh) -> usize {
    let welded = weld(&mesh.position, 0.0);
    let triangles: Vec<[u32; 3]> =
        mesh.triangle.iter().map(|triangle| triangle.map(|vertex| welded[vertex as usize])).collect();
    let mut sets = DisjointSets::new(triangles.len());
    for edge in edge_uses(&triangles).chunk_by(|a, b| a.edge == b.edge) {
        edge[1..].iter().for_each(|other| sets.merge(edge[0].triangle, other.triangle));
    }
    let mut components: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for triangle in 0..triangles.len() as u32 {
        components.entry(sets.find(triangle)).or_default().push(triangle);
    }
    let components: Vec<Vec<u32>> = components.into_values().collect();
    let outermost = outermost(mesh, &components);
    let outer = components.iter().enumerate().filter(|(k, _)| outermost[*k] == *k);
    outer.filter(|(_, component)| volume(mesh, component) < 0.0).map(|(_, component)| component.len()).sum()
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3, Vec3Swizzles};

    use super::*;
    use crate::geometry::{inspect, shapes};

    /// A bumpy mesh with every third triangle turned over, some duplicated, and needles on some edges.
    fn damaged() -> TriangleMesh {
        let mut mesh = shapes::bumpy(1.0, 20);
        for k in (0..mesh.triangle.len()).step_by(3) {
            mesh.triangle[k].swap(0, 1);
        }
        for k in (0..200).step_by(7) {
            let [a, b, c] = mesh.triangle[k];
            mesh.triangle.push([b, c, a]);
            mesh.triangle.push([c, b, a]);
            mesh.triangle.push([a, a, b]);
        }
        mesh
    }

    #[test]
    fn a_damaged_mesh_becomes_what_it_was() {
        let sound = shapes::bumpy(1.0, 20);
        let (repaired, report) = repair(&damaged()).unwrap();
        assert!(report.closed(), "{report:?}");
        assert_eq!(report.duplicate_triangles, 58);
        assert_eq!(report.degenerate_triangles, 29);
        let now = inspect(&repaired);
        assert!(now.sound, "{now:?}");
        assert_eq!(now.triangles, sound.triangle.len());
        assert!((now.volume / sound.signed_volume() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn needles_are_absorbed_by_their_neighbours() {
        // A box whose first triangle is divided by a vertex in the middle of an edge on one side only, plus the needle.
        let mut mesh = shapes::cuboid(Vec3::ONE);
        let [a, b, c] = mesh.triangle[0];
        let middle = mesh.position.len() as u32;
        mesh.position.push(0.5 * (mesh.position[a as usize] + mesh.position[b as usize]));
        mesh.triangle[0] = [a, middle, c];
        mesh.triangle.push([middle, b, c]);
        mesh.triangle.push([a, b, middle]);
        let (repaired, report) = repair(&mesh).unwrap();
        assert_eq!(report.degenerate_triangles, 1);
        assert!(report.closed(), "{report:?}");
        assert!((repaired.signed_volume() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn separated_corners_are_welded() {
        let mesh = shapes::sphere(1.0, 12);
        let soup: Vec<Vec3> = (0..mesh.triangle.len()).flat_map(|k| mesh.corners(k)).collect();
        let triangle = (0..soup.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        // Rounding as files of six digits have it.
        let rounded = soup.iter().map(|p| (*p * 1e6).round() / 1e6 + 1e-7 * p.yzx()).collect();
        let (repaired, report) = repair(&TriangleMesh::new(rounded, triangle)).unwrap();
        assert!(report.closed());
        assert_eq!(repaired.position.len(), mesh.position.len());
    }

    #[test]
    fn meshes_that_are_inside_out_are_turned_and_hollows_kept() {
        for flipped in [false, true] {
            let mut drum = shapes::drum(0.5, 1.0, 0.1, 32);
            let volume = drum.signed_volume();
            if flipped {
                drum.flip();
                assert_eq!(inspect(&drum).inverted_triangles, drum.triangle.len() / 2);
            }
            let (repaired, report) = repair(&drum).unwrap();
            assert_eq!(report.flipped_triangles, if flipped { drum.triangle.len() } else { 0 });
            assert!((repaired.signed_volume() / volume - 1.0).abs() < 1e-5);
        }
        let mut two = shapes::sphere(0.5, 4);
        two.flip();
        let mut other = shapes::sphere(0.5, 4);
        other.place(Quat::IDENTITY, Vec3::new(2.0, 0.0, 0.0));
        two.append(&other);
        let one = other.signed_volume();
        let (repaired, _) = repair(&two).unwrap();
        assert!((repaired.signed_volume() / (2.0 * one) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn holes_are_reported_and_moebius_strips_refused() {
        let mut open = shapes::cuboid(Vec3::ONE);
        open.triangle.pop();
        assert!(matches!(solid(&open), Err(MeshError::Open { open: 3, shared: 0 })));
        let strip = (0..10).map(|k| {
            let (angle, half) = (k as f32 * 0.628_318_5, k as f32 * 0.314_159_3);
            let radial = Vec3::new(angle.cos(), 0.0, angle.sin());
            [
                radial + 0.3 * (half.cos() * Vec3::Y + half.sin() * radial),
                radial - 0.3 * (half.cos() * Vec3::Y + half.sin() * radial),
            ]
        });
        let position: Vec<Vec3> = strip.flatten().collect();
        let triangle = (0..10u32)
            .flat_map(|k| {
                let (a, b) = (2 * k, 2 * k + 1);
                let (c, d) = if k == 9 { (1, 0) } else { (2 * k + 2, 2 * k + 3) };
                [[a, b, c], [b, d, c]]
            })
            .collect();
        assert!(matches!(repair(&TriangleMesh::new(position, triangle)), Err(MeshError::Unorientable)));
    }
}
