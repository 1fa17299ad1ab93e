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

    /// Contacts of `count` particles with each other and, `at_walls`, with walls, which have more numbers: those that pairs do not have
    /// are 0.
    pub fn of_pairs_and_walls<const PAIR: usize, const WALL: usize, I>(
        count: usize,
        pairs: &ContactMemory<[f32; PAIR]>,
        at_walls: impl Fn(usize) -> I,
    ) -> Self
    where
        [f32; PAIR]: ContactState,
        [f32; WALL]: ContactState,
        I: Iterator<Item = (Partner, [f32; WALL])>,
    {
        Self::new(count, |i| {
            let (partners, states) = pairs.of(i);
            let wide = |state: &[f32; PAIR]| std::array::from_fn(|k| state.get(k).copied().unwrap_or(0.0));
            partners
                .iter()
                .zip(states)
                .map(move |(partner, state)| (*partner, wide(state)))
                .chain(at_walls(i))
        })
    }

    /// Takes over the contacts of pairs among those of [`of_pairs_and_walls`](Self::of_pairs_and_walls), and gives those at walls; none
    /// where there are no contacts at all.
    ///
    /// # Errors
    /// Refuses those of another solver; nothing has changed then.
    pub fn restore_pairs<const PAIR: usize, const WALL: usize>(
        &self,
        pairs: &mut ContactMemory<[f32; PAIR]>,
    ) -> Result<Option<SavedAtWalls<WALL>>, ContactError>
    where
        [f32; PAIR]: ContactState,
        [f32; WALL]: ContactState,
    {
        if self.partner.is_empty() {
            return Ok(None);
        }
        if usize::from(self.width) != WALL {
            return Err(ContactError::Count);
        }
        let mut first = vec![0];
        for count in &self.count {
            first.push(first[first.len() - 1] + usize::from(*count));
        }
        let saved = SavedAtWalls { all: self.contacts().collect(), first };
        pairs.record(saved.count(), |i, contacts| {
            for (partner, state) in saved.all_of(i).filter(|(partner, _)| partner.as_particle().is_some()) {
                contacts.push(*partner, std::array::from_fn(|k| state[k]));
            }
        });
        Ok(Some(saved))
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

/// Contacts with walls out of a checkpoint.
pub struct SavedAtWalls<const WALL: usize> {
    /// Those of all particles, with others and with walls.
    all: Vec<(Partner, [f32; WALL])>,
    /// First contact of every particle, and the end of the last.
    first: Vec<usize>,
}

impl<const WALL: usize> SavedAtWalls<WALL> {
    /// Number of particles.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    fn all_of(&self, i: usize) -> impl Iterator<Item = &(Partner, [f32; WALL])> {
        self.all[self.first[i]..self.first[i + 1]].iter()
    }

    /// Those of a particle by its place in memory.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (Partner, [f32; WALL])> {
        self.all_of(i).filter(|(partner, _)| partner.as_wall().is_some()).copied()
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
