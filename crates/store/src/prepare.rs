//! Work before the transaction: compression, hashing, and splitting into words.

pub(crate) mod work;

use crate::columns::text;
use crate::display;
use crate::masks::Masks;
use crate::pack::{CHUNK, Packer, content_hash};
use crate::{
    Batch, FileChanged, MessageUpsert, NewBlob, Permission, RecordChunk, Retraction, Rewind, RunUpsert, SessionUpsert,
    SourceBatch, StoreError, tokens,
};
use model::message_type::approval::Approval;
use model::message_type::tool_call::ToolState;
use model::{Body, CopyMarks, Draft, MessageId, MessageType, Micros, Part, RecordRef, Role, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::sync::Arc;
use work::OfWork;

#[derive(Clone)]
pub(crate) struct Prepared {
    pub source: Option<PreparedSource>,
    pub sessions: Vec<SessionUpsert>,
    pub messages: Vec<PreparedMessage>,
    pub runs: Vec<RunUpsert>,
    pub blobs: Vec<NewBlob>,
    pub retractions: Vec<Retraction>,
    pub rewinds: Vec<Rewind>,
    pub machine: Option<String>,
    pub permissions: Vec<Permission>,
    /// Texts that are covered in it.
    pub masks: Masks,
    pub now: Micros,
}

#[derive(Clone)]
pub(crate) struct PreparedSource {
    /// Without its bytes.
    pub head: SourceBatch,
    pub chunks: Vec<PackedChunk>,
}

#[derive(Clone)]
pub(crate) struct PackedChunk {
    pub start: u64,
    pub len: u64,
    pub data: Vec<u8>,
    /// CRC-32 of the bytes before they were packed.
    pub crc: u32,
}

/// A message as its columns.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "columns of a row")]
pub(crate) struct PreparedMessage {
    pub session_key: String,
    pub id: String,
    pub role: Role,
    pub sender: String,
    pub message_type: String,
    pub part: Part,
    pub display: i16,
    pub asks_input: bool,
    /// A person's plain words: they answer whatever is asked in words.
    pub answers: bool,
    /// A person's words that say what they are about: they answer that alone.
    pub answers_to: Option<String>,
    /// Id of the message that an ACTION answers.
    pub action_on: Option<String>,
    pub approval_open: bool,
    pub created_at: i64,
    /// Equal hashes: nothing changed.
    pub hash: Vec<u8>,
    /// Packed. Clones share it.
    pub body: Arc<Vec<u8>>,
    pub records: Vec<RecordRef>,
    pub words: Option<String>,
    /// Whether it is remembered beyond its session.
    pub remembered: bool,
    /// It isn't, and may have been: most messages never are, and an update of theirs needn't look.
    pub leaves_memory: bool,
    /// Data of a tool call that isn't retracted.
    pub tool: Option<ToolUse>,
    /// Nothing of imported ones: their runs tell it.
    pub of_work: OfWork,
    /// Lines added and removed; the sums of imported sessions.
    pub lines: (i64, i64),
    pub files: Vec<FileChanged>,
    pub marks: CopyMarks,
    /// Data that only posted messages have.
    pub posted: Posted,
}

/// Statistics of a tool call.
#[derive(Debug, Clone)]
pub(crate) struct ToolUse {
    pub name: String,
    pub failed: bool,
    /// There is no result yet.
    pub runs: bool,
    pub call_id: Option<String>,
    pub duration_ms: Option<i64>,
}

/// Beside a posted message, never changed by updates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posted {
    pub create_hash: Option<Vec<u8>>,
    pub queued_after: Option<i64>,
    /// It waits for the agent.
    pub queued: bool,
}

pub(crate) fn prepare(mut batch: Batch, masks: &Masks) -> Result<Prepared, StoreError> {
    if masks.count() > 0 {
        cover(&mut batch, masks)?;
    }
    let mut packer = Packer::new()?;
    let source = batch.source.map(|source| prepare_source(source, &mut packer)).transpose()?;
    let mut imported = |message: MessageUpsert| {
        let body = Body::of(&message.draft);
        let (prepared, _) = prepare_message(message, body, &mut packer)?;
        Ok(PreparedMessage { of_work: OfWork::default(), ..prepared })
    };
    let messages = batch.messages.into_iter().map(&mut imported).collect::<Result<_, StoreError>>()?;
    Ok(Prepared {
        source,
        sessions: batch.sessions,
        messages,
        runs: batch.runs,
        blobs: batch.blobs,
        retractions: batch.retractions,
        rewinds: batch.rewinds,
        machine: batch.machine,
        permissions: batch.permissions,
        masks: masks.clone(),
        now: batch.now,
    })
}

/// Covers erased texts in all that is read out of a batch's bytes. The bytes themselves are covered as they are stored,
/// since a text may go on in the next ones.
fn cover(batch: &mut Batch, masks: &Masks) -> Result<(), StoreError> {
    for message in &mut batch.messages {
        if let Some(draft) = covered(&message.draft, masks)? {
            message.draft = draft;
            let paths = message.files.iter_mut().map(|file| &mut file.path);
            for text in message.search_text.iter_mut().chain(paths) {
                masks.cover_text(text);
            }
        }
    }
    for session in &mut batch.sessions {
        if let Some(facts) = covered(&session.facts, masks)? {
            session.facts = facts;
        }
    }
    batch.blobs.retain(|blob| masks.find(&blob.bytes).is_empty());
    Ok(())
}

/// Returns the value without the texts; None if it doesn't contain them.
fn covered<T: Serialize + DeserializeOwned>(value: &T, masks: &Masks) -> Result<Option<T>, StoreError> {
    let corrupt = |error: serde_json::Error| StoreError::Corrupt(error.to_string());
    let mut json = serde_json::to_vec(value).map_err(corrupt)?;
    if masks.cover(&mut json).is_empty() { Ok(None) } else { serde_json::from_slice(&json).map(Some).map_err(corrupt) }
}

/// Joins the pieces and cuts them anew, into pieces of a size that reads well.
fn prepare_source(mut source: SourceBatch, packer: &mut Packer) -> Result<PreparedSource, StoreError> {
    let pieces = std::mem::take(&mut source.append);
    let start = pieces.first().map_or(source.size, |piece| piece.offset);
    let mut end = start;
    for piece in &pieces {
        if piece.offset != end {
            return Err(gap(&source, end, piece.offset));
        }
        end += piece.bytes.len() as u64;
    }
    if end != source.size {
        return Err(gap(&source, source.size, end));
    }
    let bytes = match <[RecordChunk; 1]>::try_from(pieces) {
        Ok([piece]) => piece.bytes,
        Err(pieces) => pieces.into_iter().flat_map(|piece| piece.bytes).collect(),
    };
    let mut chunks = Vec::with_capacity(bytes.len() / CHUNK + 1);
    let mut at = start;
    for piece in bytes.chunks(CHUNK) {
        let (data, crc) = (packer.pack(piece)?, crc32fast::hash(piece));
        chunks.push(PackedChunk { start: at, len: piece.len() as u64, data, crc });
        at += piece.len() as u64;
    }
    Ok(PreparedSource { head: source, chunks })
}

pub(crate) fn gap(source: &SourceBatch, expected: u64, found: u64) -> StoreError {
    StoreError::Gap { source_id: source.id.clone(), expected, found }
}

/// Changes of files as columns hold them.
pub(crate) fn storable(mut files: Vec<FileChanged>) -> Vec<FileChanged> {
    for file in &mut files {
        if let Cow::Owned(path) = text(&file.path) {
            file.path = path;
        }
    }
    files
}

/// The message that an ACTION answers; None of any other message.
pub(crate) fn action_on(draft: &Draft) -> Option<&MessageId> {
    draft.reply_to.as_ref().filter(|_| draft.message_type() == MessageType::Action)
}

/// Returns the draft as well, so that nobody needs a copy of it.
pub(crate) fn prepare_message(
    upsert: MessageUpsert,
    content: Body,
    packer: &mut Packer,
) -> Result<(PreparedMessage, Draft), StoreError> {
    let (draft, display) = (upsert.draft, display::to_number(upsert.display));
    let alive = draft.status != Status::Retracted;
    let approval_open = alive && Approval::open_of(&draft, &content).is_some();
    // The host calls no tools: what is counted of them is told to models.
    let tool = if alive && draft.role != Role::Host { tool_use(&draft, &content) } else { None };
    // It may be as large as a message gets: from here on there is the draft alone.
    drop(content);
    let (hash, body) = {
        let mut json = Vec::with_capacity(FIELDS + draft.bytes());
        serde_json::to_writer(&mut json, &draft).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        (content_hash(display, &json), Arc::new(packer.pack(&json)?))
    };
    let answers = draft.answers_in_words();
    let answers_to = if answers { draft.is_about() } else { None };
    let words = upsert.search_text.filter(|_| alive).map(|text| tokens::words(&text)).filter(|words| !words.is_empty());
    let files = storable(upsert.files);
    let action_on = action_on(&draft).map(|id| text(id.as_str()).into_owned());
    let prepared = PreparedMessage {
        session_key: upsert.session_key,
        id: draft.id.as_str().to_owned(),
        role: draft.role,
        sender: text(&draft.sender).into_owned(),
        message_type: text(draft.message_type()).into_owned(),
        part: draft.part,
        display,
        asks_input: alive && draft.requires_user_input,
        answers: answers && answers_to.is_none(),
        answers_to,
        action_on,
        approval_open,
        created_at: draft.created_at.0,
        hash,
        body,
        records: upsert.records,
        words,
        remembered: upsert.remembered && alive,
        leaves_memory: may_leave(&draft) && !(upsert.remembered && alive),
        of_work: OfWork::of(&draft, tool.as_ref()),
        tool,
        lines: (files.iter().map(|file| file.added).sum(), files.iter().map(|file| file.removed).sum()),
        files,
        marks: upsert.marks,
        posted: Posted::default(),
    };
    Ok((prepared, draft))
}

fn may_leave(draft: &Draft) -> bool {
    let is_said = matches!(draft.role, Role::User | Role::Tool) && draft.status != Status::Streaming;
    is_said
        || draft.status == Status::Retracted
        || draft.metadata.as_ref().is_some_and(|extras| extras.contains_key("embed"))
}

/// Room for the other fields of a message as JSON. A buffer that is doubled again and again holds a large message three
/// times.
const FIELDS: usize = 512;

/// Maximum length of a tool's name in statistics, because it is in an index.
const TOOL_CHARS: usize = 200;

fn tool_use(draft: &Draft, content: &Body) -> Option<ToolUse> {
    let Body::ToolCall(call) = content else { return None };
    let state = call.state();
    let failed = draft.status == Status::Error || state == ToolState::Failed;
    let name = text(&call.tool_name).chars().take(TOOL_CHARS).collect();
    let call_id = draft.call_id.as_deref().map(|id| text(id).into_owned());
    // Clocks may go back.
    let duration_ms = call.duration_ms().filter(|milliseconds| *milliseconds >= 0);
    Some(ToolUse { name, failed, runs: state == ToolState::Running, call_id, duration_ms })
}
