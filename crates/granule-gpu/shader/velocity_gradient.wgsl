// Velocity gradients; `velocity_of` is the file's that includes this one.

// L = sum_j (v_j - v_i) (x) G_ij, as columns.
fn velocity_gradient(i: u32) -> mat3x3<f32> {
    let x = position[i].xyz;
    let v = velocity_of(i);
    var sum = mat3x3<f32>();
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let j = list[s];
        let gradient = pair_gradient(nearest_image(x - position[j].xyz));
        let d = velocity_of(j) - v;
        sum[0] += gradient.x * d;
        sum[1] += gradient.y * d;
        sum[2] += gradient.z * d;
    }
    return sum;
}
