//! The program `granule`.
fn main() {}
