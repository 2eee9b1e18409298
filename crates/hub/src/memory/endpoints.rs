//! Endpoints that recall and forget what people said.

use crate::basics::query::{given, limit};
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::session;
use crate::memory::{Found, MemoryIndex};
use api::keys::Scope;
use api::limits::SEARCH_CHARS;
use api::memory::{ForgetMemory, FoundBy, MemoriesChanged, MemoryPage, MemoryQuery, Recalled, VectorState};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::sdk_format::model_text;
use model::{MessageId, text};
use store::{Memory, MemoryFilter};

/// Characters of a memory that are shown.
const CHARS: usize = 4_000;

pub async fn recall(scoped: &Scoped, input: MemoryQuery) -> Result<MemoryPage, Problem> {
    scoped.caller.require(Scope::Read)?;
    let hub = &scoped.hub;
    let limit = limit(input.limit, 20, 100)?;
    let q = given(input.q);
    if q.as_ref().is_some_and(|q| q.chars().count() > SEARCH_CHARS) {
        return Err(Problem::field("q", &format!("at most {SEARCH_CHARS} characters")));
    }
    let after = given(input.after).map(|after| cursor(&after)).transpose()?;
    if q.is_some() && after.is_some() {
        return Err(Problem::field("after", "absent if `q` is given: a search has one page"));
    }
    let session = match given(input.session) {
        Some(name) => Some(session(scoped, &SessionPath { session: name }).await?.id),
        None => None,
    };
    let filter = MemoryFilter { session, project: given(input.project), sight: scoped.caller.sight() };
    let embedder = hub.settings.embedder.as_deref();
    let counts = hub.workspace.memory_counts(&filter).await.map_err(problem)?;
    let found = if let Some(q) = &q {
        hub.state::<MemoryIndex>().recall(&hub.workspace, embedder, q, &filter, counts.all).await.map_err(problem)?
    } else {
        let newest = hub.workspace.newest_memories(&filter, after, limit + 1).await.map_err(problem)?;
        newest.into_iter().map(|rid| Found { rid, score: 0.0, by_words: false, by_meaning: false }).collect()
    };
    // Read a few more than requested, because some may have been deleted.
    let rids: Vec<i64> = found.iter().map(|found| found.rid).take(2 * limit as usize + 1).collect();
    let mut memories = hub.workspace.memories(&rids).await.map_err(problem)?;
    let is_more = q.is_none() && found.len() > limit as usize;
    let shown: Vec<(Found, Memory)> = found
        .into_iter()
        .filter_map(|found| Some((found, memories.remove(&found.rid)?)))
        .filter(|(_, memory): &(Found, Memory)| scoped.may_find(&memory.message.message.draft))
        .take(limit as usize)
        .collect();
    let next = shown.last().filter(|_| is_more).map(|(found, _)| found.rid.to_string());
    let error = hub.state::<MemoryIndex>().error();
    let vectors = match embedder {
        None => VectorState::Off,
        Some(_) if error.is_some() => VectorState::Failing,
        Some(_) if counts.embedded < counts.all => VectorState::Pending,
        Some(_) => VectorState::Ready,
    };
    Ok(MemoryPage {
        memories: shown.into_iter().map(|(found, memory)| recalled(found, memory)).collect(),
        next,
        total: counts.all,
        embedded: counts.embedded,
        vectors,
        model: embedder.map(|embedder| embedder.model().to_owned()),
        error: error.filter(|_| embedder.is_some()),
    })
}

fn recalled(found: Found, memory: Memory) -> Recalled {
    let message = memory.message.message;
    let by = [(found.by_words, FoundBy::Words), (found.by_meaning, FoundBy::Meaning)];
    Recalled {
        session_id: message.session_id.to_string(),
        session_title: memory.session_title,
        project: memory.project,
        message_id: message.draft.id.to_string(),
        seq: message.seq,
        role: message.draft.role,
        provenance: message.draft.provenance,
        sender_name: message.draft.sender_name.clone(),
        created_at: message.draft.created_at,
        text: text::clip(&model_text(&message.draft), CHARS),
        score: found.score,
        found_by: by.into_iter().filter_map(|(is_found, by)| is_found.then_some(by)).collect(),
    }
}

pub async fn forget_memory(scoped: &Scoped, input: ForgetMemory) -> Result<MemoriesChanged, Problem> {
    let hub = &scoped.hub;
    let memories = match (input.session, input.message, input.all) {
        (None, None, true) => hub.workspace.forget_memories(clock::now()).await.map_err(problem)?,
        (Some(name), Some(message), false) => {
            let session = session(scoped, &SessionPath { session: name }).await?.id;
            let id = MessageId::parse(message).map_err(|error| Problem::field("/message", &error.to_string()))?;
            if !hub.workspace.forget_memory(&session, &id, clock::now()).await.map_err(problem)? {
                return Err(Problem::not_found("memory"));
            }
            1
        }
        (_, _, true) => return Err(Problem::field("/all", "false if a message is given")),
        (None, ..) => return Err(Problem::field("/session", "the session of the message; or `all`")),
        (_, None, _) => return Err(Problem::field("/message", "the id of the message")),
    };
    hub.state::<MemoryIndex>().drop_vectors();
    Ok(changed(memories))
}

pub async fn embed_memory(scoped: &Scoped) -> Result<MemoriesChanged, Problem> {
    let hub = &scoped.hub;
    if hub.settings.embedder.is_none() {
        return Err(Problem::new(ProblemCode::NoEndpoint, "No embedding endpoint is set up")
            .hint("Start the server with `--embedding-url` and `--embedding-model`"));
    }
    let memories = hub.workspace.delete_vectors(clock::now()).await.map_err(problem)?;
    hub.state::<MemoryIndex>().drop_vectors();
    hub.state::<MemoryIndex>().wake();
    Ok(changed(memories))
}

fn changed(memories: u64) -> MemoriesChanged {
    MemoriesChanged { memories: i64::try_from(memories).unwrap_or(i64::MAX) }
}

fn cursor(after: &str) -> Result<i64, Problem> {
    after.parse().map_err(|_| Problem::field("after", "`next` of the previous page"))
}
