// Spheres as the sun sees them: their depth in the shadow map.

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) offset: vec2<f32>,
    @location(1) @interpolate(flat) depth: f32,
    @location(2) @interpolate(flat) radius: f32,
}

@vertex
fn place_caster(@builtin(vertex_index) corner: u32, @location(0) sphere: vec4<f32>) -> Corner {
    let center = frame.light_from_world * vec4<f32>(sphere.xyz, 1.0);
    let offset = vec2<f32>(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
    // Lengths of a metre along the map's axes.
    let row_x = vec3<f32>(frame.light_from_world[0].x, frame.light_from_world[1].x, frame.light_from_world[2].x);
    let row_y = vec3<f32>(frame.light_from_world[0].y, frame.light_from_world[1].y, frame.light_from_world[2].y);
    var out: Corner;
    out.position = vec4<f32>(center.xy + offset * sphere.w * vec2<f32>(length(row_x), length(row_y)), 0.5, 1.0);
    out.offset = offset;
    out.depth = center.z;
    out.radius = sphere.w / frame.projection.w;
    return out;
}

@fragment
fn cast_shadow(corner: Corner) -> @builtin(frag_depth) f32 {
    let h = 1.0 - dot(corner.offset, corner.offset);
    if h < 0.0 {
        discard;
    }
    return clamp(corner.depth - corner.radius * sqrt(h), 0.0, 1.0);
}
