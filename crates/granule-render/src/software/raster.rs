//! What every sample of a picture shows: the nearest solid thing.

use glam::Vec2;
use rayon::prelude::*;

use super::field::FieldTracer;
use super::seen::{Seen, Surface};
use super::sphere::SphereRaster;
use super::triangle::TriangleRaster;
use crate::frame::FrameParams;
use crate::render_scene::RenderScene;

/// Rows of samples that are drawn together.
const BAND: usize = 32;

/// The samples of a picture.
pub struct Raster {
    width: usize,
    seen: Vec<Seen>,
}

impl Raster {
    /// Finds what every sample shows.
    pub fn new(frame: &FrameParams, scene: &RenderScene, field: Option<&FieldTracer>) -> Self {
        let (width, height) = (frame.size.x as usize, frame.size.y as usize);
        let (spheres, _) = scene.spheres.in_memory();
        let sphere_rasters: Vec<SphereRaster> = spheres
            .par_iter()
            .enumerate()
            .filter_map(|(index, sphere)| SphereRaster::new(frame, index as u32, sphere, width, height))
            .collect();
        let solid = (0..).zip(scene.meshes).filter(|(_, instance)| instance.is_opaque());
        let triangle_rasters: Vec<TriangleRaster> = solid
            .flat_map(|(body, instance)| TriangleRaster::of_mesh(frame, body, instance, width, height))
            .collect();
        let sphere_bands = bands(height, sphere_rasters.iter().map(|ball| &ball.rows));
        let triangle_bands = bands(height, triangle_rasters.iter().map(|raster| &raster.rows));
        let nothing = Seen { distance: f32::INFINITY, surface: Surface::Ground };
        let mut seen = vec![nothing; width * height];
        seen.par_chunks_mut(width * BAND).enumerate().for_each(|(band, samples)| {
            let first = band * BAND;
            for (k, sample) in samples.iter_mut().enumerate() {
                let place = Vec2::new((k % width) as f32 + 0.5, (first + k / width) as f32 + 0.5);
                sample.distance = ground_distance(frame, place);
                let found = field.into_iter().flat_map(|field| field.trace(frame, place));
                for other in found {
                    if other.distance < sample.distance {
                        *sample = other;
                    }
                }
            }
            for index in &sphere_bands[band] {
                sphere_rasters[*index as usize].draw(frame, samples, first, width);
            }
            for index in &triangle_bands[band] {
                triangle_rasters[*index as usize].draw(frame, samples, first, width);
            }
        });
        Self { width, seen }
    }

    /// The nearest solid thing at a sample.
    pub fn at(&self, x: u32, y: u32) -> Seen {
        self.seen[self.index(x as usize, y as usize)]
    }

    /// The number of a sample.
    pub fn index(&self, x: usize, y: usize) -> usize {
        y * self.width + x
    }

    /// Width and height \[samples\].
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.seen.len() / self.width]
    }
}

/// For every band of rows, the numbers of the things that may be seen in it.
fn bands<'a>(height: usize, rows: impl Iterator<Item = &'a std::ops::Range<usize>>) -> Vec<Vec<u32>> {
    let mut bands: Vec<Vec<u32>> = vec![Vec::new(); height.div_ceil(BAND)];
    for (index, rows) in (0..).zip(rows) {
        for band in &mut bands[rows.start / BAND..rows.end.div_ceil(BAND)] {
            band.push(index);
        }
    }
    bands
}

fn ground_distance(frame: &FrameParams, place: Vec2) -> f32 {
    let fall = frame.world_from_view.transform_vector3(frame.view_ray(place)).y;
    let distance = (frame.ground.w - frame.world_from_view.w_axis.y) / fall;
    if fall < 0.0 && frame.ground_fade.w > 0.0 && distance >= frame.projection.z {
        distance
    } else {
        f32::INFINITY
    }
}
