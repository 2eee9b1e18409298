//! Messages that wait for an agent, and others of its session, read within a transaction as far as there is room for
//! them.

use crate::StoreError;
use crate::StoredMessage;
use crate::pack::unpacked_len;
use crate::read::listing::{Room, weight};
use crate::read::messages::{COLUMNS, MessageRow};
use crate::step::Step;
use crate::store::on_step;
use model::Status;

/// Rows that are looked at together.
const ROWS: i64 = 256;

/// Written out: the index of queued messages holds just those.
pub(super) const QUEUED: &str = "m.queued = 1";

#[derive(Default)]
pub(super) struct Waiting {
    /// In the order of their `seq`.
    pub messages: Vec<StoredMessage>,
    /// Others wait behind them.
    pub has_more: bool,
}

/// Messages of a session with a `seq` between the two, both left out.
pub(super) struct Between<'a> {
    pub rid: i64,
    pub after: i64,
    pub before: i64,
    /// Further condition on a message, called `m`.
    pub condition: &'a str,
    /// The newest ones first.
    pub descending: bool,
}

/// Returns the waiting messages above a `seq`, up to the limit and the space. The first message always fits.
pub(super) async fn within(
    step: &mut Step<'_>,
    rid: i64,
    after: i64,
    limit: u32,
    room: &mut Room,
) -> Result<Waiting, StoreError> {
    let mut messages = Vec::new();
    let between = Between { rid, after, before: i64::MAX, condition: QUEUED, descending: false };
    let has_more = between
        .read(step, limit, room, |stored| {
            // One that was taken back before the agent came isn't said any more; those behind it are.
            let is_said = stored.message.draft.status != Status::Retracted;
            if is_said {
                messages.push(stored);
            }
            is_said
        })
        .await?;
    Ok(Waiting { messages, has_more })
}

/// All that waits between two `seq`, both left out: what the answer to a post left out would count as given.
pub(super) async fn all(
    step: &mut Step<'_>,
    rid: i64,
    after: i64,
    before: i64,
) -> Result<Vec<StoredMessage>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE {QUEUED} \
         AND m.workspace_id = $1 AND m.session_rid = $2 AND m.seq > $3 AND m.seq < $4 ORDER BY m.seq"
    );
    let rows: Vec<MessageRow> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(rid).bind(after).bind(before).fetch_all(c).await
    })?;
    let stored = rows.into_iter().map(|row| row.into_stored(Vec::new()));
    let is_said = |stored: &StoredMessage| stored.message.draft.status != Status::Retracted;
    stored.filter(|stored| stored.as_ref().map_or(true, is_said)).collect()
}

impl Between<'_> {
    /// Gives messages to `keep`, one after the other, until it kept so many or there is no room for the next one. What
    /// it doesn't keep takes no room. Returns whether messages are left.
    pub async fn read(
        self,
        step: &mut Step<'_>,
        limit: u32,
        room: &mut Room,
        mut keep: impl FnMut(StoredMessage) -> bool,
    ) -> Result<bool, StoreError> {
        let Self { rid, mut after, mut before, condition, descending } = self;
        let order = if descending { "m.seq DESC" } else { "m.seq" };
        let of = |columns: &str, limit: &str| {
            format!(
                "SELECT {columns} FROM message m JOIN session s ON s.rid = m.session_rid WHERE {condition} \
                 AND m.workspace_id = $1 AND m.session_rid = $2 AND m.seq > $3 AND m.seq < $4 ORDER BY {order}{limit}"
            )
        };
        // A body begins with its length.
        let heads_sql = of("m.seq, CAST(LENGTH(m.body) AS BIGINT), SUBSTR(m.body, 1, 5)", &format!(" LIMIT {ROWS}"));
        let rows_sql = of(COLUMNS, "");
        let mut kept = 0;
        loop {
            let heads: Vec<(i64, i64, Vec<u8>)> = on_step!(step, c => {
                sqlx::query_as(sqlx::AssertSqlSafe(heads_sql.clone()))
                    .bind(step.workspace).bind(rid).bind(after).bind(before).fetch_all(c).await
            })?;
            if heads.is_empty() {
                return Ok(false);
            }
            let mut bytes = 0;
            let fits = heads.iter().enumerate().take_while(|(index, (_, len, head))| {
                bytes += unpacked_len(head).max(len.unsigned_abs());
                if *index == 0 { room.has(bytes) } else { bytes <= room.left() }
            });
            let Some((_, (last, ..))) = fits.take((limit - kept) as usize).last() else { return Ok(true) };
            let (from, to) = if descending { (last - 1, before) } else { (after, last + 1) };
            let rows: Vec<MessageRow> = on_step!(step, c => {
                sqlx::query_as(sqlx::AssertSqlSafe(rows_sql.clone()))
                    .bind(step.workspace).bind(rid).bind(from).bind(to).fetch_all(c).await
            })?;
            for row in rows {
                let json = row.json()?;
                let bytes = weight(&json);
                if !room.has(bytes) {
                    return Ok(true);
                }
                if keep(row.with_json(&json, Vec::new())?) {
                    room.take(bytes);
                    kept += 1;
                }
            }
            if descending {
                before = *last;
            } else {
                after = *last;
            }
        }
    }
}
