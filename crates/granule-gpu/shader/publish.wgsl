// Writes particles as a renderer takes them: centre and radius, then a value and the id. Particles that have been removed
// get no size. What the value is, FIELD says; src/view.rs has the names.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> tags: array<Tag>;
@group(0) @binding(4) var<storage, read> found: array<Found>;
// Arguments of the draw; the second is the number of particles.
@group(0) @binding(5) var<storage, read> draw: vec4<u32>;
@group(0) @binding(6) var<storage, read_write> spheres: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> marks: array<vec2<u32>>;

override FIELD: u32 = 0u;

fn value_of(i: u32) -> f32 {
    switch FIELD {
        case 1u: {
            return length(velocity[i].xyz);
        }
        case 2u: {
            return stress[2u * i + 1u].z;
        }
        case 3u: {
            return stress[2u * i + 1u].w;
        }
        case 4u: {
            return bitcast<f32>(found[i].x) * materials[material_of(tags[i])].density;
        }
        default: {
            return f32(material_of(tags[i]));
        }
    }
}

@compute @workgroup_size(256)
fn publish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= draw.y {
        return;
    }
    let there = (tags[i].y & REMOVED) == 0u;
    spheres[i] = vec4(position[i].xyz, select(0.0, position[i].w, there));
    marks[i] = vec2(bitcast<u32>(value_of(i)), tags[i].x);
}
