//! The simulated particles as guides of fine grains: where they were, where they are, how their surroundings deform.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Mat3, Vec3};
use rayon::prelude::*;

use super::weights::{FULL_SUM, LOOSE, SUPPORT, ramp, weight};
use crate::neighbors::Domain;

/// How far a guide may stray before its grains follow, in its radii: below it they rest. Grains are never farther off
/// their guides than this.
pub const SLACK: f32 = 0.05;

/// Largest deformation of a guide's surroundings in a frame (Frobenius norm); more comes from guides that meet or part.
pub const MOST_DEFORMATION: f32 = 1.0;

/// Coverage of points between guides that are not on a lattice.
const BETWEEN: f32 = 0.7;

/// Volume below which a deformation is that of guides that meet, and none.
pub const LEAST_VOLUME: f32 = 0.1;

/// What a lone guide lacks to have a deformation: added to the diagonal of its moments, in supports squared.
pub const REGULARISATION: f32 = 0.002;

/// A guide during a frame, the same on every device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Guide {
    /// Place at the frame's start [m].
    pub position: [f32; 3],
    /// 1 where the guide moves, 0 where it rests.
    pub moves: f32,
    /// Way during the frame [m].
    pub displacement: [f32; 3],
    /// Fills the record.
    pub filler: f32,
    /// Velocity at the frame's end [m/s]; 0 for guides that rest.
    pub velocity: [f32; 3],
    /// Fills the record.
    pub filler_too: f32,
}

/// How the surroundings of a guide deform during a frame: the way of a point is `displacement + affine (x - position)`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Deformation {
    /// Rows of the gradient. The fourth number of the first row tells how far the guide takes grains along alone, from
    /// 0 to 1; the others fill the record.
    pub rows: [[f32; 4]; 3],
}

/// Guides as they are between two frames: what is kept from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchors {
    /// Identities, ascending.
    pub id: Vec<u32>,
    /// Places [m] that grains follow, at most [`SLACK`] radii off the guides.
    pub place: Vec<Vec3>,
    /// Velocity [m/s].
    pub velocity: Vec<Vec3>,
}

/// What a frame did to the guides.
pub struct Followed {
    /// The guides of the frame's start.
    pub guides: Vec<Guide>,
    /// Indices, in the new anchors, of guides that were not there before.
    pub born: Vec<usize>,
}

impl Anchors {
    /// Follows the guides of a new frame (by ascending id) and gives what they did since the last one, `dt` [s] ago.
    ///
    /// A guide within `slack` [m] of its anchor rests; one that leaves it pulls the anchor along. So nothing creeps in a
    /// heap at rest, and slow motion is followed all the same.
    pub fn follow(
        &mut self,
        id: &[u32],
        position: &[[f32; 3]],
        velocity: &[[f32; 3]],
        domain: &Domain,
        slack: f32,
        dt: f32,
    ) -> Followed {
        let mut next = Anchors {
            id: id.to_vec(),
            place: position.iter().map(|p| Vec3::from(*p)).collect(),
            velocity: velocity.iter().map(|v| Vec3::from(*v)).collect(),
        };
        let mut guides = Vec::with_capacity(self.id.len());
        let mut born = Vec::new();
        let mut now = 0;
        for (k, &old) in self.id.iter().enumerate() {
            while now < id.len() && id[now] < old {
                born.push(now);
                now += 1;
            }
            let from = self.place[k];
            let mut guide = Guide { position: from.into(), moves: 1.0, ..Guide::default() };
            if now < id.len() && id[now] == old {
                let way = domain.displacement(next.place[now], domain.wrap(from));
                let distance = way.length();
                let kept = if distance > slack { 1.0 - slack / distance } else { 0.0 };
                let way = way * kept;
                next.place[now] = domain.wrap(from + way);
                if kept == 0.0 {
                    next.velocity[now] = Vec3::ZERO;
                    guide.moves = 0.0;
                }
                guide.displacement = way.into();
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
        Followed { guides, born }
    }

    /// The anchors as guides that do not move.
    pub fn as_guides(&self) -> Vec<Guide> {
        let still = |(place, velocity): (&Vec3, &Vec3)| Guide {
            position: (*place).into(),
            velocity: (*velocity).into(),
            ..Guide::default()
        };
        self.place.iter().zip(&self.velocity).map(still).collect()
    }
}

/// Guides sorted into cells of their support.
///
/// Cells have a rim of empty ones around them, so the three cells of a row around any point are one range. Where space
/// is periodic, guides near its ends stand beyond the other end once more.
#[derive(Clone, Debug, Default)]
pub struct GuideGrid {
    /// Lowest corner of the rim [m].
    pub origin: Vec3,
    /// Side of a cell [m]: the support.
    pub side: f32,
    /// Cells along each axis, with the rim.
    pub count: [u32; 3],
    /// First guide of each cell, and the number of guides at the end.
    pub start: Vec<u32>,
    /// Guides by cell.
    pub guide: Vec<Guide>,
    /// Support of the weights [m].
    pub support: f32,
}

/// Most cells of a grid.
pub const MOST_CELLS: f64 = (1u32 << 23) as f64;

impl GuideGrid {
    /// Sorts guides of a radius [m] into cells. Where they are so far apart that there would be too many cells, those
    /// farthest from the middle are left out: strays do not matter to the others.
    pub fn new(mut guides: Vec<Guide>, radius: f32, domain: &Domain) -> Self {
        let support = SUPPORT * radius;
        repeat_periodically(&mut guides, support, domain);
        let (low, high) = fitting_box(&mut guides, support);
        let count = cells_between(low, high, support).as_uvec3().to_array();
        let (start, guide) = Default::default();
        let mut grid = Self { origin: low - support, side: support, count, start, guide, support };
        grid.fill(&guides);
        grid
    }

    fn fill(&mut self, guides: &[Guide]) {
        let cell_count = self.count.iter().map(|&c| c as usize).product::<usize>();
        let key: Vec<u32> = guides.iter().map(|g| self.index(self.cell(g.position.into()))).collect();
        self.start = vec![0; cell_count + 1];
        key.iter().for_each(|&k| self.start[k as usize + 1] += 1);
        for k in 1..self.start.len() {
            self.start[k] += self.start[k - 1];
        }
        let mut next = self.start.clone();
        self.guide = vec![Guide::default(); guides.len()];
        for (guide, &k) in guides.iter().zip(&key) {
            self.guide[next[k as usize] as usize] = *guide;
            next[k as usize] += 1;
        }
    }

    /// The cell of a point; those outside belong to the outermost inner cells.
    #[inline]
    pub fn cell(&self, x: Vec3) -> [u32; 3] {
        // From 1 on, so that whole parts are below.
        let cell = ((x - self.origin) / self.side).max(Vec3::ONE);
        [0, 1, 2].map(|k| (cell[k] as u32).min(self.count[k] - 2))
    }

    #[inline]
    fn index(&self, [x, y, z]: [u32; 3]) -> u32 {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Guides that may be nearer than the support to any point of a box, as ranges: rows of cells.
    #[inline]
    pub fn rows(&self, low: Vec3, high: Vec3, mut out: impl FnMut(std::ops::Range<usize>)) {
        let (a, b) = (self.cell(low), self.cell(high));
        for z in a[2] - 1..=b[2] + 1 {
            for y in a[1] - 1..=b[1] + 1 {
                let from = self.start[self.index([a[0] - 1, y, z]) as usize];
                let to = self.start[self.index([b[0] + 1, y, z]) as usize + 1];
                if from < to {
                    out(from as usize..to as usize);
                }
            }
        }
    }

    /// Whether a point lies in the volume that guides stand for: the cube of one of them, or between many.
    pub fn holds(&self, x: Vec3, guide_radius: f32) -> bool {
        let (mut held, mut sum) = (false, 0.0);
        let inverse = 1.0 / (self.support * self.support);
        self.rows(x, x, |range| {
            for guide in &self.guide[range] {
                let d = x - Vec3::from(guide.position);
                held |= d.abs().max_element() <= guide_radius;
                sum += weight(d.length_squared() * inverse);
            }
        });
        held || sum > BETWEEN * FULL_SUM
    }

    /// Deformation of the surroundings of every guide, in the grid's order; none of those that rest among resting ones.
    pub fn deformations(&self) -> Vec<Deformation> {
        let work = |guide: &Guide| {
            let (gradient, sum) = self.gradient(guide);
            Deformation::of(&gradient, guide.moves * ramp(sum, LOOSE))
        };
        self.guide.par_iter().with_min_len(256).map(work).collect()
    }

    /// Gradient of the guides' ways around one of them, by moving least squares, and the sum of the weights there:
    ///
    /// ```text
    /// A = (sum w (u_j - u_i) (x_j - x_i)^T) (sum w (x_j - x_i) (x_j - x_i)^T + e I)^-1
    /// ```
    pub fn gradient(&self, guide: &Guide) -> (Mat3, f32) {
        let x = Vec3::from(guide.position);
        let u = Vec3::from(guide.displacement);
        let inverse = 1.0 / (self.support * self.support);
        let (mut cross, mut moment, mut sum, mut moving) = (Mat3::ZERO, Mat3::ZERO, 0.0, 0.0);
        self.rows(x, x, |range| {
            for other in &self.guide[range] {
                let d = Vec3::from(other.position) - x;
                let w = weight(d.length_squared() * inverse);
                if w > 0.0 {
                    let d = d / self.support;
                    cross += outer(w * (Vec3::from(other.displacement) - u), d);
                    moment += outer(w * d, d);
                    moving += other.moves;
                    sum += w;
                }
            }
        });
        if moving == 0.0 {
            return (Mat3::ZERO, sum);
        }
        moment += Mat3::from_diagonal(Vec3::splat(REGULARISATION));
        let gradient = cross * moment.inverse() * (1.0 / self.support);
        let norm = [gradient.x_axis, gradient.y_axis, gradient.z_axis]
            .map(Vec3::length_squared)
            .iter()
            .sum::<f32>()
            .sqrt();
        let bounded = if norm > MOST_DEFORMATION { gradient * (MOST_DEFORMATION / norm) } else { gradient };
        (isochoric(bounded), sum)
    }
}

impl Deformation {
    fn of(gradient: &Mat3, carries: f32) -> Self {
        let row = |k: usize, last: f32| {
            let row = gradient.row(k);
            [row.x, row.y, row.z, last]
        };
        Self { rows: [row(0, carries), row(1, 0.0), row(2, 0.0)] }
    }
}

/// The deformation of the same shape that keeps volumes: (I + A) / det(I + A)^(1/3) - I.
///
/// What guides are worth stays around them: they may part and leave gaps, but nothing is pressed together for good by
/// what a few neighbours on one side tell.
fn isochoric(gradient: Mat3) -> Mat3 {
    let stretched = Mat3::IDENTITY + gradient;
    let volume = stretched.determinant();
    if volume > LEAST_VOLUME { stretched * volume.cbrt().recip() - Mat3::IDENTITY } else { Mat3::ZERO }
}

/// a b^T.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Cells of a side [m] between two corners, with the rim.
fn cells_between(low: Vec3, high: Vec3, side: f32) -> DVec3 {
    ((high - low).as_dvec3() / f64::from(side)).floor() + 3.0
}

/// The box around guides [m]; leaves out the farthest along its longest axis until the cells are not too many.
fn fitting_box(guides: &mut Vec<Guide>, side: f32) -> (Vec3, Vec3) {
    loop {
        let places = guides.iter().map(|guide| Vec3::from(guide.position));
        let (low, high) =
            places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if guides.is_empty() {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        if cells_between(low, high, side).element_product() <= MOST_CELLS {
            return (low, high);
        }
        let axis = (high - low).max_position();
        let mut along: Vec<f32> = guides.iter().map(|guide| guide.position[axis]).collect();
        let half = along.len() / 2;
        let middle = *along.select_nth_unstable_by(half, f32::total_cmp).1;
        let reach = 0.45 * (high - low)[axis];
        guides.retain(|guide| (guide.position[axis] - middle).abs() <= reach);
    }
}

/// Adds the images of guides that are nearer than `reach` [m] to an end of a period.
fn repeat_periodically(guides: &mut Vec<Guide>, reach: f32, domain: &Domain) {
    for axis in 0..3 {
        let Some((origin, length)) = domain.period(axis) else { continue };
        for k in 0..guides.len() {
            let x = guides[k].position[axis] - origin;
            for (near, shift) in [(x < reach, length), (x > length - reach, -length)] {
                if near {
                    let mut image = guides[k];
                    image.position[axis] += shift;
                    guides.push(image);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(n: usize, way: impl Fn(Vec3) -> Vec3) -> Vec<Guide> {
        (0..n * n * n)
            .map(|k| {
                let x = 2.0 * Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32);
                Guide { position: x.into(), displacement: way(x).into(), moves: 1.0, ..Guide::default() }
            })
            .collect()
    }

    #[test]
    fn affine_motion_is_found_exactly() {
        let a = Mat3::from_cols_array(&[0.1, 0.02, 0.0, -0.05, 0.0, 0.03, 0.01, -0.02, -0.1]);
        let guides = lattice(7, |x| Vec3::new(3.0, 0.0, -1.0) + a * x);
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        let center = grid.guide.iter().find(|g| g.position == [6.0; 3]).unwrap();
        let (found, sum) = grid.gradient(center);
        assert!((sum - 2.0).abs() < 0.1, "{sum}");
        // The regularisation takes a part in a hundred.
        let a = isochoric(a);
        assert!(found.abs_diff_eq(a, 0.002), "{found}");
    }

    #[test]
    fn rows_hold_every_guide_within_the_support() {
        let mut random = crate::random::Random::new(3);
        let mut point = || Vec3::new(random.unit(), random.unit(), random.unit()) * 9.0;
        let guides: Vec<Guide> =
            (0..400).map(|_| Guide { position: point().into(), ..Guide::default() }).collect();
        let grid = GuideGrid::new(guides.clone(), 0.4, &Domain::default());
        for _ in 0..50 {
            let x = 1.4 * point() - 1.0;
            let near = |g: &Guide| Vec3::from(g.position).distance(x) < grid.support;
            let mut found = 0;
            grid.rows(x, x, |range| found += grid.guide[range].iter().filter(|g| near(g)).count());
            assert_eq!(found, guides.iter().filter(|g| near(g)).count(), "{x}");
        }
    }

    #[test]
    fn a_stray_guide_is_left_out_and_the_others_stay() {
        let mut guides = lattice(3, |_| Vec3::ZERO);
        guides.push(Guide { position: [1e6, 1e6, -1e6], ..Guide::default() });
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        assert!(grid.start.len() as f64 <= MOST_CELLS + 1.0);
        assert_eq!((grid.guide.len(), grid.side), (27, SUPPORT));
    }

    #[test]
    fn guides_beyond_the_end_of_a_period_are_seen() {
        let domain = Domain::new([Some([0.0, 20.0]), None, None]);
        let guides = vec![Guide { position: [19.5, 0.0, 0.0], ..Guide::default() }];
        let grid = GuideGrid::new(guides, 1.0, &domain);
        let mut found = false;
        let x = Vec3::new(0.5, 0.0, 0.0);
        grid.rows(x, x, |range| {
            found |= grid.guide[range].iter().any(|g| Vec3::from(g.position).distance(x) < 1.5)
        });
        assert!(found);
    }

    #[test]
    fn guides_rest_within_the_slack_and_are_followed_beyond() {
        let domain = Domain::default();
        let mut anchors = Anchors::default();
        let see = |anchors: &mut Anchors, x: f32| {
            let followed = anchors.follow(&[4], &[[x, 0.0, 0.0]], &[[9.0, 0.0, 0.0]], &domain, 0.1, 1.0);
            (followed.guides.first().map(|g| (g.displacement[0], g.velocity[0])), followed.born.len())
        };
        assert_eq!(see(&mut anchors, 0.0), (None, 1));
        assert_eq!(see(&mut anchors, 0.09), (Some((0.0, 0.0)), 0));
        let (moved, _) = see(&mut anchors, 0.3);
        let (way, velocity) = moved.unwrap();
        assert!((way - 0.2).abs() < 1e-6 && velocity == 9.0);
        assert!((anchors.place[0].x - 0.2).abs() < 1e-6);
        // Gone: its grains go on as it did.
        let followed = anchors.follow(&[5], &[[7.0; 3]], &[[0.0; 3]], &domain, 0.1, 0.5);
        assert_eq!((followed.guides[0].displacement[0], followed.born.len()), (4.5, 1));
    }
}
