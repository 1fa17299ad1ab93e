//! Walls that hold a force or a pressure instead of a path: plates that press, rams, the sides of a test cell.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sample::{Boundaries, Boundary};

/// A force that a wall holds along a direction, moving freely along it under that force and those of grains. Its weight is not
/// part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Servo {
    /// Direction of the force and of the motion, towards the grains.
    pub direction: [f32; 3],
    /// Force along the direction \[N\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// Pressure instead of a force \[Pa\]; needs `area`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Area that the pressure acts on \[m2\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Mass of the wall \[kg\]: how slowly it answers.
    pub mass: f64,
    /// Force against its motion per speed [N s/m].
    #[serde(default)]
    pub damping: f64,
    /// Fastest speed [m/s]; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<f64>,
    /// When it begins \[s\]; the wall stays until then.
    #[serde(default)]
    pub start: f64,
}

/// What is wrong with a servo.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("servo: `{field}` must be {allowed}, got {found}")]
pub struct ServoError {
    /// Name of the value.
    pub field: &'static str,
    /// What was given.
    pub found: String,
    /// What is allowed.
    pub allowed: &'static str,
}

impl Servo {
    /// Checks every value.
    ///
    /// # Errors
    /// Says which value is wrong and what is allowed.
    pub fn validate(&self) -> Result<(), ServoError> {
        let check = |good: bool, field: &'static str, found: String, allowed: &'static str| {
            if good { Ok(()) } else { Err(ServoError { field, found, allowed }) }
        };
        let shown = |value: Option<f64>| value.map_or_else(|| "none".to_string(), |value| value.to_string());
        let some = |value: Option<f64>| value.is_none_or(f64::is_finite);
        let above = |value: Option<f64>| value.is_none_or(|value| value.is_finite() && value > 0.0);
        check(self.axis().is_some(), "direction", format!("{:?}", self.direction), "finite, and not zero")?;
        let one = self.force.is_some() != self.pressure.is_some();
        check(one, "force", shown(self.force), "given, or else `pressure` and `area`, and not both")?;
        check(some(self.force), "force", shown(self.force), "finite")?;
        check(some(self.pressure), "pressure", shown(self.pressure), "finite")?;
        let area = above(self.area) && self.area.is_some() == self.pressure.is_some();
        check(area, "area", shown(self.area), "above 0 and given together with `pressure`")?;
        check(above(Some(self.mass)), "mass", self.mass.to_string(), "above 0")?;
        let damped = self.damping.is_finite() && self.damping >= 0.0;
        check(damped, "damping", self.damping.to_string(), "0 or greater")?;
        check(above(self.max_speed), "max_speed", shown(self.max_speed), "above 0")?;
        check(self.start.is_finite(), "start", self.start.to_string(), "finite")
    }

    fn axis(&self) -> Option<DVec3> {
        Vec3::from(self.direction).as_dvec3().try_normalize()
    }

    /// Unit direction of the motion.
    pub fn direction(&self) -> DVec3 {
        self.axis().unwrap_or(DVec3::NEG_Y)
    }

    /// The force that it holds \[N\].
    pub fn wanted(&self) -> f64 {
        self.force.unwrap_or_else(|| self.pressure.unwrap_or(0.0) * self.area.unwrap_or(0.0))
    }
}

/// Where a wall with a servo is and how it moves along its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServoState {
    /// Way from where its path would have it \[m\].
    pub way: f64,
    /// Speed [m/s].
    pub speed: f64,
    /// Force of grains along the direction at the last step \[N\].
    pub load: f64,
}

impl ServoState {
    /// Lets the forces act for `dt` \[s\], damping implicitly:
    ///
    /// ```text
    /// u = (u + dt (F + f)/m) / (1 + dt c/m)
    /// ```
    pub fn kick(&mut self, servo: &Servo, time: f64, dt: f64) {
        if time < servo.start {
            self.speed = 0.0;
            return;
        }
        let pushed = self.speed + dt * (servo.wanted() + self.load) / servo.mass;
        let most = servo.max_speed.unwrap_or(f64::INFINITY);
        self.speed = (pushed / (1.0 + dt * servo.damping / servo.mass)).clamp(-most, most);
    }

    /// Whether all numbers are finite.
    pub fn is_sound(&self) -> bool {
        self.way.is_finite() && self.speed.is_finite() && self.load.is_finite()
    }
}

impl Boundary {
    /// Where the servo is and how it moves, if there is one.
    pub fn servo_state(&self) -> ServoState {
        self.servo
    }
}

impl Boundaries {
    /// Puts the servo of the boundary at an index somewhere, for solvers that move it on a device.
    pub fn set_servo(&mut self, index: usize, state: ServoState) {
        if let Some(boundary) = self.list.get_mut(index) {
            boundary.servo = state;
        }
    }

    /// Whether any holds a force.
    pub fn any_servo(&self) -> bool {
        self.list.iter().any(|boundary| boundary.servo().is_some())
    }

    /// Lets the boundaries that hold a force feel it and that of grains for `dt` [s]. `load` gives the force of grains \[N\] on
    /// the boundary at an index; without it, that of the last time acts on.
    pub fn kick_servos(&mut self, time: f64, dt: f64, load: Option<&dyn Fn(u16) -> DVec3>) {
        for (index, boundary) in self.list.iter_mut().enumerate() {
            let mut state = boundary.servo;
            let Some(servo) = boundary.servo() else { continue };
            if let Some(load) = load {
                state.load = load(index as u16).dot(servo.direction());
            }
            state.kick(servo, time, dt);
            boundary.servo = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servo() -> Servo {
        toml::from_str("direction = [0, -2, 0]\nforce = 3\nmass = 0.5\ndamping = 2").unwrap()
    }

    /// Exact for the speed that a damped fall ends with: F/c.
    #[test]
    fn a_damped_servo_ends_at_its_force_over_its_damping() {
        let (servo, mut state) = (servo(), ServoState::default());
        assert_eq!(servo.direction(), DVec3::NEG_Y);
        (0..2000).for_each(|_| state.kick(&servo, 0.0, 1e-2));
        assert!((state.speed - 1.5).abs() < 1e-12, "{}", state.speed);
        state.load = -3.0;
        (0..2000).for_each(|_| state.kick(&servo, 0.0, 1e-2));
        assert!(state.speed.abs() < 1e-12);
    }

    #[test]
    fn it_waits_for_its_start_and_keeps_to_its_fastest_speed() {
        let servo = Servo { start: 1.0, max_speed: Some(0.2), ..servo() };
        let mut state = ServoState::default();
        state.kick(&servo, 0.5, 0.1);
        assert_eq!(state.speed, 0.0);
        state.kick(&servo, 1.0, 0.1);
        assert_eq!(state.speed, 0.2);
    }

    #[test]
    fn wrong_values_are_named() {
        let wrong = |change: fn(&mut Servo)| {
            let mut servo = servo();
            change(&mut servo);
            servo.validate().expect_err("wrong").field
        };
        assert_eq!(servo().validate(), Ok(()));
        assert_eq!(wrong(|s| s.direction = [0.0; 3]), "direction");
        assert_eq!(wrong(|s| s.force = None), "force");
        assert_eq!(wrong(|s| s.pressure = Some(1.0)), "force");
        assert_eq!(wrong(|s| (s.force, s.pressure) = (None, Some(1.0))), "area");
        assert_eq!(wrong(|s| s.mass = 0.0), "mass");
        assert_eq!(wrong(|s| s.damping = -1.0), "damping");
        assert_eq!(wrong(|s| s.max_speed = Some(0.0)), "max_speed");
    }
}
