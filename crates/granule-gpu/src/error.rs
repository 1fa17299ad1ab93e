//! What can go wrong on a device.

use granule_device::DeviceError;

/// Why a simulation cannot run on a device.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// There is no device, or it failed.
    #[error("{0}; choose another one, or the CPU")]
    Device(#[from] DeviceError),
    /// A solver that devices do not have.
    #[error("devices do not have the solver `{name}`; they have: {known}; take one of these, or the CPU")]
    Solver {
        /// Its word in scenes.
        name: &'static str,
        /// Those that devices have.
        known: String,
    },
    /// A buffer is larger than the device allows.
    #[error(
        "{what} need {:.2} GB in one piece, the device allows {:.2} GB; take fewer particles or the CPU",
        *needed as f64 / 1e9, *most as f64 / 1e9
    )]
    TooLarge {
        /// The buffer.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        most: u64,
    },
    /// The maps of meshes are larger than the device allows.
    #[error(
        "distances around meshes need {:.2} GB in one piece, the device allows {:.2} GB; take larger grains or smaller \
         meshes, or the CPU",
        *needed as f64 / 1e9, *most as f64 / 1e9
    )]
    Maps {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        most: u64,
    },
    /// More materials than fit.
    #[error("{count} materials, on a device there may be {most}; take fewer or the CPU")]
    Materials {
        /// Materials of the scene.
        count: usize,
        /// Materials that fit.
        most: usize,
    },
    /// More walls and regions than fit, for fine grains.
    #[error(
        "{count} boundaries, bodies and outlets, for fine grains on a device there may be {most}; take the CPU"
    )]
    Walls {
        /// Walls and regions of the scene.
        count: usize,
        /// Those that fit.
        most: usize,
    },
    /// A shape that is too involved.
    #[error(
        "a shape has {count} parts once it is multiplied out, on a device there may be {most}; simplify it or take the CPU"
    )]
    Shape {
        /// Primitives.
        count: usize,
        /// Primitives that are allowed.
        most: usize,
    },
    /// Motions with too many keyframes within a frame.
    #[error(
        "motions have {count} segments within a frame, on a device there may be {most}; take fewer keyframes or the CPU"
    )]
    Motions {
        /// Segments.
        count: usize,
        /// Segments that are allowed.
        most: usize,
    },
    /// Something of a scene that a solver has on CPU cores only.
    #[error("`{key}`: {what}, which `{solver}` does not have on devices yet; {remedy}")]
    Unsupported {
        /// The key of the scene.
        key: String,
        /// What it asks for.
        what: &'static str,
        /// The solver's word.
        solver: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// More laws of contacts than fit.
    #[error(
        "{count} laws of contacts between materials and walls, on a device there may be {most}; take fewer materials or \
         walls, or the CPU (--device cpu)"
    )]
    Laws {
        /// Laws of the scene.
        count: usize,
        /// Laws that fit.
        most: usize,
    },
    /// The device does nothing any more.
    #[error("the device {adapter} makes no progress; restart it, choose another one, or the CPU")]
    Stuck {
        /// Its name.
        adapter: String,
    },
}
