//! Where agents keep their files on this machine, and `verbatim import --list`.

use super::text::one_line;
use super::{print, print_json};
use agents::{AGENTS, Base, Folder};
use anyhow::Result;
use hub::AgentFolder;
use hub::discover::kept_below;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Returns the folders of all agents.
fn all() -> impl Iterator<Item = AgentFolder> {
    let folders = AGENTS.iter().flat_map(|agent| agent.folders.iter().map(move |folder| (agent, *folder)));
    let folders = folders.filter_map(|(agent, folder)| Some(AgentFolder { agent, folder, path: path(&folder)? }));
    folders.chain(crush())
}

/// Returns the folders of Crush's projects, each of which has a database, as Crush lists them.
fn crush() -> Vec<AgentFolder> {
    let list = path(&agents::CRUSH).map(|folder| folder.join("projects.json"));
    let list = list.and_then(|list| std::fs::read(list).ok()).unwrap_or_default();
    let folder = |path| Some(AgentFolder { agent: agents::agent("crush")?, folder: agents::CRUSH, path });
    agents::crush_folders(&list).into_iter().filter_map(folder).collect()
}

/// Returns the folders of the agents whose files are read.
pub fn readable() -> impl Iterator<Item = AgentFolder> {
    all().filter(|folder| folder.agent.reading.is_some())
}

/// Returns the folders with files that no reader reads.
pub fn unreadable() -> impl Iterator<Item = AgentFolder> {
    all().filter(|folder| folder.agent.reading.is_none())
}

fn path(folder: &Folder) -> Option<PathBuf> {
    let named = folder.variable.and_then(std::env::var_os).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = named {
        return Some(kept_below(&named, folder));
    }
    let base = match folder.base {
        Base::Home => dirs::home_dir(),
        Base::Config => dirs::config_dir(),
        Base::Data if cfg!(windows) => dirs::data_local_dir(),
        Base::Data => std::env::var_os("XDG_DATA_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| Some(dirs::home_dir()?.join(".local/share"))),
    };
    Some(base?.join(folder.path).join(folder.inside).components().collect())
}

/// Prints the folders that exist, with the size of what is in them and whether it can be read.
pub fn list(json: bool) -> Result<()> {
    let found: Vec<_> = all().filter(|here| here.path.is_dir()).map(|here| (here.look(), here)).collect();
    let bytes = |files: &[PathBuf]| -> u64 {
        files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
    };
    if json {
        let rows = found.iter().map(|(found, here)| {
            let skipped: Vec<_> = found.skipped.iter().map(|file| [&file.path, &file.reason]).collect();
            serde_json::json!({
                "agent": here.agent.name, "title": here.agent.title, "path": here.path, "files": found.files.len(),
                "bytes": bytes(&found.files), "readable": here.agent.reading.is_some(), "skipped": skipped,
            })
        });
        return print_json(&rows.collect::<Vec<_>>());
    }
    if found.is_empty() {
        return print(
            "No folder of an agent is on this machine. `verbatim import PATH` imports files from elsewhere.\n",
        );
    }
    let mut text = String::new();
    for (found, here) in &found {
        let unread = || format!(", {}; not readable yet", here.agent.file);
        let readable = if here.agent.reading.is_some() { String::new() } else { unread() };
        let (title, files) = (here.agent.title, found.files.len());
        let size = app::figures::bytes(bytes(&found.files));
        writeln!(text, "{title:<14} {files:>6} files {size:>9}  {}{readable}", one_line(&shown(&here.path)))?;
        for file in &found.skipped {
            writeln!(text, "               not read: {}: {}", one_line(&file.path), one_line(&file.reason))?;
        }
    }
    print(&text)
}

/// The path, with `~` for the home folder.
fn shown(path: &Path) -> String {
    let home = dirs::home_dir().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    home.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()))
}
