//! The branch of the working folder, and what isn't committed in it.

use crate::notices::{Provider, RunFolder, bounded, process};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);
/// Names of changed files that a notice has.
const NAMES: usize = 20;

/// Git runs only below folders that the owner named: the settings of a repository can make it run programs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitSettings {
    /// Absolute paths.
    pub folders: Vec<PathBuf>,
}

pub const PROVIDER: Provider = |place| Box::pin(notices(place));

async fn notices(place: Arc<RunFolder>) -> Vec<String> {
    match &place.settings.git {
        Some(settings) => notice(&place, &settings.folders).await.into_iter().collect(),
        None => Vec::new(),
    }
}

/// Returns the state of the working folder, if it lies in one of `folders`.
pub(super) async fn notice(place: &RunFolder, folders: &[PathBuf]) -> Option<String> {
    let folder = place.folder_in(folders)?;
    let command = [
        "git",
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
    ];
    let command = command.map(str::to_owned);
    match process::run(&command, Some(&folder), &place.settings.environment, LIMIT).await {
        Ok(output) if output.failed.is_none() => Some(bounded(&state(&output.text, output.cut), false)),
        // Not a repository.
        Ok(_) => None,
        Err(reason) => Some(format!("git: unknown: {reason}")),
    }
}

/// The notice for a status. Of one that was cut the counts are too small.
fn state(status: &str, was_cut: bool) -> String {
    let (mut branch, mut distance, mut names) = ("an unknown commit", "", Vec::new());
    let mut entries = status.split('\0');
    while let Some(entry) = entries.next() {
        if let Some(head) = entry.strip_prefix("# branch.head ") {
            branch = head;
        } else if let Some(ab) = entry.strip_prefix("# branch.ab ") {
            distance = ab;
        } else if let Some((kind, rest)) = entry.split_once(' ') {
            // How many fields stand before the name.
            let name = match kind {
                "1" => rest.splitn(8, ' ').nth(7),
                "2" => {
                    // A renamed file's former name follows.
                    entries.next();
                    rest.splitn(9, ' ').nth(8)
                }
                "u" => rest.splitn(10, ' ').nth(9),
                "?" => Some(rest),
                _ => None,
            };
            names.extend(name);
        }
    }
    let ahead = distance.split(' ').filter_map(|part| match part.split_at_checked(1) {
        Some(("+", n)) if n != "0" => Some(format!(", ahead of its upstream by {n}")),
        Some(("-", n)) if n != "0" => Some(format!(", behind its upstream by {n}")),
        _ => None,
    });
    let mut text = format!("git: branch `{branch}`{}", ahead.collect::<String>());
    if names.is_empty() {
        return format!("{text}. Everything is committed");
    }
    let at_least = if was_cut { "at least " } else { "" };
    let files = if names.len() == 1 { "file" } else { "files" };
    text.push_str(&format!(". Not committed: {at_least}{} {files}", names.len()));
    for name in names.iter().take(NAMES) {
        text.push_str(&format!("\n- {name}"));
    }
    if names.len() > NAMES {
        text.push_str(&format!("\n- and {} more", names.len() - NAMES));
    }
    text
}
