//! The interface of channels, and the types that pass through it.

use crate::Http;
use crate::failure::{Failure, SettingError};
use futures::future::BoxFuture;
use model::Message;
use model::policy::BotIdentity;
use std::collections::BTreeMap;

/// The owner's settings, by the names of a kind's [`Field`]s.
pub type Settings = BTreeMap<String, String>;

/// A kind of channel: what it is called, what it needs, what it can do, and how it is opened.
pub struct Kind {
    /// Names it in requests and in the store: `matrix`.
    pub name: &'static str,
    /// For people: `Matrix`.
    pub title: &'static str,
    /// One sentence for the settings page.
    pub about: &'static str,
    /// The settings that the owner enters.
    pub fields: &'static [Field],
    /// Abilities of such channels.
    pub abilities: Abilities,
    /// Opens a channel. It doesn't connect.
    pub open: Open,
}

/// Opens a channel by its settings.
pub type Open = fn(&Settings, &Http) -> Result<Box<dyn Channel>, SettingError>;

/// A setting of a kind.
pub struct Field {
    /// Its key in the settings.
    pub name: &'static str,
    /// Label of the input.
    pub label: &'static str,
    /// A sentence below it.
    pub help: &'static str,
    /// It is never shown again.
    pub is_secret: bool,
    /// It can't be absent. A secret of a signature can: it is made.
    pub is_required: bool,
}

/// Abilities of the channels of a kind.
pub struct Abilities {
    /// A message that was sent can be changed. Otherwise it is sent once it doesn't change any more, and what comes later is sent as
    /// another message.
    pub edits: bool,
    /// The other side drops a repetition by its key, so that several messages may be under way when the server is killed.
    pub drops_repetitions: bool,
    /// A message waits for the one before. Otherwise one that fails lets others pass.
    pub is_ordered: bool,
    /// Whether the channel shows by itself that the agent speaks.
    pub bot_identity: BotIdentity,
    /// How what people write there arrives.
    pub receives: Receives,
}

/// How what people write in a channel arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receives {
    /// Nothing arrives.
    Nothing,
    /// By requests to the server, signed with the channel's secret.
    Signed,
    /// By [`Channel::receive`], from the channel's own position on.
    Polled,
}

/// A message on its way out.
pub struct Outgoing<'a> {
    /// The session's title.
    pub title: &'a str,
    /// The message as it is now.
    pub message: &'a Message,
    /// Text in the channel. None if there is none, for example of a retracted message.
    pub text: Option<&'a str>,
    /// In which row of a conversation it stands.
    pub lane: Lane,
    /// The previous text of the same message. None at first.
    pub before: Option<&'a str>,
    /// The message's address in the page.
    pub page: &'a str,
}

/// In which row of a conversation a message stands, where a channel has threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Messages of people and agents, and open requests.
    Talk,
    /// Everything else: tools, edits, notices.
    Work,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    /// The same at each repetition, and never used for anything else.
    pub key: String,
    /// The result of [`Channel::render`].
    pub body: String,
    /// The other side's id of what was sent for the same message before.
    pub earlier: Option<String>,
    /// Where in the channel: what [`Channel::make_place`] returned for the session.
    pub place: Option<String>,
    /// The other side's id of the last message of [`Lane::Talk`] in the session.
    pub thread: Option<String>,
    /// When it is sent, in seconds since 1970.
    pub at: i64,
}

/// A sent message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// The other side's id of the message, where it gives one. By it edits, reactions and replies find the message.
    pub id: Option<String>,
}

/// The session that a place is made for.
pub struct Place<'a> {
    /// Its id.
    pub session: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its address in the page.
    pub page: &'a str,
    /// Addresses of the people who may answer.
    pub people: &'a [String],
}

/// Received events, and the position to continue from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// In the order of the other side.
    pub events: Vec<Incoming>,
    /// The position after them.
    pub position: String,
}

/// Something that somebody did in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The other side's id of it: the same id again is the same event.
    pub id: String,
    /// The place where it happened; the session is found by it.
    pub place: String,
    /// The sender's address in the channel: `@ada:example.org`.
    pub sender: String,
    /// When it was done, by the other side's clock, in microseconds since 1970. None if it doesn't say.
    pub at: Option<i64>,
    /// The event.
    pub what: What,
}

/// An event in a channel. `of` and `about` are ids of the channel's service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Wrote something, perhaps in answer to a message or in its thread.
    Text {
        /// The text.
        text: String,
        /// The message that it answers.
        about: Option<String>,
    },
    /// Changed what they wrote.
    Edit {
        /// The message that was changed.
        of: String,
        /// The new text.
        text: String,
    },
    /// Deleted what they wrote.
    Retract {
        /// The message that was deleted.
        of: String,
    },
    /// Put a sign on a message.
    Reaction {
        /// The message.
        of: String,
        /// The sign: `👍`.
        key: String,
    },
    /// Invited the bot to the place, where it isn't yet.
    Invited {
        /// Name of the room, if the invitation has it.
        name: Option<String>,
        /// True if the room is encrypted, so that its messages can't be read.
        is_encrypted: bool,
    },
}

/// One place of one kind.
pub trait Channel: Send + Sync {
    /// Returns what is sent of a message, as a text that is stored until it was sent. None: nothing, or nothing new.
    fn render(&self, outgoing: &Outgoing<'_>) -> Option<String>;

    /// Sends a body.
    fn send<'a>(&'a self, sending: &'a Sending) -> BoxFuture<'a, Result<Sent, Failure>>;

    /// Makes a place for a session, and returns its name. Called again after a crash, it returns the same one. None where a
    /// channel has but one place.
    fn make_place<'a>(&'a self, place: &'a Place<'_>) -> BoxFuture<'a, Result<Option<String>, Failure>> {
        let _ = place;
        Box::pin(async { Ok(None) })
    }

    /// Tells people at a place something that is no message of the session, as why an answer was refused. Channels that receive
    /// nothing needn't.
    fn tell<'a>(&'a self, place: &'a str, key: &'a str, text: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        let _ = (place, key, text);
        Box::pin(async { Ok(()) })
    }

    /// Accepts an invitation to a place, for kinds that report [`What::Invited`].
    fn join<'a>(&'a self, place: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        let _ = place;
        Box::pin(async { Ok(()) })
    }

    /// Declines an invitation to a place, or leaves it.
    fn leave<'a>(&'a self, place: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        let _ = place;
        Box::pin(async { Ok(()) })
    }

    /// Waits for what people do after a position; None is now. For kinds that are [`Receives::Polled`].
    fn receive<'a>(&'a self, position: Option<&'a str>) -> BoxFuture<'a, Result<Received, Failure>> {
        let _ = position;
        Box::pin(std::future::pending())
    }
}

/// Returns what is left to say where a text goes on that was sent before, for channels that can't edit: the rest of it, or all of
/// it where it is another one. None where nothing is.
///
/// ```
/// assert_eq!(channels::continuation(Some("a"), "a\nb").as_deref(), Some("b"));
/// assert_eq!(channels::continuation(Some("a"), "a"), None);
/// assert_eq!(channels::continuation(Some("a"), "c").as_deref(), Some("c"));
/// ```
pub fn continuation(before: Option<&str>, text: &str) -> Option<String> {
    let rest = before.map_or(text, |before| text.strip_prefix(before).unwrap_or(text)).trim_matches('\n');
    (!rest.is_empty()).then(|| rest.to_owned())
}
