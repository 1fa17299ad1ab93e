//! What can be wrong with a scene, said in words: file, line, key, what was found, what is allowed, what was meant.

use std::fmt;

/// Why a scene could not be used.
///
/// ```
/// use granule::Scene;
///
/// let error = Scene::parse("name = \"a\"\n[[material]]\nradus = 0.01\n", "a.toml").unwrap_err();
/// assert!(error.to_string().starts_with("a.toml:3: unknown key"), "{error}");
/// assert!(error.to_string().ends_with("did you mean `radius`?"), "{error}");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The file cannot be read.
    #[error("{path}: cannot read the scene: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The file is not text.
    #[error("{path}: not a scene: the file is not UTF-8 text (byte {offset}); name a TOML file")]
    NotText {
        /// The file.
        path: String,
        /// Position of the first byte that is not text.
        offset: usize,
    },
    /// The file holds nothing.
    #[error("{path}: the scene is empty; it needs at least `name` and one `[[material]]`")]
    Empty {
        /// The file.
        path: String,
    },
    /// The text is not TOML.
    #[error("{path}:{line}:{column}: not valid TOML: {message}\n    {text}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        message: String,
        /// The line's text.
        text: String,
    },
    /// Neither a built-in scene nor a file.
    #[error("no scene `{name}`: neither built in ({known}) nor a file{}", did_you_mean(.nearest))]
    UnknownScene {
        /// What was asked for.
        name: String,
        /// The built-in scenes.
        known: String,
        /// The nearest built-in name.
        nearest: Option<String>,
    },
    /// A key or its value is wrong.
    #[error(transparent)]
    Problem(Box<Problem>),
}

impl SceneError {
    /// The problem with a key, if that is what the error is about.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Adds where the key stands, if it is not known yet.
    pub(super) fn located(mut self, find: impl FnOnce(&[String]) -> Location) -> Self {
        if let Self::Problem(problem) = &mut self
            && problem.location.is_none()
        {
            problem.location = Some(find(&problem.path));
        }
        self
    }
}

impl From<Box<Problem>> for SceneError {
    fn from(problem: Box<Problem>) -> Self {
        Self::Problem(problem)
    }
}

/// Where a wrong key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a file, at a line (from 1) where it is known.
    File {
        /// Name of the file or of the built-in scene.
        name: String,
        /// Line, from 1.
        line: Option<usize>,
        /// Whether it comes from the `[quick]` section.
        quick: bool,
    },
    /// In a value that was set by its path, as `key=value`.
    Set(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { name, line, quick } => {
                f.write_str(name)?;
                if let Some(line) = line {
                    write!(f, ":{line}")?;
                }
                if *quick { f.write_str(" ([quick])") } else { Ok(()) }
            }
            Self::Set(text) => write!(f, "set {text}"),
        }
    }
}

/// What kind of mistake a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A key that no scene has.
    UnknownKey,
    /// A word that is not among the choices.
    UnknownWord,
    /// A value of another type.
    WrongType,
    /// A key that must be there.
    Missing,
    /// A value outside its range.
    OutOfRange,
    /// A name that does not refer to anything, or stands twice.
    Name,
    /// A path that addresses nothing.
    Address,
    /// A shape that cannot be, or grains that cannot start where they are.
    Geometry,
}

/// A wrong key or value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands; unknown for scenes built in code.
    pub location: Option<Location>,
    /// Path of the key, e.g. `material`, `0`, `radius`.
    pub path: Vec<String>,
    /// Kind of mistake.
    pub kind: ProblemKind,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// The nearest valid word.
    pub nearest: Option<String>,
}

impl Problem {
    /// A problem at a dotted path.
    pub(crate) fn new(
        kind: ProblemKind,
        path: &str,
        found: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        let path = path.split('.').filter(|segment| !segment.is_empty()).map(String::from).collect();
        Self { location: None, path, kind, found: found.to_string(), allowed: allowed.into(), nearest: None }
    }

    /// Adds the nearest of the valid words.
    pub(super) fn with_nearest<'a>(mut self, words: impl IntoIterator<Item = &'a str>) -> Self {
        self.nearest = nearest(&self.found, words);
        self
    }

    /// The dotted path.
    pub fn key(&self) -> String {
        self.path.join(".")
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        let (key, found, allowed) = (self.key(), &self.found, &self.allowed);
        match self.kind {
            ProblemKind::UnknownKey => write!(f, "unknown key `{key}`; allowed: {allowed}")?,
            ProblemKind::UnknownWord => write!(f, "`{key}`: unknown word `{found}`; allowed: {allowed}")?,
            ProblemKind::WrongType => write!(f, "`{key}`: found {found}, expected {allowed}")?,
            ProblemKind::Missing if key.is_empty() => write!(f, "missing key `{found}`")?,
            ProblemKind::Missing => write!(f, "`{key}`: missing key `{found}`")?,
            ProblemKind::OutOfRange => write!(f, "`{key}` = {found}: must be {allowed}")?,
            ProblemKind::Name => write!(f, "`{key}` = \"{found}\": {allowed}")?,
            ProblemKind::Address => write!(f, "`{key}`: {found}; {allowed}")?,
            ProblemKind::Geometry => write!(f, "`{key}`: {found}")?,
        }
        f.write_str(&did_you_mean(&self.nearest))
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// The valid word nearest to a mistyped one, if any is near enough to have been meant.
pub(super) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let lower = word.to_lowercase();
    let typos = (lower.chars().count() / 3).max(1);
    words
        .into_iter()
        .filter(|candidate| *candidate != word)
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let similarity = strsim::jaro_winkler(&lower, &other);
            let mistyped = strsim::damerau_levenshtein(&lower, &other) <= typos;
            // A few typos count more than a common beginning.
            (mistyped || similarity > 0.8).then_some((similarity + f64::from(mistyped), candidate))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_string())
}
