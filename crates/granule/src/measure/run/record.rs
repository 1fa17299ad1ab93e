//! What is written down of a run: answers in the order in which they were asked for, in pieces that are checked.
//!
//! ```text
//! bytes 0..8   "granhear"
//!      then pieces: length, u64; content, as postcard writes it; FNV-1a hash of it, u64
//! ```
//! The first piece is a [`Beginning`], all others are [`Piece`]s. Pieces are appended; a piece that was not written to its end is
//! no piece.

use serde::{Deserialize, Serialize};

use crate::hash::Fnv;
use crate::simulation::Simulation;

/// How a file begins.
pub const MAGIC: &[u8; 8] = b"granhear";

/// What is always known of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Now {
    /// Simulated time \[s\].
    pub time: f64,
    pub frame: u64,
    pub steps: u64,
    pub particles: u64,
    pub grains: u64,
    pub lost: u64,
}

impl Now {
    /// That of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        Self {
            time: simulation.time(),
            frame: simulation.frame(),
            steps: simulation.steps(),
            particles: simulation.particle_count() as u64,
            grains: simulation.grain_count() as u64,
            lost: simulation.lost() as u64,
        }
    }
}

/// What a run began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// All that its answers depend on.
    pub key: String,
    pub solver: String,
    pub device: String,
    pub now: Now,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// Hash of the question.
    pub question: u64,
    /// What is known since.
    pub now: Now,
    /// The answer, as postcard writes it.
    pub answer: Vec<u8>,
}

/// Answers that were written together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    pub heard: Vec<Heard>,
    /// Wall time of the whole run \[s\], where it has ended.
    pub end: Option<f64>,
}

/// What precedes the checkpoint of a simulation in its file, with a hash after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Length of the file of answers then.
    pub length: u64,
    /// Hash of the key.
    pub key: u64,
    /// Wall time so far \[s\].
    pub seconds: f64,
}

impl Mark {
    /// Bytes of a mark.
    pub const SIZE: usize = 32;

    /// The bytes of a mark.
    pub fn bytes(&self) -> Vec<u8> {
        let words = [self.length, self.key, self.seconds.to_bits()];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(hash_bytes(&bytes).to_le_bytes());
        bytes
    }

    /// The mark at the beginning of these bytes, if it is whole.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let word = |k: usize| Some(u64::from_le_bytes(bytes.get(8 * k..8 * k + 8)?.try_into().ok()?));
        (word(3)? == hash_bytes(&bytes[..24])).then_some(())?;
        Some(Self { length: word(0)?, key: word(1)?, seconds: f64::from_bits(word(2)?) })
    }
}

/// The hash of a text.
pub fn hash_of(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.bytes(bytes);
    hash.finish()
}

/// The bytes of a piece; none where it cannot be written.
pub fn piece_bytes(content: &impl Serialize) -> Option<Vec<u8>> {
    let content = postcard::to_allocvec(content).ok()?;
    let mut bytes = (content.len() as u64).to_le_bytes().to_vec();
    bytes.extend(&content);
    bytes.extend(hash_bytes(&content).to_le_bytes());
    Some(bytes)
}

/// A file of answers as far as it is whole.
pub struct Answers {
    pub beginning: Beginning,
    pub heard: Vec<Heard>,
    /// Wall time \[s\] of a run that has ended.
    pub end: Option<f64>,
    /// Length of the part that is whole.
    pub length: usize,
}

impl Answers {
    /// Reads a file up to a length, or to the first piece that is not whole.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let beginning = postcard::from_bytes(next_piece(&mut rest)?).ok()?;
        let mut answers = Self { beginning, heard: Vec::new(), end: None, length: bytes.len() - rest.len() };
        while let Some(piece) = next_piece(&mut rest).and_then(|piece| postcard::from_bytes(piece).ok()) {
            let Piece { heard, end } = piece;
            answers.heard.extend(heard);
            answers.end = end;
            answers.length = bytes.len() - rest.len();
        }
        Some(answers)
    }
}

/// Takes the content of the next piece, if it is whole.
fn next_piece<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let content = after.get(..length)?;
    let (hash, after) = after.get(length..)?.split_first_chunk::<8>()?;
    (hash_bytes(content) == u64::from_le_bytes(*hash)).then_some(())?;
    *rest = after;
    Some(content)
}
