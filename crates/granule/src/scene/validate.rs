//! The checks that types cannot make: ranges, names and what refers to what.

mod bodies;
mod dem;
mod fluids;
mod grains;
mod pbd;
mod shape;
mod upsample;

use std::collections::BTreeSet;
use std::fmt::Display;

use toml::Table;

use super::capabilities::SolverCapabilities;
use super::error::{Problem, ProblemKind, SceneError};
use super::schema::{
    AirSettings, BoundarySettings, CameraSettings, DragLaw, EmitterSettings, ExpectSettings, ExportFormat,
    GrainsSettings, IisphSettings, MaterialSettings, OutputSettings, Quantity, Scene, SimulationSettings,
    WindField,
};
use super::{load, overrides};
use crate::boundary::{Motion, Servo};

use shape::check_shape;

pub use grains::MOST_SIZE_RATIO;

type Check = Result<(), Box<Problem>>;

/// f32 or f64, printed as it was written.
trait Number: Copy + Display + Into<f64> {}
impl<T: Copy + Display + Into<f64>> Number for T {}

impl Scene {
    /// Checks every range and reference of the scene, and of its `[quick]` form.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.validate_for(self.simulation.solver.name(), self.simulation.solver.capabilities())
    }

    /// Checks the scene for a solver that takes the place of the one that it names.
    pub fn validate_for(&self, solver: &str, can: SolverCapabilities) -> Result<(), SceneError> {
        self.check_values()?;
        self.check_for(solver, can)?;
        self.validate_quick(solver, can)
    }

    /// Refuses a scene without grains and emitters; scenes that are filled by commands need none.
    pub fn require_grains(&self) -> Result<(), SceneError> {
        let found = "the scene has no grains";
        ensure(!self.grains.is_empty() || !self.emitter.is_empty(), || {
            let allowed = "add at least one [[grains]] or [[emitter]]";
            Problem::new(ProblemKind::Address, "grains", found, allowed)
        })
        .map_err(SceneError::from)
    }

    /// Refuses fields in `[output]` that are not among those the solver has.
    pub fn require_fields(&self, known: &[&str]) -> Result<(), SceneError> {
        for (i, field) in self.output.fields.iter().enumerate() {
            ensure(known.contains(&field.as_str()), || {
                let (kind, path) = (ProblemKind::UnknownWord, format!("output.fields.{i}"));
                Problem::new(kind, &path, field, known.join(", ")).with_nearest(known.iter().copied())
            })?;
        }
        Ok(())
    }

    /// Checks every range and reference of the scene itself, for its solver or the one that takes its place.
    pub(super) fn validate_values(
        &self,
        solver: Option<(&str, SolverCapabilities)>,
    ) -> Result<(), SceneError> {
        self.check_values()?;
        let own = self.simulation.solver;
        let (solver, can) = solver.unwrap_or_else(|| (own.name(), own.capabilities()));
        self.check_for(solver, can)?;
        Ok(())
    }

    fn check_values(&self) -> Check {
        check_scene_name(&self.name)?;
        check_simulation(&self.simulation)?;
        check_iisph(&self.iisph)?;
        fluids::check_wcsph(&self.wcsph)?;
        dem::check_dem(&self.dem)?;
        pbd::check_pbd(&self.pbd)?;
        ensure(!self.material.is_empty(), || {
            Problem::new(
                ProblemKind::Address,
                "material",
                "the scene has no material",
                "add at least one [[material]]",
            )
        })?;
        let materials: Vec<&str> = self.material.iter().map(|material| material.name.as_str()).collect();
        check_names("material", &materials)?;
        for (i, material) in self.material.iter().enumerate() {
            check_material(&format!("material.{i}"), material)?;
            fluids::check_fluid(&format!("material.{i}"), material, self.simulation.solver)?;
            dem::check_material(&format!("material.{i}"), &material.dem)?;
            pbd::check_material(&format!("material.{i}"), &material.pbd)?;
        }
        self.check_pairs(&materials)?;
        self.check_periodic()?;
        for (i, grains) in self.grains.iter().enumerate() {
            check_grains(&format!("grains.{i}"), grains, &materials)?;
        }
        check_names("boundary", &self.boundary.iter().map(|wall| wall.name.as_str()).collect::<Vec<_>>())?;
        for (i, wall) in self.boundary.iter().enumerate() {
            check_boundary(&format!("boundary.{i}"), wall)?;
        }
        self.check_bodies()?;
        self.check_flow(&materials)?;
        if let Some(air) = &self.air {
            check_air(air)?;
        }
        self.check_upsample()?;
        if let Some(camera) = &self.camera {
            check_camera(camera)?;
        }
        check_output(&self.output)?;
        for (i, expect) in self.expect.iter().enumerate() {
            check_expect(&format!("expect.{i}"), expect)?;
            self.check_expect_of(&format!("expect.{i}.of"), expect)?;
        }
        Ok(())
    }

    fn check_flow(&self, materials: &[&str]) -> Check {
        check_names("emitter", &names(&self.emitter, |emitter| &emitter.name))?;
        check_names("outlet", &names(&self.outlet, |outlet| &outlet.name))?;
        check_names("counter", &names(&self.counter, |counter| &counter.name))?;
        for (i, emitter) in self.emitter.iter().enumerate() {
            check_emitter(&format!("emitter.{i}"), emitter, materials)?;
        }
        for (i, outlet) in self.outlet.iter().enumerate() {
            check_shape(&format!("outlet.{i}.shape"), &outlet.shape)?;
            check_window(&format!("outlet.{i}.time"), outlet.time)?;
        }
        for (i, counter) in self.counter.iter().enumerate() {
            check_shape(&format!("counter.{i}.shape"), &counter.shape)?;
            // Both give curves, which are found by name.
            ensure(self.outlet.iter().all(|outlet| outlet.name != counter.name), || {
                let allowed = "an outlet has this name; names of outlets and counters must differ";
                Problem::new(ProblemKind::Name, &format!("counter.{i}.name"), &counter.name, allowed)
            })?;
        }
        Ok(())
    }

    /// Checks that `of` names what the quantity belongs to.
    fn check_expect_of(&self, path: &str, expect: &ExpectSettings) -> Check {
        let emitters = || names(&self.emitter, |emitter| &emitter.name);
        let outlets = || names(&self.outlet, |outlet| &outlet.name);
        let counters = || names(&self.counter, |counter| &counter.name);
        let (what, known, needed) = match expect.quantity {
            Quantity::Emitted | Quantity::Blocked => ("emitter", emitters(), false),
            Quantity::Drained => ("outlet", outlets(), false),
            Quantity::Counted => ("counter", counters(), true),
            Quantity::FlowRate | Quantity::FlowLinearity => {
                ("outlet or counter", [outlets(), counters()].concat(), true)
            }
            Quantity::BodyHeight | Quantity::BodyShift | Quantity::BodyTurn | Quantity::BodySpeed => {
                ("body", names(&self.body, |body| &body.name), true)
            }
            _ => ("", Vec::new(), false),
        };
        let has = if known.is_empty() { "none".into() } else { known.join(", ") };
        match &expect.of {
            Some(name) if what.is_empty() => {
                let allowed = "this quantity belongs to the whole scene; leave `of` out";
                Err(Box::new(Problem::new(ProblemKind::Name, path, name, allowed)))
            }
            Some(name) => ensure(known.contains(&name.as_str()), || {
                let allowed = format!("no such {what}; the scene has: {has}");
                Problem::new(ProblemKind::Name, path, name, allowed).with_nearest(known.iter().copied())
            }),
            None => ensure(!needed, || {
                let allowed = format!("name the {what} that is meant; the scene has: {has}");
                Problem::new(ProblemKind::Address, path, "this quantity needs `of`", allowed)
            }),
        }
    }

    fn check_periodic(&self) -> Check {
        let support = self.simulation.support * 2.0 * self.reference_radius();
        for (axis, limits) in ["x", "y", "z"].into_iter().zip(self.simulation.periodic.axes()) {
            let Some(limits) = limits else { continue };
            let path = format!("simulation.periodic.{axis}");
            finite_all(&path, &limits)?;
            range(limits[0] < limits[1], &path, list(&limits), || "[from, to] with from < to".into())?;
            range(limits[1] - limits[0] >= 2.0 * support, &path, list(&limits), || {
                format!("at least two kernel supports long, {} m", 2.0 * support)
            })?;
        }
        Ok(())
    }

    /// Checks that the `[quick]` overrides lead to a valid scene.
    fn validate_quick(&self, solver: &str, can: SolverCapabilities) -> Result<(), SceneError> {
        if self.quick.is_empty() {
            return Ok(());
        }
        let problem = |key: &str, found: String| {
            let mut problem =
                Problem::new(ProblemKind::Address, "quick", found, "must lead to a valid scene");
            problem.path.push(key.to_string());
            SceneError::from(Box::new(problem))
        };
        let base = Self { quick: Default::default(), ..self.clone() };
        let mut table = Table::try_from(&base).map_err(|error| problem("", error.to_string()))?;
        let quick: Table = self.quick.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let mut last = String::new();
        for (path, value) in overrides::quick_entries(&quick) {
            overrides::set(&mut table, &path, &value).map_err(|inner| problem(&path, inner.to_string()))?;
            last = path;
        }
        load::from_table(table)
            .and_then(|scene| scene.check_values().and_then(|()| scene.check_for(solver, can)))
            .map_err(|inner| problem(&last, inner.to_string()))
    }
}

fn check_scene_name(name: &str) -> Check {
    let valid = !name.trim().is_empty()
        && !name.starts_with('.')
        && !name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control());
    ensure(valid, || {
        let allowed = "must be a non-empty name that can be part of a folder's name";
        Problem::new(ProblemKind::Name, "name", name.escape_debug(), allowed)
    })
}

fn check_simulation(s: &SimulationSettings) -> Check {
    let path = |key: &str| format!("simulation.{key}");
    range((1.2..=4.0).contains(&s.support), &path("support"), s.support, || "from 1.2 to 4".into())?;
    finite_all(&path("gravity"), &s.gravity)?;
    range(s.fps > 0.0 && s.fps <= 1e4, &path("fps"), s.fps, || "above 0, at most 10000".into())?;
    range((0.0..=1e6).contains(&s.seconds), &path("seconds"), s.seconds, || "from 0 to 1000000".into())?;
    range(s.cfl > 0.0 && s.cfl <= 1.0, &path("cfl"), s.cfl, || "above 0, at most 1".into())?;
    for (key, step) in [("time_step", s.time_step), ("max_time_step", s.max_time_step)] {
        if let Some(step) = step {
            positive(&path(key), step)?;
        }
    }
    if let Some(interval) = s.flow_interval {
        positive(&path("flow_interval"), interval)?;
    }
    if let Some(interval) = s.body_interval {
        positive(&path("body_interval"), interval)?;
    }
    check_strain(s)?;
    range(s.seed <= i64::MAX as u64, &path("seed"), s.seed, || format!("at most {}", i64::MAX))
}

fn check_strain(s: &SimulationSettings) -> Check {
    let Some(strain) = &s.strain else { return Ok(()) };
    finite("simulation.strain.start", strain.start)?;
    let axes = ["x", "y", "z"].into_iter().zip(strain.axes()).zip(s.periodic.axes());
    for ((name, axis), period) in axes {
        let Some(axis) = axis else { continue };
        let at = |key: &str| format!("simulation.strain.{name}{key}");
        range(period.is_some(), &at(""), "an axis that is not periodic", || {
            format!("along periodic axes: give simulation.periodic.{name}")
        })?;
        range(axis.rate.is_some() || axis.pressure.is_some(), &at(""), "neither", || {
            "either `rate` or `pressure`, or both".into()
        })?;
        if let Some(rate) = axis.rate {
            range(rate.abs() <= 100.0, &at(".rate"), rate, || "from -100 to 100".into())?;
        }
        if let Some(pressure) = axis.pressure {
            positive(&at(".pressure"), pressure)?;
        }
        let held = axis.max_rate.is_finite() && axis.max_rate >= 0.0;
        range(held, &at(".max_rate"), axis.max_rate, || "0 or greater".into())?;
    }
    Ok(())
}

fn check_iisph(s: &IisphSettings) -> Check {
    if let Some(least) = s.min_iterations {
        range(least >= 1, "iisph.min_iterations", least, || "at least 1".into())?;
    }
    let least = s.min_iterations.unwrap_or(1);
    range(s.max_iterations >= least, "iisph.max_iterations", s.max_iterations, || {
        format!("at least {least}{}", if s.min_iterations.is_some() { " (min_iterations)" } else { "" })
    })?;
    positive("iisph.density_error", s.density_error)?;
    positive("iisph.friction_error", s.friction_error)
}

fn check_material(path: &str, m: &MaterialSettings) -> Check {
    positive(&format!("{path}.radius"), m.radius)?;
    range((1e-6..=1e3).contains(&m.radius), &format!("{path}.radius"), m.radius, || {
        "from 1e-6 to 1000 m".into()
    })?;
    positive(&format!("{path}.density"), m.density)?;
    range((1e-3..=1e6).contains(&m.density), &format!("{path}.density"), m.density, || {
        "from 0.001 to 1e6 kg/m3".into()
    })?;
    range(
        (0.0..90.0).contains(&m.friction_angle),
        &format!("{path}.friction_angle"),
        m.friction_angle,
        || "from 0 to below 90 degrees".into(),
    )?;
    if let Some(fast) = m.fast_friction_angle {
        range(
            (m.friction_angle..90.0).contains(&fast),
            &format!("{path}.fast_friction_angle"),
            fast,
            || format!("from friction_angle = {} to below 90 degrees", m.friction_angle),
        )?;
    }
    if let Some(diameter) = m.grain_diameter {
        positive(&format!("{path}.grain_diameter"), diameter)?;
    }
    not_negative(&format!("{path}.cohesion"), m.cohesion)?;
    not_negative(&format!("{path}.viscosity"), m.viscosity)?;
    let within = m.albedo.iter().all(|part| (0.0..=1.0).contains(part));
    range(within, &format!("{path}.albedo"), list(&m.albedo), || "three numbers from 0 to 1".into())
}

fn names<T>(list: &[T], name: impl Fn(&T) -> &String) -> Vec<&str> {
    list.iter().map(|entry| name(entry).as_str()).collect()
}

fn check_material_name(path: &str, name: &str, materials: &[&str]) -> Check {
    ensure(materials.contains(&name), || {
        let allowed = format!("no such material; the scene has: {}", materials.join(", "));
        Problem::new(ProblemKind::Name, &format!("{path}.material"), name, allowed)
            .with_nearest(materials.iter().copied())
    })
}

fn check_emitter(path: &str, emitter: &EmitterSettings, materials: &[&str]) -> Check {
    check_material_name(path, &emitter.material, materials)?;
    check_shape(&format!("{path}.shape"), &emitter.shape)?;
    finite_all(&format!("{path}.velocity"), &emitter.velocity)?;
    positive(&format!("{path}.rate"), emitter.rate)?;
    if let Some(limit) = emitter.limit {
        range(limit >= 1, &format!("{path}.limit"), limit, || {
            "at least 1; without a limit, leave it out".into()
        })?;
    }
    if let Some(radius) = &emitter.radius {
        grains::check_radius(&format!("{path}.radius"), radius)?;
    }
    grains::check_grain_shape(&format!("{path}.grain"), &emitter.grain)?;
    check_window(&format!("{path}.time"), emitter.time)
}

fn check_window(path: &str, time: Option<[f64; 2]>) -> Check {
    let Some(time) = time else { return Ok(()) };
    let ordered = time[0] < time[1] && time.iter().all(|t| t.is_finite());
    range(ordered, path, list(&time), || {
        "[from, to] in seconds with from < to; for always, leave it out".into()
    })
}

fn check_grains(path: &str, grains: &GrainsSettings, materials: &[&str]) -> Check {
    check_material_name(path, &grains.material, materials)?;
    finite_all(&format!("{path}.velocity"), &grains.velocity)?;
    check_shape(&format!("{path}.shape"), &grains.shape)?;
    grains::check_fill(path, grains)
}

fn check_boundary(path: &str, wall: &BoundarySettings) -> Check {
    check_shape(&format!("{path}.shape"), &wall.shape)?;
    if let Some(friction) = wall.friction {
        not_negative(&format!("{path}.friction"), friction)?;
    }
    if let Some(friction) = wall.rolling_friction {
        not_negative(&format!("{path}.rolling_friction"), friction)?;
    }
    grains::check_rough(path, wall)?;
    match &wall.motion {
        Some(motion) => check_motion(&format!("{path}.motion"), motion),
        None => Ok(()),
    }
}

fn check_motion(path: &str, motion: &Motion) -> Check {
    finite_all(&format!("{path}.pivot"), &motion.pivot)?;
    if let Some(Err(wrong)) = motion.servo.as_ref().map(Servo::validate) {
        return range(false, &format!("{path}.servo.{}", wrong.field), wrong.found, || wrong.allowed.into());
    }
    let led = !motion.keyframe.is_empty() || motion.servo.is_some();
    range(led, &format!("{path}.keyframe"), "[]", || "at least one keyframe".into())?;
    let mut previous = None;
    for (i, key) in motion.keyframe.iter().enumerate() {
        let at = |name: &str| format!("{path}.keyframe.{i}.{name}");
        finite(&at("time"), key.time)?;
        range(previous.is_none_or(|before| before < key.time), &at("time"), key.time, || {
            format!("later than the keyframe before, {} s", previous.unwrap_or_default())
        })?;
        previous = Some(key.time);
        finite_all(&at("translation"), &key.translation)?;
        finite(&at("angle"), key.angle)?;
        direction(&at("axis"), &key.axis)?;
    }
    Ok(())
}

fn check_air(air: &AirSettings) -> Check {
    not_negative("air.density", air.density)?;
    positive("air.viscosity", air.viscosity)?;
    if let DragLaw::Constant(coefficient) = air.drag {
        not_negative("air.drag.constant", coefficient)?;
    }
    if let Some(diameter) = air.grain_diameter {
        positive("air.grain_diameter", diameter)?;
    }
    air.wind.iter().enumerate().try_for_each(|(i, wind)| check_wind(&format!("air.wind.{i}"), wind))
}

fn check_camera(camera: &CameraSettings) -> Check {
    check_angle("camera.fov", camera.fov)?;
    if camera.keys.is_empty() {
        let missing = |key: &str| {
            let allowed = "give `position` and `target`, or `keys`";
            Problem::new(ProblemKind::Address, &format!("camera.{key}"), "it is missing", allowed)
        };
        let position = camera.position.ok_or_else(|| missing("position"))?;
        let target = camera.target.ok_or_else(|| missing("target"))?;
        return check_view("camera", "position", &position, &target);
    }
    ensure(camera.position.is_none() && camera.target.is_none(), || {
        let found = "stand beside `position` or `target`";
        Problem::new(ProblemKind::Address, "camera.keys", found, "give one or the other")
    })?;
    range(camera.keys.len() > 1, "camera.keys", camera.keys.len(), || "at least two keys".into())?;
    for (i, key) in camera.keys.iter().enumerate() {
        let path = format!("camera.keys.{i}");
        not_negative(&format!("{path}.time"), key.time)?;
        check_view(&path, "eye", &key.eye, &key.target)?;
        key.fov.map_or(Ok(()), |fov| check_angle(&format!("{path}.fov"), fov))?;
    }
    for (i, pair) in camera.keys.windows(2).enumerate() {
        range(pair[0].time < pair[1].time, &format!("camera.keys.{}.time", i + 1), pair[1].time, || {
            format!("later than {}, the time before", pair[0].time)
        })?;
    }
    Ok(())
}

/// A point that looks at another one.
fn check_view(path: &str, eye_key: &str, eye: &[f32; 3], target: &[f32; 3]) -> Check {
    finite_all(&format!("{path}.{eye_key}"), eye)?;
    finite_all(&format!("{path}.target"), target)?;
    range(eye != target, &format!("{path}.target"), list(target), || {
        format!("another point than `{eye_key}`")
    })
}

fn check_angle(path: &str, fov: f32) -> Check {
    range((1.0..=160.0).contains(&fov), path, fov, || "from 1 to 160 degrees".into())
}

fn check_wind(path: &str, wind: &WindField) -> Check {
    match wind {
        WindField::Uniform { velocity } => finite_all(&format!("{path}.uniform.velocity"), velocity),
        WindField::Vortex { center, axis, core_radius, speed } => {
            let path = format!("{path}.vortex");
            finite_all(&format!("{path}.center"), center)?;
            direction(&format!("{path}.axis"), axis)?;
            positive(&format!("{path}.core_radius"), *core_radius)?;
            finite(&format!("{path}.speed"), *speed)
        }
        WindField::Gust { center, radius, velocity, time } => {
            let path = format!("{path}.gust");
            finite_all(&format!("{path}.center"), center)?;
            positive(&format!("{path}.radius"), *radius)?;
            finite_all(&format!("{path}.velocity"), velocity)?;
            check_window(&format!("{path}.time"), Some(*time))
        }
        WindField::Grid { origin, spacing, size, velocity } => {
            let path = format!("{path}.grid");
            finite_all(&format!("{path}.origin"), origin)?;
            let spaced = spacing.iter().all(|step| *step > 0.0 && step.is_finite());
            range(spaced, &format!("{path}.spacing"), list(spacing), || "three numbers above 0".into())?;
            range(!size.contains(&0), &format!("{path}.size"), list(size), || {
                "three whole numbers, 1 or more".into()
            })?;
            let nodes = size.iter().fold(1u128, |product, count| product * u128::from(*count));
            let given = velocity.len();
            range(
                nodes == given as u128,
                &format!("{path}.velocity"),
                format!("{given} velocities"),
                || format!("{nodes} velocities, as `size` = {} says", list(size)),
            )?;
            velocity.iter().enumerate().try_for_each(|(i, v)| finite_all(&format!("{path}.velocity.{i}"), v))
        }
    }
}

fn check_output(output: &OutputSettings) -> Check {
    check_fields(&output.fields)?;
    for (i, format) in output.formats.iter().enumerate() {
        ensure(!output.formats[..i].contains(format), || {
            let found = "stands twice";
            Problem::new(ProblemKind::Address, &format!("output.formats.{i}"), found, "name a format once")
        })?;
    }
    let csv = output.formats.contains(&ExportFormat::Csv);
    ensure(!csv || !output.track.is_empty(), || {
        let allowed = "csv needs the ids of particles: `track` in [output]";
        Problem::new(ProblemKind::Address, "output.formats", "no particles to follow", allowed)
    })?;
    let mut seen = BTreeSet::new();
    for (i, id) in output.track.iter().enumerate() {
        range(seen.insert(id), &format!("output.track.{i}"), id, || {
            "an id that does not stand before".into()
        })?;
    }
    Ok(())
}

fn check_fields(fields: &[String]) -> Check {
    for (i, field) in fields.iter().enumerate() {
        let name =
            |allowed: &str| Problem::new(ProblemKind::Name, &format!("output.fields.{i}"), field, allowed);
        let word = !field.is_empty() && field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        ensure(word, || name("must be a word of letters, digits and _"))?;
        ensure(!["id", "position"].contains(&field.as_str()), || name("is always written; leave it out"))?;
        ensure(!fields[..i].contains(field), || name("stands twice"))?;
    }
    Ok(())
}

fn check_expect(path: &str, expect: &ExpectSettings) -> Check {
    let path = format!("{path}.range");
    finite_all(&path, &expect.range)?;
    range(expect.range[0] <= expect.range[1], &path, list(&expect.range), || {
        "[least, most] with least <= most".into()
    })
}

/// Names must be there, differ, and be usable in paths.
fn check_names(section: &str, names: &[&str]) -> Check {
    for (i, name) in names.iter().enumerate() {
        let problem =
            |allowed: &str| Problem::new(ProblemKind::Name, &format!("{section}.{i}.name"), name, allowed);
        ensure(!name.trim().is_empty(), || problem("must not be empty"))?;
        ensure(!name.contains('.') && name.parse::<usize>().is_err(), || {
            problem("must be neither a number nor contain a dot, so that paths can use it")
        })?;
        ensure(!names[..i].contains(name), || problem("stands twice; names must differ"))?;
    }
    Ok(())
}

fn ensure(valid: bool, problem: impl FnOnce() -> Problem) -> Check {
    if valid { Ok(()) } else { Err(Box::new(problem())) }
}

fn range(valid: bool, path: &str, found: impl Display, allowed: impl FnOnce() -> String) -> Check {
    ensure(valid, || Problem::new(ProblemKind::OutOfRange, path, found, allowed()))
}

fn finite<T: Number>(path: &str, value: T) -> Check {
    range(value.into().is_finite(), path, value, || "a finite number".into())
}

fn finite_all<T: Number>(path: &str, values: &[T]) -> Check {
    let finite = values.iter().all(|value| (*value).into().is_finite());
    range(finite, path, list(values), || "finite numbers".into())
}

fn positive<T: Number>(path: &str, value: T) -> Check {
    let number: f64 = value.into();
    range(number > 0.0 && number.is_finite(), path, value, || "above 0 and finite".into())
}

fn not_negative<T: Number>(path: &str, value: T) -> Check {
    let number: f64 = value.into();
    range(number >= 0.0 && number.is_finite(), path, value, || "0 or more and finite".into())
}

fn direction(path: &str, axis: &[f32; 3]) -> Check {
    finite_all(path, axis)?;
    range(axis.iter().any(|part| *part != 0.0), path, list(axis), || "a direction, not zero".into())
}

fn list<T: Display>(values: &[T]) -> String {
    format!("[{}]", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}
