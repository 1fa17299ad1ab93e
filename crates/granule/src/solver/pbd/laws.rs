//! What contacts of two materials, and of materials and walls, are like.

use crate::scene::{MaterialSettings, PairSettings, Scene};

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

/// The laws of a scene.
#[derive(Clone, Debug)]
pub struct LawTable {
    materials: usize,
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
        let grains: Vec<Law> = (0..count * count).map(|k| law(scene, k / count, k % count)).collect();
        let of_wall = |material: &Option<String>, friction: Option<f32>| {
            let wall = material.as_ref().and_then(|name| scene.material.iter().position(|m| m.name == *name));
            let own = (0..count).map(|m| law(scene, m, wall.unwrap_or(m)));
            let own = own.map(|law| Law { friction: friction.unwrap_or(law.friction), ..law });
            own.collect::<Vec<Law>>()
        };
        let boundaries = scene.boundary.iter().map(|wall| of_wall(&wall.material, wall.friction));
        let bodies = scene.body.iter().map(|body| of_wall(&body.material, body.friction));
        let walls: Vec<Law> = boundaries.chain(bodies).flatten().collect();
        let bounces = grains.iter().chain(&walls).any(|law| law.restitution > 0.0);
        Self { materials: count, grains, walls, bounces }
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
