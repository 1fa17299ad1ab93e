// Velocity gradients; `velocity_of` is the file's that includes this one.

// L = sum_j (v_j - v_i) (x) G_ij, as columns.
fn velocity_gradient(i: u32) -> mat3x3<f32> {
    let x = position[i].xyz;
    let v = velocity_of(i);
    var sum = mat3x3<f32>();
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += FOUR_SLOTS) {
        let j = four_neighbors(s);
        let positions = four_positions(j);
        let d0 = velocity_of(j.x) - v;
        let d1 = velocity_of(j.y) - v;
        let d2 = velocity_of(j.z) - v;
        let d3 = velocity_of(j.w) - v;
        let g = four_gradients(x, positions);
        sum[0] += g[0].x * d0 + g[1].x * d1 + g[2].x * d2 + g[3].x * d3;
        sum[1] += g[0].y * d0 + g[1].y * d1 + g[2].y * d2 + g[3].y * d3;
        sum[2] += g[0].z * d0 + g[1].z * d1 + g[2].z * d2 + g[3].z * d3;
    }
    return sum;
}
