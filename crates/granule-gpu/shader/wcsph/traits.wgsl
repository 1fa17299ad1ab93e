// Hook: lists are kept as long as they hold, and accelerations bound the step.

const KEEPS_LISTS: bool = true;
const MEASURES_ACCELERATION: bool = true;
// Particles are measured in every step, also in those whose lists hold.
const MEASURES_LISTED: bool = true;
