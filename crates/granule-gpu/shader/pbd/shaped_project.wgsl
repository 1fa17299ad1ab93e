// Projects the velocities of particles on rigid motions: bodies get the momenta that their particles got. Twin of `project` in
// solver/pbd/shaped.rs. Sums are in a fixed order.

// Whether what bodies get is the force of grains.
override LOADS: bool = false;

@compute @workgroup_size(256)
fn shaped_project(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    let before = bodies[workgroup.x];
    let end = before.clump.first + before.clump.count;
    let own = 0.4 * before.radius * before.radius;
    var linear = vec4(0.0);
    var angular = vec4(0.0);
    for (var k = before.clump.first + thread; k < end; k += WORKGROUP) {
        let member = members[k];
        let faster = motion[2u * member.row].xyz - member.given;
        let turned = motion[2u * member.row + 1u].xyz - before.clump.spin;
        linear += vec4(faster, 0.0);
        angular += vec4(cross(member.arm, faster) + own * turned, 0.0);
    }
    // Impulses over the weight that all particles have alike.
    linear = tree_sum(thread, linear);
    angular = tree_sum(thread, angular);
    let mass = 1.0 / before.weight;
    var body = pushed_body(
        before,
        mass * before.clump.inverse_mass * linear.xyz,
        mass / before.moments.w * angular.xyz,
    );
    if LOADS {
        body.force += step.inverse_dt * mass * linear;
        body.torque += step.inverse_dt * mass * angular;
    }
    for (var k = before.clump.first + thread; k < end; k += WORKGROUP) {
        give_member(body, k, members[k].arm);
    }
    if thread == 0u {
        bodies[workgroup.x] = body;
    }
}
