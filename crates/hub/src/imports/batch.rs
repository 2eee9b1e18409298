//! A reader's changes as one transaction.

use crate::basics::new_id::new_uuid;
use crate::derived::edit_lines::files;
use crate::derived::search_text::search_text;
use agents::{Change, SessionKey, Span, Stretch};
use model::policy::{display, should_embed};
use model::{Body, CopyMarks, Draft, Micros, RecordRef, SessionFacts, SessionId};
use std::collections::{HashMap, HashSet};
use store::{Batch, MessageUpsert, NewBlob, Rewind, RunUpsert, SessionUpsert};

/// The newest facts of each session that a file told of.
pub type Sessions = HashMap<SessionKey, SessionFacts>;

/// The batch of `changes` of an agent's file. A session comes into it with its first change, so that every message
/// finds its own.
pub fn of(
    agent: &str,
    changes: impl Iterator<Item = Change>,
    sessions: &mut Sessions,
    record: &dyn Fn(&Span) -> RecordRef,
    now: Micros,
) -> Batch {
    let mut batch = Batch { now, ..Batch::default() };
    let mut named: Vec<SessionKey> = Vec::new();
    let mut known = HashSet::new();
    // Bytes come before the message that shows them.
    let mut blobs: Vec<(String, String, Vec<u8>)> = Vec::new();
    for change in changes {
        let key = match change {
            Change::Session { key, facts } => {
                sessions.insert(key.clone(), facts);
                key
            }
            Change::Message { session, draft, spans, marks } => {
                for (sha256, mime, bytes) in blobs.drain(..) {
                    batch.blobs.push(NewBlob { session_key: session.0.clone(), sha256, mime, bytes });
                }
                let message = message(&session.0, draft, spans.iter().map(record).collect());
                batch.messages.push(MessageUpsert { marks, ..message });
                session
            }
            Change::Run { session, run, spent } => {
                batch.runs.push(RunUpsert { session_key: session.0.clone(), run, spent });
                session
            }
            Change::Blob { sha256, mime, bytes } => {
                blobs.push((sha256, mime, bytes));
                continue;
            }
            Change::Rewound { session, stretch, left } => {
                let (session_key, Stretch { from, before }) = (session.0.clone(), stretch);
                batch.rewinds.push(Rewind { session_key, from, before, left });
                session
            }
            Change::Note { session, .. } => session,
        };
        if known.insert(key.clone()) {
            named.push(key);
        }
    }
    if let Some(key) = named.first() {
        for (sha256, mime, bytes) in blobs {
            batch.blobs.push(NewBlob { session_key: key.0.clone(), sha256, mime, bytes });
        }
    }
    let known = |key: &SessionKey| sessions.get(key).cloned().unwrap_or_default();
    batch.sessions = named.iter().map(|key| session(&key.0, agent, known(key))).collect();
    batch
}

/// A session by the agent's own id.
pub fn session(key: &str, agent: &str, facts: SessionFacts) -> SessionUpsert {
    SessionUpsert {
        key: key.to_owned(),
        agent: agent.to_owned(),
        parent_key: facts.parent.clone(),
        facts,
        new_id: SessionId::from_uuid(new_uuid()),
    }
}

/// A message of a session, with what the store derives nothing of itself: where it is shown, and the words to find it
/// by.
pub fn message(session_key: &str, draft: Draft, records: Vec<RecordRef>) -> MessageUpsert {
    let body = Body::of(&draft);
    MessageUpsert {
        session_key: session_key.to_owned(),
        display: display(&draft),
        search_text: search_text(&draft, &body),
        remembered: should_embed(&draft),
        files: files(&draft, &body),
        records,
        marks: CopyMarks::default(),
        draft,
    }
}
