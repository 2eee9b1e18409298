//! The tables of a database, as its engine lists them.

use crate::StoreError;
use crate::step::table::Kind;
use sqlx::{PgConnection, SqliteConnection};

/// The table in which a [`super::Target`] notes how far it is.
pub(crate) const PROGRESS: &str = "_transfer";

/// A table, with all columns that aren't computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// Names in alphabetical order, the same on both engines.
    pub columns: Vec<String>,
    pub(super) kinds: Vec<Kind>,
    /// Columns by which its rows are sorted.
    pub(super) key: Vec<String>,
}

/// Returns true for tables that aren't transferred: the engine's own, those of this module and of the migrations, and
/// the index of words.
fn is_left_out(name: &str) -> bool {
    ["sqlite_", "_sqlx_", "message_search"].iter().any(|start| name.starts_with(start)) || name == PROGRESS
}

fn kind(table: &str, column: &str, declared: &str) -> Result<Kind, StoreError> {
    match &*declared.to_ascii_lowercase() {
        "integer" | "bigint" => Ok(Kind::Int),
        "real" | "double precision" => Ok(Kind::Real),
        "text" => Ok(Kind::Text),
        "blob" | "bytea" => Ok(Kind::Blob),
        other => Err(StoreError::Corrupt(format!("column {column} of table {table} has the unknown type {other}"))),
    }
}

fn table(name: String, columns: Vec<(String, String)>, key: Vec<String>) -> Result<Table, StoreError> {
    if key.is_empty() {
        return Err(StoreError::Corrupt(format!("table {name} has no key")));
    }
    let kinds = columns.iter().map(|(column, declared)| kind(&name, column, declared)).collect::<Result<_, _>>()?;
    let columns = columns.into_iter().map(|(column, _)| column).collect();
    Ok(Table { name, columns, kinds, key })
}

/// Returns the number of the last migration.
const SCHEMA: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

pub(super) async fn sqlite(c: &mut SqliteConnection) -> Result<(i64, Vec<Table>), StoreError> {
    let schema = sqlx::query_scalar(SCHEMA).fetch_one(&mut *c).await?;
    let names: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .fetch_all(&mut *c)
        .await?;
    let mut tables = Vec::new();
    for name in names.into_iter().filter(|name| !is_left_out(name)) {
        let columns = "SELECT name, type FROM pragma_table_xinfo($1) WHERE hidden = 0 ORDER BY name";
        let columns = sqlx::query_as(columns).bind(&name).fetch_all(&mut *c).await?;
        // The primary key, or the first that is unique.
        let key = "SELECT name FROM (SELECT name, 0 AS list, pk AS at FROM pragma_table_info($1) WHERE pk > 0 UNION ALL \
             SELECT i.name, l.seq + 1, i.seqno FROM pragma_index_list($1) l JOIN pragma_index_info(l.name) i \
             WHERE l.\"unique\" = 1 AND l.partial = 0 AND l.origin = 'u') k \
             WHERE list = (SELECT CASE WHEN EXISTS (SELECT 1 FROM pragma_table_info($1) WHERE pk > 0) THEN 0 ELSE \
             (SELECT MIN(seq) + 1 FROM pragma_index_list($1) WHERE \"unique\" = 1 AND partial = 0 AND origin = 'u') END) \
             ORDER BY at";
        let key = sqlx::query_scalar(key).bind(&name).fetch_all(&mut *c).await?;
        tables.push(table(name, columns, key)?);
    }
    Ok((schema, tables))
}

pub(super) async fn postgres(c: &mut PgConnection) -> Result<(i64, Vec<Table>), StoreError> {
    let schema = sqlx::query_scalar(SCHEMA).fetch_one(&mut *c).await?;
    let names = "SELECT CAST(table_name AS TEXT) FROM information_schema.tables \
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY CAST(table_name AS TEXT) COLLATE \"C\"";
    let names: Vec<String> = sqlx::query_scalar(names).fetch_all(&mut *c).await?;
    let mut tables = Vec::new();
    for name in names.into_iter().filter(|name| !is_left_out(name)) {
        let columns = "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' \
             ORDER BY CAST(column_name AS TEXT) COLLATE \"C\"";
        let columns = sqlx::query_as(columns).bind(&name).fetch_all(&mut *c).await?;
        let key = "SELECT CAST(a.attname AS TEXT) FROM (SELECT indrelid, indkey FROM pg_index \
             WHERE indrelid = to_regclass($1) AND indisunique AND indpred IS NULL AND indexprs IS NULL \
             ORDER BY indisprimary DESC, indexrelid LIMIT 1) i \
             CROSS JOIN LATERAL unnest(CAST(i.indkey AS SMALLINT[])) WITH ORDINALITY k (attnum, at) \
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum ORDER BY k.at";
        let key = sqlx::query_scalar(key).bind(&name).fetch_all(&mut *c).await?;
        tables.push(table(name, columns, key)?);
    }
    Ok((schema, tables))
}
