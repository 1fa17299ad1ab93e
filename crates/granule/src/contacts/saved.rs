//! Contact memory in checkpoints, in a form that every solver and device can read.

use serde::{Deserialize, Serialize};

use super::memory::ContactMemory;
use super::{ContactState, Partner};

/// Why saved contacts cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContactError {
    /// Not as many as the particles are said to have, or of another solver.
    #[error("contacts that do not belong to the particles")]
    Count,
    /// A partner that does not exist.
    #[error("a contact with a wall or particle that does not exist")]
    Partner,
    /// A number is infinite or not a number.
    #[error("`contacts` hold a value that is not finite")]
    NotFinite,
}

/// Contacts of particles in memory order; those without any state are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedContacts {
    /// Numbers per contact.
    pub width: u16,
    /// Contacts per particle; empty where the solver remembers none.
    pub count: Vec<u16>,
    /// Partners, particle by particle.
    pub partner: Vec<Partner>,
    /// States, `width` numbers for every partner.
    pub state: Vec<f32>,
}

/// Numbers per contact.
const fn width<S>() -> usize {
    assert!(size_of::<S>().is_multiple_of(4), "a record of f32 numbers");
    size_of::<S>() / 4
}

impl SavedContacts {
    /// The contacts of particles, `of` giving those of each of `count`.
    pub fn new<S: ContactState, I: Iterator<Item = (Partner, S)>>(
        count: usize,
        mut of: impl FnMut(usize) -> I,
    ) -> Self {
        let mut saved = Self { width: width::<S>() as u16, ..Self::default() };
        for i in 0..count {
            let before = saved.partner.len();
            for (partner, state) in of(i).filter(|(_, state)| *state != S::zeroed()) {
                saved.partner.push(partner);
                saved.state.extend_from_slice(bytemuck::cast_slice(&[state]));
            }
            saved.count.push((saved.partner.len() - before) as u16);
        }
        saved
    }

    /// All contacts, particle by particle; of checked contacts only.
    pub fn contacts<S: ContactState>(&self) -> impl Iterator<Item = (Partner, S)> + '_ {
        let states = self.state.chunks_exact(width::<S>());
        let state = |numbers: &[f32]| bytemuck::pod_read_unaligned(bytemuck::cast_slice(numbers));
        self.partner.iter().zip(states).map(move |(partner, numbers)| (*partner, state(numbers)))
    }

    /// That they belong to so many particles with ids below `next_id`, to so many boundaries, and are finite.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self, particles: usize, boundaries: usize, next_id: u32) -> Result<(), ContactError> {
        let contacts: usize = self.count.iter().map(|count| *count as usize).sum();
        if (self.count.len() != particles && !self.count.is_empty())
            || contacts != self.partner.len()
            || self.state.len() != contacts * self.width as usize
        {
            return Err(ContactError::Count);
        }
        let exists = |partner: &Partner| match (partner.as_particle(), partner.as_wall()) {
            (Some(id), _) => id < next_id,
            (_, Some((boundary, _))) => (boundary as usize) < boundaries,
            _ => false,
        };
        if !self.partner.iter().all(exists) {
            return Err(ContactError::Partner);
        }
        if self.state.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(ContactError::NotFinite) }
    }
}

impl<S: ContactState> ContactMemory<S> {
    /// What a checkpoint holds of `count` particles.
    pub fn save(&self, count: usize) -> SavedContacts {
        SavedContacts::new(count, |i| {
            let (partners, states) = self.of(i);
            partners.iter().copied().zip(states.iter().copied())
        })
    }

    /// Takes over checked contacts.
    ///
    /// # Errors
    /// Refuses those of another solver; nothing has changed then.
    pub fn restore(&mut self, saved: &SavedContacts) -> Result<(), ContactError> {
        if saved.width as usize != width::<S>() && !saved.partner.is_empty() {
            return Err(ContactError::Count);
        }
        let all: Vec<(Partner, S)> = saved.contacts().collect();
        let mut first = Vec::with_capacity(saved.count.len() + 1);
        first.push(0);
        first.extend(saved.count.iter().scan(0, |end, count| {
            *end += *count as usize;
            Some(*end)
        }));
        let all = all.get(..first[saved.count.len()]).ok_or(ContactError::Count)?;
        self.record(saved.count.len(), |i, contacts| {
            all[first[i]..first[i + 1]].iter().for_each(|(partner, state)| contacts.push(*partner, *state));
        });
        Ok(())
    }
}
