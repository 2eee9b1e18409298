//! How much of the work between two prompts is shown. The dev toggle is another thing: it shows what is hidden, with all
//! that the record says of it.

use api::messages::{Display, Entry, HiddenRow, MessagePage};
use model::{MessageType, Role, Status};

/// In the URL as `?view=`, and remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Verbosity {
    /// Prompts, answers and turns; the work between them is one line each turn.
    Summary,
    /// Tool calls are lines, reasoning is a marker.
    #[default]
    Normal,
    /// Reasoning stands in its place.
    Thinking,
    /// Reasoning in place, and every card open.
    Verbose,
}

impl Verbosity {
    pub const ALL: [Self; 4] = [Self::Summary, Self::Normal, Self::Thinking, Self::Verbose];

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Normal => "normal",
            Self::Thinking => "thinking",
            Self::Verbose => "verbose",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Normal => "Normal",
            Self::Thinking => "Thinking",
            Self::Verbose => "Verbose",
        }
    }

    /// Is reasoning read where it stands? Then a page of messages has to hold what the dev toggle hides.
    pub const fn shows_thinking(self) -> bool {
        matches!(self, Self::Thinking | Self::Verbose)
    }
}

/// The page as a reader at this level sees it: what isn't shown becomes a hidden row, which is counted.
pub(super) fn project(mut page: MessagePage, verbosity: Verbosity) -> MessagePage {
    let shown = |entry: &Entry| {
        let thinks = entry.message.draft.role == Role::Model && verbosity.shows_thinking();
        (entry.display != Display::Dev || thinks) && !is_empty(entry)
    };
    let (messages, hidden): (Vec<Entry>, Vec<Entry>) = page.messages.into_iter().partition(shown);
    page.messages = messages;
    page.hidden.extend(hidden.into_iter().map(HiddenRow::from));
    page.hidden.sort_by_key(|row| row.seq);
    page
}

/// A text without a word, as agents leave it before they think or use a tool.
pub(super) fn is_empty(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    let of_agent = matches!(draft.role, Role::Assistant | Role::Model);
    let plain = draft.metadata.as_ref().is_none_or(|metadata| !metadata.contains_key("message_type"));
    let wordless = draft.content.trim().is_empty() && entry.message_type == MessageType::Text && plain;
    of_agent && wordless && draft.status == Status::Final && entry.display != Display::Dev
}
