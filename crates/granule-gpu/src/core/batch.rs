//! Steps in batches: recorded and submitted without waiting for any of them.
//!
//! A batch ends at a frame's time. The device chooses the length of every step itself and keeps the time since the
//! batch's start; recorded steps beyond its end dispatch nothing. How many steps and iterations are recorded follows the
//! last batch and changes nothing but time: a step whose iterations were not all recorded goes on with those of the next,
//! and a batch that has not reached its end is followed by more.

use std::ops::Range;
use std::time::Instant;

use granule::boundary::ServoState;
use granule::simulator::StepReport;
use granule::stages::{Stage, StageTimes};

use crate::GpuError;
use crate::kernel::WORKGROUP;

use super::bodies;
use super::buffers::{MOST_REPORTS, MOST_SEGMENTS};
use super::layout::{BodyRecord, ReportRecord, StepRecord, phase};
use super::method::{BodyVisit, MovedBodies, MovedServo};
use super::motion;
use super::recording::{Frame, Recorded, RecordedSteps, record};
use super::simulation::GpuSimulation;
use super::timing::{Passed, Timing, stage_times};

/// Steps that are recorded before the device is asked how far it got.
const MOST_RECORDED: u32 = 256;

/// Rounds without any step done or any room made, after which the device is given up.
const MOST_IDLE_ROUNDS: u32 = 8;

impl GpuSimulation {
    /// Advances by at most `most` steps, not beyond `length` \[s\].
    pub(crate) fn run_batch(&mut self, length: f64, most: usize) -> Result<Vec<StepReport>, GpuError> {
        let most = most.min(MOST_REPORTS as usize);
        self.begin_batch(length, most)?;
        let (mut recorded, mut idle, mut visited) = (0, 0, 0);
        let mut passed = Vec::new();
        let mut moving = 0.0;
        let lists_before = self.step.wall_half;
        let start = Instant::now();
        let records = loop {
            let before = self.step;
            let count = self.steps_to_record(self.step.most_reports as usize);
            let timings = self.submit(recorded, count)?;
            recorded += count;
            let records = self.read_round(recorded, timings, &mut passed)?;
            match self.step.phase {
                phase::HALTED => self.make_way()?,
                phase::MOVING => moving += self.move_bodies_within_step(),
                _ => {}
            }
            if matches!(self.step.phase, phase::HALTED | phase::MOVING) {
                self.step.phase = phase::READY;
                self.write_step();
            }
            if self.step.reports as usize >= most || self.step.elapsed >= self.step.length {
                break records;
            }
            if self.step.reports >= self.step.most_reports {
                self.advance_boundaries(&records);
                moving += self.visit_bodies(&records, visited, false);
                visited = records.len();
                self.upload_bodies();
                self.step.most_reports = self.reports_until_visit(most);
                self.write_step();
            }
            let same = before.reports == self.step.reports && before.iteration == self.step.iteration;
            idle = if same && self.step.phase != phase::READY { idle + 1 } else { 0 };
            if idle > MOST_IDLE_ROUNDS {
                return Err(GpuError::Stuck { adapter: self.gpu.adapter.name.clone() });
            }
        };
        self.pacing.finish(step_seconds(&passed, start.elapsed().as_secs_f64(), records.len()));
        self.note_lists(lists_before, &records);
        moving += self.end_batch(&records, visited);
        let mut reports = self.reports(&records, &passed);
        if let Some(last) = reports.last_mut() {
            last.stages.add(Stage::MoveBodies, moving);
            last.lost += self.moved_bodies().lost;
        }
        Ok(reports)
    }

    /// Makes room for what a step needed more of: buffers, or passes of the sort.
    pub(crate) fn make_way(&mut self) -> Result<(), GpuError> {
        self.step.pass_capacity = self.step.pass_capacity.max(self.step.sort_passes);
        let capacity = self.capacity.grown(&self.step);
        if capacity == self.capacity { Ok(()) } else { self.make_room(capacity) }
    }

    fn begin_batch(&mut self, length: f64, most: usize) -> Result<(), GpuError> {
        self.refresh_poses();
        // Single steps towards a frame's end count from its start, as a batch does, so that both give the same bits.
        let frame_begins = !self.frame.ends_at(self.time + length);
        if frame_begins {
            self.frame = Frame { start: self.time, length };
            self.step.elapsed = 0.0;
            self.step.length = length as f32;
            // Neighbours and walls do not outlive a frame, so that a checkpoint need not hold them.
            if !self.method.keeps_lists() {
                self.method.forget_neighbors(&mut self.step);
            }
        }
        let Frame { start, length } = self.frame;
        self.segments = motion::segments(&self.boundaries, &mut self.poses, start, length);
        if self.segments.len() > MOST_SEGMENTS as usize {
            return Err(GpuError::Motions { count: self.segments.len(), most: MOST_SEGMENTS as usize });
        }
        self.upload_bodies();
        self.send_cell(frame_begins);
        self.step.reports = 0;
        self.step = StepRecord {
            phase: phase::READY,
            most_reports: self.reports_until_visit(most),
            slots: 0,
            slots_needed: 0,
            contacts_needed: 0,
            cells_needed: 0,
            ..self.step
        };
        self.write_step();
        Ok(())
    }

    pub(crate) fn write_step(&self) {
        self.gpu.queue.write_buffer(&self.buffers.step, 0, bytemuck::bytes_of(&self.step));
    }

    /// Steps that the rest of the batch is likely to take.
    fn steps_to_record(&self, most: usize) -> u32 {
        let likely = self.last_dt.unwrap_or_else(|| self.first_dt());
        let left = self.frame.length - f64::from(self.step.elapsed);
        let steps = (left / likely).ceil().clamp(1.0, f64::from(MOST_RECORDED)) as usize;
        let steps = steps.min(most - self.step.reports as usize).max(1) as u32;
        if self.rhythm.waits() {
            return steps + u32::from(self.step.progress != 0) + self.rhythm.likely_waits(steps);
        }
        // A step of no length may come first, and one whose iterations were not all recorded goes on with those of the next.
        steps + u32::from(self.step.progress != 0 || self.method.iterations().most > 0)
    }

    /// How long the first step may be \[s\].
    fn first_dt(&self) -> f64 {
        self.method.first_step(self.gravity.length())
    }

    /// Records and submits steps, a few at a time, so that the device begins while others are recorded. Where somebody else
    /// draws with the device, few of them are under way at once.
    fn submit(&mut self, first: u32, count: u32) -> Result<Vec<Timing>, GpuError> {
        let shape = self.shape();
        let mut timings = Vec::new();
        let (mut at, mut together) = (0, 1);
        while at < count {
            let end = (at + together).min(count);
            let prepared = if first + at == 0 { self.prepared.take() } else { None };
            let prepared = prepared.filter(|prepared| prepared.shape.serves(&shape));
            let steps = prepared.unwrap_or_else(|| self.record_steps(first + at, at..end, shape));
            self.pacing.make_room(&self.gpu)?;
            self.pacing.note(&self.gpu, self.gpu.submit([steps.commands]));
            timings.extend(steps.timing);
            (at, together) = (end, (2 * together).min(self.pacing.steps_together(&self.gpu)));
        }
        Ok(timings)
    }

    pub(crate) fn shape(&self) -> Recorded {
        let of_method = self.method.iterations();
        Recorded {
            blocks: self.step.sort_count.div_ceil(WORKGROUP),
            sure_iterations: of_method.sure,
            passes: self.step.pass_capacity,
            iterations: self.iterations.min(of_method.most).saturating_sub(of_method.sure).max(1),
            diagnostics: self.diagnostics,
            sorts: true,
        }
    }

    /// Records steps: the first has a number in the batch, and all have numbers in their round.
    fn record_steps(&mut self, first: u32, round: Range<u32>, shape: Recorded) -> RecordedSteps {
        let mut timing = self.timings.pop().or_else(|| Timing::new(&self.gpu));
        if let Some(timing) = &mut timing {
            timing.begin(first, self.kernel_times.is_some());
        }
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        for number in round {
            let shape = Recorded { sorts: self.rhythm.sorts(number), ..shape };
            record(self.stages.list(&self.shared, &shape), &mut encoder, &mut timing);
            if let Some(timing) = &mut timing {
                timing.next_step();
            }
        }
        if let Some(timing) = &timing {
            timing.resolve(&mut encoder);
        }
        RecordedSteps { commands: encoder.finish(), timing, shape }
    }

    /// Records the first step of the next batch while the device is busy with this one.
    fn prepare_next(&mut self) {
        if self.prepared.is_none() {
            self.prepared = Some(self.record_steps(0, 0..1, self.shape()));
        }
    }

    /// Waits until all that was submitted is done, and takes over the step, its reports and the times of stages.
    fn read_round(
        &mut self,
        recorded: u32,
        timings: Vec<Timing>,
        passed: &mut Vec<Passed>,
    ) -> Result<Vec<ReportRecord>, GpuError> {
        let most = recorded.min(MOST_REPORTS);
        let sizes = [size_of::<StepRecord>(), size_of::<ReportRecord>() * most as usize];
        let (c, [step_size, reports_size]) = (&self.buffers, sizes);
        let bodies_size = size_of::<BodyRecord>() * self.scene.body.len();
        let pools: Vec<&wgpu::Buffer> =
            self.method.body_pools().into_iter().map(|pool| c.pool(pool)).collect();
        let pool_size: u64 = pools.iter().map(|pool| pool.size()).sum();
        let cell = self.method.cell_pool().map(|pool| c.pool(pool));
        let cell_size = cell.map_or(0, wgpu::Buffer::size);
        let mut parts = vec![
            (&c.step, 0, step_size as u64),
            (&c.reports, 0, reports_size as u64),
            (&c.bodies, 0, bodies_size as u64),
        ];
        parts.extend(pools.into_iter().map(|pool| (pool, 0, pool.size())));
        parts.extend(cell.map(|pool| (pool, 0, cell_size)));
        parts.extend(timings.iter().map(Timing::part));
        let pending = self.gpu.begin_read(&parts);
        self.prepare_next();
        let bytes = pending.take(&self.gpu)?;
        let (step, rest) = bytes.split_at(step_size);
        let (reports, rest) = rest.split_at(reports_size);
        let (bodies, rest) = rest.split_at(bodies_size);
        let (flown, rest) = rest.split_at(pool_size as usize);
        let (strained, mut rest) = rest.split_at(cell_size as usize);
        self.take_back_cell(strained);
        self.flown = flown.to_vec();
        self.pushed = bytemuck::pod_collect_to_vec(bodies);
        self.step = bytemuck::pod_read_unaligned(step);
        for timing in &timings {
            let own;
            (own, rest) = rest.split_at(timing.part().2 as usize);
            passed.extend(timing.passed(&self.gpu, own));
            if let Some(times) = &mut self.kernel_times {
                timing
                    .kernels(&self.gpu, own)
                    .into_iter()
                    .for_each(|(name, seconds)| times.add(name, seconds));
            }
        }
        self.timings.extend(timings);
        let mut records: Vec<ReportRecord> = bytemuck::pod_collect_to_vec(reports);
        records.truncate(self.step.reports as usize);
        self.last_dt = records.last().map(|last| f64::from(last.dt)).or(self.last_dt);
        Ok(records)
    }

    /// Takes over where the batch has ended, and returns how long it took to move the bodies there \[s\]; rapier has seen the
    /// bodies after the first `visited` steps.
    fn end_batch(&mut self, records: &[ReportRecord], visited: usize) -> f64 {
        let Some(last) = records.last() else { return 0.0 };
        self.advance_boundaries(records);
        self.time = self.time_at(last);
        self.live_count = last.count as usize;
        let beyond = |record: &ReportRecord| self.method.lost_beyond_grains(record);
        self.beyond_grains -= records.iter().map(beyond).sum::<usize>();
        self.added = None;
        self.iterations = records.iter().map(|record| record.iterations).max().unwrap_or(1).max(1);
        match self.method.body_visit() {
            BodyVisit::AfterStep => self.move_bodies(last.dt),
            BodyVisit::WithinStep => 0.0,
            BodyVisit::AtIntervals => {
                let frame_ends = self.step.elapsed >= self.step.length;
                self.visit_bodies(records, visited, frame_ends)
            }
        }
    }

    /// Takes over how many steps of a batch have made lists: each of them turns the half of wall contacts.
    fn note_lists(&mut self, before: u32, records: &[ReportRecord]) {
        let Some(last) = records.last() else { return };
        let halves = records.iter().map(|record| record.wall_half);
        let turned = std::iter::once(before).chain(halves.clone()).zip(halves).filter(|(a, b)| a != b);
        self.rhythm.note(records.len(), last.slot + 1, turned.count());
    }

    /// Simulated time at the end of a step \[s\].
    fn time_at(&self, record: &ReportRecord) -> f64 {
        let Frame { start, length } = self.frame;
        start + if record.elapsed >= length as f32 { length } else { f64::from(record.elapsed) }
    }

    /// Puts boundaries where they are after the last step of the batch so far.
    fn advance_boundaries(&mut self, records: &[ReportRecord]) {
        let Some(last) = records.last() else { return };
        let before = records.len().checked_sub(2).map_or(self.time, |k| self.time_at(&records[k]));
        let dt = self.time_at(last) - before;
        let moved = self.moved_bodies();
        for MovedServo { index, state, middle_speed: speed } in moved.servos.iter().copied() {
            self.boundaries.set_servo(index, ServoState { way: state.way - dt * speed, speed, ..state });
        }
        self.boundaries.advance(before, dt);
        moved.servos.iter().for_each(|servo| self.boundaries.set_servo(servo.index, servo.state));
    }

    /// Bodies, and walls that hold a force, as the device left them; none where it does not move them.
    fn moved_bodies(&mut self) -> MovedBodies {
        if self.flown.is_empty() {
            return MovedBodies::default();
        }
        self.method.fetch_bodies(&self.flown, &mut self.bodies, &self.boundaries)
    }

    /// Steps of this frame between two visits of rapier.
    fn steps_per_visit(&self) -> u32 {
        if self.method.body_visit() != BodyVisit::AtIntervals || !self.bodies.any_free() {
            return u32::MAX;
        }
        let quotient = self.frame.length / f64::from(self.method.limits().longest);
        let dt = self.frame.length / (quotient - 1e-4 - 2.4e-7 * quotient).ceil().max(1.0);
        // What is beyond the range of whole numbers is the largest of them.
        (self.method.body_interval() * (1.0 - 1e-9) / dt).ceil().max(1.0) as u32
    }

    /// Reports after which rapier is to see the bodies, or the batch ends.
    fn reports_until_visit(&self, most: usize) -> u32 {
        let left = self.steps_per_visit().saturating_sub(self.since_visit.0).max(1);
        self.step.reports.saturating_add(left).min(most as u32)
    }

    /// Takes over how the device has moved bodies, lets rapier find what they do to each other where that is due, and returns how
    /// long it took \[s\]. Steps are counted from the one with number `first` in the batch on.
    fn visit_bodies(&mut self, records: &[ReportRecord], first: usize, frame_ends: bool) -> f64 {
        if self.bodies.is_empty() || self.flown.is_empty() {
            return 0.0;
        }
        let start = Instant::now();
        let moved = self.moved_bodies();
        self.bodies.take_back(&moved.free, &moved.loads, self.gravity, &mut self.boundaries);
        let (steps, seconds) = self.since_visit;
        let passed: f64 = records[first..].iter().map(|record| f64::from(record.dt)).sum();
        self.since_visit = (steps + (records.len() - first) as u32, seconds + passed);
        if frame_ends || self.since_visit.0 >= self.steps_per_visit() {
            self.bodies.visit(self.since_visit.1, &mut self.boundaries);
            self.since_visit = (0, 0.0);
        }
        start.elapsed().as_secs_f64()
    }

    /// Writes what moves by itself, and the bodies that the device is to move.
    fn upload_bodies(&mut self) {
        self.refresh_poses();
        self.upload_surroundings();
        for write in self.method.send_bodies(&mut self.bodies, &self.boundaries, self.frame.start) {
            self.gpu.queue.write_buffer(self.buffers.pool(write.pool), write.at, &write.bytes);
        }
    }

    /// Moves the bodies in the middle of a step, and returns how long it took \[s\].
    fn move_bodies_within_step(&mut self) -> f64 {
        let seconds = self.move_bodies(self.step.dt);
        self.refresh_poses();
        self.upload_surroundings();
        seconds
    }

    /// Hands the grains' forces over to the bodies and moves these by a step \[s\]; returns how long it took \[s\].
    fn move_bodies(&mut self, dt: f32) -> f64 {
        if self.bodies.is_empty() {
            return 0.0;
        }
        let start = Instant::now();
        let loads = bodies::loads(&self.pushed);
        self.bodies.step(f64::from(dt), self.gravity, &loads, &mut self.boundaries);
        let moved = self.moved_bodies();
        for (body, (state, load)) in moved.free.iter().zip(&moved.loads).enumerate() {
            if let Some(state) = state {
                self.bodies.carry(body, state, *load, &mut self.boundaries);
            }
        }
        start.elapsed().as_secs_f64()
    }

    pub(crate) fn refresh_poses(&mut self) {
        for (pose, boundary) in self.poses.iter_mut().zip(self.boundaries.iter()) {
            motion::refresh(pose, boundary);
        }
    }

    fn reports(&self, records: &[ReportRecord], passed: &[Passed]) -> Vec<StepReport> {
        let last_steps: Vec<u32> = records.iter().map(|record| record.slot).collect();
        let times = stage_times(passed, &last_steps);
        records.iter().zip(times).map(|(record, stages)| self.report(record, stages)).collect()
    }

    fn report(&self, record: &ReportRecord, stages: StageTimes) -> StepReport {
        let mut report = StepReport {
            dt: f64::from(record.dt),
            particles: record.count as usize - self.hidden,
            iterations: record.iterations,
            converged: record.converged == 1,
            limited: record.limited == 1,
            max_speed: f64::from(record.max_speed),
            kinetic_energy: f64::from(record.kinetic_energy),
            friction_power: self.diagnostics.then_some(f64::from(record.friction_power)),
            lost: record.lost as usize - self.method.lost_beyond_grains(record),
            dropped_samples: record.dropped as usize,
            neighbors_mean: f64::from(record.neighbors)
                / f64::from((record.count + record.lost - self.hidden as u32).max(1)),
            stages,
            ..StepReport::default()
        };
        self.method.report(record, &mut report);
        report
    }
}

/// How long a step took \[s\]: by the device's clock where it has one, else of the batch's time on the wall.
fn step_seconds(passed: &[Passed], wall: f64, steps: usize) -> f64 {
    let on_device: f64 = passed.iter().map(|pass| pass.seconds).sum();
    if on_device > 0.0 { on_device / steps.max(1) as f64 } else { wall / steps.max(1) as f64 }
}
