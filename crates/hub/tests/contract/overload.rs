//! More than can be written is refused at once.

use crate::live::Talk;
use api::Method::{Get, Post};
use serde_json::{Value, json};

/// Writes that may wait, and some more.
const QUEUE: usize = 4096;
const MORE: usize = 100;

/// The queue is filled before its writer has a turn: all of this is one task of one thread, which doesn't yield.
#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let talk = Talk::new().await;
    // From now on, posting reads nothing before it queues.
    talk.agent(Post, "/messages", json!({"content": "first"})).await;
    let posts =
        (0..QUEUE + MORE).map(|n| talk.agent(Post, "/messages", json!({"id": format!("m{n}"), "content": "x"})));
    let answers = tokio::task::unconstrained(futures::future::join_all(posts)).await;
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 201).collect();
    assert_eq!(refused.len(), MORE);
    let problem = json!({
        "status": 503,
        "code": "busy",
        "title": "The server has too many writes to store",
        "hint": "Send the request again; nothing was stored",
        "retry_after": 1,
    });
    assert!(refused.iter().all(|answer| answer.body == problem), "{}", refused[0].body);
    let stored = talk.owner(Get, "", Value::Null).await.body["session"]["message_count"].clone();
    assert_eq!(stored, json!(1 + QUEUE), "nothing of what was refused was stored, and all of the rest");
}
