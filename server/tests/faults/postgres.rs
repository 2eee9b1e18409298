//! Two servers on one PostgreSQL database: its connections break, as they do when it is restarted, one of the servers
//! stands still for a while, and neither hears the other's bell.

use crate::kill::check_store;
use crate::reader::{self, Reader};
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use crate::{poster, rounds};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

const POSTERS: usize = 16;
const READERS: usize = 16;
const SESSIONS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_goes_away_and_a_server_that_stands_still_come_back() {
    let Some(url) = database() else {
        println!("not tested: `cargo xtask pg -- ...` gives it a PostgreSQL");
        return;
    };
    let (before, after) = url.split_once('@').unwrap();
    let (address, name) = after.split_once('/').unwrap();
    let cable = Cable::lay(address.to_owned()).await;
    let url = format!("{before}@127.0.0.1:{}/{name}", cable.port);
    let start = || Server::start_in(Place::new(), &["--posts-per-second", "0", "--database", &url]);
    let servers = [start(), start()];
    let town = Arc::new(Town::on(&[&servers[0], &servers[1]], SESSIONS).await);
    let end = watch::Sender::new(None);
    let readers: JoinSet<()> =
        (0..READERS).map(|number| Reader::new(town.clone(), number).read(end.subscribe())).collect();
    let posters: JoinSet<()> = (0..POSTERS).map(|number| poster::post(town.clone(), number)).collect();
    let cuts = rounds(5, 50);
    for cut in 0..cuts {
        let answers = town.ledger.count() + 30 + cut * 7919 % 100;
        timeout(PATIENCE, town.ledger.reaches(answers)).await.expect("posts are answered");
        let refused = *town.refused.borrow();
        cable.connected.send_replace(false);
        let mut told = town.refused.subscribe();
        timeout(PATIENCE, told.wait_for(|now| *now > refused)).await.expect("who posts is told").unwrap();
        cable.connected.send_replace(true);
    }
    let pauses = rounds(1, 10);
    for pause in 0..pauses {
        servers[1].signal("STOP");
        // Wherever it stopped, even with the lock on the order of the feed: the other one is answered.
        let answers = town.ledger.count() + POSTERS + pause;
        timeout(PATIENCE, town.ledger.reaches(answers)).await.expect("the other server answers");
        servers[1].signal("CONT");
        timeout(PATIENCE, town.ledger.reaches(answers + 100)).await.expect("both go on");
    }
    for _ in 0..cuts {
        cable.silence.send_modify(|count| *count += 1);
        timeout(PATIENCE, town.ledger.reaches(town.ledger.count() + 50)).await.expect("posts are answered");
    }
    // No notification announces the last writes.
    cable.silence.send_modify(|count| *count += 1);
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered in the end");
    let feed = reader::feed(&town).await;
    let promises = town.ledger.take();
    check_store(&town, &promises, &feed).await;
    end.send_replace(Some(feed.into()));
    timeout(PATIENCE, readers.join_all()).await.expect("every reader, of either server, comes to the end of the feed");
    println!(
        "{cuts} times away, {pauses} times paused, {cuts} bells cut, two servers: {} answers, none lost or doubled",
        promises.len()
    );
}

#[expect(clippy::disallowed_methods, reason = "the server to test on is named from outside")]
fn database() -> Option<String> {
    std::env::var("VERBATIM_TEST_POSTGRES").ok()
}

/// The way to the database.
struct Cable {
    port: u16,
    connected: watch::Sender<bool>,
    /// Each change breaks the connections that listen to bells.
    silence: watch::Sender<usize>,
}

impl Cable {
    async fn lay(address: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connected, silence) = (watch::Sender::new(true), watch::Sender::new(0));
        let (ends, silences) = (connected.subscribe(), silence.subscribe());
        tokio::spawn(async move {
            while let Ok((here, _)) = listener.accept().await {
                let (mut ends, silences, address) = (ends.clone(), silences.clone(), address.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        _ = ends.wait_for(|connected| !connected) => {}
                        _ = pass(here, address, silences) => {}
                    }
                });
            }
        });
        Self { port, connected, silence }
    }
}

/// Passes everything on, until either side hangs up or a connection that listens is silenced.
async fn pass(mut here: TcpStream, address: String, mut silences: watch::Receiver<usize>) -> std::io::Result<()> {
    let mut there = TcpStream::connect(address).await?;
    let ((mut asks, mut hears), (mut answers, mut asked)) = (here.split(), there.split());
    let listens = AtomicBool::new(false);
    let forth = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = asks.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            if buffer[..length].windows(6).any(|word| word == b"LISTEN") {
                listens.store(true, Ordering::Relaxed);
            }
            asked.write_all(&buffer[..length]).await?;
        }
    };
    let silenced = async { while silences.changed().await.is_ok() && !listens.load(Ordering::Relaxed) {} };
    tokio::select! {
        done = forth => done,
        done = tokio::io::copy(&mut answers, &mut hears) => done.map(drop),
        () = silenced => Ok(()),
    }
}
