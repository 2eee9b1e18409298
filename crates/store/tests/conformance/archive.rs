//! Archives: what is written comes back as it was, and everything that belongs to a session is written.

use crate::support::{Engine, NOW, batch, bytes, count, digest, engines, message, record, session, session_id, upload};
use model::view::FileChange;
use model::{Body, Draft, MessageId, Micros, Run, RunOutcome, SessionId, Usage};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{
    Database, Derive, Driven, DrivenState, FileChanged, FileQuery, LivePost, LiveWrite, NewMessage, NewSession, Origin,
    RunUpsert, SearchQuery, StoreError, Sums,
};

#[expect(clippy::unnecessary_wraps, reason = "messages without words have none")]
fn search_text(draft: &Draft, _: &Body) -> Option<String> {
    Some(draft.content.clone())
}

fn files(draft: &Draft, _: &Body) -> Vec<FileChanged> {
    let changed = |path: &str| FileChanged { path: path.to_owned(), change: FileChange::Added, added: 1, removed: 0 };
    draft.content.split_once("once ").map(|(_, path)| changed(path)).into_iter().collect()
}

async fn archived(engine: &Engine, ids: &[&str]) -> Vec<u8> {
    let mut archive = engine.workspace.archive(ids.iter().map(|id| session_id(id)).collect(), None);
    let mut all = Vec::new();
    while let Some(piece) = archive.next_piece().await.unwrap() {
        all.extend(piece);
    }
    all
}

async fn restore(engine: &Engine, archive: &[u8]) -> Result<Vec<SessionId>, StoreError> {
    let text = String::from_utf8(archive.to_vec()).unwrap();
    let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
    let mut next = || Ok(lines.next());
    engine
        .workspace
        .restore(Micros(NOW.0 + 5), &mut next, Derive { search_text, files })
        .await
        .map(|restored| restored.sessions)
}

/// A session from a file, with a blob, a run and bytes that are no text, and its sub-agent's.
pub async fn fill(engine: &Engine) {
    let workspace = &engine.workspace;
    let parent = session("a");
    let mut child = session("a-child");
    child.parent_key = Some("a".to_owned());
    let mut one = message("a", "m1", "needle one \u{0} NUL");
    one.draft.metadata =
        serde_json::from_str(r#"{"z": 0.1, "a": [1e300, -0.0, 12345678901234567890], "n": null}"#).unwrap();
    one.records = vec![record("file", 0, 3)];
    let mut call = message("a", "m2", "");
    call.draft.metadata = serde_json::from_str(
        r#"{"message_type": "TOOL_CALL", "version": 1, "payload": {"tool_name": "Bash", "input": {}, "output": "x"}}"#,
    )
    .unwrap();
    call.records = vec![record("file", 3, 2)];
    let run = Run {
        id: "run-1".to_owned(),
        model: Some("opus".to_owned()),
        started_at: Micros(5),
        ended_at: Some(Micros(9)),
        outcome: RunOutcome::Done,
        usage: Usage { input: 1, output: 2, cache_read: 3, cache_write: 4 },
        cost_usd: Some(0.1 + 0.2),
    };
    let mut write = batch(vec![parent, child], vec![one, call, message("a-child", "m1", "of the child")]);
    let content = b"one\xfft";
    let mut source = bytes("file", 0, content);
    source.sha256 = digest(content);
    write.source = Some(source);
    write.runs = vec![RunUpsert { session_key: "a".to_owned(), run, spent: Vec::new() }];
    workspace.write_batch(write).await.unwrap();
    // A later version of a message, one that is taken back, and a large file.
    let again = message("a", "m1", "needle once more");
    workspace.write_batch(batch(vec![session("a")], vec![again])).await.unwrap();
    let (blob, _) = upload(workspace, &vec![7; (1 << 20) + 9], "image/png", None, NOW).await;
    workspace.attach_blob(&session_id("s-a"), &blob.sha256, None).await.unwrap();
    let (small, _) = upload(workspace, b"\xff small", "image/png", None, NOW).await;
    workspace.attach_blob(&session_id("s-a"), &small.sha256, None).await.unwrap();
    workspace.put_driven(&driven("", None)).await.unwrap();
}

fn driven(folder: &str, mode: Option<&str>) -> Driven {
    Driven {
        session: session_id("s-a"),
        program: "claude".to_owned(),
        command: None,
        folder: folder.to_owned(),
        mode: mode.map(str::to_owned),
        model: mode.map(|_| "opus".to_owned()),
        state: DrivenState::Ended,
        reason: None,
        started_at: NOW,
        ended_at: Some(NOW),
        server: mode.map(|_| "north".to_owned()),
    }
}

/// Choices and decisions in an archive count as made by nobody here.
#[tokio::test]
async fn choices_and_decisions_of_an_archive_are_not_ours() {
    for (from, to) in engines().await.into_iter().zip(engines().await) {
        fill(&from).await;
        let started = driven("/", Some("bypassPermissions"));
        let running = Driven { state: DrivenState::Running, command: Some("[\"sh\"]".to_owned()), ..started };
        from.workspace.put_driven(&running).await.unwrap();
        let mut decided = message("a", "ask", "");
        decided.draft.metadata = serde_json::from_str(
            r#"{"message_type": "APPROVAL", "version": 1, "payload": {"kind": "permission", "title": "Run rm",
                "state": "allowed_once", "questions": [], "fields": [], "decision": {"state": "allowed_once",
                "by": "owner", "via": "web", "shown_sha256": "00"}}}"#,
        )
        .unwrap();
        let mut reported = message("a", "reported", "");
        reported.draft.metadata = serde_json::from_str(
            &serde_json::to_string(&decided.draft.metadata)
                .unwrap()
                .replace(r#""by":"owner""#, r#""by":"key","reported_by":"bot""#),
        )
        .unwrap();
        from.workspace.write_batch(batch(vec![session("a")], vec![decided, reported])).await.unwrap();
        restore(&to, &archived(&from, &["s-a"]).await).await.unwrap();
        let edits = to.workspace.file_edits(&FileQuery { limit: 9, ..FileQuery::default() }).await.unwrap().edits;
        assert_eq!(edits.into_iter().map(|edit| edit.file.path).collect::<Vec<_>>(), ["more"]);
        let expected = Driven { state: DrivenState::Interrupted, ..driven("", None) };
        assert_eq!(to.workspace.driven(&session_id("s-a")).await.unwrap(), Some(expected));
        assert!(!to.workspace.recent_folders(9).await.unwrap().contains(&String::new()));
        let via = async |id: &str| {
            let id = MessageId::parse(id).unwrap();
            let found = to.workspace.message(&session_id("s-a"), &id).await.unwrap().unwrap();
            let Body::Approval(approval) = Body::of(&found.message.draft) else { panic!("{found:?}") };
            let decision = approval.decision.unwrap();
            (decision.is_by_archive(), decision.by)
        };
        assert_eq!(via("ask").await, (true, Some("owner".to_owned())));
        assert_eq!(via("reported").await, (false, Some("key".to_owned())));
        // Read once more it is as it is now.
        let third = engines().await.swap_remove(0);
        let archive = archived(&to, &["s-a"]).await;
        restore(&third, &archive).await.unwrap();
        assert_eq!(archived(&third, &["s-a"]).await, archive);
    }
}

#[tokio::test]
async fn what_is_read_back_is_written_as_before() {
    for (from, to) in engines().await.into_iter().zip(engines().await) {
        fill(&from).await;
        let archive = archived(&from, &["s-a", "s-a-child"]).await;
        // The same on each engine, but for what replaces NUL there.
        assert_eq!(restore(&to, &archive).await.unwrap(), [session_id("s-a"), session_id("s-a-child")]);
        assert_eq!(String::from_utf8(archived(&to, &["s-a", "s-a-child"]).await), String::from_utf8(archive.clone()));
        let query = SearchQuery { text: "needle".to_owned(), limit: 5, ..SearchQuery::default() };
        assert_eq!(to.workspace.search(&query).await.unwrap().total, 1);
        for table in TABLES {
            assert_eq!(count(&to, table).await, count(&from, table).await, "{table}");
        }
        assert_eq!(
            to.workspace.counts(&session_id("s-a")).await.unwrap(),
            from.workspace.counts(&session_id("s-a")).await.unwrap()
        );
    }
}

const TABLES: [&str; 11] = [
    "session",
    "message",
    "message_count",
    "tool_use",
    "source",
    "record_chunk",
    "session_source",
    "session_blob",
    "blob",
    "blob_piece",
    "run",
];

/// Nothing is stored of an archive that isn't whole, or whose session is here.
#[tokio::test]
async fn what_is_wrong_is_named_and_stores_nothing() {
    for (from, to) in engines().await.into_iter().zip(engines().await) {
        fill(&from).await;
        let archive = String::from_utf8(archived(&from, &["s-a", "s-a-child"]).await).unwrap();
        let lines: Vec<&str> = archive.lines().collect();
        let without = |kind: &str| {
            let begins = format!("{{\"{kind}\":");
            let at = lines.iter().position(|line| line.starts_with(&begins)).unwrap();
            [&lines[..at], &lines[at + 1..]].concat().join("\n")
        };
        let cases = [
            (without("message"), "`seq`: expected 1, got 2"),
            (without("session"), "expected a `session` before its messages"),
            (without("bytes"), "the bytes of the file `/home/ada/file.jsonl` aren't those that `sha256` names"),
            (archive.replace("\"version\":1}}", "\"version\":2}}"), "this one has 2; update Verbatim"),
            (archive.replace("{\"run\":{", "{\"run\":{\"colour\":1,"), "`colour` is an unknown field"),
            (archive.replace("{\"run\":{", "{\"walk\":{"), "`walk` is no line that this version of Verbatim knows"),
            ("{\"verbatim\":{\"version\":1}}".to_owned(), "the archive holds no session"),
        ];
        for (text, reason) in cases {
            let error = restore(&to, text.as_bytes()).await.unwrap_err().to_string();
            assert!(error.contains(reason), "{error} lacks: {reason}");
        }
        for table in TABLES {
            assert_eq!(count(&to, table).await, 0, "{table}");
        }
        let error = restore(&from, archive.as_bytes()).await.unwrap_err().to_string();
        assert!(error.contains("session `s-a` is stored already"), "{error}");
    }
}

/// A session that was posted keeps what makes a repeated request known.
#[tokio::test]
async fn a_posted_session_is_the_same() {
    for (from, to) in engines().await.into_iter().zip(engines().await) {
        let new = NewSession {
            id: session_id("s-p"),
            agent: "mine".to_owned(),
            key: "p".into(),
            parent_key: None,
            facts: model::SessionFacts::default(),
            key_id: Some("key".to_owned()),
            create_hash: Some(vec![0xff, 1]),
            origin: Origin::Posts,
            machine: None,
        };
        let create = || LiveWrite::Create(Box::new(new.clone()));
        let post = || {
            let draft = Draft::text(MessageId::parse("m").unwrap(), model::Role::User, "ada", "needle", NOW);
            let body = Body::of(&draft);
            let display = model::policy::display(&draft);
            let message = NewMessage {
                draft,
                body,
                display,
                search_text: Some("needle".to_owned()),
                remembered: true,
                files: Vec::new(),
                sums: Sums::default(),
            };
            let mut post = LivePost::new(session_id("s-p"), message, vec![3; 32]).unwrap();
            post.queued = true;
            LiveWrite::Post(Box::new(post))
        };
        from.workspace.write_live(&[create(), post()], NOW).await.unwrap();
        let archive = archived(&from, &["s-p"]).await;
        restore(&to, &archive).await.unwrap();
        assert_eq!(archived(&to, &["s-p"]).await, archive);
        let again = to.workspace.write_live(&[create(), post()], NOW).await.unwrap();
        assert_eq!(again.answers.len(), 2);
        assert_eq!(count(&to, "message").await, 1);
        assert_eq!(archived(&to, &["s-p"]).await, archive);
    }
}

/// Each table and column that belongs to a session is in an archive, or named here with the reason.
#[tokio::test]
async fn every_column_of_a_session_is_written() {
    const FOLLOWS: [&str; 7] = [
        "file_change",
        "memory",
        "message_count",
        "session_activity",
        "session_spending",
        "session_source",
        "session_blob",
    ];
    // The feed tells what changed here; the number of a row is this database's; channels, schedules, keys, notifications
    // and running agents with what they are writing are of this server.
    const OURS: [&str; 14] = [
        "agent_run.*",
        "channel_delivery.*",
        "channel_session.*",
        "feed.*",
        "growing_text.*",
        "hook_owner.*",
        "message.rid",
        "message.workspace_id",
        "push_notice.*",
        "schedule.*",
        "session.rid",
        "session.workspace_id",
        "session.changed_pos",
        "share_link.*",
    ];
    let engine = engines().await.remove(0);
    let Database::Sqlite(file) = &engine.database else { return };
    fill(&engine).await;
    let pool = sqlx::SqlitePool::connect_with(sqlx::sqlite::SqliteConnectOptions::new().filename(file)).await.unwrap();
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' \
         AND (t.name IN ('session') OR EXISTS (SELECT 1 FROM pragma_table_info(t.name) k \
         WHERE k.name IN ('session_rid', 'session_id'))) ORDER BY t.name, c.cid",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let source = include_str!("../../src/archive.rs");
    let row = include_str!("../../src/session_row.rs");
    let draft: BTreeSet<&str> =
        ["id", "role", "sender", "message_type", "part", "created_at", "hash", "records", "body", "action_on"].into();
    let missing: Vec<String> = columns
        .into_iter()
        .filter(|(table, column)| {
            let of_session = matches!(column.as_str(), "workspace_id" | "session_rid" | "session_id" | "message_rid");
            let named = match table.as_str() {
                "session" => row.contains(&format!("{column}: ")),
                "message" => draft.contains(column.as_str()) || source.contains(&format!("(\"{column}\", Kind::")),
                "tool_use" => source.contains(&format!("(\"{column}\", Kind::")),
                other => part(source, other).is_some_and(|part| {
                    [" ", "(", "\n"].iter().any(|before| part.contains(&format!("{before}{column} ")))
                }),
            };
            !(of_session || named || FOLLOWS.contains(&table.as_str()) || OURS.contains(&format!("{table}.*").as_str()))
        })
        .map(|(table, column)| format!("{table}.{column}"))
        .filter(|name| !OURS.contains(&name.as_str()) && name != "session.last_minute")
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "add them to `archive.rs`");
}

/// Returns the part of `archive.rs` about a table.
fn part<'a>(source: &'a str, table: &str) -> Option<&'a str> {
    let (_, rest) = source.split_once(&format!("part!(\"{table}\""))?;
    rest.split_once("),").map(|(part, _)| part)
}

/// The last line has the hash of what is before it.
#[tokio::test]
async fn the_last_line_vouches_for_the_others() {
    let engine = engines().await.remove(0);
    fill(&engine).await;
    let archive = String::from_utf8(archived(&engine, &["s-a"]).await).unwrap();
    let at = archive.trim_end().rfind('\n').unwrap() + 1;
    let last: Value = serde_json::from_str(&archive[at..]).unwrap();
    let sha256 = digest(&archive[..at]);
    assert_eq!(last["end"]["sha256"], sha256);
    assert_eq!(last["end"]["lines"], archive[..at].lines().count());
}
