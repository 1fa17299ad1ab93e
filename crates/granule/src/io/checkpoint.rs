//! Checkpoint files: everything that a run needs to go on as if it had never stopped.
//!
//! ```text
//! bytes 0..8    "granckpt"
//!       8..12   format version, u32
//!      12..20   length of the whole file, u64
//!      20       length of the engine's version, u8, then the version itself
//!      ...      content, as postcard writes it
//!      last 8   FNV-1a hash of all bytes before
//! ```
//! Numbers are little-endian. A file is checked as a whole before anything in it is believed, and nothing is allocated
//! that the file's own length does not cover.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::SimulationError;
use crate::files::write_atomic;
use crate::hash::Fnv;
use crate::scene::SceneError;
use crate::simulator::StateError;

const MAGIC: &[u8; 8] = b"granckpt";
/// Version of the format; a change of the content is a new one.
const FORMAT: u32 = 11;
/// Magic, format and length.
const HEADER: usize = 20;
const CHECKSUM: usize = 8;
/// The shortest file: no engine version and no content.
const LEAST: usize = HEADER + 1 + CHECKSUM;
/// Counts up to here are exact in f64; no run gets there.
const MOST_COUNT: u64 = 1 << 53;

/// Why a checkpoint could not be taken or a run not be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// It does not begin as a checkpoint does.
    #[error("not a granule checkpoint")]
    NotACheckpoint,
    /// It has another format.
    #[error("a checkpoint of format {found}; this program reads format {FORMAT} only")]
    Format {
        /// The format of the file.
        found: u32,
    },
    /// It ends too early.
    #[error("truncated: {found} of {stated} bytes are there")]
    Truncated {
        /// Bytes that are there.
        found: u64,
        /// Bytes that it says it has, at least.
        stated: u64,
    },
    /// It goes on after its end.
    #[error("longer than the {stated} bytes it says it has")]
    TooLong {
        /// Bytes that it says it has.
        stated: u64,
    },
    /// It was changed or damaged.
    #[error("damaged: the checksum does not match the content")]
    Checksum,
    /// It is whole, but its content makes no sense.
    #[error("the content is wrong: {0}")]
    Content(String),
    /// The scene inside is wrong.
    #[error("the scene inside: {0}")]
    Scene(#[from] SceneError),
    /// The simulation could not be made.
    #[error(transparent)]
    Simulation(SimulationError),
    /// The solver's state is wrong.
    #[error(transparent)]
    State(#[from] StateError),
    /// State of something that this version does not have; without it the run would go on differently.
    #[error("holds the state of `{0}`, which this version does not know")]
    UnknownExtension(String),
    /// A checkpoint was asked for between two frames.
    #[error("checkpoints are taken at frame times only; t = {time} s is not one")]
    NotAtFrame {
        /// Simulated time \[s\].
        time: f64,
    },
}

/// The content of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the engine that wrote it.
    #[serde(skip)]
    pub engine_version: String,
    /// The scene that the run started from, resolved, as TOML.
    pub scene: String,
    /// The solver's word in scenes.
    pub solver: String,
    /// Number of the frame.
    pub frame: u64,
    /// Steps taken.
    pub steps: u64,
    /// Particles lost.
    pub lost: u64,
    /// The solver's state.
    pub state: Vec<u8>,
    /// State of further parts, by name. A name that is not known is an error, never ignored.
    pub extensions: Vec<(String, Vec<u8>)>,
}

impl Checkpoint {
    /// The bytes of a checkpoint file.
    pub fn encode(&self) -> Result<Vec<u8>, CheckpointError> {
        let content = postcard::to_stdvec(self).map_err(|e| CheckpointError::Content(e.to_string()))?;
        Ok(seal(FORMAT, &self.engine_version, &content))
    }

    /// Checks and reads the bytes of a checkpoint file.
    pub fn decode(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let stated = stated_length(bytes)?;
        let found = bytes.len() as u64;
        if found < stated {
            return Err(CheckpointError::Truncated { found, stated });
        }
        if found > stated {
            return Err(CheckpointError::TooLong { stated });
        }
        let (sealed, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if hash(sealed).to_le_bytes() != checksum {
            return Err(CheckpointError::Checksum);
        }
        let wrong = |reason: &str| CheckpointError::Content(reason.into());
        let body = &sealed[HEADER..];
        let (version, content) = body[1..]
            .split_at_checked(body[0] as usize)
            .ok_or_else(|| wrong("the engine's version is longer than the file"))?;
        let (mut checkpoint, rest) =
            postcard::take_from_bytes::<Self>(content).map_err(|e| wrong(&e.to_string()))?;
        if !rest.is_empty() {
            return Err(wrong("bytes after the end"));
        }
        if [checkpoint.frame, checkpoint.steps, checkpoint.lost].iter().any(|count| *count > MOST_COUNT) {
            return Err(wrong("an impossible number of frames, steps or lost particles"));
        }
        checkpoint.engine_version = String::from_utf8_lossy(version).into_owned();
        Ok(checkpoint)
    }

    /// Reads a checkpoint file; something else is found out at its first bytes.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        (&mut file).take(HEADER as u64).read_to_end(&mut bytes)?;
        let stated = stated_length(&bytes)?;
        // One byte more than stated tells a file that is too long.
        file.take(stated - HEADER as u64 + 1).read_to_end(&mut bytes)?;
        Self::decode(&bytes)
    }

    /// Hash of the scene that the run started from.
    pub fn scene_hash(&self) -> u64 {
        hash(self.scene.as_bytes())
    }
}

/// Writes the bytes of a checkpoint to a file that is either whole or not there, also after a loss of power.
pub(super) fn write_checkpoint(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomic(path, |writer| {
        writer.write_all(bytes)?;
        writer.flush()?;
        writer.get_ref().sync_all()
    })
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.bytes(bytes);
    hash.finish()
}

/// Header, version, content and checksum as one file.
fn seal(format: u32, version: &str, content: &[u8]) -> Vec<u8> {
    let version = &version.as_bytes()[..version.len().min(u8::MAX.into())];
    let length = LEAST + version.len() + content.len();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&format.to_le_bytes());
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
    bytes.push(version.len() as u8);
    bytes.extend_from_slice(version);
    bytes.extend_from_slice(content);
    bytes.extend_from_slice(&hash(&bytes).to_le_bytes());
    bytes
}

/// The length that a file says it has, at least that of the shortest.
fn stated_length(bytes: &[u8]) -> Result<u64, CheckpointError> {
    if !bytes.starts_with(MAGIC) {
        return Err(CheckpointError::NotACheckpoint);
    }
    let Some((format, length)) = bytes[MAGIC.len()..].split_first_chunk::<4>() else {
        return Err(CheckpointError::Truncated { found: bytes.len() as u64, stated: LEAST as u64 });
    };
    let found = u32::from_le_bytes(*format);
    if found != FORMAT {
        return Err(CheckpointError::Format { found });
    }
    match length.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)) {
        None => Err(CheckpointError::Truncated { found: bytes.len() as u64, stated: LEAST as u64 }),
        Some(stated) if stated < LEAST as u64 => {
            Err(CheckpointError::Content("the stated length is that of no checkpoint".into()))
        }
        Some(stated) => Ok(stated),
    }
}

#[cfg(test)]
mod tests;
