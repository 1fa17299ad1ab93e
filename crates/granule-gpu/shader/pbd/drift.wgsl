// Moves grains by their velocity and by the push, which leaves no velocity behind; totals, and the mark of those whose state is not
// finite. Twin of `drift` in solver/pbd/integrate.rs. Leaves behind how much of their skins the particles of each block have used
// up. Particles of bodies have moved before.

@group(0) @binding(0) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> metadata: array<Meta>;
// Positions when the lists were built, in the same order.
@group(0) @binding(5) var<storage, read> listed: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> partials: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> way: array<vec4<f32>>;

// Where a grain is after the step; nowhere if that cannot be.
fn moved_to(i: u32, own: Place, v: vec3<f32>) -> vec3<f32> {
    let moved = advance_position(own.point, step.dt * v);
    let pushed = advance_position(moved.point, way[3u * i].xyz);
    var point = pushed.point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, bitcast<u32>(own.radius), own.id);
    return select(vec3(2.0 * FARTHEST), position_meters(point), moved.sound && pushed.sound);
}

// What share of its skin a particle has used up; all of it where it is nowhere.
fn used_by(i: u32, x: vec3<f32>, v: vec3<f32>) -> f32 {
    let moved = nearest_image(x - listed[i].xyz);
    let used = used_aside(way[3u * i + 2u], position[i].w, moved, v);
    return select(1.0, used, used <= LARGEST);
}

@compute @workgroup_size(256)
fn pbd_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    // Square of the fastest speed, the largest share of a skin that is used up.
    var most = vec4(0.0);
    var energy = 0.0;
    var lost = 0.0;
    // Square of the fastest speed of a particle of a body.
    var of_bodies = 0.0;
    if SHAPED && i < step.count && (metadata[i].y & OF_BODY) != 0u {
        let v = motion[2u * i].xyz;
        velocity[i] = vec4(v, velocity[i].w);
        most.y = used_by(i, position[i].xyz, v);
        of_bodies = dot(v, v);
    } else if i < step.count && motion[2u * i].w > 0.0 {
        let own = place_of(places[2u * i], places[2u * i + 1u]);
        let v = motion[2u * i].xyz;
        let w = motion[2u * i + 1u].xyz;
        let x = moved_to(i, own, v);
        let mass = velocity[i].w;
        position[i] = vec4(x, own.radius);
        velocity[i] = vec4(v, mass);
        way[3u * i + 1u] += vec4(step.dt * w, 0.0);
        if is_sound(x, v) && all(abs(w) <= vec3(LARGEST)) {
            let square = dot(v, v);
            most = vec4(square, used_by(i, x, v), 0.0, 0.0);
            energy = 0.5 * mass * (square + 0.4 * own.radius * own.radius * dot(w, w));
        } else {
            lost = 1.0;
            metadata[i].y |= REMOVED;
        }
    }
    most = tree_max(thread, most);
    let sum = tree_sum(thread, vec4(energy, lost, 0.0, 0.0));
    if SHAPED {
        of_bodies = tree_max(thread, vec4(of_bodies)).x;
    }
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = vec4(most.x, sum.xy, of_bodies);
        partials[4u * block + 1u] = vec4(0.0);
        partials[4u * block + 2u] = vec4(0.0);
        partials[4u * block + 3u] = vec4(most.y, 0.0, 0.0, 0.0);
    }
}
