//! The registry of methods: every solver that devices have.

use crate::core::method::MethodEntry;
use crate::{dem, iisph, pbd, wcsph};

/// The methods of this crate; a further one adds its line here, or comes from outside by `GpuBackend::with_method`.
pub const METHODS: &[&MethodEntry] = &[&iisph::ENTRY, &wcsph::ENTRY, &dem::ENTRY, &pbd::ENTRY];
