// Particles of the solver as guides of fine grains, without leaving the device; twin of Anchors::track.

struct Track {
    // Particles of the solver; ids there are; ids that the last frame knew; number of the frame.
    particles: u32,
    ids: u32,
    known: u32,
    stamp: u32,
    slack: f32,
    unused_1: f32,
    unused_2: f32,
    unused_3: f32,
}

@group(0) @binding(0) var<uniform> track: Track;
@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> tags: array<Meta>;
// Position and number of the frame, velocity, by id.
@group(0) @binding(4) var<storage, read_write> latest: array<vec4<f32>>;
// Position and id, velocity and material of particles that are new, in any order.
@group(0) @binding(5) var<storage, read_write> born: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> born_count: array<atomic<u32>>;
// Anchors, by id: position and whether there is one, velocity.
@group(0) @binding(7) var<storage, read_write> anchors: array<vec4<f32>>;
// What they are at the frame's start and end, by id: five records, as fill_guides takes them.
@group(0) @binding(8) var<storage, read_write> records: array<vec4<f32>>;

@compute @workgroup_size(256)
fn scatter_by_id(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= track.particles || (tags[i].y & (REMOVED | OF_BODY)) != 0u {
        return;
    }
    let id = tags[i].x;
    if id >= track.ids {
        return;
    }
    latest[2u * id] = vec4(position[i].xyz, bitcast<f32>(track.stamp));
    latest[2u * id + 1u] = vec4(velocity[i].xyz, 0.0);
    if id >= track.known {
        let k = atomicAdd(&born_count[0], 1u);
        if 2u * k + 1u < arrayLength(&born) {
            born[2u * k] = vec4(position[i].xyz, bitcast<f32>(id));
            born[2u * k + 1u] = vec4(velocity[i].xyz, bitcast<f32>(material_of(tags[i])));
        }
    }
}

@compute @workgroup_size(256)
fn track_guides(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= track.ids {
        return;
    }
    var old = vec4(0.0);
    var old_velocity = vec3(0.0);
    if i < track.known {
        old = anchors[2u * i];
        old_velocity = anchors[2u * i + 1u].xyz;
    }
    let before = old.w != 0.0;
    let current = latest[2u * i];
    let now = bitcast<u32>(current.w) == track.stamp;
    var next = vec4(current.xyz, select(0.0, 1.0, now));
    var next_velocity = latest[2u * i + 1u].xyz;
    var moves = 1.0;
    var displacement = old_velocity * frame.gravity.w;
    var velocity_after = old_velocity;
    if before && now {
        let whole = current.xyz - old.xyz;
        let size = length(whole);
        var kept = 0.0;
        if size > track.slack {
            kept = 1.0 - track.slack / size;
        }
        displacement = whole * kept;
        next = vec4(old.xyz + displacement, 1.0);
        if kept == 0.0 {
            next_velocity = vec3(0.0);
            moves = 0.0;
        }
        velocity_after = next_velocity;
    }
    if !now {
        next = vec4(0.0);
        next_velocity = vec3(0.0);
    }
    anchors[2u * i] = next;
    anchors[2u * i + 1u] = vec4(next_velocity, 0.0);
    records[5u * i] = vec4(old.xyz, moves);
    records[5u * i + 1u] = vec4(displacement, select(0.0, 1.0, before));
    records[5u * i + 2u] = vec4(velocity_after, 0.0);
    records[5u * i + 3u] = next;
    records[5u * i + 4u] = vec4(next_velocity, 0.0);
}
