//! Memories: written with their messages, found on both engines alike, and deleted with them.

use crate::support::{Engine, NOW, batch, by, count, engines, message_id, session, session_id};
use model::{Role, Status};
use store::{Derive, MemoryCounts, MemoryFilter, MessageUpsert, Retraction, StoredVector, Unembedded};

fn said(session: &str, id: &str, content: &str) -> MessageUpsert {
    MessageUpsert { remembered: true, ..by(Role::User, session, id, content) }
}

/// Ids of the messages that hold any of the words, best first.
async fn recalled(engine: &Engine, text: &str, filter: &MemoryFilter) -> Vec<String> {
    let found = engine.workspace.memories_by_words(text, filter, 100, 10).await.unwrap();
    let rids: Vec<i64> = found.into_iter().map(|(rid, _)| rid).collect();
    let memories = engine.workspace.memories(&rids).await.unwrap();
    rids.iter().filter_map(|rid| Some(memories.get(rid)?.message.message.draft.id.to_string())).collect()
}

async fn write(engine: &Engine, messages: Vec<MessageUpsert>) {
    engine.workspace.write_batch(batch(vec![session("a"), session("b")], messages)).await.unwrap();
}

fn all() -> MemoryFilter {
    MemoryFilter::default()
}

#[tokio::test]
async fn memories_are_found_by_any_word_and_rare_words_weigh_more() {
    for engine in engines().await {
        let mut messages: Vec<MessageUpsert> =
            (0..30).map(|n| said("a", &format!("m{n}"), &format!("the server number {n}"))).collect();
        messages.push(said("a", "port", "The server listens on port 8080"));
        messages.push(said("b", "wind", "the wind turns the mill"));
        // Messages that aren't remembered aren't found, whoever wrote them.
        messages.push(by(Role::User, "a", "not", "port 8080 again"));
        messages.push(by(Role::Assistant, "a", "answer", "It is port 8080."));
        write(&engine, messages).await;
        assert_eq!(recalled(&engine, "which port does the server use?", &all()).await[0], "port");
        assert_eq!(recalled(&engine, "mill", &all()).await, ["wind"]);
        assert_eq!(recalled(&engine, "8080", &all()).await, ["port"]);
        assert_eq!(recalled(&engine, "nothing", &all()).await, [""; 0]);
        assert_eq!(recalled(&engine, "?!", &all()).await, [""; 0]);
        let in_b = MemoryFilter { session: Some(session_id("s-b")), ..all() };
        assert_eq!(recalled(&engine, "the server", &in_b).await, ["wind"]);
        let nowhere = MemoryFilter { session: Some(session_id("nobody")), ..all() };
        assert_eq!(recalled(&engine, "the server", &nowhere).await, [""; 0]);
        let elsewhere = MemoryFilter { project: Some("/work/other".to_owned()), ..all() };
        assert_eq!(recalled(&engine, "server", &elsewhere).await, [""; 0]);
        assert_eq!(engine.workspace.memory_counts(&all()).await.unwrap(), MemoryCounts { all: 32, embedded: 0 });
        let newest = engine.workspace.newest_memories(&all(), None, 2).await.unwrap();
        let older = engine.workspace.newest_memories(&all(), Some(newest[1]), 100).await.unwrap();
        assert_eq!((newest.len(), older.len()), (2, 30));
        assert!(newest.iter().all(|rid| older.iter().all(|other| other < rid)));
    }
}

#[tokio::test]
async fn what_is_retracted_changed_or_deleted_leaves_memory() {
    for engine in engines().await {
        write(&engine, vec![said("a", "m1", "red mill"), said("a", "m2", "green mill"), said("b", "m3", "blue mill")])
            .await;
        let retractions =
            vec![Retraction { agent: "demo".to_owned(), session_key: "a".to_owned(), id: message_id("m1") }];
        let retract = store::Batch { sessions: vec![session("a")], retractions, now: NOW, ..store::Batch::default() };
        engine.workspace.write_batch(retract).await.unwrap();
        // One is another text now, and one isn't remembered any more.
        write(&engine, vec![said("a", "m2", "yellow barn")]).await;
        assert_eq!(recalled(&engine, "mill", &all()).await, ["m3"]);
        assert_eq!(recalled(&engine, "barn", &all()).await, ["m2"]);
        let mut silent = by(Role::User, "a", "m2", "yellow barn, again");
        silent.draft.status = Status::Final;
        write(&engine, vec![silent]).await;
        assert_eq!(recalled(&engine, "barn", &all()).await, [""; 0]);
        assert_eq!(count(&engine, "memory").await, 1);
        let edit = store::LiveEdit { deleted_at: Some(Some(NOW)), ..store::LiveEdit::new(session_id("s-b")) };
        engine.workspace.write_live(&[store::LiveWrite::Edit(Box::new(edit))], NOW).await.unwrap();
        assert_eq!(recalled(&engine, "mill", &all()).await, [""; 0]);
        assert_eq!(engine.workspace.memory_counts(&all()).await.unwrap().all, 0);
    }
}

#[tokio::test]
async fn what_is_forgotten_stays_forgotten_with_its_vector() {
    for engine in engines().await {
        write(&engine, vec![said("a", "m1", "red mill"), said("a", "m2", "green mill")]).await;
        embed(&engine, "m", &[1.0, 0.0]).await;
        assert!(engine.workspace.forget_memory(&session_id("s-a"), &message_id("m1"), NOW).await.unwrap());
        assert!(!engine.workspace.forget_memory(&session_id("s-a"), &message_id("m1"), NOW).await.unwrap());
        assert!(!engine.workspace.forget_memory(&session_id("s-a"), &message_id("m9"), NOW).await.unwrap());
        assert_eq!(recalled(&engine, "mill", &all()).await, ["m2"]);
        assert_eq!(engine.workspace.vectors_after("m", 0, 9).await.unwrap().len(), 1);
        // The message is read again, changed: it doesn't come back.
        write(&engine, vec![said("a", "m1", "red mill, again")]).await;
        assert_eq!(recalled(&engine, "mill", &all()).await, ["m2"]);
        assert_eq!(engine.workspace.unembedded(9).await.unwrap(), []);
        assert_eq!(engine.workspace.forget_memories(NOW).await.unwrap(), 1);
        assert_eq!(engine.workspace.memory_counts(&all()).await.unwrap(), MemoryCounts::default());
        assert_eq!(engine.workspace.vectors_after("m", 0, 9).await.unwrap(), []);
    }
}

/// Gives every memory without a vector this one.
async fn embed(engine: &Engine, model: &str, vector: &[f32]) -> Vec<Unembedded> {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    let texts = engine.workspace.unembedded(100).await.unwrap();
    let vectors: Vec<(Unembedded, Vec<u8>)> = texts.iter().map(|text| (text.clone(), bytes.clone())).collect();
    engine.workspace.put_vectors(model, &vectors, NOW).await.unwrap();
    texts
}

#[tokio::test]
async fn vectors_are_of_the_text_and_the_model_that_made_them() {
    for engine in engines().await {
        write(&engine, vec![said("a", "m1", "red mill"), said("a", "m2", "green mill")]).await;
        let texts = embed(&engine, "m", &[0.6, 0.8]).await;
        let words: Vec<&str> = texts.iter().map(|text| text.draft.content.as_str()).collect();
        assert_eq!(words, ["green mill", "red mill"]);
        let stored = engine.workspace.vectors_after("m", 0, 9).await.unwrap();
        let bytes: Vec<u8> = [0.6_f32, 0.8].iter().flat_map(|number| number.to_le_bytes()).collect();
        // Both are of one session.
        let session_rid = stored[0].session_rid;
        let expected =
            |at: usize| StoredVector { no: stored[at].no, rid: texts[at].rid, session_rid, bytes: bytes.clone() };
        assert_eq!(stored, [expected(0), expected(1)]);
        assert!(stored[0].no < stored[1].no);
        assert_eq!(engine.workspace.memory_counts(&all()).await.unwrap(), MemoryCounts { all: 2, embedded: 2 });
        // Another text has no vector until it gets its own, and one that was made of the former text is left out.
        let before = texts.clone();
        write(&engine, vec![said("a", "m1", "red barn")]).await;
        let late: Vec<(Unembedded, Vec<u8>)> = before.into_iter().map(|text| (text, vec![0; 8])).collect();
        engine.workspace.put_vectors("m", &late[1..], NOW).await.unwrap();
        let texts = engine.workspace.unembedded(9).await.unwrap();
        assert_eq!(texts.iter().map(|text| text.draft.content.as_str()).collect::<Vec<_>>(), ["red barn"]);
        embed(&engine, "m", &[1.0, 0.0]).await;
        let later = engine.workspace.vectors_after("m", stored[1].no, 9).await.unwrap();
        assert_eq!(
            later.iter().map(|vector| vector.rid).collect::<Vec<_>>(),
            [texts[0].rid],
            "it has a greater number"
        );
        // Another model makes all of them anew.
        assert_eq!(engine.workspace.adopt_model("m", NOW).await.unwrap(), 0);
        assert_eq!(engine.workspace.adopt_model("n", NOW).await.unwrap(), 2);
        assert_eq!(engine.workspace.unembedded(9).await.unwrap().len(), 2);
        assert_eq!(engine.workspace.vectors_after("m", 0, 9).await.unwrap(), []);
        assert_eq!(engine.workspace.vectors_after("n", 0, 9).await.unwrap(), []);
        assert_eq!(engine.workspace.delete_vectors(NOW).await.unwrap(), 2);
        assert_eq!(engine.workspace.unembedded(9).await.unwrap().len(), 2);
    }
}

/// A store from before there was memory remembers what it holds once its words are written anew.
#[tokio::test]
async fn what_was_stored_before_is_remembered_later() {
    for engine in engines().await {
        write(&engine, vec![by(Role::User, "a", "m1", "red mill"), by(Role::Assistant, "a", "m2", "green mill")]).await;
        engine.workspace.change_meta("words", NOW, |_| (Some("1".to_owned()), None)).await.unwrap();
        let derive = Derive { search_text: |draft, _| Some(draft.content.clone()), files: |_, _| Vec::new() };
        while engine.workspace.renew_words(NOW, derive, |draft| draft.role == Role::User).await.unwrap() {}
        assert_eq!(recalled(&engine, "mill", &all()).await, ["m1"]);
    }
}
