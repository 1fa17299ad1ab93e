//! The pipelines, one per kind of thing that is drawn.

use std::mem::size_of;

use wgpu::{
    BlendState, ColorTargetState, ColorWrites, CompareFunction, DepthStencilState, Device, FragmentState,
    PrimitiveState, PrimitiveTopology, RenderPipeline, RenderPipelineDescriptor, ShaderModuleDescriptor,
    ShaderSource, TextureFormat, VertexBufferLayout, VertexState, VertexStepMode, vertex_attr_array,
};

use super::shaders::{self, Shader};
use crate::mesh::InstanceRow;
use crate::primitives::{Line, Vertex};
use crate::spheres::SphereTag;

/// Depth, reversed: 1 is near, 0 infinitely far, so that floats are finest where distances are large.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Colour of surfaces.
pub const ALBEDO: TextureFormat = TextureFormat::Rgba8UnormSrgb;
/// Normals of surfaces.
pub const NORMAL: TextureFormat = TextureFormat::Rgba16Float;
/// Share of the sky that is seen.
pub const OCCLUSION: TextureFormat = TextureFormat::R8Unorm;
/// Light before tone mapping.
pub const LIGHT: TextureFormat = TextureFormat::Rgba16Float;
/// The finished picture.
pub const PICTURE: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// All pipelines.
pub struct Pipelines {
    /// Depth of spheres as the sun sees them.
    pub shadow: RenderPipeline,
    /// Depth of meshes as the sun sees them.
    pub mesh_shadow: RenderPipeline,
    /// Spheres with depth, normal and colour.
    pub spheres: RenderPipeline,
    /// The same, with values and identities in columns of their own.
    pub sphere_columns: RenderPipeline,
    /// Spheres with marks that turn with them.
    pub marked_spheres: RenderPipeline,
    /// Solid meshes with depth, normal and colour.
    pub meshes: RenderPipeline,
    /// A surface where a field has a value, with depth, normal and colour.
    pub iso: RenderPipeline,
    /// A plane through a field, with depth, normal and colour.
    pub slice: RenderPipeline,
    /// The ground with depth, normal and colour.
    pub ground: RenderPipeline,
    /// Ambient occlusion.
    pub occlusion: RenderPipeline,
    /// Occlusion without its dither.
    pub smooth: RenderPipeline,
    /// Light on what is seen.
    pub light: RenderPipeline,
    /// Transparent meshes.
    pub glass_meshes: RenderPipeline,
    /// Transparent triangles.
    pub triangles: RenderPipeline,
    /// Lines.
    pub lines: RenderPipeline,
    /// From samples to pixels.
    pub resolve: RenderPipeline,
}

/// What a pipeline differs in.
struct Plan<'a> {
    shader: Shader,
    vertex: &'static str,
    fragment: Option<&'static str>,
    buffers: &'a [Option<VertexBufferLayout<'a>>],
    topology: PrimitiveTopology,
    depth: Option<(CompareFunction, bool)>,
    targets: &'a [TextureFormat],
    blend: Option<BlendState>,
}

/// Depth is tested and written where something is nearer.
const NEARER: Option<(CompareFunction, bool)> = Some((CompareFunction::Greater, true));

impl Plan<'_> {
    /// One triangle over the whole picture.
    const SCREEN: Plan<'static> = Plan {
        shader: shaders::RESOLVE,
        vertex: "fullscreen",
        fragment: Some("resolve"),
        buffers: &[],
        topology: PrimitiveTopology::TriangleList,
        depth: None,
        targets: &[PICTURE],
        blend: None,
    };
    /// Something transparent over the lit picture.
    const OVERLAY: Plan<'static> = Plan {
        shader: shaders::OVERLAY,
        vertex: "place_corner",
        fragment: Some("lay_over"),
        buffers: &[],
        topology: PrimitiveTopology::TriangleList,
        depth: Some((CompareFunction::Greater, false)),
        targets: &[LIGHT],
        blend: Some(BlendState::ALPHA_BLENDING),
    };
}

impl Pipelines {
    /// Compiles everything.
    pub fn new(device: &Device) -> Self {
        let create = |plan: Plan| create(device, &plan);
        let quad = PrimitiveTopology::TriangleStrip;
        let (sphere_rasters, sphere_columns) = (sphere_buffers(), sphere_column_buffers());
        let marked_buffers = marked_sphere_buffers();
        let (corner, line) = ([Some(corner_buffer())], [Some(line_buffer())]);
        let body = [Some(corner_buffer()), Some(instance_buffer())];
        let surfaces = [ALBEDO, NORMAL];
        let caster = Some((CompareFunction::Less, true));
        let spheres = |buffers| Plan {
            shader: shaders::SPHERES,
            vertex: "place_quad",
            fragment: Some("cast_ray"),
            buffers,
            topology: quad,
            depth: NEARER,
            targets: &surfaces,
            blend: None,
        };
        Self {
            shadow: create(Plan {
                shader: shaders::SHADOW,
                vertex: "place_caster",
                fragment: Some("cast_shadow"),
                buffers: &sphere_rasters[..1],
                topology: quad,
                depth: caster,
                targets: &[],
                blend: None,
            }),
            mesh_shadow: create(Plan {
                shader: shaders::MESHES,
                vertex: "place_mesh_caster",
                fragment: None,
                buffers: &body,
                topology: PrimitiveTopology::TriangleList,
                depth: caster,
                targets: &[],
                blend: None,
            }),
            spheres: create(spheres(&sphere_rasters)),
            sphere_columns: create(spheres(&sphere_columns)),
            marked_spheres: create(Plan { vertex: "place_marked_quad", ..spheres(&marked_buffers) }),
            meshes: create(Plan {
                shader: shaders::MESHES,
                vertex: "place_mesh",
                fragment: Some("show_mesh"),
                buffers: &body,
                depth: NEARER,
                targets: &surfaces,
                ..Plan::SCREEN
            }),
            iso: create(Plan {
                shader: shaders::ISO,
                fragment: Some("show_iso"),
                depth: NEARER,
                targets: &surfaces,
                ..Plan::SCREEN
            }),
            slice: create(Plan {
                shader: shaders::SLICE,
                fragment: Some("show_slice"),
                depth: NEARER,
                targets: &surfaces,
                ..Plan::SCREEN
            }),
            ground: create(Plan {
                shader: shaders::GROUND,
                fragment: Some("show_ground"),
                depth: NEARER,
                targets: &surfaces,
                ..Plan::SCREEN
            }),
            occlusion: create(Plan {
                shader: shaders::OCCLUSION,
                fragment: Some("find_occlusion"),
                targets: &[OCCLUSION],
                ..Plan::SCREEN
            }),
            smooth: create(Plan {
                shader: shaders::SMOOTH,
                fragment: Some("smooth_occlusion"),
                targets: &[OCCLUSION],
                ..Plan::SCREEN
            }),
            light: create(Plan {
                shader: shaders::LIGHT,
                fragment: Some("light_surface"),
                targets: &[LIGHT],
                ..Plan::SCREEN
            }),
            glass_meshes: create(Plan {
                shader: shaders::MESHES,
                vertex: "place_glass_mesh",
                fragment: Some("lay_mesh_over"),
                buffers: &body,
                ..Plan::OVERLAY
            }),
            triangles: create(Plan { buffers: &corner, ..Plan::OVERLAY }),
            lines: create(Plan { vertex: "place_line", buffers: &line, topology: quad, ..Plan::OVERLAY }),
            resolve: create(Plan::SCREEN),
        }
    }
}

fn create(device: &Device, plan: &Plan) -> RenderPipeline {
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: Some(plan.shader.name),
        source: ShaderSource::Wgsl(plan.shader.source().into()),
    });
    let targets: Vec<Option<ColorTargetState>> = plan
        .targets
        .iter()
        .map(|format| {
            Some(ColorTargetState { format: *format, blend: plan.blend, write_mask: ColorWrites::ALL })
        })
        .collect();
    device.create_render_pipeline(&RenderPipelineDescriptor {
        label: Some(plan.fragment.unwrap_or(plan.vertex)),
        layout: None,
        vertex: VertexState {
            module: &module,
            entry_point: Some(plan.vertex),
            compilation_options: Default::default(),
            buffers: plan.buffers,
        },
        primitive: PrimitiveState { topology: plan.topology, ..Default::default() },
        depth_stencil: plan.depth.map(|(compare, write)| DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: plan.fragment.map(|entry_point| FragmentState {
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Place and radius of a sphere, as a simulation keeps them.
const SPHERE: &[wgpu::VertexAttribute] = &vertex_attr_array![0 => Float32x4];

/// A buffer with an entry per thing that is drawn.
fn per_instance<T>(attributes: &'static [wgpu::VertexAttribute]) -> VertexBufferLayout<'static> {
    VertexBufferLayout {
        array_stride: size_of::<T>() as u64,
        step_mode: VertexStepMode::Instance,
        attributes,
    }
}

/// Spheres and their tags.
fn sphere_buffers() -> [Option<VertexBufferLayout<'static>>; 2] {
    const TAG: &[wgpu::VertexAttribute] = &vertex_attr_array![1 => Float32, 2 => Uint32];
    [Some(per_instance::<[f32; 4]>(SPHERE)), Some(per_instance::<SphereTag>(TAG))]
}

/// Spheres, their tags and how they are turned.
fn marked_sphere_buffers() -> [Option<VertexBufferLayout<'static>>; 3] {
    const TURN: &[wgpu::VertexAttribute] = &vertex_attr_array![3 => Float32x4];
    let [spheres, tags] = sphere_buffers();
    [spheres, tags, Some(per_instance::<[f32; 4]>(TURN))]
}

/// Spheres, their values and their identities.
fn sphere_column_buffers() -> [Option<VertexBufferLayout<'static>>; 3] {
    const VALUE: &[wgpu::VertexAttribute] = &vertex_attr_array![1 => Float32];
    const ID: &[wgpu::VertexAttribute] = &vertex_attr_array![2 => Uint32];
    [Some(per_instance::<[f32; 4]>(SPHERE)), Some(per_instance::<f32>(VALUE)), Some(per_instance::<u32>(ID))]
}

/// Where bodies are, and their colours.
fn instance_buffer() -> VertexBufferLayout<'static> {
    const INSTANCE: &[wgpu::VertexAttribute] =
        &vertex_attr_array![3 => Float32x4, 4 => Float32x4, 5 => Float32x4, 6 => Float32x4];
    per_instance::<InstanceRow>(INSTANCE)
}

fn corner_buffer() -> VertexBufferLayout<'static> {
    const CORNER: &[wgpu::VertexAttribute] =
        &vertex_attr_array![0 => Float32x3, 1 => Unorm8x4, 2 => Float32x3];
    VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: VertexStepMode::Vertex,
        attributes: CORNER,
    }
}

fn line_buffer() -> VertexBufferLayout<'static> {
    const LINE: &[wgpu::VertexAttribute] = &vertex_attr_array![0 => Float32x4, 1 => Float32x3, 2 => Unorm8x4];
    per_instance::<Line>(LINE)
}
