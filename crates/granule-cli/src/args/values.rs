//! The values of arguments: how they are read from words.

use std::convert::Infallible;
use std::str::FromStr;

use granule_device::AdapterChoice;
use granule_render::check_size;

/// The words of `--device`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A graphics card where there is one, else the CPU.
    #[default]
    Auto,
    /// CPU cores.
    Cpu,
    /// An adapter.
    Gpu(AdapterChoice),
}

impl FromStr for DeviceChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.trim() {
            "auto" | "" => Self::Auto,
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu(AdapterChoice::Auto),
            other => {
                let Ok(adapter) = other.parse();
                Self::Gpu(adapter)
            }
        })
    }
}

/// Which field is to be seen: the distance from one boundary, or from all where absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChoice(pub Option<String>);

impl FromStr for FieldChoice {
    type Err = String;

    /// Reads `--field`: `boundary` or `boundary:NAME`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "boundary" => Ok(Self(None)),
            Some(("boundary", name)) if !name.is_empty() => Ok(Self(Some(name.into()))),
            _ => Err("write boundary for all walls or boundary:NAME for one".into()),
        }
    }
}

/// Reads `--slice` and `--cut`: an axis and a place on it.
pub fn parse_plane(text: &str) -> Result<(usize, f32), String> {
    let parsed = text.split_once('=').and_then(|(axis, place)| {
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis.trim())?;
        Some((axis, place.trim().parse::<f32>().ok().filter(|place| place.is_finite())?))
    });
    parsed.ok_or_else(|| "write x=, y= or z= and a place in metres, e.g. z=0".into())
}

/// Reads `--iso` and checks that it is finite.
pub fn parse_number(text: &str) -> Result<f32, String> {
    text.parse::<f32>().ok().filter(|number| number.is_finite()).ok_or_else(|| "not a finite number".into())
}

/// Reads `--field-step`.
pub fn parse_step(text: &str) -> Result<f32, String> {
    parse_number(text).ok().filter(|step| *step > 0.0).ok_or_else(|| "must be a number above 0".into())
}

/// Reads `--size`.
pub fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once(['x', 'X']).ok_or("write WIDTHxHEIGHT, e.g. 1280x720")?;
    let number =
        |word: &str| word.trim().parse::<u32>().map_err(|_| format!("`{word}` is not a number of pixels"));
    let (width, height) = (number(width)?, number(height)?);
    check_size(width, height).map_err(|error| error.to_string())?;
    Ok([width, height])
}

/// Reads `--range`.
pub fn parse_range(text: &str) -> Result<[f32; 2], String> {
    let parsed = text.split_once(',').and_then(|(low, high)| {
        let number = |word: &str| word.trim().parse::<f32>().ok().filter(|value| value.is_finite());
        Some([number(low)?, number(high)?])
    });
    match parsed {
        Some([low, high]) if low < high => Ok([low, high]),
        Some(_) => Err("the lower end must be below the upper one".into()),
        None => Err("write LOW,HIGH, e.g. 0,2.5".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_names_choose_devices() {
        let choice = |text: &str| text.parse::<DeviceChoice>().unwrap();
        assert_eq!([choice("auto"), choice("cpu")], [DeviceChoice::Auto, DeviceChoice::Cpu]);
        assert_eq!(choice("gpu"), DeviceChoice::Gpu(AdapterChoice::Auto));
        assert_eq!(choice("1"), DeviceChoice::Gpu(AdapterChoice::Index(1)));
        assert_eq!(choice("H200"), DeviceChoice::Gpu(AdapterChoice::Name("H200".into())));
    }

    #[test]
    fn sizes_and_ranges_are_read_and_refused() {
        assert_eq!(parse_size("640x480"), Ok([640, 480]));
        for wrong in ["0x0", "100000x100000", "640", "ax3", "640x-1", "x"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_range("-1,2.5"), Ok([-1.0, 2.5]));
        for wrong in ["1", "2,1", "1,1", "nan,1", "0,inf", "a,b"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn fields_slices_and_steps_are_read_and_refused() {
        assert_eq!("boundary".parse(), Ok(FieldChoice(None)));
        assert_eq!("boundary:cone".parse(), Ok(FieldChoice(Some("cone".into()))));
        for wrong in ["", "density", "boundary:", ":cone", "Boundary"] {
            assert!(wrong.parse::<FieldChoice>().is_err(), "{wrong}");
        }
        assert_eq!(parse_plane("z=-0.25"), Ok((2, -0.25)));
        for wrong in ["", "z", "w=1", "z=", "z=nan", "1"] {
            assert!(parse_plane(wrong).is_err(), "{wrong}");
        }
        assert!(parse_step("0").is_err() && parse_step("-1").is_err() && parse_step("0.1") == Ok(0.1));
    }
}
