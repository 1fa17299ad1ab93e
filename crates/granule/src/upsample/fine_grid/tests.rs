//! Tests of the fine grid.

use std::collections::HashMap;

use super::*;
use crate::neighbors::Domain;
use crate::random::Random;
use crate::simd::{Portable, Real, Vectorised};
use crate::upsample::grain_lanes::{numbers, trilinear_weights};
use crate::upsample::{FineRadii, FrameInput, Guide, GuideGrid, deformations};

/// Shift at a point.
struct ShiftAt<'a> {
    fine_grid: &'a FineGrid,
    x: Vec3,
    radius: f32,
}

impl Vectorised for ShiftAt<'_> {
    type Output = Vec3;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec3 {
        let at = self.x.to_array().map(L::splat);
        let shifts = numbers(self.fine_grid.shifts::<L>(&at, self.radius, 1));
        Vec3::new(shifts[0][0], shifts[1][0], shifts[2][0])
    }
}

/// Shares of the eight nodes around a point.
fn parts(t: Vec3) -> [f32; 8] {
    let t = t.to_array().map(Portable::splat);
    trilinear_weights(&t).map(|part| part.to_array()[0])
}

/// Parts share nodes and are filled by different threads: the sum must be that of one large grid.
#[test]
fn parts_together_are_one_grid() {
    let mut random = Random::new(5);
    let mut point = |size: f32| Vec3::new(random.unit(), random.unit(), random.unit()) * size;
    let stray = Guide { position: [25.0; 3], ..Guide::default() };
    let moving = |x: Vec3| Guide { position: x.into(), moves: 1.0, ..Guide::default() };
    let guides = (0..60).map(|_| moving(point(12.0))).chain([stray]).collect();
    let grid = GuideGrid::new(guides, 1.0, &Domain::default());
    let grains: Vec<Grain> =
        (0..3000).map(|_| Grain { position: (point(20.0) - 4.0).into(), ..Grain::default() }).collect();
    let (radius, domain) = (0.3, Domain::default());
    let settings = AdvectionSettings {
        radii: FineRadii::one(radius),
        radius,
        spread: radius,
        guide_radius: 1.0,
        domain,
        friction: vec![],
        fault: None,
    };
    let mut nodes = Nodes::default();
    let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
    let frame = FrameInput { frame: 3, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
    nodes.build(&frame, 1.0);
    let instructions = Instructions::best();
    nodes.interpolate(&settings, &frame, &deformations(&grid, &nodes, instructions), instructions);
    let mut fine_grid = FineGrid::default();
    fine_grid.count(&nodes, &grains, &settings, 3, Instructions::best());

    let mut expected: HashMap<[u32; 3], u32> = HashMap::new();
    for grain in &grains {
        let at = (Vec3::from(grain.position) - fine_grid.origin) * fine_grid.inverse_side + fine_grid.offset;
        let first = at.floor();
        for (k, part) in parts(at - first).into_iter().enumerate() {
            let step = Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
            let node = (first + step).max(Vec3::ZERO).as_uvec3().to_array();
            *expected.entry(node).or_default() += (part * FIXED_POINT_ONE + 0.5) as u32;
        }
    }
    let n = fine_grid.along as usize;
    let (mut compared, mut sum) = (0, vec![0; (n + 1).pow(3)]);
    for part in (0..fine_grid.cell_of_part.len()).filter(|part| fine_grid.block_of_part[*part] != NONE) {
        let cell = fine_grid.cell_of_part[part];
        let [nx, ny, nz] = fine_grid.count;
        let corner = [cell % nx, cell / nx % ny, cell / nx / ny];
        if (0..3).any(|k| corner[k] == 0 || corner[k] + 1 == [nx, ny, nz][k]) {
            continue;
        }
        fine_grid.collect(part, &mut sum);
        for k in 0..n.pow(3) {
            let local = [k % n, k / n % n, k / n / n];
            let sum = sum[(local[2] * (n + 1) + local[1]) * (n + 1) + local[0]];
            let node = [0, 1, 2].map(|a| corner[a] * fine_grid.along + local[a] as u32);
            assert_eq!(sum, expected.get(&node).copied().unwrap_or(0), "{node:?}");
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn a_grain_next_to_a_cluster_is_shifted_away_from_it_across_parts() {
    let moving = |k: usize| Guide {
        position: [2.0 * (k % 6) as f32, 2.0 * (k / 6 % 6) as f32, 2.0 * (k / 36) as f32],
        moves: 1.0,
        ..Guide::default()
    };
    let grid = GuideGrid::new((0..216).map(moving).collect(), 1.0, &Domain::default());
    let (radius, domain) = (0.3, Domain::default());
    let settings = AdvectionSettings {
        radii: FineRadii::one(radius),
        radius,
        spread: radius,
        guide_radius: 1.0,
        domain,
        friction: vec![],
        fault: None,
    };
    let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
    let mut mean = Vec3::ZERO;
    for frame in 0..40 {
        let input = FrameInput { frame, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
        let mut nodes = Nodes::default();
        nodes.build(&input, 1.0);
        let instructions = Instructions::best();
        nodes.interpolate(&settings, &input, &deformations(&grid, &nodes, instructions), instructions);
        // Guides' cells end at 3 and 6: the cluster is before, the grain beyond.
        let cluster = Vec3::new(5.9, 5.0, 5.0);
        let grains = vec![Grain { position: cluster.into(), ..Grain::default() }; 20];
        let mut fine_grid = FineGrid::default();
        fine_grid.count(&nodes, &grains, &settings, frame, Instructions::best());
        let shift =
            Instructions::best().run(ShiftAt { fine_grid: &fine_grid, x: cluster + Vec3::X * 0.45, radius });
        assert!(shift.length() <= 0.5 * radius * 1.001, "{frame}: {shift}");
        mean += shift / 40.0;
    }
    assert!(mean.x > 0.05 && mean.y.abs().max(mean.z.abs()) < 0.3 * mean.x, "{mean}");
}
