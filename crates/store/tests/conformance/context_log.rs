//! The context log: what was given, in order, and what a check of it finds.

use crate::audit::Other;
use crate::support::{Engine, NOW, count, engines, message_id, session_id};
use model::policy::Display;
use model::routing::Senders;
use model::run_prompt::{NoticePlacement, RunFormat};
use model::{Body, Draft, Micros, Role, RunOutcome, SessionFacts, Usage};
use store::{
    ContextCheck, FaultReason, GivenRun, LiveBegin, LiveDone, LiveEdit, LiveEndRun, LivePost, LiveWrite, NewMessage,
    NewSession, Origin, Refusal, Store, Sums, Takes,
};

async fn one(engine: &Engine, write: LiveWrite) -> Result<LiveDone, Refusal> {
    engine.workspace.write_live(&[write], NOW).await.unwrap().answers.remove(0)
}

async fn write(engine: &Engine, id: &str, content: &str) {
    let draft = Draft::text(message_id(id), Role::User, "user", content, NOW);
    let body = Body::of(&draft);
    let message = NewMessage {
        draft,
        body,
        display: Display::Shown,
        search_text: None,
        remembered: false,
        files: Vec::new(),
        sums: Sums::default(),
    };
    let mut post = LivePost::new(session_id("s1"), message, content.as_bytes().to_vec()).unwrap();
    post.queued = true;
    one(engine, LiveWrite::Post(Box::new(post))).await.unwrap();
}

fn begin(run: &str, notices: &[&str]) -> LiveBegin {
    LiveBegin {
        session: session_id("s1"),
        run: run.to_owned(),
        format: RunFormat::Text,
        placement: NoticePlacement::SystemPrompt,
        notices: notices.iter().map(|notice| (*notice).to_owned()).collect(),
        takes: Takes::Waiting,
        senders: Senders::default(),
    }
}

async fn begun(engine: &Engine, begin: LiveBegin) -> GivenRun {
    match one(engine, LiveWrite::Begin(Box::new(begin))).await.unwrap() {
        LiveDone::Begun(given) => *given,
        other => panic!("{other:?}"),
    }
}

fn ended(run: &str) -> LiveEndRun {
    LiveEndRun {
        session: session_id("s1"),
        run: run.to_owned(),
        outcome: RunOutcome::Done,
        model: None,
        usage: Usage::default(),
        cost_usd: None,
    }
}

/// Two runs, the second one open.
async fn two_runs(engine: &Engine) {
    let new = NewSession {
        id: session_id("s1"),
        agent: "bot".to_owned(),
        key: "own".to_owned(),
        parent_key: None,
        facts: SessionFacts::default(),
        key_id: None,
        create_hash: Some(vec![1]),
        origin: Origin::Posts,
        machine: None,
    };
    one(engine, LiveWrite::Create(Box::new(new))).await.unwrap();
    write(engine, "m1", "One \u{0} <&>").await;
    begun(engine, begin("r1", &["dirty"])).await;
    let usage = Usage { input: 7, ..Usage::default() };
    let end = LiveEndRun { usage, cost_usd: Some(0.5), ..ended("r1") };
    one(engine, LiveWrite::EndRun(Box::new(end))).await.unwrap();
    write(engine, "m2", "Two").await;
    begun(engine, begin("r2", &[])).await;
}

#[tokio::test]
async fn a_run_is_given_again_from_the_log() {
    for engine in engines().await {
        two_runs(&engine).await;
        let first = begun(&engine, begin("other", &["ignored"])).await;
        assert_eq!((first.id.as_str(), first.resumed, first.after, first.to), ("r2", true, 1, 2));
        let log = engine.workspace.context_log(&session_id("s1"), None, 0, 100).await.unwrap();
        let told: Vec<(i64, &str, &str)> =
            log.iter().map(|entry| (entry.position, entry.run.as_str(), entry.piece.text.as_str())).collect();
        assert_eq!(told, [(1, "r1", "dirty"), (2, "r1", "One \u{0} <&>"), (3, "r2", "Two")]);
        let second = engine.workspace.context_log(&session_id("s1"), Some("r2"), 0, 100).await.unwrap();
        assert_eq!(second.iter().map(|entry| entry.piece.clone()).collect::<Vec<_>>(), first.pieces);
        let session = engine.workspace.session(&session_id("s1"), NOW).await.unwrap().unwrap();
        assert_eq!((session.usage.input, session.cost_usd, session.delivered_seq), (7, Some(0.5), 2));
        let at_work = engine.workspace.sessions_with_runs(NOW).await.unwrap();
        assert_eq!(
            at_work.into_iter().map(|(session, run)| (session.id, run)).collect::<Vec<_>>(),
            [(session_id("s1"), "r2".to_owned())]
        );
    }
}

/// A prompt that joins a run leaves the notices of that run as they are; a run without notices has none.
#[tokio::test]
async fn the_notices_that_a_run_has_are_told_of_its_joining_prompts() {
    for engine in engines().await {
        two_runs(&engine).await;
        one(&engine, LiveWrite::EndRun(Box::new(ended("r2")))).await.unwrap();
        let now = Micros(NOW.0 + 1);
        let notices = async |run: Option<&str>| {
            engine.workspace.notices_given(&session_id("s1"), run, now).await.unwrap().unwrap_or_default()
        };
        let give = async |id: &str, takes: Takes, notices: &[&str]| {
            write(&engine, id, id).await;
            let given = begun(&engine, LiveBegin { takes, ..begin(id, notices) }).await;
            assert!(given.pieces.iter().all(|piece| !piece.text.is_empty()), "{:?}", given.pieces);
        };
        assert_eq!(notices(None).await, "", "the last run had none");
        assert_eq!(notices(Some("r1")).await, "dirty");
        give("m3", Takes::Prompt, &["clean", "deployed"]).await;
        assert_eq!(notices(None).await, "clean\n\ndeployed");
        give("m4", Takes::Joining, &[]).await;
        assert_eq!(
            (notices(None).await, notices(Some("m4")).await),
            (notices(Some("m3")).await, notices(Some("m3")).await)
        );
        give("m5", Takes::Prompt, &[]).await;
        assert_eq!((notices(None).await, notices(Some("m5")).await), (String::new(), String::new()));
        assert_eq!(notices(Some("m3")).await, "clean\n\ndeployed");
        assert_eq!(engine.workspace.notices_given(&session_id("s1"), None, Micros(NOW.0 - 1)).await.unwrap(), None);
        assert_eq!(engine.workspace.check_context_log(&session_id("s1")).await.unwrap().fault, None);
    }
}

/// Gives everything that was said, again and again.
async fn history(engine: &Engine, run: &str) -> i64 {
    let given = begun(engine, LiveBegin { takes: Takes::After(0), ..begin(run, &[]) }).await;
    one(engine, LiveWrite::EndRun(Box::new(ended(run)))).await.unwrap();
    given.logged
}

#[tokio::test]
async fn a_text_is_packed_and_stored_once() {
    for engine in engines().await {
        two_runs(&engine).await;
        one(&engine, LiveWrite::EndRun(Box::new(ended("r2")))).await.unwrap();
        write(&engine, "m3", &"long ".repeat(20_000)).await;
        let costs = [history(&engine, "r3").await, history(&engine, "r4").await];
        assert!(costs[0] > 100_000 && costs[1] < 3_000, "{costs:?}");
        let log = engine.workspace.context_log(&session_id("s1"), None, 0, 100).await.unwrap();
        let of = |run: &'static str| log.iter().filter(move |entry| entry.run == run).map(|entry| entry.piece.clone());
        assert_eq!(of("r3").collect::<Vec<_>>(), of("r4").collect::<Vec<_>>());
        assert!(of("r4").any(|piece| piece.text.len() > 100_000));
        let other = Other::of(&engine).await;
        let rendered = "SELECT CAST(SUM(LENGTH(rendered)) AS TEXT) FROM context_log WHERE session_rid IN (SELECT rid FROM session)";
        assert!(other.text(rendered).await.parse::<i64>().unwrap() < 2_000);
        assert_eq!(engine.workspace.check_context_log(&session_id("s1")).await.unwrap().fault, None);
        let position = log.iter().find(|entry| entry.run == "r4" && entry.piece.seq == Some(3)).unwrap().position;
        let wrong = format!("UPDATE context_log SET same_as = 1 WHERE position = {position}");
        assert_eq!(other.run(&wrong).await, Ok(1));
        let fault = engine.workspace.check_context_log(&session_id("s1")).await.unwrap().fault;
        assert_eq!(fault, Some((position, FaultReason::Changed)));
    }
}

#[tokio::test]
async fn a_log_from_before_texts_were_packed_replays() {
    for engine in engines().await {
        two_runs(&engine).await;
        let before = engine.workspace.context_log(&session_id("s1"), None, 0, 100).await.unwrap();
        engine.store.close().await;
        let other = Other::of(&engine).await;
        // As 0100 found it.
        for sql in [
            "UPDATE context_log SET rendered = SUBSTR(rendered, 2)",
            "DROP INDEX context_log_seq",
            "ALTER TABLE context_log DROP COLUMN same_as",
            "ALTER TABLE run DROP COLUMN omitted_to",
            "DELETE FROM _sqlx_migrations WHERE version = 42",
        ] {
            other.run(sql).await.unwrap();
        }
        let workspace = Store::open(&engine.database).await.unwrap().workspace("default");
        assert_eq!(workspace.context_log(&session_id("s1"), None, 0, 100).await.unwrap(), before);
        assert_eq!(workspace.check_context_log(&session_id("s1")).await.unwrap().fault, None);
    }
}

#[tokio::test]
async fn a_changed_context_log_is_found() {
    for engine in engines().await {
        two_runs(&engine).await;
        let check = async || engine.workspace.check_context_log(&session_id("s1")).await.unwrap();
        let ContextCheck { entries, head, fault } = check().await;
        assert_eq!((entries, head.map(|head| head.len()), fault), (3, Some(64), None));
        let other = Other::of(&engine).await;
        for (sql, fault) in [
            ("UPDATE context_log SET run_id = 'r9' WHERE position = 2", (2, FaultReason::Changed)),
            ("UPDATE context_log SET seq = 9 WHERE position = 1", (1, FaultReason::Changed)),
        ] {
            assert_eq!(other.run(sql).await, Ok(1));
            assert_eq!(check().await.fault, Some(fault));
        }
        assert_eq!(other.run("DELETE FROM context_log WHERE position < 3").await, Ok(2));
        assert_eq!(check().await.fault, Some((3, FaultReason::Missing)));
    }
}

#[tokio::test]
async fn a_session_that_is_deleted_for_good_takes_its_log_with_it() {
    for engine in engines().await {
        two_runs(&engine).await;
        let edit = LiveEdit { deleted_at: Some(Some(NOW)), ..LiveEdit::new(session_id("s1")) };
        one(&engine, LiveWrite::Edit(Box::new(edit))).await.unwrap();
        engine.workspace.forget_deleted(NOW..Micros(NOW.0 + 1), NOW).await.unwrap();
        assert_eq!(count(&engine, "context_log").await, 0);
    }
}
