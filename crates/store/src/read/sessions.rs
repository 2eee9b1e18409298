//! Sessions, one and many.

use super::{one_of, read_cursor, write_cursor};
use crate::columns::columns;
use crate::dialect::limited;
use crate::machines::OFFLINE;
use crate::session_row::{SESSION_COLUMNS, SessionRow};
use crate::store::on;
use crate::{Archived, Order, Page, Parents, Queue, SessionFilter, Sight, Sort, StoreError, Workspace};
use model::session::SessionMachine;
use model::{Micros, Session, SessionId};
use sqlx::{Database, Encode, QueryBuilder, Type};

columns! {
    /// A session with what stands in other rows.
    struct ListedRow of session: SessionRow {
        parent_id: Option<String>,
        child_count: i64,
        sort_value: String,
        machine_name: Option<String>,
        machine_heard_at: Option<i64>,
    }
}

impl ListedRow {
    fn into_session(self, now: Micros) -> Result<Session, StoreError> {
        let heard_at = Micros(self.machine_heard_at.unwrap_or_default());
        let offline_since = (!heard_at.is_within(OFFLINE, now)).then_some(heard_at);
        let machine = self.machine_name.map(|name| SessionMachine { name, offline_since });
        self.session.into_session(self.parent_id, self.child_count, machine, now)
    }
}

impl Workspace {
    pub async fn sessions(&self, filter: &SessionFilter) -> Result<Page<Session>, StoreError> {
        let after = filter.after.as_deref().map(read_cursor).transpose()?;
        let (value, kind) = sort_value(filter.sort);
        let number = match (after, kind) {
            (Some((_, value)), Kind::Number) => value.parse().map_err(|_| StoreError::Cursor(value.to_owned()))?,
            _ => 0_i64,
        };
        let (compare, direction) = match filter.order {
            Order::Ascending => (">", "ASC"),
            Order::Descending => ("<", "DESC"),
        };
        let limit = i64::from(filter.limit.max(1));
        let mut rows: Vec<ListedRow> = on!(&self.store, pool => {
            let mut q = select(value);
            narrow(&mut q, self.id(), filter);
            if filter.sort == Sort::Activity && after.is_some() {
                q.push(format!(" AND s.last_minute {compare}= ")).push_bind(minute(number));
            }
            if let Some((rid, text)) = after {
                q.push(format!(" AND ({value}, s.rid) {compare} ("));
                match kind {
                    Kind::Number => q.push_bind(number),
                    Kind::Text => q.push_bind(text),
                };
                q.push(", ").push_bind(rid).push(")");
            }
            q.push(" ORDER BY ");
            if filter.sort == Sort::Activity {
                q.push(format!("s.last_minute {direction}, "));
            }
            q.push(format!("{value} {direction}, s.rid {direction}")).push(limited(limit + 1));
            q.build_query_as::<ListedRow>().fetch_all(pool).await
        })?;
        let total = self.count_sessions(filter).await?;
        let more = rows.len() as i64 > limit;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|row| write_cursor(row.session.rid, &row.sort_value));
        let items = rows.into_iter().map(|row| row.into_session(filter.now)).collect::<Result<_, _>>()?;
        Ok(Page { items, next, total: total as u64 })
    }

    /// Counts the sessions of all pages. Those of the list are counted as they are written.
    async fn count_sessions(&self, filter: &SessionFilter) -> Result<i64, StoreError> {
        let narrowed = filter.needs_you || filter.pinned || filter.since.is_some() || filter.until.is_some();
        let counted = is_listed(filter) && !narrowed && filter.text.is_none();
        Ok(on!(&self.store, pool => {
            let mut q = if counted {
                QueryBuilder::new(
                    "SELECT CAST(COALESCE(SUM(s.sessions), 0) AS BIGINT) FROM session_facet s WHERE s.workspace_id = ",
                )
            } else {
                QueryBuilder::new("SELECT COUNT(*) FROM session s WHERE 1 = 1")
            };
            if counted {
                q.push_bind(self.id().to_owned());
                filter.sight.narrow_listed(&mut q, "s");
                one_of(&mut q, "s.project", &filter.projects);
                one_of(&mut q, "s.agent", &filter.agents);
                one_of(&mut q, "s.machine_id", &filter.machines);
            } else {
                narrow(&mut q, self.id(), filter);
            }
            q.build_query_scalar::<i64>().fetch_one(pool).await
        })?)
    }

    pub async fn session(&self, id: &SessionId, now: Micros) -> Result<Option<Session>, StoreError> {
        let row: Option<ListedRow> = on!(&self.store, pool => {
            let mut q = select("s.last_at");
            q.push(" AND s.workspace_id = ").push_bind(self.id()).push(" AND s.id = ").push_bind(id.as_str());
            q.build_query_as::<ListedRow>().fetch_optional(pool).await
        })?;
        row.map(|row| row.into_session(now)).transpose()
    }

    /// Ids of the sessions, deleted or not, that our id or the agent's own one names whole. Ours wins.
    pub async fn sessions_to_restore(&self, name: &str) -> Result<Vec<SessionId>, StoreError> {
        let rows: Vec<String> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT id FROM session WHERE workspace_id = $1 AND (id = $2 OR key = $2) \
                 ORDER BY CASE WHEN id = $2 THEN 0 ELSE 1 END, rid LIMIT 2",
            )
            .bind(self.id()).bind(name).fetch_all(pool).await
        })?;
        let ours = rows.first().is_some_and(|id| id == name);
        let rows = rows.into_iter().take(if ours { 1 } else { 2 });
        rows.map(|id| SessionId::parse(id).map_err(super::corrupt)).collect()
    }

    /// Returns true if our id, or the agent's own one, names a session that was deleted, isn't forgotten yet and might be
    /// seen.
    pub async fn has_deleted(&self, name: &str, sight: &Sight) -> Result<bool, StoreError> {
        let found: Option<i64> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT s.rid FROM session s WHERE s.deleted_at IS NOT NULL AND s.purged_at IS NULL AND s.workspace_id = ",
            );
            q.push_bind(self.id()).push(" AND (s.id = ").push_bind(name).push(" OR s.key = ").push_bind(name).push(")");
            sight.narrow(&mut q);
            q.push(" LIMIT 1").build_query_scalar().fetch_optional(pool).await
        })?;
        Ok(found.is_some())
    }

    /// Sessions whose id, or the agent's own id, starts with `prefix`; first the one whose id it is, then those whose
    /// own id it is, then those of no sub-agent, then by latest activity.
    pub async fn find_sessions(
        &self,
        prefix: &str,
        sight: &Sight,
        limit: u32,
        now: Micros,
    ) -> Result<Vec<Session>, StoreError> {
        // Every text that starts so lies between the prefix and the prefix with the highest character after it.
        let end = format!("{prefix}\u{10ffff}");
        let rows: Vec<ListedRow> = on!(&self.store, pool => {
            let mut q = select("s.last_at");
            q.push(" AND s.workspace_id = ").push_bind(self.id());
            q.push(" AND ((s.id >= ").push_bind(prefix).push(" AND s.id < ").push_bind(&end);
            q.push(") OR (s.key >= ").push_bind(prefix).push(" AND s.key < ").push_bind(&end);
            q.push("))");
            sight.narrow(&mut q);
            q.push(" AND s.deleted_at IS NULL ORDER BY CASE WHEN s.id = ").push_bind(prefix);
            q.push(" THEN 0 WHEN s.key = ").push_bind(prefix);
            q.push(" THEN 1 WHEN s.parent_key IS NULL THEN 2 ELSE 3 END, s.last_at DESC, s.rid DESC");
            q.push(limited(i64::from(limit)));
            q.build_query_as::<ListedRow>().fetch_all(pool).await
        })?;
        rows.into_iter().map(|row| row.into_session(now)).collect()
    }

    /// Sessions of sub-agents, in the order of their creation.
    pub async fn children(&self, id: &SessionId, sight: &Sight, now: Micros) -> Result<Vec<Session>, StoreError> {
        let rows: Vec<ListedRow> = on!(&self.store, pool => {
            let mut q = select("s.last_at");
            q.push(" AND p.workspace_id = ").push_bind(self.id()).push(" AND p.id = ").push_bind(id.as_str());
            sight.narrow(&mut q);
            q.push(" AND s.deleted_at IS NULL ORDER BY s.created_at, s.rid");
            q.build_query_as::<ListedRow>().fetch_all(pool).await
        })?;
        rows.into_iter().map(|row| row.into_session(now)).collect()
    }

    /// Returns the messages that wait for the session's agent. None without such a session.
    pub async fn queue(&self, id: &SessionId) -> Result<Option<Queue>, StoreError> {
        type ListedRow = (i64, i64, i64, Option<String>, Option<i64>, Option<i64>);
        let row: Option<ListedRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT queued_seq, waiting_seq, delivered_seq, begun_run, heartbeat_at, ended_at FROM session \
                 WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL",
            )
            .bind(self.id()).bind(id.as_str()).fetch_optional(pool).await
        })?;
        Ok(row.map(|(queued_seq, waiting_seq, delivered_seq, begun_run, heartbeat_at, ended_at)| Queue {
            queued_seq,
            waiting_seq,
            has_open_run: begun_run.is_some(),
            delivered_seq,
            heartbeat_at: heartbeat_at.map(Micros),
            ended: ended_at.is_some(),
        }))
    }

    /// Returns the sessions in which an agent began a run that hasn't ended, each with its open run.
    pub async fn sessions_with_runs(&self, now: Micros) -> Result<Vec<(Session, String)>, StoreError> {
        let rows: Vec<(String, String)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT id, begun_run FROM session WHERE workspace_id = $1 AND begun_run IS NOT NULL \
                 AND deleted_at IS NULL ORDER BY rid",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let mut sessions = Vec::with_capacity(rows.len());
        for (id, run) in rows {
            let id = SessionId::parse(id).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            sessions.extend(self.session(&id, now).await?.map(|session| (session, run)));
        }
        Ok(sessions)
    }

    /// The number by which other tables name a session.
    pub(crate) async fn session_rid(&self, id: &SessionId) -> Result<Option<i64>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar("SELECT rid FROM session WHERE workspace_id = $1 AND id = $2")
                .bind(self.id()).bind(id.as_str()).fetch_optional(pool).await
        })?)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Number,
    Text,
}

fn sort_value(sort: Sort) -> (&'static str, Kind) {
    match sort {
        Sort::Activity => ("s.last_at", Kind::Number),
        Sort::Created => ("s.created_at", Kind::Number),
        // Their beginnings: a cursor holds them, and must fit a URL.
        Sort::Title => ("substr(lower(COALESCE(s.own_title, s.title, s.first_prompt, s.key)), 1, 200)", Kind::Text),
        Sort::Project => ("substr(lower(COALESCE(s.project, '')), 1, 400)", Kind::Text),
        Sort::Messages => ("s.message_count", Kind::Number),
        Sort::Tokens => ("(s.input + s.output + s.cache_read + s.cache_write)", Kind::Number),
    }
}

fn select<DB: Database>(sort_value: &str) -> QueryBuilder<DB> {
    let columns: Vec<String> = SESSION_COLUMNS.iter().map(|(column, _)| format!("s.{column}")).collect();
    QueryBuilder::new(format!(
        "SELECT {}, CAST({sort_value} AS TEXT) AS sort_value, p.id AS parent_id, (SELECT COUNT(*) FROM session c WHERE \
         c.workspace_id = s.workspace_id AND c.parent_key = s.key AND c.agent = s.agent AND c.deleted_at IS NULL) \
         AS child_count, mc.name AS machine_name, COALESCE(mc.seen_at, mc.added_at) AS machine_heard_at \
         FROM session s LEFT JOIN session p ON p.workspace_id = s.workspace_id AND p.key = s.parent_key \
         AND p.agent = s.agent LEFT JOIN machine mc ON mc.workspace_id = s.workspace_id AND mc.id = s.machine_id WHERE 1 = 1",
        columns.join(", ")
    ))
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, filter: &SessionFilter)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(" AND s.deleted_at IS NULL AND s.workspace_id = ").push_bind(workspace.to_owned());
    filter.sight.narrow(q);
    one_of(q, "s.project", &filter.projects);
    one_of(q, "s.agent", &filter.agents);
    one_of(q, "COALESCE(s.machine_id, '')", &filter.machines);
    if let Some(since) = filter.since {
        q.push(" AND s.last_minute >= ").push_bind(minute(since.0)).push(" AND s.last_at >= ").push_bind(since.0);
    }
    if let Some(until) = filter.until {
        q.push(" AND s.last_minute <= ").push_bind(minute(until.0)).push(" AND s.last_at < ").push_bind(until.0);
    }
    if is_listed(filter) {
        q.push(" AND s.listed = 1");
    } else {
        match filter.parents {
            // The sessions of a deleted parent stay below it.
            Parents::Only => drop(q.push(" AND s.has_parent = 0")),
            Parents::AndChildren => {}
        }
        match filter.archived {
            Archived::Without => drop(q.push(" AND s.archived_at IS NULL")),
            Archived::Only => drop(q.push(" AND s.archived_at IS NOT NULL")),
            Archived::With => {}
        }
        if filter.spoken {
            q.push(" AND (s.last_seq > 0 OR s.create_hash IS NOT NULL)");
        }
    }
    if filter.needs_you {
        q.push(" AND ").push(NEEDS_YOU);
    }
    if filter.pinned {
        q.push(" AND s.pinned_at IS NOT NULL");
    }
    for word in filter.text.iter().flat_map(|text| text.split_whitespace()) {
        q.push(
            " AND lower(COALESCE(s.own_title, s.title, s.first_prompt, '') || ' ' || COALESCE(s.project, '') || ' ' || \
             COALESCE(s.branch, '') || ' ' || s.key) LIKE ",
        );
        q.push_bind(like(word)).push(" ESCAPE '!'");
    }
}

/// The last active first. The index has minutes, so that most posts leave it as it is.
pub(super) const LATEST: &str = "s.last_minute DESC, s.last_at DESC, s.rid DESC";

/// As the engines reckon `last_minute`.
fn minute(at: i64) -> i64 {
    at / (60 * Micros::SECOND)
}

/// SQL condition: the session waits for a person.
pub(super) const NEEDS_YOU: &str = "s.needs_you = 1";

/// Returns true if a filter chooses among the sessions of the list: those that stand alone, hold something and aren't
/// archived.
fn is_listed(filter: &SessionFilter) -> bool {
    filter.parents == Parents::Only && filter.archived == Archived::Without && filter.spoken
}

/// A pattern for texts that hold the word. Both engines' `lower` change ASCII letters alone.
fn like(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.to_ascii_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        if c != '\0' {
            pattern.push(c);
        }
    }
    pattern.push('%');
    pattern
}
