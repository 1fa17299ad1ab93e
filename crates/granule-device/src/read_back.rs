//! From the device to memory.

use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::Duration;

use wgpu::{
    Buffer, BufferAsyncError, BufferDescriptor, BufferUsages, Extent3d, MapMode, PollType, Texture,
    TextureAspect,
};

use crate::wait::Submission;
use crate::{DeviceError, GpuDevice};

/// How long a driver may take to say that a buffer is mapped once all before it is done.
const MOST_WAIT: Duration = Duration::from_secs(10);

impl GpuDevice {
    /// A buffer without content.
    pub fn create_buffer(&self, label: &str, size: u64, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Bytes of a buffer, once all that was submitted is done.
    pub fn read_buffer(&self, buffer: &Buffer, offset: u64, size: u64) -> Result<Vec<u8>, DeviceError> {
        if size == 0 {
            return Ok(Vec::new());
        }
        self.begin_read(&[(buffer, offset, size)]).take(self)
    }

    /// Starts to read parts of buffers (offset and size in bytes), one after the other, as they are after all that was
    /// submitted so far; nothing waits.
    pub fn begin_read(&self, parts: &[(&Buffer, u64, u64)]) -> PendingRead {
        let size = parts.iter().map(|(_, _, size)| size).sum::<u64>().max(4);
        let staging = self.read_buffer_of(size);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for (buffer, offset, size) in parts.iter().filter(|(_, _, size)| *size > 0) {
            encoder.copy_buffer_to_buffer(buffer, *offset, &staging, at, *size);
            at += size;
        }
        PendingRead::new(staging, self.submit([encoder.finish()]))
    }

    /// The texels of a texture of 4 or 8 bytes each, row by row without gaps.
    pub fn read_texture(&self, texture: &Texture, aspect: TextureAspect) -> Result<Vec<u8>, DeviceError> {
        let texel = texture.format().block_copy_size(Some(aspect)).unwrap_or(4);
        let (width, height) = (texture.width(), texture.height());
        let row = width * texel;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.read_buffer_of(u64::from(padded) * u64::from(height));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo { aspect, ..texture.as_image_copy() },
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: None,
                },
            },
            Extent3d { width, height, depth_or_array_layers: 1 },
        );
        let bytes = PendingRead::new(buffer, self.submit([encoder.finish()])).take(self)?;
        Ok(bytes.chunks_exact(padded as usize).flat_map(|line| &line[..row as usize]).copied().collect())
    }

    /// A buffer that the device writes and memory reads.
    fn read_buffer_of(&self, size: u64) -> Buffer {
        self.create_buffer("read back", size, BufferUsages::COPY_DST | BufferUsages::MAP_READ)
    }
}

/// Bytes on their way from the device.
#[derive(Debug)]
pub struct PendingRead {
    staging: Buffer,
    submission: Submission,
    receiver: Receiver<Result<(), BufferAsyncError>>,
}

impl PendingRead {
    /// A mappable buffer that a submission fills.
    fn new(staging: Buffer, submission: Submission) -> Self {
        let (sender, receiver) = mpsc::channel();
        staging.map_async(MapMode::Read, .., move |result| {
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        });
        Self { staging, submission, receiver }
    }

    /// The bytes, once they have arrived.
    ///
    /// # Errors
    /// Says how the device has failed.
    pub fn take(self, gpu: &GpuDevice) -> Result<Vec<u8>, DeviceError> {
        gpu.wait_for(&self.submission)?;
        // Another thread may have found the buffer mapped and be about to tell.
        let mapped = self.receiver.recv_timeout(MOST_WAIT).map_err(|error| failed(&error))?;
        self.bytes(mapped)
    }

    /// The bytes, if they have arrived. Does not wait.
    ///
    /// # Errors
    /// Says how the device has failed.
    pub fn try_take(&self, gpu: &GpuDevice) -> Result<Option<Vec<u8>>, DeviceError> {
        gpu.poll(PollType::Poll)?;
        match self.receiver.try_recv() {
            Err(TryRecvError::Empty) => Ok(None),
            Err(error) => Err(failed(&error)),
            Ok(mapped) => self.bytes(mapped).map(Some),
        }
    }

    fn bytes(&self, mapped: Result<(), BufferAsyncError>) -> Result<Vec<u8>, DeviceError> {
        mapped.map_err(|error| failed(&error))?;
        let bytes = self.staging.get_mapped_range(..).map_err(|error| failed(&error))?.to_vec();
        self.staging.unmap();
        Ok(bytes)
    }
}

fn failed(error: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::Failed(error.to_string())
}
