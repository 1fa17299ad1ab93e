//! series.csv: one row of numbers per frame, there as soon as the frame is.

use std::io;
use std::path::Path;

use super::appended::AppendedFile;

/// One row: the state at a frame and means over the steps that led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesRow {
    /// Number of the frame.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Particles now.
    pub particles: usize,
    /// Steps since the frame before.
    pub steps: u64,
    /// Mean sweeps per step.
    pub iterations_mean: f64,
    /// Mean density error after a step, relative to the rest density.
    pub density_error_mean: f64,
    /// Mean relative change of the friction stress in a step's last sweep.
    pub friction_error_mean: f64,
    /// Steps that did not converge.
    pub unconverged_steps: u64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Fastest particle [m/s].
    pub max_speed: f64,
    /// Mean speed [m/s].
    pub mean_speed: f64,
    /// Particles lost since the run began.
    pub lost_particles: usize,
    /// Grains emitted since the run began.
    pub emitted: u64,
    /// Grains that emitters gave up since the run began.
    pub blocked: u64,
    /// Grains taken by outlets since the run began.
    pub drained: u64,
    /// Grains taken by commands since the run began.
    pub removed: u64,
}

impl SeriesRow {
    /// Names of the columns, with units.
    pub const HEADER: &'static str = "frame,time_s,particles,steps,iterations_mean,density_error_mean,\
        friction_error_mean,unconverged_steps,kinetic_energy_j,max_speed_m_per_s,mean_speed_m_per_s,lost_particles,\
        emitted,blocked,drained,removed";

    fn line(&self) -> String {
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            self.frame,
            self.time,
            self.particles,
            self.steps,
            self.iterations_mean,
            self.density_error_mean,
            self.friction_error_mean,
            self.unconverged_steps,
            self.kinetic_energy,
            self.max_speed,
            self.mean_speed,
            self.lost_particles,
            self.emitted,
            self.blocked,
            self.drained,
            self.removed,
        )
    }
}

/// Appends rows to a file, each at once.
#[derive(Debug)]
pub struct SeriesWriter {
    file: AppendedFile,
}

impl SeriesWriter {
    /// Begins a new file with its header; `extra` are names of further columns, without spaces and commas.
    pub fn create(path: impl AsRef<Path>, extra: &[String]) -> io::Result<Self> {
        Ok(Self { file: AppendedFile::create(path, &joined(SeriesRow::HEADER, extra))? })
    }

    /// Appends a row with the values of the extra columns.
    pub fn append(&mut self, row: &SeriesRow, extra: &[u64]) -> io::Result<()> {
        self.file.append(&joined(row.line().trim_end(), extra))
    }
}

/// A line of values and further ones.
fn joined(first: &str, more: &[impl ToString]) -> String {
    let more: String = more.iter().map(|value| format!(",{}", value.to_string())).collect();
    format!("{first}{more}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_file_before_the_writer_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        let mut writer = SeriesWriter::create(&path, &["drained_hole".into()]).unwrap();
        writer
            .append(&SeriesRow { frame: 1, time: 0.02, particles: 7, steps: 3, ..Default::default() }, &[9])
            .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("frame,time_s,particles,steps,iterations_mean"));
        assert!(lines[1].starts_with("1,0.02,7,3,"));
        assert!(lines[0].ends_with(",drained,removed,drained_hole") && lines[1].ends_with(",0,9"));
        assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
        assert!(lines[0].split(',').all(|name| !name.contains(' ')));
    }
}
