//! Where agents keep their transcripts. Looking only lists names and sizes; nothing is read without consent.

use crate::{Consent, Hub, Root, problem};
use api::Problem;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use store::{Following, Permission};
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
    walk(WalkDir::new(folder).sort_by_file_name()).collect()
}

/// All files below a folder that may be transcripts, whatever their names, in a stable order. One that a link leads to has
/// the path that it leads to. Of a configuration folder of Claude Code they are those of its projects.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let projects = folder.join("projects");
    let configures =
        || ["settings.json", "history.jsonl", ".credentials.json"].iter().any(|name| folder.join(name).is_file());
    let folder = if projects.is_dir() && configures() { &projects } else { folder };
    let files = WalkDir::new(folder).sort_by_file_name().follow_links(true).into_iter();
    let files = files.filter_entry(|entry| entry.file_name() != ".git").filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_file() && !goes_with_transcripts(folder, entry.path()));
    files.map(|entry| if entry.path_is_symlink() { canonical(entry.path()) } else { entry.into_path() }).collect()
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Does Claude Code keep a file beside its transcripts, as what a sub-agent is for, long output and memories?
fn goes_with_transcripts(root: &Path, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let below = path.strip_prefix(root).unwrap_or(path);
    let inside = |folder: &str| below.components().rev().skip(1).any(|part| part.as_os_str() == folder);
    let transcript = name.ends_with(".jsonl");
    name.ends_with(".meta.json")
        || matches!(&*name, "sessions-index.json" | ".DS_Store" | "Thumbs.db")
        || (!transcript && (inside("tool-results") || inside("memory")))
}

fn walk(folder: WalkDir) -> impl Iterator<Item = PathBuf> {
    // A project's folder may be a link to another place.
    let files = folder.follow_links(true).into_iter().filter_map(Result::ok);
    files
        .filter(|e| e.file_type().is_file() && e.path().extension().is_some_and(|x| x == "jsonl"))
        .map(walkdir::DirEntry::into_path)
}

/// The folders that wait for the owner's word. Each page counts them: where all were spoken of, no file is looked at.
pub async fn waiting(hub: &Hub) -> Result<Vec<Folder>, Problem> {
    let said = hub.workspace.projects().await.map_err(problem)?;
    let said: HashMap<String, Following> = said.into_iter().map(|project| (project.path, project.following)).collect();
    let roots = hub.settings.roots.clone();
    let waits = move |path: &Path, root: &Root| {
        let word = said.get(&path.display().to_string()).copied();
        word.unwrap_or(root.unless_said()) == Following::Waiting
    };
    let all = move || {
        let mut waiting = Vec::new();
        for root in &roots {
            let folders = walk(WalkDir::new(&root.path).max_depth(1)).map(|_| root.path.clone()).take(1);
            for folder in folders.chain(subfolders(&root.path)).filter(|path| waits(path, root)) {
                // Its own files alone make the root a project.
                let depth = if folder == root.path { 1 } else { usize::MAX };
                let files: Vec<PathBuf> = walk(WalkDir::new(&folder).max_depth(depth)).collect();
                waiting.extend(folders_of(root, files));
            }
        }
        waiting
    };
    tokio::task::spawn_blocking(all).await.map_err(|_| Problem::internal())
}

fn subfolders(root: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = WalkDir::new(root).min_depth(1).max_depth(1).follow_links(true).into_iter().filter_map(Result::ok);
    folders.filter(|entry| entry.file_type().is_dir()).map(walkdir::DirEntry::into_path)
}

/// The folders below all roots that hold transcripts.
pub async fn folders(hub: &Hub) -> Result<Vec<Folder>, Problem> {
    let roots = hub.settings.roots.clone();
    let all = move || roots.iter().flat_map(|root| folders_of(root, transcripts_below(&root.path))).collect();
    tokio::task::spawn_blocking(all).await.map_err(|_| Problem::internal())
}

impl Root {
    /// What holds for its folders unless the owner said otherwise.
    fn unless_said(&self) -> Following {
        match self.consent {
            Consent::Given => Following::Following,
            Consent::Asked => Following::Waiting,
        }
    }
}

/// The folders of files below a root.
fn folders_of(root: &Root, files: Vec<PathBuf>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for file in files {
        let bytes = file.metadata().map_or(0, |m| i64::try_from(m.len()).unwrap_or(i64::MAX));
        let folder = folder_of(&root.path, &file).display().to_string();
        // Files of one folder mostly follow each other.
        match folders.iter_mut().rfind(|known| known.path == folder) {
            Some(known) => {
                known.files += 1;
                known.bytes += bytes;
            }
            None => folders.push(Folder {
                name: name(&folder),
                path: folder,
                files: 1,
                bytes,
                unless_said: root.unless_said(),
            }),
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

/// The project's folder of a file below one of the roots.
pub fn folder_below(roots: &[Root], file: &str) -> Option<String> {
    let file = Path::new(file);
    let root = roots.iter().find(|root| file.starts_with(&root.path))?;
    Some(folder_of(&root.path, file).display().to_string())
}

/// The owner's word that reading a file depends on: the one on its folder. None of a file that belongs to no root.
pub fn permission(hub: &Hub, file: &Path) -> Option<Permission> {
    let root = hub.settings.roots.iter().find(|root| file.starts_with(&root.path))?;
    let folder = folder_of(&root.path, file).display().to_string();
    Some(Permission { folder, unless_said: root.unless_said() })
}

/// May this file be read? Only if it belongs to a root, and the owner's word on its folder is "follow".
pub async fn may_read(hub: &Hub, file: &Path) -> Result<bool, store::StoreError> {
    match permission(hub, file) {
        Some(permission) => hub.workspace.may_follow(&permission).await,
        None => Ok(false),
    }
}
