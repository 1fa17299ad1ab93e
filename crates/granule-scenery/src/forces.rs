//! Contacts as bars: force chains.

use glam::{Affine3A, Vec3};
use granule::Contact;
use granule_render::{ColorMap, Legend, LegendSide, Mesh, MeshInstance, Vertex, pack_color};

/// Sides of a bar.
const SIDES: u32 = 6;

/// Thickness of the thinnest bar over that of the thickest.
const THINNEST: f32 = 0.1;

/// Radius of the thickest bar in radii of a grain.
const THICKEST: f32 = 0.45;

/// Share of contacts whose force is beyond the colours: a single blow does not make all others look alike.
const BEYOND: f64 = 0.03;

/// Radius of grains among bars over their own, so that one sees the bars.
pub const GRAINS_AMONG_BARS: f32 = 0.2;

/// What colours and thickness of bars mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceScale {
    /// Force of the thickest and last coloured bar \[N\].
    pub most: f32,
    /// Its radius \[m\].
    pub thickest: f32,
    /// Colours, from no force on.
    pub map: ColorMap,
}

impl ForceScale {
    /// The scale that suits contacts among grains of a radius \[m\].
    pub fn of<'a>(contacts: impl Iterator<Item = &'a Contact>, radius: f32, map: ColorMap) -> Self {
        let mut forces: Vec<f32> = contacts.map(|contact| contact.force().length()).collect();
        forces.retain(|force| force.is_finite());
        forces.sort_by(f32::total_cmp);
        let last = forces.len().saturating_sub(1);
        let most = forces.get(((1.0 - BEYOND) * last as f64) as usize).copied().unwrap_or(0.0);
        Self { most: most.max(f32::MIN_POSITIVE), thickest: THICKEST * radius, map }
    }

    /// The legend of the bars.
    pub fn legend(&self) -> Legend {
        let (title, unit) = ("contact force".into(), "N".into());
        Legend { title, unit, map: self.map, range: [0.0, self.most], side: LegendSide::Right }
    }
}

/// A bar per contact for which `shown` holds, from the centre of a grain to that of the other or to the wall, as thick and as far up
/// the colours as its force is large. Nothing where there is none.
pub fn force_bars(
    contacts: &[Contact],
    scale: &ForceScale,
    shown: impl Fn(&Contact) -> bool,
) -> Option<MeshInstance> {
    let colors = scale.map.linear_table();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for contact in contacts.iter().filter(|contact| shown(contact)) {
        let share = (contact.force().length() / scale.most).clamp(0.0, 1.0);
        let color = colors[(share * (colors.len() - 1) as f32) as usize];
        let ends = [contact.center, contact.center + contact.branch];
        add_bar(ends, scale.thickest * share.max(THINNEST), color, &mut vertices, &mut triangles);
    }
    // Only an empty mesh is refused, or one that is not finite.
    let mesh = Mesh::new(vertices, triangles).ok()?;
    Some(MeshInstance { mesh, world_from_body: Affine3A::IDENTITY, color: Vec3::ONE, opacity: 1.0 })
}

/// Adds the sides of a prism; its ends lie inside of grains or walls.
fn add_bar(
    ends: [Vec3; 2],
    radius: f32,
    color: Vec3,
    vertices: &mut Vec<Vertex>,
    triangles: &mut Vec<[u32; 3]>,
) {
    let Some(axis) = (ends[1] - ends[0]).try_normalize() else { return };
    let (right, up) = axis.any_orthonormal_pair();
    let (first, color) = (vertices.len() as u32, pack_color(color, 1.0));
    for side in 0..SIDES {
        let (sin, cos) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
        let normal = cos * right + sin * up;
        let corner = |end: Vec3| Vertex {
            position: (end + radius * normal).to_array(),
            color,
            normal: normal.to_array(),
            unused: 0,
        };
        vertices.extend(ends.map(corner));
        let [a, b] = [2 * side, 2 * ((side + 1) % SIDES)].map(|corner| first + corner);
        triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
}

#[cfg(test)]
mod tests {
    use granule::Partner;

    use super::*;

    fn contact(force: f32) -> Contact {
        Contact {
            particle: 0,
            partner: Partner::particle(1),
            center: Vec3::new(1.0, 0.0, 0.0),
            branch: Vec3::new(0.0, 2.0, 0.0),
            point: Vec3::new(1.0, 1.0, 0.0),
            normal: Vec3::NEG_Y,
            normal_force: force,
            tangential_force: Vec3::ZERO,
            overlap: 0.01,
        }
    }

    #[test]
    fn bars_go_from_centre_to_centre_and_are_as_thick_as_their_force_is_large() {
        let contacts = [contact(10.0), contact(5.0), contact(0.0)];
        let scale = ForceScale::of(contacts.iter(), 1.0, ColorMap::Viridis);
        assert_eq!((scale.most, scale.legend().range), (5.0, [0.0, 5.0]), "a few are beyond");
        let scale = ForceScale { most: 10.0, ..scale };
        for (contact, expected) in contacts.iter().zip([0.45, 0.225, 0.045]) {
            let bar = force_bars(std::slice::from_ref(contact), &scale, |_| true).unwrap();
            let bounds = bar.bounds();
            assert_eq!((bounds.min.y, bounds.max.y), (0.0, 2.0));
            let thick = |vertex: &Vertex| Vec3::from(vertex.position).with_y(0.0).distance(Vec3::X);
            assert!(bar.mesh.vertices().iter().all(|vertex| (thick(vertex) - expected).abs() < 1e-6));
        }
    }

    #[test]
    fn sides_face_outward() {
        let contacts = [contact(1.0)];
        let scale = ForceScale::of(contacts.iter(), 1.0, ColorMap::Viridis);
        let bar = force_bars(&contacts, &scale, |_| true).unwrap();
        for triangle in bar.mesh.triangles() {
            let [a, b, c] = triangle.map(|corner| bar.mesh.vertices()[corner as usize]);
            let [x, y, z] = [a, b, c].map(|corner| Vec3::from(corner.position));
            assert!((y - x).cross(z - x).dot(Vec3::from(a.normal)) > 0.0);
        }
        assert!(force_bars(&contacts, &scale, |_| false).is_none());
        assert!(force_bars(&[], &scale, |_| true).is_none());
    }
}
