//! Declared message types.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Path of a declared type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypePath {
    /// The message type, percent-encoded: `acme.deploy%2Fplan`.
    pub r#type: String,
}

/// A document that describes how the messages of a type are shown, at most 64 KiB. `docs/user/message-types.md`
/// describes its components. The server validates it strictly, and names each problem by its JSON pointer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DeclareType {
    /// The message type, as in the path. Optional.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub message_type: Option<Value>,
    /// Version of the payload, an integer of at least 1; 1 if absent.
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Value>,
    /// Display name of the type. Required.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Value>,
    /// Name of an icon: `check`, `database`, `warning`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Value>,
    /// Template of the one-line summary: `Deploy {/service}`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
    /// Template of the message in markdown.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<Value>,
    /// A component, or an array of components. Either this or `schema` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Value>,
    /// JSON Schema of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Unknown fields. They are refused.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl DeclareType {
    /// Returns the document as it was sent.
    pub fn into_document(self) -> Map<String, Value> {
        let fields = [
            ("type", self.message_type),
            ("version", self.version),
            ("title", self.title),
            ("icon", self.icon),
            ("summary", self.summary),
            ("markdown", self.markdown),
            ("view", self.view),
            ("schema", self.schema),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        given.chain(self.others).collect()
    }
}

impl Input for DeclareType {
    // 409: a file of the data directory declares it, or too many are declared.
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"title": "Deployment", "summary": "Deploy {/service}", "view": [{"component": "badge", "text": "{/state}"}]}"#;
}

/// One version of a declared type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeInfo {
    /// The message type.
    pub r#type: String,
    /// Version of the payload.
    pub version: i64,
    /// Display name.
    pub title: String,
    /// SHA-256 of the canonical document (RFC 8785), in hex.
    pub sha256: String,
    /// Size of the canonical document in bytes.
    pub bytes: i64,
    /// Name of the key, person or file that declared it.
    pub declared_by: String,
    /// When it was declared, or read from its file.
    pub declared_at: Micros,
    /// True if a file of the data directory declares it. Then it can't be changed or removed here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_file: bool,
}

/// Declared types.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Types {
    /// Ordered by type, newest version of each first.
    pub types: Vec<TypeInfo>,
}
impl Reply for Types {}

/// A version of a type with its document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeDocument {
    /// Information as in lists.
    #[serde(flatten)]
    pub info: TypeInfo,
    /// The document as it was declared, with its `type` and `version`.
    pub document: Value,
}

/// The documents of one type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeDetail {
    /// Documents, newest version first.
    pub versions: Vec<TypeDocument>,
}
impl Reply for TypeDetail {}

/// The result of a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeDeclared {
    /// Information as in lists.
    #[serde(flatten)]
    pub info: TypeInfo,
    /// True if the same document was declared before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}
impl Reply for TypeDeclared {
    fn replayed(&self) -> bool {
        self.replayed
    }
}
