//! `cargo xtask limits`: what this machine can do, to hold the speed of the solver against.
//!
//! Bandwidth of memory and caches, arithmetic, and random reads, on one thread and on all. Every number is the best of
//! several rounds: what the machine can do, not what it does while it is busy with something else.

mod kernels;
mod lanes;
mod team;

use std::path::Path;
use std::thread::available_parallelism;

use serde::Serialize;

use crate::flags::Flags;
use crate::output::{print, table, write_json};

use kernels::{Kernels, LINE_BYTES, Line};
use team::best_rate;

const MIB: usize = 1 << 20;
/// Bytes of all threads together that are far more than caches hold.
const MEMORY: usize = 1024 * MIB;
/// Bytes of all threads together that a last-level cache may hold.
const LAST_LEVEL: usize = 40 * MIB;
/// Bytes that a round of a bandwidth reads and writes at least, per thread.
const TRAFFIC: usize = 64 * MIB;
/// Turns of the arithmetic kernels in a round.
const TURNS: usize = 1 << 19;
/// Gathers of a thread in a round.
const GATHERS: usize = 1 << 20;

/// All limits.
#[derive(Serialize)]
struct Limits {
    instructions: &'static str,
    threads: usize,
    l2_bytes: Option<usize>,
    l3_bytes: Option<usize>,
    limits: Vec<Limit>,
}

/// One limit.
#[derive(Serialize)]
struct Limit {
    name: &'static str,
    /// What it was measured on, of all threads together or of each; nothing for arithmetic.
    memory: String,
    unit: &'static str,
    one_thread: f64,
    all_threads: f64,
}

/// A piece of memory that is read and written.
#[derive(Clone, Copy)]
enum Place {
    /// So many bytes, shared out among the threads.
    Together(usize),
    /// So many bytes for every thread.
    Each(usize),
}

impl Place {
    /// Lines of memory per thread.
    fn lines(self, threads: usize) -> usize {
        match self {
            Self::Together(bytes) => bytes / threads / LINE_BYTES,
            Self::Each(bytes) => bytes / LINE_BYTES,
        }
    }

    fn in_words(self) -> String {
        match self {
            Self::Together(bytes) => format!("{} MiB together", bytes / MIB),
            Self::Each(bytes) => format!("{} KiB each", bytes / 1024),
        }
    }
}

/// Measures all limits and prints them.
pub fn measure(args: &[&str]) -> Result<(), String> {
    let flags = Flags::parse(args, &["--json"])?;
    let kernels = Kernels::best();
    let threads = available_parallelism().map_or(1, usize::from);
    let (l2_bytes, l3_bytes) = (cache_bytes(2), cache_bytes(3));
    let limits = all(&kernels, threads, l2_bytes.unwrap_or(MIB / 2), l3_bytes.unwrap_or(2 * LAST_LEVEL));
    let limits = Limits { instructions: kernels.name, threads, l2_bytes, l3_bytes, limits };
    if let Some(path) = flags.text("--json") {
        write_json(Path::new(path), &limits)?;
    }
    print(&limits.in_words())
}

/// Measures all limits; half of a cache is used, so that nothing else pushes it out.
fn all(kernels: &Kernels, threads: usize, l2: usize, l3: usize) -> Vec<Limit> {
    let [memory, last_level] = [MEMORY, LAST_LEVEL.min(l3 / 2)].map(Place::Together);
    let near = Place::Each(l2 / 2);
    let bandwidth = |name, place: Place, rate: fn(&Kernels, Place, usize) -> f64| Limit {
        name,
        memory: place.in_words(),
        unit: "GB/s",
        one_thread: rate(kernels, place, 1) / 1e9,
        all_threads: rate(kernels, place, threads) / 1e9,
    };
    let arithmetic = |name, kernel: unsafe fn(usize) -> f32| Limit {
        name,
        memory: "-".into(),
        unit: "GFLOP/s",
        one_thread: flops(kernels, kernel, 1) / 1e9,
        all_threads: flops(kernels, kernel, threads) / 1e9,
    };
    let gather = |name, place: Place| Limit {
        name,
        memory: place.in_words(),
        unit: "M/s",
        one_thread: gathers(kernels, place, 1) / 1e6,
        all_threads: gathers(kernels, place, threads) / 1e6,
    };
    let mut limits = vec![
        bandwidth("memory, read", memory, read),
        bandwidth("memory, triad", memory, triad),
        bandwidth("last-level cache, read", last_level, read),
        bandwidth("last-level cache, triad", last_level, triad),
        bandwidth("L2 cache, read", near, read),
        bandwidth("L2 cache, triad", near, triad),
        arithmetic("multiply and add", kernels.multiply_and_add),
    ];
    limits.extend(kernels.fused_multiply_add.map(|kernel| arithmetic("fused multiply-add", kernel)));
    limits
        .extend([gather("random 4-byte gathers, memory", memory), gather("random 4-byte gathers, L2", near)]);
    limits
}

/// Bytes read per second.
fn read(kernels: &Kernels, place: Place, threads: usize) -> f64 {
    let lines = place.lines(threads);
    let repeats = TRAFFIC.div_ceil(lines * LINE_BYTES);
    let memory = || vec![Line::ONES; lines];
    best_rate(threads, (repeats * lines * LINE_BYTES) as f64, memory, |memory| {
        for _ in 0..repeats {
            // SAFETY: the kernels are those that the processor has.
            std::hint::black_box(unsafe { (kernels.sum)(memory) });
        }
    })
}

/// Bytes read and written per second by a = b + s c: two numbers are read for one that is written. That a line is
/// read before it is written is not counted.
fn triad(kernels: &Kernels, place: Place, threads: usize) -> f64 {
    let lines = place.lines(threads) / 3;
    let repeats = TRAFFIC.div_ceil(3 * lines * LINE_BYTES);
    let memory = || [(); 3].map(|()| vec![Line::ONES; lines]);
    best_rate(threads, (repeats * 3 * lines * LINE_BYTES) as f64, memory, |[a, b, c]| {
        for _ in 0..repeats {
            // SAFETY: the kernels are those that the processor has.
            unsafe { (kernels.triad)(a, b, c) };
            std::hint::black_box(&mut *a);
        }
    })
}

/// Operations per second on single-precision numbers in registers.
fn flops(kernels: &Kernels, kernel: unsafe fn(usize) -> f32, threads: usize) -> f64 {
    let operations = TURNS * kernels.flops_per_turn;
    best_rate(
        threads,
        operations as f64,
        || (),
        |()| {
            // SAFETY: the kernels are those that the processor has.
            std::hint::black_box(unsafe { kernel(TURNS) });
        },
    )
}

/// Numbers per second that are read from random places.
fn gathers(kernels: &Kernels, place: Place, threads: usize) -> f64 {
    let table = || vec![Line::ONES; place.lines(threads)];
    best_rate(threads, GATHERS as f64, table, |table| {
        // SAFETY: the kernels are those that the processor has.
        std::hint::black_box(unsafe { (kernels.gather)(table, GATHERS) });
    })
}

/// Size of a cache of the first core, where the system tells.
fn cache_bytes(level: u32) -> Option<usize> {
    let text =
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size")).ok()?;
    let kib: usize = text.trim().strip_suffix('K')?.parse().ok()?;
    Some(1024 * kib)
}

impl Limits {
    fn in_words(&self) -> String {
        let size = |bytes: Option<usize>| bytes.map_or("unknown".into(), |b| format!("{} KiB", b / 1024));
        let (l2, l3) = (size(self.l2_bytes), size(self.l3_bytes));
        let all_threads = format!("{} threads", self.threads);
        let header = ["limit", "memory", "unit", "1 thread", &all_threads];
        let rows: Vec<Vec<String>> = self.limits.iter().map(Limit::row).collect();
        let machine = format!("{}; L2 cache {l2} per core, L3 cache {l3}", self.instructions);
        format!("{machine}\n\n{}", table(&header, 3, &rows))
    }
}

impl Limit {
    fn row(&self) -> Vec<String> {
        let rates = [self.one_thread, self.all_threads].map(|rate| format!("{rate:.1}"));
        [self.name.into(), self.memory.clone(), self.unit.into()].into_iter().chain(rates).collect()
    }
}
