//! Saving a scene with the changes that were made in the window; comments stay where they are.

use std::path::PathBuf;

use granule::live::Source;
use granule::scene::find;
use toml_edit::{DocumentMut, Item, Value};

/// Writes a scene with its changes and gives the file: its own, or one of its name in the working folder for a built-in scene.
///
/// # Errors
/// Says why there is nothing to write, or why it could not be written.
pub fn save(source: &Source) -> Result<PathBuf, String> {
    let Source::File { path, sets, .. } = source else { return Err("this scene has no file".into()) };
    let (text, file) = match find(path) {
        Some(scene) => (scene.text.to_string(), PathBuf::from(format!("{path}.toml"))),
        None => {
            (std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?, PathBuf::from(path))
        }
    };
    if find(path).is_some() && file.exists() {
        return Err(format!("{}: a file of this name exists; it is not overwritten", file.display()));
    }
    let changed = with_changes(&text, sets)?;
    let written =
        granule::io::write_atomic(&file, |writer| std::io::Write::write_all(writer, changed.as_bytes()));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

/// The text of a scene with keys set anew.
fn with_changes(text: &str, sets: &[(String, String)]) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    for (path, value) in sets {
        set(document.as_item_mut(), path, value)?;
    }
    Ok(document.to_string())
}

fn set(root: &mut Item, path: &str, value: &str) -> Result<(), String> {
    let value: Value = value.parse().map_err(|_| format!("{path} = {value}: this is no value"))?;
    let keys: Vec<&str> = path.split('.').collect();
    let Some((last, parents)) = keys.split_last() else { return Err(format!("{path}: this is no key")) };
    let mut item = root;
    for key in parents {
        item = entry(item, key).ok_or_else(|| format!("{path}: the scene has no {key}"))?;
    }
    let missing = || format!("{path}: the scene has no such place");
    let table = item.as_table_like_mut().ok_or_else(missing)?;
    match table.get_mut(last).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => _ = table.insert(last, Item::Value(value)),
    }
    Ok(())
}

/// A key of a table, made where it is missing, or the entry of a list with a name or a number.
fn entry<'a>(item: &'a mut Item, key: &str) -> Option<&'a mut Item> {
    if let Some(list) = item.as_array_of_tables_mut() {
        let named = |table: &toml_edit::Table| table.get("name").and_then(Item::as_str) == Some(key);
        let place = list.iter().position(named).or_else(|| key.parse().ok())?;
        let _ = list.get_mut(place)?;
        return item.get_mut(place);
    }
    let table = item.as_table_like_mut()?;
    if !table.contains_key(key) {
        table.insert(key, toml_edit::table());
    }
    table.get_mut(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "# A heap.\nname = \"heap\"\n\n[[material]]\nname = \"sand\"\nradius = 0.01  # [m]\n";

    fn changed(sets: &[(&str, &str)]) -> String {
        let sets: Vec<_> = sets.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
        with_changes(SCENE, &sets).unwrap()
    }

    #[test]
    fn comments_survive_and_only_what_was_changed_differs() {
        assert_eq!(changed(&[]), SCENE);
        let text = changed(&[("material.sand.radius", "0.02")]);
        assert_eq!(text, SCENE.replace("0.01", "0.02"));
    }

    #[test]
    fn keys_and_sections_that_were_left_out_are_added() {
        let text = changed(&[("material.sand.friction_angle", "35"), ("simulation.gravity", "[0, -1.6, 0]")]);
        assert!(text.contains("friction_angle = 35") && text.contains("# [m]"), "{text}");
        assert!(text.contains("[simulation]\ngravity = [0, -1.6, 0]"), "{text}");
    }

    #[test]
    fn places_that_do_not_exist_are_named() {
        let error = with_changes(SCENE, &[("material.gold.radius".into(), "1".into())]).unwrap_err();
        assert!(error.contains("gold"), "{error}");
    }
}
