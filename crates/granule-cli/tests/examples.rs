//! The example that draws a picture, drawn in software.

#[path = "../examples/picture.rs"]
#[allow(dead_code)]
mod picture;

use granule_render::RendererChoice;

#[test]
fn the_example_draws_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    picture::draw(&path, &RendererChoice::Software).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{} bytes", bytes.len());
}
