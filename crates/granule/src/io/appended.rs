//! Tables that grow while a run goes: whole rows or nothing.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// What can be cut to a length, as files can.
pub(super) trait SetLength {
    /// Cuts off what is beyond a length \[bytes\].
    fn set_length(&mut self, length: u64) -> io::Result<()>;
}

impl SetLength for File {
    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A text file that is appended to, each time at once.
#[derive(Debug)]
pub(super) struct AppendedFile<F = File> {
    file: F,
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
}

impl<F: Write + Seek + SetLength> AppendedFile<F> {
    /// Appends text; where that fails, as on a full disk, the part that was written is taken back.
    pub fn append(&mut self, text: &str) -> io::Result<()> {
        let result = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        match result {
            Ok(()) => self.length += text.len() as u64,
            Err(_) => {
                // The first error is the one to report.
                let _ = self.file.set_length(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file on a disk with so much room.
    struct SmallDisk {
        file: io::Cursor<Vec<u8>>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room.saturating_sub(self.file.position() as usize));
            match fits {
                0 => Err(io::ErrorKind::StorageFull.into()),
                _ => self.file.write(&bytes[..fits]),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for SmallDisk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    impl SetLength for SmallDisk {
        fn set_length(&mut self, length: u64) -> io::Result<()> {
            self.file.get_mut().truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn no_part_of_a_row_stays_after_a_failed_write_and_later_rows_follow_without_a_gap() {
        let disk = SmallDisk { file: io::Cursor::new(Vec::new()), room: 14 };
        let mut table = AppendedFile { file: disk, length: 0 };
        table.append("a,b\n").unwrap();
        table.append("1,2\n").unwrap();
        // Six bytes are left: half of the row is written.
        let error = table.append("1000,2000\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(table.file.file.get_ref(), b"a,b\n1,2\n");
        table.append("3,4\n").unwrap();
        assert_eq!(table.file.file.get_ref(), b"a,b\n1,2\n3,4\n");
        table.file.room = 100;
        table.append("1000,2000\n").unwrap();
        assert_eq!(table.file.file.get_ref(), b"a,b\n1,2\n3,4\n1000,2000\n");
    }
}
