// Strains the periodic cell by a step, before grains drift, and makes space that of the cell: twin of StrainedCell::advance in
// crates/granule/src/cell.rs and of strain_cell in solver/dem/compress.rs. Constants that others read are written here, so that they
// need not know of it.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> constants: Params;
@group(0) @binding(2) var<storage, read_write> own: DemParams;
@group(0) @binding(3) var<storage, read_write> cell: StrainedCell;

// Steps between two looks at the stress.
const STEER: u32 = 10u;
// How much wider than pairs reach cells of the search are, by what rounding needs.
const WIDER: f32 = 1.002;

// exp(z) - 1 of a small z.
fn growth(z: f32) -> f32 {
    return z * (1.0 + z * (0.5 + z * (0.16666667 + z * (4.1666667e-2 + z * 8.3333333e-3))));
}

// Lets an axis grow by some of its half length, in parts of 2^-16 quanta.
fn grow(k: u32, stretch: f32) {
    let more = nearest_quantum(65536.0 * (stretch * meters_of(cell.state.half_length[k]))).words;
    let sum = add_words(more, vec2(cell.state.fraction[k], 0u));
    cell.state.fraction[k] = sum.x & 0xffffu;
    let high = bitcast<i32>(sum.y);
    let whole = vec2((sum.x >> 16u) | (sum.y << 16u), bitcast<u32>(high >> 16u));
    cell.state.half_length[k] = add_words(cell.state.half_length[k], whole);
}

fn advance() {
    for (var k = 0u; k < 3u; k++) {
        if step.elapsed < cell.settings.start {
            cell.state.rate[k] = 0.0;
        } else if cell.settings.pressure[k] == 0.0 {
            cell.state.rate[k] = cell.settings.given[k];
        }
        let z = step.dt * cell.state.rate[k];
        own.motion.stretch[k] = growth(z);
        own.motion.slowing[k] = 1.0 + growth(-z);
        grow(k, growth(z));
    }
    cell.state.steps++;
}

// Cells of the search along an axis. Those of a sort to come were chosen before the cell strained: there are not more of them now.
fn choose_cells(k: u32, origin: f32, length: f32) {
    var cells = clamp(u32(length / (WIDER * constants.reach)), 1u, 1u << 20u);
    if step.listed == 0u {
        cells = min(cells, constants.period_cells[k]);
        step.cell_scale[k] = f32(cells) / length;
        step.cell_origin[k] = origin;
        step.cell_range[k] = cells - 1u;
        step.cell_bits[k] = 32u - countLeadingZeros(cells - 1u);
    }
    constants.period_cells[k] = cells;
}

fn fit_space() {
    var squeeze = 0.0;
    for (var k = 0u; k < 3u; k++) {
        if all(cell.state.half_length[k] == vec2(0u)) {
            continue;
        }
        let origin = meters_of(subtract_words(cell.state.center[k], cell.state.half_length[k]));
        let length = meters_of(length_words(cell.state.half_length[k]));
        if step.listed == 0u {
            cell.state.listed[k] = length;
        }
        let since_listed = length / cell.state.listed[k];
        own.motion.since_listed[k] = since_listed;
        own.motion.center[k] = meters_of(cell.state.center[k]);
        squeeze = max(squeeze, abs(since_listed - 1.0));
        choose_cells(k, origin, length);
        constants.period_origin[k] = origin;
        constants.period_length[k] = length;
        constants.period_inverse[k] = 1.0 / length;
    }
    own.motion.squeeze = squeeze;
    let x = subtract_words(cell.state.center[0], cell.state.half_length[0]);
    let y = subtract_words(cell.state.center[1], cell.state.half_length[1]);
    own.origin_xy = vec4(x, y);
    own.origin_z = vec4(subtract_words(cell.state.center[2], cell.state.half_length[2]), 0u, 0u);
    own.length_xy = vec4(length_words(cell.state.half_length[0]), length_words(cell.state.half_length[1]));
    own.length_z = vec4(length_words(cell.state.half_length[2]), 0u, 0u);
}

@compute @workgroup_size(1)
fn strain_cell() {
    if step.phase != PREPARED {
        return;
    }
    let moves = step.progress == KICKS;
    let begins = step.progress == PRIMES;
    if moves {
        advance();
    }
    fit_space();
    own.motion.center_xy = vec4(cell.state.center[0], cell.state.center[1]);
    own.motion.center_z = vec4(cell.state.center[2], 0u, 0u);
    own.motion.rate = select(cell.state.rate, vec4(0.0), begins);
    own.motion.steers = select(0u, 1u, !begins && (cell.state.steps - 1u) % STEER == 0u);
}
