//! Arguments of `mesh`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use granule::geometry::MeshOptions;
use granule::geometry::sample::Spread;
use granule::scene::UpAxis;

const INFO_HELP: &str = "\
Examples:
  granule mesh info part.stl --scale mm
  granule mesh info bunny.ply --json";

const SDF_HELP: &str = "\
Examples:
  granule mesh sdf bunny.ply -o bunny.vti
  granule mesh sdf part.stl --scale mm --cell 0.002 --padding 0.02 -o part.vti

The field is negative inside. It is kept in the folder of GRANULE_CACHE (else the user's cache folder) and found there \
again for the same mesh, cell and padding; an empty GRANULE_CACHE keeps nothing.";

const SAMPLE_HELP: &str = "\
Examples:
  granule mesh sample bunny.ply --radius 0.01 -o grains.ply
  granule mesh sample bunny.ply --radius 0.01 --fill random --spread uniform:0.008,0.012 -o grains.ply
  granule mesh sample bunny.ply --radius 0.01 --mode surface -o shell.ply";

const MAKE_HELP: &str = "\
Examples:
  granule mesh make bumpy -o bumpy.obj
  granule mesh make truck-bed --size 2,0.6,1 --thickness 0.05 -o bed.stl
  granule mesh make castle --divisions 96 -o castle.obj
  granule mesh make drum --size 1,0.4 --thickness 0.05 --divisions 96 -o drum.ply";

/// Arguments of `mesh`.
#[derive(Debug, Args)]
pub struct MeshArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: MeshVerb,
}

/// What can be done with meshes.
#[derive(Debug, Subcommand)]
pub enum MeshVerb {
    /// Say what a mesh is like and whether it can be used as a solid.
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// Write the signed distance to a mesh on a grid, for ParaView.
    #[command(after_help = SDF_HELP)]
    Sdf(SdfArgs),
    /// Fill a mesh with spheres, or cover its surface with points.
    #[command(after_help = SAMPLE_HELP)]
    Sample(SampleArgs),
    /// Write the mesh of a simple shape.
    #[command(after_help = MAKE_HELP)]
    Make(MakeArgs),
}

/// A mesh file and how it is read.
#[derive(Debug, Args)]
pub struct MeshInput {
    /// The mesh: .obj, .stl, .ply, .gltf or .glb.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Metres per unit of the file, or the unit: m, cm, mm, in, ft.
    #[arg(long, value_name = "S|UNIT", default_value = "m", allow_negative_numbers = true, value_parser = scale)]
    pub scale: f32,
    /// The axis that points up in the file.
    #[arg(long, default_value = "y", value_parser = ["y", "z"])]
    pub up: String,
}

impl MeshInput {
    /// How the file is read.
    pub fn options(&self) -> MeshOptions {
        let up = if self.up == "z" { UpAxis::Z } else { UpAxis::Y };
        MeshOptions { scale: self.scale, up, ..MeshOptions::default() }
    }
}

/// Arguments of `mesh info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The mesh.
    #[command(flatten)]
    pub mesh: MeshInput,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mesh sdf`.
#[derive(Debug, Args)]
pub struct SdfArgs {
    /// The mesh.
    #[command(flatten)]
    pub mesh: MeshInput,
    /// The file to write (.vti).
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Distance of nodes [m].
    #[arg(long, value_name = "S", conflicts_with = "resolution", allow_negative_numbers = true, value_parser = length)]
    pub cell: Option<f32>,
    /// Cells along the longest side of the mesh.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub resolution: u32,
    /// Space around the mesh [m]; at least two cells.
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true, value_parser = length_or_zero)]
    pub padding: f32,
}

/// Arguments of `mesh sample`.
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// The mesh.
    #[command(flatten)]
    pub mesh: MeshInput,
    /// The file to write (.ply).
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Radius of the spheres [m]; on surfaces, spheres of this radius cover the mesh.
    #[arg(long, value_name = "R", allow_negative_numbers = true, value_parser = length)]
    pub radius: f32,
    /// What is sampled.
    #[arg(long, value_enum, default_value_t)]
    pub mode: SampleMode,
    /// How a volume is filled.
    #[arg(long, value_enum, default_value_t)]
    pub fill: FillName,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Different radii, for --fill random: uniform:A,B from A to B metres, or lognormal:MU,SIGMA of the logarithm of metres.
    #[arg(long, value_name = "SPREAD", allow_hyphen_values = true)]
    pub spread: Option<Spread>,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The words of `--mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SampleMode {
    /// Whole spheres inside.
    #[default]
    Volume,
    /// Points on the surface.
    Surface,
}

/// The words of `--fill`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FillName {
    /// At random until no more fit: about 0.38 of the volume.
    Random,
    /// One per cube of a diameter, pushed apart until none overlap: 0.52 of the volume.
    #[default]
    Relaxed,
    /// On a cubic lattice.
    Lattice,
}

/// Arguments of `mesh make`.
#[derive(Debug, Args)]
pub struct MakeArgs {
    /// The shape.
    #[arg(value_enum)]
    pub shape: ShapeName,
    /// The file to write: .obj, .stl or .ply.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Size along x, y and z [m]; a single number for all. Round shapes take their diameter from x, cylinders and drums
    /// their height from y, a torus its tube's diameter; castle, bucket and squirrel take their longest side from x.
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", allow_negative_numbers = true, value_parser = size)]
    pub size: [f32; 3],
    /// Divisions of round shapes; cells along the longest side of castle, bucket and squirrel.
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = clap::value_parser!(u32).range(3..=2000))]
    pub divisions: u32,
    /// Thickness of the walls of drums and truck beds [m]; a tenth of the smallest size when absent.
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = length)]
    pub thickness: Option<f32>,
}

/// The shapes of `mesh make`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// A ball.
    Sphere,
    /// A box.
    Box,
    /// A ring around the y axis.
    Torus,
    /// A cylinder along y.
    Cylinder,
    /// A rounded shape with bumps and ears.
    Bumpy,
    /// A box with thick walls that is open at the top.
    TruckBed,
    /// A box with thick walls that is open at the top and towards -x.
    DumpBed,
    /// A closed cylinder along y with thick walls, hollow inside.
    Drum,
    /// A sand castle with towers, walls, a gate and a keep.
    Castle,
    /// The bucket of an excavator, open above and towards +x.
    Bucket,
    /// A squirrel that sits and looks along +x.
    Squirrel,
}

fn length(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "not a number".to_string())?;
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err("must be a positive length".into()) }
}

fn length_or_zero(text: &str) -> Result<f32, String> {
    if text.trim() == "0" { Ok(0.0) } else { length(text) }
}

fn scale(text: &str) -> Result<f32, String> {
    match text {
        "m" => Ok(1.0),
        "cm" => Ok(0.01),
        "mm" => Ok(0.001),
        "in" => Ok(0.0254),
        "ft" => Ok(0.3048),
        number => length(number).map_err(|_| "use a positive number, or m, cm, mm, in or ft".into()),
    }
}

fn size(text: &str) -> Result<[f32; 3], String> {
    let numbers = text.split(',').map(length).collect::<Result<Vec<f32>, _>>()?;
    match numbers[..] {
        [x] => Ok([x; 3]),
        [x, y] => Ok([x, y, x]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err("one to three lengths".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_sizes_are_read() {
        assert_eq!(scale("mm"), Ok(0.001));
        assert_eq!(scale("2.5"), Ok(2.5));
        assert!(scale("furlong").is_err() && scale("0").is_err() && scale("-1").is_err());
        assert_eq!(size("2"), Ok([2.0; 3]));
        assert_eq!(size("2,1"), Ok([2.0, 1.0, 2.0]));
        assert!(size("1,2,3,4").is_err() && size("1,-2").is_err() && size("").is_err());
    }
}
