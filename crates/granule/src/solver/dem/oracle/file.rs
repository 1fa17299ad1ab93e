//! Oracle files: a scene of a few grains, and the trajectory that another program computed for it.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::solver::dem::contact::material::{
    Elasticity, damping_of_hertz, effective_modulus, effective_shear_modulus,
};
use crate::solver::dem::contact::{
    Damping, Normal, NormalModel, PairLaw, Rolling, Tangential, TangentialModel, Twisting,
};

/// A scene of a few grains with a trajectory, SI.
#[derive(Clone, Debug, Deserialize)]
pub struct Oracle {
    /// What it is called.
    pub name: String,
    /// What happens in it.
    #[serde(default)]
    pub about: String,
    /// How far trajectories may be apart.
    pub tolerance: Tolerance,
    /// The law of all contacts.
    pub law: OracleLaw,
    /// Length of a step \[s\].
    pub dt: f64,
    /// Number of steps.
    pub steps: u32,
    /// Gravity [m/s2].
    #[serde(default)]
    pub gravity: [f64; 3],
    /// Walls.
    #[serde(default)]
    pub walls: Vec<OracleWall>,
    /// Initial states: position \[m\], velocity [m/s], angular velocity [rad/s], radius \[m\], density [kg/m3].
    pub spheres: Vec<[f64; 11]>,
    /// Rigid grains made of spheres.
    #[serde(default)]
    pub clumps: Vec<OracleClump>,
    /// Spheres that forces do not move, by their index.
    #[serde(default)]
    pub prescribed: BTreeMap<usize, Prescribed>,
    /// States of all spheres at some steps.
    pub samples: Vec<Sample>,
    /// Energies at some steps.
    #[serde(default)]
    pub energies: Vec<Energies>,
}

/// Largest scaled differences of a trajectory.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Tolerance {
    /// In single precision, with exact positions.
    pub f32: f64,
    /// In double precision.
    pub f64: f64,
    /// Of energies in single precision, relative.
    pub f32_energy: Option<f64>,
}

/// The law of all contacts of a scene.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct OracleLaw {
    /// Young's modulus \[Pa\].
    #[serde(rename = "E")]
    pub young: f64,
    /// Poisson's ratio \[1\].
    #[serde(rename = "nu")]
    pub poisson: f64,
    /// Coefficient of restitution \[1\]; of cohesive laws the damping gamma_n [1/(m s)].
    pub e: f64,
    /// Tangential damping over normal damping \[1\].
    pub xt: f64,
    /// Coefficient of friction \[1\].
    pub mu: f64,
    /// The normal law.
    pub normal: OracleNormal,
    /// Surface energy [J/m2].
    #[serde(default)]
    pub gamma_s: f64,
    /// Whether dashpots may not pull.
    #[serde(default)]
    pub limit_damping: bool,
    /// Resistance to rolling.
    pub rolling: Option<OracleResistance>,
    /// Resistance to twisting.
    pub twisting: Option<OracleResistance>,
}

/// Normal laws that files know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OracleNormal {
    /// Elastic spheres.
    Hertz,
    /// With a constant pull.
    Dmt,
    /// With a neck.
    Jkr,
}

/// Spring, dashpot and slider against rolling or twisting.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct OracleResistance {
    /// Which law; spring, dashpot and slider where absent.
    #[serde(default)]
    pub style: Style,
    /// Stiffness [N/m] or [N m/rad].
    pub k: f64,
    /// Damping [N s/m] or [N m s/rad].
    pub gamma: f64,
    /// Friction \[1\] or \[m\].
    pub mu: f64,
}

/// Which law resists rolling or twisting.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Spring, dashpot and slider.
    #[default]
    Sds,
}

impl OracleLaw {
    /// The law as the engine has it.
    pub fn pair_law(&self) -> PairLaw<f64> {
        let material = Elasticity { young: self.young, poisson: self.poisson };
        let cohesive = self.normal != OracleNormal::Hertz;
        PairLaw {
            normal: Normal {
                model: match self.normal {
                    OracleNormal::Hertz => NormalModel::Hertz,
                    OracleNormal::Dmt => NormalModel::Dmt,
                    OracleNormal::Jkr => NormalModel::Jkr,
                },
                stiffness: effective_modulus(material, material),
                surface_energy: self.gamma_s,
                damping: if cohesive { Damping::Viscoelastic } else { Damping::Restitution },
                damping_factor: if cohesive { self.e } else { damping_of_hertz(self.e) },
                limit_damping: self.limit_damping,
            },
            tangential: Tangential {
                model: TangentialModel::MindlinRescale,
                stiffness: 8.0 * effective_shear_modulus(material, material),
                damping_ratio: self.xt,
                friction: self.mu,
            },
            rolling: self.rolling.map(|r| Rolling { stiffness: r.k, damping: r.gamma, friction: r.mu }),
            twisting: self.twisting.map(|r| Twisting { stiffness: r.k, damping: r.gamma, friction: r.mu }),
            capillary: None,
        }
    }
}

/// A wall: planes across an axis, of which the nearer one acts, or the inside of a cylinder along it through the origin.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct OracleWall {
    /// 0, 1 or 2: x, y or z.
    pub axis: usize,
    /// Where grains are above \[m\].
    #[serde(default)]
    pub lo: Option<f64>,
    /// Where grains are below \[m\].
    #[serde(default)]
    pub hi: Option<f64>,
    /// What kind of wall; planes where absent.
    #[serde(default)]
    pub kind: WallKind,
    /// Radius of a cylinder \[m\].
    #[serde(default)]
    pub radius: f64,
}

/// What kind of wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WallKind {
    /// Planes across an axis.
    #[default]
    Planes,
    /// The inside of a cylinder.
    Cylinder,
}

/// A rigid grain made of spheres.
#[derive(Clone, Debug, Deserialize)]
pub struct OracleClump {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub com: [f64; 3],
    /// Inertia about it in the axes of space, xx, yy, zz, xy, xz, yz [kg m2].
    pub inertia: [f64; 6],
    /// Velocity of the centre [m/s].
    pub vcm: [f64; 3],
    /// Angular momentum about the centre [kg m2/s].
    pub angmom: [f64; 3],
    /// Its spheres.
    pub members: Vec<usize>,
}

/// How a sphere moves that forces do not move.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Prescribed {
    /// Not at all.
    Fixed,
    /// x = x_0 + ax sin(2 pi t/px), z = z_0 - az (1 - cos(2 pi t/pz))/2.
    Moving {
        /// Amplitude along x \[m\].
        ax: f64,
        /// Period along x \[s\].
        px: f64,
        /// Amplitude along z \[m\].
        az: f64,
        /// Period along z \[s\].
        pz: f64,
    },
}

/// States of all spheres after a number of steps.
#[derive(Clone, Debug, Deserialize)]
pub struct Sample {
    /// After how many steps.
    pub step: u32,
    /// Position, velocity, angular velocity, and, in some files, force and torque of every sphere.
    pub state: Vec<Vec<f64>>,
}

/// Energies of all spheres after a number of steps \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Energies {
    /// After how many steps.
    pub step: u32,
    /// Of motion.
    pub kinetic: f64,
    /// Of rotation.
    pub rotation: f64,
    /// Of height.
    pub potential: f64,
}

/// Why a text is not an oracle file.
#[derive(Debug, Error)]
pub enum OracleError {
    /// It is not the JSON of one.
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
    /// Something in it does not fit.
    #[error("{name}: {what}")]
    Content {
        /// The oracle's name.
        name: String,
        /// What does not fit.
        what: String,
    },
}

impl Oracle {
    /// Reads and checks the text of a file.
    pub fn from_json(text: &str) -> Result<Self, OracleError> {
        let oracle: Self = serde_json::from_str(text)?;
        match oracle.fault() {
            None => Ok(oracle),
            Some(what) => Err(OracleError::Content { name: oracle.name, what }),
        }
    }

    /// What does not fit.
    fn fault(&self) -> Option<String> {
        let count = self.spheres.len();
        if !(self.dt > 0.0 && self.dt.is_finite()) {
            return Some(format!("dt is {}, not a positive length of time", self.dt));
        }
        if self.spheres.iter().any(|sphere| !(sphere[9] > 0.0 && sphere[10] > 0.0)) {
            return Some("a sphere has no volume or no mass".into());
        }
        if let Some(sample) = self.samples.iter().find(|sample| sample.state.len() != count) {
            return Some(format!(
                "step {} has {} states of {count} spheres",
                sample.step,
                sample.state.len()
            ));
        }
        let rows = || self.samples.iter().flat_map(|sample| &sample.state);
        let columns = rows().next().map_or(9, Vec::len);
        if !matches!(columns, 9 | 15) || rows().any(|row| row.len() != columns) {
            return Some("states are not of 9 or of 15 columns throughout".into());
        }
        if self.walls.iter().any(|wall| wall.axis > 2) {
            return Some("axes of walls are 0, 1 or 2".into());
        }
        if let Some(error) = self.clumps.iter().find_map(|clump| clump.properties().err()) {
            return Some(error.to_string());
        }
        let members = self.clumps.iter().flat_map(|clump| &clump.members);
        members
            .chain(self.prescribed.keys())
            .find(|index| **index >= count)
            .map(|index| format!("there is no sphere {index} among {count}"))
    }
}
