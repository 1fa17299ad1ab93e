// What kernels write into the table of rigid grains.

fn write_pose(k: u32, clump: Clump) {
    clumps[clump_place(k, 0u)] = clump.center_xy;
    clumps[clump_place(k, 1u)] = vec4(clump.center_z, clump.first, clump.count);
    clumps[clump_place(k, 2u)] = clump.orientation_xy;
    clumps[clump_place(k, 3u)] = clump.orientation_zw;
    clumps[clump_place(k, 9u)] = bitcast<vec4<u32>>(clump.turned);
}

fn write_motion(k: u32, clump: Clump) {
    clumps[clump_place(k, 4u)] = clump.velocity_xy;
    clumps[clump_place(k, 5u)] = vec4(
        clump.velocity_z,
        bitcast<u32>(clump.inverse_mass),
        bitcast<u32>(clump.sound),
    );
    clumps[clump_place(k, 6u)] = clump.rotation_xy;
    clumps[clump_place(k, 7u)] = vec4(clump.rotation_z, 0u, 0u);
    clumps[clump_place(k, 8u)] = bitcast<vec4<u32>>(vec4(clump.spin, clump.energy));
}

// Gives a grain up: it has no spheres any more.
fn give_up_clump(k: u32) {
    clumps[clump_place(k, 1u)].w = 0u;
}
