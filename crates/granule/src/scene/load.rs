//! From a file or text to a checked [`Scene`].

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_path_to_error::Segment;
use toml::{Table, Value};

use super::capabilities::SolverCapabilities;
use super::error::{Location, Problem, ProblemKind, SceneError, nearest};
use super::overrides::{self, Applied};
use super::schema::{BodyCoupling, PbdScheme, Scene, SolverKind};
use super::{builtin, locate, meshes};

/// Largest scene file \[bytes\]; wind grids are the only large content.
const MAX_BYTES: u64 = 64 << 20;

/// Path of the key that names the solver.
const SOLVER: &str = "simulation.solver";

impl Scene {
    /// Opens a built-in scene by its name, or else a file, with overrides as in [`Scene::resolve`].
    pub fn open(name_or_path: &str, quick: bool, sets: &[(String, String)]) -> Result<Self, SceneError> {
        let (text, source_name) = text_of(name_or_path)?;
        Self::resolve(&text, &source_name, quick, sets)
    }

    /// Adds to an error where its key stands: in an override, or at a line of the scene. For what is found only after
    /// [`Scene::open`], whose arguments these are; an error that knows its place already is left alone.
    pub fn explain(
        error: SceneError,
        name_or_path: &str,
        quick: bool,
        sets: &[(String, String)],
    ) -> SceneError {
        if error.problem().is_none_or(|problem| problem.location.is_some()) {
            return error;
        }
        let Ok((text, source_name)) = text_of(name_or_path) else { return error };
        let Ok(mut source) = Source::parse(&text, &source_name) else { return error };
        match source.overridden(quick, sets) {
            Ok(_) => source.explain(error),
            Err(_) => error,
        }
    }

    /// Loads and checks a scene file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    /// Parses and checks a scene; `source_name` stands in messages where a file name would.
    pub fn parse(text: &str, source_name: &str) -> Result<Self, SceneError> {
        Self::resolve(text, source_name, false, &[])
    }

    /// Parses a scene, applies its `[quick]` form if asked for, then the `sets` (path, TOML value or bare word), and
    /// checks the result. The `[quick]` section is gone from a scene that it was applied to. Where the sets ask a scene for a
    /// continuum for a solver with grains, `[as_grains]` comes before the quick form, and the scene becomes one with grains as by
    /// [`Scene::into_grains`].
    pub fn resolve(
        text: &str,
        source_name: &str,
        quick: bool,
        sets: &[(String, String)],
    ) -> Result<Self, SceneError> {
        Self::resolve_for(None, text, source_name, quick, sets)
    }

    /// Parses a scene and checks it for a solver that takes the place of the one that it names.
    pub(crate) fn parse_for(
        solver: &str,
        can: SolverCapabilities,
        text: &str,
        source_name: &str,
    ) -> Result<Self, SceneError> {
        Self::resolve_for(Some((solver, can)), text, source_name, false, &[])
    }

    fn resolve_for(
        solver: Option<(&str, SolverCapabilities)>,
        text: &str,
        source_name: &str,
        quick: bool,
        sets: &[(String, String)],
    ) -> Result<Self, SceneError> {
        let mut source = Source::parse(text, source_name)?;
        // Files that the scene names lie beside it, those of overrides where the program runs.
        if let Some(folder) = folder_of(source_name) {
            meshes::locate(&mut source.table, &folder);
        }
        let has = |key: &str| matches!(source.table.get(key), Some(Value::Table(t)) if !t.is_empty());
        let (has_quick, has_grains_form) = (has("quick"), has("as_grains"));
        let becomes_grains = source.becomes_grains(sets);
        let table = source.overridden(quick, sets)?;
        let mut scene = from_table(table)
            .map_err(SceneError::from)
            .and_then(|mut scene| {
                meshes::fold(&mut scene);
                let mut scene = if becomes_grains { scene.into_grains()? } else { scene };
                if asks_for_another_solver(sets) {
                    scene.meet_bodies_by_their_surfaces();
                }
                scene.validate_values(solver).map(|()| scene)
            })
            .map_err(|error| source.explain(error))?;
        if has_quick && !quick {
            if sets.is_empty() {
                Self::resolve_for(solver, text, source_name, true, &[])?;
            } else if scene.validate().is_err() {
                scene.quick.clear(); // the overrides removed what it would change
            }
        }
        if has_grains_form && sets.is_empty() && solver.is_none() {
            let dem = [(SOLVER.to_string(), SolverKind::Dem.name().to_string())];
            Self::resolve_for(None, text, source_name, quick, &dem)?;
        }
        Ok(scene)
    }

    /// Where the solver has no bodies made of particles, those of the scene meet grains by their surfaces.
    fn meet_bodies_by_their_surfaces(&mut self) {
        if self.simulation.solver == SolverKind::Pbd && self.pbd.scheme == PbdScheme::Impulse {
            return;
        }
        for body in &mut self.body {
            (body.coupling, body.particle_radius) = (BodyCoupling::Surface, None);
        }
    }

    /// The scene as TOML text that loads to an equal scene.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Whether sets name a solver, and leave to it what of bodies meets grains.
fn asks_for_another_solver(sets: &[(String, String)]) -> bool {
    let names_coupling = |(path, _): &(String, String)| path.trim().ends_with(".coupling");
    sets.iter().any(|(path, _)| path.trim() == SOLVER) && !sets.iter().any(names_coupling)
}

/// The text of a built-in scene or of a file, and its name in messages.
fn text_of(name_or_path: &str) -> Result<(Cow<'static, str>, String), SceneError> {
    if let Some(scene) = builtin::find(name_or_path) {
        return Ok((scene.text.into(), format!("scene {}", scene.name)));
    }
    let path = Path::new(name_or_path);
    let like_a_path = name_or_path.contains(['/', '\\']) || path.extension().is_some();
    if !like_a_path && !path.exists() {
        return Err(SceneError::UnknownScene {
            name: name_or_path.into(),
            known: builtin_names(),
            nearest: nearest(name_or_path, builtin::builtin_scenes().iter().map(|scene| scene.name)),
        });
    }
    Ok((read_text(path)?.into(), name_or_path.into()))
}

fn builtin_names() -> String {
    builtin::builtin_scenes().iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ")
}

/// The folder of a scene's file, where it is one.
fn folder_of(source_name: &str) -> Option<PathBuf> {
    let path = Path::new(source_name);
    if !path.is_file() {
        return None;
    }
    std::path::absolute(path).ok()?.parent().map(Path::to_path_buf)
}

/// Reads a text file of bounded size.
fn read_text(path: &Path) -> Result<String, SceneError> {
    let name = path.display().to_string();
    let read_error = |reason: String| SceneError::Read { path: name.clone(), reason };
    if path.is_dir() {
        return Err(read_error(folder_in_words(path)));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => read_error(missing_in_words(path)),
        _ => read_error(error.to_string()),
    })?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| read_error(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(read_error(format!("the file is larger than {} MiB", MAX_BYTES >> 20)));
    }
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(SceneError::NotText { path: name, offset });
    }
    String::from_utf8(bytes)
        .map_err(|error| SceneError::NotText { path: name, offset: error.utf8_error().valid_up_to() })
}

/// A folder is no scene, but that of a run holds one.
fn folder_in_words(path: &Path) -> String {
    let inside = path.join("scene.toml");
    match inside.is_file() {
        true => format!("this is a folder; did you mean `{}`?", inside.display()),
        false => "this is a folder; name a scene file, which ends in .toml".into(),
    }
}

/// A missing file, with the scene beside it that was probably meant.
fn missing_in_words(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&wanted, names.iter().map(String::as_str)) {
        Some(name) => {
            format!("there is no such file; did you mean `{}`?", path.with_file_name(name).display())
        }
        None => {
            format!("there is no such file; name one that exists or a built-in scene: {}", builtin_names())
        }
    }
}

/// A scene's text, with what was set over it.
struct Source<'a> {
    text: &'a str,
    name: &'a str,
    table: Table,
    applied: Vec<(Location, Applied)>,
}

impl<'a> Source<'a> {
    fn parse(text: &'a str, name: &'a str) -> Result<Self, SceneError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            let (column, line_text) = locate::column_of(text, offset);
            SceneError::Syntax {
                path: name.into(),
                line: locate::line_of(text, offset),
                column,
                message: error.message().lines().collect::<Vec<_>>().join("; "),
                text: line_text.trim().into(),
            }
        })?;
        if table.is_empty() {
            return Err(SceneError::Empty { path: name.into() });
        }
        Ok(Self { text, name, table, applied: Vec::new() })
    }

    /// Whether the scene is for a continuum and the sets ask for a solver with grains.
    fn becomes_grains(&self, sets: &[(String, String)]) -> bool {
        let has_grains =
            |word: Value| word.try_into::<SolverKind>().is_ok_and(|solver| solver.capabilities().has_grains);
        let own = self.table.get("simulation").and_then(|section| section.get("solver"));
        let set = sets.iter().rev().find(|(path, _)| path.trim() == SOLVER);
        let wanted = set.is_some_and(|(_, text)| has_grains(overrides::parse_value(text)));
        wanted && !own.is_some_and(|word| has_grains(word.clone()))
    }

    /// The table with its form with grains and its `[quick]` form, if asked for, and the sets applied, which are remembered.
    fn overridden(&mut self, quick: bool, sets: &[(String, String)]) -> Result<Table, SceneError> {
        let mut table = self.table.clone();
        let mut quick_with_grains = None;
        if self.becomes_grains(sets)
            && let Some(Value::Table(mut entries)) = table.remove("as_grains")
        {
            quick_with_grains = entries.remove("quick").filter(|_| quick);
            self.apply_section(&mut table, &["as_grains"], &entries)?;
        }
        if quick && let Some(Value::Table(entries)) = table.remove("quick") {
            self.apply_section(&mut table, &["quick"], &entries)?;
        }
        if let Some(Value::Table(entries)) = quick_with_grains {
            self.apply_section(&mut table, &["as_grains", "quick"], &entries)?;
        }
        for (path, text) in sets {
            let origin = Location::Set(format!("{path}={text}"));
            self.apply(&mut table, path, &overrides::parse_value(text), origin)?;
        }
        Ok(table)
    }

    /// Applies the overrides of a section of the scene.
    fn apply_section(
        &mut self,
        table: &mut Table,
        section: &[&str],
        entries: &Table,
    ) -> Result<(), SceneError> {
        for (path, value) in overrides::quick_entries(entries) {
            let key: Vec<String> = section.iter().map(|key| key.to_string()).chain([path.clone()]).collect();
            let origin = self.file_location(&key, section.contains(&"quick"));
            self.apply(table, &path, &value, origin)?;
        }
        Ok(())
    }

    /// Sets a value and remembers where it came from.
    fn apply(
        &mut self,
        table: &mut Table,
        path: &str,
        value: &Value,
        origin: Location,
    ) -> Result<(), SceneError> {
        let applied = overrides::set(table, path, value)
            .map_err(|problem| SceneError::from(problem).located(|_| origin.clone()))?;
        self.applied.push((origin, applied));
        Ok(())
    }

    fn file_location(&self, path: &[String], quick: bool) -> Location {
        Location::File { name: self.name.into(), line: locate::line_of_path(self.text, path), quick }
    }

    /// Adds to an error where the mistake was made: in an override or at a line of the file.
    fn explain(&self, mut error: SceneError) -> SceneError {
        let SceneError::Problem(problem) = &mut error else { return error };
        let path = locate::by_index(&self.table, &problem.path);
        let inside = |target: &Vec<String>| path.starts_with(target);
        let above = |target: &Vec<String>| target.starts_with(&path);
        let origin =
            self.applied.iter().rev().find(|(_, applied)| applied.targets.iter().any(inside)).or_else(|| {
                let beside = self.applied.iter().rev().find(|(_, applied)| applied.targets.iter().any(above));
                let in_file =
                    || from_table(self.table.clone()).is_err_and(|other| other.path == problem.path);
                beside.filter(|_| problem.kind != ProblemKind::Missing && !in_file())
            });
        match origin {
            Some((location, applied)) => {
                problem.location = Some(location.clone());
                if problem.kind == ProblemKind::UnknownKey && !applied.names.is_empty() {
                    let names = applied.names.iter().map(String::as_str);
                    problem.nearest = nearest(&problem.found, problem.allowed.split(", ").chain(names));
                    problem.allowed += &format!("; or the name of an entry: {}", applied.names.join(", "));
                }
            }
            None => problem.location = Some(self.file_location(&path, false)),
        }
        error
    }
}

/// Turns a table into a scene; unknown keys are errors.
pub(super) fn from_table(table: Table) -> Result<Scene, Box<Problem>> {
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        let path = error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                Segment::Seq { index } => Some(index.to_string()),
                Segment::Map { key } => Some(key.clone()),
                Segment::Enum { variant } => Some(variant.clone()),
                Segment::Unknown => None,
            })
            .collect();
        Box::new(from_serde(path, error.inner().message()))
    })
}

/// A problem from serde's words for it.
fn from_serde(mut path: Vec<String>, message: &str) -> Problem {
    let first_line = message.lines().next().unwrap_or_default();
    let (what, expected) = first_line.split_once(", expected ").unwrap_or((first_line, ""));
    let quoted = |text: &str| {
        let start = text.find('`').map_or(0, |tick| tick + 1);
        let end = text.rfind('`').filter(|end| *end >= start).unwrap_or(text.len());
        text[start..end].to_string()
    };
    let words = || expected.split('`').skip(1).step_by(2).collect::<Vec<_>>();
    let problem =
        |kind, path, found, allowed| Problem { location: None, path, kind, found, allowed, nearest: None };

    if what.starts_with("unknown field") {
        let found = quoted(what);
        if path.last() != Some(&found) {
            path.push(found.clone());
        }
        problem(ProblemKind::UnknownKey, path, found, words().join(", ")).with_nearest(words())
    } else if what.starts_with("unknown variant") {
        let found = quoted(what);
        if path.last() == Some(&found) {
            path.pop();
        }
        problem(ProblemKind::UnknownWord, path, found, words().join(", ")).with_nearest(words())
    } else if what.starts_with("missing field") {
        problem(ProblemKind::Missing, path, quoted(what), String::new())
    } else if let Some(found) = what.strip_prefix("invalid type: ").or(what.strip_prefix("invalid value: ")) {
        let found = match (found, expected) {
            ("unit variant", "string only") => "another type of value".into(),
            ("unit variant", _) => "the word alone".into(),
            _ => found_in_words(found),
        };
        problem(ProblemKind::WrongType, path, found, expected_in_words(expected))
    } else if let Some(found) = what.strip_prefix("invalid length ") {
        problem(ProblemKind::WrongType, path, format!("a list of {found}"), expected_in_words(expected))
    } else if let Some(found) = what.strip_prefix("wanted exactly 1 element, ") {
        let found = if found.starts_with("more") { "several keys" } else { "no key" };
        problem(ProblemKind::WrongType, path, found.into(), "exactly one key, the kind".into())
    } else {
        problem(ProblemKind::WrongType, path, "an unusable value".into(), first_line.into())
    }
}

/// Serde's word for a value, in ours.
fn found_in_words(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        _ if found.contains('`') => found.split('`').nth(1).unwrap_or(found).into(),
        _ => match found {
            "map" => "a table".into(),
            "sequence" => "a list".into(),
            other => other.into(),
        },
    }
}

/// Serde's word for a type, in ours.
fn expected_in_words(expected: &str) -> String {
    match expected {
        "f32" | "f64" => "a number".into(),
        "u8" | "u16" | "u32" | "u64" => "a whole number, 0 or more".into(),
        "a string" => "text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        "string only" => "a word in quotes, or a table with one key".into(),
        "newtype variant" => "a table with one key and its value".into(),
        other if other.starts_with("struct") => "a table".into(),
        other => other.replace("an array of length", "a list of length"),
    }
}
