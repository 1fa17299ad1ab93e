//! What a sample of a picture shows.

/// What a sample shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// The ground, or the background where it is infinitely far.
    Ground,
    /// A sphere, by its number.
    Sphere(u32),
    /// A triangle of a solid mesh.
    Triangle {
        /// Number of the mesh in the picture.
        body: u32,
        /// Number of the triangle in the mesh.
        triangle: u32,
    },
    /// The surface where a field has a value.
    Iso,
    /// The face that closes the cut of such a surface.
    Cut,
    /// A plane through a field.
    Slice,
}

/// The nearest solid thing that a sample shows.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Distance along the view direction \[m\]; infinite where there is nothing.
    pub distance: f32,
    /// What it is.
    pub surface: Surface,
}
