//! Fields as NumPy arrays: NPY format version 1.0, little-endian, C order.
//!
//! Integers and numbers have shape (n,), vectors (n, 3), orientations (n, 4; x, y, z, w) and symmetric tensors (n, 6;
//! xx, xy, xz, yy, yz, zz). The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io;
use std::path::Path;

use crate::files::write_bytes_atomic;
use crate::simulator::FieldData;

/// The header's length is a multiple of this, so that the data are aligned.
const ALIGNMENT: usize = 64;
/// Magic string, version 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Writes a field.
pub fn write_npy(path: impl AsRef<Path>, data: &FieldData) -> io::Result<()> {
    write_bytes_atomic(path, &encode_npy(data))
}

/// A field as the bytes of an NPY file.
pub fn encode_npy(data: &FieldData) -> Vec<u8> {
    let count = data.len();
    match data {
        FieldData::Integer(values) => encode("<u4", format!("({count},)"), values, u32::to_le_bytes),
        FieldData::Scalar(values) => encode("<f4", format!("({count},)"), values, f32::to_le_bytes),
        FieldData::Vec3(values) => {
            encode("<f4", format!("({count}, 3)"), values.as_flattened(), f32::to_le_bytes)
        }
        FieldData::Quaternion(values) => {
            encode("<f4", format!("({count}, 4)"), values.as_flattened(), f32::to_le_bytes)
        }
        FieldData::Tensor(values) => {
            encode("<f4", format!("({count}, 6)"), values.as_flattened(), f32::to_le_bytes)
        }
    }
}

fn encode<T: Copy>(kind: &str, shape: String, values: &[T], to_bytes: fn(T) -> [u8; 4]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, length of the header (two bytes), header, line break.
    let unpadded = MAGIC.len() + 2 + header.len() + 1;
    header += &" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded);
    header.push('\n');
    let mut bytes = Vec::with_capacity(MAGIC.len() + 2 + header.len() + 4 * values.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| to_bytes(*value)));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header text and data of a file.
    fn parts(bytes: &[u8]) -> (&str, &[u8]) {
        assert!(bytes.starts_with(MAGIC));
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % ALIGNMENT, 0);
        (std::str::from_utf8(&bytes[10..10 + length]).unwrap(), &bytes[10 + length..])
    }

    #[test]
    fn the_header_is_as_numpy_writes_it() {
        let bytes = encode_npy(&FieldData::Scalar(vec![1.5, -2.0]));
        let (header, data) = parts(&bytes);
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
        assert!(header.ends_with(" \n"));
        assert_eq!(data, [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat());
    }

    #[test]
    fn shapes_follow_the_kind() {
        let shape = |data: FieldData| {
            let bytes = encode_npy(&data);
            let (header, data) = parts(&bytes);
            (header[header.find("'shape'").unwrap() + 9..].trim_end().to_string(), data.len())
        };
        assert_eq!(shape(FieldData::Integer(vec![7])), ("(1,), }".into(), 4));
        assert_eq!(shape(FieldData::Vec3(vec![[0.0; 3]; 2])), ("(2, 3), }".into(), 24));
        assert_eq!(shape(FieldData::Quaternion(vec![[0.0; 4]; 2])), ("(2, 4), }".into(), 32));
        assert_eq!(shape(FieldData::Tensor(vec![[0.0; 6]; 2])), ("(2, 6), }".into(), 48));
        assert_eq!(shape(FieldData::Scalar(Vec::new())), ("(0,), }".into(), 0));
    }
}
