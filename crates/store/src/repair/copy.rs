//! Copies tables of an attached, damaged database. A range of keys is copied by one statement or not at all; where that
//! fails, it is cut into smaller ones, and what can't be read is passed over.

use crate::StoreError;
use sqlx::error::DatabaseError;
use sqlx::{AssertSqlSafe, SqliteConnection};

/// Keys that are copied at once where the table as a whole can't be: from, and at most.
const WIDTH: i64 = 4096;
const WIDEST: i64 = 1 << 16;
/// `SQLite`'s result codes of pages that the disk doesn't give, and of rows that can't be what was written.
const UNREADABLE: [i64; 3] = [266, 522, 6410];
const CONSTRAINT: i64 = 19;

/// Tables that aren't copied: what follows from others, and what the new file has already.
const LEFT_OUT: &str = "name NOT LIKE 'sqlite_%' AND name NOT LIKE '_sqlx_%' AND name NOT LIKE 'message_search%' \
    AND name NOT IN ('message_count', 'session_spending', 'session_activity', 'rollup_spending', 'rollup_activity', 'rollup_use', \
    'session_facet', 'file_change')";

#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub rows: u64,
    pub unreadable: u64,
    pub stretches: u64,
}

pub(super) struct Copier<'a> {
    connection: &'a mut SqliteConnection,
}

/// How a table is read.
struct Plan {
    table: String,
    columns: String,
    /// Sort column of its rows: the rowid, or the column after the workspace's in the primary key.
    key: String,
    /// For a table without rowids: the workspace whose rows are read.
    workspace: Option<String>,
}

impl Plan {
    fn condition(&self) -> &'static str {
        if self.workspace.is_some() { "workspace_id = $3 AND" } else { "" }
    }
}

impl<'a> Copier<'a> {
    pub(super) fn new(connection: &'a mut SqliteConnection) -> Self {
        Self { connection }
    }

    /// Tables that both files have, the workspaces first: others are read by them.
    pub(super) async fn tables(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = format!(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND {LEFT_OUT} \
             AND name IN (SELECT name FROM damaged.sqlite_schema) ORDER BY name <> 'workspace', name"
        );
        Ok(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut *self.connection).await?)
    }

    pub(super) async fn copy_table(&mut self, table: &str) -> Result<Outcome, StoreError> {
        let columns = self
            .strings(
                "SELECT n.name FROM pragma_table_xinfo($1, 'main') n JOIN pragma_table_xinfo($1, 'damaged') o \
            ON o.name = n.name WHERE n.hidden = 0 ORDER BY n.cid",
                table,
            )
            .await?
            .join(", ");
        let without_rowid: i64 =
            sqlx::query_scalar("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = $1")
                .bind(table)
                .fetch_one(&mut *self.connection)
                .await?;
        let plan = |key: &str, workspace| Plan {
            table: table.to_owned(),
            columns: columns.clone(),
            key: key.to_owned(),
            workspace,
        };
        let mut outcome = Outcome::default();
        if without_rowid == 0 {
            self.copy_keys(&plan("rowid", None), &mut outcome).await?;
            return Ok(outcome);
        }
        let keys = "SELECT name FROM pragma_table_xinfo($1, 'main') WHERE pk = 2 AND type = ";
        let numbers = self.strings(&format!("{keys}'INTEGER'"), table).await?;
        let texts = self.strings(&format!("{keys}'TEXT'"), table).await?;
        for workspace in self.workspaces().await? {
            match (numbers.first(), texts.first()) {
                (Some(key), _) => self.copy_keys(&plan(key, Some(workspace)), &mut outcome).await?,
                (None, Some(key)) => self.copy_texts(&plan(key, Some(workspace)), &mut outcome).await?,
                (None, None) => {}
            }
        }
        Ok(outcome)
    }

    /// Workspaces that can be read, and the one that there always is.
    async fn workspaces(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM main.workspace UNION SELECT 'default'";
        Ok(sqlx::query_scalar(sql).fetch_all(&mut *self.connection).await?)
    }

    async fn strings(&mut self, sql: &str, table: &str) -> Result<Vec<String>, StoreError> {
        let sql = AssertSqlSafe(sql.to_owned());
        Ok(sqlx::query_scalar(sql).bind(table).fetch_all(&mut *self.connection).await?)
    }

    /// Goes through a table by a key that is a number above -1.
    async fn copy_keys(&mut self, plan: &Plan, outcome: &mut Outcome) -> Result<(), StoreError> {
        if let Some(rows) = self.copy(plan, -1, i64::MAX).await? {
            outcome.rows += rows;
            return Ok(());
        }
        let (mut at, mut width) = (-1, WIDTH);
        loop {
            match self.next(plan, at).await? {
                Next::Key(key) => {
                    let to = key.saturating_add(width - 1);
                    match self.copy(plan, key - 1, to).await? {
                        Some(rows) => {
                            outcome.rows += rows;
                            (at, width) = (to, (width * 2).min(WIDEST));
                        }
                        None if width > 1 => width = (width / 8).max(1),
                        None => {
                            outcome.unreadable += 1;
                            at = key;
                        }
                    }
                }
                Next::End => return Ok(()),
                Next::Unreadable => {
                    outcome.stretches += 1;
                    match self.leap(plan, at).await? {
                        Some(to) => at = to,
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    /// Nothing right above `at` can be read: the nearest place above which something can.
    async fn leap(&mut self, plan: &Plan, at: i64) -> Result<Option<i64>, StoreError> {
        let (mut unreadable, mut step) = (at, 1_i64);
        let mut readable = loop {
            let to = at.saturating_add(step);
            match self.next(plan, to).await? {
                Next::Unreadable if to == i64::MAX => return Ok(None),
                Next::Unreadable => (unreadable, step) = (to, step.saturating_mul(2)),
                Next::Key(_) | Next::End => break to,
            }
        };
        while readable - unreadable > 1 {
            let middle = unreadable + (readable - unreadable) / 2;
            match self.next(plan, middle).await? {
                Next::Unreadable => unreadable = middle,
                Next::Key(_) | Next::End => readable = middle,
            }
        }
        Ok(Some(readable))
    }

    /// The first key above `after`.
    async fn next(&mut self, plan: &Plan, after: i64) -> Result<Next, StoreError> {
        let Plan { table, key, .. } = plan;
        let sql = format!(
            "SELECT {key} FROM damaged.{table} NOT INDEXED WHERE {} {key} > $1 AND $2 IS NULL ORDER BY {key} LIMIT 1",
            plan.condition()
        );
        let found = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).bind(after).bind(None::<i64>);
        let found = match &plan.workspace {
            Some(workspace) => found.bind(workspace),
            None => found,
        };
        Ok(match readable(found.fetch_optional(&mut *self.connection).await)? {
            Some(Some(key)) => Next::Key(key),
            Some(None) => Next::End,
            None => Next::Unreadable,
        })
    }

    /// Copies the rows with keys above `from` up to `to`. Returns how many; None if one of them can't be read.
    async fn copy(&mut self, plan: &Plan, from: i64, to: i64) -> Result<Option<u64>, StoreError> {
        let Plan { table, columns, key, .. } = plan;
        let sql = format!(
            "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM damaged.{table} NOT INDEXED \
             WHERE {} {key} > $1 AND {key} <= $2 ORDER BY {key}",
            plan.condition()
        );
        let copied = sqlx::query(AssertSqlSafe(sql)).bind(from).bind(to);
        let copied = match &plan.workspace {
            Some(workspace) => copied.bind(workspace),
            None => copied,
        };
        Ok(readable(copied.execute(&mut *self.connection).await)?.map(|done| done.rows_affected()))
    }

    /// Goes through a table by a key that is a string, mostly a digest in hex, by its first two digits.
    async fn copy_texts(&mut self, plan: &Plan, outcome: &mut Outcome) -> Result<(), StoreError> {
        let Plan { table, columns, key, .. } = plan;
        let sql = format!(
            "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM damaged.{table} NOT INDEXED \
             WHERE workspace_id = $3 AND {key} >= $1 AND {key} < $2"
        );
        for first in 0..=u8::MAX {
            // Whatever else comes before or behind all digits is in the first or the last part.
            let from = if first == 0 { String::new() } else { format!("{first:02x}") };
            let to = first.checked_add(1).map_or(char::MAX.to_string(), |to| format!("{to:02x}"));
            let copied = sqlx::query(AssertSqlSafe(sql.clone())).bind(from).bind(to).bind(&plan.workspace);
            match readable(copied.execute(&mut *self.connection).await)? {
                Some(done) => outcome.rows += done.rows_affected(),
                None => outcome.stretches += 1,
            }
        }
        Ok(())
    }
}

enum Next {
    Key(i64),
    End,
    Unreadable,
}

/// None where what was asked for can't be read, or isn't what was written.
fn readable<T>(outcome: Result<T, sqlx::Error>) -> Result<Option<T>, StoreError> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(sqlx::Error::ColumnDecode { .. }) => Ok(None),
        Err(error) => {
            let code = error.as_database_error().and_then(DatabaseError::code);
            let code: i64 = code.and_then(|code| code.parse().ok()).unwrap_or(0);
            if UNREADABLE.contains(&code) || code & 0xff == CONSTRAINT {
                return Ok(None);
            }
            match StoreError::from(error) {
                StoreError::Damaged(_) => Ok(None),
                error => Err(error),
            }
        }
    }
}
