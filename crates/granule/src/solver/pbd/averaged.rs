//! Sommer's scheme \[SSS22\], after \[MMCK14\]: positions are corrected by the mean of what all contacts of a grain ask for. It is kept for
//! comparison: friction depends on the number of iterations, and heaps melt.
//!
//! ```text
//! x* = x + h v
//! stabilise:   x and x* by overlaps of x                                        as often as asked for, without any velocity
//! iterate:     d = ri + rj - |x*i - x*j|,   n = (x*i - x*j)/|x*i - x*j|          where d > 0
//!              t = what (x*i - xi) - (x*j - xj) has across n                    slip of the step
//!              t' = t where |t| < mus d, else t min(muk d/|t|, 1)
//!              x*i += omega/ni sum wi/(wi + wj) (d n - t'),   w = exp(k y/(2 r))/m,   ni: contacts of i
//! v = (x* - x)/h
//! ```
//! With the errata of the published equations: the friction cone is that of the depth d, slip is that of the whole step, and masses that
//! shrink with height y are dimensionless in it and bounded. Grains do not turn. Averaging by ni breaks momentum: what a grain gives is not
//! what its partner gets, where the two have unequal numbers of contacts.

use glam::{Vec3, Vec4};

use crate::bodies::BodyMotion;
use crate::position::{ExactDomain, ExactPosition};
use crate::simd::LANES;
use crate::team::{self, BLOCK, PerBlock, QUICK, SharedColumn};

use super::groups::{PairGroup, Pairs};
use super::kinds::PairKind;
use super::params::Averaging;
use super::walls::{WallTouch, Walls};

/// Groups that a thread takes at a time.
const CHUNK: usize = 8;

/// Largest ratio of masses that are scaled by height.
const MOST_SCALE: f32 = 1e3;

/// Columns of one step.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Way since the beginning of the step \[m\].
    way: Vec<Vec4>,
    /// By how much the beginning itself is moved \[m\].
    base: Vec<Vec4>,
    /// Sum of corrections \[m\], and their number.
    sum: Vec<Vec4>,
    /// Inverse masses, scaled by height [1/kg].
    weight: Vec<f32>,
}

/// What does not change within a step.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Space.
    pub domain: &'a ExactDomain,
    /// Exact centres.
    pub place: &'a [ExactPosition],
    /// Positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Motions of bodies.
    pub bodies: &'a [BodyMotion],
    /// Upwards.
    pub up: Vec3,
    /// Length of the step \[s\].
    pub dt: f32,
    /// Iterations.
    pub iterations: u32,
    /// How corrections are averaged.
    pub averaging: Averaging,
}

/// The columns of grains that a step changes.
pub struct Grains<'a> {
    /// Velocities [m/s] and masses \[kg\].
    pub velocity: &'a mut [Vec4],
    /// Angular velocities [rad/s] and inverse masses [1/kg].
    pub spin: &'a mut [Vec4],
    /// Pushes \[m\].
    pub push: &'a mut [Vec4],
}

/// Solves all contacts of a step; velocities and pushes are those of its end.
pub fn solve(step: &Step, pairs: &mut Pairs, walls: &mut Walls, columns: &mut Columns, grains: Grains) {
    columns.begin(step, &grains);
    for _ in 0..step.averaging.stabilization {
        columns.iterate(step, pairs, walls, &grains, false);
    }
    for _ in 0..step.iterations {
        columns.iterate(step, pairs, walls, &grains, true);
    }
    columns.end(step, grains);
}

impl Columns {
    fn begin(&mut self, step: &Step, grains: &Grains) {
        let count = step.position.len();
        team::fill(&mut self.way, count, |i| (step.dt * grains.velocity[i]).with_w(0.0));
        team::fill(&mut self.base, count, |_| Vec4::ZERO);
        team::fill(&mut self.sum, count, |_| Vec4::ZERO);
        let height = |x: &Vec4| x.truncate().dot(step.up);
        let lowest = step.position.iter().map(height).fold(f32::INFINITY, f32::min);
        let scale = step.averaging.mass_scaling;
        team::fill(&mut self.weight, count, |i| {
            let x = &step.position[i];
            let by = (scale * (height(x) - lowest) / (2.0 * x.w)).exp().min(MOST_SCALE);
            by * grains.spin[i].w
        });
    }

    /// Adds up the corrections of all contacts and takes their means: of positions now, or (`moves` is false) of the beginning.
    fn iterate(&mut self, step: &Step, pairs: &mut Pairs, walls: &mut Walls, grains: &Grains, moves: bool) {
        let Self { way, base, sum, weight } = self;
        let input = Corrections { step, way, base, weight, moves };
        input.of_pairs(pairs, &SharedColumn::of(sum));
        input.of_walls(walls, sum, grains);
        let relaxation = step.averaging.over_relaxation;
        let target = if moves { &mut way[..] } else { &mut base[..] };
        team::for_each_block(target.len(), QUICK, (target, &mut sum[..]), |_, (target, sum)| {
            for (target, sum) in target.iter_mut().zip(sum) {
                if sum.w > 0.0 {
                    *target += (relaxation / sum.w * *sum).with_w(0.0);
                }
                *sum = Vec4::ZERO;
            }
        });
    }

    fn end(&mut self, step: &Step, grains: Grains) {
        let Grains { velocity, spin, push } = grains;
        let (way, base) = (&self.way, &self.base);
        team::for_each_block(velocity.len(), QUICK, (velocity, spin, push), |b, (velocity, spin, push)| {
            for k in 0..velocity.len() {
                let i = b * BLOCK + k;
                if spin[k].w == 0.0 {
                    continue;
                }
                velocity[k] = (way[i] / step.dt).with_w(velocity[k].w);
                spin[k] *= Vec4::W;
                push[k] = base[i];
            }
        });
    }
}

/// What corrections follow from.
struct Corrections<'a> {
    step: &'a Step<'a>,
    way: &'a [Vec4],
    base: &'a [Vec4],
    weight: &'a [f32],
    moves: bool,
}

impl Corrections<'_> {
    /// The correction of a contact of depth `d` \[m\] with its normal, slip \[m\] and coefficient of static friction.
    fn of_contact(&self, depth: f32, normal: Vec3, slip: Vec3, friction: f32) -> Vec3 {
        if !self.moves {
            return depth * normal;
        }
        let across = slip - slip.dot(normal) * normal;
        let length = across.length();
        let kinetic = self.step.averaging.kinetic_share * friction * depth;
        let held = if length < friction * depth { 1.0 } else { (kinetic / length).min(1.0) };
        depth * normal - held * across
    }

    fn of_pairs(&self, pairs: &Pairs, sum: &SharedColumn<Vec4>) {
        let kinds = &pairs.kinds;
        let all = |groups: &[PairGroup]| groups.iter().for_each(|g| self.of_group(g, kinds.of(g), sum));
        pairs.order.for_each_pack(|range| all(&pairs.groups[range]));
        for range in pairs.order.loose_colours() {
            let groups = &pairs.groups[range];
            team::for_each(groups.len().div_ceil(CHUNK), 4, |chunk| {
                all(&groups[chunk * CHUNK..groups.len().min((chunk + 1) * CHUNK)]);
            });
        }
        all(&pairs.groups[pairs.order.rest()]);
    }

    fn of_group(&self, group: &PairGroup, kind: &PairKind, sum: &SharedColumn<Vec4>) {
        let filled = group.moves[0] | group.moves[1];
        for lane in (0..LANES).filter(|lane| filled >> lane & 1 == 1) {
            let (i, j) = (group.i[lane] as usize, group.j[lane] as usize);
            let slip = (self.way[i] - self.way[j]).truncate();
            let mut apart = self.step.domain.difference(self.step.place[i], self.step.place[j]);
            apart += (self.base[i] - self.base[j]).truncate() + if self.moves { slip } else { Vec3::ZERO };
            let distance = apart.length();
            let depth = kind.radius[0][lane] + kind.radius[1][lane] - distance;
            let weight = self.weight[i] + self.weight[j];
            if depth <= 0.0 || distance == 0.0 || weight == 0.0 {
                continue;
            }
            let by = self.of_contact(depth, apart / distance, slip, kind.friction[lane]);
            for (side, place, sign) in [(0, i, 1.0), (1, j, -1.0)] {
                if group.moves[side] >> lane & 1 == 1 {
                    // SAFETY: pairs of a colour share no grain that moves, so nobody else uses this row.
                    unsafe { *sum.get_mut(place) += (sign * self.weight[place] / weight * by).extend(1.0) };
                }
            }
        }
    }

    /// Walls do not give way here; what they and bodies lose is kept as the impulse of the contact.
    fn of_walls(&self, walls: &mut Walls, sum: &mut [Vec4], grains: &Grains) {
        let relaxation = self.step.averaging.over_relaxation;
        let blocks = PerBlock(&mut walls.blocks);
        team::for_each_block(sum.len(), 4, (sum, blocks), |b, (sum, block)| {
            for touch in &mut block.touch {
                let k = usize::from(touch.grain);
                let by = self.at_wall(touch, b * BLOCK + k);
                touch.gives = by.to_array();
                sum[k] += by.extend(f32::from(u8::from(by != Vec3::ZERO)));
            }
            for touch in block.touch.iter_mut().filter(|_| self.moves) {
                let k = usize::from(touch.grain);
                let mass = grains.velocity[b * BLOCK + k].w;
                let impulse = mass * relaxation / sum[k].w.max(1.0) / self.step.dt * Vec3::from(touch.gives);
                let along = impulse.dot(touch.normal);
                touch.memory[0] += along;
                let across = Vec3::from_slice(&touch.memory[1..]) + impulse - along * touch.normal;
                touch.memory[1..4].copy_from_slice(&across.to_array());
            }
        });
    }

    /// The correction of a grain at a wall; 0 where it does not touch.
    fn at_wall(&self, touch: &WallTouch, i: usize) -> Vec3 {
        let body = self.step.bodies.get(touch.body as usize).filter(|body| body.inverse_mass > 0.0);
        let velocity = body.map_or(touch.velocity, |body| body.velocity_at(touch.point));
        let slip = self.way[i].truncate() - self.step.dt * velocity;
        let moved = self.base[i].truncate() + if self.moves { slip } else { Vec3::ZERO };
        let depth = -(touch.gap + touch.normal.dot(moved));
        if depth <= 0.0 { Vec3::ZERO } else { self.of_contact(depth, touch.normal, slip, touch.law.friction) }
    }
}
