//! Where agents keep their transcripts. Looking only lists names and sizes; nothing is read without consent.
//!
//! - [`agreed`]: what the owner said of each folder, and what reading a file depends on.
//! - [`look`]: the names below a folder.

pub mod agreed;
pub mod look;

use crate::basics::problem;
use crate::context::{AgentFolder, Consent, Hub, Root};
use crate::imports::name::name;
use agents::Agent;
use agreed::Agreed;
use api::Problem;
use api::imports::FailedFile;
use api::projects::UnreadFolder;
use look::Found;
use std::path::{Path, PathBuf};
use store::{Following, Permission, StoreError};

/// A project's folder with its transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub name: String,
    /// The agent whose folder it is.
    pub agent: &'static str,
    pub files: i64,
    pub bytes: i64,
    /// The permission to read its files.
    pub permission: Permission,
    /// Its present state.
    pub following: Following,
    /// Files that aren't read in any case.
    pub skipped: Vec<FailedFile>,
}

impl AgentFolder {
    /// Lists its files by their names. Opens none.
    pub fn look(&self) -> Found {
        look::look(&self.path, self.folder.endings, self.folder.depth())
    }
}

/// The files of known agents that no reader reads, by the folders in which they lie.
pub async fn unread(hub: &Hub) -> Result<Vec<UnreadFolder>, Problem> {
    let folders = hub.settings.unread.clone();
    let all = move || folders.iter().filter_map(unread_of).collect();
    tokio::task::spawn_blocking(all).await.map_err(|_| Problem::internal())
}

/// Returns the unreadable files in a folder of an agent. None if there are none.
pub fn unread_of(folder: &AgentFolder) -> Option<UnreadFolder> {
    let files = folder.look().files;
    let size = |file: &PathBuf| file.metadata().map_or(0, |data| i64::try_from(data.len()).unwrap_or(i64::MAX));
    (!files.is_empty()).then(|| UnreadFolder {
        path: name(&folder.path),
        agent: folder.agent.name.to_owned(),
        what: folder.agent.file.to_owned(),
        files: i64::try_from(files.len()).unwrap_or(i64::MAX),
        bytes: files.iter().map(size).sum(),
    })
}

/// The root that a configuration folder of Claude Code means.
pub fn root(config_dir: &Path, consent: Consent) -> Root {
    let path = kept_below(config_dir, &agents::CLAUDE);
    Root { path: real(&path), consent, agent: agents::claude::Reader::NAME, folder: agents::CLAUDE }
}

/// Where an agent keeps its transcripts, given the folder that a person named: the folder inside, `projects`, whether
/// or not it exists yet. A folder that holds projects itself is meant itself.
pub fn kept_below(named: &Path, folder: &agents::Folder) -> PathBuf {
    let inside = named.join(folder.inside);
    if !folder.by_project || inside.is_dir() {
        return inside;
    }
    let mut left = look::GLANCE;
    let found = look::glance(named, folder.endings, 2, &mut left).files;
    // It lies beside the projects.
    let holds = found.iter().any(|file| file.file_name().is_some_and(|name| name != "history.jsonl"));
    if holds { named.to_owned() } else { inside }
}

/// The root of an agent that keeps its files in this folder.
pub fn root_of(agent: &'static Agent, folder: agents::Folder, path: &Path, consent: Consent) -> Root {
    Root { path: real(path), consent, agent: agent.name, folder }
}

/// The folders in which files of other machines are kept, for each folder of an agent: with a folder for each machine.
pub fn roots_of_machines(dir: &Path) -> Vec<Root> {
    let folders = agents::AGENTS.iter().filter(|agent| agent.reading.is_some());
    let folders = folders.flat_map(|agent| agent.folders.iter().map(move |folder| (agent.name, *folder)));
    let mut roots: Vec<Root> = folders
        .chain(agents::agent("crush").map(|agent| (agent.name, agents::CRUSH)))
        .map(|(agent, folder)| Root {
            path: dir.join(folder.name()),
            consent: Consent::Machines,
            agent,
            folder: agents::Folder { by_project: true, shallow: false, ..folder },
        })
        .collect();
    // A folder in another one's comes first. Some agents keep the same files elsewhere on other systems.
    roots.sort_by(|a, b| b.path.cmp(&a.path));
    roots.dedup_by(|a, b| a.path == b.path);
    roots
}

/// The path without links; of one that isn't there yet, as far as it is. One spelling per file: sources are known by
/// their path. To name a link is to agree to where it leads.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    match found.and_then(|(part, real)| Some(real.join(path.strip_prefix(part).ok()?))) {
        // Joined with nothing, it would end with a slash.
        Some(real) => real.components().collect(),
        None => path,
    }
}

/// A folder of a root: one right below it, or the root itself, which stands for the files right in it.
#[derive(Clone)]
struct FoundFolder {
    path: PathBuf,
    /// Where it really is, if it is a link or lies behind one.
    leads_to: Option<PathBuf>,
}

impl FoundFolder {
    fn at(path: PathBuf) -> Self {
        let leads_to = path.canonicalize().ok().filter(|real| *real != path);
        Self { path, leads_to }
    }
}

/// The root first, then its folders by name if each is a project.
fn places(root: &Root) -> Vec<FoundFolder> {
    let by_project = root.folder.by_project;
    let root = FoundFolder::at(root.path.clone());
    if !by_project {
        return vec![root];
    }
    let mut folders: Vec<FoundFolder> = std::fs::read_dir(&root.path)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| match entry.file_type().ok()? {
            kind if kind.is_symlink() => Some(FoundFolder::at(entry.path())).filter(|place| place.path.is_dir()),
            kind if !kind.is_dir() => None,
            _ if root.leads_to.is_some() => Some(FoundFolder::at(entry.path())),
            _ => Some(FoundFolder { path: entry.path(), leads_to: None }),
        })
        .collect();
    folders.sort_by(|a, b| a.path.cmp(&b.path));
    folders.insert(0, root);
    folders
}

impl Root {
    /// Returns the permission that files of one of its folders need.
    fn permission(&self, folder: &Path, leads_to: Option<&Path>) -> Permission {
        let unless_said = match (self.consent, leads_to) {
            (Consent::All, _) | (Consent::Given | Consent::Machines, None) => Following::Following,
            (Consent::Given | Consent::Asked | Consent::Machines, _) => Following::Waiting,
        };
        Permission { folder: name(folder), leads_to: leads_to.map(name), unless_said }
    }
}

/// The folders of all roots that hold transcripts, or have something that isn't read.
pub async fn folders(hub: &Hub) -> Result<Vec<Folder>, Problem> {
    look_into(hub, |_| true).await
}

/// The folders that wait for the owner's word. Each page counts them: where all were spoken of, no file is looked at.
pub async fn waiting(hub: &Hub) -> Result<Vec<Folder>, Problem> {
    let mut waiting = look_into(hub, |following| following == Following::Waiting).await?;
    waiting.retain(|folder| folder.files > 0);
    Ok(waiting)
}

async fn look_into(hub: &Hub, which: fn(Following) -> bool) -> Result<Vec<Folder>, Problem> {
    let agreed = Agreed::load(hub).await.map_err(problem)?;
    let all = move || {
        let mut folders = Vec::new();
        let mut left = look::GLANCE;
        for root in agreed.roots() {
            for place in places(root) {
                let permission = root.permission(&place.path, place.leads_to.as_deref());
                let following = agreed.on(&permission);
                if !which(following) {
                    continue;
                }
                // A link may lead anywhere: to the whole disk, or to one that doesn't answer.
                let Found { files, skipped } = match (&place.leads_to, following) {
                    (None, _) | (_, Following::Following) => found(&agreed, root, &place),
                    (Some(_), Following::Excluded) => Found::default(),
                    (Some(_), _) => look::glance(&place.path, root.folder.endings, depth(root, &place), &mut left),
                };
                let is_spoken_of = place.leads_to.is_some() && following == Following::Excluded;
                if files.is_empty() && skipped.is_empty() && !is_spoken_of {
                    continue;
                }
                let size = |file: &PathBuf| file.metadata().map_or(0, |m| i64::try_from(m.len()).unwrap_or(i64::MAX));
                folders.push(Folder {
                    name: if root.folder.by_project { shown(&place.path) } else { kept_in(&place.path) },
                    agent: root.agent,
                    files: i64::try_from(files.len()).unwrap_or(i64::MAX),
                    bytes: files.iter().map(size).sum(),
                    permission,
                    following,
                    skipped,
                });
            }
        }
        folders
    };
    tokio::task::spawn_blocking(all).await.map_err(|_| Problem::internal())
}

/// Its own files alone make the root a project.
fn depth(root: &Root, place: &FoundFolder) -> usize {
    if root.folder.by_project && place.path == root.path { 1 } else { root.folder.depth() }
}

/// Returns the readable files of a folder.
fn found(agreed: &Agreed, root: &Root, place: &FoundFolder) -> Found {
    let mut found = look::look(&place.path, root.folder.endings, depth(root, place));
    let mut skipped = Vec::new();
    found.files.retain(|file| {
        // Only what is or lies behind a link may lie elsewhere.
        if place.leads_to.is_none() && !file.is_symlink() {
            return true;
        }
        let lies = file.canonicalize().map_err(|_| "leads nowhere");
        match lies.and_then(|real| agreed.permissions(file, &real)) {
            Ok(permissions) if permissions.iter().skip(1).all(|one| agreed.on(one) == Following::Following) => true,
            Ok(_) => {
                skipped.push(look::skip(file, agreed::NOT_READ));
                false
            }
            Err(reason) => {
                skipped.push(look::skip(file, reason));
                false
            }
        }
    });
    found.skipped.extend(skipped);
    found.skipped.truncate(look::NAMED);
    found
}

/// All transcripts that the owner lets us read: of the folders of these names, or of all.
pub async fn allowed(hub: &Hub, only: Option<Vec<String>>) -> Result<Vec<PathBuf>, StoreError> {
    let agreed = Agreed::load(hub).await?;
    let all = move || {
        let mut files = Vec::new();
        for root in agreed.roots() {
            for place in places(root) {
                let wanted = only.as_ref().is_none_or(|only| only.contains(&name(&place.path)));
                let following = agreed.on(&root.permission(&place.path, place.leads_to.as_deref()));
                if wanted && following == Following::Following {
                    files.append(&mut found(&agreed, root, &place).files);
                }
            }
        }
        files
    };
    tokio::task::spawn_blocking(all).await.map_err(|error| StoreError::Io(std::io::Error::other(error)))
}

/// Where the links lead that the owner agreed to. Each is named by its own path.
pub async fn followed_links(hub: &Hub) -> Result<Vec<(PathBuf, PathBuf)>, StoreError> {
    let agreed = Agreed::load(hub).await?;
    let all = move || agreed.followed().iter().map(|link| (link.path.clone(), link.place.clone())).collect();
    tokio::task::spawn_blocking(all).await.map_err(|error| StoreError::Io(std::io::Error::other(error)))
}

impl Root {
    /// The folder of a file that is allowed or not: a project right below the root, or the root itself.
    fn folder_of(&self, file: &Path) -> PathBuf {
        let below = file.strip_prefix(&self.path).ok().filter(|_| self.folder.by_project).and_then(|rest| {
            let mut parts = rest.components();
            let first = parts.next()?;
            parts.next().map(|_| self.path.join(first))
        });
        below.unwrap_or_else(|| self.path.clone())
    }

    /// Returns the permission that a file needs which isn't behind a link.
    pub(crate) fn permission_of(&self, file: &Path) -> Permission {
        self.permission(&self.folder_of(file), None)
    }

    /// Returns the machine that a file below it is from. None of files of this machine.
    pub(crate) fn machine(&self, file: &Path) -> Option<String> {
        let below = file.strip_prefix(&self.path).ok().filter(|_| self.consent == Consent::Machines)?;
        below.components().next().map(|first| name(Path::new(first.as_os_str())))
    }

    /// Whether a path is one of the files that it is about.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.path) && look::is_named(path, self.folder.endings)
    }
}

/// The last two parts of a folder's path: `.codex/sessions`.
fn kept_in(folder: &Path) -> String {
    let parts: Vec<_> = folder.components().rev().take(2).map(|part| name(Path::new(part.as_os_str()))).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// A working directory as Claude Code names its folder: every character but letters and digits is a dash.
pub fn coded(directory: &str) -> String {
    directory.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The best name that can be shown unread.
fn shown(folder: &Path) -> String {
    let last = folder.file_name().map(|n| name(Path::new(n))).unwrap_or_default();
    let short = last.trim_start_matches('-');
    if short.is_empty() { name(folder) } else { short.to_owned() }
}

/// The roots by name: as the files below them are called in the store.
pub struct NamedRoots(Vec<Root>);

impl NamedRoots {
    pub fn of(roots: &[Root]) -> Self {
        Self(roots.iter().map(|root| Root { path: PathBuf::from(name(&root.path)), ..root.clone() }).collect())
    }

    /// The name of the project's folder of a file below one of them, given the file's name.
    pub fn folder_of(&self, file: &str) -> Option<String> {
        let file = Path::new(file);
        Some(self.0.iter().find(|root| file.starts_with(&root.path))?.folder_of(file).display().to_string())
    }
}
