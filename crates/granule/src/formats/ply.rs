//! The syntax of PLY: a header of elements with properties, and their values as text or binary.
//!
//! Meshes ([`geometry`](crate::geometry)) and particle frames ([`io`](crate::io)) are both read through it. Memory use is
//! bounded by the length of the file, whatever its header says.

use std::borrow::Cow;

use super::bytes::{Endian, Number, index};

/// Longest header that is accepted \[bytes\].
const MAX_HEADER: usize = 64 << 10;

/// What is wrong with a header, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError(pub String);

/// How values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Words of text.
    Text,
    /// Bytes in an order.
    Binary(Endian),
}

/// A kind of row, as many of them as the header says.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

/// A number of a row, or a list of them.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub name: String,
    /// Type of the count, for lists.
    pub list: Option<Number>,
    pub number: Number,
}

/// A file: its header, and the bytes after it.
#[derive(Clone, Debug)]
pub(crate) struct Ply<'a> {
    pub encoding: Encoding,
    /// Comments without the word `comment`, in their order.
    pub comments: Vec<String>,
    pub elements: Vec<Element>,
    pub body: &'a [u8],
}

impl<'a> Ply<'a> {
    /// Reads the header of a file.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        let (lines, body) = split_header(bytes)?;
        if lines.first().map(|line| line.trim()) != Some("ply") {
            return Err(error("it does not begin with `ply`"));
        }
        let mut encoding = None;
        let mut ply = Self { encoding: Encoding::Text, comments: Vec::new(), elements: Vec::new(), body };
        for line in &lines[1..] {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                ["format", name, version] => encoding = Some(encoding_of(name, version)?),
                ["comment", ..] => ply.comments.push(line.trim_start()["comment".len()..].trim().into()),
                ["obj_info", ..] | [] => {}
                _ => ply.add_line(line, &words)?,
            }
        }
        ply.encoding = encoding.ok_or_else(|| error("its header has no `format`"))?;
        Ok(ply)
    }

    /// Takes a line of the header that tells of an element or a property.
    fn add_line(&mut self, line: &str, words: &[&str]) -> Result<(), SyntaxError> {
        let (name, list, number) = match *words {
            ["element", name, count] => {
                let count = count.parse().map_err(|_| error(format!("`{line}` has no count")))?;
                self.elements.push(Element { name: name.into(), count, properties: Vec::new() });
                return Ok(());
            }
            ["property", "list", count, number, name] => {
                (name, Some(kind(count, line)?), kind(number, line)?)
            }
            ["property", number, name] => (name, None, kind(number, line)?),
            _ => return Err(error(format!("header line `{}` is not understood", line.escape_debug()))),
        };
        let element = self.elements.last_mut().ok_or_else(|| error("a property before any element"))?;
        element.properties.push(Property { name: name.into(), list, number });
        Ok(())
    }
}

fn error(what: impl Into<String>) -> SyntaxError {
    SyntaxError(what.into())
}

/// The lines of the header before `end_header`, and the bytes after that line.
fn split_header(bytes: &[u8]) -> Result<(Vec<Cow<'_, str>>, &[u8]), SyntaxError> {
    let (mut lines, mut rest) = (Vec::new(), bytes);
    while bytes.len() - rest.len() < MAX_HEADER {
        let Some(line) = next_line(&mut rest) else { break };
        if line == b"end_header" {
            return Ok((lines, rest));
        }
        if !line.is_empty() {
            lines.push(String::from_utf8_lossy(line));
        }
    }
    Err(error("its header does not end: there is no line `end_header`"))
}

/// The bytes up to a line break of any kind; `None` where there is no break any more.
fn next_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().take(MAX_HEADER).position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let (line, after) = rest.split_at(end);
    *rest = after.strip_prefix(b"\r\n").unwrap_or(&after[1..]);
    Some(line)
}

fn encoding_of(name: &str, version: &str) -> Result<Encoding, SyntaxError> {
    match (name, version) {
        ("ascii", "1.0") => Ok(Encoding::Text),
        ("binary_little_endian", "1.0") => Ok(Encoding::Binary(Endian::Little)),
        ("binary_big_endian", "1.0") => Ok(Encoding::Binary(Endian::Big)),
        _ => Err(error(format!("unknown form `{name} {version}`"))),
    }
}

fn kind(word: &str, line: &str) -> Result<Number, SyntaxError> {
    Ok(match word {
        "char" | "int8" => Number::I8,
        "uchar" | "uint8" => Number::U8,
        "short" | "int16" => Number::I16,
        "ushort" | "uint16" => Number::U16,
        "int" | "int32" => Number::I32,
        "uint" | "uint32" => Number::U32,
        "float" | "float32" => Number::F32,
        "double" | "float64" => Number::F64,
        _ => return Err(error(format!("`{}`: unknown type `{word}`", line.escape_debug()))),
    })
}

/// Values one after the other, text or binary.
pub(crate) enum Values<'a> {
    Text(std::str::SplitAsciiWhitespace<'a>),
    Binary { bytes: &'a [u8], endian: Endian },
}

impl Values<'_> {
    fn next(&mut self, number: Number) -> Option<f64> {
        match self {
            Self::Text(words) => words.next()?.parse().ok(),
            Self::Binary { bytes, endian } => {
                let value = number.read(bytes, *endian)?;
                *bytes = &bytes[number.size()..];
                Some(value)
            }
        }
    }

    /// Reads a row; `keep` is called with the property's index and every number of it. `None` where values end or are no
    /// numbers.
    pub fn read_row(&mut self, element: &Element, mut keep: impl FnMut(usize, f64)) -> Option<()> {
        for (k, property) in element.properties.iter().enumerate() {
            let count = match property.list {
                Some(number) => index(self.next(number)?)? as usize,
                None => 1,
            };
            for _ in 0..count {
                keep(k, self.next(property.number)?);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment time 0.5 s\nelement vertex 2\nproperty float x\n\
                          property list uchar int more\nend_header\n";

    fn refused(text: &str) -> String {
        Ply::parse(text.as_bytes()).unwrap_err().0
    }

    #[test]
    fn a_header_is_read_with_any_line_breaks() {
        for breaks in ["\n", "\r\n", "\r"] {
            let text = HEADER.replace('\n', breaks) + "body";
            let ply = Ply::parse(text.as_bytes()).unwrap();
            assert_eq!((ply.encoding, ply.body), (Encoding::Text, &b"body"[..]));
            assert_eq!(ply.comments, ["time 0.5 s"]);
            let [element] = &ply.elements[..] else { panic!("{:?}", ply.elements) };
            assert_eq!((element.name.as_str(), element.count), ("vertex", 2));
            let lists: Vec<Option<Number>> = element.properties.iter().map(|p| p.list).collect();
            assert_eq!(lists, [None, Some(Number::U8)]);
        }
    }

    #[test]
    fn a_comment_that_names_the_end_does_not_end_the_header() {
        let text = HEADER.replace("time 0.5 s", "end_header");
        assert_eq!(Ply::parse(text.as_bytes()).unwrap().comments, ["end_header"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(refused("plx").contains("end_header"));
        assert!(refused(&HEADER.replace("ply\n", "plx\n")).contains("begin with `ply`"));
        assert!(refused(&HEADER.replace("format ascii 1.0\n", "")).contains("no `format`"));
        assert!(refused(&HEADER.replace("ascii", "utf-8")).contains("unknown form `utf-8 1.0`"));
        assert!(refused(&HEADER.replace("ascii 1.0", "ascii 2.0")).contains("unknown form"));
        assert!(refused(&HEADER.replace("vertex 2", "vertex -2")).contains("has no count"));
        assert!(refused(&HEADER.replace("float x", "quad x")).contains("unknown type `quad`"));
        assert!(refused(&HEADER.replace("element vertex 2\n", "")).contains("before any element"));
        assert!(refused(&HEADER.replace("element vertex 2", "elements 2")).contains("not understood"));
    }

    #[test]
    fn headers_are_not_looked_for_without_end() {
        let long = "ply\n".to_string() + &"comment x\n".repeat(MAX_HEADER / 10 + 1) + "end_header\n";
        assert!(refused(&long).contains("does not end"));
        let one_line = "ply\ncomment ".to_string() + &"x".repeat(2 * MAX_HEADER) + "\nend_header\n";
        assert!(refused(&one_line).contains("does not end"));
    }

    #[test]
    fn rows_end_where_values_do() {
        let ply = Ply::parse(HEADER.as_bytes()).unwrap();
        let element = &ply.elements[0];
        let mut values = Values::Text("1.5 2 7 8 3 1".split_ascii_whitespace());
        let mut row = Vec::new();
        assert_eq!(values.read_row(element, |k, value| row.push((k, value))), Some(()));
        assert_eq!(row, [(0, 1.5), (1, 7.0), (1, 8.0)]);
        assert_eq!(values.read_row(element, |_, _| {}), None);
        let bytes = [0.25_f32.to_be_bytes(), [1, 0, 0, 0], [5, 0, 0, 0]].concat();
        let mut values = Values::Binary { bytes: &bytes[..9], endian: Endian::Big };
        row.clear();
        assert_eq!(values.read_row(element, |k, value| row.push((k, value))), Some(()));
        assert_eq!(row, [(0, 0.25), (1, 5.0)]);
    }
}
