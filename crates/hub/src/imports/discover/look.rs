//! Names below a folder. Nothing is opened, and no link to a folder is followed but the folder itself.

use crate::imports::name::name;
use crate::imports::open;
use api::imports::FailedFile;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Entries that are looked at in folders that nobody agreed to, which may be large: in all of them together.
pub const GLANCE: usize = 10_000;
/// Maximum number of skipped files that are listed per folder.
pub const NAMED: usize = 50;
/// How the files end that tell what a sub-agent is for.
const BESIDE: &str = ".meta.json";
/// How the files end that tell more of a transcript of the same name.
const SETTINGS: &str = ".settings.json";
/// The transcript of a Cline task, and the files beside it: the messages that a person saw, and metadata of read files.
const TASK: &str = "api_conversation_history.json";
const OF_TASK: [&str; 4] = ["ui_messages.json", "task_metadata.json", "context_history.json", "history_item.json"];
/// How the files end that belong to a database of the same name.
const OF_DATABASE: [&str; 2] = ["-wal", "-shm"];

/// Contents of a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// Files, and links to files: where these lead is found out before they are read.
    pub files: Vec<PathBuf>,
    /// Files that match by name, but can't be read.
    pub skipped: Vec<FailedFile>,
}

pub fn skip(path: &Path, reason: impl Into<String>) -> FailedFile {
    FailedFile { path: name(path), reason: reason.into() }
}

/// Whether a name ends in one of these ways. One with a folder before it, `notes/.txt`, means files below such a
/// folder.
pub fn is_named(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let is_below = |folder: &str| path.components().rev().skip(1).any(|part| part.as_os_str() == folder);
    endings.iter().any(|ending| match ending.rsplit_once('/') {
        Some((folder, ending)) => name.ends_with(ending.as_bytes()) && is_below(folder),
        None => name.ends_with(ending.as_bytes()),
    })
}

/// Transcripts, whose names end in one of these ways, up to so many folders below one, in a stable order.
pub fn look(folder: &Path, endings: &[&str], depth: usize) -> Found {
    let entries = WalkDir::new(folder).max_depth(depth).sort_by_file_name().into_iter().filter_map(Result::ok);
    transcripts(entries, endings, depth)
}

/// Like [`look`], but gives up after so many entries, which are taken off what is left.
pub fn glance(folder: &Path, endings: &[&str], depth: usize, left: &mut usize) -> Found {
    let entries = WalkDir::new(folder).max_depth(depth).into_iter().filter_map(Result::ok);
    let mut seen = 0;
    let found = transcripts(entries.take(*left).inspect(|_| seen += 1), endings, depth);
    *left -= seen;
    found
}

fn transcripts(entries: impl Iterator<Item = DirEntry>, endings: &[&str], depth: usize) -> Found {
    let mut found = Found::default();
    for entry in entries.filter(|entry| entry.depth() > 0) {
        let path = entry.path();
        let beside = is_named(path, &[BESIDE]);
        let transcript = !beside && is_named(path, endings);
        let kind = entry.file_type();
        let reason = if kind.is_dir() {
            None
        } else if kind.is_file() {
            let large = beside && entry.metadata().is_ok_and(|metadata| metadata.len() > open::SMALL);
            large.then_some(open::TOO_LARGE)
        } else if kind.is_symlink() {
            match path.metadata() {
                // A folder right below the root is a project of its own.
                Ok(target) if target.is_dir() => (depth > 1).then_some("is a link to a folder"),
                Ok(target) if target.is_file() => beside.then_some("is a link"),
                Ok(_) => (transcript || beside).then_some("leads to what is no file"),
                Err(_) => transcript.then_some("leads nowhere"),
            }
        } else {
            open::special(path).filter(|_| transcript || beside)
        };
        match reason {
            Some(reason) if found.skipped.len() < NAMED => found.skipped.push(skip(path, reason)),
            None if transcript && !kind.is_dir() => found.files.push(entry.into_path()),
            Some(_) | None => {}
        }
    }
    found
}

/// All files below a folder that may be transcripts, whatever their names, in a stable order. Of a configuration folder
/// of Claude Code they are those of its projects. The path must be the real one: what leads out of it is skipped.
pub fn files_below(folder: &Path) -> Found {
    let projects = folder.join("projects");
    let configures =
        || ["settings.json", "history.jsonl", ".credentials.json"].iter().any(|name| folder.join(name).is_file());
    let is_real = || projects.canonicalize().is_ok_and(|real| real == projects);
    let inner = if projects.is_dir() && is_real() && configures() { &projects } else { folder };
    let entries = WalkDir::new(inner).sort_by_file_name().into_iter();
    let mut found = Found::default();
    for entry in entries.filter_entry(|entry| entry.file_name() != ".git").filter_map(Result::ok) {
        let kind = entry.file_type();
        let path = entry.path();
        if kind.is_dir() || goes_with_transcripts(inner, path) {
            continue;
        }
        if kind.is_file() {
            found.files.push(entry.into_path());
        } else if kind.is_symlink() {
            // The target of a link that stays inside is found by itself.
            match path.canonicalize() {
                Ok(real) if real.starts_with(folder) => {}
                Ok(real) => found.skipped.push(skip(path, format!("leads to {}, which wasn't named", name(&real)))),
                Err(_) => found.skipped.push(skip(path, "leads nowhere")),
            }
        } else if let Some(reason) = open::special(path) {
            found.skipped.push(skip(path, reason));
        }
    }
    found
}

/// Returns the name of the database that a file of this name belongs to.
fn database_of(name: &str) -> Option<&str> {
    let database = OF_DATABASE.iter().find_map(|ending| name.strip_suffix(ending))?;
    Path::new(database).extension().is_some_and(|ending| ending == "db").then_some(database)
}

/// Returns the transcript that a file belongs to which an agent keeps beside it, if that is there: of what a person saw
/// of a task, what was said in it; of settings, the session; of what was written ahead, the database. Any other file
/// stands for itself.
pub fn transcript_of(path: PathBuf) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_session = [BESIDE, SETTINGS].iter().find_map(|ending| name.strip_suffix(ending));
    let of_database = database_of(&name);
    let transcript = match (of_session, of_database) {
        (Some(session), _) => path.with_file_name(format!("{session}.jsonl")),
        (_, Some(database)) => path.with_file_name(database),
        _ if OF_TASK.contains(&&*name) => path.with_file_name(TASK),
        _ => return path,
    };
    // A link would lead elsewhere.
    if transcript.symlink_metadata().is_ok_and(|file| file.is_file()) { transcript } else { path }
}

/// Returns true for files that agents store beside transcripts: descriptions of sub-agents, long output, memories,
/// parts of databases.
fn goes_with_transcripts(root: &Path, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let below = path.strip_prefix(root).unwrap_or(path);
    let inside = |folder: &str| below.components().rev().skip(1).any(|part| part.as_os_str() == folder);
    let transcript = name.ends_with(".jsonl");
    let of_transcript = |of: &str| path.with_file_name(format!("{of}.jsonl")).is_file();
    name.ends_with(BESIDE)
        || name.strip_suffix(SETTINGS).is_some_and(of_transcript)
        || database_of(&name).is_some()
        || matches!(&*name, "sessions-index.json" | ".DS_Store" | "Thumbs.db")
        // Qwen Code: how far it has read sessions for its memory.
        || (matches!(&*name, "meta.json" | "extract-cursor.json") && path.with_file_name("chats").is_dir())
        || (OF_TASK.contains(&&*name) && path.with_file_name(TASK).is_file())
        // OpenHands: the settings of a conversation, and marks of how many events it has.
        || (name == "base_state.json" && path.with_file_name("events").is_dir())
        || (name.starts_with(".eventlog") && inside("events"))
        || (!transcript && (inside("tool-results") || inside("memory")))
}
