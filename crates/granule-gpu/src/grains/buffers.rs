//! The buffers of fine grains on a device, which grow as they must.

use granule::upsample::nodes::{BLOCK, OWN};
use granule::upsample::{FrameInput, Grain, Guide};
use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use super::Batches;
use super::layout::{FrameRecord, LIST_HEAD, MOST_MATERIALS, MOST_WALLS, WallRecord};
use crate::GpuError;
use crate::kernel::ARGUMENT_STRIDE;
use crate::primitives::Sort;

/// Usage of storage that is copied from and to.
pub const STORAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// Bytes of each of the two columns of grains.
pub const ROW: u64 = 16;

/// Grains that are written or read at once.
const TRANSFER: usize = 1 << 21;

/// All buffers of fine grains.
pub struct GrainBuffers {
    /// Changes whenever a buffer is replaced.
    pub version: u64,
    /// The frame's numbers.
    pub frame: Buffer,
    /// Walls, regions and materials.
    pub scene: Buffer,
    /// Solids of walls and regions.
    pub solids: Buffer,
    /// Cells and blocks.
    pub tables: Buffer,
    /// Guides at both ends of the frame.
    pub guides: Buffer,
    /// Deformations around guides.
    pub deformation: Buffer,
    /// Interpolated motion of guides at the own nodes of cells.
    pub own: Buffer,
    /// Coverage there.
    pub cover: Buffer,
    /// Grains there.
    pub counts: Buffer,
    /// Interpolated motion of guides at the nodes of blocks.
    pub nodes: Buffer,
    /// Coverage there.
    pub node_cover: Buffer,
    /// Grains on the fine grid, then their excess.
    pub tally: Buffer,
    /// Positions and ids of the grains.
    pub positions: Buffer,
    /// Velocities and materials of the grains.
    pub velocities: Buffer,
    /// Grains that were taken and lost, both by chunk; the list of those that more than guides move.
    pub counters: Buffer,
    /// Workgroups that the list needs.
    pub arguments: Buffer,
    /// Scratch of the sort; made when it is first needed.
    pub sorting: Option<SortBuffers>,
}

/// Scratch of a sort.
pub struct SortBuffers {
    /// Most grains of a chunk.
    pub capacity: u32,
    /// Keys before and after a pass.
    pub keys: [Buffer; 2],
    /// Order before and after a pass.
    pub order: [Buffer; 2],
    /// Where digits go.
    pub starts: Buffer,
    /// Least and largest key of a chunk.
    pub span: Buffer,
    /// The chunk that is sorted.
    pub chunk: Buffer,
    /// Positions and velocities of the first chunk, in order.
    pub aside: [Buffer; 2],
}

impl SortBuffers {
    fn bytes(&self) -> u64 {
        let all = self.keys.iter().chain(&self.order).chain(&self.aside).chain([
            &self.starts,
            &self.span,
            &self.chunk,
        ]);
        all.map(Buffer::size).sum()
    }
}

impl GrainBuffers {
    /// Small buffers.
    ///
    /// # Errors
    /// Says which buffer is larger than the device allows.
    pub fn new(gpu: &GpuDevice) -> Result<Self, GpuError> {
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let small = |name| create(gpu, name, 1024, STORAGE);
        let scene = size_of::<WallRecord>() * MOST_WALLS + 4 * MOST_MATERIALS;
        Ok(Self {
            version: 0,
            frame: create(gpu, "fine frame", size_of::<FrameRecord>() as u64, uniform)?,
            scene: create(gpu, "fine walls", scene as u64, uniform)?,
            solids: small("fine solids")?,
            tables: small("cells of guides")?,
            guides: small("guides")?,
            deformation: small("deformations")?,
            own: small("nodes")?,
            cover: small("coverage")?,
            counts: small("grains at nodes")?,
            nodes: small("shared nodes")?,
            node_cover: small("shared coverage")?,
            tally: small("fine grid")?,
            positions: small("fine grains")?,
            velocities: small("fine grains")?,
            counters: small("fine counters")?,
            arguments: create(gpu, "fine arguments", ARGUMENT_STRIDE, STORAGE | BufferUsages::INDIRECT)?,
            sorting: None,
        })
    }

    /// Makes the buffers large enough for a frame whose tables have so many words.
    ///
    /// # Errors
    /// Says which buffer is larger than the device allows.
    pub fn reserve_frame(
        &mut self,
        gpu: &GpuDevice,
        frame: &FrameRecord,
        table_words: usize,
    ) -> Result<(), GpuError> {
        let blocks = u64::from(frame.blocks);
        let fine_cells = u64::from(frame.parts) * u64::from(frame.along).pow(3) + 1;
        self.version += grow(gpu, &mut self.tables, "cells of guides", 4 * table_words as u64)?;
        self.version += grow(gpu, &mut self.own, "nodes", 32 * OWN as u64 * blocks)?;
        self.version += grow(gpu, &mut self.cover, "coverage", 4 * OWN as u64 * blocks)?;
        self.version += grow(gpu, &mut self.counts, "grains at nodes", 4 * OWN as u64 * blocks)?;
        self.version += grow(gpu, &mut self.nodes, "shared nodes", 32 * BLOCK as u64 * blocks)?;
        self.version += grow(gpu, &mut self.node_cover, "shared coverage", 4 * BLOCK as u64 * blocks)?;
        self.version += grow(gpu, &mut self.tally, "fine grid", 4 * fine_cells)?;
        Ok(())
    }

    /// Makes the buffers large enough for so many guides at each end of a frame.
    ///
    /// # Errors
    /// Says that they are more than the device allows.
    pub fn reserve_guides(&mut self, gpu: &GpuDevice, count: u32) -> Result<(), GpuError> {
        let size = size_of::<Guide>() as u64 * u64::from(count);
        self.version += grow(gpu, &mut self.guides, "guides", 2 * size)?;
        self.version += grow(gpu, &mut self.deformation, "deformations", size)?;
        Ok(())
    }

    /// Makes the buffers large enough for `count` grains and keeps the `stored` ones.
    ///
    /// # Errors
    /// Says that they are more than the device allows.
    pub fn reserve_grains(
        &mut self,
        gpu: &GpuDevice,
        batches: Batches,
        stored: u32,
        count: u32,
    ) -> Result<(), GpuError> {
        let bytes = |grains: u32| u64::from(grains) * ROW;
        if bytes(count) <= self.positions.size() {
            return Ok(());
        }
        // The first grains come all at once; later ones with emitters, a few at a time.
        let wanted = if stored == 0 { count } else { count.saturating_add(count / 4) };
        for column in [&mut self.positions, &mut self.velocities] {
            let larger = create(gpu, "fine grains", bytes(wanted), STORAGE)
                .or_else(|_| create(gpu, "fine grains", bytes(count), STORAGE))?;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(column, 0, &larger, 0, bytes(stored));
            gpu.queue.submit([encoder.finish()]);
            *column = larger;
        }
        let words = 2 + wanted.div_ceil(batches.chunk) + LIST_HEAD + wanted.min(batches.list);
        self.counters = create(gpu, "fine counters", 4 * u64::from(words), STORAGE)?;
        self.version += 1;
        Ok(())
    }

    /// Makes the scratch of the sort large enough for chunks of so many grains.
    ///
    /// # Errors
    /// Says which buffer is larger than the device allows.
    pub fn reserve_sorting(&mut self, gpu: &GpuDevice, count: u32) -> Result<(), GpuError> {
        if self.sorting.as_ref().is_some_and(|sorting| sorting.capacity >= count) {
            return Ok(());
        }
        let capacity = count.next_multiple_of(1 << 16);
        let n = u64::from(capacity);
        let scratch = |name, size| create(gpu, name, size, STORAGE);
        self.sorting = Some(SortBuffers {
            capacity,
            keys: [scratch("fine keys", 4 * n)?, scratch("fine keys", 4 * n)?],
            order: [scratch("fine order", 4 * n)?, scratch("fine order", 4 * n)?],
            chunk: create(gpu, "fine chunk", 16, BufferUsages::UNIFORM | BufferUsages::COPY_DST)?,
            span: scratch("fine span", 16)?,
            starts: scratch("fine digit starts", 4 * u64::from(Sort::starts_len(capacity)))?,
            aside: [scratch("fine grains aside", ROW * n)?, scratch("fine grains aside", ROW * n)?],
        });
        self.version += 1;
        Ok(())
    }

    /// Writes the frame's numbers.
    pub fn write_frame(&self, gpu: &GpuDevice, frame: &FrameRecord) {
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(frame));
    }

    /// Writes the guides of both ends of the frame.
    pub fn write_guides(&self, gpu: &GpuDevice, frame: &FrameInput) {
        let (start, after) = (&frame.guides.guide, &frame.after.guide);
        gpu.queue.write_buffer(&self.guides, 0, bytemuck::cast_slice(start));
        gpu.queue.write_buffer(&self.guides, size_of_val(&start[..]) as u64, bytemuck::cast_slice(after));
    }

    /// Writes cells and blocks.
    pub fn write_tables(&self, gpu: &GpuDevice, tables: &[u32]) {
        gpu.queue.write_buffer(&self.tables, 0, bytemuck::cast_slice(tables));
    }

    /// Writes walls, regions and materials.
    pub fn write_scene(&self, gpu: &GpuDevice, walls: &[WallRecord], friction: &[f32]) {
        gpu.queue.write_buffer(&self.scene, 0, bytemuck::cast_slice(walls));
        let at = size_of::<WallRecord>() * MOST_WALLS;
        gpu.queue.write_buffer(&self.scene, at as u64, bytemuck::cast_slice(friction));
    }

    /// Writes solids.
    ///
    /// # Errors
    /// Says that maps of meshes are larger than the device allows.
    pub fn write_solids(&mut self, gpu: &GpuDevice, records: &[[u32; 4]]) -> Result<(), GpuError> {
        self.version += grow(gpu, &mut self.solids, "fine solids", size_of_val(records) as u64)?;
        gpu.queue.write_buffer(&self.solids, 0, bytemuck::cast_slice(records));
        Ok(())
    }

    /// Writes grains from the one numbered `first` on.
    pub fn write_grains(&self, gpu: &GpuDevice, first: u32, grains: &[Grain]) {
        for (k, part) in grains.chunks(TRANSFER).enumerate() {
            let at = ROW * (u64::from(first) + (k * TRANSFER) as u64);
            let rows: Vec<[[u32; 4]; 2]> = part.iter().map(|grain| bytemuck::cast(*grain)).collect();
            for (half, column) in [&self.positions, &self.velocities].into_iter().enumerate() {
                let rows: Vec<[u32; 4]> = rows.iter().map(|row| row[half]).collect();
                gpu.queue.write_buffer(column, at, bytemuck::cast_slice(&rows));
            }
            // Sent at once, so that not all of them are in memory twice.
            gpu.queue.submit([]);
        }
    }

    /// The first grains.
    ///
    /// # Errors
    /// Says that the device failed.
    pub fn read_grains(&self, gpu: &GpuDevice, count: u32) -> Result<Vec<Grain>, GpuError> {
        let mut grains = Vec::with_capacity(count as usize);
        for first in (0..u64::from(count)).step_by(TRANSFER) {
            let part = (u64::from(count) - first).min(TRANSFER as u64);
            let read = |column| gpu.read_buffer(column, ROW * first, ROW * part);
            let (positions, velocities) = (read(&self.positions)?, read(&self.velocities)?);
            let rows = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, [u32; 4]>(bytes);
            let pairs = rows(&positions).into_iter().zip(rows(&velocities));
            grains.extend(pairs.map(|(position, velocity)| bytemuck::cast::<_, Grain>([position, velocity])));
        }
        Ok(grains)
    }

    /// The first counters, once all that was submitted is done.
    ///
    /// # Errors
    /// Says that the device failed.
    pub fn read_counters(&self, gpu: &GpuDevice, count: usize) -> Result<Vec<u32>, GpuError> {
        Ok(bytemuck::pod_collect_to_vec(&gpu.read_buffer(&self.counters, 0, 4 * count as u64)?))
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        let all = [
            &self.frame,
            &self.scene,
            &self.solids,
            &self.tables,
            &self.guides,
            &self.deformation,
            &self.own,
            &self.cover,
            &self.counts,
            &self.nodes,
            &self.node_cover,
            &self.tally,
            &self.positions,
            &self.velocities,
            &self.counters,
            &self.arguments,
        ];
        all.iter().map(|buffer| buffer.size()).sum::<u64>()
            + self.sorting.as_ref().map_or(0, SortBuffers::bytes)
    }
}

/// A buffer of at least so many bytes.
///
/// # Errors
/// Says that it is larger than the device allows.
pub fn create(
    gpu: &GpuDevice,
    name: &'static str,
    size: u64,
    usage: BufferUsages,
) -> Result<Buffer, GpuError> {
    let limits = gpu.device.limits();
    let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    let size = size.max(16).next_multiple_of(16);
    if size > most {
        return Err(GpuError::TooLarge { what: name, needed: size, most });
    }
    Ok(gpu.create_buffer(name, size, usage))
}

/// Replaces a buffer that is too small by one with a quarter more; its content is lost. Gives how many were replaced.
///
/// # Errors
/// Says that it is larger than the device allows.
pub fn grow(gpu: &GpuDevice, buffer: &mut Buffer, name: &'static str, size: u64) -> Result<u64, GpuError> {
    if size <= buffer.size() {
        return Ok(0);
    }
    *buffer = create(gpu, name, size + size / 4, STORAGE).or_else(|_| create(gpu, name, size, STORAGE))?;
    Ok(1)
}
