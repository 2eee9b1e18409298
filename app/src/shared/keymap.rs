//! Every command: the one table from which the handlers of keys, the palette, the sheet and the settings are made.
//!
//! How to add one: its line here, and what it runs in `frontend/src/keyboard.rs`, which no longer compiles.
//!
//! Keys are written as browsers name them. `g s` is one after the other, `Mod+k` is with Ctrl or Command, `, `
//! separates keys that mean the same.

#[cfg(feature = "ssr")]
use crate::icon::Glyph;

/// Where a command is listed, and where its keys mean something.
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

/// When a command applies: to a key that is pressed, and to the palette, which knows the page but no row of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    /// By its key only, when the part that it belongs to says so.
    Key,
    /// To the current row of a list or a transcript. The palette leaves it out.
    Row,
    /// To the current row, or to the session of the page.
    Session,
    /// On a transcript.
    Transcript,
    /// To the current card of a transcript. The palette leaves it out.
    Card,
    /// On a transcript which has what it acts on: `frontend::targets`.
    Target,
    /// On a session's page with this element.
    Element(&'static str),
    /// On the page of changes.
    Changes,
}

/// A command as the table has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The command.
    pub command: Command,
    /// Names it in the preferences.
    pub id: &'static str,
    /// Usual keys; empty if it has none.
    pub keys: &'static str,
    pub words: &'static str,
    /// Only the server draws it.
    #[cfg(feature = "ssr")]
    pub glyph: Glyph,
    pub group: Group,
    pub when: When,
}

macro_rules! commands {
    ($( $group:ident { $(
        $Name:ident = $id:literal, $keys:literal, $words:literal, $GLYPH:ident, $when:ident $(($of:literal))?;
    )+ } )+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command { $($( $Name, )+)+ }

        impl Command {
            /// Returns its line of the table.
            pub const fn entry(self) -> &'static Entry {
                match self { $($(
                    Self::$Name => &Entry {
                        command: Self::$Name,
                        id: $id,
                        keys: $keys,
                        words: $words,
                        #[cfg(feature = "ssr")]
                        glyph: Glyph::$GLYPH,
                        group: Group::$group,
                        when: When::$when $(($of))?,
                    },
                )+)+ }
            }
        }

        pub const COMMANDS: &[&Entry] = &[$($( Command::$Name.entry(), )+)+];
    };
}

commands! {
    Everywhere {
        Palette = "palette", "Mod+k", "Search or jump to", SEARCH, Key;
        Find = "find", "/", "Search, or filter this list", SEARCH, Always;
        Sessions = "sessions", "g s", "Sessions", LIST, Always;
        NeedsYou = "needs_you", "g a", "Sessions that need you", NEEDS, Always;
        Changes = "changes", "g c", "Changes of this session", DIFF, Element("#panel [role=tab][data-tab=changes]");
        NewSession = "new_session", "g n", "New session", PLUS, Always;
        History = "history", "g h", "History: search all sessions", LAYERS, Always;
        Files = "files", "g f", "Changed files: what changed today", DIFF, Always;
        Statistics = "statistics", "g t", "Statistics", CHART, Always;
        Settings = "settings", "g ,", "Settings", GEAR, Always;
        Help = "help", "?", "Keyboard shortcuts", KBD, Always;
        LogOut = "log_out", "", "Log out", EXIT, Always;
        Undo = "undo", "Mod+z", "Undo the last action", UNDO, Key;
    }
    Lists {
        Next = "next", "j", "Next", DN, Row;
        Previous = "previous", "k", "Previous", UP, Row;
        Open = "open", "o", "Open", EXPAND, Row;
        Peek = "peek", "Space", "Preview the session's last message", EYE, Key;
        Select = "select", "x", "Select the row", CHECK, Row;
        SelectTo = "select_to", "X", "Select up to this row", CHECK, Row;
        Menu = "menu", "m", "Menu of the row or the session", MORE, Row;
        Rename = "rename", "F2", "Rename", EDIT, Session;
        Archive = "archive", "y", "Archive or unarchive", ARCHIVE, Session;
        Pin = "pin", "P", "Pin or unpin", PIN, Session;
        Delete = "delete", "#", "Delete", TRASH, Session;
    }
    Transcript {
        Unfold = "unfold", "e", "Unfold or fold the card", EXPAND, Card;
        UnfoldAll = "unfold_all", "E", "Unfold or fold all cards", EXPAND, Transcript;
        FindHere = "find_here", "Mod+f", "Find in this session", SEARCH, Transcript;
        NextTrouble = "next_trouble", "n", "Next error or approval", DN, Transcript;
        PreviousTrouble = "previous_trouble", "p", "Previous error or approval", UP, Transcript;
        PreviousPrompt = "previous_prompt", "[", "Previous prompt", UP, Card;
        NextPrompt = "next_prompt", "]", "Next prompt", DN, Card;
        Beginning = "beginning", "g g, Home", "Beginning", UP, Transcript;
        End = "end", "G, End", "End", DN, Transcript;
        Editor = "editor", "O", "Open the card's file in the editor", EDIT, Card;
        Context = "context", "w", "What the model saw at this message", LAYERS, Card;
        Write = "write", "r, i", "Write to the agent", EDIT, Target;
        Approve = "approve", "a", "Allow the focused request", CHECK, Target;
        ApproveAlways = "approve_always", "A", "Allow it always", CHECK, Target;
        Deny = "deny", "d", "Deny it", X, Target;
        Pause = "pause", "g p", "Pause or resume output", STOP, Transcript;
        Dev = "dev", "., g d", "Developer view", CODE, Element("#dev");
        Panel = "panel", "Mod+.", "Toggle the right panel", PANEL, Element("#main [data-action=panel]");
        Rail = "rail", "Mod+b", "Toggle the left panel", PANEL, Always;
    }
    Changes {
        NextChange = "next_change", "n", "Next change", DN, Changes;
        PreviousChange = "previous_change", "p", "Previous change", UP, Changes;
        NextFile = "next_file", "]", "Next file", DN, Changes;
        PreviousFile = "previous_file", "[", "Previous file", UP, Changes;
        Viewed = "viewed", "v", "File viewed, or not", CHECK, Changes;
        Comment = "comment", "c", "Comment on the selected lines, or on this change", COMMENT, Changes;
        MoreLines = "more_lines", "Shift+ArrowDown", "Select the first line of the change, then one more", EXPAND, Changes;
        FewerLines = "fewer_lines", "Shift+ArrowUp", "Select one line fewer", EXPAND, Changes;
        Unified = "unified", "u", "Unified view", UNIFIED, Changes;
        Split = "split", "s", "Split view", SPLIT, Changes;
        Wrap = "wrap", "z", "Wrap long lines", EXPAND, Changes;
        Spaces = "spaces", "w", "Ignore white space", EXPAND, Changes;
        InWords = "in_words", "F7", "Accessible view of the file", EXPAND, Changes;
    }
}

/// Commands with other keys than usual, by their ids.
pub type Changed = Vec<(String, String)>;

/// As a page tells it: a line for each.
pub fn written(changed: &[(String, String)]) -> String {
    changed.iter().map(|(id, keys)| format!("{id} {keys}")).collect::<Vec<_>>().join("\n")
}

/// Reads what [`written`] returned.
pub fn read(written: &str) -> Changed {
    let entry = |line: &str| line.split_once(' ').map(|(id, keys)| (id.to_owned(), keys.to_owned()));
    written.lines().filter_map(entry).collect()
}

/// Finds a command by its id.
pub fn find(id: &str) -> Option<&'static Entry> {
    COMMANDS.iter().copied().find(|entry| entry.id == id)
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

/// Returns the key hints that the style draws on those buttons, as values of its properties.
pub fn hints(single_keys: bool, changed: &[(String, String)]) -> impl Iterator<Item = (&'static str, String)> {
    HINTS.iter().map(move |(command, name)| {
        let keys = active(command.entry(), single_keys, changed).next();
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
    use super::{COMMANDS, Group, alternatives, find, keys_of, read, readable, single, written};
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
        let keys = |id: &str| find(id).map(|entry| keys_of(entry, &changed).to_owned());
        assert_eq!((keys("next"), keys("previous")), (Some("n".to_owned()), Some("k".to_owned())));
        assert_eq!(read(&written(&changed)), changed);
        assert_eq!((readable("Mod+k"), readable("g s")), ("Ctrl K".to_owned(), "g s".to_owned()));
        assert_eq!((readable("Shift+ArrowUp"), readable("+")), ("Shift \u{2191}".to_owned(), "+".to_owned()));
        assert!(single("g s") && single("?") && !single("Mod+k") && !single("F2"));
    }
}
