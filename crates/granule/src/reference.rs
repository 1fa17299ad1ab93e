//! The JSON schema of scenes, and the reference for people that is made from it (docs/scenes.md).

use std::fmt::Write;

use schemars::schema_for;
use serde_json::{Number, Value};

use crate::io::FrameField;
use crate::scene::Scene;
use crate::solver::SOLVERS;

const INTRODUCTION: &str = "\
# Scene reference

<!-- Made from the types of a scene by `cargo xtask docs`; change their doc comments, not this page. -->

A scene is a TOML file in SI units, with degrees for angles and words for choices. An unknown key is an error, and
`granule check FILE` finds it without running. `granule schema` prints the same content as a JSON schema for editors.

Keys are addressed by paths on the command line and in `[quick]`: `--set material.sand.friction_angle=35`. An entry of
a list is meant by its name or its index; without either, all entries are.

";

/// The JSON schema of scene files.
pub fn json_schema() -> Value {
    let mut schema = schema_for!(Scene).to_value();
    shorten_numbers(&mut schema);
    strip_escapes(&mut schema);
    schema
}

/// The scene reference as Markdown: every section and key with type, default, unit and meaning.
pub fn reference_markdown() -> String {
    let schema = json_schema();
    let mut page = Page { schema: &schema, text: INTRODUCTION.into(), types: Vec::new() };
    page.overview();
    for (name, section) in entries(&schema["properties"]) {
        page.section(name, section);
    }
    // Types name further types, so the list grows while it is written.
    let mut written = 0;
    while let Some(name) = page.types.get(written).cloned() {
        page.shared_type(&name);
        written += 1;
    }
    page.fields();
    page.text.trim_end().to_string() + "\n"
}

/// Replaces f32 values that were widened to f64 (0.009999999776482582) by what was meant (0.01).
fn shorten_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(wide) = number.as_f64().filter(|_| number.is_f64())
                && f64::from(wide as f32) == wide
                && let Ok(short) = (wide as f32).to_string().parse::<f64>()
                && let Some(short) = Number::from_f64(short)
            {
                *number = short;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_numbers),
        Value::Object(entries) => entries.values_mut().for_each(shorten_numbers),
        _ => {}
    }
}

/// Takes the backslashes of doc comments off brackets: rustdoc needs them around units, people do not.
fn strip_escapes(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace("\\[", "[").replace("\\]", "]"),
        Value::Array(values) => values.iter_mut().for_each(strip_escapes),
        Value::Object(entries) => entries.values_mut().for_each(strip_escapes),
        _ => {}
    }
}

/// The page in the making.
struct Page<'a> {
    schema: &'a Value,
    text: String,
    /// Types that have a chapter of their own, in the order of their first mention.
    types: Vec<String>,
}

impl<'a> Page<'a> {
    /// The keys at the top of a file and the list of sections.
    fn overview(&mut self) {
        let properties = entries(&self.schema["properties"]);
        let (sections, keys): (Vec<_>, Vec<_>) =
            properties.into_iter().partition(|(_, s)| self.is_section(s));
        self.text += "## Top of the file\n\n";
        self.table(&keys, &self.schema["required"]);
        self.text += "## Sections\n\n| section | holds |\n| --- | --- |\n";
        for (name, section) in sections {
            let (title, about) = (self.title(name, section), description(section));
            let _ = writeln!(self.text, "| [`{title}`](#{name}) | {about} |");
        }
        self.text.push('\n');
    }

    fn section(&mut self, name: &str, section: &'a Value) {
        if !self.is_section(section) {
            return;
        }
        let title = self.title(name, section);
        let _ = write!(self.text, "## `{title}`\n\n{}\n\n", description(section));
        let definition = self.resolve(item(section).unwrap_or(section));
        self.table(&entries(&definition["properties"]), &definition["required"]);
    }

    /// `[name]`, or `[[name]]` for a section that may stand several times.
    fn title(&self, name: &str, section: &Value) -> String {
        if item(section).is_some() { format!("[[{name}]]") } else { format!("[{name}]") }
    }

    fn is_section(&self, schema: &'a Value) -> bool {
        let inner = self.resolve(item(schema).unwrap_or(schema));
        inner["type"] == "object"
    }

    fn shared_type(&mut self, name: &str) {
        let definition = &self.schema["$defs"][name];
        let _ = write!(self.text, "## {name}\n\n{}\n\n", description(definition));
        match (definition["oneOf"].as_array(), definition["anyOf"].as_array()) {
            (Some(variants), _) => {
                self.text += "Exactly one of:\n\n";
                variants.iter().for_each(|variant| self.variant(variant));
            }
            (None, Some(forms)) => {
                self.text += "Written as one of:\n\n";
                forms.iter().for_each(|form| self.form(form));
                self.text.push('\n');
            }
            (None, None) => self.table(&entries(&definition["properties"]), &definition["required"]),
        }
    }

    /// One way to write a value of a type.
    fn form(&mut self, form: &'a Value) {
        let kind = self.kind(form);
        let about = match description(form) {
            about if about.is_empty() => description(self.resolve(form)),
            about => about,
        };
        let _ = writeln!(self.text, "- {kind}: {about}");
    }

    /// One choice of a type: a word, or a key with its value.
    fn variant(&mut self, variant: &'a Value) {
        let about = description(variant);
        if let Some(word) = variant["const"].as_str() {
            let _ = write!(self.text, "### `\"{word}\"`\n\n{about}\n\n");
        }
        for (name, content) in entries(&variant["properties"]) {
            let _ = write!(self.text, "### `{name}`\n\n{about}");
            if content["properties"].is_object() {
                self.text += "\n\n";
                self.table(&entries(&content["properties"]), &content["required"]);
            } else {
                let kind = self.kind(content);
                let _ = write!(self.text, " Its value is a {kind}.\n\n");
            }
        }
    }

    /// What `output.fields` may name.
    fn fields(&mut self) {
        self.text += "## Fields\n\nThe names that `output.fields` may hold; `id` and `position` are always written.\n\n\
                      | field | unit | kind | solvers |\n| --- | --- | --- | --- |\n";
        let mut named = Vec::new();
        for field in SOLVERS.iter().flat_map(|solver| solver.fields) {
            if named.contains(&field.name) {
                continue;
            }
            named.push(field.name);
            let has = SOLVERS.iter().filter(|solver| solver.fields.contains(field)).map(|solver| solver.name);
            let solvers = has.collect::<Vec<_>>().join(", ");
            let FrameField { name, unit, kind } = field.into();
            let _ = writeln!(self.text, "| `{name}` | {unit} | {kind} | {solvers} |");
        }
    }

    /// A table of keys, then the words of those that are choices.
    fn table(&mut self, keys: &[(&'a str, &'a Value)], required: &Value) {
        if keys.is_empty() {
            self.text += "Any keys.\n\n";
            return;
        }
        self.text += "| key | type | default | unit | meaning |\n| --- | --- | --- | --- | --- |\n";
        let is_required = |name: &str| required.as_array().is_some_and(|list| list.iter().any(|r| r == name));
        for (name, schema) in keys {
            let default = match &schema["default"] {
                _ if is_required(name) => "required".into(),
                Value::Null => String::new(),
                Value::Object(_) => String::new(),
                value => format!("`{}`", toml_value(value)),
            };
            let (unit, meaning) = split_unit(&description(schema));
            let kind = self.kind(schema);
            let _ = writeln!(self.text, "| `{name}` | {kind} | {default} | {unit} | {meaning} |");
        }
        self.text.push('\n');
        for (name, schema) in keys {
            self.words(name, schema);
        }
    }

    /// The allowed words of a key that is a choice.
    fn words(&mut self, key: &str, schema: &'a Value) {
        let (each, schema) = match item(schema) {
            Some(item) => ("Each of ", item),
            None => ("", schema),
        };
        let Some(choices) = words(self.resolve(schema)) else { return };
        let _ = writeln!(self.text, "{each}`{key}` is one of\n");
        for choice in choices {
            let word = choice["const"].as_str().unwrap_or_default();
            let _ = writeln!(self.text, "- `\"{word}\"`: {}", description(choice));
        }
        self.text.push('\n');
    }

    /// The type of a value in words; a type with a chapter is linked.
    fn kind(&mut self, schema: &'a Value) -> String {
        let present = present(schema);
        if let Some(name) = reference(present) {
            if words(self.resolve(present)).is_some() {
                return "word".into();
            }
            if !self.types.iter().any(|known| known == name) {
                self.types.push(name.into());
            }
            return format!("[{name}](#{})", name.to_lowercase());
        }
        match simple_type(present) {
            "string" => "text".into(),
            "integer" => "whole number".into(),
            "boolean" => "true or false".into(),
            "array" => {
                let inner = self.kind(&present["items"]);
                let plural = match inner.strip_prefix("list") {
                    Some(rest) => format!("lists{rest}"),
                    None if inner.starts_with('[') => inner,
                    None => inner + "s",
                };
                let fixed =
                    present["minItems"].as_u64().filter(|_| present["minItems"] == present["maxItems"]);
                fixed.map_or(format!("list of {plural}"), |count| format!("list of {count} {plural}"))
            }
            "object" => "table".into(),
            other => other.into(),
        }
    }

    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let schema = present(schema);
        reference(schema).map_or(schema, |name| &self.schema["$defs"][name])
    }
}

fn entries(properties: &Value) -> Vec<(&str, &Value)> {
    let entries = properties.as_object().into_iter().flatten();
    entries.map(|(name, schema)| (name.as_str(), schema)).collect()
}

/// A schema without its way of saying that the key may be absent.
fn present(schema: &Value) -> &Value {
    let choices = schema["anyOf"].as_array();
    choices.and_then(|list| list.iter().find(|choice| choice["type"] != "null")).unwrap_or(schema)
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// What a list of variable length holds.
fn item(schema: &Value) -> Option<&Value> {
    let schema = present(schema);
    (schema["items"].is_object() && schema["minItems"].is_null()).then_some(&schema["items"])
}

fn simple_type(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        kind => kind.as_str(),
    }
    .unwrap_or("value")
}

/// The choices of a type that has words only.
fn words(definition: &Value) -> Option<&Vec<Value>> {
    definition["oneOf"].as_array().filter(|list| list.iter().all(|choice| choice["const"].is_string()))
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// Takes the unit, the first word in brackets, out of a text.
fn split_unit(text: &str) -> (String, String) {
    let unit = text.split(" [").skip(1).find_map(|rest| {
        let (unit, _) = rest.split_once(']')?;
        let like_a_unit = |c: char| c.is_ascii_alphanumeric() || "/ ^".contains(c);
        (!unit.is_empty() && unit.len() <= 10 && unit.chars().all(like_a_unit)).then_some(unit)
    });
    match unit {
        Some(unit) => (unit.into(), text.replacen(&format!(" [{unit}]"), "", 1)),
        None => (String::new(), text.into()),
    }
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("[{}]", values.iter().map(toml_value).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), |f| f.to_string())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_gives_the_defaults_as_they_were_meant() {
        let schema = json_schema();
        assert_eq!(schema["$defs"]["MaterialSettings"]["properties"]["radius"]["default"], 0.01);
        assert_eq!(schema["$defs"]["SimulationSettings"]["properties"]["cfl"]["default"], 0.4);
        assert_eq!(schema["properties"]["simulation"]["default"]["gravity"][1], -9.81);
    }

    #[test]
    fn every_key_and_word_of_the_schema_is_in_the_reference() {
        fn visit(value: &Value, page: &str) {
            if let Some(word) = value["const"].as_str() {
                assert!(page.contains(&format!("`\"{word}\"`")), "the word {word}");
            }
            for (name, _) in entries(&value["properties"]) {
                let forms = [format!("`{name}`"), format!("`[{name}]`"), format!("`[[{name}]]`")];
                assert!(forms.iter().any(|form| page.contains(form)), "the key {name}");
            }
            match value {
                Value::Array(values) => values.iter().for_each(|value| visit(value, page)),
                Value::Object(entries) => entries.values().for_each(|value| visit(value, page)),
                _ => {}
            }
        }
        visit(&json_schema(), &reference_markdown());
    }

    #[test]
    fn units_are_taken_from_the_text() {
        assert_eq!(split_unit("Gravity [m/s2]."), ("m/s2".into(), "Gravity.".into()));
        assert_eq!(split_unit("Air [Pa s], thin."), ("Pa s".into(), "Air, thin.".into()));
        assert_eq!(split_unit("Each as [from, to]."), (String::new(), "Each as [from, to].".into()));
    }
}
