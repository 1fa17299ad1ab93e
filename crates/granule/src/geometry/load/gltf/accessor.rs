//! Buffers of a glTF document and the numbers in them.

use std::borrow::Cow;
use std::path::Path;

use super::document::{BufferView, Document, Image};
use super::malformed;
use crate::formats::bytes::{Endian, Number, index};
use crate::geometry::error::MeshError;
use crate::geometry::load::read_limited;
use crate::geometry::mesh::MeshTexture;

/// The bytes of all buffers.
pub struct Buffers<'a> {
    buffers: Vec<Cow<'a, [u8]>>,
    folder: Option<&'a Path>,
}

impl<'a> Buffers<'a> {
    /// Takes buffers from the binary chunk, from the text itself, and from files beside it.
    pub fn load(
        document: &Document,
        binary: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Result<Self, MeshError> {
        let mut buffers = Vec::new();
        for (k, buffer) in document.buffers.iter().enumerate() {
            let bytes: Cow<[u8]> = match &buffer.uri {
                None if k == 0 => {
                    Cow::Borrowed(binary.ok_or_else(|| malformed("buffer 0 has neither a chunk nor a file"))?)
                }
                None => return Err(malformed(format!("buffer {k} has no file"))),
                Some(uri) => Cow::Owned(fetch(uri, folder)?),
            };
            if bytes.len() < buffer.byte_length {
                let (found, needed) = (bytes.len(), buffer.byte_length);
                return Err(malformed(format!("buffer {k} has {found} of {needed} bytes: it is cut off")));
            }
            buffers.push(bytes);
        }
        Ok(Self { buffers, folder })
    }

    fn view(&self, document: &Document, at: usize) -> Result<(&[u8], Option<usize>), MeshError> {
        let view: &BufferView =
            document.buffer_views.get(at).ok_or_else(|| malformed(format!("no buffer view {at}")))?;
        let bytes = self
            .buffers
            .get(view.buffer)
            .and_then(|buffer| buffer.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?));
        let bytes = bytes.ok_or_else(|| malformed(format!("buffer view {at} reaches beyond its buffer")))?;
        Ok((bytes, view.byte_stride))
    }

    /// The vectors of an accessor, whole numbers scaled where they are meant to be.
    pub fn read<const N: usize>(&self, document: &Document, at: usize) -> Result<Vec<[f32; N]>, MeshError> {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let normalized = document.accessors.get(at).is_some_and(|accessor| accessor.normalized);
        let mut values = Vec::new();
        self.visit(document, at, kind, N, |bytes, number| {
            let scale = match number {
                Number::I8 if normalized => 127.0,
                Number::U8 if normalized => 255.0,
                Number::I16 if normalized => 32_767.0,
                Number::U16 if normalized => 65_535.0,
                _ => 1.0,
            };
            let mut value = [0.0; N];
            for (k, component) in value.iter_mut().enumerate() {
                let read = number.read(&bytes[k * number.size()..], Endian::Little)?;
                *component = if scale > 1.0 { (read / scale).max(-1.0) } else { read } as f32;
            }
            values.push(value);
            Some(())
        })?;
        Ok(values)
    }

    /// The indices of an accessor.
    pub fn read_indices(&self, document: &Document, at: usize) -> Result<Vec<u32>, MeshError> {
        let mut values = Vec::new();
        self.visit(document, at, "SCALAR", 1, |bytes, number| {
            values.push(index(number.read(bytes, Endian::Little)?)?);
            Some(())
        })?;
        Ok(values)
    }

    /// Calls `take` with the bytes of every element; all of them are inside the buffer view.
    fn visit(
        &self,
        document: &Document,
        at: usize,
        kind: &str,
        components: usize,
        mut take: impl FnMut(&[u8], Number) -> Option<()>,
    ) -> Result<(), MeshError> {
        let accessor = document.accessors.get(at).ok_or_else(|| malformed(format!("no accessor {at}")))?;
        if accessor.kind != kind {
            return Err(malformed(format!("accessor {at} holds {}, expected {kind}", accessor.kind)));
        }
        let view = match (accessor.buffer_view, &accessor.sparse) {
            (Some(view), None) => view,
            _ => return Err(malformed(format!("accessor {at} is sparse; export dense data"))),
        };
        let number = number_of(accessor.component_type).ok_or_else(|| {
            malformed(format!("accessor {at} has component type {}", accessor.component_type))
        })?;
        let (bytes, stride) = self.view(document, view)?;
        let size = components * number.size();
        let stride = stride.unwrap_or(size);
        let end = accessor.count.checked_sub(1).map_or(Some(0), |last| {
            last.checked_mul(stride)?.checked_add(size)?.checked_add(accessor.byte_offset)
        });
        if stride < size || end.is_none_or(|end| end > bytes.len()) {
            return Err(malformed(format!("accessor {at} reaches beyond its buffer view")));
        }
        for k in 0..accessor.count {
            let from = accessor.byte_offset + k * stride;
            take(&bytes[from..from + size], number)
                .ok_or_else(|| malformed(format!("accessor {at}: element {k} is not what it should be")))?;
        }
        Ok(())
    }

    /// A picture, still encoded; `None` if its file is not there.
    pub fn image(&self, document: &Document, image: &Image) -> Result<Option<MeshTexture>, MeshError> {
        let bytes = match (&image.uri, image.buffer_view) {
            (_, Some(view)) => self.view(document, view)?.0.to_vec(),
            (Some(uri), None) => match fetch(uri, self.folder) {
                Ok(bytes) => bytes,
                Err(_) => return Ok(None),
            },
            (None, None) => return Ok(None),
        };
        let guessed = if bytes.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
        let media_type = image.mime_type.clone().unwrap_or_else(|| guessed.into());
        Ok(Some(MeshTexture { media_type, bytes }))
    }
}

fn number_of(component_type: u32) -> Option<Number> {
    Some(match component_type {
        5120 => Number::I8,
        5121 => Number::U8,
        5122 => Number::I16,
        5123 => Number::U16,
        5125 => Number::U32,
        5126 => Number::F32,
        _ => return None,
    })
}

/// What a URI names: base64 data, or a file beside the document.
fn fetch(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, MeshError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").ok_or_else(|| malformed("data that is not base64"))?.1;
        return base64(encoded).ok_or_else(|| malformed("damaged base64 data"));
    }
    let name = unescape(uri);
    let relative = Path::new(&name);
    let folder = folder.ok_or_else(|| malformed(format!("it needs the file {name}")))?;
    if relative.is_absolute() || name.contains("://") {
        return Err(malformed(format!("{name} is not a file beside it")));
    }
    read_limited(&folder.join(relative)).map_err(|error| malformed(format!("{name}: {error}")))
}

/// A URI with `%20` and the like replaced.
fn unescape(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut k = 0;
    while k < bytes.len() {
        let code = (bytes[k] == b'%')
            .then(|| bytes.get(k + 1..k + 3))
            .flatten()
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        result.push(code.unwrap_or(bytes[k]));
        k += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&result).into_owned()
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut result = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            result.push((bits >> count) as u8);
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_and_escapes_are_the_published_ones() {
        assert_eq!(base64("Zm9vYmFy").unwrap(), b"foobar");
        assert_eq!(base64("Zm9vYg==").unwrap(), b"foob");
        assert!(base64("Zm9*").is_none());
        assert_eq!(unescape("a%20b%2fc%zz"), "a b/c%zz");
    }
}
