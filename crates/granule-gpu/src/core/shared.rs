//! The kernels that all methods share, with their buffers.

use wgpu::{Buffer, ComputePass};

use crate::kernel::Access::{Read, Write};
use crate::kernel::Bound;
use crate::solid_table::SolidTable;

use super::binder::Binder;
use super::bodies::BodyStages;
use super::buffers::Buffers;
use super::columns::ColumnInfo;
use super::constants::BodyVariant;
use super::layout::slot;
use super::search::Search;
use super::shaders::hooked;
use super::sorting::Sorting;

/// The kernels that all methods share.
pub struct SharedStages {
    /// Length of the step, sort.
    pub sorting: Sorting,
    /// Neighbours and walls.
    pub search: Search,
    /// Bodies, where there are some.
    pub bodies: Option<BodyStages>,
    /// Whether some body gives way.
    pub two_way: bool,
    drag: Option<Bound>,
    end: Bound,
    arguments: Buffer,
}

impl SharedStages {
    /// Binds kernels to buffers; accelerations that bound the step are in the column `measured`, drag changes `driven`; `coupled` says
    /// whether these kernels move bodies.
    pub fn new(
        b: &mut Binder,
        c: &Buffers,
        table: &SolidTable,
        measured: Option<ColumnInfo>,
        driven: Option<ColumnInfo>,
        coupled: bool,
    ) -> Self {
        let (air, bodies) = b.surroundings();
        let drag = driven.filter(|_| air).map(|column| {
            let buffers = [
                (Read, &c.list),
                (Read, &c.position),
                (Read, &c.velocity),
                (Read, &c.meta),
                (Read, &c.air),
                (Write, c.columns.of(column)),
            ];
            b.stage(&hooked::DRAG, "predict_drag", &[], &buffers)
        });
        Self {
            sorting: Sorting::new(b, c, measured),
            search: Search::new(b, c, table),
            bodies: (coupled && bodies != BodyVariant::Absent).then(|| BodyStages::new(b, c)),
            two_way: bodies == BodyVariant::Free,
            drag,
            end: b.control(
                &hooked::END,
                "end",
                &[],
                &[(Write, &c.step), (Write, &c.counters), (Read, &c.partials), (Write, &c.reports)],
            ),
            arguments: c.arguments.clone(),
        }
    }

    /// Dispatches a kernel over as many workgroups as the device has decided, in a slot.
    pub fn run(&self, pass: &mut ComputePass, kernel: &Bound, slot: u64) {
        kernel.dispatch_indirect(pass, &self.arguments, slot);
    }

    /// Dispatches a kernel over the particles of a step that goes on.
    pub fn over_particles(&self, pass: &mut ComputePass, kernel: &Bound) {
        self.run(pass, kernel, slot::PARTICLES);
    }

    /// Whether drag acts.
    pub fn has_drag(&self) -> bool {
        self.drag.is_some()
    }

    /// Drag.
    pub fn drag(&self, pass: &mut ComputePass) {
        self.drag.iter().for_each(|drag| self.over_particles(pass, drag));
    }

    /// The step's report; time goes on.
    pub fn end(&self, pass: &mut ComputePass) {
        self.end.dispatch(pass, 1);
    }

    /// Bodies without grains, then under the impulses that contacts have.
    pub fn begin_bodies(&self, pass: &mut ComputePass) {
        if let Some(bodies) = &self.bodies {
            bodies.begin(pass, self.two_way, |pass, kernel| self.over_particles(pass, kernel));
        }
    }

    /// What an iteration has given to grains is taken from the bodies.
    pub fn push_bodies(&self, pass: &mut ComputePass, slot: u64) {
        if let Some(bodies) = self.bodies.as_ref().filter(|_| self.two_way) {
            bodies.update(pass, |pass, kernel| self.run(pass, kernel, slot));
        }
    }

    /// The forces on bodies that no iteration has pushed.
    pub fn load_bodies(&self, pass: &mut ComputePass) {
        if let Some(bodies) = self.bodies.as_ref().filter(|_| !self.two_way) {
            bodies.sum_up(pass, |pass, kernel| self.run(pass, kernel, slot::FINISH));
        }
    }
}
