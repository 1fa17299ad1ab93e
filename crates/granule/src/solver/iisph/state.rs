//! The solver's own columns, beside those of the particles.

use glam::Vec4;

use rayon::prelude::*;

use crate::material::Material;
use crate::neighbors::Permutation;
use crate::particles::retain_column;
use crate::sym3::Sym3;

use super::rheology::return_to_cone;
use super::walls::{WallContact, WallContacts};

/// Share of the last step's pressure that a plain fluid starts from.
const FLUID_WARM_START: f32 = 0.5;

/// A neighbour with the gradient of its kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Pair {
    /// G_ij = V grad_i W_ij [1/m].
    pub gradient: [f32; 3],
    /// Index of the neighbour.
    pub neighbor: u32,
}

/// Columns of the solver. `pressure`, `stress` and `contacts` are state; the rest is found anew in every step.
#[derive(Clone, Debug, Default)]
pub struct IisphState {
    /// Pressure p [Pa].
    pub pressure: Vec<f32>,
    /// Frictional stress s [Pa]: symmetric, without trace.
    pub stress: Vec<Sym3>,
    /// Walls near particles and their impulses.
    pub contacts: WallContacts,
    /// Pairs per block, in the order of the neighbour lists.
    pub pairs: Vec<Vec<Pair>>,
    /// Density relative to rest [1].
    pub density: Vec<f32>,
    /// Sum of G_ij over the neighbours [1/m].
    pub gradient_sum: Vec<Vec4>,
    /// Diagonal A of the pressure system [m/kg]: response of the divergence to the particle's own pressure.
    pub diagonal: Vec<f32>,
    /// Velocity without pressure, friction and walls [m/s].
    pub predicted: Vec<Vec4>,
    /// Velocity with everything [m/s].
    pub velocity: Vec<Vec4>,
    /// Acceleration from walls [m/s2].
    pub wall_acceleration: Vec<Vec4>,
    /// Columns of p I + s [Pa].
    pub total_stress: Vec<[Vec4; 3]>,
    /// Stress before projection in explicit friction [Pa].
    pub trial_stress: Vec<Sym3>,
    /// Norm of the deviatoric strain rate [1/s].
    pub strain_rate: Vec<f32>,
}

impl IisphState {
    /// Makes room for `count` particles; new ones start without load.
    pub fn resize(&mut self, count: usize) {
        self.pressure.resize(count, 0.0);
        self.stress.resize(count, Sym3::ZERO);
        self.density.resize(count, 0.0);
        self.gradient_sum.resize(count, Vec4::ZERO);
        self.diagonal.resize(count, 0.0);
        self.predicted.resize(count, Vec4::ZERO);
        self.velocity.resize(count, Vec4::ZERO);
        self.wall_acceleration.resize(count, Vec4::ZERO);
        self.total_stress.resize(count, [Vec4::ZERO; 3]);
        self.strain_rate.resize(count, 0.0);
    }

    /// Reorders the columns that outlive a step.
    pub fn permute(&mut self, order: &Permutation) {
        order.apply(&mut self.pressure);
        order.apply(&mut self.stress);
        order.apply(&mut self.density);
        order.apply(&mut self.strain_rate);
    }

    /// Keeps the particles for which `keep` holds.
    pub fn retain(&mut self, keep: &[bool]) {
        retain_column(&mut self.pressure, keep);
        retain_column(&mut self.stress, keep);
        retain_column(&mut self.density, keep);
        retain_column(&mut self.strain_rate, keep);
        self.contacts.retain(keep);
        self.resize(self.pressure.len());
    }

    /// Takes over the last step's pressure, stress and wall impulses, projected on this step's limits.
    pub fn warm_start(&mut self, materials: &[Material], material: &[u16], explicit: bool) {
        let columns = (
            self.pressure.par_iter_mut(),
            self.stress.par_iter_mut(),
            self.total_stress.par_iter_mut(),
            self.wall_acceleration.par_iter_mut(),
            material.par_iter(),
            self.strain_rate.par_iter(),
        );
        let contacts = &self.contacts;
        columns.into_par_iter().enumerate().for_each(
            |(i, (pressure, stress, total, wall, &material, &strain_rate))| {
                let material = &materials[material as usize];
                if explicit || material.is_fluid() {
                    *pressure *= FLUID_WARM_START;
                }
                *stress = return_to_cone(*stress, material.yield_limit(*pressure, strain_rate));
                *total = stress.columns_plus_identity(*pressure);
                let push = |c: &WallContact| (c.normal * c.sample.normal + c.tangent).extend(0.0);
                *wall = contacts.of(i).iter().map(push).sum();
            },
        );
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let columns = 4 * 4 + 24 + 4 * 16 + 48;
        let pairs: usize = self.pairs.iter().map(|p| p.capacity() * size_of::<Pair>()).sum();
        self.pressure.capacity() * columns + pairs + self.contacts.bytes()
    }
}
