// Periods of space, of position-based sand.

fn exact_domain() -> ExactDomain {
    return ExactDomain(
        ExactPosition(pbd.origin_xy.xy, pbd.origin_xy.zw, pbd.origin_z.xy),
        ExactPosition(pbd.length_xy.xy, pbd.length_xy.zw, pbd.length_z.xy),
    );
}
