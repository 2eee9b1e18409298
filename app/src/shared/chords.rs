//! From keys that are pressed to commands: one key, or two one after the other; and other keys for a command.

use super::keymap::{COMMANDS, Changed, Entry, Group, active, alternatives, find, keys_of};

/// Returns how the key table writes a key. `lower` makes a letter a small one.
pub fn name_of(key: &str, with_mod: bool, shift: bool, lower: impl FnOnce(&str) -> String) -> String {
    match (with_mod, shift && key.starts_with("Arrow")) {
        (true, _) => format!("Mod+{}", lower(key)),
        // A letter with Shift is another letter; an arrow isn't.
        (false, true) => format!("Shift+{key}"),
        (false, false) if key == " " => "Space".to_owned(),
        (false, false) => key.to_owned(),
    }
}

/// Returns true for a modifier key.
pub fn is_modifier(key: &str) -> bool {
    matches!(key, "Shift" | "Control" | "Meta" | "Alt")
}

/// The keys that mean something, and the first key of two.
#[derive(Debug, Default)]
pub struct Chords {
    bindings: Vec<(String, &'static Entry)>,
    pending: Option<String>,
}

/// Meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    Runs(&'static Entry),
    /// Another key has to follow.
    Begins,
    Nothing,
}

impl Chords {
    /// Takes over what the person prefers.
    pub fn configure(&mut self, single_keys: bool, changed: &Changed) {
        let bindings = COMMANDS
            .iter()
            .flat_map(|entry| active(entry, single_keys, changed).map(move |keys| (keys.to_owned(), *entry)));
        self.bindings = bindings.collect();
    }

    /// Takes a key. On the page of changes its own commands go before the others; elsewhere they are none.
    pub fn press(&mut self, key: &str, in_changes: bool) -> Pressed {
        let both = self.pending.take().map(|first| format!("{first} {key}"));
        if let Some(entry) = both.and_then(|keys| self.bound(&keys, in_changes)).or_else(|| self.bound(key, in_changes))
        {
            return Pressed::Runs(entry);
        }
        let first = format!("{key} ");
        if !self.bindings.iter().any(|(keys, _)| keys.starts_with(&first)) {
            return Pressed::Nothing;
        }
        self.pending = Some(key.to_owned());
        Pressed::Begins
    }

    /// The second key took too long.
    pub fn give_up(&mut self) {
        self.pending = None;
    }

    fn bound(&self, keys: &str, in_changes: bool) -> Option<&'static Entry> {
        let found = self.bindings.iter().filter(|(known, _)| known == keys).map(|(_, entry)| *entry);
        let fits = found.filter(|entry| in_changes || entry.group != Group::Changes);
        fits.max_by_key(|entry| entry.group == Group::Changes)
    }
}

/// Are these all keys of a command? After one alone another may follow.
pub fn is_whole(pressed: &str) -> bool {
    pressed.contains(' ') || pressed.starts_with("Mod+")
}

/// The other command that has these keys already, or keys that begin with them, or that they begin with.
pub fn taken_by(pressed: &str, command: &str, all: &Changed) -> Option<&'static Entry> {
    let clash = |known: &str| {
        known == pressed || known.starts_with(&format!("{pressed} ")) || pressed.starts_with(&format!("{known} "))
    };
    let wanted = find(command);
    let meets = |entry: &Entry| entry.id != command && wanted.is_none_or(|it| entry.group.meets(it.group));
    let other = COMMANDS.iter().find(|entry| meets(entry) && alternatives(keys_of(entry, all)).any(clash));
    other.copied().filter(|_| !pressed.is_empty())
}

/// The changed keys with those of a command; its usual ones are no change.
pub fn with(mut all: Changed, command: String, pressed: String) -> Changed {
    all.retain(|(id, _)| *id != command);
    if find(&command).is_none_or(|entry| entry.keys != pressed) {
        all.push((command, pressed));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::keymap::{Changed, Command};
    use super::{Chords, Pressed, is_whole, name_of, taken_by, with};

    fn changed(keys: &[(&str, &str)]) -> Changed {
        keys.iter().map(|(id, keys)| ((*id).to_owned(), (*keys).to_owned())).collect()
    }

    fn chords(single_keys: bool, keys: &[(&str, &str)]) -> Chords {
        let mut chords = Chords::default();
        chords.configure(single_keys, &changed(keys));
        chords
    }

    fn runs(command: Command) -> Pressed {
        Pressed::Runs(command.entry())
    }

    fn name(key: &str, with_mod: bool, shift: bool) -> String {
        name_of(key, with_mod, shift, str::to_lowercase)
    }

    #[test]
    fn a_letter_with_shift_is_another_letter_and_an_arrow_is_not() {
        assert_eq!(
            (name("J", false, true), name("ArrowDown", false, true)),
            ("J".to_owned(), "Shift+ArrowDown".to_owned())
        );
    }

    #[test]
    fn with_ctrl_a_letter_is_a_small_one() {
        assert_eq!((name("K", true, true), name(" ", false, false)), ("Mod+k".to_owned(), "Space".to_owned()));
    }

    #[test]
    fn a_key_runs_its_command() {
        assert_eq!(chords(true, &[]).press("j", false), runs(Command::Next));
    }

    #[test]
    fn a_key_that_means_nothing_begins_nothing() {
        let mut chords = chords(true, &[]);
        assert_eq!(chords.press("\u{e9}", false), Pressed::Nothing);
    }

    #[test]
    fn two_keys_run_a_command_one_after_the_other() {
        let mut chords = chords(true, &[]);
        assert_eq!([chords.press("g", false), chords.press("s", false)], [Pressed::Begins, runs(Command::Sessions)]);
    }

    #[test]
    fn a_second_key_that_fits_no_first_one_counts_alone() {
        let mut chords = chords(true, &[]);
        chords.press("g", false);
        assert_eq!(chords.press("j", false), runs(Command::Next));
        // The first one is gone with it.
        assert_ne!(chords.press("s", false), runs(Command::Sessions));
    }

    #[test]
    fn a_first_key_is_forgotten_after_its_time() {
        let mut chords = chords(true, &[]);
        chords.press("g", false);
        chords.give_up();
        assert_ne!(chords.press("s", false), runs(Command::Sessions));
    }

    #[test]
    fn keys_that_are_pressed_alone_can_be_turned_off() {
        let mut chords = chords(false, &[]);
        assert_eq!([chords.press("j", false), chords.press("g", false)], [Pressed::Nothing; 2]);
        assert_eq!(chords.press("Mod+k", false), runs(Command::Palette));
    }

    #[test]
    fn a_command_has_the_keys_that_the_person_gave_it() {
        let mut chords = chords(true, &[("next", "z")]);
        assert_eq!([chords.press("z", false), chords.press("j", false)], [runs(Command::Next), Pressed::Nothing]);
    }

    #[test]
    fn commands_of_the_changes_page_are_none_elsewhere() {
        let keys = Command::NextChange.entry().keys.split(", ").next().unwrap();
        let chords = || chords(true, &[]);
        assert_eq!(chords().press(keys, true), runs(Command::NextChange));
        assert_ne!(chords().press(keys, false), runs(Command::NextChange));
    }

    #[test]
    fn on_the_changes_page_its_own_commands_go_first() {
        let keys = Command::NextChange.entry().keys.split(", ").next().unwrap();
        let mut chords = chords(true, &[]);
        assert_eq!(
            [chords.press(keys, true), chords.press(keys, false)],
            [runs(Command::NextChange), runs(Command::NextTrouble)]
        );
    }

    #[test]
    fn keys_are_whole_when_nothing_may_follow() {
        assert_eq!(["g", "g s", "Mod+k"].map(is_whole), [false, true, true]);
    }

    #[test]
    fn keys_of_another_command_are_taken() {
        assert_eq!(taken_by("k", "next", &changed(&[])), Some(Command::Previous.entry()));
    }

    #[test]
    fn a_commands_own_keys_are_not_taken() {
        assert_eq!(taken_by("j", "next", &changed(&[])), None);
    }

    #[test]
    fn keys_that_another_begins_with_are_taken_and_the_other_way_round() {
        let taken = |keys: &str| taken_by(keys, "next", &changed(&[])).is_some();
        assert!(taken("g") && taken("k x") && !taken("F9"));
    }

    #[test]
    fn keys_that_the_person_took_from_a_command_are_free() {
        assert_eq!(taken_by("k", "next", &changed(&[("previous", "F9")])), None);
    }

    #[test]
    fn taking_the_keys_away_takes_nothing_from_others() {
        assert_eq!(taken_by("", "next", &changed(&[("previous", "")])), None);
    }

    #[test]
    fn commands_that_never_meet_may_share_a_key() {
        assert_eq!(Command::NextChange.entry().keys, "n");
        assert_eq!(taken_by("n", "next_trouble", &changed(&[])), None);
    }

    #[test]
    fn usual_keys_are_no_change() {
        let all = changed(&[("next", "z"), ("help", "F9")]);
        assert_eq!(with(all.clone(), "next".to_owned(), "j".to_owned()), changed(&[("help", "F9")]));
        assert_eq!(with(all, "next".to_owned(), "x".to_owned()), changed(&[("help", "F9"), ("next", "x")]));
    }
}
