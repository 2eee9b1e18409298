//! The accept loop. Our own, since `axum::serve` has no timeout for request heads: a few slow clients could hold all
//! sockets.

use super::charged::until_sent;
use super::connection::{Connection, Watched};
use super::slots::{Slot, Slots};
use super::slow_body::Paced;
use super::stream::{self, Long};
use api::serve::Budget;
use api::{Problem, ProblemCode};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 100;
/// Heads up to here are read, so that they are refused with a word: hyper has none. A browser may send 180 cookies of 4 KiB, which
/// each page of this host can set.
const READ_BYTES: usize = 768 << 10;
const READ_HEADERS: usize = 2 * HEADERS;
/// How paths end, or begin, whose answers wait for something to happen: whoever closes its half of the connection there is gone.
const WAITS: &str = "/pending";
const HOOKS: &str = "/v1/hooks/";
/// How long open requests may take to end.
const GRACE: Duration = Duration::from_secs(3);
/// Bytes of request bodies that are held in memory at a time. A larger one is read while there is no other.
const BODIES: usize = 48 << 20;
/// After an error of `accept` itself, as when the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets open requests end.
pub async fn serve(listener: TcpListener, router: Router, connections: usize, shutdown: CancellationToken) {
    let (slots, budget) = (Slots::new(connections), Budget::new(BODIES));
    let (graceful, long) = (GracefulShutdown::new(), TaskTracker::new());
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(READ_BYTES).max_headers(READ_HEADERS);
    // Who has said all may wait for the answer.
    http.half_close(true);
    loop {
        let (stream, from) = tokio::select! {
            () = shutdown.cancelled() => break,
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
        let here = Connection::new(Some(stream));
        let slot = Arc::new(slot);
        let (router, long, budget) = (router.clone(), long.clone(), budget.clone());
        let desk = Desk { router, long, budget, connection: here.clone(), slot: slot.clone() };
        let service = service_fn(move |request| desk.clone().answer(request));
        let connection = graceful.watch(http.serve_connection(TokioIo::new(Watched::new(here.clone())), service));
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                },
                () = slot.evicted() => tracing::debug!("a connection ended: another one needed the room"),
            }
            here.end().await;
            drop(slot);
        });
    }
    drop(listener);
    long.close();
    let _ = tokio::time::timeout(GRACE, async { tokio::join!(graceful.shutdown(), long.wait()) }).await;
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Desk {
    router: Router,
    /// Answers that outlast their request, as event streams.
    long: TaskTracker,
    budget: Budget,
    connection: Connection,
    slot: Arc<Slot>,
}

impl Desk {
    async fn answer(self, mut request: Request<Incoming>) -> Result<Response, Infallible> {
        let Self { router, long, budget, connection, slot } = self;
        let (seat, held) = (slot.seat(), budget.open());
        seat.set_idle(false);
        request.extensions_mut().insert(connection.begin());
        request.extensions_mut().insert(seat.clone());
        request.extensions_mut().insert(held.clone());
        if !fits(&request) {
            return Ok(too_large());
        }
        let (version, reads) = (request.version(), request.method() == Method::GET);
        let path = request.uri().path();
        let waits = path.ends_with(WAITS) || path.starts_with(HOOKS);
        let mut answer = std::pin::pin!(router.oneshot(request.map(Paced::new)));
        let answer = tokio::select! {
            biased;
            answer = &mut answer => answer?,
            () = connection.silence() => {
                connection.leave();
                if waits {
                    // Nobody is there to be told what comes. What is theirs they get when they ask again.
                    connection.abandon();
                    return Ok(Response::default());
                }
                answer.await?
            }
        };
        if reads
            && answer.extensions().get::<Long>().is_some()
            && let Some(socket) = connection.take()
        {
            long.spawn(async move {
                tokio::select! {
                    () = stream::send(socket, version, answer) => {}
                    () = slot.evicted() => {}
                }
            });
            return Ok(Response::default());
        }
        seat.set_idle(true);
        Ok(until_sent(answer, held))
    }
}

/// Is the head as small as heads are?
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
