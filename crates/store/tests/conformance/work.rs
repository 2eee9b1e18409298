//! Unfinished work of an agent that posts by itself: silence means that the agent was lost.

use crate::support::{NOW, engines, message_id, session_id};
use model::message_type::tool_call::ToolState;
use model::policy::Display;
use model::{Body, Draft, Micros, Role, SessionFacts, SessionState, Status};
use serde_json::{Value, json};
use store::{
    Changed, Ended, FeedKind, LiveChange, LiveEdit, LivePost, LiveWrite, NewMessage, NewSession, Origin, Sight,
    SignOfLife, StoredMessage, Sums, Workspace,
};

fn create() -> LiveWrite {
    LiveWrite::Create(Box::new(NewSession {
        id: session_id("s1"),
        agent: "bot".to_owned(),
        key: "own".to_owned(),
        parent_key: None,
        facts: SessionFacts::default(),
        key_id: None,
        create_hash: Some(vec![1]),
        origin: Origin::Posts,
        machine: None,
    }))
}

fn text(role: Role, id: &str, status: Status) -> Draft {
    Draft { status, ..Draft::text(message_id(id), role, "bot", id, NOW) }
}

fn call(id: &str, payload: &Value) -> Draft {
    let mut metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": {"tool_name": "Bash"}});
    metadata["payload"].as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
    let call_id = Some(format!("call-{id}"));
    Draft { call_id, metadata: metadata.as_object().cloned(), ..text(Role::Assistant, id, Status::Final) }
}

fn result(of: &str, status: Status, exit_code: i64) -> Draft {
    let metadata = json!({"message_type": "TEXT", "version": 1, "payload": {"exit_code": exit_code}});
    let draft = text(Role::Tool, &format!("result-{of}"), status);
    Draft { call_id: Some(format!("call-{of}")), metadata: metadata.as_object().cloned(), ..draft }
}

fn new(draft: Draft) -> NewMessage {
    NewMessage {
        body: Body::of(&draft),
        draft,
        display: Display::Shown,
        search_text: None,
        remembered: false,
        files: Vec::new(),
        sums: Sums::default(),
    }
}

fn said(draft: Draft) -> LivePost {
    let hash = draft.id.as_str().as_bytes().to_vec();
    let takes_queue = draft.role != Role::User;
    let mut post = LivePost::new(session_id("s1"), new(draft), hash).unwrap();
    post.takes_queue = takes_queue;
    post
}

fn post(draft: Draft) -> LiveWrite {
    LiveWrite::Post(Box::new(said(draft)))
}

fn update(draft: Draft) -> LiveWrite {
    let message = draft.id.clone();
    let rule = Box::new(move |_: &StoredMessage, _: &[StoredMessage]| {
        Ok(Changed { message: new(draft.clone()), follow_up: None, grows: false, alive: true })
    });
    LiveWrite::Change(Box::new(LiveChange {
        session: session_id("s1"),
        message,
        if_match: None,
        needs_calls: false,
        rule,
        note: None,
    }))
}

fn edit(change: impl Fn(&mut LiveEdit)) -> LiveWrite {
    let mut edit = LiveEdit::new(session_id("s1"));
    change(&mut edit);
    LiveWrite::Edit(Box::new(edit))
}

/// A minute of silence after something at this time.
const SILENCE: i64 = 60 * Micros::SECOND;

/// The state as it is written and after a minute of silence.
async fn states(workspace: &Workspace, writes: Vec<LiveWrite>) -> [&'static str; 2] {
    for answer in workspace.write_live(&writes, NOW).await.unwrap().answers {
        answer.unwrap();
    }
    let state = async |at: i64| -> SessionState {
        workspace.session(&session_id("s1"), Micros(at)).await.unwrap().unwrap().state
    };
    assert_eq!(state(NOW.0 + SILENCE - 1).await, state(NOW.0).await);
    [state(NOW.0).await.as_str(), state(NOW.0 + SILENCE).await.as_str()]
}

#[tokio::test]
async fn silence_over_open_work_is_told_from_silence_after_it() {
    const QUIET: [&str; 2] = ["working", "quiet"];
    const IDLE: [&str; 2] = ["working", "idle"];
    let (streaming, done) = (Status::Streaming, Status::Final);
    let ran = json!({"output": "x"});
    let words = |id: &str| post(text(Role::Assistant, id, done));
    for engine in engines().await {
        let seen = async |writes| states(&engine.workspace, writes).await;
        assert_eq!(seen(vec![create()]).await, IDLE, "nothing is begun");
        assert_eq!(seen(vec![post(call("c1", &json!({})))]).await, QUIET, "a call runs");
        assert_eq!(seen(vec![update(call("c1", &json!({"progress": "half"})))]).await, QUIET);
        assert_eq!(seen(vec![update(call("c1", &ran))]).await, IDLE);
        assert_eq!(seen(vec![update(call("c1", &json!({})))]).await, IDLE, "what is over isn't begun by an update");
        assert_eq!(seen(vec![post(call("c2", &json!({}))), post(call("c3", &ran))]).await, QUIET);
        assert_eq!(seen(vec![words("w1")]).await, IDLE, "final words leave no call open");
        assert_eq!(seen(vec![update(call("c2", &ran))]).await, IDLE);

        assert_eq!(seen(vec![post(text(Role::Assistant, "t1", streaming))]).await, QUIET, "a text is being written");
        assert_eq!(seen(vec![words("w2")]).await, QUIET, "words leave a text open");
        assert_eq!(seen(vec![update(text(Role::Assistant, "t1", Status::Retracted))]).await, IDLE);
        let meanwhile = vec![post(text(Role::Assistant, "t2", streaming)), post(call("c4", &json!({})))];
        assert_eq!(seen(meanwhile).await, QUIET);
        assert_eq!(seen(vec![update(text(Role::Assistant, "t2", done))]).await, QUIET, "what it called meanwhile runs");
        assert_eq!(seen(vec![update(call("c4", &json!({"error": "no"})))]).await, IDLE);
        assert_eq!(seen(vec![post(text(Role::Model, "m1", streaming))]).await, QUIET);
        assert_eq!(seen(vec![update(text(Role::Model, "m1", Status::Error))]).await, IDLE);
        assert_eq!(seen(vec![post(text(Role::User, "u1", streaming))]).await, IDLE, "a person's");

        let mut told = said(call("c5", &json!({})));
        told.tells_results = false;
        assert_eq!(seen(vec![LiveWrite::Post(Box::new(told))]).await, IDLE, "nobody will tell its result");
        let mut asks = text(Role::Assistant, "q1", done);
        asks.requires_user_input = true;
        let asked = vec![post(asks), post(call("c6", &json!({})))];
        assert_eq!(seen(asked).await, ["needs_you", "needs_you"]);
        assert_eq!(seen(vec![post(text(Role::User, "u2", done))]).await, QUIET);
        assert_eq!(seen(vec![create()]).await, IDLE, "who registers again begins anew");

        let began = vec![post(call("c7", &json!({}))), post(text(Role::Assistant, "t3", streaming))];
        assert_eq!(seen(began).await, QUIET);
        assert_eq!(seen(vec![edit(|edit| edit.ended = Some(Ended::Failed))]).await, ["failed", "failed"]);
        assert_eq!(seen(vec![post(text(Role::User, "u3", done))]).await, ["idle", "idle"], "a person speaks");
        assert_eq!(seen(vec![edit(|edit| edit.sign = Some(SignOfLife::Heartbeat))]).await, IDLE);
        assert_eq!(seen(vec![update(text(Role::Assistant, "t3", done)), words("w3")]).await, IDLE);
        assert_eq!(seen(vec![post(call("c8", &json!({})))]).await, ["working", "lost"], "it promised heartbeats");
    }
}

/// An update is a sign of life, too. That the agent is back is told to all, also where only a text goes on.
#[tokio::test]
async fn who_writes_on_is_alive() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let streaming = |content: &str| {
            let mut draft = text(Role::Assistant, "t1", Status::Streaming);
            content.clone_into(&mut draft.content);
            draft
        };
        states(workspace, vec![create(), post(streaming(""))]).await;
        let mut seen = Vec::new();
        for (after, content) in [(90, "One"), (95, "One, two"), (140, "One, two, three")] {
            let (now, message) = (Micros(NOW.0 + after * Micros::SECOND), new(streaming(content)));
            let rule = Box::new(move |_: &StoredMessage, _: &[StoredMessage]| {
                Ok(Changed { message: message.clone(), follow_up: None, grows: true, alive: true })
            });
            let (session, message) = (session_id("s1"), message_id("t1"));
            let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note: None };
            let before = workspace.session(&session_id("s1"), now).await.unwrap().unwrap().state;
            let pos = workspace.feed_pos().await.unwrap();
            workspace.write_live(&[LiveWrite::Change(Box::new(change))], now).await.unwrap();
            let session = workspace.session(&session_id("s1"), now).await.unwrap().unwrap();
            let alive = session.heartbeat_at.unwrap().since(NOW) / Micros::SECOND;
            let kind = workspace.feed_after(pos, 9).await.unwrap()[0].row.kind;
            seen.push(format!("{before} {} {alive} {kind:?}", session.state));
        }
        assert_eq!(seen, ["quiet working 90 Message", "working working 90 Growth", "working working 140 Growth"]);
    }
}

/// A result in a message of its own ends its call, and the call's row is told of anew.
#[tokio::test]
async fn a_result_of_its_own_ends_its_call() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let outcome =
            async |id: &str| workspace.message(&session_id("s1"), &message_id(id)).await.unwrap().unwrap().outcome;
        let told = async |from: i64| {
            let rows = workspace.feed_after(from, 9).await.unwrap();
            rows.iter().map(|entry| (entry.row.kind, entry.row.from_seq, entry.row.revision)).collect::<Vec<_>>()
        };
        let runs = || json!({});
        states(workspace, vec![create(), post(call("c1", &runs())), post(call("c2", &runs()))]).await;
        let before = workspace.feed_pos().await.unwrap();
        assert_eq!(states(workspace, vec![post(result("c1", Status::Final, 0))]).await, ["working", "quiet"]);
        assert_eq!((outcome("c1").await, outcome("c2").await), (Some(ToolState::Done), None));
        assert_eq!(told(before).await, [(FeedKind::Range, 3, 0), (FeedKind::Message, 1, 1)]);
        assert_eq!(states(workspace, vec![post(result("c2", Status::Streaming, 0))]).await, ["working", "quiet"]);
        assert_eq!(outcome("c2").await, None, "it is being written");
        assert_eq!(states(workspace, vec![update(result("c2", Status::Final, 3))]).await, ["working", "idle"]);
        assert_eq!(outcome("c2").await, Some(ToolState::Failed));
        states(workspace, vec![update(call("c2", &json!({"progress": "late"})))]).await;
        assert_eq!(outcome("c2").await, Some(ToolState::Failed), "its own words don't say how it ended");
        assert_eq!(states(workspace, vec![update(result("c2", Status::Retracted, 3))]).await, ["working", "quiet"]);
        assert_eq!(outcome("c2").await, None, "the result was taken back");
        assert_eq!(states(workspace, vec![update(call("c2", &json!({"output": "x"})))]).await, ["working", "idle"]);
        let named = Draft { call_id: Some("c3".to_owned()), ..text(Role::Tool, "r3", Status::Error) };
        let together = vec![LiveWrite::PostAll(vec![said(call("c3", &runs())), said(named)])];
        assert_eq!(states(workspace, together).await, ["working", "idle"]);
        assert_eq!(outcome("c3").await, Some(ToolState::Failed), "named by its message's id");
    }
}

/// A named answer closes the question that it names, plain words whatever is open.
#[tokio::test]
async fn each_question_has_an_answer_of_its_own() {
    let asks = |id: &str| Draft { requires_user_input: true, ..text(Role::Assistant, id, Status::Final) };
    let answers = |id: &str, to: Option<&str>| {
        let reply_to = to.map(message_id);
        post(Draft { reply_to, ..text(Role::User, id, Status::Final) })
    };
    for engine in engines().await {
        let workspace = &engine.workspace;
        let seen = async |writes| {
            let state = states(workspace, writes).await[0];
            let mut asks = workspace.asks(&Sight::All, 9).await.unwrap();
            let asks = workspace.read_next(&mut asks, u64::MAX).await.unwrap();
            let asked: Vec<_> = asks.iter().map(|asked| asked.message.draft.id.as_str()).collect();
            format!("{state} {}", asked.join(","))
        };
        let open = async || {
            let open = workspace.open_asks(&Sight::All, 0, 9).await.unwrap();
            let mut listing = workspace.asked(&open).await.unwrap();
            let read = workspace.read_next(&mut listing, u64::MAX).await.unwrap();
            assert!(open.iter().zip(&read).all(|(ask, read)| ask.seq == read.message.seq));
            read.iter().map(|read| read.message.draft.id.to_string()).collect::<Vec<_>>().join(",")
        };
        assert_eq!(seen(vec![create(), post(asks("q1")), post(asks("q2")), post(asks("q3"))]).await, "needs_you q3");
        assert_eq!(open().await, "q1,q2,q3");
        assert_eq!(seen(vec![answers("u1", Some("q2"))]).await, "needs_you q3");
        assert_eq!(open().await, "q1,q3");
        assert_eq!(seen(vec![answers("u2", Some("q3"))]).await, "needs_you q1");
        assert_eq!(
            seen(vec![update(asks("q3")), update(asks("q2"))]).await,
            "needs_you q1",
            "an update asks nobody again"
        );
        assert_eq!(seen(vec![answers("u3", Some("nothing"))]).await, "needs_you q1");
        assert_eq!(seen(vec![answers("u4", Some("q1"))]).await, "working ");
        assert_eq!(seen(vec![post(asks("q4")), answers("u5", Some("q4")), post(asks("q5"))]).await, "needs_you q5");
        assert_eq!(open().await, "q5");
        assert_eq!(seen(vec![post(asks("q6")), answers("u6", None)]).await, "working ");
        assert_eq!(open().await, "");
        let batch = vec![
            said(asks("q7")),
            said(asks("q8")),
            said(Draft { reply_to: Some(message_id("q8")), ..text(Role::User, "u7", Status::Final) }),
        ];
        assert_eq!(seen(vec![LiveWrite::PostAll(batch)]).await, "needs_you q7");
        let gone = Draft { status: Status::Retracted, ..asks("q7") };
        assert_eq!(seen(vec![update(gone)]).await, "working ");
    }
}
