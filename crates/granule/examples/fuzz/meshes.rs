//! Mesh files of every format to start from, and what is done with those that are accepted.

use glam::Vec3;
use granule::geometry::sample::{MeshSolid, Spread, lattice, random};
use granule::geometry::{
    DistanceField, MeshFormat, MeshOptions, TriangleMesh, encode_mesh, inspect, parse_mesh, repair, shapes,
};

/// Most triangles of a mesh of which a field is made.
const MOST_TRIANGLES: usize = 2000;

/// The format of each corpus.
const FORMATS: [MeshFormat; 4] = MeshFormat::ALL;

/// Small sound files, a corpus per format.
pub fn corpora() -> Vec<Vec<Vec<u8>>> {
    let mut textured = shapes::sphere(0.5, 2);
    textured.uv = textured.position.iter().map(|p| [p.x, p.y]).collect();
    let meshes =
        [shapes::cuboid(Vec3::ONE), shapes::torus(0.5, 0.2, 5, 4), shapes::drum(0.5, 1.0, 0.1, 4), textured];
    let written = |format| meshes.iter().filter_map(move |mesh| encode_mesh(mesh, format).ok());
    FORMATS
        .map(|format| match format {
            MeshFormat::Obj => written(format).collect(),
            MeshFormat::Stl => written(format).chain(meshes.iter().map(text_stl)).collect(),
            MeshFormat::Ply => written(format)
                .chain(meshes.iter().map(text_ply))
                .chain(meshes.iter().map(big_endian_ply))
                .collect(),
            MeshFormat::Gltf => meshes.iter().map(glb).chain([TEXT_GLTF.as_bytes().to_vec()]).collect(),
        })
        .into()
}

/// Whether a file was accepted; small meshes are repaired, measured, made into fields and filled.
pub fn accept(corpus: usize, case: &[u8]) -> bool {
    let Ok(mesh) = parse_mesh(case, FORMATS[corpus], None, &MeshOptions::default()) else { return false };
    if mesh.triangle.len() > MOST_TRIANGLES {
        return true;
    }
    inspect(&mesh);
    let Ok((repaired, report)) = repair(&mesh) else { return true };
    let size = repaired.bounds().map_or(0.0, |bounds| bounds.size().max_element());
    let Ok(field) = DistanceField::new(&repaired, size / 8.0, 0.0) else { return true };
    assert!(field.values().iter().all(|value| value.is_finite()), "a distance is not finite");
    if report.closed()
        && let Ok(solid) = MeshSolid::new(&repaired, size / 10.0)
    {
        // Whether anything fits is of no interest here.
        let _ = lattice(&solid, size / 10.0);
        let _ = random(&solid, size / 10.0, Spread::None, 1);
    }
    true
}

fn text_stl(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("solid a\n");
    for k in 0..mesh.triangle.len() {
        text += "facet normal 0 0 0\nouter loop\n";
        mesh.corners(k).iter().for_each(|p| text += &format!("vertex {} {} {}\n", p.x, p.y, p.z));
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid a\n").into_bytes()
}

fn ply_header(mesh: &TriangleMesh, form: &str) -> String {
    format!(
        "ply\nformat {form} 1.0\nelement vertex {}\nproperty double x\nproperty float y\nproperty float z\n\
         property uchar red\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.position.len(),
        mesh.triangle.len()
    )
}

fn text_ply(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = ply_header(mesh, "ascii");
    mesh.position.iter().for_each(|p| text += &format!("{} {} {} 7\n", p.x, p.y, p.z));
    mesh.triangle.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
    text.into_bytes()
}

fn big_endian_ply(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = ply_header(mesh, "binary_big_endian").into_bytes();
    for p in &mesh.position {
        bytes.extend(f64::from(p.x).to_be_bytes());
        bytes.extend([p.y, p.z].into_iter().flat_map(f32::to_be_bytes).chain([7]));
    }
    for triangle in &mesh.triangle {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|vertex| vertex.to_be_bytes()));
    }
    bytes
}

/// A mesh as one binary glTF file, under two nested nodes.
fn glb(mesh: &TriangleMesh) -> Vec<u8> {
    let (vertices, indices) = (12 * mesh.position.len(), 12 * mesh.triangle.len());
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"children":[1],"translation":[1,2,3]}},{{"mesh":0,"rotation":[0,0.6,0,0.8],"scale":[1,2,-1]}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":2}},"indices":1,"material":0}}]}}],"materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[1,0,0,1],"baseColorTexture":{{"index":0}}}}}}],"textures":[{{"source":0}}],"images":[{{"bufferView":1,"mimeType":"image/png"}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}},{{"bufferView":0,"componentType":5121,"normalized":true,"count":{},"type":"VEC2"}}],"bufferViews":[{{"buffer":0,"byteLength":{vertices},"byteStride":12}},{{"buffer":0,"byteOffset":{vertices},"byteLength":{indices}}}],"buffers":[{{"byteLength":{}}}]}}"#,
        mesh.position.len(),
        3 * mesh.triangle.len(),
        mesh.position.len(),
        vertices + indices
    );
    let mut buffer: Vec<u8> =
        mesh.position.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes).collect();
    buffer.extend(mesh.triangle.iter().flatten().flat_map(|vertex| vertex.to_le_bytes()));
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json.as_bytes()), (b"BIN\0", &buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

/// A triangle with its buffer in the text.
const TEXT_GLTF: &str = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
