//! The program in a temporary folder, and HTTP by hand, so that nothing corrects what a test sends.

use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{DirBuilder, Permissions};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use tempfile::TempDir;

/// Longest that anything here may take. Only a failing test waits so long.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until something is so.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = tokio::time::Instant::now() + PATIENCE;
    while !is_so() {
        assert!(tokio::time::Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

/// The header with the second secret of a log-in.
pub const SECRET: &str = "X-Verbatim-Secret";

/// A folder with a home and a data directory in it.
pub struct Place {
    pub dir: PathBuf,
    _temporary: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().canonicalize().unwrap();
        std::fs::create_dir(dir.join("home")).unwrap();
        Self { dir, _temporary: temporary }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file, with the folders above it, for its owner alone.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path
    }

    /// The program with nothing of this machine's own settings.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_verbatim"));
        command.args(arguments).current_dir(&self.dir).env_clear();
        command
            .env("HOME", self.path("home"))
            .env("TZ", "UTC")
            .env("RUST_LOG", "off")
            .env("VERBATIM_DATA_DIR", self.data());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    /// Standard output of a command that is expected to succeed.
    pub fn out(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns all that a person sees of a command: outcome, output and messages.
    pub fn seen(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let outcome = output.status.code().map_or("killed".to_owned(), |code| format!("exit {code}"));
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let mut seen = format!("$ verbatim {}\n{outcome}\n", arguments.join(" "));
        for (name, text) in [("out", out), ("err", err)] {
            for line in text.lines() {
                writeln!(seen, "{name}: {line}").unwrap();
            }
        }
        self.mask(&seen)
    }

    /// Without what differs from run to run.
    pub fn mask(&self, text: &str) -> String {
        let text = text.replace(&*self.dir.to_string_lossy(), "[dir]");
        let text = text
            .replace(&*fixture("").to_string_lossy(), "[fixtures]/")
            .replace(env!("CARGO_PKG_VERSION"), "[version]");
        match text.split_once(" has the hash ") {
            Some((before, rest)) => format!("{before} has the hash [hash]{}", rest.get(64..).unwrap_or_default()),
            None => text,
        }
    }
}

/// Where databases may be created, if anywhere.
#[expect(clippy::disallowed_methods, reason = "the server to test on is named from outside")]
pub fn postgres() -> Option<String> {
    std::env::var("VERBATIM_TEST_POSTGRES").ok()
}

/// Creates an empty database, where databases may be created.
#[expect(clippy::disallowed_methods, reason = "the server to test on is named from outside")]
pub fn fresh_postgres(name: &str) -> Option<String> {
    let (url, program) = (postgres()?, std::env::var("VERBATIM_TEST_CREATEDB").unwrap());
    let name = format!("verbatim_{name}_{}", std::process::id());
    let output = Command::new(program).args(["--maintenance-db", &url, &name]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(format!("{}/{name}", url.rsplit_once('/').unwrap().0))
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").canonicalize().unwrap().join(name)
}

/// One line of a transcript: what a person said.
pub fn said(session: &str, number: usize, text: &str) -> String {
    let line = serde_json::json!({
        "type": "user", "sessionId": session, "cwd": "/home/ada/mill", "gitBranch": "main", "version": "2.1.49",
        "uuid": format!("{session}-{number}"), "timestamp": format!("2026-03-01T09:{:02}:{:02}.000Z", number / 60, number % 60),
        "message": {"role": "user", "content": text},
    });
    format!("{line}\n")
}

/// A field of the credential file in a data directory.
fn credential(folder: &Path, field: &str) -> String {
    let text = std::fs::read(folder.join("server.json")).unwrap();
    let credential: Value = serde_json::from_slice(&text).unwrap();
    credential[field].as_str().unwrap().to_owned()
}

/// A running `verbatim serve`.
pub struct Server {
    pub place: Place,
    pub port: u16,
    /// The one-time code of the link that was printed.
    pub code: String,
    child: Option<Child>,
    /// Beside the address.
    arguments: Vec<String>,
    /// The secrets of log-ins, by their cookies.
    secrets: Mutex<HashMap<String, String>>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_in(Place::new(), &[])
    }

    /// With the sessions of the browser fixtures.
    pub fn with_sessions() -> Self {
        Self::with_sessions_and(&[])
    }

    /// With arguments of `verbatim serve`.
    pub fn with_sessions_and(arguments: &[&str]) -> Self {
        let place = Place::new();
        place.out(&["import", fixture("browser/projects").to_str().unwrap()]);
        Self::start_in(place, arguments)
    }

    pub fn start_in(place: Place, arguments: &[&str]) -> Self {
        Self::listen(place, "127.0.0.1:0", arguments)
    }

    /// Another one on the folder and at the port of one that ended.
    pub fn again(mut self) -> Self {
        let place = std::mem::replace(&mut self.place, Place::new());
        let secrets = std::mem::take(&mut self.secrets);
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut again = Self::listen(place, &self.host(), &arguments);
        again.secrets = secrets;
        again
    }

    pub fn listen(place: Place, address: &str, arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "--listen", address, "--no-discover"];
        all.extend(arguments);
        let command = place.program(&all);
        let mut server = Self::spawn(place, command);
        server.arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        server
    }

    /// A server that this command starts.
    pub fn spawn(place: Place, mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self::adopt(place, child, &line)
    }

    /// A server that printed this line.
    pub fn adopt(place: Place, child: Child, line: &str) -> Self {
        let link = line.strip_prefix("Verbatim is at ").unwrap_or_else(|| panic!("{line:?}"));
        let (url, code) = link.trim_end().split_once("/#c=").unwrap();
        let local = url.strip_prefix("http://127.0.0.1:").map(|port| port.parse().unwrap());
        let given = || credential(&place.data(), "url").rsplit_once(':').unwrap().1.parse().unwrap();
        let port = local.unwrap_or_else(given);
        Self {
            place,
            port,
            code: code.to_owned(),
            child: Some(child),
            arguments: Vec::new(),
            secrets: Mutex::default(),
        }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// The key of the credential file.
    pub fn key(&self) -> String {
        credential(&self.place.data(), "key")
    }

    /// A connection from another address of this machine: on Linux, all of 127.0.0.0/8 are.
    pub fn connect_from(&self, address: Ipv4Addr) -> TcpStream {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((address, 0)).into()).unwrap();
        socket.connect(&SocketAddr::from(([127, 0, 0, 1], self.port)).into()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.into()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes and reads the answer.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may answer, and hang up, before it has read everything.
        let _ = stream.write_all(request);
        Reply::read(stream)
    }

    /// A request with these headers and a `Host`, unless they name one.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            write!(request, "Host: {}\r\n", self.host()).unwrap();
        }
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() {
            write!(request, "Content-Length: {}\r\n", body.len()).unwrap();
        }
        self.raw(format!("{request}\r\n{body}").as_bytes())
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("GET", path, headers, "")
    }

    /// As a command of this machine.
    pub fn with_key(&self, method: &str, path: &str, body: &str) -> Reply {
        let bearer = format!("Bearer {}", self.key());
        self.send(method, path, &[("Authorization", &bearer), ("Content-Type", "application/json")], body)
    }

    /// As a command of this machine, with the credential of another data directory.
    pub fn with_folder_key(&self, folder: &str, path: &str) -> Value {
        let bearer = format!("Bearer {}", credential(Path::new(folder), "key"));
        self.get(path, &[("Authorization", &bearer)]).json()
    }

    /// A key for an agent.
    pub fn agent_key(&self) -> String {
        self.place.out(&["key", "create", "--name", "Ada's bot"]).trim_end().to_owned()
    }

    /// As the person at the page who has this cookie.
    pub fn as_owner(&self, cookie: &str, method: &str, path: &str, body: &Value) -> Reply {
        let (origin, secret, body) = (self.origin(), self.secret(cookie), body.to_string());
        let headers =
            [("Cookie", cookie), (SECRET, &secret), ("Origin", &origin), ("Content-Type", "application/json")];
        self.send(method, path, &headers, &body)
    }

    /// Trades a code for an answer, as the log-in page does.
    pub fn log_in(&self, code: &str) -> Reply {
        let body = serde_json::json!({ "code": code }).to_string();
        let headers =
            [("Content-Type", "application/json"), ("Origin", &self.origin()), ("Sec-Fetch-Site", "same-origin")];
        self.send("POST", "/v1/login", &headers, &body)
    }

    /// A log-in of its own: `name=value` for the `Cookie` header. [`Self::secret`] is what its page keeps beside it.
    pub fn cookie(&self) -> String {
        let link = self.place.out(&["open"]);
        let code = link.trim().split_once("/#c=").unwrap().1;
        self.logged_in(&self.log_in(code))
    }

    /// The cookie of a log-in that was answered so. Its secret is remembered.
    pub fn logged_in(&self, reply: &Reply) -> String {
        assert_eq!(reply.status, 200, "{}", reply.text());
        let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let secret = reply.json()["secret"].as_str().unwrap().to_owned();
        self.secrets.lock().unwrap().insert(cookie.clone(), secret);
        cookie
    }

    /// Returns the value that the page of a log-in of [`Self::cookie`] sends in the header [`SECRET`] with each change.
    pub fn secret(&self, cookie: &str) -> String {
        self.secrets.lock().unwrap()[cookie].clone()
    }

    /// The most memory in bytes that it has taken so far.
    pub fn most_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.as_ref().unwrap().id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    /// Begins anew with [`Self::most_memory`]: the most is what it takes now.
    pub fn forget_most_memory(&self) {
        let file = format!("/proc/{}/clear_refs", self.child.as_ref().unwrap().id());
        std::fs::write(file, "5").unwrap();
    }

    /// Opens an event stream, as a command of this machine, and reads its first event.
    pub fn events(&self, query: &str) -> Events {
        self.events_as(&format!("Authorization: Bearer {}", self.key()), query)
    }

    /// Opens an event stream of a log-in.
    pub fn events_of(&self, cookie: &str) -> Events {
        self.events_as(&format!("Cookie: {cookie}"), "")
    }

    fn events_as(&self, credential: &str, query: &str) -> Events {
        let mut stream = self.connect();
        let host = self.host();
        let request = format!("GET /v1/events?{query} HTTP/1.1\r\nHost: {host}\r\n{credential}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        assert_eq!(Reply::head(&mut reader).status, 200);
        let mut events = Events(reader);
        assert_eq!(events.next().0, "build");
        events
    }

    /// Asks the server to end.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// How it ended, within this time.
    pub fn ended(&mut self, within: Duration) -> ExitStatus {
        let mut child = self.child.take().unwrap();
        let pid = child.id().to_string();
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || send.send(child.wait()));
        receive.recv_timeout(within).map_or_else(
            |_| {
                let _ = Command::new("kill").args(["-KILL", &pid]).status();
                panic!("the server did not end within {within:?}")
            },
            Result::unwrap,
        )
    }

    /// Ends it without a word, as a crash does.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An open event stream.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Name and data of the next event. The heartbeat keeps a stream from ever being silent for long: without a limit
    /// of its own, this would wait forever for an event that doesn't come.
    pub fn next(&mut self) -> (String, String) {
        let (mut name, mut data) = (String::new(), Vec::new());
        let began = tokio::time::Instant::now();
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended");
            assert!(began.elapsed() < PATIENCE, "no event came");
            let line = line.trim_end_matches(['\r', '\n']);
            if let Some(said) = line.strip_prefix("event: ") {
                said.clone_into(&mut name);
            } else if let Some(said) = line.strip_prefix("data: ") {
                data.push(said.to_owned());
            } else if line.is_empty() && !name.is_empty() {
                return (name, data.join("\n"));
            }
        }
    }

    /// Reads to the end of the stream.
    pub fn end(mut self) {
        self.0.read_to_string(&mut String::new()).unwrap();
    }
}

/// An answer. `status` is 0 if the server hung up instead.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// Reads to the end of the connection; of an event stream, the head.
    pub fn read(stream: impl Read) -> Self {
        let mut reader = BufReader::new(stream);
        let mut reply = Self::head(&mut reader);
        if !reply.header("content-type").is_some_and(|t| t.starts_with("text/event-stream")) {
            let _ = reader.read_to_end(&mut reply.body);
            if reply.header("transfer-encoding") == Some("chunked") {
                reply.body = joined(&reply.body);
            }
        }
        reply
    }

    pub fn head(reader: &mut BufReader<impl Read>) -> Self {
        let mut line = String::new();
        let mut next = |line: &mut String| {
            line.clear();
            let _ = reader.read_line(line);
            line.truncate(line.trim_end().len());
        };
        next(&mut line);
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut headers = Vec::new();
        loop {
            next(&mut line);
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Self { status, headers, body: Vec::new() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }
}

/// A body in chunks as one piece.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        body.extend(&chunks[end + 2..end + 2 + size]);
        chunks = chunks.get(end + 2 + size + 2..).unwrap_or_default();
    }
    body
}
