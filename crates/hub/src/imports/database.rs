//! A database, each session of which is a document of its own: `<database>/<session>.json` of `OpenCode`, Crush, Goose
//! and Cursor, `<database>/<chat>.jsonl` of the older chat host.
//!
//! A database changes in place, so its bytes are nobody's transcript. What is stored, and exported again, is the
//! document of each session as `store::opencode`, `store::session_rows`, `store::cursor_chat` and `store::chat_host`
//! write it: `docs/decisions/databases.md`.

use crate::basics::clock;
use crate::context::Hub;
use crate::context::retry::retry_transient;
use crate::imports::name::name;
use crate::imports::open::Opened;
use crate::imports::transcript::{Ending, Step, Transcript};
use agents::{Agent, Recognised, SessionKey};
use model::Micros;
use model::source::Source;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Read as _, Result, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use store::Batch;
use store::chat_host::ChatHost;
use store::cursor_chat::CursorChat;
use store::foreign::ForeignError;
use store::opencode::OpenCode;
use store::session_rows::{self, Layout, SessionRows};
use tokio::runtime::Handle;

/// The first bytes of an `SQLite` file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How the name of a file ends that is written before the database itself.
const AHEAD: &str = ".db-wal";
/// Times of an agent that counts in seconds: in the same one, more may be written.
const SECOND_MS: i64 = 1000;

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
    if let Some(mut database) = runtime.block_on(CursorChat::open(real)).map_err(failed)? {
        let read = read_cursor_chat(hub, runtime, (path, real), &mut database, each);
        runtime.block_on(database.close());
        return read;
    }
    let tables = runtime.block_on(store::foreign::tables(real)).map_err(failed)?;
    let found = agents::recognise_tables(&tables);
    if let Recognised::Agent(found) = found
        && let (Some(layout), Some(agent)) = (session_rows::layout(found.name), agents::agent(found.name))
    {
        let mut database = runtime.block_on(SessionRows::open(real, layout)).map_err(failed)?;
        let read = read_rows(hub, runtime, (path, real), (agent, layout), &mut database, each);
        runtime.block_on(database.close());
        return read;
    }
    let is_opencode = ["session", "message", "part"].iter().all(|name| tables.iter().any(|table| table == name));
    if let Some(refusal) = found.refusal().filter(|_| !is_opencode) {
        return Err(Error::other(refusal));
    }
    let mut database = runtime.block_on(OpenCode::open(real)).map_err(failed)?;
    let read = read_sessions(hub, runtime, path, real, &mut database, each);
    runtime.block_on(database.close());
    read
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
        let document = Document { agent, path: path.join(format!("{}.json", session.id)), real };
        let mut write = |file: &File| {
            let mut to = BufWriter::new(file);
            runtime.block_on(database.export(&session.id, &mut to)).and_then(|()| Ok(to.flush()?))
        };
        document.read(hub, runtime, (&session.id, session.updated_ms), &mut write, each)?;
    }
    Ok(())
}

/// Reads the sessions of a database with a row for each.
fn read_rows(
    hub: &Hub,
    runtime: &Handle,
    (path, real): (&Path, &Path),
    (agent, layout): (&'static Agent, &'static Layout),
    database: &mut SessionRows,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    // Crush keeps its database in a folder of the project.
    let folder = real.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".crush"));
    let project = folder.and_then(Path::parent).filter(|_| layout.agent == "crush").map(project_of);
    let now = clock::now().0 / 1000;
    for session in runtime.block_on(database.sessions()).map_err(failed)? {
        let document = Document { agent, path: path.join(format!("{}.json", file_name(&session.id))), real };
        let mut write = |file: &File| {
            let mut to = BufWriter::new(file);
            let export = database.export(&session.id, project.as_deref(), &mut to);
            runtime.block_on(export).and_then(|()| Ok(to.flush()?))
        };
        // A session that may change within its second is read again the next time.
        let is_over = now.saturating_sub(session.updated_ms) > SECOND_MS;
        let updated = if is_over { session.updated_ms } else { session.updated_ms - 1 };
        document.read(hub, runtime, (&session.id, updated), &mut write, each)?;
    }
    Ok(())
}

/// The project of a folder. In the copies of another machine's files, the last part of a path is that of the project.
fn project_of(folder: &Path) -> String {
    let sent = folder.file_name().map(|last| name(Path::new(last))).filter(|last| last.starts_with("%2F"));
    sent.map_or_else(|| name(folder), |last| last.replace("%2F", "/").replace("%25", "%"))
}

/// Reads a chat of Cursor's command line, which has a database of its own. It has one id with the chat's transcript: of
/// both, the one that was read first stays.
fn read_cursor_chat(
    hub: &Hub,
    runtime: &Handle,
    (path, real): (&Path, &Path),
    database: &mut CursorChat,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    let agent = agents::agent_of(agents::CURSOR_CHAT).ok_or_else(|| Error::other("nobody reads it"))?;
    let folder = real.parent().and_then(Path::file_name).map(|folder| name(Path::new(folder)));
    let Some(id) = database.id().or(folder).filter(|_| !database.is_empty()) else { return Ok(()) };
    let document = Document { agent, path: path.join(format!("{}.json", file_name(&id))), real };
    if super::is_read_elsewhere(hub, runtime, agent, &document.path)? {
        return Ok(());
    }
    let changed = [Some(real.to_owned()), ahead_of(real)].into_iter().flatten();
    let changed = changed.filter_map(|file| super::transcript::modified_at(&file.metadata().ok()?)).max();
    let changed_ms = changed.map_or(0, |at| at.0 / 1000);
    let mut write = |file: &File| {
        let mut to = BufWriter::new(file);
        runtime.block_on(database.export(changed_ms, &mut to)).and_then(|()| Ok(to.flush()?))
    };
    document.read(hub, runtime, (&id, changed_ms), &mut write, each)
}

/// An id as the name of a file: what isn't a letter, a digit, `_` or `-` is written as its bytes.
fn file_name(id: &str) -> String {
    let character = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => char::from(byte).to_string(),
        byte => format!("%{byte:02x}"),
    };
    id.bytes().map(character).collect()
}

/// The document of a session, by the path that it has in the store.
struct Document<'a> {
    agent: &'static Agent,
    path: PathBuf,
    /// Where the database lies.
    real: &'a Path,
}

impl Document<'_> {
    /// Reads it, unless what is stored of it is what the database has: the session of this id, which changed last at
    /// this time in milliseconds.
    fn read(
        &self,
        hub: &Hub,
        runtime: &Handle,
        (id, updated_ms): (&str, i64),
        write: &mut dyn FnMut(&File) -> std::result::Result<(), ForeignError>,
        each: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        let path_name = name(&self.path);
        let known = runtime.block_on(retry_transient(hub, || hub.workspace.source_by_path(&path_name)));
        let known = known.map_err(super::failed)?;
        let version = self.agent.reading.map(|reading| reading.version);
        if let Some(known) = known.as_ref().filter(|known| is_current(known, updated_ms, version)) {
            return each(unchanged(known, id.to_owned()));
        }
        let document = tempfile::tempfile()?;
        write(&document).map_err(failed)?;
        let changed = Duration::from_millis(u64::try_from(updated_ms).unwrap_or(0));
        document.set_modified(SystemTime::UNIX_EPOCH + changed)?;
        let opened = Opened { file: document, real: self.real.to_owned() };
        let stop = hub.shutdown.clone();
        let mut transcript = Transcript::open(&self.path, opened, self.agent, known.as_ref(), stop, each)?;
        transcript.read_on(Ending::Final, each)
    }
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
        let known = known.map_err(super::failed)?;
        let document = tempfile::tempfile()?;
        runtime.block_on(database.export(&chat, &mut BufWriter::new(&document))).map_err(failed)?;
        document.set_modified(changed)?;
        let opened = Opened { file: document, real: real.to_owned() };
        let stop = hub.shutdown.clone();
        Transcript::open(&path, opened, agent, known.as_ref(), stop, each)?.read_on(Ending::Final, each)?;
    }
    Ok(())
}

/// Returns true if the stored session matches the database.
fn is_current(known: &Source, updated_ms: i64, version: Option<i32>) -> bool {
    known.modified_at == Some(Micros(updated_ms.saturating_mul(1000))) && Some(known.reader_version) == version
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
