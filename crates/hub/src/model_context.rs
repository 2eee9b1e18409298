//! Contents of a model's context when it wrote a reply.

mod database;

use crate::basics::moment::day_of;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::may::{message, session};
use agents::context::{Transcript, of_messages, of_run};
use api::Problem;
use api::context::{ContextQuery, SessionContext};
use api::sessions::SessionPath;
use cost::{Bill, Prices};
use model::model_context::{ContextBlock, ContextReply, ContextVerdict, ModelContext};
use model::source::Source;
use model::{Message, Micros, RecordRef, Role, Run, Session, SourceId, Usage};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use store::spending::PlacedCall;
use store::{MessageQuery, MessageRecords, Range, StoreError, StoredMessage};

/// Bytes of records that are read, up to those of the reply.
const READ: u64 = 32 << 20;
/// Bytes behind the reply that are read as well: more blocks of it, and its usage.
const BEHIND: u64 = 2 << 20;
/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;
/// Bytes of contents in an answer.
const CONTENTS: u64 = 16 << 20;
/// Messages of the model among which its last words with a record are looked for.
const LAST: u32 = 20;
/// Messages of a context without records.
const MESSAGES: usize = 5_000;
/// Sessions that one goes on from, one from the other, that are read at most.
const FORKS: usize = 8;
/// Calls of a session that are looked up by their ids.
const CALLS: i64 = 100_000;
/// The reason that is given where records can't be read.
const DAMAGED: &str = "A part of the stored records is damaged";
/// Pieces of a run's input that are read at once.
const PIECES: u32 = 500;

pub async fn get_context(scoped: &Scoped, path: &SessionPath, input: ContextQuery) -> Result<SessionContext, Problem> {
    let session = session(scoped, path).await?;
    let with_contents = match input.contents {
        None | Some(1) => true,
        Some(0) => false,
        Some(_) => return Err(Problem::field("contents", "0 or 1")),
    };
    let target = match &input.at {
        Some(at) => Some(message(scoped, &session.id, at).await?),
        None => None,
    };
    let at = match &target {
        Some(target) => target.message.records.first().cloned(),
        None => last_reply(scoped, &session).await?,
    };
    let (mut found, doubts) = recorded(scoped, &session, target.as_ref(), at.as_ref()).await?;
    if found.is_none() {
        found = database::kept(scoped, &session, target.as_ref()).await?;
    }
    // For other contexts, the log or the messages themselves identify the message of each block.
    let told = if found.is_some() { told(scoped, &session).await? } else { HashMap::new() };
    let mut context = if let Some(context) = found {
        doubted(context, doubts)
    } else if let Some(context) = given(scoped, &session, target.as_ref()).await? {
        context
    } else {
        // How much of the files was read says nothing of messages.
        let damage = doubts.into_iter().filter(|doubt| doubt == DAMAGED).collect();
        doubted(stored(scoped, &session, target.as_ref()).await?, damage)
    };
    let workspace = &scoped.hub.workspace;
    let places = workspace.message_records(&session.id).await.map_err(problem)?;
    let calls = workspace.placed_calls(&session.id, 0..=session.last_seq, CALLS).await.map_err(problem)?;
    let finishing = scoped.compute(move |_| {
        Places::of(places, calls, told).fill(&mut context);
        shorten(&mut context, if with_contents { CONTENTS } else { 0 });
        context
    });
    let mut context = finishing.await?;
    price_miss(&scoped.hub.prices, &mut context);
    Ok(SessionContext { session: session.id.to_string(), agent: session.agent, context })
}

/// Where the model's last words begin. A file may hold other sessions too.
async fn last_reply(scoped: &Scoped, session: &Session) -> Result<Option<RecordRef>, Problem> {
    let roles = vec![Role::Assistant, Role::Model];
    let query = MessageQuery { roles, limit: LAST, ..MessageQuery::new(Range::Last(LAST)) };
    let last = scoped.hub.workspace.messages(&session.id, &query).await.map_err(problem)?;
    Ok(last.into_iter().rev().find_map(|stored| stored.message.records.into_iter().next()))
}

/// A context of which parts couldn't be read.
fn doubted(mut context: ModelContext, doubts: Vec<String>) -> ModelContext {
    if !doubts.is_empty() && context.verdict != ContextVerdict::Verified {
        context.verdict = ContextVerdict::Approximate;
        context.reasons.splice(0..0, doubts);
    }
    context
}

/// From the records of the session's files, and what of them couldn't be read; None if they don't hold it.
async fn recorded(
    scoped: &Scoped,
    session: &Session,
    target: Option<&StoredMessage>,
    at: Option<&RecordRef>,
) -> Result<(Option<ModelContext>, Vec<String>), Problem> {
    if target.is_some() && at.is_none() {
        return Ok((None, Vec::new()));
    }
    let mut sources = scoped.hub.workspace.session_sources(&session.id).await.map_err(problem)?;
    // The file with the reply comes last: lines that other files hold too are known by the first one that has them.
    sources.sort_by_key(|source| at.is_some_and(|at| at.source == source.id));
    let Some((mut transcript, mut doubts)) = read_all(scoped, &sources, at).await? else {
        return Ok((None, Vec::new()));
    };
    for _ in 0..FORKS {
        let Some(id) = transcript.origin().map(str::to_owned) else { break };
        let Some(mut before) = origin(scoped, session, &id).await? else { break };
        // A file whose beginning had no room names its origin again.
        before.retain(|file| sources.iter().all(|known| known.id != file.id));
        if before.is_empty() {
            break;
        }
        sources.splice(0..0, before);
        let Some(again) = read_all(scoped, &sources, at).await? else { break };
        (transcript, doubts) = again;
    }
    let (at, notices) = (at.cloned(), notices(scoped, session, target).await?);
    let context = scoped.compute(move |_| transcript.context(at.as_ref(), notices.as_deref()));
    Ok((context.await?, doubts))
}

/// Returns the further inputs, other than prompts, of an agent that this server started: at the time of a message, or
/// the last.
async fn notices(
    scoped: &Scoped,
    session: &Session,
    target: Option<&StoredMessage>,
) -> Result<Option<String>, Problem> {
    let draft = target.map(|target| &target.message.draft);
    // The run of a prompt has its id.
    let run = draft.filter(|draft| draft.role == Role::User).map(|draft| draft.id.as_str());
    let by = draft.map_or(Micros(i64::MAX), |draft| draft.created_at);
    scoped.hub.workspace.notices_given(&session.id, run, by).await.map_err(problem)
}

/// The files of the session that a fork goes on from, by the agent's own id. None if it isn't there.
async fn origin(scoped: &Scoped, session: &Session, id: &str) -> Result<Option<Vec<Source>>, Problem> {
    let workspace = &scoped.hub.workspace;
    let found = workspace.find_sessions(id, &scoped.caller.sight(), 3, clock::now()).await.map_err(problem)?;
    let is_it = |it: &&Session| it.agent == session.agent && it.agent_session_id.as_deref() == Some(id);
    let Some(origin) = found.iter().find(is_it) else { return Ok(None) };
    let sources = workspace.session_sources(&origin.id).await.map_err(problem)?;
    Ok(Some(sources).filter(|sources| !sources.is_empty()))
}

/// Reads files one after the other, and says what of them couldn't be. None for an agent whose requests can't be
/// rebuilt.
async fn read_all(
    scoped: &Scoped,
    sources: &[Source],
    at: Option<&RecordRef>,
) -> Result<Option<(Transcript, Vec<String>)>, Problem> {
    let Some(mut transcript) = sources.last().and_then(|source| Transcript::of(&source.reader)) else {
        return Ok(None);
    };
    let mut doubts = Vec::new();
    let mut room = READ;
    let mut spans = Vec::new();
    for source in sources.iter().rev() {
        let end = match at.filter(|at| at.source == source.id) {
            Some(at) => source.size.min(at.offset.saturating_add(at.len).saturating_add(BEHIND)),
            None => source.size,
        };
        let start = end.saturating_sub(room);
        room -= end - start;
        if start > 0 {
            doubts.push(format!("Of a file, only the last {} MiB before the reply were read", READ >> 20));
        }
        spans.push((source, start, end));
    }
    for (source, start, end) in spans.into_iter().rev() {
        let damaged;
        (transcript, damaged) = read(scoped, transcript, source, start, end).await?;
        if damaged {
            doubts.push(DAMAGED.to_owned());
        }
    }
    transcript.finish();
    Ok(Some((transcript, doubts)))
}

/// Reads a part of a file. Whether some of it is damaged comes back as well.
async fn read(
    scoped: &Scoped,
    mut transcript: Transcript,
    source: &Source,
    start: u64,
    end: u64,
) -> Result<(Transcript, bool), Problem> {
    let (mut at, mut is_damaged) = (start, false);
    while at < end {
        let len = PIECE.min(end - at);
        let bytes = match scoped.hub.workspace.record(&source.id, at, len).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            Err(StoreError::DamagedRecord { .. } | StoreError::LostRecord { .. }) => {
                is_damaged = true;
                // Lost bytes count as unreadable, so that later ones keep their positions.
                vec![b' '; usize::try_from(len).unwrap_or_default()]
            }
            Err(error) => return Err(problem(error)),
        };
        let id = source.id.clone();
        transcript = scoped
            .compute(move |job| {
                job.goes_on()?;
                transcript.push(&id, start, &bytes);
                Ok::<_, Problem>(transcript)
            })
            .await??;
        at += len;
    }
    Ok((transcript, is_damaged))
}

/// From the context log: what the agent was given for the run in which it wrote a message. None if it takes no runs
/// from here.
async fn given(
    scoped: &Scoped,
    session: &Session,
    target: Option<&StoredMessage>,
) -> Result<Option<ModelContext>, Problem> {
    let workspace = &scoped.hub.workspace;
    let runs = workspace.runs(&session.id).await.map_err(problem)?;
    let target = target.map(|target| target.message.clone());
    let began = |run: &&Run| target.as_ref().is_none_or(|target| run.started_at <= target.received_at);
    let Some(run) = runs.iter().rev().find(began) else { return Ok(None) };
    let (mut pieces, mut after) = (Vec::new(), 0);
    loop {
        let page = workspace.context_log(&session.id, Some(&run.id), after, PIECES).await.map_err(problem)?;
        let Some(last) = page.last() else { break };
        after = last.position;
        pieces.extend(page.into_iter().map(|entry| entry.piece));
    }
    if pieces.is_empty() {
        return Ok(None);
    }
    let reply = target.filter(|target| matches!(target.draft.role, Role::Assistant | Role::Model));
    scoped.compute(move |_| Some(of_run(&pieces, reply.as_ref()))).await
}

/// Messages by the digests of their texts as the agent was given them from here: all texts together may be larger than
/// memory.
type Told = HashMap<[u8; 32], Option<i64>>;

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Which message each text was that the agent was given from here, as the log has it: in the agent's records several
/// are one prompt. None where two messages are the same text.
async fn told(scoped: &Scoped, session: &Session) -> Result<Told, Problem> {
    let mut told = Told::new();
    let mut after = 0;
    loop {
        let page = scoped.hub.workspace.context_log(&session.id, None, after, PIECES).await.map_err(problem)?;
        let Some(last) = page.last() else { return Ok(told) };
        after = last.position;
        let mut more = told;
        let reading = scoped.compute(move |_| {
            for piece in page.into_iter().map(|entry| entry.piece) {
                let Some(seq) = piece.seq else { continue };
                // A block of a prompt, or the words of a person alone.
                let block = serde_json::from_str::<Value>(&piece.text).ok();
                let text = block.as_ref().and_then(|block| block.get("text")?.as_str()).unwrap_or(&piece.text);
                let known = more.entry(digest(text)).or_insert(Some(seq));
                if *known != Some(seq) {
                    *known = None;
                }
            }
            more
        });
        told = reading.await?;
    }
}

/// From the stored messages, where no records are, or none that can be rebuilt.
async fn stored(scoped: &Scoped, session: &Session, target: Option<&StoredMessage>) -> Result<ModelContext, Problem> {
    let end = target.map_or(session.last_seq, |target| target.message.seq);
    let after = end.saturating_sub(i64::try_from(MESSAGES).unwrap_or(i64::MAX));
    let mut pages = Pages::after(scoped, &session.id, after, MessageQuery::new(Range::Last(1)));
    let mut all: Vec<Message> = Vec::new();
    while let Some(page) = pages.next().await? {
        let is_last = page.last().is_some_and(|last| last.message.seq >= end);
        all.extend(page.into_iter().map(|stored| stored.message).filter(|message| message.seq <= end));
        if is_last {
            break;
        }
    }
    let is_reply = |message: &Message| matches!(message.draft.role, Role::Assistant | Role::Model);
    let reply = all.iter().rposition(is_reply).filter(|at| target.is_none() || at + 1 == all.len());
    let reason = "The requests of this agent aren't recorded. These are its messages as stored here";
    let building = scoped.compute(move |_| {
        let reply = reply.and_then(|at| all.get(at));
        of_messages(&all, reply, reason)
    });
    building.await
}

/// Bytes of a file from which a message came.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    offset: u64,
    len: u64,
    /// True if the message is only a notice of the agent's program.
    is_system: bool,
    seq: i64,
}

/// Which message shows a record, and which one a call.
struct Places {
    /// By file, ascending.
    records: HashMap<SourceId, Vec<Place>>,
    /// By the agent's own id of the call; None where several have it.
    calls: HashMap<String, Option<i64>>,
    told: Told,
}

impl Places {
    fn of(records: Vec<MessageRecords>, placed: Vec<PlacedCall>, told: Told) -> Self {
        let mut calls: HashMap<String, Option<i64>> = HashMap::new();
        for call in placed {
            let id = call.call_id.unwrap_or(call.id);
            calls.entry(id).and_modify(|seq| *seq = None).or_insert(Some(call.seq));
        }
        let mut places: HashMap<SourceId, Vec<Place>> = HashMap::new();
        for message in records {
            let (is_system, seq) = (message.role == Role::System, message.seq);
            for RecordRef { source, offset, len } in message.records {
                places.entry(source).or_default().push(Place { offset, len, is_system, seq });
            }
        }
        for places in places.values_mut() {
            places.sort_unstable();
        }
        Self { records: places, calls, told }
    }

    /// The first message of those that came from the bytes in which a record begins: where several parts share a
    /// record, the first that somebody said.
    fn seq(&self, record: &RecordRef) -> Option<i64> {
        let places = self.records.get(&record.source)?;
        let end = places.partition_point(|place| place.offset <= record.offset);
        let holds = |place: &&Place| place.offset + place.len > record.offset;
        let before = places.get(..end)?;
        let start = before.iter().rev().find(holds)?.offset;
        let first = before.iter().rev().take_while(|place| place.offset == start).filter(holds);
        first.min_by_key(|place| (place.is_system, place.seq)).map(|place| place.seq)
    }

    fn fill(&self, context: &mut ModelContext) {
        let of_block = |block: &mut ContextBlock| {
            let of_call = block.call_id.as_ref().and_then(|id| self.calls.get(id).copied().flatten());
            let text = block.content.as_ref().and_then(|content| content.get("text")?.as_str());
            let of_text = || text.and_then(|text| self.told.get(&digest(text)).copied().flatten());
            block.seq = block
                .seq
                .or(of_call)
                .or_else(of_text)
                .or_else(|| block.records.iter().find_map(|record| self.seq(record)));
        };
        context.messages.iter_mut().flat_map(|message| &mut message.blocks).for_each(of_block);
        let of_reply = |records: &[RecordRef]| records.iter().find_map(|record| self.seq(record));
        context.reply.seq = context.reply.seq.or_else(|| of_reply(&context.reply.records));
        if let Some(change) = &mut context.change {
            change.previous.seq = of_reply(&change.previous.records);
            change.dropped.iter_mut().map(|dropped| &mut dropped.block).for_each(of_block);
        }
    }
}

/// Prices what the request read anew although the cache had it.
fn price_miss(prices: &Prices, context: &mut ModelContext) {
    let ContextReply { model, at: Some(at), usage: Some(paid), .. } = &context.reply else { return };
    let Some(cache) = context.change.as_mut().and_then(|change| change.cache.as_mut()) else { return };
    let written = cache.missed.min(paid.cache_write);
    let anew = (cache.missed - written).min(paid.input);
    let cached = Usage {
        input: paid.input - anew,
        cache_write: paid.cache_write - written,
        cache_read: paid.cache_read.saturating_add(written + anew),
        output: paid.output,
    };
    let day = day_of(*at);
    let cost = |usage| prices.cost(model.as_deref(), &Bill::of_request(day.clone(), usage, 0)).ok();
    cache.cost_usd = cost(*paid).zip(cost(cached)).map(|(paid, cached)| paid - cached).filter(|more| *more > 0.0);
}

/// Leaves contents out until the others have room, the longest first.
fn shorten(context: &mut ModelContext, room: u64) {
    let messages = context.messages.iter_mut().flat_map(|message| &mut message.blocks);
    let mut blocks: Vec<&mut ContextBlock> =
        context.system.iter_mut().chain(&mut context.tools).chain(messages).collect();
    blocks.sort_by_key(|block| block.bytes);
    let mut left = room;
    for block in blocks {
        match left.checked_sub(block.bytes) {
            Some(rest) if room > 0 => left = rest,
            _ => (left, block.content) = (0, None),
        }
    }
}
