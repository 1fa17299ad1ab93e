//! The legend: what the colours of a picture mean.

use crate::colormap::ColorMap;
use crate::font::{CAP_ROWS, draw_text, fill, text_width};
use crate::image::Image;

/// Text on the legend's panel.
const INK: [u8; 4] = [245, 245, 245, 255];
/// The panel behind the legend, half transparent.
const PANEL: [u8; 4] = [20, 22, 26, 170];
/// About so many ticks.
const TICK_COUNT: f64 = 5.0;

/// Which side of a picture a legend stands at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendSide {
    /// In the lower left corner.
    #[default]
    Left,
    /// In the lower right corner.
    Right,
}

/// What the colours of a picture mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Name of the quantity.
    pub title: String,
    /// Its unit; "1" or nothing where there is none.
    pub unit: String,
    /// The colours.
    pub map: ColorMap,
    /// The values at both ends.
    pub range: [f32; 2],
    /// Where it stands.
    pub side: LegendSide,
}

/// Where a legend lies in a picture \[pixels\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegendPlace {
    /// Left edge of the bar of colours.
    pub left: i32,
    /// Upper edge of the bar: the largest value.
    pub top: i32,
    /// Width of the bar.
    pub width: i32,
    /// Height of the bar.
    pub height: i32,
    /// Pixels per dot of the font.
    pub scale: u32,
}

impl Legend {
    /// The heading: the quantity and its unit.
    pub fn heading(&self) -> String {
        let title = self.title.replace('_', " ");
        if matches!(self.unit.as_str(), "" | "1") { title } else { format!("{title} [{}]", self.unit) }
    }

    /// Values with their words, from low to high: multiples of 1, 2 or 5 times a power of ten.
    pub fn ticks(&self) -> Vec<(f32, String)> {
        let [low, high] = self.range.map(f64::from);
        if !(high - low).is_finite() || high <= low {
            return Vec::new();
        }
        let step = tick_step((high - low) / TICK_COUNT);
        let first = (low / step - 1e-6).ceil() as i64;
        let last = (high / step + 1e-6).floor() as i64;
        (first..=last)
            .map(|k| (k as f64 * step) as f32)
            .map(|value| (value, tick_text(value, step)))
            .collect()
    }

    /// Where the legend lies in a picture of the given size.
    pub fn place(&self, image_width: u32, image_height: u32) -> LegendPlace {
        let scale = (image_height.min(image_width) / 360).clamp(1, 8);
        let unit = scale as i32;
        let height = (image_height as i32 * 2 / 5).max(20);
        let left = match self.side {
            LegendSide::Left => 12 * unit,
            LegendSide::Right => image_width as i32 - self.inner_width(scale) - 12 * unit,
        };
        LegendPlace { left, top: image_height as i32 - height - 16 * unit, width: 12 * unit, height, scale }
    }

    /// Width of bar and words \[pixels\].
    fn inner_width(&self, scale: u32) -> i32 {
        let widest = self.ticks().iter().map(|(_, text)| text_width(text, scale)).max().unwrap_or(0);
        (18 * scale + widest).max(text_width(&self.heading(), scale)) as i32
    }

    /// Draws the legend into its corner.
    pub fn draw(&self, image: &mut Image) {
        let place = self.place(image.width(), image.height());
        let unit = place.scale as i32;
        let ticks = self.ticks();
        let heading = self.heading();
        let inner = self.inner_width(place.scale);
        let above = 14 * unit;
        fill(
            image,
            place.left - 6 * unit,
            place.top - above - 4 * unit,
            inner + 12 * unit,
            place.height + above + 12 * unit,
            PANEL,
        );
        draw_text(image, place.left, place.top - above, place.scale, &heading, INK);
        self.draw_bar(image, &place);
        for (value, text) in &ticks {
            let y = self.height_of(&place, *value);
            fill(image, place.left + place.width, y, 3 * unit, unit, INK);
            let middle = y - (CAP_ROWS * place.scale / 2) as i32;
            draw_text(image, place.left + place.width + 5 * unit, middle, place.scale, text, INK);
        }
    }

    fn draw_bar(&self, image: &mut Image, place: &LegendPlace) {
        for row in 0..place.height {
            let t = 1.0 - (row as f32 + 0.5) / place.height as f32;
            fill(image, place.left, place.top + row, place.width, 1, self.map.srgb_bytes(t));
        }
    }

    /// Row of a value on the bar \[pixels\].
    pub fn height_of(&self, place: &LegendPlace, value: f32) -> i32 {
        let t = (value - self.range[0]) / (self.range[1] - self.range[0]);
        place.top + ((1.0 - t) * (place.height - 1) as f32).round() as i32
    }
}

/// The next larger of 1, 2 and 5 times a power of ten, for a positive number.
pub fn tick_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// A tick's value with no more digits than its step needs.
fn tick_text(value: f32, step: f64) -> String {
    let value = f64::from(value);
    let largest = value.abs().max(step);
    if !(1e-3..1e5).contains(&largest) {
        if value == 0.0 {
            return "0".into();
        }
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 6.0) as usize;
        return format!("{value:.digits$e}");
    }
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize;
    format!("{:.decimals$}", value + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend(low: f32, high: f32) -> Legend {
        Legend {
            title: "speed".into(),
            unit: "m/s".into(),
            map: ColorMap::Viridis,
            range: [low, high],
            side: LegendSide::Left,
        }
    }

    fn texts(low: f32, high: f32) -> Vec<String> {
        legend(low, high).ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        assert_eq!(texts(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(0.0, 2.3), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(texts(-3.0, 7.0), ["-2", "0", "2", "4", "6"]);
        assert_eq!(texts(1500.0, 1600.0), ["1500", "1520", "1540", "1560", "1580", "1600"]);
        assert_eq!(texts(0.0, 5e6), ["0", "1e6", "2e6", "3e6", "4e6", "5e6"]);
        assert_eq!(texts(0.0, 4.1e-5), ["0", "1e-5", "2e-5", "3e-5", "4e-5"]);
        assert!(texts(1.0, 1.0).is_empty() && texts(f32::NAN, 1.0).is_empty());
    }

    #[test]
    fn the_heading_names_unit_and_quantity() {
        assert_eq!(legend(0.0, 1.0).heading(), "speed [m/s]");
        let plain = Legend { title: "neighbor_count".into(), unit: "1".into(), ..legend(0.0, 1.0) };
        assert_eq!(plain.heading(), "neighbor count");
    }

    #[test]
    fn the_bar_has_the_maps_colours_at_the_ticks() {
        let sides =
            [(LegendSide::Left, 320, 200), (LegendSide::Left, 1920, 1080), (LegendSide::Right, 640, 400)];
        for (side, width, height) in sides {
            let legend = Legend { side, ..legend(0.0, 2.0) };
            let mut image = Image::filled(width, height, [128, 128, 128, 255]);
            legend.draw(&mut image);
            let place = legend.place(width, height);
            assert_eq!(legend.ticks().len(), 5);
            for (value, _) in legend.ticks() {
                let y = legend.height_of(&place, value) as u32;
                let found = image.pixel((place.left + place.width / 2) as u32, y);
                let expected = legend.map.srgb_bytes(value / 2.0);
                let error = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max();
                // Half a row of the bar at most.
                assert!(error <= Some(6), "{value}: {found:?} {expected:?}");
                assert_eq!(image.pixel((place.left + place.width + 1) as u32, y), INK, "the tick's mark");
            }
        }
    }

    #[test]
    fn a_legend_in_a_tiny_picture_draws_what_fits() {
        let legend = legend(0.0, 1.0);
        // The panel would begin six pixels from the left.
        let mut dot = Image::filled(1, 1, [9, 8, 7, 255]);
        legend.draw(&mut dot);
        assert_eq!(dot.pixel(0, 0), [9, 8, 7, 255]);
        // The bar is at least 20 pixels high, so that its upper end is cut off here.
        let ground = [128, 128, 128, 255];
        let mut image = Image::filled(30, 30, ground);
        legend.draw(&mut image);
        let place = legend.place(30, 30);
        assert_eq!((place.left, place.top, place.width, place.height), (12, -6, 12, 20));
        for y in 0..14 {
            let expected = legend.map.srgb_bytes(1.0 - (y as f32 + 6.5) / 20.0);
            assert_eq!(image.pixel(18, y), expected, "row {y}");
        }
        assert_eq!(image.pixel(3, 7), ground, "left of the panel");
        assert_eq!(image.pixel(18, 28), ground, "below the panel");
        assert_ne!(image.pixel(8, 7), ground, "the panel");
    }
}
