//! The files of this machine's agents, by the names that the server knows them by.

use super::project::Projects;
use crate::cli::Forward;
use crate::commands::folders;
use crate::printing::note;
use anyhow::{Context as _, Result};
use api::machines::{MachineFile, is_path};
use hub::AgentFolder;
use hub::imports::database;
use hub::imports::open::{self, Opened};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file to send.
#[derive(Debug, Clone)]
pub struct Found {
    pub file: MachineFile,
    pub path: PathBuf,
    /// The folder of its agent, which it lies in, by its real path.
    root: PathBuf,
    /// Lies beside a transcript, whose reader takes it as well.
    pub is_beside: bool,
}

impl Found {
    /// Opens it. Fails for what isn't a regular file, and for what lies elsewhere.
    pub fn open(&self) -> std::io::Result<Opened> {
        let opened = open::regular(&self.path)?;
        if opened.real.starts_with(&self.root) {
            return Ok(opened);
        }
        Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "leads out of its agent's folder"))
    }
}

pub struct Finder {
    exclude: Vec<PathBuf>,
    only: Option<Projects>,
    /// What was said of a file isn't said again.
    said: BTreeSet<PathBuf>,
}

impl Finder {
    pub fn new(args: &Forward) -> Result<Self> {
        let real = |dir: &PathBuf| {
            dir.canonicalize().with_context(|| format!("`--exclude {}` names no folder", dir.display()))
        };
        let exclude = args.exclude.iter().map(real).collect::<Result<_>>()?;
        let only = (!args.only.is_empty()).then(|| Projects::new(args.only.clone()));
        Ok(Self { exclude, only, said: BTreeSet::new() })
    }

    /// Folders that are watched, and whether only files right in them count.
    pub fn folders() -> Vec<(PathBuf, bool)> {
        folders::readable().map(|here| (here.path, here.folder.shallow)).collect()
    }

    /// All files of all agents.
    pub fn all(&mut self) -> Vec<Found> {
        self.found(|_| true, |_| true)
    }

    /// The files that changed: those of these paths, and what goes with them.
    pub fn of(&mut self, changed: &[PathBuf]) -> Vec<Found> {
        let changed: BTreeSet<PathBuf> = changed.iter().cloned().map(database::written_to).collect();
        let is_in = |folder: &Path| {
            changed.iter().any(|path| path.starts_with(folder))
                || folder.ancestors().any(|above| changed.contains(above))
        };
        self.found(is_in, |path| path.ancestors().any(|above| changed.contains(above)))
    }

    /// Returns the wanted files of the folders to look into.
    fn found(&mut self, looks_into: impl Fn(&Path) -> bool, is_wanted: impl Fn(&Path) -> bool) -> Vec<Found> {
        let mut all = Vec::new();
        for here in folders::readable().filter(|here| looks_into(&here.path)) {
            let Ok(root) = here.path.canonicalize() else { continue };
            if self.exclude.iter().any(|excluded| root.starts_with(excluded)) {
                continue;
            }
            for path in here.look().files {
                let beside = here.agent.reading.and_then(|reading| reading.beside(&path)).map(|(beside, _)| beside);
                let beside = beside.filter(|beside| beside.is_file());
                if !is_wanted(&path) && !beside.as_deref().is_some_and(&is_wanted) {
                    continue;
                }
                if self.exclude.iter().any(|excluded| path.starts_with(excluded)) {
                    continue;
                }
                if path.is_symlink() {
                    self.skip(&path, "is a link");
                    continue;
                }
                let Some(found) = self.file(&here, &root, path) else { continue };
                if self.only.as_mut().is_some_and(|only| !only.holds(&found)) {
                    continue;
                }
                let beside = beside.and_then(|beside| self.file(&here, &root, beside));
                all.extend(beside.map(|beside| Found { is_beside: true, ..beside }));
                all.push(found);
            }
        }
        all
    }

    fn file(&mut self, here: &AgentFolder, root: &Path, path: PathBuf) -> Option<Found> {
        let below = path.strip_prefix(&here.path).ok()?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        let relative = parts.map(|parts| parts.join("/")).map(|below| match here.folder {
            // Each project has a folder.
            agents::CRUSH => format!("{}/{below}", project_folder(&here.path)),
            _ => below,
        });
        let Some(relative) = relative.filter(|relative| is_path(relative)) else {
            self.skip(&path, "has a name that can't be sent");
            return None;
        };
        let file = MachineFile { folder: here.folder.name(), path: relative };
        Some(Found { file, path, root: root.to_owned(), is_beside: false })
    }

    fn skip(&mut self, path: &Path, why: &str) {
        if self.said.insert(path.to_owned()) {
            note(&format!("{} {why}, and isn't sent", path.display()));
        }
    }
}

/// The folder of a project's database, with the project's folder as one part.
fn project_folder(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let project = folder.parent().unwrap_or(folder).to_string_lossy();
    format!("{}/{name}", project.replace('%', "%25").replace('/', "%2F"))
}
