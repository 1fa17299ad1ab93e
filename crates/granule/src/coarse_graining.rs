//! Fields of a continuum from grains: density, velocity, stress and fabric at the nodes of a grid \[GOL10\].
//!
//! ```text
//! rho(r)   = sum m_i phi(r - r_i),      rho V = sum m_i v_i phi(r - r_i)
//! sigma(r) = sum m_i (v_i - V)(v_i - V) phi(r - r_i) + sum f_ij r_ij int_0^1 phi(r - r_i + s r_ij) ds       r_ij = r_i - r_j
//! F(r)     = sum n n int phi / sum int phi,                the second and third sums over contacts
//! ```
//! phi is Lucy's function, 105/(16 pi c^3) (1 + 3 q)(1 - q)^3 with q = |r|/c up to the cut-off c. Pressure is positive. Mass and momentum
//! are conserved for any phi, and so is the balance of forces: the divergence of the stress is what acts on the bulk.

use glam::{DVec3, IVec3, UVec3, Vec3};

use crate::contacts::Contact;

/// Points along the line between two centres at which phi is evaluated.
const POINTS: u32 = 8;

/// Where fields are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldGrid {
    /// The first node \[m\].
    pub origin: Vec3,
    /// Distances of nodes along the axes \[m\].
    pub spacing: Vec3,
    /// Nodes along the axes.
    pub nodes: UVec3,
    /// Along which axes the grid repeats.
    pub repeats: [bool; 3],
}

impl FieldGrid {
    /// Nodes about `spacing` \[m\] apart around all positions, `margin` \[m\] beyond them; over a whole period where an axis has one.
    pub fn around(positions: &[Vec3], periods: [Option<[f32; 2]>; 3], spacing: f32, margin: f32) -> Self {
        let first = positions.first().copied().unwrap_or(Vec3::ZERO);
        let (low, high) = positions.iter().fold((first, first), |(low, high), x| (low.min(*x), high.max(*x)));
        let mut grid = Self {
            origin: low - margin,
            spacing: Vec3::splat(spacing),
            nodes: ((high - low + 2.0 * margin) / spacing).ceil().as_uvec3() + UVec3::ONE,
            repeats: [false; 3],
        };
        for (axis, period) in periods.into_iter().enumerate() {
            if let Some([from, to]) = period {
                let count = ((to - from) / spacing).round().max(1.0);
                grid.nodes[axis] = count as u32;
                grid.spacing[axis] = (to - from) / count;
                grid.origin[axis] = from + 0.5 * grid.spacing[axis];
                grid.repeats[axis] = true;
            }
        }
        grid
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.as_usizevec3().element_product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `work` with the number of each node within `cutoff` of a place, and how far it is; nodes of a grid that repeats as often
    /// as they are near.
    fn near(&self, place: DVec3, cutoff: f64, mut work: impl FnMut(usize, f64)) {
        let (origin, spacing) = (self.origin.as_dvec3(), self.spacing.as_dvec3());
        let low = ((place - cutoff - origin) / spacing).ceil().as_ivec3();
        let high = ((place + cutoff - origin) / spacing).floor().as_ivec3();
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let at = IVec3::new(x, y, z);
                    let distance = (origin + spacing * at.as_dvec3() - place).length();
                    if let Some(node) = self.node(at).filter(|_| distance < cutoff) {
                        work(node, distance);
                    }
                }
            }
        }
    }

    /// The number of a node by its place along the axes, if there is one.
    fn node(&self, at: IVec3) -> Option<usize> {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let count = self.nodes[axis] as i32;
            let k = if self.repeats[axis] { at[axis].rem_euclid(count) } else { at[axis] };
            if !(0..count).contains(&k) {
                return None;
            }
            inside[axis] = k as usize;
        }
        let [nx, ny] = [self.nodes.x as usize, self.nodes.y as usize];
        Some(inside[0] + nx * (inside[1] + ny * inside[2]))
    }
}

/// A grain as fields see it.
#[derive(Clone, Copy, Debug)]
pub struct CoarseGrain {
    /// Centre \[m\].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Mass \[kg\].
    pub mass: f32,
}

/// Fields at the nodes of a grid, x fastest. Tensors are symmetric parts (xx, xy, xz, yy, yz, zz).
#[derive(Clone, Debug, PartialEq)]
pub struct CoarseFields {
    /// Mass per volume [kg/m3].
    pub density: Vec<f32>,
    /// Momentum per mass [m/s]; 0 where there is no mass.
    pub velocity: Vec<[f32; 3]>,
    /// Stress by what velocities deviate from the mean \[Pa\].
    pub kinetic_stress: Vec<[f32; 6]>,
    /// Stress by contacts \[Pa\].
    pub contact_stress: Vec<[f32; 6]>,
    /// Contacts per volume [1/m3].
    pub contact_density: Vec<f32>,
    /// Mean product of normals of contacts, of trace 1; 0 where there are no contacts.
    pub fabric: Vec<[f32; 6]>,
}

/// Lucy's function.
fn lucy(distance: f64, cutoff: f64) -> f64 {
    let q = distance / cutoff;
    105.0 / (16.0 * std::f64::consts::PI * cutoff.powi(3)) * (1.0 + 3.0 * q) * (1.0 - q).powi(3)
}

/// The symmetric part of a product of two vectors.
fn product(a: DVec3, b: DVec3) -> [f64; 6] {
    let mixed = |i: usize, j: usize| 0.5 * (a[i] * b[j] + a[j] * b[i]);
    [mixed(0, 0), mixed(0, 1), mixed(0, 2), mixed(1, 1), mixed(1, 2), mixed(2, 2)]
}

fn add(sum: &mut [f64; 6], weight: f64, tensor: [f64; 6]) {
    sum.iter_mut().zip(tensor).for_each(|(sum, part)| *sum += weight * part);
}

/// What has been summed up at a node.
#[derive(Clone, Copy, Default)]
struct Sums {
    mass: f64,
    momentum: DVec3,
    /// Sum of m v v phi.
    motion: [f64; 6],
    contact: [f64; 6],
    contacts: f64,
    normals: [f64; 6],
}

/// Fields of grains and contacts at the nodes of a grid, with a function that ends at `cutoff` \[m\].
pub fn coarse_grain(
    grid: &FieldGrid,
    cutoff: f32,
    grains: &[CoarseGrain],
    contacts: &[Contact],
) -> CoarseFields {
    let cutoff = f64::from(cutoff);
    let mut sums = vec![Sums::default(); grid.len()];
    for grain in grains {
        let (mass, velocity) = (f64::from(grain.mass), grain.velocity.as_dvec3());
        let motion = product(velocity, velocity);
        grid.near(grain.position.as_dvec3(), cutoff, |node, distance| {
            let weight = mass * lucy(distance, cutoff);
            let sum = &mut sums[node];
            sum.mass += weight;
            sum.momentum += weight * velocity;
            add(&mut sum.motion, weight, motion);
        });
    }
    for contact in contacts {
        let (center, branch) = (contact.center.as_dvec3(), contact.branch.as_dvec3());
        let stress = product(contact.force().as_dvec3(), -branch);
        let normals = product(contact.normal.as_dvec3(), contact.normal.as_dvec3());
        for point in 0..POINTS {
            let share = (f64::from(point) + 0.5) / f64::from(POINTS);
            grid.near(center + share * branch, cutoff, |node, distance| {
                let weight = lucy(distance, cutoff) / f64::from(POINTS);
                let sum = &mut sums[node];
                add(&mut sum.contact, weight, stress);
                add(&mut sum.normals, weight, normals);
                sum.contacts += weight;
            });
        }
    }
    finish(&sums)
}

fn finish(sums: &[Sums]) -> CoarseFields {
    let single = |tensor: [f64; 6]| tensor.map(|part| part as f32);
    let velocity = |sum: &Sums| if sum.mass > 0.0 { sum.momentum / sum.mass } else { DVec3::ZERO };
    let kinetic = |sum: &Sums| {
        let mut stress = sum.motion;
        let mean = velocity(sum);
        add(&mut stress, -sum.mass, product(mean, mean));
        single(stress)
    };
    let fabric = |sum: &Sums| {
        let scale = if sum.contacts > 0.0 { 1.0 / sum.contacts } else { 0.0 };
        single(sum.normals.map(|part| scale * part))
    };
    CoarseFields {
        density: sums.iter().map(|sum| sum.mass as f32).collect(),
        velocity: sums.iter().map(|sum| velocity(sum).as_vec3().to_array()).collect(),
        kinetic_stress: sums.iter().map(kinetic).collect(),
        contact_stress: sums.iter().map(|sum| single(sum.contact)).collect(),
        contact_density: sums.iter().map(|sum| sum.contacts as f32).collect(),
        fabric: sums.iter().map(fabric).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::Partner;

    /// A block of grains, a simple cubic lattice with one per cubed diameter, periodic across and 12 high.
    fn block() -> (Vec<CoarseGrain>, FieldGrid) {
        let mut grains = Vec::new();
        for k in 0..6 * 6 * 12 {
            let position = Vec3::new((k % 6) as f32, (k / 36) as f32, (k / 6 % 6) as f32) + 0.5;
            grains.push(CoarseGrain { position, velocity: Vec3::new(2.0, 0.0, 0.0), mass: 3.0 });
        }
        let places: Vec<Vec3> = grains.iter().map(|grain| grain.position).collect();
        let across = Some([0.0, 6.0]);
        (grains, FieldGrid::around(&places, [across, None, across], 0.5, 3.0))
    }

    /// Each grain bears those above it, through the one below it; the lowest ones stand on a wall.
    fn columns() -> Vec<Contact> {
        let contact = |k: u32| {
            let (level, center) =
                (k / 36, Vec3::new((k % 6) as f32, (k / 36) as f32, (k / 6 % 6) as f32) + 0.5);
            let length = if level == 0 { 0.5 } else { 1.0 };
            Contact {
                particle: k,
                partner: if level == 0 { Partner::wall(0, 0) } else { Partner::particle(k - 36) },
                center,
                branch: -length * Vec3::Y,
                point: center - 0.5 * Vec3::Y,
                normal: Vec3::Y,
                normal_force: 3.0 * 10.0 * (12 - level) as f32,
                tangential_force: Vec3::ZERO,
                overlap: 1e-3,
            }
        };
        (0..6 * 6 * 12).map(contact).collect()
    }

    /// Index of the node in the middle of the block across, nearest to a height.
    fn at_height(grid: &FieldGrid, height: f32) -> usize {
        let level = ((height - grid.origin.y) / grid.spacing.y).round() as usize;
        6 + grid.nodes.x as usize * (level + grid.nodes.y as usize * 6)
    }

    #[test]
    fn mass_is_conserved_and_a_block_has_its_density_and_velocity() {
        let (grains, grid) = block();
        let fields = coarse_grain(&grid, 2.0, &grains, &[]);
        let cell = f64::from(grid.spacing.element_product());
        let mass: f64 = fields.density.iter().map(|rho| f64::from(*rho) * cell).sum();
        assert!((mass / (3.0 * 432.0) - 1.0).abs() < 1e-3, "{mass}");
        let middle = at_height(&grid, 6.0);
        assert!((fields.density[middle] / 3.0 - 1.0).abs() < 0.02, "{}", fields.density[middle]);
        assert!((fields.velocity[middle][0] - 2.0).abs() < 1e-5);
        assert!(fields.kinetic_stress[middle][0].abs() < 1e-4, "all move alike");
    }

    /// Half of the grains move to and fro: m v^2 n along that axis.
    #[test]
    fn motion_against_each_other_is_a_pressure() {
        let (mut grains, grid) = block();
        for (k, grain) in grains.iter_mut().enumerate() {
            let sign = if (k % 6 + k / 6 % 6 + k / 36) % 2 == 0 { 1.0 } else { -1.0 };
            grain.velocity = sign * Vec3::X;
        }
        let fields = coarse_grain(&grid, 2.0, &grains, &[]);
        let middle = at_height(&grid, 6.0);
        let [xx, _, _, yy, _, zz] = fields.kinetic_stress[middle];
        assert!((xx / 3.0 - 1.0).abs() < 0.03 && yy.abs() < 1e-5 && zz.abs() < 1e-5, "{xx} {yy} {zz}");
    }

    /// Weight per ground: the pressure at a height is that of what lies above it.
    #[test]
    fn a_column_presses_with_what_lies_above() {
        let (grains, grid) = block();
        let fields = coarse_grain(&grid, 2.0, &grains, &columns());
        for height in [3.0, 6.0, 9.0] {
            let stress = fields.contact_stress[at_height(&grid, height)];
            let expected = 30.0 * (12.0 - height);
            assert!((stress[3] / expected - 1.0).abs() < 0.02, "{stress:?} instead of {expected}");
            assert!(stress[0].abs() < 1e-3 && stress[1].abs() < 1e-3);
        }
        let fabric = fields.fabric[at_height(&grid, 6.0)];
        assert!((fabric[3] - 1.0).abs() < 1e-5 && fabric[0].abs() < 1e-6, "{fabric:?}");
        assert!((fields.contact_density[at_height(&grid, 6.0)] - 1.0).abs() < 0.02);
    }
}
