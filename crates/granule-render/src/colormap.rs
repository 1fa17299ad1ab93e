//! From numbers to colours.

use glam::Vec3;

/// Entries of a table of colours.
pub const TABLE_SIZE: usize = 256;

/// A perceptual colour map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMap {
    /// Blue over green to yellow, for most quantities (van der Walt and Smith 2015).
    #[default]
    Viridis,
    /// Black over magenta to pale yellow (van der Walt and Smith 2015).
    Magma,
    /// Black over red to pale yellow (van der Walt and Smith 2015).
    Inferno,
    /// A rainbow without false edges (Mikhailov 2019).
    Turbo,
    /// Blue over white to red, for quantities with a middle (Brewer's RdBu, turned round).
    Diverging,
}

const VIRIDIS: &[u32] = &[
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26,
    0xfde725,
];
const MAGMA: &[u32] = &[
    0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c, 0xfe9f6d, 0xfecf92,
    0xfcfdbf,
];
const INFERNO: &[u32] = &[
    0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754, 0xdd513a, 0xf37819, 0xfca50a, 0xf6d746,
    0xfcffa4,
];
const TURBO: &[u32] = &[
    0x30123b, 0x4454c4, 0x4490fe, 0x1fc8de, 0x29efa2, 0x7dff56, 0xc1f334, 0xf1ca3a, 0xfe922a, 0xea4f0d,
    0xbe2102, 0x7a0403,
];
const DIVERGING: &[u32] = &[
    0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b,
    0x67001f,
];

impl ColorMap {
    /// All maps with their words.
    pub const ALL: [(&'static str, Self); 5] = [
        ("viridis", Self::Viridis),
        ("magma", Self::Magma),
        ("inferno", Self::Inferno),
        ("turbo", Self::Turbo),
        ("diverging", Self::Diverging),
    ];

    /// The map's published colours at equal distances, as 0xRRGGBB in sRGB.
    fn controls(self) -> &'static [u32] {
        match self {
            Self::Viridis => VIRIDIS,
            Self::Magma => MAGMA,
            Self::Inferno => INFERNO,
            Self::Turbo => TURBO,
            Self::Diverging => DIVERGING,
        }
    }

    /// The sRGB colour at t from 0 to 1, interpolated between the published colours.
    pub fn srgb(self, t: f32) -> Vec3 {
        let controls = self.controls();
        let place = t.clamp(0.0, 1.0) * (controls.len() - 1) as f32;
        let below = (place as usize).min(controls.len() - 2);
        unpack(controls[below]).lerp(unpack(controls[below + 1]), place - below as f32)
    }

    /// The sRGB colour at t from 0 to 1 in bytes.
    pub fn srgb_bytes(self, t: f32) -> [u8; 4] {
        let [r, g, b] = (self.srgb(t) * 255.0).round().to_array().map(|part| part as u8);
        [r, g, b, 255]
    }

    /// Linear colours at equal distances from 0 to 1.
    pub fn linear_table(self) -> Vec<Vec3> {
        (0..TABLE_SIZE).map(|k| linear_from_srgb(self.srgb(k as f32 / (TABLE_SIZE - 1) as f32))).collect()
    }
}

impl std::str::FromStr for ColorMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(word, _)| *word == text);
        found.map(|(_, map)| *map).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|(word, _)| *word).collect();
            format!("no colour map `{text}`; there are {}", words.join(", "))
        })
    }
}

fn unpack(rgb: u32) -> Vec3 {
    let part = |shift: u32| (rgb >> shift & 0xff) as f32 / 255.0;
    Vec3::new(part(16), part(8), part(0))
}

/// Light from a colour: the sRGB transfer function (IEC 61966-2-1).
pub fn linear_from_srgb(color: Vec3) -> Vec3 {
    let part = |x: f32| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
    Vec3::new(part(color.x), part(color.y), part(color.z))
}

/// Colour from light, the inverse of [`linear_from_srgb`].
pub fn srgb_from_linear(color: Vec3) -> Vec3 {
    let part = |x: f32| if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    Vec3::new(part(color.x), part(color.y), part(color.z))
}

/// A range that a few outliers do not spoil: the 2nd and the 98th percentile of the finite values.
///
/// Without finite values it is 0 to 1; a single value gets room around it.
pub fn robust_range(values: impl Iterator<Item = f32>) -> [f32; 2] {
    let mut values: Vec<f32> = values.filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    let mut at = |share: f64| {
        let place = (share * (values.len() - 1) as f64).round() as usize;
        *values.select_nth_unstable_by(place, f32::total_cmp).1
    };
    let (low, high) = (at(0.02), at(0.98));
    if high > low {
        [low, high]
    } else {
        let room = (0.5 * low.abs()).max(0.5);
        [low - room, low + room]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_pass_through_their_published_colours() {
        assert_eq!(ColorMap::Viridis.srgb_bytes(0.0), [0x44, 0x01, 0x54, 255]);
        assert_eq!(ColorMap::Viridis.srgb_bytes(0.5), [0x21, 0x91, 0x8c, 255]);
        assert_eq!(ColorMap::Magma.srgb_bytes(1.0), [0xfc, 0xfd, 0xbf, 255]);
        assert_eq!(ColorMap::Diverging.srgb_bytes(0.5), [0xf7, 0xf7, 0xf7, 255]);
        assert_eq!(ColorMap::Turbo.srgb_bytes(7.0), ColorMap::Turbo.srgb_bytes(1.0), "clamped");
    }

    #[test]
    fn sequential_maps_grow_lighter_all_the_way() {
        for map in [ColorMap::Viridis, ColorMap::Magma, ColorMap::Inferno] {
            let luminance: Vec<f32> =
                map.linear_table().iter().map(|c| c.dot(Vec3::new(0.2126, 0.7152, 0.0722))).collect();
            assert!(luminance.windows(2).all(|pair| pair[1] > pair[0] - 1e-4), "{map:?}");
        }
    }

    #[test]
    fn the_transfer_functions_are_inverse() {
        for k in 0..=100 {
            let color = Vec3::splat(k as f32 / 100.0);
            assert!((srgb_from_linear(linear_from_srgb(color)) - color).length() < 1e-5);
        }
        assert!((linear_from_srgb(Vec3::splat(0.5)).x - 0.21404).abs() < 1e-4);
    }

    #[test]
    fn ranges_ignore_outliers_and_what_is_not_finite() {
        let values = (0..1000).map(|k| k as f32).chain([1e9, f32::NAN, f32::INFINITY]);
        let [low, high] = robust_range(values);
        assert!((low - 20.0).abs() <= 1.0 && (high - 980.0).abs() <= 2.0, "{low} {high}");
        assert_eq!(robust_range([f32::NAN].into_iter()), [0.0, 1.0]);
        assert_eq!(robust_range([4.0; 7].into_iter()), [2.0, 6.0]);
    }

    #[test]
    fn maps_are_known_by_their_words() {
        assert_eq!("turbo".parse(), Ok(ColorMap::Turbo));
        assert!("jet".parse::<ColorMap>().unwrap_err().contains("viridis, magma"));
    }
}
