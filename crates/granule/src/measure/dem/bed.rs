//! Beds of spheres: until they rest, and what they are like then.

use glam::{DVec3, Quat, Vec3};

use crate::contacts::Contact;
use crate::measure::drive::{next_frame, read};
use crate::measure::run::Run;
use crate::simulation::{Simulation, SimulationError};
use crate::simulator::{Command, Snapshot};

use super::sand::{D, GRAVITY, grain_mass, meters, rows, time_scale};

/// When a bed is at rest.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// Kinetic energy per grain below which it rests [m g d].
    pub energy: f64,
    /// Times before which it is not looked at, and after which it is given up, both from now on [sqrt(d/g)].
    pub within: [f64; 2],
}

/// Advances until a bed rests; gives the kinetic energy per grain that is left [m g d]. `progress` hears the share of the
/// longest time that has passed.
///
/// # Errors
/// The device has failed.
pub fn settle(
    simulation: &mut Run,
    rest: Rest,
    progress: &mut dyn FnMut(f64),
) -> Result<f64, SimulationError> {
    let start = simulation.time();
    loop {
        let energy = next_frame(simulation)?.kinetic_energy;
        let energy = energy / (simulation.grain_count().max(1) as f64 * grain_mass() * GRAVITY * D);
        let passed = (simulation.time() - start) / time_scale();
        progress(passed / rest.within[1]);
        if passed >= rest.within[1] || (passed >= rest.within[0] && energy < rest.energy) {
            return Ok(energy);
        }
    }
}

/// Takes a wall away at once, far off in a direction.
pub fn take_away(simulation: &mut Run, wall: &str, direction: Vec3) {
    let command = Command::ToolPose {
        boundary: wall.into(),
        position: meters(1e4) * direction,
        rotation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
    };
    // The wall exists: the experiment's scene has it.
    let _ = simulation.apply(&command);
}

/// What is read of grains.
const FIELDS: &[&str] = &["id", "position", "radius"];

/// Grains of a bed as they are now; lengths in metres.
pub struct Bed {
    /// Centres.
    pub center: Vec<DVec3>,
    /// Radii.
    pub radius: Vec<f64>,
    /// Ids, in ascending order.
    pub id: Vec<u32>,
    /// Who touches what.
    pub contacts: Vec<Contact>,
}

impl Bed {
    /// Reads all grains and contacts.
    ///
    /// # Errors
    /// The device has failed.
    pub fn of(simulation: &mut Run) -> Result<Self, SimulationError> {
        let snapshot = read(simulation, FIELDS)?;
        Ok(Self { contacts: simulation.contacts(), ..Self::of_snapshot(&snapshot) })
    }

    /// Reads all grains, without their contacts, for what is [observed](Run::observe).
    ///
    /// # Errors
    /// The device has failed.
    pub fn of_grains(simulation: &mut Simulation) -> Result<Self, SimulationError> {
        let snapshot = simulation.read(FIELDS).map_err(|error| SimulationError::Failed(error.to_string()))?;
        Ok(Self::of_snapshot(&snapshot))
    }

    fn of_snapshot(snapshot: &Snapshot) -> Self {
        let radius = snapshot.scalar("radius").unwrap_or_default();
        Self {
            center: rows(snapshot, "position"),
            radius: radius.iter().map(|radius| f64::from(*radius)).collect(),
            id: snapshot.integer("id").unwrap_or_default().to_vec(),
            contacts: Vec::new(),
        }
    }

    /// Height below which all but a share of the centres lie \[m\].
    pub fn height(&self, share: f64) -> f64 {
        let mut heights: Vec<f64> = self.center.iter().map(|x| x.y).collect();
        heights.sort_by(f64::total_cmp);
        let last = heights.len().saturating_sub(1);
        heights.get(((1.0 - share) * last as f64) as usize).copied().unwrap_or(f64::NAN)
    }

    /// Share of the volume between two heights \[m\] over a ground \[m2\] that spheres fill.
    pub fn fraction(&self, [low, high]: [f64; 2], ground: f64) -> f64 {
        let spheres = self.center.iter().zip(&self.radius);
        let volume: f64 =
            spheres.map(|(x, r)| volume_below(high - x.y, *r) - volume_below(low - x.y, *r)).sum();
        volume / (ground * (high - low))
    }

    /// Pairs of grains that press on each other, as places in the columns.
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let place = |id: u32| self.id.binary_search(&id).ok();
        let pressing = self.contacts.iter().filter(|contact| contact.overlap > 0.0);
        pressing
            .filter_map(|contact| Some([place(contact.particle)?, place(contact.partner.as_particle()?)?]))
            .collect()
    }

    /// Mean number of contacts of the grains whose centres lie between two heights \[m\]; those with fewer than `least`
    /// bear nothing and are left out, and so are their contacts, until nobody has fewer. Walls count as grains.
    pub fn coordination(&self, [low, high]: [f64; 2], least: u32) -> f64 {
        let pairs = self.pairs();
        let mut at_walls = vec![0; self.center.len()];
        for contact in self.contacts.iter().filter(|contact| contact.partner.as_wall().is_some()) {
            if let Ok(i) = self.id.binary_search(&contact.particle) {
                at_walls[i] += 1;
            }
        }
        let mut bears = vec![true; self.center.len()];
        loop {
            let mut touching: Vec<u32> = at_walls.clone();
            for [i, j] in pairs.iter().filter(|[i, j]| bears[*i] && bears[*j]) {
                touching[*i] += 1;
                touching[*j] += 1;
            }
            let idle: Vec<usize> = (0..bears.len()).filter(|&i| bears[i] && touching[i] < least).collect();
            if idle.is_empty() {
                let inside = (0..bears.len()).filter(|&i| bears[i]);
                let inside = inside.filter(|&i| self.center[i].y >= low && self.center[i].y <= high);
                let (sum, count) = inside.fold((0, 0), |(sum, count), i| (sum + touching[i], count + 1));
                return f64::from(sum) / f64::from(count);
            }
            idle.into_iter().for_each(|i| bears[i] = false);
        }
    }
}

/// Volume of the part of a sphere of a radius that lies below a height over its centre.
///
/// ```text
/// V = pi/3 c^2 (3 r - c),   c = h + r, between 0 and 2 r
/// ```
pub fn volume_below(height: f64, radius: f64) -> f64 {
    let cap = (height + radius).clamp(0.0, 2.0 * radius);
    std::f64::consts::PI / 3.0 * cap * cap * (3.0 * radius - cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::Partner;

    /// A simple cubic lattice of touching unit spheres, 4 x 4 x 4, and a sphere on top that touches one.
    fn lattice() -> Bed {
        let mut center = Vec::new();
        for k in 0..64 {
            center.push(DVec3::new((k % 4) as f64, (k / 16) as f64, (k / 4 % 4) as f64));
        }
        center.push(DVec3::new(1.0, 4.0, 1.0));
        let mut contacts = Vec::new();
        for i in 0..center.len() {
            for j in i + 1..center.len() {
                if (center[i] - center[j]).length() < 1.01 {
                    contacts.push(contact(i as u32, j as u32));
                }
            }
        }
        Bed { radius: vec![0.5; center.len()], id: (0..center.len() as u32).collect(), center, contacts }
    }

    fn contact(particle: u32, partner: u32) -> Contact {
        Contact {
            particle,
            partner: Partner::particle(partner),
            center: Vec3::ZERO,
            branch: Vec3::ZERO,
            point: Vec3::ZERO,
            normal: Vec3::Y,
            normal_force: 1.0,
            tangential_force: Vec3::ZERO,
            overlap: 1e-3,
        }
    }

    #[test]
    fn a_lattice_fills_what_it_must() {
        let bed = lattice();
        let fraction = bed.fraction([0.3, 2.3], 16.0);
        assert!((fraction - std::f64::consts::PI / 6.0).abs() < 1e-12, "{fraction}");
        assert_eq!(bed.height(0.0), 4.0);
    }

    #[test]
    fn grains_that_bear_nothing_are_not_counted() {
        let bed = lattice();
        // The sphere on top has one contact, the corners three, those on edges four, on faces five and inside six.
        let all = bed.coordination([-1.0, 9.0], 1);
        assert!((all - 2.0 * (3.0 * 48.0 + 1.0) / 65.0).abs() < 1e-12, "{all}");
        let bearing = bed.coordination([-1.0, 9.0], 2);
        assert!((bearing - 2.0 * 3.0 * 48.0 / 64.0).abs() < 1e-12, "{bearing}");
        // Without its corners, edges lose contacts, and so on until the lattice is gone.
        assert!(bed.coordination([-1.0, 9.0], 4).is_nan());
    }

    #[test]
    fn spheres_are_cut_where_planes_cut_them() {
        assert_eq!(volume_below(-1.0, 1.0), 0.0);
        assert!((volume_below(0.0, 1.0) - 2.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
        assert!((volume_below(5.0, 1.0) - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
    }
}
