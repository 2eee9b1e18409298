//! How other machines reach the server: its public URL, its certificate, and the proxies in front of it.

use crate::acme::Acme;
use crate::cli::{PublicArgs, SignOnArgs};
use crate::public_url::PublicUrl;
use crate::single_sign_on::Provider;
use crate::tls::Tls;
use anyhow::{Result, bail};
use axum::http::HeaderName;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

/// Names that mean this machine alone.
pub const LOCAL_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Which machines can reach the server, and how.
#[derive(Clone, Default)]
pub struct Reach {
    pub url: Option<PublicUrl>,
    pub tls: Option<Tls>,
    /// What fetches and renews the certificate.
    pub acme: Option<Acme>,
    /// The certificate of an authority of one's own (DER), for devices that are to trust it.
    pub authority: Option<Arc<[u8]>>,
    /// The provider by which people log in.
    pub provider: Option<Provider>,
    /// The header in which a trusted proxy names the person whom it let in.
    pub user_header: Option<HeaderName>,
    proxies: Vec<IpNet>,
}

impl Reach {
    /// Reads the certificate, if one is named or was fetched before.
    ///
    /// # Errors
    ///
    /// If an option lacks another one that it needs, or the certificate can't be used.
    pub fn of(args: &PublicArgs, sign_on: &SignOnArgs, data_dir: &Path) -> Result<Self> {
        let PublicArgs { public_url, tls_cert, tls_key, trusted_proxy, proxy_user_header, .. } = args;
        if args.tls_acme && tls_cert.is_some() {
            bail!("`--tls-acme` fetches the certificate that `--tls-cert` names\nUse one of the two");
        }
        let acme = public_url
            .as_ref()
            .filter(|_| args.tls_acme)
            .map(|url| Acme::new(&args.acme_directory, args.acme_email.as_deref(), url.host(), data_dir));
        let tls = match (tls_cert, tls_key) {
            (Some(certificate), Some(key)) => Some(Tls::read(certificate, key)?),
            (None, None) => acme.as_ref().map(Acme::tls).transpose()?,
            (Some(_), None) => bail!("`--tls-cert` needs the private key of the certificate\nAdd `--tls-key FILE`"),
            (None, Some(_)) => bail!("`--tls-key` needs the certificate of the key\nAdd `--tls-cert FILE`"),
        };
        let option = match (&tls, args.tls_acme) {
            (Some(_), _) => "--tls-cert",
            (None, true) => "--tls-acme",
            (None, false) => "--trusted-proxy",
        };
        if public_url.is_none() && (tls.is_some() || args.tls_acme || !trusted_proxy.is_empty()) {
            bail!(
                "`{option}` needs the address that people type, since the server refuses all others\n\
                 Add `--public-url https://NAME`"
            );
        }
        if proxy_user_header.is_some() && trusted_proxy.is_empty() {
            bail!(
                "`--proxy-user-header` needs the proxy that sets the header: whoever else sends it is nobody\n\
                 Add `--trusted-proxy ADDRESS`"
            );
        }
        Ok(Self {
            url: public_url.clone(),
            tls,
            acme,
            authority: None,
            provider: Provider::of(sign_on)?,
            user_header: proxy_user_header.clone(),
            proxies: trusted_proxy.clone(),
        })
    }

    /// Checks that an address which other machines reach is served with TLS, by this server or by a proxy, and that the public URL
    /// isn't what this machine calls the server.
    ///
    /// # Errors
    ///
    /// If it would be served in the clear, or both are one. The error says what to add.
    pub fn check(&self, address: SocketAddr) -> Result<()> {
        let local =
            |name: &&str| self.url.as_ref().is_some_and(|url| url.is_host(&format!("{name}:{}", address.port())));
        if let Some(name) = LOCAL_NAMES.into_iter().find(local) {
            bail!(
                "`--public-url` is what this machine alone calls the server: {name} with the port of `--listen`\n\
                 Use the name by which other machines know this one, or leave the option out"
            );
        }
        if address.ip().is_loopback() || self.tls.is_some() || !self.proxies.is_empty() {
            return Ok(());
        }
        bail!(
            "listening on {address} would let other machines in without TLS\n\
             With a certificate, add `--public-url https://NAME --tls-cert FILE --tls-key FILE`, or `--tls-acme` to fetch one; behind a reverse proxy with TLS, \
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

    #[test]
    fn a_public_url_is_no_name_of_this_machine_alone() {
        let check = |url: &str, address: &str| {
            let reach = Reach { url: Some(PublicUrl::parse(url).unwrap()), ..Reach::default() };
            reach.check(address.parse().unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!(check("https://localhost:8443", "127.0.0.1:7117"), Ok(()));
        assert_eq!(check("https://localhost", "127.0.0.1:7117"), Ok(()));
        let words = check("https://localhost:7117", "127.0.0.1:7117").unwrap_err();
        assert!(words.starts_with("`--public-url` is what this machine alone calls the server: localhost"), "{words}");
    }
}
