//! A server takes over from another one, or is given its port by a service manager: no request fails.

use crate::support::{PATIENCE, Place, Reply, Server, postgres, wait_until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;

const SERVE: [&str; 4] = ["serve", "--no-discover", "--posts-per-second", "0"];
/// Clients that post at a time.
const POSTERS: usize = 8;
/// Posts in all, at least.
const POSTS: usize = 2000;

/// Starts a server that takes over.
fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.program(&[&SERVE[..], &["--take-over"], arguments].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The server that took over, and what it said on standard error until then.
fn adopt(place: Place, mut child: Child) -> (Server, String) {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut errors = child.stderr.take().unwrap();
    if line.is_empty() {
        let mut said = String::new();
        errors.read_to_string(&mut said).unwrap();
        panic!("{said}");
    }
    let mut said = String::new();
    let mut lines = BufReader::new(errors);
    while !said.ends_with("finishes its requests\n") && lines.read_line(&mut said).unwrap() > 0 {}
    (Server::adopt(place, child, &line), said)
}

fn moved(server: &mut Server) -> Place {
    std::mem::replace(&mut server.place, Place::new())
}

/// Lets another process take over from a server.
fn take_over(mut server: Server, arguments: &[&str]) -> (Server, String) {
    let child = spawn(&server.place, arguments);
    let (place, port) = (moved(&mut server), server.port);
    let (next, said) = adopt(place, child);
    assert!(server.ended(PATIENCE).success());
    assert_eq!(next.port, port);
    (next, said)
}

fn new_session(server: &Server) -> String {
    let made = server.with_key("POST", "/v1/sessions", r#"{"agent": "bot"}"#);
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().unwrap().to_owned()
}

fn post(server: &Server, session: &str, id: &str) {
    let body = json!({"id": id, "content": "words"}).to_string();
    let reply = server.with_key("POST", &format!("/v1/sessions/{session}/messages"), &body);
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// The ids of all messages of a session, oldest first.
fn messages(server: &Server, session: &str) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), 0);
    loop {
        let path = format!("/v1/sessions/{session}/messages?after={after}&limit=200");
        let page = server.with_key("GET", &path, "").json();
        let messages = page["messages"].as_array().unwrap_or_else(|| panic!("{page}"));
        let Some(last) = messages.last() else { return ids };
        after = last["seq"].as_i64().unwrap();
        ids.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
    }
}

/// A program that posts, on one connection as long as the server keeps that, or on a new one each time. It never tries
/// again.
struct Poster<'a> {
    port: u16,
    key: &'a str,
    session: &'a str,
    keeps: bool,
    connection: Option<BufReader<TcpStream>>,
}

impl Poster<'_> {
    /// Posts a message and returns the status: 0 if the connection ended instead.
    fn post(&mut self, id: &str) -> u16 {
        let body = json!({"id": id, "content": format!("Message {id}")}).to_string();
        let close = if self.keeps { "" } else { "Connection: close\r\n" };
        let request = format!(
            "POST /v1/sessions/{}/messages HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{close}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.session,
            self.port,
            self.key,
            body.len()
        );
        let mut connection = self.connection.take().unwrap_or_else(|| {
            let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            BufReader::new(stream)
        });
        if connection.get_mut().write_all(request.as_bytes()).is_err() {
            return 0;
        }
        let reply = Reply::head(&mut connection);
        let length = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        if connection.read_exact(&mut body).is_err() {
            return 0;
        }
        if reply.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        reply.status
    }
}

/// Follows a session until its last message is there. Returns the `seq` of each message that it was told of, and how often
/// it connected.
fn follow(port: u16, key: &str, session: &str, last: &AtomicUsize) -> (Vec<i64>, usize) {
    let (mut seqs, mut cursor, mut connected) = (Vec::new(), "1.0".to_owned(), 0);
    loop {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET /v1/events?session={session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\nLast-Event-ID: {cursor}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut events = BufReader::new(stream);
        assert_eq!(Reply::head(&mut events).status, 200);
        connected += 1;
        let (mut line, mut seen) = (String::new(), Vec::new());
        while events.read_line(&mut line).unwrap() > 0 {
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                if event["from_seq"].as_i64().is_some_and(|from| from > 0) {
                    seen.extend(event["from_seq"].as_i64().unwrap()..=event["to_seq"].as_i64().unwrap());
                }
            } else if let Some(id) = line.strip_prefix("id: ") {
                id.trim().clone_into(&mut cursor);
            } else if line == "\n" {
                seqs.append(&mut seen);
            }
            line.clear();
            let all = last.load(Ordering::Acquire);
            if all > 0 && seqs.len() >= all {
                return (seqs, connected);
            }
        }
    }
}

#[test]
fn no_post_fails_while_servers_take_over() {
    let server = Server::start_in(Place::new(), &["--posts-per-second", "0"]);
    let (port, key) = (server.port, server.agent_key());
    let made = server.send(
        "POST",
        "/v1/sessions",
        &[("Authorization", &format!("Bearer {key}")), ("Content-Type", "application/json")],
        r#"{"agent": "bot"}"#,
    );
    let session = made.json()["id"].as_str().unwrap().to_owned();
    let (posted, done, last) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicUsize::new(0));
    let (server, failed, (seqs, connected)) = scope(|threads| {
        let posters: Vec<_> = (0..POSTERS)
            .map(|number| {
                let (session, key, posted, done) = (&session, &key, &posted, &done);
                threads.spawn(move || {
                    let keeps = number % 2 == 0;
                    let mut poster = Poster { port, key, session, keeps, connection: None };
                    let (mut failed, mut count) = (Vec::new(), 0);
                    while !done.load(Ordering::Acquire) || posted.load(Ordering::Acquire) < POSTS {
                        let id = format!("m{number}-{count}");
                        match poster.post(&id) {
                            201 => drop(posted.fetch_add(1, Ordering::AcqRel)),
                            status => failed.push((id, status)),
                        }
                        count += 1;
                    }
                    failed
                })
            })
            .collect();
        let follower = threads.spawn(|| follow(port, &key, &session, &last));
        let mut server = server;
        for round in 1..=2 {
            wait_until("posts go on", || posted.load(Ordering::Acquire) >= round * POSTS / 4);
            server = take_over(server, &[]).0;
        }
        done.store(true, Ordering::Release);
        let failed: Vec<_> = posters.into_iter().flat_map(|poster| poster.join().unwrap()).collect();
        last.store(posted.load(Ordering::Acquire), Ordering::Release);
        // Lets the follower see the count.
        post(&server, &session, "last");
        (server, failed, follower.join().unwrap())
    });
    let count = posted.load(Ordering::Acquire) + 1;
    assert!(failed.is_empty(), "{} of {count} posts failed: {failed:?}", failed.len());
    let ids = messages(&server, &session);
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (count, count), "each is stored once");
    assert_eq!(connected, 3, "the stream broke off at each take-over alone");
    let seqs: Vec<usize> = seqs.iter().map(|seq| usize::try_from(*seq).unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len()).collect::<Vec<_>>(), "each message once, in order");
    assert!(seqs.len() >= count - 1);
}

/// A process that speaks to a server on its socket.
struct Peer {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Peer {
    fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.place.data().join("server.sock")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let answers = BufReader::new(stream.try_clone().unwrap());
        Self { stream, answers }
    }

    fn say(&mut self, message: &Value) {
        self.stream.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// The next answer; null if the server hung up.
    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_default()
    }

    fn hello(server: &Server) -> Self {
        let mut peer = Self::connect(server);
        peer.say(&json!({"type": "hello", "key": server.key(), "schema": 9000, "of": "a later version"}));
        assert_eq!(peer.answer(), json!({"type": "port"}));
        peer
    }
}

#[test]
fn a_take_over_that_breaks_off_leaves_the_server_running() {
    let mut server = Server::start();
    let session = new_session(&server);
    let socket = server.place.data().join("server.sock");
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // The other process is killed before it says anything, between two messages, and in the middle of one.
    drop(Peer::connect(&server));
    drop(Peer::hello(&server));
    let mut peer = Peer::hello(&server);
    peer.stream.write_all(br#"{"type": "go", "age"#).unwrap();
    drop(peer);
    let mut peer = Peer::connect(&server);
    peer.stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(peer.answer(), Value::Null);
    let mut peer = Peer::connect(&server);
    peer.say(&json!({"type": "go", "agents_wait_seconds": 0}));
    assert_eq!(peer.answer(), Value::Null);
    let refused = |key: &str, schema: i64| {
        let mut peer = Peer::connect(&server);
        peer.say(&json!({"type": "hello", "key": key, "schema": schema}));
        peer.answer()
    };
    let stranger = "it belongs to another user, or was started again\nTry again";
    let newer = "it is of a newer version, which its database needs\nUpdate this program";
    assert_eq!(refused("wrong", 9000), json!({"type": "refused", "reason": stranger}));
    assert_eq!(refused(&server.key(), 1), json!({"type": "refused", "reason": newer}));
    post(&server, &session, "m1");

    // Behind `draining` there is no way back: the server ends, and the next start works. So it does if the other process
    // dies with the port and the lock.
    for (round, id) in ["m2", "m3"].iter().enumerate() {
        let mut peer = Peer::hello(&server);
        peer.say(&json!({"type": "go", "agents_wait_seconds": 0}));
        assert_eq!(peer.answer(), json!({"type": "draining", "agents": 0}));
        if round == 1 {
            assert_eq!(peer.answer(), json!({"type": "released"}));
        }
        drop(peer);
        assert!(server.ended(PATIENCE).success());
        server = Server::start_in(moved(&mut server), &[]);
        post(&server, &session, id);
    }
    assert_eq!(messages(&server, &session), ["m1", "m2", "m3"]);
}

/// The new one finds the directory free, and goes on.
#[test]
fn a_server_that_is_killed_while_it_gives_up_loses_nothing() {
    let mut server = Server::start();
    let session = new_session(&server);
    post(&server, &session, "m1");
    let mut child = spawn(&server.place, &[]);
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    assert_eq!(said, "The server before finishes its requests\n");
    let port = server.port;
    server.kill();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut next = Server::adopt(moved(&mut server), child, &line);
    assert_eq!(next.port, port);
    post(&next, &session, "m2");
    assert_eq!(messages(&next, &session), ["m1", "m2"]);
    // And the new one, as soon as it has taken over.
    next.kill();
    let again = Server::start_in(moved(&mut next), &[]);
    assert_eq!(messages(&again, &session), ["m1", "m2"]);
}

#[test]
fn one_of_two_at_a_time_takes_over() {
    let mut server = Server::start();
    let session = new_session(&server);
    let mut children = [spawn(&server.place, &[]), spawn(&server.place, &[])];
    assert!(server.ended(PATIENCE).success());
    // The other one is told so, or takes over from the first.
    let mut lines = children.each_mut().map(|child| BufReader::new(child.stdout.take().unwrap()));
    let links = lines.each_mut().map(|lines| {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line
    });
    assert!(links.iter().any(|link| !link.is_empty()), "{links:?}");
    for (child, link) in children.into_iter().zip(&links) {
        if link.is_empty() {
            let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
            assert!(said.contains("it ended, or another server takes over\nTry again\n"), "{said}");
        } else {
            drop(Server::adopt(Place::new(), child, link));
        }
    }
    let again = Server::start_in(moved(&mut server), &[]);
    assert_eq!(messages(&again, &session), [""; 0]);
}

#[test]
fn a_server_on_postgresql_is_taken_over() {
    let Some(url) = postgres() else {
        println!("not tested: `cargo xtask pg -- ...` gives it a PostgreSQL");
        return;
    };
    let server = Server::start_in(Place::new(), &["--database", &url]);
    let session = new_session(&server);
    post(&server, &session, "m1");
    let (server, _) = take_over(server, &["--database", &url]);
    post(&server, &session, "m2");
    assert_eq!(messages(&server, &session), ["m1", "m2"]);
}

/// Commands and programs go on with the credential that they have.
#[test]
fn the_credential_stays() {
    let server = Server::start();
    let key = server.key();
    let (server, said) = take_over(server, &[]);
    assert_eq!((server.key(), said.as_str()), (key, "The server before finishes its requests\n"));
    let pid = std::fs::read_to_string(server.place.data().join("server.lock")).unwrap();
    let doctor = server.place.out(&["doctor"]);
    assert!(doctor.contains(&format!("ok    server           {}\n", server.origin())), "{doctor}");
    let second = server.place.seen(&["serve", "--no-discover"]);
    assert!(second.contains(&format!("is in use by process {}\n", pid.trim())), "{second}");
}

#[test]
fn a_take_over_that_is_not_possible_says_why() {
    // Nothing runs: it starts like any other.
    let server = Server::start_in(Place::new(), &["--take-over"]);
    let session = new_session(&server);
    let pid = std::fs::read_to_string(server.place.data().join("server.lock")).unwrap();
    let seen = || {
        let seen = server.place.seen(&["serve", "--no-discover", "--take-over"]);
        seen.replace(pid.trim(), "[pid]").split_once("err: ").unwrap().1.to_owned()
    };
    // Errors that would end its start are found while the other one runs.
    let file = server.place.write("data/notices.json", "{");
    assert!(seen().starts_with("verbatim: [dir]/data/notices.json: "), "{}", seen());
    std::fs::remove_file(file).unwrap();
    post(&server, &session, "m0");
    std::fs::remove_file(server.place.data().join("server.sock")).unwrap();
    assert_eq!(
        seen(),
        "verbatim: process [pid], the server on [dir]/data, can't be taken over: No such file or directory (os error 2)\n\
         err: Stop it first (`kill [pid]`), then start this one; requests fail in between\n"
    );
    post(&server, &session, "m1");
    std::fs::remove_file(server.place.data().join("server.json")).unwrap();
    assert_eq!(
        seen(),
        "verbatim: [dir]/data is in use by process [pid], which is no server\nerr: Wait until it ends, and try again\n"
    );
}

/// The server with a descriptor as systemd passes it.
fn with_descriptor(place: &Place, descriptor: OwnedFd, count: usize, whose: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_verbatim");
    let script = format!("LISTEN_FDS={count} LISTEN_PID={whose} exec '{program}' serve --no-discover 3<&0 </dev/null");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env_clear().current_dir(&place.dir).stdin(descriptor);
    command.env("PATH", "/usr/bin:/bin").env("HOME", place.path("home")).env("RUST_LOG", "off");
    command.env("VERBATIM_DATA_DIR", place.data()).env("VERBATIM_LISTEN", "127.0.0.1:0");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn activated(place: Place, socket: &TcpListener) -> Server {
    let mut child = with_descriptor(&place, socket.try_clone().unwrap().into(), 1, "$$").spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Server::adopt(place, child, &line)
}

/// As `systemctl restart` does with a socket unit.
#[test]
fn a_restart_on_a_socket_of_systemd_fails_no_post() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut server = activated(Place::new(), &socket);
    let port = socket.local_addr().unwrap().port();
    assert_eq!(server.port, port);
    let session = new_session(&server);
    let key = server.agent_key();
    let made = server.send(
        "POST",
        "/v1/sessions",
        &[("Authorization", &format!("Bearer {key}")), ("Content-Type", "application/json")],
        r#"{"agent": "bot"}"#,
    );
    let posts_to = made.json()["id"].as_str().unwrap().to_owned();
    post(&server, &session, "m1");
    let seen = server.place.seen(&["serve", "--no-discover", "--take-over"]);
    assert!(seen.contains("systemd holds its port\nerr: Update it by `systemctl --user restart verbatim`"), "{seen}");
    let (posted, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (server, failed) = scope(|threads| {
        let posters: Vec<_> = (0..2)
            .map(|number| {
                let (session, key, posted, done) = (&posts_to, &key, &posted, &done);
                threads.spawn(move || {
                    let mut poster = Poster { port, key, session, keeps: number == 0, connection: None };
                    let (mut failed, mut count) = (Vec::new(), 0);
                    while !done.load(Ordering::Acquire) {
                        match poster.post(&format!("m{number}-{count}")) {
                            201 => drop(posted.fetch_add(1, Ordering::AcqRel)),
                            // The limit of a key isn't at issue.
                            429 => {}
                            status => failed.push(status),
                        }
                        count += 1;
                    }
                    failed
                })
            })
            .collect();
        wait_until("posts go on", || posted.load(Ordering::Acquire) > 20);
        server.terminate();
        assert!(server.ended(PATIENCE).success());
        let server = activated(moved(&mut server), &socket);
        let before = posted.load(Ordering::Acquire);
        wait_until("posts go on at the next", || posted.load(Ordering::Acquire) > before + 20);
        done.store(true, Ordering::Release);
        (server, posters.into_iter().flat_map(|poster| poster.join().unwrap()).collect::<Vec<u16>>())
    });
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(messages(&server, &posts_to).len(), posted.load(Ordering::Acquire));
    assert_eq!(messages(&server, &session), ["m1"]);
}

#[test]
fn sockets_that_do_not_serve_are_refused() {
    let place = Place::new();
    let file = place.write("file", "");
    let open = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    silent.bind(&"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    let connected = TcpStream::connect(open.local_addr().unwrap()).unwrap();
    let cases: [(OwnedFd, usize, &str); 6] = [
        (std::fs::File::open(file).unwrap().into(), 1, "fd 3 is not a socket"),
        (UdpSocket::bind("127.0.0.1:0").unwrap().into(), 1, "fd 3 is not a valid tcp socket"),
        (silent.into(), 1, "doesn't listen"),
        (connected.into(), 1, "doesn't listen"),
        (TcpListener::bind("0.0.0.0:0").unwrap().into(), 1, "would let other machines in"),
        (open.into(), 2, "`LISTEN_FDS` passes 2 sockets"),
    ];
    for (descriptor, count, expected) in cases {
        let output = with_descriptor(&place, descriptor, count, "$$").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 2), "{said}");
        assert!(said.starts_with("verbatim: ") && said.contains(expected), "{said}");
        assert!(!place.data().exists(), "nothing was made");
    }
    // A descriptor that was passed to another process is none of ours.
    let other = TcpListener::bind("0.0.0.0:0").unwrap();
    let mut child = with_descriptor(&place, other.into(), 1, "1").spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(Server::adopt(place, child, &line));
}
