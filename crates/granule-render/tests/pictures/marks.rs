//! Marks that turn with their spheres.

use glam::{Quat, Vec3};
use granule_render::{
    Camera, Image, Paint, RenderError, RenderScene, RenderSettings, SphereSource, SphereTag, draw_in_software,
};

use crate::common::{brightness, difference, gpu, nothing};

const SPHERE: [[f32; 4]; 1] = [[0.0, 0.0, 0.0, 1.0]];

fn settings() -> RenderSettings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 8.0), target: Vec3::ZERO, fov_radians: 0.4 };
    RenderSettings { lit: false, ..RenderSettings::new(120, 120, camera) }
}

fn marked<'a>(tags: &'a [SphereTag], orientations: &'a [[f32; 4]], paint: &'a Paint) -> RenderScene<'a> {
    RenderScene { spheres: SphereSource::Marked { spheres: &SPHERE, tags, orientations }, ..nothing(paint) }
}

/// Brightness left of the middle over that to the right of it.
fn left_over_right(image: &Image) -> f64 {
    brightness(image, 48, 60) / brightness(image, 72, 60)
}

/// Seen along z, the quarter with x z > 0 is bright: on the right. A quarter turn about y brings the dark one there, and a
/// half turn the bright one again; seen from above, a turn about x by a right angle shows the same.
#[test]
fn a_quarter_turn_exchanges_the_dark_and_the_bright_quarters() {
    let (tags, paint) = ([SphereTag::of_color(Vec3::splat(0.8), 0)], Paint::Direct);
    let turns = [
        (Quat::IDENTITY, false),
        (Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), true),
        (Quat::from_rotation_y(std::f32::consts::PI), false),
    ];
    let mut gpu = gpu();
    for (turn, left_is_bright) in turns {
        let orientation = [turn.to_array()];
        let scene = marked(&tags, &orientation, &paint);
        let image = draw_in_software(&scene, &settings()).unwrap();
        let ratio = left_over_right(&image);
        assert!(if left_is_bright { ratio > 1.3 } else { ratio < 0.77 }, "{turn}: {ratio}");
        if let Some(gpu) = &mut gpu {
            let drawn = gpu.draw(&scene, &settings()).unwrap();
            let apart = difference(&drawn, &image);
            assert!(apart < 1.0, "{turn}: device and software differ by {apart}");
        }
    }
}

#[test]
fn orientations_that_are_none_are_refused() {
    let (tags, paint) = ([SphereTag::default()], Paint::Direct);
    let refusal =
        |orientations: &[[f32; 4]]| draw_in_software(&marked(&tags, orientations, &paint), &settings());
    assert!(matches!(refusal(&[]), Err(RenderError::Orientations { spheres: 1, orientations: 0 })));
    for wrong in [[0.0; 4], [0.0, 0.0, 0.0, 2.0], [f32::NAN, 0.0, 0.0, 1.0]] {
        assert!(matches!(refusal(&[wrong]), Err(RenderError::Orientation { index: 0 })), "{wrong:?}");
    }
}
