//! `granule mesh sdf`.

use granule::geometry::cache::FieldCache;
use granule::geometry::repair;
use granule::io::write_vti;

use crate::args::mesh::SdfArgs;
use crate::failure::Failure;
use crate::output;

/// Writes the distance field of a mesh. Open meshes have one, too: by winding numbers.
pub fn sdf(args: &SdfArgs) -> Result<(), Failure> {
    super::check_output(&args.output, &["vti"])?;
    let mesh = super::load(&args.mesh)?;
    let (mesh, report) = repair(&mesh).map_err(|error| super::wrong(&args.mesh, error))?;
    if !report.closed() {
        eprintln!(
            "granule: {}: not closed ({} open edges, {} with more than two triangles); inside is where the mesh winds \
             around",
            args.mesh.file.display(),
            report.open_edges,
            report.non_manifold_edges
        );
    }
    let longest = mesh.bounds().map_or(0.0, |bounds| bounds.size().max_element());
    let cell = args.cell.unwrap_or(longest / args.resolution as f32);
    let made = FieldCache::from_environment().distance_field(&mesh, cell, args.padding);
    let (field, found) = made.map_err(|error| super::wrong(&args.mesh, error))?;
    write_vti(&args.output, &field).map_err(|error| super::not_written(&args.output, error))?;
    let nodes = field.grid().nodes;
    output::text(&format!(
        "{}: {} x {} x {} nodes, {} m apart{}",
        args.output.display(),
        nodes.x,
        nodes.y,
        nodes.z,
        output::number(f64::from(field.grid().cell)),
        if found { " (from the cache)" } else { "" }
    ))
}
