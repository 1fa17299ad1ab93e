//! The passes of a picture, in their order.

use granule_device::GpuDevice;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Color, CommandEncoder, CompareFunction,
    FilterMode, IndexFormat, LoadOp, Operations, RenderPass, RenderPassColorAttachment,
    RenderPassDepthStencilAttachment, RenderPassDescriptor, RenderPipeline, SamplerDescriptor, StoreOp,
    TextureView,
};

use super::pipelines::Pipelines;
use super::targets::Targets;
use super::upload::{Count, GpuSpheres, Uploaded};

/// Records and submits all passes of a picture.
pub fn submit(gpu: &GpuDevice, pipelines: &Pipelines, targets: &Targets, uploaded: &Uploaded) {
    let picture = Picture { gpu, pipelines, targets, uploaded };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    if uploaded.shadows {
        picture.shadow(&mut encoder);
    }
    picture.surfaces(&mut encoder);
    picture.occlusion(&mut encoder);
    picture.smooth(&mut encoder);
    picture.light(&mut encoder);
    picture.overlay(&mut encoder);
    picture.resolve(&mut encoder);
    gpu.queue.submit([encoder.finish()]);
}

/// All that a picture's passes need.
struct Picture<'a> {
    gpu: &'a GpuDevice,
    pipelines: &'a Pipelines,
    targets: &'a Targets,
    uploaded: &'a Uploaded,
}

impl Picture<'_> {
    fn shadow(&self, encoder: &mut CommandEncoder) {
        let mut pass = begin(encoder, "shadow", &[], Some((&self.targets.shadow.view, LoadOp::Clear(1.0))));
        if let Some(spheres) = &self.uploaded.spheres {
            self.set(&mut pass, &self.pipelines.shadow, &[]);
            pass.set_vertex_buffer(0, spheres.positions.slice(..));
            draw_spheres(&mut pass, spheres);
        }
        self.meshes(&mut pass, &self.pipelines.mesh_shadow, true);
    }

    fn surfaces(&self, encoder: &mut CommandEncoder) {
        let clear = LoadOp::Clear(Color::TRANSPARENT);
        let colors = [(&self.targets.albedo.view, clear), (&self.targets.normal.view, clear)];
        let depth = (&self.targets.depth.view, LoadOp::Clear(0.0));
        let mut pass = begin(encoder, "surfaces", &colors, Some(depth));
        if let Some(spheres) = &self.uploaded.spheres {
            let table = BindingResource::TextureView(&self.uploaded.color_table);
            let pipelines = [&self.pipelines.spheres, &self.pipelines.sphere_columns];
            let plain = pipelines[spheres.tags.len() - 1];
            let pipeline = spheres.orientations.as_ref().map_or(plain, |_| &self.pipelines.marked_spheres);
            self.set(&mut pass, pipeline, &[table]);
            pass.set_vertex_buffer(0, spheres.positions.slice(..));
            for (slot, tags) in (1..).zip(spheres.tags.iter().chain(&spheres.orientations)) {
                pass.set_vertex_buffer(slot, tags.slice(..));
            }
            draw_spheres(&mut pass, spheres);
        }
        self.meshes(&mut pass, &self.pipelines.meshes, true);
        self.field(&mut pass);
        self.set(&mut pass, &self.pipelines.ground, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Draws the meshes that are solid, or those that are not.
    fn meshes(&self, pass: &mut RenderPass, pipeline: &RenderPipeline, solid: bool) {
        let wanted = |(_, (_, is_opaque)): &(u32, &(_, bool))| *is_opaque == solid;
        let mut chosen = (0..).zip(&self.uploaded.meshes).filter(wanted).peekable();
        let Some(instances) = &self.uploaded.instances else { return };
        if chosen.peek().is_none() {
            return;
        }
        self.set(pass, pipeline, &[]);
        pass.set_vertex_buffer(1, instances.slice(..));
        for (number, (mesh, _)) in chosen {
            pass.set_vertex_buffer(0, mesh.vertices.slice(..));
            pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint32);
            pass.draw_indexed(0..mesh.index_count, 0, number..number + 1);
        }
    }

    fn field(&self, pass: &mut RenderPass) {
        let Some(field) = &self.uploaded.field else { return };
        let data = [field.params.as_entire_binding(), field.values.as_entire_binding()];
        if field.has_iso {
            self.set(pass, &self.pipelines.iso, &data);
            pass.draw(0..3, 0..1);
        }
        if let Some(colors) = &field.slice_colors {
            let [params, values] = data;
            let resources = [params, values, BindingResource::TextureView(colors)];
            self.set(pass, &self.pipelines.slice, &resources);
            pass.draw(0..3, 0..1);
        }
    }

    fn occlusion(&self, encoder: &mut CommandEncoder) {
        let clear = LoadOp::Clear(Color::WHITE);
        let mut pass = begin(encoder, "occlusion", &[(&self.targets.occlusion.view, clear)], None);
        let resources = [&self.targets.depth, &self.targets.normal];
        let resources = resources.map(|target| BindingResource::TextureView(&target.view));
        self.set(&mut pass, &self.pipelines.occlusion, &resources);
        pass.draw(0..3, 0..1);
    }

    fn smooth(&self, encoder: &mut CommandEncoder) {
        let clear = LoadOp::Clear(Color::WHITE);
        let mut pass = begin(encoder, "smooth", &[(&self.targets.smooth.view, clear)], None);
        let resources = [&self.targets.depth, &self.targets.occlusion];
        let resources = resources.map(|target| BindingResource::TextureView(&target.view));
        self.set(&mut pass, &self.pipelines.smooth, &resources);
        pass.draw(0..3, 0..1);
    }

    fn light(&self, encoder: &mut CommandEncoder) {
        let sampler = self.gpu.device.create_sampler(&SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            compare: Some(CompareFunction::LessEqual),
            ..Default::default()
        });
        let clear = LoadOp::Clear(Color::BLACK);
        let mut pass = begin(encoder, "light", &[(&self.targets.light.view, clear)], None);
        let targets = self.targets;
        let textures = [&targets.depth, &targets.normal, &targets.albedo, &targets.smooth, &targets.shadow];
        let textures = textures.map(|target| BindingResource::TextureView(&target.view));
        let resources: Vec<_> = textures.into_iter().chain([BindingResource::Sampler(&sampler)]).collect();
        self.set(&mut pass, &self.pipelines.light, &resources);
        pass.draw(0..3, 0..1);
    }

    fn overlay(&self, encoder: &mut CommandEncoder) {
        let depth = (&self.targets.depth.view, LoadOp::Load);
        let mut pass = begin(encoder, "overlay", &[(&self.targets.light.view, LoadOp::Load)], Some(depth));
        self.meshes(&mut pass, &self.pipelines.glass_meshes, false);
        if let Some((corners, count)) = &self.uploaded.triangles {
            self.set(&mut pass, &self.pipelines.triangles, &[]);
            pass.set_vertex_buffer(0, corners.slice(..));
            pass.draw(0..*count, 0..1);
        }
        if let Some((lines, count)) = &self.uploaded.lines {
            self.set(&mut pass, &self.pipelines.lines, &[]);
            pass.set_vertex_buffer(0, lines.slice(..));
            pass.draw(0..4, 0..*count);
        }
    }

    fn resolve(&self, encoder: &mut CommandEncoder) {
        let clear = LoadOp::Clear(Color::BLACK);
        let mut pass = begin(encoder, "resolve", &[(&self.targets.picture.view, clear)], None);
        let light = BindingResource::TextureView(&self.targets.light.view);
        self.set(&mut pass, &self.pipelines.resolve, &[light]);
        pass.draw(0..3, 0..1);
    }

    /// Sets a pipeline with the frame's numbers and further resources, bound from 1 on.
    fn set(&self, pass: &mut RenderPass, pipeline: &RenderPipeline, resources: &[BindingResource]) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bind_group(pipeline, resources), &[]);
    }

    fn bind_group(&self, pipeline: &RenderPipeline, resources: &[BindingResource]) -> BindGroup {
        let frame = self.uploaded.frame.as_entire_binding();
        let entries: Vec<BindGroupEntry> = std::iter::once(frame)
            .chain(resources.iter().cloned())
            .zip(0..)
            .map(|(resource, binding)| BindGroupEntry { binding, resource })
            .collect();
        self.gpu.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }
}

/// Draws a quad per sphere.
fn draw_spheres(pass: &mut RenderPass, spheres: &GpuSpheres) {
    match &spheres.count {
        Count::Known(count) => pass.draw(0..4, 0..*count),
        Count::Indirect(buffer, offset) => pass.draw_indirect(buffer, *offset),
    }
}

/// Begins a pass over colour targets and a depth target.
fn begin<'a>(
    encoder: &'a mut CommandEncoder,
    label: &str,
    colors: &[(&TextureView, LoadOp<Color>)],
    depth: Option<(&TextureView, LoadOp<f32>)>,
) -> RenderPass<'a> {
    let attachments: Vec<Option<RenderPassColorAttachment>> = colors
        .iter()
        .map(|(view, load)| {
            let ops = Operations { load: *load, store: StoreOp::Store };
            Some(RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
        })
        .collect();
    encoder.begin_render_pass(&RenderPassDescriptor {
        label: Some(label),
        color_attachments: &attachments,
        depth_stencil_attachment: depth.map(|(view, load)| RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(Operations { load, store: StoreOp::Store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}
