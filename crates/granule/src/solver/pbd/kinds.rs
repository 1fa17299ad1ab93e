//! What is constant for the pairs of a group as long as lists live: radii and materials, and what follows from them.
//!
//! Passes stream through all groups several times in a step, and mostly all their pairs are alike. Groups of pairs of the same two
//! radii and materials then share a kind, which stays near the processor; others have one for themselves.

use crate::simd::LANES;
use crate::team;

use super::groups::PairGroup;
use super::laws::LawTable;

/// In place of a number: the pairs of the group are alike.
pub const UNIFORM: u32 = 0;

/// In place of a number: they are not.
pub const VARIED: u32 = 1;

/// Kinds that groups share, at most.
const SHARED: usize = 64;

/// One side of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Radius \[m\].
    pub radius: f32,
    /// Material.
    pub material: u16,
}

/// Constants of sixteen pairs.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct PairKind {
    /// Radii \[m\].
    pub radius: [[f32; LANES]; 2],
    /// Masses over moments of inertia: 2.5/r^2 [1/m2].
    pub turning: [[f32; LANES]; 2],
    /// Coefficients of friction.
    pub friction: [f32; LANES],
    /// Coefficients of rolling friction times the radii that they are for, 2 ri rj/(ri + rj) \[m\].
    pub rolling: [f32; LANES],
    /// Diameters that the constants of pairs scale with, 4 ri rj/(ri + rj) \[m\].
    pub diameter: [f32; LANES],
    /// Pulls \[N\].
    pub pull: [f32; LANES],
}

impl PairKind {
    const EMPTY: Self = Self {
        radius: [[1.0; LANES]; 2],
        turning: [[2.5; LANES]; 2],
        friction: [0.0; LANES],
        rolling: [0.0; LANES],
        diameter: [2.0; LANES],
        pull: [0.0; LANES],
    };

    fn new(laws: &LawTable, sides: impl Fn(usize) -> [Side; 2]) -> Self {
        let mut kind = Self::EMPTY;
        for lane in 0..LANES {
            let both = sides(lane);
            for (side, own) in both.into_iter().enumerate() {
                kind.radius[side][lane] = own.radius;
                kind.turning[side][lane] = 2.5 / (own.radius * own.radius);
            }
            let [a, b] = both.map(|own| own.radius);
            let law = laws.of_grains(both[0].material, both[1].material);
            kind.diameter[lane] = 4.0 * a * b / (a + b);
            kind.friction[lane] = law.friction;
            kind.rolling[lane] = law.rolling * 0.5 * kind.diameter[lane];
            kind.pull[lane] = std::f32::consts::TAU * a.min(b) * law.tension;
        }
        kind
    }
}

/// The kinds of all groups.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// Those that groups share, then those of single groups.
    list: Vec<PairKind>,
    shared: Vec<[Side; 2]>,
    /// Groups that have a kind for themselves.
    varied: Vec<u32>,
}

impl Kinds {
    /// The kind of a group.
    #[inline(always)]
    pub fn of(&self, group: &PairGroup) -> &PairKind {
        &self.list[group.kind as usize]
    }

    /// Finds the kinds of groups that say whether their pairs are alike, and lets them know the numbers.
    pub fn find(
        &mut self,
        groups: &mut [PairGroup],
        laws: &LawTable,
        sides: impl Fn(&PairGroup, usize) -> [Side; 2] + Sync,
    ) {
        let Self { list, shared, varied } = self;
        shared.clear();
        varied.clear();
        for (g, group) in groups.iter_mut().enumerate() {
            let own = sides(group, 0);
            let known = shared.iter().position(|known| *known == own);
            group.kind = match known {
                _ if group.kind == VARIED => alone(varied, g),
                Some(known) => known as u32,
                None if shared.len() < SHARED => {
                    shared.push(own);
                    shared.len() as u32 - 1
                }
                None => alone(varied, g),
            };
        }
        let (groups, shared, varied) = (&*groups, &*shared, &*varied);
        team::fill(list, SHARED + varied.len(), |k| match (shared.get(k), k.checked_sub(SHARED)) {
            (Some(both), _) => PairKind::new(laws, |_| *both),
            (None, Some(k)) => PairKind::new(laws, |lane| sides(&groups[varied[k] as usize], lane)),
            (None, None) => PairKind::EMPTY,
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<PairKind>() * self.list.capacity()
            + size_of::<[Side; 2]>() * self.shared.capacity()
            + 4 * self.varied.capacity()
    }
}

/// The number of a kind that a group has for itself.
fn alone(varied: &mut Vec<u32>, group: usize) -> u32 {
    varied.push(group as u32);
    (SHARED + varied.len() - 1) as u32
}
