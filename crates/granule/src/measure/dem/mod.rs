//! Experiments with distinct elements.
//!
//! Lengths are in diameters d, times in sqrt(d/g), forces in weights of a grain: contacts know no other scales, so nothing
//! depends on how large the grains are. Materials are as soft as \[SEG01\] and others take them, which makes steps long;
//! experiments that need stiffer ones say so.

pub mod bed;
pub mod cone;
pub mod distributions;
pub mod element;
pub mod forces;
pub mod funnel;
pub mod hold;
pub mod impact;
pub mod incline;
pub mod janssen;
pub mod lammps;
pub mod lateral;
pub mod load;
pub mod oblique;
pub mod oedometer;
pub mod orifice;
pub mod packing;
pub mod piles;
pub mod planar;
pub mod planar_profile;
pub mod rolling;
pub mod sand;
pub mod segregation;
pub mod shear;
pub mod silo;
pub mod sump;
pub mod triaxial;
pub mod tumbler;
pub mod vessel;
pub mod zhou;
