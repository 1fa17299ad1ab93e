//! Passes over groups of pairs: what they are like when a step begins, the impulses of the step before, corrections, bounces.
//!
//! Pairs of one colour share no grain that moves. Packs of bricks are shared among threads, each of which goes through the colours of its own;
//! groups of a colour of loose pairs are, and these colours follow each other.

use std::ops::Range;

use glam::Vec4;

use crate::position::{ExactDomain, ExactPosition};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, each};
use crate::solver::dem::contact::vector::{add, cross, dot, scale, sub};
use crate::team::{self, SharedColumn};

use super::contact::{Contact, Impulse, REACH, ROLLING_SHARE, TOUCH, TURNING_SHARE, correct, push, sliding};
use super::groups::{IMPULSES, PairGroup, Pairs};
use super::kinds::{Kinds, PairKind};
use super::laws::LawTable;

/// Groups that are taken at a time.
const CHUNK: usize = 8;

/// What does not change within a step.
#[derive(Clone, Copy)]
pub struct StepConstants<'a> {
    /// Space.
    pub domain: &'a ExactDomain,
    /// Exact centres.
    pub place: &'a [ExactPosition],
    /// Rounded positions and radii \[m\].
    pub position: &'a [Vec4],
    /// What rounding took from the positions \[m\].
    pub rest: &'a [Vec4],
    /// Length of the step \[s\].
    pub dt: f32,
    /// What impulses of the step before are multiplied with: the ratio of the steps' lengths.
    pub carry: f32,
    /// Fastest push over the root of a diameter.
    pub push_speed: f32,
    /// Velocity per overlap that contacts are driven apart with [1/s]: 0, but in a negative control.
    pub drive: f32,
    /// Whether grains turn.
    pub rotation: bool,
    /// Instructions to use.
    pub instructions: Instructions,
}

/// The columns that passes change, at once for all pairs of a colour.
pub struct Moving<'a> {
    /// Velocities [m/s] and masses \[kg\].
    pub velocity: SharedColumn<'a, Vec4>,
    /// Angular velocities [rad/s] and inverse masses [1/kg].
    pub spin: SharedColumn<'a, Vec4>,
    /// Pushes \[m\].
    pub push: SharedColumn<'a, Vec4>,
}

/// What is done to groups of pairs.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Prepare,
    WarmStart,
    Sweep,
}

/// Some groups, and what is done to them.
struct GroupWork<'a> {
    pass: Pass,
    step: StepConstants<'a>,
    moving: &'a Moving<'a>,
    kinds: &'a Kinds,
    groups: &'a mut [PairGroup],
    /// Velocities along the normals [m/s], by group; none where they are not asked for.
    approach: &'a mut [[f32; LANES]],
}

impl Vectorised for GroupWork<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pass, step, moving, kinds, groups, approach } = self;
        for (g, group) in groups.iter_mut().enumerate() {
            let kind = kinds.of(group);
            match pass {
                Pass::Prepare => {
                    let along = prepare::<L>(&step, moving, kind, group);
                    if let Some(approach) = approach.get_mut(g) {
                        *approach = along.to_array();
                    }
                }
                _ if group.active == 0 => {}
                Pass::WarmStart => warm_start::<L>(&step, moving, kind, group),
                Pass::Sweep => sweep::<L>(&step, moving, kind, group),
            }
        }
    }
}

/// Finds normals and gaps, who touches, and lets those that do not forget.
pub fn prepare_pairs(pairs: &mut Pairs, step: &StepConstants, moving: &Moving) {
    let all = 0..pairs.groups.len();
    let groups = SharedColumn::of(&mut pairs.groups);
    let approach = SharedColumn::of(&mut pairs.approach);
    run(Pass::Prepare, step, moving, &pairs.kinds, (&groups, &approach), all);
}

/// Gives grains the impulses of the step before, and finds how far they are pushed.
pub fn warm_start_pairs(pairs: &mut Pairs, step: &StepConstants, moving: &Moving) {
    in_order(Pass::WarmStart, pairs, step, moving);
}

/// Corrects the impulses of all pairs once.
pub fn sweep_pairs(pairs: &mut Pairs, step: &StepConstants, moving: &Moving) {
    in_order(Pass::Sweep, pairs, step, moving);
}

/// Corrects the impulses of some pairs once: of these groups in their order, those of a pattern of bits. Others keep theirs.
pub fn sweep_some(pairs: &mut Pairs, some: &[(u32, u32)], step: &StepConstants, moving: &Moving) {
    for &(group, lanes) in some {
        let group = &mut pairs.groups[group as usize];
        let (active, memory) = (group.active, group.memory);
        group.active &= lanes;
        let groups = std::slice::from_mut(group);
        let (kinds, approach) = (&pairs.kinds, &mut []);
        step.instructions.run(GroupWork { pass: Pass::Sweep, step: *step, moving, kinds, groups, approach });
        group.active = active;
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 0) {
            (0..IMPULSES).for_each(|k| group.memory[k][lane] = memory[k][lane]);
        }
    }
}

fn in_order(pass: Pass, pairs: &mut Pairs, step: &StepConstants, moving: &Moving) {
    let (kinds, order, groups) = (&pairs.kinds, &pairs.order, SharedColumn::of(&mut pairs.groups));
    let one_by_one = |range: Range<usize>| {
        // SAFETY: every group is taken once.
        let groups = unsafe { groups.range_mut(range) };
        step.instructions.run(GroupWork { pass, step: *step, moving, kinds, groups, approach: &mut [] });
    };
    order.for_each_pack(one_by_one);
    for range in order.loose_colours() {
        run(pass, step, moving, kinds, (&groups, &SharedColumn::of(&mut [])), range);
    }
    one_by_one(order.rest());
}

/// Shares groups among threads.
fn run(
    pass: Pass,
    step: &StepConstants,
    moving: &Moving,
    kinds: &Kinds,
    (groups, approaches): (&SharedColumn<PairGroup>, &SharedColumn<[f32; LANES]>),
    range: Range<usize>,
) {
    team::for_each(range.len().div_ceil(CHUNK), 4, |chunk| {
        let first = range.start + chunk * CHUNK;
        let end = range.end.min(first + CHUNK);
        // SAFETY: every group is taken once.
        let groups = unsafe { groups.range_mut(first..end) };
        let approach = if approaches.is_empty() { 0..0 } else { first..end };
        // SAFETY: as above.
        let approach = unsafe { approaches.range_mut(approach) };
        step.instructions.run(GroupWork { pass, step: *step, moving, kinds, groups, approach });
    });
}

/// Rows of a column that begins at `first` at sixteen places, as columns.
///
/// # Safety
/// The column must have them, and nobody may write to them meanwhile.
#[inline(always)]
unsafe fn rows_at<L: Lanes>(first: *const Vec4, places: &[u32; LANES]) -> [L; 4] {
    let first: *const f32 = first.cast();
    // SAFETY: the caller promises that they are there.
    unsafe { L::from_rows_at(|lane| first.add(4 * places[lane] as usize)) }
}

/// Rows of a column at sixteen places, as columns.
#[inline(always)]
fn gather<L: Lanes>(column: &SharedColumn<Vec4>, places: &[u32; LANES]) -> [L; 4] {
    // SAFETY: pairs name particles that columns have rows for; of those that move, nobody else uses the rows in this pass.
    unsafe { rows_at(column.start(), places) }
}

/// Writes rows back at the places of those that move.
#[inline(always)]
fn scatter<L: Lanes>(column: &SharedColumn<Vec4>, places: &[u32; LANES], moves: u32, rows: [L; 4]) {
    let mut nowhere = Vec4::ZERO;
    let nowhere: *mut f32 = std::ptr::from_mut(&mut nowhere).cast();
    let first: *mut f32 = column.start().cast_mut().cast();
    // Without branches: which pairs are active is hard to predict.
    let row = |lane: usize| {
        let row = first.wrapping_add(4 * places[lane] as usize);
        if moves >> lane & 1 == 1 { row } else { nowhere }
    };
    // SAFETY: pairs of a colour share no grain that moves, so nobody else uses its row; other rows are not written to.
    unsafe { L::to_rows_at(rows, row) }
}

#[inline(always)]
fn load3<L: Lanes>(lanes: &[[f32; LANES]; 3]) -> [L; 3] {
    [L::from_array(&lanes[0]), L::from_array(&lanes[1]), L::from_array(&lanes[2])]
}

#[inline(always)]
fn load2<L: Lanes>(lanes: &[[f32; LANES]; 2]) -> [L; 2] {
    [L::from_array(&lanes[0]), L::from_array(&lanes[1])]
}

#[inline(always)]
fn impulses<L: Lanes>(group: &PairGroup) -> Impulse<L> {
    let lane = |k: usize| L::from_array(&group.memory[k]);
    Impulse { normal: lane(0), tangent: [lane(1), lane(2), lane(3)], rolling: [lane(4), lane(5), lane(6)] }
}

#[inline(always)]
fn store<L: Lanes>(group: &mut PairGroup, impulse: &Impulse<L>) {
    group.memory[0] = impulse.normal.to_array();
    for k in 0..3 {
        group.memory[1 + k] = impulse.tangent[k].to_array();
        group.memory[4 + k] = impulse.rolling[k].to_array();
    }
}

/// Vectors from partners to keepers \[m\]. In space that repeats they are found exactly and rounded once; elsewhere it is done with
/// rounded positions and what rounding took from them, which near grains find as well, to some 1e-7 of their distance:
///
/// ```text
/// xi - xj = (pi - pj) + (ri - rj)         p: rounded positions, r = x - p
/// ```
#[inline(always)]
fn apart<L: Lanes>(step: &StepConstants, i: &[u32; LANES], j: &[u32; LANES]) -> [L; 3] {
    if step.domain.is_periodic() {
        let mut rows = [[0.0; 4]; LANES];
        for (lane, row) in rows.iter_mut().enumerate() {
            let [i, j] = [i, j].map(|side| step.place[side[lane] as usize]);
            let apart = step.domain.difference(i, j);
            *row = [apart.x, apart.y, apart.z, 0.0];
        }
        let [x, y, z, _] = L::from_rows(&rows);
        return [x, y, z];
    }
    let (position, rest) = (step.position.as_ptr(), step.rest.as_ptr());
    // SAFETY: pairs name particles that columns have rows for, and nobody writes to these.
    let ([a, b], [c, d]): ([[L; 4]; 2], [[L; 4]; 2]) =
        unsafe { ([rows_at(position, i), rows_at(position, j)], [rows_at(rest, i), rows_at(rest, j)]) };
    each([0, 1, 2], |k: usize| (a[k] - b[k]) + (c[k] - d[k]))
}

/// A pair is active where it touches, where it will within the step, or where a pull connects it:
///
/// ```text
/// gap < 0.01 d   or   gap + h vn < 0   or   connected and gap < 0.05 d
/// ```
/// Gives the velocities along the normals [m/s].
#[inline(always)]
fn prepare<L: Lanes>(step: &StepConstants, moving: &Moving, kind: &PairKind, group: &mut PairGroup) -> L {
    let [x, y, z] = apart::<L>(step, &group.i, &group.j);
    let distance = dot([x, y, z], [x, y, z]).root().at_least(L::splat(1e-20));
    let normal = scale(L::splat(1.0) / distance, [x, y, z]);
    let radius = load2::<L>(&kind.radius);
    let gap = distance - radius[0] - radius[1];
    let [ax, ay, az, _] = gather::<L>(&moving.velocity, &group.i);
    let [bx, by, bz, _] = gather::<L>(&moving.velocity, &group.j);
    let approach = dot(sub([ax, ay, az], [bx, by, bz]), normal);
    let (zero, size) = (L::splat(0.0), L::from_array(&kind.diameter));
    let touches = gap.below(L::splat(TOUCH) * size);
    let will_touch = (gap + L::splat(step.dt) * approach).below(zero);
    let pulls = zero.below(L::from_array(&kind.pull));
    let connected = group.connected & gap.below(L::splat(REACH) * size);
    let connected = (connected | touches) & pulls;
    let filled = group.moves[0] | group.moves[1];
    let active = (touches | will_touch | connected) & filled;
    group.active = active;
    group.normal = each(normal, L::to_array);
    group.gap = gap.to_array();
    let old = impulses::<L>(group);
    let carry = |lanes: L| (lanes * L::splat(step.carry)).keep(active);
    let tangent = each(old.tangent, carry);
    let tangent = sub(tangent, scale(dot(tangent, normal), normal));
    store(group, &Impulse { normal: carry(old.normal), tangent, rolling: each(old.rolling, carry) });
    group.connected = connected & filled;
    approach
}

/// Rows with three of their columns changed.
#[inline(always)]
fn shifted<L: Lanes>([x, y, z, w]: [L; 4], by: [L; 3]) -> [L; 4] {
    [x + by[0], y + by[1], z + by[2], w]
}

/// Both sides of sixteen pairs: velocities and angular velocities, each with its fourth column.
struct Sides<L> {
    velocity: [[L; 4]; 2],
    spin: [[L; 4]; 2],
}

impl<L: Lanes> Sides<L> {
    #[inline(always)]
    fn new(moving: &Moving, group: &PairGroup) -> Self {
        Self {
            velocity: [gather(&moving.velocity, &group.i), gather(&moving.velocity, &group.j)],
            spin: [gather(&moving.spin, &group.i), gather(&moving.spin, &group.j)],
        }
    }

    #[inline(always)]
    fn inverse_mass(&self) -> [L; 2] {
        [self.spin[0][3], self.spin[1][3]]
    }

    /// Changes both sides by an impulse at the point of contact and one against rolling.
    ///
    /// ```text
    /// vi += P/mi, vj -= P/mj;   w -= a (n x P)/I on both;   wi += T/Ii, wj -= T/Ij
    /// ```
    #[inline(always)]
    fn push(&mut self, step: &StepConstants, normal: [L; 3], arm: [L; 2], turning: [L; 2], by: &Impulse<L>) {
        let [mi, mj] = self.inverse_mass();
        let whole = add(scale(by.normal, normal), by.tangent);
        self.velocity[0] = shifted(self.velocity[0], scale(mi, whole));
        self.velocity[1] = shifted(self.velocity[1], scale(-mj, whole));
        if !step.rotation {
            return;
        }
        let twist = cross(normal, by.tangent);
        let (ii, ij) = (turning[0] * mi, turning[1] * mj);
        self.spin[0] = shifted(self.spin[0], scale(ii, sub(by.rolling, scale(arm[0], twist))));
        self.spin[1] = shifted(self.spin[1], scale(-ij, add(by.rolling, scale(arm[1], twist))));
    }

    #[inline(always)]
    fn write(&self, step: &StepConstants, moving: &Moving, group: &PairGroup) {
        scatter(&moving.velocity, &group.i, group.moves[0] & group.active, self.velocity[0]);
        scatter(&moving.velocity, &group.j, group.moves[1] & group.active, self.velocity[1]);
        if step.rotation {
            scatter(&moving.spin, &group.i, group.moves[0] & group.active, self.spin[0]);
            scatter(&moving.spin, &group.j, group.moves[1] & group.active, self.spin[1]);
        }
    }
}

/// From centres to the point of contact: both together the distance, so that no torque is lost.
#[inline(always)]
fn arms<L: Lanes>(radius: [L; 2], gap: L) -> [L; 2] {
    let stretch = L::splat(1.0) + gap / (radius[0] + radius[1]);
    [radius[0] * stretch, radius[1] * stretch]
}

#[inline(always)]
fn warm_start<L: Lanes>(step: &StepConstants, moving: &Moving, kind: &PairKind, group: &mut PairGroup) {
    let (radius, normal) = (load2::<L>(&kind.radius), load3::<L>(&group.normal));
    let gap = L::from_array(&group.gap);
    let mut sides = Sides::<L>::new(moving, group);
    sides.push(step, normal, arms(radius, gap), load2(&kind.turning), &impulses(group));
    sides.write(step, moving, group);
    let size = L::from_array(&kind.diameter);
    let most = L::splat(step.push_speed * step.dt) * size.root();
    let apart = push(gap, size, most).keep(group.active);
    let deep = L::splat(0.0).below(apart);
    if deep == 0 {
        return;
    }
    let [mi, mj] = sides.inverse_mass();
    let share = apart / (mi + mj);
    for (side, places, mass) in [(0, &group.i, mi), (1, &group.j, -mj)] {
        let rows = shifted(gather::<L>(&moving.push, places), scale(share * mass, normal));
        scatter(&moving.push, places, group.moves[side] & deep, rows);
    }
}

#[inline(always)]
fn sweep<L: Lanes>(step: &StepConstants, moving: &Moving, kind: &PairKind, group: &mut PairGroup) {
    let (radius, normal) = (load2::<L>(&kind.radius), load3::<L>(&group.normal));
    let gap = L::from_array(&group.gap);
    let arm = arms(radius, gap);
    let mut sides = Sides::<L>::new(moving, group);
    let [mi, mj] = sides.inverse_mass();
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mass = (one / (mi + mj)).keep(group.active);
    let three =
        |rows: &[[L; 4]; 2]| each([0, 1], |side: usize| [rows[side][0], rows[side][1], rows[side][2]]);
    let (velocity, turning) = (three(&sides.velocity), three(&sides.spin));
    let (of_turning, rolling) = (load2::<L>(&kind.turning), L::from_array(&kind.rolling));
    let share = zero.if_below(rolling, L::splat(ROLLING_SHARE), L::splat(TURNING_SHARE));
    let (share, u, turning, rolling_mass) = if step.rotation {
        let response = of_turning[0] * mi + of_turning[1] * mj;
        let rolling_mass = (L::splat(0.5) / response).keep(group.active);
        (share, sliding(normal, velocity, arm, turning), sub(turning[0], turning[1]), rolling_mass)
    } else {
        (one, sub(velocity[0], velocity[1]), [zero; 3], zero)
    };
    let contact = Contact {
        normal,
        least: -gap * zero.if_below(gap, L::splat(1.0 / step.dt), L::splat(step.drive)),
        mass,
        tangential_mass: mass * share,
        rolling_mass,
        friction: L::from_array(&kind.friction),
        rolling,
        hold: (L::from_array(&kind.pull) * L::splat(step.dt)).keep(group.connected),
    };
    let old = impulses(group);
    let new = correct(&contact, u, turning, &old);
    let change = Impulse {
        normal: new.normal - old.normal,
        tangent: sub(new.tangent, old.tangent),
        rolling: sub(new.rolling, old.rolling),
    };
    sides.push(step, normal, arm, of_turning, &change);
    sides.write(step, moving, group);
    store(group, &new);
}

/// Lets pairs that met faster than `slowest` [m/s] bounce, and forget the impulses of the impact:
///
/// ```text
/// u.n >= -e vn          vn: along the normal at the beginning of the step
/// ```
pub fn bounce_pairs(pairs: &mut Pairs, laws: &LawTable, material: &[u16], slowest: f32, moving: &Moving) {
    // One after the other: bounces are rare, and the order is that of colours for any number of threads.
    let groups = pairs.groups.iter_mut().zip(&pairs.approach);
    for (group, approach) in groups.filter(|(group, _)| group.active != 0) {
        for lane in (0..LANES).filter(|lane| group.active >> lane & 1 == 1) {
            let (i, j) = (group.i[lane] as usize, group.j[lane] as usize);
            let restitution = laws.of_grains(material[i], material[j]).restitution;
            if restitution == 0.0 || approach[lane] > -slowest || group.memory[0][lane] <= 0.0 {
                continue;
            }
            let normal =
                Vec4::from_array([0, 1, 2, 3].map(|k| if k < 3 { group.normal[k][lane] } else { 0.0 }));
            // SAFETY: nobody else uses the columns now.
            unsafe {
                let (vi, vj) = (*moving.velocity.get_mut(i), *moving.velocity.get_mut(j));
                let (mi, mj) = (moving.spin.get_mut(i).w, moving.spin.get_mut(j).w);
                let missing = -restitution * approach[lane] - (vi - vj).dot(normal);
                let impulse = missing.max(0.0) / (mi + mj) * normal;
                *moving.velocity.get_mut(i) += mi * impulse;
                *moving.velocity.get_mut(j) -= mj * impulse;
            }
            (0..IMPULSES).for_each(|k| group.memory[k][lane] = 0.0);
        }
    }
}

#[cfg(test)]
mod tests;
