//! Requests to a person: questions, plans, and permissions that were refused. (A permission that was given leaves no
//! trace in the transcript.)

use super::at::{derived_id, message_id};
use super::obj::Obj;
use super::outcome::Outcome;
use crate::parts::answers::{Answers, text_of};
use crate::parts::asks;
use crate::parts::calls::payload;
use model::message_type::approval::{ApprovalKind, ApprovalState, Decision};
use model::message_type::tool_call::{ToolCall, ToolKind};
use model::text::clip;
use model::{Draft, MessageId, Micros};
use serde_json::{Map, Value};

/// Most characters of a target in a title.
const MAX_TITLE: usize = 100;

/// Returns the content and the envelope of the open APPROVAL that a call asks for, as a transcript would give it: a question, a
/// plan, else a permission.
pub fn asked(tool: &str, input: &Value) -> (String, Map<String, Value>) {
    input.as_object().and_then(|input| asks::from_call(tool, input)).unwrap_or_else(|| {
        let title = asked_for(tool, input);
        let approval = asks::open(ApprovalKind::Permission, &title);
        (title, asks::request(approval))
    })
}

/// Returns whether the payload of an APPROVAL says all that the input of its call does: the questions, or the plan.
pub fn tells_all(payload: &Map<String, Value>, tool: &str, input: &Map<String, Value>) -> bool {
    let Some((_, metadata)) = asks::from_call(tool, input) else { return false };
    let made = metadata.get("payload");
    let is_same = |key: &str| made.and_then(|made| made.get(key)) == payload.get(key);
    let knows = |of: &Value, names: &[&str]| {
        of.is_string() || of.as_object().is_some_and(|of| of.keys().all(|key| names.contains(&key.as_str())))
    };
    let options = |question: &Value| {
        let options = question.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        options.iter().all(|option| knows(option, &["label", "description"]))
    };
    let question = |asked: &Value| knows(asked, &["question", "header", "options", "multiSelect"]) && options(asked);
    match (payload.get("kind").and_then(Value::as_str), input.get("questions"), input.get("plan")) {
        (Some("question"), Some(Value::Array(questions)), _) => {
            input.len() == 1 && is_same("questions") && questions.iter().all(question)
        }
        (Some("plan"), None, Some(Value::String(_))) => input.len() == 1 && is_same("body"),
        _ => false,
    }
}

/// Returns the id that a transcript gives to the APPROVAL of a call.
pub fn approval_id(call_id: &str) -> MessageId {
    message_id(&derived_id(message_id(call_id).as_str(), "approval", 0))
}

/// The answer, once the call's result is there.
pub(crate) fn decide(draft: &mut Draft, outcome: &Outcome, line: &Obj, now: Micros) {
    let result = line.obj("toolUseResult");
    let Some(payload) = payload(draft) else { return };
    let asks = payload.get("kind").and_then(Value::as_str) == Some(ApprovalKind::Question.as_str());
    let state = match outcome.state {
        "done" if asks => ApprovalState::Answered,
        "done" => ApprovalState::AllowedOnce,
        "denied" if !asks => ApprovalState::Denied,
        _ => ApprovalState::Cancelled,
    };
    let mut decision = Decision { at: Some(now), ..Decision::new(state) };
    let mut content = None;
    if asks {
        let questions = asks::questions(payload);
        // A question that was called off may have been answered in part.
        let answers = Answers::read(&questions, result.as_ref(), &outcome.text);
        let answers = if outcome.ok() { answers.or_bare(&questions, &outcome.text) } else { answers };
        answers.write(&mut decision);
        content = Some(answers.lines().join("\n")).filter(|lines| !lines.is_empty());
    } else if outcome.ok()
        && let Some(plan) = result.and_then(|result| result.filled("plan"))
    {
        payload.insert("title".to_owned(), asks::plan_title(Some(&plan)).into());
        payload.insert("body".to_owned(), plan.as_str().into());
        content = Some(plan);
    }
    decision.text = outcome.reason.clone().or(decision.text);
    asks::write_answer(payload, &decision);
    if let Some(content) = content {
        draft.content = content;
    }
}

/// A permission that was refused, or one that a person gave; newer versions record those too.
pub(crate) fn permission(
    tool: &str,
    input: &Value,
    outcome: &Outcome,
    now: Micros,
) -> Option<(String, Map<String, Value>)> {
    let said = |key: &str| outcome.permission.as_ref().and_then(|permission| text_of(permission, key));
    let by_person = said("source").is_some_and(|source| source.starts_with("user"));
    let state = match said("decision") {
        _ if outcome.state == "denied" => ApprovalState::Denied,
        Some("accept") if by_person => match said("grantScope") {
            None | Some("once") => ApprovalState::AllowedOnce,
            Some(_) => ApprovalState::AllowedAlways,
        },
        _ => return None,
    };
    let decision = Decision { at: Some(now), text: outcome.reason.clone(), ..Decision::new(state) };
    let title = asked_for(tool, input);
    let verb = if state == ApprovalState::Denied { "denied" } else { "allowed" };
    let content = match &outcome.reason {
        Some(reason) => format!("{title} ({verb}): {reason}"),
        None => format!("{title} ({verb})"),
    };
    Some((content, asks::decided(&title, &decision)))
}

/// Returns a line that describes the call: `Write README.md`, `Run git push`.
fn asked_for(tool: &str, input: &Value) -> String {
    let call = ToolCall::new(tool, input.as_object().cloned().unwrap_or_default());
    let Some(target) = call.target() else { return format!("Use of {tool}") };
    let file = target.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(&target);
    let (verb, target) = match (tool, call.kind()) {
        ("Write", _) => ("Write", file),
        (_, ToolKind::Edit) => ("Edit", file),
        (_, ToolKind::Read) => ("Read", file),
        (_, ToolKind::Execute) if input.get("command").is_some() => ("Run", &*target),
        ("WebFetch", _) => ("Fetch", &*target),
        ("Task" | "Agent", _) => ("Start agent:", &*target),
        _ => return format!("{}: {}", name(tool), clip(&target, MAX_TITLE)),
    };
    format!("{verb} {}", clip(target, MAX_TITLE))
}

/// A tool's name without its server's prefix: `add card`.
fn name(tool: &str) -> String {
    let own = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(_, own)| own.replace('_', " "));
    own.filter(|own| !own.is_empty()).unwrap_or_else(|| tool.to_owned())
}

/// Returns true if the approval of the message isn't decided.
pub(crate) fn is_undecided(draft: &Draft) -> bool {
    let state = draft.metadata.as_ref().and_then(|metadata| metadata.get("payload")?.get("state")?.as_str());
    matches!(state, None | Some("open" | "expired"))
}

/// A question that nobody answered before the conversation went on.
pub(crate) fn expire(draft: &mut Draft) {
    if draft.message_type() == "APPROVAL"
        && let Some(payload) = payload(draft)
        && asks::is_open(payload)
    {
        payload.insert("state".to_owned(), ApprovalState::Expired.as_str().into());
    }
}
