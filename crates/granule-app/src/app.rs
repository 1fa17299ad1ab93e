//! The window: a live run, a view of it, panels around it.

use std::path::PathBuf;

use egui_tiles::{Behavior, SimplificationOptions, TileId, Tree, UiResponse};
use granule::live::{LiveOptions, Source, Speed};
use granule_render::CameraChoice;

use crate::AppError;
use crate::actions::{ACTIONS, Action, pressed};
use crate::files::Files;
use crate::layout;
use crate::look::Look;
use crate::options::AppOptions;
use crate::palette::Palette;
use crate::panels::parameters::Parameters;
use crate::panels::{log, look, plots, scenes, statistics};
use crate::picture::color_choices;
use crate::session::{Session, Severity};
use crate::tools::{Hands, Tool};
use crate::transport;
use crate::video::Eye;
use crate::viewport::Viewport;

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
            Self::Statistics => "Statistics",
            Self::Plots => "Plots",
            Self::Log => "Log",
        }
    }
}

/// All that panels show and change.
struct Contents {
    session: Session,
    viewport: Viewport,
    parameters: Parameters,
    look: Look,
    load: Option<Source>,
    hands: Hands,
}

/// The window.
pub struct App {
    contents: Contents,
    tree: Tree<Pane>,
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
        let simulation = options.simulation(&gpu)?;
        let live = LiveOptions {
            simulation,
            fields: ["position", "id", "material"].map(String::from).to_vec(),
            playing: options.playing,
            speed: Speed::RealTime(1.0),
            ..LiveOptions::default()
        };
        let session = Session::start(options.source.clone(), live)?;
        let files = Files::new(options.remember, gpu.clone(), options.picture_size);
        let viewport = Viewport::new(state, gpu)?;
        Ok(Self {
            contents: Contents {
                session,
                viewport,
                parameters: Parameters::default(),
                look,
                load: None,
                hands: Hands::default(),
            },
            tree: if options.remember { layout::remembered() } else { layout::first() },
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
        &self.contents.session
    }

    /// The live run, to be changed.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.contents.session
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
        let Contents { session, viewport, look, .. } = &mut self.contents;
        let frame = session.frame().clone();
        let live = session.live();
        let fields = frame.fields;
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
            Action::RealTime => _ = live.set_speed(Speed::RealTime(1.0)),
            Action::SlowMotion => _ = live.set_speed(Speed::RealTime(0.1)),
            Action::FullSpeed => _ = live.set_speed(Speed::Unlimited),
            Action::FrameAll => viewport.look_at_all(session, look, None),
            Action::ViewFront => viewport.look_at_all(session, look, Some(CameraChoice::Front)),
            Action::ViewTop => viewport.look_at_all(session, look, Some(CameraChoice::Top)),
            Action::ViewIso => viewport.look_at_all(session, look, Some(CameraChoice::Iso)),
            Action::NextColor => {
                let choices = color_choices(fields);
                let now = choices.iter().position(|name| *name == look.color_by).unwrap_or(0);
                look.color_by = choices[(now + 1) % choices.len()].into();
                session.choose_fields(look);
            }
            Action::Shadows => look.shadows = !look.shadows,
            Action::Walls => look.walls = !look.walls,
            Action::Screenshot => self.save_picture(None),
            Action::Panels => self.panels = !self.panels,
            Action::Palette => self.palette.toggle(),
            Action::Help => self.help = !self.help,
            Action::Quit => {
                if self.files.admit_quit(session) {
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
            Action::Open
            | Action::Save
            | Action::SaveAs
            | Action::SaveRecording
            | Action::SaveCheckpoint
            | Action::ExportFrame
            | Action::Record => self.files.act(action, session),
        }
        ctx.request_repaint();
    }

    /// Writes the view into a file, into the working folder where none is named.
    fn save_picture(&mut self, path: Option<PathBuf>) {
        let Contents { session, viewport, look, .. } = &mut self.contents;
        let frame = session.frame().clone();
        let name = || PathBuf::from(format!("{}-{:06}.png", frame.scene.name, frame.frame));
        let path = path.unwrap_or_else(name);
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
            let frame = self.contents.session.frame();
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

    fn drops(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        if let Some(path) = dropped.first().map(|file| file.path().to_path_buf()) {
            let Contents { session, look, load, .. } = &mut self.contents;
            *load = self.files.drop(&path, || session.grains(look).bounds()).or(load.take());
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
        let halted = self.contents.session.frame().halted.is_some();
        if self.contents.session.frame().frame < frames && !halted {
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
        self.files.end_video(&mut self.contents.session, true);
        if self.options.remember {
            layout::remember(&self.tree);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.shown += 1;
        let look = self.contents.look.clone();
        self.contents.session.poll(&look);
        self.files.follow(&mut self.contents.session, &ctx);
        let mut action = pressed(&ctx);
        self.drops(&ctx);
        if self.panels {
            egui::Panel::top("menus").show(ui, |ui| action = self.menus(ui).or(action));
        }
        egui::Panel::bottom("transport").show(ui, |ui| {
            action = transport::show(ui, &self.contents.session).or(action);
        });
        egui::CentralPanel::no_frame().show(ui, |ui| match self.panels {
            true => self.tree.ui(&mut self.contents, ui),
            false => self.contents.view(ui),
        });
        action = self.palette.show(&ctx).or(action);
        self.keys(&ctx);
        let Contents { session, viewport, load, look, .. } = &mut self.contents;
        self.files.see(Eye { camera: viewport.rig.camera(), look: look.clone() });
        let wanted = load.take().and_then(|source| self.files.admit(source, session));
        if let Some(source) = wanted.or(self.files.show(&ctx, session)) {
            session.load(source);
            viewport.forget_view();
        }
        if let Some(action) = action {
            self.act(action, &ctx);
        }
        self.run_unattended(&ctx);
        // A published frame is seen within a sixtieth of a second, whatever the simulation does.
        let frame = self.contents.session.frame();
        let busy = frame.playing || frame.seeking.is_some() || self.started.elapsed().as_secs() < 2;
        ctx.request_repaint_after(std::time::Duration::from_millis(if busy { 16 } else { 100 }));
    }
}

impl Contents {
    fn view(&mut self, ui: &mut egui::Ui) {
        let Self { session, viewport, look, hands, .. } = self;
        viewport.looks = hands.tool == Tool::Look;
        let response = viewport.show(ui, session, look);
        let pressed = response.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_down());
        let command = match response.interact_pointer_pos().filter(|_| pressed) {
            Some(pointer) => {
                let (at, ray) = viewport.pointed_at(pointer, response.rect);
                hands.press(&session.frame().scene, at, ray)
            }
            None => hands.release(),
        };
        if let Some(command) = command {
            session.live().apply(command);
            ui.ctx().request_repaint();
        }
        egui::Area::new(egui::Id::unique("tools"))
            .fixed_pos(response.rect.left_top() + egui::vec2(8.0, 8.0))
            .show(ui.ctx(), |ui| {
                egui::Frame::popup(ui.style()).show(ui, |ui| {
                    ui.horizontal(|ui| {
                        for (tool, name) in Tool::ALL {
                            ui.selectable_value(&mut hands.tool, tool, name);
                        }
                    });
                });
            });
    }
}

impl Behavior<Pane> for Contents {
    fn pane_ui(&mut self, ui: &mut egui::Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        if *pane == Pane::View {
            self.view(ui);
            return UiResponse::None;
        }
        egui::Frame::central_panel(ui.style()).show(ui, |ui| match pane {
            Pane::View => {}
            Pane::Scenes => self.load = scenes::show(ui, self.session.source()).or(self.load.take()),
            Pane::Parameters => self.parameters.show(ui, &mut self.session),
            Pane::Look => {
                if look::show(ui, &self.session, &mut self.look, &mut self.viewport.habit) {
                    self.session.choose_fields(&self.look);
                }
            }
            Pane::Statistics => statistics::show(ui, &self.session),
            Pane::Plots => plots::show(ui, &self.session),
            Pane::Log => log::show(ui, &self.session),
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        pane.title().into()
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..Default::default() }
    }
}
