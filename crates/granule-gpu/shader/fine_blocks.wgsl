// Cells that get blocks; twin of Nodes::build.

@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> cell_moves: array<u32>;
// 1 for cells with a block, and for those whose blocks are active; then their scans.
@group(0) @binding(3) var<storage, read_write> block_marks: array<u32>;
@group(0) @binding(4) var<storage, read_write> part_marks: array<u32>;
@group(0) @binding(5) var<storage, read_write> written: array<u32>;

fn cell_total() -> u32 {
    return frame.cells.x * frame.cells.y * frame.cells.z;
}

@compute @workgroup_size(256)
fn mark_blocks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let c = thread_number(workgroup, thread);
    if c > cell_total() {
        return;
    }
    var near = 0u;
    var moving = 0u;
    if c < cell_total() {
        let cell = vec3<i32>(cell_of_index(c));
        let end = vec3<i32>(frame.cells.xyz);
        for (var k = 0u; k < 27u; k++) {
            let other = cell + vec3(i32(k % 3u), i32(k / 3u % 3u), i32(k / 9u)) - vec3(1);
            if all(other >= vec3(0)) && all(other < end) {
                let index = cell_index(vec3<u32>(other), frame.cells.xyz);
                if starts[index + 1u] > starts[index] {
                    near = 1u;
                    moving |= cell_moves[index];
                }
            }
        }
    }
    block_marks[c] = near;
    part_marks[c] = moving;
}

// Twin of Wall::is_far, for the cube of a cell.
fn wall_is_far(k: u32, center: vec3<f32>) -> bool {
    let wall = fine_scene.walls[k];
    let half = 0.5 * frame.origin.w * sqrt(3.0);
    let start = in_pose(wall.start_rotation, wall.start_translation.xyz, center);
    let goal = in_pose(wall.end_rotation, wall.end_translation.xyz, center);
    let moved = distance(start, goal) + wall.end_translation.w * half;
    return wall_distance(k, start) > half + frame.reach + moved;
}

fn region_is_near(center: vec3<f32>) -> bool {
    for (var r = 0u; r < frame.region_count; r++) {
        if wall_distance(frame.wall_count + r, center) < frame.region_reach {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn list_blocks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let c = thread_number(workgroup, thread);
    if c >= cell_total() {
        return;
    }
    let block = block_marks[c];
    if block_marks[c + 1u] == block {
        written[c] = NONE;
        written[frame.cell_parts + c] = NONE;
        return;
    }
    written[c] = block;
    let part = part_marks[c];
    let moving = part_marks[c + 1u] != part;
    var bits = 0u;
    let center = frame.origin.xyz + frame.origin.w * (vec3<f32>(cell_of_index(c)) + 0.5);
    for (var k = 0u; k < frame.wall_count; k++) {
        let bit = 1u << min(k, 31u);
        if (bits & bit) == 0u && !wall_is_far(k, center) {
            bits |= bit;
        }
    }
    written[frame.cell_parts + c] = select(NONE, part, moving);
    let at = frame.block_table + 4u * block;
    written[at] = c;
    written[at + 1u] = select(0u, 1u, moving) | select(0u, 2u, region_is_near(center));
    written[at + 2u] = select(NONE, part, moving);
    written[at + 3u] = bits;
    if moving {
        written[frame.part_table + part] = block;
    }
}
