//! How long the server takes for pages, parts of pages, and search.
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    http::Connection,
    input::{InputArguments, megabytes},
    machine::Machine,
    program::{self, Scratch, Server},
    table::{self, Budget, Figure},
};
use crate::step;

const WARM_UP: usize = 5;
const REQUESTS: usize = 50;
/// So many words are tried to find a rare and a common one.
const CANDIDATES: usize = 150;
/// Messages of a part of an outline.
const OUTLINE: i64 = 2_000;
/// Messages of a chunk of the transcript.
pub const CHUNK: i64 = 40;

pub fn measure(program: &Path, arguments: &InputArguments) -> Result<Value> {
    let input = arguments.prepare_with_long_session()?;
    let scratch = Scratch::new("pages")?;
    let data = scratch.0.join("data");
    let imported = program::import(program, &data, &input, None)?;
    step::say(&format!("{} messages imported in {:.1} s", imported.messages, imported.seconds));
    let machine = Machine::measure(&scratch.0)?;
    let (server, _) = Server::start(program, &data, &["--no-discover"])?;
    let mut connection = server.connect()?;
    let (small, biggest) = extremes(&mut connection)?;
    let id = |of: &Value| of["id"].as_str().map(str::to_owned).context("a session without an id");
    let (small, session) = (id(&small)?, id(&biggest)?);
    let session = session.as_str();
    let last = biggest["last_seq"].as_i64().unwrap_or(0);
    step::say(&format!("the biggest session has {last} messages"));
    let days = days(&mut connection)?;
    let (rare, common) = words(&mut connection, session)?;
    let [middle, end] = [last / CHUNK / 2, (last - 1).max(0) / CHUNK];
    let requests = [
        (4, "biggest session: first page, API", format!("/v1/sessions/{session}/messages"), Some(5.0)),
        (
            4,
            "biggest session: first page of 100 messages, API",
            format!("/v1/sessions/{session}/messages?limit=100"),
            Some(3.0),
        ),
        (0, "biggest session: its row, API", format!("/v1/sessions/{session}"), Some(3.0)),
        (0, "smallest session: its row, API", format!("/v1/sessions/{small}"), Some(3.0)),
        (
            0,
            "biggest session: its outline, API",
            format!("/v1/sessions/{session}/outline?after={}", (last - OUTLINE).max(0)),
            Some(20.0),
        ),
        (0, "statistics of a month, API", format!("/v1/stats?{days}"), Some(50.0)),
        (
            4,
            "biggest session: a page in the middle, API",
            format!("/v1/sessions/{session}/messages?around={}", last / 2),
            Some(5.0),
        ),
        (5, "search: a rare word, API", format!("/v1/search?q={rare}%20"), Some(5.0)),
        (5, "search: a common word, API", format!("/v1/search?q={common}%20"), Some(50.0)),
        (5, "search: a common beginning, API", format!("/v1/search?q={}", &common[..3]), Some(50.0)),
        (0, "search of a common word, page", format!("/search?q={common}"), None),
        (0, "sessions, API", "/v1/sessions".to_owned(), None),
        (0, "sessions, page, first byte", "/sessions".to_owned(), Some(20.0)),
        (0, "statistics, page, first byte", format!("/stats?{days}"), None),
        (0, "biggest session, page, first byte", format!("/s/{session}"), Some(20.0)),
        (0, "smallest session, page, first byte", format!("/s/{small}"), Some(20.0)),
        (0, "biggest session, page in dev mode", format!("/s/{session}?dev=1"), None),
        (0, "biggest session: last chunk", format!("/fragments/sessions/{session}/chunks/{end}"), None),
        (0, "biggest session: a chunk in the middle", format!("/fragments/sessions/{session}/chunks/{middle}"), None),
        (0, "biggest session: changed files", format!("/fragments/sessions/{session}/panel?tab=changes"), None),
    ];
    let mut figures = Vec::new();
    for (row, metric, target, budget) in requests {
        let (times, bytes) = time(&mut connection, &target, REQUESTS, f64::INFINITY)?;
        let metric = format!("{metric} ({} kB)", bytes / 1000);
        figures.push(Figure::budgeted(row, metric, "ms", times, budget.map(Budget::AtMost)));
    }
    figures.push(Figure::plain("memory of the server after all that", "MB", vec![megabytes(server.rss())]));
    Ok(table::present(&figures, &machine))
}

/// Milliseconds until each of so many answers begins, and the bytes of the last one. Slow ones are fewer: together they
/// take about `patience` seconds.
pub fn time(connection: &mut Connection, target: &str, requests: usize, patience: f64) -> Result<(Vec<f64>, usize)> {
    let mut times = Vec::with_capacity(requests);
    let (mut bytes, mut sum) = (0, 0.0);
    for request in 0..WARM_UP + requests {
        let (seconds, answer) = connection.timed(target)?;
        bytes = answer.len();
        sum += f64::from(seconds);
        if request >= WARM_UP || sum > patience {
            times.push(f64::from(seconds) * 1000.0);
        }
        if sum > patience {
            break;
        }
    }
    Ok((times, bytes))
}

/// The sessions with the fewest messages and the most.
fn extremes(connection: &mut Connection) -> Result<(Value, Value)> {
    let (mut smallest, mut biggest) = (Value::Null, Value::Null);
    let mut after = String::new();
    loop {
        let page = connection.json(&format!("/v1/sessions?limit=200{after}"))?;
        for session in page["sessions"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if biggest["last_seq"].as_i64() < session["last_seq"].as_i64() {
                biggest = session.clone();
            }
            if smallest.is_null() || session["last_seq"].as_i64() < smallest["last_seq"].as_i64() {
                smallest = session.clone();
            }
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return Ok((smallest, biggest)),
        }
    }
}

/// The month up to the last day on which anything was said, as a query.
fn days(connection: &mut Connection) -> Result<String> {
    let stats = connection.json("/v1/stats?from=2020-01-01&to=2039-12-31")?;
    let last =
        stats["days"].as_array().and_then(|days| days.last()?["day"].as_str()).context("no day has a message")?;
    let month = last.get(..8).context("a day that is none")?;
    Ok(format!("from={month}01&to={last}"))
}

/// A word of few messages and one of many, among those of a session's end.
fn words(connection: &mut Connection, session: &str) -> Result<(String, String)> {
    let page = connection.json(&format!("/v1/sessions/{session}/messages?limit=100"))?;
    let mut candidates = BTreeSet::new();
    for message in page["messages"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let content = message["content"].as_str().unwrap_or_default();
        let words = content.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| (3..=16).contains(&word.len()));
        candidates.extend(words.map(str::to_ascii_lowercase));
    }
    let mut found: HashMap<String, i64> = HashMap::new();
    let every = candidates.len().div_ceil(CANDIDATES).max(1);
    for word in candidates.into_iter().step_by(every).chain(["the".to_owned()]) {
        let total = connection.json(&format!("/v1/search?q={word}%20&limit=1"))?["total"].as_i64().unwrap_or(0);
        if total > 0 {
            found.insert(word, total);
        }
    }
    let rare = found.iter().min_by_key(|(word, total)| (**total, word.as_str())).context("no word is found")?;
    let common = found.iter().max_by_key(|(word, total)| (**total, word.as_str())).context("no word is found")?;
    step::say(&format!("the rare word is in {} messages, the common one in {} or more", rare.1, common.1));
    Ok((rare.0.clone(), common.0.clone()))
}
