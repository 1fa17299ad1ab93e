//! Bodies of a crate that was compiled without them: there are none, and scenes that have some are refused.

use glam::Vec3;

use super::ParticleBody;
use super::error::BodyError;
use super::motion::{BodyMotion, Wrench};
use super::report::BodyReport;
use crate::assemblies::Assembly;
use crate::boundary::Boundaries;
use crate::scene::Scene;

/// No bodies.
#[derive(Default)]
pub struct Bodies;

impl Bodies {
    /// The bodies of a scene that has none.
    ///
    /// # Errors
    /// Names the first body, and the feature that it needs.
    pub fn new(scene: &Scene, _boundaries: &mut Boundaries) -> Result<Self, BodyError> {
        match scene.body.first() {
            Some(body) => Err(BodyError::NotCompiled { name: body.name.clone() }),
            None => Ok(Self),
        }
    }

    /// As [`Bodies::new`].
    ///
    /// # Errors
    /// The same.
    pub fn for_state(scene: &Scene, boundaries: &mut Boundaries) -> Result<Self, BodyError> {
        Self::new(scene, boundaries)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        true
    }

    /// Whether any moves freely.
    pub fn any_free(&self) -> bool {
        false
    }

    /// The motions of no bodies.
    pub fn free_motions(&self, _boundaries: &Boundaries, _gravity: Vec3, _dt: f32) -> Vec<BodyMotion> {
        Vec::new()
    }

    /// Moves nothing.
    pub fn step(&mut self, _dt: f64, _gravity: Vec3, _loads: &[Wrench], _boundaries: &mut Boundaries) {}

    /// Moves nothing.
    pub fn kick_and_drift(&mut self, _dt: f64, _boundaries: &mut Boundaries) {}

    /// Moves nothing.
    pub fn kick(&mut self, _dt: f64, _gravity: Vec3, _loads: &[Wrench], _boundaries: &mut Boundaries) {}

    /// No bodies.
    pub fn assemblies(&mut self) -> Vec<Option<Assembly>> {
        Vec::new()
    }

    /// No forces.
    pub fn loads(&self) -> Vec<Wrench> {
        Vec::new()
    }

    /// Takes over nothing.
    pub fn take_back(
        &mut self,
        _moved: &[Option<Assembly>],
        _loads: &[Wrench],
        _gravity: Vec3,
        _boundaries: &mut Boundaries,
    ) {
    }

    /// Changes nothing.
    pub fn visit(&mut self, _dt: f64, _boundaries: &mut Boundaries) {}

    /// Pushes nothing, and says so.
    pub fn push(
        &mut self,
        _body: usize,
        _impulse: Vec3,
        _point: Option<Vec3>,
        _boundaries: &mut Boundaries,
    ) -> bool {
        false
    }

    /// Takes over nothing.
    pub fn take_over(&mut self, _known: &Self, _boundaries: &mut Boundaries) {}

    /// No bodies.
    pub fn made_of_particles(&self) -> Vec<ParticleBody> {
        Vec::new()
    }

    /// No body.
    pub fn assembly(&self, _body: usize) -> Option<Assembly> {
        None
    }

    /// Moves nothing.
    pub fn carry(&mut self, _body: usize, _moved: &Assembly, _load: Wrench, _boundaries: &mut Boundaries) {}

    /// The reports of no bodies.
    pub fn reports(&self, _boundaries: &Boundaries) -> Vec<BodyReport> {
        Vec::new()
    }

    /// The state of no bodies, as [`Bodies::restore`] takes it.
    pub fn save(&self) -> Result<Vec<u8>, postcard::Error> {
        Ok(Vec::new())
    }

    /// Takes over the state of no bodies. False where it is something else.
    pub fn restore(&mut self, bytes: &[u8], _boundaries: &mut Boundaries) -> bool {
        bytes.is_empty()
    }
}
