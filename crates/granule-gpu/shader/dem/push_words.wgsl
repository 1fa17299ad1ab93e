// Words of the sums of what grains do to a boundary, in `pushes`: force and torque, two for each coordinate; the number of contacts.
const PUSH_WORDS: u32 = 16u;
const PUSH_CONTACTS: u32 = 12u;
