//! How other machines reach the server: its public URL, its certificate, and the proxies in front of it.

use crate::cli::PublicArgs;
use crate::tls::Tls;
use anyhow::{Result, bail};
use ipnet::IpNet;
use reqwest::Url;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

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

/// Which machines can reach the server, and how.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    pub url: Option<PublicUrl>,
    pub tls: Option<Tls>,
    proxies: Vec<IpNet>,
}

impl Reach {
    /// Reads the certificate, if one is named.
    ///
    /// # Errors
    ///
    /// If an option lacks another one that it needs, or the certificate can't be used.
    pub fn of(args: &PublicArgs) -> Result<Self> {
        let PublicArgs { public_url, tls_cert, tls_key, trusted_proxy } = args;
        let tls = match (tls_cert, tls_key) {
            (Some(certificate), Some(key)) => Some(Tls::read(certificate, key)?),
            (None, None) => None,
            (Some(_), None) => bail!("`--tls-cert` needs the private key of the certificate\nAdd `--tls-key FILE`"),
            (None, Some(_)) => bail!("`--tls-key` needs the certificate of the key\nAdd `--tls-cert FILE`"),
        };
        let needs = if tls.is_some() { Some("--tls-cert") } else { None };
        let needs = needs.or_else(|| (!trusted_proxy.is_empty()).then_some("--trusted-proxy"));
        if let (Some(option), None) = (needs, public_url) {
            bail!(
                "`{option}` needs the address that people type, since the server refuses all others\n\
                 Add `--public-url https://NAME`"
            );
        }
        Ok(Self { url: public_url.clone(), tls, proxies: trusted_proxy.clone() })
    }

    /// Checks that an address which other machines reach is served with TLS, by this server or by a proxy.
    ///
    /// # Errors
    ///
    /// If it would be served in the clear. The error says what to add.
    pub fn check(&self, address: SocketAddr) -> Result<()> {
        if address.ip().is_loopback() || self.tls.is_some() || !self.proxies.is_empty() {
            return Ok(());
        }
        bail!(
            "listening on {address} would let other machines in without TLS\n\
             With a certificate, add `--public-url https://NAME --tls-cert FILE --tls-key FILE`; behind a reverse proxy with TLS, \
             add `--public-url https://NAME --trusted-proxy ADDRESS`. For one other machine, listen on 127.0.0.1 and \
             forward the port: `ssh -L 7117:127.0.0.1:7117 HOST`"
        )
    }

    /// Returns true if the forwarding headers of a connection from here are trusted.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.proxies.iter().any(|network| network.contains(&peer))
    }

    /// Returns true if a connection may be without TLS: it never leaves this machine, or it comes from a trusted proxy.
    pub fn may_be_plain(&self, peer: IpAddr, local: IpAddr) -> bool {
        let peer = peer.to_canonical();
        peer.is_loopback() || peer == local.to_canonical() || self.trusts(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::{PublicUrl, Reach};

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

    #[test]
    fn no_other_machine_is_served_in_the_clear() {
        let reach = Reach { proxies: vec!["10.0.0.0/24".parse().unwrap()], ..Reach::default() };
        let plain = |peer: &str, local: &str| reach.may_be_plain(peer.parse().unwrap(), local.parse().unwrap());
        assert_eq!(
            [plain("127.0.0.1", "127.0.0.1"), plain("192.0.2.7", "192.0.2.7"), plain("::ffff:10.0.0.9", "::")],
            [true; 3]
        );
        assert_eq!([plain("192.0.2.8", "192.0.2.7"), plain("10.0.1.9", "10.0.0.1")], [false; 2]);
        assert_eq!(["10.0.0.1", "127.0.0.1"].map(|peer| reach.trusts(peer.parse().unwrap())), [true, false]);
        let exposed = "0.0.0.0:7117".parse().unwrap();
        assert!(reach.check(exposed).is_ok());
        assert!(Reach::default().check(exposed).is_err());
        assert!(Reach::default().check("[::1]:7117".parse().unwrap()).is_ok());
    }
}
