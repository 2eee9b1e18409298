//! The server's certificate, read again when its files change.

use anyhow::{Context as _, Result, anyhow};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The protocols inside TLS, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Encrypts connections. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Tls {
    pub acceptor: TlsAcceptor,
    certificate: Arc<Certificate>,
    /// The files that were read last.
    seen: Stamp,
}

impl Tls {
    /// Reads a certificate and its key.
    ///
    /// # Errors
    ///
    /// If a file can't be read, or they don't belong together. The error names the file.
    pub fn read(chain: &Path, key: &Path) -> Result<Self> {
        let (chain, key) = (chain.to_owned(), key.to_owned());
        let seen = stamp(&chain, &key);
        let pair = RwLock::new(Arc::new(pair(&chain, &key)?));
        let certificate = Arc::new(Certificate { chain, key, pair });
        let provider = Arc::new(ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&certificate) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate, seen })
    }

    /// Reads the files again whenever they have changed, until the server ends. Open connections keep their certificate.
    pub async fn keep_fresh(self, shutdown: CancellationToken) {
        let mut seen = self.seen;
        while shutdown.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
            let certificate = Arc::clone(&self.certificate);
            // Its only failure is a runtime that ends.
            let Ok(now) = tokio::task::spawn_blocking(move || certificate.refresh(seen)).await else { return };
            seen = now;
        }
    }
}

#[derive(Debug)]
struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    pair: RwLock<Arc<CertifiedKey>>,
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.pair.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Certificate {
    /// Reads the files unless they are those that were seen, and returns what they are now. A half-written pair doesn't replace
    /// one that can be used.
    fn refresh(&self, seen: Stamp) -> Stamp {
        let now = stamp(&self.chain, &self.key);
        if now == seen {
            return now;
        }
        match pair(&self.chain, &self.key) {
            Ok(pair) => {
                *self.pair.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
                tracing::info!(certificate = %self.chain.display(), "the certificate has changed, and is used from now on");
            }
            Err(error) => {
                tracing::warn!("the certificate has changed, and can't be used: the one before stays: {error:#}");
            }
        }
        now
    }
}

/// Times and sizes of both files, as far as they are there.
type Stamp = [Option<(SystemTime, u64)>; 2];

fn stamp(chain: &Path, key: &Path) -> Stamp {
    let of = |found: Metadata| Some((found.modified().ok()?, found.len()));
    [chain, key].map(|path| std::fs::metadata(path).ok().and_then(of))
}

fn pair(chain: &Path, key: &Path) -> Result<CertifiedKey> {
    let certificates = read(chain)?;
    let certificates = CertificateDer::pem_slice_iter(&certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| anyhow!("{} isn't PEM: {error}", chain.display()))?;
    if certificates.is_empty() {
        return Err(anyhow!("{} has no certificate: it is a PEM file, with `BEGIN CERTIFICATE`", chain.display()));
    }
    let secret = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| {
        anyhow!("{} has no private key: {error}; it is a PEM file, with `BEGIN PRIVATE KEY`", key.display())
    })?;
    CertifiedKey::from_der(certificates, secret, &ring::default_provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            anyhow!("{} isn't the private key of the certificate in {}", key.display(), chain.display())
        }
        error => anyhow!("{} and {} can't be used: {error}", chain.display(), key.display()),
    })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{} can't be read", path.display()))
}
