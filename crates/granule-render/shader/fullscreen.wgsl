// One triangle that covers the picture.

@vertex
fn fullscreen(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4<f32> {
    let x = f32(i32(corner & 1u) * 4 - 1);
    let y = f32(i32(corner >> 1u) * 4 - 1);
    return vec4<f32>(x, y, 0.5, 1.0);
}
