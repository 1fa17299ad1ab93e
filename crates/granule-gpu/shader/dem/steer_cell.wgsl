// Lets the periodic cell know the stress of contacts: twin of StrainedCell::steer in crates/granule/src/cell.rs.

@group(0) @binding(0) var<storage, read> partials: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> cell: StrainedCell;

// Volume [m3]; axes that do not repeat count as a metre.
fn volume() -> f32 {
    var product = 1.0;
    for (var k = 0u; k < 3u; k++) {
        if any(cell.state.half_length[k] != vec2(0u)) {
            product *= meters_of(length_words(cell.state.half_length[k]));
        }
    }
    return product;
}

@compute @workgroup_size(256)
fn steer_cell(@builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED || dem.motion.steers == 0u {
        return;
    }
    var sum = vec4(0.0);
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    for (var block = thread; block < blocks; block += WORKGROUP) {
        sum += partials[4u * block + 2u];
    }
    sum = tree_sum(thread, sum);
    // Grains whose forces are not finite are about to be removed; the cell goes on as it was.
    if thread != 0u || !all(abs(sum) <= vec4(LARGEST)) {
        return;
    }
    let stress = sum / volume();
    cell.state.stress = stress;
    for (var k = 0u; k < 3u; k++) {
        if cell.settings.pressure[k] == 0.0 {
            continue;
        }
        let follow = cell.settings.max_rate[k] * clamp(stress[k] / cell.settings.pressure[k] - 1.0, -1.0, 1.0);
        cell.state.rate[k] = select(cell.settings.given[k] + follow, 0.0, step.elapsed < cell.settings.start);
    }
}
