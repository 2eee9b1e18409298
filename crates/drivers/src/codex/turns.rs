//! Prompts and what Codex tells of its turns.

use super::{Codex, Purpose};
use crate::rpc::RpcError;
use crate::{Effects, Event, Outcome, Picture, Prompt, Refusal, Tokens, Turn, Voice};
use serde_json::{Map, Value, json};

/// A turn that goes on.
#[derive(Debug)]
pub(super) struct Running {
    /// The prompt that began it, until Codex has taken it.
    prompt: Option<String>,
    /// None until Codex has named it.
    id: Option<String>,
    pub is_interrupted: bool,
}

impl Running {
    /// A turn that somebody else began.
    pub fn named(id: &str) -> Self {
        Self { prompt: None, id: Some(id.to_owned()), is_interrupted: false }
    }
}

impl Codex {
    pub(super) fn next_prompt(&mut self, effects: &mut Effects) {
        if self.running.is_some() || self.queue.is_empty() || !self.is_followed(effects) {
            return;
        }
        let Some(thread) = self.thread.clone() else { return };
        let Some(prompt) = self.queue.pop_front() else { return };
        let mut params = Map::from_iter([("threadId".to_owned(), json!(thread))]);
        say(&mut params, &prompt);
        let change = std::mem::take(&mut self.change);
        if let Some(mode) = change.mode {
            params.insert("approvalPolicy".to_owned(), json!(mode.approval));
            params.insert("sandboxPolicy".to_owned(), mode.policy());
        }
        if let Some(model) = change.model {
            params.insert("model".to_owned(), json!(model));
        }
        self.running = Some(Running { prompt: Some(prompt.id.clone()), id: None, is_interrupted: false });
        self.tokens = Tokens::default();
        self.request("turn/start", Value::Object(params), Purpose::Turn(Box::new(prompt)), effects);
        self.report_state(effects);
    }

    /// Adds a prompt to the turn; without a turn, it begins one.
    pub(super) fn steer(&mut self, prompt: Prompt, effects: &mut Effects) {
        let turn =
            self.running.as_ref().filter(|running| !running.is_interrupted).and_then(|running| running.id.clone());
        let (Some(thread), Some(turn)) = (self.thread.clone(), turn) else {
            self.queue.push_back(prompt);
            return self.next_prompt(effects);
        };
        let mut params = Map::from_iter([("threadId".to_owned(), json!(thread))]);
        params.insert("expectedTurnId".to_owned(), json!(turn));
        say(&mut params, &prompt);
        self.request("turn/steer", Value::Object(params), Purpose::Steer(Box::new(prompt)), effects);
    }

    /// The turn may have ended meanwhile: the prompt begins the next one.
    pub(super) fn steered(&mut self, prompt: Prompt, result: Result<Value, RpcError>, effects: &mut Effects) {
        if result.is_ok() {
            effects.emit(Event::Delivered(prompt.id));
        } else {
            self.queue.push_front(prompt);
            self.next_prompt(effects);
        }
    }

    pub(super) fn turn_accepted(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        match result {
            Ok(answer) => {
                self.named(answer.get("turn"), effects);
            }
            Err(error) => self.turn_over(Outcome::Failed, Some(error.to_string()), effects),
        }
    }

    /// Codex names the turn, in its answer and in a message, whichever comes first.
    fn named(&mut self, turn: Option<&Value>, effects: &mut Effects) {
        let id = turn.and_then(|turn| turn.get("id")?.as_str()).map(str::to_owned);
        let Some(running) = &mut self.running else { return };
        let is_new = running.id.is_none() && id.is_some();
        running.id = id.or(running.id.take());
        if let Some(prompt) = running.prompt.take() {
            effects.emit(Event::Delivered(prompt));
        }
        if is_new && running.is_interrupted {
            self.send_interrupt(effects);
        }
    }

    pub(super) fn interrupt(&mut self, effects: &mut Effects) -> Result<(), Refusal> {
        let Some(running) = &mut self.running else { return Err(Refusal::NotNow("Codex isn't working")) };
        running.is_interrupted = true;
        self.send_interrupt(effects);
        Ok(())
    }

    /// Codex stops a turn by its id: without one, it is stopped once it has one.
    fn send_interrupt(&mut self, effects: &mut Effects) {
        let turn = self.running.as_ref().and_then(|running| running.id.clone());
        if let (Some(thread), Some(turn)) = (self.thread.clone(), turn) {
            self.request("turn/interrupt", json!({ "threadId": thread, "turnId": turn }), Purpose::Interrupt, effects);
        }
    }

    pub(super) fn told(&mut self, method: &str, params: &Value, effects: &mut Effects) {
        let text = |key: &str| params.get(key).and_then(Value::as_str);
        let message = || text("summary").or_else(|| text("message")).filter(|text| !text.is_empty());
        match method {
            // The terminal shows them.
            "configWarning" | "deprecationNotice" if self.joined.is_some() => return,
            "configWarning" | "warning" | "deprecationNotice" => {
                if let Some(message) = message() {
                    effects.emit(Event::Notice(message.to_owned()));
                }
                return;
            }
            "serverRequest/resolved" => return self.resolved(params, effects),
            // Sub-agents are threads of their own, with transcripts of their own.
            _ if text("threadId") != self.thread.as_deref() => return,
            _ => {}
        }
        let (item, delta) = (text("itemId").unwrap_or_default(), text("delta").unwrap_or_default());
        match method {
            "thread/closed" | "thread/status/changed" => self.changed(method, params, effects),
            "turn/started" => {
                let turn = params.get("turn");
                self.running.get_or_insert(Running { prompt: None, id: None, is_interrupted: false });
                self.named(turn, effects);
                self.report_state(effects);
            }
            "turn/completed" => self.completed(params, effects),
            "item/started" => self.begun(params),
            "item/completed" => self.finished(params, effects),
            "item/agentMessage/delta" => self.grow(item, Voice::Answer, delta, effects),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                self.grow(item, Voice::Thought, delta, effects);
            }
            "item/reasoning/summaryPartAdded" if self.growing.contains_key(item) => {
                self.grow(item, Voice::Thought, "\n\n", effects);
            }
            "thread/tokenUsage/updated" => {
                let total = params.pointer("/tokenUsage/total/totalTokens").and_then(Value::as_u64);
                let last = params.pointer("/tokenUsage/last").filter(|_| total.is_some() && total != self.total);
                if let Some(last) = last {
                    self.total = total;
                    self.tokens = self.tokens.plus(tokens(last));
                    effects.emit(Event::Tokens(self.tokens));
                }
            }
            "error" => {
                let message = params.pointer("/error/message").and_then(Value::as_str).unwrap_or("it says no more");
                let again = if params.get("willRetry") == Some(&Value::Bool(true)) { ". It tries again" } else { "" };
                effects.emit(Event::Notice(format!("Codex failed: {message}{again}")));
            }
            // The transcript has it.
            _ => {}
        }
    }

    fn begun(&mut self, params: &Value) {
        self.goes_on();
        if let Some(item) = params.get("item") {
            self.propose(item);
        }
    }

    /// Keeps what a request to allow it is about.
    pub(super) fn propose(&mut self, item: &Value) {
        let kind = item.get("type").and_then(Value::as_str);
        if matches!(kind, Some("fileChange" | "commandExecution"))
            && let Some(id) = item.get("id").and_then(Value::as_str)
        {
            self.proposed.insert(id.to_owned(), item.clone());
        }
    }

    fn finished(&mut self, params: &Value, effects: &mut Effects) {
        let Some(id) = params.pointer("/item/id").and_then(Value::as_str) else { return };
        self.compare_answer(id, params, effects);
        self.proposed.remove(id);
        if self.growing.remove(id).is_some() {
            effects.emit(Event::Grown { key: id.to_owned() });
        }
    }

    fn grow(&mut self, item: &str, voice: Voice, delta: &str, effects: &mut Effects) {
        let text = self.growing.entry(item.to_owned()).or_default();
        text.push_str(delta);
        effects.emit(Event::Growing { key: item.to_owned(), voice, text: text.clone() });
    }

    fn completed(&mut self, params: &Value, effects: &mut Effects) {
        let turn = params.get("turn").cloned().unwrap_or_default();
        let message = turn.pointer("/error/message").and_then(Value::as_str).map(str::to_owned);
        let outcome = match turn.get("status").and_then(Value::as_str) {
            Some("completed") => Outcome::Done,
            Some("interrupted") => Outcome::Interrupted,
            _ => Outcome::Failed,
        };
        self.turn_over(outcome, message, effects);
    }

    fn turn_over(&mut self, outcome: Outcome, message: Option<String>, effects: &mut Effects) {
        self.withdraw_asks(effects);
        let is_ours = self.running.as_ref().is_some_and(|running| running.is_interrupted);
        self.compare_end(outcome == Outcome::Interrupted && !is_ours, effects);
        for (key, _) in std::mem::take(&mut self.growing) {
            effects.emit(Event::Grown { key });
        }
        self.proposed.clear();
        self.running = None;
        effects.emit(Event::Turn(Turn { outcome, message, tokens: self.tokens, cost_usd: None }));
        self.next_prompt(effects);
        if self.running.is_none() {
            self.report_state(effects);
        }
    }
}

/// Adds a person's message with its id, and notices as context of the turn.
fn say(params: &mut Map<String, Value>, prompt: &Prompt) {
    let texts = prompt.before.iter().chain([&prompt.text]);
    let texts = texts.map(|text| json!({ "type": "text", "text": text }));
    let picture =
        |Picture { mime, data }: &Picture| json!({ "type": "image", "url": format!("data:{mime};base64,{data}") });
    params.insert("input".to_owned(), texts.chain(prompt.pictures.iter().map(picture)).collect());
    if !prompt.id.is_empty() {
        params.insert("clientUserMessageId".to_owned(), json!(prompt.id));
    }
    if !prompt.system_notices.is_empty() {
        let context = json!({ "value": prompt.system_notices.join("\n\n"), "kind": "application" });
        params.insert("additionalContext".to_owned(), json!({ "system-notices": context }));
    }
}

/// Codex counts what came from the cache as input too.
fn tokens(of: &Value) -> Tokens {
    let count = |key: &str| of.get(key).and_then(Value::as_u64).unwrap_or(0);
    let cache_read = count("cachedInputTokens");
    Tokens {
        input: count("inputTokens").saturating_sub(cache_read),
        output: count("outputTokens"),
        cache_read,
        cache_write: count("cacheWriteInputTokens"),
    }
}
