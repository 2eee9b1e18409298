//! The keys: as on the pages, as far as terminals send them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Where a key means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Everywhere,
    Lists,
    Transcript,
    Review,
}

impl Group {
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Everywhere, "Everywhere"),
        (Self::Lists, "Lists and transcript"),
        (Self::Transcript, "Transcript"),
        (Self::Review, "A request"),
    ];
}

macro_rules! keys {
    ($( $group:ident { $( $Name:ident = $keys:literal, $words:literal; )+ } )+) => {
        /// Commands of keys.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command { $($( $Name, )+)+ }

        /// Group, keys, words and command of each line of the table.
        pub const KEYS: &[(Group, &str, &str, Command)] = &[$($( (Group::$group, $keys, $words, Command::$Name), )+)+];
    };
}

keys! {
    Everywhere {
        Search = "/, Ctrl k", "Search, or filter the list of sessions";
        Sessions = "g s", "Sessions";
        NeedsYou = "g a", "Sessions that need you";
        Help = "?", "Keys";
        Back = "Esc, q", "Back";
        Quit = "Ctrl c, Q", "Leave";
    }
    Lists {
        Next = "j, Down", "Next";
        Previous = "k, Up", "Previous";
        Open = "o, Enter", "Open";
        PageDown = "Space, PageDown, Ctrl d", "A page down";
        PageUp = "PageUp, Ctrl u", "A page up";
        Beginning = "g g, Home", "Beginning";
        End = "G, End", "End";
    }
    Transcript {
        Unfold = "e", "Unfold or fold the card";
        UnfoldAll = "E", "Unfold or fold all cards";
        FindHere = "Ctrl f", "Find in this session";
        NextTrouble = "n", "Next error or approval";
        PreviousTrouble = "p", "Previous error or approval";
        PreviousPrompt = "[", "Previous prompt";
        NextPrompt = "]", "Next prompt";
        Write = "r, i", "Write to the agent";
        Save = "s", "Save the files of the card here";
        Approve = "a", "Read and decide what the card asks for";
        Pause = "g p", "Pause or resume output";
        Dev = "., g d", "Developer view";
        Panel = "g t", "Toggle the to-do list";
        Rail = "Ctrl b", "Toggle the list of sessions";
    }
    Review {
        AllowOnce = "a", "Allow once";
        AllowAlways = "A", "Allow always";
        Deny = "d", "Deny";
        Dismiss = "D", "Dismiss: close it without a decision";
        Answer = "r, i", "Answer in text, add a note, or fill in the field";
        NextField = "n", "Next field of a form";
        PreviousField = "p", "Previous field of a form";
        SendAnswer = "Enter", "Send the chosen answer";
    }
}

/// Returns the name of a key: `j`, `G`, `Ctrl f`, `PageDown`. None for keys that have none here.
pub fn name(key: KeyEvent) -> Option<String> {
    let name = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        _ => return None,
    };
    Some(if key.modifiers.contains(KeyModifiers::CONTROL) { format!("Ctrl {name}") } else { name })
}

/// Meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Runs(Command),
    /// It is the first of two.
    Begins,
    Nothing,
}

/// Returns what the key of this name means where these groups are; `first` is the key before it, where that began two.
pub fn meaning(first: Option<&str>, key: &str, groups: &[Group]) -> Meaning {
    let pressed = first.map_or_else(|| key.to_owned(), |first| format!("{first} {key}"));
    for group in groups {
        let here = KEYS.iter().filter(|(of, ..)| of == group);
        for (_, keys, _, command) in here {
            if keys.split(", ").any(|keys| keys == pressed) {
                return Meaning::Runs(*command);
            }
        }
    }
    if first.is_none() && key == "g" { Meaning::Begins } else { Meaning::Nothing }
}
