//! Results on stdout: text, tables and JSON. Nothing else in the program writes there.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints text and a line break.
pub fn text(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value);
    text(&json.map_err(|error| Failure::Run(format!("cannot write JSON: {error}")))?)
}

/// Prints a single value as an object, several as an array.
pub fn json_one_or_many(values: &[impl Serialize]) -> Result<(), Failure> {
    match values {
        [value] => json(value),
        values => json(&values),
    }
}

/// Lines of columns: words to the left, numbers to the right.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |k: usize| {
        let cells = rows.iter().map(|row| row[k].chars().count());
        cells.chain([header[k].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let numeric: Vec<bool> = (0..header.len()).map(|k| rows.iter().all(|row| is_number(&row[k]))).collect();
    let line = |cells: Vec<&str>| {
        let aligned = cells.iter().enumerate().map(|(k, cell)| match numeric[k] {
            true => format!("{cell:>width$}", width = widths[k]),
            false => format!("{cell:<width$}", width = widths[k]),
        });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    std::iter::once(line(header.to_vec())).chain(body).collect::<Vec<_>>().join("\n")
}

fn is_number(cell: &str) -> bool {
    cell == "-" || cell.parse::<f64>().is_ok()
}

/// A number with four significant digits.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e7).contains(&magnitude) {
        format!("{value:.3e}")
    } else {
        let decimals = (3 - magnitude.log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    }
}

/// A number, or a dash where there is none.
pub fn number_or_dash(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or("-".into(), number)
}

/// A range in words.
pub fn range(range: [f64; 2]) -> String {
    match range {
        [low, high] if low.is_infinite() && high.is_infinite() => "any".into(),
        [low, high] if low.is_infinite() => format!("<= {}", number(high)),
        [low, high] if high.is_infinite() => format!(">= {}", number(low)),
        [low, high] => format!("{} .. {}", number(low), number(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.012344, "0.01234"),
            (1234.56, "1235"),
            (-9.81, "-9.81"),
            (1e-9, "1.000e-9"),
            (4e9, "4.000e9"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number_or_dash(Some(f64::NAN)), "-");
        assert_eq!(number_or_dash(None), "-");
    }

    #[test]
    fn tables_align_words_left_and_numbers_right() {
        let rows = vec![vec!["a".into(), "1".into()], vec!["long".into(), "23".into()]];
        assert_eq!(table(&["name", "n"], &rows), "name   n\na      1\nlong  23");
    }

    #[test]
    fn open_ranges_are_said_in_words() {
        assert_eq!(range([0.0, 2.5]), "0 .. 2.5");
        assert_eq!(range([f64::NEG_INFINITY, 2.5]), "<= 2.5");
        assert_eq!(range([2.5, f64::INFINITY]), ">= 2.5");
    }
}
