//! The accept loop. Our own, since `axum::serve` has no timeout for request heads: a few slow clients could hold all
//! sockets.

use super::forwarded::{self, ClientAddress};
use super::headers::is_stream;
use super::sent::until_sent;
use super::slots::{Busy, Seat, Slots};
use super::slow_body::Paced;
use super::socket::{End, Socket};
use super::stopping::{Open, Stopping};
use super::web_app;
use crate::public_url::PublicUrl;
use crate::reach::Reach;
use crate::tls;
use api::serve::Budget;
use api::{Problem, ProblemCode};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use futures::poll;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use std::convert::Infallible;
use std::error::Error;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 100;
/// Heads up to here are read, so that they are refused with a word: hyper has none. A browser may send 180 cookies of 4 KiB, which
/// each page of this host can set.
const READ_BYTES: u32 = 768 << 10;
const READ_HEADERS: usize = 2 * HEADERS;
/// How paths end, or begin behind the path of the public URL, whose answers wait for something to happen.
const WAITS: &str = "/pending";
const HOOKS: &str = "/v1/hooks/";
/// How often a connection of HTTP/2 is asked whether it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
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
    reach: Reach,
    stopping: Stopping,
    shutdown: CancellationToken,
) {
    let (slots, budget, graceful) = (Slots::new(connections), Budget::new(BODIES), GracefulShutdown::new());
    let (protocols, reach) = (Arc::new(Protocols::new()), Arc::new(reach));
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
        let desk = Desk {
            router: router.clone(),
            budget: budget.clone(),
            seat: slot.seat(),
            peer: from.ip(),
            reach: Arc::clone(&reach),
            opened: Opened::now(),
            end: End::default(),
            stopping: stopping.clone(),
            open: Arc::new(stopping.connection()),
        };
        let (protocols, watcher) = (Arc::clone(&protocols), graceful.watcher());
        tokio::spawn(async move {
            tokio::select! {
                ended = protocols.serve(stream, desk, watcher) => if let Err(error) = ended {
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

/// How a connection ended.
type Served = Result<(), Box<dyn Error + Send + Sync>>;

/// How a connection is spoken on.
struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Protocols {
    fn new() -> Self {
        let (mut http1, mut http2) = (http1::Builder::new(), http2::Builder::new(TokioExecutor::new()));
        let timer = TokioTimer::new;
        http1
            .timer(timer())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(READ_BYTES as usize)
            .max_headers(READ_HEADERS);
        http2.timer(timer()).max_header_list_size(READ_BYTES).keep_alive_interval(KEEP_ALIVE);
        Self { http1, http2 }
    }

    /// Serves a connection to its end. All but the usual way is in boxes, so that thousands of connections don't hold its room.
    async fn serve(&self, stream: TcpStream, desk: Desk, watcher: Watcher) -> Served {
        if let Some(tls) = &desk.reach.tls
            && begins_with_tls(&stream).await?
        {
            let acceptor = tls.acceptor.clone();
            return Box::pin(self.tls(acceptor, stream, desk, watcher)).await;
        }
        if desk.reach.may_be_plain(desk.peer, stream.local_addr()?.ip()) {
            return self.http1(stream, desk, watcher).await;
        }
        match desk.reach.url.clone() {
            Some(url) => Box::pin(self.redirect(stream, url, desk.reach.authority.clone(), watcher)).await,
            None => Ok(()),
        }
    }

    async fn tls(&self, acceptor: TlsAcceptor, stream: TcpStream, desk: Desk, watcher: Watcher) -> Served {
        let stream = tokio::time::timeout(HEAD_TIMEOUT, acceptor.accept(stream)).await??;
        match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => {}
            // The handshake was the question and its answer.
            Some(tls::ACME) => return Ok(()),
            _ => return self.http1(stream, desk, watcher).await,
        }
        let socket = TokioIo::new(Socket::new(stream, desk.end.clone()));
        let service = service_fn(move |request| desk.clone().answer_apart(request));
        Ok(watcher.watch(self.http2.serve_connection(socket, service)).await?)
    }

    /// Leads another machine to the public URL. A device that is yet to trust the authority gets its certificate.
    async fn redirect(
        &self,
        stream: TcpStream,
        url: PublicUrl,
        authority: Option<Arc<[u8]>>,
        watcher: Watcher,
    ) -> Served {
        let service = service_fn(move |request: Request<_>| {
            let path = request.uri().path();
            let asks_for_authority = path.strip_prefix(url.base()).unwrap_or(path) == web_app::AUTHORITY;
            let answer = if asks_for_authority && request.method() == Method::GET {
                web_app::authority(authority.as_deref())
            } else {
                with_tls(&request, &url)
            };
            async { Ok::<_, Infallible>(answer) }
        });
        Ok(watcher.watch(self.http1.serve_connection(TokioIo::new(stream), service)).await?)
    }

    async fn http1<S>(&self, stream: S, desk: Desk, watcher: Watcher) -> Served
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let socket = TokioIo::new(Socket::new(stream, desk.end.clone()));
        let service = service_fn(move |request| {
            // Hyper may see the end of the connection before it lets anybody begin with the request.
            desk.end.hold();
            desk.clone().answer(request)
        });
        Ok(watcher.watch(self.http1.serve_connection(socket, service)).await?)
    }
}

/// Waits for the first byte: TLS begins with a handshake record, and HTTP with a letter.
async fn begins_with_tls(stream: &TcpStream) -> std::io::Result<bool> {
    const HANDSHAKE: u8 = 22;
    let mut first = [0];
    let read = tokio::time::timeout(HEAD_TIMEOUT, stream.peek(&mut first)).await?;
    Ok(read? == 1 && first == [HANDSHAKE])
}

/// The answer to a request of another machine without TLS: its credential isn't even looked at.
fn with_tls<B>(request: &Request<B>, url: &PublicUrl) -> Response {
    let mut response = if matches!(*request.method(), Method::GET | Method::HEAD) {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let (origin, base) = (url.origin(), url.base());
        // A proxy may have taken the path off.
        let base = if path.starts_with(base) { "" } else { base };
        Redirect::permanent(&format!("{origin}{base}{path}")).into_response()
    } else {
        let problem = Problem::new(ProblemCode::TlsRequired, "Other machines are served with TLS only");
        problem.hint(format!("Use {url}")).into_response()
    };
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
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

/// Answers the requests of one connection.
#[derive(Clone)]
struct Desk {
    router: Router,
    budget: Budget,
    seat: Seat,
    /// Who opened the connection: a client, or a proxy.
    peer: IpAddr,
    reach: Arc<Reach>,
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
        let Self { router, budget, seat, peer, reach, opened, end, stopping, open } = self;
        let counted = stopping.request();
        let held = budget.open();
        let busy = Busy::new(&seat);
        let is_proxy = reach.trusts(peer);
        let mut client = peer;
        if let Some(url) = reach.url.as_ref().filter(|_| is_proxy) {
            if forwarded::is_plain(request.headers()) {
                end.release();
                return Ok(with_tls(&request, url));
            }
            client = forwarded::client(request.headers()).unwrap_or(peer);
            forwarded::set_host(request.headers_mut(), |host| url.is_host(host));
        }
        if let Some(name) = reach.user_header.as_ref().filter(|_| !is_proxy) {
            request.headers_mut().remove(name);
        }
        let extensions = request.extensions_mut();
        extensions.insert(opened);
        extensions.insert(ClientAddress(client));
        extensions.insert(end.clone());
        extensions.insert(seat.clone());
        extensions.insert(held.clone());
        if !fits(&request) {
            end.release();
            return Ok(too_large());
        }
        let waits = waits(&request);
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
            // It ends with its client.
            end.release();
            open.close();
        } else if stopping.is_asked() {
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(until_sent(answer, held, busy, end))
    }

    /// Answers one of the requests that share a connection. It has a task of its own, so that it is done to its end whatever
    /// becomes of the connection.
    async fn answer_apart(self, mut request: Request<Incoming>) -> Result<Response, Infallible> {
        let desk = Self { end: End::default(), ..self };
        let host = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
        if let Some(host) = host {
            // As in a request of HTTP/1.1, so that one place says who is meant.
            request.headers_mut().entry(header::HOST).or_insert(host);
        }
        if waits(&request) {
            return desk.answer(request).await;
        }
        match tokio::spawn(desk.answer(request)).await {
            Ok(answer) => answer,
            Err(_) => Ok(Problem::internal().into_response()),
        }
    }
}

/// Returns true if the answer waits for something to happen.
fn waits<B>(request: &Request<B>) -> bool {
    let path = request.uri().path();
    path.ends_with(WAITS) || path.contains(HOOKS)
}

/// Returns true if the head is no larger than heads may be.
fn fits(request: &Request<Incoming>) -> bool {
    /// The bytes between a header's name and its value, and behind it.
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
