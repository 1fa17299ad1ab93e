// The first half kick and the drift: twin of kick_and_drift in solver/dem/integrate.rs. Leaves behind how far the particles of
// each block are from where they were listed.

@group(0) @binding(0) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> spin: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> metadata: array<Meta>;
// Positions when the lists were built, in the same order.
@group(0) @binding(6) var<storage, read> listed: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec4<f32>>;

fn kick_and_drift_one(i: u32) {
    let own = place_of(places[2u * i], places[2u * i + 1u]);
    let half = 0.5 * step.dt;
    let mass = velocity[i].w;
    let v = velocity[i].xyz + (half / mass) * loads[2u * i].xyz;
    let w = spin[i].xyz + (half / (0.4 * mass * own.radius * own.radius)) * loads[2u * i + 1u].xyz;
    var way = step.dt * v;
    velocity[i] = vec4(v, mass);
    if STRAINS {
        way += way_with_cell(own.point);
        velocity[i] = vec4(dem.motion.slowing.xyz * v, mass);
    }
    spin[i] = vec4(w, spin[i].w);
    let moved = advance_position(own.point, way);
    var point = moved.point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, bitcast<u32>(own.radius), own.id);
    var x = position_meters(point);
    if !moved.sound {
        // Nowhere: found when it is kicked again.
        x = vec3(2.0 * FARTHEST);
    }
    position[i] = vec4(x, own.radius);
}

fn square_of_way(x: vec3<f32>, origin: vec3<f32>) -> f32 {
    let way = nearest_image(x - origin);
    return dot(way, way);
}

// Square of the way from where a particle was listed; as far as can be for one that is nowhere. In a cell that strains it is the way
// from where the cell would have taken it, by which partners come closer; walls do not go along.
fn way_since_listed(i: u32, x: vec3<f32>) -> f32 {
    var square = square_of_way(x, listed[i].xyz);
    if STRAINS {
        let center = dem.motion.center.xyz;
        let along = square_of_way(x, center + dem.motion.since_listed.xyz * (listed[i].xyz - center));
        square = select(along, max(along, square), params.boundary_count > 0u);
    }
    return select(LARGEST, square, square <= LARGEST);
}

@compute @workgroup_size(256)
fn dem_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var way = 0.0;
    if i < step.sort_count {
        let own_meta = metadata[i];
        if (own_meta.y & REMOVED) == 0u {
            if step.progress == KICKS && mover_of(own_meta) == FREE {
                kick_and_drift_one(i);
            }
            if step.listed == 1u {
                way = way_since_listed(i, position[i].xyz);
            }
        }
    }
    let farthest = tree_max(thread, vec4(way));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.sort_count {
        partials[4u * block + 3u] = farthest;
    }
}
