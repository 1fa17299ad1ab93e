// Finds how far grains are listed, once they are in order: their radii and skins, with a minus for those that are held. Twin of
// `find_reaches` in solver/pbd/mod.rs. Lists of a checkpoint come with that distance in the place of the radius.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(1) var<storage, read> motion: array<vec4<f32>>;
// Push of a step; rotation vector since lists were made or a frame began, and how far a grain is listed.
@group(0) @binding(2) var<storage, read_write> way: array<vec4<f32>>;

@compute @workgroup_size(256)
fn pbd_find_skins(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let own = motion[2u * i];
    var reach = position[i].w;
    if step.progress != AGAIN {
        reach += skin_of(way_of(length(own.xyz)));
    }
    way[2u * i + 1u].w = select(reach, -reach, own.w == 0.0);
}
