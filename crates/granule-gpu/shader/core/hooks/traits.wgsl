// Hook: lists are built anew in every step, and its length does not depend on accelerations.

const KEEPS_LISTS: bool = false;
const MEASURES_ACCELERATION: bool = false;
// Particles are measured in every step, also in those whose lists hold.
const MEASURES_LISTED: bool = true;
