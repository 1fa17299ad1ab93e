//! What outlives a step, in the form that the CPU's solver saves: a run may go on on either device.

use granule::air::Air;
use granule::cell::StrainedCell;
use granule::contacts::{Partner, SavedContacts};
use granule::particles::Particles;
use granule::scene::{AirSettings, Scene};
use granule::simulator::StateError;
use granule::solver::commands;
use granule::solver::saved::SavedWorld;
use granule::solver::walls::WallImpulse;

use crate::GpuError;

use super::buffers::{Buffers, Extents};
use super::capacity::Capacity;
use super::columns::{ColumnInfo, DENSITY_STATE, META, POSITION, VELOCITY};
use super::constants::{self, BodyVariant, SceneConstants, Variant};
use super::layout::{ContactRecord, StepRecord, phase};
use super::method::{ListsToRestore, StateToRestore, StateToSave};
use super::recording::{Frame, record};
use super::rows::Rows;
use super::simulation::{GpuSimulation, air_records, capacity_for, extents};

/// Buffers for a state, and what they were made for.
struct Restored {
    buffers: Buffers,
    extents: Extents,
    capacity: Capacity,
    variant: Variant,
}

fn bytes_of(vectors: &[glam::Vec4]) -> Vec<u8> {
    vectors.iter().flat_map(|v| bytemuck::bytes_of(&v.to_array()).to_vec()).collect()
}

fn unreadable(error: impl std::fmt::Display) -> StateError {
    StateError::Unreadable(error.to_string())
}

impl GpuSimulation {
    pub(crate) fn save_state(&self) -> Result<Vec<u8>, StateError> {
        let columns = self.buffers.columns.iter().map(|(info, _)| *info);
        let kept: Vec<ColumnInfo> = columns.filter(|info| info.is_kept() && info.name != META.name).collect();
        let rows = self.download(&kept).map_err(unreadable)?;
        let live = rows.live();
        let state = StateToSave {
            world: self.saved_world()?,
            particles: self.saved_particles(&rows, &live),
            contacts: self.saved_contacts(&rows, &live)?,
            rows: &rows,
            live: &live,
            step: &self.step,
            buffers: &self.buffers,
            read: &|buffer| self.gpu.read_buffer(buffer, 0, buffer.size()).map_err(unreadable),
        };
        self.method.save(state)
    }

    fn saved_world(&self) -> Result<SavedWorld, StateError> {
        let (air, boundaries, bodies) = (self.air.as_ref(), &self.boundaries, &self.bodies);
        let world = SavedWorld::new(self.time, &self.scene, self.gravity, air, boundaries, bodies)?;
        Ok(SavedWorld { cell: self.cell.as_ref().map(StrainedCell::state), ..world })
    }

    fn saved_particles(&self, rows: &Rows, live: &[usize]) -> Particles {
        let (position, velocity) = (rows.position(), rows.velocity());
        Particles::from_columns(
            live.iter().map(|&i| position[i].into()).collect(),
            live.iter().map(|&i| velocity[i].into()).collect(),
            live.iter().map(|&i| rows.meta[i][0]).collect(),
            live.iter().map(|&i| rows.material(i) as u16).collect(),
            self.next_id,
            self.births.clone(),
        )
    }

    /// The contacts of the last step.
    fn saved_contacts(&self, rows: &Rows, live: &[usize]) -> Result<SavedContacts, StateError> {
        if !self.method.keeps_wall_impulses() {
            return Ok(SavedContacts::default());
        }
        let half = self.buffers.contacts.size() / 2;
        let at = u64::from(1 - self.step.contact_half) * half;
        let bytes = self.gpu.read_buffer(&self.buffers.contacts, at, half).map_err(unreadable)?;
        let contacts: Vec<ContactRecord> = bytemuck::pod_collect_to_vec(&bytes);
        let own = |i: usize| {
            let [_, _, first, count] = rows.meta[i];
            contacts.iter().skip(first as usize).take(count as usize)
        };
        let saved = |c: &ContactRecord| {
            let impulse = WallImpulse {
                normal: c.impulse[3],
                tangent: glam::Vec3::from_slice(&c.impulse),
                direction: glam::Vec3::from_slice(&c.normal),
            };
            (Partner::wall(c.wall as u16, (c.wall >> 16) as u16), impulse)
        };
        Ok(SavedContacts::new(live.len(), |k| own(live[k]).map(saved)))
    }

    /// Takes over a state. All that can go wrong is done before anything is changed: the state is decoded and checked,
    /// walls are moved in a copy, and the device has given its buffers.
    pub(crate) fn restore_state(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved = self.method.decode(bytes, &self.scene, self.boundaries.len())?;
        self.check_scene(&saved.scene)?;
        let scene_constants = SceneConstants::new(&saved.scene);
        constants::materials(&scene_constants.materials).map_err(unreadable)?;
        let (mut boundaries, mut air) = (self.boundaries.clone(), self.air.clone());
        commands::adopt(&saved.scene, &mut boundaries, &mut air);
        boundaries.restore(&saved.world.boundaries);
        if let Some(wind) = saved.world.wind {
            air.get_or_insert_with(|| Air::new(AirSettings::default())).set_uniform_wind(wind);
        }
        // The method's constants are those of the changed scene while sizes are found; they go back if there is no room.
        self.method.adopt(&saved.scene);
        self.method.expect(&saved);
        let made = self.restored_buffers(&saved, &scene_constants, air.as_ref());
        let Restored { buffers, extents, capacity, variant } = match made {
            Ok(made) if self.bodies.restore(&saved.world.bodies, &mut boundaries) => made,
            failed => {
                self.method.settle(false);
                self.method.adopt(&self.scene);
                self.fit_space();
                return Err(failed.err().unwrap_or_else(|| {
                    StateError::Impossible("bodies that are not those of the scene".into())
                }));
            }
        };
        self.method.settle(true);
        (self.boundaries, self.air, self.constants) = (boundaries, air, scene_constants);
        (self.buffers, self.extents, self.capacity) = (buffers, extents, capacity);
        (self.time, self.gravity) = (saved.world.time, saved.world.gravity);
        self.bind(variant);
        self.upload_solids();
        self.upload(&saved);
        self.live_count = saved.particles.len();
        self.beyond_grains = saved.assemblies.member.len() - saved.assemblies.assembly.len();
        self.next_id = saved.particles.next_id();
        self.births = saved.particles.births().to_vec();
        self.step.sort_count = self.live_count as u32;
        (self.step.progress, self.step.listed) = (saved.progress, 0);
        (self.step.list_count, self.step.wall_half) = (0, 0);
        // Whatever frame was under way is over.
        self.frame = Frame::default();
        self.since_visit = (0, 0.0);
        self.step.remembered = u32::from(saved.remembered.is_some());
        self.scene = saved.scene;
        self.restore_cell(&saved.world);
        self.upload_constants().map_err(unreadable)?;
        if let Some(lists) = &saved.lists {
            self.list_again(lists, &saved.particles).map_err(unreadable)?;
        }
        Ok(())
    }

    /// Makes lists again that go on to hold: of particles where they were when they were listed, with paths in the place of velocities,
    /// which then are where they are now, with their velocities.
    fn list_again(&mut self, lists: &ListsToRestore, particles: &Particles) -> Result<(), GpuError> {
        let saved = &lists.lists;
        let paths: Vec<glam::Vec4> = saved.paths.iter().map(|path| (*path).into()).collect();
        self.buffers.columns.write(&self.gpu.queue, POSITION, &bytes_of(&saved.listed));
        self.buffers.columns.write(&self.gpu.queue, VELOCITY, &bytes_of(&paths));
        self.refresh_poses();
        // Nothing moves meanwhile.
        self.poses.iter_mut().for_each(|pose| pose.solids[3] = 0);
        self.upload_surroundings();
        let before = self.step;
        self.step = StepRecord {
            progress: lists.progress,
            dt: 1.0,
            inverse_dt: 1.0,
            elapsed: 0.0,
            length: 1.0,
            reports: 0,
            most_reports: 1,
            list_skin: saved.wall_skin,
            wall_displacement: saved.wall_way,
            ..before
        };
        loop {
            self.step.phase = phase::READY;
            self.write_step();
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            record(self.stages.list_again(&self.shared, &self.shape()), &mut encoder, &mut None);
            self.gpu.submit([encoder.finish()]);
            let bytes = self.gpu.read_buffer(&self.buffers.step, 0, size_of::<StepRecord>() as u64)?;
            self.step = bytemuck::pod_read_unaligned(&bytes);
            if self.step.phase != phase::HALTED {
                break;
            }
            self.make_way()?;
        }
        self.step = StepRecord {
            phase: phase::READY,
            progress: before.progress,
            dt: saved.step,
            inverse_dt: 1.0 / saved.step,
            memory_dt: saved.step,
            wall_displacement: saved.wall_way,
            ..self.step
        };
        let rows = self.download(&[])?;
        let mut place_of = vec![0; particles.next_id() as usize];
        particles.id.iter().zip(0..).for_each(|(id, place)| place_of[*id as usize] = place);
        let sorted = |info: &ColumnInfo, bytes: &[u8]| -> Vec<u8> {
            let size = info.bytes as usize;
            rows.meta
                .iter()
                .flat_map(|meta| &bytes[size * place_of[meta[0] as usize]..][..size])
                .copied()
                .collect()
        };
        let now = [(POSITION, bytes_of(&particles.position)), (VELOCITY, bytes_of(&particles.velocity))];
        for (info, bytes) in lists.unsorted.iter().chain(&now) {
            self.buffers.columns.write(&self.gpu.queue, *info, &sorted(info, bytes));
        }
        Ok(())
    }

    /// Buffers for a state, which the device has.
    fn restored_buffers(
        &self,
        saved: &StateToRestore,
        constants: &SceneConstants,
        air: Option<&Air>,
    ) -> Result<Restored, StateError> {
        let bodies = BodyVariant::of(&self.bodies);
        let variant = Variant::new(constants, air.is_some(), bodies, self.method.overrides());
        let count = saved.particles.len() as u32;
        let capacity = capacity_for(count, self.method.as_ref(), constants);
        let (slots, records) = saved
            .remembered
            .as_ref()
            .map_or((0, 0), |known| (known.slots, known.contacts.len() / size_of::<ContactRecord>()));
        let contacts = capacity.contacts.max(saved.contacts.partner.len() as u32).max(records as u32);
        let capacity = Capacity { contacts, slots: capacity.slots.max(slots), ..capacity };
        let records = air_records(&saved.scene, air, self.frame.start).len();
        let extents =
            extents(&saved.scene, &variant, self.method.as_ref(), &self.solid_table, records, &capacity);
        let buffers = Buffers::new(&self.gpu, &capacity, &extents).map_err(unreadable)?;
        // A device without memory says so here.
        self.gpu.wait().map_err(unreadable)?;
        Ok(Restored { buffers, extents, capacity, variant })
    }

    /// Refuses a scene that commands cannot have made of the solver's own.
    fn check_scene(&self, scene: &Scene) -> Result<(), StateError> {
        let shape = |s: &Scene| {
            (s.simulation.solver, s.simulation.periodic, s.boundary.len(), s.body.len(), s.material.len())
        };
        if shape(scene) == shape(&self.scene) {
            Ok(())
        } else {
            Err(StateError::Impossible("a scene that is not the one the solver was made from".into()))
        }
    }

    fn upload(&mut self, saved: &StateToRestore) {
        let particles = &saved.particles;
        let count = particles.len();
        let (mut meta, mut first) = (Vec::with_capacity(count), 0);
        for i in 0..count {
            let contacts = saved.contacts.count.get(i).copied().map_or(0, u32::from);
            meta.push([particles.id[i], u32::from(particles.material[i]), first, contacts]);
            first += contacts;
        }
        let state: Vec<[u32; 4]> = saved
            .density
            .iter()
            .zip(&saved.neighbor_count)
            .map(|(density, neighbors)| [density.to_bits(), 0, 0, neighbors << 12])
            .collect();
        let contact = |(partner, c): (Partner, WallImpulse)| {
            let (boundary, face) = partner.as_wall().unwrap_or_default();
            ContactRecord {
                normal: c.direction.extend(0.0).to_array(),
                impulse: c.tangent.extend(c.normal).to_array(),
                wall: ContactRecord::wall_word(boundary, face),
                ..ContactRecord::default()
            }
        };
        let contacts: Vec<ContactRecord> = saved.contacts.contacts().map(contact).collect();
        // What the method has of a column goes before what follows here.
        let mut given = saved.columns.clone();
        given.extend([
            (POSITION, bytes_of(&particles.position)),
            (VELOCITY, bytes_of(&particles.velocity)),
            (META, bytemuck::pod_collect_to_vec(&meta)),
            (DENSITY_STATE, bytemuck::pod_collect_to_vec(&state)),
        ]);
        // This step's contacts go to the other half.
        self.step.contact_half = 1;
        let gravity = self.gravity.to_array();
        self.buffers.columns.append(&self.gpu.queue, 0, count, gravity, &given);
        self.gpu.queue.write_buffer(&self.buffers.contacts, 0, bytemuck::cast_slice(&contacts));
        if let Some(remembered) = &saved.remembered {
            for (name, bytes) in &remembered.pools {
                self.gpu.queue.write_buffer(self.buffers.pool(name), 0, bytes);
            }
            // Steps write the first half, or the second where the lists are made for the first time.
            self.gpu.queue.write_buffer(&self.buffers.contacts, 0, &remembered.contacts);
        }
    }
}

#[cfg(test)]
mod tests {
    use granule::columns::ColumnData;
    use granule::simulator::{Command, Simulator};
    use granule::solver::saved::{self, SavedState};
    use granule::{Options, Simulation};

    use super::*;
    use crate::GpuBackend;
    use crate::testing::gpu;

    /// Grains that fall beside a body and onto a tilted floor, with wind.
    fn scene(solver: &str) -> Scene {
        let text = format!(
            "name = \"test\"\n[simulation]\nsolver = \"{solver}\"\n[[material]]\nname = \"grains\"\nradius = 0.01\n\
             friction_angle = 0\n[[grains]]\nmaterial = \"grains\"\nfill = \"jittered\"\nvelocity = [0.5, -0.5, 0]\n\
             shape.box = {{ min = [0, 0.02, 0], max = [0.1, 0.1, 0.1] }}\n[[boundary]]\nname = \"floor\"\n\
             shape.plane = {{ point = [0, 0, 0], normal = [0.1, 1, 0] }}\n[[body]]\nname = \"ball\"\n\
             density = 500\nshape.sphere = {{ center = [0.2, 0.1, 0.05], radius = 0.05 }}\n\
             [air]\nwind = [{{ uniform = {{ velocity = [1, 0, 0] }} }}]\n"
        );
        Scene::parse(&text, "test").unwrap()
    }

    fn simulation(solver: &str, steps: usize) -> Option<Simulation> {
        let device = GpuBackend::adopt(gpu()?).into_device();
        let mut simulation =
            Simulation::new(scene(solver), &Options { device, ..Options::default() }).unwrap();
        for _ in 0..steps {
            simulation.step();
        }
        assert_eq!(simulation.failure(), None);
        Some(simulation)
    }

    fn solver(simulation: &mut Simulation) -> &mut GpuSimulation {
        simulation.solver_as::<GpuSimulation>().unwrap()
    }

    fn numbers<'a>(state: &'a mut SavedState, name: &str) -> &'a mut Vec<f32> {
        match state.columns.get_mut(name) {
            Some(ColumnData::F32(values)) => values,
            other => panic!("{name}: {other:?}"),
        }
    }

    fn tensors(state: &mut SavedState) -> &mut Vec<[f32; 6]> {
        match state.columns.get_mut("stress") {
            Some(ColumnData::Tensor(values)) => values,
            other => panic!("{other:?}"),
        }
    }

    fn ids(state: &mut SavedState) -> &mut Vec<u32> {
        match state.particles.get_mut("id") {
            Some(ColumnData::U32(values)) => values,
            other => panic!("{other:?}"),
        }
    }

    /// Refuses all that is broken, and is then still what a solver is that was never asked.
    fn refuses(solver_name: &str, broken: &[(&str, Vec<u8>)], good: &[u8], hash: u64) {
        let (Some(mut asked), Some(mut untouched)) = (simulation(solver_name, 2), simulation(solver_name, 2))
        else {
            return;
        };
        for (word, bytes) in broken {
            let error = solver(&mut asked).restore(bytes).unwrap_err().to_string();
            assert!(error.contains(word), "{word}: {error}");
            let hashes = [&mut asked, &mut untouched].map(|s| s.simulator().state_hash());
            assert_eq!(hashes[0], hashes[1], "{word}");
        }
        for _ in 0..3 {
            let steps = [&mut asked, &mut untouched].map(|s| s.step().dt);
            assert_eq!(steps[0], steps[1]);
        }
        let hashes = [&mut asked, &mut untouched].map(|s| s.simulator().state_hash());
        assert_eq!(hashes[0], hashes[1]);
        solver(&mut asked).restore(good).unwrap();
        assert_ne!(hash, hashes[0]);
        assert_eq!(asked.simulator().state_hash(), hash);
    }

    #[test]
    fn a_state_of_iisph_that_is_refused_changes_nothing() {
        let Some(mut source) = simulation("iisph", 7) else { return };
        let command = Command::Set { path: "air.density".into(), value: 3.0 };
        source.apply(&command).unwrap();
        let good = solver(&mut source).checkpoint().unwrap();
        let changed = |change: &dyn Fn(&mut SavedState)| {
            let mut state: SavedState = saved::decode(&good).unwrap();
            change(&mut state);
            saved::encode(&state).unwrap()
        };
        let broken = [
            ("cannot be read", good[..good.len() / 2].to_vec()),
            ("bytes too many", [&good[..], &[0]].concat()),
            ("not finite", changed(&|s| tensors(s)[3][1] = f32::NAN)),
            ("different lengths", changed(&|s| numbers(s, "pressure").truncate(2))),
            ("unique", changed(&|s| ids(s)[0] = ids(s)[1])),
            ("cannot be read", changed(&|s| s.world.scene.push_str("nonsense"))),
            ("radius", changed(&|s| s.world.scene = s.world.scene.replace("radius = 0.01", "radius = 0.02"))),
            ("made from", changed(&|s| s.world.scene = s.world.scene.replace("\"iisph\"", "\"wcsph\""))),
            ("bodies", changed(&|s| s.world.bodies = vec![1, 2, 3])),
        ];
        refuses("iisph", &broken, &good, source.simulator().state_hash());
    }

    #[test]
    fn a_state_of_wcsph_that_is_refused_changes_nothing() {
        let Some(mut source) = simulation("wcsph", 7) else { return };
        let good = solver(&mut source).checkpoint().unwrap();
        let changed = |change: &dyn Fn(&mut SavedState)| {
            let mut state: SavedState = saved::decode(&good).unwrap();
            change(&mut state);
            saved::encode(&state).unwrap()
        };
        let broken = [
            ("cannot be read", good[..good.len() / 2].to_vec()),
            ("not finite", changed(&|s| numbers(s, "density")[3] = f32::NAN)),
            ("different lengths", changed(&|s| numbers(s, "density").truncate(2))),
            ("bodies", changed(&|s| s.world.bodies.clear())),
        ];
        refuses("wcsph", &broken, &good, source.simulator().state_hash());
    }
}
