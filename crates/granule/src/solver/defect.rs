//! Deliberate faults for negative controls: each must make a named gate fail.

/// A deliberate fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// `iisph`: the frictional stress has the sign that \[Ned24\] prints.
    StressSign,
    /// `iisph`: walls keep particles 2.33 radii away, as volume maps in the reference code do.
    WallStandOff,
    /// All: one of the nine rows of cells around a particle is not searched.
    MissingNeighborRow,
    /// `wcsph`: viscosity has the sign that Miller prints, which speeds differences up.
    ViscositySign,
    /// `wcsph`: the gradient of poly6 has the sign that Miller prints, so normals point inward.
    NormalSign,
    /// `wcsph`: the near branch of the cohesion spline misses its factor on the constant, as in the reference code.
    CohesionBranch,
    /// `dem`: tangential springs are not relaxed at unloading.
    UnscaledHistory,
    /// `dem`: dashpots along the normal push where they should brake.
    DampingSign,
    /// `pbd`: contacts begin with 0.99 of the impulses of the step before.
    WeakWarmStart,
    /// `pbd`: what pushes overlapping grains apart becomes velocity.
    PushAsVelocity,
}

impl Defect {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::StressSign,
        Self::WallStandOff,
        Self::MissingNeighborRow,
        Self::ViscositySign,
        Self::NormalSign,
        Self::CohesionBranch,
        Self::UnscaledHistory,
        Self::DampingSign,
        Self::WeakWarmStart,
        Self::PushAsVelocity,
    ];
}
