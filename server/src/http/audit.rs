//! The audit log as a file: one entry a line, oldest first.

use super::export::download;
use api::{Access, Api as _};
use axum::Extension;
use axum::body::Body;
use axum::http::Method;
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use hub::Scoped;
use model::audit::Event;

pub async fn export(Extension(scoped): Extension<Scoped>, method: Method) -> Response {
    if let Err(problem) = scoped.authorize(&[Access::Owner, Access::Local]) {
        return problem.into_response();
    }
    // Before it is read: the export is its last line.
    if method == Method::GET {
        scoped.record(Event::AuditExported).await;
    }
    let workspace = scoped.hub.workspace.clone();
    let lines = stream::try_unfold(0, move |after| {
        let workspace = workspace.clone();
        async move { workspace.audit_lines(after).await.map_err(|error| std::io::Error::other(error.to_string())) }
    });
    download("verbatim-audit.jsonl", "application/x-ndjson", Body::from_stream(lines))
}
