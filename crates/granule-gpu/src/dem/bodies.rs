//! Rigid bodies that the device moves between two visits of rapier.

use glam::{DVec3, Vec3};
use granule::assemblies::Assembly;
use granule::bodies::{Bodies, Wrench};
use granule::boundary::Boundaries;

use crate::core::buffers::PoolInfo;
use crate::core::method::{MovedBodies, PoolWrite};

use super::columns::{FLIGHT_SHAPES, FLIGHTS};
use super::layout::{ClumpRecord, FlightRecord, FlightShapeRecord, InertiaRecord};

/// The buffers of so many bodies.
pub fn pools(count: usize) -> Vec<PoolInfo> {
    let of = |name, size: usize| PoolInfo { name, bytes: (size * count) as u64 };
    if count == 0 {
        return Vec::new();
    }
    vec![of(FLIGHTS, size_of::<FlightRecord>()), of(FLIGHT_SHAPES, size_of::<FlightShapeRecord>())]
}

/// What is written to them: the bodies, the last of all boundaries, as they are now.
pub fn send(bodies: &mut Bodies, boundaries: &Boundaries) -> Vec<PoolWrite> {
    let free = bodies.assemblies();
    if free.is_empty() {
        return Vec::new();
    }
    let loads = bodies.loads();
    let flights: Vec<FlightRecord> = free.iter().zip(&loads).map(|(body, load)| flight(body, load)).collect();
    let walls = boundaries.iter().skip(boundaries.len() - free.len());
    let shape = |(body, wall): (&Option<Assembly>, &granule::boundary::Boundary)| {
        let Some(properties) = body.as_ref().map(|body| &body.properties) else {
            return FlightShapeRecord::default();
        };
        let center = properties.center.as_vec3();
        FlightShapeRecord {
            inertia: InertiaRecord::of(properties),
            center: center.extend(wall.sdf().farthest_wall(center)).to_array(),
        }
    };
    let shapes: Vec<FlightShapeRecord> = free.iter().zip(walls).map(shape).collect();
    vec![
        PoolWrite { pool: FLIGHTS, at: 0, bytes: bytemuck::pod_collect_to_vec(&flights) },
        PoolWrite { pool: FLIGHT_SHAPES, at: 0, bytes: bytemuck::pod_collect_to_vec(&shapes) },
    ]
}

fn row(v: DVec3) -> [f32; 4] {
    v.as_vec3().extend(0.0).to_array()
}

fn flight(body: &Option<Assembly>, load: &Wrench) -> FlightRecord {
    let mut clump = ClumpRecord::default();
    if let Some(body) = body {
        clump = ClumpRecord {
            count: 1,
            mass: body.properties.mass as f32,
            sound: 1.0,
            spin: body.angular_velocity().as_vec3().to_array(),
            ..clump
        };
        clump.put(body.position, body.orientation);
        clump.move_with(body.momentum, body.angular_momentum, &body.properties);
    }
    FlightRecord { clump, force: row(load.force), torque: row(load.torque) }
}

/// The bodies as the device left them; `known` has what does not change.
pub fn fetch(bytes: &[u8], known: &[Option<Assembly>]) -> MovedBodies {
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
    MovedBodies {
        free: records.iter().zip(known).map(moved).collect(),
        loads: records
            .iter()
            .map(|record| Wrench { force: vector(&record.force), torque: vector(&record.torque) })
            .collect(),
    }
}
