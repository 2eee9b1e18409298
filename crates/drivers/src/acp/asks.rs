//! The agent's permission requests, and their answers. Only an option that a person chose allows anything.

use super::Acp;
use super::shown;
use crate::form;
use crate::rpc::{self, filled, items};
use crate::{Answer, Ask, AskKind, Choice, Effects, Event, Prompt, Refusal};
use agent_client_protocol_schema::v1::{
    RequestPermissionOutcome, RequestPermissionResponse, SelectedPermissionOutcome,
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A request that waits for an answer.
#[derive(Debug)]
pub(super) struct OpenAsk {
    /// As it came.
    id: Value,
    wants: Wants,
}

#[derive(Debug)]
enum Wants {
    /// One of these.
    Option(Vec<Choice>),
    /// Values for a form.
    Form,
}

/// The agent's reports about the calls of the turn. A request often only refers to the call.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Map<String, Value>>);

impl Calls {
    /// Keeps what an update or a request says of a call; returns all that is known of it.
    pub fn learn(&mut self, of: &Value) -> Value {
        let (Some(id), Some(new)) = (filled(of, "toolCallId"), of.as_object()) else { return of.clone() };
        let known = self.0.entry(id).or_default();
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        // Words or an output that come later take back no change.
        let changes = shown::changes_to_keep(known.get("content"), new.get("content"));
        known.extend(new.iter().filter(|(_, value)| says(value)).map(|(key, value)| (key.clone(), value.clone())));
        if let Some(Value::Array(content)) = known.get_mut("content") {
            content.splice(0..0, changes);
        }
        Value::Object(known.clone())
    }
}

impl Acp {
    pub(super) fn ask(&mut self, id: Value, params: &Value, effects: &mut Effects) {
        let call = self.calls.learn(shown::call_of(params).unwrap_or(&Value::Null));
        let options = options(params);
        let kind = filled(&call, "kind");
        let tool = call.pointer("/_meta/claudeCode/toolName").and_then(Value::as_str).map(str::to_owned);
        let ask = Ask {
            request: rpc::key(&id),
            kind: if kind.as_deref() == Some("switch_mode") { AskKind::Plan } else { AskKind::Permission },
            call_id: filled(&call, "toolCallId"),
            tool_name: filled(&call, "name").or(tool).or(kind).unwrap_or_else(|| "tool".to_owned()),
            input: shown::input(params, &call),
            content: shown::content(params, &call),
            paths: shown::paths(&call),
            title: filled(params, "title").or_else(|| filled(&call, "title")),
            reason: filled(params, "description"),
            options: options.clone(),
            suggestions: Vec::new(),
            sub_agent: None,
        };
        self.open_ask(ask, OpenAsk { id, wants: Wants::Option(options) }, effects);
    }

    pub(super) fn ask_form(&mut self, id: Value, params: &Value, effects: &mut Effects) {
        let ask = Ask {
            request: rpc::key(&id),
            kind: AskKind::Form,
            call_id: filled(params, "toolCallId"),
            tool_name: "form".to_owned(),
            input: form::input(params.get("requestedSchema")),
            title: filled(params, "message"),
            ..Ask::default()
        };
        self.open_ask(ask, OpenAsk { id, wants: Wants::Form }, effects);
    }

    fn open_ask(&mut self, ask: Ask, open: OpenAsk, effects: &mut Effects) {
        self.taken(effects);
        self.grown(effects);
        let request = ask.request.clone();
        if self.asks.contains_key(&request) {
            let words = format!("The agent sent request {request} again, which is still open. The first one counts");
            return effects.emit(Event::Notice(words));
        }
        if self.running.as_ref().is_some_and(|running| running.is_interrupted) {
            // It crossed the interruption, which is an answer to all requests.
            return effects.send(&rpc::answer(&open.id, Ok(open.cancelled())));
        }
        effects.emit(Event::Asked(ask));
        self.asks.insert(request, open);
        self.report_state(effects);
    }

    pub(super) fn answer(&mut self, request: &str, answer: Answer, effects: &mut Effects) -> Result<(), Refusal> {
        let open = self.asks.get(request).ok_or(Refusal::NoRequest)?;
        let (result, message) = match (&open.wants, answer) {
            (_, Answer::Allow { input: Some(_), .. }) => return Err(Refusal::Unsupported("take another input")),
            (Wants::Option(options), Answer::Allow { option, rules, .. }) => {
                let wanted: &[&str] = if rules.is_empty() { &["allow_once"] } else { &["allow_always"] };
                let none = Refusal::NotNow("the agent gave no such option: choose one of its own");
                (outcome(Some(choose(options, option, "allow", wanted).ok_or(none)?)), None)
            }
            (Wants::Option(options), Answer::Deny { option, message }) => {
                let is_own = option.is_some();
                let chosen = choose(options, option, "reject", &["reject_once", "reject_always"]);
                if is_own && chosen.is_none() {
                    return Err(Refusal::NotNow("the agent gave no such option: choose one of its own"));
                }
                (outcome(chosen), message)
            }
            (Wants::Option(_), Answer::Cancel) => (open.cancelled(), None),
            (Wants::Form, answer) => {
                let result = form::answer(&answer).ok_or(Refusal::Unsupported("take this answer to a form"))?;
                let message = if let Answer::Deny { message, .. } = answer { message } else { None };
                (result, message)
            }
            _ => return Err(Refusal::Unsupported("take this answer to this request")),
        };
        effects.send(&rpc::answer(&open.id, Ok(result)));
        self.asks.remove(request);
        // The protocol has no place for words beside a denial: they steer the turn, or are the next prompt.
        if let Some(text) = message.filter(|text| !text.is_empty()) {
            let id = format!("{request}~message");
            self.steer(Prompt { id, text, ..Prompt::default() }, effects);
        }
        self.report_state(effects);
        Ok(())
    }

    /// Nobody will answer what is open.
    pub(super) fn withdraw_asks(&mut self, effects: &mut Effects) {
        for (request, open) in std::mem::take(&mut self.asks) {
            effects.send(&rpc::answer(&open.id, Ok(open.cancelled())));
            effects.emit(Event::Withdrawn { request });
        }
    }
}

impl OpenAsk {
    /// Returns the answer to a request that nobody will decide.
    fn cancelled(&self) -> Value {
        match self.wants {
            Wants::Option(_) => outcome(None),
            Wants::Form => form::cancelled(),
        }
    }
}

/// The option of this id, unless its kind says the opposite; without an id the first of the kinds that are wanted.
fn choose(options: &[Choice], option: Option<String>, verb: &str, wanted: &[&str]) -> Option<String> {
    let Some(option) = option else {
        let of = |kind: &&str| options.iter().find(|choice| choice.kind.as_deref() == Some(*kind));
        return wanted.iter().find_map(of).map(|choice| choice.id.clone());
    };
    let fits = |choice: &&Choice| {
        choice.id == option && choice.kind.as_ref().is_none_or(|kind| kind.split('_').next() == Some(verb))
    };
    options.iter().find(fits).map(|choice| choice.id.clone())
}

fn options(params: &Value) -> Vec<Choice> {
    let option = |option: &Value| {
        let id = filled(option, "optionId")?;
        let label = filled(option, "name").unwrap_or_else(|| id.clone());
        let kinds = ["allow_once", "allow_always", "reject_once", "reject_always"];
        let kind = filled(option, "kind").filter(|kind| kinds.contains(&kind.as_str()));
        Some(Choice { id, label, description: None, kind })
    };
    items(params, "options").iter().filter_map(option).collect()
}

fn outcome(option: Option<String>) -> Value {
    let outcome = match option {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        None => RequestPermissionOutcome::Cancelled,
    };
    super::value(RequestPermissionResponse::new(outcome))
}
