//! The headers of a trusted proxy about the request that it passes on. Where one names several, the last one is what
//! the proxy saw itself.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use std::net::{IpAddr, SocketAddr};

const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const CLIENT: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTOCOL: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Where a request comes from, as far as that is known: from a client, or from a proxy that nobody said to trust. Each
/// request carries it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// Returns the address of the client that speaks to the proxy.
pub fn client(headers: &HeaderMap) -> Option<IpAddr> {
    let named = said(headers, &CLIENT, "for")?;
    let with_port = || named.parse().map(|address: SocketAddr| address.ip());
    named.trim_matches(['[', ']']).parse().or_else(|_| with_port()).ok()
}

/// Replaces the `Host` header by the name that the client asked the proxy for, if the proxy says it and it is ours.
pub fn set_host(headers: &mut HeaderMap, is_ours: impl FnOnce(&str) -> bool) {
    let named = said(headers, &HOST, "host").filter(|host| is_ours(host));
    if let Some(host) = named.and_then(|host| HeaderValue::from_str(host).ok()) {
        headers.insert(header::HOST, host);
    }
}

/// Returns true if the client speaks to the proxy without TLS.
pub fn is_plain(headers: &HeaderMap) -> bool {
    said(headers, &PROTOCOL, "proto").is_some_and(|protocol| protocol.eq_ignore_ascii_case("http"))
}

/// Returns the value of a header of its own, or of the field of `Forwarded` with the same meaning.
fn said<'a>(headers: &'a HeaderMap, own: &HeaderName, field: &str) -> Option<&'a str> {
    last(headers, own).or_else(|| {
        last(headers, &header::FORWARDED)?.split(';').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case(field).then(|| value.trim().trim_matches('"'))
        })
    })
}

fn last<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let line = headers.get_all(name).into_iter().next_back()?.to_str().ok()?;
    line.rsplit(',').next().map(str::trim).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{client, is_plain, set_host};
    use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn the_last_proxy_says_which_host_was_asked_for() {
        let host = |pairs: &[_]| {
            let mut headers = headers(pairs);
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:7117"));
            set_host(&mut headers, |host| host != "127.0.0.1:7118");
            headers[header::HOST].to_str().unwrap().to_owned()
        };
        let cases: [(&[_], &str); 7] = [
            (&[], "127.0.0.1:7117"),
            (&[("x-forwarded-host", "agents.example.org")], "agents.example.org"),
            (&[("x-forwarded-host", "evil.example, agents.example.org")], "agents.example.org"),
            (&[("x-forwarded-host", "evil.example"), ("x-forwarded-host", "agents.example.org")], "agents.example.org"),
            (
                &[("forwarded", "for=192.0.2.1;host=evil.example, for=\"[::1]\"; Host=\"a.example:8443\";proto=https")],
                "a.example:8443",
            ),
            (&[("x-forwarded-host", "")], "127.0.0.1:7117"),
            (&[("x-forwarded-host", "127.0.0.1:7118")], "127.0.0.1:7117"),
        ];
        for (pairs, expected) in cases {
            assert_eq!(host(pairs), expected, "{pairs:?}");
        }
    }

    #[test]
    fn the_last_proxy_says_where_a_request_comes_from() {
        let cases: [(&[_], Option<&str>); 7] = [
            (&[], None),
            (&[("x-forwarded-for", "203.0.113.9, 192.0.2.1")], Some("192.0.2.1")),
            (&[("x-forwarded-for", "192.0.2.1:4711")], Some("192.0.2.1")),
            (&[("x-forwarded-for", "[2001:db8::1]:4711")], Some("2001:db8::1")),
            (&[("forwarded", "for=203.0.113.9, for=\"[2001:db8::1]\";proto=https")], Some("2001:db8::1")),
            (&[("forwarded", "for=_hidden")], None),
            (&[("x-forwarded-for", "unknown")], None),
        ];
        for (pairs, expected) in cases {
            assert_eq!(client(&headers(pairs)), expected.map(|address| address.parse().unwrap()), "{pairs:?}");
        }
    }

    #[test]
    fn a_client_without_tls_is_known() {
        let cases: [(&[_], bool); 5] = [
            (&[], false),
            (&[("x-forwarded-proto", "https")], false),
            (&[("x-forwarded-proto", "https, HTTP")], true),
            (&[("forwarded", "proto=http;for=192.0.2.1")], true),
            (&[("forwarded", "proto=https")], false),
        ];
        for (pairs, expected) in cases {
            assert_eq!(is_plain(&headers(pairs)), expected, "{pairs:?}");
        }
    }
}
