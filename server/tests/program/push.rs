//! Notifications that the server sends to browsers, at a push service that this test starts.

use crate::support::{Place, Server, wait_until};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Keys of a browser: those of the example in RFC 8291.
const RECEIVER: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// A request to the push service: its path and headers.
type Sent = (String, BTreeMap<String, String>);

/// A push service. It answers each path with the status that was set for it, otherwise with 201.
struct Service {
    origin: String,
    sent: Arc<Mutex<Vec<Sent>>>,
    answers: Arc<Mutex<BTreeMap<String, &'static str>>>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let service = Self { origin, sent: Arc::default(), answers: Arc::default() };
        let (sent, answers) = (Arc::clone(&service.sent), Arc::clone(&service.answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (sent, answers) = (Arc::clone(&sent), Arc::clone(&answers));
                std::thread::spawn(move || take(stream, &sent, &answers));
            }
        });
        service
    }

    fn answer(&self, path: &str, status: &'static str) {
        self.answers.lock().unwrap().insert(path.to_owned(), status);
    }

    /// Headers of the messages to a browser, in their order.
    fn sent(&self, path: &str) -> Vec<BTreeMap<String, String>> {
        let sent = self.sent.lock().unwrap();
        sent.iter().filter(|(to, _)| to == path).map(|(_, headers)| headers.clone()).collect()
    }

    fn topics(&self, path: &str) -> Vec<String> {
        self.sent(path).into_iter().map(|headers| headers["topic"].clone()).collect()
    }

    fn subscription(&self, path: &str) -> Value {
        json!({ "endpoint": format!("{}{path}", self.origin), "p256dh": RECEIVER, "auth": SECRET })
    }
}

/// Reads one request, and answers it.
fn take(mut stream: TcpStream, sent: &Mutex<Vec<Sent>>, answers: &Mutex<BTreeMap<String, &'static str>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? <= 2 {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let path = lines.first()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect();
    reader.read_exact(&mut vec![0; headers["content-length"].parse().ok()?]).ok()?;
    let answer = answers.lock().unwrap().get(&path).copied().unwrap_or("201 Created");
    sent.lock().unwrap().push((path, headers));
    if answer == "hang" {
        std::thread::park();
    }
    write!(stream, "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()
}

/// The header `Topic` of notifications with a tag.
fn topic(tag: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(tag)[..24])
}

fn approval(id: &str) -> Value {
    let payload = json!({ "kind": "permission", "title": "Grind", "state": "open", "questions": [] });
    let typed = json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
    json!({ "id": id, "role": "assistant", "content": "May I grind?", "message_metadata": typed })
}

struct Talk {
    server: Server,
    bearer: String,
}

impl Talk {
    fn start() -> Self {
        let server = Server::start_in(Place::new(), &["--channel-host", "127.0.0.1"]);
        let bearer = format!("Bearer {}", server.agent_key());
        Self { server, bearer }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let headers = [("Authorization", &*self.bearer), ("Content-Type", "application/json")];
        let reply = self.server.send("POST", path, &headers, &body.to_string());
        assert!(reply.status < 300, "{path} {body}: {}", reply.text());
        reply.json()
    }

    fn session(&self, id: &str) {
        self.post("/v1/sessions", &json!({ "agent": "bot", "id": id, "title": "Mill", "project": "/srv/mill" }));
    }

    fn ask(&self, session: &str, id: &str) {
        self.post(&format!("/v1/sessions/{session}/messages"), &approval(id));
    }

    fn push(&self, cookie: &str, method: &str, body: &Value) -> (u16, Value) {
        let reply = self.server.as_owner(cookie, method, "/v1/push", body);
        (reply.status, reply.json())
    }

    fn subscribe(&self, service: &Service, path: &str) -> String {
        let cookie = self.server.cookie();
        let (status, body) = self.push(&cookie, "PUT", &service.subscription(path));
        assert_eq!(status, 200, "{body}");
        cookie
    }

    fn device(&self, cookie: &str) -> Value {
        self.push(cookie, "GET", &Value::Null).1["device"].clone()
    }
}

#[test]
fn a_browser_subscribes_and_says_what_it_wants_to_be_told() {
    let (service, talk) = (Service::start(), Talk::start());
    let cookie = talk.server.cookie();
    let (status, state) = talk.push(&cookie, "GET", &Value::Null);
    assert_eq!((status, state.get("device")), (200, None));
    let key = URL_SAFE_NO_PAD.decode(state["key"].as_str().unwrap()).unwrap();
    assert_eq!((key.len(), key[0]), (65, 4));

    let subscription = service.subscription("/one");
    let with = |field: &str, value: Value| {
        let mut changed = subscription.clone();
        changed[field] = value;
        let (status, body) = talk.push(&cookie, "PUT", &changed);
        (status, body["code"].clone(), body["field"].clone())
    };
    let not_on_the_curve = URL_SAFE_NO_PAD.encode([4; 65]);
    for (field, value, named) in [
        ("endpoint", json!("https://10.0.0.1/x"), "/endpoint"),
        ("endpoint", json!("http://push.example.org/x"), "/endpoint"),
        ("endpoint", json!("x"), "/endpoint"),
        ("endpoint", json!(format!("https://push.example.org/{}", "x".repeat(2000))), "/endpoint"),
        ("endpoint", Value::Null, "/endpoint"),
        ("p256dh", json!("AAAA"), "/p256dh"),
        ("p256dh", json!(not_on_the_curve), "/p256dh"),
        ("auth", json!("AAAA"), "/auth"),
        ("auth", Value::Null, "/endpoint"),
        ("quiet_from", json!("25:00"), "/quiet_from"),
        ("quiet_from", json!("22:00"), "/quiet_until"),
        ("zone", json!("Mars/Base"), "/zone"),
    ] {
        assert_eq!(with(field, value.clone()), (400, json!("invalid_field"), json!(named)), "{field} {value}");
    }
    let (status, refused) = talk.push(&cookie, "PUT", &json!({ "failed": false }));
    assert_eq!((status, &refused["code"]), (409, &json!("no_subscription")));

    let (status, state) = talk.push(&cookie, "PUT", &subscription);
    let told = json!({ "needs_you": true, "failed": true, "finished": false, "mentions": true, "details": false,
        "quiet_from": "", "quiet_until": "", "zone": "UTC" });
    let host = service.origin.trim_start_matches("http://");
    assert_eq!((status, &state["device"]["service"], &state["device"]["settings"]), (200, &json!(host), &told));
    let edit = json!({ "failed": false, "quiet_from": "22:00", "quiet_until": "07:00", "zone": "Europe/Berlin" });
    let (_, state) = talk.push(&cookie, "PUT", &edit);
    let told = json!({ "needs_you": true, "failed": false, "finished": false, "mentions": true, "details": false,
        "quiet_from": "22:00", "quiet_until": "07:00", "zone": "Europe/Berlin" });
    assert_eq!((&state["device"]["service"], &state["device"]["settings"]), (&json!(host), &told));

    // Another browser has nothing of it; neither a command nor an agent is one.
    let other = talk.server.cookie();
    assert_eq!(talk.device(&other), Value::Null);
    assert_eq!(talk.server.with_key("GET", "/v1/push", "").status, 403);
    let notified = |cookie: &str| {
        let logins = talk.server.as_owner(cookie, "GET", "/v1/logins", &Value::Null).json();
        let own = logins["logins"].as_array().unwrap().iter().find(|login| login["current"] == true).cloned();
        own.unwrap().get("notified").cloned()
    };
    assert_eq!((notified(&cookie), notified(&other)), (Some(json!(true)), None));

    let tried = talk.server.as_owner(&cookie, "POST", "/v1/push/test", &json!({}));
    assert_eq!((tried.status, service.topics("/one")), (200, vec![topic("test")]));
    let (status, state) = talk.push(&cookie, "DELETE", &json!({}));
    assert_eq!((status, state.get("device")), (200, None));
    assert_eq!(talk.server.as_owner(&cookie, "POST", "/v1/push/test", &json!({})).json()["code"], "no_subscription");
}

#[test]
fn a_request_is_told_once_on_each_browser_and_closed_on_all_when_it_is_decided() {
    let (service, talk) = (Service::start(), Talk::start());
    talk.session("mill");
    talk.ask("mill", "before");
    let (one, _two) = (talk.subscribe(&service, "/one"), talk.subscribe(&service, "/two"));
    talk.ask("mill", "a1");
    let request = topic("mill/2");
    for path in ["/one", "/two"] {
        wait_until("the request is told", || !service.sent(path).is_empty());
        let headers = &service.sent(path)[0];
        // What waited before isn't told.
        assert_eq!(headers["topic"], request);
        assert_eq!(
            ["ttl", "urgency", "content-encoding", "content-type"].map(|name| headers[name].as_str()),
            ["86400", "high", "aes128gcm", "application/octet-stream"]
        );
        assert!(headers["authorization"].starts_with("vapid t=ey"), "{headers:?}");
    }
    let decided =
        talk.server.as_owner(&one, "POST", "/v1/sessions/mill/messages/a1/decision", &json!({"state": "denied"}));
    assert_eq!(decided.status, 200, "{}", decided.text());
    for path in ["/one", "/two"] {
        wait_until("the notification is closed", || service.sent(path).len() == 2);
        assert_eq!((service.topics(path)[1].clone(), &*service.sent(path)[1]["urgency"]), (request.clone(), "normal"));
    }
    // The next one is the only other message: nothing was told twice.
    talk.ask("mill", "a2");
    wait_until("the next request is told", || service.sent("/one").len() == 3);
    assert_eq!(service.topics("/one")[2], topic("mill/4"));
}

#[test]
fn who_is_mentioned_is_told_if_they_see_the_session() {
    let (service, talk) = (Service::start(), Talk::start());
    talk.session("mill");
    let person = |name: &str, path: &str| {
        let added = talk.server.with_key("POST", "/v1/users", &json!({ "name": name, "role": "member" }).to_string());
        let code = added.json()["invitation"]["url"].as_str().unwrap().split_once("#c=").unwrap().1.to_owned();
        let cookie = talk.server.logged_in(&talk.server.log_in(&code));
        assert_eq!(talk.push(&cookie, "PUT", &service.subscription(path)).0, 200);
        (added.json()["person"]["id"].as_str().unwrap().to_owned(), cookie)
    };
    let ((ines, cookie), _bo) = (person("Ines", "/ines"), person("Bo", "/bo"));
    let owner = talk.subscribe(&service, "/owner");
    let say = |cookie: &str, text: &str| {
        let said = json!({ "role": "user", "content": text });
        let reply = talk.server.as_owner(cookie, "POST", "/v1/sessions/mill/messages", &said);
        assert_eq!(reply.status, 201, "{}", reply.text());
    };
    // Not oneself, and no address.
    say(&cookie, "I, @ines, write to bo@bo.example");
    say(&owner, "What do you say, @INES and @bo?");
    for path in ["/ines", "/bo"] {
        wait_until("they are told", || !service.sent(path).is_empty());
        assert_eq!((service.topics(path), &*service.sent(path)[0]["urgency"]), (vec![topic("mill/2")], "high"));
    }
    // What somebody doesn't see they aren't told of.
    let hidden = json!({ "project": "/srv/mill", "people": [ines] }).to_string();
    assert_eq!(talk.server.with_key("PUT", "/v1/projects/people", &hidden).status, 200);
    say(&owner, "@Bo @Ines");
    wait_until("she is told", || service.sent("/ines").len() == 2);
    assert_eq!(service.topics("/ines")[1], topic("mill/3"));
    assert_eq!((service.sent("/bo").len(), service.sent("/owner").len()), (1, 0));
}

#[test]
fn many_requests_become_one_notification() {
    let (service, talk) = (Service::start(), Talk::start());
    talk.session("mill");
    talk.subscribe(&service, "/one");
    let asks: Vec<Value> = (0..50).map(|n| approval(&format!("a{n}"))).collect();
    talk.post("/v1/sessions/mill/messages/batch", &json!({ "messages": asks }));
    wait_until("they are told", || !service.sent("/one").is_empty());
    assert_eq!(service.topics("/one"), [topic("requests")]);
}

#[test]
fn a_push_service_that_fails_is_asked_again_and_one_that_refuses_is_named() {
    let (service, talk) = (Service::start(), Talk::start());
    talk.session("mill");
    for (path, status) in [
        ("/busy", "429 Too Many Requests\r\nretry-after: 1"),
        ("/large", "413 Content Too Large"),
        ("/moved", "307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/elsewhere"),
        ("/gone", "410 Gone"),
        ("/missing", "404 Not Found"),
        ("/hangs", "hang"),
    ] {
        service.answer(path, status);
    }
    let paths = ["/busy", "/large", "/moved", "/gone", "/missing", "/hangs", "/fine"];
    let [busy, large, moved, gone, missing, _, fine] = paths.map(|path| talk.subscribe(&service, path));
    talk.ask("mill", "a1");
    wait_until("all are told", || paths.iter().all(|path| !service.sent(path).is_empty()));
    wait_until("the browsers that are gone are forgotten", || {
        talk.device(&gone).is_null() && talk.device(&missing).is_null()
    });
    let error = |cookie: &str| talk.device(cookie)["error"].as_str().unwrap_or_default().to_owned();
    for (cookie, words) in [(&large, "413 Payload Too Large"), (&moved, "307 Temporary Redirect")] {
        wait_until("the refusal is named", || error(cookie) == words);
    }
    wait_until("the busy one is named", || error(&busy) == "429 Too Many Requests");
    service.answer("/busy", "201 Created");
    wait_until("the busy one is asked again", || service.sent("/busy").len() == 2 && error(&busy).is_empty());
    assert_eq!((service.sent("/fine").len(), error(&fine)), (1, String::new()));
    // One that hangs delays nobody.
    let decided =
        talk.server.as_owner(&fine, "POST", "/v1/sessions/mill/messages/a1/decision", &json!({"state": "denied"}));
    assert_eq!(decided.status, 200);
    wait_until("the others are closed", || service.sent("/fine").len() == 2 && service.sent("/busy").len() == 3);
    assert_eq!((service.sent("/gone").len(), service.sent("/missing").len()), (1, 1));
}

#[test]
fn the_end_of_a_turn_is_told_to_who_wants_it_and_quiet_hours_and_ended_log_ins_end_all() {
    let (service, talk) = (Service::start(), Talk::start());
    talk.session("mill");
    talk.session("other");
    let [all, _plain, quiet, out] = ["/all", "/plain", "/quiet", "/out"].map(|path| talk.subscribe(&service, path));
    assert_eq!(talk.push(&all, "PUT", &json!({ "finished": true })).0, 200);
    // Quiet for all of the day but a minute that isn't now.
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let [from, until] =
        [-60, -61].map(|minutes| (&now + jiff::Span::new().minutes(minutes)).strftime("%H:%M").to_string());
    assert_eq!(talk.push(&quiet, "PUT", &json!({ "quiet_from": from, "quiet_until": until })).0, 200);
    let logged_out = talk.server.as_owner(&out, "POST", "/v1/logout", &json!({}));
    assert!(logged_out.status < 300, "{}", logged_out.text());

    for session in ["mill", "other"] {
        talk.post(&format!("/v1/sessions/{session}/heartbeat"), &json!({}));
    }
    let state = |session: &str| {
        let found = talk.server.with_key("GET", &format!("/v1/sessions/{session}"), "").json();
        found["session"]["state"].as_str().unwrap_or_default().to_owned()
    };
    wait_until("both work", || state("mill") == "working" && state("other") == "working");
    talk.ask("mill", "a1");
    wait_until("the request is told, so that both were seen at work", || service.sent("/all").len() == 1);
    talk.post("/v1/sessions/other/end", &json!({ "outcome": "failed" }));
    wait_until("the failure is told", || service.topics("/all").contains(&topic("other")));
    wait_until("also to who wants no ends", || service.topics("/plain").contains(&topic("other")));
    let decided =
        talk.server.as_owner(&all, "POST", "/v1/sessions/mill/messages/a1/decision", &json!({"state": "denied"}));
    assert_eq!(decided.status, 200);
    talk.post("/v1/sessions/mill/end", &json!({ "outcome": "done" }));
    wait_until("the end is told", || service.topics("/all").contains(&topic("mill")));
    assert!(!service.topics("/plain").contains(&topic("mill")));
    assert_eq!((service.sent("/quiet").len(), service.sent("/out").len()), (0, 0));
}
