//! Where a line stands: what every message made from it has in common.

use crate::Span;
use model::message_type::error::Error;
use model::message_type::file::File;
use model::{Body, Context, Draft, MessageId, Micros, Origin, Part, Provenance, Role, Usage};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Clone)]
pub(crate) struct At {
    pub session: usize,
    pub span: Span,
    pub time: Micros,
    /// The line's own id, or one made from file and offset.
    pub id: String,
    pub origin: Origin,
    pub run: Option<String>,
}

impl At {
    /// The id of one block of the line. A lone block has the line's id.
    pub fn block_id(&self, index: usize, blocks: usize) -> String {
        if blocks > 1 { format!("{}~{index}", self.id) } else { self.id.clone() }
    }

    /// A TEXT message of this line.
    pub fn text(&self, id: &str, role: Role, sender: &str, content: impl Into<String>) -> Draft {
        let mut draft = Draft::text(message_id(id), role, sender, content, self.time);
        draft.provenance = Provenance::Reader;
        draft.origin = self.origin.clone();
        if role != Role::System {
            // Only what the program wrote around the conversation needs the role of its record.
            draft.origin.record = None;
        }
        draft.run_id.clone_from(&self.run);
        draft
    }

    /// Returns a message that no prompt of ours includes: bookkeeping, or a notice of the agent to itself.
    pub fn aside(&self, id: &str, sender: &str, content: impl Into<String>) -> Draft {
        let mut draft = self.text(id, Role::System, sender, content);
        draft.context = Context::None;
        draft
    }

    /// Returns the message for the place where a person interrupted the agent. It is shown as a control word that was
    /// carried out.
    pub fn interruption(&self, id: &str) -> Draft {
        let mut draft = self.text(id, Role::User, "user", "[Request interrupted by user]");
        draft.context = Context::None;
        let metadata = [("interrupted".to_owned(), "turn".into()), ("consumed".to_owned(), true.into())];
        draft.metadata = Some(Map::from_iter(metadata));
        draft
    }

    /// A file that a person or the model added to the conversation: its text and its payload, see [`Book::file`].
    ///
    /// [`Book::file`]: super::book::Book::file
    pub fn file(&self, id: &str, role: Role, (content, file): (String, File)) -> Draft {
        let mut draft = self.text(id, role, if role == Role::User { "user" } else { "bot" }, content);
        draft.metadata = Some(envelope(file));
        draft
    }

    /// An ERROR message: shown to people, given to no model.
    pub fn error(&self, id: &str, error_type: &str, message: String, retryable: Option<bool>) -> Draft {
        let mut draft = self.text(id, Role::Assistant, "bot", message.as_str());
        draft.context = Context::None;
        let error_type = error_type.to_owned();
        draft.metadata = Some(envelope(Error { error_type, message, frames: Vec::new(), retryable, retry_at: None }));
        draft
    }

    /// A message made from a tool call: a diff, a checklist, a question.
    pub fn derived(&self, id: &str, call_id: &str, content: String, metadata: Map<String, Value>) -> Draft {
        let mut draft = self.text(id, Role::Assistant, "bot", content);
        draft.context = Context::None;
        draft.part = Part::Derived;
        draft.call_id = Some(call_id.to_owned());
        draft.metadata = Some(metadata);
        draft
    }
}

/// The envelope of a payload.
pub(crate) fn envelope(body: impl Into<Body>) -> Map<String, Value> {
    let body = body.into();
    Map::from_iter([
        ("message_type".to_owned(), body.message_type().into()),
        ("version".to_owned(), model::envelope::VERSION.into()),
        ("payload".to_owned(), body.payload()),
    ])
}

/// A legacy object: extras of a TEXT message.
pub(crate) fn extras(key: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value.into())])
}

/// Returns the metadata field `tokens` with the usage of a run. None if the usage is empty.
pub(crate) fn tokens(used: Usage) -> Option<(String, Value)> {
    (used != Usage::default()).then(|| ("tokens".to_owned(), serde_json::to_value(used).unwrap_or_default()))
}

/// The id of a derived message: `<call id>~<kind>~<n>`, counted from 0.
pub(crate) fn derived_id(call_message: &str, kind: &str, n: usize) -> String {
    format!("{call_message}~{kind}~{n}")
}

/// An agent's id as a message id. Characters that a URL reserves become `-`; then, and when it is too long, a hash keeps it
/// apart from others.
pub(crate) fn message_id(text: &str) -> MessageId {
    let clean = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    if !text.is_empty()
        && text.len() <= model::id::MAX_CHARS
        && text.chars().all(clean)
        && let Ok(id) = MessageId::parse(text)
    {
        return id;
    }
    let kept: String = text.chars().take(80).map(|c| if clean(c) { c } else { '-' }).collect();
    message_id(&format!("{kept}-{}", &sha256(text.as_bytes())[..16]))
}

/// SHA-256 in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A hash by which ids and lines are compared within one reading.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A time like `2026-01-31T12:00:00.123Z`.
pub(crate) fn micros(text: &str) -> Option<Micros> {
    text.parse::<jiff::Timestamp>().ok().map(|time| Micros(time.as_microsecond()))
}

/// The file's stem, in characters that an id may hold and short enough for an offset and a block number behind it: the beginning
/// of ids of what has none of its own.
pub(crate) fn file_key(stem: &str) -> String {
    let key: String = stem
        .chars()
        .take(64)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    if key.is_empty() { "file".to_owned() } else { key }
}
