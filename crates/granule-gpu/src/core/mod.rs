//! What all methods share: device, buffers, particle columns, batches of steps, walls, bodies, air, reads, checkpoints, views
//! and queries. A [`Method`](method::Method) brings what differs; nothing here asks which one it is.
//!
//! Files know each other one way: layout and columns, buffers, kernels with their buffers (`sorting`, `search`, `bodies`,
//! `shared`), the trait of methods, the simulation's data, and last what a simulation does (`batch`, `commands`, `fields`,
//! `checkpoint`, `publish`), which no other file knows.

mod air;
mod batch;
pub mod binder;
pub mod bodies;
pub mod buffers;
pub mod capacity;
mod cell;
mod checkpoint;
pub mod columns;
mod commands;
pub mod constants;
mod fields;
pub mod hooks;
pub mod layout;
pub mod method;
pub mod motion;
pub mod pacing;
mod publish;
pub(crate) mod queries;
mod reads;
pub mod recording;
mod rhythm;
pub mod rows;
pub mod search;
pub mod shaders;
pub mod shared;
pub mod simulation;
mod simulator;
pub mod sorting;
pub mod timing;
pub mod view;
