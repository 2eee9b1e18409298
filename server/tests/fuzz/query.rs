//! Queries of every page, fragment and endpoint that has one, at the front door of `serve`.

use crate::{engine, inputs, support::Server};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const SESSION: &str = "5e551003-0000-4000-8000-000000000003";
/// The paths that are requested. `{}` is a session.
const PATHS: &[&str] = &[
    "/",
    "/sessions",
    "/s/{}",
    "/s/{}/changes",
    "/s/{}/print",
    "/search",
    "/folders",
    "/stats",
    "/docs/api",
    "/gallery",
    "/settings",
    "/login",
    "/fragments/sessions",
    "/fragments/rail",
    "/fragments/folders",
    "/fragments/settings",
    "/fragments/palette",
    "/fragments/sessions/{}/chunks/0",
    "/fragments/sessions/{}/messages/3",
    "/fragments/sessions/{}/messages/3/growth",
    "/fragments/sessions/{}/head",
    "/fragments/sessions/{}/hidden",
    "/fragments/sessions/{}/nested",
    "/fragments/sessions/{}/panel",
    "/fragments/sessions/{}/edits/3/0",
    "/fragments/sessions/{}/net",
    "/fragments/sessions/{}/records/3",
    "/fragments/sessions/{}/text/3",
    "/v1/me",
    "/v1/sessions",
    "/v1/sessions/{}",
    "/v1/sessions/{}/children",
    "/v1/sessions/{}/messages",
    "/v1/sessions/{}/todos",
    "/v1/sessions/{}/changes",
    "/v1/sessions/{}/changes/net",
    "/v1/sessions/{}/outline",
    "/v1/sessions/{}/find",
    "/v1/sessions/{}/export",
    "/v1/search",
    "/v1/stats",
    "/v1/projects",
    "/v1/imports",
    "/v1/unread",
];
const KEYS: &[&str] = &[
    "q",
    "project",
    "agent",
    "show",
    "since",
    "until",
    "zone",
    "sort",
    "order",
    "after",
    "limit",
    "said",
    "around",
    "before",
    "from",
    "to",
    "types",
    "roles",
    "dev",
    "view",
    "panel",
    "at",
    "full",
    "open",
    "find",
    "tab",
    "block",
    "file",
    "more",
    "form",
    "format",
    "source",
    "path",
    "context",
    "spaces",
    "days",
    "by",
    "code",
    "next",
    "c",
    "part",
    "kind",
    "copy",
    "text",
    "session",
    "opened",
    "rows",
    "arrangement",
];
const VALUES: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "10",
    "200",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1.5",
    "1e9",
    "NaN",
    "true",
    "all",
    "open",
    "archived",
    "needs_you",
    "title",
    "asc",
    "desc",
    "unified",
    "split",
    "markdown",
    "html",
    "json",
    "jsonl",
    "raw",
    "print",
    "2026-03-01",
    "2026-03-01T09:00:00Z",
    "-262143-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "yesterday",
    "7d",
    "Europe/Berlin",
    "Etc/GMT+12",
    "../../etc/passwd",
    "assistant",
    "user,assistant",
    "TEXT",
    "CODE_EDIT",
    "src/main.rs",
    "\"quoted words\"",
    "a*",
    "a OR b",
    "NEAR(a b)",
    "-a",
    "%",
    "%%",
    "%FF",
    "%00",
    "%e2%80",
    "+",
    "++",
    "[]",
    "1-2,5-9",
    "0..18446744073709551615",
    "//evil.example",
];

fn check(server: &Server, cookie: &str, input: &[u8]) {
    let (path, query) = input.split_at(input.iter().position(|byte| *byte == b'?').unwrap_or(input.len()));
    let path = String::from_utf8_lossy(path);
    // Only what stands in the list: others stream, or wait.
    if !PATHS.iter().any(|known| known.replace("{}", SESSION) == path) {
        return;
    }
    // Those bytes alone that no query has are written by their number.
    let mut target = path.into_owned();
    for byte in query.iter().take(12_000) {
        match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}#".contains(byte) => target.push(char::from(*byte)),
            _ => target += &format!("%{byte:02X}"),
        }
    }
    let reply = server.get(&target, &[("Cookie", cookie)]);
    let is_refused = reply.status == 503 && reply.header("retry-after").is_some();
    assert!(is_refused || (200..500).contains(&reply.status), "{} {target}: {}", reply.status, reply.text());
    assert!(reply.body.len() < 8 << 20, "{} bytes: {target}", reply.body.len());
    if target.starts_with("/v1/") && reply.status >= 400 {
        assert!(reply.json()["code"].is_string(), "{target}: {}", reply.text());
    }
}

#[test]
fn query() {
    let server = Server::with_sessions();
    let cookie = server.cookie();
    let paths: Vec<String> = PATHS.iter().map(|path| path.replace("{}", SESSION)).collect();
    let own: Vec<Vec<u8>> = VALUES.iter().map(|value| value.as_bytes().to_vec()).collect();
    let value = prop_oneof![6 => select(own.clone()), 2 => inputs::piece(&own, &["&", "=", ";", "?"])];
    let pair = (select(KEYS), value).prop_map(|(key, value)| [key.as_bytes(), b"=", &value].concat());
    let target =
        (select(paths), vec(pair, 0..6)).prop_map(|(path, pairs)| [path.as_bytes(), b"?", &pairs.join(&b'&')].concat());
    engine::run("query", target.boxed(), |input| check(&server, &cookie, input));
}
