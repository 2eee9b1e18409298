//! The steps that made the schema, one file each: `migrations/ENGINE/0001_start.sql`.

use crate::StoreError;
use rust_embed::RustEmbed;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr as _};
use std::borrow::Cow;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../migrations/sqlite"]
struct Sqlite;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../migrations/postgres"]
struct Postgres;

/// Returns all steps, or those up to the one with this number.
pub(crate) fn sqlite(up_to: Option<i64>) -> Result<Migrator, StoreError> {
    embedded::<Sqlite>(up_to)
}

pub(crate) fn postgres(up_to: Option<i64>) -> Result<Migrator, StoreError> {
    embedded::<Postgres>(up_to)
}

fn embedded<Files: RustEmbed>(up_to: Option<i64>) -> Result<Migrator, StoreError> {
    let mut steps: Vec<Migration> =
        Files::iter().filter_map(|name| migration(&name, Files::get(&name)?.data)).collect();
    let known = steps.iter().map(|step| step.version).max().unwrap_or(0);
    let last = up_to.unwrap_or(known);
    if last > known {
        return Err(StoreError::Newer { found: last, known });
    }
    steps.retain(|step| step.version <= last);
    Ok(Migrator::with_migrations(steps))
}

/// Parses a file `VERSION_DESCRIPTION.sql`; None for other files in the folder.
fn migration(name: &str, file: Cow<'static, [u8]>) -> Option<Migration> {
    let (version, description) = name.strip_suffix(".sql")?.split_once('_')?;
    let sql = String::from_utf8(file.into_owned()).ok()?;
    let description = description.replace('_', " ").into();
    let sql = AssertSqlSafe(sql).into_sql_str();
    Some(Migration::new(version.parse().ok()?, description, MigrationType::Simple, sql, false))
}
