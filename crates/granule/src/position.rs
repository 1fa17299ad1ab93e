//! Positions that do not freeze.
//!
//! In single precision a coordinate of 10 m has a grid of 1e-6 m: grains slower than that per step stand still, and an
//! overlap of a ten-thousandth of a diameter drowns. An [`ExactPosition`] counts quanta of 2^-48 m (3.6e-15 m) per axis
//! in 64-bit whole numbers, up to 2^15 m (32.8 km) either way. Seen as two words, the high one is a cell of 2^-16 m and
//! the low one the fixed-point offset in it.
//!
//! Sums and differences of whole numbers are exact, do not depend on their order, and no compiler may simplify them
//! away as it may the steps of compensated summation. What rounds is stated: a displacement, once, to the nearest
//! quantum; a difference, once, to single precision. `crates/granule-gpu/shader/position.wgsl` is the same in WGSL, bit
//! for bit.
//!
//! Pair loops take single precision relative to an origin near by, see [`ExactDomain::offsets`].

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::hash::Fnv;

/// Quanta in a metre, 2^48.
pub const QUANTA_PER_METER: f64 = (1_u64 << 48) as f64;

/// A quantum \[m\], 2^-48.
pub const QUANTUM: f64 = 1.0 / QUANTA_PER_METER;

/// Coordinates lie nearer to the origin than this \[m\], 2^15. No longer displacement is made at once.
pub const FARTHEST: f32 = 32768.0;

/// A point in space: whole quanta of 2^-48 m per axis.
///
/// In memory three little-endian 64-bit numbers, 24 bytes: on devices three pairs of words (low, high).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Pod, Zeroable,
)]
#[repr(C)]
pub struct ExactPosition {
    /// Quanta along x, y and z.
    pub quanta: [i64; 3],
}

impl ExactPosition {
    /// A point given in single precision [m], exactly where its coordinates are multiples of a quantum (always beyond
    /// 2^-25 m). None where it is not finite or not nearer than [`FARTHEST`] along an axis.
    pub fn new(point: Vec3) -> Option<Self> {
        Self::from_meters(point.as_dvec3())
    }

    /// The nearest point to one given in double precision [m]; none where it is not finite or too far out.
    pub fn from_meters(point: DVec3) -> Option<Self> {
        let inside = point.to_array().iter().all(|x| x.abs() < f64::from(FARTHEST));
        inside.then(|| Self { quanta: point.to_array().map(nearest_quantum) })
    }

    /// The point in single precision [m], rounded once per axis.
    pub fn to_vec3(self) -> Vec3 {
        Vec3::from(self.quanta.map(meters))
    }

    /// The point in double precision [m], rounded once per axis; exact up to 32 m from the origin.
    pub fn to_meters(self) -> DVec3 {
        DVec3::from(self.quanta.map(|quanta| quanta as f64 * QUANTUM))
    }

    /// Moves the point by a displacement [m], rounded to the nearest quantum per axis (ties to even). With a step of
    /// 1e-5 s, speeds below 1.8e-10 m/s still round to nothing.
    ///
    /// False where something was lost: what is not a number moves nothing, and a coordinate that would leave the range,
    /// or a displacement of [`FARTHEST`] and more, ends at the end of the range.
    #[must_use = "false says that the point is not where it should be"]
    pub fn advance(&mut self, displacement: Vec3) -> bool {
        self.advance_meters(displacement.as_dvec3())
    }

    /// As [`advance`](Self::advance), by a displacement in double precision [m].
    #[must_use = "false says that the point is not where it should be"]
    pub fn advance_meters(&mut self, displacement: DVec3) -> bool {
        let mut sound = true;
        for (quanta, part) in self.quanta.iter_mut().zip(displacement.to_array()) {
            let way = nearest_quantum(part);
            sound &= part.abs() < f64::from(FARTHEST) && quanta.checked_add(way).is_some();
            *quanta = quanta.saturating_add(way);
        }
        sound
    }

    /// The vector from `other` to here [m]: subtracted exactly, then rounded once per axis. Parts longer than
    /// [`FARTHEST`] end there.
    #[inline]
    pub fn difference(self, other: Self) -> Vec3 {
        let along = |axis: usize| meters(self.quanta[axis].saturating_sub(other.quanta[axis]));
        Vec3::new(along(0), along(1), along(2))
    }

    /// Adds the point to a hash of states.
    pub fn hash_into(&self, hash: &mut Fnv) {
        self.quanta.iter().for_each(|quanta| hash.word(*quanta as u64));
    }
}

/// The nearest whole number of quanta to a length \[m\], ties to even; 0 for what is not a number, the end of the range
/// for what lies beyond it. The product is exact: a power of two.
#[inline]
fn nearest_quantum(length: f64) -> i64 {
    /// Sums with it have no bits behind the point: what is added rounds to the nearest whole number, ties to even.
    const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;
    let quanta = length * QUANTA_PER_METER;
    if quanta.abs() < (1_u64 << 51) as f64 {
        // The same as below, without a call of a function for each number: the bits of such sums count in ones.
        return (quanta + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i64;
    }
    quanta.round_ties_even() as i64
}

/// A number of quanta as a length \[m\], rounded once to the nearest, ties to even.
#[inline]
fn meters(quanta: i64) -> f32 {
    quanta as f32 * QUANTUM as f32
}

/// Space for exact positions: unbounded, or repeating along some axes, with periods of whole quanta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct ExactDomain {
    /// Where the periods begin, in quanta.
    origin: [i64; 3],
    /// How long they are, in quanta; 0 where an axis does not repeat.
    length: [i64; 3],
}

impl ExactDomain {
    /// A domain with the given periodic ranges [m] per axis. None where one is empty or reaches beyond the range of exact
    /// positions.
    pub fn new(ranges: [Option<[f32; 2]>; 3]) -> Option<Self> {
        Self::from_meters(ranges.map(|range| range.map(|ends| ends.map(f64::from))))
    }

    /// As [`new`](Self::new), with ranges in double precision, whose ends are rounded to the nearest quantum.
    pub fn from_meters(ranges: [Option<[f64; 2]>; 3]) -> Option<Self> {
        let mut domain = Self::default();
        for (axis, range) in ranges.iter().enumerate() {
            let Some(ends) = range else { continue };
            let [from, to] = ends.map(|end| (end.abs() < f64::from(FARTHEST)).then(|| nearest_quantum(end)));
            let (from, to) = (from?, to?);
            domain.origin[axis] = from;
            domain.length[axis] = to.checked_sub(from).filter(|length| *length > 0)?;
        }
        Some(domain)
    }

    /// Whether the space repeats along any axis.
    #[inline]
    pub fn is_periodic(&self) -> bool {
        self.length != [0; 3]
    }

    /// The point's image inside the periods, exactly: from the origin on, before the end.
    #[inline]
    pub fn wrap(&self, mut point: ExactPosition) -> ExactPosition {
        for axis in 0..3 {
            point.quanta[axis] = wrapped(point.quanta[axis], self.origin[axis], self.length[axis]);
        }
        point
    }

    /// The shortest vector from `b` to `a` [m], both inside the periods: exact, then rounded once per axis. At half a
    /// period it is the plain difference.
    #[inline]
    pub fn difference(&self, a: ExactPosition, b: ExactPosition) -> Vec3 {
        let along = |axis: usize| {
            meters(nearest_image(a.quanta[axis].saturating_sub(b.quanta[axis]), self.length[axis]))
        };
        Vec3::new(along(0), along(1), along(2))
    }

    /// Coordinates of points relative to an origin near by [m], by axis, for loops over pairs in single precision.
    ///
    /// Each is rounded once, by at most 2^-24 (6e-8) of itself: within 1e-7 of the extent of a block around its origin,
    /// however far out the block lies. Of repeating points the image nearest to the origin counts. All slices are as
    /// long as the points.
    pub fn offsets(&self, origin: ExactPosition, points: &[ExactPosition], columns: [&mut [f32]; 3]) {
        for (axis, column) in columns.into_iter().enumerate() {
            let (from, length) = (origin.quanta[axis], self.length[axis]);
            for (offset, point) in column.iter_mut().zip(points) {
                *offset = meters(nearest_image(point.quanta[axis].saturating_sub(from), length));
            }
        }
    }
}

/// A coordinate's image in the period from `origin` on; the coordinate itself where `length` is 0.
#[inline]
fn wrapped(x: i64, origin: i64, length: i64) -> i64 {
    if length <= 0 {
        return x;
    }
    let length = length as u64;
    // Nearly all are inside already, and a division takes longer than everything else in a step of theirs.
    if x >= origin && (x.wrapping_sub(origin) as u64) < length {
        return x;
    }
    // The modulus of the difference fits 64 bits without a sign, wherever both lie.
    let beyond = if x >= origin {
        x.wrapping_sub(origin) as u64 % length
    } else {
        match origin.wrapping_sub(x) as u64 % length {
            0 => 0,
            below => length - below,
        }
    };
    origin.wrapping_add(beyond as i64)
}

/// The nearest image of a difference of two coordinates inside a period; the difference itself where `length` is 0.
#[inline]
fn nearest_image(difference: i64, length: i64) -> i64 {
    let modulus = difference.unsigned_abs();
    let length = length as u64;
    if modulus >= length || modulus <= length - modulus {
        return difference;
    }
    let other = (length - modulus) as i64;
    if difference < 0 { other } else { -other }
}

#[cfg(test)]
#[path = "position/tests.rs"]
mod tests;
