//! Links by which somebody without a log-in reads a part of a session.

use crate::support::{Place, Reply, SECRET, Server, fresh_postgres};
use serde_json::{Value, json};

/// A secret that a rule finds.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

/// A server with the session `mill` of a key, and its owner.
struct Mill {
    server: Server,
    /// Where the database is, if it isn't in the data directory.
    postgres: Option<String>,
    agent: String,
    owner: String,
    session: String,
}

impl Mill {
    fn on(postgres: Option<String>) -> Self {
        let arguments: Vec<&str> = postgres.iter().flat_map(|url| ["--database", url.as_str()]).collect();
        let server = Server::start_in(Place::new(), &arguments);
        let made = server.with_key("POST", "/v1/keys", r#"{"name": "bot", "scopes": ["post", "read", "mirror"]}"#);
        let agent = format!("Bearer {}", made.json()["key"].as_str().unwrap());
        let owner = server.cookie();
        let mut mill = Self { server, postgres, agent, owner, session: String::new() };
        let made =
            mill.as_agent("POST", "/v1/sessions", &json!({"agent": "bot", "id": "mill", "title": "Grind the rye"}));
        made.json()["id"].as_str().unwrap().clone_into(&mut mill.session);
        mill
    }

    fn start() -> Self {
        Self::on(None)
    }

    /// One on each engine.
    fn on_each_engine(name: &str) -> Vec<Self> {
        std::iter::once(Self::start()).chain(fresh_postgres(name).map(|url| Self::on(Some(url)))).collect()
    }

    fn as_agent(&self, method: &str, path: &str, body: &Value) -> Reply {
        let headers = [("Authorization", self.agent.as_str()), ("Content-Type", "application/json")];
        self.server.send(method, path, &headers, &body.to_string())
    }

    fn as_owner(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.server.as_owner(&self.owner, method, path, body)
    }

    fn post(&self, body: &Value) {
        let reply = self.as_agent("POST", "/v1/sessions/mill/messages", body);
        assert_eq!(reply.status, 201, "{}", reply.text());
    }

    fn says(&self, id: &str, text: &str) {
        self.post(&json!({ "id": id, "content": text }));
    }

    /// The path of a new link, and its id.
    fn share(&self, more: &Value) -> (String, String) {
        let mut body = more.clone();
        body["session"] = json!(self.session);
        let reply = self.as_owner("POST", "/v1/shares", &body);
        assert_eq!(reply.status, 201, "{}", reply.text());
        let made = reply.json();
        let url = made["url"].as_str().unwrap();
        let path = url.strip_prefix(&self.server.origin()).unwrap_or_else(|| panic!("{url}"));
        (path.to_owned(), made["share"]["id"].as_str().unwrap().to_owned())
    }

    /// The page, as a stranger gets it.
    fn open(&self, path: &str) -> Reply {
        self.server.get(path, &[])
    }

    fn listed(&self) -> Vec<Value> {
        self.as_owner("GET", "/v1/shares", &json!({})).json()["shares"].as_array().unwrap().clone()
    }

    /// Runs a statement on the database.
    fn sql(&self, statement: &'static str) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            if let Some(url) = &self.postgres {
                let pool = sqlx::PgPool::connect(url).await.unwrap();
                sqlx::raw_sql(statement).execute(&pool).await.unwrap();
                return pool.close().await;
            }
            let file = self.server.place.data().join("verbatim.db");
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
            let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
            sqlx::raw_sql(statement).execute(&pool).await.unwrap();
            pool.close().await;
        });
    }
}

#[test]
fn a_link_shows_the_messages_of_its_range_as_they_were() {
    for mill in Mill::on_each_engine("shares") {
        mill.says("one", "Sow the rye");
        mill.says("two", &format!("The token is {TOKEN}"));
        mill.says("three", "Reap the rye");
        let system = json!({"id": "four", "role": "system", "content": "A rule of the program"}).to_string();
        assert_eq!(mill.server.with_key("POST", "/v1/sessions/mill/messages", &system).status, 201);
        mill.server.place.out(&["notify", "--session", "mill", "The disk of the host is full"]);
        mill.says("six", "Thresh the rye");
        mill.says("seven", "Bake the bread");
        let (path, id) = mill.share(&json!({"from": 2, "to": 6, "label": "For Grace"}));
        mill.says("eight", "Eat the bread");
        let changed = mill.as_agent("PATCH", "/v1/sessions/mill/messages/three", &json!({"content": "Burn the rye"}));
        assert_eq!(changed.status, 200, "{}", changed.text());

        let reply = mill.open(&path);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let page = reply.text();
        for there in [
            "Grind the rye",
            "The token is",
            "Thresh the rye",
            "Shared by the owner of this server",
            "Expires",
            "Secrets are masked",
        ] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let absent = [
            TOKEN,
            "Sow the rye",
            "Bake",
            "Eat the",
            "Burn the",
            "Reap the",
            "A rule of",
            "disk of the host",
            "For Grace",
            &mill.session,
        ];
        for absent in absent {
            assert!(!page.contains(absent), "{absent}: {page}");
        }
        assert!(
            page.contains("<meta name=\"robots\" content=\"noindex, nofollow\">") && !page.contains("<script"),
            "{page}"
        );
        let headers = [
            ("content-type", "text/html; charset=utf-8"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
                 frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
            ),
            ("x-robots-tag", "noindex, nofollow"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "private, no-store"),
            ("x-content-type-options", "nosniff"),
        ];
        for (name, value) in headers {
            assert_eq!(reply.header(name), Some(value), "{name}");
        }
        assert_eq!(reply.header("set-cookie"), None);
        // A link in a chat of another site opens it too.
        let from_elsewhere = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
        assert_eq!(mill.server.get(&format!("{path}?outside=1"), &from_elsewhere).status, 200);
        assert_eq!(mill.server.get(&path, &[("Host", "evil.example")]).status, 421);

        let secret = path.rsplit('/').next().unwrap();
        assert!(secret.len() >= 43, "{secret}");
        let listed = mill.listed();
        assert_eq!(listed.len(), 1);
        let share = &listed[0];
        assert!(!share.to_string().contains(secret), "{share}");
        let of = ["id", "session", "session_title", "from", "to", "redacted", "label", "opened"]
            .map(|name| share[name].clone());
        let expected = [
            json!(id),
            json!(mill.session),
            json!("Grind the rye"),
            json!(2),
            json!(6),
            json!(true),
            json!("For Grace"),
            json!(2),
        ];
        assert_eq!(of, expected);
        let days = (share["expires_at"].as_i64().unwrap() - share["created_at"].as_i64().unwrap()) / 86_400_000_000;
        assert_eq!(days, 7);
    }
}

#[test]
fn a_link_ends_when_it_is_revoked_when_it_expires_and_with_its_session() {
    for mill in Mill::on_each_engine("shares_end") {
        mill.says("one", "Sow the rye");
        let (revoked, id) = mill.share(&json!({}));
        let (expired, _) = mill.share(&json!({"days": 1, "label": "old"}));
        let (third, _) = mill.share(&json!({}));
        let open = |path: &str| {
            let reply = mill.open(path);
            assert_eq!(reply.status == 200, reply.text().contains("Sow the rye"), "{}", reply.text());
            (reply.status, reply.text())
        };
        for path in [&revoked, &expired, &third] {
            assert_eq!(open(path).0, 200);
        }
        let left = mill.as_owner("DELETE", &format!("/v1/shares/{id}"), &json!({})).json();
        assert!(
            left["shares"].as_array().unwrap().iter().any(|share| share["id"] == *id && share["revoked_at"].is_i64())
        );
        assert_eq!(mill.as_owner("DELETE", &format!("/v1/shares/{id}"), &json!({})).status, 404);
        mill.sql("UPDATE share_link SET expires_at = created_at + 1 WHERE label = 'old'");
        let (gone, words) = open(&revoked);
        assert_eq!(gone, 410);
        assert!(words.contains("Ask the person who sent it for a new one"), "{words}");
        assert_eq!(open(&expired), (410, words.clone()));
        assert_eq!(open(&third).0, 200);
        // One that never was looks the same.
        assert_eq!(open(&format!("{}x", &third[..third.len() - 1])), (404, words.clone()));
        assert_eq!(open("/share/%2e%2e"), (404, words.clone()));

        assert_eq!(mill.as_owner("DELETE", "/v1/sessions/mill", &json!({})).status, 200);
        assert_eq!(open(&third), (410, words.clone()));
        assert_eq!(mill.listed()[0].get("session_title"), None);
        assert_eq!(mill.as_owner("POST", "/v1/sessions/mill/restore", &json!({})).status, 200);
        assert_eq!(open(&third).0, 200);

        let kinds = ["share_made", "share_revoked"].map(|kind| {
            let page = mill.server.with_key("GET", &format!("/v1/audit?kind={kind}"), "").json();
            page["entries"].as_array().unwrap().iter().map(|entry| entry["what"].clone()).collect::<Vec<_>>()
        });
        assert_eq!(kinds.each_ref().map(Vec::len), [3, 1]);
        assert_eq!(kinds[1][0], json!({"kind": "share_revoked", "share": id, "session": mill.session}));
    }
}

#[test]
fn without_masking_secrets_and_pictures_of_the_session_are_there() {
    let mill = Mill::start();
    let picture = |bytes: &[u8]| {
        let mut body = format!("POST /v1/blobs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", mill.server.host());
        body += &format!(
            "Authorization: {}\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n",
            mill.agent,
            bytes.len()
        );
        let reply = mill.server.raw(&[body.as_bytes(), bytes].concat());
        assert!(reply.status < 300, "{}", reply.text());
        reply.json()["blob"].as_str().unwrap().to_owned()
    };
    let file = |blob: &str| json!({"files": [{"name": "rye.png", "mime": "image/png", "size": 12, "blob": blob, "state": "ready"}]});
    let own = picture(b"\x89PNG\r\n\x1a\nrye1");
    mill.says("one", &format!("The token is {TOKEN}"));
    mill.post(&json!({"id": "two", "message_metadata": {"message_type": "FILE", "payload": file(&own)}}));
    // What was drawn for one reader isn't what another one gets.
    let exported = |more: &str| {
        mill.server.with_key("GET", &format!("/v1/sessions/mill/export?format=html{more}"), "").text().contains(TOKEN)
    };
    assert_eq!([exported(""), exported("&redact=1"), exported("")], [true, false, true]);
    let (whole, _) = mill.share(&json!({"redacted": false}));
    let (masked, _) = mill.share(&json!({}));
    let page = mill.open(&whole).text();
    assert!(page.contains(TOKEN) && page.contains("src=\"data:image/png;base64,iVBORw0KGgpyeWUx\""), "{page}");
    assert!(!page.contains("/v1/blobs/") && !page.contains("Secrets are masked"), "{page}");
    let page = mill.open(&masked).text();
    assert!(!page.contains(TOKEN) && !page.contains("data:image/png"), "{page}");
}

#[test]
fn only_people_make_links_and_each_field_is_checked() {
    let mill = Mill::start();
    mill.says("one", "Sow the rye");
    mill.says("two", "Reap the rye");
    for (field, value, named, said) in [
        ("session", json!(" "), "/session", "the id of a session"),
        ("session", json!("nobody"), "/session", ""),
        ("from", json!(0), "/from", "from 1 to 2"),
        ("from", json!(3), "/from", "from 1 to 2"),
        ("to", json!(3), "/to", "from 1 to 2"),
        ("days", json!(0), "/days", "1 to 365"),
        ("days", json!(366), "/days", "1 to 365"),
        ("label", json!("a\nb"), "/label", "one line"),
        ("label", json!("x".repeat(201)), "/label", "200 characters"),
    ] {
        let mut body = json!({"session": "mill"});
        body[field] = value.clone();
        let refused = mill.as_owner("POST", "/v1/shares", &body).json();
        assert_eq!(refused["field"], named, "{field} {value}: {refused}");
        assert!(refused.to_string().contains(said), "{field} {value}: {refused}");
    }
    let both = mill.as_owner("POST", "/v1/shares", &json!({"session": "mill", "from": 2, "to": 1})).json();
    assert_eq!(both["field"], "/to");
    mill.as_agent("POST", "/v1/sessions", &json!({"agent": "bot", "id": "empty"}));
    assert_eq!(mill.as_owner("POST", "/v1/shares", &json!({"session": "empty"})).json()["field"], "/session");

    let body = json!({"session": "mill"});
    assert_eq!(mill.as_agent("POST", "/v1/shares", &body).status, 403);
    assert_eq!(mill.as_agent("GET", "/v1/shares", &json!({})).status, 403);
    let json_body = ("Content-Type", "application/json");
    assert_eq!(mill.server.send("POST", "/v1/shares", &[json_body], &body.to_string()).status, 401);
    let origin = mill.server.origin();
    let by_cookie = [("Cookie", mill.owner.as_str()), ("Origin", &origin), json_body];
    let refused = mill.server.send("POST", "/v1/shares", &by_cookie, &body.to_string());
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("secret_missing")), "no {SECRET}");
    assert_eq!(mill.listed(), Vec::<Value>::new());
}

#[test]
fn one_address_opens_so_many_links() {
    let mill = Mill::start();
    mill.says("one", "Sow the rye");
    let (path, _) = mill.share(&json!({}));
    let refused = std::iter::repeat_with(|| mill.open("/share/wrong")).take(500).find(|reply| reply.status != 404);
    let refused = refused.unwrap();
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")), "{}", refused.text());
    assert!(refused.text().contains("Wait a minute"), "{}", refused.text());
    // Nobody else waits for that, and people who logged in least of all.
    let stream = mill.server.connect_from([127, 0, 0, 2].into());
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", mill.server.host());
    std::io::Write::write_all(&mut &stream, request.as_bytes()).unwrap();
    assert_eq!(Reply::read(stream).status, 200);
    assert_eq!(mill.listed().len(), 1);
}

#[test]
fn commands_make_list_and_revoke_links() {
    let mill = Mill::start();
    mill.says("one", &format!("The token is {TOKEN}"));
    mill.says("two", "Reap the rye");
    let place = &mill.server.place;
    assert_eq!(place.out(&["share", "list"]), "No links yet. `verbatim share create SESSION` creates one\n");
    let url = place.out(&["share", "create", "mill", "--days", "1", "--to", "1", "--unmasked", "--label", "For Grace"]);
    let path = url.trim_end().strip_prefix(&mill.server.origin()).unwrap().to_owned();
    let page = mill.open(&path).text();
    assert!(page.contains(TOKEN) && !page.contains("Reap"), "{page}");
    let listed = place.out(&["share", "list"]);
    assert!(listed.ends_with("  opened 1 time  not masked  Grind the rye (For Grace)\n"), "{listed}");
    let id = listed.split(' ').next().unwrap();
    assert_eq!(place.out(&["share", "revoke", id]), format!("Link {id} is revoked\n"));
    assert_eq!(mill.open(&path).status, 410);
    let refused = place.run(&["share", "create", "mill", "--days", "400"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("`--days`"), "{error}");
}
