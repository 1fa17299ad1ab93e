//! Values set by path before a scene becomes types: the `[quick]` section and overrides `key=value`.
//!
//! A path is keys joined by dots. A list is addressed by the `name` of an entry or by its index; without either, all
//! its entries are meant; `+` in its place adds an entry. A missing section is created; whether its keys exist is checked when the scene becomes
//! types.

use toml::{Table, Value};

use super::error::{Problem, ProblemKind};

/// Longest path, in keys.
const MAX_DEPTH: usize = 32;

/// Adds an entry to a list.
const ADDED: &str = "+";

/// Sections that are lists: an override creates them only by adding an entry.
const LISTS: [&str; 9] =
    ["material", "grains", "boundary", "body", "joint", "emitter", "outlet", "counter", "expect"];

/// A value that was set, with the full paths it went to.
#[derive(Debug)]
pub(super) struct Applied {
    /// Full paths, with indices for entries of lists.
    pub targets: Vec<Vec<String>>,
    /// Names of the entries of the lists on the way, as they could have been meant.
    pub names: Vec<String>,
}

/// Sets a value at a path.
pub(super) fn set(root: &mut Table, path: &str, value: &Value) -> Result<Applied, Box<Problem>> {
    let address =
        |found: String, allowed: &str| Box::new(Problem::new(ProblemKind::Address, path, found, allowed));
    let segments: Vec<&str> = path.split('.').map(str::trim).collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        return Err(address(
            "not a path".into(),
            "write keys joined by dots, e.g. `material.sand.friction_angle`",
        ));
    }
    if segments.len() > MAX_DEPTH {
        return Err(address("too many keys in one path".into(), "no scene is that deep"));
    }
    if segments.len() == 2 && segments[1] == ADDED && LISTS.contains(&segments[0]) {
        root.entry(segments[0].to_string()).or_insert_with(|| Value::Array(Vec::new()));
    }
    if segments.len() > 1 && LISTS.contains(&segments[0]) && !root.contains_key(segments[0]) {
        let allowed = format!("the scene has no [[{}]]", segments[0]);
        return Err(address("nothing to set".into(), &allowed));
    }
    let mut applied = Applied { targets: Vec::new(), names: Vec::new() };
    set_in_table(root, &segments, value, &mut Vec::new(), &mut applied)
        .map_err(|(found, allowed)| address(found, &allowed))?;
    Ok(applied)
}

type Refusal = (String, String);

fn set_in_table(
    table: &mut Table,
    segments: &[&str],
    value: &Value,
    at: &mut Vec<String>,
    applied: &mut Applied,
) -> Result<(), Refusal> {
    let Some((key, rest)) = segments.split_first() else { return Ok(()) };
    at.push((*key).to_string());
    if rest.is_empty() {
        table.insert((*key).to_string(), value.clone());
        applied.targets.push(at.clone());
    } else {
        let inner = table.entry((*key).to_string()).or_insert_with(|| Value::Table(Table::new()));
        set_in_value(inner, rest, value, at, applied)?;
    }
    at.pop();
    Ok(())
}

fn set_in_value(
    target: &mut Value,
    segments: &[&str],
    value: &Value,
    at: &mut Vec<String>,
    applied: &mut Applied,
) -> Result<(), Refusal> {
    match target {
        Value::Table(table) => set_in_table(table, segments, value, at, applied),
        Value::Array(entries) => set_in_array(entries, segments, value, at, applied),
        other => Err((
            format!("`{}` is {}, it has no keys", at.join("."), describe(other)),
            format!("set `{}` itself", at.join(".")),
        )),
    }
}

fn set_in_array(
    entries: &mut Vec<Value>,
    segments: &[&str],
    value: &Value,
    at: &mut Vec<String>,
    applied: &mut Applied,
) -> Result<(), Refusal> {
    let Some((key, rest)) = segments.split_first() else { return Ok(()) };
    let list = at.join(".");
    if *key == ADDED && rest.is_empty() {
        entries.push(value.clone());
        applied.targets.push(at.iter().cloned().chain([(entries.len() - 1).to_string()]).collect());
        return Ok(());
    }
    let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(String::from);
    applied.names.extend(entries.iter().filter_map(name));

    let (indices, rest): (Vec<usize>, &[&str]) = if let Ok(index) = key.parse::<usize>() {
        if index >= entries.len() {
            let allowed = match entries.len() {
                0 => format!("`{list}` is empty"),
                count => format!("`{list}` has {count}, counted from 0"),
            };
            return Err((format!("no entry {index}"), allowed));
        }
        (vec![index], rest)
    } else {
        let named: Vec<usize> =
            (0..entries.len()).filter(|i| name(&entries[*i]).as_deref() == Some(*key)).collect();
        if named.is_empty() { ((0..entries.len()).collect(), segments) } else { (named, rest) }
    };
    if indices.is_empty() {
        return Err(("nothing to set".into(), format!("`{list}` is empty")));
    }
    for index in indices {
        at.push(index.to_string());
        if rest.is_empty() {
            entries[index] = value.clone();
            applied.targets.push(at.clone());
        } else {
            set_in_value(&mut entries[index], rest, value, at, applied)?;
        }
        at.pop();
    }
    Ok(())
}

/// The overrides of a `[quick]` section as (path, value). Keys may be quoted paths or nested tables.
pub(super) fn quick_entries(quick: &Table) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    for (key, value) in quick {
        flatten(key, value, !key.contains('.'), &mut entries);
    }
    entries
}

fn flatten(path: &str, value: &Value, nested: bool, entries: &mut Vec<(String, Value)>) {
    match value {
        Value::Table(table) if nested => {
            for (key, inner) in table {
                flatten(&format!("{path}.{key}"), inner, true, entries);
            }
        }
        _ => entries.push((path.to_string(), value.clone())),
    }
}

/// The value of an override `key=value`: a TOML value, or else a bare word.
pub(super) fn parse_value(text: &str) -> Value {
    let text = text.trim();
    // A line break would let one value smuggle in further keys.
    if !text.contains(['\n', '\r'])
        && let Ok(mut table) = format!("value = {text}").parse::<Table>()
        && let Some(value) = table.remove("value")
    {
        return value;
    }
    Value::String(text.to_string())
}

/// A value in words.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text \"{text}\""),
        Value::Integer(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(date) => format!("the date {date}"),
        Value::Array(_) => "a list".into(),
        Value::Table(_) => "a table".into(),
    }
}
