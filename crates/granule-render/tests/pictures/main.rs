//! Pictures against what they must show.

mod colors;
mod common;
mod light;
mod overlay;
mod refusals;
mod silhouettes;
