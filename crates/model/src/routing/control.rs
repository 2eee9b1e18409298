//! Words that the server executes instead of the agent.

use crate::words;

words! {
    /// A control word.
    ControlWord {
        /// Allows an approval.
        Approve = "approve",
        /// Denies an approval.
        Deny = "deny",
        /// Starts over with an empty context.
        Reset = "reset",
        /// Interrupts the agent.
        Pause = "pause",
        /// Gives a working agent further text without interrupting it.
        Btw = "btw",
        /// Gives the agent something to do later, without waking it.
        Todo = "todo",
        /// Runs a command in the session's folder: `!command`, if an owner enabled it.
        Run = "run",
    }
}

const RESETS: [&str; 5] = ["reset", "restart", "clear", "new", "wipe"];
const CONTEXTS: [&str; 4] = ["context", "session", "chat", "conversation"];
/// Single words that reset. They only count after a mention: an agent may have asked "a, b or c?".
const SHORT_RESETS: [&str; 3] = ["boom", "c", "reset"];
/// Length of an approval's id.
const ID: std::ops::RangeInclusive<usize> = 2..=36;

/// A control word with its argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The word.
    pub word: ControlWord,
    /// Id of an approval in lower case, or text for the agent. Empty for a word without an argument.
    pub rest: String,
}

impl Control {
    /// Returns the text for the agent; None if the word is for the server only.
    pub fn model_text(&self) -> Option<String> {
        match self.word {
            ControlWord::Btw => Some(self.rest.clone()),
            ControlWord::Todo => Some(format!("For your to-do list, no answer needed: {}", self.rest)),
            _ => None,
        }
    }

    /// Returns true if nobody would write it to other people, so that it needs no mention.
    pub(super) fn is_unmistakable(&self) -> bool {
        matches!(self.word, ControlWord::Approve | ControlWord::Deny | ControlWord::Reset)
    }
}

/// Parses a control word. `mentioned` is true if a mention stood before it.
///
/// | Text | Word |
/// |---|---|
/// | `approve a1`, `deny a1` | approve or deny the approval with this id |
/// | `reset context`, `new session`, `chat clear`; behind a mention `reset`, `c`, `boom` as well | reset |
/// | `pause` | pause |
/// | `btw` and a text | btw |
/// | `todo` and a text | todo |
pub fn control(text: &str, mentioned: bool) -> Option<Control> {
    let of = |word, rest: &str| Some(Control { word, rest: rest.to_owned() });
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(first, rest)| (first, rest.trim()));
    let first = first.to_lowercase();
    match (first.as_str(), rest) {
        ("approve", id) if is_id(id) => of(ControlWord::Approve, &id.to_lowercase()),
        ("deny", id) if is_id(id) => of(ControlWord::Deny, &id.to_lowercase()),
        ("pause", "") => of(ControlWord::Pause, ""),
        ("btw", said) if !said.is_empty() => of(ControlWord::Btw, said),
        ("todo", said) if !said.is_empty() => of(ControlWord::Todo, said),
        (word, "") if mentioned && SHORT_RESETS.contains(&word) => of(ControlWord::Reset, ""),
        (word, other) if is_reset(word, &other.to_lowercase()) => of(ControlWord::Reset, ""),
        _ => None,
    }
}

fn is_reset(one: &str, other: &str) -> bool {
    let pair = |verb: &str, noun: &str| RESETS.contains(&verb) && CONTEXTS.contains(&noun);
    pair(one, other) || pair(other, one)
}

/// Returns true if a text can be an id: letters and digits, for messages also hyphens and `~`.
fn is_id(id: &str) -> bool {
    ID.contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
}
