//! What readers take and what they refuse.

use std::fs::File;

use super::*;
use crate::geometry::{encode_mesh, inspect, shapes};

fn parse(bytes: &[u8], format: MeshFormat) -> Result<TriangleMesh, MeshError> {
    parse_mesh(bytes, format, None, &MeshOptions::default())
}

/// The same triangles at the same places, whatever the vertices are called.
fn assert_same(found: &TriangleMesh, expected: &TriangleMesh) {
    assert_eq!(found.triangle.len(), expected.triangle.len());
    for k in 0..found.triangle.len() {
        assert_eq!(found.corners(k), expected.corners(k), "triangle {k}");
    }
}

#[test]
fn written_meshes_are_read_again() {
    let mut mesh = shapes::bumpy(0.7, 6);
    for format in [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Ply] {
        let found = parse(&encode_mesh(&mesh, format).unwrap(), format).unwrap();
        assert_same(&found, &mesh);
        assert!(inspect(&found).sound);
    }
    mesh.uv = mesh.position.iter().map(|p| [p.x, p.y]).collect();
    for format in [MeshFormat::Obj, MeshFormat::Ply] {
        let found = parse(&encode_mesh(&mesh, format).unwrap(), format).unwrap();
        assert_same(&found, &mesh);
        let corner = found.triangle[5][1] as usize;
        let (uv, position) = (found.uv[corner], found.position[corner]);
        assert!((uv[0] - position.x).abs() < 1e-6 && (uv[1] - position.y).abs() < 1e-6);
    }
}

#[test]
fn text_stl_is_read() {
    let text = "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  \
                endloop\n endfacet\nendsolid a\n";
    let mesh = parse(text.as_bytes(), MeshFormat::Stl).unwrap();
    assert_eq!(mesh.corners(0), [Vec3::ZERO, Vec3::X, Vec3::Y]);
    let refused = |text: &str| parse(text.as_bytes(), MeshFormat::Stl).unwrap_err().to_string();
    assert!(refused(&text.replace("1e0", "one")).contains("line 6"));
    assert!(refused(&text.replace("   vertex 1 0 0\n", "")).contains("three corners"));
    assert!(refused("solid a\nfacet").contains("cut off"));
}

#[test]
fn obj_polygons_negative_indices_and_continued_lines_are_read() {
    let text = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 # corner\nvt 0 0\nf 1//1 2//1 \\\n 3//1 4//1\nf -4/1 -3/1 -2/1\n";
    let mesh = parse(text.as_bytes(), MeshFormat::Obj).unwrap();
    assert_eq!(mesh.triangle.len(), 3);
    assert_eq!(mesh.corners(1), [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]);
    assert_eq!(mesh.corners(2), mesh.corners(0));
    let refused = |text: &str| parse(text.as_bytes(), MeshFormat::Obj).unwrap_err().to_string();
    assert!(refused("v 0 0\n").contains("line 1"));
    assert!(refused("v 0 0 0\nf 1 2 3\n").contains("`v` 2, but 1"));
    assert!(refused("v 0 0 0\nf 1 1\n").contains("2 corners"));
    assert!(refused("v 0 0 0\nf a b c\n").contains("no corner"));
    assert!(refused("").contains("no triangles"));
}

#[test]
fn ply_is_read_in_all_three_forms() {
    let mesh = shapes::cuboid(Vec3::new(1.0, 2.0, 3.0));
    let little = encode_mesh(&mesh, MeshFormat::Ply).unwrap();
    assert_same(&parse(&little, MeshFormat::Ply).unwrap(), &mesh);
    let header = |form: &str| {
        format!(
            "ply\r\nformat {form} 1.0\r\nelement camera 1\r\nproperty list uchar short view\r\nelement nothing \
             4000000000\r\nelement vertex 8\r\nproperty double x\r\nproperty float64 y\r\nproperty float z\r\nelement \
             face 6\r\nproperty uchar flag\r\nproperty list int short vertex_index\r\nend_header\r\n"
        )
    };
    let quads: Vec<[u32; 4]> =
        mesh.triangle.chunks(2).map(|two| [two[0][0], two[0][1], two[0][2], two[1][2]]).collect();
    let mut big = header("binary_big_endian").into_bytes();
    big.extend([2, 0, 1, 0, 2]);
    for p in &mesh.position {
        big.extend([p.x, p.y].into_iter().flat_map(|x| f64::from(x).to_be_bytes()).chain(p.z.to_be_bytes()));
    }
    for quad in &quads {
        big.extend([1].into_iter().chain(4_i32.to_be_bytes()));
        big.extend(quad.iter().flat_map(|v| (*v as i16).to_be_bytes()));
    }
    assert_same(&parse(&big, MeshFormat::Ply).unwrap(), &mesh);
    let mut text = header("ascii") + "2 1 2\n";
    mesh.position.iter().for_each(|p| text += &format!("{} {} {}\n", p.x, p.y, p.z));
    quads.iter().for_each(|[a, b, c, d]| text += &format!("1 4 {a} {b} {c} {d}\n"));
    assert_same(&parse(text.as_bytes(), MeshFormat::Ply).unwrap(), &mesh);

    let refused = |bytes: &[u8]| parse(bytes, MeshFormat::Ply).unwrap_err().to_string();
    assert!(refused(&little[..little.len() - 1]).contains("cut off"));
    assert!(refused(b"plx").contains("end_header"));
    assert!(refused(header("utf-8").as_bytes()).contains("unknown form"));
    assert!(refused(text.replace("1 4 ", "1 2 ").as_bytes()).contains("face 0"));
}

/// A glTF document with a triangle under two nested nodes; `{buffer}` is left to be filled in.
const GLTF: &str = r#"{
  "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
  "nodes": [{"children": [1], "translation": [0, 0, 5]}, {"mesh": 0, "scale": [-2, 1, 1]}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 2}, "indices": 1, "material": 0}]}],
  "materials": [{"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1],
     "baseColorTexture": {"index": 0}}}],
  "textures": [{"source": 0}], "images": [{"bufferView": 2, "mimeType": "image/png"}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
    {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
    {"bufferView": 3, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC2"}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6},
    {"buffer": 0, "byteOffset": 42, "byteLength": 4}, {"buffer": 0, "byteOffset": 46, "byteLength": 6}],
  "buffers": [{"byteLength": 52BUFFER}]
}"#;

fn gltf_buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0_u16, 1, 2].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(b"\x89PNG");
    bytes.extend([0, 0, 255, 0, 0, 51]);
    bytes
}

/// The document as one binary file.
fn glb(json: &str, buffer: &[u8]) -> Vec<u8> {
    let json = json.replace("BUFFER", "");
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(0x4e4f_534a_u32, json.as_bytes()), (0x004e_4942, buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(chunk);
    }
    bytes
}

fn assert_is_the_gltf_triangle(mesh: &TriangleMesh) {
    let [a, b, c] = mesh.corners(0);
    assert_eq!([a, c, b], [Vec3::Z * 5.0, Vec3::new(-2.0, 0.0, 5.0), Vec3::new(0.0, 1.0, 5.0)]);
    assert_eq!(mesh.uv, [[0.0, 0.0], [1.0, 0.0], [0.0, 0.2]]);
    let material = &mesh.material[mesh.triangle_material[0] as usize];
    assert_eq!((material.name.as_str(), material.base_color), ("red", [1.0, 0.0, 0.0, 1.0]));
    assert_eq!(material.texture.as_ref().unwrap().bytes, b"\x89PNG");
}

#[test]
fn gltf_nodes_colours_and_textures_are_read() {
    let file = glb(GLTF, &gltf_buffer());
    assert_is_the_gltf_triangle(&parse(&file, MeshFormat::Gltf).unwrap());
    // With its buffer in a file beside it, whose name is escaped.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a b.bin"), gltf_buffer()).unwrap();
    let text = GLTF.replace("BUFFER", ", \"uri\": \"a%20b.bin\"");
    std::fs::write(folder.path().join("a.gltf"), &text).unwrap();
    assert_is_the_gltf_triangle(&load_mesh(folder.path().join("a.gltf"), &MeshOptions::default()).unwrap());
    assert!(
        parse(text.as_bytes(), MeshFormat::Gltf).unwrap_err().to_string().contains("needs the file a b.bin")
    );
}

#[test]
fn broken_gltf_is_refused() {
    let buffer = gltf_buffer();
    let whole = glb(GLTF, &buffer);
    for length in 0..whole.len() {
        assert!(parse(&whole[..length], MeshFormat::Gltf).is_err(), "{length}");
    }
    let cases = [
        (
            "\"count\": 3, \"type\": \"VEC3\"",
            "\"count\": 4000000000, \"type\": \"VEC3\"",
            "beyond its buffer view",
        ),
        ("\"byteLength\": 36}", "\"byteLength\": 99}", "beyond its buffer"),
        ("\"children\": [1]", "\"children\": [0]", "circle"),
        ("\"mesh\": 0", "\"mesh\": 7", "no mesh 7"),
        ("\"material\": 0", "\"material\": 7", "no material 7"),
        ("\"version\": \"2.0\"", "\"version\": \"1.0\"", "only 2.x"),
        ("\"indices\": 1", "\"indices\": 0", "expected SCALAR"),
        ("\"scene\": 0", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]", "KHR_draco"),
    ];
    for (old, new, reason) in cases {
        let changed = GLTF.replacen(old, new, 1);
        assert_ne!(changed, GLTF);
        let error = parse(&glb(&changed, &buffer), MeshFormat::Gltf).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn meshes_are_scaled_turned_and_moved() {
    let mesh = shapes::cuboid(Vec3::new(100.0, 200.0, 300.0));
    let bytes = encode_mesh(&mesh, MeshFormat::Obj).unwrap();
    let options = MeshOptions { scale: 0.01, up: UpAxis::Z, translation: Vec3::Y, ..MeshOptions::default() };
    let found = parse_mesh(&bytes, MeshFormat::Obj, None, &options).unwrap();
    let bounds = found.bounds().unwrap();
    assert!((bounds.size() - Vec3::new(1.0, 3.0, 2.0)).length() < 1e-5);
    assert!((bounds.center() - Vec3::Y).length() < 1e-5);
    assert!(found.signed_volume() > 5.99);
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let options = MeshOptions { scale, ..MeshOptions::default() };
        assert!(matches!(parse_mesh(&bytes, MeshFormat::Obj, None, &options), Err(MeshError::Scale(_))));
    }
}

#[test]
fn files_that_cannot_be_meshes_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |name: &str| load_mesh(at(name), &MeshOptions::default()).unwrap_err().to_string();
    assert!(refused("none.stl").contains("none.stl: cannot read"));
    assert!(refused("").contains("not a file"));
    std::fs::write(at("a.xyz"), "text").unwrap();
    assert!(refused("a.xyz").contains("unknown mesh format"));
    std::fs::write(at("nan.obj"), "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n").unwrap();
    assert!(refused("nan.obj").contains("vertex 2"));
    // Sparse: takes no room on the disk, and is refused before it is read.
    File::create(at("huge.stl")).unwrap().set_len(MOST_BYTES + 1).unwrap();
    assert!(refused("huge.stl").contains("1073741825 bytes"));
    // Named without an ending, but with a signature.
    std::fs::write(at("mesh"), encode_mesh(&shapes::cuboid(Vec3::ONE), MeshFormat::Ply).unwrap()).unwrap();
    assert_eq!(load_mesh(at("mesh"), &MeshOptions::default()).unwrap().triangle.len(), 12);
}
