//! Files of the window: what is opened, saved, asked about, dropped and recorded.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use granule::io::{Checkpoint, Exporter, FramesIndex, RunFolder, read_ply};
use granule::live::{Recording, Source};
use granule::scene::ExportFormat;
use granule::{Command, Options, Scene, Simulation};
use granule_app::{Action, App, AppOptions, Place, Severity};

/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

const SCENE: &str = "# A small block.
name = \"block\"

[simulation]
seconds = 1

[[material]]
name = \"sand\"
radius = 0.02  # [m]

[[grains]]
material = \"sand\"
shape.box = { min = [0, 0, 0], max = [0.24, 0.24, 0.24] }

[[boundary]]
name = \"floor\"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
";

fn scene_file(folder: &Path) -> PathBuf {
    let path = folder.join("block.toml");
    std::fs::write(&path, SCENE).unwrap();
    path
}

/// The window, paused, on CPU cores; nothing where there is no adapter to draw with.
fn window(path: &Path) -> Option<Harness<'static, App>> {
    granule_testing::device()?;
    let source = Source::file(path.display().to_string());
    let options = AppOptions {
        place: Place::Cpu,
        threads: Some(1),
        playing: false,
        picture_size: [160, 90],
        ..AppOptions::new(source)
    };
    let builder = Harness::builder().with_size([960.0, 640.0]).with_step_dt(1.0 / 60.0);
    let builder = builder.wgpu_setup(granule_app::wgpu_setup());
    let mut window = builder.build_eframe(move |creation| App::new(creation, options).unwrap());
    window.run_steps(3);
    Some(window)
}

/// Shows the window until something is so.
#[track_caller]
fn until(window: &mut Harness<App>, what: &str, so: impl Fn(&App) -> bool) {
    let begin = Instant::now();
    while !so(window.state()) {
        let log: Vec<&str> = window.state().session().log_lines().map(|line| line.text.as_str()).collect();
        assert!(begin.elapsed() < PATIENCE, "{what}: {log:?}");
        window.step();
    }
}

/// Does something from a menu, then shows the window a little.
fn act(window: &mut Harness<App>, action: Action) {
    let ctx = window.ctx.clone();
    window.state_mut().act(action, &ctx);
    window.run_steps(2);
}

fn seek(window: &mut Harness<App>, frame: u64) {
    window.state().session().live().seek(frame);
    until(window, "a frame", |app| {
        let now = app.session().frame();
        now.frame == frame && now.seeking.is_none()
    });
}

fn apply(window: &mut Harness<App>, command: Command) {
    let before = window.state().session().live().command_mark().0;
    window.state().session().live().apply(command);
    until(window, "a command", |app| app.session().live().command_mark().0 > before);
}

/// Writes a name into the open dialog and accepts it.
fn name_file(window: &mut Harness<App>, name: &str, button: &str) {
    window.get_by_label("File name").focus();
    window.run_steps(1);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.get_by_label("File name").type_text(name);
    window.run_steps(2);
    window.get_by_label(button).click();
    window.run_steps(3);
}

fn told(app: &App, severity: Severity, words: &str) -> bool {
    app.session().log_lines().any(|line| line.severity == severity && line.text.contains(words))
}

/// A file that a hand has dropped onto the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn drop_file(window: &mut Harness<App>, path: PathBuf) {
    window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path)));
    window.run_steps(2);
}

fn hash_at(window: &mut Harness<App>, frame: u64) -> u64 {
    seek(window, frame);
    let (sender, receiver) = std::sync::mpsc::channel();
    let live = window.state().session().live();
    live.with_simulation(move |simulation| sender.send(simulation.simulator().state_hash()).unwrap());
    receiver.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn what_was_done_is_saved_and_replayed_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&scene_file(folder.path())) else { return };
    seek(&mut window, 2);
    apply(&mut window, Command::Gravity([2.0, -9.81, 0.0].into()));
    let hash = hash_at(&mut window, 6);
    act(&mut window, Action::SaveRecording);
    name_file(&mut window, "mine", "Save file");
    let file = folder.path().join("mine.granule");
    let recording = Recording::read(&file).unwrap();
    assert_eq!((recording.commands().len(), recording.last_frame()), (1, 6));
    let replayed = recording.replay(6, &Options { threads: Some(2), ..Options::default() }).unwrap();
    assert_eq!(replayed.simulator().state_hash(), hash, "without a window");
    // Dropped onto the window it begins at once, and its time line is known.
    act(&mut window, Action::Reset);
    drop_file(&mut window, file.clone());
    until(&mut window, "the recording begins", |app| app.session().frame().history.end == 6);
    assert_eq!(hash_at(&mut window, 6), hash);
    until(&mut window, "its name", |app| app.title() == "mine.granule - granule");
    // A broken one is told by its name, and the old one stays.
    std::fs::write(folder.path().join("old.granule"), "format = 99\nscene = \"\"\n").unwrap();
    drop_file(&mut window, folder.path().join("old.granule"));
    until(&mut window, "the error", |app| told(app, Severity::Error, "old.granule"));
    assert_eq!(window.state().session().frame().frame, 6);
    assert_eq!(window.state().title(), "mine.granule - granule");
}

#[test]
fn unsaved_changes_are_marked_asked_about_and_saved_with_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene_file(folder.path());
    let Some(mut window) = window(&path) else { return };
    assert_eq!(window.state().title(), "block.toml - granule");
    window.state_mut().session_mut().edit("material.sand.friction_angle", "45");
    until(&mut window, "a mark", |app| app.title() == "* block.toml - granule");
    // Another scene would lose them.
    let other = folder.path().join("other.toml");
    std::fs::write(&other, SCENE.replace("\"block\"", "\"other\"")).unwrap();
    drop_file(&mut window, other.clone());
    window.get_by_label("Stay").click();
    window.run_steps(3);
    assert_eq!(window.state().session().frame().scene.name, "block");
    act(&mut window, Action::Quit);
    assert!(window.query_by_label("Discard changes").is_some(), "the end would lose them, too");
    window.key_press(egui::Key::Escape);
    window.run_steps(2);
    assert!(window.query_by_label("Discard changes").is_none());
    // Saved in another file, then there is nothing to ask about, and the run goes on.
    seek(&mut window, 2);
    act(&mut window, Action::SaveAs);
    name_file(&mut window, "block.toml", "Save file");
    assert!(window.query_by_label("Save file").is_some(), "an old file is not overwritten");
    name_file(&mut window, "copy.toml", "Save file");
    let copy = std::fs::read_to_string(folder.path().join("copy.toml")).unwrap();
    assert!(copy.contains("# A small block.") && copy.contains("friction_angle = 45"), "{copy}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), SCENE, "the old file is as it was");
    until(&mut window, "no mark", |app| app.title() == "copy.toml - granule");
    std::thread::sleep(Duration::from_millis(700));
    window.run_steps(3);
    assert_eq!(window.state().session().frame().frame, 2, "saving does not begin the scene anew");
    drop_file(&mut window, other);
    until(&mut window, "the other scene", |app| app.session().frame().scene.name == "other");
}

#[test]
fn files_are_opened_from_a_list_and_remembered_ones_from_a_menu() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene_file(folder.path());
    std::fs::write(folder.path().join("other.toml"), SCENE.replace("\"block\"", "\"other\"")).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "").unwrap();
    let Some(mut window) = window(&path) else { return };
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    window.run_steps(3);
    assert!(window.query_by_label("notes.txt").is_none(), "only what can be opened is listed");
    window.get_by_label("other.toml").click();
    window.run_steps(2);
    window.get_by_label("Open file").click();
    until(&mut window, "the other scene", |app| app.session().frame().scene.name == "other");
    window.run_steps(2);
    window.get_by_label("File").click();
    window.run_steps(2);
    window.get_by_label("Open recent").click();
    window.run_steps(3);
    let recent = path.display().to_string();
    window.get_by_label(&recent).click();
    until(&mut window, "the first scene", |app| app.session().frame().scene.name == "block");
}

#[test]
fn a_checkpoint_and_a_frame_are_written_and_the_checkpoint_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&scene_file(folder.path())) else { return };
    seek(&mut window, 3);
    for (action, file, words) in [
        (Action::SaveCheckpoint, "three.ckpt", "checkpoint of frame 3"),
        (Action::ExportFrame, "three.ply", "three.ply"),
        (Action::ExportFrame, "three.vtp", "three.vtp"),
    ] {
        act(&mut window, action);
        name_file(&mut window, file, "Save file");
        until(&mut window, file, |app| told(app, Severity::Info, words));
    }
    assert_eq!(Checkpoint::read(folder.path().join("three.ckpt")).unwrap().frame, 3);
    let ply = read_ply(folder.path().join("three.ply")).unwrap();
    let shown = window.state().session().frame().snapshot.vec3("position").unwrap().to_vec();
    assert_eq!(ply.vec3("position").unwrap(), shown);
    assert!(ply.scalar("density").is_some(), "all fields are there");
    let vtp = std::fs::read(folder.path().join("three.vtp")).unwrap();
    assert!(String::from_utf8_lossy(&vtp).contains("VTKFile"));
    let hash = hash_at(&mut window, 6);
    drop_file(&mut window, folder.path().join("three.ckpt"));
    until(&mut window, "the checkpoint begins", |app| app.session().frame().history.first == 3);
    assert_eq!(window.state().session().frame().frame, 3);
    assert_eq!(hash_at(&mut window, 6), hash);
}

#[test]
fn a_video_has_a_picture_for_every_frame_and_the_window_does_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&scene_file(folder.path())) else { return };
    act(&mut window, Action::Record);
    name_file(&mut window, "mine.mp4", "Record");
    for _ in 0..8 {
        let next = window.state().session().frame().frame + 1;
        window.state().session().live().frame();
        until(&mut window, "a frame", |app| app.session().frame().frame == next);
    }
    act(&mut window, Action::Record);
    until(&mut window, "the video", |app| {
        app.session()
            .log_lines()
            .any(|line| line.text.contains("video of ") || line.text.contains("no video"))
    });
    let with_ffmpeg = folder.path().join("mine.mp4");
    let lines: Vec<&str> = window.state().session().log_lines().map(|line| line.text.as_str()).collect();
    assert!(with_ffmpeg.is_file() || folder.path().join("mine.png").is_file(), "{lines:?}");
    let count = lines.iter().find_map(|line| line.strip_prefix("video of ")?.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: u64| (8..=9).contains(&count)), "{lines:?}");
}

#[test]
fn a_change_that_is_undone_is_not_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&scene_file(folder.path())) else { return };
    seek(&mut window, 2);
    window.state_mut().session_mut().edit("material.sand.friction_angle", "45");
    until(&mut window, "a mark", |app| app.title().starts_with("* "));
    act(&mut window, Action::Undo);
    until(&mut window, "no mark", |app| !app.title().starts_with('*'));
    let Source::File { sets, .. } = window.state().session().source() else { panic!("a file") };
    assert!(sets.is_empty(), "{sets:?}");
    let undone = window.state().session().frame().clone();
    assert_eq!(undone.frame, 2);
    assert!(told(window.state(), Severity::Info, "undone"));
}

/// The star is about the file: what is changed back, whichever way, is no change, and what is undone after it was saved is one.
#[test]
fn a_scene_is_marked_exactly_where_it_differs_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene_file(folder.path());
    let Some(mut window) = window(&path) else { return };
    let (angle, radius) = ("material.sand.friction_angle", "material.sand.radius");
    let marked = |app: &App| app.title().starts_with("* ");
    let sets = |window: &Harness<App>| match window.state().session().source() {
        Source::File { sets, .. } => sets.clone(),
        Source::Scene(_) => panic!("a file"),
    };
    // Changed and set back, on the way and by a new beginning.
    for (key, other, own) in [(angle, "45", "30"), (radius, "0.018", "0.02")] {
        window.state_mut().session_mut().edit(key, other);
        until(&mut window, "a mark", marked);
        window.state_mut().session_mut().edit(key, own);
        until(&mut window, "no mark", |app| !marked(app));
        assert_eq!(window.state().session().given(key), Some(own));
    }
    act(&mut window, Action::Save);
    assert!(sets(&window).is_empty() && !marked(window.state()));
    // Saved, changed further, undone: back to what the file has.
    seek(&mut window, 2);
    window.state_mut().session_mut().edit(angle, "45");
    until(&mut window, "a mark", marked);
    act(&mut window, Action::Save);
    until(&mut window, "no mark", |app| !marked(app));
    assert_eq!(window.state().session().given(angle), Some("45"), "the run has it still");
    seek(&mut window, 20);
    window.state_mut().session_mut().edit(angle, "50");
    until(&mut window, "a mark", marked);
    act(&mut window, Action::Undo);
    until(&mut window, "no mark", |app| !marked(app));
    assert_eq!(window.state().session().given(angle), Some("45"));
    // Undone beyond what was saved: the run is as before the change, and the file is not.
    act(&mut window, Action::Undo);
    until(&mut window, "a mark", marked);
    assert_eq!(window.state().session().given(angle), Some("30.0"));
    act(&mut window, Action::Save);
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(saved.contains("friction_angle = 30.0") && !marked(window.state()), "{saved}");
}

#[test]
fn a_dropped_mesh_is_looked_at_and_becomes_a_body_of_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&scene_file(folder.path())) else { return };
    let rock = folder.path().join("rock.stl");
    granule::geometry::write_mesh(&rock, &granule::geometry::builtin_mesh("sphere").unwrap()).unwrap();
    drop_file(&mut window, rock.clone());
    until_labelled(&mut window, "closed");
    assert!(window.query_by_label("closed").is_some() && window.query_by_label("volume").is_some());
    assert!(window.query_by_label("field").is_some() && window.query_by_label("grains in it").is_none());
    until_labelled(&mut window, "Slice of its field");
    window.get_by_label("Slice across x").click();
    window.run_steps(2);
    window.get_by_label("Shape full of grains").click();
    until_labelled(&mut window, "Slice of its grains");
    assert!(window.query_by_label("grains in it").is_some());
    window.get_by_label("Body that moves freely").click();
    until_labelled(&mut window, "Slice of its field");
    window.get_by_label("Add to the scene").click();
    until(&mut window, "the body", |app| app.session().frame().bodies.len() == 1);
    assert_eq!(window.state().session().frame().bodies[0].name, "rock");
    until(&mut window, "a mark", |app| app.title().starts_with("* "));
    act(&mut window, Action::Save);
    let saved = std::fs::read_to_string(folder.path().join("block.toml")).unwrap();
    assert!(saved.starts_with(SCENE) && saved.contains("[[body]]") && saved.contains("rock.stl"), "{saved}");
    // One with a hole is told and cannot be taken.
    let mut open = granule::geometry::builtin_mesh("sphere").unwrap();
    open.triangle.truncate(open.triangle.len() / 2);
    let cup = folder.path().join("cup.stl");
    granule::geometry::write_mesh(&cup, &open).unwrap();
    drop_file(&mut window, cup);
    until_labelled(&mut window, "open edges");
    window.get_by_label("Add to the scene").click();
    window.run_steps(3);
    assert_eq!(window.state().session().frame().bodies.len(), 1);
    window.get_by_label("Leave it").click();
    window.run_steps(3);
    assert!(window.query_by_label("Leave it").is_none());
    // A good one is left by the same button, or by Escape.
    for escape in [false, true] {
        drop_file(&mut window, rock.clone());
        until_labelled(&mut window, "Slice of its field");
        match escape {
            true => window.key_press(egui::Key::Escape),
            false => window.get_by_label("Leave it").click(),
        }
        window.run_steps(3);
        assert!(window.query_by_label("Leave it").is_none(), "by Escape: {escape}");
    }
    assert_eq!(window.state().session().frame().bodies.len(), 1);
}

/// Shows the window until something of a name is there.
#[track_caller]
fn until_labelled(window: &mut Harness<App>, label: &str) {
    let begin = Instant::now();
    while window.query_by_label(label).is_none() {
        assert!(begin.elapsed() < PATIENCE, "{label}");
        window.step();
    }
}

/// Frames 0 to 4 of the scene in a folder, as `granule run` leaves them.
fn run_into(folder: &Path) -> PathBuf {
    let mut scene = Scene::parse(SCENE, "block").unwrap();
    scene.output.formats = vec![ExportFormat::Ply];
    let run = RunFolder::create(folder, "block", None, false).unwrap();
    run.write_scene(&scene.to_toml().unwrap()).unwrap();
    let fps = scene.simulation.fps;
    let mut simulation = Simulation::new(scene, &Options::default()).unwrap();
    let read = |simulation: &mut Simulation| simulation.read(&["id", "position", "velocity"]).unwrap();
    let first = read(&mut simulation);
    let infos: Vec<_> = first.columns.iter().map(|(info, _)| *info).collect();
    let mut index = FramesIndex::new(fps, &infos, &simulation.scene().output);
    let mut exporter = Exporter::create(&run, simulation.scene(), &first).unwrap();
    for frame in 0..5 {
        simulation.run_until(f64::from(frame) / fps);
        let snapshot = read(&mut simulation);
        exporter.frame(simulation.frame(), &snapshot).unwrap();
        index.push(simulation.frame(), simulation.time(), simulation.particle_count(), None);
    }
    run.write_frames_index(&index).unwrap();
    run.path().to_path_buf()
}

#[test]
fn the_frames_of_a_run_are_played_and_coloured_by_what_their_files_hold() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_into(folder.path());
    let Some(mut window) = window(&run) else { return };
    let begins = window.state().session().frame().clone();
    assert_eq!((begins.frame, begins.history.end), (0, 4));
    act(&mut window, Action::PlayOrPause);
    until(&mut window, "its end", |app| app.session().frame().frame == 4 && !app.session().frame().playing);
    act(&mut window, Action::PreviousFrame);
    until(&mut window, "a frame back", |app| app.session().frame().frame == 3);
    while window.state().look().color_by != "speed" {
        act(&mut window, Action::NextColor);
    }
    until(&mut window, "velocities", |app| app.session().frame().snapshot.vec3("velocity").is_some());
    window.state_mut().session_mut().edit("material.sand.friction_angle", "45");
    until(&mut window, "a refusal", |app| told(app, Severity::Warning, "friction_angle"));
    assert_eq!(window.state().session().frame().history.end, 4);
    assert!(!window.state().title().starts_with('*'));
}
