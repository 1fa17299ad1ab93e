//! What outlives a step, in the form that the CPU's solver saves.
//!
//! Both partners of a contact remember it on a device, with the same bits; a checkpoint has the one of the lower id. Contacts
//! are restored as they are while particles are sorted: the first step lists pairs and takes them over.

use std::collections::HashMap;

use glam::{Quat, Vec3, Vec4};
use granule::assemblies::{Assemblies, AssembliesError, SavedAssemblies};
use granule::columns::ParticleColumns;
use granule::contacts::{ContactError, Partner, SavedContacts, keeps_pair};
use granule::particles::{OptionalColumn, Particles};
use granule::scene::Scene;
use granule::simulator::StateError;
use granule::solver::dem::state::DemState;
use granule::solver::dem::walls::REMEMBERED;
use granule::solver::saved::SavedState;

use crate::core::columns::META;
use crate::core::layout::{ContactRecord, LANES};
use crate::core::method::{Remembered, StateToRestore, StateToSave};

use super::clumps::{Clumps, columns_and_pools, records};
use super::columns::{LOADS, MEMORY, ORIENTATION, PARTNERS, PLACE, RIGID, SAVED, SOURCE, SPIN, TURN};
use super::layout::{MOST_TOUCHES, MOVER_SHIFT, NEAR_WALLS, NOBODY, PlaceRecord, WallTouchRecord, progress};
use super::pieces::Pieces;

/// Slots whose state only a bit tells of.
const BITS: u32 = 32;

fn vec4(numbers: &[f32]) -> Vec4 {
    Vec3::from_slice(numbers).extend(0.0)
}

/// The bytes of a checkpoint.
pub fn save(state: StateToSave, pieces: Pieces, clumps: Option<&Clumps>) -> Result<Vec<u8>, StateError> {
    let contacts = saved_contacts(&state, pieces)?;
    let assemblies = saved_assemblies(&state, clumps)?;
    let StateToSave { world, mut particles, rows, live, step, .. } = state;
    let place: Vec<PlaceRecord> = rows.of(PLACE);
    let (spin, turn): (Vec<[f32; 4]>, Vec<[f32; 4]>) = (rows.of(SPIN), rows.of(TURN));
    let orientation: Vec<[f32; 4]> = rows.of(ORIENTATION);
    let loads: Vec<[f32; 8]> = rows.of(LOADS);
    let exact = |i: usize| granule::position::ExactPosition { quanta: place[i].quanta };
    let columns = DemState {
        place: live.iter().map(|&i| exact(i)).collect(),
        force: live.iter().map(|&i| vec4(&loads[i])).collect(),
        torque: live.iter().map(|&i| vec4(&loads[i][4..])).collect(),
        mover: live.iter().map(|&i| (rows.meta[i][1] >> MOVER_SHIFT & 3) as u16).collect(),
        orientation: live.iter().map(|&i| Quat::from_array(orientation[i])).collect(),
        turn: live.iter().map(|&i| vec4(&turn[i])).collect(),
        ..DemState::default()
    };
    particles.angular_velocity = Some(live.iter().map(|&i| spin[i].into()).collect());
    let primed = step.progress != progress::PRIMES;
    SavedState::new(world, &particles, columns.save(), contacts, primed).with_assemblies(assemblies).encode()
}

fn saved_assemblies(state: &StateToSave, clumps: Option<&Clumps>) -> Result<SavedAssemblies, StateError> {
    let Some(clumps) = clumps else { return Ok(SavedAssemblies::default()) };
    Ok(clumps.save(&records(&(state.read)(state.buffers.pool(RIGID))?)))
}

/// What contacts remember, on the host.
struct Contacts {
    records: usize,
    remembered: bool,
    listed: usize,
    list: Vec<u32>,
    list_base: usize,
    partners: Vec<u32>,
    states: Vec<[f32; 4]>,
    touches: Vec<WallTouchRecord>,
}

impl Contacts {
    fn read(state: &StateToSave, pieces: Pieces) -> Result<Self, StateError> {
        let (buffers, step) = (state.buffers, state.step);
        let words = |buffer: &wgpu::Buffer| -> Result<Vec<u32>, StateError> {
            Ok(bytemuck::pod_collect_to_vec(&(state.read)(buffer)?))
        };
        let remembered = step.remembered == 1;
        let names = if remembered { SAVED } else { MEMORY };
        let mut states = Vec::new();
        for name in &names[..Pieces::count(buffers)] {
            states.extend((state.read)(buffers.pool(name))?);
        }
        let touches = (state.read)(&buffers.contacts)?;
        let half = touches.len() / 2;
        let own = &touches[step.wall_half as usize * half..][..half];
        let rows = buffers.columns.of(PLACE).size() / u64::from(PLACE.bytes);
        Ok(Self {
            records: pieces.records as usize,
            remembered,
            listed: step.list_count as usize,
            list: if remembered { Vec::new() } else { words(&buffers.list)? },
            list_base: 2 * (rows as usize).div_ceil(LANES as usize),
            partners: if remembered { words(buffers.pool(PARTNERS))? } else { Vec::new() },
            states: bytemuck::pod_collect_to_vec(&states),
            touches: bytemuck::pod_collect_to_vec(own),
        })
    }

    fn state(&self, slot: usize, lane: usize) -> [f32; 8] {
        let at = slot * self.records * LANES as usize + lane;
        let mut state = [0.0; 8];
        state[..4].copy_from_slice(&self.states[at]);
        if self.records == 2 {
            state[4..].copy_from_slice(&self.states[at + LANES as usize]);
        }
        state
    }

    /// Partners of a particle by its row, and what is remembered of them; `id` gives those of rows.
    fn of(&self, i: usize, source: [u32; 2], bits: u32, id: impl Fn(usize) -> u32) -> Vec<(u32, [f32; 8])> {
        let lanes = LANES as usize;
        let mut found = Vec::new();
        if self.remembered {
            for s in 0..source[1] as usize {
                let entry = source[0] as usize + s * lanes;
                let partner = self.partners[entry];
                if partner != NOBODY {
                    found.push((partner, self.state(entry / lanes, entry % lanes)));
                }
            }
        } else if i < self.listed {
            let (first, count) = (self.list[2 * (i / lanes)] as usize, self.list[2 * (i / lanes) + 1]);
            for s in 0..count {
                let slot = first + s as usize;
                let j = self.list[self.list_base + slot * lanes + i % lanes] as usize;
                if j == i {
                    break;
                }
                if s >= BITS || bits >> s & 1 == 1 {
                    found.push((id(j), self.state(slot, i % lanes)));
                }
            }
        }
        found
    }
}

fn saved_contacts(state: &StateToSave, pieces: Pieces) -> Result<SavedContacts, StateError> {
    let (rows, live) = (state.rows, state.live);
    let contacts = Contacts::read(state, pieces)?;
    let source: Vec<[u32; 2]> = rows.of(SOURCE);
    let loads: Vec<[u32; 8]> = rows.of(LOADS);
    let mut is_live = vec![false; state.particles.next_id() as usize];
    live.iter().for_each(|&i| is_live[rows.meta[i][0] as usize] = true);
    let of = |k: usize| {
        let i = live[k];
        let [id, _, first, count] = rows.meta[i];
        let pairs = contacts.of(i, source[i], loads[i][7], |j| rows.meta[j][0]).into_iter();
        let kept = pairs.filter(|(other, _)| keeps_pair(id, *other) && is_live[*other as usize]);
        let mut all: Vec<(Partner, [f32; REMEMBERED])> = kept
            .map(|(other, state)| {
                let mut wide = [0.0; REMEMBERED];
                wide[..8].copy_from_slice(&state);
                (Partner::particle(other), wide)
            })
            .collect();
        let touches = contacts.touches.iter().skip(first as usize).take((count & !NEAR_WALLS) as usize);
        all.extend(touches.map(|touch| {
            let parts = [touch.first, touch.second, touch.normal];
            let wall = Partner::wall(touch.wall as u16, (touch.wall >> 16) as u16);
            (wall, std::array::from_fn(|n| parts[n / 4][n % 4]))
        }));
        all.into_iter()
    };
    Ok(SavedContacts::new(live.len(), of))
}

/// A checkpoint from its bytes.
pub fn decode(
    bytes: &[u8],
    scene: &Scene,
    boundary_count: usize,
    pieces: Pieces,
) -> Result<StateToRestore, StateError> {
    let mut like = Particles::default();
    like.require(&[OptionalColumn::AngularVelocity]);
    let mut saved = SavedState::decode(bytes, scene, boundary_count, &like)?;
    let impossible = |error: AssembliesError| StateError::Impossible(error.to_string());
    Assemblies::restore(saved.assemblies.clone(), &saved.particles.id).map_err(impossible)?;
    let (particles, count) = (&saved.particles, saved.particles.len());
    let mut state = DemState::default();
    state.restore(&mut saved.columns, count)?;
    saved.columns.check_all_taken()?;
    let mut remembered = remembered(&saved.contacts, &particles.id, pieces)?;
    let place = |i: usize| PlaceRecord {
        quanta: state.place[i].quanta,
        radius: particles.position[i].w,
        id: particles.id[i],
    };
    let meta = |i: usize| {
        let [first, touches] = remembered.walls[i];
        let word = u32::from(particles.material[i]) | u32::from(state.mover[i]) << MOVER_SHIFT;
        [particles.id[i], word, first, touches]
    };
    let loads = |i: usize| {
        let contacts = f32::from(remembered.contacts[i]);
        [
            state.force[i].truncate().extend(contacts).to_array(),
            state.torque[i].truncate().extend(0.0).to_array(),
        ]
    };
    let spin = particles.angular_velocity.as_deref().unwrap_or_default();
    let all = 0..count;
    let mut columns = vec![
        (PLACE, bytes_of(all.clone().map(place))),
        (META, bytes_of(all.clone().map(meta))),
        (LOADS, bytes_of(all.clone().map(loads))),
        (SPIN, bytes_of(spin.iter().map(|v| v.to_array()))),
        (ORIENTATION, bytes_of(state.orientation.iter().map(|q| q.to_array()))),
        (TURN, bytes_of(state.turn.iter().map(|v| v.to_array()))),
        (SOURCE, bytes_of(remembered.source.iter().copied())),
    ];
    if !saved.assemblies.assembly.is_empty() {
        let (column, pools) = columns_and_pools(&saved.assemblies, particles);
        columns.push(column);
        remembered.pools.pools.extend(pools);
    }
    Ok(StateToRestore {
        lists: None,
        contacts: SavedContacts::default(),
        density: vec![1.0; count],
        neighbor_count: vec![0; count],
        columns,
        progress: if saved.primed { progress::NOT_KICKED } else { progress::PRIMES },
        remembered: Some(remembered.pools),
        assemblies: saved.assemblies,
        world: saved.world,
        scene: saved.scene,
        particles: saved.particles,
    })
}

fn bytes_of<T: bytemuck::Pod>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let all: Vec<T> = records.collect();
    bytemuck::pod_collect_to_vec(&all)
}

/// Contacts as they are put aside.
struct PutAside {
    pools: Remembered,
    /// First entry and number of slots per particle.
    source: Vec<[u32; 2]>,
    /// First contact with walls and their number, near walls or not.
    walls: Vec<[u32; 2]>,
    /// Contacts whose surfaces touch.
    contacts: Vec<u16>,
}

fn remembered(saved: &SavedContacts, id: &[u32], pieces: Pieces) -> Result<PutAside, StateError> {
    let (lanes, records) = (LANES as usize, pieces.records as usize);
    if !saved.partner.is_empty() && usize::from(saved.width) != REMEMBERED {
        return Err(StateError::from(ContactError::Count));
    }
    let place_of: HashMap<u32, usize> = id.iter().copied().zip(0..).collect();
    let mut pairs: Vec<Vec<(u32, [f32; REMEMBERED])>> = vec![Vec::new(); id.len()];
    let mut touches: Vec<WallTouchRecord> = Vec::new();
    let mut walls = vec![[0, 0]; id.len()];
    let mut contacts = vec![0u16; id.len()];
    let mut all = saved.contacts::<[f32; REMEMBERED]>();
    for (i, count) in saved.count.iter().enumerate() {
        let first = touches.len();
        for (partner, state) in all.by_ref().take(usize::from(*count)) {
            if let (Some(other), Some(j)) =
                (partner.as_particle(), partner.as_particle().and_then(|other| place_of.get(&other)))
            {
                pairs[i].push((other, state));
                pairs[*j].push((id[i], state));
                contacts[i] += u16::from(state[3] > 0.0);
                contacts[*j] += u16::from(state[3] > 0.0);
            } else if let Some((boundary, face)) = partner.as_wall() {
                let row = |k: usize| std::array::from_fn(|n| state[k + n]);
                let wall = ContactRecord::wall_word(boundary, face);
                let touch = WallTouchRecord {
                    first: row(0),
                    second: row(4),
                    normal: row(8),
                    wall,
                    ..Default::default()
                };
                touches.push(touch);
                contacts[i] += u16::from(state[3] > 0.0);
            }
        }
        let count = (touches.len() - first).min(MOST_TOUCHES);
        touches.truncate(first + count);
        if count > 0 {
            walls[i] = [first as u32, NEAR_WALLS | count as u32];
        }
    }
    let mut source = vec![[NOBODY, 0]; id.len()];
    let (mut partners, mut states) = (Vec::<u32>::new(), Vec::<[f32; 4]>::new());
    let mut slots = 0;
    for (g, group) in pairs.chunks(lanes).enumerate() {
        let longest = group.iter().map(Vec::len).max().unwrap_or(0);
        // No list goes over the end of a piece.
        let piece = pieces.slots as usize;
        if slots / piece != (slots + longest.max(1) - 1) / piece {
            slots = slots.next_multiple_of(piece);
        }
        partners.resize((slots + longest) * lanes, NOBODY);
        states.resize((slots + longest) * lanes * records, [0.0; 4]);
        for (lane, own) in group.iter().enumerate() {
            source[g * lanes + lane] = [(slots * lanes + lane) as u32, own.len() as u32];
            for (s, (partner, state)) in own.iter().enumerate() {
                partners[(slots + s) * lanes + lane] = *partner;
                for record in 0..records {
                    let at = ((slots + s) * records + record) * lanes + lane;
                    states[at] = std::array::from_fn(|n| state[4 * record + n]);
                }
            }
        }
        slots += longest;
    }
    let states: Vec<u8> = bytemuck::pod_collect_to_vec(&states);
    let states = states.chunks(pieces.bytes() as usize).map(<[u8]>::to_vec);
    let mut pools: Vec<(&'static str, Vec<u8>)> = SAVED.into_iter().zip(states).collect();
    pools.push((PARTNERS, bytemuck::pod_collect_to_vec(&partners)));
    let pools = Remembered { pools, slots: slots as u32, contacts: bytemuck::pod_collect_to_vec(&touches) };
    Ok(PutAside { pools, source, walls, contacts })
}
