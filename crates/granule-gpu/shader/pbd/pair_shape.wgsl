// Lengths of a pair, by radii.

// From centres to the point of contact: both together the distance. Twin of `arms`.
fn arms_of(radius: vec2<f32>, gap: f32) -> vec2<f32> {
    return radius * (1.0 + gap / (radius.x + radius.y));
}

// Twin of `diameter`.
fn pair_diameter(radius: vec2<f32>) -> f32 {
    return 4.0 * radius.x * radius.y / (radius.x + radius.y);
}
