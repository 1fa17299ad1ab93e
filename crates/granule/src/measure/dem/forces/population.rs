//! The forces of a bed: between spheres, or between the grains that they belong to.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::measure::drive::read;
use crate::measure::run::Run;
use crate::simulation::SimulationError;

use super::super::bed::Bed;
use super::super::distributions::normalized;
use super::super::sand::D;
use super::super::vessel::{Container, Vessel};

/// Distance from walls, base and surface from which on contacts count \[d\].
const MARGIN: f64 = 3.0;
/// Share of grains above what counts as the surface.
const LOOSE: f64 = 0.03;
/// Depth of a layer whose mean force is that of its forces \[d\].
const LAYER: f64 = 2.5;

/// On which level forces are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Every contact of two spheres.
    Spheres,
    /// All contacts of the same two grains together.
    Grains,
}

impl Level {
    /// The levels on which forces of a vessel are looked at: spheres are grains themselves.
    pub fn of(vessel: &Vessel) -> &'static [Self] {
        if vessel.tetrahedra { &[Self::Spheres, Self::Grains] } else { &[Self::Spheres] }
    }

    /// Its name behind that of grains.
    pub fn name(self, tetrahedra: bool) -> &'static str {
        match (tetrahedra, self) {
            (false, _) => "",
            (true, Self::Spheres) => " by sphere",
            (true, Self::Grains) => " by grain",
        }
    }
}

/// A force between two spheres, or two grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    /// Where it acts \[d\].
    pub place: DVec3,
    /// Its part along the line of centres, and that across it \[N\].
    pub normal: f64,
    pub tangential: f64,
    /// Angle of that line to the vertical \[degrees\], 0 to 90.
    pub angle: f64,
}

/// Who belongs to which grain, and where grains are.
pub struct Belonging {
    /// Ids in ascending order, and the grain of each.
    id: Vec<u32>,
    grain: Vec<u32>,
    /// Middle of the spheres of each grain \[m\].
    center: BTreeMap<u32, DVec3>,
    /// Side of the periodic cell \[m\].
    period: Option<f64>,
}

impl Belonging {
    /// Reads it.
    ///
    /// # Errors
    /// The device has failed.
    pub fn of(simulation: &mut Run, bed: &Bed, period: Option<f64>) -> Result<Self, SimulationError> {
        let snapshot = read(simulation, &["id", "grain"])?;
        let grain = snapshot.integer("grain").unwrap_or_default().to_vec();
        let mut members: BTreeMap<u32, Vec<DVec3>> = BTreeMap::new();
        bed.center.iter().zip(&grain).for_each(|(x, grain)| members.entry(*grain).or_default().push(*x));
        let mut belonging = Self { id: bed.id.clone(), grain, center: BTreeMap::new(), period };
        belonging.center = members
            .into_iter()
            .map(|(grain, spheres)| {
                let from_first = spheres.iter().map(|x| belonging.nearest(*x - spheres[0]));
                (grain, spheres[0] + from_first.sum::<DVec3>() / spheres.len() as f64)
            })
            .collect();
        Ok(belonging)
    }

    /// The grain of a sphere; its own id where nothing is known of it.
    pub fn grain(&self, sphere: u32) -> u32 {
        self.id.binary_search(&sphere).map_or(sphere, |place| self.grain[place])
    }

    /// The middle of the spheres of a grain \[m\].
    pub fn center_of(&self, grain: u32) -> Option<DVec3> {
        self.center.get(&grain).copied()
    }

    /// A way in periodic space, the shortest.
    fn nearest(&self, mut way: DVec3) -> DVec3 {
        if let Some(side) = self.period {
            way.x -= side * (way.x / side).round();
            way.z -= side * (way.z / side).round();
        }
        way
    }

    /// From the centre of grain `b` to that of grain `a` \[m\].
    pub fn way(&self, a: u32, b: u32) -> Option<DVec3> {
        Some(self.nearest(*self.center.get(&a)? - *self.center.get(&b)?))
    }

    /// The same, of length 1.
    fn direction(&self, a: u32, b: u32) -> Option<DVec3> {
        self.way(a, b)?.try_normalize()
    }
}

/// Forces between spheres, or between grains.
pub fn pressed(bed: &Bed, belonging: &Belonging, level: Level) -> Vec<Pressed> {
    let angle = |normal: DVec3| normal.y.abs().min(1.0).acos().to_degrees();
    let contacts = bed.contacts.iter().filter_map(|contact| Some((contact, contact.partner.as_particle()?)));
    if level == Level::Spheres {
        let pressing = contacts.filter(|(contact, _)| contact.normal_force > 0.0);
        return pressing
            .map(|(contact, _)| Pressed {
                place: contact.point.as_dvec3() / D,
                normal: f64::from(contact.normal_force),
                tangential: f64::from(contact.tangential_force.length()),
                angle: angle(contact.normal.as_dvec3()),
            })
            .collect();
    }
    // The force on the grain with the lower number, and a place where the two touch.
    let mut sums: BTreeMap<[u32; 2], (DVec3, DVec3)> = BTreeMap::new();
    for (contact, partner) in contacts {
        let [own, other] = [belonging.grain(contact.particle), belonging.grain(partner)];
        let sign = if own < other { 1.0 } else { -1.0 };
        let sum =
            sums.entry([own.min(other), own.max(other)]).or_insert((DVec3::ZERO, contact.point.as_dvec3()));
        sum.0 += sign * contact.force().as_dvec3();
    }
    let of_pair = |([a, b], (force, place)): ([u32; 2], (DVec3, DVec3))| {
        let direction = belonging.direction(a, b)?;
        let normal = force.dot(direction);
        let tangential = (force - normal * direction).length();
        (normal > 0.0).then(|| Pressed { place: place / D, normal, tangential, angle: angle(direction) })
    };
    sums.into_iter().filter_map(of_pair).collect()
}

/// Mean of tangential forces over that of normal ones, from pairs of both.
pub fn mobilized(forces: impl Iterator<Item = [f64; 2]>) -> f64 {
    let [across, along] = forces.fold([0.0; 2], |[t, n], force| [t + force[0], n + force[1]]);
    across / along
}

/// Forces in the middle of a bed, over the means of their depths.
pub struct Forces {
    /// Where they act \[d\].
    pub place: Vec<DVec3>,
    pub normal: Vec<f64>,
    /// Over the mean tangential force.
    pub tangential: Vec<f64>,
    /// Mean tangential force over the mean normal one, of single contacts: Coulomb's law bounds it by the friction.
    pub mobilized: Option<f64>,
    /// Angle of the normal to the vertical \[degrees\], 0 to 90.
    pub angle: Vec<f64>,
    /// Side of the periodic cell \[d\].
    period: Option<f64>,
}

impl Forces {
    /// Reads all contacts of a vessel.
    ///
    /// # Errors
    /// The device has failed.
    pub fn of(simulation: &mut Run, vessel: &Vessel, level: Level) -> Result<Self, SimulationError> {
        let bed = Bed::of(simulation)?;
        let belonging = Belonging::of(simulation, &bed, vessel.period().map(|side| side * D))?;
        let layers = Layers::of(&bed, vessel);
        let mut by_layer = vec![Vec::new(); layers.count as usize];
        for pressed in pressed(&bed, &belonging, level) {
            if let Some(layer) = layers.of_place(pressed.place) {
                by_layer[layer].push(pressed);
            }
        }
        let all = by_layer.iter().flatten().map(|force| [force.tangential, force.normal]);
        let mut forces = Self {
            place: Vec::new(),
            normal: Vec::new(),
            tangential: Vec::new(),
            mobilized: (level == Level::Spheres).then(|| mobilized(all)),
            angle: Vec::new(),
            period: vessel.period(),
        };
        for layer in by_layer {
            let part = |value: fn(&Pressed) -> f64| layer.iter().map(value).collect::<Vec<f64>>();
            forces.normal.extend(normalized(&part(|force| force.normal)));
            forces.tangential.extend(normalized(&part(|force| force.tangential)));
            forces.angle.extend(part(|force| force.angle));
            forces.place.extend(layer.iter().map(|force| force.place));
        }
        Ok(forces)
    }

    /// Mean product of forces by distance, over the square of their mean (r \[d\], F).
    ///
    /// ```text
    /// F(r) = <f_i f_j>/<f>^2      over pairs of contacts r apart
    /// ```
    pub fn correlation(&self) -> Vec<[f64; 2]> {
        const WIDTH: f64 = 0.5;
        let reach = self.period.map_or(8.0, |side| 0.5 * side);
        let mut sums = vec![[0.0; 3]; (reach / WIDTH) as usize];
        self.for_each_pair_within(reach, |i, j, apart| {
            if let Some(sum) = sums.get_mut((apart / WIDTH) as usize) {
                let [f, g] = [self.normal[i], self.normal[j]];
                *sum = [sum[0] + f * g, sum[1] + 0.5 * (f + g), sum[2] + 1.0];
            }
        });
        // Over the mean of the same pairs: what is near the edge of a bed is in fewer of them.
        let bins = sums.iter().enumerate().filter(|(_, sum)| sum[2] > 0.0);
        bins.map(|(k, [product, force, count])| {
            [(k as f64 + 0.5) * WIDTH, product / count / (force / count).powi(2)]
        })
        .collect()
    }

    /// Every pair of contacts that may be less than a distance \[d\] apart, once, with how far apart it is: contacts are looked up by
    /// cells of that side. A periodic cell is two such distances wide, so along its periods everything is near.
    fn for_each_pair_within(&self, reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (i, x) in self.place.iter().enumerate() {
            let mut cell = (*x / reach).floor().as_i64vec3().to_array();
            if self.period.is_some() {
                (cell[0], cell[2]) = (0, 0);
            }
            cells.entry(cell).or_default().push(i);
        }
        for (cell, members) in &cells {
            for (k, &i) in members.iter().enumerate() {
                members[k + 1..].iter().for_each(|&j| visit(i, j, self.apart(i, j)));
            }
            let others = LATER_NEIGHBORS.map(|way| std::array::from_fn(|axis| cell[axis] + way[axis]));
            for &j in others.iter().filter_map(|other| cells.get(other)).flatten() {
                members.iter().for_each(|&i| visit(i, j, self.apart(i, j)));
            }
        }
    }

    /// Distance of two contacts \[d\].
    fn apart(&self, i: usize, j: usize) -> f64 {
        let mut way = self.place[j] - self.place[i];
        if let Some(side) = self.period {
            way.x -= side * (way.x / side).round();
            way.z -= side * (way.z / side).round();
        }
        way.length()
    }

    /// Angles of contacts with more than twice the mean force \[degrees\].
    pub fn strong_angles(&self) -> Vec<f64> {
        let pairs = self.angle.iter().zip(&self.normal);
        pairs.filter(|(_, force)| **force > 2.0).map(|(angle, _)| *angle).collect()
    }
}

/// Ways from a cell to the half of its neighbours that comes after it, so that every pair of cells is met once.
const LATER_NEIGHBORS: [[i64; 3]; 13] = [
    [0, 0, 1],
    [0, 1, -1],
    [0, 1, 0],
    [0, 1, 1],
    [1, -1, -1],
    [1, -1, 0],
    [1, -1, 1],
    [1, 0, -1],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, -1],
    [1, 1, 0],
    [1, 1, 1],
];

/// Layers of a bed away from walls, base and surface.
pub struct Layers {
    low: f64,
    high: f64,
    /// Number of layers.
    pub count: f64,
    /// Distance from the axis within which forces count \[d\].
    reach: f64,
}

impl Layers {
    /// Those of a bed in a vessel.
    pub fn of(bed: &Bed, vessel: &Vessel) -> Self {
        let (low, high) = (MARGIN, bed.height(LOOSE) / D - MARGIN);
        let reach = match vessel.container {
            Container::Periodic(_) => f64::INFINITY,
            Container::Cylinder(radius) => radius - MARGIN,
        };
        Self { low, high, count: ((high - low) / LAYER).floor().max(1.0), reach }
    }

    /// The layer of a place \[d\], if it has one.
    pub fn of_place(&self, x: DVec3) -> Option<usize> {
        let inside = x.x.hypot(x.z) < self.reach && x.y > self.low && x.y < self.high;
        inside.then(|| ((x.y - self.low) / (self.high - self.low) * self.count) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{Contact, Partner};
    use glam::Vec3;

    /// Two grains of two spheres, one above the other, that touch twice: once listed by the lower grain, once by the upper, with a
    /// sideways force.
    /// Contacts at random, all with the same force.
    fn scattered(period: Option<f64>) -> Forces {
        let mut random = crate::random::Random::new(7);
        let mut along = |side: f64| 0.5 * side * f64::from(random.signed());
        let place: Vec<DVec3> = (0..400).map(|_| DVec3::new(along(9.0), along(30.0), along(9.0))).collect();
        let ones = vec![1.0; place.len()];
        Forces { normal: ones.clone(), tangential: ones.clone(), angle: ones, mobilized: None, place, period }
    }

    #[test]
    fn every_near_pair_of_contacts_is_met_once() {
        for (period, reach) in [(None, 3.0), (Some(9.0), 4.5)] {
            let forces = scattered(period);
            let mut met = Vec::new();
            forces.for_each_pair_within(reach, |i, j, apart| {
                if apart < reach {
                    met.push([i.min(j), i.max(j)]);
                }
            });
            met.sort_unstable();
            let all = (0..400).flat_map(|i| (i + 1..400).map(move |j| [i, j]));
            let near: Vec<[usize; 2]> = all.filter(|&[i, j]| forces.apart(i, j) < reach).collect();
            assert!(near.len() > 1000);
            assert_eq!(met, near, "period {period:?}");
        }
    }

    #[test]
    fn contacts_of_two_grains_are_one_force() {
        let contact = |particle: u32, partner: u32, up: f32, tangential: f32| Contact {
            particle,
            partner: Partner::particle(partner),
            center: Vec3::ZERO,
            branch: up * Vec3::Y,
            point: 0.5 * Vec3::Y,
            normal: -up * Vec3::Y,
            normal_force: 2.0,
            tangential_force: tangential * Vec3::X,
            overlap: 1e-3,
        };
        let center = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
        let bed = Bed {
            center: center.to_vec(),
            radius: vec![0.5; 4],
            id: vec![0, 1, 2, 3],
            contacts: vec![contact(0, 1, 1.0, 0.0), contact(2, 3, -1.0, 3.0)],
        };
        let middle = |a: usize, b: usize| 0.5 * (center[a] + center[b]);
        let belonging = Belonging {
            id: bed.id.clone(),
            grain: vec![0, 1, 1, 0],
            center: BTreeMap::from([(0, middle(0, 3)), (1, middle(1, 2))]),
            period: None,
        };
        assert_eq!(pressed(&bed, &belonging, Level::Spheres).len(), 2);
        let grains = pressed(&bed, &belonging, Level::Grains);
        assert_eq!(grains.len(), 1);
        assert!((grains[0].normal - 4.0).abs() < 1e-12 && (grains[0].tangential - 3.0).abs() < 1e-12);
        assert!(grains[0].angle.abs() < 1e-6);
    }
}
