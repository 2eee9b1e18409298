//! The threads that are open in a running Codex.

use super::socket::{Connection, ControlSocket};
use crate::codex::joined::{greeting, hello};
use crate::rpc::{self, Message, Pending, filled, items};
use crate::{JoinError, State};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::timeout;

/// Longest time until it has told which threads are open.
const PATIENCE: Duration = Duration::from_secs(10);

/// A thread that is open in a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Codex's own id of the session.
    pub id: String,
    /// The folder that it works in.
    pub folder: String,
    /// Its title, or its first words.
    pub title: Option<String>,
    /// [`State::Working`], [`State::Waiting`] or [`State::Idle`].
    pub state: State,
}

/// A connection that tells which threads are open. It opens none.
pub struct Threads {
    connection: Connection,
    version: String,
    pending: Pending<Purpose>,
    /// Threads to be asked for.
    unread: Vec<String>,
    /// None for one of no person: a sub-agent, or one that Codex uses for itself.
    open: BTreeMap<String, Option<Thread>>,
}

enum Purpose {
    List,
    Read,
}

impl Threads {
    /// Connects, and returns once the open threads are known.
    ///
    /// # Errors
    ///
    /// It can't be reached, or may not be used.
    pub async fn of(socket: &ControlSocket) -> Result<Self, JoinError> {
        let slow = || JoinError::Protocol("no answer within 10 seconds".to_owned());
        timeout(PATIENCE, Self::connect(socket)).await.map_err(|_| slow())?
    }

    async fn connect(socket: &ControlSocket) -> Result<Self, JoinError> {
        let mut connection = socket.connect().await?;
        let hello = json!({ "id": 0, "method": "initialize", "params": hello() });
        connection.send(hello.to_string().as_bytes()).await?;
        let version = loop {
            let line = connection.next().await.ok_or(JoinError::Lost)?;
            if let Message::Answer { id: 0, result } = rpc::parse(&line).map_err(JoinError::Protocol)? {
                let answer = result.map_err(|error| JoinError::Protocol(error.to_string()))?;
                break greeting(&answer, socket.home())?;
            }
        };
        let (pending, unread, open) = (Pending::default(), Vec::new(), BTreeMap::new());
        let mut threads = Self { connection, version, pending, unread, open };
        let started = rpc::notification("initialized", json!({})).to_string();
        threads.connection.send(started.as_bytes()).await?;
        threads.request("thread/loaded/list", json!({}), Purpose::List).await?;
        while threads.pending.waiting().next().is_some() || !threads.unread.is_empty() {
            threads.take().await?;
        }
        Ok(threads)
    }

    /// Returns the version of the server.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the threads that are open.
    pub fn open(&self) -> impl Iterator<Item = &Thread> {
        self.open.values().flatten()
    }

    /// Waits until the threads, or what one of them does, changed. Loses nothing where it is dropped.
    ///
    /// # Errors
    ///
    /// The connection is lost.
    pub async fn changed(&mut self) -> Result<(), JoinError> {
        while !self.take().await? {}
        Ok(())
    }

    async fn request(&mut self, method: &str, params: Value, purpose: Purpose) -> Result<(), JoinError> {
        let request = self.pending.request(method, params, purpose).to_string();
        self.connection.send(request.as_bytes()).await
    }

    /// Takes the next message. Returns whether it changed something.
    async fn take(&mut self) -> Result<bool, JoinError> {
        while let Some(thread) = self.unread.last() {
            let params = json!({ "threadId": thread });
            self.request("thread/read", params, Purpose::Read).await?;
            self.unread.pop();
        }
        let line = self.connection.next().await.ok_or(JoinError::Lost)?;
        match rpc::parse(&line) {
            Ok(Message::Notification { method, params }) => Ok(self.told(&method, &params)),
            Ok(Message::Answer { id, result }) => match (self.pending.take(id), result) {
                (Some(Purpose::List), Ok(answer)) => {
                    self.unread.extend(items(&answer, "data").iter().filter_map(|id| id.as_str().map(str::to_owned)));
                    Ok(false)
                }
                (Some(Purpose::List), Err(error)) => Err(JoinError::Protocol(error.to_string())),
                (Some(Purpose::Read), Ok(answer)) => Ok(self.put(answer.get("thread").unwrap_or(&Value::Null))),
                // It was closed meanwhile.
                (Some(Purpose::Read), Err(_)) | (None, _) => Ok(false),
            },
            // Those of threads go to whoever follows them. What can't be read does no harm here.
            Ok(Message::Request { .. }) | Err(_) => Ok(false),
        }
    }

    /// Takes a notification. Returns whether it changed something.
    fn told(&mut self, method: &str, params: &Value) -> bool {
        let Some(id) = filled(params, "threadId") else {
            let thread = params.get("thread").filter(|_| method == "thread/started");
            return thread.is_some_and(|thread| self.put(thread));
        };
        match (method, self.open.get_mut(&id)) {
            ("thread/closed", Some(_)) => self.open.remove(&id).flatten().is_some(),
            ("thread/status/changed", known) => match (known, state(params)) {
                (_, None) => self.open.remove(&id).flatten().is_some(),
                (Some(Some(thread)), Some(state)) => std::mem::replace(&mut thread.state, state) != state,
                (Some(None), Some(_)) => false,
                (None, Some(_)) => {
                    self.unread.push(id);
                    false
                }
            },
            ("thread/name/updated", Some(Some(thread))) => {
                thread.title = filled(params, "threadName").or(thread.title.take());
                true
            }
            _ => false,
        }
    }

    /// Notes a thread that is open. Returns whether that is news.
    fn put(&mut self, thread: &Value) -> bool {
        let (Some(id), Some(state)) = (filled(thread, "id"), state(thread)) else { return false };
        let is = |key: &str| thread.get(key) == Some(&Value::Bool(true));
        let refuses = thread.get("canAcceptDirectInput") == Some(&Value::Bool(false));
        let is_persons = !is("ephemeral") && !refuses && filled(thread, "parentThreadId").is_none();
        let found = is_persons.then(|| Thread {
            id: id.clone(),
            folder: filled(thread, "cwd").unwrap_or_default(),
            title: filled(thread, "name").or_else(|| filled(thread, "preview")),
            state,
        });
        let is_news = found.is_some();
        self.open.insert(id, found);
        is_news
    }
}

/// Returns what a thread does. None if it isn't open.
fn state(of: &Value) -> Option<State> {
    let status = of.get("status")?;
    match filled(status, "type")?.as_str() {
        "notLoaded" => None,
        "active" if !items(status, "activeFlags").is_empty() => Some(State::Waiting),
        "active" => Some(State::Working),
        _ => Some(State::Idle),
    }
}
