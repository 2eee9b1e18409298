//! Text that an agent was writing when it was interrupted. No transcript contains it, but people have already read it.
//! While a text is streaming, it is stored at most once a second, so that it survives a crash of the server too.

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::Running;
use crate::requests::Requests;
use crate::writing::posting;
use crate::writing::refusal::refusal;
use api::Problem;
use drivers::Voice;
use model::{Body, Context, Draft, MessageId, Provenance, Role, Status};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::{GrowingText, LivePost, LiveWrite, MessageQuery, Range, StoreError};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

/// Time between two writes of texts that grow, and between two looks for a text in the transcript.
const PACE: Duration = Duration::from_secs(1);
/// How long after the end the transcript may bring the text all the same: the server may have to read all transcripts
/// first.
const LATE: Duration = Duration::from_mins(10);
/// Messages that are looked through for it.
const LAST: u32 = 50;

/// The texts of an agent that are stored: by their keys, the messages that they become and the bytes that they have.
pub type Stored = HashMap<String, (MessageId, usize)>;

/// Stores the texts that an agent is writing, until it ends.
pub async fn store_growing(hub: Hub, running: Arc<Running>, ended: CancellationToken) -> Stored {
    let mut stored = Stored::new();
    loop {
        tokio::select! {
            () = running.grows.notified() => {}
            () = ended.cancelled() => {}
        }
        if let Err(error) = store(&hub, &running, &mut stored).await {
            tracing::debug!(%error, "what an agent is writing can't be stored");
        }
        if ended.is_cancelled() {
            return stored;
        }
        tokio::select! {
            () = sleep(PACE) => {}
            () = ended.cancelled() => {}
        }
    }
}

async fn store(hub: &Hub, running: &Running, stored: &mut Stored) -> Result<(), StoreError> {
    let texts = running.view().unfinished();
    let over: Vec<String> =
        stored.keys().filter(|known| texts.iter().all(|(key, ..)| key != *known)).cloned().collect();
    let over_ids: Vec<MessageId> = over.iter().filter_map(|key| stored.get(key)).map(|(id, _)| id.clone()).collect();
    let grown = texts.into_iter().filter_map(|(key, voice, content)| {
        let (message, bytes) = stored.entry(key).or_insert_with(|| (posting::new_id(), 0));
        // A text only grows.
        if content.len() == std::mem::replace(bytes, content.len()) {
            return None;
        }
        let thought = voice == Voice::Thought;
        Some(GrowingText { session: running.session.clone(), message: message.clone(), thought, content })
    });
    let grown: Vec<GrowingText> = grown.collect();
    if !grown.is_empty() || !over.is_empty() {
        hub.workspace.put_growing_texts(&running.session, &grown, &over_ids).await?;
    }
    stored.retain(|key, _| !over.contains(key));
    Ok(())
}

/// Makes a message, which broke off, of each text that an agent was writing when it ended.
pub async fn keep(hub: &Hub, running: &Running, stored: &Stored) {
    let texts = running.view().unfinished();
    for (key, voice, content) in texts {
        let message = stored.get(&key).map_or_else(posting::new_id, |(message, _)| message.clone());
        let thought = voice == Voice::Thought;
        keep_one(hub, GrowingText { session: running.session.clone(), message, thought, content }).await;
    }
}

/// Does the same for agents whose server ended before it could. A message that was made before isn't made again.
pub async fn keep_left(hub: &Hub, texts: Vec<GrowingText>) {
    for text in texts {
        keep_one(hub, text).await;
    }
}

async fn keep_one(hub: &Hub, text: GrowingText) {
    if text.content.trim().is_empty() || is_told(hub, &text).await {
        return forget(hub, &text).await;
    }
    match post(hub, &text).await {
        Ok(()) => drop(tokio::spawn(give_way(hub.clone(), text))),
        // It stays stored: the next start tries again.
        Err(problem) => tracing::warn!(%problem, "what an agent was writing can't be kept"),
    }
}

async fn forget(hub: &Hub, text: &GrowingText) {
    let over = std::slice::from_ref(&text.message);
    if let Err(error) = hub.workspace.put_growing_texts(&text.session, &[], over).await {
        tracing::debug!(%error, "what an agent was writing stays stored");
    }
}

async fn post(hub: &Hub, text: &GrowingText) -> Result<(), Problem> {
    let (role, sender) = if text.thought { (Role::Model, "thinking") } else { (Role::Assistant, "assistant") };
    let mut draft = Draft {
        provenance: Provenance::Ourselves,
        status: Status::Error,
        ..Draft::text(text.message.clone(), role, sender, &text.content, clock::now())
    };
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    // The agent doesn't know it, should it go on.
    draft.context = Context::None;
    let hash = create_hash(&(text.message.as_str(), &text.content))?;
    let post = LivePost::new(text.session.clone(), posting::new_message(draft, body), hash).map_err(problem)?;
    hub.writer.write(LiveWrite::Post(Box::new(post))).await.map_err(refusal)?;
    Ok(())
}

/// Takes a text back once its transcript brings it. Where the server ends before, the next one goes on with this.
async fn give_way(hub: Hub, text: GrowingText) {
    let until = Instant::now() + LATE;
    let mut news = hub.feed.news();
    while !is_told(&hub, &text).await {
        let more = async {
            sleep(PACE).await;
            timeout_at(until, news.changed()).await
        };
        let more = tokio::select! {
            more = more => more,
            () = hub.shutdown.cancelled() => return,
        };
        if !matches!(more, Ok(Ok(()))) {
            return forget(&hub, &text).await;
        }
    }
    let retract = |draft: &Draft| {
        (draft.status != Status::Retracted).then(|| Draft { status: Status::Retracted, ..draft.clone() })
    };
    match Requests::of(&hub).change(&text.session, &text.message, retract).await {
        Ok(_) => forget(&hub, &text).await,
        Err(problem) => tracing::debug!(%problem, "a text that came by its transcript stays twice"),
    }
}

/// Whether the transcript has a text, which may go on there.
async fn is_told(hub: &Hub, text: &GrowingText) -> bool {
    let query = MessageQuery::new(Range::Last(LAST));
    let Ok(stretch) = hub.workspace.stretch(&text.session, &query).await else { return false };
    let content = text.content.trim();
    stretch.messages.iter().map(|stored| &stored.message.draft).any(|draft| {
        draft.provenance == Provenance::Reader && draft.role != Role::User && draft.content.trim().starts_with(content)
    })
}
