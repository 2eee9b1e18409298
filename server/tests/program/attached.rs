//! Sessions of Codex that run in their own terminals, joined by the server: a double stands in for Codex's background server.

use crate::codex_double::{Codex, Habits, HangsUp, Who, socket};
use crate::support::{PATIENCE, Place, Server, wait_until};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

/// Codex's own id of the session.
const THREAD: &str = "5e55a0de-0000-4000-8000-00000000a001";

/// Decisions that are raced for.
const RACES: usize = 60;

fn home(place: &Place) -> PathBuf {
    place.path("home/.codex")
}

fn serve(place: Place) -> Server {
    let command = place.program(&["serve", "--listen", "127.0.0.1:0", "--yes"]);
    Server::spawn(place, command)
}

/// Another one on the folder, after the first one ended.
fn again(mut server: Server) -> Server {
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    serve(std::mem::replace(&mut server.place, Place::new()))
}

/// A server, Codex with a session in its terminal that said hello, and our id of the session.
fn joined() -> (Server, Codex, String) {
    joined_with(Habits::default())
}

fn joined_with(habits: Habits) -> (Server, Codex, String) {
    let place = Place::new();
    let codex = Codex::start_with(&home(&place), habits);
    codex.open(THREAD, &place.dir);
    codex.type_in(THREAD, "Hello");
    let server = serve(place);
    let session = wait_for_session(&server);
    wait_until("it is joined", || agent(&server, &session)["held_by"] == "both");
    (server, codex, session)
}

fn wait_for_session(server: &Server) -> String {
    let find = || {
        let listed = server.with_key("GET", "/v1/sessions", "").json()["sessions"].clone();
        listed[0]["id"].as_str().map(str::to_owned)
    };
    wait_until("its transcript is read", || find().is_some());
    find().unwrap()
}

fn agent(server: &Server, session: &str) -> Value {
    server.with_key("GET", &format!("/v1/sessions/{session}/agent"), "").json()
}

fn tell(server: &Server, session: &str, action: &str) -> (u16, Value) {
    let body = json!({ "action": action }).to_string();
    let reply = server.with_key("POST", &format!("/v1/sessions/{session}/agent/tell"), &body);
    (reply.status, reply.json())
}

fn write(server: &Server, session: &str, words: &str) -> String {
    let path = format!("/v1/sessions/{session}/messages");
    let reply = server.as_owner(&server.cookie(), "POST", &path, &json!({ "content": words }));
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["id"].as_str().unwrap().to_owned()
}

/// Role and words of the session's messages.
fn said(server: &Server, session: &str) -> Vec<(String, String)> {
    let listed = server.with_key("GET", &format!("/v1/sessions/{session}/messages?limit=500"), "").json();
    let messages = listed["messages"].as_array().unwrap();
    let is_said = |message: &&Value| {
        matches!(message["role"].as_str(), Some("user" | "assistant")) && message["message_type"] == "TEXT"
    };
    let text = |message: &Value, field: &str| message[field].as_str().unwrap().to_owned();
    messages.iter().filter(is_said).map(|message| (text(message, "role"), text(message, "content"))).collect()
}

fn wait_for_words(server: &Server, session: &str, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(role, words)| ((*role).to_owned(), (*words).to_owned())).collect();
    wait_until("the words", || {
        let said = said(server, session);
        assert!(said.len() <= expected.len(), "{said:?}");
        said == expected
    });
}

fn is_in(server: &Server, session: &str, state: &str) {
    wait_until(state, || agent(server, session)["state"] == state);
}

fn listed(server: &Server) -> Value {
    server.with_key("GET", "/v1/agents/running", "").json()
}

#[test]
fn a_session_in_a_terminal_is_written_to_from_both_sides() {
    let (server, codex, session) = joined();
    let folder = server.place.dir.to_str().unwrap();
    let shown = json!({
        "session": session, "agent": "codex", "title": "Codex", "folder": folder, "state": "idle", "held_by": "both",
        "can": ["write", "leave"], "mode": "auto", "model": "gpt-5.5", "tokens": 0,
    });
    assert_eq!(agent(&server, &session), shown);
    let running = json!({
        "session": session, "agent": "codex", "agent_session_id": THREAD, "folder": folder, "state": "idle", "joined": true,
    });
    let codex_home = json!({ "agent": "codex", "folder": home(&server.place), "version": "0.171.0" });
    assert_eq!(listed(&server), json!({ "sessions": [running], "homes": [codex_home] }));
    let line = format!("{THREAD}  codex  idle     {folder}    joined\n");
    assert_eq!(server.place.out(&["attach"]), line);

    let id = write(&server, &session, "From the page");
    let expected = [
        ("user", "Hello"),
        ("assistant", "Answer to Hello"),
        ("user", "From the page"),
        ("assistant", "Answer to From the page"),
    ];
    wait_for_words(&server, &session, &expected);
    let input = json!([{ "type": "text", "text": "From the page" }]);
    let started = json!({ "threadId": THREAD, "input": input, "clientUserMessageId": id });
    assert_eq!(codex.received("turn/start"), [started]);
    // Nothing of the terminal's settings is changed, and nothing is opened or copied.
    let last = json!({ "limit": 1, "sortDirection": "desc", "itemsView": "full" });
    let resumed = json!({ "threadId": THREAD, "excludeTurns": true, "initialTurnsPage": last });
    assert_eq!(codex.received("thread/resume"), [resumed]);

    codex.type_in(THREAD, "From the terminal");
    let more = [("user", "From the terminal"), ("assistant", "Answer to From the terminal")];
    wait_for_words(&server, &session, &[expected.as_slice(), &more].concat());
    assert_eq!(codex.prompts(THREAD), ["Hello", "From the page", "From the terminal"]);
}

#[test]
fn a_turn_of_the_terminal_is_shown_steered_and_interrupted() {
    let (server, codex, session) = joined();
    codex.type_in(THREAD, "Be slow");
    is_in(&server, &session, "working");
    wait_until("what it writes is shown", || agent(&server, &session)["growing"] == json!([{ "text": "Slow part" }]));
    assert_eq!(agent(&server, &session)["can"], json!(["write", "steer", "interrupt", "approve", "leave"]));

    let id = write(&server, &session, "Hurry");
    let waits = json!([{ "id": id, "text": "Hurry" }]);
    wait_until("it waits for the end of the turn", || agent(&server, &session)["waiting"] == waits);
    assert_eq!(codex.prompts(THREAD), ["Hello", "Be slow"]);
    assert_eq!(tell(&server, &session, "steer").0, 200);
    wait_until("it is given at once", || codex.prompts(THREAD) == ["Hello", "Be slow", "Hurry"]);
    let turn = codex.received("turn/steer");
    assert_eq!((turn.len(), &turn[0]["clientUserMessageId"]), (1, &json!(id)));
    codex.finish(THREAD);
    is_in(&server, &session, "idle");
    let told = [
        ("user", "Hello"),
        ("assistant", "Answer to Hello"),
        ("user", "Be slow"),
        ("user", "Hurry"),
        ("assistant", "At last."),
    ];
    wait_for_words(&server, &session, &told);

    codex.type_in(THREAD, "Be slow again");
    is_in(&server, &session, "working");
    assert_eq!(tell(&server, &session, "interrupt").0, 200);
    is_in(&server, &session, "idle");
    assert_eq!(codex.received("turn/interrupt").len(), 1);
    let (status, ended) = tell(&server, &session, "end");
    assert_eq!((status, &ended["code"]), (409, &json!("agent_cannot")));
}

/// The cards of requests: id, state, and where they were decided.
fn cards(server: &Server, session: &str) -> Vec<(String, Value, Value)> {
    let listed = server.with_key("GET", &format!("/v1/sessions/{session}/messages?limit=500&dev=1"), "").json();
    let messages = listed["messages"].as_array().unwrap();
    let cards = messages.iter().filter(|message| message["message_type"] == "APPROVAL");
    let card = |message: &Value| {
        let payload = &message["metadata"]["payload"];
        (message["id"].as_str().unwrap().to_owned(), payload["state"].clone(), payload["decision"]["via"].clone())
    };
    cards.map(card).collect()
}

/// Id and hash of the open request.
fn open_card(server: &Server) -> (String, Value) {
    let open = || server.with_key("GET", "/v1/asks", "").json()["asks"][0]["entry"].clone();
    wait_until("it asks", || open().is_object());
    let entry = open();
    (entry["id"].as_str().unwrap().to_owned(), entry["shown_sha256"].clone())
}

fn decide(server: &Server, cookie: &str, session: &str, (card, shown): &(String, Value)) -> u16 {
    let path = format!("/v1/sessions/{session}/messages/{card}/decision");
    server.as_owner(cookie, "POST", &path, &json!({ "selected": ["accept"], "shown_sha256": shown })).status
}

#[test]
fn a_permission_is_given_here_or_in_the_terminal() {
    let (server, codex, session) = joined();
    let cookie = server.cookie();
    codex.type_in(THREAD, "Please ask");
    let card = open_card(&server);
    is_in(&server, &session, "waiting");
    for page in [format!("/s/{session}"), "/inbox".to_owned()] {
        let drawn = server.get(&page, &[("Cookie", &cookie)]).text();
        assert!(drawn.contains("data-decide"), "{page} has no buttons");
    }
    assert_eq!(decide(&server, &cookie, &session, &card), 200);
    is_in(&server, &session, "idle");
    assert_eq!(codex.answered(), [(Who::Client, "accept".to_owned())]);

    codex.type_in(THREAD, "Please ask again");
    let second = open_card(&server);
    assert!(codex.answer("cancel"));
    wait_until("it was answered elsewhere", || cards(&server, &session).iter().all(|(_, state, _)| state != "open"));
    let expected = [
        (card.0, json!("allowed_once"), json!("web")),
        (second.0.clone(), json!("decided_elsewhere"), json!("terminal")),
    ];
    assert_eq!(cards(&server, &session), expected);
    assert_eq!(decide(&server, &cookie, &session, &second), 409);
    assert_eq!(codex.answered().len(), 2);
}

/// The number of the last notice that says that a decision came, or may have come, too late.
fn last_told(server: &Server, session: &str) -> i64 {
    let notices = agent(server, session)["notices"].as_array().cloned().unwrap_or_default();
    let says_so = |text: &str| text.ends_with("came too late") || text.ends_with("may not have been done");
    let late = notices.iter().filter(|notice| says_so(notice["text"].as_str().unwrap()));
    late.map(|notice| notice["id"].as_i64().unwrap()).max().unwrap_or(0)
}

#[test]
fn of_two_answers_at_once_the_first_counts_and_the_second_is_told() {
    let (server, codex, session) = joined();
    let cookie = server.cookie();
    let (mut firsts, mut told) = (0, 0);
    for race in 0..RACES {
        codex.type_in(THREAD, &format!("Please ask {race}"));
        let card = open_card(&server);
        let theirs = if race % 2 == 0 { "decline" } else { "cancel" };
        let status = std::thread::scope(|scope| {
            let here = scope.spawn(|| decide(&server, &cookie, &session, &card));
            codex.answer(theirs);
            here.join().unwrap()
        });
        is_in(&server, &session, "idle");
        let answered = codex.answered();
        assert_eq!(answered.len(), race + 1, "each request is answered once");
        let is_ours = answered[race] == (Who::Client, "accept".to_owned());
        firsts += usize::from(is_ours);
        assert!(is_ours || answered[race] == (Who::Terminal, theirs.to_owned()));
        wait_until("its card is closed", || cards(&server, &session).iter().all(|(_, state, _)| state != "open"));
        if !is_ours && status == 200 {
            wait_until("who was second is told", || last_told(&server, &session) > told);
        }
        told = last_told(&server, &session);
    }
    assert_eq!(codex.prompts(THREAD).len(), RACES + 1);
    assert!(firsts <= RACES);
}

#[test]
fn a_connection_that_breaks_off_in_a_turn_is_made_again() {
    let (server, codex, session) = joined();
    codex.type_in(THREAD, "Be slow");
    is_in(&server, &session, "working");
    codex.hang_up();
    wait_until("it is followed again", || codex.is_followed(THREAD));
    is_in(&server, &session, "working");
    codex.finish(THREAD);
    is_in(&server, &session, "idle");
    wait_for_words(
        &server,
        &session,
        &[("user", "Hello"), ("assistant", "Answer to Hello"), ("user", "Be slow"), ("assistant", "At last.")],
    );
}

#[test]
fn a_prompt_that_may_have_arrived_is_given_once() {
    for hangs_up in [HangsUp::Before, HangsUp::After] {
        let (server, codex, session) = joined_with(Habits { hangs_up: Some(hangs_up), ..Habits::default() });
        write(&server, &session, "Once");
        let expected =
            [("user", "Hello"), ("assistant", "Answer to Hello"), ("user", "Once"), ("assistant", "Answer to Once")];
        wait_for_words(&server, &session, &expected);
        is_in(&server, &session, "idle");
        assert_eq!(codex.prompts(THREAD), ["Hello", "Once"], "{hangs_up:?}");
        assert_eq!(codex.received("turn/start").len(), if hangs_up == HangsUp::Before { 2 } else { 1 });
    }
}

#[test]
fn a_server_that_starts_again_goes_on_with_the_turn_and_what_it_asks() {
    let (server, codex, session) = joined();
    codex.type_in(THREAD, "Please ask");
    let first = open_card(&server);
    let server = again(server);
    wait_until("it asks once more", || open_card(&server).0 != first.0);
    let card = open_card(&server);
    is_in(&server, &session, "waiting");
    assert_eq!(decide(&server, &server.cookie(), &session, &card), 200);
    is_in(&server, &session, "idle");
    assert_eq!(codex.answered(), [(Who::Client, "accept".to_owned())]);
    let left = json!("Left to the agent's terminal");
    let closed = server.with_key("GET", &format!("/v1/sessions/{session}/messages/{}", first.0), "").json();
    assert_eq!(closed["entry"]["metadata"]["request_closed"]["reason"], "terminal", "{left}: {closed}");
    assert!(codex.received("turn/interrupt").is_empty(), "nothing of the terminal ends with the server");
}

#[test]
fn words_for_a_terminal_that_was_closed_wait_for_the_next_one() {
    let (server, codex, session) = joined();
    codex.type_in(THREAD, "Be slow");
    is_in(&server, &session, "working");
    let id = write(&server, &session, "Later");
    codex.close(THREAD);
    is_in(&server, &session, "observed");
    // Who lists the open sessions is told apart from who follows this one.
    wait_until("nobody has it", || agent(&server, &session)["held_by"].is_null());
    let seen = agent(&server, &session);
    assert_eq!(seen["reason"], "Its terminal was closed");
    assert_eq!((&seen["can"], &seen["held_by"]), (&Value::Null, &Value::Null));
    assert_eq!(seen["waiting"], json!([{ "id": id, "text": "Later" }]));
    let (status, refused) = tell(&server, &session, "join");
    assert_eq!((status, &refused["title"]), (409, &json!("Its terminal was closed")));

    codex.open(THREAD, &server.place.dir);
    wait_until("it is given to the next one", || codex.prompts(THREAD) == ["Later"]);
    is_in(&server, &session, "idle");
    assert_eq!(agent(&server, &session)["waiting"], Value::Null);
    assert_eq!(said(&server, &session).iter().filter(|(_, words)| words == "Later").count(), 1);
}

#[test]
fn a_session_that_is_left_stays_with_its_terminal_until_it_is_joined() {
    let (server, codex, session) = joined();
    codex.type_in(THREAD, "Be slow");
    is_in(&server, &session, "working");
    assert_eq!(server.place.out(&["attach", "--leave", &session]), "Codex goes on in its terminal alone\n");
    wait_until("nobody follows it", || !codex.is_followed(THREAD));
    is_in(&server, &session, "observed");
    let seen = agent(&server, &session);
    assert_eq!((&seen["can"], &seen["held_by"], &seen["reason"]), (&json!(["join"]), &json!("terminal"), &Value::Null));
    codex.finish(THREAD);
    codex.type_in(THREAD, "Alone");
    let resumed = server.with_key("POST", &format!("/v1/sessions/{session}/agent/resume"), "{}");
    assert_eq!((resumed.status, &resumed.json()["code"]), (409, &json!("agent_runs")));
    assert!(!codex.is_followed(THREAD));
    assert_eq!(codex.received("turn/interrupt").len(), 0);

    assert_eq!(server.place.out(&["attach", &session]), format!("{session}\n"));
    assert!(codex.is_followed(THREAD));
    is_in(&server, &session, "idle");
}

/// Says why the session can't be joined.
fn refusal(server: &Server) -> String {
    wait_until("it says why", || listed(server)["homes"][0]["reason"].is_string());
    let out = server.place.out(&["attach"]);
    server.place.mask(&out)
}

#[test]
fn sockets_that_are_not_to_be_used_are_refused_with_the_reason() {
    let place = Place::new();
    let mut codex = Codex::start(&home(&place));
    codex.kill();
    let server = serve(place);
    let expected = "[dir]/home/.codex: Codex can't be joined: its socket [dir]/home/.codex/app-server-control/app-server-control.sock was left by a server that has ended\n";
    assert_eq!(refusal(&server), expected);

    // The next one on the same socket is found.
    let codex = Codex::start(&home(&server.place));
    codex.open(THREAD, &server.place.dir);
    codex.type_in(THREAD, "Hello");
    wait_until("it is found", || listed(&server)["sessions"][0]["joined"] == true);
}

#[test]
fn servers_that_are_not_the_expected_ones_are_refused_with_the_reason() {
    let old = Habits { version: "0.170.9", ..Habits::default() };
    let other = Habits { home: Some("/srv/other".to_owned()), ..Habits::default() };
    let cases = [
        (old, "its background server is version 0.170.9; 0.171.0 or later is required"),
        (other, "its background server works with the folder /srv/other"),
        (Habits { version: "", ..Habits::default() }, "its socket isn't answered by Codex: it doesn't say its version"),
    ];
    for (habits, reason) in cases {
        let place = Place::new();
        let codex = Codex::start_with(&home(&place), habits);
        codex.open(THREAD, &place.dir);
        let server = serve(place);
        assert_eq!(refusal(&server), format!("[dir]/home/.codex: Codex can't be joined: {reason}\n"));
        assert_eq!(listed(&server)["sessions"], json!([]));
        assert!(codex.received("thread/resume").is_empty());
    }
}

#[test]
fn sockets_of_others_are_refused_with_the_reason() {
    let place = Place::new();
    let codex = Codex::start(&home(&place));
    codex.open(THREAD, &place.dir);
    let folder = codex.socket().parent().unwrap().to_owned();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let server = serve(place);
    let exposed = "[dir]/home/.codex: Codex can't be joined: other users can write in [dir]/home/.codex/app-server-control, the folder of its socket\n";
    assert_eq!(refusal(&server), exposed);
    assert!(codex.received("initialize").is_empty());
    drop(server);

    // To give a socket to somebody else takes a privilege.
    let place = Place::new();
    let path = socket(&home(&place));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::create_dir_all(home(&place).join("sessions")).unwrap();
    let _listener = UnixListener::bind(&path).unwrap();
    if chown(&path, Some(12_345), None).is_ok() {
        let server = serve(place);
        let foreign = "[dir]/home/.codex: Codex can't be joined: its socket [dir]/home/.codex/app-server-control/app-server-control.sock belongs to another user (id 12345)\n";
        assert_eq!(refusal(&server), foreign);
    }
}
