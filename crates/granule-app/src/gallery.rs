//! Pictures of the built-in scenes, made when they are first looked at: simulated in the background, drawn by the view.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use granule::live::{Frame, Live, LiveOptions, Source, Speed};
use granule::scene::builtin_scenes;

/// Grains below which a scene has not begun to show what it is about.
const FEW: u64 = 50;
/// Frames after which a scene that begins empty is looked at.
const LATER: u64 = 30;
/// A scene that has nothing to show after this has no picture.
const PATIENCE: Duration = Duration::from_secs(20);
/// Size of the pictures \[pixels\].
pub const SIZE: [u32; 2] = [160, 100];

/// Pictures by the names of scenes.
#[derive(Default)]
pub struct Gallery {
    frames: Option<Receiver<(&'static str, Arc<Frame>)>>,
    pictures: HashMap<&'static str, egui::TextureHandle>,
}

impl Gallery {
    /// The picture of a scene, if there is one by now.
    pub fn picture(&self, name: &str) -> Option<&egui::TextureHandle> {
        self.pictures.get(name)
    }

    /// Takes one scene that has come and draws it; begins the work when it is first called.
    pub fn advance(&mut self, ctx: &egui::Context, draw: impl FnOnce(&Frame) -> Option<egui::ColorImage>) {
        let frames = self.frames.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            // Without a thread there are names only.
            let _ = std::thread::Builder::new().name("gallery".into()).spawn(move || simulate(&sender));
            receiver
        });
        let Ok((name, frame)) = frames.try_recv() else { return };
        if let Some(image) = draw(&frame) {
            let texture = ctx.load_texture(format!("scene {name}"), image, egui::TextureOptions::LINEAR);
            self.pictures.insert(name, texture);
        }
        ctx.request_repaint();
    }
}

/// The scenes one after the other, as long as anybody waits for them.
fn simulate(frames: &Sender<(&'static str, Arc<Frame>)>) {
    for scene in builtin_scenes() {
        if let Some(frame) = look(scene.name)
            && frames.send((scene.name, frame)).is_err()
        {
            return;
        }
    }
}

/// A scene at its beginning, or a little later if there is nothing to see.
fn look(name: &str) -> Option<Arc<Frame>> {
    let source = Source::File { path: name.into(), quick: true, sets: Vec::new() };
    let options = LiveOptions {
        simulation: granule::Options { threads: Some(1), ..granule::Options::default() },
        fields: ["position", "id", "material"].map(String::from).to_vec(),
        speed: Speed::Unlimited,
        history_bytes: 0,
        ..LiveOptions::default()
    };
    let live = Live::start(source, options).ok()?;
    let first = live.latest();
    if first.ledger.particles >= FEW {
        return Some(first);
    }
    live.seek(LATER);
    live.wait(PATIENCE, |frame| frame.frame >= LATER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_looked_at_when_it_has_something_to_show() {
        let column = look("column").unwrap();
        assert!(column.frame == 0 && column.ledger.particles > FEW);
        assert!(look("no such scene").is_none());
    }
}
