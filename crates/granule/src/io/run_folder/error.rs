//! Why a run folder could not be made or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run folder could not be made or written.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The folder already holds something.
    #[error("{}: the folder is not empty", .path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// There is a file where the folder should be.
    #[error("{}: this is a file, not a folder", .path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made or written to; nothing was written.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The file system refused.
    #[error("{}: cannot {action}: {}", .path.display(), reason(.source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The index of frames cannot be understood.
    #[error("{}: not an index of frames: {reason}", .path.display())]
    Index {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// Why a file could not be written, in words that name a full disk as such.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => format!("the disk is full: {error}"),
        io::ErrorKind::QuotaExceeded => format!("the disk quota is used up: {error}"),
        _ => error.to_string(),
    }
}

/// That the file system refused.
pub(in crate::io) fn failed(path: &Path, action: &'static str, source: io::Error) -> RunFolderError {
    RunFolderError::Io { path: path.into(), action, source }
}

/// An error before anything was written: another folder is the remedy, except for a full disk.
pub(super) fn unusable(path: &Path, action: &'static str, source: io::Error) -> RunFolderError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failed(path, action, source),
        _ => RunFolderError::Unusable { path: path.into(), action, source },
    }
}
