//! Opening, closing, opening again; and the lock of a data directory.

use crate::support::{NOW, batch, engines, message, session, session_id};
use std::collections::BTreeMap;
use store::{DataDirLock, LockError, Store, StoreError};

#[tokio::test]
async fn what_was_written_is_there_after_a_restart() {
    for engine in engines().await {
        engine.workspace.write_batch(batch(vec![session("a")], vec![message("a", "m1", "one")])).await.unwrap();
        engine.store.close().await;
        let store = Store::open(&engine.database).await.unwrap();
        let workspace = store.workspace("default");
        assert_eq!(workspace.session(&session_id("s-a"), NOW).await.unwrap().unwrap().last_seq, 1);
        let written = workspace.write_batch(batch(vec![session("b")], vec![message("b", "m2", "x")])).await.unwrap();
        assert_eq!(written.pos, 2);
    }
}

#[tokio::test]
async fn what_is_stored_takes_room() {
    for engine in engines().await {
        let empty = engine.store.size().await.unwrap();
        // No two words are the same, so that hardly anything of it can be compressed.
        let text: String = (0..40_000_u64).map(|n| format!("{:x} ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        engine.workspace.write_batch(batch(vec![session("a")], vec![message("a", "m1", &text)])).await.unwrap();
        let size = engine.store.size().await.unwrap();
        assert!(empty > 0 && size > empty + 200_000, "{empty} {size}");
    }
}

/// The statistics that SQLite plans by: table, index, rows.
async fn statistics(file: &std::path::Path) -> Vec<(String, String, String)> {
    let pool = sqlx::SqlitePool::connect_with(sqlx::sqlite::SqliteConnectOptions::new().filename(file)).await.unwrap();
    let sql = "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx";
    let found = sqlx::query_as(sql).fetch_all(&pool).await.unwrap();
    pool.close().await;
    found
}

#[tokio::test]
async fn a_workspace_is_planned_as_all_rows_whatever_is_stored() {
    for engine in engines().await {
        let store::Database::Sqlite(file) = &engine.database else { continue };
        let found = statistics(file).await;
        let pool =
            sqlx::SqlitePool::connect_with(sqlx::sqlite::SqliteConnectOptions::new().filename(file)).await.unwrap();
        let indexes: Vec<(String, String)> = sqlx::query_as(
            "SELECT t.name, CASE WHEN t.wr = 1 AND i.origin = 'pk' THEN t.name ELSE i.name END AS statistics_name \
             FROM pragma_table_list t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c \
             WHERE t.schema = 'main' AND t.type = 'table' AND c.seqno = 0 AND c.name = 'workspace_id' \
             ORDER BY t.name, statistics_name",
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        assert!(indexes.len() > 80);
        assert_eq!(found.iter().map(|(table, index, _)| (table.clone(), index.clone())).collect::<Vec<_>>(), indexes);
        for (table, index, rows) in &found {
            let rows: Vec<&str> = rows.split(' ').collect();
            assert_eq!(rows[0], rows[1], "{table} {index}");
        }
        // Statistics of an almost empty store would tell the planner that reading whole tables is cheap.
        engine.workspace.write_batch(batch(vec![session("a")], vec![message("a", "m1", "one")])).await.unwrap();
        sqlx::raw_sql("ANALYZE").execute(&pool).await.unwrap();
        pool.close().await;
        engine.store.close().await;
        assert_ne!(statistics(file).await, found);
        Store::open(&engine.database).await.unwrap().close().await;
        assert_eq!(statistics(file).await, found);
    }
}

/// The number of the last file of migrations.
fn newest_migration() -> i64 {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../migrations/sqlite")).unwrap();
    let number = |name: std::ffi::OsString| name.to_str().unwrap().split_once('_').unwrap().0.parse().unwrap();
    files.map(|file| number(file.unwrap().file_name())).max().unwrap()
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    for engine in engines().await {
        let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
            VALUES (9000, 'from the future', TRUE, $1, 0)";
        match &engine.database {
            store::Database::Sqlite(file) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
                sqlx::query(sql).bind(vec![0_u8]).execute(&pool).await.unwrap();
                pool.close().await;
            }
            store::Database::Postgres(url) => {
                let pool = sqlx::PgPool::connect(url).await.unwrap();
                sqlx::query(sql).bind(vec![0_u8]).execute(&pool).await.unwrap();
                pool.close().await;
            }
        }
        let error = Store::open(&engine.database).await.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 9000, known } if known == newest_migration()), "{error}");
    }
}

/// Runs statements on a database that no store has open.
async fn run(database: &store::Database, sql: &'static str) {
    match database {
        store::Database::Sqlite(file) => {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
            let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
            sqlx::raw_sql(sql).execute(&pool).await.unwrap();
            pool.close().await;
        }
        store::Database::Postgres(url) => {
            let pool = sqlx::PgPool::connect(url).await.unwrap();
            sqlx::raw_sql(sql).execute(&pool).await.unwrap();
            pool.close().await;
        }
    }
}

#[tokio::test]
async fn the_name_in_routing_moves_to_the_preferences() {
    for engine in engines().await {
        engine.store.close().await;
        let before = r#"DELETE FROM _sqlx_migrations WHERE version = 53;
            INSERT INTO meta (workspace_id, key, value) VALUES
            ('none', 'routing', '{"name":"Pynchy","trigger":"mention"}'),
            ('empty', 'preferences', '{"assistant_name":"","editor":"x"}'),
            ('empty', 'routing', '{"name":"Pynchy"}'),
            ('other', 'preferences', '{"assistant_name":"Miller"}'),
            ('other', 'routing', '{"name":"Pynchy"}'),
            ('more', 'preferences', '{"assistant_name":"Miller"}'),
            ('more', 'routing', '{"aliases":["py"],"name":"Pynchy"}'),
            ('same', 'preferences', '{"assistant_name":"Pynchy"}'),
            ('same', 'routing', '{"name":"Pynchy"}'),
            ('own', 'routing', '{"trigger":"always"}'),
            ('own', 'routing/s1', '{"name":"Robin"}')"#;
        run(&engine.database, before).await;
        let store = Store::open(&engine.database).await.unwrap();
        let mut found = Vec::new();
        for workspace in ["none", "empty", "other", "more", "same", "own"] {
            for key in ["preferences", "routing", "routing/s1"] {
                let value = store.workspace(workspace).meta(key).await.unwrap();
                // Each engine has an order of its own.
                let sorted = |json: String| serde_json::from_str::<BTreeMap<String, serde_json::Value>>(&json).unwrap();
                let value = value.map(|value| serde_json::to_string(&sorted(value)).unwrap());
                found.extend(value.map(|value| format!("{workspace} {key} {value}")));
            }
        }
        let moved = [
            r#"none preferences {"assistant_name":"Pynchy"}"#,
            r#"none routing {"trigger":"mention"}"#,
            r#"empty preferences {"assistant_name":"Pynchy","editor":"x"}"#,
            "empty routing {}",
            r#"other preferences {"assistant_name":"Miller"}"#,
            r#"other routing {"aliases":["ghost","Pynchy"]}"#,
            r#"more preferences {"assistant_name":"Miller"}"#,
            r#"more routing {"aliases":["py","Pynchy"]}"#,
            r#"same preferences {"assistant_name":"Pynchy"}"#,
            "same routing {}",
            r#"own routing {"trigger":"always"}"#,
            r#"own routing/s1 {"name":"Robin"}"#,
        ];
        assert_eq!(found, moved);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    for engine in engines().await {
        if let store::Database::Sqlite(file) = &engine.database {
            let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(file.parent().unwrap()), 0o700);
            for entry in file.parent().unwrap().read_dir().unwrap() {
                let path = entry.unwrap().path();
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("verbatim.db");
    std::fs::write(&file, "not a database, and long enough to be read as the header of one".repeat(20)).unwrap();
    let error = Store::open(&store::Database::Sqlite(file)).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
}

/// The errors of `SQLite` itself, told apart by what a person can do about them.
#[tokio::test]
async fn errors_of_sqlite_are_told_apart() {
    let pool = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let run = async |sql: &'static str| sqlx::query(sql).execute(&pool).await.map_err(StoreError::from);
    run("CREATE TABLE grain (data BLOB)").await.unwrap();
    run("PRAGMA max_page_count = 2").await.unwrap();
    let full = run("INSERT INTO grain VALUES (zeroblob(100000))").await.unwrap_err();
    assert!(matches!(full, StoreError::Full), "{full:?}");
    run("PRAGMA query_only = ON").await.unwrap();
    let read_only = run("INSERT INTO grain VALUES ('rye')").await.unwrap_err();
    assert!(matches!(read_only, StoreError::ReadOnly), "{read_only:?}");
    let disk = sqlx::SqlitePool::connect("sqlite:///no/such/folder/file").await.map_err(StoreError::from).unwrap_err();
    assert!(matches!(disk, StoreError::Disk(_)), "{disk:?}");
    for error in [full, read_only, disk] {
        assert!(error.advice().is_some(), "{error}");
    }
}

#[test]
fn a_data_directory_has_one_holder() {
    let dir = tempfile::tempdir().unwrap();
    let held = DataDirLock::acquire(dir.path()).unwrap();
    let error = DataDirLock::acquire(dir.path()).unwrap_err();
    assert!(matches!(&error, LockError::Held { holder, .. } if *holder == std::process::id().to_string()), "{error}");
    drop(held);
    DataDirLock::acquire(dir.path()).unwrap();
}

/// Connections that a restarted server has ended aren't found by who writes next.
#[tokio::test]
async fn the_first_write_after_the_servers_end_is_done() {
    for engine in engines().await {
        let store::Database::Postgres(url) = &engine.database else { continue };
        let write =
            async |id: &str| engine.workspace.write_batch(batch(vec![session("s")], vec![message("s", id, "x")])).await;
        // Both writers have a connection.
        let (one, two) = tokio::join!(write("one"), write("two"));
        assert_eq!((one.unwrap().messages_added, two.unwrap().messages_added), (1, 1));
        let other = sqlx::PgPool::connect(url).await.unwrap();
        sqlx::raw_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE application_name = 'verbatim' AND datname = current_database()",
        )
        .execute(&other)
        .await
        .unwrap();
        assert_eq!(write("three").await.unwrap().messages_added, 1);
        assert_eq!(engine.workspace.feed_pos().await.unwrap(), 3);
    }
}
