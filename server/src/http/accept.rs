//! The accept loop. Our own, since `axum::serve` has no timeout for request heads: a few slow clients could hold all
//! sockets.

use super::sent::until_sent;
use super::slots::{Seat, Slots};
use super::slow_body::Paced;
use super::socket::{End, Socket};
use super::stopping::{Open, Stopping};
use api::serve::Budget;
use api::{Problem, ProblemCode};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures::poll;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 100;
/// Heads up to here are read, so that they are refused with a word: hyper has none. A browser may send 180 cookies of 4 KiB, which
/// each page of this host can set.
const READ_BYTES: usize = 768 << 10;
const READ_HEADERS: usize = 2 * HEADERS;
/// How paths end, or begin, whose answers wait for something to happen.
const WAITS: &str = "/pending";
const HOOKS: &str = "/v1/hooks/";
/// How long open requests may take to end.
const GRACE: Duration = Duration::from_secs(3);
/// Bytes of request bodies that are held in memory at a time. A larger one is read while there is no other.
const BODIES: usize = 48 << 20;
/// After an error of `accept` itself, as when the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until it is asked to stop, then lets open requests end: those that wait for something to happen by `shutdown`,
/// which it cancels once the others are answered.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    stopping: Stopping,
    shutdown: CancellationToken,
) {
    let (slots, budget, graceful) = (Slots::new(connections), Budget::new(BODIES), GracefulShutdown::new());
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(READ_BYTES).max_headers(READ_HEADERS);
    let mut last_accepted = pin!(stopping.last_accepted());
    loop {
        let (stream, from) = tokio::select! {
            () = &mut last_accepted => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
        };
        let Some(slot) = slots.admit(from.ip()) else { continue };
        // Events are small: without this they'd wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let end = End::default();
        let socket = TokioIo::new(Socket::new(stream, end.clone()));
        let (router, budget, seat) = (router.clone(), budget.clone(), slot.seat());
        let open = Arc::new(stopping.connection());
        let desk = Desk { router, budget, seat, opened: Opened::now(), end, stopping: stopping.clone(), open };
        let service = service_fn(move |request| {
            // Hyper may see the end of the connection before it lets anybody begin with the request.
            desk.end.hold();
            desk.clone().answer(request)
        });
        let connection = graceful.watch(http.serve_connection(socket, service));
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                },
                () = slot.evicted() => tracing::debug!("a connection ended: another one needed the room"),
            }
        });
    }
    drop(listener);
    stopping.late_requests().await;
    let mut closed = pin!(graceful.shutdown());
    let all_closed = tokio::select! {
        biased;
        () = &mut closed => true,
        () = stopping.answered() => false,
    };
    shutdown.cancel();
    if !all_closed {
        let _ = tokio::time::timeout(GRACE, closed).await;
    }
}

/// When the connection of a request was opened. Each request carries it as an extension.
#[derive(Debug, Clone, Copy)]
pub struct Opened(Instant);

impl Opened {
    pub fn now() -> Self {
        Self(Instant::now())
    }

    pub fn is_after(self, moment: Instant) -> bool {
        self.0 >= moment
    }
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Desk {
    router: Router,
    budget: Budget,
    seat: Seat,
    opened: Opened,
    end: End,
    stopping: Stopping,
    /// Counts the connection.
    open: Arc<Open>,
}

impl Desk {
    /// Answers a request. What waits for something to happen ends when its client hangs up: nobody is there to be told, and what
    /// is theirs they get when they ask again. Anything else is done to its end.
    async fn answer(self, mut request: Request<Incoming>) -> Result<Response, Infallible> {
        let Self { router, budget, seat, opened, end, stopping, open } = self;
        let counted = stopping.request();
        let held = budget.open();
        seat.set_idle(false);
        let extensions = request.extensions_mut();
        extensions.insert(opened);
        extensions.insert(end.clone());
        extensions.insert(seat.clone());
        extensions.insert(held.clone());
        if !fits(&request) {
            end.release();
            return Ok(too_large());
        }
        let path = request.uri().path();
        let waits = path.ends_with(WAITS) || path.starts_with(HOOKS);
        let mut answer = pin!(router.oneshot(request.map(|body| Paced::new(body, end.clone()))));
        let mut answer = match poll!(answer.as_mut()) {
            Poll::Ready(answer) => answer?,
            Poll::Pending => {
                if waits {
                    end.release();
                    counted.close();
                    open.close();
                }
                answer.await?
            }
        };
        drop(counted);
        if is_stream(&answer) {
            // It is never idle, as nothing else comes on its connection; and it ends with its client.
            end.release();
            open.close();
        } else {
            seat.set_idle(true);
            if stopping.is_asked() {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
        }
        Ok(until_sent(answer, held, end))
    }
}

fn is_stream(answer: &Response) -> bool {
    let kind = answer.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Returns true if the head is no larger than heads may be.
fn fits(request: &Request<Incoming>) -> bool {
    /// What stands between a header's name and its value, and behind it.
    const SIGNS: usize = 4;
    let headers = request.headers();
    let line = request.uri().path_and_query().map_or(0, |asked| asked.as_str().len());
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + SIGNS).sum();
    headers.len() <= HEADERS && line + bytes <= HEAD_BYTES
}

fn too_large() -> Response {
    let title = format!("The head of the request has more than {HEADERS} headers, or {HEAD_BYTES} bytes");
    let hint = "A browser's cookies may be too many: they are deleted, so open a fresh link with `verbatim open`";
    let mut response = Problem::new(ProblemCode::HeadTooLarge, title).hint(hint).into_response();
    // Any page of this host can set cookies for it: else the reader would be locked out.
    response.headers_mut().insert("clear-site-data", HeaderValue::from_static("\"cookies\""));
    response
}
