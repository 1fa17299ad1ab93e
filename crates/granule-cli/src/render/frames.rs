//! The frames of a run folder, as its index lists them.

use std::path::{Path, PathBuf};

use glam::Vec3;
use granule::Scene;
use granule::io::{
    BodyPlace, FrameEntry, FramesIndex, PlyColumn, PlyData, RunFolder, parse_body_table, read_ply,
};

use crate::args::Show;
use crate::failure::Failure;

/// The frames of a run.
pub struct RunFrames {
    folder: RunFolder,
    index: FramesIndex,
    scene: Scene,
}

/// The particles of a frame, y up.
pub struct Frame {
    /// Number of the frame.
    pub number: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Positions [m].
    pub position: Vec<Vec3>,
    /// Radii [m].
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
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let foreign =
            |why: String| Failure::Input(format!("{shown}: this is not the folder of a run: {why}"));
        let folder = RunFolder::open(path);
        if !folder.index().is_file() {
            return Err(foreign("it has no frames.json".into()));
        }
        let index = folder.read_frames_index().map_err(|error| foreign(error.to_string()))?;
        let text = std::fs::read_to_string(folder.scene())
            .map_err(|error| foreign(format!("scene.toml: {error}")))?;
        let scene = Scene::parse(&text, &folder.scene().display().to_string())?;
        if index.frames.is_empty() {
            return Err(Failure::Input(format!("{shown}: the run has no frames")));
        }
        if index.frames.iter().all(|frame| frame.file.is_none()) {
            let hint = "run the scene again with --export ply";
            return Err(Failure::Input(format!(
                "{shown}: the run wrote no PLY frames, which pictures need; {hint}"
            )));
        }
        Ok(Self { folder, index, scene })
    }

    /// The scene as it ran.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Frames per second of simulated time.
    pub fn fps(&self) -> f64 {
        self.index.fps
    }

    /// All frames.
    pub fn entries(&self) -> &[FrameEntry] {
        &self.index.frames
    }

    /// The frame nearest to a time [s]; the last one that has particles when absent.
    pub fn choose(&self, time: Option<f64>) -> Result<&FrameEntry, Failure> {
        let path = self.folder.path().display();
        let frames = &self.index.frames;
        let Some(time) = time else {
            let last = frames.iter().rev().find(|frame| frame.particles > 0);
            return last.ok_or_else(|| Failure::Input(format!("{path}: no frame of this run has particles")));
        };
        let (first, last) = (frames[0].time, frames[frames.len() - 1].time);
        // A frame's worth of room, as times are rounded to frames.
        let room = 1.0 / self.index.fps;
        if !(first - room..=last + room).contains(&time) {
            return Err(Failure::Input(format!(
                "{path}: --time {time}: the run goes from {first} to {last} s"
            )));
        }
        let nearest = frames.iter().min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs()));
        let frame = nearest.unwrap_or(&frames[0]);
        if frame.particles == 0 {
            return Err(Failure::Input(format!(
                "{path}: frame {} at {} s has no particles; choose another with --time",
                frame.frame, frame.time
            )));
        }
        Ok(frame)
    }

    /// Where the run's rigid bodies were in all frames.
    pub fn body_places(&self) -> Result<Vec<BodyPlace>, Failure> {
        if self.scene.body.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.folder.bodies();
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        parse_body_table(&text, self.scene.output.up).map_err(|error| wrong(error.to_string()))
    }

    /// What to draw of a frame: as requested, else fine grains where there are some.
    fn shown(&self, entry: &FrameEntry, show: Option<Show>) -> Result<Show, Failure> {
        match (show, &entry.fine_file) {
            (None, Some(_)) => Ok(Show::High),
            (None, None) => Ok(Show::Low),
            (Some(Show::High | Show::Both), None) => {
                let hint = "run the scene with --set upsample.radius=... or draw it with --show low";
                Err(Failure::Input(format!("frame {} has no fine grains; {hint}", entry.frame)))
            }
            (Some(show), _) => Ok(show),
        }
    }

    /// Reads what is shown of a frame; positions that are not finite are refused.
    pub fn read(&self, entry: &FrameEntry, show: Option<Show>) -> Result<Frame, Failure> {
        let coarse = self.scene.reference_radius();
        let fine = self.scene.upsample.map_or(coarse, |upsample| upsample.radius);
        match self.shown(entry, show)? {
            Show::Low => self.read_file(entry, entry.file.as_ref(), coarse),
            Show::High => self.read_file(entry, entry.fine_file.as_ref(), fine),
            Show::Both => {
                let guides = self.read_file(entry, entry.file.as_ref(), coarse)?;
                let grains = self.read_file(entry, entry.fine_file.as_ref(), fine)?;
                Ok(guides.with(grains))
            }
        }
    }

    fn read_file(&self, entry: &FrameEntry, file: Option<&String>, radius: f32) -> Result<Frame, Failure> {
        let missing = || Failure::Input(format!("frame {} has no PLY file", entry.frame));
        let path: PathBuf = self.folder.path().join(file.ok_or_else(missing)?);
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let data = read_ply(&path).map_err(|error| wrong(error.to_string()))?;
        let z_up = data.up == "z";
        let columns = data.vec3("position").ok_or_else(|| wrong("it has no positions".into()))?;
        let position: Vec<Vec3> = columns.into_iter().map(|vector| y_up(vector, z_up)).collect();
        if let Some(bad) = position.iter().position(|position| !position.is_finite()) {
            return Err(wrong(format!("particle {bad} has a position that is not a finite number")));
        }
        let id = data.integer("id").map_or_else(|| (0..data.count as u32).collect(), <[u32]>::to_vec);
        let radius = vec![radius; position.len()];
        Ok(Frame { number: entry.frame, time: data.time, position, radius, id, data, z_up })
    }
}

impl Frame {
    /// This frame and another one, with the fields that both have.
    fn with(mut self, other: Frame) -> Frame {
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

    /// A vector field, y up.
    pub fn vectors(&self, name: &str) -> Option<Vec<Vec3>> {
        Some(self.data.vec3(name)?.into_iter().map(|vector| y_up(vector, self.z_up)).collect())
    }
}

/// A vector of a file in the simulation's axes: the opposite of (x, y, z) -> (x, -z, y) where z points up.
fn y_up([x, y, z]: [f32; 3], z_up: bool) -> Vec3 {
    if z_up { Vec3::new(x, z, -y) } else { Vec3::new(x, y, z) }
}
