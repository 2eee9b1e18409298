//! Claude Code's protocol: lines in, lines and events out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drivers::programs::program;
use drivers::{
    Answer, Ask, AskKind, Command, Driver, Effects, Event, Opening, Outcome, Prompt, Refusal, Resume, State,
    Suggestion, Tokens, Turn, Voice, When,
};
use serde_json::{Value, json};

struct Talk(Box<dyn Driver>);

impl Talk {
    fn begun() -> Self {
        let opening = Opening { new_id: "s-1".to_owned(), folder: "/work".to_owned(), ..Opening::default() };
        let mut talk = Self(program("claude").unwrap().driver(opening));
        let mut effects = Effects::default();
        talk.0.begin(&mut effects);
        let request = json!({"subtype": "initialize", "systemPromptSnapshot": false});
        let start = json!({"type": "control_request", "request_id": "verbatim-1", "request": request});
        assert_eq!(effects.take_sent(), [start]);
        assert_eq!((talk.0.awaits(), talk.0.has_begun()), (Some("the start"), false));
        let models = json!([{"value": "opus", "displayName": "Opus", "description": "Large"}]);
        let (_, events) = talk.hear(answer("verbatim-1", json!({"models": models})));
        assert_eq!(events.first(), Some(&session(None, None)));
        assert_eq!(events.last(), Some(&Event::State(State::Idle)));
        assert_eq!(events.len(), 4);
        assert_eq!((talk.0.awaits(), talk.0.has_begun()), (None, true));
        talk
    }

    fn hear(&mut self, message: Value) -> (Vec<Value>, Vec<Event>) {
        let mut effects = Effects::default();
        self.0.line(message.to_string().as_bytes(), &mut effects);
        (effects.take_sent(), effects.take_events())
    }

    fn told(&mut self, message: Value) -> Vec<Event> {
        let (sent, events) = self.hear(message);
        assert_eq!(sent, [] as [Value; 0]);
        events
    }

    fn tell(&mut self, command: Command) -> (Result<(), Refusal>, Vec<Value>, Vec<Event>) {
        let mut effects = Effects::default();
        let result = self.0.command(command, &mut effects);
        (result, effects.take_sent(), effects.take_events())
    }

    fn prompt(&mut self, id: &str, when: When) -> (Vec<Value>, Vec<Event>) {
        let prompt = Prompt { id: id.to_owned(), text: format!("text of {id}"), when, ..Prompt::default() };
        let (result, sent, events) = self.tell(Command::Prompt(prompt));
        assert_eq!(result, Ok(()));
        (sent, events)
    }
}

fn session(model: Option<&str>, mode: Option<&str>) -> Event {
    let (model, mode) = (model.map(str::to_owned), mode.map(str::to_owned));
    Event::Session { id: "s-1".to_owned(), version: None, model, mode }
}

fn answer(id: &str, response: Value) -> Value {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response}})
}

fn user(id: &str) -> Value {
    let message = json!({"role": "user", "content": format!("text of {id}")});
    json!({"type": "user", "uuid": id, "session_id": "", "parent_tool_use_id": null, "message": message})
}

fn replay(id: &str) -> Value {
    json!({"type": "user", "uuid": id, "isReplay": true, "message": {"role": "user", "content": ""}})
}

fn stream(event: Value) -> Value {
    json!({"type": "stream_event", "event": event, "parent_tool_use_id": null, "uuid": "u"})
}

fn ask(id: &str, tool: &str, input: Value) -> Value {
    let request = json!({"subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "toolu_1"});
    json!({"type": "control_request", "request_id": id, "request": request})
}

fn response(id: &str, response: Value) -> Value {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response}})
}

#[test]
fn its_arguments_say_how_it_begins() {
    let claude = program("claude").unwrap();
    let rest = |opening: Opening| {
        let command = claude.command(&opening);
        let command: Vec<String> = command.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        assert_eq!(command[0], "claude");
        command[8..].join(" ")
    };
    let new_id = "new".to_owned();
    let plain = Opening { new_id, ..Opening::default() };
    assert_eq!(rest(plain.clone()), "--permission-mode=default --session-id=new");
    let full = Opening {
        mode: Some("plan".to_owned()),
        model: Some("--evil".to_owned()),
        system_notices: vec!["One.".to_owned(), "Two.".to_owned()],
        ..plain.clone()
    };
    let expected = "--permission-mode=plan --model=--evil --append-system-prompt=One.\n\nTwo. --session-id=new";
    assert_eq!(rest(full), expected);
    let resume = |fork| Opening { resume: Some(Resume { session: "old".to_owned(), fork }), ..plain.clone() };
    assert_eq!(rest(resume(false)), "--permission-mode=default --resume=old");
    assert_eq!(rest(resume(true)), "--permission-mode=default --resume=old --session-id=new --fork-session");
}

#[test]
fn prompts_are_sent_queued_and_steered() {
    let mut talk = Talk::begun();
    assert_eq!(talk.prompt("a", When::Queue), (vec![user("a")], vec![Event::State(State::Working)]));
    assert_eq!(talk.told(replay("a")), [Event::Delivered("a".to_owned())]);
    assert_eq!(talk.prompt("b", When::Queue), (vec![], vec![]));
    assert_eq!(talk.prompt("c", When::Steer), (vec![user("c")], vec![]));
    assert_eq!(talk.told(replay("c")), [Event::Delivered("c".to_owned())]);
    assert_eq!(talk.told(replay("c")), []);
    let usage = json!({"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 7});
    let (sent, events) = talk
        .hear(json!({"type": "result", "is_error": false, "result": "Done.", "usage": usage, "total_cost_usd": 0.25}));
    let turn = Turn {
        outcome: Outcome::Done,
        message: None,
        tokens: Tokens { input: 3, output: 5, cache_read: 7, cache_write: 0 },
        cost_usd: Some(0.25),
    };
    assert_eq!(sent, [user("b")]);
    assert_eq!(events, [Event::Turn(turn), Event::State(State::Idle), Event::State(State::Working)]);
}

#[test]
fn a_prompt_that_came_too_late_for_a_turn_is_the_next_one() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    talk.told(replay("a"));
    talk.prompt("b", When::Steer);
    let events = talk.told(json!({"type": "result", "is_error": true, "result": "No credit."}));
    let turn = Turn {
        outcome: Outcome::Failed,
        message: Some("No credit.".to_owned()),
        tokens: Tokens::default(),
        cost_usd: None,
    };
    assert_eq!(events, [Event::Turn(turn)]);
}

#[test]
fn a_permission_is_answered_once() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    let rule = json!({"type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": "Bash", "ruleContent": "touch x"}]});
    let mut message = ask("r1", "Bash", json!({"command": "touch x"}));
    message["request"]["permission_suggestions"] = json!([rule, {"type": "newer", "destination": "session"}]);
    let expected = Ask {
        request: "r1".to_owned(),
        call_id: Some("toolu_1".to_owned()),
        tool_name: "Bash".to_owned(),
        input: json!({"command": "touch x"}).as_object().unwrap().clone(),
        suggestions: vec![Suggestion {
            label: "Always allow Bash(touch x), for this session".to_owned(),
            rule: rule.clone(),
        }],
        ..Ask::default()
    };
    assert_eq!(talk.told(message), [Event::Asked(expected), Event::State(State::Waiting)]);
    assert_eq!(talk.0.open_requests(), ["r1"]);
    let allow = Answer::Allow { option: None, input: None, rules: vec![0, 9] };
    let command = Command::Answer { request: "r1".to_owned(), answer: allow };
    let (result, sent, events) = talk.tell(command.clone());
    let allowed = json!({"behavior": "allow", "updatedInput": {"command": "touch x"}, "updatedPermissions": [rule]});
    assert_eq!((result, sent), (Ok(()), vec![response("r1", allowed)]));
    assert_eq!(events, [Event::State(State::Working)]);
    assert_eq!(talk.tell(command), (Err(Refusal::NoRequest), vec![], vec![]));
}

#[test]
fn a_denial_an_answer_and_a_withdrawn_request() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    talk.told(ask("r1", "Write", json!({"file_path": "/work/x"})));
    let questions = json!({"questions": [{"question": "Which?", "options": [{"label": "One"}]}]});
    let events = talk.told(ask("r2", "AskUserQuestion", questions.clone()));
    assert!(matches!(&events[..], [Event::Asked(Ask { kind: AskKind::Question, .. })]));
    talk.told(ask("r3", "ExitPlanMode", json!({})));
    let deny = Answer::Deny { option: None, message: Some("Not there.".to_owned()) };
    let (_, sent, events) = talk.tell(Command::Answer { request: "r1".to_owned(), answer: deny });
    assert_eq!(
        sent,
        [response(
            "r1",
            json!({
                "behavior": "deny",
                "message": "The user doesn't want to proceed with this tool use. Instead, the user said:\nNot there.",
            })
        )]
    );
    assert_eq!(events, []);
    let answers = json!({"Which?": ["One", "mine"]}).as_object().unwrap().clone();
    let (_, sent, _) = talk.tell(Command::Answer { request: "r2".to_owned(), answer: Answer::Answers(answers) });
    let mut input = questions;
    input["answers"] = json!({"Which?": "One, mine"});
    assert_eq!(sent, [response("r2", json!({"behavior": "allow", "updatedInput": input}))]);
    let withdrawn = [Event::Withdrawn { request: "r3".to_owned() }, Event::State(State::Working)];
    assert_eq!(talk.told(json!({"type": "control_cancel_request", "request_id": "r3"})), withdrawn);
    let late = Command::Answer { request: "r3".to_owned(), answer: Answer::Cancel };
    assert_eq!(talk.tell(late), (Err(Refusal::NoRequest), vec![], vec![]));
}

#[test]
fn an_end_cancels_what_is_open_and_never_approves() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    talk.told(ask("r1", "Bash", json!({"command": "x"})));
    let (result, sent, events) = talk.tell(Command::End);
    let denied = json!({"behavior": "deny", "message": "Nobody answered.", "interrupt": true});
    assert_eq!((result, sent), (Ok(()), vec![response("r1", denied)]));
    assert_eq!(events, [Event::Withdrawn { request: "r1".to_owned() }]);
}

/// A sub-agent in the background goes on.
#[test]
fn an_interrupted_turn_waits_for_no_answer() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    talk.told(replay("a"));
    talk.told(ask("r1", "Bash", json!({"command": "x"})));
    let mut background = ask("r2", "Bash", json!({"command": "y"}));
    background["request"]["agent_id"] = json!("worker");
    talk.told(background);
    let (result, ..) = talk.tell(Command::Interrupt);
    assert_eq!(result, Ok(()));
    let events = talk.told(json!({"type": "result", "is_error": true, "subtype": "error_during_execution"}));
    let [withdrawn, Event::Turn(turn), idle] = &events[..] else { panic!("{events:?}") };
    assert_eq!(*withdrawn, Event::Withdrawn { request: "r1".to_owned() });
    assert_eq!((turn.outcome, idle), (Outcome::Interrupted, &Event::State(State::Idle)));
    assert_eq!(talk.0.open_requests(), ["r2"]);
}

#[test]
fn texts_grow_and_tokens_are_counted_once() {
    let mut talk = Talk::begun();
    talk.prompt("a", When::Queue);
    let usage = json!({"input_tokens": 3, "output_tokens": 1});
    let start = talk.told(stream(json!({"type": "message_start", "message": {"id": "m", "usage": usage}})));
    assert_eq!(start, [Event::Tokens(Tokens { input: 3, output: 1, ..Tokens::default() })]);
    let begin = |index: u64, kind: &str| json!({"type": "content_block_start", "index": index, "content_block": {"type": kind}});
    assert_eq!(talk.told(stream(begin(0, "thinking"))), []);
    let delta =
        |index: u64, delta: Value| stream(json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let growing = |key: &str, voice, text: &str| Event::Growing { key: key.to_owned(), voice, text: text.to_owned() };
    assert_eq!(talk.told(delta(0, json!({"thinking": "Hm"}))), [growing("m~0", Voice::Thought, "Hm")]);
    assert_eq!(
        talk.told(stream(json!({"type": "content_block_stop", "index": 0}))),
        [Event::Grown { key: "m~0".to_owned() }]
    );
    talk.told(stream(begin(1, "text")));
    talk.told(delta(1, json!({"text": "One"})));
    assert_eq!(talk.told(delta(1, json!({"text": " two"}))), [growing("m~1", Voice::Answer, "One two")]);
    assert_eq!(talk.told(delta(2, json!({"partial_json": "{"}))), []);
    let end = talk.told(stream(json!({"type": "message_delta", "usage": {"input_tokens": 3, "output_tokens": 9}})));
    assert_eq!(end, [Event::Tokens(Tokens { input: 3, output: 9, ..Tokens::default() })]);
    let next = talk.told(stream(json!({"type": "message_start", "message": {"id": "n", "usage": usage}})));
    let sum = Event::Tokens(Tokens { input: 6, output: 10, ..Tokens::default() });
    assert_eq!(next, [Event::Grown { key: "m~1".to_owned() }, sum]);
    let other = json!({"type": "stream_event", "parent_tool_use_id": "toolu", "event": begin(0, "text")});
    assert_eq!(talk.told(other), []);
}

#[test]
fn an_interruption_a_mode_and_a_model() {
    let mut talk = Talk::begun();
    let idle = Refusal::NotNow("the agent does nothing that could be interrupted");
    assert_eq!(talk.tell(Command::Interrupt), (Err(idle), vec![], vec![]));
    talk.prompt("a", When::Queue);
    talk.told(replay("a"));
    let (_, sent, _) = talk.tell(Command::Interrupt);
    let request = |id: &str, request: Value| json!({"type": "control_request", "request_id": id, "request": request});
    assert_eq!(sent, [request("verbatim-2", json!({"subtype": "interrupt"}))]);
    assert_eq!(talk.0.awaits(), Some("the interruption"));
    assert_eq!(talk.told(answer("verbatim-2", Value::Null)), []);
    let events = talk.told(json!({"type": "result", "is_error": true, "subtype": "error_during_execution"}));
    assert!(matches!(
        &events[..],
        [Event::Turn(Turn { outcome: Outcome::Interrupted, .. }), Event::State(State::Idle)]
    ));
    let (_, sent, _) = talk.tell(Command::SetMode("plan".to_owned()));
    assert_eq!(sent, [request("verbatim-3", json!({"subtype": "set_permission_mode", "mode": "plan"}))]);
    assert_eq!(talk.told(answer("verbatim-3", json!({}))), [session(None, Some("plan"))]);
    let (_, sent, _) = talk.tell(Command::SetModel("opus".to_owned()));
    assert_eq!(sent, [request("verbatim-4", json!({"subtype": "set_model", "model": "opus"}))]);
    let refused = json!({"type": "control_response",
        "response": {"subtype": "error", "request_id": "verbatim-4", "error": "unknown model"}});
    assert_eq!(talk.told(refused), [Event::Notice("The model wasn't changed: unknown model".to_owned())]);
}

#[test]
fn what_the_system_says_goes_before_a_prompt_and_notices_into_the_system_prompt_of_a_process() {
    let mut talk = Talk::begun();
    let prompt = |id: &str, notices: &[&str]| {
        Command::Prompt(Prompt {
            id: id.to_owned(),
            text: format!("text of {id}"),
            before: vec!["<system>\nDeployed\n</system>".to_owned()],
            system_notices: notices.iter().map(|notice| (*notice).to_owned()).collect(),
            ..Prompt::default()
        })
    };
    let said = |id: &str| {
        let before = json!({"type": "text", "text": "<system>\nDeployed\n</system>"});
        let content = json!([before, {"type": "text", "text": format!("text of {id}")}]);
        let message = json!({"role": "user", "content": content});
        json!({"type": "user", "uuid": id, "session_id": "", "parent_tool_use_id": null, "message": message})
    };
    assert_eq!(talk.tell(prompt("a", &[])).1, [said("a")]);
    talk.told(replay("a"));
    talk.told(json!({"type": "result", "is_error": false}));
    let mut restarted = |command: Command| {
        let mut effects = Effects::default();
        talk.0.command(command, &mut effects).unwrap();
        assert_eq!((effects.take_sent(), effects.take_events()), (vec![], vec![Event::State(State::Starting)]));
        let arguments: Vec<String> =
            effects.take_restart().unwrap().into_iter().map(|argument| argument.into_string().unwrap()).collect();
        talk.0.begin(&mut effects);
        let start = effects.take_sent().remove(0);
        let (sent, _) = talk.hear(answer(start["request_id"].as_str().unwrap(), json!({})));
        (arguments[7..].join(" "), sent)
    };
    let arguments = "--permission-mode=default --append-system-prompt=Dirty --resume=s-1".to_owned();
    assert_eq!(restarted(prompt("b", &["Dirty"])), (arguments, vec![said("b")]));
    talk.told(replay("b"));
    talk.told(json!({"type": "result", "is_error": false}));
    assert_eq!(talk.tell(prompt("c", &["Dirty"])).1, [said("c")]);
    talk.told(replay("c"));
    talk.told(json!({"type": "result", "is_error": false}));
    let mut effects = Effects::default();
    talk.0.command(prompt("d", &[]), &mut effects).unwrap();
    let arguments = effects.take_restart().unwrap();
    assert!(!arguments.iter().any(|argument| argument.to_str().unwrap().contains("system-prompt")));
}

/// Modes that the agent can't be switched to aren't offered: it can run without asking only if it began so.
#[test]
fn modes_that_are_refused_are_not_offered() {
    let modes = |events: &[Event]| {
        let modes = events.iter().find_map(|event| if let Event::Modes(modes) = event { Some(modes) } else { None });
        modes.unwrap().iter().map(|mode| mode.id.clone()).collect::<Vec<_>>()
    };
    let begun = |mode: Option<&str>| {
        let mut talk =
            Talk(program("claude").unwrap().driver(Opening { mode: mode.map(str::to_owned), ..Opening::default() }));
        talk.0.begin(&mut Effects::default());
        let (_, events) = talk.hear(answer("verbatim-1", json!({})));
        (talk, modes(&events))
    };
    let (_, unasked) = begun(Some("bypassPermissions"));
    assert_eq!(unasked, ["default", "acceptEdits", "plan", "auto", "bypassPermissions"]);
    let (mut talk, asked) = begun(None);
    assert_eq!(asked, ["default", "acceptEdits", "plan", "auto"]);
    drop(talk.tell(Command::SetMode("auto".to_owned())));
    let refused = json!({"type": "control_response",
        "response": {"subtype": "error", "request_id": "verbatim-2", "error": "Not here"}});
    let events = talk.told(refused);
    assert_eq!(events[0], Event::Notice("The mode wasn't changed: Not here".to_owned()));
    assert_eq!(modes(&events), ["default", "acceptEdits", "plan"]);
}

#[test]
fn what_is_unknown_is_noted_once_and_refused() {
    let mut talk = Talk::begun();
    let mut effects = Effects::default();
    talk.0.line(b"Warning: old {", &mut effects);
    assert_eq!(effects.take_events(), [Event::Notice("A line of the agent isn't JSON: Warning: old {".to_owned())]);
    let newer = json!({"type": "hologram", "data": 1});
    let notice = Event::Unknown("hologram".to_owned());
    assert_eq!(talk.told(newer.clone()), [notice]);
    assert_eq!(talk.told(newer), []);
    let (sent, events) =
        talk.hear(json!({"type": "control_request", "request_id": "h1", "request": {"subtype": "new"}}));
    let error = json!({"subtype": "error", "request_id": "h1", "error": "`new` isn't supported"});
    assert_eq!((sent, events), (vec![json!({"type": "control_response", "response": error})], vec![]));
}
