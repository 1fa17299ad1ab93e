//! The window: a live run, a view of it, panels around it.

use std::path::{Path, PathBuf};

use egui_tiles::Tree;
use granule::live::Speed;
use granule_render::CameraChoice;

use crate::AppError;
use crate::actions::{ACTIONS, Action, pressed};
use crate::contents::Contents;
use crate::files::{Files, unused_file};
use crate::hands::{Tool, ToolKind};
use crate::layout;
use crate::look::Look;
use crate::options::AppOptions;
use crate::palette::Palette;
use crate::picture::color_choices;
use crate::session::{Session, Severity};
use crate::torn::TornOff;
use crate::transport;
use crate::video::Eye;

/// A panel or the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Pane {
    /// The picture.
    View,
    /// Scenes to choose from.
    Scenes,
    /// Keys of the scene.
    Parameters,
    /// Colours and light.
    Look,
    /// Solver and device.
    Solver,
    /// Bodies, tools, emitters, gravity.
    Bodies,
    /// The grain that was picked.
    Grain,
    /// Numbers of the newest frame.
    Statistics,
    /// Numbers over time.
    Plots,
    /// What has happened.
    Log,
}

impl Pane {
    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::View => "View",
            Self::Scenes => "Scenes",
            Self::Parameters => "Parameters",
            Self::Look => "Look",
            Self::Solver => "Solver",
            Self::Bodies => "Bodies",
            Self::Grain => "Grain",
            Self::Statistics => "Statistics",
            Self::Plots => "Plots",
            Self::Log => "Log",
        }
    }
}

/// The window.
pub struct App {
    contents: Contents,
    tree: Tree<Pane>,
    torn: TornOff,
    palette: Palette,
    files: Files,
    help: bool,
    panels: bool,
    started: std::time::Instant,
    options: AppOptions,
    /// Frames of the interface that were shown.
    shown: u64,
}

impl App {
    /// Starts the scene on the window's device.
    ///
    /// # Errors
    /// Says what is wrong with the scene, the device or the driver.
    pub fn new(creation: &eframe::CreationContext, options: AppOptions) -> Result<Self, AppError> {
        let state = creation.wgpu_render_state.clone().ok_or(AppError::NoDevice)?;
        let (gpu, look) = options.adopt(&state)?;
        let files = Files::new(options.remember, gpu.clone(), options.picture_size);
        Ok(Self {
            contents: Contents::new(state, gpu, look, &options)?,
            tree: if options.remember { layout::remembered() } else { layout::first() },
            torn: TornOff::default(),
            palette: Palette::default(),
            files,
            help: false,
            panels: true,
            started: std::time::Instant::now(),
            options,
            shown: 0,
        })
    }

    /// The live run as the window sees it.
    pub fn session(&self) -> &Session {
        self.contents.session()
    }

    /// How many runs stand side by side.
    pub fn side_count(&self) -> usize {
        self.contents.sides.len()
    }

    /// Frames of the interface that were shown.
    pub fn shown(&self) -> u64 {
        self.shown
    }

    /// The live run, to be changed.
    pub fn session_mut(&mut self) -> &mut Session {
        self.contents.session_mut()
    }

    /// Panels in windows of their own.
    pub fn torn_off(&self) -> &[Pane] {
        self.torn.panes()
    }

    /// What the window is called.
    pub fn title(&self) -> &str {
        self.files.title()
    }

    /// How sand is shown.
    pub fn look(&self) -> &Look {
        &self.contents.look
    }

    /// Does what was asked for.
    pub fn act(&mut self, action: Action, ctx: &egui::Context) {
        self.run(action);
        let Contents { sides, active, look, .. } = &mut self.contents;
        let side = &mut sides[*active];
        let view = |from| Some(from);
        match action {
            Action::FrameAll => side.viewport.look_at_all(&side.session, look, None),
            Action::FramePicked => side.viewport.look_at_picked(&side.session),
            Action::ViewFront => side.viewport.look_at_all(&side.session, look, view(CameraChoice::Front)),
            Action::ViewTop => side.viewport.look_at_all(&side.session, look, view(CameraChoice::Top)),
            Action::ViewIso => side.viewport.look_at_all(&side.session, look, view(CameraChoice::Iso)),
            Action::NextColor => {
                let choices = color_choices(side.session.frame().fields);
                let now = choices.iter().position(|name| *name == look.color_by).unwrap_or(0);
                self.color_by((now + 1) % choices.len());
            }
            Action::Shadows => look.shadows = !look.shadows,
            Action::Walls => look.walls = !look.walls,
            Action::Compare => self.contents.compare(),
            Action::Screenshot => self.save_picture(None),
            Action::Panels => self.panels = !self.panels,
            Action::Palette => self.palette.toggle(),
            Action::Help => self.help = !self.help,
            Action::Quit => {
                if self.files.admit_quit(self.contents.session()) {
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
            _ => self.files.act(action, self.contents.session_mut()),
        }
        ctx.request_repaint();
    }

    /// What is done to time, in all runs.
    fn run(&mut self, action: Action) {
        let frame = self.contents.session().frame().clone();
        for side in &self.contents.sides {
            let live = side.session.live();
            match action {
                Action::PlayOrPause if frame.playing => _ = live.pause(),
                Action::PlayOrPause => _ = live.play(),
                Action::Step => _ = live.step(),
                Action::NextFrame => _ = live.frame(),
                Action::PreviousFrame => {
                    live.pause();
                    live.seek(frame.frame.saturating_sub(1));
                }
                Action::FirstFrame => _ = live.seek(0),
                Action::Reset => _ = live.reset(),
                Action::Undo => _ = live.undo(),
                Action::RealTime => _ = live.set_speed(Speed::RealTime(1.0)),
                Action::SlowMotion => _ = live.set_speed(Speed::RealTime(0.1)),
                Action::FullSpeed => _ = live.set_speed(Speed::Unlimited),
                _ => {}
            }
        }
        if matches!(action, Action::Reset | Action::Undo) {
            self.contents.hands.let_go_of_everything();
        }
    }

    /// Colours grains by a field, by its number in the list of choices.
    fn color_by(&mut self, choice: usize) {
        let Contents { sides, look, active, .. } = &mut self.contents;
        let choices = color_choices(sides[*active].session.frame().fields);
        if let Some(name) = choices.get(choice) {
            look.color_by = (*name).into();
            for side in sides {
                side.session.choose_fields(look);
            }
        }
    }

    /// Number keys choose colours.
    fn number_keys(&mut self, ctx: &egui::Context) {
        use egui::Key::{Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        for (choice, key) in [Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9].into_iter().enumerate() {
            if ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key)) {
                self.color_by(choice);
            }
        }
    }

    /// Writes the view into a file, into the working folder where none is named.
    fn save_picture(&mut self, path: Option<PathBuf>) {
        let Contents { sides, active, look, .. } = &mut self.contents;
        let crate::side::Side { session, viewport } = &mut sides[*active];
        let frame = session.frame().clone();
        let stem = format!("{}-{:06}", frame.scene.name.replace(['/', '\\'], "-"), frame.frame);
        let path = path.unwrap_or_else(|| unused_file(Path::new(""), &stem, "png"));
        let size = self.options.picture_size;
        let written =
            viewport.screenshot(session, look, size).map_err(|error| error.to_string()).and_then(|image| {
                let write = granule::io::write_atomic(&path, |writer| image.write_png(writer));
                write.map_err(|error| error.to_string())
            });
        match written {
            Ok(()) => session.note(Severity::Info, format!("picture in {}", path.display())),
            Err(error) => session.note(Severity::Error, format!("{}: {error}", path.display())),
        }
    }

    fn menus(&mut self, ui: &mut egui::Ui) -> Option<Action> {
        let mut action = None;
        egui::MenuBar::new().ui(ui, |ui| {
            for menu in ["File", "Run", "View", "Help"] {
                ui.menu_button(menu, |ui| {
                    for info in ACTIONS.iter().filter(|info| info.menu == menu) {
                        let keys = info.key.map_or(String::new(), |key| ui.ctx().format_shortcut(&key));
                        if ui.add(egui::Button::new(info.name).shortcut_text(keys)).clicked() {
                            action = Some(info.action);
                            ui.close();
                        }
                    }
                    if menu == "File" {
                        let load = &mut self.contents.load;
                        *load = self.files.recent_menu(ui).or(load.take());
                    }
                });
            }
            self.torn.menu(ui, &mut self.tree);
            let frame = self.contents.session().frame();
            ui.separator();
            ui.strong(&frame.scene.name);
            ui.weak(format!("{} on {}", frame.solver, frame.device));
            if let Some(count) = self.files.recorded() {
                ui.label(format!("video: {count} frames"));
            }
            if let Some(reason) = &frame.halted {
                ui.colored_label(ui.visuals().error_fg_color, format!("stopped: {reason}"));
            }
        });
        action
    }

    /// Takes what has become of files; where no video is recorded, no run is.
    fn follow_files(&mut self, ctx: &egui::Context) {
        self.files.follow(self.contents.session_mut(), ctx);
        if self.files.recorded().is_none() {
            let Contents { sides, look, .. } = &mut self.contents;
            sides.iter_mut().for_each(|side| side.session.tap(None, look));
        }
    }

    /// Loads what was asked for, once nothing is lost by it.
    fn load_wanted(&mut self, ctx: &egui::Context) {
        let contents = &mut self.contents;
        let camera = contents.sides[contents.active].viewport.rig.camera();
        self.files.see(Eye { camera, look: contents.look.clone() });
        let wanted = contents.load.take();
        let wanted = wanted.and_then(|source| self.files.admit(source, contents.session()));
        contents.load = wanted.or(self.files.show(ctx, contents.session_mut()));
        contents.load_wanted();
    }

    fn drops(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        if let Some(path) = dropped.first().map(|file| file.path().to_path_buf()) {
            let contents = &self.contents;
            let region = || contents.session().grains(&contents.look).bounds();
            let source = self.files.drop(&path, region);
            self.contents.load = source.or(self.contents.load.take());
        }
    }

    fn keys(&mut self, ctx: &egui::Context) {
        if !self.help {
            return;
        }
        egui::Window::new("Keys").open(&mut self.help).collapsible(false).show(ctx, |ui| {
            egui::Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
                for info in ACTIONS {
                    if let Some(key) = info.key {
                        ui.monospace(ui.ctx().format_shortcut(&key));
                        ui.label(info.name);
                        ui.end_row();
                    }
                }
                for (keys, does) in [
                    ("drag", "turn"),
                    ("Shift drag, right drag", "move"),
                    ("wheel", "nearer"),
                    ("WASD QE", "fly"),
                ] {
                    ui.monospace(keys);
                    ui.label(does);
                    ui.end_row();
                }
            });
        });
    }

    /// The run without anybody before it: a picture after so many frames, then the end.
    fn run_unattended(&mut self, ctx: &egui::Context) {
        let Some(frames) = self.options.frames else { return };
        ctx.request_repaint();
        let halted = self.contents.session().frame().halted.is_some();
        if self.contents.session().frame().frame < frames && !halted {
            return;
        }
        if let Some(path) = self.options.screenshot.take() {
            self.save_picture(Some(path));
        }
        self.options.frames = None;
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
    }
}

impl eframe::App for App {
    fn on_exit(&mut self) {
        self.files.end_video(self.contents.session_mut(), true);
        if self.options.remember {
            layout::remember(&self.tree);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.shown += 1;
        self.contents.poll();
        self.follow_files(&ctx);
        // Arrow keys drive the blade where it is in the hand.
        let driving = self.contents.hands.tool == Tool::Body(ToolKind::Blade);
        let mut action = pressed(&ctx, driving);
        self.number_keys(&ctx);
        self.drops(&ctx);
        if self.panels {
            egui::Panel::top("menus").show(ui, |ui| action = self.menus(ui).or(action));
        }
        egui::Panel::bottom("transport").show(ui, |ui| {
            action = transport::show(ui, self.contents.session()).or(action);
        });
        egui::CentralPanel::no_frame().show(ui, |ui| match self.panels {
            true => self.tree.ui(&mut self.contents, ui),
            false => self.contents.view(ui),
        });
        action = self.palette.show(&ctx).or(action);
        self.keys(&ctx);
        self.torn.show(&ctx, &mut self.tree, &mut self.contents);
        self.load_wanted(&ctx);
        if let Some(action) = action {
            self.act(action, &ctx);
        }
        self.run_unattended(&ctx);
        // A published frame is seen within a sixtieth of a second, whatever the simulation does.
        let frame = self.contents.session().frame();
        let busy = frame.playing || frame.seeking.is_some() || self.started.elapsed().as_secs() < 2;
        ctx.request_repaint_after(std::time::Duration::from_millis(if busy { 16 } else { 100 }));
    }
}
