//! A camera that moves: smoothly through keys over time.

use glam::Vec3;

use crate::camera::Camera;

/// Where the camera is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraKey {
    /// Time \[s\].
    pub time: f64,
    /// The camera then.
    pub camera: Camera,
}

/// A camera that moves through keys and rests before the first and after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraPath {
    keys: Vec<CameraKey>,
}

impl CameraPath {
    /// A camera that rests.
    pub fn still(camera: Camera) -> Self {
        Self { keys: vec![CameraKey { time: 0.0, camera }] }
    }

    /// A path through keys; `None` unless there is one and every time is later than the one before.
    pub fn new(keys: Vec<CameraKey>) -> Option<Self> {
        let later = keys.windows(2).all(|pair| pair[0].time < pair[1].time);
        (later && !keys.is_empty()).then_some(Self { keys })
    }

    /// The camera at a time \[s\].
    ///
    /// Eye, target and angle are cubic between keys, with the velocities of a parabola through each key and its two
    /// neighbours (Catmull and Rom 1974, for unequal times). A velocity is at most three times the slower one of the
    /// means before and after its key: so a camera that rests between two keys stays where it is, and nothing swings far
    /// beyond its keys (Fritsch and Carlson 1980).
    pub fn at(&self, time: f64) -> Camera {
        let (keys, last) = (&self.keys, self.keys.len() - 1);
        let after = keys.partition_point(|key| key.time <= time);
        if after == 0 || after > last {
            return keys[after.min(last)].camera;
        }
        let (a, b) = (after - 1, after);
        let length = keys[b].time - keys[a].time;
        let t = ((time - keys[a].time) / length) as f32;
        let cubic = |value: &dyn Fn(&Camera) -> Vec3| {
            let (from, to) = (value(&keys[a].camera), value(&keys[b].camera));
            let [leaving, arriving] = [a, b].map(|key| self.velocity(key, value) * length as f32);
            let (t2, t3) = (t * t, t * t * t);
            from * (2.0 * t3 - 3.0 * t2 + 1.0)
                + to * (3.0 * t2 - 2.0 * t3)
                + leaving * (t3 - 2.0 * t2 + t)
                + arriving * (t3 - t2)
        };
        Camera {
            position: cubic(&|camera| camera.position),
            target: cubic(&|camera| camera.target),
            fov_radians: cubic(&|camera| Vec3::splat(camera.fov_radians)).x,
        }
    }

    /// Change per second at a key.
    fn velocity(&self, key: usize, value: &dyn Fn(&Camera) -> Vec3) -> Vec3 {
        let keys = &self.keys;
        let length = |k: usize| (keys[k + 1].time - keys[k].time) as f32;
        let mean = |k: usize| (value(&keys[k + 1].camera) - value(&keys[k].camera)) / length(k);
        if key == 0 {
            return mean(0);
        }
        if key == keys.len() - 1 {
            return mean(key - 1);
        }
        let (before, after) = (mean(key - 1), mean(key));
        let (h0, h1) = (length(key - 1), length(key));
        let parabola = (before * h1 + after * h0) / (h0 + h1);
        parabola.clamp_length_max(3.0 * before.length().min(after.length()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, x: f32, fov_radians: f32) -> CameraKey {
        let camera = Camera { position: Vec3::new(x, 0.0, 5.0), target: Vec3::ZERO, fov_radians };
        CameraKey { time, camera }
    }

    #[test]
    fn the_path_goes_through_its_keys_without_jumps_or_kinks() {
        let keys = vec![key(1.0, 0.0, 0.5), key(2.0, 1.0, 0.5), key(4.0, 5.0, 1.0), key(4.5, 5.5, 1.0)];
        let path = CameraPath::new(keys.clone()).unwrap();
        for key in &keys {
            assert_eq!(path.at(key.time), key.camera);
        }
        let x = |time: f64| path.at(time).position.x;
        for time in (0..400).map(|k| 1.0 + 0.01 * f64::from(k)).take_while(|time| *time < 4.49) {
            assert!(x(time + 0.01) > x(time), "always forward at {time}");
            let bend = x(time + 0.01) - 2.0 * x(time) + x(time - 0.01);
            assert!(time < 1.02 || bend.abs() < 2e-3, "no kink at {time}: {bend}");
        }
        assert_eq!(path.at(-3.0), keys[0].camera);
        assert_eq!(path.at(9.0), keys[3].camera);
    }

    #[test]
    fn a_camera_that_rests_between_keys_stays_where_it_is() {
        let path = CameraPath::new(vec![
            key(0.0, 0.0, 0.6),
            key(1.0, 3.0, 0.6),
            key(2.0, 3.0, 0.6),
            key(3.0, 9.0, 0.6),
        ])
        .unwrap();
        for k in 0..=100 {
            assert!((path.at(1.0 + 0.01 * f64::from(k)).position.x - 3.0).abs() < 1e-6);
        }
    }

    #[test]
    fn equal_motion_stays_equal_over_unequal_times() {
        let path = CameraPath::new(vec![key(0.0, 0.0, 0.6), key(0.5, 1.0, 0.6), key(3.0, 6.0, 0.6)]).unwrap();
        for k in 0..=30 {
            let time = 0.1 * f64::from(k);
            assert!((path.at(time).position.x - 2.0 * time as f32).abs() < 1e-5);
        }
    }

    #[test]
    fn keys_out_of_order_are_no_path() {
        assert!(CameraPath::new(vec![key(1.0, 0.0, 0.6), key(1.0, 1.0, 0.6)]).is_none());
        assert!(CameraPath::new(Vec::new()).is_none());
        let still = CameraPath::still(key(0.0, 2.0, 0.6).camera);
        assert_eq!(still.at(7.0), key(0.0, 2.0, 0.6).camera);
    }
}
