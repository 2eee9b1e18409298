//! From the first line to a session that takes prompts.

use super::{Acp, Purpose, value};
use crate::rpc::{METHOD_NOT_FOUND, RpcError, filled, give_up};
use crate::{Effects, Event, State};
use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    ClientCapabilities, ElicitationCapabilities, ElicitationFormCapabilities, FileSystemCapabilities, Implementation,
    InitializeRequest, LoadSessionRequest, NewSessionRequest, ResumeSessionRequest,
};
use serde_json::{Value, json};

/// The session can't be opened before a person has logged in.
const LOGIN_REQUIRED: i64 = -32000;

impl Acp {
    pub(super) fn initialize(&mut self, effects: &mut Effects) {
        effects.emit(Event::State(State::Starting));
        let offered = self.habits.offers_files;
        // An agent without a transcript would show each form a second time, in the log of the protocol.
        let forms = self.habits.has_transcript.then(ElicitationFormCapabilities::new);
        let forms = forms.map(|forms| ElicitationCapabilities::new().form(forms));
        let files = FileSystemCapabilities::new().read_text_file(offered).write_text_file(offered);
        let client = Implementation::new("verbatim", env!("CARGO_PKG_VERSION")).title("Verbatim".to_owned());
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(
                ClientCapabilities::new().fs(files).terminal(self.habits.offers_terminals).elicitation(forms),
            )
            .client_info(client);
        self.request("initialize", hello, Purpose::Initialize, effects);
    }

    pub(super) fn initialized(&mut self, result: Result<Value, RpcError>, effects: &mut Effects) {
        let hello = match result {
            Ok(hello) => hello,
            Err(error) => return give_up(format!("The agent didn't start: {error}"), effects),
        };
        let version = hello.get("protocolVersion").and_then(Value::as_u64).unwrap_or(1);
        if version != 1 {
            effects.emit(Event::Notice(format!(
                "The agent speaks version {version} of the Agent Client Protocol; Verbatim knows version 1. What it doesn't know is \
                 kept in the transcript"
            )));
        }
        self.version = hello.get("agentInfo").and_then(|agent| filled(agent, "version"));
        self.capabilities = hello.get("agentCapabilities").cloned().unwrap_or_default();
        self.steers_by_extension = hello.pointer("/_meta/steering/supported") == Some(&Value::Bool(true));
        self.open(effects);
    }

    fn open(&mut self, effects: &mut Effects) {
        let folder = self.opening.folder.clone();
        let Some(resume) = self.opening.resume.clone() else {
            return self.open_by("session/new", NewSessionRequest::new(folder), Purpose::Open(None), effects);
        };
        let id = resume.session;
        if resume.fork {
            if !self.can("fork") {
                return give_up("This agent can't fork a session".to_owned(), effects);
            }
            // The answer names the new session.
            return self.open_by("session/fork", fork(&id, &folder), Purpose::Open(None), effects);
        }
        if self.can("resume") {
            let request = ResumeSessionRequest::new(id.clone(), folder);
            return self.open_by("session/resume", request, Purpose::Resume(id), effects);
        }
        self.load(id, effects);
    }

    /// Goes on with a session that the agent tells anew.
    fn load(&mut self, id: String, effects: &mut Effects) {
        if self.capabilities.get("loadSession") != Some(&Value::Bool(true)) {
            return give_up("This agent can't go on with an earlier session".to_owned(), effects);
        }
        let request = LoadSessionRequest::new(id.clone(), self.opening.folder.clone());
        self.open_by("session/load", request, Purpose::Open(Some(id)), effects);
    }

    /// Some agents say that they can resume a session, and don't know the request.
    pub(super) fn resumed(&mut self, id: String, result: Result<Value, RpcError>, effects: &mut Effects) {
        match result {
            Err(error) if error.code == METHOD_NOT_FOUND => self.load(id, effects),
            result => self.opened(Some(id), result, effects),
        }
    }

    /// Opens a session. Notices for this process are part of the system prompt, if the agent accepts one.
    fn open_by(&mut self, method: &str, request: impl serde::Serialize, purpose: Purpose, effects: &mut Effects) {
        let mut params = value(request);
        if self.takes_system_prompt() && !self.opening.system_notices.is_empty() {
            let notices = self.opening.system_notices.join("\n\n");
            params["systemPrompt"] = json!({ "mode": "append", "content": [{ "type": "text", "text": notices }] });
        }
        self.request(method, params, purpose, effects);
    }

    pub(super) fn opened(&mut self, id: Option<String>, result: Result<Value, RpcError>, effects: &mut Effects) {
        let answer = match result {
            Ok(answer) => answer,
            Err(error) if error.code == LOGIN_REQUIRED => {
                let how = self.habits.login.map_or_else(String::new, |login| format!(": run `{login}` in a terminal"));
                return give_up(format!("The agent wants you to log in first{how}. It says: {error}"), effects);
            }
            Err(error) => return give_up(format!("The agent opened no session: {error}"), effects),
        };
        let Some(id) = filled(&answer, "sessionId").or(id) else {
            return give_up("The agent opened a session without an id".to_owned(), effects);
        };
        self.session = Some(id);
        self.settings.read(&answer);
        self.report_session(effects);
        self.report_choices(effects);
        let mode = self.opening.mode.clone();
        let asking = self.habits.asking_mode.filter(|mode| self.settings.is_other_mode(mode)).map(str::to_owned);
        // Claude Code writes each change of its model into the conversation.
        let model = self.opening.model.clone().filter(|model| !self.settings.is_model(model));
        for (wanted, what) in [(mode.or(asking), "mode"), (model, "model")] {
            let Some(wanted) = wanted else { continue };
            let set = if what == "mode" { Self::set_mode } else { Self::set_model };
            if let Err(refusal) = set(self, wanted.clone(), effects) {
                effects.emit(Event::Notice(format!("The {what} `{wanted}` isn't set: {refusal}")));
            }
        }
        self.settled(effects);
    }

    /// Something that the start waited for is there.
    pub(super) fn settled(&mut self, effects: &mut Effects) {
        if self.is_ready() {
            self.report_state(effects);
            self.next_prompt(effects);
        }
    }

    pub(super) fn takes_system_prompt(&self) -> bool {
        self.can("systemPrompt")
    }

    fn can(&self, what: &str) -> bool {
        let session = self.capabilities.get("sessionCapabilities").and_then(|session| session.get(what));
        session.is_some_and(|can| !can.is_null() && *can != Value::Bool(false))
    }
}

/// A session that begins with a copy of another one.
fn fork(id: &str, folder: &str) -> Value {
    json!({ "sessionId": id, "cwd": folder, "mcpServers": [] })
}
