//! A pile of spheres with the position-based solver and with rapier, on one thread each: milliseconds per frame of a 60th second.
//!
//! `cargo xtask peers pbd` runs it. Spheres settle in a bin with granule and are given to rapier where they lie; then both go on in
//! turns. Rapier takes four steps per frame, or as many as a third number says, with contacts that are as many times stiffer
//! than its defaults: those are made for a step per frame and let a deep pile sink by a third. It never lets balls sleep, and has neither its threads nor its vector instructions: they exclude the determinism that granule's bodies need. The mean heights tell how
//! far either lets the pile sink.

// What it is for.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use granule::{Options, Scene, Simulation};
use rapier3d::math::Vector;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle};

/// Radius of spheres \[m\], and the half width of the bin \[m\].
const RADIUS: f32 = 0.01;
const HALF: f32 = 0.27;

/// Friction of everything.
const FRICTION: f32 = 0.5;

/// Frames between turns, and before what is timed.
const FRAMES: usize = 20;
const WARM: usize = 10;

fn bin(spheres: f64) -> Scene {
    // As many as a random fill has: 0.73 per place of a lattice.
    let height = spheres * f64::from(2.0 * RADIUS).powi(3) / (0.73 * f64::from(2.0 * HALF).powi(2));
    let text = format!(
        "name = \"pile\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n[[material]]\nname = \"sand\"\nradius = {RADIUS}\n\
         density = 2500\n[material.pbd]\nfriction = {FRICTION}\n[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\n\
         shape.box = {{ min = [-{HALF}, 0, -{HALF}], max = [{HALF}, {height}, {HALF}] }}\n[[boundary]]\nname = \"bin\"\n\
         friction = {FRICTION}\nshape.box = {{ min = [-{HALF}, 0, -{HALF}], max = [{HALF}, 9, {HALF}], hollow = true }}\n"
    );
    Scene::parse(&text, "pile").unwrap_or_else(|error| panic!("{error}"))
}

/// The same spheres in rapier.
fn balls(positions: &[[f32; 3]]) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld::default();
    world.integration_parameters.length_unit = 2.0 * RADIUS;
    let walls = world.insert_body(RigidBodyBuilder::fixed());
    let mut wall = |at: Vector| {
        let cuboid = ColliderBuilder::cuboid(1.0, 1.0, 1.0).translation(at).friction(FRICTION);
        world.insert_collider(cuboid, Some(walls));
    };
    wall(Vector::new(0.0, -1.0, 0.0));
    for side in [-1.0 - HALF, 1.0 + HALF] {
        wall(Vector::new(side, 0.9, 0.0));
        wall(Vector::new(0.0, 0.9, side));
    }
    let handles = positions.iter().map(|&[x, y, z]| {
        let ball = RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z)).can_sleep(false);
        let handle = world.insert_body(ball);
        world.insert_collider(ColliderBuilder::ball(RADIUS).density(2500.0).friction(FRICTION), Some(handle));
        handle
    });
    let handles = handles.collect();
    (world, handles)
}

/// Mean milliseconds of a frame.
fn timed(frames: usize, mut frame: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..frames).for_each(|_| frame());
    1e3 * start.elapsed().as_secs_f64() / frames as f64
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

/// Mean height of the spheres \[m\].
fn mean_height(heights: impl ExactSizeIterator<Item = f32>) -> f64 {
    let count = heights.len() as f64;
    heights.map(f64::from).sum::<f64>() / count
}

fn main() {
    let mut numbers = std::env::args().filter_map(|word| word.parse::<f64>().ok());
    let (wanted, rounds) = (numbers.next().unwrap_or(20_000.0), numbers.next().unwrap_or(3.0) as usize);
    let steps = numbers.next().unwrap_or(4.0) as usize;
    let options = Options { threads: Some(1), ..Options::default() };
    let mut sand = Simulation::new(bin(wanted), &options).unwrap_or_else(|error| panic!("{error}"));
    sand.run_until(1.0);
    let positions = |sand: &mut Simulation| match sand.read(&["position"]) {
        Ok(fields) => fields.vec3("position").unwrap_or_default().to_vec(),
        Err(error) => panic!("{error}"),
    };
    let start = positions(&mut sand);
    let (mut world, handles) = balls(&start);
    world.integration_parameters.dt = 1.0 / (60.0 * steps as f32);
    world.integration_parameters.contact_softness.natural_frequency *= steps as f32;
    let mut step = || (0..steps).for_each(|_| world.step());
    let mut frame = || sand.run_until(sand.time() + 1.0 / 60.0);
    timed(WARM, &mut frame);
    timed(WARM, &mut step);
    let (mut own, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        own.push(timed(FRAMES, &mut frame));
        peer.push(timed(FRAMES, &mut step));
    }
    println!(
        "{} spheres, {rounds} rounds of {FRAMES} frames, one thread, rapier with {steps} steps per frame, medians",
        start.len()
    );
    println!("granule pbd   {:8.2} ms per frame", median(own.clone()));
    println!("rapier balls  {:8.2} ms per frame", median(peer.clone()));
    let before = mean_height(start.iter().map(|x| x[1]));
    let after = mean_height(positions(&mut sand).into_iter().map(|x| x[1]));
    let balls = mean_height(handles.iter().map(|&handle| world.bodies[handle].translation().y));
    let below = handles.iter().filter(|&&handle| world.bodies[handle].translation().y < 0.0).count();
    println!("rapier balls below the floor: {below}");
    println!("mean height   {before:.5} m at first, then {after:.5} m and {balls:.5} m");
    println!("ratio pbd-rapier {:.2}", median(peer) / median(own));
}
