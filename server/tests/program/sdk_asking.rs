//! The SDK waits: for answers, decisions and events, across the end of the server.

use crate::proxy::{self, Fate, Proxy};
use crate::support::{PATIENCE, Place, Server, said};
use futures::StreamExt as _;
use sdk::{ApprovalState, Error, Event, PostMessage, Session, UpdateMessage, Verbatim, Watch, approval};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

/// A person at the page of a session.
struct Person<'a> {
    server: &'a Server,
    cookie: String,
    session: String,
}

impl<'a> Person<'a> {
    fn at(server: &'a Server, session: &Session) -> Self {
        Self { server, cookie: server.cookie(), session: session.id().to_owned() }
    }

    fn post(&self, path: &str, body: Value) -> Value {
        let path = format!("/v1/sessions/{}/{path}", self.session);
        let reply = self.server.as_owner(&self.cookie, "POST", &path, &body);
        assert!(reply.status < 300, "{path}: {}", reply.text());
        reply.json()
    }

    fn says(&self, text: &str) {
        self.post("messages", json!({ "content": text }));
    }

    fn decides(&self, approval: &str, mut decision: Value) {
        let path = format!("/v1/sessions/{}/messages/{approval}", self.session);
        decision["shown_sha256"] = self.server.with_key("GET", &path, "").json()["entry"]["shown_sha256"].clone();
        self.post(&format!("messages/{approval}/decision"), decision);
    }
}

fn texts(messages: &[sdk::Message]) -> Vec<String> {
    messages.iter().map(sdk::Message::text).collect()
}

/// Waits until somebody asked for the queue.
fn until_it_waits(proxy: &Proxy) {
    assert!(proxy.heard.iter().any(|line| line.contains("/pending")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered() {
    let server = Server::start();
    let verbatim = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let person = Person::at(&server, &session);
    person.says("before");
    let question = session.question("Which version?").await.unwrap();
    assert_eq!(texts(&question.sent.queued_user_messages), ["before"]);
    assert_eq!(session.info().await.unwrap().state.as_str(), "needs_you");
    person.says("1.4");
    person.says("and then?");
    assert_eq!(question.answer().await.unwrap().text(), "1.4");
    assert_eq!(question.answer().await.unwrap().text(), "1.4", "it is there for who asks again");
    assert_eq!(texts(&session.pending(Duration::ZERO).await.unwrap()), ["and then?"]);

    // The whole in one call, and an id by which another run of the program gets the same answer.
    let asked = || PostMessage { id: Some("the-question".to_owned()), ..PostMessage::from("Sure?") };
    let first = session.clone();
    let waits = tokio::spawn(async move { first.ask(asked()).await });
    while !server.with_key("GET", &format!("/v1/sessions/{}/messages", session.id()), "").text().contains("Sure?") {}
    person.says("Yes");
    assert_eq!(waits.await.unwrap().unwrap().text(), "Yes");
    assert_eq!(verbatim.session(session.id()).ask(asked()).await.unwrap().text(), "Yes");
    assert_eq!(session.info().await.unwrap().last_seq, 6, "the question was stored once");
}

/// A message about something else, and a tick, are no answers; they are given all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer() {
    let server = Server::start();
    let verbatim = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let person = Person::at(&server, &session);
    let other = session.send_message("Other").await.unwrap();
    let item = sdk::TodoItem { id: "1".to_owned(), content: "Sow".to_owned(), status: sdk::TodoStatus::Pending };
    session.send_todo(vec![item]).await.unwrap();
    let question = session.question("Which?").await.unwrap();
    person.post("ticks", json!({"id": "1", "status": "completed"}));
    person.post("messages", json!({"content": "about the other", "reply_to": other.id()}));
    // A retracted message isn't delivered, and holds up nothing.
    let regretted = person.post("messages", json!({"content": "Oops"}))["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{}/messages/{regretted}", session.id());
    assert_eq!(server.as_owner(&person.cookie, "DELETE", &path, &json!({})).status, 200);
    person.post("messages", json!({"content": "this", "reply_to": question.id()}));
    let answer = question.answer().await.unwrap();
    assert_eq!(answer.text(), "this");
    assert_eq!(texts(&answer.queued_user_messages), ["Ticked: Sow", "about the other"]);
    assert!(session.pending(Duration::ZERO).await.unwrap().is_empty(), "each was given");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_decides() {
    let server = Server::start();
    let verbatim = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let person = Person::at(&server, &session);
    let request = |approval| session.request_approval(approval, sdk::Structured::default());

    let allowed = request(approval::permission("Run `rm -r target`")).await.unwrap();
    person.says("hm");
    person.decides(allowed.id(), json!({"selected": ["allow_once"], "text": "this time"}));
    let decided = allowed.decision().await.unwrap();
    assert_eq!((decided.state, decided.allowed()), (ApprovalState::AllowedOnce, true));
    assert_eq!(decided.text(), "Allow once, this time");
    assert_eq!(texts(&decided.queued_user_messages), ["hm"]);
    assert_eq!(decided.decision.unwrap().by.as_deref(), Some("owner"));

    let denied = request(approval::plan("Rewrite it", "1. All of it")).await.unwrap();
    person.decides(denied.id(), json!({"selected": ["reject"]}));
    let decided = denied.decision().await.unwrap();
    assert_eq!((decided.state, decided.allowed()), (ApprovalState::Denied, false));

    let choice = request(approval::choose("Which one?", &["Left", "Right"])).await.unwrap();
    person.decides(choice.id(), json!({"selected": ["2"]}));
    let decided = choice.decision().await.unwrap();
    assert_eq!((decided.text().as_str(), decided.allowed()), ("Right", false), "a choice is no permission");

    // Taken back by the agent itself: nobody decided.
    let gone = request(approval::permission("Nothing")).await.unwrap();
    gone.withdraw().await.unwrap();
    gone.withdraw().await.unwrap();
    let message = session.message(gone.id()).await.unwrap();
    assert!(message.content().contains("cancelled"), "{}", message.content());
    choice.withdraw().await.unwrap();
    assert!(session.message(choice.id()).await.unwrap().content().contains("Right"), "decided is decided");
}

/// The server dies while an agent waits; the answer that its successor takes arrives.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_killed_in_the_middle() {
    let mut server = Server::start();
    let key = server.agent_key();
    let proxy = proxy::start(server.port, Fate::Arrive);
    let session = Verbatim::connect(&proxy.url, &key).unwrap().create_session("bot").await.unwrap();
    let asks = session.clone();
    let waits = tokio::spawn(async move { asks.ask("Still there?").await });
    until_it_waits(&proxy);
    server.kill();
    let server = server.again();
    Person::at(&server, &session).says("Yes");
    assert_eq!(waits.await.unwrap().unwrap().text(), "Yes");
    let info = session.info().await.unwrap();
    assert_eq!((info.last_seq, info.message_count), (2, 2), "asked once, answered once");
}

/// Waiting that was given up has lost nothing.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_that_is_given_up() {
    let server = Server::start();
    let key = server.agent_key();
    let proxy = proxy::start(server.port, Fate::Arrive);
    let session = Verbatim::connect(&proxy.url, &key).unwrap().create_session("bot").await.unwrap();
    let question = session.question("Which?").await.unwrap();
    let waiting = question.clone();
    let waits = tokio::spawn(async move { waiting.answer().await });
    until_it_waits(&proxy);
    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    let pending = session.clone();
    let waits = tokio::spawn(async move { pending.pending(Duration::from_secs(50)).await });
    until_it_waits(&proxy);
    waits.abort();
    let person = Person::at(&server, &session);
    person.says("That");
    assert_eq!(question.answer().await.unwrap().text(), "That");
    question.withdraw().await.unwrap();
    assert_eq!(session.message(question.id()).await.unwrap().draft().status, sdk::Status::Retracted);
}

/// Somebody else takes the question back: who waits for its answer hears that, and of an answer that came before.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_taken_back_is_waited_for_no_more() {
    let server = Server::start();
    let key = server.agent_key();
    let proxy = proxy::start(server.port, Fate::Arrive);
    let session = Verbatim::connect(&proxy.url, &key).unwrap().create_session("bot").await.unwrap();
    let question = session.question("Which?").await.unwrap();
    let person = Person::at(&server, &session);
    let path = format!("/v1/sessions/{}/messages/{}", session.id(), question.id());
    assert_eq!(server.as_owner(&person.cookie, "DELETE", &path, &json!({})).status, 200);
    let waited = question.answer().await.unwrap_err();
    assert!(matches!(waited, Error::Withdrawn), "{waited}");

    let silent = session.question("And now?").await.unwrap();
    let update = UpdateMessage { requires_user_input: Some(false), ..UpdateMessage::default() };
    session.update(silent.id(), update).await.unwrap();
    assert!(matches!(silent.answer().await.unwrap_err(), Error::Withdrawn), "nobody is asked any more");
    let answered = session.question("This one?").await.unwrap();
    person.says("This one");
    answered.withdraw().await.unwrap();
    assert_eq!(answered.answer().await.unwrap().text(), "This one");
}

/// However short: what is there is given, and where nothing is, it isn't waited for longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_as_long_as_was_said() {
    let server = Server::start();
    let session =
        Verbatim::connect(&server.origin(), &server.agent_key()).unwrap().create_session("bot").await.unwrap();
    let waits = async {
        for _ in 0..4 {
            assert!(session.pending(Duration::from_millis(50)).await.unwrap().is_empty());
        }
    };
    // In whole seconds, as the server counts, they would take four.
    tokio::time::timeout(Duration::from_secs(3), waits).await.unwrap();
    Person::at(&server, &session).says("Here");
    assert_eq!(texts(&session.pending(Duration::from_nanos(1)).await.unwrap()), ["Here"]);
}

/// A server that accepts streams and ends them at once is asked with growing pauses.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_ends_at_once_is_opened_more_and_more_rarely() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (opened, mut openings) = unbounded_channel();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let head = BufReader::new(client.try_clone().unwrap()).lines().map_while(Result::ok);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            let _ = opened.send(Instant::now());
            let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            client.write_all(answer.as_bytes()).unwrap();
        }
    });
    let verbatim = Verbatim::connect(&url, "vbt_any").unwrap();
    let mut events = verbatim.watch(None, Some("1.ffffff".to_owned()));
    let mut five = Vec::new();
    let listens = async {
        while five.len() < 5 {
            five.push(openings.recv().await.unwrap());
        }
    };
    tokio::select! {
        () = listens => {}
        event = events.next() => panic!("nothing was sent: {event:?}"),
    }
    // A busy machine makes the pauses longer, and nothing makes them shorter.
    let least = [100, 200, 400, 800].map(Duration::from_millis);
    let pauses: Vec<Duration> = five.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(pauses.iter().zip(least).all(|(pause, least)| *pause >= least), "{pauses:?}");
}

/// Every change once and in order, although the server ends twice.
#[tokio::test(flavor = "multi_thread")]
async fn the_event_stream_resumes_itself() {
    let mut server = Server::start();
    let key = server.agent_key();
    let verbatim = Verbatim::connect(&server.origin(), &key).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let start = session.messages(sdk::ListMessages::default()).await.unwrap().cursor;
    let mut events = session.watch(Some(start));
    let (mut seen, mut pos, mut last) = (Vec::new(), 0, String::new());
    for n in 1..=6 {
        let sent = session.send_message(format!("Message {n}")).await.unwrap();
        if n == 3 {
            let update = UpdateMessage { content: Some("3".to_owned()), ..UpdateMessage::default() };
            session.update(sent.id(), update).await.unwrap();
        }
        // It ends with what it said last still unread, and with all of it read.
        if n == 2 || n == 5 {
            server.kill();
            server = server.again();
        }
        while seen.last().is_none_or(|seq| *seq < n) {
            let event = events.next().await.unwrap().unwrap();
            assert!(event.change.pos > pos, "{event:?} after {pos}");
            seen.extend(Some(event.change.to_seq).filter(|seq| *seq > 0));
            (pos, last) = (event.change.pos, event.cursor);
        }
    }
    // The change of the third may come with it, or by itself.
    seen.dedup();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);

    // Another reader goes on from a cursor that was kept.
    let sent = session.send_message("Message 7").await.unwrap();
    let mut other = verbatim.watch(Some(session.id()), Some(last));
    assert_eq!(other.next().await.unwrap().unwrap().change.to_seq, sent.message.seq());

    let id = key.split('_').nth(1).unwrap();
    server.place.out(&["key", "revoke", id]);
    let refused = other.next().await.unwrap().unwrap_err();
    assert!(matches!(refused, Error::Unauthorized(_)), "{refused}");
    assert!(other.next().await.is_none());
}

/// A server without sessions that follows an empty folder: the first session of it, and one without messages.
#[tokio::test(flavor = "multi_thread")]
async fn the_event_stream_from_nothing_on() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("agent/projects")).unwrap();
    let folder = place.path("agent");
    let server = Server::start_in(place, &["--claude-dir", folder.to_str().unwrap()]);
    let verbatim = Verbatim::connect(&server.origin(), &server.key()).unwrap();
    let none = verbatim.sessions(api::sessions::ListSessions::default()).await.unwrap();
    assert_eq!(none.sessions, []);
    let mut all = verbatim.watch(None, Some(none.cursor));
    let file = server.place.write("agent/projects/-home-ada-mill/mill.jsonl", said("mill", 1, "One"));
    let first = until(&mut all, 1).await;
    let session = verbatim.session(&first.change.session);
    assert_eq!(session.info().await.unwrap().agent_session_id.as_deref(), Some("mill"));
    // In this session alone, from there on.
    let mut one = session.watch(Some(first.cursor));
    OpenOptions::new().append(true).open(file).unwrap().write_all(said("mill", 2, "Two").as_bytes()).unwrap();
    let second = until(&mut one, 2).await;
    assert_eq!(second.change.session, first.change.session);
    assert_eq!(until(&mut all, 2).await.change, second.change);

    let bot = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let empty = bot.create_session("bot").await.unwrap();
    let mut events = empty.watch(Some(empty.messages(sdk::ListMessages::default()).await.unwrap().cursor));
    empty.send_message("Hello").await.unwrap();
    assert_eq!(until(&mut events, 1).await.change.session, empty.id());
}

/// The change that brings a message.
async fn until(events: &mut Watch, seq: i64) -> Event {
    let found = async {
        loop {
            let event = events.next().await.unwrap().unwrap();
            if event.change.to_seq == seq {
                return event;
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("it is told")
}

/// The database was put back to an earlier state: that is told, and what comes from then on.
#[tokio::test]
async fn a_cursor_of_a_history_that_is_gone_begins_anew() {
    let server = Server::start();
    let bearer = format!("Bearer {}", server.key());
    let refused = server.get("/v1/events?after=1.ffffff&until=now", &[("Authorization", &bearer)]);
    assert_eq!((refused.status, &refused.json()["code"]), (410, &serde_json::json!("cursor_gone")));
    let verbatim = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let mut events = session.watch(Some("1.ffffff".to_owned()));
    let told = events.next().await.unwrap().unwrap_err();
    assert_eq!(told.problem().map(|problem| &*problem.code), Some("cursor_gone"), "{told}");
    let sent = session.send_message("Hello").await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    assert_eq!((event.change.session.as_str(), event.change.to_seq), (session.id(), sent.message.seq()));
}
