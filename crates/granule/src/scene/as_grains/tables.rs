//! What grains were measured to do, by `cargo run --release --example grains`; docs/grains.md has the set-ups and the numbers.

/// Angle of repose \[degrees\], friction and rolling friction of the grains that have it, between what small and large heaps have.
const REPOSE: [[f64; 3]; 6] = [
    [15.7, 0.1, 0.0],
    [21.7, 0.3, 0.0],
    [28.2, 0.5, 0.1],
    [30.0, 0.5, 0.115],
    [35.0, 0.5, 0.3],
    [39.2, 0.8, 0.5],
];

/// The same of position-based grains that turn.
const PBD_REPOSE: [[f64; 3]; 7] = [
    [16.3, 0.1, 0.0],
    [19.9, 0.2, 0.0],
    [23.6, 0.5, 0.0],
    [29.7, 0.5, 0.03],
    [32.9, 0.5, 0.06],
    [36.3, 0.5, 0.1],
    [45.2, 0.5, 0.3],
];

/// The same of those that only slide.
const PBD_SLIDING: [[f64; 3]; 7] = [
    [13.6, 0.03, 0.0],
    [17.0, 0.05, 0.0],
    [21.8, 0.1, 0.0],
    [27.8, 0.15, 0.0],
    [33.8, 0.2, 0.0],
    [40.3, 0.25, 0.0],
    [45.7, 0.3, 0.0],
];

/// Cohesion times the squared diameter over the pull of a liquid bridge and the tangent of the friction angle.
const COHESION: f64 = 0.55;

/// Largest cohesion over the weight of a layer of bulk matter of one diameter.
pub const MOST_COHESION: f64 = 10.0;

/// Smallest and largest angle that grains are taken for \[degrees\].
pub fn angles() -> [f64; 2] {
    [REPOSE[0][0], REPOSE[REPOSE.len() - 1][0]]
}

/// Friction and rolling friction of grains with an angle of repose \[degrees\]; none outside of these.
pub fn friction(angle: f64) -> Option<[f64; 2]> {
    between(&REPOSE, angle).map(|[_, friction, rolling]| [friction, rolling])
}

fn pbd_table(rotation: bool) -> &'static [[f64; 3]; 7] {
    if rotation { &PBD_REPOSE } else { &PBD_SLIDING }
}

/// Smallest and largest angle that position-based grains are taken for \[degrees\].
pub fn pbd_angles(rotation: bool) -> [f64; 2] {
    let table = pbd_table(rotation);
    [table[0][0], table[table.len() - 1][0]]
}

/// Friction and rolling friction of position-based grains with an angle of repose \[degrees\]; none outside of these.
pub fn pbd_friction(angle: f64, rotation: bool) -> Option<[f64; 2]> {
    between(pbd_table(rotation), angle).map(|[_, friction, rolling]| [friction, rolling])
}

/// Pull of a liquid bridge \[N\] that gives grains of a diameter \[m\] and a friction angle \[degrees\] a cohesion \[Pa\].
///
/// ```text
/// F = c d^2/(0.55 tan(phi))
/// ```
pub fn bridge(cohesion: f64, diameter: f64, angle: f64) -> f64 {
    cohesion * diameter * diameter / (COHESION * angle.to_radians().tan())
}

/// The row at a value of the first column, between two measured ones.
fn between<const N: usize>(rows: &[[f64; N]], x: f64) -> Option<[f64; N]> {
    let pair = rows.windows(2).find(|pair| (pair[0][0]..=pair[1][0]).contains(&x))?;
    let share = (x - pair[0][0]) / (pair[1][0] - pair[0][0]);
    Some(std::array::from_fn(|k| pair[0][k] + share * (pair[1][k] - pair[0][k])))
}
