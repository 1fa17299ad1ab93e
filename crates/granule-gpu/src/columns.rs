//! The buffers of a simulation.

use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use crate::GpuError;
use crate::kernel::ARGUMENT_STRIDE;
use crate::layout::{
    BodyRecord, ContactRecord, LANES, LOAD_WORDS, MOST_MATERIALS, MaterialRecord, Params, PoseRecord,
    ReportRecord, SegmentRecord, StepRecord, slot,
};
use crate::primitives::{Scan, Sort};

/// Most reports of a batch.
pub const MOST_REPORTS: u32 = 1024;

/// Neighbour slots per particle that lists begin with: a settled bed of 32 neighbours, padded to the longest of 32.
const SLOTS_PER_PARTICLE: f64 = 40.0;

/// Name of the buffer of solids and maps of meshes.
const SOLIDS: &str = "solids";

/// How much buffers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Particles.
    pub particles: u32,
    /// Slots of neighbour lists, of 32 words each.
    pub slots: u32,
    /// Wall contacts, of one step.
    pub contacts: u32,
    /// Occupied cells.
    pub cells: u32,
}

impl Room {
    /// Room for a number of particles, as settled sand needs it, with pairs listed up to so many supports.
    pub fn new(particles: u32, reach: f32) -> Self {
        let particles = particles.max(1024).next_multiple_of(LANES);
        let slots = SLOTS_PER_PARTICLE * f64::from(reach).powi(3);
        Self {
            particles,
            slots: (f64::from(particles) * slots / f64::from(LANES)) as u32,
            contacts: particles / 4,
            cells: particles / 4,
        }
    }

    /// The same with more room where a step needed more.
    pub fn grown(&self, step: &StepRecord) -> Self {
        let more = |have: u32, needed: u32| {
            if needed > have { (f64::from(needed) * 1.25) as u32 + 64 } else { have }
        };
        Self {
            particles: self.particles,
            slots: more(self.slots, step.slots_needed),
            contacts: more(self.contacts, step.contacts_needed),
            cells: more(self.cells, step.cells_needed),
        }
    }
}

/// Sizes that follow from the scene.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    /// Ranges of candidates per cell.
    pub ranges: u32,
    /// Whether trial stresses are kept.
    pub explicit: bool,
    /// Boundaries.
    pub boundaries: u32,
    /// Rigid bodies.
    pub bodies: u32,
    /// Records of the program.
    pub program: u32,
    /// Records of the air.
    pub air: u32,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// All buffers.
        pub struct Columns { $($(#[$doc])* pub $name: Buffer),+ }

        impl Columns {
            /// Bytes of all buffers.
            pub fn bytes(&self) -> u64 {
                [$(&self.$name),+].iter().map(|buffer| buffer.size()).sum()
            }
        }
    };
}

columns! {
    /// Centre and radius.
    position,
    /// Velocity and mass.
    velocity,
    /// Frictional stress (xx, xy, xz, yy, yz, zz), pressure, strain rate.
    stress,
    /// Id, material, contacts of the last step.
    tags,
    /// Reordered columns on their way.
    scratch,
    /// Keys before a sort pass.
    first_keys,
    /// Keys after it.
    second_keys,
    /// Places before a sort pass.
    first_order,
    /// Places after it.
    second_order,
    /// Where digits go.
    starts,
    /// Marks of the first particles of cells, then their scan.
    heads,
    /// Sums of tiles of that scan.
    sums,
    /// First particles of cells.
    cells,
    /// Particles around cells.
    rows,
    /// Neighbour lists.
    list,
    /// Wall contacts, two halves.
    contacts,
    /// Density, diagonal, contacts, material and number of neighbours.
    found,
    /// Predicted velocity, wall acceleration, trial stress.
    prediction,
    /// Velocity with everything.
    solved,
    /// Sums of blocks.
    partials,
    /// Solids and wall table.
    program,
    /// Boundaries.
    poses,
    /// Stretches of motions.
    segments,
    /// Rigid bodies.
    bodies,
    /// Sums of forces on bodies.
    loads,
    /// The step.
    step,
    /// Arguments of indirect dispatches.
    arguments,
    /// Counters.
    counters,
    /// Number of particles to sort.
    extent,
    /// Reports of a batch.
    reports,
    /// Constants.
    params,
    /// Materials.
    materials,
    /// Wind fields and drag.
    air,
}

/// Stretches of motions that there is room for.
pub const MOST_SEGMENTS: u32 = 4096;

impl Columns {
    /// Buffers with room for so much.
    ///
    /// # Errors
    /// Says which buffer is larger than the device allows.
    pub fn new(gpu: &GpuDevice, room: &Room, extents: &Extents) -> Result<Self, GpuError> {
        let n = u64::from(room.particles);
        let limits = gpu.device.limits();
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        let create = |name: &'static str, size: u64, usage: BufferUsages| {
            let size = size.max(16).next_multiple_of(16);
            if size > most && name == SOLIDS {
                return Err(GpuError::Maps { needed: size, most });
            }
            if size > most {
                return Err(GpuError::TooLarge { what: name, needed: size, most });
            }
            Ok(gpu.create_buffer(name, size, usage))
        };
        let state = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let scratch = |name, size| create(name, size, BufferUsages::STORAGE);
        let kept = |name, size| create(name, size, state);
        let uniform = |name, size| create(name, size, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let both = |name, size| create(name, size, BufferUsages::UNIFORM | state);
        let blocks = n.div_ceil(256);
        let trial = if extents.explicit { 2 } else { 0 };
        let list = 2 * u64::from(room.particles.div_ceil(LANES)) + u64::from(room.slots) * u64::from(LANES);
        Ok(Self {
            position: kept("position", 16 * n)?,
            velocity: kept("velocity", 16 * n)?,
            stress: kept("stress", 32 * n)?,
            tags: kept("tags", 16 * n)?,
            scratch: kept("scratch", 80 * n)?,
            first_keys: scratch("keys", 8 * n)?,
            second_keys: scratch("keys", 8 * n)?,
            first_order: scratch("order", 4 * n)?,
            second_order: scratch("order", 4 * n)?,
            starts: scratch("digit starts", 4 * u64::from(Sort::starts_len(room.particles)))?,
            heads: scratch("cell heads", 4 * n)?,
            sums: kept("tile sums", 4 * u64::from(Scan::sums_len(room.particles)))?,
            cells: scratch("cells", 4 * u64::from(room.cells))?,
            rows: scratch("rows", 8 * u64::from(extents.ranges) * u64::from(room.cells))?,
            list: kept("neighbour lists", 4 * list)?,
            contacts: kept(
                "wall contacts",
                2 * size_of::<ContactRecord>() as u64 * u64::from(room.contacts),
            )?,
            found: kept("found", 16 * n)?,
            prediction: kept("prediction", 16 * n * (2 + trial))?,
            solved: kept("solved velocity", 16 * n)?,
            partials: kept("partial sums", 64 * blocks)?,
            program: kept(SOLIDS, 16 * u64::from(extents.program))?,
            poses: kept("poses", size_of::<PoseRecord>() as u64 * u64::from(extents.boundaries.max(1)))?,
            segments: kept("motions", size_of::<SegmentRecord>() as u64 * u64::from(MOST_SEGMENTS))?,
            bodies: kept("bodies", size_of::<BodyRecord>() as u64 * u64::from(extents.bodies))?,
            loads: kept("loads of bodies", 4 * LOAD_WORDS * u64::from(extents.bodies))?,
            step: both("step", size_of::<StepRecord>() as u64)?,
            arguments: create("arguments", ARGUMENT_STRIDE * slot::COUNT, state | BufferUsages::INDIRECT)?,
            counters: kept("counters", 16)?,
            extent: both("extent", 16)?,
            reports: kept("reports", size_of::<ReportRecord>() as u64 * u64::from(MOST_REPORTS))?,
            params: uniform("params", size_of::<Params>() as u64)?,
            materials: uniform("materials", (size_of::<MaterialRecord>() * MOST_MATERIALS) as u64)?,
            air: kept("air", 16 * u64::from(extents.air))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gpu;

    /// Maps of meshes that no binding holds are refused with what to do about it; nothing is made.
    #[test]
    fn maps_that_do_not_fit_are_refused() {
        let Some(gpu) = gpu() else { return };
        let most = gpu.device.limits().max_storage_buffer_binding_size;
        let program = u32::try_from(most / 16 + 1).unwrap_or(u32::MAX);
        let extents = Extents { ranges: 9, explicit: false, boundaries: 1, bodies: 0, program, air: 0 };
        let error = Columns::new(&gpu, &Room::new(1, 1.0), &extents).err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains("meshes") && error.contains("larger grains"), "{error}");
    }
}
