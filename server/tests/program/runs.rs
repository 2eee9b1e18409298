//! Runs and messages of the host, with the program and the SDK.

use crate::support::{Place, Server};
use sdk::{BeginRun, EndRun, EndedAs, Error, Verbatim};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_runs_across_a_restart_and_its_context_is_replayed() {
    let place = Place::new();
    let notices = json!({"commands": [{"name": "Tide", "command": ["/bin/echo", "rising"]}]});
    place.write("data/notices.json", notices.to_string());
    let server = Server::start_in(place, &[]);
    let key = server.agent_key();
    let session = Verbatim::connect(&server.origin(), &key).unwrap().create_session("bot").await.unwrap();
    let id = session.id().to_owned();
    server.place.out(&["send", "--session", &id, "--role", "user", "Fix the lexer"]);
    server.place.out(&["send", "--session", &id, "--role", "system", "Answer in French"]);
    let first = session.begin_run().await.unwrap();
    let told: Vec<(String, String)> =
        first.messages().into_iter().map(|message| (message.role.to_string(), message.content)).collect();
    assert_eq!(
        told,
        [("user".to_owned(), "Fix the lexer".to_owned()), ("system".to_owned(), "Answer in French".to_owned())]
    );
    assert_eq!(first.system(), Some("Tide: rising"));

    let mut server = server;
    server.terminate();
    server.ended(Duration::from_secs(20));
    let server = server.again();
    let session = Verbatim::connect(&server.origin(), &key).unwrap().session(&id);
    let again = session.begin_run().await.unwrap();
    assert_eq!((again.id(), again.prompt(), again.system()), (first.id(), first.prompt(), first.system()));
    let text = BeginRun { format: Some(model::run_prompt::RunFormat::Text), ..BeginRun::default() };
    assert!(matches!(session.begin_run_with(text.clone()).await, Err(Error::Conflict(_))));

    let failed = EndRun { outcome: Some(EndedAs::Failed), error: Some("no ink".to_owned()), ..EndRun::default() };
    again.end(failed).await.unwrap();
    assert!(session.next_run(text, Duration::ZERO).await.unwrap().is_none(), "nothing waits");
    let page = server.with_key("GET", &format!("/v1/sessions/{id}/messages?role=host"), "").json();
    let texts: Vec<&str> =
        page["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "Verbatim is stopping. An open run can be continued after the restart",
            &format!("Verbatim {} started", env!("CARGO_PKG_VERSION")),
            "The agent's run failed: no ink",
        ]
    );

    let part = |part: &str| server.place.out(&["context-log", &id, "--run", first.id(), "--part", part]);
    assert_eq!(part("prompt"), first.prompt().to_string(), "byte for byte");
    assert_eq!(part("system"), "Tide: rising");
    let lines = server.place.out(&["context-log", &id, "--json"]);
    let kinds: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["notice", "frame", "message", "frame", "message", "frame"]);
    assert_eq!(server.place.out(&["context-log", &id, "--check"]), "6 entries, each as it was written\n");
}

#[test]
fn an_operator_notifies_and_mistakes_are_named() {
    let server = Server::start();
    assert_eq!(server.place.out(&["notify", "Restart at noon"]), "operations\n");
    let page = server.with_key("GET", "/v1/sessions/operations/messages", "").json();
    let seen = (&page["messages"][0]["role"], &page["messages"][0]["content"], &page["messages"][0]["context"]);
    assert_eq!(seen, (&json!("host"), &json!("Restart at noon"), &json!("none")));
    insta::assert_snapshot!(
        [
            server.place.seen(&["notify", "--session", "none", "x"]),
            server.place.seen(&["notify", " "]),
            server.place.seen(&["context-log", "operations"]),
            server.place.seen(&["context-log", "operations", "--part", "body", "--run", "r"]),
        ]
        .join("\n")
    );
    let place = Place::new();
    place.write("data/notices.json", r#"{"commands": [{"name": "CI", "command": []}]}"#);
    insta::assert_snapshot!(place.seen(&["serve", "--listen", "127.0.0.1:0", "--no-discover"]));
}
