//! Metrics of the hub, for whoever operates the server. They hold no content, and the values of their labels are
//! constants, so that no request can add a series.

use crate::context::Hub;
use crate::context::compute::{Lane, Load};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Span;

/// Upper bounds of durations in seconds.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// One label and its value.
type Label = [(&'static str, &'static str); 1];

/// All metrics of a hub. Clones share their values.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// By outcome.
    writes: Family<Label, Counter>,
    batch_sizes: Histogram,
    batch_times: Histogram,
    queue: Gauge,
    streams: Gauge,
    import_files: Counter,
    import_bytes: Counter,
    import_failures: Counter,
    /// By lane.
    compute_threads: Family<Label, Gauge>,
    compute_busy: Family<Label, Gauge>,
    compute_waiting: Family<Label, Gauge>,
    store_size: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            writes: Family::default(),
            batch_sizes: Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            batch_times: Self::durations(),
            queue: Gauge::default(),
            streams: Gauge::default(),
            import_files: Counter::default(),
            import_bytes: Counter::default(),
            import_failures: Counter::default(),
            compute_threads: Family::default(),
            compute_busy: Family::default(),
            compute_waiting: Family::default(),
            store_size: Gauge::default(),
        }
    }
}

impl Metrics {
    /// Returns an empty histogram of durations in seconds, from 1 ms to 10 s.
    pub fn durations() -> Histogram {
        Histogram::new(SECONDS)
    }

    /// Adds all metrics to a registry, with their names and what they mean.
    pub fn register(&self, registry: &mut Registry) {
        let mut gauge = |name: &str, help: &str, gauge: &Gauge| registry.register(name, help, gauge.clone());
        gauge("verbatim_writer_queue", "Writes that wait for the next transaction", &self.queue);
        gauge("verbatim_event_streams", "Open event streams", &self.streams);
        gauge("verbatim_store_size_bytes", "Size of the database", &self.store_size);
        let mut counter = |name: &str, help: &str, counter: &Counter| registry.register(name, help, counter.clone());
        counter("verbatim_import_files", "Files that imports are done with", &self.import_files);
        counter("verbatim_import_bytes", "Bytes read from transcripts", &self.import_bytes);
        counter(
            "verbatim_import_failures",
            "Times that a file could not be imported or read on",
            &self.import_failures,
        );
        let mut lane = |name: &str, help: &str, family: &Family<Label, Gauge>| {
            registry.register(name, help, family.clone());
        };
        lane("verbatim_compute_threads", "Threads for computation over content", &self.compute_threads);
        lane("verbatim_compute_busy", "Threads that compute", &self.compute_busy);
        lane("verbatim_compute_waiting", "Jobs that wait for a thread", &self.compute_waiting);
        let mut histogram = |name: &str, help: &str, histogram: &Histogram| {
            registry.register(name, help, histogram.clone());
        };
        histogram("verbatim_writer_batch_size", "Writes in a transaction", &self.batch_sizes);
        histogram("verbatim_writer_batch_duration_seconds", "Time of a transaction of writes", &self.batch_times);
        registry.register("verbatim_writes", "Writes of agents and people, by outcome", self.writes.clone());
    }

    /// Counts an open event stream until the returned value is dropped, which also logs it in `span`.
    pub fn stream(&self, span: Span) -> Stream {
        self.streams.inc();
        Stream { streams: self.streams.clone(), span, began: Instant::now(), outcome: "left" }
    }

    /// Counts a transaction of the writer, given what became of each write: `stored`, `refused` or `failed`.
    pub(crate) fn count_batch(&self, outcomes: &[&'static str], took: Duration) {
        for outcome in outcomes {
            self.writes.get_or_create(&[("outcome", *outcome)]).inc();
        }
        self.batch_sizes.observe(outcomes.len() as f64);
        self.batch_times.observe(took.as_secs_f64());
        let failed = outcomes.iter().filter(|outcome| **outcome == "failed").count();
        tracing::debug!(failed, duration_ms = milliseconds(took), "written");
    }

    /// Counts a file that an import is done with.
    pub(crate) fn count_file(&self) {
        self.import_files.inc();
    }

    /// Counts bytes that were read of a transcript.
    pub(crate) fn count_read(&self, bytes: u64) {
        self.import_bytes.inc_by(bytes);
    }

    /// Counts a file that could not be imported or read on.
    pub(crate) fn count_failed_file(&self) {
        self.import_failures.inc();
    }

    fn set_load(&self, name: &'static str, Load { threads, busy, waiting }: Load) {
        let set = |family: &Family<Label, Gauge>, value: usize| {
            family.get_or_create(&[("lane", name)]).set(value as i64);
        };
        set(&self.compute_threads, threads);
        set(&self.compute_busy, busy);
        set(&self.compute_waiting, waiting);
    }
}

impl Hub {
    /// Updates the metrics that are not counted as things happen: queues, threads, the size of the database.
    pub async fn measure(&self) {
        self.metrics.queue.set(self.writer.waiting() as i64);
        self.metrics.set_load("people", self.compute.load(Lane::People));
        self.metrics.set_load("agents", self.compute.load(Lane::Agents));
        match self.store.size().await {
            Ok(size) => {
                self.metrics.store_size.set(size);
            }
            Err(error) => tracing::debug!(%error, "the size of the database can't be read"),
        }
    }
}

/// An open event stream.
#[derive(Debug)]
pub struct Stream {
    streams: Gauge,
    span: Span,
    began: Instant,
    outcome: &'static str,
}

impl Stream {
    /// Notes that the server ends the stream; otherwise its client left.
    pub fn end(&mut self) {
        self.outcome = "ended";
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.streams.dec();
        let duration_ms = milliseconds(self.began.elapsed());
        self.span.in_scope(|| tracing::info!(outcome = self.outcome, duration_ms, "stream"));
    }
}

/// Returns a duration in milliseconds, for the log.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
