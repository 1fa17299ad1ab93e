//! What is written out of the simulation, on its own thread: checkpoints and exports. The window does not wait.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use granule::Simulation;
use granule::io::{
    DumpHeader, Oriented, contact_table, write_bytes_atomic, write_contact_vtp, write_dump, write_ply,
    write_vtp,
};
use granule::simulator::Snapshot;

use crate::session::{Session, Severity};

/// What came of it.
pub struct Written {
    /// How bad it is.
    pub severity: Severity,
    /// What to say.
    pub text: String,
}

/// Writes a checkpoint of the frame.
pub fn checkpoint(session: &Session, path: &Path, results: &Sender<Written>) {
    later(session, path, results, "checkpoint", |simulation, path| {
        let bytes = simulation.checkpoint().map_err(|error| error.to_string())?;
        write_bytes_atomic(path, &bytes).map_err(|error| error.to_string())
    });
}

/// Writes the frame with all fields that the solver has, fine grains and contacts into files of their own.
pub fn frame(session: &Session, path: &Path, results: &Sender<Written>) {
    later(session, path, results, "frame", |simulation, path| {
        let fields: Vec<&str> = simulation.fields().iter().map(|field| field.name).collect();
        let snapshot = simulation.read(&fields).map_err(|error| error.to_string())?;
        let fine = simulation.read_fine().map_err(|error| error.to_string())?;
        export(simulation, &snapshot, path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let beside = |word: &str| path.with_file_name(format!("{stem}-{word}.{ending}"));
        let contacts = simulation.contacts();
        if !contacts.is_empty() && ending != "dump" {
            let table = contact_table(&contacts, snapshot.time);
            let view = Oriented::new(&table, simulation.scene().output.up);
            let written = match ending == "vtp" {
                true => write_contact_vtp(beside("contacts"), &view),
                false => write_ply(beside("contacts"), &view),
            };
            written.map_err(|error| error.to_string())?;
        }
        fine.map_or(Ok(()), |fine| export(simulation, &fine, &beside("fine")))
    });
}

fn export(simulation: &Simulation, snapshot: &Snapshot, path: &Path) -> Result<(), String> {
    let view = Oriented::new(snapshot, simulation.scene().output.up);
    let written = match path.extension().and_then(|ending| ending.to_str()) {
        Some("vtp") => write_vtp(path, &view),
        Some("dump") => {
            let periodic = simulation.scene().simulation.periodic.axes();
            write_dump(path, &view, &DumpHeader { frame: simulation.frame(), periodic })
        }
        _ => write_ply(path, &view),
    };
    written.map_err(|error| error.to_string())
}

/// Does work on the simulation's thread and tells what came of it. A file that has come meanwhile stays.
fn later(
    session: &Session,
    path: &Path,
    results: &Sender<Written>,
    what: &'static str,
    work: impl FnOnce(&mut Simulation, &Path) -> Result<(), String> + Send + 'static,
) {
    let (path, results) = (PathBuf::from(path), results.clone());
    session.live().with_simulation(move |simulation| {
        let done = match path.exists() {
            true => Err("a file of this name exists; it is not overwritten".into()),
            false => work(simulation, &path),
        };
        let shown = path.display();
        let written = match done {
            Ok(()) => Written {
                severity: Severity::Info,
                text: format!("{what} of frame {} in {shown}", simulation.frame()),
            },
            Err(error) => Written { severity: Severity::Error, text: format!("{shown}: {error}") },
        };
        // Nobody is there to hear it once the window is closed.
        let _ = results.send(written);
    });
}

/// A file in a folder that is not there yet: a name with an ending, with a number behind it where that is taken.
pub fn unused_file(folder: &Path, stem: &str, ending: &str) -> PathBuf {
    let numbered = (2..u32::MAX).map(|k| format!("{stem}-{k}.{ending}"));
    let mut names = std::iter::once(format!("{stem}.{ending}")).chain(numbered);
    let free = names.find(|name| !folder.join(name).exists());
    folder.join(free.unwrap_or_else(|| format!("{stem}.{ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_get_the_next_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["heap-000007.png", "heap-000007-2.png", "heap-000007-3.png"] {
            let path = unused_file(folder.path(), "heap-000007", "png");
            assert_eq!(path, folder.path().join(name));
            std::fs::write(path, name).unwrap();
        }
        let first = std::fs::read_to_string(folder.path().join("heap-000007.png")).unwrap();
        assert_eq!(first, "heap-000007.png", "it stays as it was");
    }
}
