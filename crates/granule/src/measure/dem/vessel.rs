//! Vessels that grains are poured into: periodic across, or a cylinder, both with a rough base.

use crate::boundary::Shape;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement};
use crate::scene::{BoundarySettings, GrainShape, GrainsSettings, Periodic, RegionSettings, Scene};
use crate::simulation::SimulationError;

use super::sand::{Spheres, meters, point, random_grains};
use super::silo::FILL;

/// What holds the bed.
#[derive(Clone, Copy)]
pub enum Container {
    /// Periodic across, with this side \[d\].
    Periodic(f64),
    /// A cylinder of this radius \[d\].
    Cylinder(f64),
}

/// A bed of one kind of grains.
#[derive(Clone, Copy)]
pub struct Vessel {
    /// Whether grains are tetrahedra of four spheres, or single spheres.
    pub tetrahedra: bool,
    /// What holds it.
    pub container: Container,
    /// Its depth, about \[d\].
    pub depth: f64,
}

impl Vessel {
    /// Name of its grains.
    pub fn name(&self) -> &'static str {
        if self.tetrahedra { "tetrahedra" } else { "spheres" }
    }

    /// Height that a loose fill reaches \[d\].
    pub fn loose_height(&self) -> f64 {
        self.depth * 0.6 / FILL
    }

    /// Half of the width \[d\].
    pub fn half(&self) -> f64 {
        match self.container {
            Container::Periodic(side) => 0.5 * side,
            Container::Cylinder(radius) => radius,
        }
    }

    /// Its ground \[d2\].
    pub fn ground(&self) -> f64 {
        match self.container {
            Container::Periodic(side) => side * side,
            Container::Cylinder(radius) => std::f64::consts::PI * radius * radius,
        }
    }

    /// Side of the periodic cell \[d\].
    pub fn period(&self) -> Option<f64> {
        match self.container {
            Container::Periodic(side) => Some(side),
            Container::Cylinder(_) => None,
        }
    }

    /// Adds base and walls to a scene, and grains that fall into them. The base is boundary 0.
    fn fill(&self, scene: &mut Scene) {
        let (half, height) = (self.half(), self.loose_height());
        let shape = match self.container {
            Container::Periodic(_) => {
                let across = Some([meters(-half), meters(half)]);
                scene.simulation.periodic = Periodic { x: across, y: None, z: across };
                Shape::cuboid(point([-half, 0.6, -half]), point([half, height, half]))
            }
            Container::Cylinder(radius) => {
                let (from, to) = (point([0.0, 0.6, 0.0]), point([0.0, height, 0.0]));
                Shape::Cylinder { from, to, radius: meters(radius), hollow: false }
            }
        };
        let reach = half - 0.05;
        scene.boundary.push(BoundarySettings {
            rough: Some(meters(1.0)),
            rough_region: Some(RegionSettings {
                min: point([-reach, -0.5, -reach]),
                max: point([reach, 0.5, reach]),
            }),
            ..BoundarySettings::new("base", Shape::floor(0.0))
        });
        if let Container::Cylinder(radius) = self.container {
            let tube = Shape::Funnel {
                from: point([0.0, -1.0, 0.0]),
                to: point([0.0, height + 6.0, 0.0]),
                from_radius: meters(radius),
                to_radius: meters(radius),
                thickness: meters(1.0),
            };
            scene.boundary.push(BoundarySettings::new("wall", tube));
        }
        let grain = if self.tetrahedra { GrainShape::Tetrahedron } else { GrainShape::Sphere };
        scene.grains.push(GrainsSettings { grain, ..random_grains(shape) });
    }

    /// Begins with loose grains that fall into it, and with what `add` adds to the scene.
    ///
    /// # Errors
    /// The scene or the device is at fault.
    pub fn pour(
        &self,
        options: &MeasureOptions,
        measurement: &mut Measurement,
        spheres: Spheres,
        add: impl FnOnce(&mut Scene),
    ) -> Result<Run, SimulationError> {
        let mut scene = spheres.scene(&measurement.experiment);
        self.fill(&mut scene);
        add(&mut scene);
        let simulation = Run::new(scene, options)?;
        measurement.describe(&simulation);
        Ok(simulation)
    }
}
