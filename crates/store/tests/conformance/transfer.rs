//! A database as parts, and a database from parts: on the other engine, cut in the middle, and where it can't be.

use crate::archive;
use crate::audit::{self, Other};
use crate::support::{Engine, engines};
use std::collections::BTreeMap;
use store::transfer::{Chain, Part, Source, Table, Target, TransferError};
use store::{Database, Store, StoreError};

/// All parts of all tables.
async fn parts(source: &mut Source) -> Vec<(Table, Vec<Part>)> {
    let mut all = Vec::new();
    for table in source.tables.clone() {
        let mut parts = Vec::new();
        let take = async |part| {
            parts.push(part);
            Ok::<_, StoreError>(())
        };
        source.read(&table, take).await.unwrap();
        all.push((table, parts));
    }
    all
}

fn chains(parts: &[(Table, Vec<Part>)]) -> BTreeMap<String, (u64, Chain)> {
    let chain = |parts: &[Part]| {
        let mut chain = Chain::default();
        for part in parts {
            chain.add(&part.sha256());
        }
        (parts.iter().map(|part| part.rows).sum(), chain)
    };
    parts.iter().map(|(table, parts)| (table.name.clone(), chain(parts))).collect()
}

async fn read(database: &Database) -> (i64, Vec<(Table, Vec<Part>)>) {
    let mut source = Source::open(database).await.unwrap();
    let parts = parts(&mut source).await;
    let schema = source.schema;
    source.close().await.unwrap();
    (schema, parts)
}

/// Writes up to `most` parts, those that were written before included.
async fn write(target: &mut Target, parts: &[(Table, Vec<Part>)], most: usize) {
    let all = parts.iter().flat_map(|(table, parts)| parts.iter().map(move |part| (table, part)));
    for (table, part) in all.take(most) {
        target.write(&table.name, &table.columns, part).await.unwrap();
    }
}

/// Rows in each table that hold more than a fresh database has, and in the tables whose columns have all types.
async fn fill(engine: &Engine) {
    archive::fill(engine).await;
    audit::write(engine, 3).await;
    let other = Other::of(engine).await;
    for (table, columns, values) in [
        ("login", "workspace_id, hash, created_at, expires_at, last_used_at, label", "'default', 'h', 1, 2, 3, 'Ada'"),
        ("project", "workspace_id, path, following, updated_at", "'default', '/work/\u{1f600}', 'on', 4"),
        ("project", "workspace_id, path, following, updated_at", "'default', '/work/Z', 'on', 4"),
        ("project", "workspace_id, path, following, updated_at", "'default', '/work/a b', 'off', -4"),
    ] {
        other.run(&format!("INSERT INTO {table} ({columns}) VALUES ({values})")).await.unwrap();
    }
}

/// Of each engine, a database that is empty and has no tables.
async fn empty() -> Vec<Engine> {
    let engines = engines().await;
    for engine in &engines {
        engine.store.close().await;
        match &engine.database {
            Database::Sqlite(file) => std::fs::remove_dir_all(file.parent().unwrap()).unwrap(),
            Database::Postgres(_) => {
                let other = Other::of(engine).await;
                other.run("DROP SCHEMA public CASCADE").await.unwrap();
                other.run("CREATE SCHEMA public").await.unwrap();
            }
        }
    }
    engines
}

#[tokio::test]
async fn both_engines_list_the_same_tables_columns_and_keys() {
    let mut lists = Vec::new();
    for engine in engines().await {
        let source = Source::open(&engine.database).await.unwrap();
        lists.push((source.schema, source.tables.clone()));
        source.close().await.unwrap();
    }
    assert!(lists[0].1.len() > 40, "{} tables", lists[0].1.len());
    assert!(lists[0].1.iter().all(|table| !table.name.starts_with("message_search")));
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:#?}");
}

#[tokio::test]
async fn every_engine_is_filled_from_every_other_one() {
    for engine in engines().await {
        fill(&engine).await;
        let (schema, sent) = read(&engine.database).await;
        let filled = sent.iter().filter(|(_, parts)| !parts.is_empty()).count();
        assert!(filled > 20, "{filled} tables with rows");
        for other in empty().await {
            let mut target = Target::begin(&other.database, schema).await.unwrap();
            write(&mut target, &sent, usize::MAX).await;
            let mut source = target.source().await.unwrap();
            assert_eq!(chains(&parts(&mut source).await), chains(&sent));
            source.close().await.unwrap();
            target.finish().await.unwrap();
            let store = Store::open(&other.database).await.unwrap();
            assert_eq!(store.faults().await.unwrap(), Vec::<String>::new());
            assert!(store.workspace("default").check_audit().await.unwrap().fault.is_none());
            store.close().await;
        }
    }
}

#[tokio::test]
async fn a_transfer_that_was_cut_goes_on_and_notices_another_source() {
    for engine in engines().await {
        fill(&engine).await;
        let (schema, sent) = read(&engine.database).await;
        let whole: usize = sent.iter().map(|(_, parts)| parts.len()).sum();
        for other in empty().await {
            for most in 0..whole {
                let mut target = Target::begin(&other.database, schema).await.unwrap();
                assert_eq!(target.goes_on(), most > 1);
                write(&mut target, &sent, most).await;
                target.close().await;
            }
            // No server takes half of it for the whole.
            match &other.database {
                Database::Sqlite(file) => assert!(!file.exists()),
                Database::Postgres(_) => {
                    let error = Store::open(&other.database).await.unwrap_err();
                    assert!(matches!(error, StoreError::Incomplete), "{error}");
                }
            }
            let mut target = Target::begin(&other.database, schema).await.unwrap();
            let (table, own) = sent.iter().find(|(_, parts)| !parts.is_empty()).unwrap();
            let changed = Part { rows: 1, bytes: own[0].bytes[1..].to_vec() };
            let error = target.write(&table.name, &table.columns, &changed).await.unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("what was transferred of table {} before isn't what comes now", table.name)
            );
            target.close().await;
            let mut target = Target::begin(&other.database, schema).await.unwrap();
            write(&mut target, &sent, usize::MAX).await;
            let mut source = target.source().await.unwrap();
            assert_eq!(chains(&parts(&mut source).await), chains(&sent));
            source.close().await.unwrap();
            target.finish().await.unwrap();
        }
    }
}

#[tokio::test]
async fn what_is_used_newer_or_of_another_form_is_refused() {
    for engine in engines().await {
        fill(&engine).await;
        let (schema, _) = read(&engine.database).await;
        let error = Target::begin(&engine.database, schema).await.unwrap_err();
        assert!(matches!(error, TransferError::Used(_)), "{error}");
        for other in empty().await {
            let error = Target::begin(&other.database, schema + 1).await.unwrap_err();
            let expected =
                format!("the database is of a newer version (schema {}, this program knows {schema})", schema + 1);
            assert_eq!(error.to_string(), expected);
            let mut target = Target::begin(&other.database, schema).await.unwrap();
            let part = Part { rows: 1, bytes: vec![0x81, 0x01] };
            let columns = |name: &str| vec![name.to_owned()];
            let error = target.write("nothing", &columns("id"), &part).await.unwrap_err();
            assert_eq!(error.to_string(), "there is no table nothing");
            let error = target.write("meta", &columns("id"), &part).await.unwrap_err();
            assert_eq!(error.to_string(), "table meta has no column id");
            let error = target.write("meta", &columns("value"), &part).await.unwrap_err();
            assert!(error.to_string().starts_with("stored data can't be read: a row of a part: "), "{error}");
            target.close().await;
        }
    }
}

/// Rows are in the same parts whatever was added before and behind them: what a backup stores again is little.
#[tokio::test]
async fn a_row_that_is_added_changes_few_parts() {
    for engine in engines().await {
        let other = Other::of(&engine).await;
        let numbers = "WITH RECURSIVE number (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM number WHERE n < 20009)";
        let path = "'/p/' || substr(CAST(100000000 + n AS TEXT), 2) || '/abcdefghijklmnopqrstuvwxyz0123456789'";
        let path = format!("{path} || replace('0123456789', '0', '{}')", "x".repeat(450));
        let sql = format!(
            "INSERT INTO project (workspace_id, path, following, updated_at) {numbers} SELECT 'default', {path}, 'on', n FROM number"
        );
        assert_eq!(other.run(&sql).await.unwrap(), 20_000);
        let (_, before) = read(&engine.database).await;
        let sql = "INSERT INTO project (workspace_id, path, following, updated_at) \
             VALUES ('default', '/p/0', 'on', 1), ('default', '/p/00010000', 'on', 2), ('default', '/q', 'on', 2)";
        assert_eq!(other.run(sql).await.unwrap(), 3);
        let (_, after) = read(&engine.database).await;
        let of = |parts: &[(Table, Vec<Part>)]| {
            parts.iter().find(|(table, _)| table.name == "project").map(|(_, parts)| parts.clone()).unwrap()
        };
        let (before, after) = (of(&before), of(&after));
        assert_eq!(after.iter().map(|part| part.rows).sum::<u64>(), 20_003);
        assert!(before.len() > 10, "{} parts", before.len());
        let new = after.iter().filter(|part| !before.contains(part)).count();
        assert!(new <= 5, "{new} of {} parts are new", after.len());
    }
}
