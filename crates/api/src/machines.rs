//! Other machines, whose agents' files are sent here by `verbatim forward`.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// Name by which lists are filtered for the server's own sessions. No machine has it.
pub const LOCAL: &str = "local";
/// Most bytes of pieces in one request.
pub const MOST_PIECES: usize = 1 << 20;
/// Most files in one request.
pub const MOST_FILES: usize = 500;
/// Most bytes of one file.
pub const MOST_FILE: u64 = 4 << 30;

/// Most bytes of a path, and of one part of it.
const PATH_BYTES: usize = 1024;
const PART_BYTES: usize = 255;
/// Most folders above a file, in its agent's folder.
const PARTS: usize = 32;

/// Returns true for the path of a file that can be sent: relative, of plain names, without anything that leads elsewhere.
pub fn is_path(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && part.len() <= PART_BYTES;
    path.len() <= PATH_BYTES
        && path.split('/').count() <= PARTS
        && !path.contains(|c: char| c.is_control() || c == '\\')
        && parts.all(is_plain)
}

/// A machine to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewMachine {
    /// Name by which its sessions are listed, 1 to 60 characters. No other machine has it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub name: String,
}
impl Input for NewMachine {
    const EXAMPLE: &'static str = r#"{"name": "laptop"}"#;
    const REFUSALS: &'static [u16] = &[409];
}

/// Changes to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EditMachine {
    /// The new name, 1 to 60 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub name: String,
}
impl Input for EditMachine {
    const EXAMPLE: &'static str = r#"{"name": "old laptop"}"#;
}

/// A machine whose agents' files are sent here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineInfo {
    /// Id of the machine.
    pub id: String,
    /// Name of the machine.
    pub name: String,
    /// Id of its key. It is no secret.
    pub key: String,
    /// Operating system and processor, as it says. Absent until it was heard of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Version of its program, as it says. Absent until it was heard of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When it was added.
    pub added_at: Micros,
    /// When it was last heard of. Null if it never was.
    pub last_seen_at: Option<Micros>,
    /// True if it was heard of within 90 seconds.
    pub online: bool,
    /// Number of its sessions in the list.
    pub sessions: i64,
}

/// All machines that weren't removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machines {
    /// In the order in which they were added.
    pub machines: Vec<MachineInfo>,
}
impl Reply for Machines {}

/// A new machine, with its key, which no other reply has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineAdded {
    /// The machine.
    pub machine: MachineInfo,
    /// Its key. It can't be read again.
    pub key: String,
}
impl Reply for MachineAdded {
    const STATUSES: &'static [u16] = &[201];
}

/// Path of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachinePath {
    /// Id of the machine, as `GET /v1/machines` lists it.
    pub machine: String,
}

/// Platform and version of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MachineReport {
    /// Operating system and processor, 1 to 60 characters: `linux x86_64`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub platform: String,
    /// Version of its program, 1 to 60 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub version: String,
}
impl Input for MachineReport {
    const EXAMPLE: &'static str = r#"{"platform": "linux x86_64", "version": "0.1.0"}"#;
}

/// What the server says to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineWelcome {
    /// Name of the machine.
    pub name: String,
    /// Id of the server's copies of files. Requests about files name it: another server has none of these copies.
    pub copies: String,
    /// Folders of agents of which it takes files: `.claude/projects`.
    pub folders: Vec<String>,
    /// Version of the server program.
    pub version: String,
}
impl Reply for MachineWelcome {}

/// Files to compare with what the server has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CompareFiles {
    /// `copies` of the reply to `PUT /v1/machine`.
    pub copies: String,
    /// At most 500 files.
    pub files: Vec<MachineFile>,
}
impl Input for CompareFiles {
    const EXAMPLE: &'static str =
        r#"{"copies": "c1", "files": [{"folder": ".claude/projects", "path": "-home-ada-mill/a.jsonl"}]}"#;
    const REFUSALS: &'static [u16] = &[409];
}

/// A file of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MachineFile {
    /// Folder of an agent: `.claude/projects`.
    pub folder: String,
    /// Path in this folder, with `/` between its parts.
    pub path: String,
}

/// What the server has of files, in the order in which they were named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesStored {
    /// The first files of the request.
    pub files: Vec<StoredFile>,
}
impl Reply for FilesStored {}

/// What the server has of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoredFile {
    /// Bytes that the server has; 0 if it has none.
    pub size: u64,
    /// SHA-256 of these bytes, in hex.
    pub sha256: String,
}

/// Bytes of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AppendFiles {
    /// `copies` of the reply to `PUT /v1/machine`.
    pub copies: String,
    /// At most 500 pieces of 1 MiB together.
    pub pieces: Vec<FilePiece>,
}
impl Input for AppendFiles {
    const EXAMPLE: &'static str = r#"{"copies": "c1", "pieces": [{"folder": ".claude/projects", "path": "-home-ada-mill/a.jsonl", "offset": 0, "bytes": "e30K"}]}"#;
    const REFUSALS: &'static [u16] = &[409];
}

/// Consecutive bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FilePiece {
    /// Folder of an agent: `.claude/projects`.
    pub folder: String,
    /// Path in this folder, with `/` between its parts.
    pub path: String,
    /// Where the bytes begin.
    pub offset: u64,
    /// The bytes, in Base64.
    pub bytes: String,
    /// When the file was changed last, if this piece reaches its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<Micros>,
    /// Set if the file is replaced as a whole: its pieces are collected, and take its place when all are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeFile>,
}

/// A file that is replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WholeFile {
    /// Its size in bytes.
    pub size: u64,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
}

/// What the server has of files after their pieces, in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesAppended {
    /// Bytes of each file. Of one that is replaced, bytes that were collected.
    pub sizes: Vec<u64>,
}
impl Reply for FilesAppended {}

#[cfg(test)]
mod tests {
    use super::is_path;

    #[test]
    fn a_path_stays_in_its_folder() {
        for path in ["a.jsonl", "-home-ada/a.jsonl", "a/b/c/..d", "Grüße/☂.json"] {
            assert!(is_path(path), "{path}");
        }
        let long = ["a"; 33].join("/");
        let refused = ["", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", "a\\b", "a\0b", "a\nb", &long];
        for path in refused.into_iter().chain([&*"a".repeat(256)]) {
            assert!(!is_path(path), "{path}");
        }
    }
}
