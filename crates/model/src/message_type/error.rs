//! ERROR: an error, optionally with a stack trace.

use super::{MessageType, Payload, strict};
use crate::{Draft, Micros, Role, text};
use serde::{Deserialize, Serialize};

/// An error of the agent or its provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Error {
    /// Kind of the error: `rate_limit`, `TypeError`.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub error_type: String,
    /// Error message for people.
    pub message: String,
    /// Stack trace, innermost call first.
    #[serde(default, deserialize_with = "strict::objects")]
    pub frames: Vec<Frame>,
    /// Whether a retry may help; unknown if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// When the agent retries.
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
    /// Line number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Name of the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The line of source code.
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

/// Path fragments of libraries and runtimes.
const LIBRARIES: [&str; 14] = [
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    ".cargo/",
    ".rustup/",
    "/rustc/",
    "/usr/lib",
    "/usr/local/lib",
    "/lib/python",
    "/go/pkg/mod/",
    ".venv/",
    ".pyenv/",
    "node:",
    "<frozen ",
];

impl Frame {
    /// Returns true for a frame of the project's own code: its file is relative or in one of the folders, and not in a
    /// library. Empty folders are ignored; without any folder, every file outside of libraries is own code.
    pub fn is_own(&self, folders: &[&str]) -> bool {
        let Some(file) = self.file.as_deref().map(|file| file.replace('\\', "/")).filter(|file| !file.is_empty())
        else {
            return false;
        };
        let is_absolute = file.starts_with('/') || file.get(1..3) == Some(":/");
        let lies_in = |folder: &str| {
            let folder = folder.replace('\\', "/");
            file.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut folders = folders.iter().filter(|folder| !folder.is_empty()).peekable();
        let is_near = !is_absolute || folders.peek().is_none() || folders.any(|folder| lies_in(folder));
        is_near && !LIBRARIES.iter().any(|library| file.contains(library))
    }
}

/// Returns true for a failed request to the model that was retried. Agents that count attempts mark it.
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

#[cfg(test)]
mod tests {
    use super::Frame;

    #[test]
    fn own_code_lies_in_the_folder_and_in_no_library() {
        let own =
            |file: &str, folders: &[&str]| Frame { file: Some(file.to_owned()), ..Frame::default() }.is_own(folders);
        let folder = ["", "/home/ada/mill/"];
        assert!(own("src/main.rs", &folder));
        assert!(own("/home/ada/mill/src/main.rs", &folder));
        assert!(own("C:\\mill\\main.py", &["C:\\mill"]));
        assert!(own("/srv/app.py", &[""]), "where no folder is known");
        assert!(!own("/home/ada/mill-2/main.rs", &folder));
        assert!(!own("/srv/app.py", &folder));
        assert!(!own("/home/ada/mill/node_modules/x/index.js", &folder));
        assert!(!own("node_modules/x/index.js", &folder));
        assert!(!own("/usr/lib/python3.12/json/decoder.py", &[]));
        assert!(!own("node:internal/process", &folder));
        assert!(!Frame::default().is_own(&folder));
    }
}
