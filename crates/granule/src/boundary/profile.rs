//! Solids of revolution: cylinder, cone, truncated cone and funnel.
//!
//! All are a convex polygon in the half-plane of (radial, axial) coordinates, turned about the axis. The nearest point
//! of such a solid lies in the same half-plane as the query, so two-dimensional distances to the polygon are exact.

use glam::{Vec2, Vec3};

use super::primitive::TINY;
use super::sdf::Surface;
use super::solid::{ProfileEdge, Solid};

/// Walls that lean more than this from the axis are not mirrored: the wall and its opposite would then enclose more
/// than a right angle at the axis, where they nearly repeat each other. The number is the sine of 45 degrees.
const STEEP: f32 = 0.7;

/// An edge of the polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) start: Vec2,
    /// Unit vector along the edge.
    pub(super) along: Vec2,
    pub(super) length: f32,
    /// Unit normal out of the polygon.
    pub(super) normal: Vec2,
}

impl Edge {
    /// Signed distance from the line, positive outside the polygon, and the place along it.
    fn measure(&self, p: Vec2) -> (f32, f32) {
        let offset = p - self.start;
        (self.normal.dot(offset), self.along.dot(offset))
    }

    fn at(&self, place: f32) -> Vec2 {
        self.start + place * self.along
    }
}

/// A convex polygon turned about an axis.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub(super) origin: Vec3,
    /// Unit vector.
    pub(super) axis: Vec3,
    pub(super) edge: Vec<Edge>,
    /// Whether the polygon reaches the axis, so that nothing of the solid's complement lies around the axis.
    touches_axis: bool,
}

/// A point in the half-plane through it and the axis.
struct Local {
    /// Radial and axial coordinate.
    p: Vec2,
    /// Unit vector away from the axis.
    radial: Vec3,
}

impl Profile {
    /// `corner` lists the polygon counterclockwise in (radial, axial) coordinates and must be convex. With
    /// `touches_axis` the last corner is not joined to the first: both lie on the axis.
    pub(super) fn new(origin: Vec3, axis: Vec3, corner: &[Vec2], touches_axis: bool) -> Self {
        let edge_count = if touches_axis { corner.len() - 1 } else { corner.len() };
        let edge = (0..edge_count)
            .filter_map(|k| {
                let start = corner[k];
                let span = corner[(k + 1) % corner.len()] - start;
                let length = span.length();
                (length > TINY).then(|| {
                    let along = span / length;
                    Edge { start, along, length, normal: Vec2::new(along.y, -along.x) }
                })
            })
            .collect();
        Self { origin, axis, edge, touches_axis }
    }

    /// The profile as data.
    pub(super) fn solid(&self, hollow: bool) -> Solid {
        let edge =
            |e: &Edge| ProfileEdge { start: e.start, along: e.along, length: e.length, normal: e.normal };
        Solid::Profile {
            origin: self.origin,
            axis: self.axis,
            edges: self.edge.iter().map(edge).collect(),
            touches_axis: self.touches_axis,
            hollow,
        }
    }

    /// Faces of a container: every edge, and every edge seen across the axis.
    pub(super) fn wall_count(&self) -> u16 {
        2 * self.edge.len() as u16
    }

    /// Faces of a solid: the nearest point, and the wall across the axis.
    pub(super) const SOLID_FACE_COUNT: u16 = 2;

    fn locate(&self, x: Vec3) -> Local {
        let offset = x - self.origin;
        let z = offset.dot(self.axis);
        let away = offset - z * self.axis;
        let length = away.length();
        if length <= TINY + 1e-6 * offset.length() {
            // The direction would be nothing but rounding: any perpendicular will do, always the same.
            return Local { p: Vec2::new(0.0, z), radial: self.axis.any_orthonormal_vector() };
        }
        // Near the axis rounding tilts the direction: make it perpendicular again.
        let tilted = away / length;
        let radial = (tilted - tilted.dot(self.axis) * self.axis).normalize();
        Local { p: Vec2::new(length, z), radial }
    }

    /// Signed distance of a point [m] from the solid: that of [`nearest`](Self::nearest), without the rest.
    #[inline]
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        let offset = x - self.origin;
        let z = offset.dot(self.axis);
        let length = (offset - z * self.axis).length();
        let near_axis = length <= TINY + 1e-6 * offset.length();
        let p = Vec2::new(if near_axis { 0.0 } else { length }, z);
        let (mut depth, mut square, mut nearest) = (f32::NEG_INFINITY, f32::INFINITY, None);
        for edge in &self.edge {
            let (height, place) = edge.measure(p);
            depth = depth.max(height);
            let beside = place - place.clamp(0.0, edge.length);
            let edge_square = height * height + beside * beside;
            // Nothing behind an edge is nearest to it, though rounding may say so of a point far over a corner.
            if height > 0.0 && edge_square < square {
                square = edge_square;
                nearest = Some((height, beside == 0.0));
            }
        }
        if depth <= 0.0 {
            return depth;
        }
        match nearest {
            Some((height, over)) if over || square.sqrt() <= TINY => height,
            Some(_) => square.sqrt(),
            // Reached only by a point that is not a number.
            None => f32::NAN,
        }
    }

    fn surface(&self, radial: Vec3, distance: f32, normal: Vec2, closest: Vec2, face: u16) -> Surface {
        Surface {
            distance,
            normal: normal.x * radial + normal.y * self.axis,
            closest: self.origin + closest.x * radial + closest.y * self.axis,
            face,
            lambda: None,
        }
    }

    /// Nearest point of the solid.
    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        self.nearest_local(&self.locate(x))
    }

    fn nearest_local(&self, local: &Local) -> Surface {
        let p = local.p;
        let mut depth = f32::NEG_INFINITY;
        let mut inside = None;
        let mut square = f32::INFINITY;
        let mut outside = None;
        for edge in &self.edge {
            let (height, place) = edge.measure(p);
            if height > depth {
                depth = height;
                inside = Some((edge, place));
            }
            let clamped = place.clamp(0.0, edge.length);
            let beside = place - clamped;
            let edge_square = height * height + beside * beside;
            // Nothing behind an edge is nearest to it, though rounding may say so of a point far over a corner.
            if height > 0.0 && edge_square < square {
                square = edge_square;
                outside = Some((edge, height, place, clamped));
            }
        }
        if depth <= 0.0 {
            if let Some((edge, place)) = inside {
                return self.surface(local.radial, depth, edge.normal, edge.at(place), 0);
            }
        } else if let Some((edge, height, place, clamped)) = outside {
            let closest = edge.at(clamped);
            let distance = square.sqrt();
            if place == clamped || distance <= TINY {
                return self.surface(local.radial, height, edge.normal, closest, 0);
            }
            let offset = p - closest;
            return self.surface(local.radial, distance, offset / distance, closest, 0);
        }
        // Reached only by a point that is not a number.
        Surface { distance: f32::NAN, normal: self.axis, closest: self.origin, face: 0, lambda: None }
    }

    /// The walls of the polygon as a container.
    pub(super) fn walls(&self, x: Vec3, reach: f32, emit: &mut impl FnMut(Surface)) {
        let local = self.locate(x);
        // A wall counts where the point lies over it, or beside it by no more than it has sunk into another wall.
        let sunk = self.edge.iter().fold(0.0_f32, |sunk, edge| sunk.max(edge.measure(local.p).0));
        let slack = sunk.min(reach);
        let mut found = false;
        for (k, edge) in self.edge.iter().enumerate() {
            let (height, place) = edge.measure(local.p);
            let distance = -height;
            let over = place >= -slack && place <= edge.length + slack;
            if distance < reach && (over || distance < 0.0) {
                found = true;
                emit(self.surface(local.radial, distance, -edge.normal, edge.at(place), k as u16));
            }
            if self.touches_axis && edge.normal.x > STEEP {
                let (height, place) = edge.measure(Vec2::new(-local.p.x, local.p.y));
                if height <= 0.0 && -height < reach && place >= 0.0 && place <= edge.length {
                    let face = (self.edge.len() + k) as u16;
                    emit(self.surface(-local.radial, -height, -edge.normal, edge.at(place), face));
                }
            }
        }
        if !found {
            // Rounding at a corner may leave a point over no wall.
            emit(self.nearest_local(&local).inverted());
        }
    }

    /// The nearest point of the polygon as a solid, and the wall beyond the axis for a point inside a funnel.
    pub(super) fn outside(&self, x: Vec3, emit: &mut impl FnMut(Surface)) {
        let local = self.locate(x);
        emit(self.nearest_local(&local));
        if self.touches_axis {
            return;
        }
        for edge in self.edge.iter().filter(|edge| edge.normal.x < -STEEP) {
            let (height, place) = edge.measure(Vec2::new(-local.p.x, local.p.y));
            let in_bore = edge.measure(local.p).0 >= 0.0;
            if in_bore && height >= 0.0 && place >= 0.0 && place <= edge.length {
                emit(self.surface(-local.radial, height, edge.normal, edge.at(place), 1));
            }
        }
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        // A circle about the axis reaches sqrt(1 - a_k^2) of its radius along the world's axis k.
        let spread = (Vec3::ONE - self.axis * self.axis).max(Vec3::ZERO).map(f32::sqrt);
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for edge in &self.edge {
            for p in [edge.start, edge.at(edge.length)] {
                let center = self.origin + p.y * self.axis;
                min = min.min(center - p.x * spread);
                max = max.max(center + p.x * spread);
            }
        }
        (min, max)
    }
}
