//! The default scene as fine as the machine can simulate it in real time.

use granule::live::Source;

/// Radius at which so many cores simulate the default scene in real time, with something to spare for the window \[m\].
/// Measured on server cores of 2023 (docs/performance.md); others differ by half at most.
const KNOWN: (f32, f32) = (0.01, 6.0);
/// Work per simulated second grows with the radius to this power: three for the number of grains, a half for their steps.
const POWER: f32 = 3.5;
/// The radius for graphics cards \[m\].
const ON_CARDS: f32 = 0.006;
/// Finest and coarsest radius \[m\].
const RANGE: [f32; 2] = [0.006, 0.02];

/// The radius for CPU cores \[m\], in tenths of a millimetre.
fn radius(cores: usize) -> f32 {
    let radius = KNOWN.0 * (KNOWN.1 / cores.max(1) as f32).powf(1.0 / POWER);
    (radius.clamp(RANGE[0], RANGE[1]) * 1e4).round() / 1e4
}

/// A built-in scene with the radius that suits the machine.
pub fn fitted(source: &Source, on_card: bool, threads: Option<usize>) -> Source {
    let cores = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let radius = if on_card { ON_CARDS } else { radius(cores) };
    match source {
        Source::File { path, quick, sets } => {
            let mut sets = sets.clone();
            sets.push(("material.radius".into(), radius.to_string()));
            Source::File { path: path.clone(), quick: *quick, sets }
        }
        Source::Scene(_) => source.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cores_get_finer_sand_and_the_scene_is_valid() {
        assert_eq!(radius(6), 0.01);
        assert!(radius(1) > radius(2) && radius(2) > radius(8) && radius(8) > radius(16));
        assert!(radius(1000) >= RANGE[0]);
        for cores in [1, 2, 16] {
            let scene = fitted(&Source::file("column"), false, Some(cores)).open().unwrap();
            assert_eq!(scene.material[0].radius, radius(cores));
        }
    }
}
