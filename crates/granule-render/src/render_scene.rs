//! The scene that a picture shows: spheres, meshes, a field, lines, and how spheres are coloured.

use glam::Vec3;

use crate::camera::Bounds;
use crate::colormap::{ColorMap, TABLE_SIZE};
use crate::field::FieldView;
use crate::mesh::MeshInstance;
use crate::primitives::{Line, Vertex};
use crate::spheres::SphereSource;

/// How spheres get their colours.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// The value is the number of a material; every grain differs a little from its neighbours.
    Material {
        /// Linear colours of the materials, at most 256.
        albedo: Vec<Vec3>,
    },
    /// The value is a number on a colour map.
    Scalar {
        /// The colours.
        map: ColorMap,
        /// The values at both ends of the map.
        range: [f32; 2],
    },
    /// The value's bits are a colour, see [`SphereTag::of_color`](crate::SphereTag::of_color).
    Direct,
}

impl Paint {
    /// The table of linear colours that values are looked up in.
    pub(crate) fn table(&self) -> Vec<Vec3> {
        let mut table = match self {
            Self::Material { albedo } => albedo.clone(),
            Self::Scalar { map, .. } => map.linear_table(),
            Self::Direct => Vec::new(),
        };
        table.resize(TABLE_SIZE, Vec3::splat(0.5));
        table
    }
}

/// The scene that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct RenderScene<'a> {
    /// Spheres.
    pub spheres: SphereSource<'a>,
    /// How the spheres' tags become colours.
    pub paint: &'a Paint,
    /// Bodies.
    pub meshes: &'a [MeshInstance],
    /// A view of a field.
    pub field: Option<&'a FieldView>,
    /// Height of the ground \[m\]; none where absent.
    pub ground: Option<f32>,
    /// Lines, hidden by what is in front of them.
    pub lines: &'a [Line],
    /// Transparent triangles, three corners each, drawn in their order.
    pub triangles: &'a [Vertex],
}

impl RenderScene<'_> {
    /// The box around all that is drawn but the ground; `None` where there is nothing.
    pub fn bounds(&self) -> Option<Bounds> {
        let points = self.lines.iter().flat_map(|line| [line.from, line.to]);
        let points = points.chain(self.triangles.iter().map(|corner| corner.position));
        let parts = self.spheres.bounds().into_iter().chain(Bounds::of_points(points.map(Vec3::from)));
        let bodies = self.meshes.iter().map(MeshInstance::bounds);
        parts.chain(bodies).chain(self.field.map(FieldView::bounds)).reduce(Bounds::union)
    }

    /// The box around all that casts shadows; `None` where nothing does.
    pub(crate) fn caster_bounds(&self) -> Option<Bounds> {
        let solid = self.meshes.iter().filter(|instance| instance.is_opaque());
        self.spheres.bounds().into_iter().chain(solid.map(MeshInstance::bounds)).reduce(Bounds::union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_whatever_is_drawn() {
        let line = Line { from: [5.0, 0.0, 0.0], width: 1.0, to: [0.0, -7.0, 0.0], color: 0 };
        let scene = RenderScene {
            spheres: SphereSource::Uploaded {
                spheres: &[[0.0, 0.0, 0.0, 1.0]],
                tags: &[crate::SphereTag::default()],
            },
            paint: &Paint::Direct,
            meshes: &[],
            field: None,
            ground: None,
            lines: &[line],
            triangles: &[],
        };
        let bounds = scene.bounds().unwrap();
        assert_eq!((bounds.min, bounds.max), (Vec3::new(-1.0, -7.0, -1.0), Vec3::new(5.0, 1.0, 1.0)));
        assert!(RenderScene { spheres: SphereSource::NONE, lines: &[], ..scene }.bounds().is_none());
    }
}
