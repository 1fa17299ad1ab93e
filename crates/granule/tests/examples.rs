//! The examples run: each checks its own outcome.

#[path = "../examples/commands.rs"]
mod commands;
#[path = "../examples/fields.rs"]
mod fields;
#[path = "../examples/measurement.rs"]
mod measurement;
#[path = "../examples/scene_in_code.rs"]
mod scene_in_code;

#[test]
fn the_scene_in_code_runs() {
    scene_in_code::main().unwrap();
}

#[test]
fn commands_change_a_running_scene() {
    commands::main().unwrap();
}

#[test]
fn fields_are_read_into_arrays() {
    fields::main().unwrap();
}

#[test]
fn a_measurement_of_ones_own_is_made() {
    measurement::main().unwrap();
}
