//! The folder that a run leaves: `out/<scene>-NNN/` with scene.toml, summary.json, series.csv, frames.json and, as the
//! scene asks for them, picture.png, frames/, vtk/, npy/, tracks.csv, bodies.csv and checkpoints/.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::checkpoint::write_checkpoint;
use super::vtk::PVD_MARK;
use crate::files::{check_writable, write_bytes_atomic};
use crate::scene::{ExportFormat, OutputSettings};
use crate::simulator::{FieldInfo, FieldKind};

/// Why a run folder could not be made or written.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The folder already holds something.
    #[error("{}: the folder is not empty; choose another, or add --force to replace an earlier run in it", .path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// There is a file where the folder should be.
    #[error("{}: this is a file, not a folder; choose another with --out", .path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made or written to; nothing was written.
    #[error("{}: cannot {action}: {source}; choose another with --out", .path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The file system refused.
    #[error("{}: cannot {action}: {}", .path.display(), reason(.source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The index of frames cannot be understood.
    #[error("{}: not an index of frames: {reason}", .path.display())]
    Index {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// Why a file could not be written, in words that name a full disk as such.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => format!("the disk is full: {error}"),
        io::ErrorKind::QuotaExceeded => format!("the disk quota is used up: {error}"),
        _ => error.to_string(),
    }
}

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
    /// Simulated time [s].
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
            };
            formats.insert(word.to_string(), files.to_string());
        }
        Self { fps, up: output.up.word().into(), formats, fields, frames: Vec::new(), complete: false }
    }

    /// Adds a frame under the names that [`RunFolder::frame`] and [`RunFolder::fine_frame`] give it.
    pub fn push(&mut self, frame: u64, time: f64, particles: usize, fine_grains: Option<usize>) {
        let ply = self.formats.contains_key("ply");
        let file = ply.then(|| format!("frames/{}", frame_name(frame)));
        let fine_file = fine_grains.filter(|_| ply).map(|_| format!("frames/{}", fine_name(frame)));
        self.frames.push(FrameEntry { frame, time, file, particles, fine_file, fine_grains });
    }
}

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

pub(super) fn failed(path: &Path, action: &'static str, source: io::Error) -> RunFolderError {
    RunFolderError::Io { path: path.into(), action, source }
}

/// An error before anything was written: another folder is the remedy, except for a full disk.
fn unusable(path: &Path, action: &'static str, source: io::Error) -> RunFolderError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failed(path, action, source),
        _ => RunFolderError::Unusable { path: path.into(), action, source },
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

/// Whether a file name ends in `_NNNNNN.` and the extension, with a word before that is `frame` or any other.
fn is_numbered(name: &str, word: Option<&str>, extension: &str) -> bool {
    name.strip_suffix(extension)
        .and_then(|rest| rest.strip_suffix('.'))
        .and_then(|stem| stem.rsplit_once('_'))
        .is_some_and(|(before, digits)| {
            word.map_or(!before.is_empty(), |word| word == before)
                && digits.len() >= 6
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Whether a file is a VTK time series that granule wrote.
fn is_own_series(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pvd")
        && fs::read_to_string(path).is_ok_and(|text| text.contains(PVD_MARK))
}

/// Whether a file name is one that [`RunFolder::checkpoint`] makes.
fn is_checkpoint_name(name: &str) -> bool {
    let number = name.strip_suffix(".ckpt");
    number.is_some_and(|digits| digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit()))
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

/// Creates the folder of the next free number.
fn create_numbered(base: &Path, name: &str) -> Result<PathBuf, RunFolderError> {
    fs::create_dir_all(base).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => RunFolderError::NotAFolder { path: base.into() },
        _ => unusable(base, "create the folder", error),
    })?;
    let prefix = format!("{name}-");
    let entries = fs::read_dir(base).map_err(|error| unusable(base, "list the folder", error))?;
    let last = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(&prefix)?.parse::<u32>().ok())
        .max();
    let mut number = last.map_or(1, |last| last.saturating_add(1));
    loop {
        let path = base.join(format!("{prefix}{number:03}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            // Another run took it just now.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            Err(error) => return Err(unusable(&path, "create the folder", error)),
        }
    }
}

/// Creates a folder of a given name, or takes over an existing one.
fn take_over(path: &Path, force: bool) -> Result<PathBuf, RunFolderError> {
    if path.exists() && !path.is_dir() {
        return Err(RunFolderError::NotAFolder { path: path.into() });
    }
    fs::create_dir_all(path).map_err(|error| unusable(path, "create the folder", error))?;
    let mut entries = fs::read_dir(path).map_err(|error| unusable(path, "list the folder", error))?;
    let empty = entries.next().is_none();
    if !empty && !force {
        return Err(RunFolderError::NotEmpty { path: path.into() });
    }
    check_writable(path).map_err(|error| unusable(path, "write into the folder", error))?;
    if empty {
        return Ok(path.into());
    }
    let folder = RunFolder::open(path);
    let tables = [folder.series(), folder.tracks(), folder.bodies()];
    for file in [folder.summary(), folder.index(), folder.picture()].iter().chain(&tables) {
        remove(file)?;
    }
    let own = |name: &str, kind| ["frame", "fine"].iter().any(|word| is_numbered(name, Some(word), kind));
    remove_where(&folder.frames(), |_, name| own(name, "ply"))?;
    remove_where(&folder.vtk(), |path, name| own(name, "vtp") || is_own_series(path))?;
    remove_where(&folder.npy(), |_, name| is_numbered(name, None, "npy"))?;
    remove_where(&folder.checkpoints(), |_, name| is_checkpoint_name(name))?;
    // Only an empty folder goes; one with other files stays as it is.
    let _ = fs::remove_dir(folder.checkpoints());
    Ok(path.into())
}

/// Removes the files of a folder that an earlier run left; the folder need not be there.
fn remove_where(folder: &Path, is_own: impl Fn(&Path, &str) -> bool) -> Result<(), RunFolderError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_str().is_some_and(|name| is_own(&path, name)) {
            remove(&path)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), RunFolderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed(path, "replace the file of an earlier run", error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::VtkSeries;

    #[test]
    fn numbers_go_up_and_are_never_shared() {
        let base = tempfile::tempdir().unwrap();
        let out = base.path().join("out");
        let first = RunFolder::create(&out, "column", None, false).unwrap();
        assert!(first.path().ends_with("column-001") && first.path().is_dir());
        fs::create_dir(out.join("column-007")).unwrap();
        fs::create_dir(out.join("columns-050")).unwrap();
        assert!(RunFolder::create(&out, "column", None, false).unwrap().path().ends_with("column-008"));
        let mut paths: Vec<PathBuf> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| RunFolder::create(&out, "race", None, false).unwrap().path().to_path_buf())
                })
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), 8);
    }

    #[test]
    fn odd_scene_names_stay_inside_the_base() {
        let base = tempfile::tempdir().unwrap();
        for name in ["../up", "a/b", "", "sand pile", "...", "ü"] {
            let folder = RunFolder::create(base.path(), name, None, false).unwrap();
            assert_eq!(folder.path().parent().unwrap(), base.path(), "{name}");
        }
    }

    #[test]
    fn an_explicit_folder_with_content_needs_force() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("deep/run");
        let create = |force| RunFolder::create(base.path(), "column", Some(&path), force);
        let folder = create(false).unwrap();
        for inner in [folder.frames(), folder.vtk(), folder.npy()] {
            fs::create_dir(inner).unwrap();
        }
        let message = create(false).unwrap_err().to_string();
        assert!(
            message.contains("not empty") && message.contains("--force") && message.contains("run"),
            "{message}"
        );

        folder.write_summary(&1).unwrap();
        folder.write_scene("old").unwrap();
        fs::write(folder.frame(3), "old").unwrap();
        folder.write_checkpoint(3, b"old").unwrap();
        let exports = [
            folder.vtk_frame(3),
            folder.fine_frame(3),
            folder.fine_vtk_frame(3),
            folder.npy_field("density_error", 3),
            folder.tracks(),
            folder.bodies(),
        ];
        for file in &exports {
            fs::write(file, "old").unwrap();
        }
        fs::write(folder.vtk_series("earlier"), VtkSeries::default().encode()).unwrap();
        let foreign = [
            folder.path().join("notes.txt"),
            folder.frames().join("frame_best.ply"),
            folder.vtk().join("mine.pvd"),
            folder.npy().join("mask.npy"),
        ];
        for file in &foreign {
            fs::write(file, "mine").unwrap();
        }
        create(true).unwrap();
        assert!(!folder.checkpoints().exists() && folder.frames().is_dir());
        assert!(!folder.frame(3).exists() && !folder.summary().exists());
        assert!(exports.iter().all(|file| !file.exists()) && !folder.vtk_series("earlier").exists());
        assert!(folder.scene().exists(), "replaced when the new one is written");
        assert!(foreign.iter().all(|file| fs::read(file).unwrap() == b"mine"));
    }

    #[test]
    fn a_file_in_the_way_is_said_so() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        fs::write(&file, "x").unwrap();
        let error = RunFolder::create(base.path(), "a", Some(&file), true).unwrap_err().to_string();
        assert!(error.contains("not a folder"), "{error}");
        let error = RunFolder::create(&file, "a", None, false).unwrap_err().to_string();
        assert!(error.contains("not a folder"), "{error}");
        let error =
            RunFolder::create(base.path(), "a", Some(&file.join("in")), false).unwrap_err().to_string();
        assert!(error.contains("cannot create the folder"), "{error}");
        assert_eq!(fs::read(&file).unwrap(), b"x");
    }

    #[test]
    fn the_index_is_read_back() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "a", None, false).unwrap();
        assert!(folder.read_frames_index().unwrap_err().to_string().contains("cannot read the index"));
        let velocity = FieldInfo { name: "velocity", unit: "m/s", kind: FieldKind::Vec3 };
        let mut index = FramesIndex::new(50.0, &[velocity], &OutputSettings::default());
        index.push(0, 0.0, 10, None);
        index.push(1, 0.02, 9, Some(200));
        index.complete = true;
        folder.write_frames_index(&index).unwrap();
        assert_eq!(folder.read_frames_index().unwrap(), index);
        assert_eq!(index.frames[1].file.as_ref().map(|file| folder.path().join(file)), Some(folder.frame(1)));
        let fine = index.frames[1].fine_file.as_ref().map(|file| folder.path().join(file));
        assert_eq!((fine, &index.frames[0].fine_file), (Some(folder.fine_frame(1)), &None));
        assert_eq!(index.fields[0].kind, serde_json::to_value(FieldKind::Vec3).unwrap());
        fs::write(folder.index(), "{").unwrap();
        assert!(folder.read_frames_index().unwrap_err().to_string().contains("not an index"));
    }
}
