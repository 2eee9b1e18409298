//! Pages of messages: every way to name one, and that the union of pages is all rows.

use crate::support::{House, Talk, lines, seqs};
use insta::assert_snapshot;
use serde_json::Value;

/// Twelve messages: every third is hidden, and all are said in the same second.
fn crowd() -> Talk {
    let talk = Talk::new("crowd").at_once();
    (1..=4).fold(talk, |talk, n| {
        talk.user(&format!("Question {n}")).thinks(&format!("Thought {n}")).says(&format!("Answer {n}"))
    })
}

fn covered(page: &Value) -> Vec<i64> {
    let hidden = page["hidden"].as_array().unwrap().iter().map(|h| h["seq"].as_i64().unwrap());
    let mut all: Vec<i64> = seqs(page).into_iter().chain(hidden).collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn every_way_to_name_a_page() {
    let house = House::with(&crowd()).await;
    let last = house.read("/v1/sessions/crowd").await["session"]["last_seq"].as_i64().unwrap();
    assert_eq!(last, 12);
    let mut shown = String::new();
    for query in [
        "limit=3",
        "limit=3&dev=1",
        "limit=500",
        "around=6&limit=4",
        "around=6&limit=4&dev=1",
        "around=6&limit=1",
        "around=1&limit=4",
        "around=12&limit=4",
        "around=0&limit=4",
        "around=99&limit=4",
        "before=6&limit=3",
        "before=2&limit=3",
        "before=1&limit=3",
        "before=99&limit=3",
        "after=6&limit=3",
        "after=6&limit=3&dev=1",
        "after=0&limit=3",
        "after=12&limit=3",
        "after=99&limit=3",
        "from=4&to=7",
        "from=4&to=7&dev=1",
        "from=5&to=5",
        "from=11&to=40",
        "from=40&to=50",
        "after=6&limit=3&role=user",
    ] {
        let page = house.read(&format!("/v1/sessions/crowd/messages?{query}")).await;
        let hidden: Vec<String> = page["hidden"].as_array().unwrap().iter().map(|h| h["seq"].to_string()).collect();
        let messages: Vec<String> = seqs(&page).iter().map(ToString::to_string).collect();
        let (messages, hidden) = (messages.join(" "), hidden.join(" "));
        shown +=
            &format!("{query:30} {:>2} to {:<2}  messages: {messages}  hidden: {hidden}\n", page["from"], page["to"]);
    }
    assert_snapshot!(shown);
}

/// Invariant: for any page size the union of pages is all rows, each once, though all times are equal.
#[tokio::test]
async fn pages_upwards_and_downwards_are_all_rows() {
    let house = House::with(&crowd()).await;
    let all: Vec<i64> = (1..=12).collect();
    for limit in [1, 2, 3, 5, 8, 500] {
        for dev in ["", "&dev=1"] {
            let path = format!("/v1/sessions/crowd/messages?limit={limit}{dev}");
            let mut up = Vec::new();
            let mut query = String::new();
            loop {
                let page = house.read(&format!("{path}{query}")).await;
                up.splice(0..0, covered(&page));
                let from = page["from"].as_i64().unwrap();
                if from <= 1 {
                    break;
                }
                query = format!("&before={from}");
            }
            assert_eq!(up, all, "upwards, {limit}{dev}");
            let mut down = Vec::new();
            let mut after = 0;
            while after < 12 {
                let page = house.read(&format!("{path}&after={after}")).await;
                down.extend(covered(&page));
                assert!(page["to"].as_i64().unwrap() > after, "a page gets on");
                after = page["to"].as_i64().unwrap();
            }
            assert_eq!(down, all, "downwards, {limit}{dev}");
        }
    }
}

/// A page around a position joins those before and after it without a gap.
#[tokio::test]
async fn a_page_around_a_position_joins_its_neighbours() {
    let house = House::with(&crowd()).await;
    for limit in [1, 2, 4, 7] {
        for around in 1..=12 {
            let page = house.read(&format!("/v1/sessions/crowd/messages?around={around}&limit={limit}")).await;
            let (from, to) = (page["from"].as_i64().unwrap(), page["to"].as_i64().unwrap());
            assert_eq!(covered(&page), (from..=to).collect::<Vec<_>>(), "around {around}, limit {limit}");
            assert!((from..=to).contains(&around), "around {around}, limit {limit}: {from} to {to}");
            assert!(seqs(&page).len() <= limit, "around {around}, limit {limit}");
        }
    }
}

#[tokio::test]
async fn since_a_moment_loses_no_equal_timestamps() {
    let talk = Talk::new("clock").at_once().user("Early").at(1).user("One").user("Two").user("Three").at(90);
    let house = House::with(&talk.user("Late")).await;
    let mut shown = String::new();
    for since in [
        "2026-03-01T09:00:00Z",
        "2026-03-01T09:00:01Z",
        "2026-03-01T09:00:01.000001Z",
        "2026-03-01T10:01:30%2B01:00",
        "1772355601000000",
        "2027-01-01T00:00:00Z",
    ] {
        let page = house.read(&format!("/v1/sessions/clock/messages?since={since}&limit=500")).await;
        shown += &format!("since {since}\n  {}\n", lines(&page).join("\n  "));
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn since_a_moment_goes_on_with_after() {
    let house = House::with(&crowd()).await;
    for limit in [1, 2, 3, 5, 500] {
        let mut all = Vec::new();
        let mut after = 0;
        loop {
            let query = format!("since=2026-03-01T09:00:00Z&after={after}&limit={limit}&dev=1");
            let found = seqs(&house.read(&format!("/v1/sessions/crowd/messages?{query}")).await);
            assert!(found.len() <= limit, "{found:?} are more than {limit}");
            let Some(last) = found.last() else { break };
            after = *last;
            all.extend(found);
        }
        assert_eq!(all, (1..=12).collect::<Vec<_>>(), "limit {limit}");
    }
}

/// Times that go backwards, as after a change of the clock: the order is that of `seq`, and nothing comes twice.
#[tokio::test]
async fn since_a_moment_keeps_the_order_of_seq() {
    let talk = Talk::new("back").at(50).user("Fifty").at(10).user("Ten").at(40).user("Forty").at(5).user("Five");
    let house = House::with(&talk.at(20).user("Twenty")).await;
    let mut all = Vec::new();
    let mut after = 0;
    while all.len() < 9 {
        let query = format!("since=2026-03-01T09:00:10Z&after={after}&limit=2");
        let found = seqs(&house.read(&format!("/v1/sessions/back/messages?{query}")).await);
        let Some(last) = found.last() else { break };
        after = *last;
        all.extend(found);
    }
    assert_eq!(all, [1, 2, 3, 5]);
}
