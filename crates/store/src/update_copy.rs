//! The copy of a `SQLite` file that is made before an update migrates it: whole and checked, beside the file.

use crate::disk::DiskSpace;
use crate::files::{private_file, remove_if_there, sync_dir, with_suffix};
use crate::store::{Database, Store, Tuning};
use crate::{StoreError, migrations};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Copies that are kept, the newest ones.
const KEPT: usize = 2;
/// Bytes that stay free beside the copy, for the migration itself.
const ROOM: u64 = 16 << 20;
/// Stands between the name of the file and the schema and time of a copy.
const MARK: &str = ".before-";
/// Ends the name of a copy that isn't complete yet.
const COPYING: &str = "-copying";

/// Migrations that a file still needs.
struct Pending {
    /// Number of the schema now.
    found: i64,
    /// Number of the schema afterwards.
    schema: i64,
    /// Size of a copy.
    bytes: u64,
}

impl Store {
    /// Returns the number of the newest schema that this program knows.
    pub fn newest_schema() -> i64 {
        migrations::newest(&migrations::sqlite())
    }

    /// Returns the copy that was made when this store was opened, if an update migrated it.
    pub fn update_copy(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(pools) => pools.update_copy.as_deref(),
            Self::Postgres(_) => None,
        }
    }

    /// Checks that this program could open a database that another process has open, without changing anything.
    ///
    /// # Errors
    ///
    /// [`StoreError::Newer`] for a database of a newer version, [`StoreError::NoRoomForCopy`] if it must be migrated and the
    /// disk has no room for the copy before that.
    pub async fn check_update(database: &Database, tuning: Tuning) -> Result<(), StoreError> {
        let Database::Sqlite(file) = database else { return Ok(()) };
        if !file.exists() {
            return Ok(());
        }
        let options = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
        let mut connection = options.connect().await?;
        let steps = migrations::sqlite();
        let pending = pending(&mut connection, &steps).await;
        let _ = connection.close().await;
        match pending? {
            Some(pending) if tuning.copies_before_update => require_room(file, &pending),
            _ => Ok(()),
        }
    }
}

/// Returns the copies of a file, the newest first.
pub fn update_copies(file: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (file.parent(), file.file_name()) else { return Vec::new() };
    let begins = format!("{}{MARK}", name.to_string_lossy());
    // Not what SQLite keeps beside one that somebody opened.
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(&begins).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '-'))
    };
    let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let mut copies: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_copy).collect();
    // `SCHEMA-YYYY-MM-DD-HHMMSS`
    let time = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.rsplit_once(MARK).and_then(|(_, rest)| Some(rest.split_once('-')?.1.to_owned()))
    };
    copies.sort_by_cached_key(|path| std::cmp::Reverse(time(path)));
    copies
}

/// Copies the file if it is to be migrated. Returns where the copy is.
pub(crate) async fn copy_if_due(
    file: &Path,
    steps: &Migrator,
    connection: &mut SqliteConnection,
) -> Result<Option<PathBuf>, StoreError> {
    let copying = with_suffix(file, COPYING);
    remove_if_there(&copying)?;
    let Some(pending) = pending(connection, steps).await? else { return Ok(None) };
    if let Some(copy) = copy_of_begun(file, &pending).await {
        return Ok(Some(copy));
    }
    require_room(file, &pending)?;
    let copied = async {
        copy(connection, &copying).await?;
        let time: String =
            sqlx::query_scalar("SELECT strftime('%Y-%m-%d-%H%M%S', 'now')").fetch_one(&mut *connection).await?;
        let to = with_suffix(file, &format!("{MARK}{}-{time}", pending.schema));
        std::fs::rename(&copying, &to)?;
        file.parent().map_or(Ok(()), sync_dir)?;
        Ok(to)
    };
    match copied.await {
        Ok(to) => {
            for old in update_copies(file).iter().skip(KEPT) {
                remove_if_there(old)?;
            }
            Ok(Some(to))
        }
        Err(error) => {
            remove_if_there(&copying)?;
            Err(match error {
                StoreError::Full => no_room(file, &pending),
                error @ StoreError::NoCopy(_) => error,
                error => StoreError::NoCopy(error.to_string()),
            })
        }
    }
}

/// Returns the copy of an update that broke off between two migrations and now goes on: a copy of what it left would
/// take the place of an older one in the end.
async fn copy_of_begun(file: &Path, pending: &Pending) -> Option<PathBuf> {
    let begins = with_suffix(file, &format!("{MARK}{}-", pending.schema));
    let begins = begins.to_string_lossy();
    let copy = update_copies(file).into_iter().next().filter(|copy| copy.to_string_lossy().starts_with(&*begins))?;
    let options = SqliteConnectOptions::new().filename(&copy).read_only(true).immutable(true);
    let mut connection = options.connect().await.ok()?;
    let found = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&mut connection).await;
    let _ = connection.close().await;
    found.is_ok_and(|found: i64| found < pending.found).then_some(copy)
}

/// Returns what is still to be migrated. None for a new file, and for one that is up to date.
async fn pending(connection: &mut SqliteConnection, steps: &Migrator) -> Result<Option<Pending>, StoreError> {
    let begun: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')")
        .fetch_one(&mut *connection)
        .await?;
    if !begun {
        return Ok(None);
    }
    let applied: Vec<i64> =
        sqlx::query_scalar("SELECT version FROM _sqlx_migrations").fetch_all(&mut *connection).await?;
    let (applied, known) = (BTreeSet::from_iter(applied), migrations::newest(steps));
    if let Some(found) = applied.last().copied().filter(|found| *found > known) {
        return Err(StoreError::Newer { found, known });
    }
    let Some(found) = applied.last().copied() else { return Ok(None) };
    if steps.iter().all(|step| applied.contains(&step.version)) {
        return Ok(None);
    }
    let bytes: i64 = sqlx::query_scalar(
        "SELECT (p.page_count - f.freelist_count) * s.page_size \
         FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s",
    )
    .fetch_one(connection)
    .await?;
    Ok(Some(Pending { found, schema: known, bytes: u64::try_from(bytes).unwrap_or(0) }))
}

fn require_room(file: &Path, pending: &Pending) -> Result<(), StoreError> {
    let has_room = free(file).is_none_or(|free| free >= pending.bytes + ROOM);
    if has_room { Ok(()) } else { Err(no_room(file, pending)) }
}

fn no_room(file: &Path, pending: &Pending) -> StoreError {
    StoreError::NoRoomForCopy { needed: pending.bytes + ROOM, free: free(file).unwrap_or(0) }
}

fn free(file: &Path) -> Option<u64> {
    file.parent().and_then(DiskSpace::of).map(|disk| disk.free)
}

/// Writes a copy and compares it with what it is of.
async fn copy(connection: &mut SqliteConnection, to: &Path) -> Result<(), StoreError> {
    let path = to.to_str().ok_or_else(|| StoreError::NoCopy(format!("the path {} isn't UTF-8", to.display())))?;
    // SQLite writes to an empty file, and would make one that others can read.
    let file = private_file(to)?;
    sqlx::query("VACUUM INTO $1").bind(path).execute(&mut *connection).await?;
    file.sync_all()?;
    let options = SqliteConnectOptions::new().filename(to).read_only(true).disable_statement_logging();
    let mut copy = options.connect().await?;
    let checked = compare(connection, &mut copy).await;
    let _ = copy.close().await;
    checked
}

async fn compare(original: &mut SqliteConnection, copy: &mut SqliteConnection) -> Result<(), StoreError> {
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(&mut *copy).await?;
    if found != "ok" {
        return Err(StoreError::NoCopy(format!("the copy is damaged ({found})")));
    }
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .fetch_all(&mut *original)
    .await?;
    for table in tables {
        let sql = format!("SELECT COUNT(*) FROM \"{}\"", table.replace('"', "\"\""));
        let count = |sql: String| sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(sql));
        let (wanted, found) =
            (count(sql.clone()).fetch_one(&mut *original).await?, count(sql).fetch_one(&mut *copy).await?);
        if wanted != found {
            return Err(StoreError::NoCopy(format!("table `{table}` has {wanted} rows, and its copy {found}")));
        }
    }
    Ok(())
}
