//! `cargo xtask peers dem`: settled beds of distinct elements, against LAMMPS and LIGGGHTS.
//!
//! bench/peers/README.md says what is compared and how.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::flags::Flags;
use crate::output::{print, table, write_json};
use crate::program::{self, granule, root};

use super::cases::last_lines;
use super::python::{self, LAMMPS, demand};

/// Steps before and during the timing. Those of granule and LIGGGHTS go on where the bed came to rest; LAMMPS begins with
/// springs that are not stretched, and takes a frame until they are.
const STEPS: u32 = 250;
const WARM: u32 = 50;
const WARM_WITHOUT_SPRINGS: u32 = 250;

/// Simulated time for which beds settle \[s\].
const SETTLING: &str = "0.4";

/// A bed.
#[derive(Clone, Copy, PartialEq)]
enum Bed {
    Spheres,
    Clumps,
}

/// A program.
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Granule,
    Lammps,
    Liggghts,
}

/// The means over the timed steps of a run.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Sample {
    particles: u32,
    ms_per_step: f64,
    contacts_per_particle: Option<f64>,
}

/// What has been timed of a program on a bed.
#[derive(Serialize)]
struct Timed {
    program: &'static str,
    bed: &'static str,
    particles: u32,
    /// Median over rounds.
    ms_per_step: f64,
    ms_per_step_of_rounds: Vec<f64>,
    /// Those with the floor are counted by granule alone.
    contacts_per_particle: Option<f64>,
    #[serde(skip)]
    case: (Bed, Engine),
}

/// All that was measured.
#[derive(Serialize)]
struct Comparison {
    threads: u32,
    results: Vec<Timed>,
    /// Particle-steps per second of granule in units of LAMMPS'.
    dem_spheres: f64,
    /// The same of grains of four spheres, in units of LIGGGHTS', or of LAMMPS' where that is not installed.
    dem_clumps: f64,
    clumps_against: &'static str,
}

/// Where things are, and how they run.
struct Setup {
    threads: u32,
    python: PathBuf,
}

/// Runs the programs in turn and prints how they compare.
pub fn compare(args: &[&str]) -> Result<(), String> {
    let flags = Flags::parse(args, &["--rounds", "--threads", "--json"])?;
    let rounds: u32 = flags.count("--rounds", 3)?;
    let threads: u32 = flags.count("--threads", 2)?;
    let setup = Setup { threads, python: LAMMPS.ready()? };
    program::build()?;
    let mut cases = vec![
        (Bed::Spheres, Engine::Granule),
        (Bed::Spheres, Engine::Lammps),
        (Bed::Clumps, Engine::Granule),
        (Bed::Clumps, Engine::Lammps),
    ];
    if liggghts_is_there() {
        cases.push((Bed::Clumps, Engine::Liggghts));
    } else {
        eprintln!("== LIGGGHTS is missing (apt-get install liggghts): clumps are compared with LAMMPS only");
    }
    for bed in [Bed::Spheres, Bed::Clumps] {
        setup.settle(bed)?;
    }
    if cases.iter().any(|(_, engine)| *engine == Engine::Liggghts) {
        setup.settle_in_liggghts()?;
    }
    let mut samples = vec![Vec::new(); cases.len()];
    for round in 1..=rounds {
        for ((bed, engine), samples) in cases.iter().zip(&mut samples) {
            eprintln!("== round {round} of {rounds}: {} {}", engine.name(), bed.name());
            samples.push(setup.run(*bed, *engine)?);
        }
    }
    let results = cases.into_iter().zip(&samples).map(|(case, samples)| Timed::new(case, samples)).collect();
    let comparison = Comparison::new(threads, results)?;
    if let Some(path) = flags.text("--json") {
        write_json(Path::new(path), &comparison)?;
    }
    print(&comparison.in_words())
}

/// Whether LIGGGHTS and the MPI that Debian builds it with are installed.
fn liggghts_is_there() -> bool {
    // LIGGGHTS leaves a log wherever it is asked for help.
    let runs = |program: &str, flag: &str| {
        Command::new(program).arg(flag).current_dir(python::folder()).output().is_ok()
    };
    runs("liggghts", "-h") && runs("mpirun.openmpi", "--version")
}

impl Bed {
    fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Clumps => "clumps",
        }
    }

    fn scene(self) -> String {
        format!("bench/peers/bed_{}.toml", self.name())
    }

    /// The folder of the run in which it settles.
    fn folder(self) -> PathBuf {
        folder().join(self.name())
    }
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Granule => "granule",
            Self::Lammps => "LAMMPS",
            Self::Liggghts => "LIGGGHTS",
        }
    }
}

/// The folder of settled beds.
fn folder() -> PathBuf {
    python::folder().join("dem")
}

impl Setup {
    /// Lets a bed settle in granule, where that has not been done for this scene.
    fn settle(&self, bed: Bed) -> Result<(), String> {
        let (scene, out) = (bed.scene(), bed.folder());
        let text =
            std::fs::read_to_string(root().join(&scene)).map_err(|error| format!("{scene}: {error}"))?;
        let known = folder().join(format!("{}.settled", bed.name()));
        if last_file(&out.join("checkpoints")).is_ok()
            && std::fs::read_to_string(&known).is_ok_and(|k| k == text)
        {
            return Ok(());
        }
        eprintln!("== {} settle, in {}", bed.name(), out.display());
        let (out, threads) = (out.display().to_string(), self.threads.to_string());
        let args = ["run", &scene, "--out", &out, "--force", "--checkpoint-every", SETTLING];
        demand(granule(&args).args(["--threads", &threads]), "granule run")?;
        std::fs::write(&known, text).map_err(|error| format!("{}: {error}", known.display()))
    }

    /// Lets the same number of grains settle in LIGGGHTS, where that has not been done.
    fn settle_in_liggghts(&self) -> Result<(), String> {
        if folder().join("liggghts/bed.restart").exists() {
            return Ok(());
        }
        let grains = self.run(Bed::Clumps, Engine::Granule)?.particles / 4;
        eprintln!("== {grains} grains settle in LIGGGHTS, for minutes");
        demand(self.script("liggghts_bed.py", "liggghts").args(["--settle", &grains.to_string()]), "liggghts")
    }

    /// A script beside the scenes, with its own folder.
    fn script(&self, name: &str, own: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(root().join("bench/peers").join(name)).arg("--folder").arg(folder().join(own));
        command.args(["--ranks", &self.threads.to_string()]);
        command
    }

    /// Times a program on a bed once.
    fn run(&self, bed: Bed, engine: Engine) -> Result<Sample, String> {
        let steps = STEPS.to_string();
        let mut command = match engine {
            Engine::Granule => {
                let checkpoint = last_file(&bed.folder().join("checkpoints"))?;
                let mut command =
                    granule(&["bench", "--json", "--resume", &checkpoint.display().to_string()]);
                command.args(["--threads", &self.threads.to_string(), "--warm", &WARM.to_string()]);
                command
            }
            Engine::Lammps => {
                let mut command = self.script("lammps_bed.py", &format!("lammps_{}", bed.name()));
                command.arg(bed.folder().join("npy")).args(["--warm", &WARM_WITHOUT_SPRINGS.to_string()]);
                if bed == Bed::Clumps {
                    command.arg("--clumps");
                }
                command
            }
            Engine::Liggghts => {
                let mut command = self.script("liggghts_bed.py", "liggghts");
                command.args(["--warm", &WARM.to_string()]);
                command
            }
        };
        let name = engine.name();
        let output = command.args(["--steps", &steps]).output();
        let output = output.map_err(|error| format!("{name} did not start: {error}"))?;
        let sample = match engine {
            Engine::Granule => granule_sample(&output),
            _ => peer_sample(&output),
        };
        sample.ok_or_else(|| format!("{name} failed, {}:\n{}", output.status, last_lines(&output)))
    }
}

/// The last file of a folder by name.
fn last_file(folder: &Path) -> Result<PathBuf, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let last = files.filter_map(|entry| Some(entry.ok()?.path())).max();
    last.ok_or_else(|| format!("{} is empty", folder.display()))
}

/// From `granule bench --json`, whose `ms_per_step` is a median: the mean follows from particles over all time.
fn granule_sample(output: &Output) -> Option<Sample> {
    let result: Value = serde_json::from_slice(&output.stdout).ok()?;
    let particles = result["particles"].as_u64()?.try_into().ok()?;
    let ms_per_step = 1e3 * f64::from(particles) / result["particle_steps_per_second"].as_f64()?;
    Some(Sample { particles, ms_per_step, contacts_per_particle: result["neighbors_per_particle"].as_f64() })
}

/// From the line that the scripts print.
fn peer_sample(output: &Output) -> Option<Sample> {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().find_map(|line| line.strip_prefix("RESULT "))?).ok()
}

impl Timed {
    fn new(case: (Bed, Engine), samples: &[Sample]) -> Self {
        let rounds: Vec<f64> = samples.iter().map(|sample| sample.ms_per_step).collect();
        Self {
            program: case.1.name(),
            bed: case.0.name(),
            particles: samples.first().map_or(0, |sample| sample.particles),
            ms_per_step: median(&rounds),
            ms_per_step_of_rounds: rounds,
            contacts_per_particle: samples.first().and_then(|sample| sample.contacts_per_particle),
            case,
        }
    }

    fn rate(&self) -> f64 {
        1e3 * f64::from(self.particles) / self.ms_per_step
    }
}

impl Comparison {
    /// Compares what was timed. Programs with a bed of their own may have lost a few grains in filling it.
    fn new(threads: u32, results: Vec<Timed>) -> Result<Self, String> {
        let of = |bed, engine| results.iter().find(|timed| timed.case == (bed, engine));
        let ratio = |bed, engine| -> Result<f64, String> {
            let (ours, theirs) =
                of(bed, Engine::Granule).zip(of(bed, engine)).ok_or("a program was not timed")?;
            if theirs.particles.abs_diff(ours.particles) * 50 > ours.particles {
                return Err(format!(
                    "{} had {} spheres, not {}",
                    theirs.program, theirs.particles, ours.particles
                ));
            }
            Ok(ours.rate() / theirs.rate())
        };
        let peer =
            if of(Bed::Clumps, Engine::Liggghts).is_some() { Engine::Liggghts } else { Engine::Lammps };
        let (dem_spheres, dem_clumps) = (ratio(Bed::Spheres, Engine::Lammps)?, ratio(Bed::Clumps, peer)?);
        Ok(Self { threads, results, dem_spheres, dem_clumps, clumps_against: peer.name() })
    }

    /// A table, who the clumps are compared with, and the ratios in the last line.
    fn in_words(&self) -> String {
        let header = ["program", "bed", "spheres", "contacts", "ms/step", "rounds", "sphere-steps/s"];
        let row = |timed: &Timed| {
            let rounds: Vec<String> =
                timed.ms_per_step_of_rounds.iter().map(|ms| format!("{ms:.1}")).collect();
            vec![
                timed.program.into(),
                timed.bed.into(),
                timed.particles.to_string(),
                timed.contacts_per_particle.map_or("-".into(), |contacts| format!("{contacts:.2}")),
                format!("{:.2}", timed.ms_per_step),
                rounds.join(" "),
                format!("{:.0}", timed.rate()),
            ]
        };
        let rows: Vec<Vec<String>> = self.results.iter().map(row).collect();
        let notes = format!("clumps are compared with {}", self.clumps_against);
        let last = format!("ratio dem-spheres {:.2} dem-clumps {:.2}", self.dem_spheres, self.dem_clumps);
        [table(&header, 2, &rows), notes, last].join("\n\n")
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle - 1] + values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(case: (Bed, Engine), milliseconds: &[f64], particles: u32) -> Timed {
        let sample = |&ms_per_step| Sample { particles, ms_per_step, contacts_per_particle: Some(5.0) };
        Timed::new(case, &milliseconds.iter().map(sample).collect::<Vec<_>>())
    }

    fn results() -> Vec<Timed> {
        vec![
            timed((Bed::Spheres, Engine::Granule), &[10.0, 11.0, 90.0], 1000),
            timed((Bed::Spheres, Engine::Lammps), &[44.0, 43.0, 400.0], 1000),
            timed((Bed::Clumps, Engine::Granule), &[10.0], 1000),
            timed((Bed::Clumps, Engine::Lammps), &[30.0], 1000),
        ]
    }

    #[test]
    fn ratios_come_from_medians_and_stand_in_the_last_line() {
        let mut results = results();
        let text = Comparison::new(2, self::results()).unwrap().in_words();
        assert_eq!(text.lines().last(), Some("ratio dem-spheres 4.00 dem-clumps 3.00"));
        // A bed that lacks a hundredth of its grains is compared per grain.
        results.push(timed((Bed::Clumps, Engine::Liggghts), &[49.5], 990));
        let text = Comparison::new(2, results).unwrap().in_words();
        assert_eq!(text.lines().last(), Some("ratio dem-spheres 4.00 dem-clumps 5.00"));
    }

    #[test]
    fn beds_of_different_sizes_are_not_compared() {
        let mut results = results();
        results[1].particles = 900;
        assert!(Comparison::new(2, results).err().unwrap().contains("900"));
    }
}
