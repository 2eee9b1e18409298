//! Where the engines differ. Six places: the start of a write, and the index of words.

use crate::StoreError;
use crate::store::Tx;
use crate::tokens::Term;

/// `SQLite`'s plain BEGIN takes the write lock at the first write, which fails if another connection wrote in between.
pub(crate) const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";

/// Takes a workspace's row lock. `SQLite`'s transaction holds the lock on everything already.
pub(crate) const LOCK_SQLITE: &str = "SELECT feed_pos, last_rid FROM workspace WHERE id = $1";
pub(crate) const LOCK_POSTGRES: &str = "SELECT feed_pos, last_rid FROM workspace WHERE id = $1 FOR UPDATE";

/// What `words` of the index are matched with; a placeholder for [`sqlite_match`] or [`postgres_match`] follows.
pub(crate) const SQLITE_MATCH: &str = "f.message_search MATCH ";
pub(crate) const POSTGRES_MATCH: &str = "f.words @@ CAST(";

/// The word that stands for "in this session", which no text can hold.
pub(crate) fn session_word(session_rid: i64) -> String {
    format!("§{session_rid}")
}

/// What FTS5 matches: every term, each as one word or as all of its parts.
pub(crate) fn sqlite_match(terms: &[Term], session_rid: Option<i64>) -> String {
    let word = |word: &str, prefix: bool| format!("\"{word}\"{}", if prefix { " *" } else { "" });
    expression(terms, session_rid, " AND ", " OR ", word)
}

/// The same as a tsquery.
pub(crate) fn postgres_match(terms: &[Term], session_rid: Option<i64>) -> String {
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

/// `PostgreSQL` plans by what it knows of the rows, and looks at them once a minute at most. As long as it thinks that they
/// are few, it finds sixty ids by reading all messages of the workspace.
pub(crate) async fn look_again(tx: &mut Tx) -> Result<(), StoreError> {
    if let Tx::Postgres(transaction) = tx {
        sqlx::query("ANALYZE workspace, session, message, message_count").execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Deleted words stay in FTS5's index until it is merged; a person who wants something forgotten means now.
pub(crate) async fn purge_search(tx: &mut Tx) -> Result<(), StoreError> {
    if let Tx::Sqlite(transaction) = tx {
        sqlx::query("INSERT INTO message_search (message_search) VALUES ('optimize')")
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}
