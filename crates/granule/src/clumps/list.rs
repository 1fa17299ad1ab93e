//! Lists of spheres in files.
//!
//! One sphere per line: x, y and z of its centre, then its radius, with spaces or commas between them, in any unit of
//! length, since scenes say how large grains are. What follows a `#` and empty lines are skipped. Programs of others write
//! clumps in the same form.
//!
//! ```text
//! # a peanut
//! -0.5 0 0  1
//!  0.7 0 0  0.8
//! ```

use glam::Vec3;

use crate::assemblies::Sphere;

/// Why a text is no list of spheres.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum ListError {
    /// A line that is no sphere.
    #[error("line {line}: a sphere is four numbers, `x y z radius`; found `{found}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// No sphere at all.
    #[error("no spheres; write one per line as four numbers, `x y z radius`")]
    Empty,
}

/// Reads a list of spheres.
///
/// # Errors
/// Names the first line that is none.
pub fn parse_spheres(text: &str) -> Result<Vec<Sphere>, ListError> {
    let mut spheres = Vec::new();
    for (k, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> =
            content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Vec<f32> = words
            .iter()
            .filter_map(|word| word.parse().ok())
            .filter(|number: &f32| number.is_finite())
            .collect();
        match numbers[..] {
            [x, y, z, radius] if words.len() == 4 => {
                spheres.push(Sphere { center: Vec3::new(x, y, z), radius })
            }
            _ => {
                let found = content.trim().chars().take(60).collect();
                return Err(ListError::Line { line: k + 1, found });
            }
        }
    }
    if spheres.is_empty() { Err(ListError::Empty) } else { Ok(spheres) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_comments_and_commas() {
        let text = "\u{feff}# a peanut\r\n-0.5 0 0  1\r\n\n 0.7, 0,0,\t0.8 # the smaller end\n";
        let wanted =
            [(-0.5, 1.0), (0.7, 0.8)].map(|(x, radius)| Sphere { center: Vec3::new(x, 0.0, 0.0), radius });
        assert_eq!(parse_spheres(text).unwrap(), wanted);
    }

    #[test]
    fn other_lines_are_named() {
        let line = |text: &str| match parse_spheres(text) {
            Err(ListError::Line { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(line("0 0 0 1\n0 0 1\n"), 2, "three numbers");
        assert_eq!(line("0 0 0 1 2"), 1, "five");
        assert_eq!(line("\n\n0 0 0 one"), 3);
        assert_eq!(line("0 0 0 one 1"), 1);
        assert_eq!(line("0 0 nan 1"), 1);
        assert_eq!(parse_spheres("# nothing\n"), Err(ListError::Empty));
    }
}
