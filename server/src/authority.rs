//! An authority of one's own, for servers whose name no public authority vouches for: a certificate that devices are told
//! to trust, and the server's certificate by it.
//!
//! The authority can vouch for the names that it was made for, and for nothing else: a stolen key opens no other site.

use crate::data_dir;
use crate::tls::validity;
use anyhow::{Context as _, Result, bail};
use hub::Hub;
use hub::host::HostEvent;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, date_time_ymd,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Days for which the authority is valid, and a certificate by it: some systems take no longer one.
const AUTHORITY_DAYS: i64 = 3650;
const DAYS: i64 = 397;
/// Days before its end when a running server renews its certificate, and how often it looks.
const LEFT: i64 = 30;
const LOOK: Duration = Duration::from_hours(6);
/// Days that a device's clock may be behind.
const BEFORE: i64 = 1;
/// The longest name, in characters.
const NAME_CHARS: usize = 253;

/// The files of an authority, in the folder `tls` of the data directory.
pub struct Authority {
    folder: PathBuf,
}

/// The outcome of [`Authority::init`].
pub struct Issued {
    pub names: Vec<String>,
    /// True if devices have to trust it anew.
    pub is_new: bool,
    /// SHA-256 of the authority's certificate, as devices show it: `AB:CD:...`.
    pub fingerprint: String,
    /// The last day of the server's certificate.
    pub until: Date,
}

impl Authority {
    pub fn of(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("tls") }
    }

    /// The authority's certificate, for devices (PEM).
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }

    /// The server's certificate (PEM).
    pub fn chain(&self) -> PathBuf {
        self.folder.join("cert.pem")
    }

    /// The private key of the server's certificate (PEM).
    pub fn key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    fn authority_key(&self) -> PathBuf {
        self.folder.join("authority-key.pem")
    }

    fn names(&self) -> PathBuf {
        self.folder.join("names")
    }

    /// Returns the authority's certificate, as devices install it (DER). None if there is no authority.
    pub fn der(&self) -> Option<Vec<u8>> {
        CertificateDer::from_pem_file(self.certificate()).ok().map(|der| der.to_vec())
    }

    /// Creates the authority, unless there is one, and a new certificate for `names`; without names, for those of the last
    /// time.
    ///
    /// # Errors
    ///
    /// If a name is invalid, or there is an authority for other names and `replace` is false.
    pub fn init(&self, names: &[String], replace: bool, today: Date) -> Result<Issued> {
        let known = self.known()?;
        let given = names.iter().map(|name| read_name(name)).collect::<Result<Vec<_>>>()?;
        let names = match (&known, given.is_empty()) {
            (None, true) => {
                bail!("an authority needs the name of the server\nGive it: `verbatim tls init agents.home.arpa`")
            }
            (Some(known), true) => known.clone(),
            (_, false) => given,
        };
        let is_new = replace || known.is_none();
        if !is_new && known.as_ref() != Some(&names) {
            bail!(
                "there is an authority for {}, and it can't vouch for other names\n\
                 Add `--replace` to create another one: each device has to trust it anew",
                known.unwrap_or_default().join(", ")
            );
        }
        data_dir::create(&self.folder).with_context(|| format!("{} can't be created", self.folder.display()))?;
        let params = authority_params(&names, today)?;
        if is_new {
            let key = KeyPair::generate()?;
            data_dir::write_private(&self.authority_key(), key.serialize_pem().as_bytes())?;
            data_dir::write_private(&self.certificate(), params.self_signed(&key)?.pem().as_bytes())?;
            data_dir::write_private(&self.names(), names.join("\n").as_bytes())?;
        }
        let path = self.authority_key();
        let written = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
        let issuer =
            Issuer::new(params, KeyPair::from_pem(&written).with_context(|| format!("{} is no key", path.display()))?);
        let key = KeyPair::generate()?;
        let certificate = server_params(&names, today)?.signed_by(&key, &issuer)?;
        data_dir::write_private(&self.key(), key.serialize_pem().as_bytes())?;
        data_dir::write_private(&self.chain(), certificate.pem().as_bytes())?;
        let der = self.der().with_context(|| format!("{} is no certificate", self.certificate().display()))?;
        Ok(Issued { names, is_new, fingerprint: fingerprint(&der), until: plus(today, DAYS)? })
    }

    /// Renews the server's certificate in time, until the hub ends.
    pub async fn keep_valid(self, hub: Hub) {
        let mut told = None;
        loop {
            match today().and_then(|today| self.renew_if_due(today)) {
                Ok(Some(issued)) => tracing::info!(until = %issued.until, "the server's certificate was renewed"),
                Ok(None) => told = None,
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::warn!("the server's certificate wasn't renewed: {error}");
                    hub.tell_news(&mut told, &HostEvent::CertificateFailed { error }).await;
                }
            }
            if hub.shutdown.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                return;
            }
        }
    }

    /// Creates another certificate if the one before is nearly over.
    fn renew_if_due(&self, today: Date) -> Result<Option<Issued>> {
        let [_, until] = validity(&self.chain())?;
        let until = Timestamp::from_second(i64::try_from(until)?)?.to_zoned(TimeZone::UTC).date();
        if plus(today, LEFT)? < until {
            return Ok(None);
        }
        self.init(&[], false, today).map(Some)
    }

    /// The names of the authority; None if there is none.
    fn known(&self) -> Result<Option<Vec<String>>> {
        match fs::read_to_string(self.names()) {
            Ok(names) => Ok(Some(names.lines().map(str::to_owned).collect())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{} can't be read", self.names().display())),
        }
    }
}

/// Today, in UTC.
pub fn today() -> Result<Date> {
    Ok(Timestamp::from_microsecond(hub::clock::now().0)?.to_zoned(TimeZone::UTC).date())
}

/// Returns the SHA-256 of a certificate, as devices show it.
fn fingerprint(der: &[u8]) -> String {
    let bytes: Vec<String> = Sha256::digest(der).iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(":")
}

/// Reads a name of the server, or its address.
fn read_name(text: &str) -> Result<String> {
    let name = text.trim().trim_end_matches('.').to_ascii_lowercase();
    let is_label = |label: &str| {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(is_inside)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.parse::<IpAddr>().is_ok() || (name.len() <= NAME_CHARS && name.split('.').all(is_label)) {
        return Ok(name);
    }
    bail!("`{text}` is neither a name nor an IP address\nGive it without `https://` and a port: `agents.home.arpa`")
}

fn authority_params(names: &[String], today: Date) -> Result<CertificateParams> {
    let mut params = CertificateParams::default();
    params.distinguished_name = distinguished(&format!("Verbatim for {}", names.first().map_or("", String::as_str)));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let permitted_subtrees = names.iter().map(|name| subtree(name)).collect();
    params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees: Vec::new() });
    span(&mut params, today, AUTHORITY_DAYS)?;
    Ok(params)
}

fn server_params(names: &[String], today: Date) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(names.to_vec())?;
    params.distinguished_name = distinguished(names.first().map_or("", String::as_str));
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    span(&mut params, today, DAYS)?;
    Ok(params)
}

fn distinguished(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn subtree(name: &str) -> GeneralSubtree {
    match name.parse::<IpAddr>() {
        Ok(address) => {
            let bits = if address.is_ipv4() { 32 } else { 128 };
            GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, bits))
        }
        Err(_) => GeneralSubtree::DnsName(name.to_owned()),
    }
}

fn span(params: &mut CertificateParams, today: Date, days: i64) -> Result<()> {
    let moment = |date: Date| {
        Ok::<_, anyhow::Error>(date_time_ymd(date.year().into(), date.month().try_into()?, date.day().try_into()?))
    };
    params.not_before = moment(plus(today, -BEFORE)?)?;
    params.not_after = moment(plus(today, days)?)?;
    Ok(())
}

fn plus(day: Date, days: i64) -> Result<Date> {
    Ok(day.checked_add(days.days())?)
}

#[cfg(test)]
mod tests {
    use super::Authority;
    use crate::tls::validity;
    use jiff::civil::date;

    #[test]
    fn a_certificate_is_renewed_in_its_last_month() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::of(dir.path());
        authority.init(&["agents.home.arpa".to_owned()], false, date(2026, 1, 1)).unwrap();
        let until = || validity(&authority.chain()).unwrap()[1];
        let (first, certificate) = (until(), std::fs::read(authority.certificate()).unwrap());
        assert!(authority.renew_if_due(date(2027, 1, 2)).unwrap().is_none());
        assert_eq!(until(), first);
        let issued = authority.renew_if_due(date(2027, 1, 3)).unwrap().unwrap();
        assert_eq!((issued.until, issued.is_new), (date(2028, 2, 4), false));
        assert_eq!(until() - first, 367 * 24 * 60 * 60);
        assert_eq!(std::fs::read(authority.certificate()).unwrap(), certificate);
    }
}
