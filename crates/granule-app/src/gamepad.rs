//! A gamepad, where the system has one: Linux hands its axes out as a stream of small events.
//!
//! An event is eight bytes: time \[ms\] as u32, value as i16, type as u8 (1 a button, 2 an axis, 128 added for the state at the
//! beginning), number as u8.

use std::fs::File;
use std::io::{ErrorKind, Read};

use crate::hands::Drive;

/// Size of an event \[bytes\].
const EVENT: usize = 8;
/// The type of axes.
const AXIS: u8 = 2;
/// Added to the type for the state at the beginning.
const INITIAL: u8 = 128;
/// Deflections below this are a stick at rest.
const DEAD: f32 = 0.15;

/// A gamepad, or none.
pub struct Gamepad {
    device: Option<File>,
    axes: [f32; 8],
}

impl Gamepad {
    /// The first gamepad there is.
    pub fn find() -> Self {
        Self { device: open("/dev/input/js0"), axes: [0.0; 8] }
    }

    /// Takes what has come and says how to drive: left stick forward and sideways, right stick upwards.
    pub fn drive(&mut self) -> Drive {
        let mut event = [0; EVENT];
        while let Some(device) = &mut self.device {
            match device.read(&mut event) {
                Ok(EVENT) => take(&mut self.axes, event),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // It was unplugged.
                _ => *self = Self { device: None, axes: [0.0; 8] },
            }
        }
        let stick = |axis: usize| Some(-self.axes[axis]).filter(|value| value.abs() > DEAD).unwrap_or(0.0);
        Drive { forward: stick(1), left: stick(0), up: stick(4) }
    }
}

#[cfg(target_os = "linux")]
fn open(path: &str) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    /// Reading does not wait (`O_NONBLOCK` of Linux).
    const NONBLOCK: i32 = 0o4000;
    std::fs::OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).ok()
}

#[cfg(not(target_os = "linux"))]
fn open(_path: &str) -> Option<File> {
    None
}

fn take(axes: &mut [f32; 8], event: [u8; EVENT]) {
    let value = i16::from_le_bytes([event[4], event[5]]);
    if event[6] & !INITIAL == AXIS
        && let Some(axis) = axes.get_mut(usize::from(event[7]))
    {
        *axis = f32::from(value) / f32::from(i16::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_follow_events_and_buttons_do_not_disturb_them() {
        let mut axes = [0.0; 8];
        take(&mut axes, [0, 0, 0, 0, 0x01, 0x80, 2, 1]);
        take(&mut axes, [0, 0, 0, 0, 0xff, 0x7f, 130, 0]);
        take(&mut axes, [0, 0, 0, 0, 1, 0, 1, 1]);
        take(&mut axes, [0, 0, 0, 0, 1, 0, 2, 200]);
        assert_eq!((axes[0], axes[1]), (1.0, -1.0));
        let mut pad = Gamepad { device: None, axes };
        assert_eq!(pad.drive(), Drive { forward: 1.0, left: -1.0, up: 0.0 });
    }
}
