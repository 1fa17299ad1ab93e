//! Grains and rigid bodies solved together: what a wall contact gives to a grain it takes from the body.
//!
//! Contacts of one body are solved side by side (Jacobi), each as if it had its share of the body for itself: with N
//! contacts, a body of N times its inverse mass and inertia (mass splitting, \[TBV12\]). Their sum then never overshoots,
//! however light the body is.

use glam::{Vec3, Vec4};

use crate::bodies::{BodyMotion, Wrench};
use crate::boundary::NO_BODY;

use super::walls::{WallBlock, WallContact, WallContacts};
use crate::team::{self, BLOCK, QUICK};

/// The bodies of a scene during a step.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Motions without grains.
    free: Vec<BodyMotion>,
    /// Motions under the contacts' impulses of now.
    pub motion: Vec<BodyMotion>,
    /// Forces of the contacts of now.
    pub load: Vec<Wrench>,
    dt: f32,
}

impl Coupling {
    /// Begins a step of `dt` \[s\] with the motions that bodies would have without grains.
    pub fn begin(&mut self, free: Vec<BodyMotion>, dt: f32) {
        self.motion.clone_from(&free);
        self.load = vec![Wrench::default(); free.len()];
        self.free = free;
        self.dt = dt;
    }

    /// Whether grains can change how any body moves.
    pub fn is_two_way(&self) -> bool {
        self.free.iter().any(|motion| motion.inverse_mass > 0.0)
    }

    /// Tells each contact with a body how much of a correction it is to make, and takes over the impulses of the last
    /// step. `velocity` has the masses \[kg\] of the particles; `reach` \[m\] is the distance within which contacts act.
    pub fn attach(&mut self, contacts: &mut WallContacts, velocity: &[Vec4], reach: f32) {
        if !self.is_two_way() {
            return;
        }
        let mut count = vec![0_u32; self.free.len()];
        for contact in contacts.blocks.iter().flat_map(WallBlock::contacts) {
            if let Some(count) = count.get_mut(contact.sample.body as usize)
                && contact.sample.distance < reach
            {
                *count += 1;
            }
        }
        let (free, count) = (&self.free, &count);
        team::for_each_mut(&mut contacts.blocks, QUICK, |b, block| {
            block.for_each_mut(|k, own| {
                let mass = velocity[b * BLOCK + k].w;
                for contact in own.iter_mut().filter(|contact| contact.sample.body != NO_BODY) {
                    let body = contact.sample.body as usize;
                    contact.mass_splitting = mass_splitting(contact, &free[body], mass * count[body] as f32);
                }
            });
            block.add_up_loads(free, |k| velocity[b * BLOCK + k].w);
        });
        self.update(contacts);
    }

    /// Ends a step with the loads of its last iteration. `velocity` has the masses \[kg\] of the particles.
    pub fn finish(&mut self, contacts: &mut WallContacts, velocity: &[Vec4]) {
        let motion = &self.motion;
        team::for_each_mut(&mut contacts.blocks, QUICK, |b, block| {
            block.add_up_loads(motion, |k| velocity[b * BLOCK + k].w);
        });
        self.update(contacts);
    }

    /// Sums the loads of the contacts up and moves the bodies on by them.
    pub fn update(&mut self, contacts: &WallContacts) {
        self.load.fill(Wrench::default());
        for (body, load) in contacts.blocks.iter().flat_map(WallBlock::loads) {
            self.load[*body as usize] += *load;
        }
        for ((motion, free), load) in self.motion.iter_mut().zip(&self.free).zip(&self.load) {
            *motion = free.pushed(load, self.dt);
        }
    }
}

/// Shares of a velocity's correction that a contact makes along the normal and across it, for a grain whose mass times
/// the number of contacts is `mass` \[kg\].
///
/// ```text
/// 1 / (1 + N m K),   K = response of the body to a force there
/// ```
fn mass_splitting(contact: &WallContact, body: &BodyMotion, mass: f32) -> [f32; 2] {
    let x = contact.grain();
    let share = |response: f32| 1.0 / (1.0 + mass * response);
    [share(body.response_along(x, contact.sample.normal)), share(body.largest_response(x))]
}

/// Force and torque about `center` of a contact on its body, for a grain of `mass` \[kg\]. It acts in the grain's centre,
/// where the grain feels it, so that linear and angular momentum are conserved.
pub fn load_of(contact: &WallContact, center: Vec3, mass: f32) -> Wrench {
    let force = -mass * (contact.normal * contact.sample.normal + contact.tangent);
    let arm = (contact.grain() - center).as_dvec3();
    let force = force.as_dvec3();
    Wrench { force, torque: arm.cross(force) }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::boundary::BoundarySample;

    /// A contact on top of a body, for a grain whose centre is 0.1 m above the body's surface.
    fn contact() -> WallContact {
        let sample = BoundarySample {
            distance: 0.1,
            normal: Vec3::Y,
            closest: Vec3::new(0.3, 0.5, 0.0),
            lambda: 0.0,
            lambda_derivative: 0.0,
            velocity: Vec3::ZERO,
            friction: None,
            boundary: 0,
            face: 0,
            body: 0,
        };
        WallContact { sample, normal: 3.0, tangent: Vec3::new(2.0, 0.0, 0.0), mass_splitting: [1.0; 2] }
    }

    /// The load acts where the grain feels it, in its centre, or grains and bodies would not keep their angular momentum:
    /// an arm to the point of the wall would give another torque of friction.
    #[test]
    fn a_contact_pulls_a_body_at_the_centre_of_the_grain() {
        let load = load_of(&contact(), Vec3::ZERO, 2.0);
        assert_eq!(load.force, DVec3::new(-4.0, -6.0, 0.0));
        // (0.3, 0.6, 0) x (-4, -6, 0); at the wall's point (0.3, 0.5, 0) it would be 0.2.
        assert!((load.torque - DVec3::new(0.0, 0.0, 0.6)).length() < 1e-6, "{}", load.torque);
    }
}
