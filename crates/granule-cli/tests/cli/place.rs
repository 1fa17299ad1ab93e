//! Runs the built program in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A temporary folder that the program runs in.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Results.
    pub stdout: String,
    /// Progress and errors.
    pub stderr: String,
}

impl Outcome {
    /// The whole of stdout as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.stdout, self.stderr))
    }

    /// Demands an exit code, and words on stderr.
    #[track_caller]
    pub fn expect(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is not in: {}", self.stderr);
        }
        self
    }
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a scene file and returns its name.
    pub fn scene(&self, text: &str) -> &'static str {
        fs::write(self.path("scene.toml"), text).unwrap();
        "scene.toml"
    }

    /// The program, ready to be started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_granule"));
        command.current_dir(self.folder.path()).args(args);
        command
    }

    /// Runs the program to its end.
    pub fn granule(&self, args: &[&str]) -> Outcome {
        outcome(self.command(args).output().unwrap())
    }

    /// Everything in the folder: files with their bytes, and folders without.
    pub fn content(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut content = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path.clone());
                }
                content.insert(path.clone(), fs::read(path).ok());
            }
        }
        content
    }

    /// Names in a folder, sorted; empty if it is not there.
    pub fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }
}

/// Runs with wrong input and demands one message with these words, and that nothing was written.
#[track_caller]
pub fn refused(place: &Place, args: &[&str], words: &[&str]) {
    let before = place.content();
    let outcome = place.granule(args).expect(2, words);
    assert_eq!(outcome.stdout, "");
    // Usage errors come from the parser of arguments, which has its own first word.
    let is_message = |line: &&str| line.starts_with("granule: ") || line.starts_with("error: ");
    assert!(outcome.stderr.lines().next().as_ref().is_some_and(is_message), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().filter(is_message).count(), 1, "{}", outcome.stderr);
    assert!(place.content() == before, "something was written: {args:?}");
}

/// What a finished program gave.
pub fn outcome(output: Output) -> Outcome {
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A block of 216 grains on a floor, for 0.1 s at 50 frames per second, with more lines at its end.
pub fn block(more: &str) -> String {
    format!(
        r#"
name = "block"

[simulation]
seconds = 0.1

[[material]]
name = "sand"
radius = 0.02

[[grains]]
material = "sand"
shape.box = {{ min = [0, 0, 0], max = [0.24, 0.24, 0.24] }}

[[boundary]]
name = "floor"
shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
{more}
"#
    )
}
