//! The keys of a scene as the schema describes them: a new solver's keys appear by themselves.

use serde_json::{Map, Value};

/// What a key holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number.
    Number {
        /// Whether it has no fraction.
        whole: bool,
        /// Least and most, where the schema says so.
        limits: [Option<f64>; 2],
    },
    /// One of some words.
    Choice(Vec<String>),
    /// Yes or no.
    Flag,
    /// Several numbers.
    Numbers(usize),
    /// A text.
    Text,
}

/// A key of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path, as commands and `--set` take it.
    pub path: String,
    /// Its name.
    pub name: String,
    /// What it means.
    pub about: String,
    /// Its unit, where the description names one.
    pub unit: String,
    /// What it holds.
    pub kind: Kind,
    /// Its value in the scene; none where the key is absent.
    pub value: Option<Value>,
    /// Its value when nothing is said.
    pub default: Option<Value>,
}

/// A part of a scene with its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The title, e.g. `material sand`.
    pub title: String,
    /// What it is.
    pub about: String,
    /// Its keys.
    pub parameters: Vec<Parameter>,
}

/// Sections that are not parameters of a running simulation.
const LEFT_OUT: [&str; 3] = ["expect", "quick", "output"];

/// The value at a path of a scene, whose lists have entries with names or numbers.
pub fn value_at<'a>(scene: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(scene, |value, key| match value {
        Value::Array(entries) => {
            let named = entries.iter().find(|entry| entry["name"] == key);
            named.or_else(|| entries.get(key.parse::<usize>().ok()?))
        }
        _ => value.get(key),
    })
}

/// A value as a scene file has it: numbers of single precision without the digits that double precision adds.
pub fn written(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) if f64::from(number as f32) == number => format!("{:?}", number as f32),
        _ => value.to_string(),
    }
}

/// A value from how a scene file has it.
pub fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.trim_matches(['"', '\'']).into()))
}

/// All keys of a scene that hold numbers, words or flags, by section.
pub fn groups(schema: &Value, scene: &Value) -> Vec<Group> {
    let mut groups = Vec::new();
    let Some(properties) = schema["properties"].as_object() else { return groups };
    for (section, about) in properties.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())) {
        let text = about["description"].as_str().unwrap_or_default();
        let entries = match &scene[section] {
            Value::Array(entries) => {
                entries.iter().enumerate().map(|(k, entry)| named(section, k, entry)).collect()
            }
            Value::Object(entry) => vec![(section.clone(), section.clone(), entry)],
            _ => continue,
        };
        let item = if about["items"].is_object() { &about["items"] } else { about };
        let Some(keys) = resolve(schema, item)["properties"].as_object() else { continue };
        for (title, path, entry) in entries {
            let parameters: Vec<Parameter> =
                keys.iter().filter_map(|(key, about)| parameter(schema, &path, key, about, entry)).collect();
            if !parameters.is_empty() {
                groups.push(Group { title, about: text.into(), parameters });
            }
        }
    }
    groups
}

/// Title and path of an entry of a list: by its name, or else its number.
fn named<'a>(section: &str, k: usize, entry: &'a Value) -> (String, String, &'a Map<String, Value>) {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let name = entry["name"].as_str().map_or_else(|| k.to_string(), String::from);
    (format!("{section} {name}"), format!("{section}.{name}"), entry.as_object().unwrap_or(&EMPTY))
}

fn resolve<'a>(schema: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    target.map_or(value, |name| &schema["$defs"][name])
}

fn parameter(
    schema: &Value,
    path: &str,
    key: &str,
    about: &Value,
    entry: &Map<String, Value>,
) -> Option<Parameter> {
    if key == "name" {
        return None;
    }
    let text = about["description"].as_str().unwrap_or_default();
    let value = entry.get(key).cloned();
    let kind = kind(resolve(schema, about), value.as_ref())?;
    Some(Parameter {
        path: format!("{path}.{key}"),
        name: key.replace('_', " "),
        about: text.into(),
        unit: unit(text),
        kind,
        value,
        default: about.get("default").cloned(),
    })
}

fn kind(about: &Value, value: Option<&Value>) -> Option<Kind> {
    if let Some(words) = choices(about) {
        return Some(Kind::Choice(words));
    }
    let is = |name: &str| match &about["type"] {
        Value::String(word) => word == name,
        Value::Array(words) => words.iter().any(|word| word == name),
        _ => false,
    };
    let limits = [about["minimum"].as_f64(), about["maximum"].as_f64()];
    match () {
        () if is("integer") => Some(Kind::Number { whole: true, limits }),
        () if is("number") => Some(Kind::Number { whole: false, limits }),
        () if is("boolean") => Some(Kind::Flag),
        () if is("string") => Some(Kind::Text),
        () if is("array") && about["items"]["type"] == "number" => {
            let given = value.and_then(Value::as_array).map(Vec::len);
            about["maxItems"].as_u64().map(|n| n as usize).or(given).map(Kind::Numbers)
        }
        () => None,
    }
}

/// The words of a choice: `enum`, or one `const` each.
fn choices(about: &Value) -> Option<Vec<String>> {
    let word = |value: &Value| value.as_str().map(String::from);
    if let Some(words) = about["enum"].as_array() {
        return words.iter().map(word).collect();
    }
    about["oneOf"].as_array()?.iter().map(|one| word(&one["const"])).collect()
}

/// The unit in the first brackets of a description.
fn unit(text: &str) -> String {
    let found = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(unit, _)| unit);
    found.unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule::scene::Scene;

    fn all(name: &str) -> Vec<Group> {
        let scene = Scene::open(name, false, &[]).unwrap();
        groups(&granule::reference::json_schema(), &serde_json::to_value(&scene).unwrap())
    }

    fn find<'a>(groups: &'a [Group], path: &str) -> &'a Parameter {
        groups.iter().flat_map(|group| &group.parameters).find(|parameter| parameter.path == path).unwrap()
    }

    #[test]
    fn keys_have_paths_units_words_and_values() {
        let groups = all("heap");
        let angle = find(&groups, "material.sand.friction_angle");
        assert_eq!((angle.unit.as_str(), angle.value.clone()), ("degrees", Some(30.0.into())));
        assert!(matches!(angle.kind, Kind::Number { whole: false, .. }));
        assert_eq!(angle.default, Some(30.0.into()));
        assert_eq!(find(&groups, "simulation.gravity").kind, Kind::Numbers(3));
        let solver = &find(&groups, "simulation.solver").kind;
        assert!(matches!(solver, Kind::Choice(words) if words.contains(&"wcsph".to_string())), "{solver:?}");
        assert!(matches!(find(&groups, "emitter.spout.limit").kind, Kind::Number { whole: true, .. }));
    }

    #[test]
    fn values_are_found_by_path_and_written_as_files_have_them() {
        let scene = serde_json::to_value(Scene::open("heap", false, &[]).unwrap()).unwrap();
        let at = |path: &str| value_at(&scene, path).map(written);
        assert_eq!(at("material.sand.friction_angle").as_deref(), Some("30.0"));
        assert_eq!(at("material.0.friction_angle").as_deref(), Some("30.0"));
        assert_eq!(at("simulation.solver").map(|word| read(&word)), Some("iisph".into()));
        assert_eq!((at("material.gold.radius"), at("simulation.nothing")), (None, None));
        assert_eq!(written(&serde_json::json!(0.1_f32)), "0.1");
        assert_eq!((read("45"), read("'ideal'")), (serde_json::json!(45), "ideal".into()));
    }

    /// Every path is one that `--set` takes.
    #[test]
    fn every_key_that_a_scene_has_can_be_set_to_its_own_value() {
        for name in ["heap", "drum", "tank"] {
            for parameter in all(name).iter().flat_map(|group| &group.parameters) {
                let Some(value) = parameter.value.as_ref().filter(|value| !value.is_null()) else { continue };
                let set = (parameter.path.clone(), value.to_string());
                let opened = Scene::open(name, false, std::slice::from_ref(&set));
                assert!(opened.is_ok(), "{name}: {set:?}: {}", opened.err().unwrap());
            }
        }
    }
}
