//! Pictures in memory and as PNG files.

use std::io::{self, Write};

/// A picture of 8-bit sRGB colours with alpha, rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![color; width as usize * height as usize] }
    }

    /// A picture of given pixels; their number must be width times height.
    pub(crate) fn from_pixels(width: u32, height: u32, pixels: Vec<[u8; 4]>) -> Self {
        debug_assert_eq!(pixels.len(), width as usize * height as usize);
        Self { width, height, pixels }
    }

    /// Width \[pixels\].
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height \[pixels\].
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// The bytes, row by row from the top, RGBA.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// The colour of a pixel inside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// Lays a colour over a pixel; outside the picture nothing happens.
    pub fn blend(&mut self, x: i32, y: i32, [r, g, b, alpha]: [u8; 4]) {
        if x < 0 || y < 0 || x >= self.width as i32 || y >= self.height as i32 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width as usize + x as usize];
        for (below, above) in pixel.iter_mut().zip([r, g, b, 255]) {
            let mixed = u32::from(above) * u32::from(alpha) + u32::from(*below) * (255 - u32::from(alpha));
            *below = ((mixed + 127) / 255) as u8;
        }
    }

    /// Writes a PNG file.
    pub fn write_png(&self, writer: impl Write) -> io::Result<()> {
        write_png(writer, std::slice::from_ref(self), 1.0)
    }
}

/// Writes an animated PNG that repeats for ever; programs without animation show the first frame.
///
/// All pictures have the size of the first; `fps` is the number of frames per second.
pub fn write_animated_png(writer: impl Write, frames: &[Image], fps: f64) -> io::Result<()> {
    write_png(writer, frames, fps)
}

fn write_png(writer: impl Write, frames: &[Image], fps: f64) -> io::Result<()> {
    let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message.to_string());
    let first = frames.first().ok_or_else(|| invalid("no pictures to write"))?;
    if frames.iter().any(|frame| (frame.width, frame.height) != (first.width, first.height)) {
        return Err(invalid("the pictures of an animation differ in size"));
    }
    let mut encoder = png::Encoder::new(writer, first.width, first.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    if frames.len() > 1 {
        let delay = (1000.0 / fps).round().clamp(1.0, f64::from(u16::MAX)) as u16;
        let count = u32::try_from(frames.len()).map_err(|_| invalid("too many pictures"))?;
        encoder.set_animated(count, 0)?;
        encoder.set_frame_delay(delay, 1000)?;
    }
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame.bytes())?;
    }
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> (png::OutputInfo, Vec<u8>, Option<u32>) {
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let frames = reader.info().animation_control().map(|control| control.num_frames);
        (info, pixels, frames)
    }

    #[test]
    fn a_picture_is_read_back_from_its_file() {
        let mut image = Image::filled(3, 2, [10, 20, 30, 255]);
        image.blend(2, 1, [255, 0, 0, 255]);
        let mut bytes = Vec::new();
        image.write_png(&mut bytes).unwrap();
        let (info, pixels, frames) = decode(&bytes);
        assert_eq!((info.width, info.height, frames), (3, 2, None));
        assert_eq!(pixels, image.bytes());
        assert_eq!(image.pixel(2, 1), [255, 0, 0, 255]);
    }

    #[test]
    fn animations_hold_all_frames_and_refuse_other_sizes() {
        let frames = [Image::filled(4, 4, [1; 4]), Image::filled(4, 4, [2; 4])];
        let mut bytes = Vec::new();
        write_animated_png(&mut bytes, &frames, 25.0).unwrap();
        assert_eq!(decode(&bytes).2, Some(2));
        let uneven = [Image::filled(4, 4, [1; 4]), Image::filled(4, 5, [2; 4])];
        assert!(write_animated_png(Vec::new(), &uneven, 25.0).is_err());
        assert!(write_animated_png(Vec::new(), &[], 25.0).is_err());
    }

    #[test]
    fn blending_is_exact_at_both_ends_and_ignores_the_outside() {
        let mut image = Image::filled(1, 1, [100, 100, 100, 255]);
        image.blend(0, 0, [200, 0, 50, 0]);
        assert_eq!(image.pixel(0, 0), [100, 100, 100, 255]);
        image.blend(0, 0, [200, 0, 50, 128]);
        assert_eq!(image.pixel(0, 0), [150, 50, 75, 255]);
        image.blend(-1, 0, [0; 4]);
        image.blend(0, 1, [0; 4]);
    }
}
