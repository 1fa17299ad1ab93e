//! Contacts of grains with each other: which pairs touch, and what that does to them.
//!
//! What touches and how deep follows from exact positions, subtracted as whole numbers and rounded once. Listed pairs are taken
//! sixteen at a time, in the order in which contacts are remembered: those that do not touch get a load of 0, which takes less
//! time than to leave them out one by one. Loads are added up at once, for the particles of the block and for its guests, and
//! never written down one by one.

use glam::{DVec3, Vec3, Vec4};

use super::contact::{Geometry, History, Loads, Motion, PairLaw, contact_loads, contact_sphere_sphere};
use super::laws::{LawTable, NUMBERS, with_numbers};
use super::pairs::{GrainLoad, PairBlock};
use crate::contacts::ContactBlock;
use crate::position::{ExactDomain, ExactPosition};
use crate::simd::{LANES, Lanes, Vectorised, each, splat3};
use crate::team::BLOCK;

/// What contacts of grains depend on.
#[derive(Clone, Copy)]
pub struct TouchInput<'a> {
    /// Laws of pairs of materials.
    pub laws: &'a LawTable,
    /// Space.
    pub domain: &'a ExactDomain,
    /// Rounded positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Exact positions.
    pub place: &'a [ExactPosition],
    /// Velocities in the middle of the step [m/s].
    pub velocity: &'a [Vec4],
    /// Angular velocities in the middle of the step [rad/s], and what contacts feel of the mass: its inverse [1/kg].
    pub angular_velocity: &'a [Vec4],
    /// Materials.
    pub material: &'a [u16],
    /// Rates at which the periodic cell strains [1/s], where it does.
    pub strain: Option<Vec3>,
    /// From the centre of mass of a particle's grain to the particle \[m\], where the stress is asked for.
    pub arms: Option<&'a [Vec3]>,
    /// Length of the step \[s\]; 0 before the first.
    pub dt: f32,
}

/// The contacts of a block of keepers.
pub struct TouchBlock<'a> {
    input: TouchInput<'a>,
    block: usize,
    pairs: &'a mut PairBlock,
    memory: &'a mut [[f32; 8]],
    sums: &'a mut [GrainLoad],
}

impl<'a> TouchBlock<'a> {
    /// The contacts of the particles of a block: their pairs, what those remember and where loads are added up.
    ///
    /// # Safety
    /// Columns of the input must have an entry for every particle that pairs name, and sums one for every particle of the block
    /// and every guest.
    pub unsafe fn new(
        input: TouchInput<'a>,
        block: usize,
        pairs: &'a mut PairBlock,
        memory: &'a mut ContactBlock<[f32; 8]>,
        sums: &'a mut [GrainLoad],
    ) -> Self {
        Self { input, block, pairs, memory: memory.split_mut().1, sums }
    }
}

/// Sixteen pairs: places of keepers and partners among all particles, and how they lie.
struct Group<L> {
    i: [u32; LANES],
    j: [u32; LANES],
    difference: [L; 3],
    geometry: Geometry<L>,
}

impl Vectorised for TouchBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { input, block, pairs, memory, sums } = self;
        let only = input.laws.only().map(|law| with_numbers(law, &each(super::laws::numbers(law), L::splat)));
        // A thousandth more than any contact lasts, since that may be rounded.
        let farthest = L::splat(-1.001 * input.laws.reach);
        let PairBlock { keeper, other, slot, touched, stress, .. } = pairs;
        let mut loads = [[GrainLoad::default(); 2]; LANES];
        sums.fill(GrainLoad::default());
        *stress = DVec3::ZERO;
        let rows = keeper.as_chunks::<LANES>().0.iter().zip(other.as_chunks::<LANES>().0);
        let rows = rows.zip(slot.as_chunks::<LANES>().0).zip(touched);
        for ((((keeper, other), slot), touched), memory) in rows.zip(memory.chunks_mut(LANES)) {
            let group =
                Group::<L>::new(&input, each(*keeper, |k| (block * BLOCK) as u32 + u32::from(k)), *other);
            if farthest.below(group.geometry.overlap) == 0 {
                if std::mem::take(touched) {
                    memory.fill([0.0; 8]);
                }
                continue;
            }
            *touched = true;
            let law = only.unwrap_or_else(|| law_of_group(&input, &group));
            match <&mut [[f32; 8]; LANES]>::try_from(&mut *memory) {
                Ok(memory) => touch_group(&input, &group, &law, memory, &mut loads),
                Err(_) => {
                    let mut all = [[0.0; 8]; LANES];
                    all[..memory.len()].copy_from_slice(memory);
                    touch_group(&input, &group, &law, &mut all, &mut loads);
                    memory.copy_from_slice(&all[..memory.len()]);
                }
            }
            // Without the repetitions of the last.
            for (lane, [of_keeper, of_partner]) in loads.iter().enumerate().take(memory.len()) {
                // SAFETY: there is a sum for every particle of the block and every guest.
                unsafe {
                    sums.get_unchecked_mut(usize::from(keeper[lane])).add(of_keeper);
                    sums.get_unchecked_mut(slot[lane] as usize).add(of_partner);
                }
            }
            if let Some(arms) = input.arms {
                *stress += group.stress(arms, &loads[..memory.len()]);
            }
        }
    }
}

impl<L: Lanes> Group<L> {
    #[inline(always)]
    fn new(input: &TouchInput, i: [u32; LANES], j: [u32; LANES]) -> Self {
        let mut rows = [[0.0; 4]; LANES];
        let mut radius_j = [0.0; LANES];
        for lane in 0..LANES {
            let (i, j) = (i[lane] as usize, j[lane] as usize);
            // SAFETY: all columns have entries for these particles.
            unsafe {
                let d = input.domain.difference(*input.place.get_unchecked(i), *input.place.get_unchecked(j));
                rows[lane] = [d.x, d.y, d.z, input.position.get_unchecked(i).w];
                radius_j[lane] = input.position.get_unchecked(j).w;
            }
        }
        let [x, y, z, radius_i] = L::from_rows(&rows);
        let geometry = contact_sphere_sphere([x, y, z], radius_i, L::from_array(&radius_j));
        Self { i, j, difference: [x, y, z], geometry }
    }

    /// Stress of these contacts times the volume \[J\], positive in compression (Love and Weber):
    ///
    /// ```text
    /// s V = sum f (x_i - x_j)          x the centres of mass of the grains that touch, f the force on i
    /// ```
    fn stress(&self, arms: &[Vec3], loads: &[[GrainLoad; 2]]) -> DVec3 {
        let [x, y, z] = self.difference.map(L::to_array);
        let of_lane = |(lane, [of_keeper, _]): (usize, &[GrainLoad; 2])| {
            let (i, j) = (self.i[lane] as usize, self.j[lane] as usize);
            let branch = Vec3::new(x[lane], y[lane], z[lane]) - arms[i] + arms[j];
            of_keeper.force.truncate().as_dvec3() * branch.as_dvec3()
        };
        loads.iter().enumerate().map(of_lane).sum()
    }
}

/// The law of each of sixteen pairs, where there are several materials.
#[inline(always)]
fn law_of_group<L: Lanes>(input: &TouchInput, group: &Group<L>) -> PairLaw<L> {
    let mut numbers = [[0.0; LANES]; NUMBERS];
    for lane in 0..LANES {
        let [i, j] = [group.i[lane], group.j[lane]].map(|k| input.material[k as usize]);
        let of_pair = input.laws.numbers(i, j);
        numbers.iter_mut().zip(of_pair).for_each(|(lanes, number)| lanes[lane] = number);
    }
    with_numbers(input.laws.models(), &each(numbers, |lanes| L::from_array(&lanes)))
}

/// Computes sixteen contacts, and writes what they remember and the loads on keepers and partners.
#[inline(always)]
fn touch_group<L: Lanes>(
    input: &TouchInput,
    group: &Group<L>,
    law: &PairLaw<L>,
    memory: &mut [[f32; 8]; LANES],
    loads: &mut [[GrainLoad; 2]; LANES],
) {
    // SAFETY: all columns have entries for these particles.
    let rows = |column: &[Vec4], index: &[u32; LANES]| unsafe {
        let first: *const f32 = column.as_ptr().cast();
        L::from_rows_at(|k| first.add(4 * index[k] as usize))
    };
    let [ax, ay, az, _] = rows(input.velocity, &group.i);
    let [bx, by, bz, _] = rows(input.velocity, &group.j);
    let [px, py, pz, inverse_i] = rows(input.angular_velocity, &group.i);
    let [qx, qy, qz, inverse_j] = rows(input.angular_velocity, &group.j);
    let mut of_i = [ax, ay, az];
    if let Some(rate) = input.strain {
        let [rx, ry, rz]: [L; 3] = splat3(rate.to_array());
        let [dx, dy, dz] = group.difference;
        of_i = [ax + rx * dx, ay + ry * dy, az + rz * dz];
    }
    // SAFETY: there are sixteen records of eight numbers.
    let [[ta, tb, tc, area], [ra, rb, rc, twist]] =
        unsafe { [L::from_rows_at(|k| memory[k].as_ptr()), L::from_rows_at(|k| memory[k].as_ptr().add(4))] };
    let mass = L::splat(1.0) / (inverse_i + inverse_j);
    let motion = Motion { velocity: [of_i, [bx, by, bz]], angular_velocity: [[px, py, pz], [qx, qy, qz]] };
    let history =
        History { tangential: [ta, tb, tc], contact_radius: area, rolling: [ra, rb, rc], twisting: twist };
    let (Loads { force, torque_i, torque_j }, now) =
        contact_loads(law, &group.geometry, mass, &motion, L::splat(input.dt), &history);
    let zero = L::splat(0.0);
    let touching = zero.if_below(now.contact_radius, L::splat(1.0), zero);
    let out: *mut f32 = loads.as_mut_ptr().cast();
    let stride = size_of::<[GrainLoad; 2]>() / 4;
    let kept: *mut f32 = memory.as_mut_ptr().cast();
    let [t, r] = [now.tangential, now.rolling];
    // SAFETY: there are sixteen pairs of loads of two rows each, and sixteen records of two.
    unsafe {
        L::to_rows([force[0], force[1], force[2], zero], out, stride);
        L::to_rows([torque_i[0], torque_i[1], torque_i[2], touching], out.add(4), stride);
        L::to_rows([-force[0], -force[1], -force[2], zero], out.add(8), stride);
        L::to_rows([torque_j[0], torque_j[1], torque_j[2], touching], out.add(12), stride);
        L::to_rows([t[0], t[1], t[2], now.contact_radius], kept, 8);
        L::to_rows([r[0], r[1], r[2], now.twisting], kept.add(4), 8);
    }
}
