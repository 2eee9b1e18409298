//! JSON objects whose values stay raw until somebody asks: a line of two megabytes is walked, not built.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Deepest nesting that is kept as JSON. Envelope and store add a few levels, and readers of JSON stop at 128.
const MAX_DEPTH: usize = 100;

/// An object of undecoded fields. A field of another type than expected counts as absent.
#[derive(Clone)]
pub(crate) struct Obj<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Obj<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
    /// The fields that a text begins with, which may be cut off or be followed by anything. A value that is cut off is
    /// there, but only as `true`.
    pub fn beginning(text: &'a str) -> Self {
        let mut fields = Vec::new();
        // The error says where it breaks off.
        let _ = Beginning(&mut fields).deserialize(&mut serde_json::Deserializer::from_str(text));
        Self(fields)
    }
    /// The raw text of a field that is there and not null. Of a repeated key the last one counts, as in JavaScript.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, raw)| raw.get()).filter(|raw| *raw != "null")
    }
    /// Returns true if the field is there, without a value.
    pub fn is_null(&self, name: &str) -> bool {
        self.0.iter().any(|(key, raw)| key == name && raw.get() == "null")
    }
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }
    pub fn str(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).and_then(string)
    }
    pub fn string(&self, name: &str) -> Option<String> {
        self.str(name).map(Cow::into_owned)
    }
    /// Like [`Self::string`], but an empty one counts as absent.
    pub fn filled(&self, name: &str) -> Option<String> {
        self.string(name).filter(|text| !text.is_empty())
    }
    pub fn obj(&self, name: &str) -> Option<Obj<'a>> {
        self.raw(name).filter(|raw| raw.starts_with('{')).and_then(Obj::parse)
    }
    pub fn list(&self, name: &str) -> Option<Vec<&'a str>> {
        self.raw(name).and_then(list)
    }
    pub fn is_true(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }
    pub fn int(&self, name: &str) -> Option<i64> {
        let raw = self.raw(name)?;
        raw.parse().ok().or_else(|| raw.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64))
    }
    pub fn float(&self, name: &str) -> Option<f64> {
        self.raw(name)?.parse().ok().filter(|n: &f64| n.is_finite())
    }
    pub fn value(&self, name: &str) -> Option<Value> {
        self.raw(name).map(value)
    }
    /// The object with the fields of another one as well.
    pub fn and(mut self, other: Option<Self>) -> Self {
        self.0.extend(other.into_iter().flat_map(|other| other.0));
        self
    }
    /// The object without some of its fields.
    pub fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(key, _)| !names.contains(&key.as_ref())).cloned().collect())
    }
    pub fn fields(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, raw)| (key.as_ref(), raw.get()))
    }
}

struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Keys)
    }
}

impl<'de> Deserialize<'de> for Obj<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Obj<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Obj<'de>, A::Error> {
                let mut fields = Vec::with_capacity(20);
                while let Some((Key(key), raw)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((key, raw));
                }
                Ok(Obj(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Collects the fields of an object as far as they can be read.
struct Beginning<'f, 'a>(&'f mut Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> DeserializeSeed<'de> for Beginning<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Beginning<'_, 'de> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            self.0.push((key, RawValue::TRUE));
            let value = map.next_value()?;
            if let Some(field) = self.0.last_mut() {
                field.1 = value;
            }
        }
        Ok(())
    }
}

/// The JSON of an object, by the names of its fields and their raw values.
pub(crate) fn object<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let fields: Vec<String> = fields.map(|(name, raw)| format!("{}:{raw}", Value::from(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// A JSON string, decoded. None if it is something else.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let decoded = serde_json::from_str(raw).or_else(|_| serde_json::from_str(&mend(raw)));
    Some(Cow::Owned(decoded.unwrap_or_else(|_| inner.to_owned())))
}

/// A JSON array's elements, raw.
pub(crate) fn list(raw: &str) -> Option<Vec<&str>> {
    if !raw.starts_with('[') {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// Any JSON value. What is nested too deeply to be stored as JSON becomes a string that says so.
pub(crate) fn value(raw: &str) -> Value {
    serde_json::from_str(raw)
        .or_else(|_| serde_json::from_str(&mend(raw)))
        .ok()
        .filter(|value| depth(value) <= MAX_DEPTH)
        .unwrap_or_else(|| Value::String("(nested too deeply; see the record)".to_owned()))
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// JavaScript cuts strings between the halves of a surrogate pair, which no UTF-8 text can hold: a lone half becomes U+FFFD.
fn mend(raw: &str) -> String {
    fn unit(text: &str) -> Option<u16> {
        text.strip_prefix("\\u").and_then(|rest| rest.get(..4)).and_then(|hex| u16::from_str_radix(hex, 16).ok())
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let step = match unit(rest) {
            Some(0xD800..=0xDBFF) if unit(&rest[6..]).is_some_and(|low| (0xDC00..=0xDFFF).contains(&low)) => 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            None => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..step]);
        rest = &rest[step..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{mend, string, value};

    #[test]
    fn a_lone_half_of_a_pair_is_replaced_and_a_whole_pair_is_not() {
        assert_eq!(string(r#""a\ud83db\ud83d\ude00""#).as_deref(), Some("a\u{fffd}b\u{1f600}"));
        assert_eq!(mend(r#""\\ud800""#), r#""\\ud800""#);
    }

    #[test]
    fn a_value_nested_too_deeply_is_a_string() {
        let raw = format!("{}{}", "[".repeat(101), "]".repeat(101));
        assert!(value(&raw).is_string());
        assert!(value(&raw[1..201]).is_array());
    }
}
