// Hook: lists are kept as long as they hold, and accelerations bound the step.

const KEEPS_LISTS: bool = true;
const MEASURES_ACCELERATION: bool = true;
