// Classes of fine grains of one radius.
const CLASSES: u32 = 256u;

// The class of an id; twin of `class_of` in upsample/radii.rs.
fn class_of(id: u32) -> u32 {
    let spread = id * 0x9e3779b1u;
    let folded = (spread ^ (spread >> 15u)) * 0x2545f491u;
    return ((folded ^ (folded >> 13u)) * 0x9e3779b1u) >> 24u;
}
