//! Cameras and files of a run in scene files.

use serde::{Deserialize, Serialize};

pub use crate::geometry::UpAxis;

/// Where pictures are taken from: `position` and `target` of a camera that rests, or `keys` of one that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CameraSettings {
    /// The eye \[m\]; not with `keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f32; 3]>,
    /// The point in the middle of the picture \[m\]; not with `keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<[f32; 3]>,
    /// Angle between the lower and the upper edge of the picture \[degrees\].
    #[serde(default = "default_fov")]
    pub fov: f32,
    /// Places that the camera moves through smoothly, at least two; before and after them it rests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<CameraKey>,
}

/// Where a moving camera is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CameraKey {
    /// Simulated time \[s\], later than that of the key before.
    pub time: f64,
    /// The eye \[m\].
    pub eye: [f32; 3],
    /// The point in the middle of the picture \[m\].
    pub target: [f32; 3],
    /// Angle between the lower and the upper edge of the picture \[degrees\]; the camera's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fov: Option<f32>,
}

fn default_fov() -> f32 {
    35.0
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct OutputSettings {
    /// Files to write for every frame.
    pub formats: Vec<ExportFormat>,
    /// Particle fields in every frame, beside id and position.
    pub fields: Vec<String>,
    /// Whether contacts are written with every frame, in the formats `ply`, `vtk` and `npy`: who touches what, where and how
    /// hard; with solvers that have contacts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contacts: bool,
    /// Ids of particles whose paths go to tracks.csv; with any, `csv` need not stand in `formats`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub track: Vec<u32>,
    /// The axis that points up in the files; the simulation itself has y up.
    pub up: UpAxis,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self {
            formats: vec![ExportFormat::Ply],
            fields: ["velocity", "density", "pressure"].map(String::from).to_vec(),
            contacts: false,
            track: Vec::new(),
            up: UpAxis::Y,
        }
    }
}

impl OutputSettings {
    /// Whether a format is asked for.
    pub fn has(&self, format: ExportFormat) -> bool {
        self.formats.contains(&format)
    }

    /// Whether the paths of particles are asked for.
    pub fn tracks(&self) -> bool {
        !self.track.is_empty()
    }
}

/// Files that a run can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Binary PLY, one file per frame.
    Ply,
    /// VTK PolyData (.vtp), one file per frame, with a time series (.pvd).
    Vtk,
    /// NumPy arrays, one file per field and frame.
    Npy,
    /// The paths of the particles in `track`, one table.
    Csv,
    /// Text dumps of LAMMPS, one file per frame, which OVITO reads: with radii, velocities, angular velocities and orientations,
    /// where the solver has them.
    Lammps,
}
