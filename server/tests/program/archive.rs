//! Sessions that leave and come back: archives, the older chat host's database, exports with secrets masked.

use crate::support::{Place, Server, fixture, postgres, said};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use store::chat_host::{ChatHost, ChatHostWriter};

/// Ids of all sessions that stand alone.
fn ids(place: &Place) -> Vec<String> {
    let list = place.out(&["sessions", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    list.as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

fn archives(place: &Place) -> BTreeMap<String, String> {
    let archive = |id: String| (id.clone(), place.out(&["export", &id, "--format", "jsonl"]));
    ids(place).into_iter().map(archive).collect()
}

#[test]
fn every_session_of_the_fixtures_comes_back_from_its_archive() {
    let from = Place::new();
    from.out(&["import", fixture("browser/projects").to_str().unwrap(), fixture("transcripts").to_str().unwrap()]);
    let written = archives(&from);
    assert!(written.len() > 15);
    let to = Place::new();
    // A file of several sessions comes with each of them: the sessions differ.
    let files = written.iter().map(|(id, archive)| to.write(&format!("{id}.jsonl"), archive));
    let files: Vec<_> = files.map(|file| file.to_str().unwrap().to_owned()).collect();
    to.out(&["import"].into_iter().chain(files.iter().map(String::as_str)).collect::<Vec<_>>());
    let again = archives(&to);
    assert_eq!(again.keys().collect::<Vec<_>>(), written.keys().collect::<Vec<_>>());
    for (id, archive) in &written {
        assert!(again[id] == *archive, "{id} comes back changed");
    }
}

/// The same between the two engines.
#[test]
fn an_archive_comes_back_on_postgres() {
    let Some(database) = postgres() else { return };
    let from = Place::new();
    from.out(&["import", fixture("transcripts/codex").to_str().unwrap()]);
    let to = Place::new();
    for (id, archive) in archives(&from) {
        let file = to.write(&format!("{id}.jsonl"), &archive);
        to.out(&["import", file.to_str().unwrap(), "--database", &database]);
        assert!(to.out(&["export", &id, "--format", "jsonl", "--database", &database]) == archive, "{id}");
    }
}

#[test]
fn a_torn_or_changed_archive_stores_nothing() {
    let from = Place::new();
    from.write("mill.jsonl", said("mill", 1, "One") + &said("mill", 2, "Two"));
    from.out(&["import", "mill.jsonl"]);
    let archive = from.out(&["export", "mill", "--format", "jsonl"]);
    let to = Place::new();
    to.write("torn.jsonl", &archive[..archive.len() - 40]);
    to.write("changed.jsonl", archive.replace("Two", "Six"));
    let (head, _) = archive.split_once('\n').unwrap();
    to.write("long.jsonl", format!("{head}\n{}\n", "x".repeat(130 << 20)));
    for (file, reason) in [
        ("torn.jsonl", "is torn: its last line isn't the end of an archive, so nothing was imported"),
        ("changed.jsonl", "was changed since it was written, so nothing was imported"),
        ("long.jsonl", "has a line of more than 128 MiB, so nothing was imported"),
    ] {
        let output = to.run(&["import", file]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(reason), "{told}");
    }
    assert_eq!(ids(&to), Vec::<String>::new());
    to.write("whole.jsonl", &archive);
    to.out(&["import", "whole.jsonl"]);
    let again = String::from_utf8_lossy(&to.run(&["import", "whole.jsonl"]).stderr).into_owned();
    assert!(again.contains("is stored already"), "{again}");
}

#[test]
fn what_an_archive_says_was_decided_is_not_shown_as_the_readers_own() {
    let server = Server::start();
    let cookie = server.cookie();
    let body = r#"{"agent": "bot", "id": "mill"}"#;
    assert_eq!(server.with_key("POST", "/v1/sessions", body).status, 201);
    let asks = json!({"id": "ask", "message_metadata": {"message_type": "APPROVAL", "version": 1, "payload": {"kind": "permission",
        "title": "Open the sluice", "state": "open", "questions": [{"question": "Open it?", "options": [
            {"id": "yes", "label": "Open", "kind": "allow_once"}, {"id": "no", "label": "Leave", "kind": "reject_once"}]}]}}});
    assert_eq!(server.with_key("POST", "/v1/sessions/mill/messages", &asks.to_string()).status, 201);
    let asked = server.as_owner(&cookie, "GET", "/v1/sessions/mill/messages/ask", &Value::Null).json();
    let decision = json!({"selected": ["yes"], "shown_sha256": asked["entry"]["shown_sha256"]});
    let decided = server.as_owner(&cookie, "POST", "/v1/sessions/mill/messages/ask/decision", &decision);
    assert_eq!(decided.status, 200, "{}", decided.text());
    let page = |server: &Server, cookie: &str| server.get("/s/mill", &[("Cookie", cookie)]).text();
    assert!(page(&server, &cookie).contains("by you"));
    let archive = server.place.out(&["export", "mill", "--format", "jsonl"]);
    let to = Place::new();
    to.write("mill.jsonl", archive);
    to.out(&["import", "mill.jsonl"]);
    let server = Server::start_in(to, &[]);
    let page = page(&server, &server.cookie());
    assert!(page.contains("according to the imported archive") && !page.contains("by you"));
}

/// A made-up token: it never opened a door.
fn token() -> String {
    format!("ghp_{}", "q7Wx2Ez9Rb4Tn1Yk6Um3Ij8Op5Lc0Vs".repeat(2)[..36].to_owned())
}

#[test]
fn no_secret_is_in_any_redacted_export() {
    let place = Place::new();
    let token = token();
    let text = format!("Use {token} of ada@example.com in /home/ada/mill, for Project-77");
    let tool = json!({"type": "assistant", "sessionId": "mill", "uuid": "mill-2", "timestamp": "2026-03-01T09:00:02.000Z",
        "message": {"role": "assistant", "id": "a", "content": [{"type": "tool_use", "id": "t1", "name": "Bash",
            "input": {"command": format!("curl -H 'X: {token}'"), "password": "m1ll-w4ter!"}}]}});
    place.write("mill.jsonl", said("mill", 1, &text) + &format!("{tool}\n"));
    place.out(&["import", "mill.jsonl"]);
    let secrets = [token.as_str(), "ada@example.com", "/home/ada", "Project-77", "m1ll-w4ter!"];
    for format in ["original", "jsonl", "json", "html", "markdown"] {
        let plain = place.out(&["export", "mill", "--format", format]);
        assert!(plain.contains(&token), "{format}");
        let output = place.run(&["export", "mill", "--format", format, "--redact", "--mask", "Project-[0-9]+"]);
        let (out, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(output.status.success(), "{told}");
        for secret in secrets {
            assert!(!out.contains(secret), "{format} has {secret}");
            assert!(!told.contains(secret), "the report has {secret}");
        }
        assert!(out.contains("[github-token]"), "{format}: {out}");
        assert!(told.contains("places masked in 2 messages"), "{told}");
    }
    // A masked archive can be imported, too.
    let masked = place.out(&["export", "mill", "--format", "jsonl", "--redact"]);
    let to = Place::new();
    to.write("masked.jsonl", masked);
    to.out(&["import", "masked.jsonl"]);
    assert!(to.out(&["show", "mill"]).contains("Use [github-token] of [email] in ~/mill"));
}

#[test]
fn a_preview_says_what_is_masked_and_writes_nothing() {
    let place = Place::new();
    let file = format!("{}.jsonl", token());
    place.write(&file, said("mill", 1, &format!("Use {} now", token())));
    place.out(&["import", &file]);
    let report = place.out(&["export", "mill", "--redact", "--preview"]);
    assert!(report.contains("GitHub token (github-token)"), "{report}");
    assert!(report.contains("message 1: Use [github-token] now"), "{report}");
    let wrong = place.seen(&["export", "mill", "--redact", "--preview", "--mask", "("]);
    assert!(wrong.contains("`mask`: expected a regular expression, got `(`"), "{wrong}");
    let server = Server::start_in(place, &[]);
    let cookie = server.cookie();
    let page = server.get("/s/mill/redacted?masks=now", &[("Cookie", &cookie)]);
    assert_eq!(page.status, 200, "{}", page.text());
    let page = page.text();
    assert!(page.contains("Use [github-token] [own]"), "{page}");
    // Neither has its heading, nor the list of sessions beside it.
    assert!(!page.contains(&token()), "{page}");
    let (_, title) = page.split_once("<title>").unwrap();
    assert!(title.contains("Redacted export of Use [github-token]"), "{title}");
    assert!(page.contains("format=html&amp;redact=1&amp;mask=now"), "{page}");
    let original = server.get("/v1/sessions/mill/export?format=original&redact=1", &[("Cookie", &cookie)]);
    let name = original.header("content-disposition").unwrap();
    assert_eq!(name, "attachment; filename=\"_github-token_.jsonl\"; filename*=UTF-8''%5Bgithub-token%5D.jsonl");
}

/// An exported page loads nothing and runs nothing.
#[test]
fn a_page_in_one_file_needs_no_server() {
    let place = Place::new();
    place.out(&["import", fixture("browser/projects").to_str().unwrap()]);
    for id in ids(&place) {
        let page = place.out(&["export", &id, "--format", "html"]);
        for outside in ["<script", "<link ", "<iframe", " src=\"/", " src=\"http", " href=\"/", "url(/", "@import"] {
            assert!(!page.contains(outside), "{id} has {outside}");
        }
        assert!(page.contains("Content-Security-Policy") && page.contains("<style>"), "{id}");
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn row(id: &str, sender: &str, kind: &str, at: u32, metadata: Option<&str>) -> Map<String, Value> {
    let mut row = json!({
        "id": id, "sender": sender, "sender_name": "Ada", "content": format!("says {id}"),
        "timestamp": format!("2026-01-01T00:00:{at:02}+00:00"), "is_from_me": i64::from(sender == "bot"),
        "message_type": kind,
    });
    if let Some(metadata) = metadata {
        row["metadata"] = json!(metadata);
    }
    row.as_object().unwrap().clone()
}

fn write_chats(path: &Path, rows: &[(&str, Map<String, Value>)]) {
    runtime().block_on(async {
        let mut writer = ChatHostWriter::create(path).await.unwrap();
        for (jid, row) in rows {
            writer.add(jid, row).await.unwrap();
        }
        writer.finish().await.unwrap();
    });
}

fn lines(path: &Path, jid: &str) -> String {
    runtime().block_on(async {
        let mut host = ChatHost::open(path).await.unwrap().unwrap();
        let mut lines = Vec::new();
        host.export(jid, &mut lines).await.unwrap();
        host.close().await;
        String::from_utf8(lines).unwrap()
    })
}

#[test]
fn the_older_chat_hosts_database_is_read_and_written_back() {
    let place = Place::new();
    let mut wide = row("m4", "command_output", "tool_result", 2, Some(r#"{"exit_code": 1}"#));
    wide.insert("reactions".to_owned(), json!("eyes"));
    let rows = [
        ("group@g.example", row("m1", "123@s.example", "user", 1, None)),
        // The same time: the order in which they were written holds.
        ("group@g.example", row("m3", "bot", "assistant", 2, None)),
        ("group@g.example", row("m2", "thinking", "assistant", 2, None)),
        ("group@g.example", wide),
        ("group@g.example", row("m5", "security", "security_audit", 3, Some("no json"))),
        ("tui://pynchy", row("m1", "tui-user", "user", 4, Some(r#"{"b": 1, "a": null}"#))),
    ];
    let old = place.path("old.db");
    write_chats(&old, &rows);
    place.out(&["import", "old.db"]);
    let shown = place.out(&["show", "--dev", "group@g.example"]);
    let order: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("says ")).collect();
    assert_eq!(order, ["m1", "m3", "m2", "m4", "m5"], "{shown}");
    for (n, jid) in ["group@g.example", "tui://pynchy"].into_iter().enumerate() {
        let new = place.path(&format!("new{n}.db"));
        place.out(&["export", jid, "--format", "messages-db", "--output", new.to_str().unwrap()]);
        // A column that a chat has no value in isn't written.
        assert_eq!(lines(&new, jid), lines(&old, jid));
    }
    // Importing it again changes nothing.
    let again = place.out(&["import", "--json", "old.db"]);
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap()["messages"], 0);
}

/// All rows of a table in their order, each cell as SQL writes it; and the columns and indexes of the table.
fn cells(path: &Path) -> (Vec<String>, Vec<String>) {
    const CELLS: &str = "SELECT concat_ws(' | ', quote(id), quote(chat_jid), quote(sender), quote(sender_name), quote(content), \
        quote(timestamp), quote(is_from_me), quote(message_type), quote(metadata)) FROM messages ORDER BY rowid";
    const SCHEMA: &str = "SELECT concat_ws(' ', name, type, dflt_value, pk) FROM pragma_table_info('messages') \
        UNION ALL SELECT concat_ws(' ', i.name, c.name) FROM pragma_index_list('messages') i JOIN pragma_index_info(i.name) c \
        WHERE i.origin = 'c'";
    runtime().block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        let rows = sqlx::query_scalar(CELLS).fetch_all(&pool).await.unwrap();
        let schema = sqlx::query_scalar(SCHEMA).fetch_all(&pool).await.unwrap();
        pool.close().await;
        (rows, schema)
    })
}

#[test]
fn each_cell_of_odd_rows_comes_back_as_it_was() {
    const OLD: &str = "CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, content TEXT, timestamp TEXT, \
        is_from_me INTEGER, message_type TEXT DEFAULT 'user', metadata TEXT, PRIMARY KEY (id, chat_jid)); \
        CREATE INDEX idx_messages_by_chat ON messages(chat_jid, timestamp); \
        INSERT INTO messages VALUES \
        ('a', 'g@x', 'ada@x', 'Ada', 'One', '2026-01-01T00:00:01+00:00', 0, NULL, NULL), \
        ('b', 'g@x', 'host', NULL, 'Two', '2026-01-01T00:00:02+00:00', 1, 'host', '5'), \
        ('c', 'g@x', NULL, NULL, NULL, '2026-01-01T00:00:03+00:00', NULL, 'user', '\"text\"'), \
        ('', 'g@x', '', '', '', '2026-01-01T00:00:04+00:00', 1, 'assistant', ''), \
        ('a/b?c#d', 'g@x', 'bot', 'bot', 'Five', '2026-01-01T00:00:05+00:00', 1, 'assistant', '{ \"b\": 1.50, \"a\": null }'), \
        ('e', 'g@x', 'command_output', 'command', 'Six', '2026-01-01T00:00:06+00:00', 1, 'tool_result', '{\"exit_code\":0}'), \
        ('f', 'g@x', 'tool_use', 'tool_use', '{\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}', \
            '2026-01-01T00:00:07+00:00', 1, 'assistant', NULL), \
        ('g', 'g@x', 'tool_result', 'tool_result', '{\"tool_use_id\":\"t1\",\"content\":\"a b\"}', '2026-01-01T00:00:08+00:00', 1, \
            'assistant', NULL), \
        ('h', 'g@x', 'bot', 'bot', 'Nine', '2026-01-01T00:00:09+00:00', 1, 'assistant', NULL), \
        ('i', 'g@x', 'security', 'security', 'Ten', '2026-01-01T00:00:10+00:00', 1, 'security_audit', 'no json')";
    let place = Place::new();
    let (old, new) = (place.path("old.db"), place.path("new.db"));
    runtime().block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&old).create_if_missing(true);
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        sqlx::raw_sql(OLD).execute(&pool).await.unwrap();
        pool.close().await;
    });
    place.out(&["import", "old.db"]);
    place.out(&["export", "g@x", "--format", "messages-db", "--output", new.to_str().unwrap()]);
    let (rows, schema) = cells(&old);
    assert_eq!((rows.len(), schema.len()), (10, 11));
    assert_eq!(cells(&new), (rows, schema));

    // The result of the call stands in the call, and nothing is added to what says all of itself.
    let exported: Value = serde_json::from_str(&place.out(&["export", "g@x", "--format", "json"])).unwrap();
    let messages = exported["messages"].as_array().unwrap();
    let of = |id: &str| messages.iter().find(|message| message["id"] == id).unwrap();
    let payload = json!({"tool_name": "Bash", "input": {"command": "ls"}, "output": "a b"});
    assert_eq!((&of("f")["metadata"]["payload"], &of("f")["call_id"]), (&payload, &json!("t1")));
    assert_eq!(of("e")["metadata"], json!({"exit_code": 0}));
    assert_eq!(of("h")["metadata"], Value::Null);
    let shown = place.out(&["show", "g@x"]);
    assert!(shown.contains("a b") && !shown.contains("tool_use_id"), "{shown}");
}

#[test]
fn a_session_of_ours_is_written_without_what_only_we_know() {
    let place = Place::new();
    let id = place.out(&["send", "--agent", "bot", "Done"]).trim_end().to_owned();
    let file = place.path("out.db");
    place.out(&["export", &id, "--format", "messages-db", "--output", file.to_str().unwrap()]);
    let rows: Vec<String> = cells(&file).0;
    let tails: Vec<&str> = rows.iter().map(|row| row.rsplit_once(" | ").unwrap().1).collect();
    assert_eq!(tails, ["NULL"], "{rows:?}");
}

#[test]
fn a_session_of_ours_goes_through_the_older_database() {
    let from = Place::new();
    from.write("mill.jsonl", said("mill", 1, "One") + &said("mill", 2, "Two"));
    from.out(&["import", "mill.jsonl"]);
    let file = from.path("out.db");
    from.out(&["export", "mill", "--format", "messages-db", "--output", file.to_str().unwrap()]);
    let refused = from.seen(&["export", "mill", "--format", "messages-db", "--output", "out.db"]);
    assert!(refused.contains("out.db can't be written"), "{refused}");
    let to = Place::new();
    to.out(&["import", file.to_str().unwrap()]);
    let said = |place: &Place| {
        let shown: Value = serde_json::from_str(&place.out(&["export", "mill", "--format", "json"])).unwrap();
        let messages = shown["messages"].as_array().unwrap().clone();
        let kept = messages.into_iter().filter(|message| message["id"] != "chat~begin");
        kept.map(|message| {
            json!([
                message["id"],
                message["role"],
                message["sender"],
                message["content"],
                message["created_at"],
                message["metadata"],
                message["origin"],
                message["context"]
            ])
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(said(&to), said(&from));
}

#[test]
fn an_older_database_that_cant_be_read_says_why() {
    let place = Place::new();
    let old = place.path("old.db");
    write_chats(&old, &[("a", row("m1", "bot", "assistant", 1, None))]);
    let bytes = std::fs::read(&old).unwrap();
    place.write("torn.db", &bytes[..bytes.len() / 2]);
    let seen = place.seen(&["import", "torn.db"]);
    assert!(seen.contains("torn.db: can't be read as a database"), "{seen}");
    assert_eq!(ids(&place), Vec::<String>::new());
}
