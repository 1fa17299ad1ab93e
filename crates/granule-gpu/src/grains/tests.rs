//! Structs and constants of fine grains are the same on both sides; what a sort does.

use std::collections::HashSet;
use std::mem::size_of;

use glam::Vec3;
use granule::scene::{RadiusSettings, Scene, UpsampleSettings};
use granule::upsample::contact;
use granule::upsample::nodes::{ALONG, NONE, OWN};
use granule::upsample::{AdvectionSettings, Grain, GrainAdvector};

use super::GpuGrains;
use super::kernels::COUNT_RUN;
use super::layout::{FrameRecord, LIST_HEAD, WallRecord};
use crate::shaders::{FINE_COUNT, FINE_MOVE};
use crate::testing::gpu;

fn span(name: &str) -> usize {
    let source = FINE_MOVE.source();
    let module = naga::front::wgsl::parse_str(&source).unwrap();
    let (_, kind) = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
    let naga::TypeInner::Struct { span, .. } = &kind.inner else { panic!("{kind:?}") };
    *span as usize
}

#[test]
fn records_are_as_long_as_their_twins() {
    assert_eq!(span("FineFrame"), size_of::<FrameRecord>());
    assert_eq!(span("FineWall"), size_of::<WallRecord>());
}

#[test]
fn constants_are_those_of_their_twins() {
    assert!(FINE_COUNT.source().contains(&format!("const RUN: u32 = {COUNT_RUN}u;")));
    assert!(FINE_MOVE.source().contains(&format!("const LIST_ENTRIES: u32 = {LIST_HEAD}u;")));
    let whole =
        [("STEPS", contact::STEPS), ("CONTACTS", contact::CONTACTS), ("CORRECTIONS", contact::CORRECTIONS)];
    for (name, value) in whole {
        assert!(FINE_MOVE.source().contains(&format!("const {name}: u32 = {value}u;")), "{name}");
    }
    let parts = [
        ("TOUCH", contact::TOUCH),
        ("ALONG_WALL", contact::ALONG),
        ("AHEAD", contact::AHEAD),
        ("INTO", contact::INTO),
        ("SUNK", contact::SUNK),
    ];
    for (name, value) in parts {
        let [plain, short] =
            [format!("const {name}: f32 = {value};"), format!("const {name}: f32 = {value:e};")];
        assert!(FINE_MOVE.source().contains(&plain) || FINE_MOVE.source().contains(&short), "{name}");
    }
}

/// Cells along each axis: blocks have more nodes in all than 16 bits tell apart.
const CELLS: u32 = 14;

/// Number of the node before a grain among those of all blocks.
fn key(grain: &Grain) -> u32 {
    let cell = grain.position.map(f32::floor);
    let own = grain.position.map(|x| ((x - x.floor()) * ALONG as f32).floor());
    let index = |[x, y, z]: [f32; 3], n: u32| (z as u32 * n + y as u32) * n + x as u32;
    OWN as u32 * index(cell, CELLS) + index(own, ALONG as u32)
}

/// Grains without order in cells of side 1, some of them removed.
fn scattered(count: u32) -> Vec<Grain> {
    let place = |k: u32, step: f64| ((f64::from(k) * step).fract() * f64::from(CELLS)) as f32;
    let grain = |k: u32| Grain {
        position: [place(k, 0.819_172_513), place(k, 0.671_043_607), place(k, 0.549_700_478)],
        id: if k % 7 == 3 { NONE } else { k },
        ..Grain::default()
    };
    (0..count).map(grain).collect()
}

#[test]
fn a_sort_puts_the_grains_of_every_chunk_in_the_order_of_nodes_and_drops_removed_ones() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::open("column", true, &[]).unwrap();
    scene.upsample = Some(UpsampleSettings::of_radius(0.2 * scene.material[0].radius));
    let settings = AdvectionSettings::of(&scene, None).unwrap();
    let (count, chunk) = (20_000u32, 8192);
    let mut advector = GpuGrains::new(gpu, settings).unwrap().in_batches_of(chunk);
    let grains = scattered(count);
    advector.add(&grains).unwrap();
    let removed = |part: &[Grain]| part.iter().filter(|grain| grain.id == NONE).count() as u32;
    advector.removed = grains.chunks(chunk as usize).map(removed).collect();
    let blocks: Vec<u32> = (0..CELLS.pow(3)).collect();
    let frame = FrameRecord {
        origin: [0.0, 0.0, 0.0, 1.0],
        cells: [CELLS, CELLS, CELLS, 0],
        blocks: blocks.len() as u32,
        ..FrameRecord::default()
    };
    advector.buffers.reserve_frame(&advector.gpu, &frame, blocks.len()).unwrap();
    advector.buffers.write_tables(&advector.gpu, &blocks);
    advector.buffers.write_frame(&advector.gpu, &frame);
    advector.sort().unwrap();
    let sorted = advector.buffers.read_grains(&advector.gpu, advector.stored).unwrap();
    let ids = |grains: &[Grain]| -> HashSet<u32> { grains.iter().map(|grain| grain.id).collect() };
    assert_eq!(sorted.len() as u32, count - removed(&grains));
    // The first chunk comes last.
    let mut rest = &sorted[..];
    for part in [1, 2, 0].map(|k| grains.chunks(chunk as usize).nth(k).unwrap()) {
        let live: Vec<Grain> = part.iter().copied().filter(|grain| grain.id != NONE).collect();
        let (here, after) = rest.split_at(live.len());
        assert_eq!(ids(here), ids(&live));
        // Two nodes side by side share a key; the grains of a key stay in order.
        let least = live.iter().map(key).min().unwrap();
        assert!(here.is_sorted_by_key(|grain| ((key(grain) - least) / 2, grain.id)), "{} grains", live.len());
        rest = after;
    }
}

/// What a renderer gets is what is there: places, the radius, materials or speeds, ids; removed grains have no size.
#[test]
fn published_grains_are_those_in_memory() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::open("column", true, &[]).unwrap();
    let radius = RadiusSettings::Range([0.002, 0.006]);
    scene.upsample = Some(UpsampleSettings { radius, fraction: 0.4 });
    let settings = AdvectionSettings::of(&scene, None).unwrap();
    let radii = settings.radii.clone();
    let mut grains = GpuGrains::new(gpu.clone(), settings).unwrap();
    let grain = |k: u32| Grain {
        position: [0.1 * k as f32, 1.0, 2.0],
        velocity: [3.0, 4.0, 0.0],
        id: if k == 1 { NONE } else { 10 + k },
        material: k % 2,
    };
    let made: Vec<Grain> = (0..300).map(grain).collect();
    grains.add(&made).unwrap();
    for speeds in [false, true] {
        let view = grains.publish(speeds, [Vec3::ZERO, Vec3::ONE]);
        let spheres = gpu.read_buffer(&view.spheres, 0, 16 * 300).unwrap();
        let spheres: &[[f32; 4]] = bytemuck::cast_slice(&spheres);
        let tags = gpu.read_buffer(&view.tags, 0, 8 * 300).unwrap();
        let tags: &[[u32; 2]] = bytemuck::cast_slice(&tags);
        for (k, grain) in made.iter().enumerate() {
            let [x, y, z] = grain.position;
            let radius = if k == 1 { 0.0 } else { radii.of(grain.id) };
            let value = if speeds { 5.0 } else { grain.material as f32 };
            assert_eq!(spheres[k], [x, y, z, radius]);
            assert_eq!(tags[k], [value.to_bits(), grain.id]);
        }
    }
}
