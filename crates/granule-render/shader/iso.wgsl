// The surface where a field has a value: rays march through the grid.

// Halvings of the step in which the surface lies.
const HALVINGS: u32 = 12u;
// Steps after which a ray gives up; half a cell each at least.
const MOST_STEPS: u32 = 8192u;

struct IsoHit {
    // Distance along the view direction; negative where the ray meets nothing.
    distance: f32,
    // Whether it is the face that closes a cut.
    is_cut: bool,
}

// Where a ray meets the surface.
//
// The field changes by no more than `nodes.w` per cell, so steps may be as long as it takes to reach the value at this
// rate; half a cell is the least.
fn iso_hit(ray: vec3<f32>) -> IsoHit {
    let start = (field.grid_from_view * vec4<f32>(0.0, 0.0, 0.0, 1.0)).xyz;
    let way = (field.grid_from_view * vec4<f32>(ray, 0.0)).xyz;
    // Where the ray is between each pair of the grid's faces.
    let to_first = -start / way;
    let to_last = (field.nodes.xyz - 1.0 - start) / way;
    let enter = min(to_first, to_last);
    let leave = max(to_first, to_last);
    let nothing = IsoHit(-1.0, false);
    var end = min(min(leave.x, leave.y), leave.z);
    var t = max(max(max(enter.x, enter.y), enter.z), frame.projection.z);
    var is_cut = false;
    if field.options.w > 0.0 {
        // The eye is on the side that is left out where the plane lies behind its normal.
        let rise = dot(field.cut.xyz, ray);
        let plane = field.cut.w / rise;
        if field.cut.w < 0.0 {
            if rise >= 0.0 {
                return nothing;
            }
            is_cut = plane > t;
            t = max(t, plane);
        } else if rise > 0.0 {
            end = min(end, plane);
        }
    }
    if !(t < end) {
        return nothing;
    }
    let speed = length(way);
    var value = field_value(start + way * t) - field.iso.w;
    if is_cut && value <= 0.0 {
        return IsoHit(t, true);
    }
    for (var k = 0u; k < MOST_STEPS && t < end; k++) {
        let next = min(t + max(0.5, abs(value) / field.nodes.w) / speed, end);
        let next_value = field_value(start + way * next) - field.iso.w;
        let enters = value > 0.0 && next_value <= 0.0;
        let leaves = value <= 0.0 && next_value > 0.0;
        if enters || (leaves && field.options.y > 0.0) {
            return IsoHit(halve(start, way, t, next, enters), false);
        }
        t = next;
        value = next_value;
    }
    return nothing;
}

// The place between two where the sign changes.
fn halve(start: vec3<f32>, way: vec3<f32>, from_t: f32, to_t: f32, enters: bool) -> f32 {
    var low = from_t;
    var high = to_t;
    for (var k = 0u; k < HALVINGS; k++) {
        let middle = 0.5 * (low + high);
        let is_above = field_value(start + way * middle) > field.iso.w;
        if is_above == enters {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

@fragment
fn show_iso(@builtin(position) position: vec4<f32>) -> Surface {
    let ray = view_ray(position.xy);
    let hit = iso_hit(ray);
    let distance = hit.distance;
    if distance < 0.0 {
        discard;
    }
    let place = (field.grid_from_view * vec4<f32>(ray * distance, 1.0)).xyz;
    let slope = normalize(world_from_grid_direction(field_gradient(place)));
    let normal = select(slope, world_from_view_direction(field.cut.xyz), hit.is_cut);
    var out: Surface;
    out.albedo = vec4<f32>(field.iso.xyz, 1.0);
    out.normal = vec4<f32>(faceForward(normal, world_from_view_direction(ray), normal), 1.0);
    out.depth = depth_of(ray * distance);
    return out;
}
