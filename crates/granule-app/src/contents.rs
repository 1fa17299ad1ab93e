//! All that panels show and change.

use egui_tiles::{Behavior, SimplificationOptions, TileId, UiResponse};
use granule::live::Source;
use granule_device::GpuDevice;

use crate::AppError;
use crate::app::Pane;
use crate::fit::fitted;
use crate::gallery::Gallery;
use crate::gamepad::Gamepad;
use crate::hands::{Drive, Hands, Tool, ToolKind};
use crate::look::Look;
use crate::options::AppOptions;
use crate::panels::parameters::Parameters;
use crate::panels::{bodies, grain, log, look, plots, scenes, solver, statistics};
use crate::places::{CPU, Places};
use crate::session::{Session, Severity};
use crate::side::{Side, live_options};
use crate::viewport::Viewport;

/// What whoever sees the window for the first time should know.
const HINT: &str =
    "Drag to turn, wheel to come nearer, Space to pause. Ctrl-K finds everything, ? shows the keys.";

/// All that panels show and change.
pub struct Contents {
    /// One run, or two that are compared.
    pub sides: Vec<Side>,
    /// The run that panels are about.
    pub active: usize,
    /// How sand is shown.
    pub look: Look,
    /// A scene to be loaded.
    pub load: Option<Source>,
    /// Hands.
    pub hands: Hands,
    /// Whether nobody has touched the view yet.
    untouched: bool,
    parameters: Parameters,
    gallery: Gallery,
    gamepad: Gamepad,
    places: Places,
    /// Most bytes of the past of each run.
    history_bytes: usize,
}

impl Contents {
    /// Starts the scene on the window's device.
    ///
    /// # Errors
    /// Says what is wrong with the scene or the driver.
    pub fn new(
        state: egui_wgpu::RenderState,
        gpu: GpuDevice,
        look: Look,
        options: &AppOptions,
    ) -> Result<Self, AppError> {
        let places = Places::new(gpu.clone(), options);
        let setting = places.first(options);
        let asked_for = options.place == crate::options::Place::Gpu;
        let simulation = places.options(&setting, asked_for);
        let live = live_options(simulation, options.playing, options.history_bytes);
        let source = match options.fits_machine {
            true => fitted(&options.source, setting.place != CPU, setting.threads),
            false => options.source.clone(),
        };
        let session = Session::start(source, setting, live)?;
        let viewport = Viewport::new(state, gpu)?;
        Ok(Self {
            sides: vec![Side { session, viewport }],
            active: 0,
            look,
            load: None,
            hands: Hands::default(),
            untouched: true,
            parameters: Parameters::default(),
            gallery: Gallery::default(),
            gamepad: Gamepad::find(),
            places,
            history_bytes: options.history_bytes,
        })
    }

    /// The run that panels are about.
    pub fn session(&self) -> &Session {
        &self.sides[self.active].session
    }

    /// The run that panels are about.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.sides[self.active].session
    }

    /// Takes what is new in all runs.
    pub fn poll(&mut self) {
        for side in &mut self.sides {
            side.session.poll(&self.look);
        }
    }

    /// Loads the scene that was asked for, in all runs.
    pub fn load_wanted(&mut self) {
        let Some(source) = self.load.take() else { return };
        self.hands.let_go_of_everything();
        for side in &mut self.sides {
            side.session.load(source.clone());
            side.session.pick(None);
            side.viewport.forget_view();
        }
    }

    /// Puts a second run of the same scene beside the first, both from the beginning; or takes it away.
    pub fn compare(&mut self) {
        self.active = 0;
        if self.sides.len() > 1 {
            self.sides.truncate(1);
            return;
        }
        let first = &mut self.sides[0];
        let (source, setting) = (first.session.source().clone(), first.session.setting().clone());
        let simulation = self.places.options(&setting, false);
        let live = live_options(simulation, first.session.frame().playing, self.history_bytes);
        let second = Session::start(source, setting, live).map_err(AppError::from);
        let second = second.and_then(|session| Ok(Side { session, viewport: first.viewport.another()? }));
        match second {
            Err(error) => first.session.note(Severity::Error, error.to_string()),
            Ok(side) => {
                first.session.live().seek(0);
                self.sides.push(side);
                self.active = 1;
            }
        }
    }

    /// How the keys and the gamepad drive the blade.
    fn drive(&mut self, ui: &egui::Ui) -> Drive {
        use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, PageDown, PageUp};
        if self.hands.tool != Tool::Body(ToolKind::Blade) {
            return Drive::default();
        }
        let keys = ui.input(|input| {
            let axis = |more, less| {
                f32::from(u8::from(input.key_down(more))) - f32::from(u8::from(input.key_down(less)))
            };
            Drive {
                forward: axis(ArrowUp, ArrowDown),
                left: axis(ArrowLeft, ArrowRight),
                up: axis(PageUp, PageDown),
            }
        });
        let pad = self.gamepad.drive();
        let both = |key: f32, stick: f32| (key + stick).clamp(-1.0, 1.0);
        Drive {
            forward: both(keys.forward, pad.forward),
            left: both(keys.left, pad.left),
            up: both(keys.up, pad.up),
        }
    }

    /// The view, or two beside each other that share a camera.
    pub fn view(&mut self, ui: &mut egui::Ui) {
        let drive = self.drive(ui);
        let room = ui.available_rect_before_wrap();
        let corner = room.left_top();
        let count = self.sides.len();
        let width = ui.available_width() / count as f32;
        let mut moved = None;
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.horizontal_top(|ui| {
            for k in 0..count {
                let side = &mut self.sides[k];
                let before = side.viewport.rig;
                let drive = if k == self.active { drive } else { Drive::default() };
                let touched = ui.push_id(k, |ui| {
                    ui.allocate_ui(egui::vec2(width, ui.available_height()), |ui| {
                        side.show(ui, &self.look, &mut self.hands, drive)
                    })
                });
                if touched.inner.inner {
                    self.active = k;
                    self.untouched = false;
                }
                if side.viewport.rig != before {
                    moved = Some(side.viewport.rig);
                }
            }
        });
        if let Some(rig) = moved {
            for side in &mut self.sides {
                side.viewport.rig = rig;
            }
        }
        if self.untouched {
            let place =
                egui::Rect::from_min_max(room.left_bottom() - egui::vec2(0.0, 28.0), room.right_bottom());
            ui.put(place, egui::Label::new(HINT).selectable(false).truncate());
        }
        self.tool_bar(ui, corner);
    }

    fn tool_bar(&mut self, ui: &egui::Ui, corner: egui::Pos2) {
        let place = corner + egui::vec2(8.0, 8.0);
        egui::Area::new(egui::Id::unique("tools")).fixed_pos(place).show(ui.ctx(), |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                ui.horizontal(|ui| {
                    for (tool, name) in Tool::ALL {
                        ui.selectable_value(&mut self.hands.tool, tool, name).on_hover_text(tool.hint());
                    }
                });
                if self.sides.len() > 1 {
                    ui.horizontal(|ui| {
                        for (k, name) in ["Left", "Right"].into_iter().enumerate() {
                            let frame = self.sides[k].session.frame();
                            let text = format!("{name}: {}", frame.solver);
                            ui.selectable_value(&mut self.active, k, text)
                                .on_hover_text("Panels are about this run");
                        }
                    });
                }
            });
        });
    }

    /// A panel.
    pub fn panel(&mut self, ui: &mut egui::Ui, pane: Pane) {
        let side = &mut self.sides[self.active];
        let session = &mut side.session;
        match pane {
            Pane::View => {}
            Pane::Scenes => {
                self.gallery.advance(ui.ctx(), |frame| side.viewport.thumbnail(frame, crate::gallery::SIZE));
                self.load = scenes::show(ui, session.source(), &self.gallery).or(self.load.take());
            }
            Pane::Parameters => self.parameters.show(ui, session),
            Pane::Look => {
                if look::show(ui, session, &mut self.look, &mut side.viewport.habit) {
                    session.choose_fields(&self.look);
                }
            }
            Pane::Solver => solver::show(ui, session, &self.places),
            Pane::Bodies => bodies::show(ui, session, &mut self.hands),
            Pane::Grain => grain::show(ui, session),
            Pane::Statistics => statistics::show(ui, session),
            Pane::Plots => plots::show(ui, session),
            Pane::Log => log::show(ui, session),
        }
    }
}

impl Behavior<Pane> for Contents {
    fn pane_ui(&mut self, ui: &mut egui::Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        if *pane == Pane::View {
            self.view(ui);
        } else {
            egui::Frame::central_panel(ui.style()).show(ui, |ui| self.panel(ui, *pane));
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        pane.title().into()
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..Default::default() }
    }
}
