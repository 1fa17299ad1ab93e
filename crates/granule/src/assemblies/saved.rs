//! Assemblies in a checkpoint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Assemblies, Assembly, Member, NO_ASSEMBLY};

/// All of the assemblies that outlives a step. Members are known by the ids of their particles, so the order of these may
/// differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedAssemblies {
    /// In the order of ids.
    pub assembly: Vec<Assembly>,
    /// Members per assembly.
    pub member_count: Vec<u32>,
    /// The members of all, one assembly after the other.
    pub member: Vec<Member>,
    /// The id that the next assembly will get.
    pub next_id: u32,
}

/// Assemblies of a checkpoint that cannot be taken over.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum AssembliesError {
    /// Counts or ids that contradict each other.
    #[error("assemblies whose members or ids contradict each other")]
    Contradiction,
    /// A particle that does not exist or belongs to two.
    #[error("assemblies of particles that do not exist, or that belong to several")]
    Particles,
    /// A number that is not one, or no rigid body's.
    #[error("assembly {0}: its pose, momenta or inertia are not those of a rigid body")]
    Unsound(u32),
}

impl Assemblies {
    /// What a checkpoint holds.
    pub fn save(&self) -> SavedAssemblies {
        SavedAssemblies {
            assembly: self.assembly.clone(),
            member_count: (0..self.len()).map(|k| self.members(k).len() as u32).collect(),
            member: self.member.clone(),
            next_id: self.next_id,
        }
    }

    /// The assemblies of a checkpoint among particles with these ids, in their order.
    ///
    /// # Errors
    /// Says what is impossible.
    pub fn restore(saved: SavedAssemblies, particle: &[u32]) -> Result<Self, AssembliesError> {
        saved.check()?;
        let mut first = vec![0];
        for count in &saved.member_count {
            first.push(first[first.len() - 1] + count);
        }
        let place_of: BTreeMap<u32, usize> = particle.iter().copied().zip(0..).collect();
        let mut assemblies = Self {
            middle: saved.assembly.iter().map(Assembly::angular_velocity).collect(),
            place: vec![0; saved.member.len()],
            assembly_of: vec![NO_ASSEMBLY; particle.len()],
            member_of: vec![0; particle.len()],
            assembly: saved.assembly,
            first,
            member: saved.member,
            next_id: saved.next_id,
        };
        for k in 0..assemblies.len() {
            for m in assemblies.range(k) {
                let place =
                    *place_of.get(&assemblies.member[m].particle).ok_or(AssembliesError::Particles)?;
                if assemblies.assembly_of[place] != NO_ASSEMBLY {
                    return Err(AssembliesError::Particles);
                }
                assemblies.assembly_of[place] = k as u32;
                assemblies.member_of[place] = m as u32;
            }
        }
        assemblies.find_places();
        Ok(assemblies)
    }
}

impl SavedAssemblies {
    fn check(&self) -> Result<(), AssembliesError> {
        let members: u64 = self.member_count.iter().map(|count| u64::from(*count)).sum();
        let ids = self.assembly.windows(2).all(|pair| pair[0].id < pair[1].id);
        let newest = self.assembly.last().is_none_or(|assembly| assembly.id < self.next_id);
        let counts = self.member_count.len() == self.assembly.len() && members == self.member.len() as u64;
        if !ids || !newest || !counts || self.member_count.contains(&0) {
            return Err(AssembliesError::Contradiction);
        }
        let sound = |assembly: &Assembly| {
            let properties = &assembly.properties;
            let unit = |q: glam::DQuat| (q.length() - 1.0).abs() < 1e-9;
            let inertia = properties.inertia;
            assembly.is_finite()
                && unit(assembly.orientation)
                && unit(properties.shape_from_principal)
                && properties.mass.is_finite()
                && properties.mass > 0.0
                && inertia.is_finite()
                && inertia.cmpgt(glam::DVec3::ZERO).all()
        };
        if let Some(assembly) = self.assembly.iter().find(|assembly| !sound(assembly)) {
            return Err(AssembliesError::Unsound(assembly.id));
        }
        let spheres =
            |member: &Member| member.offset.is_finite() && member.radius.is_finite() && member.radius > 0.0;
        match self.member.iter().position(|member| !spheres(member)) {
            None => Ok(()),
            Some(_) => Err(AssembliesError::Contradiction),
        }
    }
}
