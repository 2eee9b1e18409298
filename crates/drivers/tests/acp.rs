//! The Agent Client Protocol without a process: lines in, lines and events out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "acp/requests.rs"]
mod requests;

use drivers::programs::{any_acp, program};
use drivers::{
    Answer, Ask, AskKind, Choice, Command, Driver, Effects, Event, Opening, Outcome, Prompt, Refusal, Resume, State,
    Tokens, Turn, Voice, When,
};
use serde_json::{Value, json};

/// A driver and what it wants done.
struct Talk {
    driver: Box<dyn Driver>,
    effects: Effects,
}

impl Talk {
    fn new(opening: Opening) -> Self {
        Self::with(any_acp(opening))
    }

    fn with(driver: Box<dyn Driver>) -> Self {
        let mut talk = Self { driver, effects: Effects::default() };
        talk.driver.begin(&mut talk.effects);
        talk
    }

    /// A session that waits for prompts.
    fn idle() -> Self {
        let mut talk = Self::new(opening());
        talk.hears(json!({ "id": 1, "result": { "protocolVersion": 1 } }));
        talk.hears(json!({ "id": 2, "result": { "sessionId": "s" } }));
        talk.take();
        talk
    }

    /// A session that works on a prompt of this name.
    fn working(prompt: &str) -> Self {
        let mut talk = Self::idle();
        talk.wants(say(prompt)).unwrap();
        talk.take();
        talk
    }

    fn hears(&mut self, message: Value) {
        self.driver.line(message.to_string().as_bytes(), &mut self.effects);
    }

    fn wants(&mut self, command: Command) -> Result<(), Refusal> {
        self.driver.command(command, &mut self.effects)
    }

    fn take(&mut self) -> (Vec<Value>, Vec<Event>) {
        (self.effects.take_sent(), self.effects.take_events())
    }

    /// Returns the agent's last request.
    fn asked(&mut self) -> Ask {
        let asked = |event| if let Event::Asked(ask) = event { Some(ask) } else { None };
        self.take().1.into_iter().find_map(asked).expect("a request")
    }
}

fn opening() -> Opening {
    Opening { folder: "/work".to_owned(), ..Opening::default() }
}

fn say(name: &str) -> Command {
    Command::Prompt(Prompt { id: name.to_owned(), text: format!("Do {name}"), ..Prompt::default() })
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn answer(id: Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn update(update: Value) -> Value {
    json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } })
}

fn prompt(id: u64, name: &str) -> Value {
    let text = json!({ "type": "text", "text": format!("Do {name}") });
    request(id, "session/prompt", json!({ "sessionId": "s", "prompt": [text] }))
}

fn permission(id: u64) -> Value {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id.to_uppercase(), "kind": kind });
    json!({ "id": id, "method": "session/request_permission", "params": {
        "sessionId": "s",
        "toolCall": { "toolCallId": "call", "kind": "execute", "title": "Run ls", "rawInput": { "command": "ls" } },
        "options": [option("always", "allow_always"), option("once", "allow_once"), option("no", "reject_once")],
    } })
}

fn asked(request: &str) -> Event {
    let choice = |id: &str, kind: &str| Choice {
        id: id.to_owned(),
        label: id.to_uppercase(),
        description: None,
        kind: Some(kind.to_owned()),
    };
    Event::Asked(Ask {
        request: request.to_owned(),
        kind: AskKind::Permission,
        call_id: Some("call".to_owned()),
        tool_name: "execute".to_owned(),
        input: json!({ "command": "ls" }).as_object().unwrap().clone(),
        title: Some("Run ls".to_owned()),
        options: vec![choice("always", "allow_always"), choice("once", "allow_once"), choice("no", "reject_once")],
        ..Ask::default()
    })
}

fn chosen(id: u64, option: &str) -> Value {
    answer(json!(id), json!({ "outcome": { "outcome": "selected", "optionId": option } }))
}

fn cancelled(id: u64) -> Value {
    answer(json!(id), json!({ "outcome": { "outcome": "cancelled" } }))
}

fn allow(request: &str) -> Command {
    let answer = Answer::Allow { option: None, input: None, rules: Vec::new() };
    Command::Answer { request: request.to_owned(), answer }
}

fn turn(outcome: Outcome, message: Option<&str>) -> Event {
    let message = message.map(str::to_owned);
    Event::Turn(Turn { outcome, message, tokens: Tokens::default(), cost_usd: None })
}

fn notice(words: &str) -> Event {
    Event::Notice(words.to_owned())
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}

#[test]
fn a_session_begins() {
    let mut talk = Talk::new(Opening { mode: Some("plan".to_owned()), ..opening() });
    let (sent, events) = talk.take();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["method"], "initialize");
    let files = json!({ "readTextFile": true, "writeTextFile": true });
    assert_eq!(sent[0]["params"]["clientCapabilities"]["fs"], files);
    assert_eq!(sent[0]["params"]["protocolVersion"], 1);
    assert_eq!(events, [Event::State(State::Starting)]);
    assert_eq!(talk.driver.awaits(), Some("the start"));

    let agent = json!({ "name": "agent", "version": "1.2" });
    talk.hears(json!({ "id": 1, "result": { "protocolVersion": 1, "agentInfo": agent, "more": true } }));
    let new = request(2, "session/new", json!({ "cwd": "/work", "mcpServers": [] }));
    assert_eq!(talk.take(), (vec![new], vec![]));

    // A prompt waits until the session is as it was wanted.
    talk.wants(say("first")).unwrap();
    let modes = json!({ "currentModeId": "ask", "availableModes": [{ "id": "ask", "name": "Ask" }, { "id": "plan" }] });
    let models = json!({ "currentModelId": "m", "availableModels": [{ "modelId": "m", "name": "M" }] });
    talk.hears(json!({ "id": 2, "result": { "sessionId": "s", "modes": modes, "models": models } }));
    let session = |mode: &str| Event::Session {
        id: "s".to_owned(),
        version: Some("1.2".to_owned()),
        model: Some("m".to_owned()),
        mode: Some(mode.to_owned()),
    };
    let choices =
        [Event::Modes(vec![choice("ask", "Ask"), choice("plan", "plan")]), Event::Models(vec![choice("m", "M")])];
    let set = request(3, "session/set_mode", json!({ "modeId": "plan", "sessionId": "s" }));
    let [modes, models] = choices;
    assert_eq!(talk.take(), (vec![set], vec![session("ask"), modes, models]));
    assert!(talk.driver.has_begun());

    talk.hears(json!({ "id": 3, "result": null }));
    let states = vec![session("plan"), Event::State(State::Idle), Event::State(State::Working)];
    assert_eq!(talk.take(), (vec![prompt(4, "first")], states));
    assert_eq!(talk.driver.awaits(), None);
}

#[test]
fn options_of_newer_agents_are_modes_and_models() {
    let mut talk = Talk::new(opening());
    talk.hears(json!({ "id": 1, "result": {} }));
    let value = |value: &str| json!({ "value": value, "name": value.to_uppercase() });
    let mode = json!({ "id": "mode", "category": "mode", "currentValue": "a", "options": [value("a"), value("b")] });
    let group = json!({ "group": "fast", "options": [value("x")] });
    let model = json!({ "id": "llm", "category": "model", "currentValue": "x", "options": [group, value("y")] });
    let other = json!({ "id": "effort", "category": "thought_level", "currentValue": "low", "options": [] });
    talk.hears(json!({ "id": 2, "result": { "sessionId": "s", "configOptions": [mode, model, other] } }));
    let events = talk.take().1;
    assert!(events.contains(&Event::Modes(vec![choice("a", "A"), choice("b", "B")])), "{events:?}");
    assert!(events.contains(&Event::Models(vec![choice("x", "X"), choice("y", "Y")])), "{events:?}");
    talk.wants(Command::SetModel("y".to_owned())).unwrap();
    let set = request(3, "session/set_config_option", json!({ "configId": "llm", "value": "y", "sessionId": "s" }));
    assert_eq!(talk.take().0, [set]);
    assert_eq!(talk.driver.awaits(), Some("the change of model"));
    talk.hears(json!({ "id": 3, "error": { "code": -1, "message": "no" } }));
    let events = vec![notice("The agent didn't change to `y`: no"), Event::State(State::Idle)];
    assert_eq!(talk.take(), (vec![], events));
    assert_eq!(talk.wants(Command::SetModel("z".to_owned())), Err(Refusal::NotNow("the agent has no such model")));
}

#[test]
fn prompts_are_taken_one_after_the_other() {
    let mut talk = Talk::idle();
    talk.wants(say("one")).unwrap();
    talk.wants(say("two")).unwrap();
    assert_eq!(talk.take(), (vec![prompt(3, "one")], vec![Event::State(State::Working)]));
    talk.hears(update(json!({ "sessionUpdate": "available_commands_update", "availableCommands": [] })));
    assert_eq!(talk.take(), (vec![], vec![]));
    let text = json!({ "type": "text", "text": "Well" });
    talk.hears(update(json!({ "sessionUpdate": "agent_message_chunk", "content": text })));
    talk.hears(update(json!({ "sessionUpdate": "agent_message_chunk", "content": text })));
    talk.hears(update(json!({ "sessionUpdate": "something_of_tomorrow", "content": 1 })));
    assert_eq!(talk.take(), (vec![], vec![Event::Delivered("one".to_owned())]));
    let usage = json!({ "inputTokens": 5, "outputTokens": 2, "cachedReadTokens": 3, "totalTokens": 10 });
    talk.hears(update(json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": { "amount": 0.5 } })));
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn", "usage": usage } }));
    let tokens = Tokens { input: 5, output: 2, cache_read: 3, cache_write: 0 };
    let done = Turn { outcome: Outcome::Done, message: None, tokens, cost_usd: Some(0.5) };
    assert_eq!(talk.take(), (vec![prompt(4, "two")], vec![Event::Turn(done), Event::State(State::Working)]));
    talk.hears(json!({ "id": 4, "result": { "stopReason": "refusal" } }));
    let failed = turn(Outcome::Failed, Some("The model refused to go on"));
    let events = vec![Event::Delivered("two".to_owned()), failed, Event::State(State::Idle)];
    assert_eq!(talk.take(), (vec![], events));
}

#[test]
fn a_prompt_that_fails_isnt_delivered() {
    let mut talk = Talk::working("one");
    let error = json!({ "code": -32603, "message": "Internal error", "data": { "details": "no quota" } });
    talk.hears(json!({ "id": 3, "error": error }));
    let failed = turn(Outcome::Failed, Some("Internal error: no quota"));
    assert_eq!(talk.take(), (vec![], vec![failed, Event::State(State::Idle)]));
}

#[test]
fn notices_go_before_the_text_for_the_model_alone() {
    let mut talk = Talk::new(Opening { system_notices: vec!["Once".to_owned()], ..opening() });
    talk.hears(json!({ "id": 1, "result": {} }));
    talk.hears(json!({ "id": 2, "result": { "sessionId": "s" } }));
    talk.take();
    let before = vec!["Branch main".to_owned()];
    let with = Prompt { text: "Go".to_owned(), before, ..Prompt::default() };
    talk.wants(Command::Prompt(with)).unwrap();
    let notice = |text: &str| json!({ "type": "text", "text": text, "annotations": { "audience": ["assistant"] } });
    let blocks = json!([notice("Once"), notice("Branch main"), { "type": "text", "text": "Go" }]);
    let expected = request(3, "session/prompt", json!({ "sessionId": "s", "prompt": blocks }));
    assert_eq!(talk.take().0, [expected]);
    // They hold for one run.
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
    talk.take();
    talk.wants(say("two")).unwrap();
    assert_eq!(talk.take().0, [prompt(4, "two")]);
}

#[test]
fn notices_of_a_process_go_into_the_system_prompt_of_an_agent_that_takes_one() {
    let mut talk = Talk::new(Opening { system_notices: vec!["Once".to_owned()], ..opening() });
    talk.take();
    let can = json!({ "sessionCapabilities": { "systemPrompt": {} } });
    talk.hears(json!({ "id": 1, "result": { "agentCapabilities": can } }));
    let prompt = json!({ "mode": "append", "content": [{ "type": "text", "text": "Once" }] });
    let params = json!({ "cwd": "/work", "mcpServers": [], "systemPrompt": prompt });
    assert_eq!(talk.take().0, [request(2, "session/new", params)]);
}

#[test]
fn a_permission_is_given_by_the_chosen_option_once() {
    let mut talk = Talk::working("one");
    talk.hears(permission(0));
    let delivered = Event::Delivered("one".to_owned());
    assert_eq!(talk.take(), (vec![], vec![delivered, asked("0"), Event::State(State::Waiting)]));
    assert_eq!(talk.driver.open_requests(), ["0"]);
    talk.wants(allow("0")).unwrap();
    assert_eq!(talk.take(), (vec![chosen(0, "once")], vec![Event::State(State::Working)]));
    assert_eq!(talk.wants(allow("0")), Err(Refusal::NoRequest));
    assert_eq!(talk.wants(allow("9")), Err(Refusal::NoRequest));
    assert_eq!(talk.take(), (vec![], vec![]));
}

#[test]
fn answers_fit_the_options_or_are_refused() {
    let none = Err(Refusal::NotNow("the agent gave no such option: choose one of its own"));
    let allow = |option: Option<&str>, rules: &[usize]| Answer::Allow {
        option: option.map(str::to_owned),
        input: None,
        rules: rules.to_vec(),
    };
    let deny = |option: Option<&str>| Answer::Deny { option: option.map(str::to_owned), message: None };
    let input = Answer::Allow { option: None, input: Some(serde_json::Map::new()), rules: Vec::new() };
    let cases = [
        (allow(Some("always"), &[]), Ok(chosen(0, "always"))),
        (allow(None, &[0]), Ok(chosen(0, "always"))),
        (deny(None), Ok(chosen(0, "no"))),
        (deny(Some("no")), Ok(chosen(0, "no"))),
        (Answer::Cancel, Ok(cancelled(0))),
        // An option of the other kind, and an unknown one, are no approval.
        (allow(Some("no"), &[]), none.clone()),
        (allow(Some("maybe"), &[]), none.clone()),
        (deny(Some("once")), none),
        (input, Err(Refusal::Unsupported("take another input"))),
    ];
    for (answer, expected) in cases {
        let mut talk = Talk::working("one");
        talk.hears(permission(0));
        talk.take();
        let result = talk.wants(Command::Answer { request: "0".to_owned(), answer: answer.clone() });
        let (sent, _) = talk.take();
        match expected {
            Ok(line) => assert_eq!((result, sent), (Ok(()), vec![line]), "{answer:?}"),
            Err(refusal) => assert_eq!((result, sent), (Err(refusal), vec![]), "{answer:?}"),
        }
    }
}

#[test]
fn words_beside_a_denial_are_the_next_prompt() {
    let mut talk = Talk::working("one");
    talk.hears(permission(0));
    let answer = Answer::Deny { option: None, message: Some("Use rg".to_owned()) };
    talk.wants(Command::Answer { request: "0".to_owned(), answer }).unwrap();
    assert_eq!(talk.take().0, [chosen(0, "no")]);
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
    let text = json!({ "type": "text", "text": "Use rg" });
    let expected = request(4, "session/prompt", json!({ "sessionId": "s", "prompt": [text] }));
    assert_eq!(talk.take().0, [expected]);
}

#[test]
fn two_requests_for_one_call_are_answered_each() {
    let mut talk = Talk::working("one");
    talk.hears(permission(0));
    talk.hears(permission(1));
    talk.hears(permission(1));
    let again = notice("The agent sent request 1 again, which is still open. The first one counts");
    assert_eq!(talk.take().1.last(), Some(&again));
    talk.wants(allow("1")).unwrap();
    assert_eq!(talk.take(), (vec![chosen(1, "once")], vec![Event::State(State::Waiting)]));
    talk.wants(allow("0")).unwrap();
    assert_eq!(talk.take(), (vec![chosen(0, "once")], vec![Event::State(State::Working)]));
}

#[test]
fn an_interruption_withdraws_what_is_asked() {
    let mut talk = Talk::idle();
    assert_eq!(talk.wants(Command::Interrupt), Err(Refusal::NotNow("the agent isn't working")));
    talk.wants(say("one")).unwrap();
    talk.hears(permission(0));
    talk.take();
    talk.wants(Command::Interrupt).unwrap();
    let cancel = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } });
    let withdrawn = Event::Withdrawn { request: "0".to_owned() };
    assert_eq!(talk.take(), (vec![cancel, cancelled(0)], vec![withdrawn, Event::State(State::Working)]));
    assert_eq!(talk.driver.awaits(), Some("the interruption"));
    // A request that crossed it.
    talk.hears(permission(1));
    assert_eq!(talk.take(), (vec![cancelled(1)], vec![]));
    assert_eq!(talk.wants(allow("0")), Err(Refusal::NoRequest));
    talk.hears(json!({ "id": 3, "result": { "stopReason": "cancelled" } }));
    assert_eq!(talk.take(), (vec![], vec![turn(Outcome::Interrupted, None), Event::State(State::Idle)]));
    assert_eq!(talk.driver.awaits(), None);
}

#[test]
fn an_end_of_the_turn_withdraws_what_is_asked() {
    let mut talk = Talk::working("one");
    talk.hears(permission(0));
    talk.take();
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
    let withdrawn = Event::Withdrawn { request: "0".to_owned() };
    let events = vec![withdrawn, turn(Outcome::Done, None), Event::State(State::Idle)];
    assert_eq!(talk.take(), (vec![cancelled(0)], events));
    assert_eq!(talk.wants(allow("0")), Err(Refusal::NoRequest), "an answer that comes late");
}

#[test]
fn the_agent_may_withdraw_a_request() {
    let mut talk = Talk::working("one");
    talk.hears(permission(0));
    talk.take();
    talk.hears(json!({ "method": "$/cancel_request", "params": { "requestId": 0 } }));
    let withdrawn = Event::Withdrawn { request: "0".to_owned() };
    assert_eq!(talk.take(), (vec![], vec![withdrawn, Event::State(State::Working)]));
}

#[test]
fn sessions_go_on_in_the_best_way_that_the_agent_knows() {
    let resume = |fork| Opening { resume: Some(Resume { session: "old".to_owned(), fork }), ..opening() };
    let params = json!({ "sessionId": "old", "cwd": "/work", "mcpServers": [] });
    let bare = json!({ "sessionId": "old", "cwd": "/work" });
    let sent = |opening: Opening, can: Value| {
        let mut talk = Talk::new(opening);
        talk.take();
        talk.hears(json!({ "id": 1, "result": { "agentCapabilities": can } }));
        talk.take()
    };
    let both = json!({ "loadSession": true, "sessionCapabilities": { "resume": {}, "fork": {} } });
    assert_eq!(sent(resume(false), both.clone()).0, [request(2, "session/resume", bare)]);
    assert_eq!(sent(resume(true), both).0, [request(2, "session/fork", params.clone())]);
    assert_eq!(sent(resume(false), json!({ "loadSession": true })).0, [request(2, "session/load", params)]);
    let (none, events) = sent(resume(false), json!({}));
    assert_eq!((none, events), (vec![], vec![notice("This agent can't go on with an earlier session")]));
    assert_eq!(sent(resume(true), json!({})).1, [notice("This agent can't fork a session")]);
}

#[test]
fn an_agent_that_doesnt_know_how_to_resume_loads_the_session() {
    let mut talk = Talk::new(Opening { resume: Some(Resume { session: "old".to_owned(), fork: false }), ..opening() });
    let can = json!({ "loadSession": true, "sessionCapabilities": { "resume": {} } });
    talk.hears(json!({ "id": 1, "result": { "agentCapabilities": can } }));
    talk.take();
    talk.hears(json!({ "id": 2, "error": { "code": -32601, "message": "Method not found" } }));
    let params = json!({ "sessionId": "old", "cwd": "/work", "mcpServers": [] });
    assert_eq!(talk.take(), (vec![request(3, "session/load", params)], vec![]));
    talk.hears(json!({ "id": 3, "result": null }));
    let session = Event::Session { id: "old".to_owned(), version: None, model: None, mode: None };
    assert_eq!(talk.take().1, [session, Event::State(State::Idle)]);
}

#[test]
fn a_start_that_fails_says_what_to_do() {
    let mut talk = Talk::with(program("opencode").unwrap().driver(opening()));
    talk.hears(json!({ "id": 1, "result": {} }));
    talk.take();
    talk.hears(json!({ "id": 2, "error": { "code": -32000, "message": "Authentication required" } }));
    let words = "The agent wants you to log in first: run `opencode auth login` in a terminal. It says: Authentication required";
    assert_eq!(talk.take(), (vec![], vec![notice(words)]));
    assert!(!talk.driver.has_begun());
}

#[test]
fn a_later_version_of_the_protocol_is_used_as_far_as_it_is_known() {
    let mut talk = Talk::new(opening());
    talk.take();
    talk.hears(json!({ "id": 1, "result": { "protocolVersion": 2 } }));
    let (sent, events) = talk.take();
    assert_eq!(sent, [request(2, "session/new", json!({ "cwd": "/work", "mcpServers": [] }))]);
    let words = "The agent speaks version 2 of the Agent Client Protocol; Verbatim knows version 1. What it doesn't know is \
                 kept in the transcript";
    assert_eq!(events, [notice(words)]);
}

#[test]
fn bad_lines_are_notices() {
    let mut talk = Talk::working("one");
    let lines = [
        ("{\"id\":3,\"resu", "A line of the agent can't be read: not JSON: `{\"id\":3,\"resu`"),
        ("Warning: hello", "A line of the agent can't be read: not JSON: `Warning: hello`"),
        ("{\"id\":77,\"result\":{}}", "The agent answered request 77, which was answered before or never sent"),
        ("{\"id\":2,\"result\":{}}", "The agent answered request 2, which was answered before or never sent"),
    ];
    for (line, words) in lines {
        talk.driver.line(line.as_bytes(), &mut talk.effects);
        assert_eq!(talk.take(), (vec![], vec![notice(words)]), "{line}");
    }
    talk.driver.line(&[0xff, b'{'], &mut talk.effects);
    assert_eq!(talk.take().1.len(), 1);
    for unknown in [json!({}), json!({ "sessionUpdate": 7 }), json!([]), Value::Null] {
        talk.hears(update(unknown));
    }
    assert_eq!(talk.take(), (vec![], vec![]));
}

#[test]
fn unknown_requests_are_refused_politely() {
    let mut talk = Talk::working("one");
    let error = |id: Value, code: i64, message: &str| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    talk.hears(json!({ "id": "x", "method": "_vendor/thing", "params": {} }));
    assert_eq!(talk.take().0, [error(json!("x"), -32601, "`_vendor/thing` is not offered by this client")]);
    talk.hears(json!({ "id": 5, "method": "fs/read_text_file", "params": { "sessionId": "other", "path": "a" } }));
    let words = "`sessionId`: expected the session of this process; got `other`";
    assert_eq!(talk.take().0, [error(json!(5), -32602, words)]);
    talk.hears(
        json!({ "id": 6, "method": "fs/read_text_file", "params": { "sessionId": "s", "path": "a", "line": -1 } }),
    );
    assert_eq!(talk.take().0, [error(json!(6), -32602, "`line`: expected a number; got `-1`")]);
    talk.hears(json!({ "id": 7, "method": "fs/write_text_file", "params": { "sessionId": "s", "path": "a" } }));
    assert_eq!(talk.take().0, [error(json!(7), -32602, "`content`: expected a string")]);
}

#[test]
fn a_prompt_steers_as_the_agent_can() {
    let steer = || {
        Command::Prompt(Prompt {
            id: "more".to_owned(),
            text: "Do more".to_owned(),
            when: When::Steer,
            ..Prompt::default()
        })
    };
    // An agent without it: the prompt is the next one.
    let mut talk = Talk::working("one");
    talk.wants(steer()).unwrap();
    assert_eq!(talk.take(), (vec![], vec![]));
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
    assert_eq!(talk.take().0, [prompt(4, "more")]);

    // By an extension, whose answer may come too late.
    let began = |hello: Value| {
        let mut talk = Talk::new(opening());
        talk.hears(json!({ "id": 1, "result": hello }));
        talk.hears(json!({ "id": 2, "result": { "sessionId": "s" } }));
        talk.wants(say("one")).unwrap();
        talk.wants(steer()).unwrap();
        talk.take().0
    };
    let text = json!([{ "type": "text", "text": "Do more" }]);
    let meta = json!({ "steering": { "idleBehavior": "promptRequired" } });
    let extension = request(4, "_session/steering", json!({ "sessionId": "s", "prompt": text, "_meta": meta }));
    let sent = began(json!({ "_meta": { "steering": { "supported": true } } }));
    assert_eq!(sent.last(), Some(&extension));

    // As a prompt beside the first: the turn ends with the last answer.
    let queueing = json!({ "agentCapabilities": { "_meta": { "claudeCode": { "promptQueueing": true } } } });
    assert_eq!(began(queueing).last(), Some(&prompt(4, "more")));
}

#[test]
fn a_steered_turn_ends_once() {
    let mut talk = Talk::new(opening());
    let can = json!({ "_meta": { "claudeCode": { "promptQueueing": true } } });
    talk.hears(json!({ "id": 1, "result": { "agentCapabilities": can } }));
    talk.hears(json!({ "id": 2, "result": { "sessionId": "s" } }));
    talk.wants(say("one")).unwrap();
    let more = Prompt { id: "more".to_owned(), text: "Do more".to_owned(), when: When::Steer, ..Prompt::default() };
    talk.wants(Command::Prompt(more)).unwrap();
    talk.take();
    let usage = json!({ "inputTokens": 1, "outputTokens": 2 });
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn", "usage": usage } }));
    assert_eq!(talk.take(), (vec![], vec![]));
    talk.hears(json!({ "id": 4, "result": { "stopReason": "end_turn", "usage": usage } }));
    let tokens = Tokens { input: 2, output: 4, ..Tokens::default() };
    let done = Event::Turn(Turn { outcome: Outcome::Done, message: None, tokens, cost_usd: None });
    assert_eq!(talk.take().1, [Event::Delivered("one".to_owned()), done, Event::State(State::Idle)]);
}

#[test]
fn texts_grow_until_the_agents_own_transcript_has_them() {
    let mut talk = Talk::with(program("gemini").unwrap().driver(opening()));
    talk.hears(json!({ "id": 1, "result": {} }));
    talk.hears(json!({ "id": 2, "result": { "sessionId": "s" } }));
    talk.wants(say("one")).unwrap();
    talk.take();
    let chunk =
        |kind: &str, text: &str| update(json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } }));
    let growing =
        |key: &str, voice: Voice, text: &str| Event::Growing { key: key.to_owned(), voice, text: text.to_owned() };
    let grown = |key: &str| Event::Grown { key: key.to_owned() };
    talk.hears(chunk("agent_thought_chunk", "Hm"));
    talk.hears(chunk("agent_message_chunk", "Well"));
    talk.hears(chunk("agent_message_chunk", ""));
    talk.hears(chunk("agent_message_chunk", ", yes"));
    talk.hears(update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c" })));
    talk.hears(chunk("agent_message_chunk", "Done"));
    talk.hears(json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
    let events = [
        Event::Delivered("one".to_owned()),
        growing("text-1", Voice::Thought, "Hm"),
        grown("text-1"),
        growing("text-2", Voice::Answer, "Well"),
        growing("text-2", Voice::Answer, "Well, yes"),
        grown("text-2"),
        growing("text-3", Voice::Answer, "Done"),
        grown("text-3"),
        turn(Outcome::Done, None),
        Event::State(State::Idle),
    ];
    assert_eq!(talk.take().1, events);
}
