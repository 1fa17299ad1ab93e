//! What outlives a step, in the form that the CPU's solver saves: a run may go on on either device.

use granule::air::Air;
use granule::scene::AirSettings;
use granule::simulator::StateError;
use granule::solver::iisph::checkpoint::SavedState;
use granule::solver::saved::{SavedContacts, SavedWorld};
use granule::solver::walls::SavedContact;
use granule::solver::wcsph::checkpoint as wcsph;

use crate::columns::Room;
use crate::fields::{Needed, Rows};
use crate::layout::{ContactRecord, kicked};
use crate::solver::{GpuIisph, relative_reach};

/// The weakly compressible solver's state in the columns of `iisph`: accelerations where that has stresses.
fn with_accelerations(saved: wcsph::SavedState) -> SavedState {
    let count = saved.world.position.len();
    SavedState {
        world: saved.world,
        pressure: saved.pressure,
        stress: saved.acceleration.iter().map(|a| [a.x, a.y, a.z, 0.0, 0.0, 0.0]).collect(),
        density: saved.density,
        strain_rate: vec![0.0; count],
        acceleration: saved.acceleration,
        neighbor_count: saved.neighbors.iter().map(|n| *n as u32).collect(),
        contacts: SavedContacts { count: vec![0; count], contacts: Vec::new() },
        bodies: saved.bodies,
    }
}

impl GpuIisph {
    pub(crate) fn save_state(&self) -> Result<Vec<u8>, StateError> {
        let unreadable = |e: &dyn std::fmt::Display| StateError::Unreadable(e.to_string());
        let rows = self.download(Needed::ALL).map_err(|e| unreadable(&e))?;
        let contacts = self.download_contacts().map_err(|e| unreadable(&e))?;
        let there: Vec<usize> = (0..rows.tags.len()).filter(|&i| rows.is_there(i)).collect();
        let own = |i: usize| {
            let [_, _, first, count] = rows.tags[i];
            contacts.iter().skip(first as usize).take(count as usize)
        };
        let saved_contact = |c: &ContactRecord| SavedContact {
            boundary: c.wall as u16,
            face: (c.wall >> 16) as u16,
            normal: c.impulse[3],
            tangent: glam::Vec3::from_slice(&c.impulse),
            direction: glam::Vec3::from_slice(&c.normal),
        };
        let world = SavedWorld {
            time: self.time,
            scene: self.scene.to_toml().map_err(|e| unreadable(&e))?,
            gravity: self.gravity,
            wind: self.air.as_ref().and_then(Air::uniform_wind),
            boundaries: self.boundaries.state(),
            next_id: self.next_id,
            births: self.births.clone(),
            position: there.iter().map(|&i| rows.position[i].into()).collect(),
            velocity: there.iter().map(|&i| rows.velocity[i].into()).collect(),
            id: there.iter().map(|&i| rows.tags[i][0]).collect(),
            material: there.iter().map(|&i| rows.material(i) as u16).collect(),
        };
        if self.weak.is_some() {
            let column = |of: &dyn Fn(usize) -> f32| there.iter().map(|&i| of(i)).collect();
            let state = wcsph::SavedState {
                world,
                ready: self.step.kicked != kicked::PRIMES,
                acceleration: there.iter().map(|&i| glam::Vec3::from_slice(&rows.stress[i])).collect(),
                density: column(&|i| f32::from_bits(rows.found[i][0])),
                pressure: column(&|i| rows.stress[i][6]),
                neighbors: column(&|i| (rows.found[i][3] >> 12) as f32),
                bodies: self.bodies.save().map_err(|e| unreadable(&e))?,
            };
            return state.encode();
        }
        let state = SavedState {
            world,
            pressure: there.iter().map(|&i| rows.stress[i][6]).collect(),
            stress: there.iter().map(|&i| rows.stress_of(i)).collect(),
            density: there.iter().map(|&i| f32::from_bits(rows.found[i][0])).collect(),
            strain_rate: there.iter().map(|&i| rows.stress[i][7]).collect(),
            acceleration: there.iter().map(|&i| glam::Vec3::from_slice(&rows.acceleration[i])).collect(),
            neighbor_count: there.iter().map(|&i| rows.found[i][3] >> 12).collect(),
            contacts: SavedContacts {
                count: there.iter().map(|&i| rows.tags[i][3] as u8).collect(),
                contacts: there.iter().flat_map(|&i| own(i)).map(saved_contact).collect(),
            },
            bodies: self.bodies.save().map_err(|e| unreadable(&e))?,
        };
        state.encode()
    }

    /// The contacts of the last step.
    fn download_contacts(&self) -> Result<Vec<ContactRecord>, granule_device::DeviceError> {
        let half = self.columns.contacts.size() / 2;
        let at = u64::from(1 - self.step.contact_half) * half;
        Ok(bytemuck::pod_collect_to_vec(&self.gpu.read_buffer(&self.columns.contacts, at, half)?))
    }

    pub(crate) fn restore_state(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (walls, radius) = (self.boundaries.len(), self.setup.params.radius);
        // Neighbours and walls of the weakly compressible solver are not saved: they are found anew.
        let mut kicked = kicked::PRIMES;
        let (saved, scene) = if self.weak.is_some() {
            let (saved, scene) = wcsph::SavedState::decode(bytes, walls, radius)?;
            if saved.ready {
                kicked = kicked::SAMPLES;
            }
            (with_accelerations(saved), scene)
        } else {
            SavedState::decode(bytes, walls, radius)?
        };
        self.adopt(scene);
        self.time = saved.world.time;
        self.gravity = saved.world.gravity;
        if let Some(wind) = saved.world.wind {
            self.air.get_or_insert_with(|| Air::new(AirSettings::default())).set_uniform_wind(wind);
        }
        self.boundaries.restore(&saved.world.boundaries);
        if !self.bodies.restore(&saved.bodies, &mut self.boundaries) {
            return Err(StateError::Impossible("bodies that are not those of the scene".into()));
        }
        let count = saved.world.position.len();
        let room = Room::new(count as u32, relative_reach(self.weak.as_ref()));
        let room = Room { contacts: room.contacts.max(saved.contacts.contacts.len() as u32), ..room };
        self.step.sort_count = 0;
        self.make_room(room).map_err(|e| StateError::Unreadable(e.to_string()))?;
        self.upload(&saved);
        (self.there, self.next_id) = (count, saved.world.next_id);
        self.births = saved.world.births;
        self.step.sort_count = count as u32;
        (self.step.kicked, self.step.listed) = (kicked, 0);
        Ok(())
    }

    fn upload(&mut self, saved: &SavedState) {
        let mut rows = Rows::default();
        let mut first = 0;
        for i in 0..saved.world.position.len() {
            let contacts = u32::from(saved.contacts.count[i]);
            rows.tags.push([saved.world.id[i], u32::from(saved.world.material[i]), first, contacts]);
            first += contacts;
            let [xx, xy, xz, yy, yz, zz] = saved.stress[i];
            rows.stress.push([xx, xy, xz, yy, yz, zz, saved.pressure[i], saved.strain_rate[i]]);
            rows.found.push([saved.density[i].to_bits(), 0, 0, saved.neighbor_count[i] << 12]);
        }
        let contact = |c: &SavedContact| ContactRecord {
            normal: c.direction.extend(0.0).to_array(),
            impulse: c.tangent.extend(c.normal).to_array(),
            wall: ContactRecord::wall_word(c.boundary, c.face),
            ..ContactRecord::default()
        };
        let contacts: Vec<ContactRecord> = saved.contacts.contacts.iter().map(contact).collect();
        let acceleration: Vec<[f32; 4]> =
            saved.acceleration.iter().map(|a| a.extend(0.0).to_array()).collect();
        // This step's contacts go to the other half.
        self.step.contact_half = 1;
        let (queue, c) = (&self.gpu.queue, &self.columns);
        queue.write_buffer(&c.position, 0, bytemuck::cast_slice(&saved.world.position));
        queue.write_buffer(&c.velocity, 0, bytemuck::cast_slice(&saved.world.velocity));
        queue.write_buffer(&c.tags, 0, bytemuck::cast_slice(&rows.tags));
        queue.write_buffer(&c.stress, 0, bytemuck::cast_slice(&rows.stress));
        queue.write_buffer(&c.found, 0, bytemuck::cast_slice(&rows.found));
        queue.write_buffer(&c.prediction, 0, bytemuck::cast_slice(&acceleration));
        queue.write_buffer(&c.contacts, 0, bytemuck::cast_slice(&contacts));
    }
}
