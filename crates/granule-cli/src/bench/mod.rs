//! `granule bench`: how long the steps of scenes take.

mod draw;

use std::time::Instant;

use granule::blow_up::BlowUpDetector;
use granule::scene::builtin_scenes;
use granule::simulator::Snapshot;
use granule::{Options, Simulation};
use granule_gpu::{GpuSimulation, KernelTime};
use serde::Serialize;

use crate::args::BenchArgs;
use crate::device::Chosen;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{self, number};
use crate::progress::Progress;
use crate::resume::restore;
use crate::scenes::{Opened, first_snapshot};
use crate::statistics::{StageMedians, Statistics};
use crate::summary::UpsampleSummary;
use draw::{DrawTimes, time_pictures};

/// The times of a scene.
#[derive(Clone, Debug, Serialize)]
struct Bench {
    scene: String,
    solver: &'static str,
    device: &'static str,
    adapter: String,
    threads: usize,
    particles: usize,
    steps: u64,
    /// Median wall time of a step [ms].
    ms_per_step: f64,
    particle_steps_per_second: f64,
    /// Simulated time over wall time, fine grains included.
    real_time_factor: f64,
    /// Mean iterations per step.
    iterations: f64,
    neighbors_per_particle: f64,
    bytes_per_particle: f64,
    stages: StageMedians,
    /// Share of the time that no stage on a graphics device accounts for: what it waits between steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_share: Option<f64>,
    /// What stages read and write [bytes/s], where that is known.
    #[serde(skip_serializing_if = "StageMedians::is_empty")]
    bytes_per_second: StageMedians,
    /// Kernels of a graphics device, where they are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kernels: Vec<KernelBench>,
    /// Pictures, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    draw: Option<DrawTimes>,
    /// Fine grains; absent where there are none.
    upsample: Option<UpsampleSummary>,
}

/// The times of a kernel.
#[derive(Clone, Debug, Serialize)]
struct KernelBench {
    kernel: &'static str,
    /// Dispatches per step, also of steps in which it had nothing to do.
    per_step: f64,
    /// Median of a dispatch [ms].
    ms: f64,
    /// Mean of a step [ms].
    ms_per_step: f64,
}

impl KernelBench {
    fn new(time: &KernelTime, steps: u64) -> Self {
        let steps = steps.max(1) as f64;
        Self {
            kernel: time.name,
            per_step: time.dispatches as f64 / steps,
            ms: 1e3 * time.median,
            ms_per_step: 1e3 * time.sum / steps,
        }
    }
}

/// Times the steps of scenes, or those after a checkpoint.
pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let chosen = args.place.open()?;
    let options = Options { instructions: args.instructions, ..chosen.options.clone() };
    let interrupt = Interrupt::listen()?;
    let results: Vec<Bench> = match &args.resume {
        Some(path) => {
            let mut simulation = restore(path, &options)?;
            let initial = first_snapshot(&mut simulation)?;
            vec![bench_steps(simulation, &initial, &chosen, args, &interrupt)?]
        }
        None => bench_scenes(args, &chosen, &options, &interrupt)?,
    };
    chosen.announce();
    if args.json { output::json_one_or_many(&results) } else { output::text(&in_words(&results)) }
}

fn bench_scenes(
    args: &BenchArgs,
    chosen: &Chosen,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Vec<Bench>, Failure> {
    let names = match args.scenes.is_empty() {
        true => builtin_scenes().iter().map(|scene| scene.name.to_string()).collect(),
        false => args.scenes.clone(),
    };
    let solver = args.solver.iter().map(|solver| ("simulation.solver".to_string(), solver.clone()));
    let sets: Vec<(String, String)> = args.set.iter().cloned().chain(solver).collect();
    let scenes = names.iter().map(|name| Opened::changed(name, &sets)).collect::<Result<Vec<_>, _>>()?;
    let results = scenes.into_iter().map(|scene| {
        let (simulation, initial) = scene.build(options)?;
        bench_steps(simulation, &initial, chosen, args, interrupt)
    });
    results.collect()
}

fn bench_steps(
    mut simulation: Simulation,
    initial: &Snapshot,
    chosen: &Chosen,
    args: &BenchArgs,
    interrupt: &Interrupt,
) -> Result<Bench, Failure> {
    let chosen = &chosen.that_took(&simulation);
    let has_device = simulation.solver_as::<GpuSimulation>().is_some();
    if args.draw.is_some() && !has_device {
        return Err(draw::no_device());
    }
    let mut detector = BlowUpDetector::new(simulation.scene(), initial.vec3("position").unwrap_or_default());
    let mut progress = Progress::new(&simulation.scene().name);
    let mut statistics = Statistics::default();
    let total = args.warm + args.steps;
    let (mut step, mut simulated, mut wall) = (0, 0.0, 0.0);
    let (mut step_of_kernels, mut watched) = (0, false);
    // A device may take all steps at once; kernels need some of their own then.
    while step < total || args.kernels && !watched {
        if args.kernels && !watched && step >= args.warm {
            (watched, step_of_kernels) = (true, step);
            let device = simulation.solver_as::<GpuSimulation>().ok_or_else(no_kernels)?;
            device.time_kernels();
        }
        let start = Instant::now();
        let reports = simulation.step_ahead();
        if let Some(failure) = simulation.failure() {
            return Err(Failure::Run(failure.into()));
        }
        let seconds = start.elapsed().as_secs_f64() / reports.len().max(1) as f64;
        for (report, time) in &reports {
            step += 1;
            if step > args.warm {
                statistics.add(report, seconds);
                simulated += report.dt;
                wall += seconds;
            }
            if let Some(blow_up) = detector.after(report, *time) {
                return Err(Failure::Run(blow_up.to_string()));
            }
        }
        if interrupt.wanted() {
            return Err(Failure::Interrupted);
        }
        progress.update(step as f64 / total as f64, || format!("step {step} of {total}"));
    }
    progress.finish();
    let real_time_factor = simulated / f64::max(wall, 1e-9);
    let kernels = match simulation.solver_as::<GpuSimulation>() {
        Some(device) => device.kernel_times(),
        None => Vec::new(),
    };
    if watched && kernels.is_empty() {
        return Err(no_kernels());
    }
    let kernels = kernels.iter().map(|time| KernelBench::new(time, step - step_of_kernels)).collect();
    let draw = args.draw.map(|size| time_pictures(&mut simulation, size)).transpose()?;
    Ok(Bench { real_time_factor, kernels, draw, ..result(&simulation, &statistics, chosen) })
}

fn no_kernels() -> Failure {
    let remedy =
        "take a device whose driver has timestamps between dispatches (--device gpu), or leave it out";
    Failure::Input(format!("--kernels: there are no kernels to time; {remedy}"))
}

fn result(simulation: &Simulation, statistics: &Statistics, chosen: &Chosen) -> Bench {
    let stages = statistics.stages();
    let bytes = simulation.simulator().traffic().into_iter();
    let rates = bytes.filter_map(|(stage, bytes)| {
        let seconds = 1e-3 * stages.of(stage.name())?;
        (seconds > 0.0).then_some((stage.name(), bytes / seconds))
    });
    Bench {
        scene: simulation.scene().name.clone(),
        solver: simulation.simulator().solver(),
        device: chosen.word,
        adapter: simulation.simulator().device(),
        threads: chosen.threads,
        particles: simulation.particle_count(),
        steps: statistics.steps(),
        ms_per_step: statistics.step_milliseconds(),
        particle_steps_per_second: statistics.particle_steps_per_second(),
        real_time_factor: 0.0,
        iterations: statistics.iterations().mean,
        neighbors_per_particle: statistics.neighbors_mean(),
        bytes_per_particle: simulation.simulator().bytes_per_particle(),
        idle_share: (chosen.word == "gpu").then(|| statistics.idle_share()),
        bytes_per_second: StageMedians(rates.collect()),
        stages,
        kernels: Vec::new(),
        draw: None,
        upsample: simulation.upsampler().map(|upsampler| UpsampleSummary::new(upsampler, statistics)),
    }
}

fn in_words(results: &[Bench]) -> String {
    let header = [
        "scene",
        "solver",
        "threads",
        "particles",
        "steps",
        "ms/step",
        "particle steps/s",
        "x real time",
        "iterations",
        "neighbors",
        "bytes/particle",
    ];
    let rows: Vec<Vec<String>> = results.iter().map(row).collect();
    let mut text = output::table(&header, &rows);
    for result in results {
        let rate = |name| result.bytes_per_second.of(name).map_or(String::new(), |rate| number(1e-9 * rate));
        let stages = result.stages.0.iter().map(|(name, ms)| vec![name.to_string(), number(*ms), rate(name)]);
        let stages: Vec<Vec<String>> = stages.collect();
        text += &format!(
            "\n\n{}: median milliseconds per step, thousand million bytes per second\n",
            result.scene
        );
        text += &output::table(&["stage", "ms", "GB/s"], &stages);
        if !result.kernels.is_empty() {
            let row = |k: &KernelBench| {
                vec![k.kernel.to_string(), number(k.per_step), number(k.ms), number(k.ms_per_step)]
            };
            let rows: Vec<Vec<String>> = result.kernels.iter().map(row).collect();
            text +=
                "\n\nkernels: dispatches per step, median milliseconds of one, mean milliseconds per step\n";
            text += &output::table(&["kernel", "per step", "ms", "ms/step"], &rows);
        }
        if let Some(draw) = &result.draw {
            let [width, height] = draw.size;
            text += &format!("\n\nmilliseconds until a picture of {width}x{height} is there\n");
            let times = [draw.plain, draw.shadows, draw.full].map(number).to_vec();
            text += &output::table(&["plain", "shadows", "4 samples, occlusion"], &[times]);
        }
        if let Some(fine) = &result.upsample {
            text += &format!(
                "\n{}: {} fine grains, {} ms per frame, {} grains per second, {} bytes per grain, {}",
                result.scene,
                fine.grains,
                number(fine.ms_per_frame),
                number(fine.grains_per_second),
                number(fine.bytes_per_grain),
                fine.device
            );
            let stages = fine.stages.0.iter().map(|(name, ms)| vec![name.to_string(), number(*ms)]);
            let stages: Vec<Vec<String>> = stages.collect();
            if !stages.is_empty() {
                text += "\n\nmean milliseconds per frame of fine grains\n";
                text += &output::table(&["stage", "ms"], &stages);
            }
        }
    }
    text
}

fn row(result: &Bench) -> Vec<String> {
    let words = [result.scene.clone(), result.solver.to_string(), result.threads.to_string()];
    let counts = [result.particles.to_string(), result.steps.to_string()];
    let numbers: [f64; 6] = [
        result.ms_per_step,
        result.particle_steps_per_second,
        result.real_time_factor,
        result.iterations,
        result.neighbors_per_particle,
        result.bytes_per_particle,
    ];
    words.into_iter().chain(counts).chain(numbers.map(number)).collect()
}
