// Contacts of grains with each other: twin of solver/dem/touch.rs. Every sphere finds all its contacts; both partners compute
// the same numbers in the same order, that of their ids, so that forces are opposite and memories alike to the last bit.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
// Angular velocity, and the inverse of the mass that contacts feel.
@group(0) @binding(3) var<storage, read> spin: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> memory: array<vec4<f32>>;
// Force and number of contacts as bits of numbers; torque as such, and which slots remember something.
@group(0) @binding(5) var<storage, read_write> loads: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> metadata: array<Meta>;

// Stress of the contacts of each sphere times the volume, of a cell that strains and looks at it [J].
@group(0) @binding(7) var<storage, read_write> stresses: array<vec4<f32>>;

override STRAINS: bool = false;

// Number of the law of a sphere's material and that of another one.
fn law_number(own_material: u32, j: u32) -> u32 {
    if SEVERAL_MATERIALS {
        return own_material * dem.material_count + material_of(metadata[j]);
    }
    return 0u;
}

// The contact of a sphere with another one, from the partner with the higher id to the one with the lower.
fn touch_pair(
    own: Place,
    own_velocity: vec3<f32>,
    own_spin: vec4<f32>,
    own_material: u32,
    j: u32,
    other: Place,
    d: vec3<f32>,
    before: History,
) -> Touch {
    let v = velocity[j].xyz;
    let w = spin[j];
    let law = laws[law_number(own_material, j)];
    var radius = vec2(own.radius, other.radius);
    var motion = PairMotion(own_velocity, v, own_spin.xyz, w.xyz);
    var inverse = vec2(own_spin.w, w.w);
    if own.id > other.id {
        radius = radius.yx;
        motion = PairMotion(v, own_velocity, w.xyz, own_spin.xyz);
        inverse = inverse.yx;
    }
    if STRAINS {
        motion.velocity_a += dem.motion.rate.xyz * d;
    }
    let geometry = contact_sphere_sphere(d, radius.x, radius.y);
    return contact_loads(law, geometry, 1.0 / (inverse.x + inverse.y), motion, step.dt, before);
}

@compute @workgroup_size(256)
fn touch(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let lane = i % LANES;
    let first = list[2u * (i / LANES)];
    let count = list[2u * (i / LANES) + 1u];
    if !is_in_piece(first, PIECE) {
        return;
    }
    let own = place_of(places[2u * i], places[2u * i + 1u]);
    let own_velocity = velocity[i];
    let own_spin = spin[i];
    let own_meta = metadata[i];
    let known = loads[2u * i + 1u].w;
    var force = vec3(0.0);
    var torque = vec3(0.0);
    var stress = vec3(0.0);
    var contacts = 0u;
    var remembers = 0u;
    for (var s = 0u; s < count; s++) {
        let j = list[params.list_base + (first + s) * LANES + lane];
        if j == i {
            break;
        }
        let other = place_of(places[2u * j], places[2u * j + 1u]);
        // From the partner with the higher id to the one with the lower, which keeps the pair on the CPU.
        let keeps = own.id < other.id;
        var d = apart(own.point, other.point);
        if !keeps {
            d = -d;
        }
        let sum = own.radius + other.radius;
        let beyond = sum + 1.001 * dem.lasting;
        let bit = 1u << (s & 31u);
        let at = memory_place(first + s, lane);
        if dot(d, d) <= beyond * beyond * 1.0001 {
            var before = no_history();
            if s >= BITS || (known & bit) != 0u {
                before.first = memory[at];
                if RECORDS == 2u {
                    before.second = memory[at + LANES];
                }
            }
            let found = touch_pair(own, own_velocity.xyz, own_spin, material_of(own_meta), j, other, d, before);
            let now = found.history;
            let remains = now.first.w != 0.0;
            if s < BITS && remains {
                remembers |= bit;
            }
            if remains || s >= BITS {
                memory[at] = now.first;
                if RECORDS == 2u {
                    memory[at + LANES] = now.second;
                }
            }
            if keeps {
                force += found.force;
                torque += found.torque_a;
            } else {
                force -= found.force;
                torque += found.torque_b;
            }
            if STRAINS {
                // Half of it: the partner has the other one (Love and Weber).
                stress += 0.5 * found.force * d;
            }
            contacts += select(0u, 1u, now.first.w > 0.0);
        } else if s >= BITS {
            memory[at] = vec4(0.0);
        }
    }
    if STRAINS && dem.motion.steers == 1u {
        stresses[i] = vec4(stress, 0.0);
    }
    if mover_of(own_meta) == FREE {
        force += own_velocity.w * params.gravity.xyz;
    }
    loads[2u * i] = bitcast<vec4<u32>>(vec4(force, f32(contacts)));
    loads[2u * i + 1u] = vec4(bitcast<vec3<u32>>(torque), remembers);
}
