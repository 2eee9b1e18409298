//! History in numbers, the same on both engines.

use crate::support::{NOW, ago, batch, by, engines, message, session};
use model::policy::Display;
use model::{Micros, Role, Run, RunOutcome, Usage};
use serde_json::json;
use store::stats::{Activity, StatsQuery, ToolCalls};
use store::{MessageUpsert, RunUpsert};

const DAY: i64 = 86_400;

fn called(key: &str, id: &str, tool: &str, error: Option<&str>) -> MessageUpsert {
    let mut message = message(key, id, "called");
    let payload = json!({"tool_name": tool, "input": {}, "output": "x", "error": error});
    let metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload});
    message.draft.metadata = metadata.as_object().cloned();
    message
}

fn run(key: &str, id: &str, at: Micros, cost_usd: Option<f64>) -> RunUpsert {
    let usage = Usage { input: 10, output: 5, cache_read: 100, cache_write: 0 };
    let run = Run {
        id: id.to_owned(),
        model: Some("opus".to_owned()),
        started_at: at,
        ended_at: Some(at),
        outcome: RunOutcome::Done,
        usage,
        cost_usd,
    };
    RunUpsert { session_key: key.to_owned(), run, spent: Vec::new() }
}

fn all() -> StatsQuery {
    StatsQuery { from: Micros(0), to: Micros(i64::MAX), ..StatsQuery::default() }
}

#[tokio::test]
async fn what_was_said_called_and_spent() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let mut yesterday = message("a", "m2", "the day before");
        yesterday.draft.created_at = ago(600 + DAY);
        let other = || {
            let mut other = session("b");
            other.facts.project = Some("/work/other".to_owned());
            other
        };
        let mut hidden = by(Role::System, "a", "m3", "not counted");
        hidden.display = Display::Dev;
        let mut first = batch(
            vec![session("a"), other()],
            vec![
                message("a", "m1", "said"),
                yesterday,
                hidden,
                called("a", "c1", "Bash", Some("no such file")),
                called("b", "c2", "Bash", None),
                called("b", "c3", "Read", None),
            ],
        );
        first.runs = vec![
            run("a", "r1", ago(600), Some(0.5)),
            run("a", "r2", ago(500), None),
            run("b", "r3", ago(600 + DAY), None),
        ];
        workspace.write_batch(first).await.unwrap();

        let stats = workspace.stats(&all()).await.unwrap();
        let today = ago(600).0 / (DAY * Micros::SECOND);
        let day = |key, sessions, messages| Activity { key, sessions, messages };
        assert_eq!(stats.days, [day(today - 1, 1, 1), day(today, 2, 4)]);
        assert_eq!(stats.total, Activity { key: (), sessions: 2, messages: 5 });
        let mut projects: Vec<_> =
            stats.projects.iter().map(|p| (p.key.as_deref().unwrap(), p.sessions, p.messages)).collect();
        projects.sort_unstable();
        assert_eq!(projects, [("/work/demo", 1, 3), ("/work/other", 1, 2)]);
        let spent: Vec<_> = stats
            .spending
            .iter()
            .map(|s| (s.day, s.project.as_deref().unwrap(), s.runs, s.usage.total(), s.cost_usd))
            .collect();
        assert_eq!(spent, [(today - 1, "/work/other", 1, 115, None), (today, "/work/demo", 2, 230, Some(0.5))]);
        let tools = |project: &str, tool: &str, calls, failed| ToolCalls {
            day: today,
            project: Some(project.to_owned()),
            tool: tool.to_owned(),
            calls,
            failed,
        };
        let expected =
            [tools("/work/demo", "Bash", 1, 1), tools("/work/other", "Bash", 1, 0), tools("/work/other", "Read", 1, 0)];
        assert_eq!(stats.tools, expected);

        // A result that comes later, and a call that turns out to be something else.
        let changed = vec![called("a", "c1", "Bash", None), message("b", "c3", "only words")];
        workspace.write_batch(batch(vec![session("a"), other()], changed)).await.unwrap();
        let stats = workspace.stats(&all()).await.unwrap();
        assert_eq!(stats.tools, [tools("/work/demo", "Bash", 1, 0), tools("/work/other", "Bash", 1, 0)]);
    }
}

#[tokio::test]
async fn a_part_of_history() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        // What has no time is of no day, not of the first of 1970.
        let mut undated = message("a", "m0", "whenever");
        undated.draft.created_at = Micros(0);
        let said = vec![undated, message("a", "m1", "said")];
        workspace.write_batch(batch(vec![session("a")], said)).await.unwrap();
        assert_eq!(workspace.stats(&all()).await.unwrap().days.len(), 1);
        let total = async |query: StatsQuery| workspace.stats(&query).await.unwrap().total.messages;
        assert_eq!(total(StatsQuery { from: ago(600), to: NOW, ..all() }).await, 1);
        assert_eq!(total(StatsQuery { to: ago(600), ..all() }).await, 0);
        assert_eq!(total(StatsQuery { projects: vec!["/work/other".to_owned()], ..all() }).await, 0);
        assert_eq!(total(StatsQuery { agents: vec!["demo".to_owned(), "codex".to_owned()], ..all() }).await, 1);
        // Days begin where people are: eleven hours ahead it is tomorrow already, or not.
        let ahead = StatsQuery { offset: 11 * 3600 * Micros::SECOND, ..all() };
        let day = workspace.stats(&ahead).await.unwrap().days[0].key;
        assert_eq!(day, (ago(600).0 + ahead.offset) / (DAY * Micros::SECOND));
    }
}

/// Whatever holds now: a day begins by the offset that held then.
#[tokio::test]
async fn days_begin_by_the_clock_of_their_time() {
    for engine in engines().await {
        const HOUR: i64 = 3600 * Micros::SECOND;
        let midnight = 10_000 * DAY * Micros::SECOND;
        let said = [("m1", midnight - HOUR), ("m2", midnight), ("m3", midnight + HOUR)].map(|(id, utc)| {
            let mut said = message("a", id, "x");
            said.draft.created_at = Micros(utc);
            said
        });
        engine.workspace.write_batch(batch(vec![session("a")], said.to_vec())).await.unwrap();
        let days = async |offset, changes| {
            let query = StatsQuery { offset, changes, ..all() };
            let days = engine.workspace.stats(&query).await.unwrap().days;
            days.into_iter().map(|day| (day.key, day.messages)).collect::<Vec<_>>()
        };
        assert_eq!(days(0, Vec::new()).await, [(9_999, 1), (10_000, 2)]);
        // From UTC+1 to UTC to UTC-2.
        let changes = vec![(Micros(midnight), 0), (Micros(midnight + HOUR), -2 * HOUR)];
        assert_eq!(days(HOUR, changes).await, [(9_999, 1), (10_000, 2)]);
    }
}
