//! The columns of a session, and the searches that find it.

use crate::support::{Engine, NOW, ago, batch, by, engines, message, message_id, session, session_id};
use model::message_type::todo::TodoProgress;
use model::{Micros, Role, Run, RunOutcome, SessionFacts, SessionState, Usage};
use serde_json::json;
use store::{Archived, Batch, Facet, LiveEdit, LiveWrite, Parents, Retraction, RunUpsert, SessionFilter, Sight};

async fn ids(engine: &Engine, filter: &SessionFilter) -> Vec<String> {
    let page = engine.workspace.sessions(filter).await.unwrap();
    page.items.into_iter().map(|session| session.id.as_str().to_owned()).collect()
}

#[tokio::test]
async fn facts_add_up_and_later_ones_win() {
    for engine in engines().await {
        let id = session_id("s-a");
        let mut upsert = session("a");
        engine.workspace.write_batch(batch(vec![upsert.clone()], Vec::new())).await.unwrap();
        assert_eq!(engine.workspace.session(&id, NOW).await.unwrap().unwrap().title, "Nothing was said");
        upsert.facts.first_prompt = Some("/clear".to_owned());
        engine.workspace.write_batch(batch(vec![upsert.clone()], Vec::new())).await.unwrap();
        upsert.facts.first_prompt = Some("fix it".to_owned());
        upsert.facts.first_at = Some(ago(500));
        upsert.facts.branch = Some("main".to_owned());
        engine.workspace.write_batch(batch(vec![upsert.clone()], Vec::new())).await.unwrap();
        assert_eq!(engine.workspace.session(&id, NOW).await.unwrap().unwrap().title, "fix it");
        upsert.facts = SessionFacts {
            title: Some("A title".to_owned()),
            first_prompt: Some("second prompt".to_owned()),
            project: Some("  ".to_owned()),
            branch: Some("topic".to_owned()),
            last_at: Some(ago(400)),
            todos: Some(TodoProgress { open: 2, done: 4, cancelled: 1 }),
            ..SessionFacts::default()
        };
        engine.workspace.write_batch(batch(vec![upsert], Vec::new())).await.unwrap();
        let stored = engine.workspace.session(&id, NOW).await.unwrap().unwrap();
        assert_eq!((stored.title.as_str(), stored.project.as_str()), ("A title", "/work/demo"));
        assert_eq!(stored.branch.as_deref(), Some("topic"));
        assert_eq!((stored.created_at, stored.last_activity_at), (ago(500), ago(400)));
        assert_eq!(stored.todos(), TodoProgress { open: 2, done: 4, cancelled: 1 });
        assert_eq!((stored.message_count, stored.last_seq, stored.usage), (0, 0, Usage::default()));
    }
}

#[tokio::test]
async fn what_has_no_time_is_last() {
    for engine in engines().await {
        let mut undated = message("b", "m2", "whenever");
        undated.draft.created_at = Micros(0);
        let messages = vec![message("a", "m1", "long ago"), undated];
        engine.workspace.write_batch(batch(vec![session("a"), session("b")], messages)).await.unwrap();
        assert_eq!(ids(&engine, &SessionFilter::new(NOW, 10)).await, ["s-a", "s-b"]);
        let undated = engine.workspace.session(&session_id("s-b"), NOW).await.unwrap().unwrap();
        assert_eq!((undated.last_activity_at, undated.state), (Micros(0), SessionState::Idle));
    }
}

#[tokio::test]
async fn the_state_follows_runs_and_questions() {
    for engine in engines().await {
        let id = session_id("s-a");
        let state = async |now: Micros| engine.workspace.session(&id, now).await.unwrap().unwrap().state;
        let write = async |messages, outcome| {
            let run = Run {
                id: "r1".to_owned(),
                model: None,
                started_at: ago(700),
                ended_at: None,
                outcome,
                usage: Usage::default(),
                cost_usd: None,
            };
            let mut write = batch(vec![session("a")], messages);
            write.runs = vec![RunUpsert { session_key: "a".to_owned(), run, spent: Vec::new() }];
            engine.workspace.write_batch(write).await.unwrap();
        };
        write(vec![message("a", "m1", "x")], RunOutcome::Open).await;
        assert_eq!(state(ago(599)).await, SessionState::Working);
        // A file gives no signs of life, so nobody knows that the agent is lost, or that it rests.
        assert_eq!(state(ago(500)).await, SessionState::Quiet);
        assert_eq!(state(NOW).await, SessionState::Quiet);
        write(Vec::new(), RunOutcome::Done).await;
        assert_eq!(state(ago(599)).await, SessionState::Idle);
        write(Vec::new(), RunOutcome::Failed).await;
        assert_eq!(state(NOW).await, SessionState::Failed);

        let mut question = message("a", "m2", "?");
        question.draft.requires_user_input = true;
        write(vec![question], RunOutcome::Done).await;
        assert_eq!(state(NOW).await, SessionState::NeedsYou);
        write(vec![by(Role::User, "a", "m3", "yes")], RunOutcome::Done).await;
        assert_eq!(state(NOW).await, SessionState::Idle);

        for (approval, expected) in [("open", SessionState::NeedsYou), ("denied", SessionState::Idle)] {
            let mut upsert = message("a", "m4", "may I");
            upsert.draft.metadata = json!({"message_type": "APPROVAL", "version": 1, "payload": {
                    "kind": "permission", "title": "Prune", "questions": [], "state": approval}})
            .as_object()
            .cloned();
            write(vec![upsert], RunOutcome::Done).await;
            assert_eq!(state(NOW).await, expected, "{approval}");
        }
    }
}

/// The question before one that was taken back is still open.
#[tokio::test]
async fn of_two_questions_one_is_taken_back() {
    for engine in engines().await {
        let asks = |id: &str, asks| {
            let mut question = message("a", id, "?");
            question.draft.requires_user_input = asks;
            question
        };
        let all = ["m1", "m2", "m3", "m4"].map(|id| asks(id, true)).to_vec();
        engine.workspace.write_batch(batch(vec![session("a")], all)).await.unwrap();
        let id = session_id("s-a");
        let needs = async || {
            let state = engine.workspace.session(&id, NOW).await.unwrap().unwrap().state;
            state == SessionState::NeedsYou
        };
        let retract = async |id: &str| {
            let retraction = Retraction { agent: "demo".to_owned(), session_key: "a".to_owned(), id: message_id(id) };
            let batch = Batch { retractions: vec![retraction], now: NOW, ..Batch::default() };
            engine.workspace.write_batch(batch).await.unwrap();
        };
        let change = async |id: &str| {
            engine.workspace.write_batch(batch(vec![session("a")], vec![asks(id, false)])).await.unwrap();
        };
        retract("m4").await;
        assert!(needs().await);
        change("m3").await;
        assert!(needs().await);
        retract("m1").await;
        assert!(needs().await);
        change("m2").await;
        assert!(!needs().await);
    }
}

#[tokio::test]
async fn lists_are_filtered() {
    for engine in engines().await {
        let mut first = session("first-key");
        first.facts.title = Some("Fix 100% of it".to_owned());
        first.facts.last_at = Some(ago(100));
        first.facts.branch = Some("main".to_owned());
        first.facts.model = Some("large".to_owned());
        let mut second = session("second-key");
        second.agent = "other".to_owned();
        second.facts.project = Some("/work/else".to_owned());
        second.facts.last_at = Some(ago(50));
        let mut child = session("child");
        child.parent_key = Some("first-key".to_owned());
        child.facts.last_at = Some(ago(10));
        engine.workspace.write_batch(batch(vec![first, second, child], Vec::new())).await.unwrap();

        let all = SessionFilter::new(NOW, 10);
        let text = |text: &str| SessionFilter { text: Some(text.to_owned()), ..all.clone() };
        let (one, two) = ("s-first-key", "s-second-key");
        let cases: Vec<(SessionFilter, Vec<&str>)> = vec![
            (all.clone(), vec![two, one]),
            (SessionFilter { parents: Parents::AndChildren, ..all.clone() }, vec!["s-child", two, one]),
            (SessionFilter { projects: vec!["/work/else".to_owned()], ..all.clone() }, vec![two]),
            (SessionFilter { agents: vec!["demo".to_owned()], ..all.clone() }, vec![one]),
            (SessionFilter { since: Some(ago(60)), ..all.clone() }, vec![two]),
            (SessionFilter { until: Some(ago(60)), ..all.clone() }, vec![one]),
            (SessionFilter { archived: Archived::Only, ..all.clone() }, vec![]),
            (text("FIX"), vec![one]),
            (text("100% fix"), vec![one]),
            (text("1_0"), vec![]),
            (text("else second"), vec![two]),
            (text("!"), vec![]),
        ];
        for (filter, expected) in cases {
            assert_eq!(ids(&engine, &filter).await, expected, "{filter:?}");
        }
    }
}

#[tokio::test]
async fn archived_sessions_leave_the_list_and_come_back() {
    for engine in engines().await {
        let id = session_id("s-a");
        engine.workspace.write_batch(batch(vec![session("a")], Vec::new())).await.unwrap();
        let archive = async |archived_at| {
            let edit = LiveEdit { archived_at: Some(archived_at), ..LiveEdit::new(id.clone()) };
            engine.workspace.write_live(&[LiveWrite::Edit(Box::new(edit))], NOW).await.unwrap();
        };
        archive(Some(NOW)).await;
        assert_eq!(engine.workspace.session(&id, NOW).await.unwrap().unwrap().archived_at, Some(NOW));
        let mut filter = SessionFilter::new(NOW, 10);
        assert!(ids(&engine, &filter).await.is_empty());
        filter.archived = Archived::Only;
        assert_eq!(ids(&engine, &filter).await, ["s-a"]);
        assert_eq!(engine.workspace.facets(&Sight::All).await.unwrap().projects, []);
        // New facts don't bring it back.
        engine.workspace.write_batch(batch(vec![session("a")], vec![message("a", "m1", "x")])).await.unwrap();
        assert_eq!(ids(&engine, &filter).await, ["s-a"]);
        archive(None).await;
        assert!(ids(&engine, &filter).await.is_empty());
    }
}

#[tokio::test]
async fn sessions_are_found_by_the_beginning_of_an_id() {
    for engine in engines().await {
        let sessions = vec![session("abc-1"), session("abc-2"), session("xyz")];
        engine.workspace.write_batch(batch(sessions, Vec::new())).await.unwrap();
        for (prefix, limit, expected) in
            [("abc", 5, 2), ("abc", 1, 1), ("s-abc-2", 5, 1), ("s-", 5, 3), ("%", 5, 0), ("ABC", 5, 0)]
        {
            let found = engine.workspace.find_sessions(prefix, &Sight::All, limit, NOW).await.unwrap();
            assert_eq!(found.len(), expected, "{prefix}");
        }
    }
}

#[tokio::test]
async fn facets_count_what_can_be_chosen() {
    for engine in engines().await {
        let mut child = session("child");
        child.parent_key = Some("a".to_owned());
        let mut other = session("c");
        other.facts.project = Some("/work/else".to_owned());
        let sessions = vec![session("a"), session("b"), other, child, session("silent")];
        let said = ["a", "b", "c", "child"].map(|key| message(key, &format!("m-{key}"), "x"));
        engine.workspace.write_batch(batch(sessions, said.into())).await.unwrap();
        let filter = SessionFilter { spoken: true, ..SessionFilter::new(NOW, 10) };
        assert_eq!(engine.workspace.sessions(&filter).await.unwrap().total, 3);
        let facets = engine.workspace.facets(&Sight::All).await.unwrap();
        let facet = |value: &str, count| Facet { value: value.to_owned(), count };
        assert_eq!(facets.projects, [facet("/work/demo", 2), facet("/work/else", 1)]);
        assert_eq!(facets.agents, [facet("demo", 3)]);
    }
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() {
    for engine in engines().await {
        let other = engine.store.workspace("other");
        let write = batch(vec![session("a")], vec![message("a", "m1", "x")]);
        let mine = engine.workspace.write_batch(write.clone()).await.unwrap();
        let theirs = other.write_batch(write).await.unwrap();
        assert_eq!((mine.messages_added, theirs.messages_added, mine.pos, theirs.pos), (1, 1, 1, 1));
        let stored = other.session(&session_id("s-a"), NOW).await.unwrap().unwrap();
        assert_eq!((stored.forked_from, stored.message_count), (None, 1));
        assert_eq!(engine.store.workspace("third").session(&session_id("s-a"), NOW).await.unwrap(), None);
    }
}
