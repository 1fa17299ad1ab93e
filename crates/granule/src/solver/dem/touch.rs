//! Contacts of grains with each other: which pairs touch, and what that does to them.
//!
//! Pairs that may touch are told from the others by rounded positions, with room for the rounding; what touches and how deep
//! follows from exact ones, subtracted as whole numbers and rounded once. Sixteen contacts are computed at a time.

use glam::{Vec3, Vec4};

use super::contact::vector::dot;
use super::contact::{History, Loads, Motion, PairLaw, contact_loads, contact_sphere_sphere};
use super::laws::{LawTable, NUMBERS, with_numbers};
use super::pairs::{APART, PairBlock, PairLoad};
use crate::contacts::ContactBlock;
use crate::neighbors::Domain;
use crate::position::{ExactDomain, ExactPosition};
use crate::simd::{LANES, Lanes, Vectorised};
use crate::team::BLOCK;

/// Share of a coordinate by which rounding of two positions can shorten what is between them.
const ROUNDING: f32 = 4e-7;

/// What contacts of grains depend on.
#[derive(Clone, Copy)]
pub struct TouchInput<'a> {
    /// Laws of pairs of materials.
    pub laws: &'a LawTable,
    /// Space.
    pub domain: &'a Domain,
    /// Space for exact positions.
    pub exact_domain: &'a ExactDomain,
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
    /// Length of the step \[s\]; 0 before the first.
    pub dt: f32,
}

/// The contacts of a block of keepers.
pub struct TouchBlock<'a> {
    /// What they depend on.
    pub input: TouchInput<'a>,
    /// Number of the block.
    pub block: usize,
    /// The pairs of the block.
    pub pairs: &'a mut PairBlock,
    /// What they remember.
    pub memory: &'a mut ContactBlock<[f32; 8]>,
}

/// Sixteen contacts, gathered.
struct Batch {
    difference: [[f32; 4]; LANES],
    radius_j: [f32; LANES],
    velocity: [[[f32; 4]; LANES]; 2],
    turning: [[[f32; 4]; LANES]; 2],
    history: [[[f32; 4]; LANES]; 2],
    numbers: [[f32; LANES]; NUMBERS],
}

impl Vectorised for TouchBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { input, block, pairs, memory } = self;
        let (offsets, memory) = memory.split_mut();
        find_near(&input, block, offsets, pairs, memory);
        let only = input.laws.only().map(|law| with_numbers(law, &super::laws::numbers(law).map(L::splat)));
        let mut batch = Batch {
            difference: [[0.0; 4]; LANES],
            radius_j: [0.0; LANES],
            velocity: [[[0.0; 4]; LANES]; 2],
            turning: [[[0.0; 4]; LANES]; 2],
            history: [[[0.0; 4]; LANES]; 2],
            numbers: [[0.0; LANES]; NUMBERS],
        };
        let near = std::mem::take(&mut pairs.near);
        // All of them are written: what is there need not be cleared.
        pairs.load.resize(near.len().next_multiple_of(LANES), PairLoad::default());
        for (chunk, loads) in near.chunks(LANES).zip(pairs.load.chunks_exact_mut(LANES)) {
            gather(&input, block, pairs.keeper.as_slice(), &pairs.other, memory, chunk, &mut batch);
            let law = only.unwrap_or_else(|| {
                with_numbers(input.laws.models(), &batch.numbers.each_ref().map(L::from_array))
            });
            let after = touch_lanes::<L>(&batch, &law, input.dt, loads);
            for (lane, &pair) in chunk.iter().enumerate() {
                let state = &mut memory[pair as usize];
                state[..4].copy_from_slice(&after[0][lane]);
                state[4..].copy_from_slice(&after[1][lane]);
            }
        }
        pairs.near = near;
    }
}

/// Finds the pairs that are near enough to touch, and forgets what those remember that are not any more. `offsets` says
/// where the pairs of each keeper begin.
#[inline(always)]
fn find_near(
    input: &TouchInput,
    block: usize,
    offsets: &[u32],
    pairs: &mut PairBlock,
    memory: &mut [[f32; 8]],
) {
    let PairBlock { other, slot, near, .. } = pairs;
    near.clear();
    let periodic = input.domain.is_periodic();
    let far = input.domain.lengths().max_element();
    for (k, ends) in offsets.windows(2).enumerate() {
        let x = input.position[block * BLOCK + k];
        let coordinate = x.truncate().abs().max_element().max(far);
        // A partner is at most ten times as large.
        let reach = x.w + input.laws.reach + ROUNDING * (coordinate + 11.0 * x.w);
        let range = ends[0] as usize..ends[1] as usize;
        let rows = range.clone().zip(&other[range.clone()]).zip(&mut slot[range]);
        for ((pair, &j), slot) in rows {
            let y = input.position[j as usize];
            let apart = x - y;
            let apart = if periodic {
                input.domain.displacement(x.truncate(), y.truncate())
            } else {
                apart.truncate()
            };
            let sum = reach + y.w;
            if apart.length_squared() < sum * sum {
                *slot = near.len() as u32;
                near.push(pair as u32);
            } else if *slot != APART {
                *slot = APART;
                memory[pair] = [0.0; 8];
            }
        }
    }
}

/// Gathers up to sixteen contacts; lanes beyond them repeat the first.
#[inline(always)]
fn gather(
    input: &TouchInput,
    block: usize,
    keeper: &[u16],
    other: &[u32],
    memory: &[[f32; 8]],
    chunk: &[u32],
    batch: &mut Batch,
) {
    for lane in 0..LANES {
        let pair = chunk[if lane < chunk.len() { lane } else { 0 }] as usize;
        let (i, j) = (block * BLOCK + usize::from(keeper[pair]), other[pair] as usize);
        let d: Vec3 = input.exact_domain.difference(input.place[i], input.place[j]);
        batch.difference[lane] = [d.x, d.y, d.z, input.position[i].w];
        batch.radius_j[lane] = input.position[j].w;
        batch.velocity[0][lane] = input.velocity[i].to_array();
        if let Some(rate) = input.strain {
            batch.velocity[0][lane] = (input.velocity[i] + (rate * d).extend(0.0)).to_array();
        }
        batch.velocity[1][lane] = input.velocity[j].to_array();
        batch.turning[0][lane] = input.angular_velocity[i].to_array();
        batch.turning[1][lane] = input.angular_velocity[j].to_array();
        let [a, b, c, d, e, f, g, h] = memory[pair];
        batch.history[0][lane] = [a, b, c, d];
        batch.history[1][lane] = [e, f, g, h];
        if input.laws.only().is_none() {
            let numbers = input.laws.numbers(input.material[i], input.material[j]);
            batch.numbers.iter_mut().zip(numbers).for_each(|(lanes, number)| lanes[lane] = number);
        }
    }
}

/// Computes sixteen contacts, writes their loads and returns what they remember.
#[inline(always)]
fn touch_lanes<L: Lanes>(
    batch: &Batch,
    law: &PairLaw<L>,
    dt: f32,
    loads: &mut [PairLoad],
) -> [[[f32; 4]; LANES]; 2] {
    let [dx, dy, dz, radius_i] = L::from_rows(&batch.difference);
    let radius_j = L::from_array(&batch.radius_j);
    let [[ax, ay, az, _], [bx, by, bz, _]] = batch.velocity.each_ref().map(L::from_rows);
    let [[px, py, pz, inverse_i], [qx, qy, qz, inverse_j]] = batch.turning.each_ref().map(L::from_rows);
    let [[ta, tb, tc, area], [ra, rb, rc, twist]] = batch.history.each_ref().map(L::from_rows);
    let geometry = contact_sphere_sphere([dx, dy, dz], radius_i, radius_j);
    let mass = L::splat(1.0) / (inverse_i + inverse_j);
    let motion =
        Motion { velocity: [[ax, ay, az], [bx, by, bz]], angular_velocity: [[px, py, pz], [qx, qy, qz]] };
    let history =
        History { tangential: [ta, tb, tc], contact_radius: area, rolling: [ra, rb, rc], twisting: twist };
    let (Loads { force, torque_i, torque_j }, now) =
        contact_loads(law, &geometry, mass, &motion, L::splat(dt), &history);
    let along = dot(force, geometry.normal);
    let out: *mut f32 = loads.as_mut_ptr().cast();
    let stride = size_of::<PairLoad>() / 4;
    assert_eq!(loads.len(), LANES);
    // SAFETY: there are sixteen loads of three rows each.
    unsafe {
        L::to_rows([force[0], force[1], force[2], now.contact_radius], out, stride);
        L::to_rows([torque_i[0], torque_i[1], torque_i[2], along], out.add(4), stride);
        L::to_rows([torque_j[0], torque_j[1], torque_j[2], along], out.add(8), stride);
    }
    let mut after = [[[0.0; 4]; LANES]; 2];
    let [t, r] = [now.tangential, now.rolling];
    // SAFETY: each has room for sixteen rows.
    unsafe {
        L::to_rows([t[0], t[1], t[2], now.contact_radius], after[0].as_mut_ptr().cast(), 4);
        L::to_rows([r[0], r[1], r[2], now.twisting], after[1].as_mut_ptr().cast(), 4);
    }
    after
}
