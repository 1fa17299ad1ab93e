//! How sand is shown: colours, light, what is hidden.

use granule_render::ColorMap;

use crate::slice::CutOpen;

/// The colour of materials.
pub const MATERIAL: &str = "material";

/// How sand is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The field that colours grains, or `material`.
    pub color_by: String,
    /// Colour map of fields.
    pub map: ColorMap,
    /// Values at both ends of the map; found frame by frame when absent.
    pub range: Option<[f32; 2]>,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// Whether crevices are darker.
    pub occlusion: bool,
    /// Whether walls are drawn.
    pub walls: bool,
    /// Samples per pixel along an axis.
    pub supersampling: u32,
    /// Height of the sun above the horizon and its turn \[degrees\].
    pub sun: [f32; 2],
    /// Whether guides are drawn instead of the fine grains that they guide.
    pub guides: bool,
    /// Whether contacts are drawn as bars, with grains small.
    pub contacts: bool,
    /// Whether grains have marks that show how they turn, where the solver knows and materials give the colours.
    pub marks: bool,
    /// Where sand is cut open.
    pub cut: Option<CutOpen>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            color_by: MATERIAL.into(),
            map: ColorMap::default(),
            range: None,
            shadows: true,
            occlusion: true,
            walls: true,
            supersampling: 1,
            sun: [38.0, -70.6],
            guides: false,
            contacts: false,
            marks: true,
            cut: None,
        }
    }
}

impl Look {
    /// What a device in software can draw at a usable rate.
    pub fn frugal() -> Self {
        Self { shadows: false, occlusion: false, ..Self::default() }
    }

    /// Direction towards the sun.
    pub fn sun_direction(&self) -> glam::Vec3 {
        let [height, turn] = self.sun.map(f32::to_radians);
        glam::Vec3::new(height.cos() * turn.sin(), height.sin(), height.cos() * turn.cos())
    }
}
