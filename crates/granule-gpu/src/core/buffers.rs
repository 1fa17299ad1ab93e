//! The buffers of a simulation: the particles' columns, and what all methods share beside them.

use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use crate::GpuError;
use crate::kernel::ARGUMENT_STRIDE;
use crate::primitives::{Scan, Sort};

use super::capacity::Capacity;
use super::columns::{Allocator, ColumnInfo, Columns, DENSITY_STATE, META, POSITION, VELOCITY};
use super::layout::{
    BodyRecord, ContactRecord, LANES, LOAD_WORDS, MOST_MATERIALS, MaterialRecord, MotionSegmentRecord,
    Params, PoseRecord, ReportRecord, StepRecord, slot,
};

/// Most reports of a batch.
pub const MOST_REPORTS: u32 = 1024;

/// Segments of motions that there is room for.
pub const MOST_SEGMENTS: u32 = 4096;

/// Records of the air that there is room for from the beginning: wind that a command brings, and some fields.
const LEAST_AIR: u32 = 64;

/// Sizes that follow from scene and method.
#[derive(Clone, Debug)]
pub struct Extents {
    /// Ranges of candidates per cell.
    pub ranges: u32,
    /// Boundaries.
    pub boundaries: u32,
    /// Rigid bodies.
    pub bodies: u32,
    /// Records of the solid table.
    pub solids: u32,
    /// Records of the air.
    pub air: u32,
    /// Bytes of the method's own constants, and of its own table of materials.
    pub constants: [u64; 2],
    /// The method's own columns.
    pub columns: Vec<ColumnInfo>,
    /// The method's own pools, for the capacity that buffers are made for.
    pub pools: Vec<PoolInfo>,
}

/// A buffer of a method that is no column: it is taken along when buffers grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolInfo {
    /// Name, for messages and to find it.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
}

impl Extents {
    /// Whether buffers of this size hold what another scene needs.
    pub fn hold(&self, needed: &Self) -> bool {
        needed.ranges <= self.ranges
            && needed.boundaries <= self.boundaries
            && needed.bodies <= self.bodies
            && needed.solids <= self.solids
            && needed.air <= self.air.max(LEAST_AIR)
            && needed.constants == self.constants
            && needed.columns.iter().all(|column| self.columns.contains(column))
            && needed.pools == self.pools
    }
}

macro_rules! buffers {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// All buffers.
        pub struct Buffers {
            /// The particles' columns.
            pub columns: Columns,
            /// The method's own pools.
            pub pools: Vec<(&'static str, Buffer)>,
            /// Centre and radius: the first of the columns.
            pub position: Buffer,
            /// Velocity and mass: a column.
            pub velocity: Buffer,
            /// Id, material, contacts of the last step: a column.
            pub meta: Buffer,
            /// Density, a number of the method's, contacts, material and number of neighbours: a column.
            pub density_state: Buffer,
            $($(#[$doc])* pub $name: Buffer),+
        }

        impl Buffers {
            /// Bytes of all buffers.
            pub fn bytes(&self) -> u64 {
                self.columns.bytes()
                    + self.pools.iter().map(|(_, buffer)| buffer.size()).sum::<u64>()
                    + [$(&self.$name),+].iter().map(|buffer| buffer.size()).sum::<u64>()
            }
        }
    };
}

buffers! {
    /// State columns on their way through the sort; positions, which come first, stay until the next one.
    reordered,
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
    /// Sums of blocks.
    partials,
    /// Solids and wall table.
    solid_table,
    /// Boundaries.
    poses,
    /// Segments of motions.
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
    /// The method's own constants.
    method_params,
    /// The method's own table of materials.
    method_materials,
    /// Wind fields and drag.
    air,
    /// Bound where a kernel has a place for a column and there is none.
    spare_1,
    /// Another one.
    spare_2,
    /// And another.
    spare_3,
}

impl Buffers {
    /// Buffers with room for so much.
    ///
    /// # Errors
    /// Says which buffer is larger than the device allows.
    pub fn new(gpu: &GpuDevice, capacity: &Capacity, extents: &Extents) -> Result<Self, GpuError> {
        let n = u64::from(capacity.particles);
        let allocator = Allocator::new(gpu);
        let create = |name, size, usage| allocator.create(name, size, usage);
        let state = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let scratch = |name, size| create(name, size, BufferUsages::STORAGE);
        let kept = |name, size| create(name, size, state);
        let uniform = |name, size| create(name, size, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let both = |name, size| create(name, size, BufferUsages::UNIFORM | state);
        let columns = Columns::new(&allocator, &extents.columns, capacity.particles)?;
        let list =
            2 * u64::from(capacity.particles.div_ceil(LANES)) + u64::from(capacity.slots) * u64::from(LANES);
        let solids = 16 * u64::from(extents.solids);
        if solids > allocator.most() {
            return Err(GpuError::Maps { needed: solids, most: allocator.most() });
        }
        Ok(Self {
            position: columns.of(POSITION).clone(),
            velocity: columns.of(VELOCITY).clone(),
            meta: columns.of(META).clone(),
            density_state: columns.of(DENSITY_STATE).clone(),
            reordered: kept("reordered columns", u64::from(columns.sorted_bytes()) * n)?,
            columns,
            pools: extents
                .pools
                .iter()
                .map(|pool| Ok((pool.name, kept(pool.name, pool.bytes)?)))
                .collect::<Result<_, GpuError>>()?,
            first_keys: scratch("keys", 8 * n)?,
            second_keys: scratch("keys", 8 * n)?,
            first_order: scratch("order", 4 * n)?,
            second_order: scratch("order", 4 * n)?,
            starts: scratch("digit starts", 4 * u64::from(Sort::starts_len(capacity.particles)))?,
            heads: scratch("cell heads", 4 * n)?,
            sums: kept("tile sums", 4 * u64::from(Scan::sums_len(capacity.particles)))?,
            cells: scratch("cells", 4 * u64::from(capacity.cells))?,
            rows: scratch("rows", 8 * u64::from(extents.ranges) * u64::from(capacity.cells))?,
            list: kept("neighbour lists", 4 * list)?,
            contacts: kept(
                "wall contacts",
                2 * size_of::<ContactRecord>() as u64 * u64::from(capacity.contacts),
            )?,
            partials: kept("partial sums", 64 * n.div_ceil(256))?,
            solid_table: kept("solids", solids)?,
            poses: kept("poses", size_of::<PoseRecord>() as u64 * u64::from(extents.boundaries.max(1)))?,
            segments: kept("motions", size_of::<MotionSegmentRecord>() as u64 * u64::from(MOST_SEGMENTS))?,
            bodies: kept("bodies", size_of::<BodyRecord>() as u64 * u64::from(extents.bodies))?,
            loads: kept("loads of bodies", 4 * LOAD_WORDS * u64::from(extents.bodies))?,
            step: both("step", size_of::<StepRecord>() as u64)?,
            arguments: create("arguments", ARGUMENT_STRIDE * slot::COUNT, state | BufferUsages::INDIRECT)?,
            counters: kept("counters", 16)?,
            extent: both("extent", 16)?,
            reports: kept("reports", size_of::<ReportRecord>() as u64 * u64::from(MOST_REPORTS))?,
            params: both("params", size_of::<Params>() as u64)?,
            materials: uniform("materials", (size_of::<MaterialRecord>() * MOST_MATERIALS) as u64)?,
            method_params: both("the method's constants", extents.constants[0])?,
            method_materials: uniform("the method's materials", extents.constants[1])?,
            air: kept("air", 16 * u64::from(extents.air.max(LEAST_AIR)))?,
            spare_1: scratch("spare", 16)?,
            spare_2: scratch("spare", 16)?,
            spare_3: scratch("spare", 16)?,
        })
    }
}

impl Buffers {
    /// A pool of the method.
    ///
    /// # Panics
    /// Where the method does not have it: a slip in the method that shows when the first solver is made.
    pub fn pool(&self, name: &str) -> &Buffer {
        match self.pools.iter().find(|(known, _)| *known == name) {
            Some((_, buffer)) => buffer,
            None => panic!("the pool `{name}` is not in the method's list"),
        }
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
        let solids = u32::try_from(most / 16 + 1).unwrap_or(u32::MAX);
        let extents = Extents {
            ranges: 9,
            boundaries: 1,
            bodies: 0,
            solids,
            air: 0,
            constants: [16; 2],
            columns: Vec::new(),
            pools: Vec::new(),
        };
        let error = Buffers::new(&gpu, &Capacity::new(1, 1.0), &extents).err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains("meshes") && error.contains("larger grains"), "{error}");
    }
}
