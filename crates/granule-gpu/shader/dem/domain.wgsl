// Periods of space, of the method's constants.

fn exact_domain() -> ExactDomain {
    return ExactDomain(
        ExactPosition(dem.origin_xy.xy, dem.origin_xy.zw, dem.origin_z.xy),
        ExactPosition(dem.length_xy.xy, dem.length_xy.zw, dem.length_z.xy),
    );
}
