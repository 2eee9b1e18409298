//! The server's certificate, read again when its files change.

use anyhow::{Context as _, Result, anyhow};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use x509_cert::der::Decode as _;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The protocol by which an ACME authority asks whether the name is this server's (RFC 8737).
pub const ACME: &[u8] = b"acme-tls/1";
/// The protocols inside TLS, the preferred one first.
const PROTOCOLS: [&[u8]; 3] = [b"h2", b"http/1.1", ACME];

/// Encrypts connections. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Tls {
    pub acceptor: TlsAcceptor,
    certificate: Arc<Certificate>,
}

impl Tls {
    /// Reads a certificate and its key.
    ///
    /// # Errors
    ///
    /// If a file can't be read, or they don't belong together. The error names the file.
    pub fn read(chain: &Path, key: &Path) -> Result<Self> {
        let pair = pair(chain, key)?;
        Self::new(chain, key, Some(pair))
    }

    /// Reads a certificate and its key, which may come later: until then no connection is encrypted.
    ///
    /// # Errors
    ///
    /// If TLS can't be used.
    pub fn read_when_there(chain: &Path, key: &Path) -> Result<Self> {
        Self::new(chain, key, pair(chain, key).ok())
    }

    fn new(chain: &Path, key: &Path, pair: Option<CertifiedKey>) -> Result<Self> {
        let certificate = Arc::new(Certificate {
            chain: chain.to_owned(),
            key: key.to_owned(),
            seen: Mutex::new(stamp(chain, key)),
            pair: RwLock::new(pair.map(Arc::new)),
            challenge: RwLock::default(),
        });
        let provider = Arc::new(ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&certificate) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
    }

    /// Reads the files again whenever they have changed, until the server ends. Open connections keep their certificate.
    pub async fn keep_fresh(self, shutdown: CancellationToken) {
        while shutdown.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
            let certificate = Arc::clone(&self.certificate);
            // Its only failure is a runtime that ends.
            if tokio::task::spawn_blocking(move || certificate.refresh()).await.is_err() {
                return;
            }
        }
    }

    /// Reads the files again, if they have changed.
    pub fn refresh(&self) {
        self.certificate.refresh();
    }

    /// Returns true if there is a certificate that connections get.
    pub fn is_there(&self) -> bool {
        self.certificate.pair.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Sets what an ACME authority gets that asks.
    pub fn answer_authority(&self, challenge: Option<CertifiedKey>) {
        *self.certificate.challenge.write().unwrap_or_else(PoisonError::into_inner) = challenge.map(Arc::new);
    }
}

#[derive(Debug)]
struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    /// The files that were read last.
    seen: Mutex<Stamp>,
    pair: RwLock<Option<Arc<CertifiedKey>>>,
    /// What an ACME authority gets that asks.
    challenge: RwLock<Option<Arc<CertifiedKey>>>,
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let asks = hello.alpn().is_some_and(|mut protocols| protocols.any(|protocol| protocol == ACME));
        let wanted = if asks { &self.challenge } else { &self.pair };
        wanted.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Certificate {
    /// Reads the files unless they are those that were seen. A half-written pair doesn't replace one that can be used.
    fn refresh(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = stamp(&self.chain, &self.key);
        if now == std::mem::replace(&mut *seen, now) {
            return;
        }
        match pair(&self.chain, &self.key) {
            Ok(pair) => {
                *self.pair.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(pair));
                tracing::info!(certificate = %self.chain.display(), "the certificate has changed, and is used from now on");
            }
            Err(error) => {
                tracing::warn!("the certificate has changed, and can't be used: the one before stays: {error:#}");
            }
        }
    }
}

/// Returns when a certificate begins and ends to be valid, in seconds since 1970.
///
/// # Errors
///
/// If the file can't be read, or has no certificate.
pub fn validity(chain: &Path) -> Result<[u64; 2]> {
    let der = CertificateDer::from_pem_slice(&read(chain)?)
        .map_err(|error| anyhow!("{} isn't PEM: {error}", chain.display()))?;
    let certificate = x509_cert::Certificate::from_der(&der)
        .map_err(|error| anyhow!("{} is no certificate: {error}", chain.display()))?;
    let validity = certificate.tbs_certificate.validity;
    Ok([validity.not_before, validity.not_after].map(|time| time.to_unix_duration().as_secs()))
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
