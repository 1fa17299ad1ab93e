//! The impulses of contacts with walls and bodies.
//!
//! They come after all pairs of a sweep. A grain has its walls for itself, so blocks of grains are solved side by side. Contacts of
//! one free body are solved as if each had its share of the body: with N of them, a body of N times its inverse mass and
//! inertia (mass splitting, \[TBV12\]). The body's motion follows after every sweep from the sum of all impulses.

use glam::{DVec3, Vec3, Vec4};

use crate::bodies::{BodyMotion, Wrench};
use crate::team;

use super::contact::{Contact, Impulse, ROLLING_SHARE, TURNING_SHARE, correct, push};
use super::walls::{WallTouch, Walls};

/// What does not change within a step.
#[derive(Clone, Copy)]
pub struct WallStep<'a> {
    /// Positions and radii \[m\].
    pub position: &'a [Vec4],
    /// Length of the step \[s\].
    pub dt: f32,
    /// What impulses of the step before are multiplied with, beside the ratio of the steps' lengths.
    pub carry: f32,
    /// Fastest push over the root of a diameter.
    pub push_speed: f32,
    /// Velocity per overlap that contacts are driven apart with [1/s]: 0, but in a negative control.
    pub drive: f32,
    /// Whether grains turn.
    pub rotation: bool,
}

/// The columns of grains that contacts with walls change.
pub struct AtWalls<'a> {
    /// Velocities [m/s] and masses \[kg\].
    pub velocity: &'a mut [Vec4],
    /// Angular velocities [rad/s] and inverse masses [1/kg].
    pub spin: &'a mut [Vec4],
    /// Pushes \[m\].
    pub push: &'a mut [Vec4],
}

/// A grain at walls.
struct Grain<'a> {
    velocity: &'a mut Vec4,
    spin: &'a mut Vec4,
    radius: f32,
}

impl Grain<'_> {
    #[inline(always)]
    fn push(&mut self, touch: &WallTouch, by: &Impulse<f32>, rotation: bool) {
        let (mass, normal) = (self.spin.w, touch.normal);
        let tangent = Vec3::from(by.tangent);
        *self.velocity += (mass * (by.normal * normal + tangent)).extend(0.0);
        if rotation {
            let torque = Vec3::from(by.rolling) - touch.arm * normal.cross(tangent);
            *self.spin += (2.5 * mass / (self.radius * self.radius) * torque).extend(0.0);
        }
    }
}

#[inline(always)]
fn impulse(touch: &WallTouch) -> Impulse<f32> {
    let m = &touch.memory;
    Impulse { normal: m[0], tangent: [m[1], m[2], m[3]], rolling: [m[4], m[5], m[6]] }
}

/// Calls `work` for all contacts, with their grains and the push on these.
fn each_contact(
    walls: &mut Walls,
    step: &WallStep,
    columns: AtWalls,
    work: impl Fn(&mut WallTouch, Grain, &mut Vec4) + Sync,
) {
    let count = step.position.len();
    let touch = team::PerBlock(&mut walls.blocks);
    let AtWalls { velocity, spin, push } = columns;
    team::for_each_block(count, 4, (velocity, spin, push, touch), |b, (velocity, spin, push, block)| {
        for touch in &mut block.touch {
            let k = usize::from(touch.grain);
            let radius = step.position[b * team::BLOCK + k].w;
            work(touch, Grain { velocity: &mut velocity[k], spin: &mut spin[k], radius }, &mut push[k]);
        }
    });
}

/// Tells contacts with free bodies how much these give way.
pub fn share_bodies(walls: &mut Walls, bodies: &[BodyMotion]) {
    if bodies.iter().all(|body| body.inverse_mass == 0.0) {
        return;
    }
    let mut contacts = vec![0u32; bodies.len()];
    for touch in walls.blocks.iter().flat_map(|block| &block.touch) {
        if let Some(count) = contacts.get_mut(touch.body as usize) {
            *count += 1;
        }
    }
    let contacts = &contacts;
    team::for_each_mut(&mut walls.blocks, 4, |_, block| {
        for touch in &mut block.touch {
            let Some(body) = bodies.get(touch.body as usize).filter(|body| body.inverse_mass > 0.0) else {
                continue;
            };
            let all = contacts[touch.body as usize] as f32;
            let along = body.response_along(touch.point, touch.normal);
            let across = body.largest_response(touch.point);
            let inertia = body.inverse_inertia;
            let turning = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            touch.gives = [all * along, all * across, all * turning];
        }
    });
}

/// Gives grains the impulses of the step before, and finds how far they are pushed.
pub fn warm_start_walls(walls: &mut Walls, step: &WallStep, columns: AtWalls) {
    each_contact(walls, step, columns, |touch, mut grain, pushed| {
        (0..7).for_each(|k| touch.memory[k] *= step.carry);
        let diameter = 2.0 * grain.radius;
        let most = step.push_speed * step.dt * diameter.sqrt();
        *pushed += (push(touch.gap, diameter, most) * touch.normal).extend(0.0);
        grain.push(touch, &impulse(touch), step.rotation);
    });
}

/// Corrects the impulses of all contacts with walls once.
pub fn sweep_walls(walls: &mut Walls, step: &WallStep, bodies: &[BodyMotion], columns: AtWalls) {
    each_contact(walls, step, columns, |touch, mut grain, _| {
        let (velocity, turning) = motion_of(touch, bodies);
        let contact = contact_of(touch, step, &grain);
        let spin = if step.rotation { grain.spin.truncate() } else { Vec3::ZERO };
        let u = grain.velocity.truncate() - velocity - touch.arm * spin.cross(touch.normal);
        let rolls = if step.rotation { spin - turning } else { Vec3::ZERO };
        let old = impulse(touch);
        let new = correct(&contact, u.to_array(), rolls.to_array(), &old);
        let change = Impulse {
            normal: new.normal - old.normal,
            tangent: (Vec3::from(new.tangent) - Vec3::from(old.tangent)).to_array(),
            rolling: (Vec3::from(new.rolling) - Vec3::from(old.rolling)).to_array(),
        };
        grain.push(touch, &change, step.rotation);
        touch.memory[0] = new.normal;
        touch.memory[1..4].copy_from_slice(&new.tangent);
        touch.memory[4..7].copy_from_slice(&new.rolling);
    });
}

/// Velocity of the wall where it is touched [m/s], and its angular velocity [rad/s].
#[inline(always)]
fn motion_of(touch: &WallTouch, bodies: &[BodyMotion]) -> (Vec3, Vec3) {
    match bodies.get(touch.body as usize).filter(|body| body.inverse_mass > 0.0) {
        Some(body) => (body.velocity_at(touch.point), body.angular),
        None => (touch.velocity, touch.turning),
    }
}

/// Masses are those of the grain and of its share of a body that gives way.
#[inline(always)]
fn contact_of(touch: &WallTouch, step: &WallStep, grain: &Grain) -> Contact<f32> {
    let (mass, radius) = (grain.spin.w, grain.radius);
    let share = match (step.rotation, touch.law.rolling > 0.0) {
        (false, _) => 1.0,
        (true, true) => ROLLING_SHARE,
        (true, false) => TURNING_SHARE,
    };
    let turning = 5.0 * mass / (radius * radius) + touch.gives[2];
    Contact {
        normal: touch.normal.to_array(),
        least: -touch.gap * if touch.gap > 0.0 { 1.0 / step.dt } else { step.drive },
        mass: 1.0 / (mass + touch.gives[0]),
        tangential_mass: 1.0 / (mass / share + touch.gives[1]),
        rolling_mass: if step.rotation { 1.0 / turning } else { 0.0 },
        friction: touch.law.friction,
        rolling: touch.law.rolling * radius,
        hold: step.dt * touch.memory[7] * std::f32::consts::TAU * radius * touch.law.tension,
    }
}

/// Lets grains that met a wall faster than `slowest` [m/s] bounce, and forget the impulses of the impact.
pub fn bounce_walls(
    walls: &mut Walls,
    step: &WallStep,
    bodies: &[BodyMotion],
    slowest: f32,
    columns: AtWalls,
) {
    each_contact(walls, step, columns, |touch, mut grain, _| {
        if touch.law.restitution == 0.0 || touch.approach > -slowest || touch.memory[0] <= 0.0 {
            return;
        }
        let along = (grain.velocity.truncate() - motion_of(touch, bodies).0).dot(touch.normal);
        let missing = (-touch.law.restitution * touch.approach - along).max(0.0);
        touch.bounced = missing / (grain.spin.w + touch.gives[0]);
        let by = Impulse { normal: touch.bounced, tangent: [0.0; 3], rolling: [0.0; 3] };
        grain.push(touch, &by, false);
    });
}

/// Forces and torques on bodies about their centres of mass, in the order of blocks: what grains at their positions \[m\] lose.
///
/// ```text
/// F = -P/h,   T = (p - c) x F - lr/h          p: the point of contact, c: the centre of mass
/// ```
pub fn loads_on_bodies(walls: &Walls, centers: &[Vec3], dt: f32) -> Vec<Wrench> {
    let mut loads = vec![Wrench::default(); centers.len()];
    for (_, touch) in walls.touching() {
        let Some(load) = loads.get_mut(touch.body as usize) else { continue };
        let force = force_on_grain(touch, dt);
        let arm = (touch.point - centers[touch.body as usize]).as_dvec3();
        let rolling = Vec3::from_slice(&touch.memory[4..]).as_dvec3() / f64::from(dt);
        *load += Wrench { force: -force, torque: -arm.cross(force) - rolling };
    }
    loads
}

/// Force of a wall on its grain \[N\].
pub fn force_on_grain(touch: &WallTouch, dt: f32) -> DVec3 {
    let along = (touch.memory[0] + touch.bounced) * touch.normal;
    (along + Vec3::from_slice(&touch.memory[1..])).as_dvec3() / f64::from(dt)
}

/// Force on a boundary \[N\], in the order of blocks.
pub fn force_on(walls: &Walls, boundary: u16, dt: f32) -> DVec3 {
    let own =
        walls.touching().filter(|(_, touch)| touch.partner.as_wall().is_some_and(|(w, _)| w == boundary));
    own.fold(DVec3::ZERO, |sum, (_, touch)| sum - force_on_grain(touch, dt))
}
