//! The sessions of a batch: loaded, changed in memory, stored in one statement.

use super::changes::Changes;
use crate::columns::text;
use crate::session_row::SessionRow;
use crate::session_row::{LIVE_SESSION, SELECTED, SESSION};
use crate::step::Step;
use crate::step::chunks::padded;
use crate::store::on_step;
use crate::write::feed;
use crate::write::listed;
use crate::write::rollup::Rollup;
use crate::{FeedKind, FeedRow, Origin, SessionUpsert, StoreError};
use model::{Micros, SessionId};
use sqlx::QueryBuilder;
use std::collections::{BTreeSet, HashMap};

/// The sessions of a batch, in its order.
pub(crate) struct Sessions {
    rows: Vec<Loaded>,
    by_key: HashMap<String, usize>,
    /// How their sums change.
    pub(in crate::write) rollup: Rollup,
}

pub(crate) struct Loaded {
    pub row: SessionRow,
    /// None for one that is new.
    pub(in crate::write) before: Option<SessionRow>,
}

impl Loaded {
    pub(crate) fn changed(&self) -> bool {
        self.before.as_ref() != Some(&self.row)
    }
}

impl Sessions {
    fn with_capacity(many: usize) -> Self {
        Self { rows: Vec::with_capacity(many), by_key: HashMap::new(), rollup: Rollup::default() }
    }

    pub(crate) fn index(&self, key: &str) -> Result<usize, StoreError> {
        self.by_key.get(key).copied().ok_or_else(|| StoreError::Unknown(format!("session `{key}`")))
    }

    /// Returns true if the session isn't new.
    pub(crate) fn is_stored(&self, index: usize) -> bool {
        self.rows[index].before.is_some()
    }

    /// The session with this key, if it was loaded.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn row(&mut self, index: usize) -> &mut SessionRow {
        &mut self.rows[index].row
    }

    pub(in crate::write) fn loaded(&mut self) -> &mut [Loaded] {
        &mut self.rows
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Loaded> {
        self.rows.iter()
    }

    pub(crate) fn by_rid(&self, rid: i64) -> Option<&SessionRow> {
        self.rows.iter().map(|loaded| &loaded.row).find(|row| row.rid == rid)
    }

    /// Returns true if all of the session's data was deleted permanently.
    pub(crate) fn is_purged(&self, key: &str) -> bool {
        self.find(key).is_some_and(|index| self.rows[index].row.purged_at.is_some())
    }

    /// Returns true if the batch has a session that isn't deleted permanently.
    pub(crate) fn any_kept(&self) -> bool {
        self.rows.iter().any(|loaded| loaded.row.purged_at.is_none())
    }

    pub(crate) fn added(&self) -> u64 {
        self.rows.iter().filter(|loaded| loaded.before.is_none()).count() as u64
    }

    /// Messages of these sessions change at `pos`. A session without any time was made now. When an imported one was
    /// last active nobody knows: not now, or it would stand before all others.
    pub(crate) fn finish(&mut self, now: Micros, changes: &Changes, pos: i64) {
        for Loaded { row, .. } in &mut self.rows {
            if changes.sessions.contains_key(&row.rid) {
                row.changed_pos = pos;
            }
            if row.created_at == i64::MAX {
                row.created_at = now.0;
                row.last_at = if row.create_hash.is_some() { now.0 } else { 0 };
            }
        }
    }
}

/// Loads stored sessions by our id, which then is their key here. Those that don't exist are missing; deleted ones are
/// not.
pub(crate) async fn load_by_id(step: &mut Step<'_>, ids: &BTreeSet<&str>) -> Result<Sessions, StoreError> {
    let mut sessions = Sessions::with_capacity(ids.len());
    for row in fetch(step, "id", &ids.iter().copied().collect::<Vec<_>>()).await? {
        sessions.by_key.insert(row.id.clone(), sessions.rows.len());
        sessions.rows.push(Loaded { row: row.clone(), before: Some(row) });
    }
    Ok(sessions)
}

async fn fetch(step: &mut Step<'_>, column: &str, values: &[&str]) -> Result<Vec<SessionRow>, StoreError> {
    let mut rows: Vec<SessionRow> = Vec::with_capacity(values.len());
    for chunk in padded(values, 256) {
        let found: Vec<SessionRow> = on_step!(step, c => {
            let mut q = QueryBuilder::new("SELECT ");
            q.push(&*SELECTED).push(" FROM session WHERE workspace_id = ").push_bind(step.workspace);
            q.push(" AND ").push(column).push(" IN (");
            let mut list = q.separated(", ");
            for value in chunk {
                list.push_bind(value);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        rows.extend(found);
    }
    Ok(rows)
}

/// Loads the sessions that are stored, creates the others, and applies the facts. A session that an agent's key made
/// under the id of a transcript isn't the transcript's: it gets another id.
pub(crate) async fn load(
    step: &mut Step<'_>,
    upserts: &[SessionUpsert],
    origin: Origin,
    machine: Option<&str>,
) -> Result<Sessions, StoreError> {
    let mut sessions = Sessions::with_capacity(upserts.len());
    let keys: Vec<_> = upserts.iter().map(|upsert| text(&upsert.key)).collect();
    let keys: Vec<&str> = keys.iter().map(|key| &**key).collect();
    let mut stored: HashMap<(String, String), SessionRow> =
        fetch(step, "key", &keys).await?.into_iter().map(|row| ((row.agent.clone(), row.key.clone()), row)).collect();
    for upsert in upserts {
        let index = if let Some(&index) = sessions.by_key.get(&upsert.key) {
            index
        } else {
            let (agent, key) = (text(&upsert.agent).into_owned(), text(&upsert.key).into_owned());
            let mut before = stored.remove(&(agent.clone(), key.clone()));
            if let (Some(machine), Some(row)) = (machine, before.as_ref()) {
                require_own(step, row, machine).await?;
            }
            if let Some(row) = before.take_if(|row| origin == Origin::Transcript && row.key_id.is_some()) {
                rename(step, &row).await?;
            }
            let mut row = match &before {
                Some(row) => row.clone(),
                None => SessionRow::new(step.rid(), &upsert.new_id, agent, key),
            };
            if let (Origin::Transcript, Some(machine)) = (origin, machine) {
                row.machine_id = Some(machine.to_owned());
            }
            sessions.rows.push(Loaded { row, before });
            sessions.by_key.insert(upsert.key.clone(), sessions.rows.len() - 1);
            sessions.rows.len() - 1
        };
        // A permanently deleted session isn't restored by its file.
        if sessions.row(index).purged_at.is_none() {
            sessions.row(index).apply(&upsert.facts, upsert.parent_key.as_deref(), step.now);
        }
    }
    Ok(sessions)
}

/// A machine changes its own sessions alone, whatever ids its files name. It goes on with those of one that was removed,
/// as after a move to it.
async fn require_own(step: &mut Step<'_>, row: &SessionRow, machine: &str) -> Result<(), StoreError> {
    if row.machine_id.as_deref() == Some(machine) {
        return Ok(());
    }
    let removed: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT removed_at FROM machine WHERE workspace_id = $1 AND id = $2 AND removed_at IS NOT NULL")
            .bind(step.workspace).bind(&row.machine_id).fetch_optional(c).await
    })?;
    if row.key_id.is_none() && removed.is_some() { Ok(()) } else { Err(StoreError::OtherMachine(row.key.clone())) }
}

/// Gives a session another id of its agent's, and to its sub-agents' sessions by the same key: what it was called is a
/// transcript's. Its own id is what it would have been called without.
async fn rename(step: &mut Step<'_>, row: &SessionRow) -> Result<(), StoreError> {
    let mut key = row.id.clone();
    while is_taken(step, &row.agent, &key).await? {
        key = format!("{}~{}", row.id, step.rid());
    }
    for sql in [
        "UPDATE session SET key = $4 WHERE workspace_id = $1 AND agent = $2 AND key = $3 AND key_id = $5",
        "UPDATE session SET parent_key = $4 WHERE workspace_id = $1 AND agent = $2 AND parent_key = $3 AND key_id = $5",
    ] {
        on_step!(step, c => {
            sqlx::query(sql).bind(step.workspace).bind(&row.agent).bind(&row.key).bind(&key).bind(&row.key_id)
                .execute(c).await.map(drop)
        })?;
    }
    let session = SessionId::parse(row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let changed = FeedRow::of_session(step.pos(), FeedKind::Session, &session);
    feed::write_rows(step, &[changed]).await
}

async fn is_taken(step: &mut Step<'_>, agent: &str, key: &str) -> Result<bool, StoreError> {
    let found: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT rid FROM session WHERE workspace_id = $1 AND key = $3 AND agent = $2")
            .bind(step.workspace).bind(agent).bind(key).fetch_optional(c).await
    })?;
    Ok(found.is_some())
}

/// A session without a message still has its file: it is exported, and forgotten, with it.
pub(crate) async fn link(step: &mut Step<'_>, sessions: &Sessions, source: i64) -> Result<(), StoreError> {
    for loaded in sessions.iter().filter(|loaded| loaded.row.last_seq == 0) {
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO session_source (workspace_id, session_rid, source_rid) VALUES ($1, $2, $3) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(step.workspace).bind(loaded.row.rid).bind(source).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// The place of a stored session, which is loaded where the batch doesn't name it.
pub(crate) async fn loaded(step: &mut Step<'_>, sessions: &mut Sessions, rid: i64) -> Result<usize, StoreError> {
    if let Some(index) = sessions.rows.iter().position(|loaded| loaded.row.rid == rid) {
        return Ok(index);
    }
    let row: SessionRow = on_step!(step, c => {
        let mut q = QueryBuilder::new("SELECT ");
        q.push(&*SELECTED).push(" FROM session WHERE workspace_id = ").push_bind(step.workspace);
        q.push(" AND rid = ").push_bind(rid);
        q.build_query_as().fetch_one(c).await
    })?;
    sessions.rows.push(Loaded { row: row.clone(), before: Some(row) });
    Ok(sessions.rows.len() - 1)
}

/// Stores the rows that changed, how their sums change, and which of them are listed.
pub(crate) async fn store(step: &mut Step<'_>, sessions: &mut Sessions) -> Result<(), StoreError> {
    listed::update(step, sessions).await?;
    let changed = sessions.iter().filter(|loaded| loaded.changed());
    let (live, whole): (Vec<_>, Vec<_>) =
        changed.partition(|Loaded { row, before }| before.as_ref().is_some_and(|before| row.is_live_change(before)));
    let live: Vec<_> = live.into_iter().map(|loaded| loaded.row.live_values()).collect();
    let whole: Vec<_> = whole.into_iter().map(|loaded| loaded.row.values()).collect();
    step.write(&LIVE_SESSION, &live).await?;
    step.write(&SESSION, &whole).await?;
    std::mem::take(&mut sessions.rollup).store(step, &sessions.rows).await
}
