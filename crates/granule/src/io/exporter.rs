//! Writes frames in every format that a scene asks for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::contact_table::contact_table;
use super::lammps::{DumpHeader, write_dump};
use super::npy::write_npy;
use super::oriented::Oriented;
use super::ply::write_ply;
use super::run_folder::{RunFolder, RunFolderError, failed};
use super::tracks::TrackWriter;
use super::vtk::{VtkSeries, write_vtp};
use super::vtk_lines::write_contact_vtp;
use crate::contacts::Contact;
use crate::scene::{ExportFormat, OutputSettings, Scene};
use crate::simulator::Snapshot;

/// Time between two versions of the VTK time series while the run goes.
const SERIES_PERIOD: Duration = Duration::from_secs(1);

/// The exports of one run.
#[derive(Debug)]
pub struct Exporter {
    folder: RunFolder,
    scene_name: String,
    output: OutputSettings,
    periodic: [Option<[f32; 2]>; 3],
    tracks: Option<TrackWriter>,
    vtk_series: VtkSeries,
    contacts_series: VtkSeries,
    series_written: Option<Instant>,
}

/// What a frame has, as the simulation has it (y up).
#[derive(Clone, Copy, Debug)]
pub struct FrameParts<'a> {
    /// The particles.
    pub snapshot: &'a Snapshot,
    /// Fine grains, where there are some.
    pub fine: Option<&'a Snapshot>,
    /// Contacts, where they are written.
    pub contacts: Option<&'a [Contact]>,
}

impl<'a> From<&'a Snapshot> for FrameParts<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, fine: None, contacts: None }
    }
}

/// The names of a frame's files.
struct FrameFiles {
    frame: u64,
    ply: PathBuf,
    vtk: PathBuf,
    /// The dump for LAMMPS, of what is made of particles.
    lammps: Option<PathBuf>,
    /// Before the name of the field in those of NumPy arrays.
    npy_prefix: &'static str,
}

impl FrameFiles {
    fn of_particles(folder: &RunFolder, frame: u64) -> Self {
        let (ply, vtk, lammps) = (folder.frame(frame), folder.vtk_frame(frame), folder.lammps_frame(frame));
        Self { frame, ply, vtk, lammps: Some(lammps), npy_prefix: "" }
    }

    fn of_fine_grains(folder: &RunFolder, frame: u64) -> Self {
        let (ply, vtk) = (folder.fine_frame(frame), folder.fine_vtk_frame(frame));
        Self { frame, ply, vtk, lammps: Some(folder.fine_lammps_frame(frame)), npy_prefix: "fine_" }
    }

    fn of_contacts(folder: &RunFolder, frame: u64) -> Self {
        let (ply, vtk) = (folder.contacts_frame(frame), folder.contacts_vtk_frame(frame));
        Self { frame, ply, vtk, lammps: None, npy_prefix: "contacts_" }
    }
}

impl Exporter {
    /// Makes the folders that the scene's formats need. `first` has the fields that every frame will have.
    pub fn create(folder: &RunFolder, scene: &Scene, first: &Snapshot) -> Result<Self, RunFolderError> {
        let output = scene.output.clone();
        let folders = [
            (ExportFormat::Ply, folder.frames()),
            (ExportFormat::Vtk, folder.vtk()),
            (ExportFormat::Npy, folder.npy()),
            (ExportFormat::Lammps, folder.lammps()),
        ];
        for (_, path) in folders.iter().filter(|(format, _)| output.has(*format)) {
            fs::create_dir_all(path).map_err(|error| failed(path, "create the folder", error))?;
        }
        let tracks = output.tracks().then(|| {
            let path = folder.tracks();
            TrackWriter::create(&path, &output.track, first).map_err(|error| unwritable(&path, error))
        });
        Ok(Self {
            folder: folder.clone(),
            scene_name: scene.name.clone(),
            output,
            periodic: scene.simulation.periodic.axes(),
            tracks: tracks.transpose()?,
            vtk_series: VtkSeries::default(),
            contacts_series: VtkSeries::default(),
            series_written: None,
        })
    }

    /// Writes a frame with all its parts. Where that fails, as on a full disk, its files are removed: a frame is there in every format or in none, and there is room to say
    /// what happened.
    pub fn frame<'a>(&mut self, frame: u64, parts: impl Into<FrameParts<'a>>) -> Result<(), RunFolderError> {
        let mut written = Vec::new();
        let result = self.write_frame(frame, parts.into(), &mut written);
        if result.is_err() {
            for path in written {
                // The first error is the one to report.
                let _ = fs::remove_file(path);
            }
        }
        result
    }

    fn write_frame(
        &mut self,
        frame: u64,
        FrameParts { snapshot, fine, contacts }: FrameParts,
        written: &mut Vec<PathBuf>,
    ) -> Result<(), RunFolderError> {
        if let Some(contacts) = contacts {
            let table = contact_table(contacts, snapshot.time);
            self.write_files(&FrameFiles::of_contacts(&self.folder, frame), &table, written)?;
        }
        if let Some(fine) = fine {
            self.write_files(&FrameFiles::of_fine_grains(&self.folder, frame), fine, written)?;
        }
        self.write_files(&FrameFiles::of_particles(&self.folder, frame), snapshot, written)?;
        if let Some(tracks) = &mut self.tracks {
            let view = Oriented::new(snapshot, self.output.up);
            tracks.append(&view).map_err(|error| unwritable(&self.folder.tracks(), error))?;
        }
        if self.output.has(ExportFormat::Vtk) {
            self.extend_series(frame, snapshot.time, contacts.is_some())?;
        }
        Ok(())
    }

    /// Whether frames are written at all.
    pub fn has_frame_files(&self) -> bool {
        [ExportFormat::Ply, ExportFormat::Vtk, ExportFormat::Npy, ExportFormat::Lammps]
            .iter()
            .any(|format| self.output.has(*format))
    }

    /// Whether contacts are asked for, in a format that has them.
    pub fn has_contacts(&self) -> bool {
        let formats = [ExportFormat::Ply, ExportFormat::Vtk, ExportFormat::Npy];
        self.output.contacts && formats.iter().any(|format| self.output.has(*format))
    }

    /// Writes a snapshot in every format that has a file per frame; `written` gets the files.
    fn write_files(
        &self,
        files: &FrameFiles,
        snapshot: &Snapshot,
        written: &mut Vec<PathBuf>,
    ) -> Result<(), RunFolderError> {
        let view = Oriented::new(snapshot, self.output.up);
        let mut write = |path: PathBuf, write: &dyn Fn(&Path) -> io::Result<()>| {
            write(&path).map_err(|error| unwritable(&path, error))?;
            written.push(path);
            Ok(())
        };
        if self.output.has(ExportFormat::Ply) {
            write(files.ply.clone(), &|path| write_ply(path, &view))?;
        }
        if self.output.has(ExportFormat::Vtk) {
            write(files.vtk.clone(), &|path| match files.lammps {
                Some(_) => write_vtp(path, &view),
                None => write_contact_vtp(path, &view),
            })?;
        }
        if let (true, Some(path)) = (self.output.has(ExportFormat::Lammps), &files.lammps) {
            let header = DumpHeader { frame: files.frame, periodic: self.periodic };
            write(path.clone(), &|path| write_dump(path, &view, &header))?;
        }
        if self.output.has(ExportFormat::Npy) {
            for (info, data) in &view.snapshot().columns {
                let field = format!("{}{}", files.npy_prefix, info.name);
                write(self.folder.npy_field(&field, files.frame), &|path| write_npy(path, data))?;
            }
        }
        Ok(())
    }

    /// Adds a frame to the VTK time series and writes it, unless that was done just now.
    fn extend_series(&mut self, frame: u64, time: f64, contacts: bool) -> Result<(), RunFolderError> {
        let name = |path: PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.vtk_series.push(time, name(self.folder.vtk_frame(frame)));
        if contacts {
            self.contacts_series.push(time, name(self.folder.contacts_vtk_frame(frame)));
        }
        if self.series_written.is_none_or(|written| written.elapsed() >= SERIES_PERIOD) {
            self.write_series().inspect_err(|_| {
                self.vtk_series.pop();
                if contacts {
                    self.contacts_series.pop();
                }
            })?;
        }
        Ok(())
    }

    /// Brings the VTK time series up to the last frame.
    pub fn end(&mut self) -> Result<(), RunFolderError> {
        if self.output.has(ExportFormat::Vtk) { self.write_series() } else { Ok(()) }
    }

    /// The followed particles that the last frame did not have: lost, or not there yet.
    pub fn missing_tracks(&self) -> &[u32] {
        self.tracks.as_ref().map(TrackWriter::missing).unwrap_or_default()
    }

    /// Names of the files and folders that it writes, relative to the run folder.
    pub fn names(&self) -> Vec<&'static str> {
        let formats = [
            (ExportFormat::Ply, "frames"),
            (ExportFormat::Vtk, "vtk"),
            (ExportFormat::Npy, "npy"),
            (ExportFormat::Lammps, "lammps"),
        ];
        let folders = formats.into_iter().filter(|(format, _)| self.output.has(*format));
        folders.map(|(_, name)| name).chain(self.tracks.is_some().then_some("tracks.csv")).collect()
    }

    fn write_series(&mut self) -> Result<(), RunFolderError> {
        let path = self.folder.vtk_series(&self.scene_name);
        self.series_written = Some(Instant::now());
        self.vtk_series.write(&path).map_err(|error| unwritable(&path, error))?;
        if !self.has_contacts() {
            return Ok(());
        }
        let path = self.folder.contacts_vtk_series(&self.scene_name);
        self.contacts_series.write(&path).map_err(|error| unwritable(&path, error))
    }
}

fn unwritable(path: &Path, error: io::Error) -> RunFolderError {
    failed(path, "write the file", error)
}
