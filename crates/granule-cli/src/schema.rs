//! `granule schema`: what a scene file may hold, for editors and for people.

use granule::reference;

use crate::args::SchemaArgs;
use crate::failure::Failure;
use crate::output;

/// Prints the JSON schema of scenes, or the reference made from it.
pub fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    if args.markdown {
        return output::text(reference::reference_markdown().trim_end());
    }
    output::json(&reference::json_schema())
}
