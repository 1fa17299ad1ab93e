//! The documentation: the scene reference is that of the types, and every scene in the tutorial can be loaded.

use std::path::{Path, PathBuf};

use granule::measure::{EXPERIMENTS, about};
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

/// A new experiment, or new words for one, must come into docs/validation.md.
#[test]
fn the_catalogue_of_measurements_knows_every_experiment() {
    let catalogue: serde_json::Value = serde_json::from_str(&page("validation/report.json")).unwrap();
    let told: Vec<[&str; 3]> = catalogue["about"]
        .as_array()
        .unwrap()
        .iter()
        .map(|about| ["experiment", "set_up", "source"].map(|key| about[key].as_str().unwrap()))
        .collect();
    let known: Vec<[&str; 3]> = EXPERIMENTS
        .iter()
        .filter_map(|experiment| about(experiment.name))
        .map(|about| [about.experiment, about.set_up, about.source])
        .collect();
    assert!(known.len() >= 25, "{}", known.len());
    assert!(
        told == known,
        "measure what is new (`granule measure NAME --report DIR`), then `cargo xtask validation DIR`"
    );
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
