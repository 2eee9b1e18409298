//! What an agent was writing when it broke off: no transcript has it, and people read it already.

use super::Running;
use crate::hash::create_hash;
use crate::refusal::refusal;
use crate::requests::card::changed;
use crate::{Hub, clock, posting, problem};
use api::Problem;
use drivers::Voice;
use model::{Body, Context, Draft, MessageId, Provenance, Role, SessionId, Status};
use std::time::Duration;
use store::{LiveChange, LivePost, LiveWrite, MessageQuery, Objection, Range, Refusal, StoredMessage};
use tokio::time::{Instant, timeout_at};

/// How long after the end the transcript may bring the text all the same.
const LATE: Duration = Duration::from_mins(2);
/// Messages that are looked through for it.
const LAST: u32 = 50;

/// Stores the texts that an agent was writing when it ended, each as a message that broke off.
pub async fn keep(hub: &Hub, running: &Running) {
    let texts = running.view().unfinished();
    for (key, voice, text) in texts {
        if text.trim().is_empty() || is_told(hub, &running.session, &text).await {
            continue;
        }
        match post(hub, &running.session, &key, voice, &text).await {
            Ok(id) => drop(tokio::spawn(give_way(hub.clone(), running.session.clone(), id, text))),
            Err(problem) => tracing::warn!(%problem, "what an agent was writing can't be kept"),
        }
    }
}

async fn post(hub: &Hub, session: &SessionId, key: &str, voice: Voice, text: &str) -> Result<MessageId, Problem> {
    let (role, sender) = match voice {
        Voice::Answer => (Role::Assistant, "assistant"),
        Voice::Thought => (Role::Model, "thinking"),
    };
    let id = posting::new_id();
    let mut draft = Draft {
        provenance: Provenance::Ourselves,
        status: Status::Error,
        ..Draft::text(id.clone(), role, sender, text, clock::now())
    };
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    // The agent doesn't know it, should it go on.
    draft.context = Context::None;
    let hash = create_hash(&(key, text))?;
    let post = LivePost::new(session.clone(), posting::new_message(draft, body), hash).map_err(problem)?;
    hub.writer.write(LiveWrite::Post(Box::new(post))).await.map_err(refusal)?;
    Ok(id)
}

/// Takes a text back once its transcript brings it.
async fn give_way(hub: Hub, session: SessionId, id: MessageId, text: String) {
    let until = Instant::now() + LATE;
    let mut news = hub.feed.news();
    while !is_told(&hub, &session, &text).await {
        let more = tokio::select! {
            more = timeout_at(until, news.changed()) => more,
            () = hub.shutdown.cancelled() => return,
        };
        if !matches!(more, Ok(Ok(()))) {
            return;
        }
    }
    let retract = |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = &current.message.draft;
        if draft.status == Status::Retracted {
            return Err(Refusal::Rule(Objection::Status, None));
        }
        Ok(changed(Draft { status: Status::Retracted, ..draft.clone() }))
    };
    let rule = Box::new(retract);
    let change = LiveChange { session, message: id, if_match: None, needs_calls: false, rule, note: None };
    if let Err(failure) = hub.writer.write(LiveWrite::Change(Box::new(change))).await {
        tracing::debug!(?failure, "a text that came by its transcript stays twice");
    }
}

/// Whether the transcript has a text, which may go on there.
async fn is_told(hub: &Hub, session: &SessionId, text: &str) -> bool {
    let query = MessageQuery::new(Range::Last(LAST));
    let Ok(stretch) = hub.workspace.stretch(session, &query).await else { return false };
    let text = text.trim();
    stretch.messages.iter().map(|stored| &stored.message.draft).any(|draft| {
        draft.provenance == Provenance::Reader && draft.role != Role::User && draft.content.trim().starts_with(text)
    })
}
