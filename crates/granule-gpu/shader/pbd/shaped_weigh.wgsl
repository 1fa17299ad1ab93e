// Shares the mass of a body among the particles that touch something: twin of the second half of `weigh` in solver/pbd/shaped.rs, and
// of solver/pbd/splitting.rs. A workgroup for each body.

@group(0) @binding(0) var<storage, read_write> bodies: array<ShapedBody>;
@group(0) @binding(1) var<storage, read> members: array<BodyMember>;
@group(0) @binding(2) var<storage, read_write> motion: array<vec4<f32>>;

// A matrix of six rows, and its square.
var<private> matrix: array<f32, 36>;
var<private> square: array<f32, 36>;

var<workgroup> shared_weight: f32;

fn trace_of_matrix() -> f32 {
    return matrix[0] + matrix[7] + matrix[14] + matrix[21] + matrix[28] + matrix[35];
}

// Divides the matrix by a number, and squares it.
fn square_over(size: f32) {
    for (var k = 0u; k < 36u; k++) {
        matrix[k] /= size;
    }
    for (var row = 0u; row < 6u; row++) {
        for (var column = 0u; column < 6u; column++) {
            var sum = 0.0;
            for (var k = 0u; k < 6u; k++) {
                sum += matrix[6u * row + k] * matrix[6u * k + column];
            }
            square[6u * row + column] = sum;
        }
    }
    matrix = square;
}

// Twin of `largest`: the trace of the sixteenth power, of which the sixteenth root is taken from within.
fn largest_eigenvalue() -> f32 {
    var traces: array<f32, 4>;
    for (var n = 0u; n < 4u; n++) {
        traces[n] = trace_of_matrix();
        square_over(traces[n]);
    }
    var size = trace_of_matrix();
    for (var n = 4u; n > 0u; n--) {
        size = traces[n - 1u] * sqrt(size);
    }
    return size;
}

// Twin of `relative_to`: of the mean of arms and of the mean of their outer products, with columns.
fn fill_matrix(body: ShapedBody, first: vec3<f32>, second: mat3x3<f32>) {
    let q = turn(body.clump.turned, body.shape_from_principal);
    let axes = mat3x3<f32>(
        rotate(q, vec3(1.0, 0.0, 0.0)),
        rotate(q, vec3(0.0, 1.0, 0.0)),
        rotate(q, vec3(0.0, 0.0, 1.0)),
    );
    let mean = transpose(axes) * first;
    let spread = transpose(axes) * second * axes;
    let own = spread[0].x + spread[1].y + spread[2].z + 0.4 * body.radius * body.radius;
    let scale = vec3(1.0) / sqrt(body.clump.inverse_mass * body.moments.w * body.moments.xyz);
    for (var k = 0u; k < 3u; k++) {
        var axis = vec3(0.0);
        axis[k] = 1.0;
        let moved = scale[k] * cross(axis, mean);
        for (var l = 0u; l < 3u; l++) {
            matrix[6u * k + l] = axis[l];
            matrix[6u * l + 3u + k] = moved[l];
            matrix[6u * (3u + k) + l] = moved[l];
            matrix[6u * (3u + k) + 3u + l] = scale[k] * scale[l] * (own * axis[l] - spread[l][k]);
        }
    }
}

@compute @workgroup_size(256)
fn shaped_weigh(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    let body = bodies[workgroup.x];
    let end = body.clump.first + body.clump.count;
    var first = vec4(0.0);
    var along = vec4(0.0);
    var across = vec4(0.0);
    for (var k = body.clump.first + thread; k < end; k += WORKGROUP) {
        let member = members[k];
        if member.touches == 1u {
            let arm = member.arm;
            first += vec4(arm, 1.0);
            along += vec4(arm * arm, 0.0);
            across += vec4(arm.xyz * arm.yzx, 0.0);
        }
    }
    first = tree_sum(thread, first);
    along = tree_sum(thread, along);
    across = tree_sum(thread, across);
    if thread == 0u {
        let count = max(first.w, 1.0);
        let second = mat3x3<f32>(
            vec3(along.x, across.x, across.z),
            vec3(across.x, along.y, across.y),
            vec3(across.z, across.y, along.z),
        );
        fill_matrix(body, first.xyz / count, second * (1.0 / count));
        shared_weight = count * largest_eigenvalue() * body.clump.inverse_mass;
        bodies[workgroup.x].weight = shared_weight;
    }
    workgroupBarrier();
    let weight = workgroupUniformLoad(&shared_weight);
    for (var k = body.clump.first + thread; k < end; k += WORKGROUP) {
        motion[2u * members[k].row].w = weight;
    }
}
