//! The command line.

mod compare;
mod fields;
mod measure;
pub mod mesh;
mod values;
#[cfg(feature = "window")]
mod view;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use granule::simd::Instructions;
use granule::solver::SOLVERS;
use granule_render::{CameraChoice, ColorMap};

use mesh::MeshArgs;
use values::{parse_number, parse_plane, parse_range, parse_size, parse_step};

pub use compare::{CompareArgs, ReportArgs};
pub use fields::FieldsArgs;
pub use measure::{MeasureArgs, MeasureCommand, OracleArgs};
pub use values::{DeviceChoice, FieldChoice};
#[cfg(feature = "window")]
pub use view::ViewArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the run failed: it diverged, the disk is full, the device failed, an experiment or an expectation did not pass
  2    the input is wrong or the output folder cannot be used; nothing was written
  130  interrupted by Ctrl-C or a request to terminate; what was computed so far is kept";

const MAIN_HELP: &str = "\
Examples:
  granule                          run the default scene; frames, summary and picture go to out/
  granule run dam --quick          run a scene in its coarser, shorter form
  granule render out/dam-001 -o dam.png
  granule run hourglass            sand through a neck, counted
  granule measure slope --quick    hold sand against physics";

const LIST_HELP: &str = "\
Examples:
  granule list
  granule list --particles";

const CHECK_HELP: &str = "\
Examples:
  granule check column
  granule check my-scene.toml";

const RUN_HELP: &str = "\
Examples:
  granule run column
  granule run column --quick --set material.sand.friction_angle=35 --json
  granule run my-scene.toml --seconds 0.5 --out out/mine --force
  granule run heap --set emitter.spout.rate=500
  granule run column --export ply,vtk,npy --up z
  granule run column --track 0,17,400
  granule run funnel --quick --export ply,vtk,lammps --contacts
  granule run dam --device gpu
  granule run heap --render
  granule run hourglass --set upsample.radius=0.0025 --render
  granule run mine.granule
  granule run column --checkpoint-every 0.2
  granule run --resume out/column-001/checkpoints/000010.ckpt

Grains that enter ([[emitter]]), leave ([[outlet]]) or are counted ([[counter]]) stand in series.csv and in the \
summary; initial + emitted - drained - removed - lost = particles at every step.

A run ends at the first frame time at or after --seconds. Expectations of the scene are checked at its own end; a run \
that is cut short only reports them. Ctrl-C ends the run after the current step: the frames written so far, their index \
and a summary stay, and the exit code is 130.

A recording (.granule, saved in the window) holds a scene and all that hands did to it: it is replayed to its last frame, \
with the same bits on the same device, and expectations are only reported.

A resumed run gives the same bits as one that never stopped, for any number of threads. It continues the numbers of \
frames and the simulated time, in a folder of its own, with the scene inside the checkpoint; a scene that is given as \
well must be the same one.";

const SCHEMA_HELP: &str = "\
Examples:
  granule schema > scene.schema.json
  granule schema --markdown

An editor with TOML support completes and checks a scene whose first line is
  #:schema scene.schema.json";

const BENCH_HELP: &str = "\
Examples:
  granule bench
  granule bench column --threads 2 --steps 200 --json
  granule bench dam --device gpu --set material.radius=0.004
  granule bench hourglass --set upsample.radius=0.003
  granule bench dam --set iisph.min_iterations=5 --set iisph.max_iterations=5";

const MEASURE_HELP: &str = "\
Examples:
  granule measure slope --quick
  granule measure repose collapse --plot plots
  granule measure --all --json
  granule measure --all --quick --report out/report
  granule measure --all --report out/report --seeds 3 --controls
  granule measure repose drum --quick --report out/drums --solver dem

--report measures each experiment with each solver that claims it, and leaves report.html and report.json in the folder. \
A claim that does not pass, or a deliberate fault that nothing notices, ends with exit code 1. Finished experiments are \
kept in the folder and used again if version and parameters are the same. Of an experiment that is under way, finished runs \
(columns, holes, heaps) are kept in DIR/runs, and the one that goes on leaves a checkpoint there every 60 s of wall time: killed at \
any time, the same command goes on from there and gives the same numbers. Only the very same program on the same device uses them; what \
is damaged is named and made again; all of it is removed when the experiment is finished. Ctrl-C leaves a checkpoint at once.\n\n\
  granule measure collapse --large --solver dem --device gpu --report out/large   # again and again, until it is done";

const COMPARE_HELP: &str = "\
Examples:
  granule compare column --quick --solvers iisph,pbd,dem -o out/compared
  granule compare my-scene.toml --solvers pbd,dem --seconds 2 -o out/mine

Each solver's run is a run folder of its own in the folder; compare.html shows them side by side, compare.json has the numbers.";

const REPORT_HELP: &str = "\
Examples:
  granule report out/column-001
  granule report out/column-001 -o column.html

One page that needs nothing else: pictures, numbers over time, stages, and the grains to play and to turn in the browser. The \
grains are rounded to 1/4094 of the extent of the run, and at most 10,000 of them in 100 frames are taken; the page says so.";

const FIELDS_HELP: &str = "\
Examples:
  granule run funnel --contacts --out funnel
  granule fields funnel -o funnel.vti --time 0.5

Density, velocity and stress by motion; where the run wrote contacts, their stress, their density and their fabric as well. Grains are \
smoothed by Lucy's function (Goldhirsch 2010). Spheres of a rigid grain count as if they did not overlap: a tetrahedron is 14 % too heavy. \
ParaView opens the file.";

const RENDER_HELP: &str = "\
Examples:
  granule render out/column-001 -o picture.png
  granule render out/column-001 -o speed.png --color-by speed --range 0,2 --time 0.4
  granule render out/column-001 -o movie.mp4 --size 1920x1080 --camera front
  granule render out/column-001 -o around.mp4 --turntable
  granule render heap --quick -o heap.png
  granule render funnel --quick -o forces.png --contacts
  granule render out/hourglass-001 -o guides.png --show low
  granule render out/hourglass-001 -o walls.png --field boundary --slice z=0 --cut z=0
  granule render out/hourglass-001 -o inside.png --field boundary --iso 0 --cut z=0

A scene is run first, in a folder of its own. Without --time the last frame with particles is drawn. A video has one \
picture per frame of the run; without ffmpeg it becomes numbered pictures and an animated PNG. A camera that moves \
stands in the scene: `keys` of [camera]; a picture is taken from where it is at the frame's time.

--contacts draws who touches whom: bars from centre to centre or to the wall, as thick and as bright as the force is large, \
with grains small so that one sees them. The run has to be made with --contacts. Grains of dem carry marks that turn with \
them; --plain leaves these out.

--field shows the signed distance from walls, negative inside them. An iso-surface is seen from the side of larger \
distances, so that one looks into a hollow box and not at its outside; --cut opens other walls.";

#[cfg(feature = "window")]
const VIEW_HELP: &str = "\
Examples:
  granule view
  granule view heap --set material.sand.friction_angle=40
  granule view my-scene.toml
  granule view mine.granule
  granule view out/column-001
  granule view column --frames 100 --screenshot column.png

Space plays and pauses, the arrows go frame by frame, Ctrl-K finds every action and ? shows the keys. The scene's file is \
loaded again whenever it changes on disk.";

const MESH_HELP: &str = "\
Examples:
  granule mesh make bumpy -o bumpy.ply
  granule mesh info bumpy.ply
  granule mesh sdf bumpy.ply -o bumpy.vti
  granule mesh sample bumpy.ply --radius 0.02 -o grains.ply";

const DEVICES_HELP: &str = "\
Examples:
  granule devices
  GRANULE_ADAPTER=1 granule render out/column-001 -o picture.png";

/// Real-time granular matter: sand that flows, piles and stays piled.
///
/// Without a command, the default scene runs and leaves its frames in out/.
#[derive(Debug, Parser)]
#[command(name = "granule", version, after_help = format!("{MAIN_HELP}\n\n{EXIT_CODES}"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the built-in scenes.
    #[command(after_help = LIST_HELP)]
    List(ListArgs),
    /// Check a scene without running it.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Run a scene and leave frames, a series and a summary in a folder.
    #[command(after_help = format!("{RUN_HELP}\n\n{EXIT_CODES}"))]
    Run(Box<RunArgs>),
    /// Open the window on a scene, a recording or a run.
    #[cfg(feature = "window")]
    #[command(after_help = format!("{VIEW_HELP}\n\n{EXIT_CODES}"))]
    View(ViewArgs),
    /// Draw a picture or a video of a run.
    #[command(after_help = format!("{RENDER_HELP}\n\n{EXIT_CODES}"))]
    Render(Box<RenderArgs>),
    /// Run a scene with several solvers and show them side by side.
    #[command(after_help = format!("{COMPARE_HELP}\n\n{EXIT_CODES}"))]
    Compare(CompareArgs),
    /// Make a page of a run: pictures, numbers over time, and its grains to play.
    #[command(after_help = format!("{REPORT_HELP}\n\n{EXIT_CODES}"))]
    Report(ReportArgs),
    /// Write density, velocity, stress and fabric of a frame on a grid.
    #[command(after_help = format!("{FIELDS_HELP}\n\n{EXIT_CODES}"))]
    Fields(FieldsArgs),
    /// Look at meshes, make distance fields and samples of them.
    #[command(after_help = format!("{MESH_HELP}\n\n{EXIT_CODES}"))]
    Mesh(MeshArgs),
    /// List the graphics adapters.
    #[command(after_help = DEVICES_HELP)]
    Devices(DevicesArgs),
    /// Print the JSON schema of scene files.
    #[command(after_help = SCHEMA_HELP)]
    Schema(SchemaArgs),
    /// Time the steps of scenes.
    #[command(after_help = BENCH_HELP)]
    Bench(BenchArgs),
    /// Hold sand and water against physics.
    #[command(after_help = MEASURE_HELP)]
    Measure(MeasureArgs),
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Say how many particles each scene begins with; filling them all takes some seconds.
    #[arg(long)]
    pub particles: bool,
    /// Print a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A built-in scene or a scene file.
    #[arg(value_name = "SCENE|FILE")]
    pub scene: String,
    /// The solver, instead of the scene's.
    #[arg(long, value_parser = solver_names())]
    pub solver: Option<String>,
    /// Change a value of the scene; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Print the scene reference for people instead.
    #[arg(long)]
    pub markdown: bool,
}

/// Where to simulate.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Where to simulate: auto (a graphics card, else the CPU), cpu, gpu, or the number or name of an adapter.
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Number of CPU threads; all cores when absent. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A built-in scene, a scene file or a recording.
    #[arg(value_name = "SCENE|FILE", required_unless_present = "resume")]
    pub scene: Option<String>,
    /// The scene's coarser, shorter form.
    #[arg(long, requires = "scene")]
    pub quick: bool,
    /// The solver, instead of the scene's.
    #[arg(long, requires = "scene", value_parser = solver_names())]
    pub solver: Option<String>,
    /// Where to simulate.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Simulated seconds since the scene's beginning, instead of the scene's own.
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Number of frames after the scene's initial one, instead of a time.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub frames: Option<u64>,
    /// Frames per simulated second, instead of the scene's.
    #[arg(long, value_name = "F", requires = "scene")]
    pub fps: Option<f64>,
    /// Seed of everything random, instead of the scene's.
    #[arg(long, value_name = "N", requires = "scene")]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Change a value of the scene; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", requires = "scene", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// The folder to write; out/SCENE-NNN when absent.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace an earlier run in the folder of --out.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Files to write for every frame, instead of the scene's (ply where it names none): ply, vtk, npy, csv, lammps.
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',')]
    pub export: Option<Vec<String>>,
    /// Write contacts with every frame: who touches what, where and how hard (ply, vtk with a line each, npy).
    #[arg(long, requires = "scene")]
    pub contacts: bool,
    /// Follow particles by their ids: their paths go to tracks.csv.
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub track: Option<Vec<u32>>,
    /// The axis that points up in the files: y as simulated, or z, where (x, y, z) becomes (x, -z, y).
    #[arg(long, value_parser = ["y", "z"])]
    pub up: Option<String>,
    /// Write a checkpoint at the first frame after every T simulated seconds (0: at every frame) and of
    /// the last frame.
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub checkpoint_every: Option<f64>,
    /// Continue from a checkpoint.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Leave a picture of the last frame, picture.png, in the run folder.
    #[arg(long)]
    pub render: bool,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// A plain run of a scene.
    pub fn of(scene: &str) -> Self {
        Self {
            scene: Some(scene.into()),
            quick: false,
            solver: None,
            place: PlaceArgs::default(),
            seconds: None,
            frames: None,
            fps: None,
            seed: None,
            set: Vec::new(),
            out: None,
            force: false,
            export: None,
            contacts: false,
            track: None,
            up: None,
            checkpoint_every: None,
            resume: None,
            render: false,
            json: false,
        }
    }
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The folder of a run, a built-in scene or a scene file.
    #[arg(value_name = "RUN|SCENE|FILE")]
    pub source: String,
    /// The file to write: .png for a picture, .mp4 for a video.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The frame nearest to this simulated time [s].
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub time: Option<f64>,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: [u32; 2],
    /// The field that gives the colours: a field of the frames, speed, height, id or material. Vectors are shown by
    /// their directions (force), or by their lengths (force.magnitude).
    #[arg(long, value_name = "FIELD")]
    pub color_by: Option<String>,
    /// Values at both ends of the colours; chosen from the values when absent.
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = parse_range)]
    pub range: Option<[f32; 2]>,
    /// The colours: viridis, magma, inferno, turbo or diverging.
    #[arg(long, value_name = "MAP", default_value = "viridis")]
    pub colormap: ColorMap,
    /// front, top, iso, or the eye and the point that it looks at.
    #[arg(long, value_name = "X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    pub camera: Option<CameraChoice>,
    /// What draws: auto, cpu (without any driver), or the number or name of an adapter.
    #[arg(long, default_value = "auto")]
    pub device: String,
    /// Pictures per second of a video; the run's own when absent.
    #[arg(long, value_name = "F", value_parser = frame_rate)]
    pub fps: Option<f64>,
    /// Turn the camera once around its target during a video.
    #[arg(long)]
    pub turntable: bool,
    /// Show the distances from the scene's walls (boundary) or from one of them (boundary:NAME), with --slice or --iso.
    #[arg(long, value_name = "FIELD")]
    pub field: Option<FieldChoice>,
    /// A plane through the field, in colours with lines of equal value [m].
    #[arg(long, value_name = "AXIS=PLACE", requires = "field", value_parser = parse_plane)]
    pub slice: Option<(usize, f32)>,
    /// The surface where the field has this value [m]; 0 is the wall itself.
    #[arg(long, value_name = "VALUE", requires = "field", allow_hyphen_values = true, value_parser = parse_number)]
    pub iso: Option<f32>,
    /// Distance between the slice's lines of equal value [m]; chosen from the values when absent.
    #[arg(long, value_name = "STEP", requires = "slice", value_parser = parse_step)]
    pub field_step: Option<f32>,
    /// Leave out what is before a plane: grains and iso-surface.
    #[arg(long, value_name = "AXIS=PLACE", value_parser = parse_plane)]
    pub cut: Option<(usize, f32)>,
    /// Draw contacts as bars, as thick and bright as their forces; grains are drawn small.
    #[arg(long)]
    pub contacts: bool,
    /// Draw grains without the marks that show how they turn.
    #[arg(long)]
    pub plain: bool,
    /// Which particles to draw: those that were simulated (low), the fine grains that they guide (high, the default where
    /// there are some), or both.
    #[arg(long, value_name = "SET")]
    pub show: Option<Show>,
    /// The scene's coarser, shorter form.
    #[arg(long)]
    pub quick: bool,
}

/// Which particles to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Those that were simulated.
    Low,
    /// The fine grains.
    High,
    /// Both.
    Both,
}

impl From<Show> for granule::io::Shown {
    fn from(show: Show) -> Self {
        match show {
            Show::Low => Self::Low,
            Show::High => Self::High,
            Show::Both => Self::Both,
        }
    }
}

/// Arguments of `devices`.
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Built-in scenes or scene files; all built-in scenes when absent.
    #[arg(value_name = "SCENE|FILE")]
    pub scenes: Vec<String>,
    /// Time the steps after a checkpoint, instead of the first ones of scenes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenes", "solver", "set"])]
    pub resume: Option<PathBuf>,
    /// The solver, instead of the scenes'.
    #[arg(long, value_parser = solver_names())]
    pub solver: Option<String>,
    /// Where to simulate.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Steps that are timed.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// Steps before those, not timed.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub warm: u64,
    /// Change a value of every scene; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Instructions to use: portable, avx2 or avx512; the best that the processor has when absent.
    #[arg(long, value_name = "SET", value_parser = instructions)]
    pub instructions: Option<Instructions>,
    /// Time single kernels of a graphics device, too.
    #[arg(long)]
    pub kernels: bool,
    /// Time pictures of the last step, too, drawn where a graphics device keeps the grains.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub draw: Option<[u32; 2]>,
    /// Print a JSON object, or an array of several.
    #[arg(long)]
    pub json: bool,
}

/// Instructions by name, if this processor has them.
fn instructions(name: &str) -> Result<Instructions, String> {
    let sets: Vec<Instructions> = Instructions::ALL.into_iter().filter(|set| set.available()).collect();
    let known: Vec<&str> = sets.iter().map(|set| set.name()).collect();
    let found = sets.iter().find(|set| set.name() == name);
    found.copied().ok_or_else(|| format!("this processor has: {}", known.join(", ")))
}

fn solver_names() -> PossibleValuesParser {
    PossibleValuesParser::new(SOLVERS.iter().map(|solver| solver.name))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (0.0..=1e6).contains(&seconds) { Ok(seconds) } else { Err("must be from 0 to 1000000".into()) }
}

fn frame_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (0.1..=1000.0).contains(&rate) { Ok(rate) } else { Err("must be from 0.1 to 1000".into()) }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.into())),
        _ => Err("write key=value, e.g. material.sand.friction_angle=35".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent_and_every_verb_shows_an_example() {
        let mut command = Cli::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands_mut() {
            let help = verb.render_long_help().to_string();
            assert!(help.contains(&format!("granule {}", verb.get_name())), "{help}");
        }
    }

    #[test]
    fn assignments_split_at_the_first_equals_sign() {
        assert_eq!(assignment("a.b=c=d").unwrap(), ("a.b".into(), "c=d".into()));
        assert!(assignment("a.b").is_err() && assignment("=1").is_err());
    }
}
