//! The order of rooms: what the architecture page says against what files import.

use std::collections::BTreeSet;
use std::path::Path;

/// Rooms of a package in the order of the page, and what its files use.
pub struct Package {
    /// Rooms by line.
    order: Vec<Vec<String>>,
    /// Rooms that are there, as files or folders.
    rooms: BTreeSet<String>,
    files: usize,
    imports: Vec<Import>,
}

/// A path of a file that leads to a room, or to an item at the package's root.
struct Import {
    file: String,
    line: usize,
    from: String,
    to: String,
}

impl Package {
    /// Reads all files under `source` (a path as the page writes it), and the page's list for it.
    pub fn read(root: &Path, source: &str, page: &str) -> Self {
        let mut package = Self {
            order: order_on_page(page, source),
            rooms: BTreeSet::new(),
            files: 0,
            imports: Vec::new(),
        };
        let mut folders = vec![Vec::new()];
        while let Some(folder) = folders.pop() {
            package.read_folder(&root.join(source), &folder, &mut folders);
        }
        package
    }

    /// Reads the files of a folder of modules and adds the folders in it to `folders`.
    fn read_folder(&mut self, source: &Path, path: &[String], folders: &mut Vec<Vec<String>>) {
        let folder = path.iter().fold(source.to_path_buf(), |folder, name| folder.join(name));
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let texts: Vec<(String, String)> = names
            .iter()
            .filter(|name| name.ends_with(".rs"))
            .map(|name| (name.clone(), std::fs::read_to_string(folder.join(name)).unwrap()))
            .collect();
        // Modules of tests, by the name that all of them have here.
        let is_test = |module: &str| module == "tests";
        for (name, text) in &texts {
            let stem = name.trim_end_matches(".rs");
            if path.is_empty() && matches!(stem, "lib" | "main") || is_test(stem) {
                continue;
            }
            let mut module = path.to_vec();
            if stem != "mod" {
                module.push(stem.into());
            }
            self.read_file(&folder.join(name).display().to_string(), &module, text);
        }
        for name in names.iter().filter(|name| folder.join(name).is_dir() && !is_test(name)) {
            folders.push(path.iter().chain([name]).cloned().collect());
        }
    }

    fn read_file(&mut self, file: &str, module: &[String], text: &str) {
        self.files += 1;
        self.rooms.insert(module[0].clone());
        for (line, to) in imports(text, module.len()) {
            let (file, from) = (file.into(), module[0].clone());
            self.imports.push(Import { file, line, from, to });
        }
    }

    pub fn file_count(&self) -> usize {
        self.files
    }

    pub fn import_count(&self) -> usize {
        self.imports.len()
    }

    /// The line of the page that a room stands in.
    fn line_of(&self, room: &str) -> Option<usize> {
        self.order.iter().position(|line| line.iter().any(|known| known == room))
    }

    /// What is not as the page says.
    pub fn faults(&self) -> Vec<String> {
        let listed: Vec<&String> = self.order.iter().flatten().collect();
        let twice = listed.iter().filter(|room| listed.iter().filter(|other| other == room).count() > 1);
        let mut faults: Vec<String> = twice.map(|room| format!("{room} is listed twice")).collect();
        faults.extend(
            self.rooms.iter().filter(|room| !listed.contains(room)).map(|room| {
                format!("the room {room} is missing in the order of rooms of docs/architecture.md")
            }),
        );
        faults.extend(
            listed.iter().filter(|room| !self.rooms.contains(**room)).map(|room| format!("no room {room}")),
        );
        faults.extend(self.imports.iter().filter_map(|import| self.fault(import)));
        faults
    }

    fn fault(&self, Import { file, line, from, to }: &Import) -> Option<String> {
        let at = format!("{file}:{line}");
        let Some(to_line) = self.line_of(to) else {
            return Some(format!("{at}: `{to}` is no room of the page; name the room that has the item"));
        };
        let from_line = self.line_of(from)?;
        let allowed = from == to || to_line < from_line;
        (!allowed).then(|| format!("{at}: {from} must not use {to}, which stands no higher on the page"))
    }
}

/// The lists of rooms under the heading `Order of rooms`: the indented lines after the one that names the folder.
fn order_on_page(page: &str, source: &str) -> Vec<Vec<String>> {
    let section = page.split("### Order of rooms").nth(1).expect("the page has an order of rooms");
    let lines = section.lines().skip_while(|line| !line.starts_with(&format!("`{source}`")));
    let listed = lines.skip(1).skip_while(|line| !line.starts_with("    "));
    let listed = listed.take_while(|line| line.starts_with("    "));
    let order: Vec<Vec<String>> =
        listed.map(|line| line.split_whitespace().map(String::from).collect()).collect();
    assert!(order.len() > 3, "the page lists the rooms of {source}");
    order
}

/// What the paths of a file lead to at the package's root, with their lines, unit tests aside. `depth` is how many modules
/// deep the file is: so many `super::` lead to the root.
fn imports(text: &str, depth: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in without_tests(text) {
        let code = line.split("//").next().unwrap_or_default();
        found.extend(names_after(code, "crate::").into_iter().map(|name| (number, name)));
        found.extend(names_after(code, &"super::".repeat(depth)).into_iter().map(|name| (number, name)));
    }
    found
}

/// The names after a prefix; each of `{a::x, b}`, whose parts rustfmt keeps in one line or gives a line each.
fn names_after(code: &str, prefix: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) if group.contains('}') && !group.contains("::") => {
                let group = group.split('}').next().unwrap_or_default();
                names.extend(group.split(',').map(|part| word(part.trim())));
            }
            Some(group) => names.push(format!("{{{group}: write one path per line")),
            None => names.push(word(rest)),
        }
    }
    names
}

/// The lines of a file, numbered from 1, without what `#[cfg(test)]` marks. Relies on rustfmt: an item ends with `;` in
/// its first line, or with a brace at its own depth.
fn without_tests(text: &str) -> Vec<(usize, &str)> {
    let mut kept = Vec::new();
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line));
    while let Some((number, line)) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push((number, line));
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        let item = lines.by_ref().map(|(_, line)| line).find(|line| !line.trim_start().starts_with("#["));
        if item.is_some_and(|item| !item.ends_with(';') && !item.ends_with('}')) {
            lines.by_ref().find(|(_, line)| *line == end);
        }
    }
    kept
}

#[test]
fn imports_are_found_in_every_form_and_not_in_tests() {
    let text = "\
use crate::scene::Scene;
use crate::{build, flow};
//! [`crate::io`]
#[cfg(test)]
mod tests;
impl Thing {
    #[cfg(test)]
    fn only_for_tests() {
        crate::measure::all()
    }
    fn real() -> crate::error::Wrong {
        super::super::io::write() // crate::measure
    }
}
#[cfg(test)]
mod more {
    use crate::simulation::Simulation;
}
use crate::sph::Kernel;
";
    let names: Vec<String> = imports(text, 2).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["scene", "build", "flow", "error", "io", "sph"]);
    assert_eq!(imports(text, 2)[3].0, 11, "lines are counted as editors do");
}

#[test]
fn a_room_that_uses_one_below_it_is_named() {
    let page = "### Order of rooms\n\n`x/`:\n\n    low\n    middle\n    high\n    top\n";
    let mut package =
        Package { order: order_on_page(page, "x/"), rooms: BTreeSet::new(), files: 0, imports: Vec::new() };
    package.read_file("low.rs", &["low".into()], "");
    package.read_file("middle.rs", &["middle".into()], "use crate::low::A;");
    package.read_file("high.rs", &["high".into()], "use crate::middle::A;\nuse super::low;");
    package.read_file("top/a.rs", &["top".into(), "a".into()], "use super::b;\nuse crate::top::b;");
    assert_eq!(package.faults(), [""; 0]);
    package.read_file("low/a.rs", &["low".into(), "a".into()], "\nuse crate::high::A;");
    package.read_file("new.rs", &["new".into()], "use crate::Scene;");
    let faults = package.faults();
    assert!(faults[0].contains("new is missing") && faults[1].contains("low/a.rs:2: low must not use high"));
    assert!(faults[2].contains("`Scene` is no room") && faults.len() == 3, "{faults:?}");
}
