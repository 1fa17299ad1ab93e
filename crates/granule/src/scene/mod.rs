//! Scenes: their types, files, overrides, checks and the built-in ones.
//!
//! [`Scene::open`] takes the name of a built-in scene or a file; [`Scene::resolve`] does the same for text.
//! Both apply the `[quick]` form and overrides by path to the TOML before it becomes types, so that an override is
//! checked exactly as the file is. A scene built in code is checked with [`Scene::validate`].

mod as_grains;
mod builder;
mod builtin;
mod capabilities;
mod error;
mod load;
mod locate;
mod meshes;
mod overrides;
mod schema;
mod validate;

#[cfg(test)]
mod tests;

pub use as_grains::PACKED_FRACTION;
pub use builtin::{Builtin, builtin_scenes, find};
pub use capabilities::SolverCapabilities;
pub use error::{Location, Problem, ProblemKind, SceneError};
pub use schema::*;
pub use validate::MOST_SIZE_RATIO;
