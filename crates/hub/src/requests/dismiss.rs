//! A person dismisses a request: it is closed, nobody decided it, and the agent is told so. It is never a permission.

use crate::basics::clock;
use crate::context::Scoped;
use crate::requests::card;
use crate::requests::record::{DecisionWrite, Written, by, find_action, held, replayed, tell, via, write};
use crate::writing::posting;
use api::posting::{Decide, Decided};
use api::{Problem, ProblemCode};
use model::closed::{CloseReason, Closed};
use model::message_type::action::Action;
use model::message_type::approval::ApprovalState;
use model::{Body, Draft, Status};
use serde_json::{Map, Value};
use store::{Changed, Objection, Refusal, StoredMessage};

/// Message for the agent.
const TOLD: &str = "Dismissed without a decision";

/// Closes a request of any kind. The same person who dismisses it again gets the first reply.
pub async fn dismiss(scoped: &Scoped, input: &Decide, found: StoredMessage) -> Result<Decided, Problem> {
    check(input)?;
    let has_buttons = has_buttons(scoped, &found.message.draft).await?;
    let closed = Closed {
        reason: CloseReason::Dismissed,
        at: clock::now(),
        by: Some(by(scoped).to_owned()),
        via: Some(via(scoped).to_owned()),
    };
    if dismissed(&found.message.draft, has_buttons, &closed).is_none() {
        return replay_or_refuse(scoped, &closed, found).await;
    }
    let (session, message) = (found.message.session_id.clone(), found.message.draft.id.clone());
    let id = Some(message.to_string());
    let is_approval = matches!(Body::of(&found.message.draft), Body::Approval(_));
    let (approval_id, reply_to) = if is_approval { (id, None) } else { (None, id) };
    let action = Action { approval_id, reply_to, selected: vec![TOLD.to_owned()], ..Action::default() };
    let extras = Map::from_iter([("decision_state".to_owned(), Value::from(ApprovalState::Cancelled.as_str()))]);
    let action = tell(scoped, (&session, &message), &action, extras, TOLD.to_owned())?;
    let close = closed.clone();
    let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
        let draft = dismissed(&current.message.draft, has_buttons, &close);
        let draft = draft.ok_or_else(|| Refusal::Rule(Objection::Decided, Some(Box::new(current.clone()))))?;
        let body = Body::of(&draft);
        let message = posting::new_message(draft, body);
        Ok(Changed { message, follow_up: Some(action.clone()), grows: false, alive: false })
    });
    let choice = ApprovalState::Cancelled;
    match write(scoped, DecisionWrite { session, message, choice, needs_calls: false, rule }).await? {
        Written::Now(decided) => Ok(*decided),
        Written::Before(current) => replay_or_refuse(scoped, &closed, *current).await,
    }
}

/// A request is dismissed without an answer.
fn check(input: &Decide) -> Result<(), Problem> {
    let given = [
        ("/selected", !input.selected.is_empty()),
        ("/text", input.text.is_some()),
        ("/values", input.values.is_some()),
        ("/edited_input", input.edited_input.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(Problem::field(field, "absent: a request is dismissed without an answer")),
        None => Ok(()),
    }
}

/// Returns true if a message has optional buttons, of a file or of a declared type.
async fn has_buttons(scoped: &Scoped, draft: &Draft) -> Result<bool, Problem> {
    Ok(match Body::of(draft) {
        Body::File(file) => file.asks(draft.metadata.as_ref()),
        Body::Unknown { .. } => {
            let types = scoped.hub.types().await?;
            types.of_message(draft, &Body::of(draft)).is_some_and(|known| known.shown_by.declared.asks())
        }
        _ => false,
    })
}

/// The message as it is once it is dismissed; None if it asks nothing, or no more.
fn dismissed(draft: &Draft, has_buttons: bool, closed: &Closed) -> Option<Draft> {
    if draft.status == Status::Retracted || Closed::of(draft).is_some() {
        return None;
    }
    card::withdrawn(draft, closed).or_else(|| {
        let mut draft = draft.clone();
        has_buttons.then(|| card::mark(&mut draft, closed))?;
        Some(draft)
    })
}

async fn replay_or_refuse(scoped: &Scoped, wanted: &Closed, current: StoredMessage) -> Result<Decided, Problem> {
    let same = Closed::of(&current.message.draft)
        .is_some_and(|first| (first.reason, &first.by, &first.via) == (wanted.reason, &wanted.by, &wanted.via));
    if same && let Some(action) = find_action(scoped, &current, |_| true).await? {
        return replayed(scoped, current, action).await;
    }
    match Body::of(&current.message.draft) {
        Body::Approval(_) | Body::File(_) => Err(held(current)),
        _ if Closed::of(&current.message.draft).is_some() => Err(held(current)),
        _ => Err(Problem::new(ProblemCode::NoApproval, "This message doesn't ask for a decision")),
    }
}
