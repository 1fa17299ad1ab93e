//! How many sweeps over grains the position-based solver makes in a second, stage by stage.
//!
//! `cargo bench -p granule --bench pbd`; a number of grains after `--` times such a bed instead, a second number is that of threads.
//! Ten steps of two sweeps per frame, all included: lists, colours, walls.

// What it is for.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use granule::stages::{Stage, StageTimes};
use granule::{Options, Scene, Simulation};

/// Diameter of grains \[m\].
const D: f64 = 0.02;

/// Depth of the bed at the start, in diameters.
const DEPTH: f64 = 30.0;

/// Frames that are timed.
const FRAMES: usize = 30;

/// A bed that settles on a plane, periodic to the sides.
fn bed(grains: f64) -> Scene {
    // As many grains as a random fill has: 0.73 per place of a lattice.
    let width = D * (grains / (0.73 * DEPTH)).sqrt();
    let text = format!(
        "name = \"bed\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\nperiodic = {{ x = [0, {width}], z = [0, {width}] }}\n[[material]]\n\
         name = \"sand\"\nradius = {}\ndensity = 2500\n[material.pbd]\nfriction = 0.5\nrolling_friction = 0.1\n[[grains]]\n\
         material = \"sand\"\nfill = \"random\"\nshape.box = {{ min = [0, 0, 0], max = [{width}, {}, {width}] }}\n[[boundary]]\n\
         name = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n",
        0.5 * D,
        DEPTH * D
    );
    Scene::parse(&text, "bed").unwrap_or_else(|error| panic!("{error}"))
}

fn main() {
    let mut numbers = std::env::args().filter_map(|word| word.parse::<f64>().ok());
    let (wanted, threads) = (numbers.next().unwrap_or(20_000.0), numbers.next().unwrap_or(1.0) as usize);
    let options = Options { threads: Some(threads), ..Options::default() };
    let mut simulation = Simulation::new(bed(wanted), &options).unwrap_or_else(|error| panic!("{error}"));
    simulation.run_until(1.5);
    let (mut stages, mut sweeps, start) = ([0.0; Stage::ALL.len()], 0u64, Instant::now());
    let end = simulation.time() + FRAMES as f64 / 60.0;
    while simulation.time() < end - 1e-9 {
        let report = simulation.step();
        sweeps += report.particles as u64 * u64::from(report.iterations);
        add(&mut stages, &report.stages);
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = sweeps as f64 / seconds / threads as f64;
    println!(
        "{} grains, {threads} threads: {:.2} million grain-sweeps/s per thread",
        simulation.simulator().particle_count(),
        rate * 1e-6
    );
    for (stage, time) in Stage::ALL.iter().zip(stages).filter(|(_, time)| *time > 0.0) {
        println!("{:>20} {:5.1} %", stage.name(), 100.0 * time / seconds);
    }
}

fn add(sum: &mut [f64], stages: &StageTimes) {
    sum.iter_mut().zip(Stage::ALL).for_each(|(sum, stage)| *sum += stages.get(*stage));
}
