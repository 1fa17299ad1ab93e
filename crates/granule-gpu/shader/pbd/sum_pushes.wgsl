// Adds up what grains do to bodies, and at the end of a step to walls that hold a force: twin of loads_on_bodies and force_on in
// solver/pbd/wall_solve.rs.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read> wall_steps: array<WallStep>;
@group(0) @binding(3) var<storage, read> poses: array<Pose>;
@group(0) @binding(4) var<storage, read_write> pushes: array<atomic<u32>>;

// Where a step is: within its sweeps contacts have impulses, then forces; after bounces what they have done is beside them.
override PHASE: u32 = 0u;
const SWEPT: u32 = 1u;
const BOUNCED: u32 = 2u;

var<private> first_contact: u32;
var<private> first_step: u32;

fn loaded_of(k: u32) -> u32 {
    let wall = touches[first_contact + k].wall & 0xffffu;
    let holds_force = (PHASE == SWEPT || PHASE == BOUNCED) && poses[wall].rest.w == 1.0;
    return select(NO_WALL, wall, wall >= params.wall_count || holds_force);
}

fn push_of(k: u32) -> Push {
    let touch = touches[first_contact + k];
    let now = wall_steps[first_step + k];
    let per_time = select(step.inverse_dt, 1.0, PHASE == SWEPT);
    var force = -per_time * (touch.first.x * touch.normal.xyz + touch.first.yzw);
    var rolling = -per_time * touch.second.xyz;
    if PHASE == BOUNCED {
        force = -per_time * now.velocity;
        rolling = -per_time * now.turning;
    }
    let torque = cross(now.point - poses[touch.wall & 0xffffu].pivot.xyz, force) + rolling;
    return Push(force / push_scale(), torque / turning_scale());
}

@compute @workgroup_size(256)
fn pbd_sum_pushes(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    var count = 0u;
    if number < step.near_walls {
        first_step = number * MOST_TOUCHES;
        first_contact = step.wall_half * params.contact_capacity + first_step;
        count = metadata[touches[first_contact].owner].w & ~NEAR_WALLS;
    }
    add_pushes(thread, 0u, count);
}
