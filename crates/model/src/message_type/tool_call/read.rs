//! Parses a tool call by hand, because serde's `flatten` would lose the position of an error.

use super::{super::strict, ToolCall};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// A non-empty string.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        strict::non_empty(from).map(Self)
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ToolCallVisitor)
    }
}

struct ToolCallVisitor;

impl<'de> Visitor<'de> for ToolCallVisitor {
    type Value = ToolCall;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolCall, A::Error> {
        let mut name = None;
        let mut call = ToolCall::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "tool_name" => name = Some(map.next_value::<Name>()?.0),
                "input" => call.input = map.next_value()?,
                "output" => call.output = map.next_value()?,
                "error" => call.error = map.next_value()?,
                _ => {
                    let value: serde_json::Value = map.next_value()?;
                    if !value.is_null() {
                        call.other.insert(key, value);
                    }
                }
            }
        }
        call.tool_name = name.ok_or_else(|| A::Error::missing_field("tool_name"))?;
        Ok(call)
    }
}
