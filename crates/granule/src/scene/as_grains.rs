//! From a scene for a continuum to one with grains: what bulk matter is described by becomes what its grains are like.
//!
//! docs/grains.md says how, with the measurements behind the tables. [`Scene::open`] does it where a scene is for a continuum and
//! the solver that is asked for has grains.

mod pbd;
mod tables;
#[cfg(test)]
mod tests;

use glam::Vec3;

use super::error::{Problem, ProblemKind, SceneError};
use super::schema::{
    DemMaterialSettings, EmitterSettings, Fill, MaterialSettings, PressureLaw, Quantity, Scene, SolverKind,
};
use crate::boundary::{Sdf, Shape};

/// Part of the volume of bulk matter that grains have.
pub const PACKED_FRACTION: f64 = 0.6;

/// Young's modulus over the pressure at the bottom of the bed: with Hertz's law a mean overlap of 1 % of the diameter there.
///
/// ```text
/// overlap/d = (2.9 p/E)^(2/3)          forces of pi d^2 p/(0.6 z) in z = 5 contacts, nu = 0.3
/// ```
const YOUNG_PER_PRESSURE: f64 = 3000.0;

/// Largest overlap, in diameters, that the pull of a liquid bridge gives two grains.
const PULLED_OVERLAP: f64 = 0.003;

/// Least depth that stiffness is for, in diameters.
const LEAST_DEPTH: f64 = 10.0;

/// Steps over the Rayleigh time and over the duration of a collision: longer than those of scenes made for grains, as a
/// restitution of 0.5 that comes out as 0.52 does no harm in sand.
const STEP_SHARES: (f64, f64) = (0.2, 0.1);

/// Volume of a liquid bridge over the cubed radius: it breaks at a tenth of a radius.
const BRIDGE_VOLUME: f64 = 1e-3;

/// Fields of bulk matter that grains do not have.
const BULK_FIELDS: [&str; 6] =
    ["density_error", "yield_ratio", "strain_rate", "neighbor_count", "normal", "cell"];

type Refused = Box<Problem>;

impl Scene {
    /// The scene for a continuum as one with grains, of about as many and of the same mass.
    ///
    /// Grains have the bulk density over 0.6; lattices become random packings; friction angle and cohesion become constants
    /// of contacts by measured tables, and walls hold grains without letting them roll; Young's modulus follows from the depth of the bed.
    ///
    /// # Errors
    /// Names what grains do not have, as keys of fluids, and what lies outside the tables, with their range.
    pub fn into_grains(mut self) -> Result<Self, SceneError> {
        for (i, material) in self.material.iter().enumerate() {
            refuse_fluid(&format!("material.{i}"), material)?;
        }
        self.translate_walls();
        let depth = self.bed_depth();
        let gravity = Vec3::from(self.simulation.gravity).length();
        let (solver, rotation) = (self.simulation.solver, self.pbd.rotation);
        for (i, material) in self.material.iter_mut().enumerate() {
            let path = format!("material.{i}");
            match solver {
                SolverKind::Pbd => pbd::translate_material(&path, material, rotation, f64::from(gravity))?,
                _ => translate_material(&path, material, depth, f64::from(gravity))?,
            }
        }
        let moist = self.material.iter().any(|m| m.dem.liquid_volume > 0.0 || m.pbd.tension > 0.0);
        for grains in &mut self.grains {
            if matches!(grains.fill, Fill::Lattice | Fill::Jittered | Fill::Relaxed) {
                grains.fill = if moist { Fill::Touching } else { Fill::Packed };
            }
        }
        (self.dem.rayleigh_share, self.dem.collision_share) = STEP_SHARES;
        self.dem.bridges_at_start = moist;
        self.output.fields.retain(|field| !BULK_FIELDS.contains(&field.as_str()));
        self.expect.retain(|expect| {
            let quantity = expect.quantity;
            !matches!(quantity, Quantity::MeanDensity | Quantity::FineGrains)
        });
        self.as_grains.clear();
        self.quick.clear();
        Ok(self)
    }

    /// Walls and bodies hold grains by the friction that they hold bulk matter by: with as much rolling friction, grains slide on
    /// them before they roll.
    fn translate_walls(&mut self) {
        let angle = self.material.first().map_or(0.0, |material| f64::from(material.friction_angle));
        let walls = self.boundary.iter_mut().map(|wall| (&mut wall.friction, &mut wall.rolling_friction));
        let bodies = self.body.iter_mut().map(|body| (&mut body.friction, &mut body.rolling_friction));
        for (friction, rolling) in walls.chain(bodies) {
            let bulk = *friction.get_or_insert(angle.to_radians().tan() as f32);
            rolling.get_or_insert(bulk);
        }
    }

    /// How deep the bed of sand may be \[m\]: the height of the initial grains along gravity, or the side of the cube of what
    /// emitters may add.
    fn bed_depth(&self) -> f64 {
        let down = Vec3::from(self.simulation.gravity).normalize_or_zero();
        let heights = self.grains.iter().filter_map(|grains| extent(&grains.shape, down));
        let (top, low) =
            heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), (top, low)| (a.min(top), b.max(low)));
        let filled = if low > top { f64::from(low - top) } else { 0.0 };
        let count = |emitter: &EmitterSettings| {
            let poured = emitter.rate * self.simulation.seconds;
            emitter.limit.map_or(poured, |limit| poured.min(limit as f64))
        };
        let spacing = 2.0 * f64::from(self.reference_radius());
        let emitted: f64 = self.emitter.iter().map(count).sum();
        filled.max(emitted.cbrt() * spacing).max(LEAST_DEPTH * spacing)
    }
}

/// Least and largest place of a shape along a direction \[m\].
fn extent(shape: &Shape, along: Vec3) -> Option<(f32, f32)> {
    let (min, max) = Sdf::new(shape).ok()?.bounds()?;
    let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
    let reach = half.dot(along.abs());
    Some((center.dot(along) - reach, center.dot(along) + reach))
}

/// Refuses keys that only fluids have.
fn refuse_fluid(path: &str, m: &MaterialSettings) -> Result<(), Refused> {
    let plain = MaterialSettings::default();
    let keys = [
        ("viscosity", m.viscosity.to_string(), m.viscosity != 0.0),
        ("surface_tension", m.surface_tension.to_string(), m.surface_tension != 0.0),
        ("surface_smoothing", m.surface_smoothing.to_string(), m.surface_smoothing != 0.0),
        ("artificial_viscosity", m.artificial_viscosity.to_string(), m.artificial_viscosity != 0.0),
        ("tait_exponent", m.tait_exponent.to_string(), m.tait_exponent != plain.tait_exponent),
        ("pressure", "another law".into(), m.pressure != PressureLaw::Tait),
    ];
    match keys.into_iter().find(|(_, _, given)| *given) {
        Some((key, found, _)) => {
            let allowed = "left out: it is a key of fluids, and this solver has grains";
            Err(Box::new(Problem::new(ProblemKind::OutOfRange, &format!("{path}.{key}"), found, allowed)))
        }
        None => Ok(()),
    }
}

/// What bulk matter is described by becomes what its grains are like; constants of contacts that are given stay.
fn translate_material(path: &str, m: &mut MaterialSettings, depth: f64, gravity: f64) -> Result<(), Refused> {
    let (bulk, cohesion) = (f64::from(m.density), f64::from(m.cohesion));
    if m.dem.friction.is_none() {
        let [friction, rolling] = tables::friction(f64::from(m.friction_angle)).ok_or_else(|| {
            let [least, most] = tables::angles();
            let allowed = format!(
                "from {least} to {most} degrees, the angles that grains were measured at (docs/grains.md), or give \
                 material.dem.friction"
            );
            let path = format!("{path}.friction_angle");
            Box::new(Problem::new(ProblemKind::OutOfRange, &path, m.friction_angle, allowed))
        })?;
        m.dem.friction = Some(friction);
        m.dem.rolling_friction = rolling;
    }
    let soft = m.dem.young == DemMaterialSettings::default().young;
    if soft {
        m.dem.young = (YOUNG_PER_PRESSURE * (bulk * gravity * depth + cohesion)).max(1e4);
    }
    if cohesion > 0.0 {
        let force = wet(path, m, gravity)?;
        let stiff = young_of_pull(force, f64::from(m.radius), m.dem.poisson);
        m.dem.young = if soft { m.dem.young.max(stiff) } else { m.dem.young };
    }
    m.density = m.dem.density.take().unwrap_or(bulk / PACKED_FRACTION) as f32;
    Ok(())
}

/// Young's modulus \[Pa\] with which a pull \[N\] between grains of a radius \[m\] makes them overlap by [`PULLED_OVERLAP`]:
/// moist sand shrinks as its bridges press grains together.
///
/// ```text
/// E = 2 (1 - nu^2) 3 F/(4 sqrt(R/2) overlap^(3/2))
/// ```
fn young_of_pull(force: f64, radius: f64, poisson: f64) -> f64 {
    let overlap = PULLED_OVERLAP * 2.0 * radius;
    1.5 * (1.0 - poisson * poisson) * force / ((0.5 * radius).sqrt() * overlap.powf(1.5))
}

/// Pull of a liquid bridge that gives a material its cohesion \[N\].
fn bridge(path: &str, m: &MaterialSettings, gravity: f64) -> Result<f64, Refused> {
    let (radius, cohesion) = (f64::from(m.radius), f64::from(m.cohesion));
    let most = tables::MOST_COHESION * f64::from(m.density) * gravity * 2.0 * radius;
    if cohesion > most {
        let allowed = format!(
            "at most {most:.1} Pa with grains of this size, {} times the weight of a layer of grains (docs/grains.md)",
            tables::MOST_COHESION
        );
        let path = format!("{path}.cohesion");
        return Err(Box::new(Problem::new(ProblemKind::OutOfRange, &path, m.cohesion, allowed)));
    }
    Ok(tables::bridge(cohesion, 2.0 * radius, f64::from(m.friction_angle)))
}

/// Cohesion becomes liquid bridges; gives the pull of one between grains that touch \[N\].
///
/// ```text
/// sigma = F/(2 pi R)          F: [`tables::bridge`]
/// ```
fn wet(path: &str, m: &mut MaterialSettings, gravity: f64) -> Result<f64, Refused> {
    let radius = f64::from(m.radius);
    let force = bridge(path, m, gravity)?;
    m.dem.liquid_volume = BRIDGE_VOLUME * radius.powi(3);
    m.dem.liquid_tension = force / (2.0 * std::f64::consts::PI * radius);
    m.dem.liquid_angle = 0.0;
    Ok(force)
}
