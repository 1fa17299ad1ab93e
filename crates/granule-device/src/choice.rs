//! Which adapter to take.

use std::convert::Infallible;
use std::str::FromStr;

use crate::DeviceError;
use crate::adapter::AdapterSummary;

/// The environment variable that chooses where nothing else does: a number or a part of a name.
pub const ADAPTER_VARIABLE: &str = "GRANULE_ADAPTER";

/// Which adapter to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The one that [`ADAPTER_VARIABLE`] names, else the best.
    #[default]
    Auto,
    /// By its number in the list.
    Index(usize),
    /// By a part of its name or interface, in any case.
    Name(String),
}

impl FromStr for AdapterChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        Ok(match text.parse() {
            Ok(index) => Self::Index(index),
            Err(_) if text.is_empty() || text == "auto" || text == "gpu" => Self::Auto,
            Err(_) => Self::Name(text.into()),
        })
    }
}

impl AdapterChoice {
    /// Replaces [`AdapterChoice::Auto`] by what the environment says.
    pub(crate) fn resolved(&self, variable: Option<&str>) -> Self {
        match (self, variable) {
            (Self::Auto, Some(text)) => {
                let Ok(choice) = text.parse();
                choice
            }
            _ => self.clone(),
        }
    }

    /// Number of the chosen adapter in a list.
    pub(crate) fn pick(&self, adapters: &[AdapterSummary]) -> Result<usize, DeviceError> {
        if adapters.is_empty() {
            return Err(DeviceError::NoAdapter);
        }
        let found = match self {
            Self::Auto => Some(0),
            Self::Index(index) => (*index < adapters.len()).then_some(*index),
            Self::Name(name) => {
                let part = name.to_lowercase();
                let fits = |adapter: &AdapterSummary| adapter.name.to_lowercase().contains(&part);
                let position = adapters.iter().position(fits);
                position.or_else(|| adapters.iter().position(|adapter| adapter.backend == part))
            }
        };
        found.ok_or_else(|| DeviceError::Unknown { wanted: self.words(), known: known(adapters) })
    }

    /// Number of the chosen adapter in a list whose adapters lack what `lacks` says: [`AdapterChoice::Auto`] is the first
    /// that lacks nothing.
    pub(crate) fn pick_capable(
        &self,
        adapters: &[AdapterSummary],
        lacks: &[Option<String>],
    ) -> Result<usize, DeviceError> {
        let picked = self.pick(adapters)?;
        let capable = || lacks.iter().position(Option::is_none);
        let picked = if *self == Self::Auto { capable().unwrap_or(picked) } else { picked };
        match &lacks[picked] {
            None => Ok(picked),
            Some(lack) => {
                Err(DeviceError::Incapable { adapter: adapters[picked].name.clone(), lack: lack.clone() })
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Auto => "at all".into(),
            Self::Index(index) => format!("has the number {index}"),
            Self::Name(name) => format!("is called `{name}`"),
        }
    }
}

fn known(adapters: &[AdapterSummary]) -> String {
    adapters.iter().map(AdapterSummary::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AdapterKind;

    fn adapters() -> Vec<AdapterSummary> {
        let adapter = |index, name: &str, kind, backend: &str| AdapterSummary {
            index,
            name: name.into(),
            kind,
            backend: backend.into(),
            driver: String::new(),
        };
        vec![
            adapter(0, "Fast Card 9", AdapterKind::Discrete, "vulkan"),
            adapter(1, "llvmpipe (LLVM)", AdapterKind::Software, "vulkan"),
            adapter(2, "llvmpipe", AdapterKind::Software, "gl"),
        ]
    }

    fn pick(text: &str) -> Result<usize, String> {
        let choice: AdapterChoice = text.parse().unwrap();
        choice.pick(&adapters()).map_err(|error| error.to_string())
    }

    #[test]
    fn adapters_are_chosen_by_number_name_and_interface() {
        assert_eq!([pick("auto"), pick("1"), pick("LLVM"), pick("gl")], [Ok(0), Ok(1), Ok(1), Ok(2)]);
    }

    #[test]
    fn a_choice_that_fits_nothing_lists_what_there_is() {
        for text in ["3", "radeon"] {
            let error = pick(text).unwrap_err();
            assert!(error.contains(text) && error.contains("0: Fast Card 9 (discrete, vulkan)"), "{error}");
        }
        assert!(matches!(AdapterChoice::Auto.pick(&[]), Err(DeviceError::NoAdapter)));
    }

    #[test]
    fn the_best_adapter_that_can_is_taken_and_a_chosen_one_that_cannot_is_refused_with_the_reason() {
        let lack = || Some("no depth".to_string());
        let pick = |choice: AdapterChoice, lacks: [Option<String>; 3]| {
            choice.pick_capable(&adapters(), &lacks).map_err(|error| error.to_string())
        };
        assert_eq!(pick(AdapterChoice::Auto, [None, None, None]), Ok(0));
        assert_eq!(pick(AdapterChoice::Auto, [lack(), None, None]), Ok(1));
        assert_eq!(pick(AdapterChoice::Index(2), [lack(), None, None]), Ok(2));
        let refused = [pick(AdapterChoice::Index(0), [lack(), None, None])];
        for error in refused.into_iter().chain([pick(AdapterChoice::Auto, [lack(), lack(), lack()])]) {
            assert_eq!(error.unwrap_err(), "adapter Fast Card 9 is not enough: no depth");
        }
        assert!(matches!(AdapterChoice::Auto.pick_capable(&[], &[]), Err(DeviceError::NoAdapter)));
    }

    #[test]
    fn the_environment_decides_only_where_nothing_else_does() {
        let auto = AdapterChoice::Auto;
        assert_eq!(auto.resolved(Some("2")), AdapterChoice::Index(2));
        assert_eq!(auto.resolved(None), auto);
        assert_eq!(AdapterChoice::Index(1).resolved(Some("2")), AdapterChoice::Index(1));
    }
}
