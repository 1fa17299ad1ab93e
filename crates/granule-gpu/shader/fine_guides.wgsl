// Guides by cell; twin of upsample/guide_grid.rs.

// Three records each: position and whether it moves, displacement and radius, velocity. Those of the frame's end follow those of its start.
@group(0) @binding(2) var<storage, read> guides: array<vec4<f32>>;

// Weight of a guide at a squared distance, within its own support of three of its radii; twin of GuideGrid::weight.
fn weight_of(j: u32, square: f32) -> f32 {
    let scaled = square * (1.0 / (frame.support * frame.support));
    if frame.sized == 0u {
        return guide_weight(scaled);
    }
    let ratio = frame.support / (3.0 * guides[3u * j + 1u].w);
    return guide_weight(scaled * (ratio * ratio));
}

// First and end of the guides in the three cells of row k around a cell.
fn guide_row(cell: vec3<u32>, k: u32) -> vec2<u32> {
    let row = cell_index(vec3(cell.x - 1u, cell.y + k % 3u - 1u, cell.z + k / 3u - 1u), frame.cells.xyz);
    return vec2(tables[frame.starts + row], tables[frame.starts + row + 3u]);
}

// The same at the frame's end.
fn row_after(cell: vec3<u32>, k: u32) -> vec2<u32> {
    let row = cell_index(vec3(cell.x - 1u, cell.y + k % 3u - 1u, cell.z + k / 3u - 1u), frame.after_cells.xyz);
    return vec2(tables[frame.after_starts + row], tables[frame.after_starts + row + 3u]) + vec2(frame.after_cells.w);
}
