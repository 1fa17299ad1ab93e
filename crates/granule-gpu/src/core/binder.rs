//! Kernels compiled for a variant, and bound to the buffers of a simulation.

use std::collections::HashMap;

use granule_device::GpuDevice;
use wgpu::{BindGroup, Buffer};

use crate::kernel::{Access, Bound, Kernel, KernelPlan, Part, Shader, SharedLayout};
use crate::primitives::{BoundCompact, BoundSort, Compact, Sort};

use super::buffers::Buffers;
use super::constants::{BodyVariant, Variant};
use super::hooks::Hooks;
use super::shaders::{self, Hooked};

/// Compiled kernels of a variant, for whatever buffers.
pub struct Kernels {
    variant: Variant,
    hooks: Hooks,
    constants: SharedLayout,
    step: SharedLayout,
    compiled: HashMap<String, Kernel>,
    sort: Sort,
    compact: Compact,
}

impl Kernels {
    /// Kernels of a variant, with what the method has hooked into the shared ones; each is compiled when it is first used.
    pub fn new(gpu: &GpuDevice, variant: Variant, hooks: Hooks) -> Self {
        Self {
            variant,
            hooks,
            constants: SharedLayout::new(gpu, "constants", shaders::CONSTANTS),
            step: SharedLayout::new(gpu, "step", 1),
            compiled: HashMap::new(),
            sort: Sort::long(gpu),
            compact: Compact::new(gpu),
        }
    }

    fn compile(
        &mut self,
        gpu: &GpuDevice,
        source: &impl ShaderSource,
        entry: &'static str,
        plan: &Plan,
    ) -> &Kernel {
        let Self { variant, hooks, constants, step, compiled, .. } = self;
        compiled.entry(format!("{entry} {:?}", plan.constants)).or_insert_with(|| {
            let hook = source.hook(hooks);
            let text = source.shader().source() + &hook;
            let declared = |name: &str| text.contains(&format!("override {name}:"));
            let overrides: Vec<(&str, f64)> = variant
                .constants()
                .into_iter()
                .chain(plan.constants.iter().copied())
                .filter(|(name, _)| declared(name))
                .collect();
            let access: Vec<Access> = plan.buffers.iter().map(|(access, _)| *access).collect();
            let shared = &[&*constants, &*step][..plan.shared];
            let plan =
                KernelPlan { shader: source.shader(), entry, access: &access, shared, constants: &overrides };
            Kernel::with_hook(gpu, &plan, &hook)
        })
    }
}

/// A shader that stands alone, or a shared one that the method has a part in.
pub trait ShaderSource {
    /// The shader.
    fn shader(&self) -> &Shader;
    /// What the method adds to it.
    fn hook(&self, hooks: &Hooks) -> String;
}

impl ShaderSource for Shader {
    fn shader(&self) -> &Shader {
        self
    }

    fn hook(&self, _: &Hooks) -> String {
        String::new()
    }
}

impl ShaderSource for Hooked {
    fn shader(&self) -> &Shader {
        &self.shader
    }

    fn hook(&self, hooks: &Hooks) -> String {
        hooks.text((self.hook)(hooks))
    }
}

/// How a kernel is bound.
struct Plan<'a> {
    /// How many of the groups that kernels share it has: constants and the step's numbers, the first of them, or none. What it
    /// writes it cannot have as a constant.
    shared: usize,
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
    pub fn new(gpu: &'a GpuDevice, c: &Buffers, kernels: &'a mut Kernels) -> Self {
        let constants = kernels.constants.bind(gpu, &shaders::constants_of(c));
        let step = kernels.step.bind(gpu, &[&c.step]);
        Self { gpu, kernels, constants, step }
    }

    /// Ranges of candidates around a cell.
    pub fn ranges(&self) -> u32 {
        self.kernels.variant.ranges()
    }

    /// Whether there is air, and what rigid bodies there are.
    pub fn surroundings(&self) -> (bool, BodyVariant) {
        (self.kernels.variant.air, self.kernels.variant.bodies)
    }

    /// The sort of particles by cell.
    pub fn sort(&self, c: &Buffers) -> BoundSort {
        let (keys, order) = ([&c.first_keys, &c.second_keys], [&c.first_order, &c.second_order]);
        self.kernels.sort.bind(self.gpu, &c.extent, keys, order, &c.starts)
    }

    /// The list of the cells that hold particles.
    pub fn compact(&self, c: &Buffers) -> BoundCompact {
        self.kernels.compact.bind(self.gpu, &c.extent, &c.heads, &c.sums, &c.cells)
    }

    /// A stage: reads the step's numbers.
    pub fn stage(
        &mut self,
        shader: &impl ShaderSource,
        entry: &'static str,
        constants: &[(&str, f64)],
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { shared: 2, constants, buffers })
    }

    /// A stage that is bound several times, each time to another one of `count` parts of a buffer: those that follow `part`.
    pub fn stage_in_parts(
        &mut self,
        shader: &impl ShaderSource,
        entry: &'static str,
        buffers: &[(Access, &Buffer)],
        part: Part,
        count: u32,
    ) -> Vec<Bound> {
        let plan = Plan { shared: 2, constants: &[], buffers };
        let kernel = self.kernels.compile(self.gpu, shader, entry, &plan);
        let buffers: Vec<&Buffer> = buffers.iter().map(|(_, buffer)| *buffer).collect();
        let shared = [&self.constants, &self.step];
        let parts = (0..u64::from(count)).map(|k| Part { offset: part.offset + k * part.size, ..part });
        parts.map(|part| kernel.bind_part(self.gpu, &buffers, part, &shared)).collect()
    }

    /// A stage of control: writes the step's numbers.
    pub fn control(
        &mut self,
        shader: &impl ShaderSource,
        entry: &'static str,
        constants: &[(&str, f64)],
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { shared: 1, constants, buffers })
    }

    /// A stage that writes constants, too, and shares nothing.
    pub fn alone(
        &mut self,
        shader: &impl ShaderSource,
        entry: &'static str,
        buffers: &[(Access, &Buffer)],
    ) -> Bound {
        self.bind(shader, entry, &Plan { shared: 0, constants: &[], buffers })
    }

    fn bind(&mut self, shader: &impl ShaderSource, entry: &'static str, plan: &Plan) -> Bound {
        let kernel = self.kernels.compile(self.gpu, shader, entry, plan);
        let buffers: Vec<&Buffer> = plan.buffers.iter().map(|(_, buffer)| *buffer).collect();
        let shared = [&self.constants, &self.step];
        kernel.bind_shared(self.gpu, &buffers, &shared[..plan.shared])
    }
}
