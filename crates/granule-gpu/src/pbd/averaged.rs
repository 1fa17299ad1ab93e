//! The stages of the averaged scheme, in the place of warm start and sweeps: every grain gathers what its contacts ask for, from one
//! column to the other and back.

use wgpu::ComputePass;

use crate::core::binder::Binder;
use crate::core::buffers::Buffers;
use crate::core::shared::SharedStages;
use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;

use super::columns::{AVERAGED, LOWEST, MOTION, PLACE, WALL_STEPS, WAY};
use super::shaders;

/// How often a step goes through all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// For overlaps of its beginning.
    pub stabilization: u32,
    /// For where grains will be.
    pub moves: u32,
}

/// The kernels with their buffers.
pub struct AveragedStages {
    lowest: Bound,
    begin: Bound,
    /// From one of the two columns to the other, and back.
    stabilise: [Bound; 2],
    iterate: [Bound; 2],
    end: [Bound; 2],
    iterations: Iterations,
}

impl AveragedStages {
    /// Binds kernels to buffers.
    pub fn new(b: &mut Binder, c: &Buffers, iterations: Iterations) -> Self {
        let (ways, lowest) = (AVERAGED.map(|info| c.columns.of(info)), c.pool(LOWEST));
        let (motion, place) = (c.columns.of(MOTION), c.columns.of(PLACE));
        let mut iterate = |from: usize, moves: f64| {
            let buffers = [
                (Read, &c.list),
                (Read, place),
                (Read, motion),
                (Read, &c.meta),
                (Write, &c.contacts),
                (Read, c.pool(WALL_STEPS)),
                (Read, ways[from]),
                (Write, ways[1 - from]),
            ];
            b.stage(&shaders::AVERAGE, "average", &[("MOVES", moves)], &buffers)
        };
        let [stabilise, moving] = [0.0, 1.0].map(|moves| [0, 1].map(|from| iterate(from, moves)));
        let begin = [(Read, &c.position), (Read, motion), (Read, lowest), (Write, ways[0])];
        let end = |from: usize| {
            let way = c.columns.of(WAY);
            [(Read, &c.meta), (Write, &c.contacts), (Read, ways[from]), (Write, motion), (Write, way)]
        };
        Self {
            lowest: b.stage(
                &shaders::AVERAGE_LOWEST,
                "average_lowest",
                &[],
                &[(Read, &c.position), (Write, lowest)],
            ),
            begin: b.stage(&shaders::AVERAGE_BEGIN, "average_begin", &[], &begin),
            stabilise,
            iterate: moving,
            end: [0, 1].map(|from| b.stage(&shaders::AVERAGE_END, "average_end", &[], &end(from))),
            iterations,
        }
    }

    /// Solves all contacts of a step.
    pub fn run(&self, pass: &mut ComputePass, s: &SharedStages) {
        let Iterations { stabilization, moves } = self.iterations;
        self.lowest.dispatch(pass, 1);
        s.over_particles(pass, &self.begin);
        for number in 0..stabilization + moves {
            let kernels = if number < stabilization { &self.stabilise } else { &self.iterate };
            s.over_particles(pass, &kernels[number as usize % 2]);
        }
        s.over_particles(pass, &self.end[(stabilization + moves) as usize % 2]);
    }
}
