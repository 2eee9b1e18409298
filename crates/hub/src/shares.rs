//! Links by which somebody without a log-in reads a part of a session: read-only, until they expire or are revoked.
//!
//! A link shows what people and the agent wrote up to the moment when it was made. It never shows messages of the system
//! and of the host, what the dev toggle hides, notices of one run, sub-agents, and a message that was changed since.

pub mod endpoints;

pub(crate) use endpoints::*;

use crate::account::login::hash;
use crate::basics::problem::report;
use crate::basics::{clock, hex, problem};
use crate::caller::Caller;
use crate::context::{Hub, Scoped};
use crate::redaction::{Findings, Masking, redactor};
use api::messages::{Display, Entry, ListMessages, MessagePage};
use api::redaction::RedactionReport;
use api::sessions::{SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use model::{Micros, Role, Status};
use std::sync::Arc;
use store::{Revisions, Share as Stored};

/// Path of the page of a link, before its secret.
pub const PATH: &str = "/share/";
/// Messages that are read at once.
const PIECE: i64 = 200;

/// The result of opening a link.
pub enum Opened {
    /// There is none with this secret.
    Unknown,
    /// It expired or was revoked, or its session was deleted.
    Over,
    Open(Box<OpenShare>),
}

/// A link that was opened, with what its reader may see.
#[derive(Clone)]
pub struct OpenShare {
    share: Arc<Stored>,
    /// Reads as the reader of the link does, with secrets masked if the link says so.
    pub reader: Scoped,
    /// The session, without what its sub-agents and its plan say.
    pub detail: SessionDetail,
}

impl Hub {
    /// Opens the link with a secret, and counts it.
    pub async fn open_share(&self, secret: &str) -> Result<Opened, Problem> {
        let found = self.workspace.share_of_secret(&hex(&hash(secret))).await.map_err(problem)?;
        let Some(share) = found else { return Ok(Opened::Unknown) };
        let now = clock::now();
        if share.revoked_at.is_some() || share.expires_at <= now {
            return Ok(Opened::Over);
        }
        let reader = reader(self, share.redacted)?;
        let path = SessionPath { session: share.session.to_string() };
        let detail = match reader.get_session(path, Nothing {}).await {
            // Another session may have a name of its agent that reads like this id.
            Ok(detail) if detail.session.id == share.session => without_surroundings(detail),
            Ok(_) => return Ok(Opened::Over),
            Err(problem) if matches!(problem.status, 404 | 410) => return Ok(Opened::Over),
            Err(problem) => return Err(problem),
        };
        report(self.workspace.count_opened_share(&share.id, now).await);
        Ok(Opened::Open(Box::new(OpenShare { share: Arc::new(share), reader, detail })))
    }
}

impl OpenShare {
    pub fn shared_by(&self) -> &str {
        &self.share.shared_by
    }

    pub fn created_at(&self) -> Micros {
        self.share.created_at
    }

    pub fn expires_at(&self) -> Micros {
        self.share.expires_at
    }

    pub fn is_redacted(&self) -> bool {
        self.share.redacted
    }

    /// Returns the first and the last `seq`.
    pub fn range(&self) -> (i64, i64) {
        (self.share.from, self.share.to)
    }

    /// Returns the messages from a `seq` on, as many as are read at once. They reach up to `to` of the page.
    pub async fn messages(&self, from: i64) -> Result<MessagePage, Problem> {
        let to = self.share.to.min(from.saturating_add(PIECE - 1));
        let mut page = read(&self.reader, self.share.session.as_str(), from, to).await?;
        page.messages.retain(|entry| is_as_shared(entry, &self.share.revisions));
        page.messages.iter_mut().for_each(stripped);
        page.last_seq = self.share.to;
        Ok(page)
    }
}

/// Reads as the reader of a link does: like the owner, but what no model may read isn't for strangers either.
fn reader(hub: &Hub, redacted: bool) -> Result<Scoped, Problem> {
    let redactor = if redacted { Some(redactor(&[])?) } else { None };
    Ok(Scoped { redactor, ..Scoped::new(hub.clone(), Caller::owner()).for_model() })
}

fn without_surroundings(mut detail: SessionDetail) -> SessionDetail {
    let session = &mut detail.session;
    session.child_count = 0;
    (session.todos_done, session.todos_open, session.todos_cancelled) = (0, 0, 0);
    detail
}

/// The messages of a range that are for readers of links.
async fn read(reader: &Scoped, session: &str, from: i64, to: i64) -> Result<MessagePage, Problem> {
    let span = ListMessages { from: Some(from), to: Some(to), limit: Some(500), ..ListMessages::default() };
    let mut page = reader.list_messages(SessionPath { session: session.to_owned() }, span).await?;
    page.messages.retain(is_for_readers);
    page.hidden.clear();
    Ok(page)
}

fn is_for_readers(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    matches!(draft.role, Role::User | Role::Assistant | Role::Tool)
        && !entry.withheld
        && entry.display != Display::Dev
        && draft.status != Status::Retracted
}

/// A message that changed later says something that wasn't shared.
fn is_as_shared(entry: &Entry, revisions: &Revisions) -> bool {
    let shared = revisions.get(&entry.message.seq).copied().unwrap_or(1);
    i64::from(entry.message.revision) == shared
}

/// Takes away what a reply adds to a message: calls that may be outside of the range, and what became of it.
fn stripped(entry: &mut Entry) {
    entry.calls.clear();
    entry.shown_sha256 = None;
    entry.delivery = None;
}

impl Scoped {
    /// Returns what a link to the whole session would mask, and how many messages it would show.
    pub async fn preview_share(&self, path: &SessionPath) -> Result<RedactionReport, Problem> {
        let session = crate::may::session(self, path).await?;
        let (reader, redactor) = (reader(&self.hub, false)?, redactor(&[])?);
        let (mut findings, mut messages, mut from) = (Findings::default(), 0, 1);
        while from <= session.last_seq {
            let page = read(&reader, session.id.as_str(), from, from + PIECE - 1).await?;
            from = page.to.max(from) + 1;
            messages += i64::try_from(page.messages.len()).unwrap_or(i64::MAX);
            let redactor = Arc::clone(&redactor);
            // As long a computation as drawing a page.
            findings = self
                .compute(move |_| {
                    let mut findings = findings;
                    Masking::new(&redactor, Some(&mut findings)).page(page);
                    findings
                })
                .await?;
        }
        let files = self.hub.workspace.session_blob_count(&session.id).await.map_err(problem)?;
        Ok(findings.report(messages, files))
    }
}
