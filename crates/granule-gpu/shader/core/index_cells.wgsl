// Takes over the number of occupied cells.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;

@compute @workgroup_size(1)
fn index_cells() {
    // Lists that hold have no cells to count.
    if step.phase != PREPARED || step.sort_count == 0u || step.listed == 1u {
        return;
    }
    step.cell_count = sums[(step.sort_count + TILE - 1u) / TILE];
    step.cells_needed = step.cell_count;
    if step.cell_count > params.cell_capacity {
        arguments[LIVE] = vec4(0u, 1u, 1u, 0u);
        arguments[SEARCH] = vec4(0u, 1u, 1u, 0u);
        return;
    }
    arguments[CELLS] = groups_for(step.cell_count, WORKGROUP);
}
