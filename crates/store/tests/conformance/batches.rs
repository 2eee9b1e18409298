//! The effect of a batch: rows that it adds, changes and leaves alone.

use crate::support::{NOW, ago, batch, by, bytes, engines, message, message_id, record, session, session_id};
use model::policy::Display;
use model::{Micros, Part, Role};
use serde_json::json;
use store::{
    Batch, Count, FeedKind, FeedRow, HiddenRow, MessageQuery, Range, Replaced, Rewind, SearchQuery, StoreError, Written,
};

#[tokio::test]
async fn a_message_reads_as_it_was_written() {
    for engine in engines().await {
        let mut upsert = by(Role::User, "a", "m1", "a\0b \u{1f980} \"quoted\"");
        upsert.draft.sender = "tui\0user".to_owned();
        upsert.draft.sender_name = Some("Ada".to_owned());
        upsert.draft.requires_user_input = true;
        upsert.draft.metadata = json!({"z": 1, "a": {"nul": "x\0y", "deep": [null, 1.5]}}).as_object().cloned();
        upsert.draft.call_id = Some("call\0".to_owned());
        upsert.draft.reply_to = Some(message_id("m0"));
        upsert.draft.origin.branch = Some("main".to_owned());
        upsert.display = Display::Collapsed;
        upsert.records = vec![record("file", 0, 3), record("file", 5, 2)];
        let mut write = batch(vec![session("a")], vec![upsert.clone()]);
        write.source = Some(bytes("file", 0, b"0123456789"));
        engine.workspace.write_batch(write).await.unwrap();

        let id = session_id("s-a");
        let stored = engine.workspace.message(&id, &message_id("m1")).await.unwrap().unwrap();
        assert_eq!(stored.message.draft, upsert.draft);
        assert_eq!(stored.message.records, upsert.records);
        assert_eq!(
            (stored.message.seq, stored.message.revision, stored.message.received_at, stored.display, stored.copied),
            (1, 1, NOW, Display::Collapsed, false)
        );
        assert_eq!(engine.workspace.message_at(&id, 1).await.unwrap().unwrap(), stored);
        assert_eq!(engine.workspace.message_at(&id, 2).await.unwrap(), None);
        assert_eq!(engine.workspace.message(&id, &message_id("m2")).await.unwrap(), None);
        assert_eq!(engine.store.workspace("other").message_at(&id, 1).await.unwrap(), None);
    }
}

#[tokio::test]
async fn importing_again_adds_nothing() {
    for engine in engines().await {
        let write = batch(vec![session("a")], vec![message("a", "m1", "one"), message("a", "m2", "two")]);
        let first = engine.workspace.write_batch(write.clone()).await.unwrap();
        assert_eq!(first, Written { messages_added: 2, sessions_added: 1, pos: 1, ..Written::default() });
        let before = engine.workspace.session(&session_id("s-a"), NOW).await.unwrap();
        let again = engine.workspace.write_batch(write).await.unwrap();
        assert_eq!(again, Written { pos: 1, ..Written::default() });
        assert_eq!(engine.workspace.session(&session_id("s-a"), NOW).await.unwrap(), before);
        assert_eq!(before.unwrap().message_count, 2);
    }
}

#[tokio::test]
async fn changed_content_raises_the_revision_and_keeps_the_place() {
    for engine in engines().await {
        let id = session_id("s-a");
        let old = vec![message("a", "m1", "apple"), message("a", "m2", "pear")];
        engine.workspace.write_batch(batch(vec![session("a")], old)).await.unwrap();
        let mut new = message("a", "m1", "plum");
        new.display = Display::Dev;
        let written = engine
            .workspace
            .write_batch(batch(vec![session("a")], vec![new, message("a", "m3", "fig")]))
            .await
            .unwrap();
        assert_eq!((written.messages_added, written.messages_changed), (1, 1));
        let feed = engine.workspace.feed_after(1, 10).await.unwrap();
        let rows: Vec<_> = feed.iter().map(|entry| (entry.row.kind, entry.row.from_seq, entry.row.to_seq)).collect();
        assert_eq!(rows, [(FeedKind::Range, 3, 3), (FeedKind::Message, 1, 1)]);

        let stored = engine.workspace.message_at(&id, 1).await.unwrap().unwrap();
        assert_eq!(
            (stored.message.revision, stored.message.draft.content.as_str(), stored.display),
            (2, "plum", Display::Dev)
        );
        assert_eq!(engine.workspace.session(&id, NOW).await.unwrap().unwrap().message_count, 2);
        for (word, hits) in [("apple", 0), ("plum", 1), ("pear", 1)] {
            let query = SearchQuery { text: word.to_owned(), limit: 5, ..SearchQuery::default() };
            assert_eq!(engine.workspace.search(&query).await.unwrap().total, hits, "{word}");
        }
        assert_eq!(engine.workspace.counts(&id).await.unwrap(), [count(Display::Shown, 2), count(Display::Dev, 1)]);
    }
}

#[tokio::test]
async fn a_message_that_grows_within_a_batch_is_one_message() {
    for engine in engines().await {
        let mut first = message("a", "m1", "call");
        first.records = vec![record("file", 0, 2)];
        let mut second = message("a", "m1", "call and result");
        second.records = vec![record("file", 4, 2)];
        let mut write = batch(vec![session("a")], vec![first, message("a", "m2", "between"), second]);
        write.source = Some(bytes("file", 0, b"0123456789"));
        let written = engine.workspace.write_batch(write).await.unwrap();
        assert_eq!((written.messages_added, written.messages_changed), (2, 0));
        let stored = engine.workspace.message_at(&session_id("s-a"), 1).await.unwrap().unwrap();
        assert_eq!(stored.message.draft.content, "call and result");
        assert_eq!(stored.message.records, [record("file", 0, 2), record("file", 4, 2)]);
        assert_eq!(stored.message.revision, 1);
    }
}

#[tokio::test]
async fn an_equal_message_merges_its_records() {
    for engine in engines().await {
        let mut one = message("a", "m1", "same");
        one.records = vec![record("file", 0, 2)];
        let mut write = batch(vec![session("a")], vec![one.clone()]);
        write.source = Some(bytes("file", 0, b"0123456789"));
        engine.workspace.write_batch(write).await.unwrap();
        one.records = vec![record("file", 0, 2), record("file", 7, 3)];
        let written = engine.workspace.write_batch(batch(vec![session("a")], vec![one.clone()])).await.unwrap();
        assert_eq!(written.messages_changed, 0);
        let stored = engine.workspace.message_at(&session_id("s-a"), 1).await.unwrap().unwrap();
        assert_eq!((stored.message.records, stored.message.revision), (one.records, 1));
    }
}

#[tokio::test]
async fn what_a_batch_does_not_name_is_refused_as_a_whole() {
    for engine in engines().await {
        let mut dangling = message("a", "m1", "one");
        dangling.records = vec![record("nowhere", 0, 1)];
        for write in
            [batch(vec![session("a")], vec![message("b", "m1", "one")]), batch(vec![session("a")], vec![dangling])]
        {
            let error = engine.workspace.write_batch(write).await.unwrap_err();
            assert!(matches!(error, StoreError::Unknown(_)), "{error}");
        }
        assert_eq!(engine.workspace.session(&session_id("s-a"), NOW).await.unwrap(), None);
        assert_eq!(engine.workspace.feed_pos().await.unwrap(), 0);
    }
}

#[tokio::test]
async fn the_feed_tells_of_each_commit_and_carries_the_newest_state() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        workspace
            .write_batch(batch(vec![session("a")], vec![message("a", "m1", "1"), message("a", "m2", "2")]))
            .await
            .unwrap();
        workspace.write_batch(batch(vec![session("a")], vec![message("a", "m2", "2b")])).await.unwrap();
        workspace.write_batch(batch(vec![session("a")], vec![message("a", "m2", "2c")])).await.unwrap();
        let mut named = session("a");
        named.facts.title = Some("Name".to_owned());
        let last = workspace.write_batch(batch(vec![named], Vec::new())).await.unwrap();
        let row = |pos, kind, from_seq, to_seq, revision| FeedRow {
            pos,
            kind,
            session_id: session_id("s-a"),
            from_seq,
            to_seq,
            revision,
        };
        let all =
            [row(1, FeedKind::Range, 1, 2, 0), row(3, FeedKind::Message, 2, 2, 3), row(4, FeedKind::Session, 0, 0, 0)];
        let rows = async |after, limit| -> Vec<FeedRow> {
            workspace.feed_after(after, limit).await.unwrap().into_iter().map(|entry| entry.row).collect()
        };
        assert_eq!(rows(0, 10).await, all);
        assert_eq!(rows(1, 1).await, all[1..2]);
        let counts = workspace.feed_after(3, 1).await.unwrap()[0].counts.unwrap();
        assert_eq!((counts.last_seq, counts.messages, counts.approvals_open), (2, 2, 0));
        assert_eq!(workspace.feed_pos().await.unwrap(), last.pos);
        assert_eq!(engine.store.workspace("other").feed_after(0, 10).await.unwrap(), []);
    }
}

#[tokio::test]
async fn hidden_rows_are_light_and_replaced_calls_stay_out_of_sight() {
    for engine in engines().await {
        let id = session_id("s-a");
        let mut thought = by(Role::Model, "a", "m1", "hm");
        thought.display = Display::Dev;
        let mut call = message("a", "m2", "Edit");
        call.draft.part = Part::Replaced;
        let mut card = message("a", "m3", "diff");
        card.draft.part = Part::Derived;
        let mut again = by(Role::Model, "a", "m4", "so");
        (again.display, again.draft.created_at) = (Display::Dev, ago(588));
        engine.workspace.write_batch(batch(vec![session("a")], vec![thought, call, card, again])).await.unwrap();
        let hidden = HiddenRow {
            seq: 1,
            role: Role::Model,
            sender: "bot".to_owned(),
            message_type: "TEXT".to_owned(),
            part: Part::Whole,
            took: None,
            compacted_from: None,
        };
        // It began when the card had been written.
        let longer = HiddenRow { seq: 4, took: Some(Micros(12 * Micros::SECOND)), ..hidden.clone() };
        assert_eq!(engine.workspace.hidden(&id, 1, 4).await.unwrap(), [hidden.clone(), longer]);
        assert_eq!(engine.workspace.hidden(&id, 2, 3).await.unwrap(), []);
        let mut query = MessageQuery::new(Range::Last(10));
        assert_eq!(seqs(&engine, &query).await, [1, 3, 4]);
        query.replaced = Replaced::With;
        assert_eq!(seqs(&engine, &query).await, [1, 2, 3, 4]);
        assert_eq!(engine.workspace.session(&id, NOW).await.unwrap().unwrap().message_count, 1);
        // A call's row says when it began; what its agent says of the thought holds.
        let mut run = message("a", "m5", "Run");
        run.draft.metadata = json!({ "message_type": "TOOL_CALL", "payload": {} }).as_object().cloned();
        let mut unknown = by(Role::Model, "a", "m6", "hm");
        (unknown.display, unknown.draft.created_at) = (Display::Dev, ago(500));
        let mut told = by(Role::Model, "a", "m7", "so");
        told.display = Display::Dev;
        told.draft.metadata = json!({ "duration_ms": 2500 }).as_object().cloned();
        engine.workspace.write_batch(batch(vec![session("a")], vec![run, unknown, told])).await.unwrap();
        let unknown = HiddenRow { seq: 6, ..hidden.clone() };
        let told = HiddenRow { seq: 7, took: Some(Micros(2_500_000)), ..hidden };
        assert_eq!(engine.workspace.hidden(&id, 5, 7).await.unwrap(), [unknown, told]);
    }
}

async fn seqs(engine: &crate::support::Engine, query: &MessageQuery) -> Vec<i64> {
    let messages = engine.workspace.messages(&session_id("s-a"), query).await.unwrap();
    messages.into_iter().map(|stored| stored.message.seq).collect()
}

fn count(display: Display, count: u64) -> Count {
    let display = Some(display);
    Count { role: Role::Assistant, message_type: "TEXT".to_owned(), display, part: Part::Whole, count }
}

#[tokio::test]
async fn a_session_without_times_was_made_when_it_came() {
    for engine in engines().await {
        let mut timeless = message("a", "m1", "one");
        timeless.draft.created_at = Micros(0);
        engine.workspace.write_batch(batch(vec![session("a")], vec![timeless])).await.unwrap();
        let stored = engine.workspace.session(&session_id("s-a"), NOW).await.unwrap().unwrap();
        assert_eq!((stored.created_at, stored.last_activity_at), (NOW, Micros(0)));
    }
}

#[tokio::test]
async fn what_was_left_behind_is_marked_and_what_holds_again_is_not() {
    for engine in engines().await {
        let messages = ["m1", "m2", "m3", "m4"].map(|id| message("a", id, id)).to_vec();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let rewind = async |from: &str, before: &str, left| {
            let rewind =
                Rewind { session_key: "a".to_owned(), from: message_id(from), before: message_id(before), left };
            let write = Batch { rewinds: vec![rewind], ..batch(vec![session("a")], Vec::new()) };
            engine.workspace.write_batch(write).await.unwrap().messages_changed
        };
        let marked = async || {
            let all = MessageQuery::new(Range::After(0, 10));
            let stored = engine.workspace.messages(&session_id("s-a"), &all).await.unwrap();
            let marks = stored.iter().map(|stored| (stored.message.draft.left_behind, stored.message.revision));
            marks.collect::<Vec<_>>()
        };
        assert_eq!(rewind("m2", "m4", true).await, 2);
        assert_eq!(marked().await, [(false, 1), (true, 2), (true, 2), (false, 1)]);
        assert_eq!(rewind("m2", "m4", true).await, 0, "it is no news");
        assert_eq!(rewind("m3", "m4", false).await, 1);
        assert_eq!(marked().await, [(false, 1), (true, 2), (false, 3), (false, 1)]);
        assert_eq!(rewind("m1", "elsewhere", true).await, 0);
    }
}
