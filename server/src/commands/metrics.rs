//! A summary of a running server's metrics, for `verbatim doctor`.

use crate::door::{self, Server};
use api::Problem;
use app::figures::{bytes, count, counted};

/// More failures than one in so many requests are unusual.
const REQUESTS_PER_FAILURE: f64 = 100.0;
/// Fewer failures than these are chance.
const FAILURES: f64 = 5.0;
/// The quantile of request durations that is shown.
const MOST: f64 = 0.99;
/// The end of routes whose responses wait for something to happen: their durations are left out.
const WAITS: &str = "/pending";

/// Returns a line for each kind of metric, none without a running server.
pub async fn lines(server: &Server) -> Vec<String> {
    let Server::Answers(credential) = server else { return Vec::new() };
    match read(credential).await {
        Ok(text) => summary(&Samples::read(&text)),
        Err(problem) => vec![format!("warn  metrics          {}", problem.to_string().replace('\n', "; "))],
    }
}

async fn read(credential: &crate::data_dir::Credential) -> Result<String, Problem> {
    let verbatim =
        door::connect(&credential.url, &credential.key).map_err(|error| Problem::transport(error.to_string()))?;
    let text = verbatim.client().get_bytes("/metrics").await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn summary(samples: &Samples<'_>) -> Vec<String> {
    let requests = samples.sum("verbatim_http_requests_total");
    let failed = samples.sum_where("verbatim_http_requests_total", |labels| value(labels, "status").starts_with('5'));
    let many = failed >= FAILURES && failed * REQUESTS_PER_FAILURE > requests;
    let within = samples.within().map_or_else(String::new, |seconds| {
        if seconds.is_finite() {
            format!("; 99 % within {} ms", seconds * 1000.0)
        } else {
            "; more than 1 % took longer than 10 s".to_owned()
        }
    });
    let why = if many { "; the log says why" } else { "" };
    let mut lines =
        vec![line(many, "requests", &format!("{}, {} failed{within}{why}", whole(requests), whole(failed)))];

    let (writes, waiting) = (samples.sum("verbatim_writes_total"), samples.sum("verbatim_writer_queue"));
    let long = waiting > hub::writer::QUEUE as f64 / 4.0;
    let why = if long { "; the disk or the database is slower than the agents" } else { "" };
    let batches = counted(samples.sum("verbatim_writer_batch_size_count") as i64, "transaction");
    lines.push(line(long, "writes", &format!("{} in {batches}, {} waiting{why}", whole(writes), whole(waiting))));

    let waiting = samples.sum("verbatim_compute_waiting");
    let (busy, threads) = (samples.sum("verbatim_compute_busy"), samples.sum("verbatim_compute_threads"));
    let long = waiting > threads;
    let jobs = format!("{} of {} threads busy, {} jobs waiting", whole(busy), whole(threads), whole(waiting));
    lines.push(line(long, "computation", &jobs));

    let streams = samples.sum("verbatim_event_streams");
    lines.push(line(false, "streams", &format!("{} open", whole(streams))));
    let files = counted(samples.sum("verbatim_import_files_total") as i64, "file");
    let read = bytes(samples.sum("verbatim_import_bytes_total") as u64);
    let failed = whole(samples.sum("verbatim_import_failures_total"));
    lines.push(line(false, "imports", &format!("{files}, {read} read, {failed} failed")));
    let refused = samples.sum_where("verbatim_http_requests_total", |labels| value(labels, "status") == "429");
    lines.push(line(false, "limits", &format!("{} requests refused with 429", whole(refused))));
    let memory = samples.sum("process_resident_memory_bytes");
    if memory > 0.0 {
        lines.push(line(false, "memory", &bytes(memory as u64)));
    }
    lines.push(line(false, "database size", &bytes(samples.sum("verbatim_store_size_bytes") as u64)));
    lines
}

fn line(unusual: bool, name: &str, text: &str) -> String {
    format!("{:6}{name:17}{text}", if unusual { "warn" } else { "ok" })
}

fn whole(number: f64) -> String {
    count(number as i64)
}

/// The samples of a response of `/metrics`: names, labels and values.
struct Samples<'t>(Vec<(&'t str, &'t str, f64)>);

impl<'t> Samples<'t> {
    /// Reads the text format of Prometheus, as this server writes it: without timestamps.
    fn read(text: &'t str) -> Self {
        let samples = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (series, value) = line.rsplit_once(' ')?;
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            Some((name, labels, value.parse().ok()?))
        });
        Self(samples.collect())
    }

    fn sum(&self, name: &str) -> f64 {
        self.sum_where(name, |_| true)
    }

    fn sum_where(&self, name: &str, wanted: impl Fn(&str) -> bool) -> f64 {
        self.0.iter().filter(|(found, labels, _)| *found == name && wanted(labels)).map(|(_, _, value)| value).sum()
    }

    /// Returns the upper bound in seconds of 99 % of the durations.
    fn within(&self) -> Option<f64> {
        let buckets = self.0.iter().filter(|(name, labels, _)| {
            *name == "verbatim_http_request_duration_seconds_bucket" && !value(labels, "route").ends_with(WAITS)
        });
        let mut bounds: Vec<(f64, f64)> = Vec::new();
        for (_, labels, requests) in buckets {
            let bound = value(labels, "le").parse().unwrap_or(f64::INFINITY);
            match bounds.iter_mut().find(|(known, _)| known.total_cmp(&bound).is_eq()) {
                Some((_, sum)) => *sum += requests,
                None => bounds.push((bound, *requests)),
            }
        }
        bounds.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let all = bounds.last().map(|(_, requests)| *requests)?;
        bounds.into_iter().find(|(_, requests)| *requests >= all * MOST).map(|(bound, _)| bound)
    }
}

/// Returns the value of a label, empty if there is none. No value of ours contains a quote.
fn value<'l>(labels: &'l str, name: &str) -> &'l str {
    let start = labels.split_once(&format!("{name}=\"")).map_or("", |(_, rest)| rest);
    start.split_once('"').map_or("", |(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# HELP verbatim_http_requests_total Requests that were answered.
# TYPE verbatim_http_requests_total counter
verbatim_http_requests_total{method="GET",route="/v1/sessions/{session}",status="200"} 1201
verbatim_http_requests_total{method="POST",route="/v1/sessions",status="503"} 3
verbatim_http_request_duration_seconds_bucket{le="0.01",method="GET",route="/v1/sessions/{session}"} 1190
verbatim_http_request_duration_seconds_bucket{le="0.025",method="GET",route="/v1/sessions/{session}"} 1200
verbatim_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/v1/sessions/{session}"} 1201
verbatim_http_request_duration_seconds_bucket{le="0.01",method="POST",route="/v1/sessions"} 1
verbatim_http_request_duration_seconds_bucket{le="0.025",method="POST",route="/v1/sessions"} 3
verbatim_http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/v1/sessions"} 3
verbatim_http_request_duration_seconds_bucket{le="0.01",method="POST",route="/v1/sessions/{session}/pending"} 0
verbatim_http_request_duration_seconds_bucket{le="0.025",method="POST",route="/v1/sessions/{session}/pending"} 0
verbatim_http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/v1/sessions/{session}/pending"} 900
verbatim_writes_total{outcome="stored"} 310
verbatim_writer_batch_size_count 42
verbatim_writer_queue 0
verbatim_compute_threads{lane="people"} 2
verbatim_compute_threads{lane="agents"} 1
verbatim_event_streams 2
verbatim_import_files_total 1
verbatim_import_bytes_total 7000
verbatim_store_size_bytes 48000000
process_resident_memory_bytes 25000000
"#;

    #[test]
    fn what_is_usual() {
        let expected = [
            "ok    requests         1,204, 3 failed; 99 % within 25 ms",
            "ok    writes           310 in 42 transactions, 0 waiting",
            "ok    computation      0 of 3 threads busy, 0 jobs waiting",
            "ok    streams          2 open",
            "ok    imports          1 file, 7.0 KB read, 0 failed",
            "ok    limits           0 requests refused with 429",
            "ok    memory           25 MB",
            "ok    database size    48 MB",
        ];
        assert_eq!(summary(&Samples::read(TEXT)), expected.map(str::to_owned));
    }

    #[test]
    fn what_is_unusual() {
        let text = TEXT
            .replace("status=\"503\"} 3", "status=\"503\"} 40")
            .replace("verbatim_writer_queue 0", "verbatim_writer_queue 2000")
            .replace("process_resident_memory_bytes 25000000\n", "verbatim_compute_waiting{lane=\"agents\"} 32\n");
        let lines = summary(&Samples::read(&text));
        let unusual: Vec<&String> = lines.iter().filter(|line| !line.starts_with("ok    ")).collect();
        let expected = [
            "warn  requests         1,241, 40 failed; 99 % within 25 ms; the log says why",
            "warn  writes           310 in 42 transactions, 2,000 waiting; the disk or the database is slower than the agents",
            "warn  computation      0 of 3 threads busy, 32 jobs waiting",
        ];
        assert_eq!(unusual, expected);
    }
}
