//! Which axis points up.

use serde::{Deserialize, Serialize};

/// The axis that points up in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UpAxis {
    /// As simulated.
    #[default]
    Y,
    /// (x, y, z) becomes (x, -z, y).
    Z,
}
