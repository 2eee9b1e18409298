//! Every key: the one table from which the handlers, the sheet, the palette and the settings are made.
//!
//! How to add one: its line here, and what it does in `frontend/src/keyboard.rs`, which no longer compiles.
//!
//! Keys are written as browsers name them. `g s` is one after the other, `Mod+k` is with Ctrl or Command, `, ` separates
//! keys that mean the same.

/// Where a command makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Everywhere,
    Lists,
    Transcript,
    /// Goes before the others on the page of changes.
    Changes,
}

impl Group {
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Everywhere, "Everywhere"),
        (Self::Lists, "Lists and transcript"),
        (Self::Transcript, "Transcript"),
        (Self::Changes, "Changes"),
    ];

    /// Could commands of both mean something on the same page? If not, they may have the same key.
    pub fn meets(self, other: Self) -> bool {
        !matches!((self, other), (Self::Changes, Self::Transcript) | (Self::Transcript, Self::Changes))
    }
}

/// A command as the table has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub command: Command,
    /// Names it in the preferences.
    pub id: &'static str,
    /// Usual keys; empty if it has none.
    pub keys: &'static str,
    pub words: &'static str,
    pub group: Group,
}

macro_rules! commands {
    ($( $group:ident { $( $Name:ident = $id:literal, $keys:literal, $words:literal; )+ } )+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command { $($( $Name, )+)+ }

        pub const COMMANDS: &[Entry] = &[$($(
            Entry { command: Command::$Name, id: $id, keys: $keys, words: $words, group: Group::$group },
        )+)+];
    };
}

commands! {
    Everywhere {
        Palette = "palette", "Mod+k", "Search or jump to";
        Find = "find", "/", "Search, or filter this list";
        Sessions = "sessions", "g s", "Sessions";
        NeedsYou = "needs_you", "g a", "What needs you";
        Changes = "changes", "g c", "Changes of this session";
        Settings = "settings", "g ,", "Settings";
        Help = "help", "?", "Keyboard shortcuts";
        Undo = "undo", "Mod+z", "Undo what was just done";
    }
    Lists {
        Next = "next", "j", "Next";
        Previous = "previous", "k", "Previous";
        Open = "open", "o", "Open";
        Peek = "peek", "Space", "Look at the session's last message";
        Select = "select", "x", "Select the row";
        SelectTo = "select_to", "X", "Select up to this row";
        Menu = "menu", "m", "Menu of the row or the session";
        Rename = "rename", "F2", "Rename";
        Archive = "archive", "y", "Archive or unarchive";
        Pin = "pin", "P", "Pin or unpin";
        Delete = "delete", "#", "Delete";
    }
    Transcript {
        Unfold = "unfold", "e", "Unfold or fold the card";
        UnfoldAll = "unfold_all", "E", "Unfold or fold all cards";
        FindHere = "find_here", "Mod+f", "Find in this session";
        NextTrouble = "next_trouble", "n", "Next error or approval";
        PreviousTrouble = "previous_trouble", "p", "Previous error or approval";
        PreviousPrompt = "previous_prompt", "[", "Previous prompt";
        NextPrompt = "next_prompt", "]", "Next prompt";
        Beginning = "beginning", "g g, Home", "Beginning";
        End = "end", "G, End", "End";
        Editor = "editor", "O", "Open the card's file in the editor";
        Write = "write", "r, i", "Write to the agent";
        Approve = "approve", "a", "Allow what the focused card asks for";
        ApproveAlways = "approve_always", "A", "Allow it always";
        Deny = "deny", "d", "Deny it";
        Pause = "pause", "g p", "Pause output, or go on";
        Dev = "dev", "., g d", "Developer view";
        Panel = "panel", "Mod+.", "Toggle the right panel";
        Rail = "rail", "Mod+b", "Toggle the left panel";
    }
    Changes {
        NextChange = "next_change", "n", "Next change";
        PreviousChange = "previous_change", "p", "Previous change";
        NextFile = "next_file", "]", "Next file";
        PreviousFile = "previous_file", "[", "Previous file";
        Viewed = "viewed", "v", "File viewed, or not";
        Comment = "comment", "c", "Comment on the chosen lines, or on this change";
        MoreLines = "more_lines", "Shift+ArrowDown", "Choose the first line of the change, then one more";
        FewerLines = "fewer_lines", "Shift+ArrowUp", "Choose one line fewer";
        Unified = "unified", "u", "Unified view";
        Split = "split", "s", "Split view";
        Wrap = "wrap", "z", "Wrap long lines";
        Spaces = "spaces", "w", "Ignore white space";
        InWords = "in_words", "F7", "Accessible view of the file";
    }
}

/// Commands with other keys than usual, by their ids.
pub type Changed = Vec<(String, String)>;

/// As a page tells it: a line for each.
pub fn written(changed: &[(String, String)]) -> String {
    changed.iter().map(|(id, keys)| format!("{id} {keys}")).collect::<Vec<_>>().join("\n")
}

/// The same, read.
pub fn read(written: &str) -> Changed {
    let entry = |line: &str| line.split_once(' ').map(|(id, keys)| (id.to_owned(), keys.to_owned()));
    written.lines().filter_map(entry).collect()
}

/// The keys of a command, as the person has them.
pub fn keys_of<'a>(entry: &Entry, changed: &'a [(String, String)]) -> &'a str
where
    'static: 'a,
{
    changed.iter().find(|(id, _)| id == entry.id).map_or(entry.keys, |(_, keys)| keys)
}

/// The single ones of several keys that mean the same.
pub fn alternatives(keys: &str) -> impl Iterator<Item = &str> {
    keys.split(", ").map(str::trim).filter(|keys| !keys.is_empty())
}

/// Is it a letter, a digit or a sign that acts when pressed alone? Those can be turned off.
pub fn single(keys: &str) -> bool {
    keys.split(' ').next().is_some_and(|first| first.chars().count() == 1)
}

/// The keys of a command that act: those that are pressed alone can be turned off.
pub fn active<'a>(
    entry: &Entry,
    single_keys: bool,
    changed: &'a [(String, String)],
) -> impl Iterator<Item = &'a str> + use<'a> {
    alternatives(keys_of(entry, changed)).filter(move |keys| single_keys || !single(keys))
}

/// Commands whose keys stand on their buttons, and the property that the style reads them from.
const HINTS: [(Command, &str); 2] = [(Command::Approve, "--key-allow"), (Command::Deny, "--key-deny")];

/// What the style draws on those buttons, wherever they come to stand, as values of its properties.
pub fn hints(single_keys: bool, changed: &[(String, String)]) -> impl Iterator<Item = (&'static str, String)> {
    HINTS.iter().map(move |(command, name)| {
        let entry = COMMANDS.iter().find(|entry| entry.command == *command);
        let keys = entry.and_then(|entry| active(entry, single_keys, changed).next());
        let quoted = |keys: &str| format!("\"{}\"", keys.replace('\\', "\\\\").replace('"', "\\\""));
        (*name, keys.map_or_else(|| "initial".to_owned(), |keys| quoted(&readable(keys))))
    })
}

/// As people read it: `Ctrl K`, `Shift ↓`, `g s`.
pub fn readable(keys: &str) -> String {
    match keys.split_once('+') {
        Some(("Mod", key)) => format!("Ctrl {}", key.to_ascii_uppercase()),
        Some((held, "ArrowUp")) => format!("{held} \u{2191}"),
        Some((held, "ArrowDown")) => format!("{held} \u{2193}"),
        _ => keys.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, Group, alternatives, keys_of, read, readable, single, written};
    use std::collections::BTreeSet;

    #[test]
    fn no_two_commands_of_a_page_share_a_key_or_begin_with_anothers() {
        for page in [Group::Transcript, Group::Changes] {
            let here = COMMANDS.iter().filter(|entry| entry.group.meets(page));
            let keys: Vec<&str> = here.flat_map(|entry| alternatives(entry.keys)).collect();
            let different: BTreeSet<&str> = keys.iter().copied().collect();
            assert_eq!(different.len(), keys.len());
        }
        let keys: Vec<&str> = COMMANDS.iter().flat_map(|entry| alternatives(entry.keys)).collect();
        for key in &keys {
            assert!(!keys.iter().any(|other| other.starts_with(&format!("{key} "))), "{key} would wait for another");
        }
    }

    #[test]
    fn changed_keys_win_over_the_usual_ones() {
        let changed = vec![("next".to_owned(), "n".to_owned())];
        let keys = |id: &str| COMMANDS.iter().find(|e| e.id == id).map(|e| keys_of(e, &changed).to_owned());
        assert_eq!((keys("next"), keys("previous")), (Some("n".to_owned()), Some("k".to_owned())));
        assert_eq!(read(&written(&changed)), changed);
        assert_eq!((readable("Mod+k"), readable("g s")), ("Ctrl K".to_owned(), "g s".to_owned()));
        assert_eq!((readable("Shift+ArrowUp"), readable("+")), ("Shift \u{2191}".to_owned(), "+".to_owned()));
        assert!(single("g s") && single("?") && !single("Mod+k") && !single("F2"));
    }
}
