//! Messages of people in a channel, posted by its service. They are authenticated by a signature of the exact bytes.

use super::guard::Doors;
use ::channels::signature::{ID, SIGNATURE, TIMESTAMP};
use api::channels::ChannelPath;
use api::serve::{check_json, read_body};
use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse as _, Response};

/// Largest body in bytes.
const LIMIT: usize = 256 * 1024;

pub async fn incoming(State(doors): State<Doors>, Path(path): Path<ChannelPath>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let answer = async {
        let body = read_body(&head, body, LIMIT).await?;
        check_json(&head, &body)?;
        let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
        let headers = (header(ID), header(TIMESTAMP), header(SIGNATURE));
        hub::channels::incoming::signed(&doors.hub, &path.channel, headers, &body).await
    };
    match answer.await {
        Ok(posted) => Json(posted).into_response(),
        Err(problem) => problem.into_response(),
    }
}
