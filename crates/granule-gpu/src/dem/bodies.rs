//! Boundaries that the device moves by the forces of grains: rigid bodies between two visits of rapier, and walls that hold a force.

use glam::{DVec3, Vec3};
use granule::assemblies::Assembly;
use granule::bodies::{Bodies, Wrench};
use granule::boundary::{Boundaries, Boundary, ServoState};
use granule::position::QUANTUM;
use granule::scene::Scene;

use crate::core::buffers::PoolInfo;
use crate::core::layout::LOAD_WORDS;
use crate::core::method::{MovedBodies, MovedServo, PoolWrite};

use super::columns::{FLIGHT_SHAPES, FLIGHTS, PUSHES};
use super::layout::{
    ClumpRecord, FlightRecord, FlightShapeRecord, InertiaRecord, ServoRecord, ServoShapeRecord,
};

/// Whether a scene has such boundaries.
pub fn needed(scene: &Scene) -> bool {
    let motions = scene.boundary.iter().filter_map(|wall| wall.motion.as_ref());
    !scene.body.is_empty() || motions.into_iter().any(|motion| motion.servo.is_some())
}

/// The buffers for so many boundaries.
pub fn pools(count: usize) -> Vec<PoolInfo> {
    let sizes = [
        (FLIGHTS, size_of::<FlightRecord>()),
        (FLIGHT_SHAPES, size_of::<FlightShapeRecord>()),
        (PUSHES, 4 * LOAD_WORDS as usize),
    ];
    sizes.map(|(name, size)| PoolInfo { name, bytes: (size * count) as u64 }).into()
}

/// What is written to them: boundaries as they are now, of which bodies come last; `start` is when the frame begins \[s\].
pub fn send(bodies: &mut Bodies, boundaries: &Boundaries, start: f64) -> Vec<PoolWrite> {
    let (free, loads) = (bodies.assemblies(), bodies.loads());
    let walls = boundaries.len() - free.len();
    let of_wall = |k: usize| k.checked_sub(walls).map(|body| (&free[body], &loads[body]));
    let mut flights = Vec::new();
    let mut shapes = Vec::new();
    for (k, wall) in boundaries.iter().enumerate() {
        let (body, load) =
            of_wall(k).map_or((None, Wrench::default()), |(body, load)| (body.as_ref(), *load));
        flights.push(FlightRecord { servo: servo_record(wall), ..flight(body, &load) });
        shapes.push(shape(body, wall, start));
    }
    vec![
        PoolWrite { pool: FLIGHTS, at: 0, bytes: bytemuck::pod_collect_to_vec(&flights) },
        PoolWrite { pool: FLIGHT_SHAPES, at: 0, bytes: bytemuck::pod_collect_to_vec(&shapes) },
    ]
}

fn row(v: DVec3) -> [f32; 4] {
    v.as_vec3().extend(0.0).to_array()
}

fn flight(body: Option<&Assembly>, load: &Wrench) -> FlightRecord {
    let mut clump = ClumpRecord::default();
    if let Some(body) = body {
        clump = ClumpRecord {
            count: 1,
            inverse_mass: (1.0 / body.properties.mass) as f32,
            sound: 1.0,
            spin: body.angular_velocity().as_vec3().to_array(),
            ..clump
        };
        clump.put(body.position, body.orientation);
        clump.move_with(body.momentum, body.angular_momentum, &body.properties);
    }
    FlightRecord { clump, force: row(load.force), torque: row(load.torque), ..FlightRecord::default() }
}

/// Where the servo of a boundary is and how it moves, where it has one.
pub fn servo_record(wall: &Boundary) -> ServoRecord {
    let state = wall.servo_state();
    let way = (state.way / QUANTUM).round_ties_even() as i64;
    ServoRecord { way, speed: state.speed as f32, load: state.load as f32, ..ServoRecord::default() }
}

/// What does not change about it; `start` is when the frame begins \[s\].
pub fn servo_shape(wall: &Boundary, start: f64) -> ServoShapeRecord {
    let Some(servo) = wall.servo() else { return ServoShapeRecord::default() };
    ServoShapeRecord {
        direction: servo.direction().as_vec3().extend(servo.wanted() as f32).to_array(),
        inverse_mass: (1.0 / servo.mass) as f32,
        damping: (servo.damping / servo.mass) as f32,
        fastest: servo.max_speed.map_or(f32::MAX, |fastest| fastest as f32),
        start: if servo.start > start { (servo.start - start) as f32 } else { f32::MIN },
    }
}

/// Walls that hold a force, as a device left the records of all boundaries.
pub fn moved_servos<'a>(
    records: impl Iterator<Item = &'a ServoRecord>,
    boundaries: &Boundaries,
) -> Vec<MovedServo> {
    let moved = |(index, (record, wall)): (usize, (&ServoRecord, &Boundary))| {
        let _ = wall.servo()?;
        let state = ServoState {
            way: record.way as f64 * QUANTUM,
            speed: record.speed.into(),
            load: record.load.into(),
        };
        Some(MovedServo { index, state, middle_speed: record.middle_speed.into() })
    };
    records.zip(boundaries.iter()).enumerate().filter_map(moved).collect()
}

fn shape(body: Option<&Assembly>, wall: &Boundary, start: f64) -> FlightShapeRecord {
    let mut record = FlightShapeRecord { servo: servo_shape(wall, start), ..FlightShapeRecord::default() };
    if let Some(properties) = body.map(|body| &body.properties) {
        let center = properties.center.as_vec3();
        record.inertia = InertiaRecord::of(properties);
        record.center = center.extend(wall.sdf().farthest_wall(center)).to_array();
    }
    record
}

/// Boundaries as the device left them; `known` has what does not change about bodies, `boundaries` which of them hold a force.
pub fn fetch(bytes: &[u8], known: &[Option<Assembly>], boundaries: &Boundaries) -> MovedBodies {
    let records: Vec<FlightRecord> = bytemuck::pod_collect_to_vec(bytes);
    let vector = |row: &[f32; 4]| Vec3::from_slice(row).as_dvec3();
    let moved = |(record, body): (&FlightRecord, &Option<Assembly>)| {
        let body = body.as_ref()?;
        Some(Assembly {
            position: record.clump.center(),
            orientation: record.clump.orientation(),
            momentum: record.clump.momentum(&body.properties),
            angular_momentum: record.clump.angular_momentum(&body.properties),
            ..*body
        })
    };
    let bodies = &records[records.len() - known.len()..];
    let wrench =
        |record: &FlightRecord| Wrench { force: vector(&record.force), torque: vector(&record.torque) };
    MovedBodies {
        free: bodies.iter().zip(known).map(moved).collect(),
        loads: bodies.iter().map(wrench).collect(),
        servos: moved_servos(records.iter().map(|record| &record.servo), boundaries),
        lost: 0,
    }
}
