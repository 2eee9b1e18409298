//! The files that messages changed, newest change first.

use super::{corrupt, one_of, read_cursor, write_cursor};
use crate::columns::columns;
use crate::dialect::{self, limited};
use crate::store::on;
use crate::{FileChanged, FileEdit, FileEdits, FileQuery, StoreError, Workspace, tokens};
use model::text::of_a_plan;
use model::view::FileChange;
use model::{Micros, SessionId};
use sqlx::{Database, Encode, QueryBuilder, Type};

columns! {
    struct FileRow {
        session_rid: i64,
        session_id: String,
        title: String,
        agent: String,
        project: Option<String>,
        seq: i64,
        no: i64,
        path: String,
        change: String,
        added: i64,
        removed: i64,
        changed_at: i64,
    }
}

const SELECT: &str = "SELECT c.session_rid AS session_rid, s.id AS session_id, \
    COALESCE(s.own_title, s.title, s.first_prompt, s.key) AS title, s.agent AS agent, s.project AS project, c.seq AS seq, \
    c.no AS no, c.path AS path, c.change AS change, c.added AS added, c.removed AS removed, c.changed_at AS changed_at FROM ";

/// Those of a path are found by its words: there is no other index of parts of paths.
const BY_WORDS: &str = "message_search f CROSS JOIN message m CROSS JOIN file_change c CROSS JOIN session s \
    WHERE m.rid = f.rowid AND c.workspace_id = m.workspace_id AND c.session_rid = m.session_rid AND c.seq = m.seq \
    AND s.rid = c.session_rid AND s.deleted_at IS NULL AND ";

const BY_TIME: &str = "file_change c CROSS JOIN session s WHERE s.rid = c.session_rid AND s.deleted_at IS NULL AND ";

/// Changes of files with a part in their paths that are looked at, of those that arrived last.
const LATEST: i64 = 2_000;

/// The place of an edit in the order of all: time, session, message, file.
type Place = [i64; 4];

impl Workspace {
    /// Changes of files, newest first. Those of a part of a path are looked for among the messages that arrived last.
    pub async fn file_edits(&self, query: &FileQuery) -> Result<FileEdits, StoreError> {
        let after = query.after.as_deref().map(place).transpose()?;
        let limit = query.limit.max(1) as usize;
        let terms = query.path.as_deref().map(tokens::path_terms);
        if terms.as_ref().is_some_and(Vec::is_empty) {
            return Ok(FileEdits::default());
        }
        let mut rows: Vec<FileRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("");
            if let (Some(path), Some(terms)) = (&query.path, &terms) {
                let matching = dialect::matching(&self.store, terms, None);
                q.push("SELECT * FROM (").push(SELECT).push(BY_WORDS);
                q.push(matching.before).push_bind(matching.expression).push(matching.behind).push(" AND ");
                holds_path(&mut q, path);
                q.push(" AND c.workspace_id = ").push_bind(self.id().to_owned());
                narrow(&mut q, query);
                q.push(" ORDER BY f.rowid DESC").push(limited(LATEST)).push(") AS c WHERE 1 = 1");
            } else {
                q.push(SELECT).push(BY_TIME).push("c.workspace_id = ").push_bind(self.id().to_owned());
                narrow(&mut q, query);
            }
            if let Some([at, session_rid, seq, no]) = after {
                q.push(" AND (c.changed_at, c.session_rid, c.seq, c.no) < (").push_bind(at).push(", ").push_bind(session_rid);
                q.push(", ").push_bind(seq).push(", ").push_bind(no).push(")");
            }
            q.push(" ORDER BY c.changed_at DESC, c.session_rid DESC, c.seq DESC, c.no DESC").push(limited(limit as i64 + 1));
            q.build_query_as::<FileRow>().fetch_all(pool).await
        })?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(cursor);
        Ok(FileEdits { edits: rows.into_iter().map(edit).collect::<Result<_, _>>()?, next })
    }
}

fn edit(row: FileRow) -> Result<FileEdit, StoreError> {
    let change = FileChange::parse(&row.change).ok_or_else(|| corrupt(format!("a file change `{}`", row.change)))?;
    Ok(FileEdit {
        session_id: SessionId::parse(row.session_id).map_err(corrupt)?,
        session_title: of_a_plan(row.title),
        agent: row.agent,
        project: row.project.unwrap_or_default(),
        seq: row.seq,
        file: FileChanged { path: row.path, change, added: row.added, removed: row.removed },
        changed_at: Micros(row.changed_at),
    })
}

fn cursor(row: &FileRow) -> String {
    write_cursor(row.changed_at, &format!("{}.{}.{}", row.session_rid, row.seq, row.no))
}

fn place(cursor: &str) -> Result<Place, StoreError> {
    let bad = || StoreError::Cursor(cursor.to_owned());
    let (at, rest) = read_cursor(cursor)?;
    let rest: Vec<i64> = rest.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| bad())?;
    let [session_rid, seq, no] = rest[..] else { return Err(bad()) };
    Ok([at, session_rid, seq, no])
}

/// Limits changes `c` to paths that hold a text, whatever its case.
pub(super) fn holds_path<DB: Database>(q: &mut QueryBuilder<DB>, path: &str)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    let mut pattern = String::from("%");
    for c in path.chars() {
        match c.to_ascii_lowercase() {
            c @ ('%' | '_' | '\\') => pattern.extend(['\\', c]),
            c if c.is_ascii() && c != '\0' => pattern.push(c),
            // SQLite knows the case of ASCII's letters alone. The words of the path are compared as well.
            _ => pattern.push('_'),
        }
    }
    pattern.push('%');
    q.push("LOWER(c.path) LIKE ").push_bind(pattern).push(" ESCAPE '\\'");
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, query: &FileQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    query.sight.narrow(q);
    one_of(q, "s.project", &query.projects);
    one_of(q, "s.agent", &query.agents);
    if let Some(since) = query.since {
        q.push(" AND c.changed_at >= ").push_bind(since.0);
    }
    if let Some(until) = query.until {
        q.push(" AND c.changed_at < ").push_bind(until.0);
    }
}
