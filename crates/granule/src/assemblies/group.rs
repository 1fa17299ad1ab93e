//! Up to eight assemblies that move side by side, as one by one to the bit.

use super::eight::{EIGHT, Eight};
use super::motion::{
    Assembly, Turned, angular_velocity, cross, dot, matrix, product, rotate_freely, rotational_energy,
    turned_by,
};
use super::{Member, Shapes};

/// Three numbers of each of eight assemblies.
pub type Eight3 = [Eight; 3];

/// Forces \[N\] and torques about the centres of mass [N m] of eight assemblies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loads {
    /// Forces.
    pub force: Eight3,
    /// Torques.
    pub torque: Eight3,
}

/// Up to eight assemblies; the last one is repeated.
pub struct Group {
    momentum: Eight3,
    angular_momentum: Eight3,
    orientation: [Eight; 4],
    shape_from_principal: [Eight; 4],
    mass: Eight,
    inertia: Eight3,
    /// Rows of the matrices that turn their shapes.
    turned: [Eight3; 3],
}

#[inline(always)]
fn columns<const N: usize>(assemblies: &[Assembly], row: impl Fn(&Assembly) -> [f64; N]) -> [Eight; N] {
    let mut columns = [Eight::default(); N];
    for lane in 0..EIGHT {
        let row = row(&assemblies[lane.min(assemblies.len() - 1)]);
        for (column, number) in columns.iter_mut().zip(row) {
            column.0[lane] = number;
        }
    }
    columns
}

/// A lane of columns as a row.
#[inline(always)]
fn row<const N: usize>(columns: &[Eight; N], lane: usize) -> [f64; N] {
    let mut row = [0.0; N];
    for (number, column) in row.iter_mut().zip(columns) {
        *number = column.0[lane];
    }
    row
}

#[inline(always)]
fn added(sum: Eight3, scale: Eight, to: Eight3) -> Eight3 {
    [sum[0] + scale * to[0], sum[1] + scale * to[1], sum[2] + scale * to[2]]
}

impl Group {
    /// One to eight assemblies.
    #[inline(always)]
    pub fn new(assemblies: &[Assembly]) -> Self {
        let orientation = columns(assemblies, |a| a.orientation.to_array());
        Self {
            momentum: columns(assemblies, |a| a.momentum.to_array()),
            angular_momentum: columns(assemblies, |a| a.angular_momentum.to_array()),
            orientation,
            shape_from_principal: columns(assemblies, |a| a.properties.shape_from_principal.to_array()),
            mass: columns(assemblies, |a| [a.properties.mass])[0],
            inertia: columns(assemblies, |a| a.properties.inertia.to_array()),
            turned: matrix(orientation),
        }
    }

    /// Gives the assemblies their momenta and orientations.
    #[inline(always)]
    pub fn store(&self, assemblies: &mut [Assembly]) {
        for (lane, assembly) in assemblies.iter_mut().enumerate() {
            assembly.momentum = row(&self.momentum, lane).into();
            assembly.angular_momentum = row(&self.angular_momentum, lane).into();
            assembly.orientation = glam::DQuat::from_array(row(&self.orientation, lane));
        }
    }

    /// From the centres of mass to the k-th members, in the world's axes \[m\]; 0 where there is none.
    #[inline(always)]
    pub fn arms(&self, shapes: &Shapes, k: usize) -> Eight3 {
        let mut offset = [Eight::default(); 3];
        for lane in 0..shapes.len() {
            if let Some(Member { offset: place, .. }) = shapes.members(lane).get(k) {
                offset[0].0[lane] = f64::from(place.x);
                offset[1].0[lane] = f64::from(place.y);
                offset[2].0[lane] = f64::from(place.z);
            }
        }
        turned_by(&self.turned, offset)
    }

    /// Adds what acts on members at some arms \[m\] to loads.
    ///
    /// ```text
    /// F = sum f_k,   T = sum (x_k - x_cm) x f_k + t_k
    /// ```
    #[inline(always)]
    pub fn add_load(&self, sum: &mut Loads, arms: Eight3, force: Eight3, torque: Eight3) {
        let turning = cross(arms, force);
        for axis in 0..3 {
            sum.force[axis] = sum.force[axis] + force[axis];
            sum.torque[axis] = sum.torque[axis] + (turning[axis] + torque[axis]);
        }
    }

    /// Lets loads and gravity [m/s2] act for `dt` \[s\].
    #[inline(always)]
    pub fn kick(&mut self, loads: &Loads, gravity: [f64; 3], dt: f64) {
        let dt = Eight::all(dt);
        let [x, y, z] = gravity;
        let weight = [Eight::all(x), Eight::all(y), Eight::all(z)];
        self.momentum = added(self.momentum, dt, added(loads.force, self.mass, weight));
        self.angular_momentum = added(self.angular_momentum, dt, loads.torque);
    }

    /// Scales momenta.
    #[inline(always)]
    pub fn slow(&mut self, factor: [f64; 3]) {
        for (momentum, factor) in self.momentum.iter_mut().zip(factor) {
            *momentum = *momentum * Eight::all(factor);
        }
    }

    /// Energies of motion and rotation \[J\].
    #[inline(always)]
    pub fn kinetic_energy(&self) -> Eight {
        let linear = dot(self.momentum, self.momentum) / self.mass;
        Eight::all(0.5) * linear + rotational_energy(self.axes(), self.angular_momentum, self.inertia)
    }

    /// Velocities of the centres of mass [m/s].
    #[inline(always)]
    pub fn velocity(&self) -> Eight3 {
        let [x, y, z] = self.momentum;
        [x / self.mass, y / self.mass, z / self.mass]
    }

    /// Angular velocities [rad/s].
    #[inline(always)]
    pub fn angular_velocity(&self) -> Eight3 {
        angular_velocity(self.axes(), self.angular_momentum, self.inertia)
    }

    #[inline(always)]
    fn axes(&self) -> [Eight; 4] {
        product(self.orientation, self.shape_from_principal)
    }

    /// Turns all freely for `dt` \[s\]; gives the angular velocities in the middle of that time [rad/s].
    #[inline(always)]
    pub fn turn(&mut self, dt: f64) -> Eight3 {
        let Turned { orientation, middle } = rotate_freely(
            self.orientation,
            self.shape_from_principal,
            self.angular_momentum,
            self.inertia,
            dt,
        );
        self.orientation = orientation;
        self.turned = matrix(orientation);
        middle
    }
}
