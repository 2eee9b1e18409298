//! Ways to log in besides links: passwords, passkeys, and the name that a trusted proxy gives.

use crate::support::{PATIENCE, Place, Reply, Server};
use serde_json::{Value, json};

const PASSWORD: &str = "seven quinces in a row";

/// Adds a person, and returns their id and the code of their invitation.
fn invited(server: &Server, name: &str, role: &str) -> (String, String) {
    let added = server.with_key("POST", "/v1/users", &json!({ "name": name, "role": role }).to_string());
    assert_eq!(added.status, 201, "{}", added.text());
    let added = added.json();
    let code = added["invitation"]["url"].as_str().unwrap().split_once("#c=").unwrap().1.to_owned();
    (added["person"]["id"].as_str().unwrap().to_owned(), code)
}

fn log_in(server: &Server, body: &Value) -> Reply {
    let headers = [("Content-Type", "application/json"), ("Origin", &*server.origin())];
    server.send("POST", "/v1/login", &headers, &body.to_string())
}

fn by_password(server: &Server, name: &str, password: &str) -> Reply {
    log_in(server, &json!({ "name": name, "password": password }))
}

fn set_password(server: &Server, cookie: &str, password: &str) -> Reply {
    server.as_owner(cookie, "PUT", "/v1/login-methods/password", &json!({ "password": password }))
}

fn code(reply: &Reply) -> (u16, String) {
    (reply.status, reply.json()["code"].as_str().unwrap_or_default().to_owned())
}

/// What the audit log has of a person's log-in methods, oldest first.
fn audited(server: &Server) -> Vec<String> {
    let path = "/v1/audit?kind=log_in_method_added&kind=log_in_method_removed&kind=person_invited";
    let entries = server.with_key("GET", path, "").json()["entries"].as_array().unwrap().clone();
    let words = |entry: &Value| {
        let (what, method) = (&entry["what"], entry["what"]["method"].as_str().unwrap_or_default());
        format!("{} {method}", what["kind"].as_str().unwrap()).trim_end().to_owned()
    };
    entries.iter().rev().map(words).collect()
}

#[test]
fn a_password_logs_in_by_name_until_an_invitation_replaces_it() {
    let server = Server::start();
    let (id, invitation) = invited(&server, "Ines", "member");
    let cookie = server.logged_in(&server.log_in(&invitation));
    let set = set_password(&server, &cookie, PASSWORD);
    assert_eq!(set.status, 200, "{}", set.text());
    let methods = set.json();
    assert_eq!((&methods["may_change"], methods["methods"].as_array().unwrap().len()), (&json!(true), 1));
    assert_eq!((&methods["methods"][0]["kind"], &methods["methods"][0]["id"]), (&json!("password"), &json!(id)));
    let again = server.logged_in(&by_password(&server, " iNES ", PASSWORD));
    assert_eq!(server.get("/v1/me", &[("Cookie", &again)]).json()["name"], "Ines");
    assert!(server.get("/login", &[]).text().contains("login-password"), "the page asks for passwords");

    // Nothing says whether there is such a person.
    let wrong = by_password(&server, "Ines", "seven quinces in a heap");
    let nobody = by_password(&server, "Nobody", PASSWORD);
    assert_eq!((wrong.status, wrong.json()), (401, nobody.json()));
    assert_eq!(code(&by_password(&server, "owner", PASSWORD)), (401, "wrong_password".to_owned()), "he has none");

    let link = server.with_key("POST", &format!("/v1/users/{id}/invitation"), "{}").json();
    assert_eq!(by_password(&server, "Ines", PASSWORD).status, 200, "an invitation that isn't used changes nothing");
    server.logged_in(&server.log_in(link["url"].as_str().unwrap().split_once("#c=").unwrap().1));
    assert_eq!(by_password(&server, "Ines", PASSWORD).status, 401);
    assert_eq!(
        audited(&server),
        ["person_invited", "log_in_method_added password", "person_invited"].map(str::to_owned)
    );

    assert_eq!(set_password(&server, &cookie, PASSWORD).status, 200);
    assert_eq!(server.with_key("DELETE", &format!("/v1/users/{id}"), "").status, 200);
    assert_eq!(by_password(&server, "Ines", PASSWORD).status, 401, "who was removed is out");
}

#[test]
fn the_owner_has_a_password_by_either_name() {
    let server = Server::start();
    let cookie = server.cookie();
    let methods = server.as_owner(&cookie, "GET", "/v1/login-methods", &Value::Null).json();
    assert_eq!(methods, json!({ "methods": [], "may_change": true, "has_passkeys": true }));
    assert!(!server.get("/settings", &[("Cookie", &cookie)]).text().contains("login-methods"), "nobody alone needs it");
    assert_eq!(set_password(&server, &cookie, PASSWORD).status, 200);
    assert!(server.get("/settings", &[("Cookie", &cookie)]).text().contains("login-methods"));
    assert_eq!(server.with_key("PATCH", "/v1/users/owner", r#"{"name": "Ada"}"#).status, 200);
    for name in ["owner", "Ada", "ada"] {
        let cookie = server.logged_in(&by_password(&server, name, PASSWORD));
        assert_eq!(server.get("/v1/me", &[("Cookie", &cookie)]).json()["role"], "owner");
    }
    let removed = server.as_owner(&cookie, "DELETE", "/v1/login-methods/password/owner", &json!({}));
    assert_eq!(removed.json()["methods"], json!([]));
    assert_eq!(by_password(&server, "owner", PASSWORD).status, 401);
    assert_eq!(server.get("/v1/me", &[("Cookie", &cookie)]).status, 200, "log-ins stay");
}

#[test]
fn guesses_are_limited_for_each_name_and_passwords_are_checked() {
    let server = Server::start();
    let cookie = server.cookie();
    for password in ["short", &"x".repeat(201), "ababababababab", "password1234", "qwertyuiop12"] {
        let reply = set_password(&server, &cookie, password);
        assert_eq!((reply.status, reply.json()["field"].as_str().unwrap()), (400, "/password"), "{password}");
        assert!(!reply.text().contains(password));
    }
    assert_eq!(set_password(&server, &cookie, PASSWORD).status, 200);
    let statuses: Vec<u16> = (0..11).map(|n| by_password(&server, "owner", &format!("guess {n}")).status).collect();
    assert_eq!(statuses, [[401; 10].as_slice(), &[429]].concat());
    let refused = by_password(&server, "OWNER", PASSWORD);
    assert_eq!(code(&refused), (429, "too_many_attempts".to_owned()), "also the right one");
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() <= 901);
    assert_eq!(by_password(&server, "somebody else", "guess").status, 401, "others aren't shut out");
    assert_eq!(server.log_in(&server.code).status, 200, "a link still logs in");
}

#[test]
fn what_is_given_to_log_in_is_one_thing() {
    let server = Server::start();
    for (body, field) in [
        (json!({}), "/code"),
        (json!({ "code": "x", "passkey": {} }), "/code"),
        (json!({ "code": "x", "name": "Ines", "password": PASSWORD }), "/code"),
        (json!({ "name": "Ines" }), "/password"),
        (json!({ "password": PASSWORD }), "/name"),
    ] {
        let reply = log_in(&server, &body);
        assert_eq!((reply.status, reply.json()["field"].as_str().unwrap_or_default()), (400, field), "{body}");
    }
    let passkey = log_in(&server, &json!({ "passkey": { "id": "AAAA" } }));
    assert_eq!(code(&passkey), (401, "wrong_passkey".to_owned()));
    let asked = server.send("POST", "/v1/login/passkey", &[("Origin", &*server.origin())], "");
    assert_eq!(asked.status, 201);
    assert_eq!(asked.json()["options"]["rpId"], "localhost");
    assert_eq!(asked.json()["options"]["userVerification"], "required");
    let cookie = server.cookie();
    let wrong = json!({ "label": "Phone", "credential": { "id": "AAAA" } });
    let wrong = server.as_owner(&cookie, "POST", "/v1/login-methods/passkeys", &wrong);
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("/credential")));
    let unknown = server.as_owner(&cookie, "DELETE", "/v1/login-methods/passkey/AAAA", &json!({}));
    assert_eq!(unknown.status, 404);
    let alone = server.as_owner(&cookie, "POST", "/v1/login-methods/single-sign-on", &json!({}));
    assert_eq!(alone.status, 404, "there is no provider");
}

/// A log-in that somebody else found open doesn't change how its person logs in.
#[tokio::test]
async fn a_log_in_that_is_not_new_changes_nothing() {
    let mut server = Server::start();
    let cookie = server.cookie();
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(server.place.data().join("verbatim.db"));
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let aged = sqlx::query("UPDATE login SET created_at = created_at - 901000000").execute(&pool).await.unwrap();
    assert_eq!(aged.rows_affected(), 1);
    pool.close().await;
    let server = server.again();
    let methods = server.as_owner(&cookie, "GET", "/v1/login-methods", &Value::Null).json();
    assert_eq!(methods["may_change"], false);
    for (method, path, body) in [
        ("PUT", "/v1/login-methods/password", json!({ "password": PASSWORD })),
        ("POST", "/v1/login-methods/passkey-options", json!({})),
        ("POST", "/v1/login-methods/passkeys", json!({ "label": "Phone", "credential": {} })),
        ("POST", "/v1/login-methods/single-sign-on", json!({})),
        ("DELETE", "/v1/login-methods/password/owner", json!({})),
    ] {
        let reply = server.as_owner(&cookie, method, path, &body);
        assert_eq!(code(&reply), (403, "log_in_again".to_owned()), "{method} {path}");
    }
    assert_eq!(set_password(&server, &server.cookie(), PASSWORD).status, 200);
}

const NAME: &str = "agents.example.org";
const PUBLIC: &str = "https://agents.example.org";
const HEADER: &str = "Remote-User";

/// A page of the public URL, as the proxy passes it on for somebody.
fn by_proxy(server: &Server, path: &str, user: Option<&str>, cookie: &str) -> Reply {
    let host = server.host();
    let mut headers = vec![("Host", &*host), ("X-Forwarded-Host", NAME), ("Cookie", cookie)];
    headers.extend(user.map(|user| (HEADER, user)));
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    server.raw(format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").as_bytes())
}

/// Logs in as the log-in page does with the code that the server gave it.
fn proxied_log_in(server: &Server, page: &Reply) -> String {
    let page = page.text();
    let code = page.split_once("data-log-in=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let body = json!({ "code": code }).to_string();
    let head = format!(
        "POST /v1/login HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nX-Forwarded-Host: {NAME}\r\nOrigin: {PUBLIC}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.host(),
        body.len()
    );
    server.logged_in(&server.raw(head.as_bytes()))
}

#[test]
fn a_trusted_proxy_says_who_somebody_is() {
    let trusted = ["--public-url", PUBLIC, "--trusted-proxy", "127.0.0.1", "--proxy-user-header", "remote-user"];
    let server = Server::start_in(Place::new(), &trusted);
    invited(&server, "Ines", "viewer");
    let page = by_proxy(&server, "/login?next=%2Finbox", Some("ines"), "");
    assert_eq!(page.status, 200);
    let cookie = proxied_log_in(&server, &page);
    assert_eq!(by_proxy(&server, "/v1/me", Some("Ines"), &cookie).json()["role"], "viewer");
    // Somebody else at this browser is a person of their own, and the log-in before isn't theirs.
    assert_eq!(by_proxy(&server, "/v1/me", Some("Bo"), &cookie).status, 401);
    assert_eq!(by_proxy(&server, "/v1/me", Some("owner"), &cookie).status, 401);
    let unknown = by_proxy(&server, "/login", Some("B<o>"), "").text();
    assert!(unknown.contains("Your proxy knows you as B&lt;o&gt;") && !unknown.contains("data-log-in=\"e"));
    assert!(unknown.contains("data-log-in=\"\""), "no code");
    assert!(by_proxy(&server, "/login", None, "").text().contains("data-log-in=\"\""));

    // Whoever else sends the header is nobody.
    let elsewhere = ["--public-url", PUBLIC, "--trusted-proxy", "192.0.2.1", "--proxy-user-header", "remote-user"];
    let server = Server::start_in(Place::new(), &elsewhere);
    let page = server.get("/login", &[(HEADER, "owner")]).text();
    assert!(page.contains("data-log-in=\"\""));
    let cookie = server.cookie();
    assert_eq!(server.get("/v1/me", &[("Cookie", &cookie), (HEADER, "Ines")]).status, 200, "the header isn't there");
}

#[test]
fn options_that_lack_another_one_say_which() {
    let place = Place::new();
    let seen = |arguments: &[&str]| place.seen(&[&["serve", "--no-discover"], arguments].concat());
    insta::assert_snapshot!(
        [
            seen(&["--proxy-user-header", "Remote-User"]),
            seen(&["--oidc-client-id", "verbatim"]),
            seen(&["--oidc-issuer", "https://id.example.org"]),
            seen(&["--oidc-issuer", "https://id.example.org", "--oidc-client-id", "verbatim"]),
            seen(&["--oidc-issuer", "http://id.example.org"]),
            seen(&["--oidc-people", "groups=agents:chief"]),
        ]
        .join("\n")
    );
}
