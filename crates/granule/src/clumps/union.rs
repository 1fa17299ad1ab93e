//! Volume, surface, centre and second moments of a union of overlapping spheres, in closed form.
//!
//! The union's boundary is made of the parts of its spheres that no other sphere covers. By the divergence theorem its
//! moments are integrals over those parts of polynomials of the unit normal n, up to the third degree:
//!
//! ```text
//! V           = 1/3 sum_k int (x . n) dA
//! int x dV    = 1/4 sum_k int x (x . n) dA             x = c_k + r_k n,   dA = r_k^2 dw
//! int x x^T dV = 1/5 sum_k int x x^T (x . n) dA
//! ```
//! On a sphere such a part is bounded by arcs of circles, one circle per sphere that cuts it. A spherical harmonic Y of
//! degree l has Laplacian -l (l + 1) Y, so its integral over the part is one along the arcs, where it is a trigonometric
//! polynomial of the arc's angle:
//!
//! ```text
//! int Y dw = -1/(l (l + 1)) oint dY/dnu ds             nu: along the sphere, out of the part
//! ```
//! and the integral of 1, the solid angle, is a sum of spherical triangles and segments over the arcs, up to multiples of
//! 4 pi \[OS83\]. Nothing is approximated: the result has the rounding of double precision, and what the nudge of
//! [`NUDGE`] adds, which lets circles that coincide, as those of equal spheres do, be told apart.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DVec3};

/// Radii are made smaller by up to this part, each by another one, so that no two circles or spheres coincide.
const NUDGE: f64 = 1e-11;
/// How often a larger nudge is tried where arcs do not close; each is ten times the one before.
const ATTEMPTS: i32 = 4;
/// Largest gap of the arcs around a part, in radii of the sphere.
const CLOSED: f64 = 1e-6;
/// A solid angle this near to 0 or to 4 pi [sr] may be either: the reduction by multiples of 4 pi does not tell.
const UNCERTAIN: f64 = 1e-6;
/// Directions that are tried where one is to be far from all arcs, or some are to tell how much is covered.
const DIRECTIONS: usize = 96;

/// Nodes and weights of Gauss and Legendre's rule on [-1, 1] with ten nodes, the positive half; on a quarter of a turn
/// it integrates cos 3t to 3e-17.
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_21, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// A sphere in double precision: centre and radius.
pub(super) type Ball = (DVec3, f64);

/// Integrals over a union of spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnionMoments {
    /// Volume \[m3\].
    pub volume: f64,
    /// Area of the surface \[m2\].
    pub area: f64,
    /// Centre of the volume \[m\].
    pub center: DVec3,
    /// Integral of (x - centre)(x - centre)^T over the volume \[m5\].
    pub second: DMat3,
}

impl UnionMoments {
    /// Inertia tensor about the centre for a density of 1 [m5]: `tr(C) 1 - C` of the second moment `C`.
    pub fn inertia(&self) -> DMat3 {
        let second = self.second;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        DMat3::from_diagonal(DVec3::splat(trace)) - second
    }
}

/// Integrals over the union of spheres; none where the arcs on a sphere do not close, which no list of finite spheres is
/// known to do, and for lists without volume.
pub(super) fn union_moments(balls: &[Ball]) -> Option<UnionMoments> {
    let sound = |(center, radius): &Ball| center.is_finite() && *radius > 0.0 && radius.is_finite();
    if balls.is_empty() || !balls.iter().all(sound) {
        return None;
    }
    let origin = balls.iter().map(|ball| ball.0).sum::<DVec3>() / balls.len() as f64;
    let scale = balls.iter().map(|(c, r)| (*c - origin).length() + r).fold(0.0, f64::max);
    (0..ATTEMPTS).find_map(|attempt| {
        let nudge = NUDGE * 10f64.powi(attempt);
        let nudged = balls.iter().enumerate().map(|(k, (c, r))| {
            // The golden ratio spreads the nudges so that no two are alike.
            let part = ((k + 1) as f64 * 0.618_033_988_749_894_9).fract();
            ((*c - origin) / scale, r / scale * (1.0 - nudge * part))
        });
        let unit = unit_moments(&nudged.collect::<Vec<_>>())?;
        Some(UnionMoments {
            volume: unit.volume * scale.powi(3),
            area: unit.area * scale.powi(2),
            center: origin + scale * unit.center,
            second: unit.second * scale.powi(5),
        })
    })
}

fn unit_moments(balls: &[Ball]) -> Option<UnionMoments> {
    let (mut volume, mut area, mut first, mut second) = (0.0, 0.0, DVec3::ZERO, DMat3::ZERO);
    for (k, &(c, r)) in balls.iter().enumerate() {
        let part = Part::of(balls, k)?;
        let (one, n, nn) = (part.one, part.n, part.nn);
        let (along, nn_c) = (c.dot(n), nn * c);
        let outward = along + r * one;
        volume += r * r / 3.0 * outward;
        area += r * r * one;
        first += r * r / 4.0 * (c * outward + r * nn_c + r * r * n);
        let sums = outer(c, c) * outward
            + (outer(c, nn_c) + outer(nn_c, c)) * r
            + (outer(c, n) + outer(n, c) + part.nnc) * (r * r)
            + nn * r.powi(3);
        second += sums * (r * r / 5.0);
    }
    let center = first / volume;
    (volume > 0.0).then(|| UnionMoments {
        volume,
        area,
        center,
        second: second - outer(center, center) * volume,
    })
}

/// Integrals of the unit normal n over the part of a unit sphere that no other sphere covers.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Of 1: the solid angle \[sr\].
    one: f64,
    /// Of n.
    n: DVec3,
    /// Of n n^T.
    nn: DMat3,
    /// Of n n^T (n . c), with c the centre of the sphere.
    nnc: DMat3,
}

impl Part {
    /// Nothing of the sphere, and all of it.
    const NONE: Self = Self { one: 0.0, n: DVec3::ZERO, nn: DMat3::ZERO, nnc: DMat3::ZERO };

    fn all() -> Self {
        Self { one: 2.0 * TAU, nn: DMat3::IDENTITY * (2.0 * TAU / 3.0), ..Self::NONE }
    }

    /// The part of sphere `k`; none where its arcs do not close.
    fn of(balls: &[Ball], k: usize) -> Option<Self> {
        let (center, radius) = balls[k];
        let mut caps = Vec::new();
        for (j, &(other, reach)) in balls.iter().enumerate() {
            let apart = (other - center).length();
            if j == k || apart >= radius + reach || apart + reach <= radius {
                continue;
            }
            if apart + radius <= reach {
                return Some(Self::NONE);
            }
            caps.push(Cap::new((other - center) / apart, radius, apart, reach));
        }
        if caps.is_empty() {
            return Some(Self::all());
        }
        let arcs: Vec<Arc> = (0..caps.len()).flat_map(|a| arcs_of(&caps, a)).collect();
        if arcs.is_empty() {
            return Some(Self::NONE);
        }
        let gap: DVec3 = arcs.iter().map(|arc| arc.cap.at(arc.to) - arc.cap.at(arc.from)).sum();
        (gap.length() < CLOSED).then(|| Self::bounded_by(&arcs, &caps, center))
    }

    /// The integrals by those along the arcs.
    ///
    /// ```text
    /// int n        = -1/2 oint nu
    /// int n n^T    = 1/3 int 1 - 1/6 oint (nu n^T + n nu^T)
    /// int n_a n_b n_c = 1/5 (d_ab int n_c + ...) - 1/12 oint [nu_a n_b n_c + ... - 1/5 (d_ab nu_c + ...)]
    /// ```
    fn bounded_by(arcs: &[Arc], caps: &[Cap], c: DVec3) -> Self {
        let (mut by_nu, mut by_nn, mut by_nnc) = (DVec3::ZERO, DMat3::ZERO, DMat3::ZERO);
        for arc in arcs {
            arc.integrate(|n, nu, ds| {
                let (n_c, nu_c, both) = (n.dot(c), nu.dot(c), outer(nu, n) + outer(n, nu));
                by_nu += nu * ds;
                by_nn += both * ds;
                let traces = DMat3::IDENTITY * nu_c + outer(nu, c) + outer(c, nu);
                by_nnc += (both * n_c + outer(n, n) * nu_c - traces * 0.2) * ds;
            });
        }
        let one = solid_angle(arcs, caps);
        let n = by_nu * -0.5;
        let nn = DMat3::IDENTITY * (one / 3.0) - by_nn * (1.0 / 6.0);
        let traces = DMat3::IDENTITY * n.dot(c) + outer(n, c) + outer(c, n);
        Self { one, n, nn, nnc: traces * 0.2 - by_nnc * (1.0 / 12.0) }
    }
}

/// What a sphere covers of another one: all directions nearer to the axis than the edge is.
#[derive(Clone, Copy, Debug)]
struct Cap {
    axis: DVec3,
    cos: f64,
    sin: f64,
    /// Two directions across the axis, right-handed with it.
    across: [DVec3; 2],
}

impl Cap {
    /// `cos = (d^2 + r^2 - s^2)/(2 d r)`: a sphere of radius s at a distance d from one of radius r.
    fn new(axis: DVec3, radius: f64, apart: f64, reach: f64) -> Self {
        // (r - s)(r + s) loses less than the difference of squares.
        let cos =
            ((apart * apart + (radius - reach) * (radius + reach)) / (2.0 * apart * radius)).clamp(-1.0, 1.0);
        let first = axis.any_orthonormal_vector();
        Self { axis, cos, sin: ((1.0 - cos) * (1.0 + cos)).sqrt(), across: [first, axis.cross(first)] }
    }

    fn round(&self, angle: f64) -> DVec3 {
        angle.cos() * self.across[0] + angle.sin() * self.across[1]
    }

    /// The point of the edge at an angle.
    fn at(&self, angle: f64) -> DVec3 {
        self.cos * self.axis + self.sin * self.round(angle)
    }

    fn covers(&self, direction: DVec3) -> bool {
        direction.dot(self.axis) > self.cos
    }
}

/// A piece of a cap's edge that no other cap covers.
#[derive(Clone, Copy, Debug)]
struct Arc {
    cap: Cap,
    from: f64,
    to: f64,
}

impl Arc {
    /// Pieces of at most a quarter of a turn.
    fn pieces(&self) -> impl Iterator<Item = (f64, f64)> + use<> {
        let count = ((self.to - self.from) / (0.25 * TAU)).ceil().max(1.0);
        let (from, step) = (self.from, (self.to - self.from) / count);
        (0..count as usize).map(move |k| (from + k as f64 * step, from + (k + 1) as f64 * step))
    }

    /// Calls `add` with the normal, the direction along the sphere out of the part (into the cap), and the length, for all
    /// nodes of the rule.
    fn integrate(&self, mut add: impl FnMut(DVec3, DVec3, f64)) {
        let Cap { axis, cos, sin, .. } = self.cap;
        for (from, to) in self.pieces() {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            for (node, weight) in GAUSS.into_iter().flat_map(|(x, w)| [(x, w), (-x, w)]) {
                let round = self.cap.round(middle + half * node);
                add(cos * axis + sin * round, sin * axis - cos * round, weight * half * sin);
            }
        }
    }

    /// Solid angle that a pole sees to the left of the arc \[sr\], up to multiples of 4 pi: triangles to the chord, and the
    /// segment between chord and arc, which is a sector less its triangle.
    fn swept(&self, pole: DVec3) -> f64 {
        let Cap { axis, cos, .. } = self.cap;
        let piece = |(from, to): (f64, f64)| {
            let (p, q) = (self.cap.at(from), self.cap.at(to));
            let segment = if cos >= 0.0 {
                (to - from) * (1.0 - cos) - triangle(axis, p, q)
            } else {
                -(to - from) * (1.0 + cos) - triangle(-axis, p, q)
            };
            triangle(pole, p, q) + segment
        };
        self.pieces().map(piece).sum()
    }
}

/// Signed solid angle of a spherical triangle \[sr\], positive counter-clockwise from outside \[OS83\].
fn triangle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    2.0 * f64::atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

/// The pieces of the edge of cap `k` that the others leave free.
fn arcs_of(caps: &[Cap], k: usize) -> Vec<Arc> {
    let cap = caps[k];
    let mut covered: Vec<(f64, f64)> = Vec::new();
    for (j, other) in caps.iter().enumerate() {
        if j == k {
            continue;
        }
        // Covered where cos (axis . b) + sin m cos(t - t0) > cos of the other.
        let (x, y) = (cap.across[0].dot(other.axis), cap.across[1].dot(other.axis));
        let (swing, level) = (cap.sin * x.hypot(y), other.cos - cap.cos * cap.axis.dot(other.axis));
        if level >= swing {
            continue;
        }
        if level <= -swing {
            return Vec::new();
        }
        let (middle, half) = (y.atan2(x).rem_euclid(TAU), (level / swing).clamp(-1.0, 1.0).acos());
        let (from, to) = (middle - half, middle + half);
        if from < 0.0 {
            covered.extend([(0.0, to), (from + TAU, TAU)]);
        } else if to > TAU {
            covered.extend([(from, TAU), (0.0, to - TAU)]);
        } else {
            covered.push((from, to));
        }
    }
    covered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut arcs, mut free_from) = (Vec::new(), 0.0);
    for (from, to) in covered.into_iter().chain([(TAU, TAU)]) {
        if from > free_from {
            arcs.push(Arc { cap, from: free_from, to: from });
        }
        free_from = to.max(free_from);
    }
    arcs
}

/// Solid angle of the part that arcs bound \[sr\]; it lies to the right of each, outside of its cap.
fn solid_angle(arcs: &[Arc], caps: &[Cap]) -> f64 {
    // Seen from a pole whose opposite is far from all edges.
    let clearance = |direction: DVec3| {
        let to_edge = |cap: &Cap| (direction.dot(cap.axis).clamp(-1.0, 1.0).acos() - cap.cos.acos()).abs();
        caps.iter().map(to_edge).fold(PI, f64::min)
    };
    let away = (0..DIRECTIONS).map(direction).max_by(|a, b| clearance(*a).total_cmp(&clearance(*b)));
    let pole = -away.unwrap_or(DVec3::Z);
    let sum: f64 = arcs.iter().map(|arc| arc.swept(pole)).sum();
    let angle = (-sum).rem_euclid(2.0 * TAU);
    let (low, high) = (angle < UNCERTAIN, angle > 2.0 * TAU - UNCERTAIN);
    if !low && !high {
        return angle;
    }
    let free = (0..DIRECTIONS).filter(|&k| !caps.iter().any(|cap| cap.covers(direction(k)))).count();
    match (low, 2 * free > DIRECTIONS) {
        (true, true) => angle + 2.0 * TAU,
        (false, false) => angle - 2.0 * TAU,
        _ => angle,
    }
}

/// Directions spread over the sphere, on a spiral of golden angles.
fn direction(k: usize) -> DVec3 {
    let z = 1.0 - (2.0 * k as f64 + 1.0) / DIRECTIONS as f64;
    let (across, angle) = ((1.0 - z * z).sqrt(), k as f64 * PI * (3.0 - 5f64.sqrt()));
    DVec3::new(across * angle.cos(), across * angle.sin(), z)
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
