//! The program as its users meet it: arguments in, exit code, text and files out.

mod bodies;
mod checkpoint;
mod device;
#[cfg(target_os = "linux")]
mod disk;
mod exports;
mod grains;
mod mesh;
mod oracle;
mod place;
mod recordings;
#[cfg(feature = "inspection")]
mod remote;
mod render;
mod report;
mod run;
mod scenes;
mod tutorial;
mod verbs;
#[cfg(feature = "window")]
mod view;
mod wrong_input;
