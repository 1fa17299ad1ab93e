// The motion of a periodic cell that strains, for what drifts with it: twin of CellMotion in crates/granule/src/cell.rs.

override STRAINS: bool = false;

fn center_of_cell() -> ExactPosition {
    return ExactPosition(dem.motion.center_xy.xy, dem.motion.center_xy.zw, dem.motion.center_z.xy);
}

// How far the cell takes a point along in the step [m].
fn way_with_cell(point: ExactPosition) -> vec3<f32> {
    return dem.motion.stretch.xyz * position_difference(point, center_of_cell());
}
