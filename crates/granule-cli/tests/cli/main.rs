//! The program as its users meet it: arguments in, exit code, text and files out.

mod place;
mod run;
mod scenes;
mod verbs;
mod wrong_input;
