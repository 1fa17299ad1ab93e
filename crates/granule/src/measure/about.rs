//! What experiments are about, for people: how each is set up and where its references come from.

/// An experiment in words.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Name of the experiment.
    pub experiment: &'static str,
    /// How it is set up.
    pub set_up: &'static str,
    /// Where its references come from.
    pub source: &'static str,
}

const fn row(experiment: &'static str, set_up: &'static str, source: &'static str) -> About {
    About { experiment, set_up, source }
}

const ROWS: &[About] = &[
    row(
        "slope",
        "A slab ten particles deep on a rough plane, periodic along and across, settles on the level and is then tilted: three \
         degrees below its friction angle it must hold, three degrees above it must flow as fast as layers under Coulomb friction do.",
        "The infinite slope: shear stress is tan(slope) times the normal stress at every depth.",
    ),
    row(
        "rest",
        "A poured heap and a half pile against a smooth wall settle and are then watched. Nothing is damped, frozen or put to sleep.",
        "A pile that stands stays: its crest, speed and volume do not change, and friction takes energy out.",
    ),
    row(
        "stay",
        "A cone of grains on a floor of spheres settles and is then watched. Nothing is damped, frozen or put to sleep.",
        "A heap that stands stays: its crest does not sink, and its grains stop.",
    ),
    row(
        "repose",
        "Grains are poured slowly onto a rough floor from just above the crest. The slope is read between 20 and 80 % of the height, \
         as the mean over 16 sectors.",
        "The friction angle that the material was given.",
    ),
    row(
        "collapse",
        "Upright columns of several aspect ratios on a smooth plate are let go at once. Runout and final height are over the first \
         radius, the runout as the mean over 16 sectors.",
        "Lube, Huppert, Sparks and Hallworth 2004: runout 1.24 a below a = 1.7, 1.6 a^(1/2) above; height 0.88 a^(1/6). \
         Lajeunesse, Mangeney and Vilotte 2004: height 0.74 r0 of tall columns of glass beads.",
    ),
    row(
        "hydrostatic",
        "Beds of sand and of fluid, periodic across, come to rest on a floor. Vertical stress is read over depth, with the height of \
         the first layer and the error of the density.",
        "The stress carries the weight above: rho g times the depth.",
    ),
    row(
        "dam",
        "A column of water, twice as high as long and periodic across, is let go at once. The time that a gate takes is fitted as one \
         delay for all points.",
        "Martin and Moyce 1952, front of a collapsing column, n^2 = 2.",
    ),
    row(
        "droplet",
        "Drops of several radii without gravity, with surface tension; the pressure inside is what pairs bear and particles carry. \
         Then a short cylinder contracts and swings.",
        "Laplace's law, and Rayleigh's period of the first mode of a drop.",
    ),
    row(
        "liquid",
        "Two layers of water in a periodic box move against each other; and two particles attract each other until they rest.",
        "The analytic decay of a shear wave, exp(-nu k^2 t), and the zero of the cohesion spline.",
    ),
    row(
        "discharge",
        "An hourglass of two cones runs out from two fill heights. The sand that has passed the neck is counted over time.",
        "Beverloo, Leniger and van de Velde 1961: the rate is constant and knows the neck, not the height.",
    ),
    row(
        "drum",
        "A drum turns with sand of three friction angles. The inclination of the surface is read after it has become steady.",
        "Dury, Ristow, Moss and Nakagawa 1998: the dynamic angle lies above the angle of repose by up to about 10 degrees.",
    ),
    row(
        "upsample",
        "Built-in scenes with fine grains of 0.3 of the particles' radius, looked at when they are settled and again later.",
        "Volume of the guides, blue noise, free fall: fine grains must keep volume, spread evenly, let go of walls, rest and fly.",
    ),
    row(
        "impact",
        "Two spheres meet head-on at three speeds and five restitutions.",
        "The equation of motion of a Hertzian contact with its dashpot, solved to rounding.",
    ),
    row(
        "oblique",
        "Spheres hit a plane at angles from nearly straight to grazing.",
        "Maw, Barber and Fawcett 1976, and the same law computed by LAMMPS.",
    ),
    row(
        "rolling",
        "A sphere is launched along a plane without spin: it slides, then rolls.",
        "Newton's law for a sliding and for a rolling sphere: a = g_x - mu g and 5/7 (g_x - mu_r g).",
    ),
    row(
        "hold",
        "A sphere on a plane under a sideways gravity of two fifths of what rolling friction bears.",
        "Springs bear what is below the limit: after they are stretched nothing moves.",
    ),
    row(
        "packing",
        "Spheres are poured at random onto a floor, periodic across, without friction and with it. Fraction and contacts are read \
         away from base and surface.",
        "Random close packing, 0.639 with six contacts per grain; the loss by friction from LAMMPS with the same law.",
    ),
    row(
        "orifice",
        "Silos with round holes of three diameters in a flat bottom are opened when their grains rest.",
        "Beverloo, Leniger and van de Velde 1961: W = C rho sqrt(g) (D - k d)^(5/2).",
    ),
    row(
        "funnel",
        "A cone of 45 degrees with a hole of eight diameters runs out with three frictions: Longmore's ninth experiment.",
        "Longmore 2009: the rate is constant, and slower for rougher grains.",
    ),
    row(
        "forces",
        "Contact forces in beds of spheres and of tetrahedra at rest, over the mean of their depth, away from walls: Longmore's \
         experiments 1 and 3 to 6.",
        "Silbert, Grest and Landry 2002, and Longmore 2009: an exponential tail of rate 1.35.",
    ),
    row(
        "load",
        "A plate presses a bed with twenty times its weight; forces on grains are the sums of what their contacts bear: Longmore's \
         experiment 2.",
        "Longmore 2009: a peak near the mean, and a narrow shape.",
    ),
    row(
        "oedometer",
        "Tetrahedra between a base and a plate are pressed together by 5 % and let go, twice: Longmore's experiment 7.",
        "Longmore 2009, after measurements on maize: work is lost, two thirds of the strain come back, the second loop is narrower.",
    ),
    row(
        "zhou",
        "Spheres run off both sides of a plate. The heap that is left is measured for several sliding and rolling frictions.",
        "Zhou, Xu, Yu and Zulli 2002: the angle by powers of both frictions.",
    ),
    row(
        "planar",
        "Columns between two panes on a rough floor are let go at once.",
        "Lube, Huppert, Sparks and Freundt 2005: runout 1.2 a below a = 2.3, 1.9 a^(2/3) above.",
    ),
    row(
        "tumbler",
        "A half-full drum, periodic along its axis, turns at two Froude numbers; then it is filled with two sizes of grains, mixed.",
        "The inclination is steady and grows with speed; small grains gather in a core.",
    ),
    row(
        "janssen",
        "A tall silo whose wall is slowly raised, so that all of its friction acts upwards. Stress is the force that contacts carry \
         through level planes.",
        "Janssen 1895, with the wall moved as Vanel and Clement 1999 ask for: the stress saturates with depth.",
    ),
    row(
        "piles",
        "Beds of spheres and of tetrahedra are tilted by and by until they give way, with friction that remembers and with viscous \
         friction.",
        "Longmore 2009: with viscous friction, grains of four spheres pile up where single spheres flow apart.",
    ),
    row(
        "incline",
        "Grains on a floor of random spheres, periodic across, flow until their energy is steady; then the slope is set to 17 degrees.",
        "Bagnold's profile with the exponent 3/2, a uniform fraction (Silbert et al. 2001), and LAMMPS with the same law.",
    ),
    row(
        "segregation",
        "One sphere three times as large as the others lies at the bottom of a bed on a floor that shakes.",
        "The Brazil-nut effect: the large sphere rises, one of the size of the others does not.",
    ),
    row(
        "shear",
        "Spheres between two ribbed plates, periodic along and across, without gravity. The upper plate holds a pressure and is led \
         along: dense and loose samples slowly, the dense one then faster. Stresses are weighed at both plates and in the middle.",
        "Friction 0.382 and fraction 0.587 of spheres of friction 0.5 in slow shear (Chialvo, Sun and Sundaresan 2012); friction over \
         the inertial number by Jop, Forterre and Pouliquen 2006, after da Cruz et al. 2005; 0.10 without friction (Peyneau and Roux \
         2008).",
    ),
    row(
        "triaxial",
        "Periodic cells of spheres without gravity are packed by pressure, densely and loosely, and shortened along one axis while \
         the lateral stress is held. Stress is what contacts carry, volume that of the cell.",
        "The critical state of soil mechanics (Schofield and Wroth 1968); friction 0.382 and fraction 0.587 of spheres of friction \
         0.5 (Chialvo, Sun and Sundaresan 2012); Bolton 1986 for the peak, Rowe 1962 for stress and dilation; frictionless spheres \
         5.76 degrees and no dilation (Peyneau and Roux 2008).",
    ),
];

/// An experiment in words.
pub fn about(experiment: &str) -> Option<&'static About> {
    ROWS.iter().find(|row| row.experiment == experiment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::EXPERIMENTS;

    #[test]
    fn every_experiment_is_told_in_words() {
        let told: Vec<&str> = ROWS.iter().map(|row| row.experiment).collect();
        let experiments: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(told, experiments);
    }
}
