//! What JSON can say and a value can't hold: a key that stands twice in its object, and a whole number beyond 64 bits. The
//! one would be dropped, the other rounded; nothing is lost without a word.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// JSON that a value holds as it is said.
pub(super) struct Exact;

/// From here on numbers are no longer read as whole ones.
const ROUNDED: f64 = 18_446_744_073_709_551_616.0;

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Exact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Exact, E> {
        Ok(Exact)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Exact, E> {
        Ok(Exact)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Exact, E> {
        Ok(Exact)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Exact, E> {
        Ok(Exact)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Exact, E> {
        if number.abs() < ROUNDED {
            Ok(Exact)
        } else {
            Err(E::custom("a number of more than 64 bits would be rounded: send it as text"))
        }
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Exact, E> {
        Ok(Exact)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Exact, A::Error> {
        while items.next_element::<Exact>()?.is_some() {}
        Ok(Exact)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Exact, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = fields.next_key::<String>()? {
            if seen.insert(key) {
                fields.next_value::<Exact>()?;
            } else {
                // Refused as the value, so that its place is known.
                fields.next_value::<Twice>()?;
            }
        }
        Ok(Exact)
    }
}

struct Twice;

impl<'de> Deserialize<'de> for Twice {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the key stands twice in its object: one of the two would be dropped"))
    }
}
