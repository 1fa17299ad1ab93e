//! Buffers of tracked guides, by id and by cell.

use glam::Vec3;
use granule::upsample::{Anchors, NewGuide};
use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use crate::GpuError;
use crate::grains::buffers::{STORAGE, create, grow};
use crate::primitives::{Scan, Sort};

/// Bytes of a guide in buffers of two records: position and a word, velocity and a word.
const PAIR: u64 = 32;
/// Bytes of a guide at the start and the end of a frame: five records.
const BOTH_ENDS: u64 = 80;

/// All buffers of tracking.
pub struct TrackingBuffers {
    /// Changes whenever a buffer is replaced.
    pub version: u64,
    /// What a frame tracks.
    pub track: Buffer,
    /// Which end of the frame, one each.
    pub which: [Buffer; 2],
    /// Number of ids.
    pub id_extent: Buffer,
    /// Number of cells.
    pub cell_extent: Buffer,
    /// Particles as they are now, by id.
    pub latest: Buffer,
    /// Anchors, by id.
    pub anchors: Buffer,
    /// Guides at the start and the end of the frame, by id.
    pub records: Buffer,
    /// Guides that were not there before.
    pub born: Buffer,
    /// Their number.
    pub born_count: Buffer,
    /// Cells of guides before and after a pass of the sort.
    pub keys: [Buffer; 2],
    /// Ids of guides before and after a pass of the sort.
    pub order: [Buffer; 2],
    /// Where digits go in the sort.
    pub digit_starts: Buffer,
    /// First guides of cells, at the start and the end of the frame.
    pub starts: [Buffer; 2],
    /// Cells in which a guide moves.
    pub moves: Buffer,
    /// Cells that get blocks, and those whose blocks are active.
    pub marks: [Buffer; 2],
    /// Sums of scans.
    pub sums: Buffer,
}

impl TrackingBuffers {
    /// Small buffers.
    pub fn new(gpu: &GpuDevice) -> Result<Self, GpuError> {
        let small = |name| create(gpu, name, 1024, STORAGE);
        let pair = |name| Ok::<_, GpuError>([small(name)?, small(name)?]);
        let uniform = |name| create(gpu, name, 32, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        Ok(Self {
            version: 0,
            track: uniform("tracked")?,
            which: [uniform("start")?, uniform("end")?],
            id_extent: uniform("number of ids")?,
            cell_extent: uniform("number of cells")?,
            latest: small("latest guides")?,
            anchors: small("anchors")?,
            records: small("guides by id")?,
            born: small("new guides")?,
            born_count: small("number of new guides")?,
            keys: pair("cells of guides")?,
            order: pair("order of guides")?,
            digit_starts: small("digit starts of guides")?,
            starts: pair("guides of cells")?,
            moves: small("moving cells")?,
            marks: pair("marks of cells")?,
            sums: small("sums of cells")?,
        })
    }

    /// Makes them large enough for ids and cells; keeps the anchors of the first `known` ids.
    pub fn reserve(&mut self, gpu: &GpuDevice, ids: u32, known: u32, cells: u32) -> Result<(), GpuError> {
        let (n, cell_words) = (u64::from(ids), u64::from(cells) + 1);
        self.reserve_anchors(gpu, n, known)?;
        let new = u64::from(ids - known.min(ids)).max(1);
        let mut replaced = grow(gpu, &mut self.latest, "latest guides", PAIR * n)?;
        replaced += grow(gpu, &mut self.records, "guides by id", BOTH_ENDS * n)?;
        replaced += grow(gpu, &mut self.born, "new guides", PAIR * new)?;
        for k in 0..2 {
            replaced += grow(gpu, &mut self.keys[k], "cells of guides", 4 * n)?;
            replaced += grow(gpu, &mut self.order[k], "order of guides", 4 * n)?;
            replaced += grow(gpu, &mut self.starts[k], "guides of cells", 4 * cell_words)?;
            replaced += grow(gpu, &mut self.marks[k], "marks of cells", 4 * cell_words)?;
        }
        let digits = 4 * u64::from(Sort::starts_len(ids));
        replaced += grow(gpu, &mut self.digit_starts, "digit starts of guides", digits)?;
        replaced += grow(gpu, &mut self.moves, "moving cells", 4 * cell_words)?;
        replaced += grow(gpu, &mut self.sums, "sums of cells", 4 * u64::from(Scan::sums_len(cells + 1)))?;
        self.version += replaced;
        Ok(())
    }

    fn reserve_anchors(&mut self, gpu: &GpuDevice, ids: u64, known: u32) -> Result<(), GpuError> {
        if PAIR * ids <= self.anchors.size() {
            return Ok(());
        }
        let larger = create(gpu, "anchors", PAIR * (ids + ids / 4), STORAGE)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.anchors, 0, &larger, 0, PAIR * u64::from(known));
        gpu.queue.submit([encoder.finish()]);
        self.anchors = larger;
        self.version += 1;
        Ok(())
    }

    /// Writes anchors; gives how many ids they are for.
    pub fn write_anchors(&mut self, gpu: &GpuDevice, anchors: &Anchors) -> Result<u32, GpuError> {
        let ids = anchors.id.last().map_or(0, |id| id + 1);
        let mut rows = vec![[0.0f32; 4]; 2 * ids as usize];
        for ((id, position), velocity) in anchors.id.iter().zip(&anchors.position).zip(&anchors.velocity) {
            rows[2 * *id as usize] = position.extend(1.0).to_array();
            rows[2 * *id as usize + 1] = velocity.extend(0.0).to_array();
        }
        self.version += grow(gpu, &mut self.anchors, "anchors", PAIR * u64::from(ids))?;
        gpu.queue.write_buffer(&self.anchors, 0, bytemuck::cast_slice(&rows));
        Ok(ids)
    }

    /// Reads the anchors of the first ids.
    pub fn read_anchors(&self, gpu: &GpuDevice, ids: u32) -> Result<Anchors, GpuError> {
        let mut anchors = Anchors::default();
        let rows = read_pairs(gpu, &self.anchors, ids)?;
        for (id, [position, velocity]) in rows.iter().enumerate().filter(|(_, row)| row[0][3] != 0.0) {
            anchors.id.push(id as u32);
            anchors.position.push(Vec3::from_slice(position));
            anchors.velocity.push(Vec3::from_slice(velocity));
        }
        Ok(anchors)
    }

    /// Reads so many new guides of a radius [m], by id.
    pub fn read_born(&self, gpu: &GpuDevice, count: u32, radius: f32) -> Result<Vec<NewGuide>, GpuError> {
        let guide = |[position, velocity]: &[[f32; 4]; 2]| NewGuide {
            id: position[3].to_bits(),
            position: Vec3::from_slice(position),
            velocity: Vec3::from_slice(velocity),
            radius,
            material: velocity[3].to_bits(),
        };
        let mut born: Vec<NewGuide> = read_pairs(gpu, &self.born, count)?.iter().map(guide).collect();
        born.sort_unstable_by_key(|guide| guide.id);
        Ok(born)
    }
}

fn read_pairs(gpu: &GpuDevice, buffer: &Buffer, count: u32) -> Result<Vec<[[f32; 4]; 2]>, GpuError> {
    Ok(bytemuck::pod_collect_to_vec(&gpu.read_buffer(buffer, 0, PAIR * u64::from(count))?))
}
