//! `--field`: the distances from a scene's walls, as a field to look at.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use granule::Scene;
use granule::boundary::{Motion, Sdf};
use granule_render::{
    Bounds, ColorMap, Cut, FieldView, IsoSurface, Legend, LegendSide, ScalarGrid, Slice, tick_step,
};

use crate::failure::Failure;

/// Cells along the longest side of the grid.
const CELLS: u32 = 128;
/// Lines of equal value between zero and the largest distance, about.
const LINES: f64 = 8.0;
/// Linear colour of iso-surfaces.
const COLOR: Vec3 = Vec3::new(0.30, 0.40, 0.48);

/// What is to be seen of a field.
#[derive(Clone, Debug)]
pub struct FieldRequest {
    /// The boundary; all of them when absent.
    pub boundary: Option<String>,
    /// An axis and a place on it [m].
    pub slice: Option<(usize, f32)>,
    /// A distance [m].
    pub iso: Option<f32>,
    /// Distance between lines of equal value [m].
    pub step: Option<f32>,
}

/// The distances from walls.
pub struct DistanceField {
    request: FieldRequest,
    walls: Vec<(Sdf, Option<Motion>)>,
}

impl DistanceField {
    /// The walls that are asked for.
    pub fn new(scene: &Scene, request: &FieldRequest) -> Result<Self, Failure> {
        let wanted = |name: &str| request.boundary.as_deref().is_none_or(|wanted| wanted == name);
        let mut walls = Vec::new();
        for boundary in scene.boundary.iter().filter(|boundary| wanted(&boundary.name)) {
            let sdf =
                Sdf::new(&boundary.shape).map_err(|error| Failure::Input(format!("boundary: {error}")))?;
            walls.push((sdf, boundary.motion.clone()));
        }
        if walls.is_empty() {
            let names: Vec<&str> = scene.boundary.iter().map(|boundary| boundary.name.as_str()).collect();
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            let wanted = request.boundary.as_ref().map_or(String::new(), |name| format!(":{name}"));
            return Err(Failure::Input(format!(
                "--field boundary{wanted}: the scene has no such boundary; it has {known}"
            )));
        }
        Ok(Self { request: request.clone(), walls })
    }

    /// Whether any of the walls moves.
    pub fn moves(&self) -> bool {
        self.walls.iter().any(|(_, motion)| motion.is_some())
    }

    /// The part of space to look at: a region together with all walls that have an end.
    pub fn region(&self, around: &Bounds) -> Bounds {
        let room = 0.1 * (around.max - around.min).max_element();
        let wide = Bounds { min: around.min - room, max: around.max + room };
        let ends = self.walls.iter().filter(|(_, motion)| motion.is_none());
        let ends = ends.filter_map(|(sdf, _)| sdf.bounds()).map(|(min, max)| Bounds { min, max });
        ends.fold(wide, |all, end| all.union(Bounds { min: end.min - 0.5 * room, max: end.max + 0.5 * room }))
    }

    /// Distances at a time [s] over a region; negative inside walls.
    pub fn grid(&self, region: &Bounds, time: f64) -> Result<Arc<ScalarGrid>, Failure> {
        let walls: Vec<_> = self
            .walls
            .iter()
            .map(|(sdf, motion)| (sdf, motion.as_ref().map(|motion| motion.pose(time))))
            .collect();
        let distance = |x: Vec3| {
            let distances = walls.iter().map(|(sdf, pose)| match pose {
                Some(pose) => sdf.distance(pose.body_from_world(x)),
                None => sdf.distance(x),
            });
            distances.fold(f32::MAX, f32::min)
        };
        let sampled = ScalarGrid::sampled(region, CELLS, distance);
        sampled.map_err(|error| Failure::Run(format!("--field: {error}")))
    }

    /// The view of a grid, cut open, with the legend of its slice.
    pub fn view(&self, grid: Arc<ScalarGrid>, cut: Option<Cut>) -> (FieldView, Option<Legend>) {
        let largest = grid.values().iter().fold(0f32, |most, value| most.max(value.abs()));
        let range = [-largest.max(1e-6), largest.max(1e-6)];
        let map = ColorMap::Diverging;
        let step = self.request.step.unwrap_or_else(|| tick_step(f64::from(range[1]) / LINES) as f32);
        let slice = self.request.slice.map(|(axis, place)| {
            let normal = Vec3::AXES[axis];
            Slice { point: place * normal, normal, map, range, step }
        });
        let legend = slice.map(|_| Legend {
            title: "distance".into(),
            unit: "m".into(),
            map,
            range,
            side: LegendSide::Right,
        });
        let iso = self.request.iso.map(|value| IsoSurface { value, color: COLOR, both_sides: false });
        (FieldView { grid, world_from_field: Affine3A::IDENTITY, slice, iso, cut }, legend)
    }
}

/// The cut at a place on an axis, open towards an eye.
pub fn cut_towards(eye: Vec3, (axis, place): (usize, f32)) -> Cut {
    let side = if eye[axis] >= place { 1.0 } else { -1.0 };
    Cut { point: place * Vec3::AXES[axis], normal: side * Vec3::AXES[axis] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_holds_the_distances_of_the_walls_that_are_asked_for() {
        let scene = Scene::open("hourglass", false, &[]).unwrap();
        let request = FieldRequest { boundary: None, slice: Some((2, 0.0)), iso: None, step: None };
        let field = DistanceField::new(&scene, &request).unwrap();
        let region = Bounds { min: Vec3::splat(-0.1), max: Vec3::splat(0.1) };
        let grid = field.grid(&region, 0.0).unwrap();
        let walls: Vec<Sdf> = scene.boundary.iter().map(|wall| Sdf::new(&wall.shape).unwrap()).collect();
        let exact = walls.iter().map(|wall| wall.distance(region.min)).fold(f32::MAX, f32::min);
        assert_eq!(grid.values()[0], exact);
        // What is before the cut is left out, on whichever side the eye is.
        let (near, far) = (Vec3::new(0.0, 0.0, 0.1), Vec3::new(0.0, 0.0, -0.1));
        let cut = cut_towards(Vec3::Z, (2, 0.0));
        assert!(cut.removes(near) && !cut.removes(far));
        let cut = cut_towards(Vec3::NEG_Z, (2, 0.0));
        assert!(cut.removes(far) && !cut.removes(near));
        let other = FieldRequest { boundary: Some("moon".into()), ..request };
        let Err(Failure::Input(message)) = DistanceField::new(&scene, &other) else { panic!("no moon") };
        assert!(message.contains(&scene.boundary[0].name), "{message}");
    }
}
