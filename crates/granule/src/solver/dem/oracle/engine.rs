//! Oracles in the solver itself.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3, Vec3};

use super::file::{Oracle, OracleClump, OracleNormal, OracleWall, Prescribed, WallKind};
use super::{Comparison, Differences, Energies};
use crate::assemblies::{NewAssembly, Sphere};
use crate::bodies::Bodies;
use crate::boundary::{Boundaries, BoundaryError, Keyframe, Motion, Shape};
use crate::clumps::PlacedAssembly;
use crate::particles::NewParticle;
use crate::position::ExactPosition;
use crate::scene::{BoundarySettings, DemMaterialSettings, MaterialSettings, NormalLaw, Scene, SolverKind};
use crate::simd::Instructions;
use crate::simulator::{Simulator, StateError};
use crate::solver::dem::Dem;
use crate::solver::particle_solver::ParticleSolver;
use crate::solver::{Defect, SolverInput};
use crate::team::{Team, TeamError};

/// How far walls of oracles that have no end reach \[m\].
const ENDLESS: f32 = 1.0;

/// Why an oracle cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Threads could not be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] TeamError),
    /// A wall is impossible.
    #[error("{0}")]
    Wall(#[from] BoundaryError),
}

/// How to run an oracle.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineOptions {
    /// Number of threads; all cores for 0.
    pub threads: usize,
    /// Instructions to use; the best ones when absent.
    pub instructions: Option<Instructions>,
    /// A deliberate fault, for negative controls only.
    pub defect: Option<Defect>,
}

/// The grains of an oracle in the solver.
pub struct Engine {
    solver: Dem,
    gravity: DVec3,
    radius: Vec<f64>,
    mass: Vec<f64>,
}

impl Engine {
    /// The start of an oracle.
    ///
    /// # Errors
    /// Says what cannot be set up.
    pub fn new(oracle: &Oracle, options: EngineOptions) -> Result<Self, SetupError> {
        let (scene, boundaries) = Self::surroundings(oracle)?;
        let grains: Vec<NewParticle> = oracle.spheres.iter().map(grain).collect();
        let EngineOptions { threads, instructions, defect } = options;
        let team = Team::new(threads)?;
        let bodies = Bodies::default();
        let input = SolverInput {
            scene,
            boundaries,
            bodies,
            grains: &grains,
            assemblies: &[],
            grain_shapes: &Default::default(),
            team,
            instructions,
            defect,
        };
        let mut solver = Dem::new(input);
        let vector = |row: &[f64]| DVec3::new(row[0], row[1], row[2]);
        for (i, row) in oracle.spheres.iter().enumerate() {
            solver.put(i, vector(&row[..3]), vector(&row[3..6]), vector(&row[6..9]));
        }
        for clump in &oracle.clumps {
            assemble(&mut solver, oracle, clump);
        }
        for (&i, path) in &oracle.prescribed {
            let (start, path) = (vector(&oracle.spheres[i][..3]), *path);
            solver.lead(i as u32, Box::new(move |time| along(start, path, time)));
        }
        let mass = oracle.spheres.iter().map(|row| 4.0 / 3.0 * PI * row[9].powi(3) * row[10]).collect();
        let radius = oracle.spheres.iter().map(|row| row[9]).collect();
        Ok(Self { solver, gravity: oracle.gravity.into(), radius, mass })
    }

    /// The scene and the walls of an oracle, for solvers elsewhere.
    ///
    /// # Errors
    /// Says which wall is impossible.
    pub fn surroundings(oracle: &Oracle) -> Result<(Scene, Boundaries), SetupError> {
        let walls = oracle.walls.iter().enumerate().flat_map(shapes);
        let boundaries = Boundaries::new(walls.map(|(name, shape, place)| (name, shape, None, place)))?;
        Ok((scene(oracle), boundaries))
    }

    /// The state as a checkpoint, for solvers elsewhere.
    ///
    /// # Errors
    /// Says what cannot be written.
    pub fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        self.solver.checkpoint()
    }

    /// Takes so many steps of `dt` \[s\]; of none, only forces are found.
    pub fn advance(&mut self, steps: u32, dt: f64) {
        if steps == 0 {
            self.solver.prime();
        }
        for left in (1..=steps).rev() {
            self.solver.step(f64::from(left) * dt);
        }
    }

    /// Position, velocity, angular velocity, force and torque of every sphere, 15 numbers each.
    pub fn state(&self) -> Vec<[f64; 15]> {
        let (particles, state) = (&self.solver.world().particles, self.solver.columns());
        let spin = particles.angular_velocity.as_deref().unwrap_or_default();
        let wide = |v: glam::Vec4| v.truncate().as_dvec3();
        let row = |&i: &u32| {
            let i = i as usize;
            let parts = [
                state.place[i].to_meters(),
                wide(particles.velocity[i]),
                wide(spin[i]),
                wide(state.force[i]),
                wide(state.torque[i]),
            ];
            std::array::from_fn(|k| parts[k / 3][k % 3])
        };
        self.solver.world().order_by_id().iter().map(row).collect()
    }

    /// Energies of all spheres \[J\].
    pub fn energies(&self, step: u32) -> Energies {
        let mut sum = Energies { step, ..Energies::default() };
        for ((row, radius), mass) in self.state().iter().zip(&self.radius).zip(&self.mass) {
            let vector = |k: usize| DVec3::new(row[k], row[k + 1], row[k + 2]);
            sum.kinetic += 0.5 * mass * vector(3).length_squared();
            sum.rotation += 0.2 * mass * radius * radius * vector(6).length_squared();
            sum.potential -= mass * self.gravity.dot(vector(0));
        }
        sum
    }
}

/// Runs the solver through an oracle and gives the largest differences.
///
/// # Errors
/// Says what cannot be set up.
pub fn compare_engine(oracle: &Oracle, options: EngineOptions) -> Result<Differences, SetupError> {
    let mut engine = Engine::new(oracle, options)?;
    let mut comparison = Comparison::new(oracle);
    let mut stops: Vec<u32> = oracle.samples.iter().map(|sample| sample.step).collect();
    stops.extend(oracle.energies.iter().map(|energies| energies.step));
    stops.push(oracle.steps);
    stops.sort_unstable();
    stops.dedup();
    let mut step = 0;
    engine.advance(0, oracle.dt);
    for stop in stops.into_iter().filter(|stop| *stop <= oracle.steps) {
        engine.advance(stop - step, oracle.dt);
        step = stop;
        for sample in oracle.samples.iter().filter(|sample| sample.step == step) {
            comparison.add_state(sample, &engine.state());
        }
        for energies in oracle.energies.iter().filter(|energies| energies.step == step) {
            comparison.add_energies(energies, &engine.energies(step));
        }
    }
    Ok(comparison.differences())
}

/// The scene with an oracle's law; grains and walls come by themselves.
fn scene(oracle: &Oracle) -> Scene {
    let law = &oracle.law;
    let resistance = |r: Option<super::OracleResistance>| r.map_or([0.0; 3], |r| [r.k, r.gamma, r.mu]);
    let ([kr, gr, mur], [kw, gw, muw]) = (resistance(law.rolling), resistance(law.twisting));
    let cohesive = law.normal != OracleNormal::Hertz;
    let least = oracle.spheres.iter().map(|row| row[9]).fold(f64::INFINITY, f64::min);
    let mut scene = Scene::new("oracle");
    scene.simulation.solver = SolverKind::Dem;
    scene.simulation.gravity = oracle.gravity.map(|g| g as f32);
    scene.simulation.time_step = Some(oracle.dt);
    scene.dem.normal = match law.normal {
        OracleNormal::Hertz => NormalLaw::Hertz,
        OracleNormal::Dmt => NormalLaw::Dmt,
        OracleNormal::Jkr => NormalLaw::Jkr,
    };
    scene.dem.limit_damping = law.limit_damping;
    scene.material.push(MaterialSettings {
        radius: least as f32,
        dem: DemMaterialSettings {
            young: law.young,
            poisson: law.poisson,
            restitution: if cohesive { 0.5 } else { law.e },
            cohesive_damping: if cohesive { law.e } else { 0.0 },
            friction: Some(law.mu),
            tangential_damping: law.xt,
            rolling_friction: mur,
            rolling_stiffness: Some(kr),
            rolling_damping: Some(gr),
            twisting_friction: muw,
            twisting_stiffness: Some(kw),
            twisting_damping: Some(gw),
            surface_energy: law.gamma_s,
            ..DemMaterialSettings::default()
        },
        ..MaterialSettings::default()
    });
    // Walls have the grains' law.
    scene.boundary = oracle
        .walls
        .iter()
        .enumerate()
        .flat_map(shapes)
        .map(|(name, shape, motion)| BoundarySettings { motion, ..BoundarySettings::new(&name, shape) })
        .collect();
    scene
}

/// The shapes of a wall, with names and places. Numbers of shapes are single: those of planes far from the origin are described
/// near it and moved by whole metres, which are exact.
fn shapes((k, wall): (usize, &OracleWall)) -> Vec<(String, Shape, Option<Motion>)> {
    let along = |value: f32| {
        let mut vector = [0.0; 3];
        vector[wall.axis] = value;
        vector
    };
    if wall.kind == WallKind::Cylinder {
        let (from, to) = (along(-ENDLESS), along(ENDLESS));
        let tube = Shape::Cylinder { from, to, radius: wall.radius as f32, hollow: true };
        return vec![(format!("tube {k}"), tube, None)];
    }
    let ends = [(wall.lo, 1.0, "low"), (wall.hi, -1.0, "high")].into_iter();
    ends.filter_map(|(end, side, name)| {
        let (meters, rest) = (end?.trunc(), end?.fract());
        let plane = Shape::Plane { point: along(rest as f32), normal: along(side) };
        let keyframe = vec![Keyframe { translation: along(meters as f32), ..Keyframe::default() }];
        let place = (meters != 0.0).then(|| Motion { keyframe, ..Motion::default() });
        Some((format!("{name} {k}"), plane, place))
    })
    .collect()
}

fn grain(row: &[f64; 11]) -> NewParticle {
    NewParticle {
        position: Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32),
        velocity: Vec3::ZERO,
        radius: row[9] as f32,
        mass: (4.0 / 3.0 * PI * row[9].powi(3) * row[10]) as f32,
        material: 0,
        fixed: false,
    }
}

/// Makes spheres of an oracle members of a rigid grain; they follow each other in the file.
fn assemble(solver: &mut Dem, oracle: &Oracle, clump: &OracleClump) {
    let (Ok(properties), Some(&first)) = (clump.properties(), clump.members.first()) else { return };
    let center = DVec3::from(clump.com);
    let sphere = |&i: &usize| {
        let row = &oracle.spheres[i];
        let offset = DVec3::new(row[0], row[1], row[2]) - center;
        Sphere { center: offset.as_vec3(), radius: row[9] as f32 }
    };
    let mut new = NewAssembly {
        position: ExactPosition::from_meters(center).unwrap_or_default(),
        orientation: DQuat::IDENTITY,
        velocity: clump.vcm.into(),
        angular_velocity: DVec3::ZERO,
        properties,
        spheres: clump.members.iter().map(sphere).collect(),
    };
    let axes = properties.shape_from_principal;
    new.angular_velocity = axes * ((axes.conjugate() * DVec3::from(clump.angmom)) / properties.inertia);
    solver.assemble(&[PlacedAssembly { first, assembly: new }]);
}

/// Place and velocity of a sphere that is led.
fn along(start: DVec3, path: Prescribed, time: f64) -> (DVec3, DVec3) {
    let Prescribed::Moving { ax, px, az, pz } = path else { return (start, DVec3::ZERO) };
    let (x, z) = (TAU * time / px, TAU * time / pz);
    let place = start + DVec3::new(ax * x.sin(), 0.0, -az * (0.5 - 0.5 * z.cos()));
    (place, DVec3::new(ax * TAU / px * x.cos(), 0.0, -az * 0.5 * TAU / pz * z.sin()))
}
