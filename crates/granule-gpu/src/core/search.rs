//! Neighbours and walls of sorted particles.

use wgpu::{Buffer, ComputePass};

use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::primitives::{BoundCompact, Launch};
use crate::solid_table::SolidTable;

use super::binder::Binder;
use super::buffers::Buffers;
use super::layout::slot;
use super::shaders::{self, hooked};

/// The kernels that find what is near a particle.
pub struct Search {
    list_cells: BoundCompact,
    index_cells: Bound,
    rows: Bound,
    neighbors: Bound,
    sample: Bound,
    check: Bound,
    arguments: Buffer,
}

impl Search {
    /// Binds kernels to buffers; walls are those of a solid table.
    pub fn new(b: &mut Binder, c: &Buffers, table: &SolidTable) -> Self {
        let ranges = [("RANGES", f64::from(b.ranges()))];
        Self {
            list_cells: b.compact(c),
            index_cells: b.control(
                &shaders::INDEX_CELLS,
                "index_cells",
                &[],
                &[(Write, &c.step), (Write, &c.arguments), (Read, &c.sums)],
            ),
            rows: b.stage(
                &shaders::ROWS,
                "find_rows",
                &ranges,
                &[(Read, &c.cells), (Read, &c.first_keys), (Read, &c.second_keys), (Write, &c.rows)],
            ),
            neighbors: b.stage(
                &shaders::NEIGHBORS,
                "list_neighbors",
                &ranges,
                &[
                    (Read, &c.position),
                    (Read, &c.heads),
                    (Read, &c.rows),
                    (Write, &c.list),
                    (Write, &c.counters),
                    (Write, &c.density_state),
                    (Read, &c.meta),
                ],
            ),
            sample: b.stage(
                &hooked::SAMPLE,
                "sample_boundaries",
                &table.constants(),
                &[
                    (Read, &c.solid_table),
                    (Read, &c.poses),
                    (Read, &c.position),
                    (Read, &c.meta),
                    (Write, &c.contacts),
                    (Write, &c.density_state),
                    (Write, &c.counters),
                ],
            ),
            check: b.control(
                &hooked::CHECK,
                "check_capacity",
                &[],
                &[(Write, &c.step), (Write, &c.arguments), (Write, &c.counters)],
            ),
            arguments: c.arguments.clone(),
        }
    }

    /// Lists the neighbours of every particle.
    pub fn find_neighbors(&self, pass: &mut ComputePass) {
        self.find_cells(pass);
        self.neighbors.dispatch_indirect(pass, &self.arguments, slot::SEARCH);
    }

    /// Finds the occupied cells and the particles around each, for a method that lists neighbours itself.
    pub fn find_cells(&self, pass: &mut ComputePass) {
        let launch = Launch::Indirect {
            arguments: &self.arguments,
            blocks: slot::BLOCKS,
            tiles: slot::TILES,
            one: slot::ONE,
        };
        self.list_cells.record(pass, launch);
        self.index_cells.dispatch(pass, 1);
        self.rows.dispatch_indirect(pass, &self.arguments, slot::CELLS);
    }

    /// Samples the walls near every particle, and checks that all that was found fits.
    pub fn sample_boundaries(&self, pass: &mut ComputePass) {
        self.sample.dispatch_indirect(pass, &self.arguments, slot::LIVE);
        self.check(pass);
    }

    /// Checks that all that was found fits.
    pub fn check(&self, pass: &mut ComputePass) {
        self.check.dispatch(pass, 1);
    }
}
