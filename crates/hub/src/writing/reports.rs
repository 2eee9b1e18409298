//! Decisions that a request brings along. Only `POST .../decision` decides: anything else is a report of what was
//! decided elsewhere, and is stored as the report of the key that sent it.

use crate::caller::Caller;
use api::{Problem, ProblemCode};
use model::MessageType;
use model::message_type::approval::ApprovalState;
use serde_json::{Map, Value};

/// Where a decision made in Verbatim says that it was made.
const WEB: &str = "web";
/// Author of decisions in Verbatim.
const OWNER: &str = "owner";
/// Author of reported decisions.
const KEY: &str = "key";
/// Where a key may say that something was decided. The first one stands where it doesn't say.
const PLACES: &[&str] = &["terminal", "chat"];
/// Pointer to the decision in a request.
const DECISION: &str = "/message_metadata/payload/decision";

/// Marks the decision of an APPROVAL as a report of its caller. Returns whether that changed the metadata.
///
/// # Errors
/// 403 `not_yours_to_decide` where it passes for a decision made in Verbatim, or for another's report.
pub fn attribute(caller: &Caller, metadata: &mut Map<String, Value>) -> Result<bool, Problem> {
    if metadata.get("message_type").and_then(Value::as_str) != Some(MessageType::Approval.as_str()) {
        return Ok(false);
    }
    let Some(payload) = metadata.get_mut("payload").and_then(Value::as_object_mut) else { return Ok(false) };
    let elsewhere = word(payload, "state") == Some(ApprovalState::DecidedElsewhere.as_str());
    let Some(decision) = payload.get_mut("decision").and_then(Value::as_object_mut) else { return Ok(false) };
    if decision.contains_key("shown_sha256") {
        return Err(forged("/shown_sha256", "absent: only a decision made in Verbatim has it"));
    }
    let Caller::Agent(agent) = caller else { return own_words(decision).map(|()| false) };
    if !elsewhere {
        return Err(forged("", "absent, unless `state` is `decided_elsewhere`"));
    }
    let place = match word(decision, "via") {
        None => PLACES.first().copied().unwrap_or_default(),
        Some(via) => match PLACES.iter().find(|place| **place == via) {
            Some(place) => place,
            None => return Err(forged("/via", &format!("absent, `{}`", PLACES.join("` or `")))),
        },
    };
    if word(decision, "by").is_some_and(|by| by != KEY) {
        return Err(forged("/by", &format!("absent or `{KEY}`: a key can't report in another name")));
    }
    if word(decision, "reported_by").is_some_and(|name| name != agent.name) {
        return Err(forged("/reported_by", "absent, or the name of the key that is used"));
    }
    decision.insert("by".to_owned(), Value::from(KEY));
    decision.insert("via".to_owned(), Value::from(place));
    decision.insert("reported_by".to_owned(), Value::from(agent.name.clone()));
    Ok(true)
}

/// A person, or this machine's commands, may say who decided elsewhere.
fn own_words(decision: &Map<String, Value>) -> Result<(), Problem> {
    let says = |field: &str, value: &str| word(decision, field).is_some_and(|word| word.eq_ignore_ascii_case(value));
    if says("by", OWNER) {
        return Err(forged("/by", "another name: `owner` can only decide by `POST .../decision`"));
    }
    if says("via", WEB) {
        return Err(forged("/via", "another value: `web` is reserved for `POST .../decision`"));
    }
    if decision.contains_key("reported_by") {
        return Err(forged("/reported_by", "absent: a key can't report this"));
    }
    Ok(())
}

fn word<'a>(object: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    object.get(field)?.as_str()
}

fn forged(field: &str, expected: &str) -> Problem {
    let problem = Problem::field(&format!("{DECISION}{field}"), expected);
    problem
        .coded(ProblemCode::NotYoursToDecide)
        .hint("Use the state `decided_elsewhere` to report a decision in the agent's own terminal")
}
