//! From the device to memory.

use std::sync::mpsc;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, Extent3d, MapMode, PollType, Texture, TextureAspect};

use crate::{DeviceError, GpuDevice};

impl GpuDevice {
    /// Waits until all that was submitted is done.
    pub fn wait(&self) -> Result<(), DeviceError> {
        let done = self.device.poll(PollType::wait_indefinitely());
        done.map_err(|error| DeviceError::Failed(error.to_string()))?;
        self.take_error().map_or(Ok(()), Err)
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
        self.device.create_buffer(&BufferDescriptor {
            label: Some("read back"),
            size,
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
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
