//! Radii, rough walls and grains that are held in place, and what solvers demand of them.

use super::*;
use crate::assemblies::Sphere;
use crate::boundary::Shape;
use crate::clumps::{ClumpShape, MOST_SPHERES};
use crate::scene::schema::{
    BodyCoupling, BodySettings, Fill, GrainShape, RadiusDistribution, RadiusSettings,
};

/// Largest ratio of two radii of a scene; the search for neighbours is made for it.
pub const MOST_SIZE_RATIO: f32 = 10.0;

impl Scene {
    /// Checks what a solver demands of a scene that is right in itself.
    pub(super) fn check_for(&self, solver: &str, can: SolverCapabilities) -> Check {
        if can.one_radius {
            self.check_one_radius(solver)?;
        }
        if !can.has_grains {
            self.check_no_grains(solver)?;
            self.check_no_held_forces(solver)?;
        }
        if !can.has_clumps {
            self.check_no_clumps(solver)?;
        }
        if can.has_grains {
            self.check_no_second_density(solver)?;
        }
        if !can.has_particle_bodies {
            self.check_no_particle_bodies(solver)?;
        }
        self.check_size_ratio()
    }

    /// No density of grains beside that of the material, which is it already.
    fn check_no_second_density(&self, solver: &str) -> Check {
        let of_dem = |(i, m): (usize, &MaterialSettings)| Some((i, "dem", m.dem.density?));
        let of_pbd = |(i, m): (usize, &MaterialSettings)| Some((i, "pbd", m.pbd.density?));
        let materials = || self.material.iter().enumerate();
        let given = materials().find_map(of_dem).or_else(|| materials().find_map(of_pbd));
        let Some((i, section, density)) = given else { return Ok(()) };
        let allowed = format!("left out: with solver {solver} `density` is that of the grains");
        Err(Box::new(Problem::new(
            ProblemKind::OutOfRange,
            &format!("material.{i}.{section}.density"),
            density,
            allowed,
        )))
    }

    /// No walls that hold a force, and no cell that strains.
    fn check_no_held_forces(&self, solver: &str) -> Check {
        let walls = self.boundary.iter().enumerate().map(|(i, wall)| (format!("boundary.{i}"), &wall.motion));
        let bodies = self.body.iter().enumerate().map(|(i, body)| (format!("body.{i}"), &body.motion));
        let mut servos =
            walls.chain(bodies).filter(|(_, motion)| motion.as_ref().is_some_and(|m| m.servo.is_some()));
        let found = match servos.next() {
            Some((path, _)) => Some((format!("{path}.motion.servo"), "a wall that holds a force")),
            None => {
                self.simulation.strain.as_ref().map(|_| ("simulation.strain".into(), "a cell that strains"))
            }
        };
        let Some((path, what)) = found else { return Ok(()) };
        let allowed =
            format!("solver {solver} cannot; leave it out, or take a solver with grains such as dem");
        Err(Box::new(Problem::new(ProblemKind::OutOfRange, &path, what, allowed)))
    }

    /// No grains of several spheres.
    fn check_no_clumps(&self, solver: &str) -> Check {
        let of_grains =
            self.grains.iter().enumerate().map(|(i, grains)| (format!("grains.{i}.grain"), &grains.grain));
        let of_emitters = self.emitter.iter().enumerate();
        let of_emitters = of_emitters.map(|(i, emitter)| (format!("emitter.{i}.grain"), &emitter.grain));
        match of_grains.chain(of_emitters).find(|(_, grain)| !grain.is_sphere()) {
            None => Ok(()),
            Some((path, _)) => {
                let allowed = format!(
                    "solver {solver} has no rigid grains; leave it out, or take a solver with grains such as dem"
                );
                Err(Box::new(Problem::new(
                    ProblemKind::OutOfRange,
                    &path,
                    "grains of several spheres",
                    allowed,
                )))
            }
        }
    }

    /// No bodies that are made of particles.
    fn check_no_particle_bodies(&self, solver: &str) -> Check {
        let made = |body: &BodySettings| body.coupling == BodyCoupling::Particles;
        let Some(i) = self.body.iter().position(made) else { return Ok(()) };
        let allowed = format!(
            "solver {solver} meets bodies by their surfaces; leave it out or say \"surface\", or take solver pbd on the CPU"
        );
        let path = format!("body.{i}.coupling");
        Err(Box::new(Problem::new(ProblemKind::OutOfRange, &path, "particles", allowed)))
    }

    /// Radii of all materials and keys are that of the first material.
    fn check_one_radius(&self, solver: &str) -> Check {
        let first = self.reference_radius();
        let allowed = || format!("{first} as in material.0: solver {solver} needs one radius per scene");
        for (i, material) in self.material.iter().enumerate() {
            range(material.radius == first, &format!("material.{i}.radius"), material.radius, allowed)?;
        }
        for (path, radius) in self.given_radii() {
            let found = radius.one().map_or("different radii".into(), |radius| radius.to_string());
            range(radius.one() == Some(first), &path, found, || {
                format!("{}, or leave it out for the material's", allowed())
            })?;
        }
        Ok(())
    }

    /// The keys `radius` of grains and emitters, with their paths.
    fn given_radii(&self) -> Vec<(String, &RadiusSettings)> {
        let of_grains = self.grains.iter().enumerate();
        let of_grains =
            of_grains.filter_map(|(i, g)| Some((format!("grains.{i}.radius"), g.radius.as_ref()?)));
        let of_emitters = self.emitter.iter().enumerate();
        let of_emitters =
            of_emitters.filter_map(|(i, e)| Some((format!("emitter.{i}.radius"), e.radius.as_ref()?)));
        of_grains.chain(of_emitters).collect()
    }

    /// No key that only solvers with grains have.
    fn check_no_grains(&self, solver: &str) -> Check {
        let refused = |path: String, found: String| {
            let allowed = format!(
                "solver {solver} moves bulk matter and has no grains to hold in place; leave it out, or take a solver \
                 with grains"
            );
            Err(Box::new(Problem::new(ProblemKind::OutOfRange, &path, found, allowed)))
        };
        if let Some(i) = self.grains.iter().position(|grains| grains.fixed) {
            return refused(format!("grains.{i}.fixed"), "true".into());
        }
        for (fill, word) in [(Fill::Packed, "packed"), (Fill::Touching, "touching")] {
            if let Some(i) = self.grains.iter().position(|grains| grains.fill == fill) {
                return refused(format!("grains.{i}.fill"), word.into());
            }
        }
        for (i, wall) in self.boundary.iter().enumerate() {
            if let Some(rough) = wall.rough {
                return refused(format!("boundary.{i}.rough"), rough.to_string());
            }
        }
        Ok(())
    }

    /// The smallest and the largest radius of all grains, with the keys that they come from.
    fn check_size_ratio(&self) -> Check {
        let mut radii: Vec<(String, (f32, f32))> = Vec::new();
        for (k, material) in self.material.iter().enumerate() {
            let grains = self.grains.iter().any(|g| g.material == material.name && g.radius.is_none());
            let emitted = self.emitter.iter().any(|e| e.material == material.name && e.radius.is_none());
            if grains || emitted {
                radii.push((format!("material.{k}.radius"), (material.radius, material.radius)));
            }
        }
        radii.extend(self.given_radii().into_iter().map(|(path, radius)| (path, radius.limits())));
        for (i, wall) in self.boundary.iter().enumerate() {
            radii.extend(wall.rough.map(|d| (format!("boundary.{i}.rough"), (0.5 * d, 0.5 * d))));
        }
        for (i, body) in self.body.iter().enumerate() {
            let radius = self.particle_radius_of(body);
            radii.extend(radius.map(|radius| (format!("body.{i}.particle_radius"), (radius, radius))));
        }
        let least = radii.iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let most = radii.iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let (Some((of_least, (least, _))), Some((of_most, (_, most)))) = (least, most) else { return Ok(()) };
        // The limit belongs to it, however it is rounded.
        range(*most <= 1.0001 * MOST_SIZE_RATIO * least, of_most, format!("a radius of {most} m"), || {
            format!(
                "at most {MOST_SIZE_RATIO} times the smallest radius of the scene, {least} m ({of_least})"
            )
        })
    }
}

/// A key `radius` by itself.
pub(super) fn check_radius(path: &str, radius: &RadiusSettings) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    match radius {
        RadiusSettings::One(radius) => return positive(path, *radius),
        RadiusSettings::Range(_) => {}
        RadiusSettings::Distribution(distribution) => match distribution {
            RadiusDistribution::Uniform { .. } => {}
            RadiusDistribution::Normal { mean, deviation, .. } => {
                positive(&at("normal.mean"), *mean)?;
                positive(&at("normal.deviation"), *deviation)?;
            }
            RadiusDistribution::LogNormal { median, deviation, .. } => {
                positive(&at("log_normal.median"), *median)?;
                positive(&at("log_normal.deviation"), *deviation)?;
            }
            RadiusDistribution::Table { rows, .. } => {
                range(!rows.is_empty(), &at("table.rows"), "[]", || "at least one [radius, share]".into())?;
                for (k, row) in rows.iter().enumerate() {
                    positive(&at(&format!("table.rows.{k}.0")), row[0])?;
                    positive(&at(&format!("table.rows.{k}.1")), row[1])?;
                }
                return Ok(());
            }
        },
    }
    let (least, most) = radius.limits();
    let found = format!("radii from {least} to {most} m");
    range(least > 0.0 && least < most && most.is_finite(), path, found, || {
        "the smallest above 0 and below the largest; give `min` and `max`, or a smaller deviation".into()
    })
}

/// The shape of single grains by itself, as far as no file has to be read.
pub(super) fn check_grain_shape(path: &str, shape: &GrainShape) -> Check {
    match shape {
        GrainShape::Spheres(rows) => {
            let spheres = rows.iter().map(|&[x, y, z, radius]| Sphere { center: [x, y, z].into(), radius });
            ClumpShape::new(&spheres.collect::<Vec<_>>(), MOST_SIZE_RATIO).map(|_| ()).map_err(|error| {
                let allowed =
                    "a list of spheres that touch or overlap, each [x, y, z, radius] with a radius above 0";
                let path = format!("{path}.spheres");
                Box::new(Problem::new(ProblemKind::OutOfRange, &path, error.to_string(), allowed))
            })
        }
        GrainShape::Mesh(mesh) => {
            let count = mesh.spheres as usize;
            range((1..=MOST_SPHERES).contains(&count), &format!("{path}.mesh.spheres"), count, || {
                format!("from 1 to {MOST_SPHERES}")
            })
        }
        _ => Ok(()),
    }
}

/// Fills that need one radius have it, and grains of several spheres a fill that takes them.
pub(super) fn check_fill(path: &str, grains: &GrainsSettings) -> Check {
    check_grain_shape(&format!("{path}.grain"), &grains.grain)?;
    let takes_clumps = matches!(grains.fill, Fill::Lattice | Fill::Random);
    ensure(grains.grain.is_sphere() || takes_clumps, || {
        let found = "this fill has spheres only";
        let allowed = "fill = \"random\", or \"lattice\", for grains of several spheres";
        Problem::new(ProblemKind::OutOfRange, &format!("{path}.fill"), found, allowed)
    })?;
    let Some(radius) = &grains.radius else { return Ok(()) };
    check_radius(&format!("{path}.radius"), radius)?;
    let ordered = matches!(grains.fill, Fill::Lattice | Fill::Jittered | Fill::Packed | Fill::Touching);
    ensure(!ordered || radius.one().is_some(), || {
        let found = "a lattice, and what replaces one, has grains of one radius only";
        let allowed = "fill = \"random\" or fill = \"relaxed\" for different radii, or one number as radius";
        Problem::new(ProblemKind::OutOfRange, &format!("{path}.fill"), found, allowed)
    })
}

/// A rough wall by itself.
pub(super) fn check_rough(path: &str, wall: &BoundarySettings) -> Check {
    let Some(rough) = wall.rough else {
        return ensure(wall.rough_region.is_none(), || {
            let allowed = "say by `rough` how large the spheres are, or leave it out";
            Problem::new(ProblemKind::Address, &format!("{path}.rough_region"), "the wall is smooth", allowed)
        });
    };
    positive(&format!("{path}.rough"), rough)?;
    ensure(wall.motion.is_none(), || {
        let allowed = "only walls at rest can be rough; leave out `rough` or `motion`";
        Problem::new(ProblemKind::Address, &format!("{path}.rough"), "the wall moves", allowed)
    })?;
    match &wall.rough_region {
        Some(region) => {
            let path = format!("{path}.rough_region");
            finite_all(&format!("{path}.min"), &region.min)?;
            finite_all(&format!("{path}.max"), &region.max)?;
            let ordered = (0..3).all(|axis| region.min[axis] < region.max[axis]);
            range(ordered, &format!("{path}.max"), list(&region.max), || {
                format!("above min = {} along every axis", list(&region.min))
            })
        }
        None => ensure(!has_plane(&wall.shape), || {
            let allowed =
                "a plane has no end: say where it is rough, rough_region = { min = [..], max = [..] }";
            Problem::new(ProblemKind::Address, &format!("{path}.rough_region"), "it is missing", allowed)
        }),
    }
}

fn has_plane(shape: &Shape) -> bool {
    match shape {
        Shape::Plane { .. } => true,
        Shape::Union(parts) | Shape::Intersection(parts) | Shape::Subtraction(parts) => {
            parts.iter().any(has_plane)
        }
        _ => false,
    }
}
