//! Files that repeat messages of other files.

use crate::support::{NOW, ago, batch, engines, message, session, session_id};
use model::{Run, RunOutcome, SessionFacts, Usage};
use store::{MessageQuery, Range, RunUpsert, SearchQuery};

fn run(session_key: &str, id: &str, input: i64) -> RunUpsert {
    let run = Run {
        id: id.to_owned(),
        model: Some("large".to_owned()),
        started_at: ago(900),
        ended_at: Some(ago(800)),
        outcome: RunOutcome::Done,
        usage: Usage { input, output: 1, cache_read: 2, cache_write: 3 },
        cost_usd: Some(0.25),
    };
    RunUpsert { session_key: session_key.to_owned(), run }
}

#[tokio::test]
async fn a_copied_prefix_is_shown_but_counts_where_it_came_from() {
    for engine in engines().await {
        let mut write = batch(vec![session("old")], vec![message("old", "m1", "kiwi"), message("old", "m2", "kiwi")]);
        write.runs = vec![run("old", "r1", 10)];
        engine.workspace.write_batch(write).await.unwrap();
        let messages = vec![message("new", "m1", "kiwi"), message("new", "m2", "kiwi"), message("new", "m3", "kiwi")];
        let mut write = batch(vec![session("new")], messages);
        write.runs = vec![run("new", "r1", 10), run("new", "r2", 5)];
        // Twice: a copy stays a copy.
        engine.workspace.write_batch(write.clone()).await.unwrap();
        engine.workspace.write_batch(write).await.unwrap();

        let id = session_id("s-new");
        let fork = engine.workspace.session(&id, NOW).await.unwrap().unwrap();
        assert_eq!(fork.forked_from, Some(session_id("s-old")));
        assert_eq!((fork.message_count, fork.last_seq, fork.cost_usd), (1, 3, Some(0.25)));
        assert_eq!(fork.usage, Usage { input: 5, output: 1, cache_read: 2, cache_write: 3 });
        let old = engine.workspace.session(&session_id("s-old"), NOW).await.unwrap().unwrap();
        assert_eq!((old.message_count, old.forked_from, old.usage.input), (2, None, 10));
        let shown = engine.workspace.messages(&id, &MessageQuery::new(Range::Last(10))).await.unwrap();
        assert_eq!(shown.iter().map(|stored| stored.copied).collect::<Vec<_>>(), [true, true, false]);
        let query = SearchQuery { text: "kiwi".to_owned(), limit: 10, ..SearchQuery::default() };
        assert_eq!(engine.workspace.search(&query).await.unwrap().total, 3);
        assert_eq!(engine.workspace.runs(&id).await.unwrap(), [run("", "r1", 10).run, run("", "r2", 5).run]);
    }
}

#[tokio::test]
async fn a_fork_of_a_fork_names_the_nearest() {
    for engine in engines().await {
        for (key, ids) in [("a", 1), ("b", 2), ("c", 3)] {
            let messages = (1..=ids).map(|n| message(key, &format!("m{n}"), "x")).collect();
            engine.workspace.write_batch(batch(vec![session(key)], messages)).await.unwrap();
        }
        let fork = engine.workspace.session(&session_id("s-c"), NOW).await.unwrap().unwrap();
        assert_eq!((fork.forked_from, fork.message_count), (Some(session_id("s-b")), 1));
    }
}

#[tokio::test]
async fn children_and_other_agents_are_no_forks() {
    for engine in engines().await {
        let mut child = session("old/1");
        child.parent_key = Some("old".to_owned());
        let mut stranger = session("strange");
        stranger.agent = "other".to_owned();
        let first = batch(vec![child, session("old")], vec![message("old/1", "m1", "x"), message("old", "m1", "x")]);
        engine.workspace.write_batch(first.clone()).await.unwrap();
        engine.workspace.write_batch(first).await.unwrap();
        engine.workspace.write_batch(batch(vec![stranger], vec![message("strange", "m1", "x")])).await.unwrap();
        for id in ["s-old/1", "s-old", "s-strange"] {
            let stored = engine.workspace.session(&session_id(id), NOW).await.unwrap().unwrap();
            assert_eq!((stored.forked_from, stored.message_count), (None, 1), "{id}");
        }
    }
}

#[tokio::test]
async fn a_childs_parent_may_come_later() {
    for engine in engines().await {
        let mut child = session("old/1");
        child.facts = SessionFacts { parent: Some("old".to_owned()), ..child.facts };
        engine.workspace.write_batch(batch(vec![child], Vec::new())).await.unwrap();
        engine.workspace.write_batch(batch(vec![session("old")], Vec::new())).await.unwrap();
        let children = engine.workspace.children(&session_id("s-old"), NOW).await.unwrap();
        assert_eq!(children.len(), 1);
        assert_eq!((&children[0].id, &children[0].parent), (&session_id("s-old/1"), &Some(session_id("s-old"))));
        let parent = engine.workspace.session(&session_id("s-old"), NOW).await.unwrap().unwrap();
        assert_eq!((parent.child_count, parent.parent), (1, None));
    }
}
