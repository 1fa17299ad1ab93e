//! Grains among guides on a lattice, without a solver.

use std::sync::LazyLock;

use glam::{Mat3, Quat, Vec3};

use super::advector::{AdvectionSettings, Fault, FrameInput, GrainAdvector};
use super::cpu::CpuGrains;
use super::nodes::{NONE, Nodes};
use super::{FineRadii, Grain, Guide, GuideGrid, Tile, Wall};
use crate::boundary::{Pose, Sdf, Shape};
use crate::measure::fine::{blue_noise, evenness};
use crate::neighbors::Domain;
use crate::random::Random;
use crate::simd::Instructions;

/// Radius of a grain; that of a guide is 1.
const RADIUS: f32 = 0.3;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
const DT: f32 = 0.02;

/// Full grains, and the variance of their numbers of neighbours.
static TILE: LazyLock<Tile> = LazyLock::new(|| Tile::new(RADIUS, 3));
static BLUE: LazyLock<f64> = LazyLock::new(|| blue_noise(RADIUS).variance);

/// Guides on a lattice that fills a cube from 0 to `side`.
struct Trial {
    side: f32,
    domain: Domain,
    fault: Option<Fault>,
    walls: Vec<Wall>,
    threads: usize,
    instructions: Instructions,
}

impl Trial {
    fn new(side: f32) -> Self {
        let (domain, instructions) = (Domain::default(), Instructions::best());
        Self { side, domain, fault: None, walls: Vec::new(), threads: 2, instructions }
    }

    fn settings(&self) -> AdvectionSettings {
        let (domain, friction) = (self.domain, vec![0.5]);
        AdvectionSettings {
            radii: FineRadii::one(RADIUS),
            radius: RADIUS,
            spread: RADIUS,
            guide_radius: 1.0,
            domain,
            friction,
            fault: self.fault,
        }
    }

    /// Guides that go from one map of the lattice to another.
    fn guides(&self, from: impl Fn(Vec3) -> Vec3, to: impl Fn(Vec3) -> Vec3) -> GuideGrid {
        let n = (0.5 * self.side).round() as usize;
        let guide = |k: usize| {
            let home = 2.0 * Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32) + 1.0;
            let displacement = to(home) - from(home);
            Guide {
                position: self.domain.wrap(from(home)).into(),
                moves: f32::from(displacement != Vec3::ZERO),
                displacement: displacement.into(),
                velocity: (displacement / DT).into(),
                ..Guide::default()
            }
        };
        GuideGrid::new((0..n * n * n).map(guide).collect(), 1.0, &self.domain)
    }

    fn frame<'a>(&'a self, frame: u64, guides: &'a GuideGrid, after: &'a GuideGrid) -> FrameInput<'a> {
        let (dt, gravity) = (DT, GRAVITY);
        FrameInput { frame, dt, gravity, guides, after, walls: &self.walls, outlets: &[] }
    }

    /// Moves grains through frames in which every guide is where `place` leads it from its home.
    fn run(&self, grains: &[Grain], frames: u64, place: impl Fn(u64, Vec3) -> Vec3) -> Vec<Grain> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().unwrap();
        let mut advector = CpuGrains::new(self.settings(), self.instructions, pool);
        advector.add(grains).unwrap();
        for frame in 0..frames {
            let guides = self.guides(|x| place(frame, x), |x| place(frame + 1, x));
            let after = self.guides(|x| place(frame + 1, x), |x| place(frame + 1, x));
            advector.advance(&self.frame(frame, &guides, &after)).unwrap();
        }
        let mut grains = advector.read().unwrap();
        grains.sort_unstable_by_key(|grain| grain.id);
        grains
    }

    /// Grains as full as at first, with their centres in the cube.
    fn full(&self) -> Vec<Grain> {
        let cube = Shape::Box { min: [-RADIUS; 3], max: [self.side + RADIUS; 3], hollow: false };
        grains_at(TILE.fill(&Sdf::new(&cube).unwrap(), |_| true))
    }

    /// As many grains as fill the cube, anywhere in it.
    fn scattered(&self) -> Vec<Grain> {
        let mut random = Random::new(8);
        let count = (TILE.density() * f64::from(self.side).powi(3)) as usize;
        let mut place = || Vec3::new(random.unit(), random.unit(), random.unit()) * self.side;
        grains_at((0..count).map(|_| place()).collect())
    }

    /// Whether a place is so deep in the cube that its surface does not matter.
    fn deep(&self, x: Vec3) -> bool {
        x.min_element() > 4.0 && x.max_element() < self.side - 4.0
    }
}

fn grains_at(places: Vec<Vec3>) -> Vec<Grain> {
    let grain = |(x, id): (Vec3, u32)| Grain { position: x.into(), id, ..Grain::default() };
    places.into_iter().zip(0..).map(grain).collect()
}

/// Guides sway as one and are back where they were after 40 frames.
fn sway(frame: u64, home: Vec3) -> Vec3 {
    let angle = frame as f32 * std::f32::consts::TAU / 40.0;
    home + 0.8 * Vec3::new(angle.sin(), (2.0 * angle).sin(), 1.0 - angle.cos())
}

/// Variance of the number of neighbours of deep grains over that of blue noise.
fn clumping(trial: &Trial, grains: &[Grain]) -> f64 {
    evenness(grains, RADIUS, |x| trial.deep(x)).variance / *BLUE
}

fn count_in(grains: &[Grain], inside: impl Fn(Vec3) -> bool) -> usize {
    grains.iter().filter(|grain| inside(grain.position.into())).count()
}

#[test]
fn grains_inside_track_an_affine_motion_of_the_guides() {
    let trial = Trial { fault: Some(Fault::NoShifting), ..Trial::new(20.0) };
    let turn = Mat3::from_quat(Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.05));
    let motion = |frame: u64, x: Vec3| if frame == 0 { x } else { turn * (x - 10.0) + 10.5 };
    let before = trial.full();
    let after = trial.run(&before, 1, motion);
    for (before, after) in before.iter().zip(&after) {
        let x = Vec3::from(before.position);
        if trial.deep(x) {
            let off = (motion(1, x) - Vec3::from(after.position)).length();
            assert!(off < 2e-3 * motion(1, x).distance(x), "{x}: {off}");
        }
    }
}

#[test]
fn a_full_mass_is_left_alone() {
    let trial = Trial::new(14.0);
    let before = trial.full();
    let rested = trial.run(&before, 3, |_, home| home);
    assert!(before.iter().zip(&rested).all(|(a, b)| a == b || !trial.deep(a.position.into())));
    let after = trial.run(&before, 40, sway);
    let (first, last) = (clumping(&trial, &before), clumping(&trial, &after));
    assert!(last < 1.1 * first.max(1.0), "{first} {last}");
    // Nor does it flow anywhere: what is in the middle is there still.
    let middle = |x: Vec3| (x - 7.0).abs().max_element() < 3.0;
    let (first, last) = (count_in(&before, middle), count_in(&after, middle));
    assert!((last as f64 / first as f64 - 1.0).abs() < 0.06, "{first} {last}");
}

#[test]
fn grains_move_into_a_gap() {
    let mut trial = Trial::new(14.0);
    let gap = |x: Vec3| x.distance(Vec3::splat(7.0)) < 2.0;
    let before = trial.full();
    let full = count_in(&before, gap) as f64;
    let holed: Vec<Grain> = before.into_iter().filter(|grain| !gap(grain.position.into())).collect();
    let filled = |trial: &Trial| count_in(&trial.run(&holed, 80, sway), gap) as f64 / full;
    assert!(filled(&trial) > 0.8, "{}", filled(&trial));
    trial.fault = Some(Fault::NoShifting);
    assert_eq!(filled(&trial), 0.0);
}

#[test]
fn scattered_grains_become_nearly_as_even_as_blue_noise() {
    let mut trial = Trial::new(14.0);
    let before = trial.scattered();
    let (first, last) = (clumping(&trial, &before), clumping(&trial, &trial.run(&before, 80, sway)));
    assert!(first > 2.5 && last < 1.3, "{first} {last}");
    trial.fault = Some(Fault::NoShifting);
    let unspread = clumping(&trial, &trial.run(&before, 80, sway));
    assert!(unspread > 2.5, "{unspread}");
}

#[test]
fn far_from_guides_grains_fly() {
    let trial = Trial::new(6.0);
    let guides = trial.guides(|x| x, |x| sway(1, x));
    let mut nodes = Nodes::default();
    nodes.build(&trial.frame(0, &guides, &guides), 1.0);
    for place in [Vec3::splat(-50.0), Vec3::new(3.0, 16.0, 3.0), Vec3::NAN] {
        assert_eq!(nodes.block_at(place), None);
    }
    let start = Grain { position: [3.0, 16.0, 3.0], velocity: [1.0, 2.0, 0.0], ..Grain::default() };
    let end = trial.run(&[start], 1, sway)[0];
    let expected = Vec3::from(start.position) + Vec3::from(start.velocity) * DT + GRAVITY * (0.5 * DT * DT);
    assert!(Vec3::from(end.position).distance(expected) < 1e-5, "{end:?}");
}

#[test]
fn blocks_know_which_walls_are_near() {
    let mut trial = Trial::new(20.0);
    let shape = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    let still = Pose::IDENTITY;
    trial.walls = vec![Wall { sdf: Sdf::new(&shape).unwrap(), friction: None, start: still, end: still }];
    let guides = trial.guides(|x| x, |x| x);
    let mut nodes = Nodes::default();
    let reach = 2.0;
    nodes.build(&trial.frame(0, &guides, &guides), reach);
    for (block, &cell) in nodes.cell_of_block.iter().enumerate() {
        let height = nodes.middle(cell).y;
        assert!((nodes.center_clearance[block] - height).abs() < 1e-4);
        let (low, high) = (height - 0.5 * nodes.side, height - 0.5 * 3.0f32.sqrt() * nodes.side);
        assert!(nodes.walls[block] == 1 || low > reach, "{height}");
        assert!(nodes.walls[block] == 0 || high <= reach, "{height}");
    }
    assert!(nodes.walls.contains(&0) && nodes.walls.contains(&1));
    assert!(nodes.block_of_cell.contains(&NONE) || nodes.block_of_cell.len() == nodes.walls.len());
}

#[test]
fn blocks_know_the_blocks_around_them() {
    let trial = Trial::new(20.0);
    // A sphere of guides: blocks of the rim and cells without a block are among those around.
    let mut guides = trial.guides(|x| x, |x| x).guide;
    guides.retain(|guide| Vec3::from(guide.position).distance(Vec3::splat(10.0)) < 10.0);
    let guides = GuideGrid::new(guides, 1.0, &trial.domain);
    let mut nodes = Nodes::default();
    nodes.build(&trial.frame(0, &guides, &guides), 2.0);
    let (mut none, mut outside) = (0, 0);
    for (block, &cell) in nodes.cell_of_block.iter().enumerate() {
        let [nx, ny, nz] = nodes.count.map(|c| c as i32);
        let cell = cell as i32;
        let corner = [cell % nx, cell / nx % ny, cell / nx / ny];
        let middle = nodes.origin + nodes.side * (Vec3::from(corner.map(|c| c as f32)) + 0.5);
        assert!(Vec3::from(nodes.center[block]).distance(middle) < 1e-4);
        for k in 0..27 {
            let [x, y, z] = [corner[0] + k % 3 - 1, corner[1] + k / 3 % 3 - 1, corner[2] + k / 9 - 1];
            let inside = (0..nx).contains(&x) && (0..ny).contains(&y) && (0..nz).contains(&z);
            let index = (z * ny + y) * nx + x;
            let expected = if inside { nodes.block_of_cell[index as usize] } else { NONE };
            assert_eq!(nodes.neighbors[block][k as usize], expected, "{corner:?} {k}");
            none += u32::from(inside && expected == NONE);
            outside += u32::from(!inside);
        }
        assert_eq!(nodes.neighbors[block][13], block as u32);
    }
    assert!(none > 100 && outside > 100, "{none} {outside}");
}

#[test]
fn images_beyond_the_ends_of_a_period_count() {
    let mut trial = Trial::new(14.0);
    trial.domain = Domain::new([Some([0.0, 14.0]), None, None]);
    let after = trial.run(&trial.scattered(), 80, sway);
    let rest = |x: Vec3| x.y > 4.0 && x.y < 10.0 && x.z > 4.0 && x.z < 10.0;
    let seam = count_in(&after, |x| rest(x) && (x.x < 1.5 || x.x > 12.5)) as f64;
    let middle = count_in(&after, |x| rest(x) && (x.x - 7.0).abs() < 1.5) as f64;
    assert!((seam / middle - 1.0).abs() < 0.06, "{seam} {middle}");
    // Seen from half a period on, the seam is inside, and as even as the rest.
    let shifted: Vec<Grain> = after
        .into_iter()
        .map(|mut grain| {
            grain.position[0] = (grain.position[0] + 7.0).rem_euclid(14.0);
            grain
        })
        .collect();
    let clumped = clumping(&trial, &shifted);
    assert!(clumped < 1.3, "{clumped}");
}

#[test]
fn threads_and_instructions_do_not_matter() {
    let mut trial = Trial::new(10.0);
    let shape = Shape::Box { min: [-0.5; 3], max: [11.0, 30.0, 11.0], hollow: true };
    let still = Pose::IDENTITY;
    trial.walls = vec![Wall { sdf: Sdf::new(&shape).unwrap(), friction: None, start: still, end: still }];
    let mut start = trial.scattered();
    // Some fly above and land.
    start.iter_mut().step_by(7).for_each(|grain| grain.position[1] += 6.0);
    trial.threads = 1;
    let one = trial.run(&start, 12, sway);
    trial.threads = 3;
    assert!(trial.run(&start, 12, sway) == one);
    for instructions in Instructions::ALL.into_iter().filter(|set| set.available()) {
        trial.instructions = instructions;
        assert!(trial.run(&start, 12, sway) == one, "{}", instructions.name());
    }
}
