//! The app-server of Codex without a process: lines in, lines and events out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drivers::programs::program;
use drivers::{
    Answer, Ask, AskKind, Choice, Command, Content, Driver, Effects, Event, Opening, Outcome, Prompt, Refusal, Resume,
    State, Tokens, Turn, Voice, When,
};
use serde_json::{Map, Value, json};

/// A driver and what it wants done.
struct Talk {
    driver: Box<dyn Driver>,
    effects: Effects,
}

impl Talk {
    fn new(opening: Opening) -> Self {
        let mut talk = Self { driver: program("codex").unwrap().driver(opening), effects: Effects::default() };
        talk.driver.begin(&mut talk.effects);
        talk
    }

    /// A thread that waits for prompts.
    fn idle() -> Self {
        let mut talk = Self::new(opening());
        talk.hears(json!({ "id": 1, "result": {} }));
        talk.hears(json!({ "id": 3, "result": { "data": [] } }));
        talk.hears(json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
        talk.take();
        talk
    }

    /// A thread whose turn `u` works on a prompt of this name.
    fn working(prompt: &str) -> Self {
        let mut talk = Self::idle();
        talk.wants(say(prompt, When::Queue)).unwrap();
        talk.hears(json!({ "id": 4, "result": { "turn": { "id": "u" } } }));
        talk.take();
        talk
    }

    fn hears(&mut self, message: Value) {
        self.driver.line(message.to_string().as_bytes(), &mut self.effects);
    }

    fn told(&mut self, method: &str, mut params: Value) {
        params["threadId"] = json!("t");
        self.hears(json!({ "method": method, "params": params }));
    }

    fn wants(&mut self, command: Command) -> Result<(), Refusal> {
        self.driver.command(command, &mut self.effects)
    }

    fn take(&mut self) -> (Vec<Value>, Vec<Event>) {
        (self.effects.take_sent(), self.effects.take_events())
    }
}

fn opening() -> Opening {
    Opening { folder: "/work".to_owned(), ..Opening::default() }
}

fn say(name: &str, when: When) -> Command {
    Command::Prompt(Prompt { id: name.to_owned(), text: format!("Do {name}"), when, ..Prompt::default() })
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn answer(id: u64, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// A request that begins a turn.
fn start(id: u64, name: &str) -> Value {
    let input = json!([{ "type": "text", "text": format!("Do {name}") }]);
    request(id, "turn/start", json!({ "threadId": "t", "input": input, "clientUserMessageId": name }))
}

fn turn(outcome: Outcome, message: Option<&str>, tokens: Tokens) -> Event {
    Event::Turn(Turn { outcome, message: message.map(str::to_owned), tokens, cost_usd: None })
}

fn option(id: &str, label: &str, kind: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), description: None, kind: Some(kind.to_owned()) }
}

fn decide(request: &str, answer: Answer) -> Command {
    Command::Answer { request: request.to_owned(), answer }
}

fn allow(option: Option<&str>) -> Answer {
    Answer::Allow { option: option.map(str::to_owned), input: None, rules: Vec::new() }
}

fn deny(message: Option<&str>) -> Answer {
    Answer::Deny { option: None, message: message.map(str::to_owned) }
}

fn withdrawn(request: &str) -> Event {
    Event::Withdrawn { request: request.to_owned() }
}

#[test]
fn a_thread_begins() {
    let mut talk =
        Talk::new(Opening { mode: Some("read-only".to_owned()), system_notices: vec!["Once".to_owned()], ..opening() });
    let (sent, events) = talk.take();
    assert_eq!((sent.len(), &sent[0]["method"]), (1, &json!("initialize")));
    assert_eq!(events, [Event::State(State::Starting)]);
    assert_eq!(talk.driver.awaits(), Some("the start"));
    talk.hears(json!({ "id": 1, "result": { "userAgent": "x" } }));
    let params = json!({
        "cwd": "/work", "approvalPolicy": "on-request", "sandbox": "read-only", "developerInstructions": "Once",
    });
    let initialized = json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} });
    let lines = vec![initialized, request(2, "thread/start", params), request(3, "model/list", json!({}))];
    assert_eq!(talk.take(), (lines, vec![]));

    talk.wants(say("first", When::Queue)).unwrap();
    let thread = json!({ "id": "t", "cliVersion": "0.169.0" });
    let sandbox = json!({ "type": "readOnly", "networkAccess": false });
    let opened = json!({ "thread": thread, "model": "m", "approvalPolicy": "on-request", "sandbox": sandbox });
    talk.hears(json!({ "id": 2, "result": opened }));
    let (sent, events) = talk.take();
    assert_eq!(sent, [start(4, "first")]);
    let session = Event::Session {
        id: "t".to_owned(),
        version: Some("0.169.0".to_owned()),
        model: Some("m".to_owned()),
        mode: Some("read-only".to_owned()),
    };
    assert_eq!(events[0], session);
    let Event::Modes(modes) = &events[1] else { panic!("{events:?}") };
    assert_eq!(modes.iter().map(|mode| mode.id.as_str()).collect::<Vec<_>>(), ["read-only", "auto", "full-access"]);
    assert_eq!(events[2..], [Event::State(State::Idle), Event::State(State::Working)]);

    let model = |id: &str, hidden: bool| json!({ "id": id, "model": id, "displayName": "M", "hidden": hidden });
    talk.hears(json!({ "id": 3, "result": { "data": [model("m", false), model("n", true)] } }));
    let models = Event::Models(vec![Choice { id: "m".to_owned(), label: "M".to_owned(), ..Choice::default() }]);
    assert_eq!(talk.take(), (vec![], vec![models]));
}

#[test]
fn threads_go_on_and_fork() {
    for (fork, method) in [(false, "thread/resume"), (true, "thread/fork")] {
        let resume = Some(Resume { session: "old".to_owned(), fork });
        let mut talk = Talk::new(Opening { resume, ..opening() });
        talk.hears(json!({ "id": 1, "result": {} }));
        let params = json!({ "cwd": "/work", "threadId": "old", "excludeTurns": true });
        assert_eq!(talk.take().0[2], request(2, method, params));
    }
}

#[test]
fn a_start_that_fails_is_told() {
    let mut talk = Talk::new(opening());
    talk.hears(json!({ "id": 1, "result": {} }));
    talk.take();
    talk.hears(json!({ "id": 2, "error": { "code": -32600, "message": "no rollout found" } }));
    let words = Event::Notice("Codex opened no thread: no rollout found".to_owned());
    assert_eq!(talk.take(), (vec![], vec![words]));
    assert!(!talk.driver.has_begun());
}

#[test]
fn a_turn_grows_and_ends() {
    let mut talk = Talk::idle();
    talk.wants(say("one", When::Queue)).unwrap();
    assert_eq!(talk.take(), (vec![start(4, "one")], vec![Event::State(State::Working)]));
    assert_eq!(talk.driver.awaits(), Some("a prompt"));
    talk.told("turn/started", json!({ "turn": { "id": "u" } }));
    talk.hears(json!({ "id": 4, "result": { "turn": { "id": "u" } } }));
    let delivered = Event::Delivered("one".to_owned());
    assert_eq!(talk.take(), (vec![], vec![delivered, Event::State(State::Working)]));

    let growing = |text: &str| Event::Growing { key: "i".to_owned(), voice: Voice::Answer, text: text.to_owned() };
    talk.told("item/agentMessage/delta", json!({ "itemId": "i", "delta": "Well" }));
    talk.told("item/agentMessage/delta", json!({ "itemId": "i", "delta": ", yes" }));
    talk.told("item/completed", json!({ "item": { "type": "agentMessage", "id": "i", "text": "Well, yes" } }));
    talk.told("something/ofTomorrow", json!({}));
    let grown = Event::Grown { key: "i".to_owned() };
    assert_eq!(talk.take(), (vec![], vec![growing("Well"), growing("Well, yes"), grown]));

    // Tokens that the thread took before aren't the turn's; the same count comes twice.
    let last = json!({ "inputTokens": 10, "cachedInputTokens": 4, "outputTokens": 3, "cacheWriteInputTokens": 1 });
    let tokens = Tokens { input: 6, output: 3, cache_read: 4, cache_write: 1 };
    for _ in 0..2 {
        let usage = json!({ "total": { "totalTokens": 9000 }, "last": last });
        talk.told("thread/tokenUsage/updated", json!({ "tokenUsage": usage }));
    }
    talk.told("item/reasoning/summaryTextDelta", json!({ "itemId": "r", "delta": "Hm" }));
    talk.take();
    talk.told("turn/completed", json!({ "turn": { "id": "u", "status": "completed" } }));
    let given_up = Event::Grown { key: "r".to_owned() };
    let events = vec![given_up, turn(Outcome::Done, None, tokens), Event::State(State::Idle)];
    assert_eq!(talk.take(), (vec![], events));

    // Counts of the next turn begin anew.
    talk.wants(say("two", When::Queue)).unwrap();
    talk.hears(json!({ "id": 5, "result": { "turn": { "id": "v" } } }));
    talk.take();
    let error = json!({ "message": "no quota" });
    talk.told("turn/completed", json!({ "turn": { "id": "v", "status": "failed", "error": error } }));
    let failed = turn(Outcome::Failed, Some("no quota"), Tokens::default());
    assert_eq!(talk.take().1, [failed, Event::State(State::Idle)]);
}

#[test]
fn steering_goes_into_the_turn_or_begins_the_next() {
    let mut talk = Talk::working("one");
    talk.wants(say("more", When::Steer)).unwrap();
    let input = json!([{ "type": "text", "text": "Do more" }]);
    let params = json!({ "threadId": "t", "expectedTurnId": "u", "input": input, "clientUserMessageId": "more" });
    assert_eq!(talk.take(), (vec![request(5, "turn/steer", params)], vec![]));
    talk.hears(json!({ "id": 5, "result": { "turnId": "u" } }));
    assert_eq!(talk.take().1, [Event::Delivered("more".to_owned())]);

    talk.wants(say("late", When::Steer)).unwrap();
    talk.take();
    talk.told("turn/completed", json!({ "turn": { "id": "u", "status": "completed" } }));
    talk.take();
    talk.hears(json!({ "id": 6, "error": { "code": -32600, "message": "no active turn" } }));
    assert_eq!(talk.take(), (vec![start(7, "late")], vec![Event::State(State::Working)]));
}

#[test]
fn settings_go_with_the_next_turn_and_notices_are_its_context() {
    let mut talk = Talk::idle();
    assert_eq!(talk.wants(Command::SetMode("yolo".to_owned())), Err(Refusal::NotNow("Codex has no such mode")));
    talk.wants(Command::SetMode("auto".to_owned())).unwrap();
    talk.wants(Command::SetModel("n".to_owned())).unwrap();
    let (id, model, mode) = ("t".to_owned(), Some("n".to_owned()), Some("auto".to_owned()));
    assert_eq!(talk.take().1.last(), Some(&Event::Session { id, version: None, model, mode }));
    let system_notices = vec!["Branch main".to_owned()];
    talk.wants(Command::Prompt(Prompt { text: "Go".to_owned(), system_notices, ..Prompt::default() })).unwrap();
    let policy = json!({
        "type": "workspaceWrite", "writableRoots": [], "networkAccess": false,
        "excludeTmpdirEnvVar": false, "excludeSlashTmp": false,
    });
    let params = json!({
        "threadId": "t", "input": [{ "type": "text", "text": "Go" }],
        "additionalContext": { "system-notices": { "value": "Branch main", "kind": "application" } },
        "approvalPolicy": "on-request", "sandboxPolicy": policy, "model": "n",
    });
    assert_eq!(talk.take().0, [request(4, "turn/start", params)]);
}

#[test]
fn an_interruption_waits_for_the_turn_to_have_an_id() {
    let mut talk = Talk::idle();
    assert_eq!(talk.wants(Command::Interrupt), Err(Refusal::NotNow("Codex isn't working")));
    talk.wants(say("one", When::Queue)).unwrap();
    talk.take();
    talk.wants(Command::Interrupt).unwrap();
    assert_eq!(talk.take(), (vec![], vec![]));
    talk.hears(json!({ "id": 4, "result": { "turn": { "id": "u" } } }));
    let stop = request(5, "turn/interrupt", json!({ "threadId": "t", "turnId": "u" }));
    assert_eq!(talk.take(), (vec![stop], vec![Event::Delivered("one".to_owned())]));
    talk.hears(json!({ "id": 5, "result": {} }));
    assert_eq!(talk.driver.awaits(), Some("the interruption"));
    talk.told("turn/completed", json!({ "turn": { "id": "u", "status": "interrupted" } }));
    let events = [turn(Outcome::Interrupted, None, Tokens::default()), Event::State(State::Idle)];
    assert_eq!(talk.take().1, events);
}

#[test]
fn a_command_is_allowed_by_what_codex_offers() {
    let amendment = json!({ "acceptWithExecpolicyAmendment": { "execpolicy_amendment": ["rm", "-rf", "build"] } });
    let params = json!({
        "threadId": "t", "turnId": "u", "itemId": "call", "command": "rm -rf build", "cwd": "/work", "reason": "Clean",
        "commandActions": [], "availableDecisions": ["accept", amendment, "cancel", "unheardOf"],
    });
    let ask = json!({ "id": 0, "method": "item/commandExecution/requestApproval", "params": params });
    let mut talk = Talk::working("one");
    talk.hears(ask.clone());
    let expected = Ask {
        request: "0".to_owned(),
        kind: AskKind::Permission,
        call_id: Some("call".to_owned()),
        tool_name: "exec_command".to_owned(),
        input: json!({ "command": "rm -rf build", "cwd": "/work" }).as_object().unwrap().clone(),
        reason: Some("Clean".to_owned()),
        options: vec![
            option("accept", "Allow", "allow_once"),
            option(
                "acceptWithExecpolicyAmendment",
                "Always allow commands that begin with `rm -rf build`",
                "allow_always",
            ),
            option("decline", "Deny", "reject_once"),
            option("cancel", "Deny and stop", "reject_once"),
        ],
        ..Ask::default()
    };
    assert_eq!(talk.take(), (vec![], vec![Event::Asked(expected), Event::State(State::Waiting)]));
    let always = json!({ "decision": amendment });
    let none = Err(Refusal::NotNow("Codex gave no such option: choose one of its own"));
    let cases = [
        (allow(None), Ok(json!({ "decision": "accept" }))),
        (allow(Some("acceptWithExecpolicyAmendment")), Ok(always)),
        (deny(None), Ok(json!({ "decision": "decline" }))),
        (Answer::Deny { option: Some("cancel".to_owned()), message: None }, Ok(json!({ "decision": "cancel" }))),
        (allow(Some("cancel")), none.clone()),
        (allow(Some("acceptForSession")), none.clone()),
        (Answer::Deny { option: Some("accept".to_owned()), message: None }, none),
    ];
    for (answer_given, expected) in cases {
        let mut talk = Talk::working("one");
        talk.hears(ask.clone());
        talk.take();
        let result = talk.wants(decide("0", answer_given.clone()));
        match expected {
            Ok(value) => assert_eq!((result, talk.take().0), (Ok(()), vec![answer(0, value)]), "{answer_given:?}"),
            Err(refusal) => assert_eq!((result, talk.take().0), (Err(refusal), vec![]), "{answer_given:?}"),
        }
    }
}

#[test]
fn a_patch_is_asked_with_its_changes_and_answered_once() {
    let mut talk = Talk::working("one");
    let update = "@@ -1 +1 @@\n-a\n+b\n";
    let changes = json!([
        { "path": "/work/a", "kind": { "type": "add" }, "diff": "a\n" },
        { "path": "/work/b", "kind": { "type": "delete" }, "diff": "b\n" },
        { "path": "/work/c", "kind": { "type": "update", "move_path": null }, "diff": update },
        { "path": "/work/d", "kind": { "type": "update", "move_path": "/work/e" }, "diff": update },
        { "path": "/work/f", "kind": { "type": "link" }, "to": "/etc" },
    ]);
    let item = json!({ "type": "fileChange", "id": "call", "changes": changes, "status": "inProgress" });
    talk.told("item/started", json!({ "item": item }));
    let params = json!({ "threadId": "t", "itemId": "call", "reason": null, "grantRoot": "/work" });
    talk.hears(json!({ "id": 0, "method": "item/fileChange/requestApproval", "params": params }));
    let (_, events) = talk.take();
    let Event::Asked(ask) = &events[0] else { panic!("{events:?}") };
    assert_eq!((ask.tool_name.as_str(), &ask.input), ("apply_patch", &Map::new()));
    let change = |path: &str, old: Option<&str>, new: Option<&str>| {
        let (path, old, new) = (path.to_owned(), old.map(str::to_owned), new.map(str::to_owned));
        Content::Change { path, old, new }
    };
    let diff = |path: &str, from: Option<&str>| {
        let (path, moved_from, diff) = (path.to_owned(), from.map(str::to_owned), update.to_owned());
        Content::Diff { path, moved_from, diff }
    };
    let content = [
        change("/work/a", None, Some("a\n")),
        change("/work/b", Some("b\n"), None),
        diff("/work/c", None),
        diff("/work/e", Some("/work/d")),
        Content::Text(changes[4].to_string()),
        Content::Text("grantRoot: /work".to_owned()),
    ];
    assert_eq!(ask.content, content);
    let ids: Vec<_> = ask.options.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, ["accept", "acceptForSession", "decline", "cancel"]);
    talk.wants(decide("0", deny(Some("Not there")))).unwrap();
    let input = json!([{ "type": "text", "text": "Not there" }]);
    let steer = json!({ "threadId": "t", "expectedTurnId": "u", "input": input, "clientUserMessageId": "0~message" });
    assert_eq!(talk.take().0, [answer(0, json!({ "decision": "decline" })), request(5, "turn/steer", steer)]);
    assert_eq!(talk.wants(decide("0", allow(None))), Err(Refusal::NoRequest));
    // Codex tells that it has the answer.
    talk.hears(json!({ "method": "serverRequest/resolved", "params": { "threadId": "t", "requestId": 0 } }));
    assert_eq!(talk.take(), (vec![], vec![]));
}

/// A request may name no more than the item, and new versions of Codex ask for more.
#[test]
fn a_command_is_asked_with_all_that_bears_on_it() {
    let mut talk = Talk::working("one");
    let item =
        json!({ "type": "commandExecution", "id": "call", "command": "make", "cwd": "/work", "status": "inProgress" });
    talk.told("item/started", json!({ "item": item }));
    let network = json!({ "network": { "enabled": true } });
    let params = json!({
        "threadId": "t", "turnId": "u", "itemId": "call", "startedAtMs": 1, "reason": null, "commandActions": [],
        "additionalPermissions": network,
    });
    talk.hears(json!({ "id": 0, "method": "item/commandExecution/requestApproval", "params": params }));
    let (_, events) = talk.take();
    let Event::Asked(ask) = &events[0] else { panic!("{events:?}") };
    let input = json!({ "command": "make", "cwd": "/work", "additionalPermissions": network });
    assert_eq!(Value::Object(ask.input.clone()), input);
}

#[test]
fn what_is_decided_elsewhere_or_too_late_is_withdrawn() {
    let mut talk = Talk::working("one");
    for id in [0, 1] {
        let params = json!({ "threadId": "t", "itemId": "call" });
        talk.hears(json!({ "id": id, "method": "item/fileChange/requestApproval", "params": params }));
    }
    talk.take();
    talk.hears(json!({ "method": "serverRequest/resolved", "params": { "threadId": "t", "requestId": 0 } }));
    assert_eq!(talk.take().1, [withdrawn("0"), Event::State(State::Waiting)]);
    talk.told("turn/completed", json!({ "turn": { "status": "interrupted" } }));
    let events = [withdrawn("1"), turn(Outcome::Interrupted, None, Tokens::default()), Event::State(State::Idle)];
    assert_eq!(talk.take().1, events);
    assert_eq!(talk.wants(decide("1", allow(None))), Err(Refusal::NoRequest));
}

#[test]
fn questions_are_answered_by_their_ids() {
    let mut talk = Talk::working("one");
    let question = json!({
        "id": "q", "header": "Colour", "question": "Which colour?", "options": [{ "label": "Red", "description": "" }],
    });
    let params = json!({ "threadId": "t", "itemId": "call", "questions": [question] });
    talk.hears(json!({ "id": 0, "method": "item/tool/requestUserInput", "params": params }));
    let (_, events) = talk.take();
    let Event::Asked(ask) = &events[0] else { panic!("{events:?}") };
    let asked = json!([{
        "question": "Which colour?", "header": "Colour", "options": [{ "label": "Red", "description": "" }],
        "multiSelect": false,
    }]);
    assert_eq!((ask.kind, &ask.input["questions"]), (AskKind::Question, &asked));
    let refused = Err(Refusal::Unsupported("take this answer to this request"));
    assert_eq!(talk.wants(decide("0", allow(None))), refused);
    let answers = json!({ "Which colour?": "Red", "Else?": "x" }).as_object().unwrap().clone();
    talk.wants(decide("0", Answer::Answers(answers))).unwrap();
    assert_eq!(talk.take().0, [answer(0, json!({ "answers": { "q": { "answers": ["Red"] } } }))]);
}

#[test]
fn permissions_are_granted_as_asked_or_not_at_all() {
    let wanted = json!({ "network": { "enabled": true }, "fileSystem": null });
    let params = json!({ "threadId": "t", "itemId": "call", "permissions": wanted, "cwd": "/work", "reason": null });
    let ask = json!({ "id": 0, "method": "item/permissions/requestApproval", "params": params });
    let granted = json!({ "permissions": { "network": { "enabled": true } }, "scope": "turn" });
    for (answer_given, expected) in
        [(allow(None), granted), (deny(None), json!({ "permissions": {}, "scope": "turn" }))]
    {
        let mut talk = Talk::working("one");
        talk.hears(ask.clone());
        talk.take();
        talk.wants(decide("0", answer_given)).unwrap();
        assert_eq!(talk.take().0, [answer(0, expected)]);
    }
}

#[test]
fn what_is_unknown_is_refused_or_a_notice() {
    let mut talk = Talk::working("one");
    talk.hears(json!({ "id": 9, "method": "item/tool/call", "params": {} }));
    let error = json!({ "code": -32601, "message": "`item/tool/call` is not offered by this client" });
    assert_eq!(talk.take().0, [json!({ "jsonrpc": "2.0", "id": 9, "error": error })]);
    let error = json!({ "message": "stream lost" });
    talk.told("error", json!({ "error": error, "willRetry": true }));
    let words = "Codex failed: stream lost. It tries again";
    assert_eq!(talk.take(), (vec![], vec![Event::Notice(words.to_owned())]));
    talk.driver.line(b"{\"id\":4", &mut talk.effects);
    let words = "A line of Codex can't be read: not JSON: `{\"id\":4`";
    assert_eq!(talk.take(), (vec![], vec![Event::Notice(words.to_owned())]));
    // Another thread: a sub-agent with a transcript of its own.
    let params = json!({ "threadId": "other", "itemId": "i", "delta": "x" });
    talk.hears(json!({ "method": "item/agentMessage/delta", "params": params }));
    assert_eq!(talk.take(), (vec![], vec![]));
}
