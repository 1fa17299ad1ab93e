// Walls that hold a force: twin of boundary/servo.rs. The structs mirror those of src/dem/layout.rs.

struct Servo {
    // Where it is along its direction, in quanta; its speed [m/s], and the force of grains along it [N].
    way: vec2<u32>,
    speed: f32,
    load: f32,
    // Speed in the middle of the last step [m/s].
    @size(16) middle_speed: f32,
}

// What does not change about it.
struct ServoShape {
    // Direction, and the force that it holds [N].
    direction: vec4<f32>,
    // 1 / mass, 0 for boundaries without one; damping / mass; fastest speed; when it begins, since the frame's start.
    inverse_mass: f32,
    damping: f32,
    fastest: f32,
    start: f32,
}

// The speed of a servo after its forces have acted for dt [s]: twin of ServoState::kick.
fn servo_kicked(shape: ServoShape, speed: f32, load: f32, time: f32, dt: f32) -> f32 {
    if time < shape.start {
        return 0.0;
    }
    let pushed = speed + dt * (shape.direction.w + load) * shape.inverse_mass;
    return clamp(pushed / (1.0 + dt * shape.damping), -shape.fastest, shape.fastest);
}

// A servo after its first half kick and the drift of a step of dt [s].
fn servo_drifted(before: Servo, shape: ServoShape, time: f32, dt: f32) -> Servo {
    var servo = before;
    servo.speed = servo_kicked(shape, before.speed, before.load, time, 0.5 * dt);
    servo.middle_speed = servo.speed;
    servo.way = add_words(before.way, nearest_quantum(dt * servo.speed).words);
    return servo;
}

fn beyond_rounded(words: vec2<u32>, rounded: f32) -> f32 {
    return meters_of(subtract_words(words, nearest_quantum(rounded).words));
}

// A part of the way of a servo, along an axis.
fn part_of_way(way: vec2<u32>, along: f32) -> vec2<u32> {
    if along == 1.0 {
        return way;
    }
    if along == -1.0 {
        return negate_words(way);
    }
    return nearest_quantum(along * meters_of(way)).words;
}

fn beyond(at: f32, way: vec2<u32>, along: f32) -> vec2<u32> {
    return add_words(nearest_quantum(at).words, part_of_way(way, along));
}

// A wall with a servo, moved on from where its keyframes have it.
fn moved_on(before: Pose, servo: Servo, direction: vec3<f32>) -> Pose {
    var pose = before;
    let x = beyond(pose.translation.x, servo.way, direction.x);
    let y = beyond(pose.translation.y, servo.way, direction.y);
    let z = beyond(pose.translation.z, servo.way, direction.z);
    let rounded = vec3(meters_of(x), meters_of(y), meters_of(z));
    pose.translation = vec4(rounded, pose.translation.w);
    pose.rest = vec4(
        beyond_rounded(x, rounded.x),
        beyond_rounded(y, rounded.y),
        beyond_rounded(z, rounded.z),
        pose.rest.w,
    );
    pose.pivot = vec4(pose.pivot.xyz + meters_of(servo.way) * direction, pose.pivot.w);
    pose.linear = vec4(pose.linear.xyz + servo.middle_speed * direction, 0.0);
    return pose;
}
