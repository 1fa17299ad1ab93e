//! A step in a settled state allocates nothing that grows with the number of particles.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{block, floor, sand};
use granule::scene::Fill;
use granule::{Options, Simulation};

/// Counts what is allocated.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that ten steps allocate once a block of grains has come to rest.
fn bytes_of_ten_steps(friction_angle: f32, side: f32) -> (usize, usize) {
    let mut scene = sand(friction_angle);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [side, 8.0, side], Fill::Lattice));
    let options = Options { threads: Some(2), ..Options::default() };
    let mut simulation = Simulation::new(scene, &options).unwrap();
    (0..150).for_each(|_| {
        simulation.step();
    });
    let before = BYTES.load(Ordering::Relaxed);
    (0..10).for_each(|_| {
        simulation.step();
    });
    (BYTES.load(Ordering::Relaxed) - before, simulation.particle_count())
}

/// What is left are a few partial sums per block of 256 particles, and the thread pool's own.
#[test]
fn a_step_of_settled_grains_allocates_less_than_a_byte_per_particle() {
    let (few_bytes, few) = bytes_of_ten_steps(30.0, 20.0);
    let (many_bytes, many) = bytes_of_ten_steps(30.0, 40.0);
    let per_step = (many_bytes - few_bytes) / 10;
    assert!(per_step < many - few, "{per_step} more bytes per step for {} more particles", many - few);
    assert!(few_bytes < 10 * 16_384, "{} bytes per step for {few} particles", few_bytes / 10);
}
