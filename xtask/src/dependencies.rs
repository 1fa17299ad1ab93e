//! The packages that the workspace depends on, held to deny.toml: licences, versions, sources.
//!
//! This is the part of `cargo deny check licenses bans sources` that needs nothing but cargo, so that it runs everywhere
//! within a second. Where cargo-deny is installed it runs as well, from the same file.

use std::collections::BTreeMap;
use std::process::Stdio;

use serde::Deserialize;

use crate::cargo;
use crate::program::root;

/// What is read of deny.toml.
#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

/// A version that may stand beside another.
#[derive(Debug, Deserialize)]
struct Skip {
    /// Name and the beginning of its version, with an `@` between them.
    #[serde(rename = "crate")]
    package: String,
    reason: String,
}

/// A package that is compiled somewhere.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    /// Where it comes from, unless that is crates.io.
    source: Option<String>,
    /// As its manifest says.
    license: String,
}

/// Checks the dependencies of the workspace.
///
/// # Errors
/// Says what does not keep to deny.toml, or what could not be read.
pub fn check() -> Result<(), String> {
    let path = root().join("deny.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rules: Rules = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let packages = packages()?;
    let faults = faults(&rules, &packages);
    if faults.is_empty() {
        eprintln!("{} packages keep to deny.toml", packages.len());
        return check_by_cargo_deny();
    }
    Err(format!("dependencies do not keep to deny.toml:\n  {}", faults.join("\n  ")))
}

/// The same by cargo-deny, which reads licence files, too; nothing where it is not installed.
fn check_by_cargo_deny() -> Result<(), String> {
    let installed = cargo().args(["deny", "--version"]).stderr(Stdio::null()).stdout(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) {
        eprintln!("cargo-deny is not installed and not asked: cargo install --locked cargo-deny");
        return Ok(());
    }
    let status = cargo().args(["deny", "--locked", "check", "licenses", "bans", "sources"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo deny: {status}")),
        Err(error) => Err(format!("cargo deny could not start: {error}")),
    }
}

/// The packages that are compiled for the workspace on any platform; on this one where the others' are out of reach.
fn packages() -> Result<Vec<Package>, String> {
    let list = |target: &[&str]| {
        let args = ["tree", "--locked", "--workspace", "--all-features", "-e", "normal,build,dev"];
        let form = ["--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"];
        cargo()
            .args(args)
            .args(form)
            .args(target)
            .current_dir(root())
            .output()
            .map_err(|error| error.to_string())
    };
    let mut output = list(&["--target", "all"])?;
    if !output.status.success() {
        eprintln!("xtask: packages of other platforms cannot be read; those of this one are checked");
        output = list(&[])?;
    }
    if !output.status.success() {
        return Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut packages: Vec<Package> = text.lines().filter_map(package).collect();
    packages.sort();
    packages.dedup();
    if packages.len() < 10 {
        return Err(format!("cargo tree lists {} packages only", packages.len()));
    }
    Ok(packages)
}

/// A line of the list: `name vVERSION (source) (proc-macro)|licence`. Packages of the workspace are left out.
fn package(line: &str) -> Option<Package> {
    let (package, license) = line.split_once('|')?;
    let mut words = package.split_whitespace();
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let source =
        words.map(|word| word.trim_matches(['(', ')'])).find(|word| !matches!(*word, "proc-macro" | "*"));
    if source.is_some_and(|source| std::path::Path::new(source).is_absolute()) {
        return None;
    }
    Some(Package {
        name: name.into(),
        version: version.into(),
        source: source.map(String::from),
        license: license.trim().into(),
    })
}

/// Everything that does not keep to the rules.
fn faults(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in packages {
        let named = format!("{} {}", package.name, package.version);
        if !is_allowed(&package.license, &rules.licenses.allow) {
            faults.push(format!("{named} has the licence `{}`, which is not allowed", package.license));
        }
        if let Some(source) = &package.source {
            faults.push(format!("{named} comes from {source} instead of crates.io"));
        }
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    for (name, versions) in versions.into_iter().filter(|(_, versions)| versions.len() > 1) {
        let counted: Vec<&str> = versions
            .into_iter()
            .filter(|version| !rules.bans.skip.iter().any(|skip| skip.names(name, version)))
            .collect();
        if counted.len() > 1 {
            faults.push(format!("{name} is there in versions {}", counted.join(" and ")));
        }
    }
    let unexplained = rules.bans.skip.iter().filter(|skip| skip.reason.trim().is_empty());
    faults.extend(unexplained.map(|skip| format!("{} is skipped without a reason", skip.package)));
    faults
}

impl Skip {
    fn names(&self, name: &str, version: &str) -> bool {
        self.package.split_once('@').is_some_and(|(known, begin)| {
            known == name
                && version.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

/// Whether a licence expression can be met by allowed licences: `OR` or `/` between alternatives, `AND` between what
/// holds together, brackets.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = alternatives(&words, &mut at, allowed);
    met == Some(true) && at == words.len()
}

fn alternatives(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let mut met = together(words, at, allowed)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= together(words, at, allowed)?;
    }
    Some(met)
}

fn together(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let mut met = single(words, at, allowed)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= single(words, at, allowed)?;
    }
    Some(met)
}

fn single(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let word = *words.get(*at)?;
    *at += 1;
    if word == "(" {
        let met = alternatives(words, at, allowed)?;
        *at += 1;
        return (words.get(*at - 1) == Some(&")")).then_some(met);
    }
    // An exception makes a licence another one.
    if words.get(*at) == Some(&"WITH") {
        let whole = format!("{word} WITH {}", words.get(*at + 1)?);
        *at += 2;
        return Some(allowed.contains(&whole));
    }
    Some(allowed.iter().any(|known| known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let skip = Skip { package: "old@0.1".into(), reason: "its user is behind".into() };
        Rules {
            licenses: Licenses { allow: vec!["MIT".into(), "Zlib".into(), "Unicode-3.0".into()] },
            bans: Bans { skip: vec![skip] },
        }
    }

    #[test]
    fn licences_are_read_as_their_words_mean() {
        let allowed = rules().licenses.allow;
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "Apache-2.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-3.0 AND MIT OR Zlib",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR Zlib) AND GPL-3.0",
            "MIT WITH more",
            "MIT Zlib",
            "(MIT",
            "MIT OR",
        ] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn lines_of_the_list_are_packages_with_their_sources() {
        let read = |line: &str| package(line).map(|p| (p.name, p.version, p.source, p.license));
        let expected = ("serde_derive".into(), "1.0.2".into(), None, "MIT/Apache-2.0".into());
        assert_eq!(read("serde_derive v1.0.2 (proc-macro)|MIT/Apache-2.0"), Some(expected));
        let git = package("odd v2.0.0 (https://example.org/odd#12ab)|MIT").unwrap();
        assert_eq!(git.source.as_deref(), Some("https://example.org/odd#12ab"));
        assert_eq!(package("granule v0.1.0 (/some/where/granule)|MIT"), None);
        assert_eq!(package(""), None);
    }

    #[test]
    fn every_kind_of_fault_is_named() {
        let lines = [
            "plain v1.0.0|MIT",
            "copyleft v1.0.0|GPL-3.0",
            "odd v2.0.0 (https://example.org/odd#12ab)|MIT",
            "old v0.1.5|MIT",
            "old v0.2.0|MIT",
            "twice v1.0.0|MIT",
            "twice v2.0.0|MIT",
        ];
        let packages: Vec<Package> = lines.iter().filter_map(|line| package(line)).collect();
        let faults = faults(&rules(), &packages);
        assert_eq!(faults.len(), 3, "{faults:?}");
        for (fault, words) in
            faults.iter().zip(["GPL-3.0", "example.org", "twice is there in versions 1.0.0 and 2.0.0"])
        {
            assert!(fault.contains(words), "{fault}");
        }
    }

    #[test]
    fn a_skipped_version_is_a_beginning_of_whole_numbers() {
        let skip = Skip { package: "syn@2".into(), reason: String::new() };
        assert!(skip.names("syn", "2.0.119") && skip.names("syn", "2"));
        assert!(!skip.names("syn", "20.0.0") && !skip.names("synstructure", "2.0.0"));
    }
}
