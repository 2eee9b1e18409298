//! Words that the server carries out instead of the agent.

use crate::words;

words! {
    /// A control word.
    ControlWord {
        /// Allows what an approval asks.
        Approve = "approve",
        /// Denies it.
        Deny = "deny",
        /// Begins with an empty context.
        Reset = "reset",
        /// Stops what the agent does now.
        Pause = "pause",
        /// Tells a working agent something without stopping it.
        Btw = "btw",
        /// Gives the agent something to do later, without waking it.
        Todo = "todo",
        /// Runs a command in the session's folder: `!command`, where an owner enabled that.
        Run = "run",
    }
}

const RESETS: [&str; 5] = ["reset", "restart", "clear", "new", "wipe"];
const CONTEXTS: [&str; 4] = ["context", "session", "chat", "conversation"];
/// Single words that reset. They count behind a mention alone: an agent may have asked "a, b or c?".
const SHORT_RESETS: [&str; 3] = ["boom", "c", "reset"];
/// How long the id of an approval may be.
const ID: std::ops::RangeInclusive<usize> = 2..=36;

/// A control word with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// Which one.
    pub word: ControlWord,
    /// The id of an approval in lower case, or what the agent is told. Empty where the word has none.
    pub rest: String,
}

impl Control {
    /// Returns what the agent reads; None where the word is for the server alone.
    pub fn model_text(&self) -> Option<String> {
        match self.word {
            ControlWord::Btw => Some(self.rest.clone()),
            ControlWord::Todo => Some(format!("For your to-do list, no answer needed: {}", self.rest)),
            _ => None,
        }
    }

    /// Returns whether nobody would write it to other people: such a word needs no mention.
    pub(super) fn is_unmistakable(&self) -> bool {
        matches!(self.word, ControlWord::Approve | ControlWord::Deny | ControlWord::Reset)
    }
}

/// Returns the control word that a text is, if it is one. `mentioned` says whether a mention stood before it.
///
/// | Text | Word |
/// |---|---|
/// | `approve a1`, `deny a1` | of the approval with this id |
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

/// Ids have letters and digits, and those of messages hyphens and `~` as well.
fn is_id(id: &str) -> bool {
    ID.contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
}
