//! Numbers out of bytes, checked.

/// Byte order of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Kinds of numbers in binary files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number at the front of `bytes`, exact in f64; `None` if they are too few.
    pub fn read(self, bytes: &[u8], endian: Endian) -> Option<f64> {
        fn array<const N: usize>(bytes: &[u8], endian: Endian) -> Option<[u8; N]> {
            let mut array: [u8; N] = bytes.get(..N)?.try_into().ok()?;
            if endian == Endian::Big {
                array.reverse();
            }
            Some(array)
        }
        Some(match self {
            Self::I8 => f64::from(*bytes.first()? as i8),
            Self::U8 => f64::from(*bytes.first()?),
            Self::I16 => f64::from(i16::from_le_bytes(array(bytes, endian)?)),
            Self::U16 => f64::from(u16::from_le_bytes(array(bytes, endian)?)),
            Self::I32 => f64::from(i32::from_le_bytes(array(bytes, endian)?)),
            Self::U32 => f64::from(u32::from_le_bytes(array(bytes, endian)?)),
            Self::F32 => f64::from(f32::from_le_bytes(array(bytes, endian)?)),
            Self::F64 => f64::from_le_bytes(array(bytes, endian)?),
        })
    }
}

/// A whole number that can be an index.
pub(crate) fn index(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}
