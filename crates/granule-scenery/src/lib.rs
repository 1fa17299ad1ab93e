//! Scenes of granule as things to draw: walls, bodies, the colours of grains, and videos of them.
//!
//! ```
//! use granule_render::Bounds;
//! use granule_scenery::{BodyModels, Walls};
//!
//! let scene = granule::Scene::open("hourglass", true, &[])?;
//! let walls = Walls::new(&scene)?;
//! let region = Bounds { min: glam::Vec3::splat(-0.2), max: glam::Vec3::splat(0.4) };
//! let shapes = walls.shapes(&region);
//! let scenery = walls.at_time(&shapes, 0.0);
//! assert!(!scenery.meshes.is_empty(), "the glass");
//! assert!(BodyModels::new(&scene)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
mod colors;
mod forces;
mod surface;
mod video;
mod walls;

pub use bodies::BodyModels;
pub use colors::{Colors, category_color, direction_colors, material_paint, scalar_tags};
pub use forces::{ForceScale, GRAINS_AMONG_BARS, force_bars};
pub use video::{VideoError, VideoWriter};
pub use walls::{Scenery, WallShape, Walls};

/// Why a scene cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum SceneryError {
    /// A wall is none.
    #[error("boundary `{name}`: {reason}")]
    Wall {
        /// Name of the boundary.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A body is none.
    #[error("body `{name}`: {reason}")]
    Body {
        /// Name of the body.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}
