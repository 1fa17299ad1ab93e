//! How a rigid assembly moves: momentum and angular momentum change by forces, the pose follows from them.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::eight::Number;
use super::mass::MassProperties;
use crate::position::ExactPosition;

/// A force and its torque about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force \[N\].
    pub force: DVec3,
    /// Torque about the centre of mass [N m].
    pub torque: DVec3,
}

/// A rigid assembly: where it is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    /// Identity, never reused within a simulation.
    pub id: u32,
    /// Centre of mass.
    pub position: ExactPosition,
    /// Turns the frame of the shape into the world's.
    pub orientation: DQuat,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the centre of mass, in the world's axes [kg m2/s].
    pub angular_momentum: DVec3,
    /// Mass and inertia. Offsets of members are relative to its centre.
    pub properties: MassProperties,
}

impl Assembly {
    /// Velocity of the centre of mass [m/s].
    pub fn velocity(&self) -> DVec3 {
        self.momentum / self.properties.mass
    }

    /// Angular velocity, in the world's axes [rad/s].
    pub fn angular_velocity(&self) -> DVec3 {
        let axes = self.world_from_principal().to_array();
        DVec3::from(angular_velocity(
            axes,
            self.angular_momentum.to_array(),
            self.properties.inertia.to_array(),
        ))
    }

    /// Sets the angular velocity in the world's axes [rad/s].
    pub fn set_angular_velocity(&mut self, angular_velocity: DVec3) {
        let axes = self.world_from_principal();
        self.angular_momentum = axes * (self.properties.inertia * (axes.conjugate() * angular_velocity));
    }

    /// Kinetic energy of motion and rotation [J].
    pub fn kinetic_energy(&self) -> f64 {
        let linear = self.momentum.length_squared() / self.properties.mass;
        let axes = self.world_from_principal().to_array();
        let inertia = self.properties.inertia.to_array();
        0.5 * linear + rotational_energy(axes, self.angular_momentum.to_array(), inertia)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.orientation.is_finite() && self.momentum.is_finite() && self.angular_momentum.is_finite()
    }

    fn world_from_principal(&self) -> DQuat {
        self.orientation * self.properties.shape_from_principal
    }

    /// Lets a load act for `dt` [s].
    ///
    /// ```text
    /// P += dt F,   L += dt T
    /// ```
    pub fn kick(&mut self, load: &Load, dt: f64) {
        self.momentum += dt * load.force;
        self.angular_momentum += dt * load.torque;
    }

    /// Moves freely for `dt` [s]: both momenta stay what they are, to the bit. Returns the angular velocity in the middle
    /// of that time [rad/s], and whether the centre is still in the range of positions.
    pub fn drift(&mut self, dt: f64) -> (DVec3, bool) {
        let inside = self.position.advance_meters(dt * self.velocity());
        let turned = rotate_freely(
            self.orientation.to_array(),
            self.properties.shape_from_principal.to_array(),
            self.angular_momentum.to_array(),
            self.properties.inertia.to_array(),
            dt,
        );
        self.orientation = DQuat::from_array(turned.orientation);
        (DVec3::from(turned.middle), inside)
    }
}

/// Energy of a rotation \[J\].
#[inline(always)]
pub(super) fn rotational_energy<N: Number>(axes: [N; 4], angular_momentum: [N; 3], inertia: [N; 3]) -> N {
    let [a, b, c] = rotated(conjugate(axes), angular_momentum);
    N::splat(0.5) * (a * a / inertia[0] + b * b / inertia[1] + c * c / inertia[2])
}

/// Angular velocity [rad/s] of an angular momentum in the world's axes.
#[inline(always)]
pub(super) fn angular_velocity<N: Number>(axes: [N; 4], angular_momentum: [N; 3], inertia: [N; 3]) -> [N; 3] {
    let rows = matrix(axes);
    let columns = transposed(&rows);
    let [a, b, c] = turned_by(&columns, angular_momentum);
    turned_by(&rows, [a / inertia[0], b / inertia[1], c / inertia[2]])
}

#[inline(always)]
fn transposed<N: Number>(m: &[[N; 3]; 3]) -> [[N; 3]; 3] {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// What a free rotation leads to.
pub(super) struct Turned<N> {
    /// Turns the frame of the shape into the world's.
    pub(super) orientation: [N; 4],
    /// Angular velocity in the middle of the time [rad/s].
    pub(super) middle: [N; 3],
}

/// Turns an orientation freely for `dt` \[s\].
///
/// ```text
/// H = L_1^2/(2 I_1) + L_2^2/(2 I_2) + L_3^2/(2 I_3)      L_k along the principal axis k
/// R_1(dt/2) R_2(dt/2) R_3(dt) R_2(dt/2) R_1(dt/2)        R_k(t): turn about the axis k by t L_k/I_k
/// ```
/// Each part of the energy alone turns the body about one of its axes, which is solved exactly; their symmetric sequence
/// is symplectic, reversible and of second order \[DLM97\]. The angular momentum in the world's axes does not change in
/// any of them, so it is kept there, and nothing is lost; the energy swings about its value without drift.
#[inline(always)]
pub(super) fn rotate_freely<N: Number>(
    orientation: [N; 4],
    shape_from_principal: [N; 4],
    angular_momentum: [N; 3],
    inertia: [N; 3],
    dt: f64,
) -> Turned<N> {
    let axes = product(orientation, shape_from_principal);
    let half = N::splat(0.5 * dt);
    let rate = [half / inertia[0], half / inertia[1], half / inertia[2]];
    let mut frame = Turning { axes, momentum: rotated(conjugate(axes), angular_momentum) };
    frame.turn::<0>(rate[0]);
    frame.turn::<1>(rate[1]);
    frame.turn::<2>(rate[2]);
    let [a, b, c] = frame.momentum;
    let middle = rotated(frame.axes, [a / inertia[0], b / inertia[1], c / inertia[2]]);
    frame.turn::<2>(rate[2]);
    frame.turn::<1>(rate[1]);
    frame.turn::<0>(rate[0]);
    let orientation = normalized(product(frame.axes, conjugate(shape_from_principal)));
    Turned { orientation, middle }
}

/// Principal axes that turn about each other, and an angular momentum that does not, seen from them.
#[derive(Clone, Copy)]
struct Turning<N> {
    axes: [N; 4],
    momentum: [N; 3],
}

impl<N: Number> Turning<N> {
    /// Turns the axes about one of them, by the momentum along it times `rate`.
    #[inline(always)]
    fn turn<const AXIS: usize>(&mut self, rate: N) {
        let (a, b, c) = (AXIS, (AXIS + 1) % 3, (AXIS + 2) % 3);
        let (s, w) = (rate * self.momentum[a]).half_sine_and_cosine();
        let q = self.axes;
        self.axes[3] = q[3] * w - q[a] * s;
        self.axes[a] = q[a] * w + q[3] * s;
        self.axes[b] = q[b] * w + q[c] * s;
        self.axes[c] = q[c] * w - q[b] * s;
        let (sine, cosine) = (N::splat(2.0) * s * w, w * w - s * s);
        let [lb, lc] = [self.momentum[b], self.momentum[c]];
        self.momentum[b] = lb * cosine + lc * sine;
        self.momentum[c] = lc * cosine - lb * sine;
    }
}

/// The rotation b, then a.
#[inline(always)]
pub(super) fn product<N: Number>(a: [N; 4], b: [N; 4]) -> [N; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

#[inline(always)]
fn conjugate<N: Number>(q: [N; 4]) -> [N; 4] {
    [-q[0], -q[1], -q[2], q[3]]
}

#[inline(always)]
fn normalized<N: Number>(q: [N; 4]) -> [N; 4] {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).root();
    let scale = N::splat(1.0) / length;
    [q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale]
}

/// A vector turned by a unit quaternion.
#[inline(always)]
pub(super) fn rotated<N: Number>(q: [N; 4], v: [N; 3]) -> [N; 3] {
    turned_by(&matrix(q), v)
}

/// The rows of the matrix of a rotation.
#[inline(always)]
pub(super) fn matrix<N: Number>([x, y, z, w]: [N; 4]) -> [[N; 3]; 3] {
    let one = N::splat(1.0);
    let [x2, y2, z2] = [x + x, y + y, z + z];
    let [xx, xy, xz] = [x * x2, x * y2, x * z2];
    let [yy, yz, zz] = [y * y2, y * z2, z * z2];
    let [wx, wy, wz] = [w * x2, w * y2, w * z2];
    [
        [one - (yy + zz), xy - wz, xz + wy],
        [xy + wz, one - (xx + zz), yz - wx],
        [xz - wy, yz + wx, one - (xx + yy)],
    ]
}

/// A vector times the rows of a matrix.
#[inline(always)]
pub(super) fn turned_by<N: Number>(rows: &[[N; 3]; 3], v: [N; 3]) -> [N; 3] {
    [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
}

#[inline(always)]
pub(super) fn dot<N: Number>(a: [N; 3], b: [N; 3]) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
