//! Everything that the window can be told to do, with its words and keys: menus, the palette and the help read this list.

use egui::{Key, KeyboardShortcut, Modifiers};

/// Something that the window can be told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Plays or pauses.
    PlayOrPause,
    /// One step of the solver.
    Step,
    /// One frame.
    NextFrame,
    /// One frame back.
    PreviousFrame,
    /// To the first frame.
    FirstFrame,
    /// Begins anew.
    Reset,
    /// Takes back what hands did last.
    Undo,
    /// A second run beside the first, or none.
    Compare,
    /// Real time.
    RealTime,
    /// A tenth of real time.
    SlowMotion,
    /// As fast as it goes.
    FullSpeed,
    /// Looks at everything.
    FrameAll,
    /// Looks at the grain that was picked.
    FramePicked,
    /// From the front.
    ViewFront,
    /// From above.
    ViewTop,
    /// From the front, the right and above.
    ViewIso,
    /// The next colour.
    NextColor,
    /// Shadows on or off.
    Shadows,
    /// Walls on or off.
    Walls,
    /// A picture into a file.
    Screenshot,
    /// Opens a file.
    Open,
    /// Saves the scene.
    Save,
    /// Saves the scene in another file.
    SaveAs,
    /// Saves the scene and what was done to it.
    SaveRecording,
    /// Saves the state.
    SaveCheckpoint,
    /// Saves the frame.
    ExportFrame,
    /// Begins or ends a video.
    Record,
    /// Hides or shows all panels.
    Panels,
    /// All actions by name.
    Palette,
    /// Keys.
    Help,
    /// Closes the window.
    Quit,
}

/// An action with its words and key.
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// What it is called.
    pub name: &'static str,
    /// The menu that it is in.
    pub menu: &'static str,
    /// Its key.
    pub key: Option<KeyboardShortcut>,
}

const fn key(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::NONE, key))
}

const fn with_shift(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::SHIFT, key))
}

const fn command(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND, key))
}

const fn shifted(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key))
}

const fn info(
    action: Action,
    name: &'static str,
    menu: &'static str,
    key: Option<KeyboardShortcut>,
) -> ActionInfo {
    ActionInfo { action, name, menu, key }
}

/// All actions, in the order of the menus.
pub const ACTIONS: &[ActionInfo] = &[
    info(Action::Open, "Open", "File", command(Key::O)),
    // Before the same key without Shift.
    info(Action::SaveAs, "Save scene as", "File", shifted(Key::S)),
    info(Action::Save, "Save scene", "File", command(Key::S)),
    info(Action::SaveRecording, "Save what was done", "File", None),
    info(Action::SaveCheckpoint, "Save checkpoint", "File", None),
    info(Action::ExportFrame, "Export frame", "File", None),
    info(Action::Record, "Record video, or stop", "File", None),
    info(Action::Screenshot, "Save picture", "File", key(Key::F12)),
    info(Action::Quit, "Quit", "File", command(Key::Q)),
    info(Action::PlayOrPause, "Play or pause", "Run", key(Key::Space)),
    info(Action::NextFrame, "Next frame", "Run", key(Key::ArrowRight)),
    info(Action::PreviousFrame, "Previous frame", "Run", key(Key::ArrowLeft)),
    info(Action::FirstFrame, "First frame", "Run", key(Key::Home)),
    info(Action::Step, "Single step", "Run", key(Key::Period)),
    info(Action::Reset, "Begin anew", "Run", command(Key::R)),
    info(Action::Undo, "Undo", "Run", command(Key::Z)),
    info(Action::Compare, "Compare side by side", "Run", None),
    info(Action::RealTime, "Real time", "Run", None),
    info(Action::SlowMotion, "Slow motion", "Run", None),
    info(Action::FullSpeed, "As fast as it goes", "Run", None),
    // Before the same key without Shift.
    info(Action::FramePicked, "Look at the picked grain", "View", with_shift(Key::F)),
    info(Action::FrameAll, "Look at everything", "View", key(Key::F)),
    info(Action::ViewFront, "From the front", "View", None),
    info(Action::ViewTop, "From above", "View", None),
    info(Action::ViewIso, "From the corner", "View", None),
    info(Action::NextColor, "Next colour", "View", key(Key::C)),
    info(Action::Shadows, "Shadows", "View", None),
    info(Action::Walls, "Walls", "View", None),
    info(Action::Panels, "Hide or show panels", "View", key(Key::Tab)),
    info(Action::Palette, "All actions", "Help", command(Key::K)),
    info(Action::Help, "Keys", "Help", key(Key::Questionmark)),
];

/// The action whose key was pressed, if no text is being written; arrow keys are left alone where they drive something.
pub fn pressed(ctx: &egui::Context, driving: bool) -> Option<Action> {
    let writing = ctx.egui_wants_keyboard_input();
    let is_arrow = |key: Key| matches!(key, Key::ArrowLeft | Key::ArrowRight);
    let is_plain = |shortcut: &KeyboardShortcut| !shortcut.modifiers.command;
    let hit = |info: &&ActionInfo| {
        let Some(shortcut) = info.key else { return false };
        let taken = writing && is_plain(&shortcut) || driving && is_arrow(shortcut.logical_key);
        !taken && ctx.input_mut(|input| input.consume_shortcut(&shortcut))
    };
    ACTIONS.iter().find(hit).map(|info| info.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_name_of_its_own_and_keys_are_not_shared() {
        for (k, info) in ACTIONS.iter().enumerate() {
            for other in &ACTIONS[k + 1..] {
                assert_ne!(info.name, other.name);
                assert!(info.key.is_none() || info.key != other.key, "{} and {}", info.name, other.name);
            }
        }
    }
}
