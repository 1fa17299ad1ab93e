//! Tables that grow while a run goes: whole rows or nothing.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A text file that is appended to, each time at once.
#[derive(Debug)]
pub(super) struct AppendedFile {
    file: File,
    /// Bytes that are safely in the file.
    length: u64,
}

impl AppendedFile {
    /// Begins a new file with its header.
    pub fn create(path: impl AsRef<Path>, header: &str) -> io::Result<Self> {
        let mut file = Self { file: File::create(path)?, length: 0 };
        file.append(header)?;
        Ok(file)
    }

    /// Appends text; where that fails, as on a full disk, the part that was written is taken back.
    pub fn append(&mut self, text: &str) -> io::Result<()> {
        let result = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        match result {
            Ok(()) => self.length += text.len() as u64,
            Err(_) => {
                // The first error is the one to report.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
            }
        }
        result
    }
}
