//! People's answers to the comments of a review: kept with it, passed to the agent, and taken back.

use crate::live::{Talk, contents};
use api::Method::{Delete, Get, Patch, Post};
use serde_json::{Value, json};

fn comment(line: u32, body: &str) -> Value {
    json!({"side": "new", "start_line": line, "severity": "major", "body": body})
}

fn metadata(comments: &[Value]) -> Value {
    json!({"message_type": "CODE_REVIEW", "payload": {"file_path": "src/a.rs", "comments": comments}})
}

async fn shown(talk: &Talk) -> Value {
    talk.owner(Get, "/messages/r1", Value::Null).await.body["entry"]["shown_sha256"].clone()
}

#[tokio::test]
async fn comments_are_accepted_resolved_and_reopened() {
    let talk = Talk::new().await;
    let mut first = comment(3, "Reads past the end\nof the text");
    first["end_line"] = json!(4);
    first["suggestion"] = json!("i < n");
    let second = comment(9, "Why twice?");
    let post = json!({"id": "r1", "message_metadata": metadata(&[first.clone(), second.clone()])});
    let posted = talk.agent(Post, "/messages", post).await;
    assert_eq!(
        (posted.status, &posted.body["summary"]),
        (201, &json!("Review of src/a.rs: 2 major. Reads past the end of the text"))
    );
    let seen = shown(&talk).await;
    let press = async |button: &str, seen: &Value| {
        talk.owner(Post, "/messages/r1/decision", json!({"selected": [button], "shown_sha256": seen})).await
    };
    for wrong in ["accept", "2:resolve", "1:accept", "0:burn", ":resolve"] {
        let refused = press(wrong, &seen).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some("/selected/0")), "{wrong}");
    }
    assert_eq!(press("0:accept", &Value::Null).await.body["field"], "/shown_sha256");
    assert_eq!(press("0:accept", &json!("another")).await.status, 412);
    // An agent answers nothing, neither itself nor in a person's name.
    let input = json!({"selected": ["0:resolve"], "shown_sha256": seen});
    assert_eq!(talk.agent(Post, "/messages/r1/decision", input).await.status, 403);
    let mut forged = metadata(std::slice::from_ref(&second));
    forged["review_info"] = json!({"0": {"state": "resolved", "at": 1}});
    let posted = talk.agent(Post, "/messages", json!({"message_metadata": forged})).await;
    assert_eq!((posted.status, posted.body["field"].as_str()), (403, Some("/message_metadata/review_info")));
    assert_eq!(talk.agent(Patch, "/messages/r1", json!({"message_metadata": forged})).await.status, 403);

    let accepted = press("0:accept", &seen).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(accepted.body["approval"]["metadata"]["review_info"]["0"]["state"], "accepted");
    let values = json!({"comment": 0, "lines": "src/a.rs:3-4", "about": "Reads past the end of the text"});
    let told = json!({"reply_to": "r1", "selected": ["Accept suggestion"], "values": values});
    assert_eq!(accepted.body["action"]["metadata"]["payload"], told);
    // Twice is once; something else needs the comment to be open.
    let again = press("0:accept", &seen).await;
    assert_eq!((again.status, &again.body["replayed"]), (200, &json!(true)));
    assert_eq!((press("0:resolve", &seen).await.status, press("1:reopen", &seen).await.status), (409, 409));
    assert_eq!(press("1:resolve", &seen).await.status, 200);
    let reopened = press("0:reopen", &seen).await;
    let infos = &reopened.body["approval"]["metadata"]["review_info"];
    assert_eq!((&infos["0"], &infos["1"]["state"]), (&Value::Null, &json!("resolved")));
    let told = talk.agent(Post, "/pending", json!({})).await;
    let said = |words: &str| format!("Selected: {words}");
    assert_eq!(
        contents(&told.body["messages"]),
        [
            said("Accept suggestion, comment: 0, lines: src/a.rs:3-4, about: Reads past the end of the text"),
            said("Resolve, comment: 1, lines: src/a.rs:9, about: Why twice?"),
            said("Reopen, comment: 0, lines: src/a.rs:3-4, about: Reads past the end of the text"),
        ]
    );

    // An agent's change keeps what was answered to the comments that stay, wherever they stand now.
    let changed = metadata(&[comment(1, "New"), second, first]);
    assert_eq!(talk.agent(Patch, "/messages/r1", json!({"message_metadata": changed})).await.status, 200);
    assert_eq!(press("0:resolve", &seen).await.status, 412, "what was shown is another review");
    let now = talk.owner(Get, "/messages/r1", Value::Null).await.body["entry"]["metadata"]["review_info"].clone();
    assert_eq!((&now["1"]["state"], now.as_object().map(serde_json::Map::len)), (&json!("resolved"), Some(1)));
    assert_eq!(press("1:reopen", &shown(&talk).await).await.status, 200);
    let seen = shown(&talk).await;
    talk.agent(Delete, "/messages/r1", Value::Null).await;
    assert_eq!(press("0:resolve", &seen).await.body["code"], "retracted");
}

#[tokio::test]
async fn a_review_has_a_bound() {
    let talk = Talk::new().await;
    let many: Vec<Value> = (1..=5_001).map(|line| comment(line, "x")).collect();
    let refused = talk.agent(Post, "/messages", json!({"message_metadata": metadata(&many)})).await;
    assert_eq!((refused.status, refused.body["code"].as_str()), (422, Some("too_many")));
    let posted = talk.agent(Post, "/messages", json!({"id": "r1", "message_metadata": metadata(&many[1..])})).await;
    assert_eq!((posted.status, &posted.body["summary"]), (201, &json!("Review of src/a.rs: 5000 major. x")));
}
