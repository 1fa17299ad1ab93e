// Hook: lists are kept as long as they hold, and the length of a step is fixed.

const KEEPS_LISTS: bool = true;
const MEASURES_ACCELERATION: bool = false;
// Nothing is measured as long as lists hold: the step is as long as it is, and nobody looks for cells.
const MEASURES_LISTED: bool = false;
