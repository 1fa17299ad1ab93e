//! The files that were opened last, remembered from one time to the next.

use std::path::{Path, PathBuf};

use crate::layout::settings_file;

/// Files that are remembered.
const MOST: usize = 10;

/// The files that were opened last, newest first.
#[derive(Default)]
pub struct Recent {
    paths: Vec<String>,
    /// Where they are remembered; nowhere when absent.
    file: Option<PathBuf>,
}

impl Recent {
    /// The files that are remembered, if they are to be.
    pub fn remembered(remember: bool) -> Self {
        let file = settings_file("recent.json").filter(|_| remember);
        file.map_or_else(Self::default, |file| Self::from_file(&file))
    }

    fn from_file(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut paths: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
        paths.truncate(MOST);
        Self { paths, file: Some(file.into()) }
    }

    /// The files, newest first.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Puts a file first. A folder that cannot be written is no reason to trouble anybody.
    pub fn add(&mut self, path: &str) {
        let path = std::path::absolute(path).map_or_else(|_| path.into(), |path| path.display().to_string());
        self.paths.retain(|known| *known != path);
        self.paths.insert(0, path);
        self.paths.truncate(MOST);
        let (Some(file), Ok(text)) = (&self.file, serde_json::to_string(&self.paths)) else { return };
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = granule::io::write_bytes_atomic(file, text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_files_are_remembered_once_and_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("granule").join("recent.json");
        let mut recent = Recent::from_file(&file);
        for name in ["/a.toml", "/b.granule", "/a.toml"] {
            recent.add(name);
        }
        assert_eq!(Recent::from_file(&file).paths(), ["/a.toml", "/b.granule"]);
        for k in 0..20 {
            recent.add(&format!("/{k}.toml"));
        }
        assert_eq!(Recent::from_file(&file).paths().len(), MOST);
        std::fs::write(&file, "{").unwrap();
        assert!(Recent::from_file(&file).paths().is_empty(), "a broken file is left");
    }
}
