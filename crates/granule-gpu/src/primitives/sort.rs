//! Stable radix sort of keys of 32 or 64 bits with 32-bit values.

use granule_device::GpuDevice;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, ComputePass};

use super::{DISPATCH, Launch, TILE, WORKGROUP_SCAN};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader};

const SORT: &str = include_str!("../../shader/primitives/sort.wgsl");

/// Keys of 32 bits.
pub(crate) const SHORT: Shader = Shader {
    name: "sort of short keys",
    parts: &[
        DISPATCH,
        WORKGROUP_SCAN,
        "alias Key = u32;",
        "fn word_of(key: Key, word: u32) -> u32 { return key; }",
        SORT,
    ],
};

/// Keys of 64 bits, the lower word first.
pub(crate) const LONG: Shader = Shader {
    name: "sort of long keys",
    parts: &[
        DISPATCH,
        WORKGROUP_SCAN,
        "alias Key = vec2<u32>;",
        "fn word_of(key: Key, word: u32) -> u32 { return key[word]; }",
        SORT,
    ],
};

/// Bits sorted by in one pass.
pub const DIGIT_BITS: u32 = 8;

/// Passes over all bits of a long key.
pub const MOST_PASSES: usize = 8;

const DIGITS: u32 = 1 << DIGIT_BITS;

/// Stable sort of key-value pairs.
pub struct Sort {
    count: Kernel,
    scan: Kernel,
    place: Kernel,
    digits: Vec<Buffer>,
}

/// A sort with its buffers.
pub struct BoundSort {
    passes: Vec<[Bound; 3]>,
}

impl Sort {
    /// Compiles the kernels for keys of 64 bits.
    pub fn long(gpu: &GpuDevice) -> Self {
        Self::new(gpu, &LONG, MOST_PASSES)
    }

    /// Compiles the kernels for keys of 32 bits.
    pub fn short(gpu: &GpuDevice) -> Self {
        Self::new(gpu, &SHORT, MOST_PASSES / 2)
    }

    fn new(gpu: &GpuDevice, shader: &Shader, passes: usize) -> Self {
        let access = [
            Access::Uniform,
            Access::Uniform,
            Access::Write,
            Access::Read,
            Access::Read,
            Access::Write,
            Access::Write,
        ];
        let kernel = |entry| {
            let plan = KernelPlan { shader, entry, access: &access, shared: &[], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        let digit = |pass: usize| {
            let words = [pass as u32 / 4, 8 * (pass as u32 % 4), 0, 0];
            gpu.device.create_buffer_init(&BufferInitDescriptor {
                label: Some("digit"),
                contents: bytemuck::bytes_of(&words),
                usage: BufferUsages::UNIFORM,
            })
        };
        Self {
            count: kernel("count_digits"),
            scan: kernel("scan_digits"),
            place: kernel("move_entries"),
            digits: (0..passes).map(digit).collect(),
        }
    }

    /// Entries of the buffer of starts for `count` pairs.
    pub fn starts_len(count: u32) -> u32 {
        DIGITS * (count.div_ceil(TILE) + 1)
    }

    /// Sorts pairs from the first of both buffers to the second and back, pass by pass. The number of pairs is the
    /// first word of `extent`.
    pub fn bind(
        &self,
        gpu: &GpuDevice,
        extent: &Buffer,
        keys: [&Buffer; 2],
        values: [&Buffer; 2],
        starts: &Buffer,
    ) -> BoundSort {
        let pass = |p: usize| {
            let (from, to) = (p % 2, 1 - p % 2);
            let buffers = [extent, &self.digits[p], starts, keys[from], values[from], keys[to], values[to]];
            [&self.count, &self.scan, &self.place].map(|kernel| kernel.bind(gpu, &buffers))
        };
        BoundSort { passes: (0..self.digits.len()).map(pass).collect() }
    }
}

impl BoundSort {
    /// Records a pass; afterwards the pairs are in the second buffers if `number` is even. `one` of an indirect launch
    /// must hold a workgroup per digit, or none.
    pub fn record_pass(&self, pass: &mut ComputePass, number: usize, launch: Launch) {
        let [count, scan, place] = &self.passes[number];
        launch.tiles(count, pass);
        match launch {
            Launch::Direct(_) => scan.dispatch(pass, DIGITS),
            Launch::Indirect { .. } => launch.one(scan, pass),
        }
        launch.tiles(place, pass);
    }

    /// Records as many passes as keys of `bits` bits need, and returns which of both buffers the pairs are in.
    pub fn record(&self, pass: &mut ComputePass, bits: u32, count: u32) -> usize {
        let passes = bits.div_ceil(DIGIT_BITS) as usize;
        (0..passes).for_each(|number| self.record_pass(pass, number, Launch::Direct(count)));
        passes % 2
    }
}
