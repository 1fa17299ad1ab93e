//! Checks of rigid bodies, joints and meshes.

use super::super::error::{Problem, ProblemKind};
use super::super::schema::{
    BodyCoupling, BodyKind, BodySettings, JointKind, JointSettings, Scene, WORLD, no_shape,
};
use super::{
    Check, check_motion, check_names, check_shape, direction, ensure, finite, finite_all, list, names,
    not_negative, positive, range,
};
use crate::boundary::MeshShape;

impl Scene {
    pub(super) fn check_bodies(&self) -> Check {
        check_names("body", &names(&self.body, |body| &body.name))?;
        for (i, body) in self.body.iter().enumerate() {
            let path = format!("body.{i}");
            // Grains see both, and commands find them by name.
            ensure(self.boundary.iter().all(|wall| wall.name != body.name), || {
                let allowed = "a boundary has this name; names of bodies and boundaries must differ";
                Problem::new(ProblemKind::Name, &format!("{path}.name"), &body.name, allowed)
            })?;
            check_body(&path, body)?;
        }
        check_names("joint", &names(&self.joint, |joint| &joint.name))?;
        for (i, joint) in self.joint.iter().enumerate() {
            self.check_joint(&format!("joint.{i}"), joint)?;
        }
        Ok(())
    }

    fn check_joint(&self, path: &str, joint: &JointSettings) -> Check {
        let at = |key: &str| format!("{path}.{key}");
        let known: Vec<&str> =
            self.body.iter().map(|body| body.name.as_str()).chain(std::iter::once(WORLD)).collect();
        for (i, name) in joint.bodies.iter().enumerate() {
            ensure(known.contains(&name.as_str()), || {
                let allowed = format!("no such body; the scene has: {}", known.join(", "));
                Problem::new(ProblemKind::Name, &at(&format!("bodies.{i}")), name, allowed)
                    .with_nearest(known.iter().copied())
            })?;
        }
        for (i, name) in joint.bodies.iter().enumerate() {
            let made = |body: &&BodySettings| body.name == *name && body.coupling == BodyCoupling::Particles;
            ensure(!self.body.iter().any(|body| made(&body)), || {
                let allowed =
                    "a body without coupling = \"particles\": joints are for bodies that rapier moves";
                Problem::new(ProblemKind::Address, &at(&format!("bodies.{i}")), name, allowed)
            })?;
        }
        let kind_of = |name: &String| self.body.iter().find(|b| b.name == *name).map(|body| body.kind);
        let free = joint.bodies.iter().any(|name| kind_of(name) == Some(BodyKind::Dynamic));
        let differ = joint.bodies[0] != joint.bodies[1];
        range(free && differ, &at("bodies"), list(&joint.bodies), || {
            "two different bodies, one of them dynamic".into()
        })?;
        finite_all(&at("anchor"), &joint.anchor)?;
        direction(&at("axis"), &joint.axis)?;
        let turns_or_slides = matches!(joint.kind, JointKind::Hinge | JointKind::Slider);
        if let Some(limits) = joint.limits {
            let sound = turns_or_slides && limits[0] <= 0.0 && limits[1] >= 0.0;
            range(sound && limits.iter().all(|l| l.is_finite()), &at("limits"), list(&limits), || {
                "[from, to] around 0, for hinges and sliders only".into()
            })?;
        }
        if let Some(motor) = joint.motor {
            range(turns_or_slides, &at("motor"), "a motor", || "hinges and sliders only".into())?;
            finite(&at("motor.speed"), motor.speed)?;
            positive(&at("motor.strength"), motor.strength)?;
        }
        Ok(())
    }
}

fn check_body(path: &str, body: &BodySettings) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    ensure(body.shape != no_shape(), || {
        let allowed = "give it a `shape`, or a `mesh`, which is a file";
        Problem::new(ProblemKind::Address, path, "a body without a shape", allowed)
    })?;
    check_shape(&at("shape"), &body.shape)?;
    positive(&at("density"), body.density)?;
    range((1e-3..=1e6).contains(&body.density), &at("density"), body.density, || {
        "from 0.001 to 1e6 kg/m3".into()
    })?;
    finite_all(&at("velocity"), &body.velocity)?;
    finite_all(&at("angular_velocity"), &body.angular_velocity)?;
    if let Some(friction) = body.friction {
        not_negative(&at("friction"), friction)?;
    }
    if let Some(friction) = body.rolling_friction {
        not_negative(&at("rolling_friction"), friction)?;
    }
    range((0.0..=1.0).contains(&body.restitution), &at("restitution"), body.restitution, || {
        "from 0 to 1".into()
    })?;
    let within = body.albedo.iter().all(|part| (0.0..=1.0).contains(part));
    range(within, &at("albedo"), list(&body.albedo), || "three numbers from 0 to 1".into())?;
    let keyframed = body.kind == BodyKind::Keyframed;
    ensure(body.motion.is_some() == keyframed, || {
        let (found, allowed) = if keyframed {
            ("a keyframed body without `motion`", "give it a `motion`, or make it `static`")
        } else {
            ("a `motion` for a body that is not keyframed", "set kind = \"keyframed\", or leave `motion` out")
        };
        Problem::new(ProblemKind::Address, &at("motion"), found, allowed)
    })?;
    let moving = body.velocity != [0.0; 3] || body.angular_velocity != [0.0; 3];
    range(!moving || body.kind == BodyKind::Dynamic, &at("velocity"), list(&body.velocity), || {
        "0 for bodies that are not dynamic: `motion` moves keyframed ones".into()
    })?;
    check_coupling(path, body)?;
    body.motion.as_ref().map_or(Ok(()), |motion| check_motion(&at("motion"), motion))
}

/// Only dynamic bodies are made of particles, and only those have a radius of particles.
fn check_coupling(path: &str, body: &BodySettings) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    let made = body.coupling == BodyCoupling::Particles;
    ensure(!made || body.kind == BodyKind::Dynamic, || {
        let allowed = "`coupling` left out: bodies that are not dynamic meet grains by their surfaces";
        Problem::new(
            ProblemKind::Address,
            &at("coupling"),
            "particles of a body that is not dynamic",
            allowed,
        )
    })?;
    let Some(radius) = body.particle_radius else { return Ok(()) };
    ensure(made, || {
        let allowed = "set coupling = \"particles\", or leave it out";
        Problem::new(ProblemKind::Address, &at("particle_radius"), "a body without particles", allowed)
    })?;
    positive(&at("particle_radius"), radius)
}

pub(super) fn check_mesh(path: &str, mesh: &MeshShape) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    ensure(!mesh.file.trim().is_empty(), || {
        Problem::new(ProblemKind::Name, &at("file"), "", "must be the path of a mesh, or builtin:NAME")
    })?;
    positive(&at("scale"), mesh.scale)?;
    if let Some(size) = mesh.size {
        positive(&at("size"), size)?;
    }
    direction(&at("axis"), &mesh.axis)?;
    finite(&at("angle"), mesh.angle)?;
    finite_all(&at("position"), &mesh.position)
}
