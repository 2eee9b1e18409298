//! History in numbers, the same on both engines.

use crate::support::{NOW, ago, batch, by, engines, message, session, session_id};
use model::policy::Display;
use model::{MessageId, Micros, Role, Run, RunOutcome, Spent, Usage};
use serde_json::json;
use store::stats::{Activity, ModelRuns, StatsQuery, ToolCalls};
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
            .map(|s| (s.day, s.project.as_deref().unwrap(), s.usage.total(), s.cost_usd))
            .collect();
        // Costs that agents report and tokens without a cost stand apart.
        let expected = [
            (today - 1, "/work/other", 115, None),
            (today, "/work/demo", 115, None),
            (today, "/work/demo", 115, Some(0.5)),
        ];
        assert_eq!(spent, expected);
        assert_eq!(stats.runs, [ModelRuns { model: Some("opus".to_owned()), runs: 3 }]);
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
        // A message without a time is of no day, not of the first of 1970.
        let mut undated = message("a", "m0", "whenever");
        undated.draft.created_at = Micros(0);
        let said = vec![undated, message("a", "m1", "said")];
        workspace.write_batch(batch(vec![session("a")], said)).await.unwrap();
        assert_eq!(workspace.stats(&all()).await.unwrap().days.len(), 1);
        let total = async |query: StatsQuery| workspace.stats(&query).await.unwrap().total.messages;
        assert_eq!(total(StatsQuery { from: ago(600), to: NOW, ..all() }).await, 1);
        // Its slot of 15 minutes begins 1000 seconds before.
        assert_eq!(total(StatsQuery { to: ago(1_000), ..all() }).await, 0);
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

/// A request at a time, with so much input.
fn request(id: &str, at: Micros, input: i64, model: Option<&str>) -> Spent {
    Spent {
        id: id.to_owned(),
        usage: Usage { input, output: 1, cache_read: 0, cache_write: 2 },
        cache_write_1h: 2,
        model: model.map(str::to_owned),
        began_at: Some(Micros(at.0 - 5)),
        ended_at: Some(at),
        stop_reason: Some("end_turn".to_owned()),
        message_id: Some(MessageId::parse(id).unwrap()),
        ..Spent::default()
    }
}

fn with_requests(key: &str, spent: Vec<Spent>) -> RunUpsert {
    let mut upsert = run(key, "r1", ago(600), None);
    upsert.run.usage = Usage::default();
    for spent in &spent {
        upsert.run.usage += spent.usage;
    }
    RunUpsert { spent, ..upsert }
}

#[tokio::test]
async fn requests_are_summed_by_model_and_length_and_listed_by_time() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let requests = || {
            vec![
                request("q2", ago(500), 298, Some("sonnet")),
                request("q1", ago(600), 100, None),
                request("q3", ago(400), 299, Some("sonnet")),
            ]
        };
        let said = vec![message("a", "q1", "first"), message("a", "q3", "third")];
        let mut first = batch(vec![session("a"), session("b")], said);
        first.runs = vec![with_requests("a", requests()), with_requests("b", requests())];
        workspace.write_batch(first).await.unwrap();

        let query = StatsQuery { steps: vec![200, 300], ..all() };
        let spending = workspace.spending(&query).await.unwrap();
        let sums: Vec<_> = spending
            .iter()
            .map(|s| {
                (s.model.as_deref().unwrap(), s.above, s.usage.input, s.usage.cache_write, s.cache_write_1h, s.cost_usd)
            })
            .collect();
        // The other session repeats them: they count once. What goes into the cache is input too. What names no model
        // has that of its run.
        let expected =
            [("opus", 0, 100, 2, 2, None), ("sonnet", 200, 298, 2, 2, None), ("sonnet", 300, 299, 2, 2, None)];
        assert_eq!(sums, expected);

        let listed = async |key: &str, after, limit| {
            let all = workspace.requests(&session_id(&format!("s-{key}")), after, limit).await.unwrap();
            let line = |r: store::spending::Request| (r.number, r.id, r.seq, r.model.unwrap_or_default(), r.is_copy);
            all.into_iter().map(line).collect::<Vec<_>>()
        };
        let line =
            |number, id: &str, seq, model: &str, is_copy| (number, id.to_owned(), seq, model.to_owned(), is_copy);
        let expected = [
            line(1, "q1", Some(1), "opus", false),
            line(2, "q2", None, "sonnet", false),
            line(3, "q3", Some(2), "sonnet", false),
        ];
        assert_eq!(listed("a", 0, 10).await, expected);
        assert_eq!(listed("a", 1, 1).await, expected[1..2]);
        assert_eq!(listed("b", 2, 10).await, [line(3, "q3", None, "sonnet", true)]);
        let one = workspace.requests(&session_id("s-a"), 0, 1).await.unwrap().remove(0);
        assert_eq!((one.began_at, one.ended_at), (Some(Micros(ago(600).0 - 5)), ago(600)));
        assert_eq!((one.stop_reason.as_deref(), one.run_is_priced), (Some("end_turn"), false));
    }
}
