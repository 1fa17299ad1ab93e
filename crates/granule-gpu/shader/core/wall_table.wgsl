// What a flat wall adds to the density; twin of sph/wall_table.rs.

const TABLE_CELLS: u32 = 1024u;

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(solid_table[params.wall_table + k / 4u][k % 4u]);
}

// Part of the kernel beyond a plane; twin of WallTable::lambda.
fn wall_lambda(phi: f32) -> f32 {
    if phi >= params.support {
        return 0.0;
    }
    if phi <= -params.support {
        return 1.0;
    }
    let place = (phi + params.support) * (f32(TABLE_CELLS) / (2.0 * params.support));
    let cell = min(u32(place), TABLE_CELLS - 1u);
    let a = table_entry(cell);
    return a + (place - f32(cell)) * (table_entry(cell + 1u) - a);
}
