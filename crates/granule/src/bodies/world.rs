//! All bodies of a scene in rapier's world.

use glam::{Mat3, Quat, Vec3};
use rapier3d::math::Pose as RapierPose;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBody, RigidBodyBuilder, RigidBodyHandle};

use super::error::{BodyError, SolidError};
use super::flight::Flight;
use super::joint::joint;
use super::motion::{BodyMotion, Wrench};
use super::particles::Sampled;
use super::report::BodyReport;
use super::solid::{Solid, mass_properties};
use crate::boundary::{Boundaries, Boundary, Pose, Sdf};
use crate::scene::{BodyKind, BodySettings, JointSettings, Scene};

/// Depth at which a body counts as overlapping at the start, relative to its size.
const LARGEST_OVERLAP: f32 = 5e-3;

/// Points of a surface along a body's longest side, to look for overlaps.
const OVERLAP_CELLS: f32 = 24.0;

/// Coulomb friction between bodies and walls that have none of their own.
const DEFAULT_FRICTION: f32 = 0.5;

pub(super) struct Body {
    name: String,
    pub(super) kind: BodyKind,
    pub(super) handle: RigidBodyHandle,
    /// Number of the boundary that grains see.
    pub(super) boundary: usize,
    pub(super) load: Wrench,
    /// How a free body moves between visits of rapier, for solvers that move it themselves.
    pub(super) flight: Option<Flight>,
    /// The particles that it is made of, where it is.
    pub(super) particles: Option<Sampled>,
}

impl Body {
    /// How a free body moves now.
    fn motion(&self, world: &PhysicsWorld) -> BodyMotion {
        let rapier = &world.bodies[self.handle];
        self.flight.as_ref().map_or_else(|| motion_of(rapier), |flight| flight.motion(rapier))
    }
}

/// A wall in rapier's world.
struct Wall {
    handle: RigidBodyHandle,
    boundary: usize,
}

/// All bodies of a scene, and the walls that they collide with.
#[derive(Default)]
pub struct Bodies {
    pub(super) world: PhysicsWorld,
    pub(super) list: Vec<Body>,
    walls: Vec<Wall>,
}

impl Bodies {
    /// The bodies of a checked scene, whose walls and bodies `boundaries` holds in this order;
    /// these become the bodies' surfaces.
    ///
    /// # Errors
    /// Names the body that cannot be made and why.
    pub fn new(scene: &Scene, boundaries: &mut Boundaries) -> Result<Self, BodyError> {
        let bodies = Self::for_state(scene, boundaries)?;
        if !bodies.is_empty() {
            bodies.check_overlaps(scene, boundaries)?;
        }
        Ok(bodies)
    }

    /// The same for a state that is restored next: boundaries are anywhere, and may overlap as far as a step leaves them.
    ///
    /// # Errors
    /// As [`Bodies::new`].
    pub fn for_state(scene: &Scene, boundaries: &mut Boundaries) -> Result<Self, BodyError> {
        let mut bodies = Self::default();
        if scene.body.is_empty() {
            return Ok(bodies);
        }
        let region = region(scene);
        bodies.world.integration_parameters.length_unit = typical_size(scene);
        for (boundary, settings) in scene.boundary.iter().enumerate() {
            let solid = Solid::of_wall(&settings.shape, region)
                .map_err(|error| BodyError::Wall { name: settings.name.clone(), error })?;
            let builder = match settings.motion {
                Some(_) => RigidBodyBuilder::kinematic_position_based(),
                None => RigidBodyBuilder::fixed(),
            };
            let friction = settings.friction.unwrap_or(DEFAULT_FRICTION);
            let handle = bodies.insert(builder, solid, friction, 0.0, boundaries, boundary);
            bodies.walls.push(Wall { handle, boundary });
        }
        for (k, settings) in scene.body.iter().enumerate() {
            let boundary = scene.boundary.len() + k;
            let sampled = Sampled::new(scene, settings)
                .map_err(|error| BodyError::Solid { name: settings.name.clone(), error })?;
            bodies.add_body(settings, sampled, region, boundaries, boundary)?;
            boundaries.attach(boundary, k as u32, settings.kind == BodyKind::Dynamic);
        }
        bodies.add_joints(scene, boundaries);
        bodies.place(boundaries);
        Ok(bodies)
    }

    fn add_body(
        &mut self,
        settings: &BodySettings,
        particles: Option<Sampled>,
        region: (Vec3, Vec3),
        boundaries: &Boundaries,
        boundary: usize,
    ) -> Result<(), BodyError> {
        let wrong = |error: SolidError| BodyError::Solid { name: settings.name.clone(), error };
        let (builder, solid) = match settings.kind {
            BodyKind::Dynamic => {
                let mass = mass_properties(&settings.shape, settings.density).map_err(wrong)?;
                let degrees = Vec3::from(settings.angular_velocity);
                let builder = RigidBodyBuilder::dynamic()
                    .additional_mass_properties(mass)
                    .linvel(Vec3::from(settings.velocity))
                    .angvel(degrees * (std::f32::consts::PI / 180.0))
                    .can_sleep(false)
                    .gyroscopic_forces_enabled(true);
                // Where particles meet walls and bodies, no collider does.
                let solid = match &particles {
                    None => Solid::of_body(&settings.shape).map_err(wrong)?,
                    Some(_) => Solid { parts: Vec::new() },
                };
                (builder, solid)
            }
            BodyKind::Keyframed => (
                RigidBodyBuilder::kinematic_position_based(),
                Solid::of_wall(&settings.shape, region).map_err(wrong)?,
            ),
            BodyKind::Static => {
                (RigidBodyBuilder::fixed(), Solid::of_wall(&settings.shape, region).map_err(wrong)?)
            }
        };
        let friction = settings.friction.unwrap_or(DEFAULT_FRICTION);
        let handle = self.insert(builder, solid, friction, settings.restitution, boundaries, boundary);
        self.list.push(Body {
            name: settings.name.clone(),
            kind: settings.kind,
            handle,
            boundary,
            load: Wrench::default(),
            flight: particles.as_ref().and_then(|_| Flight::of(&self.world.bodies[handle])),
            particles,
        });
        Ok(())
    }

    fn add_joints(&mut self, scene: &Scene, boundaries: &Boundaries) {
        if scene.joint.is_empty() {
            return;
        }
        let world = self.world.insert_body(RigidBodyBuilder::fixed());
        for settings in &scene.joint {
            let [first, second] = settings.bodies.each_ref().map(|name| {
                let body = self.list.iter().find(|body| body.name == *name);
                let pose = body.and_then(|body| boundaries.iter().nth(body.boundary)).map(Boundary::pose);
                (body.map_or(world, |body| body.handle), pose.unwrap_or(Pose::IDENTITY))
            });
            self.world.insert_impulse_joint(first.0, second.0, joint(settings, &first.1, &second.1));
        }
    }

    fn insert(
        &mut self,
        builder: RigidBodyBuilder,
        solid: Solid,
        friction: f32,
        restitution: f32,
        boundaries: &Boundaries,
        boundary: usize,
    ) -> RigidBodyHandle {
        let pose = boundaries.iter().nth(boundary).map_or(Pose::IDENTITY, |b| b.pose());
        let handle = self.world.insert_body(builder.pose(rapier_pose(&pose)));
        for (pose, shape) in solid.parts {
            let collider = ColliderBuilder::new(shape)
                .position(pose)
                .friction(friction)
                .restitution(restitution)
                .density(0.0);
            self.world.insert_collider(collider, Some(handle));
        }
        let World { bodies, colliders } = World::of(&mut self.world);
        if let Some(body) = bodies.get_mut(handle) {
            body.recompute_mass_properties_from_colliders(colliders);
        }
        handle
    }

    /// Refuses bodies that begin in each other or in a wall; those of a joint may.
    fn check_overlaps(&self, scene: &Scene, boundaries: &Boundaries) -> Result<(), BodyError> {
        let surfaces: Vec<(&Boundary, Vec<Vec3>)> =
            boundaries.iter().map(|boundary| (boundary, surface_points(boundary))).collect();
        for body in self.list.iter().filter(|body| body.kind == BodyKind::Dynamic) {
            let (own, points) = &surfaces[body.boundary];
            let size = own.sdf().bounds().map_or(1.0, |(min, max)| (max - min).max_element());
            for (k, (other, other_points)) in surfaces.iter().enumerate() {
                let jointed = |joint: &JointSettings| {
                    joint.bodies.contains(&body.name) && joint.bodies.iter().any(|name| name == other.name())
                };
                if k == body.boundary || scene.joint.iter().any(jointed) {
                    continue;
                }
                let depth = depth_in(other, points).max(depth_in(own, other_points));
                if depth > LARGEST_OVERLAP * size {
                    let (first, second) = (body.name.clone(), other.name().to_string());
                    return Err(BodyError::Overlap { first, second, depth });
                }
            }
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any moves freely.
    pub fn any_free(&self) -> bool {
        self.list.iter().any(|body| body.kind == BodyKind::Dynamic)
    }

    /// The bodies' motions at the end of a step of `dt` [s] if no grain touched them.
    pub fn free_motions(&self, boundaries: &Boundaries, gravity: Vec3, dt: f32) -> Vec<BodyMotion> {
        let motion = |body: &Body| {
            if body.kind != BodyKind::Dynamic {
                return boundaries
                    .iter()
                    .nth(body.boundary)
                    .map_or(BodyMotion::default(), BodyMotion::of_boundary);
            }
            let motion = body.motion(&self.world);
            BodyMotion { linear: motion.linear + dt * gravity, ..motion }
        };
        self.list.iter().map(motion).collect()
    }

    /// Pushes a free body by an impulse [N s] at a point \[m\], or else at its centre of mass; its boundary moves as it does
    /// from then on. False, and nothing changed, if there is no such body, or if its velocities would not be finite.
    pub fn push(
        &mut self,
        body: usize,
        impulse: Vec3,
        point: Option<Vec3>,
        boundaries: &mut Boundaries,
    ) -> bool {
        let body = self.list.get_mut(body).filter(|body| body.kind == BodyKind::Dynamic);
        let Some(body) = body else { return false };
        let motion = body.motion(&self.world);
        let Some(rapier) = self.world.bodies.get_mut(body.handle) else { return false };
        let arm = point.map_or(Vec3::ZERO, |point| point - motion.center);
        let wrench = Wrench { force: impulse.as_dvec3(), torque: arm.as_dvec3().cross(impulse.as_dvec3()) };
        let pushed = motion.pushed(&wrench, 1.0);
        if !pushed.linear.is_finite() || !pushed.angular.is_finite() {
            return false;
        }
        rapier.set_linvel(pushed.linear, true);
        rapier.set_angvel(pushed.angular, true);
        if let Some(flight) = body.flight.as_mut() {
            flight.set_velocities(pushed.linear, pushed.angular);
        }
        self.place(boundaries);
        true
    }

    /// Moves all bodies through a step of `dt` [s] under gravity, contacts among them and the grains' `loads`, and puts
    /// their boundaries where they are then.
    pub fn step(&mut self, dt: f64, gravity: Vec3, loads: &[Wrench], boundaries: &mut Boundaries) {
        for (body, load) in self.list.iter_mut().zip(loads) {
            if body.particles.is_some() {
                continue;
            }
            body.load = *load;
            if body.kind == BodyKind::Dynamic
                && let Some(rapier) = self.world.bodies.get_mut(body.handle)
            {
                rapier.apply_impulse((dt * load.force).as_vec3(), true);
                rapier.apply_torque_impulse((dt * load.torque).as_vec3(), true);
            }
        }
        self.lead(dt as f32, boundaries);
        self.world.gravity = gravity;
        self.world.integration_parameters.dt = dt as f32;
        self.world.step();
        self.place(boundaries);
    }

    /// Tells rapier where keyframed bodies, and static ones and walls that a command leads, go in a step of `dt` [s]. Those that a command leads jump from pose to
    /// pose, but push no faster than the command says.
    pub(super) fn lead(&mut self, dt: f32, boundaries: &Boundaries) {
        let led = self.list.iter().filter(|body| body.kind != BodyKind::Dynamic);
        let led = led.map(|body| (body.handle, body.boundary));
        for (handle, boundary) in led.chain(self.walls.iter().map(|wall| (wall.handle, wall.boundary))) {
            let Some(boundary) = boundaries.iter().nth(boundary) else { continue };
            if let Some(rapier) = self.world.bodies.get_mut(handle).filter(|_| boundary.moves()) {
                if rapier.is_fixed() {
                    rapier.set_body_type(rapier3d::prelude::RigidBodyType::KinematicPositionBased, true);
                }
                if let Some(start) = boundary.led_from(dt) {
                    rapier.set_position(rapier_pose(&start), true);
                }
                rapier.set_next_kinematic_position(rapier_pose(&boundary.pose()));
            }
        }
    }

    /// Puts the boundaries of free bodies where rapier has them.
    fn place(&self, boundaries: &mut Boundaries) {
        for body in self.list.iter().filter(|body| body.kind == BodyKind::Dynamic) {
            if let Some(flight) = &body.flight {
                flight.place(body.boundary, flight.body.angular_velocity(), boundaries);
                continue;
            }
            let rapier = &self.world.bodies[body.handle];
            let center = rapier.center_of_mass();
            boundaries.place(body.boundary, pose_of(rapier), center, rapier.linvel(), rapier.angvel());
        }
    }

    /// The bodies between two steps.
    pub fn reports(&self, boundaries: &Boundaries) -> Vec<BodyReport> {
        let report = |body: &Body| {
            let boundary = boundaries.iter().nth(body.boundary)?;
            let motion = BodyMotion::of_boundary(boundary);
            let free = body.kind == BodyKind::Dynamic;
            let rapier = &self.world.bodies[body.handle];
            Some(BodyReport {
                name: body.name.clone(),
                kind: body.kind,
                mass: if free { rapier.mass() } else { 0.0 },
                center: if free { body.motion(&self.world).center } else { motion.center },
                pose: boundary.pose(),
                velocity: motion.linear,
                angular_velocity: motion.angular,
                force: body.load.force.as_vec3(),
                torque: body.load.torque.as_vec3(),
            })
        };
        self.list.iter().filter_map(report).collect()
    }

    /// Takes over how the bodies and walls move that a scene with fewer bodies had; the others stay as they are. What contacts
    /// among bodies remembered is not kept.
    pub fn take_over(&mut self, known: &Self, boundaries: &mut Boundaries) {
        let bodies = self.list.iter().zip(&known.list).map(|(own, other)| (own.handle, other.handle));
        let walls = self.walls.iter().zip(&known.walls).map(|(own, other)| (own.handle, other.handle));
        for (own, other) in bodies.chain(walls) {
            let Some(other) = known.world.bodies.get(other) else { continue };
            if let Some(own) = self.world.bodies.get_mut(own) {
                own.set_body_type(other.body_type(), true);
                own.set_position(*other.position(), true);
                own.set_linvel(other.linvel(), true);
                own.set_angvel(other.angvel(), true);
            }
        }
        for (own, other) in self.list.iter_mut().zip(&known.list) {
            own.load = other.load;
            own.flight = other.flight;
        }
        self.place(boundaries);
    }

    /// Rapier's world and the last loads, for [`Bodies::restore`]; nothing where there are no bodies.
    pub fn save(&self) -> Result<Vec<u8>, postcard::Error> {
        if self.list.is_empty() {
            return Ok(Vec::new());
        }
        let loads: Vec<[[f64; 3]; 2]> =
            self.list.iter().map(|b| [b.load.force.to_array(), b.load.torque.to_array()]).collect();
        let flights: Vec<Option<Flight>> = self.list.iter().map(|body| body.flight).collect();
        postcard::to_stdvec(&(&self.world, loads, flights))
    }

    /// Takes over what [`Bodies::save`] gave for the same scene. False where it is something else.
    pub fn restore(&mut self, bytes: &[u8], boundaries: &mut Boundaries) -> bool {
        if self.list.is_empty() {
            return bytes.is_empty();
        }
        type Saved = (PhysicsWorld, Vec<[[f64; 3]; 2]>, Vec<Option<Flight>>);
        let Ok((world, loads, flights)) = postcard::from_bytes::<Saved>(bytes) else {
            return false;
        };
        let sound = |handle: RigidBodyHandle| {
            world.bodies.get(handle).is_some_and(|body| {
                body.position().is_finite() && body.linvel().is_finite() && body.angvel().is_finite()
            })
        };
        let known = self.list.iter().map(|b| b.handle).chain(self.walls.iter().map(|w| w.handle)).all(sound);
        let flying = flights.len() == self.list.len() && flights.iter().flatten().all(Flight::is_finite);
        if !known
            || !flying
            || loads.len() != self.list.len()
            || world.bodies.len() != self.world.bodies.len()
        {
            return false;
        }
        self.world = world;
        for ((body, [force, torque]), flight) in self.list.iter_mut().zip(loads).zip(flights) {
            body.load = Wrench { force: force.into(), torque: torque.into() };
            body.flight = flight;
        }
        self.place(boundaries);
        true
    }
}

/// Rapier's sets, borrowed apart.
struct World<'a> {
    bodies: &'a mut rapier3d::prelude::RigidBodySet,
    colliders: &'a rapier3d::prelude::ColliderSet,
}

impl<'a> World<'a> {
    fn of(world: &'a mut PhysicsWorld) -> Self {
        Self { bodies: &mut world.bodies, colliders: &world.colliders }
    }
}

/// How a free body moves now.
pub(super) fn motion_of(rapier: &RigidBody) -> BodyMotion {
    let properties = &rapier.mass_properties().local_mprops;
    let inertia = properties.world_inv_inertia(rapier.rotation());
    BodyMotion {
        center: rapier.center_of_mass(),
        linear: rapier.linvel(),
        angular: rapier.angvel(),
        inverse_mass: properties.inv_mass,
        inverse_inertia: Mat3::from_cols(
            Vec3::new(inertia.m11, inertia.m12, inertia.m13),
            Vec3::new(inertia.m12, inertia.m22, inertia.m23),
            Vec3::new(inertia.m13, inertia.m23, inertia.m33),
        ),
    }
}

pub(super) fn rapier_pose(pose: &Pose) -> RapierPose {
    RapierPose::from_parts(pose.translation, pose.rotation)
}

fn pose_of(body: &RigidBody) -> Pose {
    let rotation: Quat = *body.rotation();
    Pose { rotation, translation: body.translation() }
}

/// Points on the surface of a bounded solid, in the world \[m\]; none for one without bounds.
fn surface_points(boundary: &Boundary) -> Vec<Vec3> {
    let Some(bounds) = boundary.sdf().bounds() else { return Vec::new() };
    let points = boundary.sdf().surface_mesh(bounds, OVERLAP_CELLS).position;
    points.into_iter().map(|point| boundary.pose().world_from_body(point)).collect()
}

/// How deep the deepest of some points lies in a solid \[m\]; 0 outside.
fn depth_in(solid: &Boundary, points: &[Vec3]) -> f32 {
    points.iter().map(|point| -solid.distance(*point)).fold(0.0, f32::max)
}

/// The region around all grains and bodies, in which walls become triangles.
fn region(scene: &Scene) -> (Vec3, Vec3) {
    let shapes = scene.grains.iter().map(|grains| &grains.shape).chain(scene.body.iter().map(|b| &b.shape));
    let bounds = shapes.filter_map(|shape| Sdf::new(shape).ok()?.bounds());
    let (min, max) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((-Vec3::ONE, Vec3::ONE));
    let room = (max - min).max_element();
    (min - room, max + room)
}

/// Mean size of the free bodies \[m\]: rapier's tolerances are relative to it.
fn typical_size(scene: &Scene) -> f32 {
    let free = scene.body.iter().filter(|body| body.kind == BodyKind::Dynamic);
    let sizes: Vec<f32> = free
        .filter_map(|body| Sdf::new(&body.shape).ok()?.bounds())
        .map(|(min, max)| (max - min).max_element())
        .collect();
    if sizes.is_empty() { 1.0 } else { sizes.iter().sum::<f32>() / sizes.len() as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;
    use crate::scene::{Fill, GrainsSettings};

    #[test]
    fn walls_are_turned_into_triangles_as_far_as_the_scene_s_size_beyond_it() {
        let mut scene = Scene::new("region");
        let shape = Shape::Box { min: [0.0, 1.0, 0.0], max: [2.0, 2.0, 0.5], hollow: false };
        let (material, fill) = ("sand".into(), Fill::default());
        scene.grains.push(GrainsSettings {
            material,
            shape,
            fill,
            velocity: [0.0; 3],
            radius: None,
            grain: Default::default(),
            fixed: false,
        });
        assert_eq!(region(&scene), (Vec3::new(-2.0, -1.0, -2.0), Vec3::new(4.0, 4.0, 2.5)));
    }
}
