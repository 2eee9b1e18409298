//! `kill -9` in the middle of everything, again and again.

use crate::ledger::{Name, Promise};
use crate::reader::{self, Reader};
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use crate::{poster, rounds};
use api::events::{FeedEvent, FeedKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

const POSTERS: usize = 64;
const READERS: usize = 32;
const SESSIONS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_answered_is_lost_or_doubled() {
    let kills = rounds(20, 200);
    let mut server = Server::start_in(Place::new(), &["--posts-per-second", "0"]);
    let town = Arc::new(Town::found(&server, SESSIONS).await);
    let end = watch::Sender::new(None);
    let readers: JoinSet<()> =
        (0..READERS).map(|number| Reader::new(town.clone(), number).read(end.subscribe())).collect();
    let posters: JoinSet<()> = (0..POSTERS).map(|number| poster::post(town.clone(), number)).collect();

    let mut down = Vec::new();
    for kill in 0..kills {
        // At moments that differ in what is under way.
        let more = 30 + kill * 7919 % 300;
        timeout(PATIENCE, town.ledger.reaches(town.ledger.count() + more)).await.expect("posts are answered");
        server.kill();
        let killed = Instant::now();
        server = server.again();
        down.push(killed.elapsed());
        town.starts.send_modify(|starts| *starts += 1);
    }
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered in the end");

    let feed = reader::feed(&town).await;
    let promises = town.ledger.take();
    check_store(&town, &promises, &feed).await;
    let events = feed.len() * READERS / 2;
    end.send_replace(Some(feed.into()));
    timeout(PATIENCE, readers.join_all()).await.expect("every reader comes to the end of the feed");
    down.sort();
    let percent = |part: usize| down[(down.len() * part / 100).min(down.len() - 1)];
    println!(
        "{kills} kills under {POSTERS} posters: {} answers, none lost or doubled; {READERS} readers, over {events} \
         events, none lost or doubled; down for {:?}, p99 {:?}",
        promises.len(),
        percent(50),
        percent(99),
    );
}

/// The store holds what was promised, each once, without a hole in any order; and the feed tells of all of it.
pub async fn check_store(town: &Town, promises: &BTreeMap<Name, Promise>, feed: &[FeedEvent]) {
    let first = hub::feed::position(&town.cursor).unwrap() + 1;
    let positions: Vec<i64> = feed.iter().map(|event| event.pos).collect();
    assert_eq!(positions, (first..first + feed.len() as i64).collect::<Vec<_>>(), "the feed has no hole");
    assert!(feed.iter().all(|event| event.kind == FeedKind::Range), "nothing but new messages");
    let mut kept = 0;
    for session in &town.sessions {
        let messages = town.messages(session).await;
        let seqs: Vec<i64> = messages.iter().map(|message| message["seq"].as_i64().unwrap()).collect();
        assert_eq!(seqs, (1..=messages.len() as i64).collect::<Vec<_>>(), "`seq` has no hole");
        let told: Vec<i64> = feed
            .iter()
            .filter(|event| event.session == *session)
            .flat_map(|event| event.from_seq..=event.to_seq)
            .collect();
        assert_eq!(told, seqs, "the feed tells of each message once, in order");
        let ids: BTreeSet<&str> = messages.iter().map(|message| message["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), messages.len(), "no message is there twice");
        for message in &messages {
            let (id, seq) = (message["id"].as_str().unwrap(), message["seq"].as_i64().unwrap());
            let promise = promises.get(&(session.clone(), id.to_owned())).expect("every post was answered in the end");
            assert_eq!(promise.seq, seq, "{id} is where its answer said");
            let tells =
                |event: &&FeedEvent| event.session == *session && (event.from_seq..=event.to_seq).contains(&seq);
            let told = feed.iter().find(tells).unwrap();
            assert!(told.pos <= promise.pos, "who read the feed up to the answer's `pos` saw {id}");
            kept += 1;
        }
    }
    assert_eq!(kept, promises.len(), "nothing that was answered is lost");
}
