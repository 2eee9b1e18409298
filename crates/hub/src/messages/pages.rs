//! Messages of a session: a page with what is hidden, and one with its records.

use crate::basics::query::limit;
use crate::basics::{moment, problem};
use crate::context::{Scoped, feed};
use crate::may::{message, session};
use crate::messages::reading;
use crate::redaction::Masking;
use crate::requests::shown::{self, Room};
use crate::writing::entries::entry;
use api::keys::Scope;
use api::messages::{Display, Entry, HiddenRow, ListMessages, MessageDetail, MessagePage, MessagePath, RecordText};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use jiff::tz::TimeZone;
use model::{MessageId, Part, Role, Session, SessionId, SourceId};
use std::collections::HashMap;
use store::{Count, MessageQuery, Range, Replaced, StoreError, Stretch};

/// Longest text of one record in an answer, in bytes.
const RECORD_CUT: usize = 1 << 20;
/// Bytes of the texts of all records in an answer.
const RECORDS: usize = 8 << 20;
/// Widest range of `from` and `to`.
const MAX_SPAN: i64 = 500;

pub async fn list_messages(scoped: &Scoped, path: &SessionPath, input: ListMessages) -> Result<MessagePage, Problem> {
    let page = page(scoped, path, input).await?;
    let Some(redactor) = scoped.redactor.clone() else { return Ok(page) };
    // As long a computation as drawing a page.
    scoped.compute(move |_| Masking::new(&redactor, None).page(page)).await
}

async fn page(scoped: &Scoped, path: &SessionPath, input: ListMessages) -> Result<MessagePage, Problem> {
    let hub = &scoped.hub;
    let cursor = feed::cursor(hub.workspace.feed_pos().await.map_err(problem)?);
    let session = session(scoped, path).await?;
    let limit = limit(input.limit, 60, 500)?;
    let range = range(&input, limit)?;
    let dev = match input.dev {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Problem::field("dev", "0 or 1")),
    };
    let query = MessageQuery {
        types: input.types,
        roles: input.roles,
        max_display: (!dev).then_some(Display::Collapsed),
        replaced: if dev { Replaced::With } else { Replaced::Without },
        limit: if let Range::Span(..) = range { MAX_SPAN as u32 } else { limit },
        ..MessageQuery::new(range)
    };
    let stretch = hub.workspace.stretch(&session.id, &query).await.map_err(problem)?;
    let (from, to) = covered(range, &stretch, &session);
    let mut hidden = Vec::new();
    if !dev && query.types.is_empty() && query.roles.is_empty() {
        let rows = hub.workspace.hidden(&session.id, from, to).await.map_err(problem)?;
        hidden = rows.into_iter().map(|row| hidden_row(scoped, row)).collect();
    }
    let mut messages: Vec<Entry> = stretch.messages.into_iter().map(|stored| scoped.readable(entry(stored))).collect();
    let mut room = Room::default();
    for entry in &mut messages {
        shown::shown(scoped, entry, &mut room).await?;
    }
    reading::deliveries(scoped, &session, &mut messages).await?;
    Ok(MessagePage { messages, hidden, from, to, last_seq: session.last_seq, cursor })
}

fn range(input: &ListMessages, limit: u32) -> Result<Range, Problem> {
    let named = [
        input.around.is_some(),
        input.before.is_some(),
        input.after.is_some() && input.since.is_none(),
        input.from.is_some() || input.to.is_some(),
        input.since.is_some(),
    ];
    if named.iter().filter(|n| **n).count() > 1 {
        return Err(Problem::new(
            ProblemCode::ConflictingFields,
            "`around`, `before`, `after`, `from` with `to`, and `since` can't be combined",
        )
        .hint("Only `since` can be combined with `after`, to continue it"));
    }
    if let Some(since) = &input.since {
        return Ok(Range::Since(moment::start("since", since, &TimeZone::system())?, input.after.unwrap_or(0)));
    }
    match (input.from, input.to) {
        (Some(from), Some(to)) if from >= 1 && from <= to && to - from < MAX_SPAN => return Ok(Range::Span(from, to)),
        (None, None) => {}
        (Some(..1), _) | (None, Some(_)) => return Err(Problem::field("from", "a `seq` of at least 1")),
        (Some(_), _) => {
            return Err(Problem::field(
                "to",
                &format!("a `seq` of at least `from`, and less than `from` + {MAX_SPAN}"),
            ));
        }
    }
    Ok(match (input.around, input.before, input.after) {
        // Half before and half after leaves nothing of one.
        (Some(seq), _, _) if limit == 1 => Range::Before(seq.saturating_add(1), 1),
        (Some(seq), _, _) => Range::Around(seq, limit / 2),
        (_, Some(seq), _) => Range::Before(seq, limit),
        (_, _, Some(seq)) => Range::After(seq, limit),
        _ => Range::Last(limit),
    })
}

/// The range of `seq` that an answer speaks for: up to its first and last message where there may be more, else to the
/// end. 0 and 0 if there is nothing in it.
fn covered(range: Range, stretch: &Stretch, session: &Session) -> (i64, i64) {
    let seqs = || stretch.messages.iter().map(|m| m.message.seq);
    // The end of what is known in each direction, if it isn't the whole.
    let first = seqs().next().filter(|_| stretch.more_before);
    let last = seqs().next_back().filter(|_| stretch.more_after);
    let (from, to) = match range {
        Range::Span(from, to) => (from, last.unwrap_or(to.min(session.last_seq))),
        Range::Before(seq, _) => (first.unwrap_or(1), seq.saturating_sub(1).min(session.last_seq)),
        Range::After(seq, _) => (seq.saturating_add(1).max(1), last.unwrap_or(session.last_seq)),
        Range::Last(_) => (first.unwrap_or(1), session.last_seq),
        // Up to itself all is known, even where nothing after it had room.
        Range::Around(seq, _) => (first.unwrap_or(1), last.map_or(session.last_seq, |last| last.max(seq))),
        Range::Since(..) => (seqs().next().unwrap_or(0), seqs().next_back().unwrap_or(0)),
    };
    if from <= to { (from, to) } else { (0, 0) }
}

pub async fn get_message(scoped: &Scoped, path: &MessagePath) -> Result<MessageDetail, Problem> {
    let hub = &scoped.hub;
    let session = session(scoped, &SessionPath { session: path.session.clone() }).await?;
    let stored = message(scoped, &session.id, &path.message).await?;
    // A call's progress may be a thousand records of one file.
    let mut paths: HashMap<SourceId, String> = HashMap::new();
    let (mut records, mut left) = (Vec::new(), RECORDS);
    let seen = Some(&stored.message).filter(|message| scoped.may_read(&message.draft));
    for record in seen.into_iter().flat_map(|message| &message.records) {
        // A line that was too long to be read may have gigabytes.
        let shown = record.len.min(RECORD_CUT.min(left) as u64);
        let (bytes, is_damaged) = match hub.workspace.record(&record.source, record.offset, shown).await {
            Ok(Some(bytes)) => (bytes, false),
            Ok(None) => continue,
            // The message itself is there, and so are its other records.
            Err(StoreError::DamagedRecord { .. } | StoreError::LostRecord { .. }) => (Vec::new(), true),
            Err(error) => return Err(problem(error)),
        };
        if !paths.contains_key(&record.source) {
            let source = hub.workspace.source(&record.source).await.map_err(problem)?;
            paths.insert(record.source.clone(), source.map_or_else(String::new, |s| s.path));
        }
        let path = paths.get(&record.source).cloned().unwrap_or_default();
        let cut = shown < record.len;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        left = left.saturating_sub(text.len());
        records.push(RecordText {
            source: record.source.to_string(),
            path,
            offset: record.offset,
            len: record.len,
            text,
            cut,
            is_damaged,
        });
    }
    let mut entry = scoped.readable(entry(stored));
    shown::shown(scoped, &mut entry, &mut Room::default()).await?;
    reading::deliveries(scoped, &session, std::slice::from_mut(&mut entry)).await?;
    Ok(MessageDetail { entry, records })
}

impl Scoped {
    /// Counts the messages of a session by role, type, display and part.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn counts(&self, path: &SessionPath) -> Result<Vec<Count>, Problem> {
        let session = session(self, path).await?;
        self.hub.workspace.counts(&session.id).await.map_err(problem)
    }

    /// Returns the stretches of `width` positions that hold messages of any of these types and roles, by their numbers.
    /// With `dev` also what the dev toggle hides.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn stretches(
        &self,
        path: &SessionPath,
        (types, roles): (&[String], &[Role]),
        dev: bool,
        width: i64,
    ) -> Result<Vec<i64>, Problem> {
        let session = session(self, path).await?;
        let query = MessageQuery {
            types: types.to_vec(),
            roles: roles.to_vec(),
            max_display: (!dev).then_some(Display::Collapsed),
            replaced: if dev { Replaced::With } else { Replaced::Without },
            ..MessageQuery::new(Range::Last(0))
        };
        self.hub.workspace.stretches(&session.id, &query, width).await.map_err(problem)
    }

    /// The session of a message whose id is all that is known of it: of several, the one that was active last.
    pub async fn session_of(&self, message: &str) -> Result<Option<SessionId>, Problem> {
        self.caller.require(Scope::Read)?;
        let Ok(message) = MessageId::parse(message) else { return Ok(None) };
        self.hub.workspace.session_of(&message, &self.caller.own_sight()).await.map_err(problem)
    }
}

fn hidden_row(scoped: &Scoped, row: store::HiddenRow) -> HiddenRow {
    let names_itself = row.role != Role::Host || !scoped.is_for_model();
    HiddenRow {
        seq: row.seq,
        role: row.role,
        sender: if names_itself { row.sender } else { row.role.as_str().to_owned() },
        message_type: row.message_type,
        replaced: row.part == Part::Replaced,
        took: row.took,
        compacted_from: row.compacted_from,
        // Which turn it is part of, what stands around it says.
        left_behind: None,
    }
}
