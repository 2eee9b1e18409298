//! The SDK against a real server: what it posts is there once, whatever gets lost on the way.

use crate::proxy::{self, Fate};
use crate::support::Server;
use insta::assert_snapshot;
use sdk::{
    Body, Edit, EndOutcome, Error, ListMessages, NewSession, PostMessage, Session, Status, Structured, TodoItem,
    TodoStatus, ToolCall, UpdateMessage, Verbatim, blocking,
};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::time::Duration;

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// All that an agent may post, in every way.
async fn work(session: &Session) -> Result<(), Error> {
    session.send_message("All **412** tests pass.").await?;
    let ready = json!({"message_type": "WEATHER", "version": 3, "payload": {"sky": null, "degrees": 21}, "tag": "x"});
    session.send_message(PostMessage { message_metadata: Some(ready), ..PostMessage::from("Sunny") }).await?;
    let options = Structured {
        extras: object(json!({"webhook_url": "https://example.org"})),
        version: 2,
        message: PostMessage { call_id: Some("call_1".to_owned()), ..PostMessage::default() },
    };
    session.send_structured_message("TOOL_CALL", json!({"tool_name": "Read", "input": {"path": "a"}}), options).await?;
    let edit = Edit { file_path: "a.rs".to_owned(), new_content: Some("fn a() {}\n".to_owned()), ..Edit::default() };
    session.send_code_edit(vec![edit]).await?;
    let item = |id: &str, status| TodoItem { id: id.to_owned(), content: format!("Step {id}"), status };
    session.send_todo(vec![item("1", TodoStatus::Completed), item("2", TodoStatus::Pending)]).await?;

    let call = ToolCall::new("Bash", object(json!({"command": "cargo test"})));
    let sent = session.send_tool_call(call.clone()).await?;
    session.update_tool_call(sent.id(), ToolCall { output: Some(json!("ok\n")), ..call }).await?;

    let mut streaming = session.stream_message().await?;
    for piece in ["One, ", "two, ", "two, ", "three"] {
        streaming.append(piece).await?;
    }
    assert_eq!(streaming.finish().await?.content(), "One, two, two, three");
    let mut broken = session.stream_message().await?;
    broken.append("Half a sent").await?;
    assert_eq!(broken.fail().await?.draft().status, Status::Error);

    let grows = session.send_message("a").await?;
    let more = || UpdateMessage { append: Some("b".to_owned()), ..UpdateMessage::default() };
    session.update(grows.id(), more()).await?;
    assert_eq!(session.update(grows.id(), more()).await?.content(), "abb");
    let regretted = session.send_message("Oops").await?;
    assert_eq!(session.retract(regretted.id()).await?.draft().status, Status::Retracted);
    session.retract(regretted.id()).await?;
    session.send_messages(vec!["Two".into(), "at once".into()]).await?;
    session.heartbeat().await?;
    session.end(EndOutcome::Done).await
}

/// The session as it is stored, without what differs from run to run.
async fn told(session: &Session) -> String {
    let info = session.info().await.unwrap();
    let mut told = format!("{}: {} ({}), {} messages\n", info.agent, info.title, info.state, info.message_count);
    let page =
        session.messages(ListMessages { dev: Some(1), after: Some(0), ..ListMessages::default() }).await.unwrap();
    for entry in page.messages {
        let (message, draft) = (&entry.message, &entry.message.draft);
        let head = format!("{} {} {} r{}", message.seq, draft.role, entry.message_type, message.revision);
        writeln!(
            told,
            "{head} {} by {}: {:?}",
            draft.status,
            draft.sender_name.as_deref().unwrap_or("?"),
            draft.content
        )
        .unwrap();
        if let Some(metadata) = &draft.metadata {
            writeln!(told, "    {}", serde_json::to_string(metadata).unwrap()).unwrap();
        }
    }
    told
}

#[tokio::test]
async fn an_agent_at_work() {
    let server = Server::start();
    let verbatim = Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    assert_eq!(verbatim.me().await.unwrap().kind, "agent");
    let new = NewSession { title: Some("At work".to_owned()), ..NewSession::from("worker") };
    let session = verbatim.create_session(new).await.unwrap();
    work(&session).await.unwrap();
    let told = told(&session).await;
    assert_snapshot!(told);
    let own = verbatim.sessions(api::sessions::ListSessions::default()).await.unwrap();
    assert_eq!((own.total, own.sessions[0].id.as_str()), (1, session.id()));
}

/// Every first answer is lost, so that everything is sent twice; what is stored is the same.
#[tokio::test]
async fn a_lost_answer_doubles_nothing() {
    let server = Server::start();
    let key = server.agent_key();
    let mut both = Vec::new();
    for fate in [Fate::Arrive, Fate::LostOnce] {
        let proxy = proxy::start(server.port, fate);
        let verbatim = Verbatim::connect(&proxy.url, &key).unwrap();
        let new = NewSession { title: Some("At work".to_owned()), ..NewSession::from("worker") };
        let session = verbatim.create_session(new).await.unwrap();
        work(&session).await.unwrap();
        let posts = proxy.heard.try_iter().filter(|line| line.starts_with("POST") || line.starts_with("PATCH")).count();
        both.push((posts, told(&session).await));
    }
    assert_eq!(both[0].1, both[1].1);
    assert_eq!(both[0].0 * 2, both[1].0, "each of them was sent twice");
}

/// A person's message comes once: with the answer to a post, or by waiting.
#[tokio::test]
async fn what_people_write_comes_once() {
    let server = Server::start();
    let (key, cookie) = (server.agent_key(), server.cookie());
    let proxy = proxy::start(server.port, Fate::LostOnce);
    let session = Verbatim::connect(&proxy.url, &key).unwrap().create_session("listener").await.unwrap();
    let path = format!("/v1/sessions/{}", session.id());
    let says = |text: &str| {
        let made = server.as_owner(&cookie, "POST", &format!("{path}/messages"), &json!({ "content": text }));
        assert_eq!(made.status, 201, "{}", made.text());
    };
    let texts = |messages: &[sdk::Message]| messages.iter().map(sdk::Message::text).collect::<Vec<_>>();

    let item = TodoItem { id: "1".to_owned(), content: "Sow".to_owned(), status: TodoStatus::Pending };
    session.send_todo(vec![item]).await.unwrap();
    says("one");
    let sent = session.send_message("Listening").await.unwrap();
    assert_eq!(texts(&sent.queued_user_messages), ["one"]);
    assert!(session.pending(Duration::ZERO).await.unwrap().is_empty(), "it was given");

    says("two");
    says("three");
    let tick = json!({"id": "1", "status": "completed"});
    assert_eq!(server.as_owner(&cookie, "POST", &format!("{path}/ticks"), &tick).status, 201);
    let pending = session.pending(Duration::from_secs(30)).await.unwrap();
    assert_eq!(texts(&pending), ["two", "three", "Ticked: Sow"]);
    let Body::Todo(ticked) = pending[2].body() else { panic!("{pending:?}") };
    assert_eq!(ticked.todos[0].status, TodoStatus::Completed);
    assert!(session.send_message("Heard").await.unwrap().queued_user_messages.is_empty());

    // Who starts again goes on where the last one was, or where it knows that it was.
    says("four");
    let verbatim = Verbatim::connect(&server.origin(), &key).unwrap();
    assert_eq!(texts(&verbatim.session(session.id()).pending(Duration::ZERO).await.unwrap()), ["four"]);
    let from_two = verbatim.session(session.id()).after(pending[0].seq());
    assert_eq!(texts(&from_two.pending(Duration::ZERO).await.unwrap()), ["three", "Ticked: Sow", "four"]);
    assert_eq!(texts(&session.pending(Duration::ZERO).await.unwrap()), ["four"], "this one had not got it");
}

#[tokio::test]
async fn errors_have_types() {
    let server = Server::start();
    let key = server.agent_key();
    let verbatim = Verbatim::connect(&server.origin(), &key).unwrap();
    let session = verbatim.create_session("bot").await.unwrap();
    let mut seen = String::new();
    let mut see = |what: &str, error: Error| {
        let variant = format!("{error:?}").split('(').next().unwrap().to_owned();
        let text = error.to_string().replace(&server.origin(), "[server]").replace('\n', " / ");
        writeln!(seen, "{what}: {variant}: {text}").unwrap();
    };
    see("a session that is not there", verbatim.session("nobody").send_message("x").await.unwrap_err());
    see("nothing to say", session.send_message(PostMessage::default()).await.unwrap_err());
    let host = PostMessage { role: Some(sdk::Role::Host), ..PostMessage::from("x") };
    see("as the host", session.send_message(host).await.unwrap_err());
    see("an empty diff", session.send_code_edit(Vec::new()).await.unwrap_err());
    let mine = |text: &str| PostMessage { id: Some("mine".to_owned()), ..PostMessage::from(text) };
    assert!(!session.send_message(mine("one")).await.unwrap().replayed);
    assert!(session.send_message(mine("one")).await.unwrap().replayed);
    see("an id in use", session.send_message(mine("two")).await.unwrap_err());
    let old = UpdateMessage { content: Some("x".to_owned()), if_match: Some(7), ..UpdateMessage::default() };
    see("another revision", session.update("mine", old).await.unwrap_err());
    let wrong = Verbatim::connect(&server.origin(), "vbt_wrong").unwrap();
    see("a wrong key", wrong.me().await.unwrap_err());
    let gone = Verbatim::connect("http://127.0.0.1:1", &key).unwrap().patience(Duration::ZERO);
    see("nobody there", gone.me().await.unwrap_err());
    let alone = blocking::Verbatim::connect(&server.origin(), &key).unwrap();
    see("blocking within a runtime", alone.me().unwrap_err());
    // A runtime can't be dropped within another one.
    std::thread::spawn(move || drop(alone)).join().unwrap();
    assert_snapshot!(seen);
}

/// The blocking client does the same.
#[test]
fn without_a_runtime() {
    let server = Server::start();
    let verbatim = blocking::Verbatim::connect(&server.origin(), &server.agent_key()).unwrap();
    let session = verbatim.create_session("bot").unwrap();
    let start = session.messages(ListMessages::default()).unwrap().cursor;
    let mut streaming = session.stream_message().unwrap();
    streaming.append("One").unwrap();
    assert_eq!(streaming.finish().unwrap().content(), "One");
    let cookie = server.cookie();
    let question = session.question("Which?").unwrap();
    let path = format!("/v1/sessions/{}/messages", session.id());
    assert_eq!(server.as_owner(&cookie, "POST", &path, &json!({"content": "That"})).status, 201);
    assert_eq!(question.answer().unwrap().text(), "That");
    session.send_message("Thanks").unwrap();
    let messages = session.watch(Some(start)).map(|event| event.unwrap().change.to_seq).filter(|seq| *seq > 0);
    let mut seqs: Vec<i64> = messages.take_while(|seq| *seq < 4).collect();
    seqs.dedup();
    assert_eq!(seqs, [1, 2, 3]);
    session.end(EndOutcome::Failed).unwrap();
    assert_eq!(session.info().unwrap().state.as_str(), "failed");
}
