//! Solver, device and threads, switched while sand runs.

use granule::solver::SOLVERS;

use crate::panels::look::choose;
use crate::places::Places;
use crate::session::Session;

/// Shows the choices; a change goes on from where the sand is where the state allows it.
pub fn show(ui: &mut egui::Ui, session: &mut Session, places: &Places) {
    let frame = session.frame().clone();
    let mut wanted = session.setting().clone();
    egui::Grid::new("solver").num_columns(2).show(ui, |ui| {
        ui.label("Solver");
        let names: Vec<&str> = SOLVERS.iter().map(|solver| solver.name).collect();
        choose(ui, "Solver", frame.solver, &names, |name| {
            wanted.solver = SOLVERS.iter().find(|solver| solver.name == *name).and_then(|solver| solver.kind);
        });
        ui.end_row();
        ui.label("Device");
        let names = places.names();
        let now = names.get(wanted.place).map_or("", String::as_str);
        choose(ui, "Device", now, &names, |name| {
            wanted.place = names.iter().position(|known| known == name).unwrap_or(0);
        });
        ui.end_row();
        ui.label("Threads");
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let numbers: Vec<String> = (1..=most).map(|threads| threads.to_string()).collect();
        let now = wanted.threads.unwrap_or(most).to_string();
        choose(ui, "Threads", &now, &numbers, |number| wanted.threads = number.parse().ok());
        ui.end_row();
    });
    ui.weak(format!("now: {} on {}", frame.solver, frame.device));
    ui.weak(
        "A change goes on from where the sand is if its state can be taken over. Else the scene begins anew, and the log says so.",
    );
    if wanted != *session.setting() {
        session.switch(wanted, places);
    }
}
