//! A periodic cell that strains, as the host knows it. The device strains it, step by step; the host says how, and takes over how
//! far it has got whenever it looks.
//!
//! A frame begins with what the host has, in double precision: that is what a checkpoint holds, so a run that goes on from one
//! gives the same bits.

use granule::cell::StrainedCell;
use granule::neighbors::Domain;
use granule::solver::saved::SavedWorld;

use super::simulation::GpuSimulation;

impl GpuSimulation {
    /// Makes space that of the cell.
    pub(crate) fn fit_space(&mut self) {
        let Some(cell) = &self.cell else { return };
        let ranges = cell.ranges();
        self.constants.domain = Domain::new(ranges.map(|range| range.map(|ends| ends.map(|end| end as f32))));
        self.method.fit_space(ranges);
    }

    /// Writes how the cell is to strain, and how far it has where a frame begins.
    pub(crate) fn send_cell(&self, frame_begins: bool) {
        let (Some(cell), Some(settings)) = (&self.cell, &self.scene.simulation.strain) else { return };
        let state = frame_begins.then(|| cell.state());
        for write in self.method.send_cell(settings, state, self.frame.start) {
            self.gpu.queue.write_buffer(self.buffers.pool(write.pool), write.at, &write.bytes);
        }
    }

    /// Takes over how far the device has strained the cell; one that is none any more stays as it was, and its grains are lost.
    pub(crate) fn take_back_cell(&mut self, bytes: &[u8]) {
        if let (Some(cell), Some(state)) = (&mut self.cell, self.method.fetch_cell(bytes)) {
            cell.restore(state);
            self.fit_space();
        }
    }

    /// Takes over the cell of a checkpoint.
    pub(crate) fn restore_cell(&mut self, saved: &SavedWorld) {
        self.cell = StrainedCell::new(&self.scene);
        if let (Some(cell), Some(state)) = (&mut self.cell, saved.cell) {
            cell.restore(state);
        }
        self.fit_space();
    }
}
