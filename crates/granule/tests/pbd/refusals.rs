//! Wrong input.

use super::*;

/// What a scene is refused with.
fn refusal(text: &str) -> String {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{text}");
    let scene = match Scene::parse(&text, "test") {
        Ok(scene) => scene,
        Err(error) => return error.to_string(),
    };
    Simulation::new(scene, &options(1)).err().map_or("nothing".into(), |error| error.to_string())
}

#[test]
fn what_is_wrong_is_refused_with_its_key_and_a_remedy() {
    let bed = "[[material]]\nname = \"sand\"\nradius = 0.01\n[[grains]]\nmaterial = \"sand\"\n\
               shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    let cases = [
        (format!("[pbd]\nscheme = \"jacobi\"\n{bed}"), vec!["pbd.scheme", "averaged", "impulse"]),
        (
            format!("[pbd.averaged]\nover_relaxation = 3\n{bed}"),
            vec!["pbd.averaged.over_relaxation", "from 1 to 2"],
        ),
        (format!("[pbd]\nsubsteps = 0\n{bed}"), vec!["pbd.substeps", "from 1"]),
        (format!("[pbd]\nsweeps = 0\n{bed}"), vec!["pbd.sweeps", "from 1"]),
        (format!("[pbd]\nsubsteps = 4\nsweeps = 1\n{bed}"), vec!["pbd.substeps", "10 for grains of 0.02"]),
        (format!("[pbd]\nspeed = 4\n{bed}"), vec!["speed"]),
        (format!("{bed}grain.shape = \"tetrahedron\"\n"), vec!["grain"]),
        (format!("periodic = {{ x = [0, 0.07] }}\n{bed}"), vec!["simulation.periodic.x", "0.08"]),
    ];
    for (text, words) in cases {
        let message = refusal(&text);
        assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    }
    assert_eq!(refusal(bed), "nothing");
    for (key, value) in
        [("friction", "-1"), ("rolling_friction", "-0.1"), ("restitution", "1.5"), ("tension", "-2")]
    {
        let text = bed.replace("[[grains]]", &format!("[material.pbd]\n{key} = {value}\n[[grains]]"));
        let message = refusal(&text);
        assert!(message.contains(&format!("pbd.{key}")), "{key}: {message}");
    }
}
