//! Kernels: a shader's entry point with its bindings, ready to be recorded.

use std::cell::RefCell;

use granule_device::GpuDevice;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBindingType, ComputePass,
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

/// Threads of a workgroup in every kernel.
pub const WORKGROUP: u32 = 256;

/// Workgroups in a row of a dispatch; more make further rows, as no dimension may exceed 65535.
pub const ROW: u32 = 32768;

/// Bytes between the arguments of two indirect dispatches.
pub const ARGUMENT_STRIDE: u64 = 16;

/// A shader: its name and the files it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// Name, for messages of the driver.
    pub name: &'static str,
    /// Texts, one after the other.
    pub parts: &'static [&'static str],
}

impl Shader {
    /// The whole text.
    pub fn source(&self) -> String {
        self.parts.join("\n")
    }
}

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Small constants.
    Uniform,
    /// Storage that is only read.
    Read,
    /// Storage that is written.
    Write,
}

impl Access {
    fn entry(self, binding: u32) -> BindGroupLayoutEntry {
        let ty = match self {
            Self::Uniform => BufferBindingType::Uniform,
            Self::Read => BufferBindingType::Storage { read_only: true },
            Self::Write => BufferBindingType::Storage { read_only: false },
        };
        BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        }
    }
}

/// Uniform buffers that several kernels share: group 1 or 2 of a shader.
#[derive(Clone, Debug)]
pub struct SharedLayout {
    label: &'static str,
    count: usize,
    layout: BindGroupLayout,
}

impl SharedLayout {
    /// A layout of so many uniform buffers.
    pub fn new(gpu: &GpuDevice, label: &'static str, count: usize) -> Self {
        Self { label, count, layout: layout(gpu, label, &vec![Access::Uniform; count]) }
    }

    /// The buffers of such a group.
    pub fn bind(&self, gpu: &GpuDevice, buffers: &[&Buffer]) -> BindGroup {
        group(gpu, self.label, &self.layout, buffers.iter().map(|buffer| buffer.as_entire_binding()))
    }
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: &'static str,
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
}

/// What a kernel is made of.
pub struct KernelPlan<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// Name of the entry point.
    pub entry: &'static str,
    /// The kernel's own buffers, group 0, in the order of their bindings.
    pub access: &'a [Access],
    /// Groups 1 and 2.
    pub shared: &'a [&'a SharedLayout],
    /// Overrides of constants.
    pub constants: &'a [(&'a str, f64)],
}

impl KernelPlan<'_> {
    /// All that the pipeline depends on.
    fn text(&self, hook: &str) -> String {
        let shared: Vec<usize> = self.shared.iter().map(|shared| shared.count).collect();
        let (entry, access, constants) = (self.entry, self.access, self.constants);
        format!("{entry} {access:?} {shared:?} {constants:?}\n{}\n{hook}", self.shader.source())
    }
}

impl Kernel {
    /// Compiles an entry point, where the device does not have it yet. Errors of the driver are kept by the device.
    pub fn new(gpu: &GpuDevice, plan: &KernelPlan) -> Self {
        Self::with_hook(gpu, plan, "")
    }

    /// The same with more text behind the shader's own: declarations of WGSL may come in any order, so a shared kernel calls
    /// what a method declares there.
    pub fn with_hook(gpu: &GpuDevice, plan: &KernelPlan, hook: &str) -> Self {
        let storage = plan.access.iter().filter(|access| **access != Access::Uniform).count();
        debug_assert!(storage <= 8, "{}: {storage} storage buffers", plan.entry);
        let layout = layout(gpu, plan.entry, plan.access);
        let pipeline = gpu.compute_pipeline(plan.text(hook), || compile(gpu, plan, hook, &layout));
        Self { name: plan.entry, pipeline, layout }
    }

    /// The kernel with its buffers, in the order of their bindings.
    pub fn bind(&self, gpu: &GpuDevice, buffers: &[&Buffer]) -> Bound {
        self.bind_shared(gpu, buffers, &[])
    }

    /// The kernel with its buffers and the groups that it shares with others.
    pub fn bind_shared(&self, gpu: &GpuDevice, buffers: &[&Buffer], shared: &[&BindGroup]) -> Bound {
        let own =
            group(gpu, self.name, &self.layout, buffers.iter().map(|buffer| buffer.as_entire_binding()));
        let groups = [own].into_iter().chain(shared.iter().map(|group| (*group).clone())).collect();
        Bound { name: self.name, pipeline: self.pipeline.clone(), groups }
    }
}

/// A part of one of a kernel's buffers: the binding, and where its bytes are.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The binding.
    pub binding: usize,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

impl Kernel {
    /// The kernel with its buffers, of one of which it gets a part only.
    pub fn bind_part(
        &self,
        gpu: &GpuDevice,
        buffers: &[&Buffer],
        part: Part,
        shared: &[&BindGroup],
    ) -> Bound {
        let parts = buffers.iter().copied().enumerate().map(|(binding, buffer)| {
            if binding != part.binding {
                return buffer.as_entire_binding();
            }
            let size = std::num::NonZeroU64::new(part.size);
            BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: part.offset, size })
        });
        let own = group(gpu, self.name, &self.layout, parts);
        let groups = [own].into_iter().chain(shared.iter().map(|group| (*group).clone())).collect();
        Bound { name: self.name, pipeline: self.pipeline.clone(), groups }
    }
}

/// A kernel with its buffers.
#[derive(Clone, Debug)]
pub struct Bound {
    name: &'static str,
    pipeline: ComputePipeline,
    groups: Vec<BindGroup>,
}

impl Bound {
    fn set(&self, pass: &mut ComputePass) {
        pass.set_pipeline(&self.pipeline);
        for (index, group) in self.groups.iter().enumerate() {
            pass.set_bind_group(index as u32, group, &[]);
        }
    }

    /// Runs a number of workgroups, in rows of [`ROW`].
    pub fn dispatch(&self, pass: &mut ComputePass, workgroups: u32) {
        self.set(pass);
        let [x, y, z] = rows(workgroups);
        pass.dispatch_workgroups(x, y, z);
        tell(pass, self.name);
    }

    /// Runs as many workgroups as the device itself has decided, in a slot of the arguments.
    pub fn dispatch_indirect(&self, pass: &mut ComputePass, arguments: &Buffer, slot: u64) {
        self.set(pass);
        pass.dispatch_workgroups_indirect(arguments, slot * ARGUMENT_STRIDE);
        tell(pass, self.name);
    }
}

/// Sees every dispatch after it was recorded, with the kernel's name.
pub type Watcher = Box<dyn FnMut(&mut ComputePass, &'static str)>;

thread_local! {
    static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
}

/// Lets a watcher see all dispatches that `work` records on this thread.
pub fn watched(watcher: Watcher, work: impl FnOnce()) {
    WATCHER.set(Some(watcher));
    work();
    WATCHER.take();
}

fn tell(pass: &mut ComputePass, name: &'static str) {
    WATCHER.with_borrow_mut(|watcher| {
        if let Some(watcher) = watcher {
            watcher(pass, name);
        }
    });
}

/// Extent of a dispatch of so many workgroups.
pub fn rows(workgroups: u32) -> [u32; 3] {
    [workgroups.min(ROW), workgroups.div_ceil(ROW), 1]
}

fn compile(gpu: &GpuDevice, plan: &KernelPlan, hook: &str, own: &BindGroupLayout) -> ComputePipeline {
    let module = create_module(gpu, plan.shader, hook);
    let shared = plan.shared.iter().map(|shared| &shared.layout);
    let layouts: Vec<_> = [own].into_iter().chain(shared).map(Some).collect();
    let layout = gpu.device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some(plan.entry),
        bind_group_layouts: &layouts,
        immediate_size: 0,
    });
    gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: Some(plan.entry),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(plan.entry),
        compilation_options: PipelineCompilationOptions {
            constants: plan.constants,
            // Every kernel writes workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}

fn create_module(gpu: &GpuDevice, shader: &Shader, hook: &str) -> wgpu::ShaderModule {
    let descriptor = ShaderModuleDescriptor {
        label: Some(shader.name),
        source: ShaderSource::Wgsl((shader.source() + "\n" + hook).into()),
    };
    // SAFETY: every kernel compares its thread's number with the count before it touches a column, indices come from
    // sorts and lists over that count, what does not fit is not written, and all loops end.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, ShaderRuntimeChecks::unchecked()) }
}

fn layout(gpu: &GpuDevice, label: &str, access: &[Access]) -> BindGroupLayout {
    let entries: Vec<_> = access.iter().enumerate().map(|(k, access)| access.entry(k as u32)).collect();
    gpu.device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn group<'a>(
    gpu: &GpuDevice,
    label: &str,
    layout: &BindGroupLayout,
    parts: impl IntoIterator<Item = BindingResource<'a>>,
) -> BindGroup {
    let entries: Vec<_> = parts
        .into_iter()
        .enumerate()
        .map(|(k, resource)| BindGroupEntry { binding: k as u32, resource })
        .collect();
    gpu.device.create_bind_group(&BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gpu, run, storage};

    const SCALE: Shader = Shader {
        name: "scale",
        parts: &[
            "override factor: f32 = 1.0;",
            "@group(0) @binding(0) var<storage, read_write> x: array<f32>;",
            "@compute @workgroup_size(1) fn scale() { x[0] *= factor; }",
        ],
    };

    #[test]
    fn a_kernel_is_compiled_once_per_device_and_constants() {
        let Some(gpu) = gpu() else { return };
        let kernel = |factor: f64| {
            let constants = &[("factor", factor)];
            let plan = KernelPlan {
                shader: &SCALE,
                entry: "scale",
                access: &[Access::Write],
                shared: &[],
                constants,
            };
            Kernel::new(&gpu, &plan)
        };
        let (twice, again, thrice) = (kernel(2.0), kernel(2.0), kernel(3.0));
        assert_eq!(twice.pipeline, again.pipeline);
        assert_ne!(twice.pipeline, thrice.pipeline);
        let x = storage(&gpu, &[1.0f32]);
        for kernel in [&twice, &again, &thrice] {
            let bound = kernel.bind(&gpu, &[&x]);
            run(&gpu, |pass| bound.dispatch(pass, 1));
        }
        assert_eq!(gpu.read_buffer(&x, 0, 4).unwrap(), 12f32.to_ne_bytes());
    }
}
