//! Primitives against the same work on the CPU, at awkward sizes.

use std::num::Wrapping;

use bytemuck::Pod;
use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages, ComputePass};

use super::*;
use crate::testing::{gpu, run, storage, uniform};

/// Numbers without order, the same every time.
fn scrambled(count: u32, seed: u32) -> Vec<u32> {
    let mut state = Wrapping(seed | 1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.0
    };
    (0..count).map(|_| next()).collect()
}

fn extent(gpu: &GpuDevice, count: u32) -> Buffer {
    uniform(gpu, &[count, 0, 0, 0])
}

fn empty(gpu: &GpuDevice, bytes: u64) -> Buffer {
    gpu.create_buffer("empty", bytes.max(16), BufferUsages::STORAGE | BufferUsages::COPY_SRC)
}

fn words(gpu: &GpuDevice, buffer: &Buffer, count: u32) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(&gpu.read_buffer(buffer, 0, 4 * u64::from(count)).unwrap())
}

fn check_scan(gpu: &GpuDevice, count: u32) {
    let input: Vec<u32> = scrambled(count, 3).iter().map(|value| value % 10).collect();
    let (data, sums) = (storage(gpu, &input), empty(gpu, 4 * u64::from(Scan::sums_len(count))));
    let bound = Scan::new(gpu).bind(gpu, &extent(gpu, count), &data, &sums);
    run(gpu, |pass: &mut ComputePass| bound.record(pass, Launch::Direct(count)));
    let mut sum = 0;
    let before = input.iter().map(|value| {
        sum += value;
        sum - value
    });
    let expected: Vec<u32> = before.collect();
    assert!(words(gpu, &data, count) == expected, "scan of {count}");
    let total = words(gpu, &sums, Scan::sums_len(count));
    assert_eq!(total.last(), Some(&sum), "total of {count}");
}

/// Sorts short keys, too, where they have as many bits.
fn check_sort(gpu: &GpuDevice, count: u32, bits: u32) {
    let (low, high) = (scrambled(count, 5), scrambled(count, 77));
    if bits <= 32 {
        let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
        check_sort_of(gpu, &Sort::short(gpu), low.iter().map(|key| key & mask).collect(), bits);
    }
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let long = low.iter().zip(&high).map(|(a, b)| (u64::from(*b) << 32 | u64::from(*a)) & mask);
    check_sort_of(gpu, &Sort::long(gpu), long.collect(), bits);
}

/// Sorts keys on the device and here.
fn check_sort_of<K: Pod + Ord>(gpu: &GpuDevice, sort: &Sort, keys: Vec<K>, bits: u32) {
    let (count, size) = (keys.len() as u32, size_of_val(&keys[..]) as u64);
    let values: Vec<u32> = (0..count).collect();
    let key_buffers = [storage(gpu, &keys), empty(gpu, size)];
    let value_buffers = [storage(gpu, &values), empty(gpu, 4 * u64::from(count))];
    let starts = empty(gpu, 4 * u64::from(Sort::starts_len(count)));
    let bound =
        sort.bind(gpu, &extent(gpu, count), key_buffers.each_ref(), value_buffers.each_ref(), &starts);
    let mut last = 0;
    run(gpu, |pass: &mut ComputePass| last = bound.record(pass, bits, count));
    let mut expected: Vec<(K, u32)> = keys.into_iter().zip(values).collect();
    expected.sort_by_key(|(key, _)| *key);
    let found: Vec<K> = bytemuck::pod_collect_to_vec(&gpu.read_buffer(&key_buffers[last], 0, size).unwrap());
    let found = found.into_iter().zip(words(gpu, &value_buffers[last], count));
    assert!(found.eq(expected), "sort of {count} keys of {} bytes by {bits} bits", size_of::<K>());
}

fn check_compact(gpu: &GpuDevice, count: u32) {
    let input: Vec<u32> = scrambled(count, 9).iter().map(|value| u32::from(value % 3 == 0)).collect();
    let (flags, sums) = (storage(gpu, &input), empty(gpu, 4 * u64::from(Scan::sums_len(count))));
    let indices = empty(gpu, 4 * u64::from(count));
    let bound = Compact::new(gpu).bind(gpu, &extent(gpu, count), &flags, &sums, &indices);
    run(gpu, |pass: &mut ComputePass| bound.record(pass, Launch::Direct(count)));
    let expected: Vec<u32> = (0..count).filter(|i| input[*i as usize] == 1).collect();
    assert!(words(gpu, &indices, expected.len() as u32) == expected, "compaction of {count}");
    assert_eq!(words(gpu, &sums, Scan::sums_len(count)).last(), Some(&(expected.len() as u32)));
}

fn check_gather(gpu: &GpuDevice, count: u32) {
    let source: Vec<[u32; 4]> = (0..count).map(|i| [i, i ^ 5, 3 * i, u32::MAX - i]).collect();
    let order: Vec<u32> = scrambled(count, 21).iter().map(|value| value % count.max(1)).collect();
    let gathered = empty(gpu, 16 * u64::from(count));
    let columns = [&storage(gpu, &source), &gathered];
    let bound = Gather::new(gpu).bind(gpu, &extent(gpu, count), &storage(gpu, &order), columns);
    run(gpu, |pass: &mut ComputePass| Launch::Direct(count).blocks(&bound, pass));
    let expected: Vec<u32> = order.iter().flat_map(|i| source[*i as usize]).collect();
    assert!(words(gpu, &gathered, 4 * count) == expected, "reordering of {count}");
}

/// The same sum with the same tree, so that every bit must agree.
fn tree_sum(values: &[f32]) -> f32 {
    let tree = |mut level: [f32; 256]| {
        for quarter in [64, 16, 4, 1] {
            for k in 0..quarter {
                level[k] =
                    (level[k] + level[k + quarter]) + (level[k + 2 * quarter] + level[k + 3 * quarter]);
            }
        }
        level[0]
    };
    let mut threads = [0.0; 256];
    for (block, chunk) in values.chunks(256).enumerate() {
        let mut level = [0.0; 256];
        level[..chunk.len()].copy_from_slice(chunk);
        threads[block % 256] += tree(level);
    }
    tree(threads)
}

fn check_reduce(gpu: &GpuDevice, count: u32) {
    let values: Vec<f32> = scrambled(count, 31).iter().map(|value| *value as f32 / 4e9 - 0.3).collect();
    let data: Vec<[f32; 4]> = values.iter().map(|x| [*x, -x, 2.0 * x, 1.0]).collect();
    let blocks = empty(gpu, 16 * u64::from(Reduce::blocks_len(count)));
    let total = empty(gpu, 32);
    let bound = Reduce::new(gpu).bind(gpu, &extent(gpu, count), &storage(gpu, &data), &blocks, &total);
    run(gpu, |pass: &mut ComputePass| bound.record(pass, Launch::Direct(count)));
    let found: Vec<f32> = bytemuck::pod_collect_to_vec(&gpu.read_buffer(&total, 0, 32).unwrap());
    assert_eq!(found[0].to_bits(), tree_sum(&values).to_bits(), "sum of {count}");
    assert_eq!(found[3], count as f32);
    let largest = values.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(found[4], largest, "maximum of {count}");
}

const SIZES: [u32; 9] = [0, 1, 2, 255, 257, 2047, 2049, 100_003, 524_289];

#[test]
fn primitives_do_what_the_cpu_does_at_awkward_sizes() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES {
        check_scan(&gpu, count);
        check_compact(&gpu, count);
        check_gather(&gpu, count);
        check_reduce(&gpu, count);
        check_sort(&gpu, count, 20);
    }
    for bits in [0, 1, 8, 9, 33, 64] {
        check_sort(&gpu, 5001, bits);
    }
}

/// Five million entries, and more than 65535 workgroups in a dispatch.
#[test]
fn primitives_take_millions_of_entries() {
    let Some(gpu) = gpu() else { return };
    check_scan(&gpu, 20_000_001);
    check_sort(&gpu, 5_000_001, 24);
    let count = 66_000 * 256 / 4;
    check_gather(&gpu, count);
    check_compact(&gpu, 66_000 * 256);
}

/// What a discrete device must hold: a hundred million entries. Takes gigabytes, so only on demand.
#[test]
#[ignore = "needs gigabytes on a graphics card"]
fn primitives_take_a_hundred_million_entries() {
    let Some(gpu) = gpu() else { return };
    check_scan(&gpu, 100_000_001);
    check_compact(&gpu, 100_000_001);
    check_sort(&gpu, 100_000_001, 32);
}
