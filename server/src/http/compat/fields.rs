//! Fields of a request: unknown ones are ignored, a null is an absent one, a wrong type is a 422.

use super::refusal::Refusal;
use serde_json::{Map, Value};

/// The fields of a body that is a JSON object.
pub struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub fn of(body: &'a Value) -> Result<Self, Refusal> {
        match body {
            Value::Object(fields) => Ok(Self(fields)),
            Value::Null => Err(Refusal::body("missing", "Field required")),
            _ => Err(Refusal::body("model_attributes_type", "Input should be a valid dictionary")),
        }
    }

    fn given(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&self, name: &str) -> Result<&'a str, Refusal> {
        self.optional_text(name)?.ok_or_else(|| Refusal::field("body", name, "missing", "Field required"))
    }

    pub fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Refusal> {
        let wrong = || Refusal::field("body", name, "string_type", "Input should be a valid string");
        self.given(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, Refusal> {
        let wrong = || Refusal::field("body", name, "bool_type", "Input should be a valid boolean");
        self.given(name).map(|value| value.as_bool().ok_or_else(wrong)).transpose()
    }

    pub fn object(&self, name: &str) -> Result<Option<&'a Value>, Refusal> {
        let wrong = || Refusal::field("body", name, "dict_type", "Input should be a valid dictionary");
        self.given(name).map(|value| if value.is_object() { Ok(value) } else { Err(wrong()) }).transpose()
    }
}

/// A UUID as the SDK's language reads one: any case, with or without hyphens, braces and `urn:uuid:`. In the one form
/// that we store.
pub fn uuid(text: &str) -> Option<String> {
    let hex: String = text.replace("urn:", "").replace("uuid:", "").trim_matches(['{', '}']).replace('-', "");
    if hex.len() != 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let hex = hex.to_ascii_lowercase();
    Some([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

/// An agent instance as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// As it was sent: answers repeat it.
    pub sent: String,
    /// Our session's id.
    pub session: String,
}

impl Instance {
    pub fn parse(sent: &str) -> Result<Self, Refusal> {
        let session = uuid(sent).ok_or_else(|| Refusal::new(400, "Invalid agent_instance_id format"))?;
        Ok(Self { sent: sent.to_owned(), session })
    }
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn uuids_are_read_in_every_form() {
        let plain = "faaa0240-7460-4045-9021-81c5c1cc172f";
        for form in [
            plain,
            "FAAA0240-7460-4045-9021-81C5C1CC172F",
            "faaa024074604045902181c5c1cc172f",
            "{faaa0240-7460-4045-9021-81c5c1cc172f}",
            "urn:uuid:faaa0240-7460-4045-9021-81c5c1cc172f",
        ] {
            assert_eq!(uuid(form).as_deref(), Some(plain), "{form}");
        }
        for other in
            ["", "faaa0240", "gaaa0240-7460-4045-9021-81c5c1cc172f", "faaa0240-7460-4045-9021-81c5c1cc172ff", "ä"]
        {
            assert_eq!(uuid(other), None, "{other}");
        }
    }
}
