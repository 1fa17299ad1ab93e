//! A window that asks for a file: to open one that exists, or for the name of a new one.

use std::path::{Path, PathBuf};

use granule::live::FileKind;

/// What a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A scene, recording, checkpoint or run to open.
    Open,
    /// A new file for the scene.
    SaveScene,
    /// A new file for the scene and what was done to it.
    SaveRecording,
    /// A new file for the state.
    SaveCheckpoint,
    /// A new file for the frame.
    ExportFrame,
    /// A new file for a video.
    Video,
}

impl Purpose {
    fn title(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::SaveScene => "Save scene as",
            Self::SaveRecording => "Save what was done",
            Self::SaveCheckpoint => "Save checkpoint",
            Self::ExportFrame => "Export frame",
            Self::Video => "Record video",
        }
    }

    /// Endings of its files, the usual one first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["toml", "granule", "ckpt"],
            Self::SaveScene => &["toml"],
            Self::SaveRecording => &["granule"],
            Self::SaveCheckpoint => &["ckpt"],
            Self::ExportFrame => &["ply", "vtp", "dump"],
            Self::Video => &["mp4"],
        }
    }

    fn button(self) -> &'static str {
        match self {
            Self::Open => "Open file",
            Self::Video => "Record",
            _ => "Save file",
        }
    }
}

/// A line of the list.
struct Entry {
    name: String,
    is_folder: bool,
    is_run: bool,
}

/// A window that asks for a file.
pub struct Dialog {
    purpose: Purpose,
    folder: String,
    name: String,
    listed: Option<(String, Vec<Entry>)>,
    wrong: Option<String>,
    /// Whether it was shown.
    shown: bool,
}

/// What came of a dialog.
pub enum Answer {
    /// It stays open.
    None,
    /// It was closed.
    Cancelled,
    /// A file was named.
    File(Purpose, PathBuf),
}

impl Dialog {
    /// Asks for a file; a new one is proposed under a name that is free.
    pub fn new(purpose: Purpose, folder: &Path, stem: &str) -> Self {
        let name = if purpose == Purpose::Open { String::new() } else { free_name(folder, stem, purpose) };
        Self { purpose, folder: folder.display().to_string(), name, listed: None, wrong: None, shown: false }
    }

    /// Shows it.
    pub fn show(&mut self, ctx: &egui::Context) -> Answer {
        let escape = ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
        let mut answer = if escape { Answer::Cancelled } else { Answer::None };
        self.list();
        let window = egui::Window::new(self.purpose.title()).collapsible(false).resizable(true);
        window.default_width(460.0).show(ctx, |ui| {
            if let Some(given) = self.body(ui) {
                answer = given;
            }
        });
        answer
    }

    fn body(&mut self, ui: &mut egui::Ui) -> Option<Answer> {
        ui.horizontal(|ui| {
            if ui.button("Up").on_hover_text("The folder above").clicked()
                && let Some(above) = Path::new(&self.folder).parent()
            {
                self.folder = above.display().to_string();
            }
            text_field(ui, &mut self.folder, "Folder");
        });
        let chosen = self.entries(ui);
        let entered = ui
            .horizontal(|ui| {
                let response = text_field(ui, &mut self.name, "File name");
                if !std::mem::replace(&mut self.shown, true) {
                    response.request_focus();
                }
                response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))
            })
            .inner;
        if let Some(wrong) = &self.wrong {
            ui.colored_label(ui.visuals().error_fg_color, wrong);
        }
        let (accepted, cancelled) = ui
            .horizontal(|ui| (ui.button(self.purpose.button()).clicked(), ui.button("Cancel").clicked()))
            .inner;
        if cancelled {
            return Some(Answer::Cancelled);
        }
        if chosen || entered || accepted {
            return self.accept();
        }
        None
    }

    /// The list of the folder; says whether a file was opened by a double click.
    fn entries(&mut self, ui: &mut egui::Ui) -> bool {
        let mut enter = None;
        let mut chosen = false;
        let (_, entries) = self.listed.get_or_insert_with(Default::default);
        egui::ScrollArea::vertical().max_height(220.0).auto_shrink(false).show(ui, |ui| {
            for entry in entries.iter() {
                let face = match (entry.is_run, entry.is_folder) {
                    (true, _) => format!("{} (run)", entry.name),
                    (false, true) => format!("{}/", entry.name),
                    (false, false) => entry.name.clone(),
                };
                let response = ui.selectable_label(self.name == entry.name, face);
                if response.clicked() && entry.is_folder && !entry.is_run {
                    enter = Some(entry.name.clone());
                } else if response.clicked() {
                    self.name.clone_from(&entry.name);
                    chosen = response.double_clicked();
                }
            }
        });
        if let Some(name) = enter {
            self.folder = Path::new(&self.folder).join(name).display().to_string();
        }
        chosen
    }

    /// The file that is named, or what is wrong with it.
    fn accept(&mut self) -> Option<Answer> {
        match checked(self.purpose, Path::new(&self.folder), self.name.trim()) {
            Ok(path) => Some(Answer::File(self.purpose, path)),
            Err(reason) => {
                self.wrong = Some(reason);
                None
            }
        }
    }

    /// Reads the folder where it is another one than before.
    fn list(&mut self) {
        if self.listed.as_ref().is_some_and(|(folder, _)| *folder == self.folder) {
            return;
        }
        let mut entries = Vec::new();
        match std::fs::read_dir(&self.folder) {
            Ok(found) => {
                let found = found.flatten().filter_map(|entry| self.entry(&entry.path()));
                entries.extend(found);
                self.wrong = None;
            }
            Err(error) => self.wrong = Some(format!("{}: {error}", self.folder)),
        }
        entries.sort_by(|a, b| (!a.is_folder, &a.name).cmp(&(!b.is_folder, &b.name)));
        self.listed = Some((self.folder.clone(), entries));
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        let name = path.file_name()?.to_str()?.to_string();
        let is_folder = path.is_dir();
        let is_run = self.purpose == Purpose::Open && is_folder && path.join("frames.json").is_file();
        let shown = is_folder || has_ending(path, self.purpose.endings());
        (shown && !name.starts_with('.')).then_some(Entry { name, is_folder, is_run })
    }
}

/// The file that a name means: there to be opened, or free to be written.
fn checked(purpose: Purpose, folder: &Path, name: &str) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("name a file".into());
    }
    let mut path = folder.join(name);
    if purpose == Purpose::Open {
        let shown = path.display().to_string();
        return match FileKind::of(&shown) {
            _ if !path.exists() => Err(format!("{shown}: there is no such file")),
            FileKind::Run if !path.join("frames.json").is_file() => {
                Err(format!("{shown}: this is a folder, and not that of a run: it has no frames.json"))
            }
            _ => Ok(path),
        };
    }
    if path.extension().is_none() {
        path.set_extension(purpose.endings()[0]);
    }
    let shown = path.display();
    if !has_ending(&path, purpose.endings()) {
        return Err(format!("{shown}: the name must end in .{}", purpose.endings().join(" or .")));
    }
    if path.exists() {
        return Err(format!("{shown}: a file of this name exists; it is not overwritten"));
    }
    if !path.parent().is_some_and(Path::is_dir) {
        return Err(format!("{shown}: there is no such folder"));
    }
    Ok(path)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}

/// A name in a folder that no file has yet.
pub fn free_name(folder: &Path, stem: &str, purpose: Purpose) -> String {
    let ending = purpose.endings()[0];
    let numbered = (2..).map(|k| format!("{stem}-{k}.{ending}"));
    let mut names = std::iter::once(format!("{stem}.{ending}")).chain(numbered);
    names.find(|name| !folder.join(name).exists()).unwrap_or_default()
}

/// A field for a line of text, with its name.
fn text_field(ui: &mut egui::Ui, text: &mut String, name: &str) -> egui::Response {
    let label = ui.label(name);
    ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY)).labelled_by(label.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten_and_what_is_not_there_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("a.toml"), "").unwrap();
        std::fs::create_dir(folder.join("empty")).unwrap();
        let check = |purpose, name| checked(purpose, folder, name);
        assert_eq!(check(Purpose::Open, "a.toml"), Ok(folder.join("a.toml")));
        assert!(check(Purpose::Open, "b.toml").unwrap_err().contains("no such file"));
        assert!(check(Purpose::Open, "empty").unwrap_err().contains("frames.json"));
        assert!(check(Purpose::SaveScene, "a.toml").unwrap_err().contains("not overwritten"));
        assert!(
            check(Purpose::SaveScene, "a").unwrap_err().contains("not overwritten"),
            "it gets its ending"
        );
        assert!(check(Purpose::SaveScene, "b.ply").unwrap_err().contains(".toml"));
        assert!(check(Purpose::SaveScene, "no/b.toml").unwrap_err().contains("no such folder"));
        assert!(check(Purpose::SaveScene, "").is_err());
        assert_eq!(check(Purpose::SaveRecording, "b"), Ok(folder.join("b.granule")));
        assert_eq!(check(Purpose::ExportFrame, "b.vtp"), Ok(folder.join("b.vtp")));
        assert_eq!(free_name(folder, "a", Purpose::SaveScene), "a-2.toml");
        assert_eq!(free_name(folder, "c", Purpose::SaveScene), "c.toml");
    }
}
