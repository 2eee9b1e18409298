//! The public URL.

use reqwest::Url;
use std::fmt;

/// The address of the server as other machines see it. It is always `https`, and has no path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// In lower case, a Unicode name in its ASCII form, with brackets around an IPv6 address.
    host: String,
    /// Absent for 443.
    port: Option<u16>,
}

impl PublicUrl {
    /// # Errors
    ///
    /// If it isn't an `https` URL, or has more than a host and a port.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url =
            Url::parse(text.trim()).map_err(|error| format!("{error}: it is like `https://agents.example.org`"))?;
        if url.scheme() != "https" {
            return Err("it begins with `https://`: other machines are served with TLS only".to_owned());
        }
        if url.path() != "/" {
            return Err("a path behind the host isn't supported: the server needs a host name of its own".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err("it has a host, and perhaps a port, and nothing else".to_owned());
        }
        let host = url.host_str().ok_or("it has no host")?.to_owned();
        Ok(Self { host, port: url.port() })
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

    /// Returns the name of the log-in's cookie. Browsers take it from `https` alone, and from no other host. Cookies don't know
    /// ports: two servers of one host need two names.
    pub fn cookie(&self) -> String {
        self.port.map_or_else(|| "__Host-verbatim".to_owned(), |port| format!("__Host-verbatim_{port}"))
    }
}

/// As the origin of its pages is written.
impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::PublicUrl;

    #[test]
    fn a_public_url_is_a_host_and_nothing_else() {
        let parsed = |text: &str| PublicUrl::parse(text).map(|url| url.to_string());
        assert_eq!(parsed("https://Agents.Example.org/").as_deref(), Ok("https://agents.example.org"));
        assert_eq!(parsed("https://b\u{fc}cher.example:443").as_deref(), Ok("https://xn--bcher-kva.example"));
        assert_eq!(parsed("https://[2001:DB8::1]:8443").as_deref(), Ok("https://[2001:db8::1]:8443"));
        let refused = [
            "http://a.example",
            "https://a.example/verbatim",
            "https://a.example/?q",
            "https://me@a.example",
            "a.example",
        ];
        assert_eq!(
            refused.map(|text| parsed(text).unwrap_err()),
            [
                "it begins with `https://`: other machines are served with TLS only",
                "a path behind the host isn't supported: the server needs a host name of its own",
                "it has a host, and perhaps a port, and nothing else",
                "it has a host, and perhaps a port, and nothing else",
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
}
