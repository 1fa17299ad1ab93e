//! What is drawn, on the device.

use granule_device::GpuDevice;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, TextureView};

use super::weak_cache::WeakCache;
use crate::RenderError;
use crate::colormap::TABLE_SIZE;
use crate::field::{FieldView, ScalarGrid};
use crate::field_params::FieldParams;
use crate::frame::FrameParams;
use crate::mesh::{InstanceRow, Mesh, MeshInstance};
use crate::render_scene::{Paint, RenderScene};
use crate::spheres::{SphereSource, TagBuffers};

/// What is drawn, on the device.
pub struct Uploaded {
    /// The numbers of the picture.
    pub frame: Buffer,
    /// Whether the sun casts shadows in it.
    pub shadows: bool,
    /// Colours that spheres take.
    pub color_table: TextureView,
    /// Spheres.
    pub spheres: Option<GpuSpheres>,
    /// Bodies in their order, with whether they are solid.
    pub meshes: Vec<(GpuMesh, bool)>,
    /// Where the bodies are.
    pub instances: Option<Buffer>,
    /// A view of a field.
    pub field: Option<GpuField>,
    /// Lines and their number.
    pub lines: Option<(Buffer, u32)>,
    /// Corners of transparent triangles and their number.
    pub triangles: Option<(Buffer, u32)>,
}

/// Spheres on the device.
pub struct GpuSpheres {
    /// Positions and radii.
    pub positions: Buffer,
    /// Tags, or values and identities.
    pub tags: Vec<Buffer>,
    /// How they are turned, where they have marks.
    pub orientations: Option<Buffer>,
    /// How many.
    pub count: Count,
}

/// How many spheres there are.
pub enum Count {
    /// So many.
    Known(u32),
    /// As a buffer says, from an offset \[bytes\] on.
    Indirect(Buffer, u64),
}

/// A mesh on the device.
#[derive(Clone)]
pub struct GpuMesh {
    /// Corners.
    pub vertices: Buffer,
    /// Three numbers of corners per triangle.
    pub indices: Buffer,
    /// How many numbers.
    pub index_count: u32,
}

/// A view of a field on the device.
pub struct GpuField {
    /// Its numbers.
    pub params: Buffer,
    /// The values of the grid.
    pub values: Buffer,
    /// Colours of the slice, where there is one.
    pub slice_colors: Option<TextureView>,
    /// Whether there is an iso-surface.
    pub has_iso: bool,
}

/// Meshes and grids that stay on the device from picture to picture.
#[derive(Default)]
pub struct GpuCache {
    meshes: WeakCache<Mesh, GpuMesh>,
    grids: WeakCache<ScalarGrid, Buffer>,
}

impl GpuCache {
    /// Uploads a scene; meshes and grids that are cached are not uploaded again.
    pub fn upload(
        &mut self,
        gpu: &GpuDevice,
        scene: &RenderScene,
        frame: &FrameParams,
    ) -> Result<Uploaded, RenderError> {
        let some = |contents: &[u8], count: usize| {
            (count > 0).then(|| (buffer(gpu, contents, BufferUsages::VERTEX), count as u32))
        };
        let rows: Vec<InstanceRow> = scene.meshes.iter().map(MeshInstance::row).collect();
        Ok(Uploaded {
            frame: buffer(gpu, bytemuck::bytes_of(frame), BufferUsages::STORAGE),
            shadows: frame.sun.w > 0.0,
            color_table: color_table(gpu, scene.paint),
            spheres: spheres(gpu, &scene.spheres)?,
            meshes: scene.meshes.iter().map(|body| (self.mesh(gpu, body), body.is_opaque())).collect(),
            instances: some(bytemuck::cast_slice(&rows), rows.len()).map(|(rows, _)| rows),
            field: scene.field.map(|view| self.field(gpu, view, frame)).transpose()?,
            lines: some(bytemuck::cast_slice(scene.lines), scene.lines.len()),
            triangles: some(bytemuck::cast_slice(scene.triangles), scene.triangles.len()),
        })
    }

    fn mesh(&mut self, gpu: &GpuDevice, instance: &MeshInstance) -> GpuMesh {
        self.meshes.of(&instance.mesh, |mesh| GpuMesh {
            vertices: buffer(gpu, bytemuck::cast_slice(mesh.vertices()), BufferUsages::VERTEX),
            indices: buffer(gpu, bytemuck::cast_slice(mesh.triangles()), BufferUsages::INDEX),
            index_count: 3 * mesh.triangles().len() as u32,
        })
    }

    fn field(
        &mut self,
        gpu: &GpuDevice,
        view: &FieldView,
        frame: &FrameParams,
    ) -> Result<GpuField, RenderError> {
        let values = view.grid.values().len();
        if 4 * values as u64 > gpu.device.limits().max_storage_buffer_binding_size {
            return Err(RenderError::FieldTooLarge { values });
        }
        let params = FieldParams::new(view, frame);
        let scalar = |slice: &crate::Slice| Paint::Scalar { map: slice.map, range: slice.range };
        Ok(GpuField {
            params: buffer(gpu, bytemuck::bytes_of(&params), BufferUsages::STORAGE),
            values: self.grids.of(&view.grid, |grid| {
                buffer(gpu, bytemuck::cast_slice(grid.values()), BufferUsages::STORAGE)
            }),
            slice_colors: view.slice.as_ref().map(|slice| color_table(gpu, &scalar(slice))),
            has_iso: view.iso.is_some(),
        })
    }
}

fn buffer(gpu: &GpuDevice, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

fn spheres(gpu: &GpuDevice, source: &SphereSource) -> Result<Option<GpuSpheres>, RenderError> {
    match source {
        SphereSource::Uploaded { spheres: [], .. } | SphereSource::Marked { spheres: [], .. } => Ok(None),
        SphereSource::Uploaded { spheres, tags } | SphereSource::Marked { spheres, tags, .. } => {
            if 16 * spheres.len() as u64 > gpu.device.limits().max_buffer_size {
                return Err(RenderError::TooMany { spheres: spheres.len() });
            }
            let vertices = |contents: &[u8]| buffer(gpu, contents, BufferUsages::VERTEX);
            let orientations = source.orientations();
            let marked = !orientations.is_empty();
            Ok(Some(GpuSpheres {
                positions: vertices(bytemuck::cast_slice(spheres)),
                tags: vec![vertices(bytemuck::cast_slice(tags))],
                orientations: marked.then(|| vertices(bytemuck::cast_slice(orientations))),
                count: Count::Known(spheres.len() as u32),
            }))
        }
        SphereSource::Buffers(buffers) => Ok(Some(GpuSpheres {
            positions: buffers.spheres.clone(),
            tags: match buffers.tags {
                TagBuffers::Tags(tags) => vec![tags.clone()],
                TagBuffers::Columns { value, id } => vec![value.clone(), id.clone()],
            },
            orientations: None,
            count: Count::Indirect(buffers.draw.clone(), buffers.draw_offset),
        })),
    }
}

fn color_table(gpu: &GpuDevice, paint: &Paint) -> TextureView {
    let colors: Vec<[f32; 4]> = paint.table().iter().map(|color| color.extend(1.0).to_array()).collect();
    let descriptor = wgpu::TextureDescriptor {
        label: Some("colour table"),
        size: wgpu::Extent3d { width: TABLE_SIZE as u32, height: 1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    let bytes = bytemuck::cast_slice(&colors);
    let texture = gpu.device.create_texture_with_data(&gpu.queue, &descriptor, order, bytes);
    texture.create_view(&Default::default())
}
