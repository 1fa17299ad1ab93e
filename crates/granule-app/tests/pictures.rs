//! The window as it looked when somebody last looked at it: a few states, compared with the pictures in `tests/pictures/`.
//!
//! Pictures are a quarter as wide and high as the window and compared on a driver in software only, with room for the small
//! differences between its versions. `GRANULE_UPDATE_PICTURES=1` writes them anew, to be looked at before they are committed.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use granule::live::Source;
use granule_app::{Action, App, AppOptions, Place};
use granule_device::AdapterKind;
use image::RgbaImage;

/// Pixels of the window per pixel of a stored picture, along an axis.
const SMALLER: u32 = 4;
/// Mean difference of all colours that versions of a driver may make, of 255.
const MEAN: f64 = 1.5;
/// A pixel differs when a colour of it does by more than this, of 255.
const FAR: u8 = 40;
/// Share of pixels that may differ.
const SHARE: f64 = 0.005;

/// The paused window; nothing where pictures cannot be compared.
fn window() -> Option<Harness<'static, App>> {
    let gpu = granule_testing::device()?;
    if gpu.adapter.kind != AdapterKind::Software {
        granule_testing::skip("pictures are compared on a driver in software only");
        return None;
    }
    let source = Source::File { path: "column".into(), quick: true, sets: Vec::new() };
    let options =
        AppOptions { place: Place::Cpu, threads: Some(1), playing: false, ..AppOptions::new(source) };
    let builder = Harness::builder().with_size([960.0, 640.0]).with_step_dt(1.0 / 60.0);
    let builder = builder.wgpu_setup(granule_app::wgpu_setup()).with_render_cursor(false);
    let mut window = builder.build_eframe(move |creation| App::new(creation, options).unwrap());
    window.run_steps(4);
    Some(window)
}

/// The mean of blocks of pixels, without opacity.
fn shrunk(image: &RgbaImage) -> (u32, u32, Vec<[u8; 3]>) {
    let (width, height) = (image.width() / SMALLER, image.height() / SMALLER);
    let mean = |x: u32, y: u32| {
        let mut sum = [0_u32; 3];
        for (dx, dy) in (0..SMALLER * SMALLER).map(|k| (k % SMALLER, k / SMALLER)) {
            let pixel = image.get_pixel(SMALLER * x + dx, SMALLER * y + dy).0;
            sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(part));
        }
        sum.map(|part| (part / (SMALLER * SMALLER)) as u8)
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| mean(x, y));
    (width, height, pixels.collect())
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.png"))
}

fn write(file: &Path, width: u32, height: u32, pixels: &[[u8; 3]]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut encoder =
        png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(file).unwrap()), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
}

fn read(name: &str) -> (u32, u32, Vec<[u8; 3]>) {
    let file = file(name);
    let opened = std::fs::File::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(opened)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb, "{}", file.display());
    (info.width, info.height, bytes.as_chunks::<3>().0.to_vec())
}

/// Mean difference, and share of pixels that differ.
fn difference(one: &[[u8; 3]], other: &[[u8; 3]]) -> (f64, f64) {
    let apart = |(a, b): (&[u8; 3], &[u8; 3])| [0, 1, 2].map(|k| a[k].abs_diff(b[k]));
    let differences: Vec<[u8; 3]> = one.iter().zip(other).map(apart).collect();
    let sum: f64 = differences.as_flattened().iter().map(|part| f64::from(*part)).sum();
    let far = differences.iter().filter(|parts| parts.iter().any(|part| *part > FAR)).count();
    (sum / (3 * one.len()) as f64, far as f64 / one.len() as f64)
}

#[track_caller]
fn compare(window: &mut Harness<App>, name: &str) {
    let (width, height, pixels) = shrunk(&window.render().unwrap());
    if std::env::var_os("GRANULE_UPDATE_PICTURES").is_some() {
        write(&file(name), width, height, &pixels);
        return;
    }
    let (known_width, known_height, known) = read(name);
    assert_eq!((width, height), (known_width, known_height), "{name}");
    let (mean, share) = difference(&pixels, &known);
    if mean > MEAN || share > SHARE {
        let seen = std::env::temp_dir().join(format!("granule-{name}.png"));
        write(&seen, width, height, &pixels);
        panic!(
            "{name}: colours differ by {mean:.2} of 255, {:.2} % of pixels by more than {FAR}; now it looks as in {}",
            100.0 * share,
            seen.display()
        );
    }
}

#[test]
fn the_window_looks_as_it_did() {
    let Some(mut window) = window() else { return };
    let ctx = window.ctx.clone();
    compare(&mut window, "start");
    window.state_mut().act(Action::Palette, &ctx);
    window.run_steps(4);
    compare(&mut window, "palette");
    window.key_press(egui::Key::Escape);
    window.run_steps(2);
    window.get_by_label("Look").click();
    window.run_steps(4);
    compare(&mut window, "look");
    for action in [Action::Panels, Action::ViewTop] {
        window.state_mut().act(action, &ctx);
    }
    window.run_steps(4);
    compare(&mut window, "top");
}
