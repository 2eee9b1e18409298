//! Messages of declared types that ask: the document that shows them, and the answer of a person.

use crate::basics::hash::sha256;
use crate::context::Scoped;
use crate::context::writer::Failure;
use crate::requests::record::{check_state, hash_shown, one, tell};
use crate::writing::entries::entry;
use crate::writing::posts;
use crate::writing::refusal::refusal;
use api::messages::Entry;
use api::posting::{Decide, Decided};
use api::{Problem, ProblemCode};
use model::closed::Closed;
use model::declared::{Controls, controls};
use model::message_type::action::Action;
use model::{Body, Payload as _, Status};
use serde_json::{Map, Value};
use store::{Objection, Refusal, StoredMessage};

/// Attaches the document that shows an entry of a declared type and, if it has buttons, the hash that an answer must
/// repeat.
pub async fn show(scoped: &Scoped, entry: &mut Entry) -> Result<(), Problem> {
    if !matches!(entry.body(), Body::Unknown { .. }) {
        return Ok(());
    }
    scoped.hub.types().await?.show(entry);
    let draft = &entry.message.draft;
    let Some(shown_by) = entry.shown_by.as_ref().filter(|it| it.declared.asks()) else { return Ok(()) };
    if draft.may_ask() && draft.status != Status::Retracted && Closed::of(draft).is_none() {
        entry.shown_sha256 = Some(shown_sha256(&shown_by.sha256, draft.payload())?);
    }
    Ok(())
}

fn shown_sha256(document: &str, payload: Option<&Value>) -> Result<String, Problem> {
    sha256(&(document, payload))
}

/// Posts the ACTION with the pressed button and the values of the fields. A message can be answered more than once.
pub async fn answer(scoped: &Scoped, input: Decide, found: StoredMessage) -> Result<Decided, Problem> {
    let mut asked = entry(found.clone());
    show(scoped, &mut asked).await?;
    let (Some(shown_by), Some(sha256)) = (&asked.shown_by, &asked.shown_sha256) else {
        return Err(Problem::new(ProblemCode::NoApproval, "This message doesn't ask for a decision"));
    };
    check_state(&input)?;
    if input.text.is_some() {
        return Err(Problem::field("/text", "absent: this message has buttons and fields"));
    }
    if hash_shown(&input)? != sha256 {
        return Err(refusal(Failure::Refused(Refusal::Rule(Objection::Changed, Some(Box::new(found))))));
    }
    let payload = asked.message.draft.payload().cloned().unwrap_or_default();
    let controls = controls(&shown_by.declared.view(&payload).nodes);
    let (selected, values) = chosen(&controls, &input)?;
    let (session, message) = (&asked.message.session_id, &asked.message.draft.id);
    let action = Action { reply_to: Some(message.to_string()), selected, values, ..Action::default() };
    let post = tell(scoped, (session, message), &action, Map::new(), action.to_markdown())?;
    let posted = posts::write(scoped, post).await?;
    Ok(Decided { approval: asked, action: posted.message, pos: posted.pos, replayed: posted.replayed })
}

/// The value of the pressed button, and the values of the fields by name.
type Chosen = (Vec<String>, Option<Map<String, Value>>);

fn chosen(controls: &Controls, input: &Decide) -> Result<Chosen, Problem> {
    let pressed = one(input)?;
    let button = controls.buttons.iter().find(|(_, value)| value == pressed);
    let Some((_, value)) = button else {
        return Err(Problem::field("/selected/0", "the value of a button of this message"));
    };
    for (name, value) in input.values.iter().flatten() {
        if !controls.inputs.iter().any(|(known, _)| known == name) {
            return Err(Problem::field(&format!("/values/{name}"), "no field but those of this message"));
        }
        if value.is_array() || value.is_object() || value.to_string().len() > 64 * 1024 {
            return Err(Problem::field(&format!("/values/{name}"), "a string, a number, `true` or `false`"));
        }
    }
    Ok((vec![value.clone()], input.values.clone().filter(|values| !values.is_empty())))
}
