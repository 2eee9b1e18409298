//! Sums that are kept as rows are written: always what the rows give.

use crate::support::{Engine, NOW, ago, batch, by, engines, message, message_id, session, session_id};
use model::{CopyMarks, Micros, Role, Run, RunOutcome, Spent, Usage};
use serde_json::json;
use sqlx::AssertSqlSafe;
use store::stats::StatsQuery;
use store::{Database, LiveEdit, LiveWrite, MessageUpsert, Retraction, RunUpsert, SessionFilter, Store};

/// Sums that aren't those of the rows, and whatever else is wrong.
async fn faults(store: &Store) -> Vec<String> {
    store.faults().await.unwrap()
}

/// Numbers that look like chance, the same ones at each run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % sides).unwrap()
    }

    fn chance(&mut self, sides: u64) -> bool {
        self.throw(sides) == 0
    }

    fn time(&mut self) -> Micros {
        if self.chance(9) { Micros(0) } else { ago(self.throw(500_000)) }
    }

    fn message(&mut self, key: &str) -> MessageUpsert {
        // Few ids: most are there already, some in another session.
        let id = format!("m{}", self.throw(12));
        let role = if self.chance(3) { Role::User } else { Role::Assistant };
        let mut message = by(role, key, &id, &format!("words {}", self.throw(4)));
        message.draft.created_at = self.time();
        message.marks = CopyMarks { is_copy: self.chance(3), ..CopyMarks::default() };
        if self.chance(2) {
            let error = self.chance(2).then_some("failed");
            let payload =
                json!({"tool_name": format!("tool-{}", self.throw(2)), "input": {}, "output": "x", "error": error});
            let metadata = json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload});
            message.draft.metadata = metadata.as_object().cloned();
        }
        message
    }

    fn run(&mut self, key: &str) -> RunUpsert {
        let model = |dice: &mut Self| (!dice.chance(3)).then(|| format!("model-{}", dice.throw(2)));
        let requests = self.throw(4);
        let spent = (0..requests).map(|_| Spent {
            id: format!("q{}", self.throw(9)),
            usage: Usage {
                input: self.throw(600_000),
                output: self.throw(9),
                cache_read: 3,
                cache_write: self.throw(3),
            },
            cache_write_1h: 1,
            model: model(self),
            ended_at: Some(self.time()),
            cost_usd: (!self.chance(2)).then_some(0.1),
            is_copy: self.chance(3),
            ..Spent::default()
        });
        let mut spent: Vec<Spent> = spent.collect();
        spent.sort_by(|a, b| a.id.cmp(&b.id));
        spent.dedup_by(|a, b| a.id == b.id);
        let run = Run {
            id: format!("r{}", self.throw(4)),
            model: model(self),
            started_at: self.time(),
            ended_at: None,
            outcome: RunOutcome::Done,
            usage: Usage { input: 7, ..Usage::default() },
            cost_usd: [None, Some(0.0), Some(0.3)][usize::try_from(self.throw(3)).unwrap()],
        };
        RunUpsert { session_key: key.to_owned(), run, spent }
    }

    /// Something that happens to a session.
    async fn step(&mut self, engine: &Engine) {
        let key = format!("k{}", self.throw(4));
        let id = session_id(&format!("s-{key}"));
        let edit = |change: &dyn Fn(&mut LiveEdit)| {
            let mut edit = LiveEdit::new(id.clone());
            change(&mut edit);
            LiveWrite::Edit(Box::new(edit))
        };
        let write = match self.throw(10) {
            0 => edit(&|edit| edit.deleted_at = Some(Some(NOW))),
            1 => edit(&|edit| edit.deleted_at = Some(None)),
            2 => edit(&|edit| edit.archived_at = Some(Some(NOW))),
            3 => edit(&|edit| edit.archived_at = Some(None)),
            4 => {
                if self.chance(3) {
                    engine.workspace.forget_deleted(Micros(0)..Micros(i64::MAX), NOW).await.unwrap();
                }
                return;
            }
            _ => {
                let mut upsert = session(&key);
                upsert.facts.project = (!self.chance(4)).then(|| format!("/work/{}", self.throw(2)));
                upsert.parent_key = self.chance(4).then(|| format!("k{}", self.throw(4)));
                let messages = (0..self.throw(5)).map(|_| self.message(&key)).collect();
                let mut write = batch(vec![upsert], messages);
                write.runs = (0..self.throw(3)).map(|_| self.run(&key)).collect();
                if self.chance(3) {
                    let id = message_id(&format!("m{}", self.throw(12)));
                    write.retractions = vec![Retraction { agent: "demo".to_owned(), session_key: key, id }];
                }
                engine.workspace.write_batch(write).await.unwrap();
                return;
            }
        };
        engine.workspace.write_live(&[write], NOW).await.unwrap();
    }
}

#[tokio::test]
async fn sums_are_those_of_the_rows_whatever_happens() {
    for seed in 0..12 {
        for engine in engines().await {
            let mut dice = Dice(seed);
            for number in 0..25 {
                dice.step(&engine).await;
                assert_eq!(faults(&engine.store).await, Vec::<String>::new(), "seed {seed}, step {number}");
            }
        }
    }
}

/// A database of the version before gets its sums from the rows.
#[tokio::test]
async fn an_older_database_is_summed_up_when_it_is_opened() {
    let engine = engines().await.remove(0);
    let Database::Sqlite(file) = engine.database.clone() else { return };
    let mut dice = Dice(7);
    for _ in 0..30 {
        dice.step(&engine).await;
    }
    let all = StatsQuery { from: Micros(0), to: Micros(i64::MAX), ..StatsQuery::default() };
    let stats = engine.workspace.stats(&all).await.unwrap();
    assert!(!stats.spending.is_empty() && !stats.tools.is_empty());
    engine.store.close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    for sql in [
        "DROP INDEX spent_last",
        "CREATE INDEX message_time ON message (workspace_id, created_at)",
        "CREATE INDEX tool_use_time ON tool_use (workspace_id, created_at)",
        "CREATE INDEX spent_time ON spent (workspace_id, ended_at)",
        "DROP TABLE session_spending",
        "DROP TABLE session_activity",
        "DROP TABLE rollup_spending",
        "DROP TABLE rollup_activity",
        "DROP TABLE rollup_use",
        "DROP TABLE session_facet",
        "DROP INDEX session_listed",
        "DROP INDEX session_needs_you",
        "DROP INDEX session_archived",
        "DROP INDEX session_pinned",
        "DROP INDEX message_todo",
        "CREATE INDEX session_last ON session (workspace_id, last_minute)",
        "ALTER TABLE session DROP COLUMN has_parent",
        "ALTER TABLE session DROP COLUMN listed",
        "ALTER TABLE session DROP COLUMN needs_you",
        "ALTER TABLE session DROP COLUMN machine_id",
        "DROP TABLE machine",
        "DELETE FROM _sqlx_migrations WHERE version IN (40, 41, 61)",
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(&pool).await.unwrap();
    }
    pool.close().await;
    let store = Store::open(&engine.database).await.unwrap();
    assert_eq!(faults(&store).await, Vec::<String>::new());
    assert_eq!(store.workspace("default").stats(&all).await.unwrap(), stats);
}

/// A session counts once on each day, and once in the whole time.
#[tokio::test]
async fn a_session_counts_once_on_each_day() {
    const HOUR: i64 = 3_600;
    for engine in engines().await {
        let at = |id: &str, hours: i64| {
            let mut said = message("a", id, "x");
            said.draft.created_at = Micros((1_000 * 24 + hours) * HOUR * Micros::SECOND);
            said
        };
        // Later ones first: what lies between two slots comes after them.
        for said in [at("m1", 30), at("m2", 2), at("m3", 25), at("m4", 26)] {
            engine.workspace.write_batch(batch(vec![session("a")], vec![said])).await.unwrap();
        }
        engine
            .workspace
            .write_batch(batch(vec![session("b")], vec![MessageUpsert { session_key: "b".to_owned(), ..at("n1", 25) }]))
            .await
            .unwrap();
        let figures = async |from: i64, to: i64, offset: i64| {
            let query = StatsQuery {
                from: Micros((1_000 * 24 + from) * HOUR * Micros::SECOND),
                to: Micros((1_000 * 24 + to) * HOUR * Micros::SECOND),
                offset: offset * HOUR * Micros::SECOND,
                ..StatsQuery::default()
            };
            let stats = engine.workspace.stats(&query).await.unwrap();
            let days: Vec<_> = stats.days.iter().map(|day| (day.key, day.sessions, day.messages)).collect();
            (days, stats.total.sessions, stats.total.messages)
        };
        assert_eq!(figures(0, 48, 0).await, (vec![(1_000, 1, 1), (1_001, 2, 4)], 2, 5));
        assert_eq!(figures(24, 48, 0).await, (vec![(1_001, 2, 4)], 2, 4));
        assert_eq!(figures(26, 48, 0).await, (vec![(1_001, 1, 2)], 1, 2));
        // Three hours behind UTC the day begins at three.
        assert_eq!(figures(0, 48, -3).await, (vec![(999, 1, 1), (1_000, 2, 3), (1_001, 1, 1)], 2, 5));
        let retractions = [("a", "m3"), ("a", "m4")].map(|(key, id)| Retraction {
            agent: "demo".to_owned(),
            session_key: key.to_owned(),
            id: message_id(id),
        });
        let mut write = batch(vec![session("a")], Vec::new());
        write.retractions = retractions.to_vec();
        engine.workspace.write_batch(write).await.unwrap();
        assert_eq!(faults(&engine.store).await, Vec::<String>::new());
        let page =
            engine.workspace.sessions(&SessionFilter { spoken: true, ..SessionFilter::new(NOW, 10) }).await.unwrap();
        assert_eq!(page.total, 2);
    }
}
