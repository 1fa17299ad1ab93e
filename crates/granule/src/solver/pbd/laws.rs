//! What contacts of two materials, and of materials and walls, are like.

use crate::scene::{BodyCoupling, BodySettings, MaterialSettings, PairSettings, Scene};

/// The constants of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Law {
    /// Coefficient of friction.
    pub friction: f32,
    /// Coefficient of rolling friction.
    pub rolling: f32,
    /// Coefficient of restitution.
    pub restitution: f32,
    /// Pull over the circumference [N/m].
    pub tension: f32,
}

/// Coulomb friction between bodies and walls that have none of their own, as rapier has it.
const BODY_FRICTION: f32 = 0.5;

/// The laws of a scene. Bodies that are made of particles are materials of their own here, after those of the scene.
#[derive(Clone, Debug)]
pub struct LawTable {
    materials: usize,
    /// Materials of the scene.
    of_grains: usize,
    /// Of materials i and j at `i * materials + j`.
    grains: Vec<Law>,
    /// Of material m and wall w at `w * materials + m`.
    walls: Vec<Law>,
    /// Whether anything bounces.
    pub bounces: bool,
}

impl LawTable {
    /// The laws of a checked scene.
    pub fn new(scene: &Scene) -> Self {
        let count = scene.material.len();
        let made: Vec<&BodySettings> =
            scene.body.iter().filter(|body| body.coupling == BodyCoupling::Particles).collect();
        let of_wall = |material: &Option<String>, friction: Option<f32>, rolling: Option<f32>| {
            let wall = material.as_ref().and_then(|name| scene.material.iter().position(|m| m.name == *name));
            let own = (0..count).map(|m| law(scene, m, wall.unwrap_or(m)));
            let rolling = rolling.filter(|_| scene.pbd.rotation);
            let own = own.map(|law| Law {
                friction: friction.unwrap_or(law.friction),
                rolling: rolling.unwrap_or(law.rolling),
                ..law
            });
            own.collect::<Vec<Law>>()
        };
        let of_body = |body: &BodySettings| of_wall(&body.material, body.friction, body.rolling_friction);
        let surfaces = scene.boundary.iter().map(|wall| (wall.friction, 0.0));
        let surfaces = surfaces.chain(scene.body.iter().map(|body| (body.friction, body.restitution)));
        let own =
            scene.boundary.iter().map(|wall| of_wall(&wall.material, wall.friction, wall.rolling_friction));
        let own = own.chain(scene.body.iter().map(of_body));
        let walls: Vec<Law> = own
            .zip(surfaces)
            .flat_map(|(grains, surface)| {
                grains.into_iter().chain(made.iter().map(move |body| of_surfaces(body, surface)))
            })
            .collect();
        let materials = count + made.len();
        let of_made: Vec<Vec<Law>> = made.iter().map(|body| of_body(body)).collect();
        let of_pair = |a: usize, b: usize| match (a.checked_sub(count), b.checked_sub(count)) {
            (None, None) => law(scene, a, b),
            (Some(body), None) => of_made[body][b],
            (None, Some(body)) => of_made[body][a],
            (Some(a), Some(b)) => of_surfaces(made[a], (made[b].friction, made[b].restitution)),
        };
        let grains: Vec<Law> =
            (0..materials * materials).map(|k| of_pair(k / materials, k % materials)).collect();
        let bounces = grains.iter().chain(&walls).any(|law| law.restitution > 0.0);
        Self { materials, of_grains: count, grains, walls, bounces }
    }

    /// Whether a material is that of the particles of a body.
    #[inline]
    pub fn of_body(&self, material: u16) -> bool {
        usize::from(material) >= self.of_grains
    }

    /// The law of two materials.
    #[inline]
    pub fn of_grains(&self, a: u16, b: u16) -> &Law {
        &self.grains[usize::from(a) * self.materials + usize::from(b)]
    }

    /// The law of a material at a wall.
    #[inline]
    pub fn of_wall(&self, boundary: u16, material: u16) -> &Law {
        &self.walls[usize::from(boundary) * self.materials + usize::from(material)]
    }
}

/// The law of a body with a wall or another body of some friction and restitution: the means of both.
fn of_surfaces(body: &BodySettings, (friction, restitution): (Option<f32>, f32)) -> Law {
    let [a, b] = [body.friction, friction].map(|friction| friction.unwrap_or(BODY_FRICTION));
    let restitution = 0.5 * (body.restitution + restitution);
    Law { friction: 0.5 * (a + b), restitution, ..Law::default() }
}

fn friction(material: &MaterialSettings) -> f64 {
    material.pbd.friction.unwrap_or_else(|| f64::from(material.friction_angle).to_radians().tan())
}

/// The law of two materials: the mean of both, or what a `[[pair]]` says.
fn law(scene: &Scene, a: usize, b: usize) -> Law {
    let (a, b) = (&scene.material[a], &scene.material[b]);
    let of_both = |pair: &&PairSettings| {
        let [first, second] = &pair.materials;
        (*first == a.name && *second == b.name) || (*first == b.name && *second == a.name)
    };
    let pair = scene.pair.iter().find(of_both);
    let given = |of: fn(&PairSettings) -> Option<f64>| pair.and_then(of);
    let mean = |of: fn(&MaterialSettings) -> f64| 0.5 * (of(a) + of(b));
    let rolling = given(|p| p.rolling_friction).unwrap_or_else(|| mean(|m| m.pbd.rolling_friction));
    Law {
        friction: given(|p| p.friction).unwrap_or_else(|| mean(friction)) as f32,
        rolling: if scene.pbd.rotation { rolling as f32 } else { 0.0 },
        restitution: given(|p| p.restitution).unwrap_or_else(|| mean(|m| m.pbd.restitution)) as f32,
        tension: mean(|m| m.pbd.tension) as f32,
    }
}
