//! Which files belong to a project: by the folder in which their agent works.

use super::found::Found;
use agents::{Change, Recognised};
use hub::imports::database::is_database;
use model::worktree::repository;
use std::collections::HashMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes at the beginning of a file in which its folder is looked for.
const BEGINNING: u64 = 1 << 20;
/// Bytes at its end by which it may be known whose it is.
const END: i64 = 256 << 10;

/// The projects that are sent.
pub struct Projects {
    /// Folders, or their names.
    named: Vec<String>,
    /// Whether a file belongs to one of them, once that is known.
    known: HashMap<PathBuf, bool>,
}

impl Projects {
    pub fn new(named: Vec<String>) -> Self {
        Self { named, known: HashMap::new() }
    }

    /// Returns true if a file is known to be of one of the projects.
    pub fn holds(&mut self, found: &Found) -> bool {
        if let Some(known) = self.known.get(&found.path) {
            return *known;
        }
        let Some(folders) = folders(found).filter(|folders| !folders.is_empty()) else { return false };
        // A session that was ever in another project isn't only this one's.
        let holds = folders.iter().all(|folder| self.named.iter().any(|named| is_in(folder, named)));
        self.known.insert(found.path.clone(), holds);
        holds
    }
}

fn is_in(folder: &str, named: &str) -> bool {
    let folder = Path::new(repository(folder).0);
    folder.starts_with(named) || folder.file_name().is_some_and(|name| name == named)
}

/// The folders in which the sessions of a file work, as far as its beginning says. None if nobody reads it so.
fn folders(found: &Found) -> Option<Vec<String>> {
    let file = found.open().ok()?.file;
    if is_database(&file).ok()? {
        return None;
    }
    let (mut beginning, mut end) = (Vec::new(), Vec::new());
    let mut file = &file;
    file.rewind().ok()?;
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    if beginning.len() as u64 == BEGINNING {
        file.seek(SeekFrom::End(-END)).ok()?;
        file.take(END.unsigned_abs()).read_to_end(&mut end).ok()?;
    }
    let path = found.path.to_string_lossy();
    let recognised = match agents::keeper(&path) {
        Some(keeper) => agents::recognise_kept(keeper, &beginning, &end),
        None => agents::recognise(&beginning, &end),
    };
    let Recognised::Agent(agent) = recognised else { return None };
    let mut reader = (agent.reading?.open)(&path, None);
    let mut changes = Vec::new();
    reader.push(&beginning, &mut changes);
    if end.is_empty() {
        reader.finish(&mut changes);
    }
    let mut folders: Vec<String> = Vec::new();
    for change in changes {
        let Change::Session { facts, .. } = change else { continue };
        folders.extend(facts.project.or(facts.cwd).filter(|folder| !folders.contains(folder)));
    }
    Some(folders)
}
