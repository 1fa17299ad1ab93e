// Finds how far grains are listed, once they are in order, with a minus for those that are held, and along which ways. Twin of
// `find_reaches` in solver/pbd/mod.rs. Lists of a checkpoint come with that distance in the place of the radius, and with paths in
// the place of velocities.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(1) var<storage, read> motion: array<vec4<f32>>;
// Push of a step; rotation vector since lists were made or a frame began, and how far a grain is listed; its path.
@group(0) @binding(2) var<storage, read_write> way: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> velocity: array<vec4<f32>>;

@compute @workgroup_size(256)
fn pbd_find_skins(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let own = motion[2u * i];
    var reach = position[i].w;
    var path = velocity[i];
    if step.progress != AGAIN {
        path = path_of(own.xyz, reach);
        reach = path.w + length(path.xyz);
    }
    way[3u * i + 2u] = path;
    way[3u * i + 1u].w = select(reach, -reach, own.w == 0.0);
}
