//! Motion against the analytic top, conservation, and the table through everything that happens to particles.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::{DMat3, DQuat};
use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// An assembly of moments of inertia [kg m2] whose principal axes are turned in the frame of its shape.
fn top(inertia: DVec3, angular_velocity: DVec3) -> Assembly {
    let turned = DMat3::from_quat(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize());
    let tensor = turned * DMat3::from_diagonal(inertia) * turned.transpose();
    let properties = MassProperties::new(2.0, DVec3::ZERO, tensor).unwrap();
    // With this orientation the principal axes are those of the world.
    let orientation = properties.shape_from_principal.conjugate();
    let mut top = Assembly {
        id: 0,
        position: ExactPosition::new(Vec3::new(10.0, -3.0, 7.0)).unwrap(),
        orientation,
        momentum: DVec3::new(1.0, -2.0, 0.5),
        angular_momentum: DVec3::ZERO,
        properties,
    };
    // Moments may come in another order than they were given.
    let ranked = |moments: DVec3| {
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| moments[*a].total_cmp(&moments[*b]));
        order
    };
    let mut spin = DVec3::ZERO;
    for (given, found) in ranked(inertia).into_iter().zip(ranked(properties.inertia)) {
        spin[found] = angular_velocity[given];
    }
    top.set_angular_velocity(spin);
    top
}

/// Angular velocity about the principal axis whose moment is the `rank`-th smallest [rad/s].
fn spin_about(top: &Assembly, rank: usize) -> f64 {
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| top.properties.inertia[*a].total_cmp(&top.properties.inertia[*b]));
    let axes = top.orientation * top.properties.shape_from_principal;
    (axes.conjugate() * top.angular_velocity())[order[rank]]
}

/// The axis of a symmetric top goes round the angular momentum at the rate L/I_1 (Landau, Lifshitz: Mechanics, section 33).
#[test]
fn a_symmetric_top_precesses_at_the_analytic_rate() {
    let mut top = top(DVec3::new(1.0, 1.0, 1.7), DVec3::new(0.6, 0.0, 2.0));
    let momentum = top.angular_momentum;
    let about = momentum.normalize();
    let across = about.any_orthonormal_vector();
    let other = about.cross(across);
    let symmetry = (0..3).find(|&k| top.properties.inertia[k] > 1.5).unwrap();
    let azimuth = |top: &Assembly| {
        let axis = top.orientation * top.properties.shape_from_principal * DVec3::AXES[symmetry];
        f64::atan2(axis.dot(other), axis.dot(across))
    };
    let (dt, steps) = (0.01, 2000);
    let (mut turned, mut last) = (0.0, azimuth(&top));
    for _ in 0..steps {
        top.drift(dt);
        let now = azimuth(&top);
        turned += (now - last + PI).rem_euclid(2.0 * PI) - PI;
        last = now;
    }
    let rate = turned / (dt * f64::from(steps));
    assert!((rate / momentum.length() - 1.0).abs() < 1e-4, "{rate} instead of {}", momentum.length());
}

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
fn elliptic_k(k_squared: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k_squared).sqrt());
    while (a - b).abs() > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

/// A body that spins about its intermediate axis turns over again and again: omega_2 ~ sn, with zeros every 2K in
/// t sqrt((I_3 - I_2)(L^2 - 2 E I_1)/(I_1 I_2 I_3)) (Landau, Lifshitz: Mechanics, section 37), while L and E stay.
#[test]
fn the_intermediate_axis_turns_over_in_the_analytic_time() {
    let [i1, i2, i3] = [1.0, 2.0, 2.8];
    let mut top = top(DVec3::new(i1, i2, i3), DVec3::new(1e-3, 3.0, 2e-3));
    let (momentum, energy) = (top.angular_momentum, top.kinetic_energy());
    let l = momentum.length_squared();
    let rotation = energy - 0.5 * top.momentum.length_squared() / top.properties.mass;
    assert!(l > 2.0 * rotation * i2, "the case of the formula");
    let rate = ((i3 - i2) * (l - 2.0 * rotation * i1) / (i1 * i2 * i3)).sqrt();
    let k_squared = (i2 - i1) * (2.0 * rotation * i3 - l) / ((i3 - i2) * (l - 2.0 * rotation * i1));
    let between = 2.0 * elliptic_k(k_squared) / rate;
    let dt = 1e-3;
    let (mut flips, mut last) = (Vec::new(), spin_about(&top, 1));
    for step in 0..100_000 {
        top.drift(dt);
        let now = spin_about(&top, 1);
        if now * last < 0.0 {
            flips.push(dt * (f64::from(step) + last / (last - now)));
        }
        last = now;
        assert!((top.kinetic_energy() / energy - 1.0).abs() < 1e-6, "{}", top.kinetic_energy());
    }
    assert!(flips.len() >= 8, "{flips:?}");
    for pair in flips.windows(2) {
        assert!(
            ((pair[1] - pair[0]) / between - 1.0).abs() < 1e-4,
            "{} instead of {between}",
            pair[1] - pair[0]
        );
    }
    assert_eq!(top.angular_momentum, momentum, "to the bit");
}

/// Coarse steps (a tenth of a radian): the energy of an asymmetric top swings, but does not drift over 100,000 of them.
#[test]
fn a_free_top_keeps_momenta_to_the_bit_and_its_energy_bounded() {
    let mut top = top(DVec3::new(1.0, 1.6, 2.3), DVec3::new(0.7, -0.5, 0.4));
    let (start, energy) = (top, top.kinetic_energy());
    let swing = |top: &mut Assembly, steps: usize| {
        (0..steps).fold(0.0_f64, |most, _| {
            top.drift(0.1);
            most.max((top.kinetic_energy() / energy - 1.0).abs())
        })
    };
    let first = swing(&mut top, 10_000);
    swing(&mut top, 80_000);
    let last = swing(&mut top, 10_000);
    assert!(first < 1e-3 && first > 1e-7, "{first}");
    assert!(last < 1.01 * first, "the swing grows from {first} to {last}");
    assert_eq!((top.momentum, top.angular_momentum), (start.momentum, start.angular_momentum));
    assert!((top.orientation.length() - 1.0).abs() < 1e-14);
}

/// The scheme is reversible: with the momenta turned round it goes back to where it came from.
#[test]
fn a_drift_back_in_time_undoes_a_drift() {
    let start = top(DVec3::new(1.0, 1.6, 2.3), DVec3::new(0.7, -0.5, 0.4));
    let mut top = start;
    (0..100).for_each(|_| _ = top.drift(0.05));
    (0..100).for_each(|_| _ = top.drift(-0.05));
    let back = top.orientation.angle_between(start.orientation);
    assert!(
        back < 1e-6 && (top.position.to_meters() - start.position.to_meters()).length() < 1e-12,
        "{back}"
    );
}

#[test]
fn what_rests_stays() {
    let mut top = top(DVec3::new(1.0, 1.6, 2.3), DVec3::ZERO);
    top.momentum = DVec3::ZERO;
    let start = top;
    (0..1000).for_each(|_| _ = top.drift(0.01));
    assert_eq!(top.position, start.position);
    assert!((top.orientation - start.orientation).length() < 1e-12, "{}", top.orientation);
    assert_eq!(top.kinetic_energy(), 0.0);
}

/// Under a constant torque about a principal axis the angle is T t^2/(2 I), and the angular velocity in the middle of a
/// step is exact.
#[test]
fn a_constant_torque_turns_with_the_square_of_time() {
    let mut top = top(DVec3::new(1.0, 1.0, 1.7), DVec3::ZERO);
    let axes = top.orientation * top.properties.shape_from_principal;
    let symmetry = (0..3).find(|&k| top.properties.inertia[k] > 1.5).unwrap();
    let axis = axes * DVec3::AXES[symmetry];
    let load = Load { force: DVec3::new(3.0, 0.0, 0.0), torque: 0.2 * axis };
    let (start, dt) = (top, 0.01);
    for step in 0..100 {
        top.kick(&load, 0.5 * dt);
        let (middle, _) = top.drift(dt);
        let wanted = 0.2 / 1.7 * (f64::from(step) + 0.5) * dt;
        assert!((middle.dot(axis) - wanted).abs() < 1e-12, "{middle} instead of {wanted}");
        top.kick(&load, 0.5 * dt);
    }
    let angle = top.orientation.angle_between(start.orientation);
    assert!((angle - 0.2 / (2.0 * 1.7)).abs() < 1e-9, "{angle}");
    // x = v t + F/m t^2/2
    let moved = top.position.to_meters() - start.position.to_meters();
    let wanted = start.velocity() + DVec3::X * 3.0 / 2.0 / 2.0;
    assert!((moved - wanted).length() < 1e-10, "{moved} instead of {wanted}");
}

/// A rod of three touching spheres.
fn rod(at: DVec3) -> NewAssembly {
    let spheres: Vec<Sphere> =
        [-0.02_f32, 0.0, 0.02].map(|x| Sphere { center: Vec3::new(x, 0.1, 0.0), radius: 0.01 }).to_vec();
    NewAssembly {
        position: ExactPosition::from_meters(at).unwrap(),
        orientation: DQuat::from_rotation_z(0.5 * PI),
        velocity: DVec3::new(0.0, 0.0, 1.0),
        angular_velocity: DVec3::new(0.0, 0.0, 3.0),
        properties: MassProperties::of_separate_spheres(2500.0, &spheres).unwrap(),
        spheres,
    }
}

#[test]
fn members_move_with_their_assembly_and_load_it() {
    let mut all = Assemblies::default();
    all.grow(2);
    all.push(&rod(DVec3::splat(10.0)), &[2, 3, 4], 2);
    let mut position = vec![ExactPosition::default(); 5];
    let (mut velocity, mut turning) = (vec![Vec4::ZERO; 5], vec![Vec4::W; 5]);
    assert!(all.place_members(Rates::Now, &mut position, &mut velocity, &mut turning));
    assert_eq!(position[..2], [ExactPosition::default(); 2], "single particles are left alone");
    // Turned by a right angle, the first sphere is at -0.02 m along y and moves along x by 3 rad/s * 0.02 m.
    let first = position[2].to_meters() - DVec3::splat(10.0);
    assert!((first - DVec3::new(0.0, -0.02, 0.0)).length() < 1e-9, "{first}");
    assert!((velocity[2] - Vec4::new(0.06, 0.0, 1.0, 0.0)).length() < 1e-6, "{}", velocity[2]);
    assert!((turning[4] - Vec4::new(0.0, 0.0, 3.0, 1.0)).length() < 1e-6, "the fourth number stays");
    // Two opposite forces at the ends are a torque alone; a member's own torque adds to it.
    let mut force = vec![Vec4::ZERO; 5];
    (force[0], force[2], force[4]) = (Vec4::splat(9.0), Vec4::X, -Vec4::X);
    let mut torque = vec![Vec4::ZERO; 5];
    torque[3] = Vec4::new(0.0, 0.0, 0.5, 7.0);
    let load = all.gather(&force, &torque)[0];
    assert_eq!(load.force, DVec3::ZERO);
    assert!((load.torque - DVec3::new(0.0, 0.0, 0.54)).length() < 1e-8, "{}", load.torque);
    assert!(all.same_assembly(2, 4) && !all.same_assembly(0, 2) && !all.same_assembly(0, 1));
}

/// Momenta of a thousand clumps that push each other in pairs stay what they were, whatever the number of threads.
#[test]
fn loads_are_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let team = crate::team::Team::new(threads).unwrap();
        team.install(|| {
            let mut all = Assemblies::default();
            for k in 0..1000 {
                all.push(
                    &rod(DVec3::new(f64::from(k), 0.0, 0.0)),
                    &[3 * k, 3 * k + 1, 3 * k + 2],
                    3 * k as usize,
                );
            }
            let mut random = Random::new(4);
            let mut vector = || Vec3::new(random.signed(), random.signed(), random.signed()).extend(0.0);
            let before: DVec3 = all.all().iter().map(|one| one.momentum).sum();
            for _ in 0..20 {
                let half: Vec<Vec4> = (0..1500).map(|_| vector()).collect();
                let force: Vec<Vec4> = half.iter().flat_map(|f| [*f, -*f]).collect();
                let loads = all.gather(&force, &vec![Vec4::ZERO; 3000]);
                all.kick(&loads, 1e-3);
                assert!(all.drift(1e-3).is_empty());
            }
            let after: DVec3 = all.all().iter().map(|one| one.momentum).sum();
            assert!((after - before).length() < 1e-12, "{before} {after}");
            let mut hash = Fnv::default();
            all.hash_into(&mut hash);
            hash.finish()
        })
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn lost_assemblies_are_named() {
    let mut all = Assemblies::default();
    all.push(&rod(DVec3::ZERO), &[0, 1, 2], 0);
    all.push(&rod(DVec3::ZERO), &[3, 4, 5], 3);
    all.push(&rod(DVec3::splat(32_000.0)), &[6, 7, 8], 6);
    all.get_mut(0).unwrap().angular_momentum.x = f64::NAN;
    all.get_mut(2).unwrap().momentum.y = 1e9;
    assert_eq!(all.drift(0.01), [0, 2]);
}

#[test]
fn impossible_checkpoints_are_refused() {
    let mut all = Assemblies::default();
    all.push(&rod(DVec3::ZERO), &[0, 1, 2], 0);
    all.push(&rod(DVec3::X), &[3, 4, 5], 3);
    let good = all.save();
    let ids = [5, 4, 3, 2, 1, 0];
    let refused = |change: &dyn Fn(&mut SavedAssemblies)| {
        let mut saved = good.clone();
        change(&mut saved);
        Assemblies::restore(saved, &ids).map(|_| ())
    };
    assert_eq!(refused(&|_| {}), Ok(()));
    assert_eq!(refused(&|saved| saved.member[0].particle = 9), Err(AssembliesError::Particles));
    assert_eq!(refused(&|saved| saved.member[0].particle = 4), Err(AssembliesError::Particles));
    assert_eq!(refused(&|saved| saved.member_count[0] = 2), Err(AssembliesError::Contradiction));
    assert_eq!(refused(&|saved| saved.assembly[1].id = 0), Err(AssembliesError::Contradiction));
    assert_eq!(refused(&|saved| saved.next_id = 1), Err(AssembliesError::Contradiction));
    assert_eq!(refused(&|saved| saved.member[2].radius = -1.0), Err(AssembliesError::Contradiction));
    assert_eq!(refused(&|saved| saved.assembly[0].momentum.x = f64::NAN), Err(AssembliesError::Unsound(0)));
    assert_eq!(refused(&|saved| saved.assembly[1].orientation.w += 0.1), Err(AssembliesError::Unsound(1)));
    assert_eq!(
        refused(&|saved| saved.assembly[1].properties.inertia.y = 0.0),
        Err(AssembliesError::Unsound(1))
    );
}

/// Particles and assemblies side by side, and what is known of them by id.
#[derive(Default)]
struct Model {
    all: Assemblies,
    /// Ids of the particles in their order.
    particle: Vec<u32>,
    next_particle: u32,
    /// Assembly of every particle that has one, by id.
    owner: BTreeMap<u32, u32>,
}

impl Model {
    fn add(&mut self, singles: usize, rods: usize) {
        for _ in 0..singles {
            self.particle.push(self.next_particle);
            self.next_particle += 1;
        }
        self.all.grow(self.particle.len());
        for _ in 0..rods {
            let first = self.particle.len();
            let ids = [0, 1, 2].map(|k| self.next_particle + k);
            self.next_particle += 3;
            self.particle.extend(ids);
            let id = self.all.push(&rod(DVec3::X * f64::from(ids[0])), &ids, first);
            self.owner.extend(ids.map(|particle| (particle, id)));
        }
    }

    fn shuffle(&mut self, random: &mut Random) {
        let mut sources: Vec<u32> = (0..self.particle.len() as u32).collect();
        for k in (1..sources.len()).rev() {
            sources.swap(k, (random.bits() % (k as u64 + 1)) as usize);
        }
        self.particle = sources.iter().map(|&k| self.particle[k as usize]).collect();
        self.all.permute(&sources);
    }

    fn remove(&mut self, random: &mut Random) {
        let mut keep: Vec<bool> = self.particle.iter().map(|_| random.unit() > 0.1).collect();
        let lost = self.particle.iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(id, _)| *id);
        let gone: Vec<u32> = lost.filter_map(|id| self.owner.get(&id).copied()).collect();
        let mut distinct = gone.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(self.all.retain(&mut keep), distinct.len());
        for (id, keep) in self.particle.iter().zip(&keep) {
            let owner_gone = self.owner.get(id).is_some_and(|owner| gone.contains(owner));
            assert!(!owner_gone || !keep, "a member stays behind");
        }
        self.owner.retain(|_, owner| !gone.contains(owner));
        let mut kept = keep.iter();
        self.particle.retain(|_| *kept.next().unwrap());
    }

    fn check(&self) {
        let owner = |place: usize| self.all.assembly_of(place).map(|k| self.all.all()[k].id);
        for (place, id) in self.particle.iter().enumerate() {
            assert_eq!(owner(place), self.owner.get(id).copied(), "particle {id}");
            let j = (place * 7 + 3) % self.particle.len();
            let same = owner(place).is_some() && owner(place) == owner(j);
            assert_eq!(self.all.same_assembly(place, j), same);
        }
        for k in 0..self.all.len() {
            let ids = self.all.members(k).iter().map(|member| member.particle);
            assert!(ids.eq(self.all.places(k).iter().map(|&place| self.particle[place as usize])));
            let first = self.all.members(k)[0].particle;
            assert!(
                self.all.members(k).iter().map(|member| member.particle).eq(first..first + 3),
                "their order"
            );
            assert!((self.all.all()[k].position.to_meters().x - f64::from(first)).abs() < 1e-9, "their pose");
        }
    }
}

proptest! {
    /// Whatever happens to the particles, every assembly has its own members, and a checkpoint brings them back.
    #[test]
    fn the_table_follows_the_particles(seed: u64, ops in proptest::collection::vec(0..4_u8, 1..24)) {
        let (mut model, mut random) = (Model::default(), Random::new(seed));
        model.add(5, 4);
        for op in ops {
            match op {
                0 => model.add((random.bits() % 3) as usize, (random.bits() % 4) as usize),
                1 => model.shuffle(&mut random),
                2 => model.remove(&mut random),
                _ => {
                    let hash = |all: &Assemblies| { let mut hash = Fnv::default(); all.hash_into(&mut hash); hash.finish() };
                    let before = hash(&model.all);
                    let bytes = postcard::to_stdvec(&model.all.save()).unwrap();
                    let saved = postcard::from_bytes(&bytes).unwrap();
                    model.all = Assemblies::restore(saved, &model.particle).unwrap();
                    prop_assert_eq!(hash(&model.all), before);
                }
            }
            model.check();
        }
    }
}

/// Eight side by side, and seven with one repeated: the same bits as one by one, for small turns and large.
#[test]
fn eight_move_as_one_by_one() {
    let mut random = Random::new(7);
    let mut number = |scale: f64| scale * (2.0 * f64::from(random.unit()) - 1.0);
    for count in [EIGHT, EIGHT - 1] {
        let mut vector = |scale: f64| DVec3::new(number(scale), number(scale), number(scale));
        let mut all: Vec<Assembly> = (0..count)
            .map(|k| {
                let inertia = DVec3::new(1.0, 1.5, 2.0) + 0.2 * vector(1.0);
                // One of them turns by more than the series holds for.
                top(inertia, vector(if k == 3 { 40.0 } else { 0.5 }))
            })
            .collect();
        let mut single = all.clone();
        let loads: Vec<Load> = all.iter().map(|_| Load { force: vector(3.0), torque: vector(2.0) }).collect();
        let columns = |part: &dyn Fn(&Load) -> DVec3| {
            [0, 1, 2].map(|axis| Eight::of(|lane| part(&loads[lane.min(count - 1)])[axis]))
        };
        let eight = Loads { force: columns(&|load| load.force), torque: columns(&|load| load.torque) };
        let (dt, mut group) = (0.01, Group::new(&all));
        group.kick(&eight, [0.0; 3], dt);
        let energy = group.kinetic_energy();
        let middle = group.turn(dt);
        group.store(&mut all);
        for (lane, (one, load)) in single.iter_mut().zip(&loads).enumerate() {
            one.kick(load, dt);
            assert_eq!(one.kinetic_energy(), energy.0[lane]);
            let (spin, _) = one.drift(dt);
            assert_eq!(spin.to_array(), [0, 1, 2].map(|axis| middle[axis].0[lane]), "lane {lane}");
            assert_eq!(all[lane].orientation, one.orientation);
            assert_eq!(all[lane].momentum, one.momentum);
            assert_eq!(all[lane].angular_momentum, one.angular_momentum);
            assert_eq!(group.angular_velocity().map(|axis| axis.0[lane]), one.angular_velocity().to_array());
        }
    }
}
