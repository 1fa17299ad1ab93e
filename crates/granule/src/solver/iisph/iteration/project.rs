//! From velocities to corrections of pressure, stress and wall impulses.

use glam::{Vec3, Vec4};

use crate::simd::{LANES, Lanes, Vectorised, load, load_rows, store};
use crate::solver::iisph::acceleration::{extrapolate_pressure, extrapolate_stress};
use crate::solver::iisph::pairs::{Group, NeighborBlock};
use crate::solver::iisph::rheology::{
    compaction_rate, project_pressure, required_expansion, required_expansion_of_fluid, return_to_cone,
};
use crate::solver::iisph::state::{load_tensor, store_tensor};
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::walls::{WallBlock, correct_contact};
use crate::sym3::Sym3;
use crate::team::BLOCK;

use super::accelerate::{TotalStress, gradients, store_total};
use super::{Columns, IterationConstants, Residual};

/// Corrects pressure, stress and wall impulses of a block towards the constraints.
///
/// ```text
/// err = src - dt tr L ;   p <- max(0, p + w err / (dt^2 A)) ;   s <- cone(s - w rho0/(dt K) dev sym L)
/// ```
/// and then goes beyond them by the momentum of the iteration (`acceleration.rs`), which is the `nth` one in one go.
///
/// # Safety
/// Neighbours must be particles; nobody may use the block's pressure and stress or write to the velocities of the block
/// and its neighbours meanwhile.
pub unsafe fn project(
    constants: &IterationConstants,
    nth: usize,
    list: &NeighborBlock,
    b: usize,
    columns: &Columns,
) {
    let first = b * BLOCK;
    // SAFETY: as the caller promises.
    unsafe {
        let seen = Seen {
            constants,
            list,
            first,
            own_velocity: columns.velocity.block(b),
            velocity: columns.velocity.start().cast(),
            density: columns.density.block(b),
            diagonal: columns.diagonal.block(b),
        };
        let walls = columns.walls.get_mut(b);
        correct_walls(constants, first, walls, seen.own_velocity, columns.wall_acceleration.block_mut(b));
        let pressure = columns.pressure.block_mut(b);
        *columns.errors.get_mut(b) = if constants.materials.fluid {
            constants.instructions.run(ProjectFluid { seen, pressure })
        } else {
            constants.instructions.run(ProjectGrains {
                seen,
                pressure,
                stress: columns.stress.each_ref().map(|column| column.block_mut(b)),
                total: columns.total_stress.block_mut(b),
                strain_rate: columns.strain_rate.block_mut(b),
                previous: Previous::of(constants, nth, b, columns),
                trial: columns
                    .trial_stress
                    .each_ref()
                    .map(|column| if constants.explicit { column.block_mut(b) } else { &mut [] }),
            })
        };
    }
}

fn correct_walls(
    constants: &IterationConstants,
    first: usize,
    walls: &mut WallBlock,
    velocity: &[Vec4],
    acceleration: &mut [Vec4],
) {
    walls.for_each_mut(|k, contacts| {
        let own = constants.materials.of(first + k).wall_friction;
        let velocity = velocity[k].truncate();
        let push = contacts.iter_mut().map(|contact| {
            let mu = contact.sample.friction_or(own);
            let body = constants.bodies.get(contact.sample.body as usize);
            let wall = body.map_or(contact.sample.velocity, |body| body.velocity_at(contact.grain()));
            correct_contact(contact, velocity - wall, mu, &constants.wall)
        });
        acceleration[k] = push.sum::<Vec3>().extend(0.0);
    });
    walls.add_up_loads(constants.bodies, |k| constants.mass[first + k].w);
}

/// What a block sees.
struct Seen<'a> {
    constants: &'a IterationConstants<'a>,
    list: &'a NeighborBlock,
    first: usize,
    own_velocity: &'a [Vec4],
    velocity: *const f32,
    density: &'a [f32],
    diagonal: &'a [f32],
}

/// L = sum_j (v_j - v_i) (x) G_ij as columns, in units of the gradients.
///
/// # Safety
/// Neighbours must have velocities, rows of four numbers.
#[inline(always)]
pub unsafe fn velocity_gradient<L: Lanes>(
    group: &Group,
    [x, y, z, _]: [L; 4],
    velocity: *const f32,
) -> [[L; 3]; 3] {
    let mut sum = [[L::splat(0.0); 3]; 3];
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have velocities.
        let [xj, yj, zj, _] = unsafe { L::gather4::<4>(velocity, group.base[s], &group.slots[s].delta) };
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
unsafe fn divergence<L: Lanes>(group: &Group, [x, y, z, _]: [L; 4], velocity: *const f32) -> L {
    let mut sum = L::splat(0.0);
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have velocities.
        let [xj, yj, zj, _] = unsafe { L::gather4::<4>(velocity, group.base[s], &group.slots[s].delta) };
        let g = gradients::<L>(group, s);
        sum = sum + ((xj - x) * g[0] + (yj - y) * g[1] + (zj - z) * g[2]);
    }
    sum
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
    fn total(&self) -> Residual {
        let sum = |lanes: L| lanes.to_array().iter().map(|value| f64::from(*value)).sum();
        Residual {
            density: sum(self.density),
            stress_change: sum(self.stress_change),
            pressure: sum(self.pressure),
        }
    }
}

/// The pressure that a particle gets for the expansion that it lacks.
#[inline(always)]
fn corrected_pressure<L: Lanes>(constants: &IterationConstants, pressure: L, missing: L, diagonal: L) -> L {
    let step = L::splat(constants.pressure_relaxation / (constants.dt * constants.dt)) / diagonal;
    let corrected = project_pressure(pressure, missing, step);
    L::splat(constants.least_diagonal).if_below(diagonal, corrected, L::splat(0.0))
}

struct ProjectFluid<'a> {
    seen: Seen<'a>,
    pressure: &'a mut [f32],
}

impl Vectorised for ProjectFluid<'_> {
    type Output = Residual;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Residual {
        let seen = &self.seen;
        let constants = seen.constants;
        let mut errors = LaneErrors::<L>::new();
        let step = L::splat(constants.dt * constants.gradient_unit);
        let share = L::splat(constants.excess_share);
        for at in (0..self.pressure.len()).step_by(LANES) {
            let own = load_rows::<L>(seen.own_velocity, at);
            // SAFETY: neighbours have velocities, as the caller of `project` promises.
            let divergence = unsafe { divergence::<L>(&seen.list.group(at / LANES), own, seen.velocity) };
            let missing = required_expansion_of_fluid(load::<L>(seen.density, at), share) - step * divergence;
            let pressure: L =
                corrected_pressure(constants, load(self.pressure, at), missing, load(seen.diagonal, at));
            store(self.pressure, at, pressure);
            errors.add(missing, pressure);
        }
        errors.total()
    }
}

struct ProjectGrains<'a> {
    seen: Seen<'a>,
    pressure: &'a mut [f32],
    stress: [&'a mut [f32]; 6],
    total: &'a mut [TotalStress],
    strain_rate: &'a mut [f32],
    /// Absent where friction is explicit.
    previous: Option<Previous<'a>>,
    /// Empty unless friction is explicit.
    trial: [&'a mut [f32]; 6],
}

impl Vectorised for ProjectGrains<'_> {
    type Output = Residual;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> Residual {
        let seen = &self.seen;
        let constants = seen.constants;
        let materials = &constants.materials;
        let unit = L::splat(constants.gradient_unit);
        let mut errors = LaneErrors::<L>::new();
        for at in (0..self.pressure.len()).step_by(LANES) {
            let own = load_rows::<L>(seen.own_velocity, at);
            // SAFETY: neighbours have velocities, as the caller of `project` promises.
            let gradient =
                unsafe { velocity_gradient::<L>(&seen.list.group(at / LANES), own, seen.velocity) };
            let strain = Sym3::deviatoric(gradient).scaled(unit);
            let strain_rate = strain.norm();
            let divergence = unit * (gradient[0][0] + gradient[1][1] + gradient[2][2]);
            let missing = seen.missing_expansion(at, strain_rate, divergence);
            let pressure =
                corrected_pressure(constants, load(self.pressure, at), missing, load(seen.diagonal, at));
            let old = load_tensor::<L>(&self.stress, at);
            let limit = materials.yield_limit::<L>(seen.first + at);
            let moved = if constants.explicit {
                load_tensor::<L>(&self.trial, at)
            } else {
                old.add_scaled(&strain, L::splat(-constants.stress_step) * limit.density)
            };
            let stress = return_to_cone(moved, limit.at(pressure, strain_rate, materials.fast));
            errors.add(missing, pressure);
            errors.stress_change = errors.stress_change + stress.add_scaled(&old, L::splat(-1.0)).norm();
            let (pressure, stress) = match &mut self.previous {
                None => (pressure, stress),
                Some(previous) => {
                    let (pressure, stress) =
                        previous.extrapolate(at, pressure, stress, materials, seen.first);
                    (pressure, return_to_cone(stress, limit.at(pressure, strain_rate, materials.fast)))
                }
            };
            store(self.pressure, at, pressure);
            store(self.strain_rate, at, strain_rate);
            store_tensor(&mut self.stress, at, stress);
            store_total(self.total, at, pressure, stress);
        }
        errors.total()
    }
}

/// What the last iteration gave, and how far to go beyond this one.
struct Previous<'a> {
    pressure: &'a mut [f32],
    stress: [&'a mut [f32]; 6],
    momentum: f32,
}

impl<'a> Previous<'a> {
    /// Of a block.
    ///
    /// # Safety
    /// Nobody else may use the block's columns.
    unsafe fn of(
        constants: &IterationConstants,
        nth: usize,
        b: usize,
        columns: &'a Columns<'a>,
    ) -> Option<Self> {
        // SAFETY: as the caller promises.
        (!constants.explicit).then(|| unsafe {
            Self {
                pressure: columns.previous_pressure.block_mut(b),
                stress: columns.previous_stress.each_ref().map(|column| column.block_mut(b)),
                momentum: constants.momentum[nth],
            }
        })
    }

    /// Goes beyond what this iteration gave for the particles from `at` on, fluids excepted, and keeps it for the next one.
    /// Without momentum the last iteration plays no part: the first one of a step finds what another step has left.
    #[inline(always)]
    fn extrapolate<L: Lanes>(
        &mut self,
        at: usize,
        pressure: L,
        stress: Sym3<L>,
        materials: &MaterialLanes,
        first: usize,
    ) -> (L, Sym3<L>) {
        let (old_pressure, old_stress) = (load::<L>(self.pressure, at), load_tensor::<L>(&self.stress, at));
        store(self.pressure, at, pressure);
        store_tensor(&mut self.stress, at, stress);
        if self.momentum == 0.0 {
            return (pressure, stress);
        }
        let momentum = materials.lanes::<L>(first + at, |m| if m.is_fluid() { 0.0 } else { self.momentum });
        (
            extrapolate_pressure(pressure, old_pressure, momentum),
            extrapolate_stress(stress, old_stress, momentum),
        )
    }
}

impl Seen<'_> {
    /// Share of their volume by which the particles from `at` on still have to expand in this step.
    #[inline(always)]
    fn missing_expansion<L: Lanes>(&self, at: usize, strain_rate: L, divergence: L) -> L {
        let constants = self.constants;
        let density: L = load(self.density, at);
        let dt = L::splat(constants.dt);
        let compaction = dt * compaction_rate(constants.rest_compaction, strain_rate);
        let mut required = required_expansion(density, compaction);
        if constants.explicit {
            required = required_expansion_of_fluid(density, L::splat(constants.excess_share));
        } else if constants.materials.materials.len() > 1 {
            let fluid =
                constants.materials.lanes::<L>(self.first + at, |m| f32::from(u8::from(m.is_fluid())));
            let share = L::splat(constants.excess_share);
            required = L::splat(0.5).if_below(fluid, required_expansion_of_fluid(density, share), required);
        }
        required - dt * divergence
    }
}
