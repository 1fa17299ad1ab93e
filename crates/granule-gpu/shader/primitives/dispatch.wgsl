// Numbers of workgroups and threads in dispatches of several rows; ROW and WORKGROUP are those of kernel.rs.

const WORKGROUP: u32 = 256u;
const ROW: u32 = 32768u;

fn workgroup_number(workgroup: vec3<u32>) -> u32 {
    return workgroup.y * ROW + workgroup.x;
}

fn thread_number(workgroup: vec3<u32>, thread: u32) -> u32 {
    return workgroup_number(workgroup) * WORKGROUP + thread;
}
