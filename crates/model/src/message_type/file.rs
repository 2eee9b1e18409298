//! FILE: files, by name and content address.

use super::{Payload, strict};
use crate::{Role, text, words};
use serde::{Deserialize, Serialize};

words! {
    /// Whether a file can be read yet.
    FileState {
        Processing = "processing",
        Ready = "ready",
        Error = "error",
    }
}

/// At least one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(deserialize_with = "strict::some_objects")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub files: Vec<FileItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileItem {
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub name: String,
    /// `image/png`.
    pub mime: String,
    /// In bytes.
    pub size: u64,
    /// Content address: `sha256:` and the digest in hex. Absent where the bytes aren't there (yet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    pub state: FileState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub actions: Vec<FileAction>,
}

/// A button on a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileAction {
    pub id: String,
    pub label: String,
}

impl FileItem {
    pub fn is_image(&self) -> bool {
        self.mime.starts_with("image/")
    }
}

/// `512 B`, `1.4 MB`, `793 KB`: powers of 1,000, two or three digits.
pub fn size_text(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes.saturating_mul(10), "B");
    for larger in ["KB", "MB", "GB", "TB"] {
        // What would be rounded up to 1,000 is one of the next unit.
        if tenths < 9_995 {
            break;
        }
        tenths = tenths.saturating_add(500) / 1_000;
        unit = larger;
    }
    if tenths < 100 {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    } else {
        format!("{} {unit}", tenths.saturating_add(5) / 10)
    }
}

impl Payload for File {
    const USUAL_ROLE: Role = Role::User;

    fn summary(&self) -> String {
        let names: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        match self.files.as_slice() {
            [file] => format!("{} ({})", file.name, size_text(file.size)),
            files => format!("{}: {}", text::count(files.len(), "file"), names.join(", ")),
        }
    }

    fn to_markdown(&self) -> String {
        let lines: Vec<String> = self
            .files
            .iter()
            .map(|file| {
                let line = format!("- {} ({}, {})", text::code(&file.name), file.mime, size_text(file.size));
                match (&file.error, file.state) {
                    (Some(error), _) => format!("{line}: {error}"),
                    (None, FileState::Ready) => line,
                    (None, state) => format!("{line}: {state}"),
                }
            })
            .collect();
        lines.join("\n")
    }

    fn example() -> Self {
        Self {
            files: vec![FileItem {
                name: "crash.png".to_owned(),
                mime: "image/png".to_owned(),
                size: 48_213,
                blob: Some("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned()),
                state: FileState::Ready,
                error: None,
                actions: Vec::new(),
            }],
        }
    }

    fn example_content(&self) -> String {
        "This is what I see after the third run".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::size_text;

    #[test]
    fn sizes_read_well() {
        let sizes = [0, 999, 1000, 48_213, 999_999, 1_000_000, 5_300_000_000_000_000];
        assert_eq!(sizes.map(size_text), ["0 B", "999 B", "1.0 KB", "48 KB", "1.0 MB", "1.0 MB", "5300 TB"]);
    }
}
