//! The commands of docs/tutorial.md, each with the scene as it is at that point of the page.

use std::fs;

use crate::place::Place;

const PAGE: &str = include_str!("../../../../docs/tutorial.md");

#[test]
fn the_commands_of_the_tutorial_succeed() {
    let place = Place::new();
    let (mut scene, mut commands) = (String::new(), 0);
    // Text and fenced blocks take turns.
    for block in PAGE.split("```").skip(1).step_by(2) {
        if let Some(toml) = block.strip_prefix("toml\n") {
            scene += toml;
            scene += "\n";
            fs::write(place.path("heap.toml"), &scene).unwrap();
        }
        for command in block.strip_prefix("sh\n").unwrap_or_default().lines() {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(words[0], "granule");
            place.granule(&words[1..]).expect(0, &[]);
            commands += 1;
        }
    }
    assert!(commands >= 8, "{commands}");
    assert_eq!(place.names("out/exported/vtk").len(), 32);
    assert!(place.path("out/exported/tracks.csv").exists());
}
