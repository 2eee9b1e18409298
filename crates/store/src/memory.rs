//! Memories, found by words and, if there is an embedding endpoint, by meaning.
//!
//! Words are in the index of all messages, marked as remembered. Vectors are stored beside the row, and kept in memory
//! for search: [`Workspace::vectors_after`] returns new ones.

use crate::columns::columns;
use crate::dialect::{self, limited};
use crate::read::messages::{COLUMNS, MessageRow};
use crate::read::one_of;
use crate::step::Step;
use crate::store::{on, on_step};
use crate::tokens::{self, Term};
use crate::{Sight, StoreError, StoredMessage, Workspace};
use model::text::of_a_plan;
use model::{Draft, MessageId, Micros, SessionId};
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::collections::{HashMap, HashSet};

/// Memories that a single word finds, the newest first: a common word costs no more than this.
const OF_A_WORD: usize = 2_000;
/// Words of a query that are looked for; each by a statement of its own.
const WORDS: usize = 12;
/// Ids per look-up.
const IDS: usize = 500;

/// Which memories are looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    pub session: Option<SessionId>,
    /// Key of a project.
    pub project: Option<String>,
    /// Only sessions that may be seen.
    pub sight: Sight,
}

impl MemoryFilter {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A remembered message.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub message: StoredMessage,
    pub session_title: String,
    pub project: String,
    /// It has a vector.
    pub embedded: bool,
}

/// How many memories there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    pub all: i64,
    /// With a vector.
    pub embedded: i64,
}

/// A vector and the message that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVector {
    /// Its number: later ones are greater.
    pub no: i64,
    pub rid: i64,
    /// Row id of the session.
    pub session_rid: i64,
    /// 32-bit floats, little endian.
    pub bytes: Vec<u8>,
}

/// A text that has no vector yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    pub rid: i64,
    pub revision: i64,
    pub draft: Draft,
}

columns! {
    struct MemoryRow of row: MessageRow {
        memory_rid: i64,
        title: String,
        project: Option<String>,
        embedded: i64,
    }
}

const FROM: &str = " FROM memory y JOIN session s ON s.rid = y.session_rid AND s.workspace_id = y.workspace_id \
    WHERE y.forgotten = 0 AND s.deleted_at IS NULL AND y.workspace_id = ";

impl Workspace {
    /// Returns the memories that hold any of the words, each with its score: the sum of its words' weights, of which
    /// rare ones have more. The best first, the newest first of equal ones. `all` is how many memories the filter
    /// leaves.
    pub async fn memories_by_words(
        &self,
        text: &str,
        filter: &MemoryFilter,
        all: i64,
        limit: usize,
    ) -> Result<Vec<(i64, f64)>, StoreError> {
        // A question is whole: its last word isn't the beginning of others, which would find as much as many words.
        let mut terms = tokens::terms(&format!("{text} "));
        let mut seen = HashSet::new();
        terms.retain(|term| seen.insert(term.whole.clone()));
        terms.truncate(WORDS);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.of_session(filter).await?;
        let all = all.max(1) as f64;
        let mut scores: HashMap<i64, f64> = HashMap::new();
        for term in terms {
            let found = self.holding(term, session, filter).await?;
            // How many more there are isn't known: half of all is a guess that gives the word little weight.
            let matches = if found.len() == OF_A_WORD { all / 2.0 } else { found.len() as f64 };
            let weight = (1.0 + all / matches.max(1.0)).ln();
            for rid in found {
                *scores.entry(rid).or_default() += weight;
            }
        }
        let mut scores: Vec<(i64, f64)> = scores.into_iter().collect();
        scores.sort_unstable_by(|(a, one), (b, other)| other.total_cmp(one).then(b.cmp(a)));
        scores.truncate(limit);
        Ok(scores)
    }

    /// The newest memories that hold a word.
    async fn holding(&self, term: Term, session: Option<i64>, filter: &MemoryFilter) -> Result<Vec<i64>, StoreError> {
        let marked = Term { whole: dialect::MEMORY_WORD.to_owned(), parts: Vec::new(), prefix: false };
        let matching = dialect::matching(&self.store, &[term, marked], session);
        Ok(on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT f.rowid FROM message_search f CROSS JOIN memory y{} CROSS JOIN session s WHERE y.rid = f.rowid \
                 AND s.rid = y.session_rid AND y.forgotten = 0 AND s.deleted_at IS NULL AND {}",
                dialect::indexed_by(&self.store, " INDEXED BY memory_newest"), matching.before
            ));
            q.push_bind(&matching.expression).push(matching.behind).push(" AND y.workspace_id = ").push_bind(self.id());
            narrow(&mut q, filter);
            q.push(" ORDER BY f.rowid DESC").push(limited(OF_A_WORD as i64));
            q.build_query_scalar().fetch_all(pool).await
        })?)
    }

    /// Returns the rids of the newest memories before one, the newest first.
    pub async fn newest_memories(
        &self,
        filter: &MemoryFilter,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<i64>, StoreError> {
        let session = self.of_session(filter).await?;
        Ok(on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT y.rid{FROM}"));
            q.push_bind(self.id());
            narrow(&mut q, filter);
            if let Some(session) = session {
                q.push(" AND y.session_rid = ").push_bind(session);
            }
            if let Some(before) = before {
                q.push(" AND y.rid < ").push_bind(before);
            }
            q.push(" ORDER BY y.rid DESC").push(limited(i64::from(limit)));
            q.build_query_scalar().fetch_all(pool).await
        })?)
    }

    /// Returns the rids of the sessions that a filter leaves; None if it leaves all.
    pub async fn memory_sessions(&self, filter: &MemoryFilter) -> Result<Option<HashSet<i64>>, StoreError> {
        if filter.is_empty() {
            return Ok(None);
        }
        let session = self.of_session(filter).await?;
        let rids: Vec<i64> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("SELECT s.rid FROM session s WHERE s.deleted_at IS NULL AND s.workspace_id = ");
            q.push_bind(self.id());
            narrow(&mut q, filter);
            if let Some(session) = session {
                q.push(" AND s.rid = ").push_bind(session);
            }
            q.build_query_scalar().fetch_all(pool).await
        })?;
        Ok(Some(rids.into_iter().collect()))
    }

    /// Returns memories by their rids, with those; what was forgotten, deleted or retracted since is left out.
    pub async fn memories(&self, rids: &[i64]) -> Result<HashMap<i64, Memory>, StoreError> {
        let mut found = HashMap::with_capacity(rids.len());
        for chunk in rids.chunks(IDS) {
            let rows: Vec<MemoryRow> = on!(&self.store, pool => {
                let mut q = QueryBuilder::new(format!(
                    "SELECT y.rid AS memory_rid, COALESCE(s.own_title, s.title, s.first_prompt, s.key) AS title, s.project AS \
                     project, CAST(CASE WHEN y.vector IS NULL THEN 0 ELSE 1 END AS BIGINT) AS embedded, {COLUMNS} \
                     FROM memory y JOIN message m ON m.rid = y.rid JOIN session s ON s.rid = m.session_rid \
                     WHERE y.forgotten = 0 AND s.deleted_at IS NULL AND y.workspace_id = "
                ));
                q.push_bind(self.id()).push(" AND y.rid IN (");
                let mut list = q.separated(", ");
                for rid in chunk {
                    list.push_bind(*rid);
                }
                list.push_unseparated(")");
                q.build_query_as::<MemoryRow>().fetch_all(pool).await
            })?;
            for MemoryRow { row, memory_rid, title, project, embedded } in rows {
                let memory = Memory {
                    message: row.into_stored(Vec::new())?,
                    session_title: of_a_plan(title),
                    project: project.unwrap_or_default(),
                    embedded: embedded != 0,
                };
                found.insert(memory_rid, memory);
            }
        }
        Ok(found)
    }

    /// Counts the memories that a filter leaves.
    pub async fn memory_counts(&self, filter: &MemoryFilter) -> Result<MemoryCounts, StoreError> {
        let session = self.of_session(filter).await?;
        // Counted by session, from an index alone: sessions are few.
        let (all, embedded): (i64, i64) = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT CAST(COALESCE(SUM(y.many), 0) AS BIGINT), CAST(COALESCE(SUM(y.embedded), 0) AS BIGINT) FROM (\
                 SELECT session_rid, COUNT(*) AS many, COUNT(vector_no) AS embedded FROM memory WHERE forgotten = 0 \
                 AND workspace_id = ",
            );
            q.push_bind(self.id());
            if let Some(session) = session {
                q.push(" AND session_rid = ").push_bind(session);
            }
            q.push(" GROUP BY session_rid) y JOIN session s ON s.rid = y.session_rid WHERE s.deleted_at IS NULL");
            narrow(&mut q, filter);
            q.build_query_as().fetch_one(pool).await
        })?;
        Ok(MemoryCounts { all, embedded })
    }

    /// Deletes the vectors of other models, so that they are made anew with this one. Returns how many there were.
    pub async fn adopt_model(&self, model: &str, now: Micros) -> Result<u64, StoreError> {
        // Two ranges, since no engine answers `<>` from an index: each start asks this under the workspace's lock.
        let sql = "UPDATE memory SET model = NULL, vector = NULL, vector_no = NULL WHERE rid IN \
                   (SELECT rid FROM memory WHERE workspace_id = $1 AND model < $2 \
                   UNION ALL SELECT rid FROM memory WHERE workspace_id = $1 AND model > $2)";
        self.change_memories(sql, &[model], now).await
    }

    /// Returns texts that have no vector, the newest first.
    pub async fn unembedded(&self, limit: u32) -> Result<Vec<Unembedded>, StoreError> {
        let rows: Vec<(i64, i64, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT m.rid, m.revision, m.body FROM memory y JOIN message m ON m.rid = y.rid \
                 WHERE y.workspace_id = $1 AND y.forgotten = 0 AND y.model IS NULL ORDER BY y.rid DESC{}",
                limited(i64::from(limit))
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        let read = |(rid, revision, body): (i64, i64, Vec<u8>)| {
            Ok(Unembedded { rid, revision, draft: crate::pack::unpack_draft(&body)? })
        };
        rows.into_iter().map(read).collect()
    }

    /// Stores vectors of texts that haven't changed since they were read. `bytes` are 32-bit floats, little endian.
    pub async fn put_vectors(
        &self,
        model: &str,
        vectors: &[(Unembedded, Vec<u8>)],
        now: Micros,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        // Never a number that was given before: whoever holds vectors asks for greater ones.
        for (text, bytes) in vectors {
            let no = step.rid();
            on_step!(&mut step, c => {
                sqlx::query(
                    "UPDATE memory SET model = $2, vector = $3, vector_no = $4 WHERE rid = $1 AND forgotten = 0 \
                     AND EXISTS (SELECT 1 FROM message m WHERE m.rid = $1 AND m.revision = $5)",
                )
                .bind(text.rid).bind(model).bind(bytes).bind(no).bind(text.revision).execute(c).await.map(drop)
            })?;
        }
        step.end().await?;
        tx.commit().await
    }

    /// Returns the vectors of a model with a greater number, in the order of their numbers.
    pub async fn vectors_after(&self, model: &str, no: i64, limit: u32) -> Result<Vec<StoredVector>, StoreError> {
        let rows: Vec<(i64, i64, i64, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT vector_no, rid, session_rid, vector FROM memory WHERE workspace_id = $1 AND vector_no > $2 AND model = $3 \
                 AND vector IS NOT NULL ORDER BY vector_no{}",
                limited(i64::from(limit))
            )))
            .bind(self.id()).bind(no).bind(model).fetch_all(pool).await
        })?;
        let read = |(no, rid, session_rid, bytes)| StoredVector { no, rid, session_rid, bytes };
        Ok(rows.into_iter().map(read).collect())
    }

    /// Forgets a message for good, vector included; the message itself stays. False if it isn't remembered.
    pub async fn forget_memory(
        &self,
        session: &SessionId,
        message: &MessageId,
        now: Micros,
    ) -> Result<bool, StoreError> {
        let changed = self
            .change_memories(
                "UPDATE memory SET forgotten = 1, model = NULL, vector = NULL, vector_no = NULL WHERE workspace_id = $1 \
                 AND forgotten = 0 AND rid = (SELECT m.rid FROM message m JOIN session s ON s.rid = m.session_rid \
                 WHERE m.workspace_id = $1 AND s.id = $2 AND m.id = $3)",
                &[session.as_str(), message.as_str()],
                now,
            )
            .await?;
        Ok(changed > 0)
    }

    /// Forgets everything, vectors included. Tells how many memories that were.
    pub async fn forget_memories(&self, now: Micros) -> Result<u64, StoreError> {
        let sql = "UPDATE memory SET forgotten = 1, model = NULL, vector = NULL, vector_no = NULL WHERE workspace_id = $1 \
            AND forgotten = 0";
        self.change_memories(sql, &[], now).await
    }

    /// Deletes all vectors, so that they are made anew. Tells how many memories have none now.
    pub async fn delete_vectors(&self, now: Micros) -> Result<u64, StoreError> {
        let sql =
            "UPDATE memory SET model = NULL, vector = NULL, vector_no = NULL WHERE workspace_id = $1 AND forgotten = 0";
        self.change_memories(sql, &[], now).await
    }

    async fn change_memories(&self, sql: &'static str, values: &[&str], now: Micros) -> Result<u64, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let changed = on_step!(&mut step, c => {
            let mut q = sqlx::query(sql).bind(self.id());
            for value in values {
                q = q.bind(*value);
            }
            q.execute(c).await.map(|done| done.rows_affected())
        })?;
        step.end().await?;
        tx.commit().await?;
        Ok(changed)
    }

    async fn of_session(&self, filter: &MemoryFilter) -> Result<Option<i64>, StoreError> {
        match &filter.session {
            // A session that isn't there has no memories.
            Some(session) => Ok(Some(self.session_rid(session).await?.unwrap_or(0))),
            None => Ok(None),
        }
    }
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, filter: &MemoryFilter)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    one_of(q, "s.project", filter.project.as_slice());
    filter.sight.narrow(q);
}
