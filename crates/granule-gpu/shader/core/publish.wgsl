// Writes particles as a renderer takes them: centre and radius, then a value and the id. Particles that have been removed
// get no size, and those of bodies neither. What the value is, FIELD says; src/core/view.rs has the names.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
// A column of the method.
@group(0) @binding(2) var<storage, read> column: array<f32>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read> density_state: array<DensityState>;
// Arguments of the draw; the second is the number of particles.
@group(0) @binding(5) var<storage, read> draw: vec4<u32>;
@group(0) @binding(6) var<storage, read_write> spheres: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> marks: array<vec2<u32>>;

override FIELD: u32 = 0u;
// Numbers per particle in the column, and which of them is the value.
override NUMBERS: u32 = 1u;
override NUMBER: u32 = 0u;

const SPEED: u32 = 1u;
const DENSITY: u32 = 2u;
const OF_COLUMN: u32 = 3u;

fn value_of(i: u32) -> f32 {
    switch FIELD {
        case SPEED: {
            return length(velocity[i].xyz);
        }
        case DENSITY: {
            return bitcast<f32>(density_state[i].x) * materials[material_of(metadata[i])].density;
        }
        case OF_COLUMN: {
            return column[NUMBERS * i + NUMBER];
        }
        default: {
            return f32(material_of(metadata[i]));
        }
    }
}

@compute @workgroup_size(256)
fn publish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= draw.y {
        return;
    }
    let live = (metadata[i].y & (REMOVED | OF_BODY)) == 0u;
    spheres[i] = vec4(position[i].xyz, select(0.0, position[i].w, live));
    marks[i] = vec2(bitcast<u32>(value_of(i)), metadata[i].x);
}
