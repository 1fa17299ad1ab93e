//! Files of the window: open, save, what is not saved yet, files that were opened last, checkpoints and exports.

mod dialog;
mod mesh;
mod mesh_slice;
mod recent;
mod write;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use granule::geometry::MeshFormat;
use granule::live::{FileKind, Source};
use granule::scene::find;
use granule_device::GpuDevice;
use granule_render::Bounds;

use self::dialog::{Answer, Dialog, Purpose};
use self::mesh::{Decision, MeshDrop};
use self::recent::Recent;
pub use self::write::unused_file;
use self::write::{Written, checkpoint, frame};
use crate::actions::Action;
use crate::camera_rig::CameraRig;
use crate::document::{own_file, save};
use crate::edits::Sets;
use crate::look::Look;
use crate::session::{Session, Severity};
use crate::video::{Eye, Video};

/// What waits for an answer about unsaved changes.
#[derive(Debug, PartialEq)]
enum Intent {
    /// Another scene.
    Load(Source),
    /// The end.
    Quit,
}

/// The scene as it is on disk.
#[derive(Default)]
struct Saved {
    path: String,
    sets: Sets,
    /// Of the commands, where it is a recording.
    mark: (usize, Option<u64>),
    /// Of the session, when it was last looked at.
    beginnings: Option<u64>,
    /// What is set, when it was last found out whether that differs from what the file has; and whether it does.
    compared: Option<(Sets, bool)>,
}

impl Saved {
    /// Whether what is set makes another scene of the file than it has.
    fn differs(&mut self, source: &Source) -> bool {
        let Source::File { path, quick, sets } = source else { return false };
        if *sets == self.sets {
            return false;
        }
        if let Some((_, differs)) = self.compared.as_ref().filter(|(known, _)| known == sets) {
            return *differs;
        }
        let saved = Source::File { path: path.clone(), quick: *quick, sets: self.sets.clone() };
        let differs = match (source.open(), saved.open()) {
            (Ok(now), Ok(saved)) => now != saved,
            _ => true,
        };
        self.compared = Some((sets.clone(), differs));
        differs
    }
}

/// Files of the window.
pub struct Files {
    dialog: Option<Dialog>,
    question: Option<Intent>,
    recent: Recent,
    saved: Saved,
    /// Results of what is written elsewhere.
    results: (Sender<Written>, Receiver<Written>),
    title: String,
    /// Whether the window may be closed, whatever is not saved.
    leaving: bool,
    mesh: Option<MeshDrop>,
    gpu: GpuDevice,
    /// Of videos \[pixels\].
    size: [u32; 2],
    video: Option<Video>,
    /// What the view shows.
    eye: Eye,
}

impl Files {
    /// Nothing is open yet; `remember` says whether files are remembered. Videos of a size \[pixels\] are drawn on a device.
    pub fn new(remember: bool, gpu: GpuDevice, size: [u32; 2]) -> Self {
        Self {
            mesh: None,
            gpu,
            size,
            video: None,
            eye: Eye { camera: CameraRig::default().camera(), look: Look::default() },
            dialog: None,
            question: None,
            recent: Recent::remembered(remember),
            saved: Saved::default(),
            results: channel(),
            title: String::new(),
            leaving: false,
        }
    }

    /// What the window is called: the file, with a mark where changes are not saved.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether there are changes that no file has.
    pub fn is_unsaved(&mut self, session: &Session) -> bool {
        let Source::File { path, .. } = session.source() else { return false };
        let edited = self.saved.differs(session.source());
        let done = || session.live().command_mark() != self.saved.mark;
        edited || (FileKind::of(path) == FileKind::Recording && done())
    }

    /// A scene to load now, or nothing where unsaved changes have to be asked about first.
    pub fn admit(&mut self, source: Source, session: &Session) -> Option<Source> {
        if self.is_unsaved(session) {
            self.question = Some(Intent::Load(source));
            return None;
        }
        Some(source)
    }

    /// Whether the window may be closed now; else unsaved changes are asked about.
    pub fn admit_quit(&mut self, session: &Session) -> bool {
        if !self.leaving && self.is_unsaved(session) {
            self.question = Some(Intent::Quit);
            return false;
        }
        true
    }

    /// Does what a menu says.
    pub fn act(&mut self, action: Action, session: &mut Session) {
        match action {
            Action::Open => self.ask(Purpose::Open, session),
            Action::Save => _ = self.save(session),
            Action::SaveAs => self.ask(Purpose::SaveScene, session),
            Action::SaveRecording => self.ask(Purpose::SaveRecording, session),
            Action::SaveCheckpoint => self.ask(Purpose::SaveCheckpoint, session),
            Action::ExportFrame => self.ask(Purpose::ExportFrame, session),
            Action::Record => match &mut self.video {
                Some(video) => {
                    video.stop();
                    session.tap(None, &self.eye.look);
                }
                None => self.ask(Purpose::Video, session),
            },
            _ => {}
        }
    }

    /// The files that were opened last, as a menu; gives the one that was chosen.
    pub fn recent_menu(&self, ui: &mut egui::Ui) -> Option<Source> {
        let mut chosen = None;
        ui.menu_button("Open recent", |ui| {
            if self.recent.paths().is_empty() {
                ui.weak("no files yet");
            }
            for path in self.recent.paths() {
                if ui.button(path).clicked() {
                    chosen = Some(Source::file(path));
                    ui.close();
                }
            }
        });
        chosen
    }

    /// A file that was dropped onto the window: a mesh to be asked about, or something to open. `region` is where grains are.
    pub fn drop(&mut self, path: &Path, region: impl FnOnce() -> Option<Bounds>) -> Option<Source> {
        if MeshFormat::of_name(path).is_none() {
            return Some(Source::file(path.display().to_string()));
        }
        let around = Bounds { min: glam::Vec3::splat(-0.5), max: glam::Vec3::splat(0.5) };
        self.mesh = Some(MeshDrop::new(path, region().unwrap_or(around)));
        None
    }

    /// Remembers what the view shows, for videos.
    pub fn see(&mut self, eye: Eye) {
        if let Some(video) = &self.video {
            video.look(eye.clone());
        }
        self.eye = eye;
    }

    /// Pictures of the video that is being recorded.
    pub fn recorded(&self) -> Option<u64> {
        self.video.as_ref().map(Video::count)
    }

    /// Ends a video; `wait` has it waited for until all is written.
    pub fn end_video(&mut self, session: &mut Session, wait: bool) {
        let Some(video) = &mut self.video else { return };
        if wait {
            video.stop();
            session.tap(None, &self.eye.look);
        }
        let Some(result) = video.result(wait) else { return };
        session.tap(None, &self.eye.look);
        match result {
            Ok(text) => session.note(Severity::Info, text),
            Err(error) => session.note(Severity::Error, format!("no video: {error}")),
        }
        self.video = None;
    }

    /// Takes what has happened since the last time.
    pub fn follow(&mut self, session: &mut Session, ctx: &egui::Context) {
        self.end_video(session, false);
        for Written { severity, text } in self.results.1.try_iter() {
            session.note(severity, text);
        }
        if self.saved.beginnings != Some(session.beginnings()) {
            self.saved.beginnings = Some(session.beginnings());
            self.saved.mark = session.live().command_mark();
            // The file may have changed.
            self.saved.compared = None;
        }
        if let Source::File { path, sets, .. } = session.source()
            && *path != self.saved.path
        {
            (self.saved.path, self.saved.sets, self.saved.compared) = (path.clone(), sets.clone(), None);
            if find(path).is_none() {
                self.recent.add(path);
            }
        }
        let title = self.titled(session);
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        if ctx.input(|input| input.viewport().close_requested()) && !self.admit_quit(session) {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
        }
    }

    fn titled(&mut self, session: &Session) -> String {
        let name = match session.source() {
            Source::File { path, .. } => Path::new(path).file_name().map(|name| name.to_string_lossy()),
            Source::Scene(_) => None,
        };
        let name = name.unwrap_or_else(|| session.frame().scene.name.as_str().into());
        let mark = if self.is_unsaved(session) { "* " } else { "" };
        format!("{mark}{name} - granule")
    }

    /// Shows what is asked; gives a scene that is to be loaded.
    pub fn show(&mut self, ctx: &egui::Context, session: &mut Session) -> Option<Source> {
        let load = self.show_question(ctx, session);
        self.show_mesh(ctx, session);
        let answer = self.dialog.as_mut().map_or(Answer::None, |dialog| dialog.show(ctx));
        match answer {
            Answer::None => return load,
            Answer::Cancelled => {}
            Answer::File(Purpose::Open, path) => {
                self.dialog = None;
                return self.admit(Source::file(path.display().to_string()), session);
            }
            Answer::File(purpose, path) => self.write(purpose, &path, session),
        }
        self.dialog = None;
        load
    }

    fn show_mesh(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some(mesh) = &mut self.mesh else { return };
        match mesh.show(ctx, &session.frame().scene) {
            Decision::None => return,
            Decision::Cancelled => {}
            Decision::Entry(list, entry) => session.add_entry(list, &entry),
        }
        self.mesh = None;
    }

    /// Asks what becomes of unsaved changes.
    fn show_question(&mut self, ctx: &egui::Context, session: &mut Session) -> Option<Source> {
        self.question.as_ref()?;
        let (mut save, mut discard) = (false, false);
        let mut cancel = ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
        let window = egui::Window::new("Unsaved changes").collapsible(false).resizable(false);
        window.anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
            ui.label("The scene was changed, and no file has the changes yet.");
            ui.horizontal(|ui| {
                save = ui.button("Save first").clicked();
                discard = ui.button("Discard changes").clicked();
                cancel |= ui.button("Stay").clicked();
            });
        });
        if save {
            discard = self.save(session);
            cancel = !discard;
        }
        if !(discard || cancel) {
            return None;
        }
        match self.question.take().filter(|_| discard)? {
            Intent::Load(source) => Some(source),
            Intent::Quit => {
                self.leaving = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                None
            }
        }
    }

    /// Asks for a file.
    fn ask(&mut self, purpose: Purpose, session: &Session) {
        let frame = session.frame();
        let (folder, name) = match session.source() {
            Source::File { path, .. } if find(path).is_none() => {
                let path = Path::new(path);
                (
                    path.parent().map(Path::to_path_buf),
                    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
                )
            }
            _ => (None, None),
        };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("."));
        let name = name.unwrap_or_else(|| frame.scene.name.replace(['/', '\\'], "-"));
        let stem = match purpose {
            Purpose::SaveCheckpoint | Purpose::ExportFrame => format!("{name}-{:06}", frame.frame),
            _ => name,
        };
        self.dialog = Some(Dialog::new(purpose, &folder, &stem));
    }

    fn write(&mut self, purpose: Purpose, path: &Path, session: &mut Session) {
        match purpose {
            Purpose::Open => {}
            Purpose::SaveScene => _ = self.save_in(path, session),
            Purpose::SaveRecording => self.save_recording(path, session),
            Purpose::SaveCheckpoint => checkpoint(session, path, &self.results.0),
            Purpose::ExportFrame => frame(session, path, &self.results.0),
            Purpose::Video => {
                let video = Video::begin(self.gpu.clone(), path, self.size, self.eye.clone());
                session.tap(video.sender(), &self.eye.look);
                session.note(Severity::Info, format!("a video is recorded into {}", path.display()));
                self.video = Some(video);
            }
        }
    }

    /// Saves the scene in its own file, or asks for one; says whether it is saved.
    fn save(&mut self, session: &mut Session) -> bool {
        match own_file(session.source()) {
            Some(file) if FileKind::of(&file.display().to_string()) == FileKind::Recording => {
                self.save_recording(&file, session);
                !self.is_unsaved(session)
            }
            Some(file) => self.save_in(&file, session),
            None => {
                self.ask(Purpose::SaveScene, session);
                false
            }
        }
    }

    /// Saves the scene in a file, which is its own from then on; says whether that went well.
    fn save_in(&mut self, file: &Path, session: &mut Session) -> bool {
        let source = session.source().clone();
        match save(&source, file) {
            Ok(()) => {
                session.note(Severity::Info, format!("scene in {}", file.display()));
                self.take_as_saved(file, session);
                true
            }
            Err(error) => {
                session.note(Severity::Error, error);
                false
            }
        }
    }

    /// What is set lies in the file now, except beneath a quick form, which goes over it.
    fn take_as_saved(&mut self, file: &Path, session: &mut Session) {
        let Source::File { quick, sets, .. } = session.source().clone() else { return };
        let sets = if quick { sets } else { Vec::new() };
        let path = file.display().to_string();
        (self.saved.path, self.saved.sets, self.saved.compared) = (path.clone(), sets.clone(), None);
        self.recent.add(&path);
        session.saved_as(Source::File { path, quick, sets });
    }

    /// Writes the scene and all that was done to it.
    fn save_recording(&mut self, file: &Path, session: &mut Session) {
        let mut recording = session.live().recording();
        recording.set_last_frame(session.frame().history.end.max(session.frame().frame));
        match recording.write(file) {
            Ok(()) => {
                session.note(Severity::Info, format!("scene and what was done in {}", file.display()));
                self.recent.add(&file.display().to_string());
                let own = own_file(session.source()).as_deref() == Some(file);
                if own {
                    self.saved.mark = session.live().command_mark();
                    self.take_as_saved(file, session);
                }
            }
            Err(error) => session.note(Severity::Error, format!("{}: {error}", file.display())),
        }
    }
}
