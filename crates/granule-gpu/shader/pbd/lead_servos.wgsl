// The first half kick and the drift of walls that hold a force: twin of `lead_walls` in solver/pbd/mod.rs. A step that was interrupted
// puts them where they are again.

@group(0) @binding(0) var<storage, read_write> servos: array<Servo>;
@group(0) @binding(1) var<storage, read> servo_shapes: array<ServoShape>;
@group(0) @binding(2) var<storage, read_write> poses: array<Pose>;

@compute @workgroup_size(256)
fn lead_servos(@builtin(local_invocation_index) thread: u32) {
    if step.phase != PREPARED {
        return;
    }
    for (var b = thread; b < arrayLength(&servos); b += WORKGROUP) {
        let shape = servo_shapes[b];
        if shape.inverse_mass > 0.0 {
            if step.progress == BEGINS {
                servos[b] = servo_drifted(servos[b], shape, step.elapsed, step.dt);
            }
            poses[b] = moved_on(poses[b], servos[b], shape.direction.xyz);
        }
    }
}
