//! A thread of a terminal. The terminal and we are clients of one background server: both see all turns, and either may begin,
//! steer and interrupt them, and answer what Codex asks. The first answer counts.

use super::turns::Running;
use super::{Codex, Purpose};
use crate::JoinError;
use crate::rpc::{self, RpcError, filled, give_up, items};
use crate::{Effects, Event, Prompt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The first version whose background server was tried.
const OLDEST: [u32; 3] = [0, 171, 0];
/// Last turns in which a prompt is looked for that may have arrived.
const UNSURE: u32 = 10;

/// State of a thread that a terminal's server has open.
#[derive(Debug)]
pub(super) struct Joined {
    /// The folder of Codex that it is expected to work with.
    home: PathBuf,
    follows: Follows,
    /// Prompts that may have arrived before the connection was lost.
    unsure: Vec<Prompt>,
    /// Our answers, by the items that they allow or don't: a quicker one of the terminal may be another.
    answered: HashMap<String, bool>,
    /// The last item was allowed by us, and ended neither done nor denied.
    is_unclear: bool,
}

/// Whether the server tells us what happens in the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    No,
    Soon,
    Yes,
}

impl Joined {
    pub fn new(home: &Path) -> Self {
        let (follows, unsure, answered) = (Follows::No, Vec::new(), HashMap::new());
        Self { home: home.to_owned(), follows, unsure, answered, is_unclear: false }
    }
}

/// Checks who answers at the socket. Returns its version.
///
/// # Errors
///
/// It isn't Codex, is too old, or works with another folder than `home`.
pub(crate) fn greeting(answer: &Value, home: &Path) -> Result<String, JoinError> {
    let agent = filled(answer, "userAgent").unwrap_or_default();
    let version = agent.split_once('/').and_then(|(_, rest)| rest.split(' ').next());
    let version = version.filter(|version| version.starts_with(|first: char| first.is_ascii_digit()));
    let version = version.ok_or_else(|| JoinError::Protocol("it doesn't say its version".to_owned()))?;
    let mut parts = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    if [(); 3].map(|()| parts.next().unwrap_or(0)) < OLDEST {
        return Err(JoinError::Version(version.to_owned()));
    }
    let theirs = filled(answer, "codexHome").ok_or_else(|| JoinError::Protocol("it names no folder".to_owned()))?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real(Path::new(&theirs)) != real(home) {
        return Err(JoinError::Elsewhere(theirs));
    }
    Ok(version.to_owned())
}

/// Returns the parameters of the first request.
pub(crate) fn hello() -> Value {
    let client = json!({ "name": "verbatim", "title": "Verbatim", "version": env!("CARGO_PKG_VERSION") });
    // Context of one turn is part of the experimental API.
    json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } })
}

impl Codex {
    fn joined_thread(&self) -> String {
        self.opening.resume.as_ref().map(|resume| resume.session.clone()).unwrap_or_default()
    }

    fn cannot_join(error: &JoinError, effects: &mut Effects) {
        give_up(format!("Codex can't be joined: {error}"), effects);
    }

    pub(super) fn greeted(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        let Some(joined) = &self.joined else { return };
        let checked = result
            .map_err(|error| JoinError::Protocol(error.to_string()))
            .and_then(|answer| greeting(&answer, &joined.home));
        match checked {
            Ok(_) => {
                effects.send(&rpc::notification("initialized", json!({})));
                self.follow(effects);
            }
            Err(error) => Self::cannot_join(&error, effects),
        }
    }

    /// Asks whether the thread is still open: to resume another one would open it without its terminal.
    fn follow(&mut self, effects: &mut Effects) {
        if let Some(joined) = self.joined.as_mut().filter(|joined| joined.follows == Follows::No) {
            joined.follows = Follows::Soon;
            self.request("thread/loaded/list", json!({}), Purpose::Loaded, effects);
        }
    }

    pub(super) fn listed(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        let thread = self.joined_thread();
        match result {
            Ok(answer) if items(&answer, "data").iter().any(|id| id.as_str() == Some(thread.as_str())) => {
                // Nothing else: any other field would change the terminal's settings. The last turn tells what goes on.
                let is_unsure = self.joined.as_ref().is_some_and(|joined| !joined.unsure.is_empty());
                let turns = if is_unsure { UNSURE } else { 1 };
                let last = json!({ "limit": turns, "sortDirection": "desc", "itemsView": "full" });
                let params = json!({ "threadId": thread, "excludeTurns": true, "initialTurnsPage": last });
                self.request("thread/resume", params, Purpose::Open, effects);
            }
            Ok(_) => self.closed(effects),
            Err(error) => Self::cannot_join(&JoinError::Protocol(error.to_string()), effects),
        }
    }

    /// Takes up what goes on in the thread, as the answer that opened it says.
    pub(super) fn go_on(&mut self, answer: &Value, effects: &mut Effects) {
        let turns = answer.get("initialTurnsPage").map(|page| items(page, "data").to_vec()).unwrap_or_default();
        let goes_on = |turn: &&Value| turn.get("status").and_then(Value::as_str) == Some("inProgress");
        if let Some(turn) = turns.iter().find(goes_on) {
            for item in items(turn, "items") {
                self.propose(item);
            }
            let id = filled(turn, "id").filter(|_| self.running.is_none());
            self.running = id.map(|id| Running::named(&id)).or(self.running.take());
        }
        let Some(joined) = &mut self.joined else { return };
        joined.follows = Follows::Yes;
        let has = |prompt: &Prompt| {
            let items = turns.iter().flat_map(|turn| items(turn, "items"));
            items.filter_map(|item| item.get("clientId")?.as_str()).any(|id| id == prompt.id)
        };
        let (arrived, lost): (Vec<_>, Vec<_>) = std::mem::take(&mut joined.unsure).into_iter().partition(has);
        for prompt in arrived {
            effects.emit(Event::Delivered(prompt.id));
        }
        for prompt in lost.into_iter().rev() {
            self.queue.push_front(prompt);
        }
    }

    /// Returns whether the server tells what happens. Where it doesn't, asks it to.
    pub(super) fn is_followed(&mut self, effects: &mut Effects) -> bool {
        if self.joined.as_ref().is_none_or(|joined| joined.follows == Follows::Yes) {
            return true;
        }
        // Before the first answer, the thread is opened anyway.
        if self.thread.is_some() {
            self.follow(effects);
        }
        false
    }

    /// Stops following a thread that waits for a prompt, so that Codex can close it once its terminal has.
    pub(super) fn stop_following(&mut self, effects: &mut Effects) {
        let is_idle = self.running.is_none() && self.queue.is_empty() && self.asks.is_empty();
        let Some(joined) = self.joined.as_mut().filter(|joined| is_idle && joined.follows == Follows::Yes) else {
            return;
        };
        joined.follows = Follows::No;
        self.unsubscribe(effects);
    }

    fn unsubscribe(&mut self, effects: &mut Effects) {
        let params = json!({ "threadId": self.joined_thread() });
        self.request("thread/unsubscribe", params, Purpose::Rest, effects);
    }

    /// Leaves the thread to its terminal. Nothing is interrupted.
    pub(super) fn leave(&mut self, effects: &mut Effects) {
        self.tell_undelivered(effects);
        self.unsubscribe(effects);
        effects.close();
    }

    /// The thread was closed, or began to do something.
    pub(super) fn changed(&mut self, method: &str, params: &Value, effects: &mut Effects) {
        if self.joined.is_none() {
            return;
        }
        if method == "thread/closed" {
            return self.closed(effects);
        }
        if params.pointer("/status/type").and_then(Value::as_str) == Some("active") {
            self.follow(effects);
        }
    }

    fn closed(&mut self, effects: &mut Effects) {
        self.tell_undelivered(effects);
        give_up("Its terminal was closed".to_owned(), effects);
    }

    /// Names prompts that didn't reach the agent.
    fn tell_undelivered(&mut self, effects: &mut Effects) {
        let unsure = self.joined.as_mut().map(|joined| std::mem::take(&mut joined.unsure)).unwrap_or_default();
        for prompt in unsure.into_iter().chain(self.queue.drain(..)) {
            effects.emit(Event::Undelivered { text: prompt.text });
        }
    }

    /// The connection is lost. Prompts that were sent and not acknowledged are looked for once there is another one.
    pub(super) fn lose(&mut self, effects: &mut Effects) {
        let asked = self.pending.give_up();
        self.withdraw_asks(effects);
        for (key, _) in std::mem::take(&mut self.growing) {
            effects.emit(Event::Grown { key });
        }
        self.proposed.clear();
        (self.running, self.thread) = (None, None);
        if let Some(joined) = &mut self.joined {
            joined.follows = Follows::No;
            joined.answered.clear();
            joined.unsure.extend(asked.into_iter().filter_map(|purpose| match purpose {
                Purpose::Turn(prompt) | Purpose::Steer(prompt) => Some(*prompt),
                _ => None,
            }));
        }
        self.report_state(effects);
    }

    pub(super) fn note_answer(&mut self, item: String, allows: bool) {
        if let Some(joined) = &mut self.joined {
            joined.answered.insert(item, allows);
        }
    }

    /// What came of an item shows whose answer was first, if they differ.
    pub(super) fn compare_answer(&mut self, item: &str, params: &Value, effects: &mut Effects) {
        let Some(joined) = &mut self.joined else { return };
        let Some(allowed) = joined.answered.remove(item) else { return };
        let status = params.pointer("/item/status").and_then(Value::as_str);
        let was_allowed = status != Some("declined");
        joined.is_unclear = allowed && was_allowed && status != Some("completed");
        if was_allowed != allowed {
            let (theirs, ours) = if was_allowed { ("allowed", "denial") } else { ("denied", "permission") };
            let words = format!("It was {theirs} in the terminal first: your {ours} came too late");
            effects.emit(Event::Notice(words));
        }
    }

    /// Another item begins: what became of the one before is known.
    pub(super) fn goes_on(&mut self) {
        if let Some(joined) = &mut self.joined {
            joined.is_unclear = false;
        }
    }

    /// Who stops a turn denies what it asks. Codex doesn't tell whether that came before a permission of ours.
    pub(super) fn compare_end(&mut self, is_stopped_there: bool, effects: &mut Effects) {
        let Some(joined) = &mut self.joined else { return };
        let is_unclear = joined.is_unclear || joined.answered.values().any(|allows| *allows);
        (joined.is_unclear, joined.answered) = (false, HashMap::new());
        if is_unclear && is_stopped_there {
            let words =
                "The turn was stopped in the terminal in the same moment: what you allowed may not have been done";
            effects.emit(Event::Notice(words.to_owned()));
        }
    }
}
