//! Agents post, people answer: whole conversations through the API.

use crate::support::{Answer, House, in_time};
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A session of an agent with a key.
pub struct Talk {
    pub house: House,
    pub agent: Caller,
    session: String,
}

impl Talk {
    pub async fn new() -> Self {
        Self::within(House::new().await).await
    }

    pub async fn within(house: House) -> Self {
        let agent = house.agent("nightly").await;
        let made =
            house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "nightly-bot", "id": "s1"}))).await;
        assert_eq!(made.status, 201, "{}", made.body);
        Self { house, agent, session: "/v1/sessions/s1".to_owned() }
    }

    pub async fn agent(&self, method: api::Method, path: &str, body: Value) -> Answer {
        let body = Some(body).filter(|body| !body.is_null());
        self.house.send(self.agent.clone(), method, &format!("{}{path}", self.session), body).await
    }

    pub async fn owner(&self, method: api::Method, path: &str, body: Value) -> Answer {
        let body = Some(body).filter(|body| !body.is_null());
        self.house.send(Caller::owner(), method, &format!("{}{path}", self.session), body).await
    }

    pub async fn state(&self) -> Value {
        self.owner(Get, "", Value::Null).await.body["session"]["state"].clone()
    }
}

/// Contents of messages.
pub fn contents(messages: &Value) -> Vec<&str> {
    messages.as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_session_and_its_first_messages() {
    let talk = Talk::new().await;
    let mut shown = talk.house.shown(&talk.agent(Get, "", Value::Null).await);
    for body in [
        json!({"id": "m1", "content": "I start with the tests."}),
        json!({"id": "m2", "message_metadata": {"message_type": "TODO", "source": "plan", "payload": {
            "todos": [{"id": "1", "content": "Write", "status": "completed"}, {"id": "2", "content": "Run", "status": "pending"}]}}}),
        json!({"id": "m3", "content": "src/lib.rs", "message_metadata": {"message_type": "CODE_EDIT", "version": "2", "payload": {
            "edits": [{"file_path": "src/lib.rs", "old_content": "a\n", "new_content": "b\nc\n", "language": null}]}}}),
        json!({"id": "m4", "role": "model", "content": "Hm.", "context": "turn"}),
    ] {
        shown += "\n";
        shown += &talk.house.shown(&talk.agent(Post, "/messages", body).await);
    }
    shown += "\n";
    shown += &talk.house.shown(&talk.owner(Get, "", Value::Null).await);
    assert_snapshot!(shown);
}

#[tokio::test]
async fn a_request_that_is_repeated_is_answered_again() {
    let talk = Talk::new().await;
    let post = json!({"id": "m1", "content": "once", "sender": "bot"});
    let first = talk.agent(Post, "/messages", post.clone()).await;
    let again = talk.agent(Post, "/messages", json!({"sender": "bot", "content": "once", "id": "m1"})).await;
    let other = talk.agent(Post, "/messages", json!({"id": "m1", "content": "twice"})).await;
    assert_eq!((first.status, again.status, other.status), (201, 200, 409));
    let mut written_out = post.clone();
    for (field, default) in
        [("role", json!("assistant")), ("status", json!("final")), ("requires_user_input", json!(false))]
    {
        written_out[field] = default;
    }
    assert_eq!(talk.agent(Post, "/messages", written_out).await.status, 200, "defaults say what their absence says");
    let mut replayed = first.body.clone();
    replayed["replayed"] = json!(true);
    assert_eq!(talk.house.json(&again.body), talk.house.json(&again_as(&replayed, &again.body)));
    assert_snapshot!(talk.house.shown(&other));
    let all = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(contents(&all.body["messages"]), ["once"]);
    let grown = talk.agent(Patch, "/messages/m1", json!({"content": "once, and more"})).await;
    assert_eq!((grown.status, grown.body["revision"].clone()), (200, json!(2)));
    let after = talk.agent(Post, "/messages", post).await;
    assert_eq!(after.status, 200);
    assert_eq!(talk.house.json(&after.body), talk.house.json(&again_as(&replayed, &after.body)), "as at first");
    let same = talk
        .house
        .send(talk.agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "nightly-bot", "id": "s1"})))
        .await;
    let changed =
        talk.house.send(talk.agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "other", "id": "s1"}))).await;
    assert_eq!((same.status, same.body["replayed"].clone(), changed.status), (200, json!(true), 409));
}

/// `pos` tells how far the feed is now, not then; and the order of keys is the reply's.
fn again_as(first: &Value, again: &Value) -> Value {
    let mut expected = again.clone();
    for (key, value) in first.as_object().unwrap() {
        expected[key] = if key == "pos" { again["pos"].clone() } else { value.clone() };
    }
    expected
}

#[tokio::test]
async fn what_people_write_is_given_once() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Stop at noon"})).await;
    talk.owner(Post, "/messages", json!({"content": "and use tabs"})).await;
    let first = talk.agent(Post, "/messages", json!({"id": "m1", "content": "Working"})).await;
    assert_eq!(contents(&first.body["queued_user_messages"]), ["Stop at noon", "and use tabs"]);
    let second = talk.agent(Post, "/messages", json!({"content": "Still working"})).await;
    assert_eq!(second.body["queued_user_messages"], json!([]));
    let again = talk.agent(Post, "/messages", json!({"id": "m1", "content": "Working"})).await;
    assert_eq!(
        contents(&again.body["queued_user_messages"]),
        ["Stop at noon", "and use tabs"],
        "a repeat loses nothing"
    );
    talk.owner(Post, "/messages", json!({"content": "one more"})).await;
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_snapshot!(talk.house.shown(&pending));
    assert_eq!(talk.agent(Post, "/pending", json!({})).await.body["messages"], json!([]));
    let resumed = talk.agent(Post, "/pending", json!({"after": 2})).await;
    assert_eq!(contents(&resumed.body["messages"]), ["one more"], "whoever lost the answer asks from where it was");
    let stale = talk.agent(Post, "/pending", json!({"expects": 1})).await;
    assert_eq!((stale.status, stale.body["code"].clone()), (409, json!("stale")));
}

#[tokio::test]
async fn a_question_waits_for_its_answer() {
    let talk = Talk::new().await;
    assert_eq!(talk.state().await, "working");
    let asked = talk.agent(Post, "/messages", json!({"content": "Which one?", "requires_user_input": true})).await;
    assert_eq!(talk.state().await, "needs_you");
    let after = asked.body["seq"].clone();
    let answer = talk.agent(Post, "/pending", json!({"after": after, "wait": 30}));
    let say = async {
        tokio::task::yield_now().await;
        talk.owner(Post, "/messages", json!({"content": "The left one", "reply_to": asked.body["id"]})).await
    };
    let (answer, said) = in_time(async { tokio::join!(answer, say) }).await;
    assert_eq!(said.status, 201);
    assert_eq!(contents(&answer.body["messages"]), ["The left one"]);
    assert_eq!(talk.state().await, "working");
}

#[tokio::test]
async fn a_message_that_grows() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "m1", "status": "streaming"})).await;
    talk.agent(Patch, "/messages/m1", json!({"append": "Hello"})).await;
    let ended = talk.agent(Patch, "/messages/m1", json!({"append": ", world", "status": "final", "if_match": 2})).await;
    let mut shown = talk.house.shown(&ended);
    for (what, answer) in [
        ("an old revision", talk.agent(Patch, "/messages/m1", json!({"content": "x", "if_match": 1})).await),
        ("back to streaming", talk.agent(Patch, "/messages/m1", json!({"status": "streaming"})).await),
        ("taken back", talk.agent(Delete, "/messages/m1", Value::Null).await),
        ("and again", talk.agent(Patch, "/messages/m1", json!({"status": "final"})).await),
        ("of nobody", talk.agent(Patch, "/messages/m9", json!({"status": "final"})).await),
    ] {
        shown += &format!("\n\n{what}: {}", talk.house.shown(&answer));
    }
    assert_snapshot!(shown);
    let hits = talk.house.read("/v1/search?q=world").await;
    assert_eq!(hits["hits"], json!([]), "what was taken back isn't found");
}

/// When it was changed last is the server's to say: it tells how fast the work gets on, and whether it still does.
#[tokio::test]
async fn an_update_of_a_progress_says_when_it_came() {
    let talk = Talk::new().await;
    let body = |current: i64, extra: Value| {
        let payload = json!({"label": "Tests", "current": current, "total": 12, "state": "running"});
        json!({"message_metadata": {"message_type": "PROGRESS", "payload": payload, "updated_at": extra}})
    };
    let mut posted = body(0, Value::Null);
    posted["id"] = json!("p1");
    let first = talk.agent(Post, "/messages", posted).await.body;
    assert_eq!((&first["metadata"]["updated_at"], &first["content"]), (&Value::Null, &json!("Tests: 0 of 12 (0 %)")));
    for said in [Value::Null, json!(7), json!("soon")] {
        let changed = talk.agent(Patch, "/messages/p1", body(3, said)).await.body;
        let at = changed["metadata"]["updated_at"].as_i64().expect("a time");
        assert!(at >= first["received_at"].as_i64().expect("a time"), "{changed}");
        assert_eq!(changed["content"], "Tests: 3 of 12 (25 %)");
    }
    let text = json!({"id": "t1", "content": "Working"});
    talk.agent(Post, "/messages", text).await;
    let other = talk.agent(Patch, "/messages/t1", json!({"message_metadata": {"exit_code": 0}})).await.body;
    assert_eq!(other["metadata"], json!({"exit_code": 0}));
}

#[tokio::test]
async fn an_approval_is_decided_once_and_by_a_person() {
    let talk = Talk::new().await;
    let payload = json!({"kind": "permission", "title": "Run `rm -r build`", "state": "open", "questions": [{
        "question": "Run it?", "options": [
            {"id": "yes", "label": "Allow once", "kind": "allow_once"},
            {"id": "no", "label": "Deny", "kind": "reject_once"}]}]});
    let metadata = json!({"message_type": "APPROVAL", "payload": payload});
    talk.agent(Post, "/messages", json!({"id": "a1", "message_metadata": metadata})).await;
    assert_eq!(talk.state().await, "needs_you");
    let seen = talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"]["shown_sha256"].clone();
    let shown_to_us = |mut decision: Value| {
        decision["shown_sha256"] = seen.clone();
        decision
    };
    let decide = async |decision: Value| talk.owner(Post, "/messages/a1/decision", decision).await;
    let mut forged = metadata.clone();
    forged["payload"]["state"] = json!("allowed_once");
    let mut shown = String::new();
    for (what, answer) in [
        ("by the agent", talk.agent(Post, "/messages/a1/decision", shown_to_us(json!({"selected": ["yes"]}))).await),
        ("by an update", talk.agent(Patch, "/messages/a1", json!({"message_metadata": forged})).await),
        ("posted as decided", talk.agent(Post, "/messages", json!({"message_metadata": forged})).await),
        ("an unknown option", decide(shown_to_us(json!({"selected": ["maybe"]}))).await),
        ("something unclear", decide(shown_to_us(json!({"text": "hm"}))).await),
        ("nobody knows what was shown", decide(json!({"selected": ["yes"]})).await),
        ("something else was shown", decide(json!({"selected": ["yes"], "shown_sha256": "00"})).await),
        ("by the owner", decide(shown_to_us(json!({"selected": ["yes"], "text": "go on"}))).await),
        ("otherwise", decide(shown_to_us(json!({"selected": ["no"]}))).await),
    ] {
        shown += &format!("{what}: {}\n\n", talk.house.shown(&answer));
    }
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_eq!(contents(&pending.body["messages"]), ["Selected: Allow once, go on"]);
    assert_eq!(talk.state().await, "working");
    assert_snapshot!(shown);
}

#[tokio::test]
async fn an_agent_sees_its_own_sessions_only() {
    let talk = Talk::new().await;
    let other = talk.house.agent("other").await;
    for (method, path) in [
        (Get, ""),
        (Get, "/messages"),
        (Post, "/messages"),
        (Post, "/pending"),
        (Post, "/end"),
        (Patch, ""),
        (Get, "/todos"),
    ] {
        let body = if path == "/messages" && method == Post { json!({"content": "x"}) } else { json!({}) };
        let answer = talk.house.send(other.clone(), method, &format!("/v1/sessions/s1{path}"), Some(body)).await;
        assert_eq!(answer.status, 404, "{method:?} {path}: {}", answer.body);
    }
    let list = talk.house.send(other, Get, "/v1/sessions", None).await;
    assert_eq!(list.body["sessions"], json!([]));
}

#[tokio::test]
async fn nobody_puts_words_into_anothers_mouth() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "a", "content": "by the agent"})).await;
    talk.owner(Post, "/messages", json!({"id": "p", "content": "by a person"})).await;
    let mut statuses = Vec::new();
    for (id, words) in [("a", json!({"content": "changed"})), ("p", json!({"content": "changed"}))] {
        let path = format!("/messages/{id}");
        statuses.push(talk.agent(Patch, &path, words.clone()).await.status);
        statuses.push(talk.owner(Patch, &path, words).await.status);
    }
    assert_eq!(statuses, [200, 403, 403, 200]);
    let refused = talk.owner(Patch, "/messages/a", json!({"content": "never said"})).await;
    assert_snapshot!(talk.house.shown(&refused));
    let taken_back = talk.owner(Patch, "/messages/a", json!({"status": "retracted"})).await;
    assert_eq!((taken_back.status, taken_back.body["status"].clone()), (200, json!("retracted")));
}

#[tokio::test]
async fn a_session_from_beginning_to_end() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"content": "done soon"})).await;
    let mut shown = String::new();
    let steps = [
        ("the agent's title", talk.agent(Patch, "", json!({"title": "Nightly build", "branch": "main"})).await),
        ("a person's title", talk.owner(Patch, "", json!({"title": "The build"})).await),
        ("the agent's again", talk.agent(Patch, "", json!({"title": "Nightly build 2"})).await),
        ("the agent puts it away", talk.agent(Patch, "", json!({"archived": true})).await),
        ("over", talk.agent(Post, "/end", json!({"outcome": "failed"})).await),
        ("a person goes on", talk.owner(Post, "/messages", json!({"content": "Try again"})).await),
    ];
    for (what, answer) in steps {
        shown += &format!("{what}: {}\n", talk.house.shown(&answer));
    }
    assert_snapshot!(shown);
    assert_eq!(talk.state().await, "idle");
    assert_eq!(talk.owner(Delete, "", Value::Null).await.status, 200);
    assert_eq!(talk.owner(Get, "", Value::Null).await.status, 404);
    assert_eq!(talk.agent(Post, "/messages", json!({"content": "x"})).await.status, 404);
    assert_eq!(talk.house.read("/v1/sessions").await["sessions"], json!([]));
    assert_eq!(talk.house.read("/v1/search?q=soon").await["hits"], json!([]));
    assert_eq!(talk.owner(Post, "/restore", json!({})).await.status, 200);
    assert_eq!(talk.house.read("/v1/search?q=soon").await["hits"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn several_messages_are_stored_together_or_not_at_all() {
    let talk = Talk::new().await;
    let all =
        |ids: &[&str]| json!({"messages": ids.iter().map(|id| json!({"id": id, "content": *id})).collect::<Vec<_>>()});
    talk.agent(Post, "/messages", json!({"id": "b", "content": "other"})).await;
    let refused = talk.agent(Post, "/messages/batch", all(&["a", "b", "c"])).await;
    assert_snapshot!(talk.house.shown(&refused));
    let done = talk.agent(Post, "/messages/batch", all(&["a", "c"])).await;
    assert_eq!(done.status, 201);
    let page = talk.owner(Get, "/messages", Value::Null).await;
    let seqs: Vec<_> = page.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["seq"].as_i64().unwrap(), m["id"].as_str().unwrap()))
        .collect();
    assert_eq!(seqs, [(1, "b"), (2, "a"), (3, "c")]);
}

#[tokio::test]
async fn a_tick_changes_the_list_and_tells_the_agent() {
    let talk = Talk::new().await;
    let todos = json!([{"id": "1", "content": "Write", "status": "pending"}, {"id": "2", "content": "Run", "status": "pending"}]);
    talk.agent(Post, "/messages", json!({"message_metadata": {"message_type": "TODO", "payload": {"todos": todos}}}))
        .await;
    let ticked = talk.owner(Post, "/ticks", json!({"id": "2", "status": "completed"})).await;
    let unknown = talk.owner(Post, "/ticks", json!({"id": "9", "status": "completed"})).await;
    let state = talk.owner(Get, "/todos", Value::Null).await;
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_snapshot!([&ticked, &unknown, &state].map(|answer| talk.house.shown(answer)).join("\n"));
    assert_eq!(contents(&pending.body["messages"]), contents(&json!([ticked.body])));
    let session = talk.owner(Get, "", Value::Null).await.body["session"].clone();
    assert_eq!((&session["todos_open"], &session["todos_done"]), (&json!(1), &json!(1)));
}

/// An older product takes lists with repeated ids, so each of their items gets an id of its own: a tick is never of
/// two.
#[tokio::test]
async fn a_list_may_repeat_an_id() {
    let talk = Talk::new().await;
    let todos = json!([
        {"id": "1", "content": "Write", "status": "pending"}, {"id": "1", "content": "Run", "status": "pending"}]);
    let list = json!({"message_metadata": {"message_type": "TODO", "payload": {"todos": todos}}});
    let posted = talk.agent(Post, "/messages", list).await;
    assert_eq!((posted.status, &posted.body["metadata"]["payload"]["todos"]), (201, &todos), "as it came");
    let tick = async |id: &str| {
        let ticked = talk.owner(Post, "/ticks", json!({"id": id, "status": "completed"})).await;
        let state = talk.owner(Get, "/todos", Value::Null).await.body;
        let items = state["todos"].as_array().unwrap().iter();
        let items: Vec<_> = items.map(|item| format!("{}: {}", item["id"], item["status"])).collect();
        (ticked.status, items.join(", ").replace('"', ""))
    };
    assert_eq!(tick("1").await, (201, "1~2: pending, 1: completed".to_owned()), "the last one has the id");
    assert_eq!(tick("1~2").await, (201, "1~2: completed, 1: completed".to_owned()));
}

/// A cancelled item is neither done nor open, wherever a list is counted.
#[tokio::test]
async fn a_cancelled_item_is_neither_done_nor_open() {
    let talk = Talk::new().await;
    let list = |last: &str| {
        let todos = json!([
            {"id": "1", "content": "Write", "status": "completed"}, {"id": "2", "content": "Run", "status": "completed"},
            {"id": "3", "content": "Tell", "status": last}]);
        json!({"message_type": "TODO", "payload": {"todos": todos}, "todo_info": {"2": {"state": "cancelled"}}})
    };
    let counted = async || {
        let session = talk.owner(Get, "", Value::Null).await.body["session"].clone();
        ["todos_open", "todos_done", "todos_cancelled"].map(|sum| session[sum].as_i64().unwrap())
    };
    let posted = talk.agent(Post, "/messages", json!({"id": "l1", "message_metadata": list("pending")})).await;
    assert_eq!(posted.body["content"], "- [x] Write\n- ~~Run~~ (cancelled)\n- [ ] Tell");
    let page = talk.owner(Get, "/messages", Value::Null).await.body;
    assert_eq!(page["messages"][0]["summary"], "1/2 done, 1 cancelled");
    assert_eq!(counted().await, [1, 1, 1]);
    talk.owner(Post, "/ticks", json!({"id": "3", "status": "completed"})).await;
    assert_eq!(counted().await, [0, 2, 1], "it doesn't keep the list open");
    talk.agent(Patch, "/messages/l1", json!({"message_metadata": list("in_progress")})).await;
    assert_eq!(counted().await, [0, 2, 1], "with the tick behind it");
}

/// However many ticks there were, and whichever list is changed or taken back: the last one that stands is the list.
#[tokio::test]
async fn the_last_list_that_stands_is_the_list() {
    let talk = Talk::new().await;
    let list = |id: &str, items: &[&str]| {
        let todos: Vec<Value> =
            items.iter().map(|item| json!({"id": item, "content": item, "status": "pending"})).collect();
        json!({"id": id, "message_metadata": {"message_type": "TODO", "payload": {"todos": todos}}})
    };
    let changed = |id: &str, items: &[&str]| json!({"message_metadata": list(id, items)["message_metadata"]});
    let stands = async || {
        let state = talk.owner(Get, "/todos", Value::Null).await.body;
        let session = talk.owner(Get, "", Value::Null).await.body["session"].clone();
        let sums = [&session["todos_open"], &session["todos_done"]].map(|sum| sum.as_i64().unwrap());
        let items = state["todos"].as_array().unwrap();
        let done = items.iter().filter(|item| item["status"] == "completed").count() as i64;
        assert_eq!(sums, [items.len() as i64 - done, done], "the sums are those of the list");
        format!("{} {}/{}", state["message_id"].as_str().unwrap_or("none"), done, items.len())
    };
    talk.agent(Post, "/messages", list("l1", &["a", "b", "c"])).await;
    talk.agent(Post, "/messages", list("l2", &["a", "b"])).await;
    for n in 0..120 {
        let status = if n % 2 == 0 { "completed" } else { "pending" };
        talk.owner(Post, "/ticks", json!({"id": "a", "status": status})).await;
    }
    let ticked = talk.owner(Post, "/ticks", json!({"id": "b", "status": "completed"})).await;
    assert_eq!((ticked.status, stands().await), (201, "l2 1/2".to_owned()));
    talk.agent(Patch, "/messages/l1", changed("l1", &["a", "b", "c", "d"])).await;
    assert_eq!(stands().await, "l2 1/2", "an older list says nothing any more");
    talk.agent(Delete, "/messages/l2", Value::Null).await;
    assert_eq!(stands().await, "l1 1/4", "the one before stands again, ticked as it is");
    talk.agent(Delete, "/messages/l1", Value::Null).await;
    assert_eq!(stands().await, "none 0/0");
}

/// One "no" denies, wherever it stands.
#[tokio::test]
async fn a_no_outweighs_a_yes() {
    let talk = Talk::new().await;
    let question = |n: u8| {
        json!({"question": "Sure?", "options": [
            {"id": format!("once{n}"), "label": "Once", "kind": "allow_once"},
            {"id": format!("always{n}"), "label": "Always", "kind": "allow_always"},
            {"id": format!("no{n}"), "label": "No", "kind": "reject_once"}]})
    };
    let mut seen = Vec::new();
    for (id, selected) in [("a1", ["once1", "no2"]), ("a2", ["no1", "always2"]), ("a3", ["always1", "once2"])] {
        let payload =
            json!({"kind": "permission", "title": "Push", "questions": [question(1), question(2)], "state": "open"});
        let body = json!({"id": id, "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
        assert_eq!(talk.agent(Post, "/messages", body).await.status, 201);
        let shown =
            talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"]["shown_sha256"].clone();
        let decision = json!({"selected": selected, "shown_sha256": shown});
        let decided = talk.owner(Post, &format!("/messages/{id}/decision"), decision).await;
        assert_eq!(decided.status, 200, "{}", decided.body);
        seen.push(decided.body["approval"]["metadata"]["payload"]["state"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen, ["denied", "denied", "allowed_once"]);
}

#[tokio::test]
async fn a_revoked_key_ends_a_wait() {
    let talk = Talk::new().await;
    let id = talk.agent.key_id().unwrap().to_owned();
    let wait = talk.agent(Post, "/pending", json!({"wait": 60}));
    let revoke = async {
        tokio::task::yield_now().await;
        talk.house.send(Caller::owner(), Delete, &format!("/v1/keys/{id}"), None).await
    };
    let (answer, keys) = in_time(async { tokio::join!(wait, revoke) }).await;
    assert_eq!((answer.status, answer.body["code"].clone()), (401, json!("revoked")));
    assert!(keys.body["keys"][0]["revoked_at"].is_i64());
}

/// Pieces of a text that come at once become few revisions: each is answered when it is stored, and none is lost.
#[tokio::test]
async fn a_growing_text_has_few_revisions() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "m1", "status": "streaming"})).await;
    let pieces = (0..40).map(|n| talk.agent(Patch, "/messages/m1", json!({ "append": format!("{n} ") })));
    for answer in futures::future::join_all(pieces).await {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let done = talk.agent(Patch, "/messages/m1", json!({"append": "end", "status": "final"})).await.body;
    let mut words: Vec<&str> = done["content"].as_str().unwrap().split(' ').collect();
    assert_eq!((words.pop(), words.len()), (Some("end"), 40));
    words.sort_by_key(|word| word.parse::<u32>().unwrap());
    words.dedup();
    assert_eq!(words.len(), 40, "each piece is there once");
    assert!(done["revision"].as_i64().unwrap() < 20, "{}", done["revision"]);
    // One of several is at fault: the others are done all the same.
    talk.agent(Post, "/messages", json!({"id": "m2", "status": "streaming"})).await;
    let changes =
        [json!({"append": "a"}), json!({"append": "b"}), json!({"status": "final"}), json!({"append": "late"})];
    let answers = futures::future::join_all(changes.map(|change| talk.agent(Patch, "/messages/m2", change))).await;
    let stored = talk.owner(Get, "/messages/m2", Value::Null).await.body;
    for answer in &answers {
        assert!(matches!(answer.status, 200 | 409), "{}", answer.body);
    }
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(done >= 3, "{answers:?}");
    assert_eq!(stored["entry"]["status"], "final");
}

/// A rule that panics is nobody else's fault: its write fails, and the next one is written.
#[tokio::test]
async fn a_panic_ends_one_write_and_not_the_writer() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "m1", "content": "One"})).await;
    let change = store::LiveChange {
        session: model::SessionId::parse("s1").unwrap(),
        message: model::MessageId::parse("m1").unwrap(),
        if_match: None,
        needs_calls: false,
        note: None,
        rule: Box::new(|_, _| panic!("on purpose")),
    };
    let failed = talk.house.hub.writer.write(store::LiveWrite::Change(Box::new(change))).await;
    let Err(hub::writer::Failure::Problem(problem)) = failed else { panic!("{failed:?}") };
    assert_eq!((problem.status, problem.code.as_str()), (500, "internal"));
    assert_eq!(talk.agent(Post, "/messages", json!({"id": "m2", "content": "Two"})).await.status, 201);
    assert_eq!(contents(&talk.agent(Get, "/messages", Value::Null).await.body["messages"]), ["One", "Two"]);
}
