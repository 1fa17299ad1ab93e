//! A simulation on a device as the engine's `Simulator`: what it asks for, and who does it.

use glam::Vec3;
use granule::bodies::BodyReport;
use granule::boundary::{Boundary, Pose, Sdf};
use granule::cell::{CellState, StrainedCell};
use granule::contacts::Contact;
use granule::particles::NewGrain;
use granule::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use granule::stages::Stage;

use super::columns::POSITION;
use super::layout::OF_GRAIN;
use super::simulation::{GpuSimulation, read_pool};

impl GpuSimulation {
    /// Advances by at most `most` steps, not beyond `max_dt` seconds.
    fn steps_within(&mut self, max_dt: f64, most: usize) -> Vec<StepReport> {
        if self.failure.is_some() {
            return Vec::new();
        }
        // Bodies move after every step.
        let most = if self.bodies.is_empty() { most } else { most.min(1) };
        match self.run_batch(max_dt, most) {
            Ok(reports) => reports,
            Err(error) => {
                self.fail(error);
                Vec::new()
            }
        }
    }
}

impl Simulator for GpuSimulation {
    fn solver(&self) -> &'static str {
        self.method.name()
    }

    fn device(&self) -> String {
        let adapter = &self.gpu.adapter;
        format!("{} ({}, {})", adapter.name, adapter.kind.word(), adapter.backend)
    }

    fn step(&mut self, max_dt: f64) -> StepReport {
        self.steps_within(max_dt, 1).pop().unwrap_or_default()
    }

    fn advance(&mut self, until: f64, most: usize) -> Vec<StepReport> {
        self.steps_within(until - self.time, most)
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.apply_command(command)
    }

    fn emit(&mut self, grains: &[NewGrain], places: &[Vec3]) -> usize {
        self.add_grains(grains, places)
    }

    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        self.remove_grains_inside(regions)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.method.fields()
    }

    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError> {
        self.read_fields(fields)
    }

    fn poll(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        self.poll_read(ticket, snapshot)
    }

    fn contacts(&mut self) -> Vec<Contact> {
        match self.method.contacts(&|| self.save_state(), &self.scene, &self.boundaries) {
            Ok(contacts) => contacts,
            Err(error) => {
                self.fail(error);
                Vec::new()
            }
        }
    }

    fn particle_count(&self) -> usize {
        self.live_count - self.hidden
    }

    fn grain_count(&self) -> usize {
        self.live_count - self.hidden - self.beyond_grains
    }

    fn grain_centers(&self) -> Option<Vec<[f32; 3]>> {
        let (gpu, buffers) = (&self.gpu, &self.buffers);
        let read = |pool: &str| read_pool(gpu, buffers, pool);
        let rigid = self.method.rigid_centers(&self.constants.domain, &read).ok()??;
        let rows = self.download(&[POSITION]).ok()?;
        let position = rows.position();
        let is_single = |i: &usize| rows.meta[*i][1] & OF_GRAIN == 0;
        let single =
            rows.live().into_iter().filter(is_single).map(|i| Vec3::from_slice(&position[i]).to_array());
        Some(single.chain(rigid).collect())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn bytes_per_particle(&self) -> f64 {
        self.buffers.bytes() as f64 / self.live_count.max(1) as f64
    }

    fn traffic(&self) -> Vec<(Stage, f64)> {
        self.method.traffic(&self.step, self.buffers.columns.state_bytes())
    }

    fn state_hash(&self) -> u64 {
        self.hash_state()
    }

    fn bodies(&self) -> Vec<BodyReport> {
        self.bodies.reports(&self.boundaries)
    }

    fn cell(&self) -> Option<CellState> {
        self.cell.as_ref().map(StrainedCell::state)
    }

    fn boundary_poses(&self) -> Vec<Pose> {
        self.boundaries.iter().map(Boundary::pose).collect()
    }

    fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        self.save_state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.restore_state(state)
    }
}
