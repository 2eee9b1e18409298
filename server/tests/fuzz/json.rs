//! Bodies of requests: values are counted before a tree is made of them, and the count is that of the tree.

use crate::{engine, inputs};
use api::Problem;
use api::limits::{JSON_DEPTH, JSON_VALUES};
use api::serve::{check_json, read_json};
use axum::body::Body;
use axum::extract::Request;
use proptest::prelude::*;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

const WORDS: &[&str] = &[
    "{\"a\":", "[[[[", "]]]]", "\\\"", "\\u0000", "\\ud83d", "tru", "null", "-", "0.", "1e5", "{}", "[]", "\"\":0,",
    "//", "{\"\":0}",
];

/// Values and keys, those that come again as well, and levels of nesting.
#[derive(Default)]
struct Count {
    values: usize,
    depth: usize,
}

struct Counted<'c>(&'c mut Count, usize);

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.values += 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.depth = self.0.depth.max(self.1 + 1);
        while items.next_element_seed(Counted(&mut *self.0, self.1 + 1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.0.depth = self.0.depth.max(self.1 + 1);
        while fields.next_key::<String>()?.is_some() {
            self.0.values += 1;
            fields.next_value_seed(Counted(&mut *self.0, self.1 + 1))?;
        }
        Ok(())
    }
}

/// None: it isn't JSON, or nested so deep that nobody reads it.
fn counted(json: &[u8]) -> Option<Count> {
    let mut count = Count::default();
    let mut reader = serde_json::Deserializer::from_slice(json);
    Counted(&mut count, 0).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(count)
}

/// Returns the problem code for a request with such a body, before the body is parsed further.
fn refusal(json: &[u8]) -> Option<String> {
    let (head, ()) = axum::http::Request::new(()).into_parts();
    check_json(&head, json).err().map(|problem| problem.code)
}

fn check(runtime: &tokio::runtime::Runtime, input: &[u8]) {
    let count = counted(input);
    if let Some(count) = &count {
        let expected = match count {
            Count { depth, .. } if *depth > JSON_DEPTH => Some("too_deep"),
            Count { values, .. } if *values > JSON_VALUES => Some("too_many_values"),
            _ => None,
        };
        assert_eq!(refusal(input).as_deref(), expected);
        // As one of so many values that there is room for, and for one less.
        if count.depth < JSON_DEPTH && count.values < JSON_VALUES {
            let mut json = [b"[", input, ",0".repeat(JSON_VALUES - 1 - count.values).as_bytes()].concat();
            assert_eq!(refusal(&[json.as_slice(), b"]"].concat()), None);
            json.extend_from_slice(b",0]");
            assert_eq!(refusal(&json).as_deref(), Some("too_many_values"));
        }
    }

    let mut request = Request::new(Body::from(input.to_vec()));
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    let read: Result<Value, Problem> = runtime.block_on(read_json(request, 1 << 20));
    let is_object = input.trim_ascii_start().first() == Some(&b'{');
    match read {
        Ok(value) if input.is_empty() => assert_eq!(value, Value::Object(serde_json::Map::new())),
        Ok(value) => assert_eq!((serde_json::from_slice::<Value>(input).unwrap(), is_object), (value, true)),
        Err(problem) => {
            assert!(matches!(problem.status, 400 | 413), "{problem:?}");
            let is_within = |count: &Count| count.depth <= JSON_DEPTH && count.values <= JSON_VALUES;
            assert!(!is_object || !count.as_ref().is_some_and(is_within), "{problem:?}");
        }
    }
}

#[test]
fn json() {
    let messages = inputs::messages();
    let own: Vec<Vec<u8>> = messages.iter().map(|message| message.to_string().into_bytes()).collect();
    let bent = inputs::bent(&messages).prop_map(|document| document.to_string().into_bytes());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    engine::run("json", prop_oneof![1 => bent, 1 => inputs::text(&own, WORDS)].boxed(), |input| check(&runtime, input));
}
