//! The statements behind a batch's messages.

use super::{Kind, Planned};
use crate::StoreError;
use crate::columns::columns;
use crate::prepare::PreparedMessage;
use crate::prepare::work::Work;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::step::table::{self, Row, Table, Verb};
use crate::store::on_step;
use crate::write::changes::CountKey;
use model::{MessageType, Twin};
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Ids per look-up, and links per insert: full statements are all alike, so that each engine prepares them once.
const IDS: usize = 512;
const ROWS: usize = 128;

/// In `asks_input`: a question that is open, and one that was answered by its name.
const OPEN: i64 = 1;
const ANSWERED: i64 = 2;

columns! {
    /// A stored message without its content.
    #[derive(Clone)]
    pub(super) struct Old {
        pub rid: i64,
        session_rid: i64,
        pub id: String,
        pub seq: i64,
        pub revision: i64,
        role: String,
        message_type: String,
        part: String,
        display: i64,
        pub copied: i64,
        pub is_copy: i64,
        pub twin: Option<String>,
        pub asks: i64,
        asks_input: i64,
        work: i64,
        pub created_at: i64,
        lines_added: i64,
        lines_removed: i64,
        pub hash: Vec<u8>,
        pub records: Vec<u8>,
    }
}

pub(super) const OLD_COLUMNS: &str = "rid, session_rid, id, seq, revision, role, message_type, part, display, copied, is_copy, twin, asks, asks_input, \
     work, created_at, lines_added, lines_removed, hash, records";

impl Old {
    pub(super) fn display(&self) -> i64 {
        self.display
    }

    pub(super) fn session_rid(&self) -> i64 {
        self.session_rid
    }

    /// Lines that it adds to files and removes.
    pub(super) fn lines(&self) -> (i64, i64) {
        (self.lines_added, self.lines_removed)
    }

    /// Returns true if it edits files.
    pub(super) fn is_edit(&self) -> bool {
        self.message_type.as_str() == MessageType::CodeEdit
    }

    /// Returns true if a request was answered by its name.
    pub(super) fn is_answered(&self) -> bool {
        self.asks_input == ANSWERED
    }

    pub(super) fn work(&self) -> Work {
        Work::stored(self.work)
    }

    pub(super) fn count_key(&self) -> CountKey {
        CountKey {
            session_rid: self.session_rid,
            role: self.role.clone(),
            message_type: self.message_type.clone(),
            display: self.display,
            part: self.part.clone(),
        }
    }
}

impl Planned {
    fn asks_input(&self) -> i64 {
        match (self.answered, self.message.asks_input && !self.copied) {
            (true, _) => ANSWERED,
            (false, true) => OPEN,
            (false, false) => 0,
        }
    }
}

/// The rids of the sources that the messages refer to.
pub(super) async fn sources(
    step: &mut Step<'_>,
    messages: &[PreparedMessage],
) -> Result<HashMap<String, i64>, StoreError> {
    let ids: BTreeSet<&str> = messages.iter().flat_map(|m| &m.records).map(|record| record.source.as_str()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(String, i64)> = on_step!(step, c => {
        let mut q = QueryBuilder::new("SELECT id, rid FROM source WHERE workspace_id = ");
        q.push_bind(step.workspace).push(" AND id IN (");
        let mut list = q.separated(", ");
        for id in &ids {
            list.push_bind(*id);
        }
        list.push_unseparated(")");
        q.build_query_as().persistent(ids.len() == 1).fetch_all(c).await
    })?;
    Ok(rows.into_iter().collect())
}

/// Returns the stored rows of these messages, by session and id. Ids alone aren't unique: many sessions number their
/// messages alike.
pub(super) async fn own(step: &mut Step<'_>, planned: &[Planned]) -> Result<HashMap<(i64, String), Old>, StoreError> {
    let wanted: Vec<(i64, &str)> =
        planned.iter().map(|message| (message.session_rid, message.message.id.as_str())).collect();
    let mut stored = HashMap::new();
    for chunk in padded(&wanted, IDS) {
        let rows: Vec<Old> = on_step!(step, c => {
            let columns = OLD_COLUMNS.split(", ").map(|column| format!("m.{column}")).collect::<Vec<_>>().join(", ");
            let mut q = chosen(&chunk, step.workspace, &columns);
            q.build_query_as().fetch_all(c).await
        })?;
        stored.extend(rows.into_iter().map(|row| ((row.session_rid, row.id.clone()), row)));
    }
    Ok(stored)
}

/// Selects messages `m` by session and id, each by one look into the index.
pub(in crate::write) fn chosen<'q, DB: Database>(
    wanted: &[(i64, &'q str)],
    workspace: &'q str,
    columns: &str,
) -> QueryBuilder<DB>
where
    &'q str: Encode<'q, DB> + Type<DB>,
    i64: Encode<'q, DB> + Type<DB>,
{
    let mut q = QueryBuilder::new("WITH w (session_rid, id) AS (");
    q.push_values(wanted, |mut b, (session_rid, id)| {
        b.push_bind(*session_rid).push_bind(*id);
    });
    q.push(format!(") SELECT {columns} FROM w CROSS JOIN message m WHERE m.workspace_id = ")).push_bind(workspace);
    q.push(" AND m.id = w.id AND m.session_rid = w.session_rid");
    q
}

static MESSAGE: Table = Table {
    name: "message",
    columns: Cow::Borrowed(&[
        ("rid", table::Kind::Int),
        ("session_rid", table::Kind::Int),
        ("seq", table::Kind::Int),
        ("id", table::Kind::Text),
        ("revision", table::Kind::Int),
        ("role", table::Kind::Text),
        ("sender", table::Kind::Text),
        ("message_type", table::Kind::Text),
        ("part", table::Kind::Text),
        ("display", table::Kind::Int),
        ("copied", table::Kind::Int),
        ("is_copy", table::Kind::Int),
        ("twin", table::Kind::Text),
        ("lines_added", table::Kind::Int),
        ("lines_removed", table::Kind::Int),
        ("asks", table::Kind::Int),
        ("asks_input", table::Kind::Int),
        ("work", table::Kind::Int),
        ("created_at", table::Kind::Int),
        ("received_at", table::Kind::Int),
        ("hash", table::Kind::Blob),
        ("records", table::Kind::Blob),
        ("body", table::Kind::Blob),
        ("create_hash", table::Kind::Blob),
        ("queued_after", table::Kind::Int),
        ("queued", table::Kind::Int),
        ("action_on", table::Kind::Text),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed("")),
};

pub(super) async fn insert(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let added: Vec<(&Planned, Vec<u8>)> = planned
        .iter()
        .filter(|message| message.kind == Kind::Added)
        .map(|planned| (planned, planned.packed_references()))
        .collect();
    let now = step.now.0;
    let rows: Vec<Row<'_>> = added
        .iter()
        .map(|(planned, references)| {
            let message = &planned.message;
            vec![
                planned.rid.into(),
                planned.session_rid.into(),
                planned.seq.into(),
                message.id.as_str().into(),
                planned.revision.into(),
                message.role.as_str().into(),
                message.sender.as_str().into(),
                message.message_type.as_str().into(),
                message.part.as_str().into(),
                i64::from(message.display).into(),
                i64::from(planned.copied).into(),
                i64::from(message.marks.is_copy).into(),
                message.marks.twin.as_ref().map(Twin::hash).into(),
                message.lines.0.into(),
                message.lines.1.into(),
                i64::from(message.approval_open).into(),
                planned.asks_input().into(),
                (message.of_work.work as i64).into(),
                message.created_at.into(),
                now.into(),
                message.hash.as_slice().into(),
                references.as_slice().into(),
                message.body.as_slice().into(),
                message.posted.create_hash.as_deref().into(),
                message.posted.queued_after.into(),
                i64::from(message.posted.queued).into(),
                message.action_on.as_deref().into(),
            ]
        })
        .collect();
    step.write(&MESSAGE, &rows).await
}

/// Changed messages, and equal ones with new references.
pub(super) async fn update(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    for planned in planned {
        let message = &planned.message;
        match planned.kind {
            Kind::Changed => on_step!(step, c => {
                sqlx::query(
                    "UPDATE message SET revision = $2, role = $3, sender = $4, message_type = $5, part = $6, \
                     display = $7, asks = $8, created_at = $9, hash = $10, records = $11, body = $12, \
                     asks_input = $13, work = $14, twin = $15, lines_added = $16, lines_removed = $17, \
                     is_copy = $18 WHERE rid = $1",
                )
                .bind(planned.rid)
                .bind(planned.revision)
                .bind(message.role.as_str())
                .bind(message.sender.as_str())
                .bind(message.message_type.as_str())
                .bind(message.part.as_str())
                .bind(i64::from(message.display))
                .bind(i64::from(message.approval_open))
                .bind(message.created_at)
                .bind(message.hash.as_slice())
                .bind(planned.packed_references())
                .bind(message.body.as_slice())
                .bind(planned.asks_input())
                .bind(message.of_work.work as i64)
                .bind(message.marks.twin.as_ref().map(Twin::hash))
                .bind(message.lines.0)
                .bind(message.lines.1)
                .bind(i64::from(message.marks.is_copy))
                .execute(c)
                .await
                .map(drop)
            })?,
            Kind::Referenced => on_step!(step, c => {
                let sql = "UPDATE message SET records = $2, twin = $3, lines_added = $4, lines_removed = $5, \
                           is_copy = $6 WHERE rid = $1";
                sqlx::query(sql)
                    .bind(planned.rid)
                    .bind(planned.packed_references())
                    .bind(message.marks.twin.as_ref().map(Twin::hash))
                    .bind(message.lines.0)
                    .bind(message.lines.1)
                    .bind(i64::from(message.marks.is_copy))
                    .execute(c)
                    .await
                    .map(drop)
            })?,
            Kind::Added | Kind::Equal => {}
        }
    }
    Ok(())
}

/// Takes changed messages out of the index of words, before they go in anew.
pub(super) async fn delete_search(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    for message in planned.iter().filter(|message| message.kind == Kind::Changed && !message.copied) {
        on_step!(step, c => {
            sqlx::query("DELETE FROM message_search WHERE rowid = $1").bind(message.rid).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Which sources a session came from.
pub(super) async fn link_sources(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let links: BTreeSet<(i64, i64)> = planned
        .iter()
        .filter(|message| message.kind != Kind::Equal)
        .flat_map(|message| message.references.iter().map(|reference| (message.session_rid, reference.source)))
        .collect();
    for chunk in links.into_iter().collect::<Vec<_>>().chunks(ROWS) {
        on_step!(step, c => {
            // A source that was rewritten since is gone: only those that exist are linked.
            let mut q = QueryBuilder::new("INSERT INTO session_source (workspace_id, session_rid, source_rid) ");
            q.push("SELECT workspace_id, session_rid, source_rid FROM (");
            for (index, (session_rid, source_rid)) in chunk.iter().enumerate() {
                q.push(if index == 0 { "" } else { " UNION ALL " });
                q.push("SELECT workspace_id, CAST(").push_bind(*session_rid);
                q.push(" AS BIGINT) AS session_rid, rid AS source_rid FROM source WHERE workspace_id = ");
                q.push_bind(step.workspace).push(" AND rid = ").push_bind(*source_rid);
            }
            q.push(") AS link WHERE 1 = 1 ON CONFLICT DO NOTHING");
            q.build().persistent(chunk.len() == 1).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

static MESSAGE_COUNT: Table = Table {
    name: "message_count",
    columns: Cow::Borrowed(&[
        ("session_rid", table::Kind::Int),
        ("role", table::Kind::Text),
        ("message_type", table::Kind::Text),
        ("display", table::Kind::Int),
        ("part", table::Kind::Text),
        ("n", table::Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, session_rid, role, message_type, display, part) \
         DO UPDATE SET n = message_count.n + excluded.n",
    )),
};

pub(super) async fn store_counts(step: &mut Step<'_>, counts: &BTreeMap<CountKey, i64>) -> Result<(), StoreError> {
    let changed = counts.iter().filter(|(_, by)| **by != 0);
    let rows: Vec<Row<'_>> = changed
        .map(|(key, by)| {
            vec![
                key.session_rid.into(),
                key.role.as_str().into(),
                key.message_type.as_str().into(),
                key.display.into(),
                key.part.as_str().into(),
                (*by).into(),
            ]
        })
        .collect();
    step.write(&MESSAGE_COUNT, &rows).await
}

/// The session's last question that is open; 0 if there is none.
pub(super) async fn last_question(step: &mut Step<'_>, session_rid: i64) -> Result<i64, StoreError> {
    // Written out: the index of questions holds just those.
    let last: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT MAX(seq) FROM message WHERE asks_input = 1 AND workspace_id = $1 AND session_rid = $2",
        )
        .bind(step.workspace).bind(session_rid).fetch_one(c).await
    })?;
    Ok(last.unwrap_or(0))
}

/// Closes a question that is answered by its name; its `seq`, if it was open.
pub(super) async fn answer(step: &mut Step<'_>, session_rid: i64, id: &str) -> Result<Option<i64>, StoreError> {
    Ok(on_step!(step, c => {
        sqlx::query_scalar(
            "UPDATE message SET asks_input = $4 WHERE workspace_id = $1 AND session_rid = $2 AND id = $3 \
             AND asks_input = $5 RETURNING seq",
        )
        .bind(step.workspace).bind(session_rid).bind(id).bind(ANSWERED).bind(OPEN).fetch_optional(c).await
    })?)
}
