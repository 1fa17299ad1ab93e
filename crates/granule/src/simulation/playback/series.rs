//! The numbers of a run that is over, from its series.csv.

use std::collections::HashMap;
use std::path::Path;

/// Numbers of a frame; 0 where the series does not have them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub iterations: f64,
    pub density_error: f64,
    pub friction_error: f64,
    pub kinetic_energy: f64,
    pub max_speed: f64,
    pub lost: u64,
    pub emitted: u64,
    pub drained: u64,
    pub removed: u64,
}

/// The numbers by frame; none where there is no series. Columns are found by their names, rows that are cut short are left out.
pub(super) fn read_series(path: &Path) -> HashMap<u64, Numbers> {
    std::fs::read_to_string(path).map_or_else(|_| HashMap::new(), |text| parse(&text))
}

fn parse(text: &str) -> HashMap<u64, Numbers> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != header.len() {
            return None;
        }
        let cell = |name: &str| header.iter().position(|known| *known == name).map(|k| cells[k]);
        let number = |name: &str| cell(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
        let count = |name: &str| cell(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        let numbers = Numbers {
            iterations: number("iterations_mean"),
            density_error: number("density_error_mean"),
            friction_error: number("friction_error_mean"),
            kinetic_energy: number("kinetic_energy_j"),
            max_speed: number("max_speed_m_per_s"),
            lost: count("lost_particles"),
            emitted: count("emitted"),
            drained: count("drained"),
            removed: count("removed"),
        };
        Some((cell("frame")?.parse().ok()?, numbers))
    };
    lines.filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::SeriesRow;

    #[test]
    fn numbers_are_found_by_the_names_that_the_writer_gives() {
        let cells: Vec<String> =
            SeriesRow::HEADER.split(',').enumerate().map(|(k, _)| k.to_string()).collect();
        let row = cells.join(",");
        let read = parse(&format!("{}\n{row}\n7,0.1\n", SeriesRow::HEADER));
        assert_eq!(read.len(), 1, "a row that is cut short is left out");
        let numbers = read[&0];
        assert_eq!((numbers.iterations, numbers.kinetic_energy, numbers.max_speed), (4.0, 8.0, 9.0));
        assert_eq!((numbers.lost, numbers.emitted, numbers.drained, numbers.removed), (11, 12, 14, 15));
        assert!(parse("").is_empty());
    }
}
