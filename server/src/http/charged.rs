//! Answers that hold what was posted: the memory stays charged to the request until they are sent.

use api::serve::Held;
use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Gives back what the request was charged when the answer has been sent.
pub fn until_sent(answer: Response, held: Held) -> Response {
    if !held.is_charged() {
        return answer;
    }
    answer.map(|body| Body::new(Charged { body, _held: held }))
}

struct Charged {
    body: Body,
    _held: Held,
}

impl hyper::body::Body for Charged {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
