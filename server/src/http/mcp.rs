//! `/mcp`: the tools of the Model Context Protocol over HTTP ("streamable HTTP"), for agents' keys and this machine's
//! commands.
//!
//! Each request stands for itself, with its own credential. The protocol's `Mcp-Session-Id` names a session of ours: it
//! is the agent's own id of the session, which another key can't go on with. A call ends when its answer is taken, when
//! its client cancels it or hangs up, when its credential ends, and with the server.

use super::events::over;
use super::extract::Asked;
use super::guard::Credential;
use super::in_process;
use super::long_requests::{LongRequests, Permit};
use api::serve::{Held, check_json, discard, read_body};
use api::{Access, Api as _, Problem, ProblemCode};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use http_body_util::Full;
use hub::{Hub, Scoped};
use mcp::{Client, Endpoint, Settings};
use sdk::{EndOutcome, Error, Verbatim};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Largest body in bytes: a message of 16 MiB, as for the API.
const LIMIT: usize = 16 << 20;
/// Calls of one key at a time: an agent may wait for some answers at once.
const CALLS: usize = 256;
/// Longest name of an agent in the name of a session, in characters.
const AGENT: usize = 64;
/// The header by which a client names its session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// State that the handlers share. Clones share state.
#[derive(Clone)]
struct Tools {
    hub: Hub,
    endpoint: Endpoint,
    /// Calls of each key.
    places: LongRequests,
    running: Running,
}

/// Guards that a call holds until it ends.
type Call = (Option<Permit>, Option<Begun>, DropGuard);

impl Tools {
    /// Begins a call, which its client may cancel by its name. `left` is cancelled then, and when the credential ends.
    fn begin(
        &self,
        key: Option<&str>,
        name: Option<String>,
        credential: Credential,
        left: &CancellationToken,
    ) -> Result<Call, Problem> {
        let place =
            key.map(|key| self.places.take(key, CALLS, ProblemCode::TooManyCalls, "calls of tools")).transpose()?;
        let begun = name.map(|name| self.running.begin(name, left.clone()));
        let ended = CancellationToken::new();
        let (hub, left, until) = (self.hub.clone(), left.clone(), ended.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = over(hub, credential) => left.cancel(),
                () = until.cancelled() => {}
            }
        });
        Ok((place, begun, ended.drop_guard()))
    }
}

/// The route, behind the checks of all others.
pub fn routes(hub: &Hub) -> Router {
    let endpoint = Endpoint::new(LIMIT, hub.shutdown.clone());
    let tools = Tools { hub: hub.clone(), endpoint, places: LongRequests::default(), running: Running::default() };
    Router::new().route("/mcp", post(call).delete(end)).with_state(tools)
}

/// Query of the URL.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct McpQuery {
    /// The session to join, or to make by this name.
    session: Option<String>,
    /// Name of the agent, of a new session.
    agent: Option<String>,
    /// Title of a new session.
    title: Option<String>,
}

/// The fields of a message that determine its treatment. The endpoint handles the rest.
#[derive(Default, Deserialize)]
struct Message {
    method: Option<String>,
    id: Option<Value>,
    params: Option<Params>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    request_id: Option<Value>,
    client_info: Option<ClientInfo>,
}

#[derive(Deserialize)]
struct ClientInfo {
    name: String,
}

async fn call(
    State(tools): State<Tools>,
    Extension(scoped): Extension<Scoped>,
    Extension(credential): Extension<Credential>,
    Asked(query): Asked<McpQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut head, body) = request.into_parts();
    if let Err(problem) = scoped.authorize(&[Access::Local, Access::Agent]) {
        discard(body);
        return Err(problem);
    }
    let body = read_body(&head, body, LIMIT).await?;
    check_json(&head, &body)?;
    // The endpoint refuses an invalid message.
    let message: Message = serde_json::from_slice(&body).unwrap_or_default();
    let named = session(&head);
    let caller = scoped.caller.key_id().unwrap_or_default();
    // The client's ids of calls are its own within its session.
    let whose = |id: &Value| Some(format!("{caller} {} {id}", named.as_deref()?));
    if message.method.as_deref() == Some("notifications/cancelled")
        && let Some(name) = message.params.as_ref().and_then(|params| whose(params.request_id.as_ref()?))
    {
        tools.running.cancel(&name);
    }
    let left = CancellationToken::new();
    let during = match &message.id {
        Some(id) => Some(tools.begin(scoped.caller.key_id(), whose(id), credential, &left)?),
        None => None,
    };
    let begins = message.method.as_deref() == Some("initialize") && named.is_none();
    let client_info = message.params.and_then(|params| params.client_info);
    let new = begins.then(|| new_name(&client_info.map(|client| client.name).unwrap_or_default()));
    let agent = query.agent.or_else(|| named_agent(named.as_deref()?));
    let settings =
        Settings { session: query.session.or(named), agent, title: query.title, shared: true, ..Settings::default() };
    let held = head.extensions.remove::<Held>();
    let verbatim = Verbatim::over(in_process(&scoped.for_model()));
    let client = Client::new(verbatim, settings).leaving(left).keeping(held, during);
    head.extensions = Extensions::new();
    let response = tools.endpoint.answer(axum::http::Request::from_parts(head, Full::from(body)), client).await;
    let mut response = response.map(Body::new);
    if let Some(name) = new.and_then(|name| HeaderValue::try_from(name).ok()) {
        response.headers_mut().insert(SESSION, name);
    }
    Ok(response)
}

/// The client says that it is done.
async fn end(Extension(scoped): Extension<Scoped>, request: Request) -> Result<StatusCode, Problem> {
    scoped.authorize(&[Access::Local, Access::Agent])?;
    let (head, body) = request.into_parts();
    discard(body);
    let missing = || Problem::new(ProblemCode::NoSession, "The `Mcp-Session-Id` header is missing");
    let name = session(&head).ok_or_else(missing)?;
    match Verbatim::over(in_process(&scoped)).session(&name).end(EndOutcome::Done).await {
        // It may have called no tool, and so have no session.
        Ok(()) | Err(Error::NotFound(_)) => Ok(StatusCode::NO_CONTENT),
        Err(error) => Err(error.problem().cloned().unwrap_or_else(Problem::internal)),
    }
}

/// A name for the session of a client that begins: later requests don't say which agent they are of.
fn new_name(client: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let agent: String = mcp::agent_of(client).chars().map(plain).take(AGENT).collect();
    format!("{agent}.{}", uuid::Uuid::now_v7())
}

/// The agent in a name that [`new_name`] made.
fn named_agent(name: &str) -> Option<String> {
    let (agent, id) = name.split_once('.')?;
    (!agent.is_empty() && uuid::Uuid::parse_str(id).is_ok()).then(|| agent.to_owned())
}

fn session(head: &Parts) -> Option<String> {
    let name = head.headers.get(&SESSION)?.to_str().ok()?;
    (!name.trim().is_empty()).then(|| name.to_owned())
}

/// Calls that can be cancelled, by caller, session and the client's id of the call. Cheap to clone; clones share state.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<HashMap<String, CancellationToken>>>);

/// A call that runs. It is forgotten when this is dropped.
struct Begun {
    name: String,
    running: Running,
}

impl Running {
    fn begin(&self, name: String, left: CancellationToken) -> Begun {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), left);
        Begun { name, running: self.clone() }
    }

    fn cancel(&self, name: &str) {
        if let Some(left) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            left.cancel();
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}
