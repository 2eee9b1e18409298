//! Read queries, by subject.

mod asks;
pub(crate) mod calls;
mod facets;
mod feed;
mod files;
pub(crate) mod listing;
pub(crate) mod messages;
mod outline;
pub(crate) mod records;
mod retention;
mod runs;
mod search;
mod sessions;

pub use asks::OpenAsk;
pub use listing::Listing;
pub use retention::{Resting, RestingFilter};
pub use search::SearchHits;

use crate::StoreError;
use sqlx::{Database, Encode, QueryBuilder, Type};

/// A cursor: rid and sort value of the last row.
fn write_cursor(rid: i64, value: &str) -> String {
    format!("{rid}.{value}")
}

fn read_cursor(cursor: &str) -> Result<(i64, &str), StoreError> {
    cursor
        .split_once('.')
        .and_then(|(rid, value)| Some((rid.parse().ok()?, value)))
        .ok_or_else(|| StoreError::Cursor(cursor.to_owned()))
}

fn corrupt(what: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(what.to_string())
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
