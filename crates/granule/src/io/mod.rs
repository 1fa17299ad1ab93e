//! Files that a run leaves: its folder, frames, series, exports, index and checkpoints.

mod appended;
mod body_table;
mod checkpoint;
mod exporter;
mod npy;
mod oriented;
mod ply;
mod run_folder;
mod run_frames;
mod series;
mod tracks;
mod vti;
mod vtk;

pub use crate::files::{check_writable, write_atomic, write_bytes_atomic};
pub use body_table::{BodyPlace, BodyTableError, BodyTableWriter, parse_body_table};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use exporter::Exporter;
pub use npy::{encode_npy, write_npy};
pub use oriented::Oriented;
pub use ply::{PlyColumn, PlyData, PlyError, encode_ply, parse_ply, read_ply, write_ply};
pub use run_folder::{FrameEntry, FrameField, FramesIndex, RunFolder, RunFolderError};
pub use run_frames::{RunFrame, RunFrames, RunFramesError, Shown};
pub use series::{SeriesRow, SeriesWriter};
pub use tracks::TrackWriter;
pub use vti::{encode_vti, write_vti};
pub use vtk::{VtkSeries, encode_vtp, write_vtp};
