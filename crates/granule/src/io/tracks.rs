//! tracks.csv: the paths of chosen particles, one row per particle and frame.

use std::io;
use std::path::Path;

use super::appended::AppendedFile;
use super::oriented::Oriented;
use super::ply::{in_file_order, property_names};
use crate::simulator::{FieldData, Snapshot};

/// Appends the rows of every frame at once.
#[derive(Debug)]
pub struct TrackWriter {
    file: AppendedFile,
    ids: Vec<u32>,
    missing: Vec<u32>,
}

impl TrackWriter {
    /// Begins a new file; `first` has the fields that every frame will have, with ids.
    ///
    /// Columns are `time` \[s\], `id`, `x`, `y`, `z` and the fields, named as the properties of PLY frames.
    pub fn create(path: impl AsRef<Path>, ids: &[u32], first: &Snapshot) -> io::Result<Self> {
        let names = in_file_order(first).into_iter().flat_map(|(info, data)| property_names(info.name, data));
        let header = std::iter::once("time".to_string()).chain(names).collect::<Vec<_>>().join(",");
        Ok(Self {
            file: AppendedFile::create(path, &(header + "\n"))?,
            ids: ids.to_vec(),
            missing: Vec::new(),
        })
    }

    /// Appends a frame: a row for every chosen particle that is there.
    pub fn append(&mut self, view: &Oriented) -> io::Result<()> {
        view.checked_count()?;
        let snapshot = view.snapshot();
        let ids = snapshot
            .integer("id")
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the snapshot has no ids"))?;
        let columns = in_file_order(snapshot);
        let mut rows = String::new();
        self.missing.clear();
        for id in &self.ids {
            let Ok(row) = ids.binary_search(id) else {
                self.missing.push(*id);
                continue;
            };
            rows += &snapshot.time.to_string();
            for (_, data) in &columns {
                put(&mut rows, data, row);
            }
            rows.push('\n');
        }
        self.file.append(&rows)
    }

    /// The chosen particles that the last frame did not have: lost, or not there yet.
    pub fn missing(&self) -> &[u32] {
        &self.missing
    }
}

fn put(text: &mut String, data: &FieldData, row: usize) {
    let mut numbers = |values: &[f32]| values.iter().for_each(|value| *text += &format!(",{value}"));
    match data {
        FieldData::Integer(values) => *text += &format!(",{}", values[row]),
        FieldData::Scalar(values) => numbers(&[values[row]]),
        FieldData::Vec3(values) => numbers(&values[row]),
        FieldData::Quaternion(values) => numbers(&values[row]),
        FieldData::Tensor(values) => numbers(&values[row]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::UpAxis;
    use crate::simulator::{FieldInfo, FieldKind};

    fn snapshot(time: f64, ids: &[u32]) -> Snapshot {
        let info = |name, kind| FieldInfo { name, unit: "1", kind };
        let place = |id: &u32| [*id as f32, 0.5, 2.0];
        Snapshot {
            time,
            columns: vec![
                (info("velocity", FieldKind::Vec3), FieldData::Vec3(vec![[0.0, 0.0, 1.0]; ids.len()])),
                (info("id", FieldKind::Integer), FieldData::Integer(ids.to_vec())),
                (info("position", FieldKind::Vec3), FieldData::Vec3(ids.iter().map(place).collect())),
            ],
        }
    }

    #[test]
    fn every_frame_has_a_row_per_particle_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tracks.csv");
        let first = snapshot(0.0, &[1, 3, 8]);
        let mut writer = TrackWriter::create(&path, &[8, 1], &first).unwrap();
        writer.append(&Oriented::new(&first, UpAxis::Z)).unwrap();
        assert!(writer.missing().is_empty());
        writer.append(&Oriented::new(&snapshot(0.02, &[3, 8]), UpAxis::Z)).unwrap();
        assert_eq!(writer.missing(), [1]);
        assert_eq!(
            std::fs::read_to_string(path).unwrap(),
            "time,id,x,y,z,velocity_x,velocity_y,velocity_z\n\
             0,8,8,-2,0.5,0,-1,0\n0,1,1,-2,0.5,0,-1,0\n0.02,8,8,-2,0.5,0,-1,0\n"
        );
    }
}
