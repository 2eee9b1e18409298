//! Full-text search, newest first among the messages that arrived last: a common word costs no more than a bounded
//! look.

use super::files::holds_path;
use super::listing::{Listed, Listing, Room, listed_columns};
use super::messages::MessageRow;
use super::{corrupt, one_of, read_cursor, write_cursor};
use crate::columns::columns;
use crate::dialect::limited;
use crate::literals::{flat, literals};
use crate::store::on;
use crate::{Facet, SearchHit, SearchQuery, StoreError, Workspace, dialect, tokens};
use model::SessionId;
use model::text::of_a_plan;
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::collections::{BTreeMap, HashMap, HashSet};

columns! {
    struct Hit of listed: Listed {
        title: String,
        agent: String,
        project: Option<String>,
    }
}

columns! {
    /// Data of a match before its message is read.
    struct HitRow {
        created_at: i64,
        rid: i64,
        message_type: String,
        role: String,
    }
}

/// Hits, newest first, of the [`SearchHits::TOTAL_CAP`] that arrived last.
#[derive(Default)]
pub struct SearchHits {
    pub hits: Vec<SearchHit>,
    /// Their messages in the same order, to cut snippets from with [`crate::snippet::cut`].
    pub messages: Listing,
    pub next: Option<String>,
    /// Hits on all pages; [`SearchHits::TOTAL_CAP`] if there may be more.
    pub total: u64,
    /// By message type, most first: whatever types were asked for.
    pub types: Vec<Facet>,
    /// By role, most first: whatever roles were asked for.
    pub roles: Vec<Facet>,
}

impl SearchHits {
    pub const TOTAL_CAP: u64 = 1000;
}

/// Conditions of a matching message.
struct Wanted {
    terms: Vec<tokens::Term>,
    literals: Vec<String>,
}

/// Messages, and bytes of them, that are read at a time to look for a literal.
const READ: usize = 100;
const BYTES: u64 = 1 << 20;

const FROM: &str = " FROM message_search f CROSS JOIN message m CROSS JOIN session s \
    WHERE m.rid = f.rowid AND s.rid = m.session_rid AND s.deleted_at IS NULL AND ";

impl Workspace {
    /// Messages that hold all words, and all that the query wants letter by letter.
    pub async fn search(&self, query: &SearchQuery) -> Result<SearchHits, StoreError> {
        let nothing = SearchHits::default();
        let mut terms = Wanted { terms: tokens::terms(&query.text), literals: literals(&query.text) };
        // The words of a path are among those that its message is found by.
        terms.terms.extend(query.file.iter().flat_map(|path| tokens::path_terms(path)));
        if terms.terms.is_empty() && terms.literals.is_empty() {
            return Ok(nothing);
        }
        let session_rid = match &query.session {
            Some(session) => match self.session_rid(session).await? {
                Some(rid) => Some(rid),
                None => return Ok(nothing),
            },
            None => None,
        };
        let after = query.after.as_deref().map(read_cursor).transpose()?;
        let after = after.map(|(rid, at)| Ok::<_, StoreError>((at.parse().map_err(|_| bad_cursor(query))?, rid)));
        let after: Option<(i64, i64)> = after.transpose()?;
        let found = self.found(query, &terms, session_rid).await?;
        let total = found.len();
        let (types, roles) = self.kinds(query, &terms, session_rid, &found).await?;
        let mut found: Vec<(i64, i64)> = found.into_iter().map(|row| (row.created_at, row.rid)).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.retain(|hit| after.is_none_or(|after| *hit < after));
        let more = found.len() > query.limit.max(1) as usize;
        found.truncate(query.limit.max(1) as usize);
        let next = found.last().filter(|_| more).map(|(at, rid)| write_cursor(*rid, &at.to_string()));
        let columns = listed_columns();
        let mut hits: Vec<Hit> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT COALESCE(s.own_title, s.title, s.first_prompt, s.key) AS title, s.agent AS agent, \
                 s.project AS project, {columns} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.rid IN ("
            ));
            let mut rids = q.separated(", ");
            for (_, rid) in &found {
                rids.push_bind(*rid);
            }
            rids.push_unseparated(if found.is_empty() { "NULL)" } else { ")" });
            q.build_query_as::<Hit>().fetch_all(pool).await
        })?;
        let place: HashMap<i64, usize> = found.iter().enumerate().map(|(place, (_, rid))| (*rid, place)).collect();
        hits.sort_unstable_by_key(|hit| place.get(&hit.listed.rid).copied());
        let mut messages = Vec::with_capacity(hits.len());
        let mut hit = |hit: Hit| {
            let session_id = SessionId::parse(hit.listed.message.session_id.as_str()).map_err(corrupt)?;
            let seq = hit.listed.message.seq;
            messages.push(hit.listed);
            Ok::<_, StoreError>(SearchHit {
                session_id,
                session_title: of_a_plan(hit.title),
                session_agent: hit.agent,
                session_project: hit.project.unwrap_or_default(),
                seq,
            })
        };
        let hits = hits.into_iter().map(&mut hit).collect::<Result<_, _>>()?;
        let messages = Listing::new(messages);
        Ok(SearchHits { hits, messages, next, total: total as u64, types, roles })
    }

    /// How many there are of each type and each role. A filter doesn't limit its own choices.
    async fn kinds(
        &self,
        query: &SearchQuery,
        terms: &Wanted,
        session_rid: Option<i64>,
        found: &[HitRow],
    ) -> Result<(Vec<Facet>, Vec<Facet>), StoreError> {
        let mut wider = query.clone();
        let types = if query.types.is_empty() {
            counted(found, |row| &row.message_type)
        } else {
            wider.types.clear();
            counted(&self.found(&wider, terms, session_rid).await?, |row| &row.message_type)
        };
        let roles = if query.roles.is_empty() {
            counted(found, |row| &row.role)
        } else {
            wider.types.clone_from(&query.types);
            wider.roles.clear();
            counted(&self.found(&wider, terms, session_rid).await?, |row| &row.role)
        };
        Ok((types, roles))
    }

    /// The messages that match, of those that arrived last.
    async fn found(
        &self,
        query: &SearchQuery,
        wanted: &Wanted,
        session_rid: Option<i64>,
    ) -> Result<Vec<HitRow>, StoreError> {
        let matching = dialect::matching(&self.store, &wanted.terms, session_rid);
        let found: Vec<HitRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT m.created_at, m.rid, m.message_type, m.role{FROM}"));
            if matching.expression.is_empty() {
                // A query of signs alone: the index has none of them.
                q.push("1 = 1");
            } else {
                q.push(matching.before).push_bind(&matching.expression).push(matching.behind);
            }
            narrow(&mut q, self.id(), query);
            q.push(" ORDER BY f.rowid DESC").push(limited(SearchHits::TOTAL_CAP as i64));
            // PostgreSQL plans a statement that it keeps without its words, and would read all messages with a common one.
            q.build_query_as::<HitRow>().persistent(false).fetch_all(pool).await
        })?;
        if wanted.literals.is_empty() { Ok(found) } else { self.literal(query, found, wanted).await }
    }

    /// Those that hold what is wanted letter by letter.
    async fn literal(
        &self,
        query: &SearchQuery,
        found: Vec<HitRow>,
        wanted: &Wanted,
    ) -> Result<Vec<HitRow>, StoreError> {
        let columns = listed_columns();
        let mut holding: HashSet<i64> = HashSet::new();
        for some in found.chunks(READ) {
            let rows: Vec<Listed> = on!(&self.store, pool => {
                let sql = format!("SELECT {columns} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.rid IN (");
                let mut q = QueryBuilder::new(sql);
                let mut rids = q.separated(", ");
                for row in some {
                    rids.push_bind(row.rid);
                }
                rids.push_unseparated(")");
                q.build_query_as::<Listed>().fetch_all(pool).await
            })?;
            let place = |row: &MessageRow| (row.session_id.clone(), row.seq);
            let rids: HashMap<_, i64> = rows.iter().map(|listed| (place(&listed.message), listed.rid)).collect();
            let mut listing = Listing::new(rows);
            while !listing.is_empty() {
                for (row, draft) in self.read_within(&mut listing, &mut Room::new(BYTES)).await? {
                    let text = query.text_of.map_or_else(|| Some(draft.content.clone()), |text_of| text_of(&draft));
                    let text = text.map(|text| flat(&text)).unwrap_or_default();
                    if wanted.literals.iter().all(|literal| text.contains(literal.as_str())) {
                        holding.extend(rids.get(&place(&row)).copied());
                    }
                }
                // Texts may be long: others have their turn in between.
                tokio::task::yield_now().await;
            }
        }
        Ok(found.into_iter().filter(|row| holding.contains(&row.rid)).collect())
    }
}

fn counted(found: &[HitRow], value: impl Fn(&HitRow) -> &String) -> Vec<Facet> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in found {
        *counts.entry(value(row)).or_default() += 1;
    }
    let mut facets: Vec<Facet> =
        counts.into_iter().map(|(value, count)| Facet { value: value.to_owned(), count }).collect();
    facets.sort_by_key(|facet| std::cmp::Reverse(facet.count));
    facets
}

fn bad_cursor(query: &SearchQuery) -> StoreError {
    StoreError::Cursor(query.after.clone().unwrap_or_default())
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, query: &SearchQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(" AND m.workspace_id = ").push_bind(workspace.to_owned());
    query.sight.narrow(q);
    one_of(q, "s.project", &query.projects);
    one_of(q, "s.agent", &query.agents);
    one_of(q, "m.message_type", &query.types);
    one_of(q, "m.role", &query.roles);
    if let Some(path) = &query.file {
        q.push(
            " AND EXISTS (SELECT 1 FROM file_change c WHERE c.workspace_id = m.workspace_id \
             AND c.session_rid = m.session_rid AND c.seq = m.seq AND ",
        );
        holds_path(q, path);
        q.push(")");
    }
    for role in &query.without_roles {
        q.push(" AND m.role <> ").push_bind(role.as_str().to_owned());
    }
    if let Some(since) = query.since {
        q.push(" AND m.created_at >= ").push_bind(since.0);
    }
    if let Some(until) = query.until {
        q.push(" AND m.created_at < ").push_bind(until.0);
    }
}
