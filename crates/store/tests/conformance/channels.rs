//! Deliveries to channels: rows that come with the messages, wait in order, and are settled by one server at a time.

use crate::support::{Engine, NOW, batch, count, engines, message, session, session_id};

use model::audit::Event;
use model::{Micros, SessionId};
use store::{ChannelRow, Database, DeliveryChange, DeliveryState, DueDelivery, Queueing, Workspace};

fn channel(id: &str, every_session: bool) -> ChannelRow {
    ChannelRow {
        id: id.to_owned(),
        kind: "webhook".to_owned(),
        name: id.to_owned(),
        settings: "{}".to_owned(),
        people: "{}".to_owned(),
        verbosity: "normal".to_owned(),
        every_session,
        created_at: Micros(0),
        paused_at: None,
        removed_at: None,
        position: None,
    }
}

async fn put(workspace: &Workspace, row: &ChannelRow) {
    let event = Event::ChannelRemoved { channel: row.id.clone(), name: row.name.clone() };
    workspace.put_channel(row, NOW, event).await.unwrap();
}

async fn write(engine: &Engine, messages: &[(&str, &str)]) {
    let messages = messages.iter().map(|(id, content)| message("s1", id, content)).collect();
    engine.workspace.write_batch(batch(vec![session("s1")], messages)).await.unwrap();
}

async fn due(workspace: &Workspace, channel: &str) -> Vec<DueDelivery> {
    workspace.due_deliveries(channel, Queueing::InOrder, NOW, 100).await.unwrap()
}

fn seqs(due: &[DueDelivery]) -> Vec<i64> {
    due.iter().map(|due| due.key.seq).collect()
}

/// Settles as the server with this lease.
async fn settle(workspace: &Workspace, lease: &str, changes: &[DeliveryChange]) -> bool {
    workspace.settle_deliveries("all", (lease, Micros(NOW.0 + 10)), NOW, changes).await.unwrap()
}

#[tokio::test]
async fn a_row_comes_with_each_message_where_a_channel_shows_its_session() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        write(&engine, &[("m1", "before")]).await;
        assert_eq!(count(&engine, "channel_delivery").await, 0);
        put(workspace, &channel("all", true)).await;
        put(workspace, &channel("one", false)).await;
        put(workspace, &ChannelRow { removed_at: Some(NOW), ..channel("gone", true) }).await;
        write(&engine, &[("m2", "two"), ("m3", "three")]).await;
        assert_eq!(seqs(&due(workspace, "all").await), [2, 3]);
        let s1 = due(workspace, "all").await[0].session.clone();
        let event = || Event::ChannelRemoved { channel: "one".to_owned(), name: "one".to_owned() };
        assert!(workspace.bind_session("one", (&s1, None), NOW, event()).await.unwrap());
        assert!(!workspace.bind_session("one", (&session_id("none"), None), NOW, event()).await.unwrap());
        write(&engine, &[("m4", "four"), ("m2", "two, changed")]).await;
        assert_eq!(seqs(&due(workspace, "one").await), [4], "from the next message on");
        assert_eq!(seqs(&due(workspace, "all").await), [2, 3, 4], "what waits keeps its place");
        assert!(workspace.unbind_session("one", &s1, event()).await.unwrap());
        write(&engine, &[("m5", "five")]).await;
        assert_eq!(seqs(&due(workspace, "one").await), [4]);
        assert_eq!(seqs(&due(workspace, "gone").await), [0; 0]);
        workspace.put_place("one", &s1, "!room").await.unwrap();
        assert_eq!(workspace.session_at("one", "!room").await.unwrap(), Some(s1));
    }
}

#[tokio::test]
async fn what_is_begun_stays_the_same_until_it_is_sent() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        put(workspace, &channel("all", true)).await;
        write(&engine, &[("m1", "one"), ("m2", "two")]).await;
        let waiting = due(workspace, "all").await;
        let (first, second) = (waiting[0].clone(), waiting[1].clone());
        let begun = |due: &DueDelivery, body: &str| DeliveryChange::Begun {
            key: due.key,
            latest: due.latest,
            body: body.to_owned(),
            said: body.to_owned(),
            shown: Some("hash".to_owned()),
            is_talk: true,
        };
        assert!(settle(workspace, "here", &[begun(&first, "One")]).await);
        // The message changes while it is sent.
        write(&engine, &[("m1", "one, changed")]).await;
        let now = due(workspace, "all").await;
        assert_eq!((now[0].key, now[0].body.as_deref()), (first.key, Some("One")));
        let sent = DeliveryChange::Sent { key: first.key, external_id: Some("$1".to_owned()), at: NOW };
        assert!(
            settle(
                workspace,
                "here",
                &[sent.clone(), DeliveryChange::Skipped { key: second.key, latest: second.latest }]
            )
            .await
        );
        let again = due(workspace, "all").await;
        assert_eq!(seqs(&again), [1], "it is due again, as it is now");
        assert_eq!(
            (again[0].sends, again[0].said.as_deref(), again[0].external_id.as_deref()),
            (1, Some("One"), Some("$1"))
        );
        assert!(settle(workspace, "here", &[begun(&again[0], "One, changed"), sent]).await);
        assert_eq!(due(workspace, "all").await, []);
        let session = &first.session;
        let told = workspace.told("all", "$1").await.unwrap().unwrap();
        assert_eq!((&told.session, told.seq, told.shown.as_deref()), (session, 1, Some("hash")));
        assert_eq!(workspace.last_talk("all", session).await.unwrap().as_deref(), Some("$1"));
        assert_eq!(workspace.last_shown("all", session).await.unwrap(), [told]);
        let states = workspace.channel_deliveries("all", None, 10).await.unwrap();
        let states: Vec<_> = states.iter().map(|found| (found.seq, found.state, found.said.as_deref())).collect();
        assert_eq!(states, [(1, DeliveryState::Sent, Some("One, changed"))], "what says nothing isn't listed");
    }
}

/// Sends what waits in the channel `all`, under ids `$1`, `$2` and so on.
async fn send_all(workspace: &Workspace) {
    for due in due(workspace, "all").await {
        let body = due.key.seq.to_string();
        let begun = DeliveryChange::Begun {
            key: due.key,
            latest: due.latest,
            body: body.clone(),
            said: body,
            shown: None,
            is_talk: true,
        };
        let sent = DeliveryChange::Sent { key: due.key, external_id: Some(format!("${}", due.key.seq)), at: NOW };
        assert!(settle(workspace, "here", &[begun, sent]).await);
    }
}

#[tokio::test]
async fn a_room_shows_one_session_and_what_was_sent_elsewhere_stays_there() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        put(workspace, &channel("all", true)).await;
        write(&engine, &[("m1", "one")]).await;
        let s1 = due(workspace, "all").await[0].session.clone();
        let other = engine.workspace.write_batch(batch(vec![session("s2")], vec![message("s2", "m1", "two")])).await;
        other.unwrap();
        let s2 = due(workspace, "all").await[1].session.clone();
        send_all(workspace).await;
        let event = || Event::ChannelRemoved { channel: "all".to_owned(), name: "all".to_owned() };
        let places = async || -> Vec<(SessionId, bool, Option<String>)> {
            let bound = workspace.bound_sessions("all").await.unwrap();
            bound.into_iter().map(|bound| (bound.session, bound.bound, bound.place)).collect()
        };
        workspace.put_place("all", &s1, "!own").await.unwrap();
        assert!(workspace.bind_session("all", (&s1, Some("!kitchen")), NOW, event()).await.unwrap());
        assert_eq!(places().await, [(s1.clone(), true, Some("!kitchen".to_owned()))]);
        assert!(!workspace.unbind_session("all", &s2, event()).await.unwrap());
        assert_eq!(workspace.told("all", "$1").await.unwrap().map(|told| told.session), Some(s2.clone()));
        assert!(workspace.bind_session("all", (&s2, Some("!kitchen")), NOW, event()).await.unwrap());
        let both = [(s1.clone(), true, None), (s2.clone(), true, Some("!kitchen".to_owned()))];
        assert_eq!(places().await, both);
        assert!(workspace.bind_session("all", (&s2, None), NOW, event()).await.unwrap());
        assert_eq!(places().await, both, "without a place it stays where it is");
        assert!(workspace.unbind_session("all", &s2, event()).await.unwrap());
        assert_eq!(workspace.session_at("all", "!kitchen").await.unwrap(), None);
        assert!(!workspace.unbind_session("all", &s2, event()).await.unwrap());
    }
}

#[tokio::test]
async fn old_deliveries_are_forgotten_but_for_those_that_a_person_settles() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        put(workspace, &channel("all", true)).await;
        write(&engine, &[("m1", "one"), ("m2", "two"), ("m3", "three"), ("m4", "four")]).await;
        let waiting = due(workspace, "all").await;
        let s1 = waiting[0].session.clone();
        let sent = |due: &DueDelivery, at| DeliveryChange::Sent { key: due.key, external_id: None, at };
        let dead = DeliveryChange::Dead { key: waiting[2].key, error: "gone".to_owned() };
        assert!(settle(workspace, "here", &[sent(&waiting[0], NOW), dead]).await);
        let later = Micros(NOW.0 + 5);
        let lease = ("here", Micros(NOW.0 + 10));
        assert!(workspace.settle_deliveries("all", lease, later, &[sent(&waiting[1], later)]).await.unwrap());
        assert_eq!(workspace.forget_deliveries(NOW).await.unwrap(), 0, "what ended then isn't older");
        assert_eq!(workspace.forget_deliveries(Micros(NOW.0 + 100)).await.unwrap(), 1);
        let mut left = Vec::new();
        for seq in 1..=4 {
            let told = workspace.message_deliveries(&s1, seq).await.unwrap();
            left.extend(told.into_iter().map(|told| (told.seq, told.channel, told.state)));
        }
        let all = |seq, state| (seq, "all".to_owned(), state);
        assert_eq!(left, [all(2, DeliveryState::Sent), all(3, DeliveryState::Dead), all(4, DeliveryState::Pending)]);
        assert_eq!(workspace.channel_counts().await.unwrap()[0].sent_at, Some(later), "the last one is known");
        assert_eq!(workspace.clear_dead("all").await.unwrap(), 1);
        assert_eq!(workspace.forget_deliveries(Micros(i64::MAX)).await.unwrap(), 1, "what was given up");
    }
}

#[tokio::test]
async fn what_fails_waits_and_what_is_refused_is_kept() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        put(workspace, &channel("all", true)).await;
        write(&engine, &[("m1", "one"), ("m2", "two")]).await;
        let waiting = due(workspace, "all").await;
        let (first, second) = (waiting[0].key, waiting[1].key);
        let later = Micros(NOW.0 + 1000);
        let failed = DeliveryChange::Failed { key: first, error: "away".to_owned(), next_at: later };
        assert!(settle(workspace, "here", &[failed]).await);
        assert_eq!(due(workspace, "all").await[0].next_at, later);
        let passing = workspace.due_deliveries("all", Queueing::AsDue, NOW, 100).await.unwrap();
        assert_eq!(seqs(&passing), [2], "where order doesn't matter, others pass");
        let dead = DeliveryChange::Dead { key: second, error: "gone".to_owned() };
        assert!(settle(workspace, "here", &[dead]).await);
        let counts = workspace.channel_counts().await.unwrap();
        let [counts] = counts.as_slice() else { panic!("one channel") };
        assert_eq!(
            (counts.waiting, counts.dead, counts.error.as_deref(), counts.next_at),
            (1, 1, Some("away"), Some(later))
        );
        // It changes: that sends nothing that a person hasn't seen.
        write(&engine, &[("m2", "two, changed")]).await;
        assert_eq!(seqs(&due(workspace, "all").await), [1]);
        assert_eq!(workspace.retry_dead("all", NOW).await.unwrap(), 1);
        assert_eq!(workspace.hurry_deliveries("all", NOW, 0).await.unwrap(), 1);
        let waiting = due(workspace, "all").await;
        assert_eq!((seqs(&waiting), waiting[0].next_at), (vec![1, 2], NOW));
        let dead = DeliveryChange::Dead { key: first, error: "gone".to_owned() };
        assert!(settle(workspace, "here", &[dead]).await);
        assert_eq!(workspace.clear_dead("all").await.unwrap(), 1);
        assert_eq!(workspace.retry_dead("all", NOW).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn one_server_sends_for_a_channel() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        put(workspace, &channel("all", true)).await;
        assert!(settle(workspace, "here", &[]).await);
        // A file has one server: an earlier one has ended.
        assert_eq!(settle(workspace, "there", &[]).await, !matches!(engine.database, Database::Postgres(_)));
        let late = Micros(NOW.0 + 11);
        assert!(workspace.settle_deliveries("all", ("there", Micros(late.0 + 10)), late, &[]).await.unwrap());
    }
}
