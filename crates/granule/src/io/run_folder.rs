//! The folder that a run leaves: `out/<scene>-NNN/` with scene.toml, summary.json, series.csv, frames.json and, as the
//! scene asks for them, picture.png, frames/, vtk/, npy/, lammps/, tracks.csv, bodies.csv and checkpoints/.

mod create;
mod error;
mod index;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checkpoint::write_checkpoint;
use crate::files::write_bytes_atomic;

use create::{create_numbered, take_over};

pub use error::RunFolderError;
pub(super) use error::failed;
pub use index::{FrameEntry, FrameField, FramesIndex};

/// A folder that belongs to one run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder of a run: `explicit` if given, else `base/<scene>-NNN` with the next free number.
    ///
    /// An explicit folder that is not empty needs `force`; then the frames, exports, checkpoints, index, tables, picture
    /// and summary of an earlier run are removed, and nothing else.
    pub fn create(
        base: &Path,
        scene_name: &str,
        explicit: Option<&Path>,
        force: bool,
    ) -> Result<Self, RunFolderError> {
        let path = match explicit {
            Some(path) => take_over(path, force)?,
            None => create_numbered(base, &file_safe(scene_name))?,
        };
        Ok(Self { path })
    }

    /// A folder that an earlier run left.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The resolved scene.
    pub fn scene(&self) -> PathBuf {
        self.path.join("scene.toml")
    }

    /// The summary of the run.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// The numbers per frame.
    pub fn series(&self) -> PathBuf {
        self.path.join("series.csv")
    }

    /// The index of frames.
    pub fn index(&self) -> PathBuf {
        self.path.join("frames.json")
    }

    /// The picture of the last frame; there if the run was asked to draw it.
    pub fn picture(&self) -> PathBuf {
        self.path.join("picture.png")
    }

    /// The folder of the frames.
    pub fn frames(&self) -> PathBuf {
        self.path.join("frames")
    }

    /// The file of a frame.
    pub fn frame(&self, frame: u64) -> PathBuf {
        self.frames().join(frame_name(frame))
    }

    /// The file of a frame's fine grains.
    pub fn fine_frame(&self, frame: u64) -> PathBuf {
        self.frames().join(fine_name(frame))
    }

    /// The folder of the VTK files.
    pub fn vtk(&self) -> PathBuf {
        self.path.join("vtk")
    }

    /// The VTK file of a frame.
    pub fn vtk_frame(&self, frame: u64) -> PathBuf {
        self.vtk().join(format!("frame_{frame:06}.vtp"))
    }

    /// The VTK file of a frame's fine grains.
    pub fn fine_vtk_frame(&self, frame: u64) -> PathBuf {
        self.vtk().join(format!("fine_{frame:06}.vtp"))
    }

    /// The file of a frame's contacts.
    pub fn contacts_frame(&self, frame: u64) -> PathBuf {
        self.frames().join(contacts_name(frame))
    }

    /// The VTK file of a frame's contacts.
    pub fn contacts_vtk_frame(&self, frame: u64) -> PathBuf {
        self.vtk().join(format!("contacts_{frame:06}.vtp"))
    }

    /// The VTK time series of the contacts of a scene.
    pub fn contacts_vtk_series(&self, scene_name: &str) -> PathBuf {
        self.vtk().join(format!("{}-contacts.pvd", file_safe(scene_name)))
    }

    /// The folder of the dumps for LAMMPS.
    pub fn lammps(&self) -> PathBuf {
        self.path.join("lammps")
    }

    /// The dump of a frame for LAMMPS.
    pub fn lammps_frame(&self, frame: u64) -> PathBuf {
        self.lammps().join(format!("frame_{frame:06}.dump"))
    }

    /// The dump of a frame's fine grains for LAMMPS.
    pub fn fine_lammps_frame(&self, frame: u64) -> PathBuf {
        self.lammps().join(format!("fine_{frame:06}.dump"))
    }

    /// The VTK time series of a scene.
    pub fn vtk_series(&self, scene_name: &str) -> PathBuf {
        self.vtk().join(format!("{}.pvd", file_safe(scene_name)))
    }

    /// The folder of the NumPy arrays.
    pub fn npy(&self) -> PathBuf {
        self.path.join("npy")
    }

    /// The NumPy array of a field in a frame.
    pub fn npy_field(&self, field: &str, frame: u64) -> PathBuf {
        self.npy().join(format!("{field}_{frame:06}.npy"))
    }

    /// The places of rigid bodies.
    pub fn bodies(&self) -> PathBuf {
        self.path.join("bodies.csv")
    }

    /// The paths of chosen particles.
    pub fn tracks(&self) -> PathBuf {
        self.path.join("tracks.csv")
    }

    /// The folder of the checkpoints; there once one has been written.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    /// The checkpoint of a frame.
    pub fn checkpoint(&self, frame: u64) -> PathBuf {
        self.checkpoints().join(format!("{frame:06}.ckpt"))
    }

    /// Writes the checkpoint of a frame.
    pub fn write_checkpoint(&self, frame: u64, bytes: &[u8]) -> Result<(), RunFolderError> {
        let folder = self.checkpoints();
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, "create the folder", error))?;
        let path = self.checkpoint(frame);
        write_checkpoint(&path, bytes).map_err(|error| failed(&path, "write the file", error))
    }

    /// Writes the resolved scene.
    pub fn write_scene(&self, toml: &str) -> Result<(), RunFolderError> {
        write(&self.scene(), toml.as_bytes())
    }

    /// Writes the summary.
    pub fn write_summary(&self, summary: &impl Serialize) -> Result<(), RunFolderError> {
        write_json(&self.summary(), summary)
    }

    /// Writes the index of frames.
    pub fn write_frames_index(&self, index: &FramesIndex) -> Result<(), RunFolderError> {
        write_json(&self.index(), index)
    }

    /// Reads the index of frames.
    pub fn read_frames_index(&self) -> Result<FramesIndex, RunFolderError> {
        let path = self.index();
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, "read the index", error))?;
        serde_json::from_str(&text).map_err(|error| RunFolderError::Index { path, reason: error.to_string() })
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RunFolderError> {
    write_bytes_atomic(path, bytes).map_err(|error| failed(path, "write the file", error))
}

fn write_json(path: &Path, content: &impl Serialize) -> Result<(), RunFolderError> {
    let mut bytes = serde_json::to_vec_pretty(content)
        .map_err(|error| failed(path, "write the file", io::Error::other(error)))?;
    bytes.push(b'\n');
    write(path, &bytes)
}

fn frame_name(frame: u64) -> String {
    format!("frame_{frame:06}.ply")
}

fn fine_name(frame: u64) -> String {
    format!("fine_{frame:06}.ply")
}

fn contacts_name(frame: u64) -> String {
    format!("contacts_{frame:06}.ply")
}

/// A scene's name as part of a folder's name.
fn file_safe(name: &str) -> String {
    let safe: String = name
        .trim()
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' })
        .take(64)
        .collect();
    if safe.is_empty() { "scene".into() } else { safe }
}
