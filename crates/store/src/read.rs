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

pub(crate) use crate::dialect::one_of;

use crate::StoreError;

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
