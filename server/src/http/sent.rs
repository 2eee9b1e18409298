//! Until an answer is sent: what was posted stays charged to its request, and the client may have closed its half of the
//! connection.

use super::slots::Busy;
use super::socket::End;
use api::serve::Held;
use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Gives back what the request was charged, and lets the end of the connection be seen, when the answer has been sent.
pub fn until_sent(answer: Response, held: Held, busy: Busy, end: End) -> Response {
    answer.map(|body| Body::new(Sent { body, end, _held: held, _busy: busy }))
}

struct Sent {
    body: Body,
    end: End,
    _held: Held,
    _busy: Busy,
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.end.release();
    }
}

impl hyper::body::Body for Sent {
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
