//! The public URL.

use reqwest::Url;
use std::fmt;

/// The address of the server as other machines see it. It is always `https`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// In lower case, a Unicode name in its ASCII form, with brackets around an IPv6 address.
    host: String,
    /// Absent for 443.
    port: Option<u16>,
    /// The path below which the server is, `/base`: empty if the host is its own.
    base: String,
}

/// The names with which the server's own paths begin. A base with one of them could not be told from a path without the base.
const OWN_NAMES: [&str; 29] = [
    "api",
    "apple-touch-icon.png",
    "assets",
    "authority.crt",
    "docs",
    "favicon.ico",
    "files",
    "folders",
    "fragments",
    "gallery",
    "health",
    "healthz",
    "inbox",
    "login",
    "manifest.webmanifest",
    "mcp",
    "memory",
    "metrics",
    "new",
    "offline",
    "s",
    "schedules",
    "search",
    "sessions",
    "settings",
    "share",
    "stats",
    "v1",
    "worker.js",
];

impl PublicUrl {
    /// # Errors
    ///
    /// If it isn't an `https` URL, or has more than a host, a port and a plain path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url =
            Url::parse(text.trim()).map_err(|error| format!("{error}: it is like `https://agents.example.org`"))?;
        if url.scheme() != "https" {
            return Err("it begins with `https://`: other machines are served with TLS only".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err("it has a host, and perhaps a port and a path, and nothing else".to_owned());
        }
        let base = url.path().trim_end_matches('/').to_owned();
        let mut names = base.split('/').skip(1);
        if names.clone().any(|name| name.is_empty() || !name.bytes().all(is_plain)) {
            return Err("the names in its path have letters, digits, `-`, `_`, `.` and `~` only".to_owned());
        }
        if let Some(name) = names.next().filter(|name| OWN_NAMES.contains(name)) {
            return Err(format!("its path can't begin with `/{name}`, which is a path of the server itself"));
        }
        let host = url.host_str().ok_or("it has no host")?.to_owned();
        Ok(Self { host, port: url.port(), base })
    }

    /// Returns the path below which the server is: `/base`, or nothing.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the URL without its path.
    pub fn origin(&self) -> String {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("https://{}{port}", self.host)
    }

    /// Returns the name, or the address: that of IPv6 in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns true if a `Host` header names this server.
    pub fn is_host(&self, host: &str) -> bool {
        let rest = host.get(..self.host.len()).filter(|name| name.eq_ignore_ascii_case(&self.host));
        rest.is_some_and(|name| match (self.port, &host[name.len()..]) {
            (None, "" | ":443") => true,
            (Some(port), rest) => rest.strip_prefix(':') == Some(&*port.to_string()),
            _ => false,
        })
    }

    /// Returns the name of the log-in's cookie. Browsers take it from `https` alone, and from no other host; one of a whole host
    /// can't be for a path. Cookies don't know ports: two servers of one host need two names.
    pub fn cookie(&self) -> String {
        let prefix = if self.base.is_empty() { "__Host-" } else { "__Secure-" };
        let port = self.port.map(|port| format!("_{port}")).unwrap_or_default();
        format!("{prefix}verbatim{port}")
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
}

/// Without a slash at its end, so that paths can follow.
impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::{OWN_NAMES, PublicUrl};

    #[test]
    fn a_public_url_is_a_host_and_perhaps_a_path() {
        let parsed = |text: &str| PublicUrl::parse(text).map(|url| url.to_string());
        assert_eq!(parsed("https://Agents.Example.org/").as_deref(), Ok("https://agents.example.org"));
        assert_eq!(parsed("https://b\u{fc}cher.example:443").as_deref(), Ok("https://xn--bcher-kva.example"));
        assert_eq!(parsed("https://[2001:DB8::1]:8443").as_deref(), Ok("https://[2001:db8::1]:8443"));
        assert_eq!(parsed("https://a.example/tools/verbatim/").as_deref(), Ok("https://a.example/tools/verbatim"));
        let refused = [
            "http://a.example",
            "https://a.example/a%20b",
            "https://a.example/a//b",
            "https://a.example/s/verbatim",
            "https://a.example/?q",
            "https://me@a.example",
            "a.example",
        ];
        assert_eq!(
            refused.map(|text| parsed(text).unwrap_err()),
            [
                "it begins with `https://`: other machines are served with TLS only",
                "the names in its path have letters, digits, `-`, `_`, `.` and `~` only",
                "the names in its path have letters, digits, `-`, `_`, `.` and `~` only",
                "its path can't begin with `/s`, which is a path of the server itself",
                "it has a host, and perhaps a port and a path, and nothing else",
                "it has a host, and perhaps a port and a path, and nothing else",
                "relative URL without a base: it is like `https://agents.example.org`",
            ]
        );
    }

    #[test]
    fn only_its_own_name_and_port_are_its_host() {
        let url = PublicUrl::parse("https://agents.example.org").unwrap();
        assert_eq!(["agents.example.org", "AGENTS.example.org:443"].map(|host| url.is_host(host)), [true; 2]);
        let others = [
            "agents.example.org:80",
            "agents.example.org.",
            "agents.example.orgx",
            "xagents.example.org",
            "",
            "agents.example.or\u{e9}",
        ];
        assert_eq!(others.map(|host| url.is_host(host)), [false; 6]);
        let url = PublicUrl::parse("https://agents.example.org:8443").unwrap();
        assert_eq!(
            ["agents.example.org:8443", "agents.example.org", "agents.example.org:443"].map(|host| url.is_host(host)),
            [true, false, false]
        );
        assert_eq!(url.cookie(), "__Host-verbatim_8443");
    }

    #[test]
    fn a_path_is_no_part_of_the_origin_and_has_a_cookie_of_its_own() {
        let url = PublicUrl::parse("https://agents.example.org:8443/verbatim").unwrap();
        assert_eq!([url.base(), &url.origin()], ["/verbatim", "https://agents.example.org:8443"]);
        assert_eq!(url.cookie(), "__Secure-verbatim_8443");
    }

    #[test]
    fn no_path_begins_as_the_server_s_own() {
        let document = api::openapi::document();
        let paths = document["paths"].as_object().unwrap().keys();
        for name in paths.filter_map(|path| path.split('/').nth(1)) {
            assert!(OWN_NAMES.contains(&name), "{name}");
        }
    }
}
