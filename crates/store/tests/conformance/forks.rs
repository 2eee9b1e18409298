//! Files that repeat messages of other files.

use crate::support::Engine;
use crate::support::{NOW, ago, batch, engines, message, session, session_id};
use model::view::FileChange;
use model::{CopyMarks, Micros, Run, RunOutcome, SessionFacts, Spent, Twin, Usage};
use store::{
    FileChanged, FileQuery, MessageQuery, MessageUpsert, Range, RunUpsert, SearchQuery, Sight, stats::StatsQuery,
};

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
    RunUpsert { session_key: session_key.to_owned(), run, spent: Vec::new() }
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
        let children = engine.workspace.children(&session_id("s-old"), &Sight::All, NOW).await.unwrap();
        assert_eq!(children.len(), 1);
        assert_eq!((&children[0].id, &children[0].parent), (&session_id("s-old/1"), &Some(session_id("s-old"))));
        let parent = engine.workspace.session(&session_id("s-old"), NOW).await.unwrap().unwrap();
        assert_eq!((parent.child_count, parent.parent), (1, None));
    }
}

/// A run whose API messages had so much input each.
fn run_of(session_key: &str, id: &str, is_copy: bool, inputs: &[(&str, i64)]) -> RunUpsert {
    let spent = |(id, input): &(&str, i64)| Spent {
        id: (*id).to_owned(),
        usage: Usage { input: *input, ..Usage::default() },
        cost_usd: Some(0.5),
        is_copy,
        ..Spent::default()
    };
    let spent: Vec<Spent> = inputs.iter().map(spent).collect();
    let usage = Usage { input: inputs.iter().map(|(_, input)| input).sum(), ..Usage::default() };
    let cost_usd = Some(0.5 * inputs.len() as f64);
    RunUpsert { spent, run: Run { usage, cost_usd, ..run("", id, 0).run }, session_key: session_key.to_owned() }
}

fn marked(message: MessageUpsert, is_copy: bool, twin: Option<Twin>) -> MessageUpsert {
    MessageUpsert { marks: CopyMarks { twin, is_copy }, ..message }
}

/// Messages, input, cost and added lines of the sessions with these keys; and of the input also what statistics say.
async fn counted(engine: &Engine, keys: &[&str]) -> (Vec<(i64, i64, f64, i64)>, i64) {
    let mut all = Vec::new();
    for key in keys {
        let session = engine.workspace.session(&session_id(&format!("s-{key}")), NOW).await.unwrap().unwrap();
        all.push((session.message_count, session.usage.input, session.cost_usd.unwrap_or(0.0), session.lines_added));
    }
    let query = StatsQuery { to: Micros(i64::MAX), ..StatsQuery::default() };
    let stats = engine.workspace.stats(&query).await.unwrap();
    (all, stats.spending.iter().map(|spending| spending.usage.input).sum())
}

#[tokio::test]
async fn an_api_message_counts_once_whatever_its_run_is_called() {
    for engine in engines().await {
        let mut old = batch(vec![session("old")], vec![message("old", "m1", "kiwi")]);
        old.runs = vec![run_of("old", "r1", false, &[("a", 100), ("b", 10)])];
        let mut new = batch(vec![session("new")], vec![message("new", "m9", "fig")]);
        // The last message of the run that it repeats is its own.
        new.runs = vec![run_of("new", "r9", false, &[("a", 100), ("b", 10), ("c", 1)])];
        for write in [&old, &new, &old, &new] {
            engine.workspace.write_batch(write.clone()).await.unwrap();
        }
        let expected = vec![(1, 110, 1.0, 0), (1, 1, 0.5, 0)];
        assert_eq!(counted(&engine, &["old", "new"]).await, (expected, 111));
        let shown = engine.workspace.runs(&session_id("s-new")).await.unwrap();
        assert_eq!(shown[0].usage.input, 111, "the run itself is shown whole");
    }
}

#[tokio::test]
async fn a_growing_api_message_is_counted_by_its_last_state() {
    for engine in engines().await {
        for inputs in [&[("a", 1)][..], &[("a", 480)], &[("a", 480), ("b", 20)]] {
            let mut write = batch(vec![session("old")], Vec::new());
            write.runs = vec![run_of("old", "r1", false, inputs)];
            engine.workspace.write_batch(write).await.unwrap();
        }
        assert_eq!(counted(&engine, &["old"]).await, (vec![(0, 500, 1.0, 0)], 500));
    }
}

#[tokio::test]
async fn what_calls_itself_a_copy_counts_until_its_original_comes() {
    for engine in engines().await {
        let edit = |key: &str, is_copy| {
            let mut edit = message(key, "c1~edit~0", "kiwi");
            edit.draft.metadata = serde_json::json!({
                "message_type": "CODE_EDIT", "version": 1, "payload": { "edits": [{ "file_path": "a" }] },
            })
            .as_object()
            .cloned();
            marked(
                MessageUpsert {
                    files: vec![FileChanged {
                        path: "a".to_owned(),
                        change: FileChange::Modified,
                        added: 7,
                        removed: 0,
                    }],
                    ..edit
                },
                is_copy,
                None,
            )
        };
        let copies =
            vec![marked(message("fork", "m1", "kiwi"), true, None), edit("fork", true), message("fork", "m2", "fig")];
        let mut fork = batch(vec![session("fork")], copies);
        fork.runs = vec![run_of("fork", "r1", true, &[("a", 480)]), run_of("fork", "r2", false, &[("b", 20)])];
        engine.workspace.write_batch(fork.clone()).await.unwrap();
        assert_eq!(counted(&engine, &["fork"]).await, (vec![(3, 500, 1.0, 7)], 500), "alone");

        let mut old = batch(vec![session("old")], vec![message("old", "m1", "kiwi"), edit("old", false)]);
        old.runs = vec![run_of("old", "r1", false, &[("a", 480)])];
        for write in [&old, &fork, &old] {
            engine.workspace.write_batch(write.clone()).await.unwrap();
            let expected = vec![(1, 20, 0.5, 0), (2, 480, 0.5, 7)];
            assert_eq!(counted(&engine, &["fork", "old"]).await, (expected, 500));
        }
        let stored = engine.workspace.session(&session_id("s-fork"), NOW).await.unwrap().unwrap();
        assert_eq!(stored.forked_from, Some(session_id("s-old")));
        let query = SearchQuery { text: "kiwi".to_owned(), limit: 10, ..SearchQuery::default() };
        assert_eq!(engine.workspace.search(&query).await.unwrap().total, 2);
        let edits = engine.workspace.file_edits(&FileQuery { limit: 10, ..FileQuery::default() }).await.unwrap().edits;
        let of: Vec<_> = edits.iter().map(|edit| (edit.session_id.as_str(), edit.file.added)).collect();
        assert_eq!(of, [("s-old", 7)]);
    }
}

#[tokio::test]
async fn twins_are_copies_where_an_api_message_proves_it() {
    for engine in engines().await {
        let api = |hash: &str| Some(Twin::ApiMessage(hash.to_owned()));
        let time = |hash: &str| Some(Twin::Time(hash.to_owned()));
        let of = |key: &str, n: i64| {
            vec![
                marked(message(key, &format!("{key}-{n}"), "kiwi"), false, time("t")),
                marked(message(key, &format!("{key}-{}", n + 1), "fig"), false, api("a")),
            ]
        };
        engine.workspace.write_batch(batch(vec![session("old")], of("old", 1))).await.unwrap();
        engine.workspace.write_batch(batch(vec![session("new")], of("new", 1))).await.unwrap();
        // The same words at the same time prove nothing by themselves.
        let other = vec![marked(message("other", "o1", "kiwi"), false, time("t"))];
        engine.workspace.write_batch(batch(vec![session("other")], other)).await.unwrap();
        let counts = counted(&engine, &["old", "new", "other"]).await.0.iter().map(|c| c.0).collect::<Vec<_>>();
        assert_eq!(counts, [2, 0, 1]);
    }
}
