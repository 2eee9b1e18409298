//! Who may speak to the server: by the name it is called, and by the page that asks.

use crate::support::{SECRET, Server};
use insta::assert_snapshot;
use std::fmt::Write as _;

#[test]
fn names_that_lead_here() {
    let server = Server::start();
    let port = server.port;
    let key = format!("Bearer {}", server.key());
    let mut seen = String::new();
    for host in [
        "127.0.0.1:PORT",
        "localhost:PORT",
        "LocalHost:PORT",
        "[::1]:PORT",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:80",
        "127.0.0.1:PORT1",
        "127.0.0.1:0PORT",
        "127.0.0.1:",
        "localhost.:PORT",
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1.nip.example:PORT",
        "localhost.evil.example:PORT",
        "evil-localhost:PORT",
        "user@127.0.0.1:PORT",
        "127.0.0.1:PORT@evil.example",
        "evil.example#127.0.0.1:PORT",
        "127.0.0.1:PORT/evil.example",
        "0.0.0.0:PORT",
        "127.0.0.2:PORT",
        "127.1:PORT",
        "2130706433:PORT",
        "0x7f000001:PORT",
        "[::]:PORT",
        "[0:0:0:0:0:0:0:1]:PORT",
        "[::ffff:127.0.0.1]:PORT",
        "::1:PORT",
        "",
        " ",
        "127.0.0.1:PORT, evil.example",
    ] {
        let name = host.replace("PORT", &port.to_string());
        let open = server.get("/healthz", &[("Host", &name)]).status;
        let login = server.get("/login", &[("Host", &name)]).status;
        let closed = server.get("/v1/me", &[("Host", &name), ("Authorization", &key)]).status;
        writeln!(seen, "{host:32} {open} {login} {closed}").unwrap();
    }
    assert_snapshot!(seen);
    assert_snapshot!(server.get("/", &[("Host", "evil.example")]).text());
}

#[test]
fn odd_ways_to_say_a_name() {
    let server = Server::start();
    let host = server.host();
    let mut seen = String::new();
    for (what, request) in [
        ("HTTP/1.1 without a host", "GET /healthz HTTP/1.1\r\n".to_owned()),
        ("HTTP/1.0 without a host", "GET /healthz HTTP/1.0\r\n".to_owned()),
        ("a whole URL of ours", format!("GET http://{host}/healthz HTTP/1.1\r\nHost: {host}\r\n")),
        ("a whole URL of another, our host", format!("GET http://evil.example/healthz HTTP/1.1\r\nHost: {host}\r\n")),
        ("a whole URL of ours, another host", format!("GET http://{host}/healthz HTTP/1.1\r\nHost: evil.example\r\n")),
        ("ours, then another", format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n")),
        ("another, then ours", format!("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: {host}\r\n")),
        ("a forwarded host", format!("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {host}\r\n")),
        ("CONNECT", format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n")),
        ("TRACE", format!("TRACE /v1/me HTTP/1.1\r\nHost: {host}\r\n")),
        ("no HTTP", "hello\r\n".to_owned()),
    ] {
        let reply = server.raw(format!("{request}Connection: close\r\n\r\n").as_bytes());
        writeln!(seen, "{what}: {}", reply.status).unwrap();
    }
    assert_snapshot!(seen);
}

/// The headers of a browser about the page that asks, for each kind of request. All requests have the cookie, though a
/// strict one wouldn't be sent: each check holds alone.
#[test]
fn pages_that_ask() {
    let server = Server::start();
    let cookie = server.cookie();
    let secret = server.secret(&cookie);
    let (ours, key) = (server.origin(), format!("Bearer {}", server.key()));
    let local = format!("http://localhost:{}", server.port);
    let other_port = "http://127.0.0.1:1".to_owned();
    let secure = format!("https://{}", server.host());
    let mut seen =
        format!("{:44} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5}\n", "", "page", "read", "write", "logIn", "asset", "byKey");
    for (what, headers) in [
        ("no word", vec![]),
        ("typed into the address bar", vec![("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")]),
        ("our page", vec![("Sec-Fetch-Site", "same-origin"), ("Origin", &*ours)]),
        ("our page, no origin", vec![("Sec-Fetch-Site", "same-origin")]),
        ("our page, an older browser", vec![("Origin", &*ours)]),
        ("our page by another of our names", vec![("Origin", &*local)]),
        ("a link of another site", vec![("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]),
        (
            "a script of another site",
            vec![("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "http://evil.example")],
        ),
        ("a picture of another site", vec![("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")]),
        (
            "a form of another site",
            vec![("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Origin", "http://evil.example")],
        ),
        ("another server of this machine", vec![("Sec-Fetch-Site", "same-site"), ("Origin", &*other_port)]),
        ("another port, an older browser", vec![("Origin", &*other_port)]),
        ("another scheme", vec![("Origin", &*secure)]),
        ("another site, an older browser", vec![("Origin", "http://evil.example")]),
        ("a sandbox", vec![("Origin", "null")]),
        ("an empty origin", vec![("Origin", "")]),
        ("a site that nobody knows", vec![("Sec-Fetch-Site", "friendly")]),
        ("two origins", vec![("Origin", &*ours), ("Origin", "http://evil.example")]),
        ("our origin within another", vec![("Origin", "http://evil.example#http://127.0.0.1")]),
    ] {
        let with = |more: &[(&'static str, &str)]| {
            let mut all: Vec<(&str, String)> = headers.iter().map(|(n, v)| (*n, (*v).to_owned())).collect();
            all.extend(more.iter().map(|(n, v)| (*n, (*v).to_owned())));
            all
        };
        let send = |method: &str, path: &str, headers: Vec<(&str, String)>, body: &str| {
            let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
            server.send(method, path, &headers, body).status
        };
        let json = ("Content-Type", "application/json");
        let (by_cookie, by_key) = (("Cookie", cookie.as_str()), ("Authorization", key.as_str()));
        let statuses = [
            send("GET", "/", with(&[by_cookie]), ""),
            send("GET", "/v1/sessions", with(&[by_cookie]), ""),
            send("PUT", "/v1/projects", with(&[by_cookie, (SECRET, &secret), json]), "{\"state\":\"paused\"}"),
            send("POST", "/v1/login", with(&[json]), "{}"),
            send("GET", "/assets/none.css", with(&[]), ""),
            send("PUT", "/v1/projects", with(&[by_key, json]), "{\"state\":\"paused\"}"),
        ];
        let statuses: Vec<String> = statuses.iter().map(|status| format!("{status:>5}")).collect();
        writeln!(seen, "{what:44} {}", statuses.join(" ")).unwrap();
    }
    assert_snapshot!(seen);
}

/// A page that another site opens says so in its address, through the log-in page too.
#[test]
fn pages_that_another_site_opens_are_marked() {
    let server = Server::start();
    let cookie = server.cookie();
    let opened = |path: &str, site: &str, mode: &str, cookie: &str| {
        let reply = server.get(path, &[("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Cookie", cookie)]);
        (reply.status, reply.header("location").map(str::to_owned))
    };
    let marked = |location: &str| (303, Some(location.to_owned()));
    for site in ["cross-site", "same-site", "friendly"] {
        for (path, location) in [
            ("/", "?outside=1"),
            ("/inbox", "?outside=1"),
            ("/inbox?", "?outside=1"),
            ("/inbox?limit=5", "?limit=5&outside=1"),
            ("/inbox?outside=0", "?outside=0&outside=1"),
            ("/inbox?xoutside=1", "?xoutside=1&outside=1"),
            ("/login?next=%2Finbox", "?next=%2Finbox&outside=1"),
            ("/nothing", "?outside=1"),
            ("//evil.example/", "?outside=1"),
        ] {
            assert_eq!(opened(path, site, "navigate", &cookie), marked(location), "{path} from {site}");
            assert_eq!(opened(path, site, "navigate", ""), marked(location), "{path} from {site} without a log-in");
        }
        assert_eq!(opened("/inbox?limit=5&outside=1", site, "navigate", &cookie), (200, None));
        // Without the strict cookie, the way to the log-in page and back keeps it.
        let (status, location) = opened("/inbox?outside=1", site, "navigate", "");
        assert_eq!((status, location.as_deref()), (303, Some("/login?next=%2Finbox%3Foutside%3D1")));
        assert_eq!(opened("/login?next=%2Finbox%3Foutside%3D1&outside=1", site, "navigate", ""), (200, None));
    }
    for site in ["none", "same-origin"] {
        assert_eq!(opened("/inbox", site, "navigate", &cookie), (200, None), "{site}");
    }
    assert_eq!(opened("/inbox", "none", "navigate", "").1.as_deref(), Some("/login?next=%2Finbox"));
}

/// Browsers ask for these by themselves, wherever a page names no icon.
#[test]
fn icons_need_no_log_in() {
    let server = Server::start();
    let [favicon, touch] = ["/favicon.ico", "/apple-touch-icon.png"].map(|path| {
        let reply = server.get(path, &[]);
        assert_eq!((reply.status, reply.header("cache-control")), (200, Some("public, max-age=86400")), "{path}");
        reply
    });
    assert_eq!(
        (favicon.header("content-type"), touch.header("content-type")),
        (Some("image/x-icon"), Some("image/png"))
    );
    assert_eq!(touch.body[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(favicon.body[..6], [0, 0, 1, 0, 1, 0]);
    let number = |at: usize| u32::from_le_bytes(favicon.body[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((number(14), number(18)), (touch.body.len(), 22));
    assert_eq!(favicon.body[22..], touch.body);
}
