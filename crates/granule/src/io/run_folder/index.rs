//! The index of frames: frames.json.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{contacts_name, fine_name, frame_name};
use crate::scene::{ExportFormat, OutputSettings};
use crate::simulator::{FieldInfo, FieldKind};

/// A field in the index of frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameField {
    /// Name of the field.
    pub name: String,
    /// SI unit; "1" where there is none.
    pub unit: String,
    /// Kind of values: integer, scalar, vec3, quaternion or tensor.
    pub kind: String,
}

impl From<&FieldInfo> for FrameField {
    fn from(info: &FieldInfo) -> Self {
        let kind = match info.kind {
            FieldKind::Integer => "integer",
            FieldKind::Scalar => "scalar",
            FieldKind::Vec3 => "vec3",
            FieldKind::Quaternion => "quaternion",
            FieldKind::Tensor => "tensor",
        };
        Self { name: info.name.into(), unit: info.unit.into(), kind: kind.into() }
    }
}

/// A frame in the index of frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// Number of the frame.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// The PLY file, relative to the run folder; absent where the run writes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Number of particles.
    pub particles: usize,
    /// The PLY file of the fine grains, relative to the run folder; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fine_file: Option<String>,
    /// Number of fine grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fine_grains: Option<usize>,
    /// The PLY file of the contacts, relative to the run folder; absent where they are not written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts_file: Option<String>,
    /// Number of contacts; absent where they are not written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<usize>,
}

/// The content of frames.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FramesIndex {
    /// Frames per second of simulated time.
    pub fps: f64,
    /// The axis that points up in every file of the run.
    pub up: String,
    /// The files by format, relative to the run folder: NNNNNN is the frame, FIELD a field.
    #[serde(default)]
    pub formats: BTreeMap<String, String>,
    /// Fields that every frame holds.
    pub fields: Vec<FrameField>,
    /// The frames in the order of time.
    pub frames: Vec<FrameEntry>,
    /// Whether the run reached its end.
    pub complete: bool,
}

impl FramesIndex {
    /// An index without frames yet.
    pub fn new(fps: f64, fields: &[FieldInfo], output: &OutputSettings) -> Self {
        let fields = fields.iter().map(FrameField::from).collect();
        let mut formats = BTreeMap::new();
        let csv = output.tracks().then_some(ExportFormat::Csv);
        for format in output.formats.iter().copied().chain(csv) {
            let (word, files) = match format {
                ExportFormat::Ply => ("ply", "frames/frame_NNNNNN.ply"),
                ExportFormat::Vtk => ("vtk", "vtk/frame_NNNNNN.vtp"),
                ExportFormat::Npy => ("npy", "npy/FIELD_NNNNNN.npy"),
                ExportFormat::Csv => ("csv", "tracks.csv"),
                ExportFormat::Lammps => ("lammps", "lammps/frame_NNNNNN.dump"),
            };
            formats.insert(word.to_string(), files.to_string());
        }
        Self { fps, up: output.up.word().into(), formats, fields, frames: Vec::new(), complete: false }
    }

    /// Adds a frame under the names that [`RunFolder::frame`](super::RunFolder::frame) and [`RunFolder::fine_frame`](super::RunFolder::fine_frame) give it.
    pub fn push(&mut self, frame: u64, time: f64, particles: usize, fine_grains: Option<usize>) {
        let ply = self.formats.contains_key("ply");
        let file = ply.then(|| format!("frames/{}", frame_name(frame)));
        let fine_file = fine_grains.filter(|_| ply).map(|_| format!("frames/{}", fine_name(frame)));
        let (contacts_file, contacts) = (None, None);
        self.frames.push(FrameEntry {
            frame,
            time,
            file,
            particles,
            fine_file,
            fine_grains,
            contacts_file,
            contacts,
        });
    }

    /// Says that the contacts of the last frame, so many, were written with it.
    pub fn note_contacts(&mut self, contacts: usize) {
        let ply = self.formats.contains_key("ply");
        if let Some(last) = self.frames.last_mut() {
            last.contacts = Some(contacts);
            last.contacts_file = ply.then(|| format!("frames/{}", contacts_name(last.frame)));
        }
    }
}
