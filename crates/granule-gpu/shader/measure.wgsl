// Bounds, largest speed and number of the particles of each block that are there.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tags: array<Tag>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<f32>>;
// Accelerations in the first of two records, in the weakly compressible solver.
@group(0) @binding(4) var<storage, read> stress: array<vec4<f32>>;

@compute @workgroup_size(256)
fn measure(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != READY || step.elapsed >= step.length {
        return;
    }
    let block = workgroup_number(workgroup);
    let i = block * WORKGROUP + thread;
    var high = vec4(vec3(-LARGEST), 0.0);
    var low = vec4(-LARGEST);
    var there = 0.0;
    var pushed = 0.0;
    if i < step.sort_count {
        if (tags[i].y & REMOVED) == 0u {
            let x = position[i].xyz;
            let v = velocity[i].xyz;
            let square = dot(v, v);
            // A velocity that is not finite is found when the particle moves.
            high = vec4(x, select(0.0, square, square <= LARGEST));
            low = vec4(-x, 0.0);
            there = 1.0;
            if WEAK {
                let a = stress[2u * i].xyz;
                pushed = select(0.0, dot(a, a), dot(a, a) <= LARGEST);
            }
        }
    }
    high = tree_max(thread, high);
    low = tree_max(thread, low);
    let sum = tree_sum(thread, vec4(there));
    if thread == 0u && block * WORKGROUP < step.sort_count {
        partials[4u * block] = high;
        partials[4u * block + 1u] = vec4(low.xyz, sum.x);
    }
    if WEAK {
        let most = tree_max(thread, vec4(pushed));
        if thread == 0u && block * WORKGROUP < step.sort_count {
            partials[4u * block + 2u] = vec4(most.x);
        }
    }
}
