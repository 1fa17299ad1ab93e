//! From the device to memory.

use std::sync::mpsc::{self, Receiver, TryRecvError};

use wgpu::{
    Buffer, BufferAsyncError, BufferDescriptor, BufferUsages, Extent3d, MapMode, PollType, Texture,
    TextureAspect,
};

use crate::{DeviceError, GpuDevice};

impl GpuDevice {
    /// Waits until all that was submitted is done.
    pub fn wait(&self) -> Result<(), DeviceError> {
        let done = self.device.poll(PollType::wait_indefinitely());
        done.map_err(|error| DeviceError::Failed(error.to_string()))?;
        self.take_error().map_or(Ok(()), Err)
    }

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
        let read = self.begin_read(&[(buffer, offset, size)]);
        self.wait()?;
        read.try_take(self)?.ok_or_else(|| DeviceError::Failed("a buffer was not read".into()))
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
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        staging.map_async(MapMode::Read, .., move |result| {
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        });
        PendingRead { staging, receiver }
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
        self.queue.submit([encoder.finish()]);
        let bytes = self.map(&buffer)?;
        Ok(bytes.chunks_exact(padded as usize).flat_map(|line| &line[..row as usize]).copied().collect())
    }

    /// A buffer that the device writes and memory reads.
    fn read_buffer_of(&self, size: u64) -> Buffer {
        self.create_buffer("read back", size, BufferUsages::COPY_DST | BufferUsages::MAP_READ)
    }

    /// The content of a mappable buffer, once the device is done with it.
    fn map(&self, buffer: &Buffer) -> Result<Vec<u8>, DeviceError> {
        let (sender, receiver) = mpsc::channel();
        buffer.map_async(MapMode::Read, .., move |result| {
            // The receiver lives until the answer is there.
            let _ = sender.send(result);
        });
        self.wait()?;
        let failed = |error: &dyn std::fmt::Display| DeviceError::Failed(error.to_string());
        receiver.recv().map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let bytes = buffer.get_mapped_range(..).map_err(|error| failed(&error))?.to_vec();
        buffer.unmap();
        Ok(bytes)
    }
}

/// Bytes on their way from the device.
#[derive(Debug)]
pub struct PendingRead {
    staging: Buffer,
    receiver: Receiver<Result<(), BufferAsyncError>>,
}

impl PendingRead {
    /// The bytes, if they have arrived. Does not wait.
    pub fn try_take(&self, gpu: &GpuDevice) -> Result<Option<Vec<u8>>, DeviceError> {
        let failed = |error: &dyn std::fmt::Display| DeviceError::Failed(error.to_string());
        gpu.device.poll(PollType::Poll).map_err(|error| failed(&error))?;
        match self.receiver.try_recv() {
            Err(TryRecvError::Empty) => Ok(None),
            Err(error) => Err(failed(&error)),
            Ok(mapped) => {
                mapped.map_err(|error| failed(&error))?;
                let bytes = self.staging.get_mapped_range(..).map_err(|error| failed(&error))?.to_vec();
                self.staging.unmap();
                Ok(Some(bytes))
            }
        }
    }
}
