//! Pages: HTML files that need nothing else, in light and dark, on paper, and without scripts.

use crate::markup::escape;
use crate::output;

const STYLE: &str = include_str!("style.css");

/// A whole page around its content.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title)
    )
}

/// Text with `words` between backticks as code.
pub fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(k, part)| match k % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    });
    parts.collect()
}

/// A number with four significant digits, without zeros that say nothing.
pub fn number(value: f64) -> String {
    let text = output::number(value);
    match text.split_once('e') {
        Some((digits, power)) if digits.contains('.') => {
            format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.')).replace('-', "−")
        }
        _ => text.replace('-', "−"),
    }
}

/// A number, or a dash where there is none.
pub fn number_or_dash(value: Option<f64>) -> String {
    value.map_or("–".into(), number)
}

/// A range in words.
pub fn range(range: [f64; 2]) -> String {
    match range {
        [low, high] if low.is_infinite() && high.is_infinite() => "any".into(),
        [low, high] if low.is_infinite() => format!("≤ {}", number(high)),
        [low, high] if high.is_infinite() => format!("≥ {}", number(low)),
        [low, high] => format!("{} … {}", number(low), number(high)),
    }
}

/// A time in the unit that fits.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_backticks_are_code_and_nothing_is_markup() {
        assert_eq!(prose("`a<b` & c"), "<code>a&lt;b</code> &amp; c");
    }

    #[test]
    fn numbers_are_short() {
        let words = [-4e-4, 1.25e-5, -2.5, 0.0].map(number);
        assert_eq!(words, ["−4e−4", "1.25e−5", "−2.5", "0"]);
    }

    #[test]
    fn open_ranges_are_said_in_words() {
        assert_eq!(range([-1e-5, 2.5]), "−1e−5 … 2.5");
        assert_eq!(range([f64::NEG_INFINITY, 2.5]), "≤ 2.5");
        assert_eq!(range([2.5, f64::INFINITY]), "≥ 2.5");
    }

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        let times = [0.25, 3.0, 75.0, 600.0, 9000.0].map(duration);
        assert_eq!(times, ["0.25 s", "3.0 s", "75 s", "10 min", "2.5 h"]);
    }

    /// A page that asks the network for something is not whole.
    #[test]
    fn pages_load_nothing() {
        let page = document("a <title>", "<p>text</p>");
        assert!(page.contains("a &lt;title&gt;") && page.contains("prefers-color-scheme: dark"));
        for word in ["http://", "https://", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
