//! FILE: files by name and content hash.

mod preview;

pub use preview::Preview;

use super::{Payload, strict};
use crate::{Micros, Role, text, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// State of a file.
    FileState {
        /// Still being uploaded or read.
        Processing = "processing",
        /// `blob` is set.
        Ready = "ready",
        /// It can't be read. `error` has the reason.
        Error = "error",
    }
}

/// One or more files, shown with previews and buttons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Files, in display order.
    #[serde(deserialize_with = "strict::some_objects")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub files: Vec<FileItem>,
}

/// One file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileItem {
    /// Name without a folder.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub name: String,
    /// Media type: `image/png`.
    pub mime: String,
    /// Size in bytes.
    pub size: u64,
    /// Content hash: `sha256:` and the digest in hex. Absent if the content isn't stored (yet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// State of the file.
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "ready")))]
    pub state: FileState,
    /// Error message for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Buttons, of which a person can press one per file.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub actions: Vec<FileAction>,
}

/// A button on a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileAction {
    /// Id of the button in the answer.
    pub id: String,
    /// Label of the button; the id if it is blank.
    pub label: String,
}

/// Extra with the pressed buttons: an array of [`Chosen`].
pub const CHOSEN: &str = "chosen";

/// A button that a person pressed. The first one per file counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Index of the file in its message, from 0.
    pub file: usize,
    /// Id of the button.
    pub action: String,
    /// When it was pressed.
    pub at: Micros,
}

impl File {
    /// Returns the pressed button of the file with this index, from 0. Ids of buttons that the file doesn't have are
    /// ignored.
    pub fn chosen(&self, extras: Option<&Map<String, Value>>, file: usize) -> Option<&FileAction> {
        let chosen = extras?.get(CHOSEN)?.as_array()?;
        let mut of_it = chosen.iter().filter_map(|one| Chosen::deserialize(one).ok()).filter(|one| one.file == file);
        let actions = &self.files.get(file)?.actions;
        of_it.find_map(|one| actions.iter().find(|action| action.id == one.action))
    }

    /// Returns true if a button can still be pressed.
    pub fn asks(&self, extras: Option<&Map<String, Value>>) -> bool {
        let open = |(n, file): (usize, &FileItem)| !file.actions.is_empty() && self.chosen(extras, n).is_none();
        self.files.iter().enumerate().any(open)
    }
}

impl FileAction {
    /// Returns the label of the button.
    pub fn name(&self) -> &str {
        if self.label.trim().is_empty() { &self.id } else { &self.label }
    }
}

impl FileItem {
    /// Returns the digest, 64 hex digits; None if `blob` is absent or invalid.
    pub fn digest(&self) -> Option<&str> {
        let blob = self.blob.as_deref()?;
        let digest = blob.strip_prefix("sha256:").unwrap_or(blob);
        (digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digest)
    }

    /// Returns true if the media type is that of an image. The content isn't checked.
    pub fn is_image(&self) -> bool {
        self.mime.starts_with("image/")
    }
}

/// Returns a size for people in powers of 1,000, with two or three digits: `512 B`, `1.4 MB`, `793 KB`.
pub fn size_text(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes.saturating_mul(10), "B");
    for larger in ["KB", "MB", "GB", "TB"] {
        // 999.5 and more would be shown as 1,000: use the next unit.
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
