// The averaged scheme: twins of solver/pbd/averaged.rs.

// What means are multiplied with, kinetic friction over static friction, and how fast masses shrink with height, per diameter.
override RELAXATION: f32 = 1.0;
override KINETIC_SHARE: f32 = 1.0;
override MASS_SCALING: f32 = 0.0;

// Largest ratio of masses that are scaled by height.
const MOST_SCALE: f32 = 1000.0;

fn height_of(x: vec3<f32>) -> f32 {
    let gravity = params.gravity.xyz;
    let size = length(gravity);
    if size > 0.0 {
        return -dot(x, gravity / size);
    }
    return 0.0;
}
