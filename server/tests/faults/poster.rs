//! An agent that posts message after message, each with an id of its own, and each until it is answered.

use crate::http::Connection;
use crate::ledger::Promise;
use crate::town::Town;
use serde_json::json;
use std::sync::Arc;

/// Posts to one session after the other until there was enough.
pub async fn post(town: Arc<Town>, number: usize) {
    let mut connection = None;
    let mut count = 0;
    while !town.enough.is_cancelled() {
        let session = &town.sessions[(number + count) % town.sessions.len()];
        let id = format!("{number}-{count}");
        let body = json!({ "id": id, "content": content(number, count) }).to_string();
        let promise = until_answered(&town, number, &mut connection, session, &body).await;
        town.ledger.note((session.clone(), id), promise);
        count += 1;
    }
}

/// Of different lengths, and not to be packed much.
pub fn content(number: usize, count: usize) -> String {
    let mut state = (number as u64) << 32 | count as u64 | 1 << 63;
    let words = 2 + (number + count * 7) % 40;
    let word = |state: &mut u64| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        format!("{state:016x}")
    };
    (0..words).map(|_| word(&mut state)).collect::<Vec<_>>().join(" ")
}

async fn until_answered(
    town: &Town,
    number: usize,
    kept: &mut Option<Connection>,
    session: &str,
    body: &str,
) -> Promise {
    let path = format!("/v1/sessions/{session}/messages");
    loop {
        let start = *town.starts.borrow();
        let answer = async {
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => Connection::open(town.host(number)).await?,
            };
            let answer = connection.send("POST", &path, &town.agent, body).await?;
            *kept = Some(connection);
            std::io::Result::Ok(answer)
        };
        match answer.await {
            Ok(answer) if matches!(answer.status, 200 | 201) => {
                let answer = answer.json();
                return Promise { seq: answer["seq"].as_i64().unwrap(), pos: answer["pos"].as_i64().unwrap() };
            }
            Ok(answer) if answer.status == 503 => {
                town.refused.send_modify(|refused| *refused += 1);
                tokio::task::yield_now().await;
            }
            Ok(answer) => panic!("{path}: {} {}", answer.status, answer.json()),
            // Whether it was stored, nobody knows: it is asked again.
            Err(_) => town.restarted_after(start).await,
        }
    }
}
