use std::collections::HashSet;

use glam::Vec3;

use super::*;
use crate::boundary::Boundaries;
use crate::neighbors::brute_force_contacts;
use crate::particles::NewParticle;
use crate::random::Random;
use crate::scene::Scene;
use crate::simd::LANES;
use crate::simulator::Simulator;
use crate::team::Team;

const RADIUS: f32 = 0.01;

/// A block of grains that rest, and one that flies into it at `speed` [m/s], each grain in a direction that differs a little.
fn blocks(speed: f32) -> Vec<NewParticle> {
    let mut random = Random::new(7);
    let mut vector = |size: f32| Vec3::from_array([(); 3].map(|_| size * (2.0 * random.unit() - 1.0)));
    let mut grains = Vec::new();
    for k in 0..2 * 6 * 6 * 6 {
        let flies = k >= 216;
        let cell = Vec3::new((k / 36) as f32, (k / 6 % 6) as f32, (k % 6) as f32);
        let apart = if flies { Vec3::new(0.05, 0.007, 0.003) } else { Vec3::ZERO };
        let way = if flies { Vec3::new(-1.0, 0.1, 0.2) + vector(0.1) } else { Vec3::ZERO };
        grains.push(NewParticle {
            position: 2.3 * RADIUS * cell + apart + vector(0.1 * RADIUS),
            velocity: speed * way,
            radius: RADIUS,
            mass: 0.008,
            material: 0,
            fixed: false,
        });
    }
    grains
}

fn solver(grains: &[NewParticle]) -> Pbd {
    let text = "name = \"test\"\n[simulation]\nsolver = \"pbd\"\ngravity = [0, 0, 0]\n[[material]]\nname = \"sand\"\n\
                radius = 0.01\n[[grains]]\nmaterial = \"sand\"\nshape.box = { min = [0, 0, 0], max = [0.2, 0.1, 0.2] }\n";
    Pbd::new(SolverInput {
        scene: Scene::parse(text, "test").unwrap(),
        boundaries: Boundaries::new::<String>([]).unwrap(),
        bodies: Default::default(),
        grains,
        assemblies: &[],
        grain_shapes: &Default::default(),
        team: Team::new(2).unwrap(),
        instructions: None,
        defect: None,
    })
}

/// Overlapping pairs that are not listed, and all that overlap.
fn unlisted(pbd: &Pbd) -> (usize, usize) {
    let listed: HashSet<[u32; 2]> = pbd.pairs.listed().map(|(_, i, j)| [i.min(j), i.max(j)]).collect();
    let overlapping = brute_force_contacts(&pbd.world.particles.position, &pbd.setup.domain, 0.0);
    let pairs = overlapping.iter().enumerate().flat_map(|(i, near)| near.iter().map(move |j| [i as u32, *j]));
    let pairs: Vec<[u32; 2]> = pairs.filter(|[i, j]| i < j).collect();
    (pairs.iter().filter(|pair| !listed.contains(*pair)).count(), pairs.len())
}

/// Pairs that are in no brick, and all that are listed.
fn loose(pbd: &Pbd) -> (usize, usize) {
    let from = LANES * pbd.pairs.order.loose().start;
    let loose = pbd.pairs.listed().filter(|(at, ..)| *at as usize >= from).count();
    (loose, pbd.pairs.listed().count())
}

/// They are what a device takes a dispatch per colour for.
#[test]
fn hardly_any_pair_is_in_no_brick_however_fast_grains_are() {
    for (speed, most) in [(0.2, 0.002), (1.0, 0.002), (5.0, 0.02)] {
        let mut pbd = solver(&blocks(speed));
        let (mut loose, mut all) = (0, 0);
        for _ in 0..(60.0 / speed).min(60.0) as usize {
            pbd.step(1.0 / 600.0);
            let (of_step, of_all) = self::loose(&pbd);
            (loose, all) = (loose + of_step, all + of_all);
        }
        eprintln!("{speed} m/s: {loose} of {all} pairs");
        assert!(all > 10_000 && (loose as f64) < most * all as f64, "{speed} m/s: {loose} of {all}");
    }
}

/// At the end of every step, before lists are made anew, and at speeds that are deflected within steps of 0.02 to 0.5 d.
#[test]
fn grains_that_overlap_are_listed_however_fast_they_met() {
    for speed in [0.2, 1.0, 5.0] {
        let mut pbd = solver(&blocks(speed));
        let (mut missed, mut all, mut lists) = (0, 0, 0);
        for _ in 0..(600.0 / speed).min(300.0) as usize {
            let valid = pbd.search.is_valid();
            pbd.step(1.0 / 600.0);
            lists += usize::from(!valid);
            let (unlisted, overlapping) = unlisted(&pbd);
            (missed, all) = (missed + unlisted, all + overlapping);
        }
        eprintln!("{speed} m/s: {missed} of {all} pairs, {lists} lists");
        assert!(all > 1000, "{speed} m/s: they have not met, {all}");
        assert_eq!(missed, 0, "{speed} m/s: of {all}");
    }
}
