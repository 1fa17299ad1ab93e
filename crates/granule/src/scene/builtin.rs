//! Scenes that come with the program.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name, as used on the command line.
    pub name: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

const BUILTIN: &[Builtin] = &[
    Builtin { name: "column", text: include_str!("../../scenes/column.toml") },
    Builtin { name: "dam", text: include_str!("../../scenes/dam.toml") },
    Builtin { name: "heap", text: include_str!("../../scenes/heap.toml") },
    Builtin { name: "hourglass", text: include_str!("../../scenes/hourglass.toml") },
    Builtin { name: "silo", text: include_str!("../../scenes/silo.toml") },
    Builtin { name: "dunes", text: include_str!("../../scenes/dunes.toml") },
    Builtin { name: "windy", text: include_str!("../../scenes/windy.toml") },
    Builtin { name: "castle", text: include_str!("../../scenes/castle.toml") },
    Builtin { name: "drum", text: include_str!("../../scenes/drum.toml") },
    Builtin { name: "bunker", text: include_str!("../../scenes/bunker.toml") },
    Builtin { name: "boxes", text: include_str!("../../scenes/boxes.toml") },
    Builtin { name: "dumptruck", text: include_str!("../../scenes/dumptruck.toml") },
    Builtin { name: "tank", text: include_str!("../../scenes/tank.toml") },
    Builtin { name: "pipe", text: include_str!("../../scenes/pipe.toml") },
    Builtin { name: "droplet", text: include_str!("../../scenes/droplet.toml") },
    Builtin { name: "funnel", text: include_str!("../../scenes/funnel.toml") },
    Builtin { name: "mesh-drop", text: include_str!("../../scenes/mesh-drop.toml") },
    Builtin { name: "marbles", text: include_str!("../../scenes/marbles.toml") },
    Builtin { name: "angle", text: include_str!("../../scenes/angle.toml") },
    Builtin { name: "avalanche", text: include_str!("../../scenes/avalanche.toml") },
    Builtin { name: "bowling", text: include_str!("../../scenes/bowling.toml") },
    Builtin { name: "mixer", text: include_str!("../../scenes/mixer.toml") },
    Builtin { name: "packing", text: include_str!("../../scenes/packing.toml") },
    Builtin { name: "sandcastle", text: include_str!("../../scenes/sandcastle.toml") },
    Builtin { name: "excavator", text: include_str!("../../scenes/excavator.toml") },
    Builtin { name: "sandglass", text: include_str!("../../scenes/sandglass.toml") },
    Builtin { name: "squirrel", text: include_str!("../../scenes/squirrel.toml") },
];

/// All built-in scenes; the first is the default.
pub fn builtin_scenes() -> &'static [Builtin] {
    BUILTIN
}

/// The built-in scene of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|scene| scene.name == name)
}
