//! Where the engines differ: the lock of a write, how long a statement may take, the index of words, and space that
//! became free. What fills a file of its own stands there: opening and beginning (`store.rs`), inserting
//! (`step/table.rs`), and the bell between servers (`bell.rs`).

use crate::store::Tx;
use crate::tokens::Term;
use crate::{Store, StoreError};
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::sync::Arc;

/// Takes a workspace's row lock. `SQLite`'s transaction holds the lock on everything already.
pub(crate) fn lock(tx: &Tx) -> &'static str {
    match tx {
        Tx::Sqlite(..) => "SELECT feed_pos, last_rid, channels, erased FROM workspace WHERE id = $1",
        Tx::Postgres(..) => "SELECT feed_pos, last_rid, channels, erased FROM workspace WHERE id = $1 FOR UPDATE",
    }
}

/// Waits until nobody else adds to the audit log, and keeps others from it until the end of the transaction. `SQLite`'s
/// holds the lock on everything already.
pub(crate) async fn lock_audit(tx: &mut Tx) -> Result<(), StoreError> {
    // "audit", as a number that no other lock of the database has.
    const LOCK: &str = "SELECT pg_advisory_xact_lock(418581342580)";
    if let Tx::Postgres(transaction, _) = tx {
        sqlx::query(LOCK).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// At most so many rows. Written out: `SQLite` prepares a statement anew for each limit that is bound.
pub(crate) fn limited(rows: i64) -> String {
    format!(" LIMIT {rows}")
}

/// A transaction that only reads, whose statements take as long as they do. `SQLite`'s always may.
pub(crate) async fn begin_patient(store: &Store) -> Result<Tx, StoreError> {
    Ok(match store {
        Store::Sqlite(pools) => {
            let begun = pools.monitor.observe(pools.readers.begin().await)?;
            Tx::Sqlite(begun, Arc::clone(&pools.committed), Arc::clone(&pools.monitor))
        }
        Store::Postgres(pools) => {
            let mut transaction = pools.readers.begin().await?;
            sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *transaction).await?;
            Tx::Postgres(transaction, Arc::clone(&pools.committed))
        }
    })
}

/// Names the index that SQLite reads instead of the table's rows, which it would look up by their key. PostgreSQL
/// chooses itself.
pub(crate) fn indexed_by(store: &Store, index: &'static str) -> &'static str {
    match store {
        Store::Sqlite(_) => index,
        Store::Postgres(_) => "",
    }
}

/// How the index of words is asked: what stands before and behind the bound expression, and that itself.
pub(crate) struct Matching {
    pub before: &'static str,
    pub behind: &'static str,
    pub expression: String,
}

pub(crate) fn matching(store: &Store, terms: &[Term], session_rid: Option<i64>) -> Matching {
    match store {
        Store::Sqlite(_) => {
            Matching { before: "f.message_search MATCH ", behind: "", expression: sqlite_match(terms, session_rid) }
        }
        Store::Postgres(_) => Matching {
            before: "f.words @@ CAST(",
            behind: " AS tsquery)",
            expression: postgres_match(terms, session_rid),
        },
    }
}

/// The word that stands for "in this session", which no text can hold.
pub(crate) fn session_word(session_rid: i64) -> String {
    format!("§{session_rid}")
}

/// The word that stands for "remembered", which no text can hold.
pub(crate) const MEMORY_WORD: &str = "§m";

/// The words of a message as they stand in the index: with its session, and whether it is remembered.
pub(crate) fn indexed(mut words: String, session_rid: i64, remembered: bool) -> String {
    words.push(' ');
    words.push_str(&session_word(session_rid));
    if remembered {
        words.push(' ');
        words.push_str(MEMORY_WORD);
    }
    words
}

/// Returns a query for FTS5: all terms, each as one word or as all of its parts.
fn sqlite_match(terms: &[Term], session_rid: Option<i64>) -> String {
    let word = |word: &str, prefix: bool| format!("\"{word}\"{}", if prefix { " *" } else { "" });
    expression(terms, session_rid, " AND ", " OR ", word)
}

/// Returns a query for PostgreSQL: the terms of [`sqlite_match`] as a tsquery.
fn postgres_match(terms: &[Term], session_rid: Option<i64>) -> String {
    let word = |word: &str, prefix: bool| format!("'{word}'{}", if prefix { ":*" } else { "" });
    expression(terms, session_rid, " & ", " | ", word)
}

fn expression(
    terms: &[Term],
    session_rid: Option<i64>,
    and: &str,
    or: &str,
    word: impl Fn(&str, bool) -> String,
) -> String {
    let mut all: Vec<String> = terms
        .iter()
        .map(|term| {
            let whole = word(&term.whole, term.prefix);
            let last = term.parts.len().saturating_sub(1);
            let parts: Vec<String> =
                term.parts.iter().enumerate().map(|(i, part)| word(part, term.prefix && i == last)).collect();
            if parts.is_empty() { whole } else { format!("({whole}{or}({}))", parts.join(and)) }
        })
        .collect();
    if let Some(rid) = session_rid {
        all.push(word(&session_word(rid), false));
    }
    all.join(and)
}

/// Pages of the index that are merged at once, and how often.
const MERGED: i64 = 2000;
const MERGES: usize = 64;

/// Deleted words stay in FTS5's index until all of it is merged; a person who wants something forgotten means now.
/// Others write between the slices. What they write makes FTS5 begin anew, so that there is an end to that: the rest at
/// once.
pub(crate) async fn purge_search(store: &Store) -> Result<(), StoreError> {
    for _ in 0..MERGES {
        if merge(store, &format!("INSERT INTO message_search (message_search, rank) VALUES ('merge', -{MERGED})"))
            .await?
        {
            return Ok(());
        }
    }
    merge(store, "INSERT INTO message_search (message_search) VALUES ('optimize')").await.map(drop)
}

/// True if nothing was left to merge.
async fn merge(store: &Store, sql: &str) -> Result<bool, StoreError> {
    let mut tx = store.begin().await?;
    let Tx::Sqlite(transaction, _, monitor) = &mut tx else { return Ok(true) };
    let changes = "SELECT total_changes()";
    let before: i64 = sqlx::query_scalar(changes).fetch_one(&mut **transaction).await?;
    monitor.observe(sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut **transaction).await)?;
    let after: i64 = sqlx::query_scalar(changes).fetch_one(&mut **transaction).await?;
    tx.commit().await?;
    // The statement itself counts as one.
    Ok(after - before < 2)
}

/// Pages that `SQLite` gives back at once.
const GIVEN_BACK: i64 = 1000;

impl Store {
    /// Gives free pages of the file back to the disk: `SQLite`, in slices between which others write. `PostgreSQL` does
    /// so by itself.
    pub async fn give_back(&self) -> Result<(), StoreError> {
        let Self::Sqlite(pools) = self else { return Ok(()) };
        pools.monitor.permit_write()?;
        let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&pools.writer).await?;
        for _ in 0..free.cast_unsigned().div_ceil(GIVEN_BACK as u64) {
            let sql = sqlx::AssertSqlSafe(format!("PRAGMA incremental_vacuum({GIVEN_BACK})"));
            pools.monitor.observe(sqlx::raw_sql(sql).execute(&pools.writer).await)?;
            // Moved pages are first in the log, which only has the reserve's space on a full disk.
            if pools.monitor.is_disk_full() {
                self.empty_log().await?;
            }
        }
        Ok(())
    }
}

/// Limits a column to some values. None means all.
pub(crate) fn one_of<DB: Database>(q: &mut QueryBuilder<DB>, column: &str, values: &[impl ToString])
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    if !values.is_empty() {
        q.push(format_args!(" AND {column} IN ("));
        let mut list = q.separated(", ");
        for value in values {
            // As it is written: PostgreSQL takes no NUL.
            list.push_bind(value.to_string().replace('\0', "\u{fffd}"));
        }
        list.push_unseparated(")");
    }
}
