//! The verbatim lines of a session's files.

use crate::basics::problem;
use crate::basics::query::limit;
use crate::context::Scoped;
use crate::may::{message, session};
use api::inspector::{RecordPlace, Records, RecordsQuery};
use api::messages::RecordText;
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::source::Source;
use model::{Session, SourceId};
use store::StoreError;

/// Lines that a page has where nobody says how many, and at most.
const USUAL: u32 = 20;
const MOST: u32 = 100;
/// Bytes that a page reads: a longer line comes in pieces of this length.
const BYTES: u64 = 1 << 20;

pub async fn list_records(scoped: &Scoped, path: &SessionPath, input: RecordsQuery) -> Result<Records, Problem> {
    let session = session(scoped, path).await?;
    let many = limit(input.limit, USUAL, MOST)? as usize;
    let sources = scoped.hub.workspace.session_sources(&session.id).await.map_err(problem)?;
    let Some((index, offset)) = place(scoped, &session, &sources, &input).await? else {
        return Ok(Records::default());
    };
    let Some(source) = sources.get(index) else { return Ok(Records::default()) };
    let (records, end) = lines(scoped, source, offset, many).await?;
    let next = if end < source.size {
        Some(RecordPlace { source: source.id.to_string(), offset: end })
    } else {
        sources.get(index + 1).map(|next| RecordPlace { source: next.id.to_string(), offset: 0 })
    };
    Ok(Records { records, next })
}

/// Where the page begins: the number of a file, and how many of its bytes come before. None where there is no file.
async fn place(
    scoped: &Scoped,
    session: &Session,
    sources: &[Source],
    input: &RecordsQuery,
) -> Result<Option<(usize, u64)>, Problem> {
    let number = |id: &SourceId| sources.iter().position(|source| source.id == *id);
    match (&input.at, &input.source) {
        (Some(_), Some(_)) => Err(Problem::new(ProblemCode::ConflictingFields, "`at` and `source` can't be combined")
            .hint("Leave one of them out")),
        (Some(at), None) => {
            let stored = message(scoped, &session.id, at).await?;
            let first = stored.message.records.first();
            Ok(first.and_then(|record| Some((number(&record.source)?, record.offset))))
        }
        (None, Some(id)) => {
            let named = sources.iter().position(|source| source.id.as_str() == id);
            let index = named.ok_or_else(|| Problem::field("source", "the id of a file of this session"))?;
            let size = sources.get(index).map_or(0, |source| source.size);
            match input.offset.unwrap_or(0) {
                offset if offset <= size => Ok(Some((index, offset))),
                _ => Err(Problem::field("offset", &format!("a number from 0 to {size}, the size of the file"))),
            }
        }
        (None, None) if input.offset.is_some() => Err(Problem::field("source", "the id of a file, with `offset`")),
        (None, None) => Ok((!sources.is_empty()).then_some((0, 0))),
    }
}

/// Without the beginning of a character whose rest comes with the next piece.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            bytes.get(..error.valid_up_to()).unwrap_or(bytes)
        }
        _ => bytes,
    }
}

/// At most `many` lines of a file from an offset on, and where they end.
async fn lines(scoped: &Scoped, source: &Source, offset: u64, many: usize) -> Result<(Vec<RecordText>, u64), Problem> {
    // A message may come from bytes that were stored after the file's size was read.
    let len = BYTES.min(source.size.saturating_sub(offset));
    if len == 0 {
        return Ok((Vec::new(), offset));
    }
    let record = |offset: u64, bytes: &[u8], cut: bool| RecordText {
        source: source.id.to_string(),
        path: source.path.clone(),
        offset,
        len: bytes.len() as u64,
        text: String::from_utf8_lossy(bytes).into_owned(),
        cut,
        is_damaged: false,
    };
    let bytes = match scoped.hub.workspace.record(&source.id, offset, len).await {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(StoreError::DamagedRecord { .. } | StoreError::LostRecord { .. }) => {
            let damaged = RecordText { len, is_damaged: true, ..record(offset, &[], false) };
            return Ok((vec![damaged], offset + len));
        }
        Err(error) => return Err(problem(error)),
    };
    let (mut records, mut at) = (Vec::new(), offset);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len() as u64;
        let is_whole = line.ends_with(b"\n") || end == source.size;
        // The rest of it is on the next page, as a whole if it has room there.
        if records.len() == many || (!is_whole && !records.is_empty()) {
            break;
        }
        let piece = if is_whole { line } else { whole_characters(line) };
        records.push(record(at, piece, !is_whole));
        at += piece.len() as u64;
    }
    // Every page gets further.
    Ok((records, if at == offset { source.size } else { at }))
}
