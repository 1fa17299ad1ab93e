//! Files that a run leaves: its folder, frames, series, exports, index and checkpoints.

mod appended;
mod body_table;
mod checkpoint;
mod contact_table;
mod exporter;
mod lammps;
mod npy;
mod oriented;
mod ply;
mod run_folder;
mod run_frames;
mod series;
mod tracks;
mod vti;
mod vtk;
mod vtk_lines;

pub use crate::files::{check_writable, write_atomic, write_bytes_atomic};
pub use body_table::{BodyPlace, BodyTableError, BodyTableWriter, parse_body_table};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use contact_table::contact_table;
pub use exporter::{Exporter, FrameParts};
pub use lammps::{DumpHeader, dump_fields, encode_dump, write_dump};
pub use npy::{encode_npy, write_npy};
pub use oriented::Oriented;
pub use ply::{PlyColumn, PlyData, PlyError, encode_ply, parse_ply, read_ply, write_ply};
pub use run_folder::{FrameEntry, FrameField, FramesIndex, RunFolder, RunFolderError};
pub use run_frames::{RunFrame, RunFrames, RunFramesError, Shown};
pub use series::{SeriesRow, SeriesWriter};
pub use tracks::TrackWriter;
pub use vti::{GridField, encode_grid_vti, encode_vti, write_vti};
pub use vtk::{VtkSeries, encode_vtp, write_vtp};
pub use vtk_lines::{encode_contact_vtp, write_contact_vtp};
