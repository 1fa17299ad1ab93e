//! What outlives a step, in the form that the CPU's solver saves.
//!
//! Pairs remember impulses of the last step while lists hold, and forces while they are put aside; contacts with walls remember
//! forces. A checkpoint has those of pairs at the grain with the lower id: as impulses where lists go on to hold, and then what
//! lists were made from, else as forces. They are restored as they are while particles are sorted: pairs that are listed then take
//! them over.

use std::collections::HashMap;

use glam::{Quat, Vec3, Vec4};
use granule::columns::ParticleColumns;
use granule::contacts::{ContactError, Partner, SavedContacts};
use granule::particles::{OptionalColumn, Particles};
use granule::position::ExactPosition;
use granule::scene::Scene;
use granule::simulator::StateError;
use granule::solver::pbd::path::Path;
use granule::solver::pbd::state::{PbdState, REMEMBERED};
use granule::solver::pbd::walls::AT_WALL;
use granule::solver::saved::{SavedLists, SavedState};

use crate::core::columns::META;
use crate::core::layout::{ContactRecord, LANES};
use crate::core::method::{ListsToRestore, Remembered, StateToRestore, StateToSave};

use super::columns::{
    IMPULSES, MOTION, ORIENTATION, PAIR_OF, PARTNERS, PLACE, SAVED, SOURCE, WAY, WayRecord,
};
use super::layout::{AGAIN, BORROWED, MOST_TOUCHES, NEAR_WALLS, NOBODY, PlaceRecord, WallTouchRecord};
use super::shaped::Shaped;

fn vec4(numbers: &[f32]) -> Vec4 {
    Vec3::from_slice(numbers).extend(0.0)
}

/// The bytes of a checkpoint.
pub fn save(state: StateToSave) -> Result<Vec<u8>, StateError> {
    let contacts = saved_contacts(&state)?;
    let lists = saved_lists(&state)?;
    let StateToSave { world, mut particles, rows, live, .. } = state;
    let place: Vec<PlaceRecord> = rows.of(PLACE);
    let motion: Vec<[[f32; 4]; 2]> = rows.of(MOTION);
    let way: Vec<WayRecord> = rows.of(WAY);
    let orientation: Vec<[f32; 4]> = rows.of(ORIENTATION);
    let columns = PbdState {
        place: live.iter().map(|&i| ExactPosition { quanta: place[i].quanta }).collect(),
        orientation: live.iter().map(|&i| Quat::from_array(orientation[i])).collect(),
        turn: live.iter().map(|&i| vec4(&way[i][1])).collect(),
        ..PbdState::default()
    };
    let spin = |i: usize| Vec3::from_slice(&motion[i][1]).extend(motion[i][0][3]);
    particles.angular_velocity = Some(live.iter().map(|&i| spin(i)).collect());
    SavedState::new(world, &particles, columns.save(), contacts, true).with_lists(lists).encode()
}

/// Where particles were when they were listed: where the sort has left them.
fn saved_lists(state: &StateToSave) -> Result<Option<SavedLists>, StateError> {
    let (rows, step) = (state.rows, state.step);
    if step.listed == 0 {
        return Ok(None);
    }
    let sorted: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&(state.read)(&state.buffers.reordered)?);
    let way: Vec<WayRecord> = rows.of(WAY);
    let listed = |&i: &usize| vec4(&sorted[i]).with_w(way[i][1][3].abs());
    Ok(Some(SavedLists {
        listed: state.live.iter().map(listed).collect(),
        paths: state.live.iter().map(|&i| Path::from(Vec4::from_array(way[i][2]))).collect(),
        wall_skin: step.list_skin,
        wall_way: step.wall_displacement,
        step: step.memory_dt,
    }))
}

/// What contacts remember, on the host.
struct Contacts {
    /// Whether pairs are put aside: as forces by entry; else as impulses by pair.
    aside: bool,
    /// What impulses are multiplied with.
    per_time: f32,
    listed: usize,
    list: Vec<u32>,
    list_base: usize,
    pair_of: Vec<u32>,
    partners: Vec<u32>,
    states: Vec<[f32; REMEMBERED]>,
    touches: Vec<WallTouchRecord>,
}

impl Contacts {
    fn read(state: &StateToSave) -> Result<Self, StateError> {
        let (buffers, step) = (state.buffers, state.step);
        let words = |buffer: &wgpu::Buffer| -> Result<Vec<u32>, StateError> {
            Ok(bytemuck::pod_collect_to_vec(&(state.read)(buffer)?))
        };
        let aside = step.remembered == 1;
        let only = |wanted: bool, buffer| if wanted { words(buffer) } else { Ok(Vec::new()) };
        let touches = (state.read)(&buffers.contacts)?;
        let half = touches.len() / 2;
        let own = &touches[step.wall_half as usize * half..][..half];
        let rows = buffers.columns.of(PLACE).size() / u64::from(PLACE.bytes);
        let states = (state.read)(buffers.pool(if aside { SAVED } else { IMPULSES }))?;
        Ok(Self {
            aside,
            per_time: if step.listed == 1 { 1.0 } else { 1.0 / step.memory_dt },
            listed: step.list_count as usize,
            list: only(!aside, &buffers.list)?,
            list_base: 2 * (rows as usize).div_ceil(LANES as usize),
            pair_of: only(!aside, buffers.pool(PAIR_OF))?,
            partners: only(aside, buffers.pool(PARTNERS))?,
            states: bytemuck::pod_collect_to_vec(&states),
            touches: bytemuck::pod_collect_to_vec(own),
        })
    }

    /// Partners of a particle by its row, and what pairs that it has placed remember; `id` gives those of rows.
    fn of(&self, i: usize, source: [u32; 2], id: impl Fn(usize) -> u32) -> Vec<(u32, [f32; REMEMBERED])> {
        let lanes = LANES as usize;
        let mut found = Vec::new();
        if self.aside {
            for s in 0..source[1] as usize {
                let entry = source[0] as usize + s * lanes;
                if self.partners[entry] != NOBODY {
                    found.push((self.partners[entry], self.states[entry]));
                }
            }
        } else if i < self.listed {
            let first = self.list[2 * (i / lanes)] as usize * lanes + i % lanes;
            for s in 0..self.list[2 * (i / lanes) + 1] as usize {
                let entry = first + s * lanes;
                let j = self.list[self.list_base + entry] as usize;
                if j == i {
                    break;
                }
                if self.pair_of[entry] & BORROWED == 0 {
                    let state = self.states[self.pair_of[entry] as usize];
                    found.push((id(j), state.map(|impulse| impulse * self.per_time)));
                }
            }
        }
        found.retain(|(_, state)| *state != [0.0; REMEMBERED]);
        found
    }
}

fn saved_contacts(state: &StateToSave) -> Result<SavedContacts, StateError> {
    let (rows, live) = (state.rows, state.live);
    let contacts = Contacts::read(state)?;
    let source: Vec<[u32; 2]> = rows.of(SOURCE);
    let mut place_of = vec![None; state.particles.next_id() as usize];
    live.iter().enumerate().for_each(|(k, &i)| place_of[rows.meta[i][0] as usize] = Some(k));
    let mut pairs: Vec<Vec<(Partner, [f32; AT_WALL])>> = vec![Vec::new(); live.len()];
    for (k, &i) in live.iter().enumerate() {
        let own = rows.meta[i][0];
        for (other, state) in contacts.of(i, source[i], |j| rows.meta[j][0]) {
            let Some(there) = place_of[other as usize] else { continue };
            // A held grain with the lower id has its pairs placed by the other one.
            let (keeper, partner) = if own < other { (k, other) } else { (there, own) };
            let wide = std::array::from_fn(|n| state.get(n).copied().unwrap_or(0.0));
            pairs[keeper].push((Partner::particle(partner), wide));
        }
    }
    let of = |k: usize| {
        let [_, _, first, count] = rows.meta[live[k]];
        let touches = contacts.touches.iter().skip(first as usize).take((count & !NEAR_WALLS) as usize);
        let at_walls = touches.map(|touch| {
            let parts = [touch.first, touch.second, touch.normal];
            let wall = Partner::wall(touch.wall as u16, (touch.wall >> 16) as u16);
            (wall, std::array::from_fn(|n| parts[n / 4][n % 4]))
        });
        pairs[k].iter().copied().chain(at_walls)
    };
    Ok(SavedContacts::new(live.len(), of))
}

/// A checkpoint from its bytes.
pub fn decode(
    bytes: &[u8],
    scene: &Scene,
    boundary_count: usize,
    shaped: &Shaped,
) -> Result<StateToRestore, StateError> {
    let mut like = Particles::default();
    like.require(&[OptionalColumn::AngularVelocity]);
    let mut saved = SavedState::decode(bytes, scene, boundary_count, &like)?;
    let (particles, count) = (&saved.particles, saved.particles.len());
    let mut state = PbdState::default();
    state.restore(&mut saved.columns, count)?;
    saved.columns.check_all_taken()?;
    shaped.recognise(particles)?;
    let spin = particles.angular_velocity.as_deref().unwrap_or_default();
    let aside = put_aside(&saved.contacts, &particles.id, |i| spin[i].w == 0.0)?;
    let place = |i: usize| PlaceRecord {
        quanta: state.place[i].quanta,
        radius: particles.position[i].w,
        id: particles.id[i],
    };
    let meta = |i: usize| {
        let [first, touches] = aside.walls[i];
        [particles.id[i], shaped.material_word(particles.material[i]), first, touches]
    };
    let motion = |i: usize| {
        [
            particles.velocity[i].with_w(spin[i].w).to_array(),
            spin[i].with_w(particles.position[i].w).to_array(),
        ]
    };
    let all = 0..count;
    let columns = vec![
        (PLACE, bytes_of(all.clone().map(place))),
        (META, bytes_of(all.clone().map(meta))),
        (MOTION, bytes_of(all.clone().map(motion))),
        (ORIENTATION, bytes_of(state.orientation.iter().map(|q| q.to_array()))),
        (WAY, bytes_of(state.turn.iter().map(|turn| [[0.0; 4], turn.to_array(), [0.0; 4]]))),
        (SOURCE, bytes_of(aside.source.iter().copied())),
    ];
    let lists = saved.lists.map(|lists| {
        let reach = |i: usize| if spin[i].w == 0.0 { -lists.listed[i].w } else { lists.listed[i].w };
        let path = |i: usize| Vec4::from(lists.paths[i]).to_array();
        let way = |i: usize| [[0.0; 4], state.turn[i].with_w(reach(i)).to_array(), path(i)];
        ListsToRestore { unsorted: vec![(WAY, bytes_of(all.map(way)))], progress: AGAIN, lists }
    });
    Ok(StateToRestore {
        lists,
        contacts: SavedContacts::default(),
        density: vec![1.0; count],
        neighbor_count: vec![0; count],
        columns,
        progress: 0,
        remembered: Some(aside.pools),
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
}

fn put_aside(
    saved: &SavedContacts,
    id: &[u32],
    held: impl Fn(usize) -> bool,
) -> Result<PutAside, StateError> {
    let lanes = LANES as usize;
    if !saved.partner.is_empty() && usize::from(saved.width) != AT_WALL {
        return Err(StateError::from(ContactError::Count));
    }
    let place_of: HashMap<u32, usize> = id.iter().copied().zip(0..).collect();
    let mut pairs: Vec<Vec<(u32, [f32; AT_WALL])>> = vec![Vec::new(); id.len()];
    let mut touches: Vec<WallTouchRecord> = Vec::new();
    let mut walls = vec![[0, 0]; id.len()];
    let mut all = saved.contacts::<[f32; AT_WALL]>();
    for (i, count) in saved.count.iter().enumerate() {
        let first = touches.len();
        for (partner, state) in all.by_ref().take(usize::from(*count)) {
            let other = partner.as_particle().and_then(|other| Some((other, *place_of.get(&other)?)));
            if let Some((other, j)) = other {
                if held(i) { pairs[j].push((id[i], state)) } else { pairs[i].push((other, state)) }
            } else if let Some((boundary, face)) = partner.as_wall() {
                let row = |k: usize| std::array::from_fn(|n| state[k + n]);
                let wall = ContactRecord::wall_word(boundary, face);
                touches.push(WallTouchRecord {
                    first: row(0),
                    second: row(4),
                    normal: row(8),
                    wall,
                    ..Default::default()
                });
            }
        }
        let count = (touches.len() - first).min(MOST_TOUCHES);
        touches.truncate(first + count);
        if count > 0 {
            walls[i] = [first as u32, NEAR_WALLS | count as u32];
        }
    }
    let mut source = vec![[NOBODY, 0]; id.len()];
    let (mut partners, mut states) = (Vec::<u32>::new(), Vec::<[f32; REMEMBERED]>::new());
    let mut slots = 0;
    for (g, group) in pairs.chunks(lanes).enumerate() {
        let longest = group.iter().map(Vec::len).max().unwrap_or(0);
        partners.resize((slots + longest) * lanes, NOBODY);
        states.resize((slots + longest) * lanes, [0.0; REMEMBERED]);
        for (lane, own) in group.iter().enumerate() {
            source[g * lanes + lane] = [(slots * lanes + lane) as u32, own.len() as u32];
            for (s, (partner, state)) in own.iter().enumerate() {
                let entry = (slots + s) * lanes + lane;
                partners[entry] = *partner;
                states[entry] = std::array::from_fn(|n| state[n]);
            }
        }
        slots += longest;
    }
    let pools = vec![
        (SAVED, bytemuck::pod_collect_to_vec(&states)),
        (PARTNERS, bytemuck::pod_collect_to_vec(&partners)),
    ];
    let pools = Remembered { pools, slots: slots as u32, contacts: bytemuck::pod_collect_to_vec(&touches) };
    Ok(PutAside { pools, source, walls })
}
