//! Where agents keep their transcripts. Looking only lists names and sizes; nothing is read without consent.

use crate::{Consent, Hub, Root};
use api::Problem;
use std::path::{Path, PathBuf};
use store::Following;
use walkdir::WalkDir;

/// A project's folder with its transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub path: String,
    pub name: String,
    pub files: i64,
    pub bytes: i64,
    /// What holds unless the owner said otherwise.
    pub unless_said: Following,
}

/// The root that a configuration folder of Claude Code means: its `projects` folder, or the folder itself.
pub fn root(config_dir: &Path, consent: Consent) -> Root {
    let projects = config_dir.join("projects");
    let path = if projects.is_dir() { projects } else { config_dir.to_owned() };
    // One spelling per file: sources are known by their path.
    Root { path: path.canonicalize().unwrap_or(path), consent }
}

/// All transcripts below a folder, in a stable order.
pub fn transcripts_below(folder: &Path) -> Vec<PathBuf> {
    let files = WalkDir::new(folder).follow_links(false).sort_by_file_name().into_iter().filter_map(Result::ok);
    files
        .filter(|e| e.file_type().is_file() && e.path().extension().is_some_and(|x| x == "jsonl"))
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// The folders below all roots that hold transcripts.
pub async fn folders(hub: &Hub) -> Result<Vec<Folder>, Problem> {
    let roots = hub.settings.roots.clone();
    let all = move || roots.iter().flat_map(folders_of).collect();
    tokio::task::spawn_blocking(all).await.map_err(|_| Problem::internal())
}

fn folders_of(root: &Root) -> Vec<Folder> {
    let unless_said = match root.consent {
        Consent::Given => Following::Following,
        Consent::Asked => Following::Waiting,
    };
    let mut folders: Vec<Folder> = Vec::new();
    for file in transcripts_below(&root.path) {
        let bytes = file.metadata().map_or(0, |m| i64::try_from(m.len()).unwrap_or(i64::MAX));
        let folder = folder_of(&root.path, &file).display().to_string();
        match folders.iter_mut().find(|f| f.path == folder) {
            Some(known) => {
                known.files += 1;
                known.bytes += bytes;
            }
            None => folders.push(Folder { name: name(&folder), path: folder, files: 1, bytes, unless_said }),
        }
    }
    folders
}

/// The project's folder of a file: the one right below the root, or the root itself.
pub fn folder_of(root: &Path, file: &Path) -> PathBuf {
    let below = file.strip_prefix(root).ok().and_then(|rest| {
        let mut parts = rest.components();
        let first = parts.next()?;
        parts.next().map(|_| root.join(first))
    });
    below.unwrap_or_else(|| root.to_owned())
}

/// A working directory as Claude Code names its folder: every character but letters and digits is a dash.
pub fn coded(directory: &str) -> String {
    directory.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The best name that can be shown unread.
fn name(folder: &str) -> String {
    let last = Path::new(folder).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let name = last.trim_start_matches('-');
    if name.is_empty() { folder.to_owned() } else { name.to_owned() }
}

/// May this file be read? Only if it belongs to a root, and the owner's word on its folder is "follow".
pub async fn may_read(hub: &Hub, file: &Path) -> Result<bool, store::StoreError> {
    let Some(root) = hub.settings.roots.iter().find(|r| file.starts_with(&r.path)) else { return Ok(false) };
    let folder = folder_of(&root.path, file).display().to_string();
    Ok(match hub.workspace.project(&folder).await? {
        Some(project) => project.following == Following::Following,
        None => root.consent == Consent::Given,
    })
}
