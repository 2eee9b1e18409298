//! The server as other machines see it: its public name, TLS, and a proxy in front of it.

use crate::support::{PATIENCE, Place, Reply, Server, wait_until};
use axum::http::StatusCode;
use rcgen::generate_simple_self_signed;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::sync::Arc;

const NAME: &str = "agents.example.org";
const PUBLIC: &str = "https://agents.example.org";

/// Writes a certificate for [`NAME`] with its key, and returns it.
fn certify(place: &Place) -> CertificateDer<'static> {
    let made = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    place.write("key.pem", made.signing_key.serialize_pem());
    place.write("cert.pem", made.cert.pem());
    made.cert.der().clone()
}

fn with_tls() -> (Server, CertificateDer<'static>) {
    let place = Place::new();
    let certificate = certify(&place);
    let (cert, key) = (place.path("cert.pem"), place.path("key.pem"));
    let arguments = ["--public-url", PUBLIC, "--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    (Server::listen(place, "0.0.0.0:0", &arguments), certificate)
}

fn config(trusted: &CertificateDer<'static>, protocols: &[&[u8]]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Arc::new(config)
}

/// Sends a request by TLS to a server with this certificate, and reads the answer.
fn send(
    server: &Server,
    trusted: &CertificateDer<'static>,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    try_send(server, trusted, &request(method, path, headers, body)).unwrap()
}

fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        write!(request, "{name}: {value}\r\n").unwrap();
    }
    if !body.is_empty() {
        write!(request, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()).unwrap();
    }
    write!(request, "\r\n{body}").unwrap();
    request
}

fn try_send(server: &Server, trusted: &CertificateDer<'static>, request: &str) -> std::io::Result<Reply> {
    let client = ClientConnection::new(config(trusted, &[b"http/1.1"]), NAME.try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.write_all(request.as_bytes())?;
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    Ok(Reply::read(stream))
}

/// Status, code and hint of a problem.
fn problem(reply: &Reply) -> (u16, String, String) {
    let body = reply.json();
    let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
    (reply.status, text("code"), text("hint"))
}

#[test]
fn a_browser_on_another_machine_is_served_with_tls_by_the_public_name() {
    let (server, certificate) = with_tls();
    let send = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        send(&server, &certificate, method, path, headers, body)
    };
    let page = send("GET", "/login", &[("Host", NAME)], "");
    assert_eq!((page.status, page.header("strict-transport-security")), (200, Some("max-age=31536000")));
    assert!(page.text().contains(NAME), "{}", page.text());

    let code = serde_json::json!({ "code": server.code }).to_string();
    let foreign = send("POST", "/v1/login", &[("Host", NAME), ("Origin", &server.origin())], &code);
    assert_eq!((foreign.status, foreign.json()["code"].as_str()), (403, Some("foreign_origin")));
    let logged_in = send("POST", "/v1/login", &[("Host", NAME), ("Origin", PUBLIC)], &code);
    assert_eq!(logged_in.status, 200, "{}", logged_in.text());
    let cookie = logged_in.header("set-cookie").unwrap();
    let (token, attributes) = cookie.split_once("; ").unwrap();
    assert!(token.starts_with("__Host-verbatim="), "{cookie}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure");

    // It counts by that name alone: by the others it would come from pages without TLS.
    let asked = |host: &str| send("GET", "/v1/sessions", &[("Host", host), ("Cookie", token)], "").status;
    assert_eq!(
        [NAME, "AGENTS.example.org:443", "127.0.0.1:1", "agents.example.org.evil.example"].map(asked),
        [200, 200, 421, 421]
    );
    assert_eq!(server.get("/v1/sessions", &[("Cookie", token)]).status, 401);
    let wrong = send("GET", "/v1/sessions", &[("Host", "evil.example")], "");
    assert_eq!(
        problem(&wrong),
        (421, "wrong_host".to_owned(), "Use https://agents.example.org, or the link from `verbatim open`".to_owned())
    );
    // Two names in one request are two meanings.
    let both = send("GET", "/healthz", &[("Host", NAME), ("Host", &server.host())], "");
    assert_eq!(both.status, 421);
}

#[test]
fn commands_of_this_machine_need_no_certificate() {
    let (server, _) = with_tls();
    assert_eq!(
        server.place.seen(&["sessions"]),
        "$ verbatim sessions\nexit 0\nout: No sessions yet. `verbatim import PATH` imports some, `verbatim serve` finds those of this machine\n"
    );
    assert!(server.place.out(&["open"]).starts_with("https://agents.example.org/#c="));
    let key = server.agent_key();
    assert_eq!(server.get("/v1/sessions", &[("Authorization", &format!("Bearer {key}"))]).status, 200);
}

#[test]
fn a_phone_is_logged_in_by_a_code_that_it_scans() {
    let (server, certificate) = with_tls();
    let printed = server.place.out(&["pair", "--name", "Ines' phone"]);
    let (drawn, words) = printed.split_once("\n\n").unwrap();
    assert!(drawn.lines().count() > 20 && drawn.chars().all(|c| " \u{2580}\u{2584}\u{2588}\n".contains(c)), "{drawn}");
    let (_, code) = words.lines().next().unwrap().split_once("https://agents.example.org/inbox#c=").unwrap();
    let code = serde_json::json!({ "code": code }).to_string();
    let headers = [("Host", NAME), ("Origin", PUBLIC), ("User-Agent", "Mozilla/5.0 (iPhone) Safari/604.1")];
    let log_in = || send(&server, &certificate, "POST", "/v1/login", &headers, &code);
    let reply = log_in();
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(log_in().status, 401);
    let logins = server.with_key("GET", "/v1/logins", "").json();
    assert_eq!(logins["logins"][0]["label"], "Ines' phone");

    let made = server.with_key("POST", "/v1/pairings", "{}");
    let body = made.json();
    assert_eq!((made.status, body.as_object().unwrap().len()), (201, 3));
    assert!(body["url"].as_str().unwrap().starts_with("https://agents.example.org/inbox#c="));
    assert!(body["qr"].as_str().unwrap().starts_with("data:image/svg+xml;base64,"));
    for name in ["", " ", "two\nlines", &"n".repeat(61)] {
        let wrong = server.with_key("POST", "/v1/pairings", &serde_json::json!({ "name": name }).to_string());
        assert_eq!((wrong.status, wrong.json()["field"].as_str()), (400, Some("/name")), "{name:?}");
    }

    let server = Server::start();
    let seen = server.place.seen(&["pair"]);
    assert_eq!(
        seen,
        "$ verbatim pair\nexit 1\nerr: verbatim: Other devices can't reach this server\n\
         err: Start it with `--public-url`; `docs/user/network.md` says what else is needed\n"
    );
}

/// This machine's address in its network, if it has one.
fn address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: this chooses a route.
    socket.connect("192.0.2.1:9").ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(ip) => Some(ip).filter(|ip| !ip.is_loopback()),
        IpAddr::V6(_) => None,
    }
}

#[test]
fn another_machine_without_tls_is_led_to_the_public_url() {
    let (server, _) = with_tls();
    // From this machine's other address to loopback, it looks like another machine.
    let Some(other) = address() else { return };
    let ask = |request: &str| {
        let mut stream = server.connect_from(other);
        stream.write_all(request.as_bytes()).unwrap();
        Reply::read(stream)
    };
    let key = format!("Bearer {}", server.key());
    let reply = ask(&request("GET", "/s/1?at=2", &[("Host", NAME), ("Authorization", &key)], ""));
    assert_eq!((reply.status, reply.header("location")), (308, Some("https://agents.example.org/s/1?at=2")));
    let reply = ask(&request("POST", "/v1/messages", &[("Host", &server.host()), ("Authorization", &key)], "{}"));
    assert_eq!(problem(&reply), (403, "tls_required".to_owned(), "Use https://agents.example.org".to_owned()));
}

#[test]
fn a_certificate_is_used_from_when_it_changes_and_not_before_it_is_whole() {
    let (server, first) = with_tls();
    let healthy = request("GET", "/healthz", &[("Host", NAME)], "");
    let asked =
        |trusted: &CertificateDer<'static>| try_send(&server, trusted, &healthy).is_ok_and(|reply| reply.status == 200);
    assert!(asked(&first));
    server.place.write("cert.pem", "-----BEGIN CERTIFICATE-----\nMIIB");
    // The files are looked at together: once this key is read, so was the half of a certificate before it.
    let second = certify(&server.place);
    wait_until("the second certificate is used", || asked(&second));
    assert!(!asked(&first));
}

#[test]
fn an_authority_of_ones_own_vouches_for_the_names_of_the_server() {
    let place = Place::new();
    let made = place.out(&["tls", "init", "Agents.example.org.", "127.0.0.1"]);
    assert!(
        made.starts_with("An authority and a certificate were created, for agents.example.org, 127.0.0.1."),
        "{made}"
    );
    let fingerprint = made.split("SHA-256 ").nth(1).unwrap().trim().to_owned();
    let folder = place.data().join("tls");
    for file in ["authority-key.pem", "key.pem"] {
        let mode = std::fs::metadata(folder.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let arguments = ["--public-url", PUBLIC, "--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = Server::listen(place, "0.0.0.0:0", &arguments);

    // A device that doesn't trust it yet gets it without TLS, and compares the fingerprint.
    let ask = request("GET", "/authority.crt", &[("Host", NAME)], "");
    let Some(other) = address() else { return };
    let mut stream = server.connect_from(other);
    stream.write_all(ask.as_bytes()).unwrap();
    let reply = Reply::read(stream);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-x509-ca-cert")));
    let authority = CertificateDer::from(reply.body);
    let seen: Vec<String> = Sha256::digest(&authority).iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(seen.join(":"), fingerprint);
    let page = send(&server, &authority, "GET", "/login", &[("Host", NAME)], "");
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(send(&server, &authority, "GET", "/authority.crt", &[("Host", NAME)], "").status, 200);

    // It is renewed for the same names, and the authority stays.
    let before = std::fs::read(&cert).unwrap();
    let renewed = server.place.out(&["tls", "init"]);
    assert!(renewed.starts_with("The certificate was renewed, for agents.example.org, 127.0.0.1."), "{renewed}");
    assert!(renewed.contains(&fingerprint), "{renewed}");
    assert_ne!(std::fs::read(&cert).unwrap(), before);
    let refused = server.place.seen(&["tls", "init", "other.example.org"]);
    assert!(
        refused.contains("there is an authority for agents.example.org, 127.0.0.1, and it can't vouch for other names"),
        "{refused}"
    );
    let wrong = server.place.seen(&["tls", "init", "https://agents.example.org:7117"]);
    assert!(wrong.contains("`https://agents.example.org:7117` is neither a name nor an IP address"), "{wrong}");
    let other = server.place.out(&["tls", "init", "--replace", "other.example.org"]);
    assert!(
        other.starts_with("An authority and a certificate were created, for other.example.org.")
            && !other.contains(&fingerprint),
        "{other}"
    );

    let without = Place::new().seen(&["tls", "init"]);
    assert!(without.contains("an authority needs the name of the server\n"), "{without}");
    // A server without one has none to give.
    assert_eq!(Server::start().get("/authority.crt", &[]).status, 404);
}

/// A server with an authority of its own, and its URL: an address of this machine that isn't one of its own names.
fn with_authority() -> (Server, String) {
    let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
    let place = Place::new();
    place.out(&["tls", "init", "127.0.0.2"]);
    let folder = place.data().join("tls");
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let url = format!("https://127.0.0.2:{port}");
    let arguments = ["--public-url", &url, "--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    (Server::listen(place, &format!("0.0.0.0:{port}"), &arguments), url)
}

#[test]
fn hooks_of_another_machine_trust_an_authority_of_ones_own() {
    let (server, url) = with_authority();
    let laptop = Place::new();
    let new = serde_json::json!({ "name": "laptop", "scopes": ["hooks"] }).to_string();
    laptop.write("laptop.key", server.with_key("POST", "/v1/keys", &new).json()["key"].as_str().unwrap());
    let install = ["hook", "install", "--server", &url, "--key-file", "laptop.key", "--ca"];
    let missing = laptop.seen(&[&install[..], &["none.pem"]].concat());
    assert!(missing.contains("none.pem can't be read"), "{missing}");
    std::fs::copy(server.place.data().join("tls/authority.pem"), laptop.path("authority.pem")).unwrap();
    laptop.out(&[&install[..], &["authority.pem"]].concat());
    let settings = std::fs::read(laptop.path("home/.claude/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    assert_eq!(settings.as_object().unwrap().keys().collect::<Vec<_>>(), ["hooks"], "no key is in it");
    let line = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let authority = laptop.path("authority.pem");
    assert!(line.ends_with(&format!(" --ca {}", authority.display())), "{line}");

    let event = serde_json::json!({ "hook_event_name": "Stop", "session_id": "laptop-1", "cwd": "/home/ada/mill" });
    let send = |line: &str| {
        let words = shlex::split(line).unwrap();
        let mut command = laptop.program(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(send(&line), (true, String::new()));
    let (_, words) = send(line.split(" --ca ").next().unwrap());
    assert!(words.contains("certificate"), "{words}");
}

/// What `verbatim doctor --public` prints, with the authority trusted or not.
fn checked(server: &Server, trusts: bool) -> (bool, String) {
    let mut doctor = server.place.program(&["doctor", "--public"]);
    if trusts {
        doctor.env("SSL_CERT_FILE", server.place.data().join("tls/authority.pem"));
    }
    let output = doctor.output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_doctor_looks_at_the_server_as_other_machines_see_it() {
    let plain = Server::start();
    let (passed, words) = checked(&plain, false);
    assert_eq!(
        (passed, &*words),
        (false, "fail  public URL       the server has none; start it with `--public-url https://NAME`\n")
    );

    let (server, url) = with_authority();
    let start = format!("ok    public URL       {url}\nok    name             127.0.0.2 is 127.0.0.2\n");
    let (passed, words) = checked(&server, true);
    let rest = "ok    certificate      it is trusted here\n\
                ok    log-in           this server takes it, and the cookie is for TLS alone\n\
                ok    events           they come as they are sent\n\
                ok    HSTS             browsers use this name with TLS only\n";
    assert_eq!((passed, words), (true, format!("{start}{rest}")));
    // The log-in of the checks is ended: only the one of this test is left.
    let cookie = server.cookie();
    let logins = server.as_owner(&cookie, "GET", "/v1/logins", &serde_json::Value::Null).json();
    assert_eq!(logins["logins"].as_array().unwrap().len(), 1, "{logins}");

    let (passed, words) = checked(&server, false);
    assert!(!passed && words.starts_with(&format!("{start}fail  certificate      ")), "{words}");
    assert!(words.contains("`SSL_CERT_FILE` names a file with it"), "{words}");
}

#[tokio::test]
async fn requests_share_a_connection_of_http_2() {
    let (server, certificate) = with_tls();
    let tcp = tokio::net::TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let connector = tokio_rustls::TlsConnector::from(config(&certificate, &[b"h2", b"http/1.1"]));
    let tls = connector.connect(NAME.try_into().unwrap(), tcp).await.unwrap();
    assert_eq!(tls.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (client, connection) = h2::client::handshake(tls).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let key = format!("Bearer {}", server.key());
    let mut ask = |method: &str, path: &str, body: &str| {
        let request = axum::http::Request::builder().method(method).uri(format!("{PUBLIC}{path}"));
        let request =
            request.header("authorization", &key).header("content-type", "application/json").body(()).unwrap();
        let (answer, mut stream) = client.send_request(request, false).unwrap();
        stream.send_data(body.to_owned().into(), true).unwrap();
        answer
    };
    let events = ask("GET", "/v1/events", "");
    let posted = ask("POST", "/v1/sessions", r#"{"agent": "bot", "title": "By HTTP/2"}"#);
    let wrong = ask("GET", "/v1/nothing", "");
    let mut events = events.await.unwrap();
    assert_eq!(
        (posted.await.unwrap().status(), wrong.await.unwrap().status()),
        (StatusCode::CREATED, StatusCode::NOT_FOUND)
    );
    let mut read = String::new();
    while !read.contains("event: feed") {
        let data = tokio::time::timeout(PATIENCE, events.body_mut().data()).await.unwrap().unwrap().unwrap();
        events.body_mut().flow_control().release_capacity(data.len()).unwrap();
        read.push_str(std::str::from_utf8(&data).unwrap());
    }
    connection.abort();
}

#[test]
fn a_proxy_that_is_trusted_says_which_name_was_asked_for() {
    let proxied = ["--public-url", PUBLIC, "--trusted-proxy", "127.0.0.1"];
    let server = Server::start_in(Place::new(), &proxied);
    let code = serde_json::json!({ "code": server.code }).to_string();
    let host = server.host();
    let forwarded =
        [("Host", host.as_str()), ("X-Forwarded-Host", NAME), ("X-Forwarded-Proto", "https"), ("Origin", PUBLIC)];
    let reply = server.raw(request("POST", "/v1/login", &forwarded, &code).as_bytes());
    assert!(reply.header("set-cookie").unwrap().starts_with("__Host-verbatim="));
    let plain = [("Host", NAME), ("Forwarded", "for=192.0.2.1;proto=http")];
    let reply = server.raw(request("GET", "/inbox", &plain, "").as_bytes());
    assert_eq!((reply.status, reply.header("location")), (308, Some("https://agents.example.org/inbox")));
    // A name that isn't ours is none that a proxy can give.
    let reply = server.raw(
        request("GET", "/healthz", &[("Host", "evil.example"), ("X-Forwarded-Host", "evil.example")], "").as_bytes(),
    );
    assert_eq!(reply.status, 421);

    // Without trust, the proxy's host stays what the request is for.
    let server = Server::start_in(Place::new(), &["--public-url", PUBLIC]);
    let code = serde_json::json!({ "code": server.code }).to_string();
    let host = server.host();
    let forwarded = [("Host", host.as_str()), ("X-Forwarded-Host", NAME), ("Origin", PUBLIC)];
    let reply = server.raw(request("POST", "/v1/login", &forwarded, &code).as_bytes());
    assert_eq!((reply.status, reply.json()["code"].as_str()), (403, Some("foreign_origin")));
    let reply = server.raw(request("POST", "/v1/login", &[("Host", NAME), ("Origin", PUBLIC)], &code).as_bytes());
    assert!(reply.header("set-cookie").unwrap().starts_with("__Host-verbatim="));
}

/// Addresses of this host in the HTML of a reply.
fn addresses(reply: &Reply) -> Vec<String> {
    let html = String::from_utf8_lossy(&reply.body).into_owned();
    let attributes = ["href", "src", "action", "formaction", "data-js", "data-wasm", "data-base"];
    let values = attributes.iter().flat_map(|name| {
        let start = format!(" {name}=\"");
        let values = html.split(&start).skip(1).filter_map(|rest| rest.split('"').next());
        values.map(str::to_owned).collect::<Vec<_>>()
    });
    values.filter(|address| address.starts_with('/')).collect()
}

/// Where a reply leads, and what its addresses begin with.
fn paths_in(reply: &Reply) -> String {
    let location = reply.header("location").map(|to| format!(" to {to}")).unwrap_or_default();
    let all = addresses(reply);
    let strays: Vec<&String> = all.iter().filter(|address| !address.starts_with("/tools/verbatim")).collect();
    let drawn = if all.is_empty() { "no address" } else { "addresses" };
    format!("{}{location}, {drawn}, outside: {strays:?}\n", reply.status)
}

#[test]
fn a_path_of_the_public_url_is_before_every_address() {
    let url = format!("{PUBLIC}/tools/verbatim");
    let server = Server::start_in(Place::new(), &["--public-url", &url, "--trusted-proxy", "127.0.0.1"]);
    let code = serde_json::json!({ "code": server.code }).to_string();
    let ask = |method: &str, path: &str, cookie: &str, body: &str| {
        let headers = [("Host", NAME), ("Origin", PUBLIC), ("Cookie", cookie), ("Accept-Encoding", "identity")];
        server.raw(request(method, path, &headers, body).as_bytes())
    };
    let logged_in = ask("POST", "/tools/verbatim/v1/login", "", &code);
    let (cookie, attributes) = logged_in.header("set-cookie").unwrap().split_once("; ").unwrap();
    let mut seen = format!("{}; {attributes}\n", cookie.split('=').next().unwrap());
    for path in [
        "/tools/verbatim",
        "/tools/verbatim?dev=1",
        "/tools/verbatim/",
        "/tools/verbatim/inbox",
        "/tools/verbatim/s/none",
        "/tools/verbatim/fragments/rail",
        "/tools/verbatim/login",
        // A proxy that takes the path off.
        "/inbox",
        "/v1/sessions",
        "/tools/verbatimly/inbox",
        "/tools/verbatim//evil.example",
    ] {
        seen += &format!("{path}: {}", paths_in(&ask("GET", path, cookie, "")));
    }
    seen += &format!("without a log-in: {}", paths_in(&ask("GET", "/tools/verbatim/inbox", "", "")));
    seen += &format!("{}\n", ask("GET", "/tools/verbatim/v1/openapi.json", "", "").json()["servers"]);
    insta::assert_snapshot!(seen);
}

#[test]
fn what_would_expose_the_server_is_refused_with_what_to_add() {
    let place = Place::new();
    certify(&place);
    let other = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    place.write("other.pem", other.signing_key.serialize_pem());
    place.write("empty.pem", "");
    let file = |name: &str| place.path(name).to_str().unwrap().to_owned();
    let (cert, key, other, empty, none) =
        (file("cert.pem"), file("key.pem"), file("other.pem"), file("empty.pem"), file("none.pem"));
    let serve = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["serve", "--no-discover", "--listen", "0.0.0.0:0"].iter().chain(arguments).copied().collect();
        place.seen(&all)
    };
    let seen = [
        serve(&[]),
        serve(&["--public-url", PUBLIC]),
        serve(&["--tls-cert", &cert, "--tls-key", &key]),
        serve(&["--trusted-proxy", "10.0.0.0/24"]),
        serve(&["--trusted-proxy", "10.0.0.0/33"]),
        serve(&["--public-url", PUBLIC, "--tls-cert", &cert]),
        serve(&["--public-url", PUBLIC, "--tls-key", &key]),
        serve(&["--public-url", PUBLIC, "--tls-cert", &none, "--tls-key", &key]),
        serve(&["--public-url", PUBLIC, "--tls-cert", &empty, "--tls-key", &key]),
        serve(&["--public-url", PUBLIC, "--tls-cert", &cert, "--tls-key", &empty]),
        serve(&["--public-url", PUBLIC, "--tls-cert", &cert, "--tls-key", &other]),
        serve(&["--public-url", "http://agents.example.org"]),
        serve(&["--public-url", "https://agents.example.org/sessions"]),
    ];
    insta::assert_snapshot!(seen.join("\n"));
}
