//! Messages between tabs of one browser, as four plain parts that the browser can copy.

use super::events::Link;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TabMessage {
    /// The cursor behind a change, and the change as the server wrote it.
    Feed(String, String),
    Import,
    /// Something of the agent of this session changed, which the server started.
    Agent(String),
    Build(String),
    Link(Link),
    /// How a text goes on that is being written, as the server wrote it.
    Growth(String),
    /// A tab was opened that shows this session. It asks which tab has the stream, and for its state.
    Joined(Option<String>),
    /// Another tab has the stream now. It asks which sessions the others show.
    RequestSessions,
    /// A tab shows this session.
    Showing(String),
    /// This tab has the stream, and was told everything up to this position; 0 if it doesn't know.
    LeaderElected(i64, Link),
    /// The list of sessions of every page's rail.
    Rail(String),
    /// Unread messages, as the server wrote them.
    Unread(String),
    /// The log-in ended, or the history that the page shows.
    SignedOut,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    None,
    Text(String),
    /// Positions are far below what a double holds exactly.
    Number(f64),
}

impl TabMessage {
    pub fn to_parts(&self) -> [Part; 4] {
        let text = |text: &str| Part::Text(text.to_owned());
        let (name, [one, two, three]) = match self {
            Self::Feed(cursor, event) => ("feed", [text(cursor), text(event), Part::None]),
            Self::Import => ("import", [const { Part::None }; 3]),
            Self::Agent(session) => ("agent", [text(session), Part::None, Part::None]),
            Self::Build(build) => ("build", [text(build), Part::None, Part::None]),
            Self::Link(link) => ("link", of_link(0, *link)),
            Self::Growth(told) => ("growth", [text(told), Part::None, Part::None]),
            Self::Joined(session) => ("hello", [session.as_deref().map_or(Part::None, text), Part::None, Part::None]),
            Self::RequestSessions => ("shows", [const { Part::None }; 3]),
            Self::Showing(session) => ("showing", [text(session), Part::None, Part::None]),
            Self::LeaderElected(pos, link) => ("leads", of_link(*pos, *link)),
            Self::Rail(html) => ("rail", [text(html), Part::None, Part::None]),
            Self::Unread(answer) => ("unread", [text(answer), Part::None, Part::None]),
            Self::SignedOut => ("out", [const { Part::None }; 3]),
        };
        [text(name), one, two, three]
    }

    /// Returns None for a message of another build that this one doesn't know.
    pub fn from_parts(parts: &[Part; 4]) -> Option<Self> {
        let text = |at: usize| match parts.get(at) {
            Some(Part::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let number = |at: usize| match parts.get(at) {
            Some(Part::Number(number)) => *number as i64,
            _ => 0,
        };
        let link = || link_of(text(2).as_deref(), number(3));
        Some(match text(0)?.as_str() {
            "feed" => Self::Feed(text(1)?, text(2)?),
            "import" => Self::Import,
            "agent" => Self::Agent(text(1)?),
            "build" => Self::Build(text(1)?),
            "link" => Self::Link(link()),
            "growth" => Self::Growth(text(1)?),
            "hello" => Self::Joined(text(1)),
            "shows" => Self::RequestSessions,
            "showing" => Self::Showing(text(1)?),
            "leads" => Self::LeaderElected(number(1), link()),
            "rail" => Self::Rail(text(1)?),
            "unread" => Self::Unread(text(1)?),
            "out" => Self::SignedOut,
            _ => return None,
        })
    }
}

fn of_link(pos: i64, link: Link) -> [Part; 3] {
    let (kind, n) = match link {
        Link::Connecting => ("connecting", 0),
        Link::Live => ("live", 0),
        Link::Reconnecting(n) => ("reconnecting", i64::from(n)),
        Link::Offline => ("offline", 0),
        Link::Replaying(n) => ("replaying", n),
    };
    [Part::Number(pos as f64), Part::Text(kind.to_owned()), Part::Number(n as f64)]
}

fn link_of(kind: Option<&str>, n: i64) -> Link {
    match kind {
        Some("live") => Link::Live,
        Some("reconnecting") => Link::Reconnecting(u32::try_from(n).unwrap_or(0)),
        Some("offline") => Link::Offline,
        Some("replaying") => Link::Replaying(n),
        _ => Link::Connecting,
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, Part, TabMessage};

    #[test]
    fn every_message_comes_as_it_was_sent() {
        let text = || "text".to_owned();
        let all = [
            TabMessage::Feed(text(), "event".to_owned()),
            TabMessage::Import,
            TabMessage::Agent(text()),
            TabMessage::Build(text()),
            TabMessage::Link(Link::Connecting),
            TabMessage::Link(Link::Live),
            TabMessage::Link(Link::Reconnecting(3)),
            TabMessage::Link(Link::Offline),
            TabMessage::Link(Link::Replaying(60)),
            TabMessage::Growth(text()),
            TabMessage::Joined(None),
            TabMessage::Joined(Some(text())),
            TabMessage::RequestSessions,
            TabMessage::Showing(text()),
            TabMessage::LeaderElected(1 << 50, Link::Live),
            TabMessage::Rail(text()),
            TabMessage::Unread(text()),
            TabMessage::SignedOut,
        ];
        for message in all {
            assert_eq!(TabMessage::from_parts(&message.to_parts()), Some(message));
        }
    }

    #[test]
    fn what_another_build_says_is_left_out() {
        let parts = |name: &str| [Part::Text(name.to_owned()), Part::None, Part::None, Part::None];
        assert_eq!(TabMessage::from_parts(&parts("new")), None);
        assert_eq!(TabMessage::from_parts(&parts("rail")), None);
        assert_eq!(TabMessage::from_parts(&parts("leads")), Some(TabMessage::LeaderElected(0, Link::Connecting)));
    }
}
