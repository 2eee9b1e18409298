//! Cells of a row as JSON, and back. A cell without a value is no field.

use crate::pack::{unpack, with_packer};
use crate::step::table::{Kind, Value as Cell};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sqlx::{ColumnIndex, Decode, Row, Type};
use std::collections::BTreeMap;

/// An object's fields, each as it is written.
pub(crate) type Fields = BTreeMap<String, Box<RawValue>>;

/// A cell that was read.
#[derive(Debug, Clone)]
pub(crate) enum Held {
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<String>),
    Blob(Option<Vec<u8>>),
}

impl Held {
    /// Takes a field out of an object. What is missing has no value.
    pub(crate) fn take(fields: &mut Fields, name: &str, kind: Kind) -> Result<Self, String> {
        let raw = fields.remove(name).filter(|raw| raw.get() != "null");
        let wrong = |expected: &str| format!("`{name}`: expected {expected}");
        Ok(match kind {
            Kind::Int => {
                Self::Int(raw.map(|raw| raw.get().parse().map_err(|_| wrong("an integer of 64 bits"))).transpose()?)
            }
            // Not by way of a value: a number is read as exactly as it was written.
            Kind::Real => Self::Real(raw.map(|raw| raw.get().parse().map_err(|_| wrong("a number"))).transpose()?),
            Kind::Text | Kind::Words => {
                Self::Text(raw.map(|raw| serde_json::from_str(raw.get()).map_err(|_| wrong("a string"))).transpose()?)
            }
            Kind::Blob => Self::Blob(raw.map(|raw| bytes(&raw).map_err(|_| wrong(BYTES))).transpose()?),
            Kind::Packed => {
                let packed = |raw: Box<RawValue>| {
                    let plain = bytes(&raw).map_err(|_| wrong(BYTES))?;
                    with_packer(|packer| packer.pack(&plain)).map_err(|error| wrong(&error.to_string()))
                };
                Self::Blob(raw.map(packed).transpose()?)
            }
        })
    }

    pub(crate) fn cell(&self) -> Cell<'_> {
        match self {
            Self::Int(it) => Cell::Int(*it),
            Self::Real(it) => Cell::Real(*it),
            Self::Text(it) => Cell::Text(it.as_deref()),
            Self::Blob(it) => Cell::Blob(it.as_deref()),
        }
    }
}

const BYTES: &str = "`{\"text\": ...}` or `{\"base64\": ...}`";

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Bytes {
    Text(String),
    Base64(String),
}

/// Bytes as text where they are UTF-8.
pub(crate) fn bytes_json(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "base64": STANDARD.encode(bytes) }),
    }
}

/// Reads what [`bytes_json`] writes.
pub(crate) fn bytes(raw: &RawValue) -> Result<Vec<u8>, String> {
    match serde_json::from_str(raw.get()) {
        Ok(Bytes::Text(text)) => Ok(text.into_bytes()),
        Ok(Bytes::Base64(text)) => STANDARD.decode(text).map_err(|error| error.to_string()),
        Err(_) => Err(format!("`bytes`: expected {BYTES}")),
    }
}

/// Cells of a row from the column `first` on.
pub(crate) fn cells<'r, R: Row>(row: &'r R, first: usize, columns: &[(&str, Kind)]) -> sqlx::Result<Map<String, Value>>
where
    usize: ColumnIndex<R>,
    Option<i64>: Decode<'r, R::Database> + Type<R::Database>,
    Option<f64>: Decode<'r, R::Database> + Type<R::Database>,
    Option<String>: Decode<'r, R::Database> + Type<R::Database>,
    Option<Vec<u8>>: Decode<'r, R::Database> + Type<R::Database>,
{
    let mut fields = Map::new();
    for (index, (name, kind)) in columns.iter().enumerate() {
        let at = first + index;
        let value = match kind {
            Kind::Int => row.try_get::<Option<i64>, _>(at)?.map(Value::from),
            Kind::Real => row.try_get::<Option<f64>, _>(at)?.map(Value::from),
            Kind::Text | Kind::Words => row.try_get::<Option<String>, _>(at)?.map(Value::from),
            Kind::Blob => row.try_get::<Option<Vec<u8>>, _>(at)?.map(|bytes| bytes_json(&bytes)),
            Kind::Packed => {
                let packed: Option<Vec<u8>> = row.try_get(at)?;
                let plain = packed.map(|packed| unpack(&packed)).transpose();
                plain.map_err(|error| sqlx::Error::Decode(error.into()))?.map(|bytes| bytes_json(&bytes))
            }
        };
        fields.extend(value.map(|value| ((*name).to_owned(), value)));
    }
    Ok(fields)
}

/// Returns the fields of a row that is in memory.
pub(crate) fn object(columns: &[(&str, Kind)], cells: &[Cell<'_>]) -> Map<String, Value> {
    let value = |cell: &Cell<'_>| match *cell {
        Cell::Int(it) => it.map(Value::from),
        Cell::Real(it) => it.map(Value::from),
        Cell::Text(it) => it.map(Value::from),
        Cell::Blob(it) => it.map(bytes_json),
    };
    let fields = columns.iter().zip(cells);
    fields.filter_map(|((name, _), cell)| Some(((*name).to_owned(), value(cell)?))).collect()
}
