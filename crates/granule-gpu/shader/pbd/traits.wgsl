// Hook: lists are kept as long as they hold, and the length of a step is fixed.

const KEEPS_LISTS: bool = true;
const MEASURES_ACCELERATION: bool = false;
// Speeds matter to the skin of new lists only.
const MEASURES_LISTED: bool = false;
