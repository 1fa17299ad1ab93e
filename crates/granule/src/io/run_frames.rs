//! The frames of a run folder, as its index lists them, to be drawn or played.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};

use super::body_table::{BodyPlace, parse_body_table};
use super::contact_table::read_contacts;
use super::oriented::{y_up, y_up_orientation};
use super::ply::{PlyColumn, PlyData, read_ply};
use super::run_folder::{FrameEntry, FramesIndex, RunFolder};
use crate::contacts::Contact;
use crate::scene::Scene;

/// Why frames of a run cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct RunFramesError {
    /// The file or folder.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

impl RunFramesError {
    fn new(path: &Path, reason: impl ToString) -> Self {
        Self { path: path.display().to_string(), reason: reason.to_string() }
    }
}

/// Which particles of a frame are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The particles that were simulated.
    Low,
    /// Fine grains.
    High,
    /// Both.
    Both,
}

/// The frames of a run.
#[derive(Debug)]
pub struct RunFrames {
    folder: RunFolder,
    index: FramesIndex,
    scene: Scene,
}

/// The particles of a frame, y up.
#[derive(Clone, Debug)]
pub struct RunFrame {
    /// Number of the frame.
    pub number: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Positions \[m\].
    pub position: Vec<Vec3>,
    /// Radii \[m\].
    pub radius: Vec<f32>,
    /// Identities.
    pub id: Vec<u32>,
    /// All that the file holds.
    pub data: PlyData,
    /// Whether the file has z up.
    z_up: bool,
}

impl RunFrames {
    /// Opens a run folder.
    ///
    /// # Errors
    /// Says what is missing or wrong.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RunFramesError> {
        let path = path.as_ref();
        let wrong = |reason: String| RunFramesError::new(path, reason);
        let foreign = |why: String| wrong(format!("this is not the folder of a run: {why}"));
        let folder = RunFolder::open(path);
        if !folder.index().is_file() {
            return Err(foreign("it has no frames.json".into()));
        }
        let index = folder.read_frames_index().map_err(|error| foreign(error.to_string()))?;
        let text = std::fs::read_to_string(folder.scene())
            .map_err(|error| foreign(format!("scene.toml: {error}")))?;
        let scene = Scene::parse(&text, &folder.scene().display().to_string());
        let scene = scene.map_err(|error| wrong(error.to_string()))?;
        if index.frames.is_empty() {
            return Err(wrong("the run has no frames".into()));
        }
        if index.frames.iter().all(|frame| frame.file.is_none()) {
            let hint = "run the scene again with --export ply";
            return Err(wrong(format!("the run wrote no PLY frames, which pictures need; {hint}")));
        }
        let ordered = index.frames.is_sorted_by_key(|frame| frame.frame);
        if !(index.fps.is_finite() && index.fps > 0.0 && ordered) {
            return Err(foreign("frames.json has no frames in the order of time".into()));
        }
        Ok(Self { folder, index, scene })
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The scene as it ran.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The index of frames.
    pub fn index(&self) -> &FramesIndex {
        &self.index
    }

    /// Frames per second of simulated time.
    pub fn fps(&self) -> f64 {
        self.index.fps
    }

    /// All frames, at least one.
    pub fn entries(&self) -> &[FrameEntry] {
        &self.index.frames
    }

    /// Number of the first frame.
    pub fn first_frame(&self) -> u64 {
        self.index.frames.first().map_or(0, |entry| entry.frame)
    }

    /// Number of the last frame.
    pub fn last_frame(&self) -> u64 {
        self.index.frames.last().map_or(0, |entry| entry.frame)
    }

    /// The last frame at or before one of this number.
    pub fn entry_at(&self, frame: u64) -> &FrameEntry {
        let after = self.index.frames.partition_point(|entry| entry.frame <= frame);
        &self.index.frames[after.saturating_sub(1)]
    }

    /// The frame nearest to a time \[s\]; the last one that has particles when absent.
    ///
    /// # Errors
    /// Says that there is no such frame, or no particle in it.
    pub fn choose(&self, time: Option<f64>) -> Result<&FrameEntry, RunFramesError> {
        let wrong = |reason: String| RunFramesError::new(self.folder.path(), reason);
        let frames = &self.index.frames;
        let Some(time) = time else {
            let last = frames.iter().rev().find(|frame| frame.particles > 0);
            return last.ok_or_else(|| wrong("no frame of this run has particles".into()));
        };
        let (first, last) = (frames[0].time, frames[frames.len() - 1].time);
        // A frame's worth of room, as times are rounded to frames.
        let room = 1.0 / self.index.fps;
        if !(first - room..=last + room).contains(&time) {
            return Err(wrong(format!("--time {time}: the run goes from {first} to {last} s")));
        }
        let nearest = frames.iter().min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs()));
        let frame = nearest.unwrap_or(&frames[0]);
        if frame.particles == 0 {
            let (number, at) = (frame.frame, frame.time);
            let reason = format!("frame {number} at {at} s has no particles; choose another with --time");
            return Err(wrong(reason));
        }
        Ok(frame)
    }

    /// Where the run's rigid bodies were in all frames.
    ///
    /// # Errors
    /// Says what is wrong with the table.
    pub fn body_places(&self) -> Result<Vec<BodyPlace>, RunFramesError> {
        if self.scene.body.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.folder.bodies();
        let text = std::fs::read_to_string(&path).map_err(|error| RunFramesError::new(&path, error))?;
        parse_body_table(&text, self.scene.output.up).map_err(|error| RunFramesError::new(&path, error))
    }

    /// What to read of a frame: as wanted, else fine grains where there are some.
    fn shown(&self, entry: &FrameEntry, shown: Option<Shown>) -> Result<Shown, RunFramesError> {
        match (shown, &entry.fine_file) {
            (None, Some(_)) => Ok(Shown::High),
            (None, None) => Ok(Shown::Low),
            (Some(Shown::High | Shown::Both), None) => {
                let hint = "run the scene with --set upsample.radius=... or draw it with --show low";
                let reason = format!("frame {} has no fine grains; {hint}", entry.frame);
                Err(RunFramesError::new(self.folder.path(), reason))
            }
            (Some(shown), _) => Ok(shown),
        }
    }

    /// Reads what is shown of a frame; positions that are not finite are refused.
    ///
    /// # Errors
    /// Names the file and what is wrong with it.
    pub fn read(&self, entry: &FrameEntry, shown: Option<Shown>) -> Result<RunFrame, RunFramesError> {
        let coarse = self.scene.reference_radius();
        let fine = self.scene.upsample.as_ref().map_or(coarse, |upsample| upsample.radius.limits().1);
        match self.shown(entry, shown)? {
            Shown::Low => self.read_file(entry, entry.file.as_ref(), coarse),
            Shown::High => self.read_file(entry, entry.fine_file.as_ref(), fine),
            Shown::Both => {
                let guides = self.read_file(entry, entry.file.as_ref(), coarse)?;
                let grains = self.read_file(entry, entry.fine_file.as_ref(), fine)?;
                Ok(guides.with(grains))
            }
        }
    }

    /// The contacts of a frame.
    ///
    /// # Errors
    /// Says that the run wrote none, or what is wrong with their file.
    pub fn contacts(&self, entry: &FrameEntry) -> Result<Vec<Contact>, RunFramesError> {
        let missing = || {
            let hint = "run the scene again with --contacts and PLY frames";
            RunFramesError::new(self.folder.path(), format!("frame {} has no contacts; {hint}", entry.frame))
        };
        let path = self.folder.path().join(entry.contacts_file.as_ref().ok_or_else(missing)?);
        let data = read_ply(&path).map_err(|error| RunFramesError::new(&path, error))?;
        read_contacts(&data)
            .ok_or_else(|| RunFramesError::new(&path, "this is not a table of contacts with finite numbers"))
    }

    fn read_file(
        &self,
        entry: &FrameEntry,
        file: Option<&String>,
        radius: f32,
    ) -> Result<RunFrame, RunFramesError> {
        let missing = || {
            let reason = format!("frame {} has no PLY file", entry.frame);
            RunFramesError::new(self.folder.path(), reason)
        };
        let path: PathBuf = self.folder.path().join(file.ok_or_else(missing)?);
        let wrong = |why: String| RunFramesError::new(&path, why);
        let data = read_ply(&path).map_err(|error| wrong(error.to_string()))?;
        let z_up = data.up == "z";
        let columns = data.vec3("position").ok_or_else(|| wrong("it has no positions".into()))?;
        let position: Vec<Vec3> = columns.into_iter().map(|vector| y_up(vector, z_up)).collect();
        if let Some(bad) = position.iter().position(|position| !position.is_finite()) {
            return Err(wrong(format!("particle {bad} has a position that is not a finite number")));
        }
        let id = data.integer("id").map_or_else(|| (0..data.count as u32).collect(), <[u32]>::to_vec);
        // Where grains have sizes of their own, frames say so.
        let sound = |radii: &&[f32]| radii.iter().all(|radius| radius.is_finite() && *radius > 0.0);
        let own = data.scalar("radius").filter(sound).map(<[f32]>::to_vec);
        let radius = own.unwrap_or_else(|| vec![radius; position.len()]);
        Ok(RunFrame { number: entry.frame, time: data.time, position, radius, id, data, z_up })
    }
}

impl RunFrame {
    /// This frame and another one, with the fields that both have.
    fn with(mut self, other: Self) -> Self {
        self.position.extend(other.position);
        self.radius.extend(other.radius);
        self.id.extend(other.id);
        self.data.count += other.data.count;
        let mut others = other.data.columns;
        self.data.columns.retain_mut(|(name, column)| {
            let Some(k) = others.iter().position(|(known, _)| known == name) else { return false };
            match (column, others.swap_remove(k).1) {
                (PlyColumn::Float(values), PlyColumn::Float(more)) => values.extend(more),
                (PlyColumn::Integer(values), PlyColumn::Integer(more)) => values.extend(more),
                _ => return false,
            }
            true
        });
        self
    }

    /// A field of orientations, y up; none where one is not finite.
    pub fn orientations(&self, name: &str) -> Option<Vec<Quat>> {
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|part| self.data.scalar(&format!("{name}_{part}")));
        let (x, y, z, w) = (x?, y?, z?, w?);
        let turned = |k: usize| y_up_orientation([x[k], y[k], z[k], w[k]], self.z_up);
        let all: Vec<Quat> = (0..x.len()).map(turned).collect();
        all.iter().all(|q| q.is_finite()).then_some(all)
    }

    /// A vector field, y up.
    pub fn vectors(&self, name: &str) -> Option<Vec<Vec3>> {
        Some(self.data.vec3(name)?.into_iter().map(|vector| y_up(vector, self.z_up)).collect())
    }
}
