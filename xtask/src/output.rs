//! Results of chores: tables on stdout, JSON in files.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// Prints lines to stdout.
pub fn print(text: &str) -> Result<(), String> {
    writeln!(io::stdout(), "{text}").map_err(|error| format!("cannot write to stdout: {error}"))
}

/// Writes a value as JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), String> {
    let json = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    std::fs::write(path, json + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Lines of columns: the first `words` of them to the left, the others to the right.
pub fn table(header: &[&str], words: usize, rows: &[Vec<String>]) -> String {
    let header = header.iter().map(|cell| cell.to_string()).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&header).chain(rows).collect();
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let aligned = |line: &&Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.map(|(k, (cell, &width))| match k < words {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    lines.iter().map(aligned).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned() {
        let rows = [vec!["a".into(), "1.5".into()], vec!["long".into(), "10.25".into()]];
        assert_eq!(table(&["name", "ms"], 1, &rows), "name     ms\na       1.5\nlong  10.25");
    }
}
