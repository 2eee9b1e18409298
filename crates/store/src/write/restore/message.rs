//! A message's row from its line: what isn't written there follows from its draft.

use super::session::Open;
use super::{nothing_left, wrong};
use crate::archive::cells::{Fields, Held};
use crate::archive::{MESSAGE, TOOL};
use crate::columns::text;
use crate::dialect::indexed;
use crate::pack::content_hash;
use crate::pack::{Packer, Reference, pack_references};
use crate::prepare::{action_on, storable};
use crate::step::table::{Kind, Row, Table, Value as Cell, Verb};
use crate::write::messages::files;
use crate::{Derive, FileChanged, StoreError, tokens};
use model::message_type::approval::{BY_ARCHIVE, Decision};
use model::policy::should_embed;
use model::{Body, Draft, MessageId, RecordRef, Role};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Columns that follow from the draft and from where it is stored.
const OF_DRAFT: &[(&str, Kind)] = &[
    ("rid", Kind::Int),
    ("session_rid", Kind::Int),
    ("id", Kind::Text),
    ("role", Kind::Text),
    ("sender", Kind::Text),
    ("message_type", Kind::Text),
    ("part", Kind::Text),
    ("created_at", Kind::Int),
    ("hash", Kind::Blob),
    ("records", Kind::Blob),
    ("body", Kind::Blob),
    ("action_on", Kind::Text),
];

pub(super) static MESSAGE_ROW: LazyLock<Table> =
    LazyLock::new(|| insert("message", OF_DRAFT.iter().chain(MESSAGE).copied().collect()));

pub(super) static TOOL_USE: LazyLock<Table> = LazyLock::new(|| {
    let keys = [("session_rid", Kind::Int), ("message_rid", Kind::Int)];
    insert("tool_use", keys.iter().chain(TOOL).copied().collect())
});

fn insert(name: &'static str, columns: Vec<(&'static str, Kind)>) -> Table {
    Table { name, columns: columns.into(), has_workspace: true, verb: Verb::Insert(Cow::Borrowed("")) }
}

/// A message that waits to be written.
pub(super) struct RestoredMessage {
    pub rid: i64,
    pub session_rid: i64,
    draft: Draft,
    /// Its texts as columns hold them.
    sender: String,
    message_type: String,
    hash: Vec<u8>,
    records: Vec<u8>,
    body: Vec<u8>,
    /// Values of [`MESSAGE`].
    held: Vec<Held>,
    /// Values of [`TOOL`].
    tool: Option<Vec<Held>>,
    files: Vec<FileChanged>,
    seq: i64,
    pub words: Option<String>,
    /// True if it is remembered beyond its session.
    pub remembered: bool,
}

impl RestoredMessage {
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    pub fn row(&self) -> Row<'_> {
        let of_draft: [Cell<'_>; 12] = [
            self.rid.into(),
            self.session_rid.into(),
            self.draft.id.as_str().into(),
            self.draft.role.as_str().into(),
            self.sender.as_str().into(),
            self.message_type.as_str().into(),
            self.draft.part.as_str().into(),
            self.draft.created_at.0.into(),
            self.hash.as_slice().into(),
            self.records.as_slice().into(),
            self.body.as_slice().into(),
            action_on(&self.draft).map(MessageId::as_str).into(),
        ];
        of_draft.into_iter().chain(self.held.iter().map(Held::cell)).collect()
    }

    pub fn file_rows(&self) -> impl Iterator<Item = Row<'_>> {
        files::rows((self.session_rid, self.seq, self.draft.created_at.0), &self.files)
    }

    pub fn tool_row(&self) -> Option<Row<'_>> {
        let tool = self.tool.as_ref()?;
        let keys: [Cell<'_>; 2] = [self.session_rid.into(), self.rid.into()];
        Some(keys.into_iter().chain(tool.iter().map(Held::cell)).collect())
    }
}

/// Reads the next message of a session, which gets this rid.
pub(super) fn read(
    mut line: Fields,
    (rid, session): (i64, &mut Open),
    sources: &HashMap<String, i64>,
    packer: &mut Packer,
    derive: Derive,
) -> Result<RestoredMessage, StoreError> {
    let json = line.remove("draft").ok_or_else(|| wrong("`draft`: expected an object, got nothing"))?;
    let mut draft: Draft = serde_json::from_str(json.get()).map_err(|error| wrong(format!("`draft`: {error}")))?;
    let json = if according_to_archive(&mut draft) {
        serde_json::to_string(&draft).map_err(|error| wrong(format!("`draft`: {error}")))?
    } else {
        String::from(Box::<str>::from(json))
    };
    let references = references(&mut line, sources)?;
    let tool = tool(&mut line)?.filter(|_| draft.role != Role::Host);
    let held = held(&mut line, MESSAGE)?;
    nothing_left(&line)?;
    let number = |wanted: &str| {
        MESSAGE.iter().zip(&held).find_map(|((name, _), held)| match held {
            Held::Int(number) if *name == wanted => *number,
            _ => None,
        })
    };
    let (seq, display) = (number("seq").unwrap_or_default(), number("display").unwrap_or_default());
    if seq != session.last_seq + 1 {
        return Err(wrong(format!("`seq`: expected {}, got {seq}", session.last_seq + 1)));
    }
    session.last_seq = seq;
    let (display, json) = (i16::try_from(display).unwrap_or_default(), json.as_bytes());
    let is_own = number("copied") == Some(0);
    let remembered = is_own && should_embed(&draft);
    let body = Body::of(&draft);
    let words = if is_own { (derive.search_text)(&draft, &body) } else { None };
    let files = if is_own { (derive.files)(&draft, &body) } else { Vec::new() };
    drop(body);
    let words = words.map(|words| tokens::words(&words)).filter(|words| !words.is_empty());
    Ok(RestoredMessage {
        rid,
        session_rid: session.rid,
        sender: text(&draft.sender).into_owned(),
        message_type: text(draft.message_type()).into_owned(),
        hash: content_hash(display, json),
        records: pack_references(&references),
        body: packer.pack(json)?,
        held,
        tool,
        words: words.map(|words| indexed(words, session.rid, remembered)),
        remembered,
        files: storable(files),
        seq,
        draft,
    })
}

/// Where the records of a message are, in the files that were restored.
fn references(line: &mut Fields, sources: &HashMap<String, i64>) -> Result<Vec<Reference>, StoreError> {
    let records: Vec<RecordRef> = match line.remove("records") {
        Some(raw) => serde_json::from_str(raw.get()).map_err(|error| wrong(format!("`records`: {error}")))?,
        None => Vec::new(),
    };
    let reference = |record: &RecordRef| {
        let source = sources.get(record.source.as_str()).copied();
        let source = source.ok_or_else(|| wrong(format!("`records`: no file `{}` is here", record.source)))?;
        Ok(Reference { source, offset: record.offset, len: record.len })
    };
    records.iter().map(reference).collect()
}

/// Returns the counted fields of a tool call.
fn tool(line: &mut Fields) -> Result<Option<Vec<Held>>, StoreError> {
    let Some(raw) = line.remove("tool") else { return Ok(None) };
    let mut fields: Fields = serde_json::from_str(raw.get()).map_err(|error| wrong(format!("`tool`: {error}")))?;
    let tool = held(&mut fields, TOOL)?;
    nothing_left(&fields)?;
    Ok(Some(tool))
}

/// A decision that the archive says somebody made was made by nobody here. Returns whether the draft says so only now.
fn according_to_archive(draft: &mut Draft) -> bool {
    let Body::Approval(approval) = Body::of(draft) else { return false };
    let is_persons = |decision: &Decision| decision.reported_by.is_none() && decision.by.is_some();
    if !approval.decision.is_some_and(|decision| is_persons(&decision) && !decision.is_by_archive()) {
        return false;
    }
    let payload = draft.metadata.as_mut().and_then(|metadata| metadata.get_mut("payload"));
    let decision = payload.and_then(|payload| payload.get_mut("decision")).and_then(serde_json::Value::as_object_mut);
    decision.map(|decision| decision.insert("via".to_owned(), BY_ARCHIVE.into())).is_some()
}

fn held(fields: &mut Fields, columns: &[(&str, Kind)]) -> Result<Vec<Held>, StoreError> {
    let held = columns.iter().map(|(name, kind)| Held::take(fields, name, *kind));
    held.collect::<Result<_, _>>().map_err(StoreError::Archive)
}
