// Tables of blocks and cells of fine grains.

@group(0) @binding(1) var<storage, read> tables: array<u32>;

fn block_of_cell(cell: vec3<u32>) -> u32 {
    return tables[cell_index(cell, frame.cells.xyz)];
}

// The part of the fine grid that a cell is, or NONE.
fn part_of_cell(cell: vec3<u32>) -> u32 {
    return tables[frame.cell_parts + cell_index(cell, frame.cells.xyz)];
}

fn block_cell(block: u32) -> vec3<u32> {
    return cell_of_index(tables[frame.block_table + 4u * block]);
}

fn is_active(block: u32) -> bool {
    return (tables[frame.block_table + 4u * block + 1u] & 1u) != 0u;
}

// Whether a region may take a grain of a block whose displacement is not longer than the reach of walls.
fn is_near_region(block: u32) -> bool {
    return (tables[frame.block_table + 4u * block + 1u] & 2u) != 0u;
}

fn part_of_block(block: u32) -> u32 {
    return tables[frame.block_table + 4u * block + 2u];
}

fn walls_of_block(block: u32) -> u32 {
    return tables[frame.block_table + 4u * block + 3u];
}

fn block_of_part(part: u32) -> u32 {
    return tables[frame.part_table + part];
}

// The block so many cells off a cell, or NONE.
fn neighbor_block(cell: vec3<u32>, step: vec3<i32>) -> u32 {
    let other = vec3<i32>(cell) + step;
    if any(other < vec3(0)) || any(other >= vec3<i32>(frame.cells.xyz)) {
        return NONE;
    }
    return block_of_cell(vec3<u32>(other));
}
