//! The law of every pair of materials of a scene, and of every material and wall.

use super::contact::material::{
    Elasticity, damping_of_hertz, damping_of_hooke, effective_modulus, effective_shear_modulus,
};
use super::contact::normal::pull_off_distance;
use super::contact::{
    Capillary, Damping, Normal, NormalModel, PairLaw, Rolling, Scalar, Tangential, TangentialModel, Twisting,
};
use crate::grains::GrainShapes;
use crate::material::grain_mass;
use crate::scene::{MaterialSettings, NormalLaw, PairSettings, Scene, TangentialLaw};
use crate::solver::Defect;

/// Overlap over radius at which the default rolling spring is as stiff as friction. A choice: that of a soft bed some
/// hundred grains deep.
const ROLLING_OVERLAP: f64 = 1e-3;

/// Damping of default rolling and twisting springs over critical. A choice.
const RESISTANCE_DAMPING: f64 = 0.1;

/// Friction over normal stiffness of linear contacts: sticking and compression then swing alike (Schaefer, Dippel, Wolf
/// 1996).
const LINEAR_FRICTION_STIFFNESS: f64 = 2.0 / 7.0;

/// Numbers of a law that may differ from pair to pair.
pub const NUMBERS: usize = 15;

/// The laws of a scene.
#[derive(Clone, Debug)]
pub struct LawTable {
    materials: usize,
    /// Of materials i and j at `i * materials + j`.
    grains: Vec<PairLaw<f32>>,
    /// Of material m and wall w at `w * materials + m`.
    walls: Vec<PairLaw<f32>>,
    /// How far beyond touching contacts may last \[m\].
    pub reach: f32,
}

impl LawTable {
    /// The laws of a checked scene.
    pub fn new(scene: &Scene, shapes: &GrainShapes, defect: Option<Defect>) -> Self {
        let count = scene.material.len();
        let law = |a: usize, b: usize| with_defect(pair_law(scene, a, b), defect);
        let grains: Vec<PairLaw<f64>> = (0..count * count).map(|k| law(k / count, k % count)).collect();
        let of_wall = |material: &Option<String>, friction: Option<f32>, rolling: Option<f32>| {
            let wall = material.as_ref().and_then(|name| scene.material.iter().position(|m| m.name == *name));
            let mut laws: Vec<PairLaw<f64>> = (0..count).map(|m| law(m, wall.unwrap_or(m))).collect();
            if let Some(friction) = friction {
                laws.iter_mut().for_each(|law| law.tangential.friction = f64::from(friction));
            }
            if let Some(rolling) = rolling {
                let of_law = laws.iter_mut().filter_map(|law| law.rolling.as_mut());
                of_law.for_each(|law| law.friction = f64::from(rolling));
            }
            laws
        };
        let mut walls = Vec::new();
        for wall in &scene.boundary {
            walls.extend(of_wall(&wall.material, wall.friction, wall.rolling_friction));
        }
        for body in &scene.body {
            walls.extend(of_wall(&body.material, body.friction, body.rolling_friction));
        }
        let largest = super::params::radii(scene, shapes).1;
        let reach = grains.iter().chain(&walls).map(|law| reach(law, largest)).fold(0.0, f64::max);
        Self {
            materials: count,
            grains: grains.iter().map(PairLaw::cast).collect(),
            walls: walls.iter().map(PairLaw::cast).collect(),
            reach: reach as f32,
        }
    }

    /// The law of two materials.
    #[inline]
    pub fn of_grains(&self, a: u16, b: u16) -> &PairLaw<f32> {
        &self.grains[usize::from(a) * self.materials + usize::from(b)]
    }

    /// The law of a material at a wall.
    #[inline]
    pub fn of_wall(&self, boundary: usize, material: u16) -> &PairLaw<f32> {
        &self.walls[boundary * self.materials + usize::from(material)]
    }

    /// The law of all grains, where there is one material.
    pub fn only(&self) -> Option<&PairLaw<f32>> {
        (self.materials == 1).then(|| self.grains.first()).flatten()
    }

    /// The law of all grains, where the numbers of the first one stand for others.
    pub fn models(&self) -> &PairLaw<f32> {
        &self.grains[0]
    }

    /// The numbers of the law of two materials.
    #[inline]
    pub fn numbers(&self, a: u16, b: u16) -> [f32; NUMBERS] {
        numbers(self.of_grains(a, b))
    }
}

/// The numbers of a law, in the order that [`with_numbers`] takes them.
pub fn numbers(law: &PairLaw<f32>) -> [f32; NUMBERS] {
    let rolling = law.rolling.map_or([0.0; 3], |r| [r.stiffness, r.damping, r.friction]);
    let twisting = law.twisting.map_or([0.0; 3], |t| [t.stiffness, t.damping, t.friction]);
    let bridge = law.capillary.map_or([0.0; 3], |c| [c.volume, c.tension, c.rupture_distance]);
    let (n, t) = (&law.normal, &law.tangential);
    let first = [n.stiffness, n.surface_energy, n.damping_factor];
    let second = [t.stiffness, t.damping_ratio, t.friction];
    let all = [first, second, rolling, twisting, bridge];
    std::array::from_fn(|k| all[k / 3][k % 3])
}

/// A law with other numbers.
#[inline(always)]
pub fn with_numbers<F: Scalar>(law: &PairLaw<f32>, n: &[F; NUMBERS]) -> PairLaw<F> {
    PairLaw {
        normal: Normal {
            model: law.normal.model,
            stiffness: n[0],
            surface_energy: n[1],
            damping: law.normal.damping,
            damping_factor: n[2],
            limit_damping: law.normal.limit_damping,
        },
        tangential: Tangential {
            model: law.tangential.model,
            stiffness: n[3],
            damping_ratio: n[4],
            friction: n[5],
        },
        rolling: law.rolling.map(|_| Rolling { stiffness: n[6], damping: n[7], friction: n[8] }),
        twisting: law.twisting.map(|_| Twisting { stiffness: n[9], damping: n[10], friction: n[11] }),
        capillary: law.capillary.map(|_| Capillary {
            volume: n[12],
            tension: n[13],
            rupture_distance: n[14],
        }),
    }
}

/// How far beyond touching a contact may last \[m\]: necks of sticky grains, and liquid bridges.
fn reach(law: &PairLaw<f64>, largest_radius: f64) -> f64 {
    let bridge = law.capillary.map_or(0.0, |bridge| bridge.rupture_distance);
    pull_off_distance(&law.normal, largest_radius).max(bridge)
}

fn with_defect(mut law: PairLaw<f64>, defect: Option<Defect>) -> PairLaw<f64> {
    match defect {
        Some(Defect::UnscaledHistory) => law.tangential.model = TangentialModel::Mindlin,
        Some(Defect::DampingSign) => law.normal.damping_factor = -law.normal.damping_factor,
        _ => {}
    }
    law
}

/// Elastic constants of a material.
pub fn elasticity(material: &MaterialSettings) -> Elasticity {
    Elasticity { young: material.dem.young, poisson: material.dem.poisson }
}

fn friction(material: &MaterialSettings) -> f64 {
    let by_angle = || f64::from(material.friction_angle).to_radians().tan();
    material.dem.friction.unwrap_or_else(by_angle)
}

/// The law of two materials: elastic constants follow from both, everything else is the mean, or what a `[[pair]]` says.
pub fn pair_law(scene: &Scene, a: usize, b: usize) -> PairLaw<f64> {
    let (a, b) = (&scene.material[a], &scene.material[b]);
    let of_both = |pair: &&PairSettings| {
        let [first, second] = &pair.materials;
        (*first == a.name && *second == b.name) || (*first == b.name && *second == a.name)
    };
    let pair = scene.pair.iter().find(of_both);
    let given = |of: fn(&PairSettings) -> Option<f64>| pair.and_then(of);
    let mean = |of: fn(&MaterialSettings) -> f64| 0.5 * (of(a) + of(b));
    let restitution = given(|p| p.restitution).unwrap_or_else(|| mean(|m| m.dem.restitution));
    let law = Kinds { scene, a, b };
    PairLaw {
        normal: law.normal(
            restitution,
            given(|p| p.surface_energy).unwrap_or_else(|| mean(|m| m.dem.surface_energy)),
        ),
        tangential: law.tangential(given(|p| p.friction).unwrap_or_else(|| mean(friction))),
        rolling: law
            .rolling(given(|p| p.rolling_friction).unwrap_or_else(|| mean(|m| m.dem.rolling_friction))),
        twisting: law
            .twisting(given(|p| p.twisting_friction).unwrap_or_else(|| mean(|m| m.dem.twisting_friction))),
        capillary: law.capillary(),
    }
}

/// Two materials of a scene, whose models are the same for all.
struct Kinds<'a> {
    scene: &'a Scene,
    a: &'a MaterialSettings,
    b: &'a MaterialSettings,
}

impl Kinds<'_> {
    fn mean(&self, of: impl Fn(&MaterialSettings) -> f64) -> f64 {
        0.5 * (of(self.a) + of(self.b))
    }

    fn linear_stiffness(&self) -> f64 {
        let (a, b) = (self.a.dem.stiffness, self.b.dem.stiffness);
        2.0 * a * b / (a + b)
    }

    fn normal(&self, restitution: f64, surface_energy: f64) -> Normal<f64> {
        let (model, damping, factor) = match self.scene.dem.normal {
            NormalLaw::Hertz => (NormalModel::Hertz, Damping::Restitution, damping_of_hertz(restitution)),
            NormalLaw::Hooke => (NormalModel::Hooke, Damping::Restitution, damping_of_hooke(restitution)),
            NormalLaw::Dmt => {
                (NormalModel::Dmt, Damping::Viscoelastic, self.mean(|m| m.dem.cohesive_damping))
            }
            NormalLaw::Jkr => {
                (NormalModel::Jkr, Damping::Viscoelastic, self.mean(|m| m.dem.cohesive_damping))
            }
        };
        let stiffness = match model {
            NormalModel::Hooke => self.linear_stiffness(),
            _ => effective_modulus(elasticity(self.a), elasticity(self.b)),
        };
        Normal {
            model,
            stiffness,
            surface_energy,
            damping,
            damping_factor: factor,
            limit_damping: self.scene.dem.limit_damping,
        }
    }

    fn tangential(&self, friction: f64) -> Tangential<f64> {
        let linear = self.scene.dem.normal == NormalLaw::Hooke;
        let mindlin = 8.0 * effective_shear_modulus(elasticity(self.a), elasticity(self.b));
        let (model, stiffness) = match self.scene.dem.tangential {
            TangentialLaw::Viscous => (TangentialModel::Viscous, self.mean(|m| m.dem.viscous_friction)),
            _ if linear => (TangentialModel::Linear, LINEAR_FRICTION_STIFFNESS * self.linear_stiffness()),
            TangentialLaw::MindlinRescale => (TangentialModel::MindlinRescale, mindlin),
            TangentialLaw::Mindlin => (TangentialModel::Mindlin, mindlin),
        };
        let damping_ratio = self.mean(|m| m.dem.tangential_damping);
        Tangential { model, stiffness, damping_ratio, friction }
    }

    /// Radius that default springs are for \[m\], and the mass of such a grain \[kg\].
    fn reference(&self) -> (f64, f64) {
        let radius = self.a.radius.min(self.b.radius);
        let density = self.a.density.min(self.b.density);
        (f64::from(radius), f64::from(grain_mass(density, radius)))
    }

    fn rolling_stiffness(&self) -> f64 {
        let (radius, _) = self.reference();
        let area = (0.5 * ROLLING_OVERLAP).sqrt() * radius;
        let by_friction = match self.scene.dem.normal {
            NormalLaw::Hooke => LINEAR_FRICTION_STIFFNESS * self.linear_stiffness(),
            _ => 8.0 * effective_shear_modulus(elasticity(self.a), elasticity(self.b)) * area,
        };
        self.mean(|m| m.dem.rolling_stiffness.unwrap_or(by_friction))
    }

    fn rolling(&self, friction: f64) -> Option<Rolling<f64>> {
        let Scene { boundary, body, pair, .. } = self.scene;
        let of_walls = boundary.iter().map(|wall| wall.rolling_friction);
        let mut of_walls = of_walls.chain(body.iter().map(|body| body.rolling_friction));
        let rolls = self.scene.material.iter().any(|m| m.dem.rolling_friction > 0.0)
            || pair.iter().any(|pair| pair.rolling_friction.is_some_and(|mu| mu > 0.0))
            || of_walls.any(|friction| friction.is_some_and(|mu| mu > 0.0));
        let (stiffness, (_, mass)) = (self.rolling_stiffness(), self.reference());
        let critical = 2.0 * (0.4 * mass * stiffness).sqrt();
        let damping = self.mean(|m| m.dem.rolling_damping.unwrap_or(RESISTANCE_DAMPING * critical));
        rolls.then_some(Rolling { stiffness, damping, friction })
    }

    fn twisting(&self, friction: f64) -> Option<Twisting<f64>> {
        let twists = self.scene.material.iter().any(|m| m.dem.twisting_friction > 0.0)
            || self.scene.pair.iter().any(|pair| pair.twisting_friction.is_some_and(|mu| mu > 0.0));
        let (radius, mass) = self.reference();
        let by_rolling = self.rolling_stiffness() * radius * radius;
        let stiffness = self.mean(|m| m.dem.twisting_stiffness.unwrap_or(by_rolling));
        let critical = 2.0 * radius * (0.4 * mass * stiffness).sqrt();
        let damping = self.mean(|m| m.dem.twisting_damping.unwrap_or(RESISTANCE_DAMPING * critical));
        twists.then_some(Twisting { stiffness, damping, friction })
    }

    fn capillary(&self) -> Option<Capillary<f64>> {
        let wet = self.scene.material.iter().any(|m| m.dem.liquid_volume > 0.0);
        // A pair without liquid has a bridge that pulls by nothing.
        let dry = Capillary { volume: 1.0, tension: 0.0, rupture_distance: 0.0 };
        let volume = self.mean(|m| m.dem.liquid_volume);
        let angle = self.mean(|m| m.dem.liquid_angle).to_radians();
        let bridge = || Capillary::new(volume, self.mean(|m| m.dem.liquid_tension), angle);
        wet.then(|| if volume > 0.0 { bridge() } else { dry })
    }
}
