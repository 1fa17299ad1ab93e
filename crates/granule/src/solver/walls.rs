//! Walls as the solver sees them: samples near each particle, with a unilateral contact and Coulomb friction.
//!
//! The density map fills the density that a wall cuts off; forces come from the contact at a distance of one
//! radius, so that a settled first layer rests at exactly that distance and a lone grain does not sink in.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};

use crate::bodies::{BodyMotion, Wrench};
use crate::boundary::{Boundaries, BoundarySample};
use crate::contacts::{ContactMemory, Partner, best_match};
use crate::simd::LANES;
use crate::sph::WallTable;
use crate::team::{self, BLOCK, block_count, block_range};

use super::coupling::load_of;

/// Most wall samples per particle; further ones are dropped and counted. A choice: a corner of a box has three.
pub const MAX_SAMPLES: usize = 8;

/// Relaxation of the wall impulses per iteration, where velocities are solved for together with them.
///
/// A choice, stable in the experiments that found the relaxation of the pressure (`iisph/setup.rs`); no other value is on
/// record. It is below 1 since the pressure of a particle at a wall corrects the same velocity at the same time.
pub const WALL_RELAXATION: f32 = 0.5;

/// Share of a penetration that is pushed out per step.
///
/// A choice, that of the same experiments; no other value is on record. After 20 steps an eighth of a penetration is left;
/// more per step would leave as much more speed behind.
pub const PUSH_OUT: f32 = 0.1;

/// Fastest push out of a wall over sqrt(g d): a grain that has fallen by a tenth of its diameter is as fast.
///
/// A choice, that of the same experiments: 0.2 m/s at d = 0.02 m; no other value is on record. It bounds how high a grain is
/// thrown that a tool has overrun.
pub const PUSH_OUT_SPEED: f32 = 0.45;

/// Gravity for scales where a scene has none, the Earth's [m/s2].
pub const EARTH_GRAVITY: f32 = 9.81;

/// Cosine of the largest angle by which a wall's normal at a particle turns in a step.
///
/// A choice: 45 degrees, so that two sides of an edge of 90 degrees are never taken for each other, while a particle that
/// moves by 0.4 d (the Courant number) past a sphere of its own diameter keeps its contact.
const SAME_WALL: f32 = 0.7;

/// A wall near a particle and what it does to it.
#[derive(Clone, Copy, Debug)]
pub struct WallContact {
    /// The wall.
    pub sample: BoundarySample,
    /// Acceleration along the normal, never negative [m/s2].
    pub normal: f32,
    /// Frictional acceleration in the wall's plane [m/s2].
    pub tangent: Vec3,
    /// Shares of a correction that the impulses along the normal and across it make: 1 at walls, less at bodies, which
    /// give way themselves.
    pub mass_splitting: [f32; 2],
}

impl WallContact {
    /// A wall's contact with the impulses it had in the last step.
    fn new(sample: BoundarySample, normal: f32, tangent: Vec3) -> Self {
        Self { sample, normal, tangent, mass_splitting: [1.0; 2] }
    }

    /// What the next step takes over.
    fn impulse(&self) -> WallImpulse {
        WallImpulse { normal: self.normal, tangent: self.tangent, direction: self.sample.normal }
    }

    /// The grain's centre \[m\].
    pub fn grain(&self) -> Vec3 {
        self.sample.closest + self.sample.distance * self.sample.normal
    }
}

/// Wall contacts of the particles of one block.
#[derive(Clone, Debug, Default)]
pub struct WallBlock {
    offset: Vec<u32>,
    contact: Vec<WallContact>,
    dropped: usize,
    /// Loads on bodies: number of the body, and the sum over the block's contacts with it.
    load: Vec<(u32, Wrench)>,
}

impl WallBlock {
    /// The contacts of the block's `k`-th particle.
    pub fn of(&self, k: usize) -> &[WallContact] {
        &self.contact[self.offset[k] as usize..self.offset[k + 1] as usize]
    }

    /// The particles of the block that have contacts, and these.
    pub fn with_contacts(&self) -> impl Iterator<Item = (usize, &[WallContact])> {
        let particles = if self.contact.is_empty() { 0 } else { self.offset.len() - 1 };
        (0..particles).map(|k| (k, self.of(k))).filter(|(_, contacts)| !contacts.is_empty())
    }

    /// All contacts of the block.
    pub fn contacts(&self) -> &[WallContact] {
        &self.contact
    }

    /// Loads on bodies, as they were added up last.
    pub fn loads(&self) -> &[(u32, Wrench)] {
        &self.load
    }

    /// Adds up the loads of the block's contacts on bodies, for the grains' masses \[kg\].
    pub fn add_up_loads(&mut self, bodies: &[BodyMotion], mass: impl Fn(usize) -> f32) {
        self.load.clear();
        if bodies.is_empty() || self.contact.is_empty() {
            return;
        }
        for k in 0..self.offset.len() - 1 {
            for contact in &self.contact[self.offset[k] as usize..self.offset[k + 1] as usize] {
                let body = contact.sample.body;
                let Some(motion) = bodies.get(body as usize) else { continue };
                let load = load_of(contact, motion.center, mass(k));
                match self.load.iter_mut().find(|(known, _)| *known == body) {
                    Some((_, sum)) => *sum += load,
                    None => self.load.push((body, load)),
                }
            }
        }
    }

    /// Runs over the particles of the block that have contacts.
    pub fn for_each_mut(&mut self, mut each: impl FnMut(usize, &mut [WallContact])) {
        if self.contact.is_empty() {
            return;
        }
        for k in 0..self.offset.len() - 1 {
            let range = self.offset[k] as usize..self.offset[k + 1] as usize;
            if !range.is_empty() {
                each(k, &mut self.contact[range]);
            }
        }
    }
}

/// What the next step takes over from a wall contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct WallImpulse {
    /// Acceleration along the normal [m/s2].
    pub normal: f32,
    /// Frictional acceleration [m/s2].
    pub tangent: Vec3,
    /// The wall's normal, which tells contacts with the same face apart.
    pub direction: Vec3,
}

impl WallImpulse {
    /// How little a wall's normal has turned since, if it can be the same wall.
    fn likeness(&self, normal: Vec3) -> Option<f32> {
        let turn = self.direction.dot(normal);
        (turn > SAME_WALL).then_some(turn)
    }
}

/// Wall contacts of all particles, in blocks.
#[derive(Clone, Debug, Default)]
pub struct WallContacts {
    /// Contacts per block, during a step.
    pub blocks: Vec<WallBlock>,
    /// What they leave to the next step.
    pub memory: ContactMemory<WallImpulse>,
}

impl WallContacts {
    /// Samples the walls near every particle; remembered impulses are taken over where the wall is the same. Walls of a
    /// mesh that meet have one number: the one that has turned least is the same.
    ///
    /// `sources` tells where each particle was in the last step's order.
    pub fn sample(
        &mut self,
        boundaries: &Boundaries,
        table: &WallTable,
        reach: f32,
        position: &[Vec4],
        sources: &[u32],
    ) {
        let memory = &self.memory;
        let warm = |i: usize, sample: BoundarySample| {
            let known = memory.of(sources[i] as usize);
            let partner = Partner::wall(sample.boundary, sample.face);
            match best_match(known, partner, |impulse| impulse.likeness(sample.normal)) {
                Some(impulse) => WallContact::new(sample, impulse.normal, impulse.tangent),
                None => WallContact::new(sample, 0.0, Vec3::ZERO),
            }
        };
        sample_blocks(&mut self.blocks, boundaries, table, reach, position, &warm);
    }

    /// Remembers the impulses of a step that ends, with `count` particles.
    pub fn remember(&mut self, count: usize) {
        let blocks = &self.blocks;
        self.memory.record(count, |i, contacts| {
            for contact in blocks[i / BLOCK].of(i % BLOCK) {
                let partner = Partner::wall(contact.sample.boundary, contact.sample.face);
                contacts.push(partner, contact.impulse());
            }
        });
    }

    /// Samples the walls near every particle; no contact bears a load yet.
    pub fn sample_anew(&mut self, boundaries: &Boundaries, table: &WallTable, reach: f32, position: &[Vec4]) {
        let fresh = |_: usize, sample| WallContact::new(sample, 0.0, Vec3::ZERO);
        sample_blocks(&mut self.blocks, boundaries, table, reach, position, &fresh);
    }

    /// Samples dropped in this step.
    pub fn dropped(&self) -> usize {
        self.blocks.iter().map(|block| block.dropped).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let block = |b: &WallBlock| b.contact.capacity() * size_of::<WallContact>() + 4 * b.offset.capacity();
        self.blocks.iter().map(block).sum::<usize>() + self.memory.bytes()
    }
}

/// Samples the walls near every particle; `contact` makes a contact of a particle's sample.
fn sample_blocks(
    blocks: &mut Vec<WallBlock>,
    boundaries: &Boundaries,
    table: &WallTable,
    reach: f32,
    position: &[Vec4],
    contact: &(impl Fn(usize, BoundarySample) -> WallContact + Sync),
) {
    blocks.resize_with(block_count(position.len()), WallBlock::default);
    team::for_each_mut(blocks, 1, |b, block| {
        block.offset.clear();
        block.offset.push(0);
        block.contact.clear();
        block.dropped = 0;
        block.load.clear();
        let range = block_range(b, position.len());
        for first in range.clone().step_by(LANES) {
            let group = first..(first + LANES).min(range.end);
            if far_from_walls(boundaries, reach, &position[group.clone()]) {
                block.offset.resize(block.offset.len() + group.len(), block.contact.len() as u32);
                continue;
            }
            for i in group {
                let first = block.contact.len();
                boundaries.sample(position[i].truncate(), reach, table, &mut |sample| {
                    if block.contact.len() - first == MAX_SAMPLES {
                        block.dropped += 1;
                        return;
                    }
                    block.contact.push(contact(i, sample));
                });
                block.offset.push(block.contact.len() as u32);
            }
        }
    });
}

/// Whether no wall is within reach of any of these particles, by one look at the distance from their middle: distances
/// change by no more than the way gone.
fn far_from_walls(boundaries: &Boundaries, reach: f32, position: &[Vec4]) -> bool {
    let low = position.iter().fold(Vec4::INFINITY, |a, x| a.min(*x)).truncate();
    let high = position.iter().fold(Vec4::NEG_INFINITY, |a, x| a.max(*x)).truncate();
    let radius = 0.5 * (high - low).length();
    boundaries.distance(0.5 * (low + high)) > 1.001 * (radius + reach)
}

/// Density that walls cut off and the density map gives back, relative to rest.
///
/// ```text
/// rho_B = 1 - prod_k (1 - f lambda(Phi_k))
/// ```
/// One wall gives f lambda; two that meet do not count their common volume twice.
pub fn wall_density(contacts: &[WallContact], fill: f32) -> f32 {
    1.0 - contacts.iter().map(|c| 1.0 - fill * c.sample.lambda).product::<f32>()
}

/// Corrects a wall's impulses for a particle velocity and returns the acceleration they give.
///
/// ```text
/// gap = Phi - r;   v_min = gap > 0 ? -gap/dt : min(-0.1 gap/dt, v_push)
/// c_n <- max(0, c_n - w (v_n - v_min)/dt);   t <- t - w v_t/dt,  |t| <= mu c_n
/// ```
/// `velocity` is that of the grain relative to the wall, w the relaxation; corrections at bodies are smaller, see
/// `solver/coupling.rs`.
pub fn correct_contact(contact: &mut WallContact, velocity: Vec3, mu: f32, wall: &WallStep) -> Vec3 {
    let gap = contact.sample.distance - wall.radius;
    if gap >= wall.radius {
        contact.normal = 0.0;
        contact.tangent = Vec3::ZERO;
        return Vec3::ZERO;
    }
    let least = if gap > 0.0 {
        -gap * wall.inverse_dt
    } else {
        (-PUSH_OUT * gap * wall.inverse_dt).min(wall.push_out_speed)
    };
    let normal = contact.sample.normal;
    let v_n = velocity.dot(normal);
    let [along, across] = contact.mass_splitting.map(|factor| factor * wall.relaxation * wall.inverse_dt);
    contact.normal = (contact.normal - along * (v_n - least)).max(0.0);
    let tangent = contact.tangent - across * (velocity - v_n * normal);
    let tangent = tangent - tangent.dot(normal) * normal;
    contact.tangent = tangent.clamp_length_max(mu * contact.normal);
    if !contact.tangent.is_finite() {
        contact.tangent = Vec3::ZERO;
    }
    contact.normal * normal + contact.tangent
}

/// What wall contacts need to know of a step.
#[derive(Clone, Copy, Debug)]
pub struct WallStep {
    /// Particle radius \[m\].
    pub radius: f32,
    /// 1 / dt [1/s].
    pub inverse_dt: f32,
    /// Fastest push out of a wall [m/s].
    pub push_out_speed: f32,
    /// Share of a correction that is made at once.
    pub relaxation: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scene::{Scene, builtin_scenes};
    use crate::sph::{Kernel, KernelKind};

    #[test]
    fn a_face_is_the_same_as_before_while_its_normal_has_turned_by_less_than_45_degrees() {
        let before = WallImpulse { normal: 0.0, tangent: Vec3::ZERO, direction: Vec3::Y };
        let turned = |degrees: f32| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            before.likeness(Vec3::new(sin, cos, 0.0))
        };
        assert_eq!(turned(0.0), Some(1.0));
        assert!(turned(10.0) > turned(30.0) && turned(30.0) > turned(44.0) && turned(44.0).is_some());
        assert_eq!([turned(46.0), turned(90.0), turned(180.0)], [None; 3]);
    }

    /// A contact with a wall below, of this distance [m] and share of the density.
    fn contact(distance: f32, lambda: f32) -> WallContact {
        let sample = BoundarySample {
            distance,
            normal: Vec3::Y,
            closest: Vec3::ZERO,
            lambda,
            lambda_derivative: 0.0,
            velocity: Vec3::ZERO,
            friction: None,
            boundary: 0,
            face: 0,
            body: crate::boundary::NO_BODY,
        };
        WallContact::new(sample, 0.0, Vec3::ZERO)
    }

    /// In the corner of two walls the volume behind both counts once: 1 - (1 - f l)(1 - f l).
    #[test]
    fn walls_that_meet_do_not_count_their_common_volume_twice() {
        let wall = contact(0.01, 0.5);
        assert_eq!(wall_density(&[], 0.9), 0.0);
        assert!((wall_density(&[wall], 0.9) - 0.45).abs() < 1e-6);
        assert!((wall_density(&[wall; 2], 0.9) - 0.6975).abs() < 1e-6);
        assert!((wall_density(&[wall; 3], 0.9) - 0.833_625).abs() < 1e-6);
    }

    /// A grain that has sunk in is pushed out by a tenth of its depth per step, and never faster than the cap.
    #[test]
    fn sunken_grains_are_pushed_out_slowly() {
        let wall = WallStep { radius: 0.01, inverse_dt: 1000.0, push_out_speed: 0.2, relaxation: 1.0 };
        let speed_after = |gap: f32, velocity: f32| {
            let mut contact = contact(wall.radius + gap, 0.0);
            let push = correct_contact(&mut contact, velocity * Vec3::Y, 0.0, &wall);
            velocity + push.y / wall.inverse_dt
        };
        // 0.1 mm deep: 0.1 * 1e-4 m / 1e-3 s.
        assert!((speed_after(-1e-4, 0.0) - 0.01).abs() < 1e-6);
        // 5 mm deep: a tenth per step would be 0.5 m/s.
        assert!((speed_after(-5e-3, 0.0) - 0.2).abs() < 1e-6);
        assert!((speed_after(-5e-3, -3.0) - 0.2).abs() < 1e-6);
        // What moves away faster is let go, and what comes from afar may come as far as the wall.
        assert!((speed_after(-5e-3, 0.7) - 0.7).abs() < 1e-6);
        assert!((speed_after(1e-3, -3.0) + 1.0).abs() < 1e-5);
    }

    /// Groups that are passed over have no wall within reach, in all built-in scenes.
    #[test]
    fn groups_far_from_walls_have_no_samples() {
        let reach = 0.04;
        let table = WallTable::new(&Kernel::new(KernelKind::Cubic, reach), 0.02);
        let mut random = Random::new(5);
        let (mut far, mut near) = (0, 0);
        for builtin in builtin_scenes() {
            let scene = Scene::parse(builtin.text, builtin.name).unwrap();
            let walls = scene.boundary.iter().map(|b| (b.name.clone(), b.shape.clone(), b.friction, None));
            let boundaries = Boundaries::new(walls).unwrap();
            for _ in 0..3000 {
                let middle = Vec3::new(random.signed(), random.unit(), random.signed());
                let spread = 0.1 * random.unit();
                let group: Vec<Vec4> = (0..LANES)
                    .map(|_| Vec3::new(random.signed(), random.signed(), random.signed()) * spread + middle)
                    .map(|x| x.extend(0.01))
                    .collect();
                let mut samples = 0;
                for x in &group {
                    boundaries.sample(x.truncate(), reach, &table, &mut |_| samples += 1);
                }
                if far_from_walls(&boundaries, reach, &group) {
                    assert_eq!(samples, 0, "{} near {middle}", builtin.name);
                    far += 1;
                } else {
                    near += 1;
                }
            }
        }
        assert!(far > 1000 && near > 1000, "{far} far, {near} near");
    }
}
