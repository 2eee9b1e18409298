//! `verbatim forward`: a laptop's agents in the server on another machine.

use crate::support::{PATIENCE, Place, Server, fixture, fresh_postgres, said, wait_until};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Output, Stdio};

/// Fixtures of agents, and where each agent keeps such files in a home.
const FIXTURES: [(&str, &str); 18] = [
    ("transcripts/claude", ".claude/projects/-home-ada-mill"),
    ("transcripts/counted/agents/projects", ".claude/projects"),
    ("transcripts/codex", ".codex/sessions/2026/01/10"),
    ("packed", ".codex/archived_sessions"),
    ("transcripts/gemini", ".gemini/tmp/garden"),
    ("transcripts/qwen", ".qwen/projects/-home-ada-garden/chats"),
    ("transcripts/opencode/storage", ".local/share/opencode/storage"),
    ("transcripts/copilot", ".copilot/session-state"),
    ("transcripts/droid", ".factory/sessions/-home-ada-garden"),
    ("transcripts/pi", ".pi/agent/sessions/--home-ada-garden--"),
    ("transcripts/kimi", ".kimi-code/sessions"),
    ("transcripts/cursor", ".cursor/projects/home-ada-garden"),
    ("transcripts/hermes", ".hermes/sessions"),
    ("transcripts/kiro", ".kiro/sessions"),
    ("transcripts/grok", ".grok/sessions"),
    ("transcripts/goose", ".local/share/goose/sessions"),
    ("transcripts/roo", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline"),
    ("transcripts/cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev"),
];
/// Databases of agents.
const DATABASES: [(&str, &str); 4] = [
    ("databases/opencode.db", "home/.local/share/opencode/opencode.db"),
    ("databases/goose.db", "home/.local/share/goose/sessions/sessions.db"),
    ("databases/cursor_chat.db", "home/.cursor/chats/0d26/5e55a0de-0000-4000-8000-0000000000c7/store.db"),
    ("databases/crush.db", "garden/.crush/crush.db"),
];

/// A machine with agents, and the key by which it sends to a server.
struct Laptop {
    place: Place,
    key: PathBuf,
    url: String,
}

impl Laptop {
    /// Adds it to a server.
    fn of(server: &Server, name: &str) -> Self {
        let place = Place::new();
        let key = place.path("machine.key");
        server.place.out(&["machine", "add", name, "--key-file", key.to_str().unwrap()]);
        Self { place, key, url: server.origin() }
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["forward", "--to", &self.url, "--key", self.key.to_str().unwrap()], more].concat()
    }

    fn run(&self, more: &[&str]) -> Output {
        self.place.run(&self.arguments(more))
    }

    /// Sends everything, and returns what it says.
    fn once(&self, more: &[&str]) -> String {
        self.place.out(&self.arguments(&[&["--once"], more].concat()))
    }

    fn refused(&self) -> String {
        let output = self.run(&["--once"]);
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        self.place.mask(&String::from_utf8_lossy(&output.stderr)).replace(&self.url, "[url]")
    }

    fn follow(&self) -> Following {
        let mut child = self.place.program(&self.arguments(&[])).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let mut following = Following { child, lines };
        assert!(following.line().contains("Connected to "));
        following
    }

    /// A transcript of Claude Code.
    fn transcript(&self, session: &str) -> PathBuf {
        self.place.path(&format!("home/.claude/projects/-home-ada-mill/{session}.jsonl"))
    }

    fn write(&self, session: &str, text: &str) {
        self.place.write(&format!("home/.claude/projects/-home-ada-mill/{session}.jsonl"), text);
    }

    fn append(&self, session: &str, text: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.transcript(session)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

/// A running `verbatim forward`.
struct Following {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Following {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    /// How it ends by itself, with what it says.
    fn ended(mut self) -> (bool, String) {
        let status = self.child.wait().unwrap();
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (status.success(), rest)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn files(below: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(below) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    all.sort();
    all
}

fn sessions(server: &Server, query: &str) -> Vec<Value> {
    let list = server.with_key("GET", &format!("/v1/sessions?{query}"), "").json();
    list["sessions"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
}

fn detail(server: &Server, session: &str) -> Value {
    server.with_key("GET", &format!("/v1/sessions/{session}"), "").json()
}

/// What people said in a session.
fn texts(server: &Server, session: &str) -> Vec<String> {
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages"), "").json();
    let Some(entries) = page["messages"].as_array() else { return Vec::new() };
    entries
        .iter()
        .filter(|entry| entry["role"] == "user" && entry["status"] != "retracted")
        .map(|entry| entry["content"].as_str().unwrap().to_owned())
        .collect()
}

/// The bytes of the only file of a session, as the server exports them.
fn original(server: &Server, session: &str) -> Vec<u8> {
    server.with_key("GET", &format!("/v1/sessions/{session}/export?format=original"), "").body
}

fn servers(name: &str) -> Vec<Server> {
    let with = |url: String| Server::start_in(Place::new(), &["--database", &url]);
    std::iter::once(Server::start()).chain(fresh_postgres(name).map(with)).collect()
}

#[test]
fn all_that_agents_keep_arrives_byte_for_byte() {
    let server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    for (fixtures, home) in FIXTURES {
        for file in files(&fixture(fixtures)) {
            let name = file.strip_prefix(fixture(fixtures)).unwrap().to_str().unwrap();
            laptop.place.write(&format!("home/{home}/{name}"), std::fs::read(&file).unwrap());
        }
    }
    for (database, home) in DATABASES {
        laptop.place.write(home, std::fs::read(fixture(database)).unwrap());
    }
    let garden = laptop.place.path("garden");
    let projects = json!({"projects": [{"path": garden, "data_dir": ".crush"}]});
    laptop.place.write("home/.local/share/crush/projects.json", projects.to_string());

    let said = laptop.once(&[]);
    assert!(said.ends_with(" bytes: all hashes agree\n"), "{said}");
    assert_eq!(laptop.once(&[]), said, "nothing is to be sent again");

    // Each copy has the hash of a file of the laptop, but for databases, which are copied as they are at one moment.
    let ours: Vec<String> = files(&laptop.place.dir).iter().map(|file| sha256(&std::fs::read(file).unwrap())).collect();
    let copies = files(&server.place.data().join("machines"));
    let is_exact = |copy: &&PathBuf| copy.extension().is_none_or(|ending| ending != "db" && ending != "id");
    let exact: Vec<&PathBuf> = copies.iter().filter(is_exact).collect();
    for copy in &exact {
        assert!(ours.contains(&sha256(&std::fs::read(copy).unwrap())), "{}", copy.display());
    }
    assert_eq!(copies.len() - exact.len(), DATABASES.len() + 1);
    let many: usize = said.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(many, copies.len() - 1, "{said}");

    // Another server on the same files reads the same sessions.
    let mut local =
        laptop.place.program(&["serve", "--listen", "127.0.0.1:0", "--yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(local.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let local = Server::adopt(laptop.place, local, &line);
    let told = |server: &Server| {
        let told = |session: &Value| {
            ["agent", "agent_session_id", "title", "project", "message_count"].map(|name| session[name].to_string())
        };
        let mut all: Vec<[String; 5]> = sessions(server, "limit=500").iter().map(told).collect();
        all.sort();
        all
    };
    let settled = |server: &Server| {
        let imports = server.with_key("GET", "/v1/imports", "").json();
        imports["imports"].as_array().unwrap().iter().all(|import| import["done"] == true)
    };
    wait_until("what is here is read", || settled(&local) && told(&local).len() > 20);
    let expected = told(&local);
    wait_until("what is sent is read", || told(&server) == expected);
    for session in sessions(&server, "limit=500") {
        assert_eq!(session["machine"]["name"], "laptop", "{session}");
        let detail = detail(&server, session["id"].as_str().unwrap());
        for source in detail["sources"].as_array().unwrap() {
            let path = format!(
                "/v1/sessions/{}/export?format=original&source={}",
                session["id"].as_str().unwrap(),
                source["id"].as_str().unwrap()
            );
            let bytes = server.with_key("GET", &path, "").body;
            assert_eq!(source["sha256"], sha256(&bytes), "{source}");
            // Documents of databases, and what was packed, are no files.
            let is_file = Path::new(source["path"].as_str().unwrap()).is_file();
            assert!(!is_file || ours.contains(&sha256(&bytes)), "{source}");
        }
    }
}

/// What grows is on the server at once; a rewritten file replaces its copy, and a deleted one stays.
#[test]
fn a_running_forwarder_sends_what_changes() {
    for mut server in servers("forward") {
        let laptop = Laptop::of(&server, "laptop");
        laptop.write("mill", &said("mill", 1, "Sow the rye"));
        laptop.write("gone", &said("gone", 1, "Burn this"));
        let following = laptop.follow();
        wait_until("what is there is read", || texts(&server, "mill") == ["Sow the rye"]);
        assert_eq!(sessions(&server, "machine=laptop").len(), 2);
        assert_eq!(sessions(&server, "machine=local").len(), 0);

        let mut events = server.events("");
        laptop.append("mill", &said("mill", 2, "Reap the rye"));
        while events.next().0 != "feed" {}
        wait_until("what is appended is read", || texts(&server, "mill") == ["Sow the rye", "Reap the rye"]);
        std::fs::remove_file(laptop.transcript("gone")).unwrap();

        // Another server answers by the same name, with copies of its own.
        std::fs::write(server.place.data().join("machines/copies.id"), "another").unwrap();
        laptop.append("mill", &said("mill", 7, "Rake the rye"));
        wait_until("other copies are compared", || texts(&server, "mill").len() == 3);

        // The server ends, and the laptop's agent goes on.
        drop(events);
        server.terminate();
        server.ended(PATIENCE);
        let server = server.again();
        laptop.append("mill", &said("mill", 3, "Thresh the rye"));
        wait_until("the forwarder comes back", || texts(&server, "mill").len() == 4);

        laptop.write(
            "mill",
            &format!("{}{}", said("mill", 1, "Sow the oats"), said("mill", 4, "Mow the oats, and dry them")),
        );
        wait_until("what is rewritten is read", || {
            original(&server, "mill") == std::fs::read(laptop.transcript("mill")).unwrap()
        });
        assert_eq!(texts(&server, "gone"), ["Burn this"]);
        drop(following);

        // It goes on where it stopped.
        laptop.append("mill", &said("mill", 5, "Bake"));
        laptop.write("half", said("half", 1, "A line that is torn").trim_end_matches("}\n"));
        let once = laptop.once(&[]);
        assert!(once.starts_with("2 files, "), "{once}");
        wait_until("the rest is read", || {
            original(&server, "mill") == std::fs::read(laptop.transcript("mill")).unwrap()
        });
        assert_eq!(sessions(&server, "").len(), 2, "a torn line is no session yet");
        laptop.append("half", "}\n");
        laptop.once(&[]);
        wait_until("the torn line is whole", || texts(&server, "half") == ["A line that is torn"]);
    }
}

/// Copies that are made anew, as after a restored backup, double nothing.
#[test]
fn a_server_without_its_copies_gets_them_again() {
    let mut server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    laptop.write("mill", &said("mill", 1, "Sow the rye"));
    let said_once = laptop.once(&[]);
    wait_until("what is there is read", || texts(&server, "mill") == ["Sow the rye"]);
    server.terminate();
    server.ended(PATIENCE);
    std::fs::remove_dir_all(server.place.data().join("machines")).unwrap();
    let server = server.again();
    assert_eq!(laptop.once(&[]), said_once);
    laptop.append("mill", &said("mill", 2, "Reap the rye"));
    laptop.once(&[]);
    wait_until("what is appended is read", || texts(&server, "mill") == ["Sow the rye", "Reap the rye"]);
}

#[test]
fn a_removed_machine_is_refused_and_its_sessions_stay() {
    for server in servers("forward_removed") {
        let laptop = Laptop::of(&server, "Laptop");
        laptop.write("mill", &said("mill", 1, "Sow the rye"));
        let following = laptop.follow();
        wait_until("what is there is read", || texts(&server, "mill") == ["Sow the rye"]);
        let again = server.place.run(&["machine", "add", "laptop"]);
        assert!(String::from_utf8_lossy(&again.stderr).contains("a name that no other machine has"));
        let listed = server.place.out(&["machine", "list"]);
        assert!(listed.contains("  online  sessions 1  linux x86_64, ") && listed.ends_with("  Laptop\n"), "{listed}");
        server.place.out(&["machine", "rename", "laptop", "Old laptop"]);
        assert_eq!(sessions(&server, "")[0]["machine"]["name"], "Old laptop");

        assert_eq!(
            server.place.out(&["machine", "remove", "old laptop"]),
            "Old laptop is removed. Its sessions stay\n"
        );
        laptop.append("mill", &said("mill", 2, "Reap the rye"));
        let (is_success, said_last) = following.ended();
        assert!(!is_success && said_last.contains("refuses the key"), "{said_last}");
        assert_eq!(
            laptop.refused(),
            "verbatim: [url] refuses the key: it is unknown, or was revoked\n`verbatim machine add` on the server creates a new one\n"
        );
        assert_eq!(texts(&server, "mill"), ["Sow the rye"]);
        assert_eq!(sessions(&server, "machine=Old+laptop").len(), 1);
        let kept: Vec<PathBuf> = files(&server.place.data().join("machines"));
        assert_eq!(kept.len(), 1, "{kept:?}");

        // The next machine goes on with its sessions.
        let next = Laptop::of(&server, "laptop");
        next.write("mill", &std::fs::read_to_string(laptop.transcript("mill")).unwrap());
        next.once(&[]);
        wait_until("the next one sends", || texts(&server, "mill") == ["Sow the rye", "Reap the rye"]);
        assert_eq!(sessions(&server, "")[0]["machine"]["name"], "laptop");
    }
}

/// A request with a machine's key.
fn by_hand(server: &Server, laptop: &Laptop, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let bearer = format!("Bearer {}", std::fs::read_to_string(&laptop.key).unwrap().trim());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let reply = server.send(method, path, &headers, &body);
    (reply.status, reply.json())
}

#[test]
fn what_a_machine_may_not_send_is_refused() {
    let server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    let report = json!({"platform": "linux x86_64", "version": "0.0.1"});
    let (status, welcome) = by_hand(&server, &laptop, "PUT", "/v1/machine", &report);
    assert_eq!((status, &welcome["name"]), (200, &json!("laptop")));
    let copies = welcome["copies"].clone();
    let send = |piece: Value| {
        by_hand(&server, &laptop, "PATCH", "/v1/machine/files", &json!({"copies": copies, "pieces": [piece]}))
    };
    let piece = |folder: &str, path: &str, offset: u64, bytes: &str| json!({"folder": folder, "path": path, "offset": offset, "bytes": bytes});
    let claude = ".claude/projects";
    for (folder, path, field) in [
        (claude, "../../escaped.jsonl", "path"),
        (claude, "/etc/escaped.jsonl", "path"),
        (claude, "a/../../../escaped.jsonl", "path"),
        (claude, "a//escaped.jsonl", "path"),
        (claude, "a\\escaped.jsonl", "path"),
        (claude, "a\u{7}/escaped.jsonl", "path"),
        (claude, "a/program.sh", "path"),
        ("../../..", "escaped.jsonl", "path"),
        (".ssh", "escaped.jsonl", "path"),
        ("", "escaped.jsonl", "path"),
    ] {
        let (status, problem) = send(piece(folder, path, 0, "e30K"));
        assert_eq!((status, &problem["field"]), (400, &json!(format!("/pieces/0/{field}"))), "{path}: {problem}");
    }
    let (status, problem) = send(piece(claude, "a/x.jsonl", 0, "no Base64"));
    assert_eq!((status, &problem["field"]), (400, &json!("/pieces/0/bytes")), "{problem}");
    let (status, problem) = send(piece(claude, "a/x.jsonl", u64::MAX, "e30K"));
    assert_eq!((status, &problem["field"]), (400, &json!("/pieces/0/offset")), "{problem}");
    // A clock that is ahead makes no file of the future.
    let mut ahead = piece(claude, "a/x.jsonl", 0, "e30K");
    ahead["modified_at"] = json!(4_102_444_800_000_000_i64);
    assert_eq!(send(ahead), (200, json!({"sizes": [3]})));
    assert_eq!(send(piece(claude, "a/x.jsonl", 7, "e30K")), (200, json!({"sizes": [3]})), "a gap is left out");
    let mut whole = piece(claude, "a/x.jsonl", 0, "e30K");
    whole["whole"] = json!({"size": 3, "sha256": "00"});
    assert_eq!(send(whole), (200, json!({"sizes": [0]})), "a hash that is wrong replaces nothing");
    let files = json!({"copies": copies, "files": [{"folder": claude, "path": "a/x.jsonl"}]});
    let stored = by_hand(&server, &laptop, "POST", "/v1/machine/files", &files).1;
    assert_eq!(stored["files"][0], json!({"size": 3, "sha256": sha256(b"{}\n")}));
    let other = json!({"copies": "another", "files": []});
    let (status, problem) = by_hand(&server, &laptop, "POST", "/v1/machine/files", &other);
    assert_eq!((status, &problem["code"]), (409, &json!("other_copies")));

    // Its key reads nothing, posts nothing and decides nothing.
    for (method, path) in
        [("GET", "/v1/sessions"), ("GET", "/v1/search?q=rye"), ("POST", "/v1/sessions"), ("GET", "/v1/machines")]
    {
        let (status, problem) = by_hand(&server, &laptop, method, path, &json!({"agent": "x"}));
        assert_eq!(status, 403, "{method} {path}: {problem}");
    }
    // No other key can send files.
    let made = server.with_key("POST", "/v1/keys", r#"{"name": "bot", "scopes": ["forward"]}"#).json();
    let keys = [server.agent_key(), made["key"].as_str().unwrap().to_owned()];
    let refused = keys.map(|key| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.send("PUT", "/v1/machine", &headers, &report.to_string()).json()["code"].clone()
    });
    assert_eq!(refused, ["scope_missing", "no_machine"]);
    assert!(files_escaped(&server.place).is_empty(), "{:?}", files_escaped(&server.place));
}

fn files_escaped(place: &Place) -> Vec<PathBuf> {
    files(&place.dir).into_iter().filter(|file| file.to_string_lossy().contains("escaped")).collect()
}

/// A machine that names another one's session, or the server's own, changes nothing in it.
#[test]
fn a_machine_changes_its_own_sessions_alone() {
    for server in servers("forward_forged") {
        let local = server.place.write("files/own.jsonl", said("own", 1, "Here"));
        server.place.out(&["import", local.to_str().unwrap()]);
        let (first, second) = (Laptop::of(&server, "first"), Laptop::of(&server, "second"));
        first.write("mill", &said("mill", 1, "Sow the rye"));
        first.once(&[]);
        wait_until("the first one is read", || texts(&server, "mill") == ["Sow the rye"]);
        for session in ["mill", "own"] {
            second.write(session, &said(session, 2, "Forged"));
        }
        second.write("fair", &said("fair", 1, "Mine"));
        second.once(&[]);
        wait_until("the second one is read", || texts(&server, "fair") == ["Mine"]);
        assert_eq!(texts(&server, "mill"), ["Sow the rye"]);
        assert_eq!(texts(&server, "own"), ["Here"]);
        let event = |session: &str| json!({"session_id": session, "hook_event_name": "Stop"});
        let report = |session: &str| by_hand(&server, &second, "POST", "/v1/hooks/claude_code/5", &event(session)).0;
        assert_eq!(["mill", "own", "fair"].map(report), [403, 403, 200]);

        let folders = server.with_key("GET", "/v1/projects", "").json();
        let named = |folder: &Value| (folder["name"].clone(), folder["sessions"].clone(), folder["state"].clone());
        let folders: Vec<_> = folders["projects"].as_array().unwrap().iter().map(named).collect();
        let folder = |name: &str| (json!(name), json!(1), json!("following"));
        assert!(folders.contains(&folder("first")) && folders.contains(&folder("second")), "{folders:?}");
        let facets = server.with_key("GET", "/v1/sessions", "").json()["facets"]["machines"].clone();
        let facet = |name: &str| json!({"value": name, "sessions": 1});
        assert_eq!(facets, json!([facet("local"), facet("first"), facet("second")]));
        assert_eq!(sessions(&server, "machine=local&machine=second").len(), 2);
        assert_eq!(sessions(&server, "machine=nobody").len(), 0);
        // Its folder isn't one of the server.
        let resumed = server.with_key("POST", "/v1/sessions/mill/agent/resume", "{}");
        assert_eq!((resumed.status, &resumed.json()["code"]), (409, &json!("not_driven")));
        assert!(resumed.json()["title"].as_str().unwrap().contains("of the machine first"));
    }
}

/// A permission that is asked on the laptop is decided on the server.
#[test]
fn a_permission_is_taken_back_to_the_laptop() {
    let server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    laptop.write("mill", &said("mill", 1, "Sow the rye"));
    laptop.once(&[]);
    wait_until("what is there is read", || texts(&server, "mill") == ["Sow the rye"]);
    let key = laptop.key.to_str().unwrap();
    let installed = laptop.place.out(&["hook", "install", "--server", &laptop.url, "--key-file", key, "--command"]);
    assert!(installed.contains("hooks.PermissionRequest"), "{installed}");
    let settings = std::fs::read(laptop.place.path("home/.claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_slice(&settings).unwrap();
    let command = settings["hooks"]["PermissionRequest"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains(&format!("--server {} --key-file {key}", laptop.url)), "{command}");

    let mut hook = laptop.place.program(&["hook", "send", "--server", &laptop.url, "--key-file", key, "--wait", "60"]);
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let event = json!({"session_id": "mill", "hook_event_name": "PermissionRequest", "cwd": "/home/ada/mill",
        "tool_name": "Bash", "tool_input": {"command": "rm sacks"}, "tool_use_id": "call-1"});
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let owner = server.cookie();
    let asks = || server.as_owner(&owner, "GET", "/v1/asks", &json!({})).json()["asks"].as_array().unwrap().clone();
    wait_until("it is asked", || !asks().is_empty());
    let message = asks()[0]["entry"].clone();
    let options = message["metadata"]["payload"]["questions"][0]["options"].clone();
    let ids: Vec<&str> = options.as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["allow", "deny"], "a rule would be about a folder of the server");
    let path = format!("/v1/sessions/mill/messages/{}/decision", message["id"].as_str().unwrap());
    let decided = server.as_owner(&owner, "POST", &path, &json!({"state": "denied"}));
    assert!(decided.status < 300, "{}", decided.text());
    let answer = String::from_utf8(hook.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer.contains("\"behavior\":\"deny\""), "{answer}");
}

#[test]
fn a_machine_that_is_not_heard_of_is_offline() {
    let server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    assert!(server.place.out(&["machine", "list"]).contains("  not heard of yet  sessions 0  laptop\n"));
    laptop.write("mill", &said("mill", 1, "Sow the rye"));
    laptop.once(&[]);
    wait_until("what is there is read", || texts(&server, "mill") == ["Sow the rye"]);
    assert_eq!(sessions(&server, "")[0]["machine"], json!({"name": "laptop"}));
    let seen_at = || server.with_key("GET", "/v1/machines", "").json()["machines"][0]["last_seen_at"].clone();
    let file = server.place.data().join("verbatim.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        sqlx::raw_sql("UPDATE machine SET seen_at = seen_at - 91000000").execute(&pool).await.unwrap();
        pool.close().await;
    });
    assert_eq!(sessions(&server, "")[0]["machine"], json!({"name": "laptop", "offline_since": seen_at()}));
    assert!(server.place.out(&["machine", "list"]).contains("  offline since "));
    let page = server.get("/s/mill", &[("Cookie", &server.cookie())]).text();
    assert!(page.contains("laptop is offline, last heard of "));
}

#[test]
fn a_part_is_sent_and_secrets_are_masked() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let server = Server::start();
    let laptop = Laptop::of(&server, "laptop");
    laptop.write("mill", &said("mill", 1, &format!("The token is {TOKEN}")));
    laptop.write("garden", &said("garden", 1, "Water").replace("/home/ada/mill", "/home/ada/garden"));
    laptop.write("unknown", "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"1\"}\n");
    let mill = ["--only", "/home/ada/mill", "--redact"];
    assert!(laptop.once(&mill).starts_with("1 file, "));
    laptop.append("mill", &said("mill", 2, &format!("It was {TOKEN}")));
    laptop.once(&mill);
    wait_until("it is read", || texts(&server, "mill").len() == 2);
    let sent = original(&server, "mill");
    let sent = String::from_utf8_lossy(&sent);
    assert!(sent.contains("The token is ") && !sent.contains(TOKEN), "{sent}");
    assert_eq!(sessions(&server, "").len(), 1);
    let folder = laptop.place.path("home/.claude");
    assert!(laptop.once(&["--exclude", folder.to_str().unwrap()]).starts_with("0 files, "));
    laptop.once(&["--only", "garden"]);
    wait_until("the other one is read", || texts(&server, "garden") == ["Water"]);
}

#[test]
fn what_is_no_server_for_it_is_named() {
    let server = Server::start();
    let mut laptop = Laptop::of(&server, "laptop");
    laptop.url = "http://agents.example".to_owned();
    assert_eq!(
        laptop.refused(),
        "verbatim: [url] would get the key and the sessions without encryption\nUse an address that begins with `https://`\n"
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    laptop.url = format!("http://{}", listener.local_addr().unwrap());
    let older = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 1024];
        let _ = stream.read(&mut head).unwrap();
        let body = r#"{"type":"about:blank","title":"There is no such endpoint","status":404,"code":"not_found"}"#;
        let length = body.len();
        let reply = format!(
            "HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(reply.as_bytes()).unwrap();
    });
    assert_eq!(
        laptop.refused(),
        "verbatim: [url] doesn't take files of other machines: Verbatim [version] or newer is needed there\n"
    );
    older.join().unwrap();
    std::fs::write(&laptop.key, "vbt_wrong_key_00000000").unwrap();
    laptop.url = server.origin();
    assert!(laptop.refused().contains("refuses the key"));
    std::fs::remove_file(&laptop.key).unwrap();
    assert!(laptop.refused().contains("machine.key can't be read\n`verbatim machine add NAME --key-file FILE`"));
}
