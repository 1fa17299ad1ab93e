//! The window without a display: what users do first, on whatever adapter there is.

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use granule::live::Source;
use granule::simulator::Command;
use granule_app::{App, AppOptions, Pane, Place, Severity};
use image::RgbaImage as Picture;

/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

fn options(scene: &str) -> AppOptions {
    let source = Source::File { path: scene.into(), quick: true, sets: Vec::new() };
    AppOptions { place: Place::Cpu, ..AppOptions::new(source) }
}

/// The window with a scene in its quick form on CPU cores; nothing where there is no adapter to draw with.
fn window(options: AppOptions) -> Option<Harness<'static, App>> {
    granule_testing::device()?;
    let builder = Harness::builder().with_size([960.0, 640.0]).with_step_dt(1.0 / 60.0);
    let builder = builder.wgpu_setup(granule_app::wgpu_setup());
    Some(builder.build_eframe(move |creation| App::new(creation, options).unwrap()))
}

/// Shows the window until something is so.
fn until(window: &mut Harness<App>, what: &str, so: impl Fn(&App) -> bool) {
    let begin = Instant::now();
    while !so(window.state()) {
        assert!(begin.elapsed() < PATIENCE, "{what}: {:?}", window.state().session().frame().frame);
        window.step();
    }
}

/// A picture of the window, so many times smaller.
fn shrunk(image: &Picture, factor: u32) -> granule_render::Image {
    let (width, height) = (image.width() / factor, image.height() / factor);
    let mut small = granule_render::Image::filled(width, height, [0, 0, 0, 255]);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let mut sum = [0_u32; 4];
        for (dx, dy) in (0..factor * factor).map(|k| (k % factor, k / factor)) {
            let pixel = image.get_pixel(factor * x + dx, factor * y + dy).0;
            sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(part));
        }
        small.blend(x as i32, y as i32, sum.map(|part| (part / (factor * factor)) as u8));
    }
    small
}

fn write_picture(image: &Picture, folder: &std::ffi::OsStr, name: &str) {
    let file = std::fs::File::create(std::path::Path::new(folder).join(name)).unwrap();
    shrunk(image, 1).write_png(std::io::BufWriter::new(file)).unwrap();
}

fn frame(app: &App) -> u64 {
    app.session().frame().frame
}

#[test]
fn sand_runs_at_once_pauses_steps_and_goes_back_in_time() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "it plays from the start", |app| frame(app) > 3);
    window.get_by_label("Pause").click();
    until(&mut window, "it pauses", |app| !app.session().frame().playing);
    let paused = frame(window.state());
    for _ in 0..20 {
        window.step();
    }
    assert_eq!(frame(window.state()), paused, "paused is paused");
    window.get_by_label("Next frame").click();
    until(&mut window, "a single frame", |app| frame(app) == paused + 1);
    window.key_press(egui::Key::Home);
    until(&mut window, "the first frame", |app| frame(app) == 0);
    window.get_by_label("Play").click();
    until(&mut window, "it plays on", |app| frame(app) > 1);
}

#[test]
fn a_parameter_acts_within_a_frame_and_what_cannot_change_on_the_way_begins_anew() {
    let mut start = options("column");
    start.playing = false;
    let Some(mut window) = window(start) else { return };
    window.run_steps(3);
    let angle = "material.sand.friction_angle";
    let field = window.get_by_label(angle);
    field.click();
    window.run_steps(2);
    window.get_by_label(angle).type_text("45");
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    until(&mut window, "the run hears of it", |app| !app.session().live().recording().commands().is_empty());
    let recording = window.state().session().live().recording();
    let command = &recording.commands()[0];
    assert_eq!((command.frame, &command.command), (0, &Command::Set { path: angle.into(), value: 45.0 }));
}

/// A file that a hand has dropped onto the window.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn a_broken_scene_is_told_and_the_old_one_runs_on() {
    let Some(mut window) = window(options("column")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.toml");
    std::fs::write(&path, "name = \"broken\"\n[[material]]\nradius = -1\n").unwrap();
    until(&mut window, "sand runs", |app| frame(app) > 1);
    window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path)));
    let told = |app: &App| {
        app.session()
            .log_lines()
            .any(|line| line.severity == Severity::Error && line.text.contains("broken.toml"))
    };
    until(&mut window, "the error is shown", told);
    let now = frame(window.state());
    until(&mut window, "the old scene runs on", |app| frame(app) > now + 1);
    assert_eq!(window.state().session().frame().scene.name, "column");
}

#[test]
fn the_palette_finds_actions_and_panels_can_be_hidden() {
    let Some(mut window) = window(options("column")) else { return };
    window.run_steps(3);
    assert!(window.query_by_label("Parameters").is_some());
    window.key_press(egui::Key::Tab);
    window.run_steps(2);
    assert!(window.query_by_label("Parameters").is_none(), "hidden");
    window.key_press(egui::Key::Tab);
    window.run_steps(2);
    assert!(window.query_by_label("Parameters").is_some());
    let before = window.state().look().shadows;
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(2);
    window.event(egui::Event::Text("shadows".into()));
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    assert_ne!(window.state().look().shadows, before);
}

/// The view shows sand, and the panels text: pictures of the states are written where `GRANULE_PICTURES` names a folder.
#[test]
fn the_window_shows_sand() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 15);
    let image = window.render().unwrap();
    if let Some(folder) = std::env::var_os("GRANULE_PICTURES") {
        write_picture(&image, &folder, "window.png");
    }
    let (width, height) = image.dimensions();
    let view = (0..height * 8 / 10).flat_map(|y| (0..width * 7 / 10).map(move |x| (x, y)));
    let is_sand = |&(x, y): &(u32, u32)| {
        let [r, g, b, _] = image.get_pixel(x, y).0.map(i32::from);
        r > g + 10 && g > b + 10
    };
    let sand = view.filter(is_sand).count() as f64 / f64::from(width * height);
    assert!((0.02..0.5).contains(&sand), "{sand} of the window is sand");
}

/// A collapse as an animated picture, where `GRANULE_PICTURES` names a folder.
#[test]
fn the_window_in_motion() {
    let Some(folder) = std::env::var_os("GRANULE_PICTURES") else { return };
    let mut start = options("column");
    start.playing = false;
    let Some(mut window) = window(start) else { return };
    let mut pictures = Vec::new();
    for number in 0..20 {
        until(&mut window, "the next frames", |app| frame(app) >= 2 * number);
        let image = window.render().unwrap();
        pictures.push(shrunk(&image, 3));
        for _ in 0..2 {
            let live = window.state().session().live();
            live.frame();
        }
    }
    let file = std::fs::File::create(std::path::Path::new(&folder).join("collapse.png")).unwrap();
    granule_render::write_animated_png(std::io::BufWriter::new(file), &pictures, 12.0).unwrap();
}

/// Sand poured from the hand comes down in the view and stands in the books.
#[test]
fn sand_is_poured_by_hand() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    let before = window.state().session().frame().ledger.particles;
    window.get_by_label("Pour").click();
    window.run_steps(2);
    let place = egui::pos2(340.0, 330.0);
    window.hover_at(place);
    window.step();
    window.drag_at(place);
    until(&mut window, "more grains", |app| app.session().frame().ledger.particles > before + 20);
    window.drop_at(place);
    window.step();
    let ledger = &window.state().session().frame().ledger;
    assert_eq!(ledger.unaccounted(), 0);
    assert!(ledger.emitted > 20);
}

/// A tool comes into the scene, is led through the sand, and undo takes all of it back.
#[test]
fn a_plate_digs_and_undo_takes_it_back() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    window.get_by_label("Plate").click();
    window.run_steps(2);
    window.drag_at(egui::pos2(340.0, 330.0));
    until(&mut window, "the plate is there", |app| app.session().frame().bodies.len() == 1);
    let start = window.state().session().frame().bodies[0].center;
    window.hover_at(egui::pos2(420.0, 400.0));
    let moved = |app: &App| {
        let bodies = &app.session().frame().bodies;
        bodies.first().is_some_and(|body| body.center.distance(start) > 0.03)
    };
    until(&mut window, "it follows the pointer", moved);
    window.drop_at(egui::pos2(420.0, 400.0));
    window.run_steps(3);
    window.get_by_label("Turn").click();
    window.get_by_label("Pause").click();
    until(&mut window, "it pauses", |app| !app.session().frame().playing);
    // A slow interface may have let more time pass than belongs to one movement.
    for _ in 0..5 {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        window.run_steps(3);
        let asked = window.state().session().live().pause();
        until(&mut window, "an answer", |app| app.session().frame().answered >= asked);
    }
    until(&mut window, "the plate is gone", |app| app.session().frame().bodies.is_empty());
    assert!(window.state().session().live().recording().commands().is_empty());
}

/// A panel goes into a window of its own, and back among the others when that is closed.
#[test]
fn a_panel_is_torn_off_and_comes_back() {
    let mut start = options("column");
    start.playing = false;
    let Some(mut window) = window(start) else { return };
    window.run_steps(3);
    assert!(window.query_by_label("Statistics").is_some(), "a tab");
    window.get_by_label("Panels").click();
    window.run_steps(3);
    window.get_by_label("Statistics in a window of its own").click();
    window.run_steps(3);
    assert_eq!(window.state().torn_off(), [Pane::Statistics]);
    window.get_by_label("Panels").click();
    window.run_steps(3);
    assert!(window.query_by_label("Statistics in a window of its own").is_none(), "it is in one");
    assert!(window.query_by_label("Log in a window of its own").is_some());
    // Shown among the panels again.
    window.get_by_role_and_label(egui::accesskit::Role::CheckBox, "Statistics").click();
    window.run_steps(3);
    assert!(window.state().torn_off().is_empty());
}

/// Sand that is sucked away is in the books.
#[test]
fn sand_is_taken_away_by_hand() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    let before = window.state().session().frame().ledger.particles;
    window.get_by_label("Suck").click();
    window.run_steps(2);
    window.drag_at(egui::pos2(340.0, 330.0));
    until(&mut window, "fewer grains", |app| app.session().frame().ledger.particles < before);
    window.drop_at(egui::pos2(340.0, 330.0));
    window.run_steps(2);
    let ledger = &window.state().session().frame().ledger;
    assert!(ledger.removed > 0 && ledger.unaccounted() == 0, "{ledger:?}");
}

#[test]
fn a_picked_grain_shows_its_row_of_numbers() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    window.get_by_label("Pick").click();
    window.get_by_label("Grain").click();
    window.run_steps(2);
    let place = egui::pos2(340.0, 330.0);
    window.drag_at(place);
    window.run_steps(2);
    window.drop_at(place);
    until(&mut window, "a grain is picked", |app| app.session().picked().is_some());
    let id = window.state().session().picked().unwrap();
    let whole =
        |app: &App| app.session().frame().snapshot.columns.len() == app.session().frame().fields.len();
    until(&mut window, "all its numbers come", whole);
    window.run_steps(2);
    assert!(window.query_by_label(&format!("Grain {id}")).is_some());
    assert!(window.query_all_by_label("pressure").count() > 0);
}

/// Two runs side by side: the same scene twice, one of them with another value.
#[test]
fn two_runs_stand_side_by_side_and_panels_are_about_one_of_them() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(2);
    window.event(egui::Event::Text("compare".into()));
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    assert_eq!(window.state().side_count(), 2);
    until(&mut window, "both run", |app| frame(app) > 2);
    assert!(
        window.query_by_label("Left: iisph").is_some() && window.query_by_label("Right: iisph").is_some()
    );
    if let Some(folder) = std::env::var_os("GRANULE_PICTURES") {
        write_picture(&window.render().unwrap(), &folder, "compare.png");
    }
    window.get_by_label("Left: iisph").click();
    window.run_steps(2);
}

/// Another solver cannot take this state over: the scene begins anew and the log says so; threads can be switched on the way.
#[test]
fn solver_and_threads_are_switched_while_sand_runs() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 2);
    window.get_by_label("Solver").click();
    window.run_steps(2);
    window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Threads").click();
    window.run_steps(3);
    window.get_by_label("1").click();
    let went_on = |app: &App| app.session().log_lines().any(|line| line.text.contains("goes on from frame"));
    until(&mut window, "it goes on", went_on);
    assert!(frame(window.state()) >= 2);
}

/// What the scene expects is plotted while it runs.
#[test]
fn expectations_are_measured_while_sand_runs() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| app.session().samples().len() > 3);
    let session = window.state().session();
    let height = session.frame().scene.expect.iter().position(|e| format!("{:?}", e.quantity) == "Height");
    let measured = session.samples().back().unwrap().expected[height.unwrap()].unwrap();
    assert!((0.1..0.35).contains(&measured), "{measured}");
    window.get_by_label("Plots").click();
    window.run_steps(3);
    assert!(window.query_by_label_contains("height, expected at the end").is_some());
}

/// Pictures of the states for docs/window.md, where `GRANULE_PICTURES` names a folder.
#[test]
fn scenes_are_shown_with_their_pictures_and_sand_is_cut_open() {
    let Some(mut window) = window(options("column")) else { return };
    until(&mut window, "sand runs", |app| frame(app) > 20);
    window.get_by_label("Scenes").click();
    window.run_steps(3);
    assert!(window.query_by_label("hourglass").is_some());
    let Some(folder) = std::env::var_os("GRANULE_PICTURES") else { return };
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        window.step();
    }
    let save = |window: &mut Harness<App>, name: &str| {
        write_picture(&window.render().unwrap(), &folder, name);
    };
    save(&mut window, "scenes.png");
    window.key_press(egui::Key::Num2);
    window.get_by_label("Look").click();
    window.run_steps(3);
    window.get_by_label("Cut open").click();
    window.run_steps(10);
    save(&mut window, "cut.png");
}

/// Grains of `dem` come with orientations, and with contacts once these are switched on in the panel.
#[test]
fn contacts_are_switched_on_in_the_look_panel() {
    let Some(mut window) = window(options("marbles")) else { return };
    until(&mut window, "grains fall", |app| {
        app.session().frame().snapshot.integer("id").is_some_and(|id| id.len() > 20)
    });
    let turned = |app: &App| app.session().frame().snapshot.column("orientation").is_some();
    until(&mut window, "marks need orientations", turned);
    assert!(window.state().session().frame().contacts.is_empty());
    window.get_by_label("Look").click();
    window.run_steps(2);
    window.get_by_label("Contacts").click();
    until(&mut window, "contacts come", |app| !app.session().frame().contacts.is_empty());
    let grains = window.state().session().grains(window.state().look());
    assert!(grains.bars.is_some() && grains.legend.is_some() && !grains.orientations.is_empty());
}
