//! One call of a tool: its session, and waiting for a person on its behalf.

use crate::Client;
use rmcp::RoleServer;
use rmcp::model::{Implementation, ProgressNotificationParam};
use rmcp::service::RequestContext;
use sdk::{Error, Message, Session};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::future::pending;
use std::time::Duration;
use tokio::time::{interval, sleep};

/// A client that waits is told so often that the call lives.
const PULSE: Duration = Duration::from_secs(10);

/// A call, for the function of its tool.
pub struct Call {
    pub client: Client,
    context: RequestContext<RoleServer>,
}

/// Result of a tool.
pub struct Reply {
    /// For the model to read.
    pub text: String,
    /// Messages of people since the last call.
    pub queued: Vec<Message>,
    /// The client takes this text and nothing beside it: what people wrote is told with the next call.
    pub alone: bool,
}

impl Reply {
    pub fn new(text: impl Into<String>, queued: Vec<Message>) -> Self {
        Self { text: text.into(), queued, alone: false }
    }
}

/// Why a tool did nothing, for the model to read: the rule and what to do next.
#[derive(Debug)]
pub struct Refusal(pub String);

impl Refusal {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// Why nobody answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// The time is over.
    TimedOut(Duration),
    /// The client cancelled the call, or left.
    Left,
}

impl Display for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut(time) => {
                write!(f, "Nobody answered within {} seconds: the request was withdrawn", time.as_secs())
            }
            Self::Left => f.write_str("The call was cancelled: the request was withdrawn"),
        }
    }
}

impl Call {
    pub fn new(client: Client, context: RequestContext<RoleServer>) -> Self {
        Self { client, context }
    }

    /// Returns the session, which the first call makes or joins.
    pub async fn session(&self) -> Result<&Session, Error> {
        // The library's own name stands for a client that said nothing of itself.
        let said = |name: &String| *name != Implementation::default().name;
        let name = self.context.client_info().map(|client| client.name).filter(said);
        self.client.session(name.as_deref()).await
    }

    /// Waits for a person, as long as the client does, and reports progress to it meanwhile.
    pub async fn wait<T>(&self, answer: impl Future<Output = T>) -> Result<T, Unanswered> {
        self.client.stored();
        let timeout = self.client.settings.timeout;
        let over = async {
            match timeout {
                Some(time) => sleep(time).await,
                None => pending().await,
            }
        };
        tokio::select! {
            answer = answer => Ok(answer),
            () = self.context.ct.cancelled() => Err(Unanswered::Left),
            () = self.client.left.cancelled() => Err(Unanswered::Left),
            () = over => Err(Unanswered::TimedOut(timeout.unwrap_or_default())),
            // Never ends by itself.
            () = self.pulse() => Err(Unanswered::Left),
        }
    }

    /// Reports again and again that the call lives.
    async fn pulse(&self) {
        let (mut pulse, mut count) = (interval(PULSE), 0.0);
        loop {
            pulse.tick().await;
            count += 1.0;
            self.report(count).await;
        }
    }

    /// A client that asked for no progress is told nothing.
    async fn report(&self, count: f64) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let progress = ProgressNotificationParam::new(token, count).with_message("Waiting for an answer in Verbatim");
        // A client that can't be told has left, which ends the wait.
        drop(self.context.peer.notify_progress(progress).await);
    }
}

/// Reads the arguments of a tool.
pub fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let field = error.path().to_string();
        // In words of JSON.
        let what = error.inner().to_string().replace("a sequence", "an array").replace("a map", "an object");
        if field == "." { Refusal(what) } else { Refusal(format!("`{field}`: {what}")) }
    })
}
