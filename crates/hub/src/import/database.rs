//! A database, each session of which is a document of its own: `<database>/<session>.json` of `OpenCode`,
//! `<database>/<chat>.jsonl` of the older chat host.
//!
//! A database changes in place, so its bytes are nobody's transcript. What is stored, and exported again, is the document of each
//! session as `store::opencode` and `store::chat_host` write it: `docs/decisions/databases.md`.

use super::transcript::{Ending, Step, Transcript};
use crate::files::name::name;
use crate::files::open::Opened;
use crate::retry::retry_transient;
use crate::{Hub, clock};
use agents::SessionKey;
use model::Micros;
use model::source::Source;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Read as _, Result, Seek as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use store::Batch;
use store::chat_host::ChatHost;
use store::foreign::ForeignError;
use store::opencode::{OpenCode, OpenCodeSession};
use tokio::runtime::Handle;

/// What each `SQLite` file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How the name of a file ends that is written before the database itself.
const AHEAD: &str = ".db-wal";

/// Returns whether a file is a database, by its first bytes.
pub fn is_database(mut file: &File) -> Result<bool> {
    file.rewind()?;
    let mut beginning = [0; MAGIC.len()];
    match file.read_exact(&mut beginning) {
        Ok(()) => Ok(beginning == *MAGIC),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The database that a file belongs to which is written before it; any other path as it is.
pub fn written_to(path: PathBuf) -> PathBuf {
    let text = path.as_os_str().to_str().filter(|text| text.ends_with(AHEAD));
    match text.and_then(|text| text.strip_suffix("-wal")) {
        Some(database) => PathBuf::from(database),
        None => path,
    }
}

/// The file to which a database at this path is written first; None of other files.
pub fn ahead_of(path: &Path) -> Option<PathBuf> {
    let is_database = path.extension().is_some_and(|ending| ending == "db");
    is_database.then(|| store::foreign::ahead_of(path))
}

/// Reads the sessions that changed since they were read. `real` is where the database really lies.
///
/// # Errors
///
/// Fails with a text that goes on from the database's name, or when `each` fails.
pub fn read(
    hub: &Hub,
    runtime: &Handle,
    path: &Path,
    real: &Path,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    if let Some(mut database) = runtime.block_on(ChatHost::open(real)).map_err(failed)? {
        let read = read_chats(hub, runtime, path, real, &mut database, each);
        runtime.block_on(database.close());
        return read;
    }
    let mut database = match runtime.block_on(OpenCode::open(real)) {
        Err(error @ ForeignError::Schema(..)) => return Err(unknown(runtime, real, error)),
        opened => opened.map_err(failed)?,
    };
    let read = read_sessions(hub, runtime, path, real, &mut database, each);
    runtime.block_on(database.close());
    read
}

/// Why a database isn't read that isn't as `OpenCode`'s are: whose it is.
fn unknown(runtime: &Handle, real: &Path, error: ForeignError) -> Error {
    let tables = runtime.block_on(store::foreign::tables(real)).unwrap_or_default();
    let is_opencode = ["session", "message", "part"].iter().all(|name| tables.iter().any(|table| table == name));
    let refusal = agents::recognise_tables(&tables).refusal().filter(|_| !is_opencode);
    refusal.map_or_else(|| failed(error), Error::other)
}

fn read_sessions(
    hub: &Hub,
    runtime: &Handle,
    path: &Path,
    real: &Path,
    database: &mut OpenCode,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    let agent = agents::agent("opencode").ok_or_else(|| Error::other("nobody reads it"))?;
    let sessions = runtime.block_on(database.sessions()).map_err(failed)?;
    // It becomes the name of a source.
    let is_name = |id: &str| id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    for session in sessions.into_iter().filter(|session| is_name(&session.id)) {
        let path = path.join(format!("{}.json", session.id));
        let path_name = name(&path);
        let known = runtime.block_on(retry_transient(hub, || hub.workspace.source_by_path(&path_name)));
        let known = known.map_err(|error| Error::other(crate::problem(error).to_string()))?;
        let version = agent.reading.map(|reading| reading.version);
        if let Some(known) = known.as_ref().filter(|known| is_current(known, &session, version)) {
            each(unchanged(known, session.id))?;
            continue;
        }
        let document = tempfile::tempfile()?;
        runtime.block_on(database.export(&session.id, &mut BufWriter::new(&document))).map_err(failed)?;
        let changed = Duration::from_millis(u64::try_from(session.updated_ms).unwrap_or(0));
        document.set_modified(SystemTime::UNIX_EPOCH + changed)?;
        let opened = Opened { file: document, real: real.to_owned() };
        let stop = hub.shutdown.clone();
        Transcript::open(&path, opened, agent, known.as_ref(), stop, each)?.read_on(Ending::Final, each)?;
    }
    Ok(())
}

/// Reads the chats of the older chat host, each as a document that is named after it.
fn read_chats(
    hub: &Hub,
    runtime: &Handle,
    path: &Path,
    real: &Path,
    database: &mut ChatHost,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    let agent = agents::agent(agents::chat_host::CHAT_HOST).ok_or_else(|| Error::other("nobody reads it"))?;
    let changed = real.metadata()?.modified()?;
    for chat in runtime.block_on(database.chats()).map_err(failed)? {
        // An address may hold anything.
        let file: String = chat.chars().map(|c| if matches!(c, '/' | '\\' | '\0') { '_' } else { c }).collect();
        let path = path.join(format!("{file}.jsonl"));
        let path_name = name(&path);
        let known = runtime.block_on(retry_transient(hub, || hub.workspace.source_by_path(&path_name)));
        let known = known.map_err(|error| Error::other(crate::problem(error).to_string()))?;
        let document = tempfile::tempfile()?;
        runtime.block_on(database.export(&chat, &mut BufWriter::new(&document))).map_err(failed)?;
        document.set_modified(changed)?;
        let opened = Opened { file: document, real: real.to_owned() };
        let stop = hub.shutdown.clone();
        Transcript::open(&path, opened, agent, known.as_ref(), stop, each)?.read_on(Ending::Final, each)?;
    }
    Ok(())
}

/// Is what is stored of a session what the database has?
fn is_current(known: &Source, session: &OpenCodeSession, version: Option<i32>) -> bool {
    known.modified_at == Some(Micros(session.updated_ms.saturating_mul(1000))) && Some(known.reader_version) == version
}

/// A step that writes nothing.
fn unchanged(known: &Source, session: String) -> Step {
    let batch = Batch { now: clock::now(), ..Batch::default() };
    Step { batch, bytes: known.size, notes: 0, sessions: vec![SessionKey(session)], restored: 0 }
}

fn failed(error: ForeignError) -> Error {
    match error {
        ForeignError::Io(error) => error,
        other => Error::other(other.to_string()),
    }
}
