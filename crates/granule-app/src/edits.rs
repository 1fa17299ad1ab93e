//! Changes of the scene that were carried out on the way: they hold for a new beginning, too, and are taken back together with
//! the time in which they were made.

/// Keys of a scene and the values that they are set to, as a file of the scene has them once it is saved.
pub type Sets = Vec<(String, String)>;

/// A change that was carried out.
struct Edit {
    /// The frame at which it was.
    frame: u64,
    path: String,
    /// What the key is set to.
    value: String,
    /// What the key was set to before, where it was.
    before: Option<String>,
}

/// Changes that were carried out, oldest first.
#[derive(Default)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// Notes a change at a frame among what is set.
    pub fn carry_out(&mut self, sets: &mut Sets, frame: u64, path: String, value: String) {
        let before = put(sets, &path, Some(value.clone()));
        self.0.push(Edit { frame, path, value, before });
    }

    /// What a key was set to last.
    pub fn value(&self, path: &str) -> Option<&str> {
        self.0.iter().rev().find(|edit| edit.path == path).map(|edit| edit.value.as_str())
    }

    /// A file has them from now on: whoever takes one back is left with a change of the file, to what the run had before it.
    /// `first` gives what a key was when the run began.
    pub fn save(&mut self, first: impl Fn(&str) -> Option<String>) {
        for k in 0..self.0.len() {
            let (earlier, rest) = self.0.split_at_mut(k);
            let edit = &mut rest[0];
            let known = earlier.iter().rev().find(|other| other.path == edit.path);
            let known = known.map(|other| other.value.clone());
            edit.before = edit.before.take().or(known).or_else(|| first(&edit.path));
        }
    }

    /// Takes the changes at a frame and after it back, the newest first.
    pub fn take_back(&mut self, sets: &mut Sets, from: u64) {
        let kept = self.0.partition_point(|edit| edit.frame < from);
        for Edit { path, before, .. } in self.0.drain(kept..).rev() {
            put(sets, &path, before);
        }
    }

    /// Takes all of them for good: the scene begins anew with them.
    pub fn settle(&mut self) {
        self.0.clear();
    }
}

/// Sets a key last, or no longer; gives what it was set to.
fn put(sets: &mut Sets, path: &str, value: Option<String>) -> Option<String> {
    let place = sets.iter().rposition(|(known, _)| known == path);
    let before = place.map(|place| sets.remove(place).1);
    sets.extend(value.map(|value| (path.to_string(), value)));
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(path: &str, value: &str) -> (String, String) {
        (path.into(), value.into())
    }

    #[test]
    fn changes_are_taken_back_to_what_was_set_before() {
        let (mut edits, mut sets) = (Edits::default(), vec![set("radius", "1")]);
        for (frame, path, value) in
            [(3, "angle", "30"), (3, "radius", "2"), (8, "angle", "35"), (9, "angle", "40")]
        {
            edits.carry_out(&mut sets, frame, path.into(), value.into());
        }
        assert_eq!(sets, [set("radius", "2"), set("angle", "40")]);
        edits.take_back(&mut sets, 8);
        assert_eq!(sets, [set("radius", "2"), set("angle", "30")]);
        edits.take_back(&mut sets, 4);
        assert_eq!(sets, [set("radius", "2"), set("angle", "30")], "nothing was done since");
        edits.take_back(&mut sets, 3);
        assert_eq!(sets, [set("radius", "1")]);
        edits.carry_out(&mut sets, 3, "angle".into(), "20".into());
        edits.settle();
        edits.take_back(&mut sets, 0);
        assert_eq!(sets, [set("radius", "1"), set("angle", "20")], "a new beginning has it");
    }

    #[test]
    fn changes_that_a_file_has_become_changes_of_the_file_when_they_are_taken_back() {
        let (mut edits, mut sets) = (Edits::default(), Vec::new());
        edits.carry_out(&mut sets, 3, "angle".into(), "30".into());
        edits.carry_out(&mut sets, 5, "angle".into(), "35".into());
        assert_eq!(edits.value("angle"), Some("35"));
        sets.clear();
        edits.save(|path| (path == "angle").then(|| "20".into()));
        edits.take_back(&mut sets, 6);
        assert!(sets.is_empty(), "nothing was done since");
        edits.carry_out(&mut sets, 7, "angle".into(), "40".into());
        edits.take_back(&mut sets, 7);
        assert!(sets.is_empty(), "back to what the file has: {sets:?}");
        edits.take_back(&mut sets, 4);
        assert_eq!(sets, [set("angle", "30")]);
        edits.take_back(&mut sets, 0);
        assert_eq!((sets, edits.value("angle")), (vec![set("angle", "20")], None));
    }
}
