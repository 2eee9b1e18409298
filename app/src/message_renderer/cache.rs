//! Drawn messages, kept while there is room: a message of one revision looks the same to everybody. Messages with masked
//! secrets are never kept.

use crate::html::Html;
use crate::message::code_review::reviewed::Reviewed;
use crate::message::progress::is_stalled;
use crate::message::view_options::{Detail, TranscriptOptions, Verbosity};
use api::messages::{Entry, NotShown};
use model::message_type::todo::TodoStatus;
use model::message_type::tool_call::ToolState;
use model::{AssistantName, Body, MessageType};
use quick_cache::{Weighter, sync::Cache};
use std::sync::{Arc, LazyLock};

/// The inside of an article, and the class of the article.
#[derive(Debug)]
pub(super) struct Drawn {
    pub class: &'static str,
    pub html: Html,
}

/// Everything that decides what a message looks like.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    session: String,
    id: String,
    revision: i32,
    detail: Detail,
    look: [bool; 7],
    /// Paths are shown without it.
    project: String,
    assistant: AssistantName,
    verbosity: Verbosity,
    child: Option<String>,
    /// The content of an approval, which can change without the message.
    shown: Option<String>,
    not_shown: Option<NotShown>,
    /// So may what became of a call.
    outcome: Option<ToolState>,
    /// Ticks of the newest plan, which people can change.
    ticked: Vec<TodoStatus>,
    /// The plan that this one replaced.
    before: Option<(i64, i32)>,
    /// Later edits in the lines of a review.
    reviewed: Option<Reviewed>,
    /// Only its beginning is here.
    cut: bool,
    /// Number of available texts of a FILE.
    texts: usize,
    /// Hash of the document that declares its type.
    declared: Option<String>,
}

pub(super) fn key(entry: &Entry, options: &TranscriptOptions) -> Key {
    let message = &entry.message;
    let superseded = options.newest_todo.is_some_and(|newest| newest != message.seq);
    Key {
        session: message.session_id.to_string(),
        id: message.draft.id.to_string(),
        revision: message.revision,
        detail: options.detail,
        look: [
            options.dev,
            superseded && entry.message_type == MessageType::Todo,
            entry.copied,
            options.answers,
            super::article::is_plain(entry, options),
            options.rests && entry.message_type == MessageType::ToolCall,
            matches!(entry.body(), Body::Progress(it) if is_stalled(it, &message.draft, options.now)),
        ],
        project: options.project.clone(),
        assistant: options.assistant.clone(),
        verbosity: options.verbosity,
        child: child(entry, options),
        shown: entry.shown_sha256.clone(),
        not_shown: entry.not_shown.clone(),
        outcome: entry.outcome,
        ticked: if options.newest_todo == Some(message.seq) {
            options.todos_now.todos.iter().map(|item| item.status).collect()
        } else {
            Vec::new()
        },
        before: options.todos_before.get(&message.seq).map(|entry| (entry.message.seq, entry.message.revision)),
        reviewed: options.reviews.get(&message.seq).cloned(),
        cut: options.cut.contains_key(&message.seq),
        texts: texts(entry, options),
        declared: entry.shown_by.as_ref().map(|shown_by| shown_by.sha256.clone()),
    }
}

fn texts(entry: &Entry, options: &TranscriptOptions) -> usize {
    let Body::File(file) = entry.body() else { return 0 };
    file.files.iter().filter(|item| item.digest().is_some_and(|digest| options.texts.contains_key(digest))).count()
}

/// The sub-agent that a message started, and how it stands: its id, then what its card says of it.
pub(super) fn child(entry: &Entry, options: &TranscriptOptions) -> Option<String> {
    let child = options.child(&entry.message.draft)?;
    let session = &child.session;
    let (seq, revision) = child.steps.last().map_or((0, 0), |of| (of.entry.message.seq, of.entry.message.revision));
    let (state, tokens, steps) = (session.state, session.usage.total(), child.steps.len());
    Some(format!("{} {state} {tokens} {seq}.{revision} {steps} {}", session.id, session.last_seq))
}

pub(super) fn get(key: &Key) -> Option<Arc<Drawn>> {
    DRAWN.get(key)
}

/// Two at once may draw the same and keep it: harmless, and nobody waits for anybody.
pub(super) fn keep(key: Key, drawn: &Arc<Drawn>) {
    DRAWN.insert(key, Arc::clone(drawn));
}

/// Bytes of HTML kept.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

static DRAWN: LazyLock<Cache<Key, Arc<Drawn>, Bytes>> = LazyLock::new(|| Cache::with_weighter(8_192, MAX_BYTES, Bytes));

#[derive(Clone)]
struct Bytes;

impl Weighter<Key, Arc<Drawn>> for Bytes {
    fn weight(&self, _: &Key, drawn: &Arc<Drawn>) -> u64 {
        // The key and the entry itself cost about as much as a short message.
        drawn.html.len() as u64 + 400
    }
}
