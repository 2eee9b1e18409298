//! Import, then export, gives the source file back, byte for byte.

use crate::support::{Place, Server, fixture, said};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

fn transcripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            transcripts(&path, found);
        } else if !path.to_string_lossy().ends_with(".meta.json") {
            found.push(path);
        }
    }
}

/// All sources of all sessions: the path and the exported bytes.
fn exported(server: &Server) -> BTreeMap<String, Vec<u8>> {
    let mut sources = BTreeMap::new();
    let list = server.with_key("GET", "/v1/sessions?limit=500", "").json();
    let mut sessions = list["sessions"].as_array().unwrap().clone();
    while let Some(session) = sessions.pop() {
        let id = session["id"].as_str().unwrap().to_owned();
        let children = server.with_key("GET", &format!("/v1/sessions/{id}/children"), "").json();
        sessions.extend(children["sessions"].as_array().unwrap().iter().cloned());
        let detail: Value = server.with_key("GET", &format!("/v1/sessions/{id}"), "").json();
        for source in detail["sources"].as_array().unwrap() {
            let path = format!("/v1/sessions/{id}/export?format=original&source={}", source["id"].as_str().unwrap());
            let reply = server.with_key("GET", &path, "");
            assert_eq!(reply.status, 200, "{}", source["path"]);
            assert_eq!(reply.body.len() as u64, source["size"].as_u64().unwrap());
            sources.insert(source["path"].as_str().unwrap().to_owned(), reply.body);
        }
    }
    sources
}

/// The heads of messages in `verbatim show`.
fn heads(shown: &str) -> Vec<&str> {
    shown.lines().filter_map(|line| line.strip_prefix("--- ")?.split(" · ").next()).collect()
}

#[test]
fn the_assistant_has_one_name_in_the_terminal_and_in_exports() {
    let server = Server::start_in(Place::new(), &["--assistant-name", "Robin"]);
    let bearer = format!("Bearer {}", server.agent_key());
    let as_agent = |path: &str, body: Value| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let reply = server.send("POST", path, &headers, &body.to_string());
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()
    };
    let id = as_agent("/v1/sessions", json!({"agent": "bot"}))["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{id}/messages");
    as_agent(&path, json!({"content": "One"}));
    as_agent(&path, json!({"content": "Two", "sender_name": "Night watch"}));
    let markdown = || server.with_key("GET", &format!("/v1/sessions/{id}/export?format=markdown"), "").text();
    let cookie = server.cookie();
    for name in ["Robin", "Pynchy"] {
        if name == "Pynchy" {
            let reply = server.as_owner(&cookie, "PATCH", "/v1/preferences", &json!({"assistant_name": name}));
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
        let names = [format!("Assistant: {name}"), "Assistant: Night watch".to_owned()];
        assert_eq!(heads(&server.place.out(&["show", &id])), names);
        let exported = markdown();
        let said: Vec<&str> = exported.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(said, names);
        assert!(exported.contains(&format!("\n{name}, ")), "{exported}");
        for address in [format!("/s/{id}"), format!("/s/{id}/print")] {
            let page = server.get(&address, &[("Cookie", &cookie)]).text();
            assert!(page.contains(&format!(">{name}<")) && page.contains(">Night watch<"), "{address}: {page}");
            assert!(!page.contains(">Ada's bot<"), "{address}");
        }
        let html = server.with_key("GET", &format!("/v1/sessions/{id}/export?format=html"), "").text();
        assert!(html.contains(&format!(">{name}<")) && !html.contains(">Ada's bot<"), "{html}");
    }
}

/// Without a server, the command's own environment counts.
#[test]
fn a_command_without_a_server_has_the_name_of_its_environment() {
    let place = Place::new();
    let id = place.out(&["send", "--agent", "bot", "One"]).trim_end().to_owned();
    let shown = |name: &str| {
        let output = place.program(&["show", &id]).env("ASSISTANT_NAME", name).output().unwrap();
        heads(&String::from_utf8(output.stdout).unwrap()).join(", ")
    };
    assert_eq!([shown("@Robin"), shown(" @ "), shown("")], ["Assistant: Robin", "Assistant: bot", "Assistant: bot"]);
}

#[test]
fn markdown_names_who_speaks() {
    let server = Server::start();
    let preferences = json!({"assistant_name": "Miller"});
    let reply = server.as_owner(&server.cookie(), "PATCH", "/v1/preferences", &preferences);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let session = server.place.out(&["send", "--agent", "deploy", "Beginning"]).trim_end().to_owned();
    let command = json!({"exit_code": 1});
    let call = json!({"message_type": "TOOL_CALL",
        "payload": {"tool_name": "Bash", "input": {"command": "ls"}, "output": "a", "exit_code": 0}});
    for message in [
        json!({"role": "user", "content": "Hm", "sender_name": "Ada\nLovelace"}),
        json!({"role": "assistant", "content": "By its own name", "sender_name": "Night bot"}),
        json!({"role": "tool", "content": "no", "message_metadata": command}),
        json!({"role": "tool", "content": "no code"}),
        json!({"message_metadata": call}),
        json!({"role": "model", "content": "Hm"}),
        json!({"role": "system", "content": "A rule"}),
    ] {
        let path = format!("/v1/sessions/{session}/messages");
        assert_eq!(server.with_key("POST", &path, &message.to_string()).status, 201, "{message}");
    }
    let path = format!("/v1/sessions/{session}/export?format=markdown&dev=1");
    let exported = server.with_key("GET", &path, "").text();
    let said: Vec<&str> = exported.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let names = [
        "Assistant: Miller",
        "User: Ada Lovelace",
        "Assistant: Night bot",
        "🔧 ❌ Tool",
        "🔧 Tool",
        "🔧 ✅ Assistant: Miller",
        "Reasoning",
        "System",
    ];
    assert_eq!(said, names);
    let shown = server.place.out(&["show", "--dev", &session]);
    let heads = shown.lines().filter_map(|line| line.strip_prefix("--- ")?.split(" · ").next());
    assert_eq!(heads.collect::<Vec<_>>(), names);
}

#[test]
fn every_fixture_comes_back() {
    let place = Place::new();
    let (browser, claude) = (fixture("browser/projects"), fixture("transcripts"));
    place.out(&["import", browser.to_str().unwrap(), claude.to_str().unwrap()]);
    let mut files = Vec::new();
    transcripts(&browser, &mut files);
    transcripts(&claude, &mut files);
    assert!(files.len() > 15);
    let server = Server::start_in(place, &[]);
    let exported = exported(&server);
    for file in &files {
        let bytes = exported.get(file.to_str().unwrap()).unwrap_or_else(|| panic!("{} is no source", file.display()));
        assert!(*bytes == std::fs::read(file).unwrap(), "{} comes back changed", file.display());
    }
    assert_eq!(exported.len(), files.len());
}

/// A written session is named so that people know it in their folder, whatever its title holds.
#[test]
fn what_is_written_is_named_by_its_title() {
    let place = Place::new();
    let titles = [
        ("plain", "Mend the mill, then: bake!"),
        ("far", "M\u{fc}hle \u{7c89}\u{3072}\u{304d}"),
        ("hostile", "../../etc\\\"passwd\";\r\nx: \u{202e}gpj.exe"),
        ("long", &"very ".repeat(40)),
    ];
    for (name, title) in &titles {
        let title = json!({"type": "custom-title", "customTitle": title, "sessionId": name});
        place.write(&format!("named/{name}.jsonl"), format!("{}{title}\n", said(name, 1, "One")));
    }
    place.out(&["import", "named"]);
    let server = Server::start_in(place, &[]);
    let mut seen = String::new();
    for (name, _) in &titles {
        let id = server.with_key("GET", &format!("/v1/sessions/{name}"), "").json()["session"]["id"].clone();
        let short = &id.as_str().unwrap()[28..];
        for format in ["markdown", "html", "json"] {
            let reply = server.with_key("GET", &format!("/v1/sessions/{name}/export?format={format}"), "");
            let disposition = reply.header("content-disposition").unwrap().replace(short, "[short id]");
            writeln!(seen, "{name}: {disposition}").unwrap();
        }
    }
    assert_snapshot!(seen);
}

/// Times are those of where the reader is, as their browser says; of who says nothing they are the server's.
#[test]
fn times_are_those_of_the_readers_zone() {
    let place = Place::new();
    place.write("mill.jsonl", said("mill", 1, "One"));
    place.out(&["import", "mill.jsonl"]);
    let server = Server::start_in(place, &[]);
    let key = format!("Bearer {}", server.key());
    let mut seen = String::new();
    for cookie in
        ["theme=dark", "zone=Pacific/Auckland", "theme=dark; zone=america/new_york", "zone=Mars/Olympus", "zone="]
    {
        let headers = [("Authorization", key.as_str()), ("Cookie", cookie)];
        let reply = server.get("/v1/sessions/mill/export?format=markdown", &headers);
        let said = reply.text().lines().find(|line| line.starts_with('*')).map(str::to_owned);
        writeln!(seen, "{cookie}: {}", said.unwrap_or_default()).unwrap();
    }
    assert_snapshot!(seen);
}

/// Torn, binary and enormous files too.
#[test]
fn odd_files_come_back() {
    let place = Place::new();
    let files: [(&str, Vec<u8>); 7] = [
        ("torn", format!("{}{{\"type\":\"us", said("torn", 1, "One")).into_bytes()),
        (
            "noise",
            [said("noise", 1, "One").as_bytes(), b"\x00\xff\xfe\r\r\n\n\n", &(0..=255).collect::<Vec<u8>>()].concat(),
        ),
        ("large", said("large", 1, &"x".repeat(2_000_000)).into_bytes()),
        ("returns", said("returns", 1, "One").replace('\n', "\r\n").into_bytes()),
        ("mark", [b"\xef\xbb\xbf", said("mark", 1, "One").as_bytes()].concat()),
        ("blocks", (0..30).map(|n| said("blocks", n, &"y".repeat(100_000))).collect::<String>().into_bytes()),
        ("tail", [said("tail", 1, "One").as_bytes(), &vec![b'z'; 2_000_000]].concat()),
    ];
    for (name, bytes) in &files {
        place.write(&format!("odd/{name}.jsonl"), bytes);
    }
    place.out(&["import", "odd"]);
    for (name, bytes) in &files {
        let output = place.run(&["export", name, "--format", "original"]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == *bytes, "{name}: {} bytes came back, {} went in", output.stdout.len(), bytes.len());
    }
}

/// A packed file comes back as it lies there. Where something is masked, what was packed comes instead, with its masks.
#[test]
fn a_packed_file_comes_back_as_it_is() {
    let place = Place::new();
    let name = "rollout-2026-09-02T08-00-00-5e55a0de-0000-4000-8000-00000000d001.jsonl.zst";
    let bytes = std::fs::read(fixture("packed").join(name)).unwrap();
    place.write(name, &bytes);
    place.out(&["import", name]);
    let session = "5e55a0de-0000-4000-8000-00000000d001";
    let export = ["export", session, "--format", "original"];
    assert!(place.run(&export).stdout == bytes);
    let masked = place.out(&[&export[..], &["--redact"]].concat());
    assert!(masked.lines().count() == 3 && masked.contains("Drain the pond"), "{masked}");
}

#[test]
fn by_every_name_and_into_a_file() {
    let place = Place::new();
    let file = place.write("mill.jsonl", said("mill-stone", 1, "One"));
    place.out(&["import", "mill.jsonl"]);
    let sessions: Value = serde_json::from_str(&place.out(&["sessions", "--json"])).unwrap();
    let ours = sessions[0]["id"].as_str().unwrap();
    for name in [ours, &ours[..30], "mill-stone", "mill"] {
        assert_eq!(
            place.out(&["export", name, "--format", "original"]).into_bytes(),
            std::fs::read(&file).unwrap(),
            "{name}"
        );
    }
    place.out(&["export", "mill", "--format", "original", "--output", "copy.jsonl"]);
    assert_eq!(std::fs::read(place.path("copy.jsonl")).unwrap(), std::fs::read(&file).unwrap());
    let whole: Value = serde_json::from_str(&place.out(&["export", "mill", "--format", "json"])).unwrap();
    assert_eq!(whole["session"]["session"]["id"], ours);
    assert_eq!(whole["messages"][0]["content"], "One");
    // A file that is gone from the disk is still in the store.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(place.out(&["export", "mill", "--format", "original"]), said("mill-stone", 1, "One"));
}

/// Old versions wrote a sub-agent's turns into its parent's file as well.
#[test]
fn the_original_of_a_sub_agent_is_its_own_file() {
    let place = Place::new();
    let said = |agent: Option<&str>, uuid: &str, text: &str| {
        let mut line = json!({"type": "user", "uuid": uuid, "parentUuid": null, "sessionId": "mill", "cwd": "/home/ada/mill",
            "timestamp": "2026-03-01T09:00:00.000Z", "isSidechain": agent.is_some(), "message": {"role": "user", "content": text}});
        if let Some(agent) = agent {
            line["agentId"] = json!(agent);
        }
        format!("{line}\n")
    };
    let own = said(Some("a2898e3"), "u2", "Grind");
    let parent = said(None, "u1", "One") + &own;
    place.write("mill/mill.jsonl", &parent);
    place.write("mill/agent-a2898e3.jsonl", &own);
    place.out(&["import", "mill"]);
    assert_eq!(place.out(&["export", "mill/a2898e3", "--format", "original"]), own);
    assert_eq!(place.out(&["export", "mill", "--format", "original"]), parent);
}

/// More messages than are read at once.
#[test]
fn a_long_session_comes_whole() {
    let place = Place::new();
    place.write("long.jsonl", (1..=1200).map(|n| said("long", n, &format!("Message {n}"))).collect::<String>());
    place.out(&["import", "long.jsonl"]);
    let whole: Value = serde_json::from_str(&place.out(&["export", "long", "--format", "json"])).unwrap();
    let seqs: Vec<i64> = whole["messages"].as_array().unwrap().iter().map(|m| m["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (1..=1200).collect::<Vec<i64>>());
}

/// A file that is forgotten while it is sent breaks the transfer: half a file is no file.
#[test]
fn a_file_that_goes_while_it_is_sent_is_no_success() {
    let place = Place::new();
    // More than lies on the way between two ends of a connection.
    let text = said("mill", 1, "One") + &format!("{}\n", "z".repeat(1_000_000)).repeat(24);
    place.write("claude/projects/-home-ada-mill/mill.jsonl", &text);
    let folder = place.path("claude");
    place.out(&["import", folder.to_str().unwrap()]);
    let server = Server::start_in(place, &["--claude-dir", folder.to_str().unwrap()]);
    let mut stream = server.connect();
    let request = format!(
        "GET /v1/sessions/mill/export?format=original HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.host(),
        server.key()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream.read_exact(&mut [0; 1000]).unwrap();
    let path = folder.join("projects/-home-ada-mill");
    let forgotten = server.with_key("POST", "/v1/projects/forget", &json!({ "path": path }).to_string());
    assert_eq!(forgotten.json(), json!({"sessions": 1}));
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.len() < text.len(), "it was sent before it could go");
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the end of a whole answer");
}

/// A page by itself holds the pictures that its reader may see, and no others.
#[test]
fn a_page_holds_pictures_that_its_reader_may_see() {
    let server = Server::start();
    let as_agent = |key: &str, path: &str, kind: &str, body: &str| {
        let bearer = format!("Bearer {key}");
        server.send("POST", path, &[("Authorization", &bearer), ("Content-Type", kind)], body)
    };
    let (ada, mallory) = (server.agent_key(), server.agent_key());
    let blob = as_agent(&ada, "/v1/blobs", "image/png", "a secret picture").json()["blob"].clone();
    let page = |key: &str, session: &str| {
        let body = json!({"agent": "bot", "id": session}).to_string();
        as_agent(key, "/v1/sessions", "application/json", &body);
        let files = json!([{"name": "a.png", "mime": "image/png", "size": 16, "blob": blob, "state": "ready"}]);
        let file = json!({"message_metadata": {"message_type": "FILE", "payload": {"files": files}}}).to_string();
        as_agent(key, &format!("/v1/sessions/{session}/messages"), "application/json", &file);
        let bearer = format!("Bearer {key}");
        server.get(&format!("/v1/sessions/{session}/export?format=html"), &[("Authorization", &bearer)]).text()
    };
    let bytes = "data:image/png;base64,YSBzZWNyZXQgcGljdHVyZQ==";
    assert!(page(&ada, "s1").contains(bytes));
    assert!(!page(&mallory, "s2").contains(bytes));
}

/// Links of the page go, and words that look like them stay: in a text a quotation mark is written as it is.
#[test]
fn words_that_look_like_links_stay_in_a_page() {
    let server = Server::start();
    let key = server.agent_key();
    let as_agent = |path: &str, body: &Value| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        let reply = server.send("POST", path, &headers, &body.to_string());
        assert_eq!(reply.status, 201, "{}", reply.text());
    };
    let words = "a href=\"/v1/me\" b src=\"/v1/blobs/00\" c > d";
    as_agent("/v1/sessions", &json!({"agent": "bot", "id": "s1", "title": words}));
    as_agent("/v1/sessions/s1/messages", &json!({"content": words}));
    let payload = json!({"kind": "permission", "title": words, "risk": words, "state": "open"});
    let metadata = json!({"message_type": "APPROVAL", "payload": payload});
    as_agent("/v1/sessions/s1/messages", &json!({"message_metadata": metadata}));
    let error = json!({"error_type": words, "message": words, "frames": []});
    as_agent("/v1/sessions/s1/messages", &json!({"message_metadata": {"message_type": "ERROR", "payload": error}}));
    let page = server.with_key("GET", "/v1/sessions/s1/export?format=html", "").text();
    let shown = page.replace("&quot;", "\"").replace("&gt;", ">");
    let (plain, capital) =
        (shown.matches(words).count(), shown.matches("A href=\"/v1/me\" b src=\"/v1/blobs/00\" c > d risk"));
    assert!(plain >= 4 && capital.count() == 1, "{plain}: {page}");
}

/// An exported page is drawn like the page of the session, and neither is taken for the other.
#[test]
fn a_page_is_drawn_like_the_transcript() {
    let server = Server::start();
    let (cookie, bearer) = (server.cookie(), format!("Bearer {}", server.agent_key()));
    let post = |path: &str, body: &Value| {
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        assert_eq!(server.send("POST", path, &headers, &body.to_string()).status, 201, "{body}");
    };
    post("/v1/sessions", &json!({"agent": "bot", "id": "kept", "project": "/home/ada/orchard"}));
    let todo = |id: &str, items: Value| json!({"id": id, "role": "assistant", "message_metadata": {"message_type": "TODO", "payload": {"todos": items}}});
    let item = |id: &str| json!({"id": id, "content": format!("step {id}"), "status": "pending"});
    post("/v1/sessions/kept/messages", &todo("t1", json!([item("1")])));
    let edits = json!([{"file_path": "/home/ada/orchard/src/mill.rs", "old_content": "a\n", "new_content": "b\n"}]);
    let edit = json!({"id": "e1", "role": "assistant", "message_metadata": {"message_type": "CODE_EDIT", "payload": {"edits": edits}}});
    post("/v1/sessions/kept/messages", &edit);
    post("/v1/sessions/kept/messages", &todo("t2", json!([item("1"), item("2")])));
    let get = |path: &str| server.get(path, &[("Cookie", &cookie)]).text();
    let kept = get("/v1/sessions/kept/export?format=html");
    assert!(kept.contains("<span>src/</span>"), "a path within the project: {kept}");
    assert!(!kept.contains("href=\"/") && !kept.contains("href=\"http"), "a file leads nowhere: {kept}");
    assert_eq!(kept.matches("class=\"card tool plan\"").count(), 1, "the older plan is a line");
    let whole = get("/fragments/sessions/kept/messages/2?full=1");
    assert!(whole.contains("<span>src/</span>"), "{whole}");
}

/// Markdown has as much as the reader's pages show, and says what that leaves out.
#[test]
fn markdown_says_what_it_leaves_out() {
    let place = Place::new();
    let line = |n: u32, role: &str, content: Value| {
        json!({"type": role, "uuid": format!("u{n}"), "sessionId": "mill", "cwd": "/home/ada/mill", "timestamp": format!("2026-01-05T09:00:{n:02}Z"), "message": {"role": role, "content": content}}).to_string()
    };
    let lines = [
        line(1, "user", json!("How does it turn?")),
        line(2, "assistant", json!([{"type": "thinking", "thinking": "Wind, or the wheel.", "signature": "x"}])),
        line(
            3,
            "assistant",
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat <<END\nwheel\nEND", "timeout": 5}}]),
        ),
        line(4, "user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "wheel"}])),
        line(5, "assistant", json!([{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls"}}])),
        line(6, "user", json!([{"type": "tool_result", "tool_use_id": "t2", "content": "stone"}])),
        line(7, "assistant", json!([{"type": "text", "text": "By the wheel."}])),
    ];
    place.write("mill.jsonl", lines.join("\n") + "\n");
    place.out(&["import", "mill.jsonl"]);
    let server = Server::start_in(place, &[]);
    let get = |query: &str, cookies: &str| {
        let bearer = format!("Bearer {}", server.key());
        let path = format!("/v1/sessions/mill/export?format=markdown{query}");
        server.get(&path, &[("Authorization", &bearer), ("Cookie", cookies)])
    };
    let normal = get("", "").text();
    assert!(normal.ends_with("\n---\n\n*Left out at this detail: the input of 1 tool call, 1 thought*\n"), "{normal}");
    assert!(!normal.contains("Wind, or the wheel."), "{normal}");
    let thinking = get("&view=thinking", "").text();
    assert!(thinking.contains("> Wind, or the wheel.\n"), "{thinking}");
    assert!(thinking.ends_with("*Left out at this detail: the input of 1 tool call*\n"), "{thinking}");
    for all in [get("&view=verbose", "").text(), get("", "view=verbose").text(), get("&dev=1", "").text()] {
        assert!(all.contains("> Wind, or the wheel.\n") && !all.contains("Left out"), "{all}");
        assert!(
            all.contains("```json\n{\n  \"timeout\": 5\n}\n```\n\ncommand:\n\n```\ncat <<END\nwheel\nEND\n```"),
            "{all}"
        );
    }
    for (query, field) in [("&view=all", "view"), ("&dev=2", "dev")] {
        let refused = get(query, "");
        assert_eq!((refused.status, refused.json()["field"].as_str()), (400, Some(field)));
    }
}
