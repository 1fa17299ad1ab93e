// The force of grains on walls that hold one, and their second half kick: twin of Boundaries::kick_servos. Empties the sums.

@group(0) @binding(0) var<storage, read_write> servos: array<Servo>;
@group(0) @binding(1) var<storage, read> servo_shapes: array<ServoShape>;
@group(0) @binding(2) var<storage, read_write> pushes: array<u32>;

@compute @workgroup_size(256)
fn kick_servos(@builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    for (var b = thread; b < arrayLength(&servos); b += WORKGROUP) {
        let shape = servo_shapes[b];
        if shape.inverse_mass > 0.0 {
            let load = push_scale() * dot(pushed(PUSH_WORDS * b), shape.direction.xyz);
            servos[b].load = load;
            servos[b].speed = servo_kicked(shape, servos[b].speed, load, step.elapsed + step.dt, 0.5 * step.dt);
            for (var k = 0u; k < PUSH_WORDS; k++) {
                pushes[PUSH_WORDS * b + k] = 0u;
            }
        }
    }
}
