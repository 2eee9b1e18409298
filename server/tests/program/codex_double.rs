//! A double of Codex with its background server, for clients of its control socket: WebSocket messages over a Unix socket. It
//! writes transcripts as Codex does. What it does in a turn depends on the prompt:
//!
//! - `ask` asks whether a command may run, and ends the turn once somebody answered. `slow` writes a part of an answer, and goes
//!   on until it is told to end. Anything else is answered at once.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::Duration;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// How it behaves besides.
#[derive(Debug, Clone)]
pub struct Habits {
    pub version: &'static str,
    /// The folder that it says it works with.
    pub home: Option<String>,
    /// Hangs up at the first request to begin a turn: before it has begun the turn, or after.
    pub hangs_up: Option<HangsUp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HangsUp {
    Before,
    After,
}

impl Default for Habits {
    fn default() -> Self {
        Self { version: "0.171.0", home: None, hangs_up: None }
    }
}

/// A running one.
pub struct Codex {
    home: PathBuf,
    state: Arc<Mutex<State>>,
    stops: Arc<AtomicBool>,
    listens: Option<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    home: PathBuf,
    habits: Habits,
    threads: BTreeMap<String, Thread>,
    /// Where messages for each client go, and the threads that it follows.
    clients: HashMap<u64, (mpsc::Sender<Value>, Vec<String>)>,
    /// Method and parameters of what clients asked for.
    received: Vec<(String, Value)>,
    /// Open requests, by their ids: thread and item.
    open: BTreeMap<u64, (String, String)>,
    /// Those that were answered: who was first, and the decision.
    answered: Vec<(Who, String)>,
    last: u64,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Client,
    Terminal,
}

struct Thread {
    folder: String,
    file: PathBuf,
    turns: Vec<Value>,
    is_active: bool,
}

impl Codex {
    pub fn start(home: &Path) -> Self {
        Self::start_with(home, Habits::default())
    }

    pub fn start_with(home: &Path, habits: Habits) -> Self {
        let socket = socket(home);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(socket.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let state = Arc::new(Mutex::new(State { home: home.to_owned(), habits, ..State::default() }));
        let stops = Arc::new(AtomicBool::new(false));
        let (all, ends) = (Arc::clone(&state), Arc::clone(&stops));
        let listens = std::thread::spawn(move || {
            let mut clients = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::Relaxed) {
                    break;
                }
                let (all, ends) = (Arc::clone(&all), Arc::clone(&ends));
                clients.push(std::thread::spawn(move || serve(stream, &all, &ends)));
            }
            for client in clients {
                client.join().unwrap();
            }
        });
        Self { home: home.to_owned(), state, stops, listens: Some(listens) }
    }

    /// Opens a session in a terminal.
    pub fn open(&self, id: &str, folder: &Path) {
        let mut state = self.lock();
        state.open_thread(id, folder.to_str().unwrap());
        let thread = state.shown(id);
        state.tell_all("thread/started", &json!({ "thread": thread }));
    }

    /// The terminal of a session is closed.
    pub fn close(&self, id: &str) {
        let mut state = self.lock();
        state.threads.remove(id);
        state.tell_all("thread/status/changed", &json!({ "threadId": id, "status": { "type": "notLoaded" } }));
        state.tell_all("thread/closed", &json!({ "threadId": id }));
    }

    /// Somebody types in the terminal.
    pub fn type_in(&self, id: &str, words: &str) {
        self.lock().begin(id, &[words.to_owned()], None);
    }

    /// The turn comes to its end.
    pub fn finish(&self, id: &str) {
        self.lock().end(id, "completed", "At last.");
    }

    /// Somebody answers in the terminal what is asked there. Returns false if nothing is.
    pub fn answer(&self, decision: &str) -> bool {
        let mut state = self.lock();
        let Some(request) = state.open.keys().next().copied() else { return false };
        state.decide(request, decision, Who::Terminal);
        true
    }

    /// What clients asked for by a method.
    pub fn received(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state.received.iter().filter(|(asked, _)| asked == method).map(|(_, params)| params.clone()).collect()
    }

    /// The prompts of a session, of its terminal and of clients, in their order.
    pub fn prompts(&self, id: &str) -> Vec<String> {
        let state = self.lock();
        let items = state.threads[id].turns.iter().flat_map(|turn| turn["items"].as_array().unwrap());
        let prompts = items.filter(|item| item["type"] == "userMessage");
        prompts.map(|item| item["content"][0]["text"].as_str().unwrap().to_owned()).collect()
    }

    pub fn answered(&self) -> Vec<(Who, String)> {
        self.lock().answered.clone()
    }

    /// Whether a client follows a session.
    pub fn is_followed(&self, id: &str) -> bool {
        self.lock().clients.values().any(|(_, follows)| follows.iter().any(|thread| thread == id))
    }

    /// Hangs up on all clients, which may connect again.
    pub fn hang_up(&self) {
        self.lock().clients.clear();
    }

    /// Ends, and leaves its socket.
    pub fn kill(&mut self) {
        self.stop();
        self.lock().clients.clear();
        if let Some(listens) = self.listens.take() {
            listens.join().unwrap();
        }
    }

    fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
        // Whoever waits for clients looks again.
        let _ = UnixStream::connect(self.socket());
    }

    pub fn socket(&self) -> PathBuf {
        socket(&self.home)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Drop for Codex {
    fn drop(&mut self) {
        self.stop();
    }
}

pub fn socket(home: &Path) -> PathBuf {
    home.join("app-server-control/app-server-control.sock")
}

impl State {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn open_thread(&mut self, id: &str, folder: &str) {
        let file = self.home.join(format!("sessions/2026/12/01/rollout-2026-12-01T09-00-00-{id}.jsonl"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let is_new = !file.exists();
        let thread = Thread { folder: folder.to_owned(), file, turns: Vec::new(), is_active: false };
        self.threads.insert(id.to_owned(), thread);
        if is_new {
            let payload = json!({
                "id": id, "timestamp": "2026-12-01T09:00:00.000Z", "cwd": folder, "originator": "codex-tui",
                "cli_version": "0.171.0", "source": "cli", "model_provider": "openai",
            });
            self.write(id, "session_meta", &payload);
        }
    }

    fn write(&self, id: &str, kind: &str, payload: &Value) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.threads[id].file).unwrap();
        let line = json!({ "timestamp": "2026-12-01T09:00:00.000Z", "type": kind, "payload": payload });
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn write_message(&self, id: &str, role: &str, text: &str) {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        let content = json!([{ "type": kind, "text": text }]);
        self.write(id, "response_item", &json!({ "type": "message", "role": role, "content": content }));
    }

    fn shown(&self, id: &str) -> Value {
        let thread = &self.threads[id];
        let flags = if self.open.values().any(|(of, _)| of == id) { json!(["waitingOnApproval"]) } else { json!([]) };
        let status = if thread.is_active {
            json!({ "type": "active", "activeFlags": flags })
        } else {
            json!({ "type": "idle" })
        };
        json!({
            "id": id, "ephemeral": false, "parentThreadId": null, "preview": "", "name": null, "status": status,
            "cwd": thread.folder, "cliVersion": "0.171.0", "canAcceptDirectInput": true,
        })
    }

    /// Tells all clients, whatever they follow.
    fn tell_all(&self, method: &str, params: &Value) {
        for (client, _) in self.clients.values() {
            let _ = client.send(json!({ "method": method, "params": params }));
        }
    }

    /// Tells those that follow a session.
    fn tell(&self, id: &str, message: &Value) {
        for (client, follows) in self.clients.values() {
            if follows.iter().any(|thread| thread == id) {
                let _ = client.send(message.clone());
            }
        }
    }

    fn notify(&self, id: &str, method: &str, mut params: Value) {
        params["threadId"] = json!(id);
        self.tell(id, &json!({ "method": method, "params": params }));
    }

    fn status(&self, id: &str) {
        let status = self.shown(id)["status"].clone();
        self.tell_all("thread/status/changed", &json!({ "threadId": id, "status": status }));
    }

    /// Begins a turn, or adds words to the one that goes on. Returns its id.
    fn begin(&mut self, id: &str, words: &[String], client_id: Option<&str>) -> String {
        let (item, number) = (self.next(), self.next());
        let thread = self.threads.get_mut(id).unwrap();
        let is_new = !thread.is_active;
        if is_new {
            thread.is_active = true;
            thread.turns.push(json!({ "id": format!("turn-{number}"), "status": "inProgress", "items": [] }));
        }
        let text = words.join("\n\n");
        let turn = thread.turns.last_mut().unwrap();
        let turn_id = turn["id"].as_str().unwrap().to_owned();
        let content = json!([{ "type": "text", "text": text }]);
        let said =
            json!({ "type": "userMessage", "id": format!("item-{item}"), "clientId": client_id, "content": content });
        turn["items"].as_array_mut().unwrap().push(said.clone());
        let (turn, started) = (turn.clone(), json!({ "type": "task_started", "turn_id": turn_id }));
        if is_new {
            self.write(id, "event_msg", &started);
            self.status(id);
            self.notify(id, "turn/started", json!({ "turn": turn }));
        }
        for words in words {
            self.write_message(id, "user", words);
        }
        self.notify(id, "item/completed", json!({ "turnId": turn_id, "item": said }));
        if is_new {
            self.work(id, &text);
        }
        turn_id
    }

    fn work(&mut self, id: &str, text: &str) {
        if text.contains("ask") {
            let (call, request) = (format!("call-{}", self.next()), self.next());
            let arguments = json!({ "cmd": "touch x", "sandbox_permissions": "require_escalated" }).to_string();
            let line =
                json!({ "type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call });
            self.write(id, "response_item", &line);
            let item = json!({ "type": "commandExecution", "id": call, "command": "touch x", "status": "inProgress" });
            self.threads.get_mut(id).unwrap().turns.last_mut().unwrap()["items"]
                .as_array_mut()
                .unwrap()
                .push(item.clone());
            self.notify(id, "item/started", json!({ "item": item }));
            self.open.insert(request, (id.to_owned(), call));
            self.status(id);
            let asked = self.request(request);
            self.tell(id, &asked);
        } else if text.contains("slow") {
            self.notify(id, "item/agentMessage/delta", json!({ "itemId": "slow", "delta": "Slow part" }));
        } else {
            self.end(id, "completed", &format!("Answer to {text}"));
        }
    }

    fn request(&self, request: u64) -> Value {
        let (thread, call) = &self.open[&request];
        let params = json!({
            "threadId": thread, "itemId": call, "command": "touch x", "cwd": self.threads[thread].folder,
            "reason": "To see", "availableDecisions": ["accept", "cancel"],
        });
        json!({ "id": request, "method": "item/commandExecution/requestApproval", "params": params })
    }

    /// The first answer counts. Others are passed over, as Codex does.
    fn decide(&mut self, request: u64, decision: &str, who: Who) {
        let Some((id, call)) = self.open.remove(&request) else { return };
        self.answered.push((who, decision.to_owned()));
        self.tell(
            &id,
            &json!({ "method": "serverRequest/resolved", "params": { "threadId": id, "requestId": request } }),
        );
        self.status(&id);
        let is_allowed = decision == "accept";
        let (status, output) = match decision {
            "accept" => ("completed", "Exit code: 0"),
            "cancel" => ("failed", "Exit code: 1"),
            _ => ("declined", "Rejected by user"),
        };
        let item = json!({ "type": "commandExecution", "id": call, "command": "touch x", "status": status });
        self.notify(&id, "item/completed", json!({ "item": item }));
        let line = json!({ "type": "function_call_output", "call_id": call, "output": output });
        self.write(&id, "response_item", &line);
        let words = if is_allowed { "It ran." } else { "It didn't run." };
        // As Escape in the terminal, which denies and stops the turn.
        self.end(&id, if decision == "cancel" { "interrupted" } else { "completed" }, words);
    }

    fn end(&mut self, id: &str, status: &str, answer: &str) {
        let Some(thread) = self.threads.get_mut(id).filter(|thread| thread.is_active) else { return };
        thread.is_active = false;
        let turn = thread.turns.last_mut().unwrap();
        turn["status"] = json!(status);
        let turn = turn.clone();
        if status == "completed" {
            self.write_message(id, "assistant", answer);
            self.write(
                id,
                "event_msg",
                &json!({ "type": "task_complete", "turn_id": turn["id"], "last_agent_message": answer }),
            );
        } else {
            self.write(
                id,
                "event_msg",
                &json!({ "type": "turn_aborted", "turn_id": turn["id"], "reason": "interrupted" }),
            );
        }
        self.open.retain(|_, (thread, _)| thread != id);
        self.status(id);
        self.notify(id, "turn/completed", json!({ "turn": turn }));
    }

    /// Answers a request of a client. None hangs up.
    fn answer(&mut self, client: u64, method: &str, params: &Value) -> Option<Result<Value, String>> {
        self.received.push((method.to_owned(), params.clone()));
        let id = params["threadId"].as_str().unwrap_or_default().to_owned();
        let is_open = self.threads.contains_key(&id);
        let text = |input: &Value| input["text"].as_str().map(str::to_owned);
        let words: Vec<String> = params["input"].as_array().into_iter().flatten().filter_map(text).collect();
        let client_id = params["clientUserMessageId"].as_str();
        let active = self.threads.get(&id).filter(|thread| thread.is_active).and_then(|thread| thread.turns.last());
        let active = active.map(|turn| turn["id"].clone());
        Some(match method {
            "initialize" => {
                let agent = format!("codex-tui/{} (Double) (verbatim; 0)", self.habits.version);
                let home = self.habits.home.clone().unwrap_or_else(|| self.home.to_str().unwrap().to_owned());
                Ok(json!({ "userAgent": agent, "codexHome": home }))
            }
            "thread/loaded/list" => Ok(json!({ "data": self.threads.keys().collect::<Vec<_>>(), "nextCursor": null })),
            _ if !is_open => Err(format!("thread not loaded: {id}")),
            "thread/read" => Ok(json!({ "thread": self.shown(&id) })),
            "thread/resume" => {
                self.clients.get_mut(&client)?.1.push(id.clone());
                let turns: Vec<&Value> = self.threads[&id].turns.iter().rev().collect();
                Ok(json!({
                    "thread": self.shown(&id), "model": "gpt-5.5", "approvalPolicy": "on-request",
                    "sandbox": { "type": "workspaceWrite" }, "initialTurnsPage": { "data": turns },
                }))
            }
            "thread/unsubscribe" => {
                self.clients.get_mut(&client)?.1.retain(|thread| *thread != id);
                Ok(json!({ "status": "unsubscribed" }))
            }
            "turn/start" => {
                let hangs_up = self.habits.hangs_up.take();
                if hangs_up != Some(HangsUp::Before) {
                    let turn = self.begin(&id, &words, client_id);
                    return (hangs_up.is_none()).then(|| Ok(json!({ "turn": { "id": turn, "status": "inProgress" } })));
                }
                return None;
            }
            "turn/steer" if active.as_ref() == Some(&params["expectedTurnId"]) => {
                Ok(json!({ "turnId": self.begin(&id, &words, client_id) }))
            }
            "turn/interrupt" if active.as_ref() == Some(&params["turnId"]) => {
                self.end(&id, "interrupted", "");
                Ok(json!({}))
            }
            _ => Err(format!("{method} isn't possible now")),
        })
    }

    /// What a client that follows a session now is asked besides.
    fn open_requests(&self, id: &str) -> Vec<Value> {
        self.open.iter().filter(|(_, (thread, _))| thread == id).map(|(request, _)| self.request(*request)).collect()
    }
}

fn serve(stream: UnixStream, all: &Mutex<State>, ends: &AtomicBool) {
    let Ok(mut socket) = tungstenite::accept(stream) else { return };
    socket.get_ref().set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let (send, waiting) = mpsc::channel();
    let client = {
        let mut state = all.lock().unwrap();
        let client = state.next();
        state.clients.insert(client, (send, Vec::new()));
        client
    };
    while !ends.load(Ordering::Relaxed) && turn(&mut socket, &waiting, client, all) {}
    all.lock().unwrap().clients.remove(&client);
}

/// Passes on what waits, and takes a message. Returns false at the end.
fn turn(socket: &mut WebSocket<UnixStream>, waiting: &mpsc::Receiver<Value>, client: u64, all: &Mutex<State>) -> bool {
    loop {
        match waiting.try_recv() {
            Ok(message) => {
                if socket.send(Message::text(message.to_string())).is_err() {
                    return false;
                }
            }
            Err(mpsc::TryRecvError::Empty) => break,
            Err(mpsc::TryRecvError::Disconnected) => return false,
        }
    }
    let message = match socket.read() {
        Ok(Message::Text(text)) => text,
        Ok(Message::Close(_)) => return false,
        Ok(_) => return true,
        Err(tungstenite::Error::Io(error)) => {
            return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        }
        Err(_) => return false,
    };
    let message: Value = serde_json::from_str(&message).unwrap();
    let mut state = all.lock().unwrap();
    let Some(sender) = state.clients.get(&client).map(|(sender, _)| sender.clone()) else { return false };
    let (id, method) = (message["id"].clone(), message["method"].as_str().map(str::to_owned));
    match method {
        Some(method) if !id.is_null() => {
            let Some(result) = state.answer(client, &method, &message["params"]) else { return false };
            let answer = match result {
                Ok(result) => json!({ "id": id, "result": result }),
                Err(error) => json!({ "id": id, "error": { "code": -32600, "message": error } }),
            };
            let _ = sender.send(answer);
            if method == "thread/resume" {
                let thread = message["params"]["threadId"].as_str().unwrap_or_default();
                for request in state.open_requests(thread) {
                    let _ = sender.send(request);
                }
            }
        }
        Some(_) => {}
        None => {
            let decision = message["result"]["decision"].as_str().unwrap_or_default().to_owned();
            state.decide(id.as_u64().unwrap(), &decision, Who::Client);
        }
    }
    true
}
