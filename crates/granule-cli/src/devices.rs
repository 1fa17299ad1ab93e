//! `granule devices`: the graphics adapters of this machine.

use granule_device::{AdapterSummary, list_adapters};
use serde::Serialize;

use crate::args::DevicesArgs;
use crate::failure::Failure;
use crate::output;

/// An adapter in the list.
#[derive(Serialize)]
struct Listed {
    index: usize,
    name: String,
    kind: &'static str,
    backend: String,
    driver: String,
}

impl From<AdapterSummary> for Listed {
    fn from(adapter: AdapterSummary) -> Self {
        let AdapterSummary { index, name, kind, backend, driver } = adapter;
        Self { index, name, kind: kind.word(), backend, driver }
    }
}

/// Prints the adapters, best first.
pub fn devices(args: &DevicesArgs) -> Result<(), Failure> {
    let listed: Vec<Listed> = list_adapters().into_iter().map(Listed::from).collect();
    if args.json {
        return output::json(&listed);
    }
    if listed.is_empty() {
        return output::text("no graphics adapter; pictures are drawn in software (--device cpu)");
    }
    let row = |adapter: &Listed| {
        let words = [adapter.name.as_str(), adapter.kind, adapter.backend.as_str(), adapter.driver.as_str()]
            .map(String::from);
        std::iter::once(adapter.index.to_string()).chain(words).collect()
    };
    let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
    output::text(&output::table(&["number", "name", "kind", "interface", "driver"], &rows))
}
