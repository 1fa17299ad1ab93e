//! From the grain shapes of a scene to spheres.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use crate::assemblies::Sphere;
use crate::boundary::MeshShape;
use crate::clumps::{ClumpShape, NamedClump, fit_spheres, parse_spheres};
use crate::scene::{GrainShape, MOST_SIZE_RATIO, Scene};

/// Largest file with a list of spheres [bytes].
const MOST_BYTES: u64 = 1 << 20;

/// The shapes of the grains of a scene that are several spheres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainShapes {
    /// For every entry of `[[grains]]`; none for spheres.
    pub grains: Vec<Option<Arc<ClumpShape>>>,
    /// For every entry of `[[emitter]]`.
    pub emitters: Vec<Option<Arc<ClumpShape>>>,
}

/// Why the shape of grains cannot be made.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[error("{reason}")]
pub struct GrainShapeError {
    /// Scene path of the key.
    pub path: String,
    /// Why, and what to do.
    pub reason: String,
}

impl GrainShapes {
    /// Reads, fills and weighs all shapes of a scene; equal ones once.
    ///
    /// # Errors
    /// Names the key, and the file where there is one.
    pub fn new(scene: &Scene) -> Result<Self, GrainShapeError> {
        let mut known: Vec<(&GrainShape, Option<Arc<ClumpShape>>)> = Vec::new();
        let mut find = |shape, path: String| match known.iter().find(|(other, _)| *other == shape) {
            Some((_, found)) => Ok(found.clone()),
            None => {
                let made = clump(shape).map_err(|reason| GrainShapeError { path, reason })?.map(Arc::new);
                known.push((shape, made.clone()));
                Ok(made)
            }
        };
        let mut shapes = Self::default();
        for (k, grains) in scene.grains.iter().enumerate() {
            shapes.grains.push(find(&grains.grain, format!("grains.{k}.grain"))?);
        }
        for emitter in &scene.emitter {
            shapes.emitters.push(find(&emitter.grain, format!("emitter.{}.grain", emitter.name))?);
        }
        shapes.check_sizes(scene)?;
        Ok(shapes)
    }

    /// Smallest and largest radius of all spheres that a scene has or may emit [m], with the keys that they come from.
    fn sizes(&self, scene: &Scene) -> Vec<(String, f32, f32)> {
        let mut sizes = Vec::new();
        let mut add = |path: String, radius: (f32, f32), clump: &Option<Arc<ClumpShape>>| {
            let (least, most) = clump.as_ref().map_or((1.0, 1.0), |clump| clump.limits());
            sizes.push((path, radius.0 * least, radius.1 * most));
        };
        for (k, (grains, clump)) in scene.grains.iter().zip(&self.grains).enumerate() {
            let radius = scene.radius_of(&grains.material, grains.radius.as_ref()).limits();
            add(format!("grains.{k}.grain"), radius, clump);
        }
        for (emitter, clump) in scene.emitter.iter().zip(&self.emitters) {
            let radius = scene.radius_of(&emitter.material, emitter.radius.as_ref()).limits();
            add(format!("emitter.{}.grain", emitter.name), radius, clump);
        }
        for wall in &scene.boundary {
            let rough = wall.rough.map(|diameter| 0.5 * diameter);
            sizes.extend(rough.map(|radius| (format!("boundary.{}.rough", wall.name), radius, radius)));
        }
        sizes
    }

    /// Smallest and largest radius of all spheres that a scene has or may emit [m]; none without any.
    pub fn limits(&self, scene: &Scene) -> Option<(f32, f32)> {
        self.sizes(scene)
            .into_iter()
            .map(|(_, least, most)| (least, most))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    fn check_sizes(&self, scene: &Scene) -> Result<(), GrainShapeError> {
        let sizes = self.sizes(scene);
        let least = sizes.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let most = sizes.iter().max_by(|a, b| a.2.total_cmp(&b.2));
        let (Some((of_least, least, _)), Some((of_most, _, most))) = (least, most) else { return Ok(()) };
        // The limit belongs to it, however it is rounded.
        if *most <= 1.0002 * MOST_SIZE_RATIO * least {
            return Ok(());
        }
        let reason = format!(
            "the largest sphere has a radius of {most} m, {:.1} times the smallest of the scene, {least} m ({of_least}); at \
             most {MOST_SIZE_RATIO} times is possible. Bring the sizes of grains nearer to each other, or take shapes of \
             more equal spheres",
            most / least
        );
        Err(GrainShapeError { path: of_most.clone(), reason })
    }
}

/// The spheres of a shape, where it is several.
fn clump(shape: &GrainShape) -> Result<Option<ClumpShape>, String> {
    let spheres = match shape {
        GrainShape::Sphere => return Ok(None),
        GrainShape::Dumbbell => NamedClump::Dumbbell.spheres(),
        GrainShape::Rod => NamedClump::Rod.spheres(),
        GrainShape::Tetrahedron => NamedClump::Tetrahedron.spheres(),
        GrainShape::Cube => NamedClump::Cube.spheres(),
        GrainShape::Plate => NamedClump::Plate.spheres(),
        GrainShape::Ellipsoid => NamedClump::Ellipsoid.spheres(),
        GrainShape::Spheres(rows) => {
            rows.iter().map(|&[x, y, z, radius]| Sphere { center: [x, y, z].into(), radius }).collect()
        }
        GrainShape::File(file) => {
            let named = |reason: String| format!("{file}: {reason}");
            parse_spheres(&read(file).map_err(named)?).map_err(|error| named(error.to_string()))?
        }
        GrainShape::Mesh(mesh) => {
            let body = MeshShape::of_file(mesh.file.clone()).load().map_err(|error| error.to_string())?;
            fit_spheres(&body, mesh.spheres as usize)
                .map_err(|error| format!("{}: {error}", mesh.file))?
                .spheres
        }
    };
    let file = match shape {
        GrainShape::File(file) => format!("{file}: "),
        GrainShape::Mesh(mesh) => format!("{}: ", mesh.file),
        _ => String::new(),
    };
    ClumpShape::new(&spheres, MOST_SIZE_RATIO).map(Some).map_err(|error| format!("{file}{error}"))
}

fn read(file: &str) -> Result<String, String> {
    let mut text = String::new();
    let opened = File::open(file).map_err(|error| error.to_string())?;
    opened.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("the file is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(text)
}
