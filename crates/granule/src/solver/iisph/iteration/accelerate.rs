//! From pressure and stress to velocities.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

use crate::simd::{LANES, Lanes, Vectorised, load, load_rows, store_rows};
use crate::solver::iisph::pairs::{Group, NeighborBlock};
use crate::sym3::Sym3;
use crate::team::BLOCK;

use super::{Columns, IterationConstants};

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
pub fn gradients<L: Lanes>(group: &Group, s: usize) -> [L; 3] {
    let [x, y, z] = &group.slots[s].payload;
    [L::from_i16(x), L::from_i16(y), L::from_i16(z)]
}

/// Velocity of a block under pressure, friction and walls.
///
/// ```text
/// a_i = -(1/rho0) sum_j [(p_i + p_j) I + s_i + s_j] G_ij ;   v = v* + dt (a + a_wall)
/// ```
/// \[Ned24\] (28), (29) with constant volume; the sign of s is that of docs/equations.md (friction opposes strain).
///
/// # Safety
/// Neighbours must be particles; nobody may use the block's velocities or write to the pressure and stress of the block
/// and its neighbours meanwhile.
pub unsafe fn accelerate(constants: &IterationConstants, list: &NeighborBlock, b: usize, columns: &Columns) {
    // SAFETY: as the caller promises.
    unsafe {
        constants.instructions.run(Accelerate {
            constants,
            list,
            first: b * BLOCK,
            predicted: columns.predicted.block(b),
            wall_acceleration: columns.wall_acceleration.block(b),
            own_pressure: columns.pressure.block(b),
            pressure: columns.pressure.start(),
            own_total: if constants.materials.fluid { &[] } else { columns.total_stress.block(b) },
            total: columns.total_stress.start().cast(),
            velocity: columns.velocity.block_mut(b),
        });
    }
}

struct Accelerate<'a> {
    constants: &'a IterationConstants<'a>,
    list: &'a NeighborBlock,
    first: usize,
    predicted: &'a [Vec4],
    wall_acceleration: &'a [Vec4],
    own_pressure: &'a [f32],
    pressure: *const f32,
    own_total: &'a [TotalStress],
    total: *const f32,
    velocity: &'a mut [Vec4],
}

impl Vectorised for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let constants = self.constants;
        let dt = L::splat(constants.dt);
        for at in (0..self.velocity.len()).step_by(LANES) {
            let group = self.list.group(at / LANES);
            // SAFETY: neighbours have pressure and stress, as the caller of `accelerate` promises.
            let force = unsafe {
                if constants.materials.fluid {
                    pressure_gradient::<L>(&group, load(self.own_pressure, at), self.pressure)
                } else {
                    stress_divergence::<L>(&group, own_stress(self.own_total, at), self.total)
                }
            };
            let unit = constants.gradient_unit;
            let specific = constants.materials.lanes::<L>(self.first + at, |m| unit / m.density);
            let predicted = load_rows::<L>(self.predicted, at);
            let wall = load_rows::<L>(self.wall_acceleration, at);
            let component = |c: usize| predicted[c] + dt * (wall[c] - specific * force[c]);
            store_rows(self.velocity, at, [component(0), component(1), component(2), L::splat(0.0)]);
        }
    }
}

/// sum_j (p_i + p_j) G_ij.
#[inline(always)]
unsafe fn pressure_gradient<L: Lanes>(group: &Group, own: L, pressure: *const f32) -> [L; 3] {
    let mut sum = [L::splat(0.0); 3];
    for s in 0..group.slots.len() {
        // SAFETY: the caller promises that neighbours have pressures.
        let both = own + unsafe { L::gather::<1>(pressure, group.base[s], &group.slots[s].delta) };
        let g = gradients::<L>(group, s);
        sum = [sum[0] + both * g[0], sum[1] + both * g[1], sum[2] + both * g[2]];
    }
    sum
}

/// The total stress of the particles from `at` on.
#[inline(always)]
fn own_stress<L: Lanes>(total: &[TotalStress], at: usize) -> Sym3<L> {
    const IN_ORDER: [u16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut own = [TotalStress::ZERO; LANES];
    let count = LANES.min(total.len() - at);
    own[..count].copy_from_slice(&total[at..at + count]);
    let rows: *const f32 = own.as_ptr().cast();
    // SAFETY: sixteen rows of eight.
    let ([xx, xy, xz, yy], [yz, zz, _, _]) =
        unsafe { (L::gather4::<8>(rows, 0, &IN_ORDER), L::gather4::<8>(rows.add(4), 0, &IN_ORDER)) };
    Sym3 { xx, xy, xz, yy, yz, zz }
}

/// sum_j (T_i + T_j) G_ij.
#[inline(always)]
unsafe fn stress_divergence<L: Lanes>(group: &Group, own: Sym3<L>, total: *const f32) -> [L; 3] {
    let mut sum = [L::splat(0.0); 3];
    let mut gradient_sum = [L::splat(0.0); 3];
    for s in 0..group.slots.len() {
        let (base, delta) = (group.base[s], &group.slots[s].delta);
        // SAFETY: the caller promises that neighbours have stresses, rows of eight numbers.
        let ([xx, xy, xz, yy], yz, zz) = unsafe {
            (
                L::gather4::<8>(total, base, delta),
                L::gather::<8>(total.add(4), base, delta),
                L::gather::<8>(total.add(5), base, delta),
            )
        };
        let g = gradients::<L>(group, s);
        let force = Sym3 { xx, xy, xz, yy, yz, zz }.times(g);
        sum = [sum[0] + force[0], sum[1] + force[1], sum[2] + force[2]];
        gradient_sum = [gradient_sum[0] + g[0], gradient_sum[1] + g[1], gradient_sum[2] + g[2]];
    }
    let force = own.times(gradient_sum);
    [sum[0] + force[0], sum[1] + force[1], sum[2] + force[2]]
}
