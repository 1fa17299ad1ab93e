//! docs/validation.md.

use std::fmt::Write;

use super::record::{About, Catalogue, Fault, Kept, Measured, Origin, Point, SOLVERS};
use super::remarks::Remarks;

/// The page.
pub fn page(catalogue: &Catalogue, remarks: &Remarks) -> String {
    let mut page = String::from(
        "<!-- Made by `cargo xtask validation` from docs/validation/report.json and docs/validation/remarks.md: change those. -->\n\n\
         # Validation\n",
    );
    paragraph(&mut page, remarks.of("head"));
    overview(&mut page, catalogue);
    origins(&mut page, catalogue);
    for about in &catalogue.about {
        section(&mut page, catalogue, about, remarks);
    }
    paragraph(&mut page, remarks.of("end"));
    page
}

fn paragraph(page: &mut String, text: &str) {
    if !text.is_empty() {
        let _ = write!(page, "\n{text}\n");
    }
}

/// The matrix of experiments and solvers.
fn overview(page: &mut String, catalogue: &Catalogue) {
    let caught = catalogue.controls.iter().filter(|control| control.what.caught).count();
    let points: usize = catalogue.cells.iter().map(|cell| cell.what.points.len()).sum();
    let _ = write!(
        page,
        "\n## Experiments and solvers\n\n{} experiments, {points} numbers of {} runs below. `pass`: every number lies in its range; `as LAMMPS`: some do not, and agree with LAMMPS on the same \
         set-up within its scatter, which is given beside them; `open`: \
         measured and not claimed, since something misses; a dash: not measured, for the reason given with the experiment.",
        catalogue.about.len(),
        catalogue.cells.len()
    );
    if !catalogue.controls.is_empty() {
        let _ = write!(
            page,
            " Of {} deliberate faults that were run, {caught} were noticed by their gates.",
            catalogue.controls.len()
        );
    }
    let _ = write!(
        page,
        "\n\n| experiment | {} |\n| --- |{}\n",
        SOLVERS.join(" | "),
        " --- |".repeat(SOLVERS.len())
    );
    for about in &catalogue.about {
        let cells = SOLVERS.map(|solver| in_matrix(catalogue, &about.experiment, solver));
        let _ = writeln!(page, "| [{0}](#{0}) | {1} |", about.experiment, cells.join(" | "));
    }
}

fn in_matrix(catalogue: &Catalogue, experiment: &str, solver: &str) -> String {
    let cells = catalogue
        .cells
        .iter()
        .filter(|cell| (cell.what.experiment.as_str(), cell.what.solver.as_str()) == (experiment, solver));
    let words: Vec<String> =
        cells.map(|Kept { what, origin }| format!("{} ({})", result(what), form(what, origin))).collect();
    let not_claimed = catalogue
        .not_claimed
        .iter()
        .any(|row| (row.experiment.as_str(), row.solver.as_str()) == (experiment, solver));
    match words.is_empty() {
        false => words.join(", "),
        true if not_claimed => "-".into(),
        true => "no run yet".into(),
    }
}

fn result(cell: &Measured) -> &'static str {
    match (cell.pass, cell.claimed) {
        (true, _) if cell.points.iter().any(|point| point.as_peer) => "as LAMMPS",
        (true, _) => "pass",
        (false, true) => "**FAIL**",
        (false, false) => "open",
    }
}

/// Form and, where it is not CPU cores, device.
fn form(cell: &Measured, origin: &Origin) -> String {
    let form = origin.form();
    match cell.device() {
        "cpu" => form.into(),
        device => format!("{form}, {device}"),
    }
}

/// Where the runs come from.
fn origins(page: &mut String, catalogue: &Catalogue) {
    let mut rows: Vec<(Origin, usize, f64)> = Vec::new();
    for Kept { what, origin } in &catalogue.cells {
        match rows.iter_mut().find(|row| row.0 == *origin) {
            Some(row) => (row.1, row.2) = (row.1 + 1, row.2 + what.seconds),
            None => rows.push((origin.clone(), 1, what.seconds)),
        }
    }
    rows.sort_by(|a, b| a.0.written.cmp(&b.0.written));
    page.push_str("\n| written (UTC) | version | commit | form | machine | runs | seconds |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (origin, runs, seconds) in rows {
        let form = origin.form();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {form} | {}, {} threads | {runs} | {seconds:.0} |",
            origin.written,
            origin.version,
            origin.git.as_deref().unwrap_or("unknown"),
            origin.processor,
            origin.threads,
        );
    }
}

/// An experiment: what it is, what each solver measured, its controls, remarks.
fn section(page: &mut String, catalogue: &Catalogue, about: &About, remarks: &Remarks) {
    let name = &about.experiment;
    let _ =
        write!(page, "\n## {name}\n\n`granule measure {name}`. {} Source: {}\n", about.set_up, about.source);
    for cell in catalogue.cells.iter().filter(|cell| cell.what.experiment == *name) {
        measured(page, cell);
    }
    let controls: Vec<String> = catalogue
        .controls
        .iter()
        .filter(|control| control.what.experiment == *name)
        .map(|control| in_words(&control.what))
        .collect();
    if !controls.is_empty() {
        let _ = write!(page, "\nNegative controls: {}.\n", controls.join("; "));
    }
    let reasons: Vec<String> = catalogue
        .not_claimed
        .iter()
        .filter(|row| row.experiment == *name)
        .map(|row| format!("`{}` {}", row.solver, row.reason))
        .collect();
    if !reasons.is_empty() {
        let _ = write!(page, "\nNot measured: {}.\n", reasons.join("; "));
    }
    paragraph(page, remarks.of(name));
}

fn measured(page: &mut String, Kept { what, origin }: &Kept<Measured>) {
    let seeds = if what.seeds.len() > 1 { format!(", {} seeds", what.seeds.len()) } else { String::new() };
    let device = if what.device() == "cpu" { String::new() } else { format!(" on {}", what.device()) };
    let _ = write!(
        page,
        "\n`{}`, {} form{device}{seeds}, {} s: {}",
        what.solver,
        origin.form(),
        number(what.seconds),
        result(what)
    );
    match (&what.open, &what.error) {
        (_, Some(error)) => {
            let _ = write!(page, " ({error})");
        }
        (Some(open), None) => {
            let _ = write!(page, " ({open})");
        }
        (None, None) => {}
    }
    page.push_str("\n\n| quantity | inputs | measured | reference | range | source | |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for point in &what.points {
        let _ = writeln!(page, "{}", row(point));
    }
}

fn row(point: &Point) -> String {
    let inputs = point.inputs.iter().map(|(name, value)| format!("{name} = {}", number_or_dash(*value)));
    let interval = point.interval.map_or(String::new(), |half| format!(" +- {}", number(half)));
    let [low, high] = point.range;
    let range = match (low, high) {
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (Some(low), None) => format!("at least {}", number(low)),
        (None, Some(high)) => format!("at most {}", number(high)),
        (None, None) => "any".into(),
    };
    let verdict = match (point.pass, point.close) {
        (true, _) if point.as_peer => "as LAMMPS",
        (true, false) => "pass",
        (true, true) => "pass, close",
        (false, _) => "**miss**",
    };
    let cells = [
        point.quantity.clone(),
        inputs.collect::<Vec<_>>().join(", "),
        number_or_dash(point.measured) + &interval,
        point.reference.map_or(String::new(), number),
        range,
        point.source.clone(),
    ];
    format!("| {} | {verdict} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn in_words(control: &Fault) -> String {
    let Fault { fault, solver, caught, failed, error, .. } = control;
    match (caught, error) {
        (_, Some(error)) => format!("{fault} (`{solver}`): {error}"),
        (true, None) => format!("{fault} (`{solver}`): caught by {}", failed.join(", ")),
        (false, None) => format!("{fault} (`{solver}`): **not noticed**"),
    }
}

/// A number with four significant digits.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e7).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let decimals = (3 - magnitude.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn number_or_dash(value: Option<f64>) -> String {
    value.map_or("not a number".into(), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!([0.0, 0.58712, 12345.6, 1e-9].map(number), ["0", "0.5871", "12346", "1.000e-9"]);
    }

    #[test]
    fn rows_say_what_misses() {
        let point = Point {
            quantity: "a|b".into(),
            inputs: vec![("I".into(), Some(0.1))],
            measured: None,
            interval: None,
            reference: Some(0.5),
            range: [Some(0.0), None],
            source: "somebody".into(),
            pass: false,
            as_peer: false,
            close: false,
        };
        assert_eq!(
            row(&point),
            "| a\\|b | I = 0.1 | not a number | 0.5 | at least 0 | somebody | **miss** |"
        );
    }
}
