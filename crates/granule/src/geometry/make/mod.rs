//! Meshes of things, made in code: a sand castle, the bucket of an excavator, a squirrel.
//!
//! Each is described by the distance from its parts (`parts.rs`) and becomes a mesh by dual contouring (`contour.rs`).

mod bucket;
mod castle;
mod contour;
mod parts;
mod squirrel;

pub use bucket::bucket;
pub use castle::castle;
pub use contour::contour;
pub use squirrel::squirrel;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{RepairReport, inspect, repair};

    #[test]
    fn things_are_whole_without_any_repair() {
        for (name, mesh, [least, most]) in [
            ("castle", castle(40), [0.14, 0.22]),
            ("bucket", bucket(60), [0.08, 0.13]),
            ("squirrel", squirrel(40), [0.05, 0.12]),
        ] {
            let report = inspect(&mesh);
            assert!(report.closed && report.oriented, "{name}: {report:?}");
            assert!((least..most).contains(&report.volume), "{name}: {report:?}");
            let (repaired, done) = repair(&mesh).unwrap();
            assert_eq!(
                (done, repaired.triangle.len()),
                (RepairReport::default(), mesh.triangle.len()),
                "{name}"
            );
            let size = mesh.bounds().unwrap().size();
            assert!((0.9..1.1).contains(&size.max_element()), "{name}: {size}");
        }
    }
}
