//! Containers with a hole in their bottom: filled, at rest, opened, and the grains counted that leave.

use glam::Vec3;

use crate::boundary::Shape;
use crate::measure::drive::next_frame;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement};
use crate::scene::{BoundarySettings, GrainShape, GrainsSettings, OutletSettings};
use crate::simulation::{Simulation, SimulationError};
use crate::statistics::linear_fit;

use super::bed::{Bed, Rest, settle, take_away};
use super::sand::{D, Spheres, meters, point, random_grains, time_scale};

/// Part of a shape that a random fill of spheres takes.
pub const FILL: f64 = 0.36;

/// A container of revolution about the y axis, its hole at y = 0. Lengths in diameters.
pub struct Silo {
    /// What the grains are like.
    pub spheres: Spheres,
    /// Their shape.
    pub grain: GrainShape,
    /// Friction of the walls; that of the grains where there is none.
    pub wall_friction: Option<f32>,
    /// Steps over the Rayleigh time and over the duration of a collision; the usual ones where there are none.
    pub step_shares: Option<(f64, f64)>,
    /// Diameter of the hole.
    pub hole: f64,
    /// Diameter of the container.
    pub width: f64,
    /// Height at which its bottom reaches the full width; 0 is a flat bottom.
    pub rise: f64,
    /// Height that grains fill at rest, about.
    pub depth: f64,
    /// Seed.
    pub seed: u64,
}

/// Grains that have left.
pub struct Outflow {
    /// Time since the hole was opened [sqrt(d/g)], and grains.
    pub curve: Vec<[f64; 2]>,
    /// Volume of the bed before, per grain \[d3\].
    pub bulk: f64,
    /// Grains at the start.
    pub count: f64,
}

impl Default for Silo {
    /// Spheres behind a flat bottom; without a hole, width and depth of its own.
    fn default() -> Self {
        Self {
            spheres: Spheres::default(),
            grain: GrainShape::Sphere,
            wall_friction: None,
            step_shares: None,
            hole: 0.0,
            width: 0.0,
            rise: 0.0,
            depth: 0.0,
            seed: 1,
        }
    }
}

impl Silo {
    /// Height up to which a loose fill reaches.
    fn loose_depth(&self) -> f64 {
        self.depth * 0.6 / FILL
    }

    fn walls(&self) -> Vec<BoundarySettings> {
        let (inner, outer, top) = (0.5 * self.hole, 0.5 * self.width, self.loose_depth() + self.rise + 2.0);
        // A flat bottom is a cone that rises by a hundredth of a diameter.
        let rise = self.rise.max(0.01);
        let funnel = |from: f64, to: f64, from_radius: f64, to_radius: f64| Shape::Funnel {
            from: point([0.0, from, 0.0]),
            to: point([0.0, to, 0.0]),
            from_radius: meters(from_radius),
            to_radius: meters(to_radius),
            thickness: meters(1.0),
        };
        let lid =
            Shape::cuboid(point([-inner - 1.0, -1.0, -inner - 1.0]), point([inner + 1.0, 0.0, inner + 1.0]));
        let wall = |name: &str, shape: Shape| BoundarySettings {
            friction: self.wall_friction,
            ..BoundarySettings::new(name, shape)
        };
        vec![
            wall("bottom", funnel(0.0, rise, inner, outer)),
            wall("wall", funnel(rise, top, outer, outer)),
            wall("gate", lid),
        ]
    }

    fn fills(&self) -> Vec<Shape> {
        let (inner, outer) = (0.5 * self.hole, 0.5 * self.width);
        let mut shapes = Vec::new();
        if self.rise > 0.0 {
            shapes.push(Shape::Cone {
                from: point([0.0, 0.0, 0.0]),
                to: point([0.0, self.rise, 0.0]),
                from_radius: meters(inner),
                to_radius: meters(outer),
                hollow: false,
            });
        }
        if self.loose_depth() > self.rise {
            let from = point([0.0, self.rise + 0.02, 0.0]);
            let to = point([0.0, self.loose_depth(), 0.0]);
            shapes.push(Shape::Cylinder { from, to, radius: meters(outer), hollow: false });
        }
        shapes
    }

    /// Volume of the container between two heights \[d3\]: a frustum up to its rise, a cylinder above.
    fn volume(&self, [low, high]: [f64; 2]) -> f64 {
        let (inner, outer) = (0.5 * self.hole, 0.5 * self.width);
        let below = |height: f64| {
            let in_cone = height.min(self.rise);
            let widest = if self.rise > 0.0 { inner + (outer - inner) * in_cone / self.rise } else { outer };
            let cone = in_cone / 3.0 * (inner * inner + inner * widest + widest * widest);
            std::f64::consts::PI * (cone + (height - in_cone) * outer * outer)
        };
        below(high) - below(low)
    }

    /// Volume of the bed per grain \[d3\]: where it has the full width, if it reaches so high; else in the upper part of the cone.
    fn bulk(&self, simulation: &mut Simulation) -> Result<f64, SimulationError> {
        let (bed, grains) = (Bed::of_grains(simulation)?, simulation.grain_count());
        let surface = bed.height(0.1) / D - 2.0;
        let floor = self.rise.max(1.0);
        let inside = [if surface > floor + 2.0 { floor } else { 0.3 * surface }, surface];
        let volume = self.volume(inside);
        let ground = volume / (inside[1] - inside[0]) * D * D;
        let solid = bed.fraction(inside.map(|height| height * D), ground);
        let cubes = bed.radius.iter().map(|r| (2.0 * r / D).powi(3)).sum::<f64>();
        Ok(std::f64::consts::PI / 6.0 * cubes / grains.max(1) as f64 / solid)
    }

    /// Lets grains settle, opens the hole, and counts until `share` of them have left or `longest` [sqrt(d/g)] has passed.
    ///
    /// # Errors
    /// The scene is refused, or the device has failed.
    pub fn discharge(
        &self,
        options: &MeasureOptions,
        measurement: &mut Measurement,
        (share, longest): (f64, f64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<Outflow, SimulationError> {
        let mut scene = self.spheres.scene("silo");
        scene.simulation.seed = self.seed;
        scene.simulation.fps = 4.0 / time_scale();
        // Grains that have left are counted at frames.
        scene.simulation.flow_interval = Some(1.0 / scene.simulation.fps);
        if let Some(shares) = self.step_shares {
            (scene.dem.rayleigh_share, scene.dem.collision_share) = shares;
        }
        scene.boundary = self.walls();
        let fill = |shape| GrainsSettings { grain: self.grain.clone(), ..random_grains(shape) };
        scene.grains.extend(self.fills().into_iter().map(fill));
        let below = Shape::Plane { point: point([0.0, -3.0, 0.0]), normal: [0.0, 1.0, 0.0] };
        scene.outlet.push(OutletSettings { name: "out".into(), shape: below, time: None });
        let mut simulation = Run::new(scene, options)?;
        measurement.describe(&simulation);
        let rest = Rest { energy: 1e-2, within: [8.0, 30.0] };
        settle(&mut simulation, rest, &mut |part| progress(0.3 * part))?;
        let bulk = simulation.observe("fill", |simulation| self.bulk(simulation))?;
        let count = simulation.grain_count() as f64;
        take_away(&mut simulation, "gate", Vec3::NEG_Y);
        let (start, mut curve) = (simulation.time(), Vec::new());
        loop {
            next_frame(&mut simulation)?;
            let left = count - simulation.grain_count() as f64;
            let passed = (simulation.time() - start) / time_scale();
            curve.push([passed, left]);
            progress(0.3 + 0.7 * (left / (share * count)).max(passed / longest).min(1.0));
            if left >= share * count || passed >= longest {
                return Ok(Outflow { curve, bulk, count });
            }
        }
    }
}

impl Outflow {
    /// Rate [grains per sqrt(d/g)] and R2 of the line through what left between two shares of all grains that leave.
    pub fn rate(&self, [from, to]: [f64; 2]) -> (f64, f64) {
        let last = self.curve.last().map_or(0.0, |point| point[1]);
        let part = self.curve.iter().copied().filter(|[_, n]| *n >= from * last && *n <= to * last);
        let part: Vec<[f64; 2]> = part.collect();
        if part.len() < 5 {
            return (f64::NAN, f64::NAN);
        }
        let (rate, _, linearity) = linear_fit(&part);
        (rate, linearity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_middle() {
        let curve: Vec<[f64; 2]> =
            (0..100).map(|k| [k as f64, if k < 10 { 0.0 } else { 3.0 * (k - 10) as f64 }]).collect();
        let outflow = Outflow { curve, bulk: 0.9, count: 400.0 };
        let (rate, linearity) = outflow.rate([0.1, 0.8]);
        assert!((rate - 3.0).abs() < 1e-12 && (linearity - 1.0).abs() < 1e-12);
        assert!(outflow.rate([0.5, 0.51]).0.is_nan());
    }

    /// A cone of 45 degrees that ends in a cylinder.
    #[test]
    fn a_container_has_the_volume_of_cone_and_cylinder() {
        let silo = Silo { hole: 4.0, width: 10.0, rise: 3.0, depth: 5.0, ..Silo::default() };
        let pi = std::f64::consts::PI;
        assert!((silo.volume([0.0, 3.0]) - pi * (4.0 + 10.0 + 25.0)).abs() < 1e-9);
        assert!((silo.volume([3.0, 5.0]) - pi * 50.0).abs() < 1e-9);
        // From where it is 4 wide to where it is 5 wide.
        assert!((silo.volume([2.0, 3.0]) - pi / 3.0 * (16.0 + 20.0 + 25.0)).abs() < 1e-9);
    }
}
