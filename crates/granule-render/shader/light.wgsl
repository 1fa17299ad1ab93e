// Light on everything that is seen.

@group(0) @binding(1) var depth_buffer: texture_depth_2d;
@group(0) @binding(2) var normal_buffer: texture_2d<f32>;
@group(0) @binding(3) var albedo_buffer: texture_2d<f32>;
@group(0) @binding(4) var occlusion_buffer: texture_2d<f32>;
@group(0) @binding(5) var shadow_map: texture_depth_2d;
@group(0) @binding(6) var shadow_sampler: sampler_comparison;

const BLOCKER_TAPS: u32 = 12u;
const FILTER_TAPS: u32 = 12u;
const GOLDEN_ANGLE: f32 = 2.3999632;
// Slope of the steepest surface that gets all the room it needs in the shadow map.
const STEEPEST: f32 = 2.5;

// Places on a disc, evenly spread.
fn disc(k: u32, count: u32, turn: f32) -> vec2<f32> {
    let angle = f32(k) * GOLDEN_ANGLE + turn;
    return sqrt((f32(k) + 0.5) / f32(count)) * vec2<f32>(cos(angle), sin(angle));
}

// Share of the sun that arrives at a point: the farther away what covers it, the softer the edge (Fernando 2005).
fn sunlight(point: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> f32 {
    if frame.sun.w == 0.0 {
        return 1.0;
    }
    let row_x = vec3<f32>(frame.light_from_world[0].x, frame.light_from_world[1].x, frame.light_from_world[2].x);
    let row_y = vec3<f32>(frame.light_from_world[0].y, frame.light_from_world[1].y, frame.light_from_world[2].y);
    // Map coordinates per metre.
    let per_metre = 0.5 * vec2<f32>(length(row_x), length(row_y));
    let turn = 6.2831855 * dither(pixel);
    let place = light_place(point + normal * frame.shadow.z);
    // Only what is well above the point widens the edge.
    let margin = 0.5 * frame.shadow.x / frame.projection.w;
    var blockers = 0.0;
    var depth_sum = 0.0;
    for (var k = 0u; k < BLOCKER_TAPS; k++) {
        let uv = place.xy + disc(k, BLOCKER_TAPS, turn) * per_metre * 0.5 * frame.shadow.y;
        let texel = clamp(uv, vec2<f32>(0.0), vec2<f32>(0.9999)) * frame.size.w;
        let depth = textureLoad(shadow_map, vec2<u32>(texel), 0);
        if depth < place.z - margin {
            blockers += 1.0;
            depth_sum += depth;
        }
    }
    if blockers == 0.0 {
        return 1.0;
    }
    let height = (place.z - depth_sum / blockers) * frame.projection.w;
    let width = clamp(height * frame.sun_direction.w, frame.shadow.x, frame.shadow.y);
    // A plane that leans away from the sun by an angle a lies up to tan(a) times the filter's radius nearer to the sun
    // within the filter.
    let cosine = max(dot(normal, frame.sun_direction.xyz), 1e-3);
    let slope = min(sqrt(max(1.0 - cosine * cosine, 0.0)) / cosine, STEEPEST);
    let depth = min(place.z - width * slope / frame.projection.w, 1.0);
    var lit = 0.0;
    for (var k = 0u; k < FILTER_TAPS; k++) {
        let uv = place.xy + disc(k, FILTER_TAPS, turn) * per_metre * width;
        let open = textureSampleCompareLevel(shadow_map, shadow_sampler, uv, depth);
        // Beyond the map there is only light.
        let outside = any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0));
        lit += select(open, 1.0, outside);
    }
    return lit / f32(FILTER_TAPS);
}

// Texture coordinates and depth of a point in the shadow map.
fn light_place(point: vec3<f32>) -> vec3<f32> {
    let p = (frame.light_from_world * vec4<f32>(point, 1.0)).xyz;
    return vec3<f32>(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y, p.z);
}

@fragment
fn light_surface(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(position.xy);
    let depth = textureLoad(depth_buffer, texel, 0);
    let ray = world_from_view_direction(normalize(view_ray(position.xy)));
    let behind = background(ray);
    if depth <= 0.0 {
        return vec4<f32>(behind, 1.0);
    }
    let albedo = textureLoad(albedo_buffer, texel, 0);
    // Alpha tells surfaces apart: 1 is lit, 0.5 the ground, 0 shows its colour as it is.
    let is_plain = albedo.w < 0.25;
    let is_ground = albedo.w < 0.75 && !is_plain;
    if frame.sky.w == 0.0 && !is_ground {
        return vec4<f32>(albedo.xyz, 1.0);
    }
    if is_plain {
        return vec4<f32>(inverse_tone_map(albedo.xyz), 1.0);
    }
    let surface = textureLoad(normal_buffer, texel, 0);
    let normal = surface.xyz;
    let view_point = point_at(position.xy, depth);
    let point = world_from_view_point(view_point);
    let sunlit = surface.w * sunlight(point, normal, position.xy);
    let open = textureLoad(occlusion_buffer, vec2<u32>(position.xy / frame.size.z), 0).x;
    let highlight = select(frame.bounce.w, 0.0, is_ground);
    let light = surface_light(albedo.xyz, normal, -ray, highlight, sunlit, open);
    if !is_ground {
        return vec4<f32>(light, 1.0);
    }
    let away = distance(point.xz, frame.ground_fade.xy);
    return vec4<f32>(mix(light, behind, smoothstep(frame.ground_fade.z, frame.ground_fade.w, away)), 1.0);
}
