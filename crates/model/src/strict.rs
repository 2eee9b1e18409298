//! Strict parsing of payloads, with the position of an error and checks that serde's derived code can't express.

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};
use serde_path_to_error::Segment;
use std::{fmt, marker::PhantomData};

/// An error: the position as a JSON pointer, and what is expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{} {expected}", place(.pointer), if .expected.starts_with(ABSENT) { " should be" } else { ": expected" })]
pub struct Mismatch {
    /// JSON pointer to the field; empty for the whole value.
    pub pointer: String,
    /// The expected value, in JSON terms: `a non-empty string`.
    pub expected: String,
}

impl Mismatch {
    /// Makes a mismatch at a pointer.
    pub fn new(pointer: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), expected: expected.into() }
    }

    /// Prepends a parent's pointer: `/todos/0` within `/payload` is `/payload/todos/0`.
    pub fn within(self, parent: &str) -> Self {
        Self { pointer: format!("{parent}{}", self.pointer), ..self }
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { "the whole".to_owned() } else { format!("`{pointer}`") }
}

const ABSENT: &str = "absent";

/// Returns what is expected for an unknown field, with the known ones: `absent: unknown field; known fields: ...`.
pub fn unknown_field<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    let known = if known.is_empty() { String::new() } else { format!("; known fields: {}", known.join(", ")) };
    format!("{ABSENT}: unknown field{known}")
}

/// The expected value in the error for a missing field.
pub const MISSING: &str = "a value";

/// Deserializes a typed value from a JSON object.
///
/// # Errors
///
/// A [`Mismatch`] with the first invalid field, relative to the object.
pub fn read<T: DeserializeOwned>(object: &Map<String, Value>) -> Result<T, Mismatch> {
    serde_path_to_error::deserialize(object).map_err(|error| {
        let mut pointer = String::new();
        for segment in error.path() {
            match segment {
                Segment::Seq { index } => pointer.push_str(&token(&index.to_string())),
                Segment::Map { key } => pointer.push_str(&token(key)),
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        mismatch(pointer, &error.inner().to_string())
    })
}

/// Returns one step of a JSON pointer, escaped, with its slash.
pub fn token(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// serde names a missing field instead of pointing at it.
fn mismatch(pointer: String, message: &str) -> Mismatch {
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return Mismatch { pointer: pointer + &token(field), expected: MISSING.to_owned() };
    }
    Mismatch { pointer, expected: expected(message).unwrap_or_else(|| message.to_owned()) }
}

/// Returns what serde expected, in JSON terms instead of Rust's; None if its message doesn't contain it.
///
/// serde's format is `<problem>, expected <expectation>`.
pub fn expected(message: &str) -> Option<String> {
    // Serde's message about an invalid number has neither part.
    if message.contains("number too small") {
        return Some("a greater number".to_owned());
    }
    if message.contains("number too ") {
        return Some("a smaller number".to_owned());
    }
    if ["invalid digit", "cannot parse integer"].iter().any(|words| message.contains(words)) {
        return Some("an integer".to_owned());
    }
    if message.starts_with("unknown field") {
        let known = message.split_once(", expected ").map_or("", |(_, known)| known);
        return Some(unknown_field(known.split('`').skip(1).step_by(2)));
    }
    if message.starts_with("duplicate field") {
        return Some("given once".to_owned());
    }
    let (_, expected) = message.split_once(", expected ")?;
    let words = match expected {
        "a map" => "an object",
        "a sequence" => "an array",
        "a boolean" => "`true` or `false`",
        "string or map" => "a string or an object",
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer of at least 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "f32" | "f64" | "a JSON number" => "a number",
        words if words.starts_with("struct ") => "an object",
        words => words,
    };
    Some(words.to_owned())
}

/// Deserializes a non-empty string.
pub fn non_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() { Err(D::Error::invalid_length(0, &"a non-empty string")) } else { Ok(text) }
}

/// Deserializes a number of at least 0, or null. It keeps its form, `3` or `3.0`.
pub fn maybe_amount<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Number>, D::Error> {
    match Option::<Number>::deserialize(from)? {
        Some(number) if number.as_f64().is_none_or(|number| number < 0.0) => {
            Err(D::Error::invalid_value(Unexpected::Other("a negative number"), &"a number of at least 0"))
        }
        number => Ok(number),
    }
}

/// Deserializes an array of objects. (serde would also accept arrays instead of the objects.)
pub fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let items = Vec::<Object<T>>::deserialize(from)?;
    Ok(items.into_iter().map(|item| item.0).collect())
}

/// Deserializes an array of at least one object.
pub fn some_objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let items = objects(from)?;
    if items.is_empty() { Err(D::Error::invalid_length(0, &"at least one item")) } else { Ok(items) }
}

/// Deserializes an object.
pub fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<T, D::Error> {
    Object::deserialize(from).map(|object: Object<T>| object.0)
}

/// Deserializes an object or null.
pub fn maybe_object<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(from)?.map(|object| object.0))
}

struct Object<T>(T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        from.deserialize_map(ObjectVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::{Mismatch, expected, unknown_field};

    #[test]
    fn serde_in_words_of_json() {
        for (message, words) in [
            ("invalid type: integer `3`, expected struct Item", "an object"),
            ("invalid length 1, expected struct Item with 3 elements", "an object"),
            ("invalid type: map, expected a sequence", "an array"),
            ("invalid type: string \"x\", expected a boolean", "`true` or `false`"),
            ("invalid value: integer `-1`, expected u32", "an integer of at least 0"),
            ("unknown variant `x`, expected `a` or `b`", "`a` or `b`"),
            ("unknown field `x`, expected one of `a`, `b`, `c`", "absent: unknown field; known fields: `a`, `b`, `c`"),
            ("unknown field `x`, expected `a` or `b`", "absent: unknown field; known fields: `a`, `b`"),
            ("unknown field `x`, there are no fields", "absent: unknown field"),
            ("duplicate field `x`", "given once"),
        ] {
            assert_eq!(expected(message).as_deref(), Some(words), "{message}");
        }
        assert_eq!(expected("anything else"), None);
    }

    #[test]
    fn mismatches_in_a_sentence() {
        let said = |pointer: &str, expected: String| Mismatch::new(pointer, expected).to_string();
        assert_eq!(said("/a", "a string".to_owned()), "`/a`: expected a string");
        assert_eq!(said("", "an object".to_owned()), "the whole: expected an object");
        assert_eq!(said("/a", unknown_field(["b"])), "`/a` should be absent: unknown field; known fields: `b`");
    }
}
