//! Cards: APPROVALs that we post for an agent that asks by its driver or by its hooks.

use crate::basics::problem;
use crate::writing::posting;
use agents::claude;
use api::Problem;
use model::closed::Closed;
use model::message_type::approval::{Approval, ApprovalState, Decision};
use model::{Body, Context, Draft, Micros, Provenance, Role, SessionId, markdown};
use serde_json::{Map, Value};
use store::{Changed, LivePost};

/// Returns a new card. It has the id that the transcript gives it later, so that it stays one message.
pub fn card(
    (content, metadata): (String, Map<String, Value>),
    call: Option<&str>,
    sub_agent: Option<&str>,
    now: Micros,
) -> Draft {
    let id = call.map_or_else(posting::new_id, claude::approval_id);
    completed(Draft {
        metadata: Some(metadata),
        context: Context::None,
        call_id: call.map(str::to_owned),
        provenance: Provenance::Ourselves,
        sender_name: sub_agent.map(|id| format!("Sub-agent {id}")),
        ..Draft::text(id, Role::Assistant, "bot", content, now)
    })
}

/// Returns a card that isn't open any more.
pub fn closed(open: &Draft, state: ApprovalState, decision: Option<&Decision>) -> Option<Draft> {
    let mut draft = open.clone();
    let payload = draft.metadata.as_mut()?.get_mut("payload")?.as_object_mut()?;
    payload.insert("state".to_owned(), Value::from(state.as_str()));
    if let Some(decision) = decision {
        payload.insert("decision".to_owned(), serde_json::to_value(decision).ok()?);
    }
    draft.requires_user_input = false;
    // Generated content shows the old state.
    if draft.content == markdown::generated(open, &Body::of(open)) {
        draft.content.clear();
    }
    Some(completed(draft))
}

/// Returns a request that was closed without a decision: an APPROVAL, or a question in words. None if it isn't open.
pub fn withdrawn(open: &Draft, closed: &Closed) -> Option<Draft> {
    let mut draft = if Approval::open_in(open).is_some() {
        let decision = closed.by.is_some().then(|| Decision {
            by: closed.by.clone(),
            at: Some(closed.at),
            via: closed.via.clone(),
            ..Decision::new(ApprovalState::Cancelled)
        });
        self::closed(open, ApprovalState::Cancelled, decision.as_ref())?
    } else if open.requires_user_input {
        Draft { requires_user_input: false, ..open.clone() }
    } else {
        return None;
    };
    mark(&mut draft, closed);
    Some(draft)
}

/// Notes on a message how it was closed.
pub fn mark(draft: &mut Draft, closed: &Closed) {
    let closed = serde_json::to_value(closed).unwrap_or_default();
    draft.metadata.get_or_insert_default().insert(Closed::KEY.to_owned(), closed);
}

/// Fills in what follows from the rest.
pub fn completed(mut draft: Draft) -> Draft {
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    draft
}

/// Returns the post that stores a new card.
pub fn post(session: &SessionId, card: Draft, hash: Vec<u8>) -> Result<LivePost, Problem> {
    let body = Body::of(&card);
    LivePost::new(session.clone(), posting::new_message(card, body), hash).map_err(problem)
}

/// Returns the change that stores a card in place of what is there.
pub fn changed(draft: Draft) -> Changed {
    let body = Body::of(&draft);
    Changed { message: posting::new_message(draft, body), follow_up: None, grows: false, alive: false }
}

/// Returns what a request waits for, in a few words.
pub fn waits_for(tool: &str) -> String {
    match tool {
        "AskUserQuestion" => "Asks a question".to_owned(),
        "form" => "Asks for input".to_owned(),
        "ExitPlanMode" => "Asks whether to follow its plan".to_owned(),
        _ => format!("Asks for permission: {tool}"),
    }
}
