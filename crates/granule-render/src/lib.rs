//! Pictures of particles: lit spheres with shadows, colour maps and legends, by a graphics device or without one.
//!
//! The crate knows nothing of simulations: it draws a [`Subject`] as a [`Look`] says and gives an [`Image`].

mod camera;
mod colormap;
mod font;
mod frame;
mod gpu;
mod image;
mod legend;
mod look;
mod renderer;
mod shading;
mod software;
mod subject;

pub use camera::{Bounds, Camera, CameraChoice, DEFAULT_FOV_RADIANS, View};
pub use colormap::{ColorMap, linear_from_srgb, robust_range, srgb_from_linear};
pub use gpu::GpuRenderer;
pub use image::{Image, write_animated_png};
pub use legend::{Legend, LegendPlace};
pub use look::{Light, Look, MAX_SIDE, check_size};
pub use renderer::{Renderer, RendererChoice};
pub use software::draw_in_software;
pub use subject::{Line, Paint, SphereTag, Subject, Vertex, pack_color, wire_box};

use granule_device::DeviceError;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The picture has no or too many pixels.
    #[error("a picture of {width}x{height} pixels: both sides must be from 1 to {MAX_SIDE}")]
    Size {
        /// Width that was asked for.
        width: u32,
        /// Height that was asked for.
        height: u32,
    },
    /// The camera looks nowhere.
    #[error(
        "the camera needs finite positions, a target apart from its eye and a field of view below 177 degrees"
    )]
    Camera,
    /// The number of samples is not possible.
    #[error("{found} samples per pixel along an axis: 1 to 4 are possible")]
    Supersampling {
        /// What was asked for.
        found: u32,
    },
    /// There is not one tag per sphere.
    #[error("{spheres} spheres have {tags} tags; every sphere needs one")]
    Tags {
        /// Number of spheres.
        spheres: usize,
        /// Number of tags.
        tags: usize,
    },
    /// A sphere is nowhere or has no size.
    #[error("sphere {index} has a position or radius that is not a finite number above 0")]
    Sphere {
        /// Its place in the list.
        index: usize,
    },
    /// The device cannot hold the spheres.
    #[error("{spheres} spheres are more than this device can hold")]
    TooMany {
        /// Number of spheres.
        spheres: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
