//! Full-text search: last arrived first, so that a common word costs no more than its first page.

use super::messages::{COLUMNS, Row};
use super::{one_of, read_cursor, write_cursor};
use crate::store::on;
use crate::{SearchHit, SearchHits, SearchQuery, Store, StoreError, Workspace, dialect, tokens};
use sqlx::{Database, Encode, QueryBuilder, Type};

#[derive(sqlx::FromRow)]
struct Hit {
    #[sqlx(flatten)]
    message: Row,
    rid: i64,
    title: String,
    agent: String,
    project: Option<String>,
}

const FROM: &str = " FROM message_search f CROSS JOIN message m CROSS JOIN session s \
    WHERE m.rid = f.rowid AND s.rid = m.session_rid AND ";

impl Workspace {
    /// Messages that hold all words. A query without a word finds nothing.
    pub async fn search(&self, query: &SearchQuery) -> Result<SearchHits, StoreError> {
        let nothing = SearchHits { hits: Vec::new(), next: None, total: 0 };
        let terms = tokens::terms(&query.text);
        if terms.is_empty() {
            return Ok(nothing);
        }
        let session_rid = match &query.session {
            Some(session) => match self.session_rid(session).await? {
                Some(rid) => Some(rid),
                None => return Ok(nothing),
            },
            None => None,
        };
        let after = query.after.as_deref().map(read_cursor).transpose()?.map(|(rid, _)| rid);
        let limit = i64::from(query.limit.max(1));
        let (matching, close, expression) = match &self.store {
            Store::Sqlite(_) => (dialect::SQLITE_MATCH, "", dialect::sqlite_match(&terms, session_rid)),
            Store::Postgres(_) => {
                (dialect::POSTGRES_MATCH, " AS tsquery)", dialect::postgres_match(&terms, session_rid))
            }
        };
        let mut hits: Vec<Hit> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT m.rid AS rid, COALESCE(s.title, s.first_prompt, s.key) AS title, s.agent AS agent, \
                 s.project AS project, {COLUMNS}{FROM}{matching}"
            ));
            q.push_bind(&expression).push(close);
            narrow(&mut q, self.id(), query);
            if let Some(rid) = after {
                q.push(" AND f.rowid < ").push_bind(rid);
            }
            q.push(" ORDER BY f.rowid DESC LIMIT ").push_bind(limit + 1);
            q.build_query_as::<Hit>().fetch_all(pool).await
        })?;
        let total: i64 = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT COUNT(*) FROM (SELECT 1{FROM}{matching}"));
            q.push_bind(&expression).push(close);
            narrow(&mut q, self.id(), query);
            q.push(" LIMIT ").push_bind(SearchHits::TOTAL_CAP as i64).push(") AS found");
            q.build_query_scalar().fetch_one(pool).await
        })?;
        let more = hits.len() as i64 > limit;
        hits.truncate(limit as usize);
        let next = hits.last().filter(|_| more).map(|hit| write_cursor(hit.rid, ""));
        let (sessions, rows): (Vec<_>, Vec<_>) =
            hits.into_iter().map(|hit| ((hit.title, hit.agent, hit.project), hit.message)).unzip();
        let stored = self.stored_messages(rows).await?;
        let hits = sessions
            .into_iter()
            .zip(stored)
            .map(|((session_title, session_agent, project), stored)| SearchHit {
                session_title,
                session_agent,
                session_project: project.unwrap_or_default(),
                stored,
            })
            .collect();
        Ok(SearchHits { hits, next, total: total as u64 })
    }
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, query: &SearchQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(" AND m.workspace_id = ").push_bind(workspace.to_owned());
    one_of(q, "s.project", &query.projects);
    one_of(q, "s.agent", &query.agents);
    one_of(q, "m.message_type", &query.types);
    one_of(q, "m.role", &query.roles);
    if let Some(since) = query.since {
        q.push(" AND m.created_at >= ").push_bind(since.0);
    }
    if let Some(until) = query.until {
        q.push(" AND m.created_at < ").push_bind(until.0);
    }
}
