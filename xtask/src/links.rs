//! The documentation, and the links in it. Units in brackets (`[m]`) and sources (`[ICS14]`) look like links to rustdoc, so
//! its lint is allowed everywhere; here it is forced on, and what is neither a unit nor a source of docs/equations.md fails.

use std::process::Command;

/// Single words in brackets that are units or other plain text; rustdoc takes `[kg/m3]` for no link anyway.
const UNITS: &[&str] = &[
    "1", "m", "m2", "m3", "s", "kg", "N", "J", "W", "Pa", "GB", "bytes", "degrees", "rad", "radians",
    "pixels",
];

/// Makes the documentation by a command, and says which links lead nowhere.
///
/// # Errors
/// Says what is wrong with the documentation, in words.
pub fn document(mut command: Command, sources: &str) -> Result<(), String> {
    command.env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links");
    let output = command.output().map_err(|error| format!("cargo could not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the documentation cannot be made:\n{said}"));
    }
    let broken = broken_links(&said, sources);
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("links that lead nowhere:\n  {}", broken.join("\n  ")))
    }
}

/// The links that rustdoc could not resolve and that are neither units nor sources, with their places.
fn broken_links(said: &str, sources: &str) -> Vec<String> {
    let mut lines = said.lines();
    let mut broken = Vec::new();
    while let Some(line) = lines.next() {
        let Some(name) = line.split("unresolved link to `").nth(1).and_then(|rest| rest.split('`').next())
        else {
            continue;
        };
        let place = lines.next().unwrap_or_default().trim().trim_start_matches("--> ");
        if !UNITS.contains(&name) && !sources.contains(&format!("[{name}]")) {
            broken.push(format!("{place}: {name}"));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_sources_are_no_links_but_everything_else_is() {
        let said = "\
warning: unresolved link to `m`
  --> crates/granule/src/a.rs:1:2
   |
warning: unresolved link to `ICS14`
  --> crates/granule/src/b.rs:3:4
warning: unresolved link to `Simulaton::step`
  --> crates/granule/src/c.rs:5:6
warning: unresolved link to `ICS15`
  --> crates/granule/src/d.rs:7:8
";
        let broken = broken_links(said, "| [ICS14] | Ihmsen et al. |");
        assert_eq!(
            broken,
            ["crates/granule/src/c.rs:5:6: Simulaton::step", "crates/granule/src/d.rs:7:8: ICS15"]
        );
    }
}
