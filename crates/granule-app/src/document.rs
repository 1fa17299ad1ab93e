//! Saving a scene with the changes that were made in the window; comments stay where they are.

use std::path::{Path, PathBuf};

use granule::boundary::MeshShape;
use granule::io::{Checkpoint, RunFolder};
use granule::live::{FileKind, Recording, Source};
use granule::scene::find;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

/// In the place of a list's entry: adds one.
const ADDED: &str = "+";

/// The file that a scene is saved in when none is named: its own, or one of its name in the working folder for a built-in
/// scene. None where it has none: a checkpoint or a run that is over.
pub fn own_file(source: &Source) -> Option<PathBuf> {
    let Source::File { path, .. } = source else { return None };
    match (find(path), FileKind::of(path)) {
        (Some(_), _) => Some(PathBuf::from(format!("{path}.toml"))),
        (None, FileKind::Scene | FileKind::Recording) => Some(PathBuf::from(path)),
        (None, FileKind::Checkpoint | FileKind::Run) => None,
    }
}

/// Writes a scene with its changes into a file. Another file than its own is never overwritten.
///
/// # Errors
/// Says why there is nothing to write, or why it could not be written.
pub fn save(source: &Source, file: &Path) -> Result<(), String> {
    let Source::File { path, sets, .. } = source else { return Err("this scene has no file".into()) };
    let own = find(path).is_none() && Path::new(path) == file;
    if !own && file.exists() {
        return Err(format!("{}: a file of this name exists; it is not overwritten", file.display()));
    }
    let (text, folder) = text_of(path)?;
    let mut document = changed(&text, sets)?;
    let absolute = |file: &Path| std::path::absolute(file).ok()?.parent().map(Path::to_path_buf);
    if let Some(folder) =
        folder.as_deref().and_then(absolute).filter(|folder| absolute(file).as_ref() != Some(folder))
    {
        locate(document.as_table_mut(), &folder);
    }
    let written = granule::io::write_bytes_atomic(file, document.to_string().as_bytes());
    written.map_err(|error| format!("{}: {error}", file.display()))
}

/// The text of a scene, and the file beside which its meshes lie.
fn text_of(path: &str) -> Result<(String, Option<PathBuf>), String> {
    if let Some(scene) = find(path) {
        return Ok((scene.text.into(), None));
    }
    let wrong = |error: &dyn std::fmt::Display| format!("{path}: {error}");
    let read = |file: &Path| std::fs::read_to_string(file).map_err(|error| wrong(&error));
    match FileKind::of(path) {
        FileKind::Scene => Ok((read(Path::new(path))?, Some(path.into()))),
        FileKind::Run => Ok((read(&RunFolder::open(path).scene())?, Some(RunFolder::open(path).scene()))),
        FileKind::Recording => {
            let recording = Recording::read(path).map_err(|error| wrong(&error))?;
            Ok((recording.scene_text().into(), None))
        }
        FileKind::Checkpoint => Ok((Checkpoint::read(path).map_err(|error| wrong(&error))?.scene, None)),
    }
}

/// Makes the relative paths of meshes ones from a folder, so that they are found from another one.
fn locate(table: &mut dyn TableLike, folder: &Path) {
    for (key, item) in table.iter_mut() {
        let is_mesh = key.get().rsplit('.').next() == Some("mesh");
        let mesh = if is_mesh && item.is_table_like() { item.get_mut("file") } else { None };
        match mesh {
            Some(file) => locate_file(file, folder),
            None if is_mesh => locate_file(item, folder),
            None => locate_inside(item, folder),
        }
    }
}

fn locate_inside(item: &mut Item, folder: &Path) {
    if let Some(tables) = item.as_array_of_tables_mut() {
        tables.iter_mut().for_each(|table| locate(table, folder));
    } else if let Some(array) = item.as_array_mut() {
        array.iter_mut().filter_map(Value::as_inline_table_mut).for_each(|table| locate(table, folder));
    } else if let Some(table) = item.as_table_like_mut() {
        locate(table, folder);
    }
}

fn locate_file(item: &mut Item, folder: &Path) {
    let located = item.as_str().map(|file| MeshShape::locate(file, folder));
    if let (Some(located), Some(value)) = (located, item.as_value_mut()) {
        replace(value, located.into());
    }
}

/// A scene with keys set anew.
fn changed(text: &str, sets: &[(String, String)]) -> Result<DocumentMut, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    for (path, value) in sets {
        match path.strip_suffix(ADDED).and_then(|list| list.strip_suffix('.')) {
            Some(list) => add(&mut document, list, value)?,
            None => set(document.as_item_mut(), path, value)?,
        }
    }
    Ok(document)
}

/// Adds an entry to a list of the scene, as a section of its own where the others are.
fn add(document: &mut DocumentMut, list: &str, value: &str) -> Result<(), String> {
    let wrong = || format!("{list}: the scene has no such list, or {value} is no entry of one");
    let entry: Value = value.parse().map_err(|_| wrong())?;
    let mut table: Table = entry.as_inline_table().cloned().ok_or_else(wrong)?.into_table();
    table.set_position(None);
    table.decor_mut().set_prefix("\n");
    let item = document.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match item {
        Item::ArrayOfTables(tables) => tables.push(table),
        Item::Value(Value::Array(array)) => array.push(entry),
        _ => return Err(wrong()),
    }
    Ok(())
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
        Some(old) => replace(old, value),
        None => _ = table.insert(last, Item::Value(value)),
    }
    Ok(())
}

/// Puts a value in the place of another one, and keeps the comment behind it.
fn replace(old: &mut Value, new: Value) {
    let decor = old.decor().clone();
    *old = new;
    *old.decor_mut() = decor;
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
        super::changed(SCENE, &sets).unwrap().to_string()
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
        let error = super::changed(SCENE, &[("material.gold.radius".into(), "1".into())]).unwrap_err();
        assert!(error.contains("gold"), "{error}");
    }

    #[test]
    fn entries_are_added_as_sections_and_the_scene_reads_them() {
        let wall = r#"{ name = "lid", shape = { box = { min = [0, 1, 0], max = [1, 2, 1] } } }"#;
        let text = changed(&[("boundary.+", wall), ("boundary.+", &wall.replace("lid", "rim"))]);
        assert!(text.starts_with(SCENE) && text.matches("[[boundary]]").count() == 2, "{text}");
        let scene = granule::Scene::parse(&text, "a").unwrap();
        assert_eq!((scene.boundary.len(), scene.boundary[1].name.as_str()), (2, "rim"));
        let sets = [("boundary.+".to_string(), wall.to_string())];
        let set = granule::Scene::resolve(SCENE, "a", false, &sets).unwrap();
        assert_eq!(set.boundary, scene.boundary[..1], "as an override it is the same");
    }

    #[test]
    fn a_copy_in_another_folder_finds_its_meshes_and_nothing_is_overwritten() {
        let place = tempfile::tempdir().unwrap();
        let (old, new) = (place.path().join("old"), place.path().join("new"));
        for folder in [&old, &new] {
            std::fs::create_dir(folder).unwrap();
        }
        let body = "[[body]]\nname = \"rock\"\nmesh = \"rock.ply\" # a rock\n[[boundary]]\nshape.mesh = { file = \"a.stl\" }\n";
        let file = old.join("a.toml");
        std::fs::write(&file, format!("{SCENE}{body}")).unwrap();
        let source = Source::file(file.display().to_string());
        save(&source, &new.join("a.toml")).unwrap();
        let copy = std::fs::read_to_string(new.join("a.toml")).unwrap();
        assert!(copy.contains(&format!("\"{}\" # a rock", old.join("rock.ply").display())), "{copy}");
        assert!(copy.contains(&old.join("a.stl").display().to_string()), "{copy}");
        save(&source, &old.join("b.toml")).unwrap();
        assert_eq!(std::fs::read_to_string(old.join("b.toml")).unwrap(), format!("{SCENE}{body}"));
        assert!(save(&source, &new.join("a.toml")).unwrap_err().contains("not overwritten"));
        save(&source, &file).unwrap();
    }
}
