//! The carrier against a map that is changed by hand.

use std::collections::{BTreeSet, HashMap};

use super::*;
use crate::random::Random;

/// A spring and its contact radius, as distinct elements keep.
type Spring = [f32; 4];

/// Particles, their contacts, and the same in a map.
struct Model {
    ids: Vec<u32>,
    next_id: u32,
    memory: ContactMemory<Spring>,
    map: HashMap<(u32, Partner), Spring>,
    random: Random,
    /// Contacts with a state that were compared so far.
    compared: usize,
}

const BOUNDARIES: u16 = 3;

impl Model {
    fn new(seed: u64) -> Self {
        Self {
            ids: Vec::new(),
            next_id: 0,
            memory: ContactMemory::default(),
            map: HashMap::new(),
            random: Random::new(seed),
            compared: 0,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.bits() % end as u64) as usize
    }

    /// Particles come; the memory hears of them at the next rebuild.
    fn emit(&mut self) {
        for _ in 0..self.below(120) {
            self.ids.push(self.next_id);
            self.next_id += 1;
        }
    }

    /// A random order: where each particle was.
    fn shuffle(&mut self) -> Vec<u32> {
        let mut sources: Vec<u32> = (0..self.ids.len() as u32).collect();
        for i in (1..sources.len()).rev() {
            let j = self.below(i + 1);
            sources.swap(i, j);
        }
        self.ids = sources.iter().map(|&i| self.ids[i as usize]).collect();
        sources
    }

    fn sort(&mut self) {
        let sources = self.shuffle();
        self.memory.permute(&sources);
    }

    /// New lists in a new order: what is listed no more is forgotten, what is new has no state.
    fn rebuild(&mut self) {
        let sources = self.shuffle();
        let ids = self.ids.clone();
        let mut lists: Vec<Vec<Partner>> = Vec::new();
        for &id in &ids {
            let mut list = BTreeSet::new();
            for _ in 0..self.below(9) {
                let other = ids[self.below(ids.len())];
                if keeps_pair(id, other) {
                    list.insert(Partner::particle(other));
                }
            }
            let known = self.map.keys().filter(|(owner, _)| *owner == id).map(|(_, partner)| *partner);
            let mut known: Vec<Partner> = known.collect();
            known.sort();
            list.extend(known.into_iter().filter(|_| self.random.unit() < 0.8));
            if self.random.unit() < 0.2 {
                list.insert(Partner::wall(self.below(BOUNDARIES as usize) as u16, self.below(6) as u16));
            }
            // Lists follow the order of neighbours in memory, not that of ids.
            let mut list: Vec<Partner> = list.into_iter().collect();
            if self.random.unit() < 0.5 {
                list.reverse();
            }
            lists.push(list);
        }
        self.memory.rebuild(&sources, |i, contacts| lists[i].iter().for_each(|p| contacts.carry(*p)));
        let listed = |(id, partner): &(u32, Partner)| {
            ids.iter().position(|known| known == id).is_some_and(|i| lists[i].contains(partner))
        };
        self.map.retain(|key, _| listed(key));
    }

    /// A step: some contacts load, some open.
    fn step(&mut self) {
        for i in 0..self.memory.len() {
            let id = self.ids[i];
            let block = &mut self.memory.blocks_mut()[i / crate::team::BLOCK];
            let (partners, states) = block.of_mut(i % crate::team::BLOCK);
            for (partner, state) in partners.iter().zip(states) {
                let chance = self.random.unit();
                if chance < 0.5 {
                    *state = [self.random.signed(), self.random.signed(), self.random.signed(), 1.0];
                } else if chance < 0.7 {
                    *state = [0.0; 4];
                }
                self.map.insert((id, *partner), *state);
            }
        }
    }

    fn remove(&mut self) {
        let keep: Vec<bool> = self.ids.iter().map(|_| self.random.unit() < 0.93).collect();
        self.memory.retain(&keep, &self.ids);
        let gone: Vec<u32> = self.ids.iter().zip(&keep).filter(|(_, k)| !**k).map(|(id, _)| *id).collect();
        let is_gone = |id: &u32| gone.contains(id);
        self.map.retain(|(id, partner), _| {
            !is_gone(id) && !partner.as_particle().is_some_and(|other| is_gone(&other))
        });
        self.ids.retain(|id| !is_gone(id));
    }

    fn checkpoint(&mut self) {
        let bytes = postcard::to_stdvec(&self.memory.save(self.ids.len())).unwrap();
        let saved: SavedContacts = postcard::from_bytes(&bytes).unwrap();
        saved.check(self.ids.len(), BOUNDARIES as usize, self.next_id).unwrap();
        self.memory = ContactMemory::default();
        self.memory.restore(&saved).unwrap();
    }

    /// The memory holds exactly what the map holds, zeros aside.
    fn compare(&mut self) {
        let loaded = |state: &Spring| *state != [0.0; 4];
        let mut found = 0;
        for (i, id) in self.ids.iter().enumerate() {
            let (partners, states) = self.memory.of(i);
            for (partner, state) in partners.iter().zip(states).filter(|(_, state)| loaded(state)) {
                assert_eq!(self.map.get(&(*id, *partner)), Some(state), "{id} with {partner:?}");
                found += 1;
            }
        }
        assert_eq!(found, self.map.values().filter(|state| loaded(state)).count());
        self.compared += found;
    }

    /// Does things in a random order, comparing after each, and gives the bytes at the end.
    fn run(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.emit());
        self.rebuild();
        for _ in 0..60 {
            match self.below(8) {
                0 => self.emit(),
                1 => self.sort(),
                2 | 3 => self.rebuild(),
                4 | 5 => self.step(),
                6 => self.remove(),
                _ => self.checkpoint(),
            }
            self.compare();
        }
        assert!(self.compared > 5000, "{} contacts of {} particles", self.compared, self.ids.len());
        postcard::to_stdvec(&self.memory.save(self.ids.len())).unwrap()
    }
}

#[test]
fn contacts_survive_sorting_lists_emission_removal_and_checkpoints_on_any_number_of_threads() {
    for seed in 0..6 {
        let on = |threads| {
            let pool = crate::team::Team::new(threads).unwrap();
            pool.install(|| Model::new(seed).run())
        };
        let one = on(1);
        assert_eq!(one, on(2), "seed {seed}");
        assert_eq!(one, on(4), "seed {seed}");
    }
}

#[test]
fn contacts_with_one_face_are_told_apart_by_their_normals() {
    // Two sides of a groove that have one number: (load, normal x, y, z).
    let face = Partner::wall(2, 0);
    let (left, right) = ([1.0, 0.8, 0.6, 0.0], [2.0, -0.8, 0.6, 0.0]);
    let mut memory = ContactMemory::<Spring>::default();
    memory.record(1, |_, contacts| {
        contacts.push(face, left);
        contacts.push(face, right);
    });
    let like = |normal: [f32; 3]| {
        move |state: &Spring| {
            let turn: f32 = (0..3).map(|c| state[c + 1] * normal[c]).sum();
            (turn > 0.7).then_some(turn)
        }
    };
    memory.rebuild(&[0], |_, contacts| {
        contacts.carry_best(face, [0.0; 4], like([-0.6, 0.8, 0.0]));
        contacts.carry_best(face, [0.0; 4], like([0.6, 0.8, 0.0]));
        contacts.carry_best(face, [9.0; 4], like([0.0, 0.0, 1.0]));
        contacts.carry_best(Partner::wall(2, 1), [0.0; 4], like([0.6, 0.8, 0.0]));
    });
    assert_eq!(memory.of(0).1, [right, left, [9.0; 4], [0.0; 4]]);
}

#[test]
fn of_several_contacts_that_could_be_the_same_the_one_that_has_turned_least_is() {
    let face = Partner::wall(2, 0);
    // Turned by 16 and by 37 degrees from the normal that is looked for.
    let (near, far) = ([2.0, 0.28, 0.96, 0.0], [1.0, 0.6, 0.8, 0.0]);
    for order in [[near, far], [far, near]] {
        let mut memory = ContactMemory::<Spring>::default();
        memory.record(1, |_, contacts| order.iter().for_each(|state| contacts.push(face, *state)));
        let turn = |state: &Spring| (state[2] > 0.7).then_some(state[2]);
        assert_eq!(best_match(memory.of(0), face, turn), Some(&near));
        memory.rebuild(&[0], |_, contacts| contacts.carry_best(face, [0.0; 4], turn));
        assert_eq!(memory.of(0).1, [near]);
    }
}

#[test]
fn the_lower_id_keeps_a_pair() {
    assert!(keeps_pair(3, 7) && !keeps_pair(7, 3));
    assert_eq!(Partner::particle(u32::MAX).as_particle(), Some(u32::MAX));
    assert_eq!(Partner::particle(7).as_wall(), None);
    assert_eq!(Partner::wall(u16::MAX, 3).as_wall(), Some((u16::MAX, 3)));
    assert_eq!(Partner::wall(0, 0).as_particle(), None);
}

#[test]
fn contacts_of_other_particles_or_walls_are_refused() {
    let mut memory = ContactMemory::<Spring>::default();
    memory.record(2, |i, contacts| contacts.push(Partner::wall(i as u16, 0), [1.0; 4]));
    let saved = memory.save(3);
    assert_eq!(saved.count, [1, 1, 0], "one that came since has none");
    assert_eq!(saved.check(3, 2, 9), Ok(()));
    assert_eq!(saved.check(2, 2, 9), Err(ContactError::Count));
    assert_eq!(saved.check(3, 1, 9), Err(ContactError::Partner));
    let newer = SavedContacts { partner: vec![Partner::particle(9); 2], ..saved.clone() };
    assert_eq!(newer.check(3, 2, 9), Err(ContactError::Partner));
    let mut damaged = saved.clone();
    damaged.state[3] = f32::NAN;
    assert_eq!(damaged.check(3, 2, 9), Err(ContactError::NotFinite));
    assert_eq!(ContactMemory::<[f32; 3]>::default().restore(&saved), Err(ContactError::Count));
}
