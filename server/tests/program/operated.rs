//! The log of the server, its metrics, and their summary by `doctor`. None of them holds content.

use crate::support::{PATIENCE, Place, Reply, Server, fixture, said};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};

const SESSION: &str = "5e551003-0000-4000-8000-000000000003";

/// A server whose log is a file.
fn logging(place: Place, arguments: &[&str], level: Option<&str>) -> Server {
    let all = [&["serve", "--listen", "127.0.0.1:0", "--no-discover"], arguments].concat();
    let mut command = place.program(&all);
    match level {
        Some(level) => command.env("RUST_LOG", level),
        None => command.env_remove("RUST_LOG"),
    };
    let log = File::create(place.path("log")).unwrap();
    command.stderr(log);
    Server::spawn(place, command)
}

/// Ends the server and returns what it logged.
fn log_of(mut server: Server) -> String {
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    std::fs::read_to_string(server.place.path("log")).unwrap()
}

/// The lines of a log in JSON, without times.
fn lines(log: &str) -> Vec<Value> {
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let fields = line.as_object_mut().unwrap();
        assert!(fields.remove("timestamp").unwrap().as_str().unwrap().ends_with('Z'));
        if let Some(took) = fields.remove("duration_ms") {
            assert!(took.as_f64().unwrap() >= 0.0);
            fields.insert("duration_ms".to_owned(), json!("[ms]"));
        }
        line
    };
    log.lines().map(line).collect()
}

fn request(method: &str, route: &str, status: u16) -> Value {
    json!({
        "level": "INFO", "message": "request", "status": status, "duration_ms": "[ms]",
        "span": {"name": "request", "method": method, "route": route}, "target": "verbatim::http::observe",
    })
}

fn refused(mut line: Value, code: &str) -> Value {
    line["code"] = json!(code);
    line
}

fn about(session: &str, mut line: Value) -> Value {
    line["span"]["session"] = json!(session);
    line
}

/// Opens an event stream, up to its first event.
fn follow(server: &Server, query: &str) -> BufReader<std::net::TcpStream> {
    let mut stream = server.connect();
    let (host, key) = (server.host(), server.key());
    write!(stream, "GET /v1/events{query} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n\r\n").unwrap();
    let mut events = BufReader::new(stream);
    assert_eq!(Reply::head(&mut events).status, 200);
    let mut line = String::new();
    while line != "event: build\n" {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0);
    }
    events
}

/// The values of `/metrics` by their series, each checked against the text format.
fn figures(server: &Server) -> BTreeMap<String, f64> {
    let answer = server.with_key("GET", "/metrics", "");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let (mut kinds, mut figures) = (BTreeMap::new(), BTreeMap::new());
    for line in answer.text().lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            assert!(help.split_once(' ').is_some_and(|(_, about)| !about.is_empty()), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kinds.insert(name.to_owned(), kind.to_owned()), None, "{line}");
        } else {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let name = series.split('{').next().unwrap();
            let kind = kinds.get(name).map(String::as_str);
            let part = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
            let of_histogram = part.and_then(|name| kinds.get(name)).is_some_and(|kind| kind == "histogram");
            assert!(matches!(kind, Some("counter" | "gauge")) || of_histogram, "{line}");
            assert_eq!(figures.insert(series.to_owned(), value.parse::<f64>().unwrap()), None, "{line}");
        }
    }
    figures
}

/// Those of one name, by their labels.
fn labelled<'f>(figures: &'f BTreeMap<String, f64>, name: &str) -> BTreeMap<&'f str, f64> {
    let labels = |(series, value): (&'f String, &f64)| Some((series.strip_prefix(name)?.strip_prefix('{')?, *value));
    figures.iter().filter_map(labels).collect()
}

#[test]
fn each_request_is_a_line_of_json() {
    let place = Place::new();
    place.out(&["import", fixture("browser/projects").to_str().unwrap()]);
    let server = logging(place, &["--log-format", "json"], None);
    server.with_key("GET", "/v1/me", "");
    server.with_key("GET", &format!("/v1/sessions/{SESSION}/messages?limit=1"), "");
    server.with_key("GET", &format!("/v1/sessions/{}/outline", &SESSION[..8]), "");
    server.with_key("GET", "/v1/sessions/no-such", "");
    server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    server.with_key("POST", "/v1/sessions/s1/messages", r#"{"content": "One"}"#);
    server.with_key("POST", "/v1/sessions/s1/messages", r#"{"content": "Two"}"#);
    server.with_key("POST", "/v1/sessions", r#"{"agent": 7}"#);
    server.get("/metrics", &[]);
    server.get(&format!("/s/{SESSION}"), &[]);
    server.get("/nothing?at=all", &[]);
    server.send("BREW", "/v1/me", &[], "");
    let id = server.with_key("GET", &format!("/v1/sessions/{SESSION}"), "").json()["session"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let log = log_of(server);
    let seen: Vec<Value> = lines(&log).into_iter().filter(|line| line["message"] == "request").collect();
    let expected = [
        request("GET", "/v1/me", 200),
        about(&id, request("GET", "/v1/sessions/{session}/messages", 200)),
        about(&id, request("GET", "/v1/sessions/{session}/outline", 200)),
        refused(request("GET", "/v1/sessions/{session}", 404), "not_found"),
        about("s1", request("POST", "/v1/sessions", 201)),
        about("s1", request("POST", "/v1/sessions/{session}/messages", 201)),
        about("s1", request("POST", "/v1/sessions/{session}/messages", 201)),
        refused(request("POST", "/v1/sessions", 400), "invalid_body"),
        refused(request("GET", "/metrics", 401), "not_logged_in"),
        request("GET", "/s/{session}", 303),
        request("GET", "unmatched", 404),
        refused(request("other", "/v1/me", 401), "not_logged_in"),
        about(&id, request("GET", "/v1/sessions/{session}", 200)),
    ];
    assert_eq!(seen, expected, "{log}");
}

/// By default it holds warnings alone.
#[test]
fn a_log_for_people() {
    let server = logging(Place::new(), &[], None);
    server.with_key("GET", "/v1/me", "");
    assert_eq!(log_of(server), "");
    let server = logging(Place::new(), &[], Some("info"));
    server.with_key("GET", "/v1/sessions/no-such", "");
    let log = log_of(server);
    let line = log.lines().find(|line| line.contains(": request ")).unwrap_or_else(|| panic!("{log}"));
    let (time, line) = line.split_once("  INFO ").unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{log}");
    let (line, took) = line.rsplit_once("duration_ms=").unwrap();
    let expected = "request{method=\"GET\" route=\"/v1/sessions/{session}\"}: verbatim::http::observe: request status=404 \
         code=\"not_found\" ";
    assert_eq!(line, expected);
    assert!(took.parse::<f64>().is_ok(), "{log}");
}

#[test]
fn imports_writes_and_streams_are_logged() {
    let server = logging(Place::new(), &["--log-format", "json"], Some("debug"));
    let file = server.place.write("mill.jsonl", said("mill", 1, "One"));
    let bytes = file.metadata().unwrap().len();
    server.place.out(&["import", "mill.jsonl"]);
    server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    drop(follow(&server, ""));
    while figures(&server)["verbatim_event_streams"] > 0.0 {}
    let open = follow(&server, "?session=s1");
    let log = log_of(server);
    drop(open);
    let lines = lines(&log);
    let seen = |message: &str| lines.iter().filter(|line| line["message"] == message).cloned().collect::<Vec<_>>();
    let imported = json!({
        "level": "INFO", "message": "imported", "files": 1, "bytes": bytes, "sessions": 1, "messages": 1, "notes": 0,
        "failed": 0, "duration_ms": "[ms]", "target": "hub::imports", "span": {"name": "import", "job": 1},
    });
    assert_eq!(seen("imported"), [imported], "{log}");
    let written = json!({
        "level": "DEBUG", "message": "written", "failed": 0, "duration_ms": "[ms]", "target": "hub::context::metrics",
        "span": {"name": "batch", "writes": 1},
    });
    assert_eq!(seen("written"), [written], "{log}");
    let stream = |outcome: &str, span: Value| {
        json!({
            "level": "INFO", "message": "stream", "outcome": outcome, "duration_ms": "[ms]", "target": "hub::context::metrics",
            "span": span,
        })
    };
    let expected =
        [stream("left", json!({"name": "stream"})), stream("ended", json!({"name": "stream", "session": "s1"}))];
    assert_eq!(seen("stream"), expected, "{log}");
}

/// Not even what is logged for whoever looks for a fault.
#[test]
fn no_log_holds_what_was_said_or_a_secret() {
    const SAID: &str = "Wheelwright";
    const TITLE: &str = "Candlemaker";
    let server = logging(Place::new(), &["--log-format", "json"], Some("trace"));
    server.place.write("broken.jsonl", format!("{SAID}\n"));
    server.place.write("mill.jsonl", said("mill", 1, SAID) + &format!("{{\"{SAID}\": \n"));
    server.place.run(&["import", "mill.jsonl", "broken.jsonl"]);
    let made = server.with_key("POST", "/v1/keys", &json!({"name": TITLE}).to_string());
    let key = made.json()["key"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {key}");
    let agent = |method: &str, path: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.send(method, path, &headers, body).status
    };
    let session = json!({"agent": "bot", "id": "s1", "title": TITLE}).to_string();
    assert_eq!(agent("POST", "/v1/sessions", &session), 201);
    let message = json!({"content": SAID, "id": "m1"}).to_string();
    assert_eq!(agent("POST", "/v1/sessions/s1/messages", &message), 201);
    assert_eq!(agent("PATCH", "/v1/sessions/s1/messages/m1", &json!({"append": SAID}).to_string()), 200);
    for body in
        [json!({ SAID: 1 }), json!({"role": SAID}), json!({"metadata": {"message_type": "TODO", "payload": SAID}})]
    {
        assert_eq!(agent("POST", "/v1/sessions/s1/messages", &body.to_string()), 400, "{body}");
    }
    agent("POST", "/v1/sessions/s1/messages", SAID);
    agent("GET", &format!("/v1/sessions/{SAID}?{SAID}={SAID}"), "");
    agent("POST", "/v1/blobs", SAID);
    let wrong = format!("Bearer vbt_{SAID}");
    server.get("/v1/me", &[("Authorization", &wrong)]);
    server.get(&format!("/{SAID}"), &[("Cookie", SAID), ("X-Note", SAID)]);
    server.log_in(SAID);
    let login = server.log_in(&server.code);
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    for path in ["/", "/s/s1", &format!("/search?q={SAID}"), "/stats", "/settings"] {
        assert_eq!(server.get(path, &[("Cookie", &cookie)]).status, 200, "{path}");
    }
    drop(follow(&server, ""));
    let (code, machine) = (server.code.clone(), server.key());
    let (token, second) = (cookie.split_once('=').unwrap().1, login.json()["secret"].as_str().unwrap().to_owned());
    let log = log_of(server);
    assert!(lines(&log).len() > 30);
    for secret in [SAID, TITLE, &key, key.split('_').nth(2).unwrap(), &code, &machine, token, &second] {
        let found = log.lines().find(|line| line.contains(secret));
        assert_eq!(found, None, "{secret}");
    }
}

#[test]
fn what_was_done_is_counted() {
    let place = Place::new();
    let server = logging(place, &[], Some("off"));
    let (one, two) = (said("mill", 1, "One"), "no transcript\n");
    server.place.write("mill.jsonl", &one);
    server.place.write("broken.jsonl", two);
    let me = || server.with_key("GET", "/v1/me", "").status;
    assert_eq!((me(), me(), me()), (200, 200, 200));
    assert_eq!(server.get("/v1/me", &[]).status, 401);
    server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    server.with_key("POST", "/v1/sessions/s1/messages", r#"{"content": "One"}"#);
    server.with_key("POST", "/v1/sessions/s1/messages", r#"{"contents": "One"}"#);
    let mut open = vec![follow(&server, ""), follow(&server, "")];
    let seen = figures(&server);
    let requests = [
        (r#"method="GET",route="/v1/events",status="200"}"#, 2.0),
        (r#"method="GET",route="/v1/me",status="200"}"#, 3.0),
        (r#"method="GET",route="/v1/me",status="401"}"#, 1.0),
        (r#"method="POST",route="/v1/sessions",status="201"}"#, 1.0),
        (r#"method="POST",route="/v1/sessions/{session}/messages",status="201"}"#, 1.0),
        (r#"method="POST",route="/v1/sessions/{session}/messages",status="400"}"#, 1.0),
    ];
    assert_eq!(labelled(&seen, "verbatim_http_requests_total"), BTreeMap::from(requests));
    let took = "verbatim_http_request_duration_seconds";
    let counts = labelled(&seen, &format!("{took}_count"));
    assert_eq!(counts.get(r#"method="GET",route="/v1/me"}"#), Some(&4.0));
    let buckets = labelled(&seen, &format!("{took}_bucket"));
    let of_me = buckets.iter().filter(|(labels, _)| labels.contains(r#"route="/v1/me""#));
    let of_me: Vec<f64> = of_me.map(|(_, requests)| *requests).collect();
    assert_eq!((of_me.len(), of_me.iter().copied().fold(0.0, f64::max)), (14, 4.0), "{buckets:?}");
    let problems = [(r#"code="invalid_body"}"#, 1.0), (r#"code="not_logged_in"}"#, 1.0)];
    assert_eq!(labelled(&seen, "verbatim_http_problems_total"), BTreeMap::from(problems));
    assert_eq!(labelled(&seen, "verbatim_writes_total"), BTreeMap::from([(r#"outcome="stored"}"#, 2.0)]));
    for (name, value) in [
        ("verbatim_event_streams", 2.0),
        ("verbatim_writer_queue", 0.0),
        ("verbatim_writer_batch_size_count", 2.0),
        ("verbatim_writer_batch_size_sum", 2.0),
        ("verbatim_import_files_total", 0.0),
        ("verbatim_compute_waiting{lane=\"people\"}", 0.0),
        ("verbatim_compute_busy{lane=\"agents\"}", 0.0),
    ] {
        assert_eq!(seen.get(name), Some(&value), "{name}");
    }
    assert!(seen["verbatim_compute_threads{lane=\"people\"}"] >= 1.0);
    assert!(seen["verbatim_store_size_bytes"] >= 4096.0);
    #[cfg(target_os = "linux")]
    assert!(seen["process_resident_memory_bytes"] > 1e6);

    open.pop();
    while figures(&server)["verbatim_event_streams"] > 1.0 {}
    server.place.run(&["import", "mill.jsonl", "broken.jsonl"]);
    let seen = figures(&server);
    assert_eq!(seen.get("verbatim_import_files_total"), Some(&2.0));
    assert_eq!(seen.get("verbatim_import_failures_total"), Some(&1.0));
    assert_eq!(seen.get("verbatim_import_bytes_total"), Some(&(one.len() as f64)));
}

/// Whoever leaves before the answer is counted, too.
#[test]
fn who_does_not_wait_is_counted() {
    let server = logging(Place::new(), &[], Some("off"));
    server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    let (host, key) = (server.host(), server.key());
    let mut stream = server.connect();
    let body = r#"{"wait": 60}"#;
    write!(
        stream,
        "POST /v1/sessions/s1/pending HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    drop(stream);
    let left = r#"verbatim_http_requests_total{method="POST",route="/v1/sessions/{session}/pending",status="499"}"#;
    while !figures(&server).contains_key(left) {}
    assert_eq!(figures(&server).get(left), Some(&1.0));
}

#[test]
fn doctor_sums_it_up() {
    let server = Server::start();
    server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    let seen = server.place.seen(&["doctor"]);
    // How many requests doctor itself makes, and how long they take, is its own affair.
    let mask = |text: &str| {
        let words = text.split(' ').map(|word| {
            let end = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            if end.len() < word.len() { format!("#{end}") } else { word.to_owned() }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let figures = seen.lines().skip_while(|line| !line.starts_with("out: ok    requests")).map(mask);
    let expected = [
        "out: ok    requests         #, # failed; # % within # ms",
        "out: ok    writes           # in # transaction, # waiting",
        "out: ok    computation      # of # threads busy, # jobs waiting",
        "out: ok    streams          # open",
        "out: ok    imports          # files, # B read, # failed",
        "out: ok    limits           # requests refused with #",
        "out: ok    memory           # MB",
        "out: ok    database size    # KB",
    ];
    assert_eq!(figures.collect::<Vec<_>>(), expected, "{seen}");
}

#[test]
fn a_health_check_asks_the_running_server_alone() {
    let mut server = Server::start();
    assert_eq!(server.place.seen(&["doctor", "--health"]), "$ verbatim doctor --health\nexit 0\nout: ok\n");
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    assert_eq!(
        server.place.seen(&["doctor", "--health"]),
        "$ verbatim doctor --health\nexit 1\nerr: verbatim: no server answers for this data directory; `verbatim doctor` says more\n"
    );
}
