//! Granular matter on graphics devices.

pub mod kernel;
pub mod primitives;
#[cfg(test)]
mod testing;
