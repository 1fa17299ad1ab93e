//! Where the spheres of a picture come from.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use wgpu::{Buffer, BufferUsages};

use crate::RenderError;
use crate::camera::Bounds;

/// What belongs to a sphere beside its place: 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SphereTag {
    /// What [`Paint`](crate::Paint) makes a colour of: a material's number, a value, or a packed colour as bits.
    pub value: f32,
    /// Identity; everything random about a grain follows from it.
    pub id: u32,
}

impl SphereTag {
    /// A tag for [`Paint::Direct`](crate::Paint::Direct).
    pub fn of_color(srgb: Vec3, id: u32) -> Self {
        let [r, g, b] =
            (srgb.clamp(Vec3::ZERO, Vec3::ONE) * 255.0).round().to_array().map(|part| part as u32);
        Self { value: f32::from_bits(r | g << 8 | b << 16), id }
    }
}

/// Where the spheres of a picture come from.
#[derive(Clone, Copy, Debug)]
pub enum SphereSource<'a> {
    /// From memory.
    Uploaded {
        /// Spheres as (x, y, z, radius) \[m\].
        spheres: &'a [[f32; 4]],
        /// One tag per sphere.
        tags: &'a [SphereTag],
    },
    /// From memory, with marks that turn with them: of each sphere, opposite quarters are darker.
    Marked {
        /// Spheres as (x, y, z, radius) \[m\].
        spheres: &'a [[f32; 4]],
        /// One tag per sphere.
        tags: &'a [SphereTag],
        /// How each sphere is turned, world from body, as a unit quaternion (x, y, z, w).
        orientations: &'a [[f32; 4]],
    },
    /// From buffers on the device that draws; nothing is copied.
    Buffers(SphereBuffers<'a>),
}

/// Spheres in buffers of the device that draws, such as a simulation keeps them.
#[derive(Clone, Copy, Debug)]
pub struct SphereBuffers<'a> {
    /// Spheres as (x, y, z, radius) \[m\], 16 bytes each; usage `VERTEX`.
    pub spheres: &'a Buffer,
    /// What gives their colours.
    pub tags: TagBuffers<'a>,
    /// The arguments of an indirect draw, four u32 numbers: 4, the number of spheres, 0, 0; usage `INDIRECT`.
    pub draw: &'a Buffer,
    /// Where the arguments begin \[bytes\], a multiple of 4.
    pub draw_offset: u64,
    /// A box that holds all spheres \[m\]: the shadow map covers it.
    pub bounds: Bounds,
    /// Mean radius of the spheres \[m\].
    pub radius: f32,
}

/// What gives spheres in buffers their colours; usage `VERTEX`.
#[derive(Clone, Copy, Debug)]
pub enum TagBuffers<'a> {
    /// One [`SphereTag`] per sphere.
    Tags(&'a Buffer),
    /// Values and identities in columns of their own.
    Columns {
        /// One f32 per sphere.
        value: &'a Buffer,
        /// One u32 per sphere.
        id: &'a Buffer,
    },
}

impl<'a> SphereSource<'a> {
    /// No spheres.
    pub const NONE: SphereSource<'static> = SphereSource::Uploaded { spheres: &[], tags: &[] };

    /// Spheres and tags in memory; none where they lie on a device.
    pub(crate) fn in_memory(&self) -> (&'a [[f32; 4]], &'a [SphereTag]) {
        match self {
            Self::Uploaded { spheres, tags } | Self::Marked { spheres, tags, .. } => (spheres, tags),
            Self::Buffers(_) => (&[], &[]),
        }
    }

    /// How spheres with marks are turned; none without marks.
    pub(crate) fn orientations(&self) -> &'a [[f32; 4]] {
        match self {
            Self::Marked { orientations, .. } => orientations,
            _ => &[],
        }
    }

    /// The box around all spheres; `None` without any.
    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Uploaded { spheres, .. } | Self::Marked { spheres, .. } => Bounds::of_spheres(spheres),
            Self::Buffers(buffers) => Some(buffers.bounds),
        }
    }

    /// Mean radius of the spheres \[m\]; `None` without any.
    pub(crate) fn mean_radius(&self) -> Option<f32> {
        match self {
            Self::Uploaded { spheres: [], .. } | Self::Marked { spheres: [], .. } => None,
            Self::Uploaded { spheres, .. } | Self::Marked { spheres, .. } => {
                let sum: f64 = spheres.iter().map(|sphere| f64::from(sphere[3])).sum();
                Some((sum / spheres.len() as f64) as f32)
            }
            Self::Buffers(buffers) => Some(buffers.radius),
        }
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        match self {
            Self::Uploaded { spheres, tags } => check_uploaded(spheres, tags),
            Self::Marked { spheres, tags, orientations } => {
                check_uploaded(spheres, tags)?;
                check_orientations(spheres.len(), orientations)
            }
            Self::Buffers(buffers) => buffers.check(),
        }
    }
}

fn check_uploaded(spheres: &[[f32; 4]], tags: &[SphereTag]) -> Result<(), RenderError> {
    if tags.len() != spheres.len() {
        return Err(RenderError::Tags { spheres: spheres.len(), tags: tags.len() });
    }
    let wrong =
        |[x, y, z, radius]: &[f32; 4]| !(x + y + z).is_finite() || !radius.is_finite() || *radius <= 0.0;
    spheres.iter().position(wrong).map_or(Ok(()), |index| Err(RenderError::Sphere { index }))
}

fn check_orientations(spheres: usize, orientations: &[[f32; 4]]) -> Result<(), RenderError> {
    let unit = |q: &[f32; 4]| (q.iter().map(|part| part * part).sum::<f32>() - 1.0).abs() < 1e-2;
    if orientations.len() != spheres {
        return Err(RenderError::Orientations { spheres, orientations: orientations.len() });
    }
    let wrong = orientations.iter().position(|q| !unit(q));
    wrong.map_or(Ok(()), |index| Err(RenderError::Orientation { index }))
}

impl SphereBuffers<'_> {
    fn check(&self) -> Result<(), RenderError> {
        let needs = |buffer: &Buffer, usage, name, word| match buffer.usage().contains(usage) {
            true => Ok(()),
            false => Err(RenderError::BufferUsage { name, usage: word }),
        };
        let vertex = |buffer, name| needs(buffer, BufferUsages::VERTEX, name, "VERTEX");
        vertex(self.spheres, "spheres")?;
        match self.tags {
            TagBuffers::Tags(tags) => vertex(tags, "tags")?,
            TagBuffers::Columns { value, id } => {
                vertex(value, "values")?;
                vertex(id, "ids")?;
            }
        }
        needs(self.draw, BufferUsages::INDIRECT, "draw arguments", "INDIRECT")?;
        let finite = self.bounds.min.is_finite() && self.bounds.max.is_finite();
        match finite && self.radius.is_finite() && self.radius > 0.0 {
            true => Ok(()),
            false => Err(RenderError::BufferBounds),
        }
    }
}
