//! Bodies and connections in such numbers, and of such shapes, that they would take all memory or all room.

use crate::support::{Place, Reply, Server};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::thread::{ScopedJoinHandle, available_parallelism, scope};
use std::time::Duration;

const INSTANCE: &str = "faaa0240-7460-4045-9021-81c5c1cc172f";
const MIB: usize = 1 << 20;

fn as_agent(server: &Server, key: &str, method: &str, path: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {key}");
    server.send(method, path, &[("Authorization", &bearer), ("Content-Type", "application/json")], body)
}

/// The most memory above idle for one request, in MiB. All six texts take 86 before anything is made of them.
const ONE: usize = 56;
/// A text with line ends is there a third time while it is read, in a buffer that grew.
const WITH_LINES: usize = 80;
/// Content that is drawn or compared is copied for that, and stands beside the result.
const DRAWN: usize = 110;

/// A key with a session `s1`, or another name.
fn agent(server: &Server, session: &str) -> String {
    let key = server.agent_key();
    let made = as_agent(server, &key, "POST", "/v1/sessions", &json!({"agent": "bot", "id": session}).to_string());
    assert_eq!(made.status, 201);
    key
}

/// JSON of about so many bytes: `before`, and then `item` again and again.
fn filled(bytes: usize, before: &str, item: &str, after: &str) -> String {
    let many = (bytes - before.len() - after.len()) / (item.len() + 1);
    format!("{before}{}{after}", vec![item; many].join(","))
}

/// Small values take a hundred times as much memory as they have bytes: they are counted before anything is made of
/// them.
#[test]
fn values_of_json_have_a_limit() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let (post, size) = ("/v1/sessions/s1/messages", 16 * MIB - 100);
    let mut seen = String::new();
    let mut note = |what: &str, reply: Reply| writeln!(seen, "{what}: {} {}", reply.status, reply.text()).unwrap();
    let before = server.most_memory();
    for (what, before, item, after) in [
        ("objects", r#"{"content":"x","message_metadata":{"x":["#, r#"{"":0}"#, "]}}"),
        ("of an unknown type", r#"{"message_metadata":{"message_type":"x","payload":{"x":["#, r#"{"":0}"#, "]}}}"),
        ("numbers", r#"{"content":"x","message_metadata":{"x":["#, "0", "]}}"),
        ("keys that come again", r#"{"message_metadata":{"x":1,"#, r#""a":0"#, "}}"),
    ] {
        let body = filled(size, before, item, after);
        note(what, as_agent(&server, &key, "POST", post, &body));
    }
    let body = filled(size, r#"{"message_metadata":{"x":["#, "0", "]}}");
    note("an update", as_agent(&server, &key, "PATCH", "/v1/sessions/s1/messages/m1", &body));
    let body = filled(size, r#"{"code":["#, "0", "]}");
    note("the older API", as_agent(&server, &key, "POST", "/api/v1/messages/agent", &body));
    let grown = server.most_memory() - before;
    assert!(grown < 50 * MIB, "{grown} bytes");
    assert_snapshot!(seen);

    let calls = |many: usize| -> Value {
        let input = json!({"file_path": "/a", "limit": 20, "offset": 4, "filters": [{"a": 1}, {"b": 2}, "c"]});
        let payload = json!({"tool_name": "Read", "input": input, "output": "[[[[{{{{ \"\\\\"});
        let call = json!({"message_metadata": {"message_type": "TOOL_CALL", "version": 1, "payload": payload}});
        json!({"messages": vec![call; many]})
    };
    let all = calls(256).to_string();
    let batch = "/v1/sessions/s1/messages/batch";
    assert_eq!(as_agent(&server, &key, "POST", batch, &all).status, 201, "a batch is as large as batches are");
    let more = as_agent(&server, &key, "POST", batch, &calls(1000).to_string());
    assert_eq!((more.status, &more.json()["field"]), (400, &json!("/messages")), "{}", more.text());
}

/// While a text is stored there are five of it at most: its body, what is read, what is written and the answer. Beside
/// them the request takes a few MiB, more where its threads take turns.
#[test]
fn long_texts_are_held_a_few_times() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let before = server.most_memory();
    let body = json!({"content": "lorem ipsum dolor sit amet ".repeat((16 * MIB - 100) / 27)}).to_string();
    assert_eq!(as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &body).status, 201);
    let grown = server.most_memory() - before;
    assert!(grown < (5 * 16 + 8) * MIB, "{grown} bytes");
}

/// A server that did nothing else is asked. Returns it with the answer, and the MiB that this took at most.
fn asked(mut server: Server, cookie: &str, path: &str) -> (Server, Reply, usize) {
    server.terminate();
    server.ended(Duration::from_secs(10));
    let server = server.again();
    assert_eq!(server.as_owner(cookie, "GET", "/v1/me", &Value::Null).status, 200);
    let idle = server.most_memory();
    let reply = server.as_owner(cookie, "GET", path, &Value::Null);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    let taken = (server.most_memory() - idle) / MIB;
    (server, reply, taken)
}

/// However many long texts a session holds, a few of them are in memory at a time.
#[test]
fn long_texts_are_answered_a_few_at_a_time() {
    const LINES: usize = 3;
    let server = Server::start();
    let (key, cookie) = (agent(&server, "s1"), server.cookie());
    let words = |n: usize| if n == LINES { "lorem ipsum dolor sit amet\n" } else { "lorem ipsum dolor sit amet " };
    let texts: Vec<String> = (0..6).map(|n| format!("{n} {}", words(n).repeat(15_000_000 / 27))).collect();
    for text in &texts {
        let body = json!({"content": text}).to_string();
        assert_eq!(as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &body).status, 201);
    }
    let (mut server, mut too_much) = (Some(server), Vec::new());
    let mut ask = |path: &str, most: usize| {
        let (again, reply, mib) = asked(server.take().unwrap(), &cookie, path);
        server = Some(again);
        if mib > most {
            too_much.push((path.to_owned(), mib));
        }
        reply
    };

    let (mut after, mut read) = (0, Vec::new());
    while after < texts.len() {
        let most = if after == LINES { WITH_LINES } else { ONE };
        let page = ask(&format!("/v1/sessions/s1/messages?after={after}&limit=60"), most).json();
        after = page["to"].as_u64().unwrap() as usize;
        read.extend(page["messages"].as_array().unwrap().clone());
    }
    let contents: Vec<&str> = read.iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert!(contents == texts, "all messages, once each");
    let backwards = ask("/v1/sessions/s1/messages?limit=60", ONE).json();
    assert_eq!((&backwards["from"], &backwards["to"]), (&json!(6), &json!(6)));
    let exported = ask("/v1/sessions/s1/export?format=json", WITH_LINES).json();
    assert!(exported["messages"] == Value::Array(read), "an export has what the pages have");
    let markdown = ask("/v1/sessions/s1/export?format=markdown", WITH_LINES).text();
    assert!(texts.iter().all(|text| markdown.contains(text.trim_end())));
    let html = ask("/v1/sessions/s1/export?format=html", DRAWN).text();
    assert_eq!(html.matches("<article").count(), 6);
    let found = ask("/v1/sessions/s1/find?q=sit+amet", WITH_LINES).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 6);
    let found = ask("/v1/search?q=lorem", WITH_LINES).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 6);
    let page = ask("/s/s1", WITH_LINES).text();
    assert_eq!(page.matches("Show all (15 MB)").count(), 6);
    for path in ["/v1/sessions?said=1", "/sessions", "/v1/sessions/s1/outline", "/v1/asks"] {
        ask(path, ONE);
    }
    ask("/v1/sessions/s1/messages/3", ONE);
    ask("/fragments/sessions/s1/text/3", ONE);
    ask("/fragments/sessions/s1/messages/3?full=1", DRAWN);
    assert!(too_much.is_empty(), "{too_much:?}");
}

/// Files are folded a few at a time, and one whose edits have too much text is summed up.
#[test]
fn long_edits_are_folded_a_few_at_a_time() {
    let mut server = Server::start();
    let key = agent(&server, "s1");
    let text =
        |name: usize, mb: usize| format!("{name} of\n{}", "lorem ipsum dolor sit amet\n".repeat(mb * 1_000_000 / 27));
    let mut edits: Vec<(String, String)> = (0..4).map(|n| (format!("/f{n}.txt"), text(n, 3))).collect();
    edits.extend((0..3).map(|n| ("/large.txt".to_owned(), text(n, 6))));
    for (path, new) in &edits {
        let payload = json!({"edits": [{"file_path": path, "new_content": new}]});
        let body = json!({"message_metadata": {"message_type": "CODE_EDIT", "payload": payload}}).to_string();
        assert_eq!(as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &body).status, 201);
    }
    server.terminate();
    server.ended(Duration::from_secs(10));
    let server = server.again();
    let cookie = server.cookie();
    let idle = server.most_memory();
    let mut most = Vec::new();
    let mut ask = |path: &str| {
        server.forget_most_memory();
        let reply = server.as_owner(&cookie, "GET", path, &Value::Null);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        most.push((path.to_owned(), server.most_memory().saturating_sub(idle) / MIB));
        reply
    };
    let lines = |n: usize| edits[n].1.lines().count();
    let net = ask("/v1/sessions/s1/changes/net").json();
    let told: Vec<_> = net["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            json!([
                file["path"],
                file["added"],
                file["edits"].as_array().unwrap().len(),
                file["too_large"],
                file["texts"]
            ])
        })
        .collect();
    let mut expected: Vec<Value> = (0..4).map(|n| json!([edits[n].0, lines(n), 1, null, null])).collect();
    expected.push(json!(["/large.txt", lines(4) + lines(5) + lines(6), 3, true, null]));
    assert_eq!(Value::from(told), Value::from(expected));
    let mut one = ask("/v1/sessions/s1/changes/net?path=/f2.txt").json()["files"][0].clone();
    let texts = one.as_object_mut().unwrap().shift_remove("texts").unwrap();
    assert!(
        texts["parts"] == json!([{"new": edits[2].1, "first_line": [1, 1], "whole": true}]),
        "{}",
        &texts.to_string()[..200]
    );
    assert_eq!(one, net["files"][2]);
    let large = ask("/v1/sessions/s1/changes/net?path=/large.txt").json();
    assert_eq!(large["files"][0]["texts"], json!({"parts": [], "patches": []}));
    let patch = ask("/fragments/sessions/s1/net?as=patch").text();
    for (path, new) in &edits[..4] {
        let name = &path[1..];
        let whole =
            format!("+++ b/{name}\n@@ -0,0 +1,{} @@\n+{}\n", new.lines().count(), new.trim_end().replace('\n', "\n+"));
        assert!(patch.contains(&whole), "{path}: {}", &patch[..300]);
    }
    for path in ["/v1/sessions/s1/changes", "/s/s1/changes", "/fragments/sessions/s1/net?path=/large.txt"] {
        ask(path);
    }
    assert!(most.iter().all(|(_, mib)| *mib <= DRAWN), "{most:?}");
}

/// A file is in memory a piece at a time, whichever way it goes.
#[test]
fn files_are_held_in_pieces() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let bearer = format!("Bearer {key}");
    let bytes = (0_u32..).map(|n| char::from(b' ' + (n / 7 % 90) as u8)).take(64 * MIB).collect::<String>();
    let idle = server.most_memory();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "video/mp4")];
    let made = server.send("POST", "/v1/blobs", &headers, &bytes);
    assert_eq!((made.status, &made.json()["size"]), (201, &json!(64 * MIB)), "{}", made.text());
    let again = server.send("POST", "/v1/blobs", &headers, &bytes);
    assert_eq!((again.status, again.json()), (200, made.json()));
    let path = format!("/v1/blobs/{}", made.json()["blob"].as_str().unwrap());
    let read = server.send("GET", &path, &headers, "");
    assert_eq!((read.status, read.header("content-length")), (200, Some("67108864")));
    assert!(read.body == bytes.as_bytes());
    let head = server.send("HEAD", &path, &headers, "");
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("67108864"), 0));
    let taken = (server.most_memory() - idle) / MIB;
    assert!(taken < ONE, "{taken} MiB");
}

/// Sends a post of so many bytes without the last one, and waits until the server has read it or refused it.
fn unfinished(server: &Server, key: &str, path: &str, bytes: usize) -> TcpStream {
    let mut stream = server.connect();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {bytes}\r\n\r\n",
        server.host()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(&vec![b' '; bytes - 1]);
    stream
}

/// Bodies lie in memory while they come: in all 48 MiB, and half of that for one key. One that is alone always passes.
#[test]
fn bodies_in_flight_have_a_budget() {
    let server = Server::start();
    let (key, other) = (agent(&server, "s1"), agent(&server, "s2"));
    let large = 16 * MIB - 10;
    let text = json!({"content": "x".repeat(14 * MIB)}).to_string();
    let first = unfinished(&server, &key, "/v1/sessions/s1/messages", large);
    let refused = Reply::read(unfinished(&server, &key, "/v1/sessions/s1/messages", large));
    assert_eq!(
        (refused.status, refused.header("retry-after"), &refused.json()["code"]),
        (503, Some("2"), &json!("bodies_busy")),
        "{}",
        refused.text()
    );
    let passes = as_agent(&server, &other, "POST", "/v1/sessions/s2/messages", &text);
    assert_eq!(passes.status, 201, "another key has its own half");
    let small = as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", r#"{"content":"Small"}"#);
    assert_eq!(small.status, 201, "small ones are nobody's trouble");
    let mut others = Vec::new();
    let refused = (0..5).any(|number| {
        let key = agent(&server, &format!("o{number}"));
        let mut stream = unfinished(&server, &key, &format!("/v1/sessions/o{number}/messages"), large);
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let is_refused = stream.read(&mut [0]).is_ok();
        others.push(stream);
        is_refused
    });
    assert!(refused, "all keys together have a limit");
    drop((first, others));
    let passes = || as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &text).status == 201;
    assert!((0..1000).any(|_| passes()), "what is given up is given back");
}

/// A body that has become long comes on, or is let go: others wait for its room.
#[test]
fn a_long_body_that_trickles() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let mut stream = server.connect();
    let head = format!(
        "POST /v1/sessions/s1/messages HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.host(),
        8 * MIB
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![b' '; 256 * 1024]).unwrap();
    // Fast enough for a short one.
    stream.set_read_timeout(Some(Duration::from_millis(250))).unwrap();
    let mut first = [0; 12];
    for _ in 0..200 {
        if stream.write_all(&[b' '; 1024]).is_err() || stream.read(&mut first).is_ok() {
            break;
        }
    }
    assert_eq!(String::from_utf8_lossy(&first), "HTTP/1.1 408");
}

/// No route decodes a body, so that none takes one that is encoded.
#[test]
fn encoded_bodies_are_refused() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let bearer = format!("Bearer {key}");
    for path in ["/v1/sessions/s1/messages", "/v1/blobs", "/api/v1/messages/agent"] {
        for (encoding, status) in [("gzip", 415), ("identity, br", 415), ("IDENTITY", 0)] {
            let headers =
                [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Content-Encoding", encoding)];
            let body = json!({"agent_instance_id": INSTANCE, "agent_type": "bot", "content": "x"}).to_string();
            let reply = server.send("POST", path, &headers, &body);
            assert!(if status == 0 { reply.status != 415 } else { reply.status == status }, "{path} {encoding}");
        }
    }
}

/// An open approval of the session `s1`, as its address and what its person is shown.
fn approval(server: &Server, key: &str) -> (String, Value) {
    let question = json!({"question": "Where first?", "options": [{"id": "a", "label": "Local"}]});
    let payload = json!({"kind": "question", "title": "Where first?", "questions": [question], "state": "open"});
    let asked = json!({"id": "a1", "message_metadata": {"message_type": "APPROVAL", "version": 1, "payload": payload}});
    let reply = as_agent(server, key, "POST", "/v1/sessions/s1/messages", &asked.to_string());
    assert_eq!(reply.status, 201, "{}", reply.text());
    let shown = server.with_key("GET", "/v1/sessions/s1/messages/a1", "").json()["entry"]["shown_sha256"].clone();
    ("/v1/sessions/s1/messages/a1/decision".to_owned(), shown)
}

/// A connection with one answered request on it, which it keeps.
fn kept(server: &Server, request: &str) -> (u16, TcpStream) {
    let mut stream = server.connect();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let reply = Reply::head(&mut reader);
    let length: usize = reply.header("content-length").unwrap_or("0").parse().unwrap();
    let _ = reader.read_exact(&mut vec![0; length]);
    (reply.status, reader.into_inner())
}

/// Whoever holds whatever they can, a person still reads and decides.
#[test]
fn connections_are_left_for_the_person() {
    let server = Server::start_in(Place::new(), &["--connections", "128"]);
    let (key, cookie) = (agent(&server, "s1"), server.cookie());
    let (decision, shown) = approval(&server, &key);
    let get = |path: &str, credential: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{credential}\r\n\r\n", server.host())
    };
    let bearer = format!("Authorization: Bearer {key}");

    // One key may have an eighth of all: its oldest ones that wait for nothing end.
    let mut idle: Vec<TcpStream> = (0..150)
        .map(|_| kept(&server, &get("/v1/me", &bearer)))
        .map(|(status, stream)| {
            assert_eq!(status, 200);
            stream
        })
        .collect();
    let open = idle.iter_mut().filter(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        !matches!(stream.peek(&mut [0]), Ok(0))
    });
    assert!(open.count() <= 16);
    // None of its streams ends by itself: the next one is refused.
    let streams: Vec<_> = (0..40).map(|_| kept(&server, &get("/v1/events?session=s1", &bearer))).collect();
    let taken = streams.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(taken, 16);
    assert!(streams.iter().all(|(status, _)| [200, 429].contains(status)));

    // Strangers hold as many as they can: heads without an end, and refused bodies that come slowly.
    let strange = |number: usize| {
        let mut stream = server.connect();
        let body = "POST /v1/sessions HTTP/1.1\r\nAuthorization: Bearer vbt_x\r\nContent-Length: 100000\r\n";
        let (host, end) =
            (format!("Host: {}\r\n", server.host()), if number.is_multiple_of(2) { "\r\n{" } else { "X-Slow: " });
        let _ = stream.write_all(format!("{body}{host}{end}").as_bytes());
        stream
    };
    let strangers: Vec<TcpStream> = (0..300).map(strange).collect();
    let page = server.get("/s/s1", &[("Cookie", &cookie)]);
    assert_eq!(page.status, 200);
    let decided = server.as_owner(&cookie, "POST", &decision, &json!({"selected": ["a"], "shown_sha256": shown}));
    assert_eq!(decided.status, 200, "{}", decided.text());
    assert_eq!(server.with_key("GET", "/v1/me", "").status, 200, "and this machine's commands are served");
    drop((idle, streams, strangers));
}

/// Among connections without a credential, those of the address that has the most of them give way to others.
#[test]
#[cfg(target_os = "linux")]
fn one_address_closes_nothing_of_another() {
    let server = Server::start_in(Place::new(), &["--connections", "32"]);
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", server.host());
    let mut early = server.connect();
    early.write_all(head.as_bytes()).unwrap();
    let mut flood: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = server.connect_from(Ipv4Addr::new(127, 0, 0, 2));
            let _ = stream.write_all(head.as_bytes());
            stream
        })
        .collect();
    // A quarter of all connections are for those without a credential: by the time that these are closed, the rest has
    // come.
    for stream in &mut flood[..30] {
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
    }
    early.write_all(b"\r\n").unwrap();
    assert_eq!(Reply::read(early).status, 200);
}

/// The keys of one address have half of all connections, also those of 127.0.0.1: behind a proxy, everybody is there.
#[test]
#[cfg(target_os = "linux")]
fn one_address_leaves_room_for_others() {
    let start = || {
        let server = Server::start_in(Place::new(), &["--connections", "64"]);
        let keys: Vec<String> = (0..8).map(|number| agent(&server, &format!("s{number}"))).collect();
        (server, keys)
    };
    // Eight streams of each key, as many as one may have.
    let streams = |(server, keys): &(Server, Vec<String>), address: [u8; 4]| {
        let open = |number: usize| {
            let mut stream = server.connect_from(Ipv4Addr::from(address));
            let (key, path) = (&keys[number / 8], format!("/v1/events?session=s{}", number / 8));
            let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\n\r\n", server.host());
            stream.write_all(head.as_bytes()).unwrap();
            let mut reader = BufReader::new(stream);
            let status = Reply::head(&mut reader).status;
            assert!([200, 429].contains(&status), "{status}");
            (status == 200).then_some(reader)
        };
        (0..64).filter_map(open).collect::<Vec<_>>()
    };
    let server = start();
    let held = streams(&server, [127, 0, 0, 2]);
    assert_eq!(held.len(), 32);
    let more = streams(&server, [127, 0, 0, 3]);
    assert_eq!(more.len(), 16, "the rest of what all keys may have");
    assert_eq!(server.0.with_key("GET", "/v1/me", "").status, 200);
    assert_eq!(streams(&start(), [127, 0, 0, 1]).len(), 32);
    drop((held, more));
}

/// The server reads a refused body for two seconds: a client that goes on sending then holds nothing.
#[test]
fn refused_bodies_are_closed() {
    let server = Server::start();
    let mut stream = server.connect();
    let head = "POST /v1/sessions HTTP/1.1\r\nAuthorization: Bearer vbt_x\r\nContent-Length: 100000000\r\n";
    stream.write_all(format!("{head}Host: {}\r\n\r\n", server.host()).as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    // It would take 40 seconds: as quickly as a body has to come.
    let closed = (0..400).any(|_| {
        let sent = stream.write_all(&[b' '; 1024]);
        sent.is_err() || matches!(stream.read(&mut [0; 4096]), Ok(0))
    });
    assert!(closed);
}

/// As many as there are cores, and more, are worked on at a time: whoever asks for something else is answered
/// meanwhile.
#[test]
fn edits_that_take_long_to_compare_stop_nobody() {
    let server = Server::start();
    let key = agent(&server, "s1");
    let lines =
        |step: usize| -> String { (0..100_000).map(|n| format!("line of kind {}\n", n * step / 7 % 50)).collect() };
    let edit = json!({"file_path": "a.txt", "old_content": lines(13), "new_content": lines(29)});
    let body = json!({"message_metadata": {"message_type": "CODE_EDIT", "payload": {"edits": [edit]}}}).to_string();
    let post = || as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &body).status;
    let answers: Vec<u16> = scope(|scope| {
        let hostile = 2 * available_parallelism().unwrap().get();
        let posts: Vec<_> = (0..hostile).map(|_| scope.spawn(post)).collect();
        while !posts.iter().all(ScopedJoinHandle::is_finished) {
            assert_eq!(server.get("/healthz", &[]).status, 200);
            let small = json!({"content": "small"}).to_string();
            assert_eq!(as_agent(&server, &key, "POST", "/v1/sessions/s1/messages", &small).status, 201);
        }
        posts.into_iter().map(|post| post.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|status| matches!(status, 201 | 503)), "{answers:?}");

    let made = as_agent(&server, &key, "POST", "/v1/sessions", &json!({"agent": "bot", "id": "s2"}).to_string());
    assert_eq!(made.status, 201);
    assert_eq!(as_agent(&server, &key, "POST", "/v1/sessions/s2/messages", &body).status, 201);
    let cookie = server.cookie();
    for path in ["/fragments/sessions/s2/messages/1?full=1", "/fragments/sessions/s2/net?path=a.txt&show=1"] {
        let drawn = server.as_owner(&cookie, "GET", path, &Value::Null);
        assert_eq!(drawn.status, 200, "{}", drawn.text());
        let said = "Too large to compare line by line: all lines of the largest changes are shown as changed";
        assert!(drawn.text().contains(said), "{path}");
    }
}
