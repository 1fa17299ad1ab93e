//! Kernels compiled for a variant, and bound to the buffers of a simulation.

use std::collections::HashMap;

use granule_device::GpuDevice;
use wgpu::{BindGroup, Buffer};

use crate::columns::Columns;
use crate::constants::Variant;
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, SharedLayout};
use crate::primitives::{BoundCompact, BoundSort, Compact, Sort};

/// Compiled kernels of a variant, for whatever buffers.
pub struct Kernels {
    variant: Variant,
    constants: SharedLayout,
    step: SharedLayout,
    compiled: HashMap<&'static str, Kernel>,
    sort: Sort,
    compact: Compact,
}

impl Kernels {
    /// Kernels of a variant; each is compiled when it is first used.
    pub fn new(gpu: &GpuDevice, variant: Variant) -> Self {
        Self {
            variant,
            constants: SharedLayout::new(gpu, "constants", 2),
            step: SharedLayout::new(gpu, "step", 1),
            compiled: HashMap::new(),
            sort: Sort::long(gpu),
            compact: Compact::new(gpu),
        }
    }

    fn compile(&mut self, gpu: &GpuDevice, shader: &Shader, entry: &'static str, plan: &Plan) -> &Kernel {
        let Self { variant, constants, step, compiled, .. } = self;
        compiled.entry(entry).or_insert_with(|| {
            let source = shader.source();
            let declared = |name: &str| source.contains(&format!("override {name}:"));
            let overrides: Vec<(&str, f64)> = variant
                .constants()
                .into_iter()
                .chain(plan.constants.iter().copied())
                .filter(|(name, _)| declared(name))
                .collect();
            let access: Vec<Access> = plan.buffers.iter().map(|(access, _)| *access).collect();
            let shared: &[&SharedLayout] = if plan.control { &[constants] } else { &[constants, step] };
            Kernel::new(gpu, &KernelPlan { shader, entry, access: &access, shared, constants: &overrides })
        })
    }
}

/// How a kernel is bound.
struct Plan<'a> {
    /// Whether it writes the step's numbers, so that it cannot read them as constants.
    control: bool,
    constants: &'a [(&'a str, f64)],
    buffers: &'a [(Access, &'a Buffer)],
}

/// Binds kernels to the buffers of a simulation.
pub struct Binder<'a> {
    gpu: &'a GpuDevice,
    kernels: &'a mut Kernels,
    constants: BindGroup,
    step: BindGroup,
}

impl<'a> Binder<'a> {
    /// A binder with what all kernels share: constants, materials and the step's numbers.
    pub fn new(gpu: &'a GpuDevice, c: &Columns, kernels: &'a mut Kernels) -> Self {
        let constants = kernels.constants.bind(gpu, &[&c.params, &c.materials]);
        let step = kernels.step.bind(gpu, &[&c.step]);
        Self { gpu, kernels, constants, step }
    }

    /// What the kernels are compiled for.
    pub fn variant(&self) -> Variant {
        self.kernels.variant
    }

    /// The sort of particles by cell.
    pub fn sort(&self, c: &Columns) -> BoundSort {
        let (keys, order) = ([&c.first_keys, &c.second_keys], [&c.first_order, &c.second_order]);
        self.kernels.sort.bind(self.gpu, &c.extent, keys, order, &c.starts)
    }

    /// The list of the cells that hold particles.
    pub fn compact(&self, c: &Columns) -> BoundCompact {
        self.kernels.compact.bind(self.gpu, &c.extent, &c.heads, &c.sums, &c.cells)
    }

    /// A stage: reads the step's numbers.
    pub fn stage(
        &mut self,
        shader: &Shader,
        entry: &'static str,
        constants: &[(&str, f64)],
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { control: false, constants, buffers })
    }

    /// A stage of control: writes the step's numbers.
    pub fn control(
        &mut self,
        shader: &Shader,
        entry: &'static str,
        constants: &[(&str, f64)],
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { control: true, constants, buffers })
    }

    fn bind(&mut self, shader: &Shader, entry: &'static str, plan: &Plan) -> Bound {
        let kernel = self.kernels.compile(self.gpu, shader, entry, plan);
        let buffers: Vec<&Buffer> = plan.buffers.iter().map(|(_, buffer)| *buffer).collect();
        let shared = [&self.constants, &self.step];
        kernel.bind_shared(self.gpu, &buffers, if plan.control { &shared[..1] } else { &shared })
    }
}
