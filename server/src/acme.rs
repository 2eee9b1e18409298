//! A certificate by ACME (RFC 8555), fetched and renewed by the server itself. The authority asks inside TLS whether the
//! name is this server's (RFC 8737), so that no second port is needed.

use crate::bounded_http::BoundedHttp;
use crate::data_dir;
use crate::tls::{Tls, validity};
use anyhow::{Context as _, Result, anyhow, bail};
use hub::Hub;
use hub::host::HostEvent;
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Error, Identifier, NewAccount, NewOrder, Order,
    OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use reqwest::Url;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The pause after the first failure. It doubles: authorities take few failures an hour.
const PAUSE: Duration = Duration::from_mins(5);
const MOST_PAUSE: Duration = Duration::from_hours(6);
/// How long it takes at most until the clock is looked at again: a machine may sleep.
const LOOK: Duration = Duration::from_mins(10);
/// How long the authority may take to ask, and to sign.
const POLL: RetryPolicy = RetryPolicy::new().timeout(Duration::from_mins(2));
/// A certificate is renewed when this part of its time is left.
const LEFT: u64 = 3;
const UNPROVEN: &str = "the authority couldn't reach this server by its name at port 443, or somebody else answered: ";
const UNKNOWN_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";

/// The certificate of one name from one authority.
#[derive(Clone)]
pub struct Acme {
    directory: Url,
    /// Where the authority may write to.
    contact: Option<String>,
    /// The server's name, or its address.
    host: String,
    /// The files of this authority.
    folder: PathBuf,
}

impl Acme {
    pub fn new(directory: &Url, email: Option<&str>, host: &str, data_dir: &Path) -> Self {
        let authority = directory.authority().replace(':', "_");
        Self {
            directory: directory.clone(),
            contact: email.map(|email| format!("mailto:{email}")),
            host: host.trim_matches(['[', ']']).to_owned(),
            folder: data_dir.join("tls").join(authority),
        }
    }

    /// Returns what encrypts connections, with the certificate of the last time if there is one.
    ///
    /// # Errors
    ///
    /// If TLS can't be used, or the folder can't be created.
    pub fn tls(&self) -> Result<Tls> {
        data_dir::create(&self.folder).with_context(|| format!("{} can't be created", self.folder.display()))?;
        Tls::read_when_there(&self.chain(), &self.key())
    }

    fn chain(&self) -> PathBuf {
        self.folder.join(format!("{}.pem", self.file_name()))
    }

    fn key(&self) -> PathBuf {
        self.folder.join(format!("{}-key.pem", self.file_name()))
    }

    fn file_name(&self) -> String {
        self.host.replace(':', "_")
    }

    fn account_file(&self) -> PathBuf {
        self.folder.join("account.json")
    }

    /// Keeps the certificate valid until the hub ends.
    pub async fn work(self, tls: Tls, hub: Hub) {
        let (mut pause, mut told) = (PAUSE, None);
        loop {
            let wait = if let Some(wait) = self.wait(&tls) {
                wait
            } else if let Err(error) = self.fetch(&tls).await {
                let error = format!("{} for {}: {error:#}", self.directory.authority(), self.host);
                tracing::warn!("no certificate was fetched: {error}");
                hub.tell_news(&mut told, &HostEvent::CertificateFailed { error }).await;
                let next = (pause * 2).min(MOST_PAUSE);
                std::mem::replace(&mut pause, next)
            } else {
                tracing::info!(name = self.host, authority = %self.directory, "a certificate was fetched");
                (pause, told) = (PAUSE, None);
                continue;
            };
            if hub.shutdown.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                return;
            }
        }
    }

    /// How long nothing is to be done; None if a certificate is due.
    fn wait(&self, tls: &Tls) -> Option<Duration> {
        let [from, until] = validity(&self.chain()).ok().filter(|_| tls.is_there())?;
        let due = until - until.saturating_sub(from) / LEFT;
        let now = u64::try_from(hub::clock::now().0).unwrap_or_default() / 1_000_000;
        due.checked_sub(now).filter(|left| *left > 0).map(|left| Duration::from_secs(left).min(LOOK))
    }

    async fn fetch(&self, tls: &Tls) -> Result<()> {
        let outcome = self.order(tls).await;
        tls.answer_authority(None);
        if let Err(error) = &outcome
            && matches!(error.downcast_ref(), Some(Error::Api(problem)) if problem.r#type.as_deref() == Some(UNKNOWN_ACCOUNT))
        {
            // The authority has forgotten it: the next time begins with another one.
            let _ = std::fs::remove_file(self.account_file());
        }
        let (chain, key) = outcome?;
        data_dir::write_private(&self.key(), key.as_bytes())?;
        data_dir::write_private(&self.chain(), chain.as_bytes())?;
        tls.refresh();
        Ok(())
    }

    /// Returns a certificate with its chain, and its key (PEM).
    async fn order(&self, tls: &Tls) -> Result<(String, String)> {
        let name = match self.host.parse::<IpAddr>() {
            Ok(address) => Identifier::Ip(address),
            Err(_) => Identifier::Dns(self.host.clone()),
        };
        let mut order = self.account().await?.new_order(&NewOrder::new(&[name])).await?;
        self.prove(&mut order, tls).await?;
        match order.poll_ready(&POLL).await {
            Ok(OrderStatus::Ready) => {}
            Ok(OrderStatus::Invalid) => bail!("{UNPROVEN}{}", refusal(&mut order).await),
            Ok(status) => bail!("the order is {status:?}"),
            Err(Error::Api(problem)) => bail!("{UNPROVEN}{problem}"),
            Err(error) => return Err(error.into()),
        }
        let key = order.finalize().await?;
        Ok((order.poll_certificate(&POLL).await?, key))
    }

    /// Gets ready for the authority's question, and lets it ask.
    async fn prove(&self, order: &mut Order, tls: &Tls) -> Result<()> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            match authorization.status {
                AuthorizationStatus::Pending => {}
                AuthorizationStatus::Valid => continue,
                status => bail!("the authorization is {status:?}"),
            }
            let Some(mut challenge) = authorization.challenge(ChallengeType::TlsAlpn01) else {
                bail!("the authority doesn't ask inside TLS (`tls-alpn-01`)");
            };
            tls.answer_authority(Some(self.answer(challenge.key_authorization().digest().as_ref())?));
            challenge.set_ready().await?;
        }
        Ok(())
    }

    /// The certificate that proves the name.
    fn answer(&self, digest: &[u8]) -> Result<CertifiedKey> {
        let mut params = CertificateParams::new([self.host.clone()])?;
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(|error| anyhow!("{error}"))?;
        // Without a check that both belong together: it doesn't know the extension.
        Ok(CertifiedKey::new(vec![certificate.der().clone()], ring::sign::any_supported_type(&key)?))
    }

    /// The account of the last time, or another one.
    async fn account(&self) -> Result<Account> {
        let (http, file) = (BoundedHttp::new().context("TLS can't be used")?, self.account_file());
        let builder = Account::builder_with_http(Box::new(http));
        if file.exists() {
            let known = std::fs::read(&file).with_context(|| format!("{} can't be read", file.display()))?;
            let known: AccountCredentials = serde_json::from_slice(&known)
                .with_context(|| format!("{} is invalid: delete it, and another account is created", file.display()))?;
            return Ok(builder.from_credentials(known).await?);
        }
        let contact: Vec<&str> = self.contact.iter().map(String::as_str).collect();
        let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let (account, credentials) = builder.create(&new, self.directory.to_string(), None).await?;
        data_dir::write_private(&file, &serde_json::to_vec(&credentials)?)?;
        Ok(account)
    }
}

/// What the authority says against the name, for those that don't say it of the order.
async fn refusal(order: &mut Order) -> String {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { continue };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.as_ref()) {
            return problem.to_string();
        }
    }
    "it gives no reason".to_owned()
}
