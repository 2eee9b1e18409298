//! A hub of its own in a temporary folder, requests to it, and short ways to write transcripts.

use api::keys::{NewKey, Scope};
use api::transport::in_process::InProcess;
use api::{Method, Transport as _};
use hub::imports::Jobs;
use hub::{Caller, Consent, Hub, Root, Scoped, Settings};
use serde_json::{Value, json};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use store::{Database, Store, Tuning};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longest that anything here may take. Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_mins(1);

pub struct House {
    pub hub: Hub,
    steps: Option<&'static AtomicU64>,
    dir: PathBuf,
    _temporary: TempDir,
}

/// Status and body of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl House {
    /// Starts to follow, and waits for the first import: it is a job, and following begins when that is done.
    pub async fn follow(&self) {
        tokio::spawn(hub::follow::follow(self.hub.clone()));
        let mut changes = self.hub.state::<Jobs>().subscribe();
        in_time(async {
            while !self.hub.state::<Jobs>().list().iter().any(|job| job.done) {
                changes.changed().await.unwrap();
            }
        })
        .await;
    }

    /// Without folders to look into.
    pub async fn new() -> Self {
        Self::build(None, None).await
    }

    /// With the folder `projects` to look into.
    pub async fn with_projects(consent: Consent) -> Self {
        Self::build(Some(consent), None).await
    }

    /// With the folder `projects`, which is followed. Counts the work of the database: [`Self::steps`].
    pub async fn counting() -> Self {
        Self::build(Some(Consent::Given), Some(Box::leak(Box::default()))).await
    }

    /// The steps that the database took while `work` was done.
    pub async fn steps(&self, work: impl Future<Output = ()>) -> u64 {
        let count = || self.steps.map_or(0, |steps| steps.load(Ordering::Relaxed));
        let before = count();
        work.await;
        count() - before
    }

    async fn build(consent: Option<Consent>, steps: Option<&'static AtomicU64>) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().canonicalize().unwrap();
        std::fs::create_dir(dir.join("projects")).unwrap();
        let root = |consent| Root {
            path: dir.join("projects"),
            consent,
            agent: agents::claude::Reader::NAME,
            folder: agents::CLAUDE,
        };
        let settings = Settings {
            roots: consent.map(root).into_iter().collect(),
            base_url: "http://127.0.0.1:7117".to_owned(),
            version: "1.2.3".to_owned(),
            ..Settings::default()
        };
        let database = Database::Sqlite(dir.join("data/verbatim.db"));
        let store = Store::open_with(&database, Tuning { steps, ..Tuning::default() }).await.unwrap();
        let hub = Hub::new(store, settings, CancellationToken::new()).await.unwrap();
        Self { hub, steps, dir, _temporary: temporary }
    }

    /// With one imported transcript.
    pub async fn with(talk: &Talk) -> Self {
        let house = Self::new().await;
        house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
        house
    }

    /// With fixtures: names below `fixtures`.
    pub async fn with_fixtures(names: &[&str]) -> Self {
        let house = Self::new().await;
        let paths: Vec<PathBuf> = names.iter().map(|name| fixture(name)).collect();
        house.import(&paths).await;
        house
    }

    /// The same data in the hub of a server that starts anew, with changed settings.
    pub async fn renew(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.hub.settings.clone();
        change(&mut settings);
        self.hub = Hub::new(self.hub.store.clone(), settings, CancellationToken::new()).await.unwrap();
    }

    /// The same data in the hub of a server that starts while agents of the one before are left.
    pub async fn restarted(mut self) -> Self {
        self.renew(|_| {}).await;
        self
    }

    /// A path in the temporary folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub async fn send(&self, caller: Caller, method: Method, path: &str, body: Option<Value>) -> Answer {
        send_to(&self.hub, caller, method, path, body).await
    }

    /// An agent with a new key.
    pub async fn agent(&self, name: &str) -> Caller {
        self.agent_with(name, &[Scope::Post, Scope::Read, Scope::Mirror]).await
    }

    /// The same with these scopes.
    pub async fn agent_with(&self, name: &str, scopes: &[Scope]) -> Caller {
        let new = NewKey { name: name.to_owned(), scopes: Some(scopes.to_vec()), ..NewKey::default() };
        let key = self.hub.create_key(&self.hub.workspace, new).await.unwrap();
        self.hub.agent(&key.key).await.unwrap().unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Caller::Local, Method::Get, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Caller::Local, Method::Post, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Caller::Local, Method::Put, path, Some(body)).await
    }

    /// The body of an answer that is expected to be right.
    pub async fn read(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }

    /// Imports and waits for the end. The job without its id.
    pub async fn import(&self, paths: &[PathBuf]) -> Value {
        let started = self.post("/v1/imports", json!({ "paths": paths })).await;
        assert!(matches!(started.status, 200 | 202), "{}", started.body);
        self.finished(started.body["id"].as_u64().unwrap()).await
    }

    /// The job with this id once it is done.
    pub async fn finished(&self, id: u64) -> Value {
        let mut changes = self.hub.state::<Jobs>().subscribe();
        let done = async {
            while !self.hub.state::<Jobs>().get(id).unwrap().done {
                changes.changed().await.unwrap();
            }
        };
        in_time(done).await;
        let mut job = self.read(&format!("/v1/imports/{id}")).await;
        job.as_object_mut().unwrap().shift_remove("id");
        job
    }

    /// An answer as text: without what differs from run to run.
    pub fn shown(&self, answer: &Answer) -> String {
        format!("{}\n{}", answer.status, self.json(&answer.body))
    }

    pub fn json(&self, value: &Value) -> String {
        let mut value = value.clone();
        mask(&mut value);
        let text = serde_json::to_string_pretty(&value).unwrap();
        number_ids(
            &text
                .replace(&*self.dir.to_string_lossy(), "[dir]")
                .replace(&*fixture("").to_string_lossy(), "[fixtures]/"),
        )
    }
}

pub async fn send_to(hub: &Hub, caller: Caller, method: Method, path: &str, body: Option<Value>) -> Answer {
    let scoped = Scoped::new(hub.clone(), caller);
    let router = api::router::<Scoped>().layer(axum::Extension(scoped));
    let body = body.map(|body| body.to_string().into_bytes());
    let answer = InProcess(router).send(method, path.to_owned(), body).await.unwrap();
    let body = serde_json::from_slice(&answer.body);
    Answer { status: answer.status, body: body.unwrap_or_else(|_| json!(String::from_utf8_lossy(&answer.body))) }
}

/// Waits, but not for ever.
pub async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("this should have happened by now")
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").canonicalize().unwrap().join(name)
}

/// A time of this test run.
fn is_now(value: &Value) -> bool {
    const HOUR: i64 = 3_600_000_000;
    value.as_i64().is_some_and(|at| (hub::clock::now().0 - at).abs() < HOUR)
}

/// Our clock and our cursors differ from run to run.
fn mask(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "received_at" => *value = json!("[now]"),
                    "cursor" => *value = json!("[cursor]"),
                    name if (name == "at" || name.ends_with("_at")) && is_now(value) => *value = json!("[now]"),
                    "key_id" => *value = json!("[key]"),
                    "next" if value.is_string() => *value = json!("[next]"),
                    _ => mask(value),
                }
            }
        }
        _ => {}
    }
}

/// Ids of our own making (UUID version 7), numbered as they come.
fn number_ids(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut shown = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let id = rest.get(..36).filter(|id| is_ours(id));
        let Some(id) = id else {
            shown.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        let index = known.iter().position(|k| *k == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        });
        shown.push_str(&format!("[id {}]", index + 1));
        rest = &rest[36..];
    }
    shown
}

fn is_ours(id: &str) -> bool {
    id.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        14 => byte == b'7',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// One line per message: what a reader of the page sees.
pub fn lines(page: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |m: &Value| {
        let (role, kind) = (text(&m["role"]), text(&m["message_type"]));
        format!("{} {role} {kind} {}: {}", m["seq"], text(&m["display"]), text(&m["summary"]))
    };
    page["messages"].as_array().unwrap().iter().map(line).collect()
}

/// The `seq` of each of a page's messages.
pub fn seqs(page: &Value) -> Vec<i64> {
    page["messages"].as_array().unwrap().iter().map(|m| m["seq"].as_i64().unwrap()).collect()
}

/// The texts of one field of each item.
pub fn texts<'a>(items: &'a Value, field: &str) -> Vec<&'a str> {
    items.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap_or_default()).collect()
}

/// A transcript in the making. Its lines are a second apart, from nine o'clock on 1 March 2026.
#[derive(Clone)]
pub struct Talk {
    pub session: String,
    cwd: String,
    branch: String,
    second: i64,
    step: i64,
    lines: Vec<String>,
}

impl Talk {
    pub fn new(session: &str) -> Self {
        let (cwd, branch) = ("/home/ada/mill".to_owned(), "main".to_owned());
        Self { session: session.to_owned(), cwd, branch, second: 0, step: 1, lines: Vec::new() }
    }

    pub fn of(self, cwd: &str, branch: &str) -> Self {
        Self { cwd: cwd.to_owned(), branch: branch.to_owned(), ..self }
    }

    /// The next lines begin so many seconds after nine.
    pub fn at(self, second: i64) -> Self {
        Self { second: second - self.step, ..self }
    }

    /// All further lines are said in the same second.
    pub fn at_once(self) -> Self {
        Self { step: 0, ..self }
    }

    pub fn user(self, text: &str) -> Self {
        self.message("user", json!({"role": "user", "content": text}), json!({}))
    }

    pub fn says(self, text: &str) -> Self {
        self.assistant(json!([{"type": "text", "text": text}]))
    }

    pub fn thinks(self, text: &str) -> Self {
        self.assistant(json!([{"type": "thinking", "thinking": text, "signature": "c2ln"}]))
    }

    /// A call and its result. `extra` is the result in the agent's own words (`toolUseResult`).
    pub fn calls(self, id: &str, name: &str, input: &Value, result: &str, extra: &Value) -> Self {
        let called = self.assistant(json!([{"type": "tool_use", "id": id, "name": name, "input": input}]));
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": result}]);
        called.message("user", json!({"role": "user", "content": content}), json!({ "toolUseResult": extra }))
    }

    /// A question to the user that has no answer yet.
    pub fn asks(self, id: &str, input: &Value) -> Self {
        self.assistant(json!([{"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": input}]))
    }

    fn assistant(self, content: Value) -> Self {
        let id = format!("msg_{}_{}", self.session, self.lines.len() + 1);
        let usage = json!({"input_tokens": 10, "output_tokens": 5});
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-opus-4-6", "content": content,
            "stop_reason": null, "usage": usage});
        self.message("assistant", message, json!({ "requestId": format!("req_{id}") }))
    }

    pub fn message(mut self, kind: &str, message: Value, extra: Value) -> Self {
        self.second += self.step;
        let number = self.lines.len() + 1;
        let parent = if number > 1 { json!(self.id(number - 1)) } else { Value::Null };
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": self.cwd,
            "sessionId": self.session, "version": "2.1.49", "gitBranch": self.branch, "type": kind, "message": message,
            "uuid": self.id(number), "timestamp": format!("2026-03-01T{:02}:{:02}:{:02}.000Z", 9 + self.second / 3600, self.second / 60 % 60, self.second % 60),
        });
        line.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        self.lines.push(line.to_string());
        self
    }

    fn id(&self, number: usize) -> String {
        format!("{}-{number:04}", self.session)
    }

    pub fn titled(mut self, title: &str) -> Self {
        self.lines.push(json!({"type": "custom-title", "customTitle": title, "sessionId": self.session}).to_string());
        self
    }

    /// A line as it is.
    pub fn raw(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub fn last_line(&self) -> String {
        format!("{}\n", self.lines.last().unwrap())
    }
}
