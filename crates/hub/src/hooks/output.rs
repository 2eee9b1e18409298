//! A person's decision as the agent reads it. Whatever isn't clearly one gives no answer.

use api::hooks::{HookAnswer, HookDecision, HookOutput};
use model::hook::HookAsk;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Decision, Question};
use serde_json::{Map, Value};

/// Returns the answer to a request.
pub fn of(ask: &HookAsk, approval: &Approval, decision: &Decision) -> HookAnswer {
    let kind = approval.kind;
    let decision = match decision.state {
        ApprovalState::AllowedOnce | ApprovalState::AllowedAlways if kind == ApprovalKind::Permission => {
            allow(decision.edited_input.as_ref().and_then(Value::as_object).cloned())
        }
        ApprovalState::AllowedOnce if kind == ApprovalKind::Plan => allow(Some(ask.input.clone())),
        ApprovalState::Answered if kind == ApprovalKind::Question => {
            let mut input = ask.input.clone();
            input.insert("answers".to_owned(), Value::Object(answers(approval, decision)));
            allow(Some(input))
        }
        ApprovalState::Denied => {
            let said = decision.text.clone().filter(|text| !text.trim().is_empty());
            HookDecision::Deny { message: said.unwrap_or_else(|| "A person denied this".to_owned()) }
        }
        _ => return HookAnswer::default(),
    };
    wrap(decision)
}

/// Returns the answer that a rule gives.
pub fn allowed() -> HookAnswer {
    wrap(allow(None))
}

fn allow(updated_input: Option<Map<String, Value>>) -> HookDecision {
    HookDecision::Allow { updated_input }
}

fn wrap(decision: HookDecision) -> HookAnswer {
    HookAnswer { output: Some(HookOutput { hook_event_name: "PermissionRequest".to_owned(), decision }) }
}

/// Each question with the labels of what was chosen. What was typed answers the only question, else those without a
/// choice.
fn answers(approval: &Approval, decision: &Decision) -> Map<String, Value> {
    let typed = decision.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let only = approval.questions.len() == 1;
    let answer = |question: &Question| {
        let chosen = question.options.iter().filter(|option| decision.selected.contains(&option.id));
        let mut words: Vec<&str> = chosen.map(|option| option.label.as_str()).collect();
        if only || words.is_empty() {
            words.extend(typed);
        }
        (question.question.clone(), Value::from(words.join(", ")))
    };
    approval.questions.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::of;
    use model::hook::HookAsk;
    use model::message_type::approval::{Approval, ApprovalState, Decision};
    use serde_json::json;

    /// Of all states of a decision, only the permissions of a person allow a call.
    #[test]
    fn nothing_else_is_a_permission() {
        let payload = json!({"kind": "permission", "title": "Run ls", "questions": [], "state": "open"});
        let approval: Approval = serde_json::from_value(payload).unwrap();
        let answers = ApprovalState::ALL.iter().map(|state| {
            let answer = of(&HookAsk::default(), &approval, &Decision::new(*state));
            (
                state.as_str(),
                serde_json::to_value(answer).unwrap()["hookSpecificOutput"]["decision"]["behavior"].clone(),
            )
        });
        let decided: Vec<_> = answers.filter(|(_, behavior)| !behavior.is_null()).collect();
        let expected =
            [("allowed_once", json!("allow")), ("allowed_always", json!("allow")), ("denied", json!("deny"))];
        assert_eq!(decided, expected);
    }
}
