// Corrects positions by the mean of what all contacts of a grain ask for: of where it will be, or of where the step begins. Twin of
// Columns::iterate. A thread for each grain gathers the corrections of its list and of its walls.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(5) var<storage, read> wall_steps: array<WallStep>;
@group(0) @binding(6) var<storage, read> before: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> after: array<vec4<f32>>;

// Whether positions of the step's end are corrected, and not those of its beginning.
override MOVES: bool = true;

// Twin of Corrections::of_contact.
fn correction(depth: f32, normal: vec3<f32>, slip: vec3<f32>, friction: f32) -> vec3<f32> {
    if !MOVES {
        return depth * normal;
    }
    let across = slip - dot(slip, normal) * normal;
    let size = length(across);
    var held = 1.0;
    if size >= friction * depth && size > 0.0 {
        held = min(KINETIC_SHARE * friction * depth / size, 1.0);
    }
    return depth * normal - held * across;
}

// Sum of the corrections of pairs, and their number.
fn of_pairs(i: u32, own: vec4<f32>, base: vec3<f32>, material: u32) -> vec4<f32> {
    let place = place_of(places[2u * i], places[2u * i + 1u]);
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    var sum = vec4(0.0);
    for (var s = 0u; s < count; s++) {
        let j = list[params.list_base + first + s * LANES];
        if j == i {
            break;
        }
        let there = place_of(places[2u * j], places[2u * j + 1u]);
        let other = before[2u * j];
        let slip = own.xyz - other.xyz;
        var d = apart(place.point, there.point) + (base - before[2u * j + 1u].xyz);
        if MOVES {
            d += slip;
        }
        let distance = length(d);
        let depth = place.radius + there.radius - distance;
        let weight = own.w + other.w;
        if depth <= 0.0 || distance == 0.0 || weight == 0.0 {
            continue;
        }
        let law = laws[material * pbd.material_count + material_of(metadata[j])];
        sum += vec4((own.w / weight) * correction(depth, d / distance, slip, law.friction), 1.0);
    }
    return sum;
}

// The correction of a contact with a wall; 0 where it does not touch.
fn at_wall(touch: WallTouch, now: WallStep, own: vec3<f32>, base: vec3<f32>, own_meta: Meta) -> vec3<f32> {
    let slip = own - step.dt * now.velocity;
    let normal = touch.normal.xyz;
    let moved = base + select(vec3(0.0), slip, MOVES);
    let depth = -(now.gap + dot(normal, moved));
    if depth <= 0.0 {
        return vec3(0.0);
    }
    return correction(depth, normal, slip, wall_law(touch.wall, own_meta).friction);
}

@compute @workgroup_size(256)
fn average(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    var own = before[2u * i];
    var base = before[2u * i + 1u];
    let inverse_mass = motion[2u * i].w;
    if inverse_mass > 0.0 {
        let own_meta = metadata[i];
        let first = first_touch(step.wall_half, own_meta);
        let count = own_meta.w & ~NEAR_WALLS;
        var sum = of_pairs(i, own, base.xyz, material_of(own_meta));
        var gives: array<vec3<f32>, 8>;
        for (var k = 0u; k < count; k++) {
            let by = at_wall(touches[first + k], wall_steps[own_meta.z + k], own.xyz, base.xyz, own_meta);
            gives[k] = by;
            sum += vec4(by, select(0.0, 1.0, any(by != vec3(0.0))));
        }
        let share = RELAXATION / max(sum.w, 1.0);
        if MOVES {
            // What walls and bodies lose is kept as the impulse of the contact.
            for (var k = 0u; k < count; k++) {
                let impulse = (share * step.inverse_dt / inverse_mass) * gives[k];
                let normal = touches[first + k].normal.xyz;
                let along = dot(impulse, normal);
                touches[first + k].first += vec4(along, impulse - along * normal);
            }
            own += vec4(share * sum.xyz, 0.0);
        } else {
            base += vec4(share * sum.xyz, 0.0);
        }
    }
    after[2u * i] = own;
    after[2u * i + 1u] = base;
}
