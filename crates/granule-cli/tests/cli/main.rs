//! The program as its users meet it: arguments in, exit code, text and files out.

mod checkpoint;
mod place;
mod run;
mod verbs;
mod wrong_input;
