// Skins of grains: how far each may move before lists are made anew. Twin of `way`, `skin_steps`, `skin` and `used` in solver/pbd/params.rs.

// Steps that lists are made for, at least and at most.
const LEAST_STEPS: f32 = 2.0;
const MOST_STEPS: f32 = 12.0;
// Lists that are made for so many steps have the largest skins.
const UNCROWDED_STEPS: f32 = 9.0;

// How far a grain may go at most in a step that it begins at a speed [m].
fn way_of(speed: f32) -> f32 {
    return (speed + pbd.gravity * step.dt) * step.dt;
}

// Steps that lists are made for where grains have this speed on average.
fn skin_steps_of(mean: f32) -> f32 {
    return clamp(pbd.mean_skin / way_of(mean), LEAST_STEPS, MOST_STEPS);
}

// The skin of a grain that goes so far in a step [m].
fn skin_of(way: f32) -> f32 {
    let free = clamp((step.skin_steps - LEAST_STEPS) / (UNCROWDED_STEPS - LEAST_STEPS), 0.0, 1.0);
    let most = max(mix(pbd.mean_skin, pbd.most_skin, free), min(way, pbd.most_skin));
    return clamp(step.skin_steps * way, pbd.least_skin, max(most, pbd.least_skin));
}

// What share of its skin a grain has used up.
fn used_skin(moved: f32, way: f32, skin: f32) -> f32 {
    return (moved + min(way, 0.9 * skin)) / skin;
}
