//! Messages of a session: whole, light, and counted.

use super::listing::{ALONG, Listed, Listing, Room, listed_columns};
use super::sessions::{LATEST, NEEDS_YOU};
use super::{corrupt, one_of};
use crate::columns::columns;
use crate::condition::Monitor;
use crate::dialect::limited;
use crate::display;
use crate::pack::content_hash;
use crate::pack::{Reference, unpack, unpack_draft, unpack_references};
use crate::prepare::work::Work;
use crate::store::on;
use crate::{
    Among, Count, HiddenRow, MessageQuery, MessageRecords, Range, Replaced, Sight, StoreError, StoredMessage, Stretch,
    Workspace,
};
use model::{
    Draft, Message, MessageId, MessageType, Micros, Part, Provenance, RecordRef, Role, SessionId, SourceId, Status,
};
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::collections::{BTreeMap, BTreeSet};

columns! {
    /// A message as its row. Role, type and part are in the body too.
    pub(crate) struct MessageRow {
        pub(crate) session_id: String,
        pub(super) seq: i64,
        revision: i64,
        display: i64,
        copied: i64,
        work: i64,
        received_at: i64,
        records: Vec<u8>,
        hash: Vec<u8>,
        pub(super) body: Vec<u8>,
    }
}

columns! {
    /// Without its content.
    struct Light {
        rid: i64,
        seq: i64,
        role: String,
        sender: String,
        message_type: String,
        part: String,
        /// Does the content say something? It does of a thought and of a compaction.
        speaks: i64,
        /// The content, unless it is long.
        body: Option<Vec<u8>>,
        since: Option<i64>,
    }
}

pub(crate) const COLUMNS: &str =
    "s.id AS session_id, m.seq, m.revision, m.display, m.copied, m.work, m.received_at, m.records, m.hash, m.body";

impl MessageRow {
    /// An error if the message isn't what was written.
    pub(crate) fn into_stored(self, records: Vec<RecordRef>) -> Result<StoredMessage, StoreError> {
        let json = self.json()?;
        self.with_json(&json, records)
    }

    /// The message whose JSON was read already.
    pub(crate) fn with_json(mut self, json: &[u8], records: Vec<RecordRef>) -> Result<StoredMessage, StoreError> {
        self.body = Vec::new();
        let draft = self.parsed(json)?;
        self.with(draft, records)
    }

    /// Parses the content; a placeholder if the message is damaged. Other messages of its session aren't affected.
    pub(super) fn readable(&self, json: Result<Vec<u8>, StoreError>, monitor: &Monitor) -> Result<Draft, StoreError> {
        match monitor.observe(json.and_then(|json| self.parsed(&json))) {
            Err(StoreError::DamagedMessage { .. }) => {
                lost(&format!("damaged-{}", self.seq), "This message is damaged and can't be read", self.received_at)
            }
            draft => draft,
        }
    }

    /// The message's JSON, if it is what was written.
    pub(crate) fn json(&self) -> Result<Vec<u8>, StoreError> {
        intact(&self.body, self.display as i16, &self.hash).ok_or_else(|| self.damaged())
    }

    fn parsed(&self, json: &[u8]) -> Result<Draft, StoreError> {
        serde_json::from_slice(json).map_err(|_| self.damaged())
    }

    fn damaged(&self) -> StoreError {
        StoreError::DamagedMessage { session: self.session_id.clone(), seq: self.seq }
    }

    pub(super) fn with(self, mut draft: Draft, records: Vec<RecordRef>) -> Result<StoredMessage, StoreError> {
        // Posted before provenance was recorded: what a reader wrote has records.
        if draft.provenance == Provenance::Reader && self.records.is_empty() {
            draft.provenance = draft.posted_provenance();
        }
        Ok(StoredMessage {
            message: Message {
                session_id: SessionId::parse(self.session_id).map_err(corrupt)?,
                seq: self.seq,
                revision: self.revision as i32,
                draft,
                records,
                received_at: Micros(self.received_at),
            },
            display: display::from_number(self.display),
            copied: self.copied != 0,
            outcome: Work::stored(self.work).outcome(),
        })
    }
}

/// The JSON of a packed message; None if it isn't what was written.
pub(crate) fn intact(body: &[u8], display: i16, hash: &[u8]) -> Option<Vec<u8>> {
    unpack(body).ok().filter(|json| content_hash(display, json) == hash)
}

/// Returns a placeholder for a damaged message. Other messages of its session aren't affected.
pub(crate) fn lost(id: &str, words: &str, at: i64) -> Result<Draft, StoreError> {
    let id = MessageId::parse(id).map_err(corrupt)?;
    let draft = Draft::text(id, Role::Host, "verbatim", words, Micros(at));
    Ok(Draft { provenance: Provenance::Ourselves, ..draft })
}

/// A piece of a range: where it lies, in which order it is read, and how much of it.
struct Piece {
    place: Place,
    order: &'static str,
    limit: u32,
}

/// Positions of messages in their session.
#[derive(Clone, Copy)]
enum Place {
    All,
    Below(i64),
    UpTo(i64),
    Above(i64),
    /// Both ends belong to it.
    Between(i64, i64),
    /// From a time on, above a position.
    Since(i64, i64),
}

const UP: &str = "m.seq";
const DOWN: &str = "m.seq DESC";

impl Workspace {
    /// Messages of a range, ascending by `seq`, up to the limits of the query.
    pub async fn messages(&self, session: &SessionId, query: &MessageQuery) -> Result<Vec<StoredMessage>, StoreError> {
        Ok(self.stretch(session, query).await?.messages)
    }

    /// Messages of people that wait for the session's agent, oldest first.
    pub async fn waiting_messages(&self, session: &SessionId, limit: u32) -> Result<Vec<StoredMessage>, StoreError> {
        let rows: Vec<MessageRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.queued = 1 \
                 AND m.workspace_id = $1 AND s.workspace_id = $1 AND s.id = $2 AND m.seq > s.delivered_seq \
                 AND m.role = 'user' ORDER BY m.seq{}", limited(i64::from(limit))
            )))
            .bind(self.id()).bind(session.as_str()).fetch_all(pool).await
        })?;
        let stored = rows.into_iter().map(|row| row.into_stored(Vec::new()));
        let is_said = |stored: &StoredMessage| stored.message.draft.status != Status::Retracted;
        stored.filter(|stored| stored.as_ref().map_or(true, is_said)).collect()
    }

    /// Like [`Self::messages`], with whether there may be more.
    pub async fn stretch(&self, session: &SessionId, query: &MessageQuery) -> Result<Stretch, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Stretch::default()) };
        let columns = listed_columns();
        let (mut rows, mut more_before, mut more_after) = (Vec::new(), false, false);
        let pieces = pieces(query.range);
        // Each side of a message gets half of the page.
        let (mut room, share) = (Room::new(0), query.bytes / pieces.len().max(1) as u64);
        for piece in pieces {
            let limit = piece.limit.min(query.limit.saturating_sub(rows.len() as u32));
            let found: Vec<Listed> = on!(&self.store, pool => {
                let mut q = QueryBuilder::new(format!(
                    "SELECT {columns} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = "
                ));
                q.push_bind(self.id()).push(" AND m.session_rid = ").push_bind(rid);
                narrow(&mut q, query, piece.place);
                q.push(" ORDER BY ").push(piece.order).push(limited(i64::from(limit)));
                q.build_query_as().fetch_all(pool).await
            })?;
            let is_full = found.len() >= limit as usize;
            let mut listing = Listing::new(found);
            room.add(share);
            let mut read = self.read_within(&mut listing, &mut room).await?;
            let more = is_full || !listing.is_empty();
            if piece.order == DOWN {
                more_before |= more;
                read.reverse();
            } else {
                more_after |= more;
            }
            rows.extend(read);
        }
        Ok(Stretch { messages: self.stored_messages(rows).await?, more_before, more_after })
    }

    pub async fn message(&self, session: &SessionId, id: &MessageId) -> Result<Option<StoredMessage>, StoreError> {
        let row: Option<MessageRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = "
            ));
            q.push_bind(self.id()).push(" AND m.id = ").push_bind(id.as_str());
            q.push(" AND s.id = ").push_bind(session.as_str());
            q.build_query_as().fetch_optional(pool).await
        })?;
        let Some(mut row) = row else { return Ok(None) };
        let json = row.json();
        row.body = Vec::new();
        let draft = row.readable(json, self.store.monitor())?;
        Ok(self.stored_messages(vec![(row, draft)]).await?.pop())
    }

    /// The last ACTION on a message that `wanted` takes.
    pub async fn reply_to(
        &self,
        session: &SessionId,
        about: &MessageId,
        wanted: impl Fn(&StoredMessage) -> bool,
    ) -> Result<Option<StoredMessage>, StoreError> {
        const EACH: i64 = 20;
        let Some(rid) = self.session_rid(session).await? else { return Ok(None) };
        let mut before = i64::MAX;
        loop {
            let ids: Vec<(i64, String)> = on!(&self.store, pool => {
                sqlx::query_as(
                    "SELECT seq, id FROM message WHERE workspace_id = $1 AND session_rid = $2 AND action_on = $3 \
                     AND action_on IS NOT NULL AND seq < $4 ORDER BY seq DESC LIMIT $5",
                )
                .bind(self.id()).bind(rid).bind(about.as_str()).bind(before).bind(EACH).fetch_all(pool).await
            })?;
            let Some((last, _)) = ids.last() else { return Ok(None) };
            before = *last;
            for (_, id) in &ids {
                let id = MessageId::parse(id.as_str()).map_err(corrupt)?;
                if let Some(found) = self.message(session, &id).await?.filter(&wanted) {
                    return Ok(Some(found));
                }
            }
        }
    }

    /// The records that each message of a session came from, by its `seq`, ascending.
    pub async fn message_records(&self, session: &SessionId) -> Result<Vec<MessageRecords>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<(i64, String, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT seq, role, records FROM message WHERE workspace_id = $1 AND session_rid = $2 ORDER BY seq",
            )
            .bind(self.id()).bind(rid).fetch_all(pool).await
        })?;
        let mut unpacked = Vec::with_capacity(rows.len());
        let mut sources = BTreeSet::new();
        for (seq, role, records) in rows {
            let references = unpack_references(&records).unwrap_or_default();
            sources.extend(references.iter().map(|reference| reference.source));
            unpacked.push((seq, parse_role(&role)?, references));
        }
        let ids = self.source_ids(&sources.into_iter().collect::<Vec<_>>()).await?;
        let found = unpacked.into_iter().map(|(seq, role, references)| {
            let record =
                |r: Reference| Some(RecordRef { source: ids.get(&r.source)?.clone(), offset: r.offset, len: r.len });
            MessageRecords { seq, role, records: references.into_iter().filter_map(record).collect() }
        });
        Ok(found.collect())
    }

    /// Returns whether a message of the host was read from this file, in a session.
    pub async fn has_host_records(&self, session: &SessionId, source: &SourceId) -> Result<bool, StoreError> {
        let is_its = |message: &MessageRecords| {
            message.role == Role::Host && message.records.iter().any(|record| record.source == *source)
        };
        Ok(self.message_records(session).await?.iter().any(is_its))
    }

    /// Returns the requests of sessions that wait for a person, last active first: the first open approval, otherwise
    /// the last question.
    pub async fn asks(&self, sight: &Sight, limit: u32) -> Result<Listing, StoreError> {
        let columns = listed_columns();
        let rows: Vec<Listed> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {columns} FROM session s JOIN message m ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid \
                 AND m.seq = COALESCE((SELECT MIN(a.seq) FROM message a WHERE a.workspace_id = s.workspace_id \
                 AND a.session_rid = s.rid AND a.asks = 1), s.ask_seq) \
                 WHERE s.deleted_at IS NULL AND s.archived_at IS NULL AND {NEEDS_YOU} AND s.workspace_id = "
            ));
            q.push_bind(self.id());
            sight.narrow(&mut q);
            q.push(" ORDER BY ").push(LATEST).push(limited(i64::from(limit)));
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(Listing::new(rows))
    }

    /// How many approvals are open in each of these sessions, where any is.
    pub async fn approvals_open(&self, sessions: &[SessionId]) -> Result<BTreeMap<String, i64>, StoreError> {
        if sessions.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows: Vec<(String, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT s.id, s.approvals_open FROM session s WHERE s.approvals_open > 0 AND s.workspace_id = ",
            );
            q.push_bind(self.id());
            one_of(&mut q, "s.id", sessions);
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Returns the agent's last text in each of these sessions, if it is among the `depth` latest messages.
    pub async fn said_last(&self, sessions: &[SessionId], depth: u32) -> Result<Listing, StoreError> {
        if sessions.is_empty() {
            return Ok(Listing::default());
        }
        let columns = listed_columns();
        let rows: Vec<Listed> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {columns} FROM session s JOIN message m ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid \
                 AND m.seq = (SELECT t.seq FROM message t WHERE t.workspace_id = s.workspace_id AND t.session_rid = s.rid \
                 AND t.role = 'assistant' AND t.message_type = 'TEXT' AND t.display = 0 AND t.part <> 'replaced' \
                 AND t.seq > s.last_seq - "
            ));
            q.push_bind(i64::from(depth)).push(" ORDER BY t.seq DESC LIMIT 1) WHERE s.workspace_id = ").push_bind(self.id());
            one_of(&mut q, "s.id", sessions);
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(Listing::new(rows))
    }

    /// The session that has a message, the last active one where several do.
    pub async fn session_of(&self, id: &MessageId, sight: &Sight) -> Result<Option<SessionId>, StoreError> {
        let found: Option<String> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT s.id FROM message m JOIN session s ON s.workspace_id = m.workspace_id AND s.rid = m.session_rid \
                 WHERE m.workspace_id = ",
            );
            q.push_bind(self.id()).push(" AND m.id = ").push_bind(id.as_str()).push(" AND s.deleted_at IS NULL");
            sight.narrow(&mut q);
            q.push(" ORDER BY s.last_at DESC, s.rid DESC LIMIT 1");
            q.build_query_scalar().fetch_optional(pool).await
        })?;
        found.map(|id| SessionId::parse(id).map_err(corrupt)).transpose()
    }

    pub async fn message_at(&self, session: &SessionId, seq: i64) -> Result<Option<StoredMessage>, StoreError> {
        let mut query = MessageQuery::new(Range::Span(seq, seq));
        query.replaced = Replaced::With;
        query.max_display = None;
        Ok(self.messages(session, &query).await?.pop())
    }

    /// Light rows of what a stretch has behind the dev toggle, without what was retracted there.
    pub async fn hidden(&self, session: &SessionId, from_seq: i64, to_seq: i64) -> Result<Vec<HiddenRow>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        // A thought that was changed grew while it was said: when it began is known, not when it ended. What stands
        // before it ended when it was made only if it is a text that didn't grow: a call's answer changes the call's
        // own row.
        let speaks = "(m.role = 'model' OR m.sender IN ('compact_boundary', 'compact_summary'))";
        let sql = format!(
            "SELECT m.rid, m.seq, m.role, m.sender, m.message_type, m.part, \
                 CAST(CASE WHEN {speaks} THEN 1 ELSE 0 END AS BIGINT) AS speaks, \
                 CASE WHEN {speaks} AND length(m.body) <= {ALONG} THEN m.body END AS body, \
                 CASE WHEN m.role = 'model' AND m.revision = 1 THEN m.created_at - \
                 (SELECT CASE WHEN p.revision = 1 AND p.message_type IN ('TEXT', 'ACTION') THEN p.created_at END \
                 FROM message p WHERE p.workspace_id = m.workspace_id \
                 AND p.session_rid = m.session_rid AND p.seq < m.seq ORDER BY p.seq DESC LIMIT 1) END AS since \
                 FROM message m WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq >= $3 AND m.seq <= $4 \
                 AND m.display = $5 ORDER BY m.seq",
        );
        let rows: Vec<Light> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(self.id()).bind(rid).bind(from_seq).bind(to_seq).bind(i64::from(display::DEV))
            .fetch_all(pool).await
        })?;
        let mut hidden = Vec::with_capacity(rows.len());
        for row in rows {
            let draft = match row.body.as_deref() {
                Some(body) => unpack_draft(body).ok(),
                None if row.speaks == 1 => self.row(row.rid).await?.and_then(|long| unpack_draft(&long.body).ok()),
                None => None,
            };
            let thought = draft.as_ref().filter(|draft| draft.role == Role::Model);
            let took = thought.and_then(Draft::took).or(row.since.map(Micros));
            hidden.push(HiddenRow {
                seq: row.seq,
                role: parse_role(&row.role)?,
                sender: row.sender,
                message_type: row.message_type,
                part: parse_part(&row.part)?,
                took: took.filter(|took| took.0 > 0),
                compacted_from: draft.as_ref().and_then(Draft::compacted_from),
            });
        }
        Ok(hidden)
    }

    /// How many messages of each kind the session has.
    pub async fn counts(&self, session: &SessionId) -> Result<Vec<Count>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<(String, String, i64, String, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT role, message_type, display, part, n FROM message_count \
                 WHERE workspace_id = $1 AND session_rid = $2 AND n > 0 ORDER BY role, message_type, display, part",
            )
            .bind(self.id()).bind(rid).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(role, message_type, display, part, n)| {
                Ok(Count {
                    role: parse_role(&role)?,
                    message_type,
                    display: (display < i64::from(display::UNCOUNTED)).then(|| display::from_number(display)),
                    part: parse_part(&part)?,
                    count: n as u64,
                })
            })
            .collect()
    }

    /// Messages with the records that they came from.
    pub(super) async fn stored_messages(
        &self,
        rows: Vec<(MessageRow, Draft)>,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let mut unpacked = Vec::with_capacity(rows.len());
        let mut sources = BTreeSet::new();
        for (row, draft) in rows {
            // Without the bytes that it came from, where nobody knows any more which these are.
            let references = unpack_references(&row.records).unwrap_or_default();
            sources.extend(references.iter().map(|reference| reference.source));
            unpacked.push((row, draft, references));
        }
        let ids = self.source_ids(&sources.into_iter().collect::<Vec<_>>()).await?;
        unpacked
            .into_iter()
            .map(|(row, draft, references)| {
                let records = references
                    .into_iter()
                    .filter_map(|r| {
                        Some(RecordRef { source: ids.get(&r.source)?.clone(), offset: r.offset, len: r.len })
                    })
                    .collect();
                row.with(draft, records)
            })
            .collect()
    }
}

fn pieces(range: Range) -> Vec<Piece> {
    let piece = |place, order, limit| Piece { place, order, limit };
    match range {
        Range::Around(seq, n) => vec![piece(Place::UpTo(seq), DOWN, n), piece(Place::Above(seq), UP, n)],
        Range::Before(seq, n) => vec![piece(Place::Below(seq), DOWN, n)],
        Range::After(seq, n) => vec![piece(Place::Above(seq), UP, n)],
        Range::Span(from, to) => vec![piece(Place::Between(from, to), UP, u32::MAX)],
        Range::Since(at, seq) => vec![piece(Place::Since(at.0, seq), UP, u32::MAX)],
        Range::Last(n) => vec![piece(Place::All, DOWN, n)],
    }
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, query: &MessageQuery, place: Place)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    match place {
        Place::All => {}
        Place::Below(seq) => {
            q.push(" AND m.seq < ").push_bind(seq);
        }
        Place::UpTo(seq) => {
            q.push(" AND m.seq <= ").push_bind(seq);
        }
        Place::Above(seq) => {
            q.push(" AND m.seq > ").push_bind(seq);
        }
        Place::Between(from, to) => {
            q.push(" AND m.seq BETWEEN ").push_bind(from).push(" AND ").push_bind(to);
        }
        Place::Since(at, seq) => {
            q.push(" AND m.created_at >= ").push_bind(at).push(" AND m.seq > ").push_bind(seq);
        }
    }
    matching(q, query);
}

/// Limits messages to the kinds that a query is about, wherever they stand.
pub(super) fn matching<DB: Database>(q: &mut QueryBuilder<DB>, query: &MessageQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(" AND m.display <= ").push_bind(i64::from(query.max_display.map_or(i16::MAX, display::to_number)));
    if query.replaced == Replaced::Without {
        q.push(" AND m.part <> 'replaced'");
    }
    if query.among == Among::Events {
        let mut roles = q.push(" AND (m.role IN (").separated(", ");
        for role in Among::ROLES {
            roles.push_bind(role.as_str().to_owned());
        }
        let mut types = q.push(") OR m.message_type IN (").separated(", ");
        for of in Among::TYPES {
            types.push_bind(of.as_str().to_owned());
        }
        q.push("))");
    }
    match query.types.as_slice() {
        // Written out: they have an index of their own.
        [only] if *only == MessageType::Todo => drop(q.push(" AND m.message_type = 'TODO'")),
        types => one_of(q, "m.message_type", types),
    }
    one_of(q, "m.role", &query.roles);
}

pub(super) fn parse_role(word: &str) -> Result<Role, StoreError> {
    Role::parse(word).ok_or_else(|| corrupt(format_args!("a message of role `{word}`")))
}

fn parse_part(word: &str) -> Result<Part, StoreError> {
    Part::parse(word).ok_or_else(|| corrupt(format_args!("a message that is a part `{word}`")))
}
