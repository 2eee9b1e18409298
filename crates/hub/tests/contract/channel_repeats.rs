//! An action in a channel has its effect once, and for the request that the person saw.

use crate::channel_answers::{asks, post, talk};
use crate::channel_side::{OtherSide, deliveries, incoming, incoming_at, states};
use crate::live::{Talk, contents};
use api::Method::{Delete, Get, Post};
use serde_json::{Value, json};

async fn state(talk: &Talk, id: &str) -> Value {
    talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"]["metadata"]["payload"]["state"].clone()
}

/// Asks, and waits until the channel showed so many.
async fn shown(talk: &Talk, channel: &str, id: &str, seq: i64) {
    asks(talk, id, "Run it?").await;
    let is_sent = |found: &[Value]| states(found).contains(&(seq, "sent"));
    deliveries(&talk.house, channel, is_sent).await;
}

#[tokio::test]
async fn the_same_yes_decides_once_whatever_is_open_then() {
    let (mut talk, _side, channel) = talk().await;
    shown(&talk, &channel, "a1", 1).await;
    let first = incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await;
    assert_eq!(first, Ok(json!({"seq": 1, "decided": true, "replayed": false})));
    let again = Ok(json!({"seq": 1, "decided": true, "replayed": true}));
    let last_seq = async |talk: &Talk| talk.owner(Get, "/messages", Value::Null).await.body["last_seq"].clone();
    let before = last_seq(&talk).await;
    // With nothing open it is no prompt.
    assert_eq!(incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await, again);
    assert_eq!(last_seq(&talk).await, before);
    // With another request open it isn't decided.
    shown(&talk, &channel, "a2", 3).await;
    assert_eq!(incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await, again);
    assert_eq!(state(&talk, "a2").await, "open");
    // An answer for ever counts once, too.
    let always = incoming(&talk.house, &channel, "evt_2", &post("always", None)).await;
    assert_eq!(always, Ok(json!({"seq": 3, "decided": true, "replayed": false})));
    shown(&talk, &channel, "a3", 5).await;
    // Nor by a server that was started since.
    for _ in 0..2 {
        let repeated = incoming(&talk.house, &channel, "evt_2", &post("always", None)).await;
        assert_eq!(repeated, Ok(json!({"seq": 3, "decided": true, "replayed": true})));
        assert_eq!(incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await, again);
        talk.house.renew(|_| {}).await;
    }
    assert_eq!((state(&talk, "a2").await, state(&talk, "a3").await), (json!("allowed_always"), json!("open")));
}

#[tokio::test]
async fn two_that_come_at_once_are_one() {
    let (talk, _side, channel) = talk().await;
    shown(&talk, &channel, "a1", 1).await;
    let body = post("yes", None);
    let say = || incoming(&talk.house, &channel, "evt_1", &body);
    let (one, two) = tokio::join!(say(), say());
    let mut replayed = [one, two].map(|taken| taken.unwrap()["replayed"].clone());
    replayed.sort_by_key(Value::to_string);
    assert_eq!(replayed, [json!(false), json!(true)]);
    assert_eq!(talk.owner(Get, "/messages", Value::Null).await.body["last_seq"], 2, "the request and one answer");
}

#[tokio::test]
async fn what_was_a_message_or_a_refusal_is_no_answer_to_a_later_request() {
    let (talk, _side, channel) = talk().await;
    let said = incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await;
    assert_eq!(said, Ok(json!({"seq": 1, "decided": false, "replayed": false})));
    shown(&talk, &channel, "a1", 2).await;
    shown(&talk, &channel, "a2", 3).await;
    let several = Err((409, "several_open".to_owned()));
    assert_eq!(incoming(&talk.house, &channel, "evt_2", &post("yes", None)).await, several);
    incoming(&talk.house, &channel, "evt_3", &post("no", Some("a1"))).await.unwrap();
    let again = incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await;
    assert_eq!(again, Ok(json!({"seq": 1, "decided": false, "replayed": true})));
    assert_eq!(incoming(&talk.house, &channel, "evt_2", &post("yes", None)).await, several);
    assert_eq!(state(&talk, "a2").await, "open");
}

#[tokio::test]
async fn what_became_of_an_event_is_kept_for_thirty_days() {
    let (talk, _side, channel) = talk().await;
    shown(&talk, &channel, "a1", 1).await;
    incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await.unwrap();
    let workspace = &talk.house.hub.workspace;
    let now = hub::clock::now().0;
    let day = 24 * 3600 * 1_000_000;
    hub::upkeep::trash::purge_once(&talk.house.hub, model::Micros(now + 29 * day)).await.unwrap();
    let again = incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await.unwrap();
    assert_eq!(again["replayed"], true);
    assert_eq!(workspace.forget_channel_events(model::Micros(now + 31 * day)).await.unwrap(), 1);
}

/// The agent takes its request back, and asks for something else while a person types.
#[tokio::test]
async fn an_answer_is_for_the_request_that_was_shown_before_it() {
    let (talk, _side, channel) = talk().await;
    shown(&talk, &channel, "a1", 1).await;
    assert_eq!(talk.agent(Delete, "/messages/a1", Value::Null).await.body["status"], "retracted");
    let written = hub::clock::now().0 / 1_000_000;
    shown(&talk, &channel, "a2", 2).await;
    for (event, text) in [("evt_1", "yes"), ("evt_2", "1"), ("evt_3", "no")] {
        let swapped = incoming_at(&talk.house, &channel, event, &post(text, None), written).await;
        assert_eq!(swapped, Err((409, "came_after".to_owned())), "{text}");
    }
    assert_eq!(state(&talk, "a2").await, "open");
    // Also when it comes again, though its sender signs it anew.
    let again = incoming(&talk.house, &channel, "evt_1", &post("yes", None)).await;
    assert_eq!(again, Err((409, "came_after".to_owned())));
    // A reply names what it means.
    incoming_at(&talk.house, &channel, "evt_4", &post("no", Some("a2")), written).await.unwrap();
    assert_eq!(state(&talk, "a2").await, "denied");
    shown(&talk, &channel, "a3", 4).await;
    incoming(&talk.house, &channel, "evt_5", &post("yes", None)).await.unwrap();
    assert_eq!(state(&talk, "a3").await, "allowed_once");
}

#[tokio::test]
async fn labels_that_say_the_opposite_are_explained_and_answered_by_numbers_alone() {
    let (talk, side, channel) = talk().await;
    let option = |id: &str, label: &str, kind: &str| json!({"id": id, "label": label, "kind": kind});
    let options = json!([option("a", "No", "allow_once"), option("b", "Yes", "reject_once")]);
    let payload = json!({"kind": "permission", "title": "Stop?", "state": "open", "questions": [{"question": "Stop?", "options": options}]});
    let body = json!({"id": "a1", "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
    assert_eq!(talk.agent(Post, "/messages", body).await.status, 201);
    let text = side.came("hook", 1).await[0].text();
    assert!(text.starts_with("🔐 Stop?\n1. No (allows once)\n2. Yes (denies)\nAnswer with a number\n"), "{text}");
    deliveries(&talk.house, &channel, |found| states(found) == [(1, "sent")]).await;
    for (number, text) in
        ["no", "No", "yes", "y", "👍", "deny", "allow", "no, later", "yes, now"].into_iter().enumerate()
    {
        for about in [None, Some("a1")] {
            let event = format!("evt_{number}_{}", about.is_some());
            let refused = incoming(&talk.house, &channel, &event, &post(text, about)).await;
            assert_eq!(refused, Err((422, "unclear".to_owned())), "{text}");
        }
    }
    assert_eq!(state(&talk, "a1").await, "open");
    incoming(&talk.house, &channel, "evt_last", &post("2", None)).await.unwrap();
    assert_eq!(state(&talk, "a1").await, "denied");
}

#[tokio::test]
async fn a_request_is_dismissed_by_a_word_once() {
    let (talk, side, channel) = talk().await;
    shown(&talk, &channel, "a1", 1).await;
    for replayed in [false, true] {
        let taken = incoming(&talk.house, &channel, "evt_1", &post("Dismiss.", None)).await.unwrap();
        assert_eq!(taken, json!({"seq": 1, "decided": true, "replayed": replayed}));
    }
    let message = talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"]["metadata"].clone();
    let closed = &message["request_closed"];
    let told = (&message["payload"]["state"], &closed["reason"], &closed["by"], &closed["via"]);
    assert_eq!(told, (&json!("cancelled"), &json!("dismissed"), &json!("Ada"), &json!("webhook")));
    let words = OtherSide::texts(&side.came("hook", 2).await);
    assert_eq!(words[1], "🔐 Permission: Run it? (cancelled) by Ada (webhook)");
}

#[tokio::test]
async fn a_denial_has_a_reason_and_nothing_else_has_words() {
    let (talk, side, channel) = talk().await;
    let cases = [
        ("no, use a branch", Some("use a branch")),
        ("Deny: use a branch.", Some("use a branch.")),
        ("reject - use a branch", Some("use a branch")),
        ("No. Use a branch", Some("Use a branch")),
        ("👎 use a branch", Some("use a branch")),
        ("n", None),
    ];
    for (number, (text, reason)) in cases.into_iter().enumerate() {
        let (id, seq) = (format!("a{number}"), number as i64 * 2 + 1);
        shown(&talk, &channel, &id, seq).await;
        let about = (number % 2 == 0).then_some(id.as_str());
        incoming(&talk.house, &channel, &format!("evt_{number}"), &post(text, about)).await.unwrap();
        let decided =
            talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"]["metadata"]["payload"].clone();
        let told = (&decided["state"], &decided["decision"]["selected"], &decided["decision"]["text"]);
        assert_eq!(told, (&json!("denied"), &json!(["n"]), &json!(reason)), "{text}");
    }
    // The agent gets the words.
    let told = talk.agent(Get, "/messages?type=ACTION", Value::Null).await;
    assert_eq!(contents(&told.body["messages"])[0], "Selected: Deny, use a branch");
    shown(&talk, &channel, "last", 13).await;
    for (number, text) in ["yes, but use a branch", "ok: only once", "always - but not on Sundays", "👍 but not now"]
        .into_iter()
        .enumerate()
    {
        for about in [None, Some("last")] {
            let event = format!("words_{number}_{}", about.is_some());
            let refused = incoming(&talk.house, &channel, &event, &post(text, about)).await;
            assert_eq!(refused, Err((422, "unclear".to_owned())), "{text}");
        }
    }
    assert_eq!(state(&talk, "last").await, "open");
    // Words about a request that was decided are for the agent.
    let words = incoming(&talk.house, &channel, "evt_words", &post("no, use a branch", Some("a0"))).await.unwrap();
    assert_eq!(words["decided"], false);
    let texts = OtherSide::texts(&side.came("hook", 1).await);
    assert!(texts[0].contains("Answer with a number"), "{texts:?}");
}
