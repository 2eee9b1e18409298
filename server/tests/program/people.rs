//! People with roles: invitations, what each may do, and projects that some don't see.

use crate::support::Server;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const HIDDEN: &str = "payroll-s1";
/// What stands in answers that show the hidden session: its id, its words, its project.
const MARKS: [&str; 3] = [HIDDEN, "zebra", "payroll"];

/// Adds a person, and logs them in by their invitation. Returns their id and cookie.
fn add(server: &Server, name: &str, role: &str) -> (String, String) {
    let added = server.with_key("POST", "/v1/users", &json!({ "name": name, "role": role }).to_string());
    assert_eq!(added.status, 201, "{}", added.text());
    let added = added.json();
    let url = added["invitation"]["url"].as_str().unwrap();
    let code = url.strip_prefix(&format!("{}/#c=", server.origin())).unwrap();
    let cookie = server.logged_in(&server.log_in(code));
    (added["person"]["id"].as_str().unwrap().to_owned(), cookie)
}

fn with_key(server: &Server, method: &str, path: &str, body: &Value, status: u16) -> Value {
    let reply = server.with_key(method, path, &body.to_string());
    assert_eq!(reply.status, status, "{method} {path}: {}", reply.text());
    reply.json()
}

/// A session with something for every list, in a project.
fn session(server: &Server, id: &str, project: &str, word: &str) -> String {
    let post = |body: &Value, status| {
        with_key(server, "POST", &format!("/v1/sessions/{id}/messages"), body, status);
    };
    let new = json!({ "agent": "bot", "id": id, "project": project, "title": format!("About {word}") });
    with_key(server, "POST", "/v1/sessions", &new, 201);
    let bearer = format!("Bearer {}", server.key());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    let blob = server.send("POST", "/v1/blobs", &headers, &format!("bytes about {word}")).json();
    let blob = blob["blob"].as_str().unwrap().to_owned();
    post(&json!({ "role": "user", "content": format!("Say something about the {word}"), "memory": "always" }), 201);
    post(&json!({ "content": format!("The {word} sleeps") }), 201);
    let edit = json!({ "message_type": "CODE_EDIT", "payload": { "edits": [{ "file_path": format!("{project}/{word}.rs"),
        "old_content": "a\n", "new_content": "b\n" }] } });
    post(&json!({ "message_metadata": edit }), 201);
    let file = json!({ "message_type": "FILE", "payload": { "files": [
        { "name": format!("{word}.txt"), "blob": blob, "mime": "text/plain", "size": 5, "state": "ready" }] } });
    post(&json!({ "message_metadata": file }), 201);
    let ask = json!({ "message_type": "APPROVAL", "payload": { "kind": "permission", "title": format!("Feed the {word}?"),
        "questions": [{ "question": "Now?", "options": [{ "id": "yes", "label": "Yes", "kind": "allow_once" }] }] } });
    post(&json!({ "id": format!("ask-{word}"), "message_metadata": ask, "requires_user_input": true }), 201);
    blob
}

#[test]
fn an_invitation_logs_in_once_and_a_person_who_is_removed_is_out() {
    let server = Server::start();
    let added = with_key(&server, "POST", "/v1/users", &json!({ "name": " Ines ", "role": "member" }), 201);
    assert_eq!(added["person"]["name"], "Ines");
    let id = added["person"]["id"].as_str().unwrap();
    let code = |link: &Value| link["url"].as_str().unwrap().split_once("#c=").unwrap().1.to_owned();
    let first = code(&added["invitation"]);
    let second = code(&with_key(&server, "POST", &format!("/v1/users/{id}/invitation"), &json!({}), 201));
    assert_eq!(server.log_in(&first).json()["code"], "invalid_code", "a newer invitation replaces it");
    let cookie = server.logged_in(&server.log_in(&second));
    assert_eq!(server.log_in(&second).json()["code"], "invalid_code", "it was used");
    let me = server.get("/v1/me", &[("Cookie", &cookie)]).json();
    assert_eq!(me, json!({ "kind": "owner", "name": "Ines", "workspace": "default", "role": "member" }));
    let people = with_key(&server, "GET", "/v1/users", &json!({}), 200);
    let shown: Vec<Value> = people["people"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["id"], one["role"], one["devices"]]))
        .collect();
    assert_eq!(shown, [json!(["owner", "owner", 0]), json!([id, "member", 1])]);

    // A stream that is open ends with the log-in.
    let events = server.events_of(&cookie);
    let removed = with_key(&server, "DELETE", &format!("/v1/users/{id}"), &json!({}), 200);
    assert_eq!(removed["people"].as_array().unwrap().len(), 1);
    events.end();
    assert_eq!(server.get("/v1/me", &[("Cookie", &cookie)]).status, 401);
    let kinds: Vec<String> =
        with_key(&server, "GET", "/v1/audit?kind=person_added&kind=person_removed", &json!({}), 200)["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["what"]["kind"].as_str().unwrap().to_owned())
            .collect();
    assert_eq!(kinds, ["person_removed", "person_added"]);
    // The name is free again.
    with_key(&server, "POST", "/v1/users", &json!({ "name": "ines", "role": "viewer" }), 201);
}

#[test]
fn what_does_not_fit_is_named() {
    let server = Server::start();
    let (id, cookie) = add(&server, "Ines", "owner");
    for (method, path, body, expected) in [
        ("POST", "/v1/users".to_owned(), json!({ "name": "INES", "role": "member" }), (400, "/name")),
        ("POST", "/v1/users".to_owned(), json!({ "name": "two\nlines", "role": "member" }), (400, "/name")),
        ("POST", "/v1/users".to_owned(), json!({ "name": "owner", "role": "member" }), (400, "/name")),
        ("POST", "/v1/users".to_owned(), json!({ "name": "Bo", "role": "chief" }), (400, "/role")),
        ("PATCH", "/v1/users/owner".to_owned(), json!({ "name": "Ada", "role": "member" }), (400, "/role")),
        ("PATCH", "/v1/users/none".to_owned(), json!({ "name": "Bo" }), (404, "")),
        ("DELETE", "/v1/users/owner".to_owned(), json!({}), (403, "")),
        ("PUT", "/v1/projects/people".to_owned(), json!({ "project": "/p", "people": ["none"] }), (400, "/people/0")),
        ("PUT", "/v1/projects/people".to_owned(), json!({ "project": "", "people": [] }), (400, "/project")),
    ] {
        let reply = server.with_key(method, &path, &body.to_string());
        let problem = reply.json();
        assert_eq!((reply.status, problem["field"].as_str().unwrap_or_default()), expected, "{method} {path} {body}");
    }
    assert_eq!(server.as_owner(&cookie, "DELETE", &format!("/v1/users/{id}"), &json!({})).status, 403, "not oneself");
}

/// What people do carries their name: messages, decisions and the audit log.
#[test]
fn what_people_do_has_their_name() {
    let server = Server::start();
    session(&server, "s1", "/home/ada/garden", "beds");
    let (_, ines) = add(&server, "Ines", "member");
    let said = server.as_owner(&ines, "POST", "/v1/sessions/s1/messages", &json!({ "content": "Go on" })).json();
    assert_eq!(said["sender_name"], "Ines");
    let asked = with_key(&server, "GET", "/v1/sessions/s1/messages/ask-beds", &json!({}), 200);
    let shown = asked["entry"]["shown_sha256"].as_str().unwrap();
    let decide = json!({ "selected": ["yes"], "shown_sha256": shown });
    let path = "/v1/sessions/s1/messages/ask-beds/decision";
    let decided = server.as_owner(&ines, "POST", path, &decide);
    assert_eq!(decided.status, 200, "{}", decided.text());
    let decided = decided.json();
    assert_eq!(decided["approval"]["metadata"]["payload"]["decision"]["by"], "Ines");
    assert_eq!(decided["action"]["sender_name"], "Ines");
    let entry = with_key(&server, "GET", "/v1/audit?kind=decided", &json!({}), 200)["entries"][0]["who"].clone();
    assert_eq!((&entry["kind"], &entry["name"]), (&json!("owner"), &json!("Ines")));

    // Preferences and read marks are each person's own; what holds for everybody is an owner's.
    let edit = |cookie: &str, body: Value| server.as_owner(cookie, "PATCH", "/v1/preferences", &body);
    assert_eq!(edit(&ines, json!({ "editor": "zed://file/{path}" })).json()["editor"], "zed://file/{path}");
    assert_eq!(edit(&ines, json!({ "assistant_name": "Max" })).json()["code"], "forbidden");
    let owner = server.cookie();
    assert_eq!(edit(&owner, json!({ "assistant_name": "Max" })).json()["editor"], "");
    assert_eq!(server.get("/v1/preferences", &[("Cookie", &ines)]).json()["assistant_name"], "Max");
    server.as_owner(&ines, "PUT", "/v1/sessions/s1/read", &json!({ "seq": 1 }));
    let unread =
        |cookie: &str| server.get("/v1/unread", &[("Cookie", cookie)]).json()["sessions"].as_array().unwrap().len();
    assert_eq!((unread(&ines), unread(&owner)), (1, 0));
    // Each sees the devices of their own.
    let devices =
        |cookie: &str| server.get("/v1/logins", &[("Cookie", cookie)]).json()["logins"].as_array().unwrap().len();
    assert_eq!((devices(&ines), devices(&owner)), (1, 2));
}

/// Every path that is read: endpoints, pages, parts of pages, exports.
fn read_paths(blob: &str) -> Vec<String> {
    let queries = [
        ("/v1/search", "?q=sleeps"),
        ("/v1/memory", "?q=sleeps"),
        ("/v1/sessions/{session}/find", "?q=sleeps"),
        ("/v1/sessions/{session}/context", "?at=2"),
    ];
    let endpoints = api::ENDPOINTS.iter().filter(|e| e.method == api::Method::Get).map(|e| {
        let query = queries.iter().find(|(path, _)| *path == e.path).map_or("", |(_, query)| query);
        format!("{}{query}", e.path)
    });
    let beside = [
        "/",
        "/sessions",
        "/inbox",
        "/s/{session}",
        "/s/{session}/changes",
        "/s/{session}/context",
        "/s/{session}/print",
        "/s/{session}/redacted",
        "/s/{session}/erase",
        "/s/{session}/routing",
        "/search?q=sleeps",
        "/memory?q=sleeps",
        "/stats",
        "/files",
        "/new",
        "/settings",
        "/folders",
        "/schedules",
        "/fragments/sessions",
        "/fragments/session-options",
        "/fragments/inbox",
        "/fragments/rail",
        "/fragments/folders",
        "/fragments/settings",
        "/fragments/settings/audit",
        "/fragments/palette?q=sleeps",
        "/fragments/sessions/{session}/chunks/0",
        "/fragments/sessions/{session}/messages/{message}",
        "/fragments/sessions/{session}/messages/{message}/growth",
        "/fragments/sessions/{session}/filter",
        "/fragments/sessions/{session}/head",
        "/fragments/sessions/{session}/hidden?from=1&to=2",
        "/fragments/sessions/{session}/nested",
        "/fragments/sessions/{session}/routing",
        "/fragments/sessions/{session}/panel",
        "/fragments/sessions/{session}/edits/3/0",
        "/fragments/sessions/{session}/net?path=a",
        "/fragments/sessions/{session}/records/2",
        "/fragments/sessions/{session}/text/2",
        "/v1/sessions/{session}/export?format=json",
        "/v1/sessions/{session}/export?format=html",
        "/v1/sessions/{session}/export?format=markdown",
        "/v1/sessions/{session}/export?format=jsonl",
        "/v1/events?until=now&after=1.0",
        "/v1/events?until=now&after=1.0&session={session}",
    ];
    let all = endpoints.chain(beside.map(str::to_owned)).chain([format!("/v1/blobs/{blob}")]);
    let parts = [
        ("{session}", HIDDEN),
        ("{message}", "2"),
        ("{run}", "1"),
        ("{import}", "1"),
        ("{type}", "bot"),
        ("{channel}", "none"),
        ("{agent}", "bot"),
    ];
    all.map(|path| parts.iter().fold(path, |path, (name, value)| path.replace(name, value))).collect()
}

/// The one rule: of a session in a project that somebody doesn't see, nothing is found by any path.
#[test]
fn a_project_that_somebody_does_not_see_is_nowhere() {
    let server = Server::start();
    session(&server, "garden-s1", "/home/ada/garden", "beds");
    let blob = session(&server, HIDDEN, "/home/ada/payroll", "zebra");
    let (ines, cookie) = add(&server, "Ines", "member");
    let (_, viewer) = add(&server, "Vik", "viewer");
    let seen_at = |cookie: &str, is_hidden: bool| -> BTreeSet<String> {
        let shows = |path: &String| {
            let reply = server.get(path, &[("Cookie", cookie)]);
            let (status, said) = (reply.status, reply.text());
            assert_ne!(status, 500, "{path}: {said}");
            // A role may be refused first.
            let names_it = is_hidden && path.contains(HIDDEN);
            assert!(!names_it || matches!(status, 403 | 404), "{path} answers {status}: {said}");
            MARKS.iter().any(|mark| said.contains(mark))
        };
        read_paths(&blob).into_iter().filter(shows).collect()
    };
    let all = seen_at(&cookie, false);
    assert!(all.len() > 45, "what everybody sees is shown: {all:#?}");

    let restrict = |people: Value| {
        with_key(
            &server,
            "PUT",
            "/v1/projects/people",
            &json!({ "project": "/home/ada/payroll", "people": people }),
            200,
        )
    };
    restrict(json!([]));
    for cookie in [&cookie, &viewer] {
        assert_eq!(seen_at(cookie, true), BTreeSet::new(), "what isn't for them is nowhere");
        let list = server.get("/v1/sessions", &[("Cookie", cookie)]).json();
        assert_eq!((&list["total"], &list["sessions"][0]["id"]), (&json!(1), &json!("garden-s1")));
        assert_eq!(server.get("/v1/asks", &[("Cookie", cookie)]).json()["asks"].as_array().unwrap().len(), 1);
        let stats = server.get("/v1/stats", &[("Cookie", cookie)]).json();
        assert_eq!(stats["total"]["sessions"], 1, "{stats}");
    }
    // A sub-agent elsewhere belongs to its parent.
    let child = json!({ "agent": "bot", "id": "child-zebra", "parent": HIDDEN, "project": "/tmp/worktree", "title": "Part of payroll" });
    with_key(&server, "POST", "/v1/sessions", &child, 201);
    with_key(&server, "POST", "/v1/sessions/child-zebra/messages", &json!({ "content": "zebra" }), 201);
    for path in ["/v1/sessions/child-zebra", "/s/child-zebra", "/v1/sessions/child-zebra/messages"] {
        assert_eq!(server.get(path, &[("Cookie", &cookie)]).status, 404, "{path}");
    }
    // Nothing of it is changed, by whatever request.
    let before = with_key(&server, "GET", &format!("/v1/sessions/{HIDDEN}"), &json!({}), 200);
    for endpoint in api::ENDPOINTS.iter().filter(|e| e.method != api::Method::Get && e.path.contains("{session}")) {
        let path = endpoint
            .path
            .replace("{session}", HIDDEN)
            .replace("{message}", "ask-zebra")
            .replace("{run}", "1")
            .replace("{channel}", "none");
        for body in [
            json!({}),
            json!({ "content": "Me" }),
            json!({ "title": "Mine" }),
            json!({ "selected": ["yes"] }),
            json!({ "seq": 1 }),
        ] {
            let status = server.as_owner(&cookie, endpoint.method.as_str(), &path, &body).status;
            assert!(matches!(status, 400 | 403 | 404 | 422), "{} answers {status} to {body}", endpoint.name);
        }
    }
    let many = server.as_owner(&cookie, "PATCH", "/v1/sessions", &json!({ "sessions": [HIDDEN], "deleted": true }));
    assert_eq!(many.json()["sessions"], json!([]));
    assert_eq!(with_key(&server, "GET", &format!("/v1/sessions/{HIDDEN}"), &json!({}), 200), before);
    // Its file can't be drawn into a session of one's own.
    let file = json!({ "message_type": "FILE", "payload": { "files": [{ "name": "x", "blob": blob, "mime": "text/plain", "size": 5, "state": "ready" }] } });
    server.as_owner(&cookie, "POST", "/v1/sessions/garden-s1/messages", &json!({ "message_metadata": file }));
    assert_eq!(server.get(&format!("/v1/blobs/{blob}"), &[("Cookie", &cookie)]).status, 404);

    // Whoever is named sees it, and whoever isn't any more doesn't: a stream begins anew.
    restrict(json!([ines]));
    assert!(seen_at(&cookie, false).is_superset(&all));
    assert_eq!(seen_at(&viewer, true), BTreeSet::new());
    let events = server.events_of(&cookie);
    restrict(json!([]));
    events.end();
    assert_eq!(server.get(&format!("/v1/sessions/{HIDDEN}"), &[("Cookie", &cookie)]).status, 404);
    // A folder below it is part of it.
    session(&server, "zebra-below", "/home/ada/payroll/december", "stripes");
    assert_eq!(server.get("/v1/sessions/zebra-below", &[("Cookie", &cookie)]).status, 404);
    restrict(Value::Null);
    assert_eq!(server.get("/v1/sessions/zebra-below", &[("Cookie", &cookie)]).status, 200);
}

/// What a server allows viewers.
#[test]
fn viewers_export_originals_where_the_server_allows_it() {
    let server = Server::with_sessions_and(&["--viewers-export"]);
    let (_, cookie) = add(&server, "Vik", "viewer");
    let sessions = server.get("/v1/sessions", &[("Cookie", &cookie)]).json();
    let id = sessions["sessions"][0]["id"].as_str().unwrap();
    for format in ["original", "jsonl"] {
        let path = format!("/v1/sessions/{id}/export?format={format}");
        assert_eq!(server.get(&path, &[("Cookie", &cookie)]).status, 200, "{format}");
    }
    assert!(server.get(&format!("/s/{id}"), &[("Cookie", &cookie)]).text().contains("Original file"));
}

/// Owners see and do everything; a viewer exports what they read, and no originals.
#[test]
fn each_role_includes_the_ones_before() {
    let server = Server::with_sessions();
    let roles = ["viewer", "member", "owner"];
    let cookies: Vec<String> = roles.iter().map(|role| add(&server, role.trim_end_matches("er"), role).1).collect();
    let mut counts = [0, 0, 0];
    for endpoint in api::ENDPOINTS {
        let least = [api::Access::Viewer, api::Access::Member, api::Access::Owner];
        let least = least.iter().position(|role| endpoint.access.contains(role));
        for (rank, cookie) in cookies.iter().enumerate() {
            // A path without its parameters names nothing: who may not call it hears that first.
            let path = endpoint.path.replace(['{', '}'], "");
            // These would end the test's own log-ins.
            if endpoint.name == "end_other_logins" {
                continue;
            }
            let reply = match endpoint.method {
                api::Method::Get => server.get(&path, &[("Cookie", cookie)]),
                method => server.as_owner(cookie, method.as_str(), &path, &json!({})),
            };
            let is_refused = reply.status == 403 && reply.json()["code"] == "forbidden";
            assert_eq!(is_refused, least.is_none_or(|least| rank < least), "{} as {}", endpoint.name, roles[rank]);
            counts[rank] += usize::from(!is_refused);
        }
    }
    assert!(counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
    let id =
        server.get("/v1/sessions", &[("Cookie", &cookies[0])]).json()["sessions"][0]["id"].as_str().unwrap().to_owned();
    let export = |cookie: &str, query: &str| {
        server.get(&format!("/v1/sessions/{id}/export?{query}"), &[("Cookie", cookie)]).status
    };
    assert_eq!(export(&cookies[0], "format=original"), 403);
    assert_eq!(export(&cookies[0], "format=original&redact=1"), 200);
    assert_eq!(export(&cookies[0], "format=markdown"), 200);
    assert_eq!(export(&cookies[1], "format=original"), 200);
    let page = |server: &Server, cookie: &str| server.get(&format!("/s/{id}"), &[("Cookie", cookie)]).text();
    let offered = [&cookies[0], &cookies[1]].map(|cookie| page(&server, cookie).contains("Original file"));
    assert_eq!(offered, [false, true]);
    for (rank, path) in [(2, "/folders"), (2, "/schedules"), (1, "/new")] {
        for (role, cookie) in cookies.iter().enumerate() {
            assert_eq!(
                server.get(path, &[("Cookie", cookie)]).status == 200,
                role >= rank,
                "{path} as {}",
                roles[role]
            );
        }
    }
    let settings = |cookie: &str| server.get("/settings", &[("Cookie", cookie)]).text();
    assert!(settings(&cookies[2]).contains("id=\"agent-keys\"") && settings(&cookies[2]).contains("id=\"people\""));
    for cookie in &cookies[..2] {
        let page = settings(cookie);
        assert!(
            page.contains("id=\"devices\"") && !page.contains("id=\"agent-keys\"") && !page.contains("id=\"people\"")
        );
    }
}

/// A member starts agents where there is a project that they see.
#[test]
fn members_start_agents_in_projects_that_they_see() {
    let server = Server::start();
    let (seen, hidden) = (server.place.path("garden"), server.place.path("payroll"));
    std::fs::create_dir_all(seen.join("beds")).unwrap();
    std::fs::create_dir_all(&hidden).unwrap();
    std::os::unix::fs::symlink(&hidden, seen.join("link")).unwrap();
    session(&server, "s1", seen.to_str().unwrap(), "beds");
    session(&server, "s2", hidden.to_str().unwrap(), "zebra");
    let (_, ines) = add(&server, "Ines", "member");
    with_key(&server, "PUT", "/v1/projects/people", &json!({ "project": hidden, "people": [] }), 200);
    let start = |cookie: &str, folder: &str| {
        let body = json!({ "agent": "claude", "folder": folder, "prompt": "Hello" });
        let problem = server.as_owner(cookie, "POST", "/v1/agents/sessions", &body).json();
        (
            problem["field"].as_str().unwrap_or_default().to_owned(),
            problem["title"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let refused = ("/folder".to_owned(), "`folder`: expected a folder of a project that you see".to_owned());
    for folder in [&hidden, &seen.join("link"), &seen.join("../payroll"), &std::path::PathBuf::from("/tmp")] {
        assert_eq!(start(&ines, folder.to_str().unwrap()).0, refused.0, "{folder:?}");
    }
    assert_ne!(start(&ines, seen.join("beds").to_str().unwrap()), refused);
    assert_ne!(start(&server.cookie(), hidden.to_str().unwrap()), refused);
}
