// Skins of grains: how far each may move before lists are made anew. Twin of `way`, `skin` and `used` in solver/pbd/params.rs.

// Steps that lists are made for.
const SKIN_STEPS: f32 = 9.0;
// Shares of fast grains with which skins begin to be smaller, and with which they are smallest.
const FEW_FAST: f32 = 0.1;
const MANY_FAST: f32 = 0.4;

// How far a grain may go at most in a step that it begins at a speed [m].
fn way_of(speed: f32) -> f32 {
    return (speed + pbd.gravity * step.dt) * step.dt;
}

// The skin of a grain that goes so far in a step [m].
fn skin_of(way: f32) -> f32 {
    return clamp(SKIN_STEPS * way, pbd.least_skin, step.list_skin);
}

// The largest skin of a grain, where so many grains are fast [m].
fn most_skin(share: f32) -> f32 {
    return max(mix(pbd.most_skin, pbd.crowded_skin, clamp((share - FEW_FAST) / (MANY_FAST - FEW_FAST), 0.0, 1.0)), pbd.least_skin);
}

// What share of its skin a grain has used up.
fn used_skin(moved: f32, way: f32, skin: f32) -> f32 {
    return (moved + min(way, 0.9 * skin)) / skin;
}
