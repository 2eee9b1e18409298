//! From the first line to a thread that takes turns.

use super::joined::hello;
use super::{Codex, Mode, Purpose, modes};
use crate::rpc::{self, RpcError, filled, give_up, items};
use crate::{Choice, Effects, Event, State};
use serde_json::{Map, Value, json};

impl Codex {
    pub(super) fn initialize(&mut self, effects: &mut Effects) {
        effects.emit(Event::State(State::Starting));
        self.request("initialize", hello(), Purpose::Initialize, effects);
    }

    pub(super) fn initialized(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        if let Err(error) = result {
            return give_up(format!("Codex didn't start: {error}"), effects);
        }
        effects.send(&rpc::notification("initialized", json!({})));
        let mut params = Map::from_iter([("cwd".to_owned(), json!(self.opening.folder))]);
        if let Some(wanted) = &self.opening.mode {
            match Mode::named(wanted) {
                Some(mode) => {
                    params.insert("approvalPolicy".to_owned(), json!(mode.approval));
                    params.insert("sandbox".to_owned(), json!(mode.sandbox));
                }
                None => effects.emit(Event::Notice(format!("Codex has no mode `{wanted}`; it keeps its default"))),
            }
        }
        if let Some(model) = &self.opening.model {
            params.insert("model".to_owned(), json!(model));
        }
        if !self.opening.system_notices.is_empty() {
            params.insert("developerInstructions".to_owned(), json!(self.opening.system_notices.join("\n\n")));
        }
        let method = match &self.opening.resume {
            None => "thread/start",
            Some(resume) => {
                params.insert("threadId".to_owned(), json!(resume.session));
                // The transcript has them.
                params.insert("excludeTurns".to_owned(), json!(true));
                if resume.fork { "thread/fork" } else { "thread/resume" }
            }
        };
        self.request(method, Value::Object(params), Purpose::Open, effects);
        self.request("model/list", json!({}), Purpose::Models, effects);
    }

    pub(super) fn opened(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => return give_up(format!("Codex opened no thread: {error}"), effects),
        };
        let thread = answer.get("thread");
        let field = |of: Option<&Value>, key: &str| of.and_then(|of| of.get(key)?.as_str().map(str::to_owned));
        let Some(id) = field(thread, "id") else {
            return give_up("Codex opened a thread without an id".to_owned(), effects);
        };
        self.thread = Some(id);
        self.version = field(thread, "cliVersion");
        self.model = field(Some(&answer), "model");
        self.mode = Mode::of(&answer);
        self.report_session(effects);
        if self.joined.is_some() {
            self.go_on(&answer, effects);
        } else {
            effects.emit(Event::Modes(modes::choices()));
        }
        self.report_state(effects);
        self.next_prompt(effects);
    }
}

/// The models that a person can choose. Without an answer, there is no choice.
pub(super) fn models(result: Result<Value, RpcError>, effects: &mut Effects) {
    let Ok(answer) = result else { return };
    let choice = |model: &Value| {
        let id = filled(model, "model").or_else(|| filled(model, "id"))?;
        let label = filled(model, "displayName").unwrap_or_else(|| id.clone());
        Some(Choice { id, label, description: filled(model, "description"), kind: None })
    };
    let shown = items(&answer, "data").iter().filter(|model| model.get("hidden") != Some(&Value::Bool(true)));
    let choices: Vec<Choice> = shown.filter_map(choice).collect();
    if !choices.is_empty() {
        effects.emit(Event::Models(choices));
    }
}
