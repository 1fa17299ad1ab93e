//! Fields kept on the disk, found again by what they were made of.
//!
//! The folder is that of the environment variable `GRANULE_CACHE` (none at all where it is empty), else `granule` in
//! the user's cache folder. A file's name is the hash of the mesh and all parameters; a checksum over its contents
//! tells damage, and a damaged file is made anew. A folder that cannot be written to harms nobody.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use glam::{UVec3, Vec3};

use super::distance::DistanceField;
use super::error::FieldError;
use super::grid::{Grid, MOST_NODES};
use super::mesh::TriangleMesh;
use super::volume_map::VolumeMap;
use crate::files::write_atomic;
use crate::hash::Fnv;
use crate::sph::Kernel;

/// Raised whenever fields are computed differently or files look different.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"granfld\n";
/// Magic, version, key, origin, cell, nodes, support.
const HEADER: usize = 8 + 4 + 8 + 12 + 4 + 12 + 4;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "GRANULE_CACHE";

/// Where fields are kept; `None` if nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldCache {
    folder: Option<PathBuf>,
}

impl FieldCache {
    /// The folder of the environment, see the [module](self).
    pub fn from_environment() -> Self {
        let folder = match env::var_os(VARIABLE) {
            Some(folder) if folder.is_empty() => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => user_folder().map(|folder| folder.join("granule")),
        };
        Self { folder }
    }

    /// A given folder; it is made when needed.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Keeps nothing.
    pub fn none() -> Self {
        Self { folder: None }
    }

    /// [`DistanceField::new`], from the disk where it is there, and whether it was.
    pub fn distance_field(
        &self,
        mesh: &TriangleMesh,
        cell: f32,
        padding: f32,
    ) -> Result<(DistanceField, bool), FieldError> {
        let key = key(mesh, b"distance", &[cell, padding]);
        if let Some((grid, _, words)) = self.read(key, |nodes| nodes) {
            let value = words.into_iter().map(f32::from_bits).collect();
            return Ok((DistanceField::from_parts(grid, value), true));
        }
        let field = DistanceField::new(mesh, cell, padding)?;
        self.write(key, field.grid(), 0.0, field.values().iter().map(|value| value.to_bits()));
        Ok((field, false))
    }

    /// [`VolumeMap::new`], from the disk where it is there, and whether it was.
    pub fn volume_map(
        &self,
        mesh: &TriangleMesh,
        kernel: &Kernel,
        cell: f32,
        reach: f32,
    ) -> Result<(VolumeMap, bool), FieldError> {
        let kind = format!("volume {:?}", kernel.kind());
        let key = key(mesh, kind.as_bytes(), &[kernel.support(), cell, reach]);
        if let Some((grid, support, words)) = self.read(key, |nodes| 2 * nodes + nodes.div_ceil(32)) {
            let (pairs, concave) = words.split_at(2 * grid.node_count());
            let node = pairs.chunks_exact(2).map(|two| [two[0], two[1]].map(f32::from_bits)).collect();
            return Ok((VolumeMap::from_parts(grid, support, node, concave.to_vec()), true));
        }
        let map = VolumeMap::new(mesh, kernel, cell, reach)?;
        let nodes = map.nodes().iter().flatten().map(|value| value.to_bits());
        self.write(key, map.grid(), map.support(), nodes.chain(map.concave_words().iter().copied()));
        Ok((map, false))
    }

    fn path(&self, key: u64) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("field-{key:016x}.bin")))
    }

    /// The grid, support and words of a file, if it is there and whole.
    fn read(&self, key: u64, word_count: impl Fn(usize) -> usize) -> Option<(Grid, f32, Vec<u32>)> {
        let path = self.path(key)?;
        let expected = |nodes: usize| HEADER + 4 * word_count(nodes) + 8;
        if fs::metadata(&path).ok()?.len() > expected(MOST_NODES as usize) as u64 {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        let mut hash = Fnv::default();
        hash.bytes(body);
        if hash.finish().to_le_bytes() != checksum || body.get(..20)? != header_start(key) {
            return None;
        }
        let word = |at: usize| Some(u32::from_le_bytes(body.get(at..at + 4)?.try_into().ok()?));
        let number = |at: usize| word(at).map(f32::from_bits);
        let origin = Vec3::new(number(20)?, number(24)?, number(28)?);
        let nodes = UVec3::new(word(36)?, word(40)?, word(44)?);
        let grid = Grid { origin, cell: number(32)?, nodes };
        let count = nodes.as_dvec3();
        if count.x * count.y * count.z > MOST_NODES || nodes.min_element() < 2 {
            return None;
        }
        let data = &body[HEADER..];
        if bytes.len() != expected(grid.node_count()) {
            return None;
        }
        let words = data.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Some((grid, number(48)?, words.collect()))
    }

    /// Writes a file if it can.
    fn write(&self, key: u64, grid: &Grid, support: f32, words: impl Iterator<Item = u32>) {
        let Some(path) = self.path(key) else { return };
        let mut bytes = header_start(key).to_vec();
        let numbers = [grid.origin.x, grid.origin.y, grid.origin.z, grid.cell].map(f32::to_bits);
        let counts = grid.nodes.to_array();
        for word in numbers.into_iter().chain(counts).chain([support.to_bits()]).chain(words) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut hash = Fnv::default();
        hash.bytes(&bytes);
        bytes.extend_from_slice(&hash.finish().to_le_bytes());
        // A full disk or a folder of somebody else only costs the next run some time.
        let _ = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| write_atomic(&path, |writer| std::io::Write::write_all(writer, &bytes)));
    }
}

fn header_start(key: u64) -> [u8; 20] {
    let mut start = [0; 20];
    start[..8].copy_from_slice(&MAGIC);
    start[8..12].copy_from_slice(&VERSION.to_le_bytes());
    start[12..].copy_from_slice(&key.to_le_bytes());
    start
}

/// The hash of a mesh, what is made of it, and the parameters of that.
fn key(mesh: &TriangleMesh, kind: &[u8], parameters: &[f32]) -> u64 {
    let mut hash = Fnv::default();
    hash.word(u64::from(VERSION));
    hash.bytes(kind);
    parameters.iter().for_each(|parameter| hash.bytes(&parameter.to_bits().to_le_bytes()));
    hash.word(mesh.position.len() as u64);
    hash.bytes(bytemuck::cast_slice(&mesh.position));
    hash.bytes(bytemuck::cast_slice(&mesh.triangle));
    hash.finish()
}

/// The folder where programs of this user keep what they can make again.
fn user_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let absolute = |path: &PathBuf| Path::is_absolute(path);
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").filter(absolute).or_else(|| folder("HOME").map(|home| home.join(".cache")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;
    use crate::sph::KernelKind;

    fn files(folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    #[test]
    fn fields_come_back_from_the_disk_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FieldCache::in_folder(folder.path().join("made/when/needed"));
        let mesh = shapes::bumpy(0.3, 6);
        let kernel = Kernel::new(KernelKind::Cubic, 0.08);
        let (made, found) = cache.distance_field(&mesh, 0.05, 0.1).unwrap();
        assert!(!found);
        assert_eq!(cache.distance_field(&mesh, 0.05, 0.1).unwrap(), (made, true));
        let (made, found) = cache.volume_map(&mesh, &kernel, 0.04, 0.04).unwrap();
        assert!(!found);
        assert_eq!(cache.volume_map(&mesh, &kernel, 0.04, 0.04).unwrap(), (made, true));
        // Whatever differs makes another field.
        let mut other = mesh.clone();
        other.position[3].x += 1e-6;
        assert!(!cache.distance_field(&other, 0.05, 0.1).unwrap().1);
        assert!(!cache.distance_field(&mesh, 0.051, 0.1).unwrap().1);
        assert!(!cache.distance_field(&mesh, 0.05, 0.11).unwrap().1);
        let wendland = Kernel::new(KernelKind::Wendland, 0.08);
        assert!(!cache.volume_map(&mesh, &wendland, 0.04, 0.04).unwrap().1);
    }

    #[test]
    fn damaged_files_are_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FieldCache::in_folder(folder.path());
        let mesh = shapes::cuboid(Vec3::ONE);
        let (made, _) = cache.distance_field(&mesh, 0.2, 0.1).unwrap();
        let path = files(folder.path()).remove(0);
        let whole = fs::read(&path).unwrap();
        for at in [0, 9, 15, 25, 40, HEADER + 3, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.distance_field(&mesh, 0.2, 0.1).unwrap(), (made.clone(), false), "byte {at}");
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        for length in [0, 7, HEADER, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(!cache.distance_field(&mesh, 0.2, 0.1).unwrap().1, "length {length}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let mesh = shapes::cuboid(Vec3::ONE);
        for cache in [FieldCache::in_folder(file.join("below")), FieldCache::none()] {
            for _ in 0..2 {
                assert!(!cache.distance_field(&mesh, 0.2, 0.1).unwrap().1);
            }
        }
    }
}
