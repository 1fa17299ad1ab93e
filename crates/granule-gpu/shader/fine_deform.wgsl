// How the surroundings of every guide deform; twin of deformations.

@group(0) @binding(3) var<storage, read_write> deformation: array<vec4<f32>>;

fn inverse_of(m: mat3x3<f32>) -> mat3x3<f32> {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    let d = 1.0 / dot(m[2], c);
    return transpose(mat3x3(a * d, b * d, c * d));
}

fn outer(a: vec3<f32>, b: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(a * b.x, a * b.y, a * b.z);
}

// The deformation of the same shape that keeps volumes.
fn isochoric(gradient: mat3x3<f32>) -> mat3x3<f32> {
    let identity = mat3x3(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    let stretched = identity + gradient;
    let volume = determinant(stretched);
    if volume <= frame.least_volume {
        return mat3x3(vec3(0.0), vec3(0.0), vec3(0.0));
    }
    var root = pow(volume, 1.0 / 3.0);
    root -= (root * root * root - volume) / (3.0 * root * root);
    return stretched * (1.0 / root) - identity;
}

@compute @workgroup_size(256)
fn deform(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= frame.cells.w {
        return;
    }
    let own = guides[3u * i];
    let x = own.xyz;
    let u = guides[3u * i + 1u].xyz;
    var across = mat3x3(vec3(0.0), vec3(0.0), vec3(0.0));
    var moment = mat3x3(vec3(0.0), vec3(0.0), vec3(0.0));
    var sum = 0.0;
    var moving = 0.0;
    let cell = inner_cell(x, frame.origin.xyz, frame.cells.xyz);
    for (var k = 0u; k < 9u; k++) {
        let row = guide_row(cell, k);
        for (var j = row.x; j < row.y; j++) {
            let other = guides[3u * j];
            let d = other.xyz - x;
            let w = weight_of(j, dot(d, d));
            if w > 0.0 {
                let scaled = d / frame.support;
                across += outer(w * (guides[3u * j + 1u].xyz - u), scaled);
                moment += outer(w * scaled, scaled);
                moving += other.w;
                sum += w;
            }
        }
    }
    var gradient = mat3x3(vec3(0.0), vec3(0.0), vec3(0.0));
    if moving > 0.0 {
        let e = frame.regularisation;
        moment += mat3x3(vec3(e, 0.0, 0.0), vec3(0.0, e, 0.0), vec3(0.0, 0.0, e));
        gradient = across * inverse_of(moment) * (1.0 / frame.support);
        let norm = sqrt(dot(gradient[0], gradient[0]) + dot(gradient[1], gradient[1]) + dot(gradient[2], gradient[2]));
        if norm > frame.most_deformation {
            gradient = gradient * (frame.most_deformation / norm);
        }
        gradient = isochoric(gradient);
    }
    let rows = transpose(gradient);
    let carries = own.w * ramp(sum, frame.isolation_ramp);
    deformation[3u * i] = vec4(rows[0], carries);
    deformation[3u * i + 1u] = vec4(rows[1], 0.0);
    deformation[3u * i + 2u] = vec4(rows[2], 0.0);
}
