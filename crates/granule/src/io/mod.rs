//! Files that a run leaves: its folder, frames, series, index and checkpoints.

mod atomic;
mod checkpoint;
mod ply;
mod run_folder;
mod series;

pub use atomic::{write_atomic, write_bytes_atomic};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use ply::{PlyColumn, PlyData, PlyError, encode_ply, parse_ply, read_ply, write_ply};
pub use run_folder::{FrameEntry, FrameField, FramesIndex, RunFolder, RunFolderError};
pub use series::{SeriesRow, SeriesWriter};
