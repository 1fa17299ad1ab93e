//! Making a run folder: a new one with the next free number, or one of a given name without what an earlier run left.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::RunFolder;
use super::error::{RunFolderError, failed, unusable};
use crate::files::check_writable;
use crate::io::vtk::PVD_MARK;

/// Creates the folder of the next free number.
pub(super) fn create_numbered(base: &Path, name: &str) -> Result<PathBuf, RunFolderError> {
    fs::create_dir_all(base).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => RunFolderError::NotAFolder { path: base.into() },
        _ => unusable(base, "create the folder", error),
    })?;
    let prefix = format!("{name}-");
    let entries = fs::read_dir(base).map_err(|error| unusable(base, "list the folder", error))?;
    let last = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(&prefix)?.parse::<u32>().ok())
        .max();
    let mut number = last.map_or(1, |last| last.saturating_add(1));
    loop {
        let path = base.join(format!("{prefix}{number:03}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            // Another run took it just now.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            Err(error) => return Err(unusable(&path, "create the folder", error)),
        }
    }
}

/// Creates a folder of a given name, or takes over an existing one.
pub(super) fn take_over(path: &Path, force: bool) -> Result<PathBuf, RunFolderError> {
    if path.exists() && !path.is_dir() {
        return Err(RunFolderError::NotAFolder { path: path.into() });
    }
    fs::create_dir_all(path).map_err(|error| unusable(path, "create the folder", error))?;
    let mut entries = fs::read_dir(path).map_err(|error| unusable(path, "list the folder", error))?;
    let empty = entries.next().is_none();
    if !empty && !force {
        return Err(RunFolderError::NotEmpty { path: path.into() });
    }
    check_writable(path).map_err(|error| unusable(path, "write into the folder", error))?;
    if empty {
        return Ok(path.into());
    }
    let folder = RunFolder::open(path);
    let tables = [folder.series(), folder.tracks(), folder.bodies()];
    for file in [folder.summary(), folder.index(), folder.picture()].iter().chain(&tables) {
        remove(file)?;
    }
    let own = |name: &str, kind| {
        ["frame", "fine", "contacts"].iter().any(|word| is_numbered(name, Some(word), kind))
    };
    remove_where(&folder.frames(), |_, name| own(name, "ply"))?;
    remove_where(&folder.vtk(), |path, name| own(name, "vtp") || is_own_series(path))?;
    remove_where(&folder.lammps(), |_, name| own(name, "dump"))?;
    remove_where(&folder.npy(), |_, name| is_numbered(name, None, "npy"))?;
    remove_where(&folder.checkpoints(), |_, name| is_checkpoint_name(name))?;
    // Only an empty folder goes; one with other files stays as it is.
    let _ = fs::remove_dir(folder.checkpoints());
    Ok(path.into())
}

/// Removes the files of a folder that an earlier run left; the folder need not be there.
fn remove_where(folder: &Path, is_own: impl Fn(&Path, &str) -> bool) -> Result<(), RunFolderError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_str().is_some_and(|name| is_own(&path, name)) {
            remove(&path)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), RunFolderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed(path, "replace the file of an earlier run", error))
        }
        _ => Ok(()),
    }
}

/// Whether a file name ends in `_NNNNNN.` and the extension, with a word before that is `frame` or any other.
fn is_numbered(name: &str, word: Option<&str>, extension: &str) -> bool {
    name.strip_suffix(extension)
        .and_then(|rest| rest.strip_suffix('.'))
        .and_then(|stem| stem.rsplit_once('_'))
        .is_some_and(|(before, digits)| {
            word.map_or(!before.is_empty(), |word| word == before)
                && digits.len() >= 6
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Whether a file is a VTK time series that granule wrote.
fn is_own_series(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pvd")
        && fs::read_to_string(path).is_ok_and(|text| text.contains(PVD_MARK))
}

/// Whether a file name is one that [`RunFolder::checkpoint`] makes.
pub(super) fn is_checkpoint_name(name: &str) -> bool {
    let number = name.strip_suffix(".ckpt");
    number.is_some_and(|digits| digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
