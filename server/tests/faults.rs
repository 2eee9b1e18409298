//! The program under what breaks others: ended in the middle of everything, cut off from power, on a full disk, among
//! slow and hostile clients. `cargo xtask test --all` repeats the random ones more often.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "faults/clock.rs"]
mod clock;
#[path = "faults/crowd.rs"]
mod crowd;
#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/http.rs"]
mod http;
#[path = "faults/kill.rs"]
mod kill;
#[path = "faults/kill_channels.rs"]
mod kill_channels;
#[path = "faults/ledger.rs"]
mod ledger;
#[path = "faults/poster.rs"]
mod poster;
#[path = "faults/postgres.rs"]
mod postgres;
#[path = "faults/power.rs"]
mod power;
#[path = "faults/reader.rs"]
mod reader;
#[path = "faults/replay.rs"]
mod replay;
#[expect(dead_code, reason = "the other tests of the program use the rest of it")]
#[path = "program/support.rs"]
mod support;
#[path = "faults/town.rs"]
mod town;

/// How often a random test tries: in CI, and when everything is tested.
#[expect(clippy::disallowed_methods, reason = "how much is tested is said from outside")]
fn rounds(usual: usize, all: usize) -> usize {
    match std::env::var("VERBATIM_TEST_EXTENT") {
        Ok(word) if word == "all" => all,
        Ok(number) => number.parse().unwrap_or(usual),
        Err(_) => usual,
    }
}
