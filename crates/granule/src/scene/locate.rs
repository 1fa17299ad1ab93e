//! Lines of keys in TOML text.

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// The line (from 1) at which a byte stands.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
}

/// The column in characters (from 1) at which a byte stands, and the text of its line.
pub(super) fn column_of(text: &str, offset: usize) -> (usize, &str) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or("");
    (1 + text[start..end].chars().count(), line)
}

/// The line (from 1) of the key at a path, or of the deepest part of the path that the text has.
pub(super) fn line_of_path(text: &str, path: &[String]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut offset = None;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for segment in path {
        let table = match value {
            None => Some(root.get_ref()),
            Some(inner) => inner.get_ref().as_table(),
        };
        if let Some(table) = table {
            let Some((key, inner)) = table.iter().find(|(key, _)| key.get_ref() == segment) else { break };
            offset = Some(key.span().start);
            value = Some(inner);
        } else {
            let element = value.and_then(|inner| inner.get_ref().as_array());
            let Some(inner) = element.and_then(|array| array.get(segment.parse::<usize>().ok()?)) else {
                break;
            };
            offset = Some(inner.span().start);
            value = Some(inner);
        }
    }
    offset.map(|offset| line_of(text, offset))
}

/// The path with the indices of entries that it has by their names.
pub(super) fn by_index(table: &Table, path: &[String]) -> Vec<String> {
    let mut indexed = path.to_vec();
    let mut value = path.first().and_then(|segment| table.get(segment));
    for segment in indexed.iter_mut().skip(1) {
        value = match value {
            Some(Value::Table(inner)) => inner.get(segment),
            Some(Value::Array(entries)) => {
                let named = |entry: &Value| entry.get("name").and_then(Value::as_str) == Some(segment);
                if let Some(index) = entries.iter().position(named) {
                    *segment = index.to_string();
                }
                segment.parse::<usize>().ok().and_then(|index| entries.get(index))
            }
            _ => return indexed,
        };
    }
    indexed
}
