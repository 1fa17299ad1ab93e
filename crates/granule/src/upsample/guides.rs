//! Tracks the simulated particles as guides of fine grains, from frame to frame.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::weights::SUPPORT;
use crate::neighbors::Domain;

/// How far a guide may stray before its anchor moves, in its radii: below it its grains rest, and they are never farther
/// off their guides than this.
///
/// A choice between creep and lag. Without it grains of `bunker` creep by 0.14 r_LR in 10 s, with it by 0.017 (limit 0.1,
/// docs/validation.md); 0.05 r_LR is a sixth of a grain's radius at the ratio 0.3 of that experiment.
pub const SLACK: f32 = 0.05;

/// A guide during a frame, the same on every device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Guide {
    /// Position at the frame's start \[m\].
    pub position: [f32; 3],
    /// 1 where the guide moves, 0 where it rests.
    pub moves: f32,
    /// Displacement during the frame \[m\].
    pub displacement: [f32; 3],
    /// Radius \[m\]; 0 for that which all have.
    pub radius: f32,
    /// Velocity at the frame's end [m/s]; 0 for guides that rest.
    pub velocity: [f32; 3],
    /// Fills the record.
    pub filler: f32,
}

impl Guide {
    /// What squared distances from it are multiplied with, to be seen with the support of a grid \[m\] as with its own:
    ///
    /// ```text
    /// (h/(3 r))^2          h: the grid's support, that of its largest guide
    /// ```
    #[inline(always)]
    pub fn shrinking(&self, support: f32) -> f32 {
        let ratio = support / (SUPPORT * self.radius);
        ratio * ratio
    }
}

/// Guides as they are between two frames: what is kept from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchors {
    /// Identities, ascending.
    pub id: Vec<u32>,
    /// Positions \[m\] that grains track, at most [`SLACK`] radii off the guides.
    pub position: Vec<Vec3>,
    /// Velocity [m/s].
    pub velocity: Vec<Vec3>,
    /// Radius \[m\]; empty where all have the same.
    pub radius: Vec<f32>,
}

/// What guides did in a frame.
pub struct TrackedGuides {
    /// The guides of the frame's start.
    pub guides: Vec<Guide>,
    /// Indices, in the new anchors, of guides that were not there before.
    pub born: Vec<usize>,
}

impl Anchors {
    /// Tracks the guides of a new frame (by ascending id) and gives what they did since the last one, `dt` [s] ago.
    ///
    /// A guide within `slack` [m] of its anchor rests; one that leaves it pulls the anchor along. So nothing creeps in a
    /// heap at rest, and slow motion is tracked all the same.
    pub fn track(
        &mut self,
        id: &[u32],
        position: &[[f32; 3]],
        velocity: &[[f32; 3]],
        domain: &Domain,
        slack: f32,
        dt: f32,
    ) -> TrackedGuides {
        let mut next = Anchors {
            id: id.to_vec(),
            position: position.iter().map(|p| Vec3::from(*p)).collect(),
            velocity: velocity.iter().map(|v| Vec3::from(*v)).collect(),
            radius: Vec::new(),
        };
        let mut guides = Vec::with_capacity(self.id.len());
        let mut born = Vec::new();
        let mut now = 0;
        for (k, &old) in self.id.iter().enumerate() {
            while now < id.len() && id[now] < old {
                born.push(now);
                now += 1;
            }
            let from = self.position[k];
            let mut guide = Guide { position: from.into(), moves: 1.0, ..Guide::default() };
            if now < id.len() && id[now] == old {
                let displacement = domain.displacement(next.position[now], domain.wrap(from));
                let distance = displacement.length();
                let kept = if distance > slack { 1.0 - slack / distance } else { 0.0 };
                let displacement = displacement * kept;
                next.position[now] = domain.wrap(from + displacement);
                if kept == 0.0 {
                    next.velocity[now] = Vec3::ZERO;
                    guide.moves = 0.0;
                }
                guide.displacement = displacement.into();
                guide.velocity = next.velocity[now].into();
                now += 1;
            } else {
                // It has left during the frame: its grains go on as it did.
                guide.displacement = (self.velocity[k] * dt).into();
                guide.velocity = self.velocity[k].into();
            }
            guides.push(guide);
        }
        born.extend(now..id.len());
        *self = next;
        TrackedGuides { guides, born }
    }

    /// The anchors as guides that do not move.
    pub fn as_guides(&self) -> Vec<Guide> {
        let still = |(k, (position, velocity)): (usize, (&Vec3, &Vec3))| Guide {
            position: (*position).into(),
            velocity: (*velocity).into(),
            radius: self.radius.get(k).copied().unwrap_or(0.0),
            ..Guide::default()
        };
        self.position.iter().zip(&self.velocity).enumerate().map(still).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guides_rest_within_the_slack_and_are_tracked_beyond() {
        let domain = Domain::default();
        let mut anchors = Anchors::default();
        let see = |anchors: &mut Anchors, x: f32| {
            let tracked = anchors.track(&[4], &[[x, 0.0, 0.0]], &[[9.0, 0.0, 0.0]], &domain, 0.1, 1.0);
            (tracked.guides.first().map(|g| (g.displacement[0], g.velocity[0])), tracked.born.len())
        };
        assert_eq!(see(&mut anchors, 0.0), (None, 1));
        assert_eq!(see(&mut anchors, 0.09), (Some((0.0, 0.0)), 0));
        let (moved, _) = see(&mut anchors, 0.3);
        let (displacement, velocity) = moved.unwrap();
        assert!((displacement - 0.2).abs() < 1e-6 && velocity == 9.0);
        assert!((anchors.position[0].x - 0.2).abs() < 1e-6);
        // Gone: its grains go on as it did.
        let tracked = anchors.track(&[5], &[[7.0; 3]], &[[0.0; 3]], &domain, 0.1, 0.5);
        assert_eq!((tracked.guides[0].displacement[0], tracked.born.len()), (4.5, 1));
    }
}
