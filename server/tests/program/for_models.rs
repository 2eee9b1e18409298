//! Messages of the host reach no model: no endpoint, tool, export or older route gives them to an agent, whatever its
//! scopes. The tables of endpoints, routes and tools are gone through, so that a new one fails here until it is
//! covered.

use crate::mcp::{Agent, Person};
use crate::mcp_http::Client;
use crate::support::{Place, Reply, Server};
use api::Access;
use api::contract::{ENDPOINTS, ROUTES};
use api::keys::Scope;
use model::run_prompt::{NoticePlacement, RunFormat};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use store::chat_host::ChatHostWriter;

/// Stands in everything that the host says, and nowhere else.
const MARK: &str = "HOSTMARK";
/// Stands in what is searched: in what the host says, and in what the agent says.
const WORD: &str = "lantern";

/// The session of a key, under an id that the older API takes.
const OWN: &str = "faaa0240-7460-4045-9021-81c5c1cc172f";

/// Returns messages of the host, of each type and with each sender's word.
fn planted() -> Vec<Value> {
    let text = format!("{MARK} {WORD}");
    let typed = |kind: &str, payload: Value| json!({"message_type": kind, "payload": payload, "note": text});
    let error = json!({"error_type": text, "message": text, "frames": []});
    let option = json!({"id": "yes", "label": text});
    let approval = json!({"kind": "question", "title": text, "state": "open", "questions": [{"question": text, "options": [option]}]});
    let todos = json!({"todos": [{"id": "1", "content": text, "status": "pending"}]});
    let call = json!({"tool_name": text, "input": {"command": text}, "output": text});
    let edits = json!({"edits": [{"file_path": text, "old_content": text, "new_content": "new"}]});
    let file = json!({"files": [{"name": text, "mime": "text/plain", "size": 1, "state": "processing"}]});
    let progress = json!({"label": text, "state": "running"});
    let types = [
        ("ERROR", error),
        ("APPROVAL", approval),
        ("TODO", todos),
        ("TOOL_CALL", call),
        ("CODE_EDIT", edits),
        ("FILE", file),
        ("PROGRESS", progress),
        ("LANTERN", json!({"text": text})),
    ];
    let plain = ["host", "result_meta", "security"].map(|sender| (sender, Value::Null));
    let typed = types.map(|(kind, payload)| ("host", typed(kind, payload)));
    let all = plain.into_iter().chain(typed).enumerate();
    all.map(|(number, (sender, metadata))| {
        json!({"id": format!("planted-{number}"), "content": text, "sender": sender, "sender_name": text,
            "message_metadata": metadata})
    })
    .collect()
}

/// An archive in which the host says what the agent said.
fn said_by_the_host(archive: &str) -> String {
    let mut lines = String::new();
    for line in archive.lines() {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if value.get("end").is_some() {
            let sha256 = hub::hex(&Sha256::digest(&lines));
            value["end"]["sha256"] = json!(sha256);
        }
        if let Some(session) = value.get_mut("session") {
            session["first_prompt"] = Value::Null;
        }
        let draft = value.get_mut("message").and_then(|message| message.get_mut("draft"));
        if let Some(draft) = draft.filter(|draft| draft["id"].as_str().is_some_and(|id| id.starts_with("planted"))) {
            draft["role"] = json!("host");
            draft["context"] = json!("none");
            draft["provenance"] = json!("ourselves");
        }
        lines += &format!("{value}\n");
    }
    lines
}

/// A chat of the older chat host: its rows are read from a file.
fn write_chat(path: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut writer = ChatHostWriter::create(path).await.unwrap();
        let rows = [("u1", "user", "ada@example.com", WORD), ("h1", "host", "host", MARK)];
        let rows = rows.into_iter().chain([("h2", "assistant", "result_meta", MARK), ("h3", "nova", "nova", MARK)]);
        for (at, (id, kind, sender, text)) in rows.enumerate() {
            let row = json!({"id": id, "sender": sender, "sender_name": text, "content": format!("{text} {WORD}"),
                "timestamp": format!("2026-01-01T00:00:0{at}+00:00"), "is_from_me": 0, "message_type": kind,
                "metadata": json!({"note": text}).to_string()});
            let row: &Map<String, Value> = row.as_object().unwrap();
            writer.add("chat@g.example", row).await.unwrap();
        }
        writer.finish().await.unwrap();
    });
}

/// A server with a session from an archive and one from a database, both with messages of the host.
fn server() -> Server {
    let first = Server::start();
    let key = key(&first, "writer", &[Scope::Post, Scope::Read]);
    let made = first.ask(
        &key,
        "POST",
        "/v1/sessions",
        &json!({"agent": "bot", "agent_session_id": "typed", "title": "lantern"}),
    );
    assert_eq!(made.status, 201, "{}", made.text());
    for message in planted() {
        let posted = first.ask(&key, "POST", "/v1/sessions/typed/messages", &message);
        assert_eq!(posted.status, 201, "{}", posted.text());
    }
    let archive = first.place.out(&["export", "typed", "--format", "jsonl"]);
    let place = Place::new();
    let archive = place.write("typed.jsonl", said_by_the_host(&archive));
    let chat = place.path("messages.db");
    write_chat(&chat);
    place.out(&["import", archive.to_str().unwrap(), chat.to_str().unwrap()]);
    Server::start_in(place, &[])
}

fn key(server: &Server, name: &str, scopes: &[Scope]) -> String {
    let made = server.with_key("POST", "/v1/keys", &json!({"name": name, "scopes": scopes}).to_string());
    made.json()["key"].as_str().unwrap_or_else(|| panic!("{}", made.text())).to_owned()
}

impl Server {
    fn ask(&self, key: &str, method: &str, path: &str, body: &Value) -> Reply {
        self.ask_as(&[("Authorization", &format!("Bearer {key}"))], method, path, body)
    }

    fn ask_as(&self, headers: &[(&str, &str)], method: &str, path: &str, body: &Value) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [headers, &[("Content-Type", "application/json")]].concat();
        self.send(method, path, &headers, &body)
    }
}

/// A reader, and what it was given so far.
struct Reader<'a> {
    server: &'a Server,
    name: String,
    headers: Vec<(&'a str, String)>,
    /// How often it was answered with a success.
    successes: usize,
}

impl Reader<'_> {
    /// Asks, and looks through the answer.
    fn ask(&mut self, method: &str, path: &str, body: &Value) -> Reply {
        let headers: Vec<(&str, &str)> = self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = self.server.ask_as(&headers, method, path, body);
        let text = reply.text();
        assert!(!text.contains(MARK), "{} is given what the host says by {method} {path}: {text}", self.name);
        assert!(reply.status < 500, "{method} {path}: {text}");
        self.successes += usize::from(reply.status < 300);
        reply
    }

    /// Everything that an endpoint may be asked about a session.
    fn ask_endpoint(&mut self, name: &str, (method, path): (&str, &str), session: &str, last: i64) {
        let (queries, bodies) = requests(name);
        let path = path.replace("{session}", session).replace("{type}", "LANTERN").replace("{agent}", "claude_code");
        let path = path.replace("{wait}", "1").replace("{run}", "none");
        let paths: Vec<String> = match path.split_once("{message}") {
            Some((before, after)) => (1..=last).map(|seq| format!("{before}{seq}{after}")).collect(),
            None => vec![path],
        };
        for path in paths {
            for query in &queries {
                for body in &bodies {
                    let query = query.replace("{session}", session);
                    let separator = if query.is_empty() { "" } else { "?" };
                    self.ask(method, &format!("{path}{separator}{query}"), body);
                }
            }
        }
    }

    fn sweep(&mut self, session: &str, last: i64) {
        let for_agents = || ENDPOINTS.iter().filter(|it| it.access.contains(&Access::Agent));
        // Reading endpoints come first: a writing one may end the session.
        for reads in [true, false] {
            for endpoint in for_agents().filter(|it| (it.method == api::Method::Get) == reads) {
                self.ask_endpoint(endpoint.name, (endpoint.method.as_str(), endpoint.path), session, last);
            }
        }
        for (name, path) in ROUTES {
            self.ask_route(name, &path.replace("{session}", session));
        }
    }

    fn ask_route(&mut self, name: &str, path: &str) {
        let queries: Vec<String> = match name {
            "Events" => vec!["?until=now".to_owned()],
            "ExportSession" => {
                // The refusal of another format names all of them.
                let refusal = self.ask("GET", path, &Value::Null).text();
                let named = refusal.split('`').skip(1).step_by(2).filter(|word| !word.contains("format"));
                let formats: Vec<String> = named.map(str::to_owned).collect();
                let all = |format: &String| {
                    ["", "&dev=1&view=verbose", "&role=host", "&redact=1"].map(|more| format!("?format={format}{more}"))
                };
                formats.iter().flat_map(all).collect()
            }
            "ExportAudit" | "UploadBlob" | "GetBlob" | "ChannelIncoming" | "LogInRoute" | "LogInByPasskey"
            | "LogOut" | "OpenApi" => {
                vec![String::new()]
            }
            other => panic!("the route `{other}` isn't covered: say how an agent asks it"),
        };
        for query in queries {
            self.ask("GET", &format!("{path}{query}"), &Value::Null);
        }
    }
}

/// The queries and bodies with which an endpoint is asked.
fn requests(endpoint: &str) -> (Vec<String>, Vec<Value>) {
    let queries = |all: &[&str]| (all.iter().map(|query| (*query).to_owned()).collect(), vec![Value::Null]);
    let bodies = |all: Vec<Value>| (vec![String::new()], all);
    match endpoint {
        "me"
        | "get_session"
        | "get_message"
        | "get_todos"
        | "list_requests"
        | "list_tools"
        | "get_waterfall"
        | "list_session_events"
        | "list_runs"
        | "list_types"
        | "get_type"
        | "stats" => queries(&[""]),
        "list_sessions" => queries(&["", "said=1", "q=a", "show=needs_you"]),
        "list_asks" => queries(&["", "each=1"]),
        "list_messages" => queries(&[
            "",
            "dev=1",
            "role=host",
            "type=ERROR",
            "type=APPROVAL",
            "since=2020-01-01",
            "from=1&to=100&dev=1",
        ]),
        "preview_redaction" => queries(&["", "mask=[A-Z]%7B6%7D&children=1"]),
        "get_context" => queries(&["", "at=1", "at=4", "at=11", "contents=0"]),
        "search" => queries(&[
            "q=lantern",
            "q=lantern&role=host",
            "q=lantern&type=ERROR",
            "q=lantern&session={session}",
            "q=planted",
        ]),
        "recall" => queries(&["", "q=lantern"]),
        "list_files" => queries(&["", "path=lantern"]),
        "create_session" => bodies(vec![json!({"agent": "bot", "agent_session_id": "other"})]),
        "edit_session" => bodies(vec![json!({"title": "Night"})]),
        "end_session" | "end_run" => bodies(vec![json!({})]),
        "heartbeat" | "retract_message" => bodies(vec![Value::Null]),
        "post_message" => bodies(vec![json!({"content": "said", "reply_to": "planted-0"})]),
        "post_messages" => {
            bodies(vec![json!({"messages": [{"content": "said"}, {"id": "planted-0", "content": "taken"}]})])
        }
        "update_message" => bodies(vec![json!({"content": "said", "if_match": 7}), json!({"append": "more"})]),
        "take_pending" => bodies(vec![json!({"after": 0}), json!({})]),
        "begin_run" => {
            let of = |format: RunFormat, place: NoticePlacement| json!({"format": format, "notices": place, "history_after": 0});
            let pairs = RunFormat::ALL
                .iter()
                .flat_map(|format| NoticePlacement::ALL.iter().map(move |place| (*format, *place)));
            bodies(pairs.map(|(format, place)| of(format, place)).collect())
        }
        "report_hook" => bodies(vec![json!({"session_id": "typed", "hook_event_name": "Stop"})]),
        "wait_for_words" => {
            bodies(vec![json!({"session_id": "typed", "hook_event_name": "Stop", "hook": "h1", "is_new": true})])
        }
        "report_machine" => bodies(vec![json!({"platform": "linux", "version": "1"})]),
        "compare_files" => bodies(vec![json!({"copies": "c1", "files": []})]),
        "append_files" => bodies(vec![json!({"copies": "c1", "pieces": []})]),
        "declare_type" => bodies(vec![json!({"title": "Lantern", "view": []})]),
        other => panic!("the endpoint `{other}` isn't covered: say how an agent asks it"),
    }
}

/// Our ids of the sessions, and how many messages each has.
fn sessions(server: &Server) -> Vec<(String, i64)> {
    let names = ["typed", "chat@g.example", OWN, "usual-session", "operations"];
    let session = |name: &str| {
        let session = server.with_key("GET", &format!("/v1/sessions/{name}"), "").json()["session"].clone();
        let id = session["id"].as_str().unwrap_or_else(|| panic!("no session `{name}`"));
        (id.to_owned(), session["last_seq"].as_i64().unwrap())
    };
    names.map(session).to_vec()
}

/// A session of a key, with what people and the host say beside it.
fn own_session(server: &Server, key: &str, id: &str) {
    let new = json!({"id": id, "agent": "bot"});
    assert_eq!(server.ask(key, "POST", "/v1/sessions", &new).status, 201);
    let messages = format!("/v1/sessions/{id}/messages");
    let first = server.ask(key, "POST", &messages, &json!({"content": format!("The agent's {WORD}")}));
    assert_eq!(first.status, 201, "{}", first.text());
    let host = json!({"session": id, "id": format!("host-{id}"), "content": format!("{MARK} {WORD} **down**")});
    assert_eq!(server.with_key("POST", "/v1/host-messages", &host.to_string()).status, 201);
    let asked = json!({"content": format!("Is the {WORD} lit?"), "reply_to": format!("host-{id}")});
    let person = server.cookie();
    assert_eq!(server.as_owner(&person, "POST", &messages, &asked).status, 201);
    let deploy = json!({"session": id, "content": format!("{MARK} {WORD} again")});
    assert_eq!(server.with_key("POST", "/v1/host-messages", &deploy.to_string()).status, 201);
}

#[test]
fn no_answer_to_an_agent_has_what_the_host_says() {
    let server = server();
    let all = key(&server, "all", Scope::ALL);
    let usual = key(&server, "usual", &[Scope::Post, Scope::Read, Scope::Mirror]);
    own_session(&server, &all, OWN);
    own_session(&server, &usual, "usual-session");
    let everywhere = json!({"content": format!("{MARK} {WORD}")});
    assert_eq!(server.with_key("POST", "/v1/host-messages", &everywhere.to_string()).status, 201);
    let sessions = sessions(&server);

    // A person is told all of it, everywhere.
    for (session, _) in &sessions {
        let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?dev=1"), "").text();
        assert!(page.contains(MARK), "{session}: {page}");
        // But what is written for a model has none of it, whoever asks.
        for format in ["anthropic", "openai", "gemini"] {
            let file = server.with_key("GET", &format!("/v1/sessions/{session}/export?format={format}"), "").text();
            assert!(!file.contains(MARK), "{session} as {format}: {file}");
        }
    }
    let found = server.with_key("GET", "/v1/search?q=lantern&role=host", "").json();
    assert!(found["total"].as_i64().unwrap() > 10, "{found}");

    let bearer = |key: &str| vec![("Authorization", format!("Bearer {key}"))];
    let mut readers = vec![("all".to_owned(), bearer(&all), 200), ("usual".to_owned(), bearer(&usual), 40)];
    for scope in Scope::ALL {
        readers.push((scope.as_str().to_owned(), bearer(&key(&server, scope.as_str(), &[*scope])), 1));
    }
    // This machine's own credential, in the hands of a program whose output a model reads.
    let mut local = bearer(&server.key());
    local.push(("X-Verbatim-Reader", "model".to_owned()));
    readers.push(("this machine, for a model".to_owned(), local, 200));
    for (name, headers, least) in readers {
        let mut reader = Reader { server: &server, name, headers, successes: 0 };
        for (session, last) in &sessions {
            reader.sweep(session, *last);
        }
        assert!(reader.successes >= least, "{}: {} of its requests succeeded", reader.name, reader.successes);
    }
}

/// The older API's routes, as its source lists them.
#[test]
fn no_answer_of_the_older_api_has_what_the_host_says() {
    let server = server();
    let key = key(&server, "older", &[Scope::Post, Scope::Read, Scope::Mirror]);
    own_session(&server, &key, OWN);
    let headers = vec![("Authorization", format!("Bearer {key}"))];
    let mut reader = Reader { server: &server, name: "the older API".to_owned(), headers, successes: 0 };
    let source = include_str!("../../src/http/compat.rs");
    let routes = source.split(".route(\"/api/v1/").skip(1).map(|rest| rest.split('"').next().unwrap());
    let routes: Vec<&str> = routes.filter(|route| *route != "{*rest}").collect();
    assert!(routes.len() > 8, "{routes:?}");
    // Routes that end the instance come last.
    let (ends, others): (Vec<&str>, Vec<&str>) =
        routes.into_iter().partition(|route| route.ends_with("end") || route.ends_with("status"));
    for route in others.into_iter().chain(ends) {
        let (method, query, body) = match route {
            "messages/agent" => ("POST", "", json!({"agent_instance_id": OWN, "content": "said"})),
            "messages/user" => ("POST", "", json!({"agent_instance_id": OWN, "content": "typed"})),
            "messages/pending" => ("GET", "?agent_instance_id=faaa0240-7460-4045-9021-81c5c1cc172f", Value::Null),
            "messages/{message}/request-input" => ("PATCH", "", Value::Null),
            "sessions/end" => ("POST", "", json!({"agent_instance_id": OWN})),
            "agent-instances" => ("POST", "", json!({"agent_instance_id": OWN, "agent_type": "bot"})),
            "agent-instances/{instance}" => ("GET", "?message_limit=50", Value::Null),
            "agent-instances/{instance}/messages" => ("GET", "?limit=50", Value::Null),
            "agent-instances/{instance}/status" => ("PUT", "", json!({"status": "COMPLETED"})),
            "agents/instances/{instance}/heartbeat" => ("POST", "", Value::Null),
            "auth/verify" => ("GET", "", Value::Null),
            other => panic!("the route `{other}` isn't covered: say how an agent asks it"),
        };
        let path = route.replace("{instance}", OWN).replace("{message}", &format!("host-{OWN}"));
        let reply = reader.ask(method, &format!("/api/v1/{path}{query}"), &body);
        if route == "agent-instances/{instance}" {
            let shown = reply.json();
            let senders: Vec<&Value> =
                shown["messages"].as_array().unwrap().iter().map(|it| &it["sender_type"]).collect();
            // The host's rows aren't the agent's words, nor the latest ones.
            assert_eq!(senders, ["AGENT", "USER", "AGENT", "USER"], "{shown}");
            assert_eq!(shown["latest_message"], "typed");
        }
    }
    assert!(reader.successes >= 8, "{}", reader.successes);
}

/// How a model calls a tool. Those that wait are answered by a person.
fn arguments(tool: &str) -> Value {
    match tool {
        "log" => json!({"text": "said"}),
        "ask" => json!({"question": "Which?", "options": ["This"]}),
        "diff" => json!({"edits": [{"file_path": "a.rs", "old_content": "a", "new_content": "b"}]}),
        "todos" => json!({"todos": [{"id": "1", "content": "Light it", "status": "pending"}]}),
        "progress" => json!({"label": "Lighting", "state": "running"}),
        "approve" => json!({"tool_name": "Bash", "input": {"command": "ls"}}),
        "search" | "recall" => json!({"q": WORD}),
        other => panic!("the tool `{other}` isn't covered: say how a model calls it"),
    }
}

fn decision(tool: &str) -> Option<Value> {
    match tool {
        "ask" => Some(json!({"selected": ["1"]})),
        "approve" => Some(json!({"selected": ["allow_once"]})),
        _ => None,
    }
}

#[test]
fn no_result_of_a_tool_has_what_the_host_says() {
    let server = server();
    let all = key(&server, "all", Scope::ALL);
    own_session(&server, &all, OWN);
    let person = Person::of(&server);
    let look = |tool: &str, result: &str| {
        assert!(!result.contains(MARK), "`{tool}` gives a model what the host says: {result}");
        if tool == "search" {
            assert!(result.contains("The agent's lantern") && !result.contains("host"), "{result}");
        }
    };

    let client = Client::with_key(&server, &all);
    let list = client.request(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let tools: Vec<&str> =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for tool in &tools {
        let result = client.call_and(tool, arguments(tool), || {
            if let Some(decision) = decision(tool) {
                drop(person.decides(decision));
            }
        });
        look(tool, &result.to_string());
    }
    let hosts = client.call("search", json!({"q": WORD, "role": ["host"]}));
    assert_eq!(hosts, "0 messages match");

    // With this machine's credential, as `verbatim mcp` has it.
    let mut agent = Agent::start(&server, &[]);
    for tool in &tools {
        let token = agent.ask(tool, arguments(tool));
        if let Some(decision) = decision(tool) {
            drop(person.decides(decision));
        }
        look(tool, &agent.answer(token).to_string());
    }
    assert_eq!(agent.call("search", json!({"q": WORD, "role": ["host"]}))[0], "0 messages match");
}

/// An agent's key is told that a message is there, in its place, and nothing of what it says.
#[test]
fn a_key_is_told_that_the_host_spoke() {
    let server = Server::start();
    let key = key(&server, "usual", &[Scope::Post, Scope::Read]);
    own_session(&server, &key, OWN);
    let page = server.ask(&key, "GET", &format!("/v1/sessions/{OWN}/messages"), &Value::Null).json();
    let of = |name: &str| page["messages"].as_array().unwrap().iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("seq"), [1, 2, 3, 4]);
    assert_eq!(of("role"), ["assistant", "host", "user", "host"]);
    assert_eq!(of("withheld"), [json!(null), json!(true), json!(null), json!(true)]);
    let mut withheld = page["messages"][1].clone();
    for time in ["created_at", "received_at"] {
        assert!(withheld[time].is_string() || withheld[time].is_number(), "{withheld}");
        withheld.as_object_mut().unwrap().remove(time);
    }
    insta::assert_json_snapshot!("withheld", withheld);
    // A person can't change that by a header of another word.
    let headers = [("Authorization", format!("Bearer {}", server.key())), ("X-Verbatim-Reader", "person".to_owned())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(server.ask_as(&headers, "GET", "/v1/me", &Value::Null).status, 400);
}
