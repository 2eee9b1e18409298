//! Two servers on one PostgreSQL database whose connections break, as they do when it is restarted.

use crate::kill::check_store;
use crate::reader::{self, Reader};
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use crate::{poster, rounds};
use std::sync::Arc;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

const POSTERS: usize = 16;
const READERS: usize = 16;
const SESSIONS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_goes_away_comes_back() {
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
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered in the end");
    let feed = reader::feed(&town).await;
    let promises = town.ledger.take();
    check_store(&town, &promises, &feed).await;
    end.send_replace(Some(feed.into()));
    timeout(PATIENCE, readers.join_all()).await.expect("every reader, of either server, comes to the end of the feed");
    println!("{cuts} times away, two servers: {} answers, none lost or doubled", promises.len());
}

#[expect(clippy::disallowed_methods, reason = "the server to test on is named from outside")]
fn database() -> Option<String> {
    std::env::var("VERBATIM_TEST_POSTGRES").ok()
}

/// The way to the database.
struct Cable {
    port: u16,
    connected: watch::Sender<bool>,
}

impl Cable {
    async fn lay(address: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connected = watch::Sender::new(true);
        let ends = connected.subscribe();
        tokio::spawn(async move {
            while let Ok((mut here, _)) = listener.accept().await {
                let (mut ends, address) = (ends.clone(), address.clone());
                tokio::spawn(async move {
                    let pass = async {
                        let mut there = TcpStream::connect(address).await?;
                        copy_bidirectional(&mut here, &mut there).await
                    };
                    tokio::select! {
                        _ = ends.wait_for(|connected| !connected) => {}
                        _ = pass => {}
                    }
                });
            }
        });
        Self { port, connected }
    }
}
