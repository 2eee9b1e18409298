//! One transcript file, read step by step, from where the last step ended.

use crate::basics::clock;
use crate::basics::new_id::new_uuid;
use crate::imports::batch::Sessions;
use crate::imports::discover::agreed::Allowed;
use crate::imports::name::name;
use crate::imports::open::Opened;
use crate::imports::{batch, open};
use agents::{Agent, Change, Reader, Reading, SessionKey, Span};
use model::source::Source;
use model::{Micros, SessionFacts, SourceId};
use sha2::{Digest as _, Sha256};
use std::fs::{File, Metadata};
use std::io::{Read as _, Result, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use store::{Batch, RecordChunk, Retraction, SourceBatch};
use tokio_util::sync::CancellationToken;

/// Bytes of a step: large enough to spread the cost of a commit, small enough to let live writes through.
const BLOCK: usize = 512 << 10;

/// Bytes at the end of what was read by which a rewritten file is known.
const TAIL: usize = 256;

/// The content of one transaction, with its progress.
pub struct Step {
    pub batch: Batch,
    /// Bytes of the file that it covers; unchanged ones count.
    pub bytes: u64,
    /// Unreadable lines among them.
    pub notes: u64,
    /// The agent's own ids of the file's sessions so far.
    pub sessions: Vec<SessionKey>,
    /// Messages that are stored already: those of an archive.
    pub restored: u64,
}

impl Step {
    /// Makes it depend on permissions: it is written only while the owner gives them.
    pub fn depending_on(mut self, allowed: &Allowed) -> Self {
        self.batch.permissions.clone_from(&allowed.permissions);
        self.batch.machine.clone_from(&allowed.machine);
        self
    }

    /// Returns true if it writes nothing.
    pub fn is_empty(&self) -> bool {
        self.batch.source.is_none() && self.batch.messages.is_empty() && self.batch.sessions.is_empty()
    }
}

/// A file that was written to in the last so many seconds may be in use.
const FRESH: Duration = Duration::from_mins(1);

/// When a file was changed last; None if the system doesn't say.
pub fn modified_at(metadata: &Metadata) -> Option<Micros> {
    let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Micros(i64::try_from(since.as_micros()).ok()?))
}

/// How to treat a last line without a line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is all there will be: read it, or make it a note.
    Final,
    /// The agent may be writing it: hold it back.
    Growing,
}

impl Ending {
    /// Returns the treatment for a followed file, by the time of its last change.
    pub fn of(file: &File) -> Self {
        file.metadata().ok().and_then(|metadata| modified_at(&metadata)).map_or(Self::Growing, Self::at)
    }

    /// The same of a file that was changed last at this time.
    pub fn at(modified: Micros) -> Self {
        let fresh = i64::try_from(FRESH.as_micros()).unwrap_or(i64::MAX);
        if clock::now().0.saturating_sub(modified.0) > fresh { Self::Final } else { Self::Growing }
    }
}

type Each<'a> = &'a mut dyn FnMut(Step) -> Result<()>;

/// A file with the state that reading on needs.
pub struct Transcript {
    path: PathBuf,
    opened: Opened,
    source: SourceId,
    agent: &'static Agent,
    reading: Reading,
    reader: Box<dyn Reader>,
    hasher: Sha256,
    /// Bytes read and hashed.
    size: u64,
    /// The last bytes of these.
    tail: Vec<u8>,
    /// The stored bytes are another file's, or an older reader read them: the first step drops them.
    replace: bool,
    /// When the file was changed last, as the store knows it.
    stored_at: Option<Micros>,
    sessions: Sessions,
    /// Ends the reading, wherever it is.
    stop: CancellationToken,
}

impl Transcript {
    /// Opens a file of an agent. What is stored of it already is read again, but not handed out, unless an older reader
    /// read it, or another agent's.
    pub fn open(
        path: &Path,
        opened: Opened,
        agent: &'static Agent,
        known: Option<&Source>,
        stop: CancellationToken,
        each: Each<'_>,
    ) -> Result<Self> {
        let mut transcript = Self::fresh(path, opened, agent, known, stop)?;
        let Some(known) = known else { return Ok(transcript) };
        if known.reader_version < transcript.reading.version || known.reader != agent.name {
            transcript.replace = true;
            return Ok(transcript);
        }
        let mut changes = Vec::new();
        let mut step = transcript.empty_step();
        while transcript.size < known.size {
            let left = known.size - transcript.size;
            let block = transcript.block(left.min(BLOCK as u64) as usize)?;
            if block.is_empty() {
                break;
            }
            transcript.reader.push(&block, &mut changes);
            transcript.sessions.extend(changes.drain(..).filter_map(session));
            step.bytes += block.len() as u64;
        }
        if transcript.size == known.size && transcript.sha256() == known.sha256 {
            transcript.stored_at = known.modified_at;
            each(Step { sessions: transcript.empty_step().sessions, ..step })?;
            return Ok(transcript);
        }
        let Self { opened, stop, .. } = transcript;
        let mut transcript = Self::fresh(path, opened, agent, Some(known), stop)?;
        transcript.replace = true;
        Ok(transcript)
    }

    fn fresh(
        path: &Path,
        opened: Opened,
        agent: &'static Agent,
        known: Option<&Source>,
        stop: CancellationToken,
    ) -> Result<Self> {
        let reading = agent.reading.ok_or_else(|| std::io::Error::other("isn't readable yet"))?;
        // It lies beside the file itself: a link to one elsewhere isn't followed.
        let beside = reading.beside(&opened.real).and_then(|(beside, most)| open::up_to(beside, most).ok());
        let source = known.map_or_else(new_source_id, |k| k.id.clone());
        Ok(Self {
            agent,
            reading,
            reader: (reading.open)(&name(path), beside.as_deref()),
            path: path.to_owned(),
            opened,
            stop,
            source,
            hasher: Sha256::new(),
            size: 0,
            tail: Vec::new(),
            replace: false,
            stored_at: None,
            sessions: Sessions::default(),
        })
    }

    /// Reads to the file's present end.
    pub fn read_on(&mut self, ending: Ending, each: Each<'_>) -> Result<()> {
        let mut changes = Vec::new();
        // An earlier import may have noted parts of a last line that is whole now.
        let (torn_at, mut torn) = (self.reader.offset(), self.reader.torn_notes());
        loop {
            let offset = self.size;
            let block = self.block(BLOCK)?;
            // A short block is the last one: what the end says is written with it, in one transaction.
            let last = block.len() < BLOCK;
            if self.size == 0 && ending == Ending::Growing {
                return Ok(());
            }
            if !block.is_empty() {
                self.reader.push(&block, &mut changes);
            }
            if last && ending == Ending::Final {
                self.reader.finish(&mut changes);
            }
            let modified_at = if last { self.settled_at() } else { None };
            if block.is_empty() && changes.is_empty() && !self.replace && modified_at == self.stored_at {
                return Ok(());
            }
            let mut step = self.take(&mut changes);
            step.bytes = block.len() as u64;
            if self.reader.offset() != torn_at {
                for (session, note) in torn.drain(..) {
                    if !step.batch.messages.iter().any(|m| m.draft.id == note) {
                        let agent = self.agent.name.to_owned();
                        step.batch.retractions.push(Retraction { agent, session_key: session.0, id: note });
                    }
                }
            }
            step.batch.source = Some(SourceBatch {
                id: self.source.clone(),
                path: name(&self.path),
                reader: self.agent.name.to_owned(),
                reader_version: self.reading.version,
                append: if block.is_empty() { Vec::new() } else { vec![RecordChunk { offset, bytes: block }] },
                size: self.size,
                sha256: self.sha256(),
                modified_at,
                replace: std::mem::take(&mut self.replace),
            });
            self.stored_at = modified_at;
            each(step)?;
            if last {
                return Ok(());
            }
        }
    }

    /// Where the file really lies.
    pub fn real(&self) -> &Path {
        &self.opened.real
    }

    /// Bytes of lines that it holds in memory.
    pub fn held_bytes(&self) -> usize {
        self.reader.held_bytes()
    }

    /// Returns true if it has read what is stored, and no more.
    pub fn is_at(&self, known: Option<&Source>) -> bool {
        known.map_or(self.size == 0, |known| known.id == self.source && known.size == self.size)
    }

    /// Returns true if what was read is still the beginning of the file. A rewritten or shortened one must be opened
    /// anew.
    pub fn still_fits(&self) -> bool {
        let (Ok(now), Ok(opened)) = (self.path.metadata(), self.opened.file.metadata()) else { return false };
        let at_rest = now.len() > self.size || self.stored_at.is_none() || self.stored_at == modified_at(&now);
        open::is_same(&now, &opened)
            && now.len() >= self.size
            && at_rest
            && self.tail_at().is_ok_and(|found| found == self.tail)
    }

    /// The bytes of the file that now lie where the tail was read.
    fn tail_at(&self) -> Result<Vec<u8>> {
        let mut found = Vec::with_capacity(self.tail.len());
        let mut file = &self.opened.file;
        file.seek(SeekFrom::Start(self.size - self.tail.len() as u64))?;
        file.take(self.tail.len() as u64).read_to_end(&mut found)?;
        Ok(found)
    }

    /// When the file was changed last, if all of it is read and the reader holds nothing back.
    fn settled_at(&self) -> Option<Micros> {
        let read = self.opened.file.metadata().ok().filter(|metadata| metadata.len() == self.size)?;
        if self.reader.holds_back() { None } else { modified_at(&read) }
    }

    fn block(&mut self, most: usize) -> Result<Vec<u8>> {
        if self.stop.is_cancelled() {
            return Err(std::io::Error::other("the program ends"));
        }
        let mut block = Vec::with_capacity(most);
        let mut file = &self.opened.file;
        file.seek(SeekFrom::Start(self.size))?;
        file.take(most as u64).read_to_end(&mut block)?;
        self.hasher.update(&block);
        self.size += block.len() as u64;
        self.tail.extend_from_slice(&block[block.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Ok(block)
    }

    fn sha256(&self) -> String {
        crate::basics::hex(&self.hasher.clone().finalize())
    }

    fn empty_step(&self) -> Step {
        let sessions = self.sessions.keys().cloned().collect();
        Step { batch: Batch { now: clock::now(), ..Batch::default() }, bytes: 0, notes: 0, sessions, restored: 0 }
    }

    fn take(&mut self, changes: &mut Vec<Change>) -> Step {
        let notes = changes.iter().filter(|c| matches!(c, Change::Note { .. })).count() as u64;
        let source = self.source.clone();
        let record = |span: &Span| model::RecordRef { source: source.clone(), offset: span.offset, len: span.len };
        let batch = batch::of(self.agent.name, changes.drain(..), &mut self.sessions, &record, clock::now());
        Step { batch, notes, ..self.empty_step() }
    }
}

fn session(change: Change) -> Option<(SessionKey, SessionFacts)> {
    if let Change::Session { key, facts } = change { Some((key, facts)) } else { None }
}

fn new_source_id() -> SourceId {
    SourceId::from_uuid(new_uuid())
}
