//! Words as `PostgreSQL` keeps them, in the form in which it takes them with the least work: what it makes of a text
//! costs it several times as much.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};

/// A `tsvector` of different words without places.
#[derive(Debug)]
pub(super) struct Lexemes(Vec<u8>);

impl Lexemes {
    /// Makes lexemes of words that are separated by spaces.
    pub(super) fn new(words: &str) -> Self {
        let mut bytes = Vec::with_capacity(words.len() * 2);
        let mut count = 0_i32;
        bytes.extend(count.to_be_bytes());
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            count += 1;
            bytes.extend(word.as_bytes());
            // The end of the word, and how many places follow.
            bytes.extend([0, 0, 0]);
        }
        bytes[..4].copy_from_slice(&count.to_be_bytes());
        Self(bytes)
    }
}

impl Type<Postgres> for Lexemes {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("tsvector")
    }
}

impl PgHasArrayType for Lexemes {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("_tsvector")
    }
}

impl Encode<'_, Postgres> for Lexemes {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buffer.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }
}
