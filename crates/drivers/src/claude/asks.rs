//! Requests for permission, and their answers.

use super::{object, text};
use crate::driver::Answer;
use crate::event::{Ask, AskKind, Content, Suggestion};
use crate::form;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The requests that are open, by id.
#[derive(Default)]
pub(super) struct Asks(BTreeMap<String, Ask>);

impl Asks {
    /// Takes a `can_use_tool` request.
    pub(super) fn open(&mut self, id: &str, request: &Value) -> Ask {
        let tool_name = text(request, "tool_name").unwrap_or_default().to_owned();
        let suggestions = request.get("permission_suggestions").and_then(Value::as_array);
        let said = |key: &str| text(request, key).map(str::to_owned);
        let ask = Ask {
            request: id.to_owned(),
            kind: match tool_name.as_str() {
                "AskUserQuestion" => AskKind::Question,
                "ExitPlanMode" | "exit_plan_mode" => AskKind::Plan,
                _ => AskKind::Permission,
            },
            call_id: said("tool_use_id"),
            tool_name,
            input: object(request, "input"),
            title: said("title"),
            content: said("description").map(Content::Text).into_iter().collect(),
            paths: said("blocked_path").into_iter().collect(),
            reason: said("decision_reason"),
            options: Vec::new(),
            suggestions: suggestions.into_iter().flatten().filter_map(suggestion).collect(),
            sub_agent: said("agent_id"),
        };
        self.0.insert(id.to_owned(), ask.clone());
        ask
    }

    /// Takes an `elicitation` request with a form.
    pub(super) fn open_form(&mut self, id: &str, request: &Value) -> Ask {
        let said = |key: &str| text(request, key).map(str::to_owned);
        let ask = Ask {
            request: id.to_owned(),
            kind: AskKind::Form,
            tool_name: "form".to_owned(),
            input: form::input(request.get("requested_schema")),
            title: said("message"),
            reason: said("mcp_server_name").map(|server| format!("Asked by the MCP server `{server}`")),
            ..Ask::default()
        };
        self.0.insert(id.to_owned(), ask.clone());
        ask
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Those of the turn itself: a sub-agent in the background may go on after it.
    pub(super) fn of_turn(&self) -> Vec<String> {
        self.0.values().filter(|ask| ask.sub_agent.is_none()).map(|ask| ask.request.clone()).collect()
    }

    /// Returns false if there is no such request.
    pub(super) fn withdraw(&mut self, request: &str) -> bool {
        self.0.remove(request).is_some()
    }

    /// Returns the message that answers a request; None if it isn't open. It isn't afterwards.
    pub(super) fn answer(&mut self, request: &str, answer: Answer) -> Option<Value> {
        let ask = self.0.remove(request)?;
        let said = if ask.kind == AskKind::Form {
            form::answer(&answer).unwrap_or_else(form::cancelled)
        } else {
            behaviour(ask, answer)
        };
        let response = json!({ "subtype": "success", "request_id": request, "response": said });
        Some(json!({ "type": "control_response", "response": response }))
    }
}

/// Message for the model about a denial. By this text the transcript shows that a person refused the call, not that it
/// failed.
const DENIED: &str = "The user doesn't want to proceed with this tool use.";

fn behaviour(ask: Ask, answer: Answer) -> Value {
    match answer {
        Answer::Allow { input, rules, .. } => {
            // Older versions need the input, changed or not.
            let mut allow = json!({ "behavior": "allow", "updatedInput": input.unwrap_or(ask.input) });
            let rules: Vec<&Value> = rules.iter().filter_map(|n| Some(&ask.suggestions.get(*n)?.rule)).collect();
            if !rules.is_empty() {
                allow["updatedPermissions"] = json!(rules);
            }
            allow
        }
        Answer::Answers(answers) => {
            let answers: Map<String, Value> =
                answers.into_iter().map(|(question, it)| (question, joined(it))).collect();
            let mut input = ask.input;
            input.insert("answers".to_owned(), Value::Object(answers));
            json!({ "behavior": "allow", "updatedInput": input })
        }
        Answer::Deny { message, .. } => {
            let message = match message {
                Some(words) => format!("{DENIED} Instead, the user said:\n{words}"),
                None => DENIED.to_owned(),
            };
            json!({ "behavior": "deny", "message": message })
        }
        Answer::Form(_) | Answer::Cancel => {
            json!({ "behavior": "deny", "message": "Nobody answered.", "interrupt": true })
        }
    }
}

/// Several labels are one text, as in the agent's own dialog.
fn joined(answer: Value) -> Value {
    match answer {
        Value::Array(labels) => {
            let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
            Value::from(labels.join(", "))
        }
        other => other,
    }
}

/// `Bash(git status)`, for this session.
fn suggestion(rule: &Value) -> Option<Suggestion> {
    let scope = match text(rule, "destination") {
        Some("session") => "for this session",
        Some("localSettings") => "in this folder, for you",
        Some("projectSettings") => "in this folder, for everybody",
        Some("userSettings") => "everywhere",
        _ => return None,
    };
    let what = match text(rule, "type")? {
        "addRules" if text(rule, "behavior") == Some("allow") => {
            let rules = rule.get("rules")?.as_array()?.iter().filter_map(|rule| {
                let tool = text(rule, "toolName")?;
                Some(text(rule, "ruleContent").map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})")))
            });
            let rules: Vec<String> = rules.collect();
            format!("Always allow {}", rules.join(", "))
        }
        "setMode" => format!("Switch to the mode `{}`", text(rule, "mode")?),
        "addDirectories" => {
            let folders = rule.get("directories")?.as_array()?.iter().filter_map(Value::as_str);
            format!("Always allow the folder {}", folders.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    Some(Suggestion { label: format!("{what}, {scope}"), rule: rule.clone() })
}
