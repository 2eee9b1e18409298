//! Address of the server and key.

use crate::Error;
use api::transport::reqwest::{Key, Reqwest};
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::net::IpAddr;
use std::time::Duration;

/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(10);
/// Timeout of an ordinary request. The largest requests have 16 MiB.
const ANSWER: Duration = Duration::from_mins(1);

/// Makes the transport for ordinary requests. Certificates of an authority (PEM) are trusted besides those of the system.
pub(crate) fn transport(url: &str, key: &str, authority: Option<&[u8]>) -> Result<Reqwest, Error> {
    let url = address(url)?;
    let key = key.trim();
    // The key stays out of the message, which may end in a log.
    if key.is_empty() || HeaderValue::from_str(key).is_err() {
        return Err(Error::Setup("The key is none\n`verbatim key create` makes one".to_owned()));
    }
    let mut http = Client::builder().connect_timeout(CONNECT).redirect(Policy::none());
    if let Some(pem) = authority {
        let unfit = |error| Error::Setup(format!("The authority's certificate can't be read: {error}"));
        http = http.add_root_certificate(reqwest::Certificate::from_pem(pem).map_err(unfit)?);
    }
    if is_loopback(&url) {
        // A proxy on another machine would connect to its own loopback.
        http = http.no_proxy();
    }
    let http = http.build().map_err(|error| Error::Setup(format!("No HTTP client can be made: {error}")))?;
    // Query and fragment, as in a log-in link, are no part of the address.
    let base = format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    Ok(Reqwest { base, key: Key::new(key.to_owned()), timeout: ANSWER, http, is_for_model: false })
}

fn address(text: &str) -> Result<Url, Error> {
    let unfit = |why: &str| Error::Setup(format!("`{text}` is no server's address: {why}"));
    let url = Url::parse(text.trim()).map_err(|error| unfit(&error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(unfit("it should begin with `https://` or `http://`")),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::transport;

    #[test]
    fn an_address_is_all_before_the_path_ends() {
        let base = |url: &str| transport(url, "vbt_1", None).map(|transport| transport.base).map_err(|e| e.to_string());
        for same in ["http://127.0.0.1:7117", "http://127.0.0.1:7117/", " http://127.0.0.1:7117/#c=code\n"] {
            assert_eq!(base(same).as_deref(), Ok("http://127.0.0.1:7117"));
        }
        assert_eq!(base("http://[::1]:80/verbatim/").as_deref(), Ok("http://[::1]/verbatim"));
        assert_eq!(base("https://Agents.Example.org/#c=code").as_deref(), Ok("https://agents.example.org"));
        let refused = ["", "127.0.0.1:7117", "ftp://host"].map(|url| base(url).unwrap_err());
        assert_eq!(
            refused,
            [
                "`` is no server's address: relative URL without a base",
                "`127.0.0.1:7117` is no server's address: relative URL without a base",
                "`ftp://host` is no server's address: it should begin with `https://` or `http://`",
            ]
        );
    }

    #[test]
    fn a_key_that_is_none_is_not_told() {
        for key in ["", "  ", "vbt\n1"] {
            let error = transport("http://127.0.0.1:7117", key, None).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some("The key is none\n`verbatim key create` makes one"));
        }
    }
}
