//! `granule measure --report` and `granule compare`: folders, pages, and what a browser makes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::place::{Place, block, refused};

/// Chromium, where there is one.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter();
    { found }.find(|name| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success()))
}

/// A picture of a page; `scheme` is 0 for dark colours and 1 for light ones.
fn picture(browser: &str, page: &Path, scheme: u32) -> (PathBuf, String) {
    let png = page.with_extension(format!("{scheme}.png"));
    let profile = page.with_extension("profile");
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-background-networking"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--hide-scrollbars", "--window-size=900,1200", "--virtual-time-budget=2000"])
        .args(["--enable-logging=stderr", "--log-level=0"])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", png.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    (png, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Share of the pixels of a picture that are as asked for.
fn share(file: &Path, wanted: impl Fn([u8; 3]) -> bool) -> f64 {
    let opened = std::io::BufReader::new(fs::File::open(file).unwrap());
    let mut reader = png::Decoder::new(opened).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels: Vec<&[u8]> = bytes[..info.buffer_size()].chunks(info.color_type.samples()).collect();
    let found = pixels.iter().filter(|pixel| wanted([pixel[0], pixel[1], pixel[2]])).count();
    found as f64 / pixels.len() as f64
}

/// Share of dark pixels of a picture.
fn darkness(file: &Path) -> f64 {
    share(file, |pixel| pixel.iter().all(|value| *value < 100))
}

/// Share of a picture that has the colour of sand in the light: the upper part of a page with the grains that it plays.
fn sand_in(file: &Path) -> f64 {
    share(file, |pixel| {
        let [red, green, blue] = pixel.map(i32::from);
        red > 120 && red > green + 15 && green > blue + 25
    })
}

/// Opens a page in light and in dark; nothing may be wrong with it.
fn opens(page: &Path) -> Option<PathBuf> {
    let Some(browser) = browser() else {
        granule_testing::skip("there is no chromium to open pages with");
        return None;
    };
    let mut light = None;
    for (scheme, dark) in [(1, false), (0, true)] {
        let (png, log) = picture(browser, page, scheme);
        assert!(png.is_file(), "{log}");
        let wrong = log.lines().find(|line| line.contains("CONSOLE") || line.contains("net::ERR"));
        assert!(wrong.is_none(), "{}: {wrong:?}", page.display());
        let darkness = darkness(&png);
        assert_eq!(darkness > 0.5, dark, "{} in scheme {scheme}: {darkness}", page.display());
        assert!(darkness > 0.002 && darkness < 0.998, "{} is empty: {darkness}", page.display());
        light.get_or_insert(png);
    }
    light
}

/// What every page must be: whole in itself, readable without a script, and with names for those who do not see.
fn is_whole(page: &str) {
    for word in ["@import", "url(", "src=\"http", "href=\"http"] {
        assert!(!page.contains(word), "{word}");
    }
    for svg in page.split("<svg").skip(1) {
        let tag = svg.split('>').next().unwrap();
        assert!(tag.contains("role=\"img\"") && tag.contains("aria-label=\""), "{tag}");
    }
    for part in ["<html lang=\"en\">", "prefers-color-scheme: dark", "@media print"] {
        assert!(page.contains(part), "{part}");
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_report_has_numbers_plots_controls_and_a_page_that_opens() {
    let place = Place::new();
    let args = ["measure", "stay", "impact", "--solver", "pbd", "--quick", "--seeds", "4", "--controls"];
    let args = [&args[..], &["--device", "cpu", "--report", "r"]].concat();
    let outcome = place.granule(&args).expect(0, &[]);
    assert!(
        outcome.stdout.contains("caught") && outcome.stdout.contains("report.html"),
        "{}",
        outcome.stdout
    );
    let report = json(&place.path("r/report.json"));
    assert_eq!(report["pass"], true);
    assert_eq!(report["experiments"].as_array().unwrap().len(), 1);
    let height = &report["experiments"][0]["points"][2];
    assert!(height["interval"].as_f64().unwrap() > 0.0, "four seeds give the same heap: {height}");
    assert_eq!(report["controls"].as_array().unwrap().len(), 2);
    let not_claimed = report["not_claimed"].as_array().unwrap();
    assert!(not_claimed.iter().all(|cell| cell["reason"].as_str().unwrap().len() > 10));
    let page = fs::read_to_string(place.path("r/report.html")).unwrap();
    is_whole(&page);
    for part in ["every claim holds", "Held against:", "fails as it must", "contacts of rigid grains", "± "]
    {
        assert!(page.contains(part), "{part}");
    }
    opens(&place.path("r/report.html"));
}

/// Every experiment that takes less than half a minute, with the solvers that claim it and its deliberate faults; in one folder, one
/// solver after the other.
#[test]
fn the_quick_matrix_passes_and_notices_its_faults() {
    let place = Place::new();
    let bulk = ["slope", "rest", "repose", "collapse", "hydrostatic", "discharge", "drum"];
    let water = ["hydrostatic", "dam", "droplet", "liquid"];
    let grains = ["stay", "impact", "oblique", "rolling", "hold"];
    for (solver, experiments) in
        [("iisph", &bulk[..]), ("wcsph", &water), ("dem", &grains), ("pbd", &["stay"])]
    {
        let end = [
            "--quick",
            "--controls",
            "--device",
            "cpu",
            "--threads",
            "1",
            "--report",
            "r",
            "--solver",
            solver,
        ];
        let args = [&["measure"], experiments, &end].concat();
        place.granule(&args).expect(0, &[]);
        let report = json(&place.path("r/report.json"));
        assert_eq!(report["pass"], true);
        assert_eq!(report["experiments"].as_array().unwrap().len(), experiments.len(), "{solver}");
        assert!(!report["controls"].as_array().unwrap().is_empty(), "{solver}");
    }
}

#[test]
fn a_report_goes_on_where_it_was_and_keeps_out_of_other_folders() {
    let place = Place::new();
    let args = ["measure", "hold", "--quick", "--device", "cpu", "--report", "r"];
    place.granule(&args).expect(0, &[]);
    let cell = place.path("r/cells/hold-dem.json");
    let first = fs::metadata(&cell).unwrap().modified().unwrap();
    place
        .granule(&["measure", "hold", "rolling", "--quick", "--device", "cpu", "--report", "r"])
        .expect(0, &[]);
    assert_eq!(fs::metadata(&cell).unwrap().modified().unwrap(), first, "it was measured again");
    assert!(place.path("r/cells/rolling-dem.json").is_file());
    // A cell that was cut off is measured again.
    fs::write(&cell, "{\"experiment\": \"hold\"").unwrap();
    place.granule(&args).expect(0, &[]);
    assert_eq!(json(&cell)["pass"], true);

    let words = ["--report r", "other parameters", "seeds is 1 there, 2 here", "choose another"];
    refused(&place, &[&args[..], &["--seeds", "2"]].concat(), &words);
    fs::create_dir(place.path("mine")).unwrap();
    fs::write(place.path("mine/notes.txt"), "mine").unwrap();
    let mine = ["measure", "hold", "--quick", "--report", "mine"];
    refused(&place, &mine, &["--report mine", "holds something else than a report", "choose another"]);
    fs::write(place.path("mine/report.json"), "{}").unwrap();
    refused(&place, &mine, &["--report mine", "report.json in it is not one of a report"]);
    refused(&place, &["measure", "hold", "--report", "mine/notes.txt"], &["is not a folder"]);
    refused(&place, &["measure", "hold", "--seeds", "3"], &["--report"]);
    refused(&place, &["measure", "hold", "--report", "r", "--solver", "sand"], &["sand", "iisph"]);
}

#[test]
fn solvers_are_compared_on_a_page_that_opens() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    let args = ["compare", scene, "--solvers", "iisph,pbd", "-o", "c", "--device", "cpu"];
    let outcome = place.granule(&args).expect(0, &[]);
    assert!(outcome.stdout.contains("compare.html"), "{}", outcome.stdout);
    let tracks = json(&place.path("c/compare.json"));
    for (k, solver) in ["iisph", "pbd"].into_iter().enumerate() {
        let track = &tracks[k];
        assert_eq!(track["solver"], solver);
        assert_eq!(track["runout"].as_array().unwrap().len(), 6);
        assert!(
            track["profile"].as_array().unwrap().len() >= 6
                && track["seconds_per_second"].as_f64().unwrap() > 0.0
        );
        assert!(place.path(&format!("c/{solver}/summary.json")).is_file());
    }
    let page = fs::read_to_string(place.path("c/compare.html")).unwrap();
    is_whole(&page);
    assert_eq!(page.matches("data:image/png;base64,").count(), 8);
    opens(&place.path("c/compare.html"));
    refused(&place, &args, &["-o c", "is not empty", "choose another"]);
    let other = |more: &[&'static str]| [&["compare", scene], more].concat();
    refused(&place, &other(&["--solvers", "iisph,sand", "-o", "d"]), &["sand", "iisph"]);
    refused(&place, &other(&["-o", "d"]), &["--solvers"]);
    refused(&place, &["compare", "nothing", "--solvers", "iisph", "-o", "d"], &["nothing"]);
}

#[test]
fn a_run_has_a_page_that_plays_its_grains() {
    let place = Place::new();
    let scene = place.scene(&block(""));
    place.granule(&["run", scene, "--out", "run", "--device", "cpu"]).expect(0, &[]);
    let outcome = place.granule(&["report", "run", "-o", "run.html"]).expect(0, &[]);
    assert_eq!(outcome.stdout, "run.html\n");
    let page = fs::read_to_string(place.path("run.html")).unwrap();
    is_whole(&page);
    assert_eq!(page.matches("data:image/png;base64,").count(), 4);
    for part in ["216 of 216 grains in 6 of 6 frames", "Stages of a step", "Kinetic energy", "<noscript>"] {
        assert!(page.contains(part), "{part}");
    }
    if let Some(picture) = opens(&place.path("run.html")) {
        assert!(sand_in(&picture) > 0.01, "no grains are drawn");
    }
    refused(&place, &["report", "run", "-o", "run.html"], &["run.html", "is there already"]);
    refused(&place, &["report", "run", "-o", "no/run.html"], &["no such folder"]);
    refused(&place, &["report", "nothing"], &["nothing"]);
    fs::create_dir(place.path("empty")).unwrap();
    refused(&place, &["report", "empty"], &["empty"]);
}
