//! Where panels are, remembered from one time to the next.

use std::path::PathBuf;

use egui_tiles::{Container, Tile, Tiles, Tree};

use crate::app::Pane;

/// All panes, in the order of their tabs.
pub const PANES: [Pane; 10] = [
    Pane::View,
    Pane::Scenes,
    Pane::Parameters,
    Pane::Look,
    Pane::Solver,
    Pane::Bodies,
    Pane::Grain,
    Pane::Statistics,
    Pane::Plots,
    Pane::Log,
];

/// The panels where they are at first: the view, tabs to its right.
pub fn first() -> Tree<Pane> {
    let mut tiles = Tiles::default();
    let [view, scenes, parameters, look, solver, bodies, grain, statistics, plots, log] =
        PANES.map(|pane| tiles.insert_pane(pane));
    let upper = tiles.insert_tab_tile(vec![parameters, look, scenes, solver, bodies]);
    let lower = tiles.insert_tab_tile(vec![statistics, plots, grain, log]);
    let side = tiles.insert_vertical_tile(vec![upper, lower]);
    let view = tiles.insert_tab_tile(vec![view]);
    let root = tiles.insert_horizontal_tile(vec![view, side]);
    if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(root) {
        linear.shares.set_share(view, 3.0);
        linear.shares.set_share(side, 1.1);
    }
    Tree::new(egui::Id::unique("panels"), root, tiles)
}

/// The panels where they were when the window was last closed; as at first where that is not known.
pub fn remembered() -> Tree<Pane> {
    let text = file().and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| parse(&text)).unwrap_or_else(first)
}

/// Remembers where panels are. A folder that cannot be written is no reason to trouble anybody.
pub fn remember(tree: &Tree<Pane>) {
    let (Some(file), Ok(text)) = (file(), serde_json::to_string(tree)) else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = granule::io::write_atomic(&file, |writer| std::io::Write::write_all(writer, text.as_bytes()));
}

/// A tree that has every pane once.
fn parse(text: &str) -> Option<Tree<Pane>> {
    let tree: Tree<Pane> = serde_json::from_str(text).ok()?;
    let count = |wanted: Pane| {
        let is = |tile: &&Tile<Pane>| matches!(tile, Tile::Pane(pane) if *pane == wanted);
        tree.tiles.tiles().filter(is).count()
    };
    let sound = tree.root().is_some() && PANES.iter().all(|pane| count(*pane) == 1);
    sound.then_some(tree)
}

/// The file that remembers where panels are.
fn file() -> Option<PathBuf> {
    settings_file("window.json")
}

/// A file in the user's folder for settings.
pub fn settings_file(name: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder =
        set("XDG_CONFIG_HOME").or_else(|| set("APPDATA")).or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(folder.join("granule").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_survives_a_file_and_a_broken_one_is_left() {
        let tree = serde_json::to_value(first()).unwrap();
        let text = tree.to_string();
        let again = parse(&text).expect("the same layout");
        assert_eq!(serde_json::to_value(again).unwrap(), tree);
        assert!(parse("{}").is_none() && parse("").is_none());
        assert!(parse(&text.replace("\"Plots\"", "\"Log\"")).is_none(), "one is missing");
    }
}
