//! The accept loop. Our own, since `axum::serve` has no timeout for request heads: a few slow clients could hold all
//! sockets.

use super::connection::{Connection, Watched};
use axum::Router;
use axum::extract::Request;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const CONNECTIONS: usize = 1024;
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 100;
/// How long open requests may take to end.
const GRACE: Duration = Duration::from_secs(3);
/// After an error of `accept` itself, as when the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets open requests end.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(HEAD_BYTES).max_headers(HEADERS);
    loop {
        let slot = tokio::select! {
            () = shutdown.cancelled() => break,
            slot = slots.clone().acquire_owned() => match slot { Ok(slot) => slot, Err(_) => break },
        };
        let stream = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
        };
        // Events are small: without this they'd wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let here = Connection::new();
        let told = here.clone();
        let service = router.clone().map_request(move |mut request: Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(told.clone());
            request
        });
        let connection =
            http.serve_connection(TokioIo::new(Watched(stream, here.clone())), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let ended = connection.await;
            if let Err(error) = &ended {
                tracing::debug!(%error, "a connection ended");
            }
            here.end(&ended);
            drop(slot);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}
