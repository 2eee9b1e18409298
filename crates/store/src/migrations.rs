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

pub(crate) fn sqlite() -> Migrator {
    embedded::<Sqlite>()
}

pub(crate) fn postgres() -> Migrator {
    embedded::<Postgres>()
}

fn embedded<Files: RustEmbed>() -> Migrator {
    Migrator::with_migrations(Files::iter().filter_map(|name| migration(&name, Files::get(&name)?.data)).collect())
}

/// Returns the number of the last step.
pub(crate) fn newest(steps: &Migrator) -> i64 {
    steps.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Returns the steps up to the one with the number `last`, if one is given.
pub(crate) fn up_to(steps: Migrator, last: Option<i64>) -> Result<Migrator, StoreError> {
    let Some(last) = last else { return Ok(steps) };
    let known = newest(&steps);
    if last > known {
        return Err(StoreError::Newer { found: last, known });
    }
    Ok(Migrator::with_migrations(steps.iter().filter(|step| step.version <= last).cloned().collect()))
}

/// Parses a file `VERSION_DESCRIPTION.sql`; None for other files in the folder.
fn migration(name: &str, file: Cow<'static, [u8]>) -> Option<Migration> {
    let (version, description) = name.strip_suffix(".sql")?.split_once('_')?;
    let sql = String::from_utf8(file.into_owned()).ok()?;
    let description = description.replace('_', " ").into();
    let sql = AssertSqlSafe(sql).into_sql_str();
    Some(Migration::new(version.parse().ok()?, description, MigrationType::Simple, sql, false))
}
