//! Files that are either whole or not there: written under a temporary name, then renamed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file through `fill`; a reader sees the old file or the new one, never a part.
///
/// On failure the old file stays and the temporary one is removed. A symbolic link at `path` is replaced, not followed.
pub fn write_atomic(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    let (temporary, file) = create_temporary(path)?;
    let mut writer = BufWriter::new(file);
    let result = fill(&mut writer).and_then(|()| writer.flush());
    // Closed before it is renamed, as some systems demand.
    drop(writer.into_parts());
    let result = result.and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report; a leftover temporary file harms nobody.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Writes bytes to a file; a reader sees the old file or the new one, never a part.
pub fn write_bytes_atomic(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    write_atomic(path, |writer| writer.write_all(bytes))
}

/// Finds out whether files can be written into a folder, and leaves nothing in it.
pub fn check_writable(folder: impl AsRef<Path>) -> io::Result<()> {
    let (temporary, _) = create_temporary(&folder.as_ref().join("check"))?;
    fs::remove_file(temporary)
}

/// Creates a file of a new name in the same folder.
fn create_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    loop {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.{}.tmp", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_whole_files_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_bytes_atomic(&path, b"long first text").unwrap();
        write_bytes_atomic(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_bytes_atomic(&path, b"old").unwrap();
        let result = write_atomic(&path, |writer| {
            writer.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert_eq!(result.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_bytes_atomic(folder.path().join("no/a.txt"), b"x").is_err());
        assert!(write_bytes_atomic("/", b"x").is_err());
    }

    #[test]
    fn a_check_tells_folders_that_take_files_and_leaves_none() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(folder.path()).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        assert!(check_writable(folder.path().join("no")).is_err());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(check_writable(folder.path().join("file")).is_err());
    }
}
