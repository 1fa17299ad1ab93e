//! A small bitmap font for words in pictures.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::image::Image;

/// The characters as drawn in `font.txt`.
const DRAWING: &str = include_str!("font.txt");
/// Columns of a character.
const COLUMNS: usize = 5;
/// Rows of a character, two of them below the line.
const ROWS: usize = 9;
/// Columns from one character to the next in `font.txt`.
const PITCH: usize = 7;
/// Rows from the top of a character to the line that it stands on.
pub const CAP_ROWS: u32 = 7;

/// A character: a byte per row, the leftmost column in the highest of five bits.
type Glyph = [u8; ROWS];

static GLYPHS: LazyLock<BTreeMap<char, Glyph>> = LazyLock::new(|| parse(DRAWING));

/// Shown for what the font lacks.
const UNKNOWN: Glyph = [0x1f, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1f, 0, 0];

fn parse(drawing: &str) -> BTreeMap<char, Glyph> {
    let mut glyphs = BTreeMap::from([(' ', [0; ROWS])]);
    let lines: Vec<&str> = drawing.lines().skip(1).filter(|line| !line.is_empty()).collect();
    for band in lines.chunks_exact(1 + ROWS) {
        for (place, name) in band[0].split_whitespace().enumerate() {
            let bit = |row: usize, column: usize| {
                let mark = band[1 + row].as_bytes().get(place * PITCH + column);
                u8::from(mark == Some(&b'#')) << (COLUMNS - 1 - column)
            };
            let glyph = std::array::from_fn(|row| (0..COLUMNS).map(|column| bit(row, column)).sum());
            glyphs.extend(name.chars().next().map(|name| (name, glyph)));
        }
    }
    glyphs
}

/// Width of a text \[pixels\] at a size of `scale` pixels per dot.
pub fn text_width(text: &str, scale: u32) -> u32 {
    let columns = (COLUMNS as u32 + 1) * text.chars().count() as u32;
    columns.saturating_sub(1) * scale
}

/// Draws a text with its upper left corner at (x, y).
pub fn draw_text(image: &mut Image, x: i32, y: i32, scale: u32, text: &str, color: [u8; 4]) {
    let scale = scale as i32;
    let advance = (COLUMNS as i32 + 1) * scale;
    for (place, name) in text.chars().enumerate() {
        let glyph = GLYPHS.get(&name).unwrap_or(&UNKNOWN);
        for (row, bits) in glyph.iter().enumerate() {
            for column in (0..COLUMNS).filter(|column| bits >> (COLUMNS - 1 - column) & 1 == 1) {
                let left = x + place as i32 * advance + column as i32 * scale;
                let top = y + row as i32 * scale;
                fill(image, left, top, scale, scale, color);
            }
        }
    }
}

/// Lays a colour over a rectangle.
pub fn fill(image: &mut Image, left: i32, top: i32, width: i32, height: i32, color: [u8; 4]) {
    for y in top..top + height {
        for x in left..left + width {
            image.blend(x, y, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_characters_of_names_numbers_and_units_are_drawn_and_differ() {
        let needed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,-+/()[]%=_*^:|<>";
        for name in needed.chars() {
            assert!(GLYPHS.get(&name).is_some_and(|glyph| *glyph != [0; ROWS]), "{name}");
        }
        let shapes: std::collections::BTreeSet<&Glyph> = GLYPHS.values().collect();
        assert_eq!(shapes.len(), GLYPHS.len(), "two characters settings the same");
    }

    #[test]
    fn a_text_fills_its_width_and_nothing_outside() {
        let mut image = Image::filled(40, 20, [0, 0, 0, 255]);
        draw_text(&mut image, 1, 1, 2, "1H", [255; 4]);
        let lit = |x: u32| (0..20).any(|y| image.pixel(x, y)[0] > 0);
        let last = 1 + text_width("1H", 2) - 1;
        assert!(lit(last) && (last + 1..40).all(|x| !lit(x)) && !lit(0));
        assert_eq!((text_width("", 2), text_width("ab", 1)), (0, 11));
    }
}
