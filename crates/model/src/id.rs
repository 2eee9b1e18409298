//! Identifiers: 1 to 128 characters without control characters. They are validated when they are parsed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Maximum length of an identifier in characters.
pub const MAX_CHARS: usize = 128;

/// Session id in feed events of changes that concern all sessions. No session has this id.
pub const ALL_SESSIONS: &str = ".";

/// Why a string isn't an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It is empty.
    #[error("an id of at least one character")]
    Empty,
    /// It has more than 128 characters.
    #[error("an id of at most {MAX_CHARS} characters")]
    TooLong,
    /// It has a control character, such as a line end.
    #[error("an id without control characters")]
    Control,
    /// It is `.` or `..`. Only new ids are refused for this reason; stored ones are accepted.
    #[error("an id that isn't `.` or `..`: in an address those mean a folder")]
    Folder,
}

fn check(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        Err(IdError::Empty)
    } else if text.chars().count() > MAX_CHARS {
        Err(IdError::TooLong)
    } else if text.chars().any(char::is_control) {
        Err(IdError::Control)
    } else {
        Ok(())
    }
}

macro_rules! ids {
    ($( $(#[doc = $doc:literal])+ $Name:ident; )*) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $Name(String);

        impl $Name {
            /// Parses an existing id.
            ///
            /// # Errors
            ///
            /// [`IdError::Empty`], [`IdError::TooLong`] or [`IdError::Control`].
            pub fn parse(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                check(&text)?;
                Ok(Self(text))
            }
            /// Parses a new id. `.` and `..` are refused, because browsers and proxies remove them from URLs.
            ///
            /// # Errors
            ///
            /// Those of [`Self::parse`], and [`IdError::Folder`].
            pub fn parse_new(text: impl Into<String>) -> Result<Self, IdError> {
                let id = Self::parse(text)?;
                if matches!(id.as_str(), "." | "..") { Err(IdError::Folder) } else { Ok(id) }
            }
            /// Makes an id from the number of a UUID.
            pub fn from_uuid(uuid: u128) -> Self {
                let (high, low) = ((uuid >> 64) as u64, uuid as u64);
                Self(format!(
                    "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                    high >> 32,
                    (high >> 16) & 0xffff,
                    high & 0xffff,
                    low >> 48,
                    low & 0xffff_ffff_ffff
                ))
            }
            /// Returns the id unchanged.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": concat!($($doc),+).trim(),
                    "type": "string",
                    "minLength": 1,
                    "maxLength": MAX_CHARS,
                    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
                })
            }
        }
        impl TryFrom<String> for $Name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }
        impl From<$Name> for String {
            fn from(id: $Name) -> Self {
                id.0
            }
        }
        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    )* };
}

ids! {
    /// Our id of a session: a `UUIDv7`.
    SessionId;
    /// Id of a message, unique within its session. The id of an imported message is derived from the agent's own ids.
    MessageId;
    /// Id of an imported or followed file.
    SourceId;
}

#[cfg(test)]
mod tests {
    use super::{IdError, MAX_CHARS, MessageId};

    #[test]
    fn ids_are_parsed_at_the_edge() {
        let parse = |text: &str| MessageId::parse(text).map(String::from);
        assert_eq!(parse(&"ä".repeat(MAX_CHARS)), Ok("ä".repeat(MAX_CHARS)));
        assert_eq!(parse(&"ä".repeat(MAX_CHARS + 1)), Err(IdError::TooLong));
        assert_eq!(parse(""), Err(IdError::Empty));
        assert_eq!(parse("a\nb"), Err(IdError::Control));
        assert_eq!(parse(".."), Ok("..".to_owned()), "what is stored is read");
        for folder in [".", ".."] {
            assert_eq!(MessageId::parse_new(folder), Err(IdError::Folder));
        }
        assert!(MessageId::parse_new("...").is_ok() && MessageId::parse_new(".a").is_ok());
        assert!(serde_json::from_str::<MessageId>("\"\"").is_err());
    }

    #[test]
    fn a_uuid_is_written_in_groups() {
        let id = MessageId::from_uuid(0x0190_5c3c_0a1b_7c2d_8e3f_0a1b_2c3d_4e5f);
        assert_eq!(id.as_str(), "01905c3c-0a1b-7c2d-8e3f-0a1b2c3d4e5f");
        assert_eq!(MessageId::from_uuid(1).as_str(), "00000000-0000-0000-0000-000000000001");
    }
}
