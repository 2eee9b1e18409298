//! What becomes of what people do in a channel.
//!
//! A person is known by the owner's list of the channel's people; anybody else is refused, and nothing of what they write is
//! stored. The same event again is the same message.

use super::answer;
use crate::answers::{decisions, posts};
use crate::cards::changed;
use crate::hash::create_hash;
use crate::open_channels::{people, settings};
use crate::refusal::refusal;
use crate::routing::{Doing, Heard};
use crate::writer::Failure;
use crate::{Caller, Hub, Person, Scoped, clock, hex, login, posting, problem, routing};
use ::channels::signature::Secret;
use ::channels::{Channel, Incoming, Receives, What};
use api::Problem;
use api::channels::{ChannelPost, ChannelPosted};
use api::messages::MessagePath;
use model::message_type::approval::Approval;
use model::routing::{Place, Route, route};
use model::{Body, Draft, Message, MessageId, Micros, Provenance, Role, SessionId, Status};
use serde_json::{Map, json};
use std::sync::Arc;
use store::{ChannelRow, LiveChange, LivePost, LiveWrite, Objection, Refusal, StoredMessage, Told};

/// What the people of an encrypted room are told.
const ENCRYPTED: &str =
    "This room is encrypted, and Verbatim can't read what is written here. Invite me to a room without encryption.";

/// What became of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// A message was stored.
    Posted { seq: i64, replayed: bool },
    /// An approval was decided, or was before in the same way.
    Decided { seq: i64, replayed: bool },
    /// A message was changed or taken back.
    Changed { seq: i64 },
    /// It says nothing to us.
    Ignored,
}

/// Somebody whom the owner named.
struct Known {
    scoped: Scoped,
    /// As messages have it: `matrix:@ada:example.org`.
    sender: String,
    name: String,
}

/// Takes an invitation of the bot. That of a person whom the owner named is accepted; any other waits for the owner. A room that
/// shows a session is entered again; any other is listed, so that the owner registers it.
pub async fn invited(hub: &Hub, row: &ChannelRow, channel: &dyn Channel, event: &Incoming) -> Result<(), Problem> {
    let What::Invited { name, is_encrypted } = &event.what else { return Ok(()) };
    let is_shown = shown_at(hub, row, &event.place).await?.is_some();
    let mut joined = false;
    // Whoever invites: the owner registered a room that shows a session.
    if is_shown || people(row).contains_key(&event.sender) {
        match channel.join(&event.place).await {
            Ok(()) => joined = true,
            // The owner sees it in the list, and may try again.
            Err(failure) => tracing::warn!(%failure, channel = row.id, "an invitation can't be accepted"),
        }
        if joined && *is_encrypted {
            let key = format!("vb-{}-re-{}", row.id, event.id);
            if let Err(failure) = channel.tell(&event.place, &key, ENCRYPTED).await {
                tracing::warn!(%failure, channel = row.id, "a person can't be told that a room can't be read");
            }
        }
    }
    if is_shown {
        return Ok(());
    }
    let what = Doing::Invited { by: &event.sender, joined };
    let heard = Heard { channel: &row.id, address: &event.place, name: name.as_deref(), what };
    hub.rooms.heard(&hub.workspace, heard, clock::now()).await.map_err(problem)
}

/// Takes an event of a channel. The place of a polled channel leads to the session.
pub async fn take(hub: &Hub, row: &ChannelRow, event: &Incoming) -> Result<Taken, Problem> {
    let known = known(hub, row, &event.sender)?;
    // Rooms that show no session are none of ours: an owner finds them in a list.
    let Some(session) = shown_at(hub, row, &event.place).await? else {
        let heard = Heard { channel: &row.id, address: &event.place, name: None, what: Doing::Wrote };
        hub.rooms.heard(&hub.workspace, heard, clock::now()).await.map_err(problem)?;
        return Ok(Taken::Ignored);
    };
    let told = async |id: &str| hub.workspace.told(&row.id, id).await.map_err(problem);
    match &event.what {
        What::Text { text, about } => {
            let about = match about {
                Some(id) => told(id).await?.filter(|told| told.session == session),
                None => None,
            };
            said(&known, row, &session, (&event.id, text), about).await
        }
        What::Reaction { of, key } => match told(of).await?.filter(|told| told.session == session) {
            Some(told) => reacted(&known, told, key).await,
            None => Ok(Taken::Ignored),
        },
        What::Edit { of, text } => change(&known, row, &session, of, Some(text)).await,
        What::Retract { of } => change(&known, row, &session, of, None).await,
        What::Invited { .. } => Ok(Taken::Ignored),
    }
}

/// Takes a signed request of a channel's other side.
///
/// # Errors
///
/// 404 `not_found` without such a channel, 401 `bad_signature`, 403 `stranger`, and what is wrong with the body.
pub async fn signed(
    hub: &Hub,
    channel: &str,
    headers: (Option<&str>, Option<&str>, Option<&str>),
    body: &[u8],
) -> Result<ChannelPosted, Problem> {
    let row = super::load(hub, channel).await.map_err(problem)?.ok_or_else(|| Problem::not_found("channel"))?;
    let receives = channels::kind(&row.kind).is_some_and(|kind| kind.abilities.receives == Receives::Signed);
    let secret = settings(&row).get("secret").and_then(|secret| Secret::parse(secret)).filter(|_| receives);
    let secret = secret.ok_or_else(|| Problem::not_found("channel that takes signed requests"))?;
    secret.verify(headers, body, clock::now().0 / Micros::SECOND).map_err(|rejected| {
        Problem::new(401, "bad_signature", format!("This request isn't believed: {rejected}"))
            .hint("Sign `webhook-id.webhook-timestamp.body` with the channel's secret, as Standard Webhooks does")
    })?;
    if row.paused_at.is_some() {
        let problem = Problem::new(503, "channel_paused", "This channel is paused");
        return Err(Problem { retry_after: Some(60), ..problem });
    }
    let post: ChannelPost = api::json::read(body).map_err(|error| {
        let title = format!("The body can't be read: {error}");
        Problem::new(400, "invalid_json", title)
    })?;
    let known = known(hub, &row, &post.sender)?;
    let no_session = || Problem { field: Some("/session".to_owned()), ..Problem::not_found("session in this channel") };
    let session = SessionId::parse(post.session.as_str()).map_err(|_| no_session())?;
    if !shows(hub, &row, &session).await? {
        return Err(no_session());
    }
    let about = match &post.about {
        Some(id) => Some(by_message(hub, &row, &session, id).await?),
        None => None,
    };
    let id = headers.0.unwrap_or_default();
    match said(&known, &row, &session, (id, &post.text), about).await? {
        Taken::Posted { seq, replayed } => Ok(ChannelPosted { seq, decided: false, replayed }),
        Taken::Decided { seq, replayed } => Ok(ChannelPosted { seq, decided: true, replayed }),
        Taken::Changed { seq } => Ok(ChannelPosted { seq, ..ChannelPosted::default() }),
        Taken::Ignored => Err(Problem::field("/text", "a string that isn't blank")),
    }
}

fn known(hub: &Hub, row: &ChannelRow, address: &str) -> Result<Known, Problem> {
    let name = people(row).remove(address).ok_or_else(|| {
        Problem::new(403, "stranger", "Nobody by this address may speak in this channel")
            .hint("The owner lists a channel's people in the settings")
    })?;
    let person = Person { id: row.id.clone(), name: name.clone(), via: row.kind.clone(), channel: row.name.clone() };
    let scoped = Scoped { person: Some(Arc::new(person)), ..Scoped::new(hub.clone(), Caller::Owner) };
    Ok(Known { scoped, sender: format!("{}:{address}", row.kind), name })
}

/// Returns the session that a channel shows in a place.
async fn shown_at(hub: &Hub, row: &ChannelRow, place: &str) -> Result<Option<SessionId>, Problem> {
    let Some(session) = hub.workspace.session_at(&row.id, place).await.map_err(problem)? else { return Ok(None) };
    Ok(shows(hub, row, &session).await?.then_some(session))
}

/// Does a channel show this session?
async fn shows(hub: &Hub, row: &ChannelRow, session: &SessionId) -> Result<bool, Problem> {
    let bound = hub.workspace.bound_sessions(&row.id).await.map_err(problem)?;
    if bound.iter().any(|bound| bound.bound && bound.session == *session) {
        return Ok(true);
    }
    let found = hub.workspace.session(session, clock::now()).await.map_err(problem)?;
    Ok(row.every_session && found.is_some_and(|found| found.deleted_at.is_none() && found.parent.is_none()))
}

/// A message of the session by our id, with what a decision on it is bound to in this channel.
async fn by_message(hub: &Hub, row: &ChannelRow, session: &SessionId, id: &str) -> Result<Told, Problem> {
    let none = || Problem { field: Some("/about".to_owned()), ..Problem::not_found("message") };
    let id = MessageId::parse(id).map_err(|_| none())?;
    let found = hub.workspace.message(session, &id).await.map_err(problem)?.ok_or_else(none)?;
    let seq = found.message.seq;
    let shown = hub.workspace.last_shown(&row.id, session).await.map_err(problem)?;
    let shown = shown.into_iter().find(|told| told.seq == seq);
    Ok(shown.unwrap_or(Told { session: session.clone(), seq, shown: None }))
}

/// Takes what a person wrote: an answer to what was asked, else a message.
async fn said(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    (id, text): (&str, &str),
    about: Option<Told>,
) -> Result<Taken, Problem> {
    if model::text::is_blank(text) {
        return Ok(Taken::Ignored);
    }
    let hub = &known.scoped.hub;
    let mut question = None;
    if let Some(told) = about {
        let message = hub.workspace.message_at(session, told.seq).await.map_err(problem)?.map(|found| found.message);
        if let Some(message) = message {
            if let Body::Approval(approval) = Body::of(&message.draft) {
                let decision = answer::decision(&approval, text).or_else(|| answer::words(&approval, text));
                if let Some(decision) = decision {
                    return decide(known, &message, told.shown, decision).await;
                }
                if approval.state.is_open() {
                    return Err(unclear());
                }
            }
            question = Some(message);
        }
    } else if let Some((message, shown, decision)) = open_ask(hub, row, session, text).await? {
        return decide(known, &message, shown, decision).await;
    }
    post(known, row, session, (id, text), question).await
}

/// The one open approval that this channel showed, where a text decides it. A text that would decide several is refused: nobody
/// knows which one is meant.
async fn open_ask(
    hub: &Hub,
    row: &ChannelRow,
    session: &SessionId,
    text: &str,
) -> Result<Option<(Message, Option<String>, api::posting::Decide)>, Problem> {
    let mut open = Vec::new();
    for told in hub.workspace.last_shown(&row.id, session).await.map_err(problem)? {
        let found = hub.workspace.message_at(session, told.seq).await.map_err(problem)?;
        if let Some(found) = found
            && let Some(approval) = Approval::open_in(&found.message.draft)
            && let Some(decision) = answer::decision(&approval, text)
        {
            open.push((found.message, told.shown, decision));
        }
    }
    if open.len() > 1 {
        let title = format!("{} requests are open: nobody knows which one is meant", open.len());
        return Err(Problem::new(409, "several_open", title).hint("Reply to the one that you mean"));
    }
    Ok(open.pop())
}

fn unclear() -> Problem {
    Problem::new(422, "unclear", "This is no answer to the request, which stays open")
        .hint("Answer with the number of an option, `approve` or `deny`")
}

async fn reacted(known: &Known, told: Told, sign: &str) -> Result<Taken, Problem> {
    let found = known.scoped.hub.workspace.message_at(&told.session, told.seq).await.map_err(problem)?;
    let Some(message) = found.map(|found| found.message) else { return Ok(Taken::Ignored) };
    let Body::Approval(approval) = Body::of(&message.draft) else { return Ok(Taken::Ignored) };
    match answer::decision(&approval, sign) {
        Some(decision) => decide(known, &message, told.shown, decision).await,
        None => Ok(Taken::Ignored),
    }
}

async fn decide(
    known: &Known,
    message: &Message,
    shown: Option<String>,
    decision: api::posting::Decide,
) -> Result<Taken, Problem> {
    let path = MessagePath { session: message.session_id.to_string(), message: message.draft.id.to_string() };
    let decision = api::posting::Decide { shown_sha256: shown, ..decision };
    let decided = decisions::decide(&known.scoped, &path, decision).await?;
    Ok(Taken::Decided { seq: decided.approval.message.seq, replayed: decided.replayed })
}

/// Returns the id of the message that an event of a channel becomes.
fn message_id(row: &ChannelRow, event: &str) -> Result<MessageId, Problem> {
    let hash = hex(&login::hash(event));
    let id = format!("ch-{}-{}", row.id, hash.get(..32).unwrap_or(&hash));
    MessageId::parse(id).map_err(|_| Problem::internal())
}

async fn post(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    (event, text): (&str, &str),
    question: Option<Message>,
) -> Result<Taken, Problem> {
    if text.len() > posting::CONTENT_BYTES {
        return Err(posting::too_long("/text", posting::CONTENT_BYTES));
    }
    let mut metadata = Map::new();
    metadata.insert(
        posting::ORIGIN.to_owned(),
        json!({ "id": row.id, "name": row.name, "kind": row.kind, "event": event }),
    );
    let mut draft = Draft {
        sender_name: Some(known.name.clone()),
        metadata: Some(metadata),
        reply_to: question.as_ref().map(|message| message.draft.id.clone()),
        provenance: Provenance::Person,
        ..Draft::text(message_id(row, event)?, Role::User, &known.sender, text, clock::now())
    };
    let Some(waits) = routed(&known.scoped.hub, row, session, &mut draft) else { return Ok(Taken::Ignored) };
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    let hash = create_hash(&(&row.id, event))?;
    let mut post = LivePost::new(session.clone(), posting::new_message(draft, body), hash).map_err(problem)?;
    post.queued = waits;
    post.answers = question.filter(|message| message.draft.requires_user_input).map(|message| message.draft.id);
    let posted = posts::write(&known.scoped, post).await?;
    Ok(Taken::Posted { seq: posted.message.message.seq, replayed: posted.replayed })
}

/// Notes on a message where it goes, and returns whether it waits for the agent. None where nothing is stored of it.
fn routed(hub: &Hub, row: &ChannelRow, session: &SessionId, draft: &mut Draft) -> Option<bool> {
    // Who is alone with the agent needn't call it.
    let place = if people(row).len() == 1 { Place::Own } else { Place::Room };
    let rules = hub.routing.rules(session, place);
    let incoming = model::routing::Incoming { text: &draft.content, sender: &draft.sender, place, registered: true };
    match route(&rules, &incoming) {
        Route::Unregistered | Route::Refused => None,
        // A reply is addressed to whoever asked.
        Route::Ignored(_) if draft.reply_to.is_some() => Some(true),
        // Commands are for those who are logged in: here they are words.
        Route::DirectCommand(_) => Some(true),
        route => Some(routing::mark(draft, &route)),
    }
}

/// Changes what the same person wrote before, or takes it back.
async fn change(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    event: &str,
    text: Option<&str>,
) -> Result<Taken, Problem> {
    let (sender, text) = (known.sender.clone(), text.map(str::to_owned));
    let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = &current.message.draft;
        if draft.sender != sender || draft.provenance != Provenance::Person || draft.status != Status::Final {
            return Err(Refusal::Rule(Objection::NotYours, None));
        }
        Ok(changed(match &text {
            Some(text) => Draft { content: text.clone(), ..draft.clone() },
            None => Draft { status: Status::Retracted, ..draft.clone() },
        }))
    });
    let change = LiveChange {
        session: session.clone(),
        message: message_id(row, event)?,
        if_match: None,
        needs_calls: false,
        rule,
        note: None,
    };
    match known.scoped.hub.writer.write(LiveWrite::Change(Box::new(change))).await {
        Ok((store::LiveDone::Changed { message, .. }, _)) => Ok(Taken::Changed { seq: message.message.seq }),
        Ok(_) => Err(Problem::internal()),
        // It came before the channel was added, or was an answer to an approval: what was decided stays.
        Err(Failure::Refused(Refusal::NoMessage | Refusal::Rule(..))) => Ok(Taken::Ignored),
        Err(failure) => Err(refusal(failure)),
    }
}
