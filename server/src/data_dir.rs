//! Where everything lies, and the credential by which commands reach a running server.

use crate::cli::Data;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use store::Database;

/// A running server's address and key, readable by its owner only.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    pub url: String,
    pub key: String,
}

/// The database's file in the data directory.
pub const DATABASE: &str = "verbatim.db";

/// Names the data directory of the last server that was started on another one than commands look into.
const ELSEWHERE: &str = "server-data-dir";

const CREDENTIAL: &str = "server.json";

/// The key of agents' hooks.
const HOOK_KEY: &str = "hooks.key";

/// The id of the server, where others may use its database.
const SERVER_ID: &str = "server.id";

/// When the server makes backups.
pub const BACKUP_PLAN: &str = "backup.json";

/// The socket by which a newer server takes over.
pub const SOCKET: &str = "server.sock";

/// The page that `--open` gives to the browser.
const LAUNCH: &str = "open.html";

/// The folder of transcripts of agents that write none themselves.
pub const TRANSCRIPTS: &str = "transcripts";

/// The folder of the copies of other machines' files.
pub const MACHINES: &str = "machines";

/// Returns true if the name is that of one of Verbatim's files in the data directory.
pub fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(DATABASE)
        || matches!(
            &*name,
            BACKUP_PLAN | CREDENTIAL | HOOK_KEY | SERVER_ID | LAUNCH | SOCKET | "server.lock" | "reserve"
        )
}

/// The data directory, absolute.
pub fn path(data: &Data) -> Result<PathBuf> {
    let dir = match &data.data_dir {
        Some(dir) => dir.clone(),
        None => usual().context("this system names no folder for data\nName one with `--data-dir`")?,
    };
    std::path::absolute(&dir).with_context(|| format!("{} isn't a usable path", dir.display()))
}

/// The database that the options name.
pub fn database(data: &Data, dir: &Path) -> Result<Database> {
    match &data.database {
        None => Ok(Database::Sqlite(dir.join(DATABASE))),
        Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            Ok(Database::Postgres(url.clone()))
        }
        Some(_) => anyhow::bail!("`--database` should be a URL like `postgres://user@host/name`"),
    }
}

/// The database that the options name, which is there already.
pub fn existing_database(data: &Data, dir: &Path) -> Result<Database> {
    let database = database(data, dir)?;
    match &database {
        Database::Sqlite(file) if !file.is_file() => {
            anyhow::bail!("there is no database at {}\nName its folder with `--data-dir`", file.display())
        }
        _ => Ok(database),
    }
}

/// So many of `connections` as the system lets us have open, beside files. Asks for as many as it allows.
pub fn descriptors(connections: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        /// For files, the listener, and connections to a database.
        const OTHERS: u64 = 128;
        let limit = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: limit.maximum, ..limit };
        let current = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
        let allowed = current.map_or(u64::MAX, |current| current.saturating_sub(OTHERS).max(OTHERS));
        connections.min(usize::try_from(allowed).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    connections
}

/// The credential of the server that runs on this data directory, if one does.
pub fn credential(dir: &Path) -> Option<Credential> {
    serde_json::from_slice(&std::fs::read(dir.join(CREDENTIAL)).ok()?).ok()
}

/// Writes the credential, 0600. It ends with the server, by [`remove_credential`].
pub fn write_credential(dir: &Path, credential: &Credential) -> Result<()> {
    write_private(&dir.join(CREDENTIAL), &serde_json::to_vec(credential)?)
}

/// Writes a page that leads to a log-in link, 0600, and returns its path. Other programs see the arguments of a
/// browser, but not this file. [`remove_launch_page`] takes it back.
pub fn write_launch_page(dir: &Path, url: &str) -> Result<PathBuf> {
    let path = dir.join(LAUNCH);
    let page = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Verbatim</title>\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<p><a href=\"{url}\">Open Verbatim</a></p>\n"
    );
    write_private(&path, page.as_bytes())?;
    Ok(path)
}

/// Returns the file that holds the key of agents' hooks.
pub fn hook_key(dir: &Path) -> PathBuf {
    dir.join(HOOK_KEY)
}

/// Writes the key of agents' hooks, 0600.
pub fn write_hook_key(path: &Path, key: &str) -> Result<()> {
    write_private(path, format!("{key}\n").as_bytes())
}

/// Returns the id of the server on this data directory, which stays the same. The first call makes it.
pub fn server_id(dir: &Path) -> Result<String> {
    let path = dir.join(SERVER_ID);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if !known.trim().is_empty() {
        return Ok(known.trim().to_owned());
    }
    let id = uuid::Uuid::now_v7().to_string();
    write_private(&path, id.as_bytes())?;
    Ok(id)
}

pub fn remove_launch_page(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(LAUNCH));
}

/// Writes a file that only its owner reads.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        // A new file each time: an old one might have been opened by somebody, or have other rights.
        let _ = std::fs::remove_file(path);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        std::io::Write::write_all(&mut options.open(path)?, bytes)
    };
    write().with_context(|| format!("{} can't be written", path.display()))
}

pub fn remove_credential(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(CREDENTIAL));
}

/// Creates the data directory, or a folder in it, which only its owner enters. An existing one is left as it is.
pub fn create(dir: &Path) -> std::io::Result<()> {
    store::private_dir(dir)
}

/// Returns the file that names the data directory of a server started elsewhere.
fn elsewhere_file() -> Option<PathBuf> {
    Some(dirs::cache_dir()?.join("verbatim").join(ELSEWHERE))
}

/// Returns the usual data directory: where commands look that are told nothing else.
fn usual() -> Option<PathBuf> {
    Some(dirs::data_dir()?.join("verbatim"))
}

/// Returns the data directory of the last server that was started on another one than the usual. It may have ended.
pub fn elsewhere() -> Option<PathBuf> {
    std::fs::read_to_string(elsewhere_file()?).ok().map(PathBuf::from)
}

/// Notes where a server is that commands don't find by themselves. Best effort: `--data-dir` finds it too.
pub fn note_elsewhere(dir: &Path) {
    let note = || -> Option<()> {
        let (file, dir) = (elsewhere_file()?, dir.to_str()?);
        if usual().as_deref() == Some(Path::new(dir)) {
            return None;
        }
        std::fs::create_dir_all(file.parent()?).ok()?;
        std::fs::write(file, dir).ok()
    };
    note();
}

/// Takes the note back, unless it is about a later server.
pub fn forget_elsewhere(dir: &Path) {
    if elsewhere().as_deref() == Some(dir)
        && let Some(file) = elsewhere_file()
    {
        let _ = std::fs::remove_file(file);
    }
}
