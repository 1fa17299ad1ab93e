//! Pictures against what they must show.

mod buffers;
mod colors;
mod common;
mod field;
mod light;
mod marks;
mod meshes;
mod overlay;
mod refusals;
mod silhouettes;
