//! Each request as a span, a line of the log and metrics, which `/metrics` returns. A request is named by its method
//! and the pattern of its route, never by its path or query.

use api::serve::Refused;
use api::{Access, Api as _, Problem};
use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hub::{Hub, Metrics, Scoped, milliseconds, with_session};
use prometheus_client::encoding::{EncodeLabelSet, prometheus_text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::Arc;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// The status of a request whose client left before the response, as in nginx.
const LEFT: u16 = 499;
/// The status of a request whose handler panicked: its connection is closed without a response.
const PANICKED: u16 = 500;

/// Logs and counts requests. Clones share their metrics.
#[derive(Clone)]
pub struct Observer(Arc<Inner>);

struct Inner {
    hub: Hub,
    registry: Registry,
    responses: Family<ResponseLabels, Counter>,
    durations: Family<RequestLabels, Histogram>,
    problems: Family<ProblemLabels, Counter>,
    memory: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProblemLabels {
    code: String,
}

impl Observer {
    /// Registers the metrics of the server and of its hub.
    pub fn new(hub: &Hub) -> Self {
        let durations = Family::<RequestLabels, Histogram>::new_with_constructor(Metrics::durations);
        let responses = Family::<ResponseLabels, Counter>::default();
        let problems = Family::<ProblemLabels, Counter>::default();
        let memory: Gauge = Gauge::default();
        let mut registry = Registry::default();
        registry.register("verbatim_http_requests", "Requests that are over", responses.clone());
        registry.register(
            "verbatim_http_request_duration_seconds",
            "Time from a request to the head of its response",
            durations.clone(),
        );
        registry.register("verbatim_http_problems", "Refused requests, by the code of the problem", problems.clone());
        hub.metrics.register(&mut registry);
        if memory_of_process().is_some() {
            registry.register("process_resident_memory_bytes", "Memory of the process", memory.clone());
        }
        Self(Arc::new(Inner { hub: hub.clone(), registry, responses, durations, problems, memory }))
    }
}

/// A request under way. Dropping it logs and counts it: with its response, or because its client left or its handler
/// panicked.
struct Underway {
    observer: Observer,
    labels: RequestLabels,
    span: Span,
    began: Instant,
    status: u16,
    code: Option<String>,
}

impl Drop for Underway {
    fn drop(&mut self) {
        let Inner { responses, durations, problems, .. } = &*self.observer.0;
        let RequestLabels { method, route } = self.labels.clone();
        let status = if std::thread::panicking() { PANICKED } else { self.status };
        let took = self.began.elapsed();
        responses.get_or_create(&ResponseLabels { method, route, status }).inc();
        durations.get_or_create(&self.labels).observe(took.as_secs_f64());
        let code = self.code.take();
        let duration_ms = milliseconds(took);
        self.span.in_scope(|| tracing::info!(status, code, duration_ms, "request"));
        if let Some(code) = code {
            problems.get_or_create(&ProblemLabels { code }).inc();
        }
    }
}

/// Follows a request to the head of its response. Whatever is logged meanwhile is logged in its span, at each level.
pub async fn observe(State(observer): State<Observer>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let labels = RequestLabels { method: method(request.method()), route };
    let span = tracing::error_span!("request", method = labels.method, route = labels.route, session = Empty);
    let within = span.clone();
    let mut underway = Underway { observer, labels, span, began: Instant::now(), status: LEFT, code: None };
    let response = with_session(next.run(request)).instrument(within).await;
    underway.status = response.status().as_u16();
    underway.code = response.extensions().get::<Refused>().map(|refused| refused.0.clone());
    response
}

fn method(method: &Method) -> &'static str {
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// `GET /metrics`: all metrics in the text format of Prometheus, for people who logged in and this machine's own
/// commands.
pub async fn metrics(State(observer): State<Observer>, Extension(scoped): Extension<Scoped>) -> Response {
    if let Err(problem) = scoped.authorize(&[Access::Owner, Access::Local]) {
        return problem.into_response();
    }
    let Inner { hub, registry, memory, .. } = &*observer.0;
    hub.measure().await;
    if let Some(bytes) = memory_of_process() {
        memory.set(bytes);
    }
    let mut text = String::new();
    match prometheus_text::encode(&mut text, registry) {
        Ok(()) => ([(header::CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics can't be written");
            Problem::internal().into_response()
        }
    }
}

/// Returns the resident memory of the process in bytes. Only Linux has this file.
fn memory_of_process() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?;
    kilobytes.parse::<i64>().ok().map(|kilobytes| kilobytes * 1024)
}
