//! A permission request as an APPROVAL.

use super::rules;
use crate::posting;
use agents::claude;
use api::hooks::HookEvent;
use model::hook::{Fallback, HookAsk};
use model::message_type::approval::{Approval, ApprovalState, Decision};
use model::{Body, Context, Draft, Micros, Provenance, Role, markdown};
use serde_json::{Map, Value, json};

/// What stands beside a decision that a rule made.
pub const BY_RULE: &str = "rule";

/// The card of a request, still open. `id` is the one that the transcript gives to it.
pub fn open(event: &HookEvent, ask: &HookAsk, call: Option<&str>, now: Micros) -> Draft {
    let input = Value::Object(ask.input.clone());
    let (content, mut metadata) = claude::asked(&ask.tool_name, &input);
    if let Some(payload) = metadata.get_mut("payload")
        && payload["kind"] == "permission"
    {
        payload["questions"] = json!([{ "question": payload["title"], "options": options(ask) }]);
    }
    metadata.insert(HookAsk::KEY.to_owned(), json!(ask));
    let id = call.map_or_else(posting::new_id, claude::approval_id);
    let mut draft = Draft {
        metadata: Some(metadata),
        context: Context::None,
        call_id: call.map(str::to_owned),
        provenance: Provenance::Ourselves,
        sender_name: event.agent_id.as_ref().map(|id| format!("Sub-agent {id}")),
        ..Draft::text(id, Role::Assistant, "bot", content, now)
    };
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    draft
}

fn options(ask: &HookAsk) -> Value {
    let mut options = vec![json!({ "id": "allow", "label": "Allow once", "kind": "allow_once" })];
    if let (Some(rule), Some(folder)) = (&ask.rule, &ask.folder) {
        let means = rules::explanation(rule, folder);
        options.push(json!({ "id": "always", "label": format!("Always allow {rule}"), "description": means, "kind": "allow_always" }));
    }
    options.push(json!({ "id": "deny", "label": "Deny", "kind": "reject_once" }));
    Value::Array(options)
}

/// The same, allowed by a rule.
pub fn by_rule(open: &Draft, rule: &str, now: Micros) -> Option<Draft> {
    let decision = Decision {
        rule: Some(rule.to_owned()),
        by: Some(BY_RULE.to_owned()),
        at: Some(now),
        ..Decision::new(ApprovalState::AllowedAlways)
    };
    changed(open, ApprovalState::AllowedAlways, Some(&decision), None)
}

/// The same, answered elsewhere or by nobody.
pub fn closed(open: &Draft, why: Fallback, now: Micros) -> Option<Draft> {
    let elsewhere =
        Decision { via: Some("terminal".to_owned()), at: Some(now), ..Decision::new(ApprovalState::DecidedElsewhere) };
    let (state, decision) = match why {
        Fallback::TimedOut | Fallback::Stopped => (ApprovalState::Expired, None),
        Fallback::Terminal => (ApprovalState::DecidedElsewhere, Some(&elsewhere)),
        Fallback::Closed => (ApprovalState::Cancelled, None),
    };
    changed(open, state, decision, Some(why))
}

fn changed(open: &Draft, state: ApprovalState, decision: Option<&Decision>, why: Option<Fallback>) -> Option<Draft> {
    let mut draft = open.clone();
    let metadata = draft.metadata.as_mut()?;
    let payload = metadata.get_mut("payload")?.as_object_mut()?;
    payload.insert("state".to_owned(), Value::from(state.as_str()));
    if let Some(decision) = decision {
        payload.insert("decision".to_owned(), serde_json::to_value(decision).ok()?);
    }
    if let Some(hook) = metadata.get_mut(HookAsk::KEY).and_then(Value::as_object_mut).filter(|_| why.is_some()) {
        hook.insert("fallback".to_owned(), json!(why));
    }
    draft.requires_user_input = false;
    // What was generated says the old state.
    if draft.content == markdown::generated(open, &Body::of(open)) {
        draft.content.clear();
    }
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    Some(draft)
}

/// The row of a transcript, as the card of the request that asks the same.
pub fn adopt(row: &Draft, card: &Draft) -> Draft {
    let mut draft = Draft { metadata: card.metadata.clone(), provenance: Provenance::Ourselves, ..row.clone() };
    draft.requires_user_input = false;
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    draft
}

/// What a hook asks, and the open approval that it became.
pub fn open_ask(draft: &Draft) -> Option<HookAsk> {
    HookAsk::of(draft).filter(|_| Approval::open_in(draft).is_some())
}

/// What is asked of a tool.
pub fn ask(tool: &str, input: &Map<String, Value>, folder: Option<&str>, until: Micros) -> HookAsk {
    let rule = folder.and_then(|_| rules::of(tool, input));
    HookAsk {
        tool_name: tool.to_owned(),
        input: input.clone(),
        folder: folder.map(str::to_owned),
        rule,
        until: Some(until),
        fallback: None,
    }
}
