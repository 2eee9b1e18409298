//! The audit log: in order, without gaps, never changed; and what a check of it finds.

use crate::support::{Engine, NOW, engines};
use model::audit::{Actor, Event};
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};
use store::{AgentKey, AuditCheck, AuditFault, Database, FaultReason, Store, Usage};

/// Another program on the database.
pub enum Other {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Other {
    pub async fn of(engine: &Engine) -> Self {
        match &engine.database {
            Database::Sqlite(file) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                Self::Sqlite(SqlitePool::connect_with(options).await.unwrap())
            }
            Database::Postgres(url) => Self::Postgres(PgPool::connect(url).await.unwrap()),
        }
    }

    pub async fn run(&self, sql: &str) -> Result<u64, String> {
        let sql = AssertSqlSafe(sql.to_owned());
        let error = |error: sqlx::Error| error.to_string();
        match self {
            Self::Sqlite(pool) => sqlx::query(sql).execute(pool).await.map(|done| done.rows_affected()).map_err(error),
            Self::Postgres(pool) => {
                sqlx::query(sql).execute(pool).await.map(|done| done.rows_affected()).map_err(error)
            }
        }
    }

    pub async fn text(&self, sql: &str) -> String {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.unwrap(),
            Self::Postgres(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.unwrap(),
        }
    }

    /// Switches the triggers off, as whoever owns the database can.
    async fn disarm(&self) {
        match self {
            Self::Sqlite(_) => {
                for name in ["audit_update", "audit_delete", "audit_insert"] {
                    self.run(&format!("DROP TRIGGER {name}")).await.unwrap();
                }
            }
            Self::Postgres(_) => {
                self.run("ALTER TABLE audit DISABLE TRIGGER ALL").await.unwrap();
            }
        }
    }
}

pub async fn write(engine: &Engine, entries: u64) {
    let workspace = engine.workspace.signed(Actor::Command, NOW);
    for count in 1..=entries {
        workspace.record_event(Event::LogInRefused { count }).await.unwrap();
    }
}

async fn fault(engine: &Engine) -> Option<AuditFault> {
    engine.workspace.check_audit().await.unwrap().fault
}

#[tokio::test]
async fn an_empty_log_is_whole() {
    for engine in engines().await {
        assert_eq!(engine.workspace.check_audit().await.unwrap(), AuditCheck::default());
        // Without a signature nothing is told.
        engine.workspace.record_event(Event::LogInBegan).await.unwrap();
        assert_eq!(engine.workspace.audit_before(i64::MAX, &[], 10).await.unwrap(), []);
    }
}

#[tokio::test]
async fn entries_are_neither_changed_nor_deleted() {
    for engine in engines().await {
        write(&engine, 3).await;
        let other = Other::of(&engine).await;
        let mut refused = vec!["UPDATE audit SET kind = 'x' WHERE number = 2", "DELETE FROM audit WHERE number = 3"];
        refused.push(match other {
            Other::Sqlite(_) => {
                "REPLACE INTO audit SELECT workspace_id, 2, kind, entry, hash FROM audit WHERE number = 1"
            }
            Other::Postgres(_) => "TRUNCATE audit",
        });
        for sql in refused {
            let error = other.run(sql).await.unwrap_err();
            assert!(error.contains("the audit log is append-only"), "{sql}: {error}");
        }
        let check = engine.workspace.check_audit().await.unwrap();
        assert_eq!((check.entries, check.fault), (3, None));
    }
}

#[tokio::test]
async fn one_changed_byte_is_found() {
    for engine in engines().await {
        write(&engine, 3).await;
        let other = Other::of(&engine).await;
        other.disarm().await;
        let expected = Some(AuditFault { number: 2, reason: FaultReason::Changed });
        for column in ["entry", "hash", "kind"] {
            let written = other.text(&format!("SELECT {column} FROM audit WHERE number = 2")).await;
            let put = async |text: &str| {
                let sql = format!("UPDATE audit SET {column} = '{}' WHERE number = 2", text.replace('\'', "''"));
                assert_eq!(other.run(&sql).await.unwrap(), 1);
            };
            for at in 0..written.len() {
                let mut bytes = written.clone().into_bytes();
                bytes[at] ^= 1;
                put(&String::from_utf8(bytes).unwrap()).await;
                assert_eq!(fault(&engine).await, expected, "byte {at} of {column}");
            }
            put(&written).await;
            assert_eq!(fault(&engine).await, None);
        }
    }
}

#[tokio::test]
async fn missing_and_replaced_entries_are_found() {
    for engine in engines().await {
        write(&engine, 4).await;
        let elsewhere = engine.store.workspace("other").signed(Actor::Verbatim, NOW);
        elsewhere.record_event(Event::LogInRefused { count: 7 }).await.unwrap();
        let other = Other::of(&engine).await;
        other.disarm().await;
        // The first entry of another log is as whole as ours was.
        let replaced = "UPDATE audit SET (kind, entry, hash) = (SELECT kind, entry, hash FROM audit \
            WHERE workspace_id = 'other') WHERE workspace_id = 'default' AND number = 1";
        other.run(replaced).await.unwrap();
        assert_eq!(fault(&engine).await, Some(AuditFault { number: 2, reason: FaultReason::Unchained }));
        other.run("DELETE FROM audit WHERE workspace_id = 'default' AND number < 3").await.unwrap();
        assert_eq!(fault(&engine).await, Some(AuditFault { number: 3, reason: FaultReason::Missing }));
        assert_eq!(engine.store.workspace("other").check_audit().await.unwrap().fault, None);
    }
}

/// Two servers, many writers of each: one order, without gaps.
#[tokio::test(flavor = "multi_thread")]
async fn writers_at_once_make_one_chain() {
    const WRITERS: usize = 8;
    const EACH: usize = 10;
    for engine in engines().await {
        let second = Store::open(&engine.database).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            let store = if writer % 2 == 0 { engine.store.clone() } else { second.clone() };
            tasks.spawn(async move {
                let workspace = store.workspace("default").signed(Actor::Command, NOW);
                for number in 0..EACH {
                    let id = format!("k{writer}-{number}");
                    let key = AgentKey {
                        name: id.clone(),
                        hash: id.clone(),
                        id,
                        scopes: vec!["post".to_owned()],
                        created_at: NOW,
                        expires_at: None,
                        last_used_at: None,
                        revoked_at: None,
                        posted: Usage::default(),
                        quota: Usage::default(),
                    };
                    workspace.put_agent_key(&key).await.unwrap();
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        let check = engine.workspace.check_audit().await.unwrap();
        assert_eq!((check.entries, check.fault), ((WRITERS * EACH) as i64, None));
        let newest = engine.workspace.audit_before(i64::MAX, &[], 500).await.unwrap();
        let numbers: Vec<i64> = newest.iter().map(|entry| entry.number).collect();
        assert_eq!(numbers, (1..=(WRITERS * EACH) as i64).rev().collect::<Vec<_>>());
        second.close().await;
    }
}
