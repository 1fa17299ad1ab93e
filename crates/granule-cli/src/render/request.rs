//! What `granule render` is asked for.

use granule_render::{CameraChoice, ColorMap};

use super::distance::FieldRequest;
use super::field;
use crate::args::{FieldChoice, RenderArgs, Show};
use crate::failure::Failure;

/// Size of pictures that ask for none [pixels].
pub const DEFAULT_SIZE: [u32; 2] = [1280, 720];
/// What a user asks for.
pub struct RenderRequest {
    /// Width and height [pixels].
    pub size: [u32; 2],
    /// Time of the frame [s]; the last one when absent.
    pub time: Option<f64>,
    /// Field that colours particles; materials do when absent.
    pub color_by: Option<String>,
    /// Values at both ends of the colour map; found when absent.
    pub range: Option<[f32; 2]>,
    /// Colour map.
    pub map: ColorMap,
    /// Camera; the scene's own when absent.
    pub camera: Option<CameraChoice>,
    /// Whether the camera circles once during a video.
    pub turntable: bool,
    /// Distance field of boundaries to show.
    pub field: Option<FieldRequest>,
    /// An axis and a coordinate on it [m]: what is before it is left out.
    pub cut: Option<(usize, f32)>,
    /// Whether contacts are drawn, with grains small.
    pub contacts: bool,
    /// Whether grains show how they turn, where frames say so.
    pub marks: bool,
    /// Which particles; fine grains where there are some when absent.
    pub show: Option<Show>,
}

impl Default for RenderRequest {
    fn default() -> Self {
        Self {
            size: DEFAULT_SIZE,
            time: None,
            color_by: None,
            range: None,
            map: ColorMap::default(),
            camera: None,
            turntable: false,
            field: None,
            cut: None,
            contacts: false,
            marks: true,
            show: None,
        }
    }
}

impl RenderRequest {
    /// The request on the command line.
    pub fn of(args: &RenderArgs) -> Result<Self, Failure> {
        let color_by = args.color_by.clone().filter(|name| name != field::MATERIAL);
        if args.range.is_some() && color_by.is_none() {
            return Err(Failure::Input("--range needs --color-by with a field of numbers".into()));
        }
        if args.field.is_some() && args.slice.is_none() && args.iso.is_none() {
            return Err(Failure::Input("--field needs --slice, e.g. z=0, or --iso, e.g. 0".into()));
        }
        let field = args.field.clone().map(|FieldChoice(boundary)| FieldRequest {
            boundary,
            slice: args.slice,
            iso: args.iso,
            step: args.field_step,
        });
        Ok(Self {
            size: args.size,
            time: args.time,
            color_by,
            range: args.range,
            map: args.colormap,
            camera: args.camera,
            turntable: args.turntable,
            field,
            cut: args.cut,
            contacts: args.contacts,
            marks: !args.plain,
            show: args.show,
        })
    }
}
