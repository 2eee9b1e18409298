//! Rows as CBOR, and where a part of them ends.

use super::Table;
use crate::StoreError;
use crate::step::table::{Kind, Row as Cells, Value};
use minicbor::data::Type as Cbor;
use minicbor::{Decoder, Encoder};
use sha2::{Digest as _, Sha256};
use sqlx::{ColumnIndex, Decode, Row, Type};

/// A part of a table: some of its rows, in the order of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub rows: u64,
    pub bytes: Vec<u8>,
}

impl Part {
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

/// From here on a part ends behind the next row whose key says so, which one of [`ENDS`] does.
const LEAST: usize = 512 << 10;
const ENDS: u32 = 64;
/// It ends behind the row that reaches this length.
const MOST: usize = 4 << 20;

/// Gathers rows to parts.
#[derive(Default)]
pub(super) struct Parts {
    rows: u64,
    bytes: Vec<u8>,
}

impl Parts {
    /// Adds a row. Returns the part that ends with it.
    pub(super) fn add<'r, R: Row>(&mut self, table: &Table, row: &'r R) -> sqlx::Result<Option<Part>>
    where
        usize: ColumnIndex<R>,
        Option<i64>: Decode<'r, R::Database> + Type<R::Database>,
        Option<f64>: Decode<'r, R::Database> + Type<R::Database>,
        Option<&'r str>: Decode<'r, R::Database> + Type<R::Database>,
        Option<&'r [u8]>: Decode<'r, R::Database> + Type<R::Database>,
    {
        let mut hash = crc32fast::Hasher::new();
        let mut out = Encoder::new(&mut self.bytes);
        encoded(out.array(table.kinds.len() as u64))?;
        for (at, (name, kind)) in table.columns.iter().zip(&table.kinds).enumerate() {
            let before = out.writer().len();
            let done = match kind {
                Kind::Int => row.try_get::<Option<i64>, _>(at)?.map(|it| out.i64(it)),
                Kind::Real => row.try_get::<Option<f64>, _>(at)?.map(|it| out.f64(it)),
                Kind::Text | Kind::Words => row.try_get::<Option<&str>, _>(at)?.map(|it| out.str(it)),
                Kind::Blob | Kind::Packed => row.try_get::<Option<&[u8]>, _>(at)?.map(|it| out.bytes(it)),
            };
            match done {
                Some(done) => encoded(done)?,
                None => encoded(out.null())?,
            }
            if table.key.contains(name) {
                hash.update(out.writer().get(before..).unwrap_or_default());
            }
        }
        self.rows += 1;
        let len = self.bytes.len();
        Ok((len >= MOST || (len >= LEAST && hash.finalize().is_multiple_of(ENDS))).then(|| self.take()))
    }

    /// Returns the last part; None if there are no rows behind the one before.
    pub(super) fn end(&mut self) -> Option<Part> {
        (self.rows > 0).then(|| self.take())
    }

    fn take(&mut self) -> Part {
        Part { rows: std::mem::take(&mut self.rows), bytes: std::mem::take(&mut self.bytes) }
    }
}

/// Writing to memory doesn't fail.
fn encoded<T>(outcome: Result<T, minicbor::encode::Error<std::convert::Infallible>>) -> Result<(), sqlx::Error> {
    outcome.map(drop).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Reads the rows of a part, with the columns `kinds`.
pub(super) fn decode<'b>(bytes: &'b [u8], kinds: &[Kind]) -> Result<Vec<Cells<'b>>, StoreError> {
    let mut rows = Vec::new();
    let mut input = Decoder::new(bytes);
    while input.position() < bytes.len() {
        rows.push(row(&mut input, kinds).map_err(|error| StoreError::Corrupt(format!("a row of a part: {error}")))?);
    }
    Ok(rows)
}

fn row<'b>(input: &mut Decoder<'b>, kinds: &[Kind]) -> Result<Cells<'b>, minicbor::decode::Error> {
    if input.array()? != Some(kinds.len() as u64) {
        return Err(minicbor::decode::Error::message("its cells aren't as many as the columns of its table"));
    }
    kinds.iter().map(|kind| cell(input, *kind)).collect()
}

fn cell<'b>(input: &mut Decoder<'b>, kind: Kind) -> Result<Value<'b>, minicbor::decode::Error> {
    let is_null = input.datatype()? == Cbor::Null;
    if is_null {
        input.null()?;
    }
    Ok(match kind {
        Kind::Int => Value::Int((!is_null).then(|| input.i64()).transpose()?),
        Kind::Real => Value::Real((!is_null).then(|| input.f64()).transpose()?),
        Kind::Text | Kind::Words => Value::Text((!is_null).then(|| input.str()).transpose()?),
        Kind::Blob | Kind::Packed => Value::Blob((!is_null).then(|| input.bytes()).transpose()?),
    })
}

/// Counts the rows of a part, each of which has `columns` cells.
///
/// # Errors
///
/// It isn't a sequence of such rows.
pub fn count(bytes: &[u8], columns: usize) -> Result<u64, StoreError> {
    let wrong = |error: minicbor::decode::Error| StoreError::Corrupt(format!("a row of a part: {error}"));
    let mut input = Decoder::new(bytes);
    let mut rows = 0;
    while input.position() < bytes.len() {
        if input.array().map_err(wrong)? != Some(columns as u64) {
            return Err(StoreError::Corrupt("a row's cells aren't as many as the columns of its table".to_owned()));
        }
        (0..columns).try_for_each(|_| input.skip()).map_err(wrong)?;
        rows += 1;
    }
    Ok(rows)
}
