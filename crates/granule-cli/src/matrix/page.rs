//! The page of a report: one file that needs nothing else.

use std::fmt::Write;

use granule::measure::{EXPERIMENTS, about};
use granule::solver::SOLVERS;

use crate::chart::{Chart, Curve};
use crate::markup::escape;
use crate::page::{self, number, number_or_dash, range};

use super::record::{Cell, ControlCell, PlotRecord, PointRecord, Report};

/// The page.
pub fn page(report: &Report) -> String {
    let mut body = String::new();
    header(&mut body, report);
    overview(&mut body, report);
    for experiment in names(report) {
        section(&mut body, report, experiment);
    }
    if !report.controls.is_empty() {
        controls(&mut body, report);
    }
    provenance(&mut body, report);
    page::document("granule: experiments and solvers", &body)
}

/// The result of a cell in one word or two.
pub fn result(cell: &Cell) -> &'static str {
    match (cell.pass, cell.claimed) {
        (true, true) if cell.is_as_peer() => "as LAMMPS",
        (true, false) if cell.is_as_peer() => "as LAMMPS, not claimed",
        (true, true) => "pass",
        (true, false) => "pass, not claimed",
        (false, true) => "FAIL",
        (false, false) => "open",
    }
}

fn class(cell: &Cell) -> &'static str {
    match (cell.pass, cell.claimed) {
        (true, _) => "pass",
        (false, true) => "fail",
        (false, false) => "open",
    }
}

/// Experiments of the report, measured or not, in their order.
fn names(report: &Report) -> Vec<&str> {
    let measured = report.experiments.iter().map(|cell| cell.experiment.as_str());
    let all = EXPERIMENTS.iter().map(|experiment| experiment.name);
    let measured: Vec<&str> = measured.collect();
    all.filter(|name| measured.contains(name)).collect()
}

fn header(body: &mut String, report: &Report) {
    let (class, verdict) = match (&report.parameters.fault, report.complete, report.pass) {
        (Some(fault), ..) => ("fail", format!("broken on purpose by {fault}")),
        (None, false, _) => ("open", "not complete".into()),
        (None, true, true) => ("pass", "every claim holds".into()),
        (None, true, false) => ("fail", "some claims do not hold".into()),
    };
    let form = format!("{} forms", report.parameters.form());
    let seeds = match report.parameters.seeds {
        1 => "one seed".to_string(),
        count => format!("{count} seeds"),
    };
    let experiments = match names(report).len() {
        all if all == EXPERIMENTS.len() => "All experiments".to_string(),
        some => format!("{some} of {} experiments", EXPERIMENTS.len()),
    };
    let _ = writeln!(
        body,
        "<header>\n<p class=\"kicker\">granule {}</p>\n<h1>Experiments and solvers</h1>\n<p class=\"lead\">{experiments} \
         with the solvers that claim them, held against published and analytic results: {form}, {seeds}, {}.</p>\n<p class=\"verdict {class}\">{verdict}</p>\n\
         </header>",
        escape(&report.program.version),
        escape(&report.parameters.device)
    );
    facts(body, report);
}

fn facts(body: &mut String, report: &Report) {
    let of = |wanted: &str| report.experiments.iter().filter(|cell| class(cell) == wanted).count();
    let points: usize = report.experiments.iter().map(|cell| cell.points.len()).sum();
    let close = report.experiments.iter().flat_map(|cell| &cell.points).filter(|point| point.close).count();
    let seconds: f64 = report.experiments.iter().map(|cell| cell.seconds).sum();
    let caught = report.controls.iter().filter(|control| control.caught).count();
    let mut facts = vec![
        ("passed", of("pass").to_string()),
        ("failed", of("fail").to_string()),
        ("open", of("open").to_string()),
        ("numbers", points.to_string()),
    ];
    if report.parameters.seeds > 1 {
        facts.push(("close to a limit", close.to_string()));
    }
    if !report.controls.is_empty() {
        facts.push(("faults caught", format!("{caught} of {}", report.controls.len())));
    }
    facts.push(("measured in", page::duration(seconds)));
    body.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        let _ = writeln!(body, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    body.push_str("</dl>\n");
}

/// The matrix.
fn overview(body: &mut String, report: &Report) {
    let mut solvers: Vec<&str> = Vec::new();
    let all = report.experiments.iter().map(|cell| &cell.solver);
    for solver in all.chain(report.not_claimed.iter().map(|cell| &cell.solver)) {
        if !solvers.contains(&solver.as_str()) {
            solvers.push(solver);
        }
    }
    solvers.sort_by_key(|solver| place_of(solver));
    body.push_str("<section>\n<h2>The matrix</h2>\n<div class=\"wide\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">experiment</th>");
    for solver in &solvers {
        let _ = write!(body, "<th scope=\"col\"><code>{}</code></th>", escape(solver));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for name in names(report) {
        let _ = write!(body, "<tr><th scope=\"row\"><a href=\"#{name}\">{name}</a></th>");
        for solver in &solvers {
            matrix_cell(body, report, name, solver);
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
    body.push_str(
        "<p class=\"note\">A dash is an experiment that a solver does not claim, for a reason given below. An open one can be \
         measured and misses something; it is shown, and not claimed before it passes. A claim without a passing run is a \
         failure.</p>\n",
    );
    reasons(body, report);
    body.push_str("</section>\n");
}

/// The place of a solver in the registry.
fn place_of(solver: &str) -> usize {
    SOLVERS.iter().position(|known| known.name == solver).unwrap_or(SOLVERS.len())
}

fn matrix_cell(body: &mut String, report: &Report, name: &str, solver: &str) {
    let found = report.experiments.iter().find(|cell| cell.experiment == name && cell.solver == solver);
    let _ = match found {
        Some(cell) => {
            let inside = cell.points.iter().filter(|point| point.pass && !point.as_peer).count();
            let count = match cell.points.len() {
                0 => "no numbers".to_string(),
                all => format!("{inside} of {all}"),
            };
            write!(
                body,
                "<td class=\"{}\"><b>{}</b> <small>{count}</small></td>",
                class(cell),
                if cell.pass && !cell.is_as_peer() { "pass" } else { result(cell) }
            )
        }
        None => write!(body, "<td class=\"none\"><span aria-label=\"not claimed\">–</span></td>"),
    };
}

/// Why solvers do not claim what they do not claim: a row for each reason.
fn reasons(body: &mut String, report: &Report) {
    let mut grouped: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
    for cell in &report.not_claimed {
        if !grouped.iter().any(|(reason, ..)| *reason == cell.reason) {
            grouped.push((&cell.reason, Vec::new(), Vec::new()));
        }
        for (_, solvers, experiments) in grouped.iter_mut().filter(|(reason, ..)| *reason == cell.reason) {
            solvers.push(&cell.solver);
            experiments.push(&cell.experiment);
        }
    }
    if grouped.is_empty() {
        return;
    }
    body.push_str(
        "<details open><summary>What is not claimed, and why</summary>\n<table class=\"reasons\">\n<tbody>\n",
    );
    for (reason, mut solvers, mut experiments) in grouped {
        solvers.sort_by_key(|solver| place_of(solver));
        solvers.dedup();
        experiments.dedup();
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>",
            escape(&solvers.join(" ")),
            escape(&experiments.join(", ")),
            page::prose(reason)
        );
    }
    body.push_str("</tbody></table></details>\n");
}

/// An experiment with all solvers that were measured.
fn section(body: &mut String, report: &Report, name: &str) {
    let _ = writeln!(body, "<section id=\"{name}\">\n<h2>{}</h2>", capital(name));
    if let Some(about) = about(name) {
        let _ = writeln!(
            body,
            "<p>{} <span class=\"source\">Held against: {}</span> {}</p>",
            escape(about.set_up),
            escape(about.source),
            in_words(report, name)
        );
    }
    for cell in report.experiments.iter().filter(|cell| cell.experiment == name) {
        cell_part(body, cell);
    }
    body.push_str("</section>\n");
}

/// What passes, and what negative controls did.
fn in_words(report: &Report, name: &str) -> String {
    let mut words = String::new();
    for cell in report.experiments.iter().filter(|cell| cell.experiment == name) {
        let inside = cell.points.iter().filter(|point| point.pass && !point.as_peer).count();
        let agree = match cell.points.iter().filter(|point| point.as_peer).count() {
            0 => String::new(),
            count => format!(", {count} others agree with LAMMPS"),
        };
        let _ = write!(
            words,
            "With <code>{}</code> {inside} of {} numbers lie in their ranges{agree}. ",
            escape(&cell.solver),
            cell.points.len()
        );
    }
    for control in report.controls.iter().filter(|control| control.experiment == name) {
        let _ = write!(words, "{} ", control_words(control));
    }
    words
}

fn control_words(control: &ControlCell) -> String {
    let fault = page::prose(&control.fault);
    let solver = escape(&control.solver);
    match control.caught {
        true => format!("The negative control with <code>{solver}</code>, {fault}, fails as it must."),
        false => format!(
            "<strong>The negative control with <code>{solver}</code>, {fault}, was not noticed.</strong>"
        ),
    }
}

fn cell_part(body: &mut String, cell: &Cell) {
    let _ = writeln!(
        body,
        "<h3><code>{}</code> <span class=\"badge {}\">{}</span> <small>{}, {}</small></h3>",
        escape(&cell.solver),
        class(cell),
        result(cell),
        escape(&cell.device),
        page::duration(cell.seconds)
    );
    if let Some(open) = &cell.open {
        let _ = writeln!(body, "<p class=\"note\">Not claimed: {}.</p>", page::prose(open));
    }
    if let Some(error) = &cell.error {
        let _ = writeln!(body, "<p class=\"error\">{}</p>", escape(error));
    }
    if !cell.points.is_empty() {
        points(body, cell);
    }
    if !cell.plots.is_empty() {
        body.push_str("<div class=\"plots\">\n");
        for plot in &cell.plots {
            let _ = writeln!(body, "<figure>{}</figure>", chart(plot).svg(None));
        }
        body.push_str("</div>\n");
    }
}

fn points(body: &mut String, cell: &Cell) {
    let seeds = cell.seeds.len() > 1;
    body.push_str(
        "<div class=\"wide\"><table class=\"points\">\n<thead><tr><th scope=\"col\">quantity</th><th scope=\"col\">measured</th>\
         <th scope=\"col\">reference</th><th scope=\"col\">range</th><th scope=\"col\">place in its range</th><th scope=\"col\">result</th>\
         <th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
    );
    for point in &cell.points {
        let inputs = point.inputs.iter().map(|(name, value)| format!("{name} = {}", number_or_dash(*value)));
        let interval = point.interval.filter(|_| seeds).map(|half| format!(" ± {}", number(half)));
        let class = if point.pass {
            "pass"
        } else if cell.claimed {
            "fail"
        } else {
            "open"
        };
        let word = match (point.pass, point.as_peer) {
            (true, true) => "as LAMMPS",
            (true, false) => "pass",
            (false, _) => "miss",
        };
        let close = if point.close { " <span class=\"close\">close</span>" } else { "" };
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"n\">{}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td>{}</td><td class=\"{class}\">{word}{close}</td><td class=\"src\">{}</td></tr>",
            escape(&point.quantity),
            escape(&inputs.collect::<Vec<_>>().join(", ")),
            number_or_dash(point.measured),
            interval.unwrap_or_default(),
            number_or_dash(point.reference),
            escape(&range(ends(point))),
            place(point, class),
            escape(&point.source)
        );
    }
    body.push_str("</tbody></table></div>\n");
}

fn ends(point: &PointRecord) -> [f64; 2] {
    [point.range[0].unwrap_or(f64::NEG_INFINITY), point.range[1].unwrap_or(f64::INFINITY)]
}

/// Where in its range a number lies: a band, a tick at the reference, a dot with its interval.
fn place(point: &PointRecord, class: &str) -> String {
    let [low, high] = ends(point);
    let (Some(measured), true) = (point.measured, low.is_finite() && high.is_finite() && high > low) else {
        return String::new();
    };
    // The range takes the middle half; what lies outside is drawn at the rim.
    let at = |value: f64| (30.0 + 60.0 * (value - low) / (high - low)).clamp(3.0, 117.0);
    let tick = point.reference.map_or(String::new(), |reference| {
        format!("<path class=\"tick\" d=\"M{:.1} 3v12\"/>", at(reference))
    });
    let whisker = point.interval.map_or(String::new(), |half| {
        format!(
            "<path class=\"whisker {class}\" d=\"M{:.1} 9H{:.1}\"/>",
            at(measured - half),
            at(measured + half)
        )
    });
    format!(
        "<svg class=\"place\" viewBox=\"0 0 120 18\" role=\"img\" aria-label=\"{} in the range {}\"><path class=\"base\" \
         d=\"M2 9h116\"/><rect class=\"band\" x=\"30\" y=\"4\" width=\"60\" height=\"10\" rx=\"2\"/>{tick}{whisker}<circle \
         class=\"{class}\" cx=\"{:.1}\" cy=\"9\" r=\"4\"/></svg>",
        number(measured),
        escape(&range([low, high])),
        at(measured)
    )
}

fn chart(plot: &PlotRecord) -> Chart {
    let value = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let curves = plot.series.iter().map(|series| Curve {
        name: series.name.clone(),
        points: series.points.iter().map(|point| point.map(value)).collect(),
        spread: series.interval.iter().map(|half| value(*half)).collect(),
        line: series.line,
        color: series.number,
    });
    Chart {
        title: plot.title.clone(),
        x_label: plot.x_label.clone(),
        y_label: plot.y_label.clone(),
        logarithmic: plot.logarithmic,
        curves: curves.collect(),
    }
}

/// All deliberate faults.
fn controls(body: &mut String, report: &Report) {
    body.push_str(
        "<section id=\"controls\">\n<h2>Negative controls</h2>\n<p>Each row is a deliberate fault. A gate that no fault makes fail \
         proves nothing, so every one of them has to be noticed.</p>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">fault\
         </th><th scope=\"col\">experiment</th><th scope=\"col\">solver</th><th scope=\"col\">result</th><th scope=\"col\">what left its \
         range</th></tr></thead>\n<tbody>\n",
    );
    for control in &report.controls {
        let (class, word) = if control.caught { ("pass", "caught") } else { ("fail", "NOT CAUGHT") };
        let failed = match &control.error {
            Some(error) => error.clone(),
            None => control.failed.join("; "),
        };
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td><a href=\"#{}\">{}</a></td><td><code>{}</code></td><td class=\"{class}\">{word}</td><td \
             class=\"src\">{}</td></tr>",
            page::prose(&control.fault),
            control.experiment,
            control.experiment,
            escape(&control.solver),
            escape(&failed)
        );
    }
    body.push_str("</tbody></table></div>\n</section>\n");
}

/// Where all of it comes from.
fn provenance(body: &mut String, report: &Report) {
    body.push_str("<section id=\"provenance\">\n<h2>Provenance</h2>\n<table class=\"plain\"><tbody>\n");
    let (program, machine, parameters) = (&report.program, &report.machine, &report.parameters);
    let memory = machine.memory_gib.map_or(String::new(), |gib| format!(", {gib} GiB"));
    let rows = [
        (
            "program",
            format!("granule {}, commit {}", program.version, program.git.as_deref().unwrap_or("not known")),
        ),
        (
            "machine",
            format!("{}, {} threads{memory}, {}", machine.processor, machine.threads, machine.system),
        ),
        ("written", format!("{} UTC", report.written)),
        (
            "parameters",
            format!(
                "{}, seeds {}, device {}, friction {}, yield {}",
                parameters.form(),
                parameters.seeds,
                parameters.device,
                parameters.friction,
                parameters.yield_law
            ),
        ),
        (
            "intervals",
            "95 % of the mean over seeds, by Student's t; results do not depend on the number of threads"
                .into(),
        ),
    ];
    for (name, value) in rows {
        let _ = writeln!(body, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escape(&value));
    }
    body.push_str(
        "</tbody></table>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">experiment</th><th scope=\"col\">solver</th><th \
         scope=\"col\">device</th><th scope=\"col\">time</th><th scope=\"col\">seeds</th><th scope=\"col\">commit</th><th \
         scope=\"col\">hash of its numbers</th></tr></thead>\n<tbody>\n",
    );
    for cell in &report.experiments {
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td><code>{}\
             </code></td><td><code>{}</code></td></tr>",
            cell.experiment,
            escape(&cell.solver),
            escape(&cell.device),
            page::duration(cell.seconds),
            cell.seeds.len(),
            escape(cell.program.git.as_deref().unwrap_or("not known")),
            escape(&cell.hash)
        );
    }
    body.push_str("</tbody></table></div>\n</section>\n");
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
