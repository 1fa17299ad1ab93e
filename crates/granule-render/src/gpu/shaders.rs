//! The shaders, each put together from the files that it needs.

const FRAME: &str = include_str!("../../shader/frame.wgsl");
const FULLSCREEN: &str = include_str!("../../shader/fullscreen.wgsl");
const SHADING: &str = include_str!("../../shader/shading.wgsl");
const GLASS: &str = include_str!("../../shader/glass.wgsl");
const FIELD: &str = include_str!("../../shader/field.wgsl");

/// A shader: its name and the files it is made of.
pub struct Shader {
    /// Name, for messages of the driver.
    pub name: &'static str,
    parts: &'static [&'static str],
}

impl Shader {
    /// The whole text.
    pub fn source(&self) -> String {
        self.parts.join("\n")
    }
}

/// Depth of spheres as the sun sees them.
pub const SHADOW: Shader =
    Shader { name: "shadow", parts: &[FRAME, include_str!("../../shader/shadow.wgsl")] };
/// Spheres with depth, normal and colour.
pub const SPHERES: Shader =
    Shader { name: "spheres", parts: &[FRAME, SHADING, include_str!("../../shader/spheres.wgsl")] };
/// Meshes: solid, transparent, and as the sun sees them.
pub const MESHES: Shader =
    Shader { name: "meshes", parts: &[FRAME, SHADING, GLASS, include_str!("../../shader/meshes.wgsl")] };
/// A surface where a field has a value.
pub const ISO: Shader =
    Shader { name: "iso", parts: &[FRAME, FULLSCREEN, FIELD, include_str!("../../shader/iso.wgsl")] };
/// A plane through a field.
pub const SLICE: Shader =
    Shader { name: "slice", parts: &[FRAME, FULLSCREEN, FIELD, include_str!("../../shader/slice.wgsl")] };
/// The ground with depth, normal and colour.
pub const GROUND: Shader =
    Shader { name: "ground", parts: &[FRAME, FULLSCREEN, include_str!("../../shader/ground.wgsl")] };
/// Ambient occlusion.
pub const OCCLUSION: Shader =
    Shader { name: "occlusion", parts: &[FRAME, FULLSCREEN, include_str!("../../shader/occlusion.wgsl")] };
/// Occlusion without its dither.
pub const SMOOTH: Shader =
    Shader { name: "smooth", parts: &[FRAME, FULLSCREEN, include_str!("../../shader/smooth.wgsl")] };
/// Light on what is seen.
pub const LIGHT: Shader =
    Shader { name: "light", parts: &[FRAME, SHADING, FULLSCREEN, include_str!("../../shader/light.wgsl")] };
/// Triangles and lines.
pub const OVERLAY: Shader =
    Shader { name: "overlay", parts: &[FRAME, SHADING, GLASS, include_str!("../../shader/overlay.wgsl")] };
/// From samples to pixels.
pub const RESOLVE: Shader = Shader {
    name: "resolve",
    parts: &[FRAME, SHADING, FULLSCREEN, include_str!("../../shader/resolve.wgsl")],
};

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;
    use crate::field_params::FieldParams;
    use crate::frame::FrameParams;

    const ALL: [&Shader; 11] =
        [&SHADOW, &SPHERES, &MESHES, &ISO, &SLICE, &GROUND, &OCCLUSION, &SMOOTH, &LIGHT, &OVERLAY, &RESOLVE];

    fn module(shader: &Shader) -> naga::Module {
        let source = shader.source();
        let parsed = naga::front::wgsl::parse_str(&source);
        parsed.unwrap_or_else(|error| panic!("{}: {}", shader.name, error.emit_to_string(&source)))
    }

    #[test]
    fn every_shader_is_valid_without_special_capabilities() {
        for shader in ALL {
            let validated =
                Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module(shader));
            assert!(validated.is_ok(), "{}: {:?}", shader.name, validated.err());
        }
    }

    #[test]
    fn every_file_of_shaders_is_in_use() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shader");
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            assert!(ALL.iter().any(|shader| shader.parts.contains(&text.as_str())), "{text}");
        }
    }

    macro_rules! fields {
        ($type:ty, $($field:ident),+) => { vec![$((stringify!($field), offset_of!($type, $field))),+] };
    }

    /// Compares a struct of a shader with its mirror.
    fn compare(shader: &Shader, name: &str, expected: &[(&str, usize)], size: usize) {
        let module = module(shader);
        let (_, found) = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
        let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{found:?}") };
        let members: Vec<(&str, usize)> = members
            .iter()
            .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
            .collect();
        assert_eq!(members, expected);
        assert_eq!(*span as usize, size);
    }

    #[test]
    fn the_frame_has_the_same_layout_on_both_sides() {
        let expected = fields!(
            FrameParams,
            view_from_world,
            world_from_view,
            light_from_world,
            projection,
            size,
            sun_direction,
            sun,
            sky,
            bounce,
            horizon,
            zenith,
            ground,
            ground_fade,
            paint,
            shadow,
            occlusion
        );
        compare(&LIGHT, "Frame", &expected, size_of::<FrameParams>());
    }

    #[test]
    fn the_field_has_the_same_layout_on_both_sides() {
        let expected =
            fields!(FieldParams, grid_from_view, world_from_grid, nodes, plane, slice, iso, options, cut);
        compare(&ISO, "Field", &expected, size_of::<FieldParams>());
    }
}
