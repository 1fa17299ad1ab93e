//! One sweep of the coupled pressure and friction loop: two passes over the pairs.
//!
//! `accelerate` turns pressure and stress into velocities, `project` turns the strain rate of those velocities into
//! corrections of pressure and stress. Volume and rest density are constant, so the two are exact adjoints: the
//! power of the stress is the stress times the strain rate, to rounding. Where all materials are fluids, both leave
//! out the frictional stress.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;
use rayon::prelude::*;

use crate::neighbors::{BLOCK, Group, NeighborBlock, NeighborLists};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load, load_rows, store, store_rows};
use crate::sym3::Sym3;

use super::laws::Laws;
use super::rheology::{
    compaction_rate, project_pressure, required_expansion, required_expansion_of_fluid, return_to_cone,
};
use super::state::{IisphState, load_tensor, store_tensor};
use super::walls::{WallBlock, WallStep, correct_contact};

/// What a sweep reads beside the state.
pub struct SweepInput<'a> {
    /// Neighbour lists with pair gradients.
    pub lists: &'a NeighborLists,
    /// Materials.
    pub laws: Laws<'a>,
    /// Step [s].
    pub dt: f32,
    /// Unit of the pair gradients [1/m].
    pub gradient_unit: f32,
    /// Wall contacts' constants.
    pub wall: WallStep,
    /// Rate at which loose grains at rest compact, kappa [1/s].
    pub rest_compaction: f32,
    /// Diagonal below which a particle bears no pressure [m/kg].
    pub least_diagonal: f32,
    /// Relaxation of the pressure.
    pub pressure_relaxation: f32,
    /// Change of stress per strain rate and rest density: omega / (dt K) [m2/s].
    pub stress_step: f32,
    /// Whether friction is Neder's single clamp.
    pub explicit: bool,
    /// Instructions to use.
    pub instructions: Instructions,
}

/// What a sweep has left to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepError {
    /// Sum over loaded particles of the volume change still missing, relative.
    pub density: f64,
    /// Sum of the norms of the stress changes [Pa].
    pub stress_change: f64,
    /// Sum of the pressures [Pa].
    pub pressure: f64,
}

impl SweepError {
    /// Stress change relative to the pressures, for a relaxation of 1.
    pub fn relative_stress_change(&self, relaxation: f32) -> f64 {
        if self.pressure > 0.0 { self.stress_change / (relaxation as f64 * self.pressure) } else { 0.0 }
    }
}

/// p I + s of a particle: xx, xy, xz, yy, yz, zz and two numbers that fill its eight places.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TotalStress([f32; 8]);

impl TotalStress {
    /// No load.
    pub const ZERO: Self = Self([0.0; 8]);
}

/// Writes p I + s of the particles from `at` on.
#[inline(always)]
pub fn store_total<L: Lanes>(total: &mut [TotalStress], at: usize, pressure: L, stress: Sym3<L>) {
    let s = stress;
    let low = [s.xx + pressure, s.xy, s.xz, s.yy + pressure];
    let high = [s.yz, s.zz + pressure, L::splat(0.0), L::splat(0.0)];
    let mut padded = [TotalStress::ZERO; LANES];
    let total = &mut total[at..];
    let out = if total.len() < LANES { padded.as_mut_ptr() } else { total.as_mut_ptr() }.cast::<f32>();
    // SAFETY: `out` has sixteen times eight numbers.
    unsafe {
        L::to_rows(low, out, 8);
        L::to_rows(high, out.add(4), 8);
    }
    if total.len() < LANES {
        total.copy_from_slice(&padded[..total.len()]);
    }
}

/// The pair gradients of a slot, in their unit.
#[inline(always)]
fn gradients<L: Lanes>(group: &Group, s: usize) -> [L; 3] {
    group.slots[s].gradient.each_ref().map(|g| L::from_i16(g))
}

/// Velocity under pressure, friction and walls.
///
/// ```text
/// a_i = -(1/rho0) sum_j [(p_i + p_j) I + s_i + s_j] G_ij ;   v = v* + dt (a + a_wall)
/// ```
/// [Ned24] (28), (29) with constant volume; the sign of s is that of docs/equations.md (friction opposes strain).
pub fn accelerate(input: &SweepInput, state: &mut IisphState) {
    let IisphState { predicted, velocity, wall_acceleration, pressure, total_stress, .. } = state;
    assert_eq!(input.lists.len(), pressure.len());
    assert!(input.laws.fluid || total_stress.len() == pressure.len());
    velocity.par_chunks_mut(BLOCK).enumerate().for_each(|(b, velocity)| {
        let list = &input.lists.blocks[b];
        let first = b * BLOCK;
        let work =
            Accelerate { input, list, first, predicted, wall_acceleration, pressure, total_stress, velocity };
        input.instructions.run(work);
    });
}

struct Accelerate<'a> {
    input: &'a SweepInput<'a>,
    list: &'a NeighborBlock,
    first: usize,
    predicted: &'a [Vec4],
    wall_acceleration: &'a [Vec4],
    pressure: &'a [f32],
    total_stress: &'a [TotalStress],
    velocity: &'a mut [Vec4],
}

impl Vectorised for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let input = self.input;
        let dt = L::splat(input.dt);
        for at in (0..self.velocity.len()).step_by(LANES) {
            let first = self.first + at;
            let group = self.list.group(at / LANES);
            // SAFETY: neighbours are particles, and the columns have one entry per particle (checked in `accelerate`).
            let force = unsafe {
                if input.laws.fluid {
                    pressure_gradient::<L>(&group, self.pressure, first)
                } else {
                    stress_divergence::<L>(&group, self.total_stress, first)
                }
            };
            let specific = input.laws.lanes::<L>(first, |m| input.gradient_unit / m.density);
            let predicted = load_rows::<L>(self.predicted, first);
            let wall = load_rows::<L>(self.wall_acceleration, first);
            let component = |c: usize| predicted[c] + dt * (wall[c] - specific * force[c]);
            store_rows(self.velocity, at, [component(0), component(1), component(2), L::splat(0.0)]);
        }
    }
}

/// sum_j (p_i + p_j) G_ij.
#[inline(always)]
unsafe fn pressure_gradient<L: Lanes>(group: &Group, pressure: &[f32], first: usize) -> [L; 3] {
    let own: L = load(pressure, first);
    let mut sum = [L::splat(0.0); 3];
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have pressures.
        let both = own + unsafe { L::gather(pressure, group.base[s], &group.slots[s].delta) };
        let g = gradients::<L>(group, s);
        sum = [sum[0] + both * g[0], sum[1] + both * g[1], sum[2] + both * g[2]];
    }
    sum
}

/// sum_j (T_i + T_j) G_ij.
#[inline(always)]
unsafe fn stress_divergence<L: Lanes>(group: &Group, total: &[TotalStress], first: usize) -> [L; 3] {
    let rows: &[f32] = bytemuck::cast_slice(total);
    let mut own = [TotalStress::ZERO; LANES];
    let count = LANES.min(total.len() - first);
    own[..count].copy_from_slice(&total[first..first + count]);
    let own: &[f32] = bytemuck::cast_slice(&own);
    const IN_ORDER: [u16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    // SAFETY: sixteen rows of eight.
    let [oxx, oxy, oxz, oyy] = unsafe { L::gather4(own, 8, 0, &IN_ORDER) };
    // SAFETY: as above, and two numbers remain unread.
    let [oyz, ozz, _, _] = unsafe { L::gather4(&own[4..], 8, 0, &IN_ORDER) };
    let mut sum = [L::splat(0.0); 3];
    for s in 0..group.slots.len() {
        let (base, delta) = (group.base[s], &group.slots[s].delta);
        // SAFETY: the caller promises that neighbours have stresses.
        let [xx, xy, xz, yy] = unsafe { L::gather4(rows, 8, base, delta) };
        // SAFETY: as above; the four numbers from the fifth on belong to the same row.
        let [yz, zz, _, _] = unsafe { L::gather4(&rows[4..], 8, base, delta) };
        let g = gradients::<L>(group, s);
        let (xx, xy, xz) = (oxx + xx, oxy + xy, oxz + xz);
        let (yy, yz, zz) = (oyy + yy, oyz + yz, ozz + zz);
        sum[0] = sum[0] + (xx * g[0] + xy * g[1] + xz * g[2]);
        sum[1] = sum[1] + (xy * g[0] + yy * g[1] + yz * g[2]);
        sum[2] = sum[2] + (xz * g[0] + yz * g[1] + zz * g[2]);
    }
    sum
}

/// L = sum_j (v_j - v_i) (x) G_ij as columns, in units of the gradients.
#[inline(always)]
unsafe fn velocity_gradient<L: Lanes>(group: &Group, velocity: &[Vec4], first: usize) -> [[L; 3]; 3] {
    let [x, y, z, _] = load_rows::<L>(velocity, first);
    let rows: &[f32] = bytemuck::cast_slice(velocity);
    let mut sum = [[L::splat(0.0); 3]; 3];
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have velocities.
        let [xj, yj, zj, _] = unsafe { L::gather4(rows, 4, group.base[s], &group.slots[s].delta) };
        let d = [xj - x, yj - y, zj - z];
        let g = gradients::<L>(group, s);
        for (column, g) in sum.iter_mut().zip(g) {
            *column = [column[0] + d[0] * g, column[1] + d[1] * g, column[2] + d[2] * g];
        }
    }
    sum
}

/// tr L = sum_j (v_j - v_i) . G_ij, in units of the gradients.
#[inline(always)]
unsafe fn divergence<L: Lanes>(group: &Group, velocity: &[Vec4], first: usize) -> L {
    let [x, y, z, _] = load_rows::<L>(velocity, first);
    let rows: &[f32] = bytemuck::cast_slice(velocity);
    let mut sum = L::splat(0.0);
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have velocities.
        let [xj, yj, zj, _] = unsafe { L::gather4(rows, 4, group.base[s], &group.slots[s].delta) };
        let g = gradients::<L>(group, s);
        sum = sum + ((xj - x) * g[0] + (yj - y) * g[1] + (zj - z) * g[2]);
    }
    sum
}

/// Corrects pressure, stress and wall impulses towards the constraints.
///
/// ```text
/// err = src - dt tr L ;   p <- max(0, p + w err / (dt^2 A)) ;   s <- cone(s - w rho0/(dt K) dev sym L)
/// ```
pub fn project(input: &SweepInput, state: &mut IisphState) -> SweepError {
    let errors = &mut state.errors;
    errors.resize(input.lists.blocks.len(), SweepError::default());
    assert_eq!(input.lists.len(), state.velocity.len());
    let velocity = &state.velocity;
    let walls = (&mut state.contacts.blocks, state.wall_acceleration.par_chunks_mut(BLOCK));
    walls.into_par_iter().enumerate().for_each(|(b, (walls, acceleration))| {
        correct_walls(input, b * BLOCK, walls, velocity, acceleration);
    });
    if input.laws.fluid {
        let columns = (
            state.pressure.par_chunks_mut(BLOCK),
            state.density.par_chunks(BLOCK),
            state.diagonal.par_chunks(BLOCK),
            errors.par_iter_mut(),
        );
        columns.into_par_iter().enumerate().for_each(|(b, (pressure, density, diagonal, error))| {
            let place = Place { input, list: &input.lists.blocks[b], first: b * BLOCK, velocity };
            *error = input.instructions.run(ProjectFluid { place, density, diagonal, pressure });
        });
        state.strain_rate_is_old = true;
    } else {
        let columns = (
            state.pressure.par_chunks_mut(BLOCK),
            state.stress.par_blocks_mut(),
            state.total_stress.par_chunks_mut(BLOCK),
            state.strain_rate.par_chunks_mut(BLOCK),
            state.density.par_chunks(BLOCK),
            state.diagonal.par_chunks(BLOCK),
            errors.par_iter_mut(),
        );
        let trial = &state.trial_stress.0;
        columns.into_par_iter().enumerate().for_each(
            |(b, (pressure, stress, total, strain_rate, density, diagonal, error))| {
                let place = Place { input, list: &input.lists.blocks[b], first: b * BLOCK, velocity };
                let work =
                    ProjectGrains { place, density, diagonal, pressure, stress, total, strain_rate, trial };
                *error = input.instructions.run(work);
            },
        );
    }
    errors.iter().fold(SweepError::default(), |a, b| SweepError {
        density: a.density + b.density,
        stress_change: a.stress_change + b.stress_change,
        pressure: a.pressure + b.pressure,
    })
}

fn correct_walls(
    input: &SweepInput,
    first: usize,
    walls: &mut WallBlock,
    velocity: &[Vec4],
    acceleration: &mut [Vec4],
) {
    walls.for_each_mut(|k, contacts| {
        let own = input.laws.of(first + k).wall_friction;
        let velocity = velocity[first + k].truncate();
        let push = contacts.iter_mut().map(|contact| {
            let mu = contact.sample.friction_or(own);
            correct_contact(contact, velocity, mu, &input.wall)
        });
        acceleration[k] = push.sum::<glam::Vec3>().extend(0.0);
    });
}

/// A block and what its particles see.
struct Place<'a> {
    input: &'a SweepInput<'a>,
    list: &'a NeighborBlock,
    first: usize,
    velocity: &'a [Vec4],
}

/// Sums of what sixteen particles have left to do.
struct LaneErrors<L> {
    density: L,
    stress_change: L,
    pressure: L,
}

impl<L: Lanes> LaneErrors<L> {
    #[inline(always)]
    fn new() -> Self {
        let zero = L::splat(0.0);
        Self { density: zero, stress_change: zero, pressure: zero }
    }

    /// Counts particles under pressure.
    #[inline(always)]
    fn add(&mut self, missing: L, pressure: L) {
        let zero = L::splat(0.0);
        self.density = self.density + zero.if_below(pressure, missing.at_least(zero), zero);
        self.pressure = self.pressure + pressure;
    }

    #[inline(always)]
    fn total(&self) -> SweepError {
        let sum = |lanes: L| lanes.to_array().iter().map(|value| f64::from(*value)).sum();
        SweepError {
            density: sum(self.density),
            stress_change: sum(self.stress_change),
            pressure: sum(self.pressure),
        }
    }
}

/// The pressure that a particle gets for the expansion that it lacks.
#[inline(always)]
fn corrected_pressure<L: Lanes>(input: &SweepInput, pressure: L, missing: L, diagonal: L) -> L {
    let step = L::splat(input.pressure_relaxation / (input.dt * input.dt)) / diagonal;
    let corrected = project_pressure(pressure, missing, step);
    L::splat(input.least_diagonal).if_below(diagonal, corrected, L::splat(0.0))
}

struct ProjectFluid<'a> {
    place: Place<'a>,
    density: &'a [f32],
    diagonal: &'a [f32],
    pressure: &'a mut [f32],
}

impl Vectorised for ProjectFluid<'_> {
    type Output = SweepError;

    #[inline(always)]
    fn run<L: Lanes>(self) -> SweepError {
        let Place { input, list, first, velocity } = self.place;
        let mut errors = LaneErrors::<L>::new();
        let step = L::splat(input.dt * input.gradient_unit);
        for at in (0..self.pressure.len()).step_by(LANES) {
            // SAFETY: neighbours are particles and have velocities (checked in `project`).
            let divergence = unsafe { divergence::<L>(&list.group(at / LANES), velocity, first + at) };
            let missing = required_expansion_of_fluid(load::<L>(self.density, at)) - step * divergence;
            let pressure: L =
                corrected_pressure(input, load(self.pressure, at), missing, load(self.diagonal, at));
            store(self.pressure, at, pressure);
            errors.add(missing, pressure);
        }
        errors.total()
    }
}

struct ProjectGrains<'a> {
    place: Place<'a>,
    density: &'a [f32],
    diagonal: &'a [f32],
    pressure: &'a mut [f32],
    stress: [&'a mut [f32]; 6],
    total: &'a mut [TotalStress],
    strain_rate: &'a mut [f32],
    trial: &'a [Vec<f32>; 6],
}

impl Vectorised for ProjectGrains<'_> {
    type Output = SweepError;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> SweepError {
        let Place { input, list, first, velocity } = self.place;
        let laws = &input.laws;
        let mut errors = LaneErrors::<L>::new();
        for at in (0..self.pressure.len()).step_by(LANES) {
            let i = first + at;
            // SAFETY: neighbours are particles and have velocities (checked in `project`).
            let gradient = unsafe { velocity_gradient::<L>(&list.group(at / LANES), velocity, i) };
            let unit = L::splat(input.gradient_unit);
            let gradient = gradient.map(|column| column.map(|c| unit * c));
            let strain = Sym3::deviatoric(gradient);
            let strain_rate = strain.norm();
            let missing = self.missing_expansion(input, i, load(self.density, at), strain_rate, gradient);
            let pressure =
                corrected_pressure(input, load(self.pressure, at), missing, load(self.diagonal, at));
            let old = load_tensor::<L>(&self.stress, at);
            let limit = laws.yield_limit::<L>(i);
            let moved = if input.explicit {
                Sym3::from_array([0, 1, 2, 3, 4, 5].map(|c| load::<L>(&self.trial[c], i)))
            } else {
                old.add_scaled(&strain, L::splat(-input.stress_step) * limit.density)
            };
            let stress = return_to_cone(moved, limit.at(pressure, strain_rate, laws.fast));
            errors.add(missing, pressure);
            errors.stress_change = errors.stress_change + stress.add_scaled(&old, L::splat(-1.0)).norm();
            store(self.pressure, at, pressure);
            store(self.strain_rate, at, strain_rate);
            store_tensor(&mut self.stress, at, stress);
            store_total(self.total, at, pressure, stress);
        }
        errors.total()
    }
}

impl ProjectGrains<'_> {
    /// Share of their volume by which the particles from `i` on still have to expand in this step.
    #[inline(always)]
    fn missing_expansion<L: Lanes>(
        &self,
        input: &SweepInput,
        i: usize,
        density: L,
        strain_rate: L,
        gradient: [[L; 3]; 3],
    ) -> L {
        let dt = L::splat(input.dt);
        let compaction = dt * compaction_rate(input.rest_compaction, strain_rate);
        let mut required = required_expansion(density, compaction);
        if input.explicit {
            required = required_expansion_of_fluid(density);
        } else if input.laws.materials.len() > 1 {
            let fluid = input.laws.lanes::<L>(i, |m| f32::from(u8::from(m.is_fluid())));
            required = L::splat(0.5).if_below(fluid, required_expansion_of_fluid(density), required);
        }
        required - dt * (gradient[0][0] + gradient[1][1] + gradient[2][2])
    }
}

/// A function of the deviatoric strain rates [1/s] of sixteen particles and of the first one's number.
trait OfStrain {
    fn apply<L: Lanes>(&mut self, strain: Sym3<L>, first: usize);
}

/// Runs over the strain rates of a block's particles under the given velocities.
struct Strains<'a, F> {
    place: Place<'a>,
    count: usize,
    each: F,
}

impl<F: OfStrain> Vectorised for Strains<'_, F> {
    type Output = F;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> F {
        let Place { input, list, first, velocity } = self.place;
        let unit = L::splat(input.gradient_unit);
        for at in (0..self.count).step_by(LANES) {
            // SAFETY: neighbours are particles and have velocities (checked in `for_strains`).
            let gradient = unsafe { velocity_gradient::<L>(&list.group(at / LANES), velocity, first + at) };
            let gradient = gradient.map(|column| column.map(|c| unit * c));
            self.each.apply(Sym3::deviatoric(gradient), at);
        }
        self.each
    }
}

fn for_strains<F: OfStrain>(input: &SweepInput, velocity: &[Vec4], b: usize, count: usize, each: F) -> F {
    assert_eq!(input.lists.len(), velocity.len());
    let place = Place { input, list: &input.lists.blocks[b], first: b * BLOCK, velocity };
    input.instructions.run(Strains { place, count, each })
}

/// Power of the frictional stress [W]: V sum_i s_i : L_i, negative where friction dissipates.
pub fn friction_power(input: &SweepInput, state: &IisphState, volume: f32) -> f64 {
    struct Power<'a> {
        stress: &'a [Vec<f32>; 6],
        first: usize,
        sum: f64,
    }
    impl OfStrain for Power<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            let stress =
                Sym3::from_array([0, 1, 2, 3, 4, 5].map(|c| load::<L>(&self.stress[c], self.first + at)));
            self.sum += stress.dot(&strain).to_array().iter().map(|p| f64::from(*p)).sum::<f64>();
        }
    }
    let sums = crate::neighbors::par_blocks(state.velocity.len(), |b, range| {
        let power = Power { stress: &state.stress.0, first: range.start, sum: 0.0 };
        for_strains(input, &state.velocity, b, range.len(), power).sum
    });
    volume as f64 * sums.into_iter().sum::<f64>()
}

/// Norms of the deviatoric strain rates under the given velocities [1/s].
pub fn strain_rates(input: &SweepInput, velocity: &[Vec4], strain_rate: &mut [f32]) {
    struct Norm<'a>(&'a mut [f32]);
    impl OfStrain for Norm<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            store(self.0, at, strain.norm());
        }
    }
    strain_rate.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        for_strains(input, velocity, b, chunk.len(), Norm(chunk));
    });
}

/// Stress before projection from the strain rate of the predicted velocity, for explicit friction.
///
/// ```text
/// s = -rho0/(dt K) dev sym L(v*)          [Ned24] (11) with the sign of docs/equations.md
/// ```
pub fn trial_stress(input: &SweepInput, state: &mut IisphState, step: f32) {
    struct Trial<'a> {
        laws: &'a Laws<'a>,
        first: usize,
        step: f32,
        stress: [&'a mut [f32]; 6],
    }
    impl OfStrain for Trial<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            let factor = self.laws.lanes::<L>(self.first + at, |m| -self.step * m.density);
            store_tensor(&mut self.stress, at, strain.scaled(factor));
        }
    }
    let IisphState { predicted, trial_stress, .. } = state;
    trial_stress.resize(predicted.len());
    trial_stress.par_blocks_mut().enumerate().for_each(|(b, stress)| {
        let count = stress[0].len();
        let trial = Trial { laws: &input.laws, first: b * BLOCK, step, stress };
        for_strains(input, predicted, b, count, trial);
    });
}
