//! How a decision is written: the first one holds, the audit log says whose it is, and an ACTION tells the agent.

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::writer::Failure;
use crate::requests::{NewDecision, Outcome, Requests};
use crate::writing::entries::entry;
use crate::writing::posting;
use crate::writing::posting::ORIGIN;
use crate::writing::refusal::refusal;
use api::Problem;
use api::posting::{Decide, Decided};
use model::audit::Event;
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::{Body, Draft, Message, MessageId, MessageType, Provenance, Role, SessionId, envelope};
use serde_json::{Map, Value, json};
use store::people::OWNER;
use store::{LivePost, Objection, Refusal, Rule, StoredMessage};

/// Returns the author of a decision.
pub fn by(scoped: &Scoped) -> &str {
    scoped.author().unwrap_or(OWNER)
}

/// Where.
pub fn via(scoped: &Scoped) -> &str {
    scoped.person.as_ref().map_or(scoped.surface.via(), |person| &person.via)
}

/// A decision that is to be written.
pub struct DecisionWrite {
    pub session: SessionId,
    pub message: MessageId,
    /// For the audit log.
    pub choice: ApprovalState,
    /// The rule looks at the calls that the message is about, too.
    pub needs_calls: bool,
    pub rule: Rule,
}

/// Outcome of a decision.
pub enum Written {
    Now(Box<Decided>),
    /// Somebody was quicker: the message as it is.
    Before(Box<StoredMessage>),
}

/// Writes a decision, with the ACTION that tells the agent.
pub async fn write(scoped: &Scoped, decision: DecisionWrite) -> Result<Written, Problem> {
    let DecisionWrite { session, message, choice, needs_calls, rule } = decision;
    let decided = Event::Decided { session: session.to_string(), approval: message.to_string(), choice };
    let note = scoped.note(decided).await;
    let event = scoped.person.as_ref().map(|person| person.doing(true));
    let decision = NewDecision { session, message, needs_calls, rule, note, event };
    Ok(match Requests::of(&scoped.hub).decide(decision).await? {
        Outcome::Now { message, action, pos } => {
            let decided = Decided { approval: entry(*message), action: entry(*action), pos, replayed: false };
            Written::Now(Box::new(decided))
        }
        Outcome::Before(current) => Written::Before(current),
    })
}

/// Returns an earlier decision, with the ACTION that told the agent.
pub async fn replayed(scoped: &Scoped, current: StoredMessage, action: StoredMessage) -> Result<Decided, Problem> {
    let pos = scoped.hub.workspace.feed_pos().await.map_err(problem)?;
    Ok(Decided { approval: entry(current), action: entry(action), pos, replayed: true })
}

/// Returns the refusal of a decision, because another one holds.
pub fn held(current: StoredMessage) -> Problem {
    refusal(Failure::Refused(Refusal::Rule(Objection::Decided, Some(Box::new(current)))))
}

/// Returns the hash of what the person was shown, which a press of a button needs.
pub fn hash_shown(input: &Decide) -> Result<&str, Problem> {
    let missing = || Problem::field("/shown_sha256", "`shown_sha256` of the message that the person was shown");
    input.shown_sha256.as_deref().ok_or_else(missing)
}

/// Refuses a state other than the one that a press of a button has.
pub fn check_state(input: &Decide) -> Result<(), Problem> {
    match input.state {
        None | Some(ApprovalState::Answered) => Ok(()),
        Some(_) => Err(Problem::field("/state", "`answered`, or absent")),
    }
}

/// Returns the last ACTION on a message that `tells` takes.
pub async fn find_action(
    scoped: &Scoped,
    about: &StoredMessage,
    tells: impl Fn(&Action) -> bool,
) -> Result<Option<StoredMessage>, Problem> {
    let Message { session_id, draft, .. } = &about.message;
    let tells =
        |stored: &StoredMessage| matches!(Body::of(&stored.message.draft), Body::Action(action) if tells(&action));
    scoped.hub.workspace.reply_to(session_id, &draft.id, tells).await.map_err(problem)
}

/// Makes the post by which the agent learns what a person chose of a message.
pub fn tell(
    scoped: &Scoped,
    (session, about): (&SessionId, &MessageId),
    action: &Action,
    mut extras: Map<String, Value>,
    content: String,
) -> Result<LivePost, Problem> {
    let origin = match &scoped.person {
        Some(person) => Some(json!({ "id": person.id, "name": person.channel, "kind": person.via })),
        None => scoped.surface.extra(),
    };
    if let Some(origin) = origin {
        extras.insert(ORIGIN.to_owned(), origin);
    }
    let payload = serde_json::to_value(action).map_err(|_| Problem::internal())?;
    let metadata = envelope::build(MessageType::Action.as_str(), payload, extras, envelope::VERSION)
        .map_err(|_| Problem::internal())?;
    let mut draft = Draft {
        metadata: Some(metadata),
        reply_to: Some(about.clone()),
        sender_name: scoped.author().map(str::to_owned),
        provenance: Provenance::Person,
        ..Draft::text(posting::new_id(), Role::User, scoped.surface.sender(), content, clock::now())
    };
    let body = Body::from(action.clone());
    posting::complete(&mut draft, &body);
    let hash = create_hash(&draft)?;
    let mut post = LivePost::new(session.clone(), posting::new_message(draft, body), hash).map_err(problem)?;
    post.queued = true;
    Ok(post)
}

/// Returns the only button that was pressed.
pub fn one(input: &Decide) -> Result<&str, Problem> {
    match input.selected.as_slice() {
        [one] => Ok(one),
        _ => Err(Problem::field("/selected", "one button")),
    }
}
