//! Why a mesh cannot be read or used.

use std::io;
use std::path::PathBuf;

use super::load::MeshFormat;

/// Why a mesh cannot be read or used; without the name of its file, which [`MeshFileError`] adds.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Not a plain file.
    #[error("not a file; name a mesh (.obj, .stl, .ply, .gltf or .glb)")]
    NotAFile,
    /// The file is larger than is read at all.
    #[error(
        "the file has {found} bytes, more than the {most} that are read; simplify the mesh or split it into several files"
    )]
    TooLarge {
        /// Bytes of the file.
        found: u64,
        /// Most bytes that are read.
        most: u64,
    },
    /// Neither the name's ending nor the first bytes tell a format.
    #[error("unknown mesh format; known are .obj, .stl, .ply, .gltf and .glb")]
    UnknownFormat,
    /// The crate was compiled without readers of meshes.
    #[error("mesh files need the feature `meshes` of the crate granule, which is off")]
    NotCompiled,
    /// The contents break the rules of the format.
    #[error("not a sound {format} file: {what}")]
    Malformed {
        /// The format.
        format: MeshFormat,
        /// What is wrong, with line or field.
        what: String,
    },
    /// More triangles than are taken.
    #[error("the mesh has more than {most} triangles; simplify it or split it into several files")]
    TooManyTriangles {
        /// Most triangles.
        most: usize,
    },
    /// No mesh of the program's own has this name.
    #[error("there is no built-in mesh `{name}`; there are: {known}")]
    UnknownBuiltin {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// There is nothing to use.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// A coordinate is not a number or too large.
    #[error("vertex {vertex} is at {position:?}; coordinates must be finite and at most {most:e} m")]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// What was found \[m\].
        position: [f32; 3],
        /// Largest magnitude \[m\].
        most: f32,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {count} vertices")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A scale that cannot be applied.
    #[error("a mesh cannot be scaled by {0}; use a positive number")]
    Scale(f32),
    /// The mesh encloses no volume.
    #[error(
        "the mesh is not closed: {open} edges have one triangle only, {shared} more than two; close its holes, or use \
         a thick-walled mesh for an open container"
    )]
    Open {
        /// Edges of a single triangle.
        open: usize,
        /// Edges of three or more triangles.
        shared: usize,
    },
    /// Inside and outside cannot be told.
    #[error(
        "the mesh cannot be oriented: its triangles lead from the outside to the inside, as on a Moebius strip"
    )]
    Unorientable,
    /// A volume of nothing.
    #[error("the mesh encloses no volume")]
    NoVolume,
}

/// A mesh file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct MeshFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub error: MeshError,
}

/// Why a field cannot be made on a grid.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum FieldError {
    /// A cell size that is no length.
    #[error("a grid cannot have cells of {0} m; use a positive length")]
    Cell(f32),
    /// A padding that is no length.
    #[error("a grid cannot be padded by {0} m; use 0 or a positive length")]
    Padding(f32),
    /// The grid would be too large.
    #[error(
        "a grid of {nodes:.2e} nodes ({cell} m apart) is more than the {most:.2e} that are allowed \
         ({gigabytes:.1} GB); use cells of at least {least:.2e} m"
    )]
    TooManyNodes {
        /// Nodes that it would have.
        nodes: f64,
        /// Cell size \[m\].
        cell: f32,
        /// Most nodes.
        most: f64,
        /// Memory of the most \[GB\].
        gigabytes: f64,
        /// Cell size that would do \[m\].
        least: f64,
    },
    /// Nothing to be distant from.
    #[error("the mesh has no triangles")]
    NoTriangles,
}
