//! The documentation: the scene reference is that of the types, and every scene in the tutorial can be loaded.

use std::path::{Path, PathBuf};

use granule::reference::reference_markdown;
use granule::{Options, Scene, Simulation};

fn page(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn docs_scenes_is_current() {
    let same = page("scenes.md") == reference_markdown();
    assert!(same, "docs/scenes.md is not that of the types; run `cargo xtask docs`");
}

#[test]
fn every_link_in_the_scene_reference_leads_to_a_heading() {
    let text = reference_markdown();
    let anchors: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().replace(['`', '[', ']', '"'], "").to_lowercase())
        .collect();
    for link in text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(anchors.iter().any(|anchor| anchor == link), "{link}: {anchors:?}");
    }
}

/// The TOML blocks of a page.
fn toml_blocks(page: &str) -> Vec<&str> {
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn every_scene_of_the_tutorial_can_be_loaded() {
    let page = page("tutorial.md");
    let blocks = toml_blocks(&page);
    assert!(blocks.len() >= 7, "{}", blocks.len());
    assert!(blocks[0].starts_with("name = "), "the first block is a whole scene");
    let mut scene = String::new();
    for (number, block) in blocks.iter().enumerate() {
        // A block with a name begins a new scene, any other continues the one so far.
        if block.starts_with("name = ") {
            scene.clear();
        }
        scene += block;
        scene += "\n";
        let loaded = Scene::parse(&scene, &format!("tutorial, block {}", number + 1));
        let loaded = loaded.unwrap_or_else(|error| panic!("{error}\n{scene}"));
        Simulation::new(loaded, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{scene}"));
    }
}
