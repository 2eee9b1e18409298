//! Options of `verbatim serve` about other machines.

use crate::public_url::PublicUrl;
use axum::http::HeaderName;
use clap::Args;
use ipnet::IpNet;
use reqwest::Url;
use std::net::IpAddr;
use std::path::PathBuf;

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

#[derive(Debug, Clone, Args)]
pub struct PublicArgs {
    /// Address by which other machines reach the server: `https://agents.example.org`, or with a path, `https://example.org/verbatim`
    #[arg(long, value_name = "URL", value_parser = PublicUrl::parse)]
    pub public_url: Option<PublicUrl>,
    /// File with the server's certificate and its chain (PEM); read again when it changes. Needs `--tls-key` and
    /// `--public-url`
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate (PEM)
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Fetches and renews the certificate by ACME, from Let's Encrypt unless `--acme-directory` names another authority, whose
    /// terms of service you agree to. It has to reach this server by the name of `--public-url` at port 443
    #[arg(long)]
    pub tls_acme: bool,
    /// Address of the ACME authority's directory
    #[arg(long, value_name = "URL", default_value = LETS_ENCRYPT, value_parser = directory)]
    pub acme_directory: Url,
    /// Where the ACME authority may write to you
    #[arg(long, value_name = "EMAIL")]
    pub acme_email: Option<String>,
    /// Address or network of a reverse proxy that serves the public URL: `10.0.0.2`, `10.0.0.0/24`. Its `Forwarded` and
    /// `X-Forwarded-*` headers are trusted
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
    /// Header in which the trusted proxy names the person whom it let in: `Remote-User`. The person is logged in, if there
    /// is one with that name
    #[arg(long, value_name = "HEADER")]
    pub proxy_user_header: Option<HeaderName>,
}

fn directory(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| error.to_string())?;
    if url.scheme() != "https" || !url.has_host() {
        return Err(format!("it is an address with `https://`, like `{LETS_ENCRYPT}`"));
    }
    Ok(url)
}

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let one = || text.parse::<IpAddr>().map(IpNet::from).ok();
    text.parse().ok().or_else(one).ok_or_else(|| "it is an IP address or a network, like `10.0.0.0/24`".to_owned())
}
