// Skins of grains: how far each may move before lists are made anew. Twin of `way`, `skin` and `used` in solver/pbd/params.rs.

// Steps that lists are made for.
const SKIN_STEPS: f32 = 9.0;

// How far a grain may go at most in a step that it begins at a speed [m].
fn way_of(speed: f32) -> f32 {
    return (speed + pbd.gravity * step.dt) * step.dt;
}

// The skin of a grain that goes so far in a step [m].
fn skin_of(way: f32) -> f32 {
    return clamp(SKIN_STEPS * way, pbd.least_skin, pbd.most_skin);
}

// What share of its skin a grain has used up.
fn used_skin(moved: f32, way: f32, skin: f32) -> f32 {
    return (moved + min(way, 0.9 * skin)) / skin;
}
