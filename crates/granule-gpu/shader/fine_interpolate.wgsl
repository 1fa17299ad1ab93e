// Motion of the guides at the nodes of blocks; twin of Nodes::interpolate.

@group(0) @binding(3) var<storage, read> deformation: array<vec4<f32>>;
// Two records each: displacement and share, velocity and whether it is known.
@group(0) @binding(4) var<storage, read_write> own: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> cover: array<f32>;

// Twin of weights.rs: beyond_wall.
fn beyond_wall(distance: f32) -> f32 {
    let t = clamp(distance, -1.0, 1.0);
    let t2 = t * t;
    let odd = t * (1.0 - t2 * (4.0 / 3.0 - t2 * (6.0 / 5.0 - t2 * (4.0 / 7.0 - t2 / 9.0))));
    return clamp(0.5 - 315.0 / 256.0 * odd, 0.0, 1.0);
}

fn share_at(x: vec3<f32>, sum: f32, largest: f32, carrying: f32) -> f32 {
    let share = guided_share(sum, largest, carrying, 0.0);
    if share == 1.0 {
        return share;
    }
    var nearest = frame.support;
    for (var k = 0u; k < frame.wall_count; k++) {
        let wall = fine_scene.walls[k];
        nearest = min(nearest, wall_distance(k, in_pose(wall.start_rotation, wall.start_translation.xyz, x)));
    }
    return guided_share(sum, largest, carrying, beyond_wall(nearest / frame.support));
}

// A block per 32 threads.
@compute @workgroup_size(256)
fn interpolate(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let block = i / 32u;
    let node = i % 32u;
    if block >= frame.blocks || node >= OWN {
        return;
    }
    let cell = block_cell(block);
    let low = frame.origin.xyz + frame.origin.w * vec3<f32>(cell);
    let spacing = frame.origin.w / f32(ALONG);
    let x = low + spacing * vec3(f32(node % 3u), f32(node / 3u % 3u), f32(node / 9u));
    let inner = clamp(cell, vec3(1u), frame.cells.xyz - vec3(2u));
    var sum = 0.0;
    var largest = 0.0;
    var carrying = 0.0;
    var displacement = vec3(0.0);
    var velocity = vec3(0.0);
    for (var k = 0u; k < 9u; k++) {
        let row = guide_row(inner, k);
        for (var j = row.x; j < row.y; j++) {
            let d = x - guides[3u * j].xyz;
            let w = weight_of(j, dot(d, d));
            if w > 0.0 {
                let first = deformation[3u * j];
                let deformed = vec3(
                    dot(first.xyz, d),
                    dot(deformation[3u * j + 1u].xyz, d),
                    dot(deformation[3u * j + 2u].xyz, d),
                );
                sum += w;
                largest = max(largest, w);
                carrying += w * first.w;
                displacement += w * (guides[3u * j + 1u].xyz + deformed);
                velocity += w * guides[3u * j + 2u].xyz;
            }
        }
    }
    let at = OWN * block + node;
    if sum <= 0.0 {
        cover[at] = 0.0;
        own[2u * at] = vec4(0.0);
        own[2u * at + 1u] = vec4(0.0);
        return;
    }
    cover[at] = coverage(sum, 0.0);
    own[2u * at] = vec4(displacement / sum, share_at(x, sum, largest, carrying));
    own[2u * at + 1u] = vec4(velocity / sum, 1.0);
}
