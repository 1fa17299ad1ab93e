//! Pictures of particles: lit spheres with shadows, colour maps and legends, by a graphics device or without one.
//!
//! The crate knows nothing of simulations: it draws a [`RenderScene`] as a [`RenderSettings`] says and gives an [`Image`].

mod camera;
mod camera_path;
mod colormap;
mod field;
mod field_params;
mod font;
mod frame;
mod gpu;
mod image;
mod legend;
mod mesh;
mod primitives;
mod render_scene;
mod render_settings;
mod renderer;
mod shading;
mod software;
mod spheres;

pub use camera::{Bounds, Camera, CameraChoice, DEFAULT_FOV_RADIANS, View};
pub use camera_path::{CameraKey, CameraPath};
pub use colormap::{ColorMap, linear_from_srgb, robust_range, srgb_from_linear};
pub use field::{Cut, FieldView, IsoSurface, ScalarGrid, Slice};
pub use gpu::GpuRenderer;
pub use image::{Image, write_animated_png};
pub use legend::{Legend, LegendPlace, LegendSide, tick_step};
pub use mesh::{Mesh, MeshInstance};
pub use primitives::{Line, Vertex, pack_color, wire_box};
pub use render_scene::{Paint, RenderScene};
pub use render_settings::{Light, MAX_SIDE, RenderSettings, check_size};
pub use renderer::{Renderer, RendererChoice};
pub use software::draw_in_software;
pub use spheres::{SphereBuffers, SphereSource, SphereTag, TagBuffers};

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
    /// There is not one orientation per sphere.
    #[error("{spheres} spheres with marks have {orientations} orientations; every sphere needs one")]
    Orientations {
        /// Number of spheres.
        spheres: usize,
        /// Number of orientations.
        orientations: usize,
    },
    /// An orientation is none.
    #[error("the orientation of sphere {index} is not a unit quaternion")]
    Orientation {
        /// Its place in the list.
        index: usize,
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
    /// A triangle has a corner that does not exist.
    #[error("triangle {index} of a mesh names a corner that does not exist; there are {corners}")]
    Triangle {
        /// Its place in the list.
        index: usize,
        /// Number of corners.
        corners: usize,
    },
    /// A corner of a mesh is nowhere.
    #[error("corner {index} of a mesh has a position or normal that is not finite")]
    Corner {
        /// Its place in the list.
        index: usize,
    },
    /// A mesh without triangles.
    #[error("a mesh needs at least one triangle")]
    EmptyMesh,
    /// A body cannot be placed or coloured.
    #[error("mesh {index} of the picture needs a finite pose and colour and an opacity from 0 to 1")]
    Instance {
        /// Its place in the list.
        index: usize,
    },
    /// A grid that is none.
    #[error(
        "a grid of {nodes:?} nodes with {values} values: it needs two nodes along every axis, a value for each, \
         a finite origin and a spacing above 0"
    )]
    Grid {
        /// Nodes along the axes.
        nodes: [u32; 3],
        /// Number of values.
        values: usize,
    },
    /// A value of a grid is not finite.
    #[error("value {index} of a grid is not a finite number")]
    GridValue {
        /// Its place in the list.
        index: usize,
    },
    /// A field cannot be shown as asked.
    #[error(
        "the view of a field needs a finite pose, values and colours, a plane with a normal, a range whose lower \
         end is below the upper one and a step that is not negative"
    )]
    FieldView,
    /// The device cannot hold the field.
    #[error("a field of {values} values is more than this device can hold")]
    FieldTooLarge {
        /// Number of values.
        values: usize,
    },
    /// A buffer cannot be used as it has to be.
    #[error("the buffer of {name} was made without the usage {usage}")]
    BufferUsage {
        /// What it holds.
        name: &'static str,
        /// What is missing.
        usage: &'static str,
    },
    /// Spheres in buffers come without a place.
    #[error("spheres in buffers need finite bounds and a mean radius above 0")]
    BufferBounds,
    /// Spheres in buffers of a device, to be drawn in software.
    #[error("spheres in buffers of a device cannot be drawn in software")]
    OnDevice,
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
