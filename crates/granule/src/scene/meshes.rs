//! The files of meshes and grains that a scene names: found from wherever the scene is used later.

use std::path::Path;

use toml::{Table, Value};

use super::schema::Scene;
use crate::boundary::{MeshShape, Shape};

/// Makes the relative paths of a scene's meshes and lists of spheres, anywhere in its table, ones from `folder`.
pub(super) fn locate(table: &mut Table, folder: &Path) {
    for (key, value) in table.iter_mut() {
        let last = key.rsplit('.').next().unwrap_or(key);
        match value {
            Value::String(file) if last == "mesh" => *file = MeshShape::locate(file, folder),
            Value::Table(inner) if last == "mesh" || (last == "grain" && inner.contains_key("file")) => {
                if let Some(Value::String(file)) = inner.get_mut("file") {
                    *file = MeshShape::locate(file, folder);
                }
            }
            Value::Table(inner) => locate(inner, folder),
            Value::Array(list) => {
                list.iter_mut().filter_map(Value::as_table_mut).for_each(|inner| locate(inner, folder));
            }
            _ => {}
        }
    }
}

/// Puts bodies' meshes into their shapes and makes all paths absolute.
pub(super) fn fold(scene: &mut Scene) {
    scene.body.iter_mut().for_each(|body| body.fold_mesh());
    if let Ok(folder) = std::env::current_dir() {
        scene.shapes_mut().for_each(|shape| locate_in(shape, &folder));
        let files = scene.grain_shapes_mut().filter_map(|shape| shape.file_mut());
        files.for_each(|file| *file = MeshShape::locate(file, &folder));
    }
}

fn locate_in(shape: &mut Shape, folder: &Path) {
    match shape {
        Shape::Mesh(mesh) => mesh.file = MeshShape::locate(&mesh.file, folder),
        Shape::Union(parts) | Shape::Intersection(parts) | Shape::Subtraction(parts) => {
            parts.iter_mut().for_each(|part| locate_in(part, folder));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_scene_lead_from_its_folder() {
        let text = "[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n\
                    [[boundary]]\n[[boundary.shape.union]]\nmesh = { file = \"sub/b.stl\" }\n\
                    [[boundary.shape.union]]\nmesh = { file = \"builtin:box\" }\n\
                    [[grains]]\ngrain = { file = \"peanut.txt\" }\n\
                    [[emitter]]\ngrain.mesh = { file = \"rock.obj\" }\n\
                    [quick]\n\"body.mesh\" = \"/c.ply\"\n";
        let mut table: Table = text.parse().unwrap();
        locate(&mut table, Path::new("/scenes"));
        let text = table.to_string();
        for path in [
            "/scenes/a.obj",
            "/scenes/sub/b.stl",
            "/scenes/peanut.txt",
            "/scenes/rock.obj",
            "\"builtin:box\"",
            "\"/c.ply\"",
        ] {
            assert!(text.contains(path), "{path} in {text}");
        }
    }
}
