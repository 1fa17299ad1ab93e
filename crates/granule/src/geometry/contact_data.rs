//! A mesh that balls touch as plain data, for devices that look for contacts themselves.

use glam::{DVec3, Vec3};

use super::contact_mesh::{ContactMesh, Lists};

/// A branch or leaf of the tree of triangles; each is followed by its left child.
#[derive(Clone, Copy, Debug)]
pub struct ContactBranch {
    /// Smallest corner \[m\].
    pub min: Vec3,
    /// Largest corner \[m\].
    pub max: Vec3,
    /// The branch to go on with where this one is left out; none after the last.
    pub next: Option<u32>,
    /// First triangle of a leaf.
    pub first: u32,
    /// Triangles of a leaf; 0 for inner branches.
    pub count: u32,
}

/// A triangle, in the order of leaves.
#[derive(Clone, Copy, Debug)]
pub struct ContactTriangle {
    /// Its number in the mesh.
    pub number: u32,
    /// Its vertices, welded.
    pub vertices: [u32; 3],
    /// The edges opposite to them.
    pub edges: [u32; 3],
    /// Unit normal out of the solid.
    pub normal: Vec3,
    /// Pseudonormals of its corners.
    pub corner_normals: [Vec3; 3],
    /// Pseudonormals of the edges opposite to them.
    pub edge_normals: [Vec3; 3],
}

/// All of a [`ContactMesh`].
#[derive(Clone, Debug)]
pub struct ContactData {
    /// The tree, parents before children.
    pub branches: Vec<ContactBranch>,
    /// Triangles.
    pub triangles: Vec<ContactTriangle>,
    /// Vertices \[m\].
    pub vertices: Vec<DVec3>,
    /// Vertices opposite to each edge.
    pub apexes: Lists,
    /// Vertices joined to each vertex.
    pub joined: Lists,
    /// Whether pseudonormals tell inside from outside.
    pub watertight: bool,
}

impl ContactMesh {
    /// The mesh as data.
    pub fn data(&self) -> ContactData {
        let of_tree = |(place, number): (usize, u32)| {
            let (corner_normals, edge_normals, normal) = self.tree.normals(place);
            let (vertices, edges) = (self.triangle[number as usize], self.edge_of[number as usize]);
            ContactTriangle { number, vertices, edges, normal, corner_normals, edge_normals }
        };
        ContactData {
            branches: self.tree.branches(),
            triangles: self.tree.order().iter().copied().enumerate().map(of_tree).collect(),
            vertices: self.position.clone(),
            apexes: self.apex.clone(),
            joined: self.joined.clone(),
            watertight: self.tree.watertight(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;

    /// Whoever goes through the branches by `next`, or by their children, sees every triangle once.
    #[test]
    fn the_tree_has_every_triangle_once() {
        let mesh = shapes::bumpy(1.0, 9);
        let data = ContactMesh::new(&mesh).data();
        let (mut at, mut seen) = (Some(0), vec![0; mesh.triangle.len()]);
        while let Some(index) = at {
            let branch = &data.branches[index as usize];
            (branch.first..branch.first + branch.count)
                .for_each(|k| seen[data.triangles[k as usize].number as usize] += 1);
            at = if branch.count > 0 { branch.next } else { Some(index + 1) };
            assert!(branch.next.is_none_or(|next| next > index));
        }
        assert!(seen.iter().all(|times| *times == 1));
        assert_eq!(data.branches[0].next, None);
    }
}
