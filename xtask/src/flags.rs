//! Arguments of chores: pairs `--name value`.

use std::str::FromStr;

/// The pairs that were given.
pub struct Flags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Flags<'a> {
    /// Reads pairs, whose names must be `known`.
    pub fn parse(args: &[&'a str], known: &[&str]) -> Result<Self, String> {
        let pairs = args.chunks(2).map(|pair| match *pair {
            [name, value] if known.contains(&name) => Ok((name, value)),
            [name] if known.contains(&name) => Err(format!("`{name}` needs a value")),
            _ => Err(format!("unknown argument `{}`; known are {}", pair[0], known.join(", "))),
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    /// The last value of a name.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(given, _)| *given == name).map(|(_, value)| *value)
    }

    /// The last value of a name as a number of at least 1, or `default`.
    pub fn count<T: FromStr + PartialOrd + From<u8>>(&self, name: &str, default: T) -> Result<T, String> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let count = text.parse().ok().filter(|count| *count >= T::from(1));
        count.ok_or_else(|| format!("`{name} {text}`: a whole number of at least 1 is needed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts_and_absent_ones_are_the_default() {
        let flags = Flags::parse(&["--rounds", "2", "--rounds", "5"], &["--rounds", "--threads"]).unwrap();
        assert_eq!(flags.count("--rounds", 3u32), Ok(5));
        assert_eq!(flags.count("--threads", 2u32), Ok(2));
    }

    #[test]
    fn wrong_arguments_are_named() {
        let wrong = |args: &[&str]| Flags::parse(args, &["--rounds"]).err().unwrap();
        assert!(wrong(&["--round", "2"]).contains("`--round`"));
        assert!(wrong(&["--rounds"]).contains("needs a value"));
        let none = Flags::parse(&["--rounds", "0"], &["--rounds"]).unwrap();
        assert!(none.count("--rounds", 3u32).unwrap_err().contains("--rounds 0"));
    }
}
