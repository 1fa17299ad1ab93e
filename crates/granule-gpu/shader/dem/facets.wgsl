// Where a sphere touches a triangle mesh: twin of geometry/contact_mesh.rs, on the tables of src/facets.rs. Vertices are whole units
// and a rest in the frame of the boundary's shape, so that what is left between a sphere and the nearest point of a triangle is as
// exact as the sphere's place.

// Walls near a sphere at a time, with the features of meshes; directions are those of the world.
const MOST_NEAR: u32 = 12u;

var<private> found_count: u32;
var<private> found: array<ExactWall, 12>;
var<private> found_faces: array<u32, 12>;
var<private> found_features: array<u32, 12>;

// Features that single precision holds.
const FEATURE_BITS: u32 = 0xffffffu;

const LAST_BRANCH: u32 = 0xffffffffu;
const TRIANGLE_RECORDS: u32 = 9u;

// Contacts nearer to each other than this share of the reach are one.
const SAME_PLACE: f32 = 1e-3;

// Share of the distance, and of a triangle's size, by which a direction may lead towards the centre and still count as leading away.
const SLACK: f32 = 1e-5;
const TRIANGLE_ROUNDING: f32 = 2e-6;

struct FacetMesh {
    branches: u32,
    triangles: u32,
    vertices: u32,
    edges: u32,
    items: u32,
    watertight: bool,
    triangle_count: u32,
    edge_count: u32,
}

// The nearest point of a triangle: the offset from there to the centre, how long it is, and the normal out of the solid.
struct FacetNear {
    offset: vec3<f32>,
    distance: f32,
    outwards: vec3<f32>,
    // 0 for the face, 1 to 3 for corners, 4 to 6 for the edges opposite to them.
    part: u32,
    // First record, and number in the mesh.
    record: u32,
    number: u32,
    // How large the triangle is.
    size: f32,
}

var<private> nearest_facet: FacetNear;
var<private> found_numbers: array<u32, 12>;

fn facet_mesh(record: vec4<u32>) -> FacetMesh {
    let a = solid_table[record.z + 4u];
    let b = solid_table[record.z + 5u];
    return FacetMesh(a.x, a.y, a.z, a.w, b.x, b.y == 1u, b.z, b.w);
}

fn fine_between(a: Fine3, b: Fine3) -> Fine3 {
    return Fine3(fine_difference(a.x, b.x), fine_difference(a.y, b.y), fine_difference(a.z, b.z));
}

// A sphere's centre in the frame of a boundary's shape.
fn fine_local(place: ExactPosition, pose: Pose) -> Fine3 {
    let offset = fine_offset(place, pose, vec3(0.0));
    if pose.translation.w == 1.0 {
        return offset;
    }
    return Fine3(
        fine_dot(into_world(pose, vec3(1.0, 0.0, 0.0)), offset),
        fine_dot(into_world(pose, vec3(0.0, 1.0, 0.0)), offset),
        fine_dot(into_world(pose, vec3(0.0, 0.0, 1.0)), offset),
    );
}

fn facet_vertex(mesh: FacetMesh, vertex: u32) -> Fine3 {
    let whole = bitcast<vec4<i32>>(solid_table[mesh.vertices + 2u * vertex]);
    let rest = bitcast<vec4<f32>>(solid_table[mesh.vertices + 2u * vertex + 1u]);
    return Fine3(Fine(whole.x, rest.x), Fine(whole.y, rest.y), Fine(whole.z, rest.z));
}

fn facet_item(mesh: FacetMesh, k: u32) -> u32 {
    return solid_table[mesh.items + k / 4u][k % 4u];
}

// The part of a triangle that is nearest to a point, and the shares of b and c in it: by the regions of Ericson's "Real-Time
// Collision Detection" (5.1.5).
struct TrianglePlace {
    part: u32,
    b: f32,
    c: f32,
}

fn triangle_place(ab: vec3<f32>, ac: vec3<f32>, ap: vec3<f32>, bp: vec3<f32>, cp: vec3<f32>) -> TrianglePlace {
    let d1 = dot(ab, ap);
    let d2 = dot(ac, ap);
    if d1 <= 0.0 && d2 <= 0.0 {
        return TrianglePlace(1u, 0.0, 0.0);
    }
    let d3 = dot(ab, bp);
    let d4 = dot(ac, bp);
    if d3 >= 0.0 && d4 <= d3 {
        return TrianglePlace(2u, 1.0, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return TrianglePlace(6u, d1 / (d1 - d3), 0.0);
    }
    let d5 = dot(ab, cp);
    let d6 = dot(ac, cp);
    if d6 >= 0.0 && d5 <= d6 {
        return TrianglePlace(3u, 0.0, 1.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return TrianglePlace(5u, 0.0, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return TrianglePlace(4u, 1.0 - along, along);
    }
    let sum = va + vb + vc;
    if sum > 0.0 {
        return TrianglePlace(0u, vb / sum, vc / sum);
    }
    return TrianglePlace(1u, 0.0, 0.0);
}

// What is left of an offset across a direction.
fn across(offset: vec3<f32>, along: vec3<f32>) -> vec3<f32> {
    let square = dot(along, along);
    if square > 0.0 {
        return offset - (dot(offset, along) / square) * along;
    }
    return offset;
}

// Twin of Candidate::new.
fn near_triangle(mesh: FacetMesh, record: u32, x: Fine3) -> FacetNear {
    let corners = solid_table[record];
    let to_a = fine_between(x, facet_vertex(mesh, corners.x));
    let to_b = fine_between(x, facet_vertex(mesh, corners.y));
    let to_c = fine_between(x, facet_vertex(mesh, corners.z));
    let ab = fine_vector(fine_between(to_a, to_b));
    let ac = fine_vector(fine_between(to_a, to_c));
    let ap = fine_vector(to_a);
    let bp = fine_vector(to_b);
    let cp = fine_vector(to_c);
    let place = triangle_place(ab, ac, ap, bp, cp);
    var outwards = bitcast<vec4<f32>>(solid_table[record + 2u]).xyz;
    var offset = ap;
    var distance = 0.0;
    if place.part == 0u {
        // From the corner that is nearest, so that little is rounded.
        let from_a = dot(ap, ap);
        let from_b = dot(bp, bp);
        var corner = to_a;
        if from_b < from_a {
            corner = to_b;
        }
        if dot(cp, cp) < min(from_a, from_b) {
            corner = to_c;
        }
        let height = fine_value(fine_dot(outwards, corner));
        offset = height * outwards;
        distance = abs(height);
    } else {
        if place.part == 1u {
            outwards = bitcast<vec4<f32>>(solid_table[record + 6u]).xyz;
        } else if place.part == 2u {
            offset = bp;
            outwards = bitcast<vec4<f32>>(solid_table[record + 7u]).xyz;
        } else if place.part == 3u {
            offset = cp;
            outwards = bitcast<vec4<f32>>(solid_table[record + 8u]).xyz;
        } else if place.part == 4u {
            offset = across(edge_offset(to_b, to_c, place.c), ac - ab);
            outwards = bitcast<vec4<f32>>(solid_table[record + 3u]).xyz;
        } else if place.part == 5u {
            offset = across(edge_offset(to_a, to_c, place.c), ac);
            outwards = bitcast<vec4<f32>>(solid_table[record + 4u]).xyz;
        } else {
            offset = across(edge_offset(to_a, to_b, place.b), ab);
            outwards = bitcast<vec4<f32>>(solid_table[record + 5u]).xyz;
        }
        distance = length(offset);
    }
    let size = max(length(ab), length(ac));
    return FacetNear(offset, distance, outwards, place.part, record, corners.w, size);
}

// The offset from a point of an edge, by the offsets from its ends and the share of the second.
fn edge_offset(from_start: Fine3, from_end: Fine3, share: f32) -> vec3<f32> {
    let way = fine_between(from_end, from_start);
    return vec3(
        fine_value(fine_sum(from_start.x, fine_scaled(share, way.x))),
        fine_value(fine_sum(from_start.y, fine_scaled(share, way.y))),
        fine_value(fine_sum(from_start.z, fine_scaled(share, way.z))),
    );
}

// Twin of ContactMesh::is_nearest_around.
fn is_nearest_around(mesh: FacetMesh, near: FacetNear, x: Fine3) -> bool {
    if near.part == 0u {
        return true;
    }
    var first = 0u;
    var count = 0u;
    if near.part <= 3u {
        let vertex = mesh.vertices + 2u * solid_table[near.record][near.part - 1u];
        first = solid_table[vertex].w;
        count = solid_table[vertex + 1u].w;
    } else {
        let edge = solid_table[mesh.edges + solid_table[near.record + 1u][near.part - 4u]];
        first = edge.x;
        count = edge.y;
    }
    let slack = SLACK * near.distance + TRIANGLE_ROUNDING * near.size;
    for (var k = 0u; k < count; k++) {
        let apex = facet_vertex(mesh, facet_item(mesh, first + k));
        let way = fine_vector(fine_between(apex, x)) + near.offset;
        if dot(near.offset, way) > slack * length(way) {
            return false;
        }
    }
    return true;
}

// Twin of ContactMesh::feature.
fn feature_of(mesh: FacetMesh, near: FacetNear) -> u32 {
    if near.part == 0u {
        return near.number;
    }
    if near.part <= 3u {
        return mesh.triangle_count + mesh.edge_count + solid_table[near.record][near.part - 1u];
    }
    return mesh.triangle_count + solid_table[near.record + 1u][near.part - 4u];
}

// Twin of ContactMesh::contact.
fn facet_wall(near: FacetNear, sign: f32) -> ExactWall {
    var normal = direction_or_up(near.outwards);
    if near.part != 0u && near.distance > 1e-30 {
        normal = (sign / near.distance) * near.offset;
    }
    return ExactWall(sign * near.distance, normal, -near.offset, 0.0);
}

fn put_wall(at: u32, mesh: FacetMesh, near: FacetNear, sign: f32, face: u32) {
    found[at] = facet_wall(near, sign);
    found_faces[at] = face;
    found_features[at] = feature_of(mesh, near) & FEATURE_BITS;
    found_numbers[at] = near.number;
}

fn move_wall(from_place: u32, to_place: u32) {
    found[to_place] = found[from_place];
    found_faces[to_place] = found_faces[from_place];
    found_features[to_place] = found_features[from_place];
    found_numbers[to_place] = found_numbers[from_place];
}

fn is_before(near: FacetNear, at: u32) -> bool {
    return near.distance < found[at].distance || (near.distance == found[at].distance && near.number < found_numbers[at]);
}

// Adds a contact to those of the mesh, which begin at `base`, nearest first; of contacts at one place the nearest is kept.
fn add_facet(base: u32, mesh: FacetMesh, near: FacetNear, same: f32, face: u32) {
    for (var k = base; k < found_count; k++) {
        let apart = found[k].to_closest + near.offset;
        if dot(apart, apart) <= same * same {
            if !is_before(near, k) {
                return;
            }
            for (var later = k + 1u; later < found_count; later++) {
                move_wall(later, later - 1u);
            }
            found_count--;
            break;
        }
    }
    var at = found_count;
    while at > base && is_before(near, at - 1u) {
        if at < MOST_NEAR {
            move_wall(at - 1u, at);
        }
        at--;
    }
    if at < MOST_NEAR {
        put_wall(at, mesh, near, 1.0, face);
        found_count = min(found_count + 1u, MOST_NEAR);
    }
}

// Adds the contacts of a mesh with a ball of radius `reach` around a sphere's centre, which is `local` in the shape's frame; twin of
// GridSolid::facets and ContactMesh::contacts.
fn add_facets(record: vec4<u32>, pose: Pose, place: ExactPosition, local: vec3<f32>, reach: f32) {
    let mesh = facet_mesh(record);
    let x = fine_local(place, pose);
    let base = found_count;
    let rough = in_map_frame(record, local);
    let far = max(max(abs(rough.x), abs(rough.y)), abs(rough.z));
    let farthest = reach + 4e-6 * (far + reach);
    nearest_facet.distance = LARGEST;
    var branch = 0u;
    while branch != LAST_BRANCH {
        let low = solid_table[mesh.branches + 2u * branch];
        let high = solid_table[mesh.branches + 2u * branch + 1u];
        let beyond = max(max(bitcast<vec3<f32>>(low.xyz) - rough, rough - bitcast<vec3<f32>>(high.xyz)), vec3(0.0));
        let count = high.w & 7u;
        if dot(beyond, beyond) > farthest * farthest {
            branch = low.w;
            continue;
        }
        for (var k = 0u; k < count; k++) {
            let near = near_triangle(mesh, mesh.triangles + TRIANGLE_RECORDS * ((high.w >> 3u) + k), x);
            if near.distance > reach {
                continue;
            }
            let is_nearer = near.distance < nearest_facet.distance
                || (near.distance == nearest_facet.distance && near.number < nearest_facet.number);
            if is_nearer {
                nearest_facet = near;
            }
            if dot(near.offset, near.outwards) >= 0.0 && is_nearest_around(mesh, near, x) {
                let same = max(SAME_PLACE * reach, 2.0 * TRIANGLE_ROUNDING * near.size);
                add_facet(base, mesh, near, same, record.y);
            }
        }
        branch = select(low.w, branch + 1u, count == 0u);
    }
    let touches = nearest_facet.distance < LARGEST;
    var inside = touches && dot(nearest_facet.offset, nearest_facet.outwards) < 0.0;
    if touches && !mesh.watertight {
        inside = map_distance(record, local) < 0.0;
    }
    if inside {
        found_count = base;
        add_nearest_facet(mesh, record.y);
    }
    for (var k = base; k < found_count; k++) {
        found[k].normal = into_world(pose, found[k].normal);
        found[k].to_closest = into_world(pose, found[k].to_closest);
    }
    if !touches && map_distance(record, local) < -reach {
        let surface = map_nearest(record, local);
        add_wall(exact_plain(surface.distance, into_world(pose, surface.normal)), record.y);
    }
}

fn add_nearest_facet(mesh: FacetMesh, face: u32) {
    if found_count < MOST_NEAR {
        put_wall(found_count, mesh, nearest_facet, -1.0, face);
        found_count++;
    }
}

// Adds a wall that is none of a mesh's triangles.
fn add_wall(wall: ExactWall, face: u32) {
    if found_count < MOST_NEAR {
        found[found_count] = wall;
        found_faces[found_count] = face;
        found_features[found_count] = 0u;
        found_count++;
    }
}

// The mesh that a solid is, where it is nothing else; x is 0xffffffff for other solids.
fn mesh_of(solid: vec4<u32>) -> vec4<u32> {
    let part = solid_table[solid.x];
    let record = solid_table[part.x];
    let alone = MAPS && solid.y == 1u && part.y == 1u && (record.x & 255u) == MAP;
    return select(vec4(0xffffffffu), record, alone);
}
