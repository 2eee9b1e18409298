//! A permission request as an APPROVAL.

use crate::requests::{allow_rules, card};
use agents::claude;
use api::hooks::HookEvent;
use model::hook::{Fallback, HookAsk};
use model::message_type::approval::{Approval, ApprovalState, Decision};
use model::{Draft, Micros};
use serde_json::{Map, Value, json};

/// Marks a decision that a rule made.
pub const BY_RULE: &str = "rule";

/// The card of a request, still open.
pub fn open(event: &HookEvent, ask: &HookAsk, call: Option<&str>, now: Micros) -> Draft {
    // An input may have many megabytes: it is copied once.
    let hook = json!(ask);
    let (content, mut metadata) = claude::asked(&ask.tool_name, &hook["input"]);
    if let Some(payload) = metadata.get_mut("payload")
        && payload["kind"] == "permission"
    {
        payload["questions"] = json!([{ "question": payload["title"], "options": options(ask) }]);
    }
    metadata.insert(HookAsk::KEY.to_owned(), hook);
    let kind = event.agent_type.as_deref().filter(|kind| !kind.trim().is_empty());
    let sub_agent = event.agent_id.as_deref().map(|id| kind.unwrap_or(id));
    card::card((content, metadata), call, sub_agent, now)
}

fn options(ask: &HookAsk) -> Value {
    let mut options = vec![json!({ "id": "allow", "label": "Allow once", "kind": "allow_once" })];
    if let (Some(rule), Some(folder)) = (&ask.rule, &ask.folder) {
        let means = allow_rules::explanation(rule, folder);
        options.push(json!({ "id": "always", "label": format!("Always allow {rule}"), "description": means, "kind": "allow_always" }));
    }
    options.push(json!({ "id": "deny", "label": "Deny", "kind": "reject_once" }));
    Value::Array(options)
}

/// The card, allowed by a rule.
pub fn by_rule(open: &Draft, rule: &str, now: Micros) -> Option<Draft> {
    let decision = Decision {
        rule: Some(rule.to_owned()),
        by: Some(BY_RULE.to_owned()),
        at: Some(now),
        ..Decision::new(ApprovalState::AllowedAlways)
    };
    card::closed(open, ApprovalState::AllowedAlways, Some(&decision))
}

/// The card, answered elsewhere or by nobody.
pub fn closed(open: &Draft, why: Fallback, now: Micros) -> Option<Draft> {
    let elsewhere =
        Decision { via: Some("terminal".to_owned()), at: Some(now), ..Decision::new(ApprovalState::DecidedElsewhere) };
    let (state, decision) = match why {
        Fallback::TimedOut | Fallback::Stopped => (ApprovalState::Expired, None),
        Fallback::Terminal => (ApprovalState::DecidedElsewhere, Some(&elsewhere)),
        Fallback::Closed => (ApprovalState::Cancelled, None),
    };
    let mut draft = card::closed(open, state, decision)?;
    if let Some(hook) = draft.metadata.as_mut()?.get_mut(HookAsk::KEY).and_then(Value::as_object_mut) {
        hook.insert("fallback".to_owned(), json!(why));
    }
    Some(draft)
}

/// Returns the hook's request while its card is open.
pub fn open_ask(draft: &Draft) -> Option<HookAsk> {
    HookAsk::of(draft).filter(|_| Approval::open_in(draft).is_some())
}

/// Returns the request for a tool call.
pub fn ask(tool_name: String, input: Map<String, Value>, folder: Option<String>, until: Micros) -> HookAsk {
    let rule = folder.as_ref().and_then(|_| allow_rules::of(&tool_name, &input));
    HookAsk { tool_name, input, folder, rule, until: Some(until), fallback: None }
}
