//! Tokens and cost of requests to models. What was copied from another session counts there.

use crate::columns::columns;
use crate::dialect::limited;
use crate::history::{StatsQuery, day, day_of_slot, of_places, of_sessions, within, within_slots};
use crate::read::one_of;
use crate::rollup::{PRICED, STEPS, above};
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, SessionId, Usage};
use sqlx::QueryBuilder;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Requests of one day, project and model together, whose prices are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    /// Days since 1970 in local time.
    pub day: i64,
    pub project: Option<String>,
    pub model: Option<String>,
    /// The input of each had more tokens than this: one of the query's steps, or 0.
    pub above: i64,
    pub usage: Usage,
    /// The part of `usage.cache_write` that is cached for one hour.
    pub cache_write_1h: i64,
    /// The agent says what their runs cost: this, in US dollars.
    pub cost_usd: Option<f64>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its number in the session, from 1, by time.
    pub number: i64,
    /// The provider's id of the answer.
    pub id: String,
    /// Its run, by the agent's own id.
    pub run_id: String,
    /// The first message of the answer, and its `seq`.
    pub message_id: Option<String>,
    pub seq: Option<i64>,
    pub model: Option<String>,
    pub began_at: Option<Micros>,
    pub ended_at: Micros,
    pub first_token_ms: Option<i64>,
    pub stop_reason: Option<String>,
    pub usage: Usage,
    pub cache_write_1h: i64,
    /// Cost, as the agent reports it.
    pub cost_usd: Option<f64>,
    /// The agent says what the run cost.
    pub run_is_priced: bool,
    /// The largest input in tokens, where the agent says it.
    pub context: Option<i64>,
    /// It counts in another session, whose transcript has it as well.
    pub is_copy: bool,
}

columns! {
    struct SpendingRow {
        day: i64,
        project: Option<String>,
        model: Option<String>,
        above: i64,
        priced: i64,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cache_write_1h: i64,
        cost_usd: Option<f64>,
    }
}

columns! {
    struct OfSessionRow of spending: SpendingRow {
        session_id: String,
    }
}

columns! {
    struct RequestRow {
        number: i64,
        id: String,
        run_id: String,
        message_id: Option<String>,
        seq: Option<i64>,
        model: Option<String>,
        began_at: Option<i64>,
        ended_at: i64,
        first_token_ms: Option<i64>,
        stop_reason: Option<String>,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cache_write_1h: i64,
        cost_usd: Option<f64>,
        priced: i64,
        context: Option<i64>,
        copied: i64,
    }
}

columns! {
    /// A call of a tool.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ToolCall {
        pub tool: String,
        pub failed: i64,
        pub duration_ms: Option<i64>,
    }
}

columns! {
    /// A call of a tool with its place in the session.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PlacedCall {
        /// Id and `seq` of its message.
        pub id: String,
        pub seq: i64,
        /// The id by which an approval names it, if it isn't that of the message.
        pub call_id: Option<String>,
        pub tool: String,
        pub failed: i64,
        /// Microseconds since 1970.
        pub created_at: i64,
        pub duration_ms: Option<i64>,
    }
}

columns! {
    /// How large a request was.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RequestSize {
        pub model: Option<String>,
        /// The largest input in tokens, where the agent says it.
        pub context: Option<i64>,
        /// Tokens, those of the answer as well.
        pub total: i64,
    }
}

/// The run of a request.
const OF_RUN: &str =
    "JOIN run r ON r.workspace_id = q.workspace_id AND r.session_rid = q.session_rid AND r.id = q.run_id";

impl Workspace {
    /// Tokens and stated costs by day, project and model, ascending. Of one session, and of those below it, days are in
    /// UTC.
    pub async fn spending(&self, query: &StatsQuery) -> Result<Vec<Spending>, StoreError> {
        let rows = if !Self::sums_up_by(&query.steps) {
            self.spending_by_request(query).await?
        } else if query.session.is_some() || query.below.is_some() {
            self.spending_of_sessions(query).await?
        } else {
            self.spending_of_all(query).await?
        };
        let mut spending: Vec<Spending> = rows.into_iter().map(SpendingRow::into_spending).collect();
        let key = |of: &Spending| (of.day, of.project.clone(), of.model.clone(), of.above, of.cost_usd.is_some());
        spending.sort_by_cached_key(key);
        Ok(spending)
    }

    async fn spending_of_sessions(&self, query: &StatsQuery) -> Result<Vec<SpendingRow>, StoreError> {
        let sums = summed_up("q.day", "s.project", query);
        Ok(on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "{sums} FROM session s JOIN session_spending q ON q.workspace_id = s.workspace_id AND q.session_rid = s.rid \
                 WHERE q.requests > 0 AND s.workspace_id = "
            ));
            q.push_bind(self.id());
            of_sessions(&mut q, self.id(), query);
            q.push(" GROUP BY 1, 2, 3, 4, 5").build_query_as().fetch_all(pool).await
        })?)
    }

    /// Like [`Workspace::spending`], of each of these sessions. What nothing was spent in is missing. An input's
    /// `steps` are among those that [`Workspace::sums_up_by`] knows.
    pub async fn spending_of_each(
        &self,
        sessions: &[SessionId],
        steps: &[i64],
    ) -> Result<BTreeMap<SessionId, Vec<Spending>>, StoreError> {
        if sessions.is_empty() {
            return Ok(BTreeMap::new());
        }
        let query = StatsQuery { steps: steps.to_vec(), ..StatsQuery::default() };
        let sums = summed_up("q.day", "s.project", &query);
        let rows: Vec<OfSessionRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "{sums}, s.id AS session_id FROM session s JOIN session_spending q ON q.workspace_id = s.workspace_id \
                 AND q.session_rid = s.rid WHERE q.requests > 0 AND s.workspace_id = "
            ));
            q.push_bind(self.id());
            one_of(&mut q, "s.id", sessions);
            q.push(" GROUP BY 1, 2, 3, 4, 5, s.id").build_query_as().fetch_all(pool).await
        })?;
        let mut spending: BTreeMap<SessionId, Vec<Spending>> = BTreeMap::new();
        for row in rows {
            let id = SessionId::parse(row.session_id).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            spending.entry(id).or_default().push(row.spending.into_spending());
        }
        Ok(spending)
    }

    /// Returns true if what was spent is summed up apart beyond each of these inputs.
    pub fn sums_up_by(steps: &[i64]) -> bool {
        steps.iter().all(|step| STEPS.contains(step))
    }

    async fn spending_of_all(&self, query: &StatsQuery) -> Result<Vec<SpendingRow>, StoreError> {
        let sums = summed_up(&day_of_slot("q.slot", query), "NULLIF(q.project, '')", query);
        Ok(on!(&self.store, pool => {
            let mut q =
                QueryBuilder::new(format!("{sums} FROM rollup_spending q WHERE q.requests > 0 AND q.workspace_id = "));
            within_slots(&mut q, self.id(), query);
            of_places(&mut q, query);
            q.push(" GROUP BY 1, 2, 3, 4, 5").build_query_as().fetch_all(pool).await
        })?)
    }

    /// Reads each request: for price tables with other steps than those that requests are summed up by.
    async fn spending_by_request(&self, query: &StatsQuery) -> Result<Vec<SpendingRow>, StoreError> {
        let above = above("q.input + q.cache_read + q.cache_write", &query.steps);
        let mut rows: Vec<SpendingRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {} AS day, s.project AS project, COALESCE(q.model, r.model) AS model, {above} AS above, \
                 {PRICED} AS priced, CAST(SUM(q.input) AS BIGINT) AS input, CAST(SUM(q.output) AS BIGINT) AS output, \
                 CAST(SUM(q.cache_read) AS BIGINT) AS cache_read, CAST(SUM(q.cache_write) AS BIGINT) AS cache_write, \
                 CAST(SUM(q.cache_write_1h) AS BIGINT) AS cache_write_1h, SUM(q.cost_usd) AS cost_usd FROM spent q {OF_RUN} \
                 JOIN session s ON s.rid = q.session_rid AND s.workspace_id = q.workspace_id \
                 WHERE q.copied = 0 AND q.workspace_id = ",
                day("q.ended_at", query)
            ));
            within(&mut q, self.id(), "q.ended_at", query);
            of_sessions(&mut q, self.id(), query);
            q.push(" GROUP BY 1, 2, 3, 4, 5").build_query_as().fetch_all(pool).await
        })?;
        // For some runs only the sum is known.
        let whole: Vec<SpendingRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {} AS day, s.project AS project, r.model AS model, CAST(0 AS BIGINT) AS above, \
                 {PRICED} AS priced, CAST(SUM(r.input) AS BIGINT) AS input, CAST(SUM(r.output) AS BIGINT) AS output, \
                 CAST(SUM(r.cache_read) AS BIGINT) AS cache_read, CAST(SUM(r.cache_write) AS BIGINT) AS cache_write, \
                 CAST(0 AS BIGINT) AS cache_write_1h, SUM(r.cost_usd) AS cost_usd FROM run r \
                 JOIN session s ON s.rid = r.session_rid AND s.workspace_id = r.workspace_id \
                 WHERE r.copied = 0 AND NOT EXISTS (SELECT 1 FROM spent q \
                 WHERE q.workspace_id = r.workspace_id AND q.session_rid = r.session_rid AND q.run_id = r.id) \
                 AND r.workspace_id = ",
                day("r.started_at", query)
            ));
            within(&mut q, self.id(), "r.started_at", query);
            of_sessions(&mut q, self.id(), query);
            q.push(" GROUP BY 1, 2, 3, 4, 5").build_query_as().fetch_all(pool).await
        })?;
        rows.extend(whole);
        Ok(rows)
    }

    /// The calls of tools in a session, the shortest first. What was copied from another session is a call of that one.
    pub async fn tool_calls(&self, session: &SessionId) -> Result<Vec<ToolCall>, StoreError> {
        on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT t.tool AS tool, t.failed AS failed, t.duration_ms AS duration_ms FROM tool_use t \
                 JOIN session s ON s.rid = t.session_rid AND s.workspace_id = t.workspace_id \
                 WHERE t.workspace_id = $1 AND s.id = $2 ORDER BY t.duration_ms",
            )
            .bind(self.id())
            .bind(session.as_str())
            .fetch_all(pool)
            .await
        })
        .map_err(StoreError::from)
    }

    /// The calls of tools among the messages `seqs` of a session, at most `limit` of them, by `seq`.
    pub async fn placed_calls(
        &self,
        session: &SessionId,
        seqs: RangeInclusive<i64>,
        limit: i64,
    ) -> Result<Vec<PlacedCall>, StoreError> {
        on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT m.id AS id, m.seq AS seq, t.call_id AS call_id, t.tool AS tool, t.failed AS failed, \
                 t.created_at AS created_at, t.duration_ms AS duration_ms FROM session s \
                 JOIN message m ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid \
                 JOIN tool_use t ON t.workspace_id = m.workspace_id AND t.session_rid = m.session_rid \
                 AND t.message_rid = m.rid \
                 WHERE s.workspace_id = $1 AND s.id = $2 AND m.seq BETWEEN $3 AND $4 ORDER BY m.seq LIMIT $5",
            )
            .bind(self.id())
            .bind(session.as_str())
            .bind(*seqs.start())
            .bind(*seqs.end())
            .bind(limit)
            .fetch_all(pool)
            .await
        })
        .map_err(StoreError::from)
    }

    /// The last requests of a session, at most `limit` of them, by number.
    pub async fn last_requests(&self, session: &SessionId, limit: i64) -> Result<Vec<Request>, StoreError> {
        let count = self.request_count(session).await?;
        self.requests(session, (count - limit).max(0), limit).await
    }

    /// How many requests a session has: the number of the last one.
    pub async fn request_count(&self, session: &SessionId) -> Result<i64, StoreError> {
        let count: i64 = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM spent q \
                 JOIN session s ON s.rid = q.session_rid AND s.workspace_id = q.workspace_id \
                 WHERE q.workspace_id = $1 AND s.id = $2 AND q.input + q.output + q.cache_read + q.cache_write > 0",
            )
            .bind(self.id())
            .bind(session.as_str())
            .fetch_one(pool)
            .await
        })?;
        Ok(count)
    }

    /// How large the last requests of a session were, at most `limit` of them, by time.
    pub async fn last_sizes(&self, session: &SessionId, limit: i64) -> Result<Vec<RequestSize>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let mut sizes: Vec<RequestSize> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT COALESCE(q.model, r.model) AS model, q.context AS context, \
                 q.input + q.output + q.cache_read + q.cache_write AS total FROM spent q {OF_RUN} \
                 WHERE q.workspace_id = $1 AND q.session_rid = $2 AND q.input + q.output + q.cache_read + q.cache_write > 0 \
                 ORDER BY q.ended_at DESC, q.id DESC{}", limited(limit)
            )))
            .bind(self.id())
            .bind(rid)
            .fetch_all(pool)
            .await
        })?;
        sizes.reverse();
        Ok(sizes)
    }

    /// The requests of a session whose number is above `after`, at most `limit` of them, by number.
    pub async fn requests(&self, session: &SessionId, after: i64, limit: i64) -> Result<Vec<Request>, StoreError> {
        self.requests_of(session, Which::All, after, limit).await
    }

    /// Those whose answers begin with the messages `seqs`, at most `limit` of them, by number.
    pub async fn requests_between(
        &self,
        session: &SessionId,
        seqs: RangeInclusive<i64>,
        limit: i64,
    ) -> Result<Vec<Request>, StoreError> {
        self.requests_of(session, Which::Seqs(seqs), 0, limit).await
    }

    /// Those of some runs, by time. Their numbers count these alone.
    pub async fn requests_of_runs(&self, session: &SessionId, runs: &[&str]) -> Result<Vec<Request>, StoreError> {
        self.requests_of(session, Which::Runs(runs), 0, i64::MAX).await
    }

    async fn requests_of(
        &self,
        session: &SessionId,
        which: Which<'_>,
        after: i64,
        limit: i64,
    ) -> Result<Vec<Request>, StoreError> {
        let rows: Vec<RequestRow> = on!(&self.store, pool => {
            let mut query = QueryBuilder::new(format!(
                "SELECT * FROM (SELECT ROW_NUMBER() OVER (ORDER BY q.ended_at, q.id) AS number, q.id AS id, \
                 q.run_id AS run_id, q.message_id AS message_id, m.seq AS seq, COALESCE(q.model, r.model) AS model, \
                 q.began_at AS began_at, q.ended_at AS ended_at, q.first_token_ms AS first_token_ms, \
                 q.stop_reason AS stop_reason, q.input AS input, q.output AS output, q.cache_read AS cache_read, \
                 q.cache_write AS cache_write, q.cache_write_1h AS cache_write_1h, q.cost_usd AS cost_usd, \
                 {PRICED} AS priced, q.context AS context, q.copied AS copied FROM spent q {OF_RUN} \
                 JOIN session s ON s.rid = q.session_rid AND s.workspace_id = q.workspace_id \
                 LEFT JOIN message m ON m.workspace_id = q.workspace_id \
                 AND m.session_rid = q.session_rid AND m.id = q.message_id \
                 WHERE q.input + q.output + q.cache_read + q.cache_write > 0 AND q.workspace_id = "
            ));
            query.push_bind(self.id().to_owned()).push(" AND s.id = ").push_bind(session.as_str().to_owned());
            if let Which::Runs(runs) = &which {
                query.push(" AND q.run_id IN (");
                let mut ids = query.separated(", ");
                runs.iter().for_each(|run| {
                    ids.push_bind((*run).to_owned());
                });
                query.push(")");
            }
            query.push(") AS t WHERE number > ").push_bind(after);
            if let Which::Seqs(seqs) = &which {
                query.push(" AND seq >= ").push_bind(*seqs.start()).push(" AND seq <= ").push_bind(*seqs.end());
            }
            query.push(" ORDER BY number LIMIT ").push_bind(limit);
            query.build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(RequestRow::into_request).collect())
    }
}

/// Which requests of a session are read.
enum Which<'a> {
    All,
    /// Those whose answers begin with these messages.
    Seqs(RangeInclusive<i64>),
    /// Those of these runs, one at least.
    Runs(&'a [&'a str]),
}

/// Selects sums by day, project, model, step and whether they are priced.
fn summed_up(day: &str, project: &str, query: &StatsQuery) -> String {
    let above = above("q.step + 1", &query.steps);
    let sum = |column: &str| format!("CAST(SUM(q.{column}) AS BIGINT) AS {column}");
    let sums = ["input", "output", "cache_read", "cache_write", "cache_write_1h"].map(sum).join(", ");
    format!(
        "SELECT {day} AS day, {project} AS project, NULLIF(q.model, '') AS model, {above} AS above, q.priced AS priced, {sums}, \
         CAST(SUM(q.cost_nano) AS DOUBLE PRECISION) / 1000000000 AS cost_usd"
    )
}

impl SpendingRow {
    fn into_spending(self) -> Spending {
        let usage = Usage {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
        };
        Spending {
            day: self.day,
            project: self.project,
            model: self.model,
            above: self.above,
            usage,
            cache_write_1h: self.cache_write_1h,
            cost_usd: (self.priced != 0).then(|| self.cost_usd.unwrap_or(0.0)),
        }
    }
}

impl RequestRow {
    fn into_request(self) -> Request {
        let usage = Usage {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
        };
        Request {
            number: self.number,
            id: self.id,
            run_id: self.run_id,
            message_id: self.message_id,
            seq: self.seq,
            model: self.model,
            began_at: self.began_at.map(Micros),
            ended_at: Micros(self.ended_at),
            first_token_ms: self.first_token_ms,
            stop_reason: self.stop_reason,
            usage,
            cache_write_1h: self.cache_write_1h,
            cost_usd: self.cost_usd,
            run_is_priced: self.priced != 0,
            context: self.context,
            is_copy: self.copied != 0,
        }
    }
}
