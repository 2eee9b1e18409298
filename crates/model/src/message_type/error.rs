//! ERROR: something went wrong, with a stack trace where there is one.

use super::{MessageType, Payload, strict};
use crate::{Draft, Micros, Role, text};
use serde::{Deserialize, Serialize};

/// Something that went wrong in the agent or at its provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Error {
    /// `rate_limit`, `TypeError`.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub error_type: String,
    /// What went wrong, for people.
    pub message: String,
    /// Innermost call first.
    #[serde(default, deserialize_with = "strict::objects")]
    pub frames: Vec<Frame>,
    /// Trying again may help; unknown if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// When the agent tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Micros>,
}

/// One call of a stack trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Path of the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Name of the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The line of source that was running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Frame {
    /// Returns `file:line in function`, as far as known; `?` for an unknown file.
    pub fn place(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        let function = self.function.as_ref().map_or(String::new(), |function| format!(" in {function}"));
        format!("{}{line}{function}", self.file.as_deref().unwrap_or("?"))
    }
}

/// Returns whether it is a request to the model that failed and was tried again. Agents that count their attempts say
/// so.
pub fn is_attempt(draft: &Draft) -> bool {
    let counts = draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key("retry_attempt"));
    counts && draft.message_type() == MessageType::Error
}

impl Payload for Error {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        format!("{}: {}", self.error_type, self.message)
    }

    fn to_markdown(&self) -> String {
        let head = format!("**{}**: {}", self.error_type, self.message);
        if self.frames.is_empty() {
            return head;
        }
        let lines: Vec<String> = self
            .frames
            .iter()
            .map(|frame| match &frame.code {
                Some(code) => format!("{}\n    {code}", frame.place()),
                None => frame.place(),
            })
            .collect();
        format!("{head}\n\n{}", text::fence("", &lines.join("\n")))
    }

    fn example() -> Self {
        Self {
            error_type: "overloaded".to_owned(),
            message: "the model's provider is overloaded".to_owned(),
            frames: vec![Frame {
                file: Some("src/client.rs".to_owned()),
                line: Some(112),
                function: Some("send".to_owned()),
                code: Some("let reply = self.http.execute(request).await?;".to_owned()),
            }],
            retryable: Some(true),
            retry_at: Some(Micros(1_767_225_630_000_000)),
        }
    }
}
