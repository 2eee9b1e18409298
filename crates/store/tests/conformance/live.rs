//! Live writes: one transaction for many, an answer for each.

use crate::support::{NOW, engines, message_id, session_id};
use model::policy::Display;
use model::routing::Senders;
use model::{Body, Context, Draft, Micros, Role, SessionFacts, Status};
use store::{
    AgentKey, Changed, Ended, FeedKind, LiveChange, LiveDone, LiveEdit, LivePost, LiveTake, LiveWrite, MessageQuery,
    NewMessage, NewSession, Objection, Origin, Parents, Range, Refusal, SearchQuery, SessionFilter, Sight, SignOfLife,
    Store, StoredMessage, Sums, Usage, Workspace,
};

fn new_session(id: &str, key_id: Option<&str>) -> NewSession {
    NewSession {
        id: session_id(id),
        agent: "bot".to_owned(),
        key: format!("own-{id}"),
        parent_key: None,
        facts: SessionFacts { project: Some("/work/live".to_owned()), ..SessionFacts::default() },
        key_id: key_id.map(str::to_owned),
        create_hash: Some(vec![1]),
        origin: Origin::Posts,
        machine: None,
    }
}

fn text(role: Role, id: &str, content: &str) -> NewMessage {
    let draft = Draft::text(message_id(id), role, "bot", content, NOW);
    let body = Body::of(&draft);
    NewMessage {
        draft,
        body,
        display: Display::Shown,
        search_text: Some(content.to_owned()),
        remembered: false,
        files: Vec::new(),
        sums: Sums::default(),
    }
}

fn take(session: &str, after: Option<i64>, expects: Option<i64>) -> LiveWrite {
    LiveWrite::Take(LiveTake { session: session_id(session), after, expects, limit: 9, senders: Senders::default() })
}

fn post(role: Role, id: &str, content: &str) -> LivePost {
    let mut post = LivePost::new(session_id("s1"), text(role, id, content), content.as_bytes().to_vec()).unwrap();
    post.queued = role == Role::User;
    post.takes_queue = role != Role::User;
    post
}

async fn write(workspace: &Workspace, writes: Vec<LiveWrite>) -> Vec<Result<LiveDone, Refusal>> {
    workspace.write_live(&writes, NOW).await.unwrap().answers
}

async fn one(workspace: &Workspace, write: LiveWrite) -> Result<LiveDone, Refusal> {
    let mut answers = self::write(workspace, vec![write]).await;
    assert_eq!(answers.len(), 1);
    answers.pop().unwrap()
}

/// `seq`, whether it is a replay, and what waited, or why not.
fn told(answer: &Result<LiveDone, Refusal>) -> String {
    match answer {
        Ok(LiveDone::Posted(done)) => {
            let queued: Vec<&str> = done.queued.iter().map(|m| m.message.draft.content.as_str()).collect();
            let replayed = if done.replayed { " again" } else { "" };
            format!("{}{replayed} {queued:?}", done.message.message.seq)
        }
        Ok(LiveDone::Taken(taken)) => contents(taken),
        Ok(LiveDone::Session { id, created }) => format!("{id} {created}"),
        other => format!("{other:?}"),
    }
}

fn contents(messages: &[StoredMessage]) -> String {
    messages.iter().map(|m| m.message.draft.content.as_str()).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn each_write_of_a_batch_has_its_answer() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let boxed = |role, id, content| LiveWrite::Post(Box::new(post(role, id, content)));
        let answers = write(
            workspace,
            vec![
                LiveWrite::Create(Box::new(new_session("s1", Some("key")))),
                LiveWrite::Create(Box::new(new_session("s1", Some("key")))),
                boxed(Role::User, "u1", "Stop at noon"),
                boxed(Role::Assistant, "a1", "Working"),
                boxed(Role::Assistant, "a1", "Working"),
                boxed(Role::Assistant, "a1", "Something else"),
                boxed(Role::Assistant, "a2", "Still working"),
                LiveWrite::PostAll(vec![post(Role::Assistant, "a3", "one"), post(Role::Assistant, "a1", "no")]),
                boxed(Role::User, "u2", "And tidy up"),
                take("s1", None, None),
                take("s1", None, None),
                take("s1", Some(0), None),
                take("s1", None, Some(1)),
                take("nobody", None, None),
            ],
        )
        .await;
        assert_eq!(
            answers.iter().map(told).collect::<Vec<_>>(),
            [
                "s1 true",
                "s1 false",
                "1 []",
                "2 [\"Stop at noon\"]",
                "2 again [\"Stop at noon\"]",
                "Err(Conflict)",
                "3 []",
                "Err(At(1, Conflict))",
                "4 []",
                "And tidy up",
                "",
                "Stop at noon, And tidy up",
                "Err(Rule(Stale, None))",
                "Err(NoSession)",
            ]
        );
        for (other, refusal) in [
            (new_session("s1", None), Refusal::Taken { field: "/id" }),
            (NewSession { create_hash: Some(vec![2]), ..new_session("s1", Some("key")) }, Refusal::Conflict),
            (
                NewSession { id: session_id("s2"), ..new_session("s1", Some("another key")) },
                Refusal::Taken { field: "/agent_session_id" },
            ),
        ] {
            assert_eq!(one(workspace, LiveWrite::Create(Box::new(other))).await, Err(refusal));
        }
        let feed = workspace.feed_after(0, 100).await.unwrap();
        assert!(feed.windows(2).all(|pair| pair[0].row.pos < pair[1].row.pos));
        let queue = workspace.queue(&session_id("s1")).await.unwrap().unwrap();
        assert_eq!((queue.queued_seq, queue.delivered_seq), (4, 4));
    }
}

/// Two answers to one question, in one batch and in two: the first one holds until it is taken back.
#[tokio::test]
async fn a_question_has_one_answer() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let answer = |id: &str| {
            let mut new = text(Role::User, id, id);
            new.draft.reply_to = Some(message_id("q1"));
            let mut post = LivePost::new(session_id("s1"), new, id.as_bytes().to_vec()).unwrap();
            (post.queued, post.answers) = (true, Some(message_id("q1")));
            LiveWrite::Post(Box::new(post))
        };
        let first = vec![
            LiveWrite::Create(Box::new(new_session("s1", None))),
            LiveWrite::Post(Box::new(post(Role::Assistant, "q1", "Which?"))),
            answer("left"),
            answer("right"),
            answer("left"),
        ];
        let mut seen: Vec<Result<LiveDone, Refusal>> = write(workspace, first).await;
        seen.push(one(workspace, answer("late")).await);
        let short = |answer: &Result<LiveDone, Refusal>| match answer {
            Err(Refusal::Rule(Objection::Answered, Some(first))) => {
                format!("answered: {}", first.message.draft.content)
            }
            other => told(other),
        };
        let seen: Vec<String> = seen[2..].iter().map(short).collect();
        assert_eq!(seen, ["2 []", "answered: left", "2 again []", "answered: left"]);
    }
}

#[tokio::test]
async fn a_text_that_goes_on_is_told_as_such_until_it_changes_otherwise() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        one(workspace, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        one(workspace, LiveWrite::Post(Box::new(post(Role::Assistant, "a1", "quince")))).await.unwrap();
        let before = workspace.feed_pos().await.unwrap();
        let mut seen = Vec::new();
        for grows in [true, true, false, true] {
            let rule = Box::new(move |current: &StoredMessage, _: &[StoredMessage]| {
                let content = format!("{} pear", current.message.draft.content);
                let message = text(Role::Assistant, "a1", &content);
                Ok(Changed { message, follow_up: None, grows, alive: false })
            });
            let (session, message) = (session_id("s1"), message_id("a1"));
            let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note: None };
            one(workspace, LiveWrite::Change(Box::new(change))).await.unwrap();
            let rows = workspace.feed_after(before, 9).await.unwrap();
            seen.extend(rows.iter().map(|entry| (entry.row.kind, entry.row.from_seq, entry.row.revision)));
        }
        // Each takes the place of the one before.
        let [growth, message] = [FeedKind::Growth, FeedKind::Message];
        assert_eq!(seen, [(growth, 1, 2), (growth, 1, 3), (message, 1, 4), (growth, 1, 5)]);
    }
}

#[tokio::test]
async fn a_rule_changes_a_message_and_answers_in_one_step() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        one(workspace, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        one(workspace, LiveWrite::Post(Box::new(post(Role::Assistant, "a1", "quince")))).await.unwrap();
        let change = |if_match, follow: bool| {
            LiveWrite::Change(Box::new(LiveChange {
                session: session_id("s1"),
                message: message_id("a1"),
                if_match,
                needs_calls: false,
                note: None,
                rule: Box::new(move |current, _| {
                    if current.message.revision > 2 {
                        return Err(Refusal::Rule(Objection::Decided, None));
                    }
                    let content = format!("{} pear", current.message.draft.content);
                    let mut message = text(Role::Assistant, "a1", &content);
                    message.draft.context = Context::None;
                    let follow_up = follow.then(|| post(Role::User, "u1", "go on"));
                    Ok(Changed { message, follow_up, grows: false, alive: false })
                }),
            }))
        };
        let changed = one(workspace, change(Some(1), true)).await.unwrap();
        let LiveDone::Changed { message, follow_up: Some(follow_up) } = changed else { panic!("{changed:?}") };
        assert_eq!((message.message.revision, &*message.message.draft.content), (2, "quince pear"));
        assert_eq!((follow_up.message.seq, &*follow_up.message.draft.content), (2, "go on"));
        let stored = workspace.message(&session_id("s1"), &message_id("a1")).await.unwrap().unwrap();
        assert_eq!(stored, *message);
        assert_eq!(workspace.message_at(&session_id("s1"), 2).await.unwrap().unwrap(), *follow_up);
        assert!(
            matches!(one(workspace, change(Some(1), false)).await, Err(Refusal::Revision(current)) if *current == stored)
        );
        one(workspace, change(None, false)).await.unwrap();
        assert_eq!(one(workspace, change(None, false)).await, Err(Refusal::Rule(Objection::Decided, None)));
        let query = SearchQuery { text: "pear".to_owned(), limit: 5, ..SearchQuery::default() };
        assert_eq!(workspace.search(&query).await.unwrap().total, 1);
        let queue = workspace.queue(&session_id("s1")).await.unwrap().unwrap();
        assert_eq!((queue.queued_seq, queue.delivered_seq), (2, 1));
    }
}

#[tokio::test]
async fn a_session_is_edited_ended_deleted_and_restored() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let child = NewSession { parent_key: Some("own-s1".to_owned()), ..new_session("s2", None) };
        for new in [new_session("s1", None), child] {
            one(workspace, LiveWrite::Create(Box::new(new))).await.unwrap();
        }
        let edit = |change: &dyn Fn(&mut LiveEdit)| {
            let mut edit = LiveEdit::new(session_id("s1"));
            change(&mut edit);
            LiveWrite::Edit(Box::new(edit))
        };
        let shown = async || {
            let filter = SessionFilter { parents: Parents::AndChildren, ..SessionFilter::new(NOW, 10) };
            let sessions = workspace.sessions(&filter).await.unwrap().items;
            sessions.iter().map(|s| format!("{} {} {}", s.id, s.title, s.state)).collect::<Vec<_>>()
        };
        one(workspace, edit(&|edit| edit.own_title = Some(Some("Mine".to_owned())))).await.unwrap();
        one(workspace, edit(&|edit| edit.ended = Some(Ended::Failed))).await.unwrap();
        assert_eq!(shown().await, ["s2 own-s2 working", "s1 Mine failed"]);
        let pos = workspace.feed_pos().await.unwrap();
        one(workspace, edit(&|edit| edit.deleted_at = Some(Some(NOW)))).await.unwrap();
        assert_eq!(shown().await, Vec::<String>::new(), "with its sub-agent");
        assert!(workspace.feed_pos().await.unwrap() > pos);
        assert_eq!(
            one(workspace, edit(&|edit| edit.sign = Some(SignOfLife::Heartbeat))).await,
            Err(Refusal::Deleted { field: None })
        );
        let said = one(workspace, LiveWrite::Post(Box::new(post(Role::User, "u1", "Hello?")))).await;
        assert_eq!(said, Err(Refusal::Deleted { field: None }));
        one(workspace, edit(&|edit| edit.deleted_at = Some(None))).await.unwrap();
        one(workspace, LiveWrite::Post(Box::new(post(Role::User, "u1", "Go on")))).await.unwrap();
        one(workspace, edit(&|edit| edit.own_title = Some(None))).await.unwrap();
        assert_eq!(shown().await, ["s2 own-s2 working", "s1 own-s1 idle"]);
        let session = workspace.session(&session_id("s1"), NOW).await.unwrap().unwrap();
        assert_eq!((session.registered, session.last_seq, session.message_count), (true, 1, 1));
        assert_eq!(
            workspace.message_at(&session_id("s1"), 1).await.unwrap().unwrap().message.draft.status,
            Status::Final
        );
    }
}

#[tokio::test]
async fn keys_are_kept_touched_and_revoked_once() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let key = AgentKey {
            id: "k1".to_owned(),
            name: "nightly".to_owned(),
            hash: "00".to_owned(),
            scopes: vec!["post".to_owned(), "read".to_owned()],
            created_at: NOW,
            expires_at: Some(Micros(NOW.0 + 1)),
            last_used_at: None,
            revoked_at: None,
            posted: Usage::default(),
            quota: Usage { messages: 7, bytes: 700 },
        };
        workspace.put_agent_key(&key).await.unwrap();
        assert_eq!(workspace.agent_key("k1").await.unwrap(), Some(key.clone()));
        workspace.touch_agent_key("k1", NOW).await.unwrap();
        workspace.count_usage("k1", Usage { messages: 2, bytes: 30 }).await.unwrap();
        let sum = workspace.count_usage("k1", Usage { messages: 1, bytes: 4 }).await.unwrap();
        assert_eq!(sum, Some(Usage { messages: 3, bytes: 34 }));
        assert!(workspace.set_quota("k1", Usage { messages: 9, bytes: 900 }).await.unwrap());
        let before = workspace.credentials().await.unwrap();
        assert!(workspace.revoke_agent_key("k1", NOW).await.unwrap());
        assert!(!workspace.set_quota("k1", Usage::default()).await.unwrap());
        assert!(!workspace.revoke_agent_key("k1", NOW).await.unwrap());
        assert_ne!(workspace.credentials().await.unwrap(), before);
        let after = AgentKey {
            last_used_at: Some(NOW),
            revoked_at: Some(NOW),
            posted: Usage { messages: 3, bytes: 34 },
            quota: Usage { messages: 9, bytes: 900 },
            ..key
        };
        assert_eq!(workspace.agent_keys().await.unwrap(), [after]);
        assert_eq!(workspace.agent_key("k2").await.unwrap(), None);
    }
}

/// Servers on one `PostgreSQL` database wake each other; `SQLite` has one server.
#[tokio::test]
async fn a_ring_is_heard_by_others() {
    for engine in engines().await {
        engine.workspace.ring().await.unwrap();
        match engine.workspace.bell().await {
            Ok(mut bell) => {
                engine.workspace.ring().await.unwrap();
                bell.rung().await.unwrap();
            }
            Err(error) => assert!(matches!(engine.database, store::Database::Sqlite(_)), "{error}"),
        }
    }
}

/// Messages that the agent has read already make no event.
#[tokio::test]
async fn who_asks_again_tells_nobody() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let take = |after| take("s1", after, None);
        one(workspace, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        let say = |id, text| LiveWrite::Post(Box::new(post(Role::User, id, text)));
        write(workspace, vec![say("u1", "One"), say("u2", "Two"), take(None), say("u3", "Three")]).await;
        let pos = workspace.feed_pos().await.unwrap();
        assert_eq!(told(&one(workspace, take(Some(0))).await), "One, Two, Three");
        let rows = workspace.feed_after(pos, 9).await.unwrap();
        let messages = rows.iter().map(|entry| entry.row.from_seq).filter(|seq| *seq > 0).collect::<Vec<_>>();
        assert_eq!(messages, [3]);
    }
}

/// Every session may number its messages alike.
#[tokio::test]
async fn the_same_ids_in_two_sessions() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let say = |session: &str, id: &str, content: &str| {
            let message = text(Role::Assistant, id, content);
            LiveWrite::Post(Box::new(LivePost::new(session_id(session), message, content.into()).unwrap()))
        };
        for session in ["s1", "s2"] {
            one(workspace, LiveWrite::Create(Box::new(new_session(session, None)))).await.unwrap();
        }
        write(workspace, vec![say("s1", "1", "a"), say("s1", "2", "b")]).await;
        let posts = vec![
            say("s2", "2", "c"),
            say("s2", "1", "a"),
            say("s1", "2", "b"),
            say("s1", "3", "d"),
            say("s3", "1", "a"),
        ];
        let answers: Vec<String> = write(workspace, posts).await.iter().map(told).collect();
        assert_eq!(answers, ["1 []", "2 []", "2 again []", "3 []", "Err(NoSession)"]);
    }
}

/// The number of unread messages of a person, counted up to a bound.
#[tokio::test]
async fn what_a_person_has_not_read() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        one(workspace, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        let say = |n: i32| LiveWrite::Post(Box::new(post(Role::Assistant, &format!("a{n}"), "x")));
        write(workspace, (1..=7).map(say).collect()).await;
        let id = session_id("s1");
        let unread = async || {
            let unread = workspace.unread("ada", &Sight::All, 3).await.unwrap();
            unread.into_iter().map(|unread| (unread.seq, unread.unread)).collect::<Vec<_>>()
        };
        assert_eq!(unread().await, []);
        let mark = async |seq| workspace.mark_read("ada", &id, seq, NOW).await.unwrap().is_some();
        for (seq, news, expected) in [(2, true, (2, 3)), (1, false, (2, 3)), (5, true, (5, 2))] {
            assert_eq!(mark(seq).await, news);
            assert_eq!(unread().await, [expected]);
        }
        mark(99).await;
        assert_eq!(unread().await, []);
    }
}

/// Each write reads its session anew.
#[tokio::test]
async fn a_post_sees_what_others_did_to_its_session() {
    let create = || LiveWrite::Create(Box::new(new_session("s1", None)));
    let post = |id: &str| LiveWrite::Post(Box::new(post(Role::Assistant, id, id)));
    let delete = || {
        let mut edit = LiveEdit::new(session_id("s1"));
        edit.deleted_at = Some(Some(NOW));
        LiveWrite::Edit(Box::new(edit))
    };
    for engine in engines().await {
        let seen = async |write| told(&one(&engine.workspace, write).await);
        let told = [
            seen(create()).await,
            seen(post("m1")).await,
            seen(post("m2")).await,
            seen(delete()).await,
            seen(post("m3")).await,
            {
                engine.workspace.forget_deleted(Micros::default()..Micros(NOW.0 + 1), NOW).await.unwrap();
                seen(post("m3")).await
            },
            seen(create()).await,
            seen(post("m1")).await,
        ];
        let expected = [
            "s1 true",
            "1 []",
            "2 []",
            "s1 false",
            "Err(Deleted { field: None })",
            "Err(NoSession)",
            "s1 true",
            "1 []",
        ];
        assert_eq!(told, expected);
    }
}

/// Also after a sign of life, which is no news in the feed.
#[tokio::test]
async fn a_post_sees_what_another_server_did_to_its_session() {
    let post = |role, id: &str| LiveWrite::Post(Box::new(post(role, id, id)));
    for engine in engines().await {
        let other = Store::open(&engine.database).await.unwrap();
        let (ours, theirs) = (&engine.workspace, other.workspace(engine.workspace.id()));
        let later = Micros(NOW.0 + Micros::SECOND);
        let mut alive = LiveEdit::new(session_id("s1"));
        alive.sign = Some(SignOfLife::Heartbeat);
        one(ours, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        let told = [
            told(&one(ours, post(Role::Assistant, "m1")).await),
            told(&one(&theirs, post(Role::User, "u2")).await),
            told(&one(ours, post(Role::Assistant, "m3")).await),
            told(&theirs.write_live(&[LiveWrite::Edit(Box::new(alive))], later).await.unwrap().answers[0]),
            told(&one(ours, post(Role::User, "u4")).await),
        ];
        assert_eq!(told, ["1 []", "2 []", "3 [\"u2\"]", "s1 false", "4 []"]);
        let session = ours.session(&session_id("s1"), later).await.unwrap().unwrap();
        assert_eq!((session.heartbeat_at, session.last_seq), (Some(later), 4));
        other.close().await;
    }
}

/// Two servers that write in turns see each other's messages.
#[tokio::test]
async fn servers_that_write_at_the_same_time_lose_nothing() {
    const BATCHES: usize = 60;
    for engine in engines().await {
        let other = Store::open(&engine.database).await.unwrap();
        let (ours, theirs) = (&engine.workspace, other.workspace(engine.workspace.id()));
        one(ours, LiveWrite::Create(Box::new(new_session("s1", None)))).await.unwrap();
        let posting = async |workspace: &Workspace, who: &str| {
            let mut told = Vec::new();
            for batch in 0..BATCHES {
                // Some come twice.
                let again = batch % 20 == 19;
                let batch = if again { batch - 1 } else { batch };
                let ids = [0, 1].map(|n| format!("{who}{batch}-{n}"));
                let posts = ids.iter().map(|id| LiveWrite::Post(Box::new(post(Role::Assistant, id, id))));
                for answer in write(workspace, posts.collect()).await {
                    let Ok(LiveDone::Posted(done)) = answer else { panic!("{answer:?}") };
                    assert_eq!(done.replayed, again, "{ids:?}");
                    told.push((done.message.message.seq, done.message.message.draft.id.to_string()));
                }
            }
            told
        };
        let (mut told, more) = tokio::join!(posting(ours, "a"), posting(&theirs, "b"));
        told.extend(more);
        told.sort();
        told.dedup();
        let stored = ours.messages(&session_id("s1"), &MessageQuery::new(Range::Last(1000))).await.unwrap();
        let stored: Vec<_> = stored.iter().map(|it| (it.message.seq, it.message.draft.id.to_string())).collect();
        assert_eq!(told, stored);
        let count = 2 * 2 * (BATCHES - BATCHES / 20) as i64;
        assert_eq!(told.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>());
        let session = ours.session(&session_id("s1"), NOW).await.unwrap().unwrap();
        assert_eq!((session.last_seq, session.message_count), (count, count));
        other.close().await;
    }
}
