//! Position-based sand on the CPU: rigid spheres with few steps per frame, whose heaps stay.
//!
//! A frame is divided into equal steps ("substeps"), as many as the smallest grains need ([`params::needed_substeps`]). A step:
//!
//! | stage | what it does |
//! | --- | --- |
//! | list | where something has moved too far: sort by cell, list pairs (`partners.rs`) and walls with a skin, carry what contacts remember, give pairs their [`bricks`], [`colour`]s and places (`order.rs`) |
//! | fall | v += h g, and drag of air |
//! | prepare | normals and gaps; who touches, or will within the step |
//! | warm start | all impulses of the step before, in full; how far overlaps push |
//! | sweeps | by partition of bricks, colour by colour, then loose pairs, then walls: impulses are corrected ([`contact`]) and given to grains at once; bodies follow, those made of particles by a rigid projection ([`shaped`]) |
//! | bounce | where a material has restitution |
//! | drift | x += h v, plus the push, which leaves no velocity behind |
//! | bodies | rapier moves them under the impulses of the contacts |
//!
//! Four things make heaps stay: the full warm start, kept per contact over steps and lists; overlap removed by a push that never
//! becomes velocity; friction bounded by the accumulated normal impulse; and Gauss-Seidel, coloured. There is no damping and no
//! sleeping.
//!
//! | data | bytes | lives |
//! | --- | --- | --- |
//! | position and radius, velocity and mass, angular velocity and inverse mass (0: held), exact centre | 72 per grain | state |
//! | orientation and turn | 32 per grain | follows |
//! | how far a grain is listed, and along which way ([`path`]) | 32 per grain | as long as the lists, in checkpoints |
//! | bricks that a grain is in, colours that it has | 40 per grain | while lists are made |
//! | push, what rounding took from the position | 32 per grain | one step |
//! | forces of contacts: along, across, against rolling, connected | 32 per listed pair, 48 per wall | state, in contact memory |
//! | groups of sixteen pairs of one colour, with impulses, normals, gaps | 60 per listed pair | as long as the lists |
//! | radii and constants of a group ([`kinds`]) where its pairs differ | 34 per listed pair | as long as the lists |
//!
//! [`averaged`] is another scheme, Sommer's, for comparison.
//!
//! Contact memory holds forces, so steps may differ in length. Groups hold impulses while lists live. Lists outlive frames: a
//! checkpoint has where grains were when they were listed, and makes the same lists again ([`SavedLists`]). Colours depend on ids and
//! neighbours only, and the order inside of a colour on nothing: the same bits for any number of threads.
//!
//! References: \[MMCK14\], \[JP93\], \[TBV12\]; docs/equations.md says where it departs from the first.
//!
//! Limitations: spheres only, without rigid grains of several; of free bodies, only those made of particles are pushed out of overlap.

pub mod averaged;
pub mod bricks;
mod check;
pub mod colour;
mod common;
pub mod contact;
mod fields;
pub mod groups;
mod integrate;
pub mod kinds;
pub mod laws;
pub mod order;
pub mod params;
mod partners;
pub mod path;
pub mod shaped;
mod splitting;
pub mod state;
pub mod sweep;
mod touching;
pub mod wall_solve;
pub mod walls;

pub use check::check;
pub use fields::FIELDS;

use glam::{Vec3, Vec4};

use crate::bodies::BodyMotion;
use crate::boundary::Boundary;
use crate::columns::ParticleColumns;
use crate::particles::OptionalColumn;
use crate::simd::Instructions;
use crate::simulator::StepReport;
use crate::solver::orientation::fold_turns;
use crate::solver::saved::SavedLists;
use crate::solver::search::Search;
use crate::solver::world::{World, equal_steps};
use crate::solver::{Defect, SolverInput};
use crate::stages::{Stage, StageTimes};
use crate::team::{self, SharedColumn};

use groups::{PairInput, Pairs};
use integrate::Totals;
use params::Setup;
use path::Path;
use shaped::{ShapedBodies, ShapedColumns};
use state::PbdState;
use sweep::{Moving, StepConstants};
use wall_solve::{AtWalls, WallStep};
use walls::WallInput;

/// Sweeps that follow every sweep where bodies made of particles meet each other.
const MEETING_SWEEPS: usize = 8;

/// The position-based solver on the CPU.
pub struct Pbd {
    setup: Setup,
    world: World,
    state: PbdState,
    search: Search,
    pairs: Pairs,
    /// Whether pairs are those of the particles in their order of now.
    listed: bool,
    /// Length of the step that impulses are of \[s\].
    dt: f32,
    /// Positions, and how far grains are listed \[m\].
    reach: Vec<Vec4>,
    /// Ways that they are listed along.
    path: Vec<Path>,
    /// The largest skin of a grain, and that of walls \[m\].
    skin: f32,
    /// How far walls have moved since lists were made, at most \[m\].
    wall_way: f32,
    /// Changes of velocity by air [m/s].
    dragged: Vec<Vec3>,
    /// Bodies that are made of particles.
    shaped: ShapedBodies,
    /// Columns of the averaged scheme.
    averaged: averaged::Columns,
}

impl Pbd {
    /// A solver for a scene.
    pub fn new(input: SolverInput) -> Self {
        let instructions = input.instructions.map_or_else(Instructions::best, Instructions::or_best);
        let setup = Setup::new(&input.scene, input.grain_shapes, input.defect, instructions);
        let mut world = World::new(input.scene, input.boundaries, input.bodies, input.grains, input.team);
        let shaped = ShapedBodies::new(&world.bodies, world.scene.material.len(), &mut world.particles);
        world.hidden = shaped.ids();
        world.particles.require(&[OptionalColumn::AngularVelocity]);
        let mut state = PbdState::default();
        state.resize(world.particles.len());
        let mut pbd = Self {
            dt: setup.step as f32,
            reach: Vec::new(),
            path: Vec::new(),
            skin: setup.skin(0.0, 1.0),
            setup,
            world,
            state,
            search: Search::default(),
            pairs: Pairs::default(),
            listed: false,
            wall_way: 0.0,
            dragged: Vec::new(),
            shaped,
            averaged: averaged::Columns::default(),
        };
        pbd.begin_particles(0);
        for (i, _) in input.grains.iter().enumerate().filter(|(_, grain)| grain.fixed) {
            pbd.hold(i);
        }
        pbd.shaped.find(&pbd.world.particles.id);
        pbd
    }

    /// Holds a grain where it is: it has no inverse mass.
    fn hold(&mut self, i: usize) {
        self.world.particles.velocity[i] *= glam::Vec4::W;
        if let Some(spin) = self.world.particles.angular_velocity.as_mut() {
            spin[i].w = 0.0;
        }
    }

    /// The stages of a step of at most `max_dt` \[s\].
    fn run_stages(&mut self, max_dt: f64) -> StepReport {
        let dt = equal_steps(max_dt, self.setup.step);
        let last = dt >= max_dt * (1.0 - 1e-9);
        let mut t = StageTimes::default();
        t.time(Stage::MoveBodies, || self.lead_walls(dt));
        self.list_contacts_near(dt, &mut t);
        t.time(Stage::Integrate, || self.fall(dt));
        t.time(Stage::Drag, || self.drag(dt));
        t.time(Stage::MoveBodies, || self.lead_shaped(dt));
        let bodies = self.world.bodies.free_motions(&self.world.boundaries, self.world.gravity, dt as f32);
        let bodies = self.solve(dt, bodies, &mut t);
        let mut totals = t.time(Stage::Integrate, || self.drift(dt));
        let lost_bodies = t.time(Stage::MoveBodies, || self.drift_shaped(dt, &mut totals));
        self.note_motion(&totals, dt);
        t.time(Stage::MoveBodies, || self.move_bodies(dt, &bodies));
        self.world.time += dt;
        let lost = lost_bodies + t.time(Stage::Quarantine, || self.quarantine(totals.unsound));
        if last {
            t.time(Stage::Integrate, || fold_turns(&mut self.state.orientation, &mut self.state.turn));
        }
        let count = self.world.shown();
        StepReport {
            dt,
            particles: count,
            iterations: self.setup.sweeps,
            converged: true,
            max_speed: f64::from(totals.fastest).sqrt(),
            kinetic_energy: totals.kinetic_energy,
            lost,
            neighbors_mean: 2.0 * self.pairs.active() as f64 / count.max(1) as f64,
            stages: t,
            ..StepReport::default()
        }
    }

    /// Walls and tools go where they will be at the step's end.
    fn lead_walls(&mut self, dt: f64) {
        let world = &mut self.world;
        world.boundaries.kick_servos(world.time, 0.5 * dt, None);
        world.boundaries.advance(world.time, dt);
    }

    /// Bodies that are made of particles fall, and give these their velocities.
    fn lead_shaped(&mut self, dt: f64) {
        let Self { world, shaped, .. } = self;
        let Some(spin) = world.particles.angular_velocity.as_mut() else { return };
        let mut columns = ShapedColumns { velocity: &mut world.particles.velocity, spin };
        shaped.begin(&world.bodies, world.gravity, dt, &mut columns);
    }

    /// Contact memory takes over what pairs and walls remember, and lists end: before particles come or go.
    fn give_up_lists(&mut self) {
        if self.listed {
            self.pairs.remember(&mut self.state.memory, self.dt);
        }
        self.search.invalidate();
    }

    /// Sorts by cell, and lists pairs and walls anew where something has moved too far for the lists.
    fn list_contacts_near(&mut self, dt: f64, t: &mut StageTimes) {
        if self.search.is_valid() {
            return;
        }
        t.time(Stage::Sort, || {
            self.find_reaches(dt as f32);
            if self.listed {
                self.pairs.remember(&mut self.state.memory, self.dt);
            }
            fold_turns(&mut self.state.orientation, &mut self.state.turn);
        });
        self.wall_way = 0.0;
        self.make_lists(dt as f32, t);
        self.dt = dt as f32;
    }

    /// Makes lists again that hold after a checkpoint: of particles where they were when they were listed.
    fn make_lists_again(&mut self, lists: SavedLists) {
        (self.reach, self.path) = (lists.listed, lists.paths);
        (self.skin, self.wall_way, self.dt) = (lists.wall_skin, lists.wall_way, lists.step);
        self.make_lists(1.0, &mut StageTimes::default());
    }

    /// Sorts by cell, and lists pairs and walls by reaches; the contact memory has impulses of steps of `dt` over that \[s\].
    fn make_lists(&mut self, dt: f32, t: &mut StageTimes) {
        let params = self.setup.search_params();
        t.time(Stage::Sort, || {
            self.search.sort(&params, &self.reach);
            self.follow_order();
        });
        t.time(Stage::Neighbors, || {
            let particles = &self.world.particles;
            self.search.build(&params, &self.reach);
            let input = PairInput {
                lists: &self.search.lists,
                domain: &self.setup.domain,
                laws: &self.setup.laws,
                id: &particles.id,
                position: &particles.position,
                listed: &self.reach,
                path: &self.path,
                spin: particles.angular_velocity.as_deref().unwrap_or_default(),
                material: &particles.material,
                first_of_bodies: self.world.scene.material.len() as u16,
                inverse_brick: 1.0 / self.setup.brick,
                dt,
                instructions: self.setup.instructions,
            };
            self.pairs.rebuild(&input, self.search.order.sources(), &mut self.state.memory);
            self.shaped.note_pairs(&self.pairs, &particles.material);
        });
        t.time(Stage::SampleBoundaries, || {
            let (setup, world, of_walls) = (&self.setup, &self.world, self.skin + self.wall_way);
            let sources = self.search.order.sources();
            let reach = |grain: Vec4, wall: &Boundary| {
                let is_wall = !self.shaped.is_made(wall.body());
                is_wall.then(|| setup.wall_reach(grain, if wall.moves() { of_walls } else { 0.0 }))
            };
            self.state.walls.rebuild(sources, &world.boundaries, &self.reach, reach);
        });
        self.listed = true;
    }

    /// Finds how far grains are listed, and along which ways.
    fn find_reaches(&mut self, dt: f32) {
        let (setup, particles) = (&self.setup, &self.world.particles);
        let speed = |v: &Vec4| f64::from(v.truncate().length());
        let sum =
            team::sum_blocks(particles.len(), |range| particles.velocity[range].iter().map(speed).sum());
        let mean = (sum / particles.len().max(1) as f64) as f32;
        let steps = setup.skin_steps(setup.way(mean, dt));
        self.skin = setup.skin(setup.way(self.world.fastest(), dt), steps);
        team::fill(&mut self.path, particles.len(), |i| {
            setup.path(particles.velocity[i].truncate(), particles.position[i].w, dt, steps)
        });
        let path = &self.path;
        team::fill(&mut self.reach, particles.len(), |i| particles.position[i].with_w(path[i].reach()));
    }

    /// Puts all columns into the new order.
    fn follow_order(&mut self) {
        self.state.walls.remember(self.world.particles.len(), self.dt);
        let Search { order, scratch, .. } = &mut self.search;
        self.world.particles.permute(order, scratch);
        order.apply(&mut self.reach, &mut scratch.rows);
        order.apply(&mut self.path, &mut Vec::new());
        self.state.permute(order, scratch);
        self.shaped.find(&self.world.particles.id);
    }

    /// Finds the contacts of the step and solves them. Gives the motions of bodies at its end.
    fn solve(&mut self, dt: f64, free: Vec<BodyMotion>, t: &mut StageTimes) -> Vec<BodyMotion> {
        let (before, h) = (self.dt, dt as f32);
        self.dt = h;
        let weak = self.setup.defect == Some(Defect::WeakWarmStart);
        let carry = if weak { 0.99 } else { 1.0 };
        let as_velocity = self.setup.defect == Some(Defect::PushAsVelocity);
        let (push_speed, drive) =
            if as_velocity { (0.0, contact::PUSH / h) } else { (self.setup.push_speed(), 0.0) };
        let Self { setup, world, state, pairs, averaged, shaped, .. } = self;
        let particles = &mut world.particles;
        let Some(spin) = particles.angular_velocity.as_mut() else { return free };
        let PbdState { place, push, rest, walls, .. } = state;
        let step = StepConstants {
            domain: &setup.exact_domain,
            place,
            position: &particles.position,
            rest,
            dt: h,
            carry: carry * (h / before),
            push_speed,
            drive,
            rotation: setup.rotation,
            instructions: setup.instructions,
        };
        let at_wall = WallStep {
            position: &particles.position,
            dt: h,
            carry,
            push_speed,
            drive,
            rotation: setup.rotation,
        };
        t.time(Stage::TouchWalls, || {
            let input = WallInput {
                laws: &setup.laws,
                boundaries: &world.boundaries,
                bodies: &free,
                position: &particles.position,
                place,
                velocity: &particles.velocity,
                spin,
                material: &particles.material,
                dt: h,
            };
            walls.find(&input, before);
            wall_solve::share_bodies(walls, &free);
        });
        macro_rules! moving {
            () => {
                Moving {
                    velocity: SharedColumn::of(&mut particles.velocity),
                    spin: SharedColumn::of(&mut spin[..]),
                    push: SharedColumn::of(&mut push[..]),
                }
            };
        }
        macro_rules! at_walls {
            () => {
                AtWalls { velocity: &mut particles.velocity, spin: &mut spin[..], push: &mut push[..] }
            };
        }
        macro_rules! project {
            () => {
                t.time(Stage::MoveBodies, || {
                    let mut columns =
                        ShapedColumns { velocity: &mut particles.velocity, spin: &mut spin[..] };
                    shaped.project(&mut columns);
                })
            };
        }
        t.time(Stage::Touch, || sweep::prepare_pairs(pairs, &step, &moving!()));
        t.time(Stage::MoveBodies, || shaped.weigh(pairs, walls, &particles.id, spin));
        if let Some(averaging) = setup.averaging {
            let step = averaged::Step {
                domain: &setup.exact_domain,
                place,
                position: &particles.position,
                bodies: &free,
                up: -world.gravity.normalize_or_zero(),
                dt: h,
                iterations: setup.sweeps,
                averaging,
            };
            walls.forget();
            let grains = averaged::Grains { velocity: &mut particles.velocity, spin: &mut spin[..], push };
            t.time(Stage::Project, || averaged::solve(&step, pairs, walls, averaged, grains));
            return follow_bodies(walls, &free, h);
        }
        t.time(Stage::WarmStart, || {
            sweep::warm_start_pairs(pairs, &step, &moving!());
            wall_solve::warm_start_walls(walls, &at_wall, at_walls!());
        });
        project!();
        let follow = |walls: &_| follow_bodies(walls, &free, h);
        let mut bodies = follow(walls);
        for _ in 0..setup.sweeps {
            t.time(Stage::Project, || sweep::sweep_pairs(pairs, &step, &moving!()));
            t.time(Stage::TouchWalls, || {
                wall_solve::sweep_walls(walls, &at_wall, &bodies, at_walls!());
                bodies = follow(walls);
            });
            project!();
            let meeting = shaped.meeting(pairs).to_vec();
            for _ in 0..if meeting.is_empty() { 0 } else { MEETING_SWEEPS } {
                t.time(Stage::Project, || sweep::sweep_some(pairs, &meeting, &step, &moving!()));
                t.time(Stage::TouchWalls, || {
                    wall_solve::sweep_walls(walls, &at_wall, &bodies, at_walls!());
                    bodies = follow(walls);
                });
                project!();
            }
        }
        shaped.add_loads(pairs, &particles.id, setup.rotation, dt);
        if setup.laws.bounces {
            let slowest = setup.bounce_speed(world.gravity, h);
            let before = shaped.momenta();
            sweep::bounce_pairs(pairs, &setup.laws, &particles.material, slowest, &moving!());
            project!();
            shaped.add_loads_since(&before, dt);
            wall_solve::bounce_walls(walls, &at_wall, &bodies, slowest, at_walls!());
            project!();
        }
        bodies
    }

    /// Lets the search know how far grains and walls have moved, and will in a step like this one.
    fn note_motion(&mut self, totals: &Totals, dt: f64) {
        let of_walls = self.world.boundaries.fastest(self.world.time) * dt as f32;
        self.wall_way += of_walls;
        let used = totals.used.max(self.setup.used(self.wall_way, of_walls, self.skin));
        // What is not a number is found elsewhere, and ends lists.
        if used >= 1.0 {
            self.search.invalidate();
        }
    }

    /// Bodies, and walls that hold a force, take the impulses of contacts.
    fn move_bodies(&mut self, dt: f64, motions: &[BodyMotion]) {
        let (world, walls) = (&mut self.world, &self.state.walls);
        if world.boundaries.any_servo() {
            let force = |wall: u16| wall_solve::force_on(walls, wall, dt as f32);
            world.boundaries.kick_servos(world.time + dt, 0.5 * dt, Some(&force));
        }
        if !world.bodies.is_empty() {
            let centers: Vec<Vec3> = motions.iter().map(|motion| motion.center).collect();
            world.coupling.load = wall_solve::loads_on_bodies(walls, &centers, dt as f32);
            world.bodies.step(dt, world.gravity, &world.coupling.load, &mut world.boundaries);
            self.shaped.hand_over(&mut world.bodies, &mut world.boundaries);
        }
    }
}

/// Motions of bodies under the impulses of contacts of now.
fn follow_bodies(walls: &walls::Walls, free: &[BodyMotion], dt: f32) -> Vec<BodyMotion> {
    if free.iter().all(|body| body.inverse_mass == 0.0) {
        return free.to_vec();
    }
    let centers: Vec<Vec3> = free.iter().map(|motion| motion.center).collect();
    let loads = wall_solve::loads_on_bodies(walls, &centers, dt);
    free.iter().zip(&loads).map(|(free, load)| free.pushed(load, dt)).collect()
}

#[cfg(test)]
mod tests;
