//! The power fails. What the program asked of its files is recorded; then, for many moments, a disk is made that holds
//! what was made durable until then and a random part of the rest, in sectors, and opened.
//!
//! Messages that posters had an answer for before that moment must be there. With less durability they aren't, which
//! proves that the test can fail.

use crate::replay::{self, Outcome};
use crate::support::{PATIENCE, Place, Server};
use crate::town::Town;
use crate::{poster, rounds};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

const POSTERS: usize = 16;
const SESSIONS: usize = 6;
/// Answers in each life of the server.
const ANSWERS: usize = 150;

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_takes_back_nothing_that_was_answered() {
    let moments = rounds(1_000, 10_000);
    let outcome = cut("full", moments).await;
    assert_eq!(outcome, Outcome { whole: moments, ..Outcome::default() });
}

/// The control: in order, but not durable.
#[tokio::test(flavor = "multi_thread")]
async fn with_relaxed_durability_it_does() {
    let outcome = cut("relaxed", 200).await;
    assert!(outcome.lost > 0, "{outcome:?}");
    assert_eq!((outcome.faulty, outcome.broken), (0, 0), "but what is left is in order");
}

/// The control: not even in order.
#[tokio::test(flavor = "multi_thread")]
async fn without_durability_it_breaks_the_database() {
    let outcome = cut("off", 200).await;
    assert!(outcome.faulty + outcome.broken > 0, "{outcome:?}");
}

/// Returns the outcome of a cut at each of so many moments.
#[expect(clippy::print_stdout, reason = "the figures are what a long run is made for")]
async fn cut(durability: &str, moments: usize) -> Outcome {
    let (record, promised) = record(durability).await;
    let entries = replay::entries(&record);
    let said = replay::said(&entries);
    for name in &promised {
        assert!(said.iter().any(|said| said.name == *name), "the record lacks what was said of {name:?}");
    }
    let begun = Instant::now();
    let outcome = replay::cut_everywhere(entries, moments).await;
    for verdict in &outcome.examples {
        println!("{durability}: {verdict:?}");
    }
    println!(
        "{durability}: {moments} power cuts, {} answers: {} whole, {} lost answers, {} faulty, {} not to be opened; {:.1?}",
        said.len(),
        outcome.whole,
        outcome.lost,
        outcome.faulty,
        outcome.broken,
        begun.elapsed(),
    );
    Outcome { examples: Vec::new(), ..outcome }
}

/// Three lives of a server under load: one is killed, one ends, one goes on. The record, and what posters were
/// promised.
async fn record(durability: &str) -> (Vec<u8>, Vec<(String, String)>) {
    let place = Place::new();
    let recorder = compiled(&place, "recorder");
    let file = place.path("record");
    let mut server = start(place, &recorder, "127.0.0.1:0", durability);
    let town = Arc::new(Town::found(&server, SESSIONS).await);
    let posters: JoinSet<()> = (0..POSTERS).map(|number| poster::post(town.clone(), number)).collect();
    for life in 1..=3 {
        let answers = town.ledger.count() + ANSWERS;
        timeout(PATIENCE, town.ledger.reaches(answers)).await.expect("posts are answered");
        match life {
            1 => server.kill(),
            2 => {
                server.terminate();
                assert!(server.ended(PATIENCE).success());
            }
            _ => break,
        }
        let (host, place) = (server.host(), std::mem::replace(&mut server.place, Place::new()));
        server = start(place, &recorder, &host, durability);
        town.starts.send_modify(|starts| *starts += 1);
    }
    town.enough.cancel();
    timeout(PATIENCE, posters.join_all()).await.expect("every post is answered in the end");
    server.kill();
    (std::fs::read(file).unwrap(), town.ledger.take().into_keys().collect())
}

fn start(place: Place, recorder: &Path, address: &str, durability: &str) -> Server {
    let arguments =
        ["serve", "--listen", address, "--no-discover", "--posts-per-second", "0", "--durability", durability];
    let mut command = place.program(&[&arguments[..], &["--checkpoint-pages", "100"]].concat());
    command.env("LD_PRELOAD", recorder).env("RECORD_DIR", place.data()).env("RECORD_FILE", place.path("record"));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Server::adopt(place, child, &line)
}

/// A library to be preloaded, compiled from the C file of this name.
pub fn compiled(place: &Place, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/faults/{name}.c"));
    let library = place.path(&format!("{name}.so"));
    let mut cc = Command::new("cc");
    let cc = cc.args(["-shared", "-fPIC", "-O1", "-pthread", "-o"]).arg(&library).arg(source);
    assert!(cc.status().expect("a C compiler is there: SQLite needs it too").success());
    library
}
