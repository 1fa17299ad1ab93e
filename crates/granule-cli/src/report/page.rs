//! The page of a run.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::chart::{Chart, Curve};
use crate::markup::{base64, escape};
use crate::page::{self, number};

use super::playback::Playback;

/// What is shown of a run.
pub struct Run<'a> {
    /// Its summary.
    pub summary: &'a Value,
    /// PNG files by time \[s\].
    pub pictures: &'a [(f64, Vec<u8>)],
    /// Names, units and points of what changed over time.
    pub series: &'a [(&'static str, &'static str, Vec<[f64; 2]>)],
    /// Its grains.
    pub playback: Option<&'a Playback>,
}

/// The page.
pub fn page(run: &Run) -> String {
    let mut body = String::new();
    let word = |key: &str| escape(run.summary[key].as_str().unwrap_or("not known"));
    let value = |key: &str| number(run.summary[key].as_f64().unwrap_or(f64::NAN));
    let scene = word("scene");
    let _ = writeln!(
        body,
        "<header>\n<p class=\"kicker\">granule {}</p>\n<h1>{scene}</h1>\n<p class=\"lead\">{} particles with <code>{}</code> on {}, {} s \
         simulated in {}.</p>\n</header>",
        word("version"),
        value("particles"),
        word("solver"),
        word("adapter"),
        value("simulated_seconds"),
        page::duration(run.summary["wall_seconds"].as_f64().unwrap_or(f64::NAN))
    );
    if let Some(playback) = run.playback {
        play(&mut body, playback);
    }
    pictures(&mut body, run);
    charts(&mut body, run);
    expectations(&mut body, run.summary);
    stages(&mut body, run.summary);
    facts(&mut body, run.summary);
    page::document(&format!("granule: {}", run.summary["scene"].as_str().unwrap_or("run")), &body)
}

/// The grains to play.
fn play(body: &mut String, playback: &Playback) {
    let [low, high] = playback.bounds;
    let data = json!({
        "grains": playback.grains[0],
        "times": playback.times,
        "bounds": [low.to_array(), high.to_array()],
        "largest": playback.largest,
        "radius": base64(&playback.radius),
        "packed": base64(&playback.packed),
    });
    let step = 1000.0 * f64::from((high - low).max_element()) / 4094.0;
    let _ = writeln!(
        body,
        "<section>\n<h2>Playback</h2>\n<div id=\"playback\"><canvas role=\"img\" aria-label=\"The grains of the run; drag turns, the wheel \
         moves nearer\"></canvas>\n<div class=\"bar\"><button type=\"button\">Play</button><input type=\"range\" min=\"0\" max=\"{}\" \
         value=\"0\" aria-label=\"Frame\"><output></output></div></div>\n<noscript><p class=\"note\">Playing needs scripts; the \
         pictures below do not.</p></noscript>\n<p class=\"note\">{} of {} grains in {} of {} frames, rounded to {} mm; {} kB in this \
         page. Drag to turn, wheel to come nearer.</p>\n<script type=\"application/json\" \
         id=\"playback-data\">{data}</script>\n<script>\n{}</script>\n</section>",
        playback.times.len() - 1,
        playback.grains[0],
        playback.grains[1],
        playback.times.len(),
        playback.all_frames,
        number(step),
        (playback.packed.len() * 4 / 3).div_ceil(1000),
        include_str!("playback.js")
    );
}

fn pictures(body: &mut String, run: &Run) {
    body.push_str("<section>\n<h2>Pictures</h2>\n<div class=\"strip\" style=\"grid-template-columns: repeat(2, 1fr)\">\n");
    for (time, png) in run.pictures {
        let _ = writeln!(
            body,
            "<figure><img alt=\"The run after {} s\" src=\"data:image/png;base64,{}\"><figcaption>{} s</figcaption></figure>",
            number(*time),
            base64(png),
            number(*time)
        );
    }
    body.push_str("</div>\n</section>\n");
}

fn charts(body: &mut String, run: &Run) {
    body.push_str("<section>\n<h2>Over time</h2>\n<div class=\"plots\">\n");
    for (color, (name, unit, points)) in
        run.series.iter().enumerate().filter(|(_, series)| !series.2.is_empty())
    {
        let chart = Chart {
            title: (*name).into(),
            x_label: "time [s]".into(),
            y_label: format!("{} [{unit}]", name.to_lowercase()),
            logarithmic: false,
            curves: vec![Curve { points: points.clone(), line: true, color, ..Curve::default() }],
        };
        let _ = writeln!(body, "<figure>{}</figure>", chart.svg(None));
    }
    body.push_str("</div>\n</section>\n");
}

fn expectations(body: &mut String, summary: &Value) {
    let Some(expected) = summary["expectations"].as_array().filter(|expected| !expected.is_empty()) else {
        return;
    };
    body.push_str(
        "<section>\n<h2>Expectations</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">quantity</th><th \
         scope=\"col\">measured</th><th scope=\"col\">range</th><th scope=\"col\">result</th></tr></thead>\n<tbody>\n",
    );
    for row in expected {
        let end = |k: usize| row["range"][k].as_f64().map_or("open".into(), number);
        let pass = row["pass"].as_bool().unwrap_or(false);
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{} .. {}</td><td class=\"{}\">{}</td></tr>",
            escape(row["name"].as_str().or(row["quantity"].as_str()).unwrap_or("")),
            row["measured"].as_f64().map_or("–".into(), number),
            end(0),
            end(1),
            if pass { "pass" } else { "fail" },
            if pass { "pass" } else { "miss" }
        );
    }
    body.push_str("</tbody></table></div>\n</section>\n");
}

fn stages(body: &mut String, summary: &Value) {
    let Some(stages) = summary["stages"].as_object().filter(|stages| !stages.is_empty()) else { return };
    let total: f64 = stages.values().filter_map(Value::as_f64).sum();
    body.push_str(
        "<section>\n<h2>Stages of a step</h2>\n<div class=\"wide\"><table class=\"plain\">\n<thead><tr><th scope=\"col\">stage</th><th \
         scope=\"col\">median [ms]</th><th scope=\"col\">share</th></tr></thead>\n<tbody>\n",
    );
    for (name, median) in stages {
        let median = median.as_f64().unwrap_or(f64::NAN);
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\">{}</td><td class=\"n\">{:.0} %</td></tr>",
            escape(name),
            number(median),
            100.0 * median / total
        );
    }
    body.push_str("</tbody></table></div>\n</section>\n");
}

fn facts(body: &mut String, summary: &Value) {
    body.push_str("<section>\n<h2>Provenance</h2>\n<table class=\"plain\"><tbody>\n");
    let keys = [
        "version",
        "solver",
        "device",
        "adapter",
        "threads",
        "seed",
        "steps",
        "frames",
        "converged",
        "lost_particles",
        "complete",
        "state_hash",
    ];
    for key in keys {
        let text = match &summary[key] {
            Value::String(text) => text.clone(),
            Value::Null => continue,
            other => other.to_string(),
        };
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            key.replace('_', " "),
            escape(&text)
        );
    }
    body.push_str("</tbody></table>\n</section>\n");
}
