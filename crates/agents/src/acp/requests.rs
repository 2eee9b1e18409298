//! Requests between client and agent, and their answers.

use super::Messages;
use super::updates::usage;
use crate::parts::at::{At, derived_id, tokens};
use crate::parts::blocks::result_text;
use crate::parts::files::files_in;
use crate::parts::obj::{Obj, list};
use crate::parts::short::fields_in_short;
use model::message_type::approval::OptionKind;
use model::{Role, RunOutcome, Spent, Usage};
use serde_json::Map;

/// Most requests that wait for an answer.
const MOST: usize = 256;

/// A request without an answer.
pub(super) struct Request {
    /// Its id as it stands in the log. Both sides count their own.
    id: String,
    method: String,
    pub session: usize,
    /// The message that it became, which the answer belongs to.
    pub message: Option<String>,
    /// The folder that a session shall work in.
    cwd: Option<String>,
    /// The terminal that it asks for.
    terminal: Option<String>,
    /// Options of a permission: each id with its kind.
    pub options: Vec<(String, Option<OptionKind>)>,
    /// The call that a permission is for.
    pub call_id: Option<String>,
}

impl Messages {
    pub(super) fn request(&mut self, at: &mut At, method: &str, message: &Obj) {
        let params = message.obj("params").unwrap_or_else(|| message.without(&["jsonrpc", "id", "method"]));
        let mut request = Request {
            id: message.raw("id").unwrap_or_default().to_owned(),
            method: method.to_owned(),
            session: at.session,
            message: None,
            cwd: params.filled("cwd"),
            terminal: params.filled("terminalId"),
            options: Vec::new(),
            call_id: None,
        };
        match method {
            "session/prompt" => self.prompt(at, &params),
            "_session/steering" => self.steer(at, &params),
            "session/cancel" => self.interrupted(at),
            "session/request_permission" => self.ask(at, &params, &mut request),
            "elicitation/create" => self.ask_form(at, &params, &mut request),
            _ => {
                if matches!(method, "session/load" | "session/resume") {
                    self.works_in(at.session, request.cwd.clone());
                    let talk = self.talk(at.session);
                    talk.replays = talk.has_messages.then(String::new);
                }
                let kind = method.trim_start_matches('_').replace(['/', '.'], "_");
                let draft = at.aside(&at.id, &kind, fields_in_short(&kind.replace('_', " "), &params));
                request.message = Some(draft.id.as_str().to_owned());
                if request.id.is_empty() {
                    return self.say(at, draft);
                }
                self.book.keep(at.session, draft, at.span);
            }
        }
        if request.id.is_empty() {
            return;
        }
        self.requests.push(request);
        if self.requests.len() > MOST {
            let oldest = self.requests.remove(0);
            if let Some(message) = oldest.message {
                self.book.release(oldest.session, &message);
            }
        }
    }

    /// The request that a message answers. Where both sides have one of this id, the answer's fields say which it is.
    pub(super) fn answered(&mut self, message: &Obj) -> Option<Request> {
        let id = message.raw("id").unwrap_or("null");
        let result = message.obj("result");
        let has = |key: &str| result.as_ref().is_some_and(|result| result.has(key));
        let fits = |method: &str| match method {
            "session/request_permission" => has("outcome"),
            "session/prompt" => has("stopReason"),
            "elicitation/create" => has("action"),
            "session/new" => has("sessionId"),
            "initialize" => has("protocolVersion"),
            _ => false,
        };
        let of_id = |request: &Request| request.id == id;
        let place = self.requests.iter().rposition(|request| of_id(request) && fits(&request.method));
        let place = place.or_else(|| self.requests.iter().rposition(of_id))?;
        Some(self.requests.remove(place))
    }

    pub(super) fn answer(&mut self, at: &mut At, request: &Request, message: &Obj) {
        let result = message.obj("result");
        let error = message.obj("error");
        match (request.method.as_str(), &result, &error) {
            ("session/prompt", _, Some(error)) => self.failed(at, error),
            ("session/prompt", Some(result), _) => self.end_turn(at, result),
            ("session/request_permission", ..) => self.decide(at, request, result.as_ref()),
            ("elicitation/create", ..) => self.decide_form(at, request, result.as_ref()),
            (method, ..) => {
                if method == "session/new" {
                    self.works_in(at.session, request.cwd.clone());
                }
                if let (Some(result), Some(terminal)) = (&result, &request.terminal) {
                    self.written(at, terminal, result);
                }
                if matches!(method, "session/load" | "session/resume")
                    && let Some(id) = self.talk(at.session).replays.take()
                {
                    self.book.release(at.session, &id);
                }
                if let Some(result) = &result {
                    self.options(at, result);
                    let agent = result.obj("agentInfo");
                    let version = agent.as_ref().and_then(|agent| agent.filled("version"));
                    self.origin.version = version.or(self.origin.version.take());
                    let version = self.origin.version.clone();
                    self.book.sessions[at.session].set(|facts| &mut facts.version, version);
                }
                self.short_answer(at, request, result.as_ref(), error.as_ref(), message);
            }
        }
    }

    /// Adds the output and the exit code of a terminal, which the client runs, to the call that shows it.
    fn written(&mut self, at: &At, terminal: &str, result: &Obj) {
        let Some(call_id) = self.terminals.get(terminal) else { return };
        let exit = result.obj("exitStatus");
        let code = result.int("exitCode").or_else(|| exit?.int("exitCode"));
        let details = [
            result.filled("output").map(|output| ("output", output.into())),
            code.map(|code| ("exit_code", code.into())),
        ];
        self.calls.extend(&mut self.book, at, call_id, details.into_iter().flatten().collect());
    }

    /// An answer that belongs to the message of its request.
    fn short_answer(&mut self, at: &At, request: &Request, result: Option<&Obj>, error: Option<&Obj>, message: &Obj) {
        let words = match (result, error) {
            (_, Some(error)) => fields_in_short("error", error),
            (Some(result), _) => match result.obj("agentInfo") {
                Some(agent) => fields_in_short("agent", &agent),
                None => fields_in_short("answer", result),
            },
            _ => "answer".to_owned(),
        };
        let Some(id) = &request.message else { return self.shown(at, message) };
        match self.book.change(request.session, id, at.span) {
            Some(draft) => draft.content = format!("{}: {words}", draft.content),
            None => return self.shown(at, message),
        }
        self.book.release(request.session, id);
    }

    fn works_in(&mut self, session: usize, cwd: Option<String>) {
        self.origin.cwd = cwd.or(self.origin.cwd.take());
        let (cwd, version) = (self.origin.cwd.clone(), self.origin.version.clone());
        let session = &mut self.book.sessions[session];
        session.set(|facts| &mut facts.version, version);
        if session.facts.project.is_none() {
            session.set(|facts| &mut facts.project, cwd.clone());
        }
        session.set(|facts| &mut facts.cwd, cwd);
    }

    fn prompt(&mut self, at: &mut At, params: &Obj) {
        let blocks = Blocks::of(params);
        let id = at.id.clone();
        self.begin_run(at, &id, &blocks.text);
        if !blocks.text.is_empty() || blocks.files.is_empty() {
            let draft = at.text(&id, Role::User, "user", blocks.text.as_str());
            let id = draft.id.as_str().to_owned();
            self.keep_text(at, draft);
            let talk = self.talk(at.session);
            (talk.prompt, talk.hidden) = (Some((id, blocks.text, 0)), blocks.hidden);
        }
        for (n, block) in blocks.files.iter().enumerate() {
            self.file(at, &derived_id(&at.id, "file", n), Role::User, block);
        }
    }

    /// A prompt in the middle of a turn: an extension of several agents.
    fn steer(&mut self, at: &mut At, params: &Obj) {
        self.ensure_run(at);
        let draft = at.text(&at.id, Role::User, "user", Blocks::of(params).text);
        self.say(at, draft);
    }

    fn interrupted(&mut self, at: &At) {
        self.calls.end_all(&mut self.book, at.session, "cancelled");
        self.book.sessions[at.session].runs.end(RunOutcome::Interrupted, Some(at.time));
        self.say(at, at.interruption(&at.id));
    }

    /// The agent has had its turn.
    pub(super) fn end_turn(&mut self, at: &mut At, result: &Obj) {
        let reason = result.filled("stopReason");
        if let Some(reason) = &reason {
            self.talk(at.session).end_turn();
            let state = if reason == "cancelled" { "cancelled" } else { "orphaned" };
            self.calls.end_all(&mut self.book, at.session, state);
        }
        let runs = &mut self.book.sessions[at.session].runs;
        let run = runs.last_id().map(str::to_owned);
        if let (Some(run), Some(usage)) = (&run, turn_usage(result)) {
            let stop_reason = reason.clone();
            self.book.spent(at.session, Spent { id: format!("{run}~turn"), usage, stop_reason, ..Spent::default() });
        }
        let runs = &mut self.book.sessions[at.session].runs;
        let outcome = match reason.as_deref() {
            Some("cancelled") => RunOutcome::Interrupted,
            Some("max_tokens" | "max_turn_requests" | "refusal") => RunOutcome::Failed,
            _ => RunOutcome::Done,
        };
        // Since version 2 a prompt is answered at once, and an update says when its turn is over.
        if reason.is_some() {
            runs.end(outcome, Some(at.time));
        }
        let usage = runs.last().map(|run| run.usage).unwrap_or_default();
        let words = reason.map_or_else(|| "Answered".to_owned(), |reason| reason.replace('_', " "));
        let mut draft = at.text(&format!("{}~end", at.id), Role::Host, "result_meta", words);
        draft.run_id = run;
        draft.metadata = tokens(usage).map(|tokens| Map::from_iter([tokens]));
        self.say(at, draft);
    }

    /// A prompt couldn't be answered.
    fn failed(&mut self, at: &mut At, error: &Obj) {
        self.ensure_run(at);
        let message = error.filled("message").unwrap_or_else(|| "The prompt failed".to_owned());
        let kind = error.int("code").map_or_else(|| "error".to_owned(), |code| format!("json_rpc_{code}"));
        self.say(at, at.error(&at.id, &kind, message, None));
        self.book.sessions[at.session].runs.end(RunOutcome::Failed, Some(at.time));
    }
}

/// The content of a prompt, split by who it is for.
struct Blocks<'a> {
    /// The text that people read.
    text: String,
    files: Vec<Obj<'a>>,
    /// Texts for the model alone.
    hidden: Vec<String>,
}

impl<'a> Blocks<'a> {
    fn of(params: &Obj<'a>) -> Self {
        let raw = params.raw("prompt").unwrap_or("\"\"");
        let Some(blocks) = list(raw) else {
            return Self { text: result_text(raw), files: files_in(raw, None), hidden: Vec::new() };
        };
        let (shown, hidden): (Vec<&str>, Vec<&str>) = blocks.into_iter().partition(|block| is_for_people(block));
        let hidden = hidden.into_iter().map(result_text).collect();
        Self { text: result_text(&format!("[{}]", shown.join(","))), files: files_in(raw, None), hidden }
    }
}

/// A block may say who it is for.
fn is_for_people(block: &str) -> bool {
    let audience = Obj::parse(block).and_then(|block| block.obj("annotations")?.list("audience"));
    audience.is_none_or(|audience| audience.is_empty() || audience.contains(&"\"user\""))
}

/// Tokens of a turn. Gemini CLI has them in a place of its own.
fn turn_usage(result: &Obj) -> Option<Usage> {
    if let Some(used) = result.obj("usage") {
        return Some(usage(&used));
    }
    let own = result.obj("_meta")?.obj("quota")?.obj("token_count")?;
    let count = |name: &str| Some(own.int(name)?.clamp(0, 1 << 40));
    Some(Usage { input: count("input_tokens")?, output: count("output_tokens")?, ..Usage::default() })
}
