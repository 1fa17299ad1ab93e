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

/// Bodies made of particles are refused where they are not, with the remedy.
#[test]
fn bodies_of_particles_are_refused_where_there_are_none() {
    let body = "[[material]]\nname = \"sand\"\nradius = 0.01\n[[body]]\nname = \"block\"\ncoupling = \"particles\"\n\
                shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    assert_eq!(refusal(body), "nothing");
    let joint =
        "[[joint]]\nname = \"pin\"\nkind = \"ball\"\nbodies = [\"world\", \"block\"]\nanchor = [0, 0, 0]\n";
    let cases = [
        (body.replace("coupling", "kind = \"static\"\ncoupling"), vec!["body.0.coupling", "not dynamic"]),
        (
            body.replace("coupling = \"particles\"", "particle_radius = 0.01"),
            vec!["body.0.particle_radius", "coupling"],
        ),
        (body.replace("shape", "particle_radius = 0\nshape"), vec!["body.0.particle_radius"]),
        (body.replace("shape", "particle_radius = 0.2\nshape"), vec!["body.block.shape", "0.2 m fits"]),
        (format!("[pbd]\nscheme = \"averaged\"\n{body}"), vec!["body.block.coupling", "impulse"]),
        (format!("{body}{joint}"), vec!["joint.0.bodies.1", "coupling"]),
    ];
    for (text, words) in cases {
        let message = refusal(&text);
        assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    }
    for solver in ["iisph", "dem"] {
        let text = format!("name = \"test\"\n[simulation]\nsolver = \"{solver}\"\n{body}");
        let message =
            Scene::parse(&text, "test").map_or_else(|error| error.to_string(), |_| "nothing".into());
        let words = ["body.0.coupling", solver, "take solver pbd on the CPU"];
        assert!(words.iter().all(|word| message.contains(word)), "{solver}: {message}");
    }
    let scene = format!("name = \"test\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{body}");
    let mut simulation = Simulation::new(Scene::parse(&scene, "test").unwrap(), &options(1)).unwrap();
    let mut another = simulation.scene().body[0].clone();
    another.name = "another".into();
    let refused = simulation.apply(&Command::AddBody { body: Box::new(another) }).unwrap_err().to_string();
    assert!(refused.contains("from the start"), "{refused}");
}
