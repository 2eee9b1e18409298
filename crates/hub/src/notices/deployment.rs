//! The deployed version, from a file or a command.

use crate::notices::{BYTES, Provider, RunFolder, absolute, ask, bounded, program, timeout};
use serde::Deserialize;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Either a file or a command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeploymentSettings {
    /// A text file.
    pub file: Option<PathBuf>,
    /// A program and its arguments.
    pub command: Option<Vec<String>>,
    /// How long the command may take: 1 to 60; 5 if absent.
    pub timeout_seconds: Option<u64>,
}

impl DeploymentSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        timeout("deployment", self.timeout_seconds)?;
        match (&self.file, &self.command) {
            (Some(file), None) => absolute("deployment.file", std::slice::from_ref(file)),
            (None, Some(command)) => program("deployment", command),
            _ => Err("`deployment`: expected either `file` or `command`".to_owned()),
        }
    }
}

pub const PROVIDER: Provider = |place| Box::pin(notices(place));

async fn notices(place: Arc<RunFolder>) -> Vec<String> {
    let Some(settings) = &place.settings.deployment else { return Vec::new() };
    let text = match (&settings.file, &settings.command) {
        (Some(file), _) => file_text(file.clone()).await,
        (None, Some(command)) => ask(&place, command, None, settings.timeout_seconds).await,
        (None, None) => return Vec::new(),
    };
    vec![format!("Deployment: {text}")]
}

/// Returns the text of a file, or why it can't be read.
pub(super) async fn file_text(file: PathBuf) -> String {
    let read = tokio::task::spawn_blocking(move || read(&file)).await;
    read.unwrap_or_else(|_| "unknown: the file can't be read".to_owned())
}

/// The text of a file. What isn't a plain file isn't opened: a pipe would never end.
fn read(file: &Path) -> String {
    let unknown = |reason: String| format!("unknown: {} can't be read: {reason}", file.display());
    match std::fs::metadata(file) {
        Ok(about) if about.is_file() => {}
        Ok(_) => return unknown("it isn't a file".to_owned()),
        Err(error) => return unknown(error.to_string()),
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| open.take(BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => bounded(&String::from_utf8_lossy(&bytes), bytes.len() > BYTES),
        Err(error) => unknown(error.to_string()),
    }
}
