//! Matrix against a homeserver of a test: what people do in a room, and invitations of known people and of strangers.

use crate::channel_side;
use crate::live::Talk;
use crate::support::in_time;
use api::Method::{Delete, Post};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hub::Caller;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A homeserver whose syncs are what a test says.
#[derive(Clone)]
struct Homeserver {
    url: String,
    /// Each is answered to whoever asks from its index on.
    syncs: watch::Sender<Vec<Value>>,
    /// Requests that change something: `join !a:test`, `send !a:test`.
    done: watch::Sender<Vec<String>>,
    /// With what joining and leaving are refused.
    refuses: Arc<Mutex<Option<u16>>>,
    /// The answer of `/messages`: events that a sync left out, the latest first.
    left_out: Arc<Mutex<Vec<Value>>>,
}

impl Homeserver {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (syncs, done) = (watch::Sender::default(), watch::Sender::default());
        let server = Self { url, syncs, done, refuses: Arc::default(), left_out: Arc::default() };
        let routes = Router::new().route("/_matrix/client/v3/{*path}", axum::routing::any(answer));
        let router = routes.with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    fn says(&self, sync: Value) {
        self.syncs.send_modify(|all| all.push(sync));
    }

    async fn did(&self, count: usize) -> Vec<String> {
        let mut changes = self.done.subscribe();
        in_time(changes.wait_for(|done| done.len() >= count)).await.unwrap().clone()
    }
}

async fn answer(
    State(server): State<Homeserver>,
    Path(path): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    if path == "account/whoami" {
        return axum::Json(json!({"user_id": "@bot:test"})).into_response();
    }
    if path == "sync" {
        // Held open until there is something, as homeservers do.
        let since = query.get("since").map_or(0, |since| since.parse::<usize>().unwrap());
        let mut syncs = server.syncs.subscribe();
        let mut sync = syncs.wait_for(|all| all.len() > since).await.unwrap()[since].clone();
        sync["next_batch"] = (since + 1).to_string().into();
        return axum::Json(sync).into_response();
    }
    let [_, room, what, ..] = path.split('/').collect::<Vec<_>>()[..] else { panic!("{path}") };
    if what == "messages" {
        return axum::Json(json!({"chunk": *server.left_out.lock().unwrap()})).into_response();
    }
    let mut id = String::new();
    server.done.send_modify(|done| {
        done.push(format!("{what} {room}"));
        id = format!("$sent{}", done.len());
    });
    let refused = *server.refuses.lock().unwrap();
    match refused.filter(|_| what != "send") {
        Some(status) => StatusCode::from_u16(status).unwrap().into_response(),
        None => axum::Json(json!({"event_id": id})).into_response(),
    }
}

/// A sync with an invitation to a room.
fn invites(room: &str, by: &str, state: &[Value]) -> Value {
    let member =
        json!({"type": "m.room.member", "state_key": "@bot:test", "sender": by, "content": {"membership": "invite"}});
    let state: Vec<&Value> = state.iter().chain([&member]).collect();
    json!({"rooms": {"invite": {room: {"invite_state": {"events": state}}}}})
}

fn named(name: &str) -> Value {
    json!({"type": "m.room.name", "state_key": "", "sender": "@ada:test", "content": {"name": name}})
}

struct Chat {
    talk: Talk,
    server: Homeserver,
    channel: String,
}

impl Chat {
    async fn new() -> Self {
        let mut talk = Talk::new().await;
        channel_side::open(&mut talk.house).await;
        let server = Homeserver::start().await;
        let settings = json!({"homeserver": server.url, "access_token": "t"});
        let new = json!({"kind": "matrix", "settings": settings, "people": {"@ada:test": "Ada"}});
        let added = talk.house.send(Caller::owner(), Post, "/v1/channels", Some(new)).await;
        let channel = added.body["channel"]["id"].as_str().unwrap().to_owned();
        Self { talk, server, channel }
    }

    /// The rooms once there are so many, without their times.
    async fn rooms(&self, count: usize) -> Value {
        in_time(async {
            loop {
                let mut rooms = self.talk.house.read("/v1/rooms").await["rooms"].clone();
                if rooms.as_array().unwrap().len() == count {
                    for room in rooms.as_array_mut().unwrap() {
                        room.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_at") && key != "channel");
                    }
                    return rooms;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    async fn register(&self, room: &str) -> crate::support::Answer {
        let body = json!({"session": "s1", "place": room});
        self.talk
            .house
            .send(Caller::owner(), Post, &format!("/v1/channels/{}/sessions", self.channel), Some(body))
            .await
    }

    async fn leave(&self, room: &str) -> crate::support::Answer {
        let body = json!({"channel": self.channel, "address": room});
        self.talk.house.send(Caller::owner(), Post, "/v1/rooms/leave", Some(body)).await
    }
}

#[tokio::test]
async fn a_known_persons_invitation_is_accepted_and_the_room_is_listed() {
    let chat = Chat::new().await;
    // One that waited since before the channel was added.
    chat.server.says(invites("!barn:test", "@ada:test", &[named("The barn")]));
    assert_eq!(chat.server.did(1).await, ["join !barn:test"]);
    let barn = json!({"address": "!barn:test", "name": "The barn", "invited_by": "@ada:test"});
    assert_eq!(chat.rooms(1).await, json!([barn]));
    // A room that can't be read says so to those who write there.
    let encrypted =
        json!({"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}});
    chat.server.says(invites("!vault:test", "@ada:test", &[encrypted]));
    assert_eq!(chat.server.did(3).await[1..], ["join !vault:test", "send !vault:test"]);
    chat.rooms(2).await;

    assert_eq!(chat.register("!barn:test").await.status, 200);
    assert_eq!(chat.server.did(3).await.len(), 3, "the bot is in it already");
    // Taken out and invited again, the bot goes back to the session's room.
    chat.server.says(invites("!barn:test", "@ada:test", &[]));
    assert_eq!(chat.server.did(4).await[3], "join !barn:test");
    assert_eq!(chat.rooms(1).await[0]["address"], "!vault:test");
    let left = chat.leave("!vault:test").await;
    assert_eq!((left.status, left.body), (200, json!({"rooms": []})));
    assert_eq!(chat.server.did(5).await[4], "leave !vault:test");
}

#[tokio::test]
async fn a_strangers_invitation_waits_for_the_owner() {
    let chat = Chat::new().await;
    chat.server.says(invites("!den:test", "@eve:test", &[named("The den")]));
    let den = json!({"address": "!den:test", "name": "The den", "invited_by": "@eve:test", "invitation": true});
    assert_eq!(chat.rooms(1).await, json!([den]));
    assert_eq!(chat.leave("!den:test").await.body, json!({"rooms": []}));
    assert_eq!(chat.server.did(1).await, ["leave !den:test"], "nobody entered it");
    let again = chat.leave("!den:test").await;
    assert_eq!((again.status, &again.body["field"]), (400, &json!("/address")), "{}", again.body);

    chat.server.says(invites("!den:test", "@eve:test", &[]));
    chat.rooms(1).await;
    assert_eq!(chat.register("!den:test").await.status, 200);
    assert_eq!(chat.server.did(2).await[1], "join !den:test");
    chat.rooms(0).await;
    let path = format!("/v1/channels/{}/sessions/s1", chat.channel);
    assert_eq!(chat.talk.house.send(Caller::owner(), Delete, &path, None).await.status, 200);
    // Nobody is let in by what isn't an invitation.
    let mut none = invites("!none:test", "@ada:test", &[]);
    none["rooms"]["invite"]["!none:test"]["invite_state"]["events"][0]["content"]["membership"] = "leave".into();
    none["rooms"]["invite"]["!odd:test"] = json!({"invite_state": "none"});
    none["rooms"]["invite"]["!other:test"] = json!({"invite_state": {"events": [
        {"type": "m.room.member", "state_key": "@cat:test", "sender": "@ada:test", "content": {"membership": "invite"}}]}});
    chat.server.says(none);
    chat.server.says(invites("!end:test", "@ada:test", &[]));
    assert_eq!(chat.server.did(3).await[2], "join !end:test");
}

#[tokio::test]
async fn a_room_that_cannot_be_entered_is_listed_and_says_why() {
    let chat = Chat::new().await;
    *chat.server.refuses.lock().unwrap() = Some(403);
    chat.server.says(invites("!barn:test", "@ada:test", &[]));
    assert_eq!(chat.rooms(1).await[0]["invitation"], true);
    let refused = chat.register("!barn:test").await;
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("channel_failed")), "{}", refused.body);
    assert!(refused.body["title"].as_str().unwrap().contains("403"), "{}", refused.body);
    chat.rooms(1).await;
    // A room that can't be left, because nobody is in it, is taken off the list.
    assert_eq!(chat.leave("!barn:test").await.body, json!({"rooms": []}));
    *chat.server.refuses.lock().unwrap() = Some(500);
    chat.server.says(invites("!barn:test", "@ada:test", &[]));
    chat.rooms(1).await;
    let failed = chat.leave("!barn:test").await;
    assert_eq!((failed.status, &failed.body["code"]), (409, &json!("channel_failed")), "{}", failed.body);
    chat.rooms(1).await;
}

const ROOM: &str = "!barn:test";

/// A sync with what happened in the room.
fn happens(events: &[Value]) -> Value {
    json!({"rooms": {"join": {ROOM: {"timeline": {"events": events}}}}})
}

fn event(kind: &str, id: &str, sender: &str, content: Value) -> Value {
    json!({"type": kind, "event_id": id, "sender": sender, "content": content})
}

fn text(id: &str, sender: &str, body: &str) -> Value {
    event("m.room.message", id, sender, json!({"msgtype": "m.text", "body": body}))
}

/// The same, written at a time in microseconds.
fn text_at(id: &str, at: i64, body: &str) -> Value {
    let mut said = text(id, "@ada:test", body);
    said["origin_server_ts"] = json!(at / 1000);
    said
}

fn reply(id: &str, of: &str, body: &str) -> Value {
    let content = json!({"msgtype": "m.text", "body": body, "m.relates_to": {"m.in_reply_to": {"event_id": of}}});
    event("m.room.message", id, "@ada:test", content)
}

fn edit(id: &str, sender: &str, of: &str, body: &str) -> Value {
    let content = json!({"body": format!("* {body}"), "m.new_content": {"body": body},
        "m.relates_to": {"rel_type": "m.replace", "event_id": of}});
    event("m.room.message", id, sender, content)
}

fn redaction(id: &str, sender: &str, of: &str) -> Value {
    event("m.room.redaction", id, sender, json!({"redacts": of}))
}

impl Chat {
    /// With a room that shows the session.
    async fn registered() -> Self {
        let chat = Self::new().await;
        chat.server.says(invites(ROOM, "@ada:test", &[]));
        chat.rooms(1).await;
        assert_eq!(chat.register(ROOM).await.status, 200);
        chat
    }

    /// Content and status of what people wrote, once the last one is this.
    async fn said(&self, last: &str) -> Vec<(String, String)> {
        in_time(async {
            loop {
                let page = self.talk.house.read("/v1/sessions/s1/messages?role=user").await;
                let word = |message: &Value, key: &str| message[key].as_str().unwrap().to_owned();
                let said = page["messages"].as_array().unwrap().iter();
                let said: Vec<_> = said.map(|it| (word(it, "content"), word(it, "status"))).collect();
                if said.last().is_some_and(|(content, _)| content == last) {
                    return said;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }
}

#[tokio::test]
async fn what_people_write_change_and_delete_is_taken_once_and_our_own_is_no_news() {
    let chat = Chat::registered().await;
    let first = [
        text("$1", "@ada:test", "go on"),
        text("$2", "@bot:test", "our own words come back"),
        text("$3", "@eve:test", "rm -rf /"),
        edit("$4", "@eve:test", "$1", "rm -rf /"),
        edit("$5", "@ada:test", "$1", "stop"),
        // A reply has what it answers above it, and a call in that quote is none.
        text("$6", "@ada:test", "> <@bot:test> @Assistant shall I?\n> Really?\n\nyes please"),
        text("$7", "@ada:test", "a slip"),
        redaction("$8", "@eve:test", "$1"),
        redaction("$9", "@ada:test", "$7"),
        // Events from before the channel was there, and events without a text.
        edit("$10", "@ada:test", "$old", "other words"),
        redaction("$11", "@ada:test", "$old"),
        event("m.room.encrypted", "$12", "@ada:test", json!({"ciphertext": "x"})),
        event("m.room.message", "$13", "@ada:test", json!({"msgtype": "m.image", "url": "mxc://x"})),
        json!({"type": "m.room.message"}),
        text("$14", "@ada:test", " \u{200b}\n"),
        text("$15", "@ada:test", "the end"),
    ];
    chat.server.says(happens(&first));
    let word = |content: &str, status: &str| (content.to_owned(), status.to_owned());
    let said =
        vec![word("stop", "final"), word("yes please", "final"), word("a slip", "retracted"), word("the end", "final")];
    assert_eq!(chat.said("the end").await, said);
    // The same events again, as after a crash before the position was stored; and what a sync left out in between.
    *chat.server.left_out.lock().unwrap() = vec![text("$17", "@ada:test", "second"), text("$16", "@ada:test", "first")];
    let mut limited = happens(&[text("$15", "@ada:test", "the end"), text("$18", "@ada:test", "third")]);
    limited["rooms"]["join"][ROOM]["timeline"]
        .as_object_mut()
        .unwrap()
        .extend(json!({"limited": true, "prev_batch": "p"}).as_object().unwrap().clone());
    chat.server.says(limited);
    let more = ["first", "second", "third"].map(|content| word(content, "final"));
    assert_eq!(chat.said("third").await, [said, more.to_vec()].concat());
    let messages = chat.talk.house.read("/v1/sessions/s1/messages?role=user").await;
    let origin = json!({"id": chat.channel, "name": "Matrix", "kind": "matrix", "event": "$18"});
    assert_eq!(messages["messages"][6]["metadata"]["channel"], origin);
    // An edit that comes long after: the message is what it says then.
    chat.server.says(happens(&[edit("$19", "@ada:test", "$16", "the very first"), text("$20", "@ada:test", "late")]));
    assert_eq!(chat.said("late").await[4], word("the very first", "final"));
    assert!(
        chat.server.did(0).await.iter().all(|done| !done.starts_with("send")),
        "nothing goes back where it came from"
    );
}

#[tokio::test]
async fn a_sign_on_a_request_decides_it_once_for_a_known_person() {
    let chat = Chat::registered().await;
    let options = json!([{"id": "y", "label": "Allow once", "kind": "allow_once"}]);
    let payload = json!({"kind": "permission", "title": "Open the sluice?", "state": "open",
        "questions": [{"question": "Open the sluice?", "options": options}]});
    let asked = json!({"id": "a1", "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
    assert_eq!(chat.talk.agent(Post, "/messages", asked).await.status, 201);
    channel_side::deliveries(&chat.talk.house, &chat.channel, |found| channel_side::states(found) == [(1, "sent")])
        .await;
    let done = chat.server.did(2).await;
    let sent = done.iter().position(|done| done.starts_with("send")).unwrap() + 1;
    let sign = |id: &str, sender: &str, of: &str, key: &str| {
        let content = json!({"m.relates_to": {"rel_type": "m.annotation", "event_id": of, "key": key}});
        event("m.reaction", id, sender, content)
    };
    let of = format!("$sent{sent}");
    chat.server.says(happens(&[
        sign("$1", "@eve:test", &of, "👍"),
        sign("$2", "@ada:test", "$other", "👍"),
        sign("$3", "@ada:test", &of, "🎉"),
        text("$4", "@ada:test", "let me see"),
    ]));
    chat.said("let me see").await;
    let decision = async || {
        let entry = chat.talk.house.read("/v1/sessions/s1/messages/a1").await["entry"].clone();
        let payload = &entry["metadata"]["payload"];
        [&payload["state"], &payload["decision"]["by"], &payload["decision"]["via"]].map(Clone::clone)
    };
    assert_eq!(decision().await[0], "open");
    chat.server.says(happens(&[
        sign("$5", "@ada:test", &of, "👍"),
        sign("$6", "@ada:test", &of, "👎"),
        text("$7", "@ada:test", "done"),
    ]));
    chat.said("done").await;
    assert_eq!(decision().await, [json!("allowed_once"), json!("Ada"), json!("matrix")]);
}

#[tokio::test]
async fn an_answer_counts_once_for_what_was_shown_before_and_a_reply_says_why_not() {
    let chat = Chat::registered().await;
    let asks = async |id: &str, seq: i64| {
        let options = json!([{"id": "y", "label": "Allow once", "kind": "allow_once"}, {"id": "n", "label": "Deny", "kind": "reject_once"}]);
        let payload = json!({"kind": "permission", "title": "Open the sluice?", "state": "open",
            "questions": [{"question": "Open the sluice?", "options": options}]});
        let asked = json!({"id": id, "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
        assert_eq!(chat.talk.agent(Post, "/messages", asked).await.status, 201);
        let is_sent = |found: &[Value]| channel_side::states(found).contains(&(seq, "sent"));
        channel_side::deliveries(&chat.talk.house, &chat.channel, is_sent).await;
    };
    let decision = async |id: &str| {
        let entry = chat.talk.house.read(&format!("/v1/sessions/s1/messages/{id}")).await["entry"].clone();
        let payload = &entry["metadata"]["payload"];
        (payload["state"].clone(), payload["decision"]["text"].clone())
    };
    let early = hub::clock::now().0 - 1_000_000;
    asks("a1", 1).await;
    // Messages that the person wrote before, or that have no time, were for another request.
    chat.server.says(happens(&[
        text_at("$1", early, "yes"),
        text("$2", "@ada:test", "yes"),
        text("$3", "@ada:test", "well"),
    ]));
    chat.said("well").await;
    assert_eq!(decision("a1").await, (json!("open"), Value::Null));
    // The homeserver's clock is ahead: it counts as now.
    let yes = text_at("$4", hub::clock::now().0 + 60_000_000, "yes");
    chat.server.says(happens(&[yes.clone(), text("$5", "@ada:test", "good")]));
    chat.said("good").await;
    assert_eq!(decision("a1").await.0, "allowed_once");
    // The same events come again, as after a server that ended before it stored how far it had read.
    let last_seq = chat.talk.house.read("/v1/sessions/s1/messages").await["last_seq"].as_i64().unwrap();
    asks("a2", last_seq + 1).await;
    chat.server.says(happens(&[yes, text("$5", "@ada:test", "good"), text("$6", "@ada:test", "so")]));
    chat.said("so").await;
    assert_eq!(decision("a2").await.0, "open");
    let sent = chat.server.did(0).await.iter().rposition(|done| done.starts_with("send")).unwrap() + 1;
    chat.server
        .says(happens(&[reply("$7", &format!("$sent{sent}"), "no, use a branch"), text("$8", "@ada:test", "then")]));
    chat.said("then").await;
    assert_eq!(decision("a2").await, (json!("denied"), json!("use a branch")));
}
