//! Prompts, one at a time, and how their turns end.

use super::asks::Calls;
use super::{Acp, Purpose, value};
use crate::rpc::{self, RpcError, filled};
use crate::{Effects, Event, Outcome, Picture, Prompt, Refusal, Tokens, Turn, Voice};
use agent_client_protocol_schema::v1::CancelNotification;
use serde_json::{Value, json};

/// A turn that goes on.
#[derive(Debug)]
pub(super) struct Running {
    /// The prompt that the agent hasn't shown to have taken, by its id.
    undelivered: Option<String>,
    /// Prompts without an answer: that which began the turn, and those that steer it.
    open: usize,
    pub is_interrupted: bool,
    tokens: Tokens,
}

/// How an agent takes a prompt while it works.
enum Steering {
    /// By a request of its own, an extension of the protocol.
    Extension,
    /// As another prompt.
    Prompt,
    Not,
}

impl Acp {
    /// Sends the next prompt, if there is one and the agent waits for it.
    pub(super) fn next_prompt(&mut self, effects: &mut Effects) {
        if !self.is_ready() || self.running.is_some() {
            return;
        }
        let Some(prompt) = self.queue.pop_front() else { return };
        self.cost.0 = self.cost.1;
        self.send_prompt(&prompt, effects);
        let (undelivered, tokens) = (Some(prompt.id), Tokens::default());
        self.running = Some(Running { undelivered, open: 1, is_interrupted: false, tokens });
        self.report_state(effects);
    }

    fn send_prompt(&mut self, prompt: &Prompt, effects: &mut Effects) {
        let params = json!({ "sessionId": self.session, "prompt": self.blocks(prompt, effects) });
        self.request("session/prompt", params, Purpose::Prompt, effects);
    }

    /// Adds a prompt to the turn, if the agent can do that; else it is the next one.
    pub(super) fn steer(&mut self, prompt: Prompt, effects: &mut Effects) {
        let steering = self.steering();
        let Some(running) = self.running.as_mut().filter(|running| !running.is_interrupted) else {
            self.queue.push_back(prompt);
            return self.next_prompt(effects);
        };
        match steering {
            Steering::Extension => {
                let idle = json!({ "steering": { "idleBehavior": "promptRequired" } });
                let params =
                    json!({ "sessionId": self.session, "prompt": self.blocks(&prompt, effects), "_meta": idle });
                self.request("_session/steering", params, Purpose::Steer(Box::new(prompt)), effects);
            }
            Steering::Prompt => {
                running.open += 1;
                self.send_prompt(&prompt, effects);
                effects.emit(Event::Delivered(prompt.id));
            }
            Steering::Not => self.queue.push_back(prompt),
        }
    }

    fn steering(&self) -> Steering {
        if self.steers_by_extension {
            Steering::Extension
        } else if self.capabilities.pointer("/_meta/claudeCode/promptQueueing") == Some(&Value::Bool(true)) {
            Steering::Prompt
        } else {
            Steering::Not
        }
    }

    /// The agent answered a prompt that steers. The turn may have ended meanwhile: then it is the next prompt.
    pub(super) fn steered(&mut self, prompt: Prompt, result: Result<Value, RpcError>, effects: &mut Effects) {
        if result.is_ok_and(|answer| filled(&answer, "outcome").as_deref() == Some("injected")) {
            effects.emit(Event::Delivered(prompt.id));
        } else {
            self.queue.push_front(prompt);
            self.next_prompt(effects);
        }
    }

    /// Returns the blocks of a prompt. Text that isn't a person's comes first, in blocks for the model only, which
    /// don't become a person's messages.
    fn blocks(&mut self, prompt: &Prompt, effects: &mut Effects) -> Vec<Value> {
        let mut before = prompt.before.clone();
        if !self.takes_system_prompt() {
            before.splice(0..0, std::mem::take(&mut self.opening.system_notices));
        }
        let for_model = json!({ "audience": ["assistant"] });
        let before = before.iter().map(|text| json!({ "type": "text", "text": text, "annotations": for_model }));
        let takes_pictures = self.capabilities.pointer("/promptCapabilities/image") == Some(&Value::Bool(true));
        if !takes_pictures && !prompt.pictures.is_empty() {
            effects.emit(Event::Notice("The agent takes no pictures: it was given their names".to_owned()));
        }
        let picture = |Picture { mime, data }: &Picture| json!({ "type": "image", "mimeType": mime, "data": data });
        let pictures = prompt.pictures.iter().filter(|_| takes_pictures).map(picture);
        before.chain([json!({ "type": "text", "text": prompt.text })]).chain(pictures).collect()
    }

    pub(super) fn interrupt(&mut self, effects: &mut Effects) -> Result<(), Refusal> {
        let (Some(session), Some(running)) = (self.session.clone(), &mut self.running) else {
            return Err(Refusal::NotNow("the agent isn't working"));
        };
        running.is_interrupted = true;
        effects.send(&rpc::notification("session/cancel", value(CancelNotification::new(session))));
        self.withdraw_asks(effects);
        self.report_state(effects);
        Ok(())
    }

    pub(super) fn updated(&mut self, update: &Value, effects: &mut Effects) {
        match update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default() {
            "current_mode_update" | "config_option_update" => self.settings_changed(update, effects),
            "usage_update" => {
                let amount = update.get("cost").and_then(|cost| cost.get("amount")).and_then(Value::as_f64);
                self.cost.1 = amount.unwrap_or(self.cost.1);
            }
            kind if kind.ends_with("_chunk") || kind.starts_with("tool_call") || kind == "plan" => {
                self.taken(effects);
                match kind {
                    "agent_message_chunk" => self.grow(Voice::Answer, update, effects),
                    "agent_thought_chunk" => self.grow(Voice::Thought, update, effects),
                    _ => self.grown(effects),
                }
                self.count(update, effects);
                self.calls.learn(update);
            }
            _ => {}
        }
    }

    /// The agent works on the prompt.
    pub(super) fn taken(&mut self, effects: &mut Effects) {
        if let Some(id) = self.running.as_mut().and_then(|running| running.undelivered.take()) {
            effects.emit(Event::Delivered(id));
        }
    }

    /// Qwen Code counts each request of its model, beside a piece of text.
    fn count(&mut self, update: &Value, effects: &mut Effects) {
        let (Some(running), Some(usage)) = (&mut self.running, update.pointer("/_meta/usage")) else { return };
        running.tokens = running.tokens.plus(of_usage(usage));
        effects.emit(Event::Tokens(running.tokens));
    }

    /// The agent answered a prompt.
    pub(super) fn turn_ended(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        if let Some(running) = &mut self.running {
            if let Ok(answer) = &result {
                running.tokens = running.tokens.plus(tokens(answer));
            }
            running.open = running.open.saturating_sub(1);
            if running.open > 0 {
                return;
            }
        }
        self.withdraw_asks(effects);
        if result.is_ok() {
            self.taken(effects);
        }
        self.grown(effects);
        self.calls = Calls::default();
        let running = self.running.take();
        let interrupted = running.as_ref().is_some_and(|running| running.is_interrupted);
        let (outcome, message) = match &result {
            // Some agents fail where they should say that they were stopped.
            Err(_) if interrupted => (Outcome::Interrupted, None),
            Err(error) => (Outcome::Failed, Some(error.to_string())),
            Ok(answer) => match filled(answer, "stopReason").as_deref() {
                Some("cancelled") => (Outcome::Interrupted, None),
                Some("max_tokens") => (Outcome::Failed, Some("The model reached its limit of tokens".to_owned())),
                Some("max_turn_requests") => {
                    (Outcome::Failed, Some("The agent reached its limit of requests in a turn".to_owned()))
                }
                Some("refusal") => (Outcome::Failed, Some("The model refused to go on".to_owned())),
                _ => (Outcome::Done, None),
            },
        };
        let tokens = running.map(|running| running.tokens).unwrap_or_default();
        let cost = self.cost.1 - self.cost.0;
        let cost_usd = Some(cost).filter(|cost| *cost > 0.0);
        effects.emit(Event::Turn(Turn { outcome, message, tokens, cost_usd }));
        self.next_prompt(effects);
        if self.running.is_none() {
            self.report_state(effects);
        }
    }
}

/// Tokens of a turn. Gemini CLI has them in a place of its own.
fn tokens(answer: &Value) -> Tokens {
    if let Some(usage) = answer.get("usage").filter(|usage| usage.is_object()) {
        return of_usage(usage);
    }
    let own = answer.pointer("/_meta/quota/token_count");
    own.map_or_else(Tokens::default, |own| Tokens {
        input: count(own, "input_tokens"),
        output: count(own, "output_tokens"),
        ..Tokens::default()
    })
}

fn of_usage(usage: &Value) -> Tokens {
    Tokens {
        input: count(usage, "inputTokens"),
        output: count(usage, "outputTokens"),
        cache_read: count(usage, "cachedReadTokens"),
        cache_write: count(usage, "cachedWriteTokens"),
    }
}

fn count(of: &Value, key: &str) -> u64 {
    of.get(key).and_then(Value::as_u64).unwrap_or(0)
}
