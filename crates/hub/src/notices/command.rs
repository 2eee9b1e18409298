//! Commands of one's own: what they print is a notice.

use crate::notices::{Provider, RunFolder, absolute, ask, program, timeout};
use futures::future::join_all;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

/// A command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSettings {
    /// Heading of the notice.
    pub name: String,
    /// A program and its arguments. No shell reads them.
    pub command: Vec<String>,
    /// Absolute paths: it runs in the session's working folder, if that lies in one of them. Absent: it runs for each
    /// session, in the server's own folder.
    pub folders: Option<Vec<PathBuf>>,
    /// How long it may take: 1 to 60; 5 if absent.
    pub timeout_seconds: Option<u64>,
}

impl CommandSettings {
    pub(super) fn check(&self, field: &str) -> Result<(), String> {
        if self.name.trim().is_empty() {
            return Err(format!("`{field}.name`: expected a name"));
        }
        program(field, &self.command)?;
        timeout(field, self.timeout_seconds)?;
        absolute(&format!("{field}.folders"), self.folders.as_deref().unwrap_or_default())
    }
}

pub const PROVIDER: Provider = |place| Box::pin(notices(place));

async fn notices(place: Arc<RunFolder>) -> Vec<String> {
    let commands = place.settings.commands.iter().map(|command| notice(&place, command));
    join_all(commands).await.into_iter().flatten().collect()
}

async fn notice(place: &RunFolder, settings: &CommandSettings) -> Option<String> {
    let folder = match &settings.folders {
        Some(folders) => Some(place.folder_in(folders)?),
        None => None,
    };
    let text = ask(place, &settings.command, folder.as_deref(), settings.timeout_seconds).await;
    Some(text).filter(|text| !text.is_empty()).map(|text| format!("{}: {text}", settings.name))
}
