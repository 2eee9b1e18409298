//! The statistics that `SQLite` plans by: how many rows each beginning of an index leaves.
//!
//! Without them it takes every first column for one that leaves ten rows. All keys here begin with the workspace, of
//! which most databases have one, so that it would read all rows of a table rather than look up a few in an index that
//! doesn't hold every column. `ANALYZE` would count what is stored at that time: a store that is still small, or empty,
//! looks as if reading all of it cost nothing. These statistics describe a large store, so that the plan of a statement
//! is the same in every store.

use crate::StoreError;
use sqlx::{Pool, Sqlite};

/// Rows of each table.
const ROWS: u64 = 1_000_000;
/// Rows of what is open, waits or was chosen by a person: of such partial indexes.
const FEW: u64 = 100;
const FEW_ROWS: &[&str] = &[
    "channel_delivery_dead",
    "channel_delivery_pending",
    "driven_running",
    "memory_pending",
    "message_asks",
    "message_queued",
    "schedule_next",
    "session_begun",
    "session_needs_you",
    "session_pinned",
];
/// Any other partial index has one in so many rows of its table.
const PARTIAL: u64 = 2;
/// Columns that have one value in most databases.
const ONE_VALUE: &[&str] = &["workspace_id", "person", "model"];
/// Columns that have a few values, each in one of so many rows.
const FEW_VALUES: (u64, &[&str]) =
    (10, &["kind", "forgotten", "role", "message_type", "display", "part", "agent", "project", "deleted_at"]);
/// Columns that name what has many rows, each in one of so many.
const NAMES: (u64, &[&str]) = (1_000, &["session_rid", "session_id", "source_rid", "channel_id", "parent_key", "slot"]);
/// Any other column has a value in one of so many rows.
const NEARLY_UNIQUE: u64 = 100_000;

/// An index that begins with the workspace: its table, its name in `sqlite_stat1`, whether it is unique and partial (0
/// or 1), and its columns. An expression has an empty name.
type Index = (String, String, i64, i64, String);

const INDEXES: &str = "SELECT name, statistics_name, is_unique, is_partial, columns FROM ( \
    SELECT t.name AS name, CASE WHEN t.wr = 1 AND i.origin = 'pk' THEN t.name ELSE i.name END AS statistics_name, \
    i.\"unique\" AS is_unique, i.partial AS is_partial, \
    (SELECT group_concat(COALESCE(c.name, ''), ' ') FROM pragma_index_info(i.name) c) AS columns \
    FROM pragma_table_list t JOIN pragma_index_list(t.name) i WHERE t.schema = 'main' AND t.type = 'table') \
    WHERE columns = 'workspace_id' OR columns LIKE 'workspace_id %' ORDER BY name, statistics_name";

/// Writes the statistics of each index, unless they are there. Connections that are opened later plan by them, and the
/// writer does. `begin` takes the write lock.
pub(crate) async fn ensure(writer: &Pool<Sqlite>, begin: &'static str) -> Result<(), StoreError> {
    let indexes: Vec<Index> = sqlx::query_as(INDEXES).fetch_all(writer).await?;
    let wanted: Vec<(String, String, String)> = indexes.into_iter().map(statistics).collect();
    let tables = "SELECT name FROM sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4')";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(writer).await?;
    if !tables.is_empty() {
        let found = "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx";
        let found: Vec<(String, Option<String>, Option<String>)> = sqlx::query_as(found).fetch_all(writer).await?;
        let row =
            |(table, index, rows): &(String, String, String)| (table.clone(), Some(index.clone()), Some(rows.clone()));
        if found.iter().cloned().eq(wanted.iter().map(row)) {
            return Ok(());
        }
    }
    let mut transaction = writer.begin_with(begin).await?;
    // Creates the table where it is missing, and looks at no other.
    sqlx::raw_sql("ANALYZE sqlite_schema").execute(&mut *transaction).await?;
    sqlx::raw_sql("DELETE FROM sqlite_stat1").execute(&mut *transaction).await?;
    if tables.iter().any(|table| table == "sqlite_stat4") {
        sqlx::raw_sql("DELETE FROM sqlite_stat4").execute(&mut *transaction).await?;
    }
    for (table, index, statistics) in &wanted {
        let insert = sqlx::query("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)");
        insert.bind(table).bind(index).bind(statistics).execute(&mut *transaction).await?;
    }
    // Makes this connection read them.
    sqlx::raw_sql("ANALYZE sqlite_schema").execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Table, index, and the rows of the index, then those that are left when its first column is known, its first two, and
/// so on.
fn statistics((table, index, is_unique, is_partial, columns): Index) -> (String, String, String) {
    let mut rows = match is_partial {
        1 if FEW_ROWS.contains(&index.as_str()) => FEW,
        1 => ROWS / PARTIAL,
        _ => ROWS,
    };
    let mut numbers = vec![rows.to_string()];
    let last = columns.split(' ').count() - 1;
    for (place, column) in columns.split(' ').enumerate() {
        let one_in = match column {
            column if ONE_VALUE.contains(&column) => 1,
            column if NAMES.1.contains(&column) => NAMES.0,
            column if FEW_VALUES.1.contains(&column) => FEW_VALUES.0,
            _ => NEARLY_UNIQUE,
        };
        let is_whole_key = is_unique == 1 && place == last;
        rows = if is_whole_key { 1 } else { (rows / one_in).max(1) };
        numbers.push(rows.to_string());
    }
    (table, index, numbers.join(" "))
}
