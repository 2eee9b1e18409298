//! Schedules: made, changed, run once and only once, and what was missed. Time is an argument: nothing here waits.

use crate::live::Talk;
use crate::support::Answer;
use api::Method::{Delete, Get, Patch, Post};
use hub::schedules::look;
use hub::{Caller, Hub, Settings};
use model::Micros;
use serde_json::{Value, json};

const MINUTE: i64 = 60 * Micros::SECOND;
const DAY: i64 = 24 * 60 * MINUTE;

impl Talk {
    async fn schedules(&self, method: api::Method, path: &str, body: Value) -> Answer {
        let body = Some(body).filter(|body| !body.is_null());
        self.house.send(Caller::owner(), method, &format!("/v1/schedules{path}"), body).await
    }

    /// Makes one for this session; the reply.
    async fn schedule(&self, times: Value) -> Value {
        let mut new = times;
        new["session"] = json!("s1");
        new["prompt"] = json!("Run the tests");
        let made = self.schedules(Post, "", new).await;
        assert_eq!(made.status, 201, "{}", made.body);
        made.body
    }

    /// Role, sender and text of all messages.
    async fn said(&self) -> Vec<(String, String, String)> {
        let page = self.owner(Get, "/messages?dev=1", Value::Null).await.body;
        let text = |message: &Value, key: &str| message[key].as_str().unwrap().to_owned();
        let messages = page["messages"].as_array().unwrap().iter();
        messages.map(|message| (text(message, "role"), text(message, "sender"), text(message, "content"))).collect()
    }
}

fn next_of(schedule: &Value) -> Micros {
    Micros(schedule["next_at"].as_i64().unwrap())
}

fn prompt() -> (String, String, String) {
    ("user".to_owned(), "scheduled_task".to_owned(), "Run the tests".to_owned())
}

#[tokio::test]
async fn made_changed_paused_removed_and_restored() {
    let talk = Talk::new().await;
    let made = talk.schedule(json!({"cron": " 0 9 * * 1-5 ", "zone": "Europe/Berlin"})).await;
    let (id, next) = (made["id"].as_str().unwrap().to_owned(), made["next_at"].clone());
    let whole = |state: &str, next: &Value| {
        json!({"id": id, "session": "s1", "session_title": made["session_title"], "prompt": "Run the tests", "at": null, "cron": "0 9 * * 1-5",
            "zone": "Europe/Berlin", "state": state, "next_at": next, "last": null, "created_at": made["created_at"]})
    };
    assert_eq!(made, whole("active", &next));
    let path = format!("/{}", &id[..30]);
    assert_eq!(talk.schedules(Patch, &path, json!({"paused": true})).await.body, whole("paused", &Value::Null));
    assert_eq!(talk.schedules(Get, "", Value::Null).await.body, json!({"schedules": [whole("paused", &Value::Null)]}));
    assert_eq!(talk.schedules(Patch, &path, json!({"paused": false})).await.body, whole("active", &next));
    let edited = talk.schedules(Patch, &path, json!({"prompt": "Sweep", "at": "2999-01-01 12:00"})).await.body;
    let fields = |schedule: &Value| [&schedule["prompt"], &schedule["cron"], &schedule["zone"]].map(Clone::clone);
    assert_eq!(fields(&edited), [json!("Sweep"), Value::Null, json!("Europe/Berlin")]);
    assert_eq!(edited["at"], edited["next_at"]);
    assert_eq!(talk.schedules(Delete, &path, Value::Null).await.body, json!({"schedules": []}));
    assert_eq!(talk.schedules(Patch, &path, json!({})).await.status, 404);
    assert_eq!(talk.schedules(Post, &format!("/{id}/restore"), Value::Null).await.body, edited);
    let agents = talk.house.send(talk.agent.clone(), Get, "/v1/schedules", None).await;
    assert_eq!(agents.status, 403, "it is for people");
}

#[tokio::test]
async fn a_time_that_comes_gives_the_agent_its_prompt_once() {
    let talk = Talk::new().await;
    let made = talk.schedule(json!({"cron": "0 9 * * *", "zone": "UTC"})).await;
    let due = next_of(&made);
    let hub = &talk.house.hub;
    look(hub, Micros(due.0 - 1)).await.unwrap();
    assert_eq!(talk.said().await, []);
    for _ in 0..3 {
        look(hub, due).await.unwrap();
    }
    assert_eq!(talk.said().await, [prompt()]);
    // It waits for the agent as what a person writes, and a model reads it.
    let taken = talk.agent(Post, "/pending", json!({"after": 0})).await.body;
    let message = &taken["messages"][0];
    assert_eq!((&message["content"], &message["context"]), (&json!("Run the tests"), &json!("turn")));
    assert_eq!(message["metadata"], json!({"task": true, "schedule": made["id"]}));
    let listed = talk.schedules(Get, "", Value::Null).await.body;
    let shown = &listed["schedules"][0];
    let run = json!({"due_at": due.0, "outcome": "sent", "missed": 0, "message_id": message["id"], "reason": null});
    assert_eq!((&shown["last"], &shown["next_at"]), (&run, &json!(due.0 + DAY)));
    // Now, between two times, which stay.
    let now = talk.schedules(Post, &format!("/{}/run", made["id"].as_str().unwrap()), Value::Null).await;
    assert_eq!((now.status, &now.body["next_at"]), (200, &json!(due.0 + DAY)));
    assert_eq!(talk.said().await, [prompt(), prompt()]);
}

/// Several servers on one database look at the same moment; one more comes back with what it read before.
#[tokio::test]
async fn several_servers_run_it_once() {
    let talk = Talk::new().await;
    let due = next_of(&talk.schedule(json!({"cron": "*/5 * * * *", "zone": "UTC"})).await);
    let mut hubs = vec![talk.house.hub.clone()];
    for _ in 0..3 {
        let (store, shutdown) = (talk.house.hub.store.clone(), tokio_util::sync::CancellationToken::new());
        hubs.push(Hub::new(store, Settings::default(), shutdown).await.unwrap());
    }
    for turn in 1..=5_i64 {
        let now = Micros(due.0 + (turn - 1) * 5 * MINUTE);
        let looks = futures::future::join_all(hubs.iter().map(|hub| look(hub, now))).await;
        assert!(looks.iter().all(Result::is_ok));
        assert_eq!(talk.said().await.len() as i64, turn);
    }
}

#[tokio::test]
async fn what_came_while_no_server_ran_is_told_and_not_made_up_for() {
    let talk = Talk::new().await;
    let made = talk.schedule(json!({"cron": "0 9 * * *", "zone": "UTC"})).await;
    let due = next_of(&made);
    let once = talk.schedule(json!({"at": "2999-01-01 12:00", "zone": "UTC"})).await;
    let hub = &talk.house.hub;
    // Three days later, an hour after the last time.
    let now = Micros(due.0 + 3 * DAY + 60 * MINUTE);
    for _ in 0..2 {
        look(hub, now).await.unwrap();
    }
    let said = talk.said().await;
    assert_eq!(said.len(), 1, "{said:?}");
    let (role, _, text) = &said[0];
    assert!(
        role == "host"
            && text.starts_with("4 scheduled runs were missed because no server was running, the last at ")
            && text.contains("09:00 UTC"),
        "{text}"
    );
    let listed = talk.schedules(Get, "", Value::Null).await.body;
    let last = json!({"due_at": due.0 + 3 * DAY, "outcome": "missed", "missed": 4, "message_id": null, "reason": null});
    assert_eq!((&listed["schedules"][0]["last"], &listed["schedules"][0]["next_at"]), (&last, &json!(due.0 + 4 * DAY)));
    // A host message reaches no agent.
    assert_eq!(talk.agent(Post, "/pending", json!({"after": 0})).await.body["messages"], json!([]));
    look(hub, Micros(next_of(&once).0 + 2 * MINUTE)).await.unwrap();
    let listed = talk.schedules(Get, "", Value::Null).await.body;
    let over = listed["schedules"].as_array().unwrap().iter().find(|schedule| schedule["id"] == once["id"]).unwrap();
    assert_eq!((&over["state"], &over["last"]["outcome"]), (&json!("over"), &json!("missed")));
}

#[tokio::test]
async fn paused_removed_and_deleted() {
    let talk = Talk::new().await;
    let times = || json!({"cron": "0 9 * * *", "zone": "UTC"});
    let (paused, removed, gone) =
        (talk.schedule(times()).await, talk.schedule(times()).await, talk.schedule(times()).await);
    let path = |schedule: &Value| format!("/{}", schedule["id"].as_str().unwrap());
    talk.schedules(Patch, &path(&paused), json!({"paused": true})).await;
    talk.schedules(Delete, &path(&removed), Value::Null).await;
    talk.owner(Delete, "", Value::Null).await;
    look(&talk.house.hub, next_of(&gone)).await.unwrap();
    let listed = talk.schedules(Get, "", Value::Null).await.body;
    let states: Vec<_> = listed["schedules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["state"], &it["last"]["reason"], &it["session_title"]))
        .collect();
    let deleted = json!("The session was deleted");
    assert_eq!(states, [(&json!("active"), &deleted, &Value::Null), (&json!("paused"), &Value::Null, &Value::Null)]);
}

#[tokio::test]
async fn the_audit_log_has_who_made_changed_and_removed_one() {
    let talk = Talk::new().await;
    let made = talk.schedule(json!({"cron": "0 9 * * *", "zone": "UTC"})).await;
    let id = made["id"].as_str().unwrap();
    let path = format!("/{id}");
    talk.schedules(Patch, &path, json!({"paused": true})).await;
    talk.schedules(Patch, &path, json!({"paused": true})).await;
    talk.schedules(Patch, &path, json!({"prompt": "Run them", "cron": "0 10 * * *", "paused": false})).await;
    talk.schedules(Delete, &path, Value::Null).await;
    talk.schedules(Post, &format!("{path}/restore"), json!({})).await;
    let kinds = "kind=schedule_made&kind=schedule_changed&kind=schedule_removed";
    let log = talk.house.read(&format!("/v1/audit?{kinds}")).await;
    let seen: Vec<&Value> = log["entries"].as_array().unwrap().iter().rev().map(|entry| &entry["what"]).collect();
    let made = json!({"kind": "schedule_made", "schedule": id, "session": "s1"});
    let changed =
        |fields: Value| json!({"kind": "schedule_changed", "schedule": id, "session": "s1", "fields": fields});
    let removed = json!({"kind": "schedule_removed", "schedule": id, "session": "s1"});
    let (paused, edited) = (changed(json!(["paused"])), changed(json!(["prompt", "cron", "paused"])));
    assert_eq!(seen, [&made, &paused, &edited, &removed, &made], "the same again is no change");
}

#[tokio::test]
async fn what_can_not_be_scheduled() {
    let talk = Talk::new().await;
    let base = json!({"session": "s1", "prompt": "x", "cron": "0 9 * * *", "zone": "UTC"});
    let with = |change: Value| {
        let mut body = base.clone();
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    for (change, field) in [
        (json!({"cron": "every day"}), "/cron"),
        (json!({"cron": "61 9 * * *"}), "/cron"),
        (json!({"cron": "0 0 9 * * *"}), "/cron"),
        (json!({"cron": "0 0 30 2 *"}), "/cron"),
        (json!({"cron": "0".repeat(300)}), "/cron"),
        (json!({"cron": null}), "/cron"),
        (json!({"zone": "Europe/Nowhere"}), "/zone"),
        (json!({"at": "2999-01-01 12:00"}), "/at"),
        (json!({"cron": null, "at": "tomorrow"}), "/at"),
        (json!({"cron": null, "at": "2999-01-01"}), "/at"),
        (json!({"cron": null, "at": "2001-01-01 12:00"}), "/at"),
        (json!({"prompt": " \n"}), "/prompt"),
        (json!({"session": ""}), "/session"),
        (json!({"session": "nobody"}), "/session"),
    ] {
        let refused = talk.schedules(Post, "", with(change.clone())).await;
        assert!(matches!(refused.status, 400 | 404), "{change}: {}", refused.body);
        assert_eq!(refused.body["field"], field, "{change}: {}", refused.body);
    }
    assert_eq!(talk.schedules(Get, "", Value::Null).await.body, json!({"schedules": []}));
}

/// Nobody is told in a session that no agent takes up, and its last activity stays where it was.
#[tokio::test]
async fn what_nobody_takes_is_refused_and_is_no_activity() {
    let talk = Talk::new().await;
    let file = talk.house.write("mill.jsonl", crate::support::Talk::new("mill").user("Grind").says("Done.").text());
    talk.house.import(&[file]).await;
    let refused = async |session: &str| {
        let new = json!({"session": session, "cron": "0 9 * * *", "zone": "UTC", "prompt": "Run the tests"});
        let answer = talk.schedules(Post, "", new).await;
        (answer.status, answer.body["code"].clone(), answer.body["field"].clone(), answer.body["title"].clone())
    };
    let expected = |title: &str| (409, json!("nobody_takes_it"), json!("/session"), json!(title));
    let read = "No agent reads prompts in this session: it was read from a transcript";
    assert_eq!(refused("mill").await, expected(read));

    // One that ends later: each run says why it wasn't made.
    let made = talk.schedule(json!({"cron": "0 9 * * *", "zone": "UTC"})).await;
    assert_eq!(talk.agent(Post, "/end", json!({"outcome": "done"})).await.status, 200);
    assert_eq!(refused("s1").await, expected("This session has ended"));
    let before = talk.owner(Get, "", Value::Null).await.body["session"]["last_activity_at"].clone();
    let said = talk.said().await;
    look(&talk.house.hub, next_of(&made)).await.unwrap();
    let list = talk.schedules(Get, "", Value::Null).await.body;
    let last = &list["schedules"][0]["last"];
    assert_eq!((&last["outcome"], &last["reason"]), (&json!("refused"), &json!("This session has ended")));
    assert_eq!(talk.said().await, said);
    assert_eq!(talk.owner(Get, "", Value::Null).await.body["session"]["last_activity_at"], before);
}
