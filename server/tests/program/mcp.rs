//! `verbatim mcp`, as an agent's program speaks with it: JSON-RPC by lines.

use crate::support::{PATIENCE, Server};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// An agent's program with its tools.
pub struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Notifications that came beside the answers.
    notices: Vec<Value>,
    calls: u64,
}

impl Agent {
    pub fn start(server: &Server, arguments: &[&str]) -> Self {
        let mut agent = Self::silent(server, arguments);
        let version = agent.greet("2025-06-18")["result"]["protocolVersion"].clone();
        assert_eq!(version, "2025-06-18");
        agent
    }

    fn silent(server: &Server, arguments: &[&str]) -> Self {
        let arguments = [&["mcp"], arguments].concat();
        let mut program = server.place.program(&arguments);
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, notices: Vec::new(), calls: 0 }
    }

    fn greet(&mut self, version: &str) -> Value {
        let client = json!({"name": "claude-code", "version": "2.1.330"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let reply = self.request("initialize", params);
        self.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        reply
    }

    fn line(&mut self, message: &Value) {
        self.raw(&format!("{message}\n"));
    }

    fn raw(&mut self, text: &str) {
        self.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Sends a request, and returns its id.
    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let id = self.calls;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.lines.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id {
                return message;
            }
            self.notices.push(message);
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool that waits; its progress is named by the id that this returns.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> u64 {
        let token = self.calls + 1;
        self.begin("tools/call", json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}}))
    }

    /// Calls a tool, and returns the texts that the model reads.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Vec<String> {
        let id = self.begin("tools/call", json!({"name": tool, "arguments": arguments}));
        texts(&self.answer(id))
    }

    /// Waits until the program says that a call waits for a person.
    fn until_progress(&mut self, token: u64) {
        let is_it = |message: &Value| message["params"]["progressToken"] == token;
        while !self.notices.iter().any(is_it) {
            let message = self.lines.recv_timeout(PATIENCE).unwrap();
            self.notices.push(message);
        }
    }

    /// Closes its standard input and waits for the program's end: its status, and what it said on standard error.
    fn leave(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        self.ended()
    }

    fn ended(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

/// The text blocks of a result; an error of the tool begins with `error: `.
fn texts(answer: &Value) -> Vec<String> {
    let result = &answer["result"];
    let mark = if result["isError"] == true { "error: " } else { "" };
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
    blocks.iter().map(|block| format!("{mark}{}", block["text"].as_str().unwrap())).collect()
}

/// The person who reads what agents post.
pub struct Person<'a> {
    server: &'a Server,
    cookie: String,
}

impl<'a> Person<'a> {
    pub fn of(server: &'a Server) -> Self {
        Self { server, cookie: server.cookie() }
    }

    pub fn get(&self, path: &str) -> Value {
        let reply = self.server.get(path, &[("Cookie", self.cookie.as_str())]);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    /// The newest session.
    pub fn session(&self) -> Value {
        self.get("/v1/sessions")["sessions"][0].clone()
    }

    pub fn messages(&self) -> Vec<Value> {
        let session = self.session();
        // It is made with the first message.
        let Some(id) = session["id"].as_str() else { return Vec::new() };
        self.get(&format!("/v1/sessions/{id}/messages"))["messages"].as_array().unwrap().clone()
    }

    /// Waits until the last message is as expected, and returns it.
    pub fn until(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(message) = self.messages().pop().filter(&is_it) {
                return message;
            }
        }
    }

    fn post(&self, path: &str, body: &Value) {
        let session = self.session()["id"].as_str().unwrap().to_owned();
        let reply = self.server.as_owner(&self.cookie, "POST", &format!("/v1/sessions/{session}/{path}"), body);
        assert!(reply.status < 300, "{path}: {}", reply.text());
    }

    pub fn says(&self, text: &str) {
        self.post("messages", &json!({ "content": text }));
    }

    /// Waits for an open approval and decides it. Returns it as it was shown.
    pub fn decides(&self, mut decision: Value) -> Value {
        let shown = loop {
            if let Some(message) = self.messages().into_iter().find(|message| state(message) == "open") {
                break message;
            }
        };
        decision["shown_sha256"] = shown["shown_sha256"].clone();
        self.post(&format!("messages/{}/decision", shown["id"].as_str().unwrap()), &decision);
        shown
    }
}

/// The state of an APPROVAL.
pub fn state(message: &Value) -> &str {
    message["metadata"]["payload"]["state"].as_str().unwrap_or_default()
}

#[test]
fn an_agent_tells_what_it_does() {
    let server = Server::start();
    let person = Person::of(&server);
    let mut agent = Agent::start(&server, &["--title", "Nightly build"]);
    assert_json_snapshot!("tools", agent.request("tools/list", json!({}))["result"]);
    assert_eq!(person.get("/v1/sessions")["sessions"], json!([]), "who only looks has no session");

    assert_eq!(agent.call("log", json!({"text": "All **412** tests pass."})), ["Logged as message 1 of the session"]);
    let chart =
        json!({"chart": "bar", "title": "Crashes", "x": ["Mon", "Tue"], "series": [{"name": "now", "points": [3, 0]}]});
    assert_eq!(agent.call("log", json!({"type": "CHART", "payload": chart})), ["Logged as message 2 of the session"]);
    let edits = json!([{"file_path": "src/main.rs", "old_content": "fn main() {}\n", "new_content": "fn main() {\n    run();\n}\n"}]);
    assert_eq!(agent.call("diff", json!({"edits": edits})), ["Shown as message 3 of the session"]);
    let todos = json!([{"id": "1", "content": "Build", "status": "completed"}, {"id": "2", "content": "Publish", "status": "pending"}]);
    assert_eq!(agent.call("todos", json!({"todos": todos})), ["Set as message 4 of the session"]);
    let half = json!({"id": "tests", "label": "Tests", "current": 206, "total": 412, "state": "running"});
    assert_eq!(agent.call("progress", half), ["Reported; to move it on, pass `id`: `tests`"]);
    person.says("Publish it on Monday");
    let whole = json!({"id": "tests", "label": "Tests", "current": 412, "total": 412, "state": "done"});
    assert_eq!(agent.call("progress", whole), ["Moved on; its `id` is `tests`"]);
    let told = agent.call("log", json!({"text": "Done"}));
    assert_eq!(told, ["Logged as message 7 of the session", "People wrote to you:\n- user: Publish it on Monday"]);

    let found = agent.call("search", json!({"q": "tests pass"}));
    let id = person.session()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        found,
        [format!(
            "1 message matches\n- assistant in \"Nightly build\" (session {id}, message 1): All **412** tests pass."
        )]
    );
    let kinds: Vec<Value> = person.messages().iter().map(|message| message["metadata"]["payload"].clone()).collect();
    assert_eq!(kinds[4]["state"], "done");
    assert_eq!(agent.leave(), (Some(0), String::new()));
    let session = person.session();
    assert_eq!(
        (&session["agent"], &session["title"], &session["state"]),
        (&json!("claude_code"), &json!("Nightly build"), &json!("done"))
    );
}

#[test]
fn a_session_is_joined_or_made_by_its_name() {
    let server = Server::start();
    let person = Person::of(&server);
    for (turn, text) in ["first", "second"].into_iter().enumerate() {
        let mut agent = Agent::start(&server, &["--session", "nightly", "--agent", "bot"]);
        assert_eq!(
            agent.call("log", json!({ "text": text })),
            [format!("Logged as message {} of the session", turn + 1)]
        );
        assert_eq!(agent.leave(), (Some(0), String::new()));
    }
    let session = person.session();
    assert_eq!((&session["agent_session_id"], &session["agent"]), (&json!("nightly"), &json!("bot")));
    let mut agent = Agent::start(&server, &["--session", session["id"].as_str().unwrap()]);
    assert_eq!(agent.call("log", json!({"text": "third"})), ["Logged as message 3 of the session"]);
}

#[test]
fn a_person_is_asked_and_waited_for() {
    let server = Server::start();
    let person = Person::of(&server);
    let mut agent = Agent::start(&server, &[]);
    let question = agent.ask("ask", json!({"question": "Which version?", "details": "1.4 has the fix."}));
    agent.until_progress(question);
    assert_eq!(
        person.until(|message| message["requires_user_input"] == true)["content"],
        "Which version?\n\n1.4 has the fix."
    );
    assert_eq!(person.session()["state"], "needs_you");
    // A call beside it isn't held up.
    assert_eq!(agent.call("log", json!({"text": "Meanwhile"})), ["Logged as message 2 of the session"]);
    person.says("1.4");
    assert_eq!(texts(&agent.answer(question)), ["1.4"]);

    let choice = agent.ask("ask", json!({"question": "Where to?", "options": ["Staging", "Live"]}));
    person.says("Before you do: is it green?");
    person.decides(json!({"selected": ["2"]}));
    assert_eq!(texts(&agent.answer(choice)), ["Live", "People wrote to you:\n- user: Before you do: is it green?"]);
    let several = agent.ask("ask", json!({"question": "Which ones?", "options": ["A", "B", "C"], "multiple": true}));
    person.decides(json!({"selected": ["1", "3"]}));
    assert_eq!(texts(&agent.answer(several)), ["A, C"]);
    let typed = agent.ask("ask", json!({"question": "When?", "options": ["Now"]}));
    person.decides(json!({"state": "answered", "text": "On Monday"}));
    assert_eq!(texts(&agent.answer(typed)), ["On Monday"]);
}

/// The tool that Claude Code calls by `--permission-prompt-tool`, and the answer that it reads.
#[test]
fn a_permission_has_the_shape_that_claude_code_reads() {
    let server = Server::start();
    let person = Person::of(&server);
    let mut agent = Agent::start(&server, &["--timeout", "600"]);
    let mut decided = |tool: &str, input: Value, decision: Value| {
        let call = agent.ask("approve", json!({"tool_name": tool, "input": input, "tool_use_id": "toolu_1"}));
        let shown = person.decides(decision);
        let answer = texts(&agent.answer(call));
        assert_eq!(answer.len(), 1, "Claude Code takes one block: {answer:?}");
        (shown["content"].as_str().unwrap().to_owned(), serde_json::from_str::<Value>(&answer[0]).unwrap())
    };
    let command = json!({"command": "rm -r target\nls", "description": "Clean up"});
    let (shown, answer) = decided("Bash", command.clone(), json!({"selected": ["allow_once"]}));
    assert_snapshot!("a_command", shown);
    assert_eq!(answer, json!({"behavior": "allow", "updatedInput": command}));
    let edit =
        json!({"file_path": "/w/a.rs", "old_string": "one\ntwo\n", "new_string": "one\n2\n", "replace_all": true});
    let (shown, answer) = decided("Edit", edit, json!({"selected": ["reject_once"], "text": "Keep the word"}));
    assert_snapshot!("an_edit", shown);
    assert_eq!(answer, json!({"behavior": "deny", "message": "Keep the word"}));
    let (_, answer) = decided("Write", json!({"file_path": "/w/b", "content": "x"}), json!({"state": "denied"}));
    assert_eq!(answer, json!({"behavior": "deny", "message": "A person denied it in Verbatim"}));
    let (shown, answer) =
        decided("ExitPlanMode", json!({"plan": "1. Measure\n2. Cut"}), json!({"selected": ["accept"]}));
    assert_snapshot!("a_plan", shown);
    assert_eq!(answer, json!({"behavior": "allow", "updatedInput": {"plan": "1. Measure\n2. Cut"}}));

    let options = json!([{"label": "Red", "description": "Warm"}, {"label": "Blue"}]);
    let colour = json!({"question": "Which colour?", "header": "Colour", "options": options, "multiSelect": false});
    let name = json!({"question": "Which names?", "header": "Names", "options": [{"label": "Ada"}, {"label": "Ben"}], "multiSelect": true});
    let mut input = json!({"questions": [colour, name]});
    let (shown, answer) = decided("AskUserQuestion", input.clone(), json!({"selected": ["0.1", "1.0", "1.1"]}));
    assert_snapshot!("questions", shown);
    input["answers"] = json!({"Which colour?": "Blue", "Which names?": "Ada, Ben"});
    assert_eq!(answer, json!({"behavior": "allow", "updatedInput": input}));
}

/// Whatever goes wrong is a denial.
#[test]
fn nothing_is_allowed_but_by_a_person() {
    let server = Server::start();
    let person = Person::of(&server);
    let mut agent = Agent::start(&server, &["--timeout", "1"]);
    let answer = |texts: Vec<String>| serde_json::from_str::<Value>(&texts[0]).unwrap();
    let late = answer(agent.call("approve", json!({"tool_name": "Bash", "input": {"command": "ls"}})));
    assert_eq!(
        late,
        json!({"behavior": "deny", "message": "Nobody answered within 1 seconds: the request was withdrawn"})
    );
    assert_eq!(state(&person.until(|message| state(message) != "open")), "cancelled");
    let wrong = answer(agent.call("approve", json!({"tool_name": "Bash", "input": "ls"})));
    assert_eq!(
        wrong,
        json!({"behavior": "deny", "message": "`input`: invalid type: string \"ls\", expected an object"})
    );
    let late = agent.call("ask", json!({"question": "Anybody?"}));
    assert_eq!(late, ["error: Nobody answered within 1 seconds: the request was withdrawn"]);
    assert_eq!(person.until(|message| message["status"] != "final")["status"], "retracted");
    assert_eq!(agent.leave().0, Some(0));

    // An agent's report isn't a person's decision.
    let key = server.agent_key();
    let mut agent = Agent::start(&server, &["--server", &server.origin(), "--key", &key]);
    let call = agent.ask("approve", json!({"tool_name": "Bash", "input": {"command": "ls"}}));
    let shown = person.until(|message| state(message) == "open");
    let mut metadata = shown["metadata"].clone();
    metadata["payload"]["state"] = json!("decided_elsewhere");
    metadata["payload"]["decision"] = json!({"state": "allowed_once"});
    let path =
        format!("/v1/sessions/{}/messages/{}", person.session()["id"].as_str().unwrap(), shown["id"].as_str().unwrap());
    let bearer = format!("Bearer {key}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let reported = server.send("PATCH", &path, &headers, &json!({"message_metadata": metadata}).to_string());
    assert_eq!(reported.status, 200, "{}", reported.text());
    let reported = answer(texts(&agent.answer(call)));
    assert_eq!(reported, json!({"behavior": "deny", "message": "Nobody allowed it: decided elsewhere"}));
}

#[test]
fn nobody_is_asked_for_a_client_that_left() {
    let server = Server::start();
    let person = Person::of(&server);
    let mut agent = Agent::start(&server, &[]);
    let question = agent.ask("ask", json!({"question": "Cancelled?"}));
    agent.until_progress(question);
    agent.line(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": question, "reason": "no more"}}));
    assert_eq!(person.until(|message| message["status"] == "retracted")["seq"], 1);
    assert_eq!(agent.call("log", json!({"text": "It goes on"})), ["Logged as message 2 of the session"]);

    let permission = agent.ask("approve", json!({"tool_name": "Bash", "input": {"command": "ls"}}));
    agent.until_progress(permission);
    assert_eq!(agent.leave(), (Some(0), String::new()));
    assert_eq!(state(&person.messages()[2]), "cancelled");
    assert_eq!(person.session()["state"], "done");

    let mut agent = Agent::start(&server, &[]);
    let choice = agent.ask("ask", json!({"question": "Killed?", "options": ["Yes"]}));
    agent.until_progress(choice);
    let pid = agent.child.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    assert_eq!(agent.ended(), (Some(0), String::new()));
    assert_eq!(state(&person.messages()[0]), "cancelled");
}

/// The server starts again while an agent waits: its question stands, and is answered.
#[test]
fn a_question_outlives_the_server() {
    let mut server = Server::start();
    let key = server.agent_key();
    let key_file = server.place.write("key", format!("{key}\n"));
    let origin = server.origin();
    let mut agent = Agent::start(&server, &["--server", &origin, "--key-file", key_file.to_str().unwrap()]);
    let question = agent.ask("ask", json!({"question": "Still there?"}));
    agent.until_progress(question);
    server.kill();
    let server = server.again();
    Person::of(&server).says("Yes");
    assert_eq!(texts(&agent.answer(question)), ["Yes"]);
}

#[test]
fn odd_clients_get_plain_answers() {
    let server = Server::start();
    let mut agent = Agent::silent(&server, &[]);
    assert_eq!(agent.greet("2099-01-01")["result"]["protocolVersion"], "2025-11-25", "the newest that both know");
    agent.raw("{\"jsonrpc\": \"2.0\", \"id\": 7, \"met\nnot JSON at all\n\n");
    let unknown = agent.request("tools/call", json!({"name": "publish", "arguments": {}}));
    let words = "There is no tool `publish`: use one of `log`, `ask`, `diff`, `todos`, `progress`, `approve`, `search`, `recall`";
    assert_eq!(unknown["error"], json!({"code": -32602, "message": words}));
    assert_eq!(agent.request("tools/fold", json!({}))["error"]["code"], -32601);
    let refused = [
        ("log", json!({})),
        ("log", json!({"txt": "x"})),
        ("log", json!({"type": "CHART"})),
        ("log", json!({"payload": {}})),
        ("log", json!({"type": "APPROVAL", "payload": {}})),
        ("ask", json!({"question": " "})),
        ("ask", json!({"question": "Which?", "options": "Yes"})),
        ("diff", json!({"edits": []})),
        ("diff", json!({"edits": [{"path": "a"}]})),
        ("todos", json!({"todos": [{"id": "1", "content": "Build", "status": "done"}]})),
        ("progress", json!({"label": "Tests"})),
        ("progress", json!({"id": 7, "label": "Tests", "state": "running"})),
        ("search", json!({"q": ""})),
        ("search", json!({"q": "x", "role": ["nobody"]})),
    ];
    let told: Vec<String> = refused
        .map(|(tool, arguments)| format!("{tool} {arguments}\n{}", agent.call(tool, arguments.clone()).join("\n")))
        .into();
    assert_snapshot!(told.join("\n\n"));

    let long = "long ".repeat(1 << 20);
    assert_eq!(agent.call("log", json!({ "text": long })), ["Logged as message 1 of the session"]);
    let too_long = agent.call("log", json!({"text": "x".repeat(17 << 20)}));
    assert!(too_long[0].starts_with("error: "), "{too_long:?}");
    assert_eq!(agent.call("log", json!({"text": "short"})), ["Logged as message 2 of the session"]);
    assert_eq!(agent.leave(), (Some(0), String::new()));
}

#[test]
fn a_key_sees_what_it_may() {
    let server = Server::start();
    let origin = server.origin();
    let mut agent = Agent::start(&server, &["--server", &origin, "--key", &server.agent_key()]);
    let refused = agent.call("search", json!({"q": "anything"}));
    assert!(refused[0].contains("read_all"), "{refused:?}");
}

#[test]
fn without_a_server_or_a_key_it_says_so() {
    let mut server = Server::start();
    let (origin, place) = (server.origin(), &server.place);
    let seen = [
        place.seen(&["mcp", "--server", &origin, "--key", "vbt_none"]),
        place.seen(&["mcp", "--server", &origin, "--key-file", "none"]),
        place.seen(&["mcp", "--server", "http://127.0.0.1:1"]),
    ];
    let seen = seen.concat().replace(&origin, "[origin]");
    server.kill();
    assert_snapshot!(format!("{seen}{}", server.place.seen(&["mcp"])));
}
