//! `granule mesh`: looks at meshes, makes fields and samples of them.

mod info;
mod make;
mod sample;
mod sdf;

use std::path::Path;

use granule::geometry::{MeshError, MeshFileError, TriangleMesh, load_mesh, solid};
use granule::io::check_writable;

use crate::args::mesh::{MeshArgs, MeshInput, MeshVerb};
use crate::failure::Failure;

/// Does what is asked for.
pub fn mesh(args: &MeshArgs) -> Result<(), Failure> {
    match &args.verb {
        MeshVerb::Info(args) => info::info(args),
        MeshVerb::Sdf(args) => sdf::sdf(args),
        MeshVerb::Sample(args) => sample::sample(args),
        MeshVerb::Make(args) => make::make(args),
    }
}

impl From<MeshFileError> for Failure {
    fn from(error: MeshFileError) -> Self {
        Self::Input(error.to_string())
    }
}

/// The mesh of a file, as it stands there.
fn load(input: &MeshInput) -> Result<TriangleMesh, Failure> {
    Ok(load_mesh(&input.file, &input.options())?)
}

/// Adds the file to what is wrong with its mesh.
fn wrong(input: &MeshInput, error: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{}: {error}", input.file.display()))
}

/// The mesh of a file as a closed solid.
fn load_solid(input: &MeshInput) -> Result<TriangleMesh, Failure> {
    solid(&load(input)?).map_err(|error: MeshError| wrong(input, error))
}

/// Refuses an output that cannot be written or has another ending, before any work is done.
fn check_output(path: &Path, endings: &[&str]) -> Result<(), Failure> {
    let refuse = |what: String| Failure::Input(format!("--output {}: {what}", path.display()));
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    if !ending.is_some_and(|ending| endings.contains(&ending.as_str())) {
        return Err(refuse(format!("the name must end in .{}", endings.join(" or ."))));
    }
    if path.is_dir() {
        return Err(refuse("this is a folder; name a file".into()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    check_writable(folder).map_err(|error| refuse(format!("cannot write there: {error}")))
}

/// A file that could not be written although its folder could.
fn not_written(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("{}: {error}", path.display()))
}
