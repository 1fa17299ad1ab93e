// Bodies give their particles the velocities that these have as parts of them: twin of `give` in solver/pbd/shaped.rs. A workgroup for
// each body.

@group(0) @binding(0) var<storage, read_write> bodies: array<ShapedBody>;
@group(0) @binding(1) var<storage, read_write> members: array<BodyMember>;
// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(2) var<storage, read_write> motion: array<vec4<f32>>;

fn give_member(body: ShapedBody, k: u32, arm: vec3<f32>) {
    let i = members[k].row;
    let v = velocity_of(body.clump) + cross(body.clump.spin, arm);
    members[k].given = v;
    motion[2u * i] = vec4(v, motion[2u * i].w);
    motion[2u * i + 1u] = vec4(body.clump.spin, body.radius);
}
