//! Before each call: who asks, what the body says, and whether it came before.

use super::refusal::Refusal;
use super::repeats::{Answer, Asked, Repeats, Ticket, Worth};
use crate::http::accept::Opened;
use crate::http::guard::{self, Doors};
use crate::http::socket::End;
use api::serve::Held;
use api::{Access, Api as _, Problem, ProblemCode};
use axum::body::{Bytes, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hub::Scoped;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Largest body in bytes. Diffs come whole and a third longer for the way, though the first MiB is kept.
const LIMIT: usize = 28 << 20;

/// Larger ones, and those that don't say how large they are, are taken a few at a time.
const SMALL: u64 = 256 << 10;
const LARGE_AT_ONCE: usize = 4;

/// State that the calls share.
#[derive(Clone)]
pub struct Receiver {
    doors: Doors,
    repeats: Repeats,
    large: Arc<Semaphore>,
}

impl Receiver {
    pub fn new(doors: &Doors) -> Self {
        let large = Arc::new(Semaphore::new(LARGE_AT_ONCE));
        Self { doors: doors.clone(), repeats: Repeats::default(), large }
    }
}

/// A call, as its handler gets it.
#[derive(Clone)]
pub struct Call {
    pub scoped: Scoped,
    /// Null without a body.
    pub body: Arc<Value>,
    pub query: HashMap<String, String>,
    pub ticket: Ticket,
}

/// Extension of an answer that told nothing: whoever asks again is to be told what is new.
#[derive(Clone, Copy)]
pub struct NothingDone;

pub async fn receive(State(receiver): State<Receiver>, request: Request, next: Next) -> Response {
    match admit(&receiver, request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

async fn admit(receiver: &Receiver, request: Request, next: Next) -> Result<Response, Refusal> {
    let (mut head, body) = request.into_parts();
    let scoped = match caller(receiver, &head.headers).await {
        Ok(scoped) => scoped,
        Err(refusal) => {
            api::serve::discard(body);
            return Err(refusal);
        }
    };
    if let Err(problem) = guard::seat(&head.extensions, &scoped.caller) {
        api::serve::discard(body);
        return Ok(guard::closing(Refusal::from(problem).into_response()));
    }
    let too_large = || Refusal::new(413, "Request body is too large");
    // One that says so is refused before it comes.
    if body.size_hint().lower() > LIMIT as u64 {
        api::serve::discard(body);
        return Err(too_large());
    }
    // Held until it is answered: what the body became lies in memory as long.
    let turn = match body.size_hint().exact() {
        Some(bytes) if bytes <= SMALL => None,
        _ => Some(Arc::clone(&receiver.large).try_acquire_owned().map_err(|_| busy())?),
    };
    let body = api::serve::read_body(&head, body, LIMIT).await.map_err(|problem| match problem.status {
        413 => too_large(),
        _ => problem.into(),
    })?;
    api::serve::check_json(&head, &body)?;
    let json = read(&body)?;
    let query = head.uri.query().unwrap_or_default();
    let query: HashMap<String, String> = serde_html_form::from_str(query).unwrap_or_default();
    let asked = Asked {
        hash: hash(&scoped, &head.method, &head.uri.to_string(), &body),
        opened: head.extensions.get::<Opened>().copied().unwrap_or_else(Opened::now),
    };
    drop(body);
    let end = head.extensions.get::<End>().cloned();
    let admitted = receiver.repeats.admit(&asked);
    let (mut told, listener) = (admitted.told, admitted.listener);
    if let Some(tell) = admitted.tell {
        let held = head.extensions.get::<Held>().cloned();
        head.extensions.insert(Call { scoped, body: Arc::new(json), query, ticket: admitted.ticket });
        let request = Request::from_parts(head, axum::body::Body::empty());
        let repeats = receiver.repeats.clone();
        // By itself: a client that hangs up doesn't stop it half-way.
        tokio::spawn(async move {
            let _until_answered = (turn, held);
            let answer = answer(next.run(request).await).await;
            let worth = answer.worth;
            tell.send_replace(Some(answer));
            if worth == Worth::Forgotten {
                repeats.forget(&asked, admitted.number);
            }
        });
    }
    // It is done by itself: from now on a client that hangs up is seen to.
    if let Some(end) = end {
        end.release();
    }
    let answer = told.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
    listener.heard();
    let answer = answer.ok_or_else(|| Refusal::new(500, "Internal server error"))?;
    Ok(answer.response())
}

/// Agents and this machine's commands: a browser's cookie opens nothing here.
async fn caller(receiver: &Receiver, headers: &HeaderMap) -> Result<Scoped, Refusal> {
    let refused = || Refusal::new(401, "Invalid API key");
    let (caller, _) = guard::caller(&receiver.doors, headers).await?.ok_or_else(refused)?;
    // These agents tell of a call, never of its result, and give no sign of life while it runs.
    let scoped = Scoped { tells_results: false, ..Scoped::new(receiver.doors.hub.clone(), caller) };
    scoped.authorize(&[Access::Local, Access::Agent]).map_err(|_| refused())?;
    Ok(scoped)
}

fn busy() -> Refusal {
    let busy = Problem::new(ProblemCode::ReadersBusy, format!("{LARGE_AT_ONCE} large requests are being read"));
    Problem { retry_after: Some(2), ..busy }.into()
}

/// The SDK says that every request is JSON, also one without a body.
fn read(body: &[u8]) -> Result<Value, Refusal> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(body).map_err(|error| Refusal::body("json_invalid", &format!("JSON decode error: {error}")))
}

fn hash(scoped: &Scoped, method: &Method, uri: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [scoped.caller.key_id().unwrap_or_default(), method.as_str(), uri] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(body);
    hash.finalize().into()
}

/// The answer as a whole, with what it is worth to a repeat.
async fn answer(response: Response) -> Answer {
    let (head, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_else(|_| Bytes::new());
    let worth = if head.status.is_server_error() {
        Worth::Unknown
    } else if head.status.is_success() && head.extensions.get::<NothingDone>().is_none() {
        Worth::Kept
    } else {
        Worth::Forgotten
    };
    Answer { status: head.status, headers: head.headers, body, worth }
}
