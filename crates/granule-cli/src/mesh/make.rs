//! `granule mesh make`.

use glam::Vec3;
use granule::geometry::{TriangleMesh, dump_bed, make as things, shapes, write_mesh};

use crate::args::mesh::{MakeArgs, ShapeName};
use crate::failure::Failure;
use crate::output;

/// Writes the mesh of a shape.
pub fn make(args: &MakeArgs) -> Result<(), Failure> {
    super::check_output(&args.output, &["obj", "stl", "ply"])?;
    let mesh = shape(args)?;
    write_mesh(&args.output, &mesh).map_err(|error| super::not_written(&args.output, error))?;
    output::text(&format!("{}: {} triangles", args.output.display(), mesh.triangle.len()))
}

fn shape(args: &MakeArgs) -> Result<TriangleMesh, Failure> {
    let [x, y, _] = args.size;
    let size = Vec3::from(args.size);
    let n = args.divisions;
    Ok(match args.shape {
        ShapeName::Sphere => shapes::sphere(0.5 * x, n),
        ShapeName::Box => shapes::cuboid(size),
        ShapeName::Torus => {
            // With a single size the tube is a quarter of the ring.
            let tube = if y < 0.5 * x { 0.5 * y } else { 0.125 * x };
            shapes::torus(0.5 * x - tube, tube, 2 * n, n)
        }
        ShapeName::Cylinder => shapes::cylinder(0.5 * x, y, n),
        ShapeName::Bumpy => shapes::bumpy(0.5 * x, n),
        ShapeName::TruckBed => shapes::truck_bed(size, thickness(args, size.min_element())?),
        ShapeName::DumpBed => dump_bed(size, thickness(args, size.min_element())?),
        ShapeName::Drum => shapes::drum(0.5 * x, y, thickness(args, x.min(y))?, n),
        ShapeName::Castle => scaled(things::castle(n), x),
        ShapeName::Bucket => scaled(things::bucket(n), x),
        ShapeName::Squirrel => scaled(things::squirrel(n), x),
    })
}

/// A mesh with its longest side as long as asked for \[m\].
fn scaled(mut mesh: TriangleMesh, side: f32) -> TriangleMesh {
    let longest = mesh.bounds().map_or(side, |bounds| bounds.size().max_element());
    mesh.position.iter_mut().for_each(|x| *x *= side / longest);
    mesh
}

/// The thickness of walls, which must leave room between them.
fn thickness(args: &MakeArgs, smallest: f32) -> Result<f32, Failure> {
    let thickness = args.thickness.unwrap_or(0.1 * smallest);
    if thickness < 0.5 * smallest {
        return Ok(thickness);
    }
    let most = 0.5 * smallest;
    Err(Failure::Input(format!(
        "--thickness {thickness}: walls must be thinner than {most} m, half the smallest size"
    )))
}
