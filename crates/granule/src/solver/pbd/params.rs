//! Constants of a simulation, derived once from the scene.

use glam::{Vec3, Vec4};

use crate::grains::GrainShapes;
use crate::material::Material;
use crate::neighbors::Domain;
use crate::position::ExactDomain;
use crate::scene::{PbdScheme, Scene, YieldLaw};
use crate::simd::Instructions;
use crate::solver::Defect;
use crate::solver::dem::params;
use crate::solver::search::{Cutoff, SearchParams};

use super::bricks::SIDE;
use super::laws::LawTable;
use super::path::Path;

/// Longest step that keeps heaps and beds, over sqrt(d/g).
const STEP: f64 = 0.037;

/// Gravity that stands for none [m/s2].
const PLAIN_GRAVITY: f32 = 9.81;

/// Steps that lists are made for, at least and at most: a grain is listed along the way that it goes in so many.
const SKIN_STEPS: [f32; 2] = [2.0, 12.0];

/// Skins on average, in diameters of the smallest grain. What pairs cost grows with (1 + 2 s/d)^3 and lists hold for a time like s: a
/// step is cheapest where s = d/4.
const MEAN_SKIN: f32 = 0.25;

/// A grain's skin in diameters of the smallest, at least and at most.
const SKIN: [f32; 2] = [0.125, 0.625];

/// Share of its skin by which a grain may leave its way aside. Where all grains around are as fast as each other, ways along which they
/// follow each other mean 20 partners, and skins that are as wide in all directions 55, which is more than there are colours for.
const ASIDE: f32 = 0.3;

/// Ways that are shorter than this share of the least skin count as none.
const SHORTEST_WAY: f32 = 0.5;

/// The least where grains shield each other from the air: as far as two diameters, as in the continuum.
const SHIELDING_SKIN: f32 = 0.5;

/// Speed of the push over sqrt(g d).
const PUSH_SPEED: f32 = 1.1;

/// Impacts bounce that are faster than what gravity adds in so many steps.
const BOUNCE_STEPS: f32 = 4.0;

/// Constants that do not change within a frame.
pub struct Setup {
    /// Laws of contacts.
    pub laws: LawTable,
    /// Length of a step at most \[s\].
    pub step: f64,
    /// How often a step goes through all contacts.
    pub sweeps: u32,
    /// Whether grains turn.
    pub rotation: bool,
    /// How the other scheme averages, where that is asked for.
    pub averaging: Option<Averaging>,
    /// Diameter of the smallest grain that moves \[m\].
    pub diameter: f32,
    /// Side of a brick \[m\].
    pub brick: f32,
    /// Skin of grains that are at rest \[m\].
    least_skin: f32,
    /// Gravity that speeds are compared with [m/s2].
    pub gravity: f32,
    /// Materials as all solvers know them.
    pub materials: Vec<Material>,
    /// Space.
    pub domain: Domain,
    /// Space for exact positions.
    pub exact_domain: ExactDomain,
    /// What grains of several spheres are like; here, none.
    pub shapes: GrainShapes,
    /// Instructions of the CPU to use.
    pub instructions: Instructions,
    /// A deliberate fault.
    pub defect: Option<Defect>,
}

impl Setup {
    /// What a checked scene says.
    pub fn new(
        scene: &Scene,
        shapes: &GrainShapes,
        defect: Option<Defect>,
        instructions: Instructions,
    ) -> Self {
        let axes = scene.simulation.periodic.axes();
        let averaging = (scene.pbd.scheme == PbdScheme::Averaged).then(|| Averaging::of(scene));
        let needed =
            || averaging.map_or_else(|| needed_substeps(scene, shapes), |_| averaged_substeps(scene));
        let substeps = scene.pbd.substeps.unwrap_or_else(needed);
        let bounds = [scene.simulation.time_step, scene.simulation.max_time_step];
        let step = 1.0 / (scene.simulation.fps * f64::from(substeps));
        let (least, most) = radii(scene, shapes);
        let diameter = 2.0 * least as f32;
        let shielded = scene.air.as_ref().is_some_and(|air| air.occlusion);
        Self {
            laws: LawTable::new(scene),
            step: bounds.into_iter().flatten().fold(step, f64::min),
            sweeps: scene.pbd.sweeps,
            rotation: scene.pbd.rotation && averaging.is_none(),
            averaging,
            diameter,
            // Of the diameter in the middle, between thousands of small grains in a brick and loose pairs of all large ones.
            brick: SIDE * 2.0 * (least * most).sqrt() as f32,
            least_skin: diameter * if shielded { SHIELDING_SKIN } else { SKIN[0] },
            gravity: gravity(scene),
            materials: scene.material.iter().map(|m| Material::new(m, YieldLaw::Tan)).collect(),
            domain: Domain::new(axes),
            exact_domain: ExactDomain::new(axes).unwrap_or_default(),
            shapes: shapes.clone(),
            instructions,
            defect,
        }
    }

    /// How far a grain may go at most in a step of `dt` \[s\] that it begins at a speed [m/s], as far as gravity has a say \[m\].
    #[inline(always)]
    pub fn way(&self, speed: f32, dt: f32) -> f32 {
        (speed + self.gravity * dt) * dt
    }

    /// The largest skin that grains have on average \[m\].
    pub fn mean_skin(&self) -> f32 {
        MEAN_SKIN * self.diameter
    }

    /// Steps that lists are made for where grains go so far in a step on average \[m\]: the fewer, the more of them are fast.
    pub fn skin_steps(&self, mean_way: f32) -> f32 {
        (self.mean_skin() / mean_way).clamp(SKIN_STEPS[0], SKIN_STEPS[1])
    }

    /// The skin of a grain that goes so far in a step \[m\], where lists are made for n steps: how far it may go before they are made
    /// anew.
    ///
    /// ```text
    /// s = n way, d/8 at least (d/2 where grains shield each other from the air) and 0.625 d at most
    /// ```
    #[inline(always)]
    pub fn skin(&self, way: f32, steps: f32) -> f32 {
        (steps * way).clamp(self.least_skin, self.most_skin())
    }

    fn most_skin(&self) -> f32 {
        (SKIN[1] * self.diameter).max(self.least_skin)
    }

    /// The way along which a grain is listed that has a velocity [m/s], where lists are made for n steps.
    pub fn path(&self, velocity: Vec3, radius: f32, dt: f32, steps: f32) -> Path {
        let speed = velocity.length();
        let skin = self.skin(self.way(speed, dt), steps);
        let aside = (ASIDE * skin).max(self.least_skin).min(skin);
        let along = skin - aside;
        if along > SHORTEST_WAY * self.least_skin && speed > 0.0 {
            return Path { way: along / speed * velocity, radius: radius + aside };
        }
        Path { way: Vec3::ZERO, radius: radius + skin }
    }

    /// What share of its skin something has used up that has moved by `moved` since lists were made and goes by `way` in the next
    /// step \[m\]. Lists hold below 1, and always for one step.
    #[inline(always)]
    pub fn used(&self, moved: f32, way: f32, skin: f32) -> f32 {
        (moved + way.min(0.9 * skin)) / skin
    }

    /// The same of a grain with a velocity [m/s] that is listed along its way: how far it is aside, or will be.
    pub fn used_aside(&self, path: &Path, radius: f32, moved: Vec3, velocity: Vec3, dt: f32) -> f32 {
        let (skin, speed) = (path.radius - radius, velocity.length());
        if path.is_short() {
            return self.used(moved.length(), self.way(speed, dt), skin);
        }
        let next = (path.way.length() + 0.9 * skin).min(dt * speed) / speed.max(1e-20);
        let aside = path.aside(moved).max(path.aside(moved + next * velocity));
        (aside + self.way(0.0, dt)) / skin
    }

    /// How neighbours are searched.
    pub fn search_params(&self) -> SearchParams {
        SearchParams {
            domain: self.domain,
            cutoff: Cutoff::Reaches,
            skin: 0.0,
            instructions: self.instructions,
            all_rows: self.defect != Some(Defect::MissingNeighborRow),
        }
    }

    /// Fastest push of a pair with a diameter \[m\], per root of it.
    pub fn push_speed(&self) -> f32 {
        PUSH_SPEED * self.gravity.sqrt()
    }

    /// Slowest impact that bounces with steps of `dt` \[s\], as a velocity [m/s].
    pub fn bounce_speed(&self, gravity: Vec3, dt: f32) -> f32 {
        BOUNCE_STEPS * gravity.length() * dt
    }

    /// How far from a grain walls are listed \[m\] that may move by `of_wall` before lists are made anew \[m\]: the fourth number
    /// of the grain is how far it is listed itself \[m\]; and what rounding may hide.
    pub fn wall_reach(&self, grain: Vec4, of_wall: f32) -> f32 {
        grain.w + of_wall + 1e-6 * (grain.truncate().abs().max_element() + grain.w)
    }
}

/// How corrections are averaged; the keys of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Averaging {
    /// Passes that remove the overlap of a step's beginning.
    pub stabilization: u32,
    /// What means are multiplied with.
    pub over_relaxation: f32,
    /// Kinetic friction over static friction.
    pub kinetic_share: f32,
    /// How fast masses shrink with height, per diameter.
    pub mass_scaling: f32,
}

impl Averaging {
    fn of(scene: &Scene) -> Self {
        let s = &scene.pbd.averaged;
        Self {
            stabilization: s.stabilization,
            over_relaxation: s.over_relaxation as f32,
            kinetic_share: s.kinetic_share as f32,
            mass_scaling: s.mass_scaling as f32,
        }
    }
}

/// Steps per frame of the averaged scheme, of at most 5 ms.
fn averaged_substeps(scene: &Scene) -> u32 {
    const STEP: f64 = 0.005;
    (1.0 / (scene.simulation.fps * STEP) - 1e-6).ceil().max(1.0) as u32
}

/// Modulus of gravity, or what stands for none [m/s2].
fn gravity(scene: &Scene) -> f32 {
    let gravity = Vec3::from(scene.simulation.gravity).length();
    if gravity > 0.0 { gravity } else { PLAIN_GRAVITY }
}

/// Smallest and largest radius of grains and of particles of bodies that move \[m\].
pub fn radii(scene: &Scene, shapes: &GrainShapes) -> (f64, f64) {
    let of_bodies = scene.body.iter().filter_map(|body| scene.particle_radius_of(body)).map(f64::from);
    of_bodies
        .fold(params::radii(scene, shapes), |(least, most), radius| (least.min(radius), most.max(radius)))
}

/// Steps per frame that the smallest grain needs:
///
/// ```text
/// n = ceil(dt_frame/(0.037 sqrt(d/g)))
/// ```
pub fn needed_substeps(scene: &Scene, shapes: &GrainShapes) -> u32 {
    let diameter = 2.0 * radii(scene, shapes).0;
    let longest = STEP * (diameter / f64::from(gravity(scene))).sqrt();
    // A scene that asks for exactly as many is not to get one more by rounding.
    (1.0 / (scene.simulation.fps * longest) - 1e-6).ceil().max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        let scene = Scene::open("sandglass", true, &[]).unwrap();
        Setup::new(&scene, &GrainShapes::default(), None, Instructions::best())
    }

    /// Steps of what is looked at here \[s\].
    const DT: f32 = 1.0 / 360.0;

    /// Below 1 a grain is near its way after the next step; lists that were just made hold for that step however fast it is.
    #[test]
    fn lists_hold_until_a_grain_would_leave_its_skin_and_for_one_step_at_least() {
        let setup = setup();
        let radius = 0.5 * setup.diameter;
        for speed in [0.0, 0.01, 0.3, 2.0, 50.0] {
            let velocity = Vec3::new(0.6, -0.8, 0.0) * speed;
            let path = setup.path(velocity, radius, DT, 9.0);
            let used = |moved: Vec3, velocity: Vec3| setup.used_aside(&path, radius, moved, velocity, DT);
            assert!(used(Vec3::ZERO, velocity) < 1.0, "{speed} m/s");
            assert!(used(path.way, Vec3::ZERO) < 1.0, "{speed} m/s, at the end of its way");
            let aside = Vec3::new(0.8, 0.6, 0.0) * (path.radius - radius);
            for at in [0.0, 0.5, 1.0] {
                assert!(used(at * path.way + 1.001 * aside, Vec3::ZERO) >= 1.0, "{speed} m/s at {at}");
            }
            let fast = 0.95 / DT * aside;
            assert!(used(0.3 * path.way + 0.5 * aside, fast) >= 1.0, "{speed} m/s: it is about to leave");
        }
    }

    /// What is slow has the least skin, and what is faster never has a smaller one.
    #[test]
    fn skins_grow_with_speed_within_their_bounds() {
        let setup = setup();
        let skins = [0.0, 0.1, 0.5, 1.0, 3.0, 100.0].map(|speed| setup.skin(setup.way(speed, DT), 9.0));
        assert!(skins.windows(2).all(|pair| pair[0] <= pair[1]), "{skins:?}");
        assert_eq!([skins[0], skins[5]], SKIN.map(|share| share * setup.diameter));
        assert!(skins[1] < skins[3], "{skins:?}");
    }

    /// A way and how far a grain may leave it are its skin together; what is slow has no way.
    #[test]
    fn ways_are_a_part_of_skins() {
        let setup = setup();
        for speed in [0.0, 0.1, 0.5, 1.0, 100.0] {
            let path = setup.path(Vec3::Y * speed, 0.03, DT, 9.0);
            let skin = setup.skin(setup.way(speed, DT), 9.0);
            assert!((path.reach() - 0.03 - skin).abs() < 1e-6, "{speed} m/s: {path:?}");
            assert!(path.radius - 0.03 > 0.999 * setup.least_skin, "{speed} m/s: {path:?}");
        }
        assert!(setup.path(Vec3::Y * 0.01, 0.03, DT, 9.0).is_short());
        let long = setup.path(Vec3::NEG_Y * 3.0, 0.03, DT, 9.0);
        assert!(long.way.y < -2.0 * (long.radius - 0.03), "{long:?}");
    }

    /// The faster grains are on average, the smaller are the skins of each, so that these stay about the same on average.
    #[test]
    fn lists_are_made_for_fewer_steps_where_grains_are_fast() {
        let setup = setup();
        let steps = [0.0, 0.01, 0.05, 0.1, 1.0].map(|way| setup.skin_steps(way * setup.diameter));
        assert!(steps.windows(2).all(|pair| pair[0] >= pair[1]), "{steps:?}");
        assert_eq!([steps[0], steps[4]], [SKIN_STEPS[1], SKIN_STEPS[0]]);
        let mean = setup.skin(0.1 * setup.diameter, steps[3]);
        assert!((mean / setup.mean_skin() - 1.0).abs() < 1e-5, "{mean}");
    }
}
