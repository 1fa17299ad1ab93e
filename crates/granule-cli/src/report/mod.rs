//! `granule report`: a page of a run.

mod page;
mod playback;

use std::path::{Path, PathBuf};

use granule::io::{RunFolder, RunFrames, write_bytes_atomic};

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::track::{read_summary, series};
use crate::{output, render};

use playback::Playback;

/// Pictures of the run, and their size [pixels].
const PICTURES: usize = 4;
const PICTURE_SIZE: [u32; 2] = [720, 450];

/// Columns of the series that are shown: column, name and unit.
const SERIES: [(&str, &str, &str); 5] = [
    ("kinetic_energy_j", "Kinetic energy", "J"),
    ("max_speed_m_per_s", "Largest speed", "m/s"),
    ("particles", "Particles", "1"),
    ("iterations_mean", "Iterations per step", "1"),
    ("density_error_mean", "Density error", "1"),
];

/// Makes the page. A run that cannot be read is refused, and no file is overwritten.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let frames = RunFrames::open(&args.run)?;
    let path = args.output.clone().unwrap_or_else(|| args.run.join("report.html"));
    check(&path)?;
    let folder = RunFolder::open(&args.run);
    let summary = read_summary(&folder)?;
    let pictures = render::pictures_of_run(&folder, "auto", PICTURE_SIZE, PICTURES, None)?;
    let playback = Playback::of(&frames)?;
    let columns = SERIES.iter().map(|(column, name, unit)| Ok((*name, *unit, series(&folder, column)?)));
    let columns: Vec<_> = columns.collect::<Result<_, Failure>>()?;
    // What never changes says nothing.
    let changes = |points: &[[f64; 2]]| points.windows(2).any(|pair| pair[0][1] != pair[1][1]);
    let columns: Vec<_> = columns.into_iter().filter(|column| changes(&column.2)).collect();
    let run =
        page::Run { summary: &summary, pictures: &pictures, series: &columns, playback: playback.as_ref() };
    write_bytes_atomic(&path, page::page(&run).as_bytes())
        .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
    output::text(&path.display().to_string())
}

/// Refuses what cannot be written.
fn check(path: &Path) -> Result<(), Failure> {
    let wrong = |reason: &str| Err(Failure::Input(format!("-o {}: {reason}", path.display())));
    if path.exists() {
        return wrong("is there already; name another file");
    }
    let folder = path.parent().map(PathBuf::from).filter(|folder| !folder.as_os_str().is_empty());
    match folder.is_some_and(|folder| !folder.is_dir()) {
        true => wrong("there is no such folder to write to"),
        false => Ok(()),
    }
}
