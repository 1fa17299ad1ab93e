//! Meshes and what is made of them: distances on grids, volume maps, samples.
//!
//! [`load_mesh`] reads triangles as a file has them, [`repair()`] makes a sound solid of them or says why not, and
//! [`MassProperties`] weighs it. A [`DistanceField`] tells how far its surface is, a [`VolumeMap`] also how much of a
//! kernel lies in the solid; both may come from the disk ([`cache`]).

mod blocks;
mod builtin;
mod bvh;
pub mod cache;
mod contact_data;
mod contact_mesh;
mod distance;
mod error;
mod grid;
mod inspect;
mod load;
pub mod make;
mod mass;
mod mesh;
mod repair;
pub mod sample;
pub mod shapes;
mod topology;
mod up_axis;
mod volume_map;
mod write;

pub use blocks::{blocks, dump_bed};
pub use builtin::{BUILTIN_MESHES, builtin_mesh};
pub use bvh::{MeshTree, Nearest};
pub use contact_data::{ContactBranch, ContactData, ContactTriangle};
pub use contact_mesh::{ContactMesh, FacetContact, Lists};
pub use distance::DistanceField;
pub use error::{FieldError, MeshError, MeshFileError};
pub use grid::{Grid, MOST_NODES};
pub use inspect::{MeshReport, inspect};
pub use load::{MOST_BYTES, MeshFormat, MeshOptions, load_mesh, parse_mesh};
pub use mass::MassProperties;
pub use mesh::{Bounds, MOST_COORDINATE, MOST_TRIANGLES, MeshMaterial, MeshTexture, TriangleMesh};
pub use repair::{RepairReport, repair, solid};
pub use up_axis::UpAxis;
pub use volume_map::{VolumeMap, VolumeSample};
pub use write::{encode_mesh, write_mesh};
