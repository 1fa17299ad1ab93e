// The forces of grains on bodies and on walls that hold a force, and the second half kick of free ones: twin of Bodies::kick and
// Boundaries::kick_servos.

@group(0) @binding(0) var<storage, read_write> flights: array<Flight>;
@group(0) @binding(1) var<storage, read> flight_shapes: array<FlightShape>;
@group(0) @binding(2) var<storage, read> pushes: array<u32>;

@compute @workgroup_size(256)
fn body_kick(@builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    for (var b = thread; b < arrayLength(&flights); b += WORKGROUP) {
        let force = push_scale() * pushed(PUSH_WORDS * b);
        let torque = turning_scale() * pushed(PUSH_WORDS * b + 6u);
        flights[b].force = vec4(force, 0.0);
        flights[b].torque = vec4(torque, 0.0);
        let shape = flight_shapes[b];
        if shape.servo.inverse_mass > 0.0 {
            let load = dot(force, shape.servo.direction.xyz);
            flights[b].servo.load = load;
            if step.progress != PRIMES {
                flights[b].servo.speed =
                    servo_kicked(shape.servo, flights[b].servo.speed, load, step.elapsed + step.dt, 0.5 * step.dt);
            }
        }
        if flights[b].clump.count == 0u || flights[b].clump.sound == 0.0 || step.progress == PRIMES {
            continue;
        }
        let inertia = shape.inertia;
        var clump = accelerated(flights[b].clump, inertia, force, torque, 0.5 * step.dt);
        let axes = turn(clump.turned, inertia.shape_from_principal);
        clump.spin = rotate(axes, rotate(conjugate(axes), rotation_of_clump(clump)) / inertia.moments.xyz);
        flights[b].clump = clump;
    }
}
