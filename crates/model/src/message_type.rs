//! The table of message types, one file per type; [`MessageType`], their tags; and [`Body`], a message's typed content.
//!
//! A row of the table defines the variant, its tag, its parser and serializer, its JSON Schema (feature `schema`),
//! summary, markdown, search text and example. A type that isn't in the table is [`Body::Unknown`], and is kept
//! unchanged.

pub mod action;
pub mod approval;
pub mod chart;
pub mod code_edit;
pub mod code_review;
pub mod error;
pub mod file;
pub mod progress;
pub mod text;
pub mod todo;
pub mod tool_call;

pub use crate::strict::Mismatch;

use crate::{Draft, Role, search_text::SearchText, strict, version, words};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// The functions of a message type.
pub trait Payload: Serialize + DeserializeOwned {
    /// The role of its usual sender.
    const USUAL_ROLE: Role;

    /// Version of the payload. After a change that older readers can't read, raise it and migrate in
    /// [`Payload::migrate`].
    const VERSION: i64 = version::VERSION;

    /// Converts a payload of an older version, from 1 to `VERSION - 1`, to this one. Invalid parts are left to the
    /// parser.
    fn migrate(_version: i64, payload: Map<String, Value>) -> Map<String, Value> {
        payload
    }

    /// Returns one line for lists, search, notifications, screen readers and terminals. Empty if `content` is enough.
    fn summary(&self) -> String;

    /// Returns markdown for export and channels. Empty if `content` is enough.
    fn to_markdown(&self) -> String;

    /// Adds the text for search; its `content` by default.
    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
    }

    /// Returns an example payload, for tests, fixtures and the API's description.
    fn example() -> Self;

    /// Returns the `content` of a message with this example.
    fn example_content(&self) -> String {
        self.to_markdown()
    }

    /// Checks what the schema can't express, and the type's extras. Pointers are relative to the envelope.
    fn check(&self, _extras: &Map<String, Value>) -> Result<(), Mismatch> {
        Ok(())
    }
}

/// Parses a payload of any version. None for a newer version that doesn't match the built-in one.
fn read_version<T: Payload>(version: i64, payload: &Map<String, Value>) -> Result<Option<T>, Mismatch> {
    if version > T::VERSION {
        return Ok(strict::read(payload).ok());
    }
    if version < T::VERSION {
        return strict::read(&T::migrate(version, payload.clone())).map(Some);
    }
    strict::read(payload).map(Some)
}

macro_rules! message_types {
    ($( $tag:literal => $Type:ident($Payload:ty), )*) => {
        words! {
            /// The types that are built in, by their tags.
            MessageType { $( #[doc = concat!("`", $tag, "`")] $Type = $tag, )* }
        }

        /// The typed content of a message.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Body {
            $( #[doc = concat!("A message of the type `", $tag, "`.")] $Type($Payload), )*
            /// A custom type. It is kept unchanged, and shown by its `content`, then its data.
            Unknown {
                /// Message type, 1 to 200 characters.
                message_type: String,
                /// The payload, unchanged.
                payload: Map<String, Value>,
            },
            /// Invalid stored data. It is kept unchanged, and shown by its `content`, then the data and the problem.
            Invalid {
                /// Message type; `TEXT` if it isn't a string.
                message_type: String,
                /// The payload, unchanged; the whole metadata if the type isn't a string.
                payload: Value,
                /// Why it is invalid. The pointer is relative to `payload`.
                problem: Mismatch,
            },
        }

        impl Body {
            /// Returns the message type, even if it is unknown or invalid.
            pub fn message_type(&self) -> &str {
                match self {
                    $( Self::$Type(_) => $tag, )*
                    Self::Unknown { message_type, .. } | Self::Invalid { message_type, .. } => message_type,
                }
            }

            /// Parses a payload strictly. An older version is migrated first. Custom types accept any object. A newer
            /// version that doesn't match the built-in one is [`Body::Unknown`].
            ///
            /// # Errors
            ///
            /// A [`Mismatch`] with the first invalid field, relative to the migrated payload.
            pub fn read(message_type: &str, version: i64, payload: &Map<String, Value>) -> Result<Self, Mismatch> {
                let read = match message_type {
                    $( $tag => read_version(version, payload).map(|read| read.map(Self::$Type))?, )*
                    _ => None,
                };
                let unknown = || Self::Unknown { message_type: message_type.to_owned(), payload: payload.clone() };
                Ok(read.unwrap_or_else(unknown))
            }

            /// Returns the version that [`Body::payload`] writes. None if the payload is unchanged.
            pub(crate) fn version(&self) -> Option<i64> {
                match self {
                    $( Self::$Type(_) => Some(<$Payload>::VERSION), )*
                    Self::Unknown { .. } | Self::Invalid { .. } => None,
                }
            }

            /// Returns a summary in one line; empty if the message's `content` is enough.
            pub fn summary(&self) -> String {
                match self {
                    $( Self::$Type(payload) => payload.summary(), )*
                    Self::Unknown { .. } | Self::Invalid { .. } => String::new(),
                }
            }

            /// Returns markdown; empty if the message's `content` is enough.
            pub fn to_markdown(&self) -> String {
                match self {
                    $( Self::$Type(payload) => payload.to_markdown(), )*
                    Self::Unknown { .. } | Self::Invalid { .. } => String::new(),
                }
            }

            /// Adds the text for search.
            pub fn search_text(&self, draft: &Draft, text: &mut SearchText) {
                match self {
                    $( Self::$Type(payload) => payload.search_text(draft, text), )*
                    Self::Unknown { payload, .. } => {
                        text.push(&draft.content);
                        payload.values().for_each(|value| text.push_strings(value));
                    }
                    Self::Invalid { .. } => text.push(&draft.content),
                }
            }

            /// Returns the payload as JSON, without absent fields.
            pub fn payload(&self) -> Value {
                match self {
                    $( Self::$Type(payload) => serde_json::to_value(payload).unwrap_or_default(), )*
                    Self::Unknown { payload, .. } => Value::Object(payload.clone()),
                    Self::Invalid { payload, .. } => payload.clone(),
                }
            }

            /// Returns one example of each built-in type: its role, its `content`, and itself.
            pub fn examples() -> Vec<(Role, String, Self)> {
                vec![$({
                    let payload = <$Payload>::example();
                    (<$Payload>::USUAL_ROLE, payload.example_content(), Self::$Type(payload))
                }),*]
            }

            pub(crate) fn check(&self, extras: &Map<String, Value>) -> Result<(), Mismatch> {
                match self {
                    $( Self::$Type(payload) => payload.check(extras), )*
                    Self::Unknown { .. } => Ok(()),
                    Self::Invalid { problem, .. } => Err(problem.clone().within("/payload")),
                }
            }

            /// Returns the JSON Schema of a built-in type's payload; None for any other tag.
            #[cfg(feature = "schema")]
            pub fn schema(message_type: &str, generator: &mut schemars::SchemaGenerator) -> Option<schemars::Schema> {
                match message_type {
                    $( $tag => Some(generator.subschema_for::<$Payload>()), )*
                    _ => None,
                }
            }
        }

        $( impl From<$Payload> for Body {
            fn from(payload: $Payload) -> Self {
                Self::$Type(payload)
            }
        } )*
    };
}

message_types! {
    "TEXT" => Text(text::Text),
    "CODE_EDIT" => CodeEdit(code_edit::CodeEdit),
    "TODO" => Todo(todo::Todo),
    "TOOL_CALL" => ToolCall(tool_call::ToolCall),
    "APPROVAL" => Approval(approval::Approval),
    "ACTION" => Action(action::Action),
    "FILE" => File(file::File),
    "CODE_REVIEW" => CodeReview(code_review::CodeReview),
    "ERROR" => Error(error::Error),
    "PROGRESS" => Progress(progress::Progress),
    "CHART" => Chart(chart::Chart),
}

impl PartialEq<MessageType> for &str {
    fn eq(&self, other: &MessageType) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<MessageType> for String {
    fn eq(&self, other: &MessageType) -> bool {
        self == other.as_str()
    }
}

impl Body {
    /// Parses the content of a message. Never fails: invalid data is [`Body::Invalid`]. A message without
    /// `message_type` is a TEXT.
    ///
    /// ```
    /// use model::{Body, Draft, MessageId, Micros, Role};
    ///
    /// let id = MessageId::parse("m1")?;
    /// let draft = Draft::text(id, Role::Assistant, "bot", "Hello", Micros(0));
    /// assert_eq!(Body::of(&draft).message_type(), "TEXT");
    /// # Ok::<(), model::id::IdError>(())
    /// ```
    pub fn of(draft: &Draft) -> Self {
        Self::of_metadata(draft.metadata.as_ref())
    }

    /// Parses the content of a message with this metadata.
    pub fn of_metadata(metadata: Option<&Map<String, Value>>) -> Self {
        let Some(metadata) = metadata else { return Self::Text(text::Text::default()) };
        let payload = metadata.get("payload");
        let version = version::of(metadata);
        let invalid = |message_type: String, payload: Value, problem| Self::Invalid { message_type, payload, problem };
        match (metadata.get("message_type"), payload) {
            (None, _) => Self::Text(text::Text::default()),
            (Some(Value::String(tag)), Some(Value::Object(payload))) if !tag.is_empty() => {
                Self::read(tag, version, payload)
                    .unwrap_or_else(|problem| invalid(tag.clone(), Value::Object(payload.clone()), problem))
            }
            (Some(Value::String(tag)), None) if !tag.is_empty() => {
                let payload = Map::new();
                Self::read(tag, version, &payload)
                    .unwrap_or_else(|problem| invalid(tag.clone(), payload.into(), problem))
            }
            (Some(Value::String(tag)), Some(payload)) if !tag.is_empty() => {
                invalid(tag.clone(), payload.clone(), Mismatch::new("", "an object"))
            }
            (Some(tag), _) => invalid(
                tag.as_str().unwrap_or(MessageType::Text.as_str()).to_owned(),
                Value::Object(metadata.clone()),
                Mismatch::new("/message_type", "a non-empty string"),
            ),
        }
    }
}

impl Draft {
    /// Returns the message type; `TEXT` if the metadata has none.
    pub fn message_type(&self) -> &str {
        let tag = self.metadata.as_ref().and_then(|metadata| metadata.get("message_type")?.as_str());
        tag.unwrap_or(MessageType::Text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Mismatch, Payload, read_version};
    use crate::Role;
    use serde::{Deserialize, Serialize};
    use serde_json::{Map, Value, json};

    /// Test type. Version 1 had the strength of the wind as `force`, in Beaufort.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wind {
        metres_per_second: u64,
    }

    impl Payload for Wind {
        const USUAL_ROLE: Role = Role::Assistant;
        const VERSION: i64 = 2;

        fn migrate(_version: i64, mut payload: Map<String, Value>) -> Map<String, Value> {
            if let Some(force) = payload.shift_remove("force") {
                let speed = force.as_u64().map_or(force, |force| json!(force * 2));
                payload.insert("metres_per_second".to_owned(), speed);
            }
            payload
        }

        fn summary(&self) -> String {
            String::new()
        }

        fn to_markdown(&self) -> String {
            String::new()
        }

        fn example() -> Self {
            Self { metres_per_second: 6 }
        }
    }

    fn read(version: i64, payload: Value) -> Result<Option<Wind>, Mismatch> {
        read_version(version, payload.as_object().expect("an object"))
    }

    #[test]
    fn an_older_version_is_migrated_and_a_newer_one_is_not_refused() {
        let wind = |metres_per_second| Ok(Some(Wind { metres_per_second }));
        assert_eq!(read(1, json!({"force": 3})), wind(6));
        assert_eq!(read(2, json!({"metres_per_second": 7})), wind(7));
        assert_eq!(
            read(2, json!({"force": 3})).unwrap_err().expected,
            "absent: unknown field; known fields: `metres_per_second`"
        );
        assert_eq!(read(1, json!({"force": "strong"})).unwrap_err().pointer, "/metres_per_second");
        assert_eq!(read(3, json!({"metres_per_second": 7})), wind(7), "what was added later may say the same");
        assert_eq!(read(3, json!({"knots": 12})), Ok(None));
    }
}
