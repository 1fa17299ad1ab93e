//! How the time of a step of distinct elements grows with their number, and what grains of many sizes cost.
//!
//! `cargo bench -p granule --bench dem`; `-- --quick` goes up to 100,000 grains instead of a million, `-- --stages` shows one bed of
//! 100,000 grains stage by stage. All beds are timed in turn, slice by slice, so that other work on the machine slows all of
//! them alike.

// What it is for.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use glam::Vec3;
use granule::bodies::Bodies;
use granule::boundary::{Boundaries, Shape};
use granule::particles::NewParticle;
use granule::simulator::{Simulator, StepReport};
use granule::solver::SolverInput;
use granule::solver::dem::Dem;
use granule::stages::{Stage, StageTimes};
use granule::team::Team;
use granule::{Options, Scene, Simulation};

/// Steps of a frame, at whose end neighbours are listed anew.
const FRAME: u32 = 250;

/// Threads that work on a step.
const THREADS: usize = 2;

/// Density of grains [kg/m3].
const DENSITY: f32 = 2500.0;

/// A bed that settles on a plane, periodic to the sides.
struct Bed {
    /// Length of a period \[m\].
    period: f32,
    /// Height that grains fill at the start \[m\].
    height: f32,
    /// Radii \[m\].
    radius: [f32; 2],
    /// Young's modulus \[Pa\].
    young: f64,
    /// How long it settles \[s\].
    settling: f64,
}

/// 25,000 grains of nearly one size.
const EQUAL: Bed = Bed { period: 0.4, height: 0.165, radius: [0.0045, 0.0055], young: 5e6, settling: 0.4 };

/// 20,000 grains of one size, to 0.2 %.
const SAME: Bed = Bed { period: 0.36, height: 0.165, radius: [0.00499, 0.00501], young: 5e6, settling: 0.4 };

/// 20,000 grains of sizes from 1 to 10, as many of each.
const MIXED: Bed = Bed { period: 0.4, height: 0.3, radius: [0.001, 0.01], young: 1e6, settling: 0.35 };

impl Bed {
    fn scene(&self, tiles: [u32; 2]) -> Scene {
        let Self { period, height, radius: [least, most], young, .. } = self;
        let [x, z] = tiles.map(|count| *period * count as f32);
        let text = format!(
            r#"
            name = "bed"
            [simulation]
            solver = "dem"
            fps = 50
            periodic = {{ x = [0, {x}], z = [0, {z}] }}
            [dem]
            skin = 0.2
            [[material]]
            name = "sand"
            radius = {least}
            density = {DENSITY}
            [material.dem]
            young = {young}
            restitution = 0.5
            friction = 0.5
            rolling_friction = 0.05
            [[grains]]
            material = "sand"
            fill = "relaxed"
            radius = [{least}, {most}]
            shape.box = {{ min = [0, 0, 0], max = [{period}, {height}, {period}] }}
            [[boundary]]
            name = "floor"
            shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
            "#
        );
        Scene::parse(&text, "bed").expect("the scene is right")
    }

    /// The grains at rest, at most `most` of them.
    fn settle(&self, most: usize) -> Vec<NewParticle> {
        let options = Options { threads: Some(THREADS), ..Options::default() };
        let mut simulation = Simulation::new(self.scene([1, 1]), &options).expect("the scene is right");
        let start = Instant::now();
        simulation.run_until(self.settling);
        let fields = simulation.read(&["position", "radius"]).expect("these fields are there");
        let positions = fields.vec3("position").unwrap_or_default();
        let radii = fields.scalar("radius").unwrap_or_default();
        eprintln!("{} grains settled in {:.0} s", positions.len(), start.elapsed().as_secs_f64());
        let grain = |(x, &radius): (&[f32; 3], &f32)| NewParticle {
            position: Vec3::from(*x),
            velocity: Vec3::ZERO,
            radius,
            mass: DENSITY * 4.0 / 3.0 * std::f32::consts::PI * radius.powi(3),
            material: 0,
            fixed: false,
        };
        let mut grains: Vec<NewParticle> = positions.iter().zip(radii).map(grain).collect();
        // Those above go, so that beds have the number that is asked for.
        grains.sort_by(|a, b| a.position.y.total_cmp(&b.position.y));
        grains.truncate(most);
        grains
    }

    /// Copies of settled grains side by side.
    fn tiled(&self, grains: &[NewParticle], tiles: [u32; 2]) -> Run {
        let copies =
            (0..tiles[0]).flat_map(|x| (0..tiles[1]).map(move |z| Vec3::new(x as f32, 0.0, z as f32)));
        let all: Vec<NewParticle> = copies
            .flat_map(|tile| {
                let offset = self.period * tile;
                grains.iter().map(move |grain| NewParticle { position: grain.position + offset, ..*grain })
            })
            .collect();
        let floor = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        let boundaries = Boundaries::new([("floor".to_string(), floor, None, None)]).expect("a plane");
        let mut dem = Dem::new(SolverInput {
            scene: self.scene(tiles),
            boundaries,
            bodies: Bodies::default(),
            grains: &all,
            assemblies: &[],
            grain_shapes: &Default::default(),
            team: Team::new(THREADS).expect("threads"),
            instructions: None,
            defect: None,
        });
        // A second has room for many steps: the solver takes its longest.
        let step = dem.step(1.0).dt;
        Run { dem, step, taken: 0, report: StepReport::default(), seconds: Vec::new(), count: all.len() }
    }
}

/// A bed that is timed.
struct Run {
    dem: Dem,
    /// Length of a step \[s\].
    step: f64,
    taken: u32,
    /// Of the last step.
    report: StepReport,
    /// Per step, of each slice.
    seconds: Vec<f64>,
    count: usize,
}

impl Run {
    fn steps(&mut self, count: u32) {
        let end = self.taken + count;
        while self.taken < end {
            let rest = FRAME - self.taken % FRAME;
            let until = self.dem.time() + f64::from(rest) * self.step;
            let mut reports = self.dem.advance(until, (end - self.taken) as usize);
            self.taken += reports.len() as u32;
            self.report = reports.pop().unwrap_or_default();
        }
    }

    fn slice(&mut self, count: u32) {
        let start = Instant::now();
        self.steps(count);
        self.seconds.push(start.elapsed().as_secs_f64() / f64::from(count));
    }

    /// Median time per step \[s\].
    fn median(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    }

    /// Mean time per step \[s\], new lists included.
    fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    if has("--stages") {
        return show_stages();
    }
    show_growth(if has("--quick") { [[1, 1], [2, 2]] } else { [[1, 1], [5, 8]] });
    show_sizes();
}

/// Takes as many grain-steps of all beds in turn, after some that are not timed: springs are not stretched at first.
fn take_turns(runs: &mut [Run], slices: u32) {
    let most = runs.iter().map(|run| run.count).max().unwrap_or(1);
    runs.iter_mut().for_each(|run| run.steps(20));
    for _ in 0..slices {
        for run in runs.iter_mut() {
            run.slice((10 * most / run.count) as u32);
        }
    }
}

/// Time per grain-step of a bed and of many copies of it side by side.
fn show_growth(tiles: [[u32; 2]; 2]) {
    let grains = EQUAL.settle(25_000);
    let mut runs = tiles.map(|tiles| EQUAL.tiled(&grains, tiles));
    take_turns(&mut runs, 25);
    let per_grain = |run: &Run, seconds: f64| 1e9 * seconds / run.count as f64;
    for run in &runs {
        println!(
            "{:>8} grains, {:.2} contacts each: {:.1} ns per grain-step, new lists included {:.1}",
            run.count,
            run.report.neighbors_mean,
            per_grain(run, run.median()),
            per_grain(run, run.mean()),
        );
    }
    let growth = |of: fn(&Run) -> f64| per_grain(&runs[1], of(&runs[1])) / per_grain(&runs[0], of(&runs[0]));
    println!("growth {:.3}, new lists included {:.3}", growth(Run::median), growth(Run::mean));
}

/// Time per contact of equal grains, and of sizes from 1 to 10.
fn show_sizes() {
    let mut runs = [&SAME, &MIXED].map(|bed| bed.tiled(&bed.settle(20_000), [1, 1]));
    take_turns(&mut runs, 50);
    // Contacts between two are counted for both.
    let contacts = |run: &Run| 0.5 * run.report.neighbors_mean * run.count as f64;
    let per_contact = |run: &Run, seconds: f64| 1e9 * seconds / contacts(run);
    for (name, run) in ["equal", "1 to 10"].iter().zip(&runs) {
        println!(
            "{:>8} grains, {name}: {:.0} contacts, {:.1} ns per contact, new lists included {:.1}",
            run.count,
            contacts(run),
            per_contact(run, run.median()),
            per_contact(run, run.mean()),
        );
    }
    let ratio =
        |of: fn(&Run) -> f64| per_contact(&runs[1], of(&runs[1])) / per_contact(&runs[0], of(&runs[0]));
    println!("sizes {:.3}, new lists included {:.3}", ratio(Run::median), ratio(Run::mean));
}

/// The stages of a bed of 100,000 grains.
fn show_stages() {
    let mut run = EQUAL.tiled(&EQUAL.settle(25_000), [2, 2]);
    run.steps(50);
    let mut total = StageTimes::default();
    for _ in 0..FRAME {
        run.slice(1);
        for stage in Stage::ALL.iter().copied() {
            total.add(stage, run.report.stages.get(stage));
        }
    }
    for stage in Stage::ALL.iter().copied().filter(|stage| total.get(*stage) > 0.0) {
        println!("{:>18} {:7.3} ms", stage.name(), 1e3 * total.get(stage) / f64::from(FRAME));
    }
    println!(
        "{:.2} contacts per grain, {:.3} ms per step, median",
        run.report.neighbors_mean,
        1e3 * run.median()
    );
}
