//! Modes and models of a session. Newer agents have them among their options, older ones by themselves.

use super::{Acp, Purpose};
use crate::rpc::{RpcError, filled, items};
use crate::{Choice, Effects, Event, Refusal};
use serde_json::{Value, json};

/// Available and current settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    mode: Setting,
    model: Setting,
}

#[derive(Debug, Default)]
struct Setting {
    current: Option<String>,
    choices: Vec<Choice>,
    /// The option that it is, by its id; None where it stands by itself.
    option: Option<String>,
}

impl Settings {
    /// Reads what an answer or an update says of them. What it doesn't mention stays.
    pub fn read(&mut self, of: &Value) {
        if let Some(modes) = of.get("modes").filter(|modes| !modes.is_null()) {
            self.mode.current = filled(modes, "currentModeId");
            self.mode.choices = choices(items(modes, "availableModes"), "id");
        }
        if let Some(models) = of.get("models").filter(|models| !models.is_null()) {
            self.model.current = filled(models, "currentModelId");
            self.model.choices = choices(items(models, "availableModels"), "modelId");
        }
        for option in items(of, "configOptions") {
            let setting = match option.get("category").and_then(Value::as_str) {
                Some("mode") => &mut self.mode,
                Some("model") => &mut self.model,
                _ => continue,
            };
            setting.option = filled(option, "id");
            setting.current = filled(option, "currentValue");
            // Options may come in groups.
            let values = items(option, "options").iter().flat_map(|value| match items(value, "options") {
                [] => std::slice::from_ref(value),
                group => group,
            });
            setting.choices = values.filter_map(|value| choice(value, "value")).collect();
        }
    }

    /// Whether the agent uses this model.
    pub fn is_model(&self, model: &str) -> bool {
        self.model.current.as_deref() == Some(model)
    }

    /// Whether the agent has the mode, and is in another one.
    pub fn is_other_mode(&self, mode: &str) -> bool {
        self.mode.has(mode) && self.mode.current.as_deref() != Some(mode)
    }
}

impl Setting {
    fn has(&self, id: &str) -> bool {
        self.choices.iter().any(|choice| choice.id == id)
    }

    /// Returns the option by which it is set to this choice; None where it stands by itself. Else why it can't be.
    fn option_for(&self, id: &str, what: &'static str, unknown: &'static str) -> Result<Option<String>, Refusal> {
        if self.choices.is_empty() {
            return Err(Refusal::Unsupported(what));
        }
        if !self.has(id) {
            return Err(Refusal::NotNow(unknown));
        }
        Ok(self.option.clone())
    }
}

impl Acp {
    pub(super) fn set_mode(&mut self, mode: String, effects: &mut Effects) -> Result<(), Refusal> {
        let option = self.settings.mode.option_for(&mode, "change its mode", "the agent has no such mode")?;
        let params = json!({ "modeId": mode });
        self.change("session/set_mode", params, option, Purpose::Mode(mode), effects)
    }

    pub(super) fn set_model(&mut self, model: String, effects: &mut Effects) -> Result<(), Refusal> {
        let option = self.settings.model.option_for(&model, "change its model", "the agent has no such model")?;
        let params = json!({ "modelId": model });
        self.change("session/set_model", params, option, Purpose::Model(model), effects)
    }

    fn change(
        &mut self,
        method: &str,
        mut params: Value,
        option: Option<String>,
        purpose: Purpose,
        effects: &mut Effects,
    ) -> Result<(), Refusal> {
        let Some(session) = self.session.clone() else { return Err(Refusal::NotNow("the agent is still starting")) };
        let (Purpose::Mode(value) | Purpose::Model(value)) = &purpose else { return Ok(()) };
        let method = match option {
            Some(option) => {
                params = json!({ "configId": option, "value": value });
                "session/set_config_option"
            }
            None => method,
        };
        params["sessionId"] = json!(session);
        self.request(method, params, purpose, effects);
        Ok(())
    }

    /// The agent answered a change.
    pub(super) fn set(&mut self, purpose: Purpose, result: Result<Value, RpcError>, effects: &mut Effects) {
        let (setting, value) = match purpose {
            Purpose::Mode(mode) => (&mut self.settings.mode, mode),
            Purpose::Model(model) => (&mut self.settings.model, model),
            _ => return self.settled(effects),
        };
        match result {
            Ok(answer) => {
                setting.current = Some(value);
                self.settings.read(&answer);
                self.report_session(effects);
            }
            Err(error) => effects.emit(Event::Notice(format!("The agent didn't change to `{value}`: {error}"))),
        }
        self.settled(effects);
    }

    /// The agent changed them by itself.
    pub(super) fn settings_changed(&mut self, update: &Value, effects: &mut Effects) {
        // The protocol's own example has the second name.
        let mode = filled(update, "currentModeId").or_else(|| filled(update, "modeId"));
        self.settings.mode.current = mode.or(self.settings.mode.current.take());
        self.settings.read(update);
        self.report_session(effects);
        if update.get("configOptions").is_some() {
            self.report_choices(effects);
        }
    }

    pub(super) fn report_session(&self, effects: &mut Effects) {
        let Some(id) = self.session.clone() else { return };
        let (model, mode) = (self.settings.model.current.clone(), self.settings.mode.current.clone());
        effects.emit(Event::Session { id, version: self.version.clone(), model, mode });
    }

    pub(super) fn report_choices(&self, effects: &mut Effects) {
        if !self.settings.mode.choices.is_empty() {
            effects.emit(Event::Modes(self.settings.mode.choices.clone()));
        }
        if !self.settings.model.choices.is_empty() {
            effects.emit(Event::Models(self.settings.model.choices.clone()));
        }
    }
}

fn choices(of: &[Value], id: &str) -> Vec<Choice> {
    of.iter().filter_map(|value| choice(value, id)).collect()
}

fn choice(value: &Value, id: &str) -> Option<Choice> {
    let id = filled(value, id)?;
    let label = filled(value, "name").unwrap_or_else(|| id.clone());
    Some(Choice { id, label, description: filled(value, "description"), kind: None })
}
