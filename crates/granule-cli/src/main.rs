//! The program `granule`: runs, draws, checks, benchmarks and measures granular scenes.
//!
//! Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 1 the run failed, 2 the input is wrong,
//! 130 interrupted.

mod args;
mod bench;
mod chart;
mod check;
mod compare;
mod device;
mod devices;
mod expectations;
mod failure;
mod fields;
mod interrupt;
mod list;
mod markup;
mod matrix;
mod measure;
mod mesh;
mod output;
mod page;
mod plot;
mod progress;
mod recording;
mod render;
mod report;
mod resume;
mod run;
mod scenes;
mod schema;
mod statistics;
mod summary;
mod track;
#[cfg(feature = "window")]
mod view;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, RunArgs, Verb};
use failure::Failure;
use interrupt::Interrupt;

fn main() -> ExitCode {
    quiet_mesa_without_display();
    // Usage errors end here with exit code 2.
    let cli = Cli::parse();
    match dispatch(cli.verb.unwrap_or_else(default_verb)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("granule: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Mesa's Vulkan layer that sorts devices looks for a Wayland display and prints an error where there is none, as on
/// every headless machine. It is switched off there: the program chooses its adapter itself.
fn quiet_mesa_without_display() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: the program has a single thread at this point.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

fn dispatch(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::List(args) => list::list(&args),
        Verb::Check(args) => check::check(&args),
        Verb::Run(args) => run(&args),
        #[cfg(feature = "window")]
        Verb::View(args) => view::view(&args),
        Verb::Render(args) => render::render(&args),
        Verb::Report(args) => report::report(&args),
        Verb::Compare(args) => compare::compare(&args),
        Verb::Fields(args) => fields::fields(&args),
        Verb::Mesh(args) => mesh::mesh(&args),
        Verb::Devices(args) => devices::devices(&args),
        Verb::Schema(args) => schema::schema(&args),
        Verb::Bench(args) => bench::bench(&args),
        Verb::Measure(args) => measure::measure(&args),
    }
}

/// Runs a scene and draws its last frame where that is asked for.
fn run(args: &RunArgs) -> Result<(), Failure> {
    let finished = run::run(args, &Interrupt::listen()?)?;
    if args.render && finished.drawable {
        let picture = render::picture_of_run(&finished.folder, "auto")?;
        eprintln!("{}: {}", finished.scene, picture.display());
    }
    finished.verdict
}

/// What the bare program does: with a display it opens the window, else it runs the first built-in scene and leaves a picture.
fn default_verb() -> Verb {
    #[cfg(feature = "window")]
    if view::has_display() {
        return Verb::View(args::ViewArgs { device: "auto".into(), ..Default::default() });
    }
    let scene = granule::scene::builtin_scenes()[0].name;
    Verb::Run(Box::new(RunArgs { render: true, ..RunArgs::of(scene) }))
}
