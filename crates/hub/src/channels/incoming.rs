//! Handles events of channels.
//!
//! A person is identified by the owner's list of the channel's people. Others are refused, and nothing of their
//! messages is stored. Each event is processed once: a repeated one gets the first result, even after a restart and on
//! another server. The result of a decision is stored in the same transaction; the id of a message is derived from the
//! event's.

use crate::account::login;
use crate::basics::hash::create_hash;
use crate::basics::{clock, hex, problem};
use crate::caller::{Caller, Person};
use crate::channels::answer;
use crate::channels::answer::Answer;
use crate::channels::open_channels::{people, settings};
use crate::context::writer::Failure;
use crate::context::{Hub, Scoped};
use crate::messages::control;
use crate::requests::card::changed;
use crate::requests::decisions;
use crate::routing;
use crate::routing::{Doing, Heard, RoutingTable, UnregisteredRooms};
use crate::writing::refusal::refusal;
use crate::writing::{posting, posts};
use ::channels::signature::Secret;
use ::channels::{Channel, Incoming, Receives, What};
use api::channels::{ChannelPost, ChannelPosted};
use api::messages::MessagePath;
use api::people::PersonRole;
use api::{Problem, ProblemCode};
use model::message_type::approval::Approval;
use model::routing::{Place, Route, mention, route};
use model::{Body, Draft, Message, MessageId, Micros, Provenance, Role, SessionId, Status};
use serde_json::{Map, json};
use std::future::Future;
use std::sync::Arc;
use store::{ChannelRow, EventResult, LiveChange, LivePost, LiveWrite, Objection, Refusal, StoredMessage, Told};

/// Notice for the people of an encrypted room.
const ENCRYPTED: &str =
    "This room is encrypted, and Verbatim can't read what is written here. Invite me to a room without encryption.";

/// The result of an event.
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

/// An incoming message.
struct Written<'w> {
    /// The channel's id of it.
    event: &'w str,
    text: &'w str,
    /// When, by the other side's clock, but never later than now. None if it doesn't say.
    at: Option<Micros>,
}

/// Somebody whom the owner named.
struct Known {
    scoped: Scoped,
    /// As messages have it: `matrix:@ada:example.org`.
    sender: String,
    name: String,
}

/// Takes an invitation of the bot. That of a person whom the owner named is accepted; any other waits for the owner. A
/// room that shows a session is entered again; any other is listed, so that the owner registers it.
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
    hub.state::<UnregisteredRooms>().heard(&hub.workspace, heard, clock::now()).await.map_err(problem)
}

/// Takes an event of a channel. The place of a polled channel leads to the session.
pub async fn take(hub: &Hub, row: &ChannelRow, event: &Incoming) -> Result<Taken, Problem> {
    let known = known(hub, row, &event.sender, &event.id).await?;
    // Rooms that show no session are none of ours: an owner finds them in a list.
    let Some(session) = shown_at(hub, row, &event.place).await? else {
        let heard = Heard { channel: &row.id, address: &event.place, name: None, what: Doing::Wrote };
        hub.state::<UnregisteredRooms>().heard(&hub.workspace, heard, clock::now()).await.map_err(problem)?;
        return Ok(Taken::Ignored);
    };
    let taking = async {
        match &event.what {
            What::Text { text, about } => {
                let about = match about {
                    Some(id) => told(hub, row, &session, id).await?,
                    None => None,
                };
                let at = event.at.map(|at| Micros(at.min(clock::now().0)));
                said(&known, row, &session, &Written { event: &event.id, text, at }, about).await
            }
            What::Reaction { of, key } => match told(hub, row, &session, of).await? {
                Some(told) => reacted(&known, told, key).await,
                None => Ok(Taken::Ignored),
            },
            What::Edit { of, text } => change(&known, row, &session, of, Some(text)).await,
            What::Retract { of } => change(&known, row, &session, of, None).await,
            What::Invited { .. } => Ok(Taken::Ignored),
        }
    };
    Box::pin(once(&known, row, &session, &event.id, taking)).await
}

/// Returns the message of the session that was sent under an id of the other side.
async fn told(hub: &Hub, row: &ChannelRow, session: &SessionId, id: &str) -> Result<Option<Told>, Problem> {
    let told = hub.workspace.told(&row.id, id).await.map_err(problem)?;
    Ok(told.filter(|told| told.session == *session))
}

/// Lets an event have its effect, unless it came before: then the first result is returned.
async fn once(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    event: &str,
    taking: impl Future<Output = Result<Taken, Problem>>,
) -> Result<Taken, Problem> {
    if let Some(taken) = before(known, row, session, event).await? {
        return taken;
    }
    let taken = taking.await;
    let result = match &taken {
        Ok(Taken::Ignored) => EventResult::Ignored,
        // Another event had decided the same.
        Ok(Taken::Decided { seq, replayed: true }) => EventResult::Decided { seq: *seq },
        // It came twice at once.
        Err(problem) if problem.is(ProblemCode::Repeated) => {
            return before(known, row, session, event).await?.unwrap_or(taken);
        }
        Err(problem) if matches!(problem.status, 400 | 409 | 412 | 422) => {
            let kept = Problem { current: None, ..problem.clone() };
            EventResult::Refused { problem: serde_json::to_string(&kept).unwrap_or_default() }
        }
        // It is stored with its effect, or may be tried again.
        _ => return taken,
    };
    let workspace = &known.scoped.hub.workspace;
    workspace.put_channel_event(&row.id, &hashed(event), &result, clock::now()).await.map_err(problem)?;
    taken
}

/// Returns what became of an event that came before.
async fn before(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    event: &str,
) -> Result<Option<Result<Taken, Problem>>, Problem> {
    let workspace = &known.scoped.hub.workspace;
    let result = workspace.channel_event(&row.id, &hashed(event)).await.map_err(problem)?;
    if let Some(result) = result {
        return Ok(Some(match result {
            EventResult::Decided { seq } => Ok(Taken::Decided { seq, replayed: true }),
            EventResult::Changed { seq } => Ok(Taken::Changed { seq }),
            EventResult::Ignored => Ok(Taken::Ignored),
            EventResult::Refused { problem } => {
                Err(serde_json::from_str(&problem).unwrap_or_else(|_| Problem::internal()))
            }
        }));
    }
    let posted = workspace.message(session, &message_id(row, event)?).await.map_err(problem)?;
    Ok(posted.map(|posted| Ok(Taken::Posted { seq: posted.message.seq, replayed: true })))
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
    let row =
        crate::channels::load(hub, channel).await.map_err(problem)?.ok_or_else(|| Problem::not_found("channel"))?;
    let receives = channels::kind(&row.kind).is_some_and(|kind| kind.abilities.receives == Receives::Signed);
    let secret = settings(&row).get("secret").and_then(|secret| Secret::parse(secret)).filter(|_| receives);
    let secret = secret.ok_or_else(|| Problem::not_found("channel that takes signed requests"))?;
    secret.verify(headers, body, clock::now().0 / Micros::SECOND).map_err(|rejected| {
        Problem::new(ProblemCode::BadSignature, format!("The signature is invalid: {rejected}"))
            .hint("Sign `webhook-id.webhook-timestamp.body` with the channel's secret, as in Standard Webhooks")
    })?;
    if row.paused_at.is_some() {
        let problem = Problem::new(ProblemCode::ChannelPaused, "This channel is paused");
        return Err(Problem { retry_after: Some(60), ..problem });
    }
    let post: ChannelPost = api::json::read(body).map_err(|error| {
        let title = format!("The body is invalid: {error}");
        Problem::new(ProblemCode::InvalidJson, title)
    })?;
    let id = headers.0.unwrap_or_default();
    let known = known(hub, &row, &post.sender, id).await?;
    let no_session = || Problem { field: Some("/session".to_owned()), ..Problem::not_found("session in this channel") };
    let session = SessionId::parse(post.session.as_str()).map_err(|_| no_session())?;
    if !shows(hub, &row, &session).await? {
        return Err(no_session());
    }
    let taking = async {
        let about = match &post.about {
            Some(id) => Some(by_message(hub, &row, &session, id).await?),
            None => None,
        };
        // In whole seconds.
        let at = headers.1.and_then(|at| at.parse::<i64>().ok()?.checked_mul(Micros::SECOND));
        let at = at.map(|at| Micros(at.min(clock::now().0)));
        said(&known, &row, &session, &Written { event: id, text: &post.text, at }, about).await
    };
    match Box::pin(once(&known, &row, &session, id, taking)).await? {
        Taken::Posted { seq, replayed } => Ok(ChannelPosted { seq, decided: false, replayed }),
        Taken::Decided { seq, replayed } => Ok(ChannelPosted { seq, decided: true, replayed }),
        Taken::Changed { seq } => Ok(ChannelPosted { seq, ..ChannelPosted::default() }),
        Taken::Ignored => Err(Problem::field("/text", "a string that isn't blank")),
    }
}

async fn known(hub: &Hub, row: &ChannelRow, address: &str, event: &str) -> Result<Known, Problem> {
    let stranger = || {
        Problem::new(ProblemCode::Stranger, "The sender isn't one of this channel's people")
            .hint("The owner can add people in the channel's settings")
    };
    let name = people(row).remove(address).ok_or_else(stranger)?;
    let user = hub.user_in_channel(&name).await?.ok_or_else(stranger)?;
    if user.role == PersonRole::Viewer {
        let title = format!("{name} has the role viewer, which doesn't allow to write or decide");
        return Err(Problem::new(ProblemCode::Forbidden, title).hint("An owner can change the role in the settings"));
    }
    let (id, via, channel) = (row.id.clone(), row.kind.clone(), row.name.clone());
    let person = Person { id, name: name.clone(), via, channel, event: hashed(event) };
    let scoped = Scoped { person: Some(Arc::new(person)), ..Scoped::new(hub.clone(), Caller::User(Arc::new(user))) };
    Ok(Known { scoped, sender: format!("{}:{address}", row.kind), name })
}

/// Returns the session that a channel shows in a place.
async fn shown_at(hub: &Hub, row: &ChannelRow, place: &str) -> Result<Option<SessionId>, Problem> {
    let Some(session) = hub.workspace.session_at(&row.id, place).await.map_err(problem)? else { return Ok(None) };
    Ok(shows(hub, row, &session).await?.then_some(session))
}

/// Returns true if the channel shows this session.
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
    Ok(shown.unwrap_or(Told { session: session.clone(), seq, shown: None, sent_at: None }))
}

/// Takes what a person wrote: an answer to what was asked, else a message.
async fn said(
    known: &Known,
    row: &ChannelRow,
    session: &SessionId,
    written: &Written<'_>,
    about: Option<Told>,
) -> Result<Taken, Problem> {
    let text = written.text;
    if model::text::is_blank(text) {
        return Ok(Taken::Ignored);
    }
    let hub = &known.scoped.hub;
    let mut question = None;
    if let Some(told) = about {
        let message = hub.workspace.message_at(session, told.seq).await.map_err(problem)?.map(|found| found.message);
        if let Some(message) = message {
            if let Body::Approval(approval) = Body::of(&message.draft) {
                let answer = answer::read(&approval, text);
                let answer = answer.or_else(|| answer::words(&approval, text).map(Answer::Decides));
                match answer {
                    Some(Answer::Decides(decision)) => return decide(known, &message, told.shown, decision).await,
                    Some(Answer::Unclear(why)) => return Err(unclear(why)),
                    None if approval.state.is_open() => return Err(unclear(NO_ANSWER)),
                    None => {}
                }
            }
            question = Some(message);
        }
    } else if let Some((message, shown, decision)) = open_ask(hub, row, session, written).await? {
        return decide(known, &message, shown, decision).await;
    }
    // It may have decided a moment ago what isn't open any more.
    if let Some(taken) = before(known, row, session, written.event).await? {
        return taken;
    }
    post(known, row, session, (written.event, text), question).await
}

/// The one open approval that this channel showed, where a text decides it. A text that would decide several is
/// refused: nobody knows which one is meant. So is one that was written before this channel showed the approval: it was
/// meant for another one.
async fn open_ask(
    hub: &Hub,
    row: &ChannelRow,
    session: &SessionId,
    written: &Written<'_>,
) -> Result<Option<(Message, Option<String>, api::posting::Decide)>, Problem> {
    let mut open = Vec::new();
    for told in hub.workspace.last_shown(&row.id, session).await.map_err(problem)? {
        let found = hub.workspace.message_at(session, told.seq).await.map_err(problem)?;
        if let Some(found) = found
            && let Some(approval) = Approval::open_in(&found.message.draft)
            && let Some(answer) = answer::read(&approval, written.text)
        {
            open.push((found.message, told, answer));
        }
    }
    if open.len() > 1 {
        let title = format!("{} requests are open, and the message doesn't say which one it answers", open.len());
        return Err(Problem::new(ProblemCode::SeveralOpen, title).hint("Reply to the request that you mean"));
    }
    let Some((message, told, answer)) = open.pop() else { return Ok(None) };
    // Where nobody says when, or the clocks differ, it is refused.
    let is_after = written.at.zip(told.sent_at).is_some_and(|(written, shown)| written >= shown);
    match answer {
        _ if !is_after => {
            Err(Problem::new(ProblemCode::CameAfter, "The request was shown after your message was written")
                .hint("Answer again, or reply to the request"))
        }
        Answer::Decides(decision) => Ok(Some((message, told.shown, decision))),
        Answer::Unclear(why) => Err(unclear(why)),
    }
}

/// The title of a refusal where a reply is no answer.
const NO_ANSWER: &str = "The message isn't an answer to the request, which stays open";

fn unclear(why: &str) -> Problem {
    Problem::new(ProblemCode::Unclear, why).hint(
        "Answer with the number of an option, `approve`, or `deny`; a denial can have a reason: `deny: use a branch`",
    )
}

async fn reacted(known: &Known, told: Told, sign: &str) -> Result<Taken, Problem> {
    let found = known.scoped.hub.workspace.message_at(&told.session, told.seq).await.map_err(problem)?;
    let Some(message) = found.map(|found| found.message) else { return Ok(Taken::Ignored) };
    let Body::Approval(approval) = Body::of(&message.draft) else { return Ok(Taken::Ignored) };
    match answer::read(&approval, sign) {
        Some(Answer::Decides(decision)) => decide(known, &message, told.shown, decision).await,
        Some(Answer::Unclear(why)) => Err(unclear(why)),
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

/// Returns the hash by which what became of an event is kept.
fn hashed(event: &str) -> String {
    hex(&login::hash(event))
}

/// Returns the id of the message that an event of a channel becomes.
fn message_id(row: &ChannelRow, event: &str) -> Result<MessageId, Problem> {
    let hash = hashed(event);
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
    control::follow(&known.scoped, &posted).await;
    Ok(Taken::Posted { seq: posted.message.message.seq, replayed: posted.replayed })
}

/// Notes on a message where it goes, and returns whether it waits for the agent. None where nothing is stored of it.
fn routed(hub: &Hub, row: &ChannelRow, session: &SessionId, draft: &mut Draft) -> Option<bool> {
    // A person who is alone with the agent needs no mention.
    let place = if people(row).len() == 1 { Place::Own } else { Place::Room };
    let rules = hub.state::<RoutingTable>().rules(session, place);
    let incoming = model::routing::Incoming { text: &draft.content, sender: &draft.sender, place, registered: true };
    match route(&rules, &incoming) {
        Route::Unregistered | Route::Refused => None,
        // A reply is addressed to whoever asked.
        Route::Ignored(_) if draft.reply_to.is_some() => Some(true),
        // Commands are for those who are logged in: here they are words.
        Route::DirectCommand(_) => Some(true),
        // An optional mention is removed too.
        Route::Addressed { .. } => {
            let text = mention::without(&draft.content, &rules.names, rules.mention_end);
            Some(routing::mark(draft, &Route::Addressed { text }))
        }
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
    let change = Box::new(LiveChange {
        session: session.clone(),
        message: message_id(row, event)?,
        if_match: None,
        needs_calls: false,
        rule,
        note: None,
    });
    let change = match &known.scoped.person {
        Some(person) => LiveWrite::Once(person.doing(false), change),
        None => LiveWrite::Change(change),
    };
    match known.scoped.hub.writer.write(change).await {
        Ok((store::LiveDone::Changed { message, .. }, _)) => Ok(Taken::Changed { seq: message.message.seq }),
        Ok(_) => Err(Problem::internal()),
        // It came before the channel was added, or was an answer to an approval: what was decided stays.
        Err(Failure::Refused(Refusal::NoMessage | Refusal::Rule(..))) => Ok(Taken::Ignored),
        Err(failure) => Err(refusal(failure)),
    }
}
