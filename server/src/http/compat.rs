//! The agent API of an older product, as its published SDK speaks it: agents that were written for it work with us by
//! changing their base URL and key.
//!
//! An adapter: it speaks to [`api::Api`], as everything does, and nothing elsewhere knows of it. One call a file:
//! [`send`], [`say`], [`pending`], [`ask`], [`instances`] (register, show, end), and beside them [`git_diff`], which a
//! message may bring. [`receive`] is what happens before each: credential, body, and [`repeats`], which knows a request
//! that comes again since its answer was lost. [`fields`] and [`refusal`] read and refuse as the older product did;
//! [`shapes`] writes its messages and instances.
//!
//! Their agent instance is our session, under the same UUID; what they call the last message read is how far we
//! delivered.

mod ask;
mod fields;
mod git_diff;
mod instances;
mod pending;
mod receive;
mod refusal;
mod repeats;
mod say;
mod send;
mod shapes;

use super::guard::Doors;
use axum::routing::{any, get, patch, post, put};
use axum::{Json, Router};
use refusal::Refusal;
use serde_json::json;

/// All routes, with their own check of the credential.
pub fn routes(doors: &Doors) -> Router {
    Router::new()
        .route("/api/v1/messages/agent", post(send::send))
        .route("/api/v1/messages/user", post(say::say))
        // Asked for its head alone, it would take what nobody gets to see.
        .route("/api/v1/messages/pending", get(pending::pending).head(not_allowed))
        .route("/api/v1/messages/{message}/request-input", patch(ask::ask))
        .route("/api/v1/sessions/end", post(instances::end))
        .route("/api/v1/agent-instances", post(instances::register))
        .route("/api/v1/agent-instances/{instance}", get(instances::show))
        .route("/api/v1/agent-instances/{instance}/status", put(instances::set_status))
        .route("/api/v1/agent-instances/{instance}/messages", get(instances::messages))
        .route("/api/v1/agents/instances/{instance}/heartbeat", post(instances::heartbeat))
        .route("/api/v1/auth/verify", get(instances::verify))
        .route("/api/v1/{*rest}", any(async || Refusal::new(404, "Not Found")))
        .method_not_allowed_fallback(not_allowed)
        .layer(axum::middleware::from_fn_with_state(receive::Receiver::new(doors), receive::receive))
        // Open, like `/healthz`.
        .route("/health", get(async || Json(json!({"status": "healthy", "server": "unified"}))))
}

async fn not_allowed() -> Refusal {
    Refusal::new(405, "Method Not Allowed")
}
