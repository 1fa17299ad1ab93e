// Bounds, largest speed, number of the live particles of each block and the sum of their speeds.
//
// Hook of the method: measured_acceleration(i), where MEASURES_ACCELERATION; it may declare binding 4.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> metadata: array<Meta>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<f32>>;

@compute @workgroup_size(256)
fn measure(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != READY || step.elapsed >= step.length {
        return;
    }
    if !MEASURES_LISTED && step.listed == 1u {
        return;
    }
    let block = workgroup_number(workgroup);
    let i = block * WORKGROUP + thread;
    var high = vec4(vec3(-LARGEST), 0.0);
    var low = vec4(-LARGEST);
    // Live particles, and their speeds.
    var live = vec2(0.0);
    var pushed = 0.0;
    if i < step.sort_count {
        if (metadata[i].y & REMOVED) == 0u {
            let x = position[i].xyz;
            let v = velocity[i].xyz;
            let square = dot(v, v);
            // A velocity that is not finite is found when the particle moves.
            high = vec4(x, select(0.0, square, square <= LARGEST));
            low = vec4(-x, 0.0);
            live = vec2(1.0, sqrt(high.w));
            if MEASURES_ACCELERATION {
                let a = measured_acceleration(i);
                pushed = select(0.0, dot(a, a), dot(a, a) <= LARGEST);
            }
        }
    }
    high = tree_max(thread, high);
    low = tree_max(thread, low);
    let sum = tree_sum(thread, vec4(live, 0.0, 0.0));
    if thread == 0u && block * WORKGROUP < step.sort_count {
        partials[4u * block] = high;
        partials[4u * block + 1u] = vec4(low.xyz, sum.x);
        partials[4u * block + 3u] = vec4(sum.y, 0.0, 0.0, 0.0);
    }
    if MEASURES_ACCELERATION {
        let most = tree_max(thread, vec4(pushed));
        if thread == 0u && block * WORKGROUP < step.sort_count {
            partials[4u * block + 2u] = vec4(most.x);
        }
    }
}
